"""Train a learner, keep its model in a folder, and let it answer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from carob._version import __version__
from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, DataError, InputError, Problem, UsageError, many
from carob.evaluate.convert import Converted, convert
from carob.evaluate.read import Readable, format_of_name, read, read_inputs
from carob.pair.texts import Examples, Texts
from carob.pair.tokens import TOKENIZERS
from carob.plugin import Learner, Model, hook
from carob.recipe import learner as parse_learner
from carob.recipe import spell
from carob.registry import load as load_component
from carob_lab.learn.folder import read_json

HEADER = "carob.json"
"""The file of a model's folder that says which learner made it, from what."""


@dataclass(eq=False, repr=False)
class Trained:
    """A model with its learner, and how texts are cut into tokens for it.

    >>> corpus = Corpus.of("by [Ann Lee]who today", "with [Ann Lee]who")
    >>> model = train("rote", corpus)
    >>> model.answers(Corpus.of("Ann Lee and Bo"))[0].mentions
    (Mention('who', 0, 2, confidence=0.75),)
    >>> print(model)
    rote(precision=0.5) for who, from 2 documents
    """

    learner: Learner
    model: Model
    tokenizer: str = "auto"
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots that it fills."""
        return self.model.slots

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user should know: mentions that could not be learned from as they are."""
        notes = []
        if moved := self.facts.get("moved", 0):
            notes.append(f"{many(moved, 'mention')} do not begin and end where tokens do")
        if split := self.facts.get("discontinuous", 0):
            notes.append(f"{many(split, 'mention')} with gaps were learned without their gaps")
        if lost := self.model.describe().get("left_out", 0):
            notes.append(
                f"{many(lost, 'mention')} overlap longer ones and were not learned from; "
                "per_slot=true makes a model for each slot"
            )
        return tuple(notes)

    def answers(self, documents: Readable | Texts) -> Corpus:
        """The documents with its answers; what is marked in them is not looked at."""
        if not isinstance(documents, Texts):
            corpus = documents if isinstance(documents, Corpus) else read_inputs(documents)
            documents = Texts.of(corpus, self.tokenizer)
        return self.model.answers(documents)

    def describe(self) -> dict[str, Any]:
        """Learner, slots and facts, as JSON has them."""
        return {
            "learner": spell(self.learner, full=True), "slots": list(self.slots),
            "tokenizer": self.tokenizer, **self.facts, **self.model.describe(),
        }  # fmt: skip

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write it into a folder, which is made if it does not exist. Another model there is
        replaced; a folder with other files is refused.
        """
        import json

        path = Path(folder)
        _make_room(path)
        header = {"carob": __version__, **self.describe()}
        try:
            self.model.save(path)
            text = json.dumps(header, ensure_ascii=False, indent=1)
            (path / HEADER).write_text(text + "\n", encoding="utf-8", errors="surrogatepass")
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror or error}") from None

    def __str__(self) -> str:
        documents = many(int(self.facts.get("documents", 0)), "document")
        return f"{spell(self.learner, full=True)} for {', '.join(self.slots)}, from {documents}"

    __repr__ = __str__


def _make_room(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        empty = not any(folder.iterdir())
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from None
    if not empty and not (folder / HEADER).is_file():
        raise UsageError(f"{folder} has files and is no model; give another folder")


def learner_of(name: str | Learner, parameters: Mapping[str, Any] | None = None) -> Learner:
    """A learner from its name: `crf`, or with parameters, `crf(c1=0.1)`. `parameters` come beside,
    as values or as texts.

    >>> learner_of("rote", {"precision": "0.7"})
    Rote(precision=0.7)
    """
    made: Any = parse_learner(name) if isinstance(name, str) else name
    for key, value in (parameters or {}).items():
        made = replace(made, **{key: _parameter(made, key, value)})
    learner: Learner = made
    return learner


def _parameter(learner: Any, key: str, value: Any) -> Any:
    """The value of a parameter, from a text as the command line has it."""
    import shlex
    from typing import get_type_hints

    from carob.corpus.problems import nearest

    names = [each.name for each in fields(learner)]
    if key not in names:
        there = nearest(key, names) if names else "; it has none"
        raise UsageError(f"{learner.name} has no parameter {key!r}{there}")
    if not isinstance(value, str):
        return tuple(value) if isinstance(value, list) else value
    if "tuple" in str(get_type_hints(type(learner))[key]):
        try:
            return tuple(shlex.split(value))
        except ValueError as error:
            raise UsageError(f"{key}: {error}") from None
    try:
        made = parse_learner(f"{learner.name}({key}={value})")
    except UsageError as error:
        import json

        try:
            made = parse_learner(f"{learner.name}({key}={json.dumps(value, ensure_ascii=False)})")
        except UsageError:
            raise error from None  # it was no text without quotes, but a wrong value
    return getattr(made, key)


def train(
    learner: str | Learner,
    corpus: Readable | Examples,
    slots: Sequence[str] | None = None,
    *,
    seed: int = 0,
    tokenizer: str = "auto",
    unlabelled: Readable | None = None,
    parameters: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Trained:
    """Train a learner on a corpus whose mentions fill slots: the label of a mention is its slot.

    `slots` are by default all labels of the corpus. `unlabelled` are more documents, for learners
    that can use them. `options` go to `read`.

    >>> train("rote", Corpus.of("by [Ann Lee]who , with [Bo]who")).slots
    ('who',)
    """
    made = learner_of(learner, parameters)
    if not isinstance(corpus, Examples):
        if tokenizer not in ("auto", *TOKENIZERS):
            Texts.of(Corpus.of(), tokenizer)
        whole = corpus if isinstance(corpus, Corpus) else read(corpus, **(options or {}))
        corpus = Examples.of(whole, tokenizer)
    if unlabelled is not None:
        more = unlabelled if isinstance(unlabelled, Corpus) else read_inputs(unlabelled)
        corpus = replace(corpus, unlabelled=Texts.of(more, tokenizer))
    wanted = tuple(slots) if slots is not None else corpus.slots
    if not wanted:
        raise DataError("nothing is marked in these documents, so there is nothing to learn")
    if len(set(wanted)) < len(wanted):
        raise UsageError("a slot is named twice")
    corpus.spans(wanted)
    facts = {
        "seed": seed, "documents": len(corpus), "tokens": len(corpus.texts.start),
        "mentions": len(corpus.tokens), "moved": int(corpus.moved.sum()),
        "discontinuous": len(corpus.tokens.discontinuous),
    }  # fmt: skip
    return Trained(made, made.fit(corpus, wanted, seed), tokenizer, facts)


def load_model(folder: str | os.PathLike[str], *, programs: bool = False) -> Trained:
    """A model that `Trained.save` wrote. Its files are checked, and nothing in them is run.

    A model of the learner `command` runs a program when it answers; it is loaded only if
    `programs` says that this is wanted.
    """
    path = Path(folder)
    header = read_json(path / HEADER)

    def wrong(found: str, expected: str) -> InputError:
        return InputError([Problem("K911", str(path / HEADER), None, found, expected)])

    text, tokenizer = header.get("learner"), header.get("tokenizer")
    if not isinstance(text, str) or len(text) > 100_000:
        raise wrong(f"learner = {str(text)[:60]!r}", "a learner with its parameters")
    if tokenizer not in ("auto", *TOKENIZERS):
        raise wrong(f"tokenizer = {str(tokenizer)[:60]!r}", f"one of {', '.join(TOKENIZERS)}")
    try:
        learner = parse_learner(text)
    except CarobError as error:
        raise wrong(f"learner = {text[:60]!r}", f"a learner with its parameters: {error}") from None
    if hook(learner, "runs_programs") and not programs:
        raise UsageError(
            f"the model {path} runs a program: {text}; if you trust it, say so with --programs "
            "(programs=True)"
        )
    names = ("seed", "documents", "tokens", "mentions", "moved", "discontinuous")
    facts = {name: header[name] for name in names if isinstance(header.get(name), int)}
    return Trained(learner, learner.load(path), str(tokenizer), facts)


def predict(
    model: str | os.PathLike[str] | Trained,
    documents: Readable,
    out: str | os.PathLike[str],
    format: str | None = None,
    *,
    lossy: bool = False,
    programs: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Converted:
    """Let a model answer, and write the answers: by default in the format that `out` ends in, or
    else as jsonl. What the format cannot hold is refused, or left out and counted with `lossy`.

    >>> import tempfile
    >>> model = train("rote", Corpus.of("by [Ann]who , [Ann]who"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(predict(model, Corpus.of("Ann slept"), Path(folder) / "answers.jsonl"))
    wrote 1 document, 1 mention as jsonl
    """
    trained = model if isinstance(model, Trained) else load_model(model, programs=programs)
    corpus = (
        documents if isinstance(documents, Corpus) else read_inputs(documents, **(options or {}))
    )
    answers = trained.answers(corpus)
    if format is None:
        try:
            format = format_of_name(out, "--to")
        except UsageError:
            format = "jsonl"
    done = convert(answers, out, format, lossy=lossy)
    counts = {
        "grounded": ("answer", "located in the text by its words"),
        "ungrounded": ("answer", "not found in the text"),
        "unanswered": ("document", "left out by the program, without answers"),
    }
    notes = tuple(
        f"{many(answers.facts[key], what)} {how}"
        for key, (what, how) in counts.items() if answers.facts.get(key)
    )  # fmt: skip
    return replace(done, remarks=(*done.remarks, *notes))


def explained(name: str) -> str:
    """What a learner is, and its parameters with their defaults.

    >>> print(explained("rote").splitlines()[0])
    rote (learner)
    """
    import dataclasses
    import inspect

    cls = load_component("learn", name)
    text = inspect.cleandoc(cls.__doc__ or "")
    parameters = []
    for each in dataclasses.fields(cls):
        empty = each.default in (None, dataclasses.MISSING, (), "")
        value = spell(each.default) if hasattr(each.default, "name") else each.default
        value = str(value).lower() if isinstance(value, bool) else value
        parameters.append(each.name if empty else f"{each.name}={value}")
    lines = [f"{name} (learner)", "", text]
    lines += ["", f"parameters: {', '.join(parameters)}"] if parameters else []
    extra = hook(cls, "extra")
    lines += ["", f"needs, in a clone of carob: pip install '.[{extra}]'"] if extra else []
    return "\n".join(lines)

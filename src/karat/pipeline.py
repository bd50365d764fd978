"""The one module that knows the order: read, pair, count, measure."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from karat import registry, signature
from karat._version import __version__
from karat.formats._folder import read_files
from karat.nouns._tokens import Tokens
from karat.nouns._walk import ending
from karat.nouns.corpus import Corpus, Origin
from karat.nouns.errors import UsageError, nearest, plain
from karat.nouns.pair import Pair
from karat.nouns.scores import File, Score, Scores
from karat.nouns.source import Source
from karat.presets import defaults
from karat.recipe import Recipe, expand, spell
from karat.sampling import Drawing, Plan
from karat.scoring import Choices, scored

Readable = Corpus | str | os.PathLike[str]

_COMMON = ("conll", "jsonl")
"""Formats that are looked for first, so that the others need not be imported."""


def sniffed(source: Source) -> str:
    """The name of the format that a file, or the files of a folder, look like.

    A folder with .ann files is brat, and so is x.ann, and x.txt when x.ann is beside it.

    >>> sniffed(Source.of_bytes(b"Ann B-PER"))
    'conll'
    """
    if any(ending(name)[1] == ".ann" for name in source.files):
        return "brat"
    if source.is_folder:
        return _sniffed_folder(source)
    sure = _sureness(source)
    if not sure:
        raise source.failure("K002", "an empty file", "at least one document")
    best = max(sure, key=lambda name: sure[name])
    if sure[best] > 0:
        return best
    every = ", ".join(registry.names("formats"))
    raise source.failure("K006", "a file that looks like no known format", f"one of {every}")


def _sureness(source: Source) -> dict[str, float]:
    """How much a file looks like each format; plugins are asked when no other is sure."""
    head = source.head()
    if not head.strip():
        return {}
    if b"\0" in head and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise source.failure("K003", "a binary file", "a text file in UTF-8")
    sure: dict[str, float] = {}
    for name in (*_COMMON, *registry.builtin("formats")):
        if name not in sure:
            sure[name] = registry.load("formats", name).sniff(head)
        if sure[name] >= 0.9:
            return sure
    if max(sure.values()) < 0.5:
        for name in registry.plugins("formats"):
            sure[name] = registry.load("formats", name).sniff(head)
    return sure


def _sniffed_folder(source: Source) -> str:
    """The one format of all files that look like any; the others are taken for the same."""
    found: dict[str, Source] = {}
    unsure: dict[str, float] = {}
    for file in source.files.values():
        sure = _sureness(file)
        best = max(sure, key=lambda name: sure[name], default="")
        if best and sure[best] >= 0.5:
            found.setdefault(best, file)
        elif best:
            unsure[best] = max(sure[best], unsure.get(best, 0.0))
    if len(found) > 1:
        (one, first), (other, second) = list(found.items())[:2]
        raise source.failure(
            "K007", f"{other} in {second.name}, {one} in {first.name}", "files of one format",
            "say which it is, or keep them apart",
        )  # fmt: skip
    if found:
        return next(iter(found))
    if not unsure:
        what = "empty files" if source.files else "an empty folder"
        raise source.failure("K002", what, "at least one document")
    return max(unsure, key=lambda name: unsure[name])


def read(
    path: str | os.PathLike[str] | Source, format: str | None = None, **parameters: Any
) -> Corpus:
    """Read a corpus. The format is found by looking at the file unless it is given; what a format
    can be told (for conll: tag, token, scheme, repair, documents) are its parameters. The files
    of a folder are read as one corpus, in the order of their names.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dev.conll"
    ...     _ = file.write_text("Ann B-PER\\nslept O\\n")
    ...     read(file)[0].mentions
    (Mention('PER', 0, 1),)
    """
    source = path if isinstance(path, Source) else Source(path)
    name = sniffed(source) if format is None else format
    reader = told_format(name, parameters)
    if source.is_folder and not getattr(reader, "folders", False):
        corpus, said, facts = read_files(reader, source)
    else:
        corpus = Corpus.joined(reader.read(source))
        said, facts = reader.settled(corpus.facts)
        corpus = replace(corpus, library=reader.library(source, corpus.documents))
    origin = Origin(source.path, source.sha256, name, said)
    return replace(corpus, facts=facts, origin=origin)


def suited(source: Source, options: Mapping[str, Any]) -> dict[str, Any]:
    """The format of a file, and those options that it takes.

    >>> suited(Source.of_bytes(b"{}"), {"scheme": "iob2"})
    {'format': 'jsonl'}
    """
    name = options.get("format") or sniffed(source)
    known = {each.name for each in fields(registry.load("formats", name))}
    taken = {key: value for key, value in options.items() if key in known}
    return {"format": name} | taken


def write(
    corpus: Corpus, path: str | os.PathLike[str], format: str | None = None, **parameters: Any
) -> None:
    """Write a corpus, in the format that the file name ends in unless it is given.

    A format that has a file for each document writes them to a folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dev.conll"
    ...     write(Corpus.of("[Ann]PER slept"), file)
    ...     file.read_text()
    '-DOCSTART- O\\n\\nAnn B-PER\\nslept O\\n\\n'
    """
    name = format or _by_extension(Path(path))
    writer = told_format(name, parameters)
    try:
        _written(writer, corpus, path)
    except OSError as error:
        raise UsageError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from None


def told_format(name: str, parameters: Mapping[str, Any]) -> Any:
    """A format with its parameters; one that it does not have is refused in words."""
    cls = registry.load("formats", name)
    known = [each.name for each in fields(cls)]
    for key in parameters:
        if key not in known:
            there = nearest(key, known) if known else "; it has none"
            raise UsageError(f"the format {name} has no parameter {key!r}{there}")
    return cls(**parameters)


def _written(writer: Any, corpus: Corpus, path: str | os.PathLike[str]) -> None:
    if hasattr(writer, "write_folder") and (
        getattr(writer, "folders", False) or len(corpus) != 1 or Path(path).is_dir()
    ):
        writer.write_folder(corpus, Path(path))
        return
    out = io.BytesIO()
    writer.write(corpus, out)
    try:
        Path(path).write_bytes(out.getvalue())
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write {os.fspath(path)}: {said}") from None


def _by_extension(path: Path) -> str:
    for name in registry.builtin("formats"):
        if path.suffix.lower() in registry.load("formats", name).extensions:
            return name
    raise UsageError(f"no format ends in {path.suffix or path.name!r}; say which with format=")


def score(
    gold: Readable,
    system: Readable | Sequence[Readable] | Mapping[str, Readable],
    recipes: str | Recipe | Iterable[str | Recipe] | None = None,
    *,
    preset: str | None = None,
    labels: Sequence[str] | None = None,
    map: Mapping[str, str] | None = None,
    zero_division: str = "skip",
    extra_docs: str = "error",
    tokenizer: str = "auto",
    resamples: int = 1000,
    interval: str = "auto",
    seed: int = 0,
    resample_by: str = "document",
    strata: str | None = None,
    gold_options: Mapping[str, Any] | None = None,
    system_options: Mapping[str, Any] | None = None,
) -> Scores:
    """Score one or several systems against gold.

    Gold and systems are corpora or paths; several systems come as a list or by name. `recipes`
    are texts like "exact.F1@macro"; without them a table is scored, `preset`: `mentions`, or
    `nugget`, the default for tbf. `gold_options` and
    `system_options` go to `read`. Every score gets an interval from `resamples` of the documents
    (0: none; `interval` is auto, bca, percentile or jackknife-t), drawn from `seed`, by document
    or sentence, and within `strata` if an attribute of the documents is named. `tokenizer` cuts
    texts where characters are counted and a recipe needs tokens.

    >>> gold = Corpus.of("[Ann Lee]PER visited [Rome]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee visited [Rome]LOC .")
    >>> score(gold, system, "exact.F1").value
    0.5
    """
    chosen = Choices(tagset_of(labels), dict(map or {}), zero_division,
                     extra_docs, tokenizer)  # fmt: skip
    drawing = Drawing(resamples, interval, seed, resample_by, strata)
    run = prepared(gold, system, recipes, chosen, drawing, gold_options, system_options,
                   preset)  # fmt: skip
    found: list[Score] = []
    for name, pair in run.pairs.items():
        found += scored(pair, run.recipes, name, chosen, run.said[name], run.plan)
    return Scores(__version__, run.gold, run.counted(), tuple(found),
                  run.plan.remarks() + run.remarks)  # fmt: skip


def tagset_of(labels: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """The labels that were asked for, each once and in order; None for all there are.

    >>> tagset_of(["b", "a", "b"]), tagset_of("PER")
    (('a', 'b'), ('PER',))
    """
    if labels is None:
        return None
    return tuple(sorted({labels} if isinstance(labels, str) else set(labels)))


@dataclass(frozen=True)
class Run:
    """Files read and paired, and everything that was said about how."""

    gold: File
    files: Mapping[str, File]
    pairs: Mapping[str, Pair]
    said: Mapping[str, Mapping[str, str]]
    recipes: Sequence[Recipe]
    plan: Plan
    remarks: tuple[str, ...] = ()

    def counted(self) -> tuple[File, ...]:
        """The files of the systems, once everything is counted: then it is known what of them
        did not fall on tokens.
        """
        return tuple(
            replace(file, coverage=self.pairs[name].covered) for name, file in self.files.items()
        )


def prepared(
    gold: Readable,
    system: Readable | Sequence[Readable] | Mapping[str, Readable],
    recipes: str | Recipe | Iterable[str | Recipe] | None,
    chosen: Choices,
    drawing: Drawing,
    gold_options: Mapping[str, Any] | None = None,
    system_options: Mapping[str, Any] | None = None,
    preset: str | None = None,
    *,
    optional: bool = False,
) -> Run:
    """Read and pair."""
    wanted = None if recipes is None else _recipes(recipes)
    reference = as_corpus(gold, gold_options)
    if wanted is None:
        nuggets = reference.origin is not None and reference.origin.format == "tbf"
        table = preset or ("nugget" if nuggets else "mentions")
        wanted = defaults(table, list(reference.mentions.attributes))
    answers = {name: as_corpus(each, system_options) for name, each in named(system).items()}
    reference = reference.mapped(chosen.map)
    answers = {name: corpus.mapped(chosen.map) for name, corpus in answers.items()}
    tagset = chosen.labels or tuple(
        sorted({*reference.labels, *(label for each in answers.values() for label in each.labels)})
    )
    plan = Plan.of(reference.documents, drawing)
    files, pairs, said = {}, {}, {}
    tokens = Tokens(chosen.tokenizer)
    for name, answer in answers.items():
        pair = Pair.of(
            reference, answer, tagset, chosen.extra_docs, chosen.labels is not None, tokens
        )
        files[name], pairs[name] = _file(name, answer, pair), pair
        told = _said(reference, answer, pair, chosen, tagset, several=len(answers) > 1)
        said[name] = told | plan.said() | _hashes(reference, answer)
    remarks = _unmarked(chosen.labels, [reference, *answers.values()])
    if recipes is None or optional:
        wanted, impossible = possible(wanted, list(pairs.values()))
        remarks += impossible
    return Run(_file("gold", reference), files, pairs, said, wanted, plan, remarks)


def _unmarked(labels: Sequence[str] | None, corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """Labels that were asked for and that nobody has: a typing error, perhaps."""
    there = {label for corpus in corpora for label in corpus.labels}
    return tuple(
        f"no mention has the label {plain(label)}" for label in labels or () if label not in there
    )


def possible(
    recipes: Sequence[Recipe], pairs: Sequence[Pair]
) -> tuple[list[Recipe], tuple[str, ...]]:
    """Of recipes that nobody asked for by name, those that can be counted, and why others cannot.

    Documents may lack a length or a text, which some event spaces need.
    """
    plain_pairs = all(p.unit == "token" and not (p.documents.length < 0).any() for p in pairs)
    if plain_pairs:
        return list(recipes), ()
    why: dict[Any, str] = {}
    for space in dict.fromkeys(recipe.space for recipe in recipes):
        try:
            for pair in pairs:
                space(pair)
        except UsageError as error:
            why[space] = str(error)
    kept = [recipe for recipe in recipes if recipe.space not in why]
    if not kept:
        raise UsageError(next(iter(why.values())))
    return kept, tuple(f"{spell(space)} is left out: {told}" for space, told in why.items())


def _recipes(recipes: str | Recipe | Iterable[str | Recipe]) -> list[Recipe]:
    every = [recipes] if isinstance(recipes, (str, Recipe)) else list(recipes)
    found = [r for each in every for r in ([each] if isinstance(each, Recipe) else expand(each))]
    if not found:
        raise UsageError("give at least one recipe, for example exact.F1")
    return list(dict.fromkeys(found))


def as_corpus(given: Readable, options: Mapping[str, Any] | None = None) -> Corpus:
    """A corpus as it is, or the one that is read from a path."""
    if isinstance(given, Corpus):
        return given
    if not isinstance(given, (str, os.PathLike)):
        raise UsageError(f"a corpus or a path is needed, not {type(given).__name__}")
    return read(given, **(options or {}))


def named(system: Any) -> dict[str, Any]:
    """Systems by name: those of a mapping, else of their files."""
    if isinstance(system, Mapping):
        return dict(system)
    several = [system] if isinstance(system, (Corpus, str, os.PathLike)) else list(system)
    for each in several:
        if not isinstance(each, (Corpus, str, os.PathLike)):
            raise UsageError(f"a corpus or a path is needed, not {type(each).__name__}")
    stems = [_stem(each, i) for i, each in enumerate(several)]
    twice = len(set(stems)) < len(stems)
    names = [os.fspath(e) if twice and not isinstance(e, Corpus) else stems[i]
             for i, e in enumerate(several)]  # fmt: skip
    found: dict[str, Readable] = {}
    for name, each in zip(names, several, strict=True):
        if name in found:
            raise UsageError(f"two systems are called {name!r}; give them names: name=path")
        found[name] = each
    if not found:
        raise UsageError("give at least one system")
    return found


def _stem(system: Readable, place: int) -> str:
    if isinstance(system, Corpus):
        path = system.origin.path if system.origin else ""
        return Path(path).stem if path else ("system" if place == 0 else f"system-{place + 1}")
    stem = Path(system).name.removesuffix(".gz")
    return Path(stem).stem if stem != "-" else "stdin"


def _origin(corpus: Corpus) -> Origin:
    """Where a corpus came from; one that was made in memory is hashed as its jsonl."""
    if corpus.origin is not None:
        return corpus.origin
    out = io.BytesIO()
    registry.load("formats", "jsonl")().write(corpus, out)
    return Origin("", hashlib.sha256(out.getvalue()).hexdigest(), "memory")


def _file(name: str, corpus: Corpus, pair: Pair | None = None) -> File:
    origin = _origin(corpus)
    return File(
        name, origin.path, origin.sha256, len(corpus), len(corpus.mentions),
        pair.covered if pair else {}, pair.warnings if pair else (),
    )  # fmt: skip


def _said(
    gold: Corpus,
    system: Corpus,
    pair: Pair,
    chosen: Choices,
    tagset: Sequence[str],
    *,
    several: bool,
) -> dict[str, str]:
    """The part of the signature that does not depend on the recipe."""
    ours, theirs = _origin(gold), _origin(system)
    said = {"unit": pair.unit, "format": f"{ours.format}/{theirs.format}"}
    for key in dict.fromkeys([*ours.parameters, *theirs.parameters]):
        sides = [origin.parameters.get(key, "none") for origin in (ours, theirs)]
        once = key in ("repair", "documents") and (sides[0] == sides[1] or "none" in sides)
        said[key] = next(s for s in sides if s != "none") if once else "/".join(sides)
    # With a number for labels without items, the tagset of all systems together matters.
    listed = chosen.labels is not None or (several and chosen.zero is not None)
    return said | {
        "tokenizer": pair.tokenizer,
        "map": signature.words(f"{old}={new}" for old, new in chosen.map.items()) or "none",
        "labels": (signature.words(tagset) or "none") if listed else "union",
        "zero": chosen.zero_division,
        "extra": chosen.extra_docs,
    }


def _hashes(gold: Corpus, system: Corpus) -> dict[str, str]:
    """The files, which a signature names last."""
    sides = {"gold": _origin(gold), "system": _origin(system)}
    return {side: f"sha256={origin.sha256[:8]}" for side, origin in sides.items()}

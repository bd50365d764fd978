"""command: any program that learns and answers, as a learner."""

from __future__ import annotations

import difflib
import json
import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, UsageError, shown
from carob.pair.texts import Examples, Texts
from carob_lab.learn._answers import read_answers, write_texts
from carob_lab.learn._program import run_program, size_of
from carob_lab.learn.folder import read_folder, write_folder

PLACES: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "task", "model", "seed", "unlabelled"),
    "predict": ("input", "output", "model", "task"),
}
"""What may stand in braces in each of the two commands."""

NEEDED: Mapping[str, tuple[str, ...]] = {"train": ("train",), "predict": ("input", "output")}
"""What must."""

PROGRAM = "program"
"""The folder, in that of a model, that belongs to the program."""

_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Command:
    """Any program: it is run once to train, and once for each set of documents to answer.

    `train` and `predict` are the program with its arguments, and no shell is involved. In braces
    stand files: `{train}` has documents with their mentions, `{unlabelled}` more documents,
    `{task}` the slots, `{model}` is a folder for the program, `{input}` are documents to answer,
    `{output}` is where answers go; and `{seed}` is a number. Documents are carob's jsonl. `train`
    may be left out: some programs know already. The program runs in the current folder.

    An answer is a mention whose label is the slot, with `start` and `end`, or with a `text`, or
    with both. Ids, slots, places and texts are checked, line by line. A text without a place is
    located in the document; the counts `grounded` and `ungrounded` say how often that was done, and
    how often it failed. A document that is left out has no answers; `unanswered` counts those.

    A program is ended after `time_limit` seconds, or when it has printed or written `output_limit`
    bytes.

    >>> import sys
    >>> code = "import sys, json; d = json.loads(open(sys.argv[1]).readline()); d['mentions'] = "
    >>> code += "[{'label': 'who', 'text': 'Ann'}]; open(sys.argv[2], 'w').write(json.dumps(d))"
    >>> learner = Command(predict=(sys.executable, "-c", code, "{input}", "{output}"))
    >>> model = learner.fit(Examples.of(Corpus.of("[Bo]who")), ("who",), 0)
    >>> model.answers(Texts.of(Corpus.of({"text": "by Ann"})))[0].mentions
    (Mention('who', 3, 6),)
    """

    name: ClassVar[str] = "command"
    runs_programs: ClassVar[bool] = True
    own_features: ClassVar[bool] = True
    train: tuple[str, ...] = ()
    predict: tuple[str, ...] = ()
    time_limit: float = 3600
    output_limit: int = 1 << 30

    def __post_init__(self) -> None:
        for limit in ("time_limit", "output_limit"):
            value = getattr(self, limit)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise UsageError(f"command: found {limit}={value}, expected a number above 0")
        for what, names in PLACES.items():
            argv = getattr(self, what)
            if not isinstance(argv, tuple) or not all(isinstance(part, str) for part in argv):
                raise UsageError(f"command: found {what}={argv!r}, expected a list of texts")
            if argv and not argv[0]:
                raise UsageError(f"command: {what} names no program")
            present = {name for part in argv for name in _PLACE.findall(part)}
            for name in NEEDED[what] if argv else ():
                if name not in present:
                    raise UsageError(f"command: {what} has no {{{name}}} among its arguments")
            # Other braces are the program's own, unless they look like a slip.
            for name in sorted(present.difference(names)):
                if near := difflib.get_close_matches(name, names, 1, cutoff=0.75):
                    raise UsageError(
                        f"command: found {{{name}}} in {what}; did you mean {{{near[0]}}}?"
                    )

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> CommandModel:
        """Run the program `train`, if there is one."""
        if not self.predict:
            raise UsageError('command: predict is missing, as in predict = ["python", "mine.py", '
                             '"{model}", "{input}", "{output}"]')  # fmt: skip
        home = _Home()
        folder = home.folder
        model = CommandModel(slots, self, folder / PROGRAM, home)
        model.folder.mkdir()
        if self.train:
            unlabelled = examples.unlabelled
            write_texts(examples.texts, folder / "train.jsonl", _with_slots(examples.gold, slots))
            more = examples.texts.only(np.arange(0)) if unlabelled is None else unlabelled
            write_texts(more, folder / "unlabelled.jsonl")
            self.run("train", folder / PROGRAM, {
                "train": str(folder / "train.jsonl"), "model": str(model.folder),
                "unlabelled": str(folder / "unlabelled.jsonl"), "seed": str(seed),
                "task": _task(folder, slots, examples.texts),
            })  # fmt: skip
        return model

    def run(self, what: str, watched: Path, values: Mapping[str, str]) -> None:
        """Run one of the two programs, with values in place of braces."""

        def filled(part: str) -> str:
            return _PLACE.sub(lambda match: values.get(match[1], match[0]), part)

        argv = [filled(part) for part in getattr(self, what)]
        run_program(argv, f"command: {what}", time_limit=self.time_limit,
                    output_limit=self.output_limit, folder=watched)  # fmt: skip

    def load(self, folder: Path) -> CommandModel:
        """A model that was saved; it runs the program `predict` when it answers."""
        saved = read_folder(folder)
        slots = saved.slots()
        own = folder / PROGRAM
        if own.is_symlink() or not own.is_dir():
            raise saved.wrong("no such folder", "the folder of the program", PROGRAM)
        return CommandModel(slots, self, own.resolve())


class _Home:
    """A temporary folder that is there as long as this object."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="carob-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


def _with_slots(gold: Corpus, slots: tuple[str, ...]) -> Corpus:
    """Only what fills these slots: the others are not to be learned."""
    wanted = np.array([label in slots for label in gold.labels] + [False])
    rows = np.flatnonzero(wanted[gold.mentions.label])
    return replace(gold, mentions=gold.mentions.take(rows))


def _task(folder: Path, slots: tuple[str, ...], texts: Texts) -> str:
    path = folder / "task.json"
    task = {"slots": list(slots), "unit": texts.corpus.unit}
    path.write_text(json.dumps(task) + "\n", encoding="ascii")
    return str(path)


@dataclass(frozen=True, slots=True, eq=False)
class CommandModel:
    """The folder that a program wrote; `home` is the temporary folder it is in."""

    slots: tuple[str, ...]
    learner: Command
    folder: Path
    home: _Home | None = None

    def answers(self, texts: Texts) -> Corpus:
        """Run the program `predict`, and read its answers. It is given texts and nothing else."""
        with tempfile.TemporaryDirectory(prefix="carob-") as name:
            work = Path(name)
            output = work / "answers" / "answers.jsonl"
            output.parent.mkdir()
            write_texts(texts, work / "input.jsonl")
            self.learner.run("predict", output.parent, {
                "input": str(work / "input.jsonl"), "output": str(output),
                "model": str(self.folder), "task": _task(work, self.slots, texts),
            })  # fmt: skip
            if not output.is_file() or output.is_symlink():
                raise DataError("command: predict wrote no file with answers to {output}")
            return read_answers(output, texts, self.slots)

    def describe(self) -> Mapping[str, Any]:
        """Nothing is known of a program."""
        return {}

    def save(self, folder: Path) -> None:
        """Copy the folder of the program."""
        write_folder(folder, {"slots": list(self.slots)})
        target = folder / PROGRAM
        if target.exists() and target.resolve() == self.folder.resolve():
            return
        if size_of(self.folder, self.learner.output_limit) > self.learner.output_limit:
            limit = f"{self.learner.output_limit:,} bytes (output_limit)"
            raise DataError(f"command: the model of the program has more than {limit}")
        links = next((path for path in self.folder.rglob("*") if path.is_symlink()), None)
        if links is not None:
            raise DataError(f"command: the model of the program has a link, {shown(links.name)}")
        try:
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(self.folder, target)
        except (OSError, shutil.Error) as error:
            raise UsageError(f"cannot write {target}: {error}") from None

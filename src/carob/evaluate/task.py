"""The task definition: everything about an evaluation that must be explicit, in one file.

Lavelli et al. (2008), section 5, list what has to be: the corpus and its version, its partition,
the slots, the legal number of fillers of each, whether a filler may come in several realisations,
how strictly a match is judged, the tokens, and the scorer's way to count.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import (
    SHOWN,
    InputError,
    Problem,
    TaskError,
    UsageError,
    nearest,
    plain,
    shown,
)  # fmt: skip
from carob.corpus.source import Source
from carob.evaluate._fillers import Observed, Slot, Violation, violations
from carob.evaluate._task_file import Text, loaded
from carob.evaluate._task_recipes import official
from carob.evaluate.options import Options
from carob.pair.template_types import NAME_THEM, loose_labels, row_names, slot_labels, typed_as
from carob.recipe import Recipe

ALL = "all"
"""The part that every document belongs to."""


@dataclass(frozen=True)
class Task:
    """What is evaluated and how: the corpus, its slots, the official recipes, the parts.

    `part` is the one that is scored; None is all documents.
    """

    path: str
    sha256: str
    name: str
    version: str
    gold: str
    """The SHA-256 of the gold file."""
    documents: int
    slots: Mapping[str, Slot]
    recipes: tuple[Recipe, ...]
    match: str | None = None
    tokenizer: str = "auto"
    format: str | None = None
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    part: str | None = None
    text: Text | None = field(default=None, repr=False, compare=False)

    @classmethod
    def read(cls, path: str | os.PathLike[str] | Task, part: str | None = None) -> Task:
        """Read a task definition; `part` is the part of the corpus to score.

        By default it is the part `test` if there is one; `all` is every document.

        >>> import tempfile
        >>> from pathlib import Path
        >>> from carob.evaluate.draft import draft
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "task.toml"
        ...     _ = file.write_text(draft(Corpus.of("[Ann]PER slept")))
        ...     Task.read(file).slots
        {'PER': Slot(fillers='exactly one', realisations='one')}
        """
        if isinstance(path, Task):
            return path if part is None else replace(path, part=_part(path.parts, part, path.path))
        if not isinstance(path, (str, os.PathLike)):
            raise UsageError(f"a task is a path, not {type(path).__name__}")
        source = Source(path)
        file, values = loaded(source)
        corpus, scoring = values["corpus"], values["scoring"]
        match = scoring.get("match")
        recipes = official(file, scoring["recipes"], match)
        if file.problems:
            raise TaskError(file.problems)
        parts = {name: tuple(ids) for name, ids in values.get("parts", {}).items()}
        return cls(
            source.path, source.sha256, corpus["name"], corpus["version"], corpus["sha256"],
            corpus["documents"],
            {name: Slot(**slot) for name, slot in values["slots"].items()},
            recipes, match, scoring.get("tokenizer", "auto"), corpus.get("format"), parts,
            _part(parts, part, source.path), file,
        )  # fmt: skip

    def signature_fields(self) -> dict[str, str]:
        """What a signature says about the task."""
        return {"task": f"sha256={self.sha256[:8]}", "part": self.part or ALL}

    def to_dict(self) -> dict[str, object]:
        """As the JSON of a result has it."""
        return {
            "path": self.path, "sha256": self.sha256, "name": self.name, "version": self.version,
            "part": self.part or ALL,
        }  # fmt: skip

    def restrict(self, options: Options) -> Options:
        """Options with this task and what it says; a contradiction is refused."""
        labels = tuple(sorted(self.slots))
        if options.labels not in (None, labels):
            raise UsageError(
                f"labels {', '.join(map(plain, options.labels or ()))} contradict the task "
                f"{plain(self.path)}, whose slots are {', '.join(map(plain, labels))}; "
                "leave them out"
            )
        tokenizer = self.tokenizer if options.tokenizer == "auto" else options.tokenizer
        if self.tokenizer not in ("auto", tokenizer):
            raise UsageError(
                f"the tokenizer {tokenizer} contradicts the task {plain(self.path)}, "
                f"which says {self.tokenizer}; leave it out"
            )
        return replace(options, task=self, labels=labels, tokenizer=tokenizer)

    def unofficial(self, recipes: Sequence[Recipe]) -> tuple[str, ...]:
        """A remark for each recipe that is none of the task's."""
        return tuple(
            f"{recipe} is not an official recipe of the task {plain(self.name)}"
            for recipe in recipes
            if recipe not in self.recipes
        )

    def applied(
        self, gold: Corpus, systems: Mapping[str, Corpus]
    ) -> tuple[Corpus, dict[str, Corpus], Applied]:
        """Gold and systems, restricted to the part. Gold says where it came from.

        Gold must be the corpus that the task names, and nobody may have another slot than the
        task has, once types are such as gold can compare. Fillers that are too many or missing
        are reported.
        """
        self.check_gold(gold)
        for side, corpus in (("gold", gold), *systems.items()):
            if problems := self.strange(corpus, side, gold):
                raise InputError(problems)
        reference, answers = gold, dict(systems)
        remarks: list[str] = []
        if self.part is not None:
            reference, answers, remarks = self._parted(gold, systems, self.part)
        found = [*self.violations(reference, "gold")]
        for name, answer in answers.items():
            found += self.violations(answer, name, reference)
        return reference, answers, Applied(self, tuple(found), tuple(remarks))

    def violations(
        self, corpus: Corpus, name: str = "", gold: Corpus | None = None
    ) -> Sequence[Violation]:
        """Slots with more or fewer fillers than the task allows, as far as that can be seen."""
        return violations(self.typed(corpus, gold), self.slots, name)

    def typed(self, corpus: Corpus, gold: Corpus | None = None) -> Corpus:
        """A corpus with the types that gold can compare. Where gold is not at hand, templates that
        name no type are of the one that all slots of the task begin with.
        """
        if gold is not None:
            return typed_as(gold, corpus)
        kinds = {slot.partition(".")[0] for slot in self.slots}
        if len(kinds) > 1 or not all("." in slot for slot in self.slots):
            return corpus
        if {*slot_labels(corpus)} <= {*self.slots}:
            return corpus  # what the slots begin with may be a slot, with templates in it
        slots = {slot.partition(".")[2]: ["-"] for slot in self.slots}
        form = {"label": min(kinds), "slots": slots}
        return typed_as(Corpus.of({"templates": [form]}), corpus)

    def _parted(
        self, gold: Corpus, systems: Mapping[str, Corpus], part: str
    ) -> tuple[Corpus, dict[str, Corpus], list[str]]:
        """The documents of one part; what a system has of other parts is left out and told."""
        wanted = set(self.parts[part])
        others = {each for name, ids in self.parts.items() if name != part for each in ids}
        rows = _rows(gold.documents.id or (), wanted, inside=True)
        answers, remarks = {}, []
        for name, system in systems.items():
            taken = np.arange(len(system))
            if system.documents.id is not None:
                taken = _rows(system.documents.id, others, inside=False)
            elif len(system) == len(gold):
                taken = rows
            answers[name] = system.only(taken)
            if left := len(system) - len(taken):
                remarks.append(f"{plain(name)}: {_many(left, 'document')} of other parts than "
                               f"{plain(part)} left out")  # fmt: skip
        return gold.only(rows), answers, remarks

    def check_gold(self, gold: Corpus) -> None:
        """Refuse gold that is not the corpus of the task, or that is read in another way."""
        origin = gold.origin
        assert origin is not None, "a task is applied to what has a hash"
        file = origin.path or "gold"
        here, told = f"the task {plain(self.name)} {plain(self.version)}", plain(self.path)
        if origin.sha256 != self.gold:
            hint = (f"find the version that the task names, or, if gold was changed on purpose, "
                    f"give it a new version in {told}")  # fmt: skip
            raise InputError([
                Problem("K826", file, None, f"a file with sha256 {origin.sha256}",
                        f"that of {here}, sha256 {self.gold}", hint)
            ])  # fmt: skip
        hint = "the file is right: were the options for reading those of the task?"
        if self.format is not None and origin.format != self.format:
            expected = f"the format {plain(self.format)} of {here}"
            read_as = f"gold read as {origin.format}"
            raise InputError([Problem("K826", file, None, read_as, expected, hint)])
        if len(gold) != self.documents:
            expected, count = f"the {self.documents:,} of {here}", _many(len(gold), "document")
            raise InputError([Problem("K826", file, None, count, expected, hint)])
        self._check_parts(gold, file)

    def _check_parts(self, gold: Corpus, file: str) -> None:
        """Every document of gold is in a part, and every id in a part is one of gold."""
        if not self.parts:
            return
        if gold.documents.id is None:
            raise InputError([
                Problem("K824", file, None, "documents without ids",
                        f"ids, because {plain(self.path)}has parts")
            ])  # fmt: skip
        there = set(gold.documents.id)
        assert self.text is not None
        text = replace(self.text, problems=[])
        every = [(part, each) for part, ids in self.parts.items() for each in ids]
        for part, each in every:
            if each not in there:
                found = f"the document {shown(each)} in {plain(part)}"
                line = text.line_of(("parts", part), each)
                text.wrong("K824", (), found, f"a document of {plain(file)}", line=line)
        if text.problems:
            raise TaskError(text.problems)
        problems, total = self.homeless(gold, file)
        if problems:
            raise InputError(problems, total)

    def homeless(self, corpus: Corpus, file: str) -> tuple[list[Problem], int]:
        """A problem for each document that is in no part (the first ones), and how many are."""
        if not self.parts or corpus.documents.id is None:
            return [], 0
        parted = {each for ids in self.parts.values() for each in ids}
        rows = _rows(corpus.documents.id, parted, inside=False)
        there = ", ".join(map(plain, self.parts))
        problems = [
            Problem(
                "K824", corpus.file_name(file, row), int(corpus.documents.line[row]),
                f"the document {shown(corpus.documents.name(row))}",
                f"a document of a part of {plain(self.path)}: {there}",
            )
            for row in rows[:SHOWN].tolist()
        ]  # fmt: skip
        return problems, len(rows)

    def strange(self, corpus: Corpus, side: str, gold: Corpus | None = None) -> list[Problem]:
        """A problem for each label or slot that the task does not have, where it is first.

        Mentions that are fillers of templates are in the slots that they fill.
        """
        corpus = self.typed(corpus, gold)
        names = {*slot_labels(corpus)}
        if len(corpus.templates):
            names |= {*loose_labels(corpus)}
        else:  # a label may be one of mentions, too
            names = {row for label, row in zip(corpus.labels, row_names(corpus, None), strict=True)
                     if label not in self.slots}  # fmt: skip
        found = []
        for label in sorted(names - set(self.slots)):
            place = _first(corpus, label)
            if place is None:
                continue
            doc, line = place
            expected = f"a slot of the task {plain(self.name)}{nearest(label, list(self.slots))}"
            what = f"the slot {shown(label)} in document {shown(corpus.documents.name(doc))}"
            hint = NAME_THEM if any(slot.endswith(f".{label}") for slot in self.slots) else ""
            found.append(Problem("K827", corpus.file_name(side, doc), line, what, expected, hint))
        return found


@dataclass(frozen=True)
class Applied:
    """What came of applying a task: what it found, and what there is to say."""

    task: Task
    violations: tuple[Violation, ...]
    told: tuple[str, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Everything, for people."""
        return (*self.told, *map(str, self.violations))

    def to_dict(self) -> dict[str, object]:
        """As the JSON of a result has it."""
        return self.task.to_dict() | {"violations": [each.to_dict() for each in self.violations]}


def _part(parts: Mapping[str, object], part: str | None, path: str) -> str | None:
    if part is None:
        return "test" if "test" in parts else None
    if part == ALL:
        return None
    if part not in parts:
        there = nearest(part, [*parts, ALL])
        raise UsageError(f"no part of {plain(path)} is called {shown(part)}{there}")
    return part


def _rows(ids: Sequence[str], names: set[str], *, inside: bool) -> IntArray:
    return np.array([row for row, each in enumerate(ids) if (each in names) == inside], np.int64)


def _first(corpus: Corpus, label: str) -> tuple[int, int] | None:
    """The first document that has a label or slot, and the line; None if none has."""
    own = label
    if not len(corpus.templates):  # the label of mentions that count in a row
        own = dict(zip(row_names(corpus, None), corpus.labels, strict=True)).get(label, label)
    if own in corpus.labels:
        rows = np.flatnonzero(corpus.mentions.label == corpus.labels.index(own))
        if rows.size:
            row = int(rows[0])
            doc = int(corpus.mentions.doc[row])
            if corpus.library is not None:
                return doc, corpus.library.line(doc, int(corpus.mentions.start[row]))
            return doc, int(corpus.documents.line[doc])
    if label in slot_labels(corpus):
        docs = Observed(corpus).documents(label)
        if docs.size:
            return int(docs[0]), int(corpus.documents.line[docs[0]])
    return None


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"

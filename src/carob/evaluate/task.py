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
from carob.corpus.paths import keys_of
from carob.corpus.problems import (
    SHOWN,
    InputError,
    Problem,
    TaskError,
    UsageError,
    many,
    nearest,
    plain,
    shown,
)  # fmt: skip
from carob.corpus.source import Source
from carob.evaluate._fillers import Observed, Slot, Violation, violations
from carob.evaluate._task_file import load
from carob.evaluate.options import Options
from carob.evaluate.toml_file import TomlFile
from carob.pair.template_types import (
    NAME_THEM,
    loose_labels,
    paths_and_rows,
    row_names,
    slot_labels,
    typed_as,
    types_of,
)
from carob.recipe import Recipe
from carob.values.schema import Schema, Unknown
from carob.values.slot import TypedSlot

ALL = "all"
"""The part that every document belongs to."""


@dataclass(frozen=True, slots=True)
class EarlierVersion:
    """A version of the corpus before the one that the task is about."""

    version: str
    sha256: str
    documents: int | None = None
    note: str = ""


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
    versions: tuple[EarlierVersion, ...] = ()
    file: TomlFile | None = field(default=None, repr=False, compare=False)
    unknown: Unknown = "error"
    """What becomes of slots that the task does not have."""
    key: tuple[str, ...] = ()
    floor: float | None = None
    """How several records of a document are aligned."""

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
        ...     Task.read(file).slots["PER"].fillers
        'exactly one'
        """
        if isinstance(path, Task):
            return path if part is None else replace(path, part=_part(path.parts, part, path.path))
        if not isinstance(path, (str, os.PathLike)):
            raise UsageError(f"a task is a path, not {type(path).__name__}")
        source = Source(path)
        file, values, recipes = load(source)
        corpus, scoring = values["corpus"], values["scoring"]
        parts = {name: tuple(ids) for name, ids in values.get("parts", {}).items()}
        return cls(
            source.path, source.sha256, corpus["name"], corpus["version"], corpus["sha256"],
            corpus["documents"],
            {name: Slot.of(slot) for name, slot in values["slots"].items()},
            recipes, scoring.get("match"), scoring.get("tokenizer", "auto"),
            corpus.get("format"), parts, _part(parts, part, source.path),
            tuple(EarlierVersion(**each) for each in values.get("versions", ())), file,
            scoring.get("unknown", "error"),
            tuple(values.get("records", {}).get("key", ())), values.get("records", {}).get("floor"),
        )  # fmt: skip

    def schema(self, gold: Corpus) -> Schema | None:
        """The types of slots; None if no slot has one."""
        if not any(slot.typed for slot in self.slots.values()):
            return None
        slots = {
            name: slot.typed or TypedSlot(fillers=slot.fillers) for name, slot in self.slots.items()
        }
        return Schema.of(slots, types_of(gold) or {""}, self.unknown, self.key, self.floor)

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

    def apply(
        self, gold: Corpus, systems: Mapping[str, Corpus]
    ) -> tuple[Corpus, dict[str, Corpus], Applied]:
        """Gold and systems, restricted to the part. Gold must have an origin.

        Gold must be the corpus that the task names, and no file may have a slot that the task
        does not have, once its types are comparable with those of gold. Slots with too many
        fillers, or too few, are reported.
        """
        self.check_gold(gold)
        if self.unknown == "error":
            problems = self.unknown_slots(gold, "gold", gold)
            for name, corpus in systems.items():
                problems += self.unknown_slots(corpus, name, gold)
            if problems:
                raise InputError(problems)
        reference, answers = gold, dict(systems)
        remarks: list[str] = []
        if self.part is not None:
            reference, answers, remarks = self._only_part(gold, systems, self.part)
        every = [*self.violations(reference, "gold")]
        for name, answer in answers.items():
            every += self.violations(answer, name, reference)
        return reference, answers, Applied(self, tuple(every), tuple(remarks))

    def violations(
        self, corpus: Corpus, name: str = "", gold: Corpus | None = None
    ) -> Sequence[Violation]:
        """Slots with more or fewer fillers than the task allows, as far as that can be seen."""
        return violations(self.typed(corpus, gold), self.slots, name)

    def typed(self, corpus: Corpus, gold: Corpus | None = None) -> Corpus:
        """A corpus with types that are comparable with those of gold. Without gold, templates
        that name no type have the one that all slots of the task begin with.
        """
        if gold is not None:
            return typed_as(gold, corpus)
        kinds = {slot.partition(".")[0] for slot in self.slots}
        if len(kinds) > 1 or not all("." in slot for slot in self.slots):
            return corpus
        if {*slot_labels(corpus)} <= {*self.slots}:
            return corpus  # what the slots begin with may be a slot that holds templates
        slots = {slot.partition(".")[2]: ["-"] for slot in self.slots}
        form = {"label": min(kinds), "slots": slots}
        return typed_as(Corpus.of({"templates": [form]}), corpus)

    def only_part(self, inputs: Corpus, answer: Corpus) -> tuple[Corpus, Corpus]:
        """The documents of the part that is scored, of the inputs and of an answer to them."""
        if self.part is None:
            return inputs, answer
        kept, answers, _ = self._only_part(inputs, {"": answer}, self.part)
        return kept, answers[""]

    def _only_part(
        self, gold: Corpus, systems: Mapping[str, Corpus], part: str
    ) -> tuple[Corpus, dict[str, Corpus], list[str]]:
        """The documents of one part. A remark says how many a system has of other parts."""
        wanted = set(self.parts[part])
        others = {each for name, ids in self.parts.items() if name != part for each in ids}
        rows = _rows(gold.documents.id or (), wanted, inside=True)
        answers, remarks = {}, []
        for name, system in systems.items():
            kept = np.arange(len(system))
            if system.documents.id is not None:
                kept = _rows(system.documents.id, others, inside=False)
            elif len(system) == len(gold):
                kept = rows
            answers[name] = system.only(kept)
            if left := len(system) - len(kept):
                remarks.append(f"{plain(name)}: {many(left, 'document')} of other parts than "
                               f"{plain(part)} left out")  # fmt: skip
        return gold.only(rows), answers, remarks

    def check_gold(self, gold: Corpus) -> None:
        """Refuse gold that is not the corpus of the task, or that is read in another way."""
        origin = gold.origin
        assert origin is not None, "a task is applied to a corpus that has a hash"
        file = origin.path or "gold"
        task = f"the task {plain(self.name)} {plain(self.version)}"
        hint = "the file is right: were the options for reading those of the task?"
        found = expected = ""
        if origin.sha256 != self.gold:
            found = f"a file with sha256 {origin.sha256}"
            expected = f"that of {task}, sha256 {self.gold}"
            hint = (f"find the version that the task names, or, if gold was changed on purpose, "
                    f"give it a new version in {plain(self.path)}")  # fmt: skip
            for earlier in self.versions:
                if earlier.sha256 == origin.sha256:
                    found = f"version {plain(earlier.version)}, sha256 {origin.sha256}"
                    hint = "it is an earlier version; carob diff shows what has changed since"
        elif self.format is not None and origin.format != self.format:
            found, expected = f"gold read as {origin.format}", f"the format {plain(self.format)}"
            expected += f" of {task}"
        elif len(gold) != self.documents:
            found, expected = many(len(gold), "document"), f"the {self.documents:,} of {task}"
        if found:
            raise InputError([Problem("K826", file, None, found, expected, hint)])
        self._check_parts(gold, file)

    def _check_parts(self, gold: Corpus, file: str) -> None:
        """Every document of gold is in a part, and every id in a part is one of gold."""
        if not self.parts:
            return
        if gold.documents.id is None:
            expected = f"ids, because {plain(self.path)} has parts"
            raise InputError([Problem("K824", file, None, "documents without ids", expected)])
        assert self.file is not None
        text = replace(self.file, problems=[])
        known = set(gold.documents.id)
        for part, each in ((part, each) for part, ids in self.parts.items() for each in ids):
            if each not in known:
                found = f"the document {shown(each)} in {plain(part)}"
                line = text.line_of(("parts", part), each)
                text.wrong("K824", (), found, f"a document of {plain(file)}", line=line)
        if text.problems:
            raise TaskError(text.problems)
        problems, total = self.without_part(gold, file)
        if problems:
            raise InputError(problems, total)

    def without_part(self, corpus: Corpus, file: str) -> tuple[list[Problem], int]:
        """A problem for each of the first documents that are in no part, and how many there are."""
        if not self.parts or corpus.documents.id is None:
            return [], 0
        parted = {each for ids in self.parts.values() for each in ids}
        rows = _rows(corpus.documents.id, parted, inside=False)
        parts = ", ".join(map(plain, self.parts))
        problems = [
            Problem(
                "K824", corpus.file_name(file, row), int(corpus.documents.line[row]),
                f"the document {shown(corpus.documents.name(row))}",
                f"a document of a part of {plain(self.path)}: {parts}",
            )
            for row in rows[:SHOWN].tolist()
        ]  # fmt: skip
        return problems, len(rows)

    def unknown_slots(self, corpus: Corpus, side: str, gold: Corpus | None = None) -> list[Problem]:
        """A problem for each label or slot that the task does not have, at its first place.

        Mentions that are fillers of templates belong to the slots that they fill.
        """
        corpus = self.typed(corpus, gold)
        names = {*slot_labels(corpus)}
        if any(slot.typed is not None for slot in self.slots.values()):
            names = {*row_names(corpus, paths_and_rows(corpus.templates)[1])}
        if len(corpus.templates):
            names |= {*loose_labels(corpus)}
        else:  # a label may be one of mentions, too
            names = {row for label, row in zip(corpus.labels, row_names(corpus, None), strict=True)
                     if label not in self.slots}  # fmt: skip
        problems = []
        values = tuple(
            f"{name}."
            for name, slot in self.slots.items()
            if slot.typed is not None and slot.typed.type != "object"
        )  # a value may be written as an object
        names = {name for name in names if not name.startswith(values)}
        for label in sorted(names - set(self.slots)):
            if (place := _first_place(corpus, ".".join(keys_of(label)))) is None:
                continue
            doc, line = place
            expected = f"a slot of the task {plain(self.name)}{nearest(label, list(self.slots))}"
            what = f"the slot {shown(label)} in document {shown(corpus.documents.name(doc))}"
            hint = NAME_THEM if any(slot.endswith(f".{label}") for slot in self.slots) else ""
            file = corpus.file_name(side, doc)
            problems.append(Problem("K827", file, line, what, expected, hint))
        return problems


@dataclass(frozen=True)
class Applied:
    """What applying a task to files has shown."""

    task: Task
    violations: tuple[Violation, ...]
    left_out: tuple[str, ...]
    """A remark for each system that has documents of other parts."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Everything, in words."""
        return (*self.left_out, *map(str, self.violations))

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


def _first_place(corpus: Corpus, label: str) -> tuple[int, int] | None:
    """The first document with a label or slot, and the line; None if there is none."""
    own = label
    if not len(corpus.templates):  # the label of mentions that count in a row
        own = dict(zip(row_names(corpus, None), corpus.labels, strict=True)).get(label, label)
    if own in corpus.labels:
        rows = np.flatnonzero(corpus.mentions.label == corpus.labels.index(own))
        if rows.size:
            return int(corpus.mentions.doc[rows[0]]), line_of_mention(corpus, int(rows[0]))
    if label in slot_labels(corpus):
        docs = Observed(corpus).documents(label)
        if docs.size:
            return int(docs[0]), int(corpus.documents.line[docs[0]])
    return None


def line_of_mention(corpus: Corpus, row: int) -> int:
    """The line on which a mention starts, or that of its document."""
    return corpus.line(int(corpus.mentions.doc[row]), int(corpus.mentions.start[row]))

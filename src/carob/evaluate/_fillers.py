"""How many fillers the slots of a corpus have, and where that is not what a task allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.paths import keys_of
from carob.corpus.problems import plain
from carob.corpus.tables import UNKNOWN, Codes
from carob.pair.filled import FilledPair, filled
from carob.values.slot import TypedSlot, typed_slot


@dataclass(frozen=True, slots=True)
class Slot:
    """What a task says of a slot: how many fillers it has, and in how many forms each may come."""

    fillers: str = "any"
    realisations: str = "many"
    typed: TypedSlot | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Slot:
        """The slot that a table of a task describes."""
        if "type" not in values and set(values) <= {"fillers", "realisations"}:
            return cls(**values)
        slot, _ = typed_slot(values)
        return cls(slot.fillers, values.get("realisations", "many"), slot)


@dataclass(frozen=True, slots=True)
class Violation:
    """A slot that has more or fewer fillers than the task allows.

    >>> print(Violation("gold", "speaker", "at most one", 12, "d7", 1))
    gold: speaker: 12 documents with more than one filler, the first is d7; the task allows at
    most one
    """

    file: str
    slot: str
    fillers: str
    documents: int
    first: str
    line: int
    empty: bool = False
    path: str = ""
    """The file of the first document, if it is known."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "file": self.file, "slot": self.slot, "allowed": self.fillers,
            "found": "none" if self.empty else "more than one", "documents": self.documents,
            "first": self.first,
        }  # fmt: skip

    @property
    def sentence(self) -> str:
        """The violation in words, without the file."""
        slot, first = plain(self.slot), plain(self.first)
        if self.documents == 1:
            how = "no filler" if self.empty else "more than one filler"
            return f"{slot}: {how} in document {first}"
        how = "without a filler" if self.empty else "with more than one filler"
        return f"{slot}: {self.documents:,} documents {how}, the first is {first}"

    def __str__(self) -> str:
        return f"{plain(self.file)}: {self.sentence}; the task allows {self.fillers}"


@dataclass(slots=True, eq=False)
class Counts:
    """The smallest and largest number of fillers of one slot, in each template that can have it.

    Fillers without a text may all be one, or all be different.
    """

    doc: IntArray
    least: IntArray
    most: IntArray
    """The same folded text twice is one filler."""


class Observed:
    """The slots of a corpus, counted template by template.

    A template can have a slot if the slot's name is the template's path and one more word. Mentions
    fill one template for each document.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        nothing = Corpus.of()
        self._pair: FilledPair = filled(corpus, nothing, np.empty(0, np.int32))
        self._paths = _paths(corpus)

    def counts(self, slot: str, *, texts: bool = True) -> Counts:
        """How many fillers a slot has in each template that can have it.

        Without `texts`, any number of fillers counts as one.
        """
        side = self._pair.gold
        size = len(side.forms)
        rows = self._rows(slot)
        nested = self._nested(slot)
        there = np.zeros(size, bool)
        there[side.template[rows]] = there[nested] = True
        least = most = there.astype(np.int64)
        if texts:
            needed = rows[~side.optional[rows]]
            own = side.template[needed].astype(np.int64)
            text = self._pair.texts.gold[side.realisations[needed]].astype(np.int64)
            known = text != UNKNOWN
            width = 1 + int(text.max(initial=0))
            different = np.unique(own[known] * width + text[known]) // width
            certain = np.bincount(np.append(different, nested), minlength=size)
            least = np.maximum(least, certain)
            most = np.maximum(most, certain + np.bincount(own[~known], minlength=size))
        home = self._home(slot, there)
        return Counts(side.forms.doc[home], least[home], most[home])

    def documents(self, slot: str) -> IntArray:
        """The document of each filler of a slot."""
        return np.sort(self._pair.gold.doc[self._rows(slot)])

    def _rows(self, slot: str) -> IntArray:
        """The fillers of a slot."""
        slot = _label_of(slot)
        if slot not in self._pair.labels:
            return np.empty(0, np.int64)
        return np.flatnonzero(self._pair.gold.label == self._pair.labels.index(slot))

    def _home(self, slot: str, there: BoolArray) -> IntArray:
        """The templates that can have a slot: those at the path in its name, and those at paths
        where it was seen (a slot's own name may contain dots).
        """
        if not len(self.corpus.templates):
            return np.arange(len(there))
        path = ".".join(keys_of(slot)[:-1])
        codes = {*self._paths.codes[there].tolist()}
        codes |= {self._paths.values.index(path)} if path in self._paths.values else set()
        return np.flatnonzero(np.isin(self._paths.codes, list(codes)))

    def _nested(self, slot: str) -> IntArray:
        """The template around each template that fills the slot."""
        slot = _label_of(slot)
        if slot not in self._paths.values:
            return np.empty(0, np.int64)
        here = self._paths.codes == self._paths.values.index(slot)
        parent: IntArray = self._pair.gold.forms.parent[here].astype(np.int64)
        inner: IntArray = parent[parent != UNKNOWN]
        return inner


def _label_of(path: str) -> str:
    """The label of the fillers at a path, which has no backslashes before the dots of keys."""
    return ".".join(keys_of(path))


def _paths(corpus: Corpus) -> Codes:
    """The path of each template: its type at the top, then the slots that lead to it."""
    table = corpus.templates
    if not len(table):
        return Codes(np.zeros(len(corpus), np.int32), ("",))
    names: list[str] = []
    for row, parent in enumerate(table.parent.tolist()):
        before, word = (
            ("", table.label[row]) if parent == UNKNOWN else (names[parent], table.slot[row])
        )
        names.append(".".join(part for part in (before, word) if part))
    return Codes.of(names)


def violations(corpus: Corpus, slots: Mapping[str, Slot], file: str) -> Sequence[Violation]:
    """Every slot that certainly has more or fewer fillers than allowed.

    With `realisations = "one"` different texts are different fillers. With "many" they may all be
    one filler, so that only an empty slot is certain.
    """
    limited = {name: slot for name, slot in slots.items() if slot.fillers != "any"}
    if not limited or not len(corpus):
        return ()
    observed = Observed(corpus)
    every = []
    for name, slot in sorted(limited.items()):
        texts = slot.realisations == "one"
        counts = observed.counts(name, texts=texts)
        wrong = [(counts.least > 1, False)] if texts and slot.fillers != "at least one" else []
        wrong += [(counts.most == 0, True)] if slot.fillers != "at most one" else []
        for rows, empty in wrong:
            docs = np.unique(counts.doc[rows])
            if docs.size:
                first = int(docs[0])
                every.append(
                    Violation(
                        file, name, slot.fillers, len(docs), corpus.documents.name(first),
                        int(corpus.documents.line[first]), empty, corpus.file_name("", first),
                    )
                )  # fmt: skip
    return tuple(every)

"""How many fillers the slots of a corpus have, and where that is not what a task allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import plain
from carob.corpus.tables import UNKNOWN, Codes
from carob.pair.filled import FilledPair, filled


@dataclass(frozen=True, slots=True)
class Slot:
    """What a task says of a slot: how many fillers it has, and in how many forms each may come."""

    fillers: str = "any"
    realisations: str = "many"


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
    def told(self) -> str:
        """What was found, without the file."""
        if self.documents == 1:
            how = "no filler" if self.empty else "more than one filler"
            return f"{plain(self.slot)}: {how} in document {plain(self.first)}"
        how = "without a filler" if self.empty else "with more than one filler"
        return (
            f"{plain(self.slot)}: {self.documents:,} documents {how}, "
            f"the first is {plain(self.first)}"
        )

    def __str__(self) -> str:
        return f"{plain(self.file)}: {self.told}; the task allows {self.fillers}"


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """The fillers of one slot in each template that can have it, least and most.

    Fillers whose text nobody knows may all be one, or all be different.
    """

    doc: IntArray
    least: IntArray
    most: IntArray
    """How many different fillers there can be; the same folded text twice is one."""


class Observed:
    """The slots of a corpus, counted template by template.

    A template has a slot if the slot's name is the template's path and one word more. A corpus of
    mentions is one template a document.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        nothing = Corpus.of()
        self._pair: FilledPair = filled(corpus, nothing, np.empty(0, np.int32))
        self._paths = _paths(corpus)

    def counts(self, slot: str, *, texts: bool = True) -> Counts:
        """How many fillers a slot has in each template that can have it.

        Without `texts`, only whether there is any is looked at.
        """
        side = self._pair.gold
        size = len(side.forms)
        known = slot in self._pair.labels
        rows = np.flatnonzero(side.label == self._pair.labels.index(slot)) if known else _NONE
        nested = self._nested(slot)
        there = np.zeros(size, bool)
        there[side.template[rows]] = there[nested] = True
        least = most = there.astype(np.int64)
        if texts:
            needed = rows[~side.optional[rows]]
            own = side.template[needed]
            inner = np.bincount(nested, minlength=size)
            crowded = np.bincount(own, minlength=size) + inner > 1
            different, silent = self._different(needed[crowded[own]])
            least = np.maximum(least, different + inner)
            most = np.maximum(most, different + silent + inner)
        home = self._home(slot, there)
        return Counts(side.forms.doc[home], least[home], most[home])

    def documents(self, slot: str) -> IntArray:
        """The documents in which a slot has a filler, as often as it has."""
        side = self._pair.gold
        if slot not in self._pair.labels:
            return _NONE
        return np.sort(side.doc[side.label == self._pair.labels.index(slot)])

    def _home(self, slot: str, there: BoolArray) -> IntArray:
        """The templates that can have a slot: those at the place that its name tells, and at
        places where it was seen (a name with dots of its own does not tell).
        """
        if not len(self.corpus.templates):
            return np.arange(len(there))
        path, _, _ = slot.rpartition(".")
        codes = {*self._paths.codes[there].tolist()}
        codes |= {self._paths.values.index(path)} if path in self._paths.values else set()
        return np.flatnonzero(np.isin(self._paths.codes, list(codes)))

    def _nested(self, slot: str) -> IntArray:
        """The templates in which another one fills the slot, as often as one does."""
        if slot not in self._paths.values:
            return _NONE
        here = self._paths.codes == self._paths.values.index(slot)
        parent: IntArray = self._pair.gold.forms.parent[here].astype(np.int64)
        inner: IntArray = parent[parent != UNKNOWN]
        return inner

    def _different(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """In each template, how many different texts these fillers have, and how many have none."""
        side = self._pair.gold
        size = len(side.forms)
        if not rows.size:
            return np.zeros(size, np.int64), np.zeros(size, np.int64)
        text = self._pair.texts.gold[side.realisations[rows]].astype(np.int64)
        own = side.template[rows].astype(np.int64)
        known = text != UNKNOWN
        width = 1 + int(text.max(initial=0))
        pairs = np.unique(own[known] * width + text[known])
        return np.bincount(pairs // width, minlength=size), np.bincount(own[~known], minlength=size)


_NONE = np.empty(0, np.int64)


def _paths(corpus: Corpus) -> Codes:
    """Where each template stands: its type at the top, then the slots that lead to it."""
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
    """Every slot that has more or fewer fillers than allowed, as far as that can be seen.

    With `realisations = "one"` different texts are different fillers. With "many" they may all be
    one filler, so that only an empty slot can be told.
    """
    limited = {name: slot for name, slot in slots.items() if slot.fillers != "any"}
    if not limited or not len(corpus):
        return ()
    observed = Observed(corpus)
    found = []
    for name, slot in sorted(limited.items()):
        texts = slot.realisations == "one"
        counts = observed.counts(name, texts=texts)
        odd = [(counts.least > 1, False)] if texts and slot.fillers != "at least one" else []
        odd += [(counts.most == 0, True)] if slot.fillers != "at most one" else []
        for rows, empty in odd:
            docs = np.unique(counts.doc[rows])
            if docs.size:
                first = int(docs[0])
                found.append(
                    Violation(
                        file, name, slot.fillers, len(docs), corpus.documents.name(first),
                        int(corpus.documents.line[first]), empty, corpus.file_name("", first),
                    )
                )  # fmt: skip
    return tuple(found)

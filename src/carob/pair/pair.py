"""Pair: gold and system, document by document, on one vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.arrays.join import join, packed
from carob.arrays.overlaps import Overlaps, overlaps
from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.corpus.tables import Documents, Mentions
from carob.pair.tokens import Borders, Tokens

if TYPE_CHECKING:
    from carob.pair.filled import FilledPair


@dataclass(frozen=True, eq=False)
class Pair:
    """What an event space counts. `coverage` accounts for everything that was read.

    >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
    >>> pair.labels, pair.size
    (('LOC', 'PER'), 1)
    """

    gold: Mentions
    system: Mentions
    labels: tuple[str, ...]
    documents: Documents
    unit: str
    coverage: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    tokenizer: str = "none"
    borders: Callable[[], Borders] | None = field(default=None, repr=False, compare=False)
    slots: Callable[[], FilledPair] | None = field(default=None, repr=False, compare=False)

    @property
    def size(self) -> int:
        """How many documents there are."""
        return len(self.documents)

    @cached_property
    def in_tokens(self) -> Pair:
        """The same pair in tokens, row for row; itself if positions are tokens already.

        Mentions that do not begin and end at token boundaries cover every token that they touch,
        and are counted in the coverage as `unaligned`.

        >>> gold = Corpus.of(
        ...     {"text": "Ann Lee", "mentions": [{"start": 1, "end": 5, "label": "P"}]}
        ... )
        >>> tokens = Pair.of(gold, gold).in_tokens
        >>> tokens.gold.start, tokens.gold.end, tokens.coverage["unaligned"]
        (array([0], dtype=int32), array([2], dtype=int32), 2)
        """
        if self.unit == "token":
            return self
        if self.borders is None:
            raise UsageError("this event space counts tokens, and these corpora count characters")
        tokens = self.borders()
        (gold, odd), (system, others) = tokens.snapped(self.gold), tokens.snapped(self.system)
        return replace(
            self,
            gold=gold,
            system=system,
            documents=tokens.documents(self.documents),
            unit="token",
            coverage={**self.coverage, "unaligned": odd + others},
        )

    @cached_property
    def filled(self) -> FilledPair:
        """The slots of both sides and what fills them: templates, or mentions by their label.

        >>> pair = Pair.of(Corpus.of("[Ann]who slept"), Corpus.of("[Ann]who slept"))
        >>> pair.filled.labels, pair.filled.texts.values
        (('who',), ('ann',))
        """
        if self.slots is None:
            raise UsageError("this pair was built from mentions only and has no slots")
        return self.slots()

    @property
    def covered(self) -> Mapping[str, int]:
        """The coverage; if anything counted tokens, with the mentions moved onto tokens; if
        anything counted fillers, with those left out or not found in the text.

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> pair.covered["unaligned"]
        0
        """
        seen: Pair = self.__dict__.get("in_tokens", self)
        slots: FilledPair | None = self.__dict__.get("filled")
        if slots is None or "gold_fillers" not in self.coverage:
            return seen.coverage
        found = {**seen.coverage, "ignored": seen.coverage["ignored"] + slots.ignored}
        # Otherwise no recipe needed the places of fillers, or none can be checked.
        if "grounded" in slots.__dict__ and not slots.unread:
            found["ungrounded"] = int(np.count_nonzero(slots.ungrounded))
        return found

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """The warnings; if anything counted fillers, also how their types were adjusted.

        >>> Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept")).all_warnings
        ()
        """
        slots: FilledPair | None = self.__dict__.get("filled")
        return self.warnings if slots is None else (*self.warnings, *slots.remarks)

    @cached_property
    def overlaps(self) -> Overlaps:
        """Which gold and system mentions share positions, computed once for all event spaces.

        >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]LOC Lee slept"))
        >>> pair.overlaps.shared, pair.overlaps is pair.overlaps
        (array([1]), True)
        """
        return overlaps(self.gold, self.system)

    @cached_property
    def remembered(self) -> dict[Hashable, Any]:
        """What event spaces have computed and share, such as the alignment.

        >>> Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept")).remembered
        {}
        """
        return {}

    def cells(self, side: str) -> IntArray:
        """For each mention of a side the number of its cell, that is document and label."""
        if ("cells", side) not in self.remembered:
            table: Mentions = getattr(self, side)
            # NumPy 1 keeps int32 when a column is multiplied by a number, and overflows.
            doc = table.doc.astype(np.int64)
            self.remembered["cells", side] = doc * len(self.labels) + table.label
        found: IntArray = self.remembered["cells", side]
        return found

    def keys(self, *, label: bool) -> tuple[IntArray, IntArray]:
        """One number for each mention, equal if document, fragments (and label) are equal.

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> [bool((a == b).all()) for a, b in (pair.keys(label=True), pair.keys(label=False))]
        [False, True]
        """
        if label:
            ours, theirs = self.keys(label=False)
            return packed([ours, self.gold.label], [theirs, self.system.label])
        if "keys" not in self.remembered:
            sides = (self.gold, self.system)
            columns = [[table.doc, table.start, table.first_end] for table in sides]
            if any(table.fragments is not None for table in sides):
                for column, tail in zip(columns, _tails(*sides), strict=True):
                    column.append(tail)
            self.remembered["keys"] = packed(*columns)
        found: tuple[IntArray, IntArray] = self.remembered["keys"]
        return found

    @cached_property
    def identical(self) -> tuple[IntArray, IntArray]:
        """The mentions with equal document, fragments and label, one-to-one."""
        return join(*self.keys(label=True))

    @classmethod
    def of(
        cls,
        gold: Corpus,
        system: Corpus,
        labels: Sequence[str] | None = None,
        extra: str = "error",
        only: bool = False,
        tokenizer: str | Tokens = "auto",
        slots: Sequence[str] | None = None,
    ) -> Pair:
        """Pair documents by id, or by place if a side has no ids; then the words must agree.

        `labels` is the tagset; with `only`, mentions with other labels are left out and counted.
        `extra` says how to treat a system document that gold lacks: `error` or `ignore`.
        `tokenizer` turns characters into tokens if something counts tokens. `slots` are the rows of
        fillers; without them, `labels` (with `only`) are.
        """
        tokens = Tokens(tokenizer) if isinstance(tokenizer, str) else tokenizer
        from carob.pair._pairing import paired

        return paired(cls, gold, system, labels, extra, only, tokens, slots)


def _tails(gold: Mentions, system: Mentions) -> tuple[IntArray, IntArray]:
    """A code for the fragments after the first, 0 for none, the same on both sides."""
    seen: dict[object, int] = {}
    codes = []
    for table in (gold, system):
        code = np.zeros(len(table), np.int32)
        for row in table.discontinuous.tolist():
            code[row] = seen.setdefault(table.fragments_of(row)[1:], len(seen) + 1)
        codes.append(code)
    return codes[0], codes[1]

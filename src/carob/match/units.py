"""Units as events: tokens, and (ts) the separators between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from carob.arrays.cover import Stretches, cover, lengths
from carob.arrays.ranges import place_in_group
from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import DataError, RecipeError, shown
from carob.corpus.tables import Documents, Mentions, int32
from carob.counts.events import Events
from carob.match._recipe_files import HEAVIEST, Weights
from carob.pair.pair import Pair

_TP, _FP, _FN = range(3)

_MARKED: Mapping[str, Mapping[str, float]] = {
    "gold_right": {"tp": 1},
    "gold_all": {"tp": 1, "fn": 1},
    "system_right": {"tp": 1},
    "system_all": {"tp": 1, "fp": 1},
}
_EVERYTHING: Mapping[str, Mapping[str, float]] = {
    **_MARKED,
    "tn": {"total": 1, "tp": -1, "fp": -1, "fn": -1},
    "total": {"total": 1},
}

_FINEST = 1 << 20
"""Weights of separators that are whole numbers of this part of 1 add up exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Units:
    """What `ts` and `token` have in common."""

    name: ClassVar[str]
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    symmetric: ClassVar[bool] = True
    outcomes: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn")
    token_weights: str | None = None
    supertag: str | None = None
    instances: Literal["set", "count"] = "set"
    weights: Weights | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        # Weights are read once; an empty word is none.
        weights = Weights.of(self.token_weights) if self.token_weights else None
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "token_weights", weights and weights.path)
        object.__setattr__(self, "supertag", self.supertag or None)
        if self.instances not in ("set", "count"):
            raise RecipeError(f"instances is set or count, not {self.instances!r}")
        if not 0 <= self.separator <= HEAVIEST:
            raise RecipeError(f"{self.name}(sep={self.separator}): sep is from 0 to {HEAVIEST:,}")

    @property
    def separator(self) -> float:
        """The weight of a separator."""
        return 0.0

    @property
    def quantities(self) -> Mapping[str, Mapping[str, float]]:
        """What measures see; multiplicities have no true negatives."""
        return _EVERYTHING if self.instances == "set" else _MARKED

    @property
    def by_document(self) -> bool:
        """Whether documents can be counted apart: weights are those of a whole file."""
        return self.weights is None

    @property
    def signed(self) -> Mapping[str, str]:
        """What a signature says instead of a parameter: the weights with their hash."""
        return {} if self.weights is None else {"token_weights": self.weights.signed}

    def __call__(self, pair: Pair) -> Events:
        """Cover the line of units with the mentions of each label, and compare."""
        pair, more = _with_own_tokens(pair.in_tokens)
        documents = pair.documents
        if not len(pair.gold) and not len(pair.system) and (documents.length < 0).all():
            # Lists without anything, which may be of tags: there is nothing to count.
            documents = replace(documents, length=np.zeros_like(documents.length))
        line = _Line.of(self, documents, more)
        for table, side in ((pair.gold, "gold"), (pair.system, "system")):
            line.check(side, table)
        plain = self.weights is None and self.supertag is None
        exact = float(self.separator * _FINEST).is_integer()
        if plain and exact and pair.gold.is_flat and pair.system.is_flat:
            return _Flat(self, pair, line)
        return _rows(self, pair, line)


@dataclass(frozen=True, slots=True)
class Ts(_Units):
    """Each token, and each separator between two tokens, is an event: marked or not.

    A document of n tokens has n - 1 separators, sentence breaks included. A mention covers its
    tokens and the separators strictly inside it, so that one mention of two tokens differs from
    two adjacent mentions. For each label, a unit that gold and system cover is a `tp`,
    one that only the system covers an `fp`, one that only gold covers an `fn`, all others are
    `tn`: together 2n - 1, whatever the system. A discontinuous mention covers its fragments.

    `sep` is the weight of a separator; a token has weight 1. `token_weights` names a file with the
    weight of each token of gold, one number a line. `supertag` merges all labels into one of that
    name. A unit counts once for a label, however many mentions cover it; with `instances=count` the
    numbers of mentions are compared: tp is the smaller, fp and fn the excess, and there is no tn.
    An answer whose string is not located is one more token, which the system alone has.

    Esuli & Sebastiani (2010), "Evaluating Information Extraction", section 4.1 and Table 1;
    weights, and tokens alone: section 5. The paper does not say what to do if several mentions
    of one label cover a unit. Each row of the ledger is a stretch of units in which no mention
    begins or ends; it names the mention of each side that covers it and reaches furthest.

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    >>> system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    >>> [score(gold, system, f"ts.{count}").value for count in ("tp", "fp", "fn", "tn")]
    [5.0, 2.0, 1.0, 9.0]
    >>> round(score(gold, system, "ts.F1").value, 3)
    0.769
    >>> round(score(gold, system, "ts(sep=0.5).F1").value, 3)
    0.818
    """

    name: ClassVar[str] = "ts"
    sep: float = 1

    @property
    def separator(self) -> float:
        """The weight of a separator."""
        return self.sep


@dataclass(frozen=True, slots=True)
class Token(_Units):
    """Each token is an event: marked or not. The space `ts` without its separators.

    For each label, tokens that gold and system cover are `tp`, tokens that only the system covers
    `fp`, tokens that only gold covers `fn`, all others `tn`: together n in a document of n
    tokens. It does not distinguish one mention from two adjacent ones. Parameters as in `ts`.
    Esuli & Sebastiani (2010), "Evaluating Information Extraction", section 5, the token-only
    model.

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    >>> system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    >>> round(score(gold, system, "token.F1").value, 3)
    0.889
    """

    name: ClassVar[str] = "token"


class _Flat(Events):
    """Units of mentions that do not overlap on their own side: what two mentions share is right,
    and what is left of each is wrong. The stretches are computed only if the rows are needed.
    """

    def __init__(self, space: _Units, pair: Pair, line: _Line) -> None:
        self.space, self.pair, self.line = space, pair, line
        self.outcomes, self.labels = space.outcomes, None
        self.size = line.sizes() if "total" in space.quantities else None

    def __getattr__(self, name: str) -> Any:
        if name not in ("doc", "label", "outcome", "weight", "gold", "system"):
            raise AttributeError(name)
        self.__dict__ |= vars(_rows(self.space, self.pair, self.line))
        return self.__dict__[name]

    @property
    def of_mentions(self) -> bool:
        return True

    def counted(self, width: int, size: int, cell: IntArray | None = None) -> FloatArray:
        if cell is not None:
            return super().counted(width, size, cell)
        sep, pair = self.space.separator, self.pair

        def units(cells: IntArray, tokens: IntArray) -> FloatArray:
            weights = tokens * (1 + sep) - sep
            counts: FloatArray = np.bincount(cells, weights, size)  # type: ignore[assignment]
            return counts

        edges, same = pair.overlaps, pair.same_label
        cells = pair.cells("gold")[edges.gold.compress(same)]
        right = units(cells, edges.shared.compress(same))
        ours, theirs = (
            units(pair.cells(side), table.end - table.start) - right
            for side, table in (("gold", pair.gold), ("system", pair.system))
        )
        return np.stack([right, theirs, ours]).T


def _rows(space: _Units, pair: Pair, line: _Line) -> Events:
    tables = (pair.gold, pair.system)
    (gold, gold_row), (system, system_row) = (line.placed(table) for table in tables)
    stretches = cover(gold, system)
    at, outcome, times = _outcomes(stretches, space.instances)
    weight = line.lengths(stretches.begin, stretches.end)[at] * times
    some = np.flatnonzero(weight)
    at, outcome, weight = at[some], outcome[some], weight[some]
    ours = np.where(outcome == _FP, -1, gold_row[stretches.left_row[at]])
    theirs = np.where(outcome == _FN, -1, system_row[stretches.right_row[at]])
    either = np.where(ours >= 0, ours, theirs + len(pair.gold))
    doc, label = (
        np.concatenate([getattr(table, column) for table in tables])[either]
        for column in ("doc", "label")
    )
    return Events(
        space.outcomes, doc, label if space.supertag is None else np.zeros_like(label),
        outcome, weight, ours, theirs,
        size=line.sizes() if "total" in space.quantities else None,
        labels=None if space.supertag is None else (space.supertag,),
    )  # fmt: skip


def _with_own_tokens(pair: Pair) -> tuple[Pair, IntArray]:
    """The pair with a token for each mention without positions, after the last token of its
    document; and how many tokens more each document has.
    """
    tables = (pair.gold, pair.system)
    rows = [table.unplaced for table in tables]
    doc = np.concatenate([table.doc[some] for table, some in zip(tables, rows, strict=True)])
    more = np.bincount(doc, minlength=pair.size)
    if not len(doc):
        return pair, more
    length = pair.documents.length
    at = int32(length[doc] + place_in_group(doc))
    gold, system = (
        _moved(table, some, some_at)
        for table, some, some_at in zip(tables, rows, np.split(at, [len(rows[0])]), strict=True)
    )
    longer = np.where(length < 0, length, length + more).astype(np.int32)
    documents = replace(pair.documents, length=longer)
    # What the pair remembers belongs to its old places.
    return replace(pair, gold=gold, system=system, documents=documents), more


def _moved(table: Mentions, rows: IntArray, at: IntArray) -> Mentions:
    """The mentions of these rows, each on the one token there."""
    pieces = table.pieces()
    start, end = pieces.start.copy(), pieces.end.copy()
    first = pieces.offsets[rows]
    start[first], end[first] = at, at + 1
    fragments = replace(pieces, start=start, end=end)
    return replace(
        table, start=start[pieces.offsets[:-1]], end=end[pieces.offsets[1:] - 1],
        fragments=None if table.fragments is None else fragments,
    )  # fmt: skip


def _outcomes(stretches: Stretches, instances: str) -> tuple[IntArray, IntArray, IntArray]:
    """Which stretch has which outcome how many times."""
    left, right = stretches.left, stretches.right
    if instances == "set":
        left, right = np.minimum(left, 1), np.minimum(right, 1)
    times = np.stack([np.minimum(left, right), right - left, left - right], axis=1)
    at, outcome = np.nonzero(times > 0)
    return at, outcome, times[at, outcome]


class _Line(NamedTuple):
    """All units on one line, once for each label.

    Token i of the corpus is at 2i, the separator after it at 2i + 1; label k has a line of its
    own, `2k * tokens` further on. Nothing covers the place after the last token of a document, so
    that documents do not meet, and neither do adjacent mentions.
    """

    space: _Units
    documents: Documents
    first: IntArray
    weights: FloatArray | None

    @classmethod
    def of(cls, space: _Units, documents: Documents, more: IntArray) -> _Line:
        """The line of these documents; all of them must have a length. The last tokens of each,
        `more` of them, are in no text: they have the weight 1.
        """
        for row in np.flatnonzero(documents.length < 0)[:1].tolist():
            raise DataError(
                f"gold does not say how many tokens the document {shown(documents.name(row))} "
                f"has, and {space.name} counts them; give its tokens or its text"
            )
        first = np.concatenate([[0], np.cumsum(documents.length, dtype=np.int64)])
        weights = None
        if space.weights is not None:
            ends = first[1:] - np.cumsum(more)
            weights = space.weights.for_tokens(int(first[-1] - more.sum()))
            weights = np.insert(weights, np.repeat(ends, more), 1.0)
        return cls(space, documents, first, weights)

    def placed(self, table: Mentions) -> tuple[tuple[IntArray, IntArray], IntArray]:
        """Begins and ends of all fragments, and the mention of each; -1 follows the last."""
        pieces, mention = table.pieces(), np.arange(len(table))
        doc, label = table.doc, table.label
        if table.fragments is not None:
            mention = np.repeat(mention, np.diff(pieces.offsets))
            doc, label = doc[mention], label[mention]
        if self.space.supertag is not None:
            label = np.zeros_like(label)
        base = label.astype(np.int64) * self.first[-1] + self.first[doc]
        # Add before doubling: positions are int32 and twice their value may not fit.
        begin, end = 2 * (base + pieces.start), 2 * (base + pieces.end) - 1
        # Mentions come in document order: taken label by label they are sorted on the line, and
        # NumPy sorts small numbers by counting.
        order = np.argsort(label.astype(np.min_scalar_type(label.max(initial=0))), kind="stable")
        return (begin[order], end[order]), np.append(mention[order], -1)

    def check(self, side: str, table: Mentions) -> None:
        """Refuse a mention that ends where its document has no more tokens."""
        beyond = table.end > self.documents.length[table.doc]
        for row in np.flatnonzero(beyond)[:1].tolist():
            name = self.documents.name(int(table.doc[row]))
            start, end = next(part for part in table.fragments_of(row)
                              if part[1] > self.documents.length[table.doc[row]])  # fmt: skip
            raise DataError(
                f"a {side} mention of document {shown(name)} covers {start}..{end}, "
                f"and the document has {self.documents.length[table.doc[row]]} tokens"
            )

    def lengths(self, begin: IntArray, end: IntArray) -> FloatArray:
        """What the units of stretches of this line weigh."""
        low, high = (begin + 1) >> 1, (end + 1) >> 1
        if self.weights is None:
            tokens = (high - low).astype(np.float64)
        else:
            within = low % max(len(self.weights), 1)
            tokens = lengths(within, within + high - low, self.weights)
        sep = self.space.separator
        return tokens if sep == 0 else tokens + sep * ((end >> 1) - (begin >> 1))

    def sizes(self) -> FloatArray:
        """What all units of each document weigh: n tokens and n - 1 separators."""
        return self.lengths(
            2 * self.first[:-1], np.maximum(2 * self.first[1:] - 1, 2 * self.first[:-1])
        )

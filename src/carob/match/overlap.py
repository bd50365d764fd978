"""Overlap and its kin: a mention is found when one that shares positions with it is close enough.

All of them count each side by itself: `tp` gold mentions with a match, `tp_system` system mentions
with a match, so that one long mention can match several. With `pairing=one` a mention matches one
other at most, and there are as many pairs as there can be; if the choice is open, mentions that
come first in the document are preferred, on either side. `label=ignore` lets mentions with
different labels match. None has true negatives, since unmarked text is no event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from carob.arrays.join import rest
from carob.arrays.optimum import TooManyStepsError
from carob.arrays.pair_up import pair_up
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import RecipeError, nearest
from carob.corpus.tables import Mentions
from carob.counts.events import Events
from carob.pair.pair import Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class _OverlapSpace:
    """What the spaces of this family have in common."""

    name: ClassVar[str]
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    by_document: ClassVar[bool] = True
    outcomes: ClassVar[tuple[str, ...]] = ("tp", "tp_system", "fp", "fn")
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "gold_right": {"tp": 1},
        "gold_all": {"tp": 1, "fn": 1},
        "system_right": {"tp_system": 1},
        "system_all": {"tp_system": 1, "fp": 1},
    }
    label: Literal["match", "ignore"] = "match"
    pairing: Literal["many", "one"] = "many"

    def __post_init__(self) -> None:
        _check(self)

    def _events(self, pair: Pair, fits: BoolArray | None) -> Events:
        """The events of those overlaps of the pair that fit (None: all) and whose labels do."""
        gold, system, shared = pair.overlaps.gold, pair.overlaps.system, pair.overlaps.shared
        if self.label == "match":
            fits = pair.same_label if fits is None else fits & pair.same_label
        if fits is not None:
            gold, system, shared = gold.compress(fits), system.compress(fits), shared.compress(fits)
        if self.pairing == "one":
            try:
                of_gold = of_system = pair_up(gold, system, len(pair.gold), len(pair.system))
            except TooManyStepsError:
                doc = int(np.argmax(np.bincount(pair.gold.doc[gold])))
                raise pair.too_large(
                    doc, "mentions that overlap in too many ways to pair them one to one",
                    "at most some 600 mentions that all overlap each other",
                    "pairing=many, the default, pairs nothing",
                ) from None  # fmt: skip
        else:
            best, system_best = _best(gold, shared), _best(system, shared)
            of_gold = gold[best], system[best]
            of_system = gold[system_best], system[system_best]
        return Events.of(
            pair,
            self.outcomes,
            gold={"tp": of_gold, "fn": rest(len(pair.gold), of_gold[0])},
            system={"tp_system": of_system, "fp": rest(len(pair.system), of_system[1])},
        )


def _check(space: _OverlapSpace, **tokens: object) -> None:
    """Refuse parameters that mean nothing; those in `tokens` are numbers of tokens."""
    for key, choices in (("label", ("match", "ignore")), ("pairing", ("many", "one"))):
        if (value := getattr(space, key)) not in choices:
            hint = nearest(str(value), choices)
            raise RecipeError(f"{space.name}({key}=…): found {value}{hint}")
    for key, number in tokens.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise RecipeError(
                f"{space.name}({key}=…): found {number}, expected a whole number of tokens, "
                "0 or more"
            )


@dataclass(frozen=True, slots=True)
class Overlap(_OverlapSpace):
    """A mention is found when one with its label shares a position with it, however little.

    P is the share of system mentions with a match, R of gold mentions. It is lenient: a system
    that marks a whole text as one mention finds everything in it, and P = R = 1. With
    `pairing=one` a mention matches at most one other: a largest one-to-one pairing counts. With
    `label=ignore` labels need not agree. All spaces of this family have these two parameters.

    Esuli & Sebastiani (2010), "Evaluating Information Extraction", section 3, the overlap model;
    the example is their Table 1, for which section 4 gives F1 = 1.

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    >>> system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    >>> Tally.of(Overlap(), Pair.of(gold, system)).counted()
    {'tp': 2.0, 'tp_system': 3.0, 'fp': 0.0, 'fn': 0.0}
    >>> Tally.of(Overlap(pairing="one"), Pair.of(gold, system)).counted()
    {'tp': 2.0, 'tp_system': 2.0, 'fp': 1.0, 'fn': 0.0}
    """

    name: ClassVar[str] = "overlap"
    symmetric: ClassVar[bool] = True

    def __call__(self, pair: Pair) -> Events:
        """Every overlap is a match."""
        return self._events(pair, None)


@dataclass(frozen=True, slots=True)
class Constrained(_OverlapSpace):
    """A mention is found when one overlaps it that has few tokens too many and few too few.
    `label` and `pairing`: see overlap.

    A system mention s matches a gold mention g if at most k1 tokens of s are outside g (spurious)
    and at most k2 tokens of g are outside s (missing). Exchanging the sides exchanges k1 and k2.
    Where positions are characters, k1 and k2 still count tokens.

    Esuli & Sebastiani (2010), "Evaluating Information Extraction", section 3, the constrained
    overlap model: with k1 = k2 = 1 "the Ronald Reagan Presidential" gets the same credit as
    "Ronald Reagan Presidential Library", which is right.

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("the [Ronald Reagan Presidential Library]ORG")
    >>> system = Corpus.of("[the Ronald Reagan Presidential]ORG Library")
    >>> Tally.of(Constrained(), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 0.0, 'fn': 0.0}
    >>> Tally.of(Constrained(k2=0), Pair.of(gold, system)).counted()
    {'tp': 0.0, 'tp_system': 0.0, 'fp': 1.0, 'fn': 1.0}
    """

    name: ClassVar[str] = "constrained"
    k1: int = 1
    k2: int = 1

    def __post_init__(self) -> None:
        _check(self, k1=self.k1, k2=self.k2)

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R."""
        return self.k1 == self.k2

    def __call__(self, pair: Pair) -> Events:
        """Count the tokens that only one side has."""
        spurious, missing = tokens_apart(pair)
        fits = (spurious <= self.k1) & (missing <= self.k2)
        return self._events(pair, fits)


@dataclass(frozen=True, slots=True)
class Contains(_OverlapSpace):
    """A gold mention is found when a system mention contains all of it and at most k tokens more.
    `label` and `pairing`: see overlap.

    The same as `constrained(k1=k, k2=0)`; an exact match counts too. It is not symmetric: a
    system mention that is too long may match, one that is too short may not.

    Esuli & Sebastiani (2010), "Evaluating Information Extraction", section 3, the contain model.
    On their Table 1, one token too many is accepted and one too few is not:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    >>> system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    >>> Tally.of(Contains(), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 2.0, 'fn': 1.0}
    """

    name: ClassVar[str] = "contains"
    symmetric: ClassVar[bool] = False
    k: int = 1

    def __post_init__(self) -> None:
        _check(self, k=self.k)

    def __call__(self, pair: Pair) -> Events:
        """Nothing is missing, and little is spurious."""
        spurious, missing = tokens_apart(pair)
        fits = (spurious <= self.k) & (missing == 0)
        return self._events(pair, fits)


@dataclass(frozen=True, slots=True)
class Left(_OverlapSpace):
    """A mention is found when one with its label starts where it starts.
    `label` and `pairing`: see overlap.

    Of a discontinuous mention, the start of the first fragment counts. One of the variants for
    biomedical names that Esuli & Sebastiani (2010), "Evaluating Information Extraction",
    section 3, mention. On their Table 1:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    >>> system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    >>> Tally.of(Left(), Pair.of(gold, system)).counted()
    {'tp': 2.0, 'tp_system': 2.0, 'fp': 1.0, 'fn': 0.0}
    """

    name: ClassVar[str] = "left"
    symmetric: ClassVar[bool] = True

    def __call__(self, pair: Pair) -> Events:
        """Compare first starts."""
        edges = pair.overlaps
        fits = pair.gold.start[edges.gold] == pair.system.start[edges.system]
        return self._events(pair, fits)


@dataclass(frozen=True, slots=True)
class Right(_OverlapSpace):
    """A mention is found when one with its label ends where it ends.
    `label` and `pairing`: see overlap.

    Of a discontinuous mention, the end of the last fragment counts. One of the variants for
    biomedical names that Esuli & Sebastiani (2010), "Evaluating Information Extraction",
    section 3, mention. On their Table 1:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    >>> system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    >>> Tally.of(Right(), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 2.0, 'fn': 1.0}
    """

    name: ClassVar[str] = "right"
    symmetric: ClassVar[bool] = True

    def __call__(self, pair: Pair) -> Events:
        """Compare last ends."""
        edges = pair.overlaps
        fits = pair.gold.end[edges.gold] == pair.system.end[edges.system]
        return self._events(pair, fits)


@dataclass(frozen=True, slots=True)
class Iou(_OverlapSpace):
    """A mention is found when one with its label overlaps it enough.
    `label` and `pairing`: see overlap.

    Intersection over union, shared positions / positions of either, must be at least t. Object
    detection matches boxes in this way. Here it is a threshold on the degree of overlap, which
    the overlap model of Esuli & Sebastiani (2010), "Evaluating Information Extraction", section
    3, ignores. On their Table 1 the ratios are 2/3, 1/2 and 1/2:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("The [quick brown]C fox jumps over the [lazy dog]C")
    >>> system = Corpus.of("The [quick brown fox]C jumps over the [lazy]C [dog]C")
    >>> Tally.of(Iou(), Pair.of(gold, system)).counted()
    {'tp': 2.0, 'tp_system': 3.0, 'fp': 0.0, 'fn': 0.0}
    >>> Tally.of(Iou(t=0.6), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'tp_system': 1.0, 'fp': 2.0, 'fn': 1.0}
    """

    name: ClassVar[str] = "iou"
    symmetric: ClassVar[bool] = True
    t: float = 0.5

    def __post_init__(self) -> None:
        _check(self)
        if not isinstance(self.t, (int, float)) or not 0 < self.t <= 1:
            raise RecipeError(f"iou(t=…): found {self.t}, expected a number above 0 and at most 1")

    def __call__(self, pair: Pair) -> Events:
        """Compare the quotient with t: both are rounded alike, so 7/100 reaches 0.07."""
        edges = pair.overlaps
        either = sizes(pair.gold)[edges.gold] + sizes(pair.system)[edges.system] - edges.shared
        return self._events(pair, edges.shared / either >= self.t)


def _best(rows: IntArray, shared: IntArray) -> IntArray:
    """For each row that occurs, the place where it shares most; of several, the first."""
    if (rows[1:] >= rows[:-1]).all():  # the usual case: mentions that are neither nested nor cross
        repeats = np.zeros(len(rows), bool)
        repeats[1:] = again = rows[1:] == rows[:-1]
        repeats[:-1] |= again
    else:
        repeats = np.bincount(rows)[rows] > 1
    crowd = np.flatnonzero(repeats)
    order = crowd[np.lexsort((-shared[crowd], rows[crowd]))]
    opens = np.append(True, rows[order[1:]] != rows[order[:-1]])[: len(order)]
    return np.concatenate([np.flatnonzero(~repeats), order[opens]])


def sizes(table: Mentions) -> IntArray:
    """How many positions each mention has.

    >>> from carob.corpus.corpus import Corpus
    >>> sizes(Corpus.of("[Ann Lee]PER met [Bo]PER").mentions).tolist()
    [2, 1]
    """
    if table.fragments is None:
        return table.end - table.start
    before = np.concatenate([[0], np.cumsum(table.fragments.end - table.fragments.start)])
    return np.diff(before[table.fragments.offsets])


def shared_positions(pair: Pair, gold: IntArray, system: IntArray) -> IntArray:
    """How many positions these pairs of mentions share, 0 if none.

    >>> from carob.corpus.corpus import Corpus
    >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]PER Lee [slept]V"))
    >>> shared_positions(pair, np.array([0, 0]), np.array([0, 1]))
    array([1, 0])
    """
    width = np.int64(max(len(pair.system), 1))
    known, wanted = pair.overlaps.gold * width + pair.overlaps.system, gold * width + system
    place = np.searchsorted(known, wanted)
    shared: IntArray = np.append(pair.overlaps.shared, 0)[place]
    return np.where(np.append(known, -1)[place] == wanted, shared, 0)


def tokens_apart(pair: Pair) -> tuple[IntArray, IntArray]:
    """For each overlap of the pair, how many tokens only the system and only gold has."""
    edges, tokens = pair.overlaps, pair.in_tokens
    shared = edges.shared
    if tokens is not pair:
        # Two mentions may share a token and no character; only the overlaps of the pair count.
        shared = shared_positions(tokens, edges.gold, edges.system)
    spurious = sizes(tokens.system)[edges.system] - shared
    missing = sizes(tokens.gold)[edges.gold] - shared
    return spurious, missing

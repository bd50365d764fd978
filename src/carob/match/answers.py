"""Three ways to count the answers that fill a slot: once, at every place, once for each string.

All three look at the fillers of a row (TYPE.slot) of a document together, whatever template they
stand in, and take mentions for fillers where there are no templates. `match` is how strictly a
filler is compared: `exact`, `overlap` (a word, or a position, in common) or `contains(k=1)` (all of
gold's and at most k tokens more). A wrong answer that occurs nowhere in the text is `ungrounded`,
any other is `fp`. Answers without a place, in a document without a text, are also `unread`, right
or wrong. A gold filler that is optional is right if found, and does not count if not. Alternatives
are gold's: of a system's filler only its own text or place counts, so that listing several gains
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.join import packed, rest
from carob.arrays.optimum import TooManyStepsError
from carob.arrays.pair_up import pair_up
from carob.arrays.sequences import sequence_ranks
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import DataError, shown
from carob.corpus.tables import UNKNOWN
from carob.counts.events import Events
from carob.match._fillers import (
    EXACT,
    IDLE,
    CrowdError,
    Edges,
    Realised,
    check_match,
    place_edges,
    text_edges,
)
from carob.match.overlap import Contains
from carob.pair.filled import FilledPair, wordless
from carob.pair.pair import Pair


@dataclass(frozen=True, slots=True)
class _Answers:
    """What the three ways to count have in common."""

    name: ClassVar[str]
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    by_document: ClassVar[bool] = True
    of_strings: ClassVar[bool] = True
    idle: ClassVar[Mapping[str, tuple[str, ...]]] = IDLE
    outcomes: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn", "ungrounded", "unread")
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn", "ungrounded")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "gold_right": {"tp": 1},
        "gold_all": {"tp": 1, "fn": 1},
        "system_right": {"tp": 1},
        "system_all": {"tp": 1, "fp": 1, "ungrounded": 1},
        "ungrounded": {"ungrounded": 1},
        "system_read": {"tp": 1, "fp": 1, "ungrounded": 1, "unread": -1},
    }
    match: Any = EXACT

    def __post_init__(self) -> None:
        check_match(self.name, self.match)

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R."""
        return not isinstance(self.match, Contains)

    def _events(
        self, filled: FilledPair, pairs: Edges, missed: IntArray, wrong: IntArray
    ) -> Events:
        """The events of fillers: right pairs, gold ones that were missed, wrong answers.

        Answers that cannot be looked for in a text count once more, as unread.
        """
        invented, unknown = filled.ungrounded[wrong], filled.grounded.unknown
        return Events.of(
            filled,
            self.outcomes,
            gold={"tp": pairs, "fn": missed},
            system={
                "fp": wrong[~invented],
                "ungrounded": wrong[invented],
                "unread": np.concatenate([each[unknown[each]] for each in (pairs[1], wrong)]),
            },
        )


@dataclass(frozen=True, slots=True)
class Oas(_Answers):
    """One answer per slot: the system's best answer is right if it matches any filler of gold.

    The best answer is the one with the highest confidence, otherwise the first: in the text if
    places are given, otherwise in the file, also of several templates. Further answers are ignored.
    P is over the slots of documents that have an answer, R over those that gold fills.
    Texts are compared, ignoring case, white space and Unicode variants, so it does not matter which
    occurrence was found. P is undefined without answers, R without gold.

    Lavelli et al. (2008), "Evaluation of machine learning-based IE algorithms", section 3.2, One
    Answer per Slot (OAS), as Freitag counts; De Sitter and Daelemans call it one best per
    document. Gold has two realisations of one speaker at three places, and the system one of them:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Joel Birnbaum]who , by [Joel Birnbaum]who : [Dr. Birnbaum]who")
    >>> system = Corpus.of("Joel Birnbaum , by Joel Birnbaum : [Dr. Birnbaum]who")
    >>> Tally.of(Oas(), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'fp': 0.0, 'fn': 0.0, 'ungrounded': 0.0, 'unread': 0.0}
    """

    name: ClassVar[str] = "oas"
    support_text: ClassVar[str] = "filled slot"

    @property
    def symmetric(self) -> bool:
        """Never: the system may give one answer, gold several."""
        return False

    def __call__(self, pair: Pair) -> Events:
        """Compare the best answer to each slot with all that gold has there."""
        filled = pair.filled
        slot, other = _slots(filled)
        gold, system = _realised(filled, self.name)
        answer = _best(filled, other)
        best = Realised(system.group[answer], system.text[answer], answer)
        with _slot_named(filled):
            left, right = text_edges(gold, best, filled.texts.values, self.match, self.name)
        order = np.lexsort((left, right))
        correct, first = np.unique(right[order], return_index=True)
        wrong = answer[~np.isin(answer, correct)]
        # A slot that was not found is missed once: by its first filler that had to be found.
        needed = np.flatnonzero(~filled.gold.optional & ~np.isin(slot, other[correct]))
        _, once = np.unique(slot[needed], return_index=True)
        return self._events(filled, (left[order][first], correct), needed[once], wrong)


@dataclass(frozen=True, slots=True)
class Oaod(_Answers):
    """One answer per occurrence in the document: every place where gold has a filler counts.

    A filler is found when the system has one in the same slot at the same place, one-to-one and
    as many as possible. P is the share of the system's fillers that are right, R the share of
    gold's that are found. Fillers that have a text and no place are first located in the text; two
    that are not found in it match if their texts do. P is undefined without answers, R without
    gold.

    Lavelli et al. (2008), "Evaluation of machine learning-based IE algorithms", section 3.2, One
    Answer per Occurrence in the Document (OAOD), as Soderland counts; De Sitter and Daelemans call
    it all occurrences. Gold has three places, and the system one of them:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Joel Birnbaum]who , by [Joel Birnbaum]who : [Dr. Birnbaum]who")
    >>> system = Corpus.of("Joel Birnbaum , by Joel Birnbaum : [Dr. Birnbaum]who")
    >>> Tally.of(Oaod(), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'fp': 0.0, 'fn': 2.0, 'ungrounded': 0.0, 'unread': 0.0}
    """

    name: ClassVar[str] = "oaod"
    of_strings: ClassVar[bool] = False
    support_text: ClassVar[str] = "place"

    def __call__(self, pair: Pair) -> Events:
        """Pair places, one-to-one."""
        filled = pair.filled
        with _slot_named(filled):
            gold, system = _occurrences(pair, self.match, self.name)
        missed = _missed(filled, gold, np.arange(len(filled.gold)))
        return self._events(filled, (gold, system), missed, rest(len(filled.system), system))


@dataclass(frozen=True, slots=True)
class Oads(_Answers):
    """One answer per different string: every text that fills a slot counts, but only once.

    Texts are compared ignoring case, white space and Unicode variants. A text of gold is found when
    the system has it in the same slot, one-to-one and as many as possible. P is the share of the
    system's different texts that are right, R the share of gold's that are found; the alternatives
    of a gold filler count as its own text does. P is undefined without answers, R without gold.

    Lavelli et al. (2008), "Evaluation of machine learning-based IE algorithms", section 3.2, One
    Answer per Different String (OADS), as Califf counts. Gold has two realisations of one speaker
    at three places, and the system one of them:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Joel Birnbaum]who , by [Joel Birnbaum]who : [Dr. Birnbaum]who")
    >>> system = Corpus.of("Joel Birnbaum , by Joel Birnbaum : [Dr. Birnbaum]who")
    >>> Tally.of(Oads(), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'fp': 0.0, 'fn': 1.0, 'ungrounded': 0.0, 'unread': 0.0}
    """

    name: ClassVar[str] = "oads"
    support_text: ClassVar[str] = "different string"

    def __call__(self, pair: Pair) -> Events:
        """Pair different texts, one-to-one."""
        filled = pair.filled
        slot, other = _slots(filled)
        gold, system = _realised(filled, self.name)
        own = gold.text[filled.gold.realisations[:-1]]
        ours, number = _different(slot, own, filled.gold.optional)
        vague = filled.ungrounded | filled.grounded.unknown
        theirs, answer = _different(other, system.text, vague)
        with _slot_named(filled, ours):
            edges = text_edges(
                Realised(gold.group, gold.text, number[gold.owner]),
                Realised(system.group[theirs], system.text[theirs], answer[theirs]),
                filled.texts.values, self.match, self.name,
            )  # fmt: skip
        left, right = _paired(edges, filled.gold.optional[ours], filled.ungrounded[theirs])
        left, right = ours[left], theirs[right]
        wrong = theirs[~np.isin(theirs, right)]
        return self._events(filled, (left, right), _missed(filled, left, ours), wrong)


@contextmanager
def _slot_named(filled: FilledPair, fillers: IntArray | None = None) -> Iterator[None]:
    """Name the slot that has too many fillers; `fillers` are those that rows of gold stand for."""
    try:
        yield
    except CrowdError as error:
        raise error.located(filled, error.row if fillers is None else fillers[error.row]) from None


def _slots(filled: FilledPair) -> Edges:
    """One number a filler, equal where document and row are."""
    gold, system = filled.gold, filled.system
    return packed([gold.doc, gold.label], [system.doc, system.label])


def _realised(filled: FilledPair, space: str) -> tuple[Realised, Realised]:
    """The texts of gold's fillers, alternatives and all, and the own texts of the system's."""
    slot, other = _slots(filled)
    gold, system, texts = filled.gold.filler, filled.system.realisations[:-1], filled.texts
    ours = Realised(slot[gold], texts.gold, gold)
    theirs = Realised(other, texts.system[system], np.arange(len(system)))
    if (ours.text == UNKNOWN).any() or (theirs.text == UNKNOWN).any():
        raise wordless(filled, space)
    return ours, theirs


def _best(filled: FilledPair, slot: IntArray) -> IntArray:
    """The system's best answer to each slot of a document: the surest, else the first.

    Among equals the first in document order, where places are known; then, of those without a
    place, the first in the file, which is also the order of the rows.
    """
    side = filled.system
    own = side.realisations[:-1]
    spans = side.fragments.take(own)
    unplaced = np.diff(spans.offsets) == 0
    by_span = sequence_ranks(2 * spans.offsets, np.stack([spans.start, spans.end], axis=1).ravel())
    by_row = np.where(unplaced, np.arange(len(side)), 0)
    unsure = -np.nan_to_num(side.confidence, nan=-np.inf)
    order = np.lexsort((filled.texts.system[own], by_row, by_span, unplaced, unsure, slot))
    return order[_opening(slot[order])]


def _opening(column: IntArray) -> BoolArray:
    """Where a run of equal numbers begins."""
    return np.append(True, column[1:] != column[:-1])[: len(column)]


def _paired(edges: Edges, gold_late: BoolArray, system_late: BoolArray) -> Edges:
    """A largest one-to-one pairing; rows that are late are paired only after all others."""
    ours, theirs = np.argsort(gold_late, kind="stable"), np.argsort(system_late, kind="stable")
    left, right = np.argsort(ours), np.argsort(theirs)
    try:
        gold, system = pair_up(left[edges[0]], right[edges[1]], len(left), len(right))
    except TooManyStepsError:
        raise DataError(
            "fillers of one slot match in too many ways to pair them one to one; match=exact has "
            "no such limit"
        ) from None
    return ours[gold], theirs[system]


def _occurrences(pair: Pair, match: Any, space: str) -> Edges:
    """The fillers that are paired where every occurrence counts."""
    filled, places = pair.filled, pair.filled.grounded
    if places.unread != UNKNOWN:
        raise DataError(
            f"{space} counts places, and document {shown(filled.documents.name(places.unread))} "
            "has a filler without a place and no text to find it in"
        )
    gold = replace(filled.gold, fragments=places.gold)
    system = replace(filled.system, fragments=places.system).without_alternatives()
    left, right = place_edges(pair, gold, system, match, space)
    unplaced = [np.flatnonzero(np.diff(side.fragments.offsets) == 0) for side in (gold, system)]
    if all(rows.size for rows in unplaced):
        more = text_edges(*_unplaced(filled, *unplaced), filled.texts.values, match, space)
        left, right = np.append(left, more[0]), np.append(right, more[1])
    return _paired((left, right), gold.optional, filled.ungrounded)


def _unplaced(filled: FilledPair, gold: IntArray, system: IntArray) -> tuple[Realised, Realised]:
    """What has no place: realisations of gold, fillers of the system."""
    slot, other = _slots(filled)
    owner, own = filled.gold.filler[gold], filled.system.realisations[:-1][system]
    return (
        Realised(slot[owner], filled.texts.gold[gold], owner),
        Realised(other[system], filled.texts.system[own], system),
    )


def _different(slot: IntArray, text: IntArray, late: BoolArray) -> tuple[IntArray, IntArray]:
    """For each different text of a slot the filler that stands for it, one that is not late if
    there is any; and for each filler the number of its text.
    """
    keys, _ = packed([slot, text], [slot, text])
    order = np.lexsort((late, keys))
    opens = _opening(keys[order])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(opens) - 1
    return order[opens], number


def _missed(filled: FilledPair, matched: IntArray, wanted: IntArray) -> IntArray:
    """Those of the gold fillers `wanted` that were not found and had to be."""
    left = np.zeros(len(filled.gold), bool)
    left[wanted] = True
    left[matched] = False
    return np.flatnonzero(left & ~filled.gold.optional)

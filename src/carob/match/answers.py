"""Three ways to count the answers that fill a slot: once, at every place, once for each string.

All three look at the fillers of a row (TYPE.slot) of a document together, whatever template they
stand in, and take mentions for fillers where there are no templates. `match` is how strictly a
filler is compared: `exact`, `overlap` (a word, or a position, in common) or `contains(k=1)` (all of
gold's and at most k tokens more). A wrong answer that occurs nowhere in the text is `ungrounded`,
any other is `fp`; answers that have no place, in a document that nobody can read, are `unread`
besides, right or wrong. A gold filler that is optional is right if found, and nothing if not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.join import rest
from carob.counts.events import Events
from carob.match._answers import (
    OUTCOMES,
    QUANTITIES,
    best,
    counted,
    crowded,
    different,
    matched,
    missed,
    occurrences,
    realised,
    slots_of,
)
from carob.match._fillers import EXACT, IDLE, Realised, strictness, text_edges
from carob.match.overlap import Contains
from carob.pair.pair import Pair


@dataclass(frozen=True, slots=True)
class Oas:
    """One answer per slot: the system's best answer is right if it matches any filler of gold.

    The best answer is the one with the highest confidence, otherwise the first; further answers
    are ignored. P is over the slots of documents that have an answer, R over those that gold fills.
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
    symmetric: ClassVar[bool] = False
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    by_document: ClassVar[bool] = False
    outcomes: ClassVar[tuple[str, ...]] = OUTCOMES
    idle: ClassVar[Mapping[str, tuple[str, ...]]] = IDLE
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn", "ungrounded")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = QUANTITIES
    match: Any = EXACT

    def __post_init__(self) -> None:
        strictness(self.name, self.match)

    def __call__(self, pair: Pair) -> Events:
        """Compare the best answer to each slot with all that gold has there."""
        filled = pair.filled
        slot, other = slots_of(filled)
        gold, system = realised(filled, self.name)
        answer = best(filled, other)
        theirs = Realised(system.group[answer], system.text[answer], answer)
        with crowded(filled):
            left, right = text_edges(gold, theirs, filled.texts.values, self.match, self.name)
        order = np.lexsort((left, right))
        found, first = np.unique(right[order], return_index=True)
        wrong = answer[~np.isin(answer, found)]
        # A slot that was not found is missed once: by its first filler that had to be found.
        needed = np.flatnonzero(~filled.gold.optional & ~np.isin(slot, other[found]))
        _, once = np.unique(slot[needed], return_index=True)
        return counted(filled, (left[order][first], found), needed[once], wrong)


@dataclass(frozen=True, slots=True)
class Oaod:
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
    support_text: ClassVar[str] = "place"
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    by_document: ClassVar[bool] = False
    outcomes: ClassVar[tuple[str, ...]] = OUTCOMES
    idle: ClassVar[Mapping[str, tuple[str, ...]]] = IDLE
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn", "ungrounded")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = QUANTITIES
    match: Any = EXACT

    def __post_init__(self) -> None:
        strictness(self.name, self.match)

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R."""
        return not isinstance(self.match, Contains)

    def __call__(self, pair: Pair) -> Events:
        """Pair places, one-to-one."""
        filled = pair.filled
        with crowded(filled):
            gold, system = occurrences(pair, self.match, self.name)
        lost = missed(filled, gold, np.arange(len(filled.gold)))
        return counted(filled, (gold, system), lost, rest(len(filled.system), system))


@dataclass(frozen=True, slots=True)
class Oads:
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
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    by_document: ClassVar[bool] = False
    outcomes: ClassVar[tuple[str, ...]] = OUTCOMES
    idle: ClassVar[Mapping[str, tuple[str, ...]]] = IDLE
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn", "ungrounded")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = QUANTITIES
    match: Any = EXACT

    def __post_init__(self) -> None:
        strictness(self.name, self.match)

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R."""
        return not isinstance(self.match, Contains)

    def __call__(self, pair: Pair) -> Events:
        """Pair different texts, one-to-one."""
        filled = pair.filled
        slot, other = slots_of(filled)
        gold, system = realised(filled, self.name)
        own = gold.text[filled.gold.realisations[:-1]]
        ours, number = different(slot, own, filled.gold.optional)
        vague = filled.ungrounded | filled.grounded.unknown
        theirs, answer = different(other, system.text, vague)
        with crowded(filled, ours):
            edges = text_edges(
                Realised(gold.group, gold.text, number[gold.owner]),
                Realised(system.group[theirs], system.text[theirs], answer[theirs]),
                filled.texts.values, self.match, self.name,
            )  # fmt: skip
        left, right = matched(edges, filled.gold.optional[ours], filled.ungrounded[theirs])
        found, right = ours[left], theirs[right]
        wrong = theirs[~np.isin(theirs, right)]
        return counted(filled, (found, right), missed(filled, found, ours), wrong)

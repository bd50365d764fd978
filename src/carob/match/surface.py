"""Surface: every different string counts once, however often it occurs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import UsageError, shown
from carob.corpus.tables import Mentions
from carob.counts.events import Events
from carob.pair.filled import FilledPair, words_at
from carob.pair.pair import Pair


@dataclass(frozen=True, slots=True)
class Surface:
    """Every different string with its label counts once, however often the corpus has it.

    A string is right (tp) if one of its mentions is: label and all boundaries agree, as in `exact`.
    Another string of gold is missed (fn), another string of the system is wrong (fp). So P =
    different right strings / different strings of the system, R = different right strings /
    different strings of gold, where strings with different labels are different. A system that
    finds a frequent name everywhere gains no more than one that finds a rare name once. Strings are
    compared as they are written, but for white space. P is undefined without answers, R without
    gold.

    Strings are counted over the whole corpus. Each counts in equal parts at its mentions (a right
    one at its right mentions), so that documents add up to the total; the counts of one document
    depend on the others, and intervals take these parts as they are. Derczynski et al. (2017),
    "Results of the WNUT2017 Shared Task on Novel and Emerging Entity Recognition", F1 (surface). In
    the example gold has two strings, and of three mentions of Ann the system finds two:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of("[Ann]PER met [Ann]PER", "[Ann]PER left [Rome]LOC")
    >>> system = Corpus.of("[Ann]PER met [Ann]PER", "Ann [left]LOC Rome")
    >>> Tally.of(Surface(), Pair.of(gold, system)).counted()
    {'tp': 1.0, 'fp': 1.0, 'fn': 1.0}
    """

    name: ClassVar[str] = "surface"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    symmetric: ClassVar[bool] = True
    by_document: ClassVar[bool] = False
    across_documents: ClassVar[bool] = True
    outcomes: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    errors: ClassVar[tuple[str, ...]] = ("fp", "fn")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "gold_right": {"tp": 1},
        "gold_all": {"tp": 1, "fn": 1},
        "system_right": {"tp": 1},
        "system_all": {"tp": 1, "fp": 1},
    }

    def __call__(self, pair: Pair) -> Events:
        """Join on document, fragments and label, then count strings."""
        gold, system = pair.identical
        ours, theirs = _string_codes(pair)
        right = np.zeros(max(ours.max(initial=0), theirs.max(initial=0)) + 1, bool)
        right[ours[gold]] = True
        missed, wrong = np.flatnonzero(~right[ours]), np.flatnonzero(~right[theirs])
        return Events.of(
            pair,
            self.outcomes,
            gold={"tp": (gold, system), "fn": missed},
            system={"fp": wrong},
            weights={
                "tp": _parts(ours[gold]), "fn": _parts(ours[missed]), "fp": _parts(theirs[wrong]),
            },
        )  # fmt: skip


def _parts(code: IntArray) -> FloatArray:
    """For each row one part of its code, which has as many parts as rows."""
    return 1 / np.bincount(code)[code]


def _string_codes(pair: Pair) -> tuple[IntArray, IntArray]:
    """A number for each mention, equal if the string and the label are equal."""
    place: dict[tuple[str, int], int] = {}
    sides = []
    for table in (pair.gold, pair.system):
        strings = _strings(table, pair.filled)
        keys = zip(strings, table.label.tolist(), strict=True)
        sides.append(np.array([place.setdefault(key, len(place)) for key in keys], np.int64))
    return sides[0], sides[1]


def _strings(table: Mentions, filled: FilledPair) -> list[str]:
    """The text of each mention; white space is a single space."""
    strings = []
    pieces = table.pieces()
    known, words = -1, None
    for row, doc in enumerate(table.doc.tolist()):
        if doc != known:
            known, words = doc, filled.words(doc)
        assert words is not None
        text = table.unplaced_string(row)
        if text is None:
            text = words_at(words, pieces.of(row), filled.unit)
        if text is None:
            raise UsageError(
                f"surface compares texts, and document {shown(filled.documents.name(doc))} has "
                "mentions and no text to read them in"
            )
        strings.append(" ".join(text.split()))
    return strings

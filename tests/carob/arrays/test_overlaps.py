"""The overlap join finds what comparing every two mentions, position by position, finds."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from carob.arrays.overlaps import TooManyOverlapsError, count_overlaps, overlaps
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.corpus.tables import Mentions
from carob.pair.pair import Pair
from tests.worlds import times

Row = tuple[int, int, int]


@cache
def world(seed: int, documents: int, shape: str) -> Corpus:
    """Documents of a few tokens full of mentions that nest, cross and repeat."""
    rng = np.random.default_rng(seed)
    docs = []
    for _ in range(documents):
        length = int(rng.integers(1, 9))
        mentions = []
        if shape == "flat":
            bounds = np.unique(rng.integers(0, length + 1, size=5)).tolist()
            spans = list(pairwise(bounds))
            mentions = [Mention("A", a, b) for a, b in spans if rng.random() < 0.7]
        else:
            for _ in range(int(rng.integers(0, 5))):
                covered = rng.random(length) < 0.5
                if shape == "nested" or not covered.any():
                    a, b = sorted(rng.choice(length + 1, size=2, replace=False).tolist())
                    mentions.append(Mention("AB"[rng.integers(2)], a, b))
                else:
                    spans = [(i, i + 1) for i in np.flatnonzero(covered).tolist()]
                    mentions.append(Mention.of("AB"[rng.integers(2)], spans))
        docs.append(Document(tokens=("w",) * 8, mentions=tuple(mentions)))
    return Corpus.of(*docs)


def brute(gold: Corpus, system: Corpus) -> list[Row]:
    found = []
    first, behind = 0, 0
    for ours, theirs in zip(gold, system, strict=True):
        for i, g in enumerate(ours.mentions):
            for k, s in enumerate(theirs.mentions):
                here, there = ({p for f in m.fragments for p in range(*f)} for m in (g, s))
                if here & there:
                    found.append((first + i, behind + k, len(here & there)))
        first += len(ours.mentions)
        behind += len(theirs.mentions)
    return found


def rows(gold: Corpus, system: Corpus) -> list[Row]:
    found = overlaps(gold.mentions, system.mentions)
    columns = (found.gold.tolist(), found.system.tolist(), found.shared.tolist())
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("ours", ["flat", "nested", "fragments"])
@pytest.mark.parametrize("theirs", ["flat", "nested", "fragments"])
def test_it_finds_what_comparing_all_positions_finds(ours: str, theirs: str) -> None:
    gold, system = world(0, times(10), ours), world(1, times(10), theirs)
    assert brute(gold, system) == rows(gold, system)


@pytest.mark.parametrize("shape", ["flat", "nested", "fragments"])
def test_documents_by_themselves_meet_as_they_do_together(shape: str) -> None:
    gold, system = world(2, times(2.5), shape), world(3, times(2.5), shape)
    for ours, theirs in zip(gold, system, strict=True):
        assert brute(Corpus.of(ours), Corpus.of(theirs)) == rows(Corpus.of(ours), Corpus.of(theirs))


def test_nothing_meets_nothing() -> None:
    nothing, something = Corpus.of("Ann slept"), Corpus.of("[Ann]PER slept")
    empty = Corpus.of()
    for gold, system in ((nothing, something), (something, nothing), (nothing, nothing)):
        assert not rows(gold, system)
    assert not rows(empty, empty)


def test_mentions_that_touch_do_not_meet_nor_do_those_of_neighbouring_documents() -> None:
    assert not rows(Corpus.of("a [b]X", "[a]X b"), Corpus.of("[a]X b", "a [b]X"))


def test_many_spans_side_by_side_with_many_others_cost_no_more_than_their_number() -> None:
    length = 100_000
    here = [Mention("A", 0, 5)] * length + [Mention("A", 0, 9)]
    there = [Mention("A", 6, 7)] * length + [Mention("A", 6, 20), Mention("A", 7, 8)]
    gold = Corpus.of(Document(tokens=("w",) * 20, mentions=tuple(here)))
    system = Corpus.of(Document(tokens=("w",) * 20, mentions=tuple(there)))
    found = overlaps(gold.mentions, system.mentions)
    assert length + 2 == len(found)
    assert {length} == set(found.gold.tolist())


def test_a_pair_remembers_its_overlaps() -> None:
    gold, system = world(4, 50, "nested"), world(5, 50, "flat")
    pair = Pair.of(gold, system)
    assert pair.overlaps is pair.overlaps
    assert len(brute(gold, system)) == len(pair.overlaps)


@pytest.mark.parametrize("ours", ["flat", "nested", "fragments"])
@pytest.mark.parametrize("theirs", ["flat", "nested", "fragments"])
def test_overlaps_are_counted_before_they_are_listed(ours: str, theirs: str) -> None:
    """The twin counts pairs of fragments that share a position."""
    gold, system = world(4, 200, ours), world(5, 200, theirs)
    expected = [
        sum(max(a, c) < min(b, d) for a, b in g.fragments for s in other.mentions
            for c, d in s.fragments)
        for one, other in zip(gold, system, strict=True)
        for g in one.mentions
    ]  # fmt: skip
    assert expected == count_overlaps(gold.mentions, system.mentions).tolist()
    total = sum(expected)
    overlaps(gold.mentions, system.mentions, total)
    with pytest.raises(TooManyOverlapsError):
        overlaps(gold.mentions, system.mentions, total - 1)


@pytest.mark.parametrize("ours", ["flat", "nested", "fragments"])
def test_mentions_without_positions_meet_nothing(ours: str) -> None:
    gold, system = world(4, 100, ours), world(5, 100, "nested")
    table = system.mentions
    empty = np.zeros(100, np.int32)
    lost = Mentions(np.arange(100, dtype=np.int32), empty, empty, empty.astype(table.label.dtype))
    more = Mentions.joined([table, lost])
    found, expected = overlaps(gold.mentions, more), overlaps(gold.mentions, table)
    for name in ("gold", "system", "shared"):
        assert getattr(expected, name).tolist() == getattr(found, name).tolist()
    assert not len(overlaps(lost, more))

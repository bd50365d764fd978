"""The alignment is what the definition says: identical mentions first, then the fewest errors,
the most correct slots, the most shared positions, the smallest list.
"""

from __future__ import annotations

import numpy as np
import pytest

from carob.corpus.corpus import Corpus
from carob.match._align import Alignment, mentions_aligned, slots_aligned
from carob.pair.pair import Pair
from tests.match._alignment import aligned, corpora, worlds

WORLDS = worlds(seed=1, size=2500)
PAIR = corpora(WORLDS)


def listed(pair: Pair, found: Alignment) -> list[list[tuple[int, int]]]:
    """For each document the links, by places in the document."""
    lists: list[list[tuple[int, int]]] = [[] for _ in range(pair.size)]
    first = [np.searchsorted(side.doc, np.arange(pair.size)) for side in (pair.gold, pair.system)]
    for g, s in zip(found.gold.tolist(), found.system.tolist(), strict=True):
        doc = int(pair.gold.doc[g])
        lists[doc].append((g - int(first[0][doc]), s - int(first[1][doc])))
    return lists


@pytest.mark.parametrize(
    "attributes", [None, (), ("realis",), ("polarity", "realis")], ids=lambda a: str(a)
)
def test_the_alignment_is_the_best_of_all(attributes: tuple[str, ...] | None) -> None:
    found = mentions_aligned(PAIR) if attributes is None else slots_aligned(PAIR, attributes)
    assert [aligned(world, attributes) for world in WORLDS] == listed(PAIR, found)


def test_it_is_found_once() -> None:
    pair = corpora(WORLDS[:10])
    assert slots_aligned(pair) is slots_aligned(pair, ())
    assert mentions_aligned(pair) is mentions_aligned(pair)
    assert slots_aligned(pair) is not slots_aligned(pair, ("realis",))


def test_slots_prefer_two_half_right_pairs_to_three_wrong_ones() -> None:
    gold = Corpus.of("[a b]A [c d]B [e f]C")
    system = Corpus.of("a [b c]B [d e]C [f]D")
    pair = Pair.of(gold, system)
    assert listed(pair, slots_aligned(pair)) == [[(1, 0), (2, 1)]]
    assert listed(pair, mentions_aligned(pair)) == [[(0, 0), (1, 1), (2, 2)]]

"""Blocks that are joined as they come make the same corpus as blocks that are joined at the end."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np

from carob import Corpus, Document
from carob.corpus.corpus import grown
from tests.worlds import random_flat, times


def random_block(rng: random.Random, labels: tuple[str, ...]) -> Corpus:
    documents = []
    for _ in range(rng.randint(0, 4)):
        size = rng.randint(1, 9)
        starts = (0, *sorted(rng.sample(range(1, size), rng.randint(0, min(2, size - 1)))))
        documents.append(
            Document(
                tokens=("x",) * size,
                mentions=random_flat(rng, size, labels),
                sentences=starts if rng.random() < 0.8 else (),
            )
        )
    return replace(Corpus.of(*documents), library=None, facts={"seen": rng.randint(0, 3)})


def columns(corpus: Corpus) -> list[Any]:
    tables = (corpus.documents, corpus.mentions)
    found = [getattr(table, name) for table in tables for name in table.__slots__]
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in found]


def test_blocks_grow_into_the_corpus_that_their_documents_make() -> None:
    rng = random.Random(0)
    joined = 0
    for _ in range(times(1.5)):
        labels = rng.choice((("A",), ("A", "B"), ("A", "B", "C")))
        blocks = [random_block(rng, labels) for _ in range(rng.randint(1, 7))]
        whole = Corpus.joined(block for block in blocks)
        documents = [
            replace(document, tokens=("x",) * int(block.documents.length[row]))
            for block in blocks
            for row, document in enumerate(block)
        ]
        expected = Corpus.of(*documents)
        assert expected.labels == whole.labels and len(expected) == len(whole)
        for name in ("length", "sentence_offsets", "sentence_start"):
            ours, theirs = getattr(expected.documents, name), getattr(whole.documents, name)
            assert ours.tolist() == theirs.tolist() and ours.dtype == theirs.dtype
        for name in ("doc", "start", "end", "label"):
            ours, theirs = getattr(expected.mentions, name), getattr(whole.mentions, name)
            assert ours.tolist() == theirs.tolist() and ours.dtype == theirs.dtype
        assert sum(block.facts["seen"] for block in blocks) == whole.facts["seen"]
        joined += len(list(grown(blocks))) < len(blocks)
    assert joined > times(0.5), "most blocks grow together"


def test_blocks_that_hold_more_stay_as_they_are() -> None:
    rng = random.Random(1)
    plain = [random_block(rng, ("A",)) for _ in range(3)]
    named = Corpus.of(Document("d1", tokens=("x",)))
    found = list(grown([*plain, named, named]))
    assert found[-2:] == [named, named]


def test_a_single_block_is_not_copied() -> None:
    block = random_block(random.Random(2), ("A",))
    assert [block] == list(grown([block]))


def test_the_blocks_themselves_do_not_change() -> None:
    rng = random.Random(3)
    blocks = [random_block(rng, ("A",)) for _ in range(5)]
    before = [columns(block) for block in blocks]
    Corpus.joined(blocks)
    assert before == [columns(block) for block in blocks]

"""Small random corpora: short texts and few labels, so that ties, nesting and crossing happen.

`documents` and `pairs` are hypothesis strategies. `random_pairs` makes many documents at once from
a seed, for comparisons with a slow twin: all of them go through the columns together.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st

from carob import Corpus, Document, Mention

LABELS = ("A", "B", "C")
WORDS = ("Ann", "Bo", "lives", "in", "New", "York", ",", "é", "東京", "😀")

Documents = list[Document]


def random_mention(
    rng: random.Random, length: int, labels: Sequence[str] = LABELS, *, whole: bool = False
) -> Mention:
    """A mention anywhere in a document; one in four that can be is discontinuous."""
    start = rng.randrange(length)
    end = rng.randint(start + 1, min(length, start + 4))
    label = rng.choice(labels)
    if whole or end - start < 3 or rng.random() > 0.25:
        return Mention(label, start, end)
    gap = rng.randint(start + 1, end - 2)
    return Mention.of(label, [(start, gap), (gap + 1, end)])


def random_flat(
    rng: random.Random, length: int, labels: Sequence[str] = LABELS, breaks: Sequence[int] = ()
) -> tuple[Mention, ...]:
    """Mentions that neither overlap nor cross a break, as a column of tags can hold them."""
    found, at = [], 0
    while at < length:
        limit = min([b for b in breaks if b > at] + [length])
        end = min(at + rng.choice((1, 1, 2, 3)), limit)
        if rng.random() < 0.6:
            found.append(Mention(rng.choice(labels), at, end))
        at = end
    return tuple(found)


def random_answer(
    rng: random.Random, gold: Sequence[Mention], length: int, labels: Sequence[str] = LABELS
) -> tuple[Mention, ...]:
    """What a system might say: some of gold, some of it with another label or twice, and more."""
    found = []
    for mention in gold:
        kept = rng.random()
        if kept < 0.6:
            found.append(mention)
        elif kept < 0.75:
            found.append(replace(mention, label=rng.choice(labels)))
        if kept < 0.1:
            found.append(mention)
    found += [random_mention(rng, length, labels) for _ in range(rng.randint(0, 2)) if length]
    rng.shuffle(found)
    return tuple(found)


def random_pairs(
    seed: int, count: int, *, labels: Sequence[str] = LABELS, ids: bool = False
) -> tuple[Documents, Documents]:
    """Gold and system documents over the same tokens."""
    rng = random.Random(seed)
    gold, system = [], []
    for number in range(count):
        length = rng.randint(0, 8)
        tokens = tuple(rng.choice(WORDS) for _ in range(length))
        marked = [random_mention(rng, length, labels) for _ in range(rng.randint(0, 4)) if length]
        if marked and rng.random() < 0.2:
            marked.append(rng.choice(marked))
        name = f"d{number}" if ids else None
        gold.append(Document(name, tokens=tokens, mentions=tuple(marked)))
        answer = random_answer(rng, marked, length, labels)
        system.append(Document(name, tokens=tokens, mentions=answer))
    return gold, system


def corpora(pair: tuple[Documents, Documents]) -> tuple[Corpus, Corpus]:
    """Both sides as columns."""
    return Corpus.of(*pair[0]), Corpus.of(*pair[1])


def times(share: float) -> int:
    """This share of the examples that the profile of hypothesis (tests/conftest.py) has: how often
    a test tries something random of its own.
    """
    return max(1, round(share * settings().max_examples))


def examples(share: float) -> settings:
    """As many examples of hypothesis as this share of what its profile has."""
    return settings(max_examples=times(share))


seeds = st.integers(0, 2**32 - 1)

documents: st.SearchStrategy[Documents] = st.builds(
    lambda seed, count: random_pairs(seed, count)[0], seeds, st.integers(1, 12)
)

pairs: st.SearchStrategy[tuple[Documents, Documents]] = st.builds(
    random_pairs, seeds, st.integers(1, 12)
)

named_pairs: st.SearchStrategy[tuple[Documents, Documents]] = st.builds(
    lambda seed, count: random_pairs(seed, count, ids=True), seeds, st.integers(1, 12)
)


ODD_TEXTS = (
    "", " ", "é", "😀 Ann", 'say "a": b', '",:', "\\", '\\"', "\\\\", "a\nb", "\u2028", "a:b", "\0",
)  # fmt: skip
"""Texts that JSON has to escape, or that look like its syntax."""

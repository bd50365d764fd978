"""Small random documents, and their alignment by trying every one there is.

Nothing here uses carob's arithmetic: a mention is (fragments, label, attributes), a document two
lists of mentions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.pair.pair import Pair

Fragments = tuple[tuple[int, int], ...]
Links = list[tuple[int, int]]

LENGTH = 8
NAMES = ("polarity", "realis")


@dataclass(frozen=True, order=True)
class Small:
    """A mention. It sorts in document order; an absent attribute is "" and comes first."""

    fragments: Fragments
    label: str
    attributes: tuple[str, ...]

    @property
    def positions(self) -> set[int]:
        return {p for start, end in self.fragments for p in range(start, end)}

    def built(self) -> Mention:
        there = {n: v for n, v in zip(NAMES, self.attributes, strict=True) if v}
        return Mention.of(self.label, list(self.fragments), there)


World = tuple[list[Small], list[Small]]


def _mention(rng: np.random.Generator) -> Small:
    start = int(rng.integers(0, LENGTH - 1))
    end = int(rng.integers(start + 1, min(start + 5, LENGTH) + 1))
    fragments: Fragments = ((start, end),)
    if end - start >= 3 and rng.random() < 0.5:
        fragments = ((start, start + 1), (end - 1, end))
    attributes = (str(rng.choice(["", "yes"])), str(rng.choice(["", "x", "y"])))
    return Small(fragments, str(rng.choice(["A", "B", "C"])), attributes)


def _system(rng: np.random.Generator, gold: Sequence[Small]) -> list[Small]:
    """Mentions of its own, and some of gold's with something changed, or nothing."""
    found = [_mention(rng) for _ in range(int(rng.integers(0, 4)))]
    for mention in gold:
        other = _mention(rng)
        kind = int(rng.integers(0, 6))
        parts = (mention.fragments, mention.label, mention.attributes)
        if kind < 4:
            changed = list(parts)
            if kind < 3:
                changed[kind] = (other.fragments, other.label, other.attributes)[kind]
            found.append(Small(*changed))  # type: ignore[arg-type]
    return found[:4]


def worlds(seed: int, size: int) -> list[World]:
    """Documents with nesting, crossing, duplicates, discontinuous mentions and many ties."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(size):
        gold = [_mention(rng) for _ in range(int(rng.integers(0, 5)))]
        if gold and rng.random() < 0.2:
            gold[-1] = gold[0]
        found.append((sorted(gold), sorted(_system(rng, gold))))
    return found


def corpora(found: Sequence[World], rng: np.random.Generator | None = None) -> Pair:
    """All documents in one pair; with a generator, mentions and system documents out of order."""
    sides = []
    for side in (0, 1):
        docs = []
        for i, world in enumerate(found):
            mentions = [mention.built() for mention in world[side]]
            if rng is not None:
                mentions = [mentions[k] for k in rng.permutation(len(mentions)).tolist()]
            docs.append(Document(f"d{i}", tokens=("w",) * LENGTH, mentions=tuple(mentions)))
        if rng is not None and side == 1:
            docs = [docs[k] for k in rng.permutation(len(docs)).tolist()]
        sides.append(Corpus.of(*docs))
    gold, system = sides
    return Pair.of(gold, system, labels=("A", "B", "C"))


def _links(gold: Sequence[int], system: Sequence[int], ok: set[tuple[int, int]]) -> Iterator[Links]:
    """Every one-to-one set of allowed links."""
    if not gold:
        yield []
        return
    head, tail = gold[0], gold[1:]
    yield from _links(tail, system, ok)
    for s in system:
        if (head, s) in ok:
            for rest in _links(tail, [other for other in system if other != s], ok):
                yield [(head, s), *rest]


def correct(g: Small, s: Small, attributes: Sequence[str]) -> int:
    """How many slots of two mentions agree."""
    same = (g.label == s.label) + (g.fragments == s.fragments)
    return same + sum(
        g.attributes[NAMES.index(n)] == s.attributes[NAMES.index(n)] for n in attributes
    )


def aligned(world: World, attributes: Sequence[str] | None) -> Links:
    """The alignment by definition; None for the attributes makes a mention one slot."""
    gold, system = world
    first: Links = []
    for g, mention in enumerate(gold):
        for s, other in enumerate(system):
            same = (mention.fragments, mention.label) == (other.fragments, other.label)
            if same and all(s != taken for _, taken in first):
                first.append((g, s))
                break
    ours = [g for g in range(len(gold)) if g not in dict(first)]
    theirs = [s for s in range(len(system)) if s not in [taken for _, taken in first]]
    shared = {(g, s): len(gold[g].positions & system[s].positions) for g in ours for s in theirs}
    slots = 1 if attributes is None else 2 + len(attributes)

    def badness(links: Links) -> tuple[int, int, int, Links]:
        c = 0
        if attributes is not None:
            c = sum(correct(gold[g], system[s], attributes) for g, s in links)
        substituted = slots * len(links) - c
        alone = slots * (len(ours) + len(theirs) - 2 * len(links))
        return substituted + alone, -c, -sum(shared[link] for link in links), sorted(links)

    best = min(_links(ours, theirs, {link for link, n in shared.items() if n}), key=badness)
    return sorted(first + best)


Counts = dict[tuple[int, str, str], float]
"""Document, label and outcome."""


def added(counts: Counts, document: int, label: str, outcomes: Mapping[str, float]) -> None:
    for outcome, weight in outcomes.items():
        if weight:
            key = (document, label, outcome)
            counts[key] = counts.get(key, 0.0) + weight

"""templates aligns forms, and in aligned forms fillers, as well as any alignment could; the order
of what a file gives, and how many documents it has, change nothing.
"""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest

from karat import Corpus, Pair, RecipeError, Tally, UsageError, parse, score
from karat.match.exact import Boundary, Exact
from karat.match.overlap import Contains, Overlap
from karat.match.templates import Templates
from tests.match._template_twin import Record, judged

LETTERS = "abcd"
MATCHES = {"exact": Exact(), "overlap": Overlap(), "contains": Contains(1)}
OUTCOMES = ("COR", "INC", "PAR", "MIS", "SPU")


def realised(rng: random.Random, words: int, kind: str) -> Any:
    """A text, a place, or both; texts are short and places are few, so that much is equal."""
    text = " ".join(rng.choice(LETTERS) for _ in range(rng.choice((1, 1, 1, 2, 3))))
    if kind == "text" or (kind == "both" and rng.random() < 0.5):
        return rng.choice((text, text.upper())) if rng.random() < 0.9 else {"text": text}
    start = rng.randrange(words)
    end = rng.randint(start + 1, min(words, start + 3))
    place: Record = {"start": 2 * start, "end": 2 * end - 1}
    if end - start == 3 and rng.random() < 0.5:
        place = {"fragments": [[2 * start, 2 * start + 1], [2 * end - 2, 2 * end - 1]]}
    if kind == "both" and rng.random() < 0.3:
        place["text"] = text
    return place


def filler(rng: random.Random, words: int, kind: str, plain: bool) -> Any:
    own = realised(rng, words, kind)
    if plain or rng.random() < 0.7:
        return own
    record = dict(own) if isinstance(own, dict) else {"text": own}
    if rng.random() < 0.6:
        record["alternatives"] = [realised(rng, words, kind) for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.6:
        record["optional"] = True
    return record


def form(rng: random.Random, words: int, kind: str, plain: bool, depth: int = 0) -> Record:
    slots: dict[str, list[Any]] = {}
    for slot in rng.sample("xyz", rng.choice((1, 1, 2, 2, 3))):
        slots[slot] = [filler(rng, words, kind, plain) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        if depth < 2 and rng.random() < 0.2:
            several = rng.choice((1, 2, 2, 3)) if depth == 0 else rng.choice((1, 1, 2))
            slots[slot] += [form(rng, words, kind, plain, depth + 1) for _ in range(several)]
    types = ("A", "A", "A", "B", "") if depth == 0 else ("", "", "P")
    return {"label": rng.choice(types), "slots": slots}


def worlds(seed: int, size: int) -> tuple[list[Record], list[Record]]:
    """Documents with up to four templates a side; the system repeats some of gold's."""
    rng = random.Random(seed)
    gold, system = [], []
    for i in range(size):
        words, kind = rng.randint(2, 5), rng.choice(("text", "place", "both", "text"))
        plain = rng.random() < 0.4
        text = " ".join(rng.choice(LETTERS) for _ in range(words))
        ours = [form(rng, words, kind, plain) for _ in range(rng.choice((0, 1, 1, 2, 3, 4)))]
        theirs = [form(rng, words, kind, plain) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        theirs += [rng.choice(ours) for _ in range(rng.choice((0, 0, 1, 1, 2))) if ours]
        ours += [rng.choice(ours) for _ in range(rng.choice((0, 0, 0, 1))) if ours]
        gold.append({"id": f"d{i}", "text": text, "templates": ours[:4]})
        system.append({"id": f"d{i}", "text": text, "templates": theirs[-4:]})
    return gold, system


GOLD, SYSTEM = worlds(seed=7, size=2000)


def shuffled(rng: random.Random, value: Any) -> Any:
    """Lists of templates, fillers and alternatives, and slots, in another order."""
    if isinstance(value, dict):
        keys = rng.sample(list(value), len(value))
        kept = ("fragments",)
        return {key: value[key] if key in kept else shuffled(rng, value[key]) for key in keys}
    if isinstance(value, list):
        return [shuffled(rng, each) for each in rng.sample(value, len(value))]
    return value


def counts(space: Templates, gold: list[Record], system: list[Record]) -> list[dict[Any, int]]:
    """For each document, (row, outcome) -> how many."""
    tally = Tally.of(space, Pair.of(Corpus.of(*gold), Corpus.of(*system)))
    found: list[dict[Any, int]] = [{} for _ in gold]
    for row, column in zip(*np.nonzero(tally.counts), strict=True):
        key = tally.labels[tally.label[row]], tally.outcomes[column]
        found[tally.unit[row]][key] = int(tally.counts[row, column])
    return found


def total(space: Templates, gold: list[Record], system: list[Record]) -> dict[str, float]:
    counted = Tally.of(space, Pair.of(Corpus.of(*gold), Corpus.of(*system))).counted()
    return {name: counted[name] for name in OUTCOMES}


def one(*templates: Record) -> list[Record]:
    return [{"id": "d", "templates": list(templates)}]


def talk(label: str = "talk", **slots: Any) -> Record:
    return {"label": label, "slots": slots}


every_space = pytest.mark.parametrize("match", MATCHES)
every_type = pytest.mark.parametrize("kind", ("same", "ignore"))


@every_type
@every_space
def test_no_alignment_is_better(match: str, kind: Any) -> None:
    size = len(GOLD) if match == "exact" else 600
    found = counts(Templates(MATCHES[match], kind), GOLD[:size], SYSTEM[:size])
    for gold, system, actual in zip(GOLD, SYSTEM, found, strict=False):
        assert judged(gold, system, match, 1, kind == "same") == actual, (gold, system)

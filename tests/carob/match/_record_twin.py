"""Records compared the slow and obvious way: all mappings of every list are tried."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

DATES = ("2024", "2024-01", "2024-01-02", "2024-01-03", "2023")
OUTCOMES = ("COR", "INC", "PAR", "MIS", "SPU")
Record = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """The slots of an object: strings, dates, lists of strings, and lists of objects, each with
    its weight, which multiplies down the path; and the floor of a list of such objects.
    """

    strings: dict[str, Fraction]
    dates: dict[str, Fraction]
    lists: dict[str, Fraction]
    objects: dict[str, tuple[Fraction, Kind]]
    floor: Fraction
    ordered: bool = False

    def slots(self, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """What a task says of them."""
        for name, weight in self.strings.items():
            yield f"{path}{name}", {"type": "string", "weight": float(weight)}
        for name, weight in self.dates.items():
            yield f"{path}{name}", {"type": "date", "weight": float(weight)}
        for name, weight in self.lists.items():
            yield f"{path}{name}", {"type": "string", "fillers": "any", "weight": float(weight)}
        for name, (weight, kind) in self.objects.items():
            yield f"{path}{name}", {
                "type": "object", "fillers": "any", "floor": float(kind.floor),
                "list": "ordered" if kind.ordered else "set", "weight": float(weight),
            }  # fmt: skip
            yield from kind.slots(f"{path}{name}.")


class Counts(NamedTuple):
    """Weighted counts of outcomes."""

    by: Counter[str]

    def plus(self, other: Counts) -> Counts:
        return Counts(Counter({o: self.by[o] + other.by[o] for o in OUTCOMES}))

    @property
    def similarity(self) -> Fraction:
        """2 (COR + PAR / 2) / (POS + ACT)."""
        cor, inc, par, mis, spu = (Fraction(self.by[outcome]) for outcome in OUTCOMES)
        whole = 2 * (cor + inc + par) + mis + spu
        return (2 * cor + par) / whole if whole else Fraction(0)


def counted(outcome: str, weight: Fraction) -> Counts:
    """One value."""
    return Counts(Counter({outcome: weight}))


NOTHING = Counts(Counter())


def text(value: Any) -> str:
    """The JSON text by which the items of lists are sorted; a list of one is its item."""
    if isinstance(value, dict):
        parts = [f"{json.dumps(k)}: {text(value[k])}" for k in sorted(value) if value[k] != []]
        return f"{{{', '.join(parts)}}}"
    if isinstance(value, list):
        return text(value[0]) if len(value) == 1 else f"[{', '.join(map(text, value))}]"
    return json.dumps(value)


def compare(gold: Record, system: Record, kind: Kind, times: Fraction = Fraction(1)) -> Counts:
    """Two objects, slot by slot."""
    found = NOTHING
    for name, weight in {**kind.strings, **kind.dates}.items():
        if name in gold or name in system:
            one, other = gold.get(name), system.get(name)
            outcome = "COR" if one == other else "INC"
            if one is None or other is None:
                outcome = "SPU" if one is None else "MIS"
            elif name in kind.dates and one != other:
                shorter, longer = sorted((one, other), key=len)
                outcome = "PAR" if longer.startswith(f"{shorter}-") else "INC"
            found = found.plus(counted(outcome, times * weight))
    for name, weight in kind.lists.items():
        ours, theirs = (Counter[str](side.get(name, ())) for side in (gold, system))
        for outcome, some in (
            ("COR", ours & theirs),
            ("MIS", ours - theirs),
            ("SPU", theirs - ours),
        ):
            found = found.plus(counted(outcome, times * weight * some.total()))
    for name, (weight, inner) in kind.objects.items():
        sides = gold.get(name, []), system.get(name, [])
        found = found.plus(list_counts(*sides, inner, times * weight))
    return found


def alone(record: Record, outcome: str, kind: Kind, times: Fraction) -> Counts:
    """An object without a partner."""
    sides = (record, {}) if outcome == "MIS" else ({}, record)
    return compare(*sides, kind, times)


def mappings(n: int, m: int) -> Iterator[list[tuple[int, int]]]:
    """Every one-to-one mapping, sorted."""
    for size in range(min(n, m) + 1):
        for some in itertools.combinations(range(n), size):
            for others in itertools.permutations(range(m), size):
                yield list(zip(some, others, strict=True))


def list_counts(gold: list[Record], system: list[Record], kind: Kind, times: Fraction) -> Counts:
    """Two lists of objects, by the best mapping."""
    if not kind.ordered:
        gold, system = sorted(gold, key=text), sorted(system, key=text)
    pairs = {
        (i, j): compare(one, other, kind, times)
        for i, one in enumerate(gold) for j, other in enumerate(system)
    }  # fmt: skip
    allowed = {
        pair for pair, own in pairs.items() if 0 < own.similarity and kind.floor <= own.similarity
    }
    best: Any = None
    for mapping in mappings(len(gold), len(system)):
        if not allowed.issuperset(mapping):
            continue
        if kind.ordered and [j for _, j in mapping] != sorted(j for _, j in mapping):
            continue
        own = [pairs[pair] for pair in mapping]
        key = (
            -sum((each.similarity for each in own), Fraction(0)),
            -sum(each.by["COR"] for each in own), -sum(each.by["PAR"] for each in own), mapping,
        )  # fmt: skip
        best = key if best is None or key < best else best
    found = NOTHING
    for pair in best[3]:
        found = found.plus(pairs[pair])
    for side, records, outcome in ((0, gold, "MIS"), (1, system, "SPU")):
        used = {pair[side] for pair in best[3]}
        for number, record in enumerate(records):
            if number not in used:
                found = found.plus(alone(record, outcome, kind, times))
    return found


def random_object(rng: random.Random, kind: Kind) -> Record:
    """An object with some of its slots."""
    made: Record = {name: rng.choice("xyz") for name in kind.strings if rng.random() < 0.8}
    made |= {name: rng.choice(DATES) for name in kind.dates if rng.random() < 0.7}
    for name in kind.lists:
        made[name] = [rng.choice("pqr") for _ in range(rng.randint(0, 2))]
    for name, (_, inner) in kind.objects.items():
        made[name] = [random_object(rng, inner) for _ in range(rng.randint(0, 2))]
    return {name: value for name, value in made.items() if value != []} or {"a": "x"}


def changed(rng: random.Random, record: Record, kind: Kind) -> Record:
    """A copy with some slots of another object."""
    other = random_object(rng, kind)
    mixed = {**record, **other}
    return {k: (record if k in record and rng.random() < 0.7 else mixed)[k] for k in mixed}


def random_lists(
    rng: random.Random, kind: Kind, most: int = 4
) -> tuple[list[Record], list[Record]]:
    """Two lists of objects, of which many are alike and some equal."""
    gold = [random_object(rng, kind) for _ in range(rng.randint(1, most))]

    def answer() -> Record:
        one = rng.choice(gold)
        return rng.choice([random_object(rng, kind), one, changed(rng, one, kind)])

    system = [answer() for _ in range(rng.randint(1, most))]
    return gold, system

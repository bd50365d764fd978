"""Counts of mentions by label, and what tools make of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from carob.pair.readings import Credits, Reading, Spot


class Counts(NamedTuple):
    """How many mentions are right, in gold, and in the system."""

    right: float
    gold: float
    system: float

    def __add__(self, other: tuple[object, ...]) -> Counts:
        right, gold, system = other
        return Counts(self.right + right, self.gold + gold, self.system + system)  # type: ignore[operator]

    def prf(self, zero: float = 0.0) -> tuple[float, float, float]:
        """Precision, recall and F1; 0/0 is `zero` for the first two, and 0 for F1.

        >>> Counts(1, 2, 4).prf()
        (0.25, 0.5, 0.3333333333333333)
        """
        precision = self.right / self.system if self.system else zero
        recall = self.right / self.gold if self.gold else zero
        both = precision + recall
        return precision, recall, 2 * precision * recall / both if both else 0.0


NONE = Counts(0, 0, 0)


def exact_counts(reading: Reading) -> dict[str, Counts]:
    """Of each label, the mentions that are equal on both sides, one-to-one.

    >>> spot = Spot(((0, 1),), "A")
    >>> exact_counts(Reading((spot,), (spot, spot)))
    {'A': Counts(right=1, gold=1, system=2)}
    """
    gold, system = Counter(reading.gold), Counter(reading.system)
    return _by_label((gold & system).elements(), reading)


def _by_label(right: Iterable[Spot], reading: Reading) -> dict[str, Counts]:
    parts = [Counter(spot.label for spot in each) for each in (right, *reading)]
    labels = sorted({*parts[1], *parts[2]})
    return {label: Counts(*(part[label] for part in parts)) for label in labels}


def exact_credits(reading: Reading) -> Credits:
    """1 for each mention that is equal on both sides, otherwise 0."""
    both = Counter(reading.gold) & Counter(reading.system)
    parts = []
    for spots in reading:
        left = Counter(both)
        values = []
        for spot in spots:
            values.append(1.0 if left[spot] > 0 else 0.0)
            left[spot] -= 1
        parts.append(values)
    return reading.credited(*parts)


def total(counts: Iterable[Counts]) -> Counts:
    """All labels together."""
    whole = NONE
    for each in counts:
        whole += each
    return whole


def averaged(
    counts: Mapping[str, Counts], weight: Callable[[Counts], float], zero: float = 0.0
) -> tuple[float, float, float] | None:
    """The mean of precision, recall and F1 over labels; None if nothing has a weight."""
    weights = [weight(each) for each in counts.values()]
    whole = sum(weights)
    if not whole:
        return None
    rows = [each.prf(zero) for each in counts.values()]
    means = [
        sum(w * row[i] for w, row in zip(weights, rows, strict=True)) / whole for i in range(3)
    ]
    return means[0], means[1], means[2]

"""Where things stand in a plot: positions for the templates that draw it.

An interval plot has one row for each run, on one axis. A history has a line for each team.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

MOST_POINTS = 500

WIDTH, MARGIN = 240.0, 8.0
"""Of the plot in a row of a table."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of numbers, from edge to edge, with round numbers to mark."""

    low: float
    high: float
    ticks: tuple[float, ...]
    left: float = MARGIN
    right: float = WIDTH - MARGIN
    decimals: int = 2

    def __call__(self, value: float) -> float:
        """Where a value stands.

        >>> Axis(0.0, 1.0, (), 0.0, 100.0)(0.25)
        25.0
        """
        share = (value - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 2)

    def text(self, value: float) -> str:
        """What stands at a mark."""
        return f"{value:.{self.decimals}f}".replace("-", "−")


def axis(
    values: Iterable[float | None], left: float = MARGIN, right: float = WIDTH - MARGIN,
    marks: int = 4,
) -> Axis:  # fmt: skip
    """An axis on which all values have room; its marks are round numbers.

    >>> axis([0.52, 0.81, None, float("nan")]).ticks
    (0.5, 0.6, 0.7, 0.8, 0.9)
    >>> axis([]).ticks
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """
    finite = [value for value in values if value is not None and math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    raw = (high - low) / marks
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) + (step / power == 2.5)
    ticks = tuple(round(step * k, 10) for k in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, left, right, decimals)


@dataclass(frozen=True, slots=True)
class Line:
    """The history of a team: its points, and where its name stands."""

    name: str
    series: int
    points: tuple[tuple[float, float], ...]
    label_y: float

    @property
    def path(self) -> str:
        """The points of a line that stays until it jumps."""
        steps: list[tuple[float, float]] = []
        for x, y in self.points:
            if steps:
                steps.append((x, steps[-1][1]))
            steps.append((x, y))
        return " ".join(f"{x:g},{y:g}" for x, y in steps)


@dataclass(frozen=True, slots=True)
class History:
    """Scores over time."""

    times: tuple[tuple[float, datetime], ...]
    scores: Axis
    lines: tuple[Line, ...]
    width: float = 720.0
    height: float = 280.0
    right: float = 580.0
    with_points: bool = True
    """Whether each run is marked; many hundreds would hide the lines."""


def history(series: Sequence[tuple[str, Sequence[tuple[datetime, float]]]]) -> History | None:
    """A line for each team; None if there is nothing to draw.

    >>> history([("a", [])]) is None
    True
    """
    series = [(name, points) for name, points in series if points]
    if not series:
        return None
    every = [point for _, points in series for point in points]
    first, last = min(when for when, _ in every), max(when for when, _ in every)
    across = Axis(first.timestamp(), max(last.timestamp(), first.timestamp() + 1), (), 48.0, 580.0)
    down = axis([score for _, score in every], 240.0, 12.0, 5)
    ends = sorted((down(points[-1][1]), i) for i, (_, points) in enumerate(series))
    labels, floor = {}, -math.inf
    for y, i in ends:  # names must not stand on each other
        floor = max(y, floor + 15.0)
        labels[i] = floor + 4.0
    lines = tuple(
        Line(name, i % 7 + 1, (*((across(when.timestamp()), down(score)) for when, score in points),
                               (580.0, down(points[-1][1]))), labels[i])
        for i, (name, points) in enumerate(series)
    )  # fmt: skip
    marks = sorted({first, last})
    times = tuple((across(when.timestamp()), when) for when in marks)
    height = max(280.0, max(labels.values()) + 20.0)
    return History(times, down, lines, height=height, with_points=len(every) <= MOST_POINTS)

"""Small charts side by side, each with a dot and an interval for every system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from carob.arrays.types import FloatArray
from carob.report.charts._style import (
    GRID,
    INK,
    LINE,
    SERIES,
    SIZE,
    SMALL,
    SOFT,
    Chart,
    axes,
    chart,
    draw_footnotes,
    fitting,
    footnotes,
    name_column,
    plain_numbers,
    printable,
    text_width,
)

NARROWEST = 0.75
"""The least width of the scale of a panel, in inches."""


class Dot(NamedTuple):
    """A score with its interval, and the text beside it. Each number may be missing."""

    value: float | None
    low: float | None = None
    high: float | None = None
    text: str = ""


def score_dot(
    value: float | None, low: float | None = None, high: float | None = None, *,
    is_count: bool = False, percent: bool = False,
) -> Dot:  # fmt: skip
    """The dot of a score, with the score as its text; with `percent`, in points unless it is a
    count.

    >>> score_dot(0.12345, percent=True).text, score_dot(1200.0, is_count=True).text
    ('12.3', '1,200')
    """
    if value is None:
        return Dot(None, text="-")
    if is_count:
        return Dot(value, low, high, f"{value:,.0f}")
    if not percent:
        return Dot(value, low, high, f"{value:.3f}")
    low, high = (None if end is None else 100 * end for end in (low, high))
    return Dot(100 * value, low, high, f"{100 * value:.1f}")


class Panel(NamedTuple):
    """One small chart: a dot for each system, in the order of all panels."""

    title: str
    dots: Sequence[Dot]
    note: str = ""
    """What stands to the right of the title."""


def draw_panels(
    names: Sequence[str],
    panels: Sequence[Panel],
    width: float,
    notes: Sequence[str] = (),
    *,
    one_scale: bool,
    bars: bool = False,
) -> Chart:
    """The panels in rows and columns, as many as fit beside each other; with `bars` from 0 instead
    of dots.
    """
    shown, names_width = name_column(names, width, share=0.4 if len(panels) == 1 else 0.3)
    left = 0.1 + names_width
    side = 0.08 + max((text_width(dot.text) for panel in panels for dot in panel.dots), default=0)
    gap = 0.12 + side
    most = max(1, int((width - left) / (NARROWEST + gap)))
    rows = -(-len(panels) // most)
    columns = -(-len(panels) // max(rows, 1))
    own = (width - left) / max(columns, 1) - gap
    height = max(len(names), 1) * LINE
    above, below = 0.24, 0.23
    lines, foot = footnotes(notes, width)
    figure = chart(width, rows * (above + height + below) + foot)
    scale = _scale([dot for panel in panels for dot in panel.dots], bars=bars)
    for i, panel in enumerate(panels):
        row, column = divmod(i, columns)
        top = row * (above + height + below) + above
        plot = axes(figure, left + column * (own + gap), top, own, height)
        own_scale = scale if one_scale else _scale(panel.dots, bars=bars)
        _panel(plot, panel, own_scale, own + side, bars=bars)
        ticks = max(1, round(own / 0.4))
        plot.xaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
        plot.set_yticks(range(len(names)) if column == 0 else [], shown if column == 0 else [])
    draw_footnotes(figure, lines)
    return figure


def _scale(dots: Sequence[Dot], *, bars: bool) -> tuple[float, float]:
    """From the least to the largest number, with some room; bars begin at 0."""
    numbers = [n for dot in dots for n in dot[:3] if n is not None]
    if bars:
        low, high = min(0.0, *numbers, 0.0), max(0.0, *numbers, 0.0)
        room = 0.04 * (high - low) or 0.01
        return low - room * (low < 0), high + room * (high > 0 or low == 0)
    if not numbers:
        return 0.0, 1.0
    low, high = min(numbers), max(numbers)
    room = 0.06 * (high - low) or 0.05 * abs(high) or 0.05
    return low - room, high + room


def _panel(
    plot: Axes, panel: Panel, scale: tuple[float, float], room: float, *, bars: bool
) -> None:
    count = len(panel.dots)
    plot.set_xlim(*scale)
    plot.set_ylim(count - 0.4, -0.6)
    note_room = text_width(panel.note) + 0.06 if panel.note else 0.0
    size = SIZE
    if text_width(printable(panel.title), SIZE, "bold") > room - note_room:
        size = SMALL
    title = fitting(panel.title, room - note_room, size, "bold")
    plot.set_title(title, loc="left", size=size, weight="bold", pad=4, x=0)
    if panel.note:
        width = room - 0.02
        place = width / plot.get_position().width / plot.figure.get_figwidth()  # type: ignore[union-attr]
        plot.annotate(
            panel.note, (place, 1), (0, 4), "axes fraction", textcoords="offset points",
            ha="right", va="baseline", size=SMALL - 0.5, color=SOFT,
        )  # fmt: skip
    plot.xaxis.set_major_formatter(plain_numbers())
    plot.grid(axis="x")
    plot.tick_params(axis="y", length=0)
    plot.spines["left"].set_visible(False)
    plot.spines["bottom"].set_color(GRID)
    there = [i for i, dot in enumerate(panel.dots) if dot.value is not None]
    values = np.array([panel.dots[i].value for i in there], np.float64)
    if bars:
        plot.barh(there, values, 0.66, color=SERIES[0], linewidth=0)
        plot.axvline(0, color=SOFT, linewidth=0.6)
    else:
        _dots(plot, panel, there, values)
    for i, dot in enumerate(panel.dots):
        if dot.text:
            plot.annotate(
                dot.text, (1, i), (5, 0), ("axes fraction", "data"), textcoords="offset points",
                ha="left", va="center_baseline", size=SMALL, color=INK,
            )  # fmt: skip


def _dots(plot: Axes, panel: Panel, there: Sequence[int], values: FloatArray) -> None:
    ends = [(i, dot.low, dot.high) for i, dot in enumerate(panel.dots)
            if dot.low is not None and dot.high is not None]  # fmt: skip
    if ends:
        place, low, high = np.array(ends).T
        plot.hlines(place, low, high, color=SERIES[0], linewidth=1.2, gid="intervals")
    plot.plot(values, there, "o", color=SERIES[0], markersize=3.4, gid="scores")

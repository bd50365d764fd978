"""reliability: how often answers are right, over how sure the system is of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from carob.arrays.types import FloatArray
from carob.corpus.problems import UsageError, many, nearest
from carob.report.charts._style import (
    GRID,
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
    inches,
    settings,
)
from carob.result.acceptance import Acceptance, Curve

DRAWS = ("Acceptance",)

NARROWEST, LARGEST, COUNTS = 1.0, 2.2, 0.4
"""The least and the largest side of a panel, and the height of the bars below it, in inches."""

MOST = 12
"""More systems than this are not shown."""


def draw(
    result: Acceptance,
    *,
    systems: Sequence[str] | None = None,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A panel for each system: a dot for each bin of confidences, to the right their mean, upwards
    the share of answers that is right, both in per cent, with its interval.

    Dots on the diagonal are confidences to be believed; below it, the system is too sure. The bars
    below the panel are the numbers of answers.

    >>> from carob import Corpus, by_confidence
    >>> gold = Corpus.of(*({"templates": [{"slots": {"a": [value]}}]} for value in "12"))
    >>> system = Corpus.of(
    ...     *(
    ...         {"templates": [{"slots": {"a": [value]}, "confidence": sure}]}
    ...         for value, sure in (("1", 0.9), ("x", 0.5))
    ...     )
    ... )
    >>> draw(by_confidence(gold, system)).axes[0].lines[1].get_xydata().tolist()
    [[50.0, 0.0], [90.0, 100.0]]
    """
    names = [curve.system for curve in result]
    for name in systems or ():
        if name not in names:
            raise UsageError(f"no system is called {name!r}{nearest(name, names)}")
    curves = [result[name] for name in (names if systems is None else systems)]
    notes = ["below the diagonal the system is too sure; bars: number of answers"]
    if len(curves) > MOST:
        notes.append(f"{many(len(curves) - MOST, 'more system')} not shown")
        curves = curves[:MOST]
    with settings(font):
        return _draw(curves, notes, inches(width))


def _draw(curves: Sequence[Curve], notes: Sequence[str], width: float) -> Chart:
    left, right, above, between, below = 0.46, 0.12, 0.24, 0.18, 0.4
    most = max(1, int(width / (NARROWEST + left + right)))
    rows = -(-len(curves) // most)
    columns = -(-len(curves) // rows)
    side = min(width / columns - left - right, LARGEST)
    step = above + side + between + COUNTS + below
    lines, foot = footnotes(notes, width)
    figure = chart(width, rows * step + foot)
    for i, curve in enumerate(curves):
        row, column = divmod(i, columns)
        place, top = column * (width / columns) + left, row * step + above
        plot = axes(figure, place, top, side, side)
        bars = axes(figure, place, top + side + between, side, COUNTS)
        title = fitting(f"{curve.system}, ECE {curve.ece or 0.0:.3f}", side + right, SIZE, "bold")
        plot.set_title(title, loc="left", size=SIZE, weight="bold", pad=4, x=0)
        _panel(plot, curve)
        _counts(bars, curve)
        if column == 0:
            plot.set_ylabel("right, %", labelpad=2, size=SMALL, color=SOFT)
    draw_footnotes(figure, lines)
    return figure


def _panel(plot: Axes, curve: Curve) -> None:
    bins = [each for each in curve.bins if each.answers]

    def column(name: str) -> FloatArray:
        return 100 * np.array([getattr(each, name) for each in bins], np.float64)

    plot.plot([0, 100], [0, 100], color=SOFT, linewidth=0.7, zorder=1)
    sure, low, high = (column(name) for name in ("confidence", "share_low", "share_high"))
    plot.vlines(sure, low, high, color=SERIES[0], linewidth=1.2, gid="intervals")
    plot.plot(sure, column("share"), "o", color=SERIES[0], markersize=3.8, clip_on=False,
              zorder=3, gid="shares")  # fmt: skip
    plot.set_xlim(0, 100)
    plot.set_ylim(0, 100)
    ticks = range(0, 101, 20)
    plot.set_xticks(ticks, [""] * len(ticks))
    plot.set_yticks(ticks)
    plot.grid()
    plot.tick_params(length=0)
    for spine in plot.spines.values():
        spine.set_color(GRID)


def _counts(plot: Axes, curve: Curve) -> None:
    answers = [each.answers for each in curve.bins]
    width = 100 / len(curve.bins)
    plot.bar([100 * each.low for each in curve.bins], answers, 0.92 * width, align="edge",
             color=SERIES[3], linewidth=0, gid="answers")  # fmt: skip
    plot.set_xlim(0, 100)
    plot.set_ylim(0, max([1, *answers]))
    plot.set_xticks(range(0, 101, 20))
    plot.set_yticks([max([1, *answers])], [f"{max([1, *answers]):,}"])
    plot.spines["left"].set_visible(False)
    plot.spines["bottom"].set_color(GRID)
    plot.tick_params(axis="y", length=0)
    plot.set_xlabel("confidence, %", labelpad=2, size=SMALL, color=SOFT)

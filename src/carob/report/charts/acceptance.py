"""acceptance: the error rate of what is accepted over the share that is accepted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from carob.arrays.types import FloatArray
from carob.corpus.problems import UsageError, many, nearest
from carob.report.charts._style import (
    GRID,
    INK,
    LINE,
    PAPER,
    SERIES,
    SMALL,
    SOFT,
    Chart,
    Key,
    axes,
    chart,
    draw_footnotes,
    draw_key,
    fitting,
    footnotes,
    inches,
    key_lines,
    plain_numbers,
    settings,
)
from carob.result.acceptance import Acceptance, Curve

DRAWS = ("Acceptance",)

COLORS = tuple(SERIES[i] for i in (0, 1, 2, 5, 6, 4))
"""Without grey; the two blues far apart, which are alike on dark paper."""

HEIGHT = 2.0
"""The height of the scale, in inches."""


def draw(
    result: Acceptance,
    *,
    systems: Sequence[str] | None = None,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A line for each system: to the right the share of answers that is accepted, upwards the share
    of these that is wrong, both in per cent, with its interval as a band.

    A dot is a threshold for a wanted error rate, with the threshold beside it; of several systems,
    the thresholds are in the table only. At the right end everything is accepted.

    >>> from carob import Corpus, by_confidence
    >>> gold = Corpus.of(*({"templates": [{"slots": {"a": [value]}}]} for value in "12"))
    >>> system = Corpus.of(
    ...     *(
    ...         {"templates": [{"slots": {"a": [value]}, "confidence": sure}]}
    ...         for value, sure in (("1", 0.9), ("x", 0.8))
    ...     )
    ... )
    >>> draw(by_confidence(gold, system)).axes[0].lines[0].get_xydata().tolist()
    [[50.0, 0.0], [100.0, 50.0]]
    """
    names = [curve.system for curve in result]
    for name in systems or ():
        if name not in names:
            raise UsageError(f"no system is called {name!r}{nearest(name, names)}")
    curves = [result[name] for name in (names if systems is None else systems)]
    notes = []
    if len(curves) > len(COLORS):
        notes.append(f"{many(len(curves) - len(COLORS), 'more system')} not shown")
        curves = curves[: len(COLORS)]
    if len(curves) == 1:
        notes += _notes(curves[0])
    with settings(font):
        return _draw(result, curves, notes, inches(width))


def _notes(curve: Curve) -> list[str]:
    there, none = (
        [
            f"{100 * each.error_rate:g}\u00a0%"
            for each in curve.wanted
            if (each.point is None) == lost
        ]
        for lost in (False, True)
    )
    notes = []
    if there:
        rates = ", ".join(there)
        notes.append(f"dots: accept from this confidence on for an error rate of at most {rates}")
    if none:
        notes.append(f"no threshold is high enough for {', '.join(none)}")
    return notes


def _draw(result: Acceptance, curves: Sequence[Curve], notes: Sequence[str], width: float) -> Chart:
    keys = [Key(fitting(curve.system, width - 0.4), color)
            for curve, color in zip(curves, COLORS, strict=False)]  # fmt: skip
    heads = key_lines(keys, width - 0.1)
    left, right, below = 0.46, 0.14, 0.4
    top = 0.14 + LINE * len(heads)
    lines, foot = footnotes(notes, width)
    figure = chart(width, top + HEIGHT + below + foot)
    plot = axes(figure, left, top, width - left - right, HEIGHT)
    for curve, color in zip(curves, COLORS, strict=False):
        _line(plot, curve, color, texts=len(curves) == 1)
    plot.set_xlim(0, 100)
    plot.set_ylim(0, _top(curves))
    for axis in (plot.xaxis, plot.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(plain_numbers())
    plot.grid()
    plot.spines["left"].set_visible(False)
    plot.spines["bottom"].set_color(GRID)
    plot.tick_params(axis="y", length=0)
    what = fitting(f"accepted: {result.nouns()} that need nobody, %", width - left - right)
    plot.set_xlabel(what, labelpad=2, size=SMALL, color=SOFT)
    plot.set_ylabel("wrong among accepted, %", labelpad=2, size=SMALL, color=SOFT)
    draw_key(figure, heads, 0.05)
    draw_footnotes(figure, lines)
    return figure


def _top(curves: Sequence[Curve]) -> float:
    """The upper end of the scale: intervals of very few answers may be higher."""
    rates = [100 * point.error_rate for curve in curves for point in curve.points]
    ends = [100 * point.error_high for curve in curves for point in curve.points
            if point.error_high is not None and point.automation >= 0.1]  # fmt: skip
    return min(100.0, 1.06 * max([1.0, *rates, *ends]))


def _line(plot: Axes, curve: Curve, color: str, *, texts: bool) -> None:
    def column(name: str) -> FloatArray:
        return 100 * np.array([getattr(each, name) for each in curve.points], np.float64)

    share = column("automation")
    plot.fill_between(share, column("error_low"), column("error_high"), color=color, alpha=0.14,
                      linewidth=0, gid="intervals")  # fmt: skip
    plot.plot(share, column("error_rate"), color=color, linewidth=1.4, label=curve.system,
              marker="o" if len(share) == 1 else "", markersize=3.4)  # fmt: skip
    there = [each.point for each in curve.wanted if each.point is not None]
    points = list({point.threshold: point for point in there}.values())
    plot.plot([100 * p.automation for p in points], [100 * p.error_rate for p in points], "o",
              color=color, markersize=5, markeredgecolor=PAPER, markeredgewidth=0.6, zorder=3,
              clip_on=False, gid="wanted")  # fmt: skip
    for point in points if texts else ():
        plot.annotate(
            f"{point.threshold:g}", (100 * point.automation, 100 * point.error_rate), (-3, 5),
            textcoords="offset points", ha="right", va="bottom", size=SMALL, color=INK,
        )  # fmt: skip

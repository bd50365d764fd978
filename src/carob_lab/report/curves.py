"""curves: scores over the number of training documents, a line for each learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator, NullFormatter, NullLocator

from carob.arrays.types import FloatArray
from carob.corpus.problems import UsageError, many, nearest
from carob.report.charts._style import (
    GRID,
    LINE,
    PAPER,
    SERIES,
    SIZE,
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
    text_width,
)
from carob_lab.report.experiment import RANDOM, CurvePoint, Experiment

DRAWS = ("Experiment",)
NEEDS = "an experiment: carob run writes it into report.html, and plot() of its result draws it"

MOST, MOST_SPLITS = 12, 30
"""More lines, and more thin lines below each, than this are not shown."""

NARROWEST, HEIGHT = 1.6, 1.7
"""The least width of a panel with its numbers, and the height of its scale, in inches."""

COLORS = tuple(SERIES[i] for i in (0, 1, 2, 5, 6, 4))
"""Without grey; the two blues far apart, which are alike on dark paper."""

MARKERS = "osD^vP"


class Line(NamedTuple):
    """A curve: sizes, means, the ends of intervals, and a row of scores for each split."""

    sizes: FloatArray
    means: FloatArray
    low: FloatArray
    high: FloatArray
    splits: FloatArray


class Look(NamedTuple):
    """How a curve is drawn."""

    color: str
    marker: str
    style: str


def draw(
    result: Experiment,
    *,
    active: str | None = None,
    recipes: Sequence[str] | None = None,
    percent: bool = False,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A panel for each recipe, with a curve for each learner; sizes are on a logarithmic scale.

    A thick line is the mean over splits, a thin line one split, and the band an interval of 95 %.
    With `active`, the name of a learner, the curves are those of active learning, one for each
    strategy. Of `recipes`, by default all but precision and recall are shown.

    >>> from carob_lab.report.experiment import CurvePoint, LearnerResult
    >>> points = [
    ...     CurvePoint("rote", "", n, n, "oaod.F1", n / 40, splits={"s": n / 40}) for n in (10, 20)
    ... ]
    >>> rote = LearnerResult("rote", {}, {}, 2, 2)
    >>> chart = draw(Experiment("", {}, {"rote": rote}, curve=tuple(points)))
    >>> chart.axes[0].lines[0].get_ydata().tolist()
    [0.25, 0.5]
    """
    points = _points(result, active)
    known = list(dict.fromkeys(each.recipe for each in points))
    for each in recipes or ():
        if each not in known:
            raise UsageError(f"no curve here has the recipe {each!r}{nearest(each, known)}")
    if recipes is None:
        recipes = [each for each in known if _measure(each) not in ("P", "R")] or known
    names = list(dict.fromkeys(_name(each, active) for each in points))
    notes = [f"{many(len(names) - MOST, 'more curve')} not shown"] if len(names) > MOST else []
    names = names[:MOST]
    panels = {
        recipe: {
            name: _line([each for each in points
                         if (each.recipe, _name(each, active)) == (recipe, name)], percent=percent)
            for name in names
        }
        for recipe in recipes
    }  # fmt: skip
    count = max(len(line.splits) for panel in panels.values() for line in panel.values())
    if count > MOST_SPLITS:
        notes.append(f"thin lines: the first {MOST_SPLITS} of {count:,} splits")
    with settings(font):
        return _draw(panels, dict(zip(names, _looks(names, active), strict=True)), notes,
                     inches(width))  # fmt: skip


def _points(result: Experiment, active: str | None) -> Sequence[CurvePoint]:
    """The points of learning curves, or of the active learning of one learner."""
    learners = list(dict.fromkeys(each.learner for each in result.active))
    if active is None:
        if not result.curve:
            hint = f'active="{learners[0]}" shows active learning' if learners else (
                'plot("intervals") shows its scores'
            )  # fmt: skip
            raise UsageError(f"the experiment has no learning curve; {hint}")
        return result.curve
    if active not in learners:
        raise UsageError(f"no learner of active learning is called {active!r}"
                         f"{nearest(active, learners)}")  # fmt: skip
    return [each for each in result.active if each.learner == active]


def _name(point: CurvePoint, active: str | None) -> str:
    return point.learner if active is None else point.strategy


def _measure(recipe: str) -> str:
    return recipe.rpartition(".")[2].partition("@")[0]


def _line(points: Sequence[CurvePoint], *, percent: bool) -> Line:
    """A curve in the order of sizes. What has no value is NaN, which is a gap."""
    points = sorted(points, key=lambda each: each.documents)
    splits = list(dict.fromkeys(split for each in points for split in each.splits))

    def column(values: Sequence[Any]) -> FloatArray:
        return np.array(values, np.float64) * (100 if percent else 1)

    return Line(
        np.array([each.documents for each in points], np.float64),
        column([each.mean for each in points]),
        column([each.low for each in points]),
        column([each.high for each in points]),
        column([[each.splits.get(split) for each in points] for split in splits]).reshape(
            len(splits), len(points)
        ),
    )


def _looks(names: Sequence[str], active: str | None) -> list[Look]:
    """A colour and a marker for each curve; after six, the same colours with broken lines. The
    control of active learning is grey.
    """
    looks, others = [], 0
    for name in names:
        if active is not None and name == RANDOM:
            looks.append(Look(SERIES[3], "X", "-"))
            continue
        place = others % len(COLORS)
        looks.append(Look(COLORS[place], MARKERS[place], "-" if others < len(COLORS) else "--"))
        others += 1
    return looks


def _draw(
    panels: dict[str, dict[str, Line]], looks: dict[str, Look], notes: Sequence[str], width: float
) -> Chart:
    keys = [Key(fitting(name, width - 0.4), look.color, look.marker)
            for name, look in looks.items()]  # fmt: skip
    heads = key_lines(keys, width - 0.1)
    most = max(1, int(width / NARROWEST))
    rows = -(-len(panels) // most)
    columns = -(-len(panels) // rows)
    left, right, above, below = 0.36, 0.1, 0.24, 0.36
    own = width / columns - left - right
    top = 0.06 + LINE * len(heads)
    step = above + HEIGHT + below
    lines, foot = footnotes(notes, width)
    figure = chart(width, top + rows * step + foot)
    scales = {measure: _scale([line for recipe, panel in panels.items()
                               if _measure(recipe) == measure for line in panel.values()])
              for measure in map(_measure, panels)}  # fmt: skip
    for i, (recipe, panel) in enumerate(panels.items()):
        row, column = divmod(i, columns)
        plot = axes(figure, column * (own + left + right) + left, top + row * step + above, own,
                    HEIGHT)  # fmt: skip
        plot.set_ylim(*scales[_measure(recipe)])
        title = fitting(recipe, own, SIZE, "bold")
        plot.set_title(title, loc="left", size=SIZE, weight="bold", pad=4, x=0)
        _sizes(plot, list(panel.values()), own)
        for name, line in panel.items():
            _curve(plot, line, looks[name], name)
    draw_key(figure, heads, 0.05)
    draw_footnotes(figure, lines)
    return figure


def _scale(lines: Sequence[Line]) -> tuple[float, float]:
    """From the least to the largest number, with some room."""
    numbers = np.concatenate([part.ravel() for line in lines for part in line[1:]])
    numbers = numbers[~np.isnan(numbers)]
    if not len(numbers):
        return 0.0, 1.0
    low, high = float(numbers.min()), float(numbers.max())
    room = 0.04 * (high - low) or 0.05 * abs(high) or 0.05
    return low - room, high + room


def _sizes(plot: Axes, lines: Sequence[Line], width: float) -> None:
    """The scale of sizes: logarithmic, with a number at each size that has room."""
    sizes = sorted({size for line in lines for size in line.sizes.tolist() if size > 0}) or [1.0]
    first, last = sizes[0] / 1.1, sizes[-1] * 1.1
    plot.set_xscale("log")
    plot.set_xlim(first, last)
    inch = width / np.log(last / first)
    shown: list[tuple[float, float, str]] = []
    for size in (sizes[-1], *sizes[:-1]):  # the last has its number for sure
        text = f"{size:,.0f}"
        place, half = np.log(size / first) * inch, text_width(text) / 2 + 0.03
        if all(abs(place - other) >= half + text_width(label) / 2 for other, _, label in shown):
            shown.append((place, size, text))
    plot.xaxis.set_minor_locator(NullLocator())
    plot.xaxis.set_minor_formatter(NullFormatter())
    plot.set_xticks([size for _, size, _ in shown], [text for _, _, text in shown])
    plot.set_xlabel("training documents", labelpad=2, size=SMALL, color=SOFT)
    plot.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    plot.yaxis.set_major_formatter(plain_numbers())
    plot.grid(axis="y")
    plot.spines["left"].set_visible(False)
    plot.spines["bottom"].set_color(GRID)
    plot.tick_params(axis="y", length=0)


def _curve(plot: Axes, line: Line, look: Look, name: str) -> None:
    thin = [np.column_stack([line.sizes, each]) for each in line.splits[:MOST_SPLITS]]
    plot.add_collection(
        LineCollection(thin, colors=look.color, linewidths=0.5, alpha=0.5, gid="splits"),
        autolim=False,
    )
    plot.fill_between(line.sizes, line.low, line.high, color=look.color, alpha=0.14, linewidth=0,
                      gid="intervals")  # fmt: skip
    plot.plot(
        line.sizes, line.means, color=look.color, marker=look.marker, linestyle=look.style,
        linewidth=1.4, markersize=4, markeredgecolor=PAPER, markeredgewidth=0.4, label=name,
        clip_on=False, zorder=3,
    )  # fmt: skip

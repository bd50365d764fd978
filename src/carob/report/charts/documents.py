"""documents: the scores of two systems in each document, one against the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.ticker import MaxNLocator

from carob.arrays.types import FloatArray, IntArray
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
    plain_numbers,
    printable,
    settings,
)
from carob.result.scores import Scores

DRAWS = ("Scores",)

MOST = 1_500
"""If documents have more different pairs of scores than this, near ones share a dot."""

CELLS = 40
"""As many dots then fit beside each other."""

LARGEST = 3.6
"""The largest side of the chart, in inches."""

CLOSE = 1e-12
"""Scores that are closer are equal."""


class Both(NamedTuple):
    """The scores of two systems in each document, NaN where they are undefined."""

    a: str
    b: str
    recipe: str
    documents: Sequence[str]
    scores: FloatArray
    lower_is_better: bool


def draw(
    result: Scores,
    *,
    systems: Sequence[str] | None = None,
    recipe: str | None = None,
    percent: bool = False,
    link: Callable[[str], str] | None = None,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A dot for each document: the score of one system to the right, of the other upwards.

    The scores need those of documents: `carob.score(..., by_document=True)`. `systems` are two
    names, by default the only two; the `recipe` is by default the first that is neither precision
    nor recall. The area of a dot says how many documents have the same two scores. Documents in
    which a score is undefined are left out and counted. With `percent`, scores are shown as 84.3
    instead of 0.843. `link` gives the address to which the dot of a single document leads.

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    >>> few = Corpus.of("Ann slept", "[Bo]PER woke")
    >>> chart = draw(score(gold, {"a": few, "b": gold}, "exact.F1", by_document=True))
    >>> chart.axes[0].collections[0].get_offsets().tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    both = _of_pair(result, systems, recipe)
    if percent:
        both = both._replace(scores=100 * both.scores)
    rows = np.flatnonzero(~np.isnan(both.scores).any(axis=1))
    points = both.scores[rows]
    ahead = (points[:, 1] - points[:, 0]) * (-1 if both.lower_is_better else 1)
    better, worse = int((ahead > CLOSE).sum()), int((ahead < -CLOSE).sum())
    notes = [
        f"{both.recipe} in {many(len(rows), 'document')}: {printable(both.b)} is better in "
        f"{better:,}, {printable(both.a)} in {worse:,}; they are equal in "
        f"{len(rows) - better - worse:,}"
    ]
    if both.lower_is_better:
        notes.append("lower is better")
    if gone := len(both.scores) - len(rows):
        notes.append(f"{many(gone, 'document')} without a score left out")
    with settings(font):
        return _draw(both, points, rows, notes, link, inches(width))


def _of_pair(result: Scores, systems: Sequence[str] | None, recipe: str | None) -> Both:
    names = list(dict.fromkeys(each.system for each in result))
    chosen = list(names if systems is None else systems)
    for name in chosen:
        if name not in names:
            raise UsageError(f"no system is called {name!r}{nearest(name, names)}")
    if len(chosen) != 2:
        raise UsageError(f"documents is a chart of two systems, found {len(chosen)}")
    recipes = list(dict.fromkeys(each.recipe for each in result))
    if recipe is None:
        recipe = next((s.recipe for s in result if s.measure not in ("P", "R")), recipes[0])
    if recipe not in recipes:
        raise UsageError(f"no score here has the recipe {recipe!r}{nearest(recipe, recipes)}")
    first, second = (result[name, recipe] for name in chosen)
    if first.by_document is None or second.by_document is None:
        raise UsageError("there are no scores of documents: carob.score(..., by_document=True)")
    scores = np.stack([first.by_document, second.by_document], axis=1)
    return Both(chosen[0], chosen[1], recipe, result.documents, scores, first.lower_is_better)


def _draw(
    both: Both, points: FloatArray, rows: IntArray, notes: Sequence[str],
    link: Callable[[str], str] | None, width: float,
) -> Chart:  # fmt: skip
    left, above, below = 0.5, 0.08, 0.4
    side = min(width - left - 0.1, LARGEST)
    low, high = _scale(points)
    dots, of_dot = _dots(points, (low, high))
    counts = np.bincount(of_dot, minlength=len(dots)) if len(dots) else np.empty(0, np.int64)
    lines, foot = footnotes(notes, width)
    figure = chart(width, above + side + below + foot)
    plot = axes(figure, left, above, side, side)
    plot.set_xlim(low, high)
    plot.set_ylim(low, high)
    for axis in (plot.xaxis, plot.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(plain_numbers())
    plot.grid()
    plot.plot([low, high], [low, high], color=SOFT, linewidth=0.7, zorder=1)
    area = np.maximum(counts * min(9.0, 260.0 / max(counts.max(initial=1), 1)), 4.0)
    made: PathCollection = plot.scatter(
        dots[:, 0], dots[:, 1], area, SERIES[0], alpha=0.55, linewidths=0.3, edgecolors=GRID,
        zorder=2,
    )  # fmt: skip
    made.set_clip_on(False)
    if link is not None:
        alone = dict(zip(of_dot.tolist(), rows.tolist(), strict=True))
        made.set_urls([
            _named_link(figure, link, both.documents[alone[i]], dots[i]) if counts[i] == 1 else None
            for i in range(len(dots))
        ])  # fmt: skip
    for upper in (True, False):
        best = both.b if upper != both.lower_is_better else both.a
        plot.text(
            *((0.06, 0.91) if upper else (0.94, 0.09)), f"{fitting(best, side / 3)} better",
            transform=plot.transAxes, ha="left" if upper else "right", va="center", size=SMALL,
            color=SOFT,
        )  # fmt: skip
    plot.set_xlabel(fitting(both.a, side, SIZE), size=SIZE, labelpad=2)
    plot.set_ylabel(fitting(both.b, side, SIZE), size=SIZE, labelpad=2)
    draw_footnotes(figure, lines)
    return figure


def _named_link(
    figure: Chart, link: Callable[[str], str], document: str, scores: FloatArray
) -> str:
    address = link(document)
    figure.link_names[address] = printable(f"{document}: {scores[0]:.3f}, {scores[1]:.3f}")
    return address


def _scale(points: FloatArray) -> tuple[float, float]:
    """The same for both axes, with some room: from the least to the largest score."""
    low, high = (float(points.min()), float(points.max())) if len(points) else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def _dots(points: FloatArray, scale: tuple[float, float]) -> tuple[FloatArray, IntArray]:
    """The different pairs of scores, and which of them each document has. Of too many, those that
    are near each other become one, in their middle.
    """
    dots, of_dot = np.unique(points, axis=0, return_inverse=True)
    of_dot = of_dot.reshape(-1)
    if len(dots) <= MOST:
        return dots, of_dot
    low, high = scale
    cell = np.floor((points - low) / (high - low) * CELLS)
    _, of_dot = np.unique(cell[:, 0] * CELLS + cell[:, 1], return_inverse=True)
    of_dot = of_dot.reshape(-1)
    counts = np.bincount(of_dot)
    middles = [np.bincount(of_dot, column) / counts for column in points.T]
    return np.stack(middles, axis=1), of_dot

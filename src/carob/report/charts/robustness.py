"""robustness: the ranks of systems under every choice. Does the winner stay the winner?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.collections import LineCollection

from carob.arrays.types import FloatArray
from carob.corpus.problems import many
from carob.report.charts._style import (
    GRID,
    PAPER,
    SERIES,
    SMALL,
    SOFT,
    Chart,
    axes,
    chart,
    draw_footnotes,
    fitting,
    footnotes,
    inches,
    name_column,
    settings,
    text_width,
)
from carob.result.robustness import Choice, Robustness

DRAWS = ("Robustness",)

MOST, MOST_CHOICES = 16, 60
"""More systems and more rows than this are not shown."""

ROW = 0.125
"""The height of a row, in inches."""

COLORS = tuple(color for i, color in enumerate(SERIES) if i != 3)
"""Without grey, which is for systems that are never first."""

MARKERS = "osD^vP"


class Row(NamedTuple):
    """A choice, or several that differ in the repair policy and rank all systems alike."""

    name: str
    block: str
    order: tuple[tuple[str, ...], ...]


def draw(result: Robustness, *, width: float | str = "column", font: str = "sans") -> Chart:
    """A row for each choice, a line for each system from its rank in one row to that in the next.

    The first row is the reference. Systems that are first under some choice have a colour; if the
    winner stays, one coloured line goes straight down on the left. Systems that tie stand beside
    each other, with a bar across them. Repair policies under which all ranks are the same share a
    row.

    >>> from carob import Corpus, robust
    >>> gold, few = Corpus.of("[Ann Lee]PER slept"), Corpus.of("Ann Lee slept")
    >>> chart = draw(robust(gold, {"a": few, "b": gold}, ["exact.F1", "overlap.F1"]))
    >>> [(line.get_label(), line.get_xdata().tolist()) for line in chart.axes[0].lines]
    [('b', [1.0, 1.0]), ('a', [2.0, 2.0])]
    """
    rows = _rows(result.choices)
    notes = [result.answer]
    if len(rows) > MOST_CHOICES:
        notes.append(f"{many(len(rows) - MOST_CHOICES, 'more choice')} not shown")
        rows = rows[:MOST_CHOICES]
    names = [each.system for each in result.standings]
    winners = [each.system for each in result.standings if each.alone + each.tied]
    # The best, and before them those that are ever first.
    shown = set([*winners, *(name for name in names if name not in winners)][:MOST])
    if len(names) > MOST:
        notes.append(f"{many(len(names) - MOST, 'more system')} not shown")
    places = _places(rows, names)
    with settings(font):
        return _draw(
            rows, {name: places[name] for name in names if name in shown}, winners, notes,
            inches(width),
        )  # fmt: skip


def _rows(choices: Sequence[Choice]) -> list[Row]:
    by_recipe: dict[str, list[Choice]] = {}
    for each in choices:
        by_recipe.setdefault(each.recipe, []).append(each)
    rows = []
    for recipe, several in by_recipe.items():
        orders = [each.order for each in several]
        if len(set(orders)) == 1:
            rows.append(Row(recipe, several[0].block, orders[0]))
        else:
            named = zip(several, orders, strict=True)
            rows += [Row(str(each), each.block, order) for each, order in named]
    return rows


def _row_names(rows: Sequence[Row]) -> list[str]:
    """The names of rows; if the one above has the same space and measure, only what differs."""
    names, before = [], ""
    for row in rows:
        block = row.block
        rest = row.name.removeprefix(block).removeprefix(", ")
        names.append(rest if block == before and rest else row.name)
        before = block
    return names


def _places(rows: Sequence[Row], names: Sequence[str]) -> dict[str, FloatArray]:
    """The rank of each system in each row; of those that tie, each has a place of its own, in the
    order of the row before.
    """
    places = {name: np.full(len(rows), np.nan) for name in names}
    before = {name: float(i) for i, name in enumerate(names)}
    for i, row in enumerate(rows):
        place = 1
        for tied in row.order:
            for name in sorted(tied, key=lambda name: before[name]):
                places[name][i] = before[name] = place
                place += 1
    return places


def _draw(
    rows: Sequence[Row], places: dict[str, FloatArray], winners: Sequence[str],
    notes: Sequence[str], width: float,
) -> Chart:  # fmt: skip
    shown, names_width = name_column(_row_names(rows), width, SMALL - 0.5)
    left = 0.08 + names_width
    heads = {name: fitting(name, 0.9, weight="bold") for name in places}
    longest = max(text_width(head, weight="bold") for head in heads.values())
    last = int(max(np.nanmax(place) for place in places.values() if not np.isnan(place).all()))
    step = min((width - left - 0.1) / last, 0.6)
    turned = longest > step - 0.04
    above = 0.12 + (longest if turned else 0.1)
    height = ROW * len(rows)
    lines, foot = footnotes(notes, width)
    figure = chart(width, above + height + 0.22 + foot)
    plot = axes(figure, left, above, step * last, height)
    plot.set_xlim(0.5, last + 0.5)
    plot.set_ylim(len(rows) - 0.5, -0.5)
    plot.set_yticks(range(len(rows)), shown, size=SMALL - 0.5)
    ticks = range(1, last + 1, 1 if last <= 20 else 5)
    plot.set_xticks(ticks, [str(tick) for tick in ticks])
    plot.tick_params(length=0)
    for spine in plot.spines.values():
        spine.set_visible(False)
    blocks = [row.block for row in rows]
    edges = [i - 0.5 for i in range(1, len(rows)) if blocks[i] != blocks[i - 1]]
    plot.hlines(edges, 0.5, last + 0.5, color=GRID, linewidth=0.5, zorder=0)
    ties = [
        [(min(own), i), (max(own), i)]
        for i, row in enumerate(rows)
        for tied in row.order
        if len(own := [places[name][i] for name in tied if name in places]) > 1
    ]
    plot.add_collection(LineCollection(ties, colors=GRID, linewidths=5, zorder=1), autolim=False)
    for name, place in places.items():
        there = winners.index(name) if name in winners else -1
        color = SERIES[3] if there < 0 else COLORS[there % len(COLORS)]
        plot.plot(
            place, range(len(rows)), color=color, label=name, clip_on=False,
            linewidth=0.8 if there < 0 else 1.4, markersize=3 if there < 0 else 3.8,
            marker="o" if there < 0 else MARKERS[there % len(MARKERS)], markeredgecolor=PAPER,
            markeredgewidth=0.4, zorder=2 if there < 0 else 3,
        )  # fmt: skip
        first = np.flatnonzero(~np.isnan(place))[:1]
        if len(first):
            plot.annotate(
                heads[name], (place[first[0]], -0.5), (0, 3), textcoords="offset points",
                ha="center", va="bottom", rotation=90 if turned else 0, size=SMALL,
                color=SOFT if there < 0 else None, annotation_clip=False,
                weight="normal" if there < 0 else "bold",
            )  # fmt: skip
    figure.text(
        (left - 0.06) / width, (foot + 0.085) / (above + height + 0.22 + foot), "rank",
        ha="right", size=SMALL - 0.5, color=SOFT,
    )  # fmt: skip
    draw_footnotes(figure, lines)
    return figure

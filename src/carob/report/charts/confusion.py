"""confusion: which labels of gold became which labels of the system, as a heat map."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import UsageError, nearest
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
    printable,
    settings,
    text_width,
    without_prefix,
)
from carob.result.errors import Errors

DRAWS = ("Errors",)

NARROWEST = 0.27
"""The least width of a column, in inches. As many labels are shown as there is room for."""

DARKEST = 0.75
"""How opaque a cell may be: text on it can be read in light and dark."""

Link = Callable[[str, str, str], str]
"""From a system, a label of gold and a label of the system, the address of the examples. For no
label it gets the sign that stands for none in `Errors.confusion.names`.
"""


def draw(
    result: Errors | Sequence[Errors],
    *,
    labels: Sequence[str] | None = None,
    link: Link | None = None,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """Rows are labels of gold, columns those of the system; errors only.

    A cell has the number of errors and its share of the row. The diagonal has errors with the
    right label: wrong boundaries, for slots wrong fillers. Of many labels those with the most
    errors are shown, and the others counted together. `link` gives the address to which a cell
    leads.

    >>> from carob import Corpus, errors
    >>> gold, system = Corpus.of("[Ann]PER [Rome]LOC"), Corpus.of("[Ann]LOC Rome")
    >>> chart = draw(errors(gold, system, recipes=["exact.F1"]))
    >>> [text.get_text() for text in chart.axes[0].texts]
    ['1\\n100%', '1\\n100%']
    """
    if not isinstance(result, Errors):
        if len(result) != 1:
            raise UsageError(f"confusion shows the errors of one system, not of {len(result)}")
        [result] = result
    every = list(result.confusion.labels)
    for label in labels or ():
        if label not in every:
            raise UsageError(f"no label is called {label!r}{nearest(label, every)}")
    width = inches(width)
    with settings(font):
        names, prefix = without_prefix(every)
        left = 0.34 + min(
            max([text_width(fitting(name, 9)) for name in names] + [text_width("(99 others)")]),
            0.26 * width,
        )
        room = max(2, int((width - left - 0.05) / NARROWEST))
        kept = _largest(result.confusion.matrix(), every, labels, room)
        matrix = _merged(result.confusion.matrix(), kept)
        rest = len(every) - len(kept)
        shown = [names[i] for i in kept] + [f"({rest:,} others)"] * (rest > 0) + ["(none)"]
        codes = [result.confusion.names[i] for i in kept] + [""] * (rest > 0)
        codes.append(result.confusion.names[-1])
        wrong = "the right slot with a wrong"
        right = f"{wrong} {result.items}" if result.of_slots else "wrong boundaries"
        notes = [f"{printable(result.name)}: {int(matrix.sum()):,} errors; diagonal: {right}"]
        if prefix:
            notes.append(f"slots of {printable(prefix[:-1])}")
        return _draw(result.name, matrix, shown, codes, left, notes, link, width)


def _largest(
    matrix: IntArray, every: Sequence[str], labels: Sequence[str] | None, room: int
) -> list[int]:
    """The places of the labels that are shown, in their order."""
    if labels is not None:
        return [every.index(label) for label in dict.fromkeys(labels)]
    if len(every) + 1 <= room:
        return list(range(len(every)))
    total = matrix.sum(axis=0)[:-1] + matrix.sum(axis=1)[:-1]
    most = np.argsort(-total, kind="stable")[: max(room - 2, 1)]
    return sorted(most.tolist())


def _merged(matrix: IntArray, kept: Sequence[int]) -> IntArray:
    """The rows and columns of these labels, of all other labels together, and of none."""
    rest = [i for i in range(len(matrix) - 1) if i not in set(kept)]
    groups = [[i] for i in kept] + ([rest] if rest else []) + [[len(matrix) - 1]]
    sums = np.array([matrix[group].sum(axis=0) for group in groups])
    return np.array([sums[:, group].sum(axis=1) for group in groups]).T


def _draw(
    system: str, matrix: IntArray, shown: Sequence[str], codes: Sequence[str], left: float,
    notes: Sequence[str], link: Link | None, width: float,
) -> Chart:  # fmt: skip
    size = len(matrix)
    cell = min((width - left - 0.05) / size, 0.75)
    height = min(max(0.25, 0.75 * cell), 0.34)
    widest = max(text_width(text) for text in (f"{int(matrix.max()):,}", "100%"))
    text_size = max(SMALL * min((cell - 0.04) / widest, 1.0), 4.0)
    heads = [fitting(name, 0.95) for name in shown]
    turned = max(map(text_width, heads)) > cell - 0.05
    above = 0.24 + (max(map(text_width, heads)) if turned else 0.1)
    lines, foot = footnotes(notes, width)
    figure = chart(width, above + size * height + 0.08 + foot)
    plot = axes(figure, left, above, cell * size, height * size)
    plot.set_xlim(0, size)
    plot.set_ylim(size, 0)
    plot.set_yticks(np.arange(size) + 0.5, [fitting(name, left - 0.34) for name in shown])
    plot.set_xticks(np.arange(size) + 0.5, heads, rotation=90 if turned else 0)
    plot.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    plot.xaxis.set_label_position("top")
    plot.set_xlabel("system", size=SIZE, color=SOFT, labelpad=4)
    plot.set_ylabel("gold", size=SIZE, color=SOFT, labelpad=4)
    for spine in plot.spines.values():
        spine.set_visible(False)

    rows, columns = np.nonzero(np.ones_like(matrix))
    squares = np.stack([columns, rows], 1)[:, None] + [[0, 0], [1, 0], [1, 1], [0, 1]]
    shares = _shares(matrix)
    strongest = max(float(matrix.max()), 1.0)
    colors = [
        to_rgba(SERIES[0], DARKEST * count / strongest if count else 0.0)
        for count in matrix.ravel().tolist()
    ]
    cells = PolyCollection(list(squares), facecolors=colors, edgecolors=GRID, linewidths=0.5)
    cells.set_clip_on(False)
    plot.add_collection(cells, autolim=False)
    addresses: list[str | None] = []
    for i, k, count in zip(rows.tolist(), columns.tolist(), matrix.ravel().tolist(), strict=True):
        address = None
        if count:
            plot.text(
                k + 0.5, i + 0.5, f"{count:,}\n{shares[i, k]:.0%}", ha="center", va="center",
                linespacing=0.95, size=text_size,
            )  # fmt: skip
            if link is not None and codes[i] and codes[k]:
                address = link(system, codes[i], codes[k])
                figure.link_names[address] = printable(
                    f"gold {shown[i]}, system {shown[k]}: {count:,} ({shares[i, k]:.1%})"
                )
        addresses.append(address)
    cells.set_urls(addresses)
    draw_footnotes(figure, lines)
    return figure


def _shares(matrix: IntArray) -> FloatArray:
    """Of each cell its share of the row."""
    total = matrix.sum(axis=1, keepdims=True)
    shares: FloatArray = matrix / np.where(total, total, 1)
    return shares

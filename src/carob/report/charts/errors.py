"""errors: how many errors of each type there are, as stacked bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from carob.corpus.problems import UsageError, many, nearest
from carob.report.charts._style import (
    GRID,
    LINE,
    PAPER,
    SERIES,
    SMALL,
    Chart,
    Key,
    axes,
    chart,
    draw_footnotes,
    draw_key,
    footnotes,
    inches,
    key_lines,
    name_column,
    printable,
    settings,
    text_width,
    without_prefix,
)
from carob.report.errors import MEANING
from carob.result.errors import Errors

DRAWS = ("Errors",)

MOST = 40
"""More systems or labels than this are not shown."""

COLORS = (*SERIES, "#f0e442")
"""Those of a series, and the yellow of Okabe & Ito: too light for lines, but not for bars."""

DARK = SERIES[0]
"""The colour on which text has that of paper; on all others, black is easier to read."""

Link = Callable[[str, str], str]
"""From a system and a type of error, the address of its examples."""


class Bar(NamedTuple):
    """One bar: its name, the system that it is of, and how many errors of each type there are."""

    name: str
    system: str
    counts: Mapping[str, int]


def draw(
    result: Errors | Sequence[Errors],
    *,
    by: str | None = None,
    label: str | None = None,
    link: Link | None = None,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A bar for each system, or with `by="label"` for each label of one system, which is the
    default if there is only one; a part for each type of error.

    With `label`, only its errors count. `link` gives the address to which a part leads.

    >>> from carob import Corpus, errors
    >>> gold, system = Corpus.of("[Ann]PER [Rome]LOC"), Corpus.of("[Ann]LOC Rome")
    >>> chart = draw(errors(gold, system, recipes=["exact.F1"]), by="system")
    >>> [(bars.get_label(), float(bars[0].get_width())) for bars in chart.axes[0].containers]
    [('LE', 1.0), ('FN', 1.0)]
    """
    every = [result] if isinstance(result, Errors) else list(result)
    one = len(every) == 1 and label is None
    by = by or ("label" if one and len(every[0].by_label) > 1 else "system")
    if by not in ("system", "label") or (by == "label" and len(every) > 1):
        raise UsageError("bars are by 'system', or by 'label' for the errors of one system")
    bars, notes = _labels(every[0]) if by == "label" else _systems(every, label)
    if label is not None:
        notes.append(f"errors of {printable(label)}")
    kinds = [kind for kind in every[0].kinds if any(bar.counts[kind] for bar in bars)]
    with settings(font):
        return _draw(bars, kinds, every[0].kinds, notes, link, inches(width))


def _systems(every: Sequence[Errors], label: str | None) -> tuple[list[Bar], list[str]]:
    """A bar for each system, the one with the fewest errors first."""
    bars = []
    for each in every:
        if label is not None and label not in each.by_label:
            raise UsageError(f"no label is called {label!r}{nearest(label, list(each.by_label))}")
        bars.append(
            Bar(each.name, each.name, each.counts if label is None else each.by_label[label])
        )
    kinds = every[0].kinds
    bars.sort(key=lambda bar: sum(bar.counts[kind] for kind in kinds))
    rest = len(bars) - MOST
    return bars[:MOST], [f"{many(rest, 'more system')} not shown"] if rest > 0 else []


def _labels(errors: Errors) -> tuple[list[Bar], list[str]]:
    """A bar for each label, the one with the most errors first."""
    names, prefix = without_prefix(list(errors.by_label))
    bars = [
        Bar(name, errors.name, row)
        for name, row in zip(names, errors.by_label.values(), strict=True)
    ]
    bars.sort(key=lambda bar: -sum(bar.counts[kind] for kind in errors.kinds))
    what = "slot" if errors.of_slots else "label"
    notes = [printable(errors.name) + (f", {what}s of {printable(prefix[:-1])}" if prefix else "")]
    rest = len(bars) - MOST
    return bars[:MOST], notes + ([f"{many(rest, f'more {what}')} not shown"] if rest > 0 else [])


def _draw(
    bars: Sequence[Bar], kinds: Sequence[str], every_kind: Sequence[str], notes: Sequence[str],
    link: Link | None, width: float,
) -> Chart:  # fmt: skip
    colors = {kind: COLORS[i % len(COLORS)] for i, kind in enumerate(every_kind)}
    totals = [sum(bar.counts[kind] for kind in kinds) for bar in bars]
    side = 0.1 + max((text_width(f"{total:,}") for total in totals), default=0.0)
    shown, names_width = name_column([bar.name for bar in bars], width)
    left = 0.1 + names_width
    keys = key_lines(
        [Key(f"{kind} {MEANING.get(kind, '')}".strip(), colors[kind]) for kind in kinds],
        width - 0.1,
    )
    above, height = 0.1 + LINE * len(keys), max(len(bars), 1) * LINE * 1.15
    lines, foot = footnotes(notes, width)
    figure = chart(width, above + height + 0.24 + foot)
    draw_key(figure, keys, 0.05)
    plot = axes(figure, left, above, width - left - side, height)
    most = max([*totals, 1])
    plot.set_xlim(0, most)
    plot.set_ylim(len(bars) - 0.45, -0.55)
    plot.set_yticks(range(len(bars)), shown)
    plot.tick_params(axis="y", length=0)
    plot.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10], integer=True))
    plot.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    plot.grid(axis="x")
    plot.spines["left"].set_visible(False)
    plot.spines["bottom"].set_color(GRID)
    scale = (width - left - side) / most
    before = [0] * len(bars)
    for kind in kinds:
        counts = [bar.counts[kind] for bar in bars]
        parts = plot.barh(
            range(len(bars)), counts, 0.74, before, color=colors[kind], edgecolor=PAPER,
            linewidth=0.4, label=kind,
        )  # fmt: skip
        for part, bar in zip(parts, bars, strict=True):
            if link is not None and bar.counts[kind]:
                address = link(bar.system, kind)
                part.set_url(address)
                name = f"{bar.system}: {bar.counts[kind]:,} {kind} {MEANING.get(kind, '')}"
                figure.link_names[address] = printable(name.strip())
        _numbers(plot, counts, before, scale, PAPER if colors[kind] == DARK else "#101010")
        before = [a + b for a, b in zip(before, counts, strict=True)]
    for i, total in enumerate(totals):
        plot.annotate(
            f"{total:,}", (total, i), (3, 0), textcoords="offset points", va="center_baseline",
            size=SMALL, annotation_clip=False,
        )  # fmt: skip
    draw_footnotes(figure, lines)
    return figure


def _numbers(
    plot: Axes, counts: Sequence[int], before: Sequence[int], scale: float, color: str
) -> None:
    """The counts inside the parts of bars that are wide enough; `scale` is inches for each."""
    for i, (count, start) in enumerate(zip(counts, before, strict=True)):
        text = f"{count:,}"
        if count and text_width(text, SMALL - 1) + 0.03 < count * scale:
            plot.text(
                start + count / 2, i, text, ha="center", va="center_baseline", size=SMALL - 1,
                color=color,
            )  # fmt: skip

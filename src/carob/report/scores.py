"""Scores as tables: one for each event space and average, measures side by side.

Event spaces that count the same answers in different ways (oas, oaod, oads) share a table, with a
line that says how they differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from carob.corpus.problems import many, plain
from carob.report.terminal import INDENT, WIDTH, Section, Style, Table, best, verdict
from carob.result.result import whole
from carob.result.scores import Score, Scores, Value

_NUMBERS = {2: "two", 3: "three"}


LAYOUTS = ("systems", "labels")
"""Systems x measures; labels x systems."""


def sections(scores: Scores, style: Style, *, width: int = WIDTH) -> list[Section]:
    """A section for each table; the last one has the remarks that hold for all."""
    made = [verdict(scores.gate)] if scores.gate else []
    made += _by_label(scores, style) if style.layout == "labels" else _by_system(scores, style)
    if made:
        made[-1] = made[-1]._replace(remarks=(*made[-1].remarks, *scores.remarks))
    if scores.audit is not None:
        lines = [f"audit: {scores.audit.summary}", *(f"  {each}" for each in scores.audit)]
        made.append(Section(sentences=lines, indent=" " * 11))
    return made


def _by_system(scores: Scores, style: Style) -> list[Section]:
    blocks: dict[str, list[Score]] = {}
    for score in scores:
        blocks.setdefault(_table_title(score), []).append(score)
    return [_section(scores, title, own, style) for title, own in blocks.items()]


def _by_label(scores: Scores, style: Style) -> list[Section]:
    """For each event space and measure, labels down and systems across; averages are the last
    rows. A label has the same score whatever the average.
    """
    tables: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        tables.setdefault((score.space, score.measure), []).append(score)
    made = []
    for (space, measure), here in tables.items():
        names = [system.name for system in scores.systems]
        rows = [[plain(f"{space}.{measure}"), *map(plain, names), "gold"]]
        bold: set[tuple[int, int]] = set()
        by_average: dict[str, dict[str, Score]] = {}
        for score in here:
            by_average.setdefault(score.average, {})[score.system] = score
        first = next(iter(by_average.values()))
        labels = dict.fromkeys(label for name in names for label in first[name].by_label)
        lines = [
            (label, [first[name].by_label.get(label, Value(None)) for name in names])
            for label in sorted(labels)
        ]
        lines += [
            (average_row(average), [own[name].overall for name in names])
            for average, own in by_average.items()
        ]
        for title, values in lines:
            cells = [score_cell(value, here[0], style) for value in values]
            bold |= {(len(rows), place + 1) for place in best_places(values, cells, here[0])}
            support = sorted({value.support for value in values})
            most = [_count(support[-1])] if len(support) > 1 else []
            rows.append([plain(title), *cells, "-".join([_count(support[0]), *most])])
        about = _about_intervals(here, by_label=True) if style.intervals else []
        remarks = dict.fromkeys((*_left_out(here), *about))
        table = Table(rows, bold=frozenset(bold), total=1 + len(labels))
        made.append(Section(table, remarks=list(remarks)))
    if made:
        ways = _ways_to_count([score for score in scores if score.support_text])
        made[-1] = made[-1]._replace(remarks=(*made[-1].remarks, *ways))
    return made


def average_row(average: str) -> str:
    """The name of the row of an average, in a table of labels.

    >>> average_row("macro"), average_row("label:PER")
    ('macro average', 'label:PER')
    """
    return average if ":" in average else f"{average} average"


def space_name(block: str) -> str:
    """The name of the event space of a block, without its parameters and average.

    >>> space_name("oads(match=overlap)@macro")
    'oads'
    """
    return block.partition("@")[0].partition("(")[0]


def _table_title(score: Score) -> str:
    """The title of a score's table. Ways to count answers are called the same."""
    tail = score.block.removesuffix("@micro")
    return f"answers{tail.removeprefix(space_name(tail))}" if score.support_text else tail


class _Row(NamedTuple):
    """A system, or a label of it, under one event space."""

    name: str
    values: Mapping[str, Value]
    """By measure."""
    scores: Mapping[str, Score]
    """Of these the values are, by measure."""
    label: str | None = None


def _section(scores: Scores, title: str, here: Sequence[Score], style: Style) -> Section:
    blocks = list(dict.fromkeys(score.block for score in here))
    if len(blocks) == 1:
        title = blocks[0].removesuffix("@micro")
    measures = list(dict.fromkeys(score.measure for score in here))
    counted = ["count"] if len(blocks) > 1 else []
    rows = [[plain(title), *counted, *measures, "gold"]]
    remarks: dict[str, None] = {}
    rivals: dict[tuple[str | None, str, str], list[tuple[int, Value]]] = {}
    by_block = [[score for score in here if score.block == block] for block in blocks]
    for same in zip(*(_rows(scores, own, style) for own in by_block), strict=True):
        for place, (block, row) in enumerate(zip(blocks, same, strict=True)):
            cells = [
                score_cell(row.values[measure], row.scores[measure], style)
                if measure in row.values else "" for measure in measures
            ]  # fmt: skip
            for measure, value in row.values.items():
                rivals.setdefault((row.label, block, measure), []).append((len(rows), value))
            way = [space_name(block)] if counted else []
            support = _count(next(iter(row.values.values())).support)
            rows.append(["" if place else row.name, *way, *cells, support])
    bold = set()
    by_measure = {(score.block, score.measure): score for score in here}
    for (_, block, measure), each in rivals.items():
        column = rows[0].index(measure, 1)
        cells = [rows[row][column] for row, _ in each]
        places = best_places([value for _, value in each], cells, by_measure[block, measure])
        bold |= {(each[place][0], column) for place in places}
    for own in by_block:
        about = _about_intervals(own, by_label=style.by_label) if style.intervals else []
        remarks |= dict.fromkeys((*_left_out(own), *about))
    table = Table(rows, bold=frozenset(bold))
    return Section(table, remarks=(*_ways_to_count(here), *remarks))


def _rows(scores: Scores, here: Sequence[Score], style: Style) -> list[_Row]:
    """The rows of one event space: systems, each with its labels if wanted."""
    rows = []
    for system in scores.systems:
        own = {score.measure: score for score in here if score.system == system.name}
        values = {name: score.overall for name, score in own.items()}
        rows.append(_Row(plain(system.name), values, own))
        for label in next(iter(own.values())).by_label if style.by_label else ():
            values = {name: score.by_label[label] for name, score in own.items()}
            rows.append(_Row(INDENT + plain(label), values, own, label))
    return rows


def score_cell(value: Value, score: Score, style: Style) -> str:
    """A value of a score: that of all labels, or of one."""
    cell = style.cell(value.value, value.low, value.high, count=score.is_count)
    chance = value.by_chance
    return cell if chance is None else f"{cell} by chance {style.number(chance)}"


def best_places(values: Sequence[Value], cells: Sequence[str], score: Score) -> list[int]:
    """The places of the best of several systems. More of a count is not better."""
    if score.is_count:
        return []
    return best([value.value for value in values], cells, lower=score.lower_is_better)


def _count(number: float) -> str:
    return f"{whole(number):,}" if number == int(number) else f"{number:,.2f}"


def _ways_to_count(scores: Sequence[Score]) -> tuple[str, ...]:
    """What each way to count answers finds in gold, if there are several.

    Optional answers count only where they are found, so gold may have more for one system than for
    another.
    """
    support: dict[str, list[float]] = {}
    texts = {}
    for score in scores:
        support.setdefault(space_name(score.block), []).append(score.overall.support)
        texts[space_name(score.block)] = score.support_text
    if len(support) < 2:
        return ()
    parts = []
    for name, values in support.items():
        least, most = (f"{whole(end(values)):,}" for end in (min, max))
        number = least if least == most else f"{least} to {most}"
        parts.append(f"{number} {texts[name]}{'' if most == '1' else 's'}")
    *names, last = support
    ways = _NUMBERS.get(len(support), str(len(support)))
    return (
        f"{', '.join(names)} and {last} count the same answers in {ways} ways: "
        f"gold has {', '.join(parts[:-1])} and {parts[-1]}",
    )


def _left_out(scores: Sequence[Score]) -> list[str]:
    remarks = []
    for score in scores:
        if score.left_out:
            terms, _, without = score.left_out_terms.partition(" ")
            count = many(score.left_out, terms.removesuffix("s"))
            remarks.append(f"{plain(score.system)}: {count} {without} left out of the mean")
    return remarks


def _about_intervals(scores: Sequence[Score], *, by_label: bool) -> list[str]:
    """Each remark on intervals once, with the measures, systems and labels that it is about."""
    measures: dict[tuple[str, str], list[str]] = {}
    for score in scores:
        system = plain(score.system)
        values = {system: score.overall}
        if by_label:
            values |= {f"{system} {plain(label)}": v for label, v in score.by_label.items()}
        for name, value in values.items():
            for remark in value.remarks:
                measures.setdefault((name, remark), []).append(score.measure)
    names: dict[tuple[str, str], list[str]] = {}
    for (name, remark), own in measures.items():
        names.setdefault((", ".join(own), remark), []).append(name)
    return [f"{own} of {_few(every)}: {remark}" for (own, remark), every in names.items()]


def _few(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more

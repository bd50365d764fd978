"""Scores as tables: one for each event space and average, measures side by side.

Event spaces that count the same answers in different ways (oas, oaod, oads) share a table, with a
line that says how they differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from carob.corpus.problems import plain
from carob.report.terminal import INDENT, WIDTH, Section, Table, verdict
from carob.result.result import whole, with_interval
from carob.result.scores import Score, Scores, Value

_NUMBERS = {2: "two", 3: "three"}


def sections(scores: Scores, *, by_label: bool = False, width: int = WIDTH) -> list[Section]:
    """A section for each table; the last one has the remarks that hold for all."""
    blocks: dict[str, list[Score]] = {}
    for score in scores:
        blocks.setdefault(_table_title(score), []).append(score)
    made = [verdict(scores.gate)] if scores.gate else []
    made += [_section(scores, title, own, by_label=by_label) for title, own in blocks.items()]
    if made:
        made[-1] = replace(made[-1], remarks=(*made[-1].remarks, *scores.remarks))
    return made


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Row:
    """A system, or a label of it, under one event space."""

    name: str
    values: Mapping[str, Value]
    """By measure."""
    counts: frozenset[str]
    """The measures that are counts."""


def _section(scores: Scores, title: str, here: Sequence[Score], *, by_label: bool) -> Section:
    blocks = list(dict.fromkeys(score.block for score in here))
    if len(blocks) == 1:
        title = blocks[0].removesuffix("@micro")
    measures = list(dict.fromkeys(score.measure for score in here))
    counted = ["count"] if len(blocks) > 1 else []
    rows = [[plain(title), *counted, *measures, "gold"]]
    remarks: dict[str, None] = {}
    by_block = [[score for score in here if score.block == block] for block in blocks]
    for same in zip(*(_rows(scores, own, by_label=by_label) for own in by_block), strict=True):
        for place, (block, row) in enumerate(zip(blocks, same, strict=True)):
            cells = [
                cell(row.values[measure], count=measure in row.counts)
                if measure in row.values else "" for measure in measures
            ]  # fmt: skip
            way = [space_name(block)] if counted else []
            support = _count(next(iter(row.values.values())).support)
            rows.append(["" if place else row.name, *way, *cells, support])
    for own in by_block:
        remarks |= dict.fromkeys((*_left_out(own), *_about_intervals(own, by_label=by_label)))
    return Section(Table(rows), remarks=(*_ways_to_count(here), *remarks))


def _rows(scores: Scores, here: Sequence[Score], *, by_label: bool) -> list[_Row]:
    """The rows of one event space: systems, each with its labels if wanted."""
    rows = []
    for system in scores.systems:
        own = {score.measure: score for score in here if score.system == system.name}
        counts = frozenset(name for name, score in own.items() if score.is_count)
        values = {name: score.overall for name, score in own.items()}
        rows.append(_Row(plain(system.name), values, counts))
        for label in next(iter(own.values())).by_label if by_label else ():
            values = {name: score.by_label[label] for name, score in own.items()}
            rows.append(_Row(INDENT + plain(label), values, counts))
    return rows


def cell(value: Value, *, count: bool = False) -> str:
    """A number for people: four decimals, counts whole where they are, `-` for no value.

    >>> cell(Value(0.12345)), cell(Value(1.0), count=True), cell(Value(0.5, 0.4, 0.6))
    ('0.1235', '1', '0.5000 [0.4000, 0.6000]')
    """
    text = _count if count else "{:.4f}".format
    return with_interval(value.value, value.low, value.high, text)


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
    return [
        f"{plain(score.system)}: {score.left_out} {score.left_out_terms} left out of the mean"
        for score in scores
        if score.left_out
    ]


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

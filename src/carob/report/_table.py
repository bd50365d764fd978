"""What the reports for people have in common: blocks of scores as rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from carob.corpus.problems import plain
from carob.report._ways import grouped, way, why
from carob.result.scores import Score, Scores, Value, whole
from carob.result.signature import compose, fields


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Row:
    """A system, or a label of it: one cell for each measure."""

    name: str
    is_label: bool
    cells: tuple[str, ...]
    support: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block:
    """The scores of one event space and average."""

    title: str
    measures: tuple[str, ...]
    rows: tuple[Row, ...]
    remarks: tuple[str, ...]
    signatures: tuple[str, ...]


def cell(value: Value, *, count: bool = False) -> str:
    """A number for people: four decimals, counts whole where they are, `-` for no value.

    >>> cell(Value(0.12345)), cell(Value(1.0), count=True), cell(Value(0.5, 0.4, 0.6))
    ('0.1235', '1', '0.5000 [0.4000, 0.6000]')
    """
    if value.value is None:
        return "-"
    text = _number(value.value, count=count)
    if value.low is None or value.high is None:
        return text
    return f"{text} [{_number(value.low, count=count)}, {_number(value.high, count=count)}]"


def _number(number: float, *, count: bool) -> str:
    if not count:
        return f"{number:.4f}"
    return f"{whole(number):,}" if number == int(number) else f"{number:,.2f}"


def blocks(scores: Scores, *, by_label: bool) -> list[Block]:
    """The scores as a person wants to see them."""
    titles = dict.fromkeys(score.block for score in scores)
    found = [
        _block(scores, group[0], by_label=by_label)
        if len(group) == 1
        else _ways(scores, group, by_label=by_label)
        for group in grouped(list(titles))
    ]
    if scores.remarks and found:
        found[-1] = replace(found[-1], remarks=(*found[-1].remarks, *scores.remarks))
    return found


def _ways(scores: Scores, titles: Sequence[str], *, by_label: bool) -> Block:
    """Ways to count the same answers, one under the other for each system and slot."""
    own = {way(title): _block(scores, title, by_label=by_label) for title in titles}
    here = [score for score in scores if score.block in titles]
    measures = tuple(dict.fromkeys(m for block in own.values() for m in block.measures))
    rows: list[Row] = []
    for same in zip(*(block.rows for block in own.values()), strict=True):
        for place, (name, block, row) in enumerate(zip(own, own.values(), same, strict=True)):
            cells = dict(zip(block.measures, row.cells, strict=True))
            shown = (cells.get(measure, "") for measure in measures)
            rows.append(replace(row, name="" if place else row.name, cells=(name, *shown)))
    remarks = dict.fromkeys(remark for block in own.values() for remark in block.remarks)
    return Block(
        "answers" + plain(titles[0][len(way(titles[0])) :].removesuffix("@micro")),
        ("count", *measures),
        tuple(rows),
        (*why(here), *remarks),
        signatures(scores, here, measures),
    )


def _block(scores: Scores, title: str, *, by_label: bool) -> Block:
    here = [score for score in scores if score.block == title]
    measures = tuple(dict.fromkeys(score.measure for score in here))
    rows: list[Row] = []
    for system in scores.systems:
        own = {score.measure: score for score in here if score.system == system.name}
        first = next(iter(own.values()))
        rows.append(
            Row(
                plain(system.name),
                False,
                tuple(
                    cell(own[measure].overall, count=own[measure].is_count) for measure in measures
                ),
                _support(first.overall),
            )
        )
        for label in first.by_label if by_label else ():
            rows.append(
                Row(
                    plain(label),
                    True,
                    tuple(
                        cell(own[measure].by_label[label], count=own[measure].is_count)
                        for measure in measures
                    ),
                    _support(first.by_label[label]),
                )
            )
    return Block(
        plain(title.removesuffix("@micro")),
        measures,
        tuple(rows),
        (*_remarks(here), *_intervals(here, by_label=by_label)),
        signatures(scores, here, measures),
    )


def _support(value: Value) -> str:
    number = whole(value.support)
    return f"{number:,}" if isinstance(number, int) else f"{number:,.2f}"


def _remarks(scores: Sequence[Score]) -> tuple[str, ...]:
    least = {}
    for score in scores:
        if score.left_out:
            what = f"{score.left_out} {score.left_out_terms}"
            least[f"{plain(score.system)}: {what} left out of the mean"] = 1
    return tuple(least)


def _intervals(scores: Sequence[Score], *, by_label: bool) -> tuple[str, ...]:
    """What there is to say about intervals, said once: of which systems, labels and measures."""
    said: dict[tuple[str, str], list[str]] = {}
    for score in scores:
        for remark in score.overall.remarks:
            said.setdefault((plain(score.system), remark), []).append(score.measure)
        for label, value in score.by_label.items() if by_label else ():
            for remark in value.remarks:
                name = f"{plain(score.system)} {plain(label)}"
                said.setdefault((name, remark), []).append(score.measure)
    rows: dict[tuple[str, str], list[str]] = {}
    for (name, remark), measures in said.items():
        rows.setdefault((", ".join(measures), remark), []).append(name)
    return tuple(
        f"{measures} of {_few(names)}: {remark}" for (measures, remark), names in rows.items()
    )


def _few(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def signatures(scores: Scores, here: Sequence[Score], measures: Sequence[str]) -> tuple[str, ...]:
    """The signature of a block: what differs between systems is listed in their order."""
    columns: dict[str, list[str]] = {}
    for system in scores.systems:
        own = [score for score in here if score.system == system.name]
        said = fields(own[0].signature)
        if len(own) > 1:
            said["recipe"] = _together([fields(score.signature)["recipe"] for score in own])
        if len(scores.systems) > 1:
            said["system"] += f" ({plain(system.name)})"
        for key, value in said.items():
            columns.setdefault(key, []).append(value)
    joined = {
        key: values[0] if len(set(values)) == 1 and key != "system" else ", ".join(values)
        for key, values in columns.items()
    }
    return (compose(joined),)


def _together(recipes: Sequence[str]) -> str:
    """exact.P@micro, exact.R@micro, exact.F1@micro are exact.PRF@micro."""
    found: list[str] = []
    rest = list(recipes)
    while rest:
        space, sign, average = rest[0].rpartition(".P@")
        three = [f"{space}.{measure}@{average}" for measure in ("P", "R", "F1")]
        if sign and rest[:3] == three:
            found.append(f"{space}.PRF@{average}")
            del rest[:3]
        else:
            found.append(rest.pop(0))
    return "+".join(found)

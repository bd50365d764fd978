"""Comparisons as tables: differences and ranks for each recipe, each difference also in words; or
scores of systems and labels, in which a mark says what is significant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from carob.corpus.problems import plain
from carob.report.scores import average_row
from carob.report.terminal import WIDTH, Section, Style, Table, best, number, span, verdict
from carob.result.comparison import (
    ALPHA,
    Comparison,
    Difference,
    Rank,
    correction,
    ordered,
    p_value,
)

LAYOUTS = ("pairs", "systems", "labels")
"""Every pair of systems; systems x recipes; labels x systems."""

MARK = "*"
"""What is significant."""

FEW = 3
"""A cell names at most this many pairs."""


def sections(comparison: Comparison, style: Style, *, width: int = WIDTH) -> list[Section]:
    """The tables of a layout, then what the mark means, and remarks."""
    made = [verdict(comparison.gate)] if comparison.gate else []
    if comparison.blind:
        made.append(Section(sentences=[comparison.blind]))
    if style.layout in ("systems", "labels"):
        laid_out = _by_system if style.layout == "systems" else _by_label
        tables = [table for table in laid_out(comparison, style) if len(table.rows) > 1]
        *rest, last = map(Section, tables)
        note = _mark_note(comparison, tables)
        return [*made, *rest, last._replace(notes=[note], remarks=_remarks(comparison))]
    made += _of_pairs(comparison, style)
    if comparison.agreements:
        made.append(Section(_agreements(comparison)))
    hidden = [] if comparison.shown else [
        f"{len(comparison):,} differences are not shown: --all-pairs shows all, --baseline NAME "
        "those to one system"
    ]  # fmt: skip
    notes = [*hidden, _pair_note(comparison)]
    return [*made, Section(notes=notes, remarks=_remarks(comparison))]


def _remarks(comparison: Comparison) -> list[str]:
    return [plain(remark) for remark in comparison.remarks]


def _of_pairs(comparison: Comparison, style: Style) -> Iterable[Section]:
    """For each recipe and label a table of ranks (above three systems first), and one of the
    differences; sentences if there are just two systems.
    """
    many = len(comparison.systems) > 3
    shown: dict[tuple[str, str | None], list[Difference]] = {}
    for difference in comparison.shown:
        shown.setdefault((difference.recipe, difference.label), []).append(difference)
    of_systems: dict[tuple[str, str | None], list[Rank]] = {}
    for rank in comparison.ranks:
        of_systems.setdefault((rank.recipe, rank.label), []).append(rank)
    for key in dict.fromkeys((each.recipe, each.label) for each in comparison):
        group, ranks = shown.get(key, []), of_systems.get(key, [])
        ranked = [Section(ranking_table(ranks, style, comparison.sort))] if len(ranks) > 2 else []
        pairs = [_pairs(group, comparison, style)] if group else []
        yield from [*ranked, *pairs] if many else [*pairs, *ranked]


def _pairs(group: Sequence[Difference], comparison: Comparison, style: Style) -> Section:
    two = len(comparison.systems) == 2
    digits = style.decimals if style.percent else 1
    return Section(
        _differences(group, style),
        sentences=[each.sentence(comparison.unit, digits) for each in group] if two else (),
        remarks=list(dict.fromkeys(plain(r) for each in group for r in each.remarks)),
    )


def _differences(group: Sequence[Difference], style: Style) -> Table:
    """A row for each pair: both scores, and what lies between them."""
    one = group[0]
    names = [plain(one.b), plain(one.a)] if len(group) == 1 else ["score", "minus"]
    # If p could be small in all tests, this is not worth a column.
    limited = any(each.smallest_p > ALPHA for each in group)
    smallest = ["smallest p"] if limited else []
    rows = [[plain(one.recipe), *names, "difference", *smallest, "p", "Holm", ""]]
    for each in group:
        rows.append([
            f"{plain(each.b)} − {plain(each.a)}",
            *(style.cell(x, count=one.is_count) for x in (each.value_b, each.value_a)),
            style.cell(each.difference, each.low, each.high, count=one.is_count, sign="+"),
            *([p_value(each.smallest_p)] if limited else ()),
            *("-" if p is None else p_value(p) for p in (each.p, each.p_holm)),
            MARK if each.significant else "",
        ])  # fmt: skip
    return Table(rows)


def ranking_table(ranks: Sequence[Rank], style: Style, sort: str = "score") -> Table:
    """A row for each system: score, interval, the ranks it may have, and its cluster."""
    order = ordered(ranks, sort)
    scores = [_cell(rank, style) for rank in order]
    rows = [[plain(ranks[0].recipe), "score", "rank", "cluster"]]
    for rank, score in zip(order, scores, strict=True):
        places = span(rank.rank_low, rank.rank_high)
        rows.append([plain(rank.system), score, places, number(rank.cluster, "d")])
    return Table(rows, bold=frozenset((place + 1, 1) for place in _best(order, scores)))


def _cell(rank: Rank, style: Style, mark: str = "") -> str:
    return style.cell(rank.value, rank.low, rank.high, count=rank.is_count, mark=mark)


def _best(ranks: Sequence[Rank], cells: Sequence[str]) -> list[int]:
    """The places of the best of several systems under one recipe. More of a count is not better."""
    if ranks[0].is_count:
        return []
    return best([rank.value for rank in ranks], cells, lower=ranks[0].lower_is_better)


def _by_system(comparison: Comparison, style: Style) -> Iterable[Table]:
    """Systems down, recipes across."""
    recipes = _competitions(rank for rank in comparison.ranks if rank.label is None)
    names = _system_order(comparison)
    columns = {recipe: _competition(group, names, comparison, style)
               for (recipe, _), group in recipes.items()}  # fmt: skip
    rows = [["", *map(plain, columns)], *([plain(name)] for name in names)]
    bold = set()
    for column, (cells, places) in enumerate(columns.values(), 1):
        for row, cell in enumerate(cells, 1):
            rows[row].append(cell)
        bold |= {(place + 1, column) for place in places}
    return [Table(rows, bold=frozenset(bold))]


def _by_label(comparison: Comparison, style: Style) -> Iterable[Table]:
    """For each event space and measure, labels down and systems across; averages are the last
    rows.
    """
    names = _system_order(comparison)
    for score_name in dict.fromkeys(rank.score_name for rank in comparison.ranks):
        own = [rank for rank in comparison.ranks if rank.score_name == score_name]
        own.sort(key=lambda rank: rank.label is None)
        rows, bold = [[plain(score_name), *map(plain, names)]], set()
        for (_, label), group in _competitions(own).items():
            cells, places = _competition(group, names, comparison, style)
            bold |= {(len(rows), place + 1) for place in places}
            title = average_row(group[0].average) if label is None else label
            rows.append([plain(title), *cells])
        total = 1 + len({rank.label for rank in own if rank.label is not None})
        yield Table(rows, bold=frozenset(bold), total=total)


def _competitions(ranks: Iterable[Rank]) -> dict[tuple[str, str | None], list[Rank]]:
    """The ranks under each recipe and label."""
    groups: dict[tuple[str, str | None], list[Rank]] = {}
    for rank in ranks:
        groups.setdefault((rank.recipe, rank.label), []).append(rank)
    return groups


def _system_order(comparison: Comparison) -> list[str]:
    """The names of all systems, in the order of the first recipe."""
    first = next(iter(_competitions(comparison.ranks).values()))
    return [rank.system for rank in ordered(first, comparison.sort)]


def _competition(
    group: Sequence[Rank], names: Sequence[str], comparison: Comparison, style: Style
) -> tuple[list[str], list[int]]:
    """The cells of all systems under one recipe and label, and the places of the best."""
    by_name = {rank.system: rank for rank in group}
    ranks = [by_name[name] for name in names]
    marks = [MARK if comparison.stands_out(rank) else "" for rank in ranks]
    cells = [_cell(rank, style, mark) for rank, mark in zip(ranks, marks, strict=True)]
    return cells, _best(ranks, cells)


def _agreements(comparison: Comparison) -> Table:
    rows = [["agreement of measures", "Spearman", "Kendall", "ranked differently"]]
    for each in comparison.agreements:
        pairs = ", ".join(f"{plain(a)}/{plain(b)}" for a, b in each.swaps[:FEW])
        if len(each.swaps) > FEW:
            pairs = f"{len(each.swaps):,} pairs"
        numbers = [number(x, ".3f") for x in (each.spearman, each.kendall)]
        rows.append([f"{plain(each.first)}, {plain(each.second)}", *numbers, pairs or "none"])
    return Table(rows)


def _mark_note(comparison: Comparison, tables: Sequence[Table]) -> str:
    """What the mark says about a score."""
    than = "better than that of every other system"
    if comparison.baseline is not None:
        than = f"different from that of {plain(comparison.baseline)}"
    cells = (cell for table in tables for row in table.rows[1:] for cell in row[1:])
    marked = any(MARK in cell for cell in cells)
    return f"{f'{MARK} the' if marked else 'no'} score is significantly {than}, {_test(comparison)}"


def _pair_note(comparison: Comparison) -> str:
    """What the mark says about a difference."""
    star = MARK if comparison.shown else "ranks by what is"
    single = ""
    if any(each.tests > 1 and each.low is not None for each in comparison.shown):
        single = "; intervals are single 95 % intervals, which the correction does not widen"
    return f"{star} significant {_test(comparison)}{single}"


def _test(comparison: Comparison) -> str:
    """How p was computed and corrected."""
    tested = sum(each.p is not None for each in comparison)
    exact = sum(each.exact for each in comparison)
    family = correction(comparison.differences)
    holm = {0: "no test", 1: "one test"}.get(tested, "one test of each recipe")
    if family is not None:
        holm = f"after Holm's correction for {family}"
    how = f"{exact} of them exact"
    if exact in (0, len(comparison)):
        how = "exact" if exact else "approximate"
    return f"at .05, {holm}; paired randomization, {how}"

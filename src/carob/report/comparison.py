"""Comparisons as tables: differences and ranks for each recipe, each difference also in words."""

from __future__ import annotations

from collections.abc import Sequence

from carob.corpus.problems import plain
from carob.report.terminal import WIDTH, Section, Table, number, span, verdict
from carob.result.comparison import ALPHA, Comparison, Difference, Rank, ordered, p_value
from carob.result.result import with_interval

FEW = 3
"""A cell names at most this many pairs."""


def sections(
    comparison: Comparison, *, by_label: bool = False, width: int = WIDTH
) -> list[Section]:
    """For each recipe and label a table of ranks (above three systems first), and one of the
    differences; sentences if there are just two systems.
    """
    made = [verdict(comparison.gate)] if comparison.gate else []
    if comparison.blind:
        made.append(Section(sentences=[comparison.blind]))
    many = len(comparison.systems) > 3
    for key in dict.fromkeys((each.recipe, each.label) for each in comparison):
        group = [each for each in comparison.shown if (each.recipe, each.label) == key]
        ranks = [rank for rank in comparison.ranks if (rank.recipe, rank.label) == key]
        ranked = [Section(ranking_table(ranks, comparison.sort))] if len(ranks) > 2 else []
        pairs = [_pairs(group, comparison)] if group else []
        made += [*ranked, *pairs] if many else [*pairs, *ranked]
    if comparison.agreements:
        made.append(Section(_agreements(comparison)))
    notes = [_note(comparison), *map(plain, comparison.remarks)]
    if not comparison.shown:
        notes.insert(0, f"{len(comparison):,} differences are not shown: --all-pairs shows all, "
                        "--baseline NAME those to one system")  # fmt: skip
    return [*made, Section(remarks=notes)]


def _pairs(group: Sequence[Difference], comparison: Comparison) -> Section:
    two = len(comparison.systems) == 2
    return Section(
        _differences(group),
        sentences=[each.sentence(comparison.unit) for each in group] if two else (),
        remarks=list(dict.fromkeys(plain(r) for each in group for r in each.remarks)),
    )


def _differences(group: Sequence[Difference]) -> Table:
    """A row for each pair: both scores, and what lies between them."""
    one = group[0]
    names = [plain(one.b), plain(one.a)] if len(group) == 1 else ["score", "minus"]
    # If p could be small in all tests, this is not worth a column.
    limited = any(each.smallest_p > ALPHA for each in group)
    smallest = ["smallest p"] if limited else []
    rows = [[plain(one.recipe), *names, "difference", *smallest, "p", "Holm", ""]]
    text = "{:+,.1f}".format if one.is_count else "{:+.4f}".format
    form = ",.1f" if one.is_count else ".4f"
    for each in group:
        rows.append([
            f"{plain(each.b)} − {plain(each.a)}",
            number(each.value_b, form), number(each.value_a, form),
            with_interval(each.difference, each.low, each.high, text),
            *([p_value(each.smallest_p)] if limited else ()),
            *("-" if p is None else p_value(p) for p in (each.p, each.p_holm)),
            "*" if each.significant else "",
        ])  # fmt: skip
    return Table(rows)


def ranking_table(ranks: Sequence[Rank], sort: str = "score") -> Table:
    """A row for each system: score, interval, the ranks it may have, and its cluster."""
    rows = [[plain(ranks[0].recipe), "score", "rank", "cluster"]]
    for rank in ordered(ranks, sort):
        score = with_interval(rank.value, rank.low, rank.high, "{:.4f}".format)
        places = span(rank.rank_low, rank.rank_high)
        rows.append([plain(rank.system), score, places, str(rank.cluster)])
    return Table(rows)


def _agreements(comparison: Comparison) -> Table:
    rows = [["agreement of measures", "Spearman", "Kendall", "ranked differently"]]
    for each in comparison.agreements:
        pairs = ", ".join(f"{plain(a)}/{plain(b)}" for a, b in each.swaps[:FEW])
        if len(each.swaps) > FEW:
            pairs = f"{len(each.swaps):,} pairs"
        numbers = [number(x, ".3f") for x in (each.spearman, each.kendall)]
        rows.append([f"{plain(each.first)}, {plain(each.second)}", *numbers, pairs or "none"])
    return Table(rows)


def _note(comparison: Comparison) -> str:
    """What the star means, and how p was computed."""
    tested = sum(each.p is not None for each in comparison)
    exact = sum(each.exact for each in comparison)
    holm = f"after Holm's correction for all {tested} tests here" if tested > 1 else "one test"
    how = f"{exact} of them exact"
    if exact in (0, len(comparison)):
        how = "exact" if exact else "approximate"
    star = "*" if comparison.shown else "ranks by what is"
    return f"{star} significant at .05, {holm}; paired randomization, {how}"

"""Comparisons as tables: differences and ranks for each recipe, each difference also in words."""

from __future__ import annotations

from collections.abc import Sequence

from carob.corpus.problems import plain
from carob.report.terminal import Section, Table, number, span
from carob.result.comparison import Comparison, Difference, Rank, p_value
from carob.result.result import with_interval


def sections(comparison: Comparison, *, by_label: bool = False) -> list[Section]:
    """A table of differences for each recipe, one of ranks if there are more than two systems."""
    groups: dict[tuple[str, str | None], list[Difference]] = {}
    for each in comparison:
        groups.setdefault((each.recipe, each.label), []).append(each)
    made = [Section(sentences=comparison.gate.sentences())] if comparison.gate else []
    if comparison.blind:
        made.append(Section(sentences=[comparison.blind]))
    for (recipe, label), group in groups.items():
        made.append(Section(
            _differences(group),
            sentences=[each.sentence(comparison.unit) for each in group],
            remarks=list(dict.fromkeys(plain(r) for each in group for r in each.remarks)),
        ))  # fmt: skip
        ranks = [r for r in comparison.ranks if (r.recipe, r.label) == (recipe, label)]
        if len(ranks) > 2:
            made.append(Section(_ranks(ranks, lower_is_better=group[0].lower_is_better)))
    if comparison.agreements:
        made.append(Section(_agreements(comparison)))
    notes = [_note(comparison), *comparison.remarks]
    return [*made, Section(remarks=notes, signatures=[comparison.signature])]


def _differences(group: Sequence[Difference]) -> Table:
    rows = [[plain(group[0].recipe), "difference", "smallest p", "p", "Holm", ""]]
    text = "{:+,.1f}".format if group[0].is_count else "{:+.4f}".format
    for each in group:
        rows.append([
            f"{plain(each.b)} − {plain(each.a)}",
            with_interval(each.difference, each.low, each.high, text), p_value(each.smallest_p),
            *("-" if p is None else p_value(p) for p in (each.p, each.p_holm)),
            "*" if each.significant else "",
        ])  # fmt: skip
    return Table(rows)


def _ranks(ranks: Sequence[Rank], *, lower_is_better: bool) -> Table:
    rows = [[plain(ranks[0].recipe), "score", "rank", "cluster"]]
    sign = 1 if lower_is_better else -1
    for rank in sorted(ranks, key=lambda r: (r.value is None, sign * (r.value or 0.0))):
        value, places = number(rank.value), span(rank.rank_low, rank.rank_high)
        rows.append([plain(rank.system), value, places, str(rank.cluster)])
    return Table(rows)


def _agreements(comparison: Comparison) -> Table:
    rows = [["agreement of measures", "Spearman", "Kendall", "ranked differently"]]
    for each in comparison.agreements:
        pairs = ", ".join(f"{plain(a)}/{plain(b)}" for a, b in each.swaps)
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
    return f"* significant at .05, {holm}; paired randomization, {how}"

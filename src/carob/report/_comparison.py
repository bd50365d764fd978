"""Comparisons for people: a table for each recipe, and each difference in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from carob.corpus.problems import plain
from carob.report._width import width as _width
from carob.report.markdown import _row
from carob.result.comparison import Comparison, Difference, Rank

Table = list[list[str]]
"""Rows of cells; the first is the head."""


def words(each: Difference, unit: str = "document") -> str:
    """A difference in a sentence.

    >>> found = Difference("A", "B", "exact.F1", None, "F1", 0.8, 0.812, 0.012, 0.003, 0.021,
    ...     0.004, 0.004, 2**-20, 0.013, 21, False, "bca")  # fmt: skip
    >>> words(found)
    'B is ahead of A by 1.2 F1 (0.3 to 2.1), p = .004.'
    """
    a, b, what = plain(each.a), plain(each.b), plain(each.measure)
    if each.label is not None:
        what = f"{what} of {plain(each.label)}"
    if each.difference is None or each.p is None:
        return f"{a} and {b} cannot be compared: one of them has no {what}."
    if each.differing == 0:
        return f"{b} and {a} have the same counts in every {unit}: {what} cannot differ."
    chance = f"p = {_p(each.p)}".replace("= <", "<")
    if each.p_holm is not None and _p(each.p_holm) != _p(each.p):
        chance += f" ({_p(each.p_holm)} after Holm)"
    best, other = (a, b) if each.ahead == each.a else (b, a)
    turned = each.difference < 0
    low, high = each.low, each.high
    if turned and low is not None and high is not None:
        low, high = -high, -low
    within = (
        "" if low is None or high is None else f" ({_points(each, low)} to {_points(each, high)})"
    )
    by = f"{_points(each, abs(each.difference))} {what}{within}"
    if each.significant:
        return f"{best} is ahead of {other} by {by}, {chance}."
    if each.ahead:
        sentence = f"{best} is ahead of {other} by {by}, but this could be chance: {chance}"
    else:
        sentence = f"{b} and {a} have the same {what}{within}: {chance}"
    if each.smallest_p > 0.05:
        sentence += (
            f"; they differ in {each.differing} {unit}s only, so p cannot be smaller than "
            f"{_p(each.smallest_p)}"
        )
    elif each.detectable is not None:
        seen = _points(each, each.detectable)
        sentence += f"; the smallest difference that these {unit}s could show is about {seen}"
    return sentence + "."


def _points(each: Difference, number: float) -> str:
    """Scores in points, a hundredth each; counts as they are."""
    text = f"{number:,.1f}" if each.is_count else f"{100 * number:.1f}"
    return "0.0" if text == "-0.0" else text.replace("-", "−")


def _p(p: float) -> str:
    """A p value as papers print it.

    >>> _p(0.0042), _p(1.0), _p(0.00004), _p(0.25)
    ('.004', '1', '<.0001', '.25')
    """
    if p >= 0.9995:
        return "1"
    if p < 0.0001:
        return "<.0001"
    digits = 2 if p >= 0.0995 else 3 if p >= 0.00095 else 4
    return f"{p:.{digits}f}".removeprefix("0")


def _sections(found: Comparison) -> list[tuple[Table, list[str]]]:
    """A table of differences and one of ranks for each recipe, with sentences below."""
    groups: dict[tuple[str, str | None], list[Difference]] = {}
    for each in found:
        groups.setdefault((each.recipe, each.label), []).append(each)
    ranks: dict[tuple[str, str | None], list[Rank]] = {key: [] for key in groups}
    for rank in found.ranks:
        ranks[rank.recipe, rank.label].append(rank)
    sections = []
    for (recipe, label), group in groups.items():
        title = plain(recipe)
        table = [[title, "difference", "smallest p", "p", "Holm", ""]]
        for each in group:
            table.append([
                f"{plain(each.b)} − {plain(each.a)}", _cell(each), _p(each.smallest_p),
                _maybe(each.p), _maybe(each.p_holm), "*" if each.significant else "",
            ])  # fmt: skip
        remarks = {r: None for each in group for r in each.remarks}
        sections.append(
            (
                table,
                [*(words(each, found.unit) for each in group), *(f"({plain(r)})" for r in remarks)],
            )
        )
        own = ranks[recipe, label]
        if len(own) > 2:
            sections.append((_ranked(title, own, group[0]), []))
    if found.agreements:
        sections.append((_agreed(found), []))
    return sections


def _cell(each: Difference) -> str:
    def text(number: float) -> str:
        return f"{number:+,.1f}" if each.is_count else f"{number:+.4f}"

    if each.difference is None:
        return "-"
    if each.low is None or each.high is None:
        return text(each.difference)
    return f"{text(each.difference)} [{text(each.low)}, {text(each.high)}]"


def _maybe(p: float | None) -> str:
    return "-" if p is None else _p(p)


def _ranked(title: str, ranks: Sequence[Rank], one: Difference) -> Table:
    table = [[title, "score", "rank", "cluster"]]
    sign = 1 if one.lower_is_better else -1
    order = sorted(ranks, key=lambda r: (r.value is None, sign * (r.value or 0.0)))
    for rank in order:
        value = "-" if rank.value is None else f"{rank.value:.4f}"
        low, high = rank.rank_low, rank.rank_high
        table.append([plain(rank.system), value, f"{low}" if low == high else f"{low}-{high}",
                      str(rank.cluster)])  # fmt: skip
    return table


def _agreed(found: Comparison) -> Table:
    table = [["agreement of measures", "Spearman", "Kendall", "ranked differently"]]
    for each in found.agreements:
        pairs = ", ".join(f"{plain(a)}/{plain(b)}" for a, b in each.swaps)
        numbers = ["-" if x is None else f"{x:.3f}" for x in (each.spearman, each.kendall)]
        table.append([f"{plain(each.first)}, {plain(each.second)}", *numbers, pairs or "none"])
    return table


def _notes(found: Comparison) -> list[str]:
    """What holds for all tables."""
    tested = sum(each.p is not None for each in found)
    exact = sum(each.exact for each in found)
    holm = f"after Holm's correction for all {tested} tests here" if tested > 1 else "one test"
    how = (
        "exact" if exact == len(found) else "approximate" if not exact else f"{exact} of them exact"
    )
    return [
        f"* significant at .05, {holm}; paired randomization, {how}",
        *found.remarks,
    ]


def terminal(found: Comparison) -> str:
    """Aligned columns."""
    parts = []
    for table, sentences in _sections(found):
        widths = [max(_width(row[i]) for row in table) for i in range(len(table[0]))]
        lines = []
        for row in table:
            first = row[0] + " " * (widths[0] - _width(row[0]))
            rest = (" " * (w - _width(c)) + c for c, w in zip(row[1:], widths[1:], strict=True))
            lines.append("  ".join((first, *rest)).rstrip())
        parts.append("\n".join([*lines, *sentences]) + "\n")
    notes = [*(f"({note})" for note in _notes(found)), found.signature]
    return "\n".join([*parts, "\n".join(notes) + "\n"])


def markdown(found: Comparison) -> str:
    """Tables of Markdown, each sentence a line of its own below."""
    parts = []
    for table, sentences in _sections(found):
        head, *rows = (_row(*row) for row in table)
        rule = "|:--" + "|--:" * (len(table[0]) - 1) + "|"
        lines = [f"- {_row(sentence)[2:-2]}" for sentence in sentences]
        parts.append("\n".join([head, rule, *rows, *([""] if lines else []), *lines]) + "\n")
    notes = [f"{_row(note)[2:-2]}.\n" for note in _notes(found)]
    return "\n".join([*parts, *notes, "```", found.signature, "```", ""])


REPORTS: dict[str, Callable[[Comparison], str]] = {"terminal": terminal, "markdown": markdown}
"""The texts for people; json and csv are made from the rows themselves."""

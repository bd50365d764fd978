"""Mistakes in records as a table: fields by kinds, then examples side by side."""

from __future__ import annotations

from carob.corpus.problems import plain, shown
from carob.report.terminal import WIDTH, Section, Style, Table
from carob.result.mistakes import KINDS, Mistakes


def sections(mistakes: Mistakes, style: Style, *, width: int = WIDTH) -> list[Section]:
    """All fields together, each field, then examples."""
    totals = mistakes.totals
    used = [kind for kind in KINDS if totals[kind] or kind in ("right", "missing")]
    rows = [[plain(mistakes.name), *used], ["all", *(f"{totals[kind]:,}" for kind in used)]]
    for name, row in mistakes.counts.items():
        rows.append([f"  {plain(name)}", *(f"{row.get(kind, 0):,}" for kind in used)])
    laid_out = [Section(Table(rows))]
    quotes = []
    for each in mistakes.examples:
        gold = "-" if each.gold is None else shown(each.gold, 40)
        system = "-" if each.system is None else shown(each.system, 40)
        where = f"{plain(each.field)} in {plain(each.document)}"
        quotes.append(f"{each.kind:<12} {where}: gold {gold}, system {system}")
    if quotes:
        laid_out.append(Section(quotes=quotes))
    if mistakes.remarks:
        laid_out.append(Section(remarks=[plain(each) for each in mistakes.remarks]))
    return laid_out

"""Power as a table: how many documents show the difference how often."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report.terminal import WIDTH, Section, Style, Table
from carob.result.power import Power

BAR = 40
"""The width of a full bar."""


def sections(power: Power, style: Style, *, width: int = WIDTH) -> list[Section]:
    """The answer, then a row for each number of documents."""
    rows = [[f"{power.unit}s", "power", "error", "studies", ""]]
    for each in power:
        rows.append([
            f"{each.documents:,}", f"{each.power:.3f}", f"{each.error:.3f}",
            f"{each.simulations:,}", "█" * round(BAR * each.power),
        ])  # fmt: skip
    a, b = (plain(each.name) for each in power.systems)
    pilot = f"pilot: {a} {style.number(power.values[0])}, {b} {style.number(power.values[1])}"
    if power.share:
        pilot += (
            f"; exchanged on {100 * power.share:.1f} % of {power.unit}s to reduce the difference "
            f"to {style.number(power.difference)}"
        )
    return [
        Section(sentences=[power.sentence(style.decimals if style.percent else 1)]),
        Section(Table(rows, left=frozenset({4}))),
        Section(remarks=[pilot, *map(plain, power.remarks)]),
    ]

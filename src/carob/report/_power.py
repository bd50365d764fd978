"""Power for people: the answer, and a table of how many documents show how much."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report._width import width
from carob.result.power import Power

BAR = 40
"""The width of a full bar."""


def answer(found: Power) -> str:
    """How many documents are needed, in a sentence."""
    a, b = (plain(each.name) for each in found.systems)
    what = f"a difference of {100 * found.difference:.1f} {plain(found.recipe)}"
    own = next((each for each in found if each.documents == found.pilot), None)
    pilot = f"the {found.pilot:,} of the pilot show it in {_percent(own.power)}" if own else ""
    if found.documents is None:
        return (
            f"No number of {found.unit}s shows {what} between {a} and {b} more often than chance "
            f"does; {pilot}."
        )
    count = found.documents if found.simulated else _rounded(found.documents)
    text = (
        f"About {count:,} {found.unit}s are needed to detect {what} between {a} and {b} in "
        f"{_percent(found.goal)} of cases (p <= {found.alpha:g})"
    )
    if not found.simulated:
        text += ", by the normal approximation: that is too many to simulate"
    return text + (f"; {pilot}." if pilot else ".")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _rounded(number: int) -> int:
    """Two digits, upwards: an approximation is not better than that.

    >>> _rounded(56243), _rounded(7)
    (57000, 7)
    """
    step = int(10 ** max(len(str(number)) - 2, 0))
    return -(-number // step) * step


def terminal(found: Power) -> str:
    """The sentence, then a row for each number of documents."""
    rows = [[f"{found.unit}s", "power", "error", "studies", ""]]
    for each in found:
        rows.append([
            f"{each.documents:,}", f"{each.power:.3f}", f"{each.error:.3f}",
            f"{each.simulations:,}", "█" * round(BAR * each.power),
        ])  # fmt: skip
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join((" " * (w - width(c)) + c) if i < 4 else c
                  for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in rows
    ]  # fmt: skip
    a, b = (plain(each.name) for each in found.systems)
    mixed = "" if not found.share else (
        f"; exchanged on {100 * found.share:.1f} % of {found.unit}s to reduce the difference to "
        f"{found.difference:.4f}"
    )  # fmt: skip
    notes = [
        f"pilot: {a} {found.values[0]:.4f}, {b} {found.values[1]:.4f}{mixed}",
        *(plain(remark) for remark in found.remarks),
    ]
    notes = [f"({note})" for note in notes]
    return "\n".join([answer(found), "", *lines, "", *notes, found.signature, ""])

"""Robustness for people: the answer, the ranks of each system, the order under every choice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_uppercase
from textwrap import wrap

from carob.corpus.problems import plain
from carob.report._width import width
from carob.result.robustness import Choice, Robustness, Turn, joined

WIDE = 100
"""The assumed width of a terminal, in columns."""

BAR = 20
"""The width of a full bar."""


MOVES = "The winner changes"
STAYS = "The winner stays"


def answer(found: Robustness) -> str:
    """Would another scorer rank the systems differently? In one sentence."""
    total, stays = len(found), len(found.stays)
    who = joined([plain(name) for name in found.winner])
    several = len(found.winner) > 1
    tied = " together" if several else ""
    they = "are" if several else "is"
    if total == 1:
        return f"There is only one choice, {found.reference}: {who} {they} first{tied}."
    if stays < total:
        others = [
            f"{plain(each.system)} under {_times(each.alone, each.tied)}"
            for each in found.standings
            if each.alone + each.tied and (several or each.system not in found.winner)
        ]
        return (
            f"{MOVES}: {who}, first{tied} by {found.reference}, {they} first{tied} under "
            f"{stays if several else _own(found)} of {total} choices; {', '.join(others)}."
        )
    turned = [turn for turn in found.turns if turn.turned]
    if not turned:
        return f"{STAYS}: {who} {they} first{tied} under all {total} choices."
    pairs = "1 pair of systems changes" if len(turned) == 1 else f"{len(turned)} pairs change"
    return f"{STAYS}: {who} {they} first{tied} under all {total} choices; but {pairs} places."


def _own(found: Robustness) -> str:
    """How often the one winner is first."""
    own = found.standings[0]
    return _times(own.alone, own.tied)


def _times(alone: int, tied: int) -> str:
    """How often a system is first.

    >>> _times(3, 0), _times(2, 1), _times(0, 1)
    ('3', '2 (and 1 tied)', '1 tied')
    """
    if not tied:
        return str(alone)
    return f"{alone} (and {tied} tied)" if alone else f"{tied} tied"


def letters(count: int) -> list[str]:
    """Short names: one letter, and a number after the first 26.

    >>> letters(28)[-3:]
    ['Z', 'A1', 'B1']
    """
    return [ascii_uppercase[i % 26] + (str(i // 26) if i >= 26 else "") for i in range(count)]


def terminal(found: Robustness) -> str:
    """The answer, a table of systems, a chart of all choices, and the pairs that are reversed."""
    short = dict(
        zip([each.system for each in found.standings], letters(len(found.systems)), strict=True)
    )
    parts = [
        "\n".join(_wrapped(answer(found))) + "\n",
        _systems(found, short),
        *_charts(found, short),
    ]
    pairs = [line for turn in found.turns for line in _turned(turn, found)]
    if pairs:
        parts.append("\n".join(pairs) + "\n")
    notes = [line for each in found.remarks for line in _wrapped(f"({plain(each)})")]
    return "\n".join([*parts, "\n".join([*notes, *found.signatures]) + "\n"])


def _wrapped(text: str, indent: str = "") -> list[str]:
    return wrap(text, WIDE, subsequent_indent=indent, break_long_words=False,
                break_on_hyphens=False)  # fmt: skip


def _systems(found: Robustness, short: dict[str, str]) -> str:
    """A row for each system: its score under the first choice, its ranks, how often it is first."""
    rows = [["", "system", str(found.reference), "ranks", "first"]]
    total, bars = len(found), [""]
    for each in found.standings:
        value = "-" if each.value is None else f"{each.value:.4f}"
        ranks = "-" if each.best is None else f"{each.best}-{each.worst}"
        ranks = str(each.best) if each.best is not None and each.best == each.worst else ranks
        rows.append([short[each.system], plain(each.system), value, ranks,
                     _times(each.alone, each.tied)])  # fmt: skip
        bars.append("█" * round(BAR * each.alone / total) + "░" * round(BAR * each.tied / total))
    return _aligned([[*row, bar] for row, bar in zip(rows, bars, strict=True)], left={0, 1, 5})


def _aligned(rows: Sequence[Sequence[str]], left: set[int]) -> str:
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for i, cell in enumerate(row):
            gap = " " * (widths[i] - width(cell))
            cells.append(cell + gap if i in left else gap + cell)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _charts(found: Robustness, short: dict[str, str]) -> list[str]:
    """For each repair policy the order of systems: event spaces down, averages across."""
    averages = list(dict.fromkeys(each.average for each in found))
    blocks = list(dict.fromkeys(each.block for each in found))
    charts = []
    for policy in dict.fromkeys(each.repair for each in found):
        cells = {(c.block, c.average): c for c in found if c.repair == policy}
        head = "order of systems" if policy is None else f"order, {policy}"
        room = (WIDE - max(width(plain(name)) for name in (head, *blocks))) // len(averages) - 2
        rows = [[head, *averages]]
        for block in blocks:
            row = [cells.get((block, average)) for average in averages]
            if any(row):
                rows.append([plain(block), *(_cell(c, found, short, room) for c in row)])
        charts.append(_aligned(rows, left=set(range(len(averages) + 1))))
    charts[-1] += "(best first; = marks a tie, * a different winner than in the first cell)\n"
    return charts


def _cell(choice: Choice | None, found: Robustness, short: dict[str, str], room: int) -> str:
    """The order of the systems under one choice, cut to the width of the column."""
    if choice is None:
        return "·"
    order = ["=".join(sorted((short[n] for n in tied), key=_by_letter)) for tied in choice.order]
    star = "" if choice.first == found.winner else " *"
    for count in range(len(order), 0, -1):
        text = " ".join(order[:count]) + (" …" if count < len(order) else "") + star
        if width(text) <= room:
            return text
    return order[0].split("=")[0] + "=…" + star if "=" in order[0] else order[0] + star


def _by_letter(name: str) -> tuple[int, str]:
    return int(name[1:] or 0), name


def _turned(turn: Turn, found: Robustness) -> list[str]:
    """Which choices rank a pair differently, in words."""
    if not turn.turned and not turn.parted:
        return []
    a, b = plain(turn.ahead), plain(turn.behind)
    parts = []
    if turn.turned:
        parts.append(f"{b} ahead of {a}: {_listed(turn.turned, found)}")
    if turn.parted and turn.tie:
        parts.append(f"{a} and {b} do not tie: {_listed(turn.parted, found)}")
    elif turn.parted:
        parts.append(f"{a} and {b} tie: {_listed(turn.parted, found)}")
    return [line for part in parts for line in _wrapped(part, "  ")]


def _listed(choices: Iterable[Choice], found: Robustness) -> str:
    """Choices in few words: a space alone means all its averages, no policy means all policies."""
    here = list(choices)
    policies = list(dict.fromkeys(each.repair for each in found))
    there = {(c.block, c.average, c.repair) for c in here}
    parts = []
    for block in dict.fromkeys(each.block for each in here):
        every = list(dict.fromkeys(c.average for c in found if c.block == block))
        own = {p: [a for a in every if (block, a, p) in there] for p in policies}
        if all(averages == own[policies[0]] for averages in own.values()):
            own = {None: own[policies[0]]}
        for policy, averages in own.items():
            if averages:
                only = "" if averages == every else "@" + "/".join(averages)
                parts.append(plain(block) + only + ("" if policy is None else f" ({policy})"))
    return f"{len(here)} of {len(found)} choices: {', '.join(parts)}"

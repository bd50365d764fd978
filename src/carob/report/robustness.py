"""Robustness as tables: the answer, the systems, and their order under every choice."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase

from carob.corpus.problems import plain
from carob.report.terminal import WIDTH, Section, Style, Table, span
from carob.report.terminal import width as places
from carob.result.robustness import Choice, Robustness, Turn

BAR = 20
"""The width of a full bar."""


def sections(result: Robustness, style: Style, *, width: int = WIDTH) -> list[Section]:
    """The answer, a table of systems, a chart of all choices, and the pairs that are reversed."""
    names = [each.system for each in result.standings]
    short = dict(zip(names, letters(len(result.systems)), strict=True))
    pairs = [line for turn in result.turns for line in _pair(turn, result)]
    return [
        Section(sentences=[result.answer], indent=""),
        Section(_systems(result, short, style)),
        *_charts(result, short, width),
        *([Section(sentences=pairs, indent="  ")] if pairs else []),
        *([Section(remarks=[plain(each) for each in result.remarks], indent="")]
          if result.remarks else []),
    ]  # fmt: skip


def letters(count: int) -> list[str]:
    """Short names: one letter each, then letters with numbers.

    >>> letters(28)[-3:]
    ['Z', 'A1', 'B1']
    """
    return [ascii_uppercase[i % 26] + (str(i // 26) if i >= 26 else "") for i in range(count)]


def _systems(result: Robustness, short: dict[str, str], style: Style) -> Table:
    """A row for each system: its score under the first choice, its ranks, how often it is first."""
    rows = [["", "system", str(result.reference), "ranks", "first", ""]]
    total = len(result)
    for each in result.standings:
        bar = "█" * round(BAR * each.alone / total) + "░" * round(BAR * each.tied / total)
        rows.append([short[each.system], plain(each.system),
                     style.cell(each.value, count=result.reference.is_count),
                     span(each.best, each.worst), each.times_first, bar])  # fmt: skip
    return Table(rows, left=frozenset({0, 1, 5}))


def _charts(result: Robustness, short: dict[str, str], width: int) -> list[Section]:
    """For each repair policy the order of systems: event spaces down, averages across."""
    averages = list(dict.fromkeys(each.average for each in result))
    blocks = list(dict.fromkeys(each.block for each in result))
    tables = []
    for policy in dict.fromkeys(each.repair for each in result):
        cells = {(c.block, c.average): c for c in result if c.repair == policy}
        head = "order of systems" if policy is None else f"order, {policy}"
        first = max(places(plain(name)) for name in (head, *blocks))
        room = (width - first) // len(averages) - 2
        rows = [[head, *averages]]
        for block in blocks:
            row = [cells.get((block, average)) for average in averages]
            if any(row):
                rows.append([plain(block), *(_order(c, result, short, room) for c in row)])
        tables.append(Table(rows, left=frozenset(range(len(averages) + 1))))
    meaning = "best first; = marks a tie, * a different winner than in the first cell"
    return [*map(Section, tables[:-1]), Section(tables[-1], notes=[meaning])]


def _order(choice: Choice | None, result: Robustness, short: dict[str, str], room: int) -> str:
    """The order of the systems under one choice, cut to the width of the column."""
    if choice is None:
        return "·"
    order = ["=".join(sorted((short[n] for n in tied), key=_by_letter)) for tied in choice.order]
    star = "" if choice.first == result.winner else " *"
    for count in range(len(order), 0, -1):
        text = " ".join(order[:count]) + (" …" if count < len(order) else "") + star
        if places(text) <= room:
            return text
    return order[0].split("=")[0] + "=…" + star if "=" in order[0] else order[0] + star


def _by_letter(name: str) -> tuple[int, str]:
    return int(name[1:] or 0), name


def _pair(turn: Turn, result: Robustness) -> list[str]:
    """Which choices order a pair differently, in words."""
    a, b = plain(turn.ahead), plain(turn.behind)
    lines = []
    if turn.turned:
        lines.append(f"{b} ahead of {a}: {_choices(turn.turned, result)}")
    if turn.parted:
        tie = "do not tie" if turn.tie else "tie"
        lines.append(f"{a} and {b} {tie}: {_choices(turn.parted, result)}")
    return lines


def _choices(choices: Iterable[Choice], result: Robustness) -> str:
    """Choices in few words: a space alone means all its averages, no policy means all policies."""
    here = list(choices)
    policies = list(dict.fromkeys(each.repair for each in result))
    named = {(c.block, c.average, c.repair) for c in here}
    parts = []
    for block in dict.fromkeys(each.block for each in here):
        every = list(dict.fromkeys(c.average for c in result if c.block == block))
        own = {p: [a for a in every if (block, a, p) in named] for p in policies}
        if all(averages == own[policies[0]] for averages in own.values()):
            own = {None: own[policies[0]]}
        for policy, averages in own.items():
            if averages:
                only = "" if averages == every else "@" + "/".join(averages)
                parts.append(plain(block) + only + ("" if policy is None else f" ({policy})"))
    return f"{len(here)} of {len(result)} choices: {', '.join(parts)}"

"""The errors of a system, for a person at a terminal."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

from carob.corpus.problems import plain
from carob.report._table import width
from carob.result.result import whole

MEANING = {
    "TP": "right",
    "LE": "wrong label",
    "BES": "too short",
    "BEL": "too long",
    "BEO": "overlaps",
    "LBE": "wrong label and boundary",
    "FP": "invented",
    "FN": "missed",
    "COR": "right",
    "PAR": "partly right",
    "INC": "incorrect",
    "MIS": "missing",
    "SPU": "spurious",
    "ungrounded": "not found in the text",
}
_SHADES = ("", "\x1b[48;5;230m", "\x1b[48;5;223m", "\x1b[48;5;216m", "\x1b[48;5;209m")
_PLAIN = "\x1b[0m"
_LONG = 40


def terminal(errors: Any, *, color: bool | None = None) -> str:
    """Counts and shares, confusions, gains, examples."""
    color = sys.stdout.isatty() if color is None else color
    parts = [_counts(errors), _confusion(errors, color=color), _gains(errors)]
    if errors.changes is not None:
        parts.append(_changes(errors.changes))
    parts += [_examples(kind, found) for kind, found in errors.examples.items() if found]
    return "\n".join([*parts, *([f"{errors.signature}\n"] if errors.signature else [])])


def _table(rows: Sequence[Sequence[str]], shades: Sequence[Sequence[str]] | None = None) -> str:
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for number, row in enumerate(rows):
        cells = []
        for i, cell in enumerate(row):
            gap = " " * (widths[i] - width(cell))
            text = cell + gap if i == 0 else gap + cell
            shade = shades[number][i] if shades else ""
            cells.append(f"{shade}{text}{_PLAIN}" if shade else text)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _counts(errors: Any) -> str:
    kinds = list(errors.counts)
    rows = [["errors", *kinds]]
    rows.append(["all", *(f"{whole(errors.counts[kind]):,}" for kind in kinds)])
    for label, row in errors.by_label.items():
        rows.append([f"  {plain(label)}", *(f"{whole(row[kind]):,}" for kind in kinds)])
    for label, shares in errors.shares.items():
        name = "share of errors" if label is None else f"  {plain(label)}"
        every = (shares.get(kind) for kind in kinds)
        rows.append([name, *("" if each is None else f"{each:.1%}" for each in every)])
    legend = ", ".join(f"{kind} {MEANING[kind]}" for kind in kinds if kind in MEANING)
    if errors.of_slots:
        moved = sum(count for _, _, count in errors.confusions)
        return _table(rows) + f"{legend}\ncorrect strings in the wrong slot: {moved:,}\n"
    boundary = sum(errors.counts[kind] for kind in ("BES", "BEL", "BEO"))
    near = f"{errors.near:,} of {whole(boundary):,} boundary errors are one token off"
    unseen = f"{errors.unseen:,} of {whole(errors.counts['FN']):,} missed mentions overlap nothing"
    return _table(rows) + f"{legend}\n{near}; {unseen} the system marked\n"


def _confusion(errors: Any, *, color: bool) -> str:
    names = [plain(name) for name in errors.confusion.names]
    counts = errors.confusion.counts
    top = max(float(counts.max()), 1.0)
    rows = [["gold \\ system", *names]]
    shades: list[list[str]] = [[""] * (len(names) + 1)]
    for name, row in zip(names, counts.tolist(), strict=True):
        rows.append([name, *(f"{whole(count):,}" if count else "." for count in row)])
        steps = [0 if not count else 1 + min(3, int(4 * count / top)) for count in row]
        shades.append(["", *(_SHADES[step] if color else "" for step in steps)])
    text = _table(rows, shades)
    most = [f"{plain(a)} taken for {plain(b)} {n:,}" for a, b, n in errors.confusions[:5]]
    return text + (f"most frequent: {', '.join(most)}\n" if most else "")


def _gains(errors: Any) -> str:
    recipes = list(errors.scores)
    rows = [["if all were corrected", *recipes]]
    rows.append(["now", *(_number(errors.scores[r], sign=False) for r in recipes)])
    for kind, gains in errors.gains.items():
        if errors.counts[kind]:
            rows.append([f"  {kind}", *(_number(gains[r], sign=True) for r in recipes)])
    steps = [f"{kind} ({score:.4f})" for kind, score in errors.order]
    attack = f"attack in this order ({recipes[0]} then): {', '.join(steps)}\n" if steps else ""
    return _table(rows) + attack


def _number(value: float | None, *, sign: bool) -> str:
    return "-" if value is None else f"{value:+.4f}" if sign else f"{value:.4f}"


def _changes(changes: Any) -> str:
    kinds = [kind for kind in MEANING if kind in changes.fixed or kind in changes.broken]
    rows = [["second against first", *kinds, "all"]]
    for name in ("fixed", "broken"):
        found = getattr(changes, name)
        cells = (f"{found.get(kind, 0):,}" for kind in kinds)
        rows.append([name, *cells, f"{sum(found.values()):,}"])
    text = _table(rows)
    for name in ("fixed", "broken"):
        for before, after in getattr(changes, f"{name}_examples"):
            slot = getattr(before, "slot", None)
            text += f"\n{name} in document {plain(before.document)}{_slot(slot)}\n"
            sides = (_sides(before)[0], *(_sides(each)[1] for each in (before, after)))
            text += _lines(*zip(("gold", "first", "second"), sides, strict=True))
    return text


def _examples(kind: str, examples: Sequence[Any]) -> str:
    text = ""
    for each in examples:
        where = f"{plain(each.document)}{_slot(getattr(each, 'slot', None))}"
        text += f"{kind} ({MEANING[kind]}) in document {where}\n"
        if not hasattr(each, "slot") and each.gold_marked is None and each.system_marked is None:
            text += _lines(("gold", str(each.gold)), ("system", str(each.system)))
        else:
            text += _lines(*zip(("gold", "system"), _sides(each), strict=True))
    return text


def _slot(slot: str | None) -> str:
    return "" if slot is None else f", slot {plain(slot)}"


def _sides(example: Any) -> tuple[str | None, str | None]:
    """What gold and the system have, in context; for a filler, its text."""
    if not hasattr(example, "slot"):
        return example.gold_marked, example.system_marked
    system = "" if example.system is None else example.system
    if not example.grounded:
        system += " (not found in the text)"
    return (
        _in_context(" or ".join(example.gold), example.gold_marked),
        _in_context(system, example.system_marked),
    )


def _in_context(text: str, around: str | None) -> str | None:
    """A filler and the words around it; its text is not repeated if they contain it."""
    if around is None:
        return text or None
    return around if f"[{text}]" in around else f"{text}: {around}"


def _lines(*rows: tuple[str, str | None]) -> str:
    return "".join(f"  {name:<7} {safe(text or '-')}\n" for name, text in rows)


def safe(text: str) -> str:
    """Text from a file on one line: control characters escaped, right-to-left text isolated.

    >>> safe("a\\x1b[2J b")
    'a\\\\x1b[2J b'
    >>> [hex(ord(sign)) for sign in safe("\\u05d0")]
    ['0x2068', '0x5d0', '0x2069']
    """
    words = plain(" ".join(_cut(word) for word in text.split()))
    if any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in words):
        return f"\u2068{words}\u2069"
    return words


def _cut(word: str) -> str:
    """Leave out the middle of a word that is too long to be one."""
    return word if len(word) <= 2 * _LONG else f"{word[:_LONG]}…{word[-_LONG:]}"

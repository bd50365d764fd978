"""Tables for a person at a terminal, and what all reports for people have in common: a style of
numbers, and sections with tables.

The module of a kind of result (`scores`, `comparison`, ...) lays a result out as sections; a report
(`terminal`, `markdown`, `latex`, `html`) writes them down.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TextIO

from carob.corpus.problems import UsageError
from carob.result.result import Result, points, with_interval

if TYPE_CHECKING:
    from carob.result.gate import Gate

WIDTH = 100
"""How wide text is set where the width of the terminal is not known, in columns."""

INDENT = "  "
"""What the first cell of a row begins with if the row is a part of the one above."""


MOST_DIGITS = 15
"""A floating-point number has no more decimals that mean something."""


@dataclass(frozen=True, slots=True)
class Style:
    """What all reports for people have in common. `digits` are the decimals of scores: by default
    4, or 1 with `percent`, which shows 84.3 instead of 0.8430. `layout` is the name of a layout
    that the kind of result has; by default its first.

    >>> Style().cell(0.8431), Style(percent=True).cell(0.8431), Style(digits=2).cell(None)
    ('0.8431', '84.3', '-')
    """

    by_label: bool = False
    percent: bool = False
    digits: int | None = None
    intervals: bool = True
    layout: str | None = None

    def __post_init__(self) -> None:
        if self.digits is not None and not 0 <= self.digits <= MOST_DIGITS:
            raise UsageError(f"digits is from 0 to {MOST_DIGITS}, not {self.digits}")

    @property
    def decimals(self) -> int:
        """The decimals of scores."""
        return (1 if self.percent else 4) if self.digits is None else self.digits

    def number(self, value: float, *, count: bool = False, sign: str = "") -> str:
        """A score, or with the sign `+` a difference of scores. A count is whole where it can be.

        >>> Style(percent=True).number(0.012, sign="+"), Style(percent=True).number(3, count=True)
        ('+1.2', '3')
        """
        if count:
            return format(value, f"{sign},.{0 if float(value).is_integer() else 2}f")
        if self.percent:
            return points(value, self.decimals, sign)
        return format(value, f"{sign}.{self.decimals}f")

    def cell(
        self,
        value: float | None,
        low: float | None = None,
        high: float | None = None,
        *,
        count: bool = False,
        sign: str = "",
        mark: str = "",
    ) -> str:
        """A number with its mark and, if intervals are shown, its interval; `-` for no value.

        >>> Style(digits=2).cell(0.5, 0.4, 0.6, mark="*"), Style(intervals=False).cell(0.5, 0, 1)
        ('0.50* [0.40, 0.60]', '0.5000')
        """
        if not self.intervals:
            low = high = None
        text = with_interval(value, low, high, partial(self.number, count=count, sign=sign))
        number, rest = parts(text)
        return f"{number}{mark}{rest}"


def parts(cell: str) -> tuple[str, str]:
    """The number of a cell, and what follows it: a mark, an interval.

    >>> parts("84.3* [83.1, 85.2]")
    ('84.3', '* [83.1, 85.2]')
    """
    number = cell.partition(" ")[0].removesuffix("*")
    return number, cell[len(number) :]


def best(values: Sequence[float | None], cells: Sequence[str], *, lower: bool) -> list[int]:
    """The places of the best values; none if all are alike. What looks the same in a table is
    the same: a reader cannot see why only one of two equal numbers is bold.

    >>> best([0.51, 0.512, 0.4], ["51", "51", "40"], lower=False)
    [0, 1]
    """
    there = [i for i, value in enumerate(values) if value is not None]
    if not there:
        return []
    top = (min if lower else max)(there, key=lambda i: values[i] or 0.0)
    alike = [i for i in there if parts(cells[i])[0] == parts(cells[top])[0]]
    return alike if len(alike) < len(there) else []


class Table(NamedTuple):
    """Rows of cells; the first row is the head."""

    rows: Sequence[Sequence[str]]
    left: frozenset[int] = frozenset({0})
    """The columns that are aligned to the left."""
    shades: Sequence[Sequence[int]] | None = None
    """How dark each cell is, from 0 to 4."""
    bold: frozenset[tuple[int, int]] = frozenset()
    """The cells, by row and column, whose number is the best of those that it competes with."""
    total: int | None = None
    """The row from which on the rows sum up those before."""


class Section(NamedTuple):
    """A table with sentences about it. Each part may be missing."""

    table: Table | None = None
    sentences: Sequence[str] = ()
    quotes: Sequence[str] = ()
    """Lines whose spaces matter, such as examples from the text."""
    notes: Sequence[str] = ()
    """What the marks in the table mean: they are printed wherever the table is."""
    remarks: Sequence[str] = ()
    indent: str | None = None
    """If given, sentences and remarks are wrapped even where the width is not known; further lines
    begin with it.
    """
    verdict: str | None = None
    """What a gate says, if the sentences are those of a gate."""


def verdict(gate: Gate) -> Section:
    """A gate and its reasons."""
    return Section(sentences=gate.sentences(), verdict=gate.verdict)


def sections(result: Result, style: Style, *, width: int = WIDTH) -> list[Section]:
    """A result as a person wants to see it. It lays itself out if it can; otherwise the module
    with the name of its class does. Only the one that is needed is imported.
    """
    kind = type(result).__name__.lower()
    own: Callable[..., list[Section]] | None = getattr(result, "sections", None)
    known: Sequence[str] = ()
    if own is None:
        module = import_module(f"carob.report.{kind}")
        own, known = partial(module.sections, result), getattr(module, "LAYOUTS", ())
    if style.layout is not None and style.layout not in known:
        there = f"there are: {', '.join(known)}" if known else "there is one only"
        raise UsageError(f"no layout of {kind} is called {style.layout!r}; {there}")
    return own(style, width=width)


def number(value: float | None, form: str) -> str:
    """A number in a cell that is no score.

    >>> number(0.5, ".3f"), number(None, "d")
    ('0.500', '-')
    """
    return "-" if value is None else format(value, form)


def span(low: int | None, high: int | None) -> str:
    """A range in a cell.

    >>> span(1, 3), span(2, 2), span(None, None)
    ('1-3', '2', '-')
    """
    return number(low, "d") if low == high else f"{low}-{high}"


@lru_cache  # a table says the same few things again and again
def width(text: str) -> int:
    """How many places a text takes on a terminal; of several lines, the longest.

    >>> width("abc"), width("東京"), width("a\\nbc")
    (3, 4, 2)
    """
    if "\n" in text:
        return max(map(width, text.split("\n")))
    if text.isascii():
        return len(text)
    return sum(map(_places, text))


def _places(sign: str) -> int:
    """Marks stand on the sign before them, and format characters are invisible."""
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def terminal_width(stream: TextIO | None = None) -> int | None:
    """How many columns there are: COLUMNS, or those of the terminal; None if output goes
    elsewhere. `stream` is by default standard output.
    """
    variable = os.environ.get("COLUMNS", "")
    if variable.isdecimal() and int(variable) > 0:
        return int(variable)
    with suppress(AttributeError, ValueError, OSError):
        stream = stream or sys.stdout
        if stream.isatty():
            return os.get_terminal_size(stream.fileno()).columns or None
    return None


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def wants_color() -> bool:
    """Whether output goes to a terminal, and NO_COLOR (https://no-color.org) is not set."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return _is_terminal() and not plain


_SHADES = ("", "\x1b[48;5;230;30m", "\x1b[48;5;223;30m", "\x1b[48;5;216;30m", "\x1b[48;5;209;30m")
_VERDICTS = {"pass": "\x1b[32m", "fail": "\x1b[31m", "cannot tell": "\x1b[33m"}
_HEAD, _FAINT, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Terminal(Style):
    """Aligned columns, with sentences and remarks below, and the signature once at the end.

    Scores have a table for each event space and average, with a row for each system, and with
    `by_label` for each label. Tables fit into `width` columns: by default those of the terminal,
    and as many as they need if output goes elsewhere. `color` is by default used on terminals,
    unless NO_COLOR is set. The signature is in its short form, or in full with `signature`.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]PER slept"), "exact.PRF")
    >>> print("\\n".join(Terminal()(scores).splitlines()[:2]))
    exact        P       R      F1  gold
    system  1.0000  1.0000  1.0000     1
    """

    color: bool | None = None
    width: int | None = None
    signature: bool = False

    name: ClassVar[str] = "terminal"

    def __call__(self, result: Result) -> str:
        """The text."""
        color = wants_color() if self.color is None else self.color
        limit = self.width or terminal_width()
        # Sentences stay on one line for programs that look for them, such as grep.
        prose = limit if self.width or _is_terminal() else None
        laid_out = sections(result, self, width=limit or WIDTH)
        text = "\n".join(_text(section, limit, prose, color=color) for section in laid_out)
        lines = list(result.signature_lines if self.signature else [result.short_signature])
        if len(laid_out) > 1 and not (laid_out[-1].notes or laid_out[-1].remarks):
            lines.insert(0, "")  # it belongs to all tables, not to the last one
        return text + "".join(_styled(line, _FAINT, color=color) + "\n" for line in lines)


def _text(section: Section, limit: int | None, prose: int | None, *, color: bool) -> str:
    lines = []
    tables = [] if section.table is None else fitted(_with_room_for_marks(section.table), limit)
    for place, table in enumerate(tables):
        lines += [""] * (place > 0) + _aligned(table, color=color)
    sentences = list(_wrapped(section.sentences, section.indent, prose))
    if section.verdict is not None:
        sentences[0] = _styled(sentences[0], _VERDICTS[section.verdict], color=color)
    lines += sentences
    lines += _wrapped(section.quotes, None, prose, " " * 10)
    remarks = [f"({remark})" for remark in (*section.notes, *section.remarks)]
    remarks = list(_wrapped(remarks, section.indent, prose))
    lines += [_styled(remark, _FAINT, color=color) for remark in remarks]
    return "\n".join(lines) + "\n"


def _with_room_for_marks(table: Table) -> Table:
    """With a blank after the numbers that have no mark, in columns in which others have one: so
    numbers stand below each other.
    """
    rows = [list(row) for row in table.rows]
    for i, cells in _by_column(table):
        ends = [parts(cell) for cell in cells]
        if i in table.left or not any(number and rest[:1] == "*" for number, rest in ends[1:]):
            continue
        for row, (number, rest) in zip(rows[1:], ends[1:], strict=True):
            row[i] = number + rest if rest[:1] == "*" else f"{number} {rest}"
    return table._replace(rows=rows)


def _styled(text: str, style: str, *, color: bool) -> str:
    return f"{style}{text}{_PLAIN}" if color and text else text


LEAST = 16
"""Columns of names are not made narrower than this."""

_BARS = re.compile("[█░]*")
_INTERVAL = re.compile(r" (?=\[[^\]]*\]$)")
_PARTS = re.compile(r"(?<=[ /_.,@+(=-])")


def fitted(table: Table, limit: int | None) -> list[Table]:
    """A table as it fits into a number of columns.

    Bars are left out. Then long names are wrapped, then long heads; then intervals stand below
    their numbers; and if all this does not suffice, columns are spread over several tables.

    >>> [made] = fitted(Table([["exact", "F1"], ["a", "0.5000 [0.4000, 0.6000]"]]), 20)
    >>> made.rows[1]
    ['a', '0.5000\\n[0.4000, 0.6000]']
    """
    if limit is None or _total(table) <= limit:
        return [table]
    table = without_bars(table)
    names = max(table.left, key=lambda i: max(width(row[i]) for row in table.rows), default=0)
    for change in (None, _with_narrow_heads, _with_stacked_intervals):
        table = table if change is None else change(table)
        own = max(width(row[names]) for row in table.rows)
        room = limit - (_total(table) - own)
        if room >= min(own, LEAST):
            return [_narrowed(table, names, room)]
    return _split(table, limit)


def _with_stacked_intervals(table: Table) -> Table:
    rows = [[row[0], *(_INTERVAL.sub("\n", cell) for cell in row[1:])] for row in table.rows]
    return table._replace(rows=rows)


def _with_narrow_heads(table: Table) -> Table:
    """With heads that are hardly wider than what stands below them."""
    head = list(table.rows[0])
    for i, cells in _by_column(table)[1:]:
        room = max(map(width, (*cells[1:], *_PARTS.split(head[i]))))
        head[i] = "\n".join(broken(head[i], room))
    return table._replace(rows=[head, *table.rows[1:]])


def _split(table: Table, limit: int) -> list[Table]:
    """Several tables with some of the columns each; all have the first one."""
    table = _narrowed(table, 0, max(LEAST, limit // 4))
    first = max(width(row[0]) for row in table.rows)
    groups: list[list[int]] = [[]]
    used = first
    for i, cells in _by_column(table)[1:]:
        own = min(max(map(width, cells)), max(limit - first - 2, LEAST))
        table = _narrowed(table, i, own)
        if groups[-1] and used + 2 + own > limit:
            groups.append([])
            used = first
        groups[-1].append(i)
        used += 2 + own
    return [_columns(table, [0, *group]) for group in groups]


def _by_column(table: Table) -> list[tuple[int, tuple[str, ...]]]:
    return list(enumerate(zip(*table.rows, strict=True)))


def without_bars(table: Table) -> Table:
    """A table without the columns that show bars.

    >>> without_bars(Table([["a", ""], ["1", "██"]])).rows
    [['a'], ['1']]
    """
    return _columns(table, [i for i, cells in _by_column(table) if not _is_bar(cells)])


def _is_bar(cells: Sequence[str]) -> bool:
    return any(cells) and all(_BARS.fullmatch(cell) for cell in cells)


def _columns(table: Table, kept: Sequence[int]) -> Table:
    """Some columns of a table."""
    shades = table.shades and [[row[i] for i in kept] for row in table.shades]
    left = frozenset(place for place, i in enumerate(kept) if i in table.left)
    bold = frozenset((row, kept.index(i)) for row, i in table.bold if i in kept)
    return Table([[row[i] for i in kept] for row in table.rows], left, shades, bold, table.total)


def _total(table: Table) -> int:
    widths = [max(map(width, cells)) for _, cells in _by_column(table)]
    return sum(widths) + 2 * (len(widths) - 1)


def _narrowed(table: Table, column: int, room: int) -> Table:
    """With the cells of a column wrapped."""
    rows = [
        [*row[:column], "\n".join(broken(row[column], room)), *row[column + 1 :]]
        for row in table.rows
    ]
    return table._replace(rows=rows)


def broken(text: str, room: int) -> list[str]:
    """A name as lines of at most `room` places. A break comes after a sign between two parts of
    the name, if there is one near; a name that needs more than three lines loses its middle.

    >>> broken("team-17/second-submission.conll", 16)
    ['team-17/second-', 'submission.conll']
    """
    if "\n" in text:
        return [line for part in text.split("\n") for line in broken(part, room)]
    indent = INDENT if text.startswith(INDENT) else ""
    rest, lines = text, []
    if width(rest) > 3 * room:
        rest = f"{rest[: 3 * room // 2]}…{rest[-room:]}"
    while width(rest) > room:
        end = next(n for n in range(len(rest), 0, -1) if n == 1 or width(rest[:n]) <= room)
        sign = max((cut.end() for cut in _PARTS.finditer(rest, 0, end)), default=0)
        at = sign if sign > max(end // 2, len(indent)) else end
        lines.append(rest[:at].rstrip())
        rest = indent + rest[at:]
    return [*lines, rest]


def _aligned(table: Table, *, color: bool) -> list[str]:
    widths = [max(map(width, cells)) for _, cells in _by_column(table)]
    lines = []
    for number, row in enumerate(table.rows):
        cells = [cell.split("\n") for cell in row]
        height = max(map(len, cells))
        for place in range(height):
            pieces = []
            for i, lines_of_cell in enumerate(cells):
                # Of a head, the last lines stand side by side; of a row, the first ones.
                shift = place - (height - len(lines_of_cell)) * (number == 0)
                cell = lines_of_cell[shift] if 0 <= shift < len(lines_of_cell) else ""
                gap = " " * (widths[i] - width(cell))
                if color and place == 0 and (number, i) in table.bold:
                    best, rest = parts(cell)
                    cell = _styled(best, _HEAD, color=color) + rest
                text = cell + gap if i in table.left else gap + cell
                shade = _SHADES[table.shades[number][i]] if table.shades and color else ""
                pieces.append(f"{shade}{text}{_PLAIN}" if shade else text)
            line = "  ".join(pieces).rstrip()
            lines.append(_styled(line, _HEAD, color=color and number == 0))
    return lines


def _wrapped(
    texts: Sequence[str], indent: str | None, limit: int | None, default: str = INDENT
) -> Iterator[str]:
    if indent is None and limit is None:
        yield from texts
        return
    for text in texts:
        if width(text) <= (limit or WIDTH):
            yield text
            continue
        from textwrap import wrap

        further = default if indent is None else indent
        lead = text[: len(text) - len(text.lstrip())]
        yield from wrap(
            text.lstrip(), limit or WIDTH, initial_indent=lead, subsequent_indent=further,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip

"""A published table of scores, as it was printed: rows of numbers with the digits they have."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from carob.corpus.problems import Problems, nearest, shown
from carob.corpus.source import Source

LARGEST = 1 << 24
"""The largest table, in bytes."""

COLUMNS = {
    "system": ("system", "model", "learner", "algorithm", "method", "approach"),
    "slot": ("slot", "label", "field", "class", "type", "entity"),
    "corpus": ("corpus", "dataset", "data"),
    "P": ("p", "precision", "prec", "prec."),
    "R": ("r", "recall", "rec", "rec."),
    "F": ("f", "f1", "f-1", "f_1", "f-measure", "f-score", "f1-score", "fb1"),
    "support": ("support", "gold", "n"),
    "found": ("found", "predicted", "answers"),
    "tp": ("tp", "correct"),
    "fp": ("fp",),
    "fn": ("fn",),
    "low": ("low", "lower"),
    "high": ("high", "upper"),
    "spread": ("interval", "ci", "±", "+-", "+/-", "sd", "std", "stdev", "se", "error"),
}
"""What columns hold, and the names that they may have, in any case."""

SCORES = ("P", "R", "F")
_NUMBERS = (*SCORES, "low", "high")
_COUNTS = ("support", "found", "tp", "fp", "fn")
_NUMBER = re.compile(r"[+-]?(\d{1,9})?(\.\d{0,12})?", re.ASCII)
_ABSENT = frozenset({"", "-", "--", "—", "–", "n/a", "na", "nan", "?"})


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was printed: it stands for all that are rounded to it.

    >>> score = Printed("79.0")
    >>> float(score.low), float(score.high), score.value
    (78.95, 79.05, Fraction(79, 1))
    """

    text: str

    @property
    def value(self) -> Fraction:
        """The number that was printed."""
        return Fraction(self.text)

    @property
    def digits(self) -> int:
        """How many digits follow the point."""
        return len(self.text.partition(".")[2])

    @property
    def low(self) -> Fraction:
        """The smallest number that is printed like this, and none below 0."""
        return max(self.value - Fraction(1, 2 * 10**self.digits), Fraction(0))

    @property
    def high(self) -> Fraction:
        """The largest number that is printed like this: ends belong to it, as halves are rounded
        up by some and to even digits by others.
        """
        return self.value + Fraction(1, 2 * 10**self.digits)

    def like(self, number: Fraction) -> str:
        """Another number with as many digits."""
        return f"{Decimal(number.numerator) / Decimal(number.denominator):.{self.digits}f}"


@dataclass(frozen=True)
class Row:
    """One row of a table."""

    line: int
    system: str = ""
    slot: str = ""
    corpus: str = ""
    numbers: dict[str, Printed] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    spread: str = ""

    def __getitem__(self, column: str) -> Printed | None:
        return self.numbers.get(column)

    def __contains__(self, column: str) -> bool:
        return column in self.numbers


@dataclass(frozen=True)
class Table:
    """All rows, the columns that there are, and how much a full score is: 1 or 100."""

    rows: tuple[Row, ...]
    columns: frozenset[str]
    full: int


def read_table(source: Source) -> Table:
    """Read a table with a head: comma, semicolon or tab between cells.

    >>> data = b"system,slot,P,R,F1\\nELIE,stime,0.79,0.76,-\\n"
    >>> table = read_table(Source.of_bytes(data))
    >>> table.full, [sorted(row.numbers) for row in table.rows]
    (1, [['P', 'R']])
    """
    problems = Problems(source.name)
    lines, sign = _cells(source)
    number, head = lines[0]
    place = _columns(number, head, problems)
    problems.check()
    rows = [
        _row(number, cells, place, problems, decimal_comma=sign != ",")
        for number, cells in lines[1:]
    ]
    if not rows:
        problems.add("K852", number, "a table without rows", "at least one below the head")
    problems.check()
    every = [row[score] for row in rows for score in SCORES if score in row]
    percent = any(each.value > 1 for each in every if each is not None)
    return Table(tuple(rows), frozenset(place), 100 if percent else 1)


def _cells(source: Source) -> tuple[list[tuple[int, list[str]]], str]:
    """The cells of each line that is not empty, with its number; and what separates cells."""
    data = b""
    for block in source.blocks():
        data += block
        if len(data) > LARGEST:
            raise source.failure("K851", f"more than {LARGEST:,} bytes", "a published table")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"bytes that are not UTF-8 at {error.start}"
        raise source.failure("K851", found, "CSV in UTF-8") from None
    head = text.partition("\n")[0]
    sign = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, skipinitialspace=True)
    lines = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        raise source.failure("K851", f"no CSV ({error})", "a table with a head") from None
    if not lines:
        raise source.failure("K851", "an empty table", "a head like system,slot,P,R,F and rows")
    return lines, sign


def _columns(number: int, head: Sequence[str], problems: Problems) -> dict[str, int]:
    """The place of each column that is known; any other column is left alone."""
    names = {name: column for column, several in COLUMNS.items() for name in several}
    place: dict[str, int] = {}
    for i, cell in enumerate(head):
        column = names.get(cell.casefold())
        if column is not None and column in place:
            problems.add("K852", number, f"two columns with {column}: {shown(head[place[column]])} "
                         f"and {shown(cell)}", "one")  # fmt: skip
        elif column is not None:
            place[column] = i
    if not place.keys() & set(SCORES):
        found = f"a head without P, R or F: {shown(', '.join(head))}"
        hint = nearest(head[0], sorted(names))[2:] if head else ""
        problems.add("K852", number, found, "columns like system, slot, P, R, F", hint)
    return place


def _row(
    line: int, cells: Sequence[str], place: dict[str, int], problems: Problems,
    *, decimal_comma: bool,
) -> Row:  # fmt: skip
    texts = {column: cells[i] for column, i in place.items() if i < len(cells)}
    numbers, counts = {}, {}
    for column in (*_NUMBERS, *_COUNTS):
        text = texts.get(column, "").removesuffix("%").strip()
        if decimal_comma:
            text = text.replace(",", ".")
        if text.casefold() in _ABSENT:
            continue
        match = _NUMBER.fullmatch(text)
        if match is None or not any(map(str.isdigit, text)):
            problems.add("K853", line, f"{shown(texts[column])} in the column {column}",
                         "a number like 79.0, or nothing")  # fmt: skip
        elif column in _NUMBERS:
            numbers[column] = Printed(text.rstrip("."))
        elif not text.isdecimal():
            problems.add("K853", line, f"{shown(texts[column])} in the column {column}",
                         "a whole number, or nothing")  # fmt: skip
        else:
            counts[column] = int(text)
    system, slot, corpus, spread = (
        texts.get(column, "") for column in ("system", "slot", "corpus", "spread")
    )
    return Row(line, system, slot, corpus, numbers, counts, spread)

"""What can go wrong, and how it is said.

CarobError
├── UsageError       the call or the command line is wrong (exit 2)
│   ├── RecipeError  a recipe cannot be read or makes no sense
│   └── DataError    what was asked for is not possible with these files (exit 1)
└── InputError       a file is wrong (exit 1); carries every Problem that was found
    ├── FilesError   several files are wrong; prints a line for each
    └── TaskError    a task definition is wrong; prints every one of them

A Problem names file and line, what was found, what was expected and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

SHOWN = 100
"""How many problems are kept in full; the others are counted."""


class CarobError(Exception):
    """Everything carob raises on purpose."""


class UsageError(CarobError):
    """The call or the command line is wrong."""


class RecipeError(UsageError):
    """A recipe cannot be read, or its parts do not fit."""


class DataError(UsageError):
    """What was asked for is not possible with these files; with others it may be."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file. Printed, it holds no control characters.

    >>> print(Problem("K104", "dev.conll", 2, "'PER'", "O or a tag like B-PER or I-PER"))
    dev.conll:2: K104 found 'PER', expected O or a tag like B-PER or I-PER
    """

    code: str
    file: str
    line: int | None
    found: str
    expected: str
    hint: str = ""
    warning: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "severity": "warning" if self.warning else "error", "code": self.code,
            "file": self.file, "line": self.line, "found": self.found,
            "expected": self.expected, "hint": self.hint,
        }  # fmt: skip

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        hint = f"; {self.hint}" if self.hint else ""
        line = f"{place}: {self.code} found {self.found}, expected {self.expected}{hint}"
        if line.isprintable():
            return line
        return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in line)


class InputError(CarobError):
    """A file is wrong. Prints its first problem, and how many more there are.

    >>> problem = Problem("K002", "dev.conll", None, "an empty file", "at least one document")
    >>> print(InputError([problem]))
    dev.conll: K002 found an empty file, expected at least one document
    """

    def __init__(self, problems: Iterable[Problem], total: int | None = None) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.total: int = len(self.problems) if total is None else total
        more = self.total - 1
        tail = f" (and {more:,} more like it)" if more > 0 else ""
        super().__init__(f"{self.problems[0]}{tail}")


class FilesError(InputError):
    """Several files are wrong. Prints a line for each.

    >>> errors = [
    ...     InputError([Problem("K002", name, None, "an empty file", "one")]) for name in "ab"
    ... ]
    >>> print(FilesError(errors))
    a: K002 found an empty file, expected one
    b: K002 found an empty file, expected one
    """

    def __init__(self, errors: Sequence[InputError]) -> None:
        problems = [problem for error in errors for problem in error.problems]
        super().__init__(problems, sum(error.total for error in errors))
        self.args = ("\n".join(map(str, errors)),)


def raise_all(errors: Iterable[InputError]) -> None:
    """Raise the errors of all files together, if there are any."""
    every = list({str(error): error for error in errors}.values())
    if every:
        raise every[0] if len(every) == 1 else FilesError(every)


_MOST: ContextVar[int | None] = ContextVar("most", default=None)


@contextmanager
def at_most(problems: int | None) -> Iterator[None]:
    """Within this, a reader gives up after so many problems: a file of nothing but mistakes costs
    whoever reads it little.

    >>> problems = Problems("dev.conll")
    >>> with at_most(2):
    ...     problems.add("K104", 1, "'PER'", "a tag")
    ...     problems.add("K104", 2, "'LOC'", "a tag")
    Traceback (most recent call last):
        ...
    carob.corpus.problems.InputError: dev.conll:1: K104 found ... (and 1 more like it)
    """
    before = _MOST.set(problems)
    try:
        yield
    finally:
        _MOST.reset(before)


class Problems:
    """Collects what is wrong with some files, so that a reader goes on and reports everything.

    The first hundred problems, by file and line, are kept in full; the others are counted.

    >>> problems = Problems("dev.conll")
    >>> problems.add("K104", 2, "'PER'", "O or a tag like B-PER or I-PER")
    >>> problems.total
    1
    """

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.total = 0
        self._kept: list[Problem] = []
        self._files: dict[str, int] = {}

    def add(
        self, code: str, line: int | None, found: str, expected: str, hint: str = "",
        *, file: str = "",
    ) -> None:  # fmt: skip
        """One problem, of the collector's file or of another."""
        self.extend([Problem(code, file or self.file, line, found, expected, hint)])

    def each(self, rows: Any, describe: Callable[[int], tuple[Any, ...]]) -> None:
        """A problem for each row of an array; `describe` gives the arguments of `add` for one."""
        for row in rows[:SHOWN].tolist():
            self.add(*describe(row))
        self.total += max(0, len(rows) - SHOWN)
        self._check_number()

    def extend(self, problems: Sequence[Problem], total: int | None = None) -> None:
        """Problems that were found elsewhere; with the number of all, if these are the first."""
        self.total += len(problems) if total is None else total
        for problem in problems:
            self._files.setdefault(problem.file, len(self._files))
        self._kept += problems
        if len(self._kept) > 20 * SHOWN:
            self._kept = self.first()
        self._check_number()

    def _check_number(self) -> None:
        most = _MOST.get()
        if most is not None and self.total >= most:
            self.check()

    def first(self) -> list[Problem]:
        """The problems that are kept, by file and line."""
        place = self._files
        ordered = sorted(self._kept, key=lambda each: (place[each.file], each.line or 0))
        return ordered[:SHOWN]

    def check(self) -> None:
        """Raise all problems as one error, if there are any."""
        if self.total:
            raise InputError(self.first(), self.total)


class TaskError(InputError):
    """A task definition is wrong, and people write it by hand: prints every problem.

    >>> first = Problem("K823", "task.toml", 3, "documents = 'ten'", "a whole number")
    >>> print(TaskError([first, Problem("K822", "task.toml", None, "no [slots]", "one")]))
    task.toml:3: K823 found documents = 'ten', expected a whole number
    task.toml: K822 found no [slots], expected one
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__(problems)
        lines = [str(problem) for problem in self.problems[:SHOWN]]
        more = self.total - len(lines)
        self.args = ("\n".join([*lines, *([f"and {more:,} more"] if more else [])]),)


def shown(text: str | bytes, limit: int = 60) -> str:
    """Text from a file, safe to print: quoted, control characters escaped, cut when long.

    >>> shown("a\\x1b[2Jb")
    "'a\\\\x1b[2Jb'"
    >>> shown("x" * 200, limit=10)
    "'xxxxxxxxxx…'"
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    cut = text if len(text) <= limit else text[:limit] + "…"
    return repr(cut)


def plain(text: str) -> str:
    """A name from a file for a table: unprintable characters escaped, nothing quoted.

    >>> plain("PER\\x1b[31m")
    'PER\\\\x1b[31m'
    """
    return text if text.isprintable() else repr(text)[1:-1]


def repeated(names: Sequence[str]) -> str:
    """The first of some names that was there before.

    >>> repeated(["a", "b", "a", "b"])
    'a'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    raise ValueError("no name is repeated")


def many(number: int, what: str) -> str:
    """A number of things.

    >>> many(1, "document"), many(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def nearest(name: str, names: Sequence[str]) -> str:
    """The tail of a "there is no ..." message: the nearest name, and all of them.

    >>> nearest("f1", ["F1", "P", "R"])
    '; did you mean F1? there are: F1, P, R'
    """
    by_fold = {each.casefold(): each for each in names}
    import difflib  # slow to load, and needed only where something is wrong

    near = difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=0.6)
    guess = f"did you mean {by_fold[near[0]]}? " if near else ""
    every = sorted(names, key=lambda each: (each.casefold(), each))
    return f"; {guess}there are: {', '.join(every)}"

"""What a handler returns: a page, of which HTML, JSON and CSV are three forms."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any

from carob.report.csv import cell

FORMATS = {"html": "text/html", "json": "application/json", "csv": "text/csv"}
"""The forms of a page, and what a client asks for to get them."""


@dataclass(frozen=True, slots=True)
class Lazy:
    """Rows that are made when they are asked for: a page in HTML does not need them.

    >>> [*Lazy(lambda: [{"a": 1}])]
    [{'a': 1}]
    """

    make: Callable[[], Iterable[Any]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.make())


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that a page shows, and that can be had alone.

    >>> print(Table("teams", ("team", "score"), [{"team": "=1+1", "score": 0.5}]).to_csv())
    team,score
    '=1+1,0.5
    <BLANKLINE>
    """

    name: str
    columns: tuple[str, ...]
    rows: Iterable[Mapping[str, Any]]

    def to_csv(self) -> str:
        """The rows, every digit kept; no cell is taken for a formula."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            writer.writerow([cell(_text(simple(row[key]))) for key in self.columns])
        return out.getvalue()

    def to_rows(self) -> list[dict[str, Any]]:
        """The rows for JSON."""
        return [{key: simple(row[key]) for key in self.columns} for row in self.rows]


def _text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value


@dataclass(frozen=True, slots=True)
class View:
    """A page: the template that shows it, what the template needs, and the tables in it. `data` is
    what JSON has beside the tables.
    """

    template: str
    content: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200

    def to_json(self) -> str:
        """The page for programs."""
        tables = {table.name: table.to_rows() for table in self.tables}
        return json.dumps({**simple(self.data), **tables}, indent=1) + "\n"

    def to_csv(self) -> str | None:
        """The first table; None for a page without any."""
        return self.tables[0].to_csv() if self.tables else None


@dataclass(frozen=True, slots=True)
class Moved:
    """After a form: the page to go to, and what a program gets in place of it."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    session: str | None = None
    """A new session cookie; '' ends the session."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file as it is."""

    path: Path
    type: str = "application/octet-stream"
    as_name: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_temporary: bool = False
    """Whether the file is removed when it was sent."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text that is no page."""

    text: str
    type: str
    as_name: str | None = None


def simple(value: Any) -> Any:
    """A value in the words of JSON. Times are in UTC with their zone; what is not a number is null.

    >>> from datetime import UTC
    >>> simple({"at": datetime(2026, 1, 2, tzinfo=UTC), "score": float("nan")})
    {'at': '2026-01-02T00:00:00+00:00', 'score': None}
    """
    if isinstance(value, Enum):
        return simple(value.value)
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {str(key): simple(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [simple(each) for each in value]
    if dataclasses.is_dataclass(value):
        return {f.name: simple(getattr(value, f.name)) for f in dataclasses.fields(value)}
    raise TypeError(f"a page has no words for {type(value).__name__}")


def preferred_format(query: str | None, accept: str) -> str:
    """Which form of a page a client asks for: ?format= before the header Accept, which browsers
    fill with text/html.

    >>> preferred_format("csv", "text/html"), preferred_format(None, "application/json;q=0.9")
    ('csv', 'json')
    >>> preferred_format(None, "text/html,application/xhtml+xml,*/*;q=0.8")
    'html'
    """
    if query in FORMATS:
        return query
    types = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    return next((name for name, type_ in FORMATS.items() if type_ in types), "html")

"""parquet: tables of Parquet, whose rows are documents or spans as in another format."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, UsageError, nearest, shown
from carob.corpus.source import LARGEST, Source
from carob.formats import _dialect
from carob.formats._text import signed, unsigned
from carob.plugin import hook

_ROWS = (
    "csv", "doccano", "entities", "gliner", "huggingface", "jsonl", "langextract", "prodigy",
    "records", "spacy",
)  # fmt: skip
"""The formats that rows may be in."""
_MOST = 8 * LARGEST
_SLICE = 1 << 12
_COUNTED = (*_dialect.COUNTED, "repaired", "discarded", "respelled", "padding", "empty_texts")
_POLARS = "polars, which the extra parquet brings (in a clone of carob, pip install '.[parquet]')"


@dataclass(frozen=True, slots=True)
class Parquet:
    """A table of Parquet. Its rows are read as those of another format, by their columns.

    `tokens` with `ner_tags`, `labels` or `tags` are huggingface, a column each of starts, ends and
    labels is csv, other columns are the keys of a format of JSON; `rows` names one of them. Numbers
    of tags get their names from the file, if Hugging Face wrote it, or from `names`. The other
    parameters are those of the format of the rows. polars reads the file; it is an extra. Messages
    count rows as lines.

    >>> Parquet(rows="gliner").rows
    'gliner'
    """

    rows: str = "auto"
    tags: str = ""
    names: tuple[str, ...] = ()
    id: str = ""
    offsets: str = "auto"
    annotator: str = ""
    document: str = "auto"
    start: str = "auto"
    end: str = "auto"
    label: str = "auto"

    name: ClassVar[str] = "parquet"
    extensions: ClassVar[tuple[str, ...]] = (".parquet",)
    signs: ClassVar[str] = "binary"
    holds: ClassVar[frozenset[str]] = frozenset({
        "text", "tokens", "sentences", "document ids", "overlaps", "crossing", "across sentences",
        "attributes", "confidence", "ids", "relations", "clusters", "templates", "units:char",
        "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        _dialect.check_offsets(self.offsets)
        if self.rows not in ("auto", *_ROWS):
            raise UsageError(f"rows cannot be {self.rows!r}{nearest(self.rows, _ROWS)}")
        names: Any = self.names
        if isinstance(names, str):
            object.__setattr__(self, "names", tuple(names.split("+")) if names else ())

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> Parquet.sniff(b"PAR1..."), Parquet.sniff(b"Ann B-PER")
        (1.0, 0.0)
        """
        return float(head.startswith(b"PAR1"))

    def read(self, source: Source) -> Iterator[Corpus]:
        """All documents; their words stay in memory."""
        table = _Table(source)
        name = self.rows if self.rows != "auto" else _recognised(table, source)
        reader = self._reader(name, table)
        lines = table.csv() if name == "csv" else table.lines()
        converted = Source.of_bytes(lines, source.name)
        corpus = Corpus.joined(reader.read(converted))
        facts = {**corpus.facts, f"rows {name}": 1}
        if (library := hook(reader, "library")) is not None:
            corpus = replace(corpus, library=library(converted, corpus.documents))
        yield replace(corpus, facts=facts)

    def _reader(self, name: str, table: _Table) -> Any:
        """The format of the rows, with those parameters that were given."""
        cls = _format(name)
        given = {each.name: getattr(self, each.name) for each in fields(self)
                 if each.name != "rows" and getattr(self, each.name) != each.default}  # fmt: skip
        known = {each.name for each in fields(cls)}
        if unknown := [key for key in given if key not in known]:
            raise UsageError(f"the rows are {name}, which has no parameter {unknown[0]!r}")
        if name == "huggingface" and "names" not in given:
            names = table.names_of_tags(self.tags)
            given |= {"names": names} if names else {}
        return cls(**given)

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """The format of the rows, and what was given."""
        found = [key.removeprefix("rows ") for key in facts
                 if isinstance(key, str) and key.startswith("rows ")]  # fmt: skip
        how = {"rows": found[0] if len(found) == 1 else self.rows}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name != "rows" and value != each.default:
                how[f"row_{each.name}"] = signed(
                    "+".join(value) if isinstance(value, tuple) else value
                )
        return how, {key: facts[key] for key in _COUNTED if facts.get(key)}

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again.

        >>> Parquet.from_signature({"rows": "huggingface", "row_names": "O+B-A"})
        {'rows': 'huggingface', 'names': ('O', 'B-A')}
        """
        values: dict[str, Any] = {"rows": fields["rows"]} | {
            key.removeprefix("row_"): unsigned(value)
            for key, value in fields.items()
            if key.startswith("row_") and value != "none"
        }
        if "names" in values:
            values["names"] = tuple(values["names"].split("+"))
        return values


def _format(name: str) -> Any:
    """The class of a format of rows."""
    from importlib import import_module

    return getattr(import_module(f"carob.formats.{name}"), name.capitalize())


def _recognised(table: _Table, source: Source) -> str:
    """The format that rows look like."""
    from carob.formats.csv import Csv

    if Csv.sniff(",".join(table.columns).encode()) > 0 and table.is_flat:
        return "csv"
    head = table.lines(50)
    sure = {name: _format(name).sniff(head) for name in _ROWS if name not in ("csv", "records")}
    best = max(sure, key=lambda name: sure[name])
    if sure[best] < 0.5:
        names = ", ".join(shown(name) for name in table.columns[:12])
        raise source.failure(
            "K245", f"the columns {names}", "tokens and tags, spans, or documents",
            f"--read rows=FORMAT says what rows are: {', '.join(_ROWS)}",
        )  # fmt: skip
    return best


class _Table:
    """The rows of a file, as polars reads them. Whatever it raises, the file is to blame."""

    def __init__(self, source: Source) -> None:
        try:
            import polars  # slow to load, and an extra
        except ImportError:
            raise source.failure("K246", "a file of Parquet", _POLARS) from None
        self.source, self.polars = source, polars
        self.data = source.content(_MOST)
        try:
            self.schema = dict(polars.read_parquet_schema(io.BytesIO(self.data)))
        except Exception as error:
            raise self._damaged(error) from None
        self.columns = list(self.schema)

    def _damaged(self, error: BaseException) -> CarobError:
        found = f"data that break off or are damaged ({shown(str(error), 80)})"
        return self.source.failure("K245", found, "a file of Parquet")

    @property
    def is_flat(self) -> bool:
        """Whether no column has lists or objects."""
        return not any(kind.is_nested() for kind in self.schema.values())

    def rows(self, most: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows, a few thousand at a time."""
        at = 0
        while most is None or at < most:
            size = _SLICE if most is None else min(_SLICE, most - at)
            try:
                part = self.polars.scan_parquet(io.BytesIO(self.data)).slice(at, size).collect()
                rows = part.iter_rows(named=True)
                yield from rows
            except Exception as error:
                raise self._damaged(error) from None
            if part.height < size:
                return
            at += size

    def lines(self, most: int | None = None) -> bytes:
        """The rows as JSON, one a line."""
        lines, length = [], 0
        for row in self.rows(most):
            try:
                line = json.dumps(_without_none(row), ensure_ascii=False, default=str).encode()
            except (UnicodeEncodeError, RecursionError, TypeError) as error:
                raise self._damaged(error) from None
            length += len(line)
            if length > _MOST:
                raise self.source.failure("K010", f"more than {_MOST:,} bytes of rows", "less")
            lines.append(line)
        return b"\n".join(lines) + b"\n" if lines else b""

    def csv(self) -> bytes:
        """The rows as CSV."""
        import csv

        out = io.StringIO(newline="")
        writer = csv.writer(out)
        writer.writerow(self.columns)
        for row in self.rows():
            writer.writerow(["" if value is None else value for value in row.values()])
            if out.tell() > LARGEST:
                raise self.source.failure("K010", f"more than {LARGEST:,} bytes of rows", "less")
        return out.getvalue().encode("utf-8", "surrogatepass")

    def names_of_tags(self, key: str) -> tuple[str, ...]:
        """The names of tags that Hugging Face writes into the file."""
        found: Any = {}
        with suppress(Exception):  # without names, numbers are an error of its own
            metadata = self.polars.read_parquet_metadata(io.BytesIO(self.data))
            found = json.loads(metadata.get("huggingface", "{}"))["info"]["features"]
        for name in [key] if key else ["ner_tags", "labels", "tags"]:
            feature = found.get(name) if isinstance(found, dict) else None
            if isinstance(feature, dict):
                feature = feature.get("feature", feature)
            if isinstance(feature, list) and feature:
                feature = feature[0]
            names = feature.get("names") if isinstance(feature, dict) else None
            if isinstance(names, list) and all(isinstance(each, str) for each in names):
                return tuple(names)
        return ()


def _without_none(value: Any) -> Any:
    """A value without the keys that have none: a column has a value in every row."""
    if isinstance(value, dict):
        return {key: _without_none(each) for key, each in value.items() if each is not None}
    return [_without_none(each) for each in value] if isinstance(value, list) else value

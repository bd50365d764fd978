"""The ledger as a file."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from carob.corpus.problems import UsageError
from carob.explain.ledger import COLUMNS, Wording, ledger
from carob.pair.pair import Pair
from carob.recipe import spell
from carob.result.scores import library


def write_ledger(
    path: str | os.PathLike[str], pair: Pair, spaces: Sequence[Any], words: Wording
) -> None:
    """Write every event of these spaces: as csv, jsonl or parquet, by the file's ending."""
    ending = Path(path).suffix
    rows = (row for space in spaces for row in ledger(spell(space), pair, space(pair), words))
    try:
        if ending == ".csv":
            with Path(path).open("w", encoding="utf-8", newline="") as file:
                table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                table.writeheader()
                table.writerows(_safe(rows))
        elif ending == ".jsonl":
            with Path(path).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in _safe(rows))
        elif ending == ".parquet":
            library("polars").DataFrame(list(_safe(rows)), infer_schema_length=None).write_parquet(
                os.fspath(path)
            )
        else:
            raise UsageError(f"a ledger is .csv, .jsonl or .parquet, not {ending or 'that'!r}")
    except OSError as error:
        raise UsageError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from None


def _safe(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Escape lone surrogates, which stand for bytes that are not UTF-8: a file cannot hold them."""
    for row in rows:
        yield {
            key: value.encode("utf-8", "backslashreplace").decode()
            if isinstance(value, str)
            else value
            for key, value in row.items()
        }

"""Parquet: rows are read as those of the format that their columns show."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from carob import InputError, UsageError, read, score
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes, speaks

polars: Any = pytest.importorskip("polars")


def table(rows: list[dict[str, Any]], metadata: dict[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    polars.DataFrame(rows).write_parquet(out, metadata=metadata)
    return out.getvalue()


def features(**names: list[str]) -> dict[str, str]:
    """What Dataset.to_parquet writes beside the columns."""
    labels = {
        key: {"feature": {"names": value, "_type": "ClassLabel"}, "_type": "Sequence"}
        for key, value in names.items()
    }
    return {"huggingface": json.dumps({"info": {"features": labels}})}


def places(data: bytes, **options: Any) -> list[list[tuple[str, int, int]]]:
    corpus = of_bytes(data, "parquet", **options)
    return [[(m.label, m.start, m.end) for m in each.mentions] for each in corpus]


MENTIONS = [{"start": 2, "end": 5, "label": "PER", "confidence": 0.5}]
TABLES: dict[str, list[dict[str, Any]]] = {
    "huggingface": [{"id": "1", "tokens": ["😀", "Ann"], "ner_tags": ["O", "B-PER"]}],
    "csv": [{"doc": 1, "start": 2, "end": 5, "label": "PER", "document_text": "😀 Ann"}],
    "jsonl": [{"id": "1", "text": "😀 Ann", "mentions": MENTIONS}],
    "doccano": [{"text": "😀 Ann", "entities": [{"id": 1, "label": "PER", "start_offset": 2,
                                                "end_offset": 5}], "relations": [None]}],
    "prodigy": [{"text": "😀 Ann", "_task_hash": 7, "spans": MENTIONS}],
    "spacy": [{"text": "😀 Ann", "ents": MENTIONS}],
    "gliner": [{"tokenized_text": ["😀", "Ann"], "ner": None}],
    "langextract": [{"text": "😀 Ann", "document_id": "1", "extractions": [
        {"extraction_class": "PER", "char_interval": {"start_pos": 2, "end_pos": 5}}]}],
    "entities": [{"text": "😀 Ann", "entities": [
        {"text": "Ann", "type": "PER", "start": 2, "end": 5}]}],
}  # fmt: skip
del TABLES["gliner"]  # a list of numbers and texts has no place in a column
TABLES["doccano"][0]["relations"] = [{"id": 1, "from_id": 1, "to_id": 1, "type": "self"}]


@pytest.mark.parametrize("format", TABLES)
def test_rows_are_recognised_by_their_columns(format: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(table(TABLES[format]))
    corpus = read(path)
    assert corpus.origin is not None
    assert ("parquet", format) == (corpus.origin.format, corpus.origin.parameters["rows"])
    (mention,) = corpus[0].mentions
    expected = ("PER", 1, 2) if format == "huggingface" else ("PER", 2, 5)
    assert expected == (mention.label, mention.start, mention.end)
    assert "Ann" in (corpus[0].text or corpus[0].tokens or ())
    assert 1.0 == score(corpus, path, "exact.F1", resamples=0).value


def test_names_of_tags_come_from_the_file_or_from_the_user() -> None:
    rows = [{"tokens": ["Ann", "Lee", "slept"], "ner_tags": [1, 2, 0]}]
    names = ["O", "B-PER", "I-PER"]
    assert [[("PER", 0, 2)]] == places(table(rows, features(ner_tags=names)))
    assert [[("PER", 0, 2)]] == places(table(rows), names="O+B-PER+I-PER")
    with pytest.raises(InputError, match=r"K232 found .*the list of tags: --read names="):
        places(table(rows))


def test_rows_may_be_named_and_have_options() -> None:
    rows: list[dict[str, Any]] = [{"nr": 3, "who": "Ann"}, {"nr": 4, "who": None}]
    with pytest.raises(InputError, match=r"K245 found the columns 'nr', 'who'.*--read rows=FORMAT"):
        places(table(rows))
    spans = [{"nr": 3, "a": 0, "b": 3, "kind": "PER"}]
    options = {"document": "nr", "start": "a", "end": "b", "label": "kind"}
    assert [[("PER", 0, 3)]] == places(table(spans), rows="csv", **options)
    records = of_bytes(table([{"id": "1", "who": "Ann"}, {"id": "2", "who": None}]), "parquet",
                       rows="records")  # fmt: skip
    assert [1, 0] == [len(each.templates) for each in records]
    with pytest.raises(UsageError, match="rows cannot be"):
        places(table(rows), rows="text")
    with pytest.raises(UsageError, match="the rows are csv, which has no parameter 'names'"):
        places(table(TABLES["csv"]), names="O")


def test_more_rows_than_one_slice() -> None:
    rows = [{"tokens": ["a", f"b{n}"], "ner_tags": ["O", "B-X"]} for n in range(9000)]
    corpus = of_bytes(table(rows), "parquet")
    assert 9000 == len(corpus) == len(corpus.mentions)
    assert ("a", "b8999") == corpus[8999].tokens


def test_problems_name_the_row() -> None:
    rows: list[dict[str, Any]] = [*TABLES["jsonl"], {"id": "1", "text": "x", "mentions": []}]
    with pytest.raises(InputError, match=r"file:2: K203 found the id '1', also on line 1"):
        places(table(rows))


def test_without_polars_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = table(TABLES["csv"])
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(InputError, match=r"K246 found a file of Parquet, expected polars, which"):
        read(Source.of_bytes(data, "a.parquet"))


def test_whatever_is_damaged_gives_a_corpus_or_an_input_error() -> None:
    rng = random.Random("parquet")
    originals = [table(rows) for rows in TABLES.values()]
    refused = 0
    for _ in range(150):
        data = bytearray(rng.choice(originals))
        for _ in range(rng.choice((1, 1, 2, 5))):
            at = rng.randrange(len(data))
            data[at : at + rng.choice((0, 1, 1, 9))] = rng.randbytes(rng.choice((0, 1, 1, 3)))
        try:
            of_bytes(bytes(data), "parquet")
        except InputError as error:
            speaks(error)
            refused += 1
    assert 20 < refused

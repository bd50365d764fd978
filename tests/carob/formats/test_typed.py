"""Lines that are decoded many at a time are read as the careful path reads them one by one: the
same columns, or the same problems. Whatever is wrong, or not plain, is left to the careful path.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from carob import Corpus, InputError
from carob.corpus.source import Source
from carob.formats import _token_lists, _typed
from carob.formats._typed import Lines, plain_documents, plain_records
from carob.formats.jsonl import Jsonl
from carob.formats.records import Records
from tests.carob.formats._spelling import files
from tests.worlds import ODD_TEXTS, examples, times

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    1,
    -1,
    0.5,
    10**400,
    [],
    {},
    "",
    [["x"]],
    {"": "x"},
    {"a": {"b": "c"}},
)
ODD_BYTES = (b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"NaN", b"1e999", b"-0", b"0.0",
             b"\t", b"\x01", b",", b'"', b"}", b"\\", b'{"a": 1, "a": 2}', b"[" * 3000)  # fmt: skip


def _mention(rng: random.Random) -> dict[str, Any]:
    start = rng.randrange(6)
    mention: dict[str, Any] = {
        "start": start, "end": start + rng.randint(1, 3), "label": rng.choice(("PER", "LOC")),
    }  # fmt: skip
    if rng.random() < 0.2:
        mention["id"] = rng.choice(("T1", "T2", "T3"))
    if rng.random() < 0.2:
        mention["confidence"] = rng.choice((1, 0.5, 1e300))
    return mention


def _filler(rng: random.Random) -> Any:
    text = rng.choice(("Ann", "Bo: a, b", *ODD_TEXTS[2:6]))
    return rng.choice((text, {"text": text}, {"text": text, "start": 0, "end": 2}))


def _document(rng: random.Random, number: int) -> dict[str, Any]:
    document: dict[str, Any] = {"id": f"d{number}", "text": "Ann met Bo" + rng.choice(ODD_TEXTS)}
    if rng.random() < 0.02:
        document = {"id": f"d{number}", "tokens": [rng.choice(ODD_TEXTS) for _ in range(9)]}
    if rng.random() < 0.3:
        document["sentences"] = sorted(rng.sample(range(9), 3))
    document["mentions"] = [_mention(rng) for _ in range(rng.randrange(4))]
    if rng.random() < 0.3:
        slots = {rng.choice("abc"): [_filler(rng) for _ in range(rng.randrange(3))]}
        document["templates"] = [{"label": "t", "slots": slots}]
    return document


def _document_in_tokens(rng: random.Random, number: int) -> dict[str, Any]:
    tokens = [rng.choice(("Ann", "met", *ODD_TEXTS)) for _ in range(9)]
    mentions = [_mention(rng) for _ in range(rng.randrange(4))]
    return {"id": f"d{number}", "tokens": tokens, "mentions": mentions}


def _record(rng: random.Random, number: int) -> dict[str, Any]:
    texts = ("Ann", "Bo", *ODD_TEXTS)
    record: dict[str, Any] = {"id": rng.choice((number, f"d{number}"))}
    for slot in rng.sample(("who", "when", "text", "a b"), rng.randrange(4)):
        value: Any = rng.choice((rng.choice(texts), [rng.choice(texts), None, "x"], None))
        if slot != "text" and rng.random() < 0.3:
            value = [{"x": value, "y": {"z": rng.choice(texts)}}, "Ann", {"x": None}]
        record[slot] = value
    return record


def _record_of_a_form(rng: random.Random, number: int) -> dict[str, Any]:
    """A record with the same keys as all others, and mostly the same types."""
    record = {"id": f"d{number}", "who": "Ann", "n": rng.choice((1, 2.50)), "yes": number > 1,
              "o": {"m": number, "x": "Bo"}}  # fmt: skip
    if rng.random() < 0.1:
        record[rng.choice(("who", "n", "yes", "o"))] = rng.choice(ODD_VALUES[:9])
    return record


def _damaged(rng: random.Random, line: bytes) -> bytes:
    """The line with something odd in it: a value, a byte, or a key twice."""
    kind = rng.randrange(5)
    if kind == 0:
        at = rng.randrange(len(line))
        return line[:at] + rng.choice(ODD_BYTES) + line[at:]
    if kind == 1:
        at = rng.randrange(len(line))
        return line[:at] + line[at + 1 :]
    if kind == 2:
        return line.replace(b'"id": ', b'"id": "a", "\\u0069d": ', 1)
    if kind == 3:
        return line.replace(b'"start"', b'"start" : 0, "start"', 1)
    value = json.loads(line)
    value[rng.choice(list(value))] = rng.choice(ODD_VALUES)
    return json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def _columns(table: Any) -> list[Any]:
    """Everything that a table holds, as lists."""
    if isinstance(table, np.ndarray):
        return [str(table.dtype), np.where(table == table, table, -9).tolist()]
    if hasattr(table, "__slots__") and not isinstance(table, (str, bytes)):
        return [_columns(getattr(table, name)) for name in table.__slots__ if name != "place"]
    return [table]


def _outcome(format: Any, lines: list[bytes]) -> Any:
    """What is in a file, or what is wrong with it."""
    try:
        corpus = Corpus.joined(format.read(Source.of_bytes(b"\n".join(lines), "file")))
    except InputError as error:
        return [str(problem) for problem in error.problems]
    rows = [list(corpus), corpus.unit, corpus.labels, dict(corpus.facts)]
    return rows + [_columns(table) for table in (corpus.documents, corpus.mentions)]


@pytest.mark.parametrize(
    ("format", "make"),
    [
        (Jsonl(), _document),
        (Jsonl(), _document_in_tokens),
        (Records(), _record),
        (Records(text="who"), _record),
        (Records(), _record_of_a_form),
    ],
)
def test_both_ways_agree(
    format: Any, make: Callable[[random.Random, int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(7)
    files = []
    for _ in range(times(8)):
        lines = [
            json.dumps(make(rng, number), ensure_ascii=rng.random() < 0.5).encode()
            for number in range(rng.randint(1, 5))
        ]
        if rng.random() < 0.6:
            at = rng.randrange(len(lines))
            lines[at] = _damaged(rng, lines[at])
        files.append(lines)
    quick = [_outcome(format, lines) for lines in files]
    monkeypatch.setattr(_typed, "_decoded", lambda decoder, lines: None)
    careful = [_outcome(format, lines) for lines in files]
    for lines, one, other in zip(files, quick, careful, strict=True):
        assert other == one, lines
    wrong = sum(isinstance(outcome[0], str) for outcome in careful)
    assert 0.16 < wrong / len(files) < 0.76


@examples(10)
@given(files)
def test_both_ways_agree_however_a_file_is_written(file: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_token_lists, "_FEW", 1)  # otherwise these lists have too many escapes
        quick = _outcome(Jsonl(), [file])
        patch.setattr(_typed, "_decoded", lambda decoder, lines: None)
        assert _outcome(Jsonl(), [file]) == quick


@examples(2)
@given(files)
def test_words_that_are_read_again_are_those_of_the_line(file: bytes) -> None:
    try:
        (block,) = Jsonl().read(Source.of_bytes(file))
    except (InputError, ValueError):
        return
    library = Jsonl().library(Source.of_bytes(file), block.documents)
    for row, line in enumerate(filter(bytes.strip, file.split(b"\n"))):
        record = json.loads(line)
        tokens = record.get("tokens")
        words = record.get("text"), None if tokens is None else tuple(tokens)
        assert words == library.words(row)


def test_without_the_decoder_everything_is_read_carefully(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_typed, "_decoder", lambda *how: None)
    lines = Lines.of(b'{"id": "1", "who": "Ann"}')
    assert plain_documents(lines) is None and plain_records(lines, "id", "text") is None
    (document,) = Corpus.joined(Records().read(Source.of_bytes(lines.text)))
    assert "1" == document.id


def test_most_lines_are_plain() -> None:
    rng = random.Random(1)
    documents = [json.dumps(_document(rng, number)).encode() for number in range(300)]
    records = [json.dumps(_record(rng, number)).encode() for number in range(300)]
    assert 200 < sum(plain_documents(Lines.of(raw)) is not None for raw in documents)
    plain = [raw for raw in records if plain_records(Lines.of(raw), "id", "text")]
    assert 250 < len(plain)
    many = Lines.of(b"\n".join(plain))
    assert plain_records(many, "id", "text") is not None

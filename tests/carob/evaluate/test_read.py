"""Which format a file has is decided by what tells it, wherever that stands; nothing that was
read is lost without a word.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, InputError, UsageError, read, write
from carob.cli import main
from carob.corpus.source import Source
from carob.evaluate.check import check
from carob.evaluate.read import sniffed
from carob.evaluate.verify import verify
from carob.plugin import hook

HEAD = 1 << 16


def filled(data: bytes) -> tuple[str, int, int]:
    """The format of a file, and how many mentions and fillers are read from it."""
    source = Source.of_bytes(data, "file")
    corpus = carob.read(source)
    return sniffed(source), len(corpus.mentions), len(corpus.templates.fillers)


def line(name: int, **more: object) -> bytes:
    return json.dumps({"id": str(name), "text": "Ann slept", **more}).encode() + b"\n"


MENTION = {"start": 0, "end": 3, "label": "PER"}
LATE = b"".join(map(line, range(2000)))


@pytest.mark.parametrize("size", [HEAD - 40, HEAD - 30, HEAD - 20, HEAD, HEAD + 1, 300_000])
def test_the_last_key_of_a_long_object_tells_its_format(size: int) -> None:
    text = "x" * size
    whole = json.dumps({"id": "1", "text": text, "speaker": "x"}).encode()
    assert ("records", 0, 1) == filled(whole)
    assert ("records", 0, 1) == filled(json.dumps(json.loads(whole), indent=1).encode())
    assert ("records", 0, 1) == filled(b"\xef\xbb\xbf \n" + whole)
    assert ("records", 0, 1) == filled(gzip.compress(whole))
    own = json.dumps({"id": "1", "meta": "m", "text": text, "mentions": [MENTION]}).encode()
    assert ("jsonl", 1, 0) == filled(own)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (line(2000, speaker="Ann"), ("records", 0, 1)),
        (line(2000, mentions=[MENTION]), ("jsonl", 1, 0)),
        (line(2000, meta="m") + line(2001, mentions=[MENTION]), ("jsonl", 1, 0)),
        (b"\n" + line(2000) + line(2001, speaker=["Ann", "Bo"]), ("records", 0, 2)),
        (line(2000, speaker="y" * HEAD, room="5"), ("records", 0, 2)),
        (line(2000), ("jsonl", 0, 0)),
    ],
)
def test_a_late_line_tells_the_format(more: bytes, expected: tuple[str, int, int]) -> None:
    assert len(LATE) > HEAD
    assert expected == filled(LATE + more)


def test_lines_that_break_are_told_by_the_reader() -> None:
    broken = b'{"speaker": \n' + b"[" * 99_999 + b"\n7\n"
    with pytest.raises(carob.InputError) as caught:
        carob.read(Source.of_bytes(LATE + broken, "file"))
    assert [("K201", 2001), ("K201", 2002), ("K201", 2003)] == [
        (problem.code, problem.line) for problem in caught.value.problems
    ]


MIXED = line(1, mentions=[]) + line(2, speaker="Ann", place="Rome")
ASIDE = "1 document with keys that jsonl does not know: place, speaker; if they are slots, "
ASIDE += "read the file as records"


def test_keys_that_jsonl_does_not_know_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mix.jsonl"
    file.write_bytes(MIXED)
    remarks = carob.score(file, {"mix": file}, "exact.F1", resamples=0).remarks
    assert remarks[0].startswith("gold: no mention in 2 documents")
    assert (f"gold: {ASIDE}", f"mix: {ASIDE}") == remarks[1:]
    assert [
        f"warning: {file}: K311 found no mention and no filler at all, expected at least one in "
        "the file",
        f"warning: {file}:2: K315 found keys that jsonl does not know in 1 document: place, "
        "speaker, expected keys that count; these are kept, nothing more; if they are slots, read "
        "the file as records",
        "1 file, 0 errors, 2 warnings",
    ] == str(check(file)).splitlines()
    assert 0 == main(["convert", str(file), "-", "--to", "jsonl"])
    out = capsys.readouterr()
    assert MIXED.count(b"\n") == out.out.count("\n") and '"place": "Rome"' in out.out
    assert f"wrote 2 documents, 0 mentions as jsonl\n{ASIDE}\n" == out.err


def test_what_formats_put_aside_themselves_is_no_remark() -> None:
    own = carob.Corpus.of(
        {"text": "Ann", "mentions": [], "token_spans": [[0, 3]], "brat": {"lines": []}, "tbf": {}}
    )
    (remark,) = carob.score(own, own, "exact.F1", resamples=0).remarks
    assert remark.startswith("gold: no mention in 1 document, ")


def test_the_first_keys_are_named_and_the_others_counted() -> None:
    many = carob.Corpus.of({"tokens": [], **{f"k{i}\n": i for i in range(7)}}, {"tokens": []})
    _, told = carob.score(many, carob.Corpus.of("", ""), "exact.F1", resamples=0).remarks
    assert told.startswith("gold: 1 document with keys that jsonl does not know: k0\\n, k1\\n, ")
    assert "k4\\n and 2 more; if" in told


EMPTY = '{"id": "1", "speaker": "", "place": ["Rome", "  "]}\n'


def test_empty_texts_are_in_the_coverage_where_there_are_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system = tmp_path / "gold.json", tmp_path / "system.json"
    gold.write_text(EMPTY.replace('""', '"Ann"'))
    system.write_text(EMPTY)
    scores = carob.score(gold, {"system": system}, "oads.F1", resamples=0)
    assert 3 == scores.systems[0].coverage["empty"]
    assert 0 == main(["score", str(gold), str(system), "-m", "oads.F1", "--resamples", "0"])
    assert (
        "system: 1 document, 2 gold and 1 system fillers; 0 repaired, 0 discarded, 0 unaligned, "
        "0 ignored, 3 empty\n" == capsys.readouterr().err
    )
    result = tmp_path / "result.json"
    result.write_text(scores.to_json())
    verification = verify(result)
    compared, different = verification.checked, verification.differences
    assert compared and [] == different
    gold.write_text('{"id": "1", "place": ["Rome"]}\n')
    scores = carob.score(gold, {"system": gold}, "oads.F1", resamples=0)
    assert "empty" not in scores.systems[0].coverage


def test_standard_output_is_written_to(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    carob.write(carob.Corpus.of("[Ann]PER slept"), "-", format="conll")
    assert b"-DOCSTART- O\n\nAnn B-PER\nslept O\n\n" == capfdbinary.readouterr().out


def test_standard_output_may_take_text_only(capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        write(Corpus.of("[Ann]PER slept"), "-", "conll")
    assert "-DOCSTART- O\n\nAnn B-PER\nslept O\n\n" == out.getvalue()
    with contextlib.redirect_stdout(None), pytest.raises(UsageError, match="output is closed"):
        write(Corpus.of("[Ann]PER slept"), "-", "conll")


@pytest.mark.parametrize(
    ("parameters", "mentions"),
    [({"tag": "1"}, 1), ({"tag": "1+2"}, 2), ({"tag": "-1", "token": "0"}, 1), ({"tag": [2]}, 1)],
)
def test_columns_may_be_given_as_text(parameters: dict[str, Any], mentions: int) -> None:
    source = Source.of_bytes(b"Ann B-PER B-X\nslept O O\n")
    assert mentions == len(read(source, "conll", **parameters).mentions)


@pytest.mark.parametrize("parameters", [{"tag": None}, {"token": None}, {"tag": ""}])
def test_a_column_that_is_no_number_or_name_is_refused(parameters: dict[str, Any]) -> None:
    ((name, value),) = parameters.items()
    with pytest.raises(
        UsageError, match=f"{name} is the number or name of a column, not {value!r}"
    ):
        read(Source.of_bytes(b"Ann B-PER\n"), "conll", **parameters)


@pytest.mark.parametrize(
    ("format", "parameters", "message"),
    [
        ("conll", {"tag": 1}, "conll is written without the parameter 'tag'; there are: scheme"),
        ("conll", {"repair": "strict"}, "without the parameter 'repair'; there are: scheme"),
        ("brat", {"missing": "empty"}, "brat is written without the parameter 'missing'; it has"),
        ("muc", {"label": "X"}, "muc is written without the parameter 'label'; it has none"),
        ("tbf", {"tokens": "x"}, "tbf is written without the parameter 'tokens'; it has none"),
    ],
)
def test_a_parameter_that_changes_nothing_in_writing_is_refused(
    format: str, parameters: dict[str, Any], message: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with pytest.raises(UsageError, match=message):
        write(Corpus.of("[Ann]PER slept"), out, format, **parameters)
    with pytest.raises(UsageError, match=message):
        carob.convert(Corpus.of("[Ann]PER slept"), out, format, write_options=parameters)


@pytest.mark.parametrize("format", carob.registry.builtin("formats"))
def test_every_parameter_of_writing_is_one_of_the_format(format: str) -> None:
    cls = carob.registry.load("formats", format)
    names = {each.name for each in fields(cls)}
    assert set(hook(cls, "write_parameters") or ()) <= names


RETURNS = {
    "conll": b"Ann B-PER\nslept O\n\nBo B-PER\n",
    "muc": b'0. MESSAGE: ID   d\n1. MESSAGE: TEMPLATE   1\n2. A    "x"\n',
    "jsonl": b'{"tokens": ["a"]}\n{"tokens": ["b"]}\n',
    "records": b'{"a": "x"}\n{"a": "y"}\n',
    "spans": b"A\t1\t1\t1\n\nB\t1\t1\t1\n",
    "tbf": b"#BeginOfDocument d\ns\td\tE1\t1,2\tx\tL\tA\n#EndOfDocument\n",
}


@pytest.mark.parametrize("format", RETURNS)
@pytest.mark.parametrize("named", [True, False], ids=["named", "detected"])
def test_lines_that_end_in_carriage_returns_alone_are_never_misread(
    format: str, named: bool
) -> None:
    data = RETURNS[format].replace(b"\n", b"\r")
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(data, "old"), *([format] if named else []))
    if format in ("conll", "muc"):
        assert "K011" == caught.value.problems[0].code
    assert len(read(Source.of_bytes(RETURNS[format].replace(b"\n", b"\r\n")), format))

"""Files that were made to hurt: time stays linear and memory bounded, and the error is clear.

Times are of the processor, not of the clock, and compared with each other: four times as much may
take nine times as long, where something quadratic would take sixteen times. Memory is limited
for the whole process in which a bomb is read.
"""

from __future__ import annotations

import contextlib
import gc
import gzip
import os
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

import carob
from carob import CarobError, Corpus, InputError, UsageError, read
from carob.corpus.source import Source
from tests.limited import Limited

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and /dev of Linux")

Shape: TypeAlias = Callable[[int], bytes]

COUNT = {"conll": 6000, "spans": 12_000, "tbf": 3000, "jsonl": 1500, "inline": 2000, "brat": 1000,
         "records": 1500, "muc": 1500, "doccano": 1500, "prodigy": 800, "labelstudio": 800,
         "pipeline": 1500, "huggingface": 1500, "conllu": 3000, "gliner": 1500, "langextract": 800,
         "docred": 800, "pubtator": 1500, "bioc": 800, "webanno": 1500, "cas": 800,
         "csv": 2000}  # fmt: skip
"""How many rows of a format's own shapes; of the shapes that are the same for all: ALIKE."""
ALIKE = 8000
TIMES, SLACK = 4, 0.02
MEMORY = 1500 << 20


def rows(row: bytes) -> Shape:
    """The same row again and again, with the number of each where it says %d."""
    if b"%d" not in row:
        return lambda count: row * count
    wanted = row.count(b"%d")
    return lambda count: b"".join(row % ((i,) * wanted) for i in range(count))


def between(first: bytes, shape: Shape, last: bytes) -> Shape:
    return lambda count: first + shape(count) + last


def listed(first: bytes, row: bytes, last: bytes) -> Shape:
    return lambda count: first + rows(row + b",")(count)[:-1] + last


def document(row: bytes) -> Shape:
    return between(b"#BeginOfDocument d\n", rows(row), b"#EndOfDocument\n")


ANY: dict[str, Shape] = {
    "one line": rows(b"a"), "one line of words": rows(b"ab O "), "line breaks": rows(b"\n"),
    "returns": rows(b"\r"), "tabs": rows(b"\t"), "brackets": rows(b"["), "bad bytes": rows(b"\xff"),
}  # fmt: skip

MENTIONS = b'{"unit": "char", "mentions": ['
OWN: dict[str, dict[str, Shape]] = {
    "conll": {
        "tokens": rows(b"a O\n"),
        "documents": rows(b"a O\n\n"),
        "mentions": rows(b"a B-X\n"),
        "labels": rows(b"a B-L%d\n"),
        "bad tags": rows(b"a Q%d-\n"),
        "layers": lambda count: b"a B-X" + b"|B-X" * (count // 10) + b"\n" + b"b O\n" * count,
        "stacks": rows(b"a B-X|B-Y%d\n"),
        "long tokens": lambda count: (b"a" * 5000 + b" O\n") * (count // 1000),
        "new documents": rows(b"# newdoc id = %d\na O\n\n"),
        "one document again": rows(b"# newdoc id = 1\na O\n\n"),
    },
    "spans": {
        "documents": rows(b"A\t1\t1\t1\n\n"),
        "labels": rows(b"L%d\t1\t1\t1\n"),
        "overlaps": rows(b"A\t0\t%d\t\n"),
        "discontinuous": rows(b"A\t0\t4\t0, 2, 4\n"),
        "bad numbers": rows(b"A\tx\t1\t1\n"),
        "marks": rows(b"NONE\t999\t999\t999\n"),
    },
    "tbf": {
        "documents": rows(b"#BeginOfDocument d%d\ns\td%d\tE1\t1,2\tx\tL\tA\n#EndOfDocument\n"),
        "labels": document(b"s\td\tE%d\t1,%d9\tx\tL%d\tA\n"),
        "token ids": document(b"s\td\tE%d\tt1,t2,t7\tx\tL\tA\n"),
        "links": between(b"#BeginOfDocument d\ns\td\tE1\t1,2\tx\tL\tA\ns\td\tE2\t1,2\tx\tL\tA\n",
                         rows(b"@After\tR%d\tE1,E2\n"), b"#EndOfDocument\n"),
        "fragments": document(b"s\td\tE%d\t1,2;5,8%d\tx\tL\tA\n"),
        "begins": rows(b"#BeginOfDocument d\n"),
        "one id": document(b"s\td\tE1\t1,2\tx\tL\tA\n"),
    },
    "jsonl": {
        "nested objects": rows(b'{"a": '),
        "documents": lambda count: rows(b'{"tokens": ["a"]}\n')(count // 4),
        "overlaps": listed(MENTIONS, b'{"start": 0, "end": %d9, "label": "A"}', b"]}"),
        "labels": listed(MENTIONS, b'{"start": 0, "end": 9, "label": "A%d"}', b"]}"),
        "one id": listed(MENTIONS, b'{"start": 0, "end": 9, "label": "A", "id": "T"}', b"]}"),
        "ids, the last twice": listed(
            b'{"unit": "char", "mentions": [{"start": 0, "end": 9, "label": "A", "id": "0"}, ',
            b'{"start": 0, "end": 9, "label": "A", "id": "1%d"}', b"]}"),
        "attributes": listed(
            MENTIONS, b'{"start": 0, "end": 9, "label": "A", "attributes": {"x%d": ""}}', b"]}"),
        "keys": listed(b"{", b'"%d": 1', b', "0": 1}'),
        "bad lines": rows(b"x\n"),
    },
    "inline": {
        "nested": lambda count: b"<a>" * count + b"x" + b"</a>" * count,
        "crossing": lambda count: rows(b"<a%d>")(count) + b"x" + rows(b"</a%d>")(count),
        "labels": rows(b"<a%d>x</a%d>"),
        "never closed": rows(b"x\n<a%d>"),
        "never opened": rows(b"x\n</a%d>"),
        "signs": rows(b"<"),
        "half tags": rows(b'<a b="'),
        "attributes": rows(b'<a b%d="1">x</a>'),
        "attributes of one tag": between(b"<a", rows(b' b%d="1"'), b">x</a>"),
    },
}  # fmt: skip
OWN["brat"] = {
    "overlaps": rows(b"T%d\tX 0 1\ta\n"),
    "labels": rows(b"T%d\tX%d 0 1\ta\n"),
    "events": rows(b"T%d\tX 0 1\ta\nE%d\tX:T%d A:E%d\n"),
    "clusters": between(b"T1\tX 0 1\ta\n", rows(b"*\tEquiv T1\n"), b""),
    "attributes": rows(b"T%d\tX 0 1\ta\nA%d\tN%d T%d\n"),
    "one id": rows(b"T1\tX 0 1\ta\n"),
    "bad lines": rows(b"x\n"),
    "arguments": between(b"T1\tX 0 1\ta\nE1\tX:T1", rows(b" A%d:T1"), b""),
}


OWN["records"] = {
    "documents": lambda count: rows(b'{"a": "x"}\n')(count // 4),
    "listed": lambda count: listed(b"[", b'\n{"id": %d, "a": "x"}', b"]")(count // 4),
    "listed texts": lambda count: listed(b"[", b'{"text": "\xc3\xa9", "a": "x"}', b"]")(count // 4),
    "fillers": listed(b'{"a": [', b'"%d"', b"]}"),
    "slots": listed(b"{", b'"%d": "x"', b"}"),
    "templates": listed(b'{"a": [', b'{"b": "%d"}', b"]}"),
    "nested": rows(b'{"a": '),
    "nested lists": rows(b'{"a": ['),
    "wrong values": listed(b'{"a": [', b"%d", b"]}"),
    "wrong lines": rows(b'{"a": %d}\n'),
    "one id": rows(b'{"id": 1}\n'),
    "glued": rows(b'{"a": "x"}'),
    "open strings": between(b'{"a": "', rows(b'\\"'), b"\\"),
    "fences": rows(b"```json\n"),
    "pretty": between(b"{\n", rows(b'"%d": "x",\n'), b'"": ""}'),
}
KEY = b"0. MESSAGE: ID   d\n1. MESSAGE: TEMPLATE   1\n"
OWN["muc"] = {
    "documents": lambda count: rows(b"0. MESSAGE: ID   d%d\n2. A   x\n\n")(count // 2),
    "templates": rows(b"0. MESSAGE: ID   d\n1. MESSAGE: TEMPLATE   %d\n2. A   x\n\n"),
    "fillers": between(KEY + b"2. A   x\n", rows(b'   "%d"\n'), b""),
    "slots": between(KEY, rows(b"%d. A%d   x\n"), b""),
    "alternatives": between(KEY + b"2. A   x", rows(b' / "%d"'), b"\n"),
    "alternatives on lines": between(KEY + b"2. A   x", rows(b' /\n   "%d"'), b"\n"),
    "references": between(KEY + b"2. A   x", rows(b' / "%d": "x"'), b"\n"),
    "references that multiply": lambda count: (
        KEY + b"2. A   " + b" / ".join([b'"x"'] * count) + b": " + b" / ".join([b'"y"'] * count)
    ),
    "open strings": between(KEY + b'2. A   "', rows(b'\\"'), b"\\"),
    "escapes": between(KEY + b'2. A   "', rows(b"\\\\"), b'"'),
    "spaces": between(KEY + b"2. A   x", rows(b"  "), b'"y"'),
    "numbers": rows(b"0."),
    "one template": rows(KEY + b"\n"),
    "comments": between(KEY, rows(b"; x\n"), b""),
    "comments at first": between(b"", rows(b"; x\n "), b"x"),
    "bad lines": rows(b"x\n"),
    "no message": rows(b"a: b\n"),
    "parentheses": between(b"0. MESSAGE: ID   d", rows(b" (x)"), b"\n"),
}


OWN["doccano"] = {
    "spans": listed(b'{"text": "\xf0\x9f\x98\x80ab", "label": [', b'[1, 2, "%d"]', b"]}"),
    "records": rows(b'{"id": %d, "text": "ab", "label": [[0, 1, "X"]]}\n'),
    "nested": rows(b'{"label": ['),
}
OWN["prodigy"] = {
    "spans": listed(b'{"text": "ab", "spans": [', b'{"start": 0, "end": 1, "label": "%d"}', b"]}"),
    "tokens": listed(b'{"text": "ab", "tokens": [', b'{"text": "", "start": 0, "end": 0}', b"]}"),
    "relations": listed(
        b'{"text": "ab", "spans": [{"start": 0, "end": 1, "label": "X"}], "relations": [',
        b'{"label": "%d", "head_span": {"start": 0, "end": 1, "label": "X"}, "child_span": {}}',
        b"]}",
    ),
}
OWN["labelstudio"] = {
    "regions": listed(
        b'[{"data": {"text": "\xf0\x9f\x98\x80ab"}, "annotations": [{"result": [',
        b'{"type": "labels", "value": {"start": 1, "end": 2, "text": "a", "labels": ["%d"]}}',
        b"]}]}]",
    ),
    "annotations": listed(b'[{"data": {"text": "a"}, "annotations": [', b'{"result": []}', b"]}]"),
}
OWN["pipeline"] = {
    "pieces": listed(b"[", b'{"entity": "I-A", "index": %d, "start": %d, "end": 99999}', b"]"),
    "lists": listed(b"[", b'[{"entity_group": "A", "start": 0, "end": 1}]', b"]"),
}
OWN["huggingface"] = {
    "rows": rows(b'{"tokens": ["a", "b"], "ner_tags": ["B-X", "O"]}\n'),
    "labels": rows(b'{"tokens": ["a"], "ner_tags": ["B-%d"]}\n'),
}
OWN["gliner"] = {
    "spans": listed(b'{"tokenized_text": ["a"], "ner": [', b'[0, 0, "%d"]', b"]}"),
    "tokens": listed(b'{"ner": [], "tokenized_text": [', b'"%d"', b"]}"),
    "lists": listed(b"[", b'[{"start": 0, "end": 1, "text": "a", "label": "A"}]', b"]"),
}
OWN["docred"] = {
    "mentions": listed(b'{"sents": [["a"]], "vertexSet": [[',
                       b'{"sent_id": 0, "pos": [0, 1], "type": "A%d"}', b"]]}"),
    "entities": listed(b'{"sents": [["a"]], "vertexSet": [',
                       b'[{"sent_id": 0, "pos": [0, 1], "type": "A"}]', b"]}"),
    "relations": listed(b'{"sents": [["a"]], "vertexSet": [[{"sent_id": 0, "pos": [0, 1], "type": '
                        b'"A"}]], "labels": [', b'{"h": 0, "t": 0, "r": "R%d"}', b"]}"),
    "sentences": listed(b'{"vertexSet": [], "sents": [', b'["%d"], []', b"]}"),
}  # fmt: skip
OWN["langextract"] = {
    "extractions": listed(
        b'{"text": "\xf0\x9f\x98\x80ab", "extractions": [',
        b'{"extraction_class": "%d", "char_interval": {"start_pos": 1, "end_pos": 2}}', b"]}",
    ),
    "unplaced": listed(b'{"text": "a", "extractions": [', b'{"extraction_class": "A"}', b"]}"),
}  # fmt: skip
OWN["pubtator"] = {
    "annotations": between(b"1|t|ab\n", rows(b"1\t0\t1\ta\tA\tC%d\n"), b""),
    "relations": between(b"1|t|ab\n1\t0\t1\ta\tA\tC\n", rows(b"1\tR\tC\tC\n"), b""),
    "articles": rows(b"%d|t|ab\n%d|a|c\n"),
    "parts of concepts": between(b"1|t|ab\n1\t0\t1\ta\tA\t", rows(b"C%d|"), b"\n"),
    "strangers": rows(b"2\t0\t1\ta\tA\n"),
}
OWN["bioc"] = {
    "annotations": listed(
        b'{"passages": [{"text": "ab", "offset": 0, "annotations": [',
        b'{"id": "%d", "infons": {"type": "A"}, "locations": [{"offset": 0, "length": 1}]}',
        b"]}]}",
    ),
    "passages": between(b"<collection><document><id>1</id>",
                        rows(b"<passage><offset>%d00</offset><text>a</text></passage>"),
                        b"</document></collection>"),
    "documents": between(b"<collection>", rows(b"<document><id>%d</id></document>"),
                         b"</collection>"),
    "relations": listed(
        b'{"passages": [{"text": "ab", "offset": 0, "annotations": [{"id": "1", "infons": {"type": '
        b'"A"}, "locations": [{"offset": 0, "length": 1}]}]}], "relations": [',
        b'{"id": "%d", "nodes": [{"refid": "1"}, {"refid": "1"}]}', b"]}",
    ),
    "attributes": between(b"<collection", rows(b' a%d="x"'), b">"),
    "nested": rows(b"<collection>"),
    "comments": between(b"<collection>", rows(b"<!-- x -->"), b"</collection>"),
}  # fmt: skip
WEBANNO = b"#FORMAT=WebAnno TSV 3.3\n#T_SP=a.B|label\n\n\n"
OWN["webanno"] = {
    "tokens": between(WEBANNO, rows(b"1-%d\t%d-%d\ta\tA\n"), b""),
    "annotations": between(WEBANNO, rows(b"1-1\t0-1\ta\tA[%d]\n"), b""),
    "stacks": between(WEBANNO + b"1-1\t0-1\ta\tA", rows(b"|A%d"), b"\n"),
    "escapes": between(WEBANNO + b"1-1\t0-1\ta\t", rows(b"\\\\"), b"\n"),
    "sentences": between(WEBANNO, rows(b"#Text=a\n%d-1\t%d-%d\ta\t_\n\n"), b""),
    "layers": rows(b"#T_SP=a.B|x%d\n"),
    "brackets": between(WEBANNO + b"1-1\t0-1\ta\t", rows(b"[1]"), b"\n"),
}
CAS = b'{"%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "ab"}, '
OWN["cas"] = {
    "annotations": lambda count: CAS + b", ".join(
        b'{"%%ID": %d, "%%TYPE": "a.B", "begin": 0, "end": 1, "value": "A"}' % number
        for number in range(2, count + 2)) + b"]}",
    "layers": lambda count: CAS + b", ".join(
        b'{"%%ID": %d, "%%TYPE": "a.B%d", "begin": 0, "end": 1}' % (number, number)
        for number in range(2, count + 2)) + b"]}",
}  # fmt: skip
OWN["csv"] = {
    "rows": between(b"doc,start,end,label\n", rows(b"d,0,1,A%d\n"), b""),
    "documents": between(b"doc,start,end,label\n", rows(b"d%d,0,1,A\n"), b""),
    "columns": between(b"doc,start,end,label", rows(b",c%d"), b"\n"),
    "quotes": between(b"doc,start,end,label\n", rows(b'"'), b""),
    "texts": between(b"doc,start,end,label,document_text\n", rows(b"d,0,1,A,ab\n"), b""),
    "bad rows": between(b"doc,start,end,label\n", rows(b"x\n"), b""),
}
OWN["conllu"] = {
    "words": rows(b"1\ta" + b"\t_" * 7 + b"\tNER=B-%d\n"),
    "sentences": rows(b"1\ta" + b"\t_" * 7 + b"\tNER=B-X\n\n"),
}


def every() -> list[tuple[str, str]]:
    formats = carob.registry.builtin("formats")
    return [(format, name) for format in formats for name in (*ANY, *OWN.get(format, {}))]


def spent(format: str, data: bytes) -> float:
    source = Source.of_bytes(data, "file")
    if format == "brat":
        source = Source.of_files({"d.txt": b"a", "d.ann": data})
    gc.disable()  # the objects of other tests are not this file's fault
    try:
        begin = time.process_time()
        with contextlib.suppress(InputError):
            read(source, format)
        return time.process_time() - begin
    finally:
        gc.enable()


@pytest.mark.parametrize(("format", "name"), every(), ids=lambda word: word.replace(" ", "-"))
@pytest.mark.slow
def test_time_is_linear(format: str, name: str) -> None:
    shape = ANY.get(name) or OWN[format][name]
    count = ALIKE if name in ANY else COUNT[format]
    small, large = shape(count), shape(TIMES * count)
    for _ in range(8):
        less, more = spent(format, small), spent(format, large)
        if more < (TIMES * 9 / 4) * less + SLACK:
            return
    pytest.fail(f"{less:.3f} s for {len(small):,} bytes, {more:.3f} s for {len(large):,}")


# --- bombs ---


def bomb(path: Path, piece: bytes, size: int, head: bytes = b"") -> Path:
    """A gz file that unfolds to `size` bytes of one piece, made without unfolding it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = piece * ((1 << 20) // len(piece))
    with path.open("wb") as out:
        out.write(packer.compress(head))
        out.write(packer.compress(block))
        # After a full flush the same bytes always pack to the same bytes.
        out.write(packer.flush(zlib.Z_FULL_FLUSH))
        again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
        for _ in range(size // len(block)):
            out.write(again)
        out.write(packer.flush())
    return path


WORK = """
import carob

def work(path, format):
    try:
        return str(len(carob.read(path, format or None)))
    except carob.CarobError as error:
        return str(error)
"""
Reader: TypeAlias = Callable[..., tuple[str, int]]


@pytest.fixture(scope="module")
def limited() -> Iterator[Reader]:
    """Reads in a process with little memory: what reading says, and how many MiB it took."""
    with Limited(WORK, MEMORY) as process:

        def limited(path: Path | str, format: str = "") -> tuple[str, int]:
            message, _, peak = process(str(path), format)
            return message, peak

        yield limited


UNFOLDS = "K010 found a gz file that unfolds to more than 200 times its size"
LEGAL = {
    "conll": (b"a O\n", b""), "jsonl": (b'{"text": "%s"}\n' % (b"a" * 4000), b""),
    "spans": (b"%s\t1\t1\t1\n" % (b"A" * 300), b""),
    "tbf": (b"s\td\tE\t1,2\tx\tL\tA\n", b"#BeginOfDocument d\n"),
    "inline": (b"<a>x</a>" + b"y" * 300, b""), "records": (b'{"a": "%s"}\n' % (b"x" * 4000), b""),
    "muc": (b"2. A   x\n", b"0. MESSAGE: ID   d\n"),
}  # fmt: skip


@pytest.mark.parametrize("format", LEGAL)
def test_a_bomb_of_legal_lines_is_refused(format: str, tmp_path: Path, limited: Reader) -> None:
    piece, head = LEGAL[format]
    path = bomb(tmp_path / "bomb.gz", piece, 1 << 28, head)
    assert path.stat().st_size < 10 << 20
    said, peak = limited(path)
    assert f"{path}: {UNFOLDS}, expected text that was compressed; if it is meant, unzip it first" \
        == said  # fmt: skip
    assert peak < 300


@pytest.mark.parametrize("format", ["conll", "jsonl", "inline"])
def test_a_bomb_behind_a_harmless_beginning_is_refused(
    format: str, tmp_path: Path, limited: Reader
) -> None:
    piece, head = LEGAL[format]
    harmless = b"".join(b"%d" % (i * i * i) for i in range(20_000))
    if format == "jsonl":
        head = b'{"text": "%s"}\n' % harmless
    else:
        head = {"conll": b"%s O\n", "inline": b"%s"}[format] % harmless
    path = bomb(tmp_path / "bomb.gz", piece, 1 << 27, head)
    Source(path).open().close()
    said, peak = limited(path, format)
    assert "K010 found" in said
    assert peak < 700


@pytest.mark.parametrize(("piece", "codes"), [(b"\0", "K003 K005"), (b"a", "K005"), (b" ", "K005")])
@pytest.mark.parametrize("format", ["conll", "spans", "tbf"])
def test_an_endless_line_is_refused(piece: bytes, codes: str, format: str, tmp_path: Path) -> None:
    path = tmp_path / "endless"
    path.write_bytes(piece * (1 << 23))
    with pytest.raises(InputError) as caught:
        read(path, format)
    assert caught.value.problems[0].code in codes


@pytest.mark.parametrize("format", ["jsonl", "inline", "records", "muc"])
def test_a_document_that_is_too_large_is_refused(
    format: str, tmp_path: Path, limited: Reader
) -> None:
    path = tmp_path / "large"
    with path.open("wb") as out:
        if format in ("jsonl", "records"):  # which refuse a zero byte as soon as they see it
            for _ in range(80):
                out.write(b"x" * (1 << 20))
        else:
            out.truncate(1 << 32)
    said, peak = limited(path, format)
    assert said.startswith(f"{path}:") and "more than 67,108,864 bytes, expected" in said
    assert peak < 400


@pytest.mark.parametrize(
    "format", ["", "conll", "jsonl", "spans", "tbf", "inline", "records", "muc"]
)
def test_a_device_without_an_end_is_refused(format: str, limited: Reader) -> None:
    said, peak = limited("/dev/zero", format)
    assert said.startswith("/dev/zero:")
    assert peak < 400


@pytest.mark.slow
def test_much_text_that_was_compressed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.conll.gz"
    text = b"".join(b"word%d O\nname%d B-X\n\n" % (i, i * i) for i in range(500_000))
    assert len(text) > 1 << 24
    path.write_bytes(gzip.compress(text, 1))
    assert 500_000 == len(read(path))


def test_a_gz_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"word%d B-X\n" % (i * i) for i in range(9999)))
    path = tmp_path / "cut.gz"
    for size in (3, 12, 200, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: K003 found data that breaks off")


def test_many_files_in_one_gz_file_are_read_one_behind_the_other(tmp_path: Path) -> None:
    path = tmp_path / "members.gz"
    path.write_bytes(gzip.compress(b"a B-X\n") * 3000)
    assert 3000 == len(read(path).mentions)


# --- places that are no files ---


def test_a_folder_that_holds_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("a O\n")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    again = tmp_path / "again"
    assert f"{again}: K001 found a link to a folder around it, expected files and folders to read" \
        == str(caught.value)  # fmt: skip


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to(tmp_path / "x")
    for path in (tmp_path, tmp_path / "x"):
        with pytest.raises(InputError) as caught:
            read(path)
        assert "K001" == caught.value.problems[0].code


def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    assert f"{tmp_path / 'pipe'}: K001 found neither a file nor a folder, expected files and " \
        "folders to read" == str(caught.value)  # fmt: skip


def test_a_pipe_with_a_name_is_read_as_standard_input_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"Ann B-PER\n" * 9,))
    writer.start()
    corpus = read(tmp_path / "pipe")
    writer.join()
    assert 9 == len(corpus.mentions)
    assert ("Ann",) * 9 == corpus[0].tokens


def test_a_folder_is_no_file_and_a_file_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    file.write_text("a O\n")
    with pytest.raises(InputError) as caught:
        Source(tmp_path).head()
    assert f"{tmp_path}: K001 found a folder, expected a file to read" == str(caught.value)
    with pytest.raises(InputError) as caught:
        read(file / "b.conll")
    assert "K001" == caught.value.problems[0].code
    with pytest.raises(UsageError, match="cannot write"):
        carob.write(Corpus.of("[a]A"), tmp_path, "conll")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    file.write_text("a O\n")
    file.chmod(0)
    for path in (file, tmp_path):
        with pytest.raises(InputError) as caught:
            read(path)
        assert "K001" == caught.value.problems[0].code


@pytest.mark.parametrize("format", ["conll", "jsonl", "spans"])
def test_a_full_disk_is_told(format: str) -> None:
    with pytest.raises(CarobError) as caught:
        carob.write(Corpus.of("[a]A"), "/dev/full", format)
    assert "cannot write /dev/full: No space left on device" == str(caught.value)


@pytest.mark.slow
def test_a_full_disk_is_told_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("a B-X\n")
    commands = [["score", "a.conll", "a.conll", "-o", "/dev/full"],
                ["convert", "a.conll", "/dev/full", "--to", "jsonl"]]  # fmt: skip
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "carob", *command], cwd=tmp_path, capture_output=True,
            text=True, check=False,
            env=os.environ | {"PYTHONPATH": str(Path(carob.__file__).parents[1])},
        )  # fmt: skip
        assert done.returncode in (1, 2)
        assert "No space left on device" in done.stderr and "Traceback" not in done.stderr

"""The compiled helper changes nothing but time: every file is the same corpus, or the same error.

Files are read in small chunks, so that the helper meets sentences and documents cut anywhere, and
lines that it must leave to NumPy between lines that it reads.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from carob import Corpus, InputError, read
from carob.arrays import hashing, scan
from carob.corpus.source import Source
from carob.formats import _tagged
from tests.carob.formats._mutations import Mutator
from tests.worlds import times

pytestmark = pytest.mark.skipif(scan.compiled is None, reason="installed without a compiler")

FILES = times(3)
TOKENS = ["a", "Ann", "7", "-", "-DOCSTART", "-DOCSTART-s", "O", "#", "#1", "é", "日本語",
          "eight888", "ninechars", "sixteen_letters_", "seventeen_letters", "x" * 40, "\x0b",
          "\u2028", "😀", "|", "B-A"]  # fmt: skip
TAGS = ["O"] * 12 + ["B-A", "I-A", "B-LONGLABEL", "I-LONGLABEL", "B-A", "I-A", "B-日本", "E-A",
                     "S-A", "B-" + "y" * 20, "B-A|B-C", "U-A", "X", "o", "B"]  # fmt: skip
OPTIONS: list[dict[str, Any]] = [
    {}, {}, {}, {"repair": "discard"}, {"repair": "strict"}, {"documents": "file"}, {"token": -2},
    {"scheme": "iob2"}, {"scheme": "io"}, {"tag": 0, "token": 1}, {"tag": -1, "token": -1},
    {"tag": (-2, -1)},
]  # fmt: skip


def made(rng: random.Random) -> bytes:
    """A file that is mostly plain."""
    width, sep = rng.choice((2, 2, 2, 2, 1, 3, 4)), rng.choice((" ", " ", "\t"))
    tags = rng.choices(TAGS[:18] if rng.random() < 0.8 else TAGS, k=rng.randint(2, 20))
    tags = tags if "O" in tags else [*tags, "O", "O"]
    tokens = rng.choices(TOKENS[:4] + TOKENS[9:16] if rng.random() < 0.7 else TOKENS, k=12)
    lines = ["-DOCSTART- O" if width > 1 else "-DOCSTART-", ""] if rng.random() < 0.6 else []
    marked = bool(lines)
    for _ in range(rng.randint(1, 12)):
        if marked and rng.random() < 0.3:
            lines += [rng.choice(("-DOCSTART- O", "-DOCSTART-", "-DOCSTART- -X- -X- O")), ""]
        for _ in range(rng.randint(1, 9)):
            fields = [rng.choice(tokens) for _ in range(width - 1)]
            lines.append(sep.join([*fields, rng.choice(tags)]))
        lines += [""] * rng.choice((1, 1, 1, 2))
    return "\n".join(lines).encode() + rng.choice((b"", b"\n", b"\n\n"))


def outcome(data: bytes, options: dict[str, Any]) -> Any:
    """Everything that reading a file brings about."""
    source = Source.of_bytes(data)
    try:
        corpus = read(source, "conll", **options)
    except InputError as error:
        return error.problems, error.total
    tables = [[getattr(table, name) for name in table.__slots__]
              for table in (corpus.documents, corpus.mentions)]  # fmt: skip
    columns = [
        (column.dtype, column.tolist()) if isinstance(column, np.ndarray) else column
        for table in tables
        for column in table
    ]
    return columns, corpus.labels, corpus.facts, corpus.origin


def test_a_file_is_the_same_with_the_compiled_helper_and_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(0)
    whole = [made(rng) for _ in range(200)]
    damaged = Mutator(whole, rng)
    taken: Counter[bool] = Counter()
    fast: Any = scan.compiled

    def watched(*arguments: Any) -> Any:
        found = fast(*arguments)
        taken[found is not None] += 1
        return found

    monkeypatch.setattr(_tagged, "BLOCK", 20)
    ends: Counter[bool] = Counter()
    for number in range(FILES):
        data = made(rng) if number % 2 else damaged()
        monkeypatch.setattr(_tagged, "SIZE", rng.choice((60, 100, 100, 200, 400)))
        options = rng.choice(OPTIONS)
        monkeypatch.setattr(scan, "compiled", watched)
        with_it = outcome(data, options)
        monkeypatch.setattr(scan, "compiled", None)
        assert outcome(data, options) == with_it, (data, options)
        ends[isinstance(with_it[-1], int)] += 1
    assert min(taken.values()) > FILES / 3, "both ways are taken often"
    assert min(ends.values()) > 0.3 * FILES, "there are good files and bad ones"


def test_one_long_plain_file_is_read_by_the_helper_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    sentences = [
        "".join(f"{rng.choice(TOKENS[:3])} {rng.choice(TAGS[:18])}\n" for _ in range(20))
        for _ in range(300)
    ]
    data = ("-DOCSTART- O\n\n" + "\n".join(sentences)).encode()
    monkeypatch.setattr(_tagged, "SIZE", 1000)
    chunks: Counter[str] = Counter()
    take, take_plain = _tagged.TagReader._take, _tagged.TagReader._take_plain

    def counted(name: str, method: Any) -> Any:
        def call(*arguments: Any) -> None:
            chunks[name] += 1
            method(*arguments)

        return call

    monkeypatch.setattr(_tagged.TagReader, "_take", counted("general", take))
    monkeypatch.setattr(_tagged.TagReader, "_take_plain", counted("plain", take_plain))
    outcome(data, {})
    assert chunks["general"] == 1 and chunks["plain"] > 20


def scanned(data: bytes, known: dict[bytes, int] | None = None) -> scan.Scanned | None:
    buffer = np.frombuffer(b"\n" + data + bytes(hashing.PAD), np.uint8)
    scanner = scan.Scanner(2, 0, -1, "marked")
    for tag, code in (known or {}).items():
        key = int.from_bytes(tag, "little")
        scanner.know(np.array([key], np.uint64), np.array([code]))
    return scanner(buffer, len(data) + 1, 0, open=False)


def test_what_is_found_points_into_the_buffer() -> None:
    found = scanned(b"Ann B-PER\nx O\n\n-DOCSTART- O\n\ny I-A\n", {b"I-A": 5})
    assert found is not None
    assert (6, 3, True) == (found.lines, found.rows, found.open)
    assert [[0, 2], [0, 5], [-1, 5], [5, 32], [10, 35]] == found.tagged.tolist()
    assert [0, 2] == found.sentences.tolist()
    assert [[2], [3], [16]] == found.docs.tolist()
    assert [hashing.hash_tokens([b"Ann", b"x"]), hashing.hash_tokens([b"y"])] == found.sums.tolist()


@pytest.mark.parametrize(
    "line",
    [b"a  O", b" a O", b"a O ", b"a O\r", b"a", b"a b O", b"# O", b"a\x01 O", b"a\0 O", b"\r",
     b"\t", b"-DOCSTART-\r", b"-DOCSTART- \x0c"],
)  # fmt: skip
def test_a_line_that_is_not_plain_is_left_to_numpy(line: bytes) -> None:
    assert scanned(b"a O\n") is not None
    assert scanned(b"a O\n" + line + b"\na O\n") is None


def test_the_hash_of_a_token_is_that_of_the_array_function() -> None:
    for size in range(1, 70):
        token = bytes(random.Random(size).choices(range(33, 256), k=size))
        found = scanned(token.replace(b"#", b"x") + b" O\n")
        assert found is not None
        assert hashing.hash_tokens([token.replace(b"#", b"x")]) == int(found.sums[0])


def long_file(rng: random.Random, width: int, tokens: list[str]) -> bytes:
    """Many windows of the helper."""
    lines = ["-DOCSTART- O", ""]
    for _ in range(rng.randint(1, 800)):
        kind = rng.random()
        if kind < 0.9:
            fields = [rng.choice(tokens) for _ in range(width - 1)]
            lines.append("\t".join([*fields, rng.choice(TAGS[:18])]))
        else:
            mark = "-DOCSTART-" + rng.choice(("", " ", " " * 5000, " O\t" + "x" * 70))
            lines += [""] * rng.randint(1, 3) if kind < 0.99 else [mark]
    return "\n".join(lines).encode() + b"\n" * rng.choice((1, 2, 3, 70))


@pytest.mark.parametrize("width", [2, 3, 7, 255, 256, 257, 300])
def test_long_files_of_any_width_are_the_same_in_all_ways(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(width)
    short = [token for token in TOKENS if token[0] not in "#\x0b"]
    long = [*short, "x" * 63, "y" * 64, "z" * 200, "é" * 1500]
    monkeypatch.setattr(_tagged, "_FIRST", 100)
    monkeypatch.setattr(_tagged, "SIZE", 1 << 16)
    fast: Any = scan.compiled
    taken: Counter[bool] = Counter()

    def watched(*arguments: Any) -> Any:
        found = fast(*arguments)
        taken[found is not None] += 1
        return found

    for _ in range(6 if width < 10 else 2):
        data = long_file(rng, width, short if width > 10 or rng.random() < 0.5 else long)
        options = rng.choice(OPTIONS[:7])
        ways: list[Any] = []
        for compiled in (None, watched):
            monkeypatch.setattr(scan, "compiled", compiled)
            ways.append(outcome(data, options))
        assert ways[0] == ways[1]
    assert bool(taken[True]) == (width <= 256), "lines of very many fields are left to NumPy"


def test_buffers_that_do_not_fit_together_are_refused() -> None:
    keys, codes = np.zeros(2, np.uint64), np.zeros(2, np.int32)
    rooms = [np.zeros((5, 4), np.int32), np.zeros(4, np.int32), np.zeros((3, 4), np.int32),
             np.zeros(4, np.uint64)]  # fmt: skip
    text = np.frombuffer(b"\na O\n" + bytes(16), np.uint8)

    def call(
        text: Any, size: int, keys: Any = keys, rooms: list[Any] = rooms, columns: Any = (2, 0, 1)
    ) -> Any:
        compiled: Any = scan.compiled
        return compiled(text, size, *columns, 1, 0, False, keys, codes, *rooms)

    assert (1, 1, 0, 1, 0, 1) == call(text, 5)
    wrong: list[tuple[Any, ...]] = [
        (text, 6), (text, 0), (text, -1), (text[:-1], 5), (text, 5, np.zeros(3, np.uint64)),
        (text, 5, np.zeros(4, np.uint64)), (text, 5, keys, [*rooms[:3], np.zeros(2, np.uint64)]),
        *((text, 5, keys, rooms, columns) for columns in ((2, 2, 1), (2, 0, -1), (2, -1, 1),
                                                          (2, 0, 2), (1, 0, 0))),
    ]  # fmt: skip
    for arguments in wrong:
        with pytest.raises(ValueError, match="do not fit"):
            call(*arguments)


def test_the_room_is_never_written_over() -> None:
    for line in (b"a B\n", b"a B\n\n", b"a O\n\n", b"-DOCSTART-\n", b"\n"):
        for count in range(12):
            data = b"\n" + line * count
            room = len(data) // 4 + 2
            columns = ((5, np.int32), (1, np.int32), (3, np.int32), (1, np.uint64))
            whole: list[Any] = [np.full(count * (room + 9), 7, kind) for count, kind in columns]
            ends = [count * room for count, _ in columns]
            compiled: Any = scan.compiled
            found = compiled(
                np.frombuffer(data + bytes(16), np.uint8), len(data), 2, 0, 1,
                1 if line[:1] == b"-" else 0, 0, False, np.zeros(2, np.uint64),
                np.zeros(2, np.int32), *(each[:end] for each, end in zip(whole, ends, strict=True)),
            )  # fmt: skip
            assert found is not None
            assert all((each[end:] == 7).all() for each, end in zip(whole, ends, strict=True))


def test_a_corpus_that_was_read_fast_has_its_words() -> None:
    corpus = read(Source.of_bytes(b"-DOCSTART- O\n\nAnn B-A\n"), "conll")
    assert isinstance(corpus, Corpus) and ("Ann",) == corpus[0].tokens

"""Whatever is wrong with a conll file is one InputError, which says where, what was found and
what was expected; no bytes whatsoever cause anything else.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from carob import InputError, read, registry
from carob.corpus.source import Source
from carob.formats import _tagged
from tests.carob.formats._files import of_bytes

WANTED = "O or a tag with a prefix and a label, like B-PER or I-PER"
KNOWN = "a known prefix (B I E S, L U, M W), or --scheme io if these are whole labels"

PROBLEMS: list[tuple[bytes, dict[str, Any], list[str]]] = [
    (b"", {}, ["file: K002 found an empty file, expected at least one document"]),
    (b"\xef\xbb\xbf", {}, ["file: K002 found an empty file, expected at least one document"]),
    (b"\n \r\n\t\n", {}, ["file: K002 found an empty file, expected at least one document"]),
    (
        b"-DOCSTART-\n",
        {"documents": "file"},
        ["file: K002 found an empty file, expected at least one document"],
    ),
    (
        b"a O\nb\0 O\n",
        {},
        ["file:2: K003 found a zero byte, as in a binary file, expected a text file in UTF-8"],
    ),
    (
        b"\xff\xfea\0",
        {},
        ["file: K004 found UTF-16 text, expected UTF-8; convert it, for example with iconv"],
    ),
    (
        b"a x O\nb O\n\nc\n",
        {},
        [
            "file:2: K101 found 2 columns in 'b O', expected 3, as in line 1",
            "file:4: K101 found 1 column in 'c', expected 3, as in line 1",
        ],
    ),
    (b"a B-\xff\n", {}, [r"file:1: K102 found the tag 'B-\\xff', expected a tag in UTF-8"]),
    (
        b"\na O\n",
        {"tag": 2},
        [
            "file:2: K103 found 2 columns, expected a column 2; "
            "choose with --columns; 0 is the first, -1 the last"
        ],
    ),
    (
        b"# source\n1 Ann B-PER O\n2 Lee I-PER B-LOC\n\n1 Bo B-PER O\n",
        {},
        [
            "file: K103 found a first column that counts the tokens, expected words there; choose "
            "columns, as in --columns 2,token=1, or 2+3,token=1 for two layers of tags; 0 is the "
            "first"
        ],
    ),
    (
        b"a O\n",
        {"token": -3},
        [
            "file:1: K103 found 2 columns, expected a column -3; "
            "choose with --columns; 0 is the first, -1 the last"
        ],
    ),
    (
        b"a B-X\nb PER\nc B-X\nd PER\ne B\nf Q-X\n",
        {},
        [
            f"file:2: K104 found 'PER', expected {WANTED}",
            f"file:4: K104 found 'PER', expected {WANTED}",
            f"file:5: K104 found 'B', expected {WANTED}",
            f"file:6: K104 found 'Q-X', expected {KNOWN}",
        ],
    ),
    (
        b"a B-X\nb E-X\n",
        {"scheme": "iob2"},
        ["file:2: K104 found 'E-X', expected a prefix of iob2: B I"],
    ),
    (
        b"a B-X\nb U-X\nc W-X\n",
        {},
        [
            "file: K105 found the prefixes B U W, expected the prefixes of one scheme "
            "(B I, I E, B I E S, B I L U or B M E S)"
        ],
    ),
    (
        b"a O\n\n-DOCSTART- O\n\nb O\n",
        {},
        [
            "file:3: K106 found -DOCSTART- after the first tokens, expected -DOCSTART- on the "
            "first line, or nowhere; begin the file with a -DOCSTART- line"
        ],
    ),
    (
        b"Ann\nslept\n",
        {},
        [
            "file:1: K107 found bare tokens such as 'Ann', without tags, expected a token and a "
            "tag, or a tag like B-PER alone; these are documents to tag, and no answer"
        ],
    ),
    (
        b"PER\nO\n",
        {},
        [
            "file:1: K107 found one column with 'PER', "
            "expected a token and a tag, or a tag like B-PER alone"
        ],
    ),
    (
        b"a B-X\n\nb O\nc I-X\n",
        {"repair": "strict"},
        [
            "file:4: K108 found a mention that begins with 'I-X', expected one that iob2 allows; "
            "--repair conlleval reads it nevertheless"
        ],
    ),
]


@pytest.mark.parametrize(("data", "parameters", "messages"), PROBLEMS)
def test_a_problem_says_where_and_what(
    data: bytes, parameters: dict[str, Any], messages: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(data, **parameters)
    assert messages == [str(problem) for problem in caught.value.problems]
    more = f" (and {len(messages) - 1} more like it)" if len(messages) > 1 else ""
    assert messages[0] + more == str(caught.value)


def test_a_line_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tagged, "SIZE", 1000)
    with pytest.raises(InputError) as caught:
        of_bytes(b"a O\n\n" + b"x" * 2000)
    expected = "file:3: K005 found a line of more than 1,000 bytes, expected shorter lines; divide"
    assert str(caught.value).startswith(expected)


def test_a_file_that_does_not_exist_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_bytes(b"a O\n")
    wanted = tmp_path / "gold.conl"
    with pytest.raises(InputError) as caught:
        read(wanted)
    near = f"did you mean {tmp_path / 'gold.conll'}?"
    assert f"{wanted}: K001 found no such file, expected a file to read; {near}" == str(
        caught.value
    )


def test_a_compressed_file_that_breaks_off_is_refused() -> None:
    data = gzip.compress(b"a O\n" * 1000)
    assert 1000 == of_bytes(data).documents.length[0]
    with pytest.raises(InputError) as caught:
        of_bytes(data[:-12])
    assert (
        "file: K003 found data that breaks off or is damaged (Compressed file ended before the "
        "end-of-stream marker was reached), expected a file that can be read"
    ) == str(caught.value)


def test_of_many_problems_the_first_are_kept_and_all_are_counted() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(b"a x O\n" + b"b O\n" * 1500)
    assert 100 == len(caught.value.problems)
    assert 1500 == caught.value.total
    assert str(caught.value).endswith("as in line 1 (and 1,499 more like it)")


def test_problems_of_every_chunk_are_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tagged, "SIZE", 32)
    with pytest.raises(InputError) as caught:
        of_bytes(b"aaaa x O\n" * 5 + b"b O\n" + b"aaaa x O\n" * 5 + b"c Q\n")
    assert [6, 12] == [problem.line for problem in caught.value.problems]


def test_what_is_shown_of_a_file_cannot_harm_a_terminal() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(b"a B-X\nb \x1b[2J\n")
    assert f"file:2: K104 found '\\x1b[2J', expected {WANTED}" == str(caught.value)


def test_a_binary_file_and_an_unknown_one_are_refused_when_sniffed() -> None:
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(b"\x89PNG\0\0", "file"))
    assert "file: K003 found a binary file, expected a text file in UTF-8" == str(caught.value)
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(b"[1, 2]", "file"))
    every = ", ".join(registry.names("formats"))
    assert (
        f"file: K006 found a file that looks like no known format, expected one of {every}"
        == str(caught.value)
    )

"""JSON with words around it is told so, and not taken for columns; columns never are refused, be
their tokens as odd as they may.
"""

from __future__ import annotations

import json
import random

import pytest

from carob import InputError, read
from carob.corpus.source import Source
from carob.evaluate.read import sniffed

HINT = (
    "take away what stands around the JSON, or name its format (records, entities or triples) and "
    "--read repair=json"
)
OBJECT = b'{"id": "1", "speaker": ["Ann"], "stime": "3:30"}'


def told(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(data, "file"))
    return str(caught.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"Sure! Here is the JSON: ", b""),
        (b"Sure!\n", b""),
        (b"Sure! Here you are:\n\n```json\n", b"\n```\n"),
        (b"Sure!\n```\n", b"\n```\nAnything else?"),
        (b"Sure!\n\n# A talk\n", b"\n"),
        (b"Sure!\n[", b"]\n"),
        ("Sûre! ".encode(), b" I hope this helps."),
        (b"\xef\xbb\xbf\r\n\r\nSure! ", b"\r\n"),
        (b"speaker: Ann\n", b""),
    ],
)
@pytest.mark.parametrize("object", [OBJECT, json.dumps(json.loads(OBJECT), indent=2).encode()])
def test_words_around_json_are_told(before: bytes, object: bytes, after: bytes) -> None:
    first = before.decode().strip("\ufeff\r\n").split("\n")[0].strip()
    line = 3 if b"\r" in before else 1
    expected = f"file:{line}: K211 found '{first}' before an object, expected JSON and nothing else"
    assert f"{expected}; {HINT}" == told(before + object + after)


def test_two_words_a_line_before_an_object_of_two_columns() -> None:
    assert (
        f"file:1: K211 found 'Here is' before an object, expected JSON and nothing else; {HINT}"
        == told(b'Here is\n{"speaker": "Ann"}\n')
    )


@pytest.mark.parametrize("data", [b'"hello"', b"null", b"true\n", b"\n -1.5e3 ", b'"a b\\n" '])
def test_a_value_that_is_no_object_is_told(data: bytes) -> None:
    line = 2 if data.startswith(b"\n") else 1
    shown = data.strip().decode().replace("\\", "\\\\")
    assert (
        f"file:{line}: K211 found '{shown}', expected a JSON object, one document a line"
        == told(data)
    )


def test_a_folder_of_answers_with_words_around_them_is_told() -> None:
    files = {"1.json": b"Sure!\n" + OBJECT, "2.json": b"Sure!\n" + OBJECT}
    with pytest.raises(InputError) as caught:
        read(Source.of_files(files, "folder"))
    assert (
        f"folder/1.json:1: K211 found 'Sure!' before an object, expected JSON and nothing else; "
        f"{HINT}" == str(caught.value)
    )


@pytest.mark.parametrize(
    "data",
    [
        b'say O\n{"id": O\n"1"} O\n',
        b'say\tO\n{"id":"1"}\tB-CODE\n',
        b'say _ _\n{"id":"1"} _ _\nis _ _\n',
        b'say X\n{"id":"1"} PER\n',
        b'B-PER Ann\nB-CODE {"id":"1"}\n',
        b'PER Ann\nCODE {"id":"1"}\n',
        b'-DOCSTART-\n\nsay _ _\n{"id":"1"} _ _\n',
        b'# text = {"id": "1"}\nsay _ _\n``` _ _\n{ _ _\n" _ _\n',
        b'# newdoc id = 1\n# text = {"id": "1"}\nsay _ _\n',
        b"``` O\n```json O\n",
        b'" O\n',
        b"null B-X\n",
    ],
)
def test_columns_with_odd_tokens_are_columns(data: bytes) -> None:
    assert "conll" == sniffed(Source.of_bytes(data, "file"))


def test_columns_of_signs_are_never_refused() -> None:
    """Every token is a piece of JSON; tags are of every kind, also unknown ones or none."""
    rng = random.Random("odd columns")
    signs = ["{", "}", '"', '{"a":', '{"a":1}', '"a":1}', "```", "null", "[", ":", ","]
    for _ in range(2000):
        tags = rng.choice([["O", "B-X", "I-X"], ["X", "O"], ["_"], ["NOUN", "VERB"]])
        rows = [["say", rng.choice(tags)]]
        rows += [[rng.choice(signs), rng.choice(tags)] for _ in range(rng.randint(1, 6))]
        glue = rng.choice([" ", "\t", "  "])
        more = rng.choice(["", f"_{glue}"])
        data = "\n".join(f"{token}{glue}{more}{tag}" for token, tag in rows).encode()
        assert "conll" == sniffed(Source.of_bytes(data, "file")), data


@pytest.mark.parametrize(
    "data",
    [
        b"4.  INCIDENT: TYPE                  ATTACK\n",
        b"; no message\n\n4. INCIDENT: TYPE\tATTACK\n",
        b"\xef\xbb\xbf9.  PERP: INDIVIDUAL ID   -\r\n",
        b"4.  INCIDENT: TYPE\n",
    ],
)
def test_a_key_file_without_a_message_is_told(data: bytes) -> None:
    line = 3 if data.startswith(b";") else 1
    slot = "PERP: INDIVIDUAL ID" if b"PERP" in data else "INCIDENT: TYPE"
    expected = f"file:{line}: K223 found the slot '{slot}', expected MESSAGE: ID before it"
    assert expected == told(data)


@pytest.mark.parametrize(
    "data", [b"4. INCIDENT: TYPE O\n", b"4.\tA:\tB\n", b"4. A: O\n", b"4. A: X _\n", b"4.  a: b\n"]
)
def test_columns_with_numbers_are_no_key_file(data: bytes) -> None:
    assert "conll" == sniffed(Source.of_bytes(data, "file"))

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


TEXT = "Ann Lee visited Rome."
NOTHING = {"text": TEXT, "entities": []}
INTERVAL = {"start_pos": 0, "end_pos": 7}
LATE = {
    "entities": (NOTHING, NOTHING | {"entities": [
        {"text": "Ann Lee", "type": "PER", "start": 0, "end": 7}]}),
    "pipeline": (NOTHING, NOTHING | {"entities": [
        {"entity_group": "PER", "word": "Ann Lee", "start": 0, "end": 7}]}),
    "doccano": (NOTHING, NOTHING | {"entities": [
        {"id": 1, "label": "PER", "start_offset": 0, "end_offset": 7}]}),
    "spacy": (NOTHING, NOTHING | {"entities": [[0, 7, "PER"]]}),
    "gliner": ([], [{"text": "Ann Lee", "label": "PER", "start": 0, "end": 7, "score": 0.5}]),
    "pipeline of lists": ([], [{"entity_group": "PER", "word": "Ann Lee", "start": 0, "end": 7}]),
    "langextract": ({"text": TEXT, "extractions": None}, {"text": TEXT, "extractions": [
        {"extraction_class": "PER", "extraction_text": "Ann Lee", "char_interval": INTERVAL}]}),
    "jsonl": ({"text": TEXT}, {"text": TEXT, "mentions": [{"start": 0, "end": 7, "label": "PER"}]}),
}  # fmt: skip


def spelled(values: list[object], layout: str) -> bytes:
    if layout == "lines":
        return "\n".join(map(json.dumps, values)).encode()
    return json.dumps(values, indent=2 if layout == "indented" else None).encode()


@pytest.mark.parametrize("layout", ["lines", "list", "indented"])
@pytest.mark.parametrize("before", [49, 50, 3000])
@pytest.mark.parametrize("name", LATE)
def test_documents_without_entities_do_not_hide_the_format(
    name: str, before: int, layout: str
) -> None:
    empty, full = LATE[name]
    data = spelled([empty] * before + [full], layout)
    assert name.split(" ")[0] == sniffed(Source.of_bytes(data, "file"))
    if before < 100:
        corpus = read(Source.of_bytes(data, "file"))
        assert [(0, 7, "PER")] == [(m.start, m.end, m.label) for m in corpus[before].mentions]


@pytest.mark.parametrize("layout", ["lines", "list", "indented"])
@pytest.mark.parametrize(("key", "format"), [
    ("entities", "entities"), ("extractions", "langextract"), ("label", "doccano"),
    ("ents", "spacy"), ("spans", "prodigy"),
])  # fmt: skip
def test_a_file_without_any_entity_is_read_as_its_keys_say(
    key: str, format: str, layout: str
) -> None:
    data = spelled([{"text": TEXT, key: []}] * 99, layout)
    corpus = read(Source.of_bytes(data, "file"))
    assert corpus.origin is not None
    assert format == corpus.origin.format and 99 == len(corpus)


@pytest.mark.parametrize(
    "data", [b"[]", b"[]\n[]\n", b"\xef\xbb\xbf[ ]", b"[[], []]", b"[]\n" * 9_999]
)
def test_lists_without_anything_in_them_need_the_name_of_the_format(data: bytes) -> None:
    for source in (Source.of_bytes(data, "file"), Source.of_files({"a.json": data})):
        with pytest.raises(InputError) as caught:
            sniffed(source)
        (problem,) = caught.value.problems
        assert "K006" == problem.code and "lists without anything in them" in problem.found
        assert "--system-format" in problem.hint and "pipeline" in problem.hint
    assert read(Source.of_bytes(data, "file"), "pipeline")[0].mentions == ()


def test_how_far_a_file_is_looked_at_is_bounded() -> None:
    late = json.dumps(NOTHING).encode() + b"\n"
    data = late * (5_000_000 // len(late)) + b'{"text": "Ann", "ents": [[0, 3, "PER"]]}'
    assert "entities" == sniffed(Source.of_bytes(data, "file"))


@pytest.mark.parametrize("line", [
    r'{"text": "Ann ran", "e\u0078tractions": [{"extraction_class": "PER", "char_interval": '
    r'{"start_pos": 0, "end_pos": 3}}]}',
    r'{"t\u006fkens": ["Ann", "ran"], "n\u0065r_tags": ["B-PER", "O"]}',
    r'{"text": "Ann ran", "\u0065ntities": [{"text": "Ann", "t\u0079pe": "PER"}]}',
    r'{"text": "Ann ran", "te\u006dplates": [{"slots": {"who": ["Ann"]}}]}',
    r'{"id": "1", "t\u006Fkens": ["Ann"], "ment\u0069ons": [{"start": 0, "end": 1, "label": "A"}]}',
    r'{"text": "Ann ran", "l\u0061bel": [[0, 3, "PER"]]}',
    r'{"text": "Ann ran", "sp\u0061ns": [{"start": 0, "end": 3, "label": "PER"}]}',
    r'{"t\u006fkenized_text": ["Ann", "ran"], "n\u0065r": [[0, 0, "PER"]]}',
    r'["Ann ran", {"entit\u0069es": [[0, 3, "PER"]]}]',
    r'{"who": "\\u0065ntities", "caf\u00e9": "\u0022mentions\u0022: []"}',
])  # fmt: skip
def test_a_key_with_escapes_is_the_same_key(line: str) -> None:
    plain = json.dumps(json.loads(line), ensure_ascii=False)
    one, other = (read(Source.of_bytes(each.encode(), "file")) for each in (line, plain))
    assert one.origin is not None and other.origin is not None
    assert other.origin.format == one.origin.format
    assert list(other) == list(one)
    assert (other.origin.format == "records") == ("who" in json.loads(line))


def test_records_with_empty_slots_are_records() -> None:
    values: list[object] = [{"who": "Ann", "host": None}, {"who": None}, {"rooms": []}]
    for value in values:
        data = json.dumps([value] * 99).encode()
        assert "records" == sniffed(Source.of_bytes(data, "file"))

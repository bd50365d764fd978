"""langextract: extractions with places are mentions, those without are counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from carob import InputError, Mention, check, read
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes

TEXT = "😀 Ann Lee visited Rome today"


def one(text: str, start: int | None, end: int | None, **more: Any) -> dict[str, Any]:
    place = None if start is None else {"start_pos": start, "end_pos": end}
    return {"extraction_class": "who", "extraction_text": text, "char_interval": place} | more


def data(*extractions: Any, **more: Any) -> bytes:
    record = {"extractions": list(extractions), "text": TEXT, "document_id": "d1"} | more
    return json.dumps(record).encode() + b"\n"


def found(file: bytes, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        of_bytes(file, "langextract", **options)
    return [(each.code, each.found) for each in caught.value.problems]


def test_extractions_are_mentions_with_attributes() -> None:
    file = data(one("ann  lee", 2, 9, attributes={"mood": "calm", "n": [1, "b"], "x": None}))
    (document,) = of_bytes(file, "langextract")
    assert ("d1", TEXT) == (document.id, document.text)
    assert (Mention("who", 2, 9, (), {"mood": "calm", "n": "1, b"}),) == document.mentions


def test_what_was_not_found_in_the_text_is_counted_and_reported(tmp_path: Any) -> None:
    file = data(one("Ann Lee", 2, 9), one("Paris", None, None), one("Bonn", None, None))
    corpus = of_bytes(file, "langextract")
    assert 1 == len(corpus.mentions) and 2 == corpus.facts["unplaced"]
    (tmp_path / "a.jsonl").write_bytes(file)
    (warning,) = check(tmp_path / "a.jsonl").problems
    assert ("K236", True) == (warning.code, warning.warning)
    assert "2 extractions without a place in the text left out" == warning.found


def test_other_units_are_noticed_and_read_on_request() -> None:
    file = data(one("Ann Lee", 3, 10), one("Rome", 19, 23))
    ((code, text),) = found(file)
    assert "K234" == code
    assert text.startswith("2 of 2 mentions with other words in the text than the file quotes")
    mentions = of_bytes(file, "langextract", offsets="utf16")[0].mentions
    assert [(2, 9), (18, 22)] == [(m.start, m.end) for m in mentions]


def test_fuzzy_alignments_are_not_compared() -> None:
    file = data(one("Anna L.", 2, 9, alignment_status="match_fuzzy"))
    corpus = of_bytes(file, "langextract")
    assert 1 == len(corpus.mentions) and not corpus.facts.get("misquoted")


def test_numbers_are_ids_and_ids_are_optional() -> None:
    assert "5" == of_bytes(data(document_id=5), "langextract")[0].id
    assert of_bytes(data(document_id=None), "langextract")[0].id is None
    assert of_bytes(data(), "langextract", id="")[0].id is None
    assert [("K233", "the id 'd1', also on line 1")] == found(data() + data())


@pytest.mark.parametrize(("extraction", "message"), [
    ("x", "extractions[0] = 'x'"), (one("A", 2, 99), "extractions[0] at 2..99"),
    ({"char_interval": []}, "extractions[0].char_interval = []"),
    (one("Ann", 2, 5, extraction_class=None), "extractions[0] without a label"),
    (one("Ann", 2, 5, attributes={"a": {"b": 1}}), 'extractions[0].attributes.a = {"b": 1}'),
    (one("Ann", -1, 5), "extractions[0].start = -1"), (one("Ann", 5, 2), "extractions[0]: "),
])  # fmt: skip
def test_what_is_wrong_is_named(extraction: Any, message: str) -> None:
    ((code, text),) = found(data(extraction))
    assert "K232" == code and text.startswith(message)


def test_a_document_without_a_text_or_without_extractions() -> None:
    assert [("K232", "a record without a text")] == found(data(text=None))
    file = data(extractions=None)
    assert () == of_bytes(file, "langextract")[0].mentions


@pytest.mark.parametrize("nothing", [None, []])
def test_documents_without_extractions_are_recognised(nothing: Any) -> None:
    line = json.dumps({"extractions": nothing, "text": TEXT}).encode()
    corpus = read(Source.of_bytes(line, "file"))
    assert corpus.origin is not None and "langextract" == corpus.origin.format
    assert () == corpus[0].mentions

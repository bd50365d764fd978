"""doccano's exports: label lists, entities and relations, read and written."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from carob import Corpus, InputError, Mention, UsageError, read
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes, written

EMOJI = {"id": 1, "text": "😀 Ann slept", "label": [[2, 5, "PER"]]}
ENTITIES = [
    {"id": 0, "label": "PER", "start_offset": 0, "end_offset": 3},
    {"id": 1, "label": "LOC", "start_offset": 13, "end_offset": 17},
]
RELATED = {
    "id": 3, "text": "Ann lives in Rome", "entities": ENTITIES,
    "relations": [{"id": 7, "from_id": 0, "to_id": 1, "type": "in"}],
}  # fmt: skip


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize("record", [EMOJI, RELATED, {**EMOJI, "label": [], "Comments": ["x"]}])
def test_it_is_recognised_also_in_a_list_and_over_several_lines(record: Any) -> None:
    for data in (
        lines(record),
        json.dumps([record]).encode(),
        json.dumps(record, indent=1).encode(),
    ):
        corpus = read(Source.of_bytes(data, "file.json"))
        assert corpus.origin is not None and "doccano" == corpus.origin.format
        assert str(record["id"]) == corpus[0].id


def test_the_text_may_be_called_data() -> None:
    record = {"id": 1, "data": "😀 Ann slept", "label": [[2, 5, "PER"]]}
    corpus = read(Source.of_bytes(lines(record), "file.json"))
    assert corpus.origin is not None and "doccano" == corpus.origin.format
    assert ("😀 Ann slept", (Mention("PER", 2, 5),)) == (corpus[0].text, corpus[0].mentions)


@pytest.mark.parametrize(
    ("record", "message"),
    [({"id": 1, "label": [[2, 5, "PER"]]}, "K232 found a record without a text"),
     ({**EMOJI, "label": [[2, 5, "PER", "Ann"]]}, 'K232 found label[0] = [2, 5, "PER", "Ann"]')],
)  # fmt: skip
def test_a_record_that_is_not_complete_is_recognised(record: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read(Source.of_bytes(lines(record), "file.json"))


def test_characters_after_an_emoji_are_characters() -> None:
    (document,) = of_bytes(lines(EMOJI), "doccano")
    assert (Mention("PER", 2, 5),) == document.mentions


@pytest.mark.parametrize(
    ("unit", "place"), [("utf16", (3, 6)), ("bytes", (5, 8)), ("inclusive", (2, 4))]
)
def test_other_units_are_read_on_request_alone(unit: str, place: tuple[int, int]) -> None:
    record = {**EMOJI, "label": [[*place, "PER"]]}
    (document,) = of_bytes(lines(record), "doccano", offsets=unit)
    assert (Mention("PER", 2, 5),) == document.mentions
    (document,) = of_bytes(lines(record), "doccano")
    assert (Mention("PER", *place),) == document.mentions


def test_an_end_after_the_text_names_the_units_that_would_fit() -> None:
    record = {"text": "😀 Ann", "label": [[3, 6, "PER"]]}
    with pytest.raises(InputError, match=r"K232 found label\[0\] at 3..6, .*--read offsets=utf16"):
        of_bytes(lines(record), "doccano")
    with pytest.raises(InputError, match="in UTF-16 units"):
        of_bytes(lines({**record, "label": [[1, 2, "PER"]]}), "doccano", offsets="utf16")


def test_numbers_are_ids_and_both_forms_are_written_again() -> None:
    for record in (EMOJI, RELATED):
        data = lines(record)
        assert json.loads(data) == json.loads(written(of_bytes(data, "doccano"), "doccano"))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"label": []}, "K232 found a record without a text, expected text, and label or entities"),
        ({"text": "A"}, "K232 found none of label, labels and entities"),
        ({"text": "A", "label": [], "entities": []}, "found label and entities, expected one of"),
        ({"text": "A", "label": ["good"]}, r"label\[0\] = 'good', expected \[start, end, label\]"),
        ({"text": "A", "label": [["0", 1, "X"]]}, r"label\[0\].start = '0', expected a whole"),
        ({"text": "A", "label": [[0, 1, 3]]}, r"label\[0\].label = 3, expected a text"),
        ({"text": "A", "label": [[0, 0, "X"]]}, r"label\[0\]: span 0..0 is e.*offsets=inclusive"),
        ({"text": "A", "label": {}}, "K232 found label = {}, expected a list"),
        ({"text": "A", "entities": [3]}, r"entities\[0\] = 3, expected an object with start"),
        ({"text": "A", "entities": [{"start_offset": 0, "label": "X"}]}, r"\[0\] without a place"),
        ({"id": 1.5, "text": "A", "label": []}, "id = 1.5, expected a text or a whole number"),
        (RELATED | {"relations": [{"from_id": 0, "to_id": 9, "type": "in"}]},
         r"relations\[0\].to_id = 9, expected the id of an entity"),
        (RELATED | {"relations": [{"from_id": 0, "to_id": 1}]}, r"relations\[0\].type = null"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_as_the_file_has_it(record: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of_bytes(lines(record), "doccano")


def test_all_problems_are_reported_and_ids_are_unique() -> None:
    records = [EMOJI, EMOJI, {"id": 2}, 7]
    with pytest.raises(InputError) as caught:
        of_bytes(lines(*records), "doccano")
    assert [("K233", 2), ("K232", 3), ("K231", 4)] == [
        (problem.code, problem.line) for problem in caught.value.problems
    ]
    assert [None, None] == [d.id for d in of_bytes(lines(EMOJI, EMOJI), "doccano", id="")]


def test_what_has_no_place_is_refused() -> None:
    for mention in ({"fragments": [[0, 1], [2, 3]]}, {"start": 0, "end": 1, "confidence": 0.5}):
        corpus = Corpus.of({"text": "Ann", "mentions": [{**mention, "label": "X"}]})
        with pytest.raises(UsageError, match="doccano cannot hold"):
            written(corpus, "doccano")
    with pytest.raises(UsageError, match="doccano needs a text, and document has none"):
        written(Corpus.of({"unit": "char"}), "doccano")
    with pytest.raises(UsageError, match="offsets cannot count 'utf8'; did you mean utf16"):
        of_bytes(b"{}", "doccano", offsets="utf8")


WORDS = "😀 Ann met Bo é Cy in Rome"
PLACES = [(2, 5), (10, 12), (15, 17), (21, 25)]


@pytest.mark.parametrize("unit", ["utf16", "bytes", "inclusive", "char"])
def test_mentions_that_cut_words_show_another_unit(unit: str) -> None:
    """Nothing is moved: it is a warning, which names the unit that fits."""

    def place(at: int, *, is_end: bool = False) -> int:
        if unit == "inclusive":
            return at - is_end
        codec, size = {"utf16": ("utf-16-le", 2), "bytes": ("utf-8", 1)}.get(unit, ("utf-32-le", 4))
        return len(WORDS[:at].encode(codec)) // size

    spans = [[place(start), place(end, is_end=True), "X"] for start, end in PLACES]
    data = lines({"text": WORDS + " and more", "label": spans}, {"text": "Di", "label": []})
    corpus = of_bytes(data, "doccano")
    cut = {} if unit == "char" else {f"cut_{unit}": 4}
    assert cut == {key: n for key, n in corpus.facts.items() if key.startswith("cut_")}
    assert [start for start, _, _ in spans] == [mention.start for mention in corpus[0].mentions]
    right = of_bytes(data, "doccano", offsets=unit)
    assert PLACES == [(mention.start, mention.end) for mention in right[0].mentions]
    assert not any(key.startswith("cut_") for key in right.facts)


def test_a_few_mentions_inside_words_are_no_sign_of_another_unit() -> None:
    text = "cats and dogs, 東京都 and Rome and Oslo"
    spans = [[0, 3], [9, 12], [15, 17], [23, 27], [32, 36]]
    record = {"text": text, "label": [[*span, "X"] for span in spans]}
    assert {} == of_bytes(lines(record), "doccano").facts


def test_a_key_of_ids_that_no_record_has_is_reported() -> None:
    assert 1 == of_bytes(lines(EMOJI), "doccano", id="nr").facts["unknown_id_key"]
    for options in ({}, {"id": "id"}, {"id": ""}):
        assert "unknown_id_key" not in of_bytes(lines(EMOJI), "doccano", **options).facts

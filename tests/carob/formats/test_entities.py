"""Entities of language models: texts without places fill slots, and are found in the text."""

from __future__ import annotations

import json
from typing import Any

import pytest

import carob
from carob import Corpus, InputError, Mention, UsageError, read
from carob.corpus.corpus import fact_remarks
from carob.corpus.source import Source
from carob.formats.entities import Entities
from tests.carob.formats._files import of_bytes

ANN = {"text": "Ann", "type": "PER"}


def of(*records: Any, **options: Any) -> Corpus:
    return of_bytes("\n".join(map(json.dumps, records)).encode(), "entities", **options)


def slots(corpus: Corpus) -> dict[str, list[str]]:
    (template,) = corpus[0].templates
    return {slot: [f.text for f in fillers] for slot, fillers in template.slots.items()}  # type: ignore[union-attr, misc]


@pytest.mark.parametrize("entities", [
    [ANN, {"text": "Rome", "type": "LOC"}],
    [{"name": "Ann", "label": "PER"}, {"entity": "Rome", "category": "LOC"}],
    {"PER": ["Ann"], "LOC": "Rome", "ORG": [], "MISC": None},
])  # fmt: skip
def test_both_shapes_are_recognised_and_fill_slots(entities: Any) -> None:
    for value in ({"entities": entities}, [{"text": "Ann", "id": 7, "entities": entities}]):
        corpus = read(Source.of_bytes(json.dumps(value).encode(), "answer.json"))
        assert corpus.origin is not None and "entities" == corpus.origin.format
        assert {"PER": ["Ann"], "LOC": ["Rome"]} == slots(corpus)


@pytest.mark.parametrize("keys", [
    ("value", "entity"), ("text", "entity"), ("name", "entity"), ("span", "label"),
    ("entity", "class"), ("entity_text", "entity_type"), ("entity_text", "entity"),
])  # fmt: skip
def test_the_keys_of_words_and_labels_may_have_other_names(keys: tuple[str, str]) -> None:
    value = {"id": "a", "entities": [dict(zip(keys, ("Ann", "PER"), strict=True))]}
    corpus = read(Source.of_bytes(json.dumps(value).encode(), "answer.json"))
    assert corpus.origin is not None and "entities" == corpus.origin.format
    assert {"PER": ["Ann"]} == slots(corpus)


def test_entities_under_unknown_keys_are_named_and_not_read_as_records() -> None:
    value = {"id": "a", "entities": [{"surface": "Ann", "kind": "PER"}]}
    source = Source.of_bytes(json.dumps(value).encode(), "answer.json")
    with pytest.raises(InputError) as caught:
        read(source)
    assert (
        "answer.json: K239 found entities with the keys 'surface', 'kind', expected a format that "
        "carob reads; call the key of the words text and that of the label type, or name the "
        "format records if they are slots"
    ) == str(caught.value)
    assert read(source, "records")[0].templates


LISTS = [[ANN, {"text": "Rome", "type": "LOC"}], [], [{"mention": "Bo", "label": "PER"}]]


def test_a_bare_list_is_an_answer() -> None:
    expected = of(*({"entities": each} for each in LISTS))
    texts = [json.dumps(each) for each in LISTS]
    one_list = "[\n" + ",\n".join(texts) + "\n]"
    for text in ("\n".join(texts), one_list):
        assert list(expected) == list(of_bytes(text.encode(), "entities"))
    (whole,) = of_bytes(json.dumps(LISTS[0], indent=1).encode(), "entities")
    assert expected[0] == whole
    assert list(expected) == list(of(*LISTS, repair="json"))
    assert list(expected) == list(of(*({"out": each} for each in texts), raw="out"))
    assert list(expected) == list(of(*({"out": each} for each in LISTS), raw="out"))


def test_a_bare_list_is_mended() -> None:
    cut = '[{"text": "Ann", "type": "PER"}, {"text": "Rome", "type": "LOC"}, {"text": "Bo", "ty'
    fenced = '```json\n[{"text": "Ann", "type": "PER"},]\n```'
    prose = "I see [two] names, and no list."
    corpus = of(*({"out": each} for each in (cut, fenced, prose)), raw="out", repair="json")
    assert {"PER": ["Ann"], "LOC": ["Rome"]} == slots(corpus)
    assert [1, 1, 0] == [len(document.templates) for document in corpus]
    assert (2, 1) == (corpus.facts["mended"], corpus.facts["unparsed"])


def test_a_list_of_anything_else_is_no_answer() -> None:
    for value in ([ANN, {"text": "Rome"}], [ANN, 5], ["Ann"]):
        with pytest.raises(InputError, match=r"K23[12] "):
            of(value)
        assert 1 == of({"out": json.dumps(value)}, raw="out", repair="json").facts["unparsed"]


def test_what_is_not_in_the_text_counts_as_an_ungrounded_answer() -> None:
    marks = [{"start": 0, "end": 3, "label": "PER"}, {"start": 8, "end": 10, "label": "PER"}]
    gold = Corpus.of({"text": "Ann met Bo", "mentions": marks})
    system = of({"entities": [ANN, {"text": "Zed", "type": "PER"}]})
    scores = carob.score(gold, system, ["oads.PRF", "oads.ungrounded-share"], resamples=0)
    assert [1 / 2, 1 / 2, 1 / 2, 1 / 2] == [each.value for each in scores.scores]


def test_places_are_mentions_whose_words_are_compared() -> None:
    placed = ANN | {"start": 2, "end": 5, "score": 0.5}
    corpus = of({"text": "😀 Ann slept", "entities": [placed]})
    assert (Mention("PER", 2, 5, confidence=0.5),) == corpus[0].mentions
    assert 1 == corpus.facts["quoted"]
    with pytest.raises(InputError, match=r"K234 .*--read offsets=inclusive"):
        of({"text": "😀 Ann slept", "entities": [placed | {"end": 4}]})
    assert 1 == of({"text": "Bo slept", "entities": [placed]}).facts["misquoted"]


def test_places_in_some_documents_only_are_refused_or_ignored() -> None:
    placed = {"entities": [ANN | {"start": 0, "end": 3}]}
    records: list[Any] = [
        {"entities": []},
        placed,
        {"entities": [ANN | {"start": None, "end": None}]},
    ]
    with pytest.raises(InputError) as caught:
        of(*records)
    assert (
        ":3: K232 found entities without places, and entities with places on line 2, expected one "
        "of the two in the whole file; --read places=ignore reads the words of all"
    ) in str(caught.value)
    ignored = of(*records, places="ignore")
    assert [(), ((),), ((),)] == [
        tuple(document.mentions for _ in document.templates) for document in ignored
    ]
    for format in (Entities(places="ignore", offsets="char"), Entities(offsets="char")):
        fields = format.signature_fields({})[0]
        assert format == Entities(**Entities.from_signature(fields))
    with pytest.raises(UsageError, match="places of entities is auto or ignore, not 'no'"):
        of(*records, places="no")


def test_null_is_no_place() -> None:
    absent = of({"entities": [ANN]}, {"entities": []})
    assert list(absent) == list(of({"entities": [ANN | {"start": None}]}, {"entities": []}))


def test_without_a_text_lengths_that_fit_no_unit_are_counted() -> None:
    right, wrong = ANN | {"start": 0, "end": 3}, ANN | {"start": 0, "end": 2}
    odd = ANN | {"start": 0, "end": 9}
    (remark,) = fact_remarks(of({"entities": [right, wrong, odd]}))
    words = "2 mentions longer or shorter than the words that the file quotes, of 3 with words"
    assert ("K234", words) == remark
    with pytest.raises(InputError, match=r"K234 .*--read offsets=inclusive"):
        of({"entities": [wrong, wrong, odd]})
    assert [Mention("PER", 0, 3)] == list(
        of({"entities": [wrong]}, offsets="inclusive")[0].mentions
    )


def test_empty_texts_and_relations_are_counted() -> None:
    corpus = of({"entities": [ANN, ANN | {"text": " "}], "relations": [["Ann", "in", "Rome"]]})
    assert {"unread_relations": 1, "empty_texts": 1} == corpus.facts


@pytest.mark.parametrize(("entities", "message"), [
    (3, "entities = 3, expected a list of objects, or an object of lists"),
    (["Ann"], r"entities\[0\] = 'Ann', expected an object with text and type"),
    ([{"text": "Ann"}], r"entities\[0\] with neither of these keys, expected one of type, label"),
    ([ANN | {"name": "Ann"}], r"entities\[0\] with text and name, expected one of text"),
    ([ANN | {"text": 3}], r"entities\[0\].text = 3, expected a text"),
    ([ANN | {"type": ""}], r"entities\[0\].type = '', expected a text"),
    ({"PER": [3]}, "entities.PER = 3, expected a list of texts"),
    ([ANN | {"start": 0, "end": 3}, ANN],
     r"K232 found entities\[1\] without a place, and others with one, expected places for all "
     "entities of a file, or for none; --read places=ignore reads the words of all"),
    ([ANN | {"start": 0}], r"entities\[0\] without a place"),
])  # fmt: skip
def test_what_is_wrong_is_named_as_the_file_has_it(entities: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of({"entities": entities})


@pytest.mark.parametrize(("data", "message"), [
    (b'{"entities": [{"text": "Ann"},]}', "(Illegal trailing comma|Expecting value)"),
    (b'{"entities": [{"text": "Ann', r"\(Unterminated string, column 24\)"),
    (b'[{"entities": [{"text": "A\nnn"}]}]', r"\(Invalid control character\)"),
])  # fmt: skip
def test_damaged_json_can_be_repaired(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=f"{message}.*; --read repair=json mends"):
        of_bytes(data, "entities")


@pytest.mark.parametrize("words", [[{"text": "Ann"}], ["Ann", 5, None]])
def test_words_by_label_that_are_no_texts_are_refused_with_their_line(words: list[Any]) -> None:
    good = {"text": "Ann ran", "entities": {"PER": None}}
    data = "\n".join(json.dumps(each) for each in (good, good | {"entities": {"PER": words}}))
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(data.encode(), "file"))
    (problem,) = caught.value.problems
    assert ("K232", 2, "a list of texts") == (problem.code, problem.line, problem.expected)


def test_null_is_no_entities() -> None:
    assert () == of({"text": "Ann ran", "entities": None})[0].templates
    with pytest.raises(InputError, match="K232"):
        of({"text": "Ann ran"})


@pytest.mark.parametrize("place", [{"start_char": 0, "end_char": 3}, {"span": [0, 3]}])
def test_places_under_other_keys_are_counted(place: dict[str, Any]) -> None:
    entities = [{"text": "Ann", "type": "PER"} | place, {"text": "Bo", "type": "PER"}]
    corpus = of({"text": "Ann", "entities": entities})
    assert 1 == corpus.facts["unread_places"]

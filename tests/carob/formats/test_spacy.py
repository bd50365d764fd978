"""spaCy's training pairs, and what `Doc.to_json` returns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from carob import InputError, Mention, read
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes, written

PAIR = ["😀 Ann slept", {"entities": [[2, 5, "PER"]]}]
DOC = {"text": "😀 Ann slept", "ents": [{"start": 2, "end": 5, "label": "PER"}]}


@pytest.mark.parametrize("data", [
    json.dumps([PAIR]), json.dumps(PAIR), json.dumps([PAIR], indent=1), json.dumps(DOC),
    json.dumps([DOC]), json.dumps(DOC, indent=1),
    json.dumps(DOC | {"tokens": [], "spans": {}, "cats": {"x": 1.0}}),
])  # fmt: skip
def test_all_layouts_are_recognised(data: str) -> None:
    corpus = read(Source.of_bytes(data.encode(), "train.json"))
    assert corpus.origin is not None and "spacy" == corpus.origin.format
    assert (Mention("PER", 2, 5),) == corpus[0].mentions
    assert [PAIR] == json.loads(written(corpus, "spacy"))


def test_one_pair_a_line() -> None:
    data = "\n".join(json.dumps(pair) for pair in (PAIR, ["x", {"entities": []}]))
    assert [1, 0] == [len(document.mentions) for document in of_bytes(data.encode(), "spacy")]


@pytest.mark.parametrize(("unit", "place"), [("utf16", [3, 6]), ("bytes", [5, 8])])
def test_tokens_and_sentences_are_in_the_unit_of_the_offsets(unit: str, place: list[int]) -> None:
    start, end = place
    doc = DOC | {
        "ents": [{"start": start, "end": end, "label": "PER"}], "sents": [{"start": start}],
        "tokens": [{"start": start, "end": end}],
    }  # fmt: skip
    (document,) = of_bytes(json.dumps(doc).encode(), "spacy", offsets=unit)
    assert (Mention("PER", 2, 5),) == document.mentions
    assert (((2, 5),), (2,)) == (document.token_spans, document.sentences)


def test_groups_of_spans_without_entities_are_recognised_and_must_be_chosen() -> None:
    doc = {"text": "😀 Ann", "tokens": [], "spans": {"sc": [{"start": 2, "end": 5, "label": "X"}]}}
    source = Source.of_bytes(json.dumps(doc).encode(), "file")
    with pytest.raises(InputError, match="K235 found no entities, but groups of spans: 'sc'"):
        read(source)
    assert (Mention("X", 2, 5),) == read(source, spans="sc")[0].mentions


def test_groups_of_spans_are_read_on_request_and_otherwise_counted() -> None:
    doc = json.dumps(DOC | {"spans": {"sc": [{"start": 0, "end": 5, "label": "X"}]}}).encode()
    corpus = of_bytes(doc, "spacy")
    assert ({"span_groups": 1}, 1) == (corpus.facts, len(corpus.mentions))
    (document,) = of_bytes(doc, "spacy", spans="sc")
    assert (Mention("X", 0, 5),) == document.mentions


def test_a_group_that_no_document_has_is_refused_with_those_that_are_there() -> None:
    with_group = DOC | {"spans": {"sc": [{"start": 0, "end": 5, "label": "X"}], "b": []}}
    data = json.dumps([with_group, DOC]).encode()
    with pytest.raises(InputError, match=r"file: K232 found no group of spans 'zz', expected one "
                       r"of the groups that are there: 'b', 'sc'$"):  # fmt: skip
        of_bytes(data, "spacy", spans="zz")
    with pytest.raises(InputError, match="expected one, and there are none"):
        of_bytes(json.dumps(DOC).encode(), "spacy", spans="zz")
    corpus = of_bytes(data, "spacy", spans="sc")
    assert ([1, 0], 1) == ([len(each.mentions) for each in corpus], corpus.facts["ungrouped"])


def test_a_file_of_a_folder_need_not_have_the_group() -> None:
    with_group = DOC | {"spans": {"sc": [{"start": 0, "end": 5, "label": "X"}]}}
    files = {"1.json": json.dumps(with_group).encode(), "2.json": json.dumps(DOC).encode()}
    corpus = read(Source.of_files(files, "folder"), "spacy", spans="sc")
    assert (1, 1) == (len(corpus.mentions), corpus.facts["ungrouped"])
    with pytest.raises(InputError, match="folder: K232 found no group of spans 'x' in any file"):
        read(Source.of_files(files, "folder"), "spacy", spans="x")


@pytest.mark.parametrize(("value", "message"), [
    ([["Ann", {"entities": ["U-PER"]}]], r"entities\[0\] = 'U-PER', .*; tags of tokens are"),
    ([["Ann", {"cats": {}}]], "entities = null, expected a list"),
    ([["Ann", []]], "K231 found .* expected a list in which each value is a pair or"),
    ({"ents": []}, "an object without a text"),
    ({"text": "A", "ents": [{"start": 0, "end": 2, "label": "X"}]}, r"ents\[0\] at 0..2, expect"),
    ({"text": "A", "ents": [], "tokens": [3]}, r"tokens\[0\] = 3, expected an object"),
    ({"text": "A", "ents": [], "tokens": [{"start": 0}]}, r"token_spans\[0\] = null"),
])  # fmt: skip
def test_what_is_wrong_is_named_as_the_file_has_it(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of_bytes(json.dumps(value).encode(), "spacy")

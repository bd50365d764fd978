"""Texts are columns without anything that is marked; Examples add the mentions, in tokens."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, UsageError
from carob.pair.texts import Examples, Spans, Texts

TEXT = "Who: Ann Lee\n  When: 2pm\n\nBye"
MARKED = {
    "id": "d1",
    "text": TEXT,
    "mentions": [
        {"start": 5, "end": 12, "label": "who", "id": "SENTINEL", "attributes": {"a": "SENTINEL"}},
        {"start": 21, "end": 22, "label": "when"},
    ],
    "attributes": {"key": "SENTINEL"},
    "templates": [{"label": "t", "slots": {"who": ["SENTINEL"]}}],
    "note": "SENTINEL",
}


def test_tokens_lines_and_places() -> None:
    texts = Texts.of(Corpus.of(MARKED))
    words = [texts.words[row] for row in range(len(texts.start))]
    assert ["Who", ":", "Ann", "Lee", "When", ":", "2pm", "Bye"] == words
    assert words == [TEXT[a:b] for a, b in zip(texts.start, texts.end, strict=True)]
    assert [0, 4, 7] == np.flatnonzero(texts.opens_line).tolist()


def test_tokens_without_a_text_open_sentences() -> None:
    corpus = Corpus.of({"tokens": ["a", "b", "c"], "sentences": [0, 2]}, {"tokens": []})
    texts = Texts.of(corpus)
    assert [True, False, True] == texts.opens_line.tolist()
    assert [0, 3, 3] == texts.offsets.tolist()
    assert ("1", "2") == texts.corpus.documents.id


def test_texts_hold_nothing_that_is_marked() -> None:
    texts = Texts.of(Corpus.of(MARKED))
    assert b"SENTINEL" not in pickle.dumps(texts)
    assert b"2pm" in pickle.dumps(texts), "the search can fail"
    assert 0 == len(texts.corpus.mentions) == len(texts.corpus.templates)


def test_mentions_are_widened_to_tokens_and_counted() -> None:
    examples = Examples.of(Corpus.of(MARKED))
    spans = examples.spans(("when", "who"))
    assert [(2, 4, 1), (6, 7, 0)] == list(
        zip(spans.first.tolist(), spans.last.tolist(), spans.slot.tolist(), strict=True)
    )
    assert [False, True] == examples.moved.tolist()


def test_some_documents_keep_their_mentions() -> None:
    examples = Examples.of(Corpus.of("[a]x b", "c [d]y", "[e f]x"))
    some = examples.only(np.array([1, 2]))
    assert [0, 1] == some.tokens.doc.tolist()
    assert [(0, 1, 2, 1), (1, 0, 2, 0)] == [
        tuple(row) for row in np.array([*vars_of(some.spans(("x", "y")))]).T.tolist()
    ]
    assert ["e", "f"] == [some.texts.words[row] for row in (2, 3)]
    assert ("x",) == examples.only(np.array([0])).slots


def vars_of(spans: Spans) -> tuple[object, ...]:
    return spans.doc, spans.first, spans.last, spans.slot


def test_answers_come_back_in_the_unit_of_the_corpus_and_in_order() -> None:
    texts = Texts.of(Corpus.of({"text": "a bc d"}, {"text": "e f"}))
    columns = ([1, 0, 0], [0, 1, 0], [2, 3, 1], [0, 1, 1])
    spans = Spans(*(np.array(column) for column in columns))
    answers = texts.answers(("y", "x"), spans, np.array([0.5, 0.6, 0.7]), grounded=2)
    assert [("x", 0, 1, 0.7), ("x", 2, 6, 0.6)] == [
        (m.label, m.start, m.end, m.confidence) for m in answers[0].mentions
    ]
    assert [("y", 0, 3)] == [(m.label, m.start, m.end) for m in answers[1].mentions]
    assert {"grounded": 2} == answers.facts


def test_an_unknown_slot_is_named() -> None:
    with pytest.raises(UsageError, match="no slot is called 'whom'; did you mean who"):
        Examples.of(Corpus.of(MARKED)).spans(["whom"])


def test_layers_are_columns_and_are_checked() -> None:
    record = {"tokens": ["a", "b"], "layers": {"pos": ["DT", None]}}
    texts = Texts.of(Corpus.of(record, {"tokens": ["c"]}))
    assert ["DT", None, None] == [texts.layers["pos"][row] for row in range(3)]
    with pytest.raises(DataError, match="the layer 'pos' has 1 values, expected one for each"):
        Texts.of(Corpus.of(record | {"layers": {"pos": ["DT"]}}))


def test_documents_without_words_are_refused() -> None:
    with pytest.raises(DataError, match="document '1' has no text"):
        Texts.of(Corpus.of({"unit": "char"}))


def test_parts_joined_are_the_whole() -> None:
    layered = {**MARKED, "layers": {"pos": list("ABCDEFGH")}}
    plain = {"id": "d2", "text": "a  bc", "mentions": [{"start": 3, "end": 5, "label": "a"}]}
    whole = Examples.of(Corpus.of(layered, plain, {"id": "d3", "text": "", "mentions": []}))
    parts = [Examples.of(Corpus.of(each)) for each in (layered, plain)]
    again = Examples.joined([*parts, whole.only(np.array([2]))])
    for name in ("offsets", "start", "end", "opens_line"):
        assert getattr(whole.texts, name).tolist() == getattr(again.texts, name).tolist()
    assert whole.texts.layers.keys() == again.texts.layers.keys()
    one, other = whole.texts, again.texts
    for row in range(len(one.start)):
        assert (one.words[row], one.layers["pos"][row]) == (
            other.words[row],
            other.layers["pos"][row],
        )
    assert [d.mentions for d in whole.gold] == [d.mentions for d in again.gold]
    assert whole.moved.tolist() == again.moved.tolist()
    slots = ("a", "when", "who")
    columns = (np.array([*vars_of(each.spans(slots))]).tolist() for each in (whole, again))
    assert next(columns) == next(columns)

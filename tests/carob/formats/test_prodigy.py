"""Prodigy's tasks: accepted ones are documents, all others are counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

import carob
from carob import InputError, Mention, read
from carob.corpus.corpus import fact_remarks
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes, written

SPAN = {"start": 2, "end": 5, "label": "PER"}
TASK = {
    "text": "😀 Ann slept",
    "spans": [SPAN],
    "answer": "accept",
    "_input_hash": 7,
    "_task_hash": 8,
}
TOKENS = [
    {"text": "😀", "start": 0, "end": 1, "id": 0}, {"text": "Ann", "start": 2, "end": 5, "id": 1},
    {"text": "slept", "start": 6, "end": 11, "id": 2},
]  # fmt: skip


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_only_accepted_tasks_are_documents_and_the_others_are_counted() -> None:
    others = [TASK | {"answer": answer} for answer in ("reject", "ignore", "ignore")]
    (document,) = corpus = read(Source.of_bytes(lines(others[0], TASK, *others[1:]), "file.jsonl"))
    assert corpus.origin is not None and "prodigy" == corpus.origin.format
    assert ("7", (Mention("PER", 2, 5),)) == (document.id, document.mentions)
    assert {"rejected": 1, "skipped": 2} == corpus.facts
    assert [
        ("K236", "1 rejected record left out"), ("K236", "2 skipped records left out"),
    ] == fact_remarks(corpus)  # fmt: skip


def test_tasks_with_labels_of_whole_texts_are_counted() -> None:
    bare = {key: value for key, value in TASK.items() if key != "spans"}
    choice = bare | {"options": [{"id": "A", "text": "A"}], "accept": ["A"]}
    corpus = of_bytes(lines(bare | {"label": "SPORT"}, TASK, choice, bare), "prodigy", id="")
    assert [1, 0] == [len(document.mentions) for document in corpus]
    words = "2 tasks without spans left out, with a label of the whole text"
    assert [("K236", words)] == fact_remarks(corpus)


def test_a_file_of_rejected_tasks_alone_is_no_corpus() -> None:
    with pytest.raises(InputError, match=r"K002 .* all left out, .*; 1 rejected record left out$"):
        of_bytes(lines(TASK | {"answer": "reject"}), "prodigy")


def test_token_end_is_inclusive_and_must_be_the_same_place() -> None:
    span = {"token_start": 1, "token_end": 2, "label": "X"}
    task = TASK | {"tokens": TOKENS, "spans": [span]}
    (document,) = of_bytes(lines(task), "prodigy")
    assert (Mention("X", 2, 11),) == document.mentions
    assert ("😀", "Ann", "slept") == document.tokens
    wrong = task | {"spans": [span | {"start": 2, "end": 5}]}
    with pytest.raises(InputError, match=r"spans\[0\] of the tokens 1 to 2, which are at 2..11"):
        of_bytes(lines(wrong), "prodigy")
    with pytest.raises(InputError, match="some of the 3 tokens; token_end is inclusive"):
        of_bytes(lines(task | {"spans": [span | {"token_end": 3}]}), "prodigy")


@pytest.mark.parametrize(
    ("unit", "place"), [("utf16", (3, 6)), ("bytes", (5, 8)), ("inclusive", (2, 4))]
)
def test_another_unit_is_detected_by_the_quoted_words_and_never_converted_by_itself(
    unit: str, place: tuple[int, int]
) -> None:
    span = {"start": place[0], "end": place[1], "label": "PER", "text": "Ann"}
    data = lines(TASK | {"text": "😀 Ann slept in", "spans": [span]})
    with pytest.raises(InputError, match=f"K234 found 1 of 1 mention .*--read offsets={unit} "):
        of_bytes(data, "prodigy")
    corpus = of_bytes(data, "prodigy", offsets=unit)
    assert (Mention("PER", 2, 5),) == corpus[0].mentions
    assert {"quoted": 1} == corpus.facts
    as_it_is = of_bytes(data, "prodigy", offsets="char")
    assert (Mention("PER", *place),) == as_it_is[0].mentions
    assert {"quoted": 1, "misquoted": 1} == as_it_is.facts


def test_words_that_fit_nowhere_are_a_warning_with_the_rate() -> None:
    spans = [SPAN | {"text": "Ann"}, SPAN | {"label": "B", "text": "Bob"}]
    corpus = of_bytes(lines(TASK | {"spans": spans}), "prodigy")
    ((code, text),) = fact_remarks(corpus)
    words = "1 mention with other words in the text than the file quotes, of 2 that it quotes"
    assert ("K234", words) == (code, text)


def test_of_several_annotators_one_must_be_chosen() -> None:
    ann, bo = TASK | {"_session_id": "d-ann"}, TASK | {"_session_id": "d-bo", "spans": []}
    with pytest.raises(InputError, match="K235 found the text '7' annotated by 'd-ann' and 'd-bo'"):
        of_bytes(lines(ann, bo), "prodigy")
    corpus = of_bytes(lines(ann, bo), "prodigy", annotator="d-bo")
    assert ((), {"other_annotators": 1}) == (corpus[0].mentions, corpus.facts)


def test_relations_go_from_the_head_to_the_child() -> None:
    other = {"start": 6, "end": 11, "label": "ACT"}
    word = {"start": 0, "end": 1, "label": None}
    relations = [
        {"label": "does", "head_span": SPAN, "child_span": other, "head": 1, "child": 2},
        {"label": "does", "head_span": SPAN, "child_span": word, "head": 1, "child": 0},
    ]
    corpus = of_bytes(lines(TASK | {"spans": [SPAN, other], "relations": relations}), "prodigy")
    (relation,) = corpus[0].relations
    assert ("does", (("from", "s0"), ("to", "s1"))) == (relation.label, relation.members)
    assert {"unlabelled_relations": 1} == corpus.facts
    again = of_bytes(written(corpus, "prodigy"), "prodigy")
    assert list(corpus) == list(again)


def test_tokens_are_written_again() -> None:
    corpus = of_bytes(lines(TASK | {"tokens": TOKENS}), "prodigy")
    task = json.loads(written(corpus, "prodigy"))
    assert [{"start": 2, "end": 5, "token_start": 1, "token_end": 1, "label": "PER"}] == task[
        "spans"
    ]
    assert list(corpus) == list(of_bytes(lines(task), "prodigy"))


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"answer": "accept"}, "K232 found a task without a text"),
        (TASK | {"answer": "yes"}, "answer = 'yes', expected accept, reject or ignore"),
        (TASK | {"spans": None}, "spans = null, expected a list"),
        (TASK | {"spans": ["x"]}, r"spans\[0\] = 'x', expected an object"),
        (TASK | {"spans": [{"start": 2, "end": 5}]}, r"spans\[0\] without a label"),
        (TASK | {"tokens": [{"text": "x"}]}, r"tokens\[0\] = .*, expected an object with text, st"),
        (TASK | {"relations": [{"label": "x"}]}, r"relations\[0\].head_span = null"),
    ],
)
def test_what_is_wrong_is_named_as_the_file_has_it(task: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of_bytes(lines(task), "prodigy")


def test_tasks_without_a_text_are_not_taken_for_records() -> None:
    with pytest.raises(InputError, match="K232 found a task without a text"):
        read(Source.of_bytes(lines({"image": "cat.png", "_task_hash": 7, "answer": "accept"})))


def test_a_result_can_be_verified(tmp_path: Any) -> None:
    for name, answer in (("gold", "accept"), ("system", "accept")):
        (tmp_path / name).write_bytes(lines(TASK | {"answer": answer}))
    result = tmp_path / "result.json"
    scores = carob.score(tmp_path / "gold", tmp_path / "system", "exact.F1")
    result.write_text(json.dumps(scores.to_dict()))
    assert "offsets:char" in scores.scores[0].signature
    assert [] == carob.verify(result).differences


def test_two_people_with_one_text_are_noticed_without_any_id() -> None:
    task = {"text": "Ann", "spans": [], "_annotator_id": "db-ann"}
    data = b"".join(
        json.dumps(each).encode() + b"\n" for each in (task, task | {"_annotator_id": "db-bo"})
    )
    with pytest.raises(InputError, match=r"K235 found the text 'Ann' annotated by"):
        of_bytes(data, "prodigy")
    assert 1 == len(of_bytes(data, "prodigy", annotator="db-bo"))

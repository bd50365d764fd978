"""GLiNER: training data with inclusive ends, predictions with exclusive ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from carob import Corpus, InputError, Mention, UsageError, score
from tests.carob.formats._files import of_bytes, written

TOKENS = ["😀", "Ann", "Lee", "slept"]


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def problems(data: bytes, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        of_bytes(data, "gliner", **options)
    return [(each.code, each.found) for each in caught.value.problems]


def test_ends_are_inclusive_unless_the_user_says_otherwise() -> None:
    data = lines({"tokenized_text": TOKENS, "ner": [[1, 2, "person"]], "ner_negatives": ["x"]})
    assert (Mention("person", 1, 3),) == of_bytes(data, "gliner")[0].mentions
    assert (Mention("person", 1, 2),) == of_bytes(data, "gliner", ends="exclusive")[0].mentions
    with pytest.raises(UsageError, match="ends cannot be"):
        of_bytes(data, "gliner", ends="open")


def test_an_exclusive_end_at_the_end_of_a_text_is_noticed() -> None:
    data = lines({"tokenized_text": TOKENS, "ner": [[1, 4, "person"]]})
    with pytest.raises(InputError, match=r"ner\[0\] of the tokens 1 to 4.*ends=exclusive"):
        of_bytes(data, "gliner")
    assert (Mention("person", 1, 4),) == of_bytes(data, "gliner", ends="exclusive")[0].mentions


def test_numbers_are_ids_and_an_id_twice_is_an_error_with_both_places() -> None:
    one = {"tokenized_text": TOKENS, "ner": [], "id": 7}
    assert ["7"] == [each.id for each in of_bytes(lines(one), "gliner")]
    assert [("K233", "the id '7', also on line 1")] == problems(lines(one, one))


def test_relations_are_counted() -> None:
    data = lines({"tokenized_text": TOKENS, "ner": [], "relations": [{}, {}]})
    assert {"unread_relations": 2} == of_bytes(data, "gliner").facts


@pytest.mark.parametrize(("ner", "found"), [
    ("x", "ner = 'x'"), ([[0, 1]], "ner[0] = [0, 1]"), ([[0, "1", "A"]], "ner[0].end = '1'"),
    ([[0, 1, ""]], "ner[0].label = ''"), ([[2, 1, "A"]], "ner[0] of the tokens 2 to 1"),
    ([[-1, 1, "A"]], "ner[0] of the tokens -1 to 1"), ([[0, 1, 3]], "ner[0].label = 3"),
])  # fmt: skip
def test_what_is_wrong_is_named(ner: Any, found: str) -> None:
    assert [("K232", found)] == problems(lines({"tokenized_text": TOKENS, "ner": ner}))


def test_predictions_are_lists_in_the_order_of_the_texts() -> None:
    entity = {"start": 2, "end": 9, "text": "Ann Lee", "label": "person", "score": 0.5}
    for data in (lines([entity], []), lines([[entity], []])):
        corpus = of_bytes(data, "gliner")
        assert [(Mention("person", 2, 9, confidence=0.5),), ()] == [d.mentions for d in corpus]
    mentions = [{"start": 2, "end": 9, "label": "person"}]
    gold = Corpus.of(
        {"text": "😀 Ann Lee slept", "mentions": mentions}, {"text": "It rained", "mentions": []}
    )
    assert 1.0 == score(gold, corpus, "exact.F1", resamples=0).value


def test_training_data_are_written_and_read_again() -> None:
    corpus = Corpus.of("[Ann Lee]person met [Bo]person", "it rained")
    data = written(corpus, "gliner")
    assert data.startswith(b'{"tokenized_text": ["Ann", "Lee", "met", "Bo"], "ner": [[0, 1, "pers')
    again = of_bytes(data, "gliner")
    assert [d.mentions for d in corpus] == [d.mentions for d in again]
    assert [d.tokens for d in corpus] == [d.tokens for d in again]
    with pytest.raises(UsageError, match="cannot hold texts"):
        written(Corpus.of({"text": "Ann", "mentions": []}), "gliner")


def test_what_is_no_record_is_told_in_english() -> None:
    with pytest.raises(
        InputError, match="each value is an object with tokenized_text, or a list of"
    ):
        of_bytes(b'[{"tokenized_text": ["Ann"], "ner": []}, 3]', "gliner")

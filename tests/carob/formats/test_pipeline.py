"""The output of the token classification pipeline: lists of entities, whole or in pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from carob import InputError, Mention, read
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes

ANN = {"entity_group": "PER", "score": 0.5, "word": "Ann", "start": 0, "end": 3}


def pieces(*tags: str, index: bool = True) -> list[dict[str, Any]]:
    """A piece of two characters for each tag, at once after the other; "" leaves a gap."""
    return [
        {"entity": tag, "score": 0.5, "start": 2 * at, "end": 2 * at + 2, "word": "##x"}
        | ({"index": at + 1} if index else {})
        for at, tag in enumerate(tags) if tag
    ]  # fmt: skip


def mentions(value: Any) -> list[tuple[str, int, int]]:
    (document,) = of_bytes(json.dumps(value).encode(), "pipeline")
    return [(each.label, each.start, each.end) for each in document.mentions]


@pytest.mark.parametrize(("data", "documents"), [
    (json.dumps([ANN]), 1), (json.dumps([[ANN], []]), 2), ("[]\n" + json.dumps([ANN]), 2),
    (json.dumps([ANN], indent=2), 1), (json.dumps([[], [ANN]], indent=2), 2),
    (json.dumps({"text": "Ann", "entities": [ANN]}), 1),
    (json.dumps([{"text": "Ann", "entities": [ANN]}]), 1),
    (json.dumps({"text": "Ann", "entities": [
        {"entity": "PER", "score": 0.5, "word": "Ann", "start": 0, "end": 3}]}), 1),
])  # fmt: skip
def test_all_layouts_are_recognised(data: str, documents: int) -> None:
    corpus = read(Source.of_bytes(data.encode(), "file.json"))
    assert corpus.origin is not None and "pipeline" == corpus.origin.format
    assert documents == len(corpus)
    assert [Mention("PER", 0, 3, confidence=0.5)] == [m for d in corpus for m in d.mentions]


@pytest.mark.parametrize("index", [True, False])
def test_pieces_are_joined_as_by_the_strategy_simple(index: bool) -> None:
    def joined(*tags: str) -> list[tuple[str, int, int]]:
        return mentions(pieces(*tags, index=index))

    assert [("A", 0, 4)] == joined("B-A", "I-A")
    assert [("A", 0, 2), ("A", 2, 4)] == joined("B-A", "B-A")
    assert [("A", 0, 2), ("B", 2, 4)] == joined("B-A", "I-B")
    assert [("A", 0, 2), ("A", 4, 6)] == joined("B-A", "", "I-A")
    assert [("LABEL_1", 0, 4)] == joined("LABEL_1", "LABEL_1")
    assert [("B-A", 0, 3)] == mentions([ANN | {"entity_group": "B-A"}])


def test_pieces_of_iobes_and_bilou_are_decoded() -> None:
    def joined(*tags: str) -> list[tuple[str, int, int]]:
        return mentions(pieces(*tags, index=True))

    assert [("A", 0, 4), ("A", 4, 6)] == joined("B-A", "E-A", "S-A")
    assert [("A", 0, 6), ("A", 6, 8)] == joined("B-A", "I-A", "L-A", "U-A")
    assert [("A", 0, 4), ("A", 4, 6)] == joined("B-A", "E-A", "I-A")
    assert [("E-mail", 0, 4), ("PER", 4, 6)] == joined("E-mail", "E-mail", "PER")
    assert [("E-mail", 0, 2)] == joined("E-mail")


def test_outside_is_no_entity() -> None:
    outside = ANN | {"entity_group": "O", "start": 4, "end": 9}
    assert [("PER", 0, 3)] == mentions([ANN, outside])
    assert [("A", 0, 2), ("A", 4, 6)] == mentions(pieces("B-A", "O", "I-A", index=False))


def test_parts_of_mentions_that_the_pipeline_did_not_join_are_refused() -> None:
    parts = [ANN, ANN | {"entity_group": "E-PER", "start": 3, "end": 5}]
    with pytest.raises(InputError) as caught:
        mentions(parts)
    assert (
        ":1: K232 found [1].entity_group = 'E-PER', which is a part of a mention, expected whole "
        "mentions, or pieces: aggregation_strategy none, as simple knows B- and I- only"
    ) in str(caught.value)
    assert [("E-mail", 0, 3)] == mentions([ANN | {"entity_group": "E-mail"}])


def test_the_confidence_of_joined_pieces_is_their_mean() -> None:
    first, second = pieces("B-A", "I-A")
    (document,) = of_bytes(json.dumps([first, second | {"score": 1}]).encode(), "pipeline")
    assert 0.75 == document.mentions[0].confidence


def test_decoded_words_are_compared_without_case_and_marks_of_pieces() -> None:
    text = "😀 Ann Lee slept"
    entity = {"entity_group": "PER", "word": "ann le ##e", "start": 2, "end": 9}
    corpus = of_bytes(json.dumps({"text": text, "entities": [entity]}).encode(), "pipeline")
    assert {"quoted": 1} == corpus.facts
    moved = json.dumps({"text": text, "entities": [entity | {"start": 3, "end": 10}]}).encode()
    with pytest.raises(InputError, match=r"K234 .*--read offsets=utf16"):
        of_bytes(moved, "pipeline")
    assert list(corpus) == list(of_bytes(moved, "pipeline", offsets="utf16"))


def test_without_texts_plain_words_show_inclusive_ends_and_rebuilt_words_do_not() -> None:
    plain, rebuilt = ANN | {"word": "Ann", "end": 2}, ANN | {"word": "Inc .", "end": 4}
    with pytest.raises(InputError) as caught:
        of_bytes(json.dumps([plain, plain]).encode(), "pipeline")
    assert (
        ":1: K234 found 2 of 2 mentions longer or shorter than the words that the file quotes "
        "([0] has 'Ann' at 0..2), expected offsets that count characters, with exclusive ends; "
        "2 of 2 fit if offsets count characters and ends are inclusive: --read offsets=inclusive "
        "(or offsets=char to take them as they are)"
    ) in str(caught.value)
    for word in ("Inc .", "\u0120Inc.", "##Inc", "\u2581Inc"):
        corpus = of_bytes(json.dumps([rebuilt | {"word": word}]).encode(), "pipeline")
        assert "measured" not in corpus.facts


@pytest.mark.parametrize(("value", "message"), [
    ([ANN | {"start": None}], r"K232 found \[0\] without a place"),
    ([ANN | {"entity_group": 3}], r"\[0\].entity_group = 3, expected a label"),
    ([ANN | {"score": "high"}], r"\[0\].score = 'high', expected a number"),
    ([[ANN], [7]], "K231 found '.*', expected a list in which each value is a list of"),
    ({"text": "A", "entities": [ANN]}, r"found entities\[0\] at 0..3, expected a place"),
    ({"text": "A", "entities": {}}, "entities = {}, expected a list"),
])  # fmt: skip
def test_what_is_wrong_is_named_as_the_file_has_it(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of_bytes(json.dumps(value).encode(), "pipeline")
    with pytest.raises(InputError, match="offsets without a text"):
        of_bytes(json.dumps([ANN]).encode(), "pipeline", offsets="utf16")

"""Mentions that are found in the bytes of JSON are those that a decoder finds."""

from __future__ import annotations

import json
import random
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

from carob.arrays.literals import padded
from carob.formats import _mention_lists
from carob.formats._mention_lists import MentionLists, mention_lists
from tests.carob.formats import _spelling
from tests.carob.formats.test_token_lists import is_json
from tests.worlds import examples

LABELS = ("PER", "LOC", "start", "label", "a:b", '"', "\\", "é", "longer than eight bytes")


def rows(found: MentionLists) -> list[Any]:
    """Everything that was found."""
    labels = [found.labels[row] for row in range(len(found.starts))]
    ids, confidences = (
        [] if set(each) <= {None} else each for each in (found.ids, found.confidences)
    )
    columns = [found.sizes.tolist(), found.starts.tolist(), found.ends.tolist()]
    return [*columns, labels, found.labels.values, ids, confidences, found.keys, found.colons]


@examples(5)
@given(_spelling.mention_lists)
def test_mentions_are_what_a_decoder_finds(lists: list[bytes]) -> None:
    assume(all(map(is_json, lists)))
    found = mention_lists(lists)
    try:
        expected = _mention_lists._decoded(lists)
    except ValueError:
        expected = None
    assert (expected is None) == (found is None)
    if expected is not None and found is not None:
        assert rows(expected) == rows(found)


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")])
@pytest.mark.parametrize("order", list(permutations(("start", "end", "label"))))
def test_mentions_that_are_written_as_usual_are_not_decoded(
    order: tuple[str, ...], separators: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(2)
    lists = []
    for _ in range(100):
        mentions = []
        for _ in range(rng.randrange(4)):
            start = rng.choice((0, 9, 10, 99999999))
            values = {"start": start, "end": start + 1, "label": rng.choice(LABELS)}
            mentions.append({key: values[key] for key in order})
        lists.append(json.dumps(mentions, ensure_ascii=False, separators=separators).encode())
    expected = _mention_lists._decoded(lists)
    monkeypatch.setattr(_mention_lists, "_decoded", lambda lists: pytest.fail("decoded"))
    found = mention_lists(lists)
    assert expected is not None and found is not None
    assert rows(expected) == rows(found)


USUAL = b'[{"start": 0, "end": 1, "label": "A"}]'


@pytest.mark.parametrize(
    "other",
    [
        USUAL.replace(b"0", b"-0"), USUAL.replace(b"1", b"1234567890"), USUAL.replace(b"[", b"[ "),
        USUAL.replace(b", ", b",  "), USUAL.replace(b": ", b":\t"), USUAL.replace(b"1,", b"1 ,"),
        USUAL.replace(b"}", b', "id": "T1"}'), USUAL.replace(b"start", b"st\\u0061rt"),
    ],
)  # fmt: skip
def test_mentions_that_are_written_in_another_way_are_decoded(other: bytes) -> None:
    for lists in ([other], [USUAL, other], [other, b"[]", USUAL]):
        bounds = np.cumsum([0, *map(len, lists)])
        assert _mention_lists._as_written(padded(*lists), bounds) is None
        assert mention_lists(lists) is not None


@pytest.mark.parametrize(
    "other",
    [
        USUAL[1:-1], b"[" + USUAL + b"]", b"null", b"{}", b'["start", "end", "label", "A"]',
        USUAL.replace(b"0", b"0.5"), USUAL.replace(b"0", b"-1"), USUAL.replace(b"0", b'"0"'),
        USUAL.replace(b"1", b"2147483648"), USUAL.replace(b'"A"', b'""'),
        USUAL.replace(b'"A"', b'["A"]'), USUAL.replace(b'"A"', b"null"),
        USUAL.replace(b'"A"', b'"\xff"'), USUAL.replace(b"start", b"end"),
        USUAL.replace(b'"end"', b'"start": 0, "end"'), USUAL.replace(b"start", b"begin"),
        USUAL.replace(b"}", b', "confidence": null}'), USUAL.replace(b"}]", b"}, 1]"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_plain_mentions_is_refused(other: bytes) -> None:
    for lists in ([other], [USUAL, other], [other, b"[]", USUAL]):
        assert mention_lists(lists) is None

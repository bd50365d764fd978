"""The compiled pass over lists of tags changes nothing but time."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import pytest

from carob import CarobError, score
from carob.arrays import scan
from carob.arrays.tags import plain_tagged, tag_numbers, tagged
from tests.worlds import times

needs_compiler = pytest.mark.skipif(
    scan.compiled_tags is None, reason="installed without a compiler"
)


class Text(str):
    __slots__ = ()


def random_lists(rng: random.Random) -> list[Any]:
    kinds = rng.choice([1, 3, 9, 255, 256, 257, 400])
    tags: list[Any] = [f"B-{k}" for k in range(kinds)]
    if rng.random() < 0.3:
        tags += rng.choice([[None], [1.5], [Text("O")], [np.str_("O")], [""], ["B-ä\udc80"]])
    # Each tag is a text of its own half of the time: equal, and not the same object.
    fresh = rng.random() < 0.5
    lists: list[Any] = [
        ["".join(list(tag)) if fresh and type(tag) is str else tag
         for tag in rng.choices(tags, k=rng.choice([0, 1, 5, 700]))]
        for _ in range(rng.choice([0, 1, 4]))
    ]  # fmt: skip
    if lists and rng.random() < 0.2:
        lists[-1] = tuple(lists[-1])
    return lists


@needs_compiler
def test_lists_are_the_same_columns_with_the_compiled_pass_and_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng, taken = random.Random(0), 0
    for _ in range(times(15)):
        lists, known, theirs = random_lists(rng), tag_numbers(), tag_numbers()
        assert known["O"] == theirs["O"] == 0  # known from before, as in a reader of two sides
        outside = rng.choice([0, 1, 2])
        taken += plain_tagged(lists, tag_numbers(), outside) is not None
        fast = tagged(lists, known, outside)
        with monkeypatch.context() as patch:
            patch.setattr(scan, "compiled_tags", None)
            slow = tagged(lists, theirs, outside)
        assert list(known.items()) == list(theirs.items())
        for one, other in zip(fast, slow, strict=True):
            assert one.tolist() == other.tolist()
    assert times(5) < taken < times(14)


@needs_compiler
def test_what_is_no_list_of_lists_of_tags_is_left_to_python() -> None:
    plain: Any = plain_tagged
    for lists in ((["O"],), [("O",)], [["O"], "O"], [[["O"]]], [[b"O"]], [{"O": 1}], [["O", []]]):
        assert plain(lists, tag_numbers(), 0) is None
    assert plain([["O"]], {}, 0) is None  # a dict that does not number its keys
    compiled: Any = scan.compiled_tags
    assert compiled([["O"]], tag_numbers(), 0, np.empty(2, np.int32)) is None
    assert compiled([["O"]], [], 0, np.empty(1, np.int32)) is None
    assert compiled([["O"]], {"O": -1}, 0, np.empty(1, np.int32)) is None
    assert compiled([["O"]], {"O": 1 << 70}, 0, np.empty(1, np.int32)) is None
    assert compiled([["O"]], {"O": "1"}, 0, np.empty(1, np.int32)) is None
    with pytest.raises(TypeError):
        compiled([["O"]])


@needs_compiler
def test_no_reference_is_lost_or_kept() -> None:
    tag, numbers = "".join(["B-", "PERSON"]), tag_numbers()
    lists = [[tag, "O", tag]]
    _ = plain_tagged(lists, numbers, 0)
    before = sys.getrefcount(tag), sys.getrefcount(lists), sys.getrefcount(numbers)
    for _ in range(100):
        assert plain_tagged(lists, numbers, 0) is not None
        assert plain_tagged([[tag, None]], numbers, 0) is None  # type: ignore[list-item]
    assert before == (sys.getrefcount(tag), sys.getrefcount(lists), sys.getrefcount(numbers))


@pytest.mark.parametrize(
    "gold",
    [
        [["B-PER", "O"], []],
        [[], []],
        [["B-PER"], ("O",)],
        [["B-PER"], {"text": "Ann"}],
        [["B-PER"], None],
        [["B-PER", None]],
        [["B-PER", 7], [["O"]]],
        [[("PER", 0, 1)], []],
        [[], [("PER", 0, 1)]],
        [["PER", "LOC"], ["B-PER", "O"]],
        np.array([["B-PER", "O"]]),
    ],
)
def test_scores_and_errors_are_the_same_without_the_compiled_pass(
    gold: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def outcome() -> Any:
        try:
            found = score(gold, {"a": gold}, "exact.F1", resamples=0)["exact.F1"]
        except (CarobError, TypeError) as error:
            return type(error), str(error)
        return found.value, found.signature

    fast = outcome()
    monkeypatch.setattr(scan, "compiled_tags", None)
    assert outcome() == fast

"""Values of the system that are written as gold's are not looked at again: this saves time, and
must not change what is equal.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from carob import Corpus, score
from carob.pair import records
from carob.pair.pair import Pair
from tests.worlds import times

RECIPES = ["fields.PRF", "record.exact"]


def random_answers(rng: random.Random, size: int) -> list[dict[str, Any]]:
    """Documents with records of one shape: a text, a number, a list of texts, an object; sometimes
    without some of it.
    """

    def fields() -> dict[str, Any]:
        return {"a": [rng.choice(["Ann", "Bo", "ann  "])], "n": [rng.choice([1, 2, "1.0"])]}

    def slots() -> dict[str, Any]:
        several = [rng.choice("xyz") for _ in range(rng.randint(2, 3))]
        whole = {**fields(), "l": several, "o": [{"slots": fields()}]}
        return {slot: fillers for slot, fillers in whole.items() if rng.random() < 0.9}

    return [{"id": str(i), "templates": [{"slots": slots()}]} for i in range(size)]


@pytest.mark.parametrize("sides", ["in order", "in another order"])
def test_scores_do_not_depend_on_rows_that_are_shared(
    sides: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(sides)
    shared = records._share_rows
    for _ in range(times(2)):
        size = rng.randint(1, 6)
        gold, answers = Corpus.of(*random_answers(rng, size)), random_answers(rng, size)
        if sides == "in another order":
            rng.shuffle(answers)
        system = Corpus.of(*answers)
        monkeypatch.setattr(records, "_share_rows", lambda *columns: None)
        alone = score(gold, system, RECIPES, resamples=0).to_dict()
        monkeypatch.setattr(records, "_share_rows", shared)
        assert alone == score(gold, system, RECIPES, resamples=0).to_dict()


def test_a_value_of_gold_and_system_is_one_row_where_both_are_written_alike() -> None:
    gold = {"templates": [{"slots": {"a": ["x", "y"], "n": [1]}}]}
    system = {"templates": [{"slots": {"n": ["1"], "a": ["y", "y", "x"]}}]}

    pair = Pair.of(Corpus.of(gold), Corpus.of(system)).records
    assert [0, 1, 0] == pair.gold.leaves.code.tolist()
    assert [2, 1, 3, 1] == pair.system.leaves.code.tolist()

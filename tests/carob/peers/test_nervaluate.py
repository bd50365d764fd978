"""The same tags through nervaluate.

docs/peers.md says the same:
- Overall, strict, exact and partial have the same counts as the modes of `semeval`; strict has the
  same scores by label.
- ent_type takes answers in their order. One with a wrong label takes a gold mention that a later
  answer has right; `mode=type` pairs so that most are right.
- By label, exact and partial compare only mentions of that label.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, read, score
from carob.counts.tally import Tally
from carob.match.semeval import Semeval
from carob.pair.pair import Pair

nervaluate = pytest.importorskip("nervaluate")

Tags = list[list[str]]
MODES = ("strict", "exact", "partial")
OUTCOMES = {
    "COR": "correct", "INC": "incorrect", "PAR": "partial", "MIS": "missed", "SPU": "spurious",
}  # fmt: skip


def tags(rng: random.Random, size: int) -> list[str]:
    """Legal tags of IOB2."""
    made: list[str] = []
    for _ in range(size):
        label = rng.choice("XY")
        inside = made and made[-1][1:] == f"-{label}" and rng.random() < 0.5
        made.append("O" if rng.random() < 0.4 else f"{'I' if inside else 'B'}-{label}")
    return made


def theirs(gold: Tags, system: Tags) -> Any:
    labels = sorted({tag[2:] for side in (gold, system) for each in side for tag in each} - {""})
    return nervaluate.Evaluator(gold, system, tags=labels, loader="list").evaluate()


def counts(result: Any) -> dict[str, int]:
    return {ours: getattr(result, name) for ours, name in OUTCOMES.items()}


def ours(gold: Corpus, system: Corpus, mode: str) -> dict[str, float]:
    space = Semeval(mode=mode)  # type: ignore[arg-type]
    counted = Tally.of(space, Pair.of(gold, system)).counted()
    return {name: counted.get(name, 0) for name in OUTCOMES}


def test_strict_exact_and_partial_have_the_same_counts() -> None:
    rng = random.Random(0)
    for _ in range(100):
        size = rng.randint(1, 8)
        gold, system = [tags(rng, size)], [tags(rng, size)]
        left, right = (Corpus.from_tags(side, scheme="iob2") for side in (gold, system))
        found = theirs(gold, system)["overall"]
        for mode in MODES:
            assert counts(found[mode]) == ours(left, right, mode), (gold, system)
        assert ours(left, right, "type")["COR"] >= found["ent_type"].correct


def test_ent_type_takes_answers_in_their_order() -> None:
    gold, system = [["B-X", "I-X"]], [["B-Y", "B-X"]]
    left, right = Corpus.from_tags(gold), Corpus.from_tags(system)
    nothing = dict.fromkeys(OUTCOMES, 0)
    found = theirs(gold, system)["overall"]["ent_type"]
    assert nothing | {"INC": 1, "SPU": 1} == counts(found)
    assert nothing | {"COR": 1, "SPU": 1} == ours(left, right, "type")


def test_strict_has_the_same_scores_by_label() -> None:
    rng = random.Random(1)
    for _ in range(100):
        gold, system = [tags(rng, 8)], [tags(rng, 8)]
        left, right = (Corpus.from_tags(side, scheme="iob2") for side in (gold, system))
        rows = score(left, right, "semeval.F1", resamples=0)["semeval.F1"].by_label
        for label, found in theirs(gold, system)["entities"].items():
            mine = rows[label].value if label in rows else None
            assert found["strict"].f1 == pytest.approx(mine or 0.0), (gold, system)


@pytest.mark.parametrize("mode", ["exact", "partial"])
def test_by_label_exact_and_partial_do_not_add_up(mode: str) -> None:
    gold, system = [["B-X", "O"]], [["B-Y", "O"]]
    found = theirs(gold, system)
    assert 1 == found["overall"][mode].correct
    assert [0, 0] == [found["entities"][label][mode].correct for label in "XY"]
    rows = score(Corpus.from_tags(gold), Corpus.from_tags(system), f"semeval(mode={mode}).R")
    assert 1.0 == rows[f"semeval(mode={mode}).R"].by_label["X"].value


def test_the_end_of_a_span_is_its_last_token() -> None:
    """If it were the token after, the answer would overlap the mention beside it."""
    sides = [[[{"label": "X", "start": start, "end": start + more}]]
             for start, more in ((0, 1), (1, 1))]  # fmt: skip
    found = nervaluate.Evaluator(*sides, tags=["X"], loader="dict").evaluate()["overall"]
    assert 1 == found["strict"].incorrect
    left, right = Corpus.from_tags([["B-X", "O"]]), Corpus.from_tags([["O", "B-X"]])
    assert 0 == ours(left, right, "strict")["INC"]


@pytest.mark.parametrize("name", ["arcada", "uh_ritual"])
def test_real_submissions_have_the_same_counts(data: Path, name: str) -> None:
    folder = data / "wnut17"
    left, right = read(folder / "gold.conll"), read(folder / "systems" / f"{name}.conll")
    sides = [[_tags(document) for document in corpus] for corpus in (left, right)]
    found = theirs(*sides)["overall"]
    for mode in MODES:
        assert counts(found[mode]) == ours(left, right, mode)


def _tags(document: Any) -> list[str]:
    made = ["O"] * len(document.tokens)
    for mention in document.mentions:
        rest = [f"I-{mention.label}"] * (mention.end - mention.start - 1)
        made[mention.start : mention.end] = [f"B-{mention.label}", *rest]
    return made

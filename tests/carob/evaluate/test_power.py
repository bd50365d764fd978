"""Power must answer with a size that shows the difference, or say why there is none."""

from __future__ import annotations

import json

import numpy as np
import pytest

from carob import Corpus, Document, Mention, Power, UsageError, compare, power, score
from carob.evaluate.power import _approximate, _searched
from carob.result.power import Point


def world(size: int = 40, seed: int = 0, gain: float = 0.15) -> tuple[Corpus, dict[str, Corpus]]:
    rng = np.random.default_rng(seed)
    names = [f"d{i:03}" for i in range(size)]
    gold = [Mention("AB"[k % 2], 2 * k, 2 * k + 1) for k in range(12)]

    def drawn(share: float) -> Corpus:
        return Corpus.of(*(
            Document(name, tokens=("x",) * 24,
                     mentions=tuple(m for m in gold if rng.random() < share))
            for name in names
        ))  # fmt: skip

    full = Corpus.of(*(Document(n, tokens=("x",) * 24, mentions=tuple(gold)) for n in names))
    return full, {"a": drawn(0.6), "b": drawn(0.6 + gain)}


QUICK = {"simulations": 300, "trials": 199}


def found(**more: object) -> Power:
    gold, systems = world()
    return power(gold, systems, "exact.R", **{**QUICK, **more})  # type: ignore[arg-type]


def test_the_answer_is_the_smallest_size_that_was_tried_and_shows_it() -> None:
    each = found(difference=0.05)
    assert each.simulated and each.documents is not None
    for point in each:
        assert (point.power >= 0.8) == (point.documents >= each.documents)
    assert abs(each.at(each.documents).power - 0.8) < 0.08
    assert each.approximate is not None
    assert each.documents == pytest.approx(each.approximate, rel=0.3)
    assert each.points == tuple(sorted(each.points, key=lambda p: p.documents))


def test_values_are_those_of_score() -> None:
    gold, systems = world()
    each = found()
    scores = score(gold, systems, "exact.R", resamples=0)
    assert each.values == (scores["a", "exact.R"].value, scores["b", "exact.R"].value)
    assert each.difference == pytest.approx(abs(each.observed))
    assert each.share == pytest.approx(0.0)


def test_smaller_differences_and_more_power_need_more_documents() -> None:
    sizes = [found(difference=x).documents or 0 for x in (0.1, 0.05, 0.03)]
    assert sizes[0] < sizes[1] < sizes[2]
    goals = [found(difference=0.05, power=goal).documents or 0 for goal in (0.5, 0.95)]
    assert goals[0] < goals[1]
    levels = [found(difference=0.05, alpha=level).documents or 0 for level in (0.1, 0.02)]
    assert levels[0] < levels[1]


def test_the_same_seed_gives_the_same_text_and_the_order_of_systems_none_other() -> None:
    gold, systems = world()
    one, two = found(difference=0.05), found(difference=0.05)
    assert str(one) == str(two)
    assert found(difference=0.05, seed=1).points != one.points
    turned = power(gold, {"b": systems["b"], "a": systems["a"]}, "exact.R", difference=0.05,
                   simulations=300, trials=199)  # fmt: skip
    assert turned.documents == pytest.approx(one.documents, rel=0.2)


def test_the_order_of_documents_changes_nothing() -> None:
    gold, systems = world()
    order = np.random.default_rng(0).permutation(len(gold)).tolist()
    mixed = {n: Corpus.of(*(s[i] for i in order)) for n, s in (systems | {"gold": gold}).items()}
    other = power(mixed.pop("gold"), mixed, "exact.R", difference=0.05, simulations=300, trials=199)
    assert found(difference=0.05).points == other.points


def test_no_difference_has_no_answer() -> None:
    each = found(difference=0.0, simulations=1000)
    assert each.documents is None
    assert [40, 80, 160] == [point.documents for point in each]
    assert all(point.power < 0.08 for point in each)
    assert each.answer.startswith(
        "No number of documents shows a difference of 0.0 exact.R between a and b more often than "
        "chance does; the 40 of the pilot show it in "
    )


def test_what_is_too_large_to_simulate_is_approximated_and_said() -> None:
    each = found(difference=0.0005)
    assert (each.simulated, each.documents) == (False, each.approximate)
    assert "by the normal approximation: that is too many to simulate" in each.answer
    assert [40] == [point.documents for point in each]


def test_json_says_the_same() -> None:
    each = found(difference=0.05)
    stored = json.loads(each.to_json())
    assert stored["answer"] == each.answer
    assert stored["documents"] == each.documents
    assert len(each) == len(stored["points"])
    assert stored["points"][0].keys() == {"documents", "power", "error", "simulations"}
    assert "|power:0.8,alpha=0.05,difference=0.05,simulations=300,randomization,199,seed=0|" in (
        each.signature
    )


def test_frames_have_a_row_for_each_size() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    each = found()
    assert (len(each), len(each)) == (len(each.to_pandas()), len(each.to_polars()))


def test_progress_is_told_of_every_size() -> None:
    told: list[Point] = []
    each = found(difference=0.05, progress=told.append)
    assert sorted(told, key=lambda p: p.documents) == list(each.points)


def test_errors_per_slot_have_power_too() -> None:
    gold, systems = world()
    each = power(gold, systems, "slots.SER@macro", simulations=200, trials=199)
    assert each.documents is not None and each.documents < 40
    verdict = compare(gold, systems, "slots.SER@macro").differences[0]
    assert abs(each.observed) == pytest.approx(abs(verdict.difference or 0))


def test_a_small_pilot_is_not_to_be_trusted() -> None:
    gold, systems = world(8)
    each = power(gold, systems, "exact.R", simulations=200, trials=199)
    assert each.remarks == ("only 8 documents: a pilot of fewer than 20 is not reliable",)


def test_the_search_finds_the_size_of_a_known_curve() -> None:
    """Power n / (n + 50): eighty percent at 200."""

    def simulated(size: int) -> Point:
        return Point(size, round(1e6 * size / (size + 50)), 1_000_000)

    for guess in (2, 20, 150, 200, 900, 5000):
        points = _searched(simulated, guess, 0.8, 5000)
        enough = [n for n in sorted(points) if points[n].power >= 0.8]
        assert 200 <= enough[0] <= 216
        assert len(points) < 20


def test_the_approximation_is_the_usual_formula_where_differences_are_small() -> None:
    assert _approximate(0.01, 0.01, 0.2, 0.8, 0.05) == pytest.approx((2.8016 * 20) ** 2, rel=0.01)
    assert _approximate(0.0, 0.01, 0.2, 0.8, 0.05) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"power": 1.0}, "power is between 0 and 1, not 1.0"),
        ({"alpha": 0.0}, "alpha is between 0 and 1, not 0.0"),
        ({"power": 0.04}, "power is more than alpha (0.05), not 0.04"),
        ({"difference": -0.1}, "the difference is 0 or more, not -0.1"),
        ({"simulations": 5}, "simulations is from 100 to 1,000,000, not 5"),
        ({"trials": 5}, "trials is from 99 to 1,000,000, not 5"),
        ({"alpha": 0.001}, "no p of 199 trials is as small as 0.001: give more trials"),
    ],
)
def test_wrong_calls_are_refused_in_words(call: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        found(**call)
    assert message == str(caught.value)


def test_more_than_the_pilot_shows_is_refused_with_an_approximation() -> None:
    with pytest.raises(UsageError) as caught:
        found(difference=0.5)
    said = str(caught.value)
    assert said.startswith("a and b differ by 0.1")
    assert (
        "exact.R in the pilot, and exchanging them cannot increase that: a difference of 0.5 "
        "cannot be simulated; by the normal approximation about "
    ) in said


def test_pilots_that_say_nothing_are_refused() -> None:
    gold, systems = world()
    same = {"a": systems["a"], "b": systems["a"]}
    one = {"a": Corpus.of("[x]A y"), "b": Corpus.of("x y")}
    level = {"a": Corpus.of("[x]A y", "x y"), "b": Corpus.of("x y", "[x]A y")}
    cases = [
        (gold, same, "a and b have the same counts in every document: no number of "
         "them would show a difference"),
        (Corpus.of("[x]A y"), one, "a pilot of 1 document is too small: give at least two"),
        (Corpus.of("[x]A y", "[x]A y"), level, "a and b have the same exact.R: there is no "
         "difference to detect"),
        (Corpus.of("x y", "x y"), level | {"a": Corpus.of("x y", "x y")}, "a or b has no exact.R: "
         "there is no difference to detect"),
        (gold, systems | {"c": gold}, "power is computed for one pair: give two systems, not 3"),
    ]  # fmt: skip
    for reference, answers, message in cases:
        with pytest.raises(UsageError) as caught:
            power(reference, answers, "exact.R")
        assert message == str(caught.value)
    with pytest.raises(UsageError, match=r"exact\.fp is a count, which grows with the documents"):
        power(gold, systems, "exact.fp")


def test_a_difference_that_is_too_small_for_numbers_is_refused() -> None:
    gold = Corpus.of(*["[Ann]PER slept"] * 10)
    other = Corpus.of(*["[Ann]PER slept", "Ann slept"] * 5)
    with pytest.raises(UsageError, match="0 or at least 1e-09, not 1e-300"):
        power(gold, {"a": other, "b": gold}, "exact.R", difference=1e-300)
    result = power(gold, {"a": other, "b": gold}, "exact.R", difference=1e-9, simulations=100)
    assert result.documents is not None
    assert result.documents > 1e15

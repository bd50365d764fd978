"""Comparisons: the known values through the front door, and laws that must hold for every p."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from carob import Comparison, Corpus, Document, Mention, UsageError, compare, score
from carob.evaluate.compare import trials_for
from carob.result.comparison import Difference
from carob.result.gate import Gate, not_worse


def corpus(rows: Sequence[tuple[int, int]], label: str = "A", names: Sequence[str] = ()) -> Corpus:
    """A document for each (right, wrong): mentions at even places are right, at odd ones wrong."""
    documents = []
    for i, (right, wrong) in enumerate(rows):
        mentions = [Mention(label, 2 * k, 2 * k + 1) for k in range(right)]
        mentions += [Mention(label, 2 * k + 1, 2 * k + 2) for k in range(wrong)]
        name = names[i] if names else f"d{i:03}"
        documents.append(Document(name, tokens=("x",) * 40, mentions=tuple(mentions)))
    return Corpus.of(*documents)


def one(found: Comparison) -> Difference:
    assert len(found) == 1
    return found.differences[0]


def precision(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]]) -> Difference:
    gold = corpus([(12, 0)] * len(a))
    return one(compare(gold, {"A": corpus(a), "B": corpus(b)}, "exact.P"))


@pytest.mark.parametrize("size", [2, 8, 35])
def test_one_differing_document_proves_nothing(size: int) -> None:
    same = [(3, 1)] * (size - 1)
    found = precision([(3, 1), *same], [(3, 0), *same])
    assert (found.p, found.smallest_p, found.differing) == (1.0, 1.0, 1)


@pytest.mark.parametrize("size", [5, 8, 35])
def test_the_same_system_twice(size: int) -> None:
    found = precision([(3, 1)] * size, [(3, 1)] * size)
    assert (found.p, found.difference, found.low, found.high) == (1.0, 0.0, 0.0, 0.0)
    assert found.ahead is None


@pytest.mark.parametrize(("size", "p"), [(4, 0.125), (5, 0.0625), (6, 0.03125), (10, 0.001953125)])
def test_all_documents_in_one_direction(size: int, p: float) -> None:
    found = precision([(2, 2)] * size, [(2, 1)] * size)
    assert (p, p, True) == (found.p, found.smallest_p, found.exact)
    assert (p <= 0.05) == found.significant
    assert found.ahead == "B"


def world(size: int, seed: int) -> tuple[Corpus, dict[str, Corpus]]:
    rng = np.random.default_rng(seed)
    names = [f"d{i:03}" for i in range(size)]

    def drawn(share: float) -> Corpus:
        documents = []
        for i, name in enumerate(names):
            keep = [m for m in gold_mentions[i] if rng.random() < share]
            keep += [Mention("AB"[s % 2], s, s + 2) for s in range(0, 8) if rng.random() < 0.1]
            documents.append(Document(name, tokens=("x",) * 10, mentions=tuple(keep)))
        return Corpus.of(*documents)

    gold_mentions = [
        [Mention("AB"[s % 2], s, s + 1) for s in range(9) if rng.random() < 0.5] for _ in names
    ]
    gold = Corpus.of(*(
        Document(name, tokens=("x",) * 10, mentions=tuple(own))
        for name, own in zip(names, gold_mentions, strict=True)
    ))  # fmt: skip
    return gold, {"A": drawn(0.7), "B": drawn(0.8), "C": drawn(0.95)}


RECIPES = ["exact.F1", "exact.F1@macro", "exact.F1@macro-doc", "exact.fp"]


@pytest.mark.parametrize("size", [9, 40])
def test_exchanging_a_and_b_turns_the_sign_and_nothing_else(size: int) -> None:
    gold, systems = world(size, 1)
    ours = compare(gold, {name: systems[name] for name in "AB"}, RECIPES)
    theirs = compare(gold, {name: systems[name] for name in "BA"}, RECIPES)
    for x, y in zip(ours, theirs, strict=True):
        assert (x.p, x.p_holm, x.ahead, x.differing) == (y.p, y.p_holm, y.ahead, y.differing)
        assert x.difference == -(y.difference or 0.0)
        assert x.detectable == pytest.approx(y.detectable)


@pytest.mark.parametrize("size", [9, 40])
def test_the_order_of_documents_and_the_names_of_labels_change_no_p(size: int) -> None:
    gold, systems = world(size, 2)
    order = np.random.default_rng(0).permutation(size).tolist()
    mixed = {n: Corpus.of(*(s[i] for i in order)) for n, s in (systems | {"gold": gold}).items()}
    renamed = {n: s.mapped({"A": "Z"}) for n, s in (systems | {"gold": gold}).items()}
    expected = compare(gold, systems, RECIPES)
    for other in (mixed, renamed):
        found = compare(other.pop("gold"), other, RECIPES)
        assert [d.p for d in expected] == [d.p for d in found]
        assert [d.low for d in expected] == pytest.approx([d.low for d in found], abs=1e-12)


def test_values_are_those_of_score() -> None:
    gold, systems = world(30, 3)
    scores = score(gold, systems, RECIPES)
    found = compare(gold, systems, RECIPES)
    for rank in found.ranks:
        assert scores[rank.system, rank.recipe].value == rank.value
    for each in found:
        assert each.difference == pytest.approx((each.value_b or 0) - (each.value_a or 0))
        assert each.low is not None
        assert each.high is not None
        assert each.low <= (each.difference or 0.0) <= each.high
        assert len(each.draws) == 0
    drawn = compare(gold, systems, RECIPES, interval="bca")
    assert {len(each.draws) for each in drawn} == {1000}


def test_holm_is_over_the_pairs_of_one_recipe_or_of_its_labels() -> None:
    gold, systems = world(30, 4)
    alone = compare(gold, systems, "exact.F1")
    # exact.F1 twice, in other words: no question is asked a second time.
    found = compare(gold, systems, ["exact.F1", "oaod.F1"], by_label=True)
    assert (3, 6 + 12) == (len(alone), len(found))
    for recipe in ("exact.F1", "oaod.F1"):
        own = [each for each in found if each.recipe == recipe]
        assert [(d.p, d.p_holm, d.tests) for d in alone] == [
            (d.p, d.p_holm, d.tests) for d in own
        ]  # fmt: skip
    rows = [each for each in found if each.label is not None]
    assert [d.label for d in rows] == ["A", "A", "A", "B", "B", "B"] * 2
    assert "exact.F1@label:A" == rows[0].recipe
    assert {6} == {each.tests for each in rows}
    smallest = min(rows[:6], key=lambda d: d.p or 0)
    assert smallest.p_holm == pytest.approx(min(1.0, 6 * (smallest.p or 0)))
    assert "after Holm's correction for the 3 tests of each recipe and the 6 tests of rows of " in (
        " ".join(str(found).split())
    )


def test_the_table_says_for_which_tests_p_is_corrected() -> None:
    gold, systems = world(30, 4)
    single = "; intervals are single 95 % intervals, which the correction does not widen)"
    for recipes, words in (
        (["exact.F1"], f"after Holm's correction for all 3 tests; {{}}{single}"),
        (
            ["exact.F1", "ts.F1"],
            f"after Holm's correction for the 3 tests of each recipe; {{}}{single}",
        ),
    ):
        text = " ".join(str(compare(gold, systems, recipes)).split())
        assert words.format("paired randomization, approximate") in text
    two = {name: systems[name] for name in "AB"}
    assert "significant at .05, one test of each recipe; paired" in str(
        compare(gold, two, ["exact.F1", "ts.F1"])
    )


def test_the_result_says_how_many_exchanges_each_test_took() -> None:
    gold, systems = world(60, 6)
    made = compare(gold, systems, "exact.F1").to_dict()
    trials = {each["trials"] for each in made["comparisons"]}
    assert 9999 in trials and len(trials) > 1
    for each in made["comparisons"]:
        assert 9999 == each["trials"] or each["p"] == 20 / each["trials"]
    assert {3} == {each["tests"] for each in made["comparisons"]}


def test_a_system_without_a_score_has_no_rank() -> None:
    gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    none = Corpus.of("Ann slept", "Bo woke")
    found = compare(gold, {"none": none, "a": gold, "b": gold}, "exact.P")
    places = {each.system: (each.rank_low, each.rank_high, each.cluster) for each in found.ranks}
    assert {"none": (1, 3, 1), "a": (1, 3, 1), "b": (1, 3, 1)} == places  # P is 0 there
    empty = Corpus.of("It rained", "It snowed")
    found = compare(empty, {"none": empty, "a": empty, "b": gold_like(empty)}, "exact.P")
    places = {each.system: (each.rank_low, each.rank_high, each.cluster) for each in found.ranks}
    assert {"none": (None, None, None), "a": (None, None, None), "b": (1, 1, 1)} == places
    ranked = [["b", "0.0000", "[0.0000,", "0.8419]", "1", "1"], ["none", "-", "-", "-"],
              ["a", "-", "-", "-"]]  # fmt: skip
    assert ranked == [
        line.split() for line in str(found).splitlines() if line.startswith(("none ", "a ", "b "))
        and "−" not in line
    ]  # fmt: skip


def gold_like(empty: Corpus) -> Corpus:
    """A system that marks the first word of each document."""
    return Corpus.of(*(
        Document(f"d{i}", tokens=each.tokens, mentions=(Mention("A", 0, 1),))
        for i, each in enumerate(empty)
    ))  # fmt: skip


def test_label_rows_are_the_label_recipes() -> None:
    gold, systems = world(30, 5)
    rows = compare(gold, systems, "exact.F1", by_label=True).differences[3:]
    recipes = compare(gold, systems, ["exact.F1@label:A", "exact.F1@label:B"])
    for row, recipe in zip(rows, recipes, strict=True):
        assert (row.difference, row.low, row.high) == (recipe.difference, recipe.low, recipe.high)
        # A test of a larger family may go on where that of a smaller one is decided.
        assert row.p == recipe.p or row.trials != recipe.trials


def test_ranks_follow_what_is_significant() -> None:
    gold, systems = world(60, 6)
    found = compare(gold, systems, "exact.F1")
    better = {(d.ahead, d.b if d.ahead == d.a else d.a) for d in found if d.significant}
    assert ("C", "A") in better
    for rank in found.ranks:
        assert rank.rank_low == 1 + sum(worse == rank.system for _, worse in better)
        assert rank.rank_high == 3 - sum(best == rank.system for best, _ in better)


def test_fewer_errors_are_better() -> None:
    gold, systems = world(60, 6)
    errors = compare(gold, systems, "exact.fn")
    right = compare(gold, systems, "exact.R")
    assert [d.ahead for d in right] == [d.ahead for d in errors]
    assert all((x.difference or 0) * (y.difference or 0) < 0
               for x, y in zip(errors, right, strict=True))  # fmt: skip
    assert compare(gold, systems, ["exact.fn", "exact.R"]).agreements[0].spearman == 1.0


def test_measures_that_disagree_say_which_systems_change_places() -> None:
    gold = corpus([(4, 0)] * 10)
    systems = {
        "careful": corpus([(2, 0)] * 10), "eager": corpus([(4, 3)] * 10),
        "middle": corpus([(3, 1)] * 10),
    }  # fmt: skip
    found = compare(gold, systems, ["exact.P", "exact.R"])
    agreement = found.agreements[0]
    assert (agreement.spearman, agreement.kendall) == (-1.0, -1.0)
    assert len(agreement.swaps) == 3
    assert list(compare(gold, {n: systems[n] for n in ("careful", "eager")}).agreements) == []


def test_a_gate_has_three_answers() -> None:
    """By the interval of the difference: above the margin, below it, or around it."""
    gold = corpus([(4, 0)] * 10)
    good, bad = corpus([(4, 0)] * 10), corpus([(3, 1)] * 10)
    mixed = corpus([(4, 0), (3, 1)] * 5)

    def gate(old: Corpus, new: Corpus, margin: float, **options: Any) -> Gate:
        compared = compare(gold, {"old": old, "new": new}, "exact.F1", **options)
        return not_worse(compared, margin)

    worse = corpus([(1, 2), (2, 1)] * 5)
    assert ("fail", 3) == (gate(good, worse, 0.01).verdict, gate(good, worse, 0.01).exit_code)
    assert ("pass", 0) == (gate(worse, good, 0.0).verdict, gate(worse, good, 0.0).exit_code)
    assert ("pass", 0) == (gate(good, mixed, 0.3).verdict, gate(good, mixed, 0.3).exit_code)
    # Where all documents are alike, others need not be.
    assert ("cannot tell", 4) == (gate(good, bad, 0.01).verdict, gate(good, bad, 0.01).exit_code)
    between = gate(good, mixed, 0.12)
    assert ("cannot tell", 4) == (between.verdict, between.exit_code)
    assert "may be worse by more than 0.12 or not" in between.checks[0].reason
    none = gate(good, bad, 0.01, resamples=0)
    assert "cannot tell" == none.verdict
    assert "no interval was computed (resamples is 0)" in none.checks[0].reason
    with pytest.raises(UsageError, match="the margin is 0 or more"):
        gate(good, bad, -1)


def test_a_gate_of_few_documents_cannot_tell() -> None:
    """Over six documents no p can be small, so only the interval tells; over one there is none."""
    for size, verdict in ((1, "cannot tell"), (2, "cannot tell"), (6, "fail")):
        gold = corpus([(4, 0)] * size)
        systems = {"old": gold, "new": corpus(([(2, 1), (1, 1)] * 3)[:size])}
        gate = not_worse(compare(gold, systems, "exact.F1"), 0.01)
        assert verdict == gate.verdict, gate.checks
        assert (size == 1) == ("no interval from 1 document" in gate.checks[0].reason)


def test_trials_follow_from_the_number_of_tests() -> None:
    """With 9,999 trials nothing of 666 tests could survive Holm, however clear it is."""
    gold = corpus([(4, 0)] * 30)
    systems = {f"s{i:02}": corpus([(min(4, i // 4), 0)] * 30) for i in range(16)}
    found = compare(gold, systems, "exact.R", resamples=0)
    assert (23999, 23999) == (trials_for(120), found.trials)
    assert found.blind is None
    assert {1, 16} < {place for r in found.ranks for place in (r.rank_low, r.rank_high)}
    clear = [each for each in found if (each.a, each.b) == ("s00", "s15")]
    assert clear[0].significant
    few = compare(gold, systems, "exact.R", resamples=0, trials=999)
    assert few.blind == (
        "nothing can be significant here: 120 tests and 999 trials; give more trials, or compare "
        "fewer systems or labels"
    )
    assert few.to("terminal").startswith(few.blind)


def test_too_few_trials_are_reported_beside_exact_tests() -> None:
    """An exact test over 13 documents has a p of 1/4096, which the others cannot reach."""
    gold = corpus([(4, 0)] * 30)
    systems = {f"s{i}": corpus([(i, 0)] * 30) for i in range(4)}
    systems["s4"] = corpus([(2, 0)] * 13 + [(3, 0)] * 17)
    found = compare(gold, systems, "exact.R", resamples=0, trials=99)
    assert found.blind is not None and found.blind.startswith(
        "99 trials are too few for 10 tests: 8 differences have the smallest p possible"
    )
    assert found.to("terminal").startswith(found.blind)
    assert compare(gold, systems, "exact.R", resamples=0).blind is None


def test_intervals_of_differences_stay_within_the_range_of_the_measure() -> None:
    gold = corpus([(4, 0)] * 5)
    systems = {"a": corpus([(0, 0)] * 4 + [(4, 0)]), "b": corpus([(4, 0)] * 4 + [(0, 0)])}
    (found,) = compare(gold, systems, "exact.R")
    assert found.low is not None and found.high is not None
    assert -1.0 <= found.low <= found.high <= 1.0


def test_json_is_the_specification_s() -> None:
    gold, systems = world(12, 7)
    found = json.loads(compare(gold, systems, "exact.F1", seed=3).to_json())
    assert found["seed"] == 3
    assert {"a", "b", "recipe", "difference", "low", "high", "p", "p_holm"} <= set(
        found["comparisons"][0]
    )
    assert {"recipe", "system", "value", "rank_low", "rank_high", "cluster"} <= set(
        found["ranks"][0]
    )
    assert "|interval:effective|by:document|test:randomization,9999,seed=3|" in (found["signature"])


def test_frames_have_a_row_for_each_difference() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    gold, systems = world(12, 7)
    found = compare(gold, systems, "exact.F1")
    assert (len(found.to_pandas()), len(found.to_polars())) == (3, 3)


def test_without_resamples_there_is_a_p_and_no_interval() -> None:
    gold, systems = world(30, 8)
    found = compare(gold, systems, "exact.F1", resamples=0).differences[0]
    full = compare(gold, systems, "exact.F1").differences[0]
    assert (None, None, full.p) == (found.low, found.high, found.p)
    assert full.detectable == found.detectable


def test_a_score_that_does_not_exist_is_not_compared() -> None:
    gold = corpus([(0, 0)] * 5)
    found = one(compare(gold, {"a": gold, "b": corpus([(0, 1)] * 5)}, "exact.R"))
    assert (found.difference, found.p, found.p_holm) == (None, None, None)
    assert "a and b cannot be compared: one of them has no R." in str(
        compare(gold, {"a": gold, "b": corpus([(0, 1)] * 5)}, "exact.R")
    )


def test_detectable_is_2_8_standard_errors_of_the_paired_difference() -> None:
    """Of a difference of means over documents, the standard error is the usual one."""
    gold, systems = world(40, 10)
    found = compare(gold, systems, "exact.R@macro-doc").differences[0]
    left = []
    for name in "AB":
        left.append([score(Corpus.of(g), Corpus.of(s), "exact.R", resamples=0).value
                     for g, s in zip(gold, systems[name], strict=True)])  # fmt: skip
    there = [y - x for x, y in zip(*left, strict=True) if x is not None and y is not None]
    assert len(there) == 40
    error = np.std(there, ddof=1) / len(there) ** 0.5
    assert found.detectable == pytest.approx(2.801585 * error, rel=1e-6)


def test_a_measure_that_never_varies_has_no_smallest_difference() -> None:
    gold = Corpus.of(*["[Ann]PER saw [Bo]PER"] * 8)
    half = Corpus.of(*["[Ann]PER saw Bo"] * 8)
    made = compare(gold, {"a": gold, "b": half}, "exact.P", trials=99)
    assert 0 == made.differences[0].detectable
    assert "smallest difference" not in str(made)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"systems": ["A"]}, "give at least two systems to compare"),
        ({"trials": 5}, "trials is from 99 to 10,000,000, not 5"),
    ],
)
def test_wrong_calls_are_refused_in_words(call: dict[str, object], message: str) -> None:
    gold, systems = world(5, 0)
    chosen = {name: systems[name] for name in call.pop("systems", "AB")}  # type: ignore[attr-defined]
    with pytest.raises(UsageError) as caught:
        compare(gold, chosen, "exact.F1", **call)  # type: ignore[arg-type]
    assert message == str(caught.value)


def test_labels_are_tested_together_as_each_by_itself() -> None:
    """Of the labels one differs often, one seldom (and is exact), one never."""
    rng = np.random.default_rng(5)
    documents: dict[str, list[Document]] = {"gold": [], "a": [], "b": []}
    for i in range(60):
        for name, chance in (("gold", 1.0), ("a", 0.6), ("b", 0.8)):
            labels = ["often"] * 3 + ["never"] + (["seldom"] if i < 15 else [])
            mentions = tuple(
                Mention(label, 2 * k, 2 * k + 1)
                for k, label in enumerate(labels)
                if label == "never" or rng.random() < chance
            )
            documents[name].append(Document(f"d{i:03}", tokens=("x",) * 20, mentions=mentions))
    gold, a, b = (Corpus.of(*each) for each in documents.values())
    recipes = ["exact.F1", "exact.F1@macro", "slots.SER", "token.kappa"]
    together = compare(gold, {"a": a, "b": b}, recipes, by_label=True)
    rows = {(d.recipe, d.label): d for d in together if d.label is not None}
    assert 9 == len(rows)
    for space in ("exact.F1", "slots.SER", "token.kappa"):
        for label in ("often", "seldom", "never"):
            recipe = f"{space}@label:{label}"
            alone, row = one(compare(gold, {"a": a, "b": b}, recipe)), rows[recipe, label]
            assert (alone.differing, alone.exact, alone.p) == (row.differing, row.exact, row.p)
            assert (alone.low, alone.high) == (row.low, row.high)
            assert (alone.value_a, alone.value_b) == (row.value_a, row.value_b)
            assert alone.smallest_p == row.smallest_p
    assert rows["exact.F1@label:seldom", "seldom"].exact
    assert not rows["exact.F1@label:often", "often"].exact


@pytest.mark.parametrize("average", ["micro", "macro", "label:A"])
@pytest.mark.parametrize("space", ["ts(sep=0.25)", "ts(sep=0.1)", "ts(sep=0)"])
def test_counts_that_are_whole_for_one_system_alone_are_exchanged_as_what_they_are(
    space: str, average: str
) -> None:
    """The systems differ in one document, in which one has a separator and the other has not."""
    one_token, two = Mention("A", 0, 1), Mention("A", 0, 2)
    gold, a, b = (
        Corpus.of(*(Document(f"d{i}", tokens=("x",) * 6, mentions=each) for i, each in enumerate(
            ((one_token,), odd, (one_token,))
        )))
        for odd in ((one_token,), (), (two,))
    )  # fmt: skip
    difference = one(compare(gold, {"a": a, "b": b}, f"{space}.F1@{average}"))
    assert (1, 1.0) == (difference.differing, difference.p)


def test_a_system_without_any_event_is_compared_by_sentence() -> None:
    empty, some = (
        Corpus.of(*(Document(f"d{i}", tokens=("x",) * 6, sentences=(0, 3), mentions=each)
                    for i in range(2)))
        for each in ((), (Mention("A", 0, 1),))
    )  # fmt: skip
    found = compare(empty, {"a": empty, "b": some}, "slots.SER@label:A", resample_by="sentence")
    assert 2 == one(found).differing


@pytest.mark.parametrize(("systems", "too_few"), [(3, False), (4, True)])
def test_more_tests_than_the_trials_can_tell_from_chance_are_reported(
    systems: int, too_few: bool
) -> None:
    """Of 99 trials the smallest p is 1/100: Holm can make at most five tests significant."""
    gold = corpus([(4, 0)] * 30)
    made = {str(n): corpus([(n, 0)] * 30) for n in range(systems)}
    blind = compare(gold, made, "exact.R", resamples=0, trials=99).blind
    assert too_few == (blind is not None and "6 tests and 99 trials" in blind)


def test_systems_without_any_label_have_no_difference() -> None:
    nothing = Corpus.of("It rained", "It snowed")
    comparison = compare(nothing, {"a": nothing, "b": nothing}, ["exact.F1", "ts.F1@macro"])
    assert [(None, None), (None, None)] == [(each.difference, each.p) for each in comparison]

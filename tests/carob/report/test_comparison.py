"""A difference in words must say who is ahead, by how much, and whether that is chance."""

from __future__ import annotations

from dataclasses import replace

import pytest

from carob import Comparison, Corpus, Document, Mention, UsageError, compare, score
from carob.result.comparison import Difference

AHEAD = Difference("A", "B", "exact.F1", None, "F1", 0.8, 0.812, 0.012, 0.003, 0.021, 0.004, 0.004,
                   2.0**-20, 0.013, 21, False, "bca")  # fmt: skip


def test_a_significant_difference() -> None:
    assert AHEAD.sentence() == "B is ahead of A by 1.2 F1 (0.3 to 2.1), p = .004."


def test_the_other_is_ahead() -> None:
    turned = replace(AHEAD, difference=-0.012, low=-0.021, high=-0.003)
    assert turned.sentence() == "A is ahead of B by 1.2 F1 (0.3 to 2.1), p = .004."


def test_fewer_errors_are_ahead() -> None:
    errors = replace(AHEAD, measure="SER", lower_is_better=True)
    assert errors.sentence() == "A is ahead of B: SER lower by 1.2 (0.3 to 2.1), p = .004."
    chance = replace(errors, low=-0.004, p=0.21, p_holm=0.21, detectable=None)
    assert chance.sentence() == (
        "A is ahead of B: SER lower by 1.2 (−0.4 to 2.1), but this could be chance: p = .21."
    )


def test_holm_is_said_where_it_changes_p() -> None:
    assert "p = .004 (.012 after Holm)." in replace(AHEAD, p_holm=0.012).sentence()
    assert "p <.0001." in replace(AHEAD, p=0.00001, p_holm=0.00001).sentence()


def test_an_interval_beside_a_corrected_p_is_said_to_be_a_single_one() -> None:
    found = replace(AHEAD, p=0.03, p_holm=0.09, tests=3, detectable=None)
    assert found.sentence() == (
        "B is ahead of A by 1.2 F1 (single 95 % interval 0.3 to 2.1), but this could be chance: "
        "p = .030 (.090 after Holm)."
    )


def test_an_interval_that_contradicts_the_test_is_not_left_without_a_word() -> None:
    chance = replace(AHEAD, p=0.074, p_holm=0.074, detectable=None)
    assert chance.sentence() == (
        "B is ahead of A by 1.2 F1 (0.3 to 2.1), but this could be chance: p = .074, although the "
        "interval leaves out 0."
    )
    assert replace(AHEAD, low=-0.001).sentence() == (
        "B is ahead of A by 1.2 F1 (−0.1 to 2.1), p = .004, although the interval contains 0."
    )


def test_chance() -> None:
    found = replace(AHEAD, low=-0.004, p=0.21, p_holm=0.21)
    assert found.sentence() == (
        "B is ahead of A by 1.2 F1 (−0.4 to 2.1), but this could be chance: p = .21; the smallest "
        "difference that these documents could show is about 1.3."
    )


def test_too_few_documents_differ() -> None:
    found = replace(AHEAD, low=None, high=None, p=0.125, p_holm=0.125, smallest_p=0.125,
                    differing=4)  # fmt: skip
    assert found.sentence("sentence") == (
        "B is ahead of A by 1.2 F1, but this could be chance: p = .12; they differ in 4 sentences "
        "only, so p cannot be smaller than .12."
    )
    assert "they differ in 1 document only" in replace(found, differing=1).sentence()


def test_counts_are_not_points() -> None:
    count = replace(AHEAD, measure="tp", is_count=True, difference=12.0, low=3.0, high=21.0)
    assert count.sentence() == "B is ahead of A by 12.0 tp (3.0 to 21.0), p = .004."


def test_the_same_system_twice() -> None:
    found = replace(AHEAD, difference=0.0, p=1.0, p_holm=1.0, differing=0)
    assert found.sentence() == "B and A have the same counts in every document: F1 cannot differ."


def test_names_are_printed_safely() -> None:
    gold = Corpus.of(*(
        Document(f"d{i}", tokens=("a", "b"), mentions=(Mention("X|\x1b[2J", 0, 1),))
        for i in range(6)
    ))  # fmt: skip
    none = Corpus.of(*(Document(f"d{i}", tokens=("a", "b")) for i in range(6)))
    found = compare(gold, {"a\x1b": gold, "b|": none, "c": none}, "exact.R", by_label=True)
    assert "\x1b" not in found.to("terminal")
    text = found.to("markdown")
    assert "\x1b" not in text
    assert r"b\| − a\\x1b" in text


def systems(count: int) -> tuple[Corpus, dict[str, Corpus]]:
    """Gold of 100 documents, and systems that miss none, 10, 20, ... of its mentions."""
    text = "[Ann]PER slept"
    return Corpus.of(*[text] * 100), {
        "dcbae"[i]: Corpus.of(*["Ann slept"] * 10 * i, *[text] * (100 - 10 * i))
        for i in range(count)
    }


@pytest.fixture(scope="module")
def five() -> Comparison:
    return compare(*systems(5), "exact.R")


def heads(comparison: Comparison) -> list[list[str]]:
    """The heads of all tables."""
    return [line.split() for line in str(comparison).splitlines() if line.startswith("exact.R ")]


RANKED = ["exact.R", "score", "rank", "cluster"]


def test_both_scores_stand_beside_the_difference() -> None:
    made = compare(*systems(2), "exact.R")
    head, row = (line.split() for line in str(made).splitlines()[:2])
    assert ["exact.R", "c", "d", "difference"] == head[:4]
    assert ["c", "−", "d", "0.9000", "1.0000", "-0.1000"] == row[:6]
    assert "d is ahead of c by 10.0 R" in str(made)


def test_three_systems_have_all_differences_and_ranks_but_no_sentences() -> None:
    made = compare(*systems(3), "exact.R")
    assert [["score", "minus"], ["score", "rank"]] == [head[1:3] for head in heads(made)]
    assert 3 == str(made).count(" − ")
    assert "is ahead of" not in str(made)


def test_more_systems_are_ranked_first(five: Comparison) -> None:
    assert [RANKED] == heads(five)
    assert " − " not in str(five)
    assert "(10 differences are not shown: --all-pairs shows all, --baseline NAME " in str(five)
    assert [RANKED, RANKED[:2]] == [
        heads(five.shown_as(all_pairs=True))[0], heads(five.shown_as(all_pairs=True))[1][:2],
    ]  # fmt: skip
    assert 10 == str(five.shown_as(all_pairs=True)).count(" − ")


def test_ranks_have_the_intervals_of_scores(five: Comparison) -> None:
    made = score(*systems(5), "exact.R")
    expected = {each.system: (each.value, each.low, each.high) for each in made}
    assert expected == {each.system: (each.value, each.low, each.high) for each in five.ranks}
    row = next(line for line in str(five).splitlines() if line.startswith("c "))
    assert f"0.9000 [{made['c', 'exact.R'].low:.4f}, {made['c', 'exact.R'].high:.4f}]" in row


def test_differences_to_one_system(five: Comparison) -> None:
    made = five.shown_as(baseline="b")
    assert {("b", name) for name in "dcae"} == {(each.a, each.b) for each in made.shown}
    by_name = {each.b: each for each in made.shown}
    assert 0.2 == pytest.approx(by_name["d"].difference)
    assert -0.1 == pytest.approx(by_name["a"].difference)
    other = next(each for each in five if (each.a, each.b) == ("d", "b"))
    assert (other.low, other.high) == (-(by_name["d"].high or 0), -(by_name["d"].low or 0))
    assert other.p_holm == by_name["d"].p_holm
    assert 4 == str(made).count(" − b ")
    with pytest.raises(UsageError, match="no system is called 'x'"):
        five.shown_as(baseline="x")


def test_tables_change_nothing_in_json(five: Comparison) -> None:
    assert five.to_dict() == five.shown_as(baseline="b", sort="name").to_dict()


@pytest.mark.parametrize(
    ("sort", "order"), [("score", "dcbae"), ("name", "abcde"), ("given", "dcbae")]
)
def test_ranks_are_sorted(five: Comparison, sort: str, order: str) -> None:
    lines = str(five.shown_as(sort=sort)).splitlines()[1:6]
    assert order == "".join(line[0] for line in lines)


def test_fewer_errors_are_ranked_first() -> None:
    lines = str(compare(*systems(5), "slots.SER")).splitlines()[1:6]
    assert "dcbae" == "".join(line[0] for line in lines)

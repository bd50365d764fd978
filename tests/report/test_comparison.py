"""A difference in words must say who is ahead, by how much, and whether that is chance."""

from __future__ import annotations

from dataclasses import replace

from carob import Corpus, Document, Mention, compare
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
    assert errors.sentence() == "A is ahead of B by 1.2 SER (0.3 to 2.1), p = .004."


def test_holm_is_said_where_it_changes_p() -> None:
    assert "p = .004 (.012 after Holm)." in replace(AHEAD, p_holm=0.012).sentence()
    assert "p <.0001." in replace(AHEAD, p=0.00001, p_holm=0.00001).sentence()


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

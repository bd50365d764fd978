"""A number is rounded once, for people only; what is bold is best; what is marked was tested."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_EVEN, Decimal
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob import Comparison, Corpus, UsageError, compare, score
from carob.cli import parser
from carob.report.terminal import MOST_DIGITS, Style, best, parts
from tests.results import KINDS, result

SCORES = st.floats(-2, 2) | st.integers(0, 2000).map(lambda n: n / 2000)
DIGITS = st.integers(0, MOST_DIGITS)
PEOPLE = ("terminal", "markdown", "latex", "html")


@given(SCORES, st.integers(0, 6), st.booleans())
def test_a_number_is_rounded_once(value: float, digits: int, percent: bool) -> None:
    """The exact value of the number, moved by two places if need be, and then rounded."""
    exact = Decimal(value) * (100 if percent else 1)
    expected = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN)
    assert expected == Decimal(Style(percent=percent, digits=digits).number(value))


@given(SCORES, st.integers(0, MOST_DIGITS - 2))
def test_percent_has_the_same_digits(value: float, digits: int) -> None:
    percent = Style(percent=True, digits=digits).number(value)
    share = Style(digits=digits + 2).number(value)
    assert Decimal(percent) == 100 * Decimal(share)


def test_one_decimal_in_percent_four_without() -> None:
    assert "84.3" == Style(percent=True).cell(0.84349)
    assert "0.8435" == Style().cell(0.84349)
    assert "84" == Style(percent=True, digits=0).cell(0.84349)


@given(st.none() | SCORES, st.none() | SCORES, st.sampled_from(["", "*"]), st.booleans())
def test_a_cell_is_a_number_a_mark_and_an_interval(
    value: float | None, end: float | None, mark: str, percent: bool
) -> None:
    style = Style(percent=percent)
    cell = style.cell(value, end, end, mark=mark)
    number, rest = parts(cell)
    assert ("-" if value is None else style.number(value)) == number
    assert rest.startswith(mark)
    assert (value is not None and end is not None) == rest.endswith("]")
    assert f"{number}{mark}" == Style(percent=percent, intervals=False).cell(
        value, end, end, mark=mark
    )


def test_counts_are_never_in_percent() -> None:
    gold = Corpus.of(*["[Ann]PER [Bo]PER slept"] * 3)
    text = score(gold, gold, ["exact.tp", "exact.R"], resamples=0).to("terminal", percent=True)
    assert ["gold", "6", "100.0", "6"] == text.splitlines()[1].replace("system", "gold").split()
    ranks = compare(gold, {"a": gold, "b": gold, "c": gold}, "exact.tp", resamples=0)
    assert "600" not in ranks.to("terminal", percent=True)


@pytest.mark.parametrize("digits", [-1, MOST_DIGITS + 1])
def test_digits_have_limits(digits: int) -> None:
    with pytest.raises(UsageError, match=f"digits is from 0 to 15, not {digits}"):
        result("scores").to_latex(digits=digits)


def test_the_best_as_a_reader_sees_it() -> None:
    assert [1] == best([0.1, 0.3, None, 0.2], ["0.1", "0.3", "-", "0.2"], lower=False)
    assert [0] == best([0.1, 0.3], ["0.1", "0.3"], lower=True)
    assert [0, 2] == best([0.111, 0.3, 0.112], ["0.1", "0.3", "0.1"], lower=True)
    assert [] == best([0.1, 0.1], ["0.1", "0.1"], lower=False)
    assert [] == best([None], ["-"], lower=False)
    assert [] == best([0.5], ["0.5"], lower=False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("report", PEOPLE)
def test_every_format_for_people_has_every_option(kind: str, report: str) -> None:
    made = result(kind)
    text = made.to(report, percent=True, digits=3, intervals=False)
    assert text != made.to(report) or kind == "power"
    assert None is re.search(r"\d\.\d{4}\D", text.split("carob:")[0])


@pytest.mark.parametrize("report", ["json", "csv"])
def test_programs_get_every_digit(report: str) -> None:
    with pytest.raises(UsageError, match=f"the report {report} has no parameter percent; it has:"):
        result("scores").to(report, percent=True)


def test_methods_are_the_reports() -> None:
    made = result("comparison")
    style: dict[str, Any] = {"percent": True, "digits": 2, "layout": "labels"}
    assert made.to("latex", **style) == made.to_latex(**style)
    assert made.to("markdown", **style) == made.to_markdown(**style)


# Layouts.


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Three systems, of which the first is significantly better for one of two labels."""
    gold = Corpus.of(*["[Ann]PER in [Rome]LOC"] * 60)
    first = Corpus.of(*["[Ann]PER in [Rome]LOC"] * 50, *["Ann in [Rome]LOC"] * 10)
    second = Corpus.of(*["[Ann]PER in [Rome]LOC"] * 20, *["Ann in [Rome]LOC"] * 39, "Ann in Rome")
    return compare(
        gold, {"b": second, "a": first, "c": second}, ["exact.R", "exact.R@macro", "slots.SER"],
        resamples=100, by_label=True,
    )  # fmt: skip


def rows(text: str) -> dict[str, list[str]]:
    """The cells of a Markdown table by the first one."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {line[0]: line[1:] for line in lines}


def test_labels_down_and_systems_across(comparison: Comparison) -> None:
    text = comparison.to_markdown(layout="labels", percent=True, intervals=False)
    first, second = text.split("| slots.SER ")
    found = rows(first)
    assert ["exact.R", "LOC", "PER", "micro average", "macro average"] == [
        name for name in found if not name.startswith(":")
    ]
    assert ["a", "b", "c"] == found["exact.R"]
    assert ["**83.3**\\*", "33.3", "33.3"] == found["PER"]
    assert ["**100.0**", "98.3", "98.3"] == found["LOC"]
    assert ["**91.7**\\*", "65.8", "65.8"] == found["micro average"] == found["macro average"]
    assert ["**8.3**\\*", "34.2", "34.2"] == rows(second)["micro average"]


def test_the_note_says_what_the_mark_means(comparison: Comparison) -> None:
    note = (
        "* the score is significantly better than that of every other system, at .05, after Holm's "
        "correction for the 3 tests of each recipe and the 6 tests of rows of labels; paired "
        "randomization, "
    )
    for layout in ("systems", "labels"):
        assert f"({note}" in comparison.to("terminal", layout=layout)
        latex = comparison.to_latex(layout=layout)
        assert rf"\par\smallskip{{\footnotesize {note}" in latex


def test_marks_against_a_baseline(comparison: Comparison) -> None:
    made = comparison.shown_as(baseline="b")
    text = made.to_markdown(layout="systems", intervals=False, digits=2)
    assert "|  | exact.R | exact.R@macro | slots.SER |" == text.splitlines()[0]
    found = rows(text)
    assert ["**0.92**\\*", "**0.92**\\*", "**0.08**\\*"] == found["a"]
    assert ["0.66", "0.66", "0.34"] == found["b"] == found["c"]
    assert "* the score is significantly different from that of b, at .05" in made.to(
        "terminal", layout="systems"
    )


def test_marks_are_the_tests_of_json(comparison: Comparison) -> None:
    """By brute force from the JSON: a mark stands where every difference is significant."""
    content = json.loads(comparison.to_json())
    for rank in comparison.ranks:
        own = [
            each for each in content["comparisons"]
            if (each["recipe"], each["label"]) == (rank.recipe, rank.label)
            and rank.system in (each["a"], each["b"])
        ]  # fmt: skip
        sign = -1 if rank.lower_is_better else 1
        wins = [
            each["significant"]
            and sign * each["difference"] * (1 if each["b"] == rank.system else -1) > 0
            for each in own
        ]
        assert 2 == len(own)
        assert all(wins) == comparison.stands_out(rank)


def test_no_mark_no_claim() -> None:
    gold = Corpus.of(*["[Ann]PER slept"] * 4)
    made = compare(gold, {"a": gold, "b": Corpus.of(*["Ann slept"] * 4)}, "exact.R", resamples=0)
    text = made.to("terminal", layout="systems")
    assert "(no score is significantly better than that of every other system, at .05" in text


def test_labels_of_scores() -> None:
    gold = Corpus.of("[Ann]PER in [Rome]LOC", "[Bo]PER slept")
    one = Corpus.of("[Ann]PER in [Rome]LOC", "[Bo]ORG slept")
    two = Corpus.of("[Ann]PER in Rome", "[Bo]PER slept")
    made = score(gold, {"one": one, "two": two}, ["exact.R", "exact.R@macro"], resamples=0)
    assert {
        "exact.R": ["one", "two", "gold"],
        "LOC": ["**1.0000**", "0.0000", "1"],
        "ORG": ["0.0000", "-", "0"],
        "PER": ["0.5000", "**1.0000**", "2"],
        "micro average": ["0.6667", "0.6667", "3"],
        "macro average": ["0.5000", "0.5000", "3"],
    } == {k: v for k, v in rows(made.to_markdown(layout="labels")).items() if ":" not in k}
    latex = made.to_latex(layout="labels").splitlines()
    assert r"\midrule" == latex[latex.index(r"micro average & 0.6667 & 0.6667 & 3 \\") - 1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_layout_that_there_is_not(kind: str) -> None:
    known = getattr(import_module(f"carob.report.{kind}"), "LAYOUTS", ())
    there = f"there are: {', '.join(known)}" if known else "there is one only"
    with pytest.raises(UsageError, match=f"no layout of {kind} is called 'wide'; {there}"):
        result(kind).to("markdown", layout="wide")


@pytest.mark.parametrize(("command", "kind"), [("score", "scores"), ("compare", "comparison")])
def test_the_command_line_has_the_same_layouts(command: str, kind: str) -> None:
    layouts = import_module(f"carob.report.{kind}").LAYOUTS
    for layout in layouts:
        arguments = parser(command).parse_args([command, "g", "s", "--layout", layout])
        assert layout == arguments.layout
    help_text = parser(command)._subparsers._group_actions[0].choices[command].format_help()  # type: ignore[union-attr, index]
    assert f"{{{','.join(layouts)}}}" in help_text

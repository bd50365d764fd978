"""A margin means what it says: points, a share, or a number of a count, and never a guess."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from carob import Comparison, Corpus, Scores, UsageError, compare, score, write
from carob.cli import main
from carob.result.gate import BELOW_ONE, amount

TEXT = "[Ann]PER met [Bo]PER in [Rome]LOC"
GOLD = Corpus.of(*[TEXT] * 30)
WORSE = Corpus.of(*["[Ann]PER met Bo in [Rome]LOC"] * 3, *[TEXT] * 27)


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return compare(GOLD, {"old": GOLD, "new": WORSE}, ["exact.F1", "slots.SER"])


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.01", 0.01), ("1pt", 0.01), ("1%", 0.01), ("1.1 pt", 0.011), (" 2 %", 0.02), ("0", 0.0),
     (".5", 0.5), ("100%", 1.0), ("120pt", 1.2), ("1e-3", 0.001), (0.02, 0.02), (0, 0.0)],
)  # fmt: skip
def test_a_margin_has_three_spellings(text: str | float, value: float) -> None:
    assert value == amount(text, "margin", most=BELOW_ONE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5", "found 5, expected a margin with its unit: 0.05, 5pt or 5%"),
        (5, "found 5, expected a margin with its unit: 0.05, 5pt or 5%"),
        (1, "found 1, expected a margin with its unit: 0.01, 1pt or 1%"),
        ("2.5", "found 2.5, expected a margin with its unit: 0.025, 2.5pt or 2.5%"),
        ("five", "found 'five', expected a margin such as 0.02, 2pt or 2%"),
        ("", "found '', expected a margin such as 0.02, 2pt or 2%"),
        ("nan", "found 'nan', expected a margin such as 0.02, 2pt or 2%"),
        ("1e-99999999pt", "found '1e-99999999pt', expected a margin such as 0.02, 2pt or 2%"),
        ("1e999", "found '1e999', expected a margin such as 0.02, 2pt or 2%"),
        ("0,05", "found '0,05', expected a margin such as 0.02, 2pt or 2%"),
        (-0.1, "the margin is 0 or more, not -0.1"),
    ],
)
def test_a_margin_that_cannot_be_meant_is_refused(
    compared: Comparison, text: str | float, message: str
) -> None:
    with pytest.raises(UsageError) as error:
        compared.with_gate(text)
    assert message == str(error.value)


def test_the_line_of_the_gate_has_the_margin_in_points(compared: Comparison) -> None:
    for text, line in (
        ("0.025", "(margin 2.5 points)"),
        ("1pt", "(margin 1 point)"),
        (0.2, "(margin 20 points)"),
        ("20.5%", "(margin 20.5 points, which lets nearly everything pass)"),
    ):
        made = compared.with_gate(text)
        assert made.gate is not None
        line = f"gate: {made.gate.verdict} {line}"
        assert line == made.gate.sentences()[0]
        for layout in ("terminal", "markdown", "html"):
            assert line in made.to(layout)


def test_the_margin_of_a_count_is_a_bare_number() -> None:
    counts = compare(GOLD, {"old": GOLD, "new": WORSE}, "exact.fn")
    made = counts.with_gate("12").gate
    assert made is not None
    assert ["gate: pass (margin 12)", "pass"] == [made.sentences()[0], made.verdict]
    why = "new − old is +3 [-0.88, +6.88]: not worse by more than 12"
    assert why == made.checks[0].reason
    for text in ("12pt", "5%"):
        with pytest.raises(UsageError) as error:
            counts.with_gate(text)
        assert f"found {text!r}, expected a bare number: the margin of a count" == str(error.value)
    both = compare(GOLD, {"old": GOLD, "new": WORSE}, ["exact.fn", "exact.F1"])
    with pytest.raises(UsageError, match="found 12, expected a margin with its unit"):
        both.with_gate(12)


@pytest.fixture(scope="module")
def scored() -> Scores:
    return score(GOLD, {"new": WORSE}, ["exact.F1", "ts.kappa"])


@pytest.mark.parametrize("floor", ["0.85", "85pt", "85%", "PER=85%", "PER=0.85", "-0.1"])
def test_a_floor_has_the_same_spellings(scored: Scores, floor: str) -> None:
    gate = scored.with_floors([floor]).gate
    assert gate is not None
    assert "pass" == gate.verdict
    assert {"floors": [floor], "by": "value"} == gate.conditions


def test_a_floor_of_one_means_perfect(scored: Scores) -> None:
    gate = scored.with_floors(["1"]).gate
    assert gate is not None
    assert "fail" == gate.verdict
    for floor in ("85", "PER=85", "1.01"):
        with pytest.raises(UsageError) as error:
            scored.with_floors([floor])
        number = floor.removeprefix("PER=")
        assert str(error.value) == (
            f"found {number}, expected a floor with its unit: {float(number) / 100:g}, "
            f"{number}pt or {number}%"
        )
    counts = score(GOLD, WORSE, "exact.tp").with_floors(["85"]).gate
    assert counts is not None
    assert "pass" == counts.verdict
    with pytest.raises(UsageError, match="found '85pt', expected a bare number: the floor of a"):
        score(GOLD, WORSE, "exact.tp").with_floors(["85pt"])


def test_the_lower_end_of_a_single_document_cannot_be_told() -> None:
    gate = score(Corpus.of(TEXT), Corpus.of(TEXT), "exact.F1").with_floors("0.5", by="low").gate
    assert gate is not None
    assert [
        "gate: cannot tell",
        "exact.F1: cannot tell: no interval: a single document has none, and resamples 0 asks for "
        "none",
    ] == gate.sentences()


@pytest.mark.parametrize("floor", [0.99, "0.99", "99%", [0.99]])
def test_one_floor_and_numbers_are_floors(floor: Any) -> None:
    gate = score(GOLD, WORSE, "exact.F1").with_floors(floor).gate
    assert gate is not None
    assert "fail" == gate.verdict
    assert ["99%" if floor == "99%" else "0.99"] == gate.conditions["floors"]
    assert gate == compare(GOLD, {"old": GOLD, "new": WORSE}, "exact.F1", floors=floor).gate


def test_floors_of_the_last_system_and_a_margin_are_one_gate() -> None:
    made = compare(GOLD, {"old": GOLD, "new": WORSE}, "exact.F1", floors=["0.9", "LOC=99%"])
    assert made.gate is not None
    assert ["exact.F1", "exact.F1 of LOC"] == [each.what for each in made.gate.checks]
    assert "pass" == made.gate.verdict
    both = made.with_gate("1pt").gate
    assert both is not None
    assert {"margin": 0.01, "floors": ["0.9", "LOC=99%"], "by": "value"} == both.conditions
    assert ["exact.F1", "exact.F1", "exact.F1 of LOC"] == [each.what for each in both.checks]
    assert ["pass", "pass"] == [each.verdict for each in both.checks[1:]]
    again = made.with_gate("1pt").with_gate("50pt").gate
    assert again is not None
    assert ("pass", 3, 0.5) == (again.verdict, len(again.checks), again.conditions["margin"])
    low = compare(GOLD, {"old": GOLD, "new": WORSE}, "exact.F1", floors=["98pt"], by="low")
    assert low.gate is not None
    assert low.gate.checks[0].reason.startswith("the lower end of the interval is 0.9")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [str(tmp_path / f"{name}.jsonl") for name in ("gold", "old", "new")]
    for corpus, path in zip((GOLD, GOLD, WORSE), paths, strict=True):
        write(corpus, path)
    return paths


def test_the_command_takes_all_spellings(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["compare", "-q", *files, "-m", "exact.F1"]
    for margin in ("0.05", "5pt", "5%"):
        code = main([*call, "--fail-if-worse", margin, "--fail-under", "90%"])
        out = capsys.readouterr().out
        assert (0, "gate: pass (margin 5 points)") == (code, out.splitlines()[0])
    assert 2 == main([*call, "--fail-if-worse", "5"])
    assert (
        "carob: found 5, expected a margin with its unit: 0.05, 5pt or 5%\n"
        == capsys.readouterr().err
    )
    floors = ["--fail-under", "LOC=1", "--fail-under", "PER=0.99"]
    assert 3 == main([*call, "--fail-if-worse", "5pt", *floors])
    assert "exact.F1 of PER: fail: " in capsys.readouterr().out
    assert 3 == main([*call, "--fail-under", "0.99", "--format", "json"])
    gate = json.loads(capsys.readouterr().out)["gate"]
    assert {"floors": ["0.99"], "by": "value"} == gate["conditions"]
    assert 2 == main(["score", "-q", files[0], files[2], "-m", "exact.F1", "--fail-under", "85"])
    assert 2 == main(["power", "-q", *files, "--difference", "2"])
    expected = "found 2, expected a difference with its unit: 0.02, 2pt or 2%"
    assert expected in capsys.readouterr().err

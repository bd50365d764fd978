"""carob compare must say what the library says, and be a release gate when asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob.cli import main


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    sentence = {
        "gold": "a B-A\nb O\nc B-B\n\n",
        "good": "a B-A\nb O\nc B-B\n\n",
        "bad": "a B-A\nb O\nc O\n\n",
    }
    for name, text in sentence.items():
        (tmp_path / f"{name}.conll").write_text(text * 10)
    return {name: str(tmp_path / f"{name}.conll") for name in sentence}


def test_a_worse_candidate_fails_the_gate(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["compare", files["gold"], files["good"], files["bad"], "-m", "exact.F1"]
    assert main(call) == 0
    capsys.readouterr()
    assert main([*call, "--fail-if-worse"]) == 3
    said = capsys.readouterr()
    assert said.out.startswith(
        "gate: fail (margin 1 point)\n"
        "exact.F1: fail: bad − good is -0.3333 [-0.6418, -0.0248]: worse by more than 0.01\n"
    )
    assert "good is ahead of bad by 33.3 F1" in said.out
    assert main([*call, "--fail-if-worse", "--format", "json"]) == 3
    gate = json.loads(capsys.readouterr().out)["gate"]
    assert ("fail", 3, "exact.F1") == (
        gate["verdict"], gate["exit_code"], gate["checks"][0]["what"],
    )  # fmt: skip
    assert main([*call, "--fail-if-worse", "--format", "markdown"]) == 3
    assert "gate: fail" in capsys.readouterr().out
    assert main([*call, "--fail-if-worse", "--resamples", "0"]) == 4
    assert main([*call, "--fail-if-worse", "0.7"]) == 0


def test_a_better_candidate_passes(files: dict[str, str]) -> None:
    call = ["compare", files["gold"], files["bad"], files["good"], "-m", "exact.F1"]
    assert main([*call, "--fail-if-worse"]) == 0


def test_json_goes_to_stdout(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    call = ["compare", files["gold"], f"x={files['good']}", files["bad"], "--format", "json"]
    assert main(call) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found["systems"]] == ["x", "bad"]


def test_one_system_is_too_few(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", files["gold"], files["good"]]) == 2
    assert "give at least two systems to compare" in capsys.readouterr().err


def test_an_unknown_report_is_refused(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", files["gold"], files["good"], files["bad"], "--format", "pdf"]) == 2
    assert (
        "no report is called 'pdf'; there are: csv, html, json, latex, markdown, terminal"
        in capsys.readouterr().err
    )

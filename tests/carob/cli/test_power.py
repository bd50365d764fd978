"""carob power must say what the library says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from carob import power
from carob.cli import main
from carob.evaluate import demo


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    demo.write(tmp_path)
    return [str(tmp_path / f"{name}.conll") for name in ("gold", "careful", "hasty")]


QUICK = ["--simulations", "200", "--trials", "199", "--difference", "0.03"]


def test_json_is_the_library_s(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", *files, *QUICK, "--format", "json"]) == 0
    said = capsys.readouterr()
    found = power(files[0], files[1:], difference=0.03, simulations=200, trials=199)
    assert found.to_dict() == json.loads(said.out)
    assert "\r" not in said.err


def test_a_terminal_shows_the_studies(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for name in ("CI", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name in ("DELAY", "INTERVAL"):
        monkeypatch.setattr(f"carob.cli._bar.{name}", 0.0)
    assert main(["power", *files, *QUICK]) == 0
    said = capsys.readouterr()
    assert "studies of 30 documents" in said.err
    assert said.out.startswith("About ")


def test_the_answer_has_the_digits_of_the_table(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == main(["power", *files, *QUICK, "--percent", "--digits", "3"])
    assert re.search(r"a difference of \d\.\d{3} exact\.F1", capsys.readouterr().out)


def test_a_difference_that_cannot_be_is_refused(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["power", *files, "--difference", "0.2"]) == 1
    assert "a difference of 0.2 cannot be simulated" in capsys.readouterr().err


def test_an_unknown_report_is_refused(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", *files, *QUICK, "--format", "pdf"]) == 2
    assert (
        "no report is called 'pdf'; there are: csv, html, json, latex, markdown, terminal"
        in capsys.readouterr().err
    )

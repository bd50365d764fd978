"""carob explain must say what the library says, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob import explain
from carob.cli import main

GOLD = "a B-A\nb I-A\nc O\n\nd O\ne B-A\nf O\n\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "gold.conll").write_text(GOLD)
    (tmp_path / "system.conll").write_text(GOLD.replace("e B-A", "e I-A"))
    return str(tmp_path / "gold.conll"), str(tmp_path / "system.conll")


def test_json_is_the_library_s(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *files, "--like", "seqeval", "--format", "json"]) == 0
    assert explain(*files, "seqeval").to_dict() == json.loads(capsys.readouterr().out)


def test_a_table_names_rules_mentions_and_lines(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *files, "--like", "seqeval(mode=strict)"]) == 0
    printed = capsys.readouterr()
    assert "5 of 6 numbers of 1 tool differ, all explained." in printed.out
    assert "+ dropped" in printed.out
    assert f"{files[1]}:6: [e]A -> no mention" in printed.out
    assert "system: 2 documents, 2 gold and 2 system mentions; 1 repaired" in printed.err


def test_one_merged_file_has_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "merged.conll").write_text("a B-A B-A\nb I-A O\n\n")
    call = ["explain", str(tmp_path / "merged.conll"), "--columns", "gold=-2,system=-1",
            "--like", "conlleval", "--format", "csv"]  # fmt: skip
    assert main(call) == 0
    rows = capsys.readouterr().out.splitlines()
    assert any(row.startswith("conlleval,FB1,exact.F1,conlleval,,,0.0,") for row in rows)


def test_mistakes_are_one_line(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *files, "--like", "seqevall"]) == 2
    assert "no tool is called 'seqevall'; did you mean seqeval?" in capsys.readouterr().err
    assert main(["explain", *files, "--examples", "-1"]) == 2
    assert main(["explain", files[0]]) == 2
    assert "give gold and at least one system" in capsys.readouterr().err

"""carob split: a plan and what a person must know about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from carob.cli import main
from carob_lab.plan.plan import Plan


def test_a_plan_is_made_described_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.conll").write_text("\n".join(f"word{i} B-X\nw O\n" for i in range(9)))
    Path("d.conll").write_text("\n".join(f"word{i} B-X\nw O\n" for i in range(8)))
    assert main(["split", "c.conll", "--scheme", "kfold(k=3)", "-o", "plan.json"]) == 0
    described = capsys.readouterr().out
    assert described == (
        "9 documents, kfold(k=3), seed 0: 3 splits\n"
        "documents of a split: 6 to train on, 3 to test on\n"
        "near-duplicates (t=0.5): none\n"
    )
    assert main(["split", "--check", "plan.json", "c.conll"]) == 0
    assert f"plan.json is a plan of this corpus, 3 splits\n{described}" == capsys.readouterr().out
    assert main(["split", "--check", "plan.json", "d.conll"]) == 1
    assert "carob: plan.json: K844 found a plan of" in capsys.readouterr().err
    assert main(["split", "c.conll", "-o", "plan.json"]) == 2
    assert "a plan is never rewritten" in capsys.readouterr().err
    assert main(["split", "c.conll", "--scheme", "kfold(k=3)", "-o", "-"]) == 0
    out = capsys.readouterr()
    assert Path("plan.json").read_text() == out.out
    assert described == out.err
    assert 3 == len(Plan.read("plan.json").splits)


def test_a_scheme_that_does_not_exist_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "c.conll"
    file.write_text("Ann B-PER\n")
    assert main(["split", str(file), "--scheme", "kfoold"]) == 2
    assert "no scheme is called 'kfoold'; did you mean kfold?" in capsys.readouterr().err

"""carob audit: sentences for people, JSON for programs, and an exit code for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob.cli import main


def test_a_table_is_audited_in_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("system,slot,P,R,F\nA,stime,79.0,76.0,71.9\n")
    assert main(["audit", "t.csv"]) == 1
    text = capsys.readouterr().out
    assert text.startswith(
        "t.csv: 1 row: 1 number that cannot be right, 1 thing that the table does"
    )
    assert "line 2, A, stime: found F 71.9, expected 77.5" in text
    assert main(["audit", "t.csv", "--format", "json", "--slots", "stime,etime"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert {"F": 1, "slots": 1, "interval": 1} == content["counts"]
    for report in ("markdown", "csv", "latex", "html"):
        assert main(["audit", "t.csv", "--format", report]) == 1
        assert "71.9" in capsys.readouterr().out


def test_a_table_without_errors_exits_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("system,slot,P,R,F,sd\nA,stime,87.0,70.0,77.6,1.1\n")
    assert main(["audit", str(file)]) == 0
    assert "1 row, nothing found" in capsys.readouterr().out

"""carob diff: a sentence, a table of labels and examples; JSON has everything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob.cli import main


def test_two_versions_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.conll").write_text("Ann B-PER\nLee O\n\nBo B-PER\n")
    Path("new.conll").write_text("Ann B-PER\nLee I-PER\n\nBo B-LOC\n")
    assert main(["diff", "old.conll", "new.conll"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:10] == [
        "old.conll -> new.conll: 0 documents added, 0 removed, 0 renamed, 0 with another text; "
        "mentions: 0 added, 0 removed, 1 moved, 1 relabelled",
        "",
        "label  old  new  added  removed  moved  relabelled  attributes",
        "LOC      0    1      0        0      0           0           0",
        "PER      2    1      0        0      1           1           0",
        "",
        "1: moved PER 0..1 'Ann' -> PER 0..2 'Ann Lee'",
        "2: relabelled PER 0..1 'Bo' -> LOC 0..1 'Bo'",
        "",
        lines[9],
    ]
    assert main(["diff", "old.conll", "new.conll", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert {"added": 0, "removed": 0, "moved": 1, "relabelled": 1, "attributes": 0} == content[
        "counts"
    ]
    assert "Ann Lee" == content["mentions"][0]["new_text"]
    for report in ("markdown", "csv", "latex", "html"):
        assert main(["diff", "old.conll", "new.conll", "--format", report]) == 0
        assert "PER" in capsys.readouterr().out

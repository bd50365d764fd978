"""carob robust must say what the library says, for files of any format."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from carob import robust
from carob.cli import main

GOLD = "a B-A\nb I-A\nc O\n\nd O\ne B-A\nf O\n\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {"gold": GOLD, "legal": GOLD.replace("b I-A", "b O"),
             "stray": GOLD.replace("e B-A", "e I-A")}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / f"{name}.conll").write_text(text * 3)
    return {name: str(tmp_path / f"{name}.conll") for name in texts}


def test_json_is_the_library_s(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    call = ["robust", files["gold"], files["legal"], files["stray"], "--scheme", "iob2"]
    assert main([*call, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    how = {"scheme": "iob2"}
    found = robust(files["gold"], [files["legal"], files["stray"]], gold_options=how,
                   system_options=how)  # fmt: skip
    assert found.to_dict() == printed
    assert {"conlleval", "discard"} == {each["repair"] for each in printed["choices"]}


def test_policies_can_be_named(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    call = ["robust", files["gold"], files["legal"], files["stray"], "--scheme", "iob2",
            "-m", "exact.R", "--format", "json"]  # fmt: skip
    for options, expected in (
        (["--repair", "discard"], ["discard"]),
        (["--repairs", "discard,conlleval"], ["discard", "conlleval"]),
    ):
        assert main([*call, *options]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert expected == [each["repair"] for each in printed["choices"]]
    assert main([*call, "--repairs", "strict"]) == 1
    assert "stray.conll" in capsys.readouterr().err
    assert main([*call, "--repair", "discard", "--repairs", "strict"]) == 2
    assert "give --repair or --repairs, not both" in capsys.readouterr().err


def test_formats_may_differ_and_gold_may_be_standard_input(
    files: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(files["gold"]).parent
    lines = ['{"tokens": ["a", "b", "c"], "mentions": [{"start": 0, "end": 2, "label": "A"}]}',
             '{"tokens": ["d", "e", "f"], "mentions": []}']  # fmt: skip
    (folder / "other.jsonl").write_text("\n".join(lines * 3) + "\n")

    class Input:
        buffer = io.BytesIO(Path(files["gold"]).read_bytes())

    monkeypatch.setattr("sys.stdin", Input)
    call = ["robust", "-", files["stray"], str(folder / "other.jsonl"), "--scheme", "iob2"]
    assert main(call) == 0
    said = capsys.readouterr()
    assert said.out.startswith("The winner ")
    assert "order, discard" in said.out


def test_one_system_is_too_few(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["robust", files["gold"], files["legal"]]) == 2
    assert "give at least two systems to rank" in capsys.readouterr().err


def test_an_unknown_report_is_refused(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["robust", files["gold"], files["legal"], files["stray"], "--format", "pdf"]) == 2
    assert (
        "no report is called 'pdf'; there are: csv, html, json, latex, markdown, terminal"
        in capsys.readouterr().err
    )

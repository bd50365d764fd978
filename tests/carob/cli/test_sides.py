"""--read gold.KEY=VALUE and system.KEY=VALUE: options for one side, in signatures and verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob.cli import main


@pytest.mark.parametrize(
    ("gold", "system", "options", "field"),
    [
        ('{"id": "a", "who": "Ann"}\n{"id": "b", "who": "Bo"}',
         '{"nr": "b", "who": "Bo"}\n{"nr": "a", "who": "Ann"}',
         ["--read", "system.id=nr"], "|id_key:id/nr|"),
        ("Ann B-PER x\nslept O y\n", "Ann B-PER\nslept O\n", ["--read", "gold.columns=1"],
         "|columns:1/-1|"),
        ("Ann B-PER x\nslept O y\n", "Ann B-PER\nslept O\n",
         ["--read", "columns=-1", "--read", "gold.columns=1"], "|columns:1/-1|"),
    ],
)  # fmt: skip
def test_an_option_for_one_side_is_signed_and_verified(
    gold: str, system: str, options: list[str], field: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text(gold)
    Path("system").write_text(system)
    out = ["--resamples", "0", "-o", "result.json"]
    assert main(["score", "gold", "system", *options, *out]) == 0
    scores = json.loads(Path("result.json").read_text())["systems"][0]["scores"]
    assert field in scores[0]["signature"]
    assert {1.0} == {each["value"] for each in scores if each["recipe"].endswith(".F1")}
    assert main(["verify", "result.json"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "gold", "gold", "--read", "sytem.id=nr"],
         "--read sytem.id: found the side 'sytem'; expected gold.KEY=VALUE or system.KEY=VALUE"),
        (["convert", "gold", "out.jsonl", "--read", "gold.id=nr"],
         "--read gold.id: found the side 'gold'; this command reads one side: KEY=VALUE"),
        (["score", "gold", "gold", "--read", "system.scheme=iob1"],
         "the format records has no parameter 'scheme'"),
    ],
)  # fmt: skip
def test_a_wrong_side_is_refused(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text('{"id": "a", "who": "Ann"}')
    assert main(arguments) == 2
    assert message in capsys.readouterr().err

"""Every table of recipes is known wherever tables are: in help, in commands, in their defaults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob.cli import commands, main, parser
from carob.evaluate.options import Options, table_recipes
from carob.evaluate.tables import DEFAULT_FOR, HEADLINES


def test_every_table_has_a_score_that_stands_for_it() -> None:
    assert list(DEFAULT_FOR) == list(HEADLINES)
    for name, recipe in HEADLINES.items():
        Options(preset=name)
        assert recipe in map(str, table_recipes(name))


@pytest.mark.parametrize("command", commands())
def test_help_lists_every_table(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser(command).parse_args([command, "--help"])
    text = capsys.readouterr().out
    if "--preset" in text and command != "errors":
        assert all(name in text for name in DEFAULT_FOR)


@pytest.mark.parametrize("command", ["power", "rank", "robust", "compare"])
def test_records_need_no_recipe(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = [{"total": number} for number in range(12)]
    wrong = [{"total": number + (number % 3 == 0)} for number in range(12)]
    worse = [{"total": number + (number % 2 == 0)} for number in range(12)]
    files = []
    for name, rows in (("gold", right), ("a", wrong), ("b", worse)):
        files.append(str(tmp_path / f"{name}.jsonl"))
        Path(files[-1]).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert 0 == main([command, *files])
    assert "fields" in capsys.readouterr().out

"""carob learners, train and predict: from a file to a model to answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import carob
from carob import registry
from carob.cli import main

LINES = (
    '{"id": "1", "text": "by Ann", "mentions": [{"start": 3, "end": 6, "label": "who"}]}\n'
    '{"id": "2", "text": "by Ann !", "mentions": [{"start": 3, "end": 6, "label": "who"}]}\n'
)


def test_learners_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["learners"])
    out = capsys.readouterr().out
    for name in registry.names("learn"):
        assert f"  {name} " in out
        assert 0 == main(["learners", name])
        assert capsys.readouterr().out.startswith(f"{name} (learner)\n")
    assert 2 == main(["learners", "rot"])
    assert "did you mean rote?" in capsys.readouterr().err


def test_train_and_predict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, model, out = (tmp_path / name for name in ("gold.jsonl", "model", "out.jsonl"))
    gold.write_text(LINES)
    assert 0 == main(["train", "rote", str(gold), "-o", str(model), "-p", "precision=0.6"])
    assert "rote(precision=0.6) for who, from 2 documents\n" == capsys.readouterr().err
    assert 0 == main(["predict", str(model), str(gold), "-o", str(out)])
    assert "wrote 2 documents, 2 mentions as jsonl\n" == capsys.readouterr().err
    assert 1.0 == carob.score(gold, out, "oaod.F1", resamples=0).value
    assert 0 == main(["predict", str(model), str(gold)])
    assert 2 == capsys.readouterr().out.count('"label": "who"')


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["train", "rot", "gold", "-o", "m"], 2, "no learner is called 'rot'; did you mean rote?"),
        (["train", "rote(", "gold", "-o", "m"], 2, "expected the name of a parameter"),
        (["train", "rote", "gold", "-o", "m", "-p", "x"], 2, "expected KEY=VALUE"),
        (["train", "rote", "gold", "-o", "m", "--slots", "what"], 2, "no slot is called 'what'"),
        (["predict", "nowhere", "gold"], 1, "expected the folder of a model"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], code: int, message: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text(LINES)
    assert code == main(arguments)
    err = capsys.readouterr().err
    assert message in err and 1 == err.count("\n")

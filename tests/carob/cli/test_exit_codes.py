"""1 if it depends on the files that something is not possible, 2 if the call is wrong anyway."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob.cli import main

TOKENS = "Ann B-PER\nslept O\n\nBo B-PER\nwoke O\n"
CHARACTERS = {"unit": "char", "length": 9, "mentions": [{"start": 0, "end": 3, "label": "PER"}]}
NESTED = {"tokens": ["a", "b"], "mentions": [{"start": 0, "end": 2, "label": "A"},
                                             {"start": 0, "end": 1, "label": "B"}]}  # fmt: skip

DATA = [
    ("convert nested.jsonl out.conll", "conll cannot hold"),
    ("convert nested.jsonl - --to conll", "conll cannot hold"),
    ("convert chars.jsonl out.inline --lossy", "inline needs a text"),
    ("score chars.jsonl chars.jsonl -m ts.F1", "this event space counts tokens"),
    ("score chars.jsonl chars.jsonl -m exact.F1 --resample-by sentence", "resample_by sentence"),
    ("score gold.conll gold.conll --strata site", "no attribute of documents is called"),
    ("score gold.conll gold.conll -m exact.F1 --fail-under PRE=0.8", "no label is called 'PRE'"),
    ("score gold.conll gold.conll -m nugget(attributes=realis).F1", "no attribute is called"),
    ("errors gold.conll gold.conll --label PRE", "no label is called 'PRE'"),
    ("power gold.conll a=gold.conll b=gold.conll", "have the same counts"),
]
USAGE = [
    ("convert gold.conll out.xml", "no format ends in '.xml'"),
    ("convert gold.conll out.conll --write tag=1", "conll is written without"),
    ("score gold.conll gold.conll -m exat.F1", "no event space is called"),
    ("score gold.conll gold.conll --resamples 3", "resamples is 0"),
    ("score gold.conll gold.conll -m exact.F1 --fail-under x", "expected a floor"),
    ("score gold.conll gold.conll --read tag=", "tag is the number or name of a column"),
    ("power gold.conll a=gold.conll b=gold.conll --difference 1e-300", "at least 1e-09"),
    ("compare gold.conll a=gold.conll b=gold.conll --trials 1000000000", "to 10,000,000, not"),
]


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [*((1, *each) for each in DATA), *((2, *each) for each in USAGE)],
    ids=lambda part: str(part),
)
def test_the_exit_code_says_whose_mistake_it_is(
    code: int, line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(TOKENS)
    Path("chars.jsonl").write_text(json.dumps(CHARACTERS) + "\n")
    Path("nested.jsonl").write_text(json.dumps(NESTED) + "\n")
    assert code == main(line.split())
    assert message in capsys.readouterr().err

"""Invented files are valid, the same each time and in both formats, and err as they should."""

from __future__ import annotations

from pathlib import Path

import pytest

import carob
import generate as generator
from generate import generate


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "BLOCK", 700)


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path, small_blocks: None) -> None:
    one = generate(tmp_path / "one", tokens=3000, systems=2)
    other = generate(tmp_path / "other", tokens=3000, systems=2)
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]
    third = generate(tmp_path / "third", tokens=3000, systems=1)
    assert one[1].read_bytes() == third[1].read_bytes()


@pytest.mark.parametrize("labels", [2, 18, 200])
def test_both_formats_hold_the_same(tmp_path: Path, small_blocks: None, labels: int) -> None:
    made = generate(tmp_path, 3000, labels, systems=1, formats=("conll", "jsonl"))
    corpora = {path.name: carob.read(path) for path in made}
    for side in ("gold", "system-1"):
        conll, jsonl = corpora[f"{side}.conll"], corpora[f"{side}.jsonl"]
        assert 3000 == sum(len(document.tokens or ()) for document in conll)
        for one, other in zip(conll, jsonl, strict=True):
            assert (one.tokens, one.mentions) == (other.tokens, other.mentions)
            assert one.sentences == other.sentences
    assert 0 == sum(corpora["gold.conll"].facts.get(key, 0) for key in ("repaired", "discarded"))


def test_a_system_errs_as_often_as_it_is_told(tmp_path: Path) -> None:
    made = generate(tmp_path, tokens=60_000, systems=3)
    values = [carob.score(made[0], path, "exact.F1", resamples=0).value for path in made[1:]]
    assert all(value is not None and 0.83 < value < 0.92 for value in values)
    assert 3 == len(set(values))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"tokens": 0}, "found 0 tokens, expected at least 1"),
        ({"labels": 1}, "found 1 labels, expected 2 to 1000"),
        ({"systems": -1}, "found -1 systems, expected 0 or more"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, wrong: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate(tmp_path, **wrong)  # type: ignore[arg-type]

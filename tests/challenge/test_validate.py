"""What the validator accepts, the scorer scores: they have one set of rules."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob.example import invoices, seminars
from carob_challenge import scoring
from carob_challenge.config import Config
from carob_challenge.draft import init
from carob_challenge.material import materials
from tests.challenge.world import GOLD, document, lines, make, phase

RELATIONS = {
    "mentions": [
        {"id": "a", "start": 0, "end": 2, "label": "PER"},
        {"id": "b", "start": 3, "end": 5, "label": "ORG"},
    ],
    "relations": [{"label": "WORK", "arguments": {"who": "a", "where": "b"}}],
}


def gold(kind: str) -> list[dict[str, Any]]:
    if kind == "mentions":
        return [document(i, GOLD) | {"id": f"d{i}"} for i in range(24)]
    if kind == "relations":
        words = ["Ann", "Lee", "of", "Acme", "Ltd"]
        return [{"id": f"r{i}", "tokens": words, **copy.deepcopy(RELATIONS)} for i in range(24)]
    files = seminars.files(0, 24) if kind == "slots" else invoices.files(0, 24)
    return [json.loads(line) for line in files["gold.jsonl"].splitlines()]


KINDS = ("mentions", "slots", "records", "relations")
VALUES: list[Any] = [
    None, True, 0, -1, 2.5, "", "x", "Ann", "2024-05-14", "12,50", [], {}, ["x"], [None],
    {"a": 1}, "PER", {"text": "x"}, {"value": 1}, [{"text": "x"}], 10**20,
]  # fmt: skip
KEYS = ("text", "label", "start", "attributes", "confidence", "slots", "mentions", "relations",
        "templates", "id", "fragments", "arguments", "type", "due", "lines")  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Everything in a JSON value that can be changed: what it is in, and where."""
    every: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            every += [(value, key), *places(value[key])]
    return every


def change(rng: Random, documents: list[dict[str, Any]]) -> None:
    """Change one thing in an answer, whatever it is."""
    inside, key = rng.choice(places(documents) or [(documents, 0)])
    old, what = inside[key] if documents else None, rng.random()
    if what < 0.25:
        del inside[key]
    elif what < 0.45 and isinstance(old, int) and not isinstance(old, bool):
        inside[key] = old + rng.choice([-1, 1, 2])
    elif what < 0.45 and isinstance(old, str):
        inside[key] = rng.choice([old + "x", old.upper(), old[:-1]])
    elif what < 0.7:
        inside[key] = copy.deepcopy(rng.choice(VALUES))
    elif isinstance(inside, list):
        inside.insert(key, copy.deepcopy(old))
    else:
        inside[rng.choice(KEYS)] = copy.deepcopy(rng.choice(VALUES))


@pytest.fixture(scope="module", params=KINDS)
def challenge(request: pytest.FixtureRequest, tmp_path_factory: Any) -> tuple[str, Path]:
    """A challenge of each kind, drafted from gold alone."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    (folder / "gold.jsonl").write_bytes(lines(gold(request.param)))
    init(folder / "challenge", None, folder / "gold.jsonl")
    return request.param, folder


def arguments(folder: Path, data: bytes, part: str = "test") -> dict[str, Any]:
    config = Config.read(folder / "challenge")
    file = folder / "answer"
    file.write_bytes(data)
    return scoring.arguments(materials(config)[part], config.limits, file, "answer.jsonl")


def test_gold_is_a_valid_answer_with_the_best_score(challenge: tuple[str, Path]) -> None:
    kind, folder = challenge
    common = arguments(folder, lines(gold(kind)))
    findings, _ = scoring.validated(**common)
    assert findings["valid"], findings["problems"]
    content, _ = scoring.scored(**common)
    assert 1.0 == content["official"]["value"]
    assert all(each["value"] == 1.0 for each in content["scores"])


@given(seed=st.integers(0, 2**32), changes=st.integers(1, 5))
def test_what_is_valid_can_be_scored(challenge: tuple[str, Path], seed: int, changes: int) -> None:
    kind, folder = challenge
    documents, rng = gold(kind), Random(seed)
    for _ in range(changes):
        change(rng, documents)
    common = arguments(folder, lines(documents))
    findings, _ = scoring.validated(**common)
    if findings["valid"]:
        scoring.scored(**common)


@pytest.mark.parametrize("empty", ["invalid", "allowed"])
@pytest.mark.parametrize(
    "data", [b"", lines([document(i) for i in range(8)]), lines([document(0)])]
)
def test_a_file_without_any_answer_is_invalid_unless_it_is_allowed(
    tmp_path: Path, data: bytes, empty: str
) -> None:
    make(tmp_path, phase("test") + f'empty = "{empty}"\n')
    findings, _ = scoring.validated(**arguments(tmp_path, data))
    assert (empty == "allowed") == findings["valid"]
    if empty == "invalid":
        assert ["answer.jsonl: K935 found no answer at all, expected at least one: this challenge "
                "takes no empty files"] == [
            each["message"] for each in findings["problems"] if each["severity"] == "error"
        ]  # fmt: skip
    else:
        content, _ = scoring.scored(**arguments(tmp_path, data))
        assert 0.0 == content["official"]["value"]

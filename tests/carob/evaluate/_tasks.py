"""A gold file and a task definition for it, to be changed by tests."""

from __future__ import annotations

import json
from pathlib import Path

from carob.corpus.source import Source

TALKS = [
    {"speaker": ["Ann Lee", "Dr. Lee"], "stime": ["5 pm"]},
    {"speaker": ["Bo"], "stime": ["6"]},
    {"speaker": ["Cy", "CY"]},
]


def gold(folder: Path) -> Path:
    """Three documents with one template each: two, one and one speakers; one without a time."""
    file = folder / "gold.jsonl"
    records = [
        {"id": f"d{i}", "text": "So.", "templates": [{"label": "talk", "slots": slots}]}
        for i, slots in enumerate(TALKS, 1)
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def mentions(folder: Path) -> Path:
    """Three documents in conll, with ids."""
    file = folder / "gold.conll"
    tokens = ["Ann B-PER\nmet O\nBo B-PER\n", "Oslo B-LOC\nrains O\n", "Cy B-PER\nslept O\n"]
    file.write_text("\n".join(f"# newdoc id = d{i}\n{text}" for i, text in enumerate(tokens, 1)))
    return file


def toml(gold: Path, recipes: str = '["exact.F1"]', more: str = "") -> str:
    """The text of a task definition for gold."""
    slots = ("talk.speaker", "talk.stime") if gold.suffix == ".jsonl" else ("LOC", "PER")
    tables = "".join(f'[slots."{slot}"]\nfillers = "any"\nrealisations = "one"\n' for slot in slots)
    return (
        f'[corpus]\nname = "talks"\nversion = "1.0"\nsha256 = "{Source(gold).sha256}"\n'
        f"documents = 3\n[scoring]\nrecipes = {recipes}\n{tables}{more}"
    )


def written(gold: Path, recipes: str = '["exact.F1"]', more: str = "", **changes: str) -> Path:
    """The definition as a file; `changes` replace words of it."""
    text = toml(gold, recipes, more)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file = gold.parent / "task.toml"
    file.write_text(text, newline="\n")
    return file

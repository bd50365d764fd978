"""Published examples come out as published.

Every file of tests/carob/golden is one example:

source      where it is printed
space       the event space of `counts`, as recipes write it
text        with positions in characters, or `tokens`, with positions in tokens
tokenizer   `whitespace` makes tokens of a text; spans must then begin and end where tokens do
gold        mentions [start, end, label], or [[[start, end], ...], label] if discontinuous
system      likewise
counts      label -> outcome or quantity -> number, exact
scores      recipe -> number, as printed
decimals    how many the source prints; a score may be off by half of the last place
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, Document, Mention, Pair, Recipe, Tally, score

FILES = sorted((Path(__file__).parent / "golden").glob("*.json"))
NEEDED = {"source", "gold", "system"}
KNOWN = NEEDED | {"space", "text", "tokens", "tokenizer", "counts", "scores", "decimals"}


def _checked(record: Mapping[str, Any]) -> None:
    """An example that says something we do not look at would only seem to be tested."""
    assert set() == set(record) - KNOWN, "fields that nothing reads"
    assert set() == NEEDED - set(record), "fields that are missing"
    assert ("text" in record) != ("tokens" in record), "a text or tokens"
    assert record.get("tokenizer", "whitespace") == "whitespace"
    assert "text" in record or "tokenizer" not in record
    assert record.get("counts") or record.get("scores"), "something to compare"
    assert ("counts" in record) == ("space" in record), "counts are those of a space"
    assert ("scores" in record) == ("decimals" in record), "scores have decimals"


def _tokens(record: Mapping[str, Any]) -> tuple[str, ...] | None:
    if "tokenizer" in record:
        return tuple(record["text"].split())
    return tuple(record["tokens"]) if "tokens" in record else None


def _mention(record: Mapping[str, Any], given: list[Any]) -> Mention:
    *place, label = given
    fragments = [tuple(place)] if len(place) == 2 else [tuple(part) for part in place[0]]
    if "tokenizer" in record:
        words = [word.span() for word in re.finditer(r"\S+", record["text"])]
        starts = {start: i for i, (start, _) in enumerate(words)}
        ends = {end: i + 1 for i, (_, end) in enumerate(words)}
        fragments = [(starts[start], ends[end]) for start, end in fragments]
    return Mention.of(label, fragments)


def _corpus(record: Mapping[str, Any], side: str) -> Corpus:
    tokens = _tokens(record)
    mentions = tuple(_mention(record, given) for given in record[side])
    text = record["text"] if tokens is None else None
    return Corpus.of(Document("example", text=text, tokens=tokens, mentions=mentions))


def _differences(record: Mapping[str, Any]) -> list[str]:
    """What comes out otherwise than printed."""
    _checked(record)
    gold, system = _corpus(record, "gold"), _corpus(record, "system")
    found = []
    if "counts" in record:
        tally = Tally.of(Recipe.parse(f"{record['space']}.F1").space, Pair.of(gold, system))
        quantities = tally.by_label()
        for label, counts in record["counts"].items():
            for name, expected in counts.items():
                actual = quantities[name][tally.labels.index(label)].item()
                if abs(expected - actual) > 1e-9:
                    found.append(f"{label} {name}: printed {expected}, counted {actual}")
    for recipe, expected in record.get("scores", {}).items():
        actual = score(gold, system, recipe).value
        if actual is None or abs(expected - actual) > 0.5 * 10 ** -record["decimals"] + 1e-12:
            found.append(f"{recipe}: printed {expected}, scored {actual}")
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_published_example_comes_out_as_published(file: Path) -> None:
    assert _differences(json.loads(file.read_text(encoding="utf-8"))) == []


EXAMPLE: dict[str, Any] = {
    "source": "made up", "space": "ts", "tokens": ["a", "b"], "gold": [[0, 2, "X"]],
    "system": [[[[0, 1]], "X"]], "counts": {"X": {"tp": 1, "fn": 2}},
    "scores": {"ts.R": 0.333}, "decimals": 3,
}  # fmt: skip


@pytest.mark.parametrize("change", [
    {"comment": "?"}, {"text": "a b"}, {"tokenizer": "whitespace"}, {"source": None},
    {"decimals": None}, {"space": None}, {"counts": None, "space": None, "scores": {}},
])  # fmt: skip
def test_an_example_that_says_too_much_or_too_little_is_no_example(change: dict[str, Any]) -> None:
    assert _differences(EXAMPLE) == []
    record = {key: value for key, value in (EXAMPLE | change).items() if value is not None}
    with pytest.raises(AssertionError):
        _differences(record)


def test_another_number_than_the_printed_one_is_seen() -> None:
    changed = EXAMPLE | {"counts": {"X": {"tp": 2}}, "scores": {"ts.R": 0.334, "exact.F1": 1}}
    expected = [
        "X tp: printed 2, counted 1.0",
        "ts.R: printed 0.334, scored 0.3333333333333333",
        "exact.F1: printed 1, scored 0.0",
    ]
    assert expected == _differences(changed)

"""Triples of strings: read as templates, and scored as relations by finding the strings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, InputError, UsageError, read, score
from carob.plugin import Source

TEXT = "Ann met Bo . Later Ann left Acme ."
GOLD: dict[str, Any] = {
    "id": "1",
    "text": TEXT,
    "mentions": [
        {"id": "b", "start": 8, "end": 10, "label": "PER"},
        {"id": "a", "start": 19, "end": 22, "label": "PER"},
        {"id": "c", "start": 28, "end": 32, "label": "ORG"},
    ],
    "relations": [
        {"label": "LEFT", "arguments": {"from": "a", "to": "c"}},
        {"label": "MET", "arguments": {"from": "a", "to": "b"}},
    ],
}


def source(*lines: object) -> Source:
    return Source.of_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines), "file")


def triple(head: str, kind: str, tail: str) -> dict[str, str]:
    return {"head": head, "type": kind, "tail": tail}


def test_the_format_is_recognised_under_its_usual_names() -> None:
    for line in (
        {"id": "1", "triples": [triple("Ann", "MET", "Bo")]},
        {"id": "1", "text": TEXT, "relations": [triple("Ann", "MET", "Bo")]},
        {"id": 1, "triplets": [{"subject": "Ann", "predicate": "MET", "object": "Bo"}]},
    ):
        corpus = read(source(line))
        assert corpus.origin is not None
        assert "triples" == corpus.origin.format
        assert ("MET", ["from", "to"]) == (
            corpus[0].templates[0].label,
            list(corpus[0].templates[0].slots),
        )


def test_strings_are_found_at_gold_mentions_first() -> None:
    lines = source(
        {"id": "1", "triples": [triple("ann", "LEFT", "Acme"), triple("Ann", "MET", "X")]}
    )
    result = score(Corpus.of(GOLD), read(lines), ["relations(types=ignore).PRF"], resamples=0)
    assert [0.5, 0.5, 0.5] == [each.value for each in result.scores]
    coverage = result.systems[0].coverage
    assert (1, 0) == (coverage["ungrounded"], coverage["duplicates"])


def test_a_triple_names_no_types() -> None:
    answer = read(source({"id": "1", "triples": [triple("Ann", "LEFT", "Acme")]}))
    assert 0.0 == score(Corpus.of(GOLD), answer, "relations.F1", resamples=0).value


def test_both_sides_may_be_strings() -> None:
    gold = read(source({"id": "1", "text": TEXT, "triples": [triple("Ann", "LEFT", "Acme")]}))
    answer = read(source({"id": "1", "triples": [triple("ANN", "LEFT", "Acme")]}))
    assert 1.0 == score(gold, answer, "relations.F1", resamples=0).value


def test_tokens_are_searched_where_gold_has_tokens() -> None:
    tokens = {"id": "1", "tokens": TEXT.split(), "relations": GOLD["relations"], "mentions": [
        {"id": "b", "start": 2, "end": 3, "label": "PER"},
        {"id": "a", "start": 5, "end": 6, "label": "PER"},
        {"id": "c", "start": 7, "end": 8, "label": "ORG"},
    ]}  # fmt: skip
    answer = read(source({"id": "1", "triples": [triple("Ann", "LEFT", "Acme")]}))
    result = score(Corpus.of(tokens), answer, "relations(types=ignore).P", resamples=0)
    assert 1.0 == result.value


def test_roles_have_the_names_that_gold_has(tmp_path: Path) -> None:
    path = tmp_path / "system.jsonl"
    path.write_text(json.dumps({"id": "1", "triples": [triple("Ann", "LEFT", "Acme")]}))
    relations = [{"label": "LEFT", "arguments": {"Arg1": "a", "Arg2": "c"}}]
    gold = Corpus.of(GOLD | {"relations": relations})
    for roles, expected in (("from+to", 0.0), ("Arg1+Arg2", 1.0)):
        result = score(gold, path, "relations(types=ignore).F1", resamples=0,
                       system_options={"format": "triples", "roles": roles})  # fmt: skip
        assert expected == result.value
        assert f"roles:none/{roles}" in result.scores[0].signature


def test_gold_without_a_text_cannot_be_searched() -> None:
    bare = Corpus.of({**GOLD, "text": None, "unit": "char"})
    answer = read(source({"id": "1", "triples": [triple("Ann", "LEFT", "Acme")]}))
    with pytest.raises(UsageError, match="document '1' has no text to find 'Ann' in, an argument"):
        score(bare, answer, "relations.F1", resamples=0)


def test_problems_name_the_place() -> None:
    lines = [
        {"triples": [triple("Ann", "MET", "Bo")]},
        {"triples": [{"head": "Ann", "tail": "Bo"}]},
        {"triples": [{"head": 1, "type": "MET", "tail": "Bo"}]},
        {"triples": [{"head": "Ann", "subject": "Ann", "type": "MET", "tail": "Bo"}]},
        {"triples": "none"},
        {"triples": [triple("Ann", "", "Bo")]},
    ]
    with pytest.raises(InputError) as caught:
        read(source(*lines), "triples")
    assert [
        (2, "triples[0] with no type"), (3, "triples[0].head = 1"),
        (4, "triples[0] with head and subject"), (5, "triples = 'none'"),
        (6, "triples[0] with a type that is empty"),
    ] == [(each.line, each.found) for each in caught.value.problems]  # fmt: skip
    with pytest.raises(UsageError, match=r"^roles: found 'a\+b\+c', expected two roles"):
        read(source(lines[0]), "triples", roles="a+b+c")


def test_a_bare_list_is_an_answer() -> None:
    lists = [[triple("Ann", "MET", "Bo"), triple("Ann", "LEFT", "Acme")], []]
    expected = list(read(source(*({"triples": each} for each in lists)), "triples"))
    assert expected == list(read(source(*lists), "triples"))
    assert expected == list(read(source(*lists), "triples", repair="json"))
    raw = [{"out": json.dumps(each)} for each in lists]
    assert expected == list(read(source(*raw), "triples", raw="out"))

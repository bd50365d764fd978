"""A selection has the chosen documents just as the whole corpus has them, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import carob
from carob import Corpus
from tests.worlds import times


def record(number: int) -> dict[str, object]:
    """A document with some of everything; the number decides of what."""
    text = f"Ann {number} met Bo in Rome"
    mentions = [
        {"id": "T1", "start": 0, "end": 3, "label": "PER", "attributes": {"sure": str(number)}},
        {"id": "T2", "fragments": [[8, 10], [14, 18]], "label": "ODD", "confidence": 0.5},
    ][: number % 3]
    both = len(mentions) == 2
    slots = {"who": ["Ann", {"start": 0, "end": 3}], "where": [{"slots": {"city": ["Rome"]}}]}
    found: dict[str, object] = {
        "id": f"d{number}", "text": text, "mentions": mentions, "mine": number,
        "attributes": {"genre": "news" if number % 2 else "talk"},
        "templates": [{"label": "trip", "slots": slots}] * (number % 4),
    }  # fmt: skip
    if both:
        found["relations"] = [{"label": "met", "arguments": {"a": "T1", "b": "T2"}}]
        found["clusters"] = [{"mentions": ["T1", "T2"]}]
        linked = {"label": "linked", "slots": {"who": [{"mention": "T2"}]}}
        found["templates"] = [linked]
    return found


def test_documents_are_the_same_before_and_after() -> None:
    rng = np.random.default_rng(7)
    corpus = Corpus.of(*map(record, range(24)))
    for _ in range(times(1.5)):
        docs = np.flatnonzero(rng.random(24) < rng.random())
        chosen = corpus.only(docs)
        assert [corpus[row] for row in docs.tolist()] == list(chosen)
        assert chosen.documents.id == tuple(f"d{row}" for row in docs.tolist())


def test_a_selection_of_a_selection_is_one() -> None:
    corpus = Corpus.of(*map(record, range(12)))
    some = corpus.only(np.arange(2, 12))
    assert [corpus[4], corpus[11]] == list(some.only(np.array([2, 9])))


def test_all_documents_are_the_corpus_itself() -> None:
    corpus = Corpus.of("[Ann]PER", "[Bo]PER")
    assert corpus.only(np.arange(2)) is corpus


def test_no_document_is_an_empty_corpus() -> None:
    corpus = Corpus.of(*map(record, range(6)))
    nothing = corpus.only(np.empty(0, np.int64))
    assert 0 == len(nothing) == len(nothing.mentions) == len(nothing.templates)


def test_words_and_lines_are_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "dev.conll"
    file.write_text("Ann B-PER\n\nslept O\n\nBo B-PER\nwoke O\n")
    corpus = carob.read(file)
    last = corpus.only(np.array([2]))
    assert ("Bo", "woke") == last[0].tokens
    assert last.library is not None
    assert 6 == last.library.line(0, 1)
    assert last.origin == corpus.origin
    assert last.facts == corpus.facts


def test_mentions_keep_their_places_in_the_file() -> None:
    corpus = Corpus.of("[Ann]PER [Bo]PER", "[[Cy]B]A [Di]A")
    turned = replace(corpus, mentions=replace(corpus.mentions, place=np.arange(5)[::-1].copy()))
    place = turned.only(np.array([1])).mentions.place
    assert place is not None
    assert [2, 1, 0] == place.tolist()

"""A pair that is counted in pieces has the counts of the whole, and so the same scores."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob import Corpus, Document, Pair, Tally, registry, score
from carob.counts import tally
from carob.pair import pair as pieces
from tests.worlds import LABELS, random_flat, random_mention, times

LOCAL = [
    name
    for name in registry.builtin("match")
    if getattr(registry.load("match", name), "by_document", False)
]


def random_corpora(rng: random.Random, size: int, *, flat: bool) -> tuple[Corpus, Corpus]:
    """Gold and system with the same tokens; some documents have no mentions."""
    lengths = [rng.randint(1, 9) for _ in range(size)]

    def one() -> Corpus:
        documents = []
        for length in lengths:
            mentions = random_flat(rng, length) if flat else tuple(
                random_mention(rng, length) for _ in range(rng.randint(0, 4))
            )  # fmt: skip
            some = mentions if rng.random() < 0.8 else ()
            documents.append(Document(tokens=("x",) * length, mentions=some, sentences=(0,)))
        return Corpus.of(*documents)

    return one(), one()


def in_pieces(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(pieces, "PIECE", size)


def same(one: Tally, other: Tally) -> bool:
    names = ("units", "labels", "outcomes", "factors")
    return all(getattr(one, name) == getattr(other, name) for name in names) and all(
        np.array_equal(a, b)
        for a, b in (
            (one.unit, other.unit),
            (one.label, other.label),
            (one.counts, other.counts),
        )
    )


def test_mentions_are_counted_document_by_document() -> None:
    assert {"exact", "ts", "overlap", "slots", "fair", "nugget", "semeval"} <= set(LOCAL)


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("dense", [True, False])
def test_the_tallies_of_pieces_make_the_tally_of_the_whole(
    name: str, dense: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(name)
    space = registry.load("match", name)()
    monkeypatch.setattr(tally, "DENSE", tally.DENSE if dense else 0)
    several = 0
    for number in range(times(0.3)):
        pair = Pair.of(*random_corpora(rng, rng.randint(1, 12), flat=number % 2 == 0), LABELS)
        in_pieces(monkeypatch, rng.randint(1, 12))
        cut = pieces.slot_pieces if space.items == "filler" else pieces.pieces
        parts = list(cut(pair))
        together = Tally.concatenate(Tally.of(space, part) for part in parts)
        assert same(Tally.of(space, pair), together)
        several += len(parts) > 1
    assert several > times(0.15)


def random_records(rng: random.Random, size: int) -> Corpus:
    """Records with lists, objects in objects and, sometimes, a text."""

    def slots(depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name in rng.sample("abc", rng.randint(0, 3)):
            made[name] = [
                {"slots": slots(depth + 1)} if depth < 2 and rng.random() < 0.2
                else rng.choice(["Ann", "Bo", "ann  ", "Cy"])
                for _ in range(rng.randint(1, 2))
            ]  # fmt: skip
        return made

    documents = []
    for number in range(size):
        several = [{"slots": slots(0)} for _ in range(rng.randint(0, 2))]
        text = {"text": ("Ann met Bo", "Nobody")[number % 3 - 1]} if number % 3 else {}
        documents.append({"id": str(number), "templates": several, **text})
    return Corpus.of(*documents)


@pytest.mark.parametrize("name", ["oas", "oads", "templates"])
def test_fillers_in_pieces_are_those_of_the_whole(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(name)
    space = registry.load("match", name)()
    several = 0
    for _ in range(times(0.8)):
        size = rng.randint(1, 15)
        gold, system = random_records(rng, size), random_records(rng, size)
        whole = score(gold, system, f"{name}.PRF", resamples=0)
        in_pieces(monkeypatch, rng.randint(1, 25))
        pair = Pair.of(gold, system)
        parts = list(pieces.slot_pieces(pair))
        assert same(Tally.of(space, Pair.of(gold, system)),
                    Tally.concatenate(Tally.of(space, part) for part in parts))  # fmt: skip
        assert whole.to_dict() == score(gold, system, f"{name}.PRF", resamples=0).to_dict()
        in_pieces(monkeypatch, 1 << 16)
        several += len(parts) > 1
    assert several > times(0.4)


def test_pieces_are_the_documents_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    for _ in range(100):
        pair = Pair.of(*random_corpora(rng, rng.randint(1, 12), flat=False))
        in_pieces(monkeypatch, rng.randint(1, 9))
        rows: dict[str, list[Any]] = {"gold": [], "system": []}
        seen = 0
        for part in pieces.pieces(pair):
            for side, found in rows.items():
                table = getattr(part, side)
                found += [
                    (seen + int(table.doc[row]), table.fragments_of(row), int(table.label[row]))
                    for row in range(len(table))
                ]
            for row in range(part.size):
                assert pair.documents.sentences(seen + row) == part.documents.sentences(row)
                assert pair.documents.length[seen + row] == part.documents.length[row]
            seen += part.size
        assert pair.size == seen
        for side, found in rows.items():
            table = getattr(pair, side)
            expected = [
                (int(table.doc[row]), table.fragments_of(row), int(table.label[row]))
                for row in range(len(table))
            ]
            assert expected == found


def test_scores_are_the_same_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, system = random_corpora(random.Random(6), 60, flat=True)
    recipes = ["exact.PRF", "exact.F1@macro", "boundary.F1@macro-doc", "exact.F1@label:A"]
    units = ("document", "sentence")
    whole = [score(gold, system, recipes, resamples=200, resample_by=by) for by in units]
    in_pieces(monkeypatch, 20)
    cut = [score(gold, system, recipes, resamples=200, resample_by=by) for by in units]
    assert [each.to_dict() for each in whole] == [each.to_dict() for each in cut]


def test_characters_are_not_cut_into_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = Corpus.of({"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "A"}]})
    in_pieces(monkeypatch, 1)
    pair = Pair.of(gold, gold)
    assert [pair] == list(pieces.pieces(pair))


def test_weights_of_tokens_are_those_of_the_whole_file(tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    weights.write_text("1\n2\n")
    for name in ("ts", "token"):
        space = registry.load("match", name)
        assert space().by_document and not space(token_weights=str(weights)).by_document

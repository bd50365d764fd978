"""The chain against enumeration: every legal sequence of tags is written down and scored."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.pair.texts import Examples, Spans, Texts
from carob_lab.learn._crfsuite import feature_lists
from carob_lab.learn._tagging import (
    TaggingModel,
    Tags,
    best_tags,
    forward_backward,
    span_confidence,
)
from carob_lab.learn.perceptron import Perceptron, averaged, pieces
from carob_lab.learn.train import train
from carob_lab.make.generate import generate

WORLDS = st.tuples(
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.sampled_from([(1, "bio"), (2, "bio"), (1, "bies")]),
    st.integers(0, 1000),
)


def legal(tags: Tags, length: int) -> list[tuple[int, ...]]:
    """All sequences that are legal: read from what the letters mean, not from the table."""
    found = []
    for sequence in product(range(len(tags)), repeat=length):
        names = ["O" if t == 0 else f"{'BIES'[(t - 1) % tags.letters]}{(t - 1) // tags.letters}"
                 for t in sequence]  # fmt: skip
        text = " ".join(names)
        good = True
        for before, after in zip(["O", *names], [*names, "O"], strict=True):
            if tags.scheme == "bio":
                good &= after[0] != "I" or (before[0] in "BI" and before[1:] == after[1:])
            else:
                goes_on = after[0] in "IE"
                good &= (before[0] in "BI") == goes_on
                good &= not goes_on or before[1:] == after[1:]
        if good:
            assert text.count("E") <= text.count("B")
            found.append(sequence)
    return found


def world(
    lengths: list[int], kind: tuple[int, str], seed: int
) -> tuple[Texts, Tags, FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    texts = Texts.of(Corpus.of(*({"tokens": ["a"] * length} for length in lengths)))
    tags = Tags(*kind)
    # Whole numbers make ties, which must not confuse anything.
    scores = rng.integers(-2, 3, (sum(lengths), len(tags))).astype(float)
    return texts, tags, scores, rng.integers(-2, 3, (len(tags), len(tags))).astype(float)


def total(sequence: tuple[int, ...], scores: FloatArray, moves: FloatArray) -> float:
    steps = pairwise(sequence)
    return float(
        sum(scores[i, t] for i, t in enumerate(sequence)) + sum(moves[a, b] for a, b in steps)
    )


@settings(max_examples=60)
@given(WORLDS)
def test_the_best_sequence_is_the_best_of_all(
    given_world: tuple[list[int], tuple[int, str], int],
) -> None:
    texts, tags, scores, moves = world(*given_world)
    best, totals = best_tags(scores, moves, tags, texts.offsets)
    for doc, (low, high) in enumerate(zip(texts.offsets, texts.offsets[1:], strict=False)):
        if low == high:
            continue
        every = legal(tags, int(high - low))
        own = tuple(best[low:high].tolist())
        assert own in every
        top = max(total(each, scores[low:high], moves) for each in every)
        assert top == total(own, scores[low:high], moves) == totals[doc]


@settings(max_examples=60)
@given(WORLDS)
def test_probabilities_are_shares_of_all_sequences(
    given_world: tuple[list[int], tuple[int, str], int],
) -> None:
    texts, tags, scores, moves = world(*given_world)
    forward, backward, totals = forward_backward(scores, moves, tags, texts.offsets)
    best, _ = best_tags(scores, moves, tags, texts.offsets)
    spans = tags.spans(best, texts)
    confidence = span_confidence(scores, moves, tags, texts, spans, best)
    for doc, (low, high) in enumerate(zip(texts.offsets, texts.offsets[1:], strict=False)):
        if low == high:
            continue
        every = legal(tags, int(high - low))
        weight = {each: np.exp(total(each, scores[low:high], moves)) for each in every}
        whole = sum(weight.values())
        assert totals[doc] == pytest.approx(np.log(whole))
        for place in range(high - low):
            for tag in range(len(tags)):
                share = sum(w for each, w in weight.items() if each[place] == tag) / whole
                at = low + place
                assert np.exp(forward[at, tag] + backward[at, tag] - totals[doc]) == pytest.approx(
                    share
                )
        alone = Texts.of(Corpus.of({"tokens": ["a"] * int(high - low)}))
        for row in np.flatnonzero(spans.doc == doc).tolist():
            key = (spans.first[row], spans.last[row], spans.slot[row])
            share = sum(w for each, w in weight.items() if key in mentions(tags, each, alone))
            assert confidence[row] == pytest.approx(share / whole)


def mentions(tags: Tags, sequence: tuple[int, ...], texts: Texts) -> set[tuple[int, int, int]]:
    spans = tags.spans(np.array(sequence), texts)
    return set(zip(spans.first.tolist(), spans.last.tolist(), spans.slot.tolist(), strict=True))


@given(
    st.lists(st.sampled_from(["a", "[a]x", "[a b]x", "[b]y", "[a b c]y"]), max_size=6),
    st.sampled_from(["bio", "bies"]),
)
def test_tags_stand_for_the_mentions_they_were_made_from(pieces: list[str], scheme: str) -> None:
    examples = Examples.of(Corpus.of(" ".join(pieces), "[a]x [b]y"))
    spans = examples.spans(("x", "y"))
    tags = Tags(2, scheme)
    column, left_out = tags.of(spans, examples.texts)
    again = tags.spans(column, examples.texts)
    assert 0 == left_out
    assert rows(spans) == rows(again)


def rows(spans: Spans) -> list[list[int]]:
    columns = np.array([spans.doc, spans.first, spans.last, spans.slot])
    return sorted(columns.T.tolist())


def test_the_longest_of_mentions_that_overlap_is_kept() -> None:
    examples = Examples.of(Corpus.of("[[C]language developer]title [a]title"))
    spans = examples.spans(("language", "title"))
    column, left_out = Tags(2, "bio").of(spans, examples.texts)
    assert [3, 4, 3] == column.tolist()
    assert 1 == left_out
    model = Perceptron().fit(examples, ("language", "title"), 0)
    assert 1 == model.describe()["left_out"]
    nested = Perceptron(per_slot=True).fit(examples, ("language", "title"), 0)
    assert {"language", "title"} == {m.label for m in nested.answers(examples.texts)[0].mentions}


def naive_average(
    rows: IntArray, wanted: IntArray, tags: Tags, offsets: IntArray, features: int, epochs: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """The sum of the weights after each step, divided by their number."""
    size = len(tags)
    weights, moves = np.zeros((features + 1, size)), np.zeros((size, size))
    sums, move_sums, steps = np.zeros_like(weights), np.zeros_like(moves), 0
    for _ in range(epochs):
        for doc in rng.permutation(np.flatnonzero(np.diff(offsets))).tolist():
            part = slice(int(offsets[doc]), int(offsets[doc + 1]))
            scores = np.array([weights[row[row < features]].sum(0) for row in rows[part]])
            best, _ = best_tags(scores, moves, tags, np.array([0, len(scores)]))
            for answer, change in ((wanted[part], 1.0), (best, -1.0)):
                for row, tag in zip(rows[part], answer.tolist(), strict=True):
                    for feature in row[row < features].tolist():
                        weights[feature, tag] += change
                for a, b in pairwise(answer.tolist()):
                    moves[a, b] += change
            steps += 1
            sums += weights
            move_sums += moves
    return sums / steps, move_sums / steps


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.integers(0, 1000))
def test_the_mean_of_weights_is_that_of_a_sum_over_all_steps(lengths: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    tags, features, size = Tags(2, "bio"), 4, sum(lengths)
    offsets = np.cumsum([0, *lengths])
    if not size:
        return
    rows = rng.integers(0, features + 1, (size, 3))
    # Within a token a feature occurs once, except that several may be absent.
    rows = np.array([[f if f not in row[:i] else features for i, f in enumerate(row)]
                     for row in rows.tolist()])  # fmt: skip
    texts = Texts.of(Corpus.of(*({"tokens": ["a"] * length} for length in lengths)))
    scores = rng.normal(size=(size, len(tags)))
    wanted, _ = best_tags(scores, np.zeros((len(tags), len(tags))), tags, texts.offsets)
    expected = naive_average(rows, wanted, tags, offsets, features, 3, np.random.default_rng(5))
    actual = averaged(rows, wanted, tags, offsets, features, 3, np.random.default_rng(5))
    assert np.allclose(expected[0][:features], actual[0][:features])
    assert np.allclose(expected[1], actual[1])


def test_pieces_are_whole_lines_and_whole_mentions() -> None:
    text = "\n".join(["a b c d"] * 30)
    corpus = Corpus.of(
        {"text": text, "mentions": [{"start": 76, "end": 84, "label": "x"}]}, {"text": "e"},
        {"text": ""},
    )  # fmt: skip
    examples = Examples.of(corpus)
    wanted, _ = Tags(1, "bio").of(examples.spans(("x",)), examples.texts)
    assert 2 == wanted[40], "a mention goes on where the first piece would end"
    assert [0, 44, 84, 120, 121] == pieces(examples.texts, wanted).tolist()


def test_uncertainty_is_zero_where_there_is_one_way_and_grows_with_doubt() -> None:
    examples = Examples.of(Corpus.of("by [Ann]who !", "by [Bo]who !", "to Ann ?", "to [Ann]who ?"))
    model = Perceptron(epochs=3).fit(examples, ("who",), 0)
    token, sequence = model.uncertainty(
        Examples.of(Corpus.of("by Ann !", "to Ann ?", {"tokens": []})).texts
    )
    assert token[1] > token[0] > 0 and sequence[1] > sequence[0] > 0
    assert 0 == token[2] == sequence[2]


@pytest.mark.parametrize("learner", ["crf", "maxent"])
def test_features_that_get_no_weight_are_not_looked_up_and_change_nothing(
    learner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pycrfsuite")
    examples = Examples.of(generate("seminars", 6, 1))
    made = train(f"{learner}(iterations=15)", examples).model
    assert isinstance(made, TaggingModel)
    lists: list[int] = []

    def every(rows: IntArray, features: int, wanted: IntArray, tags: int) -> list[list[str]]:
        found = [[str(n) for n in row if n < features] for row in rows.tolist()]
        short = feature_lists(rows, features, wanted, tags)
        assert all(set(some) <= set(row) for some, row in zip(short, found, strict=True))
        lists[:] = [sum(map(len, short)), sum(map(len, found))]
        return found

    monkeypatch.setattr(f"carob_lab.learn.{learner}.feature_lists", every)
    whole = train(f"{learner}(iterations=15)", examples).model
    assert isinstance(whole, TaggingModel)
    assert lists[0] < lists[1]
    assert np.count_nonzero(made.chains[0].weights)
    assert np.array_equal(made.chains[0].weights, whole.chains[0].weights)
    assert np.array_equal(made.chains[0].moves, whole.chains[0].moves)

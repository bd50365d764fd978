"""Detectors against a naive learner that tries every pattern at every boundary."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, UsageError
from carob.pair.texts import Examples, Texts
from carob_lab.learn.bwi import (
    LINE,
    WILDCARDS,
    Bwi,
    Detector,
    Detectors,
    Element,
    Judged,
    Tokens,
    best_threshold,
    grams_of,
    learn_detector,
)

Sides = tuple[list[str], list[str]]
"""The tokens before and after a boundary."""

WORLDS = st.lists(
    st.lists(st.sampled_from(["Ann", "bo", "7", "."]), max_size=5), min_size=1, max_size=3
)
ELEMENTS: list[Element] = [*range(8), "Ann", "bo", "7", "."]


def matches(element: Element, word: str) -> bool:
    if isinstance(element, str):
        return element == word
    return {
        "any": True, "capitalised": word == "Ann", "lower-case": word == "bo",
        "alphabetic": word in ("Ann", "bo"), "alphanumeric": word != ".", "numeric": word == "7",
        "single-character": word in ("7", "."), "punctuation": word == ".",
    }[WILDCARDS[element]]  # fmt: skip


def fits(before: tuple[Element, ...], after: tuple[Element, ...], sides: Sides) -> bool:
    left, right = sides
    if len(left) < len(before) or len(right) < len(after):
        return False
    near = left[len(left) - len(before) :]
    pairs = [*zip(before, near, strict=True), *zip(after, right, strict=False)]
    return all(matches(element, word) for element, word in pairs)


def boundaries(world: list[list[str]]) -> list[Sides]:
    return [(words[:at], words[at:]) for words in world for at in range(len(words) + 1)]


@settings(max_examples=30, deadline=None)
@given(WORLDS, st.integers(0, 1000))
def test_a_detector_grows_by_the_best_of_all_extensions(world: list[list[str]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    every = boundaries(world)
    right = rng.random(len(every)) < 0.4
    if not right.any():
        return
    weight = rng.integers(1, 5, len(every)) / 10
    tokens = Tokens.of(Texts.of(Corpus.of(*({"tokens": words} for words in world))))
    is_right, weights = np.zeros(len(tokens.word), bool), np.zeros(len(tokens.word))
    is_right[1:], weights[1:] = right, weight
    grams = [grams_of(tokens, size) for size in (1, 2)]
    before, after, matched = learn_detector(tokens, grams, tokens.boundaries, is_right, weights)

    def score(before: tuple[Element, ...], after: tuple[Element, ...]) -> float:
        hit = np.array([fits(before, after, sides) for sides in every], bool)
        if not (hit & right).any():
            return -math.inf
        return float(weight[hit & right].sum() ** 0.5 - weight[hit & ~right].sum() ** 0.5)

    # Each step is the best of all extensions of one side by one or two elements.
    detector: tuple[tuple[Element, ...], tuple[Element, ...]] = ((), ())
    reached = score(*detector)
    more = [*product(ELEMENTS, repeat=1), *product(ELEMENTS, repeat=2)]
    while True:
        longer = [((*each, *detector[0]), detector[1]) for each in more]
        longer += [(detector[0], (*detector[1], *each)) for each in more]
        best = max(longer, key=lambda each: round(score(*each), 9))
        if score(*best) <= reached + 1e-9:
            break
        # Of equally good ones that match the same, any will do.
        detector, reached = best, score(*best)
    learned = tokens.named(before), tokens.named(after)
    hits = [at for at, sides in enumerate(every) if fits(*learned, sides)]
    assert hits == (matched - 1).tolist()
    assert hits == (Detector(*learned, 1.0).matched(tokens) - 1).tolist()
    if len(before) + len(after) <= 2 and sum(map(len, detector)) <= 2:
        assert score(*learned) == pytest.approx(reached)
    assert max(score(*each) for each in (
        *(((*e, *learned[0]), learned[1]) for e in more),
        *((learned[0], (*learned[1], *e)) for e in more),
    )) <= score(*learned) + 1e-8  # fmt: skip


def extensions() -> list[tuple[Element, ...]]:
    """All patterns of one or two elements in the order in which ties are decided: the shorter, then
    those with more words, then by element.
    """
    words: list[Element] = ["7", "Ann", "bo"]
    wildcards: list[Element] = [*range(len(WILDCARDS))]
    masks = [mask for size in (1, 2) for mask in product((True, False), repeat=size)]
    masks.sort(key=lambda mask: (len(mask), -sum(mask), mask))
    return [
        elements for mask in masks
        for elements in product(*(words if is_word else wildcards for is_word in mask))
    ]  # fmt: skip


def naive_detectors(
    every: list[Sides], right: list[bool], rounds: int
) -> list[tuple[tuple[Element, ...], tuple[Element, ...], float]]:
    """Boosting as the docstring of `Bwi` has it, with balanced weights."""
    n = len(every)
    weight = [0.5 / sum(right) if is_right else 0.5 / (n - sum(right)) for is_right in right]
    more, found = extensions(), []

    def sums(before: tuple[Element, ...], after: tuple[Element, ...]) -> tuple[float, float]:
        hits = [at for at in range(n) if fits(before, after, every[at])]
        return (math.fsum(weight[at] for at in hits if right[at]),
                math.fsum(weight[at] for at in hits if not right[at]))  # fmt: skip

    for _ in range(rounds):
        before: tuple[Element, ...] = ()
        after: tuple[Element, ...] = ()
        reached = -math.inf
        while True:
            longer = [(before, after)] if reached == -math.inf else [
                *(((*each, *before), after) for each in more),
                *((before, (*after, *each)) for each in more),
            ]  # fmt: skip
            best = None
            for each in longer:
                up, down = sums(*each)
                score = round(math.sqrt(up) - math.sqrt(down), 9)
                if up > 0 and score > reached:
                    best, reached = each, score
            if best is None:
                break
            before, after = best
        up, down = (each + 0.5 / n for each in sums(before, after))
        if not up > down:
            break
        confidence = 0.5 * math.log(up / down)
        found.append((before, after, confidence))
        for at, sides in enumerate(every):
            if fits(before, after, sides):
                weight[at] *= math.exp(-confidence if right[at] else confidence)
        total = math.fsum(weight)
        weight = [each / total for each in weight]
    return found


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["Ann", "bo", "7"]), min_size=2, max_size=5),
             min_size=2, max_size=3),
    st.integers(0, 1000),
)  # fmt: skip
def test_the_whole_learner_is_the_naive_one(world: list[list[str]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    spans = [sorted(rng.choice(len(words) + 1, 2, replace=False).tolist()) for words in world]
    corpus = Corpus.of(*(
        {"tokens": words, "mentions": [{"start": first, "end": last, "label": "x"}]}
        for words, (first, last) in zip(world, spans, strict=True)
    ))  # fmt: skip
    [own] = Bwi(rounds=3).fit(Examples.of(corpus), ("x",), 0).detectors
    every = boundaries(world)
    place = [(doc, at) for doc, words in enumerate(world) for at in range(len(words) + 1)]
    votes = []
    for side, learned in ((0, own.fore), (1, own.aft)):
        right = [at == spans[doc][side] for doc, at in place]
        expected = naive_detectors(every, right, 3)
        assert len(expected) == len(learned)
        for one, other in zip(expected, learned, strict=True):
            assert one[:2] == (other.before, other.after)
            assert other.confidence == pytest.approx(one[2], abs=1e-9)
        votes.append([math.fsum(c for before, after, c in expected if fits(before, after, sides))
                      for sides in every])  # fmt: skip
    # Every stretch of a document, best first; those that overlap a better one are left out.
    lengths = [last - first for first, last in spans]
    stretches = sorted(
        (-round(votes[0][i] * votes[1][j] * lengths.count(end - begin) / len(lengths), 9), i, j)
        for i, (doc, begin) in enumerate(place) for j, (other, end) in enumerate(place)
        if doc == other and begin < end and votes[0][i] > 0 and votes[1][j] > 0
        and end - begin in lengths
    )  # fmt: skip
    kept: list[tuple[int, int]] = []
    for _, i, j in stretches:
        if all(j <= first or last <= i for first, last in kept):
            kept.append((i, j))
    tokens = Tokens.of(Texts.of(corpus))
    first, last, _ = own.candidates(tokens)
    assert kept == [(i - 1, j - 1) for i, j in zip(first.tolist(), last.tolist(), strict=True)]


def test_confidence_and_weights_follow_the_formula() -> None:
    corpus = Corpus.of("by [Ann]who", "by [Bo]who", "to Cy", "x y")
    model = Bwi(rounds=2, lookahead=1, weights="uniform").fit(Examples.of(corpus), ("who",), 0)
    # `by` before it is at two of the twelve boundaries, both right: e is 1/24.
    first, second = model.detectors[0].fore
    assert ("by",) == first.before
    assert first.confidence == pytest.approx(0.5 * math.log((2 / 12 + 1 / 24) / (1 / 24)))
    # Then the two weigh 1/12 x exp(-C) each, and the sum is made 1 again.
    light = 1 / 12 * math.exp(-first.confidence)
    share = 2 * light / (2 * light + 10 / 12)
    assert second.confidence == pytest.approx(0.5 * math.log((share + 1 / 24) / (1 / 24)))


def test_balanced_weights_give_half_to_right_boundaries() -> None:
    corpus = Corpus.of("by [Ann]who", "by [Bo]who", "to Cy", "x y")
    model = Bwi(rounds=1).fit(Examples.of(corpus), ("who",), 0)
    expected = 0.5 * math.log((1 / 2 + 1 / 24) / (1 / 24))
    assert expected == pytest.approx(model.detectors[0].fore[0].confidence)


def test_line_breaks_are_tokens() -> None:
    texts = [f"Who: {name}\nWhere: {n}" for n, name in enumerate(["Ann", "Bo Roe", "Cy", "Di Poe"])]
    corpus = Corpus.of(*(
        {"text": text, "mentions": [{"start": 5, "end": text.index("\n"), "label": "who"}]}
        for text in texts
    ))  # fmt: skip
    model = Bwi(rounds=3).fit(Examples.of(corpus), ("who",), 0)
    assert any(LINE in detector.after for detector in model.detectors[0].aft)
    text = "Who: Ed Moe\nWhere: 7"
    (mention,) = model.answers(Texts.of(Corpus.of({"text": text})))[0].mentions
    assert "Ed Moe" == text[mention.start : mention.end]


def test_scores_are_products_and_answers_do_not_overlap() -> None:
    tokens = Tokens.of(Texts.of(Corpus.of("a b c d", "a b")))
    fore = (Detector((), ("a",), 2.0), Detector((), ("b",), 1.0), Detector((), (0, "b"), 1.0))
    own = Detectors(fore, (Detector(("c",), (), 3.0),), np.array([0, 0, 0.25, 0.5]))
    first, last, score = own.candidates(tokens)
    # From a: (2 + 1) x 3 x 0.5; the shorter one from b overlaps it; the second text has no c.
    assert ([1], [4], [4.5]) == (first.tolist(), last.tolist(), score.tolist())


def test_the_threshold_has_the_best_f1_and_keeps_ties_together() -> None:
    score, right = np.array([5.0, 3.0, 3.0, 1.0]), np.array([True, True, False, False])
    assert 2.0 == best_threshold([Judged(score, right, 2)])
    assert 0.0 == best_threshold([Judged(score, np.zeros(4, bool), 2)])
    assert 0.0 == best_threshold([])


@pytest.mark.parametrize("text", ["rounds=0", "lookahead=0", "lookahead=5", "weights=none"])
def test_parameters_out_of_range_are_refused(text: str) -> None:
    key, _, value = text.partition("=")
    with pytest.raises(UsageError, match=f"bwi: found {text}, expected"):
        Bwi(**{key: int(value) if value.isdigit() else value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "own",
    [{}, {"fore": []}, [1], {"fore": [1]}, {"fore": [[[], [], "x"]]}, {"tau": -1},
     {"fore": [[[{"wildcard": "none"}], [], 1]]}, {"fore": [[1, [], 1]]}, {"shares": [1]},
     {"shares": "x"}, {"tau": None}],
)  # fmt: skip
def test_detectors_of_the_wrong_kind_are_one_error(tmp_path: Path, own: Any) -> None:
    good: dict[str, Any] = {"fore": [], "aft": [[["a"], [{"wildcard": "any"}], 1]],
                            "shares": [0, 1.0], "tau": 0}  # fmt: skip
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"slots": ["a"], "detectors": [good]}))
    Bwi().load(tmp_path)
    bad = good | own if isinstance(own, dict) and own and own != {"fore": []} else own
    path.write_text(json.dumps({"slots": ["a"], "detectors": [bad]}))
    with pytest.raises(InputError, match="K911 found the detectors"):
        Bwi().load(tmp_path)

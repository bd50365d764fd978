"""Detectors against a naive learner that tries every pattern at every boundary."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob.arrays.types import FloatArray
from carob.corpus.corpus import Corpus
from carob.learn.bwi import Bwi, Detector, Elements, Grower, boost, detected, grow
from carob.pair.texts import Examples, Texts

WORDS = st.lists(st.sampled_from(["Ann", "bo", "7", "."]), max_size=5)
WORLDS = st.lists(WORDS, min_size=1, max_size=3)


def matches(element: str, word: str) -> bool:
    if element.startswith("="):
        return element[1:] == word
    return {
        "any": True,
        "capitalised": word[0].isupper(),
        "lower-case": word.isalpha() and word.islower(),
        "alphabetic": word.isalpha(),
        "alphanumeric": word.isalnum(),
        "numeric": word.isnumeric(),
        "single": len(word) == 1,
        "punctuation": not word.isalnum(),
    }[element]


def boundaries(world: list[list[str]], first: bool) -> list[tuple[list[str], list[str]]]:
    """The tokens before (nearest first) and after each boundary."""
    found = []
    for words in world:
        for at in range(len(words)):
            cut = at if first else at + 1
            found.append((words[:cut][::-1], words[cut:]))
    return found


def fits(detector: Detector, side: tuple[list[str], list[str]]) -> bool:
    return all(
        len(words) >= len(pattern)
        and all(matches(e, w) for e, w in zip(pattern, words, strict=False))
        for pattern, words in zip((detector.prefix, detector.suffix), side, strict=True)
    )


ELEMENTS = ("any", "capitalised", "lower-case", "alphabetic", "alphanumeric", "numeric", "single",
            "punctuation", "=.", "=7", "=Ann", "=bo")  # fmt: skip


def score(detector: Detector, sides: list[tuple[list[str], list[str]]], true: list[bool],
          weight: FloatArray) -> float:  # fmt: skip
    plus = sum(
        w for side, t, w in zip(sides, true, weight, strict=True) if t and fits(detector, side)
    )
    minus = sum(
        w for side, t, w in zip(sides, true, weight, strict=True) if not t and fits(detector, side)
    )
    return float(plus**0.5 - minus**0.5)


def naive_best(detector: Detector, sides: list[tuple[list[str], list[str]]], true: list[bool],
               weight: FloatArray, look: int) -> float:  # fmt: skip
    """The best score of an extension by up to `look` elements on one side."""
    found = []
    for size in range(1, look + 1):
        for more in product(ELEMENTS, repeat=size):
            longer = (Detector((*detector.prefix, *more), detector.suffix, 0),
                      Detector(detector.prefix, (*detector.suffix, *more), 0))  # fmt: skip
            found += [score(each, sides, true, weight) for each in longer]
    return max(found)


@settings(max_examples=25)
@given(WORLDS, st.integers(0, 100), st.booleans())
def test_a_detector_grows_by_the_best_of_all_extensions(
    world: list[list[str]], seed: int, first: bool
) -> None:
    rng = np.random.default_rng(seed)
    sides = boundaries(world, first)
    true = [bool(each) for each in rng.random(len(sides)) < 0.4]
    if not any(true):
        return
    weight = rng.integers(1, 5, len(sides)) / 10
    texts = Texts.of(Corpus.of(*({"tokens": words} for words in world)))
    grower = Grower(Elements(texts), first, 2)
    prefix, suffix, tokens = grow(grower, np.array(true), weight)
    detector = Detector(prefix, suffix, 1.0)
    matched = [row for row, side in enumerate(sides) if fits(detector, side)]
    assert matched == tokens.tolist()
    assert detected(texts, (detector,), first).tolist() == [float(fits(detector, s)) for s in sides]
    # It stopped where nothing better was left, and the first step was the best of all.
    value = score(detector, sides, true, weight)
    assert naive_best(detector, sides, true, weight, 1) <= value + 1e-9
    empty = Detector((), (), 0)
    step = grower.best(np.arange(len(sides)), np.array(true), weight, (0, 0))
    if step is not None:
        assert step[0] == pytest.approx(naive_best(empty, sides, true, weight, 2))


def test_boosting_lowers_the_weight_of_what_is_matched() -> None:
    texts = Texts.of(Corpus.of("by Ann", "by Bo", "to Cy", "x y"))
    true = np.zeros(8, bool)
    true[[1, 3, 5]] = True
    detectors = boost(Grower(Elements(texts), True, 1), true, 3, "uniform")
    assert (("capitalised",)) == detectors[0].suffix
    # All three true boundaries and no other: C = ln((3/8 + 1/8) / (1/8)) / 2.
    assert detectors[0].confidence == pytest.approx(np.log(4) / 2)


def test_slots_are_found_in_new_documents() -> None:
    names = ["Ann Lee", "Bo Dahl", "Cy Roe", "Di Poe", "Ed Moe"]
    corpus = Corpus.of(*(f"a talk by [{name}]who at noon" for name in names))
    model = Bwi(rounds=5).fit(Examples.of(corpus), ("who",), 0)
    (mention,) = model.answers(Texts.of(Corpus.of("one talk by Flo Noe at noon")))[0].mentions
    assert (3, 5) == (mention.start, mention.end)

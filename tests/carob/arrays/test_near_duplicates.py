"""Near-duplicates must be those that a slow and obvious version finds, pair by pair."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from carob.arrays import near_duplicates as module
from carob.arrays.near_duplicates import gram_sets, near_duplicates
from tests.worlds import times


def slow_sets(texts: list[str]) -> list[set[tuple[str, ...]]]:
    """The 5-grams of each text; all its words if there are fewer than five."""
    sets = []
    for text in texts:
        words = re.findall(r"\w+", text.lower())
        grams = {tuple(words[i : i + 5]) for i in range(len(words) - 4)}
        sets.append(grams or ({tuple(words)} if words else set()))
    return sets


def slow(texts: list[str], t: float, most: int) -> list[int]:
    """The group of each text: pairs are compared one by one, and groups grow until none does."""
    sets = slow_sets(texts)
    count = Counter(gram for grams in sets for gram in grams)
    group = list(range(len(texts)))
    for one, other in combinations(range(len(texts)), 2):
        both = sets[one] & sets[other]
        rare = any(count[gram] <= most for gram in both) or (both and sets[one] == sets[other])
        if rare and len(both) / len(sets[one] | sets[other]) >= t:
            old, new = group[other], group[one]
            group = [new if each == old else each for each in group]
    number = {root: i for i, root in enumerate(dict.fromkeys(group))}
    return [number[root] for root in group]


def world(seed: int) -> list[str]:
    """Short texts of few words, some of them copied and changed a little."""
    rng = random.Random(seed)
    texts: list[str] = []
    for _ in range(rng.randrange(1, 14)):
        if texts and rng.random() < 0.5:
            words = rng.choice(texts).split(" ")
            for _ in range(rng.randrange(3)):
                words[rng.randrange(len(words))] = rng.choice("abcdefgh")
        else:
            words = rng.choices("abcdefgh", k=rng.randrange(12)) or [""]
        texts.append(rng.choice((" ", ", ", "\n")).join(words).replace(",  ", ", "))
    return [rng.choice((text, text.upper())) for text in texts]


@pytest.mark.parametrize("most", [50, 2])
def test_groups_are_those_of_the_slow_version(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", most)
    monkeypatch.setattr(module, "_PAIRS", 7)  # several batches of pairs
    groups = 0
    for seed in range(times(6)):
        texts, t = world(seed), (0.2, 0.5, 0.75, 1.0)[seed % 4]
        expected = slow(texts, t, most)
        assert expected == near_duplicates(*gram_sets(texts), t).tolist(), (texts, t)
        groups += len(texts) - len(set(expected))
    assert groups > times(4.2)  # the worlds are not trivial


def test_sets_have_as_many_grams_as_the_slow_version_finds() -> None:
    for seed in range(300):
        texts = world(seed)
        _, offsets = gram_sets(texts)
        assert [len(grams) for grams in slow_sets(texts)] == np.diff(offsets).tolist()


def test_older_versions_of_numpy_count_bits_by_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [near_duplicates(*gram_sets(world(seed)), 0.5).tolist() for seed in range(100)]
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert expected == [
        near_duplicates(*gram_sets(world(seed)), 0.5).tolist() for seed in range(100)
    ]


def test_copies_are_found_however_many_there_are() -> None:
    texts = ["one two three four five six"] * 60 + ["seven eight nine ten eleven"]
    assert [0] * 60 + [1] == near_duplicates(*gram_sets(texts), 0.5).tolist()


def test_words_of_any_script_and_odd_signs_are_cut_as_python_cuts_them() -> None:
    texts = [
        "Žluťoučký kůň úpěl ďábelské ódy",
        "žluťoučký KŮŇ: úpěl – ďábelské ódy!",
        "\ud800 \0",
        "",
    ]
    assert [0, 0, 1, 2] == near_duplicates(*gram_sets(texts), 1.0).tolist()


def test_no_texts_have_no_groups() -> None:
    assert [] == near_duplicates(*gram_sets([]), 0.5).tolist()
    assert [0, 1] == near_duplicates(*gram_sets(["", ""]), 0.5).tolist()

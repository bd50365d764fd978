"""Splits are a function of seed, scheme and ids: the same everywhere, and complete."""

from __future__ import annotations

import hashlib
import random
from fractions import Fraction
from itertools import combinations, pairwise

import pytest

from carob.corpus.problems import DataError, RecipeError, UsageError
from carob_lab.plan.split import (
    Holdout,
    Kfold,
    Parts,
    Pascal,
    Pool,
    Repeated,
    Split,
    Temporal,
    parse_scheme,
)


def pool(ids: list[str], seed: int = 0, groups: list[list[str]] | None = None) -> Pool:
    return Pool(ids, seed, [[each] for each in ids] if groups is None else groups)


def slow_place(*words: object) -> str:
    return hashlib.sha256("\n".join(map(str, words)).encode()).hexdigest()


def slow_cuts(sizes: list[int], shares: list[Fraction]) -> list[int]:
    """Of all ways to cut, each list nearest to its target in turn, and none empty."""
    cuts = [0]
    for number in range(len(shares)):
        target = int(sum(sizes) * sum(shares[: number + 1]) + Fraction(1, 2))
        later = len(shares) - number - 1
        legal = range(cuts[-1] + 1, len(sizes) - later + 1)
        cuts.append(min(legal, key=lambda cut: (abs(sum(sizes[:cut]) - target), cut)))
    return cuts


def test_a_division_is_that_of_the_slow_version() -> None:
    for seed in range(2000):
        rng = random.Random(seed)
        ids = [f"d{i}" for i in range(rng.randrange(3, 12))]
        groups: list[list[str]] = []
        for each in ids:
            if groups and rng.random() < 0.4:
                rng.choice(groups).append(each)
            else:
                groups.append([each])
        k = rng.randrange(2, 4)
        shares = rng.choice(([Fraction(1, k)] * k, [Fraction(7, 10), Fraction(3, 10)]))
        if len(groups) < len(shares):
            with pytest.raises(DataError, match="cannot divide"):
                pool(ids, seed, groups).divided(shares, "scheme", 3)
            continue
        ordered = sorted(groups, key=lambda g: slow_place(seed, "scheme", 3, min(g)))
        cuts = slow_cuts([len(group) for group in ordered], shares)
        expected = [
            [each for group in ordered[low:high] for each in sorted(group)]
            for low, high in pairwise(cuts)
        ]
        rng.shuffle(ids)
        rng.shuffle(groups)
        assert expected == pool(ids, seed, groups).divided(shares, "scheme", 3)


@pytest.mark.parametrize(
    "scheme", [Holdout(0.3), Repeated(n=3), Kfold(4), Pascal(3), Holdout(0.4, 0.2, 0.2)]
)
def test_splits_are_complete_and_do_not_depend_on_the_order_of_the_file(
    scheme: Holdout | Repeated | Kfold | Pascal,
) -> None:
    ids = [f"doc-{i}" for i in range(37)]
    splits = scheme(pool(ids, 5))
    assert splits == scheme(pool(ids[::-1], 5))
    assert splits != scheme(pool(ids, 6))
    for split in splits:
        lists = [set(part) for part in split.parts.values()]
        assert not any(one & other for one, other in combinations(lists, 2))
        if not isinstance(scheme, Pascal) or split.name == "blind":
            assert set(ids) == set().union(*lists)


def test_repeated_divisions_are_independent() -> None:
    ids = [f"doc-{i}" for i in range(200)]
    tests = [set(split.test) for split in Repeated(n=20)(pool(ids))]
    shared = [len(one & other) for one, other in combinations(tests, 2)]
    assert 45 < sum(shared) / len(shared) < 55  # 50 by chance
    assert len(set(map(frozenset, tests))) == 20


def test_a_new_document_moves_few_others() -> None:
    ids = [f"doc-{i}" for i in range(200)]
    for new in range(20):
        before, after = (Kfold(10)(pool(each)) for each in (ids, [*ids, f"new-{new}"]))
        moved = sum(len(set(b.test) - set(a.test)) for b, a in zip(before, after, strict=True))
        assert moved <= 9


def test_a_larger_share_only_adds_training_documents() -> None:
    ids = [f"doc-{i}" for i in range(50)]
    small, large = (set(Holdout(train)(pool(ids))[0].train) for train in (0.2, 0.6))
    assert small < large


def test_groups_of_any_size_are_as_often_trained_on() -> None:
    """By the smallest place of its documents, a large group would come first."""
    ids = [f"doc-{i}" for i in range(300)]
    groups = [ids[i : i + 5] for i in range(0, 150, 5)] + [[each] for each in ids[150:]]
    train = [len({*split.train} & {*ids[:150]}) for split in Repeated(n=40)(pool(ids, 1, groups))]
    assert 70 < sum(train) / len(train) < 80  # 75 by chance


def test_each_stratum_is_divided_by_itself() -> None:
    ids = [f"doc-{i}" for i in range(120)]
    strata = {each: "ab"[i < 30] for i, each in enumerate(ids)}
    division = Pool(ids, 0, [[each] for each in ids], strata)
    for split in [*Repeated(0.5, 5)(division)]:
        assert 15 == sum(strata[each] == "b" for each in split.train)
        assert 60 == len(split.train)
    for split in Kfold(7)(division):
        assert sum(strata[each] == "b" for each in split.test) in (4, 5)
        assert sum(strata[each] == "a" for each in split.test) in (12, 13)


def test_strata_of_one_document_are_not_all_trained_on() -> None:
    ids = [f"doc-{i}" for i in range(400)]
    division = Pool(ids, 0, [[each] for each in ids], {each: each for each in ids})
    assert 160 < len(Holdout(0.5)(division)[0].train) < 240
    assert all(60 < len(split.test) < 140 for split in Kfold(4)(division))


def test_time_decides_and_a_group_is_as_new_as_its_newest_document() -> None:
    times: dict[str, str | None] = {
        "a": "2020-01-05",
        "b": "2019-12-31T23:00",
        "c": "2021-01-01",
        "d": "1999-01-01",
    }
    attributes = {"date": times}
    alone = Pool("abcd", 0, [["a"], ["b"], ["c"], ["d"]], attributes=attributes)
    assert {"b", "d"} == set(Temporal("date", 0.5)(alone)[0].train)
    grouped = Pool("abcd", 0, [["a"], ["b"], ["c", "d"]], attributes=attributes)
    assert {"a", "b"} == set(Temporal("date", 0.5)(grouped)[0].train)
    for wrong, message in (("17 Nov", "found '17 Nov', expected a number"), (None, "found nothing"),
                           ("nan", "found 'nan'"), ("7", "is a number and a date")):  # fmt: skip
        times["a"] = wrong
        with pytest.raises(DataError, match=message):
            Temporal("date", 0.5)(alone)


def test_parts_and_the_blind_test_set_of_a_task_are_obeyed() -> None:
    parts = {"train": ["a", "b"], "test": ["c"], "other": ["d"]}
    division = Pool("abcd", 0, [[each] for each in "abcd"], parts=parts)
    (split,) = Parts()(division)
    assert ({"a", "b"}, ("c",)) == (set(split.train), split.test)
    blind = Pascal(k=3)(division)[-1]
    assert ("blind", {"a", "b", "d"}, ("c",)) == (blind.name, set(blind.train), blind.test)
    with pytest.raises(UsageError, match="a task with train and test; found none"):
        Parts()(pool(["a"]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("holdout(train=1)", "holdout(train=…): found 1, expected a share between 0 and 1"),
        ("holdout(train=0.5,dev=0.5)",
         "holdout: train, dev and unlabelled leave nothing to test on"),
        ("kfold(k=1)", "kfold(k=…): found 1, expected 2 to 1,000"),
        ("kfold(k=2.5)", "kfold(k=…): found 2.5, expected a whole number"),
        ("kfold(n=3)", "kfold has no parameter 'n'; there are: k"),
        ("temporal", "temporal needs a parameter: write temporal(key=…)"),
        ("kfold(k=3", "in the scheme 'kfold(k=3': found the end, expected ',' or ')'"),
        ("kfold(k=3)x", "in the scheme 'kfold(k=3)x': found 'x', expected the end of the scheme"),
        ("", "in the scheme '': found the end, expected a scheme"),
    ],
)  # fmt: skip
def test_a_wrong_scheme_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        parse_scheme(text)
    assert message == str(caught.value)


def test_lists_are_in_an_order_of_their_own_for_each_split() -> None:
    ids = [f"doc-{i}" for i in range(30)]
    for split in Kfold(3)(pool(ids, 2)):
        order = sorted(split.train, key=lambda each: slow_place(2, "order", split.name, each))
        assert order == list(split.train)
    assert Split("x", ("a",), ("b",)).parts == {
        "train": ("a",),
        "test": ("b",),
        "dev": (),
        "unlabelled": (),
    }

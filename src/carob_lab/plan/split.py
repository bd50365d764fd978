"""Schemes: how documents are divided into training and test documents, once or several times.

Every draw is a function of the seed, the scheme and the ids, and not of the order in the file. What
is hashed, and how documents are cut by their places, is written down in docs/experiments.md.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, ClassVar, NamedTuple, Protocol

from carob.corpus.problems import DataError, RecipeError, UsageError, many, nearest, plain, shown
from carob.recipe import parse_component

PARTS = ("train", "test", "dev", "unlabelled")
"""The lists of documents of a split."""

_MOST_SPLITS = 1000
"""A plan lists all documents once for each split."""


class Split(NamedTuple):
    """One division: the ids of each list, in the order in which a learning curve takes them."""

    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    dev: tuple[str, ...] = ()
    unlabelled: tuple[str, ...] = ()

    @property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """The lists by their names.

        >>> Split("holdout", ("a",), ("b",)).parts["test"]
        ('b',)
        """
        return {part: getattr(self, part) for part in PARTS}


def place(seed: int, *words: object) -> bytes:
    """The place of a document in a draw: SHA-256 of the seed and the words, a line each.

    >>> place(1, "holdout", 1, "d7").hex()[:8]
    '94bb1990'
    """
    return hashlib.sha256(
        "\n".join(map(str, (seed, *words))).encode("utf-8", "surrogatepass")
    ).digest()


@dataclass(frozen=True)
class Pool:
    """The documents that a scheme divides.

    `groups` are lists of ids that stay together; `strata` gives the stratum of each id, if strata
    are divided by themselves. `attributes` are columns of words by name, `parts` are those of a
    task.
    """

    ids: Sequence[str]
    seed: int
    groups: Sequence[Sequence[str]]
    strata: Mapping[str, str] | None = None
    attributes: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def only(self, ids: Iterable[str]) -> Pool:
        """Some of the documents, with what is known of them."""
        chosen = set(ids)
        groups = [[each for each in group if each in chosen] for group in self.groups]
        return Pool([each for each in self.ids if each in chosen], self.seed,
                    [group for group in groups if group], self.strata, self.attributes,
                    self.parts)  # fmt: skip

    def divided(
        self, shares: Sequence[Fraction], scheme: str, draw: int = 1,
        times: Mapping[str, Any] | None = None,
    ) -> list[list[str]]:  # fmt: skip
        """The documents in lists of these shares, by their places or by their `times`.

        >>> pool = Pool("abcdef", 1, [["a", "b"], ["c"], ["d"], ["e"], ["f"]])
        >>> pool.divided([Fraction(1, 2)] * 2, "holdout")
        [['d', 'a', 'b'], ['c', 'f', 'e']]
        """
        units: dict[str, list[tuple[Any, list[str]]]] = {}
        for group in self.groups:
            # By its first document, and not by the first place: that would be smaller for larger
            # groups, and they would be trained on more often.
            first, hashed = min(group), place(self.seed, scheme, draw, min(group))
            # A group is as new as its newest document: no training document is from the future.
            key = (max(times[each] for each in group), hashed) if times else hashed
            stratum = self.strata[first] if self.strata else ""
            units.setdefault(stratum, []).append((key, sorted(group)))
        lists: list[list[str]] = [[] for _ in shares]
        for stratum, keyed in sorted(units.items()):
            ordered = [group for _, group in sorted(keyed)]
            for part, groups in zip(lists, self._cut(ordered, shares, scheme, draw, stratum),
                                    strict=True):  # fmt: skip
                part += [each for group in groups for each in group]
        if any(share and not part for share, part in zip(shares, lists, strict=True)):
            what = "group" if len(self.groups) < len(self.ids) else "document"
            raise DataError(
                f"cannot divide {many(len(self.groups), what)} into "
                f"{sum(share > 0 for share in shares)} parts without an empty one"
            )
        return lists

    def _cut(
        self, groups: Sequence[list[str]], shares: Sequence[Fraction], scheme: str, draw: int,
        stratum: str,
    ) -> list[Sequence[list[str]]]:  # fmt: skip
        """Groups in order, cut where the numbers of documents are nearest to the shares."""
        ends = list(accumulate(map(len, groups), initial=0))
        strata = self.strata is not None
        # A share that is no whole number is rounded; in strata up or down by chance, the same way
        # for all cuts. Otherwise all strata of one document would be in the same part.
        half = Fraction(1, 2)
        chance = Fraction(
            int.from_bytes(place(self.seed, scheme, draw, "stratum", stratum)), 2**256
        )
        cuts, sum_of_shares = [0], Fraction(0)
        for number, share in enumerate(shares):
            later = 0 if strata else sum(each > 0 for each in shares[number + 1 :])
            least = cuts[-1] + (share > 0 and not strata)
            sum_of_shares += share
            target = (ends[-1] * sum_of_shares + (chance if strata else half)) // 1
            after = min(bisect_right(ends, target), len(groups))
            nearest_cut = min((after - 1, after), key=lambda cut: (abs(ends[cut] - target), cut))
            if share == 0:
                nearest_cut = cuts[-1]
            cuts.append(max(least, min(nearest_cut, len(groups) - later)))
        return [groups[low:high] for low, high in pairwise(cuts)]

    def split(
        self, name: str, train: Iterable[str], test: Iterable[str], *more: Iterable[str]
    ) -> Split:
        """A split, each list in the order of its own draw."""

        def ordered(ids: Iterable[str]) -> tuple[str, ...]:
            return tuple(sorted(ids, key=lambda each: place(self.seed, "order", name, each)))

        return Split(name, *map(ordered, (train, test, *more)))


class Scheme(Protocol):
    """What all schemes have: a name, and splits of a pool."""

    name: ClassVar[str]

    def __call__(self, pool: Pool) -> list[Split]:
        """The splits."""
        ...


def _share(scheme: str, key: str, value: float) -> Fraction:
    """A share as the decimal number that was written."""
    if not 0 < value < 1:
        raise RecipeError(f"{scheme}({key}=…): found {value:g}, expected a share between 0 and 1")
    return Fraction(repr(float(value)))


def _count(scheme: str, key: str, value: int, least: int) -> None:
    if not least <= value <= _MOST_SPLITS:
        raise RecipeError(f"{scheme}({key}=…): found {value}, expected {least} to {_MOST_SPLITS:,}")


def _shares(scheme: Holdout | Repeated | Temporal) -> list[Fraction]:
    """Of training, test, development and unlabelled documents; testing gets the rest."""
    train, dev, unlabelled = (
        Fraction(0) if value is None else _share(scheme.name, key, value)
        for key in ("train", "dev", "unlabelled")
        for value in (getattr(scheme, key),)
    )
    if train + dev + unlabelled >= 1:
        raise RecipeError(f"{scheme.name}: train, dev and unlabelled leave nothing to test on")
    return [train, 1 - train - dev - unlabelled, dev, unlabelled]


@dataclass(frozen=True, slots=True)
class Parts:
    """Train and test (and dev and unlabelled, if there are any) of a task definition.

    >>> pool = Pool("abc", 0, [["a"], ["b"], ["c"]], parts={"train": ["a", "c"], "test": ["b"]})
    >>> Parts()(pool)[0].test
    ('b',)
    """

    name: ClassVar[str] = "parts"

    def __call__(self, pool: Pool) -> list[Split]:
        """The one split of the task."""
        if not {"train", "test"} <= pool.parts.keys():
            names = ", ".join(map(plain, pool.parts)) or "none"
            raise UsageError(f"the scheme parts is for a task with train and test; found {names}")
        if pool.strata is not None:
            raise UsageError("the parts of a task are as they are: leave stratify out")
        return [pool.split("parts", *(pool.parts.get(part, ()) for part in PARTS))]


@dataclass(frozen=True, slots=True)
class Holdout:
    """One random division.

    >>> pool = Pool("abcd", 0, [["a"], ["b"], ["c"], ["d"]])
    >>> [len(part) for part in Holdout(train=0.5, dev=0.25)(pool)[0].parts.values()]
    [2, 1, 1, 0]
    """

    train: float = 0.5
    dev: float | None = None
    unlabelled: float | None = None

    name: ClassVar[str] = "holdout"

    def __post_init__(self) -> None:
        _shares(self)

    def __call__(self, pool: Pool) -> list[Split]:
        """The one split."""
        return [pool.split(self.name, *pool.divided(_shares(self), self.name))]


@dataclass(frozen=True, slots=True)
class Repeated:
    """Several independent divisions: the usual scheme for seminars and acquisitions.

    >>> pool = Pool("abcd", 0, [["a"], ["b"], ["c"], ["d"]])
    >>> [split.name for split in Repeated(n=2)(pool)]
    ['repeat-01', 'repeat-02']
    """

    train: float = 0.5
    n: int = 10
    dev: float | None = None
    unlabelled: float | None = None

    name: ClassVar[str] = "repeated"

    def __post_init__(self) -> None:
        _count(self.name, "n", self.n, 1)
        _shares(self)

    def __call__(self, pool: Pool) -> list[Split]:
        """One split for each draw."""
        return [
            pool.split(f"repeat-{draw:02d}", *pool.divided(_shares(self), self.name, draw))
            for draw in range(1, self.n + 1)
        ]


@dataclass(frozen=True, slots=True)
class Kfold:
    """Each document is in exactly one test set: the usual scheme for jobs.

    >>> pool = Pool("abcd", 0, [["a"], ["b"], ["c"], ["d"]])
    >>> sorted(each for split in Kfold(k=2)(pool) for each in split.test)
    ['a', 'b', 'c', 'd']
    """

    k: int = 10

    name: ClassVar[str] = "kfold"

    def __post_init__(self) -> None:
        _count(self.name, "k", self.k, 2)

    def __call__(self, pool: Pool) -> list[Split]:
        """One split for each fold."""
        return _folds(pool, self.k, self.name)


def _folds(pool: Pool, k: int, scheme: str) -> list[Split]:
    folds = pool.divided([Fraction(1, k)] * k, scheme)
    return [
        pool.split(
            f"fold-{number:02d}",
            [each for other in folds if other is not fold for each in other],
            fold,
        )
        for number, fold in enumerate(folds, 1)
    ]


@dataclass(frozen=True, slots=True)
class Pascal:
    """Folds for development, and a blind test set for the end, as in the PASCAL challenge.

    The blind test set is the part `test` of the task, or else a share of the documents. The last
    split trains on all others and tests on it. Ireson et al. (2005), "Evaluating machine learning
    for information extraction": 400 documents in four folds, 200 to test on.

    >>> pool = Pool("abcdef", 0, [[each] for each in "abcdef"])
    >>> [(split.name, len(split.train), len(split.test)) for split in Pascal(k=2)(pool)]
    [('fold-01', 2, 2), ('fold-02', 2, 2), ('blind', 4, 2)]
    """

    k: int = 4
    test: float = 0.3333

    name: ClassVar[str] = "pascal"

    def __post_init__(self) -> None:
        _count(self.name, "k", self.k, 2)
        _share(self.name, "test", self.test)

    def __call__(self, pool: Pool) -> list[Split]:
        """The folds, then the split that tests on the blind documents."""
        if "test" in pool.parts:
            blind: Sequence[str] = pool.parts["test"]
            train: Sequence[str] = sorted(set(pool.ids) - set(blind))
        else:
            share = _share(self.name, "test", self.test)
            train, blind = pool.divided([1 - share, share], self.name)
        folds = _folds(pool.only(train), self.k, self.name)
        return [*folds, pool.split("blind", train, blind)]


@dataclass(frozen=True, slots=True)
class Temporal:
    """By an attribute of the documents, oldest first: numbers, or dates like 2026-11-17.

    >>> times = {"a": "2001", "b": "1999", "c": "2010", "d": "2005"}
    >>> pool = Pool("abcd", 0, [[each] for each in "abcd"], attributes={"year": times})
    >>> sorted(Temporal(key="year", train=0.5)(pool)[0].test)
    ['c', 'd']
    """

    key: str
    train: float = 0.5
    dev: float | None = None
    unlabelled: float | None = None

    name: ClassVar[str] = "temporal"

    def __post_init__(self) -> None:
        _shares(self)

    def __call__(self, pool: Pool) -> list[Split]:
        """The one split."""
        words = attribute(pool.attributes, self.key)
        times = {each: _time(self.key, each, words[each]) for each in pool.ids}
        kinds = {type(time).__name__: each for each, time in times.items()}
        if len(kinds) > 1:
            one, other = (f"{shown(words[each] or '')} in {shown(each)}" for each in kinds.values())
            raise DataError(
                f"the attribute {plain(self.key)} is a number and a date: {one}, {other}"
            )
        lists = pool.divided(_shares(self), self.name, times=times)
        return [pool.split(self.name, *lists)]


def attribute(
    columns: Mapping[str, Mapping[str, str | None]], name: str
) -> Mapping[str, str | None]:
    """The words of an attribute; a name that no document has is refused."""
    if name not in columns:
        there = nearest(name, list(columns)) if columns else "; they have no attributes"
        raise DataError(f"no document has the attribute {shown(name)}{there}")
    return columns[name]


def _time(key: str, name: str, word: str | None) -> float | datetime:
    try:
        number = float(word or "")
    except ValueError:
        pass
    else:
        if number == number:  # a NaN has no place in time
            return number
    try:
        time = datetime.fromisoformat(word or "")
    except ValueError:
        found = "nothing" if word is None else shown(word)
        raise DataError(
            f"the attribute {plain(key)} of the document {shown(name)}: found {found}, "
            "expected a number, or a date like 2026-11-17 or 2026-11-17T14:30"
        ) from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


SCHEMES: Mapping[str, type[Any]] = {
    scheme.name: scheme for scheme in (Parts, Holdout, Repeated, Kfold, Pascal, Temporal)
}
"""All schemes that make a plan, by name."""


def parse_scheme(text: str) -> Scheme:
    """A scheme as recipes are written.

    >>> parse_scheme("kfold(k=5)")
    Kfold(k=5)
    """
    if text.strip() == "file":
        raise UsageError("the scheme file is a plan that exists already: give its file")
    scheme: Scheme = parse_component(text, "scheme", SCHEMES)
    return scheme

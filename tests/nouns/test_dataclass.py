"""karat's dataclass is Python's: the same signature, text, comparison, hash, copy and refusals."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from karat.nouns import _dataclass as ours
from karat.nouns.corpus import Corpus

MAKERS: Mapping[str, Callable[..., Any]] = {
    "ours": ours.dataclass,
    "theirs": dataclasses.dataclass,
}
WAYS = [
    dict(zip(("frozen", "slots", "eq", "repr"), (bool(i & 1 << k) for k in range(4)), strict=True))
    for i in range(16)
]


def classes(way: Mapping[str, bool]) -> list[type[Any]]:
    """The same class from both."""
    found = []
    for maker in MAKERS.values():

        class Place:
            """Where."""

            start: int
            end: int = 3
            more: Mapping[str, int] = dataclasses.field(default_factory=dict)
            hidden: str = dataclasses.field(default="h", repr=False, compare=False)
            length: int = dataclasses.field(init=False, default=-1)
            seen: list[int] = dataclasses.field(init=False, default_factory=list)
            name: ClassVar[str] = "place"

            def __post_init__(self) -> None:
                object.__setattr__(self, "length", self.end - self.start)

        found.append(maker(**way)(Place))
    return found


def said(call: Callable[[], object]) -> object:
    """What comes of a call: its value, or the kind and the words of its refusal."""
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_class_does_what_pythons_does(way: dict[str, bool]) -> None:
    mine, yours = classes(way)

    def everything(cls: Any) -> list[object]:
        one, same, other = cls(1), cls(1, more={}, hidden="?"), cls(1, 4, {"a": 1})
        shown = [repr(each) for each in (one, same, other)] if way["repr"] else []
        return [
            shown,
            str(inspect.signature(cls)),
            cls.__doc__, cls.__match_args__, cls.__qualname__, cls.__init__.__qualname__,
            getattr(cls, "__slots__", None),
            [(f.name, f.init, f.repr, f.compare) for f in dataclasses.fields(cls)],
            cls.__dataclass_params__.frozen, cls.__dataclass_params__.eq,
            one == same, one == other, one != same, one == 1, one.seen is same.seen,
            said(lambda: cls(1, hidden="?", more=()) == cls(1, more=())),
            said(lambda: hash(cls(1, more=())) == hash(cls(1, more=(), hidden="?"))),
            said(lambda: hash(one) == hash(same)),
            said(lambda: hash(cls) == hash(cls)),
            said(lambda: setattr(one, "end", 5)), one.end,
            said(lambda: delattr(one, "end")), getattr(one, "end", None),
            said(lambda: cls()), said(lambda: cls(1, 2, {}, "h", 7)), said(lambda: cls(end=1)),
            dataclasses.asdict(other), dataclasses.replace(other, start=2).length,
            [getattr(copy.copy(other), f.name) for f in dataclasses.fields(cls)],
        ]  # fmt: skip

    assert everything(yours) == everything(mine)


@ours.dataclass(frozen=True, slots=True)
class Kept:
    """At the top of a module, where pickle finds it."""

    a: int
    b: tuple[str, ...] = ()


def test_what_is_frozen_and_slotted_can_be_pickled() -> None:
    assert Kept(1, ("x",)) == pickle.loads(pickle.dumps(Kept(1, ("x",))))


def test_without_fields_all_are_equal() -> None:
    @ours.dataclass(frozen=True, slots=True)
    class Nothing:
        """Nothing."""

    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert Nothing.__name__ in repr(Nothing())


def test_one_field_is_compared_as_in_a_tuple() -> None:
    @ours.dataclass(frozen=True)
    class One:
        """One."""

        x: float

    nan = float("nan")
    assert One(nan) == One(nan)
    assert One(1.0) != One(2.0)


def test_own_methods_stay() -> None:
    @ours.dataclass(frozen=True)
    class Named:
        """Named."""

        x: int

        def __repr__(self) -> str:
            return "mine"

    assert "mine" == repr(Named(1))


def test_a_circle_is_told_once() -> None:
    @ours.dataclass(frozen=True)
    class Ring:
        """Ring."""

        links: list[object]

    ring = Ring([])
    ring.links.append(ring)
    assert repr(ring).endswith("Ring(links=[...])")


def test_a_class_of_another_package_may_inherit() -> None:
    @dataclasses.dataclass(frozen=True)
    class More(Corpus):
        """A corpus with a note."""

        note: str = ""

    made = More(**vars(Corpus.of("[Ann]PER slept")), note="n")
    assert "n" == made.note
    assert 1 == len(made.mentions)

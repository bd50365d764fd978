"""What a task says of a slot: its type, how its values are compared, and how it is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from carob.corpus.problems import UsageError, nearest, shown
from carob.values.choice import Boolean, Enum
from carob.values.date import PRECISIONS, Date, DateTime, Time
from carob.values.matches import Match, match_of
from carob.values.money import CODES, Money
from carob.values.number import Number
from carob.values.quantity import Quantity
from carob.values.raw import fold, trimmed
from carob.values.text import Id, String

TYPES: Mapping[str, tuple[str, ...]] = {
    "string": (),
    "number": ("decimal", "unit"),
    "date": ("order", "century", "months", "precision"),
    "time": (),
    "datetime": ("order", "century", "months", "precision", "zone"),
    "money": ("currency", "symbols", "decimal"),
    "quantity": ("unit", "decimal"),
    "boolean": ("values",),
    "enum": ("values", "parents"),
    "id": (),
    "object": (),
}
"""The types, and the keys that each has of its own."""
FILLERS = ("exactly one", "at most one", "at least one", "any")
COMMON = ("type", "fillers", "match", "weight", "list", "key", "floor", "null", "missing")
"""The keys that slots of every type have."""

_CLASSES: Mapping[str, Any] = {
    "string": String, "number": Number, "date": Date, "time": Time, "datetime": DateTime,
    "money": Money, "quantity": Quantity, "boolean": Boolean, "enum": Enum, "id": Id,
}  # fmt: skip
MOST_WORDS = 100_000
"""How many values an enum, or words a slot may have."""


class Wrong(NamedTuple):
    """A key of a slot that is wrong."""

    key: str
    found: str
    expected: str


@dataclass(frozen=True)
class TypedSlot:
    """A slot with a type. `kind` reads its values; an object has none."""

    type: str = "string"
    fillers: str = "at most one"
    match: Match = field(default_factory=Match)
    weight: float = 1.0
    ordered: bool = False
    key: tuple[str, ...] = ()
    floor: float | None = None
    null: frozenset[str] = frozenset()
    unannotated: bool = False
    kind: Any = field(default_factory=String)

    @property
    def is_list(self) -> bool:
        """Whether it may have several fillers.

        >>> TypedSlot(fillers="any").is_list
        True
        """
        return self.fillers in ("any", "at least one")


def typed_slot(values: Mapping[str, Any]) -> tuple[TypedSlot, list[Wrong]]:
    """The slot that a table of a task describes, and what is wrong with it.

    >>> typed_slot({"type": "number", "match": "tol(abs=0.01)"})[0].match.abs
    Fraction(1, 100)
    >>> typed_slot({"type": "nmber"})[1][0].found
    "type = 'nmber'"
    """
    wrong: list[Wrong] = []
    name = values.get("type", "string")
    if not isinstance(name, str) or name not in TYPES:
        wrong.append(_wrong("type", name, f"a type{nearest(str(name), list(TYPES))}"))
        name = "string"
    own = TYPES[name]
    read: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    for key, value in values.items():
        if key in ("type", "realisations"):
            continue
        if key not in COMMON and key not in own:
            elsewhere = [each for each, keys in TYPES.items() if key in keys]
            hint = f": {key} belongs to {', '.join(elsewhere)}" if elsewhere else ""
            expected = (
                f"a key of the type {name}{hint}"
                if hint
                else (f"a key of a slot{nearest(key, [*COMMON, *own])}")
            )
            wrong.append(Wrong(key, f"the key {shown(key)}", expected))
            continue
        try:
            converted = _READERS[key](value)
        except (ValueError, UsageError) as error:
            wrong.append(_wrong(key, value, str(error)))
            continue
        (read if key in COMMON else parameters)[key] = converted
    match = Match("exact", text="exact") if name == "id" else Match()
    if "match" in read:
        try:
            if name == "object":
                raise UsageError("no match: the slots of an object have theirs")
            match = match_of(read["match"], name)
        except UsageError as error:
            expected = str(error).rpartition(", expected ")[2]
            wrong.append(_wrong("match", read["match"], expected))
    if name == "enum" and "values" not in parameters and not wrong:
        wrong.append(Wrong("values", "an enum without values", 'values = ["...", ...]'))
    if "key" in read and name != "object":
        wrong.append(Wrong("key", "key", "a key of the type object only"))
    slot = TypedSlot(
        name,
        read.get("fillers", "at most one"),
        match,
        read.get("weight", 1.0),
        read.get("list", "set") == "ordered",
        read.get("key", ()),
        read.get("floor"),
        read.get("null", frozenset()),
        read.get("missing", "absent") == "unannotated",
        None if name == "object" or wrong else _CLASSES[name](**parameters),
    )
    if slot.match.any_of and slot.is_list:
        wrong.append(_wrong("match", str(slot.match), "another match for a slot that is a list"))
    if "list" in read and not slot.is_list and not wrong:
        wrong.append(Wrong("list", f"list = {shown(read['list'])}", 'fillers = "any" with it'))
    return slot, wrong


def _wrong(key: str, value: Any, expected: str) -> Wrong:
    return Wrong(key, f"{key} = {shown(repr(value), 60)[1:-1]}", expected)


def _one_of(*choices: Any) -> Any:
    def read(value: Any) -> Any:
        if value not in choices or isinstance(value, bool):
            raise ValueError(" or ".join(f'"{each}"' for each in choices))
        return value

    return read


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 1000:
        raise ValueError("a text")
    return trimmed(value)


def _number(low: float, high: float) -> Any:
    def read(value: Any) -> float:
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not low <= value <= high
        ):
            raise ValueError(f"a number from {low:g} to {high:g}")
        return float(value)

    return read


def _whole(low: int, high: int) -> Any:
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return value

    return read


def _texts(value: Any) -> tuple[str, ...]:
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, (list, tuple)) or len(several) > MOST_WORDS:
        raise ValueError("a list of texts")
    if not all(isinstance(each, str) for each in several):
        raise ValueError("a list of texts")
    return tuple(several)


def _months(value: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, (list, tuple)) or len(value) != 12:
        raise ValueError("12 names, or lists of names")
    return tuple(_texts(each) for each in value)


def _synonyms(value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if isinstance(value, Mapping):
        return tuple((key, _texts(words)) for key, words in value.items())
    words = _texts(value)
    if not words:
        raise ValueError("at least one value")
    return tuple((word, ()) for word in words)


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
        raise ValueError("a table of names and names")
    return tuple(value.items())


def _code(value: Any) -> str:
    code = _text(value).upper()
    if code not in CODES:
        raise ValueError("a code of ISO 4217, like EUR")
    return code


def _symbols(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((_text(symbol), _code(code)) for symbol, code in _pairs(value))


_READERS: Mapping[str, Any] = {
    "fillers": _one_of(*FILLERS),
    "match": _text,
    "weight": _number(0, 1e6),
    "list": _one_of("set", "ordered"),
    "key": _texts,
    "floor": _number(0, 1),
    "null": lambda value: frozenset(map(fold, _texts(value))),
    "missing": _one_of("absent", "unannotated"),
    "decimal": _one_of(".", ",", "auto"),
    "unit": _text,
    "order": _one_of("dmy", "mdy"),
    "century": _whole(0, 9900),
    "months": _months,
    "precision": _one_of(*PRECISIONS),
    "zone": _whole(-1440, 1440),
    "currency": _code,
    "symbols": _symbols,
    "values": _synonyms,
    "parents": _pairs,
}


def all_keys() -> Sequence[str]:
    """Every key that a slot of some type may have.

    >>> "century" in all_keys()
    True
    """
    return [*COMMON, "realisations", *dict.fromkeys(key for keys in TYPES.values() for key in keys)]

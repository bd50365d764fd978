"""Many values of one slot: each is a row, and is read when it is needed, once.

Equal texts are equal values, and most answers are right, so most are never read: gold and system
then have the same row. Of the others, equal values are found by comparing numbers. Only pairs that
are unequal, and that by a rough look may still be partly right or within a tolerance, are compared
exactly, each different pair once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from carob.arrays.columns import numbering
from carob.arrays.join import distinct, ranked
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.values import date, quantity
from carob.values.edit import bags, distance
from carob.values.matches import Match
from carob.values.number import PLAIN_SIGNS, SHORT, number_key, plain_number_key
from carob.values.raw import NUMBER, OBJECT, Raw, Raws, fold, folded, trimmed
from carob.values.slot import TypedSlot

INCORRECT, PARTIAL, CORRECT = range(3)
"""What becomes of a pair of values."""

_UNREAD: Any = object()

LONGEST_EDIT = 50_000
"""Texts longer than this are compared for equality alone, even where a few edits are allowed."""


class Column:
    """The values of a slot, on both sides.

    >>> from carob.values.slot import typed_slot
    >>> slot, _ = typed_slot({"type": "date"})
    >>> column = Column(slot, [Raw(0, "2024-01-02"), Raw(0, "Jan 2, 2024"), Raw(0, "2024")])
    >>> column.outcomes(np.array([0, 0]), np.array([1, 2]))
    array([2, 1], dtype=int8)
    """

    def __init__(self, slot: TypedSlot, raws: Sequence[Raw]) -> None:
        self.slot, self.raws = slot, Raws.of(raws)
        self.by_equality = _by_equality(slot)
        self._as_texts = slot.match.name == "exact" and slot.type in ("string", "id")
        self._values: dict[int, Any] = {}
        self._keys: IntArray = np.full(len(self.raws), -1, np.int32)
        self._numbers = numbering()
        self._pairs: dict[int, int] = {}

    @classmethod
    def of(cls, slot: TypedSlot, raws: Raws) -> tuple[Column, IntArray]:
        """The column of these values, and the row of each. If values have to be read, or pairs of
        them judged one by one, every different value is one row.

        >>> from carob.values.slot import typed_slot
        >>> Column.of(typed_slot({"type": "date"})[0], Raws.of([Raw(0, "2024"), Raw(0, "2024")]))[1]
        array([0, 0])
        """
        if _by_equality(slot) and slot.type in ("string", "id", "number"):
            return cls(slot, raws), np.arange(len(raws))
        different, row = raws.different()
        return cls(slot, different), row

    def value(self, row: int) -> Any:
        """The value in a row; None if it cannot be read."""
        found = self._values.get(row, _UNREAD)
        if found is _UNREAD:
            raw = self.raws[row]
            if self._as_texts:
                found = None if raw.kind == OBJECT else raw.text
            else:
                found = self.slot.kind.read(raw)
            self._values[row] = found
        return found

    @cached_property
    def readable(self) -> BoolArray:
        """Which values can be read. Most show that without being read."""
        if self.slot.type in ("string", "id"):
            texts: BoolArray = self.raws.kinds != OBJECT
            return texts
        sure: BoolArray = np.zeros(len(self.raws), bool)
        if self.slot.type == "number":
            numbers = np.flatnonzero(self.raws.kinds == NUMBER)
            sure[numbers] = _short_numbers(self.raws.texts(numbers))
        for row in np.flatnonzero(~sure).tolist():
            sure[row] = self.value(row) is not None
        return sure

    def keys(self, rows: IntArray) -> IntArray:
        """A number for each of these rows, which are readable: the same where values are equal."""
        new = distinct(rows[self._keys[rows] < 0])
        keys = self._canonical(new)
        self._keys[new] = np.fromiter(map(self._numbers.__getitem__, keys), np.int32, len(new))
        return self._keys[rows]

    def _canonical(self, rows: IntArray) -> Iterable[Any]:
        """What is equal where the values in these rows are."""
        if self.slot.match.name == "exact":
            return map(trimmed, self.raws.texts(rows))
        if self.slot.type == "string":  # most are
            return folded(self.raws.texts(rows))
        if self.slot.type == "number":
            return self._number_keys(rows)
        return (canonical(self.slot.type, self.value(row)) for row in rows.tolist())

    def _number_keys(self, rows: IntArray) -> list[Any]:
        """The keys of numbers, most of which need not be read."""
        keys: list[str | None] = [None] * len(rows)
        if self.slot.kind.unit is None:
            kinds = self.raws.kinds[rows].tolist()
            keys = [plain_number_key(text) if kind == NUMBER else None
                    for text, kind in zip(self.raws.texts(rows), kinds, strict=True)]  # fmt: skip
        return [number_key(self.value(row)) if key is None else key
                for row, key in zip(rows.tolist(), keys, strict=True)]  # fmt: skip

    @cached_property
    def _rough(self) -> Any:
        return _rough(self.slot, [self.value(row) for row in range(len(self.raws))])

    def outcomes(self, gold: IntArray, system: IntArray) -> IntArray:
        """The outcome of each pair of values, given by their rows."""
        both = self.readable[gold] & self.readable[system]
        found = np.where(both & (gold == system), CORRECT, INCORRECT).astype(np.int8)
        other = np.flatnonzero(both & (gold != system))
        equal = self.keys(gold[other]) == self.keys(system[other])
        found[other[equal]] = CORRECT
        if self.by_equality:
            return found
        open_ = other[~equal]
        open_ = open_[self._rough(gold[open_], system[open_])] if len(open_) else open_
        if len(open_):
            width = len(self.raws)
            keys = gold[open_].astype(np.int64) * width + system[open_]
            pairs, inverse = ranked(keys)
            known = self._pairs
            judged = []
            for pair in pairs.tolist():
                if pair not in known:
                    known[pair] = self._judged(*divmod(pair, width))
                judged.append(known[pair])
            found[open_] = np.array(judged, np.int8)[inverse]
        return found

    def _judged(self, gold: int, system: int) -> int:
        return judged(self.slot, self.value(gold), self.value(system))


def _short_numbers(texts: Sequence[str]) -> BoolArray | bool:
    """Which JSON numbers are so short and plain that they can be read for sure."""
    if max(map(len, texts), default=0) < SHORT and not "".join(texts).strip(PLAIN_SIGNS):
        return True
    return np.array([len(t) < SHORT and not t.strip(PLAIN_SIGNS) for t in texts], bool)


def judged(slot: TypedSlot, gold: Any, system: Any) -> int:
    """The outcome of two values that were read, exact and one by one.

    >>> from carob.values.slot import typed_slot
    >>> judged(typed_slot({"type": "date"})[0], (2024, 1, 2), (2024, 1))
    1
    """
    match = slot.match
    if match.name == "exact":
        raise AssertionError("exact compares texts, not values")
    if match.name == "edit":
        return _by_edit(match, gold, system)
    if canonical(slot.type, gold) == canonical(slot.type, system):
        return CORRECT
    if slot.type == "number":
        return CORRECT if _near(match, gold, system) else INCORRECT
    if slot.type == "time":
        return CORRECT if abs(gold - system) <= match.seconds else INCORRECT
    if slot.type == "date":
        return _dates(match, gold, system)
    if slot.type == "datetime":
        return _moments(match, gold, system)
    if slot.type == "money":
        (number, currency), (other, theirs) = gold, system
        if not _near(match, number, other):
            return INCORRECT
        if currency == theirs:
            return CORRECT
        return PARTIAL if currency is None or theirs is None else INCORRECT
    if slot.type == "quantity":
        return _quantities(match, gold, system)
    if slot.type == "enum":
        return PARTIAL if system in slot.kind.ancestors(gold) else INCORRECT
    return INCORRECT


def _near(match: Match, gold: Fraction, system: Fraction) -> bool:
    return abs(gold - system) <= max(match.abs, match.rel * abs(gold))


def _dates(match: Match, gold: date.Day, system: date.Day) -> int:
    if len(gold) == len(system) == 3:
        apart = abs(date.ordinal(gold) - date.ordinal(system))
        return CORRECT if apart <= match.days else INCORRECT
    short = min(len(gold), len(system))
    return PARTIAL if gold[:short] == system[:short] and len(gold) != len(system) else INCORRECT


def _moments(match: Match, gold: date.Moment, system: date.Moment) -> int:
    if gold[1] is None or system[1] is None:
        if gold[1] is None and system[1] is None:
            return _dates(match, gold[0], system[0])
        short = min(len(gold[0]), len(system[0]))
        return PARTIAL if gold[0][:short] == system[0][:short] else INCORRECT
    wall = gold[2] is None or system[2] is None
    apart = abs(date.instant(gold, wall=wall) - date.instant(system, wall=wall))
    return CORRECT if apart <= max(match.seconds, match.days * 86400) else INCORRECT


def _quantities(match: Match, gold: quantity.Amount, system: quantity.Amount) -> int:
    (number, name), (other, theirs) = gold, system
    if name is None or theirs is None:
        outcome = CORRECT if name is None and theirs is None else PARTIAL
        return outcome if _near(match, number, other) else INCORRECT
    unit, their_unit = quantity.unit_of(name), quantity.unit_of(theirs)
    if unit is None or their_unit is None:
        same = unit is None and their_unit is None and fold(name) == fold(theirs)
        return CORRECT if same and _near(match, number, other) else INCORRECT
    if unit.dimension != their_unit.dimension:
        return INCORRECT
    converted = unit.of_base(their_unit.base(other))
    return CORRECT if _near(match, number, converted) else INCORRECT


def _by_edit(match: Match, gold: str, system: str) -> int:
    longer = max(len(gold), len(system))
    if gold == system:
        return CORRECT
    if longer > LONGEST_EDIT:
        return INCORRECT
    kept = longer - distance(gold, system)
    if kept >= match.cor * longer:
        return CORRECT
    return PARTIAL if kept >= match.par * longer else INCORRECT


def canonical(kind: str, value: Any) -> Any:
    """What is equal where values are; zones only matter if both sides have one.

    >>> canonical("number", Fraction(1, 2))
    Fraction(1, 2)
    """
    if kind == "quantity":
        return quantity.canonical(value)
    if kind == "datetime" and value[1] is not None and value[2] is not None:
        return ("instant", date.instant(value))
    return value


def _by_equality(slot: TypedSlot) -> bool:
    """Whether a pair of different values is always incorrect."""
    match = slot.match
    if match.name == "exact" or slot.type in ("string", "id", "boolean", "number", "time"):
        return match.name in ("exact", "norm")
    return False


def _rough(slot: TypedSlot, values: Sequence[Any]) -> Any:
    """A quick test, of many pairs at once, that never refuses a pair that is not incorrect."""
    match, size = slot.match, len(values)
    if match.name == "edit":
        return _rough_edit(match, values)
    if slot.type in ("number", "money", "time"):
        numbers = np.zeros(size)
        for i, value in enumerate(values):
            if value is not None:
                numbers[i] = float(value[0] if slot.type == "money" else value)
        return _rough_number(numbers, match)
    if slot.type in ("date", "datetime"):
        low, high = np.zeros(size), np.zeros(size)
        for i, value in enumerate(values):
            if value is not None:
                day = value[0] if slot.type == "datetime" else value
                low[i] = date.ordinal(day)
                last = (*day, 12)[:2] if len(day) < 3 else day
                end = last if len(last) == 3 else (*last, date.days_in(*last))
                high[i] = date.ordinal(end)
        # Two zones may be two days apart.
        slack = float(match.days) + float(match.seconds) / 86400 + 3

        def near(gold: IntArray, system: IntArray) -> BoolArray:
            inside: BoolArray = (low[gold] <= high[system] + slack) & (
                low[system] <= high[gold] + slack
            )
            return inside

        return near
    if slot.type == "quantity":
        raw, base = np.zeros(size), np.zeros(size)
        names: dict[Any, int] = {}
        of_kind, has_unit = np.zeros(size, np.int64), np.zeros(size, bool)
        factor = np.ones(size)
        for i, value in enumerate(values):
            if value is None:
                continue
            unit = None if value[1] is None else quantity.unit_of(value[1])
            kind = (unit.dimension if unit else ("?", fold(value[1]))) if value[1] else None
            of_kind[i] = names.setdefault(kind, len(names))
            raw[i], has_unit[i] = float(value[0]), value[1] is not None
            base[i] = float(unit.base(value[0])) if unit else raw[i]
            factor[i] = float(unit.factor) if unit else 1.0
        bare = _rough_number(raw, match)

        def similar(gold: IntArray, system: IntArray) -> BoolArray:
            slack = np.abs(base[gold]) + np.abs(base[system])
            reach = factor[gold] * np.maximum(
                float(match.abs), float(match.rel) * np.abs(raw[gold])
            )
            close = np.abs(base[gold] - base[system]) <= reach * (1 + 1e-9) + slack * 1e-9
            same: BoolArray = (of_kind[gold] == of_kind[system]) & close
            loose: BoolArray = ~(has_unit[gold] & has_unit[system]) & bare(gold, system)
            return same | loose

        return similar
    return lambda gold, system: np.ones(len(gold), bool)


def _rough_number(numbers: FloatArray, match: Match) -> Any:
    reach_abs = float(max(match.abs, match.seconds))
    reach_rel = float(match.rel)

    def near(gold: IntArray, system: IntArray) -> BoolArray:
        one, other = numbers[gold], numbers[system]
        reach = np.maximum(reach_abs, reach_rel * np.abs(one)) * (1 + 1e-9)
        inside: BoolArray = np.abs(one - other) <= reach + 1e-9 * (np.abs(one) + np.abs(other))
        return inside

    return near


def _rough_edit(match: Match, values: Sequence[Any]) -> Any:
    size, counts = bags(["" if value is None else value for value in values])
    spare = 1 - float(match.par)

    def near(gold: IntArray, system: IntArray) -> BoolArray:
        longer = np.maximum(size[gold], size[system])
        allowed = spare * longer + 1e-6
        keep = np.flatnonzero(np.abs(size[gold] - size[system]) <= allowed)
        found = np.zeros(len(gold), bool)
        for first in range(0, len(keep), 1 << 18):
            some = keep[first : first + (1 << 18)]
            lost = counts[gold[some]] - counts[system[some]]
            # Of what one has more than the other, each must be replaced, added or taken away.
            apart = np.maximum(np.maximum(lost, 0).sum(axis=1), np.maximum(-lost, 0).sum(axis=1))
            found[some] = apart <= allowed[some]
        return found

    return near

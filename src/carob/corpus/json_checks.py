"""What a JSON object must be: checks that say where it is not."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from carob.corpus.document import Span, tidy
from carob.corpus.problems import UsageError, shown


class WrongError(UsageError):
    """An object is not a document: what was found where, and what was expected."""

    def __init__(self, found: str, expected: str, more: tuple[WrongError, ...] = ()) -> None:
        self.found, self.expected, self.more = found, expected, more
        super().__init__(f"found {found}, expected {expected}")


def checked(value: Any, kind: type | tuple[type, ...], where: str, expected: str) -> Any:
    """The value, if it is of that kind."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise WrongError(f"{where} = {short(value)}", expected)
    return value


def short(value: Any) -> str:
    """A value for a message."""
    return shown(repr(value), 40)[1:-1]


def key(name: str) -> str:
    """A name from a file as part of a place."""
    return shown(name, 40)[1:-1]


def words(value: Any, where: str) -> dict[str, str]:
    """An object of names and texts."""
    checked(value, dict, where, "an object of names and texts")
    for name, word in value.items():
        if type(word) is not str:
            checked(word, str, f"{where}.{key(name)}", "a text")
    return dict(value)


def number(value: Any, where: str) -> int:
    """A position."""
    whole: int = checked(value, int, where, "a whole number")
    if not 0 <= whole < 2**31:
        raise WrongError(f"{where} = {short(whole)}", "a position from 0 to 2147483647")
    return whole


def spans(value: Any, where: str) -> tuple[Span, ...]:
    """A list of [start, end]."""
    checked(value, list, where, "a list of [start, end]")
    for i, span in enumerate(value):
        checked(span, list, f"{where}[{i}]", "[start, end]")
        if len(span) != 2:
            raise WrongError(f"{where}[{i}] with {len(span)} numbers", "[start, end]")
    return tuple((number(a, f"{where}[{i}]"), number(b, f"{where}[{i}]"))
                 for i, (a, b) in enumerate(value))  # fmt: skip


def id_of(value: Mapping[str, Any], where: str) -> str | None:
    """The id of an object, if it has any."""
    name: str | None = value.get("id")
    return name if name is None else checked(name, str, f"{where}.id", "a text")


def known(value: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    """No key but these."""
    unknown = sorted(set(value) - set(keys))
    if unknown:
        raise WrongError(f"{where}.{key(unknown[0])}", f"one of {', '.join(keys)}")


def fragments_of(value: Mapping[str, Any], where: str, length: int) -> tuple[Span, ...] | None:
    """The place that an object names: start and end, or fragments; None if it names none."""
    if "fragments" in value:
        if "start" in value or "end" in value:
            raise WrongError(f"{where} with fragments and start or end", "the one or the other")
        fragments = spans(value["fragments"], f"{where}.fragments")
    elif "start" in value and "end" in value:
        start, end = (number(value[side], f"{where}.{side}") for side in ("start", "end"))
        fragments = ((start, end),)
    else:
        return None
    try:
        fragments = tidy(fragments)
    except UsageError as error:
        raise WrongError(
            f"{where}: {error}", "spans that are not empty and do not overlap"
        ) from None
    if 0 <= length < fragments[-1][1]:
        raise WrongError(
            f"{where} ending at {fragments[-1][1]}", f"an end within the {length} positions"
        )
    return fragments


def confidence_of(value: Mapping[str, Any], where: str) -> float | None:
    """The confidence that an object names, if any."""
    found = value.get("confidence")
    if found is None:
        return None
    checked(found, (int, float), f"{where}.confidence", "a number")
    # math.isfinite would fail on an integer that no float can hold.
    if not -sys.float_info.max <= found <= sys.float_info.max:
        raise WrongError(f"{where}.confidence = {short(found)}", "a finite number")
    return float(found)

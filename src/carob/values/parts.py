"""Values written as an object of two parts: an amount and a currency, a value and a unit."""

from __future__ import annotations

import json
from typing import Any

from carob.values.raw import BOOLEAN, NUMBER, TEXT, Raw


class _Literal(str):
    """A JSON number as it is written."""

    __slots__ = ()


_DECODER = json.JSONDecoder(parse_int=_Literal, parse_float=_Literal)


def parts_of(text: str, keys: tuple[str, str]) -> tuple[Raw | None, Raw | None] | None:
    """The two parts of an object (None: absent); None if it has others, or parts within parts.

    >>> parts_of('{"amount": 5.0}', ("amount", "currency"))
    (Raw(kind=1, text='5.0'), None)
    >>> parts_of('{"sum": 5}', ("amount", "currency"))
    """
    value = _DECODER.decode(text)
    if not isinstance(value, dict) or not value.keys() <= set(keys):
        return None
    found = [_raw(value.get(key)) for key in keys]
    one, other = found
    return None if isinstance(one, bool) or isinstance(other, bool) else (one, other)


def _raw(value: Any) -> Raw | bool | None:
    """A part as a value; False if it is none."""
    if value is None:
        return None
    if isinstance(value, _Literal):
        return Raw(NUMBER, str(value))
    if isinstance(value, bool):
        return Raw(BOOLEAN, str(value).lower())
    return Raw(TEXT, value) if isinstance(value, str) else False

"""JSON as language models damage it: fences, prose around it, trailing commas, the end cut off."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from carob.formats import json_text

_TRIES = 20
"""At how many brackets the JSON may begin: prose has brackets, too."""
_DEEPEST = 100
_FENCED = re.compile(r"(?:```|~~~)[a-zA-Z]*\s*\n(.*?)(?:```|~~~|\Z)", re.S)
_OPENS = re.compile(r"[{\[]")
_PART = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<end>"?)|[{}\[\],:]|[^\s{}\[\],:"]+', re.S)
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_CONTROL = re.compile(r"[\x00-\x1f]")
_CLOSES = {"{": "}", "[": "]"}


def mended(text: str, is_record: Callable[[Any], bool], *, whole_items: bool = False) -> Any:
    """The record in a text that is no JSON by itself; None if there is none.

    Fences and what stands around the JSON are left out, and so are commas before a closing bracket,
    and the value at which a text breaks off; brackets that are open are closed. `True`, `False` and
    `None` are read as Python means them. Everything else must be right. With `whole_items`, an
    object or list at which the text breaks off is left out if it stands in a list of the record.

    >>> is_object = lambda value: type(value) is dict
    >>> mended('Sure!\\n```json\\n{"who": ["Ann", "Bo",],}\\n```', is_object)
    {'who': ['Ann', 'Bo']}
    >>> mended('{"who": "Ann", "where": {"room": "5", "city": "Ro', is_object)
    {'who': 'Ann', 'where': {'room': '5'}}
    >>> mended('{"who": [{"name": "Ann"}, {"name": "Bo", "ag', is_object, whole_items=True)
    {'who': [{'name': 'Ann'}]}
    >>> mended("I cannot answer that.", is_object) is None
    True
    """
    fenced = list(_FENCED.finditer(text))
    found = [value for each in fenced for value in _records(each[1], is_record, whole_items)]
    # Without a record in a fence, the fences may be part of a text of the record.
    for part in _FENCED.split(text)[::2] if found else [text]:
        found += _records(part, is_record, whole_items)
    same = all(value == found[0] for value in found)
    return found[0] if found and same else None  # which of two answers is meant?


def _records(text: str, is_record: Callable[[Any], bool], whole_items: bool) -> list[Any]:
    """The records in a text, one after another."""
    found, at = [], 0
    for _ in range(_TRIES):
        if (opens := _OPENS.search(text, at)) is None:
            break
        value, at = _value_at(text, opens.start(), whole_items)
        breaks_off = at == len(text) and not text.rstrip().endswith("]")
        if whole_items and breaks_off and isinstance(value, list) and not is_record(value):
            value = value[:-1]  # if the list is the record, an object in it is an item
        if value and is_record(value):
            found.append(value)
    return found


def _value_at(text: str, start: int, whole_items: bool) -> tuple[Any, int]:
    """The value that begins here, None if there is none, and where to go on."""
    tidy, end = _tidied(text, start, whole_items)
    try:
        return (None, start + 1) if tidy is None else (json_text.DECODER.decode(tidy), end)
    except (ValueError, RecursionError):
        return None, start + 1


def _tidied(text: str, start: int, whole_items: bool) -> tuple[str | None, int]:
    """The value that begins here, without commas before closing brackets and without what was cut
    off, and where it ends; None if brackets do not match, or are nested too deep.
    """
    out: list[str] = []
    stack: list[str] = []
    begins: list[int] = []  # of each bracket that is open, where it stands
    complete, is_key = 0, False
    for match in _PART.finditer(text, start):
        part = match.group()
        cut = match["end"] == "" or (part[0] not in '"{}[],:' and match.end() == len(text))
        if cut:
            break  # a text that does not end, or a number or word that may go on
        if part in "{[":
            stack.append(part)
            begins.append(len(out))
            if len(stack) > _DEEPEST:
                return None, start
            is_key = part == "{"
        elif part in "}]":
            begins.pop()
            if _CLOSES[stack.pop()] != part:
                return None, start
            if out[-1] == ",":
                out.pop()
            is_key = False
        elif part in ",:":
            is_key = part == "," and stack[-1] == "{"
        elif part[0] == '"':
            part = _CONTROL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", part)
        out.append(_LITERALS.get(part, part))
        if not stack:
            return "".join(out), match.end()
        if part in "{[" or (part not in ",:" and not is_key):
            complete = len(out)
    if whole_items and (item := _innermost_item(stack)):
        complete, stack = begins[item], stack[:item]
        if out[complete - 1] == ",":
            complete -= 1
    return "".join([*out[:complete], *(_CLOSES[each] for each in reversed(stack))]), len(text)


def _innermost_item(stack: list[str]) -> int:
    """Which of the open brackets is the last that stands in an open list; 0 if none is. A list of
    all records does not count: what is complete in a record is kept.
    """
    found = (at for at in range(len(stack) - 1, 1, -1) if stack[at - 1] == "[")
    return next(found, 0)

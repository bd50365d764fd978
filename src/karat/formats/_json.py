"""JSON as files hold it: lines, decoding that loses nothing, and the keys of an object."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from karat.nouns.errors import InputError, Problem, repeated, shown
from karat.nouns.source import LARGEST, Source

BOM = b"\xef\xbb\xbf"
KARAT = frozenset({
    "mentions", "templates", "relations", "clusters", "tokens", "token_spans", "sentences", "unit",
})  # fmt: skip
"""An object with one of these keys is a document of karat's own format."""
COMMON = frozenset({"id", "text", "attributes"})
"""Keys that say nothing about the format."""

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"(\s*:)?|\\?\Z)|[{}\[\]]', re.S)


def lines(source: Source) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and bytes of each line, the first one without its byte order mark."""
    pending: list[bytes] = []
    offset = number = size = 0
    for block in source.blocks():
        *found, rest = block.split(b"\n")
        if found:
            found[0] = b"".join([*pending, found[0]])
            pending, size = [], 0
        for line in found:
            number += 1
            yield number, offset, line.removeprefix(BOM) if number == 1 else line
            offset += len(line) + 1
        pending.append(rest)
        size += len(rest)
        if size > LARGEST:
            what = f"a line of more than {LARGEST:,} bytes"
            raise InputError([Problem("K005", source.name, number + 1, what, "shorter lines")])
    if rest := b"".join(pending):
        yield number + 1, offset, rest.removeprefix(BOM) if not number else rest


def keys(head: bytes) -> set[str]:
    """The keys of the objects at the top of a file, or in a list there, as far as they show.

    >>> sorted(keys(b'{"a": {"b": 1}, "c": "d"} {"e": [{"f'))
    ['a', 'c', 'e']
    """
    found: set[str] = set()
    text = head.removeprefix(BOM).lstrip().decode("utf-8", "replace")
    depth = -1 if text.startswith("[") else 0
    for token in _TOKEN.finditer(text):
        if token[1] is None:
            depth += 1 if token.group() in "{[" else -1
        elif token[2] and depth == 1:
            found.add(token[1])
    return found


def _finite(number: str) -> float:
    found = float(number)
    if found in (math.inf, -math.inf):
        raise ValueError(f"{number} is too large")
    return found


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that is there twice would lose a value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = repeated([key for key, _ in pairs])
        raise ValueError(f"the key {shown(twice)} is there twice")
    return found


DECODER = json.JSONDecoder(parse_constant=_refused, parse_float=_finite, object_pairs_hook=_once)
"""Refuses NaN, infinite numbers, and a key that is there twice."""

"""JSON as files hold it: lines, decoding that loses nothing, and the keys of an object."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from carob.corpus.problems import InputError, Problem, repeated, shown
from carob.corpus.source import LARGEST, Source

BOM = b"\xef\xbb\xbf"
CAROB = frozenset({
    "mentions", "templates", "relations", "clusters", "tokens", "token_spans", "sentences", "unit",
})  # fmt: skip
"""An object with one of these keys is a document of carob's own format."""
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
    """The keys of the objects at the top of a file, or in a list there, as far as they show, or up
    to the first that only carob's own format has.

    >>> sorted(keys(b'{"a": {"b": 1}, "c": "d"} {"e": [{"f'))
    ['a', 'c', 'e']
    """
    return _looked(head, tell=True)[0]


def _looked(head: bytes, *, tell: bool = False) -> tuple[set[str], bool]:
    """The keys of objects, and whether the last of them is cut; `tell` stops at a telling one."""
    found: set[str] = set()
    text = head.removeprefix(BOM).lstrip().decode("utf-8", "replace")
    depth = -1 if text.startswith("[") else 0
    for token in _TOKEN.finditer(text):
        if token[1] is None:
            depth += 1 if token.group() in "{[" else -1
        elif token[2] and depth == 1:
            found.add(token[1])
            if tell and token[1] in CAROB:
                break
    return found, depth > 0


def telling(source: Source, head: bytes) -> bytes:
    """The head of a file of objects, and as much more of the file as tells what they are.

    An object that the head cuts is there to its end: its last key may be the only one of its kind.
    If no key says more than `id` and `text` do, what follows is the first line that has such a key.

    >>> source = Source.of_bytes(b'{"id": "1"}\\n{"id": "2"}\\n{"id": "3", "who": "Ann"}')
    >>> sorted(keys(telling(source, source.head(12))))
    ['id', 'who']
    """
    if head.removeprefix(BOM).lstrip()[:1] != b"{" or keys(head) & CAROB:
        return head
    size = len(head)
    head = _whole(source, 0, head)
    if not keys(head) <= COMMON:
        return head
    for _, offset, raw in lines(source):
        if offset + len(raw) > len(head) and not (_object(raw) or {}).keys() <= COMMON:
            return head + b"\n" + _whole(source, offset, source.between(offset, offset + size))
    return head


def _whole(source: Source, start: int, piece: bytes) -> bytes:
    """A piece of a file, longer if it cuts a line of lines, or the one object that there is."""
    first, line_end, _ = piece.removeprefix(BOM).lstrip().partition(b"\n")
    in_lines, size = bool(line_end) and _object(first) is not None, len(piece)
    while len(piece) < LARGEST and (in_lines or _looked(piece)[1]):
        longer = source.between(start, start + 2 * len(piece))
        end = longer.find(b"\n", size - 1) if in_lines else -1
        if end >= 0 or len(longer) <= len(piece):
            return longer[:end] if end >= 0 else longer
        piece = longer
    return piece


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def why(error: ValueError, before: int = 0) -> str:
    """What a decoder says of a line, with the column; so many characters stand before what it saw.

    >>> try:
    ...     DECODER.decode('{"a" "b"}')
    ... except ValueError as error:
    ...     why(error)
    "Expecting ':' delimiter, column 6"
    """
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, column {before + error.pos + 1}"
    return str(error)


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

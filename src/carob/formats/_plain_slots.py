"""Templates as most files have them, straight into columns.

Plain is a template whose slots hold texts, or objects with a text, a place (start and end), whether
they are optional and how sure they are; nothing stands in anything else. Whatever else there is, or
is wrong, is left to nouns/_slots.py and _records.py, where every rule and every message lives.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from carob.corpus.tables import UNKNOWN, Codes, Fragments, int32
from carob.corpus.templates import Fillers, Templates

_TEMPLATE = frozenset({"id", "label", "slots"})
_FILLER = frozenset({"text", "start", "end", "optional", "confidence"})
_USUAL = frozenset({"text", "start", "end"})

Row = tuple[int, str, int, str | None, int, int, bool, float]
"""A filler: its template, slot, place in the template, text, start and end (-1: no place), whether
it is optional, confidence."""
Forms = tuple[list[tuple[str | None, str | None]], list[Row]]
"""Label and id of each template of a document, and its fillers."""

NOTHING: Forms = ([], [])


def forms(templates: Any, top: int) -> Forms | None:
    """The templates of a document of carob's own, in which places end at `top` at the latest.

    >>> forms([{"label": "talk", "slots": {"room": ["5"]}}], 9)
    ([('talk', None)], [(0, 'room', 0, '5', -1, -1, False, nan)])
    >>> forms([{"label": "talk", "slots": {"room": [{"start": 5, "end": 12}]}}], 9) is None
    True
    """
    if type(templates) is not list:
        return None
    heads: list[tuple[str | None, str | None]] = []
    rows: list[Row] = []
    for number, template in enumerate(templates):
        if type(template) is not dict or not template.keys() <= _TEMPLATE:
            return None
        label, name, slots = (
            template.get("label", ""),
            template.get("id"),
            template.get("slots", {}),
        )
        if type(label) is not str or type(slots) is not dict:
            return None
        if name is not None and type(name) is not str:
            return None
        heads.append((label or None, name))
        at = 0
        for slot, fillers in slots.items():
            if not slot or type(fillers) is not list:
                return None
            for filler in fillers:
                if type(filler) is str:
                    if not filler or filler.isspace():
                        return None
                    rows.append((number, slot, at, filler, -1, -1, False, np.nan))
                else:
                    row = _row(number, slot, at, filler, top)
                    if row is None:
                        return None
                    rows.append(row)
                at += 1
    return heads, rows


def _row(number: int, slot: str, at: int, filler: Any, top: int) -> Row | None:
    if type(filler) is not dict or not filler.keys() <= _FILLER:
        return None
    if len(filler) == 3 and filler.keys() == _USUAL:
        text, start, end = filler["text"], filler["start"], filler["end"]
        usual = type(text) is str and type(start) is int and type(end) is int
        if not usual or not 0 <= start < end <= top or not text or text.isspace():
            return None
        return number, slot, at, text, start, end, False, np.nan
    text, start, end = filler.get("text"), filler.get("start", -1), filler.get("end", -1)
    if text is None:
        if "start" not in filler:
            return None
    elif type(text) is not str or not text or text.isspace():
        return None
    if (type(start) is not int or type(end) is not int or not start < end <= top or start < 0) and (
        "start" in filler or "end" in filler
    ):
        return None
    optional, sure = filler.get("optional", False), filler.get("confidence")
    if type(optional) is not bool:
        return None
    if sure is None:
        sure = np.nan
    elif type(sure) not in (int, float) or not abs(sure) <= sys.float_info.max:
        return None
    return number, slot, at, text, start, end, optional, float(sure)


def record_forms(record: Mapping[str, Any], keys: Sequence[str]) -> tuple[Forms, int] | None:
    """The template that a plain object is, without these keys, and how many texts are empty.

    >>> record_forms({"id": "1", "room": ["5"], "time": None, "host": ""}, ("id",))
    (([(None, None)], [(0, 'room', 0, '5', -1, -1, False, nan)]), 1)
    """
    rows: list[Row] = []
    empty = 0
    for slot, given in record.items():
        if not slot:
            return None
        if slot in keys or given is None:
            continue
        for text in given if type(given) is list else (given,):
            if type(text) is str:
                if not text or text.isspace():
                    empty += 1
                else:
                    rows.append((0, slot, len(rows), text, -1, -1, False, np.nan))
            elif text is not None:
                return None
    return (([(None, None)], rows) if rows else NOTHING), empty


def templates_of(documents: Sequence[Forms]) -> Templates:
    """The table of these templates, document by document."""
    heads = list(chain.from_iterable(head for head, _ in documents))
    if not heads:
        return Templates.none()
    sizes = [len(head) for head, _ in documents]
    counts = [len(rows) for _, rows in documents]
    rows = list(chain.from_iterable(rows for _, rows in documents))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 8
    template, slot, place, text, start, end, optional, sure = columns
    begin, stop = int32(start), int32(end)
    placed = begin != UNKNOWN
    none = np.full(len(heads), UNKNOWN, np.int32)
    return Templates(
        np.repeat(np.arange(len(documents), dtype=np.int32), sizes),
        Codes.of([label for label, _ in heads]),
        none,
        Codes(none, ()),
        int32(list(chain.from_iterable(map(range, sizes)))),
        tuple(name for _, name in heads),
        Fillers(
            int32(int32(template) + np.repeat(np.cumsum([0, *sizes])[:-1], counts)),
            Codes.of(slot),
            np.array(optional, bool),
            np.array(sure, np.float64),
            np.full(len(rows), UNKNOWN, np.int32),
            int32(place),
            np.arange(len(rows) + 1),
            Codes.of(text),
            Fragments(np.append(0, np.cumsum(placed)), begin[placed], stop[placed]),
        ),
    )

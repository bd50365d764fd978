"""JSON objects as most lines have them, straight into columns.

Plain is a document with an id, a text or tokens, sentences, mentions with a start, an end, a label,
an id and a confidence, and plain templates (see _plain_slots.py), all of them as they should be.
Whatever else there is, or is wrong, is left to nouns/_record.py, where every rule and every message
lives.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import lt
from typing import Any

import numpy as np

from carob.arrays.columns import label_codes
from carob.corpus.build import document_hashes
from carob.corpus.corpus import Corpus
from carob.corpus.tables import (
    UNKNOWN,
    Codes,
    Documents,
    Fillers,
    Fragments,
    Mentions,
    Templates,
    int32,
)

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


_KEYS = frozenset({"id", "text", "tokens", "sentences", "mentions", "templates"})
_LARGEST = 2**31 - 1
_WORDS = (str, type(None))


@dataclass(slots=True, eq=False)
class Plain:
    """A plain document: its words, and its mentions as columns."""

    id: str | None
    text: str | None
    tokens: list[str] | None
    sentences: list[int]
    starts: list[int]
    ends: list[int]
    labels: list[str]
    ids: list[str | None]
    confidences: list[float | None]
    forms: Forms = NOTHING

    @property
    def unit(self) -> str | None:
        """What positions count."""
        return "char" if self.text is not None else "token" if self.tokens is not None else None

    @property
    def length(self) -> int:
        """How many positions there are, -1 if that is not known."""
        words = self.tokens if self.text is None else self.text
        return -1 if words is None else len(words)


def plain(record: Mapping[str, Any]) -> Plain | None:
    """The document of an object, if it is a plain one.

    >>> plain({"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}]}).ends
    [3]
    >>> plain({"text": "Ann", "mentions": [{"start": 0, "end": 4, "label": "PER"}]}) is None
    True
    """
    if not record.keys() <= _KEYS:
        return None
    mentions = record.get("mentions", [])
    if type(mentions) is not list:
        return None
    if not mentions:
        bare = Plain(record.get("id"), record.get("text"), record.get("tokens"),
                     record.get("sentences", []), [], [], [], [], [])  # fmt: skip
        return _with_forms(bare, record) if _right(bare) else None
    try:
        found = Plain(
            record.get("id"),
            record.get("text"),
            record.get("tokens"),
            record.get("sentences", []),
            [mention["start"] for mention in mentions],
            [mention["end"] for mention in mentions],
            [mention["label"] for mention in mentions],
            [mention.get("id") for mention in mentions],
            [mention.get("confidence") for mention in mentions],
        )
        more = [("id" in mention) + ("confidence" in mention) for mention in mentions]
        alone = all(len(each) == 3 + extra for each, extra in zip(mentions, more, strict=True))
    except (AttributeError, KeyError, TypeError):
        return None
    return _with_forms(found, record) if alone and _right(found) else None


def _with_forms(found: Plain, record: Mapping[str, Any]) -> Plain | None:
    """The document with its templates, if they are plain, too."""
    if "templates" in record:
        top = found.length if found.length >= 0 else _LARGEST
        given = forms(record["templates"], min(top, _LARGEST))
        if given is None:
            return None
        found.forms = given
    return found


def _right(found: Plain) -> bool:
    if type(found.id) not in _WORDS or type(found.text) not in _WORDS:
        return False
    tokens = found.tokens
    if tokens is not None and not (type(tokens) is list and _all(tokens, str)):
        return False
    top = min(found.length if found.length >= 0 else _LARGEST, _LARGEST)
    breaks = found.sentences
    if type(breaks) is not list or (breaks and not _rising(breaks, top)):
        return False
    if not found.starts:
        return True
    if not _all(found.labels, str) or "" in found.labels:
        return False
    if not _all(found.starts, int) or not _all(found.ends, int):
        return False
    if min(found.starts) < 0 or max(found.ends) > top:
        return False
    return all(map(lt, found.starts, found.ends)) and _named(found.ids) and _sure(found.confidences)


def _rising(breaks: list[Any], top: int) -> bool:
    if not _all(breaks, int) or not all(map(lt, breaks, breaks[1:])):
        return False
    return bool(breaks[0] >= 0 and breaks[-1] <= top)


def _all(values: Sequence[Any], *types: type) -> bool:
    return set(map(type, values)) <= set(types)


def _named(ids: Sequence[Any]) -> bool:
    names = [name for name in ids if name is not None]
    return not names or (_all(names, str) and len(set(names)) == len(names))


def _sure(confidences: Sequence[Any]) -> bool:
    known = [each for each in confidences if each is not None]
    if not known:
        return True
    top = sys.float_info.max
    return _all(known, int, float) and -top <= min(known) and max(known) <= top


def of_plain(found: Sequence[Plain], lines: Sequence[int], offsets: Sequence[int]) -> Corpus:
    """The corpus that holds these documents, which have ids and units alike."""
    sizes = [len(each.starts) for each in found]
    label = Codes.of([label for each in found for label in each.labels])
    ids = [name for each in found for name in each.ids]
    sure = [value for each in found for value in each.confidences]
    confidence = None
    if any(value is not None for value in sure):
        confidence = np.array([np.nan if value is None else value for value in sure], np.float64)
    names = tuple(each.id for each in found if each.id is not None)
    units = {each.unit for each in found if each.unit is not None}
    return Corpus(
        units.pop() if units else None,
        Documents(
            int32([each.length for each in found]),
            document_hashes(found),
            np.cumsum([0, *(len(each.sentences) for each in found)]),
            int32([start for each in found for start in each.sentences]),
            np.array(lines, np.int64),
            np.array(offsets, np.int64),
            names or None,
        ),
        Mentions(
            np.repeat(np.arange(len(found), dtype=np.int32), sizes),
            int32([start for each in found for start in each.starts]),
            int32([end for each in found for end in each.ends]),
            label_codes(label.codes, len(label.values)),
            confidence=confidence,
            id=tuple(ids) if any(name is not None for name in ids) else None,
        ),
        label.values,
        templates=templates_of([each.forms for each in found]),
    ).ordered()

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
from operator import lt
from typing import Any

import numpy as np

from carob.arrays.columns import label_codes
from carob.corpus.build import document_hashes
from carob.corpus.corpus import Corpus
from carob.corpus.tables import Codes, Documents, Mentions, int32
from carob.formats._plain_slots import NOTHING, Forms, forms, templates_of

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

"""Lists of mentions in JSON as columns, most without being decoded into objects.

Most files have mentions with a start, an end and a label, always in the same order. Their numbers
and labels are found in the bytes. Lists that are written in any other way are decoded; the result
is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Annotated, Any, NamedTuple

import numpy as np

from carob.arrays.hashing import hash_stretches
from carob.arrays.literals import (
    bytes_between,
    colons,
    list_sizes,
    more_keys,
    padded,
    quoted,
    whole_numbers,
)
from carob.arrays.types import ByteArray, HashArray, IntArray
from carob.corpus.tables import Codes, int32
from carob.formats._plain import LARGEST_POSITION

_KEYS = sorted([b"start", b"end", b"label"])
_STRINGS = 4
"""How many strings a mention has: its keys and its label."""
_COLON, _OPEN, _SPACE = b":{ "
_SIGNS_AFTER_VALUES = np.frombuffer(b",,}", np.uint8)


class MentionLists(NamedTuple):
    """How many mentions each list has, and the columns of all of them; `ids` and `confidences` are
    empty if no mention has one. Then how many keys they have, and how many colons are in strings.
    """

    sizes: IntArray
    starts: IntArray
    ends: IntArray
    labels: Codes
    ids: list[str | None]
    confidences: list[float | None]
    keys: int
    colons: int


def mention_lists(lists: Sequence[bytes]) -> MentionLists | None:
    """The mentions of these JSON values; None if one of them is not a list of plain mentions.

    >>> found = mention_lists([b'[{"start": 0, "end": 2, "label": "PER"}]', b"[]"])
    >>> found.sizes.tolist(), found.ends.tolist(), found.labels.values
    ([1, 0], [2], ('PER',))
    >>> mention_lists([b'[{"start": 0, "end": 2}]']) is None
    True
    """
    buffer, bounds = padded(*lists), np.cumsum([0, *map(len, lists)])
    try:
        return _as_written(buffer, bounds) or _decoded(lists)
    except ValueError:
        return None


@cache
def _decoder(name: str) -> Any:
    """Decodes `lists` of mentions, or `labels`."""
    import msgspec  # only JSON needs it

    label = Annotated[str, msgspec.Meta(min_length=1)]
    if name == "labels":
        return msgspec.json.Decoder(list[label])
    position = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_POSITION)]
    # A key that is absent gives None, and null is refused: so keys can be counted.
    mention = msgspec.defstruct(
        "PlainMention",
        [("start", position), ("end", position), ("label", label), ("id", str, None),
         ("confidence", float, None)],
        gc=False, forbid_unknown_fields=True,
    )  # fmt: skip
    return msgspec.json.Decoder(list[list[mention]])  # type: ignore[valid-type]


def _decoded(lists: Sequence[bytes]) -> MentionLists | None:
    """The mentions, however they are written."""
    data = b"[" + b",".join(lists) + b"]"
    mentions = _decoder("lists").decode(data)
    every = list(chain.from_iterable(mentions))
    ids = [mention.id for mention in every]
    confidences = [mention.confidence for mention in every]
    keys = 5 * len(every) - ids.count(None) - confidences.count(None)
    if more_keys(data, keys):
        return None
    return MentionLists(
        int32([len(each) for each in mentions]),
        int32([mention.start for mention in every]),
        int32([mention.end for mention in every]),
        Codes.of([mention.label for mention in every]),
        ids,
        confidences,
        keys,
        colons(np.frombuffer(data, np.uint8)) - keys,
    )


def _as_written(buffer: ByteArray, bounds: IntArray) -> MentionLists | None:
    """The mentions, if each of them has a start, an end and a label, in the order of the first
    mention, with one space or none after each colon and comma.
    """
    strings = quoted(buffer)
    if not len(strings.start) or len(strings.start) % _STRINGS:
        return None
    start, end = strings.start.reshape(-1, _STRINGS), strings.end.reshape(-1, _STRINGS)
    order = _order(bytes_between(buffer, start[0], end[0]))
    if order is None:
        return None
    # One row for each mention, one column for each of its strings, or for each of its values, which
    # begin at `value` and end at `stop`. The hashes of its short keys are the keys themselves.
    words = hash_stretches(buffer, strings.start, strings.end).reshape(-1, _STRINGS)
    label = order.index(b"label") + 1
    keys = [column for column in range(_STRINGS) if column != label]
    value = end[:, keys] + len('":')
    value += buffer[value] == _SPACE
    stop = np.empty_like(value)
    starts, stop[:, order.index(b"start")] = whole_numbers(buffer, value[:, order.index(b"start")])
    ends, stop[:, order.index(b"end")] = whole_numbers(buffer, value[:, order.index(b"end")])
    stop[:, label - 1] = end[:, label] + 1
    are_mentions = (
        (words[:, keys] == words[0, keys]).all()
        and (buffer[start[:, 0] - len('{"')] == _OPEN).all()
        and (buffer[end[:, keys] + 1] == _COLON).all()
        and (value < stop).all()
        and (value[:, label - 1] == start[:, label] - 1).all()
        and (buffer[stop] == _SIGNS_AFTER_VALUES).all()
        and (start[:, keys[1:]] - stop[:, :-1] <= len(', "')).all()
    )
    sizes = list_sizes(buffer, start[:, 0] - len('{"'), stop[:, -1] + 1, bounds)
    if sizes is None or not are_mentions:
        return None
    labels = _label_codes(buffer, words[:, label], start[:, label], end[:, label])
    count = len(_KEYS) * len(start)
    return MentionLists(
        sizes, int32(starts), int32(ends), labels, [], [], count, colons(buffer) - count
    )


def _order(strings: list[bytes]) -> list[bytes] | None:
    """The order of the keys of a mention with these strings; None if it has others."""
    keys = strings.copy()
    if b"label" in keys[:-1]:
        del keys[keys.index(b"label") + 1]
    return keys if sorted(keys) == _KEYS else None


def _label_codes(buffer: ByteArray, words: HashArray, start: IntArray, end: IntArray) -> Codes:
    """The labels with these hashes and places; each different one is decoded once."""
    _, some, which = np.unique(words, return_index=True, return_inverse=True)
    spelled = b'","'.join(bytes_between(buffer, start[some], end[some]))
    known = Codes.of(_decoder("labels").decode(b'["' + spelled + b'"]'))
    return Codes(known.codes[which], known.values)

"""From tags, or dicts, to mentions: all tags are read at once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import Any, Protocol

import numpy as np

from carob.arrays.peer_tags import (
    TagColumn,
    beginnings_without_prefix,
    nervaluate_mentions,
    read_tags,
)
from carob.arrays.tags import list_lengths
from carob.compat.nervaluate._mentions import GivenMentions
from carob.compat.nervaluate.entities import Entity
from carob.corpus.tables import Mentions


class DataLoader(Protocol):
    """What reads input of one kind."""

    def columns(self, data: Any) -> GivenMentions:
        """The mentions as columns."""

    def load(self, data: Any) -> list[list[Entity]]:
        """The mentions of each document as objects."""


class ListLoader:
    """Lists of tags, one for each document. A mention begins at B and where the label changes.

    >>> ListLoader().load([["B-PER", "I-PER", "O"]])
    [[Entity(label='PER', start=0, end=1)]]
    """

    def columns(self, data: Any) -> GivenMentions:
        """The mentions as columns."""
        if not isinstance(data, list):
            raise ValueError("ListLoader expects list input")
        if not are(list, data):
            raise ValueError("Each document must be a list of tags")
        column = _read_tags(data)
        mentions = nervaluate_mentions(column)
        begin, end, label, labels = mentions
        first = np.append(0, np.cumsum(list_lengths(data) + 1))
        wrong = beginnings_without_prefix(column, mentions)
        if wrong.size:
            at = int(wrong[0])
            document = int(np.searchsorted(first, at, side="right")) - 1
            raise ValueError(
                f"Invalid tag format: {column.tags[int(column.codes[at])]}, document {document}, "
                f"tag {at - first[document]}; expected O, or B- or I- and a label"
            )
        doc = np.searchsorted(first, begin, side="right") - 1
        table = Mentions(doc, begin - first[doc], end - first[doc], label)
        return GivenMentions(table, labels, len(data))

    def load(self, data: Any) -> list[list[Entity]]:
        """The mentions of each document as objects."""
        return self.columns(data).entities()


def are(kind: type, values: Iterable[Any]) -> bool:
    """Whether all values are of one kind.

    >>> are(int, [1, True]), are(int, [1, "2"])
    (True, False)
    """
    return all(issubclass(each, kind) for each in set(map(type, values)))


def _read_tags(documents: list[list[Any]]) -> TagColumn:
    """The tags, which must be texts."""
    try:
        column = read_tags(documents)
        if are(str, column.tags):
            return column
    except TypeError:  # a list or dict cannot be numbered
        pass
    document, place, tag = next(
        (i, k, tag)
        for i, tags in enumerate(documents)
        for k, tag in enumerate(tags)
        if not isinstance(tag, str)
    )
    raise ValueError(f"Invalid tag type: {type(tag)}, document {document}, tag {place}")


class ConllLoader:
    """A text with a line for each token: the token, a tab and its tag. An empty line ends a
    document.

    >>> ConllLoader().load("Ann\\tB-PER\\nslept\\tO\\n\\nBo\\tB-PER\\n")
    [[Entity(label='PER', start=0, end=0)], [Entity(label='PER', start=0, end=0)]]
    """

    def columns(self, data: Any) -> GivenMentions:
        """The mentions as columns."""
        if not isinstance(data, str):
            raise ValueError("ConllLoader expects string input")
        documents = data.rstrip().split("\n\n") if data else []
        return ListLoader().columns([self._tags(document) for document in documents])

    @staticmethod
    def _tags(document: str) -> list[str]:
        tags: list[str] = []
        for line in document.split("\n"):
            if line.strip():
                parts = line.split("\t", 2)
                if len(parts) < 2:
                    raise ValueError(
                        f"Invalid CoNLL format: line '{line}' does not contain a tab separator"
                    )
                tags.append(parts[1])
            else:  # a line of blanks has a place, but ends nothing
                before = tags[-1] if tags else "O"
                tags.append("O" if before == "O" else f"I-{before[2:]}")
        return tags

    def load(self, data: Any) -> list[list[Entity]]:
        """The mentions of each document as objects."""
        return self.columns(data).entities()


class DictLoader:
    """Lists of dicts with `label`, `start` and `end`, which is the last position.

    >>> DictLoader().load([[{"label": "PER", "start": 0, "end": 1}]])
    [[Entity(label='PER', start=0, end=1)]]
    """

    def columns(self, data: Any) -> GivenMentions:
        """The mentions as columns."""
        if not isinstance(data, list):
            raise ValueError("DictLoader expects list input")
        if not are(list, data):
            raise ValueError("Each document must be a list of entity dictionaries")
        every = list(chain.from_iterable(data))
        if not are(dict, every):
            kind = next(type(each) for each in every if not isinstance(each, dict))
            raise ValueError(f"Invalid entity type: {kind}")
        try:
            labels, starts, ends = (
                list(map(itemgetter(key), every)) for key in ("label", "start", "end")
            )
        except KeyError:
            raise ValueError("Entity missing required keys: label, start, end") from None
        if not are(str, labels):
            raise ValueError("Entity label must be a string")
        if not are(int, starts) or not are(int, ends):
            raise ValueError("Entity start and end must be integers")
        return GivenMentions.of_columns(list_lengths(data), labels, starts, ends)

    def load(self, data: Any) -> list[list[Entity]]:
        """The mentions of each document as objects."""
        return self.columns(data).entities()

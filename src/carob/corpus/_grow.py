"""Blocks of whole documents end to end, without a second copy of what has been read.

A large file is read in many small blocks. To keep them all and to join them at the end would need
twice the room; so the columns of the plain ones (flat mentions, nothing beside them) grow as they
come, and a block is gone when the next one is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.corpus.tables import Documents, Mentions

if TYPE_CHECKING:
    from carob.corpus.corpus import Corpus

_DOCUMENTS = ("length", "hash", "sentence_start", "line", "offset")
_MENTIONS = ("start", "end", "label")


_LEAST, _MORE = 1 / 256, 17 / 16
"""The smallest share that is believed, and how much more room there is than is expected."""


class _Column:
    """A column with room for what is still to come, which takes no memory until it is written."""

    def __init__(self) -> None:
        self.size = 0
        self.room: np.ndarray[Any, Any] | None = None

    def add(self, part: np.ndarray[Any, Any], more: int, share: float) -> None:
        """Put a part behind the others, each number larger by `more`; so large a share of the
        whole is then there.
        """
        size = self.size + len(part)
        if self.room is None or size > len(self.room):
            expected = size / min(max(share, _LEAST), 1.0)
            room = np.empty(int(expected * _MORE), part.dtype)
            if self.room is not None:
                room[: self.size] = self.room[: self.size]
            self.room = room
        np.add(part, more, out=self.room[self.size : size], casting="same_kind")
        self.size = size

    def done(self) -> np.ndarray[Any, Any]:
        """The whole column."""
        assert self.room is not None, "a run begins with a block"
        self.room.resize(self.size, refcheck=False)  # nobody else has seen it
        return self.room


class _Run:
    """Neighbouring plain blocks on one vocabulary of labels."""

    def __init__(self, first: Corpus) -> None:
        self.first, self.alone, self.docs, self.sentences = first, True, 0, 0
        self.columns: dict[str, _Column] = {}
        self.facts: Counter[Any] = Counter()

    def fits(self, block: Corpus) -> bool:
        """Whether the block goes on where the run ends."""
        alike = block.unit == self.first.unit and block.labels == self.first.labels
        return alike and _plain(block)

    def add(self, block: Corpus, share: float) -> None:
        """Go on with this block; so large a share of the whole is then there."""
        if self.alone:
            self.alone = False
            self._grow(self.first, share / 2)
            empty = np.empty(0, np.int32)
            self.first = replace(self.first, mentions=Mentions(empty, empty, empty, empty))
        self._grow(block, share)

    def _grow(self, block: Corpus, share: float) -> None:
        documents, mentions = block.documents, block.mentions
        parts = {name: getattr(documents, name) for name in _DOCUMENTS}
        parts |= {name: getattr(mentions, name) for name in _MENTIONS}
        for name, part in parts.items():
            self._column(name).add(part, 0, share)
        self._column("doc").add(mentions.doc, self.docs, share)
        first = self._column("sentence_offsets")
        begins = documents.sentence_offsets if not first.size else documents.sentence_offsets[1:]
        first.add(begins, self.sentences, share)
        self.docs += len(documents)
        self.sentences += len(documents.sentence_start)
        self.facts.update(block.facts)

    def _column(self, name: str) -> _Column:
        return self.columns.setdefault(name, _Column())

    def done(self) -> Corpus:
        """The run as one block."""
        if self.alone:
            return self.first
        whole: dict[str, Any] = {name: self.columns[name].done() for name in self.columns}
        documents = {name: whole[name] for name in (*_DOCUMENTS, "sentence_offsets")}
        mentions = {name: whole[name] for name in ("doc", *_MENTIONS)}
        return replace(
            self.first,
            documents=Documents(**documents),
            mentions=Mentions(**mentions),
            facts=dict(self.facts),
        )


def _plain(block: Corpus) -> bool:
    table, documents = block.mentions, block.documents
    nothing = (
        table.fragments,
        table.confidence,
        table.id,
        table.place,
        documents.id,
        block.library,
    )
    beside = (table.attributes, documents.attributes, block.extra,
              block.relations, block.clusters, block.templates)  # fmt: skip
    return all(each is None for each in nothing) and not any(len(each) for each in beside)


def grown(blocks: Iterable[Corpus], share: Callable[[], float] = lambda: 1.0) -> Iterator[Corpus]:
    """The same documents in as few blocks as can be had without a second copy.

    `share` says how large a part of all documents has come: then room is made once for all.

    >>> from carob.corpus.corpus import Corpus
    >>> [len(block) for block in grown([Corpus.of("[Ann]A"), Corpus.of("[Rome]A")])]
    [1, 1]
    """
    run: _Run | None = None
    for block in blocks:
        if run is not None and run.fits(block):
            run.add(block, share())
            continue
        if run is not None:
            yield run.done()
        run = None
        if _plain(block):
            run = _Run(block)
        else:
            yield block
        del block
    if run is not None:
        yield run.done()

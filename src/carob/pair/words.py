"""Whether paired documents have the same words, and documents that only gold marks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from carob.arrays.hashing import hash_lists
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus, Library, Words
from carob.corpus.problems import SHOWN, InputError, Problem, shown
from carob.corpus.tables import Documents, int32

TOLERATED = 0.05
"""Under `count`, a smaller share of different words is no error."""


def changed_words(
    gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray, uneven: BoolArray,
    other: BoolArray, policy: str,
) -> int:  # fmt: skip
    """How many words of paired documents differ on the same row, if the policy allows it; an error
    otherwise, with the places of the first words that differ, and the number of all. A document
    with more or fewer words than gold's has one place: what follows is moved.

    `uneven` are the pairs that differ in length, `other` those that differ in words alone.
    """
    hint = ""
    if gold.unit == system.unit == "token" and policy != "error":
        if not uneven.any():
            if policy == "ignore":
                return 0
            count = sum(
                len(_different_places(gold, system, int(ours[row]), int(theirs[row])))
                for row in np.flatnonzero(other).tolist()
            )
            total = int(gold.documents.length[ours].clip(0).sum())
            if count < TOLERATED * total:
                return count
            hint = f"; {count:,} of {total:,} words differ, --words ignore compares places alone"
        else:
            other = np.zeros_like(other)
    problems: list[Problem] = []
    total = 0
    for row in np.flatnonzero(uneven | other).tolist():
        a, b = int(ours[row]), int(theirs[row])
        places = [] if uneven[row] else _different_places(gold, system, a, b)
        total += max(1, len(places))
        room = SHOWN - len(problems)
        problems += [_difference(gold, system, a, b, at) for at in (places or [None])[:room]]
    raise InputError([replace(each, hint=each.hint + hint) for each in problems], total)


def _different_places(gold: Corpus, system: Corpus, a: int, b: int) -> list[int | None]:
    """The tokens that differ on the same row of two documents; none if characters are counted."""
    words, answers = gold.words(a)[1] or (), system.words(b)[1] or ()
    if gold.unit == "char" or len(words) != len(answers):
        return []
    return [at for at, (x, y) in enumerate(zip(words, answers, strict=True)) if x != y]


def _difference(gold: Corpus, system: Corpus, a: int, b: int, at: int | None) -> Problem:
    """What two documents have at a place where they differ; by default at the first."""
    chars = gold.unit == "char"
    what = "character" if chars else "token"
    left, right = (corpus.words(row)[0 if chars else 1] for corpus, row in ((gold, a), (system, b)))
    name = f"document {shown(gold.documents.name(a))}"
    if left is None or right is None:
        at, hint = 0, name
        found = f"{system.documents.length[b]} {what}s"
        expected = str(gold.documents.length[a])
    else:
        if at is None:
            pairs = enumerate(zip(left, right, strict=False))
            at = next((i for i, (x, y) in pairs if x != y), min(len(left), len(right)))
        hint = f"{what} {at + 1} of {name}"
        expected, found = (
            f"the {what} {shown(words[at])}" if at < len(words) else "the end of the document"
            for words in (left, right)
        )
    return Problem(
        "K303", system.file_name("system", b), system.line(b, at), found,
        f"{expected}, as in {gold.file_name('gold', a)}:{gold.line(a, at)}", hint,
    )  # fmt: skip


def cut_like(gold: Corpus, system: Corpus) -> Corpus:
    """The system cut into the documents of gold, if gold alone marks documents and both have the
    same number of rows; otherwise the system as it is.

    A mention across a cut becomes two, as if the file had been cut before it was read.

    >>> gold = Corpus.of({"id": "a", "tokens": ["Ann"]}, {"id": "b", "tokens": ["Bo", "left"]})
    >>> [document.tokens for document in cut_like(gold, Corpus.of("[Ann]PER Bo left"))]
    [('Ann',), ('Bo', 'left')]
    """
    left, right = gold.documents, system.documents
    if not _is_marked(gold) or right.id is not None or not _is_plain(system):
        return system
    if np.array_equal(left.length, right.length) or not len(left):
        return system
    if np.any(left.length < 0) or np.any(right.length < 0):
        return system
    cuts, before = (np.cumsum([0, *each.length.tolist()]) for each in (left, right))
    if cuts[-1] != before[-1]:
        return system
    table = system.mentions
    start, end = before[table.doc] + table.start, before[table.doc] + table.end
    first = np.searchsorted(cuts, start, side="right") - 1
    last = np.searchsorted(cuts, end - 1, side="right") - 1
    rows = np.repeat(np.arange(len(table)), last - first + 1)
    doc = first[rows] + np.arange(len(rows)) - np.searchsorted(rows, rows)
    start, end = np.maximum(start[rows], cuts[doc]), np.minimum(end[rows], cuts[doc + 1])
    full = np.flatnonzero(start < end)  # an empty document has no part of a mention
    rows, doc, start, end = rows[full], doc[full], start[full], end[full]
    mentions = replace(
        table.take(rows),
        doc=int32(doc),
        start=int32(start - cuts[doc]),
        end=int32(end - cuts[doc]),
    )
    library = None if system.library is None else Recut(system.library, cuts, before)
    words = [library.words(row)[1] if library else None for row in range(len(left))]
    known = all(each is not None for each in words)
    hashes = hash_lists([each or () for each in words]) if known else np.zeros_like(left.hash)
    documents = Documents(left.length, hashes, *_sentences(right, cuts, before), *_lines(
        right, cuts, before))  # fmt: skip
    return replace(system, documents=documents, mentions=mentions, library=library)


def _is_marked(corpus: Corpus) -> bool:
    """Whether documents are more than the sentences of a file."""
    several = np.diff(corpus.documents.sentence_offsets) != 1
    return corpus.unit == "token" and (corpus.documents.id is not None or bool(several.any()))


def _is_plain(corpus: Corpus) -> bool:
    """Whether a corpus has nothing but mentions, and a document is a sentence or the whole file."""
    others = len(corpus.templates) + len(corpus.relations) + len(corpus.clusters)
    if corpus.unit != "token" or corpus.mentions.fragments is not None or others:
        return False
    return len(corpus) == 1 or not _is_marked(corpus)


def _sentences(right: Documents, cuts: IntArray, before: IntArray) -> tuple[IntArray, IntArray]:
    """Where sentences begin in each document; nowhere if the file has no sentences."""
    own = np.repeat(before[:-1], np.diff(right.sentence_offsets)) + right.sentence_start
    if len(own) <= 1:
        return np.zeros(len(cuts), np.int64), np.empty(0, np.int32)
    starts = np.union1d(own, cuts[:-1][np.diff(cuts) > 0])
    doc = np.searchsorted(cuts, starts, side="right") - 1
    return np.searchsorted(doc, np.arange(len(cuts))), int32(starts - cuts[doc])


def _lines(right: Documents, cuts: IntArray, before: IntArray) -> tuple[IntArray, IntArray]:
    """Lines and offsets of the documents: about where they begin in the file."""
    row = np.clip(np.searchsorted(before, cuts[:-1], side="right") - 1, 0, len(right) - 1)
    return right.line[row] + cuts[:-1] - before[row], right.offset[row]


@dataclass(frozen=True, slots=True, eq=False)
class Recut:
    """The words of documents that were cut anew; `before` is where the old ones began, `cuts` where
    the new ones do.
    """

    library: Library
    cuts: IntArray
    before: IntArray

    def _rows(self, row: int) -> range:
        low, high = int(self.cuts[row]), int(self.cuts[row + 1])
        first, last = np.searchsorted(self.before, [low, max(low, high - 1)], side="right") - 1
        return range(int(first), min(int(last), len(self.before) - 2) + 1)

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        low, high = int(self.cuts[row]), int(self.cuts[row + 1])
        tokens: list[str] = []
        for old in self._rows(row):
            words = self.library.words(old)[1]
            if words is None:
                return None, None
            first = int(self.before[old])
            tokens += words[max(0, low - first) : max(0, high - first)]
        return None, tuple(tokens)

    def line(self, row: int, place: int) -> int:
        """The line of a token."""
        at = int(self.cuts[row]) + place
        old = int(np.searchsorted(self.before, at, side="right")) - 1
        old = min(old, len(self.before) - 2)
        return self.library.line(old, at - int(self.before[old]))

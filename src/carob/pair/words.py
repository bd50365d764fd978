"""Whether paired documents have the same words, and documents that only gold marks."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from carob.arrays.hashing import hash_lists
from carob.arrays.ranges import owners_and_rows
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus, Library, Words
from carob.corpus.problems import SHOWN, InputError, Problem, shown
from carob.corpus.tables import Documents, int32

TOLERATED = 0.05
"""Under `count`, a smaller share of different words is no error."""

AGREE, LOOK = 6, 100
"""Texts that differ go on together where this many characters agree (two, of tokens), at most LOOK
positions after the place where they differ.
"""


def changed_words(
    gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray, uneven: BoolArray,
    other: BoolArray, policy: str,
) -> int:  # fmt: skip
    """How many words of paired documents differ on the same row, if the policy allows it; an error
    otherwise, with the places of the first words that differ, and the number of all. In documents
    of different length, and where positions are characters, each stretch that differs has one
    place; beyond SHOWN places, each further document of that kind counts as one.

    `uneven` are the pairs that differ in length, `other` those that differ in words alone.
    """
    hint = ""
    if gold.unit == system.unit == "token" and policy != "error":
        if not uneven.any():
            if policy == "ignore":
                return 0
            count = sum(
                len(_different_rows(gold, system, int(ours[row]), int(theirs[row])))
                for row in np.flatnonzero(other).tolist()
            )
            total = int(gold.documents.length[ours].clip(0).sum())
            if count < TOLERATED * total:
                return count
            hint = f"; {count:,} of {total:,} words differ, --words ignore compares places alone"
        else:
            other = np.zeros_like(other)
    if not hint and _same_without_space(gold, system, ours, theirs, uneven | other):
        hint = "; only tokens or spaces differ: --align characters compares them"
    problems: list[Problem] = []
    total = 0
    for row in np.flatnonzero(uneven | other).tolist():
        a, b = int(ours[row]), int(theirs[row])
        room = SHOWN - len(problems)
        places = _places(gold, system, a, b, room)
        total += max(1, len(places))
        problems += [_difference(gold, system, a, b, *each) for each in places[:room]]
    raise InputError([replace(each, hint=each.hint + hint) for each in problems], total)


def _same_without_space(
    gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray, unlike: BoolArray
) -> bool:
    """Whether the first documents that differ have the same characters but for white space."""
    for row in np.flatnonzero(unlike)[:SHOWN].tolist():
        sides = [_words(gold, int(ours[row])), _words(system, int(theirs[row]))]
        texts = [None if side is None else "".join("".join(side).split()) for side in sides]
        if texts[0] is None or texts[0] != texts[1]:
            return False
    return True


def _different_rows(gold: Corpus, system: Corpus, a: int, b: int) -> list[int]:
    """The tokens that differ on the same row of two documents with the same number of rows."""
    words, answers = gold.words(a)[1] or (), system.words(b)[1] or ()
    if len(words) != len(answers):
        return []
    return [at for at, (x, y) in enumerate(zip(words, answers, strict=True))
            if x != y and x.strip() != y.strip()]  # fmt: skip


Place = tuple[int, int]
"""Where two documents differ: a position of gold's, and one of the system's."""


def _places(gold: Corpus, system: Corpus, a: int, b: int, room: int) -> list[Place]:
    """Where two documents differ: every token, if only tokens on the same row do; otherwise the
    beginning of every stretch, but hardly more than there is `room` for.
    """
    if gold.unit == "token" and (rows := _different_rows(gold, system, a, b)):
        return [(at, at) for at in rows]
    left, right = _words(gold, a), _words(system, b)
    if left is None or right is None:
        return [(0, 0)]
    places = list(islice(different_stretches(left, right), max(1, room)))
    return places or [(len(left), len(right))]  # a file that has changed since it was read


def _words(corpus: Corpus, row: int) -> Sequence[str] | None:
    """What positions count: the characters or the tokens of a document."""
    text, tokens = corpus.words(row)
    return text if corpus.unit == "char" else tokens


def different_stretches(left: Sequence[str], right: Sequence[str]) -> Iterator[Place]:
    """The beginning of every stretch in which two sequences differ.

    A stretch ends where the next AGREE positions are the same again, at most LOOK positions later
    on either side; if they are not, it is the last.

    >>> list(different_stretches("Ann met Bo in Rome, Italy", "Ann met Bob in Roma, Italy"))
    [(10, 10), (17, 18)]
    """
    size = AGREE if isinstance(left, str) else 2
    end = [None] * size  # ends agree as well

    def window(side: Sequence[str], low: int) -> list[Hashable]:
        """What is there at each of the next positions, with what follows."""
        part = [*side[low : low + LOOK + size], *end]
        last = min(LOOK, len(side) - low)
        return [tuple(part[i : i + size]) for i in range(last + 1)]

    i = j = 0
    while True:
        while i < len(left) and j < len(right) and left[i] == right[j]:
            i, j = i + 1, j + 1
        if i == len(left) and j == len(right):
            return
        yield i, j
        seen: dict[Hashable, int] = {}
        for more, here in enumerate(window(right, j)):
            seen.setdefault(here, more)
        again = [
            (more + seen[here], more)
            for more, here in enumerate(window(left, i)) if here in seen
        ]  # fmt: skip
        if not again:
            return
        both, more = min(again)
        i, j = i + more, j + both - more


def _difference(gold: Corpus, system: Corpus, a: int, b: int, at: int, there: int) -> Problem:
    """What two documents have where they differ: at `at` in gold, at `there` in the system."""
    what = "character" if gold.unit == "char" else "token"
    left, right = _words(gold, a), _words(system, b)
    name = f"document {shown(gold.documents.name(a))}"
    if left is None or right is None:
        hint = name
        found = f"{system.documents.length[b]} {what}s"
        expected = str(gold.documents.length[a])
    else:
        hint = f"{what} {at + 1} of {name}"
        expected, found = (
            f"the {what} {shown(words[where])}" if where < len(words) else "the end of the document"
            for words, where in ((left, at), (right, there))
        )
    return Problem(
        "K303", system.file_name("system", b), system.line(b, there), found,
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
    rows, doc = owners_and_rows(first, last - first + 1)
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


@dataclass(slots=True, eq=False)
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

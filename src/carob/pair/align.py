"""Different tokens or spaces on the two sides: places of a system, moved onto the text of gold.

Both texts are compared without white space (or without that at the ends of lines). Where all
other characters are the same, the alignment is exact. Where some differ, both texts go on together
at the next place at which enough characters agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, HashArray, IntArray
from carob.corpus.build import text_hashes
from carob.corpus.corpus import Corpus, Library, Words
from carob.corpus.problems import DataError, InputError, Problem, plain, shown
from carob.corpus.tables import UNKNOWN, Fragments, int32
from carob.pair.tokens import moved_to

LEAST = 0.9
"""A smaller share of aligned characters is an error."""

AGREE, LOOK = 3, 100
"""Texts that differ go on together where this many characters agree (or both end), at most LOOK
characters after the place where they differ.
"""

ALIGNED, UNALIGNED = "aligned_characters", "unaligned_characters"
"""Facts of a system that was aligned: characters of both sides."""

_LINE_END = re.compile(r"\r\n|\r|\n")


def align_texts(left: str, right: str) -> IntArray:
    """For each character of `right` the one of `left` that it is aligned with, -1 for none.

    >>> align_texts("York-based", "York-based").tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    >>> align_texts('say "yes"!', "say ``yes''!").tolist()
    [0, 1, 2, 3, -1, -1, 5, 6, 7, -1, -1, 9]
    """
    if left == right:
        return np.arange(len(right), dtype=np.int32)
    to = np.full(len(right), UNKNOWN, np.int32)
    i = j = 0
    while True:
        same = _common(left, right, i, j)
        to[j : j + same] = np.arange(i, i + same)
        i, j = i + same, j + same
        if (
            i == len(left)
            or j == len(right)
            or (again := _next_agreement(left, right, i, j)) is None
        ):
            return to
        i, j = again


def _common(left: str, right: str, i: int, j: int) -> int:
    """How many characters from `i` and `j` on are the same."""
    size, most = 64, min(len(left) - i, len(right) - j)
    while size < most and left[i : i + size] == right[j : j + size]:
        size *= 2
    low, high = size // 2 if size > 64 else 0, min(size, most)
    while low < high:
        middle = (low + high + 1) // 2
        if left[i : i + middle] == right[j : j + middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _next_agreement(left: str, right: str, i: int, j: int) -> tuple[int, int] | None:
    """The nearest places after `i` and `j` at which texts agree again: those with the smallest sum
    of distances, of these the one nearest in `left`.
    """

    def windows(text: str, low: int) -> list[str]:
        # The end of a text is a character, too, which agrees with itself.
        part = text[low : low + LOOK + AGREE] + "\n" * AGREE
        return [part[at : at + AGREE] for at in range(min(LOOK, len(text) - low) + 1)]

    seen: dict[str, int] = {}
    for more, window in enumerate(windows(right, j)):
        seen.setdefault(window, more)
    places = [
        (more + seen[window], more)
        for more, window in enumerate(windows(left, i)) if window in seen
    ]  # fmt: skip
    if not places:
        return None
    both, more = min(places)
    return i + more, j + both - more


class _Characters(NamedTuple):
    """Those characters of a text that are compared, and where they are."""

    text: str
    place: IntArray

    @classmethod
    def without_space(cls, text: str) -> _Characters:
        kept = "".join(text.split())
        return cls(kept, int32([at for at, sign in enumerate(text) if not sign.isspace()]))

    @classmethod
    def without_line_ends(cls, text: str) -> _Characters:
        """All characters but the white space at the ends of lines; a line break is one."""
        keep = np.ones(len(text), bool)
        parts, at, last = [], 0, len(text.rstrip())
        keep[last:] = False
        for end in _LINE_END.finditer(text, 0, last):
            line = text[at : end.start()].rstrip()
            keep[at + len(line) : end.end() - 1] = False
            parts += [line, "\n"]
            at = end.end()
        return cls("".join(parts) + text[at:last], int32(np.flatnonzero(keep)))


class _Move(NamedTuple):
    """From places in one text to places in another."""

    left: IntArray
    right: IntArray
    to: IntArray
    known: IntArray
    """Which characters of the right text are aligned."""

    @classmethod
    def of(cls, left: _Characters, right: _Characters, to: IntArray) -> _Move:
        # Places are looked up among 64-bit numbers: others would be converted for each of them.
        return cls(left.place, right.place.astype(np.int64), to, np.flatnonzero(to >= 0))

    def __call__(self, start: int, end: int) -> tuple[int, int]:
        """The place in the other text. Borders that are not aligned move to the next characters
        that are; a place of which nothing is left is the next character.
        """
        first, last = np.searchsorted(self.right, (start, end)).tolist()
        before, after = np.searchsorted(self.known, (first, last)).tolist()
        if first < last and self.to[first] >= 0:
            low = int(self.to[first])
        else:
            low = int(self.to[self.known[before - 1]]) + 1 if before else 0
        if first < last and self.to[last - 1] >= 0:
            high = int(self.to[last - 1]) + 1
        else:
            high = int(self.to[self.known[after]]) if after < len(self.known) else len(self.left)
        if not len(self.left):
            return start, end
        low = min(low, len(self.left) - 1)
        high = max(high, low + 1)
        return int(self.left[low]), int(self.left[high - 1]) + 1


class Spaced(NamedTuple):
    """Documents in tokens as texts: the tokens with a space between them."""

    library: Library
    places: Fragments

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        tokens = self.library.words(row)[1]
        return None if tokens is None else " ".join(tokens), tokens

    def line(self, row: int, place: int) -> int:
        """The line of the file on which a position of a document stands."""
        low, high = self.places.offsets[row : row + 2].tolist()
        token = int(np.searchsorted(self.places.start[low:high], place, side="right")) - 1
        return self.library.line(row, max(token, 0))

    def file(self, row: int) -> str:
        """The file of a document; empty if it is that of the corpus."""
        file = getattr(self.library, "file", None)
        return str(file(row)) if file else ""


def in_own_characters(corpus: Corpus, side: str) -> Corpus:
    """A corpus in tokens as one in characters, with a space between tokens; itself if positions
    are characters already.

    >>> found = in_own_characters(Corpus.of("[Ann Lee]PER slept"), "gold")
    >>> found[0].text, found[0].mentions
    ('Ann Lee slept', (Mention('PER', 0, 7),))
    """
    if corpus.unit != "token":
        return corpus
    spans = [_spans(_tokens(corpus, row, side)) for row in range(len(corpus))]
    places = Fragments.of_spans(spans)
    documents = corpus.documents
    lengths = int32([each[-1][1] if each else 0 for each in spans])
    doc = np.repeat(np.arange(len(corpus)), np.diff(documents.sentence_offsets))
    borders = [[*(start for start, _ in own), size]
               for own, size in zip(spans, lengths.tolist(), strict=True)]  # fmt: skip
    sentences = zip(doc.tolist(), documents.sentence_start.tolist(), strict=True)
    assert corpus.library is not None
    return replace(
        moved_to(corpus, places),
        documents=replace(
            documents, length=lengths, hash=np.zeros(len(corpus), np.uint64),
            sentence_start=int32([borders[row][start] for row, start in sentences]),
        ),
        extra={row: {**corpus.extra.get(row, {}), "token_spans": own}
               for row, own in enumerate(spans)},
        library=Spaced(corpus.library, places),
    )  # fmt: skip


def _tokens(corpus: Corpus, row: int, side: str) -> Sequence[str]:
    tokens = corpus.words(row)[1]
    if tokens is None:
        raise _wordless(corpus, row, side)
    return tokens


def _wordless(corpus: Corpus, row: int, side: str) -> DataError:
    name = shown(corpus.documents.name(row))
    return DataError(
        f"characters cannot be aligned: document {name} of {plain(side)} has no text and no tokens"
    )


def _spans(tokens: Sequence[str]) -> tuple[tuple[int, int], ...]:
    spans, at = [], 0
    for token in tokens:
        spans.append((at, at + len(token)))
        at += len(token) + 1
    return tuple(spans)


def aligned(gold: Corpus, system: Corpus, place: IntArray, name: str = "system") -> Corpus:
    """The system on the texts of gold, which is in characters; `place` is the gold document of each
    system document. Its facts say how many characters are aligned, of both sides together.

    >>> gold = in_own_characters(Corpus.of("[York-based]M firms"), "gold")
    >>> system = aligned(gold, Corpus.of("[York]L - based firms"), np.array([0]))
    >>> system.mentions.start.item(), system.mentions.end.item(), system.facts
    (0, 4, {'aligned_characters': 30, 'unaligned_characters': 0})
    """
    system = in_own_characters(system, name)
    moves: dict[int, _Move] = {}
    shares: dict[int, tuple[int, int]] = {}
    for row, ours in enumerate(place.tolist()):
        if ours == UNKNOWN:
            continue
        texts = [corpus.words(at)[0] for corpus, at in ((gold, ours), (system, row))]
        if texts[0] is None or texts[1] is None:
            raise (
                _wordless(gold, ours, "gold") if texts[0] is None else _wordless(system, row, name)
            )
        left, right = (_Characters.without_space(text or "") for text in texts)
        to = align_texts(left.text, right.text)
        moves[row] = _Move.of(left, right, to)
        both = 2 * int((to >= 0).sum())
        shares[row] = both, len(left.text) + len(right.text) - both
    known, unknown = (sum(each[side] for each in shares.values()) for side in (0, 1))
    if known < LEAST * (known + unknown):
        raise _refused(gold, system, place, shares, known, unknown, name)
    facts = {**system.facts, ALIGNED: known, UNALIGNED: unknown}
    return replace(_moved(gold, system, place, moves), facts=facts)


def share(corpus: Corpus) -> float | None:
    """The share of the characters that are aligned; None if nothing was aligned."""
    if ALIGNED not in corpus.facts:
        return None
    known, unknown = corpus.facts[ALIGNED], corpus.facts[UNALIGNED]
    return known / (known + unknown) if known + unknown else 1.0


def _refused(
    gold: Corpus, system: Corpus, place: IntArray, shares: dict[int, tuple[int, int]],
    known: int, unknown: int, name: str,
) -> InputError:  # fmt: skip
    row = min(shares, key=lambda row: (shares[row][0] + 1) / (sum(shares[row]) + 1))
    ours = int(place[row])
    return InputError([
        Problem(
            "K260", system.file_name(name, row), int(system.documents.line[row]),
            f"{known / (known + unknown):.1%} of the characters aligned with those of gold",
            f"at least {LEAST:.0%}",
            f"least of all in document {shown(gold.documents.name(ours))}: "
            "are these the same documents in the same order?",
        )
    ])  # fmt: skip


def same_but_for_line_ends(
    gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray, unlike: BoolArray
) -> Corpus:
    """The system on the texts of gold, where texts differ in white space at the ends of lines, or
    at the end, alone. Other documents stay as they are.

    >>> gold, system = Corpus.of({"text": "Ann\\nBo"}), Corpus.of({"text": "Ann \\r\\nBo\\n"})
    >>> both = np.array([0])
    >>> same_but_for_line_ends(gold, system, both, both, np.array([True])).documents.length.item()
    6
    """
    moves: dict[int, _Move] = {}
    place = np.full(len(system), UNKNOWN, np.int64)
    for a, b in zip(ours[unlike].tolist(), theirs[unlike].tolist(), strict=True):
        texts = gold.words(a)[0], system.words(b)[0]
        if texts[0] is None or texts[1] is None:
            continue
        left, right = (_Characters.without_line_ends(text) for text in texts if text is not None)
        if left.text == right.text:
            moves[b] = _Move.of(left, right, np.arange(len(right.text), dtype=np.int32))
            place[b] = a
    return _moved(gold, system, place, moves) if moves else system


def hashes_but_for_line_ends(corpus: Corpus, other: HashArray) -> HashArray:
    """The hashes of the texts of a corpus; of those that `other` does not have, the hashes without
    white space at the ends of lines.

    >>> gold, system = Corpus.of({"text": "Ann"}), Corpus.of({"text": "Ann\\n"})
    >>> hashes = hashes_but_for_line_ends(system, gold.documents.hash)
    >>> bool(hashes == gold.documents.hash)
    True
    """
    hashes = corpus.documents.hash.copy()
    for row in np.flatnonzero(~np.isin(hashes, other)).tolist():
        text = corpus.words(row)[0]
        if text is not None:
            hashes[row] = text_hashes([_Characters.without_line_ends(text).text])[0]
    return hashes


def _moved(gold: Corpus, system: Corpus, place: IntArray, moves: dict[int, _Move]) -> Corpus:
    """The system with its places moved, and its documents those of gold, where there is a move."""

    def moved(pieces: Fragments, doc: IntArray) -> Fragments:
        rows = np.repeat(doc, np.diff(pieces.offsets)).tolist()
        spans = [
            moves[row](start, end) if row in moves else (start, end)
            for row, start, end in zip(
                rows, pieces.start.tolist(), pieces.end.tolist(), strict=True
            )
        ]
        start, end = (int32([span[side] for span in spans]) for side in (0, 1))
        return Fragments(pieces.offsets, start, end)

    table, fillers = system.mentions, system.templates.fillers
    pieces = moved(table.pieces(), table.doc)
    filler_doc = system.templates.doc[fillers.template][fillers.filler]
    fillers = replace(fillers, fragments=moved(fillers.fragments, filler_doc))
    rows = np.array(sorted(moves), np.int64)
    length, hashes = system.documents.length.copy(), system.documents.hash.copy()
    length[rows] = gold.documents.length[place[rows]]
    hashes[rows] = gold.documents.hash[place[rows]]
    return replace(
        system,
        documents=replace(
            system.documents,
            length=length,
            hash=hashes,
            sentence_offsets=np.zeros(len(system) + 1, np.int64),
            sentence_start=np.empty(0, np.int32),
        ),
        mentions=replace(
            table,
            start=pieces.start[pieces.offsets[:-1]],
            end=pieces.end[pieces.offsets[1:] - 1],
            fragments=None if table.fragments is None else pieces,
        ),
        templates=replace(system.templates, fillers=fillers),
    ).ordered()

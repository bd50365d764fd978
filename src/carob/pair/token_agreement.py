"""Check that paired gold and system documents have the same words and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import SHOWN, InputError, Problem, shown
from carob.corpus.tables import UNKNOWN, Documents


def file_of(corpus: Corpus, side: str, row: int | None = None) -> str:
    """The name of a corpus's file in messages; in a folder, the file of the document `row`."""
    known = None if row is None else getattr(corpus.library, "file", None)
    name = known(row) if known else ""
    return name or (corpus.origin.path if corpus.origin else "") or side


def _differ(left: Documents, right: Documents, a: IntArray, b: IntArray) -> BoolArray:
    """Which pairs of documents have different words, if both are known."""
    known = (left.hash[a] != 0) & (right.hash[b] != 0)
    differ = known & (left.hash[a] != right.hash[b])
    sized = (left.length[a] >= 0) & (right.length[b] >= 0)
    odd: BoolArray = differ | (sized & (left.length[a] != right.length[b]))
    return odd


def agree(gold: Corpus, system: Corpus, place: IntArray) -> None:
    """Require the same words and sentences in paired documents; report where they differ."""
    theirs = np.flatnonzero(place != UNKNOWN)
    ours = place[theirs]
    same_words(gold, system, ours, theirs)
    breaks = _odd_sentences(gold.documents, system.documents, ours, theirs)
    if breaks:
        raise InputError([_broken(gold, system, a, b) for a, b in breaks[:SHOWN]], len(breaks))


def same_words(gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray) -> None:
    """Require the same words in paired documents; report where they differ."""
    odd = np.flatnonzero(_differ(gold.documents, system.documents, ours, theirs))
    if odd.size:
        first = odd[:SHOWN].tolist()
        parted = [_parting(gold, system, int(ours[row]), int(theirs[row])) for row in first]
        raise InputError(parted, len(odd))


def _broken(gold: Corpus, system: Corpus, a: int, b: int) -> Problem:
    """Where two documents with the same words begin a sentence at different words."""
    ends, others = gold.documents.sentences(a), system.documents.sentences(b)
    at = next(i for i in range(len(ends) + 1) if ends[i : i + 1] != others[i : i + 1])
    where = min((*ends[at : at + 1], *others[at : at + 1]))

    def place(starts: tuple[int, ...]) -> str:
        return f"at token {starts[at] + 1}" if at < len(starts) else "nowhere"

    return Problem(
        "K304", file_of(system, "system"), _line(system, b, where),
        f"sentence {at + 1} of document {shown(gold.documents.name(a))} {place(others)}",
        f"{place(ends)}, as in {file_of(gold, 'gold')}:{_line(gold, a, where)}",
    )  # fmt: skip


def _line(corpus: Corpus, row: int, place: int) -> int:
    if corpus.library is None:
        return int(corpus.documents.line[row])
    return corpus.library.line(row, place)


def _odd_sentences(
    left: Documents, right: Documents, a: IntArray, b: IntArray
) -> list[tuple[int, int]]:
    """Pairs of documents, both with sentences, whose sentences start at different tokens."""
    if (
        np.array_equal(a, b)
        and np.array_equal(left.sentence_offsets, right.sentence_offsets)
        and np.array_equal(left.sentence_start, right.sentence_start)
    ):
        return []
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    both = [(i, k, left.sentences(i), right.sentences(k)) for i, k in pairs]
    return [(i, k) for i, k, ours, theirs in both if ours and theirs and ours != theirs]


def _parting(gold: Corpus, system: Corpus, a: int, b: int) -> Problem:
    """The first difference between two documents that should be the same."""
    ours = gold.library.words(a) if gold.library else (None, None)
    theirs = system.library.words(b) if system.library else (None, None)
    chars = gold.unit == "char"
    what = "character" if chars else "token"
    left, right = (ours[0], theirs[0]) if chars else (ours[1], theirs[1])
    if left is None or right is None:
        sizes = [int(documents.length[row]) for documents, row in
                 ((gold.documents, a), (system.documents, b))]  # fmt: skip
        return Problem(
            "K303", file_of(system, "system"), _line(system, b, 0), f"{sizes[1]} {what}s",
            f"{sizes[0]}, as in {file_of(gold, 'gold')}:{_line(gold, a, 0)}",
            f"document {shown(gold.documents.name(a))}",
        )  # fmt: skip
    at = next(
        (i for i, (x, y) in enumerate(zip(left, right, strict=False)) if x != y),
        min(len(left), len(right)),
    )

    def word(words: Sequence[str]) -> str:
        if at >= len(words):
            return "the end of the document"
        return f"the {what} {shown(words[at])}"

    return Problem(
        "K303", file_of(system, "system"), _line(system, b, at), word(right),
        f"{word(left)}, as in {file_of(gold, 'gold')}:{_line(gold, a, at)}",
        f"{what} {at + 1} of document {shown(gold.documents.name(a))}",
    )  # fmt: skip

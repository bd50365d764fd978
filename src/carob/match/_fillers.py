"""Which fillers match: by their texts, or by their places, as strictly as a recipe says.

`exact` is the same folded text, or the same fragments. `overlap` is a word, or a position, in
common; the words of a text are what white space keeps apart, without the punctuation at their ends,
and single characters where a script has no spaces. `contains(k)` is a system filler that holds the
whole gold filler and at most k tokens more; here a text is made of what white space keeps apart,
and holds another if its tokens stand in it side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from carob.arrays.join import distinct, every, packed, ranked
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.problems import RecipeError, UsageError, shown
from carob.corpus.tables import Fragments, Mentions, int32, spread
from carob.match.exact import Exact
from carob.match.overlap import Contains, Overlap, tokens_apart
from carob.pair.filled import Filled, FilledPair
from carob.pair.occurrences import shared_words
from carob.pair.pair import Pair

LARGEST = 20_000_000
"""How many pairs of fillers are looked at, at most: some 4,000 x 4,000 of one slot."""

EXACT = Exact()
IDLE = {"match": ("label", "pairing")}
"""Parameters of a match that mean nothing among fillers: rows are compared, each space pairs."""

Edges = tuple[IntArray, IntArray]


@dataclass(frozen=True, slots=True)
class Realised:
    """Realisations that may match where their `group` is the same: texts as codes, or rows of
    fragments, and whose they are.
    """

    group: IntArray
    text: IntArray
    owner: IntArray


def check_match(space: str, match: Any) -> None:
    """Refuse what is no way to compare two fillers."""
    if match not in (EXACT, Overlap()) and match != Contains(getattr(match, "k", 1)):
        found = getattr(match, "name", match)
        if isinstance(match, (Overlap, Contains)):
            plain = f"contains(k={match.k})" if isinstance(match, Contains) else "overlap"
            raise RecipeError(
                f"{space}(match={found}(…)): found label= or pairing=, which mean nothing here: "
                f"fillers of one slot are compared, and {space} says how they pair; write {plain}"
            )
        raise RecipeError(
            f"{space}(match=…): found {found}, expected exact, overlap or contains(k=1)"
        )


def text_edges(
    gold: Realised, system: Realised, values: Sequence[str], match: Any, space: str,
    largest: int = LARGEST,
) -> Edges:  # fmt: skip
    """The pairs of owners with a text that matches, each once, sorted.

    >>> gold = Realised(np.array([0]), np.array([0]), np.array([7]))
    >>> system = Realised(np.array([0, 0]), np.array([1, 2]), np.array([4, 5]))
    >>> text_edges(gold, system, ("ann lee", "lee, ann", "bo"), Overlap(), "oas")
    (array([7]), array([4]))
    """
    if not len(gold.group) or not len(system.group):
        return gold.owner[:0], system.owner[:0]
    if match == EXACT:
        keys = packed([gold.group, gold.text], [system.group, system.text])
        left, right = _equal(*keys, space, largest, gold.owner)
    else:
        whole = isinstance(match, Contains)
        words = _Words(values, str.split if whole else shared_words)
        ours, theirs = words.of(gold, first=whole), words.of(system)
        keys = packed([ours.group, ours.text], [theirs.group, theirs.text])
        left, right = _equal(*keys, space, largest, gold.owner[ours.owner])
        left, right = ours.owner[left], theirs.owner[right]
        if whole:
            fits = words.contained(gold.text[left], system.text[right], match.k)
            left, right = left[fits], right[fits]
    return _once(gold.owner[left], system.owner[right])


def place_edges(
    pair: Pair, gold: Filled, system: Filled, match: Any, space: str, largest: int = LARGEST
) -> Edges:
    """The pairs of fillers of one row with a place that matches, each once, sorted.

    Fillers without a place match nothing.
    """
    (ours, own), (theirs, others) = _as_mentions(gold), _as_mentions(system)
    placed = replace(pair, gold=ours, system=theirs, labels=pair.filled.labels)
    if match == EXACT:
        left, right = _equal(*placed.keys(label=True), space, largest, own)
    else:
        _check_overlaps(placed, space, largest, own)
        edges = placed.overlaps
        fits = placed.same_label
        if isinstance(match, Contains):
            spurious, missing = tokens_apart(placed)
            fits = fits & (spurious <= match.k) & (missing <= 0)
        left, right = edges.gold[fits], edges.system[fits]
    return _once(own[left], others[right])


def _as_mentions(side: Filled) -> tuple[Mentions, IntArray]:
    """The realisations that have a place, as mentions, and the filler of each."""
    placed = np.flatnonzero(np.diff(side.fragments.offsets) > 0)
    owner = side.filler[placed]
    places, offsets = spread(side.fragments.offsets, placed)
    start, end = side.fragments.start[places], side.fragments.end[places]
    several = len(start) > len(placed)
    return Mentions(
        side.doc[owner],
        int32(start[offsets[:-1]]),
        int32(end[offsets[1:] - 1]),
        side.label[owner],
        Fragments(offsets, start, end) if several else None,
    ), owner


class CrowdError(UsageError):
    """More pairs of fillers may match than can be looked at; `row` is one that has the most."""

    def __init__(self, space: str, largest: int, row: int) -> None:
        super().__init__(f"{space}: more than {largest:,} pairs of fillers may match")
        self.row = row

    def located(self, filled: FilledPair, row: int) -> UsageError:
        """The same error with the slot and the document of a filler of gold."""
        label = filled.labels[int(filled.gold.label[row])]
        document = filled.documents.name(int(filled.gold.doc[row]))
        return UsageError(
            f"{self}, most of them in the slot {shown(label)} of document {shown(document)}: "
            "it has too many fillers"
        )


def _equal(left: IntArray, right: IntArray, space: str, largest: int, owner: IntArray) -> Edges:
    """All rows with equal keys; `owner` says whose the rows on the left are."""
    pairs = every(left, right, largest)
    if pairs is None:
        raise CrowdError(space, largest, int(owner[_busiest(left, right)]))
    return pairs


def _busiest(left: IntArray, right: IntArray) -> int:
    """A row on the left whose key makes the most pairs."""
    keys, code, counts = np.unique(left, return_inverse=True, return_counts=True)
    ranked = np.sort(right)
    others = np.searchsorted(ranked, keys, "right") - np.searchsorted(ranked, keys)
    return int(np.argmax((counts * others)[code.reshape(-1)]))


def _check_overlaps(placed: Pair, space: str, largest: int, owner: IntArray) -> None:
    """Refuse too many overlaps before they are looked for: spans meet unless one ends before
    the other begins.
    """
    sides = [(table.doc, table.pieces()) for table in (placed.gold, placed.system)]
    width = 1 + max(int(places.end.max(initial=0)) for _, places in sides)
    ends = []
    for doc, places in sides:
        base = np.repeat(doc, np.diff(places.offsets)).astype(np.int64) * width
        ends.append((np.sort(base + places.start), np.sort(base + places.end)))
    (start, end), (begin, stop) = ends
    count = np.searchsorted(begin, end, "left").sum() - np.searchsorted(stop, start, "right").sum()
    if count > largest:
        keys = packed(*([table.doc, table.label] for table in (placed.gold, placed.system)))
        raise CrowdError(space, largest, int(owner[_busiest(*keys)]))


def _once(left: IntArray, right: IntArray) -> Edges:
    """Each pair once, sorted."""
    width = np.int64(int(right.max(initial=0)) + 1)
    keys = distinct(left * width + right)
    return keys // width, keys % width


def _flat(lists: Sequence[Sequence[int]]) -> tuple[IntArray, IntArray]:
    """All lists end to end, and where each begins."""
    return np.cumsum([0, *map(len, lists)]), int32([each for own in lists for each in own])


class _Words:
    """The words of texts, as codes: in their order, and each different one once."""

    def __init__(self, values: Sequence[str], cut: Callable[[str], list[str]]) -> None:
        place: dict[str, int] = {}
        lists = [[place.setdefault(word, len(place)) for word in cut(text)] for text in values]
        self.offsets, self.words = _flat(lists)
        self._different_offsets, self._different = _flat([list(dict.fromkeys(w)) for w in lists])

    def of(self, side: Realised, *, first: bool = False) -> Realised:
        """A row for every different word of every text, or for the first of each; owners are rows
        of side.
        """
        if first:
            return Realised(side.group, self.words[self.offsets[side.text]],
                            np.arange(len(side.text)))  # fmt: skip
        places, offsets = spread(self._different_offsets, side.text)
        row = np.repeat(np.arange(len(side.text)), np.diff(offsets))
        return Realised(side.group[row], self._different[places], row)

    def contained(self, gold: IntArray, system: IntArray, k: int) -> BoolArray:
        """For each pair, whether the system's text contains gold's, with at most k words more."""
        width = len(self.offsets)
        pairs, inverse = ranked(gold * np.int64(width) + system)
        fits = [self._contains(pair // width, pair % width, k) for pair in pairs.tolist()]
        contained: BoolArray = np.array(fits, bool)[inverse]
        return contained

    def _contains(self, inner: int, outer: int, k: int) -> bool:
        a, b = (self.words[slice(*self.offsets[i : i + 2])].tolist() for i in (inner, outer))
        spare = len(b) - len(a)
        return 0 <= spare <= k and any(b[i : i + len(a)] == a for i in range(spare + 1))

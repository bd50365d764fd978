"""How other tools read tags: seqeval, conlleval, nervaluate and spaCy, whole columns at a time.

What each of them decides between two tokens depends on the two tags alone. So one pass gives every
tag a number, and places where both tags are O, which are most, are left aside.

Sentences stand in one column, each followed by an O. If gold and an answer are read together, gold
comes first. A mention is known by the place after its last token: at most one mention of a side
ends there, so that two mentions are equal if they end at the same place, begin at the same place
and have one label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from carob.arrays.peer_schemes import CLASSES, PREFIXES, Token, pattern_tables, prefix_class
from carob.arrays.tags import tag_numbers, tagged
from carob.arrays.types import BoolArray, IntArray

Sentences = Sequence[Sequence[str]]

_WORKSPACE = 1 << 24
"""How much memory is kept for the arrays of many tags."""


class TagColumn(NamedTuple):
    """The number of each tag, and what each number means; O is 0."""

    codes: IntArray
    tags: list[str]


class MentionColumns(NamedTuple):
    """Mentions, in the order of their ends: first place, place after the last, number of label."""

    begin: IntArray
    end: IntArray
    label: IntArray
    labels: list[str]


class LabelCounts(NamedTuple):
    """Numbers of mentions for each label that a mention has, in the order of labels."""

    labels: list[str]
    system: IntArray
    right: IntArray
    gold: IntArray


class TagCounts(NamedTuple):
    """What conlleval counts: mentions by label, tokens, and tokens whose tags are equal."""

    mentions: LabelCounts
    tokens: int
    right_tokens: int


class TagReader:
    """Gives every tag a number, in the order in which they come; O is 0."""

    def __init__(self) -> None:
        self._numbers = tag_numbers()
        _ = self._numbers["O"]

    @property
    def tags(self) -> list[str]:
        """The tags of all numbers."""
        return list(self._numbers)

    def codes(self, sentences: Sentences) -> IntArray:
        """The numbers of all tags, with an O after each sentence.

        >>> TagReader().codes([["B-PER", "O"], ["B-PER"]]).tolist()
        [1, 0, 0, 1, 0]
        """
        found = tagged(sentences, self._numbers, outside=1)
        kind = np.uint8 if len(self._numbers) <= 256 else np.int32
        every: IntArray = np.zeros(int(found.lengths.sum()) + len(found.lengths), kind)
        every[found.place] = found.code
        return every


def read_tags(sentences: Sentences) -> TagColumn:
    """The tags of all sentences as one column.

    >>> column = read_tags([["B-PER", "O"], ["B-PER"]])
    >>> column.codes.tolist(), column.tags
    ([1, 0, 0, 1, 0], ['O', 'B-PER'])
    """
    reader = TagReader()
    return TagColumn(reader.codes(sentences), reader.tags)


class _Borders(NamedTuple):
    """The places that have a tag other than O or follow one: where, and the two tags."""

    place: IntArray
    before: IntArray
    own: IntArray


def _borders(*columns: IntArray) -> list[_Borders]:
    """The places at which one of the columns has a tag, or had one just before."""
    if len(columns[0]) > 1 << 16:
        # Once a larger array was freed, memory stays with the process; otherwise the system takes
        # it back after each step and gives it again page by page.
        np.empty(_WORKSPACE, np.uint8)
    tagged = np.logical_or.reduce([codes != 0 for codes in columns])
    either = tagged.copy()
    either[1:] |= tagged[:-1]
    place = np.flatnonzero(either)
    # The first place follows an O: the last one, after the last sentence.
    return [_Borders(place, codes[place - 1], codes[place]) for codes in columns]


def _numbered(names: Sequence[str]) -> tuple[IntArray, list[str]]:
    """The number of each name among all of them in alphabetical order."""
    every = sorted(set(names))
    number = {name: i for i, name in enumerate(every)}
    return np.array([number[name] for name in names], np.int32), every


def split_seqeval(
    tags: Sequence[str], *, suffix: bool, strict: bool
) -> tuple[list[str], list[str]]:
    """Prefixes and labels of tags, as seqeval has them.

    >>> split_seqeval(["B-PER", "O"], suffix=False, strict=False)
    (['B', 'O'], ['PER', '_'])
    """
    if suffix:
        prefix, rest = [tag[-1] for tag in tags], [tag[:-1] for tag in tags]
    else:
        prefix, rest = [tag[0] for tag in tags], [tag[1:] for tag in tags]
    if strict:
        return prefix, [each.strip("-") or "_" for each in rest]
    if suffix:
        return prefix, [each.rsplit("-", maxsplit=1)[0] or "_" for each in rest]
    return prefix, [each.split("-", maxsplit=1)[-1] or "_" for each in rest]


def seqeval_mentions(
    column: TagColumn, first: Sequence[int], *, suffix: bool = False, scheme: type[Token] | None
) -> MentionColumns:
    """The mentions that seqeval finds: in its default mode, or in the strict mode with a scheme.
    `first` are the places at which a side begins.

    >>> column = read_tags([["B-PER", "I-PER", "O", "B-LOC"]])
    >>> begin, end, label, names = seqeval_mentions(column, [0], scheme=None)
    >>> begin.tolist(), end.tolist(), [names[i] for i in label.tolist()]
    ([0, 3], [2, 4], ['PER', 'LOC'])
    """
    prefix, rest = split_seqeval(column.tags, suffix=suffix, strict=scheme is not None)
    label, names = _numbered(rest)
    kind = np.array([2 * prefix_class(each) for each in prefix], np.int16)
    (borders,) = _borders(column.codes)
    place, own = borders.place, label[borders.own]
    same = own == label[borders.before]
    opening = np.searchsorted(place, first)
    opening = opening[np.append(place, -1)[opening] == first]
    same[opening] = False  # what comes before has no label, not even that of O
    pair = (CLASSES * kind)[borders.before] + kind[borders.own] + same
    if scheme is None:
        return _between_borders(place, pair, _seqeval_tables(), own, first, names)
    # A block is a token and those inside after it. The mention of a block begins at the first token
    # that may start one, and goes to the end of the block.
    starts, insides, ends = pattern_tables(scheme.__name__)
    inside = insides[pair]
    start = np.flatnonzero(starts[pair])
    block = np.cumsum(~inside)[start]
    opens = np.ones(len(start), bool)
    opens[1:] = block[1:] != block[:-1]
    begin = start[opens]
    after = np.append(np.flatnonzero(~inside), len(pair))[block[opens]]
    keep = np.append(ends[pair], False)[after]
    begin, after = begin[keep], after[keep]
    return MentionColumns(place[begin], place[after], own[begin], names)


def _between_borders(
    place: IntArray, pair: IntArray, tables: tuple[BoolArray, BoolArray], own: IntArray,
    first: Sequence[int], names: list[str],
) -> MentionColumns:  # fmt: skip
    """The mentions of a tool that has tables of where one starts, and where the one before has
    ended, between two tags.
    """
    starts, ends = tables
    is_start, closing = starts[pair], np.flatnonzero(ends[pair])
    start, end = place[is_start], place[closing]
    # With unknown prefixes a mention may end that did not start: seqeval takes the last start, or
    # the first place of the side.
    starts_before: IntArray = np.cumsum(is_start)[closing] - is_start[closing]
    begin = np.append(start, 0)[starts_before - 1]
    begin = np.where(end > first[-1], np.maximum(begin, first[-1]), begin)
    # The token before the end has a tag, so it is among the places too.
    return MentionColumns(begin, end, own[closing - 1], names)


@cache
def _seqeval_tables() -> tuple[BoolArray, BoolArray]:
    """Where a mention starts, and where the one before has ended, in the default mode."""
    prefixes = [*PREFIXES, "?"]
    return _filled(prefixes, seqeval_starts), _filled(prefixes, seqeval_ends)


def seqeval_starts(before: str, own: str, same: bool) -> bool:
    """Whether a mention starts at a tag, by the prefixes of the tag before and its own, and whether
    the two have the same label.

    >>> seqeval_starts("I", "I", False), seqeval_starts("I", "I", True)
    (True, False)
    """
    if own in ("B", "S") or (before in ("E", "S", "O") and own in ("E", "I")):
        return True
    return own not in ("O", ".") and not same


def seqeval_ends(before: str, own: str, same: bool) -> bool:
    """Whether a mention has ended before a tag.

    >>> seqeval_ends("B", "O", False), seqeval_ends("O", "O", True)
    (True, False)
    """
    if before in ("E", "S") or (before in ("B", "I") and own in ("B", "S", "O")):
        return True
    return before not in ("O", ".") and not same


def _filled(prefixes: Sequence[str], rule: Callable[[str, str, bool], bool]) -> BoolArray:
    rows = [rule(a, b, same) for a in prefixes for b in prefixes for same in (False, True)]
    return np.array(rows)


def seqeval_counts(
    column: TagColumn, *, equal: int = 0, suffix: bool = False, scheme: type[Token] | None = None
) -> LabelCounts:
    """What seqeval counts in a column that has gold and then an answer of the same length; before
    them may be `equal` places of sentences in which both sides have the same tags.

    >>> both = read_tags([["B-PER", "B-LOC"], ["B-PER", "O"]])
    >>> counts = seqeval_counts(both)
    >>> counts.labels, counts.gold.tolist(), counts.system.tolist(), counts.right.tolist()
    (['LOC', 'PER'], [1, 1], [0, 1], [0, 1])
    """
    half = (len(column.codes) - equal) // 2
    mentions = seqeval_mentions(column, [equal, equal + half], suffix=suffix, scheme=scheme)
    begin, end, label, names = mentions
    low, middle = np.searchsorted(end, [equal, equal + half], side="right").tolist()
    # For each place, which gold mention ends there; the system's places follow those of gold.
    ending = np.full(half + 1, -1, np.int64)
    ending[end[low:middle] - equal] = np.arange(low, middle)
    match = ending[end[middle:] - equal - half]
    right = (match >= 0) & (begin[match] == begin[middle:] - half)
    right &= label[match] == label[middle:]
    same, gold, system = label[:low], label[low:middle], label[middle:]
    return _by_label(names, same, system, system[right], gold)


def _by_label(
    names: Sequence[str], same: IntArray, system: IntArray, right: IntArray, gold: IntArray
) -> LabelCounts:
    """The counts of labels; `same` are those of mentions that both sides have."""
    both = np.bincount(same, minlength=len(names))
    columns = [both + np.bincount(each, minlength=len(names)) for each in (system, right, gold)]
    there = np.flatnonzero(sum(columns))
    return LabelCounts([names[i] for i in there.tolist()], *(each[there] for each in columns))


CONLLEVAL_PREFIXES = ("B", "I", "E", "S", "O", ".", "[", "]")
"""A prefix is its place here; any other one comes last."""


@cache
def _conlleval_tables(version: str) -> tuple[BoolArray, BoolArray]:
    """Where a mention starts, and where the one before has ended. The original has no rule for S,
    and none for B after E; the package in Python has both.
    """
    opening = {"perl": "BB IB OB OI EE EI OE", "python": "?B ?S EE EI SE SI OE OI"}[version].split()
    closing = {"perl": "BB BO IB IO EE EI EO", "python": "E? S? BB BS BO IB IS IO"}[version].split()

    def among(pairs: Sequence[str], before: str, own: str) -> bool:
        return any(pair[0] in ("?", before) and pair[1] in ("?", own) for pair in pairs)

    prefixes = [*CONLLEVAL_PREFIXES, "other"]
    starts = _filled(
        prefixes,
        lambda before, own, same: among(opening, before, own) or own in ("[", "]")
        or (own not in ("O", ".") and not same),
    )  # fmt: skip
    ends = _filled(
        prefixes,
        lambda before, own, same: among(closing, before, own) or before in ("[", "]")
        or (before not in ("O", ".") and not same),
    )  # fmt: skip
    return starts, ends


def _split_conlleval(
    tags: Sequence[str], version: str
) -> tuple[list[str], IntArray, IntArray, list[str]]:
    """Prefixes of tags, their numbers, and labels, as conlleval has them."""
    parts = [tag.partition("-") if "-" in tag else (tag, "", "") for tag in tags]
    # To Perl, the text 0 is as good as none.
    label, names = _numbered(
        ["" if version == "perl" and part[2] == "0" else part[2] for part in parts]
    )
    places = {each: i for i, each in enumerate(CONLLEVAL_PREFIXES)}
    kind = np.array([places.get(part[0], len(places)) for part in parts], np.int32)
    return [part[0] for part in parts], kind, label, names


def _conlleval_pairs(kind: IntArray, label: IntArray, before: IntArray, own: IntArray) -> IntArray:
    """Where two tags that follow each other stand in the tables."""
    pair = (len(CONLLEVAL_PREFIXES) + 1) * kind[before] + kind[own]
    places: IntArray = 2 * pair + (label[before] == label[own])
    return places


def conlleval_mentions(column: TagColumn, version: str = "perl") -> MentionColumns:
    """The mentions that conlleval finds on one side.

    >>> begin, end, _, _ = conlleval_mentions(read_tags([["B-X", "E-X", "B-X"]]))
    >>> begin.tolist(), end.tolist()
    ([0], [3])
    """
    _, kind, label, names = _split_conlleval(column.tags, version)
    ((place, before, own),) = _borders(column.codes)
    pair = _conlleval_pairs(kind, label, before, own)
    return _between_borders(place, pair, _conlleval_tables(version), label[own], [0], names)


def conlleval_counts(
    gold: Sentences, system: Sentences, *, version: str = "perl", raw: bool = False
) -> TagCounts:
    """What conlleval counts: the original in Perl, or the package in Python (`version`). With
    `raw`, tags are labels, and every token with one is a mention.

    >>> counts = conlleval_counts([["B-X", "E-X", "B-X", "E-X"]], [["B-X", "I-X", "I-X", "E-X"]])
    >>> counts.mentions.gold.tolist(), counts.mentions.right.tolist(), counts.right_tokens
    ([1], [1], 2)
    """
    codes, tags = read_tags([*gold, *system])
    if raw:
        tags = [tag if tag == "O" else f"B-{tag}" for tag in tags]
    prefix, kind, label, names = _split_conlleval(tags, version)
    meaning, _ = _numbered(
        [f"{each}-{names[i]}" for each, i in zip(prefix, label.tolist(), strict=True)]
    )
    starts, ends = _conlleval_tables(version)
    half = len(codes) // 2
    sides = _borders(codes[:half], codes[half:])
    begin, end = [], []
    for _, before, own in sides:
        pair = _conlleval_pairs(kind, label, before, own)
        begin.append(starts[pair])
        end.append(ends[pair])
    (_, before, own), (_, other_before, other_own) = sides
    same, same_before = label[own] == label[other_own], label[before] == label[other_before]
    # conlleval goes from token to token. It opens a match where both sides begin a mention of the
    # same label, and closes it where both end, or where they begin to differ. Whether a match is
    # open depends on the last place at which one was opened or closed.
    opened = begin[0] & begin[1] & same
    both_end = end[0] & end[1] & same_before
    decided = opened | both_end | (end[0] != end[1]) | ~same
    last = np.maximum.accumulate(np.where(decided, np.arange(len(decided)), -1))
    before_it = np.append(-1, last)[: len(last)]
    is_open = (before_it >= 0) & opened[before_it] if len(opened) else opened
    right = label[before[is_open & both_end]]
    if len(last) and last[-1] >= 0 and opened[last[-1]]:  # open at the end of the file: also right
        right = np.append(right, label[0])
    counts = _by_label(names, label[:0], label[other_own[begin[1]]], right, label[own[begin[0]]])
    equal = meaning[codes[:half]] == meaning[codes[half:]]
    sentences = len(gold)
    return TagCounts(counts, half - sentences, int(equal.sum()) - sentences)


def nervaluate_mentions(column: TagColumn) -> MentionColumns:
    """The mentions that nervaluate finds. One begins at B, after an O, and where the label changes.

    >>> begin, end, label, names = nervaluate_mentions(read_tags([["I-PER", "E-PER"]]))
    >>> begin.tolist(), end.tolist(), [names[i] for i in label.tolist()]
    ([0], [2], ['PER'])
    """
    begins_one = np.array([tag[:1] == "B" for tag in column.tags])
    return _by_continuation(column, lambda before, own, same: same & ~begins_one[own])


def beginnings_without_prefix(column: TagColumn, mentions: MentionColumns) -> IntArray:
    """The places of mentions that do not begin with B- or I-, which nervaluate refuses.

    >>> column = read_tags([["I-PER", "E-LOC"]])
    >>> beginnings_without_prefix(column, nervaluate_mentions(column)).tolist()
    [1]
    """
    legal = np.array([tag.startswith(("B-", "I-")) for tag in column.tags])
    wrong: IntArray = mentions.begin[~legal[column.codes[mentions.begin]]]
    return wrong


def spacy_mentions(column: TagColumn) -> MentionColumns:
    """The mentions that spaCy's converter finds: only I- and L- with the same label go on with one.

    >>> begin, end, label, names = spacy_mentions(read_tags([["B-PER", "L-PER", "E-PER"]]))
    >>> begin.tolist(), end.tolist()
    ([0, 2], [2, 3])
    """
    goes_on = np.array([tag[:1] in ("I", "L") for tag in column.tags])
    rest, _ = _numbered([tag[1:] for tag in column.tags])
    return _by_continuation(
        column, lambda before, own, same: goes_on[own] & (rest[before] == rest[own])
    )


def _by_continuation(
    column: TagColumn, goes_on: Callable[[IntArray, IntArray, BoolArray], BoolArray]
) -> MentionColumns:
    """The mentions of a tool that takes two characters for the prefix, and begins a mention at
    every tag that does not go on with one: `goes_on` says it of two tags, and whether their labels
    are the same.
    """
    label, names = _numbered([tag[2:] for tag in column.tags])
    (borders,) = _borders(column.codes)
    place, before, own = borders
    on = (before != 0) & (own != 0) & goes_on(before, own, label[before] == label[own])
    starts = (own != 0) & ~on
    return MentionColumns(place[starts], place[(before != 0) & ~on], label[own[starts]], names)

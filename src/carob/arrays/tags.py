"""Decode tags (B-PER, I-PER, O ...) into mentions, whole columns at a time.

Every scheme writes a mention as a run of tags whose prefixes mean B(egin), I(nside), E(nd) or
S(ingle). The CoNLL rule finds the runs under every scheme at once: a mention opens at B or S, after
E or S, after a gap, and where the label changes. What differs between schemes is only which first
and last tags are legal: that is counted separately, in `kinds`, so that a scheme can be detected
and a sequence judged afterwards.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from functools import cache, lru_cache
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from carob.arrays import scan
from carob.arrays.types import BoolArray, IntArray

BEGIN, INSIDE, END, SINGLE = 0, 1, 2, 3

LETTERS = {"B": BEGIN, "I": INSIDE, "M": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE,
           "W": SINGLE}  # fmt: skip
"""What a prefix letter means; BILOU and BMES are IOBES in other letters."""

SCHEMES: Mapping[str, str] = {
    "io": "I",
    "iob1": "BI",
    "iob2": "BI",
    "ioe1": "IE",
    "ioe2": "IE",
    "iobes": "BIES",
    "bilou": "BILU",
    "bmes": "BMES",
    "bmewo": "BMEW",
}
"""The scheme names and their prefix letters."""

OTHER_NAMES: Mapping[str, str] = {
    "bio": "iob2", "bio2": "iob2", "iob": "iob2", "bio1": "iob1", "bioes": "iobes",
    "bieos": "iobes", "biluo": "bilou", "bioul": "bilou", "bmeso": "bmes", "bmeow": "bmewo",
}  # fmt: skip
"""What other tools call the schemes."""

EMPTY = "_"
"""A tag that means the same as O: some files leave a column empty in this way."""

OUTSIDE = ("O", EMPTY)

# A kind is 16 * begin + end, where begin = 2 * first prefix + (follows a mention of its label),
# end = 2 * last prefix + (is followed by one), so there are 8 * 16 kinds.
KINDS = 128


def tag_numbers() -> defaultdict[str, int]:
    """A number for every tag that is looked up, in the order in which they come."""
    return defaultdict(count().__next__)


def tag_codes(lists: Iterable[Iterable[str]], numbers: defaultdict[str, int]) -> IntArray:
    """The numbers of the tags of all lists, in one column.

    >>> tag_codes([["O", "B-PER"], ["B-PER"]], tag_numbers()).tolist()
    [0, 1, 1]
    """
    # The only loop over tokens: three calls that are written in C.
    number = numbers.__getitem__
    try:
        return np.frombuffer(bytes(map(number, chain.from_iterable(lists))), np.uint8)
    except ValueError:  # a byte has no room for so many tags
        return np.fromiter(map(number, chain.from_iterable(lists)), np.int32)


class Tagged(NamedTuple):
    """The tokens of lists of tags that have a tag other than O, and how long each list is.

    `place` is that in all lists end to end, each followed by an O: it grows by one from a token to
    the next in its list, and by more between lists.
    """

    doc: IntArray
    within: IntArray
    code: IntArray
    place: IntArray
    lengths: IntArray


def plain_tagged(
    lists: Sequence[Sequence[str]], numbers: dict[str, int], outside: int
) -> Tagged | None:
    """The tokens whose tag has a number of `outside` or more. None unless all are lists of texts,
    and the compiled pass over them is installed.

    >>> plain_tagged([["O", None]], tag_numbers(), 1) is None
    True
    """
    if scan.compiled_tags is None:
        return None
    lengths = np.empty(len(lists), np.int32)
    tokens = scan.compiled_tags(lists, numbers, outside, lengths)
    if tokens is None:
        return None
    rows = np.frombuffer(tokens, np.int32)
    return Tagged(rows[0::4], rows[1::4], rows[2::4], rows[3::4], lengths)


def tagged(lists: Sequence[Sequence[str]], numbers: defaultdict[str, int], outside: int) -> Tagged:
    """The tokens whose tag has a number of `outside` or more.

    >>> numbers = tag_numbers()
    >>> numbers["O"]
    0
    >>> found = tagged([["O", "B-PER"], ["B-PER"]], numbers, outside=1)
    >>> found.doc.tolist(), found.within.tolist(), found.code.tolist(), found.place.tolist()
    ([0, 1], [1, 0], [1, 1], [1, 3])
    """
    plain = plain_tagged(lists, numbers, outside)
    if plain is not None:
        return plain
    codes, lengths = tag_codes(lists, numbers), list_lengths(lists)
    row = (codes >= outside).nonzero()[0]
    doc = np.arange(len(lengths), dtype=np.int32).repeat(lengths).take(row)
    within = row - (lengths.cumsum() - lengths).take(doc)
    return Tagged(doc, within, codes.take(row), row + doc, lengths)


def list_lengths(lists: Iterable[Sized]) -> IntArray:
    """How long each list is.

    >>> list_lengths([["O", "B-PER"], []])
    array([2, 0])
    """
    # NumPy takes several times as long to make an array of numbers in a list.
    return np.frombuffer(array("q", list(map(len, lists))), np.int64)


def scheme_name(name: str) -> str:
    """The name of a scheme as carob has it; an unknown name is returned as it is.

    >>> scheme_name("BIO"), scheme_name("BILUO"), scheme_name("IOBES"), scheme_name("ABC")
    ('iob2', 'bilou', 'iobes', 'ABC')
    """
    lower = name.lower()
    lower = OTHER_NAMES.get(lower, lower)
    return lower if lower in SCHEMES or lower == "auto" else name


class Tagset(NamedTuple):
    """What each distinct tag means. A tag that means nothing has its reason in `bad`; O and `_`
    have no label. `respelled` are the tags whose prefix is not written as in B-PER.
    """

    prefix: IntArray
    label: IntArray
    labels: tuple[str, ...]
    letters: frozenset[str]
    bad: Mapping[int, str]
    respelled: tuple[int, ...] = ()


def interpret(tags: Sequence[str], scheme: str = "auto") -> Tagset:
    """Prefix and label of each distinct tag of a file.

    A file in which no tag has a prefix is IO with bare labels; if the scheme is given as io, I- is
    removed from every tag that has it. O and `_` have no label. Prefixes may be written in other
    ways, if the tags together show that they are prefixes.

    >>> interpret(["B-PER", "I-PER", "PER"]).bad
    {2: 'O or a tag with a prefix and a label, like B-PER or I-PER'}
    >>> interpret(["PER", "O", "LOC", "_"]).labels
    ('LOC', 'PER')
    >>> interpret(["b_per", "i_per"]).labels, interpret(["PER-B", "PER-I"]).labels
    (('per',), ('PER',))
    """
    return _interpret(tuple(tags), scheme)


@lru_cache(1 << 5)
def _interpret(tags: tuple[str, ...], scheme: str) -> Tagset:
    """The same, remembered: who scores one batch after the other has the same tags every time."""
    letters: Collection[str] = LETTERS if scheme == "auto" else SCHEMES[scheme]
    split = [_split(tag) for tag in tags]
    other = None if scheme == "io" else _other_spelling(tags, split)
    respelled = [] if other is None else [
        place for place, tag in enumerate(tags) if other[place] not in (None, split[place])
    ]  # fmt: skip
    split = other or split
    if scheme == "io":
        split = [p if p and p[0] == "I" else ("I", t) for p, t in zip(split, tags, strict=True)]
    bare = scheme == "auto" and not any(p and p[0] in LETTERS and p[1] for p in split)
    prefix, names, bad, seen = [], [], {}, set()
    for place, (tag, parts) in enumerate(zip(tags, split, strict=True)):
        letter, name = ("I", tag) if bare else parts or ("", "")
        if tag in OUTSIDE or parts == _SMALL_O:
            letter, name = "I", ""
        elif bare:
            if not tag or (parts and not parts[1]):
                bad[place] = _WANTED
            elif parts:
                bad[place] = _KNOWN
        elif not name:
            bad[place] = _WANTED
        elif letter not in letters:
            bad[place] = (
                _KNOWN
                if scheme == "auto"
                else f"a prefix of {scheme}: " + " ".join(sorted(letters))
            )
        else:
            seen.add(letter)
        if place in bad:
            letter, name = "I", ""
        prefix.append(LETTERS[letter])
        names.append(name)
    labels = tuple(sorted({name for name in names if name}))
    place_of = {label: i for i, label in enumerate(labels)}
    return Tagset(
        np.array(prefix, np.int8),
        np.array([place_of.get(name, -1) for name in names], np.int64),
        labels,
        frozenset(seen),
        bad,
        tuple(respelled),
    )


_WANTED = "O or a tag with a prefix and a label, like B-PER or I-PER"
_KNOWN = "a known prefix (B I E S, L U, M W), or --scheme io if these are whole labels"


@lru_cache(1 << 12)
def _split(tag: str) -> tuple[str, str] | None:
    """Letter and label of a tag that is one letter, perhaps a hyphen, perhaps a label."""
    if tag in LETTERS:
        return tag, ""
    if len(tag) >= 2 and tag[1] == "-" and tag[0].isascii() and tag[0].isupper():
        return tag[0], tag[2:]
    return None


_BEFORE = re.compile(r"(?P<letter>[BIESLUMW])[-_:/](?P<label>.+)", re.IGNORECASE | re.DOTALL)
_AFTER = re.compile(r"(?P<label>.+)[-_:/](?P<letter>[BIESLUMW])", re.IGNORECASE | re.DOTALL)
_SMALL_O = ("", "o")


def _other_spelling(
    tags: Sequence[str], split: Sequence[tuple[str, str] | None]
) -> list[tuple[str, str] | None] | None:
    """Letter and label of each tag if prefixes are written as in B_PER, b-per or PER-B, and O
    perhaps as o; None if not.

    They are prefixes if every tag has B or I (or a label has several), or, where other tags have
    none, if a label has B or I and another letter.
    """
    usual = [bool(parts and parts[1] and parts[0] in LETTERS) for parts in split]
    inside = [place for place, tag in enumerate(tags) if tag not in OUTSIDE]
    if all(usual[place] for place in inside):
        return None
    for pattern in (_BEFORE, _AFTER):
        other: list[tuple[str, str] | None] = [None] * len(tags)
        letters: dict[str, set[str]] = {}
        for place in inside:
            if match := pattern.fullmatch(tags[place]):
                other[place] = match["letter"].upper(), match["label"]
                letters.setdefault(match["label"], set()).add(match["letter"].upper())
            elif tags[place] == "o":
                other[place] = _SMALL_O
        sure = any(len(own) > 1 and own & {"B", "I"} for own in letters.values())
        if all(other[place] for place in inside):
            sure = sure or (bool(letters) and all(own <= {"B", "I"} for own in letters.values()))
        elif any(usual):
            sure = False
        if sure:
            return other
    return None


def stacked(tag: str) -> tuple[str, ...]:
    """The tags that are stacked with `|` in one column, outer to inner; otherwise the tag alone.

    A bar separates only if every part is O or has a known prefix and a label; in any other tag it
    belongs to the label.

    >>> stacked("B-NP|B-PP"), stacked("O|I-PP"), stacked("B-NP|PP")
    (('B-NP', 'B-PP'), ('O', 'I-PP'), ('B-NP|PP',))
    """
    if "|" not in tag:
        return (tag,)
    parts = tuple(tag.split("|"))
    whole = all(p == "O" or (len(p) > 2 and p[0] in LETTERS and p[1] == "-") for p in parts)
    return parts if whole else (tag,)


_OPENS = np.array([each in (BEGIN, SINGLE) for each in range(4)])
_CLOSES = np.array([each in (END, SINGLE) for each in range(4)])
"""Which prefixes open a mention, and which close it."""


class Runs(NamedTuple):
    """The mentions found: places of first and last tag in the column, and the kind of each."""

    first: IntArray
    last: IntArray
    kind: IntArray


def decode(place: IntArray, prefix: IntArray, label: IntArray) -> Runs:
    """Find the mentions in a column of tags other than O.

    `place` grows by one from a token to the next in its sentence and by more between sentences.

    >>> decode(np.array([0, 1, 2, 3]), np.array([0, 2, 0, 2]), np.zeros(4, int)).first
    array([0, 2])
    """
    if not len(place):
        nothing = np.empty(0, np.int64)
        return Runs(nothing, nothing, nothing)
    touches = np.zeros(len(place) + 1, bool)
    touches[1:-1] = (place[1:] - place[:-1] == 1) & (label[1:] == label[:-1])
    opens = _OPENS.take(prefix)
    opens |= ~touches[:-1]
    opens[1:] |= _CLOSES.take(prefix[:-1])
    first = opens.nonzero()[0]
    last = np.empty_like(first)
    last[:-1], last[-1] = first[1:] - 1, len(place) - 1
    twice = 2 * prefix
    begin, end = twice + touches[:-1], twice + touches[1:]
    return Runs(first, last, 16 * begin.take(first) + end.take(last))


@cache
def illegal(scheme: str) -> BoolArray:
    """Which kinds have a first tag that is no legal beginning, or a last tag that is no legal end.

    >>> bool(illegal("iob2")[16 * 2 * INSIDE + 2 * INSIDE])
    True
    """
    kind = np.arange(KINDS)
    first, follows = kind // 32, kind // 16 % 2 == 1
    last, followed = kind % 16 // 2 % 4, kind % 2 == 1
    none = np.zeros(KINDS, bool)
    rules: dict[str, BoolArray] = {
        "io": none,
        "iob1": np.where(first == BEGIN, ~follows, follows),
        "iob2": first != BEGIN,
        "ioe1": np.where(last == END, ~followed, followed),
        "ioe2": last != END,
    }
    if scheme in rules:
        return rules[scheme]
    whole: BoolArray = ((first != BEGIN) & (first != SINGLE)) | ((last != END) & (last != SINGLE))
    return whole


_BEGINS_ALONE = slice(32 * BEGIN, 32 * BEGIN + 16)
_ENDS_ALONE = slice(2 * END, KINDS, 16)
"""The kinds that begin with B and follow no mention of their label, and those that end with E and
are followed by none.
"""


def recognise(letters: Iterable[str], kinds: IntArray) -> str | None:
    """The scheme whose letters these are, None if they fit none; `kinds` counts each kind.

    IOB1 and IOB2 use the same letters: a file in which B- only ever follows a mention of the same
    label is IOB1. IOE1 and IOE2 likewise, from the other end.

    >>> recognise("BIES", np.zeros(KINDS, int))
    'iobes'
    """
    seen = set(letters)
    if seen <= {"I"}:
        return "io"
    if seen <= {"B", "I"}:
        return "iob2" if np.count_nonzero(kinds[_BEGINS_ALONE]) else "iob1"
    if seen <= {"I", "E"}:
        return "ioe2" if np.count_nonzero(kinds[_ENDS_ALONE]) else "ioe1"
    for scheme in ("iobes", "bilou", "bmes", "bmewo"):
        if seen <= set(SCHEMES[scheme]):
            return scheme
    return None


def encode(scheme: str, length: IntArray, follows: BoolArray, followed: BoolArray) -> list[str]:
    """The prefix letters of mentions, end to end; `follows` and `followed` say whether a mention of
    the same label is adjacent before and after it.

    >>> encode("iobes", np.array([1, 3]), np.zeros(2, bool), np.zeros(2, bool))
    ['S', 'B', 'I', 'E']
    """
    inside = "M" if scheme in ("bmes", "bmewo") else "I"
    total = int(length.sum())
    letters = np.full(total, inside, dtype="<U1")
    end = np.cumsum(length)
    begin, last = end - length, end - 1
    if scheme == "iob1":
        letters[begin[follows]] = "B"
    elif scheme == "ioe1":
        letters[last[followed]] = "E"
    elif scheme == "ioe2":
        letters[last] = "E"
    elif scheme != "io":
        letters[begin] = "B"
    if len(SCHEMES[scheme]) == 4:
        letters[last] = SCHEMES[scheme][2]
        letters[begin[length == 1]] = SCHEMES[scheme][3]
    return [str(letter) for letter in letters]

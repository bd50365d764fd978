"""What changed between two versions of a corpus: documents, texts and mentions."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any, NamedTuple

from carob._version import __version__
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention, Span
from carob.corpus.problems import DataError, InputError, Problem, plain, shown
from carob.evaluate.read import Readable, read
from carob.evaluate.run import origin_of
from carob.evaluate.task import Task
from carob.result.changes import KINDS, Change, Changes, Version
from carob.result.signature import compose

Words = Sequence[str]
Key = Callable[[Mention], object]
Weight = Callable[[Mention, Mention], float]

_PIECE = re.compile(r"\w+|\s+|.", re.S)
_LONG = 1 << 22
"""Texts whose lengths in words give a larger product are compared without their commonest words."""


def diff(
    old: Readable,
    new: Readable,
    *,
    task: Task | str | os.PathLike[str] | None = None,
    **reading: Any,
) -> Changes:
    """How two versions of a corpus differ. `task` names the versions by their hashes; the other
    keyword arguments are those of `carob.read`.

    >>> old = Corpus.of("[Ann]PER met [Bo Li]PER in Rome", "Cy slept")
    >>> new = Corpus.of("[Ann]ORG met Bo [Li]PER in [Rome]LOC", "Cy slept")
    >>> [change.kind for change in diff(old, new)]
    ['relabelled', 'moved', 'added']
    """
    sides = [each if isinstance(each, Corpus) else read(each, **reading) for each in (old, new)]
    before, after = sides
    units = {side.unit for side in sides if len(side.mentions) and side.unit is not None}
    if len(units) > 1:
        raise DataError("one version counts tokens, the other characters; convert one of them")
    names = [None, None] if task is None else _version_names(Task.read(task), sides)
    pairs, added, removed, renamed = _paired(before, after)
    texts: list[str] = []
    others: dict[str, list[str]] = {
        "attributes": [], "templates": [], "relations": [], "clusters": []
    }  # fmt: skip
    changes: list[Change] = []
    for name, row, other in pairs:
        one, two = before[row], after[other]
        if _words(one) != _words(two):
            texts.append(name)
        for kind, ids in others.items():
            if getattr(one, kind) != getattr(two, kind):
                ids.append(name)
        changes += _mentions(name, one, two)
    for side, kind, rows in ((before, "removed", removed), (after, "added", added)):
        for name, row in rows:
            document = side[row]
            for own in (_side(document, each) for each in document.mentions):
                both = (own, _NOTHING) if kind == "removed" else (_NOTHING, own)
                changes.append(_change(kind, name, *both))
    versions = [_version(side, name) for side, name in zip(sides, names, strict=True)]
    digits = [f"sha256={version.sha256[:8]}" for version in versions]
    fields = {"carob": __version__, "old": digits[0], "new": digits[1]}
    return Changes(
        versions[0], versions[1], tuple(name for name, _ in added),
        tuple(name for name, _ in removed), tuple(renamed), tuple(texts),
        {kind: tuple(ids) for kind, ids in others.items()}, tuple(changes),
        _by_label(before, after, changes), compose(fields),
    )  # fmt: skip


def _version(corpus: Corpus, name: str | None) -> Version:
    origin = origin_of(corpus)
    return Version(origin.path, origin.sha256, len(corpus), len(corpus.mentions), name)


def _version_names(task: Task, corpora: Sequence[Corpus]) -> list[str]:
    """What the task calls these versions; a file that it does not know is refused."""
    names = []
    known = {task.gold: task.version} | {each.sha256: each.version for each in task.versions}
    for corpus in corpora:
        origin = origin_of(corpus)
        if origin.sha256 not in known:
            found = f"a file with sha256 {origin.sha256}"
            every = ", ".join(plain(name) for name in known.values())
            expected = f"a version of {plain(task.name)} that {plain(task.path)} states: {every}"
            hint = f"state it there: [[versions]], version = …, sha256 = {shown(origin.sha256, 64)}"
            raise InputError([Problem("K830", origin.path, None, found, expected, hint)])
        names.append(known[origin.sha256])
    return names


def _words(document: Document) -> Words:
    """What positions count: characters of the text, or tokens."""
    return (document.text if document.unit == "char" else document.tokens) or ()


class _Pairing(NamedTuple):
    pairs: list[tuple[str, int, int]]
    added: list[tuple[str, int]]
    removed: list[tuple[str, int]]
    renamed: list[tuple[str, str]]


def _paired(old: Corpus, new: Corpus) -> _Pairing:
    """Documents with the same id; of the others those with the same text, if there is only one."""
    rows = [{side.documents.name(row): row for row in range(len(side))} for side in (old, new)]
    removed = [(name, row) for name, row in rows[0].items() if name not in rows[1]]
    added = [(name, row) for name, row in rows[1].items() if name not in rows[0]]
    by_text: list[dict[tuple[object, ...], list[tuple[str, int]]]] = [{}, {}]
    for side, several, texts in zip((old, new), (removed, added), by_text, strict=True):
        for name, row in several:
            texts.setdefault(side.words(row), []).append((name, row))
    renamed, pairs = (
        [],
        [(name, row, rows[1][name]) for name, row in rows[0].items() if name in rows[1]],
    )
    for words, ours in by_text[0].items():
        theirs = by_text[1].get(words, [])
        if any(words) and len(ours) == len(theirs) == 1:
            (name, row), (other, place) = ours[0], theirs[0]
            renamed.append((name, other))
            pairs.append((other, row, place))
    gone = {name for name, _ in renamed}
    come = {name for _, name in renamed}
    return _Pairing(
        sorted(pairs, key=lambda pair: pair[2]),
        [each for each in added if each[0] not in come],
        [each for each in removed if each[0] not in gone],
        renamed,
    )


def _mentions(name: str, old: Document, new: Document) -> list[Change]:
    """What happened to the mentions of a document, in the order of their places."""
    if old.mentions == new.mentions and _words(old) == _words(new):
        return []
    moved = _Map(old, new)
    olds, news = list(old.mentions), list(new.mentions)
    places = {id(each): moved.place(each.fragments) for each in olds} | {
        id(each): each.fragments for each in news
    }
    texts = {
        id(each): _text(side, each) for side in (old, new) for each in side.mentions
    }  # fmt: skip
    changes: list[Change] = []

    def pair_up(kind: str, key: Key, weigh: Weight = lambda one, two: 1) -> None:
        """Pair those with the same key, the heaviest pair first; of equal weights, the earliest."""
        by_key: dict[object, list[int]] = {}
        for j, two in enumerate(news):
            by_key.setdefault(key(two), []).append(j)
        weighed = [
            (-weight, i, j)
            for i, one in enumerate(olds)
            for j in by_key.get(key(one), ())
            if (weight := weigh(one, news[j]))
        ]
        ours, theirs = set[int](), set[int]()
        for _, i, j in sorted(weighed):
            if i not in ours and j not in theirs:
                ours.add(i)
                theirs.add(j)
                if kind:
                    changes.append(_change(kind, name, _side(old, olds[i]), _side(new, news[j])))
        olds[:] = [each for i, each in enumerate(olds) if i not in ours]
        news[:] = [each for j, each in enumerate(news) if j not in theirs]

    def attributes(one: Mention) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(one.attributes.items()))

    pair_up("", lambda one: (places[id(one)], one.label, attributes(one)))
    pair_up("attributes", lambda one: (places[id(one)], one.label))
    pair_up("relabelled", lambda one: places[id(one)])
    pair_up("moved", lambda one: one.label,
            lambda one, two: _shared(places[id(one)], two.fragments))  # fmt: skip
    pair_up("moved", lambda one: (one.label, texts[id(one)]),
            lambda one, two: 1 / (1 + abs(one.start - two.start)))  # fmt: skip
    changes += [_change("removed", name, _side(old, each), _NOTHING) for each in olds]
    changes += [_change("added", name, _NOTHING, _side(new, each)) for each in news]
    return sorted(changes, key=lambda each: (each.new_place or each.old_place, each.kind))


def _shared(one: tuple[Span, ...] | None, other: tuple[Span, ...]) -> int:
    """How many positions two places share."""
    return sum(
        max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one or () for b in other
    )  # fmt: skip


def _text(document: Document, mention: Mention) -> str | None:
    words = _words(document)
    if not words:
        return None
    join = "" if document.unit == "char" else " "
    return " ".join(join.join(words[start:end]) for start, end in mention.fragments)


Side = tuple[str | None, tuple[Span, ...] | None, str | None]
"""Label, place and text of a mention."""

_NOTHING: Side = (None, None, None)


def _side(document: Document, mention: Mention) -> Side:
    return mention.label, mention.fragments, _text(document, mention)


def _change(kind: str, name: str, old: Side, new: Side) -> Change:
    return Change(kind, name, old[0], new[0], old[1], new[1], old[2], new[2])


class _Map:
    """Where positions of an old text are in the new one."""

    def __init__(self, old: Document, new: Document) -> None:
        one, two = _words(old), _words(new)
        self.same = one == two or not one or not two
        if self.same:
            return
        pieces = [_PIECE.findall(each) if isinstance(each, str) else each for each in (one, two)]
        self.blocks = list(_blocks(pieces[0], pieces[1], tokens=not isinstance(one, str)))
        self.starts = [start for start, _, _ in self.blocks]

    def _position(self, at: int) -> int | None:
        """The new position of what stands at an old one; None if that was changed."""
        block = bisect_right(self.starts, at) - 1
        if block < 0:
            return None
        start, other, length = self.blocks[block]
        return at - start + other if at < start + length else None

    def place(self, fragments: tuple[Span, ...]) -> tuple[Span, ...] | None:
        """The new place of an old one; None if its first or last word was changed."""
        if self.same:
            return fragments
        moved = [(self._position(start), self._position(end - 1)) for start, end in fragments]
        if any(start is None or last is None or last < start for start, last in moved):
            return None
        return tuple((start, last + 1) for start, last in moved)  # type: ignore[misc, operator]


def _blocks(one: Words, two: Words, *, tokens: bool) -> Iterator[tuple[int, int, int]]:
    """Stretches that are the same in both: old start, new start and length, in positions."""
    offsets = [
        list(accumulate((1 if tokens else len(each) for each in words), initial=0))
        for words in (one, two)
    ]
    first = 0
    while first < min(len(one), len(two)) and one[first] == two[first]:
        first += 1
    last = 0
    while last < min(len(one), len(two)) - first and one[-1 - last] == two[-1 - last]:
        last += 1
    if first:
        yield 0, 0, offsets[0][first]
    ends = len(one) - last, len(two) - last
    a, b = one[first : ends[0]], two[first : ends[1]]
    matcher = SequenceMatcher(None, a, b, autojunk=len(a) * len(b) > _LONG)
    for i, j, size in matcher.get_matching_blocks():
        if size:
            begin, end = i + first, i + first + size
            yield offsets[0][begin], offsets[1][j + first], offsets[0][end] - offsets[0][begin]
    if last:
        yield offsets[0][ends[0]], offsets[1][ends[1]], offsets[0][-1] - offsets[0][ends[0]]


def _by_label(
    old: Corpus, new: Corpus, changes: Sequence[Change]
) -> Mapping[str, Mapping[str, int]]:
    """For each label the mentions of both versions, and the changes. A mention that changed its
    label counts with the old one.
    """
    counts = [
        Counter(side.labels[code] for code in side.mentions.label.tolist()) for side in (old, new)
    ]
    kinds = Counter((each.old_label or each.new_label, each.kind) for each in changes)
    return {
        label: {"old": counts[0][label], "new": counts[1][label]}
        | {kind: kinds[label, kind] for kind in KINDS}
        for label in sorted({*old.labels, *new.labels})
    }

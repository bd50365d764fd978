"""Pair: gold and system, document by document, on one vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from karat.arrays.join import join, packed
from karat.arrays.overlaps import Overlaps, overlaps
from karat.nouns._tokens import Borders, Tokens
from karat.nouns._types import BoolArray, IntArray
from karat.nouns.corpus import Corpus
from karat.nouns.errors import SHOWN, InputError, Problem, UsageError, plain, shown
from karat.nouns.tables import UNKNOWN, Documents, Mentions, int32


@dataclass(frozen=True, eq=False)
class Pair:
    """What an event space counts. `coverage` says what became of everything that was read.

    >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
    >>> pair.labels, pair.size
    (('LOC', 'PER'), 1)
    """

    gold: Mentions
    system: Mentions
    labels: tuple[str, ...]
    documents: Documents
    unit: str
    coverage: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    tokenizer: str = "none"
    borders: Callable[[], Borders] | None = field(default=None, repr=False, compare=False)

    @property
    def size(self) -> int:
        """How many documents there are."""
        return len(self.documents)

    @cached_property
    def in_tokens(self) -> Pair:
        """The same pair in tokens, row for row: itself, where positions are tokens already.

        Mentions that do not fall on token borders take every token that they touch, and are
        counted in the coverage as `unaligned`.

        >>> gold = Corpus.of(
        ...     {"text": "Ann Lee", "mentions": [{"start": 1, "end": 5, "label": "P"}]}
        ... )
        >>> tokens = Pair.of(gold, gold).in_tokens
        >>> tokens.gold.start, tokens.gold.end, tokens.coverage["unaligned"]
        (array([0], dtype=int32), array([2], dtype=int32), 2)
        """
        if self.unit == "token":
            return self
        if self.borders is None:
            raise UsageError("this event space counts tokens, and these corpora count characters")
        tokens = self.borders()
        (gold, odd), (system, others) = tokens.snapped(self.gold), tokens.snapped(self.system)
        return replace(
            self,
            gold=gold,
            system=system,
            documents=tokens.documents(self.documents),
            unit="token",
            coverage={**self.coverage, "unaligned": odd + others},
        )

    @property
    def covered(self) -> Mapping[str, int]:
        """The coverage, with the mentions that were moved onto tokens if anything counted tokens.

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> pair.covered["unaligned"]
        0
        """
        seen: Pair = self.__dict__.get("in_tokens", self)
        return seen.coverage

    @cached_property
    def overlaps(self) -> Overlaps:
        """Which gold and system mentions share positions, found once for every event space.

        >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]LOC Lee slept"))
        >>> pair.overlaps.shared, pair.overlaps is pair.overlaps
        (array([1]), True)
        """
        return overlaps(self.gold, self.system)

    @cached_property
    def remembered(self) -> dict[Hashable, Any]:
        """What event spaces found on their way and share, such as the alignment.

        >>> Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept")).remembered
        {}
        """
        return {}

    def cells(self, side: str) -> IntArray:
        """For each mention of a side one number for its document and label: where it counts."""
        if ("cells", side) not in self.remembered:
            table: Mentions = getattr(self, side)
            self.remembered["cells", side] = table.doc * np.int64(len(self.labels)) + table.label
        found: IntArray = self.remembered["cells", side]
        return found

    def keys(self, *, label: bool) -> tuple[IntArray, IntArray]:
        """One number a mention, equal where document, fragments (and label) are.

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> [bool((a == b).all()) for a, b in (pair.keys(label=True), pair.keys(label=False))]
        [False, True]
        """
        if label:
            ours, theirs = self.keys(label=False)
            return packed([ours, self.gold.label], [theirs, self.system.label])
        if "keys" not in self.remembered:
            sides = (self.gold, self.system)
            columns = [[table.doc, table.start, table.first_end] for table in sides]
            if any(table.fragments is not None for table in sides):
                for column, tail in zip(columns, _tails(*sides), strict=True):
                    column.append(tail)
            self.remembered["keys"] = packed(*columns)
        found: tuple[IntArray, IntArray] = self.remembered["keys"]
        return found

    @cached_property
    def identical(self) -> tuple[IntArray, IntArray]:
        """The mentions with equal document, fragments and label, one-to-one."""
        return join(*self.keys(label=True))

    @classmethod
    def of(
        cls,
        gold: Corpus,
        system: Corpus,
        labels: Sequence[str] | None = None,
        extra: str = "error",
        only: bool = False,
        tokenizer: str | Tokens = "auto",
    ) -> Pair:
        """Pair documents by id, or by place where a side has no ids; then the words must agree.

        `labels` is the tagset; with `only`, mentions with other labels are left out and counted.
        `extra` says what a system document that gold lacks is: an `error`, or to `ignore`.
        `tokenizer` is how characters become tokens, if something counts tokens.
        """
        tokens = Tokens(tokenizer) if isinstance(tokenizer, str) else tokenizer
        return _paired(cls, gold, system, labels, extra, only, tokens)


def _tails(gold: Mentions, system: Mentions) -> tuple[IntArray, IntArray]:
    """A code for what follows the first fragment, 0 for nothing, on both sides alike."""
    seen: dict[object, int] = {}
    codes = []
    for table in (gold, system):
        code = np.zeros(len(table), np.int32)
        for row in table.discontinuous.tolist():
            code[row] = seen.setdefault(table.fragments_of(row)[1:], len(seen) + 1)
        codes.append(code)
    return codes[0], codes[1]


def _paired(
    cls: type[Pair], gold: Corpus, system: Corpus, labels: Sequence[str] | None, extra: str,
    only: bool, tokens: Tokens,
) -> Pair:  # fmt: skip
    units = {unit for unit in (gold.unit, system.unit) if unit is not None}
    if len(units) > 1:
        from karat.nouns._units import in_characters

        gold, system = in_characters(gold, system)
        units = {"char"}
    warnings: list[str] = []
    if gold.documents.id is not None and (system.documents.id is not None or not len(system)):
        place = _by_id(gold, system, extra, warnings)
    else:
        place = _by_place(gold, system)
    _agree(gold, system, place)
    tagset = tuple(sorted({*(labels if labels is not None else (*gold.labels, *system.labels))}))
    (left, gold_off), (right, system_off) = (
        _within(gold, tagset, only),
        _within(system, tagset, only),
    )
    doc = place[right.doc]
    right = replace(right, doc=doc).take(np.flatnonzero(doc != UNKNOWN))
    moved = Corpus(None, gold.documents, right, tagset).ordered().mentions
    _inside(gold, system, moved)
    there = place[place != UNKNOWN]
    coverage = {
        "documents": len(gold),
        "missing_documents": len(gold) - len(there),
        "extra_documents": len(system) - len(there),
        "gold_mentions": len(gold.mentions),
        "system_mentions": len(system.mentions),
        "repaired": sum(c.facts.get("repaired", 0) for c in (gold, system)),
        "discarded": sum(c.facts.get("discarded", 0) for c in (gold, system)),
        "unaligned": 0,
        "ignored": gold_off + system_off + int(np.count_nonzero(doc == UNKNOWN)),
    }
    if coverage["missing_documents"]:
        covered = np.zeros(len(gold), bool)
        covered[there] = True
        name = gold.documents.name(int(np.flatnonzero(~covered)[0]))
        warnings.insert(
            0,
            f"{coverage['missing_documents']} gold documents have no answer and count as empty, "
            f"the first is {plain(name)}",
        )
    unit = units.pop() if units else "token"
    chars = unit == "char"
    return cls(
        left, moved, tagset, gold.documents, unit, coverage, tuple(warnings),
        tokens.settled(gold, system) if chars else "none",
        partial(tokens.borders, gold, system, place) if chars else None,
    )  # fmt: skip


def _inside(gold: Corpus, system: Corpus, mentions: Mentions) -> None:
    """A system file without words may name positions that gold does not have."""
    length = gold.documents.length[mentions.doc]
    beyond = np.flatnonzero((length >= 0) & (mentions.end > length))
    for row in beyond[:1].tolist():
        name = gold.documents.name(int(mentions.doc[row]))
        raise InputError(
            [
                Problem(
                    "K306", _file(system, "system"), None,
                    f"a mention that ends at {mentions.end[row]} in document {shown(name)}",
                    f"an end within the {length[row]} positions that {_file(gold, 'gold')} has",
                )
            ],
            len(beyond),
        )  # fmt: skip


def _within(corpus: Corpus, tagset: tuple[str, ...], only: bool) -> tuple[Mentions, int]:
    """Mentions on the vocabulary of the pair, and how many have a label outside of it."""
    outside = [label for label in corpus.labels if label not in set(tagset)]
    place = {label: i for i, label in enumerate(tagset)}
    table = int32([place.get(label, UNKNOWN) for label in corpus.labels] + [UNKNOWN])
    label = table[corpus.mentions.label]
    mentions = replace(corpus.mentions, label=label)
    if not outside:
        return mentions, 0
    assert only, "a tagset that lacks labels is given on purpose"
    inside = np.flatnonzero(label != UNKNOWN)
    return mentions.take(inside), len(label) - len(inside)


def _file(corpus: Corpus, side: str) -> str:
    return corpus.origin.path if corpus.origin else side


def _by_id(gold: Corpus, system: Corpus, extra: str, warnings: list[str]) -> IntArray:
    """For each system document, which gold document it is; -1 for none."""
    where = {name: row for row, name in enumerate(gold.documents.id or ())}
    place = int32([where.get(name, UNKNOWN) for name in system.documents.id or ()])
    unknown = np.flatnonzero(place == UNKNOWN)
    if not unknown.size:
        return place
    if extra == "ignore":
        name = system.documents.name(int(unknown[0]))
        warnings.append(
            f"{len(unknown)} system documents are not in gold and are ignored, "
            f"the first is {plain(name)}"
        )
        return place
    problems = [
        Problem(
            "K301", _file(system, "system"), int(system.documents.line[row]),
            f"the document {shown(system.documents.name(row))}",
            f"only documents that {_file(gold, 'gold')} has",
            "--extra-docs ignore leaves it out",
        )
        for row in unknown[:SHOWN].tolist()
    ]  # fmt: skip
    raise InputError(problems, len(unknown))


def _by_place(gold: Corpus, system: Corpus) -> IntArray:
    ours, theirs = len(gold), len(system)
    common = min(ours, theirs)
    rows = np.arange(common)
    _same_words(gold, system, rows, rows)
    if ours != theirs:
        longer, shorter = (gold, system) if ours > theirs else (system, gold)
        name, other = ("gold", "system") if ours > theirs else ("system", "gold")
        raise InputError([
            Problem(
                "K302", _file(longer, name), int(longer.documents.line[common]),
                f"document {common + 1}",
                f"the end, as in {_file(shorter, other)}, which has {common} documents",
            )
        ])  # fmt: skip
    place = np.arange(theirs, dtype=np.int32)
    place[common:] = UNKNOWN  # only where earlier documents differ, which is then told
    return place


def _differ(left: Documents, right: Documents, a: IntArray, b: IntArray) -> BoolArray:
    """Which pairs of documents do not have the same words, as far as both are known."""
    known = (left.hash[a] != 0) & (right.hash[b] != 0)
    differ = known & (left.hash[a] != right.hash[b])
    sized = (left.length[a] >= 0) & (right.length[b] >= 0)
    odd: BoolArray = differ | (sized & (left.length[a] != right.length[b]))
    return odd


def _agree(gold: Corpus, system: Corpus, place: IntArray) -> None:
    """The words and sentences of paired documents are the same; else say where they part."""
    theirs = np.flatnonzero(place != UNKNOWN)
    ours = place[theirs]
    _same_words(gold, system, ours, theirs)
    breaks = _odd_sentences(gold.documents, system.documents, ours, theirs)
    if breaks:
        raise InputError([_broken(gold, system, a, b) for a, b in breaks[:SHOWN]], len(breaks))


def _same_words(gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray) -> None:
    odd = np.flatnonzero(_differ(gold.documents, system.documents, ours, theirs))
    if odd.size:
        first = odd[:SHOWN].tolist()
        parted = [_parting(gold, system, int(ours[row]), int(theirs[row])) for row in first]
        raise InputError(parted, len(odd))


def _broken(gold: Corpus, system: Corpus, a: int, b: int) -> Problem:
    """Where two documents with the same words begin a sentence at different ones."""
    ends, others = gold.documents.sentences(a), system.documents.sentences(b)
    at = next(i for i in range(len(ends) + 1) if ends[i : i + 1] != others[i : i + 1])
    where = min((*ends[at : at + 1], *others[at : at + 1]))

    def told(starts: tuple[int, ...]) -> str:
        return f"at token {starts[at] + 1}" if at < len(starts) else "nowhere"

    return Problem(
        "K304", _file(system, "system"), _line(system, b, where),
        f"sentence {at + 1} of document {shown(gold.documents.name(a))} {told(others)}",
        f"{told(ends)}, as in {_file(gold, 'gold')}:{_line(gold, a, where)}",
    )  # fmt: skip


def _line(corpus: Corpus, row: int, place: int) -> int:
    if corpus.library is None:
        return int(corpus.documents.line[row])
    return corpus.library.line(row, place)


def _odd_sentences(
    left: Documents, right: Documents, a: IntArray, b: IntArray
) -> list[tuple[int, int]]:
    """Pairs of documents, both with sentences, whose sentences start elsewhere."""
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
    """Where two documents that should be the same differ first."""
    ours = gold.library.words(a) if gold.library else (None, None)
    theirs = system.library.words(b) if system.library else (None, None)
    chars = gold.unit == "char"
    what = "character" if chars else "token"
    left, right = (ours[0], theirs[0]) if chars else (ours[1], theirs[1])
    if left is None or right is None:
        sizes = [int(documents.length[row]) for documents, row in
                 ((gold.documents, a), (system.documents, b))]  # fmt: skip
        return Problem(
            "K303", _file(system, "system"), _line(system, b, 0), f"{sizes[1]} {what}s",
            f"{sizes[0]}, as in {_file(gold, 'gold')}:{_line(gold, a, 0)}",
            f"document {shown(gold.documents.name(a))}",
        )  # fmt: skip
    at = next(
        (i for i, (x, y) in enumerate(zip(left, right, strict=False)) if x != y),
        min(len(left), len(right)),
    )

    def told(words: Sequence[str]) -> str:
        if at >= len(words):
            return "the end of the document"
        return f"the {what} {shown(words[at])}"

    return Problem(
        "K303", _file(system, "system"), _line(system, b, at), told(right),
        f"{told(left)}, as in {_file(gold, 'gold')}:{_line(gold, a, at)}",
        f"{what} {at + 1} of document {shown(gold.documents.name(a))}",
    )  # fmt: skip

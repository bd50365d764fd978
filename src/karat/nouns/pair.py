"""Pair: gold and system, document by document, on one vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.arrays.join import packed
from karat.arrays.overlaps import Overlaps, overlaps
from karat.nouns._agree import agree, file_of, same_words
from karat.nouns._tokens import Borders, Tokens
from karat.nouns._types import IntArray
from karat.nouns.corpus import Corpus
from karat.nouns.errors import SHOWN, InputError, Problem, UsageError, plain, shown
from karat.nouns.tables import UNKNOWN, Documents, Mentions, int32

if TYPE_CHECKING:
    from karat.nouns.filled import FilledPair


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
    slots: Callable[[], FilledPair] | None = field(default=None, repr=False, compare=False)

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

    @cached_property
    def filled(self) -> FilledPair:
        """The slots of both sides and what fills them: templates, or mentions by their label.

        >>> pair = Pair.of(Corpus.of("[Ann]who slept"), Corpus.of("[Ann]who slept"))
        >>> pair.filled.labels, pair.filled.texts.values
        (('who',), ('ann',))
        """
        if self.slots is None:
            raise UsageError("this pair was made of mentions alone and has no slots")
        return self.slots()

    @property
    def covered(self) -> Mapping[str, int]:
        """The coverage, with the mentions that were moved onto tokens if anything counted tokens,
        and the fillers that were left out or are nowhere in the text if anything counted fillers.

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> pair.covered["unaligned"]
        0
        """
        seen: Pair = self.__dict__.get("in_tokens", self)
        slots: FilledPair | None = self.__dict__.get("filled")
        if slots is None or "gold_fillers" not in self.coverage:
            return seen.coverage
        found = {**seen.coverage, "ignored": seen.coverage["ignored"] + slots.ignored}
        if "grounded" in slots.__dict__:  # else nobody asked where fillers stand
            found["ungrounded"] = int(np.count_nonzero(slots.made_up))
        return found

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

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> pair.remembered is pair.remembered
        True
        """
        return {}

    def keys(self, *, label: bool) -> tuple[IntArray, IntArray]:
        """One number a mention, equal where document, fragments (and label) are.

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> [bool((a == b).all()) for a, b in (pair.keys(label=True), pair.keys(label=False))]
        [False, True]
        """
        sides = (self.gold, self.system)
        columns = [[table.doc, table.start, table.first_end] for table in sides]
        if any(table.fragments is not None for table in sides):
            for column, tail in zip(columns, _tails(*sides), strict=True):
                column.append(tail)
        if label:
            for column, table in zip(columns, sides, strict=True):
                column.append(table.label)
        return packed(*columns)

    @classmethod
    def of(
        cls,
        gold: Corpus,
        system: Corpus,
        labels: Sequence[str] | None = None,
        extra: str = "error",
        only: bool = False,
        tokenizer: str | Tokens = "auto",
        slots: Sequence[str] | None = None,
    ) -> Pair:
        """Pair documents by id, or by place where a side has no ids; then the words must agree.

        `labels` is the tagset; with `only`, mentions with other labels are left out and counted.
        `extra` says what a system document that gold lacks is: an `error`, or to `ignore`.
        `tokenizer` is how characters become tokens, if something counts tokens. `slots` are rows
        that fillers may count in; without them, `labels` (with `only`) are those of fillers, too.
        """
        tokens = Tokens(tokenizer) if isinstance(tokenizer, str) else tokenizer
        return _paired(cls, gold, system, labels, extra, only, tokens, slots)


def _fillers(corpus: Corpus) -> int:
    """How many fillers a corpus has; one without templates has its mentions."""
    return len(corpus.templates.fillers) if len(corpus.templates) else len(corpus.mentions)


def _filled(
    gold: Corpus, system: Corpus, place: IntArray, labels: Sequence[str] | None, only: bool
) -> FilledPair:
    from karat.nouns.filled import filled

    return filled(gold, system, place, labels, only)


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
    only: bool, tokens: Tokens, slots: Sequence[str] | None,
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
    agree(gold, system, place)
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
    if len(gold.templates) or len(system.templates):
        coverage["gold_fillers"], coverage["system_fillers"] = _fillers(gold), _fillers(system)
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
    same = slots is None and (only or not (len(gold.templates) or len(system.templates)))
    rows = labels if same else slots  # mentions fill the slot of their label
    return cls(
        left, moved, tagset, gold.documents, unit, coverage, tuple(warnings),
        tokens.settled(gold, system) if chars else "none",
        partial(tokens.borders, gold, system, place) if chars else None,
        partial(_filled, gold, system, place, rows, only and same),
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
                    "K306", file_of(system, "system"), None,
                    f"a mention that ends at {mentions.end[row]} in document {shown(name)}",
                    f"an end within the {length[row]} positions that {file_of(gold, 'gold')} has",
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
            "K301", file_of(system, "system"), int(system.documents.line[row]),
            f"the document {shown(system.documents.name(row))}",
            f"only documents that {file_of(gold, 'gold')} has",
            "--extra-docs ignore leaves it out",
        )
        for row in unknown[:SHOWN].tolist()
    ]  # fmt: skip
    raise InputError(problems, len(unknown))


def _by_place(gold: Corpus, system: Corpus) -> IntArray:
    ours, theirs = len(gold), len(system)
    common = min(ours, theirs)
    rows = np.arange(common)
    same_words(gold, system, rows, rows)
    if ours != theirs:
        longer, shorter = (gold, system) if ours > theirs else (system, gold)
        name, other = ("gold", "system") if ours > theirs else ("system", "gold")
        raise InputError([
            Problem(
                "K302", file_of(longer, name), int(longer.documents.line[common]),
                f"document {common + 1}",
                f"the end, as in {file_of(shorter, other)}, which has {common} documents",
            )
        ])  # fmt: skip
    place = np.arange(theirs, dtype=np.int32)
    place[common:] = UNKNOWN  # only where earlier documents differ, which is then told
    return place

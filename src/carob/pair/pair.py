"""Pair: gold and system, document by document, on one vocabulary."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.arrays.columns import equal, label_codes, stretches
from carob.arrays.join import bits_of, join, packed
from carob.arrays.overlaps import Overlaps, TooManyOverlapsError, count_overlaps, overlaps
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import (
    SHOWN,
    DataError,
    InputError,
    Problem,
    UsageError,
    many,
    plain,
    shown,
)
from carob.corpus.tables import UNKNOWN, Documents, Mentions, int32
from carob.pair.template_types import fills_template, row_names, typed_as
from carob.pair.tokens import Borders, Tokens, cut_mentions, in_characters

if TYPE_CHECKING:
    from carob.pair.filled import FilledPair
    from carob.pair.links import LinkedPair, RelationRows
    from carob.pair.records import RecordPair
    from carob.values.schema import Schema


MOST_OVERLAPS, OVERLAPS_EACH = 1_000_000, 16
"""How many pairs of mentions may overlap: this many, or this many for each mention."""


@dataclass(eq=False)
class Pair:
    """What an event space counts. `coverage` accounts for everything that was read.

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
    relations: Callable[[], LinkedPair] | None = field(default=None, repr=False, compare=False)
    typed: Callable[[], RecordPair] | None = field(default=None, repr=False, compare=False)

    @property
    def size(self) -> int:
        """How many documents there are."""
        return len(self.documents)

    @property
    def in_tokens(self) -> Pair:
        """The same pair in tokens, row for row; itself if positions are tokens already.

        Mentions that do not begin and end at token boundaries cover every token that they touch,
        and are counted in the coverage as `unaligned`.

        >>> gold = Corpus.of(
        ...     {"text": "Ann Lee", "mentions": [{"start": 1, "end": 5, "label": "P"}]}
        ... )
        >>> tokens = Pair.of(gold, gold).in_tokens
        >>> tokens.gold.start, tokens.gold.end, tokens.coverage["unaligned"]
        (array([0], dtype=int32), array([2], dtype=int32), 2)
        """
        # A pair that kept itself would not be freed until Python looks for circles.
        return self if self.unit == "token" else self._snapped

    @cached_property
    def _snapped(self) -> Pair:
        """The pair of characters, with mentions snapped to tokens."""
        if self.borders is None:
            raise DataError("this event space counts tokens, and these corpora count characters")
        tokens = self.borders()
        (gold, ours), (system, theirs) = tokens.snapped(self.gold), tokens.snapped(self.system)
        return replace(
            self,
            gold=gold,
            system=system,
            documents=tokens.documents(self.documents),
            unit="token",
            coverage={**self.coverage, "unaligned": int(ours.sum() + theirs.sum())},
        )

    @cached_property
    def filled(self) -> FilledPair:
        """The slots of both sides and what fills them: templates, or mentions by their label.

        >>> pair = Pair.of(Corpus.of("[Ann]who slept"), Corpus.of("[Ann]who slept"))
        >>> pair.filled.labels, pair.filled.texts.values
        (('who',), ('ann',))
        """
        if self.slots is None:
            raise UsageError("this pair was built from mentions only and has no slots")
        return self.slots()

    @cached_property
    def links(self) -> LinkedPair:
        """The relations and events of both sides, with all the mentions that they are between."""
        if self.relations is None:
            raise UsageError("this pair was built from mentions only and has no relations")
        return self.relations()

    @cached_property
    def records(self) -> RecordPair:
        """The records of both sides as typed values.

        >>> gold = Corpus.of({"templates": [{"slots": {"total": ["5"]}}]})
        >>> Pair.of(gold, gold).records.rows
        ('', 'total')
        """
        if self.typed is None:
            raise UsageError("this pair was built from mentions only and has no records")
        return self.typed()

    @property
    def covered(self) -> Mapping[str, int]:
        """The coverage; if anything counted tokens, with the mentions moved onto tokens; if
        anything counted fillers, with those left out or not found in the text; if anything
        counted relations, with those that were stated more than once.
        """
        seen: Pair = self.__dict__.get("_snapped", self)
        links: LinkedPair | None = self.__dict__.get("links")
        found = dict(seen.coverage)
        if links is not None and links.duplicates:
            found["duplicates"] = max(links.duplicates.values())
        if links is not None and links.ungrounded is not None:
            found["ungrounded"] = links.ungrounded
        records: RecordPair | None = self.__dict__.get("records")
        if records is not None:
            found |= {"unreadable": records.unreadable, **records.counted}
        slots: FilledPair | None = self.__dict__.get("filled")
        if slots is None or "gold_fillers" not in self.coverage:
            return found
        found["ignored"] += slots.ignored
        if (ungrounded := slots.ungrounded_count) is not None:
            found["ungrounded"] = ungrounded
        return found

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """The warnings; if anything counted fillers, also how their types were adjusted."""
        slots: FilledPair | None = self.__dict__.get("filled")
        records: RecordPair | None = self.__dict__.get("records")
        warnings = list(self.warnings)
        if slots is not None:
            warnings += [*slots.remarks, *slots.notes]
        if records is not None:
            warnings += records.remarks
        return tuple(dict.fromkeys(warnings))

    @cached_property
    def overlaps(self) -> Overlaps:
        """Which gold and system mentions share positions, computed once for all event spaces.

        >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]LOC Lee slept"))
        >>> pair.overlaps.shared, pair.overlaps is pair.overlaps
        (array([1]), True)
        """
        return self.overlaps_of(self.gold, self.system)

    @cached_property
    def same_label(self) -> BoolArray:
        """Whether the two mentions of each overlap have the same label.

        >>> Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]LOC Lee slept")).same_label
        array([False])
        """
        same: BoolArray = (
            self.gold.label[self.overlaps.gold] == self.system.label[self.overlaps.system]
        )
        return same

    def overlaps_of(self, gold: Mentions, system: Mentions) -> Overlaps:
        """The overlaps of other tables of mentions of the same documents, unless they are too many:
        more than MOST_OVERLAPS, and more than OVERLAPS_EACH for each mention.
        """
        most = max(MOST_OVERLAPS, OVERLAPS_EACH * (len(gold) + len(system)))
        try:
            return overlaps(gold, system, most)
        except TooManyOverlapsError:
            counts = count_overlaps(gold, system)
            raise self.too_large(
                int(np.argmax(np.bincount(gold.doc, counts))),
                f"{int(counts.sum()):,} pairs of mentions that overlap", f"at most {most:,}",
                "-m exact.PRF compares no pairs",
            ) from None  # fmt: skip

    def too_large(self, doc: int | None, found: str, expected: str, hint: str = "") -> InputError:
        """The error for a document (None: unknown) that would need too much memory or time."""
        name = "gold and system" if doc is None else f"document {shown(self.documents.name(doc))}"
        return InputError([Problem("K309", name, None, found, expected, hint)])

    @cached_property
    def remembered(self) -> dict[Hashable, Any]:
        """What event spaces have computed and share, such as the alignment."""
        return {}

    def cells(self, side: str) -> IntArray:
        """For each mention of a side the number of its cell, that is document and label."""
        if ("cells", side) not in self.remembered:
            table: Mentions = getattr(self, side)
            # NumPy 1 keeps int32 when a column is multiplied by a number, and overflows.
            doc = table.doc.astype(np.int64)
            self.remembered["cells", side] = doc * len(self.labels) + table.label
        found: IntArray = self.remembered["cells", side]
        return found

    def keys(self, *, label: bool) -> tuple[IntArray, IntArray]:
        """One number for each mention, equal if document, fragments (and label) are equal.

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> [bool((a == b).all()) for a, b in (pair.keys(label=True), pair.keys(label=False))]
        [False, True]
        """
        if ("keys", label) not in self.remembered:
            sides = (self.gold, self.system)
            columns = [[table.doc, table.start, table.first_end] for table in sides]
            # No mention starts, nor does its first fragment end, after its end.
            place = bits_of(self.gold.end, self.system.end)
            bits = [bits_of(self.gold.doc, self.system.doc), place, place]
            if any(table.fragments is not None for table in sides):
                tails = _tails(*sides)
                bits.append(bits_of(*tails))
                for column, tail in zip(columns, tails, strict=True):
                    column.append(tail)
            if label:
                bits.append(bits_of(self.gold.label, self.system.label))
                for column, table in zip(columns, sides, strict=True):
                    column.append(table.label)
            self.remembered["keys", label] = packed(*columns, bits=bits)
        found: tuple[IntArray, IntArray] = self.remembered["keys", label]
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
        slots: Sequence[str] | None = None,
        words: str = "count",
        strings: bool = False,
        relations: RelationRows | None = None,
        bare_slots: Sequence[str] = (),
        schema: Schema | None = None,
    ) -> Pair:
        """Pair documents by id. If a side has no ids, they are in the same order, or are found by
        their words; the words must agree.

        `labels` is the tagset; with `only`, mentions with other labels are left out and counted.
        `extra` says how to treat a system document that gold lacks: `error` or `ignore`.
        `tokenizer` turns characters into tokens if something counts tokens. `slots` are the rows of
        fillers; without them, `labels` (with `only`) are. `words` says how to treat words that
        differ on the same row: `count` (an error from 5 % on), `ignore` or `error`. With `strings`,
        texts may differ: only fillers are counted, each with the text that its own side has.
        `relations` are rows of relations and `bare_slots` slots without types, beside those that
        the two corpora have.
        `schema` says of which types the slots of records are; without it, gold shows that.
        """
        tokens = Tokens(tokenizer) if isinstance(tokenizer, str) else tokenizer
        units = {unit for unit in (gold.unit, system.unit) if unit is not None}
        apart, split, changed = False, False, 0
        if len(units) > 1:
            try:
                split = gold.unit == "char"
                gold, system = in_characters(gold, system)
                units = {"char"}
            except (InputError, DataError):
                if not strings:
                    raise
                apart, split = True, False
        warnings: list[str] = []
        system = cut_alike(gold, system)
        place = paired_documents(gold, system, extra, warnings)
        theirs = (place != UNKNOWN).nonzero()[0]
        ours = place.take(theirs)
        if not apart and gold.unit == "char" == system.unit:
            system = _at_line_ends(gold, system, ours, theirs)
        if not apart and _differ(gold, system, ours, theirs):
            try:
                changed = _changed_words(gold, system, ours, theirs, words)
            except InputError:
                if not strings:
                    raise
                apart = True
        if not apart:
            _require_same_sentences(gold, system, ours, theirs)
        tagset = tuple(sorted(set((*gold.labels, *system.labels) if labels is None else labels)))
        left, gold_off = _within(gold, tagset, only)
        right, system_off = _within(system, tagset, only, gold)
        right, unknown = _moved(right, place)
        if right is not system.mentions:  # those of a corpus are in order
            right = Corpus(None, gold.documents, right, tagset).ordered().mentions
        if not apart:
            _require_ends_within(gold, system, left, right, place)
        coverage = _coverage(gold, system, len(theirs))
        if changed:
            coverage["different_words"] = changed
            warnings.append(f"{many(changed, 'word')} of {int(gold.documents.length.sum()):,} "
                            "differ from gold's; places are compared")  # fmt: skip
        if apart:
            warnings.append("texts differ from gold's; strings are compared, not places")
        if split and (cut := cut_mentions(gold, system, ours, theirs)):
            coverage["cut_mentions"] = cut
        coverage["ignored"] = gold_off + system_off + unknown
        if coverage["missing_documents"]:
            missing = np.setdiff1d(np.arange(len(gold)), place)
            name = plain(gold.documents.name(int(missing[0])))
            warnings.insert(
                0,
                f"the gold document {name} has no answer and counts as empty"
                if len(missing) == 1
                else f"{len(missing):,} gold documents have no answer and count as empty, "
                f"the first is {name}",
            )
        unit = gold.unit or system.unit or "token"
        chars = unit == "char"
        same = slots is None and (only or not (len(gold.templates) or len(system.templates)))
        rows = labels if same else slots  # mentions fill the slot of their label

        def slots_of_both() -> FilledPair:
            from carob.pair.filled import filled

            return filled(
                gold, system, place, rows, only and same, own_texts=apart, slots=bare_slots
            )

        def relations_of_both() -> LinkedPair:
            from carob.pair.links import linked

            return linked(gold, system, place, relations)

        def records_of_both() -> RecordPair:
            from carob.pair.guessed_types import guessed
            from carob.pair.records import RecordPair

            return RecordPair.of(gold, system, place, schema or guessed(gold))

        return cls(
            left, right, tagset, gold.documents, unit, coverage, tuple(warnings),
            tokens.method(gold) if chars else "none",
            partial(tokens.borders, gold, system, place) if chars else None,
            slots_of_both,
            relations_of_both,
            records_of_both,
        )  # fmt: skip


def _tails(gold: Mentions, system: Mentions) -> tuple[IntArray, IntArray]:
    """A code for the fragments after the first, 0 for none, the same on both sides."""
    seen: dict[object, int] = {}
    codes = []
    for table in (gold, system):
        code = np.zeros(len(table), np.int32)
        for row in table.discontinuous.tolist():
            code[row] = seen.setdefault(table.fragments_of(row)[1:], len(seen) + 1)
        codes.append(code)
    return codes[0], codes[1]


def paired_documents(
    gold: Corpus, system: Corpus, extra: str = "ignore", warnings: list[str] | None = None
) -> IntArray:
    """For each system document, which gold document it is: by id, otherwise by place or words; -1
    for none. Warnings are added to those that are given.

    >>> paired_documents(Corpus.of("[Ann]PER", "Bo"), Corpus.of("Ann", "Bo")).tolist()
    [0, 1]
    """
    warnings = [] if warnings is None else warnings
    if not len(system):
        return int32([])  # an answer that is empty, whether or not gold has ids
    if gold.documents.id is not None and system.documents.id is not None:
        return _by_id(gold, system, extra, warnings)
    return _by_words(gold, system, warnings)


def _by_id(gold: Corpus, system: Corpus, extra: str, warnings: list[str]) -> IntArray:
    """For each system document, which gold document it is; -1 for none."""
    if gold.documents.id == system.documents.id:
        return np.arange(len(gold), dtype=np.int32)
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
            "K301", system.file_name("system", row), int(system.documents.line[row]),
            f"the document {shown(system.documents.name(row))}",
            f"only documents that {gold.file_name('gold')} has",
            "--extra-docs ignore leaves it out",
        )
        for row in unknown[:SHOWN].tolist()
    ]  # fmt: skip
    raise InputError(problems, len(unknown))


def _by_words(gold: Corpus, system: Corpus, warnings: list[str]) -> IntArray:
    """The same numbers if the documents are in the same order; otherwise, for each system document,
    the gold document with the same words (white space at the ends of lines does not matter). Both
    sides must have the same documents, each with words of its own: if one is missing, or there
    twice, the order is all there is.
    """
    ours, theirs = gold.documents.hash, system.documents.hash
    alike = (
        gold.unit == system.unit
        and len(ours) == len(theirs)
        and np.count_nonzero(ours) == len(ours)
    )
    if not alike or equal(ours, theirs):
        return _by_place(gold, system)
    if gold.unit == "char" and not equal(np.sort(ours), np.sort(theirs)):
        from carob.pair.align import hashes_but_for_line_ends  # most files do not need it

        known = ours, theirs
        ours, theirs = (
            hashes_but_for_line_ends(*each) for each in ((gold, known[1]), (system, known[0]))
        )
        if equal(ours, theirs):
            return _by_place(gold, system)
    order, other = np.argsort(ours), np.argsort(theirs)
    sorted_hashes = ours[order]
    twice = (sorted_hashes[1:] == sorted_hashes[:-1]).any()
    if twice or not equal(sorted_hashes, theirs[other]):
        return _by_place(gold, system)
    place = np.empty(len(ours), np.int32)
    place[other] = order
    warnings.append("documents without ids are in another order than gold's, and are paired by "
                    "their words")  # fmt: skip
    return place


def documents_of_gold(gold: Corpus, system: Corpus) -> IntArray:
    """For each system document, which gold document it is: by id, or by place if a side has no
    ids; -1 for none.

    >>> documents_of_gold(Corpus.of("[Ann]PER", "Bo"), Corpus.of("Ann")).tolist()
    [0]
    """
    if gold.documents.id is not None and system.documents.id is not None:
        return _by_id(gold, system, "ignore", [])
    place = np.arange(len(system), dtype=np.int32)
    return np.where(place < len(gold), place, np.int32(UNKNOWN))


def _by_place(gold: Corpus, system: Corpus) -> IntArray:
    """The same numbers. If one side has more documents, words that differ earlier say more."""
    common = min(len(gold), len(system))
    rows = np.arange(common, dtype=np.int32)
    if len(gold) == len(system):
        return rows
    if gold.unit == system.unit:
        _changed_words(gold, system, rows, rows, "error")
    # The submission is what is wrong, also where it is too short.
    extra = len(system) > len(gold)
    line = int(system.documents.line[common]) if extra else None
    raise InputError([
        Problem(
            "K302", system.file_name("system", common if extra else 0), line,
            f"{many(len(system), 'document')}",
            f"{len(gold):,}, as in {gold.file_name('gold')}",
        )
    ])  # fmt: skip


def _differ(gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray) -> bool:
    """Whether any paired documents differ in length, or in words that both know."""
    left, right = gold.documents, system.documents
    if equal(left.length, right.length) and equal(left.hash, right.hash) and equal(ours, theirs):
        return False
    return any(each.any() for each in _unlike(gold, system, ours, theirs))


def _unlike(
    gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray
) -> tuple[BoolArray, BoolArray]:
    """Which paired documents differ in length, and which otherwise in words that both know."""
    left, right = gold.documents, system.documents
    lengths, sizes = left.length[ours], right.length[theirs]
    hashes, others = left.hash[ours], right.hash[theirs]
    uneven = (lengths >= 0) & (sizes >= 0) & (lengths != sizes)
    return uneven, (hashes != 0) & (others != 0) & (hashes != others) & ~uneven


def _at_line_ends(gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray) -> Corpus:
    """The system on the texts of gold, where they differ at the ends of lines alone."""
    uneven, other = _unlike(gold, system, ours, theirs)
    if not (uneven | other).any():
        return system
    from carob.pair.align import same_but_for_line_ends  # most files do not need it

    return same_but_for_line_ends(gold, system, ours, theirs, uneven | other)


def _changed_words(
    gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray, policy: str
) -> int:
    """How many words differ on the same row; an error if the policy does not allow it."""
    uneven, other = _unlike(gold, system, ours, theirs)
    if not (uneven | other).any():
        return 0
    from carob.pair.words import changed_words  # most files do not need it

    return changed_words(gold, system, ours, theirs, uneven, other, policy)


def cut_alike(gold: Corpus, system: Corpus) -> Corpus:
    """The system cut into the documents of gold, if only gold marks them; otherwise as it is."""
    left, right = gold.documents, system.documents
    if right.id is not None or equal(left.length, right.length):
        return system
    from carob.pair.words import cut_like  # most files do not need it

    return cut_like(gold, system)


def _require_same_sentences(gold: Corpus, system: Corpus, ours: IntArray, theirs: IntArray) -> None:
    """Paired documents that both have sentences begin them at the same words."""
    left, right = gold.documents, system.documents
    if (
        equal(ours, theirs)
        and equal(left.sentence_offsets, right.sentence_offsets)
        and equal(left.sentence_start, right.sentence_start)
    ):
        return
    problems = []
    for a, b in zip(ours.tolist(), theirs.tolist(), strict=True):
        starts, others = left.sentences(a), right.sentences(b)
        if starts and others and starts != others:
            problems.append((a, b))
    if problems:
        first = [_odd_sentence(gold, system, a, b) for a, b in problems[:SHOWN]]
        raise InputError(first, len(problems))


def _odd_sentence(gold: Corpus, system: Corpus, a: int, b: int) -> Problem:
    """Where two documents with the same words begin a sentence at different words."""
    starts, others = gold.documents.sentences(a), system.documents.sentences(b)
    at = next(i for i in range(len(starts) + 1) if starts[i : i + 1] != others[i : i + 1])
    where = min((*starts[at : at + 1], *others[at : at + 1]))

    def place(starts: tuple[int, ...]) -> str:
        return f"at token {starts[at] + 1}" if at < len(starts) else "nowhere"

    return Problem(
        "K304", system.file_name("system", b), system.line(b, where),
        f"sentence {at + 1} of document {shown(gold.documents.name(a))} {place(others)}",
        f"{place(starts)}, as in {gold.file_name('gold', a)}:{gold.line(a, where)}",
    )  # fmt: skip


def _within(
    corpus: Corpus, tagset: tuple[str, ...], only: bool, gold: Corpus | None = None
) -> tuple[Mentions, int]:
    """Mentions on the vocabulary of the pair, and how many have a label outside it.

    Those that count as fillers are not lost: the fillers of templates, and mentions that fill the
    templates of gold.
    """
    if corpus.labels == tagset:
        return corpus.mentions, 0
    outside = set(corpus.labels).difference(tagset)
    place = {label: i for i, label in enumerate(tagset)}
    codes = [place.get(label, UNKNOWN) for label in corpus.labels]
    table = label_codes([*codes, UNKNOWN], len(tagset))
    label = table[corpus.mentions.label]
    mentions = replace(corpus.mentions, label=label)
    if not outside:
        return mentions, 0
    assert only, "a tagset that lacks labels is given on purpose"
    inside = np.flatnonzero(label != UNKNOWN)
    lost = label == UNKNOWN
    if len(corpus.templates):
        lost &= ~fills_template(corpus)
    elif gold is not None and len(gold.templates):
        rows = row_names(typed_as(gold, corpus), None)
        lost &= ~np.array([*(row in place for row in rows), False])[corpus.mentions.label]
    return mentions.take(inside), int(np.count_nonzero(lost))


def _moved(table: Mentions, place: IntArray) -> tuple[Mentions, int]:
    """Mentions in the documents of gold, and how many are in none of them. If every document is
    already in its place, the table is returned unchanged.
    """
    if equal(place, np.arange(len(place))):
        return table, 0
    doc = place[table.doc]
    there = np.flatnonzero(doc != UNKNOWN)
    return replace(table, doc=doc).take(there), len(doc) - len(there)


def _require_ends_within(
    gold: Corpus, system: Corpus, left: Mentions, right: Mentions, place: IntArray
) -> None:
    """Check the positions of a file without words, where the other side knows how long its
    documents are.
    """
    length = gold.documents.length
    for what, doc, end in _ends(system, right, place):
        if beyond := _beyond(doc, end, length):
            row = int(doc[beyond[0]])
            problem = Problem(
                "K306", system.file_name("system", int(np.argmax(place == row))), None,
                f"a {what} that ends at {end[beyond[0]]} in document "
                f"{shown(gold.documents.name(row))}",
                f"an end within the {length[row]} positions that {gold.file_name('gold')} has",
            )  # fmt: skip
            raise InputError([problem], len(beyond))
    if not np.count_nonzero(length < 0):
        return
    there = np.flatnonzero(place != UNKNOWN)
    length = np.full(len(gold), UNKNOWN)
    length[place[there]] = system.documents.length[there]
    for what, doc, end in _ends(gold, left, np.arange(len(gold))):
        if beyond := _beyond(doc, end, length):
            row = int(doc[beyond[0]])
            problem = Problem(
                "K306", system.file_name("system", int(np.argmax(place == row))), None,
                f"{many(length[row], 'position')} in document {shown(gold.documents.name(row))}",
                f"at least {end[beyond[0]]}, where a {what} of {gold.file_name('gold', row)} ends",
            )  # fmt: skip
            raise InputError([problem], len(beyond))


def _ends(
    corpus: Corpus, mentions: Mentions, place: IntArray
) -> Iterator[tuple[str, IntArray, IntArray]]:
    """Where mentions and fillers end: in which document of gold, and at which position."""
    yield "mention", mentions.doc, mentions.end
    if len(corpus.templates):
        doc, end = corpus.templates.ends()
        there = place[doc] != UNKNOWN
        yield "filler", place[doc[there]], end[there]


def _beyond(doc: IntArray, end: IntArray, length: IntArray) -> list[int]:
    """The rows that end after the end of their document, as far as its length is known."""
    beyond: list[int] = []
    for rows in stretches(len(doc)):
        own = length.take(doc[rows])
        there = (end[rows] > own).nonzero()[0]
        if len(there):
            beyond += (rows.start + there[own[there] >= 0]).tolist()
    return beyond


def _coverage(gold: Corpus, system: Corpus, both: int) -> dict[str, int]:
    """What was read; `both` is how many documents both sides have."""

    def fact(name: str) -> int:
        return gold.facts.get(name, 0) + system.facts.get(name, 0)

    coverage = {
        "documents": len(gold),
        "missing_documents": len(gold) - both,
        "extra_documents": len(system) - both,
        "gold_mentions": len(gold.mentions),
        "system_mentions": len(system.mentions),
        "repaired": fact("repaired"),
        "discarded": fact("discarded"),
        "unaligned": 0,
        "ignored": 0,
    }
    if len(gold.templates) or len(system.templates):
        for side, corpus in (("gold", gold), ("system", system)):
            # Without templates, mentions are fillers.
            table = corpus.templates.fillers if len(corpus.templates) else corpus.mentions
            coverage[f"{side}_fillers"] = len(table)
    if len(gold.relations) or len(system.relations):
        coverage |= {
            "gold_relations": len(gold.relations),
            "system_relations": len(system.relations),
        }
    for name in (
        "aligned_characters", "unaligned_characters", "mended", "unparsed",
        "located", "ambiguous", "repeated", "ungrounded",
    ):  # fmt: skip
        if name in system.facts:
            coverage[name] = system.facts[name]
    if empty := fact("empty_texts"):
        coverage["empty"] = empty
    return coverage


PIECE = 1 << 16
"""A pair with more mentions, of both sides together, is counted in pieces of about this many."""


def pieces(pair: Pair) -> Iterator[Pair]:
    """The pair in pieces of whole documents, in order; the pair itself if it is small.

    Positions must be tokens: characters are moved onto tokens all at once.

    >>> from carob.corpus.corpus import Corpus
    >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
    >>> [piece is pair for piece in pieces(pair)]
    [True]
    """
    sides = (pair.gold, pair.system)
    rows = sum(len(table) for table in sides)
    if pair.unit != "token" or rows <= PIECE:
        yield pair
        return
    bounds = np.linspace(0, pair.size, rows // PIECE + 2).astype(np.int64)
    # Bounds of the type that documents have: otherwise NumPy would copy the column of documents.
    places = [np.searchsorted(t.doc, bounds.astype(t.doc.dtype)).tolist() for t in sides]
    for k, (low, high) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        if low < high:
            gold, system = (
                _between(table, place[k], place[k + 1], low)
                for table, place in zip(sides, places, strict=True)
            )
            documents = pair.documents.take(np.arange(low, high))
            yield replace(pair, gold=gold, system=system, documents=documents)


def slot_pieces(pair: Pair) -> Iterator[Pair]:
    """The pair in pieces of whole documents, for event spaces that count fillers alone; the pair
    itself if it is small, or the system has its documents in another order.

    >>> from carob.corpus.corpus import Corpus
    >>> pair = Pair.of(Corpus.of("[Ann]who slept"), Corpus.of("[Ann]who slept"))
    >>> [piece is pair for piece in slot_pieces(pair)]
    [True]
    """
    filled = pair.filled
    rows = len(filled.gold) + len(filled.system)
    if rows <= PIECE or not (filled.gold.rises and filled.system.rises):
        yield pair
        return
    bounds = np.linspace(0, pair.size, rows // PIECE + 2).astype(np.int64).tolist()
    for low, high in itertools.pairwise(bounds):
        if low < high:
            part = filled.between(low, high)
            yield replace(pair, documents=part.documents, slots=partial(_itself, part))


def _itself(part: FilledPair) -> FilledPair:
    return part


def _between(table: Mentions, low: int, high: int, doc: int) -> Mentions:
    """The rows from `low` to `high`, with documents counted from `doc` on."""
    part = table.take(np.arange(low, high))
    return replace(part, doc=part.doc - np.int32(doc))

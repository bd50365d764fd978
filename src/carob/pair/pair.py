"""Pair: gold and system, document by document, on one vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.arrays.columns import label_codes, stretches
from carob.arrays.join import join, packed
from carob.arrays.overlaps import Overlaps, overlaps
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import SHOWN, InputError, Problem, UsageError, plain, shown
from carob.corpus.tables import UNKNOWN, Documents, Mentions, int32
from carob.pair.template_types import linked, row_names, typed_as
from carob.pair.tokens import Borders, Tokens

if TYPE_CHECKING:
    from carob.pair.filled import FilledPair


@dataclass(frozen=True, eq=False)
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

    @property
    def size(self) -> int:
        """How many documents there are."""
        return len(self.documents)

    @cached_property
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
            raise UsageError("this pair was built from mentions only and has no slots")
        return self.slots()

    @property
    def covered(self) -> Mapping[str, int]:
        """The coverage; if anything counted tokens, with the mentions moved onto tokens; if
        anything counted fillers, with those left out or not found in the text.

        >>> pair = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept"))
        >>> pair.covered["unaligned"]
        0
        """
        seen: Pair = self.__dict__.get("in_tokens", self)
        slots: FilledPair | None = self.__dict__.get("filled")
        if slots is None or "gold_fillers" not in self.coverage:
            return seen.coverage
        found = {**seen.coverage, "ignored": seen.coverage["ignored"] + slots.ignored}
        # Otherwise no recipe needed the places of fillers, or none can be checked.
        if "grounded" in slots.__dict__ and not slots.unread:
            found["ungrounded"] = int(np.count_nonzero(slots.ungrounded))
        return found

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """The warnings; if anything counted fillers, also how their types were adjusted.

        >>> Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept")).all_warnings
        ()
        """
        slots: FilledPair | None = self.__dict__.get("filled")
        return self.warnings if slots is None else (*self.warnings, *slots.remarks)

    @cached_property
    def overlaps(self) -> Overlaps:
        """Which gold and system mentions share positions, computed once for all event spaces.

        >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]LOC Lee slept"))
        >>> pair.overlaps.shared, pair.overlaps is pair.overlaps
        (array([1]), True)
        """
        return overlaps(self.gold, self.system)

    @cached_property
    def remembered(self) -> dict[Hashable, Any]:
        """What event spaces have computed and share, such as the alignment.

        >>> Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept")).remembered
        {}
        """
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
        slots: Sequence[str] | None = None,
    ) -> Pair:
        """Pair documents by id, or by place if a side has no ids; then the words must agree.

        `labels` is the tagset; with `only`, mentions with other labels are left out and counted.
        `extra` says how to treat a system document that gold lacks: `error` or `ignore`.
        `tokenizer` turns characters into tokens if something counts tokens. `slots` are the rows of
        fillers; without them, `labels` (with `only`) are.
        """
        tokens = Tokens(tokenizer) if isinstance(tokenizer, str) else tokenizer
        from carob.pair.pair import paired

        return paired(cls, gold, system, labels, extra, only, tokens, slots)


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


def paired(
    cls: type[Pair], gold: Corpus, system: Corpus, labels: Sequence[str] | None, extra: str,
    only: bool, tokens: Tokens, slots: Sequence[str] | None,
) -> Pair:  # fmt: skip
    """Pair documents by id or place, check their words, and put mentions on one vocabulary."""
    units = {unit for unit in (gold.unit, system.unit) if unit is not None}
    if len(units) > 1:
        from carob.pair.tokens import in_characters

        gold, system = in_characters(gold, system)
        units = {"char"}
    warnings: list[str] = []
    # A system without any document has no ids, and answers nothing: not a mismatch of ids.
    if gold.documents.id is not None and (system.documents.id is not None or not len(system)):
        place = _by_id(gold, system, extra, warnings)
    else:
        place = _by_place(gold, system)
    agree(gold, system, place)
    tagset = tuple(sorted({*(labels if labels is not None else (*gold.labels, *system.labels))}))
    left, gold_off = _within(gold, tagset, only)
    right, system_off = _within(system, tagset, only, gold)
    moved, unknown = _moved(right, place)
    moved = Corpus(None, gold.documents, moved, tagset).ordered().mentions
    _inside(gold, system, moved, place)
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
        "ignored": gold_off + system_off + unknown,
    }
    if len(gold.templates) or len(system.templates):
        coverage["gold_fillers"], coverage["system_fillers"] = _fillers(gold), _fillers(system)
    if empty := sum(c.facts.get("empty_texts", 0) for c in (gold, system)):
        coverage["empty"] = empty
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


def _fillers(corpus: Corpus) -> int:
    """The number of fillers of a corpus; without templates, its mentions are fillers."""
    return len(corpus.templates.fillers) if len(corpus.templates) else len(corpus.mentions)


def _filled(
    gold: Corpus, system: Corpus, place: IntArray, labels: Sequence[str] | None, only: bool
) -> FilledPair:
    from carob.pair.filled import filled

    return filled(gold, system, place, labels, only)


def _moved(table: Mentions, place: IntArray) -> tuple[Mentions, int]:
    """Mentions in the documents of gold, and how many are in none of them. If every document is
    already in its place, the table is returned unchanged.
    """
    if np.array_equal(place, np.arange(len(place))):
        return table, 0
    doc = place[table.doc]
    there = np.flatnonzero(doc != UNKNOWN)
    return replace(table, doc=doc).take(there), len(doc) - len(there)


def _inside(gold: Corpus, system: Corpus, mentions: Mentions, place: IntArray) -> None:
    """Check the positions of a system file without words: gold may not have them all."""
    _within_length(gold, system, "mention", mentions.doc, mentions.end)
    if len(system.templates):
        doc, end = system.templates.ends()
        there = place[doc] != UNKNOWN
        _within_length(gold, system, "filler", place[doc[there]], end[there])


def _within_length(gold: Corpus, system: Corpus, what: str, doc: IntArray, end: IntArray) -> None:
    length = gold.documents.length
    beyond = [np.empty(0, np.int64)]
    for rows in stretches(len(doc)):
        own = length[doc[rows]]
        beyond.append(rows.start + np.flatnonzero((own >= 0) & (end[rows] > own)))
    found = np.concatenate(beyond)
    for row in found[:1].tolist():
        here = int(doc[row])
        name = shown(gold.documents.name(here))
        raise InputError(
            [
                Problem(
                    "K306", system.file_name("system"), None,
                    f"a {what} that ends at {end[row]} in document {name}",
                    f"an end within the {length[here]} positions that {gold.file_name('gold')} has",
                )
            ],
            len(found),
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
    outside = [label for label in corpus.labels if label not in set(tagset)]
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
        lost &= ~linked(corpus)
    elif gold is not None and len(gold.templates):
        rows = row_names(typed_as(gold, corpus), None)
        lost &= ~np.array([*(row in place for row in rows), False])[corpus.mentions.label]
    return mentions.take(inside), int(np.count_nonzero(lost))


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
            "K301", system.file_name("system", row), int(system.documents.line[row]),
            f"the document {shown(system.documents.name(row))}",
            f"only documents that {gold.file_name('gold')} has",
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
                "K302", longer.file_name(name, common), int(longer.documents.line[common]),
                f"document {common + 1}",
                f"the end, as in {shorter.file_name(other)}, which has {common} documents",
            )
        ])  # fmt: skip
    place = np.arange(theirs, dtype=np.int32)
    place[common:] = UNKNOWN  # only if earlier documents differ, which is then reported
    return place


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
        "K304", system.file_name("system"), _line(system, b, where),
        f"sentence {at + 1} of document {shown(gold.documents.name(a))} {place(others)}",
        f"{place(ends)}, as in {gold.file_name('gold')}:{_line(gold, a, where)}",
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
            "K303", system.file_name("system"), _line(system, b, 0), f"{sizes[1]} {what}s",
            f"{sizes[0]}, as in {gold.file_name('gold')}:{_line(gold, a, 0)}",
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
        "K303", system.file_name("system"), _line(system, b, at), word(right),
        f"{word(left)}, as in {gold.file_name('gold')}:{_line(gold, a, at)}",
        f"{what} {at + 1} of document {shown(gold.documents.name(a))}",
    )  # fmt: skip

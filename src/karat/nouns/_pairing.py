"""Gold and system put together: which document is which, whether their words agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from karat.nouns._columns import label_codes, stretches
from karat.nouns._tokens import Tokens
from karat.nouns._types import BoolArray, IntArray
from karat.nouns.corpus import Corpus
from karat.nouns.errors import SHOWN, InputError, Problem, plain, shown
from karat.nouns.tables import UNKNOWN, Documents, Mentions, int32

if TYPE_CHECKING:
    from karat.nouns.pair import Pair


def paired(
    cls: type[Pair], gold: Corpus, system: Corpus, labels: Sequence[str] | None, extra: str,
    only: bool, tokens: Tokens,
) -> Pair:  # fmt: skip
    """Documents by id or place, checked to have the same words, and mentions on one vocabulary."""
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
    moved, unknown = _moved(right, place)
    moved = Corpus(None, gold.documents, moved, tagset).ordered().mentions
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
        "ignored": gold_off + system_off + unknown,
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


def _moved(table: Mentions, place: IntArray) -> tuple[Mentions, int]:
    """Mentions in the documents of gold, and how many are in none; the table itself where every
    document is in its place.
    """
    if np.array_equal(place, np.arange(len(place))):
        return table, 0
    doc = place[table.doc]
    there = np.flatnonzero(doc != UNKNOWN)
    return replace(table, doc=doc).take(there), len(doc) - len(there)


def _inside(gold: Corpus, system: Corpus, mentions: Mentions) -> None:
    """A system file without words may name positions that gold does not have."""
    length = gold.documents.length
    beyond = [np.empty(0, np.int64)]
    for rows in stretches(len(mentions)):
        own = length[mentions.doc[rows]]
        beyond.append(rows.start + np.flatnonzero((own >= 0) & (mentions.end[rows] > own)))
    found = np.concatenate(beyond)
    for row in found[:1].tolist():
        doc = int(mentions.doc[row])
        name = shown(gold.documents.name(doc))
        raise InputError(
            [
                Problem(
                    "K306", _file(system, "system"), None,
                    f"a mention that ends at {mentions.end[row]} in document {name}",
                    f"an end within the {length[doc]} positions that {_file(gold, 'gold')} has",
                )
            ],
            len(found),
        )  # fmt: skip


def _within(corpus: Corpus, tagset: tuple[str, ...], only: bool) -> tuple[Mentions, int]:
    """Mentions on the vocabulary of the pair, and how many have a label outside of it."""
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

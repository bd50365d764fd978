"""Pair gold and system: which documents belong together, and whether their words agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from carob.arrays.columns import label_codes, stretches
from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import SHOWN, InputError, Problem, plain, shown
from carob.corpus.tables import UNKNOWN, Mentions, int32
from carob.pair.template_types import linked, row_names, typed_as
from carob.pair.token_agreement import agree, file_of, same_words
from carob.pair.tokens import Tokens

if TYPE_CHECKING:
    from carob.pair.filled import FilledPair
    from carob.pair.pair import Pair


def paired(
    cls: type[Pair], gold: Corpus, system: Corpus, labels: Sequence[str] | None, extra: str,
    only: bool, tokens: Tokens, slots: Sequence[str] | None,
) -> Pair:  # fmt: skip
    """Pair documents by id or place, check their words, and put mentions on one vocabulary."""
    units = {unit for unit in (gold.unit, system.unit) if unit is not None}
    if len(units) > 1:
        from carob.pair._token_search import in_characters

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
                    "K306", file_of(system, "system"), None,
                    f"a {what} that ends at {end[row]} in document {name}",
                    f"an end within the {length[here]} positions that {file_of(gold, 'gold')} has",
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
            "K301", file_of(system, "system", row), int(system.documents.line[row]),
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
                "K302", file_of(longer, name, common), int(longer.documents.line[common]),
                f"document {common + 1}",
                f"the end, as in {file_of(shorter, other)}, which has {common} documents",
            )
        ])  # fmt: skip
    place = np.arange(theirs, dtype=np.int32)
    place[common:] = UNKNOWN  # only if earlier documents differ, which is then reported
    return place

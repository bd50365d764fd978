"""Examples in context: the words around an event, with what gold and the system marked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Words
from carob.corpus.document import Mention, Span
from carob.corpus.tables import Mentions
from carob.counts.events import Events
from carob.pair.pair import Pair

AROUND = {"token": 6, "char": 40}
"""How many positions are shown on each side."""

LONGEST = {"token": 24, "char": 160}
"""How many positions of a long stretch are shown."""


@dataclass(frozen=True)
class Example:
    """One event: what gold and the system have, and the words around it (None if unknown)."""

    outcome: str
    document: str
    gold: Mention | None
    system: Mention | None
    gold_marked: str | None
    system_marked: str | None


def chosen(
    events: Events, pair: Pair, outcome: str, count: int, label: int | None = None
) -> IntArray:
    """Rows of one outcome, spread evenly over all there are, so that they are of many documents."""
    here = events.outcome == events.outcomes.index(outcome)
    if label is not None:
        ours = np.append(pair.gold.label, -1)[events.gold] == label
        theirs = np.append(pair.system.label, -1)[events.system] == label
        here &= ours | theirs
    rows = np.flatnonzero(here)
    rows = rows[np.lexsort((events.gold[rows], events.doc[rows]))]
    if len(rows) <= count:
        return rows
    return rows[np.linspace(0, len(rows) - 1, count).round().astype(np.int64)]


def example(pair: Pair, events: Events, row: int, words: Words) -> Example:
    """One row of the ledger, ready to be looked at."""
    gold, system = int(events.gold[row]), int(events.system[row])
    ours, theirs = _mention(pair, pair.gold, gold), _mention(pair, pair.system, system)
    text, tokens = words
    source = text if pair.unit == "char" else tokens
    around = [
        None if source is None else marked(source, mention, (ours, theirs), pair.unit)
        for mention in (ours, theirs)
    ]
    return Example(
        events.outcomes[int(events.outcome[row])],
        pair.documents.name(int(events.doc[row])),
        ours, theirs, around[0], around[1],
    )  # fmt: skip


def _mention(pair: Pair, table: Mentions, row: int) -> Mention | None:
    if row < 0:
        return None
    return Mention.of(pair.labels[table.label[row]], table.fragments_of(row))


def marked(
    source: str | tuple[str, ...],
    mention: Mention | None,
    both: tuple[Mention | None, Mention | None],
    unit: str,
) -> str:
    """The stretch around both mentions, with one of them in brackets."""
    there = [each for each in both if each is not None]
    start = max(0, min(each.start for each in there) - AROUND[unit])
    end = min(len(source), max(each.end for each in there) + AROUND[unit])
    marks = mention.fragments if mention else ()
    glue = "" if unit == "char" else " "
    pieces = []
    if start > 0:
        pieces.append("…")
    at = start
    for low, high in marks:
        pieces += [_cut(source, (at, low), unit), f"[{_cut(source, (low, high), unit)}]"]
        at = high
    if mention:
        pieces[-1] += mention.label
    pieces.append(_cut(source, (at, end), unit))
    if end < len(source):
        pieces.append("…")
    return glue.join(piece for piece in pieces if piece)


def _cut(source: str | tuple[str, ...], span: Span, unit: str) -> str:
    """The words of a span, its middle left out when it is long."""
    start, end = span
    glue, most = ("" if unit == "char" else " "), LONGEST[unit]
    if end - start <= most:
        return glue.join(source[start:end])
    half = most // 2
    ends = (glue.join(source[start : start + half]), glue.join(source[end - half : end]))
    return f"{glue}…{glue}".join(ends)

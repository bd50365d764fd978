"""The ledger: every event of a space in long form, so that each count can be looked into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from carob.corpus.corpus import Words
from carob.corpus.document import Span
from carob.corpus.tables import Mentions
from carob.counts.events import Events
from carob.pair.filled import Filled, words_at
from carob.pair.links import Links
from carob.pair.pair import Pair
from carob.pair.records import Side
from carob.result.result import whole

COLUMNS = (
    "space", "document", "label", "outcome", "weight",
    "gold_span", "gold_label", "gold_text", "system_span", "system_label", "system_text",
)  # fmt: skip

Wording = Callable[[int], Words]
_NOTHING: Words = (None, None)


def span_text(fragments: tuple[Span, ...]) -> str:
    """Fragments as one word: 4-8, or 4-8;13-16 if there are several."""
    return ";".join(f"{start}-{end}" for start, end in fragments)


def ledger(
    space: str, pair: Pair, events: Events, words: Wording | None
) -> Iterator[dict[str, Any]]:
    """A row for each event, in document order; `words` gives the text of a document.

    >>> from carob import Corpus, Recipe
    >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]PER Lee slept"))
    >>> rows = list(ledger("exact", pair, Recipe.parse("exact.F1").space(pair), None))
    >>> [(row["outcome"], row["gold_span"], row["system_span"]) for row in rows]
    [('fp', None, '0-1'), ('fn', '0-2', None)]
    """
    labels = pair.labels if events.labels is None else events.labels
    show = {"filler": _filler, "relation": _relation, "record": _record}.get(events.items, _mention)
    order = np.lexsort((events.system, events.gold, events.outcome, events.label, events.doc))
    columns = (events.doc, events.label, events.outcome, events.weight, events.gold, events.system)
    last, known = -1, _NOTHING
    for doc, label, outcome, weight, gold, system in zip(
        *(column[order].tolist() for column in columns), strict=True
    ):
        if doc != last:
            last, known = doc, words(doc) if words else _NOTHING
        row = {
            "space": space,
            "document": pair.documents.name(doc),
            "label": labels[label],
            "outcome": events.outcomes[outcome],
            "weight": whole(weight),
        }
        for side, item in (("gold", gold), ("system", system)):
            cells = (None, None, None) if item < 0 else show(pair, side, item, known)
            row |= zip((f"{side}_span", f"{side}_label", f"{side}_text"), cells, strict=True)
        yield row


_Cells = tuple[str | None, str, str | None]
"""Place, label and text."""


def _mention(pair: Pair, side: str, row: int, words: Words) -> _Cells:
    table: Mentions = getattr(pair, side)
    fragments = table.fragments_of(row)
    label = pair.labels[table.label[row]]
    if (string := table.unplaced_string(row)) is not None:
        return None, label, string
    return span_text(fragments), label, words_at(words, fragments, pair.unit)


def _filler(pair: Pair, side: str, row: int, words: Words) -> _Cells:
    """A filler has its own text, and the place that it has or was found at."""
    filled = pair.filled
    table: Filled = getattr(filled, side)
    first = int(table.realisations[row])
    fragments, text = getattr(filled.grounded, side).of(first), table.raw[first]
    if text is None:
        text = words_at(words, fragments, filled.unit)
    return span_text(fragments) or None, filled.labels[table.label[row]], text


def _record(pair: Pair, side: str, row: int, words: Words) -> _Cells:
    """A record, or an object in one, has the text of its JSON."""
    records = pair.records
    table: Side = getattr(records, side)
    node = int(table.node[row])
    return None, (records.rows[node] if node >= 0 else "") or "record", table.json_of(row)


def relation_text(pair: Pair, side: str, row: int, words: Words) -> str | None:
    """A relation as a text: its label and arguments; None if there is none (-1).

    >>> from carob.corpus.corpus import Corpus
    >>> mentions = [{"id": "a", "start": 0, "end": 1, "label": "PER"}]
    >>> relations = [{"label": "SLEPT", "arguments": {"who": "a"}}]
    >>> corpus = Corpus.of({"tokens": ["Ann"], "mentions": mentions, "relations": relations})
    >>> relation_text(Pair.of(corpus, corpus), "gold", 0, corpus.words(0))
    'SLEPT(who=Ann/PER)'
    """
    if row < 0:
        return None
    places, label, texts = _relation(pair, side, row, words, labelled=True)
    return f"{label}({places if texts is None else texts})"


def _relation(pair: Pair, side: str, row: int, words: Words, *, labelled: bool = False) -> _Cells:
    """A relation has the places and texts of its arguments, in the order of their roles; with
    `labelled`, each with the label of its mention.
    """
    links = pair.links
    table: Links = getattr(links, side)
    mentions: Mentions = getattr(links.mentions, side)
    spans, texts = [], []
    arguments = range(int(table.offsets[row]), int(table.offsets[row + 1]))
    for k in sorted(arguments, key=lambda k: (links.roles[table.role[k]], int(table.mention[k]))):
        role, mention = links.roles[table.role[k]], int(table.mention[k])
        fragments = mentions.fragments_of(mention) if mention >= 0 else ()
        label = f"/{links.mentions.labels[mentions.label[mention]]}" if mention >= 0 else ""
        tail = label if labelled and len(label) > 1 else ""
        spans.append(f"{role}={span_text(fragments)}{tail}")
        texts.append(f"{role}={words_at(words, fragments, pair.unit) or ''}{tail}")
    known = words != _NOTHING
    return " ".join(spans), links.labels[table.label[row]], ", ".join(texts) if known else None

"""The ledger: every event of every space in long form, so that each count can be opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from carob.corpus.corpus import Words
from carob.corpus.document import Span
from carob.corpus.tables import Mentions
from carob.counts.events import Events
from carob.pair.pair import Pair
from carob.result.scores import whole

COLUMNS = (
    "space", "document", "label", "outcome", "weight",
    "gold_span", "gold_label", "gold_text", "system_span", "system_label", "system_text",
)  # fmt: skip

Wording = Callable[[int], Words]
_NOTHING: Words = (None, None)


def span_text(fragments: tuple[Span, ...]) -> str:
    """Fragments as a word: 4-8, discontinuous 4-8;13-16.

    >>> span_text(((4, 8), (13, 16)))
    '4-8;13-16'
    """
    return ";".join(f"{start}-{end}" for start, end in fragments)


def covered(words: Words, fragments: tuple[Span, ...], unit: str) -> str | None:
    """The text of a mention, its fragments joined by a space; None where there is no text.

    >>> covered((None, ("New", "York", "is")), ((0, 2),), "token")
    'New York'
    """
    text, tokens = words
    source = text if unit == "char" else tokens
    if source is None:
        return None
    glue = "" if unit == "char" else " "
    return " ".join(glue.join(source[start:end]) for start, end in fragments)


def ledger(
    space: str, pair: Pair, events: Events, words: Wording | None
) -> Iterator[dict[str, Any]]:
    """A row for each event, in document order; `words` gives the text of a document.

    >>> from carob import Corpus, parse
    >>> pair = Pair.of(Corpus.of("[Ann Lee]PER slept"), Corpus.of("[Ann]PER Lee slept"))
    >>> rows = list(ledger("exact", pair, parse("exact.F1").space(pair), None))
    >>> [(row["outcome"], row["gold_span"], row["system_span"]) for row in rows]
    [('fp', None, '0-1'), ('fn', '0-2', None)]
    """
    labels = pair.labels if events.labels is None else events.labels
    order = np.lexsort((events.system, events.gold, events.outcome, events.label, events.doc))
    last, known = -1, _NOTHING
    fillers = _Fillers(pair) if events.items == "filler" else None
    columns = (events.doc, events.label, events.outcome, events.weight, events.gold, events.system)
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
        if fillers is None:
            row |= _side("gold", pair.gold, gold, pair, known)
            row |= _side("system", pair.system, system, pair, known)
        else:
            row |= fillers("gold", gold, known)
            row |= fillers("system", system, known)
        yield row


class _Fillers:
    """What a row says of fillers: their own text, and the place they have or were found at."""

    def __init__(self, pair: Pair) -> None:
        self.filled = pair.filled
        places = self.filled.grounded
        self.sides = {
            "gold": (self.filled.gold, places.gold),
            "system": (self.filled.system, places.system),
        }

    def __call__(self, side: str, row: int, words: Words) -> dict[str, Any]:
        if row < 0:
            return {f"{side}_span": None, f"{side}_label": None, f"{side}_text": None}
        table, places = self.sides[side]
        first = int(table.realisations[row])
        fragments, text = places.of(first), table.raw[first]
        if text is None:
            text = covered(words, fragments, self.filled.unit)
        return {
            f"{side}_span": span_text(fragments) or None,
            f"{side}_label": self.filled.labels[table.label[row]],
            f"{side}_text": text,
        }


def _side(side: str, table: Mentions, row: int, pair: Pair, words: Words) -> dict[str, Any]:
    if row < 0:
        return {f"{side}_span": None, f"{side}_label": None, f"{side}_text": None}
    fragments = table.fragments_of(row)
    return {
        f"{side}_span": span_text(fragments),
        f"{side}_label": pair.labels[table.label[row]],
        f"{side}_text": covered(words, fragments, pair.unit),
    }

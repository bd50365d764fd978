"""Relations between strings: triples that name their arguments and not where they are.

A file of such relations holds them as templates: the type is the label of the relation, a slot is a
role. To be compared with relations between mentions, each argument gets a place in the text: of
the occurrences of its string the first that is a mention of gold, otherwise the first of all
(`locate=gold`). A string that does not occur has a place of its own after the text, where nothing
of the other side is, so that a relation with it fits nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from carob.corpus.corpus import Corpus, Words
from carob.corpus.document import Span
from carob.corpus.problems import shown
from carob.corpus.tables import UNKNOWN, Codes, Groups, Mentions, between, int32
from carob.pair.occurrences import LEVELS, InTokens, Occurrences
from carob.values.raw import fold

NO_TYPE = ""
"""The label of a mention that is known as an argument only."""

TEXT = "text"
"""The attribute in which such a mention has its string."""

NOWHERE = 1 << 28
"""From here on are the places of strings that do not occur: after every text."""


class Located(NamedTuple):
    """A corpus whose relations have places, and how many arguments are not in the text. `wordless`
    names an argument for which there is no text to find it in.
    """

    corpus: Corpus
    ungrounded: int
    wordless: str = ""


def has_strings(corpus: Corpus) -> bool:
    """Whether a corpus can state relations by strings only: it has templates and no relations.

    >>> has_strings(Corpus.of({"templates": [{"label": "BORN", "slots": {"from": ["Ann"]}}]}))
    True
    """
    return not len(corpus.relations) and len(corpus.templates) > 0


def located(
    corpus: Corpus, gold: Corpus, place: list[int], unit: str, words: Callable[[int], Words]
) -> Located:
    """The relations between strings of a corpus, which may be gold, as relations between mentions.
    `place` is the gold document of each document (-1: none), and `words` gives the words of a
    document of gold.
    """
    table, fillers = corpus.templates, corpus.templates.fillers
    own = np.searchsorted(fillers.template, np.arange(len(table) + 1)).tolist()
    mentions: list[tuple[int, int, int]] = []
    groups: list[int] = []
    sizes: list[int] = []
    target: list[int] = []
    roles: list[str | None] = []
    strings: list[str | None] = []
    numbers: dict[str, int] = {}
    text = _Text(gold, unit, words)
    ungrounded = 0
    for row in np.flatnonzero(table.parent == UNKNOWN).tolist():
        doc = int(table.doc[row])
        groups.append(row)
        sizes.append(own[row + 1] - own[row])
        for k in range(own[row], own[row + 1]):
            roles.append(fillers.slot[k])
            first = int(fillers.realisations[k])
            spans, string = fillers.fragments.of(first), fillers.text[first]
            found = spans[0] if spans else None
            if found is None and string is not None and place[doc] != UNKNOWN:
                found = text.find(place[doc], string)
            if found is None:
                ungrounded += place[doc] != UNKNOWN
                number = numbers.setdefault(fold(string or ""), len(numbers))
                start = NOWHERE + 2 * number + (corpus is gold)
                found = start, start + 1
            target.append(len(mentions))
            mentions.append((doc, *found))
            strings.append(string)
    columns = np.array(mentions, np.int32).reshape(-1, 3)
    relations = Groups(
        table.doc[groups], table.label.take(np.array(groups, np.int64)),
        np.append(0, np.cumsum(np.array(sizes, np.int64))), Codes.of(roles), int32(target),
        tuple(table.id[row] for row in groups),
    )  # fmt: skip
    # Mentions come in the order of documents, as the templates do.
    label = np.zeros(len(columns), np.int8)
    made = Mentions(
        columns[:, 0], columns[:, 1], columns[:, 2], label, attributes={TEXT: Codes.of(strings)}
    )
    linked = replace(corpus, mentions=made, labels=(NO_TYPE,), relations=relations).ordered()
    return Located(linked, ungrounded, text.wordless)


class _Text:
    """Finds strings in the documents of gold; the last document is kept."""

    def __init__(self, gold: Corpus, unit: str, words: Callable[[int], Words]) -> None:
        self._gold, self._unit, self._words = gold, unit, words
        self._doc = UNKNOWN
        self._marked: set[Span] = set()
        self._where = Occurrences("")
        self.wordless = ""

    def find(self, doc: int, string: str) -> Span | None:
        """The place of a string: of its occurrences, verbatim before folded, the first mention."""
        if doc != self._doc:
            self._open(doc, string)
        levels = [self._where.of(string, level) for level in LEVELS]
        for spans in levels:
            for span in spans:
                if span in self._marked:
                    return span
        return next((spans[0] for spans in levels if spans), None)

    def _open(self, doc: int, string: str) -> None:
        text, tokens = self._words(doc)
        if (tokens if self._unit == "token" else text) is None:
            self.wordless = self.wordless or (
                f"document {shown(self._gold.documents.name(doc))} has no text to find "
                f"{shown(string)} in, an argument of a relation that has no place"
            )
        self._doc = doc
        self._where = InTokens(tokens or ()) if self._unit == "token" else Occurrences(text or "")
        low, high = between(self._gold.mentions.doc, doc)
        table = self._gold.mentions
        self._marked = {(int(table.start[row]), int(table.end[row])) for row in range(low, high)}

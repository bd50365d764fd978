"""Texts and Examples: what a learner is given, as columns. Texts hold nothing that is marked.

A corpus is cut into tokens once; all learners share the result. `Texts` is what a model answers
from: it has no place for a mention, so gold cannot leak through it. `Examples` are texts and the
mentions that a learner learns from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from carob.arrays.columns import label_codes
from carob.arrays.ranges import rows_of
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus, Memory
from carob.corpus.problems import DataError, UsageError, nearest, shown
from carob.corpus.tables import UNKNOWN, Codes, Mentions, int32, joined_codes, spread
from carob.pair.tokens import Borders, Tokens

LAYERS = "layers"
"""The key of a document in which a corpus file keeps layers: a list of values a layer, one value
for each token.
"""


@dataclass(slots=True, eq=False)
class Spans:
    """Places in tokens, each with a slot: `first` and `last` (exclusive) count from the beginning
    of their document; `slot` is a number in some list of slots.
    """

    doc: IntArray
    first: IntArray
    last: IntArray
    slot: IntArray

    def __len__(self) -> int:
        return len(self.doc)

    def take(self, rows: IntArray) -> Spans:
        """The rows `rows`, in that order."""
        return Spans(self.doc[rows], self.first[rows], self.last[rows], self.slot[rows])


@dataclass(eq=False)
class Texts:
    """Documents without anything that is marked in them, cut into tokens.

    The tokens of document i lie between `offsets[i]` and `offsets[i + 1]`: where each begins and
    ends in its document, its word, whether it opens a line (or a sentence, where there is no text),
    and its value in each layer.

    >>> texts = Texts.of(Corpus.of({"text": "Who: Ann\\n\\nWhen: 2 pm"}))
    >>> [texts.words[row] for row in range(7)]
    ['Who', ':', 'Ann', 'When', ':', '2', 'pm']
    >>> texts.opens_line.tolist()
    [True, False, False, True, False, False, False]
    """

    corpus: Corpus
    offsets: IntArray
    start: IntArray
    end: IntArray
    words: Codes
    opens_line: BoolArray
    layers: Mapping[str, Codes] = field(default_factory=dict)
    tokenizer: str = "auto"

    def __len__(self) -> int:
        return len(self.corpus)

    @property
    def doc(self) -> IntArray:
        """The document of each token."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @classmethod
    def of(cls, corpus: Corpus, tokenizer: str = "auto") -> Texts:
        """The documents of a corpus, without what is marked in them. `tokenizer` is `given`,
        `words`, `whitespace` or `auto`: given tokens if there are any, otherwise words.
        """
        return _texts(corpus, tokenizer)[0]

    def only(self, rows: IntArray) -> Texts:
        """The documents `rows`, in ascending order.

        >>> Texts.of(Corpus.of("a b", "c d")).only(np.array([1])).offsets.tolist()
        [0, 2]
        """
        if len(rows) == len(self):
            return self
        places, offsets = spread(self.offsets, rows)
        return replace(
            self,
            corpus=self.corpus.only(rows),
            offsets=offsets,
            start=self.start[places],
            end=self.end[places],
            words=self.words.take(places),
            opens_line=self.opens_line[places],
            layers={name: layer.take(places) for name, layer in self.layers.items()},
        )

    @classmethod
    def joined(cls, parts: Sequence[Texts]) -> Texts:
        """Texts end to end, at least one; they were cut by the same tokenizer.

        >>> Texts.joined([Texts.of(Corpus.of("a b")), Texts.of(Corpus.of("c"))]).offsets.tolist()
        [0, 2, 3]
        """
        names = sorted({name for part in parts for name in part.layers})
        sizes = [part.start.size for part in parts]
        layers = {
            name: joined_codes([
                part.layers.get(name, Codes(np.full(size, UNKNOWN, np.int32), ()))
                for part, size in zip(parts, sizes, strict=True)
            ])
            for name in names
        }  # fmt: skip
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        return replace(
            parts[0],
            corpus=Corpus.joined([part.corpus for part in parts]),
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            start=np.concatenate([part.start for part in parts]),
            end=np.concatenate([part.end for part in parts]),
            words=joined_codes([part.words for part in parts]),
            opens_line=np.concatenate([part.opens_line for part in parts]),
            layers=layers,
        )

    def answers(
        self, slots: Sequence[str], spans: Spans, confidence: FloatArray, **facts: int
    ) -> Corpus:
        """These documents with answers in them: a mention for each span, in the unit of the corpus.
        `facts` are counts of what happened on the way.

        >>> texts = Texts.of(Corpus.of({"id": "1", "text": "Who: Ann Lee"}))
        >>> spans = Spans(*(np.array([n]) for n in (0, 2, 4, 0)))
        >>> texts.answers(["speaker"], spans, np.array([0.9]))[0].mentions
        (Mention('speaker', 5, 12, confidence=0.9),)
        """
        base = self.offsets[spans.doc]
        labels = tuple(sorted(slots))
        code = np.array([labels.index(slot) for slot in slots] + [UNKNOWN], np.int64)
        mentions = Mentions(
            int32(spans.doc),
            int32(self.start[base + spans.first]),
            int32(self.end[base + spans.last - 1]),
            label_codes(code[spans.slot], len(labels)),
            confidence=np.asarray(confidence, np.float64),
        )
        order = np.argsort(mentions.doc, kind="stable")
        return replace(
            self.corpus, mentions=mentions.take(order), labels=labels, facts=facts
        ).ordered()


@dataclass(eq=False)
class Examples:
    """Documents to learn from: texts, and what is marked in them.

    `gold` are the same documents with their mentions, in the unit of the corpus; `tokens` are those
    mentions in tokens, row for row; `moved` says which of them do not begin and end where tokens
    do. `unlabelled` are more texts, for learners that can use them.

    >>> examples = Examples.of(Corpus.of("[Ann Lee]PER met [Bo]PER in [Rome]LOC ."))
    >>> examples.spans(["PER"]).first.tolist(), examples.slots
    ([0, 3], ('LOC', 'PER'))
    """

    texts: Texts
    gold: Corpus
    tokens: Mentions
    moved: BoolArray
    unlabelled: Texts | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def of(cls, corpus: Corpus, tokenizer: str = "auto") -> Examples:
        """The documents of a corpus with its mentions; `tokenizer` as for `Texts`."""
        texts, borders = _texts(corpus, tokenizer)
        gold = replace(
            texts.corpus, mentions=replace(corpus.mentions, attributes={}, id=None),
            labels=corpus.labels,
        )  # fmt: skip
        tokens, moved = corpus.mentions, np.zeros(len(corpus.mentions), bool)
        if borders is not None:
            tokens, moved = borders.snapped(corpus.mentions)
        return cls(texts, gold, tokens, moved)

    @classmethod
    def joined(cls, parts: Sequence[Examples]) -> Examples:
        """Examples end to end, at least one.

        >>> Examples.joined([Examples.of(Corpus.of("[a]x")), Examples.of(Corpus.of("[b]y"))]).slots
        ('x', 'y')
        """
        gold = Corpus.joined([part.gold for part in parts])
        docs = np.cumsum([0] + [len(part) for part in parts]).tolist()
        place = {label: code for code, label in enumerate(gold.labels)}
        tables = []
        for part in parts:
            # Row for row: to order them again could part a mention from its row in gold.
            codes = label_codes([place[each] for each in part.gold.labels] + [UNKNOWN], len(place))
            tables.append(replace(part.tokens, label=codes[part.tokens.label]))
        return replace(
            parts[0],
            texts=Texts.joined([part.texts for part in parts]),
            gold=gold,
            tokens=Mentions.joined(tables, docs),
            moved=np.concatenate([part.moved for part in parts]),
        )

    @property
    def slots(self) -> tuple[str, ...]:
        """The labels that mentions have, in alphabetical order."""
        used = np.unique(self.gold.mentions.label).tolist()
        return tuple(self.gold.labels[code] for code in used)

    def only(self, rows: IntArray) -> Examples:
        """The documents `rows`, in ascending order, with what is marked in them."""
        if len(rows) == len(self):
            return self
        place = np.full(len(self), UNKNOWN, np.int32)
        place[rows] = np.arange(len(rows))
        kept = np.flatnonzero(place[self.tokens.doc] != UNKNOWN)
        tokens = self.tokens.take(kept)
        return replace(
            self,
            texts=self.texts.only(rows),
            gold=self.gold.only(rows),
            tokens=replace(tokens, doc=place[tokens.doc]),
            moved=self.moved[kept],
        )

    def spans(self, slots: Sequence[str]) -> Spans:
        """The extents of the mentions that fill these slots, in document order."""
        for name in slots:
            if name not in self.gold.labels:
                raise UsageError(f"no slot is called {name!r}{nearest(name, self.gold.labels)}")
        place = {name: number for number, name in enumerate(slots)}
        table = np.array([place.get(label, UNKNOWN) for label in self.gold.labels] + [UNKNOWN])
        slot = table[self.tokens.label]
        rows = np.flatnonzero(slot != UNKNOWN)
        mentions = self.tokens
        columns = (mentions.doc, mentions.start, mentions.end, slot)
        return Spans(*(column[rows].astype(np.int64) for column in columns))


def _texts(corpus: Corpus, tokenizer: str) -> tuple[Texts, Borders | None]:
    """The texts of a corpus; and where its tokens are, if it counts characters."""
    every = [corpus.words(row) for row in range(len(corpus))]
    for row, words in enumerate(every):
        if words[0 if corpus.unit == "char" else 1] is None:
            what = "text" if corpus.unit == "char" else "tokens"
            raise DataError(f"document {shown(corpus.documents.name(row))} has no {what}")
    spans = {
        row: {"token_spans": own["token_spans"]}
        for row, own in corpus.extra.items() if "token_spans" in own
    }  # fmt: skip
    documents = replace(corpus.documents, attributes={})
    if documents.id is None:
        documents = replace(documents, id=tuple(str(row + 1) for row in range(len(corpus))))
    bare = Corpus(
        corpus.unit, documents, _no_mentions(), (), extra=spans, library=Memory(tuple(every))
    )
    borders = None
    if corpus.unit == "char":
        borders = Tokens(tokenizer).borders(bare, bare, np.arange(len(bare)))
        offsets, start, end = borders.offsets, borders.start, borders.end
        tokens = [
            (text or "")[a:b]
            for (text, _), low, high in zip(every, offsets, offsets[1:], strict=False)
            for a, b in zip(start[low:high].tolist(), end[low:high].tolist(), strict=True)
        ]
    else:
        tokens = [word for _, own in every for word in own or ()]
        offsets = np.cumsum([0] + [len(own or ()) for _, own in every])
        start = rows_of(0, np.diff(offsets))
        end = start + 1
    opens = _line_openings(corpus, [text for text, _ in every], offsets, start)
    layers = _layers(corpus, offsets)
    return Texts(bare, offsets, start, end, Codes.of(tokens), opens, layers, tokenizer), borders


def _no_mentions() -> Mentions:
    none = np.empty(0, np.int32)
    return Mentions(none, none, none, np.empty(0, np.int8))


def _line_openings(
    corpus: Corpus, texts: Sequence[str | None], offsets: IntArray, start: IntArray
) -> BoolArray:
    """Which tokens are the first of a line, or of a sentence where there is no text."""
    opens = np.zeros(len(start), bool)
    for row, text in enumerate(texts):
        here = start[offsets[row] : offsets[row + 1]]
        if corpus.unit == "char" and text is not None:
            places = [at + 1 for at, sign in enumerate(text) if sign == "\n"]
        else:
            places = list(corpus.documents.sentences(row))
        first = np.searchsorted(here, np.array([0, *places]))
        opens[offsets[row] + first[first < len(here)]] = True
    return opens


def _layers(corpus: Corpus, offsets: IntArray) -> dict[str, Codes]:
    """The layers of all documents: a document without a layer has no value in it."""
    values: dict[str, list[str | None]] = {}
    for row, own in sorted(corpus.extra.items()):
        layers = own.get(LAYERS)
        if layers is None:
            continue
        size = int(offsets[row + 1] - offsets[row])
        where = shown(corpus.documents.name(row))
        if not isinstance(layers, Mapping):
            raise DataError(f"document {where}: found layers that are not an object of lists")
        for name, column in layers.items():
            if not isinstance(column, list) or len(column) != size:
                found = len(column) if isinstance(column, list) else "no list of"
                raise DataError(
                    f"document {where}: the layer {shown(str(name))} has {found} values, expected "
                    f"one for each of its {size} tokens"
                )
            whole = values.setdefault(name, [None] * int(offsets[-1]))
            whole[offsets[row] : offsets[row + 1]] = [
                None if value is None else str(value) for value in column
            ]
    return {name: Codes.of(column) for name, column in sorted(values.items())}

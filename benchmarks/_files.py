"""Writes invented text and mentions, block by block, as conll or jsonl."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from _columns import Mentions, Text, positions

LABELS = (
    *("PER", "ORG", "LOC", "MISC", "DATE", "CARDINAL", "GPE", "NORP", "MONEY"),
    *("PERCENT", "TIME", "ORDINAL", "QUANTITY", "EVENT", "FAC", "PRODUCT", "LAW", "LANGUAGE"),
)


def label_names(count: int) -> tuple[str, ...]:
    """The first of `LABELS`, and numbered ones beyond."""
    return (*LABELS[:count], *(f"KIND{number}" for number in range(len(LABELS) + 1, count + 1)))


class Writer(Protocol):
    """Writes one block of whole documents after the other to an open file."""

    def __init__(self, vocabulary: Sequence[bytes], labels: Sequence[str]) -> None: ...

    def __call__(self, file: BinaryIO, text: Text, mentions: Mentions) -> None: ...


class Conll:
    """`TOKEN TAG` in IOB2: each line is two ready-made pieces, the word and what follows it."""

    def __init__(self, vocabulary: Sequence[bytes], labels: Sequence[str]) -> None:
        self.words = np.array([word + b" " for word in vocabulary], dtype=object)
        # 0 is O, 1 + 2 label is B-, 2 + 2 label is I-; then the same at the end of a sentence.
        tags = ["O"] + [f"{prefix}-{label}" for label in labels for prefix in "BI"]
        self.tags = len(tags)
        breaks = ("\n", "\n\n")
        self.endings = np.array([(t + b).encode() for b in breaks for t in tags], dtype=object)

    def __call__(self, file: BinaryIO, text: Text, mentions: Mentions) -> None:
        codes = self.codes(text, mentions)
        pieces = np.empty((len(codes), 2), dtype=object)
        pieces[:, 0] = self.words[text.words]
        pieces[:, 1] = self.endings[codes]
        first = np.append(0, text.document_ends[:-1])
        pieces[first, 0] = b"-DOCSTART- O\n\n" + pieces[first, 0]
        file.write(b"".join(pieces.ravel().tolist()))

    def codes(self, text: Text, mentions: Mentions) -> NDArray[np.uint16]:
        """For each token, which of the endings follows its word."""
        codes = np.zeros(len(text.words), np.uint16)
        codes[positions(mentions)] = np.repeat(
            2 + 2 * mentions.label, mentions.end - mentions.start
        ).astype(np.uint16)
        codes[mentions.start] -= 1
        codes[text.sentence_ends - 1] += self.tags
        return codes


class Jsonl:
    """One document a line: tokens, where sentences start, mentions."""

    def __init__(self, vocabulary: Sequence[bytes], labels: Sequence[str]) -> None:
        quoted = [json.dumps(word.decode(), ensure_ascii=False).encode() for word in vocabulary]
        self.words = np.array(quoted, dtype=object)
        self.labels = np.array([json.dumps(label) for label in labels], dtype=object)

    def __call__(self, file: BinaryIO, text: Text, mentions: Mentions) -> None:
        words = self.words[text.words].tolist()
        ends = text.document_ends
        marked = self.marked(text, mentions)
        mention_ends = np.searchsorted(mentions.start, ends).tolist()
        starts = np.append(0, text.sentence_ends[:-1])
        sentence_ends = np.searchsorted(starts, ends).tolist()
        token = sentence = mention = 0
        for end, to_sentence, to_mention in zip(
            ends.tolist(), sentence_ends, mention_ends, strict=True
        ):
            begins = (starts[sentence:to_sentence] - token).tolist()
            file.write(b'{"tokens": [' + b", ".join(words[token:end]))
            file.write(f'], "sentences": {begins}, "mentions": ['.encode())
            file.write(", ".join(marked[mention:to_mention]).encode() + b"]}\n")
            token, sentence, mention = end, to_sentence, to_mention

    def marked(self, text: Text, mentions: Mentions) -> list[str]:
        """Every mention as JSON, with positions in its document."""
        begins = np.append(0, text.document_ends)
        base = begins[np.searchsorted(text.document_ends, mentions.start, side="right")]
        rows = zip(
            (mentions.start - base).tolist(),
            (mentions.end - base).tolist(),
            self.labels[mentions.label].tolist(),
            strict=True,
        )
        return [f'{{"start": {start}, "end": {end}, "label": {name}}}' for start, end, name in rows]


WRITERS: dict[str, type[Writer]] = {"conll": Conll, "jsonl": Jsonl}

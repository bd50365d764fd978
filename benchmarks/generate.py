"""Write an invented gold file and the output of invented systems, of any size.

The files are conll (`TOKEN TAG`, IOB2, a blank line after each sentence, `-DOCSTART- O` before each
document) or jsonl. They resemble the English data of CoNLL-2003 in everything that affects the
speed of a scorer: lengths of sentences, number and lengths of mentions, frequencies of labels and
words.

    python benchmarks/generate.py build/data --tokens 2000000 --labels 4 --systems 2 --seed 0

The same arguments give the same bytes, with the same version of NumPy (its random streams may
change between versions). Memory does not grow with the size, because text is invented in blocks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from _invent import Mentions, Rates, Text, answer, draw_corpus, invent_vocabulary, positions

BLOCK = 1 << 19
"""Tokens of a block; no document crosses the end of a block."""

LABELS = (
    *("PER", "ORG", "LOC", "MISC", "DATE", "CARDINAL", "GPE", "NORP", "MONEY"),
    *("PERCENT", "TIME", "ORDINAL", "QUANTITY", "EVENT", "FAC", "PRODUCT", "LAW", "LANGUAGE"),
)


def label_names(count: int) -> tuple[str, ...]:
    """The first of `LABELS`, then numbered names."""
    return (*LABELS[:count], *(f"KIND{number}" for number in range(len(LABELS) + 1, count + 1)))


class Writer(Protocol):
    """Writes blocks of whole documents to an open file."""

    def __init__(self, vocabulary: Sequence[bytes], labels: Sequence[str]) -> None: ...

    def __call__(self, file: BinaryIO, text: Text, mentions: Mentions) -> None: ...


class Conll:
    """`TOKEN TAG` in IOB2. A line is made of two prepared pieces: the word and what follows it."""

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
        """For each token, the number of the ending that follows its word."""
        codes = np.zeros(len(text.words), np.uint16)
        codes[positions(mentions)] = np.repeat(
            2 + 2 * mentions.label, mentions.end - mentions.start
        ).astype(np.uint16)
        codes[mentions.start] -= 1
        codes[text.sentence_ends - 1] += self.tags
        return codes


class Jsonl:
    """One document per line: tokens, starts of sentences, mentions."""

    def __init__(self, vocabulary: Sequence[bytes], labels: Sequence[str]) -> None:
        quoted = [json.dumps(word.decode(), ensure_ascii=False).encode() for word in vocabulary]
        self.words = np.array(quoted, dtype=object)
        self.labels = np.array([json.dumps(label) for label in labels], dtype=object)

    def __call__(self, file: BinaryIO, text: Text, mentions: Mentions) -> None:
        words = self.words[text.words].tolist()
        ends = text.document_ends
        mention_json = self.mention_json(text, mentions)
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
            file.write(", ".join(mention_json[mention:to_mention]).encode() + b"]}\n")
            token, sentence, mention = end, to_sentence, to_mention

    def mention_json(self, text: Text, mentions: Mentions) -> list[str]:
        """Each mention as JSON, with positions in its document."""
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


def generate(
    outdir: Path | str,
    tokens: int = 2_000_000,
    labels: int = 4,
    systems: int = 2,
    seed: int = 0,
    sentences_per_document: float = 15,
    rates: Rates | None = None,
    formats: Sequence[str] = ("conll",),
    spread: float = 0.0,
) -> list[Path]:
    """Write `gold.conll`, `system-1.conll` ... to `outdir`, and return their paths, gold first.

    The first system makes errors exactly at these rates, the others at rates that vary around
    them, and are up to 1 + `spread` times as high. System k does not depend on the number of
    systems.
    """
    check(tokens, labels, systems, sentences_per_document)
    every = all_rates(rates or Rates(), systems, seed, spread)
    vocabulary = invent_vocabulary(np.random.default_rng([seed, 0]))
    writers = {name: WRITERS[name](vocabulary, label_names(labels)) for name in formats}
    outdir = Path(outdir)
    outdir.mkdir(parents=True, exist_ok=True)
    names = ["gold", *(f"system-{number}" for number in range(1, systems + 1))]
    paths = [outdir / f"{name}.{format}" for format in formats for name in names]
    with ExitStack() as stack:
        files = {path: stack.enter_context(path.open("wb")) for path in paths}
        for block, begin in enumerate(range(0, tokens, BLOCK)):
            size = min(BLOCK, tokens - begin)
            text, columns = invent_block(size, labels, sentences_per_document, every, seed, block)
            for format, write in writers.items():
                for name, mentions in zip(names, columns, strict=True):
                    write(files[outdir / f"{name}.{format}"], text, mentions)
    return paths


def invent_block(
    tokens: int, labels: int, sentences: float, rates: Sequence[Rates], seed: int, block: int
) -> tuple[Text, list[Mentions]]:
    """One block: the text, and the mentions of gold and of each system."""
    rng = np.random.default_rng([seed, 0, 1 + block])
    text, gold = draw_corpus(rng, tokens, labels, sentences)
    columns = [gold]
    for number, rate in enumerate(rates, 1):
        rng = np.random.default_rng([seed, number, 1 + block])
        columns.append(answer(rng, text, gold, labels, rate))
    return text, columns


def all_rates(rates: Rates, systems: int, seed: int, spread: float = 0.0) -> list[Rates]:
    """The error rates of each system."""
    varied = [rates.varied(np.random.default_rng([seed, k]), spread) for k in range(2, systems + 1)]
    return [rates, *varied][:systems]


def check(tokens: int, labels: int, systems: int, sentences_per_document: float) -> None:
    """Refuse arguments that no corpus can have."""
    if tokens < 1:
        raise ValueError(f"found {tokens} tokens, expected at least 1")
    if not 2 <= labels <= 1000:
        raise ValueError(f"found {labels} labels, expected 2 to 1000")
    if systems < 0:
        raise ValueError(f"found {systems} systems, expected 0 or more")
    if sentences_per_document < 1:
        raise ValueError(
            f"found {sentences_per_document} sentences per document, expected 1 or more"
        )


def parser() -> argparse.ArgumentParser:
    """The options, with the defaults of `generate` and `Rates`."""
    options = argparse.ArgumentParser(description="Write invented gold and system files.")
    options.add_argument("outdir", type=Path)
    options.add_argument("--tokens", type=int, default=2_000_000)
    options.add_argument("--labels", type=int, default=4, help="2 to 1000")
    options.add_argument("--systems", type=int, default=2)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--sentences-per-document", type=float, default=15, metavar="MEAN")
    options.add_argument("--spread", type=float, default=0.0, help="how far systems differ")
    options.add_argument("--formats", nargs="+", choices=sorted(WRITERS), default=["conll"])
    for field in fields(Rates):
        options.add_argument(f"--{field.name}", type=float, default=field.default, metavar="RATE")
    return options


def main() -> None:
    """Generate the files and print their paths."""
    options = parser()
    arguments = vars(options.parse_args())
    rates = Rates(**{field.name: arguments.pop(field.name) for field in fields(Rates)})
    try:
        paths = generate(rates=rates, **arguments)
    except ValueError as error:
        options.error(str(error))
    print(*paths, sep="\n")


if __name__ == "__main__":
    main()

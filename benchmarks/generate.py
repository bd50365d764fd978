"""Writes an invented gold file and the answers of invented systems, as large as you like.

The files are conll (`TOKEN TAG`, IOB2, a blank line after each sentence, `-DOCSTART- O` before each
document) or jsonl, and resemble the English data of CoNLL-2003 in what a scorer notices: lengths of
sentences, density and lengths of mentions, skewed labels, a Zipfian vocabulary.

    python benchmarks/generate.py build/data --tokens 2000000 --labels 4 --systems 2 --seed 0

The same arguments give the same bytes (with one version of NumPy: its random streams may change
between versions). Memory does not grow with the size: text is invented in blocks.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path

import numpy as np

from _columns import Mentions, Text
from _errors import Rates, answer
from _files import WRITERS, label_names
from _invent import draw_corpus, invent_vocabulary

BLOCK = 1 << 19
"""Tokens invented at once; a document ends at the end of a block."""


def generate(
    outdir: Path | str,
    tokens: int = 2_000_000,
    labels: int = 4,
    systems: int = 2,
    seed: int = 0,
    sentences_per_document: float = 15,
    rates: Rates | None = None,
    formats: Sequence[str] = ("conll",),
) -> list[Path]:
    """Writes `gold.conll`, `system-1.conll` ... to `outdir`; returns their paths, gold first.

    The first system errs at `rates` exactly, the others at rates that vary around them.
    System k is the same whatever the number of systems.
    """
    check(tokens, labels, systems, sentences_per_document)
    every = all_rates(rates or Rates(), systems, seed)
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
            text, columns = invented(size, labels, sentences_per_document, every, seed, block)
            for format, write in writers.items():
                for name, mentions in zip(names, columns, strict=True):
                    write(files[outdir / f"{name}.{format}"], text, mentions)
    return paths


def invented(
    tokens: int, labels: int, sentences: float, rates: Sequence[Rates], seed: int, block: int
) -> tuple[Text, list[Mentions]]:
    """One block: the text, gold, and what each system marks."""
    rng = np.random.default_rng([seed, 0, 1 + block])
    text, gold = draw_corpus(rng, tokens, labels, sentences)
    columns = [gold]
    for number, rate in enumerate(rates, 1):
        rng = np.random.default_rng([seed, number, 1 + block])
        columns.append(answer(rng, text, gold, labels, rate))
    return text, columns


def all_rates(rates: Rates, systems: int, seed: int) -> list[Rates]:
    """How often each system errs."""
    varied = [rates.varied(np.random.default_rng([seed, k])) for k in range(2, systems + 1)]
    return [rates, *varied][:systems]


def check(tokens: int, labels: int, systems: int, sentences_per_document: float) -> None:
    """Refuses arguments that no corpus can have."""
    if tokens < 1:
        raise ValueError(f"found {tokens} tokens, expected at least 1")
    if not 2 <= labels <= 1000:
        raise ValueError(f"found {labels} labels, expected 2 to 1000")
    if systems < 0:
        raise ValueError(f"found {systems} systems, expected 0 or more")
    if sentences_per_document < 1:
        raise ValueError(f"found {sentences_per_document} sentences a document, expected 1 or more")


def parser() -> argparse.ArgumentParser:
    """The options, with the defaults of `generate` and `Rates`."""
    options = argparse.ArgumentParser(description="Writes invented gold and system files.")
    options.add_argument("outdir", type=Path)
    options.add_argument("--tokens", type=int, default=2_000_000)
    options.add_argument("--labels", type=int, default=4, help="2 to 1000")
    options.add_argument("--systems", type=int, default=2)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--sentences-per-document", type=float, default=15, metavar="MEAN")
    options.add_argument("--formats", nargs="+", choices=sorted(WRITERS), default=["conll"])
    for field in fields(Rates):
        options.add_argument(f"--{field.name}", type=float, default=field.default, metavar="RATE")
    return options


def main() -> None:
    """Generates what the command line asks for and prints the paths."""
    options = parser()
    given = vars(options.parse_args())
    rates = Rates(**{field.name: given.pop(field.name) for field in fields(Rates)})
    try:
        paths = generate(rates=rates, **given)
    except ValueError as error:
        options.error(str(error))
    print(*paths, sep="\n")


if __name__ == "__main__":
    main()

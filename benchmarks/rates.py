"""Measure how fast carob reads each format: the same mentions, each file in a fresh process.

    python benchmarks/rates.py --tokens 2000000

generate.py invents the conll file, and carob's own writers make the others from it, so that all
hold the same documents and mentions. jsonl is written twice, with tokens and with texts. tbf and
spans hold token numbers and no words. brat and inline have one file per document and get fewer
tokens. The time is the CPU time of `carob.read` alone, without start-up. Prints Markdown.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from _race import environment
from _report import machine, markdown, write_part

if TYPE_CHECKING:
    from carob import Corpus

HERE = Path(__file__).resolve().parent

TEXTS = ("inline", "brat")
TEXT_SHARE = 10
"""Formats with one file per document get a tenth of the tokens."""

READ = """
import sys, time
import carob
from carob import registry
registry.load("formats", sys.argv[2])
begin = time.process_time()
corpus = carob.read(sys.argv[1], sys.argv[2])
print(time.process_time() - begin, len(corpus), len(corpus.mentions))
"""


@dataclass(frozen=True, slots=True)
class Rate:
    """The size of one file and the time to read it."""

    name: str
    size: int
    documents: int
    mentions: int
    seconds: float

    def row(self) -> list[str]:
        return [
            self.name,
            f"{self.size / 1e6:.1f}",
            f"{self.documents:,}",
            f"{self.mentions:,}",
            f"{self.seconds:.3f}",
            f"{self.size / 1e6 / self.seconds:.1f}",
            f"{self.mentions / self.seconds:,.0f}",
        ]


def bulk_files(folder: Path, tokens: int, seed: int) -> Iterator[tuple[str, Path]]:
    """The same corpus in each format that has one file for all documents."""
    import carob

    made = subprocess.run(
        [sys.executable, str(HERE / "generate.py"), str(folder), "--tokens", str(tokens),
         "--systems", "0", "--seed", str(seed)], capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode:
        raise SystemExit(made.stderr)
    gold = folder / "gold.conll"
    yield "conll", gold
    corpus = carob.read(gold)
    bare = replace(corpus, library=None)
    carob.write(bare, folder / "gold.spans")
    yield "spans", folder / "gold.spans"
    named = tuple(f"d{row}" for row in range(len(corpus)))
    ids = tuple(f"E{row}" for row in range(len(corpus.mentions)))
    nuggets = replace(
        bare,
        documents=replace(corpus.documents, id=named),
        mentions=replace(corpus.mentions, id=ids),
    )
    carob.write(nuggets, folder / "gold.tbf")
    yield "tbf", folder / "gold.tbf"
    carob.write(corpus, folder / "gold.jsonl")
    yield "jsonl", folder / "gold.jsonl"
    carob.write(in_characters(corpus), folder / "texts.jsonl")
    yield "jsonl, texts", folder / "texts.jsonl"


def text_files(folder: Path, tokens: int, seed: int) -> Iterator[tuple[str, Path]]:
    """The same corpus in each format that has one file per document."""
    import carob

    _, gold = next(bulk_files(folder, tokens, seed))
    corpus = in_characters(carob.read(gold))
    for format in TEXTS:
        carob.write(corpus, folder / format, format)
        yield format, folder / format


def in_characters(corpus: Corpus) -> Corpus:
    """The documents as texts: tokens with a space between them, mentions in characters."""
    from carob import Corpus, Document, Mention

    documents = []
    for row, document in enumerate(corpus):
        words = [word.replace("<", "(") for word in document.tokens or ()]
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word) + 1)
        mentions = tuple(
            Mention(each.label, starts[each.start], starts[each.end] - 1)
            for each in document.mentions
        )
        documents.append(Document(f"d{row}", text=" ".join(words), mentions=mentions))
    return Corpus.of(*documents)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def measure_rate(name: str, path: Path, repeats: int) -> Rate:
    """The fastest of several fresh processes; the name is a format, and what else there is to say
    after a comma.
    """
    format, size = name.partition(",")[0], size_of(path)
    seconds = float("inf")
    documents = mentions = 0
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-c", READ, str(path), format], capture_output=True, text=True,
            check=False, env=environment(),
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr}")
        cpu, *counts = done.stdout.split()
        seconds = min(seconds, float(cpu))
        documents, mentions = (int(count) for count in counts)
    return Rate(name, size, documents, mentions, seconds)


def table(tokens: int, seed: int, repeats: int) -> str:
    """A row for each format."""
    head = ("format", "MB", "documents", "mentions", "CPU seconds", "MB/s", "mentions/s")
    rows = []
    with tempfile.TemporaryDirectory(prefix="carob-rates-") as place:
        for kind, write_files, count in (
            ("bulk", bulk_files, tokens),
            ("text", text_files, tokens // TEXT_SHARE),
        ):
            folder = Path(place) / kind
            folder.mkdir()
            for name, path in write_files(folder, count, seed):
                print(f"{name} ...", file=sys.stderr)
                rows.append(measure_rate(name, path, repeats).row())
    return markdown(head, rows)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure how fast carob reads each format.")
    parser.add_argument("--tokens", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write into docs/performance.md")
    arguments = parser.parse_args()
    if arguments.tokens < 10 * TEXT_SHARE or arguments.repeats < 1:
        parser.error(f"expected at least {10 * TEXT_SHARE} tokens and 1 repeat")
    text = f"{machine()}\n- {arguments.tokens:,} tokens\n\n"
    text += table(arguments.tokens, arguments.seed, arguments.repeats)
    print(text)
    if arguments.write:
        write_part("rates", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How fast carob reads: the same mentions in every format, each read in a fresh process.

    python benchmarks/rates.py --tokens 2000000

The conll file is invented by generate.py; the others are written from it by carob's own writers,
so that all hold the same documents and mentions (tbf and spans as token numbers, without words;
brat and inline as text, smaller, because a document is a file). The time is the
processor's for `carob.read` alone, without start-up. Prints Markdown.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import _pages  # noqa: E402
from _machine import machine  # noqa: E402
from _measure import environment  # noqa: E402

TEXTS = ("inline", "brat")
SMALLER = 10
"""How many times fewer tokens the formats get that have a file for each document."""

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
    """What reading one format took."""

    format: str
    size: int
    documents: int
    mentions: int
    seconds: float

    def row(self) -> str:
        return (
            f"| {self.format} | {self.size / 1e6:.1f} | {self.documents:,} | {self.mentions:,} "
            f"| {self.seconds:.3f} | {self.size / 1e6 / self.seconds:.1f} "
            f"| {self.mentions / self.seconds:,.0f} |"
        )


def files(folder: Path, tokens: int, seed: int) -> Iterator[tuple[str, Path]]:
    """The same corpus in every format."""
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


def texts(folder: Path, tokens: int, seed: int) -> Iterator[tuple[str, Path]]:
    """The same corpus as text, a file for each document."""
    import carob
    from carob import Corpus, Document, Mention

    _, gold = next(files(folder, tokens, seed))
    found = []
    for row, document in enumerate(carob.read(gold)):
        words = [word.replace("<", "(") for word in document.tokens or ()]
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word) + 1)
        mentions = tuple(
            Mention(each.label, starts[each.start], starts[each.end] - 1)
            for each in document.mentions
        )
        found.append(Document(f"d{row}", text=" ".join(words), mentions=mentions))
    corpus = Corpus.of(*found)
    for format in TEXTS:
        carob.write(corpus, folder / format, format)
        yield format, folder / format


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def measured(format: str, path: Path, repeats: int) -> Rate:
    """The fastest of some fresh processes; the file is in the cache of the disk."""
    size = size_of(path)
    seconds = float("inf")
    documents = mentions = 0
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-c", READ, str(path), format], capture_output=True, text=True,
            check=False, env=environment(),
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{format}: {done.stderr}")
        spent, *counts = done.stdout.split()
        seconds = min(seconds, float(spent))
        documents, mentions = (int(count) for count in counts)
    return Rate(format, size, documents, mentions, seconds)


def table(tokens: int, seed: int, repeats: int) -> str:
    """A row for each format."""
    rows = [
        "| format | MB | documents | mentions | CPU seconds | MB/s | mentions/s |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory(prefix="carob-rates-") as place:
        for name, made, count in (("bulk", files, tokens), ("text", texts, tokens // SMALLER)):
            folder = Path(place) / name
            folder.mkdir()
            for format, path in made(folder, count, seed):
                print(f"{format} ...", file=sys.stderr)
                rows.append(measured(format, path, repeats).row())
    return "\n".join(rows)


def main() -> int:
    """Prints the table."""
    options = argparse.ArgumentParser(description="Times carob.read on every format.")
    options.add_argument("--tokens", type=int, default=2_000_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--write", action="store_true", help="put it into docs/performance.md")
    given = options.parse_args()
    if given.tokens < 10 * SMALLER or given.repeats < 1:
        options.error(f"expected at least {10 * SMALLER} tokens and 1 repeat")
    text = f"{machine()}\n- {given.tokens:,} tokens\n\n"
    text += table(given.tokens, given.seed, given.repeats)
    print(text)
    if given.write:
        _pages.write("rates", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

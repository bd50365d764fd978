"""Measure reading of JSON lines: carob before and after msgspec, decoders alone, and polars.

    python benchmarks/json_lines.py            # three files, about two minutes
    python benchmarks/json_lines.py --write    # into docs/performance.md

Each contender reads one file, or scores two, in a fresh process. "One by one" is the path without
msgspec, on which every file was read before. Prints Markdown; exit status 1 if reading takes more
than 1.5 times the CPU time of polars.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from _data import DATA, data, warm
from _race import measure
from _report import machine, markdown, rounded, write_part

ROUNDS = 3
LIMIT = 1.5
RECORDS = 100_000
HEAD = ["file", "contender", "CPU s", "MB/s", "peak MiB", "CPU / polars"]


def files() -> dict[str, tuple[Path, Path]]:
    """Gold and system: tokens with mentions, texts with spans, and plain records."""
    tokens = data(2_000_000, format="jsonl")
    texts = [_once(DATA / f"texts-{path.stem}.jsonl", _texts, path) for path in tokens[:2]]
    records = [_once(DATA / f"records-{seed}.jsonl", _records, seed) for seed in (0, 1)]
    return {
        "2,000,000 tokens, mentions": (tokens[0], tokens[1]),
        "the same as texts, spans": (texts[0], texts[1]),
        f"{RECORDS:,} records": (records[0], records[1]),
    }


def _once(path: Path, make: Callable[[Any], str], of: Any) -> Path:
    if not path.exists():
        path.write_text(make(of), encoding="utf-8")
    warm(path)
    return path


def _texts(path: Path) -> str:
    """The documents as texts: tokens with a space between them, mentions in characters."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        starts, at = [], 0
        for token in record["tokens"]:
            starts.append(at)
            at += len(token) + 1
        mentions = [
            {"start": starts[each["start"]], "label": each["label"],
             "end": starts[each["end"] - 1] + len(record["tokens"][each["end"] - 1])}
            for each in record["mentions"]
        ]  # fmt: skip
        whole = {"text": " ".join(record["tokens"]), "mentions": mentions}
        lines.append(json.dumps(whole, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def _records(seed: int) -> str:
    """Small objects; those of another seed have other values in one slot of five."""
    rng, other = random.Random(0), random.Random(seed)
    lines = []
    for number in range(RECORDS):
        record: dict[str, Any] = {
            "id": f"d{number}",
            "speaker": [f"Name {rng.randrange(5000)}", f"Bo {rng.randrange(300)}"],
            "stime": f"{rng.randrange(12)}:30",
            "etime": f"{rng.randrange(12)}:00",
            "location": f"Room {rng.randrange(3000)}",
            "topic": f"A talk on topic {number % 7777} and more",
        }
        if seed and other.random() < 0.2:
            record["location"] = None
        lines.append(json.dumps(record))
    return "\n".join(lines) + "\n"


# --- contenders, each in a process of its own ---


def read(path: str) -> None:
    import carob

    carob.read(path)


def read_one_by_one(path: str) -> None:
    _without_msgspec()
    read(path)


def score(gold: str, system: str) -> None:
    import carob

    carob.score(gold, system, resamples=0)


def score_one_by_one(gold: str, system: str) -> None:
    _without_msgspec()
    score(gold, system)


def _without_msgspec() -> None:
    typed: Any = import_module("carob.formats._typed")
    typed._decoder = lambda name: None


def loads(path: str) -> None:
    _each(path, json.loads)


def msgspec(path: str) -> None:
    _each(path, import_module("msgspec.json").Decoder().decode)


def orjson(path: str) -> None:
    _each(path, import_module("orjson").loads)


def _each(path: str, decode: Callable[[bytes], Any]) -> None:
    with Path(path).open("rb") as file:
        for line in file:
            decode(line)


def polars(path: str) -> None:
    import_module("polars").read_ndjson(path)


CONTENDERS: dict[str, tuple[Callable[..., None], str, int]] = {
    "carob, reading": (read, "carob", 1),
    "carob, reading one by one (before)": (read_one_by_one, "carob", 1),
    "`json.loads` of every line": (loads, "json", 1),
    "msgspec, every line": (msgspec, "msgspec", 1),
    "orjson, every line": (orjson, "orjson", 1),
    "polars, merely parsing": (polars, "polars", 1),
    "carob, scoring two files": (score, "carob", 2),
    "carob, scoring two files, one by one (before)": (score_one_by_one, "carob", 2),
}


def rows() -> tuple[list[list[str]], bool]:
    """A row for each contender and file, and whether carob is within its limit."""
    table, met = [], True
    for name, paths in files().items():
        costs: dict[str, tuple[float, float]] = {}
        for contender, (function, package, count) in CONTENDERS.items():
            if find_spec(package) is None:
                continue
            print(f"  {name}: {contender}", file=sys.stderr, flush=True)
            command = [sys.executable, __file__, "--run", function.__name__,
                       *map(str, paths[:count])]  # fmt: skip
            runs = [measure(command) for _ in range(ROUNDS)]
            if any(run.code for run in runs):
                sys.exit(f"{contender}: {runs[-1].stderr}")
            costs[contender] = min(run.cpu for run in runs), max(run.peak for run in runs)
        parsing = costs.get("polars, merely parsing", (0.0, 0.0))[0]
        for contender, (cpu, peak) in costs.items():
            size = sum(path.stat().st_size for path in paths[: CONTENDERS[contender][2]]) / 1e6
            times = cpu / parsing if parsing and CONTENDERS[contender][2] == 1 else 0.0
            met &= not (contender == "carob, reading" and times > LIMIT)
            table.append([
                name, contender, rounded(cpu), f"{size / cpu:.0f}", f"{peak:.0f}",
                f"{times:.2f}" if times else "",
            ])  # fmt: skip
    return table, met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    parser.add_argument("--run", nargs="+", metavar="WHAT", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        globals()[arguments.run[0]](*arguments.run[1:])
        return 0
    table, met = rows()
    text = f"\n{machine()}\n\n{markdown(HEAD, table, 2)}\n"
    print(text)
    if arguments.write:
        write_part("json", text)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())

"""Records of 20 fields: carob, stickler and ANLS* on the same data, in one run.

    python benchmarks/records.py [--records 100000] [--peers 2000]

carob reads two files and scores `fields.F1` and `record.exact`, in a process of its own, in which
no other objects lie in memory; the least of three. The others read the same lines with
`json.loads`, make their objects of them and compare these; the time of comparing alone is shown as
well. They compare the first `--peers` records; the time for all is extrapolated, because both take
the same time for every record. Times are of the processor, without loading any of the packages.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _race import environment

FIELDS, ROUNDS = 20, 3


def record(rng: random.Random) -> dict[str, Any]:
    """Texts, numbers, dates and identifiers, five of each."""
    made: dict[str, Any] = {}
    for i in range(FIELDS // 4):
        made[f"text{i}"] = f"{rng.choice(WORDS)} {rng.choice(WORDS)}"
        made[f"number{i}"] = rng.randint(0, 99_999) / 100
        made[f"day{i}"] = f"20{rng.randint(10, 24)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        made[f"code{i}"] = f"R-{rng.randint(0, 999_999)}"
    return made


WORDS = [f"word{i}" for i in range(500)]


def answer(rng: random.Random, gold: dict[str, Any]) -> dict[str, Any]:
    """A record with one value in ten wrong."""
    other = record(rng)
    return {key: value if rng.random() < 0.9 else other[key] for key, value in gold.items()}


def main() -> None:
    """Time all of them, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--peers", type=int, default=2000)
    parser.add_argument("--run", nargs=2, metavar="FILE", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.run:
        print(json.dumps(carob_alone(*chosen.run)))
        return
    rng = random.Random(0)
    gold = [record(rng) for _ in range(chosen.records)]
    system = [answer(rng, each) for each in gold]
    few = [
        (json.dumps(one), json.dumps(other))
        for one, other in zip(gold[: chosen.peers], system[: chosen.peers], strict=True)
    ]
    times = {"stickler": stickler(few), "anls_star": anls_star(few)}
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, rows in (("gold", gold), ("system", system)):
            path = Path(folder) / f"{name}.jsonl"
            path.write_text("\n".join(map(json.dumps, rows)) + "\n")
            paths.append(str(path))
        del gold, system
        runs = [_run(paths) for _ in range(ROUNDS)]
    own, memory, value = min(runs)
    size = chosen.records
    print(f"{size:,} records of {FIELDS} fields; python {sys.version.split()[0]}")
    more = f"F1 {value:.4f}; {memory / size:,.0f} bytes more a record"
    print(f"carob      {own:8.1f} s   {own / size * 1e6:8.1f} us a record, with reading; {more}")
    for name, seconds in times.items():
        if seconds is None:
            print(f"{name:<10} is not installed")
            continue
        whole, comparing = (each / len(few) for each in seconds)
        print(f"{name:<10} {whole * size:8.1f} s   {whole * 1e6:8.1f} us a record, with reading; "
              f"{whole * size / own:.1f} times carob's; comparing alone {comparing * 1e6:.1f} us, "
              f"{comparing * size / own:.1f} times")  # fmt: skip


def _run(paths: list[str]) -> tuple[float, int, float]:
    command = [sys.executable, __file__, "--run", *paths]
    done = subprocess.run(command, check=True, capture_output=True, env=environment())
    seconds, memory, value = json.loads(done.stdout)
    return seconds, memory, value


def carob_alone(gold: str, system: str) -> tuple[float, int, float]:
    """The time that carob takes to read and score two files, the bytes it needs, and the F1."""
    import carob

    carob.score([{"templates": []}], [{"templates": []}], "fields.F1", resamples=0)
    before = _peak()
    start = time.process_time()
    scores = carob.score(gold, system, ["fields.F1", "record.exact"], resamples=0)
    seconds = time.process_time() - start
    memory = _peak() - before
    return seconds, memory, float(scores.scores[0].value or 0.0)


def _peak() -> int:
    """The largest number of bytes that this process had in memory. On Linux `getrusage` counts
    what the process that started it had as well.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) * 1024


def stickler(pairs: list[tuple[str, str]]) -> tuple[float, float] | None:
    """The time that stickler takes to read and compare these, and to compare them."""
    try:
        from stickler import ComparableField, StructuredModel
        from stickler.comparators.exact import ExactComparator
    except ImportError:
        return None
    kinds = {"text": str, "number": float, "day": str, "code": str}
    fields = {
        name: ComparableField(comparator=ExactComparator(), threshold=1.0)
        for name in json.loads(pairs[0][0])
    }
    hints = {name: kinds[name.rstrip("0123456789")] for name in fields}
    model = type("Invoice", (StructuredModel,), {"__annotations__": hints, **fields})
    begin = time.process_time()
    objects = [tuple(model(**json.loads(side)) for side in pair) for pair in pairs]
    start = time.process_time()
    for gold, system in objects:
        gold.compare_with(system, include_confusion_matrix=True)
    end = time.process_time()
    return end - begin, end - start


def anls_star(pairs: list[tuple[str, str]]) -> tuple[float, float] | None:
    """The time that ANLS* takes to read and compare these, and to compare them."""
    try:
        from anls_star import anls_score
    except ImportError:
        return None
    begin = time.process_time()
    objects = [
        tuple({k: str(v) for k, v in json.loads(side).items()} for side in pair) for pair in pairs
    ]
    start = time.process_time()
    for gold, system in objects:
        anls_score(gold, system)
    end = time.process_time()
    return end - begin, end - start


if __name__ == "__main__":
    main()

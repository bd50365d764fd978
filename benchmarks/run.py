"""Times karat and other tools on the same files, whole commands in fresh processes.

    python benchmarks/run.py --tokens 200000 2000000 --repeats 3 -o build/bench/result.md

Prints a Markdown report. Exits 1 if a contender fails or the scores disagree.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from _measure import Run, measure, peak_floor

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "build" / "bench"
KARAT = "karat score -m exact.PRF --by-label"
REPORT = "seqeval classification_report"
F1_SCORE = "seqeval f1_score"
PACKAGES = ("karat", "numpy", "seqeval", "scikit-learn", "polars")
HEAD = (
    "| contender | runs | wall min s | wall median s | CPU min s | CPU median s "
    "| peak MiB | wall / karat | CPU / karat |"
)
RULE = "|---|" + "---:|" * 8


@dataclass(slots=True)
class Contender:
    """A command to time, the package it needs, and its runs so far."""

    name: str
    command: list[str]
    needs: str | None = None
    runs: list[Run] = field(default_factory=list)

    @property
    def missing(self) -> bool:
        return self.needs is not None and find_spec(self.needs) is None

    @property
    def failed(self) -> bool:
        return any(run.code != 0 for run in self.runs)

    def spent(self) -> float:
        return sum(run.wall for run in self.runs)

    def found(self, key: str) -> list[float]:
        """A number of the JSON that each run of a peer printed."""
        return [float(json.loads(run.stdout)[key]) for run in self.runs if run.code == 0]


def scorers(gold: Path, system: Path) -> list[Contender]:
    """Who is timed on a pair of files; karat first, the others are compared with it."""
    paths = [str(gold), str(system)]
    peer = [sys.executable, str(HERE / "_peers.py")]
    karat = [sys.executable, "-m", "karat", "score", *paths, "-m", "exact.PRF", "--by-label"]
    return [
        Contender(KARAT, karat),
        Contender(f"{KARAT} --resamples 0", [*karat, "--resamples", "0"]),
        Contender(REPORT, [*peer, "report", *paths], "seqeval"),
        Contender(F1_SCORE, [*peer, "f1", *paths], "seqeval"),
        Contender("polars, parsing only", [*peer, "polars", *paths], "polars"),
    ]


def starters() -> list[Contender]:
    """What a process costs before it does anything."""
    return [
        Contender("karat --help", [sys.executable, "-m", "karat", "--help"]),
        Contender("python -c pass", [sys.executable, "-c", "pass"]),
        Contender('python -c "import numpy"', [sys.executable, "-c", "import numpy"], "numpy"),
    ]


def race(contenders: Sequence[Contender], repeats: int, budget: float) -> None:
    """Rounds in which each contender runs once; one that failed or used its budget sits out."""
    for number in range(repeats):
        for contender in contenders:
            if contender.missing or contender.failed or contender.spent() > budget:
                continue
            print(f"  round {number + 1}: {contender.name}", file=sys.stderr, flush=True)
            contender.runs.append(measure(contender.command))


# --- data ---


def data(tokens: int, labels: int, seed: int) -> tuple[Path, Path]:
    """Gold and one system of this size, generated unless a stamp says they are there already."""
    folder = DATA / f"{tokens}-tokens-{labels}-labels-seed-{seed}"
    stamp = folder / "stamp.json"
    generator = HERE / "generate.py"
    wanted = {
        "tokens": tokens,
        "labels": labels,
        "seed": seed,
        "systems": 1,
        "generator": hashlib.sha256(generator.read_bytes()).hexdigest(),
    }
    if not stamp.exists() or json.loads(stamp.read_text(encoding="utf-8")) != wanted:
        print(f"generating {tokens} tokens", file=sys.stderr, flush=True)
        stamp.unlink(missing_ok=True)
        options = [f"--{key}={wanted[key]}" for key in ("tokens", "labels", "seed", "systems")]
        # In a process of its own, because NumPy here would raise the floor of peak memory.
        subprocess.run(
            [sys.executable, str(generator), str(folder), *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        stamp.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")
    paths = folder / "gold.conll", folder / "system-1.conll"
    for path in paths:
        warm(path)
    return paths


def warm(path: Path) -> None:
    """Reads a file once, so that every contender finds it in memory."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


# --- agreement ---


def karat_f1(gold: Path, system: Path) -> float:
    """Micro F1 at full precision, from an untimed run that prints JSON."""
    arguments = ["score", str(gold), str(system), "-m", "exact.PRF", "--format", "json"]
    run = measure([sys.executable, "-m", "karat", *arguments])
    if run.code != 0:
        raise ValueError(f"karat score --format json failed: {last_line(run)}")
    try:
        scores = json.loads(run.stdout)["systems"][0]["scores"]
        return float(next(s["value"] for s in scores if s["recipe"] == "exact.F1"))
    except (ValueError, LookupError, TypeError, StopIteration) as error:
        raise ValueError(f"no exact.F1 in the JSON of karat score: {error!r}") from error


def disagreements(expected: float, contenders: Sequence[Contender]) -> list[str]:
    """Sentences about scores that differ: beyond 1e-9, or half of the report's last decimal."""
    tolerance = {F1_SCORE: 1e-9, REPORT: 0.5e-4 + 1e-9}
    return [
        f"{contender.name} finds micro F1 {value!r}, karat {expected!r}"
        for contender in contenders
        if contender.name in tolerance
        for value in sorted(set(contender.found("f1")))
        if not abs(value - expected) <= tolerance[contender.name]
    ]


def agreement(gold: Path, system: Path, contenders: Sequence[Contender]) -> tuple[str, list[str]]:
    """One sentence on whether the scores were compared and agree, and the problems if not."""
    try:
        problems = disagreements(karat_f1(gold, system), contenders)
    except ValueError as error:
        return "Scores could not be compared: karat gave none.", [str(error)]
    compared = [c.name for c in contenders if c.name in (F1_SCORE, REPORT) and c.found("f1")]
    if problems:
        return "**Scores do not agree**, see the errors below.", problems
    if not compared:
        return "Scores were not compared: no run of seqeval to compare with.", []
    return f"Micro F1 agrees: karat, {', '.join(compared)}.", []


# --- report ---


def table(contenders: Sequence[Contender]) -> str:
    """One row a contender, with ratios of the minima to the first."""
    rows = [HEAD, RULE]
    base = contenders[0]
    for contender in contenders:
        rows.append(row(contender, base))
        if contender.needs == "seqeval" and contender.found("call_cpu"):
            rows.append(call_row(contender, base))
    return "\n".join(rows)


def row(contender: Contender, base: Contender) -> str:
    """The measurements of whole processes, or why there are none."""
    if contender.missing:
        return f"| {contender.name} | skipped: {contender.needs} is not installed {'| ' * 7}|"
    if contender.failed:
        return f"| {contender.name} | ERROR, exit {contender.runs[-1].code} {'| ' * 7}|"
    walls = [run.wall for run in contender.runs]
    cpus = [run.cpu for run in contender.runs]
    peak = max(run.peak for run in contender.runs)
    cells = [
        contender.name,
        str(len(contender.runs)),
        *(f"{value:.3f}" for value in (min(walls), median(walls), min(cpus), median(cpus))),
        f"{peak:.0f}" if peak > peak_floor() else f"<= {peak:.0f}",
        ratio(min(walls), [run.wall for run in base.runs], base),
        ratio(min(cpus), [run.cpu for run in base.runs], base),
    ]
    return "| " + " | ".join(cells) + " |"


def call_row(contender: Contender, base: Contender) -> str:
    """The CPU of the call alone, without start-up, imports and reading."""
    cpus = contender.found("call_cpu")
    against = ratio(min(cpus), [run.cpu for run in base.runs], base)
    numbers = f"{min(cpus):.3f} | {median(cpus):.3f}"
    return f"| {contender.name}, the call alone | {len(cpus)} | | | {numbers} | | | {against} |"


def ratio(value: float, others: Sequence[float], base: Contender) -> str:
    """How many times the minimum of the base, or nothing where the base has none."""
    return "" if base.failed or not others else f"{value / min(others):.2f}"


def last_line(run: Run) -> str:
    """The end of what a failed process said, without the paths of this machine."""
    text = run.stderr.replace(sys.executable, "python").replace(f"{HERE.parent}{os.sep}", "")
    lines = text.strip().splitlines()
    return lines[-1] if lines else f"exit {run.code}, nothing on stderr"


def failures(contenders: Sequence[Contender]) -> list[str]:
    """A sentence for each contender that did not finish."""
    return [f"{c.name}: {last_line(c.runs[-1])}" for c in contenders if c.failed]


def machine() -> str:
    """Processor, cores, and the versions of everything timed."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts = [
        f"- processor: {processor()}, {cores} cores usable",
        f"- system: {platform.system()} {platform.machine()}",
        f"- Python {platform.python_version()} ({platform.python_implementation()})",
        *(f"- {package} {installed(package)}" for package in PACKAGES),
    ]
    return "\n".join(facts)


def processor() -> str:
    """The model that Linux names, else what Python knows."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def installed(package: str) -> str:
    """The version of a package, or that there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


# --- command line ---


def bench(
    sizes: Sequence[int], labels: int, seed: int, repeats: int, budget: float
) -> tuple[str, list[str]]:
    """The whole report, and what went wrong."""
    parts = ["# Benchmark", machine()]
    problems: list[str] = []
    for tokens in sizes:
        gold, system = data(tokens, labels, seed)
        contenders = scorers(gold, system)
        race(contenders, repeats, budget)
        sentence, differing = agreement(gold, system, contenders)
        problems += failures(contenders) + differing
        parts += [f"## {tokens:,} tokens, {labels} labels", table(contenders), sentence]
    contenders = starters()
    race(contenders, 3 * repeats, budget)
    problems += failures(contenders)
    parts += ["## Start-up", table(contenders)]
    if problems:
        parts += ["## Errors", "\n".join(f"- {problem}" for problem in problems)]
    return "\n\n".join(parts) + "\n", problems


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(description="Times karat and other tools on the same files.")
    options.add_argument("--tokens", type=int, nargs="+", default=[200_000, 2_000_000])
    options.add_argument("--labels", type=int, default=4)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument(
        "--repeats", type=int, default=3, help="rounds (start-up: three times as many)"
    )
    options.add_argument(
        "--budget",
        type=float,
        default=25,
        metavar="SECONDS",
        help="a contender that has used more on one size sits out the other rounds",
    )
    options.add_argument("-o", "--output", type=Path, metavar="FILE", help="also write it here")
    return options


def main() -> int:
    """Runs everything, prints the report; 1 if anything went wrong."""
    given = parser().parse_args()
    if given.repeats < 1:
        parser().error(f"found --repeats {given.repeats}, expected at least 1")
    text, problems = bench(given.tokens, given.labels, given.seed, given.repeats, given.budget)
    print(text, end="")
    if given.output:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        given.output.write_text(text, encoding="utf-8")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

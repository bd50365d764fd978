"""carob as its users run it: the console script of the Python that runs the benchmark."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from _measure import measure
from _race import Contender, last_line

SPACES = (
    *("exact", "boundary", "overlap", "contains", "constrained", "left", "right", "iou"),
    *("ts", "token", "slots", "mentions", "fair", "nugget", "semeval"),
)
"""Every event space over mentions."""

EXACT = ("exact.PRF",)
EVERY = tuple(f"{space}.PRF" for space in SPACES)
MICRO_AND_MACRO = tuple(f"{space}.PRF{average}" for space in SPACES for average in ("", "@macro"))
RESAMPLES = 10_000


def script() -> str:
    """The path of the console script."""
    beside = Path(sys.executable).with_name("carob")
    if not beside.exists():
        raise SystemExit("carob is not installed for this Python: pip install -e '.[bench]'")
    return str(beside)


def measures(recipes: Iterable[str]) -> list[str]:
    """-m for each recipe."""
    return [part for recipe in recipes for part in ("-m", recipe)]


def score(
    paths: Sequence[Path | str], recipes: Iterable[str], resamples: int = 0, by_label: bool = True
) -> list[str]:
    """`carob score` of gold and systems."""
    wanted = [*measures(recipes), "--resamples", str(resamples)]
    return [script(), "score", *map(str, paths), *wanted, *(["--by-label"] * by_label)]


def compare(
    paths: Sequence[Path | str], recipes: Iterable[str], resamples: int = RESAMPLES,
    trials: int = RESAMPLES,
) -> list[str]:  # fmt: skip
    """`carob compare` of systems: intervals and p values of every difference and label."""
    wanted = [*measures(recipes), "--resamples", str(resamples), "--trials", str(trials)]
    return [script(), "compare", *map(str, paths), *wanted, "--by-label"]


def scorers(paths: Sequence[Path]) -> list[Contender]:
    """carob, from little work to much."""
    return [
        Contender("carob: P, R, F1 by label", score(paths, EXACT)),
        Contender("carob: the same, 1,000 resamples", score(paths, EXACT, 1000)),
        Contender(f"carob: {len(SPACES)} event spaces, by label", score(paths, EVERY)),
        Contender(
            f"carob: the same, micro and macro, {RESAMPLES:,} resamples",
            score(paths, MICRO_AND_MACRO, RESAMPLES),
        ),
    ]


def truth(paths: Sequence[Path], recipes: Sequence[str]) -> dict[str, float]:
    """carob's scores at full precision, from an untimed run that prints JSON."""
    run = measure([*score(paths, recipes, by_label=False), "--format", "json"])
    if run.code != 0:
        raise ValueError(f"carob score --format json failed: {last_line(run)}")
    found = json.loads(run.stdout)["systems"][0]["scores"]
    return {each["recipe"]: float(each["value"]) for each in found}

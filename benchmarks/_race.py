"""Contenders that take turns, so that a slow minute of the machine hits all of them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from _measure import Run, measure, peak_floor

ROOT = Path(__file__).resolve().parent.parent


@dataclass(slots=True)
class Contender:
    """A command to time, the package it needs, and its runs so far.

    `claims` tells which of carob's recipes the `f1` that it prints must equal, and how closely.
    """

    name: str
    command: list[str]
    needs: str | None = None
    claims: dict[str, float] = field(default_factory=dict)
    found: Callable[[str], dict[str, Any]] = json.loads
    runs: list[Run] = field(default_factory=list)
    sits_out: str = ""

    @property
    def failed(self) -> bool:
        return any(run.code != 0 for run in self.runs)

    @property
    def done(self) -> bool:
        """Whether there is something to report."""
        return bool(self.runs) and not self.failed

    @property
    def wall(self) -> float:
        return min(run.wall for run in self.runs)

    @property
    def cpu(self) -> float:
        return min(run.cpu for run in self.runs)

    @property
    def peak(self) -> float:
        return max(run.peak for run in self.runs)

    def spent(self) -> float:
        """CPU seconds so far: those of the wall count what else the machine does."""
        return sum(run.cpu for run in self.runs)


def race(contenders: Sequence[Contender], repeats: int, budget: float) -> None:
    """Rounds in which each contender runs once; one that failed or used its budget sits out."""
    for contender in contenders:
        if contender.needs is not None and find_spec(contender.needs) is None:
            contender.sits_out = f"skipped: {contender.needs} is not installed"
    for number in range(repeats):
        for contender in contenders:
            if contender.sits_out or contender.failed or contender.spent() > budget:
                continue
            print(f"  round {number + 1}: {contender.name}", file=sys.stderr, flush=True)
            contender.runs.append(measure(contender.command))


def spare(contenders: Sequence[Contender], smaller: Sequence[Contender], times: float,
          budget: float) -> None:  # fmt: skip
    """Lets those sit out that would use more than the budget, going by a smaller size."""
    known = {contender.name: contender for contender in smaller}
    for contender in contenders:
        before = known.get(contender.name)
        if before is None:
            continue
        if before.sits_out:
            contender.sits_out = before.sits_out
        elif before.done and before.cpu * times > budget:
            contender.sits_out = f"not run: about {before.cpu * times:,.0f} s"


def last_line(run: Run) -> str:
    """The end of what a failed process said, without the paths of this machine."""
    text = run.stderr.replace(sys.executable, "python").replace(f"{ROOT}{os.sep}", "")
    lines = text.strip().splitlines()
    return lines[-1] if lines else f"exit {run.code}, nothing on stderr"


def failures(contenders: Sequence[Contender]) -> list[str]:
    """A sentence for each contender that did not finish."""
    return [f"{c.name}: {last_line(c.runs[-1])}" for c in contenders if c.failed]


def disagreements(scores: dict[str, float], contenders: Sequence[Contender]) -> list[str]:
    """Sentences about scores that differ from carob's by more than a contender's decimals allow."""
    sentences = []
    for contender in contenders:
        for recipe, tolerance in contender.claims.items() if contender.done else ():
            for value in sorted({contender.found(run.stdout)[recipe] for run in contender.runs}):
                if not abs(value - scores[recipe]) <= tolerance:
                    sentences.append(
                        f"{contender.name} finds {recipe} {value!r}, carob {scores[recipe]!r}"
                    )
    return sentences


HEAD = ("contender", "runs", "wall s", "CPU s", "peak MiB", "wall / carob", "CPU / carob")


def table(contenders: Sequence[Contender], digits: int = 2) -> str:
    """One row a contender: minima of wall and CPU time, largest peak, ratios to the first."""
    base = contenders[0]
    return markdown(HEAD, [row(contender, base, digits) for contender in contenders])


def row(contender: Contender, base: Contender, digits: int = 2) -> list[str]:
    """The measurements of whole processes, or why there are none."""
    if contender.sits_out:
        return [contender.name, contender.sits_out]
    if not contender.done:
        return [contender.name, f"ERROR, exit {contender.runs[-1].code}"]
    peak = f"{contender.peak:.0f}"
    return [
        contender.name,
        str(len(contender.runs)),
        f"{contender.wall:.{digits}f}",
        f"{contender.cpu:.{digits}f}",
        peak if contender.peak > peak_floor() else f"<= {peak}",
        rounded(contender.wall / base.wall) if base.done else "",
        rounded(contender.cpu / base.cpu) if base.done else "",
    ]


def rounded(ratio: float) -> str:
    """Two decimals below 10, one below 100, none above: 1.23, 12.3, 123."""
    return f"{ratio:.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """A table; the columns after the first few are numbers and stand to the right."""
    rules = ["---"] * text_columns + ["---:"] * (len(head) - text_columns)
    full = [[*row, *[""] * (len(head) - len(row))] for row in rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rules, *full))

"""A challenge without a server: validate and score a folder of submissions, and write files.

Nothing here needs a database. Every submission is read in a child process with limits, as on the
server.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carob import progress
from carob.corpus.problems import DataError, UsageError, plain
from carob_challenge import scoring
from carob_challenge.child import Reply, run_limited
from carob_challenge.config import Config, Phase
from carob_challenge.material import Material, materials
from carob_challenge.ranks import Entry, rank
from carob_challenge.validate import failed

COLUMNS = (
    "rank", "rank_low", "rank_high", "cluster", "team", "score", "low", "high", "valid",
    "problems", "signature",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offline:
    """What scoring a folder has shown: a row for each submission, the best first."""

    phase: str
    measure: str
    rows: Sequence[Mapping[str, Any]]
    findings: Mapping[str, Mapping[str, Any]]
    """Of each submission, what validation says."""
    folder: Path
    """Where the files are."""

    def __str__(self) -> str:
        lines = [f"{self.phase}, ranked by {self.measure}"]
        for row in self.rows:
            if row["valid"] and row["score"] is not None:
                low = "" if row["low"] is None else f" ({row['low']:.4f} to {row['high']:.4f})"
                ranks = f"{row['rank_low']}-{row['rank_high']}"
                text = f"{row['rank']:>3}  {ranks:>7}  {row['score']:.4f}{low}  "
            elif row["valid"]:
                text = "     no score  "
            else:
                text = f"invalid, {row['problems']} problems  "
            lines.append(text + plain(row["team"]))
        return "\n".join(lines)


def score_folder(
    folder: str | Path,
    submissions: str | Path,
    output: str | Path | None = None,
    *,
    phase: str | None = None,
    reports: bool = True,
) -> Offline:
    """Validate and score every file or folder in `submissions`, each named after its team. Writes
    `board.csv`, `board.json`, `board.md`, what is wrong with each invalid file, and the reports of
    the others to `output` (default: `results` in the folder of the challenge).

    Without a phase, it is the one called `test`, or else the last one.
    """
    config = Config.read(folder)
    names = list(config.phases)
    own = config.phase(phase or ("test" if "test" in names else names[-1]))
    material = materials(config)[own.name].of_results()
    files = _files(Path(submissions))
    target = Path(output) if output is not None else Path(folder) / "results" / own.name
    target.mkdir(parents=True, exist_ok=True)
    work = _Offline(config, own, material, target)
    for name, file in progress.steps(files.items(), "submissions"):
        work.add(name, file, reports=reports)
    return work.written()


def _files(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise UsageError(f"found {os.fspath(folder)!r}, expected a folder of submissions")
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        name = path.name.removesuffix(".gz")
        name = name if path.is_dir() else Path(name).stem
        if name in files:
            raise UsageError(f"{files[name].name} and {path.name} are both of the team {name}")
        files[name] = path
    if not files:
        raise UsageError(f"{os.fspath(folder)!r} holds no submission")
    return files


class _Offline:
    def __init__(self, config: Config, phase: Phase, material: Material, target: Path) -> None:
        self.config, self.phase, self.material, self.target = config, phase, material, target
        self.findings: dict[str, Mapping[str, Any]] = {}
        self.scored: dict[str, Reply] = {}

    def _run(self, work: str, file: Path, seconds: int, **more: Any) -> Reply:
        own = self.config.limits
        arguments = scoring.arguments(self.material, own, file, file.name, **more)
        megabytes = own.validating_megabytes if work == "validated" else own.memory_megabytes
        return run_limited(f"scoring:{work}", arguments, seconds, megabytes)

    def add(self, name: str, file: Path, *, reports: bool) -> None:
        limits = self.config.limits
        reply = self._run("validated", file, limits.validating_seconds)
        findings = reply.content
        if reply.outcome != "done":
            found = f"a file whose validation ends with {reply.outcome}"
            findings = failed(file.name, found, "a file that can be validated")
        self.findings[name] = findings
        if not findings["valid"]:
            text = "\n".join(each["message"] for each in findings["problems"])
            (self.target / f"{name}.problems.txt").write_text(text + "\n", encoding="utf-8")
            return
        self.scored[name] = reply = self._run("scored", file, limits.scoring_seconds)
        if reply.outcome != "done":
            raise DataError(
                f"{name} is valid and cannot be scored: {reply.message or reply.outcome}"
            )
        if reports:
            page = (self.target / f"{name}.html").absolute()
            made = self._run("reported", file, limits.report_seconds, team=name, output=str(page))
            if made.outcome != "done":
                raise DataError(f"no report of {name}: {made.message or made.outcome}")

    def written(self) -> Offline:
        names = list(self.scored)
        entries = [
            Entry(i, self.scored[name].content["official"]["value"], *self.scored[name].blobs)
            for i, name in enumerate(names)
        ]
        made = rank(entries, self.material.official)
        rows = [self._row(name, made["ranks"][str(i)]) for i, name in enumerate(names)]
        rows.sort(key=lambda row: (row["rank"] or len(rows) + 1, row["team"].casefold()))
        rows += [self._row(name, {}) for name in self.findings if name not in self.scored]
        measure = str(self.material.official)
        result = Offline(self.phase.name, measure, rows, self.findings, self.target)
        self._write(result, made["pairs"], names)
        return result

    def _row(self, name: str, ranks: Mapping[str, Any]) -> dict[str, Any]:
        findings, reply = self.findings[name], self.scored.get(name)
        official: Mapping[str, Any] = {} if reply is None else reply.content["official"]
        return {
            **{key: ranks.get(key) for key in ("rank", "rank_low", "rank_high", "cluster")},
            "team": name, "score": official.get("value"), "low": official.get("low"),
            "high": official.get("high"), "valid": findings["valid"],
            "problems": findings["errors"],
            "signature": None if reply is None else reply.content["signature"],
        }  # fmt: skip

    def _write(self, result: Offline, pairs: Any, names: Sequence[str]) -> None:
        with (self.target / "board.csv").open("w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            out.writeheader()
            out.writerows({k: defused(v) for k, v in row.items()} for row in result.rows)
        pairwise = [{**each, "a": names[each["a"]], "b": names[each["b"]]} for each in pairs]
        content = {
            "title": self.config.title, "phase": result.phase, "measure": result.measure,
            "rows": list(result.rows), "pairs": pairwise,
            "scores": {name: dict(reply.content) for name, reply in self.scored.items()},
        }  # fmt: skip
        text = json.dumps(content, ensure_ascii=False, indent=1)
        (self.target / "board.json").write_text(text + "\n", encoding="utf-8")
        lines = [f"| {' | '.join(COLUMNS[:8])} |", f"|{'---|' * 8}"]
        for row in result.rows:
            cells = (_cell(row[key]) for key in COLUMNS[:8])
            lines.append(f"| {' | '.join(cells)} |")
        (self.target / "board.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else plain(str(value)).replace("|", "\\|")


def defused(value: Any) -> Any:
    """A cell for CSV that no spreadsheet takes for a formula.

    >>> defused("=1+1"), defused("Ann"), defused(-0.5), defused(None)
    ("'=1+1", 'Ann', -0.5, '')
    """
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return "" if value is None else value

"""Measure `carob report`: CPU time, peak memory, and the size of the page.

    python benchmarks/report.py            # about two minutes
    python benchmarks/report.py --write    # into docs/performance.md

The eight systems of CoNLL-2003 are those of the real data ($CAROB_DATA, or ../shared/data); without
it their row is missing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from _contenders import script
from _data import data
from _race import measure
from _report import machine, markdown, rounded, write_part

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 3
HEAD = ["report", "documents", "systems", "CPU s", "peak MiB", "page MB"]


def cases() -> dict[str, list[Path]]:
    """Gold and systems of each row."""
    real = Path(os.environ.get("CAROB_DATA", ROOT.parent / "shared" / "data")) / "conll2003-dev"
    found = {}
    if real.is_dir():
        found["CoNLL-2003 dev"] = [real / "gold.conll", *sorted((real / "systems").iterdir())]
    found["invented, short documents"] = data(2_000_000, systems=2, sentences=2)
    # As in a shared task: some systems are alike, others far better than the last.
    found["invented, 40 systems"] = data(14_500, systems=40, sentences=9, spread=3)
    return found


def row(name: str, paths: list[Path]) -> list[str]:
    """The least of several rounds."""
    text = paths[0].read_text(encoding="utf-8")
    documents = text.count("-DOCSTART-") or text.count("\n\n")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        command = [script(), "report", *map(str, paths), "-o", str(page)]
        runs = []
        for number in range(ROUNDS):
            print(f"  round {number + 1}: {name}", file=sys.stderr, flush=True)
            runs.append(measure(command))
            if runs[-1].code:
                sys.exit(f"{name}: {runs[-1].stderr}")
        size = page.stat().st_size
    cpu, peak = (min(getattr(run, what) for run in runs) for what in ("cpu", "peak"))
    numbers = (rounded(cpu), f"{peak:.0f}", f"{size / 1e6:.1f}")
    return [name, f"{documents:,}", str(len(paths) - 1), *numbers]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments = parser.parse_args()
    table = markdown(HEAD, [row(name, paths) for name, paths in cases().items()])
    text = f"\n{machine()}\n\n{table}\n"
    if arguments.write:
        write_part("report", text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

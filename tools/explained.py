"""Why other tools print other numbers for the real corpora: the tables of docs/explain.md.

    .venv/bin/python tools/explained.py            # print them
    .venv/bin/python tools/explained.py --write    # put them into docs/explain.md

They need the real data (`$CAROB_DATA`, or ../shared/data). Nothing but numbers is taken from it.
"""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

import carob
from carob.result.explanation import TINY, Explanation

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explain.md"
PART = re.compile(r"<!-- explained -->\n.*?<!-- /explained -->", re.S)
SHOWN = {"wnut17": "uh_ritual", "conll2003-dev": "chieu"}
"""The system of each corpus that is shown in full."""


def data() -> Path | None:
    """The folder of real data, if it exists."""
    folder = Path(os.environ.get("CAROB_DATA") or ROOT.parent / "shared" / "data")
    return folder if (folder / "wnut17").is_dir() else None


def explained(folder: Path, corpus: str) -> dict[str, Explanation]:
    """Every system of a corpus, like every tool."""
    gold = folder / corpus / "gold.conll"
    systems = sorted((folder / corpus / "systems").glob("*.conll"))
    return {path.stem: carob.explain(gold, path, examples=0) for path in systems}


def table(result: Explanation) -> list[str]:
    """For each tool the F1 of both, and the rules that make the difference."""
    lines = ["| tool | recipe | carob | rules: mentions of gold and system, change | tool |"
             " unexplained |", "|:--|:--|--:|:--|--:|--:|"]  # fmt: skip
    for tool in result:
        if tool.refusal:
            lines.append(f"| `{tool.tool}` | | | {tool.refusal} | none | |")
            continue
        number = next(n for n in tool.numbers if n.name.endswith(("F1", "FB1", "_f")))
        rules = [
            f"{share.rule} ({share.gold:,} and {share.system:,}) {share.changes[number.name]:+.4f}"
            for share in tool.shares
            if share.changes[number.name]
        ]
        left = tool.unexplained[number.name]
        lines.append(
            f"| `{tool.tool}` | `{number.recipe}` | {number.ours:.4f} | {'; '.join(rules) or '-'} "
            f"| {number.theirs:.4f} | {left:.4f} |"
        )
    return lines


def summary(corpus: str, results: dict[str, Explanation]) -> list[str]:
    """How many numbers there are, how many differ, and what is left unexplained."""
    lines = []
    for name, result in results.items():
        numbers = [number for tool in result for number in tool.numbers]
        unlike = sum(abs(number.difference) > TINY for number in numbers)
        left = max(abs(value) for tool in result for value in tool.unexplained.values())
        lines.append(f"| {corpus} | {name} | {len(numbers)} | {unlike} | {left:.4f} |")
    return lines


def page() -> str | None:
    """The tables, if the data is there."""
    folder = data()
    if folder is None:
        return None
    parts, rows = [], []
    for corpus, system in SHOWN.items():
        results = explained(folder, corpus)
        parts += [f"`{corpus}`, {system}: F1", "", *table(results[system]), ""]
        rows += summary(corpus, results)
    head = ["| corpus | system | numbers | that differ | largest part unexplained |",
            "|:--|:--|--:|--:|--:|"]  # fmt: skip
    return "\n".join([*parts, *head, *rows]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", action="store_true", help="put them into docs/explain.md")
    text = page()
    arguments = parser.parse_args()
    if text is None:
        print("the real data is not here; CAROB_DATA says where")
        return 1
    if arguments.write:
        new = f"<!-- explained -->\n{text}<!-- /explained -->"
        old = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(PART.sub(lambda _: new, old), encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

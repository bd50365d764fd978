"""Count lines and files of source, folder by folder, in a revision and now: a Markdown table.

    .venv/bin/python tools/lines.py 71b58d1            # print it
    .venv/bin/python tools/lines.py 71b58d1 --write    # put it into docs/design.md

Lines of Python and C count, including comments and blank lines.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "design.md"
SOURCE = ("src/*.py", "src/*.c")


def git(*arguments: str) -> str:
    """The output of a git command."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def lines_of_revision(revision: str) -> dict[str, int]:
    """The lines of each source file of a revision."""
    paths = git("ls-tree", "-r", "--name-only", revision, "--", "src").splitlines()
    sources = [path for path in paths if path.endswith((".py", ".c"))]
    return {path: git("show", f"{revision}:{path}").count("\n") for path in sources}


def lines_of_working_tree() -> dict[str, int]:
    """The lines of each source file as it is now; files that git ignores do not count."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "--", *SOURCE)
    files = [path for path in listed.splitlines() if (ROOT / path).exists()]
    return {path: (ROOT / path).read_text(encoding="utf-8").count("\n") for path in files}


def folder(path: str) -> str:
    """The folder inside carob, whose own name may have changed: match/, or root modules. Folders of
    the other packages have their package before them.
    """
    package, *parts = PurePosixPath(path).parts[1:]
    home = f"{package}/" if package.startswith("carob_") else ""
    if len(parts) > 1:
        return f"`{home}{parts[0]}/`"
    return f"`{home}`" if home else "root modules"


def language(path: str) -> str:
    """The row of totals that a file belongs to."""
    return "**all C**" if path.endswith(".c") else "**all Python**"


def table(before: dict[str, int], after: dict[str, int]) -> str:
    """A row for each folder, Python and C together, then the totals of both languages."""
    counts: dict[str, Counter[str]] = {}
    for when, lines in (("before", before), ("after", after)):
        for path, number in lines.items():
            for name in (folder(path), language(path)):
                count = counts.setdefault(name, Counter())
                count[f"files {when}"] += 1
                count[f"lines {when}"] += number
    columns = ("files before", "files after", "lines before", "lines after")
    rows = [f"| folder | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    order = sorted(counts, key=lambda name: (name[0] == "*", name == "root modules", name))
    for name in order:
        rows.append(f"| {name} | {' | '.join(f'{counts[name][key]:,}' for key in columns)} |")
    return "\n".join(rows)


def main() -> None:
    """Print the table or write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("revision", help="what to compare with, for example v0.1.0")
    parser.add_argument("--write", action="store_true", help="put the table into docs/design.md")
    arguments = parser.parse_args()
    text = table(lines_of_revision(arguments.revision), lines_of_working_tree())
    if not arguments.write:
        print(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    part = f"<!-- lines -->\n{text}\n<!-- /lines -->"
    PAGE.write_text(
        re.sub(r"<!-- lines -->.*<!-- /lines -->", lambda _: part, page, flags=re.DOTALL),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()

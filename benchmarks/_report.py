"""What the benchmarks print: Markdown tables, the machine, and the parts of docs/performance.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from _race import Contender, peak_floor

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
PACKAGES = (
    *("carob", "numpy", "seqeval", "nervaluate", "conlleval", "seqscore", "spacy"),
    *("scikit-learn", "polars"),
)
HEAD = ("contender", "runs", "wall s", "CPU s", "peak MiB", "wall / carob", "CPU / carob")


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """A table. The columns after the first `text_columns` are numbers, aligned to the right."""
    rules = ["---"] * text_columns + ["---:"] * (len(head) - text_columns)
    full = [[*row, *[""] * (len(head) - len(row))] for row in rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rules, *full))


def table(contenders: Sequence[Contender], digits: int = 2) -> str:
    """A row for each contender: least wall and CPU time, largest peak, ratios to the first row."""
    base = contenders[0]
    return markdown(HEAD, [row(contender, base, digits) for contender in contenders])


def row(contender: Contender, base: Contender, digits: int = 2) -> list[str]:
    """The measurements of a contender, or why there are none."""
    if contender.why_not_run:
        return [contender.name, contender.why_not_run]
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


def machine() -> str:
    """The machine, and the versions of everything that is measured."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    scanner = "yes" if find_spec("carob.arrays._scan") else "no, NumPy alone"
    facts = [
        f"- processor: {processor()}, {cores} cores usable, {memory()}",
        f"- system: {platform.system()} {platform.machine()}",
        f"- Python {platform.python_version()} ({platform.python_implementation()})",
        f"- compiled scanner: {scanner}",
        "- " + ", ".join(f"{package} {installed_version(package)}" for package in PACKAGES),
    ]
    return "\n".join(facts)


def processor() -> str:
    """The model, from Linux if possible, otherwise from Python."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def memory() -> str:
    """The size of the memory."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "memory unknown"
    return f"{size / (1 << 30):.0f} GiB"


def installed_version(package: str) -> str:
    """The version of a package, or `not installed`."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def replace_part(page: str, name: str, text: str) -> str:
    """The page with `text` between `<!-- NAME -->` and `<!-- /NAME -->`."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise ValueError(f"expected one {begin} and one {end} after it")
    before, _, rest = page.partition(begin)
    after = rest.partition(end)[2]
    return f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}"


def write_part(name: str, text: str) -> None:
    """Replace that part of docs/performance.md."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(replace_part(page, name, text), encoding="utf-8")

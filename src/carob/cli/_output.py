"""What commands print: data to stdout or a file, coverage and warnings to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from carob.corpus.problems import UsageError, plain

if TYPE_CHECKING:
    from carob.result.scores import File


def write_output(text: str, path: str | None) -> None:
    """Data to stdout, or to a file."""
    if path is None or path == "-":
        sys.stdout.write(text)
        return
    try:
        with open(path, "w", -1, "utf-8", "backslashreplace", "\n") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def print_warnings(warnings: Iterable[str]) -> None:
    """Each on its line on stderr."""
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)


def print_coverage(systems: Sequence[File], gold: File | None = None) -> None:
    """How much of each system was compared, after what is wrong with gold or the options."""
    print_warnings(() if gold is None else gold.warnings)
    for system in systems:
        counts = dict(system.coverage)
        kinds = [kind for kind in ("fillers", "mentions") if counts.get(f"gold_{kind}", 0)
                 or counts.get(f"system_{kind}", 0)] or ["mentions"]  # fmt: skip
        sides = (f"{counts[f'gold_{kind}']:,} gold and {counts[f'system_{kind}']:,} system {kind}"
                 for kind in kinds)  # fmt: skip
        more = [key for key in ("ungrounded", "empty") if key in counts]
        keys = ("repaired", "discarded", "unaligned", "ignored", *more)
        print(
            f"{plain(system.name)}: {counts['documents']:,} documents, {', '.join(sides)}; "
            + ", ".join(f"{counts[key]:,} {key}" for key in keys),
            file=sys.stderr,
        )
        print_warnings(f"{plain(system.name)}: {warning}" for warning in system.warnings)

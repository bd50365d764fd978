"""Small files must not eat the machine: each case stays within 500 MB and 10 s, or is refused."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

MEGABYTES, SECONDS = 500, 10
COMMANDS = ("score", "errors", "compare")


def bounded(*arguments: str) -> tuple[int, str, str]:
    """Run carob in a process of its own: exit code, output and messages, within the limits."""
    process = subprocess.Popen(
        [sys.executable, "-m", "carob", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    )
    before = time.monotonic()
    # The output of these cases is small, as one of the tests checks, and fits the pipe.
    out, messages = process.communicate(timeout=6 * SECONDS)
    assert time.monotonic() - before < SECONDS
    # The largest of all processes so far: none may be larger.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MEGABYTES * 1024
    assert "Traceback" not in messages
    return process.returncode, out, messages


def run(command: str, gold: Path, system: Path, *more: str) -> tuple[int, str, str]:
    """Run one of the commands that score; `compare` gets gold as its second system."""
    second = [str(gold)] if command == "compare" else []
    return bounded(command, str(gold), str(system), *second, *more)


Mentions = Sequence[tuple[int, int]]


def spans(folder: Path, length: int, gold: Mentions, system: Mentions) -> tuple[Path, Path]:
    """One document of this many tokens, with these mentions."""
    paths = folder / "gold.jsonl", folder / "system.jsonl"
    for path, mentions in zip(paths, (gold, system), strict=True):
        document: dict[str, Any] = {
            "tokens": ["a"] * length,
            "mentions": [{"start": start, "end": end, "label": "A"} for start, end in mentions],
        }
        path.write_text(json.dumps(document))
    return paths


def labels(folder: Path, count: int, *, end: str) -> tuple[Path, Path]:
    """One token for each label; the system has a third of the labels wrong."""
    paths = folder / "gold.conll", folder / "system.conll"
    wrong = [(i + (i % 3 == 0)) % count for i in range(count)]
    for path, numbers in zip(paths, (range(count), wrong), strict=True):
        path.write_text("".join(f"a B-L{number}\n{end}" for number in numbers))
    return paths


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("count", [2_500, 10_000])
def test_a_document_for_each_label(tmp_path: Path, count: int, command: str) -> None:
    code, out, messages = run(command, *labels(tmp_path, count, end="\n"))
    assert 0 == code
    assert len(out) < 10_000
    if count == 10_000 and command != "errors":
        assert "macro is an average over 10,000 labels, more than 5,000" in out + messages


@pytest.mark.parametrize("count", [2_000, 8_000])
def test_confusions_of_many_labels_are_a_list_of_the_largest(tmp_path: Path, count: int) -> None:
    gold, system = labels(tmp_path, count, end="")
    code, out, _ = run("errors", gold, system)
    assert 0 == code and len(out) < 10_000
    wrong = -(-count // 3)
    assert f"{wrong - 40:,} smaller entries with {wrong - 40:,} errors are not shown" in out
    code, out, _ = run("errors", gold, system, "--format", "json")
    assert 0 == code and len(out) < 200 * count
    assert wrong == sum(n for row in json.loads(out)["confusion"].values() for n in row.values())

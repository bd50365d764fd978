"""Small files must not eat the machine: each case stays within 500 MB and 10 s, or is refused."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.limited import RUN_CAROB, Limited

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc of Linux"),
]

MEGABYTES, SECONDS = 500, 10
COMMANDS = ("score", "errors", "compare")


@pytest.fixture(scope="module")
def process() -> Iterator[Limited]:
    with Limited(RUN_CAROB, 3 << 30) as process:
        yield process


Run: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bounded(process: Limited, tmp_path: Path) -> Run:
    """Runs carob in a process of its own: exit code, output and messages, within the limits."""

    def bounded(*arguments: str) -> tuple[int, str, str]:
        (code, out, messages), cpu, megabytes = process(str(tmp_path), *arguments)
        # The time of the processor, which other work on the machine does not change much.
        assert cpu < SECONDS
        assert megabytes < MEGABYTES
        assert "Traceback" not in messages
        return code, out, messages

    return bounded


@pytest.fixture
def run(bounded: Run) -> Run:
    """Runs one of the commands that score; `compare` gets gold as its second system."""

    def run(command: str, gold: Path, system: Path, *more: str) -> tuple[int, str, str]:
        second = [str(gold)] if command == "compare" else []
        return bounded(command, str(gold), str(system), *second, *more)

    return run


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
def test_a_document_for_each_label(tmp_path: Path, count: int, command: str, run: Run) -> None:
    code, out, messages = run(command, *labels(tmp_path, count, end="\n"))
    assert 0 == code
    assert len(out) < 10_000
    if count == 10_000 and command != "errors":
        assert "macro is an average over 10,000 labels, more than 5,000" in out + messages


@pytest.mark.parametrize("count", [2_000, 8_000])
def test_confusions_of_many_labels_are_a_list_of_the_largest(
    tmp_path: Path, count: int, run: Run
) -> None:
    gold, system = labels(tmp_path, count, end="")
    code, out, _ = run("errors", gold, system)
    assert 0 == code and len(out) < 10_000
    wrong = -(-count // 3)
    assert f"{wrong - 40:,} smaller entries with {wrong - 40:,} errors are not shown" in out
    code, out, _ = run("errors", gold, system, "--format", "json")
    assert 0 == code and len(out) < 200 * count
    assert wrong == sum(n for row in json.loads(out)["confusion"].values() for n in row.values())


@pytest.mark.parametrize(("measures", "rows"), [((), False), (("-m", "exact.F1"), True)])
def test_rows_of_labels_are_left_out_where_they_would_fill_the_memory(
    tmp_path: Path, bounded: Run, measures: tuple[str, ...], rows: bool
) -> None:
    paths = [str(path) for path in labels(tmp_path, 60_000, end="\n")]
    code, out, messages = bounded("score", *paths, *measures, "--format", "json")
    assert 0 == code
    content = json.loads(out)
    assert 60_000 * rows == len(content["systems"][0]["scores"][0]["by_label"])
    remark = (
        "60,000 labels would have 780,000 rows, more than 200,000: there are none; --labels "
        "chooses some labels, -m one recipe"
    )
    assert rows != (f"warning: {remark}" in messages) and rows != (remark in content["remarks"])


COPIES = [(0, 1)] * 10_000
CROWD = [(i, i + 1) for i in range(400)], [(0, 400)] * 27_000


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("gold", "system", "pairs"),
    [(COPIES, COPIES, "100,000,000"), (*CROWD, "10,800,000")],
    ids=["copies", "crowd"],
)
def test_too_many_overlaps_are_refused(
    tmp_path: Path, gold: Mentions, system: Mentions, pairs: str, command: str, run: Run
) -> None:
    code, out, messages = run(command, *spans(tmp_path, 400, gold, system))
    assert (1, "") == (code, out)
    found = f"K309 found {pairs} pairs of mentions that overlap, expected at most 1,000,000"
    assert f"document '1': {found}" in messages


def test_what_compares_no_pairs_counts_any_number_of_copies(tmp_path: Path, run: Run) -> None:
    paths = spans(tmp_path, 1, COPIES, COPIES[1:])
    code, out, _ = run("score", *paths, "-m", "exact.R", "--format", "json")
    assert 0 == code
    assert 0.9999 == json.loads(out)["systems"][0]["scores"][0]["value"]


@pytest.mark.parametrize(
    ("count", "command"), [(300, "errors"), *((1_000, command) for command in COMMANDS)]
)
def test_mentions_that_are_hard_to_align(
    tmp_path: Path, count: int, command: str, run: Run
) -> None:
    """Each gold mention overlaps all system mentions before it, and all of them want the first."""
    gold = [(0, i + 1) for i in range(count)]
    system = [(i, 2 * count - i) for i in range(count)]
    code, _, messages = run(command, *spans(tmp_path, 2 * count, gold, system))
    assert (count > 300) == code
    assert ("overlap in too many ways to align them" in messages) == (count > 300)


@pytest.mark.parametrize("count", [300, 1_300])
def test_mentions_that_are_hard_to_pair_one_to_one(tmp_path: Path, count: int, run: Run) -> None:
    """The first of gold overlaps all system mentions, each further one the last of them less."""
    gold = [(i, 2 * count - i) for i in range(count)]
    system = [(count + i, 2 * count) for i in range(count)]
    paths = spans(tmp_path, 2 * count, gold, system)
    code, _, messages = run("score", *paths, "-m", "overlap(pairing=one).F1")
    assert (count > 300) == code
    refused = "K309 found mentions that overlap in too many ways to pair them one to one"
    assert (refused in messages) == (count > 300)
    code, _, _ = run("score", *paths, "-m", "overlap.F1")
    assert 0 == code


def test_long_mentions_that_compete_need_little_memory(tmp_path: Path, run: Run) -> None:
    """Every two of 300 mentions share most of 100,000 tokens."""
    gold = [(i, 100_000 - 2 * i) for i in range(300)]
    system = [(2 * i + 1, 100_000 - i) for i in range(300)]
    code, _, _ = run("errors", *spans(tmp_path, 100_000, gold, system), "-m", "fair.F1")
    assert 0 == code


def test_a_thousand_folders_in_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bounded: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(1_500):
        Path("d").mkdir()
        os.chdir("d")
    Path("a.conll").write_text("a B-A\n")
    try:
        code, _, _ = bounded("score", str(tmp_path), str(tmp_path), "-m", "exact.F1")
    finally:
        # They are too deep for those who clean up.
        Path("a.conll").unlink()
        for _ in range(1_500):
            os.chdir("..")
            Path("d").rmdir()
    assert 0 == code


@pytest.mark.parametrize("command", COMMANDS)
def test_long_fillers_are_searched_and_compared_in_time(
    tmp_path: Path, command: str, run: Run
) -> None:
    """Words that repeat, and a difference at the very end."""
    words = [f"w{i % 7}" for i in range(80_000)]
    paths = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    for path, last in zip(paths, ("w0", "x"), strict=True):
        templates = [{"slots": {"a": [" ".join([*words[:-1], last])]}}]
        path.write_text(json.dumps({"text": " ".join(words), "templates": templates}))
    code, _, messages = run(command, *paths)
    assert 0 == code
    assert "too many" not in messages


@pytest.mark.parametrize("command", COMMANDS)
def test_thousands_of_labels_that_only_one_side_has(tmp_path: Path, command: str, run: Run) -> None:
    paths = tmp_path / "gold.conll", tmp_path / "system.conll"
    for path, end in zip(paths, ("", "x"), strict=True):
        path.write_text("".join(f"a B-{number}{end}\n\n" for number in range(20_000)))
    code, _, _ = run(command, *paths)
    assert 0 == code

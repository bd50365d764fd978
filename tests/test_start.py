"""Starting is quick: what a command does not need it does not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GOLD = "Ann B-PER\nslept O\n\nBo B-PER\nwoke O\n"
SYSTEM = "Ann B-PER\nslept O\n\nBo O\nwoke O\n"

HEAVY = {
    "asyncio", "bz2", "csv", "difflib", "email", "gzip", "http", "importlib.metadata", "json",
    "logging", "lzma", "numpy.typing", "pandas", "pathlib", "polars", "scipy", "shutil", "socket",
    "ssl", "statistics", "subprocess", "tempfile", "unittest", "urllib.parse",
}  # fmt: skip
"""Slow to load, and a score of two files needs none of them."""

OURS = {
    "carob.arrays.assign", "carob.arrays.cover", "carob.explain", "carob.formats.folders",
    "carob.formats.brat", "carob.formats.jsonl", "carob.infer", "carob.match.fair",
    "carob.match.overlap", "carob.match.units", "carob.result.comparison", "carob.result.interval",
    "carob.protocol", "carob.report.json",
}  # fmt: skip
"""Ours that exact.F1 without intervals needs none of."""


def loaded(*arguments: str) -> set[str]:
    """The modules that a command has loaded when it is done, apart from NumPy's own."""
    program = (
        "import sys\n"
        "from carob.cli import main\n"
        "try:\n"
        "    code = main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    code = end.code\n"
        "assert not code, code\n"
        "there = set(sys.modules)\n"
        "if 'numpy' in there:\n"
        "    import subprocess\n"
        "    listed = 'import numpy, sys; print(*sys.modules)'\n"
        "    own = subprocess.run([sys.executable, '-c', listed], capture_output=True, text=True)\n"
        "    there -= set(own.stdout.split()) - {'numpy'}\n"
        "print('@', *there)\n"
    )
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("@")[2].split())


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("score", "--help")])
def test_help_and_version_load_no_numpy(arguments: tuple[str, ...]) -> None:
    there = loaded(*arguments)
    assert "carob.cli" in there
    assert set() == there & ({"numpy", "dataclasses", "typing"} | HEAVY)


def test_a_version_loads_no_command() -> None:
    assert {"carob.cli"} == {name for name in loaded("--version") if name.startswith("carob.cli")}


def test_a_small_score_loads_what_it_needs(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text(GOLD)
    system.write_text(SYSTEM)
    there = loaded("score", str(gold), str(system), "-m", "exact.F1", "--resamples", "0")
    assert {"numpy", "carob.match.exact"} <= there
    assert set() == there & HEAVY
    assert set() == {
        name for name in there if any(f"{name}.".startswith(f"{ours}.") for ours in OURS)
    }


@pytest.mark.parametrize("command", ["score", "compare"])
def test_intervals_load_little_more(command: str, tmp_path: Path) -> None:
    gold, one, other = (tmp_path / f"{name}.conll" for name in ("gold", "one", "other"))
    for file, text in ((gold, GOLD), (one, SYSTEM), (other, GOLD)):
        file.write_text(text)
    there = loaded(command, str(gold), str(one), str(other), "-m", "exact.F1")
    assert "carob.infer" in there
    assert set() == there & (HEAVY - {"statistics"} | {"numpy.ma"})


@pytest.mark.parametrize("call", [["--version"], ["score", "GOLD", "GOLD", "-m", "exact.F1"]])
def test_a_program_that_calls_main_keeps_its_data_and_its_settings(
    tmp_path: Path, call: list[str]
) -> None:
    """At its end Python closes files that the program left open. One that belongs to an object
    which refers to itself is left to the garbage collector: it must still look there.
    """
    gold, target = tmp_path / "gold.conll", tmp_path / "written.txt"
    gold.write_text(GOLD)
    program = (
        "import gc, os, sys\n"
        "from carob.cli import main\n"
        "class Log:\n"
        "    def __init__(self, path):\n"
        "        self.file, self.me = open(path, 'w'), self\n"
        "        self.file.write('kept')\n"
        "log = Log(sys.argv[1])\n"
        "before = gc.get_threshold(), gc.isenabled(), gc.get_freeze_count(), dict(os.environ)\n"
        "before += sys.stdout.errors,\n"
        "try:\n"
        "    main(sys.argv[2:])\n"
        "except SystemExit:\n"
        "    pass\n"
        "after = gc.get_threshold(), gc.isenabled(), gc.get_freeze_count(), dict(os.environ)\n"
        "assert before == (*after, sys.stdout.errors), after\n"
    )
    arguments = [str(gold) if word == "GOLD" else word for word in call]
    command = [sys.executable, "-c", program, str(target), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    assert "kept" == target.read_text()


def test_importing_carob_loads_nothing_else() -> None:
    program = "import sys; import carob; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True)  # fmt: skip
    there = set(done.stdout.split())
    assert "numpy" not in there
    assert {"carob", "carob._version"} == {n for n in there if n.partition(".")[0] == "carob"}

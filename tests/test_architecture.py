"""Data flows one way, as docs/design.md draws it. Every module is checked, none is excepted."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import carob
from carob import registry
from carob.cli import commands

ROOT = Path(carob.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
COMPONENTS = [(stage, name) for stage in registry.STAGES for name in registry.builtin(stage)]

NOUNS = ("arrays", "corpus", "values", "pair", "counts", "result")
"""Each may import those before it."""

STAGES = {"formats", "match", "measure", "average", "infer", "explain", "report", "learn", "peers"}
ROOM = {"seminars", "generator", "example", "invoices"}
"""Made-up corpora: they import nothing but corpus."""

SHARED = {"plugin", "progress", "_version"}

BELOW: dict[str, set[str]] = {
    **{noun: set(NOUNS[:i]) for i, noun in enumerate(NOUNS)},
    "plugin": set(NOUNS),
    "progress": set(),
    **{stage: {*NOUNS, "plugin", "progress"} for stage in STAGES},
    **{room: {"corpus"} for room in ROOM},
    "registry": {"corpus", "plugin"},
    "recipe": {*NOUNS, "plugin", "registry"},
    "evaluate": {*NOUNS, *STAGES, *ROOM, *SHARED, "registry", "recipe"},
    "experiment": {*NOUNS, *STAGES, *SHARED, "registry", "recipe", "evaluate"},
    "compat": {*NOUNS, *STAGES, *SHARED, "registry", "recipe", "evaluate"},
    "challenge": {*NOUNS, *STAGES, *ROOM, *SHARED, "registry", "recipe", "evaluate"},
    "cli": {*NOUNS, *STAGES, *SHARED, "registry", "recipe", "evaluate", "experiment", "challenge"},
    "__main__": {"cli"},
    "_version": set(),
    "__init__": {*NOUNS, "evaluate", "experiment", "recipe", "_version"},
}
"""What each folder and root module may import beside itself."""


def imported(file: Path) -> set[str]:
    """The modules of carob that a file imports, wherever in it, without the leading name."""
    found = set()
    # Imports are statements: looking at expressions too would take four times as long.
    nodes: list[ast.AST] = [ast.parse(file.read_text())]
    for node in nodes:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, block, ())
            nodes += inside if isinstance(inside, list) else ()
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.removeprefix("carob.") for name in names if name.startswith("carob.")}
    return found


def part(file: Path) -> str:
    """The folder of a module, or the name of a root module."""
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def wrong_imports(file: Path, part: str) -> set[str]:
    """What a module imports and may not: another room, or a private module of another folder."""
    found = set()
    for name in imported(file):
        folder, _, rest = name.partition(".")
        private = rest.startswith("_") and not rest.startswith("__")
        if folder != part and (folder not in BELOW[part] or private):
            found.add(name)
    return found


def test_a_module_imports_only_what_lies_below_it() -> None:
    wrong = {str(file.relative_to(ROOT)): wrong_imports(file, part(file)) for file in MODULES}
    assert {} == {file: names for file, names in wrong.items() if names}


def test_the_check_of_imports_can_fail(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "def f():\n"
        "    from carob.match.exact import Exact\n"
        "    import carob.report.csv\n"
        "    from carob.corpus import _hidden, source\n"
    )
    assert {"match.exact.Exact", "report.csv", "corpus._hidden"} == wrong_imports(file, "measure")


def test_commands_do_not_import_commands() -> None:
    for file in MODULES:
        if part(file) == "cli" and not file.name.startswith("_"):
            inside = {name.split(".")[1] for name in imported(file) if name.startswith("cli.")}
            assert set() == inside & set(commands()), file


@pytest.mark.parametrize(("stage", "name"), COMPONENTS)
def test_a_component_explains_itself(stage: str, name: str) -> None:
    doc = inspect.cleandoc(registry.load(stage, name).__doc__ or "")
    assert re.match(r"[A-Z].*?\.(\s|$)", doc, re.S), "the first sentence says what it is"
    assert ">>>" in doc, "an example that runs"
    if stage in ("match", "measure"):
        assert re.search(r"\(\d{4}\)", doc), "its source"


def test_every_public_name_is_there() -> None:
    assert all(hasattr(carob, name) for name in carob.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = carob.nothing


@pytest.mark.parametrize("call", [["--help"], ["--version"], ["score", "--help"], ["score"]])
def test_help_and_usage_errors_do_not_import_numpy(call: list[str]) -> None:
    code = (
        "import sys, carob.cli\n"
        f"try: carob.cli.main({call!r})\n"
        "except SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules or 'dataclasses' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


def test_one_score_walks_through_few_files() -> None:
    """A reader can follow a score: every file with a function that it calls, private ones too."""
    visited = runpy.run_path(str(ROOT.parents[1] / "tools" / "draw.py"))["visited"]()
    assert len(visited) <= 38, visited

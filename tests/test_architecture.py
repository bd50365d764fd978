"""Data flows one way: a stage imports the nouns, the arrays and itself, never another stage."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import karat
from karat import registry

ROOT = Path(karat.__file__).parent
STAGES = {"formats", "match", "measure", "average", "infer", "explain", "report"}
BELOW = {"nouns": {"nouns", "arrays"}, "arrays": {"arrays", "nouns"}}
MODULES = sorted(ROOT.rglob("*.py"))
COMPONENTS = [(stage, name) for stage in registry.STAGES for name in registry.builtin(stage)]


def imported(file: Path) -> set[str]:
    """The parts of karat that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "karat":
                names = [f"karat.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("karat.")}
    return found


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_stage_imports_no_other_stage(file: Path) -> None:
    part = file.relative_to(ROOT).parts[0]
    others = imported(file) - {part}
    if part in STAGES:
        assert set() == others - {"nouns", "arrays", "signature"}
    elif part in BELOW:
        assert set() == others - BELOW[part] - {"registry", "recipe"}


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_dataclasses_are_those_that_are_made_quickly(file: Path) -> None:
    assert not re.search(r"^from dataclasses import .*\bdataclass\b", file.read_text(), re.M)


def test_the_check_of_imports_can_fail(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "def f():\n    from karat.match.exact import Exact\n    import karat.report.csv\n"
    )
    assert {"match", "report"} == imported(file)


@pytest.mark.parametrize(("stage", "name"), COMPONENTS)
def test_a_component_explains_itself(stage: str, name: str) -> None:
    doc = inspect.cleandoc(registry.load(stage, name).__doc__ or "")
    assert re.match(r"[A-Z].*?\.(\s|$)", doc, re.S), "the first sentence says what it is"
    assert ">>>" in doc, "an example that runs"
    if stage in ("match", "measure"):
        assert re.search(r"\(\d{4}\)", doc), "its source"


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_files_stay_small(file: Path) -> None:
    assert file.read_text().count("\n") < 400


def test_what_karat_promises_is_there() -> None:
    assert all(hasattr(karat, name) for name in karat.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = karat.nothing


@pytest.mark.parametrize("call", [["--help"], ["--version"], ["score", "--help"], ["score"]])
def test_help_and_usage_errors_do_not_import_numpy(call: list[str]) -> None:
    code = (
        "import sys, karat.cli\n"
        f"try: karat.cli.main({call!r})\n"
        "except SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules or 'dataclasses' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0

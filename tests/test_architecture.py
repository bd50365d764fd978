"""Data flows one way, as docs/design.md draws it. Every module of all three packages is checked."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import carob
import carob_lab
from carob import registry
from carob.cli import commands

SOURCE = Path(carob.__file__).parents[1]
PACKAGES = ("carob", "carob_lab", "carob_challenge")
MODULES = [
    (package, file) for package in PACKAGES for file in sorted((SOURCE / package).rglob("*.py"))
]
COMPONENTS = [(stage, name) for stage in registry.STAGES for name in registry.names(stage)]

NOUNS = ("arrays", "corpus", "values", "pair", "counts", "result")
"""Each may import those before it."""

STAGES = {"formats", "match", "measure", "average", "infer", "explain", "report", "peers"}

SHARED = {"plugin", "progress", "entry_points", "_version"}

BELOW: dict[str, set[str]] = {
    **{noun: set(NOUNS[:i]) for i, noun in enumerate(NOUNS)},
    "plugin": set(NOUNS),
    "progress": set(),
    "entry_points": {"corpus"},
    **{stage: {*NOUNS, "plugin", "progress"} for stage in STAGES},
    "report": {*NOUNS, "plugin", "progress", "entry_points"},
    "example": {"corpus"},
    "registry": {"corpus", "plugin", "entry_points"},
    "recipe": {*NOUNS, "plugin", "registry"},
    "evaluate": {*NOUNS, *STAGES, *SHARED, "example", "registry", "recipe"},
    "compat": {*NOUNS, *STAGES, *SHARED, "registry", "recipe", "evaluate"},
    "cli": {*NOUNS, *STAGES, *SHARED, "registry", "recipe", "evaluate"},
    "__main__": {"cli"},
    "_version": set(),
    "__init__": {*NOUNS, "evaluate", "recipe", "_version"},
}
"""What each folder and root module of carob may import beside itself; nothing of other packages."""

LAB = {
    **{folder: set[str]() for folder in ("plan", "learn", "report", "make")},
    "run": {"plan", "learn", "report"},
    "cli": {"plan", "learn", "report", "make", "run"},
    "__init__": {"plan", "learn", "report", "make", "run"},
}
"""What each folder of carob_lab may import of carob_lab beside itself."""

PRIVATE = {"carob.cli._arguments", "carob.report.charts._style"}
"""Private modules of carob that the lab or the challenge server imports. There shall be none."""


def imported(file: Path) -> set[str]:
    """The modules of our packages that a file imports, wherever in it."""
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
        found |= {name for name in names if name.partition(".")[0] in PACKAGES}
    return found


def part(package: str, file: Path) -> str:
    """The folder of a module, or the name of a root module."""
    return file.relative_to(SOURCE / package).parts[0].removesuffix(".py")


def wrong_imports(file: Path, package: str, part: str) -> set[str]:
    """What a module imports and may not: another room, a private module of another folder, or a
    package that does not lie below its own.
    """
    found = set()
    for name in imported(file):
        home, folder, *rest = [*name.split("."), ""]
        private = any(each[:1] == "_" and each[:2] != "__" for each in rest)
        if home != package:
            known = any(name.startswith(each) for each in PRIVATE)
            wrong = home != "carob" or (private and not known)
        elif folder == part:
            wrong = False
        elif package == "carob_challenge":  # its folders are not sorted yet
            wrong = private
        else:
            wrong = private or folder not in (BELOW if package == "carob" else LAB)[part]
        found |= {name} if wrong else set()
    return found


def test_a_module_imports_only_what_lies_below_it() -> None:
    wrong = {
        str(file.relative_to(SOURCE)): wrong_imports(file, package, part(package, file))
        for package, file in MODULES
    }
    assert {} == {file: names for file, names in wrong.items() if names}


def test_the_private_modules_that_other_packages_import_are_known() -> None:
    every = {
        name for package, file in MODULES if package != "carob"
        for name in imported(file) if name.startswith("carob.") and "._" in name
    }  # fmt: skip
    there = {name for name in PRIVATE for each in every if each.startswith(name)}
    assert PRIVATE == there


def test_the_check_of_imports_can_fail(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "def f():\n"
        "    from carob.match.exact import Exact\n"
        "    import carob.report.csv\n"
        "    from carob.corpus import _hidden, source\n"
        "    import carob_lab.learn.rote\n"
    )
    assert wrong_imports(file, "carob", "measure") == {
        "carob.match.exact.Exact", "carob.report.csv", "carob.corpus._hidden",
        "carob_lab.learn.rote",
    }  # fmt: skip
    assert wrong_imports(file, "carob_lab", "plan") == {
        "carob.corpus._hidden", "carob_lab.learn.rote",
    }  # fmt: skip
    assert wrong_imports(file, "carob_challenge", "web") == {
        "carob.corpus._hidden", "carob_lab.learn.rote",
    }  # fmt: skip


def test_one_module_loads_the_one_compiled_file() -> None:
    """So that carob without it is carob with another value in that module."""
    [file] = SOURCE.rglob("*.c")
    users = [each for _, each in MODULES if f"{file.stem} import" in each.read_text()]
    assert [file.with_name("scan.py")] == users


def test_commands_do_not_import_commands() -> None:
    for package, file in MODULES:
        if part(package, file) == "cli" and not file.name.startswith("_"):
            inside = {n.split(".")[2] for n in imported(file) if n.startswith(f"{package}.cli.")}
            assert set() == inside & set(commands()), file


def test_everything_that_the_lab_and_the_challenge_server_have_is_an_entry_point() -> None:
    """pyproject.toml lists by hand what folders list of carob itself."""
    project = tomllib.loads((SOURCE.parent / "pyproject.toml").read_text())["project"]
    groups = project["entry-points"]
    declared = {each.partition(":")[0] for group in groups.values() for each in group.values()}
    files = [
        file for package, folder in (("carob_lab", "cli"), ("carob_challenge", "cli"))
        for file in (SOURCE / package / folder).glob("[!_]*.py")
    ]  # fmt: skip
    learners = (SOURCE / "carob_lab" / "learn").glob("[!_]*.py")
    files += [file for file in learners if "    name: ClassVar" in file.read_text()]
    modules = {".".join(file.relative_to(SOURCE).with_suffix("").parts) for file in files}
    assert modules <= declared
    assert all((SOURCE / f"{module.replace('.', '/')}.py").exists() for module in declared)


@pytest.mark.parametrize("package", PACKAGES)
def test_tests_of_a_package_need_no_package_above_it(package: str) -> None:
    """They run where only that package and carob are."""
    folder = package.removeprefix("carob_")
    allowed = {"carob", package}
    for file in sorted((SOURCE.parent / "tests" / folder).rglob("*.py")):
        assert {name.partition(".")[0] for name in imported(file)} <= allowed, file
        others = {"carob", "lab", "challenge"} - {folder}
        assert not re.search(rf"^from tests\.({'|'.join(others)})\b", file.read_text(), re.M), file


@pytest.mark.parametrize(("stage", "name"), COMPONENTS)
def test_a_component_explains_itself(stage: str, name: str) -> None:
    doc = inspect.cleandoc(registry.load(stage, name).__doc__ or "")
    assert re.match(r"[A-Z].*?\.(\s|$)", doc, re.S), "the first sentence says what it is"
    assert ">>>" in doc, "an example that runs"
    if stage in ("match", "measure"):
        assert re.search(r"\(\d{4}\)", doc), "its source"


def test_every_public_name_is_there() -> None:
    for package in (carob, carob_lab):
        assert all(hasattr(package, name) for name in package.__all__)
        with pytest.raises(
            AttributeError, match=f"'{package.__name__}' has no attribute 'nothing'"
        ):
            _ = package.nothing
    for name in carob_lab.__all__:
        with pytest.raises(AttributeError, match=rf"^carob\.{name} is now carob_lab\.{name}$"):
            getattr(carob, name)


CALLS = (
    "--help", "--version", "score --help", "score", "check --help", "demo --help", "split --help",
    "challenge --help", "serve --help", "submit --help",
)  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_help_and_usage_errors_do_not_import_numpy(call: str) -> None:
    code = (
        "import sys, carob.cli\n"
        f"try: carob.cli.main({call.split()!r})\n"
        "except SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules or 'dataclasses' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


def test_one_score_walks_through_few_files() -> None:
    """A reader can follow a score: every file with a function that it calls, private ones too."""
    visited = runpy.run_path(str(SOURCE.parent / "tools" / "draw.py"))["visited"]()
    assert len(visited) <= 40, visited

"""Break the source in many places, one at a time, and list what no test notices: `make mutate`.

A mutant is the source with one small change: another comparison, another number, a statement left
out. A mutant that makes a test fail is killed; one that passes all tests has survived, and shows
what the tests do not see. From every folder a sample is drawn by a seed, because all mutants would
take days. The test of the changed file runs first, then the tests of its folder, then those of the
rest of carob that use the folder.

docs/mutation.md records a run, with a word on every survivor.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import compress
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

TESTS = {
    "measure": ["tests/carob/test_golden.py", "tests/carob/evaluate/test_who_is_ahead.py",
                "tests/carob/test_laws.py"],
    "average": ["tests/carob/test_golden.py", "tests/carob/evaluate/test_compare.py",
                "tests/carob/test_laws.py"],
    "match": ["tests/carob/test_golden.py", "tests/carob/test_recipe.py",
              "tests/carob/evaluate/test_slots.py", "tests/carob/evaluate/test_who_is_ahead.py",
              "tests/carob/test_laws.py"],
    "infer": ["tests/carob/evaluate/test_compare.py", "tests/carob/evaluate/test_power.py",
              "tests/carob/evaluate/test_sampling.py", "tests/carob/test_golden.py"],
    "explain": ["tests/carob/evaluate/test_errors.py", "tests/carob/evaluate/test_slot_errors.py",
                "tests/carob/report"],
    "evaluate": ["tests/carob/cli", "tests/carob/report", "tests/carob/test_golden.py"],
}  # fmt: skip
"""The folders of src/carob that are mutated, and which tests beyond those of the folder use it."""

MEMORY = 8 << 20
"""The most memory that a mutant may have, in KiB: a loop that never ends may also grow."""

LIMIT = 240
"""How many seconds each part of the tests may take: what loops for ever is killed."""

NO_TESTS = 5
"""What pytest returns for a file without examples."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
OPPOSITES = {"min": "max", "any": "all", "minimum": "maximum", "fmin": "fmax", "argmin": "argmax",
             "nanmin": "nanmax", "floor": "ceil", "lower": "upper"}  # fmt: skip
OPPOSITES |= {other: name for name, other in OPPOSITES.items()}


class Mutant(NamedTuple):
    """One change: these bytes of the file become that."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        before, after = " ".join(self.before.split()), " ".join(self.after.split())
        return f"{self.file}:{self.line} ({self.kind}) `{before}` -> `{after}`"


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node may become, and what kind of change that is."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            new = copy.deepcopy(node)
            new.ops[place] = COMPARISONS[type(operator)]()
            yield "comparison", new
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        new_operation = copy.deepcopy(node)
        new_operation.op = ARITHMETIC[type(node.op)]()
        yield "arithmetic", new_operation
    elif isinstance(node, ast.BoolOp):
        yield (
            "boolean",
            ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values),
        )
    elif isinstance(node, ast.UnaryOp):
        yield "boolean" if isinstance(node.op, ast.Not) else "arithmetic", node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield "constant", ast.Constant(node.value + 1)
    elif isinstance(node, ast.IfExp):
        yield "condition", ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.Name) and node.id in OPPOSITES:
        yield "opposite", ast.Name(OPPOSITES[node.id])
    elif isinstance(node, ast.Attribute) and node.attr in OPPOSITES:
        yield "opposite", ast.Attribute(node.value, OPPOSITES[node.attr])
    elif isinstance(node, ast.Return) and not _is_none(node.value):
        yield "return", ast.Return(ast.Constant(None))
    if isinstance(node, ast.AugAssign | ast.Raise | ast.Break | ast.Continue) or _is_effect(node):
        yield "removed", ast.Pass()


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _is_effect(node: ast.AST) -> bool:
    """Whether it is a call for its effect, or sets something inside an object."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def parts(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run: no annotations or docstrings. Places inside f-strings are unknown before
    Python 3.12.
    """
    yield node
    skipped = {"annotation", "returns", "type_comment", "decorator_list", "bases"}
    for name, value in ast.iter_fields(node):
        if name in skipped or isinstance(value, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr) or _is_typing(child):
                continue
            if isinstance(child, ast.AST):
                yield from parts(child)


def _is_typing(node: object) -> bool:
    """Whether it is there for type checkers: a block under TYPE_CHECKING, or a type alias."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id.lstrip("_")
        return name == "TYPE_CHECKING" or (name[:1].isupper() and not name.isupper())
    return False


def mutants(file: Path) -> list[Mutant]:
    """Every change to a file."""
    text = file.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    every = []
    for node in parts(ast.parse(text)):
        for kind, new in changes(node):
            assert isinstance(node, ast.expr | ast.stmt)
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            after = ast.unparse(ast.fix_missing_locations(new))
            if isinstance(new, ast.expr) and not isinstance(new, ast.Name | ast.Constant):
                after = f"({after})"
            before = text[start:end].decode()
            path = file.relative_to(ROOT).as_posix()
            every.append(Mutant(path, node.lineno, kind, start, end, before, after))
    return every


def drawn(folder: str, size: int, seed: int) -> list[Mutant]:
    """A sample of the mutants of a folder, in the order of the source."""
    files = sorted((ROOT / "src" / "carob" / folder).rglob("*.py"))
    every = [mutant for file in files for mutant in mutants(file)]
    rng = random.Random(f"{seed} {folder}")
    return sorted(rng.sample(every, min(size, len(every))))


class Place:
    """A copy of the project in which mutants are tried, one after another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
        for name in ("src", "tests", "docs"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
            shutil.copy(ROOT / name, folder)

    def passes(self, tests: list[str]) -> bool:
        """Whether these tests pass in time."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
                   "-p", "no:xdist", *tests]  # fmt: skip
        environment = os.environ | {
            "PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip
        limited = f'ulimit -v {MEMORY}; exec "$@"'
        process = subprocess.Popen(
            ["sh", "-c", limited, "sh", *command], cwd=self.folder, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            return process.wait(LIMIT) in (0, NO_TESTS)
        except subprocess.TimeoutExpired:
            return False
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def survives(self, mutant: Mutant) -> bool:
        """Whether all tests pass although the source is changed."""
        file = self.folder / mutant.file
        before = file.read_bytes()
        file.write_bytes(before[: mutant.start] + mutant.after.encode() + before[mutant.end :])
        try:
            return all(self.passes(tests) for tests in self.stages(mutant.file))
        finally:
            file.write_bytes(before)

    def stages(self, file: str) -> Iterator[list[str]]:
        """The tests of a file: its own, its folder's, others. The first failure ends the trial."""
        folder = Path(file).parent.name
        own = Path("tests/carob", folder, f"test_{Path(file).stem.strip('_')}.py")
        yield [file, str(own)] if (self.folder / own).exists() else [file]
        yield [f"tests/carob/{folder}"]
        yield TESTS[folder]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", default=list(TESTS), help="folders of src/carob")
    parser.add_argument("--sample", type=int, default=30, help="how many mutants of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="list the mutants, and test nothing")
    arguments = parser.parse_args()
    samples = {
        folder: drawn(folder, arguments.sample, arguments.seed) for folder in arguments.folders
    }
    if arguments.list:
        print(*(mutant for sample in samples.values() for mutant in sample), sep="\n")
        return
    with tempfile.TemporaryDirectory() as temporary:
        places: SimpleQueue[Place] = SimpleQueue()
        for number in range(arguments.jobs):
            places.put(Place(Path(temporary) / str(number)))
        if failing := [folder for folder in samples if not unchanged(folder, places)]:
            sys.exit(f"without any change the tests of these fail: {', '.join(failing)}")

        def survives(mutant: Mutant) -> bool:
            place = places.get()
            try:
                return place.survives(mutant)
            finally:
                places.put(place)

        killed = 0
        with ThreadPoolExecutor(arguments.jobs) as pool:
            for folder, sample in samples.items():
                alive = list(pool.map(survives, sample))
                for mutant in compress(sample, alive):
                    print(f"survived: {mutant}")
                print(f"{folder}: {alive.count(False)} of {len(sample)} killed", flush=True)
                killed += alive.count(False)
    tried = sum(map(len, samples.values()))
    print(f"all: {killed} of {tried} killed, {killed / tried:.0%}")


def unchanged(folder: str, places: SimpleQueue[Place]) -> bool:
    """Whether the tests pass without any change; otherwise every mutant would count as killed."""
    place = places.get()
    try:
        return place.passes([f"tests/carob/{folder}", f"src/carob/{folder}", *TESTS[folder]])
    finally:
        places.put(place)


if __name__ == "__main__":
    main()

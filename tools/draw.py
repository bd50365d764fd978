"""Draw the folders with their imports, and the walk of one score, for docs/design.md.

Both are made from the code: the picture from import statements, the walk from a run in which every
call is recorded. `make docs` writes them.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from carob import registry

SOURCE = Path(__file__).resolve().parents[1] / "src"
ROOT = SOURCE / "carob"
COMMAND = ("score", "gold.conll", "system.conll", "-m", "exact.F1")
DOCUMENTS = 30  # enough for the default intervals
SENTENCE = "Ann B-PER\nLee I-PER\nvisited O\nRome B-LOC\n\n"


def part(package: str, file: Path) -> str:
    """The folder of a module, or the name of a root module; all of the challenge server are one."""
    name = file.relative_to(SOURCE / package).parts[0]
    return "modules" if package == "carob_challenge" and name.endswith(".py") else name


def imports(package: str) -> dict[str, set[str]]:
    """For each folder and root module of a package, the others that it imports."""
    files = [
        file for file in (SOURCE / package).rglob("*.py")
        if not part(package, file).startswith("_")
    ]  # fmt: skip
    parts = {
        (file.relative_to(SOURCE / package).parts[0]).removesuffix(".py"): part(package, file)
        for file in files
    }
    graph: dict[str, set[str]] = {name: set() for name in sorted(parts.values())}
    for file in files:
        nodes: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
        for node in nodes:  # imports are statements: expressions are left out
            nodes += (n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.expr))
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            inside = {name.split(".")[1] for name in names if name.startswith(f"{package}.")}
            own = part(package, file)
            graph[own] |= {parts[name] for name in inside & parts.keys()} - {own}
    return graph


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Everything that a part imports, directly or not."""
    seen: set[str] = set()
    rest = [start]
    while rest:
        new = graph[rest.pop()] - seen
        seen |= new
        rest += new
    return seen


def house() -> str:
    """The rooms of all three packages."""
    return "\n".join(
        f"`{package}`:\n\n{drawing(package)}"
        for package in ("carob", "carob_lab", "carob_challenge")
    )


def drawing(package: str) -> str:
    """The folders and root modules; an arrow means `imports`, and longer ways are not repeated."""
    graph = imports(package)
    below = {name: reached(graph, name) for name in graph}
    lines = ["```mermaid", "flowchart TD"]
    for name in sorted(graph, key=lambda name: (-len(below[name]), name)):
        label = name if name.endswith(".py") or name == "modules" else f"{name}/"
        lines.append(f'    {name.removesuffix(".py")}["{label}"]')
    for name, imported in sorted(graph.items(), key=lambda each: (-len(below[each[0]]), each[0])):
        others = {far for near in imported for far in below[near] if near not in below[far]}
        direct = sorted(each.removesuffix(".py") for each in imported - others)
        lines += [f"    {name.removesuffix('.py')} --> {' & '.join(direct)}"] if direct else []
    stages = [stage for stage in registry.STAGES if stage in graph and stage != "infer"]
    if "registry.py" in graph:
        lines.append(f"    registry -. by name .-> {' & '.join(sorted(stages))}")
    return "\n".join([*lines, "```", ""])


def visited() -> list[str]:
    """The files with a function that one small score calls, in the order of the first call.

    Calls while a module is imported do not count: they define things and score nothing.
    """
    note_calls = """
import json, sys, threading
root, calls = sys.argv[1] + "/", {}
def importing(frame):
    while frame and not (frame.f_code.co_name == "<module>" and frame.f_code.co_filename in files):
        frame = frame.f_back
    return frame
def note(frame, event, _):
    name = frame.f_code.co_filename
    if event == "call" and name.startswith(root):
        files.add(name)
        if name not in calls and frame.f_code.co_flags & 1 and not importing(frame):
            calls[name] = True
files = set()
threading.setprofile(note)
sys.setprofile(note)
import carob.cli
carob.cli.main(sys.argv[2:])
sys.setprofile(None)
print(json.dumps([name.removeprefix(root) for name in calls]))
"""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("gold", "system"):
            text = DOCUMENTS * ("-DOCSTART- O\n\n" + 3 * SENTENCE)
            Path(folder, f"{name}.conll").write_text(text)
        run = [sys.executable, "-c", note_calls, str(ROOT), *COMMAND]
        done = subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True)
    files: list[str] = json.loads(done.stdout.splitlines()[-1])
    return files


def walk() -> str:
    """The files that a score visits, each with the first sentence of its docstring."""
    lines = []
    for number, name in enumerate(visited(), start=1):
        doc = ast.get_docstring(ast.parse((ROOT / name).read_text(encoding="utf-8"))) or ""
        lines.append(f"{number}. `{name}`: {' '.join(doc.split(chr(10) * 2)[0].split())}\n")
    return "".join(lines)


if __name__ == "__main__":
    print(house(), walk(), sep="\n")

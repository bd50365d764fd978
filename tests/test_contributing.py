"""CONTRIBUTING.md is true: its classes run as a stranger's package, and as files of carob itself.

A block of code belongs to the file that the line before it names. The package is laid out as pip
would install it, so that no network is needed; carob then runs as a command of its own.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES: dict[str, str] = dict(
    re.findall(r"^`(\S+\.py)`[^`]*?:\n\n```python\n(.*?)^```", PAGE, re.M | re.S)
)
SOURCES = {path: code for path, code in FILES.items() if path.startswith("src/")}
TESTS = {path: code for path, code in FILES.items() if path.startswith("tests/")}

SPAN = (0, 6, "PER")
SHORT = (0, 2, "PER")
CITY = (16, 19, "LOC")


def exported(*answers: list[tuple[int, int, str]]) -> str:
    """A file of Dataturks. Its objects have the keys `metadata` and `extras`, so that other
    formats are tempted to take it.
    """
    lines: list[dict[str, object]] = [
        {
            "content": "Ann Lee slept in Rome ." if number == 1 else "Ann Lee stays in Rome .",
            "annotation": [
                {"label": [label], "points": [{"start": start, "end": end, "text": ""}]}
                for start, end, label in each
            ],
            "extras": None, "metadata": {"status": "done"},
        }
        for number, each in enumerate(answers, 1)
    ]  # fmt: skip
    skipped = {**lines[0], "annotation": None}
    return "".join(json.dumps(line) + "\n" for line in [*lines, skipped])


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed package, and files to score."""
    place = tmp_path_factory.mktemp("package")
    (toml,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.M | re.S)
    project = tomllib.loads(toml)["project"]
    module = place / project["name"].replace("-", "_")
    module.mkdir()
    (module / "__init__.py").touch()
    for path, code in SOURCES.items():
        (module / Path(path).name).write_text(code, encoding="utf-8")
    info = place / f"{module.name}-{project['version']}.dist-info"
    info.mkdir()
    metadata = {"Metadata-Version": "2.1", "Name": project["name"], "Version": project["version"]}
    (info / "METADATA").write_text("".join(f"{key}: {value}\n" for key, value in metadata.items()))
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups))
    (place / "gold.jsonl").write_text(exported([SPAN, CITY], [SPAN]))
    (place / "system.jsonl").write_text(exported([SHORT, CITY], [CITY]))
    return place


def carob(place: Path, *arguments: str) -> str:
    """What the command prints where the package is installed."""
    path = os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "carob", *arguments],
        capture_output=True, text=True, cwd=place, env=os.environ | {"PYTHONPATH": path},
        check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_the_page_has_a_measure_a_space_and_a_format_with_a_test_each() -> None:
    assert ["measure", "match", "formats"] == [Path(path).parent.name for path in SOURCES]
    assert ["measure", "match", "formats"] == [Path(path).parent.name for path in TESTS]


@pytest.mark.parametrize("path", SOURCES)
def test_components_import_from_the_contracts_alone(path: str) -> None:
    modules = {
        node.module or "" for node in ast.walk(ast.parse(SOURCES[path]))
        if isinstance(node, ast.ImportFrom)
    }  # fmt: skip
    assert {"carob.plugin"} == {name for name in modules if name.startswith("carob")}


def test_a_score_with_all_three_and_files_that_are_recognised(package: Path) -> None:
    # Of 3 mentions on each side one is right, Rome in the first document.
    printed = carob(
        package, "score", "gold.jsonl", "system.jsonl", "-m", "hull.jaccard", "-m", "hull.F1",
        "--resamples", "0", "--format", "json", "-o", "result.json",
    )  # fmt: skip
    assert "" == printed
    result = json.loads((package / "result.json").read_text())
    scores = {each["recipe"]: each for each in result["systems"][0]["scores"]}
    assert {"hull.jaccard": 1 / 5, "hull.F1": 1 / 3} == {
        recipe: each["value"] for recipe, each in scores.items()
    }
    assert "|format:dataturks/dataturks|" in scores["hull.jaccard"]["signature"]
    carob(package, "verify", "result.json")


def test_a_score_without_any_option(package: Path) -> None:
    assert re.match(
        r"exact +P +R +F1 +gold\n", carob(package, "score", "gold.jsonl", "system.jsonl")
    )


def test_the_errors_are_shown_with_their_words(package: Path) -> None:
    assert "[Ann Lee]" in carob(package, "errors", "gold.jsonl", "system.jsonl", "--examples", "9")


def test_the_list_of_components_has_all_three(package: Path) -> None:
    listed = carob(package, "measures")
    for name, sentence in (
        ("jaccard", "Of all mentions in gold or system output, the share that both have."),
        ("hull", "A mention is found when one with its label begins and ends where it does."),
        ("dataturks", "One JSON object a line, with `content` and `annotation`"),
    ):
        assert re.search(rf"^  {name} +{re.escape(sentence)}", listed, re.M), name


def documented(page: str) -> str:
    """docs/formats.md with the section that CONTRIBUTING.md asks for."""
    (section,) = re.findall(r"^````markdown\n(.*?)^````$", PAGE, re.M | re.S)
    return f"{page}\n{section}"


@pytest.mark.slow
def test_as_files_of_carob_they_pass_their_tests_and_the_laws(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "golden", "decisions")
    for name in ("src", "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, code in FILES.items():
        (tmp_path / path).write_text(code, encoding="utf-8")
    formats = tmp_path / "docs" / "formats.md"
    formats.write_text(documented(formats.read_text(encoding="utf-8")), encoding="utf-8")
    shared = [
        "tests/carob/test_laws.py", "tests/carob/measure/test_ranges.py",
        "tests/carob/evaluate/test_who_is_ahead.py", "tests/test_architecture.py",
        "tests/carob/formats/test_fuzz.py", "tests/carob/formats/test_hostile.py",
        "tests/carob/test_format_docs.py", "tests/carob/evaluate/test_convert.py",
    ]  # fmt: skip
    chosen = "hull or jaccard or dataturks or every_format or (lies_in_its_range and overlap)"
    done = python(
        tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *FILES,
        *shared, "-k", chosen,
    )  # fmt: skip
    assert 0 == done.returncode, done.stdout[-3000:]
    for rule in (["check"], ["format", "--check", "--diff"]):
        done = python(tmp_path, "-m", "ruff", *rule, "--no-cache", *FILES)
        assert 0 == done.returncode, done.stdout


def python(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=place, check=False,
        env=os.environ | {"PYTHONPATH": str(place / "src")},
    )  # fmt: skip

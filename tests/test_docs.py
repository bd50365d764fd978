"""Documentation is tested: every command in it is run, and prints what the page says.

A block fenced as `console` is a session: lines with `$ ` are run by a shell in a folder that holds
the built-in examples, the lines below are what comes out (stdout and stderr together); `...` stands
for anything. The sessions of a tutorial belong together: they run in their order, and begin in an
empty folder. A line that needs nothing of a shell is run in this process, because it takes a third
of a second to start another.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from carob.cli import main
from carob.evaluate import demo

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
TUTORIALS = sorted((DOCS / "tutorials").glob("[!R]*.md"))
SESSION = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
FENCE = re.compile(r"^(````?)[^`\n]*\n.*?^\1$", re.M | re.S)


def sessions() -> list[tuple[str, str]]:
    """All sessions but those of tutorials, with their pages."""
    return [
        (page.relative_to(ROOT).as_posix(), block)
        for page in PAGES if page not in TUTORIALS
        for block in SESSION.findall(page.read_text(encoding="utf-8"))
    ]  # fmt: skip


PLAIN = re.compile(r"carob ([^|;&<>$*?\[\]\\]+?)( 2> /dev/null| > /dev/null 2>&1)?")
"""A line that only runs carob, and may hide what it prints."""


def run(session: str, folder: Path, binaries: Path) -> None:
    """Run the commands of a session, and compare what they print."""
    parts = re.split(r"^\$ (.*(?:(?<=\\)\n.*)*)\n", session, flags=re.M)
    assert parts[0] == "", "a session begins with a command"
    for command, expected in zip(parts[1::2], parts[2::2], strict=True):
        plain = PLAIN.fullmatch(command)
        if plain is not None:
            output = printed_here(shlex.split(plain[1]), folder, plain[2] or "")
        else:
            output = printed_in_shell(command, folder, binaries)
        checker = doctest.OutputChecker()
        assert checker.check_output(expected, output, doctest.ELLIPSIS), f"$ {command}\n{output}"


def printed_here(arguments: list[str], folder: Path, hidden: str) -> str:
    """What carob prints, but for what the redirection hides."""
    output, nowhere = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(nowhere if hidden.startswith(" >") else output),
        contextlib.redirect_stderr(nowhere if hidden else output),
        contextlib.suppress(SystemExit),
    ):
        patch.chdir(folder)
        patch.setenv("COLUMNS", "100")
        main(arguments)
    return output.getvalue()


def printed_in_shell(command: str, folder: Path, binaries: Path) -> str:
    path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, text=True, check=False,
        env=os.environ | {"PATH": path, "COLUMNS": "100"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ).stdout  # fmt: skip


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a command `carob` that runs this source."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "carob"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m carob "$@"\n')
    script.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built-in examples."""
    folder = tmp_path_factory.mktemp("docs")
    demo.write(folder / "carob-demo")
    demo.write(folder / "seminars", "seminars", documents=60)
    demo.write(folder / "invoices", "invoices", documents=100)
    return folder


@pytest.mark.parametrize(("page", "session"), sessions())
def test_a_session_prints_what_the_page_says(
    page: str, session: str, examples: Path, binaries: Path
) -> None:
    run(session, examples, binaries)


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
@pytest.mark.slow
def test_a_tutorial_runs_as_it_stands(page: Path, tmp_path: Path, binaries: Path) -> None:
    for session in SESSION.findall(page.read_text(encoding="utf-8")):
        run(session, tmp_path, binaries)


def test_there_are_four_tutorials_with_sessions() -> None:
    with_sessions = [page for page in TUTORIALS if SESSION.search(page.read_text("utf-8"))]
    assert 4 == len(with_sessions) == len(TUTORIALS)


def test_there_are_sessions_to_run() -> None:
    assert "README.md" in {page for page, _ in sessions()}


def anchors(page: Path) -> set[str]:
    """The anchors of a page: its headings, in small letters, with hyphens and without signs."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", each).strip().lower().replace(" ", "-") for each in headings}


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target, anchor in re.findall(r"\]\(([^()#:\s]*)(?:#([^()\s]*))?\)", text):
        path = page.parent / target if target else page
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path), f"{target}#{anchor}"


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- (?:\w+: )?(\S+\.md)$", site, re.M)
    assert sorted(pages | {"CONTRIBUTING.md", "CHANGELOG.md"}) == sorted(listed)


def test_every_public_name_is_in_the_api_reference() -> None:
    import carob
    import carob_lab

    names = set(re.findall(r"^### (\S+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.M))
    lab = {f"carob_lab.{name}" for name in carob_lab.__all__}
    assert {*carob.__all__, *lab} - {"__version__"} == names


def test_nobody_is_told_to_install_carob_from_the_package_index() -> None:
    """It is not there yet."""
    root = Path(__file__).parents[1]
    for file in (root / "README.md", *root.glob("docs/**/*.md"), *root.glob("src/**/*.py")):
        assert not re.search(r"pip install '?carob\b", file.read_text()), file


def test_the_schema_describes_what_jsonl_reads_and_writes() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    import json

    from carob.corpus.record import KEYS, document_of, record_of

    schema = json.loads((ROOT / "docs" / "jsonl.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert set(KEYS) == set(schema["properties"])
    for example in schema["examples"]:
        validator.validate(example)
        assert example == record_of(document_of(example))
    for page in (ROOT / "docs" / "formats.md", *(ROOT / "docs" / "formats").glob("*.md")):
        for block in re.findall(
            r"^```jsonl\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S
        ):
            for line in block.splitlines():
                validator.validate(json.loads(line))


FILLERS: tuple[object, ...] = (
    "x", "", " ", 3, None, [], {}, {"text": "x"}, {"text": ""},
    {"start": 0, "end": 1}, {"start": 0}, {"end": 1}, {"text": "x", "start": 0}, {"mention": "T1"},
    {"fragments": [[0, 1]]}, {"fragments": []}, {"fragments": [[0, 1]], "start": 0, "end": 1},
    {"mention": "T1", "start": 0, "end": 1}, {"mention": "T1", "text": "x"}, {"mention": 1},
    {"text": "x", "optional": True}, {"text": "x", "optional": 1}, {"optional": True},
    {"text": "x", "confidence": 0.5}, {"text": "x", "confidence": "high"}, {"value": "x"},
    {"text": "x", "alternatives": ["y", {"start": 0, "end": 1}]},
    {"text": "x", "alternatives": [""]},
    {"text": "x", "alternatives": [{"mention": "T1"}]}, {"text": "x", "alternatives": "y"},
    {"text": "x", "alternatives": [{}]}, {"text": "x", "alternatives": [{"start": 0}]},
    {"slots": {}}, {"slots": {"s": ["x"]}, "label": "t"}, {"slots": {"s": "x"}},
    {"slots": {"": ["x"]}}, {"slots": {}, "text": "x"}, {"slots": {"s": [{"slots": {"t": [1]}}]}},
)  # fmt: skip


@pytest.mark.parametrize("filler", FILLERS, ids=str)
def test_the_schema_allows_the_fillers_that_jsonl_reads(filler: object) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    import json

    from carob import UsageError
    from carob.corpus.record import document_of

    schema = json.loads((ROOT / "docs" / "jsonl.schema.json").read_text())
    record = {"unit": "char", "templates": [{"slots": {"a": [filler]}}],
              "mentions": [{"id": "T1", "start": 0, "end": 1, "label": "X"}]}  # fmt: skip
    try:
        document_of(record)
        read = True
    except UsageError:
        read = False
    assert read == jsonschema.Draft202012Validator(schema).is_valid(record)


def test_the_first_example_of_the_readme_is_so() -> None:
    from carob import Corpus, score

    page = (ROOT / "README.md").read_text(encoding="utf-8")
    texts = dict(re.findall(r"^(gold|system) +(\[.*)$", page, re.M))
    gold, system = Corpus.of(texts["gold"]), Corpus.of(texts["system"])
    for recipe, printed in re.findall(r"^(\w+\.F1) +(\d\.\d{4})$", page, re.M):
        assert printed == f"{score(gold, system, recipe, resamples=0).value:.4f}"


def test_generated_parts_are_up_to_date() -> None:
    import importlib.util

    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert generate.renewed(text) == text, f"{page.name} is stale: make docs"

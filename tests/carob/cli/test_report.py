"""carob report: one file, and clear errors where there can be none."""

from __future__ import annotations

import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from carob.cli import main
from carob.evaluate import demo
from carob.report.html import page


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example")
    demo.write(folder)
    return folder


def test_it_writes_a_page_and_says_how_large_it_is(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    target = tmp_path / "page.html"
    files = [str(example / f"{name}.conll") for name in ("gold", "careful", "hasty")]
    call = ["report", *files, "-m", "exact.F1", "--trials", "99", "-o", str(target)]
    assert 0 == main(call)
    out, error = capsys.readouterr()
    assert "" == out
    assert error.splitlines()[-1].startswith(f"{target}: 0.")
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>\n")
    assert f"carob {' '.join(call)}" in text, "the command that repeats it"


def test_the_page_can_go_to_standard_output(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    files = [str(example / f"{name}.conll") for name in ("gold", "careful")]
    assert 0 == main(["report", *files, "-m", "exact.F1", "-o", "-"])
    assert capsys.readouterr().out.startswith("<!doctype html>\n")


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_without_the_extra_one_line_says_what_to_install(
    missing: str, example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setitem(sys.modules, missing, None)
    target = tmp_path / "page.html"
    files = [str(example / f"{name}.conll") for name in ("gold", "careful")]
    assert 2 == main(["report", *files, "-o", str(target)])
    assert (
        f"carob: {missing} is not installed; in a clone of carob: pip install '.[report]'\n"
        == capsys.readouterr().err
    )
    assert not target.exists()


def test_a_baseline_that_does_not_exist_is_refused_with_the_names_there_are(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    files = [str(example / f"{name}.conll") for name in ("gold", "careful", "hasty")]
    assert 2 == main(["report", *files, "--baseline", "carefull"])
    assert (
        "carob: no system is called 'carefull'; did you mean careful? there are: careful, hasty\n"
        == capsys.readouterr().err
    )


def test_an_input_is_not_overwritten(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, system = (str(example / f"{name}.conll") for name in ("gold", "careful"))
    assert 2 == main(["report", gold, system, "-o", gold])
    assert "is an input and would be overwritten" in capsys.readouterr().err


def test_everything_that_the_page_is_made_of_is_in_the_wheel() -> None:
    root = Path(__file__).parents[3]
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["carob.report.html"]
    folder = page.FOLDER
    for file in folder.iterdir():
        if file.is_file() and file.suffix != ".py":
            assert any(fnmatch(file.name, pattern) for pattern in patterns), file.name

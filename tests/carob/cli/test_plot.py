"""carob plot writes every kind of chart, the same bytes each time, and says what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from carob.cli import main
from carob.cli.plot import KINDS
from carob.evaluate import demo
from carob.report.charts import kinds

PAGE = Path(__file__).parents[3] / "docs" / "charts.md"
COMMANDS = re.findall(r"^carob (plot .*)$", PAGE.read_text("utf-8"), re.M)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plot")
    demo.write(folder / "carob-demo")
    demo.write(folder / "invoices", "invoices", documents=40)
    return folder


def test_the_page_and_the_help_name_every_kind() -> None:
    drawn = set(kinds()) - {"curves"}  # which is of an experiment
    assert drawn == {command.split()[1] for command in COMMANDS}
    assert drawn == set(re.findall(r"^  (\w+) ", KINDS, re.M))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[1])
def test_the_commands_of_the_page_write_charts(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    arguments = command.split()
    assert 0 == main(arguments)
    file = Path(arguments[-1])
    assert file.read_text().startswith("<?xml") and "Date" not in file.read_text()


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_file_has_the_same_bytes_each_time(
    ending: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    files = [Path(f"{name}.{ending}") for name in "ab"]
    for i, file in enumerate(files):
        # The settings of the user have no influence.
        import matplotlib as mpl

        with mpl.rc_context({"lines.linewidth": 1.0 + 3 * i, "font.size": 10 + i}):
            assert 0 == main(["plot", "errors", "carob-demo/gold.conll", "carob-demo/hasty.conll",
                              "-o", str(file), "--dpi", "60"])  # fmt: skip
    assert files[0].read_bytes() == files[1].read_bytes()


def test_fonts_in_pdf_are_not_of_type_3(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for font in ("sans", "serif"):
        assert 0 == main(["plot", "confusion", "carob-demo/gold.conll",
                          "carob-demo/hasty.conll", "-o", "x.pdf", "--font", font])  # fmt: skip
        content = Path("x.pdf").read_bytes()
        assert b"/Type3" not in content
        assert b"/CIDFontType2" in content and b"/FontFile2" in content


def test_the_width_is_that_of_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for width, points in (("column", "234"), ("page", "486"), ("5", "360")):
        assert 0 == main(["plot", "errors", "carob-demo/gold.conll", "carob-demo/hasty.conll",
                          "-o", "x.svg", "--width", width])  # fmt: skip
        assert f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="{points}pt"' in (
            Path("x.svg").read_text()
        )


GOLD, ONE, TWO = (f"carob-demo/{name}.conll" for name in ("gold", "hasty", "careful"))

MISTAKES = [
    (["bars", GOLD, ONE, "-o", "x.svg"],
     "no chart is called 'bars'; there are: acceptance, confusion, curves, documents, errors, "
     "gains, intervals, labels, reliability, robustness"),
    (["errors", GOLD, ONE, "-o", "x.jpg"],
     "found -o 'x.jpg', expected a file that ends in .svg, .pdf or .png"),
    (["errors", GOLD, ONE, "-o", "-"],
     "found -o '-', expected a file that ends in .svg, .pdf or .png"),
    (["confusion", GOLD, ONE, TWO, "-o", "x.svg"], "confusion is a chart of one system, found 2"),
    (["documents", GOLD, ONE, "-o", "x.svg"], "documents is a chart of two systems, found 1"),
    (["robustness", GOLD, ONE, "-o", "x.svg"], "give at least two systems to rank"),
    (["gains", GOLD, ONE, "--label", "PER", "-o", "x.svg"],
     "--label is for labels, errors and confusion, not for gains; a recipe for one label is, for "
     "example, exact.F1@label:PER"),
    (["errors", GOLD, ONE, "--label", "PERS", "-o", "x.svg"],
     "no label is called 'PERS'; did you mean PER? there are: EVENT, LOC, ORG, PER"),
    (["errors", GOLD, ONE, "--label", "PER", "--label", "LOC", "-o", "x.svg"],
     "errors shows those of one --label, or of all"),
    (["errors", GOLD, ONE, "--width", "wide", "-o", "x.svg"],
     "found width 'wide', expected column or page, or from 1.5 to 40 inches"),
    (["errors", GOLD, ONE, "--font", "Deja Vu Sans", "-o", "x.svg"],
     "no font is called 'Deja Vu Sans'; did you mean DejaVu Sans?"),
    (["errors", GOLD, ONE, "--percent", "-o", "x.svg"],
     "errors shows no scores: it has no --percent"),
    (["errors", GOLD, ONE, "--dpi", "1", "-o", "x.png"], "--dpi is from 30 to 2400, not 1"),
    (["errors", GOLD, ONE, "-o", "nowhere/x.svg"],
     "cannot write nowhere/x.svg: No such file or directory"),
    (["errors", GOLD, "x=gold.svg", "-o", "gold.svg"],
     "'gold.svg' is an input and would be overwritten"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_a_mistake_is_one_line(
    arguments: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(folder)
    Path("gold.svg").write_text("not a chart")
    Path("x.svg").unlink(missing_ok=True)
    assert 2 == main(["plot", *arguments])
    assert f"carob: {message}" == capsys.readouterr().err.splitlines()[-1]
    assert not Path("x.svg").exists()


def test_a_wrong_look_is_refused_before_anything_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for option in ("--width", "--font"):
        assert 2 == main(["plot", "errors", "none", "none", "-o", "x.svg", option, "Nonsense"])
        assert "'Nonsense'" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["errors", "intervals"])
def test_systems_whose_files_are_wrong_can_be_left_out(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    Path("bad.conll").write_text("a b\na b c d\n")
    command = ["plot", kind, GOLD, "bad.conll", ONE, "-o", "left-out.svg"]
    assert 1 == main(command)
    assert "carob: bad.conll:2: K101" in capsys.readouterr().err
    assert 0 == main([*command, "--skip-invalid"])
    assert "set aside: bad: bad.conll:2: K101" in capsys.readouterr().err
    assert "hasty" in Path("left-out.svg").read_text()
    assert 1 == main(["plot", kind, GOLD, "bad.conll", "-o", "x.svg", "--skip-invalid"])


def test_without_matplotlib_the_message_names_the_extra(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    assert 2 == main(["plot", "errors", GOLD, ONE, "-o", "y.svg"])
    assert (
        "carob: matplotlib is not installed; in a clone of carob: pip install '.[report]'\n"
        == capsys.readouterr().err
    )


def test_signs_that_the_font_lacks_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    call = ["plot", "errors", GOLD, f"東京={ONE}", "--label", "PER", "-o"]
    warning = "the font has no sign for 京, 東: boxes are drawn instead; --font names another"
    assert 0 == main([*call, "x.pdf"])
    assert f"warning: {warning}" in capsys.readouterr().err
    assert 0 == main([*call, "x.svg"])
    assert "boxes" not in capsys.readouterr().err
    assert "東京" in Path("x.svg").read_text("utf-8")

"""Where and how results are written: by the ending, never over an input; mistakes get a hint."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from carob.cli import commands, main

GOLD = "Ann B-PER\nLee I-PER\nvisited O\nRome B-LOC\n\nBo B-PER\nslept O\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    file = tmp_path / "gold.conll"
    file.write_text(GOLD)
    return file


@pytest.mark.parametrize(
    ("name", "start"),
    [("x.json", '{\n "carob"'), ("x.csv", "system,recipe,"), ("x.md", "| exact |"),
     ("x.tex", r"\begin{tabular}"), ("x.html", "<!doctype html>"), ("x.JSON", "{"),
     ("x.txt", "exact  "), ("x", "exact  ")],
)  # fmt: skip
def test_the_ending_chooses_the_format(gold: Path, name: str, start: str) -> None:
    target = gold.with_name(name)
    assert 0 == main(["score", str(gold), str(gold), "-m", "F1", "-o", str(target)])
    text = target.read_text()
    assert text.startswith(start)
    assert "|recipe:exact.F1@micro|" in text, "every file has the full signature"
    assert "\x1b" not in text


def test_a_given_format_wins_over_the_ending(gold: Path) -> None:
    target = gold.with_name("x.csv")
    call = ["score", str(gold), str(gold), "-m", "F1", "-o", str(target), "--format", "json"]
    assert 0 == main(call)
    json.loads(target.read_text())


@pytest.mark.parametrize(
    "call",
    [
        ["score", "GOLD", "SYSTEM", "-o", "GOLD"],
        ["score", "GOLD", "name=SYSTEM", "-o", "SYSTEM"],
        ["compare", "GOLD", "GOLD", "SYSTEM", "-o", "LINK"],
        ["errors", "GOLD", "SYSTEM", "-o", "SYSTEM"],
        ["errors", "GOLD", "SYSTEM", "--ledger", "GOLD"],
        ["convert", "GOLD", "GOLD", "--to", "jsonl"],
    ],
    ids=" ".join,
)
def test_an_input_is_never_overwritten(
    gold: Path, capsys: pytest.CaptureFixture[str], call: list[str]
) -> None:
    system, link = gold.with_name("system.conll"), gold.with_name("link")
    system.write_text(GOLD)
    link.symlink_to(gold)
    names = {"GOLD": gold, "SYSTEM": system, "LINK": link}
    for name, path in names.items():
        call = [word.replace(name, str(path)) for word in call]
    assert 2 == main(call)
    assert "is an input and would be overwritten" in capsys.readouterr().err
    assert GOLD == gold.read_text() == system.read_text()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (["scor"], "no command is called 'scor'; did you mean score? there are: "),
        (["score", "a", "b", "--lables", "X"], "no option is called --lables; did you mean "
         "--labels?"),
        (["score", "a", "b", "--resample=3", "--by-lable"], "ambiguous option: --resample=3"),
        (["compare", "a", "b", "--basline=x"], "no option is called --basline; did you mean "
         "--baseline?"),
        (["score", "a", "b", "--repair", "conleval"], "no value of --repair is called 'conleval'; "
         "did you mean conlleval? there are: conlleval, discard, strict"),
        (["score", "a", "b", "--qqq"], "no option is called --qqq ("),
    ],
)  # fmt: skip
def test_a_typo_gets_a_suggestion(
    capsys: pytest.CaptureFixture[str], call: list[str], expected: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(call)
    out = capsys.readouterr()
    assert (2, "") == (stopped.value.code, out.out)
    assert out.err.startswith(f"carob: {expected}")
    assert 1 == out.err.count("\n")


def test_carob_alone_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main([])
    out = capsys.readouterr()
    assert out.out.startswith("usage: carob") and "" == out.err
    assert all(f"\n    {name}" in out.out for name in commands())


def test_the_demo_prints_one_signature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["demo", str(tmp_path / "demo")])
    lines = capsys.readouterr().out.splitlines()
    assert [lines[-1]] == [line for line in lines if line.startswith("carob:")]
    assert "|exact.PRF+overlap.PRF+ts.PRF@macro+fair.PRF+slots.SER|id:" in lines[-1]


def test_the_full_signature_is_printed_on_demand(
    gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == main(["score", str(gold), str(gold), "-m", "F1", "--signature"])
    assert "|recipe:exact.F1@micro|unit:token|" in capsys.readouterr().out.splitlines()[-1]


HOSTILE = ("a\rb", "=1+1", "+1", "-1", "@x", "\u202etxt", "a\x1b[2Jb", "a\nb", 'a"b', "a,b")


@pytest.mark.parametrize("label", HOSTILE, ids=ascii)
def test_csv_means_the_same_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], label: str
) -> None:
    """A row is a line, no cell is a formula, and nothing turns the direction of text."""
    file, ledger = tmp_path / "x.jsonl", tmp_path / "ledger.csv"
    mention = {"start": 0, "end": 1, "label": label}
    file.write_text(json.dumps({"tokens": ["=x"], "mentions": [mention]}) + "\n")
    call = [str(file), str(file), "-m", "exact.F1"]
    assert 0 == main(["score", *call, "--by-label", "--format", "csv"])
    texts = [capsys.readouterr().out]
    assert 0 == main(["errors", *call, "--ledger", str(ledger)])
    texts.append(ledger.read_bytes().decode())
    for text in texts:
        assert not set(text) & set("\r\x1b\u202e")
        rows = list(csv.reader(io.StringIO(text)))
        assert len(text.splitlines()) == len(rows)
        assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
        assert 1 == len({len(row) for row in rows})


@pytest.mark.parametrize("name", ["[a]", "*b", "[2em]x"])
def test_a_name_is_no_argument_of_a_rule_in_latex(
    gold: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert 0 == main(["score", str(gold), f"{name}={gold}", "-m", "F1", "--format", "latex"])
    out = capsys.readouterr().out
    assert f"\\midrule\n{{}}{name} & 1.0000" in out


def test_bash_completes_commands_options_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    if (bash := shutil.which("bash")) is None:
        pytest.skip("bash is not here")
    assert 0 == main(["completion", "bash"])
    script = capsys.readouterr().out

    def completed(*words: str) -> set[str]:
        line = " ".join(f"'{word}'" for word in words)
        program = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _carob\n"
        done = subprocess.run([bash, "-c", program + 'echo "${COMPREPLY[@]}"'], text=True,
                              capture_output=True, check=True)  # fmt: skip
        assert "" == done.stderr
        return set(done.stdout.split())

    assert {*commands(), "--help", "--version"} == completed("carob", "")
    assert {"compare", "completion", "convert"} == completed("carob", "co")
    assert {"conlleval", "discard", "strict"} == completed("carob", "score", "--repair", "")
    assert "--by-label" in completed("carob", "score", "gold", "--by")
    assert set() == completed("carob", "score", "gold")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(shell: str) -> None:
    call = [sys.executable, "-m", "carob", "completion", shell]
    script = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert all(name in script for name in commands())
    if binary := shutil.which(shell):
        check = [binary, "-n", "-c", script] if shell != "fish" else [binary, "-n"]
        subprocess.run(check, input=script, text=True, check=True)


@pytest.mark.parametrize("command", commands())
def test_every_command_can_be_quiet(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "-q, --quiet" in capsys.readouterr().out


@pytest.mark.parametrize("report", ["csv", "json"])
@pytest.mark.parametrize("option", [["--percent"], ["--digits", "2"]])
def test_what_has_every_digit_is_not_rounded(
    report: str, option: list[str], gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(["score", str(gold), str(gold), "--format", report, *option])
    message = f"carob: {report} has every digit: {option[0]} is for tables\n"
    assert capsys.readouterr().err.endswith(message)


def test_quiet_silences_remarks_but_no_error(
    gold: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    files = [str(gold), str(gold)]
    for arguments in (
        ["score", *files], ["compare", *files, f"b={gold}"], ["errors", *files],
        ["robust", *files, f"b={gold}"], ["rank", *files, f"b={gold}"],
        ["convert", str(gold), str(tmp_path / "x.jsonl")],
        ["demo", str(tmp_path / "demo")], ["task", "init", str(gold), "-o", str(tmp_path / "t")],
    ):  # fmt: skip
        assert 0 == main([*arguments, "--quiet"])
        assert "" == capsys.readouterr().err, arguments
    assert 0 == main(["-q", "score", *files])
    assert "" == capsys.readouterr().err
    assert 0 == main(["--quiet"])
    assert "usage: carob" in capsys.readouterr().out
    assert 1 == main(["score", str(gold), str(tmp_path / "none"), "-q"])
    assert "none" in capsys.readouterr().err
    assert 0 == main(["score", *files])
    assert "documents" in capsys.readouterr().err

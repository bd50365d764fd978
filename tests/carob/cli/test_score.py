"""The command line: data on stdout, remarks on stderr, a mistake is one line, no traceback."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from carob.cli import commands, main, parser
from carob.evaluate import demo

GOLD = "Ann B-PER\nLee I-PER\nvisited O\nRome B-LOC\n\nBo B-PER\nslept O\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    file = tmp_path / "gold.conll"
    file.write_text(GOLD)
    return file


def said(capsys: pytest.CaptureFixture[str], *call: object) -> tuple[int, str, str]:
    code = main([str(word) for word in call])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (GOLD.replace("Rome", "Paris"),
         "SYSTEM:4: K303 found the token 'Paris', expected the token 'Rome', as in GOLD:4; "
         "token 4 of document '1'; 1 of 6 words differ, --words ignore compares places alone"),
        ("Ann B-PER\nLee I-PER\nvisi",
         "SYSTEM:3: K101 found 1 column in 'visi', expected 2, as in line 1"),
        ("Ann B-PER\nLee I-PER\nvisited O\n",
         "SYSTEM:3: K303 found the end of the document, expected the token 'Rome', "
         "as in GOLD:4; token 4 of document '1'"),
        (GOLD.partition("\n\n")[0],
         "SYSTEM: K302 found 1 document, expected 2, as in GOLD"),
        (GOLD.replace("I-PER", "I-"),
         "SYSTEM:2: K104 found 'I-', expected O or a tag with a prefix and a label, "
         "like B-PER or I-PER"),
        (GOLD.replace("I-PER", "X-PER"),
         "SYSTEM:2: K104 found 'X-PER', expected a known prefix (B I E S, L U, M W), "
         "or --scheme io if these are whole labels"),
        ("Ann O\0\n", "SYSTEM: K003 found a binary file, expected a text file in UTF-8"),
        ("Ann O\nLee I-PER B-PER\n",
         "SYSTEM:2: K101 found 3 columns in 'Lee I-PER B-PER', expected 2, as in line 1"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_one_line_with_its_place(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, expected: str
) -> None:
    system = tmp_path / "system.conll"
    system.write_text(content)
    code, out, err = said(capsys, "score", gold, system)
    expected = expected.replace("SYSTEM", str(system)).replace("GOLD", str(gold))
    assert (1, "", f"carob: {expected}\n") == (code, out, err)


def test_a_file_that_is_not_there(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = gold.with_name("golf.conll")
    code, out, err = said(capsys, "score", gold, missing)
    expected = (
        f"carob: {missing}: K001 found no such file, expected a file to read; "
        f"did you mean {gold}?\n"
    )
    assert (1, "", expected) == (code, out, err)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-m", "exact.F11"], "no measure of exact is called 'F11'; did you mean F1? there are: "),
        (["--scheme", "iob3"], "no scheme is called 'iob3'; did you mean iob2? there are: "),
        (["--format", "xml"], "no report is called 'xml'; there are: "),
        (["--gold-format", "connl"], "no format is called 'connl'; did you mean conll? there are"),
        (["--map", "PER"], "found --map 'PER', expected OLD=NEW"),
        (["--map", "A=B", "--map", "A=C"], "--map names 'A' twice"),
        (["--labels", "PER,"], "found --labels 'PER,', expected A,B,C"),
        (["--columns", "1+"], "found --columns '1+', expected a number or name"),
        (["--columns", "word=1"], "found --columns 'word=1', expected gold=I, system=I or token=I"),
        (["--columns", "token=-1"], "the token column counts from the left: 0, 1, 2 ..."),
        (["-m", "exact.F1@label:ORG"], "no label is called 'ORG'; there are: LOC, PER"),
        (["-o", "/no/such/folder/x"], "cannot write /no/such/folder/x: No such file or directory"),
    ],
)
def test_wrong_usage_is_said_in_words(
    gold: Path, capsys: pytest.CaptureFixture[str], options: list[str], expected: str
) -> None:
    code, out, err = said(capsys, "score", gold, gold, *options)
    assert (code, out) == (2, "")
    assert err.removeprefix("carob: ").startswith(expected) or f"carob: {expected}" in err


def test_an_option_that_no_file_takes_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"tokens": ["a"]}\n')
    code, _, err = said(capsys, "score", file, file, "--scheme", "iob2")
    expected = "carob: the format jsonl has no parameter 'scheme'; there are: locate\n"
    assert (2, expected) == (code, err)


def test_the_table(gold: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    system = tmp_path / "best.conll"
    system.write_text(GOLD.replace("Bo B-PER", "Bo B-ORG"))
    code, out, err = said(capsys, "score", gold, f"mine={system}", "--by-label", "-m", "exact.PRF",
                          "--resamples", "0")  # fmt: skip
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "exact       P       R      F1  gold"
    assert lines[1] == "mine   0.6667  0.6667  0.6667     3"
    assert lines[3] == "  ORG  0.0000  0.0000  0.0000     0"
    assert lines[5] == "(mine: gold has no label ORG (1 mention))"
    assert lines[6].startswith("carob:") and "|documents:block|interval:none|id:" in lines[6]
    # The table has the warning already.
    assert err == (
        "mine: 2 documents, 3 gold and 3 system mentions; "
        "0 repaired, 0 discarded, 0 unaligned, 0 ignored\n"
    )


def test_every_report_carries_every_signature(
    gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = said(capsys, "score", gold, gold, "--format", "json", "-m", "exact.F1")
    stored = json.loads(out)
    score = stored["systems"][0]["scores"][0]
    assert {"carob", "remarks", "gold", "systems", "checksum"} == set(stored)
    assert {"path", "sha256", "documents", "mentions"} == set(stored["gold"])
    assert {"name", "path", "coverage", "sha256", "scores"} == set(stored["systems"][0])
    assert {"recipe", "value", "low", "high", "effective", "signature", "by_label", "counts",
            "left_out", "remarks"} == set(score)  # fmt: skip
    low = pytest.approx(0.025**0.5)  # both of two documents with the label are right
    assert score["by_label"]["PER"] == {"value": 1.0, "low": low, "high": 1.0, "support": 2}
    assert score["counts"] == {"tp": 3, "fp": 0, "fn": 0}
    for report in ("terminal", "markdown", "latex", "html"):
        call = ("score", gold, gold, "--format", report, "-m", "exact.F1", "--signature")
        assert score["signature"] in said(capsys, *call)[1]
    _, out, _ = said(capsys, "score", gold, gold, "--format", "csv", "-m", "exact.F1", "--by-label")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["label"] for row in rows] == ["", "LOC", "PER"]
    assert {score["signature"]} == {row["signature"] for row in rows}


def test_hostile_names_cannot_break_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.jsonl"
    label = "a|b\x1b[2J&_{\u202e"
    record = {"tokens": ["x"], "mentions": [{"start": 0, "end": 1, "label": label}]}
    file.write_text(json.dumps(record) + "\n")
    for report in ("terminal", "markdown", "latex", "csv", "json"):
        code, out, _ = said(capsys, "score", file, file, "--by-label", "--format", report)
        assert code == 0
        if report in ("terminal", "markdown", "latex"):
            assert "\x1b" not in out and "\u202e" not in out


def test_one_file_may_hold_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "both.txt"
    file.write_text("Ann B-PER B-PER\nRome B-LOC O\n")
    code, out, _ = said(
        capsys, "score", file, "--columns", "gold=-2,system=-1", "-m", "exact.R", "--format", "csv"
    )
    assert code == 0
    assert ",0.5," in out
    code, _, err = said(capsys, "score", file)
    assert code == 2 and "--columns gold=-2,system=-1" in err


def test_standard_input(gold: Path) -> None:
    call = [sys.executable, "-m", "carob", "score", str(gold), "-", "-m", "exact.F1"]
    done = subprocess.run(call, input=GOLD.encode(), capture_output=True, check=False)
    assert done.returncode == 0
    assert b"stdin  1.0000" in done.stdout
    twice = [sys.executable, "-m", "carob", "score", "-", "-"]
    done = subprocess.run(twice, input=GOLD.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"carob: only one file can be standard input\n")


def test_a_reader_that_goes_away_is_no_error(gold: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    call = [sys.executable, "-m", "carob", "measures"]
    done = subprocess.run(call, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_demo_writes_and_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "demo"
    code, out, err = said(capsys, "demo", folder)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:4]] == ["careful", "hasty", "muddled"]
    assert f"carob score {folder / 'gold.conll'}" in err
    assert main(["demo", str(folder)]) == 0
    (folder / "gold.conll").write_text("mine")
    capsys.readouterr()
    code, _, err = said(capsys, "demo", folder)
    assert code == 2
    assert f"carob: {folder / 'gold.conll'} exists with other content" in err
    assert (folder / "gold.conll").read_text() == "mine"


def test_the_example_is_what_its_readme_says(tmp_path: Path) -> None:
    from carob import read

    files = {file.stem: file for file in demo.write(tmp_path)}
    gold = read(files["gold"])
    assert len(gold) == 30
    schemes = {
        name: origin.parameters["scheme"]
        for name in ("gold", "careful", "hasty", "muddled")
        if (origin := read(files[name]).origin)
    }
    assert schemes == {"gold": "iob2", "careful": "iob2", "hasty": "iobes", "muddled": "iob1"}


@pytest.mark.parametrize("name", ["exact", "F1", "F", "macro", "conll", "PRF", "jsonl", "csv"])
def test_everything_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "measures", name)
    assert code == 0 and len(out) > 20


def test_measures_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    from carob import registry

    _, out, _ = said(capsys, "measures")
    for stage in registry.STAGES.keys() - {"learn"}:  # carob learners lists those
        for name in registry.names(stage):
            assert f"  {name} " in out
    code, _, err = said(capsys, "measures", "exakt")
    assert code == 2 and "did you mean exact?" in err


def test_every_option_is_in_the_reference() -> None:
    page = (Path(__file__).parents[3] / "docs" / "commands.md").read_text()
    for command in commands():
        assert f"## carob {command}" in page
        actions = parser(command)._subparsers._group_actions[0].choices[command]._actions  # type: ignore[union-attr, index]
        for action in actions:
            for option in action.option_strings:
                if option.startswith("--") and option != "--help":
                    assert f"`{option}" in page, f"{command} {option}"


TBF = """#BeginOfDocument d1
s\td1\tE1\t4,8;13,16\tmade way\tMove\tActual
s\td1\tE2\t32,42\tnominating\tNominate\tOther
#EndOfDocument
"""


def test_nuggets_get_the_table_of_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system = tmp_path / "gold.tbf", tmp_path / "system.tbf"
    gold.write_text(TBF)
    system.write_text(TBF.replace("4,8;13,16", "4,8").replace("Other", "Generic"))
    code, out, _ = said(capsys, "score", gold, system, "--resamples", 0)
    assert 0 == code
    heads = [line.split("  ")[0] for line in out.splitlines() if line.endswith("gold")]
    spaces = [
        "nugget", "nugget(attributes=type)", "nugget(attributes=realis)",
        "nugget(attributes=realis+type)",
    ]  # fmt: skip
    assert [*spaces, *(f"{space}@macro-doc-pr" for space in spaces)] == heads
    rows = [line.split() for line in out.splitlines() if line.startswith("system")]
    dice = 2 * 4 / (7 + 4)
    assert [f"{(dice + 1) / 2:.4f}", f"{dice / 2:.4f}"] == [rows[0][3], rows[2][3]]
    code, _, err = said(capsys, "score", gold, system, "--preset", "nuget")
    assert (2, "carob: no table is called 'nuget'; did you mean nugget? there are: events, mentions, nugget, records, relations, templates, triples\n") == (code, err)  # fmt: skip  # noqa: E501
    code, _, err = said(capsys, "score", gold, system, "--preset", "nugget", "-m", "exact.F1")
    assert (2, "carob: give --preset or -m, not both\n") == (code, err)


def test_floors_are_a_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0 if all scores reach their floors, 3 if one does not, 4 if one has no value."""
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("-DOCSTART- O\n\na B-PER\nb B-LOC\nc B-PER\n\n" * 6)
    system.write_text("-DOCSTART- O\n\na B-PER\nb B-LOC\nc O\n\n" * 6)
    call = ("score", gold, system, "-m", "exact.R")
    assert 0 == said(capsys, *call, "--fail-under", "0.6")[0]
    code, out, _ = said(capsys, *call, "--fail-under", "0.7", "--fail-under", "LOC=0.9")
    assert 3 == code
    assert out.startswith("gate: fail\nexact.R: fail: 0.6667, below 0.7\n")
    code, out, _ = said(capsys, *call, "--fail-under", "PER=0.6", "--format", "json")
    assert (3, "exact.R of PER") == (code, json.loads(out)["gate"]["checks"][0]["what"])
    code, out, _ = said(capsys, *call, "--fail-under", "0.6", "--by", "low", "--resamples", 0)
    assert 4 == code
    assert "exact.R: cannot tell: no interval" in out
    code, _, err = said(capsys, *call, "--fail-under", "PRE=0.6")
    assert (1, "carob: no label is called 'PRE'; did you mean PER? there are: LOC, PER\n") == (
        code, err,
    )  # fmt: skip
    code, _, err = said(capsys, "score", gold, system, "-m", "slots.SER", "--fail-under", "0.6")
    assert 2 == code and "slots.SER is better the lower it is" in err
    code, _, err = said(capsys, *call, "--fail-under", "high")
    expected = "carob: found 'high', expected a floor such as 0.85, 85pt, 85% or PER=0.85\n"
    assert (2, expected) == (code, err)

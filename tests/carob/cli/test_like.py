"""carob score --like prints what another tool prints, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from carob.cli import main

EXPECTED = """\
processed 3 tokens with 1 phrases; found: 2 phrases; correct: 1.
accuracy:  66.67%; precision:  50.00%; recall: 100.00%; FB1:  66.67
              LOC: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
              PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / name for name in ("gold.conll", "system.conll", "both.conll")]
    paths[0].write_text("Ann B-PER\nLee I-PER\nslept O\n")
    paths[1].write_text("Ann B-PER\nLee I-PER\nslept B-LOC\n")
    paths[2].write_text("Ann B-PER B-PER\nLee I-PER I-PER\nslept O B-LOC\n")
    return [str(path) for path in paths]


def test_two_files_or_one_print_the_same(
    files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    gold, system, both = files
    for arguments in ([gold, system], [both], [both, "--columns", "gold=1,system=2"]):
        assert 0 == main(["score", *arguments, "--like", "conlleval"])
        assert (EXPECTED, "") == capsys.readouterr()
    out = tmp_path / "out.txt"
    assert 0 == main(["score", both, "--like", "conlleval", "-o", str(out)])
    assert EXPECTED == out.read_text()
    assert 0 == main(["score", both, "--like", "seqeval(digits=1)"])
    assert "   micro avg        0.5       1.0       0.7         1\n" in capsys.readouterr().out
    assert 0 == main(["score", both, "--like", "faireval"])
    assert "overall\t1\t1\t0\t50.00\t100.00\t66.67\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--like", "seqeval"], "and there are 2: seqeval, conlleval; call carob score for each"),
        (["-m", "exact.F1"], "--measure has no use there"),
        (["--by-label"], "--by-label has no use there"),
        (["--format", "json"], "there is no json"),
        (["SYSTEM"], "--like is for one system, and there are 2"),
    ],
)
def test_what_has_no_use_is_refused(
    files: list[str], arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system, both = files
    more = [both if each == "SYSTEM" else each for each in arguments]
    assert 2 == main(["score", gold, system, *more, "--like", "conlleval"])
    assert message in capsys.readouterr().err

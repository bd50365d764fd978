"""A ranking holds every submission: in order, or set aside with the reason."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from carob import Corpus, InputError, UsageError, compare, rank
from carob.cli import main

WORDS = ("Ann B-PER\nLee I-PER\nvisited O\nRome B-LOC\n\n", "Bo B-PER\nslept O\n\n")
GOLD = "".join(f"-DOCSTART- O\n\n{WORDS[i % 2]}" for i in range(12))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Gold, and a folder with three submissions that can be scored and two that cannot."""
    (tmp_path / "gold.conll").write_text(GOLD)
    made = tmp_path / "submissions"
    made.mkdir()
    (made / "best.conll").write_text(GOLD)
    (made / "good.conll").write_text(GOLD.replace("Bo B-PER", "Bo O"))
    (made / "poor.conll").write_text(GOLD.replace("B-PER", "O").replace("I-PER", "O"))
    (made / "short.conll").write_text(GOLD[: len(GOLD) // 2])
    (made / "binary.conll").write_bytes(b"\0\1\2")
    (made / ".hidden").write_text("no submission")
    return made


def gold(folder: Path) -> str:
    return str(folder.parent / "gold.conll")


def test_the_best_is_first_and_what_is_wrong_set_aside(folder: Path) -> None:
    made = rank(gold(folder), folder)
    assert ["best", "good", "poor"] == [each.system for each in made]
    assert [1.0, pytest.approx(0.8), 0.5] == [each.value for each in made]
    assert ["binary", "short"] == [each.name for each in made.set_aside]
    assert "K003 found a binary file" in made.set_aside[0].problems[0]
    assert str(folder / "short.conll") == made.set_aside[1].path
    assert "5 submissions, ranked by exact.F1; 2 set aside" == made.summary


def test_ranks_and_intervals_are_those_of_compare(folder: Path) -> None:
    names = ("best", "good", "poor")
    systems = [str(folder / f"{name}.conll") for name in names]
    other = compare(gold(folder), systems, "exact.F1")
    assert other.ranks == rank(gold(folder), folder).comparison.ranks
    assert all(each.low is not None for each in other.ranks)


def test_the_order_can_be_another(folder: Path) -> None:
    names = [each.system for each in rank(gold(folder), folder, "slots.SER", sort="score")]
    assert ["best", "good", "poor"] == names
    (folder / "best.conll").rename(folder / "zebra.conll")
    names = [each.system for each in rank(gold(folder), folder, sort="name")]
    assert ["good", "poor", "zebra"] == names
    with pytest.raises(UsageError, match="sorted by score, name, given, not by 'size'"):
        rank(gold(folder), folder, sort="size")


def test_other_recipes_stand_beside_the_first(folder: Path) -> None:
    made = rank(gold(folder), folder, ["exact.F1", "exact.R", "ts.F1@macro"])
    head, first = [line.split() for line in str(made).splitlines()[2:4]]
    assert ["exact.F1", "score", "rank", "cluster", "exact.R", "ts.F1@macro"] == head
    assert ("best", "1.0000") == (first[0], first[1])
    assert 3 == len(made.comparison)  # only the first is tested
    assert [1.0, 1.0] == [made.rows()[0][recipe] for recipe in ("exact.R", "ts.F1@macro")]


def test_gold_among_the_submissions_is_none(folder: Path) -> None:
    inside = folder / "gold.conll"
    inside.write_text(GOLD)
    assert "gold" not in [each.system for each in rank(str(inside), folder)]


def test_one_submission_is_ranked_too(folder: Path) -> None:
    made = rank(gold(folder), [str(folder / "good.conll"), str(folder / "binary.conll")])
    [one] = made
    assert ("good", 1, 1, 1) == (one.system, one.rank_low, one.rank_high, one.cluster)
    assert "tests" not in str(made)


def test_an_empty_submission_is_an_answer_that_finds_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty.conll").write_text("\n")
    board = folder.parent / "board.json"
    assert 0 == main(["rank", gold(folder), str(folder), "-o", str(board)])
    assert "warning: empty IS EMPTY: it has no document" in capsys.readouterr().err
    made = rank(gold(folder), folder)
    assert ["best", "good", "poor", "empty"] == [each.system for each in made]
    assert 0 == made.ranked[-1].value
    assert ["binary", "short"] == [each.name for each in made.set_aside]
    assert 0 == main(["verify", str(board)])


def test_without_any_valid_submission_the_first_problem_is_raised(folder: Path) -> None:
    with pytest.raises(InputError, match="K003 found a binary file"):
        rank(gold(folder), [str(folder / "binary.conll")])
    empty = folder.parent / "empty"
    empty.mkdir()
    with pytest.raises(UsageError, match="holds no submission"):
        rank(gold(folder), empty)
    with pytest.raises(UsageError, match="expected a folder of submissions"):
        rank(gold(folder), folder / "good.conll")


def test_an_option_that_no_submission_has_is_refused() -> None:
    corpus = Corpus.of("[Ann]PER slept")
    with pytest.raises(UsageError, match="the option 'scheme' has no use"):
        rank(corpus, {"a": corpus, "b": corpus}, system_options={"scheme": "iob2"})


def test_reading_options_are_used(folder: Path) -> None:
    text = GOLD.replace(" B-", " 0 B-").replace(" I-", " 0 I-").replace(" O", " 0 O")
    (folder / "wide.conll").write_text(text)
    made = rank(gold(folder), folder, system_options={"repair": "strict"})
    assert "wide" in [each.system for each in made]


@pytest.mark.parametrize(
    ("ending", "start"),
    [("html", "<!doctype html>"), ("md", "- 5 submissions"), ("csv", "system,recipe,value"),
     ("json", '{\n "carob"'), ("tex", "% 5 submissions"), ("txt", "5 submissions")],
)  # fmt: skip
def test_the_ending_chooses_the_format(
    folder: Path, capsys: pytest.CaptureFixture[str], ending: str, start: str
) -> None:
    board = folder.parent / f"board.{ending}"
    assert 0 == main(["rank", gold(folder), str(folder), "-o", str(board)])
    text = board.read_text()
    assert text.startswith(start)
    assert "K003 found a binary file" in text
    out = capsys.readouterr()
    assert "" == out.out
    assert "warning: set aside: binary: " in out.err


def test_the_command_prints_one_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["rank", gold(folder), str(folder)])
    out = capsys.readouterr().out
    assert 1 == out.count("cluster\n")
    assert f"\nset aside: binary: {folder / 'binary.conll'}: K003 found a binary file" in out


def test_a_stored_ranking_is_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = folder.parent / "board.json"
    assert 0 == main(["rank", gold(folder), str(folder), "-m", "exact.F1", "-o", str(board)])
    stored = json.loads(board.read_text())
    assert {"name", "path", "problems", "total"} == set(stored["set_aside"][0])
    assert 0 == main(["verify", str(board)])
    stored["ranks"][0]["value"] += 0.1
    board.write_text(json.dumps(stored))
    assert 1 == main(["verify", str(board)])


def test_a_submission_may_be_a_zip_file(folder: Path) -> None:
    with zipfile.ZipFile(folder / "zipped.zip", "w") as file:
        file.write(folder / "good.conll", "answer/good.conll")
    (folder / "damaged.zip").write_bytes(b"PK\3\4 and no more")
    made = rank(gold(folder), folder)
    assert ["best", "good", "zipped", "poor"] == [each.system for each in made]
    assert ["binary", "damaged", "short"] == [each.name for each in made.set_aside]
    expected = f"{folder / 'damaged.zip'}: K930 found a damaged zip file (it has no end), "
    assert (f"{expected}expected a zip file",) == made.set_aside[1].problems


def test_a_zip_file_may_hold_a_corpus_of_several_files(folder: Path) -> None:
    texts = (GOLD[: len(GOLD) // 2], GOLD[len(GOLD) // 2 :])
    with zipfile.ZipFile(folder / "zipped.zip", "w") as file:
        for number, text in enumerate(texts):
            file.writestr(f"{number}.conll", text)
    assert 1 == {each.system: each.value for each in rank(gold(folder), folder)}["zipped"]


def test_what_is_no_submission_is_left_out_with_a_remark(folder: Path) -> None:
    for name in ("best.conll~", "#best.conll#", "README", "Readme.md"):
        (folder / name).write_text("no submission")
    os.mkfifo(folder / "pipe")
    made = rank(gold(folder), folder)
    assert ["best", "good", "poor"] == [each.system for each in made]
    assert ["binary", "short"] == [each.name for each in made.set_aside]
    assert "no submissions: #best.conll#, README, Readme.md, best.conll~, pipe" in str(made)

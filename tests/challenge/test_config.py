"""challenge.toml: what is drafted can be read, and every mistake is reported with its line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from carob.cli import main
from carob.corpus.problems import InputError, UsageError
from carob.evaluate.task import Task
from carob_challenge.config import KEYS, PHASE_KEYS, Config, Feedback, Limits
from carob_challenge.draft import init
from tests.challenge.world import GOLD, SECRET, START, document, lines, make


def files(folder: Path, size: int) -> tuple[Path, Path]:
    inputs, gold = folder / "inputs.jsonl", folder / "gold.jsonl"
    inputs.write_bytes(lines([document(i) for i in range(size)]))
    gold.write_bytes(lines([document(i, GOLD) for i in range(size)]))
    return inputs, gold


def test_a_draft_has_four_phases_and_divides_the_documents(tmp_path: Path) -> None:
    config = init(tmp_path / "c", *files(tmp_path, 50), now=START)
    assert ["practice", "development", "test", "post-evaluation"] == list(config.phases)
    task = Task.read(tmp_path / "c" / "task.toml")
    assert {"practice": 5, "development": 15, "test": 30} == {
        name: len(ids) for name, ids in task.parts.items()
    }
    assert ["full", "ladder", "none", "headline"] == [
        str(each.feedback) for each in config.phases.values()
    ]
    assert ["practice", "development", "test", "test"] == [
        each.part for each in config.phases.values()
    ]
    practice, development, test, post = config.phases.values()
    assert (START, START + timedelta(days=14)) == (practice.reveal_at, practice.closes)
    assert (test.closes, None, None) == (test.reveal_at, post.closes, post.reveal_at)
    assert development.status(START) == "coming"
    assert config.current(START) == practice
    assert config.current(START + timedelta(days=1000)) == post


def test_a_draft_keeps_gold_to_itself(tmp_path: Path) -> None:
    init(tmp_path / "c", *files(tmp_path, 50), now=START)
    assert 0o600 == (tmp_path / "c/private/gold.jsonl").stat().st_mode & 0o777
    assert 0o700 == (tmp_path / "c/private").stat().st_mode & 0o777
    public = (tmp_path / "c/task.toml").read_text() + (tmp_path / "c/challenge.toml").read_text()
    assert "# in " not in public, "how often gold has a label"
    assert SECRET not in public
    task = Task.read(tmp_path / "c/task.toml")
    assert {("any", "many")} == {(s.fillers, s.realisations) for s in task.slots.values()}


def test_without_parts_practice_gives_nothing_away(tmp_path: Path) -> None:
    config = init(tmp_path / "c", *files(tmp_path, 8), now=START)
    assert ("ladder", "all", None) == (
        str(config.phases["practice"].feedback), config.phases["practice"].part,
        config.phases["practice"].reveal_at,
    )  # fmt: skip


def test_every_key_is_explained_in_the_draft(tmp_path: Path) -> None:
    init(tmp_path / "c", *files(tmp_path, 8), now=START)
    text = (tmp_path / "c/challenge.toml").read_text()
    for key in [*KEYS, *PHASE_KEYS, *Limits.__slots__]:
        assert f"{key} " in text or f"{key}," in text, key


def test_inputs_with_answers_are_refused(tmp_path: Path) -> None:
    _, gold = files(tmp_path, 8)
    with pytest.raises(InputError, match="K923 found inputs with annotations: LOC, PER"):
        init(tmp_path / "c", gold, gold)
    assert not (tmp_path / "c").exists()


def test_inputs_of_other_documents_are_refused(tmp_path: Path) -> None:
    inputs, gold = files(tmp_path, 8)
    inputs.write_bytes(lines([document(i) for i in range(7)]))
    with pytest.raises(InputError, match="K922 found inputs without 1 document of gold"):
        init(tmp_path / "c", inputs, gold)


def test_a_folder_with_files_is_not_touched(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exists and is not empty"):
        init(tmp_path, *files(tmp_path, 8))


def problems(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "challenge.toml").write_text(text)
    with pytest.raises(InputError) as error:
        Config.read(tmp_path)
    return [str(each).replace(f"{tmp_path}/", "") for each in error.value.problems]


GOOD = """title = "x"
[phases.test]
opens = 2027-01-01T00:00:00Z
feedback = "none"
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "x"', "", 'K920 found no title, expected title = "…"'),
        ('"none"', '"some"', ":4: K921 found phases.test.feedback = 'some', expected "
         '"full", "headline", "rounded(2)", "ladder" or "none"'),
        ("00Z", "00", ":3: K921 found phases.test.opens = the datetime 2027-01-01 00:00:00, "
         "expected a time with its zone before the year 3000, like 2027-03-01T12:00:00Z"),
        ("phases.test", "phases.Test", ":2: K921 found a phase called 'Test', expected small "
         "letters, digits and hyphens, at most 40: it is part of addresses"),
        ("feedback", "feedbck", ":4: K920 found the key 'feedbck', expected a key of "
         "[phases.test]; did you mean feedback? there are: closes, empty, feedback, gold, "
         "grace_seconds, inputs, late, opens, part, parts, quota, quota_a_day, reports, "
         "reveal_at, reveals, task, text, title"),
        ('title = "x"', 'title = "x"\ngold = "../gold"', ":2: K921 found gold = '../gold', "
         "expected the path of a file in this folder"),
        ('title = "x"', 'title = "x"\n[limits]\nupload_bytes = 0', ":3: K921 found "
         "limits.upload_bytes = 0, expected a whole number from 1 to 1,000,000,000,000"),
        ("opens = 2027", "opens = 9999", ":3: K921 found phases.test.opens = the datetime "
         "9999-01-01 00:00:00+00:00, expected a time with its zone before the year 3000, like "
         "2027-03-01T12:00:00Z"),
        ("feedback", "grace_seconds = 99999999999999999999\nfeedback", ":4: K921 found "
         "phases.test.grace_seconds = a number that is too large, expected a whole number "
         "from 0 to 1,000,000,000"),
        ('title = "x"', 'title = "x"\ninputs = "./private/gold.jsonl"', ":2: K921 found inputs = "
         "'./private/gold.jsonl', which is gold, expected another file than gold: everybody can "
         "read it"),
        ("feedback", 'gold = "public/inputs.jsonl"\nfeedback', "K921 found inputs = "
         "'public/inputs.jsonl', which is gold, expected another file than gold: everybody can "
         "read it"),
        ("feedback", 'reveal_at = "closes"\nfeedback', ':4: K921 found reveal_at = "closes" '
         "and no closes, expected a phase that closes, or a time"),
        ("feedback", 'part = "a"\nparts = { board = "a", reveal = "b" }\nfeedback',
         ":5: K921 found part and parts, expected one of the two"),
        ("feedback", 'parts = { board = "a", reveal = "a" }\nfeedback', ":4: K921 found "
         "phases.test.parts = a table, expected { board = \"…\", reveal = \"…\" }, two parts of "
         "the task"),
        ("feedback", "closes = 2026-01-01T00:00:00Z\nfeedback", ":4: K921 found closes = "
         "2026-01-01 00:00:00+00:00, expected a time after 2027-01-01 00:00:00+00:00"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_their_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    found = problems(tmp_path, GOOD.replace(old, new))
    assert message in [each.removeprefix("challenge.toml").removeprefix(": ") for each in found]


def test_phases_are_in_order(tmp_path: Path) -> None:
    text = GOOD + '[phases.more]\nopens = 2026-01-01T00:00:00Z\nfeedback = "none"\n'
    [problem] = problems(tmp_path, text)
    assert "before the phase above it" in problem


def test_a_folder_without_a_challenge_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no challenge\.toml; carob challenge init"):
        Config.read(tmp_path)


def test_feedback_prints_as_it_is_written() -> None:
    for text in ("full", "headline", "rounded(3)", "ladder", "none"):
        assert text == str(Feedback.parse(text))


def test_times_of_other_zones_become_utc(tmp_path: Path) -> None:
    text = GOOD.replace("00:00Z", "00:00+02:00")
    (tmp_path / "challenge.toml").write_text(text)
    assert datetime(2026, 12, 31, 22, tzinfo=UTC) == Config.read(tmp_path).phases["test"].opens


def test_the_small_world_is_a_challenge(tmp_path: Path) -> None:
    assert ["test"] == list(Config.read(make(tmp_path)).phases)


def test_gold_alone_makes_a_challenge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\nslept O\n\nin O\nRome B-LOC\n")
    assert 0 == main(["challenge", "init", str(tmp_path / "new"), "--gold", str(gold)])
    capsys.readouterr()
    made = tmp_path / "new" / "public" / "inputs.jsonl"
    assert made.read_text() == (
        '{"tokens":["Ann","slept"],"sentences":[0]}\n{"tokens":["in","Rome"],"sentences":[0]}\n'
    )
    assert "public/inputs.jsonl" == Config.read(tmp_path / "new").phases["test"].inputs
    assert 0o600 == (tmp_path / "new/private/gold.conll").stat().st_mode & 0o777

"""Rescoring: everything is scored again, what was stays, and the board says what changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from carob.evaluate.task import Task
from carob_challenge import pages, rounds, runs, worker
from carob_challenge.board import board
from carob_challenge.errors import RefusedError
from carob_challenge.rescoring import replace_gold
from carob_challenge.store import scores
from carob_challenge.viewer import NOBODY, ORGANISER
from tests.challenge.world import GOLD, World, answer, document, lines, phase, values

Make = Callable[..., World]


def corrected(folder: Path) -> Path:
    """Gold in which the last mark was a mistake."""
    file = folder / "corrected.jsonl"
    file.write_bytes(lines([document(i, GOLD[:3]) for i in range(8)]))
    return file


def test_a_corrected_gold_scores_everything_again(world: Make, tmp_path: Path) -> None:
    here = world(phase("test", "full", reveal='"opens"'))
    here.submit("Three", answer(3))
    four = here.submit("Four", answer(4))
    worker.drain(here.challenge)
    before = runs.run(here.challenge, ORGANISER, four.submission)
    assert ["Four", "Three"] == [row.team for row in board(here.challenge, NOBODY, "test").rows]

    now = replace_gold(here.challenge, "test", corrected(tmp_path), "one mark was wrong")
    made = rounds.rescore(now, "organiser", "one mark was wrong")
    assert {"Four": 1.0, "Three": 6 / 7} == values(board(now, NOBODY, "test").rows), "until then"
    with pytest.raises(RefusedError, match="round 2 has begun and is not complete yet"):
        rounds.rescore(now, "organiser", "again")
    worker.drain(now)

    after = board(now, NOBODY, "test")
    assert {"Three": 1.0, "Four": 6 / 7} == values(after.rows)
    assert [("Three", 6 / 7, 1.0, 2, 1), ("Four", 1.0, 6 / 7, 1, 2)] == [
        (c.team, c.before, c.after, c.rank_before, c.rank_after) for c in after.changed
    ]
    assert after.rescored is not None
    assert "one mark was wrong" in after.rescored
    assert not after.pending
    run = runs.run(now, ORGANISER, four.submission)
    [earlier] = run.earlier
    assert (1, 1.0, before.signature) == (earlier["round"], earlier["value"], earlier["signature"])
    assert run.signature != before.signature
    assert 2 == made.id
    task = Task.read(now.folder / "task.toml")
    assert ("2", "1") == (task.version, task.versions[0].version)
    assert 0o600 == (now.folder / "private/gold.jsonl").stat().st_mode & 0o777
    kept = sorted(path.name.partition("-")[2] for path in (now.folder / "backups").iterdir())
    assert ["gold.jsonl", "task.toml"] == kept
    assert (
        4
        == now.store.read()
        .__enter__()
        .execute(sa.select(sa.func.count()).select_from(scores))
        .scalar()
    )


def test_submissions_during_a_rescoring_are_in_both_rounds(world: Make, tmp_path: Path) -> None:
    here = world(phase("test", "headline"))
    here.submit("A", answer(3))
    worker.drain(here.challenge)
    rounds.rescore(here.challenge, "organiser", "to be sure")
    here.submit("A", answer(4))
    worker.drain(here.challenge)
    with here.challenge.store.read() as connection:
        found = connection.execute(
            sa.select(scores.c.submission, scores.c.round).order_by(*scores.primary_key.columns)
        ).all()
    assert [(1, 1), (1, 2), (2, 1), (2, 2)] == [tuple(row) for row in found]
    assert {"A": 1.0} == values(board(here.challenge, NOBODY, "test").rows)


def test_the_ladder_is_climbed_again(world: Make, tmp_path: Path) -> None:
    here = world(phase("test", "ladder"))
    for right in (3, 4, 1):
        here.submit("A", answer(right))
    worker.drain(here.challenge)
    now = replace_gold(here.challenge, "test", corrected(tmp_path), "wrong")
    rounds.rescore(now, "organiser", "wrong")
    worker.drain(now)
    page = runs.team_page(now, here.team("A")).phases[0].runs
    assert [1.0, 1.0, 1.0] == [r.shown.official.value for r in page if r.shown and r.shown.official]
    assert [False, False, True] == [r.shown.is_own for r in page if r.shown]


def test_another_version_of_carob_begins_a_round(
    world: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world()
    here.submit("A", answer(3))
    worker.drain(here.challenge)
    for module in (rounds, worker):
        monkeypatch.setattr(module, "__version__", "99")
    one = worker.Worker(here.challenge)
    one.tidy()
    one.tidy()
    worker.drain(here.challenge)
    with here.challenge.store.read() as connection:
        assert [1, 2] == [each.id for each in rounds.every(connection)]
        assert "99" == rounds.active(here.challenge, connection).carob
    [last, *_] = pages.dashboard(here.challenge, ORGANISER).rounds[::-1]
    assert last.activated is not None
    assert " became 99" in last.why


def test_gold_of_other_documents_is_refused(world: Make, tmp_path: Path) -> None:
    here = world()
    short = tmp_path / "short.jsonl"
    short.write_bytes(lines([document(i, GOLD) for i in range(7)]))
    with pytest.raises(RefusedError, match="does not have the 8 documents of the task"):
        replace_gold(here.challenge, "test", short, "")
    same = here.challenge.folder / "private/gold.jsonl"
    with pytest.raises(RefusedError, match="is the gold that the challenge has already"):
        replace_gold(here.challenge, "test", same, "")

"""Workers: every job is done once, whoever dies; what a dead worker had is taken up again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from carob_challenge import jobs as queue
from carob_challenge import pages, rounds, runs, worker
from carob_challenge.config import Config
from carob_challenge.errors import UnavailableError
from carob_challenge.rescoring import replace_gold
from carob_challenge.store import jobs, scores
from carob_challenge.viewer import ORGANISER
from carob_challenge.worker import Worker
from tests.challenge.test_accept import together
from tests.challenge.world import GOLD, World, answer, document, lines, phase

Make = Callable[..., World]
LEASE = timedelta(seconds=10)


def test_jobs_are_taken_in_order_and_once(world: Make) -> None:
    here = world()
    numbers = [here.submit("A", answer(extra=i)).submission for i in range(3)]
    taken = [queue.take(here.challenge, name, LEASE) for name in "abcd"]
    assert [*numbers, None] == [each and each.submission for each in taken]


@pytest.mark.slow
def test_no_two_workers_take_one_job(world: Make) -> None:
    here = world(phase("test"))
    for i in range(10):
        here.submit("A", answer(extra=i))
    taken = together(30, lambda i: queue.take(here.challenge, f"w{i}", LEASE))
    assert not [each for each in taken if isinstance(each, Exception)]
    assert 10 == len({each.id for each in taken if isinstance(each, queue.Job)})
    assert 20 == taken.count(None)


def test_the_job_of_a_silent_worker_is_taken_up_again(world: Make) -> None:
    here = world()
    here.submit("A", answer())
    first = queue.take(here.challenge, "dead", LEASE)
    assert first is not None
    here.clock.go(seconds=9)
    assert None is queue.take(here.challenge, "other", LEASE)
    assert queue.beat(here.challenge, first, "dead", LEASE)
    here.clock.go(seconds=9)
    assert None is queue.take(here.challenge, "other", LEASE), "it said that it lives"
    here.clock.go(seconds=2)
    second = queue.take(here.challenge, "other", LEASE)
    assert second is not None
    assert (first.id, 2) == (second.id, second.attempts)
    assert not queue.beat(here.challenge, first, "dead", LEASE)
    with here.challenge.store.write() as connection:
        assert not queue.finish(here.challenge, connection, first, "dead")
        assert queue.finish(here.challenge, connection, second, "other")


def test_what_a_worker_did_too_late_is_not_saved(
    world: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world()
    receipt = here.submit("A", answer())
    slow = Worker(here.challenge)
    real = vars(worker)["run_limited"]

    def overtaken(*arguments: object) -> object:
        monkeypatch.setattr(worker, "run_limited", real)
        here.clock.go(seconds=60)
        worker.drain(here.challenge)  # another worker takes the job and finishes it
        return real(*arguments)

    monkeypatch.setattr(worker, "run_limited", overtaken)
    assert slow.step()
    with here.challenge.store.read() as connection:
        assert 1 == len(connection.execute(sa.select(scores.c.submission)).all())
    assert "scored" == runs.run(here.challenge, ORGANISER, receipt.submission).state


def test_a_job_that_ends_every_worker_fails_at_last(world: Make) -> None:
    here = world()
    receipt = here.submit("A", answer())
    with here.challenge.store.write() as connection:
        connection.execute(jobs.update().values(attempts=queue.MOST_ATTEMPTS))
    worker.drain(here.challenge)
    run = runs.run(here.challenge, ORGANISER, receipt.submission)
    assert ("failed", "51 workers took it, and none finished it") == (run.state, run.failure)


def test_a_job_that_is_asked_for_while_it_runs_runs_again(world: Make) -> None:
    here = world()
    for _ in range(2):  # asked for twice, it waits once
        with here.challenge.store.write() as connection:
            queue.put(here.challenge, connection, "rank", phase="test")
    job = queue.take(here.challenge, "w", LEASE)
    assert job is not None
    with here.challenge.store.write() as connection:
        queue.put(here.challenge, connection, "rank", phase="test")
    assert None is queue.take(here.challenge, "v", LEASE)
    with here.challenge.store.write() as connection:
        assert queue.finish(here.challenge, connection, job, "w")
    again = queue.take(here.challenge, "w", LEASE)
    assert again is not None
    with here.challenge.store.write() as connection:
        queue.finish(here.challenge, connection, again, "w")
    assert None is queue.take(here.challenge, "w", LEASE)


CHANGED = (
    "gold or task of {} have changed since the last round of scoring: nothing of it is scored "
    "until carob challenge rescore DIR begins a new one"
)


def change(here: World, name: str = "task.toml") -> None:
    """An organiser edits a task while everything runs."""
    task = here.challenge.folder / name
    task.write_text(task.read_text() + "# changed\n")


def test_nothing_is_scored_with_files_that_have_changed(world: Make) -> None:
    here = world()
    receipt = here.submit("A", answer())
    change(here)
    one = Worker(here.challenge)
    assert one.step()
    assert not one.step()
    run = runs.run(here.challenge, ORGANISER, receipt.submission)
    assert ("waiting", CHANGED.format("test")) == (run.state, run.failure)
    assert None is runs.run(here.challenge, here.team("A"), receipt.submission).failure
    notices = pages.dashboard(here.challenge, ORGANISER).notices
    assert f"1 job stepped aside: {CHANGED.format('test')}" in notices
    rounds.rescore(here.challenge, "test", "a comment")
    worker.drain(here.challenge)
    assert "scored" == runs.run(here.challenge, ORGANISER, receipt.submission).state


def test_a_job_that_steps_aside_blocks_no_other_and_is_tried_again(world: Make) -> None:
    here = world(phase("other") + 'task = "other.toml"\n', phase("test"))
    task = here.challenge.folder / "task.toml"
    (here.challenge.folder / "other.toml").write_text(task.read_text())
    first = here.submit("A", answer(), "other")
    change(here, "other.toml")
    second = here.submit("A", answer(), "test")
    worker.drain(here.challenge)

    def states() -> list[str]:
        every = (first.submission, second.submission)
        return [runs.run(here.challenge, ORGANISER, each).state for each in every]

    assert ["waiting", "scored"] == states()
    (here.challenge.folder / "other.toml").write_text(task.read_text())
    here.clock.go(seconds=29)
    worker.drain(here.challenge)
    assert ["waiting", "scored"] == states()
    here.clock.go(seconds=2)
    worker.drain(here.challenge)
    assert ["scored", "scored"] == states()


def test_a_corrected_gold_is_scored_by_a_worker_that_runs(world: Make, tmp_path: Path) -> None:
    here = world()
    receipt = here.submit("A", answer(3))
    running = Worker(here.challenge)
    while running.step():
        pass
    other = type(here.challenge)(here.challenge.folder, here.challenge.written,
                                 here.challenge.store, here.clock)  # fmt: skip
    corrected = tmp_path / "corrected.jsonl"
    corrected.write_bytes(lines([document(i, GOLD[:3]) for i in range(8)]))
    rounds.rescore(replace_gold(other, "test", corrected, ""), "shell", "wrong")
    more = here.submit("A", answer(2))
    while running.step():
        pass
    for number, value in ((receipt.submission, 1.0), (more.submission, 0.8)):
        made = runs.run(here.challenge, ORGANISER, number)
        assert made.shown is not None
        assert made.shown.official is not None
        assert value == pytest.approx(made.shown.official.value)


def test_a_phase_that_is_added_or_renamed_later_stops_no_other(world: Make) -> None:
    here = world(phase("test"))
    here.submit("A", answer(3))
    worker.drain(here.challenge)
    toml = here.challenge.folder / "challenge.toml"
    before = here.submit("A", answer(2))  # waits while challenge.toml is edited
    toml.write_text(toml.read_text().replace("phases.test", "phases.final") + phase("more"))
    now = replace(here.challenge, written=Config.read(here.challenge.folder))
    here.challenge = now
    others = [here.submit("A", answer(3), name) for name in ("final", "more")]
    worker.drain(now)
    assert "challenge.toml has no phase test" == runs.run(now, ORGANISER, before.submission).failure
    assert ["scored"] * 2 == [runs.run(now, ORGANISER, each.submission).state for each in others]
    with now.store.read() as connection:
        [only] = rounds.every(connection)
    assert ["final", "more", "test"] == sorted(only.hashes)
    task = now.folder / "task.toml"
    task.write_text(task.read_text() + "# changed\n")
    waits = here.submit("A", answer(1), "more")
    worker.drain(now)
    assert CHANGED.format("more") == runs.run(now, ORGANISER, waits.submission).failure


def test_an_unexpected_error_ends_no_worker(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world()
    receipt = here.submit("A", answer())
    log: list[str] = []

    def broken(*arguments: object) -> None:
        raise RuntimeError("Zzyzx")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "run_limited", broken)
        assert Worker(here.challenge, write=log.append).step()
    failure = runs.run(here.challenge, ORGANISER, receipt.submission).failure
    assert "RuntimeError: Zzyzx" == failure
    [line] = map(json.loads, log)
    assert {"event": "job stepped aside", "kind": "score", "run": 1, "phase": None,
            "see": "the page of organisers"} == {
        key: line[key] for key in ("event", "kind", "run", "phase", "see")}  # fmt: skip
    here.clock.go(minutes=1)
    worker.drain(here.challenge)
    assert "scored" == runs.run(here.challenge, ORGANISER, receipt.submission).state


def test_nothing_is_taken_while_the_task_cannot_be_read(world: Make) -> None:
    here = world()
    (here.challenge.folder / "task.toml").write_text("version = ")
    with pytest.raises(UnavailableError) as caught:
        here.submit("A", answer())
    assert str(caught.value) == (
        "the task of this phase cannot be read at the moment; the organiser has to mend it"
    )


def test_health_says_when_scoring_stalls_and_why(world: Make) -> None:
    here = world(head="stalled_after = 60")
    nobody = "no worker lives: start one with carob challenge worker DIR"
    assert (nobody,) == pages.health(here.challenge).reasons
    queue.say_alive(here.challenge, "w")
    assert () == pages.health(here.challenge).reasons
    here.submit("A", answer())
    here.clock.go(seconds=20)
    assert (20, ("w",), ()) == (
        pages.health(here.challenge).oldest_seconds, pages.health(here.challenge).workers,
        pages.health(here.challenge).reasons,
    )  # fmt: skip
    here.clock.go(seconds=41)
    assert (nobody, "the oldest job waits for 61 seconds") == (pages.health(here.challenge).reasons)
    queue.say_alive(here.challenge, "w")
    queue.say_gone(here.challenge, "other")
    assert ("w",) == pages.health(here.challenge).workers
    worker.drain(here.challenge)
    assert () == pages.health(here.challenge).reasons
    queue.say_gone(here.challenge, "w")
    assert (nobody,) == pages.health(here.challenge).reasons


def test_a_job_that_is_done_again_is_as_old_as_the_last_time_it_was_asked_for(
    world: Make,
) -> None:
    here = world()
    for _ in range(2):
        with here.challenge.store.write() as connection:
            queue.put(here.challenge, connection, "rank", phase="test")
        assert 0 == pages.health(here.challenge).oldest_seconds
        worker.drain(here.challenge)
        here.clock.go(days=1)


def test_a_worker_stops_when_it_is_asked_to(world: Make) -> None:
    here = world()
    here.submit("A", answer())
    steps: list[int] = []

    def stop() -> bool:
        steps.append(1)
        return len(steps) > 4

    Worker(here.challenge).run(stop, idle=0.0)
    assert () == pages.health(here.challenge).workers, "it said that it ends"
    with here.challenge.store.read() as connection:
        assert 0 == queue.queue_state(connection).waiting

"""Workers: every job is done once, whoever dies; what a dead worker had is taken up again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

from carob_challenge import jobs as queue
from carob_challenge import rounds, runs, worker
from carob_challenge.store import jobs, scores
from carob_challenge.viewer import ORGANISER
from carob_challenge.worker import Worker
from tests.challenge.test_accept import together
from tests.challenge.world import World, answer, phase

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


def test_nothing_is_scored_with_files_that_have_changed(world: Make) -> None:
    here = world()
    receipt = here.submit("A", answer())
    task = here.challenge.folder / "task.toml"
    task.write_text(task.read_text() + "# changed\n")
    changed = type(here.challenge)(here.challenge.folder, here.challenge.config,
                                   here.challenge.store, here.clock)  # fmt: skip
    one = Worker(changed)
    assert one.step()
    assert not one.step()
    assert "waiting" == runs.run(changed, ORGANISER, receipt.submission).state
    with changed.store.read() as connection:
        why = rounds.outdated(changed, rounds.active(changed, connection))
    assert why is not None
    assert "gold or task of test have changed" in why
    rounds.rescore(changed, "test", "a comment")
    worker.drain(changed)
    assert "scored" == runs.run(changed, ORGANISER, receipt.submission).state


def test_a_worker_stops_when_it_is_asked_to(world: Make) -> None:
    here = world()
    here.submit("A", answer())
    steps: list[int] = []

    def stop() -> bool:
        steps.append(1)
        return len(steps) > 4

    Worker(here.challenge).run(stop, idle=0.0)
    with here.challenge.store.read() as connection:
        assert 0 == queue.queue_state(connection).waiting

"""What is accepted: exactly what phase, quota and rate allow, once each, whatever comes at once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from carob_challenge import accept, runs, worker
from carob_challenge.errors import (
    ClosedError,
    NotAllowedError,
    NotFoundError,
    QuotaError,
    RateError,
    TooLargeError,
    UnavailableError,
)
from carob_challenge.store import audit, jobs, submissions
from carob_challenge.viewer import NOBODY, ORGANISER
from tests.challenge.world import World, answer, document, lines, phase

Make = Callable[..., World]


def count(world: World, table: sa.Table) -> int:
    with world.challenge.store.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def test_a_valid_submission_is_kept_and_waits(world: Make) -> None:
    here = world()
    receipt = here.submit("A", answer())
    assert (receipt.valid, receipt.duplicate) == (True, False)
    run = runs.run(here.challenge, here.team("A"), receipt.submission)
    assert (run.state, run.filename, run.late, run.shown) == (
        "waiting",
        "answer.jsonl",
        False,
        None,
    )
    assert answer() == here.challenge.submission_file(run.sha256).read_bytes()
    assert 0o600 == here.challenge.submission_file(run.sha256).stat().st_mode & 0o777
    assert [] == list(here.challenge.uploads.iterdir())


def test_an_invalid_submission_says_why_and_uses_no_quota(world: Make) -> None:
    here = world(phase("test", quota=1))
    bad = answer().replace(b'"PER"', b'"PERSON"', 1)
    receipt = here.submit("A", bad)
    run = runs.run(here.challenge, here.team("A"), receipt.submission)
    assert (False, "invalid", 1) == (receipt.valid, run.state, run.errors)
    [problem] = [each for each in run.problems if each["severity"] == "error"]
    assert ("K827", 1, "answer.jsonl") == (problem["code"], problem["line"], problem["file"])
    assert problem["quote"].startswith('{"id": "d0"')
    assert 0 == count(here, jobs)
    assert here.submit("A", answer()).valid
    assert not here.challenge.submission_file(run.sha256).exists(), "nothing is kept of it"


def test_the_same_bytes_are_one_submission(world: Make) -> None:
    here = world(phase("test", quota=1), phase("later", quota=1))
    first = here.submit("A", answer(), "test")
    again = here.submit("A", answer(), "test", name="other.jsonl")
    assert (first.submission, True) == (again.submission, again.duplicate)
    assert first.submission != here.submit("B", answer(), "test").submission
    assert not here.submit("A", answer(), "later").duplicate
    assert 3 == count(here, submissions) == count(here, jobs)


def test_quotas_count_by_day_and_in_all(world: Make) -> None:
    here = world(phase("test", quota=3, quota_a_day=2))
    for i in range(2):
        here.submit("A", answer(extra=i))
    with pytest.raises(QuotaError, match="all 2 submissions of the phase test for this day"):
        here.submit("A", answer(extra=2))
    here.clock.go(days=1)
    here.submit("A", answer(extra=3))
    with pytest.raises(QuotaError, match="all 3 submissions of the phase test are used"):
        here.submit("A", answer(extra=4))
    own = runs.team_page(here.challenge, here.team("A")).phases[0].quota
    assert (3, 1, 0, 1) == (own.used, own.used_today, own.left, own.left_today)
    here.submit("B", answer())


def test_a_submission_that_could_not_be_scored_uses_no_quota(world: Make) -> None:
    here = world(phase("test", quota=1))
    here.submit("A", answer())
    with here.challenge.store.write() as connection:
        connection.execute(jobs.update().values(state="failed"))
    assert here.submit("A", answer(extra=1)).valid


def test_only_open_phases_take_submissions(world: Make) -> None:
    here = world(
        phase("test", opens=1, closes=2, grace=60), phase("late", opens=3, closes=4, late=True)
    )
    with pytest.raises(ClosedError, match=r"no phase is open; test opens at 2027-01-02 00:00 UTC"):
        here.submit("A", answer())
    with pytest.raises(ClosedError, match=r"the phase test opens at 2027-01-02 00:00 UTC"):
        here.submit("A", answer(), "test")
    here.clock.go(days=2, seconds=59)
    assert here.submit("A", answer()).valid, "within the grace"
    here.clock.go(seconds=1)
    with pytest.raises(ClosedError, match=r"the phase test closed at 2027-01-03 00:00 UTC"):
        here.submit("A", answer(extra=1), "test")
    here.clock.go(days=10)
    receipt = here.submit("A", answer(), "late")
    assert runs.run(here.challenge, here.team("A"), receipt.submission).late
    with pytest.raises(NotFoundError, match="no phase is called 'nothing'"):
        here.submit("A", answer(), "nothing")


def test_an_upload_counts_when_it_begins(world: Make) -> None:
    here = world(phase("test", closes=1))
    here.clock.go(days=1, seconds=-1)
    ticket = accept.begin(here.challenge, here.team("A"))
    here.clock.go(hours=1)  # the phase has closed meanwhile
    receipt = here.finish(ticket, answer())
    run = runs.run(here.challenge, here.team("A"), receipt.submission)
    assert (True, False) == (receipt.valid, run.late)
    assert here.clock.now - timedelta(hours=1) == run.received
    with pytest.raises(ClosedError):
        accept.begin(here.challenge, here.team("A"))


def test_only_teams_submit(world: Make) -> None:
    here = world()
    for viewer in (NOBODY, ORGANISER):
        with pytest.raises(NotAllowedError, match="this is for teams"):
            accept.begin(here.challenge, viewer)


def test_uploads_are_limited_by_rate_and_size(world: Make) -> None:
    here = world(limits="uploads_an_hour = 3\nupload_bytes = 5000")
    with pytest.raises(TooLargeError, match="more than 5,000 bytes"):
        here.submit("A", b"x" * 5001)
    for _ in range(2):
        here.submit("A", b"nonsense")
    with pytest.raises(RateError, match="try again in 3601 seconds") as error:
        here.submit("A", answer())
    assert (429, 3601) == (error.value.status, error.value.retry_after)
    here.submit("B", answer())
    here.clock.go(hours=1)
    here.submit("A", answer())
    assert [] == list(here.challenge.uploads.iterdir())


def together(number: int, work: Callable[[int], object]) -> list[object]:
    """What so many threads get that begin at the same time."""
    results: list[object] = [None] * number
    gate = threading.Barrier(number)

    def one(i: int) -> None:
        gate.wait()
        try:
            results[i] = work(i)
        except Exception as error:
            results[i] = error

    threads = [threading.Thread(target=one, args=(i,)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def patiently(here: World, data: bytes) -> object:
    """What comes of a submission, again and again until no other one is validated."""
    ticket = accept.begin(here.challenge, here.team("A"))
    for _ in range(1000):
        with suppress(RateError):
            return here.finish(ticket, data)
        time.sleep(0.02)
    raise AssertionError("it never was this one's turn")


def test_one_file_of_a_team_is_validated_at_a_time(
    world: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world()
    here.team("A")
    real = vars(accept)["run_limited"]

    def meanwhile(*arguments: object) -> object:
        monkeypatch.setattr(accept, "run_limited", real)
        with pytest.raises(RateError) as refused:
            here.submit("A", answer(extra=1))
        assert ("a file of your team is being validated; try again when it is", 2) == (
            str(refused.value), refused.value.retry_after
        )  # fmt: skip
        assert here.submit("B", answer()).valid, "others do not wait"
        return real(*arguments)

    monkeypatch.setattr(accept, "run_limited", meanwhile)
    assert here.submit("A", answer()).valid
    assert here.submit("A", answer(extra=1)).valid
    assert [] == list(here.challenge.uploads.iterdir())


def test_a_server_that_dies_while_it_validates_holds_no_team(world: Make) -> None:
    here = world()
    here.team("A")
    here.submit("A", answer(1))
    [lock] = (here.challenge.folder / "locks").iterdir()
    program = "import fcntl, sys, time; file = open(sys.argv[1], 'w'); "
    program += "fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(lock)], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(RateError):
            here.submit("A", answer())
        other.kill()
    assert here.submit("A", answer()).valid


def test_validation_has_limits_of_its_own_and_ends_after_a_thousand_problems(
    world: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world(limits="validating_seconds = 7\nvalidating_megabytes = 300")
    real = vars(accept)["run_limited"]
    asked: list[tuple[object, ...]] = []

    def noted(work: str, arguments: object, *limits: object) -> object:
        asked.append(limits)
        return real(work, arguments, *limits)

    monkeypatch.setattr(accept, "run_limited", noted)
    for wrong in (b'{"id": oops}\n' * 50_000, lines([document(0)]) * 5000):
        receipt = here.submit("A", wrong)
        run = runs.run(here.challenge, here.team("A"), receipt.submission)
        assert (False, 1000) == (run.complete, run.errors + run.warnings)
        assert 100 <= len(run.problems) <= 1000
    assert [(7, 300)] * 2 == asked
    few = here.submit("A", b"oops\n")
    assert runs.run(here.challenge, here.team("A"), few.submission).complete


@pytest.mark.slow
def test_of_fifty_at_once_the_quota_is_accepted(world: Make) -> None:
    here = world(phase("test", quota=5))
    here.team("A")
    results = together(50, lambda i: patiently(here, answer(extra=i)))
    accepted = [each for each in results if isinstance(each, accept.Receipt)]
    assert (5, {QuotaError}) == (
        len(accepted), {type(each) for each in results} - {accept.Receipt}
    )  # fmt: skip
    assert 5 == count(here, submissions) == count(here, jobs)


@pytest.mark.slow
def test_the_same_bytes_at_once_are_one_submission(world: Make) -> None:
    here = world(phase("test", quota=5))
    here.team("A")
    results = together(20, lambda i: patiently(here, answer()))
    assert all(isinstance(each, accept.Receipt) for each in results), results
    assert 1 == len({each.submission for each in results if isinstance(each, accept.Receipt)})
    fresh = [each for each in results if isinstance(each, accept.Receipt) and not each.duplicate]
    assert 1 == len(fresh) == count(here, submissions) == count(here, jobs)
    with here.challenge.store.read() as connection:
        lines = connection.execute(sa.select(audit).where(audit.c.action == "submitted")).all()
    assert 1 == len(lines)


def test_a_full_disk_is_a_clear_answer(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world()

    def full(upload: Path, place: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr(accept, "_keep", full)
        with pytest.raises(UnavailableError, match="the disk of the server is full") as error:
            here.submit("A", answer())
    assert (503, 60) == (error.value.status, error.value.retry_after)
    assert (0, []) == (count(here, submissions), list(here.challenge.uploads.iterdir()))
    assert here.submit("A", answer()).valid, "afterwards all is well"


def test_what_broke_off_is_swept_away(world: Make) -> None:
    here = world()
    receipt = here.submit("A", answer())
    (here.challenge.uploads / "half").write_bytes(b"x")
    lost = here.challenge.submission_file("f" * 64)
    lost.parent.mkdir()
    lost.write_bytes(b"y")
    assert 0 == accept.sweep(here.challenge, timedelta(days=10_000))
    here.clock.go(days=365 * 100)
    assert 2 == accept.sweep(here.challenge)
    assert 1 == receipt.submission
    assert 2 == worker.drain(here.challenge), "the file of the submission is still there"


def test_names_of_files_are_harmless(world: Make) -> None:
    here = world()
    receipt = here.submit("A", answer(), name="../../etc/\x00<b>passwd.jsonl")
    run = runs.run(here.challenge, here.team("A"), receipt.submission)
    assert "<b>passwd.jsonl" == run.filename

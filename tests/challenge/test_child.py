"""Children: whatever one does, there is an answer, in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from carob_challenge import jobs, runs, worker
from carob_challenge.child import run_limited
from carob_challenge.viewer import ORGANISER
from tests.challenge.world import World, answer, document, lines

pytestmark = [pytest.mark.children, pytest.mark.slow]

Make = Callable[..., World]


def test_a_child_answers() -> None:
    reply = run_limited("child:echo", {"say": "ü"}, 30, 2048)
    assert ("done", {"say": "ü"}) == (reply.outcome, reply.content)


def test_a_child_that_takes_too_long_is_ended() -> None:
    begun = time.monotonic()
    assert "time" == run_limited("child:echo", {"sleep": 60}, 0.5, 2048).outcome
    assert time.monotonic() - begun < 20


def test_a_child_that_needs_too_much_memory_says_so() -> None:
    assert "memory" == run_limited("child:echo", {"allocate": 1 << 40}, 30, 1024).outcome


def test_a_child_that_ends_is_noticed() -> None:
    assert "crash" == run_limited("child:echo", {"exit": 3}, 30, 2048).outcome


def test_an_error_of_a_child_is_a_message() -> None:
    reply = run_limited("child:nothing", {}, 30, 2048)
    assert ("error", True) == (reply.outcome, "nothing" in reply.message)


def test_what_the_waiting_process_raises_ends_the_child() -> None:
    def beat() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        run_limited("child:echo", {"sleep": 60}, 30, 2048, beat)


def test_submissions_are_validated_and_scored_in_children(world: Make) -> None:
    here = world()
    good, bad = here.submit("A", answer()), here.submit("A", b"\x00\x01 no file at all")
    assert (True, False) == (good.valid, bad.valid)
    worker.drain(here.challenge)
    run = runs.run(here.challenge, ORGANISER, good.submission)
    assert run.shown is not None
    assert run.shown.official is not None
    assert ("scored", 1.0) == (run.state, run.shown.official.value)


def test_a_hostile_submission_gets_a_verdict(world: Make) -> None:
    """Thousands of mentions that all overlap: valid, and too much to be scored."""
    here = world(limits="scoring_seconds = 20\nmemory_megabytes = 600")
    long = document(0)
    size = len(long["text"])
    long["mentions"] = [
        {"start": start, "end": end, "label": "PER"}
        for start in range(size) for end in range(start + 1, size + 1) for _ in range(40)
    ]  # fmt: skip
    deep = b'{"id": "d0", "text": "x", "mentions": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    others = [document(i) for i in range(1, 8)]
    for data in (lines([long, *others]), deep, b'{"id": "' + b"9" * 5_000_000 + b'"}'):
        receipt = here.submit("A", data)
        worker.drain(here.challenge)
        run = runs.run(here.challenge, ORGANISER, receipt.submission)
        assert run.state in ("invalid", "scored", "failed")
    assert here.submit("A", answer()).valid, "the server lives"
    worker.drain(here.challenge)
    with here.challenge.store.read() as connection:
        assert 0 == jobs.queue_state(connection).waiting


def test_a_file_that_is_gone_is_a_failure_that_can_be_tried_again(
    world: Make, tmp_path: Path
) -> None:
    from carob_challenge import organise, pages

    here = world()
    receipt = here.submit("A", answer())
    run = runs.run(here.challenge, ORGANISER, receipt.submission)
    file = here.challenge.submission_file(run.sha256)
    file.rename(tmp_path / "away")
    worker.drain(here.challenge)
    run = runs.run(here.challenge, ORGANISER, receipt.submission)
    assert ("failed", True) == (run.state, "FileNotFoundError" in (run.failure or ""))
    own = runs.run(here.challenge, here.team("A"), receipt.submission)
    assert None is own.failure, "it may quote gold: it is for organisers"
    notices = pages.dashboard(here.challenge, ORGANISER).notices
    assert "1 job failed; the reason is below, and the run can be scored again" in notices
    (tmp_path / "away").rename(file)
    organise.retry(here.challenge, ORGANISER, receipt.submission)
    worker.drain(here.challenge)
    assert "scored" == runs.run(here.challenge, ORGANISER, receipt.submission).state

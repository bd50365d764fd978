"""Workers: processes that take jobs from the database, one after the other.

Any number of them may run. What others have sent is read in a child process with limits; here only
its numbers are saved.
"""

from __future__ import annotations

import os
import signal
import socket
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from carob._version import __version__
from carob_challenge import accept, ladder, limits, organise, ranking, rounds, scoring
from carob_challenge import jobs as queue
from carob_challenge.challenge import Challenge, share
from carob_challenge.child import Reply, run_limited
from carob_challenge.errors import UnavailableError
from carob_challenge.jobs import Job
from carob_challenge.log import Write, line, to_stderr
from carob_challenge.store import final_scores, record, scores, submissions, teams
from carob_challenge.tallies import StoredTally

IDLE = 0.5
"""How many seconds a worker without work waits before it looks again."""

TRIES = 2
"""How often a child that ends without an answer gets another chance."""


ALIVE = 5.0
"""How many seconds pass before a worker says again that it lives."""


TRIES_OF_RANKS = 5
"""A ranking that was put off this often for what waits to be scored is computed nevertheless."""


class PostponedError(Exception):
    """Something more urgent waits."""


class AsideError(Exception):
    """The job cannot be done before an organiser has done something."""


class LostError(Exception):
    """The job was taken by another worker, since this one was silent for too long."""


class Worker:
    """One worker, with a name of its own."""

    def __init__(
        self, challenge: Challenge, lease: timedelta = queue.LEASE, write: Write = to_stderr
    ) -> None:
        self.challenge, self.lease, self.write = challenge, lease, write
        self.name = f"{socket.gethostname()} {os.getpid()} {uuid.uuid4().hex[:8]}"
        self._last_beat = 0.0
        self._last_sign = -ALIVE

    def run(self, stop: Callable[[], bool], idle: float = IDLE) -> None:
        """Work until `stop` says so. A database that is gone is asked again until it is back."""
        tidied = revealed = -3600.0
        pause = idle
        while not stop():
            try:
                self._say_alive()
                if time.monotonic() - tidied >= 3600:
                    self.tidy()
                    tidied = time.monotonic()
                if time.monotonic() - revealed >= 30:
                    organise.ask_for_reports(self.challenge)
                    revealed = time.monotonic()
                busy = self.step()
                pause = idle
            except UnavailableError as error:
                if pause == idle:
                    self.write(line("unavailable", why=error.detail or str(error)))
                busy, pause = False, min(2 * pause, 5.0)
            if not busy:
                _sleep(pause, stop)
        with suppress(UnavailableError):
            queue.say_gone(self.challenge, self.name)

    def _say_alive(self) -> None:
        if time.monotonic() - self._last_sign >= ALIVE:
            queue.say_alive(self.challenge, self.name)
            self._last_sign = time.monotonic()

    def tidy(self) -> None:
        """What is done now and then: remove what nobody needs; score again what another version of
        carob has scored.
        """
        challenge = self.challenge
        limits.forget(challenge)
        accept.sweep(challenge)
        with challenge.store.read() as connection:
            last = rounds.pending(connection) or rounds.active(challenge, connection)
        same = rounds.outdated(challenge, replace(last, carob=__version__)) is None
        if same and last.carob != __version__:
            rounds.rescore(challenge, "worker", f"carob {last.carob} became {__version__}")

    def step(self) -> bool:
        """Do one job; False if there is none."""
        job = queue.take(self.challenge, self.name, self.lease)
        if job is None:
            return False
        self._last_beat = time.monotonic()
        try:
            if job.attempts > queue.MOST_ATTEMPTS:
                self._fail(job, f"{job.attempts} workers took it, and none finished it")
            else:
                {"score": self._score, "rescore": self._score, "rank": self._rank,
                 "report": self._report}[job.kind](job)  # fmt: skip
        except LostError:
            pass
        except UnavailableError:
            raise
        except AsideError as error:
            self._step_aside(job, str(error))
        except Exception as error:  # whatever it is, other jobs can be done
            self._step_aside(job, f"{type(error).__name__}: {error}"[:2000])
        return True

    def _step_aside(self, job: Job, reason: str) -> None:
        queue.step_aside(self.challenge, job, self.name, reason)
        # The reason is not written: it may quote gold. Organisers see it on their page.
        self.write(line("job stepped aside", job=job.id, kind=job.kind, run=job.submission,
                        phase=job.phase, see="the page of organisers"))  # fmt: skip

    def _beat(self, job: Job) -> None:
        self._say_alive()
        if time.monotonic() - self._last_beat < self.lease.total_seconds() / 3:
            return
        if not queue.beat(self.challenge, job, self.name, self.lease):
            raise LostError
        self._last_beat = time.monotonic()

    def _in_child(self, job: Job, work: str, arguments: dict[str, Any], seconds: int) -> Reply:
        megabytes = self.challenge.config.limits.memory_megabytes
        for _ in range(TRIES):
            reply = run_limited(work, arguments, seconds, megabytes, lambda: self._beat(job))
            if reply.outcome != "crash":
                break
        return reply

    def _score(self, job: Job) -> None:
        """Score a submission, and save the scores if the job is still ours."""
        challenge = self.challenge
        assert job.submission is not None
        assert job.round is not None
        with challenge.store.read() as connection:
            row = connection.execute(
                sa.select(submissions).where(submissions.c.id == job.submission)
            ).one()
            [own] = [each for each in rounds.every(connection) if each.id == job.round]
        if row.phase not in challenge.config.phases:
            self._fail(job, f"challenge.toml has no phase {row.phase}")
            return
        self._require_fit(own, row.phase)
        own_limits = challenge.config.limits
        material = challenge.material(row.phase)
        file = challenge.submission_file(row.sha256)
        replies = []
        for each in [material, material.of_results()] if material.final else [material]:
            arguments = scoring.arguments(each, own_limits, file, row.filename)
            reply = self._in_child(job, "scoring:scored", arguments, own_limits.scoring_seconds)
            self._require_fit(own, row.phase)  # files that changed meanwhile are of no round
            if reply.outcome != "done":
                self._fail(job, _why(reply, own_limits.scoring_seconds))
                return
            replies.append(reply)
        tally, official = replies[0].blobs[0], replies[0].content["official"]
        with challenge.store.write() as connection:
            challenge.store.lock_team(connection, row.team)
            if not queue.finish(challenge, connection, job, self.name):
                raise LostError
            rung = ladder.Rung(row.id, official["value"], StoredTally.of_bytes(tally))
            before = self._ladder(connection, row, job.round) if own.activated else ladder.Ladder()
            most = challenge.phase(row.phase).reveals
            shown = before.climb(rung, material.official, most).best
            assert shown is not None
            climbed = {"ladder": shown.value, "ladder_run": shown.submission}
            self._save(connection, scores, job, replies[0], climbed)
            for reply in replies[1:]:
                self._save(connection, final_scores, job, reply, {})
            rounds.admit(challenge, connection, job.round, row.phase)
            self._after_score(connection, job, row.phase)

    def _save(
        self, connection: sa.Connection, table: sa.Table, job: Job, reply: Reply,
        more: Mapping[str, Any],
    ) -> None:  # fmt: skip
        official, (tally, sketch) = reply.content["official"], reply.blobs
        new = {
            "submission": job.submission, "round": job.round, "value": official["value"],
            "low": official["low"], "high": official["high"],
            "signature": reply.content["signature"], "detail": dict(reply.content),
            "tally": tally, "sketch": sketch, "created": self.challenge.now(), **more,
        }  # fmt: skip
        # A job that is done again, because an organiser asked for it, writes the same row.
        again = {key: new[key] for key in new if key not in ("submission", "round")}
        self.challenge.store.upsert(connection, table, new, ["submission", "round"], again)

    def _require_fit(self, own: rounds.Round, phase: str) -> None:
        if (why := rounds.misfit(self.challenge, own, phase)) is not None:
            raise AsideError(why)

    def _ladder(self, connection: sa.Connection, row: Any, round: int) -> ladder.Ladder:
        """What the ladder has shown to this team before."""
        own = (
            sa.select(scores.c.ladder_run)
            .join(submissions, submissions.c.id == scores.c.submission)
            .where(submissions.c.team == row.team, submissions.c.phase == row.phase)
            .where(scores.c.round == round, submissions.c.id != row.id)
            .order_by(scores.c.created, scores.c.submission)
        )  # fmt: skip
        shown = connection.execute(own).scalars().all()
        if not shown:
            return ladder.Ladder()
        last = (scores.c.submission == shown[-1]) & (scores.c.round == round)
        best = connection.execute(sa.select(scores.c.value, scores.c.tally).where(last)).one()
        rung = ladder.Rung(shown[-1], best.value, StoredTally.of_bytes(best.tally))
        return ladder.Ladder(rung, len(set(shown)))

    def _after_score(self, connection: sa.Connection, job: Job, phase: str) -> None:
        assert job.round is not None
        if job.kind == "score":
            queue.put(self.challenge, connection, "rank", phase=phase)
        else:
            rounds.activate_if_complete(self.challenge, connection, job.round)

    def _fail(self, job: Job, error: str) -> None:
        """The verdict on a job that cannot be done. The reason is for organisers alone."""
        with self.challenge.store.write() as connection:
            if not queue.finish(self.challenge, connection, job, self.name, error=error):
                raise LostError
            subject = f"{job.kind} {job.submission or job.phase}"
            # The error itself may quote gold: it stays with the job, which organisers see.
            self.write(line("job failed", job=job.id, kind=job.kind, run=job.submission,
                            phase=job.phase, see="the page of organisers"))  # fmt: skip
            record(connection, self.challenge.now(), "worker", "job failed", subject)
            if job.kind == "rescore" and job.round is not None:
                rounds.activate_if_complete(self.challenge, connection, job.round)

    def _rank(self, job: Job) -> None:
        """Compute the ranks of a phase, in a child: with many teams it takes seconds, in which
        this worker must say that it lives. What waits to be scored comes first.
        """
        challenge = self.challenge
        assert job.phase is not None
        if job.phase not in challenge.config.phases:
            self._fail(job, f"challenge.toml has no phase {job.phase}")
            return
        runs, entries = ranking.entries_of(challenge, job.phase)
        arguments = {
            "entries": [(e.id, e.value, e.tally, e.sketch) for e in entries],
            "recipe": challenge.material(job.phase).official.full,
        }
        limits_ = challenge.config.limits
        seconds, megabytes = limits_.report_seconds, limits_.memory_megabytes
        try:
            reply = run_limited(
                "ranks:ranked", arguments, seconds, megabytes, lambda: self._beat_rank(job)
            )
        except PostponedError:
            queue.give_back(challenge, job, self.name, tried=True)
            return
        if reply.outcome != "done":
            self._fail(job, _why(reply, seconds))
            return
        with challenge.store.write() as connection:
            if not queue.finish(challenge, connection, job, self.name):
                raise LostError
            ranking.save(challenge, connection, job.phase, {"runs": runs, **reply.content})

    def _beat_rank(self, job: Job) -> None:
        self._beat(job)
        if job.attempts < TRIES_OF_RANKS and queue.waits(self.challenge, "score"):
            raise PostponedError

    def _report(self, job: Job) -> None:
        """Write the report of a submission."""
        challenge = self.challenge
        with challenge.store.read() as connection:
            row = connection.execute(
                sa.select(submissions, teams.c.name.label("team_name"))
                .join(teams, teams.c.id == submissions.c.team)
                .where(submissions.c.id == job.submission)
            ).one()
        own_limits = challenge.config.limits
        file = challenge.submission_file(row.sha256)
        output = challenge.report_file(row.id)
        arguments = scoring.arguments(
            challenge.material(row.phase).of_results(), own_limits, file, row.filename,
            team=row.team_name, output=str(output),
        )  # fmt: skip
        reply = self._in_child(job, "scoring:reported", arguments, own_limits.report_seconds)
        if reply.outcome != "done":
            self._fail(job, _why(reply, own_limits.report_seconds))
            return
        share(output, output.parent)
        with challenge.store.write() as connection:
            if not queue.finish(challenge, connection, job, self.name):
                raise LostError


def _why(reply: Reply, seconds: int) -> str:
    return {
        "time": f"it took more than {seconds} seconds",
        "memory": "it needed more memory than allowed",
        "crash": "the child process ended without an answer",
    }.get(reply.outcome, reply.message)


def _sleep(seconds: float, stop: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not stop() and (left := end - time.monotonic()) > 0:
        time.sleep(min(left, 0.1))


def work(challenge: Challenge, *, parent: int | None = None) -> None:
    """Work until this process is asked to end (SIGTERM or SIGINT): what `carob challenge worker`
    does. `parent`: or until the process with this number, which started this one, is gone.
    """
    ended: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: ended.append(number))
    Worker(challenge).run(lambda: bool(ended) or (parent is not None and os.getppid() != parent))


def drain(challenge: Challenge, most: int = 100_000) -> int:
    """Do everything that waits, in this process; how many jobs that were."""
    worker = Worker(challenge)
    return next((count for count in range(most) if not worker.step()), most)

"""Kill processes of a challenge at random moments, and look afterwards whether all is well.

    python -m tests.challenge.killing FOLDER [--database URL] [--kills N] [--seed N]

A process without threads forks teams that upload, workers and an organiser, waits a moment, and
kills one or all of them with SIGKILL; sometimes their children too. What a team was told to be
accepted is written to a file before it goes on. In the end everything that waits is done, and:

- everything that was accepted is there, with its bytes and one score; nothing is there twice;
- no team has more than its quota, and those that went on trying have exactly that;
- the ranking is that of the official runs; what was revealed is in the audit log.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from carob_challenge import accept, organise, pages, ranking, runs, teams, worker
from carob_challenge.board import board
from carob_challenge.challenge import Challenge
from carob_challenge.errors import QuotaError, RateError, RefusedError, UnavailableError
from carob_challenge.store import audit, jobs, scores, submissions
from carob_challenge.viewer import ORGANISER, Viewer
from carob_challenge.worker import Worker
from tests.challenge.world import answer

QUOTA = 12
TEAMS = ("Ann", "Bo", "Cy")
LEASE = timedelta(seconds=0.4)

Act = Callable[[Challenge, random.Random], None]


def _note(folder: Path, content: dict[str, object]) -> None:
    """Write what a client knows, so that it is there after a kill."""
    number = os.open(folder / "accepted.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(number, json.dumps(content).encode() + b"\n")
    os.close(number)


def _uploads(name: str, folder: Path) -> Act:
    def act(challenge: Challenge, rng: random.Random) -> None:
        viewer = next(v for v in _viewers(challenge) if v.name == name)
        while True:
            data = answer(rng.randrange(1, 5), extra=rng.randrange(40))
            if rng.random() < 0.1:
                data = data.replace(b'"PER"', b'"WRONG"', 1)
            ticket = accept.begin(challenge, viewer)
            upload = accept.new_upload(challenge)
            upload.write_bytes(data)
            try:
                receipt = accept.receive(challenge, ticket, upload, "a.jsonl")
            except RateError:  # what was killed still validates for a moment
                time.sleep(0.02)
                continue
            except QuotaError:
                _note(folder, {"team": name, "quota": True})
                time.sleep(0.02)
                continue
            digest = hashlib.sha256(data).hexdigest()
            _note(folder, {"team": name, "id": receipt.submission, "sha256": digest})

    return act


def _viewers(challenge: Challenge) -> list[Viewer]:
    return [Viewer("team", each.id, each.name) for each in teams.all_teams(challenge, ORGANISER)]


def _works(challenge: Challenge, rng: random.Random) -> None:
    Worker(challenge, LEASE).run(lambda: False, idle=0.01)


def _organises(challenge: Challenge, rng: random.Random) -> None:
    while True:
        what = rng.choice([organise.reveal, organise.hold, organise.release])
        what(challenge, ORGANISER, "test", "again")
        time.sleep(rng.uniform(0.0, 0.3))


def _fork(folder: Path, database: str | None, act: Act, seed: int) -> int:
    number = os.fork()
    if number:
        return number
    os.setpgid(0, 0)
    try:
        while True:
            try:
                act(Challenge.open(folder, database), random.Random(seed))
            except (UnavailableError, RefusedError):
                time.sleep(0.01)
    except BaseException as error:
        sys.stderr.write(f"unexpected: {type(error).__name__}: {error}\n")
        sys.stderr.flush()
    finally:
        os._exit(1)


def kill_often(folder: Path, database: str | None, kills: int, seed: int) -> Counter[str]:
    """Kill so many times, then look. What was found, in numbers."""
    rng = random.Random(seed)
    challenge = Challenge.open(folder, database)
    for name in TEAMS:
        teams.add_team(challenge, ORGANISER, name)
    longest = _calibrated(challenge)
    challenge.close()
    acts: list[Act] = [_uploads(name, folder) for name in TEAMS]
    acts += [_works, _organises]
    living: dict[int, int] = {}
    unexpected = 0
    for _ in range(kills):
        for i, act in enumerate(acts):
            if i not in living:
                living[i] = _fork(folder, database, act, rng.randrange(1 << 30))
        time.sleep(rng.uniform(0.0, longest))
        some = list(living) if rng.random() < 0.1 else [rng.choice(list(living))]
        for i in some:
            number = living.pop(i)
            if rng.random() < 0.5:
                os.kill(number, signal.SIGKILL)
            else:
                try:
                    os.killpg(number, signal.SIGKILL)
                except ProcessLookupError:  # it has not made its group yet
                    os.kill(number, signal.SIGKILL)
            _, status = os.waitpid(number, 0)
            unexpected += os.WIFEXITED(status)
    for number in living.values():
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
    assert not unexpected, "a process ended by itself"
    time.sleep(LEASE.total_seconds())
    return look(folder, database)


def _calibrated(challenge: Challenge) -> float:
    """How many seconds to wait at most: about as long as a submission takes on this machine."""
    begun = time.monotonic()
    ticket = accept.begin(challenge, _viewers(challenge)[0])
    upload = accept.new_upload(challenge)
    upload.write_bytes(answer())
    accept.receive(challenge, ticket, upload, "a.jsonl")
    worker.drain(challenge)
    return min(max(1.5 * (time.monotonic() - begun), 0.2), 2.0)


def look(folder: Path, database: str | None) -> Counter[str]:
    """Do what waits, and check that all is well."""
    challenge = Challenge.open(folder, database)
    worker.drain(challenge)
    with challenge.store.read() as connection:
        rows = {row.id: row for row in connection.execute(sa.select(submissions))}
        scored = Counter(connection.execute(sa.select(scores.c.submission)).scalars().all())
        work = connection.execute(sa.select(jobs)).all()
        log = connection.execute(sa.select(audit)).all()
        official = ranking.official_runs(challenge, connection, "test")
    told = [json.loads(each) for each in (folder / "accepted.jsonl").read_text().splitlines()]
    for each in told:
        if "id" in each:
            row = rows[each["id"]]  # nothing that was accepted is lost
            assert row.sha256 == each["sha256"], each
    keys = [(row.team, row.phase, row.sha256) for row in rows.values()]
    assert len(keys) == len(set(keys)), "nothing is there twice"
    for row in rows.values():
        assert scored[row.id] == int(row.valid), "one score each, none for what is invalid"
        if row.valid:
            data = challenge.submission_file(row.sha256).read_bytes()
            assert row.sha256 == hashlib.sha256(data).hexdigest()
    assert Counter(e.subject for e in log if e.action == "submitted") == Counter(map(str, rows))
    assert {"done"} == {job.state for job in work if job.kind != "report"}
    for viewer in _viewers(challenge):
        page = runs.team_page(challenge, viewer).phases[0]
        assert page.quota.used == sum(row.valid for row in rows.values() if row.team == viewer.team)
        assert page.quota.used <= QUOTA
        if any(each.get("quota") and each["team"] == viewer.name for each in told):
            assert page.quota.used == QUOTA
    rows_of_board = board(challenge, ORGANISER, "test")
    assert not rows_of_board.pending
    assert {row.submission for row in rows_of_board.rows} == {run.id for run in official}
    decisions = [e.action for e in log if "reveal" in e.action]
    state = pages.dashboard(challenge, ORGANISER).reveals["test"]
    if decisions:
        assert state.held == (decisions[-1] == "reveal held back"), "as the last line says"
    challenge.close()
    return Counter(
        submissions=len(rows), valid=sum(row.valid for row in rows.values()), told=len(told),
        taken_up_again=sum(job.attempts > 1 for job in work), decisions=len(decisions),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--database")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    begun = time.monotonic()
    found = kill_often(arguments.folder, arguments.database, arguments.kills, arguments.seed)
    seconds = round(time.monotonic() - begun, 1)
    sys.stdout.write(json.dumps({"kills": arguments.kills, **found, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main()

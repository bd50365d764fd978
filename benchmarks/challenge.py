"""The load that a challenge bears: 40 teams with 2,000 submissions of a test set of 50,000 tokens.

    python benchmarks/challenge.py [--database URL] [--seconds 30] [--write]

One run of each team is really submitted and scored; its other 49 are copies of that row with other
bytes' names, since what the pages read is the same. Then people look at the leaderboard, as fast as
the answers come, while teams submit new runs and a worker scores them. At last one team sends 50
files of 1 MB with nothing but mistakes, 8 at a time. Everything is on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from carob.example.generator import documents
from carob_challenge import accept, client, demo, teams, worker
from carob_challenge.challenge import Challenge
from carob_challenge.draft import init
from carob_challenge.store import jobs, scores, submissions
from carob_challenge.viewer import ORGANISER, Viewer

TEAMS, RUNS, TOKENS, READERS, NEW = 40, 50, 50_000, 4, 10
FLOOD, AT_ONCE = 50, 8
WRONG = b'{"id": oops}\n' * ((1 << 20) // 13)
"""A megabyte of lines of which each is wrong."""

PAGE = Path(__file__).parents[1] / "docs" / "challenge.md"


def corpus() -> list[dict[str, Any]]:
    """Documents with 50,000 tokens together."""
    made: list[dict[str, Any]] = []
    count = 0
    for each in documents("seminars", 2000):
        made.append({key: each[key] for key in ("id", "text", "mentions")})
        count += len(each["text"].split())
        if count >= TOKENS:
            return made
    raise AssertionError("too few documents")


def prepare(folder: Path, gold: list[dict[str, Any]], database: str | None) -> dict[str, str]:
    """A challenge with 40 teams and 2,000 scored submissions; the tokens of the teams."""
    inputs, answer = folder / "inputs.jsonl", folder / "gold.jsonl"
    inputs.write_text("".join(json.dumps({"id": d["id"], "text": d["text"]}) + "\n" for d in gold))
    answer.write_text("".join(json.dumps(d) + "\n" for d in gold))
    where = folder / "challenge"
    init(where, inputs, answer)
    stamp = f"{datetime.now(UTC) - timedelta(days=9):%Y-%m-%dT%H:%M:%SZ}"
    file = where / "challenge.toml"
    head = file.read_text().partition("[phases.")[0]
    file.write_text(
        f'{head}[phases.test]\nopens = {stamp}\nfeedback = "headline"\nreveal_at = "opens"\n'
        "reports = false\n"
    )
    challenge = Challenge.open(where, database)
    tokens = {}
    for number in range(TEAMS):
        name = f"Team {'abcdefgh'[number // 5]}{'vwxyz'[number % 5]}"
        made = teams.add_team(challenge, ORGANISER, name)
        tokens[name] = made.token
        viewer = Viewer("team", made.team.id, name)
        ticket = accept.begin(challenge, viewer, "test")
        upload = accept.new_upload(challenge)
        upload.write_bytes(demo.answers(gold, (0.1 + number / 100, 0.1), name))
        accept.receive(challenge, ticket, upload, "run.jsonl")
    with challenge.store.write() as connection:  # ranks are computed once, when all are scored
        connection.execute(jobs.delete().where(jobs.c.kind == "rank"))
    worker.drain(challenge)
    copy(challenge)
    worker.drain(challenge)
    challenge.close()
    return tokens


def copy(challenge: Challenge, runs: int = RUNS) -> None:
    """Earlier runs for each team, as many as make so many, with the scores of the first."""
    with challenge.store.write() as connection:
        first = connection.execute(sa.select(submissions)).mappings().all()
        made = {row["submission"]: row
                for row in connection.execute(sa.select(scores)).mappings()}  # fmt: skip
        for row in first:
            for number in range(1, runs):
                new = dict(row) | {"sha256": f"copy{number:04}{row['sha256'][8:]}"}
                new["received"] = row["received"] - timedelta(hours=number)
                del new["id"]
                added = connection.execute(submissions.insert().values(new)).inserted_primary_key
                assert added is not None
                score = dict(made[row["id"]]) | {"submission": added[0]}
                connection.execute(scores.insert().values(score))


def read(url: str, until: float, times: list[float], board: str = "/board/test") -> None:
    """Look at the leaderboard, once at least, until the end."""
    while True:
        began = time.perf_counter()
        with urllib.request.urlopen(f"{url}{board}", timeout=30) as page:
            page.read()
        times.append(time.perf_counter() - began)
        time.sleep(0.15)
        if time.monotonic() >= until:
            return


def flood(url: str, token: str, sent: list[int]) -> None:
    """Send wrong files, each another one, as fast as the answers come; their statuses."""
    numbers = iter(range(FLOOD))
    lock = threading.Lock()

    def one() -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            request = urllib.request.Request(
                f"{url}/api/submit?filename=x.jsonl", WRONG + b"%d\n" % number,
                {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"},
            )  # fmt: skip
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    sent.append(answer.status)
            except urllib.error.HTTPError as error:
                with error:
                    sent.append(error.code)

    threads = [threading.Thread(target=one) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def flooded(url: str, token: str, board: str = "/board/test") -> tuple[list[float], list[int]]:
    """How long readers wait for the leaderboard while one team floods; and what the team got."""
    times: list[list[float]] = [[] for _ in range(READERS)]
    done = threading.Event()

    def look(own: list[float]) -> None:
        while not done.is_set():
            read(url, 0.0, own, board)

    threads = [threading.Thread(target=look, args=(own,)) for own in times]
    for thread in threads:
        thread.start()
    sent: list[int] = []
    flood(url, token, sent)
    done.set()
    for thread in threads:
        thread.join()
    return [each for some in times for each in some], sent


def share(times: list[float], part: float) -> float:
    return sorted(times)[min(len(times) - 1, int(part * len(times)))] * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--database", metavar="URL")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--write", action="store_true", help="into docs/challenge.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        gold = corpus()
        began = time.perf_counter()
        tokens = prepare(Path(folder), gold, arguments.database)
        print(f"prepared in {time.perf_counter() - began:.0f} s")
        environment = dict(os.environ)
        if arguments.database:
            environment["CAROB_DATABASE"] = arguments.database
        process = subprocess.Popen(
            [sys.executable, "-m", "carob", "serve", f"{folder}/challenge", "--port", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[1]
            measure(url, gold, tokens, arguments)
        finally:
            process.terminate()
            process.wait(60)


def measure(
    url: str, gold: list[dict[str, Any]], tokens: dict[str, str], arguments: argparse.Namespace
) -> None:
    until = time.monotonic() + arguments.seconds
    times: list[list[float]] = [[] for _ in range(READERS)]
    threads = [threading.Thread(target=read, args=(url, until, each)) for each in times]
    for thread in threads:
        thread.start()
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, token) in zip(range(NEW), tokens.items(), strict=False):
            file = Path(folder) / f"new-{number}.jsonl"
            file.write_bytes(demo.answers(gold, (0.2, 0.1), f"{name} new"))
            began = time.perf_counter()
            verdict = client.submit(file, url, token, wait=120)
            assert verdict.content["run"]["state"] == "scored", verdict.content["run"]["state"]
            verdicts.append(time.perf_counter() - began)
    for thread in threads:
        thread.join()
    every = [each for some in times for each in some]
    rows = {
        "teams, submissions": f"{TEAMS}, {TEAMS * RUNS:,}",
        "leaderboard, requests while a worker scores": f"{len(every):,}",
        "leaderboard, median": f"{share(every, 0.5):.0f} ms",
        "leaderboard, 95th percentile": f"{share(every, 0.95):.0f} ms",
        "from upload to score, median of 10": f"{share(verdicts, 0.5) / 1000:.1f} s",
        "from upload to score, slowest of 10": f"{max(verdicts):.1f} s",
    }
    times_, sent = flooded(url, list(tokens.values())[-1])
    rows |= {
        f"one team sends {FLOOD} files of 1 MB of wrong lines: validated, sent away (429)":
            f"{sent.count(200)}, {sent.count(429)}",
        "leaderboard meanwhile, requests": f"{len(times_):,}",
        "leaderboard meanwhile, 95th percentile": f"{share(times_, 0.95):.0f} ms",
    }  # fmt: skip
    for key, value in rows.items():
        print(f"{key}: {value}")
    if arguments.write:
        write(rows, "PostgreSQL" if arguments.database else "SQLite")


def write(rows: dict[str, str], database: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    mark = f"<!-- load: {database} -->\n"
    begin = text.index(mark) + len(mark)
    end = text.index("<!-- /load -->", begin)
    table = "".join(f"| {key} | {value} |\n" for key, value in rows.items())
    PAGE.write_text(
        f"{text[:begin]}| on {database} | |\n|---|---|\n{table}{text[end:]}", encoding="utf-8"
    )


if __name__ == "__main__":
    main()

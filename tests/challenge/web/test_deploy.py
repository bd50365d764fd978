"""The files in deploy/: their commands are run as they stand, with other folders and ports."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from carob_challenge import client
from tests.challenge.world import World, answer, phase

pytestmark = [pytest.mark.slow, pytest.mark.children]
DEPLOY = Path(__file__).parents[3] / "deploy"
CAROB = [sys.executable, "-m", "carob"]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def running(command: list[str], environment: dict[str, str] | None = None) -> Iterator[list[str]]:
    """A server as a process of its own, and the lines that it printed first."""
    process = subprocess.Popen(
        command, env=os.environ | (environment or {}), stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield [process.stdout.readline() for _ in range(2)]
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)
        process.stdout.close()
        assert 0 == code, "it stops cleanly"
    left = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, check=False)
    assert b"" == left.stdout, "it leaves no worker"


def as_here(arguments: list[str], folder: Path, port: int) -> list[str]:
    """The arguments of a command in deploy/, with the folder and port of this test."""
    places = {"/srv/challenge": str(folder), "8080": str(port), "0.0.0.0": "127.0.0.1"}
    return [places.get(each, each) for each in arguments]


def health(port: int) -> dict[str, object]:
    for _ in range(100):
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/api/healthz", timeout=5
            ) as answer:
                return dict(json.load(answer))
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def exec_start(unit: str = "carob.service") -> list[str]:
    text = (DEPLOY / unit).read_text()
    [line] = re.findall(r"^ExecStart=(.+)$", text, re.M)
    program, *arguments = shlex.split(line)
    assert "/opt/carob/bin/carob" == program
    return arguments


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_command_of_systemd_serves_scores_and_stops(
    world: Callable[..., World], tmp_path: Path
) -> None:
    own = world(head='text = "real time"')
    folder, port = own.challenge.folder, free_port()
    text = (folder / "challenge.toml").read_text()
    (folder / "challenge.toml").write_text(text.replace("2027-01-01", "2020-01-01"))
    own.team("A")
    file = tmp_path / "answer.jsonl"
    file.write_bytes(answer(3))
    with running([*CAROB, *as_here(exec_start(), folder, port)]) as printed:
        assert "https://task.example.org" in printed[0]
        assert "https://task.example.org/organiser/login?key=" in printed[1]
        assert health(port)["ok"]
        verdict = client.submit(file, f"http://127.0.0.1:{port}", own.tokens["A"], wait=60)
        assert verdict.is_valid and "scored" == verdict.content["run"]["state"]
        assert "exact.F1  0.8571" in str(verdict)
        done = subprocess.run(
            [*CAROB, "submit", str(file), "--to", f"http://127.0.0.1:{port}"],
            env=os.environ | {"CAROB_TOKEN": own.tokens["A"]}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert (0, True) == (done.returncode, "exact.F1  0.8571" in done.stdout)


def test_workers_of_another_user_score_what_the_server_takes(
    world: Callable[..., World], tmp_path: Path
) -> None:
    own = world(phase("test", reveal='"opens"'), head='text = "real time"')
    if own.challenge.store.is_sqlite:
        pytest.skip("workers of another user need PostgreSQL")
    folder, port = own.challenge.folder, free_port()
    toml = (folder / "challenge.toml").read_text()
    (folder / "challenge.toml").write_text(toml.replace("2027-01-", "2020-01-").replace(
        "closes = 2020", "closes = 2099"))  # fmt: skip
    for name in ("submissions", "uploads", "reports"):
        (folder / name).chmod(0o2770)
    own.team("A")
    file = tmp_path / "answer.jsonl"
    file.write_bytes(answer(3))
    place = {"CAROB_DATABASE": own.challenge.store.url}
    served = [*as_here(exec_start(), folder, port)[:-1], "0"]
    working = as_here(exec_start("carob-worker.service"), folder, port)
    with (
        running([*CAROB, *served], place),
        subprocess.Popen(
            [*CAROB, *working], env=os.environ | place, stderr=subprocess.DEVNULL
        ) as worker,
    ):
        try:
            assert health(port)["ok"]
            verdict = client.submit(file, f"http://127.0.0.1:{port}", own.tokens["A"], wait=60)
        finally:
            worker.terminate()
    assert "scored" == verdict.content["run"]["state"]
    [kept] = (folder / "submissions").glob("*/*")
    assert (0o640, 0o2770) == (kept.stat().st_mode & 0o7777, kept.parent.stat().st_mode & 0o7777)


def test_units_of_systemd_give_gold_to_workers_alone() -> None:
    server, worker = ((DEPLOY / name).read_text() for name in ("carob.service",
                                                               "carob-worker.service"))  # fmt: skip
    assert "User=carob\n" in server and "User=carob-worker\n" in worker
    assert "Group=carob\n" in server and "Group=carob\n" in worker
    for rule in ("NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=\n"):
        assert rule in server and rule in worker
    assert "/private" not in re.findall("^ReadWritePaths=(.+)$", worker, re.M)[0]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_command_of_the_container_serves(world: Callable[..., World]) -> None:
    text = (DEPLOY / "Containerfile").read_text()
    [entry], [command] = (re.findall(rf"^{word} (\[.+\])$", text, re.M)
                          for word in ("ENTRYPOINT", "CMD"))  # fmt: skip
    assert ["/opt/carob/bin/carob"] == json.loads(entry)
    port = free_port()
    with running([*CAROB, *as_here(json.loads(command), world().challenge.folder, port)]):
        assert health(port)["ok"]


def test_the_commands_of_compose_serve_on_postgresql(
    world: Callable[..., World], request: pytest.FixtureRequest
) -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    [command] = re.findall(r"^    command: (\[.+\])$", text, re.M)
    [variable] = re.findall(r'^      (CAROB_DATABASE): "postgresql\+psycopg://', text, re.M)
    own = world()
    if own.challenge.store.is_sqlite:
        pytest.skip("compose has PostgreSQL")
    port = free_port()
    with running(
        [*CAROB, *as_here(json.loads(command), own.challenge.folder, port)],
        {variable: own.challenge.store.url},
    ):
        assert health(port)["ok"]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_nginx_takes_the_example_and_passes_requests_on(
    world: Callable[..., World], tmp_path: Path
) -> None:
    nginx, openssl = shutil.which("nginx") or "/usr/sbin/nginx", shutil.which("openssl")
    if not Path(nginx).exists() or openssl is None:
        pytest.skip("there is no nginx or no openssl on this machine")
    key, certificate = tmp_path / "privkey.pem", tmp_path / "fullchain.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=task.example.org", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    port, tls, plain = free_port(), free_port(), free_port()
    site = (DEPLOY / "nginx.conf").read_text()
    live = "/etc/letsencrypt/live/task.example.org/"
    for old, new in (
        (f"{live}fullchain.pem", str(certificate)), (f"{live}privkey.pem", str(key)),
        ("127.0.0.1:8080", f"127.0.0.1:{port}"), ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{tls} ssl;"), ("listen [::]:80;", ""),
        ("listen [::]:443 ssl;", ""),
    ):  # fmt: skip
        assert old in site, old
        site = site.replace(old, new)
    config = tmp_path / "nginx.conf"
    paths = "".join(f"{each}_temp_path {tmp_path}/{each}; "
                    for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))  # fmt: skip
    config.write_text(
        f"daemon off; master_process off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; {paths}\n{site}\n}}\n"
    )
    tested = subprocess.run([nginx, "-t", "-c", config], capture_output=True, check=False)
    assert 0 == tested.returncode, tested.stderr.decode()
    own = world()
    with running([*CAROB, *as_here(exec_start(), own.challenge.folder, port)]):
        proxy = subprocess.Popen([nginx, "-c", str(config)], stderr=subprocess.DEVNULL)
        try:
            assert health(port)["ok"]
            asked = ["curl", "-sk", "--max-time", "10", "--resolve",
                     f"task.example.org:{tls}:127.0.0.1", "-D", "-",
                     f"https://task.example.org:{tls}/"]  # fmt: skip
            for _ in range(50):
                page = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
                if page:
                    break
                time.sleep(0.1)
            assert "200 OK" in page
            assert "strict-transport-security: max-age=" in page
            assert "How it is scored" in page
        finally:
            proxy.terminate()
            proxy.wait(10)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_server_that_is_killed_leaves_no_worker(world: Callable[..., World]) -> None:
    folder = world().challenge.folder
    server = subprocess.Popen(
        [*CAROB, "serve", str(folder), "--port", "0", "--workers", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    server.stdout.readline()
    server.kill()
    server.wait(10)
    server.stdout.close()
    for _ in range(200):
        found = subprocess.run(["pgrep", "-f", str(folder)], capture_output=True, check=False)
        if not found.stdout:
            return
        time.sleep(0.1)
    raise AssertionError("a worker is left")

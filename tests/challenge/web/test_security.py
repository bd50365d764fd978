"""Every row of the table of threats in docs/security.md that concerns the web: each is tried."""

from __future__ import annotations

import hashlib
import io
import json
import re
import socket
import sqlite3
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from carob_challenge import sessions, teams
from carob_challenge.errors import UnavailableError
from carob_challenge.viewer import ORGANISER
from carob_challenge.web.app import PAGES, filled
from carob_challenge.web.rates import Rate
from carob_challenge.web.settings import Settings
from carob_challenge.web.static import write_site
from tests.challenge.web.client import Client
from tests.challenge.web.conftest import Site
from tests.challenge.world import SECRET, answer, document, lines, phase

pytestmark = pytest.mark.slow
New = Callable[..., Site]

GET = [page for page in PAGES if page.method == "GET"]
POST = [page for page in PAGES if page.method == "POST"]
MARKED = "the-gold-answer-7f3a"
"""A string that stands in gold and nowhere else."""


def addresses(own: Site, path: str) -> list[str]:
    """Every form of an address, with values that exist and values that do not."""
    values: list[dict[str, Any]] = [
        {
            "phase": phase,
            "run": run,
            "team": run,
            "name": name,
            "page": "rules",
            "news": run,
            "kind": "table.tex",
        }
        for phase in (*own.challenge.config.phases, "nothing")
        for run in (1, 3, 999)
        for name in ("inputs.jsonl", "task.toml", "gold.jsonl", "challenge.toml")
    ]
    paths = {filled(path, each) for each in values}
    forms = ("", "?format=json", "?format=csv")
    return [f"{prefix}{each}{form}" for each in sorted(paths) for prefix in ("", "/api")
            for form in forms if not (prefix and form)]  # fmt: skip


def gold_strings(own: Site) -> list[bytes]:
    """What gold has and the public files do not: a note in each document, and its answers as they
    stand in the file."""
    gold = own.challenge.material("test").gold
    rows = [json.loads(line) for line in gold.read_bytes().splitlines()]
    mentions = [json.dumps(row["mentions"]).encode() for row in rows]
    return [MARKED.encode(), *mentions]


@pytest.fixture
def walked(site: New) -> Site:
    """A challenge in which there is something of everything, with gold that can be recognised."""
    own = site(
        phase("dev", "full", closes=5, reveal='"never"'), phase("test", "none", reveal='"never"'),
        head='registration = "open"', settings={"requests": Rate(per_minute=1e6, burst=10**6)},
    )  # fmt: skip
    gold = own.challenge.material("test").gold
    rows = [json.loads(line) | {"note": f"{MARKED}-{i}"}
            for i, line in enumerate(gold.read_bytes().splitlines())]  # fmt: skip
    gold.write_bytes(lines(rows))
    task = own.challenge.material("test").task_file
    digest = hashlib.sha256(gold.read_bytes()).hexdigest()
    task.write_text(re.sub(r'sha256 = "[0-9a-f]{64}"', f'sha256 = "{digest}"', task.read_text()))
    for name in ("A", "B"):
        own.team(name)
        own.submit(name, answer(3, extra=ord(name)), "test")
        own.submit(name, b"broken\n", "dev")
    own.work()
    return own


def viewers(own: Site) -> dict[str, Client]:
    own.team("A")
    return {
        "nobody": own.nobody(), "participant": own.as_team("A"), "other team": own.as_team("C"),
        "organiser": own.as_organiser(), "program": own.served.client(own.tokens["A"]),
    }  # fmt: skip


def test_no_route_gives_gold_to_anybody_before_the_reveal(walked: Site) -> None:
    secrets = gold_strings(walked)
    got = 0
    for who, client in viewers(walked).items():
        for page in GET:
            for address in addresses(walked, page.path):
                found = client.get(address)
                got += found.status == 200
                stalls = page.name == "health"  # no worker lives here
                assert found.status < 500 or stalls, (who, address)
                everything = found.body + str(found.headers).encode()
                for secret in secrets:
                    assert secret not in everything, (who, address)
        for page in POST:
            address = addresses(walked, page.path)[0]
            found = client.post(address, {"name": "x", "state": "x", "reason": ""})
            assert found.status < 500, (who, address)
            assert not any(secret in found.body for secret in secrets), (who, address)
    assert got > 100, "the walk has seen pages"
    log = "\n".join(walked.served.log).encode()
    assert not any(secret in log for secret in secrets)


def test_the_walk_can_fail(walked: Site) -> None:
    gold = walked.challenge.material("test").gold.read_bytes()
    assert any(secret in gold for secret in gold_strings(walked))


def test_gold_is_for_its_owner_alone(walked: Site) -> None:
    gold = walked.challenge.material("test").gold
    assert 0o600 == gold.stat().st_mode & 0o777
    assert gold not in list((walked.challenge.folder / "public").iterdir())


def test_other_teams_and_nobody_see_nothing_of_a_team(walked: Site) -> None:
    """Ids are not secrets: what they lead to is looked up through the team."""
    everybody = viewers(walked)
    for page in GET:
        for address in addresses(walked, page.path):
            if "/runs/1" not in address and "/runs/2" not in address:
                continue
            for who in ("nobody", "other team"):
                assert 404 == everybody[who].get(address).status, (who, address)
    assert 200 == everybody["participant"].get("/runs/1").status
    assert 404 == everybody["participant"].get("/runs/3").status
    assert "broken" not in everybody["other team"].get("/team").text


def test_only_organisers_see_pages_of_organisers(walked: Site) -> None:
    everybody = viewers(walked)
    pages = [page for page in PAGES if page.path.startswith("/organiser")]
    assert 15 < len(pages)
    for page in pages:
        if page.name in ("organiser_login", "redeem"):
            continue
        for address in addresses(walked, page.path)[:6]:
            for who in ("nobody", "participant", "other team", "program"):
                client = everybody[who]
                found = client.get(address) if page.method == "GET" else client.post(address)
                assert found.status in (403, 404, 409), (who, address)
                if page.method == "POST":
                    assert found.status == 403 or "nothing" in address, (who, address)


def test_every_form_refuses_other_sites(walked: Site) -> None:
    for client in (walked.as_team("A"), walked.as_organiser()):
        for page in POST:
            address = addresses(walked, page.path)[0]
            for headers in (
                {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
                {"Sec-Fetch-Site": "same-site", "Origin": "https://evil.example"},
                {"Origin": "null"},
            ):
                found = client.ask("POST", address, b"", client._headers("GET") | headers)
                assert 403 == found.status, address
    log = walked.as_organiser().json("/api/organiser/audit")["audit"]
    assert not [row for row in log if row["action"] in ("disqualified", "revealed")]


def test_cookies_are_for_this_site_and_not_for_scripts(site: New) -> None:
    own = site()
    own.team("A")
    cookie = own.nobody().post("/login", {"token": own.tokens["A"]}).headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie
    assert "__Host-carob_session" == Settings("https://task.example.org").cookie


def test_every_answer_has_the_policy(walked: Site) -> None:
    for page in GET:
        found = walked.nobody().get(addresses(walked, page.path)[0])
        policy = found.headers["content-security-policy"]
        assert "script-src 'self'" in policy and "unsafe" not in policy, page.path
        assert "nosniff" == found.headers["x-content-type-options"]
        assert "<script>" not in found.text
        assert not re.search(r"\son\w+=|\sstyle=|javascript:", found.text), page.path


HOSTILE = (
    "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "=HYPERLINK(1)", "{{ 7*7 }}",
    "@SUM(A1)", "+1", "-1", "</title><svg onload=alert(1)>", "javascript:alert(1)",
)  # fmt: skip


def test_markup_in_names_files_and_labels_is_inert(site: New) -> None:
    own = site(phase("test", "none", reveal='"opens"'), head='registration = "open"',
               limits="registrations_an_hour = 100")  # fmt: skip
    organiser = own.as_organiser()
    for number, name in enumerate(HOSTILE):
        made = own.nobody().post("/api/join", {"name": name, "contact": name})
        if made.status != 200:  # a name that no team may have
            continue
        token = made.json["joined"]["token"]
        team = made.json["joined"]["team"]["id"]
        organiser.post(f"/organiser/teams/{team}/decide", {"state": "approved"})
        program = own.served.client(token)
        program.post(f"/api/submit?filename=%3Cb%3E{number}", body=answer(3, extra=number))
        wrong = document(0) | {"mentions": [{"start": 0, "end": 3, "label": name}], "id": "d0"}
        sent = program.post("/api/submit", body=lines([wrong, *map(document, range(1, 8))]))
        run = sent.json["run"]["id"]
        organiser.post(f"/organiser/runs/{run}/disqualify", {"reason": name})
    own.work()
    seen = 0
    for client in (own.nobody(), organiser):
        for page in GET:
            for address in addresses(own, page.path):
                found = client.get(address)
                kind = found.headers["content-type"] or ""
                if "html" in kind:
                    seen += "alert" in found.text
                    for text in ("<script>alert", "<img src=x", "<svg onload", "</title><svg"):
                        assert text not in found.text, address
                if "csv" in kind:
                    cells = re.findall(r'(?:^|,)"?([=+@-][^0-9.,])', found.text, re.M)
                    assert [] == cells, address
    assert seen > 3, "hostile names were on pages"


def test_names_that_look_alike_are_one_name(site: New) -> None:
    own = site(head='registration = "open"', limits="registrations_an_hour = 100")
    assert 200 == own.nobody().post("/join", {"name": "Paypal"}).status
    cyrillic, wide = "\u0420\u0430\u0443\u0440\u0430l", "\uff50\uff41\uff59\uff50\uff41\uff4c"
    for name in ("paypal", "PAYPAL", cyrillic, "pay\u200bpal", wide):
        assert own.nobody().post("/join", {"name": name}).status in (409, 400, 403), name


@pytest.mark.parametrize("announced", [True, False])
def test_an_upload_over_the_limit_is_cut_off_and_nothing_is_kept(
    site: New, announced: bool
) -> None:
    own = site(limits="upload_bytes = 20_000")
    own.team("A")
    with _raw(own) as connection:
        head = f"POST /api/submit HTTP/1.1\r\nHost: {urlsplit(own.served.url).netloc}\r\n"
        head += f"Authorization: Bearer {own.tokens['A']}\r\n"
        head += "Content-Length: 30000000\r\n\r\n" if announced else (
            "Transfer-Encoding: chunked\r\n\r\n"
        )  # fmt: skip
        connection.sendall(head.encode())
        sent = 0
        try:
            while sent < 3_000_000:
                block = b"x" * 10_000
                connection.sendall(block if announced else b"2710\r\n" + block + b"\r\n")
                sent += len(block)
        except OSError:
            pass
        reply = connection.recv(100_000)
    assert reply.startswith(b"HTTP/1.1 413")
    assert [] == list(own.challenge.uploads.iterdir())
    form = own.as_team("A").post("/submit/test", file=b"x" * 100_000)
    assert 413 == form.status
    assert [] == list(own.challenge.uploads.iterdir())
    large = own.nobody().post("/login", {"token": "x" * 100_000})
    assert 413 == large.status


def _raw(own: Site) -> socket.socket:
    parts = urlsplit(own.served.url)
    return socket.create_connection((parts.hostname or "", parts.port or 0), 20)


def test_a_slow_upload_times_out(site: New) -> None:
    own = site(settings={"body_idle_seconds": 0.3})
    own.team("A")
    with _raw(own) as connection:
        head = "POST /api/submit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n"
        head += f"Authorization: Bearer {own.tokens['A']}\r\n\r\nabc"
        connection.sendall(head.encode())
        began = time.monotonic()
        reply = connection.recv(10_000)
    assert reply.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 10
    assert [] == list(own.challenge.uploads.iterdir())


def test_an_upload_that_breaks_off_leaves_nothing(site: New) -> None:
    own = site()
    own.team("A")
    connection = _raw(own)
    head = "POST /api/submit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n"
    connection.sendall(f"{head}Authorization: Bearer {own.tokens['A']}\r\n\r\nabc".encode())
    time.sleep(0.2)
    connection.close()
    for _ in range(100):
        if not list(own.challenge.uploads.iterdir()):
            break
        time.sleep(0.05)
    assert [] == list(own.challenge.uploads.iterdir())
    assert 200 == own.nobody().get("/login").status


def test_archives_that_are_bombs_get_a_verdict(site: New) -> None:
    own = site(limits="unpacked_bytes = 1_000_000")
    own.team("A")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../answer.jsonl", b"0" * 30_000_000)
    program = own.served.client(own.tokens["A"])
    sent = program.post("/api/submit?filename=x.zip", body=packed.getvalue())
    assert (200, False) == (sent.status, sent.json["run"]["valid"])
    assert 200 == own.nobody().get("/login").status


def test_guesses_are_limited_by_address(site: New) -> None:
    own = site(settings={"failures": Rate(per_minute=6, burst=3)})
    own.team("A")
    statuses = [own.served.client("x" * 43).get("/team").status for _ in range(5)]
    assert [401, 401, 401, 429, 429] == statuses
    limited = own.served.client(own.tokens["A"]).get("/team")
    assert 429 == limited.status
    assert int(limited.headers["retry-after"]) > 0
    assert 429 == own.nobody().post("/login", {"token": "y" * 43}).status
    assert 200 == own.nobody().get("/").status, "pages are still there"


def test_requests_are_limited_by_address(site: New) -> None:
    own = site(settings={"requests": Rate(per_minute=6, burst=3)})
    assert [200, 200, 200, 429] == [own.nobody().get("/login").status for _ in range(4)]


def test_uploads_are_limited_by_team(site: New) -> None:
    own = site(limits="uploads_an_hour = 3")
    own.team("A")
    program = own.served.client(own.tokens["A"])
    statuses = [program.post("/api/submit", body=b"x%d" % i).status for i in range(5)]
    assert [200, 200, 200, 429, 429] == statuses


def test_login_urls_work_once_and_expire(site: New) -> None:
    own = site()
    key = sessions.new_login(own.challenge)
    assert 200 == own.nobody().get(f"/organiser/login?key={key}").status, "looking is no use"
    assert 303 == own.nobody().post("/organiser/login", {"key": key}).status
    assert 403 == own.nobody().post("/organiser/login", {"key": key}).status
    late = sessions.new_login(own.challenge)
    own.clock.go(minutes=16)
    assert 403 == own.nobody().post("/organiser/login", {"key": late}).status


def test_logging_out_ends_the_session(site: New) -> None:
    own = site()
    client = own.as_organiser()
    kept = dict(client.cookies)
    client.post("/logout")
    again = own.nobody()
    again.cookies = kept
    assert 403 == again.get("/organiser").status


@pytest.mark.parametrize("query", ["?next=https://evil.example", "?next=//evil.example"])
def test_nothing_redirects_elsewhere(site: New, query: str) -> None:
    own = site()
    own.team("A")
    client = own.nobody()
    found = client.post(f"/login{query}", {"token": own.tokens["A"], "next": "//evil.example"})
    assert "/team" == found.to
    assert "/" == client.post(f"/logout{query}").to
    for path in ("//evil.example", "//evil.example/%2e%2e", "/board/", "/\\evil.example"):
        assert "" == client.get(path).to


def test_other_hosts_paths_and_methods_are_refused(site: New) -> None:
    own = site()
    client = own.nobody()
    assert 421 == client.get("/", Host="evil.example").status
    assert 200 == client.get("/", Host="localhost").status
    for path in ("/files/..%2fprivate%2fgold.jsonl", "/assets/../app.py", "/assets/%2e%2e/app.py",
                 "/files/%2e%2e%5cprivate", "/assets/..", "/files//etc/passwd"):  # fmt: skip
        assert client.get(path).status in (400, 404), path
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert 405 == client.ask(method, "/").status
    assert 400 == client.post("/login", {"token": "x"}, X_HTTP_Method_Override="DELETE").status
    team = own.as_team("A")
    before = len(own.as_organiser().json("/api/organiser/teams")["teams"])
    team.post("/login", {"_method": "DELETE", "token": "x"})
    assert before == len(own.as_organiser().json("/api/organiser/teams")["teams"])


def test_unexpected_errors_say_nothing(site: New, monkeypatch: pytest.MonkeyPatch) -> None:
    own = site()

    def fail(*arguments: object) -> None:
        raise RuntimeError(f"at {SECRET}")

    monkeypatch.setattr("carob_challenge.board.board", fail)
    found = own.nobody().get("/board")
    assert 500 == found.status
    assert SECRET not in found.text
    assert not any(SECRET in line for line in own.served.log)
    assert any('"kind": "RuntimeError"' in line for line in own.served.log)


def test_a_database_that_is_locked_or_gone_is_a_503(
    site: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = site()
    own.team("A")
    program = own.served.client(own.tokens["A"])

    def gone(*arguments: object) -> None:
        raise UnavailableError("the database does not answer; try again", 10)

    with monkeypatch.context() as patch:
        for name in ("read", "write"):
            patch.setattr(type(own.challenge.store), name, gone)
        for path in ("/", "/board", "/team", "/healthz", "/api/board"):
            found = program.get(path)
            assert (503, "10") == (found.status, found.headers["retry-after"]), path
        assert 503 == program.post("/api/submit", body=answer(4)).status
    assert 200 == program.get("/team").status, "it recovers by itself"
    assert 200 == program.post("/api/submit", body=answer(4)).status


def test_a_real_lock_on_sqlite_is_a_503(site: New, monkeypatch: pytest.MonkeyPatch) -> None:
    own = site()
    if not own.challenge.store.is_sqlite:
        pytest.skip("SQLite locks whole files")
    own.team("A")
    program = own.served.client(own.tokens["A"])
    with sqlite3.connect(own.challenge.folder / "challenge.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        found = program.post("/api/submit", body=answer(4))
        assert 503 == found.status
        assert found.headers["retry-after"]
        assert 200 == program.get("/board").status, "reading goes on"
        other.rollback()
    assert 200 == program.post("/api/submit", body=answer(4)).status


def test_a_full_disk_is_a_503(site: New, monkeypatch: pytest.MonkeyPatch) -> None:
    own = site()
    own.team("A")
    program = own.served.client(own.tokens["A"])

    def full(*arguments: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("carob_challenge.web.endpoint.new_upload", full)
        found = program.post("/api/submit", body=answer(4))
        assert 503 == found.status
        assert found.headers["retry-after"]
    assert 200 == program.post("/api/submit", body=answer(4)).status


def test_tokens_are_stored_as_hashes(site: New) -> None:
    own = site()
    own.team("A")
    fresh = teams.new_token(own.challenge, ORGANISER, own.viewers["A"].team or 0)
    for file in own.challenge.folder.rglob("*"):
        if file.is_file():
            assert fresh.encode() not in file.read_bytes(), file


def test_the_copy_in_files_has_no_gold_and_nothing_private(walked: Site, tmp_path: Path) -> None:
    write_site(walked.challenge, tmp_path / "copy")
    secrets = gold_strings(walked)
    files = [file for file in (tmp_path / "copy").rglob("*") if file.is_file()]
    assert len(files) > 10
    for file in files:
        content = file.read_bytes()
        assert not any(secret in content for secret in secrets), file
        assert b"<form" not in content, file

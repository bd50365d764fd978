"""What people do with a challenge, page by page, as HTML, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import subprocess
import time
import zipfile
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
import sqlalchemy as sa

from carob_challenge import jobs, organise
from carob_challenge.errors import UnavailableError
from carob_challenge.store import submissions
from carob_challenge.viewer import ORGANISER
from tests.challenge.web.client import words
from tests.challenge.web.conftest import Site
from tests.challenge.world import answer, document, lines, phase

pytestmark = pytest.mark.slow
New = Callable[..., Site]


def test_home_has_task_phases_rules_and_command(site: New) -> None:
    own = site(phase("dev", "ladder", closes=5), phase("test", "none", opens=5, quota=3))
    page = own.nobody().get("/")
    assert 200 == page.status
    seen = words(page.text)
    for text in (
        "1 Jan 2027, 00:00 UTC", "opens in 5 days", "3 in all", "carob score --task task.toml",
        f"carob check FILE --challenge {own.served.url}", "inputs.jsonl", "exact.F1",
    ):  # fmt: skip
        assert text in seen, text
    assert '<time datetime="2027-01-01T00:00:00+00:00">' in page.text
    data = own.nobody().json("/api/")
    assert ["dev", "test"] == [each["name"] for each in data["phases"]]
    assert "open" == data["phases"][0]["status"]


def test_public_files_can_be_had_and_no_others(site: New) -> None:
    own = site()
    nobody = own.nobody()
    data = nobody.json("/api/phases/current")
    inputs = nobody.get(f"/files/{data['inputs']}")
    assert own.challenge.material("test").inputs.read_bytes() == inputs.body
    assert "attachment" in inputs.headers["content-disposition"]
    for name in ("gold.jsonl", "challenge.toml", "challenge.db", "..", ".", "%2e%2e"):
        assert nobody.get(f"/files/{name}").status in (400, 404)


def test_a_bad_file_shows_every_problem_with_its_line(site: New) -> None:
    own = site(phase("test", quota=2))
    team = own.as_team("A")
    wrong = document(0, [("PER", "Ann")]) | {"mentions": [{"start": 0, "end": 3, "label": "PRE"}]}
    file = lines([wrong, *(document(i) for i in range(1, 8))]) + b"this is no json\n"
    sent = team.post("/submit/test", file=file)
    assert 303 == sent.status
    page = team.get(sent.to)
    seen = words(page.text)
    assert "The file is not valid" in seen
    assert "this is no json" in seen
    assert "line 9" in seen
    data = team.json(f"/api{sent.to}")
    assert not data["run"]["valid"]
    assert data["run"]["problems"]
    assert 2 == data["quota"]["left"]
    rows = list(csv.DictReader(io.StringIO(team.get(f"{sent.to}?format=csv").text)))
    assert len(data["problems"]) == len(rows)


def test_the_same_bytes_lead_to_the_same_run(site: New) -> None:
    own = site(phase("test", quota=1))
    team = own.as_team("A")
    first = team.post("/submit/test", file=answer(3))
    again = team.post("/submit/test", file=answer(3))
    assert first.to == again.to
    refused = team.post("/submit/test", file=answer(2))
    assert 409 == refused.status
    assert "All 1 submissions of the phase test are used" in words(refused.text)


def test_a_program_sends_the_file_as_it_is(site: New) -> None:
    own = site()
    own.team("A")
    program = own.served.client(own.tokens["A"])
    sent = program.post("/api/submit?filename=x.jsonl", body=answer(4))
    assert (200, True, "x.jsonl") == (
        sent.status, sent.json["run"]["valid"], sent.json["run"]["filename"]
    )  # fmt: skip
    assert program.post("/api/submit?phase=nothing", body=answer(4)).status == 404
    assert 401 == own.served.client("no-such-token-" * 3).post("/api/submit", body=b"").status


def test_without_a_file_the_form_says_so(site: New) -> None:
    own = site()
    refused = own.as_team("A").post("/submit/test", {})
    assert (400, True) == (refused.status, "No file was sent" in refused.text)


def test_closed_phases_and_late_runs(site: New) -> None:
    own = site(phase("dev", closes=1), phase("test", closes=2, late=True))
    team = own.as_team("A")
    own.clock.go(days=1.5)
    team = own.as_team("A")
    refused = team.post("/submit/dev", file=answer(4))
    assert 409 == refused.status
    assert "closed at 2027-01-02 00:00 UTC" in words(refused.text)
    own.clock.go(days=1)
    team = own.as_team("A")
    sent = team.post("/submit/test", file=answer(4))
    own.work()
    assert "late" in words(team.get(sent.to).text)
    board = team.json("/api/board/test")
    assert [] == board["board"]
    assert ["A"] == [row["team"] for row in board["late"]]
    assert "Late runs" in words(team.get("/board/test").text)


def test_the_board_before_and_after_the_reveal(site: New) -> None:
    own = site(phase("test", "none"))
    for name, right in (("A", 4), ("B", 3), ("C", 1)):
        own.team(name)
        own.submit(name, answer(right))
    own.work()
    nobody = own.nobody()
    before = nobody.get("/board/test")
    assert "Nothing is shown before the reveal" in words(before.text)
    assert "0." not in re.sub(r"carob \d+\.\d+\.\d+", "", words(before.text))
    for page in ("labels", "errors"):
        assert 404 == nobody.get(f"/board/test/{page}").status
    assert [] == nobody.json("/api/board/test")["board"]
    own.clock.go(days=11)
    after = nobody.get("/board/test")
    rows = nobody.json("/api/board/test")["board"]
    assert [("A", 1), ("B", 2), ("C", 3)] == [(row["team"], row["rank"]) for row in rows]
    assert 1.0 == rows[0]["score"]
    assert "The results are revealed" in words(after.text)
    assert '<svg class="plot' in after.text
    assert rows[0]["signature"] in unescape(after.text)
    for page in ("labels", "errors", "history"):
        assert 200 == nobody.get(f"/board/test/{page}").status
    table = list(csv.DictReader(io.StringIO(nobody.get("/board/test?format=csv").text)))
    assert ["A", "B", "C"] == [row["team"] for row in table]
    labels = nobody.json("/api/board/test/labels")["labels"]
    assert {"PER", "LOC"} == {row["label"] for row in labels}


def test_registration_waits_for_approval(site: New) -> None:
    own = site(head='registration = "open"')
    joined = own.nobody().post("/join", {"name": "New & <b>bold</b>", "contact": "x@example.org"})
    assert 200 == joined.status
    token = re.findall(r'class="token">([^<]+)<', joined.text)[0]
    client = own.nobody()
    assert 403 == client.post("/login", {"token": token}).status
    organiser = own.as_organiser()
    assert "teams wait for approval" in words(organiser.get("/organiser").text).lower()
    [team] = organiser.json("/api/organiser/teams")["teams"]
    assert 303 == organiser.post(f"/organiser/teams/{team['id']}/decide",
                                 {"state": "approved"}).status  # fmt: skip
    assert 303 == client.post("/login", {"token": token}).status
    assert "New & <b>bold</b>" in words(client.get("/team").text)
    assert "<b>bold</b>" not in client.get("/team").text


def test_invitations_work_once(site: New) -> None:
    own = site()
    organiser = own.as_organiser()
    made = organiser.post("/api/organiser/invitations", {"count": "2"}).json["secrets"]
    assert 2 == len(made)
    assert 403 == own.nobody().post("/join", {"name": "A"}).status
    form = {"name": "A", "invitation": made[0]}
    assert "approved" == own.nobody().post("/api/join", form).json["joined"]["team"]["state"]
    assert 403 == own.nobody().post("/join", {"name": "B", "invitation": made[0]}).status
    for count in ("0", "-1", "x", "99999999999", ""):
        assert 409 == organiser.post("/organiser/invitations", {"count": count}).status


def test_the_organiser_decides(site: New) -> None:
    own = site(phase("test", "none"))
    for name, right in (("A", 4), ("B", 4), ("C", 2)):
        own.team(name)
        own.submit(name, answer(right, extra=ord(name)))
    own.work()
    organiser = own.as_organiser()
    runs = organiser.json("/api/organiser/runs")["runs"]
    assert 3 == len(runs)
    assert [("A", "B")] == [
        (pair["team_a"], pair["team_b"]) for pair in organiser.json("/api/organiser/alike")["pairs"]
    ]
    pairs = organiser.json("/api/organiser/significance/test")["pairs"]
    assert 3 == len(pairs)
    first = next(run["id"] for run in runs if run["team"] == "A")
    assert 409 == organiser.post(f"/organiser/runs/{first}/disqualify", {"reason": " "}).status
    organiser.post(f"/organiser/runs/{first}/disqualify", {"reason": "copied <B>"})
    own.work()
    organiser.post("/organiser/phases/test/reveal", {"action": "reveal", "sure": "yes"})
    board = own.nobody().json("/api/board/test")["board"]
    assert ["B", "C"] == [row["team"] for row in board]
    assert "copied <B>" in words(own.as_team("A").get(f"/runs/{first}").text)
    organiser.post("/organiser/phases/test/reveal", {"action": "hold"})
    assert [] == own.nobody().json("/api/board/test")["board"]
    assert 409 == organiser.post("/organiser/phases/test/reveal", {"action": "x"}).status
    actions = [row["action"] for row in organiser.json("/api/organiser/audit")["audit"]]
    for action in ("disqualified", "revealed", "reveal held back", "logged in"):
        assert action in actions
    assert 303 == organiser.post(f"/organiser/runs/{first}/reinstate").status


def test_a_new_token_ends_the_old_one(site: New) -> None:
    own = site()
    team = own.as_team("A")
    old = own.tokens["A"]
    organiser = own.as_organiser()
    number = own.viewers["A"].team
    [fresh] = organiser.post(f"/api/organiser/teams/{number}/token").json["secrets"]
    assert 403 == team.get("/team").status
    assert 401 == own.served.client(old).get("/team").status
    assert 200 == own.served.client(fresh).get("/team").status
    organiser.post(f"/organiser/teams/{number}/revoke")
    assert 401 == own.served.client(fresh).get("/team").status


def test_a_team_marks_its_primary_run(site: New) -> None:
    own = site(phase("test", "headline"), head='official = "primary"')
    team = own.as_team("A")
    first = team.post("/submit/test", file=answer(4)).to
    team.post("/submit/test", file=answer(1))
    own.work()
    assert 303 == team.post(f"{first}/primary").status
    own.work()
    board = own.nobody().json("/api/board/test")["board"]
    assert [("A", 1.0)] == [(row["team"], row["score"]) for row in board]
    assert 404 == own.as_team("B").post(f"{first}/primary").status


def test_reports_open_after_the_reveal_for_their_team(site: New) -> None:
    own = site(phase("test", "none"))
    own.team("A")
    receipt = own.submit("A", answer(3))
    own.work()
    address = f"/runs/{receipt.submission}/report"
    team = own.as_team("A")
    assert 404 == team.get(address).status
    own.as_organiser().post("/organiser/phases/test/reveal", {"action": "reveal", "sure": "yes"})
    own.work()
    page = team.get(address)
    assert 200 == page.status
    assert "sandbox" in page.headers["content-security-policy"]
    assert "carob report" in page.text
    assert 404 == own.nobody().get(address).status
    assert 404 == own.as_team("B").get(address).status


def test_health_says_how_much_waits_and_when_scoring_stalls(site: New) -> None:
    own = site()
    own.submit("A", answer(4))
    jobs.say_alive(own.challenge, "w")
    well = own.nobody().get("/healthz", accept="application/json")
    about = {"ok": True, "reasons": [], "workers": 1, "waiting": 1, "aside": 0, "oldest_seconds": 0}
    assert (200, about) == (well.status, {key: well.json[key] for key in about})
    own.clock.go(minutes=10)
    for path in ("/healthz", "/api/healthz"):
        stalls = own.nobody().get(path)
        assert (503, "10") == (stalls.status, stalls.headers["retry-after"])
    assert "The oldest job waits for 600 seconds" in words(own.nobody().get("/healthz").text)
    assert [
        "no worker lives: start one with carob challenge worker DIR",
        "the oldest job waits for 600 seconds",
    ] == stalls.json["reasons"]
    assert "The oldest job waits for 600 seconds" in own.as_organiser().get("/organiser").text


def test_the_log_has_one_line_for_each_request_and_no_secret(site: New) -> None:
    own = site()
    own.as_team("A").get("/team?secret=hidden")
    key = "k" * 43
    own.nobody().get(f"/organiser/login?key={key}")
    own.nobody().post("/login", {"token": own.tokens["A"]})
    text = "\n".join(own.served.log)
    assert '"who": "team A"' in text
    assert '"path": "/team"' in text
    for secret in (own.tokens["A"], key, "hidden", "carob_session"):
        assert secret not in text


RULES = "# The rules\n\n*Be fair.* <b>now</b> [mail](mailto:a@example.org)\n\n| a |\n|---|\n| 1 |\n"


def test_organisers_write_pages_in_markdown_with_a_logo_and_a_colour(site: New) -> None:
    own = site(head='text = "**Bold** text"\nlogo = "public/logo.svg"\ncolour = "#ffcc00"')
    folder = own.challenge.folder
    (folder / "pages").mkdir()
    (folder / "pages" / "rules.md").write_text(RULES)
    (folder / "pages" / "a-page.md").write_text("No heading.")
    (folder / "public" / "logo.svg").write_text("<svg/>")
    home = own.nobody().get("/")
    assert "<strong>Bold</strong> text" in home.text
    assert '<link rel="stylesheet" href="/theme.css">' in home.text
    assert '<img class="logo" src="/logo" alt="">' in home.text
    order = [home.text.index(each) for each in ("/pages/rules", "The rules", "/pages/a-page")]
    assert sorted(order) == order
    page = own.nobody().get("/pages/rules")
    assert "<h1><bdi>The rules</bdi></h1>" in page.text
    assert "<em>Be fair.</em> &lt;b&gt;now&lt;/b&gt;" in page.text
    assert '<a href="mailto:a@example.org"' in page.text and "<td>1</td>" in page.text
    assert "The rules" == own.nobody().json("/api/pages/rules")["title"]
    assert "A page" in words(own.nobody().get("/pages/a-page").text)
    assert 404 == own.nobody().get("/pages/nothing").status
    theme = own.nobody().get("/theme.css")
    assert "--accent: #ffcc00" in theme.text
    assert "text/css" in (theme.headers["content-type"] or "")
    logo = own.nobody().get("/logo")
    assert (b"<svg/>", "image/svg+xml") == (logo.body, logo.headers["content-type"])
    assert 404 == site().nobody().get("/logo").status


def test_news_is_on_the_first_page(site: New) -> None:
    own = site()
    organiser = own.as_organiser()
    assert 303 == organiser.post("/organiser/news", {"text": "**Soon** more"}).status
    for path in ("/", "/news", "/organiser/news"):
        assert "<strong>Soon</strong> more" in organiser.get(path).text, path
    [each] = own.nobody().json("/api/news")["news"]
    assert "**Soon** more" == each["text"]
    assert 303 == organiser.post(f"/organiser/news/{each['id']}/remove").status
    assert [] == own.nobody().json("/api/news")["news"]


def test_times_are_moved_in_the_browser(site: New) -> None:
    own = site(phase("test", "none"))
    organiser = own.as_organiser()
    page = organiser.get("/organiser/phases/test").text
    assert 'value="2027-01-01T00:00"' in page and 'value="2027-01-11T00:00"' in page
    form = {"opens": "2027-01-01T00:00", "closes": "2027-02-01T12:30"}
    assert 303 == organiser.post("/organiser/phases/test/times", form).status
    assert "1 Feb 2027, 12:30 UTC" in words(own.nobody().get("/").text)
    wrong = organiser.post("/organiser/phases/test/times", form | {"closes": "tomorrow"})
    assert 409 == wrong.status
    assert "Found 'tomorrow', expected a time in UTC like 2027-03-01 12:00" in words(wrong.text)
    assert 409 == organiser.post("/organiser/phases/test/times", {"opens": ""}).status


def test_nothing_is_revealed_without_a_question(site: New) -> None:
    own = site(phase("test", "none"))
    organiser = own.as_organiser()
    refused = organiser.post("/organiser/phases/test/reveal", {"action": "reveal"})
    assert "Say that you are sure: what was revealed has been seen" in words(refused.text)
    assert 409 == refused.status
    assert not own.nobody().json("/api/board/test")["visible"]


def test_several_open_phases_are_tracks_with_a_board_each(site: New) -> None:
    own = site(phase("people"), phase("places"))
    team = own.as_team("A")
    home = words(own.nobody().get("/").text)
    assert "Submit to people Submit to places" in home
    program = own.served.client(own.tokens["A"])
    asked = program.post("/api/submit", body=answer(4))
    assert (409, "people and places are open: say which with --phase") == (
        asked.status, asked.json["error"]
    )  # fmt: skip
    assert 409 == own.nobody().get("/api/phases/current").status
    page = team.get("/submit").text
    assert 'action="/submit/people"' in page and 'action="/submit/places"' in page
    assert 303 == team.post("/submit/people", {"name": "big"}, file=answer(4)).status
    assert 200 == program.post("/api/submit/places?name=small", body=answer(2)).status
    own.work()
    assert [1.0, 0.6667] == [
        round(own.nobody().json(f"/api/board/{each}")["board"][0]["score"], 4)
        for each in ("people", "places")
    ]
    assert ["small", "big"] == [row["about"]["name"] for row in [
        own.as_team("A").json(f"/api/runs/{number}")["run"] for number in (2, 1)]]  # fmt: skip


def test_a_run_is_described_downloaded_and_withdrawn(site: New) -> None:
    own = site(phase("test", "headline"))
    team, data = own.as_team("A"), answer(4)
    sent = team.post("/submit/test", {"name": "big", "paper": "https://example.org"}, file=data)
    assert ("big", "https://example.org") == tuple(
        team.json("/api/runs/1")["run"]["about"][key] for key in ("name", "paper")
    )
    assert 409 == team.post("/submit/test", {"code": "x"}, file=answer(1)).status
    form = {"name": "bigger", "code": "https://example.org/code"}
    assert 303 == team.post("/runs/1/details", form).status
    assert "bigger" in words(team.get(sent.to).text)
    assert "bigger" in words(team.get("/team").text)
    found = team.get("/runs/1/file")
    assert data == found.body
    assert 'attachment; filename="answer.jsonl"' == found.headers["content-disposition"]
    for other in (own.nobody(), own.as_team("B")):
        assert 404 == other.get("/runs/1/file").status
        assert other.post("/runs/1/details", form).status in (403, 404)
        assert other.post("/runs/1/withdraw").status in (403, 404)
    own.work()
    assert 303 == team.post("/runs/1/withdraw").status
    assert "Withdrawn:" in words(team.get("/runs/1").text)
    assert [] == own.nobody().json("/api/board/test")["board"]


def test_the_organiser_downloads_all_and_what_the_overview_paper_needs(site: New) -> None:
    own = site(phase("test", "headline"))
    own.submit("A B", answer(4))
    own.submit("A B", b"wrong")
    own.submit("C", answer(2))
    own.work()
    team = own.as_team("A B")
    assert 303 == team.post("/team/affiliation", {"affiliation": "Oslo"}).status
    team.post("/runs/1/details", {"name": "big", "paper": "https://example.org/p"})
    organiser = own.as_organiser()
    packed = zipfile.ZipFile(io.BytesIO(organiser.get("/organiser/runs/files").body))
    assert ["test/1-A_B/1-answer.jsonl", "test/2-C/3-answer.jsonl"] == sorted(packed.namelist())
    assert answer(4) == packed.read("test/1-A_B/1-answer.jsonl")
    for _ in range(100):  # it is removed when it was sent
        if not list(own.challenge.uploads.iterdir()):
            break
        time.sleep(0.02)
    assert [] == list(own.challenge.uploads.iterdir())
    assert "Oslo" in words(organiser.get("/organiser/overview/test").text)
    table = organiser.get("/organiser/overview/test?format=csv").text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [("A B", "Oslo", "big", "https://example.org/p"), ("C", "", "", "")] == [
        tuple(row[key] for key in ("team", "affiliation", "run", "paper")) for row in rows
    ]
    assert r"1 & A B & Oslo & big & 1.0000" in organiser.get(
        "/organiser/overview/test/table.tex").text  # fmt: skip
    assert "@misc{a-b," in organiser.get("/organiser/overview/test/teams.bib").text
    assert 404 == organiser.get("/organiser/overview/test/x").status


def test_the_organiser_renames_merges_and_deletes_teams(site: New) -> None:
    own = site(phase("test", "headline"))
    for name, right in (("A", 4), ("B", 2), ("C", 3)):
        own.submit(name, answer(right))
    own.work()
    organiser = own.as_organiser()
    numbers = {row["name"]: row["id"] for row in organiser.json("/api/organiser/teams")["teams"]}
    assert 303 == organiser.post(f"/organiser/teams/{numbers['A']}/rename", {"name": "X"}).status
    assert 303 == organiser.post(f"/organiser/teams/{numbers['B']}/merge", {"into": "X"}).status
    assert 409 == organiser.post(f"/organiser/teams/{numbers['C']}/delete", {"name": "X"}).status
    assert 303 == organiser.post(f"/organiser/teams/{numbers['C']}/delete", {"name": "C"}).status
    own.work()
    assert ["X"] == [row["team"] for row in own.nobody().json("/api/board/test")["board"]]


def test_only_some_teams_an_hour_register_from_one_address(site: New) -> None:
    own = site(head='registration = "open"')
    statuses = [own.nobody().post("/join", {"name": f"Team {each}"}).status for each in "abcdef"]
    assert [200, 200, 200, 200, 200, 429] == statuses
    [invitation] = own.as_organiser().post(
        "/api/organiser/invitations", {"count": "1"}).json["secrets"]  # fmt: skip
    form = {"name": "Team g", "invitation": invitation}
    assert 200 == own.nobody().post("/join", form).status


def test_metrics_are_for_programs_on_this_machine_and_for_organisers(
    site: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = site()
    own.submit("A", answer(4))
    jobs.say_alive(own.challenge, "w")
    own.nobody().get("/nothing")
    own.clock.go(seconds=7)
    text = own.nobody().get("/metrics").text
    for line in ('carob_requests_total{method="GET",status="404"} 1.0', "carob_workers 1.0",
                 'carob_jobs{state="waiting"} 1.0', "carob_oldest_job_seconds 7.0",
                 "carob_submissions 1.0", "carob_request_seconds_count 1.0"):  # fmt: skip
        assert f"\n{line}\n" in text, line
    monkeypatch.setattr("carob_challenge.web.pages.NEAR", ())
    assert 404 == own.nobody().get("/metrics").status
    assert 404 == own.as_team("A").get("/metrics").status
    assert 200 == own.as_organiser().get("/metrics").status


def test_curl_sends_a_file(site: New, tmp_path: Path) -> None:
    own = site()
    own.team("A")
    file = tmp_path / "answer.jsonl"
    file.write_bytes(answer(4))
    text = (Path(__file__).parents[3] / "docs" / "challenge.md").read_text()
    [command] = re.findall(r"^   curl --data-binary .*?\n   .*?$", text, re.M | re.S)[:1]
    for old, new in (("answer.jsonl -H", f"{file} -H"), ("TOKEN", own.tokens["A"]),
                     ("https://task.example.org", own.served.url)):  # fmt: skip
        assert old in command
        command = command.replace(old, new)
    curl = shlex.split(command.replace("\\\n", " "))
    done = subprocess.run([*curl, "-s"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["run"]["valid"]
    assert "answer.jsonl" == json.loads(done.stdout)["run"]["filename"]


def test_errors_of_the_database_are_for_the_log_alone(
    site: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = site()

    def gone(*arguments: object) -> None:
        raise UnavailableError("the database does not answer; try again", 10, "Zzyzx at 10.0.0.1")

    with monkeypatch.context() as patch:
        patch.setattr(type(own.challenge.store), "read", gone)
        found = own.nobody().get("/board")
    assert (503, True) == (found.status, "The database does not answer; try again" in found.text)
    assert "Zzyzx" not in found.text
    assert '"why": "Zzyzx at 10.0.0.1"' in "\n".join(own.served.log)
    sent = own.as_organiser().post("/organiser/teams", {"name": "A", "contact": "a\0b"})
    assert (200, "ab") == (sent.status, own.as_organiser().json(
        "/api/organiser/teams")["teams"][0]["contact"])  # fmt: skip


def test_exports_have_all_rows(site: New) -> None:
    own = site()
    receipt = own.submit("A", answer(4))
    with own.challenge.store.write() as connection:
        row = dict(connection.execute(sa.select(submissions)).mappings().one())
        del row["id"]
        for number in range(600):
            copied = row | {"sha256": f"copy{number}"}
            connection.execute(submissions.insert().values(copied))
    organiser = own.as_organiser()
    assert "The last 500 of 601" in words(organiser.get("/organiser/runs").text)
    rows = list(csv.DictReader(io.StringIO(organiser.get("/organiser/runs?format=csv").text)))
    assert (601, str(receipt.submission)) == (len(rows), rows[-1]["id"])
    assert 601 == len(organiser.json("/api/organiser/runs")["runs"])
    for number in range(300):
        organise.add_news(own.challenge, ORGANISER, str(number))
    assert 300 < len(organiser.json("/api/organiser/audit")["audit"])


def test_a_leaderboard_has_a_column_for_each_official_number(site: New) -> None:
    own = site(phase("test", "full", reveal='"opens"'), phase("hidden", "headline"))
    task = own.challenge.folder / "task.toml"
    task.write_text(task.read_text().replace('["exact.PRF"]', '["exact.F1", "overlap.F1"]'))
    shorter = answer(4).replace(b'"end": 3', b'"end": 2')
    for name, data in (("Right", answer(3)), ("Short", shorter)):
        own.submit(name, data, "test")
        own.submit(name, data, "hidden")
    own.work()
    page = own.nobody().get("/board/test").text
    for recipe in ("exact.P", "exact.R", "overlap.F1"):
        assert f'<a href="/board/test?sort={recipe}">{recipe}</a>' in page
    assert page.index("Right") < page.index("Short")
    by_overlap = own.nobody().get("/board/test?sort=overlap.F1").text
    assert by_overlap.index("Short") < by_overlap.index("Right")
    assert 'aria-sort="other"' in by_overlap
    rows = list(csv.DictReader(io.StringIO(own.nobody().get("/board/test?format=csv").text)))
    assert [("1", "Right", "0.75"), ("2", "Short", "0.75")] == [
        (row["rank"], row["team"], row["exact.R"]) for row in rows
    ]
    first = own.nobody().json("/api/board/test?sort=overlap.F1")["board"][0]
    assert ("Short", 1.0, 2) == (first["team"], first["overlap.F1"], first["rank"])
    labels = own.nobody().json("/api/board/test/labels")["labels"]
    assert ("Right", "LOC", 1.0, 0.5) == tuple(
        labels[0][key] for key in ("team", "label", "exact.P", "exact.R"))  # fmt: skip
    for recipe in ("exact.P", "overlap.F1"):
        assert f"<h2>{recipe}</h2>" in own.nobody().get("/board/test/labels").text
        assert recipe in own.as_team("Right").get("/runs/1").text
        for path in ("/board/hidden", "/board/hidden?sort=exact.P", "/board/hidden?format=csv"):
            assert recipe not in own.nobody().get(path).text, path
        assert not [row for row in own.nobody().json("/api/board/hidden")["board"] if recipe in row]

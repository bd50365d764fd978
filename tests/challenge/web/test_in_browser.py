"""Real people with a real browser: they join, submit, look at the board; the organiser decides.
Nothing may go wrong in the console, and names that are scripts stay names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from carob_challenge import organise, sessions
from carob_challenge.viewer import ORGANISER
from tests.challenge.web.conftest import Site
from tests.challenge.world import answer, document, lines, phase

pytestmark = pytest.mark.slow
New = Callable[..., Site]

HOSTILE = "<img src=x onerror=alert(1)>"


class Person:
    """Somebody with a browser. What goes wrong in it is in `problems`."""

    def __init__(self, context: Any, url: str) -> None:
        self.page, self.url = context.new_page(), url
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("console", self._console)
        self.page.on("request", self._request)

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.problems.append(f"request: {request.url}")

    def go(self, path: str) -> str:
        """Open a page; what it says."""
        self.page.goto(self.url + path)
        return self.words()

    def words(self) -> str:
        return str(self.page.inner_text("body"))

    def click(self, text: str) -> str:
        """Press a button or follow a link; what the next page says."""
        self.page.locator(f"main :is(button, a):has-text({text!r})").first.click()
        self.page.wait_for_load_state()
        return self.words()


@pytest.fixture
def people(browser: Any) -> Iterator[Callable[..., Person]]:
    """Opens browsers for people; in the end nothing may have gone wrong in any."""
    every: list[tuple[Any, Person]] = []

    def new(own: Site, **settings: Any) -> Person:
        context = browser.new_context(**settings)
        person = Person(context, own.served.url)
        every.append((context, person))
        return person

    yield new
    for context, person in every:
        context.close()
        assert [] == person.problems


@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_challenge_from_registration_to_reveal(
    site: New, people: Callable[..., Person], tmp_path: Path, javascript: bool
) -> None:
    own = site(phase("test", "none", quota=2), head='registration = "open"')
    settings = {"java_script_enabled": javascript, "timezone_id": "Asia/Tokyo"}
    team, organiser = people(own, **settings), people(own, **settings)

    seen = team.go("/")
    assert ("GMT+9" in seen) == javascript
    team.go("/join")
    team.page.fill("#name", HOSTILE)
    seen = team.click("Register")
    assert f"Welcome, {HOSTILE}" in seen
    token = team.page.inner_text(".token")

    organiser.go(f"/organiser/login?key={sessions.new_login(own.challenge)}")
    seen = organiser.click("Log in")
    assert "teams wait for approval" in seen.lower()
    organiser.go("/organiser/teams")
    assert HOSTILE in organiser.words()
    organiser.click("Approve")
    assert "approved" in organiser.words()

    team.go("/login")
    team.page.fill("#token", token)
    team.click("Log in")
    bad, good = tmp_path / "bad.jsonl", tmp_path / "good.jsonl"
    bad.write_bytes(lines([document(i) for i in range(7)]) + b'{"id": <b>oops</b>\n')
    good.write_bytes(answer(3))
    team.go("/submit")
    team.page.set_input_files("input[type=file]", bad)
    seen = team.click("Submit to")
    assert "The file is not valid" in seen
    assert '{"id": <b>oops</b>' in seen
    team.click("Submit again")
    team.page.set_input_files("input[type=file]", good)
    seen = team.click("Submit to")
    assert "The file is valid" in seen
    own.work()
    team.page.reload()
    assert "Nothing is shown until the results are revealed" in team.words()
    assert "1 in all" in team.words()

    seen = team.go("/board/test")
    assert "Nothing is shown before the reveal" in seen
    organiser.go("/organiser")
    organiser.click("Move, reveal or hold back")
    organiser.click("Reveal now")
    assert "Open" in organiser.words(), "the browser asks first"
    organiser.page.check("input[name=sure]")
    organiser.click("Reveal now")
    own.work()
    seen = team.go("/board/test")
    assert "0.8571" in seen and HOSTILE in seen
    assert 1 == team.page.locator("svg.plot circle").count()
    team.click("Scores of each label")
    assert "LOC" in team.words()
    team.go("/team")
    team.page.locator("a:has-text('report')").first.click()
    team.page.wait_for_load_state()
    assert HOSTILE in team.words()
    if javascript:
        team.page.wait_for_selector("#browser-app[aria-busy=false]", state="attached")

    run = organiser.page.goto(f"{own.served.url}/organiser/runs") and organiser.words()
    assert HOSTILE in run
    organiser.page.locator("tbody a").first.click()
    organiser.page.fill("input[name=reason]", HOSTILE)
    assert f"Disqualified: {HOSTILE}" in organiser.click("Disqualify")
    for path in ("significance", "alike", "audit"):
        organiser.go(f"/organiser/{path}")


RULES = "# Rules\n\n| a | rather | wide | table |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n\n`code`\n"


@pytest.fixture
def full(site: New) -> Site:
    """A challenge with something on every page."""
    own = site(
        phase("test", "headline", reveal='"opens"'), phase("other", "ladder"),
        head='registration = "open"\nlogo = "public/logo.svg"\ncolour = "#b00060"',
    )  # fmt: skip
    folder = own.challenge.folder
    (folder / "pages").mkdir()
    (folder / "pages" / "rules.md").write_text(RULES)
    (folder / "public" / "logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
    )
    long = "A team with a rather long name, longer than most of them"
    own.team(long, affiliation="The University of a Town with a Long Name")
    own.team("Short")
    for name in own.viewers:
        number = own.submit(name, answer(3, extra=len(name)), "test").submission
        about = {"name": "large-model-v2", "paper": "https://example.org/paper", "code": ""}
        organise.describe(own.challenge, own.viewers[name], number, about)
        own.submit(name, answer(2), "other")
    own.submit(long, b"wrong\n", "test")
    organise.add_news(own.challenge, ORGANISER, "The **deadline** moves by a week.")
    own.work()
    return own


PUBLIC = ("/", "/pages/rules", "/news", "/board/test", "/board/other", "/board/test/labels",
          "/board/test/errors", "/board/test/history", "/submit", "/join", "/login")  # fmt: skip
TEAM = ("/submit", "/team", "/runs/1", "/runs/5")
ORGANISERS = (
    "/organiser", "/organiser/teams", "/organiser/teams/1", "/organiser/runs",
    "/organiser/phases/other", "/organiser/news", "/organiser/overview/test",
    "/organiser/significance/test", "/organiser/alike/test", "/organiser/audit", "/runs/1",
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_pages_fit_and_can_be_read(
    full: Site, people: Callable[..., Person], width: int, scheme: str
) -> None:
    own = full
    how = {"viewport": {"width": width, "height": 700}, "color_scheme": scheme}
    nobody, team, organiser = (people(own, **how) for _ in range(3))
    team.go("/login")
    team.page.fill("#token", next(iter(own.tokens.values())))
    team.click("Log in")
    organiser.go(f"/organiser/login?key={sessions.new_login(own.challenge)}")
    organiser.click("Log in")
    folder = os.environ.get("CAROB_SCREENSHOTS")  # to look at them
    for who, reader, paths in (
        ("nobody", nobody, PUBLIC), ("team", team, TEAM), ("organiser", organiser, ORGANISERS),
    ):  # fmt: skip
        for path in paths:
            reader.go(path)
            if folder:
                name = f"{who}{path.replace('/', '-')}-{width}-{scheme}.png"
                reader.page.screenshot(path=f"{folder}/{name}", full_page=True)
            wider = "document.documentElement.scrollWidth - innerWidth"
            assert 0 == reader.page.evaluate(wider), path
            assert [] == reader.page.evaluate(CROPPED), path
            colours = reader.page.evaluate(
                "[getComputedStyle(document.body).color, getComputedStyle(document.body)"
                ".backgroundColor].map((c) => c.match(/\\d+/g).map(Number))"
            )
            light, dark = max(map(sum, colours)), min(map(sum, colours))
            assert light - dark > 500, "text stands out"


CROPPED = """
[...document.querySelectorAll("main *, header *")].filter((each) => {
  if (each.closest(".scroll, .chart, .text table, pre, .hidden, .skip, svg")) return false;
  const box = each.getBoundingClientRect();
  return box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((each) => each.outerHTML.slice(0, 80))
"""
"""What reaches over the edge of the page and cannot be scrolled to."""


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_copy_in_files_needs_no_server(site: New, browser: Any, tmp_path: Path) -> None:
    from carob_challenge.web.static import write_site

    own = site(phase("test", "headline", reveal='"opens"'))
    own.team(HOSTILE.replace("onerror", "x"))
    for name in own.viewers:
        own.submit(name, answer(3))
    own.work()
    write_site(own.challenge, tmp_path)
    context = browser.new_context()
    person = Person(context, "file:")
    person.page.goto((tmp_path / "index.html").as_uri())
    person.page.click("nav a:has-text('Leaderboard')")
    assert "0.8571" in person.words()
    person.page.click("a:has-text('Scores of each label')")
    assert "LOC" in person.words()
    person.page.click("nav a:has-text('Task')")
    assert "Phases" in person.words()
    context.close()
    assert [] == person.problems

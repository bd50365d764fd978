"""The pages of organisers: queue, teams, runs, significance, near-identical runs, audit log.

Every function that they ask refuses anybody else by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from carob.corpus.problems import shown
from carob_challenge import board, organise, pages, runs, sessions, teams
from carob_challenge import overview as tables
from carob_challenge.challenge import Challenge
from carob_challenge.errors import NotFoundError, RefusedError
from carob_challenge.viewer import Viewer
from carob_challenge.web.endpoint import Answer, Call
from carob_challenge.web.pages import chosen_phase, fields, runs_table
from carob_challenge.web.view import Download, Lazy, Moved, Table, Text, View

SHOWN_RUNS = 500
"""How many runs stand on a page; its files have all."""

_TEAM = ("id", "name", "state", "baseline", "contact", "affiliation", "created")


def dashboard(call: Call) -> Answer:
    """The queue, what needs a decision, and the phases."""
    found = pages.dashboard(call.challenge, call.viewer)
    content = {"dashboard": found, "phases": call.challenge.config.phases.values()}
    return View("organiser", content, (_audit(found.audit),), fields(found))


def team(call: Call) -> Answer:
    """A team as it sees itself."""
    call.viewer.require_organiser()
    own = runs.team_page(call.challenge, call.viewer, int(call.path["team"]))
    every = [each for phase in own.phases for each in phase.runs]
    return View("team", {"page": own, "official": ""}, (runs_table(every),), {"team": own.team})


def all_runs(call: Call) -> Answer:
    """All runs, the last one first."""
    last = runs.all_runs(call.challenge, call.viewer, most=SHOWN_RUNS)
    every = runs_table(Lazy(lambda: runs.all_runs(call.challenge, call.viewer)))
    count = pages.count_runs(call.challenge)
    return View("organiser-runs", {"runs": last, "count": count}, (every,))


def disqualify(call: Call) -> Answer:
    """Take a run out of the ranking, with a reason."""
    number = int(call.path["run"])
    organise.disqualify(call.challenge, call.viewer, number, call.form.get("reason", ""))
    return Moved("run", {"run": number}, {"disqualified": number})


def reinstate(call: Call) -> Answer:
    """Undo a disqualification."""
    number = int(call.path["run"])
    organise.reinstate(call.challenge, call.viewer, number)
    return Moved("run", {"run": number}, {"reinstated": number})


def retry(call: Call) -> Answer:
    """Score a run again that failed."""
    number = int(call.path["run"])
    organise.retry(call.challenge, call.viewer, number)
    return Moved("run", {"run": number}, {"retried": number})


def reveal(call: Call) -> Answer:
    """Reveal the results of a phase, hold them back, or leave it to the time of the phase."""
    call.viewer.require_organiser()
    if call.form.get("action") == "reveal" and not call.form.get("sure"):
        raise RefusedError("say that you are sure: what was revealed has been seen")
    act = {"reveal": organise.reveal, "hold": organise.hold, "release": organise.release}
    action = call.form.get("action", "")
    if action not in act:
        raise RefusedError(f"found the action {action!r}, expected reveal, hold or release")
    act[action](call.challenge, call.viewer, call.path["phase"], call.form.get("why", ""))
    return Moved("organiser", data={action: call.path["phase"]})


def phase(call: Call) -> Answer:
    """The times of a phase, and its results: to be moved, revealed or held back."""
    found = pages.dashboard(call.challenge, call.viewer)
    own = call.challenge.phase(call.path["phase"])
    state = found.reveals[own.name]
    return View("organiser-phase", {"phase": own, "reveal": state},
                data={"phase": own, "reveal": state})  # fmt: skip


def move(call: Call) -> Answer:
    """Move the times of a phase."""
    call.viewer.require_organiser()
    name = call.path["phase"]
    opens, closes = (_moment(call.form.get(key, "")) for key in ("opens", "closes"))
    if opens is None:
        raise RefusedError("a phase opens at some time")
    organise.move(call.challenge, call.viewer, name, opens, closes)
    return Moved("organiser_phase", {"phase": name}, {"moved": name})


def _moment(text: str) -> datetime | None:
    """A time of a form, which is in UTC.

    >>> str(_moment("2027-03-01T12:00"))
    '2027-03-01 12:00:00+00:00'
    """
    if not text.strip():
        return None
    try:
        made = datetime.fromisoformat(text.strip())
        return (made if made.tzinfo else made.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        expected = "a time in UTC like 2027-03-01 12:00"
        raise RefusedError(f"found {shown(text)}, expected {expected}") from None


def all_news(call: Call) -> Answer:
    """News, and a form for more."""
    call.viewer.require_organiser()
    every = pages.all_news(call.challenge)
    table = Table("news", ("id", "at", "text"), [fields(each) for each in every])
    return View("organiser-news", {"news": every}, (table,))


def add_news(call: Call) -> Answer:
    """Tell everybody something."""
    organise.add_news(call.challenge, call.viewer, call.form.get("text", ""))
    return Moved("organiser_news", data={"ok": True})


def remove_news(call: Call) -> Answer:
    """Remove news."""
    organise.remove_news(call.challenge, call.viewer, int(call.path["news"]))
    return Moved("organiser_news", data={"ok": True})


def overview(call: Call) -> Answer:
    """Teams and their runs, for the overview paper."""
    call.viewer.require_organiser()
    found = board.board(call.challenge, call.viewer, chosen_phase(call))
    rows = [
        {
            **dict.fromkeys(found.recipes), **{each.name: each.value for each in row.scores},
            **fields(row), **row.about, "run": row.about.get("name", ""),
            "score": row.score.value, "low": row.score.low, "high": row.score.high,
        }
        for row in found.rows
    ]  # fmt: skip
    content = {"board": found, "phases": call.challenge.config.phases.values()}
    table = Table("overview", (*_OVERVIEW, *found.recipes), rows)
    return View("organiser-overview", content, (table,))


_OVERVIEW = (
    "rank", "rank_low", "rank_high", "team", "affiliation", "run", "description", "paper", "code",
    "score", "low", "high", "submission", "received", "baseline",
)  # fmt: skip


def overview_file(call: Call) -> Answer:
    """The same as LaTeX or BibTeX."""
    call.viewer.require_organiser()
    found = board.board(call.challenge, call.viewer, chosen_phase(call))
    kind, title = call.path["kind"], call.challenge.config.title
    if kind == "table.tex":
        return Text(tables.latex(found), "application/x-tex; charset=utf-8", kind)
    if kind == "teams.bib":
        text = tables.bibtex(title, found.rows, call.challenge.now())
        return Text(text, "application/x-bibtex; charset=utf-8", kind)
    raise NotFoundError("the files are table.tex and teams.bib")


def all_files(call: Call) -> Answer:
    """All runs as they were sent, in one zip file."""
    call.viewer.require_organiser()
    path = runs.pack(call.challenge, call.viewer)
    return Download(path, "application/zip", "runs.zip", is_temporary=True)


def rename(call: Call) -> Answer:
    """Give a team another name."""
    number = int(call.path["team"])
    teams.rename(call.challenge, call.viewer, number, call.form.get("name", ""))
    return Moved("organiser_team", {"team": number}, {"ok": True})


def merge(call: Call) -> Answer:
    """Make two teams one."""
    into = teams.team_named(call.challenge, call.viewer, call.form.get("into", ""))
    teams.merge(call.challenge, call.viewer, int(call.path["team"]), into.id)
    return Moved("organiser_team", {"team": into.id}, {"ok": True})


def delete(call: Call) -> Answer:
    """Remove a team and its runs, for good."""
    number = int(call.path["team"])
    teams.delete(call.challenge, call.viewer, number, call.form.get("name", ""))
    return Moved("organiser_teams", data={"deleted": number})


def significance(call: Call) -> Answer:
    """The tests of all pairs of official runs."""
    return _pairs(call, "significance", pages.pairwise, (
        "team_a", "team_b", "run_a", "run_b", "difference", "low", "high", "p", "p_holm",
        "significant",
    ))  # fmt: skip


def alike(call: Call) -> Answer:
    """Official runs of two teams that are nearly the same."""
    columns = ("team_a", "team_b", "run_a", "run_b", "share")
    return _pairs(call, "alike", pages.near_identical, columns)


def _pairs(call: Call, name: str, find: Find, columns: tuple[str, ...]) -> View:
    phase = chosen_phase(call)
    pairs = find(call.challenge, call.viewer, phase)
    content = {"pairs": pairs, "phase": phase, "phases": call.challenge.config.phases.values()}
    table = Table("pairs", columns, [fields(each) for each in pairs])
    return View(f"organiser-{name}", content, (table,), {"phase": phase})


Find = Callable[[Challenge, Viewer, str], Sequence[Any]]


def audit(call: Call) -> Answer:
    """The audit log."""
    before = call.query.get("before", "")
    entries = pages.audit_log(
        call.challenge, call.viewer, before=int(before) if before.isdecimal() else None
    )
    every = Lazy(lambda: pages.audit_log(call.challenge, call.viewer, most=None))
    return View("organiser-audit", {"entries": entries}, (_audit(every),))


def _audit(entries: Iterable[pages.AuditEntry]) -> Table:
    columns = ("id", "at", "actor", "action", "subject", "detail")
    return Table("audit", columns, Lazy(lambda: [fields(each) for each in entries]))


def log_in(call: Call) -> Answer:
    """The page behind a login URL: a button, so that looking at it does not use it up."""
    return View("organiser-login", {"key": call.query.get("key", "")})


def redeem(call: Call) -> Answer:
    """An organiser logs in."""
    session = sessions.redeem(call.challenge, call.form.get("key", ""))
    return Moved("organiser", data={"ok": True}, session=session)


def all_teams(call: Call) -> Answer:
    """All teams, and forms for more."""
    found = teams.all_teams(call.challenge, call.viewer)
    table = Table("teams", _TEAM, [fields(each) for each in found])
    return View("organiser-teams", {"teams": found}, (table,))


def add_team(call: Call) -> Answer:
    """A new team, with its token."""
    made = teams.add_team(
        call.challenge, call.viewer, call.form.get("name", ""),
        contact=call.form.get("contact", ""), affiliation=call.form.get("affiliation", ""),
        baseline=bool(call.form.get("baseline")),
    )  # fmt: skip
    return _secrets("The token of the team", [made.token], _TOKEN, about=made.team.name)


def invite(call: Call) -> Answer:
    """New invitations."""
    made = teams.invite(call.challenge, call.viewer, _number(call.form.get("count", "1")))
    return _secrets("Invitations", made, "Each is for one team, which registers with it at Join.")


def _number(text: str) -> int:
    """A small whole number; anything else is 0, which no function takes."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0


def decide(call: Call) -> Answer:
    """Approve or refuse a team."""
    state = call.form.get("state", "")
    teams.decide(call.challenge, call.viewer, int(call.path["team"]), state)
    return Moved("organiser_teams", data={"state": state})


def new_token(call: Call) -> Answer:
    """A new token in place of a team's old ones."""
    made = teams.new_token(call.challenge, call.viewer, int(call.path["team"]))
    return _secrets("A new token", [made], _TOKEN)


def revoke(call: Call) -> Answer:
    """End all tokens of a team."""
    teams.revoke(call.challenge, call.viewer, int(call.path["team"]))
    return Moved("organiser_teams", data={"ok": True})


_TOKEN = "Send it to the team in a way that you trust. Earlier tokens of the team have ended."


def _secrets(heading: str, secrets: list[str], sentence: str, about: str = "") -> View:
    content = {"heading": heading, "secrets": secrets, "sentence": sentence, "about": about}
    return View("organiser-secrets", content, data={"secrets": secrets})

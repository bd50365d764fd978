"""The pages of organisers: queue, teams, runs, significance, near-identical runs, audit log.

Every function that they ask refuses anybody else by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from carob_challenge import organise, pages, runs, sessions, teams
from carob_challenge.challenge import Challenge
from carob_challenge.errors import RefusedError
from carob_challenge.viewer import Viewer
from carob_challenge.web.endpoint import Answer, Call
from carob_challenge.web.pages import chosen_phase, fields, runs_table
from carob_challenge.web.view import Moved, Table, View

_TEAM = ("id", "name", "state", "baseline", "contact", "created")


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
    every = runs.all_runs(call.challenge, call.viewer)
    return View("organiser-runs", {"runs": every}, (runs_table(every),))


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
    act = {"reveal": organise.reveal, "hold": organise.hold, "release": organise.release}
    action = call.form.get("action", "")
    if action not in act:
        raise RefusedError(f"found the action {action!r}, expected reveal, hold or release")
    act[action](call.challenge, call.viewer, call.path["phase"], call.form.get("why", ""))
    return Moved("organiser", data={action: call.path["phase"]})


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
    return View("organiser-audit", {"entries": entries}, (_audit(entries),))


def _audit(entries: Sequence[pages.AuditEntry]) -> Table:
    columns = ("id", "at", "actor", "action", "subject", "detail")
    return Table("audit", columns, [fields(each) for each in entries])


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
        contact=call.form.get("contact", ""), baseline=bool(call.form.get("baseline")),
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

"""The pages for everybody and for teams. A handler parses, asks the challenge, and says what to
show; what may be shown is decided by the functions that it asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from carob.report.errors import MEANING
from carob_challenge import accept, board, limits, organise, pages, runs, sessions, teams
from carob_challenge.accept import Quota, Ticket
from carob_challenge.board import Board, Row
from carob_challenge.config import LOGOS, Phase
from carob_challenge.errors import NotFoundError
from carob_challenge.feedback import Value
from carob_challenge.runs import Run
from carob_challenge.web.endpoint import Answer, Call
from carob_challenge.web.markdown import title_of
from carob_challenge.web.metrics import NEAR
from carob_challenge.web.render import content_of
from carob_challenge.web.theme import style_sheet
from carob_challenge.web.view import Download, Lazy, Moved, Table, Text, View

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_AN_HOUR = {"cache-control": "public, max-age=3600"}


def home(call: Call) -> Answer:
    """The task, the phases, the rules."""
    found = pages.home(call.challenge)
    rows = [{**fields(each), **_files(call, each.name)} for each in found.phases]
    table = Table("phases", _PHASE, rows)
    return View("home", {"home": found}, (table,), fields(found))


def _files(call: Call, phase: str) -> Mapping[str, str]:
    inputs, task, _ = pages.phase_files(call.challenge, phase)
    return {"inputs": inputs, "task": task}


_PHASE = (
    "name", "title", "status", "opens", "closes", "grace_seconds", "reveal", "feedback",
    "quota_a_day", "quota", "late", "part", "documents", "is_current", "inputs", "task",
)  # fmt: skip


def show_board(call: Call) -> Answer:
    """The leaderboard of a phase."""
    found = board.board(call.challenge, call.viewer, chosen_phase(call))
    order = call.query.get("sort", "")
    found = board.sorted_by(found, order)
    columns = found.recipes if any(row.scores for row in found.rows) else ()
    content = {"board": found, "phases": call.challenge.config.phases.values(), "order": order,
               "columns": columns, "series": _series(found)}  # fmt: skip
    tables = (_ranks("board", found.rows, columns), _ranks("late", found.late), _points(found),
              _changes(found))  # fmt: skip
    return View("board", content, tables, _about(found))


def labels(call: Call) -> Answer:
    """After the reveal: the scores of each label."""
    found = _revealed(call)
    values = {
        (row.team, each.name, recipe): each
        for row in found.rows for recipe, own in row.by_label.items() for each in own
    }  # fmt: skip
    recipes = [each for each in found.recipes if any(key[2] == each for key in values)]
    rows = [
        {"team": row.team, "label": each.name, "score": each.value, "low": each.low,
         "high": each.high}
        | {recipe: getattr(values.get((row.team, each.name, recipe)), "value", None)
           for recipe in recipes}
        for row in found.rows for each in row.labels
    ]  # fmt: skip
    names = sorted({each.name for row in found.rows for each in row.labels})
    table = Table("labels", ("team", "label", "score", "low", "high", *recipes), rows)
    content = {"board": found, "labels": names, "values": values, "recipes": recipes}
    return View("board-labels", content, (table,), _about(found))


def errors(call: Call) -> Answer:
    """After the reveal: which errors the systems make."""
    found = _revealed(call)
    rows = [{"team": row.team, "label": label, "outcome": kind, "count": count}
            for row in found.rows for kind, counts in (row.errors or {}).items()
            for label, count in counts.items()]  # fmt: skip
    table = Table("errors", ("team", "label", "outcome", "count"), rows)
    names = sorted({str(row["label"]) for row in rows})
    content = {"board": found, "labels": names, "outcomes": MEANING}
    return View("board-errors", content, (table,), _about(found))


def history(call: Call) -> Answer:
    """All scores that may be seen, over time."""
    found = board.board(call.challenge, call.viewer, chosen_phase(call))
    content = {"board": found, "series": _series(found)}
    return View("board-history", content, (_points(found),), _about(found))


def _revealed(call: Call) -> Board:
    """A board on which everything may be seen."""
    found = board.board(call.challenge, call.viewer, chosen_phase(call))
    if not (found.state.revealed or call.viewer.is_organiser):
        raise NotFoundError("the results of this phase are not revealed yet")
    return found


def chosen_phase(call: Call) -> str:
    """The phase in the address; otherwise the one that is open, or that was last."""
    config, now = call.challenge.config, call.challenge.now()
    began = [each for each in config.phases.values() if each.opens <= now]
    default = config.current(now) or (began or list(config.phases.values()))[-1]
    return call.path.get("phase", default.name)


_RANKS = (
    "rank", "rank_low", "rank_high", "cluster", "team", "affiliation", "run", "paper", "code",
    "score", "low", "high", "received", "baseline", "submission", "signature",
)  # fmt: skip


def _ranks(name: str, rows: Iterable[Row], recipes: Sequence[str] = ()) -> Table:
    """Rows of a leaderboard, with a column for each recipe."""
    empty = dict.fromkeys(recipes)
    return Table(name, (*_RANKS, *recipes), Lazy(lambda: [
        empty | {each.name: each.value for each in row.scores} | fields(row) | {
            "score": row.score.value, "low": row.score.low, "high": row.score.high,
            "run": row.about.get("name"), "paper": row.about.get("paper"),
            "code": row.about.get("code"),
        }
        for row in rows
    ]))  # fmt: skip


def _points(found: Board) -> Table:
    rows = Lazy(lambda: [fields(each) for each in found.history])
    return Table("history", ("team", "received", "value"), rows)


def _series(found: Board) -> list[tuple[str, list[tuple[datetime, float]]]]:
    """The scores of each team, over time."""
    lines: dict[str, list[tuple[datetime, float]]] = {}
    for point in found.history:
        lines.setdefault(point.team, []).append((point.received, point.value))
    return list(lines.items())


def _changes(found: Board) -> Table:
    columns = ("team", "before", "after", "rank_before", "rank_after")
    return Table("changed", columns, [fields(each) for each in found.changed])


def _about(found: Board) -> Mapping[str, Any]:
    names = ("phase", "title", "measure", "recipes", "lower_is_better", "state", "visible",
             "sentence", "pending", "rescored")  # fmt: skip
    return {name: getattr(found, name) for name in names}


def fields(data: Any) -> dict[str, Any]:
    """The fields of a dataclass, as they are."""
    return {name: getattr(data, name) for name in data.__dataclass_fields__}


def submit(call: Call) -> Answer:
    """The form for a submission to each phase that takes one."""
    now, config = call.challenge.now(), call.challenge.config
    taking = [each for each in config.phases.values() if _takes(each, now)]
    left = _quotas(call) if call.viewer.role == "team" else {}
    content = {"open_phases": [(each, left.get(each.name)) for each in taking]}
    return View("submit", content | {"limits": config.limits}, data={"quotas": left})


def written(call: Call) -> Answer:
    """A page that organisers wrote, such as the rules."""
    name = call.path["page"]
    text = pages.text_of(call.challenge, name)
    title, rest = title_of(text, name)
    return View("page", {"name_of_page": name, "title": title, "text": rest},
                data={"title": title, "text": rest})  # fmt: skip


def news(call: Call) -> Answer:
    """The news of the organisers."""
    every = pages.all_news(call.challenge)
    table = Table("news", ("id", "at", "text"), [fields(each) for each in every])
    return View("news", {"news": every}, (table,))


def theme(call: Call) -> Answer:
    """The colour of the challenge, as a style sheet."""
    return Text(style_sheet(call.challenge.config.colour), "text/css; charset=utf-8")


def logo(call: Call) -> Answer:
    """The logo of the challenge."""
    name = call.challenge.config.logo
    path = call.challenge.folder / name
    if not name or not path.is_file():
        raise NotFoundError("there is no logo")
    return Download(path, LOGOS[path.suffix], headers=_AN_HOUR)


def run_file(call: Call) -> Answer:
    """A run as it was sent."""
    path, name = runs.file_of(call.challenge, call.viewer, int(call.path["run"]))
    return Download(path, as_name=name)


def describe(call: Call) -> Answer:
    """What a team says about a run of its own."""
    number = int(call.path["run"])
    organise.describe(call.challenge, call.viewer, number, call.form)
    return Moved("run", {"run": number}, {"described": number})


def withdraw(call: Call) -> Answer:
    """A team takes a run back."""
    number = int(call.path["run"])
    organise.withdraw(call.challenge, call.viewer, number)
    return Moved("run", {"run": number}, {"withdrawn": number})


def set_affiliation(call: Call) -> Answer:
    """A team says where it is from."""
    teams.set_affiliation(call.challenge, call.viewer, call.form.get("affiliation", ""))
    return Moved("team", data={"ok": True})


def _takes(phase: Phase, now: Any) -> bool:
    return phase.status(now) == "open" or (phase.status(now) == "closed" and phase.late)


def _quotas(call: Call) -> Mapping[str, Quota]:
    own = runs.team_page(call.challenge, call.viewer)
    return {each.phase: each.quota for each in own.phases}


def begin(call: Call) -> Ticket:
    """Before a file is read: whether it is taken at all, and when it was received."""
    phase = call.path.get("phase") or call.query.get("phase")
    organise.clean_details(call.query)
    return accept.begin(call.challenge, call.viewer, phase)


def receive(call: Call) -> Answer:
    """A file was sent: validated here, scored by a worker."""
    assert call.upload is not None
    about = organise.clean_details({**call.query, **call.form})
    made = accept.receive(call.challenge, call.ticket, call.upload.path, call.upload.filename)
    if made.valid and any(about.values()):
        organise.describe(call.challenge, call.viewer, made.submission, about)
    own = runs.run(call.challenge, call.viewer, made.submission)
    return Moved("run", {"run": own.id}, _of_run(call, own) | {"duplicate": made.duplicate})


def run(call: Call) -> Answer:
    """A submission: its problems, or what is shown of its score."""
    own = runs.run(call.challenge, call.viewer, int(call.path["run"]))
    table = Table("problems", _PROBLEM, [_blank(_PROBLEM) | dict(each) for each in own.problems])
    phase = call.challenge.config.phases.get(own.phase)
    return View("run", {"run": own, "phase": phase, "quota": _quota(call, own),
                        "official": call.challenge.config.official}, (table,),
                _of_run(call, own))  # fmt: skip


_PROBLEM = ("severity", "code", "file", "line", "column", "message", "hint", "quote")


def _blank(columns: Sequence[str]) -> dict[str, Any]:
    return dict.fromkeys(columns)


def _of_run(call: Call, own: Run) -> dict[str, Any]:
    content = fields(own) | {"valid": own.state != "invalid"}
    return {"run": content, "quota": _quota(call, own)}


def _quota(call: Call, own: Run) -> Quota | None:
    """What is left to the team in the phase of a run."""
    phase = call.challenge.config.phases.get(own.phase)
    if phase is None:
        return None
    with call.challenge.store.read() as connection:
        return accept.quota(connection, phase, own.team_id, call.challenge.now())


def report(call: Call) -> Answer:
    """The report of a run: a page of carob, with a policy of its own and in a sandbox."""
    path = runs.report_path(call.challenge, call.viewer, int(call.path["run"]))
    return Download(path, "text/html; charset=utf-8", headers=_SANDBOX)


_SANDBOX = {
    "content-security-policy": "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
}


def mark_primary(call: Call) -> Answer:
    """A team chooses its official run."""
    number = int(call.path["run"])
    organise.mark_primary(call.challenge, call.viewer, number)
    return Moved("run", {"run": number}, {"primary": number})


def team(call: Call) -> Answer:
    """What a team has left, and all its runs."""
    own = runs.team_page(call.challenge, call.viewer)
    every = [each for phase in own.phases for each in phase.runs]
    return View("team", {"page": own, "official": call.challenge.config.official},
                (runs_table(every),), {"team": own.team, "quotas": _quotas(call)})  # fmt: skip


_RUN = (
    "id", "team", "phase", "received", "filename", "size", "sha256", "state", "late", "score",
    "low", "high", "primary", "withdrawn", "disqualified", "errors", "warnings", "signature",
)  # fmt: skip


def runs_table(every: Iterable[Run]) -> Table:
    """Runs with what is shown of their scores."""
    nothing = Value("", None)

    def rows() -> Iterator[dict[str, Any]]:
        for each in every:
            shown = (each.shown.official if each.shown else None) or nothing
            yield fields(each) | {"score": shown.value, "low": shown.low, "high": shown.high}

    return Table("runs", _RUN, Lazy(rows))


def phase(call: Call) -> Answer:
    """What a validator elsewhere needs to know about a phase; `current` is the one that is open."""
    name = call.path["phase"]
    if name == "current":
        accept.the_open_phase(call.challenge, call.challenge.now())  # one alone, or none
    chosen = chosen_phase(replace(call, path={})) if name == "current" else name
    inputs, task, part = pages.phase_files(call.challenge, chosen)
    return View("phase", {"phase": call.challenge.phase(chosen), "inputs": inputs, "task": task},
                data={"phase": chosen, "inputs": inputs, "task": task, "part": part,
                      "empty": call.challenge.phase(chosen).empty,
                      "final": call.challenge.phase(chosen).final,
                      "limits": call.challenge.config.limits})  # fmt: skip


def file(call: Call) -> Answer:
    """A public file: inputs or task."""
    name = call.path["name"]
    path = pages.public_file(call.challenge, name)
    return Download(path, as_name=name)


def health(call: Call) -> Answer:
    """Whether the database answers, and whether what waits is being done: for programs that watch.
    503 with the reasons if not.
    """
    state = pages.health(call.challenge)
    about = {"ok": not state.reasons, "reasons": state.reasons, "workers": len(state.workers),
             "oldest_seconds": state.oldest_seconds, **fields(state.queue)}  # fmt: skip
    return View("health", {"state": state}, data=about, status=503 if state.reasons else 200)


def metrics(call: Call) -> Answer:
    """Numbers for Prometheus: for programs on this machine, and organisers."""
    if call.metrics is None or not (call.client in NEAR or call.viewer.is_organiser):
        raise NotFoundError("there is no such page")
    state = pages.health(call.challenge)
    text = call.metrics.text(state, pages.count_runs(call.challenge))
    return Text(text, "text/plain; version=0.0.4; charset=utf-8")


def asset(call: Call) -> Answer:
    """A file that pages load."""
    if (path := content_of().get(call.path["name"])) is None:
        raise NotFoundError("there is no such file")
    return Download(path, f"{_TYPES[path.suffix]}; charset=utf-8", headers=_AN_HOUR)


def log_in(call: Call) -> Answer:
    """The form for the token of a team."""
    return View("log_in", {"contact": call.challenge.config.contact})


def start_session(call: Call) -> Answer:
    """A team logs in."""
    session = sessions.log_in(call.challenge, call.form.get("token", "").strip())
    return Moved("team", data={"ok": True}, session=session)


def log_out(call: Call) -> Answer:
    """End the session."""
    if call.session:
        sessions.log_out(call.challenge, call.session)
    return Moved("home", data={"ok": True}, session="")


def join(call: Call) -> Answer:
    """The form for a new team."""
    return View("join", {"is_open": call.challenge.config.registration == "open"})


def register(call: Call) -> Answer:
    """A new team; its token is in the answer, and nowhere else."""
    invitation = call.form.get("invitation", "").strip() or None
    if invitation is None:
        an_hour = call.challenge.config.limits.registrations_an_hour
        limits.hit(call.challenge, f"join {call.client}", an_hour, 3600)
    most = call.challenge.config.limits.requests_a_minute
    limits.hit(call.challenge, f"register {call.client}", most, 60)
    made = teams.register(
        call.challenge, call.form.get("name", ""), contact=call.form.get("contact", ""),
        affiliation=call.form.get("affiliation", ""), invitation=invitation,
    )  # fmt: skip
    return View("joined", {"team": made.team, "token": made.token}, data={"joined": made})

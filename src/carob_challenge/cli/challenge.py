"""carob challenge: run a shared task from a folder."""

from __future__ import annotations

import argparse
import os

from carob.cli import print_remark

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from carob_challenge.challenge import Challenge

SUMMARY = "run a shared task: draft it, add teams, score, reveal, archive"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, text: str, *, database: bool = True) -> argparse.ArgumentParser:
        own = actions.add_parser(
            name, help=text, description=text, formatter_class=parser.formatter_class
        )
        if name != "restore":
            own.add_argument("folder", metavar="DIR", help="the folder of the challenge")
        if database:
            own.add_argument(
                "--database", metavar="URL", default=os.environ.get("CAROB_DATABASE"),
                help="a PostgreSQL database instead of the SQLite file in DIR "
                "(default: the variable CAROB_DATABASE, if it is set)",
            )  # fmt: skip
        return own

    init = action("init", "draft a challenge in a new folder", database=False)
    init.add_argument("--inputs", metavar="FILE",
                      help="what everybody may read (default: gold without answers)")  # fmt: skip
    init.add_argument(
        "--gold", metavar="FILE", required=True, help="the answers, which stay hidden"
    )
    init.add_argument("--task", metavar="FILE", help="the task (default: drafted from gold)")
    init.add_argument("--title", metavar="TEXT", help="what the challenge is called")

    team = action("team", "add, approve or list teams; give them tokens")
    team.add_argument(
        "what", metavar="WHAT", choices=TEAM_ACTIONS, nargs="?", default="list",
        help="add, list (default), token (a new one), revoke (all of them), approve, refuse, "
        "or invite (a secret with which a team registers)",
    )  # fmt: skip
    team.add_argument("name", metavar="NAME", nargs="?", help="the name of the team")
    team.add_argument("--baseline", action="store_true", help="add: mark it as a baseline")

    phase = action("phase", "show the phases; reveal results or hold them back")
    phase.add_argument(
        "what", metavar="WHAT", choices=PHASE_ACTIONS, nargs="?", default="show",
        help="show (default), reveal (now), hold (back), or release (what was held back)",
    )  # fmt: skip
    phase.add_argument("name", metavar="NAME", nargs="?", help="the name of the phase")
    phase.add_argument("--why", metavar="TEXT", default="", help="for the audit log")

    score = action("score", "validate and score a folder of submissions, without a server",
                   database=False)  # fmt: skip
    score.add_argument("submissions", metavar="SUBMISSIONS", help="a folder: a file for each team")
    score.add_argument("-o", "--output", metavar="FOLDER",
                       help="where to write (default: DIR/results/PHASE)")  # fmt: skip
    score.add_argument("--phase", metavar="NAME", help="default: test, or the last one")
    score.add_argument("--no-reports", action="store_true", help="write no report of each team")

    archive = action("archive", "write everything to a zip file, with a copy of the pages")
    archive.add_argument("output", metavar="FILE", help="the zip file")
    archive.add_argument("--with-gold", action="store_true",
                         help="also gold, reports and hashes of tokens: a backup")  # fmt: skip

    restore = action("restore", "make a challenge from an archive")
    restore.add_argument("archive", metavar="FILE", help="the zip file")
    restore.add_argument("folder", metavar="DIR", help="a new folder")

    rescore = action("rescore", "score everything again; earlier scores stay")
    rescore.add_argument("--gold", metavar="FILE", help="with this corrected gold")
    rescore.add_argument("--phase", metavar="NAME", help="whose gold it is (default: the last one)")
    rescore.add_argument("--why", metavar="TEXT", default="", help="what the board says about it")
    rescore.add_argument("--now", action="store_true",
                         help="score here, and do not wait for workers")  # fmt: skip

    action("upgrade", "bring an older database up to date, after a backup")
    worker = action("worker", "score what waits, until the process is ended (carob serve has one)")
    worker.add_argument("--parent", metavar="PID", type=int,
                        help="end when the process that started this one, with this number, is "
                        "gone")  # fmt: skip
    action("login", "print a secret with which an organiser can log in once")

    bundle = action("bundle", "write the program that scores on another platform", database=False)
    bundle.add_argument("platform", metavar="PLATFORM", choices=("codabench", "evalai"),
                        help="codabench or evalai")  # fmt: skip
    bundle.add_argument("output", metavar="FILE", help="the zip file")
    bundle.add_argument("--phase", metavar="NAME", help="default: test, or the last one")


TEAM_ACTIONS = ("add", "list", "token", "revoke", "approve", "refuse", "invite")
PHASE_ACTIONS = ("show", "reveal", "hold", "release")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked."""
    actions = {
        "init": _init, "team": _team, "phase": _phase, "score": _score, "archive": _archive,
        "restore": _restore, "rescore": _rescore, "upgrade": _upgrade, "worker": _worker,
        "login": _login, "bundle": _bundle,
    }  # fmt: skip
    return actions[arguments.action](arguments)


def _open(arguments: argparse.Namespace) -> Challenge:
    from carob.corpus.problems import DataError, UsageError

    try:
        from carob_challenge.challenge import Challenge
    except ModuleNotFoundError as error:
        raise UsageError(
            f"this needs {error.name}, which is not installed; in a clone of carob: "
            "pip install '.[challenge]'"
        ) from None
    from carob_challenge.errors import UnavailableError

    try:
        return Challenge.open(arguments.folder, arguments.database)
    except UnavailableError as error:
        raise DataError(f"{error} ({error.detail})") from None


def _init(arguments: argparse.Namespace) -> int:
    from carob_challenge.draft import init

    config = init(
        arguments.folder, arguments.inputs, arguments.gold, arguments.task, title=arguments.title
    )
    folder = arguments.folder
    print_remark(
        f"wrote {folder}/challenge.toml with {len(config.phases)} phases, task.toml, public and "
        "private files; edit challenge.toml, then:\n"
        f"  carob challenge team {folder} add NAME    adds a team and prints its token\n"
        f"  carob serve {folder}                      runs it"
    )
    return 0


def _team(arguments: argparse.Namespace) -> int:
    from carob.corpus.problems import UsageError

    challenge = _open(arguments)
    from carob_challenge import teams
    from carob_challenge.viewer import ORGANISER

    what, name = arguments.what, arguments.name
    if what == "list":
        for team in teams.all_teams(challenge, ORGANISER):
            mark = " (baseline)" if team.baseline else ""
            print(f"{team.id}\t{team.state}\t{team.name}{mark}")
        return 0
    if what == "invite":
        print(teams.invite(challenge, ORGANISER)[0])
        return 0
    if name is None:
        raise UsageError(f"carob challenge team DIR {what} NAME: say which team")
    if what == "add":
        made = teams.add_team(challenge, ORGANISER, name, baseline=arguments.baseline)
        print(made.token)
        print_remark("this token is shown now and never again")
        return 0
    team = teams.team_named(challenge, ORGANISER, name)
    if what == "token":
        print(teams.new_token(challenge, ORGANISER, team.id))
        print_remark("tokens before it have ended; this one is shown now and never again")
    elif what == "revoke":
        teams.revoke(challenge, ORGANISER, team.id)
    else:
        state = {"approve": "approved", "refuse": "refused"}[what]
        teams.decide(challenge, ORGANISER, team.id, state)
    return 0


def _phase(arguments: argparse.Namespace) -> int:
    from carob.corpus.problems import UsageError

    challenge = _open(arguments)
    from carob_challenge import organise, pages
    from carob_challenge.viewer import ORGANISER

    if arguments.what != "show":
        if arguments.name is None:
            raise UsageError(f"carob challenge phase DIR {arguments.what} NAME: say which phase")
        do = getattr(organise, arguments.what)
        do(challenge, ORGANISER, arguments.name, arguments.why)
        return 0
    for phase in pages.home(challenge).phases:
        closes = "never closes"
        if phase.closes is not None:
            closes = f"closes {phase.closes:%Y-%m-%d %H:%M} UTC"
        state = phase.reveal
        reveal = "held back" if state.held else "revealed" if state.revealed else (
            "not revealed" if state.at is None else f"revealed {state.at:%Y-%m-%d %H:%M} UTC"
        )  # fmt: skip
        print(
            f"{phase.name}: {phase.status}, opens {phase.opens:%Y-%m-%d %H:%M} UTC, {closes}; "
            f"{phase.documents:,} documents; {reveal}"
        )
    return 0


def _score(arguments: argparse.Namespace) -> int:
    from carob_challenge.offline import score_folder

    result = score_folder(
        arguments.folder, arguments.submissions, arguments.output, phase=arguments.phase,
        reports=not arguments.no_reports,
    )  # fmt: skip
    print(result)
    print_remark(f"wrote board.csv, board.json, board.md and reports to {result.folder}")
    return 0 if all(row["valid"] for row in result.rows) else 1


def _archive(arguments: argparse.Namespace) -> int:
    challenge = _open(arguments)
    from carob_challenge.archive import archive

    count = archive(challenge, arguments.output, with_gold=arguments.with_gold)
    print_remark(f"wrote {count:,} files to {arguments.output}")
    if arguments.with_gold:
        print_remark("it holds gold and hashes of tokens: keep it to yourself")
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    from carob_challenge.archive import restore

    _, missing = restore(arguments.archive, arguments.folder, arguments.database)
    for each in missing:
        print_remark(f"missing: {each}")
    return 0


def _rescore(arguments: argparse.Namespace) -> int:
    challenge = _open(arguments)
    from carob_challenge.rescoring import replace_gold, rescore
    from carob_challenge.worker import drain

    if arguments.gold is not None:
        phase = arguments.phase or list(challenge.config.phases)[-1]
        challenge = replace_gold(challenge, phase, arguments.gold, arguments.why)
    made = rescore(challenge, "shell", arguments.why)
    print_remark(f"round {made.id} has begun; it counts when everything is scored")
    if arguments.now:
        print_remark(f"{drain(challenge):,} jobs done")
    return 0


def _upgrade(arguments: argparse.Namespace) -> int:
    from carob_challenge.upgrade import upgrade

    before, after, backup = upgrade(arguments.folder, arguments.database)
    if backup is None:
        print_remark(f"the database is up to date (revision {after})")
    else:
        print_remark(f"revision {before} became {after}; the backup is {backup}")
    return 0


def _worker(arguments: argparse.Namespace) -> int:
    challenge = _open(arguments)
    from carob_challenge.worker import work

    work(challenge, parent=arguments.parent)
    return 0


def _login(arguments: argparse.Namespace) -> int:
    challenge = _open(arguments)
    from carob_challenge.sessions import new_login

    print(new_login(challenge))
    print_remark("it works once, in the next 15 minutes, at /login of the server")
    return 0


def _bundle(arguments: argparse.Namespace) -> int:
    from carob_challenge.bridges import bundle

    bundle(arguments.folder, arguments.platform, arguments.output, arguments.phase)
    print_remark(f"wrote {arguments.output}; gold is not in it: give it to the platform apart")
    return 0

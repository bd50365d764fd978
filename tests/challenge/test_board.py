"""Boards: the ranks of `carob compare`, and nothing that a viewer may not see."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from carob.evaluate.compare import compare
from carob_challenge import organise, pages, ranking, rounds, runs, worker
from carob_challenge.board import board, sorted_by
from carob_challenge.errors import NotAllowedError, NotFoundError, RefusedError
from carob_challenge.rescoring import replace_gold
from carob_challenge.store import scores
from carob_challenge.viewer import NOBODY, ORGANISER
from tests.challenge.world import GOLD, World, answer, document, lines, phase, values

Make = Callable[..., World]


def partly(right: int, upto: int, size: int = 8) -> bytes:
    """The first documents have so many of gold's marks, the others none."""
    return lines([document(i, GOLD[:right] if i < upto else []) for i in range(size)])


def everything(page: Any) -> str:
    return json.dumps(dataclasses.asdict(page), default=str)


@pytest.fixture
def played(world: Make) -> Callable[..., World]:
    """A challenge of one phase with this feedback, three teams, four runs, all scored."""

    def play(feedback: str, **more: Any) -> World:
        here = world(phase("test", feedback, **more), size=30)
        for team, right, upto in (
            ("Good", 2, 30),
            ("Good", 4, 28),
            ("Fair", 3, 20),
            ("Poor", 1, 6),
        ):
            here.submit(team, partly(right, upto, 30))
        worker.drain(here.challenge)
        return here

    return play


def test_ranks_are_those_of_compare(played: Callable[..., World]) -> None:
    here = played("full")
    task = here.challenge.material("test").task
    folder = here.challenge.folder
    systems = {
        row.team: runs.run(here.challenge, ORGANISER, row.submission or 0)
        for row in board(here.challenge, ORGANISER, "test").rows
    }
    files = {name: str(here.challenge.submission_file(run.sha256)) for name, run in systems.items()}
    names = sorted(files, key=lambda name: systems[name].id)
    whole = compare(str(folder / "private/gold.jsonl"), {n: files[n] for n in names}, task=task)
    made = board(here.challenge, NOBODY, "test")
    expected = {each.system: each for each in whole.ranks}
    for row in made.rows:
        own = expected[row.team]
        assert (own.value, own.rank_low, own.rank_high, own.cluster) == (
            row.score.value, row.rank_low, row.rank_high, row.cluster
        )  # fmt: skip
    assert ["Good", "Fair", "Poor"] == [row.team for row in made.rows]
    assert [1, 2, 3] == [row.rank for row in made.rows]
    tests = pages.pairwise(here.challenge, ORGANISER, "test")
    assert [(d.a, d.b, d.difference, d.p, d.p_holm) for d in whole.differences] == [
        (t.team_a, t.team_b, t.difference, t.p, t.p_holm) for t in tests
    ]


@pytest.mark.parametrize("feedback", ["full", "headline", "rounded(1)", "ladder", "none"])
def test_before_the_reveal_a_phase_shows_its_feedback(
    played: Callable[..., World], feedback: str
) -> None:
    here = played(feedback)
    exact = values(board(here.challenge, ORGANISER, "test").rows)
    made = board(here.challenge, NOBODY, "test")
    shown = values(made.rows)
    own = [
        each for p in runs.team_page(here.challenge, here.team("Fair")).phases for each in p.runs
    ]
    assert own[0].shown is not None
    official = own[0].shown.official
    if feedback == "none":
        assert ({}, None, ()) == (shown, official, own[0].shown.labels)
        assert own[0].signature is None
        return
    assert official is not None
    digits = {"rounded(1)": 1, "ladder": 2}.get(feedback, 17)
    assert {name: round(value, digits) for name, value in exact.items()} == shown
    assert round(exact["Fair"], digits) == official.value
    hidden = feedback != "full"
    for row in made.rows:
        assert hidden == (row.score.low is None) == (row.rank_low is None)
        assert ((), {}, None) == (row.labels, row.by_label, row.errors)
        assert hidden == (not row.scores), "other official numbers are hidden, too"
    assert hidden == (not own[0].shown.labels) == (not own[0].shown.scores)
    assert hidden == (not own[0].shown.by_label)
    assert None is own[0].shown.errors
    assert made.late == ()
    for page in (made, own[0]):
        assert '"counts"' not in everything(page)
        assert "support" not in everything(page)


def test_the_reveal_opens_everything(played: Callable[..., World]) -> None:
    here = played("none", late=True)
    here.clock.go(days=10)
    here.submit("Poor", answer(size=30), "test")
    worker.drain(here.challenge)
    made = board(here.challenge, NOBODY, "test")
    assert made.state.revealed
    assert ["Good", "Fair", "Poor"] == [row.team for row in made.rows]
    assert all(row.score.low is not None and row.errors and row.labels for row in made.rows)
    assert 4 == len(made.history)


def test_late_runs_are_shown_apart_and_never_ranked(world: Make) -> None:
    here = world(phase("test", "none", closes=1, late=True))
    here.submit("A", answer(2))
    here.clock.go(days=2)
    here.submit("B", answer(4), "test")
    here.submit("A", answer(3), "test")
    worker.drain(here.challenge)
    made = board(here.challenge, NOBODY, "test")
    assert ["A"] == [row.team for row in made.rows]
    assert ["B", "A"] == [row.team for row in made.late]
    assert {None} == {row.rank for row in made.late}


def test_the_ladder_shows_gains_that_are_no_chance(world: Make) -> None:
    here = world(phase("test", "ladder"), size=30)
    numbers = [here.submit("A", partly(2, upto, 30)).submission for upto in (15, 16, 28, 3)]
    worker.drain(here.challenge)
    page = runs.team_page(here.challenge, here.team("A")).phases[0].runs
    shown = [run.shown for run in sorted(page, key=lambda run: numbers.index(run.id)) if run.shown]
    assert [True, False, True, False] == [each.is_own for each in shown]
    official = [each.official.value or 0.0 for each in shown if each.official]
    assert official[0] == official[1]
    assert official[2] == official[3] > official[0]
    [row] = board(here.challenge, NOBODY, "test").rows
    assert official[2] == row.score.value
    assert row.submission is None
    assert shown[0].sentence == (
        "This phase uses the Ladder: a new score is shown only if it is better than your best one "
        "by more than chance explains (by more than the standard error of the difference, and of "
        "your best score itself, over documents), in whole points, and at most 20 times for a "
        "team. Otherwise your best score is shown again. This slows learning the answers by trying."
    )


def test_the_ladder_shows_only_so_many_scores_to_a_team(world: Make) -> None:
    here = world(phase("test", "ladder") + "reveals = 2\n", size=30)
    for team in "AB":
        for right in (1, 2, 3, 4):
            here.submit(team, answer(right, size=30))
    worker.drain(here.challenge)
    for team in "AB":
        page = runs.team_page(here.challenge, here.team(team)).phases[0].runs
        assert [True, True, False, False] == [run.shown.is_own for run in page[::-1] if run.shown]
    assert {"A": 0.67, "B": 0.67} == values(board(here.challenge, NOBODY, "test").rows)


def test_the_last_run_counts_or_the_primary_one(world: Make) -> None:
    here = world(head='official = "primary"')
    first = here.submit("A", answer(4))
    here.submit("A", answer(1))
    worker.drain(here.challenge)
    assert {"A": 0.4} == values(board(here.challenge, NOBODY, "test").rows)
    organise.mark_primary(here.challenge, here.team("A"), first.submission)
    here.submit("A", answer(2))
    worker.drain(here.challenge)
    assert {"A": 1.0} == values(board(here.challenge, NOBODY, "test").rows)
    assert runs.run(here.challenge, here.team("A"), first.submission).primary
    for viewer, error in ((here.team("B"), NotFoundError), (ORGANISER, NotAllowedError)):
        with pytest.raises(error):
            organise.mark_primary(here.challenge, viewer, first.submission)
    here.clock.go(days=20)
    with pytest.raises(RefusedError, match="until the phase closes"):
        organise.mark_primary(here.challenge, here.team("A"), first.submission)


def test_primaries_are_refused_where_the_last_run_counts(world: Make) -> None:
    here = world()
    receipt = here.submit("A", answer())
    with pytest.raises(RefusedError, match="the last valid submission is the official one"):
        organise.mark_primary(here.challenge, here.team("A"), receipt.submission)


def test_ties_share_a_rank_and_no_score_is_last_without_one(world: Make) -> None:
    here = world(phase("test") + 'empty = "allowed"\n')
    for team, right in (("Nothing", 0), ("B", 3), ("A", 3)):
        here.submit(team, answer(right, extra=len(team)))
    worker.drain(here.challenge)
    with here.challenge.store.write() as connection:  # as if its score did not exist
        connection.execute(scores.update().where(scores.c.submission == 1).values(value=None))
    ranking.refresh(here.challenge, "test")
    rows = board(here.challenge, ORGANISER, "test").rows
    assert [("A", 1, 6 / 7), ("B", 1, 6 / 7), ("Nothing", None, None)] == [
        (row.team, row.rank, row.score.value) for row in rows
    ]
    assert (None, None) == (rows[2].rank_low, rows[2].rank_high)


def test_a_disqualified_run_is_not_ranked(world: Make) -> None:
    here = world(phase("test", "full"))
    here.submit("A", answer(2))
    second = here.submit("A", answer(4))
    worker.drain(here.challenge)
    assert {"A": 1.0} == values(board(here.challenge, NOBODY, "test").rows)
    with pytest.raises(RefusedError, match="say why"):
        organise.disqualify(here.challenge, ORGANISER, second.submission, " ")
    organise.disqualify(here.challenge, ORGANISER, second.submission, "it knows gold")
    worker.drain(here.challenge)
    made = board(here.challenge, NOBODY, "test")
    assert values(made.rows)["A"] < 1
    assert not made.pending
    own = runs.run(here.challenge, here.team("A"), second.submission)
    assert "it knows gold" == own.disqualified
    organise.reinstate(here.challenge, ORGANISER, second.submission)
    worker.drain(here.challenge)
    assert {"A": 1.0} == values(board(here.challenge, NOBODY, "test").rows)
    log = [(e.action, e.detail) for e in pages.audit_log(here.challenge, ORGANISER)]
    assert ("disqualified", "it knows gold") in log
    assert ("reinstated", "") in log


def test_organisers_reveal_and_hold_back(world: Make) -> None:
    here = world(phase("test", "none"))
    here.submit("A", answer())
    worker.drain(here.challenge)
    assert () == board(here.challenge, NOBODY, "test").rows
    organise.reveal(here.challenge, ORGANISER, "test", "all are in")
    assert {"A": 1.0} == values(board(here.challenge, NOBODY, "test").rows)
    organise.hold(here.challenge, ORGANISER, "test", "a mistake")
    held = board(here.challenge, NOBODY, "test")
    assert ((), True) == (held.rows, held.state.held)
    assert "the organisers hold them back" in held.sentence
    here.clock.go(days=20)
    assert () == board(here.challenge, NOBODY, "test").rows, "its time does not reveal it"
    organise.release(here.challenge, ORGANISER, "test")
    assert {"A": 1.0} == values(board(here.challenge, NOBODY, "test").rows)
    log = [(e.actor, e.action, e.detail) for e in pages.audit_log(here.challenge, ORGANISER)]
    assert [
        ("organiser", "reveal released", ""), ("organiser", "reveal held back", "a mistake"),
        ("organiser", "revealed", "all are in"),
    ] == [entry for entry in log if "reveal" in entry[1]]  # fmt: skip


@pytest.mark.slow
def test_reports_come_with_the_reveal(world: Make) -> None:
    here = world(phase("test", "none"))
    receipt = here.submit("A", answer(3))
    here.submit("B", answer(2))
    worker.drain(here.challenge)
    organise.ask_for_reports(here.challenge)
    assert 0 == worker.drain(here.challenge)
    here.clock.go(days=10)
    organise.ask_for_reports(here.challenge)
    organise.ask_for_reports(here.challenge)
    assert 2 == worker.drain(here.challenge)
    page = runs.report_path(here.challenge, here.team("A"), receipt.submission)
    assert "<html" in page.read_text()
    assert 0o600 == page.stat().st_mode & 0o777
    for viewer in (NOBODY, here.team("B")):
        with pytest.raises(NotFoundError):
            runs.report_path(here.challenge, viewer, receipt.submission)
    organise.hold(here.challenge, ORGANISER, "test")
    with pytest.raises(NotFoundError):
        runs.report_path(here.challenge, here.team("A"), receipt.submission)


def test_teams_see_nothing_of_each_other(world: Make) -> None:
    here = world(phase("test", "full"))
    receipt = here.submit("A", answer())
    worker.drain(here.challenge)
    for viewer in (NOBODY, here.team("B")):
        with pytest.raises(NotFoundError, match=f"there is no submission {receipt.submission}"):
            runs.run(here.challenge, viewer, receipt.submission)
        with pytest.raises(NotFoundError):
            runs.run(here.challenge, viewer, 99)
    own = here.team("B")
    assert "B" == runs.team_page(here.challenge, own, here.team("A").team).team
    for viewer in (NOBODY, own):
        for call in (pages.dashboard, pages.audit_log, runs.all_runs):
            with pytest.raises(NotAllowedError):
                call(here.challenge, viewer)
        for other in (pages.pairwise, pages.near_identical):
            with pytest.raises(NotAllowedError):
                other(here.challenge, viewer, "test")
        for decide in (organise.hold, organise.release, organise.reveal):
            with pytest.raises(NotAllowedError):
                decide(here.challenge, viewer, "test")
        with pytest.raises(NotAllowedError):
            organise.disqualify(here.challenge, viewer, receipt.submission, "x")


def test_nearly_the_same_runs_are_noticed(world: Make) -> None:
    here = world(size=30)
    here.submit("A", partly(4, 30, 30))
    here.submit("B", partly(4, 29, 30))
    here.submit("C", partly(1, 30, 30))
    worker.drain(here.challenge)
    [pair] = pages.near_identical(here.challenge, ORGANISER, "test")
    assert ("A", "B") == (pair.team_a, pair.team_b)
    assert abs(pair.share - 29 / 30) < 0.02


def test_only_approved_teams_are_on_the_board_and_baselines_are_marked(world: Make) -> None:
    from carob_challenge import teams

    here = world()
    here.team("Base", baseline=True)
    here.submit("Base", answer(1))
    here.submit("A", answer(2))
    worker.drain(here.challenge)
    rows = board(here.challenge, NOBODY, "test").rows
    assert [("A", False), ("Base", True)] == [(row.team, row.baseline) for row in rows]
    teams.decide(here.challenge, ORGANISER, here.team("A").team or 0, "refused")
    assert ["Base"] == [row.team for row in board(here.challenge, NOBODY, "test").rows]


def test_the_home_page_tells_what_everybody_may_know(world: Make) -> None:
    here = world(phase("one", closes=1), phase("two", opens=2, closes=3, quota=5))
    made = pages.home(here.challenge)
    assert [("one", "open", True), ("two", "coming", False)] == [
        (p.name, p.status, p.is_current) for p in made.phases
    ]
    assert ["LOC", "PER"] == made.labels
    assert {"inputs.jsonl", "task.toml"} == set(made.files)
    assert here.challenge.folder / "public/inputs.jsonl" == pages.public_file(
        here.challenge, "inputs.jsonl"
    )
    for name in ("gold.jsonl", "../private/gold.jsonl", "private/gold.jsonl", ""):
        with pytest.raises(NotFoundError):
            pages.public_file(here.challenge, name)


FOUR = ("exact.F1", "exact.P", "exact.R", "overlap.F1")


def official(here: World, *recipes: str) -> None:
    """Make these the official recipes."""
    task = here.challenge.folder / "task.toml"
    text = task.read_text()
    assert text.count('recipes = ["exact.PRF"]') == 1
    names = ", ".join(f'"{each}"' for each in recipes)
    task.write_text(text.replace('recipes = ["exact.PRF"]', f"recipes = [{names}]"))


@pytest.mark.parametrize(
    ("recipes", "expected"),
    [
        (FOUR, FOUR),
        (("exact.PRF",), ("exact.F1", "exact.P", "exact.R")),
        (("exact.F1",), ("exact.F1", "exact.P", "exact.R")),
        (("overlap.F1", "exact.F1"), ("overlap.F1", "exact.F1", "overlap.P", "overlap.R")),
        (("slots.SER",), ("slots.SER",)),
    ],
)
def test_all_official_numbers_are_shown_and_the_first_ranks(
    world: Make, recipes: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    here = world(phase("test", "full", reveal='"opens"'))
    official(here, *recipes)
    # Fewer right answers, or longer ones.
    here.submit("Cautious", answer(2))
    here.submit("Long", answer(4).replace(b'"end": 3', b'"end": 4'))
    worker.drain(here.challenge)
    made = board(here.challenge, NOBODY, "test")
    assert (expected, expected[0]) == (tuple(made.recipes), made.measure)
    number = {row.team: row.submission for row in made.rows}
    for row in made.rows:
        assert {*expected} == {each.name for each in row.scores}
        assert row.score.value == next(e.value for e in row.scores if e.name == made.measure)
        assert {*expected} == {*row.by_label}
        assert all({"LOC", "PER"} == {each.name for each in own} for own in row.by_label.values())
    run = runs.run(here.challenge, here.team("Long"), number["Long"] or 0)
    assert run.shown is not None
    assert {*expected} == {each.name for each in run.shown.scores} == {*run.shown.by_label}


def test_a_board_is_sorted_by_any_of_its_numbers(world: Make) -> None:
    here = world(phase("test", "full", reveal='"opens"'), phase("hidden", "headline"))
    official(here, *FOUR)
    for team, data in (("Cautious", answer(2)), ("Bold", answer(4).replace(b"LOC", b"PER"))):
        for name in ("test", "hidden"):
            here.submit(team, data, name)
    worker.drain(here.challenge)
    made = board(here.challenge, NOBODY, "test")
    assert ["Cautious", "Bold"] == [row.team for row in made.rows]

    def order(recipe: str) -> list[str]:
        return [row.team for row in sorted_by(made, recipe).rows]

    assert ["Cautious", "Bold"] == order("exact.P") == order("nothing") == order("")
    scores_ = {row.team: {each.name: each.value for each in row.scores} for row in made.rows}
    assert scores_["Cautious"]["exact.R"] == scores_["Bold"]["exact.R"] == 0.5
    assert ["Cautious", "Bold"] == order("exact.R"), "ties keep the order of the first"
    assert ["Cautious", "Bold"] == order("overlap.F1")
    assert [1, 2] == [row.rank for row in sorted_by(made, "exact.P").rows]
    secret = board(here.challenge, NOBODY, "hidden")
    assert sorted_by(secret, "exact.R") == secret
    assert not any(row.scores for row in secret.rows)


SPLIT = 'parts = { board = "development", reveal = "test" }\n'


def split_answer(here: World, board_part: int, results: int, wrong: str = "") -> bytes:
    """An answer with so many marks in the documents of each part; `wrong` is a part with a label
    that no task has.
    """
    parts = here.challenge.material("test").task.parts
    documents = []
    for part, right in (("development", board_part), ("test", results)):
        marks = [("NOPE", "Ann")] if part == wrong else GOLD[:right]
        documents += [document(int(each[1:]), marks) for each in parts[part]]
    return lines(documents)


def test_a_split_shows_one_part_until_the_reveal_and_the_results_of_the_other(
    world: Make,
) -> None:
    here = world(phase("test", "full", reveal='"never"') + SPLIT, size=24)
    home = pages.home(here.challenge).phases[0]
    assert sum(len(own) for name, own in here.challenge.material("test").task.parts.items()
               if name != "practice") == home.documents  # fmt: skip
    number = here.submit("A", split_answer(here, 4, 2)).submission
    here.submit("B", split_answer(here, 3, 3))
    worker.drain(here.challenge)
    before = board(here.challenge, NOBODY, "test")
    assert {"A": 1.0, "B": 6 / 7} == values(before.rows)
    assert "the results are of another" in before.sentence
    assert [1, 2] == [row.rank for row in before.rows]
    own = runs.run(here.challenge, here.team("A"), number)
    assert own.shown is not None and own.shown.official is not None
    assert 1.0 == own.shown.official.value
    assert "part:development" in (own.signature or "")
    assert "0.6666" not in everything(before) + everything(own), "nothing of the results is seen"

    organise.reveal(here.challenge, ORGANISER, "test")
    assert not any(row.rank_low for row in board(here.challenge, NOBODY, "test").rows)
    worker.drain(here.challenge)
    after = board(here.challenge, NOBODY, "test")
    assert ["B", "A"] == [row.team for row in after.rows]
    assert {"A": 2 / 3, "B": 6 / 7} == values(after.rows)
    assert all(row.rank_low and row.labels and row.errors for row in after.rows)
    assert not after.pending
    assert [2 / 3, 6 / 7] == [point.value for point in after.history]
    own = runs.run(here.challenge, here.team("A"), number)
    assert own.shown is not None and own.shown.official is not None
    assert 2 / 3 == own.shown.official.value
    assert "part:test" in (own.signature or "")
    organise.hold(here.challenge, ORGANISER, "test")
    worker.drain(here.challenge)
    assert {"A": 1.0, "B": 6 / 7} == values(board(here.challenge, NOBODY, "test").rows)


@pytest.mark.parametrize("wrong", ["development", "test"])
def test_both_parts_of_a_split_are_validated(world: Make, wrong: str) -> None:
    here = world(phase("test", "none") + SPLIT, size=24)
    assert not here.submit("A", split_answer(here, 4, 4, wrong)).valid
    assert here.submit("A", split_answer(here, 0, 4)).valid, "one part may be empty"
    assert not here.submit("A", split_answer(here, 0, 0)).valid
    worker.drain(here.challenge)
    assert {"A": 0.0} == values(board(here.challenge, ORGANISER, "test").rows)


def test_both_parts_of_a_split_are_scored_again(world: Make, tmp_path: Path) -> None:
    here = world(phase("test", "none", reveal='"opens"') + SPLIT, size=24)
    here.submit("A", split_answer(here, 3, 4))
    worker.drain(here.challenge)
    file = tmp_path / "corrected.jsonl"
    file.write_bytes(lines([document(i, GOLD[:3]) for i in range(24)]))
    now = replace_gold(here.challenge, "test", file, "wrong")
    rounds.rescore(now, "organiser", "wrong")
    worker.drain(now)
    made = board(now, NOBODY, "test")
    assert {"A": 6 / 7} == values(made.rows)
    assert [(1.0, 6 / 7)] == [(each.before, each.after) for each in made.changed]

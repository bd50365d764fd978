"""What organisers and teams decide: times that move, runs that are described or withdrawn, news."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from carob_challenge import accept, organise, pages, ranking, runs, worker
from carob_challenge.board import board
from carob_challenge.errors import ClosedError, NotAllowedError, NotFoundError, RefusedError
from carob_challenge.feedback import reveal_states
from carob_challenge.viewer import NOBODY, ORGANISER
from tests.challenge.world import START, World, answer, phase, values

Make = Callable[..., World]


def test_a_deadline_that_is_moved_counts_at_once_and_the_reveal_moves_with_it(world: Make) -> None:
    here = world(phase("test", "none", closes=5), phase("late", opens=5, closes=20))
    team = here.team("A")
    here.clock.go(days=6)
    with pytest.raises(ClosedError):
        accept.begin(here.challenge, team, "test")
    organise.move(here.challenge, ORGANISER, "test", START, START + timedelta(days=8))
    assert not accept.begin(here.challenge, team, "test").late
    with here.challenge.store.read() as connection:
        state = reveal_states(here.challenge, connection)["test"]
    assert (False, START + timedelta(days=8)) == (state.revealed, state.at)
    assert START + timedelta(days=8) == pages.home(here.challenge).phases[0].closes
    other = type(here.challenge)(
        here.challenge.folder, here.challenge.written, here.challenge.store, here.clock
    )
    assert START + timedelta(days=8) == other.phase("test").closes, "another process sees it, too"
    organise.move(here.challenge, ORGANISER, "test", START, None)
    assert None is here.challenge.phase("test").closes
    [last, *_] = pages.audit_log(here.challenge, ORGANISER)
    assert ("phase moved", "test") == (last.action, last.subject)
    assert last.detail == (
        "2027-01-01 00:00 to 2027-01-09 00:00 UTC became 2027-01-01 00:00 to open UTC"
    )


def test_times_are_moved_by_organisers_and_only_forwards(world: Make) -> None:
    here = world()
    with pytest.raises(NotAllowedError):
        organise.move(here.challenge, here.team("A"), "test", START, None)
    with pytest.raises(RefusedError, match="a phase closes after it opens"):
        organise.move(here.challenge, ORGANISER, "test", START, START)
    with pytest.raises(NotFoundError, match="no phase is called 'nothing'"):
        organise.move(here.challenge, ORGANISER, "nothing", START, None)


def test_of_several_open_phases_one_has_to_be_named(world: Make) -> None:
    here = world(phase("people"), phase("places"))
    with pytest.raises(RefusedError) as refused:
        here.submit("A", answer())
    assert "people and places are open: say which with --phase" == str(refused.value)
    for name, right in (("people", 4), ("places", 2)):
        here.submit("A", answer(right), name)
    worker.drain(here.challenge)
    assert {"A": 1.0} == values(board(here.challenge, NOBODY, "people").rows)
    assert {"A": 2 / 3} == values(board(here.challenge, NOBODY, "places").rows)


def test_a_run_can_be_withdrawn_before_the_deadline_and_its_quota_stays_used(world: Make) -> None:
    here = world(phase("test", "headline", quota=3))
    team = here.team("A")
    first = here.submit("A", answer(2))
    second = here.submit("A", answer(4))
    worker.drain(here.challenge)
    with pytest.raises(NotFoundError):
        organise.withdraw(here.challenge, here.team("B"), second.submission)
    organise.withdraw(here.challenge, team, second.submission)
    worker.drain(here.challenge)
    assert {"A": 2 / 3} == values(board(here.challenge, NOBODY, "test").rows)
    own = runs.team_page(here.challenge, team).phases[0]
    assert ([True, False], 2) == ([run.withdrawn for run in own.runs], own.quota.used)
    assert here.submit("A", answer(4)).duplicate, "the same file is still the same run"
    here.clock.go(days=11)
    with pytest.raises(RefusedError, match="a run can be withdrawn until the phase closes"):
        organise.withdraw(here.challenge, team, first.submission)
    made = board(here.challenge, NOBODY, "test")
    assert [first.submission] == [row.submission for row in made.rows]
    assert 1 == len(made.history)


def test_a_team_says_what_a_run_is_and_the_board_shows_it_after_the_reveal(world: Make) -> None:
    here = world(phase("test", "headline"))
    team = here.team("A", affiliation="University of Oslo")
    number = here.submit("A", answer()).submission
    worker.drain(here.challenge)
    about = {
        "name": "large",
        "description": "a model",
        "paper": "https://example.org/p",
        "code": "",
    }
    with pytest.raises(NotFoundError):
        organise.describe(here.challenge, here.team("B"), number, about)
    organise.describe(here.challenge, team, number, about)
    [row] = board(here.challenge, NOBODY, "test").rows
    assert ({}, "University of Oslo") == (row.about, row.affiliation)
    organise.reveal(here.challenge, ORGANISER, "test")
    [row] = board(here.challenge, NOBODY, "test").rows
    assert about == row.about == runs.run(here.challenge, team, number).about
    assert {*about} == {each.name.removeprefix("about_") for each in ranking.DETAILS}


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"name": "x" * 81}, "the name has 81 characters, and at most 80 fit"),
        ({"paper": "javascript:alert(1)"},
         "found the paper 'javascript:alert(1)', expected a link: https://…"),
        ({"code": "https://user:secret@example.org"},
         "found the code 'https://user:secret@example.org', expected a link: https://…"),
        ({"code": "ftp://example.org"},
         "found the code 'ftp://example.org', expected a link: https://…"),
    ],
)  # fmt: skip
def test_what_a_team_says_is_checked(about: dict[str, str], message: str) -> None:
    with pytest.raises(RefusedError) as refused:
        organise.clean_details(about)
    assert message == str(refused.value)


def test_news_is_there_for_everybody_until_it_is_removed(world: Make) -> None:
    here = world()
    with pytest.raises(NotAllowedError):
        organise.add_news(here.challenge, here.team("A"), "x")
    with pytest.raises(RefusedError, match="there is no text"):
        organise.add_news(here.challenge, ORGANISER, " ")
    for text in ("one", "two", "three", "four"):
        organise.add_news(here.challenge, ORGANISER, f"**{text}**")
    every = pages.all_news(here.challenge)
    assert ["**four**", "**three**", "**two**", "**one**"] == [each.text for each in every]
    assert every[:3] == list(pages.home(here.challenge).news)
    organise.remove_news(here.challenge, ORGANISER, every[0].id)
    assert every[1:] == pages.all_news(here.challenge)
    with pytest.raises(NotFoundError):
        organise.remove_news(here.challenge, ORGANISER, every[0].id)

# ruff: noqa: RUF001 (letters that look alike are what is tested)
"""Who is who: names that cannot deceive, tokens stored as hashes, logins that work once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

from carob_challenge import limits, runs, sessions, teams, worker
from carob_challenge.board import board
from carob_challenge.errors import NotAllowedError, NotFoundError, RateError, RefusedError
from carob_challenge.names import check_name, folded
from carob_challenge.secrets import stored
from carob_challenge.store import metadata
from carob_challenge.viewer import NOBODY, ORGANISER
from tests.challenge.test_accept import together
from tests.challenge.world import World, answer, phase, values

Make = Callable[..., World]


ALIKE = ("team one", "TEAM ONE", "Team-One", "Tearn One", "Team 0ne", "Téam Oné", "Ｔeam Ｏne",
         "Team.One!", "Теам опе")  # fmt: skip


@pytest.mark.parametrize("other", ALIKE)
def test_names_that_look_alike_are_one(other: str) -> None:
    assert folded("Team One") == folded(other)


def test_whole_names_of_another_script_are_folded() -> None:
    assert folded("сосо") == folded("coco")
    signs = "abcdefghijklmnopqrstuvwxyz0123456789"  # i, l and 1 are one, and o and 0
    assert len(signs) - 3 == len({folded(f"Team {sign}") for sign in signs})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "a team needs a name"), (" \t", "a team needs a name"),
        ("x" * 61, "61 characters"), ("a\u202eb", r"cannot be seen \(U\+202E\)"),
        ("a\u200bb", r"U\+200B"), ("!!!", "needs a letter or a digit"),
        ("Tеam", "mixes letters of CYRILLIC and LATIN"),
    ],
)  # fmt: skip
def test_names_that_could_deceive_are_refused(name: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        check_name(name)


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "=cmd|' /C calc'!A0", "北京大学", "Åbo & Söner"]
)
def test_other_names_are_kept(name: str) -> None:
    assert name == check_name(name)


def test_two_teams_cannot_have_names_that_look_alike(world: Make) -> None:
    here = world(head='registration = "open"')
    here.team("Team One")
    with pytest.raises(RefusedError, match="a team called Team One exists"):
        here.team("Tearn 0ne")
    with pytest.raises(RefusedError, match="exists"):
        teams.register(here.challenge, "TEAM ONE")


@pytest.mark.slow
def test_of_teams_that_register_at_once_one_gets_the_name(world: Make) -> None:
    here = world(head='registration = "open"')
    results = together(10, lambda i: teams.register(here.challenge, f"Team{' ' * i}One"))
    assert 1 == sum(isinstance(each, teams.NewTeam) for each in results), results
    assert 9 == sum(isinstance(each, RefusedError) for each in results), results


def test_no_secret_is_in_the_database(world: Make) -> None:
    here = world()
    secrets = [
        teams.add_team(here.challenge, ORGANISER, "A").token,
        *teams.invite(here.challenge, ORGANISER, 2),
        login := sessions.new_login(here.challenge),
    ]
    secrets.append(sessions.redeem(here.challenge, login))
    with here.challenge.store.read() as connection:
        content = repr([
            connection.execute(sa.select(table)).all() for table in metadata.sorted_tables
        ])  # fmt: skip
    for secret in secrets:
        assert secret not in content
        assert stored(secret) in content
        assert len(secret) == 43, "256 bits"


def test_a_token_ends_when_it_is_revoked_or_replaced(world: Make) -> None:
    here = world()
    viewer = here.team("A")
    assert viewer.team is not None
    session = sessions.log_in(here.challenge, here.tokens["A"])
    assert viewer == sessions.viewer_of_session(here.challenge, session)
    new = teams.new_token(here.challenge, ORGANISER, viewer.team)
    assert None is teams.viewer_of_token(here.challenge, here.tokens["A"])
    assert NOBODY == sessions.viewer_of_session(here.challenge, session)
    assert viewer == teams.viewer_of_token(here.challenge, new)
    teams.revoke(here.challenge, ORGANISER, viewer.team)
    assert None is teams.viewer_of_token(here.challenge, new)
    for wrong in ("", "x", "' OR 1=1 --", "x" * 43, "\x00"):
        assert None is teams.viewer_of_token(here.challenge, wrong)
        with pytest.raises(NotAllowedError, match="this token is not known"):
            sessions.log_in(here.challenge, wrong)


def test_a_team_that_registers_waits_for_approval(world: Make) -> None:
    here = world(head='registration = "open"')
    made = teams.register(here.challenge, "A", contact="a@example.org")
    assert ("pending", None) == (made.team.state, teams.viewer_of_token(here.challenge, made.token))
    teams.decide(here.challenge, ORGANISER, made.team.id, "approved")
    viewer = teams.viewer_of_token(here.challenge, made.token)
    assert viewer is not None
    assert viewer.name == "A"
    session = sessions.log_in(here.challenge, made.token)
    teams.decide(here.challenge, ORGANISER, made.team.id, "refused")
    assert NOBODY == sessions.viewer_of_session(here.challenge, session)
    with pytest.raises(NotFoundError):
        teams.decide(here.challenge, ORGANISER, 99, "approved")


def test_an_invitation_works_once(world: Make) -> None:
    here = world()
    with pytest.raises(NotAllowedError, match="teams of this challenge are invited"):
        teams.register(here.challenge, "A")
    [invitation] = teams.invite(here.challenge, ORGANISER)
    with pytest.raises(RefusedError):
        teams.register(here.challenge, "", invitation=invitation)
    made = teams.register(here.challenge, "A", invitation=invitation)
    assert "approved" == made.team.state
    for wrong in (invitation, "x" * 43):
        with pytest.raises(NotAllowedError, match="not known, or it was used before"):
            teams.register(here.challenge, "B", invitation=wrong)


def test_an_organiser_logs_in_once_and_in_time(world: Make) -> None:
    here = world()
    login = sessions.new_login(here.challenge)
    session = sessions.redeem(here.challenge, login)
    assert ORGANISER == sessions.viewer_of_session(here.challenge, session)
    with pytest.raises(NotAllowedError, match="used before or has expired"):
        sessions.redeem(here.challenge, login)
    late = sessions.new_login(here.challenge)
    here.clock.go(minutes=16)
    with pytest.raises(NotAllowedError):
        sessions.redeem(here.challenge, late)
    here.clock.go(hours=12)
    assert NOBODY == sessions.viewer_of_session(here.challenge, session)
    fresh = sessions.redeem(here.challenge, sessions.new_login(here.challenge))
    sessions.log_out(here.challenge, fresh)
    assert NOBODY == sessions.viewer_of_session(here.challenge, fresh)


@pytest.mark.slow
def test_a_login_that_is_used_twice_at_once_works_once(world: Make) -> None:
    here = world()
    login = sessions.new_login(here.challenge)
    results = together(10, lambda i: sessions.redeem(here.challenge, login))
    assert 1 == sum(isinstance(each, str) for each in results), results


def test_only_organisers_change_teams(world: Make) -> None:
    here = world()
    own = here.team("A")
    for viewer in (NOBODY, own):
        for call in (
            lambda v: teams.add_team(here.challenge, v, "B"),
            lambda v: teams.all_teams(here.challenge, v),
            lambda v: teams.invite(here.challenge, v),
            lambda v: teams.new_token(here.challenge, v, 1),
            lambda v: teams.revoke(here.challenge, v, 1),
            lambda v: teams.decide(here.challenge, v, 1, "approved"),
            lambda v: teams.team_named(here.challenge, v, "A"),
        ):
            with pytest.raises(NotAllowedError, match="this is for organisers"):
                call(viewer)


def test_attempts_are_limited(world: Make) -> None:
    here = world(phase("test"))
    for _ in range(3):
        limits.hit(here.challenge, "login 10.0.0.1", 3, 60)
    with pytest.raises(RateError, match="try again in 61 seconds"):
        limits.hit(here.challenge, "login 10.0.0.1", 3, 60)
    limits.hit(here.challenge, "login 10.0.0.2", 3, 60)
    here.clock.go(seconds=60)
    limits.hit(here.challenge, "login 10.0.0.1", 3, 60)
    here.clock.now -= timedelta(days=1)  # a clock that was set back stops nobody
    limits.hit(here.challenge, "login 10.0.0.1", 1, 60)
    here.clock.go(days=3)
    limits.forget(here.challenge)


@pytest.mark.slow
def test_attempts_at_once_are_all_counted(world: Make) -> None:
    here = world()
    results = together(20, lambda i: limits.hit(here.challenge, "x", 7, 60))
    assert 13 == sum(isinstance(each, RateError) for each in results), results


def test_the_name_of_a_refused_team_is_free_and_it_comes_back_only_while_it_is(world: Make) -> None:
    here = world(head='registration = "open"')
    first = teams.register(here.challenge, "Best").team
    with pytest.raises(RefusedError, match="a team called Best exists: Bést looks like it"):
        teams.register(here.challenge, "Bést")
    teams.decide(here.challenge, ORGANISER, first.id, "refused")
    second = teams.register(here.challenge, "Bést").team
    assert second.id == teams.team_named(here.challenge, ORGANISER, "best").id
    with pytest.raises(RefusedError, match="a team called Bést exists: Best looks like it"):
        teams.decide(here.challenge, ORGANISER, first.id, "approved")
    teams.decide(here.challenge, ORGANISER, second.id, "refused")
    assert first.id == teams.team_named(here.challenge, ORGANISER, "Best").id
    teams.decide(here.challenge, ORGANISER, first.id, "approved")
    with pytest.raises(RefusedError):
        teams.register(here.challenge, "best")


def test_only_so_many_teams_wait_for_approval(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 200 == teams.MOST_PENDING
    monkeypatch.setattr(teams, "MOST_PENDING", 2)
    here = world(head='registration = "open"')
    first = teams.register(here.challenge, "Ann").team
    teams.register(here.challenge, "Bob")
    with pytest.raises(RefusedError) as refused:
        teams.register(here.challenge, "Cid")
    assert "too many teams wait for approval: try again in some days" == str(refused.value)
    [invitation] = teams.invite(here.challenge, ORGANISER)
    teams.register(here.challenge, "Dan", invitation=invitation)
    teams.decide(here.challenge, ORGANISER, first.id, "approved")
    teams.register(here.challenge, "Cid")


def number_of(here: World, name: str) -> int:
    team = here.team(name).team
    assert team is not None
    return team


def test_a_team_can_be_renamed(world: Make) -> None:
    here = world()
    here.submit("Old", answer())
    here.team("Other")
    with pytest.raises(RefusedError, match="a team called Other exists"):
        teams.rename(here.challenge, ORGANISER, number_of(here, "Old"), "0ther")
    teams.rename(here.challenge, ORGANISER, number_of(here, "Old"), "OLD")
    teams.rename(here.challenge, ORGANISER, number_of(here, "Old"), "New")
    viewer = teams.viewer_of_token(here.challenge, here.tokens["Old"])
    assert viewer is not None
    assert ("New", number_of(here, "Old")) == (viewer.name, viewer.team)
    worker.drain(here.challenge)
    assert {"New": 1.0} == values(board(here.challenge, ORGANISER, "test").rows)
    teams.add_team(here.challenge, ORGANISER, "Old")
    with pytest.raises(NotAllowedError):
        teams.rename(here.challenge, here.team("Other"), number_of(here, "Other"), "X")


def test_two_teams_become_one(world: Make) -> None:
    here = world(phase("test", "ladder", quota=9))
    for name, rights in (("A", (1, 2, 3)), ("B", (3, 4))):
        for right in rights:
            here.submit(name, answer(right))
    worker.drain(here.challenge)
    one, other = number_of(here, "A"), number_of(here, "B")
    with pytest.raises(RefusedError, match="a team cannot be merged with itself"):
        teams.merge(here.challenge, ORGANISER, one, one)
    teams.merge(here.challenge, ORGANISER, one, other)
    assert [other] == [each.id for each in teams.all_teams(here.challenge, ORGANISER)]
    viewer = teams.viewer_of_token(here.challenge, here.tokens["A"])
    assert viewer is not None
    assert other == viewer.team, "who was in the first team is in the second"
    page = runs.team_page(here.challenge, viewer).phases[0]
    assert (4, 4) == (page.quota.used, len(page.runs)), "the same file counts once"
    worker.drain(here.challenge)
    assert ["B"] == [row.team for row in board(here.challenge, ORGANISER, "test").rows]
    here.submit("B", answer(4, extra=1))
    worker.drain(here.challenge)


def test_a_team_is_deleted_with_its_runs_and_files(world: Make) -> None:
    here = world(phase("test", "full", reveal='"opens"'))
    [invitation] = teams.invite(here.challenge, ORGANISER)
    here.submit("A", answer(2))
    here.submit("A", answer(3))
    here.submit("B", answer(3))
    worker.drain(here.challenge)
    shared, own = (here.challenge.submission_file(hashlib.sha256(answer(n)).hexdigest())
                   for n in (3, 2))  # fmt: skip
    number = number_of(here, "A")
    invited = teams.register(here.challenge, "C", invitation=invitation).team
    with pytest.raises(RefusedError) as refused:
        teams.delete(here.challenge, ORGANISER, number, "B")
    assert "write the name of the team to delete it: this cannot be undone" == str(refused.value)
    teams.delete(here.challenge, ORGANISER, number, "A")
    teams.delete(here.challenge, ORGANISER, invited.id, "C")
    assert (True, False) == (shared.exists(), own.exists())
    assert [] == [each for each in (here.challenge.folder / "reports").iterdir()
                  if each.stem in ("1", "2")]  # fmt: skip
    assert None is teams.viewer_of_token(here.challenge, here.tokens["A"])
    with pytest.raises(NotAllowedError):
        teams.register(here.challenge, "D", invitation=invitation)
    worker.drain(here.challenge)
    assert ["B"] == [row.team for row in board(here.challenge, ORGANISER, "test").rows]
    with here.challenge.store.read() as connection:
        for name, table in metadata.tables.items():
            if "submission" in table.c and name != "jobs":
                found = connection.execute(sa.select(table.c.submission)).scalars().all()
                assert set(found) <= {3}, name


def test_a_team_says_where_it_is_from(world: Make) -> None:
    here = world()
    here.submit("A", answer())
    teams.set_affiliation(here.challenge, here.team("A"), "  Oslo " + "x" * 300)
    worker.drain(here.challenge)
    [row] = board(here.challenge, ORGANISER, "test").rows
    assert ("Oslo", 200) == (row.affiliation.partition(" ")[0], len(row.affiliation))

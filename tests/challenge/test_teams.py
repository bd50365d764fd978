# ruff: noqa: RUF001 (letters that look alike are what is tested)
"""Who is who: names that cannot deceive, tokens stored as hashes, logins that work once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

from carob_challenge import limits, sessions, teams
from carob_challenge.errors import NotAllowedError, NotFoundError, RateError, RefusedError
from carob_challenge.names import check_name, folded
from carob_challenge.secrets import stored
from carob_challenge.store import metadata
from carob_challenge.viewer import NOBODY, ORGANISER
from tests.challenge.test_accept import together
from tests.challenge.world import World, phase

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

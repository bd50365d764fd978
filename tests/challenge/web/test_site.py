"""One submission from the form to its score: what must hold at any time; the rest is slow."""

from __future__ import annotations

from collections.abc import Callable

from tests.challenge.web.client import words
from tests.challenge.web.conftest import Site
from tests.challenge.world import answer, phase

New = Callable[..., Site]


def test_a_good_file_is_scored_and_shown(site: New) -> None:
    own = site(phase("test", "headline", quota=2))
    team = own.as_team("A")
    sent = team.post("/submit/test", file=answer(3))
    before = team.get(sent.to)
    assert "It is next to be scored" in words(before.text)
    assert 'http-equiv="refresh"' in before.text
    own.work()
    after = team.get(sent.to)
    assert "exact.F1 0.8571" in words(after.text)
    assert "refresh" not in after.text
    assert "1 in all" in words(after.text)
    page = words(team.get("/team").text)
    assert "0.8571" in page
    assert "left: 1 in all" in page

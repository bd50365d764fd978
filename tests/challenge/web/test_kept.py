"""Leaderboards are kept until something happens; then the next reader sees it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from carob_challenge import board
from carob_challenge.version import Version, version
from carob_challenge.web.endpoint import Kept
from tests.challenge.web.conftest import Site
from tests.challenge.world import answer, phase

pytestmark = pytest.mark.slow


def test_a_page_may_be_a_little_old_but_never_show_what_is_hidden() -> None:
    kept = Kept(seconds=60)
    kept.put("page", Version(1, "open"), b"old", "text/html")
    found = kept.get("page", Version(2, "open"))
    assert found is not None and b"old" == found.content
    assert kept.get("page", Version(1, "held back")) is None


def test_one_reader_makes_a_page_and_the_others_do_not_wait() -> None:
    kept = Kept(seconds=1e-9)
    kept.put("page", Version(1, "open"), b"old", "text/html")
    assert kept.get("page", Version(2, "open")) is None
    found = kept.get("page", Version(2, "open"))
    assert found is not None and b"old" == found.content


def test_few_pages_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carob_challenge.web.endpoint.MOST_KEPT", 3)
    kept = Kept(seconds=0)
    for number in range(9):
        kept.put(number, Version(1, 1), b"", "")
    assert [False, True] == [kept.get(i, Version(1, 1)) is not None for i in (0, 8)]


def test_a_board_is_made_once_until_something_happens(
    site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = site(phase("test", "headline"))
    made: list[str] = []
    real = board.board

    def counted(challenge: object, viewer: object, name: str) -> board.Board:
        made.append(name)
        return real(challenge, viewer, name)  # type: ignore[arg-type]

    monkeypatch.setattr(board, "board", counted)
    nobody = own.nobody()

    def look() -> tuple[int, int]:
        rows = nobody.json("/api/board/test")["board"]
        return len(made), len(rows)

    assert [(1, 0), (1, 0)] == [look(), look()]
    own.submit("A", answer(3))
    own.work()
    assert [(2, 1), (2, 1)] == [look(), look()]
    assert 200 == own.as_team("A").get("/board/test").status
    assert 3 == len(made), "what a team sees is kept for it alone"
    own.as_organiser().post("/organiser/runs/1/disqualify", {"reason": "x"})
    assert 0 == look()[1]
    own.clock.go(days=11)
    seen = version(own.challenge)
    assert look()[0] == look()[0]
    own.clock.go(days=-11)
    assert seen != version(own.challenge), "time alone makes a difference"

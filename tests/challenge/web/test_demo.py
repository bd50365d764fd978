"""What an organiser tries first: an example challenge with everything in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from carob.cli import main
from carob_challenge import board, client, demo, runs
from carob_challenge.challenge import Challenge
from carob_challenge.viewer import NOBODY, ORGANISER
from tests.challenge.web.client import serving

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("data", demo.DATA)
def test_the_example_has_three_teams_and_twelve_scored_submissions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: str
) -> None:
    folder = tmp_path / "demo"
    command = ["demo", str(folder), "--kind", "challenge", "--data", data, "--no-serve"]
    assert 0 == main([*command, "--documents", "40"])
    printed = capsys.readouterr().out
    challenge = Challenge.open(folder)
    every = runs.all_runs(challenge, ORGANISER)
    assert [12, {"scored"}] == [len(every), {each.state for each in every}]
    scored = [each.shown.official.value for each in every if each.shown and each.shown.official]
    assert all(0.0 < (value or 0.0) < 1.0 for value in scored), scored
    assert set(demo.TEAMS) == {each.team for each in every}
    open_board = board.board(challenge, NOBODY, "development")
    assert open_board.state.revealed
    assert 3 == len(open_board.rows)
    assert 9 == len(open_board.history)
    assert () == tuple(board.board(challenge, NOBODY, "test").rows)
    assert all(name in printed for name in demo.TEAMS)
    [token] = [line.split()[-1] for line in printed.splitlines() if "Locust Bean" in line]
    with serving(challenge) as served:
        verdict = client.submit(folder / "example-answer.jsonl", served.url, token, wait=0)
    assert verdict.is_valid
    assert "test" == verdict.content["run"]["phase"]
    challenge.close()
    assert 2 == main(command), "nothing is written over it"

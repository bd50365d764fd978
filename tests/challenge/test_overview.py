"""The overview paper gets every team and run, and no character that LaTeX takes for its own."""

from __future__ import annotations

from collections.abc import Callable

from carob_challenge import organise, overview, worker
from carob_challenge.board import board
from carob_challenge.viewer import ORGANISER
from tests.challenge.world import World, answer

Make = Callable[..., World]


def test_latex_and_bibtex_have_every_team(world: Make) -> None:
    here = world()
    here.team("A & B_1", affiliation="50 % {x}")
    here.submit("A & B_1", answer(3))
    number = here.submit("A & B 2", answer(4)).submission
    about = {"name": "big", "paper": "https://example.org/a_b", "code": "https://example.org/c"}
    organise.describe(here.challenge, here.team("A & B 2"), number, about)
    worker.drain(here.challenge)
    made = board(here.challenge, ORGANISER, "test")
    assert overview.latex(made) == (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{tabular}{rlllrrr}\n\\toprule\n"
        "Rank & Team & Affiliation & Run & exact.F1 & exact.P & exact.R \\\\\n\\midrule\n"
        "1 & A \\& B 2 &  & big & 1.0000 & 1.0000 & 1.0000 \\\\\n"
        "2 & A \\& B\\_1 & 50 \\% \\{x\\} &  & 0.8571 & 1.0000 & 0.7500 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n"
    )
    assert overview.bibtex("Task", made.rows, here.challenge.now()) == (
        "@misc{a-b-2,\n  author = {{A \\& B 2}},\n  title = {{big at Task}},\n  year = {2027},\n"
        "  url = {https://example.org/a_b},\n  note = {Code: https://example.org/c}\n}\n"
        "\n"
        "@misc{a-b-1,\n  author = {{A \\& B\\_1}},\n  title = {{Task}},\n"
        "  institution = {50 \\% \\{x\\}},\n  year = {2027}\n}\n"
    )

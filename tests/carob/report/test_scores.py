"""The three ways to count answers stand in one table, with a line that says why they differ."""

from __future__ import annotations

import pytest

from carob import Corpus, Scores, score
from tests.birnbaum import GOLD, SHORT, WRONG

GOLD_, SHORT_, WRONG_ = (Corpus.of(document) for document in (GOLD, SHORT, WRONG))
LINE = (
    "oas, oaod and oads count the same answers in three ways: "
    "gold has 3 filled slots, 5 places and 4 different strings"
)


@pytest.fixture
def scores() -> Scores:
    return score(GOLD_, {"short": SHORT_, "wrong": WRONG_}, resamples=0)


def table(text: str) -> str:
    """The tables without the signatures."""
    lines = [line for line in text.splitlines() if not line.startswith("carob:")]
    return "\n".join(lines).rstrip()


def test_the_three_stand_side_by_side(scores: Scores) -> None:
    assert (
        "answers  count       P       R      F1  ungrounded-share  gold\n"
        "short      oas  1.0000  0.3333  0.5000                       3\n"
        "          oaod  1.0000  0.2000  0.3333                       5\n"
        "          oads  1.0000  0.2500  0.4000            0.0000     4\n"
        "wrong      oas  0.3333  0.3333  0.3333                       3\n"
        "          oaod  0.2500  0.2000  0.2222                       5\n"
        "          oads  0.2500  0.2500  0.2500            0.2500     4\n"
        f"({LINE})\n"
        "\n"
        "templates       P       R      F1     SER  gold\n"
        "short      1.0000  0.2000  0.3333  0.8000     5\n"
        "wrong      0.3750  0.3000  0.3333  0.7000     5\n"
        "(short: no filler has the slot talk.host, talk.place, which gold has 2 times)\n"
    ).rstrip("\n") == table(str(scores))


def test_one_signature_names_all_recipes(scores: Scores) -> None:
    [line] = [line for line in str(scores).splitlines() if line.startswith("carob:")]
    short = "oas.PRF+oaod.PRF+oads.PRF+oads.ungrounded-share+templates.PRF+templates.SER"
    assert [short, "interval:none"] == line.split("|")[1:-1]
    full = scores.to("terminal", signature=True).splitlines()[-1]
    assert scores.signature == full
    assert (
        "recipe:oas(match=exact).PRF@micro+oaod(match=exact).PRF@micro+"
        "oads(match=exact).PRF@micro+oads(match=exact).ungrounded-share@micro+"
    ) in full


def test_slots_have_rows_of_their_own(scores: Scores) -> None:
    lines = scores.to("terminal", by_label=True).splitlines()
    assert [
        "answers         count       P       R      F1  ungrounded-share  gold",
        "short             oas  1.0000  0.3333  0.5000                       3",
        "                 oaod  1.0000  0.2000  0.3333                       5",
        "                 oads  1.0000  0.2500  0.4000            0.0000     4",
        "  talk.host       oas  0.0000  0.0000  0.0000                       1",
        "                 oaod  0.0000  0.0000  0.0000                       1",
        "                 oads  0.0000  0.0000  0.0000                 -     1",
    ] == lines[:7]


def test_markdown_and_latex_have_it_too(scores: Scores) -> None:
    markdown, latex = scores.to("markdown"), scores.to("latex")
    assert "| answers | count | P | R | F1 | ungrounded-share | gold |\n" in markdown
    assert "| short | oas | **1.0000** | 0.3333 | **0.5000** |  | 3 |\n" in markdown
    assert "|  | oaod | **1.0000** | 0.2000 | **0.3333** |  | 5 |\n" in markdown
    assert f"\n{LINE}\n" in markdown
    assert ("short & oas & \\textbf{1.0000} & 0.3333 & \\textbf{0.5000} &  & 3 \\\\\n") in latex
    assert f"% {LINE}\n" in latex


def remarks(*recipes: str) -> list[str]:
    """What the terminal says in brackets below the tables, but for slots that the system lacks."""
    lines = str(score(GOLD_, SHORT_, recipes, resamples=0)).splitlines()
    return [line for line in lines if line.startswith("(") and "no filler has" not in line]


def test_what_differs_in_more_than_the_way_stands_apart() -> None:
    recipes = ["oas.R", "oaod.R@macro", "oads(match=overlap).R", "oads.R", "exact.R"]
    lines = table(str(score(GOLD_, SHORT_, recipes, resamples=0))).splitlines()
    heads = [line.split()[0] for line in lines if line.endswith("gold")]
    assert ["answers", "oaod@macro", "oads(match=overlap)", "exact"] == heads


def test_two_ways_have_their_line_and_one_has_none() -> None:
    same = "count the same answers in two ways: gold has"
    assert [f"(oas and oads {same} 3 filled slots and 4 different strings)"] == remarks(
        "oas.R", "oads.R"
    )
    assert [f"(oaod and oads {same} 5 places and 4 different strings)"] == remarks(
        "oaod.R", "oads.R"
    )
    assert [] == remarks("oas.R")


def test_what_is_optional_makes_a_range() -> None:
    slots = {"a": ["x", {"text": "y", "optional": True}]}
    gold = Corpus.of({"id": "1", "text": "x y", "templates": [{"label": "t", "slots": slots}]})
    answers = {
        name: Corpus.of({"id": "1", "templates": [{"label": "t", "slots": {"a": [name]}}]})
        for name in "xy"
    }
    assert (
        "(oas, oaod and oads count the same answers in three ways: "
        "gold has 1 filled slot, 1 to 2 places and 1 to 2 different strings)\n"
    ) in str(score(gold, answers, ["oas.R", "oaod.R", "oads.R"], resamples=0))


def test_one_document_left_out_of_a_mean_is_one_document() -> None:
    gold = Corpus.of("[Ann]PER slept", "It rained", "[Bo]PER slept")
    assert "(system: 1 document without any item left out of the mean)" in str(
        score(gold, gold, "exact.F1@macro-doc")
    )

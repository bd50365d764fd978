"""Robustness must be what ranking by carob.score says, choice by choice, and must add up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from carob import Corpus, Document, Mention, UsageError, robust, score
from carob.evaluate.robust import GRID, grid

RECIPES = ["exact.F1", "exact.F1@macro", "overlap.R@macro-doc", "slots.SER", "exact.fp", "token.P"]


def world(seed: int, size: int = 6, systems: int = 4) -> tuple[Corpus, dict[str, Corpus]]:
    """Few mentions and documents, so that systems tie and change places."""
    rng = np.random.default_rng(seed)

    def drawn() -> Corpus:
        documents = []
        for i in range(size):
            mentions = tuple(
                Mention("AB"[int(rng.integers(2))], s, s + int(rng.integers(1, 3)))
                for s in range(0, 8, 2) if rng.random() < 0.6
            )  # fmt: skip
            documents.append(Document(f"d{i}", tokens=("x",) * 9, mentions=mentions))
        return Corpus.of(*documents)

    return drawn(), {name: drawn() for name in "wxyz"[:systems]}


def ranked(scores: Mapping[str, float | None], *, lower: bool) -> dict[str, int | None]:
    """Ranks by looking at every pair."""
    found: dict[str, int | None] = {}
    for name, own in scores.items():
        if own is None:
            found[name] = None
            continue
        place = 1
        for value in scores.values():
            if value is not None and abs(value - own) > 1e-12 and (value < own) == lower:
                place += 1
        found[name] = place
    return found


@pytest.mark.parametrize("seed", range(12))
def test_ranks_are_those_of_score_choice_by_choice(seed: int) -> None:
    gold, systems = world(seed)
    found = robust(gold, systems, RECIPES)
    assert RECIPES == [each.recipe for each in found]
    for each in found:
        scores = score(gold, systems, each.recipe, resamples=0)
        values = {name: scores[name, each.recipe].value for name in systems}
        assert values == each.scores
        assert each.ranks == ranked(values, lower=each.recipe in ("slots.SER", "exact.fp"))


@pytest.mark.parametrize("seed", range(12))
def test_counts_add_up_and_pairs_are_what_loops_find(seed: int) -> None:
    gold, systems = world(seed)
    found = robust(gold, systems)
    alone = sum(each.alone for each in found.standings)
    shared = [each for each in found if len(each.first) > 1]
    assert len(found) == alone + len(shared)
    assert sum(len(each.first) for each in shared) == sum(each.tied for each in found.standings)
    assert found.reference in found.stays
    assert len(list(combinations(systems, 2))) == len(found.turns)
    for turn in found.turns:
        assert len(found) == len(turn.kept) + len(turn.turned) + len(turn.parted)
        for each in found:
            one, other = each.ranks[turn.ahead], each.ranks[turn.behind]
            assert one is not None and other is not None
            group = turn.kept if (one < other) and not turn.tie else turn.turned
            group = (turn.kept if turn.tie else turn.parted) if one == other else group
            group = turn.parted if turn.tie and one != other else group
            assert each in group


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_systems_changes_nothing(seed: int) -> None:
    gold, systems = world(seed)
    turned = dict(reversed(systems.items()))
    ours, theirs = robust(gold, systems), robust(gold, turned)
    assert [each.order for each in ours] == [each.order for each in theirs]
    assert (ours.answer, ours.standings) == (theirs.answer, theirs.standings)
    assert [t.to_dict() for t in ours.turns] == [t.to_dict() for t in theirs.turns]


def test_a_system_ties_with_itself_under_every_choice() -> None:
    gold, systems = world(1)
    found = robust(gold, {"a": systems["w"], "b": systems["w"]})
    assert all(each.first == ("a", "b") for each in found)
    assert (
        f"The winner stays: a and b are first together under all {len(found)} choices."
        == found.answer
    )


def test_the_grid_is_all_that_can_be_ranked() -> None:
    assert sum(map(len, GRID.values())) == len(grid())
    gold, systems = world(2)
    assert [str(recipe) for recipe in grid()] == [each.recipe for each in robust(gold, systems)]


def test_the_answer_says_who_would_have_won() -> None:
    gold = Corpus.of("[Ann Lee]PER visited [Rome]LOC and [Oslo]LOC")
    systems = {
        "short": Corpus.of("[Ann]PER Lee visited [Rome]LOC and [Oslo]LOC"),
        "few": Corpus.of("[Ann Lee]PER visited [Rome]LOC and Oslo"),
        "none": Corpus.of("Ann Lee visited Rome and Oslo"),
    }
    found = robust(gold, systems, ["exact.F1", "exact.F1@macro", "overlap.F1", "exact.fp"])
    assert found.answer == (
        "The winner changes: few, first by exact.F1, is first under 2 (and 1 tied) of 4 choices; "
        "short under 1, none under 1 tied."
    )
    assert str(found).startswith("The winner changes: few, first by exact.F1")
    chart = str(found).split("\n\n")[2].splitlines()
    assert [
        "order of systems  micro    macro",
        "exact.F1          A B C    A B C",
        "overlap.F1        B A C *  ·",
        "exact.fp          A=C B *  ·",
    ] == chart[:4]
    one = robust(gold, systems, "exact.F1")
    assert one.answer == "There is only one choice, exact.F1: few is first."
    below = robust(gold, {"gold": gold, **systems}, ["exact.F1", "overlap.F1"])
    assert below.answer == (
        "The winner changes: gold, first by exact.F1, is first under 1 (and 1 tied) of 2 choices; "
        "short under 1 tied."
    )
    assert robust(gold, {"gold": gold, "none": systems["none"]}, ["exact.R", "token.R"]).answer == (
        "The winner stays: gold is first under all 2 choices."
    )


def test_places_below_the_first_may_change() -> None:
    gold = Corpus.of("[Ann Lee]PER visited [Rome]LOC and [Oslo]LOC")
    systems = {
        "gold": gold,
        "short": Corpus.of("[Ann]PER Lee visited [Rome and]LOC Oslo"),
        "few": Corpus.of("[Ann Lee]PER visited Rome and Oslo"),
    }
    found = robust(gold, systems, ["exact.R", "overlap.R", "overlap.F1"])
    assert found.answer == (
        "The winner stays: gold is first under all 3 choices; but 1 pair of systems changes places."
    )
    assert [("few", "short")] == [(t.ahead, t.behind) for t in found.turns if t.turned]


GOLD = "a B-A\nb I-A\nc O\n\nd O\ne B-A\nf O\n\n"
LEGAL = "a B-A\nb O\nc O\n\nd O\ne B-A\nf O\n\n"
STRAY = "a B-A\nb I-A\nc O\n\nd O\ne I-A\nf O\n\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {}
    for name, text in (("gold", GOLD), ("legal", LEGAL), ("stray", STRAY)):
        found[name] = tmp_path / f"{name}.conll"
        found[name].write_text(text * 3)
    return found


def test_files_are_read_anew_for_each_repair_policy(files: dict[str, Path]) -> None:
    systems = [files["legal"], files["stray"]]
    how = {"scheme": "iob2"}
    found = robust(files["gold"], systems, ["exact.R", "token.F1"], system_options=how)
    assert ["conlleval", "conlleval", "discard", "discard"] == [each.repair for each in found]
    for each in found:
        scores = score(
            files["gold"], systems, each.recipe, resamples=0, gold_options={"repair": each.repair},
            system_options=how | {"repair": each.repair},
        )  # fmt: skip
        assert each.scores == {n: scores[n, each.recipe].value for n in ("legal", "stray")}
    assert 2 == len(found.signatures)
    for policy, line in zip(("conlleval", "discard"), found.signatures, strict=True):
        assert f"|repair:{policy}|" in line
    assert found.turns[0].parted == found.choices[2:]
    text = str(found)
    assert "order, conlleval" in text and "order, discard" in text
    assert "stray and legal tie: 2 of 4 choices: exact.R (discard), token.F1 (discard)" in text


def test_one_policy_can_be_asked_for(files: dict[str, Path]) -> None:
    systems = [files["legal"], files["stray"]]
    found = robust(
        files["gold"], systems, "exact.R", repairs=["discard"], system_options={"scheme": "iob2"}
    )
    assert [("exact.R", "discard")] == [(each.recipe, each.repair) for each in found]


def test_where_repair_cannot_vary_it_is_said(files: dict[str, Path]) -> None:
    gold, systems = world(3)
    assert robust(gold, systems, "exact.F1").remarks == (
        "corpora are read already: the repair policy cannot vary",
    )
    same = {"a": files["legal"], "b": files["gold"]}
    assert robust(files["gold"], same, "exact.F1").remarks == (
        "no tag sequence needs repair: conlleval and discard read the same",
    )
    from carob import read

    mixed: dict[str, Corpus | Path] = {"legal": read(files["legal"]), "stray": files["stray"]}
    found = robust(files["gold"], mixed, "exact.R", system_options={"scheme": "iob2"})
    assert found.remarks == ("read already, with one repair policy: legal",)


def test_what_the_grid_cannot_count_is_left_out_and_said() -> None:
    bare = Corpus.of(Document("d", mentions=(Mention("A", 1, 3),)))
    found = robust(bare, {"a": bare, "b": bare})
    assert not any(each.recipe.startswith(("ts.", "token.")) for each in found)
    assert any(remark.startswith("token left out: ") for remark in found.remarks)
    with pytest.raises(UsageError):
        robust(bare, {"a": bare, "b": bare}, "token.F1")


def test_json_and_frames_say_the_same() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    gold, systems = world(4)
    found = robust(gold, systems, RECIPES)
    stored = json.loads(found.to_json())
    assert found.answer == stored["answer"]
    assert [each.ranks for each in found] == [each["ranks"] for each in stored["choices"]]
    size = len(RECIPES) * len(systems)
    assert (size, size) == (len(found.to_pandas()), len(found.to_polars()))


def test_many_systems_fit_the_terminal() -> None:
    gold, _ = world(5)
    systems = {f"system-{i}": corpus for i in range(30) for corpus in world(i)[1].values()}
    text = str(robust(gold, systems, ["exact.F1@micro", "exact.F1@macro", "exact.F1@macro-doc"]))
    lines = [line for line in text.splitlines() if not line.startswith("carob:")]
    assert max(map(len, lines)) <= 100
    assert " … *" in text or " …" in text


def test_a_score_that_does_not_exist_has_no_rank() -> None:
    gold, silent = Corpus.of("[Ann]PER slept"), Corpus.of("Ann slept")
    loud = Corpus.of("[Ann]LOC slept")
    found = robust(gold, {"a": loud, "b": silent}, ["exact.P@label:LOC", "exact.R"])
    assert {"a": 1, "b": None} == found.reference.ranks
    assert {"a": 1, "b": 1} == found.choices[1].ranks
    assert found.turns == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"systems": ["w"]}, "give at least two systems to rank"),
        ({"repairs": ["mend"]}, "repair is conlleval, discard or strict, not 'mend'"),
        ({"repairs": []}, "repairs is a list of policies, like ['conlleval', 'discard']"),
        (
            {"system_options": {"shceme": "io"}},
            "corpora are not read: the option 'shceme' has no use",
        ),
    ],
)
def test_wrong_calls_are_refused_in_words(call: dict[str, object], message: str) -> None:
    gold, systems = world(0)
    chosen = {name: systems[name] for name in call.pop("systems", "wx")}  # type: ignore[attr-defined]
    with pytest.raises(UsageError) as caught:
        robust(gold, chosen, **call)  # type: ignore[arg-type]
    assert message == str(caught.value)


def test_what_is_neither_corpus_nor_path_is_refused() -> None:
    gold, systems = world(0)
    with pytest.raises(UsageError, match="a corpus or a path is needed, not int"):
        robust(gold, {"a": systems["w"], "b": 3})  # type: ignore[dict-item]


def test_without_any_score_there_is_nothing_to_rank() -> None:
    empty = Corpus.of("nothing here")
    with pytest.raises(UsageError, match="there is nothing to rank"):
        robust(empty, {"a": empty, "b": empty}, "exact.F1")


NUGGETS = """#BeginOfDocument d1
s\td1\tE1\t4,8;13,16\tmade way\tMove\tActual
s\td1\tE2\t32,42\tnominating\tNominate\tOther
#EndOfDocument
"""


def test_event_nuggets_have_a_grid_of_their_own(tmp_path: Path) -> None:
    gold, type_wrong, span_wrong = (tmp_path / f"{name}.tbf" for name in ("gold", "type", "span"))
    gold.write_text(NUGGETS)
    type_wrong.write_text(NUGGETS.replace("Move", "Meet").replace("Other", "Generic"))
    span_wrong.write_text(NUGGETS.replace("4,8;13,16", "4,8"))
    found = robust(gold, [type_wrong, span_wrong])
    assert all(each.block.startswith("nugget") for each in found)
    assert {"micro", "macro-doc-pr"} == {each.average for each in found}
    assert "no format here has a repair policy" in found.remarks
    assert "type: gold has no label Meet (1 mention)" in found.remarks
    assert ("type",) == found.winner
    assert [("type", "span")] == [(turn.ahead, turn.behind) for turn in found.turns if turn.turned]

"""carob.compat.nervaluate beside nervaluate itself, on random valid and invalid inputs.

What differs on purpose is asserted at the end of this file, and listed in docs/compat.md.
"""

from __future__ import annotations

import dataclasses
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from carob.compat import nervaluate as ours
from carob.compat.nervaluate.entities import Entity
from tests.worlds import times

theirs = pytest.importorskip("nervaluate")
their_strategies = pytest.importorskip("nervaluate.strategies")
their_entities = pytest.importorskip("nervaluate.entities")

LABELS = ["A", "B", "PER-X"]
MODES = ("strict", "exact", "partial", "ent_type")


def random_tags(rng: random.Random, size: int) -> list[str]:
    """Legal tags of IOB2."""
    tags: list[str] = []
    while len(tags) < size:
        label = rng.choice(LABELS)
        length = rng.choice((1, 1, 2, 3))
        tags += ["O"] if rng.random() < 0.4 else [f"B-{label}", *[f"I-{label}"] * (length - 1)]
    return tags[:size]


def random_spans(rng: random.Random) -> list[dict[str, Any]]:
    """Mentions of any kind, in the order of their positions: some overlap, some are there twice."""
    spans = []
    for _ in range(rng.randint(0, 5)):
        start = rng.randint(0, 8)
        end = start + rng.choice((0, 0, 1, 2, 5))
        spans.append({"label": rng.choice(LABELS), "start": start, "end": end})
    return sorted(spans, key=lambda each: (each["start"], each["end"]))


def random_case(rng: random.Random) -> tuple[Any, Any, dict[str, Any]]:
    """Gold, an answer and the other arguments, for one of the loaders."""
    loader = rng.choice(["list", "conll", "dict"])
    options: dict[str, Any] = {"loader": loader, "tags": rng.choice([LABELS, LABELS[:2]])}
    if rng.random() < 0.3:
        options["min_overlap_percentage"] = rng.choice([1, 30.0, 50, 100])
    count = rng.randint(1, 3)
    if loader == "dict":
        gold, answer = ([random_spans(rng) for _ in range(count)] for _ in range(2))
        for one, other in zip(gold, answer, strict=True):
            other += [dict(each) for each in one if rng.random() < 0.4]
            other.sort(key=lambda each: (each["start"], each["end"]))
        return gold, answer, options
    sizes = [rng.randint(1, 8) for _ in range(count)]
    both = [[random_tags(rng, size) for size in sizes] for _ in range(2)]
    both[1] = [g if rng.random() < 0.3 else s for g, s in zip(*both, strict=True)]
    if loader == "list":
        return both[0], both[1], options
    texts = ["\n\n".join("\n".join(f"w\t{t}" for t in tags) for tags in side) for side in both]
    return texts[0], texts[1] + rng.choice(["", "\n", "\n\n"]), options


def plain(results: Any) -> Any:
    """Results as dicts, so that those of both tools can be compared."""
    if isinstance(results, dict):
        return {key: plain(each) for key, each in results.items()}
    return dataclasses.asdict(results) if dataclasses.is_dataclass(results) else results  # type: ignore[arg-type]


def outcome(tool: Any, gold: Any, answer: Any, **options: Any) -> tuple[str, Any]:
    try:
        return "value", plain(tool.Evaluator(gold, answer, **options).evaluate())
    except (ValueError, KeyError, TypeError, IndexError, ZeroDivisionError) as error:
        return type(error).__name__, None


def compare(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    for _ in range(cases):
        gold, answer, options = random_case(rng)
        one = theirs.Evaluator(gold, answer, **options)
        other = ours.Evaluator(gold, answer, **options)
        assert plain(one.evaluate()) == plain(other.evaluate()), (gold, answer, options)
        for side in ("true", "pred"):
            mentions = [[plain(each) for each in doc] for doc in getattr(one, side)]
            assert mentions == [[plain(each) for each in doc] for doc in getattr(other, side)]
        mode, scenario = rng.choice(["overall", "entities"]), rng.choice(MODES)
        digits = rng.randint(0, 4)
        assert one.summary_report(mode, scenario, digits) == other.summary_report(
            mode, scenario, digits
        )
        rows = [
            str(each.results_to_csv(mode, scenario)).splitlines(keepends=True)
            for each in (one, other)
        ]
        # nervaluate has labels in the order of a set.
        assert sorted(rows[0][1:]) == sorted(rows[1][1:]) and rows[0][0] == rows[1][0]


def test_results_and_reports_are_the_same_on_random_input() -> None:
    compare(19, times(2))


@pytest.mark.slow
def test_results_and_reports_are_the_same_on_ten_thousand_random_inputs() -> None:
    compare(20, 10_000)


def test_on_invalid_tags_both_have_the_same_mentions_or_fail() -> None:
    strange = ["B-A", "I-A", "I-B", "E-A", "S-A", "O", "O", "", "B", "I-", "B-", "A", "O-A", 3]
    rng = random.Random(21)
    outcomes = []
    for _ in range(500):
        size = rng.randint(1, 5)
        gold, answer = ([[rng.choice(strange[: rng.choice((3, 14))]) for _ in range(size)]]
                        for _ in range(2))  # fmt: skip
        one, other = (
            outcome(tool, gold, answer, tags=["A", "B", ""], loader="list")
            for tool in (theirs, ours)
        )
        assert one == other, (gold, answer)
        outcomes.append(one[0])
    assert {"value", "ValueError"} == set(outcomes)


def test_the_order_of_mentions_counts_as_in_nervaluate() -> None:
    rng = random.Random(22)
    for _ in range(150):
        gold, answer = ([random_spans(rng)] for _ in range(2))
        for side in (gold[0], answer[0]):
            rng.shuffle(side)
        one, other = (
            tool.Evaluator(gold, answer, tags=LABELS, loader="dict").evaluate()
            for tool in (theirs, ours)
        )
        assert plain(one) == plain(other), (gold, answer)


def test_modes_can_be_called_one_by_one() -> None:
    rng = random.Random(23)
    for _ in range(100):
        gold, answer = (random_spans(rng), random_spans(rng))
        for name in ("StrictEvaluation", "PartialEvaluation", "EntityTypeEvaluation",
                     "ExactEvaluation"):  # fmt: skip
            one = getattr(their_strategies, name)(30.0).evaluate(
                [their_entities.Entity(**each) for each in gold],
                [their_entities.Entity(**each) for each in answer], LABELS, 2,
            )  # fmt: skip
            other = getattr(ours.evaluator, name)(30.0).evaluate(
                [Entity(**each) for each in gold], [Entity(**each) for each in answer], LABELS, 2
            )
            assert list(map(plain, one)) == list(map(plain, other))


def test_functions_for_tags_are_the_same() -> None:
    rng = random.Random(24)
    for _ in range(200):
        tags = [rng.choice(["O", "B-A", "I-A", "I-B", ""]) for _ in range(rng.randint(0, 6))]
        legal = [tag for tag in tags if tag]
        assert theirs.split_list(tags) == ours.split_list(tags)
        assert theirs.split_list(tags, ["O"]) == ours.split_list(tags, ["O"])
        assert theirs.collect_named_entities(legal) == ours.collect_named_entities(legal)
        assert theirs.list_to_spans([legal, tags[:0]]) == ours.list_to_spans([legal, tags[:0]])
        text = "\n".join(f"w\t{tag}" if tag else "" for tag in tags)
        assert theirs.conll_to_spans(text) == ours.conll_to_spans(text)


@pytest.mark.parametrize(
    ("gold", "answer", "options"),
    [
        ("a\tB-A\n  \nb\tI-A\n\n\nc\tO\n \n", "a\tB-A\n  \nb\tO\n\n\nc\tB-A\n \n", {}),
        ("\n\na\tB-A", "\n\na\tO", {}),
        ("a\tB-A\textra", "a\tO\textra", {}),
        ("", "", {}),
        ("a B-A", "a O", {}),
        ([["O"]], [["O"], ["O"]], {}),
        ([["O"]], [["O", "O"]], {}),
        ([], [], {"loader": "list"}),
        ([], [], {}),
        (3, 3, {}),
        ([["O"]], [["O"]], {"loader": "tags"}),
        ([["O"]], [["O"]], {"min_overlap_percentage": 0}),
        ([["O"]], "O", {"loader": "conll"}),
        ([["O"]], [("O",)], {"loader": "list"}),
        ([[{"label": "A", "start": 0}]], [[]], {}),
        ([[{"label": 3, "start": 0, "end": 0}]], [[]], {}),
        ([[{"label": "A", "start": "0", "end": 0}]], [[]], {}),
        ([[{"label": "A", "start": -3, "end": -2}]], [[{"label": "A", "start": -3, "end": 1}]], {}),
        ([["A"]], [[]], {"loader": "dict"}),
        ([[{"label": "A", "start": 0, "end": 0}]], [[], []], {}),
    ],
)
def test_borderline_input_has_the_same_result_or_error(
    gold: Any, answer: Any, options: dict[str, Any]
) -> None:
    one, other = (outcome(tool, gold, answer, tags=["A"], **options) for tool in (theirs, ours))
    assert one == other


def test_a_script_for_nervaluate_runs_with_another_import(tmp_path: Path) -> None:
    script = """
from nervaluate import Evaluator
true = [["O", "B-PER", "I-PER", "O"], ["B-LOC", "O"]]
pred = [["O", "B-PER", "O", "O"], ["B-LOC", "O"]]
evaluator = Evaluator(true, pred, tags=["PER", "LOC"], loader="list")
results = evaluator.evaluate()
print(results["overall"]["partial"], results["entities"]["PER"]["ent_type"].precision)
print(evaluator.summary_report(), evaluator.summary_report(mode="entities", scenario="exact"))
print(evaluator.summary_report_indices(), evaluator.summary_report_indices(colors=True))
print(evaluator.results_to_csv())
"""
    printed = [
        subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=True
        ).stdout
        for text in (script, script.replace("from nervaluate", "from carob.compat.nervaluate"))
    ]
    assert printed[0] == printed[1]
    assert "Scenario: all" in printed[0]
    evaluator = ours.Evaluator([["B-A"]], [["B-A"]], ["A"], "list")
    assert evaluator.results_to_csv(file_path=str(tmp_path / "a.csv")) is None
    written = (tmp_path / "a.csv").read_bytes().decode()
    assert evaluator.results_to_csv() == written


def test_the_list_of_mentions_names_those_that_were_missed() -> None:
    gold, answer = [["B-B", "O", "B-A"]], [["B-B", "O", "O"]]
    with pytest.raises(IndexError):  # the second mention of gold is looked up among the answers
        theirs.Evaluator(gold, answer, tags=["A", "B"], loader="list").summary_report_indices()
    evaluator = ours.Evaluator(gold, answer, tags=["A", "B"], loader="list")
    lines = evaluator.summary_report_indices().splitlines()
    assert "Missed               0          1        Label=A, Start=2, End=2" in lines
    of_a = evaluator.summary_report_indices(mode="entities").split("Entity Type: ")[1]
    assert "Missed               0          0        Label=A, Start=2, End=2" in of_a


def test_what_nervaluate_cannot_do_is_done_or_refused_in_words() -> None:
    backwards = [[{"label": "A", "start": 3, "end": 2}]]
    around = [[{"label": "A", "start": 0, "end": 9}]]
    with pytest.raises(ZeroDivisionError):
        theirs.Evaluator(backwards, around, tags=["A"], loader="dict").evaluate()
    with pytest.raises(ValueError, match="document 0: found a mention from 3 to 2, expected an"):
        ours.Evaluator(backwards, around, tags=["A"], loader="dict")
    first_empty: Any = [[], [{"label": "A", "start": 0, "end": 0}]]
    with pytest.raises(IndexError):
        theirs.Evaluator(first_empty, first_empty, tags=["A"])
    results = ours.Evaluator(first_empty, first_empty, tags=["A"]).evaluate()
    assert 1 == results["overall"]["strict"].correct
    results = ours.Evaluator([[], []], first_empty, tags=["A"]).evaluate()
    assert 1 == results["overall"]["strict"].spurious
    with pytest.raises(ValueError, match="Invalid scenario: must be one of"):
        ours.Evaluator([["O"]], [["O"]], ["A"], "list").summary_report_indices(scenario="loose")
    with pytest.raises(ValueError, match="Invalid mode: must be one of"):
        ours.Evaluator([["O"]], [["O"]], ["A"], "list").summary_report(mode="all")


def test_too_many_overlaps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carob.compat.nervaluate.strategies.MOST_PAIRS", 3)
    spans = [[{"label": "A", "start": 0, "end": 1}] * 2]
    with pytest.raises(ValueError, match="more than 3 pairs of mentions overlap"):
        ours.Evaluator(spans, spans, tags=["A"], loader="dict").evaluate()


def test_lists_of_mentions_are_made_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: Any) -> list[Any]:
        raise AssertionError("no list was read")

    for name in ("indices", "indices_of_label"):
        monkeypatch.setattr(f"carob.compat.nervaluate.strategies.{name}", made)
    tags = [["B-A", "O"]]
    results = ours.Evaluator(tags, tags, tags=["A"], loader="list").evaluate()
    assert 1.0 == results["overall"]["strict"].f1
    for lists in (results["overall_indices"], results["entity_indices"]["A"]):
        with pytest.raises(AssertionError, match="no list was read"):
            _ = lists["strict"].correct_indices


@pytest.mark.parametrize("tag", [None, 3, ["B-A"], {}])
def test_a_tag_that_is_no_text_is_named(tag: Any) -> None:
    with pytest.raises(ValueError, match=r"Invalid tag type: .*, document 1, tag 0"):
        ours.Evaluator([["O"], [tag]], [["O"], ["O"]], tags=["A"], loader="list")

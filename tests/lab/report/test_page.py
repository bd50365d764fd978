"""The page of an experiment: its numbers are those of the result, and it holds any text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from carob import UsageError
from carob_lab.report.experiment import (
    Comparison,
    CurvePoint,
    Estimate,
    Experiment,
    Failure,
    LearnerResult,
)
from carob_lab.report.page.active import verdict
from carob_lab.report.page.learners import best_by, first_by
from tests.pages import HOSTILE, Page, number

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

SPACES = ("oas", "oaod", "oads")
RECIPES = [f"{space}.{measure}" for space in SPACES for measure in ("P", "R", "F1")]
SPLITS = ("repeat-01", "repeat-02", "repeat-03")


def estimate(mean: float) -> Estimate:
    splits = {split: mean + 0.01 * i for i, split in enumerate(SPLITS, -1)}
    return Estimate(mean, 0.01, mean + 0.002, mean - 0.03, mean + 0.03, mean - 0.02, mean + 0.04,
                    splits)  # fmt: skip


def learner(text: str, level: float, slots: tuple[str, ...], **marks: Any) -> LearnerResult:
    scores = {recipe: estimate(level + i / 1000) for i, recipe in enumerate(RECIPES)}
    by_label = {
        recipe: {slot: estimate(level / 2 + (i + j) / 1000) for j, slot in enumerate(slots)}
        for i, recipe in enumerate(RECIPES)
    }
    return LearnerResult(text, scores, by_label, 3, 3, seeds=(0,), **marks)


def comparison(
    a: str, b: str, recipe: str, difference: float, p: float, label: str | None = None
) -> Comparison:
    ends = difference - 0.02, difference + 0.02
    return Comparison(a, b, recipe, label, difference, *ends, p / 2, p, p / 3, 40, False, 3)


def curve(name: str, strategy: str, level: float, sizes: tuple[Any, ...]) -> list[CurvePoint]:
    points = []
    for place, size in enumerate(sizes):
        documents = 121 if size == "all" else size
        for recipe in RECIPES:
            own = estimate(level + place / 20)
            points.append(CurvePoint(name, strategy, size, documents, recipe, own.mean, own.sd,
                                     own.low, own.high, own.splits))  # fmt: skip
    return points


def experiment(
    names: tuple[str, str, str] = ("rote", "crf", "mine"),
    slots: tuple[str, ...] = ("speaker", "stime"),
    external: str = "names of the census",
) -> Experiment:
    """Three learners: the second is the best; between the others no difference is shown."""
    first, second, third = names
    pairs = ((first, second, 0.2, 0.01), (first, third, 0.1, 0.3), (second, third, -0.1, 0.02))
    return Experiment(
        "1.2.3",
        {"path": "data/seminars", "sha256": "0" * 64, "documents": 242, "mentions": 900},
        {
            first: learner("rote(precision=0.5)", 0.5, slots),
            second: learner("crf(c1=0.1)", 0.7, slots, external=(external,)),
            third: learner("command", 0.6, slots, own_features=True),
        },
        tuple(
            comparison(a, b, f"{space}.F1", difference, p, label)
            for a, b, difference, p in pairs for space in SPACES for label in (None, *slots)
        ),
        tuple(p for i, name in enumerate(names) for p in curve(name, "", i / 10, (10, 50, "all"))),
        tuple({"learner": name, "recipe": recipe, "area": 0.5}
              for name in names for recipe in RECIPES),
        ({"learner": second, "overtakes": first, "recipe": "oaod.F1", "size": 50},),
        tuple(p for i, strategy in enumerate(("random", "diverse"))
              for p in curve(second, strategy, i / 50, (10, 30))),
        tuple(comparison(f"{second} random", f"{second} diverse", f"{space}.F1", 0.01, 0.4)
              for space in SPACES),
        {name: {"train_wall": 1.5, "train_cpu": 1.25, "predict_wall": 0.5, "predict_cpu": 0.25,
                "documents_per_second": 240.0, "peak_mib": 64.0, "versions": {"numpy": "2.0"}}
         for name in names}
        | {"machine": {"system": "Linux", "processor": "x", "cores": 2, "python": "3.12"}},
        {"looked_for": True, "t": 0.5, "kept_together": False, "groups": 2, "documents": 5,
         "test_documents_with_a_twin_in_training": dict(zip(SPLITS, (1, 0, 2), strict=True))},
        {"partition": "repeated(n=3,train=0.5), seed 1", "tokenizer": "words"},
        (Failure("repeat-02_mine_all_seed-0", "Traceback\n  line 1\nMemoryError: no room"),),
        ("intervals say something",),
        "carob run seminars.toml -o DIR",
    )  # fmt: skip


@pytest.fixture(scope="module")
def result() -> Experiment:
    return experiment()


@pytest.fixture(scope="module")
def text(result: Experiment) -> str:
    return str(result.to("html"))


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_scores_are_those_of_the_result(result: Experiment, page: Page) -> None:
    names = ("mean", "low", "high", "sd", "pooled")
    found = {
        (each["learner"], each["recipe"], each.get("label", "")): [number(each[n]) for n in names]
        for each in page.cells("learner", "pooled")
    }
    assert found == {
        (row["learner"], row["recipe"], row["label"]): [row[name] for name in names]
        for row in result.rows() if row["table"] == "scores"
    }  # fmt: skip


def test_points_of_curves_are_those_of_the_result(result: Experiment, page: Page) -> None:
    found = {
        (each["learner"], each["strategy"], each["size"], each["recipe"]): number(each["mean"])
        for each in page.cells("size", "mean")
    }
    assert found == {
        (row["learner"], row["strategy"], row["size"], row["recipe"]): row["mean"]
        for row in result.rows() if row["table"] != "scores" and row["recipe"].endswith("F1")
    }  # fmt: skip
    assert len(page.cells("area")) == 9


def test_differences_are_those_of_the_result_with_a_verdict_in_words(
    result: Experiment, page: Page
) -> None:
    names = ("value", "low", "high", "p", "p-holm", "p-t")
    found = {
        (each["a"], each["b"], each["recipe"], each.get("label")): [number(each[n]) for n in names]
        for each in page.cells("p-t")
    }
    assert found == {
        (each.a, each.b, each.recipe, each.label):
        [each.difference, each.low, each.high, each.p, each.p_holm, each.p_corrected_t]
        for each in (*result.comparisons, *result.active_comparisons)
    }  # fmt: skip
    words = " ".join(page.text.split())
    assert words.count("crf is better") == 2 * 3 * 3
    assert words.count("no difference shown") == 3 * 3 + 3
    assert "The best by oas.F1, oaod.F1, oads.F1 is crf, significantly better than all" in words


def test_who_is_best_needs_all_comparisons(result: Experiment) -> None:
    assert best_by(result, "oaod.F1", "better") == "crf"
    beaten = [each for each in result.comparisons if {each.a, each.b} != {"crf", "mine"}]
    unsure = replace(result, comparisons=tuple(beaten))
    assert best_by(unsure, "oaod.F1", "better") is None
    assert first_by(unsure, "oaod.F1") == "crf"
    assert "crf, not shown to be better than all others" in Page(unsure.to("html")).text
    failed = dict(result.learners) | {"bad": LearnerResult("rote", {}, {}, 0, 3)}
    assert best_by(replace(result, learners=failed), "oaod.F1", "better") == "crf"
    lower = replace(
        result, comparisons=tuple(replace(each, lower_is_better=True) for each in beaten)
    )
    assert first_by(lower, "oaod.F1") == "rote"


@pytest.mark.parametrize("p", [0.051, None])
def test_a_learner_is_better_only_if_both_tests_reject(result: Experiment, p: float | None) -> None:
    splits = 3 if p else 1
    result = replace(result, comparisons=tuple(
        replace(each, p_corrected_t=p, splits=splits) for each in result.comparisons
    ))  # fmt: skip
    one = result.comparisons[0]
    assert (one.better, one.better_models) == (None, "crf")
    assert (one.to_dict()["better"], one.to_dict()["better_models"]) == (None, "crf")
    assert best_by(result, "oaod.F1", "better") is None
    words = " ".join(Page(result.to("html")).text.split())
    terminal = " ".join(result.to("terminal").split())
    for text in (words, terminal):
        assert "crf is better" not in text
        assert "crf: better models" in text
        assert "holds for these trained models, and could come from the training sets" in text
        assert ("there is only one split, so only the trained models" in text.lower()) == (not p)
    assert "crf, whose trained models are better than those of all others; this could" in words


def test_strategies_are_judged_in_words() -> None:
    def some(*each: tuple[float, float]) -> list[Comparison]:
        return [comparison("l random", "l s", f"{space}.F1", difference, p)
                for space, (difference, p) in zip(SPACES, each, strict=False)]  # fmt: skip

    assert verdict("s", some((0.1, 0.3), (0.1, 0.06), (-0.1, 1.0))) == (
        "No difference is shown between s and random (the least corrected p is .060)."
    )
    assert verdict("s", some((0.1, 0.01), (0.1, 0.06), (-0.1, 0.01))) == (
        "s is better than random by oas.F1. s is worse than random by oads.F1. "
        "No difference by oaod.F1."
    )
    assert "could not be compared" in verdict("s", [])
    three = some((0.1, 0.01), (-0.1, 0.01), (0.1, 0.01))
    over_splits = (0.2, None, 0.05)
    unsure = [replace(each, p_corrected_t=p) for each, p in zip(three, over_splits, strict=True)]
    chance = "which could come from the training sets or seeds,"
    assert verdict("s", unsure) == (
        f"With s the trained models are better than with random, {chance} by oas.F1. "
        f"With s the trained models are worse than with random, {chance} by oaod.F1. "
        "s is better than random by oads.F1."
    )


def test_the_page_has_all_that_a_reader_needs_to_judge_it(page: Page) -> None:
    words = " ".join(page.text.split())
    for text in (
        "crf(c1=0.1)", "with names of the census", "own features", "MemoryError: no room",
        "5 documents in 2 groups are near-duplicates (t = 0.5). They were not kept together.",
        "From 50 documents on, the mean of crf is above that of rote (oaod.F1).",
        "Linux, x, 2 cores, Python 3.12",
        "No difference is shown between diverse and random", "carob run seminars.toml -o DIR",
        "carob verify DIR/manifest.json", "intervals say something",
    ):  # fmt: skip
        assert text in words, text
    assert {each["explicit"] for each in page.cells("explicit")} == {"partition", "tokenizer"}
    assert [each["twins"] for each in page.cells("twins")] == ["1", "0", "2"]
    costs = {(each["learner"], each["cost"]): each["value"] for each in page.cells("cost")}
    assert costs["rote", "train_cpu"] == "1.25"
    assert len(costs) == 3 * 6


def test_the_page_loads_nothing_and_runs_nothing(page: Page) -> None:
    for tag, attributes in page.elements:
        assert tag not in ("script", "link", "iframe", "img", "object", "base"), tag
        assert "src" not in attributes
        assert attributes.get("href", "#")[0] == "#"
    (policy,) = (a["content"] for _, a in page.elements if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; style-src")
    places = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(places) == len(set(places))
    links = {a["href"][1:] for tag, a in page.elements if tag == "a" and "href" in a}
    assert links <= set(places)


def test_equal_results_are_equal_pages_and_costs_are_in_one_place(
    result: Experiment, text: str
) -> None:
    assert experiment().to("html") == text
    other = replace(result, cost={"rote": {"train_wall": 9.0}}).to("html")
    assert other != text
    one, two = (re.sub(r'<section id="cost".*?</section>', "", each, flags=re.S)
                for each in (text, other))  # fmt: skip
    assert one == two


@pytest.mark.parametrize("shift", range(0, len(HOSTILE), 3))
def test_hostile_names_are_text(shift: int) -> None:
    some = (HOSTILE * 2)[shift : shift + 5]
    made = experiment(tuple(some[:3]), tuple(some[1:4]), some[4])  # type: ignore[arg-type]
    hostile = replace(
        made, failures=(Failure(some[0], "\n".join(some)),), remarks=tuple(some), command=some[1],
        explicit={some[2]: some[3]}, corpus={"path": some[4]},
        leakage=dict(made.leakage)
        | {"test_documents_with_a_twin_in_training": {some[0]: 1, "\udc80\x00": 2}},
    )  # fmt: skip
    text = hostile.to("html")
    page = Page(text)
    assert text.encode("utf-8").decode("utf-8") == text
    assert "\x00" not in text and "\u202e" not in text and "\x1b" not in text
    assert not {"script", "img", "b"} & {tag for tag, _ in page.elements}
    assert len(text) < 6_000_000


def test_little_is_a_page_too(result: Experiment) -> None:
    places = {a.get("id") for _, a in Page(replace(
        result, comparisons=(), curve=(), active=(), active_comparisons=(), cost={}, leakage={},
        failures=(), explicit={}, overtaking=(), areas=(), command="",
    ).to("html")).elements}  # fmt: skip
    assert {"learners", "conditions"} <= places
    assert not {"differences", "curves", "active", "cost", "failures"} & places
    nothing = {name: LearnerResult("rote", {}, {}, 0, 3) for name in ("a", "b")}
    failed = Experiment("", {}, nothing, failures=(Failure("a", ""),))
    assert "0 of 3 cells" in " ".join(Page(failed.to("html")).text.split())
    gaps = tuple(replace(each, mean=None, low=None, high=None, sd=None, splits={})
                 for each in result.curve)  # fmt: skip
    assert "–" in Page(replace(result, curve=gaps).to("html")).text


def test_tables_without_a_page_need_no_libraries(
    result: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    assert "<html" not in result._repr_html_()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.delitem(sys.modules, "carob.report.html.page", raising=False)
    monkeypatch.delitem(sys.modules, "carob_lab.report.page", raising=False)
    with pytest.raises(UsageError, match=r"jinja2 is not installed; .*\[report\]"):
        result.to("html")


@pytest.mark.slow
def test_in_a_browser_nothing_is_wider_than_a_phone_and_nothing_runs(
    tmp_path: Path, browser: Any
) -> None:
    hostile = experiment(tuple(HOSTILE[:3]), tuple(HOSTILE[3:6]), HOSTILE[5])  # type: ignore[arg-type]
    context = browser.new_context(viewport={"width": 360, "height": 640})
    problems: list[str] = []
    try:
        for place, made in enumerate((experiment(), hostile)):
            file = tmp_path / f"{place}.html"
            file.write_text(made.to("html"), encoding="utf-8")
            page = context.new_page()
            for event in ("console", "pageerror", "dialog"):
                page.on(event, lambda found: problems.append(str(found)))
            page.goto(file.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") == 360
            assert not problems
            assert page.locator("svg[role=img]").count() == 3
    finally:
        context.close()

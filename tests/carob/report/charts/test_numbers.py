"""What a chart shows is what the JSON of the same result has: read back from the figure."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from carob import Corpus, UsageError, compare, errors, rank, read, robust, score
from carob.evaluate import demo
from carob.evaluate.plot import results_for
from carob.report.charts import figure, kinds
from carob.result.errors import Errors


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Corpus]]:
    """The built-in examples: mentions, and slots."""
    every = {}
    for kind in ("mentions", "seminars"):
        folder = tmp_path_factory.mktemp(kind)
        paths = demo.write(folder, kind, documents=None if kind == "mentions" else 15)
        every[kind] = {path.stem: read(path) for path in paths if path.suffix != ".md"}
    return every


def split(corpora: dict[str, Corpus]) -> tuple[Corpus, dict[str, Corpus]]:
    systems = {name: corpus for name, corpus in corpora.items() if name != "gold"}
    return corpora["gold"], systems


def panels(chart: Any) -> dict[str, Any]:
    return {axes.get_title(loc="left").removesuffix(" ↓"): axes for axes in chart.axes}


def axes_of(chart: Any) -> list[Any]:
    return list(chart.axes)


def names(axes: Any) -> list[str]:
    return [tick.get_text() for tick in axes.get_yticklabels()]


def dots(axes: Any) -> dict[int, float]:
    [line] = [line for line in axes.lines if line.get_gid() == "scores"]
    return dict(zip(line.get_ydata(), line.get_xdata(), strict=True))


def segments(axes: Any) -> dict[int, tuple[float, float]]:
    [every] = [each for each in axes.collections if each.get_gid() == "intervals"]
    return {int(one[0, 1]): (one[0, 0], one[1, 0]) for one in every.get_segments()}


@pytest.mark.parametrize(
    ("kind", "recipes"),
    [("mentions", ["exact.PRF", "slots.SER"]), ("seminars", ["oas.PRF", "oads.F1"])],
)
def test_intervals_have_the_scores_of_the_json(
    files: dict[str, dict[str, Corpus]], kind: str, recipes: list[str]
) -> None:
    gold, systems = split(files[kind])
    scores = score(gold, systems, recipes)
    shown = panels(scores.plot())
    order = names(next(iter(shown.values())))
    for system in scores.to_dict()["systems"]:
        row = order.index(system["name"])
        for each in system["scores"]:
            if each["recipe"].endswith((".P", ".R")):
                assert each["recipe"] not in shown
                continue
            axes = shown[each["recipe"]]
            assert each["value"] == dots(axes)[row]
            assert (each["low"], each["high"]) == segments(axes)[row]
    first = dots(next(iter(shown.values())))
    assert sorted(first.values(), reverse=True) == [first[i] for i in range(len(order))]


def test_of_one_system_the_rows_are_recipes_or_labels(
    files: dict[str, dict[str, Corpus]],
) -> None:
    gold, systems = split(files["mentions"])
    scores = score(gold, {"hasty": systems["hasty"]}, ["exact.PRF", "slots.SER"], resamples=0)
    [axes] = axes_of(scores.plot())
    assert ("hasty", ["exact.F1", "slots.SER ↓"]) == (axes.get_title(loc="left"), names(axes))
    assert [scores["exact.F1"].value, scores["slots.SER"].value] == [*dots(axes).values()]
    [axes] = axes_of(scores.plot("labels"))
    rows = scores["exact.F1"].by_label
    assert list(rows) == names(axes)
    assert [row.value for row in rows.values()] == [*dots(axes).values()]
    assert [f"{row.value:.3f}  n={row.support:.0f}" for row in rows.values()] == [
        text.get_text() for text in axes.texts
    ]


def test_the_system_with_the_lowest_error_comes_first(
    files: dict[str, dict[str, Corpus]],
) -> None:
    gold, systems = split(files["mentions"])
    [axes] = axes_of(score(gold, systems, "slots.SER", resamples=0).plot())
    values = dots(axes)
    assert sorted(values.values()) == [values[i] for i in range(3)]


@pytest.mark.parametrize(("kind", "recipe"), [("mentions", "exact.F1"), ("seminars", "oads.F1")])
def test_labels_have_the_rows_of_the_json(
    files: dict[str, dict[str, Corpus]], kind: str, recipe: str
) -> None:
    gold, systems = split(files[kind])
    scores = score(gold, systems, recipe)
    shown = panels(scores.plot("labels", width=9))
    supports: dict[str, set[float]] = {}
    noted: dict[str, set[float]] = {}
    begin = "seminar." if kind == "seminars" else ""
    order = names(next(iter(shown.values())))
    for system in scores.to_dict()["systems"]:
        row = order.index(system["name"])
        [own] = system["scores"]
        assert {label.removeprefix(begin) for label in own["by_label"]} == set(shown)
        for label, value in own["by_label"].items():
            axes = shown[label.removeprefix(begin)]
            assert value["value"] == dots(axes).get(row)
            [note] = [t.get_text() for t in axes.texts if t.get_text().startswith("n=")]
            ends = [float(end) for end in note.removeprefix("n=").split("–")]
            assert ends[0] <= value["support"] <= ends[-1]
            supports.setdefault(label, set()).add(value["support"])
            noted[label] = set(ends)
    assert noted == {label: {min(few), max(few)} for label, few in supports.items()}


@pytest.mark.parametrize("kind", ["mentions", "seminars"])
def test_errors_confusion_and_gains_are_those_of_the_json(
    files: dict[str, dict[str, Corpus]], kind: str
) -> None:
    gold, systems = split(files[kind])
    results = [errors(gold, corpus, names=[name]) for name, corpus in systems.items()]
    [axes] = axes_of(figure(results, "errors"))
    order = names(axes)
    widths = {
        (order[round(bar.get_y() + bar.get_height() / 2)], bars.get_label()): bar.get_width()
        for bars in axes.containers for bar in bars
    }  # fmt: skip
    for each in results:
        counts = each.to_dict()["counts"]
        assert {k: counts[k] for k in each.kinds} == {
            k: widths.get((each.name, k), 0) for k in each.kinds
        }
        by_recipe = panels(each.plot("gains", width="page"))
        types = [name.split(" ")[0] for name in names(next(iter(by_recipe.values())))]
        expected = each.to_dict()["gains"]
        assert each.recipes == list(by_recipe)
        for recipe, gains in by_recipe.items():
            bars = [bar.get_width() for bar in gains.containers[0]]
            assert [expected[kind][recipe] for kind in types] == bars
        check_confusion(each)


def check_confusion(result: Errors) -> None:
    [axes] = axes_of(result.plot("confusion", width="page"))
    every = result.confusion.names
    cells = {
        (every[int(text.get_position()[1])], every[int(text.get_position()[0])]): text.get_text()
        for text in axes.texts
    }
    expected = {}
    for label, row in result.to_dict()["confusion"].items():
        for other, count in row.items():
            expected[label, other] = f"{count:,}\n{count / sum(row.values()):.0%}"
    assert expected == cells


def test_of_many_labels_the_largest_have_a_row_and_no_error_is_lost() -> None:
    gold, system = (
        Corpus.from_tags([[f"B-L{i}"] for i in range(100)]),
        Corpus.from_tags([[f"B-L{(i + i % 3) % 100}"] for i in range(100)]),
    )
    result = errors(gold, system, recipes=["exact.F1"])
    [axes] = axes_of(result.plot("confusion"))
    counts = [int(text.get_text().split("\n")[0].replace(",", "")) for text in axes.texts]
    assert sum(result.confusion.counts) == sum(counts)
    assert len(names(axes)) < 12
    others = [name for name in names(axes) if "others" in name]
    assert [f"({100 - (len(names(axes)) - 2)} others)"] == others


def test_ranks_are_those_of_the_json(files: dict[str, dict[str, Corpus]]) -> None:
    gold, systems = split(files["mentions"])
    result = robust(gold, systems)
    [axes] = axes_of(result.plot())
    lines = {line.get_label(): line.get_xdata() for line in axes.lines}
    for i, choice in enumerate(result.to_dict()["choices"]):
        places = {name: lines[name][i] for name in systems}
        for tied in choice["order"]:
            rank = choice["ranks"][tied[0]]
            assert list(range(rank, rank + len(tied))) == sorted(places[name] for name in tied)
    assert len(names(axes)) == len(result.choices)


def test_policies_that_rank_alike_share_a_row_and_others_do_not() -> None:
    from carob.result.robustness import Choice, Robustness
    from carob.result.scores import File

    def choice(recipe: str, repair: str, a: float) -> Choice:
        return Choice(recipe, recipe, "micro", repair, {"a": a, "b": 0.5})

    file = File("gold", "", "", 1, 1)
    choices = (choice("x.F1", "conlleval", 0.6), choice("y.F1", "conlleval", 0.6),
               choice("x.F1", "discard", 0.7), choice("y.F1", "discard", 0.4))  # fmt: skip
    [axes] = axes_of(Robustness("", file, (file, file), choices, ("",)).plot())
    assert ["x.F1", "y.F1, conlleval", "discard"] == names(axes)
    lines = {line.get_label(): line.get_xdata().tolist() for line in axes.lines}
    assert {"a": [1, 1, 2], "b": [2, 2, 1]} == lines


@pytest.mark.parametrize(
    ("kind", "recipe"),
    [("mentions", "exact.F1"), ("mentions", "slots.SER"), ("seminars", "oaod.F1")],
)
def test_the_mean_of_the_dots_is_macro_doc(
    files: dict[str, dict[str, Corpus]], kind: str, recipe: str
) -> None:
    gold, systems = split(files[kind])
    two = dict(list(systems.items())[:2])
    scores = score(gold, two, [recipe, f"{recipe}@macro-doc"], by_document=True, resamples=0)
    chart: Any = scores.plot("documents", recipe=recipe)
    [dots] = chart.axes[0].collections
    both = [np.asarray(scores[name, recipe].by_document) for name in two]
    assert len(scores.documents) == len(gold) == len(both[0])
    for i, (name, values) in enumerate(zip(two, both, strict=True)):
        assert scores[name, f"{recipe}@macro-doc"].value == pytest.approx(np.nanmean(values))
        assert set(values[~np.isnan(np.array(both)).any(axis=0)]) == set(dots.get_offsets()[:, i])


def test_the_scores_of_documents_of_one_label_are_of_this_label() -> None:
    gold = Corpus.of("[Ann]PER in [Rome]LOC", "[Bo]PER in [Oslo]LOC")
    system = Corpus.of("[Ann]PER in Rome", "Bo in [Oslo]LOC")
    scores = score(gold, system, ["exact.R@label:PER", "exact.R"], by_document=True)
    assert [1.0, 0.0] == np.asarray(scores["exact.R@label:PER"].by_document).tolist()
    assert [0.5, 0.5] == np.asarray(scores["exact.R"].by_document).tolist()


def test_many_documents_become_few_dots() -> None:
    values = np.random.default_rng(0).random((2, 3000))
    gold = Corpus.of("[Ann]PER")
    scores = score(gold, {"a": gold, "b": gold}, "exact.F1", resamples=0)

    def of_documents(size: int) -> Any:
        each = (replace(s, by_document=row[:size]) for s, row in zip(scores, values, strict=True))
        names = tuple(map(str, range(size)))
        return figure(replace(scores, scores=tuple(each), documents=names), "documents")

    [dots] = of_documents(3000).axes[0].collections
    assert len(dots.get_offsets()) <= 1600
    chart = of_documents(50)
    assert sorted(values.T[:50].tolist()) == chart.axes[0].collections[0].get_offsets().tolist()


@cache
def comparison() -> Any:
    gold = Corpus.of(*["[Ann]PER slept", "[Bo]PER woke"] * 4)
    other = Corpus.of(*["Ann slept", "[Bo]PER woke"] * 4)
    return gold, {"a": other, "b": gold}


def test_comparisons_and_rankings_show_the_ranks_too() -> None:
    gold, systems = comparison()
    result: Any
    for result in (compare(gold, systems, "exact.F1"), rank(gold, systems)):
        [axes] = axes_of(result.plot())
        assert ["b", "a"] == names(axes)
        ranks = getattr(result, "comparison", result).ranks
        texts = {each.system: f"{each.value:.3f}  #{each.rank_low}" for each in ranks}
        shown = [text.get_text() for text in axes.texts]
        assert all(any(text in line for line in shown) for text in texts.values())


OTHERS = ("curves", "acceptance", "reliability")


@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind not in OTHERS])
def test_every_kind_is_drawn_from_its_result(kind: str) -> None:
    gold, systems = comparison()
    chosen = {"a": systems["a"]} if kind == "confusion" else systems
    assert figure(results_for(kind, gold, chosen), kind).axes


def test_a_chart_of_another_result_is_refused() -> None:
    gold, systems = comparison()
    scores = score(gold, systems, "exact.F1")
    with pytest.raises(UsageError) as error:
        scores.plot("gains")
    assert str(error.value) == (
        "gains is a chart of Errors, not of Scores; charts of Scores: documents, intervals, labels"
    )
    with pytest.raises(UsageError, match="no chart is called 'bars'"):
        scores.plot("bars")
    with pytest.raises(UsageError, match="by_document=True"):
        scores.plot("documents")


def test_percent_multiplies_every_number_by_a_hundred(
    files: dict[str, dict[str, Corpus]],
) -> None:
    gold, systems = split(files["mentions"])
    two = dict(list(systems.items())[:2])
    scores = score(gold, two, ["exact.F1", "exact.tp"], by_document=True, resamples=100)
    for kind in ("intervals", "labels"):
        plain, points = (scores.plot(kind, percent=percent) for percent in (False, True))
        for one, other in zip(axes_of(plain), axes_of(points), strict=True):
            times = 1 if "tp" in one.get_title(loc="left") else 100
            for read_back in (dots, segments):
                before, after = (read_back(axes) for axes in (one, other))
                assert before.keys() == after.keys()
                expected = [times * np.array(before[i]) for i in before]
                assert np.allclose(expected, [after[i] for i in before])
    chart: Any = scores.plot("documents", percent=True)
    assert 50 < chart.axes[0].collections[0].get_offsets().max() <= 100
    result = errors(gold, two["hasty"] if "hasty" in two else two["careful"])
    chart = result.plot("gains", percent=True, width="page")
    shown = [text.get_text() for text in chart.axes[0].texts]
    gains = [row["exact.F1"] for kind, row in result.gains.items() if result.counts[kind]]
    largest = max(gain for gain in gains if gain is not None)
    assert (
        f"+{100 * largest:.1f}" in shown
        and f"now {100 * (result.scores['exact.F1'] or 0):.1f}" in shown
    )

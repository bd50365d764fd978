"""Curves of an experiment, read back from the figure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from carob import UsageError
from carob.cli import main
from carob.report.charts import svg
from carob_lab.report.experiment import CurvePoint, Experiment, LearnerResult

SIZES = (10, 20, 100)


def points(name: str, strategy: str = "", splits: int = 3, level: float = 0.0) -> list[CurvePoint]:
    return [
        CurvePoint(name, strategy, size, size, recipe, level + size / 200, 0.1,
                   level + size / 200 - 0.1, level + size / 200 + 0.1,
                   {f"s{i}": level + size / 200 + i / 50 for i in range(splits)})
        for size in SIZES for recipe in ("oas.P", "oas.F1", "oaod.F1")
    ]  # fmt: skip


def experiment(*names: str, splits: int = 3) -> Experiment:
    learners = {name: LearnerResult("rote", {}, {}, 1, 1) for name in names}
    curve = tuple(p for i, name in enumerate(names) for p in points(name, "", splits, i / 10))
    active = tuple(p for s in ("random", "diverse") for p in points(names[0], s, splits))
    return Experiment("", {}, learners, curve=curve, active=active)


def panels(chart: Any) -> dict[str, Any]:
    return {axes.get_title(loc="left"): axes for axes in chart.axes}


def notes(chart: Any) -> str:
    return " ".join(text.get_text() for text in chart.texts)


def of_kind(axes: Any, gid: str) -> list[Any]:
    return [each for each in axes.collections if each.get_gid() == gid]


def test_lines_bands_and_thin_lines_are_those_of_the_result() -> None:
    result = experiment("rote", "crf")
    chart = result.plot(width="page")
    assert list(panels(chart)) == ["oas.F1", "oaod.F1"]
    axes = panels(chart)["oaod.F1"]
    assert axes.get_xscale() == "log"
    own = [each for each in result.curve if each.recipe == "oaod.F1"]
    for place, name in enumerate(("rote", "crf")):
        mine = [each for each in own if each.learner == name]
        assert axes.lines[place].get_label() == name
        assert axes.lines[place].get_xdata().tolist() == list(SIZES)
        assert axes.lines[place].get_ydata().tolist() == [each.mean for each in mine]
        thin = [segment[:, 1].tolist() for segment in of_kind(axes, "splits")[place].get_segments()]
        assert thin == [[each.splits[f"s{i}"] for each in mine] for i in range(3)]
        [path] = of_kind(axes, "intervals")[place].get_paths()
        ends = {(x, y) for x, y in path.vertices.tolist()}
        assert {(each.documents, end) for each in mine for end in (each.low, each.high)} <= ends
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["100", "10", "20"]
    low, high = axes.get_ylim()
    assert low < min(each.low or 0 for each in own)
    assert max(each.high or 0 for each in own) < high


def test_strategies_of_a_learner_and_one_recipe() -> None:
    result = experiment("rote", "crf")
    chart: Any = result.plot(active="rote", recipes=["oas.P"], percent=True)
    [axes] = chart.axes
    assert [line.get_label() for line in axes.lines] == ["random", "diverse"]
    assert axes.lines[0].get_ydata().tolist() == [5.0, 10.0, 50.0]
    with pytest.raises(UsageError, match="no learner of active learning is called 'crf'"):
        result.plot(active="crf")
    with pytest.raises(UsageError, match=r"no curve here has the recipe 'oas\.F2'"):
        result.plot(recipes=["oas.F2"])


def test_without_curves_the_message_says_what_there_is() -> None:
    result = experiment("rote")
    with pytest.raises(UsageError, match='active="rote" shows active learning'):
        replace(result, curve=()).plot()
    with pytest.raises(UsageError, match=r'plot\("intervals"\) shows its scores'):
        replace(result, curve=(), active=()).plot()


def test_what_has_no_value_is_a_gap() -> None:
    result = experiment("rote")
    own = tuple(
        replace(each, mean=None, low=None, high=None, splits={}) if each.size == 20 else each
        for each in result.curve
    )
    axes = panels(replace(result, curve=own).plot())["oaod.F1"]
    assert np.isnan(axes.lines[0].get_ydata()).tolist() == [False, True, False]
    nothing = tuple(replace(each, mean=None, low=None, high=None, splits={}) for each in own)
    assert replace(result, curve=nothing).plot().axes
    one = tuple(each for each in own if each.size == 10)
    assert replace(result, curve=one).plot().axes


def test_of_many_curves_and_splits_some_are_shown_and_the_others_counted() -> None:
    names = [f"learner-{i:02}" for i in range(15)]
    chart = experiment(*names, splits=40).plot(width="page")
    assert "3 more curves not shown" in notes(chart)
    assert "thin lines: the first 30 of 40 splits" in notes(chart)
    axes = panels(chart)["oas.F1"]
    looks = [(line.get_color(), line.get_marker(), line.get_linestyle()) for line in axes.lines]
    assert len(looks) == len(set(looks)) == 12
    assert {len(each.get_segments()) for each in of_kind(axes, "splits")} == {30}


def test_names_are_text_and_stay_in_the_chart() -> None:
    names = ("<script>alert(1)</script>", "$x_1^{", "a\nb\x00\x1b[31m", "\u202eevil", "y" * 10**6)
    chart: Any = experiment(*names).plot()
    text = svg(chart, title="t", description="d")
    assert all(line.isprintable() for line in text.split("\n"))
    tags = {each.tag.rpartition("}")[2] for each in ElementTree.fromstring(text).iter()}
    assert "script" not in tags
    assert len(text) < 100_000
    assert text == svg(experiment(*names).plot(), title="t", description="d")
    width = chart.get_size_inches()[0] * chart.dpi
    chart.draw_without_rendering()
    for each in chart.texts:
        assert each.get_window_extent().x1 <= width + 3, each.get_text()


def test_curves_are_drawn_by_carob_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    assert 2 == main(["plot", "curves", str(gold), str(gold), "-o", str(tmp_path / "curves.svg")])
    assert capsys.readouterr().err == (
        "carob: curves is a chart of an experiment: carob run writes it into report.html, and "
        "plot() of its result draws it\n"
    )

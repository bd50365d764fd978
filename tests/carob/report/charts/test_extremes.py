"""Charts of nothing, of one thing, of very many, and of names that are not meant for people."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from carob import Corpus, Document, Mention, errors, robust, score
from carob.report.charts import figure, kinds, svg
from carob.result.errors import Errors
from carob.result.robustness import Choice, Robustness
from carob.result.scores import File, Score, Scores, Value

pytestmark = pytest.mark.slow

OTHERS = ("curves", "acceptance", "reliability")
KINDS = [kind for kind in kinds() if kind not in OTHERS]
"""Those of mentions; test_curves.py and test_acceptance.py have the others."""

HOSTILE = (
    "<script>alert(1)</script>", "$x_1^{", "$a$ $b$", "a\nb\tc\x00\x1b[31m", "\u202eevil\u2066",
    "\udc80\ud800", "y" * 10**6, "", "'\"&]]>-->", r"\frac{1}{0}\\", "e\u0301" * 50, "\ufffe\uffff",
)  # fmt: skip


def world(labels: list[str]) -> tuple[Corpus, Corpus]:
    """Gold and a system that takes every label for the next, and misses one."""
    words = tuple("abcdefgh")

    def document(names: list[str]) -> Document:
        return Document("d", None, words, tuple(Mention(n, i, i + 1) for i, n in enumerate(names)))

    return Corpus.of(document(labels)), Corpus.of(document([*labels[1:]]))


def results(kind: str, gold: Corpus, systems: dict[str, Corpus]) -> Any:
    two = dict(list(systems.items())[:2])
    if kind in ("intervals", "labels"):
        return score(gold, systems, ["exact.F1", "slots.SER"], resamples=0)
    if kind == "documents":
        return score(gold, two, "exact.F1", resamples=0, by_document=True)
    if kind == "robustness":
        return robust(gold, two, ["exact.F1", "slots.SER"])
    if kind == "confusion":
        return errors(gold, next(iter(systems.values())), names=list(systems)[:1])
    return [errors(gold, each, names=[name]) for name, each in systems.items()]


def as_svg(kind: str, result: Any, **parameters: Any) -> ElementTree.Element:
    text = svg(figure(result, kind, **parameters), title="t", description="d")
    assert all(line.isprintable() for line in text.split("\n"))
    root = ElementTree.fromstring(text)
    assert "script" not in {each.tag.rpartition("}")[2] for each in root.iter()}
    assert len(text) < 300_000
    return root


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_systems_and_labels_are_text(kind: str) -> None:
    labels = [name for name in HOSTILE if name and "\n" not in name][:8]
    gold, system = world(labels)
    few = [name or "(no name)" for name in HOSTILE[::2]]
    as_svg(kind, results(kind, gold, dict.fromkeys(few, system)))


@pytest.mark.parametrize("kind", ["confusion", "errors", "labels"])
@pytest.mark.slow
def test_names_survive_in_other_files(kind: str) -> None:
    gold, system = world(["$x$", "東京", "\u202e"])
    chart: Any = figure(results(kind, gold, {"$y_": system, "日本$": gold}), kind)
    assert chart.content("pdf").startswith(b"%PDF")
    assert chart.content("png", 40).startswith(b"\x89PNG")


def test_dollars_are_no_formula() -> None:
    gold, system = world(["$x_1$", "B"])
    root = as_svg("labels", score(gold, {"$s^2$": system}, "exact.F1", resamples=0))
    texts = {each.text for each in root.iter() if each.tag.endswith("text")}
    assert {"$x_1$", "$s^2$"} <= texts


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_a_chart_too(kind: str) -> None:
    nothing = Corpus.of("Ann slept")
    if kind != "robustness":  # which refuses to rank without scores
        as_svg(kind, results(kind, nothing, {"a": nothing, "b": nothing}))
    gold = Corpus.of("[Ann]PER slept")
    as_svg(kind, results(kind, gold, {"a": gold, "b": gold}))
    as_svg(kind, results(kind, gold, {"a": nothing, "b": nothing}))


def scores_of(systems: int, labels: int) -> Scores:
    by_label = {f"L{i}": Value(0.5, 0.4, 0.6, float(i)) for i in range(labels)}
    files = tuple(File(f"system-{i}", "", "", 1, 1) for i in range(systems))
    made = [
        Score(file.name, recipe, recipe, "F1", Value(i / systems, 0.0, 1.0), "", by_label)
        for i, file in enumerate(files) for recipe in ("a.F1", "b.F1")
    ]  # fmt: skip
    return Scores("", files[0], files, tuple(made))


def errors_of(name: str, labels: int) -> Errors:
    gold, system = (
        Corpus.from_tags([[f"B-L{(i + shift * (i % 2)) % labels}"] for i in range(labels)])
        for shift in (0, 1)
    )
    return errors(gold, system, names=[name], recipes=["exact.F1"])


def notes(chart: Any) -> str:
    return " ".join(text.get_text() for text in chart.texts)


def rows(chart: Any) -> int:
    return len(chart.axes[0].get_yticklabels())


def test_of_many_systems_and_labels_some_are_shown_and_the_others_counted() -> None:
    scores = scores_of(57, 1)
    chart: Any = scores.plot("intervals", width="page")
    assert 40 == rows(chart) and "17 more systems not shown" in notes(chart)
    assert "system-56" == chart.axes[0].get_yticklabels()[0].get_text()
    scores = scores_of(2, 100)
    chart = scores.plot("labels", width="page")
    assert 24 == len(chart.axes)
    assert "the 24 most frequent of 100 labels" in notes(chart)
    assert [f"L{i}" for i in range(76, 100)] == [a.get_title(loc="left") for a in chart.axes]
    chart = scores.plot("labels", labels=["L3"])
    assert ["L3"] == [axes.get_title(loc="left") for axes in chart.axes]

    one = errors_of("one", 100)
    chart = one.plot("errors")
    assert 40 == rows(chart) and "60 more labels not shown" in notes(chart)
    chart = figure([one] * 50, "errors")
    assert 40 == rows(chart) and "10 more systems not shown" in notes(chart)
    chart = figure([one] * 14, "gains", width="page")
    assert 12 == len(chart.axes) and "2 more systems not shown" in notes(chart)


def test_of_many_ranked_systems_those_that_are_ever_first_are_shown() -> None:
    names = [f"s{i:02}" for i in range(40)]
    ranks = {name: 1 - i / 100 for i, name in enumerate(names)}
    choices = [Choice(f"m{k}.F1", f"m{k}.F1", "micro", None, ranks) for k in range(70)]
    choices[5] = Choice("x.F1", "x.F1", "micro", None, ranks | {"s39": 2.0})
    files = tuple(File(name, "", "", 1, 1) for name in names)
    chart: Any = Robustness("", files[0], files, tuple(choices), ("",)).plot()
    shown = [line.get_label() for line in chart.axes[0].lines]
    assert [*names[:15], "s39"] == shown
    assert 60 == rows(chart)
    assert "10 more choices not shown" in notes(chart)
    assert "24 more systems not shown" in notes(chart)


def test_scores_that_are_undefined_have_no_dot() -> None:
    file = File("s", "", "", 1, 1)
    score_ = Score("s", "a.F1", "a", "F1", Value(None), "", {"X": Value(None)})
    for kind in ("intervals", "labels"):
        chart: Any = Scores("", file, (file,), (score_,)).plot(kind)
        [line] = chart.axes[0].lines
        assert 0 == len(line.get_xdata())
        assert ["-"] == [text.get_text().split(" ")[0] for text in chart.axes[0].texts]


@pytest.mark.slow
def test_no_text_leaves_the_chart() -> None:
    long = {f"a-very-long-name-of-a-system-{i}-" + "x" * 60: None for i in range(3)}
    labels = ["label-" + "y" * 80 + str(i) for i in range(8)]
    gold, system = world(labels)
    systems = dict.fromkeys(long, system)
    for kind in KINDS:
        chart: Any = figure(results(kind, gold, systems), kind)
        width, height = chart.get_size_inches() * 72
        chart.draw_without_rendering()
        scale = chart.dpi / 72
        for text in chart.findobj(lambda each: hasattr(each, "get_text") and each.get_visible()):
            if re.fullmatch(r"[\d.,−-]*", text.get_text()):
                continue  # numbers beside the axes; those out of view are not drawn
            box = text.get_window_extent()
            ends = (box.x0 / scale, box.y0 / scale, width - box.x1 / scale, height - box.y1 / scale)
            assert min(ends) > -3, (kind, text.get_text(), ends)


def test_links_have_names_and_lead_where_they_should() -> None:
    gold, system = world(["A", "B", "C"])
    result = errors(gold, system, names=["s & t"])
    root = as_svg("confusion", result, link=lambda *names: "#" + "/".join(names), width="page")
    links = {a.get("href"): a.get("aria-label") for a in root.iter() if a.tag.endswith("}a")}
    expected = {
        f"#s & t/{gold}/{system}": count for gold, system, count in result.confusion.entries
    }
    assert set(expected) == set(links)
    for address, count in expected.items():
        assert re.search(rf": {count} \(", links[address] or "")
    assert "group" == root.get("role")
    root = as_svg("errors", result, by="system", link=lambda system, kind: f"#{system}.{kind}")
    links = {a.get("href"): a.get("aria-label") for a in root.iter() if a.tag.endswith("}a")}
    assert {f"#s & t.{k}": result.counts[k] for k in result.kinds if result.counts[k]} == {
        address: int(re.findall(r": (\d+) ", name or "")[0]) for address, name in links.items()
    }
    assert all(a.get("target") is None for a in root.iter())

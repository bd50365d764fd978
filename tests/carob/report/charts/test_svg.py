"""A chart as SVG stands in a page beside others: nothing is loaded, no id is used twice."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from carob import Corpus, score
from carob.report.charts import svg
from carob.result.scores import Scores

HOSTILE = ("<script>alert(1)</script>", "$x_1$", "a\nb\x00\x1b[31m", "‮evil", "\udc80", "y" * 10**6)


@pytest.fixture(scope="module")
def scores() -> Scores:
    gold = Corpus.of("[Ann]PER slept in [Rome]LOC", "[Bo]PER woke")
    system = Corpus.of("[Ann]PER slept in Rome", "[Bo]PER woke")
    return score(gold, {"a": system, "b": gold}, ["exact.PRF", "overlap.F1"])


def test_it_is_one_element_that_scales_and_has_a_name(scores: Scores) -> None:
    text = svg(scores.plot(), title="F1 & co", description="two <systems>")
    root = ElementTree.fromstring(text)
    assert text.startswith("<svg ")
    assert "img" == root.get("role")
    names = {each.get("id"): each.text for each in root if each.tag[-5:] in ("title", "}desc")}
    assert ["F1 & co", "two <systems>"] == [
        names[name] for name in str(root.get("aria-labelledby")).split()
    ]
    width, height = scores.plot().get_size_inches() * 72
    assert f"0 0 {width:g} {height:g}" == root.get("viewBox")


def test_nothing_is_loaded_and_nothing_applies_to_the_rest_of_the_page(scores: Scores) -> None:
    text = svg(scores.plot(), title="", description="")
    assert ["http://www.w3.org/2000/svg"] == re.findall(r"\w+://[^\"' ]*", text)
    assert "<style" not in text and "<?xml" not in text and "<!DOCTYPE" not in text


def test_two_charts_share_no_id(scores: Scores) -> None:
    texts = [svg(scores.plot(kind), title="t", description="d") for kind in ("intervals", "labels")]
    every = [re.findall(r' id="([^"]+)"', text) for text in texts]
    assert all(len(ids) == len(set(ids)) for ids in every)
    assert set() == set(every[0]) & set(every[1])
    for ids, text in zip(every, texts, strict=True):
        references = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', text)
        assert {a or b for a, b in references} <= set(ids)


def test_colours_follow_the_page(scores: Scores) -> None:
    text = svg(scores.plot(), title="", description="")
    assert "fill: var(--ink,#1f2328)" in text
    assert "stroke: var(--series-1,#0072b2)" in text
    styles = " ".join(re.findall(r'style="([^"]*)"', text))
    assert "" == "".join(re.findall(r"[: ](#[0-9a-f]{6})", styles))


def test_the_same_chart_is_the_same_text(scores: Scores) -> None:
    once, again = (svg(scores.plot(), title="t", description="d") for _ in range(2))
    assert once == again


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("kind", ["intervals", "labels"])
def test_names_are_shown_as_text(scores: Scores, name: str, kind: str) -> None:
    gold = Corpus.from_tags([["B-" + name if "\n" not in name else "B-X", "O"]])
    made = score(gold, {name: gold}, "exact.F1")
    text = svg(made.plot(kind), title=name, description=name)
    root = ElementTree.fromstring(text)
    assert "script" not in {each.tag.rpartition("}")[2] for each in root.iter()}
    assert all(line.isprintable() for line in text.split("\n"))
    assert len(text) < 50_000


def test_numbers_in_bars_can_be_read() -> None:
    """4.5 to 1 or more, as WCAG 2.2 asks of small text."""
    from matplotlib.colors import to_rgb

    from carob.report.charts._style import GRID, INK, PAPER, SERIES, SOFT
    from carob.report.charts.confusion import DARKEST
    from carob.report.charts.errors import DARK

    def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
        def luminance(color: tuple[float, ...]) -> float:
            parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        low, high = sorted((luminance(one), luminance(other)))
        return (high + 0.05) / (low + 0.05)

    for color in SERIES:
        text = PAPER if color == DARK else "#101010"
        assert contrast(to_rgb(text), to_rgb(color)) >= 4.5, color
    darkest = tuple(
        DARKEST * c + (1 - DARKEST) * p
        for c, p in zip(to_rgb(SERIES[0]), to_rgb(PAPER), strict=True)
    )
    assert contrast(to_rgb(INK), darkest) >= 4.5
    assert contrast(to_rgb(SOFT), to_rgb(PAPER)) >= 4.5
    assert contrast(to_rgb(GRID), to_rgb(PAPER)) < 2, "lines of the grid stay in the background"

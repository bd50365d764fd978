"""All results convert alike: dict, JSON, data frames and every report say the same."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from carob import Corpus, check, convert, registry, score, verify
from carob.evaluate.verify import Verification
from carob.result.result import LINES
from tests.results import KINDS, LABEL, result


@pytest.mark.parametrize("kind", KINDS)
def test_json_is_the_dict_with_every_digit(kind: str) -> None:
    made = result(kind)
    assert made.to_dict() == json.loads(made.to_json())
    assert made.to_dict() == json.loads(made.to("json"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_has_the_rows(kind: str, library: str) -> None:
    """Always one frame, never a dict of frames."""
    pytest.importorskip(library)
    made = result(kind)
    rows, frame = made.rows(), getattr(made, f"to_{library}")()
    assert rows and len(rows) == len(frame)
    assert list(rows[0]) == list(frame.columns)


@pytest.mark.parametrize("kind", KINDS)
def test_the_signature_is_metadata_of_the_frame(kind: str) -> None:
    pytest.importorskip("pandas")
    made = result(kind)
    frame = made.to_pandas()
    assert "signature" not in frame.columns
    assert "\n".join(made.signature_lines) == frame.attrs["signature"]
    assert frame.attrs["signature"].startswith("carob:")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("report", registry.builtin("report"))
def test_every_report_shows_every_result(kind: str, report: str) -> None:
    assert result(kind).to(report).endswith("\n") or report == "json"


def test_a_result_prints_itself_as_on_the_command_line() -> None:
    made = result("scores")
    assert made.to("terminal") == str(made)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_shows_the_tables(kind: str) -> None:
    made = result(kind)
    assert made.to("terminal", color=False).splitlines()[:LINES] == repr(made).splitlines()[:LINES]


def test_a_prompt_shows_a_limited_number_of_lines() -> None:
    gold = Corpus.of("[Ann]PER slept")
    made = score(gold, {f"s{i}": gold for i in range(LINES)}, "exact.F1", resamples=0)
    lines = repr(made).splitlines()
    assert LINES + 1 == len(lines)
    assert "... 2 more lines; print() shows all" == lines[-1]
    assert LINES + 2 == len(str(made).splitlines())


class Page(HTMLParser):
    """The cells of all tables, and the tags that are open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_tables_in_html(kind: str) -> None:
    text = result(kind)._repr_html_()
    page = Page(text)
    assert [] == page.open
    assert page.cells and "<html" not in text


def test_names_mean_nothing_in_html() -> None:
    label = "<script>alert(1)</script>"
    gold = Corpus.of({"tokens": ["a"], "mentions": [{"start": 0, "end": 1, "label": label}]})
    text = score(gold, {"<b>&": gold}, "exact.F1", resamples=0).to("html", by_label=True)
    assert "<script>" not in text and "<b>" not in text
    assert ["<b>&", label] == [cell for cell in Page(text).cells if "<" in cell]
    assert LABEL in Page(result("errors").to("html")).cells


def test_an_html_page_needs_nothing_else() -> None:
    text = result("scores").to("html")
    assert text.startswith("<!doctype html>") and text.rstrip().endswith("</html>")
    assert "http" not in text and "src=" not in text
    assert result("scores").signature_lines[0].partition("|")[0] in text


def test_findings_conversions_and_verifications_convert_too(tmp_path: Path) -> None:
    gold, target = tmp_path / "gold.jsonl", tmp_path / "gold.spans"
    gold.write_text('{"id": "1", "tokens": ["a"], "mentions": []}\n')
    stored = tmp_path / "result.json"
    stored.write_text(score(gold, gold, "exact.R", resamples=0).to_json())
    for made in (check(gold), convert(gold, target, lossy=True), verify(stored)):
        assert made.to_dict() == json.loads(made.to_json())
        assert str(made) == repr(made)
        for library in ("pandas", "polars"):
            pytest.importorskip(library)
            assert len(made.rows()) == len(getattr(made, f"to_{library}")())
    assert ["what", "count", "where"] == list(convert(gold, target, lossy=True).rows()[0])
    assert "K311" == check(gold).rows()[0]["code"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_without_rows_has_its_columns(tmp_path: Path, library: str) -> None:
    pytest.importorskip(library)
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    findings, made = check(gold), convert(gold, tmp_path / "gold.jsonl")
    for each in (findings, made, Verification(3)):
        frame = getattr(each, f"to_{library}")()
        assert (0, list(each.row_columns or ())) == (len(frame), list(frame.columns))
    wrong = tmp_path / "wrong.conll"
    wrong.write_text("Ann\n")
    assert check(wrong).row_columns == tuple(check(wrong).rows()[0])

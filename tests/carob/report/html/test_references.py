"""What descriptions cite: every source of a component has an entry, and every entry is whole."""

from __future__ import annotations

import inspect
import re

import pytest

from carob import registry
from carob.report.html.references import cited, entries

STAGES = ("match", "measure", "average")
COMPONENTS = [(stage, name) for stage in STAGES for name in registry.builtin(stage)]


@pytest.mark.parametrize(("stage", "name"), COMPONENTS)
def test_every_source_of_a_component_has_an_entry(stage: str, name: str) -> None:
    text = " ".join(inspect.cleandoc(registry.load(stage, name).__doc__ or "").split())
    sources = set(re.findall(r"([\w.-]+ \(\d{4}\))", text))
    found = {year for entry in cited(text) for year in re.findall(r"year = \{(\d{4})\}", entry)}
    assert {source[-5:-1] for source in sources} == found


@pytest.mark.parametrize("key", entries())
def test_an_entry_names_author_title_and_year(key: tuple[str, str]) -> None:
    author, year = key
    entry = entries()[key]
    assert author in re.findall(r"author = \{(.*)\}", entry)[0].lower()
    assert f"year = {{{year}}}" in entry
    assert "title = {" in entry
    assert entry.count("{") == entry.count("}")


def test_both_ways_to_cite_are_found() -> None:
    first = cited("Tested as in Noreen (1989), corrected (Holm, 1979).")
    assert ["noreen1989", "holm1979"] == [
        entry.partition("{")[2].partition(",")[0] for entry in first
    ]


def test_a_text_without_a_source_cites_nothing() -> None:
    assert [] == cited("As in Nobody (2010), and in 2010.")


def test_two_entries_of_one_author_and_year_are_both_found() -> None:
    (both,) = cited("Du et al. (2021), and the same authors later that year.")
    assert ["du2021", "du2021b"] == re.findall(r"@\w+\{(\w+),", both)

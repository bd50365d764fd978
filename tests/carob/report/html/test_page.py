"""The page of a report: its numbers are those of the other commands, and it holds any text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, Report, UsageError
from carob.evaluate import demo
from carob.evaluate.report import report
from tests.pages import HOSTILE, Page, number

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")


_SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("seminars", "invoices")]


@pytest.fixture(scope="module", params=["mentions", *_SLOW])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Gold and three systems, their report and its page."""
    folder = tmp_path_factory.mktemp(request.param)
    size = {} if request.param == "mentions" else {"documents": 30}
    written = demo.write(folder, request.param, **size)
    files = [file for file in written if file.suffix in (".conll", ".jsonl")]
    (gold,) = (file for file in files if file.stem == "gold")
    systems = [file for file in files if file.stem != "gold"]
    made = report(gold, systems, baseline=systems[0].stem, command="carob report gold a b c")
    return gold, systems, made, Page(made.to_html())


def strong(page: Page) -> int:
    return sum(tag == "strong" for tag, _ in page.elements)


def test_scores_are_those_of_carob_score(case: Any) -> None:
    gold, systems, _, page = case
    expected = {
        (row["system"], row["recipe"], row["label"]): (row["value"], row["low"], row["high"])
        for row in carob.score(gold, systems).rows()
    }
    cells = page.cells("system", "recipe", "value")
    found = {
        (each["system"], each["recipe"], each.get("label")):
        (number(each["value"]), number(each["low"]), number(each["high"]))
        for each in cells
    }  # fmt: skip
    assert {key for key in expected if key[2] is None} <= set(found)
    assert any(key[2] is not None for key in found)
    assert found == {key: expected[key] for key in found}


def test_differences_and_ranks_are_those_of_carob_compare(case: Any) -> None:
    gold, systems, _, page = case
    comparison = json.loads(carob.compare(gold, systems).to_json())
    keys = ("difference", "low", "high", "p", "p_holm")
    expected = {(each["a"], each["b"], each["recipe"]): [each[key] for key in keys]
                for each in comparison["comparisons"]}  # fmt: skip
    names = ("value", "low", "high", "p", "p-holm")
    found = {(each["a"], each["b"], each["recipe"]): [number(each[name]) for name in names]
             for each in page.cells("a", "b", "recipe", "p")}  # fmt: skip
    assert expected == found
    ranks = {(each["system"], each["recipe"]): (each["rank_low"], each["rank_high"])
             for each in comparison["ranks"]}  # fmt: skip
    assert ranks == {
        (each["system"], each["recipe"]): (int(each["rank-low"]), int(each["rank-high"]))
        for each in page.cells("rank-low")
    }


def test_errors_are_those_of_carob_errors(case: Any) -> None:
    gold, systems, _, page = case
    for system in systems:
        own = json.loads(carob.errors(gold, system).to_json())
        cells = [each for each in page.cells("system") if each["system"] == system.stem]
        counts = {each["type"]: int(each["value"]) for each in cells
                  if "type" in each and "value" in each}  # fmt: skip
        assert own["counts"] == counts
        gains = {(each["type"], each["recipe"]): number(each["gain"]) for each in cells
                 if "gain" in each}  # fmt: skip
        assert bool(gains) == bool(own["gains"])  # records have none
        assert gains == {(kind, recipe): own["gains"][kind][recipe] for kind, recipe in gains}
        listed = {(each["gold"], each["label"]): int(each["value"]) for each in cells
                  if "gold" in each}  # fmt: skip
        assert (
            listed.items()
            <= {(a, b): n for a, row in own["confusion"].items() for b, n in row.items()}.items()
        )


def test_what_was_fixed_and_broken_is_that_of_carob_errors(case: Any) -> None:
    gold, systems, _, page = case
    for other in systems[1:]:
        own = json.loads(carob.errors(gold, systems[0], other).to_json())
        cells = [each for each in page.cells("fixed") if each["b"] == other.stem]
        assert own["fixed"] == {e["type"]: int(e["fixed"]) for e in cells if int(e["fixed"])}
        assert own["broken"] == {e["type"]: int(e["broken"]) for e in cells if int(e["broken"])}


def test_ranks_under_all_choices_are_those_of_carob_robust(case: Any) -> None:
    gold, systems, _, page = case
    expected = {(row["recipe"], row["system"]): (row["rank"], row["value"])
                for row in carob.robust(gold, systems).rows()}  # fmt: skip
    assert expected == {
        (each["choice"], each["system"]): (number(each["rank"]), number(each["value"]))
        for each in page.cells("choice", "rank")
    }


def test_bold_is_only_what_is_significantly_the_best(case: Any) -> None:
    _, _, made, page = case
    best = sum(rank.rank_low == rank.rank_high == 1 for rank in made.comparison.ranks)
    assert best == strong(page)


def test_the_first_examples_of_every_type_have_a_place_and_are_linked(case: Any) -> None:
    _, systems, made, page = case
    places = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(places) == len(set(places))
    for number_of, system in enumerate(systems, 1):
        for kind, examples in made.errors[system.stem].examples.items():
            for place in range(1, len(examples) + 1):
                assert f"examples-{number_of}-{kind.replace(' ', '-')}-{place}" in places
    links = [a["href"] for tag, a in page.elements if tag == "a" and a["href"][0] == "#"]
    inside = [link[1:] for link in links if not link.startswith("#browse?")]
    assert set(inside) <= set(places)


def test_the_page_loads_nothing(case: Any) -> None:
    _, _, _, page = case
    for tag, attributes in page.elements:
        assert "src" not in attributes, (tag, attributes)
        assert attributes.get("href", "#")[0] == "#", (tag, attributes)
        assert tag not in ("link", "iframe", "img", "object", "base"), tag
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
    (policy,) = (a["content"] for tag, a in page.elements if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_methods_have_the_settings_and_the_command(case: Any) -> None:
    _, _, made, page = case
    assert "carob report gold a b c" in page.text
    assert "1,000 resamples of documents (seed 0)" in page.text
    assert f"{made.comparison.trials:,} trials" in page.text or "all exchanges" in page.text
    assert "@inproceedings{" in page.text


def hostile_report() -> Report:
    """Hostile labels, ids, texts and names of systems."""
    gold = Corpus.of(*(
        {"id": f"{text[:1000]}-{place}", "text": f"{text} slept",
         "mentions": [{"start": 0, "end": len(text), "label": text}]}
        for place, text in enumerate(HOSTILE)
    ))  # fmt: skip
    empty = Corpus.of(*(
        {"id": f"{text[:1000]}-{place}", "text": f"{text} slept",
         "mentions": [{"start": len(text) + 1, "end": len(text) + 6, "label": HOSTILE[0]}]}
        for place, text in enumerate(HOSTILE)
    ))  # fmt: skip
    return report(gold, {"<script>alert(2)</script>": gold, "\udcff\x00</title>": empty})


def test_hostile_text_is_shown_as_text() -> None:
    text = hostile_report().to_html()
    page = Page(text)
    assert text.encode("utf-8").decode("utf-8") == text
    assert "\x00" not in text
    assert "\u202e" not in text
    assert "{{ 7 * 7 }}" in page.text
    assert 1 == sum(tag == "script" and "type" not in a for tag, a in page.elements)
    assert not [tag for tag, _ in page.elements if tag == "img"]
    assert "(1,000,000 characters)" in page.text
    assert "\\u202e" in page.text
    assert "\\udcff\\x00" in page.text
    assert len(text) < 2_000_000


@pytest.fixture(scope="module")
def alone() -> tuple[Report, str]:
    """The report of one system, and its page."""
    gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    made = report(gold, gold)
    return made, made.to_html()


def test_one_system_has_no_comparison(alone: tuple[Report, str]) -> None:
    page = Page(alone[1])
    places = {attributes.get("id") for _, attributes in page.elements}
    assert "summary" in places
    assert not {"compare", "robustness"} & places


def test_the_headline_of_one_system_has_no_precision_or_recall() -> None:
    gold, system = Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept")
    made = report(gold, system, ["exact.PRF", "overlap.F1"], resamples=0)
    assert ["exact.F1", "overlap.F1"] == made.headline
    cells = Page(made.to_html()).cells("system", "recipe", "value")
    assert {"exact.P", "exact.R", "exact.F1", "overlap.F1"} == {each["recipe"] for each in cells}
    assert ["exact.P"] == report(gold, system, "exact.P", resamples=0).headline


def test_a_report_is_saved_and_a_missing_folder_is_a_clear_error(
    alone: tuple[Report, str], tmp_path: Path
) -> None:
    made, text = alone
    made.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    with pytest.raises(UsageError, match=r"cannot write .*: No such file or directory"):
        made.save(tmp_path / "none" / "page.html")


def test_the_function_has_the_name_of_a_folder() -> None:
    import carob.report.terminal  # afterwards, carob.report is the folder

    gold = Corpus.of("[Ann]PER")
    assert isinstance(carob.report(gold, gold), Report)


def test_files_without_any_mention_have_a_report_without_scores() -> None:
    nothing = Corpus.of("It rained", "It snowed")
    page = Page(report(nothing, {"a": nothing, "b": nothing}).to_html())
    assert {""} == {each["value"] for each in page.cells("system", "recipe", "value")}
    assert "no robustness: no system has a score under any choice" in page.text


def test_a_report_of_nuggets_without_a_text_compares_characters(tmp_path: Path) -> None:
    head, end = "#BeginOfDocument d1", "#EndOfDocument"
    lines = {
        "gold": ["x\td1\tE1\t0,6\tattack\tAttack\tActual", "x\td1\tE2\t9,12\tmet\tMeet\tActual"],
        "system": ["x\td1\tE1\t0,5\tattac\tAttack\tActual"],
    }  # fmt: skip
    for name, own in lines.items():
        text = "\n".join([head, *own, end]) + "\n"
        (tmp_path / f"{name}.tbf").write_text(text, encoding="utf-8")
    made = report(tmp_path / "gold.tbf", tmp_path / "system.tbf")
    assert {"BES": 1, "FN": 1} == {k: n for k, n in made.errors["system"].counts.items() if n}
    page = Page(made.to_html())
    assert "there is no text to find tokens in: types of errors compare characters" in page.text
    assert "0–6 Attack" in " ".join(page.text.split())


def test_relations_have_a_table_and_examples() -> None:
    def document(*links: tuple[str, str, str]) -> dict[str, Any]:
        mentions = [{"id": name, "start": at, "end": at + 1, "label": "X"}
                    for at, name in enumerate("abc")]  # fmt: skip
        relations = [{"label": label, "arguments": {"from": one, "to": other}}
                     for label, one, other in links]  # fmt: skip
        return {"id": "1", "tokens": list("abc"), "mentions": mentions, "relations": relations}

    gold = Corpus.of(document(("L", "a", "b"), ("M", "b", "c")))
    system = Corpus.of(document(("M", "a", "b"), ("<i>", "c", "c")))
    page = Page(report(gold, {"s": system}, resamples=0).to_html())
    counts = {each["relations"]: int(each["value"]) for each in page.cells("relations")}
    assert {"TP": 0, "TE": 0, "LE": 1, "DE": 0, "BE": 0, "FP": 1, "FN": 1} == counts
    assert "L(from=a/X, to=b/X)" in page.text
    assert "<i>(from=c/X, to=c/X)" in page.text

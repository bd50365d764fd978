"""The report in a real browser: what it shows is right, safe, and can be used by everybody."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import carob
from carob.report.html.links import browse
from tests.browsers import missing
from tests.carob.report.html.conftest import HOSTILE, IMAGE, SCRIPT, Case, Opened

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

Open = Callable[..., Opened]

pytestmark = pytest.mark.slow


def facts(page: Opened) -> str:
    """Which example is shown."""
    words: str = page.page.inner_text("#browser-document .facts >> nth=0")
    return words


def test_a_missing_browser_skips_tests_by_hand_and_fails_them_in_integration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CAROB_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no Chromium"):
        missing("no Chromium")
    monkeypatch.setenv("CAROB_BROWSER", "required")
    with pytest.raises(pytest.fail.Exception, match="no Chromium, and CAROB_BROWSER=required"):
        missing("no Chromium")


# What is shown


@pytest.mark.parametrize("kind", ["mentions", "slots", "records"])
def test_every_count_of_carob_errors_is_the_number_of_its_examples(
    kind: str, request: pytest.FixtureRequest, opened: Open
) -> None:
    case: Case = request.getfixturevalue(kind)
    page = opened(case.file)
    last = list(case.systems.values())[-1]
    for name, system in case.systems.items():
        errors = carob.errors(case.gold, system)
        right, *types = errors.counts
        there = {each: errors.counts[each] for each in types if errors.counts[each]}
        assert sum(errors.counts[each] for each in errors.kinds) == page.browse(browse(system=name))
        choices = page.choices("type")
        assert there == {each: choices[each] for each in choices if each in types}
        for each in there if system is last else ():
            assert errors.counts[each] == page.browse(browse(system=name, type=each))
            labels = {label: row[each] for label, row in errors.by_label.items() if row[each]}
            assert labels == page.choices("label")
        assert right not in choices


@pytest.mark.parametrize("kind", ["mentions", "slots", "records"])
def test_every_cell_of_the_matrix_has_its_examples(
    kind: str, request: pytest.FixtureRequest, opened: Open
) -> None:
    case: Case = request.getfixturevalue(kind)
    page = opened(case.file)
    for name, system in list(case.systems.items())[-1:]:
        rows = carob.errors(case.gold, system).confusion.to_dict()
        for gold, row in rows.items():
            assert sum(row.values()) == page.browse(browse(system=name, gold_label=gold))
            assert row == page.choices("system_label")
        gold, answer, count = carob.errors(case.gold, system).confusion.entries[0]
        link = browse(system=name, gold_label=gold, system_label=answer)
        assert count == page.browse(link)


@pytest.mark.parametrize("kind", ["mentions", "slots", "records"])
def test_what_was_fixed_and_broken_can_be_looked_at(
    kind: str, request: pytest.FixtureRequest, opened: Open
) -> None:
    case: Case = request.getfixturevalue(kind)
    page = opened(case.file)
    (a, one), (b, two) = case.systems.items()
    changes = carob.errors(case.gold, one, two).changes
    assert changes is not None
    for counts, system, other in ((changes.fixed, a, b), (changes.broken, b, a)):
        assert sum(counts.values()) == page.browse(browse(system=system, right_in=other)) > 0
        assert counts == {t: n for t, n in page.choices("type").items() if t in counts}
        link = browse(system=system, type=next(iter(counts)), right_in=other)
        page.page.click(f"#compare td a[href='{link}']")
        assert next(iter(counts.values())) == page.examples()


@pytest.mark.parametrize("kind", ["mentions", "slots", "records"])
def test_a_click_on_a_chart_or_a_count_shows_its_examples(
    kind: str, request: pytest.FixtureRequest, opened: Open
) -> None:
    case: Case = request.getfixturevalue(kind)
    page = opened(case.file)
    page.page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    for key in ("type", "gold_label"):
        page.page.locator(f"a[href^='#browse'][href*='{key}=']:visible").first.click()
        page.page.wait_for_url(f"**#browse*{key}=*example=*")
        target = parse_qs(urlsplit(page.page.url).fragment.partition("?")[2])
        errors = carob.errors(case.gold, case.systems[target["system"][0]])
        if key == "type":
            assert errors.counts[target["type"][0]] == page.examples()
        else:
            cells = errors.confusion.to_dict()
            assert cells[target["gold_label"][0]][target["system_label"][0]] == page.examples()


def test_the_values_of_records_stand_side_by_side(tmp_path: Path, opened: Open) -> None:
    def file(name: str, *prices: Any, **more: Any) -> Path:
        items = [{"item": item, "price": price} for item, price in zip("xy", prices, strict=True)]
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({"id": "i1", "text": "x 5 y 7", "lines": items, **more}) + "\n")
        return path

    gold, system = file("gold", 5, 7, total=12), file("system", 7, 5, total="twelve")
    made = carob.report(gold, {"a": system}, resamples=0)
    made.save(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert 2 == page.browse(browse(type="swapped"))
    entries = page.page.locator("#browser-list li .says").all_inner_texts()
    assert ["5 → 7", "7 → 5"] == entries
    assert "Example 1 of 2, a: lines.price" == facts(page)
    rows = page.page.locator("#browser-document tbody tr").all_inner_texts()
    cells = [" ".join(row.split()) for row in rows]
    assert ["total 12 wrong format twelve", "lines.item x lines 1 x lines 1",
            "lines.price 5 lines 1 swapped 7 lines 1", "lines.item y lines 2 y lines 2",
            "lines.price 7 lines 2 swapped 5 lines 2"] == cells  # fmt: skip
    assert 1 == page.browse(browse(type="wrong format", label="total"))


def test_documents_are_found_by_name_or_by_a_part_of_it(nested: Case, opened: Open) -> None:
    page = opened(nested.file)
    assert page.browse("#browse?document=d1") == page.browse("#browse?") > 0
    assert 0 == page.browse("#browse?document=d10")
    assert "Head" in page.page.inner_text("#browser-document .text")
    assert 0 == page.page.locator("#browser-document .strip.wrong").count()
    assert page.browse("#browse?document=D") == page.browse("#browse?")
    assert 0 == page.browse("#browse?document=nothing")
    assert "No example passes all filters." == page.page.inner_text("#browser-document")


def test_the_search_looks_at_the_words_of_examples_and_those_around(
    mentions: Case, opened: Open
) -> None:
    page = opened(mentions.file)
    page.page.fill("[name=text]", "munkholmen")
    page.page.keyboard.press("Enter")
    count = page.examples()
    entries = page.page.locator("#browser-list li").all_inner_texts()
    assert 0 < count == len(entries)
    assert all("Munkholmen" in entry for entry in entries)
    assert count == sum(page.choices("system").values())
    page.page.keyboard.press("Escape")
    assert page.examples() > count


def test_filters_combine_and_show_all_ends_them(mentions: Case, opened: Open) -> None:
    page = opened(mentions.file)
    everything = page.examples()
    page.page.select_option("[name=system]", "=hasty")
    page.page.select_option("[name=type]", "=BE")
    counts = carob.errors(mentions.gold, mentions.systems["hasty"]).counts
    assert sum(counts[kind] for kind in ("BES", "BEL", "BEO")) == page.examples()
    assert "#browse?system=hasty&type=BE&example=" in page.page.url
    page.page.click("text=Show all")
    page.page.wait_for_timeout(50)
    assert everything == page.examples()


# One document


def test_marks_never_lie_over_one_another(nested: Case, opened: Open) -> None:
    page = opened(nested.file, "#browse?type=FN")
    boxes: list[list[float]] = page.page.eval_on_selector_all(
        "#browser-document .strip",
        """all => all.map((each) => each.getBoundingClientRect())
                  .map((box) => [box.left, box.top, box.right, box.bottom])""",
    )
    assert len(boxes) > 11
    for i, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:i]:
            across = min(right, other[2]) - max(left, other[0])
            down = min(bottom, other[3]) - max(top, other[1])
            assert across <= 0.5 or down <= 0.5
    tags = page.page.locator("#browser-document .tag").all_inner_texts()
    gold = ["PAIN FN", "PAIN BEL", "LOC BEL", "ORG BES", "FAC", "PER LBE"]
    system = ["PAIN BEL", "ORG BES", "LOC BEL", "FAC", "ORG LBE"]
    assert sorted(gold + system) == sorted(tags)
    assert 1 <= page.page.locator(".strip.gap").count()


def test_a_document_is_shown_with_its_table_and_its_relations(nested: Case, opened: Open) -> None:
    page = opened(nested.file, "#browse?type=LBE")
    assert "Example 1 of 1, A & B: PER → ORG" == facts(page)
    here = page.page.locator(".strip.here .tag").all_inner_texts()
    assert ["ORG LBE", "PER LBE"] == sorted(here)
    text = page.page.inner_text("#browser-document .text")
    assert "\U0001f600 and Dr." in text
    row = page.page.inner_text("#browser-document tr.here").split("\t")
    assert ["PER", "Ann Lee", "LBE Ann Lee of Oslo ORG"] == [cell.strip() for cell in row]
    assert "visits\twho Ann Lee\twhere New York" in page.page.inner_text(".table table >> nth=1")


def test_slots_are_a_table_with_what_is_wrong_marked(slots: Case, opened: Open) -> None:
    page = opened(slots.file, browse(system="llm", type="ungrounded"))
    row = page.page.locator("#browser-document tr.here")
    assert "not found in the text" in row.inner_text()
    assert 1 <= row.locator("td.wrong").count()


def test_words_that_are_not_known_are_signs(tmp_path: Path, opened: Open) -> None:
    files = [tmp_path / "gold.conll", tmp_path / "a.conll"]
    for file, tags in zip(files, ("B-PER I-PER O", "B-PER O O"), strict=True):
        file.write_text(tags.replace(" ", "\n") + "\n")
    case = Case(files[0], {"a": files[1]}, tmp_path / "report.html")
    page = opened(case.file, "#browse?")
    assert 1 == page.examples()
    assert "_ _ _" == page.page.inner_text("#browser-list .snippet")


# Links


def test_a_copied_link_opens_the_same_example(mentions: Case, opened: Open) -> None:
    page = opened(mentions.file, browse(system="muddled", type="LE"))
    page.page.keyboard.press("j")
    page.page.keyboard.press("j")
    assert facts(page).startswith("Example 3 of ")
    page.page.click("#browser-copy")
    page.page.wait_for_selector("#browser-copied:not(:empty)")
    link = page.page.url
    if page.page.is_visible("#browser-link"):
        assert link == page.page.input_value("#browser-link")
    other = opened(mentions.file, "#" + urlsplit(link).fragment)
    assert facts(page) == facts(other)
    assert page.page.inner_text("#browser-document") == other.page.inner_text("#browser-document")


def test_a_link_may_ask_for_what_is_not_there(mentions: Case, opened: Open) -> None:
    page = opened(mentions.file, "#browse?system=nobody&example=99999999")
    assert 0 == page.examples()
    assert page.browse("#browse?example=-7&unknown=1&type=") == page.browse("#browse")
    assert 0 == page.browse("#browse?label=%ED%B2%80&gold_label=__proto__")


# Use


def test_keys_move_through_examples_and_panes(mentions: Case, opened: Open) -> None:
    page = opened(mentions.file, "#browse?")
    keys = page.page.keyboard
    assert facts(page).startswith("Example 1 of ")
    keys.press("j")
    assert facts(page).startswith("Example 2 of ")
    keys.press("k")
    keys.press("k")
    assert facts(page).startswith("Example 1 of ")
    page.page.focus("#browser-list button")
    for _ in range(60):
        keys.press("ArrowDown")
    assert facts(page).startswith("Example 61 of ")
    assert "Page 2 of" in page.page.inner_text("#browser-page")
    assert "number 61" in page.page.inner_text("#browser-count")
    keys.press("Enter")
    assert "browser-document" == page.page.evaluate("document.activeElement.id")
    keys.press("Escape")
    assert "true" == page.page.evaluate("document.activeElement.getAttribute('aria-current')")
    keys.press("/")
    assert "text" == page.page.evaluate("document.activeElement.name")
    keys.type("jk/")
    assert "jk/" == page.page.input_value("[name=text]")


def test_all_controls_are_reached_by_tab_and_show_that_they_are(
    mentions: Case, opened: Open
) -> None:
    page = opened(mentions.file, "#browse?")
    page.page.focus("[name=system]")
    reached: dict[str, str] = {}
    for _ in range(75):
        name, outline = page.page.evaluate(
            """() => {
                const here = document.activeElement;
                const style = getComputedStyle(here);
                return [here.name || here.id || here.className, style.outlineStyle];
            }"""
        )
        reached[name] = outline
        page.page.keyboard.press("Tab")
    names = {"system", "type", "label", "gold_label", "system_label", "document", "text",
             "browser-everyone", "browser-previous", "browser-next", "browser-copy", "example",
             "browser-forward", "browser-document"}  # fmt: skip
    assert names <= set(reached)
    assert "none" not in {reached[name] for name in names - {"system"}}


def test_a_list_of_many_examples_stays_short(mentions: Case, opened: Open) -> None:
    page = opened(mentions.file)
    assert page.examples() > 50
    assert 50 == page.page.locator("#browser-list li").count()


CONTRAST = """() => {
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = parts(getComputedStyle(each).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
      if (colour[3] > 0) throw new Error(`half transparent: ${each.className}`);
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *:not(script):not(style)")) {
    if (element.closest("svg") || element.disabled || !element.checkVisibility()) continue;
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(parts(style.color)), light(ground(element))].sort((x, y) => x - y);
    found.push([(b + 0.05) / (a + 0.05), element.className, element.textContent.slice(0, 30)]);
  }
  return found.sort((x, y) => x[0] - y[0]);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(scheme: str, slots: Case, opened: Open) -> None:
    page = opened(slots.file, "#browse?", color_scheme=scheme)
    every = page.page.evaluate(CONTRAST)
    assert len(every) > 200
    assert [] == [each for each in every if each[0] < 4.5]


@pytest.mark.parametrize("kind", ["mentions", "slots", "hostile"])
def test_nothing_is_wider_than_a_phone(
    kind: str, request: pytest.FixtureRequest, opened: Open
) -> None:
    case: Case = request.getfixturevalue(kind)
    page = opened(case.file, "#browse?", viewport={"width": 360, "height": 740})
    assert 360 == page.page.evaluate("document.documentElement.scrollWidth")
    article = page.page.locator("#browser-document").bounding_box()
    examples = page.page.locator("#browser-list").bounding_box()
    assert article["y"] >= examples["y"] + examples["height"]


def test_the_page_prints_with_all_its_parts_and_without_controls(
    mentions: Case, opened: Open
) -> None:
    page = opened(mentions.file)
    titles = page.page.locator("main h2").all_inner_texts()
    assert {"Summary", "Errors", "Error browser", "Methods"} <= set(titles)
    page.page.emulate_media(media="print")
    assert all(each.is_visible() for each in page.page.locator("main h2").all())
    for control in ("form.filters", "#browser-list", "#browser-next", "#browser-copy", ".keys"):
        assert not page.page.is_visible(control)
    assert page.page.pdf().startswith(b"%PDF-")


def test_without_scripts_everything_that_matters_is_there(mentions: Case, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(mentions.file.as_uri())
    assert 6 <= len(page.locator("main h2").all_inner_texts())
    assert page.locator("main svg").count() > 1
    assert "The browser needs scripts." in page.inner_text("#browser")
    assert not page.is_visible("#browser-app")
    assert "wrong label" in page.inner_text("#errors")
    context.close()


def test_a_browser_that_cannot_unpack_says_so(mentions: Case, browser: Any) -> None:
    context = browser.new_context()
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(mentions.file.as_uri())
    assert page.is_visible("#browser-problem")
    assert not page.is_visible("#browser-app")
    context.close()


# Safety


def test_hostile_text_stays_text(hostile: Case, opened: Open) -> None:
    page = opened(hostile.file, "#browse?")
    count = page.examples()
    assert 2 * len(HOSTILE) == count
    for _ in range(count):
        page.page.keyboard.press("j")
    assert facts(page).startswith(f"Example {count} of {count}, ")
    for label in HOSTILE:
        assert page.browse(browse(label=label)) == page.browse(browse(gold_label=label)) == 2
    assert 0 == page.page.locator("#browser-app :is(script, img, svg, iframe)").count()
    assert page.page.evaluate("window.pwned === undefined")
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_hostile_names_are_shown_as_they_are(hostile: Case, opened: Open) -> None:
    page = opened(hostile.file, "#browse?")
    systems = page.choices("system")
    assert {IMAGE, "\\u202eb\\x00\\udc80"} == set(systems)
    assert systems[IMAGE] == page.browse(browse(system=IMAGE))
    assert SCRIPT in page.choices("gold_label")
    assert 1 <= page.browse(browse(document=f"0{SCRIPT}"))
    assert SCRIPT == page.page.inner_text("#browser-list mark >> nth=0")
    longest = max(map(len, page.choices("label")))
    assert longest < 300

"""Pages to open in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus
from carob.evaluate import demo
from carob.evaluate.report import report

READY = "#browser-app[aria-busy=false]"


class Opened:
    """A page of a report in a browser. Everything that goes wrong in it is in `problems`."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", self._on_dialog)
        page.route("**/*", self._on_request)

    def _on_console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _on_dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_request(self, route: Any) -> None:
        if route.request.is_navigation_request() and route.request.url.startswith("file:"):
            route.continue_()
        else:
            self.problems.append(f"request: {route.request.url}")
            route.abort()

    def open(self, file: Path, fragment: str = "") -> Opened:
        """Open a report, at a place in it."""
        self.page.goto(file.as_uri() + fragment)
        if self.page.evaluate("typeof window !== 'undefined'"):
            self.page.wait_for_selector(READY, state="attached")
        return self

    def browse(self, fragment: str) -> int:
        """Follow a link into the error browser; how many examples there are."""
        self.page.evaluate(
            """(hash) => new Promise((done) => {
                addEventListener("hashchange", () => setTimeout(done), { once: true });
                location.hash = "";
                addEventListener("hashchange", () => setTimeout(done), { once: true });
                location.hash = hash;
            })""",
            fragment,
        )
        return self.examples()

    def examples(self) -> int:
        """How many examples pass the filters, when all is done."""
        self.page.wait_for_selector(READY, state="attached")
        words: str = self.page.inner_text("#browser-count")
        return int(words.split()[0].replace(",", ""))

    def choices(self, name: str) -> dict[str, int]:
        """The choices of a list, and how many examples each says that it has."""
        texts: list[tuple[str, str]] = self.page.eval_on_selector_all(
            f"select[name={name}] option", "all => all.map((each) => [each.value, each.text])"
        )
        return {
            value[1:]: int(text[text.rindex("(") + 1 : -1].replace(",", ""))
            for value, text in texts
            if value
        }


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Opens pages, each with its own settings; in the end nothing may have gone wrong in any."""
    every: list[tuple[Any, Opened]] = []

    def new(file: Path, fragment: str = "", **settings: Any) -> Opened:
        context = browser.new_context(**settings)
        page = Opened(context.new_page())
        every.append((context, page))
        return page.open(file, fragment)

    yield new
    for context, page in every:
        context.close()
        assert [] == page.problems


class Case:
    """Gold and systems, and the page about them."""

    def __init__(self, gold: Any, systems: dict[str, Any], file: Path) -> None:
        self.gold, self.systems, self.file = gold, systems, file
        report(gold, systems, resamples=0).save(file)


def _demo(folder: Path, kind: str, **size: int) -> Case:
    files = {file.stem: file for file in demo.write(folder, kind, **size) if file.suffix != ".md"}
    gold = files.pop("gold")
    del files["careful"]  # two systems are shown side by side
    return Case(gold, files, folder / "report.html")


@pytest.fixture(scope="session")
def mentions(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Two taggers."""
    return _demo(tmp_path_factory.mktemp("mentions"), "mentions")


@pytest.fixture(scope="session")
def slots(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Two systems that fill slots; one of them gives strings alone."""
    return _demo(tmp_path_factory.mktemp("slots"), "seminars", documents=12)


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Two systems that extract records with numbers, dates and lists of objects."""
    folder = tmp_path_factory.mktemp("records")
    demo.write(folder, "invoices", documents=30)
    systems = {name: folder / f"{name}.jsonl" for name in ("careful", "sloppy")}
    return Case(folder / "gold.jsonl", systems, folder / "report.html")


TEXT = "Head and neck pain. New York City Hall \U0001f600 and Dr. Ann Lee\nof Oslo."
SPANS = [
    ("PAIN", [(0, 4), (14, 18)]), ("PAIN", [(9, 18)]), ("LOC", [(20, 28)]), ("ORG", [(20, 38)]),
    ("FAC", [(29, 38)]), ("PER", [(49, 56)]),
]  # fmt: skip
ANSWERS = [
    ("PAIN", [(0, 18)]), ("ORG", [(24, 38)]), ("LOC", [(20, 33)]), ("FAC", [(29, 38)]),
    ("ORG", [(49, 64)]),
]  # fmt: skip


def _document(name: str, spans: list[tuple[str, list[tuple[int, int]]]]) -> dict[str, Any]:
    mentions = [
        {"id": f"T{i}", "label": label, "fragments": [list(span) for span in places]}
        for i, (label, places) in enumerate(spans)
    ]
    relation = {"label": "visits", "arguments": {"who": "T5", "where": "T2"}}
    groups = {"relations": [relation]} if spans is SPANS else {}
    return {"id": name, "text": TEXT, "mentions": mentions, **groups}


@pytest.fixture(scope="session")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Mentions that are nested, cross each other, have gaps, and cross a line break."""
    file = tmp_path_factory.mktemp("nested") / "report.html"
    gold = Corpus.of(_document("d1", SPANS), _document("d10", SPANS))
    system = Corpus.of(_document("d1", ANSWERS), _document("d10", SPANS))
    return Case(gold, {"A & B": system}, file)


SCRIPT = "</script><script>window.pwned = 1</script>"
IMAGE = "<img src=x onerror='window.pwned = 2'>"
HOSTILE = (
    SCRIPT, IMAGE, "\"'><svg onload=alert(1)>", "\x00\x1b[2J", "\u202egnp.exe\u202c", "\udc80half",
    "javascript:alert(1)", "x" * 1_000_000, "%3Cscript%3E&amp;lt;", "{{ 7*7 }}", "__proto__",
)  # fmt: skip


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """Labels, ids, texts and names of systems that try to break out of the page."""
    file = tmp_path_factory.mktemp("hostile") / "report.html"
    sides = []
    for shift in range(3):
        labels = HOSTILE[shift:] + HOSTILE[:shift]
        sides.append(Corpus.of(*(
            {"id": f"{number}{text}", "text": text,
             "mentions": [{"start": 0, "end": len(text), "label": label}]}
            for number, (text, label) in enumerate(zip(HOSTILE, labels, strict=True))
        )))  # fmt: skip
    gold, first, second = sides
    return Case(gold, {IMAGE: first, "\u202eb\x00\udc80": second}, file)

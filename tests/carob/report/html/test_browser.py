"""The data of the error browser: all errors are in it, in codes that say the same, within a cap."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from carob import Corpus, errors, report
from carob.corpus.problems import UsageError
from carob.report.html.browser import CONFUSED, COUNTED, DOCUMENTS, pack
from carob.report.html.page import FOLDER
from carob.result.documents import DocumentErrors, Event, Item

GOLD = Corpus.of("[Ann Lee]PER met [Bo]PER in [Rome]LOC", "It rained", "[Eve]PER slept")
SYSTEM = Corpus.of("[Ann]PER Lee met [Bo]LOC in Rome", "It rained", "[Eve]PER slept")


@pytest.fixture(scope="module")
def whole() -> str:
    """The page of a report of both as systems."""
    return report(GOLD, {"a": SYSTEM, "b": GOLD}, resamples=0).to_html()


def unpacked(text: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(text), wbits=31))


def test_the_index_counts_what_errors_counts() -> None:
    made = report(GOLD, {"a": SYSTEM, "b": GOLD}, resamples=0)
    assert made.documents is not None
    index = unpacked(pack(made.documents(), made.errors).index)
    for number, (name, own) in enumerate(made.errors.items()):
        assert name == index["systems"][number]
        types: Counter[str] = Counter()
        cells: Counter[tuple[str, str]] = Counter()
        names = [*index["labels"], index["none"]]
        for system, kind, gold, answer, flags in zip(
            *(index[key] for key in ("system", "type", "gold", "answer", "flags")), strict=True
        ):
            if system == number:
                types[index["types"][kind]] += bool(flags & COUNTED)
                cells[names[gold], names[answer]] += bool(flags & CONFUSED)
        expected = errors(GOLD, [SYSTEM, GOLD][number])
        assert {kind: expected.counts[kind] for kind in own.kinds} == {
            kind: types[kind] for kind in own.kinds
        }
        assert {(a, b): n for a, b, n in expected.confusion.entries} == cells


def test_a_document_has_its_words_its_items_and_its_events() -> None:
    made = report(GOLD, {"a": SYSTEM}, resamples=0)
    assert made.documents is not None
    packed = pack(made.documents(), made.errors)
    index, (first, *others) = unpacked(packed.index), unpacked(packed.chunks[0])
    labels, types = index["labels"], index["types"]
    assert ["1", "2", "3"] == index["documents"] == [first["name"], *(d["name"] for d in others)]
    assert ["Ann", "Lee", "met", "Bo", "in", "Rome"] == first["tokens"]
    gold, system = ([(labels[label], places) for label, places in side] for side in first["sides"])
    assert [("PER", [0, 2]), ("PER", [3, 4]), ("LOC", [5, 6])] == gold
    assert [("PER", [0, 1]), ("LOC", [3, 4])] == system
    assert {("BES", 0, 0), ("LE", 1, 1), ("FN", 2, -1)} == {
        (types[kind], gold, system) for kind, gold, system, _ in first["events"][0]
    }


def made_up(count: int) -> Iterator[DocumentErrors]:
    """Documents as they come; none is made that nobody asks for."""
    for number in range(count):
        text = f"Ann met {number:07} people"
        item = Item("PER", ((0, 3),))
        yield DocumentErrors(
            f"d{number}", text, None, len(text), (), [item], [[]], [[Event("FN", 0, -1)]]
        )


def test_fifty_thousand_documents_do_not_exceed_the_cap() -> None:
    own = {"a": errors(GOLD, SYSTEM)}
    packed = pack(made_up(50_000), own)
    assert DOCUMENTS == packed.documents == len(unpacked(packed.index)["documents"])
    small = pack(made_up(50_000), own, 50_000, 0.1)
    assert 0 < small.documents < 50_000
    assert small.size <= 100_000
    assert small.documents == sum(len(unpacked(chunk)) for chunk in small.chunks)
    assert set(unpacked(small.index)["document"]) == set(range(small.documents))
    none = pack(made_up(5), own, 5, 0)
    assert (0, ()) == (none.documents, none.chunks)
    assert [] == unpacked(none.index)["document"] == unpacked(none.index)["documents"]


def test_chunks_follow_each_other() -> None:
    packed = pack(made_up(5000), {"a": errors(GOLD, SYSTEM)})
    names = [document["name"] for chunk in packed.chunks for document in unpacked(chunk)]
    index = unpacked(packed.index)
    assert len(packed.chunks) > 1
    assert names == index["documents"]
    assert index["first"] == [names.index(unpacked(chunk)[0]["name"]) for chunk in packed.chunks]


def test_colours_that_styles_use_are_there() -> None:
    styles = "".join((FOLDER / name).read_text() for name in ("style.css", "browser.css"))
    defined = set(re.findall(r"(--[\w-]+):", styles))
    assert set(re.findall(r"var\((--[\w-]+)\)", styles)) <= defined


def test_the_page_states_the_cap_and_how_to_raise_it(whole: str) -> None:
    text = report(GOLD, {"a": SYSTEM}, resamples=0, browser_documents=2).to_html()
    words = " ".join(re.sub("<[^>]*>", "", text).split())
    assert "The first 2 of 3 documents are here, those with errors before others" in words
    assert "at most 2 documents and 20 MB" in words
    assert "--browser-documents and --browser-megabytes" in words
    assert "All 3 documents are here" in whole


def test_without_documents_there_is_no_browser_and_no_text(whole: str) -> None:
    systems = {"a": SYSTEM, "b": GOLD}
    text = report(GOLD, systems, resamples=0, browser_documents=0, examples=0).to_html()
    assert 'id="browser-app"' not in text
    assert "It rained" not in text and "Rome" not in text
    assert 'href="#browse' not in text and "link to examples" not in text
    assert 'href="#browse' in whole


def test_a_cap_below_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="browser_documents and browser_megabytes must be 0 or"):
        report(GOLD, {"a": SYSTEM}, browser_documents=-1)
    with pytest.raises(UsageError, match="browser_documents and browser_megabytes must be 0 or"):
        report(GOLD, {"a": SYSTEM}, browser_megabytes=float("nan"))


def test_text_of_files_is_packed_whatever_is_in_it() -> None:
    text = "</script><script>\x00\u202e\udc80 \U0001f600"
    mention = {"start": 0, "end": 9, "label": "<b>\udc80"}
    gold = Corpus.of({"id": "</script>\x00", "text": text, "mentions": [mention]})
    system = Corpus.of({"id": "</script>\x00", "text": text, "mentions": []})
    made = report(gold, {"<i>": system}, resamples=0)
    assert made.documents is not None
    packed = pack(made.documents(), made.errors)
    assert text == unpacked(packed.chunks[0])[0]["text"]
    assert re.fullmatch("[A-Za-z0-9+/=]+", packed.index + packed.chunks[0])
    assert ["</script>\\x00"] == unpacked(packed.index)["documents"]

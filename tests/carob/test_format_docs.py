"""The pages on formats tell the truth: every example is read, and gives what stands below it.

An example is a block that is fenced as its format (`conll`, `tbf` ...); the block fenced as `jsonl`
that follows holds the same documents in carob's own format, complete. The example of brat is two
blocks, the text (`brat.txt`) and the annotations (`brat.ann`).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from carob import Corpus, read, registry
from carob.corpus.record import record_of
from carob.corpus.source import Source

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = [DOCS / "formats.md", *sorted((DOCS / "formats").glob("*.md"))]
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.M | re.S)


class Example(NamedTuple):
    page: str
    format: str
    files: dict[str, str]
    expected: str


def examples() -> list[Example]:
    found = []
    for page in PAGES:
        blocks = FENCE.findall(page.read_text(encoding="utf-8"))
        for at, (kind, text) in enumerate(blocks):
            format, _, ending = kind.partition(".")
            if format not in registry.builtin("formats") or ending == "ann" or kind == "jsonl":
                continue
            files = {f"example.{ending or format}": text}
            if ending:
                at += 1
                files["example.ann"] = blocks[at][1]
                files["example.txt"] = text.removesuffix("\n")
            assert "jsonl" == blocks[at + 1][0], f"{page.name}: no jsonl below {text}"
            found.append(Example(page.name, format, files, blocks[at + 1][1]))
    return found


def source(example: Example) -> Source:
    files = {name: text.encode() for name, text in example.files.items()}
    if len(files) == 1:
        return Source.of_bytes(next(iter(files.values())), "example")
    return Source.of_files(files, "example")


def content(corpus: Corpus) -> list[object]:
    return [record_of(document) for document in corpus]


@pytest.mark.parametrize("example", examples(), ids=lambda each: f"{each.page}-{each.format}")
def test_an_example_is_what_the_page_says(example: Example) -> None:
    expected = [json.loads(line) for line in example.expected.splitlines()]
    assert expected == content(read(source(example), example.format))
    found = read(source(example))
    assert found.origin is not None
    assert (example.format, expected) == (found.origin.format, content(found))


def test_what_stands_below_an_example_is_jsonl() -> None:
    lines = [text for page in PAGES for kind, text in FENCE.findall(page.read_text("utf-8"))
             if kind == "jsonl"]  # fmt: skip
    assert len(lines) >= len(registry.builtin("formats"))
    for text in lines:
        written = [json.loads(line) for line in text.splitlines()]
        found = read(Source.of_bytes(text.encode(), "example"))
        assert found.origin is not None
        assert ("jsonl", written) == (found.origin.format, content(found))


def test_every_format_has_a_section_or_a_page_and_an_example() -> None:
    sections = (DOCS / "formats.md").read_text(encoding="utf-8")
    for format in registry.builtin("formats"):
        assert re.search(rf"^## {format}$", sections, re.M), format
        own = DOCS / "formats" / f"{format}.md"
        assert not own.exists() or f"(formats/{format}.md)" in sections
    binary = {name for name, signs in registry.signs("formats").items() if signs == "binary"}
    shown = {example.format for example in examples()} | {"jsonl"} | binary
    assert set(registry.builtin("formats")) == shown


@pytest.mark.parametrize("example", examples(), ids=lambda each: f"{each.page}-{each.format}")
def test_a_signature_says_how_an_example_was_read(example: Example) -> None:
    cls = registry.load("formats", example.format)
    if not hasattr(cls, "from_signature"):
        return
    corpus = read(source(example), example.format)
    assert corpus.origin is not None
    others = {"carob": "0", "recipe": "exact.F1", "unit": "char", "format": example.format}
    parameters = cls.from_signature({**others, **corpus.origin.parameters})
    assert content(corpus) == content(read(source(example), example.format, **parameters))

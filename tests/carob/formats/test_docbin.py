"""DocBin: what spaCy writes is read, and whatever is damaged is refused in words."""

from __future__ import annotations

import random
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from carob import InputError, UsageError, check, convert, read
from carob.corpus.corpus import fact_remarks
from carob.corpus.source import Source
from carob.formats import docbin
from tests.carob.formats._files import of_bytes, speaks

spacy: Any = pytest.importorskip("spacy")
pytestmark = pytest.mark.slow  # spaCy takes seconds to load


def made(*texts: str, user_data: bool = False) -> bytes:
    """Each text is one sentence; its second token is a PER. If it does not begin with No, it has a
    group of spans.
    """
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    packed = spacy.tokens.DocBin(store_user_data=user_data)
    for text in texts:
        doc = nlp(text)
        doc.ents = [spacy.tokens.Span(doc, 1, 2, label="PER")]
        if not text.startswith("No"):
            doc.spans["sc"] = [spacy.tokens.Span(doc, 0, 2, label="A"),
                               spacy.tokens.Span(doc, 1, 2, label="B")]  # fmt: skip
        packed.add(doc)
    return bytes(packed.to_bytes())


def test_texts_tokens_sentences_and_entities_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.spacy").write_bytes(made("😀 Ann slept. It rained.", "Oh Bo!"))
    corpus = read(tmp_path / "a.spacy")
    assert corpus.origin is not None
    assert "docbin" == corpus.origin.format
    first, second = corpus
    assert "😀 Ann slept. It rained." == first.text and (0, 13) == first.sentences
    assert ((0, 1), (2, 5)) == (first.token_spans or ())[:2]
    assert [("PER", 2, 5)] == [(m.label, m.start, m.end) for m in first.mentions]
    assert ("Oh Bo!", 1) == (second.text, len(second.mentions))
    (warning,) = check(tmp_path / "a.spacy").problems
    assert "2 documents with groups of spans, which are not read; --read spans=NAME reads one of " \
        "them" == warning.found  # fmt: skip
    convert(tmp_path / "a.spacy", tmp_path / "a.jsonl")
    assert list(corpus) == list(read(tmp_path / "a.jsonl"))


def test_a_group_of_spans_is_read_instead() -> None:
    (document,) = of_bytes(made("Oh Ann!"), "docbin", spans="sc")
    assert [("A", 0, 6), ("B", 3, 6)] == [(m.label, m.start, m.end) for m in document.mentions]
    with pytest.raises(InputError, match=r"no group of spans 'x', expected one of the .*: 'sc'"):
        of_bytes(made("Oh Ann!"), "docbin", spans="x")


def test_documents_without_the_group_are_counted_and_a_file_without_it_is_refused() -> None:
    corpus = of_bytes(made("Oh Ann!", "No Bo!"), "docbin", spans="sc")
    assert [2, 0] == [len(each.mentions) for each in corpus]
    assert [("K236", "1 document without the group of spans that spans= names")] \
        == fact_remarks(corpus)  # fmt: skip
    with pytest.raises(InputError) as caught:
        of_bytes(made("No Bo!"), "docbin", spans="sc")
    assert "file: K232 found no group of spans 'sc', expected one, and there are none" \
        == str(caught.value)  # fmt: skip


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made("Oh Ann!")
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    with pytest.raises(InputError, match=r"K246 found a DocBin of spaCy, expected spaCy, which"):
        read(Source.of_bytes(data, "a.spacy"))


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docbin, "_MOST", 1 << 20)
    with pytest.raises(InputError, match="K010 found more than 1,048,576 bytes unpacked"):
        of_bytes(zlib.compress(b"attrs" + b"\0" * (1 << 21)), "docbin")


def test_whatever_is_damaged_gives_a_corpus_or_an_input_error() -> None:
    rng = random.Random("docbin")
    original = made("😀 Ann slept.", "Oh Bo!", user_data=True)
    unpacked = zlib.decompress(original)
    outcomes = {"read": 0, "refused": 0}
    for number in range(300):
        data = bytearray(original if number % 3 == 0 else unpacked)
        for _ in range(rng.choice((1, 1, 2, 5))):
            at = rng.randrange(len(data))
            data[at : at + rng.choice((0, 1, 1, 4))] = rng.randbytes(rng.choice((0, 1, 1, 3)))
        raw = bytes(data) if number % 3 == 0 else zlib.compress(bytes(data))
        try:
            of_bytes(raw, "docbin")
            outcomes["read"] += 1
        except InputError as error:
            speaks(error)
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20


@pytest.mark.parametrize("data", [b"", b"x\x9c", b"PAR1", b"x\x9c\0\0\0", zlib.compress(b"attrs")])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        of_bytes(data, "docbin")


def test_it_is_not_written() -> None:
    with pytest.raises(UsageError, match="can only be read"):
        convert(of_bytes(made("Oh Ann!"), "docbin"), "x.spacy", "docbin")

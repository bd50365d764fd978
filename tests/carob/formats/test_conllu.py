"""CoNLL-U: tags in its last column, and no file that looks like one is misread."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from carob import Corpus, Document, InputError, Mention, UsageError, check, read
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes, written


def row(number: str, form: str, misc: str = "_") -> str:
    return "\t".join([number, form, *"_______", misc]) + "\n"


ANN = row("1", "Ann", "SpaceAfter=No|NER=B-PER") + row("2", "Lee", "NER=I-PER") + row("3", "slept")


def test_it_is_recognised_and_other_lines_are_left_out() -> None:
    text = "# newdoc id = d1\n# global\n" + row("1-2", "Ann Lee") + ANN + row("3.1", "x") + "\n"
    corpus = read(Source.of_bytes((text + row("1", "New York", "NER=B-LOC")).encode(), "a.conllu"))
    assert corpus.origin is not None and "conllu" == corpus.origin.format
    (document,) = corpus
    assert ("d1", ("Ann", "Lee", "slept", "New\u00a0York")) == (document.id, document.tokens)
    assert (Mention("PER", 0, 2), Mention("LOC", 3, 4)) == document.mentions
    assert (0, 3) == document.sentences


@pytest.mark.parametrize("misc", ["Tag=B-PER", "SpaceAfter=No", "A[psor]=b|SpaceAfter=No"])
def test_a_file_with_other_keys_alone_is_not_read_as_columns(misc: str) -> None:
    """Its numbers would be words, and its last column labels."""
    data = (row("1", "Ann", misc) + row("2", "slept")).encode()
    key = misc.partition("=")[0]
    with pytest.raises(InputError, match=rf"K238 found no NER= in .*, but {re.escape(key)}="):
        read(Source.of_bytes(data, "a.conllu"))


def test_another_key_and_invalid_sequences(tmp_path: Path) -> None:
    text = (row("1", "Ann", "NE=I-PER|NER=O") + row("2", "x", "NE=B-LOC")).encode()
    corpus = of_bytes(text, "conllu", key="NE", scheme="iob2")
    assert ("PER", "LOC") == tuple(m.label for m in corpus[0].mentions)
    assert 1 == corpus.facts["repaired"]
    with pytest.raises(InputError, match="file:1: K108"):
        of_bytes(text, "conllu", key="NE", scheme="iob2", repair="strict")


@pytest.mark.parametrize(("text", "message"), [
    (row("1", "Ann", "Entity=(1-person-giv"), "K238 found no NER= in the last column"),
    (row("1", "Ann", "NER=(PER)"), "K238 found brackets in NER="),
    (ANN + "4 Bo O\n", "file:4: K238 found 1 columns, expected ten columns"),
    (ANN + row("x", "Bo"), "file:4: K238 found no number, expected ten columns"),
    (ANN + row("4", "Bo", "NER=Q-X"), "file:4: K104"),
    (ANN + row("4", "-DOCSTART-"), "file:4: K238 found the word -DOCSTART-"),
])  # fmt: skip
def test_what_is_no_such_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of_bytes(text.encode(), "conllu")
    if "NER=" in text or "Entity=" in text:  # detected, it is the same
        with pytest.raises(InputError, match=message.removeprefix("file")):
            read(Source.of_bytes(text.encode()))


def test_the_errors_of_check_name_the_lines_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_text(
        row("1-2", "AnnLee") + row("1", "Ann", "NER=B-PER") + row("2", "x", "NER=I-LOC")
    )
    assert [("K108", 3)] == [(each.code, each.line) for each in check(file).problems]


def test_it_is_written_and_read_again() -> None:
    first = Document("d1", tokens=("Ann", "Lee", "slept"), mentions=(Mention("PER", 0, 2),))
    second = Document("d2", tokens=("#",), sentences=(0,))
    corpus = Corpus.of(replace(first, sentences=(0, 2)), second)
    data = written(corpus, "conllu", key="NE")
    rows = [line.split(b"\t") for line in data.splitlines()]
    assert [b"1", b"2", b"1", b"1"] == [columns[0] for columns in rows if len(columns) == 10]
    assert list(corpus) == list(of_bytes(data, "conllu", key="NE"))
    for label in ("A|B", "A B"):
        with pytest.raises(UsageError, match=r"^conllu cannot hold the label"):
            written(Corpus.of(Document(tokens=("a",), mentions=(Mention(label, 0, 1),))), "conllu")


@pytest.mark.parametrize(("tags", "mentions"), [
    (("S-LOC", "_", "_", "O"), [("LOC", 1, 3)]),
    (("U-LOC", "_", "_", "O"), [("LOC", 1, 3)]),
    (("B-LOC", "_", "_", "E-LOC"), [("LOC", 1, 4)]),
    (("B-LOC", "_", "_", "I-LOC"), [("LOC", 1, 4)]),
    (("I-LOC", "_", "_", "O"), [("LOC", 1, 3)]),
    (("LOC", "_", "_", "O"), [("LOC", 1, 3)]),
    (("O", "_", "_", "S-LOC"), [("LOC", 3, 4)]),
    (("S-LOC", "_", "S-LOC", "O"), [("LOC", 2, 3)]),
])  # fmt: skip
def test_a_tag_of_a_multiword_token_is_that_of_its_words(
    tags: tuple[str, ...], mentions: list[tuple[str, int, int]]
) -> None:
    """As Stanza writes it."""
    token, *words = [tag if tag == "_" else f"NER={tag}" for tag in tags]
    text = row("1", "vista", "NER=O") + row("2-3", "DelRoma", token) + row("2", "Del", words[0])
    text += row("3", "Roma", words[1]) + row("4", "Nord", words[2]) + "\n" + row("2", "x")
    corpus = of_bytes(text.encode(), "conllu")
    assert mentions == [(m.label, m.start, m.end) for m in corpus[0].mentions]
    assert 0 == corpus.facts.get("repaired", 0)


def test_an_end_on_a_multiword_token_is_on_its_last_word() -> None:
    text = row("1", "a", "NER=B-X") + row("2-4", "bcd", "NER=E-X")
    text += "".join(row(str(number), "w") for number in (2, 3, 4)) + row("5", "e", "NER=S-X")
    corpus = of_bytes(text.encode(), "conllu", scheme="iobes", repair="strict")
    assert [(0, 4), (4, 5)] == [(m.start, m.end) for m in corpus[0].mentions]


@pytest.mark.parametrize(("words", "found"), [
    (row("1", "Del", "NER=O") + row("2", "Roma"), "have the tags O"),
    (row("1", "Del", "NER=B-PER") + row("2", "Roma", "NER=E-PER"),
     "have the tags B-PER, E-PER"),
    ("\n" + row("1", "Del") + row("2", "Roma"), "do not follow"),
])  # fmt: skip
def test_a_tag_of_a_multiword_token_that_its_words_do_not_have_is_refused(
    words: str, found: str
) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes((row("1-2", "DelRoma", "NER=S-LOC") + words).encode(), "conllu")
    assert (
        f"file:1: K238 found the tag S-LOC of a token whose words {found}, expected a tag of the "
        "token or of its words, or the same label on both" == str(caught.value)
    )

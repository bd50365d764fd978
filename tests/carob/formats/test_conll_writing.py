"""What is written as conll is read back the same; what a column of tags cannot hold is refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from carob import Corpus, Document, Mention, UsageError, read, write
from carob.arrays.tags import SCHEMES
from tests.carob.formats._files import of_bytes, written
from tests.worlds import WORDS, random_flat, times

LABELS = ("A", "B", "O", "I-A", "é", "a.b")


def random_documents(rng: random.Random, count: int) -> list[Document]:
    found = []
    for _ in range(count):
        length = rng.randint(0, 8)
        breaks = (
            tuple(sorted({0, *(rng.randint(0, length - 1) for _ in range(2))})) if length else ()
        )
        found.append(
            Document(
                tokens=tuple(rng.choice(WORDS) for _ in range(length)),
                mentions=random_flat(rng, length, LABELS, breaks),
                sentences=breaks,
            )
        )
    return found


def touching(document: Document) -> bool:
    pairs = zip(document.mentions, document.mentions[1:], strict=False)
    return any(
        a.end == b.start and a.label == b.label and b.start not in document.sentences
        for a, b in pairs
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_was_written_is_read_back(scheme: str) -> None:
    rng = random.Random(scheme)
    for _ in range(times(0.4)):
        documents = random_documents(rng, rng.randint(1, 4))
        if scheme == "io":
            documents = [d for d in documents if not touching(d)] or [
                Document(tokens=("x",), sentences=(0,))
            ]
        corpus = Corpus.of(*documents)
        data = written(corpus, "conll", scheme=scheme)
        for found in (of_bytes(data), of_bytes(data, scheme=scheme, repair="strict")):
            assert list(corpus) == list(found)
            assert sum(found.facts.values()) == 0
        assert data == written(of_bytes(data), "conll", scheme=scheme)


def test_ids_of_documents_are_read_back() -> None:
    for words in (("Ann", "#"), ("#", "#"), ("#newdoc",), ()):
        corpus = Corpus.of(
            Document("d 1", tokens=words, sentences=(0,) if words else ()),
            Document("é", tokens=("x",), mentions=(Mention("A", 0, 1),), sentences=(0,)),
        )
        data = written(corpus, "conll")
        assert data.startswith(b"# newdoc id = d 1\n")
        assert list(corpus) == list(of_bytes(data))


def test_iob2_is_written_unless_told() -> None:
    corpus = Corpus.of("[Ann Lee]PER [Bo]PER slept")
    expected = b"-DOCSTART- O\n\nAnn B-PER\nLee I-PER\nBo B-PER\nslept O\n\n"
    assert expected == written(corpus, "conll") == written(corpus, "conll", scheme="iob2")


def test_unknown_tokens_are_written_as_a_line() -> None:
    assert b"-DOCSTART- O\n\n_ B-X\n_ O\n\n" == written(Corpus.from_tags([["B-X", "O"]]), "conll")


def test_a_file_is_written_by_its_extension(tmp_path: Path) -> None:
    corpus = Corpus.of("[Ann]PER slept")
    write(corpus, tmp_path / "a.conll", scheme="iobes")
    assert b"-DOCSTART- O\n\nAnn S-PER\nslept O\n\n" == (tmp_path / "a.conll").read_bytes()
    assert [d.mentions for d in corpus] == [d.mentions for d in read(tmp_path / "a.conll")]
    with pytest.raises(UsageError) as caught:
        write(corpus, tmp_path / "a.xyz")
    assert "no format ends in '.xyz'; say which with format=" == str(caught.value)


@pytest.mark.parametrize(
    ("document", "scheme", "message"),
    [
        (Document(text="Ann"), "auto", "conll holds tokens; this corpus counts characters"),
        (Document(unit="token"), "auto", "conll holds tokens; these documents have none"),
        (
            Document(tokens=("a", "b", "c"), mentions=(Mention.of("X", [(0, 1), (2, 3)]),)),
            "auto",
            "conll cannot hold discontinuous mentions (1, the first in document '1')",
        ),
        (
            Document("d1", tokens=("a", "b"), mentions=(Mention("X", 0, 2), Mention("Y", 1, 2))),
            "auto",
            "conll cannot hold overlapping mentions (1, the first in document 'd1')",
        ),
        (
            Document("d1", tokens=("a", "b"), mentions=(Mention("X", 0, 2),), sentences=(0, 1)),
            "auto",
            "conll cannot hold mentions across sentences (1, the first in document 'd1')",
        ),
        (
            Document(tokens=("a",), mentions=(Mention("a b", 0, 1),)),
            "auto",
            "conll cannot hold the label 'a b'",
        ),
        (
            Document(tokens=("a",), mentions=(Mention("A|I-B", 0, 1),)),
            "auto",
            "conll cannot hold the label 'A|I-B'",
        ),
        (Document("a  b", tokens=("a",)), "auto", "conll cannot hold the document id 'a  b'"),
        (
            Document("d", tokens=("a",), mentions=(Mention("A", 0, 1, (), {"x": "y"}, 0.5),)),
            "auto",
            "conll cannot hold attributes of mentions (1, the first in document 'd') and "
            "confidences (1, the first in document 'd')",
        ),
        (Document(tokens=("a b",)), "auto", "conll cannot hold the token 'a b'"),
        (Document(tokens=("",)), "auto", "conll cannot hold the token ''"),
        (Document(tokens=("-DOCSTART-",)), "auto", "conll cannot hold the token '-DOCSTART-'"),
        (Document(tokens=("a\0",)), "auto", "conll cannot hold the token 'a\\x00'"),
        (Document(tokens=("\ud800",)), "auto", "conll cannot hold the token '\\ud800'"),
        (
            Document(tokens=("a", "b"), mentions=(Mention("X", 0, 1), Mention("X", 1, 2))),
            "io",
            "io cannot hold two touching mentions of one label; write iob2",
        ),
    ],
)
def test_what_conll_cannot_hold_is_refused(document: Document, scheme: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        written(Corpus.of(document), "conll", scheme=scheme)
    assert message == str(caught.value)

"""A conll file is read as its definition says, whatever its white space, and however it is cut
into chunks and blocks on the way.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from carob import Corpus, Document, InputError, Mention, Pair, UsageError, score
from carob.arrays.tags import SCHEMES
from carob.corpus.source import Source
from carob.formats import _tagged
from carob.formats.conll import Conll
from tests.carob.formats._files import (
    Slow,
    legal,
    of_bytes,
    random_file,
    slow_conll,
    slow_mentions,
)
from tests.worlds import times


def mentions(data: bytes, **parameters: Any) -> list[tuple[Mention, ...]]:
    return [document.mentions for document in of_bytes(data, **parameters)]


def expected_of(slow: Slow, scheme: str, repair: str = "conlleval") -> Document:
    found = [
        Mention(label, at + start, at + end)
        for at, tags in slow.of_sentence()
        for start, end, label in slow_mentions(tags, scheme, repair)
    ]
    return Document(
        tokens=tuple(t.decode() for t in slow.tokens),
        mentions=tuple(found),
        sentences=tuple(slow.sentences),
        unit="token",
    )


@pytest.mark.parametrize("letters", sorted(set(SCHEMES.values())))
def test_files_are_read_as_the_slow_reader_reads_them(letters: str) -> None:
    rng = random.Random(letters)
    for _ in range(times(1)):
        data = random_file(rng, letters)
        slow = slow_conll(data)
        corpus = of_bytes(data)
        assert [expected_of(each, "auto") for each in slow] == list(corpus)
        assert [each.line for each in slow] == corpus.documents.line.tolist()
        assert [len(each.tokens) for each in slow] == corpus.documents.length.tolist()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_discard_drops_what_the_scheme_does_not_allow(scheme: str) -> None:
    rng = random.Random(scheme)
    dropped = 0
    for _ in range(times(0.75)):
        data = random_file(rng, SCHEMES[scheme])
        slow = slow_conll(data)
        corpus = of_bytes(data, scheme=scheme, repair="discard")
        assert [expected_of(each, scheme, "discard") for each in slow] == list(corpus)
        every = of_bytes(data, scheme=scheme)
        dropped = len(every.mentions) - len(corpus.mentions)
        assert {"repaired": 0, "discarded": dropped}.items() <= corpus.facts.items()
        assert {"repaired": dropped, "discarded": 0}.items() <= every.facts.items()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_strict_names_the_line_of_every_mention_that_is_not_legal(scheme: str) -> None:
    rng = random.Random(scheme)
    for _ in range(times(0.75)):
        data = random_file(rng, SCHEMES[scheme], marked=False)
        lines = []
        for each in slow_conll(data):
            found = slow_mentions(each.tags, scheme, "conlleval")
            lines += [each.line + a for a, b, _ in found if not legal(each.tags, a, b, scheme)]
        if lines:
            with pytest.raises(InputError) as caught:
                of_bytes(data, scheme=scheme, repair="strict")
            assert lines == [problem.line for problem in caught.value.problems]
            assert len(lines) == caught.value.total
        else:
            strict = of_bytes(data, scheme=scheme, repair="strict")
            assert list(of_bytes(data, scheme=scheme)) == list(strict)


@pytest.mark.parametrize("repair", ["conlleval", "discard"])
def test_chunks_and_blocks_make_no_difference(repair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(repair)
    files = [random_file(rng, rng.choice(("BI", "BIES", "I")), most=60) for _ in range(times(0.75))]
    parameters: list[dict[str, Any]] = [
        {"repair": repair, "documents": rng.choice(("auto", "auto", "file"))} for _ in files
    ]
    whole = [of_bytes(data, **each) for data, each in zip(files, parameters, strict=True)]
    monkeypatch.setattr(_tagged, "SIZE", 64)
    monkeypatch.setattr(_tagged, "BLOCK", 5)
    blocks = 0
    for data, corpus, each in zip(files, whole, parameters, strict=True):
        cut = of_bytes(data, **each)
        assert list(corpus) == list(cut)
        assert corpus.facts == cut.facts
        assert corpus.origin == cut.origin
        assert corpus.labels == cut.labels
        for name in ("hash", "line", "offset", "length"):
            before, after = (getattr(c.documents, name).tolist() for c in (corpus, cut))
            assert before == after
        blocks += len(list(Conll(**each).read(Source.of_bytes(data))))
    assert blocks > 2 * len(files)


def test_every_file_size_around_a_chunk_border_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tagged, "SIZE", 64)
    for size in range(1, 140):
        for tail in (b"", b"\n", b"\r\n", b"\n\n"):
            data = b"a B-X\n" * (size // 10) + b"x" * (size % 10 + 1) + b" I-X" + tail
            slow = slow_conll(data)
            assert [expected_of(each, "iob2") for each in slow] == list(of_bytes(data))


def test_iobes_is_read_as_iobes() -> None:
    gold = b"a B-X\nb E-X\nc B-X\nd E-X\n"
    system = b"a B-X\nb I-X\nc I-X\nd E-X\n"
    assert [(Mention("X", 0, 2), Mention("X", 2, 4))] == mentions(gold)
    assert [(Mention("X", 0, 4),)] == mentions(system)
    scores = score(of_bytes(gold), of_bytes(system), "exact.tp")
    assert 0 == scores.value
    assert [(Mention("X", 0, 1), Mention("X", 1, 2))] == mentions(b"a E-X\nb S-X\n")


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("I-X O I-X", "io"),
        ("X O Y", "io"),
        ("O O", "io"),
        ("I-X B-X", "iob1"),
        ("I-X B-Y", "iob2"),
        ("B-X I-X", "iob2"),
        ("I-X E-X I-X", "ioe1"),
        ("I-X E-X I-Y", "ioe2"),
        ("I-X E-X", "ioe2"),
        ("B-X E-X", "iobes"),
        ("S-X", "iobes"),
        ("B-X L-X U-Y", "bilou"),
        ("B-X M-X E-X", "bmes"),
        ("B-X E-X W-X", "bmewo"),
    ],
)
def test_the_scheme_is_found_in_the_file(tags: str, scheme: str) -> None:
    data = "".join(f"x {tag}\n" for tag in tags.split()).encode()
    origin = of_bytes(data).origin
    assert origin is not None
    assert scheme == origin.parameters["scheme"]


def test_the_whole_file_decides_on_the_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tagged, "SIZE", 32)
    monkeypatch.setattr(_tagged, "BLOCK", 1)
    data = b"a I-X\nb B-X\n\n" * 10 + b"c B-X\n"
    corpus = of_bytes(data, repair="discard")
    assert corpus.origin is not None
    assert "iob2" == corpus.origin.parameters["scheme"]
    assert 10 == corpus.facts["discarded"]
    assert 11 == len(corpus.mentions)


def test_conlleval_opens_a_mention_at_a_stray_inside_tag_and_at_another_label() -> None:
    data = b"a O\nb I-X\nc I-Y\nd B-Y\ne I-X\n"
    found = [(Mention("X", 1, 2), Mention("Y", 2, 3), Mention("Y", 3, 4), Mention("X", 4, 5))]
    assert found == mentions(data)
    assert [(Mention("Y", 3, 4),)] == mentions(data, scheme="iob2", repair="discard")


def test_docstart_opens_a_document_and_blank_lines_sentences() -> None:
    data = b"-DOCSTART- O\n\na O\n\nb B-X\nc O\n\n-DOCSTART- O\n\nd B-X\n"
    first, second = of_bytes(data)
    assert (("a", "b", "c"), (0, 1), (Mention("X", 1, 2),)) == (
        first.tokens, first.sentences, first.mentions,
    )  # fmt: skip
    assert (("d",), (0,), (Mention("X", 0, 1),)) == (
        second.tokens, second.sentences, second.mentions,
    )  # fmt: skip


def test_without_docstart_a_blank_line_block_is_a_document() -> None:
    found = of_bytes(b"\n\na B-X\n\n\n \t\nb B-X\nc O\n\n")
    assert [("a",), ("b", "c")] == [document.tokens for document in found]


def test_the_file_can_be_one_document() -> None:
    (document,) = of_bytes(b"-DOCSTART- O\n\na B-X\n\nb I-X\n-DOCSTART-\nc I-X\n", documents="file")
    assert ("a", "b", "c") == document.tokens
    assert (0, 1, 2) == document.sentences
    assert (Mention("X", 0, 1), Mention("X", 1, 2), Mention("X", 2, 3)) == document.mentions


def test_a_document_may_be_empty() -> None:
    found = of_bytes(b"-DOCSTART-\n-DOCSTART-\n\na B-X\n-DOCSTART-")
    assert [(), ("a",), ()] == [document.tokens for document in found]
    assert [0, 1, 0] == found.documents.length.tolist()


@pytest.mark.parametrize(
    "data",
    [
        b"a B-X\nb I-X\n",
        b"a B-X\nb I-X",
        b"a B-X\r\nb I-X\r\n",
        b"a B-X\r\nb I-X",
        b"a B-X\nb I-X\r",
        b"\xef\xbb\xbfa B-X\nb I-X\n",
        b"a\tB-X\nb\t\tI-X\n",
        b"  a \t B-X  \n\tb  I-X\t\n",
        b"\n\r\n \na B-X\nb I-X\n\n \n",
    ],
)
def test_line_ends_marks_and_blanks_make_no_difference(data: bytes) -> None:
    (document,) = of_bytes(data)
    assert ("a", "b") == document.tokens
    assert (Mention("X", 0, 2),) == document.mentions
    agrees = Pair.of(of_bytes(b"a B-X\nb I-X\n"), of_bytes(data))
    assert agrees.gold.end.tolist() == agrees.system.end.tolist()


@pytest.mark.parametrize(
    ("parameters", "token", "label"),
    [
        ({}, "a", "Z"),
        ({"tag": 1}, "a", "X"),
        ({"tag": -3}, "a", "X"),
        ({"tag": 2, "token": 3}, "I-Z", "Y"),
        ({"tag": -2, "token": -4}, "a", "Y"),
        ({"token": -1}, "I-Z", "Z"),
    ],
)
def test_columns_are_counted_from_either_end(
    parameters: dict[str, Any], token: str, label: str
) -> None:
    corpus = of_bytes(b"a I-X I-Y I-Z\n", **parameters)
    assert ((token,), (Mention(label, 0, 1),)) == (corpus[0].tokens, corpus[0].mentions)
    alone = of_bytes(f"{token} O\n".encode())
    assert alone.documents.hash.tolist() == corpus.documents.hash.tolist()


def test_a_column_of_tags_alone_is_read_and_pairs_with_any_words() -> None:
    tags = of_bytes(b"B-X\nO\n")
    assert (None, (Mention("X", 0, 1),)) == (tags[0].tokens, tags[0].mentions)
    pair = Pair.of(of_bytes(b"Ann B-X\nslept O\n"), tags)
    assert (1, 1) == (len(pair.gold), len(pair.system))


def test_bytes_that_are_no_utf8_are_kept_in_tokens() -> None:
    corpus = of_bytes(b"a\xff B-X\n")
    assert "a\udcff" == (corpus[0].tokens or ("",))[0]


def test_how_a_file_was_read_is_said() -> None:
    origin = of_bytes(b"x a B-X\n", tag=-1, token=1).origin
    assert origin is not None
    said = {"columns": "-1+token=1", "scheme": "iob2", "repair": "conlleval", "documents": "block"}
    assert said == origin.parameters


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"scheme": "iobs"},
            "no scheme is called 'iobs'; did you mean iobes? there are: "
            "auto, bilou, bmes, bmewo, io, iob1, iob2, iobes, ioe1, ioe2",
        ),
        ({"repair": "x"}, "no repair is called 'x'; there are: conlleval, discard, strict"),
        (
            {"documents": "x"},
            "documents is auto, block, file or a number of blocks, not 'x'",
        ),
        (
            {"column": 3},
            "the format conll has no parameter 'column'; "
            "there are: documents, repair, scheme, tag, token",
        ),
    ],
)
def test_unknown_choices_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        of_bytes(b"a O\n", **parameters)
    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (b"Ann B-PER\nslept O\n", 0.9),
        (b"\xef\xbb\xbfAnn\tB-PER\r\nslept\tO\r\n", 0.9),
        (b"{}\n", 0.0),
        (b"[1]\n", 0.0),
        (b"Some text.\nMore.\n", 0.1),
        (b"", 0.0),
    ],
)
def test_a_file_of_tags_is_recognised(head: bytes, sure: float) -> None:
    assert sure == Conll.sniff(head)


def test_labels_are_those_of_the_file_in_order() -> None:
    assert ("a", "b") == of_bytes(b"x B-b\nx B-a\n").labels
    assert () == Corpus.of("x").labels

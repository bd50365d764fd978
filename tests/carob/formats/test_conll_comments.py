"""Comments in conll files are no tokens and end nothing; `# newdoc` opens a document, with its id.
A hash sign is also a word, and stays one wherever it has as many columns as other words.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

import pytest

from carob import InputError, Pair
from carob.corpus.source import Source
from carob.evaluate.read import sniffed
from carob.formats import _tagged
from carob.formats.conll import Conll
from tests.carob.formats._files import of_bytes, slow_mentions
from tests.worlds import times

COMMENTS = (
    "# text = Ann slept .", "# sent_id = 7", "# newpar", "# newpar id = p", "# a long remark here",
    "# key = O", "# x =", "#\tsent_id = 3", "  # text =\tAnn  slept",
)  # fmt: skip
WORDS = ("Ann", "#", "#tag", "##", "# ", "東京", "longer-than-8-bytes")


@dataclass
class Slow:
    id: str | None
    line: int
    words: list[str] = field(default_factory=list)
    tags: list[list[str]] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)


def slow(text: str) -> list[Slow]:
    """A line at a time, for files of two columns; only for files without problems."""
    found: list[Slow] = []
    rows = [re.findall(r"[^ \t]+", line.removesuffix("\r")) for line in text.split("\n")]
    marked = any(row[:2] == ["#", "newdoc"] or row[:1] == ["-DOCSTART-"] for row in rows)
    blank = True
    for number, row in enumerate(rows, 1):
        if row[:2] == ["#", "newdoc"]:
            found.append(Slow(" ".join(row[4:]) or None, number))
            blank = True
        elif row[:1] == ["-DOCSTART-"]:
            found.append(Slow(None, number))
            blank = True
        elif len(row) > 2 or row == ["#", "newpar"]:
            continue
        elif not row:
            blank = True
        else:
            if blank and not marked:
                found.append(Slow(None, number))
            if blank:
                found[-1].sentences.append(len(found[-1].words))
                found[-1].tags.append([])
            found[-1].words.append(row[0])
            found[-1].tags[-1].append(row[1])
            blank = False
    return found


def random_text(rng: random.Random) -> str:
    kind = rng.choice(("newdoc", "named", "docstart", "blank"))
    lines: list[str] = []

    def remarks() -> None:
        while rng.random() < 0.4:
            lines.append(rng.choice(COMMENTS))

    def opening() -> None:
        number = len(lines)
        if kind == "named":
            lines.append(f"# newdoc id = d {number}")
        elif kind != "blank":
            lines.append("# newdoc" if kind == "newdoc" else "-DOCSTART- O")

    remarks()
    opening()
    for _ in range(rng.randint(1, 15)):
        remarks()
        draw = rng.random()
        if draw < 0.2:
            lines.append("")
        elif draw < 0.3:
            opening()
        else:
            tag = "O" if rng.random() < 0.3 else f"{rng.choice('BI')}-{rng.choice('XY')}"
            lines.append(f"{rng.choice(WORDS)} {tag}")
    lines.append("last O")
    return rng.choice(("\n", "\r\n")).join(lines)


def test_comments_are_read_as_the_slow_reader_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    texts = [random_text(rng) for _ in range(times(2))]
    for size, block in ((1 << 19, 1 << 20), (64, 5)):
        monkeypatch.setattr(_tagged, "SIZE", size)
        monkeypatch.setattr(_tagged, "BLOCK", block)
        for text in texts:
            corpus = of_bytes(text.encode(), scheme="iob2")
            expected = slow(text)
            assert [each.line for each in expected] == corpus.documents.line.tolist()
            for each, document in zip(expected, corpus, strict=True):
                assert each.id == document.id
                assert tuple(each.words) == document.tokens
                assert tuple(each.sentences) == document.sentences
                mentions = [
                    (at + a, at + b, label)
                    for at, tags in zip(each.sentences, each.tags, strict=True)
                    for a, b, label in slow_mentions(tags, "iob2", "conlleval")
                ]
                assert mentions == [(m.start, m.end, m.label) for m in document.mentions]


def test_a_comment_does_not_cut_a_mention() -> None:
    corpus = of_bytes(b"# text = Ann Lee\nAnn B-PER\n# a remark about it\nLee I-PER\n")
    assert [(0, 2)] == [(m.start, m.end) for m in corpus[0].mentions]
    assert 0 == corpus.facts["repaired"]
    assert (0,) == corpus[0].sentences


def test_one_file_is_one_document_with_comments_too(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"# newdoc id = a\n" + b"# a long remark\n" * 20 + b"x O\n\n# newdoc id = b\ny O\n"
    monkeypatch.setattr(_tagged, "SIZE", 64)
    corpus = of_bytes(data, documents="file")
    assert [("x", "y")] == [document.tokens for document in corpus]
    assert corpus.documents.id is None


def test_comments_and_words_hash_alike() -> None:
    plain = of_bytes(b"-DOCSTART- O\n\nAnn B-PER\n# O\nLee O\n")
    noted = of_bytes(b"# newdoc\n# text = Ann # Lee\nAnn B-PER\n# O\n# x = y\nLee O\n")
    assert plain.documents.hash.tolist() == noted.documents.hash.tolist()
    assert ("Ann", "#", "Lee") == noted[0].tokens
    assert 6 == noted.library.line(0, 2) if noted.library else False
    assert 1 == len(Pair.of(plain, noted).gold)


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (b"# O\nAnn O\n", ("#", "Ann")),
        (b"# O\n# O\n", ("#", "#")),
        (b"# 1 O\nAnn 2 O\n# remark\n", ("#", "Ann")),
        (b"#newdoc O\n#text O\n", ("#newdoc", "#text")),
        (b"# global.columns = ID FORM\nAnn O\n", ("Ann",)),
    ],
)
def test_a_hash_sign_is_a_word_where_it_has_the_columns_of_one(
    data: bytes, tokens: tuple[str, ...]
) -> None:
    assert [tokens] == [document.tokens for document in of_bytes(data)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"Ann O\n#x\n", "file:2: K101 found 1 column in '#x', expected 2, as in line 1"),
        (
            b"Ann O\n# newdoc id = d\nBo O\n",
            "file:2: K106 found # newdoc after the first tokens, expected # newdoc on the first "
            "line, or nowhere; begin the file with a # newdoc line",
        ),
        (
            b"# newdoc id = d\nAnn O\n# newdoc\nBo O\n",
            "file:3: K109 found a document without an id, "
            "expected an id for every document, or for none",
        ),
        (
            b"# newdoc\nAnn O\n# text = x\n# newdoc id = d\nBo O\n",
            "file:4: K109 found a document with an id, "
            "expected an id for every document, or for none",
        ),
        (
            b"# newdoc id = d\nAnn O\n# newdoc id = d\nBo O\n",
            "file:3: K109 found the id 'd', also on line 1, "
            "expected an id of its own for each document",
        ),
        (
            b"# newdoc id = \xff\nAnn O\n",
            "file:1: K109 found the id '\\\\xff', expected an id in UTF-8",
        ),
        (b"# newpar\n# text =\n", "file: K002 found an empty file, expected at least one document"),
        (
            b"# a remark\n\nAnn O\n# one more\nLee X-PER\n",
            "file:5: K104 found 'X-PER', expected a known prefix (B I E S, L U, M W), "
            "or --scheme io if these are whole labels",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(data)
    assert message == str(caught.value)


def test_a_file_with_more_comments_than_words_is_conll() -> None:
    data = b"# newdoc id = d\n# sent_id = 1\n# text = Ann slept\n# more\nAnn B-PER\nslept O\n"
    assert 0.9 == Conll.sniff(data)
    assert "conll" == sniffed(Source.of_bytes(data))
    assert 0.9 == Conll.sniff(b"a O|B-X\nb O|I-X\n")


def test_any_mix_of_comments_and_words_is_read_alike_in_chunks_or_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(11)
    parts = [
        b"#", b"# ", b"newdoc", b" id = ", b"d1", b"\n", b"\n", b"\n\n", b" ", b"\t", b"B-X",
        b"I-X", b"O", b"|", b"O|B-Y", b"B-X|I-Y", b"-DOCSTART-", b"Ann", b"=", b"\xff", b"\r\n",
        b"E-X", b"\xef\xbb\xbf", b"newpar", b"# text = x\n", b"Ann O\n", b"Ann B-X\n", b"# O\n",
        b"\0", b"# newdoc id = a\n", b"# newdoc\n", b"-DOCSTART- O\n", b"x B-X|B-Y\n",
    ]  # fmt: skip
    read_well = 0
    for _ in range(times(10)):
        whole = rng.random() < 0.7
        data = b"".join(rng.choices(parts[-9:] if whole else parts, k=rng.randint(0, 20)))
        seen: list[object] = []
        for size, block in ((1 << 19, 1 << 20), (64, 3)):
            monkeypatch.setattr(_tagged, "SIZE", size)
            monkeypatch.setattr(_tagged, "BLOCK", block)
            try:
                corpus = of_bytes(data)
            except InputError as error:
                if "K005" not in str(error):
                    seen.append(error.total)
            else:
                seen.append([list(corpus), corpus.facts, corpus.documents.line.tolist()])
                read_well += 1
        assert len(seen) < 2 or seen[0] == seen[1]
    assert read_well > times(2)

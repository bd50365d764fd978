"""A file that does not fit gold for one reason is told that reason, once it was tried on the data;
for others it is told what is wrong, word by word.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from carob import read, score
from carob.evaluate.check import check

WORDS = ["Zoë Lee met Bo in Rome", "Bo left", "Eve and Zoë slept in Oslo today", "Rome is old"]
TAGS = ["B-PER I-PER O B-PER O B-LOC", "B-PER O", "B-PER O B-PER O O B-LOC O", "B-LOC O O"]


def lines(order: str = "token tag") -> list[list[str]]:
    """The lines of each sentence."""
    pairs = [zip(words.split(), tags.split(), strict=True)
             for words, tags in zip(WORDS, TAGS, strict=True)]  # fmt: skip
    first = order.startswith("token")
    return [[f"{word} {tag}" if first else f"{tag} {word}" for word, tag in each]
            for each in pairs]  # fmt: skip


def text(sentences: list[list[str]]) -> str:
    return "\n\n".join("\n".join(each) for each in sentences) + "\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    file = tmp_path / "gold.conll"
    file.write_text(text(lines()), encoding="utf-8")
    return file


def told(gold: Path, content: str | bytes) -> str:
    """The one error of a file, without its name."""
    file = gold.with_name("a.conll")
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    findings = check(file, gold)
    [problem] = [each for each in findings.problems if not each.warning]
    assert 1 == findings.errors
    return str(problem).replace(str(file), "FILE").replace(str(gold), "GOLD")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_another_encoding(gold: Path, encoding: str) -> None:
    assert (
        "FILE: K331 found text in cp1252, expected UTF-8; read so, it has the words of gold: "
        "--read system.encoding=cp1252"
    ) == told(gold, text(lines()).encode(encoding))
    file = gold.with_name("a.conll")
    found = score(gold, file, "exact.F1", system_options={"encoding": encoding}, resamples=0)
    assert 1 == found.value
    assert f"|encoding:none/{encoding}|" in found.signature


def test_exchanged_columns(gold: Path) -> None:
    expected = (
        "FILE: K331 found the tokens of gold in column 2 and tags in column 1, expected tokens in "
        "the first column and tags in the last; --read system.columns=0,token=1"
    )
    assert expected == told(gold, text(lines("tag token")))
    made = read(gold.with_name("a.conll"), "conll", tag=0, token=1)
    assert 1 == score(gold, made, "exact.F1", resamples=0).value


def test_word_pieces(gold: Path) -> None:
    pieces = text(lines()).replace("Rome B-LOC", "Ro B-LOC\n##me I-LOC")
    assert (
        "FILE: K331 found word pieces: 21 tokens, 2 of which begin with ##, expected the 18 words "
        "of gold, which the pieces make; write one line for each word, with the tag of its first "
        "piece"
    ) == told(gold, f"[CLS] O\n{pieces}".replace("Zoë", "zoë"))


def test_lost_blank_lines(gold: Path) -> None:
    assert (
        "FILE: K331 found 3 of 3 blank lines of gold lost, expected a blank line after each "
        "sentence, as in GOLD; the words are the same; put one before line 7 first"
    ) == told(gold, text([[line for each in lines() for line in each]]))
    assert (
        "FILE: K331 found 1 blank line that gold lacks, expected a blank line after each sentence, "
        "as in GOLD; the words are the same; take away the one before line 4 first"
    ) == told(gold, text([lines()[0][:2], lines()[0][2:], *lines()[1:]]))


def test_documents_missing_in_the_middle(gold: Path) -> None:
    assert (
        "FILE: K331 found no answer for 1 document; all others are there, in order, expected all 4 "
        "documents of gold; add their words with O: those at line 8 of GOLD"
    ) == told(gold, text([lines()[0], *lines()[2:]]))
    assert (
        "FILE: K331 found 1 document that gold lacks; all others are there, in order, expected the "
        "4 documents of gold; leave out those at line 1"
    ) == told(gold, text([["Hi O"], *lines()]))


def test_sentences_missing_in_documents(gold: Path) -> None:
    marked = "-DOCSTART- O\n\n" + text(lines())
    gold.write_text(marked)
    assert (
        "FILE: K331 found no answer for 1 sentence; all others are there, in order, expected all 4 "
        "sentences of gold; add their words with O: those at line 10 of GOLD"
    ) == told(gold, marked.replace("Bo B-PER\nleft O\n\n", ""))


def test_exchanged_columns_of_a_file_with_document_marks(gold: Path) -> None:
    marked = "-DOCSTART- O\n\n" + text(lines())
    gold.write_text(marked)
    assert (
        "FILE: K331 found the tokens of gold in column 2 and tags in column 1, expected tokens in "
        """the first column and tags in the last; awk '{print NF ? $2 " " $1 : ""}' FILE puts """
        "them there"
    ) == told(gold, "O -DOCSTART-\n\n" + text(lines("tag token")))
    command = ["awk", '{print NF ? $2 " " $1 : ""}', str(gold.with_name("a.conll"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert marked == done.stdout


def test_document_marks_on_one_side(gold: Path) -> None:
    marked = "-DOCSTART- O\n\n" + text(lines()[:2]) + "\n-DOCSTART- O\n\n" + text(lines()[2:])
    assert (
        "FILE: K331 found 2 -DOCSTART- lines that gold lacks, expected none; the words are the "
        "same and so are the sentences without these lines: grep -v '^-DOCSTART-' FILE"
    ) == told(gold, marked)


def test_another_encoding_of_few_words_is_a_warning(gold: Path) -> None:
    more = "".join(f"\nw{number} O" for number in range(40)) + "\n"
    gold.write_text(text(lines()) + more, encoding="utf-8")
    file = gold.with_name("a.conll")
    file.write_bytes((text(lines()) + more).encode("cp1252"))
    findings = check(file, gold)
    assert (0, 1) == (findings.errors, findings.warnings)
    assert (
        f"{file}: K331 found text in cp1252, expected UTF-8; read so, it has the words of gold: "
        "--read system.encoding=cp1252"
    ) == str(findings.problems[0])


@pytest.mark.parametrize(
    "content",
    [text(lines()).replace("Oslo", "Rome").replace("today", "now"), "a b c\n" * 20,
     text(lines()[::-1][:2]), text(lines()).replace("Zoë", "Zoe"), b"\xff O\n"],
)  # fmt: skip
def test_what_no_hypothesis_explains_is_told_as_it_is(gold: Path, content: str | bytes) -> None:
    file = gold.with_name("a.conll")
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    codes = {each.code for each in check(file, gold).problems}
    assert codes
    assert "K331" not in codes


def test_documents_that_are_the_same_are_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    long = "\n".join(f"w{number} O" for number in range(10))
    file.write_text(f"a B-X\n\n{long}\n\nb O\n\n{long}\n\nb O\n\n{long}\n")
    [problem] = check(file).problems
    assert (
        f"{file}:16: K330 found document '4' with the words of '2', and 1 more such documents, "
        "expected each document once; equal documents count twice"
    ) == str(problem)

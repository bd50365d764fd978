"""What a document of a conll file is: what the file marks, a block between blank lines, several of
these, or the whole file. The signature says which, and a remark says where blocks are sentences.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, UsageError
from tests.carob.formats._files import of_bytes
from tests.worlds import times

REMARK = (
    "each of the 12 blocks between blank lines of gold is a document, and intervals are too narrow "
    "if several blocks are of one text: begin texts with -DOCSTART-, or try --documents N, N "
    "blocks each; --documents block says that blocks are documents"
)


def random_blocks(rng: random.Random, marks: int = 0) -> str:
    """Blocks of tokens, some with comments; before each `marks`-th one a line opens a document."""
    lines = []
    for block in range(rng.randint(1, 9)):
        if marks and block % marks == 0:
            lines.append("-DOCSTART- O\n")
        for _ in range(rng.randint(1, 4)):
            tag = rng.choice(["O", "O", "B-PER", "I-PER", "B-LOC"])
            lines.append(f"w{rng.randint(0, 9)} {tag}")
        lines.append("\n" * rng.randint(0, 2))
    return "\n".join(lines) + "\n"


def same(one: Corpus, other: Corpus) -> bool:
    """Whether two corpora have the same documents, words and mentions."""
    hashes = one.documents.hash.tolist() == other.documents.hash.tolist()
    return hashes and [(d.tokens, d.mentions, d.sentences) for d in one] == [
        (d.tokens, d.mentions, d.sentences) for d in other
    ]


@pytest.mark.parametrize("number", [1, 2, 3, 100])
def test_n_blocks_are_a_document_as_if_the_file_marked_it(number: int) -> None:
    for seed in range(times(0.5)):
        marked = random_blocks(random.Random(seed), number)
        plain = random_blocks(random.Random(seed))
        comment = "# text = a comment\n"
        for data in (plain, comment + plain):
            assert same(of_bytes(marked.encode()), of_bytes(data.encode(), documents=number))


def test_blocks_are_documents_whatever_the_file_marks() -> None:
    data = b"-DOCSTART- O\n\na O\n\nb O\n\n# newdoc\nc O\n"
    for some, sizes in (("block", [1, 1, 1]), ("2", [2, 1]), ("file", [3])):
        assert sizes == of_bytes(data, documents=some).documents.length.tolist()


def test_blocks_of_a_large_file_are_counted_across_its_pieces() -> None:
    data = b"".join(b"word%d B-PER\nsleeps O\n\n" % row for row in range(80_000))
    assert len(data) > 1 << 20
    corpus = of_bytes(data, documents=7)
    assert 80_000 // 7 + 1 == len(corpus)
    assert {14} == set(corpus.documents.length[:-1].tolist())
    assert 80_000 == len(corpus.mentions)


@pytest.mark.parametrize(
    ("data", "documents", "unit"),
    [
        (b"a O\n\nb O\n", "auto", "block"),
        (b"a O\n\nb O\n", "block", "block"),
        (b"a O\n\nb O\n", 1, "block"),
        (b"a O\n\nb O\n", 2, "2"),
        (b"a O\n\nb O\n", "file", "file"),
        (b"-DOCSTART- O\na O\n\nb O\n", "auto", "auto"),
        (b"-DOCSTART- O\na O\n\nb O\n", "block", "block"),
    ],
)
def test_the_signature_says_what_a_document_is(data: bytes, documents: Any, unit: str) -> None:
    origin = of_bytes(data, documents=documents).origin
    assert origin is not None
    assert unit == origin.parameters["documents"]


@pytest.mark.parametrize("documents", ["x", "0", "-3", "1.5", "٣", "9999999999", "", 0])
def test_another_document_is_refused(documents: Any) -> None:
    with pytest.raises(UsageError) as caught:
        of_bytes(b"a O\n", documents=documents)
    expected = f"documents is auto, block, file or a number of blocks, not {str(documents)!r}"
    assert expected == str(caught.value)


def remarks(data: bytes, tmp_path: Path, **options: Any) -> tuple[str, ...]:
    gold = tmp_path / "gold.conll"
    gold.write_bytes(data)
    return carob.score(gold, gold, "exact.F1", **options).remarks


def test_blocks_that_are_taken_for_documents_are_named_with_what_to_do(tmp_path: Path) -> None:
    blocks = b"Ann B-PER\nslept O\n\n" * 12
    assert REMARK in remarks(blocks, tmp_path)
    for chosen in ("block", "4", "file"):
        assert REMARK not in remarks(blocks, tmp_path, gold_options={"documents": chosen})
    assert REMARK not in remarks(blocks, tmp_path, resample_by="sentence")
    assert REMARK not in remarks(b"-DOCSTART- O\n\n" + blocks, tmp_path)
    assert not [each for each in remarks(b"Ann B-PER\n", tmp_path) if "blank lines" in each]


def test_auto_and_block_have_one_signature_where_they_read_alike(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_bytes(b"Ann B-PER\nslept O\n\n" * 12)

    def signature(documents: str) -> str:
        options = {"documents": documents}
        scores = carob.score(gold, gold, "exact.F1", gold_options=options, system_options=options)
        return scores.scores[0].signature

    assert signature("auto") == signature("block")
    assert "|documents:block|" in signature("auto")

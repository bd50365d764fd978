"""spans: what FairEval reads, carob reads the same; what is wrong is said with its line."""

from __future__ import annotations

import io
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.corpus.problems import InputError, UsageError
from carob.corpus.source import Source
from carob.formats import spans
from carob.formats.conll import Conll
from carob.formats.jsonl import Jsonl
from carob.formats.spans import Spans
from tests.worlds import times

DATA = Path(os.environ.get("CAROB_DATA", Path(__file__).parents[4] / "shared" / "data"))
FAIREVAL = DATA / "faireval-ner"
needs_data = pytest.mark.skipif(not FAIREVAL.exists(), reason="the FairEval data is not here")

EXAMPLE = b"""PER\t6\t7\t6, 7
ORG\t20\t20\t20

NONE\t999\t999\t999

LOC\t2\t5\t2, 3, 5
"""


def read(data: bytes) -> Corpus:
    return Corpus.joined(Spans().read(Source.of_bytes(data, "dev.tsv")))


def written(corpus: Corpus) -> bytes:
    out = io.BytesIO()
    Spans().write(corpus, out)
    return out.getvalue()


def complaints(data: bytes) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(data)
    assert len(caught.value.problems) == min(100, caught.value.total)
    return [str(problem) for problem in caught.value.problems]


def content(corpus: Corpus) -> list[tuple[Mention, ...]]:
    return [document.mentions for document in corpus]


def test_each_block_of_lines_is_a_document() -> None:
    corpus = read(EXAMPLE)
    assert [
        (Mention("PER", 6, 8), Mention("ORG", 20, 21)),
        (),
        (Mention.of("LOC", [(2, 4), (5, 6)]),),
    ] == content(corpus)
    assert corpus.unit == "token"
    assert corpus.documents.id is None
    assert corpus.documents.length.tolist() == [-1, -1, -1]
    assert corpus.documents.hash.tolist() == [0, 0, 0]
    assert corpus.documents.line.tolist() == [1, 4, 6]
    assert corpus.documents.offset.tolist() == [0, 27, 45]
    assert corpus.labels == ("LOC", "ORG", "PER")


@pytest.mark.parametrize(
    "same",
    [
        EXAMPLE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + EXAMPLE,
        EXAMPLE.rstrip(b"\n"),
        b"\n\n" + EXAMPLE.replace(b"\n\n", b"\n \t\n\n\n"),
        EXAMPLE.replace(b", ", b","),
        EXAMPLE.replace(b"2, 3, 5", b" 5 ,2,  3 "),
        EXAMPLE.replace(b"20\t20\t20", b"20\t20\t"),
        EXAMPLE.replace(b"20\t20\t20", b"20\t20"),
        EXAMPLE.replace(b"20\t20\t20", b" 20\t20 \t 20"),
        EXAMPLE.replace(b"NONE", b"EMPTY"),
    ],
    ids=["crlf", "bom", "no last break", "blank lines", "no spaces", "unsorted", "no list",
         "no column", "spaces", "EMPTY"],
)  # fmt: skip
def test_spellings_that_mean_the_same(same: bytes) -> None:
    assert content(read(EXAMPLE)) == content(read(same))


def test_a_label_may_hold_spaces_and_any_letters() -> None:
    assert [(Mention("Größe  2", 0, 1),)] == content(read("Größe  2\t0\t0\t0\n".encode()))


def test_a_real_span_may_stand_at_999() -> None:
    assert [(Mention("PER", 999, 1000),)] == content(read(b"PER\t999\t999\t999\n"))


def test_a_range_without_a_list_is_not_spelled_out() -> None:
    assert [(Mention("A", 0, 2147483647),)] == content(read(b"A\t0\t2147483646\n"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "dev.tsv: K002 found an empty file, expected at least one document"),
        (b" \n\n", "dev.tsv: K002 found an empty file, expected at least one document"),
        (b"A\t1\t1\t1\n\0",
         "dev.tsv:2: K003 found a zero byte, as in a binary file, expected a text file in UTF-8"),
        (b"\xff\xfeA\0",
         "dev.tsv: K004 found UTF-16 text, expected UTF-8; convert it, for example with iconv"),
        (b"A\t1\t1\t1\nB" + b"x" * 3_000_000,
         "dev.tsv:2: K005 found a line of more than 1,048,576 bytes, expected shorter lines; "
         "divide it into several documents, or name the format of the file if it has no lines"),
        (b"\nPER 2 2 2\n",
         "dev.tsv:2: K401 found 1 column in 'PER 2 2 2', expected label, first token, last token "
         "and list of tokens, separated by tabs"),
        (b"PER\t2\t2\t2\t\r\n",
         "dev.tsv:1: K401 found 5 columns in 'PER\\t2\\t2\\t2\\t', expected label, first token, "
         "last token and list of tokens, separated by tabs"),
        (b"PER\t2\tx\t2\n",
         "dev.tsv:1: K402 found 'x' in 'PER\\t2\\tx\\t2', expected a token number from 0 to "
         "2147483646"),
        (b"PER\t-1\t2\t2\r\n",
         "dev.tsv:1: K402 found '-1' in 'PER\\t-1\\t2\\t2', expected a token number from 0 to "
         "2147483646"),
        (b"PER\t1\t2147483647\t\n",
         "dev.tsv:1: K402 found '2147483647' in 'PER\\t1\\t2147483647\\t', expected a token number "
         "from 0 to 2147483646"),
        (b"PER\t1\t2\t1,,2\n",
         "dev.tsv:1: K402 found '' in 'PER\\t1\\t2\\t1,,2', expected a token number from 0 to "
         "2147483646"),
        (b"PER\t1\t2\t1 2\n",
         "dev.tsv:1: K402 found '1 2' in 'PER\\t1\\t2\\t1 2', expected a token number from 0 to "
         "2147483646"),
        (b"PER\t1\t2\t1,2,2\n",
         "dev.tsv:1: K403 found a token more than once in 'PER\\t1\\t2\\t1,2,2', expected each "
         "token of a span once"),
        (b"PER\t1\t3\t1,2\n",
         "dev.tsv:1: K404 found first 1 and last 3 in 'PER\\t1\\t3\\t1,2', expected tokens from 1 "
         "to 2, as in the list"),
        (b"PER\t3\t1\n",
         "dev.tsv:1: K404 found first 3 and last 1 in 'PER\\t3\\t1', expected a last token that "
         "is not before 3"),
        (b"NONE\t1\t1\t1\n",
         "dev.tsv:1: K405 found 'NONE\\t1\\t1\\t1', expected 999 in every column of a sentence "
         "without spans"),
        (b"\t1\t1\t1\n",
         "dev.tsv:1: K406 found the label '', expected a label in the first column"),
        (b"\xe9\t1\t1\t1\n",
         "dev.tsv:1: K406 found the label '\\\\xe9', expected a label in UTF-8"),
        (b"A\t1\t1\t1\nNONE\t999\t999\t999\n",
         "dev.tsv:2: K407 found NONE beside other rows of its sentence, expected NONE alone; a "
         "blank line ends a sentence"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_full(data: bytes, expected: str) -> None:
    assert [expected] == complaints(data)


def test_all_problems_are_counted_and_the_first_hundred_kept_in_order_of_lines() -> None:
    data = b"A\t1\t1\t1\n" + b"B\nC\t1\tx\t1\n\t1\t1\t1\nD\t2\t1\n" * 500
    with pytest.raises(InputError) as caught:
        read(data)
    assert caught.value.total == 2000
    assert list(range(2, 102)) == [problem.line for problem in caught.value.problems]
    codes = ["K401", "K402", "K406", "K404"]
    assert codes * 25 == [problem.code for problem in caught.value.problems]


def test_blocks_do_not_depend_on_where_pieces_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    data = written(Corpus.of(*(_document(rng) for _ in range(200))))
    whole = content(read(data))
    monkeypatch.setattr(spans, "_BLOCK", 7)
    for size in (1, 5, 40):
        small = Source.of_bytes(data)
        monkeypatch.setattr(small, "blocks", lambda s=small, n=size: Source.blocks(s, n))
        blocks = list(Spans().read(small))
        assert len(blocks) > 5
        assert whole == content(Corpus.joined(blocks))


def _document(rng: random.Random) -> Document:
    mentions = []
    for _ in range(rng.randrange(4)):
        tokens = rng.sample(range(8), rng.randint(1, 5))
        mentions.append(Mention.of(rng.choice("ABC"), _runs(tokens)))
    return Document(mentions=tuple(mentions), unit="token")


def _runs(tokens: list[int]) -> list[tuple[int, int]]:
    return [(token, token + 1) for token in sorted(tokens)]


def test_what_was_written_is_read() -> None:
    rng = random.Random(2)
    corpus = Corpus.of(*(_document(rng) for _ in range(times(25))))
    data = written(corpus)
    again = read(data)
    assert content(corpus) == content(again)
    assert data == written(again)


def test_reading_agrees_with_reading_line_by_line() -> None:
    rng = random.Random(3)
    lines, expected = [], []
    for _ in range(2000):
        rows = []
        for _ in range(rng.randint(1, 3)):
            tokens = rng.sample(range(9), rng.randint(1, 4))
            label, listed = rng.choice(["PER", "a longer label"]), rng.choice([",", ", "])
            lines.append(f"{label}\t{min(tokens)}\t{max(tokens)}\t{listed.join(map(str, tokens))}")
            rows.append((label, frozenset(tokens)))
        lines.append("")
        expected.append(Counter(rows))
    found = [
        Counter((m.label, frozenset(t for a, b in m.fragments for t in range(a, b))) for m in doc)
        for doc in content(read("\n".join(lines).encode()))
    ]
    assert expected == found


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (Document("d", tokens=("a",)), "spans cannot hold ids of documents"),
        (Document(tokens=("a",), attributes={"x": "y"}),
         "spans cannot hold attributes of documents"),
        (Document(mentions=(Mention("A", 0, 1, attributes={"x": "y"}),)),
         "spans cannot hold attributes of mentions"),
        (Document(mentions=(Mention("A", 0, 1, id="E1"),)), "spans cannot hold ids of mentions"),
        (Document(mentions=(Mention("A", 0, 1, confidence=0.5),)),
         "spans cannot hold confidences"),
        (Document(extra={"x": 1}), "spans cannot hold further fields of documents"),
        (Document(text="a"), "spans holds tokens; this corpus counts characters"),
        (Document(mentions=(Mention.of("A", [(0, 99_999), (100_000, 100_001)]),)),
         "spans cannot hold a discontinuous mention of 100,000 tokens"),
        (Document(mentions=(Mention("\ufeffA", 0, 1),)),
         "spans cannot begin with the label '\\ufeffA'"),
        (Document(mentions=(Mention("NONE", 0, 1),)), "spans cannot hold the label 'NONE'"),
        (Document(mentions=(Mention("A\tB", 0, 1),)), "spans cannot hold the label 'A\\tB'"),
        (Document(mentions=(Mention("\ud800", 0, 1),)), "spans cannot hold the label '\\ud800'"),
    ],
)  # fmt: skip
def test_what_the_format_cannot_hold_is_refused(document: Document, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        written(Corpus.of(document))
    assert expected == str(caught.value)


def test_a_long_span_is_written_without_its_list() -> None:
    corpus = Corpus.of(Document(mentions=(Mention("A", 0, 2**31 - 1),)))
    assert written(corpus) == b"A\t0\t2147483646\t\n\n"
    assert content(corpus) == content(read(written(corpus)))


@pytest.mark.parametrize("kind", ["relations", "clusters", "templates"])
def test_groups_are_refused(kind: str) -> None:
    each: dict[str, dict[str, Any]] = {
        "relations": {"arguments": {"a": "E1"}},
        "clusters": {"mentions": ["E1"]},
        "templates": {"slots": {"a": ["b"]}},
    }
    members = each[kind]
    corpus = Corpus.of({"mentions": [{"id": "E1", "start": 0, "end": 1, "label": "A"}],
                        kind: [{"label": "x"} | members]})  # fmt: skip
    corpus = corpus.kept(corpus.mentions.start[:0])
    with pytest.raises(UsageError, match="spans cannot hold"):
        written(corpus)


def test_a_span_table_is_recognised_and_takes_no_other_file_for_one() -> None:
    conll = b"Ann\t1\t2\tB-PER\nLee\t1\t2\tI-PER\n\n"
    assert [Spans.sniff(EXAMPLE), Spans.sniff(EXAMPLE.replace(b"\n", b"\r\n"))] == [0.95, 0.95]
    assert (Spans.sniff(conll), Conll.sniff(conll)) == (0.0, 0.9)
    assert (Spans.sniff(b'{"id": "d"}\n'), Jsonl.sniff(b'{"id": "d"}\n')) == (0.0, 0.4)
    assert Conll.sniff(EXAMPLE) == 0.1
    assert Spans.sniff(b"") == 0.0


@needs_data
def test_fairevals_files_have_the_published_numbers_of_mentions() -> None:
    target = carob.read(FAIREVAL / "target.tsv")
    assert target.origin is not None
    assert target.origin.format == "spans"
    assert len(target) == 5100
    counts = Counter(target.labels[code] for code in target.mentions.label.tolist())
    assert counts == {"OTH": 778, "PER": 1694, "ORG": 1330, "LOC": 2376}
    system = carob.read(FAIREVAL / "system.tsv")
    assert len(system) == 5100
    counts = Counter(system.labels[code] for code in system.mentions.label.tolist())
    assert counts == {"OTH": 605, "PER": 1703, "ORG": 1262, "LOC": 2383}


@needs_data
def test_fairevals_traditional_table_is_exact() -> None:
    lines = (FAIREVAL / "expected.txt").read_text().splitlines()
    at = lines.index("### Traditional evaluation:")
    table = {row[0]: row[1:] for row in (line.split("\t") for line in lines[at + 2 : at + 7])}
    recipes = [f"exact.{measure}" for measure in ("P", "R", "F1")]
    said = {"format": "spans"}
    for label in ("LOC", "ORG", "OTH", "PER", "overall"):
        wanted = [f"{each}@label:{label}" for each in recipes] if label != "overall" else recipes
        scores = carob.score(FAIREVAL / "target.tsv", FAIREVAL / "system.tsv", wanted,
                             gold_options=said, system_options=said)  # fmt: skip
        counts = scores.scores[0].counts
        assert table[label][:3] == [f"{counts[each]:.0f}" for each in ("tp", "fp", "fn")]
        values = [each.value for each in scores.scores]
        assert table[label][3:] == [f"{100 * (value or 0):.2f}" for value in values]

"""A first line of names gives names to columns, as in the files of HIPE; such files have comments
of their own, empty tags, and sometimes line ends that a program wrote twice.
"""

from __future__ import annotations

import random
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, InputError, Pair, score
from carob.corpus.source import Source
from carob.evaluate.read import sniffed
from carob.evaluate.verify import verify
from carob.formats import _tagged
from carob.formats._tagged import Header
from carob.formats.conll import Conll
from tests.carob.formats._files import of_bytes

NAMES = (
    "TOKEN", "NE-COARSE-LIT", "NE-COARSE-METO", "NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP",
    "NE-NESTED", "NEL-LIT", "NEL-METO", "MISC",
)  # fmt: skip
COARSE, FINE = NAMES.index("NE-COARSE-LIT"), NAMES.index("NE-FINE-LIT")
TEXT = (("Paris", "B-loc", "B-loc.adm.town"), ("et", "O", "O"), ("Jean", "B-pers", "B-pers.ind"),
        ("Petit", "I-pers", "I-pers.ind"), ("#", "O", "O"), (".", "O", "O"))  # fmt: skip


def hipe(
    rng: random.Random, documents: int = 3, end: str = "\n", *, misc: bool = True
) -> tuple[str, list[list[tuple[str, str]]]]:
    """A file in the published layout of HIPE-2020, and the tokens and coarse tags of each
    document.
    """
    lines = ["\t".join(NAMES)]
    every: list[list[tuple[str, str]]] = []
    for number in range(documents):
        lines += [
            "# language = fr", "# newspaper = GDL", "# date = 1798-07-20",
            f"# document_id = GDL-1798-07-20-a-i00{number}",
        ]  # fmt: skip
        rows: list[tuple[str, str]] = []
        for _ in range(rng.randint(1, 4)):
            lines.append(
                f"# segment_iiif_link = {rng.choice(('_', 'https://iiif.example/a/b.jpg'))}"
            )
            for word, coarse, fine in TEXT[: rng.randint(1, 6)]:
                last = rng.choice(("_", "NoSpaceAfter", "EndOfLine|NoSpaceAfter"))
                row = [word, coarse, rng.choice("O_"), fine, "O", "O", "_", "Q90", "_", last]
                lines.append("\t".join(row if misc else row[:-1]))
                rows.append((word, coarse))
        lines.append("")
        every.append(rows)
    return end.join(lines) + end, every


def mentions_of(rows: list[tuple[str, str]]) -> list[tuple[str, int, int]]:
    """The definition: a B- tag and the I- tags after it."""
    spans: list[tuple[str, int, int]] = []
    for place, (_, tag) in enumerate(rows):
        if tag[0] == "B":
            spans.append((tag[2:], place, place + 1))
        elif tag[0] == "I" and spans and spans[-1][2] == place:
            spans[-1] = (*spans[-1][:2], place + 1)
    return spans


def seen(corpus: Corpus) -> list[list[tuple[str, int, int]]]:
    return [[(m.label, m.start, m.end) for m in document.mentions] for document in corpus]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
@pytest.mark.parametrize("misc", [True, False])
@pytest.mark.parametrize("size", [_tagged.SIZE, 300])
def test_hipe_files_are_read_as_they_are(
    end: str, misc: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tagged, "SIZE", size)
    for seed in range(8):
        text, documents = hipe(random.Random(seed), end=end, misc=misc)
        corpus = of_bytes(text.encode(), tag="NE-COARSE-LIT")
        assert [d.id for d in corpus] == [f"GDL-1798-07-20-a-i00{i}" for i in range(3)]
        assert [d.tokens for d in corpus] == [tuple(w for w, _ in rows) for rows in documents]
        assert seen(corpus) == [mentions_of(rows) for rows in documents]
        by_number = of_bytes(text.encode(), tag=COARSE)
        assert seen(by_number) == seen(corpus)
        assert set(of_bytes(text.encode(), tag="NE-FINE-LIT").labels) <= {
            "loc.adm.town",
            "pers.ind",
        }


def test_a_hipe_file_looks_like_conll() -> None:
    text, _ = hipe(random.Random(1))
    assert Conll.sniff(text.encode()) == 0.9
    assert sniffed(Source.of_bytes(text.encode(), "bundle1_fr.tsv")) == "conll"


def test_files_are_scored_and_verified_by_the_names_of_columns(tmp_path: Path) -> None:
    text, _ = hipe(random.Random(2))
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    gold.write_text(text)
    system.write_text(text.replace("\tB-loc\t", "\tO\t"))
    options = {"tag": "NE-COARSE-LIT"}
    scores = score(gold, system, "exact.F1", gold_options=options, system_options=options)
    assert "columns:NE-COARSE-LIT/NE-COARSE-LIT" in scores["exact.F1"].signature
    stored = tmp_path / "result.json"
    stored.write_text(scores.to_json())
    assert not verify(stored).differences


def test_a_header_is_no_token_where_the_file_is_one_document() -> None:
    corpus = of_bytes(b"\nTOKEN\tTAG\nAnn\tB-PER\n", documents="file")
    assert [document.tokens for document in corpus] == [("Ann",)]
    assert seen(corpus) == [[("PER", 0, 1)]]


def test_layers_and_tokens_may_have_names() -> None:
    data = b"WORD\tOUTER-NE\tTAG\tlemma\nthe\tB-X\tO\tle\ncat\tI-X\tB-Y\tchat\n"
    corpus = of_bytes(data, tag=("OUTER-NE", 2), token="lemma")
    assert corpus[0].tokens == ("le", "chat")
    assert seen(corpus) == [[("X", 0, 2), ("Y", 1, 2)]]


def test_empty_columns_between_tabs_stay_in_their_place() -> None:
    data = b"TOKEN\tPOS\tNER\nAnn\t\tB-PER\nslept\tV\t\n\t\t\nBo\tN\n"
    with pytest.raises(InputError, match=r"file:5: K101 found 2 columns"):
        of_bytes(data)
    corpus = of_bytes(data.replace(b"Bo\tN\n", b"Bo\tN\tB-PER\n"))
    assert [d.tokens for d in corpus] == [("Ann", "slept"), ("Bo",)]
    assert seen(corpus) == [[("PER", 0, 1)], [("PER", 0, 1)]]


@pytest.mark.parametrize(
    ("data", "parameters", "message"),
    [
        (
            ("\t".join(NAMES) + "\nParis\t" + "\t".join("O" * 9) + "\n").encode(), {},
            "file:1: K103 found 10 columns with names, expected the column of the tags; "
            "choose with --columns: NE-COARSE-LIT, NE-COARSE-METO, NE-FINE-LIT, NE-FINE-METO, "
            "NE-FINE-COMP, NE-NESTED",
        ),
        (
            b"TOKEN\tNE-LIT\tMISC\nParis\tO\t_\n", {"tag": "NE-COARSE"},
            "file:1: K103 found columns called TOKEN, NE-LIT, MISC, expected a column 'NE-COARSE'; "
            "choose with --columns: NE-LIT",
        ),
        (
            b"Paris O\n", {"tag": "NE-LIT"},
            "file: K103 found a file without names of columns, expected a column 'NE-LIT'; "
            "choose with --columns; 0 is the first, -1 the last",
        ),
        (
            b"TOKEN\tNE-LIT\tMISC\nParis\tloc\t_\nBo\tB-x\t_\n", {"tag": "NE-LIT"},
            "file:2: K104 found 'loc', expected O or a tag with a prefix and a label, like B-PER "
            "or I-PER; choose with --columns: NE-LIT",
        ),
        (
            b"TOKEN\tNE-LIT\tMISC\nParis\tO\t_\n", {"tag": 3},
            "file:1: K103 found 3 columns, expected a column 3; choose with --columns: NE-LIT",
        ),
    ],
)  # fmt: skip
def test_a_wrong_column_is_told_with_those_there_are(
    data: bytes, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(data, **parameters)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("line", "is_header"),
    [
        (b"TOKEN NE-COARSE-LIT", True),
        (b"Word\tTag", True),
        (b"Token O", False),
        (b"word B-NE", False),
        (b"word PER", False),
        (b"Paris TAG", False),
    ],
)
def test_a_first_token_is_no_header(line: bytes, is_header: bool) -> None:
    assert (Header.of(line + b"\nParis O\n") is not None) is is_header


def test_an_empty_tag_is_no_label() -> None:
    corpus = of_bytes(b"Ann B-PER\nslept _\nBo B-PER\n")
    assert seen(corpus) == [[("PER", 0, 1), ("PER", 2, 3)]]
    assert corpus.facts["repaired"] == 0
    assert of_bytes(b"Ann PER\nslept _\n").labels == ("PER",)
    assert Corpus.from_tags([["B-X", "_", "I-X"]]).facts["repaired"] == 1


def test_an_empty_tag_ends_a_mention_also_for_the_fast_scanner() -> None:
    data = b"Ann B-PER\nx _\nBo I-PER\n\n" * 20_000
    corpus = of_bytes(data, scheme="iob2")
    assert len(corpus.mentions) == 40_000
    assert corpus.facts["repaired"] == 20_000


def test_a_bare_hash_sign_is_a_comment() -> None:
    corpus = of_bytes(b"#\nAnn B-PER\n#\nLee I-PER\n# O\n")
    assert [d.tokens for d in corpus] == [("Ann", "Lee", "#")]
    assert seen(corpus) == [[("PER", 0, 2)]]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("# document_id = a\nAnn O\n\n# document_id = b\nBo O\n", ["a", "b"]),
        ("# hipe2022:document_id = a\nAnn O\n# hipe2022:document_id = b\nBo O\n", ["a", "b"]),
        ("# document_id = a\nAnn O\n\n# document_id = a\nBo O\n", ["a"]),
        ("# newdoc id = x\n# document_id = a\nAnn O\n# document_id = b\nBo O\n", ["x"]),
        ("-DOCSTART- O\n# document_id = a\nAnn O\n# document_id = b\nBo O\n", [None]),
        ("# my_document_id = a\nAnn O\n\nBo O\n", [None, None]),
    ],
)
def test_document_id_opens_a_document_if_nothing_else_does(
    text: str, ids: list[str | None]
) -> None:
    assert [document.id for document in of_bytes(text.encode())] == ids


def test_a_late_document_id_is_an_error() -> None:
    with pytest.raises(InputError, match="K106 found # document_id after the first tokens"):
        of_bytes(b"Ann O\n# document_id = a\nBo O\n")


def test_pairs_of_hipe_files_compare_words() -> None:
    text, _ = hipe(random.Random(5))
    one = of_bytes(text.encode(), tag="NE-COARSE-LIT")
    pair = Pair.of(one, of_bytes(text.replace("\n", "\r\r\n").encode(), tag="NE-COARSE-LIT"))
    assert pair.coverage["gold_mentions"] == pair.coverage["system_mentions"] > 0
    assert one.line(1, 0) == _line_of_first_token(text, 1)


def _line_of_first_token(text: str, document: int) -> int:
    lines = list(enumerate(text.split("\n"), 1))
    blocks = [list(rows) for full, rows in groupby(lines, lambda row: bool(row[1])) if full]
    return next(n for n, line in blocks[document] if line[:1] != "#" and line[:5] != "TOKEN")


@pytest.mark.parametrize(
    ("name", "scheme"),
    [("BIO", "iob2"), ("bio", "iob2"), ("IOB", "iob2"), ("IOB2", "iob2"), ("BIOES", "iobes"),
     ("IOBES", "iobes"), ("BILUO", "bilou"), ("BILOU", "bilou"), ("IOB1", "iob1"),
     ("Auto", "auto")],
)  # fmt: skip
def test_schemes_have_the_names_that_other_tools_give_them(name: str, scheme: str) -> None:
    assert Conll(scheme=name).scheme == scheme
    if scheme != "auto":
        letter = "U" if scheme == "bilou" else "S" if scheme == "iobes" else "I"
        assert Corpus.from_tags([[f"{letter}-X"]], scheme=name).labels == ("X",)


def test_hipe_2022_has_its_own_name_for_the_id_of_a_document() -> None:
    rows = "Paris\tB-loc\tNoSpaceAfter\n,\tO\tEndOfSentence|EndOfLine\n\n"
    head = "TOKEN\tNE-COARSE-LIT\tMISC\n"
    data = head + "".join(
        f"# hipe2022:document_id = {name}\n# hipe2022:language = fr\n{rows}" for name in "ab"
    )
    corpus = of_bytes(data.encode(), tag="NE-COARSE-LIT")
    assert ["a", "b"] == [document.id for document in corpus]
    assert [[("loc", 0, 1)]] * 2 == seen(corpus)

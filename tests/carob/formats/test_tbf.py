"""tbf: the event nuggets of TAC KBP are read and written without loss; errors name their line."""

from __future__ import annotations

import io
import random
from pathlib import Path

import numpy as np
import pytest

import carob
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Group, Mention
from carob.corpus.problems import InputError, UsageError
from carob.corpus.source import Source
from carob.formats import tbf
from carob.formats.conll import Conll
from carob.formats.jsonl import Jsonl
from carob.formats.spans import Spans
from carob.formats.tbf import Tbf

EXAMPLE = b"""#BeginOfDocument d1
# made by hand
cmu\td1\tE2\t4,8;13,16\tmade way\tMovement_Transport\tActual
cmu\td1\tE1\t32,42\tnominating\tPersonnel_Nominate\tOther\t0.5\t1
cmu\td1\tE3\t32,42\tnominating\tPersonnel_Elect\tOther
you\td1\tem-5\t50,57\tcreated\tPersonnel_Start-Position\tGeneric
@Coreference\tR1\tE1,E3,em-5
@After\tR2\tE2,E1
@Subevent\tR3\tE3,em-5
#EndOfDocument

#BeginOfDocument d2
#EndOfDocument
"""
TOKENS = b"""#BeginOfDocument d1
s\td1\tE1\tt5,t3\tway made\tMove\tActual
s\td1\tE2\tt4\tno\tMove\tActual
#EndOfDocument
"""


def read(data: bytes, **parameters: str) -> Corpus:
    return Corpus.joined(Tbf(**parameters).read(Source.of_bytes(data, "dev.tbf")))


def written(corpus: Corpus) -> bytes:
    out = io.BytesIO()
    Tbf().write(corpus, out)
    return out.getvalue()


def content(corpus: Corpus) -> list[Document]:
    return list(corpus)


def complaints(data: bytes, **parameters: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(data, **parameters)
    assert len(caught.value.problems) == min(100, caught.value.total)
    return [str(problem) for problem in caught.value.problems]


def inside(*lines: str) -> bytes:
    return "\n".join(["#BeginOfDocument d", *lines, "#EndOfDocument", ""]).encode()


def test_mentions_types_realis_and_links_are_read() -> None:
    corpus = read(EXAMPLE)
    first, second = corpus
    assert [first.id, second.id] == ["d1", "d2"]
    assert first.mentions == (
        Mention.of("Movement_Transport", [(4, 8), (13, 16)], {"realis": "Actual"}, id="E2"),
        Mention("Personnel_Elect", 32, 42, attributes={"realis": "Other"}, id="E3"),
        Mention("Personnel_Nominate", 32, 42, attributes={"realis": "Other"}, id="E1"),
        Mention("Personnel_Start-Position", 50, 57, attributes={"realis": "Generic"}, id="em-5"),
    )
    assert first.clusters == (Group("", (("", "E1"), ("", "E3"), ("", "em-5")), "R1"),)
    assert first.relations == (
        Group("After", (("from", "E2"), ("to", "E1")), "R2"),
        Group("Subevent", (("from", "E3"), ("to", "em-5")), "R3"),
    )
    assert first.attributes == {"system": "cmu"}
    assert first.extra == {
        "tbf": {
            "text": {"E2": "made way", "E1": "nominating", "E3": "nominating", "em-5": "created"},
            "columns": {"E1": ["0.5", "1"]},
            "system": {"em-5": "you"},
            "comments": ["# made by hand"],
        }
    }
    assert list(first.extra["tbf"]["text"]) == ["E2", "E1", "E3", "em-5"]
    assert second == Document("d2", unit="char")
    assert corpus.documents.line.tolist() == [1, 12]
    assert corpus.documents.offset.tolist() == [0, EXAMPLE.index(b"#BeginOfDocument d2")]
    assert corpus.documents.length.tolist() == [-1, -1]


def test_reading_and_writing_loses_nothing() -> None:
    assert EXAMPLE.replace(b"\n\n", b"\n") == written(read(EXAMPLE))


def test_what_goes_through_jsonl_comes_back() -> None:
    out = io.BytesIO()
    Jsonl().write(read(EXAMPLE), out)
    again = Corpus.joined(Jsonl().read(Source.of_bytes(out.getvalue())))
    assert EXAMPLE.replace(b"\n\n", b"\n") == written(again)


def test_token_ids_are_places_in_tokens() -> None:
    corpus = read(TOKENS)
    assert corpus.unit == "token"
    assert [m.fragments for m in corpus[0].mentions] == [((3, 4), (5, 6)), ((4, 5),)]
    assert TOKENS.replace(b"t5,t3", b"t3,t5") == written(corpus)
    assert Tbf().signature_fields(corpus.facts) == ({"tokens": "number"}, {})
    assert Tbf().signature_fields(read(EXAMPLE).facts) == ({}, {})


@pytest.mark.parametrize("header", ["", "token_id\ttoken_str\ttoken_begin\ttoken_end\r\n"])
def test_token_tables_say_where_tokens_are(tmp_path: Path, header: str) -> None:
    rows = ["t9\tA\t0\t1", "t3\tb\t2\t3", "t4\tc\t4\t5", "t5\td\t6\t7", ""]
    (tmp_path / "d1.tab").write_text(header + "\r\n".join(rows))
    (tmp_path / "dev.tbf").write_bytes(TOKENS)
    corpus = carob.read(tmp_path / "dev.tbf", tokens=str(tmp_path))
    assert [m.fragments for m in corpus[0].mentions] == [((1, 2), (3, 4)), ((2, 3),)]
    assert corpus[0].tokens == ("A", "b", "c", "d")
    assert corpus.documents.length.tolist() == [4]
    assert Corpus.of(Document(tokens=("A", "b", "c", "d"))).documents.hash == corpus.documents.hash
    assert TOKENS.replace(b"t5,t3", b"t3,t5") == written(corpus)
    assert corpus.origin is not None
    assert corpus.origin.parameters["tokens"].startswith("table=")
    with pytest.raises(UsageError) as caught:
        Tbf.from_signature(corpus.origin.parameters)
    assert str(caught.value) == "the token tables of a tbf file are not named in the signature"


def test_what_is_wrong_with_token_tables_is_said(tmp_path: Path) -> None:
    file = tmp_path / "d1.tab"
    assert complaints(TOKENS, tokens=str(tmp_path)) == [
        f"{file}: K001 found no such file, expected a file to read"
    ]
    file.write_text("t3\ta\t0\t1\nt4\tb\t2\t3\n")
    assert complaints(TOKENS, tokens=str(tmp_path)) == [
        f"dev.tbf:2: K509 found the span 't5,t3', expected ids of tokens in {file}"
    ]
    file.write_text("t3\ta\t0\t1\nt3\tb\t2\t3\nt4\n")
    assert complaints(TOKENS, tokens=str(tmp_path)) == [
        f"{file}:2: K514 found the token id 't3', also on line 1, expected each token once",
        f"{file}:3: K514 found 't4', expected 4 columns separated by tabs: token id, token, "
        "begin and end",
    ]
    outside = TOKENS.replace(b"d1", b"../d1")
    assert complaints(outside, tokens=str(tmp_path)) == [
        f"{tmp_path / '../d1.tab'}: K513 found the document id '../d1', expected an id that can "
        "name a file"
    ]


@pytest.mark.parametrize(
    "same",
    [
        EXAMPLE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + EXAMPLE,
        EXAMPLE.rstrip(b"\n"),
        b"\n# a remark outside\n" + EXAMPLE.replace(b"@", b"  \n\n@"),
        EXAMPLE.replace(b"4,8;13,16", b"13,14;4,6;14,16;6,8"),
        EXAMPLE.replace(b"E1,E3,em-5", b"E1, E3 ,em-5\t"),
    ],
    ids=["crlf", "bom", "no last break", "blank lines", "unsorted", "spaces"],
)
def test_spellings_that_mean_the_same(same: bytes) -> None:
    assert content(read(EXAMPLE)) == content(read(same))


def test_blocks_do_not_depend_on_where_pieces_end(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read(EXAMPLE + EXAMPLE.replace(b"d1", b"d3").replace(b"d2", b"d4"))
    data = written(whole)
    monkeypatch.setattr(tbf, "_BLOCK", 3)
    for size in (5, 40, 333):
        small = Source.of_bytes(data)
        monkeypatch.setattr(small, "blocks", lambda s=small, n=size: Source.blocks(s, n))
        blocks = list(Tbf().read(small))
        assert len(blocks) >= 2
        joined = Corpus.joined(blocks)
        assert content(whole) == content(joined)
        begins = [i for i in range(len(data)) if data.startswith(b"#BeginOfDocument", i)]
        assert begins == joined.documents.offset.tolist()
        lines = [data.count(b"\n", 0, i) + 1 for i in begins]
        assert lines == joined.documents.line.tolist()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ["dev.tbf: K002 found an empty file, expected at least one document"]),
        (b"\n \n", ["dev.tbf: K002 found an empty file, expected at least one document"]),
        (b"# nothing\n",
         ["dev.tbf: K501 found no document, expected #BeginOfDocument and an id"]),
        (b"#BeginOfDocument \n#EndOfDocument\n",
         ["dev.tbf:1: K501 found '#BeginOfDocument ', expected #BeginOfDocument and an id without "
          "tabs"]),
        (inside("s\td\tE1\t1,2\t\xe9\tA\tB").replace(b"\xc3\xa9", b"\xe9"),
         ["dev.tbf:2: K502 found 's\\td\\tE1\\t1,2\\t\\\\xe9\\tA\\tB', expected UTF-8"]),
        (b"#BeginOfDocument a\n#BeginOfDocument b\n#EndOfDocument\n#EndOfDocument\n",
         ["dev.tbf:2: K503 found '#BeginOfDocument b', expected #EndOfDocument before it, for the "
          "document of line 1",
          "dev.tbf:4: K503 found '#EndOfDocument', expected #BeginOfDocument before it"]),
        (b"x\n@After\tR1\tE1,E2\n" + inside() + b"#BeginOfDocument e\n",
         ["dev.tbf:1: K503 found 'x', expected a line between #BeginOfDocument and "
          "#EndOfDocument",
          "dev.tbf:2: K503 found '@After\\tR1\\tE1,E2', expected a line between "
          "#BeginOfDocument and #EndOfDocument",
          "dev.tbf:5: K503 found the end of the file in document 'e', expected #EndOfDocument"]),
        (inside() + inside(),
         ["dev.tbf:3: K504 found the document 'd', also on line 1, expected each document once"]),
        (inside("s\td\tE1\t1,2\tx\tA"),
         ["dev.tbf:2: K505 found 6 columns in 's\\td\\tE1\\t1,2\\tx\\tA', expected at least 7 "
          "columns separated by tabs: system, document, mention id, span, text, type and realis"]),
        (inside("s\te\tE1\t1,2\tx\tA\tB"),
         ["dev.tbf:2: K506 found a mention of the document 'e', expected the document 'd'"]),
        (inside("s\td\tE1\t1,2\tx\tA\tB", "s\td\tE1\t1,2\tx\tC\tB"),
         ["dev.tbf:3: K507 found the mention id 'E1', also on line 2, expected an id of its own "
          "for each mention"]),
        (inside("s\td\t\t1,2\tx\tA\tB", "s\td\tE2\t1,2\tx\t\tB", "s\td\tE3\t1,2\tx\tA\t\t1"),
         ["dev.tbf:2: K508 found a mention without a mention id, expected a mention id in column 3",
          "dev.tbf:3: K508 found a mention without a type, expected a type in column 6",
          "dev.tbf:4: K508 found a mention without a realis, expected a realis in column 7"]),
        (inside("s\td\tE1\t1,2\tx\tA\tB", "s\td\tE2\tt1\tx\tA\tB"),
         ["dev.tbf:3: K510 found token ids in 't1', expected characters, as on line 2"]),
        (inside("s\td\tE1\tt1\tx\tA\tB", "s\td\tE2\t1,2\tx\tA\tB"),
         ["dev.tbf:3: K510 found characters in '1,2', expected token ids, as on line 2"]),
        (inside("@After\tR1"),
         ["dev.tbf:2: K511 found '@After\\tR1', expected @Relation, id and mention ids, "
              "separated by "
          "tabs"]),
        (inside("s\td\tE1\t1,2\tx\tA\tB", "@Coreference\tR1\tE1,E9", "@Coreference\tR2\tE1,E1",
                "@After\tR3\tE1"),
         ["dev.tbf:3: K512 found the mention id 'E9' in '@Coreference\\tR1\\tE1,E9', expected ids "
          "of mentions of this document",
          "dev.tbf:4: K512 found a mention more than once in '@Coreference\\tR2\\tE1,E1', expected "
          "each mention once",
          "dev.tbf:5: K512 found 1 mention in '@After\\tR3\\tE1', expected two mentions, from and "
          "to"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_full(data: bytes, expected: list[str]) -> None:
    assert expected == complaints(data)


@pytest.mark.parametrize(
    "span",
    ["", "4", "4,4", "8,4", "-1,3", "1,2,3", "1;2", "1,2;", "1,2;2", "1,5;4,6", "1,99999999999",
     "1,2147483647", "a,b", "t", "t1,", "t1,t1", "t1;t2", "t-1", "tx", "t1,2", "1,t2", "é"],
)  # fmt: skip
def test_a_place_that_is_none_is_shown(span: str) -> None:
    data = inside(f"s\td\tE1\t{span}\tx\tA\tB", "@After\tR1\tE1,E1")
    assert complaints(data)[0] == (
        f"dev.tbf:2: K509 found the span {span!r}, expected characters like 4,8 or 4,8;13,16, ends "
        "exclusive, or token ids like t3,t5"
    )


def test_a_link_to_a_wrong_mention_is_not_wrong_as_well() -> None:
    data = inside("s\td\tE1\t4\tx\tA\tB", "s\td\tE2\t1,2\tx\tA\tB", "@After\tR1\tE1,E2")
    assert len(complaints(data)) == 1


def test_all_problems_are_counted_and_the_first_hundred_kept_in_order_of_lines() -> None:
    lines = [f"s\td\tE{i}\t{'4,5' if i % 3 else 'x'}\tx\t{'A' if i % 3 != 1 else ''}\tB"
             for i in range(600)]  # fmt: skip
    with pytest.raises(InputError) as caught:
        read(inside(*lines))
    assert caught.value.total == 400
    found = [problem.line for problem in caught.value.problems]
    assert [i + 2 for i in range(600) if i % 3 != 2][:100] == found


def _world(rng: random.Random, unit: str) -> Corpus:
    documents = []
    for number in range(60):
        mentions = []
        for k in range(rng.randrange(6)):
            tokens = sorted(rng.sample(range(12), rng.randint(1, 4)))
            mentions.append(
                Mention.of(rng.choice("AB"), [(t, t + 1) for t in tokens],
                           {"realis": rng.choice(["Actual", "Other"])}, id=f"E{k}")
            )  # fmt: skip
        rng.shuffle(mentions)
        ids = [str(mention.id) for mention in mentions]
        clusters = [Group("", tuple(("", i) for i in rng.sample(ids, rng.randint(1, len(ids)))),
                          f"R{k}") for k in range(rng.randrange(3) if ids else 0)]  # fmt: skip
        pairs = [rng.sample(ids, 2) for _ in range(rng.randrange(3) if len(ids) > 1 else 0)]
        relations = [Group(rng.choice(["After", "Subevent"]), (("from", a), ("to", b)), f"S{k}")
                     for k, (a, b) in enumerate(pairs)]  # fmt: skip
        attributes = {"system": "s"} if mentions else {}
        extra = {"tbf": {"text": {i: f"text of {i}" for i in ids}}} if ids else {}
        documents.append(
            Document(f"d{number}", mentions=tuple(mentions), attributes=attributes, unit=unit,
                     clusters=tuple(clusters), relations=tuple(relations), extra=extra)
        )  # fmt: skip
    return Corpus.of(*documents)


@pytest.mark.parametrize("unit", ["char", "token"])
def test_what_was_written_is_read(unit: str) -> None:
    rng = random.Random(5)
    for _ in range(12):
        corpus = _world(rng, unit)
        data = written(corpus)
        again = read(data)
        assert content(corpus) == content(again)
        assert data == written(again)


def test_mentions_without_ids_and_realis_get_some() -> None:
    mentions = (Mention("A", 0, 1), Mention("B", 0, 1, id="E1"))
    cluster = {"mentions": ["E1"]}
    corpus = Corpus.of(Document("d", mentions=mentions, unit="token"))
    assert written(corpus) == inside(
        "_\td\tE2\tt0\t\tA\tNOT_ANNOTATED", "_\td\tE1\tt0\t\tB\tNOT_ANNOTATED"
    )
    clusters = [cluster, cluster | {"id": "R2"}, cluster]
    mention = {"id": "E1", "start": 3, "end": 4, "label": "A"}
    corpus = Corpus.of({"id": "d", "unit": "char", "clusters": clusters, "mentions": [mention]})
    assert written(corpus) == inside(
        "_\td\tE1\t3,4\t\tA\tNOT_ANNOTATED",
        "@Coreference\tR3\tE1",
        "@Coreference\tR2\tE1",
        "@Coreference\tR4\tE1",
    )


ONE = {"id": "E1", "start": 0, "end": 1, "label": "A"}
TWO = ONE | {"id": "E2"}
BARE = {"id": "d", "unit": "char", "mentions": [ONE, TWO]}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"tokens": ["a"]}, "tbf needs ids of documents"),
        ({"id": " d"}, "tbf cannot hold the document id ' d'"),
        ({"id": "d\te"}, "tbf cannot hold the document id 'd\\te'"),
        (BARE | {"unit": None},
         "tbf holds tokens or characters; this corpus does not say which it counts"),
        (BARE | {"attributes": {"x": "y"}},
         "tbf cannot hold attributes of documents other than system"),
        (BARE | {"mentions": [ONE | {"attributes": {"x": "y"}}]},
         "tbf cannot hold attributes of mentions other than realis"),
        (BARE | {"mentions": [ONE | {"confidence": 0.5}]}, "tbf cannot hold confidences"),
        (BARE | {"templates": [{"label": "x", "slots": {"a": ["b"]}}]},
         "tbf cannot hold templates"),
        (BARE | {"clusters": [{"label": "x", "mentions": ["E1"]}]},
         "tbf cannot hold labels of clusters"),
        (BARE | {"clusters": [{"mentions": []}]}, "tbf cannot hold clusters without mentions"),
        (BARE | {"clusters": [{"mentions": ["E1", "E1"]}]},
         "tbf cannot link a mention with itself"),
        (BARE | {"relations": [{"label": "x", "arguments": {"a": "E1", "b": "E2"}}]},
         "tbf cannot hold relations other than from one mention to another"),
        (BARE | {"relations": [{"label": "x", "arguments": {"from": "E1"}}]},
         "tbf cannot hold relations other than from one mention to another"),
        (BARE | {"relations": [{"arguments": {"from": "E1", "to": "E2"}}]},
         "tbf cannot hold relations without a label"),
        (BARE | {"relations": [{"label": "Coreference", "arguments": {"from": "E1", "to": "E2"}}]},
         "tbf cannot hold the relation 'Coreference'"),
        (BARE | {"mentions": [ONE | {"id": "a,b"}], "clusters": [{"mentions": ["a,b"]}]},
         "tbf cannot link the mention id 'a,b'"),
        (BARE | {"mentions": [ONE | {"label": "a\tb"}]}, "tbf cannot hold the value 'a\\tb'"),
        (BARE | {"mentions": [ONE | {"attributes": {"realis": "a\r"}}]},
         "tbf cannot hold the value 'a\\r'"),
        (BARE | {"attributes": {"system": "@x"}}, "tbf cannot hold the system '@x'"),
        (BARE | {"mentions": [ONE | {"label": "\ud800"}]},
         "tbf cannot hold surrogates, as in document 'd'"),
        (BARE | {"unit": "token", "mentions": [ONE | {"end": 10**6}]},
         "tbf cannot hold a mention of more than 50,000 tokens"),
        (BARE | {"unit": "token", "mentions": [ONE | {"end": 5}], "tbf": {"tokens": ["t1"]}},
         "tbf: document 'd' has 1 token ids, but a mention at token 4"),
        (BARE | {"note": 1}, "tbf cannot hold further fields of documents"),
    ],
)  # fmt: skip
def test_what_the_format_cannot_hold_is_refused(record: dict[str, object], expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        written(Corpus.of(record))
    assert expected == str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [5, {"x": {}}, {"text": {"E1": 5}}, {"comments": ["x"]}, {"tokens": 3},
     {"columns": {"E1": "x"}}, {"comments": ["#EndOfDocument"]}],
)  # fmt: skip
def test_a_field_that_only_looks_like_ours_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError) as caught:
        written(Corpus.of(BARE | {"tbf": wrong}))
    expected = "the field tbf of a document is not what reading a tbf file leaves there"
    assert expected == str(caught.value)


def test_tbf_is_recognised_and_takes_no_other_file_for_one() -> None:
    for head in (EXAMPLE, b"\xef\xbb\xbf" + EXAMPLE, b"\r\n# x\n" + EXAMPLE):
        assert Tbf.sniff(head) == 1.0
        assert max(each.sniff(head) for each in (Conll, Jsonl, Spans)) < 0.5
    for head in (b"Ann B-PER\n", b"# newdoc\nAnn B-PER\n", b'{"id": "#BeginOfDocument"}\n', b"",
                 b"PER\t1\t1\t1\n"):  # fmt: skip
        assert Tbf.sniff(head) == 0.0


def test_a_system_is_scored_against_gold(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.tbf", tmp_path / "system.tbf"
    gold.write_bytes(EXAMPLE)
    system.write_bytes(EXAMPLE.replace(b"50,57", b"50,58"))
    score = carob.score(gold, system, "exact.F1").scores[0]
    assert score.value == 0.75
    assert "|unit:char|format:tbf/tbf|" in score.signature


def test_a_long_document_is_read_whole() -> None:
    data = inside(*(f"s\td\tE{i}\t{i},{i + 1}\tx\tA\tB" for i in range(20_000)))
    corpus = read(data)
    assert np.arange(20_000).tolist() == corpus.mentions.start.tolist()

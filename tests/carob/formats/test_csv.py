"""Tables of spans: columns by name or by option, documents without spans, units, annotators."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, Document, InputError, Mention, UsageError, convert, read, score
from carob.corpus.corpus import fact_remarks
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes, written


def table(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def places(data: bytes, **options: Any) -> dict[str | None, list[tuple[str, int, int]]]:
    return {
        each.id: [(m.label, m.start, m.end) for m in each.mentions]
        for each in of_bytes(data, "csv", **options)
    }


def found(data: bytes, **options: Any) -> list[tuple[str, int | None, str]]:
    with pytest.raises(InputError) as caught:
        of_bytes(data, "csv", **options)
    return [(each.code, each.line, each.found) for each in caught.value.problems]


@pytest.mark.parametrize("header", [
    "doc,start,end,label", "Document ID;Begin;End;Entity Type",
    "file_name\tstart_char\tend_char\ttag",
    '"docid","Start Offset","End Offset","category"', "\ufeffDOC,START,END,TYPE",
])  # fmt: skip
def test_headers_are_recognised(header: str) -> None:
    separator = next(sign for sign in ",;\t" if sign in header)
    data = table(header, separator.join(("d1", "0", "3", "PER")))
    corpus = read(Source.of_bytes(data, "file"))
    assert corpus.origin is not None
    assert "csv" == corpus.origin.format
    assert {"d1": [("PER", 0, 3)]} == places(data)


def test_other_names_are_named_by_options() -> None:
    data = table("nr,a,b,kind,sure", "d1,0,3,PER,0.5")
    options = {"document": "nr", "start": "a", "end": "b", "label": "kind", "confidence": "sure"}
    assert {"d1": [("PER", 0, 3)]} == places(data, **options)
    assert 0.5 == of_bytes(data, "csv", **options)[0].mentions[0].confidence
    assert "no column 'x'" == found(data, **(options | {"start": "x"}))[0][2]
    assert "no column of start and of end" == found(data, label="kind")[0][2]


def test_documents_need_not_stand_together_and_may_be_empty() -> None:
    data = table("doc,start,end,label", "a,0,3,X", "b,1,2,Y", "a,5,6,X", "c,,,")
    assert {"a": [("X", 0, 3), ("X", 5, 6)], "b": [("Y", 1, 2)], "c": []} == places(data)


def test_without_a_column_of_documents_all_rows_are_one() -> None:
    data = table("start,end,label", "0,3,X", "5,6,Y")
    assert {None: [("X", 0, 3), ("Y", 5, 6)]} == places(data)


def test_texts_are_documents_if_no_column_names_them() -> None:
    """A text stands in the first of its rows, or in all."""
    rows = ("text,start,end,label", "Ann slept,0,3,PER", "Ann slept,4,9,ACT", "Bo sat,0,2,PER",
            ",3,6,ACT")  # fmt: skip
    ((code, line, message),) = found(table(*rows[:4]))
    assert ("K241", 2) == (code, line)
    assert message.startswith(
        "3 of 3 spans much shorter than the words of the column 'text' (line 2 "
    )
    corpus = of_bytes(table(*rows), "csv", text="text")
    assert ["Ann slept", "Bo sat"] == [document.text for document in corpus]
    assert [[(0, 3), (4, 9)], [(0, 2), (3, 6)]] == [
        [(mention.start, mention.end) for mention in document.mentions] for document in corpus
    ]
    assert 1 == len(of_bytes(table(*rows), "csv", offsets="char"))


def test_a_column_id_without_one_of_documents_is_asked_about() -> None:
    data = table("id,start,end,label", "a,0,3,X", "b,5,6,Y")
    assert [("K241", 1, "the column 'id', of documents or of spans")] == found(data)
    assert {"a", "b"} == set(places(data, document="id"))
    assert ["a", "b"] == [m.id for m in of_bytes(data, "csv", id="id")[0].mentions]


def test_quotes_line_breaks_and_commas_in_values() -> None:
    data = b'doc,start,end,label,document_text\r\nd1,0,3,"a ""b"", c","Ann\nslept, ""well"""\r\n'
    (document,) = of_bytes(data, "csv")
    assert 'Ann\nslept, "well"' == document.text
    assert (Mention('a "b", c', 0, 3),) == document.mentions
    assert [("K241", 2, "unexpected end of data")] == found(table("doc,start,end,label", '"d1,0'))


def test_texts_check_the_words_and_other_units_are_noticed() -> None:
    rows = ("d1,{0},{1},PER,Ann,😀 Ann and Bo", "d1,{2},{3},PER,Bo,")
    head = "doc,start,end,label,words,document_text"
    right = table(head, *(row.format(2, 5, 10, 12) for row in rows))
    assert {"d1": [("PER", 2, 5), ("PER", 10, 12)]} == places(right)
    java = table(head, *(row.format(3, 6, 10, 12) for row in rows[:1]))
    ((code, _, message),) = found(java)
    assert "K234" == code and message.startswith("1 of 1 mention with other words in the text")
    assert {"d1": [("PER", 2, 5)]} == places(java, offsets="utf16")


def test_without_texts_lengths_show_inclusive_ends() -> None:
    data = table("doc,start,end,label,text", "d1,0,2,PER,Ann", "d1,8,11,LOC,Rome")
    ((code, line, message),) = found(data)
    assert ("K234", 2) == (code, line)
    assert message == (
        "2 of 2 mentions longer or shorter than the words that the file quotes "
        "(line 2 has 'Ann' at 0..2)"
    )
    assert {"d1": [("PER", 0, 3), ("LOC", 8, 12)]} == places(data, offsets="inclusive")
    assert {"d1": [("PER", 0, 2), ("LOC", 8, 11)]} == places(data, offsets="char")
    java = table("doc,start,end,label,text", "d1,0,5,X,a😀 b")
    with pytest.raises(InputError, match="add the texts of the documents and --read offsets=utf16"):
        of_bytes(java, "csv")
    with pytest.raises(InputError, match="offsets without a text"):
        of_bytes(java, "csv", offsets="utf16")


def test_without_texts_lengths_that_fit_no_unit_are_counted() -> None:
    data = table("doc,start,end,label,text", "d1,0,9,PER,Ann", "d1,10,14,LOC,Rome")
    warning = "1 mention longer or shorter than the words that the file quotes, of 2 with words"
    assert [("K234", warning)] == fact_remarks(of_bytes(data, "csv"))


def test_two_texts_of_one_document_are_an_error() -> None:
    data = table("doc,start,end,label,document_text", "d,0,1,X,abc", "d,1,2,X,abd")
    assert [("K232", 3, "another text than on line 2")] == found(data)


def test_tokens_are_counted_if_the_columns_or_the_user_say_so() -> None:
    data = table("doc,start_token,end_token,label", "d1,0,2,PER")
    assert "token" == of_bytes(data, "csv").unit
    other = table("doc,start,end,label", "d1,0,2,PER")
    assert ("char", "token") == (
        of_bytes(other, "csv").unit,
        of_bytes(other, "csv", unit="token").unit,
    )
    with pytest.raises(UsageError, match="unit cannot be"):
        of_bytes(other, "csv", unit="words")


def test_several_annotators_need_a_choice() -> None:
    data = table(
        "doc,start,end,label,annotator", "d,0,3,A,ann", "d,0,3,B,bo", "e,0,1,A,ann", "e,,,,"
    )
    ((code, _, message),) = found(data)
    assert ("K235", "spans by 'ann' and 'bo'") == (code, message)
    assert {"d": [("B", 0, 3)], "e": []} == places(data, annotator="bo")
    assert 2 == of_bytes(data, "csv", annotator="bo").facts["other_annotators"]
    one = table("doc,start,end,label", "d,0,3,A")
    assert "no column of annotators" == found(one, annotator="bo")[0][2]


def test_problems_have_the_line_of_their_row() -> None:
    data = table("doc,start,end,label", "d,0,3,A", "d,,3,A")
    assert [("K232", 3, "start = ''")] == found(data)
    data = table("doc,start,end,label,document_text", "d,0,3,A,Ann", "d,0,9,A,")
    assert [("K232", 3, "a mention at 0..9")] == found(data)


def test_the_columns_that_are_missing_are_to_be_named() -> None:
    with pytest.raises(InputError, match=r"no column of label, .*: --read label=NAME$"):
        of_bytes(table("doc_id,start,end", "d,0,3"), "csv")
    with pytest.raises(InputError, match=r": --read start=NAME --read end=NAME$"):
        of_bytes(table("doc_id,from,to,label", "d,0,3,A"), "csv")


@pytest.mark.parametrize(("row", "code", "message"), [
    ("d,0,3", "K241", "3 columns"), ("d,x,3,A", "K232", "start = 'x'"),
    ("d,0,,A", "K232", "end = ''"), ("d,0,3,", "K232", "label = ''"),
    ("d,3,3,A", "K232", "span 3..3 is empty"), ("d,-1,3,A", "K232", "start = -1"),
    (",0,3,A", "K241", "a row without a document"), ("d,1.5,3,A", "K232", "start = '1.5'"),
])  # fmt: skip
def test_what_is_wrong_is_named(row: str, code: str, message: str) -> None:
    ((found_code, line, text),) = found(table("doc,start,end,label", row))
    assert (code, 2) == (found_code, line) and text.startswith(message)


def test_numbers_of_spreadsheets_are_numbers() -> None:
    assert {"1": [("A", 0, 3)]} == places(table("doc,start,end,label", "1,0.0,3.0,A"))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    documents = [
        Document("d1", text='Ann, "Bo"\n😀 slept', mentions=(
            Mention("A", 0, 3, confidence=0.5, id="m1"), Mention("B,C", 5, 9, id="m2"))),
        Document("d2", text="Nobody"),
    ]  # fmt: skip
    corpus = Corpus.of(*documents)
    data = written(corpus, "csv")
    assert documents == list(of_bytes(data, "csv"))
    assert 1.0 == score(corpus, of_bytes(data, "csv"), "exact.F1", resamples=0).value
    with (tmp_path / "a.csv").open("w") as out:
        out.write(data.decode())
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines(keepends=True)))
    assert ["Ann", '"Bo"', ""] == [row["words"] for row in rows]
    bare = written(corpus, "csv", text="")
    assert b"document,start,end,label,confidence,id\r\n" == bare[: bare.index(b"\n") + 1]
    convert(tmp_path / "a.csv", tmp_path / "a.jsonl")
    assert documents == list(read(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(("document", "message"), [
    (Document(text="Ann"), "needs ids of documents"),
    (Document("d", text="Ann", mentions=(Mention(" A", 0, 3),)), "with white space at an end"),
    (Document("d", text=""), "the empty text"),
    (Document("d", text="Ann", mentions=(Mention.of("A", [(0, 1), (2, 3)]),)), "discontinuous"),
    (Document("d", text="\ud800"), "it is no character"),
])  # fmt: skip
def test_what_it_cannot_hold_is_refused(document: Document, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        written(Corpus.of(document), "csv")


def test_a_column_that_may_have_documents_is_not_left_out() -> None:
    table = b"sentence_no,start,end,label\n1,0,3,PER\n2,0,3,PER\n"
    with pytest.raises(InputError, match="K241 found no column of documents, unless 'sentence_no'"):
        of_bytes(table, "csv")
    assert ["1", "2"] == [each.id for each in of_bytes(table, "csv", document="sentence_no")]
    assert 1 == len(of_bytes(table, "csv", document=""))
    assert 1 == len(of_bytes(b",start,end,label\n0,0,3,PER\n1,5,8,PER\n", "csv"))


def test_a_first_line_may_name_the_separator() -> None:
    """Excel reads and writes such a line."""
    for line, sign in (("sep=;", ";"), ('"sep=|"\r', "|"), ("\ufeffSEP=,", ",")):
        data = table(
            line, "doc,start,end,label".replace(",", sign), f'd1{sign}0{sign}x{sign}"sep=;"'
        )
        with pytest.raises(InputError) as caught:
            read(Source.of_bytes(data, "a.csv"))
        assert "a.csv:3: K232 found end = 'x', expected a whole number" == str(caught.value)
        assert {"d1": [("sep=;", 0, 3)]} == places(data.replace(b"x", b"3"))
    with pytest.raises(InputError, match=r"a\.csv:1: K241 found no column of start"):
        read(Source.of_bytes(b"sep=;\na;b\n1;2\n", "a.csv"))


@pytest.mark.parametrize(("header", "found", "options"), [
    ("doc_id,start,end,start_char,end_char,label",
     "start: 'start', 'start_char'; end: 'end', 'end_char'",
     "--read start=start_char --read end=end_char"),
    ("doc,start,end,label,type", "label: 'label', 'type'", "--read label=NAME"),
    ("doc,start,end,label,file", "document: 'doc', 'file'", "--read document=NAME"),
])  # fmt: skip
def test_of_two_columns_that_may_be_meant_the_user_chooses_one(
    header: str, found: str, options: str
) -> None:
    names = header.split(",")
    with pytest.raises(InputError) as caught:
        of_bytes(table(header, ",".join("0" for _ in names)), "csv")
    assert (
        f"file:1: K241 found several columns that may be meant ({found}), expected one of each; "
        f"the columns are {', '.join(map(repr, names))}; say which is which: {options}"
        == str(caught.value)
    )


def test_places_of_tokens_stand_beside_those_of_characters() -> None:
    data = table("doc_id,start,end,start_char,end_char,label", "d1,0,2,0,7,PER")
    assert {"d1": [("PER", 0, 7)]} == places(data, start="start_char", end="end_char")
    assert {"d1": [("PER", 0, 2)]} == places(data, start="start", end="end", unit="token")


def test_documents_that_the_annotator_has_not_seen_are_left_out() -> None:
    head = "doc,start,end,label,annotator"
    data = table(head, "d1,0,3,A,ann", "d2,0,3,A,bob", "d3,0,3,A,ann", "d3,1,2,B,bob", "d4,,,,ann")
    assert {"d1": [("A", 0, 3)], "d3": [("A", 0, 3)], "d4": []} == places(data, annotator="ann")
    assert 2 == of_bytes(data, "csv", annotator="ann").facts["other_annotators"]
    assert [("K002", None, "a file whose records are all left out")] == found(data, annotator="x")


def test_every_wrong_row_of_a_document_is_reported() -> None:
    data = table("doc,start,end,label", "d,1.5,3,A", "d,-1,3,A", "d,3,2,A", "d,0,3,A")
    assert [
        ("K232", 2, "start = '1.5'"), ("K232", 3, "start = -1"),
        ("K232", 4, "span 3..2 is empty or negative; ends are exclusive, so one position at 3 is "
         "3..4"),
    ] == found(data)  # fmt: skip

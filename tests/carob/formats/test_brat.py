"""brat: every line of an .ann file reaches the corpus or is kept, and is written again."""

from __future__ import annotations

import gzip
import random
import time
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, Document, Group, Mention
from carob.cli import main
from carob.corpus.problems import InputError, UsageError
from carob.corpus.source import Source
from carob.evaluate.read import sniffed
from carob.formats import brat
from carob.formats.brat import Brat
from carob.formats.jsonl import Jsonl
from tests.worlds import times

TEXT = "Barack Obama was born in Hawaii.\nHe married Michelle.\n"
ANN = """\
T1\tPER 0 12\tBarack Obama
T2\tBorn 17 21\tborn
T3\tLOC 25 31\tHawaii
T4\tPER 33 35\tHe
E1\tBorn:T2 Who:T1 Where:T3
E2\tMarry:T5 Who:T4 After:E1
T5\tMarry 36 43\tmarried
A1\tNegation E1
A2\tConfidence T1 very high
M3\tFactual E2 true
R1\tOrigin Arg1:T1 Arg2:T3\t
R2\tBefore Arg1:E1 Arg2:E2
*\tEquiv T1 T4
*\tSame E1 T5
N1\tReference T1 Wikipedia:534366\tBarack Obama
#1\tAnnotatorNotes A1\tsure?
"""


def folder(*pairs: str | bytes) -> Source:
    """A folder of documents a, b, ...: each a text and its annotations."""
    data = [part.encode() if isinstance(part, str) else part for part in pairs]
    ends = (".txt", ".ann")
    return Source.of_files(
        {"abcdefgh"[i // 2] + ends[i % 2]: part for i, part in enumerate(data)}, "F"
    )


def read(*pairs: str | bytes, **parameters: Any) -> Corpus:
    return carob.read(folder(*pairs), "brat", **parameters)


def wrong(*pairs: str | bytes) -> list[str]:
    with pytest.raises(InputError) as error:
        read(*pairs)
    assert len(error.value.problems) == error.value.total
    return [str(problem) for problem in error.value.problems]


def again(corpus: Corpus, place: Path) -> Corpus:
    carob.write(corpus, place, "brat")
    return carob.read(place, "brat")


def test_mentions_are_all_text_bound_lines() -> None:
    corpus = read(TEXT, ANN)
    document = corpus[0]
    assert document.id == "a"
    assert document.text == TEXT
    assert corpus.unit == "char"
    assert len(TEXT) == corpus.documents.length[0]
    assert (
        Mention("PER", 0, 12, attributes={"Confidence": "very high"}, id="T1"),
        Mention("Born", 17, 21, attributes={"Negation": "true"}, id="T2"),
        Mention("LOC", 25, 31, id="T3"),
        Mention("PER", 33, 35, id="T4"),
        Mention("Marry", 36, 43, attributes={"Factual": "true"}, id="T5"),
    ) == document.mentions


def test_events_and_relations_are_relations_between_mentions() -> None:
    assert (
        Group("Born", (("trigger", "T2"), ("Who", "T1"), ("Where", "T3")), "E1"),
        Group("Marry", (("trigger", "T5"), ("Who", "T4"), ("After", "T2")), "E2"),
        Group("Origin", (("Arg1", "T1"), ("Arg2", "T3")), "R1"),
        Group("Before", (("Arg1", "T2"), ("Arg2", "T5")), "R2"),
    ) == read(TEXT, ANN)[0].relations


def test_equivalences_are_clusters() -> None:
    assert (
        Group("", (("", "T1"), ("", "T4"))), Group("Same", (("", "T2"), ("", "T5"))),
    ) == read(TEXT, ANN)[0].clusters  # fmt: skip


def test_the_rest_is_kept_as_it_is() -> None:
    assert read(TEXT, ANN)[0].extra == {
        "brat": {
            "lines": [
                "N1\tReference T1 Wikipedia:534366\tBarack Obama",
                "#1\tAnnotatorNotes A1\tsure?",
            ],
            "attributes": [
                ["A1", "T2", "Negation", "E1"],
                ["A2", "T1", "Confidence", "T1"],
                ["M3", "T5", "Factual", "E2", "valued"],
            ],
            "targets": {
                "E2": {"2": "E1"},
                "R2": {"0": "E1", "1": "E2"},
                "*1": {"0": "E1"},
            },
        }
    }


def test_what_is_written_has_the_same_lines(tmp_path: Path) -> None:
    corpus = read(TEXT, ANN)
    carob.write(corpus, tmp_path / "out", "brat")
    written = (tmp_path / "out" / "a.ann").read_text()
    assert sorted(ANN.replace("T3\t\n", "T3\n").splitlines()) == sorted(written.splitlines())
    assert TEXT.encode() == (tmp_path / "out" / "a.txt").read_bytes()
    assert corpus[0] == carob.read(tmp_path / "out")[0]


def test_it_survives_a_stay_in_jsonl(tmp_path: Path) -> None:
    corpus = read(TEXT, ANN)
    carob.write(corpus, tmp_path / "x.jsonl")
    between = carob.read(tmp_path / "x.jsonl")
    assert corpus[0] == between[0]
    assert corpus[0] == again(between, tmp_path / "out")[0]


def test_discontinuous_mentions_have_several_spans(tmp_path: Path) -> None:
    corpus = read("North and South America", "T1\tLOC 0 5;16 23\tNorth America\n")
    assert (Mention.of("LOC", [(0, 5), (16, 23)], id="T1"),) == corpus[0].mentions
    carob.write(corpus, tmp_path / "out", "brat")
    ann = (tmp_path / "out" / "a.ann").read_text()
    assert ann == "T1\tLOC 0 5;16 23\tNorth America\n"


def test_spans_may_come_in_any_order_and_touch() -> None:
    corpus = read("North and South", "T1\tLOC 10 15;0 5\tSouth North\nT2\tX 0 2;2 5\tNo rth\n")
    assert [m.fragments for m in corpus[0].mentions] == [((0, 5),), ((0, 5), (10, 15))]


def test_a_mention_over_a_line_break_may_be_cut_there_or_not() -> None:
    ann = "T1\tX 0 3;4 7\tone two\nT2\tX 0 7\tone two\n"
    assert [mention.fragments for mention in read("one\ntwo", ann)[0].mentions] == [
        ((0, 3), (4, 7)),
        ((0, 7),),
    ]


def test_offsets_count_characters_beyond_the_basic_plane_and_marks() -> None:
    text = "😀 e\u0301a 𐍈\r\n\tNaïve"
    assert (Mention("A", 2, 5, id="T1"), Mention("B", 6, 7, id="T2")) == (
        read(text, "T1\tA 2 5\te\u0301a\nT2\tB 6 7\t𐍈\n")[0].mentions
    )
    assert text == read(text, "")[0].text


def test_white_space_in_the_told_text_does_not_matter() -> None:
    assert len(read("a \r\n\t b", "T1\tX 0 7\ta b\nT2\tX 0 7\ta\tb \r\n").mentions) == 2
    assert len(read("a" + " " * 500 + "b", "T1\tX 0 502\ta b\n").mentions) == 1
    spans = ";".join(f"{i} {i + 1}" for i in range(0, 400, 2))
    assert len(read("  " * 200, f"T1\tX {spans}\t\n").mentions) == 1


def test_a_byte_order_mark_counts_in_the_text_and_not_in_the_annotations() -> None:
    corpus = read("\ufeffAnn", "\ufeffT1\tPER 1 4\tAnn\r\n\r\n")
    assert (Mention("PER", 1, 4, id="T1"),) == corpus[0].mentions


def test_documents_are_named_by_their_place_in_the_folder(tmp_path: Path) -> None:
    for name in ("b/x.y", "a", "b/c/z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(name)
        (tmp_path / f"{name}.ann").write_bytes(b"")
    (tmp_path / "annotation.conf").write_text("[entities]")
    (tmp_path / ".stats_cache").write_bytes(b"\0")
    corpus = carob.read(tmp_path)
    assert corpus.documents.id == ("a", "b/c/z", "b/x.y")
    assert [document.text for document in corpus] == ["a", "b/c/z", "b/x.y"]
    assert (corpus.facts["other_files"], corpus.facts["hidden_files"]) == (1, 1)


def test_gz_files_are_read_as_what_is_in_them(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "a.ann.gz").write_bytes(gzip.compress(ANN.encode()))
    assert read(TEXT, ANN)[0] == carob.read(tmp_path)[0]


@pytest.mark.parametrize("end", [".txt", ".ann"])
def test_one_pair_is_read_by_either_name_and_has_no_id(tmp_path: Path, end: str) -> None:
    (tmp_path / "x.txt").write_text("Ann slept")
    (tmp_path / "x.ann").write_text("T1\tPER 0 3\tAnn\n")
    corpus = carob.read(tmp_path / f"x{end}")
    assert corpus.documents.id is None
    assert (Mention("PER", 0, 3, id="T1"),) == corpus[0].mentions
    assert corpus[0].text == "Ann slept"
    carob.write(corpus, tmp_path / "y.ann")
    assert (tmp_path / "y.txt").read_text() == "Ann slept"
    assert carob.score(tmp_path / "x.ann", tmp_path / "y.ann", "exact.F1").value == 1.0


def test_blocks_of_documents_make_one_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brat, "_BLOCK", 2)
    one = ("Ann ran", "T1\tPER 0 3\tAnn\nA1\tX T1\nR1\tR a:T1\nA2\tY R1\n")
    for count in (1, 2, 3, 4):
        corpus = read(*one * count)
        assert count == len(corpus)
        assert count == corpus.facts["unplaced_attributes"]
        assert [*"abcd"[:count]] == [document.id for document in corpus]
        assert all(read(*one)[0].mentions == document.mentions for document in corpus)


def test_an_attribute_of_an_event_whose_trigger_is_shared_is_kept_and_counted() -> None:
    ann = "T1\tX 0 1\ta\nE1\tX:T1\nE2\tX:T1\nA1\tNegation E1\nA2\tSure T1\n"
    corpus = read("a", ann)
    assert (Mention("X", 0, 1, attributes={"Sure": "true"}, id="T1"),) == corpus[0].mentions
    assert corpus[0].extra["brat"]["lines"] == ["A1\tNegation E1"]
    assert corpus.facts["unplaced_attributes"] == 1


def test_an_attribute_that_says_the_same_again_is_kept_and_counted() -> None:
    corpus = read("a", "T1\tX 0 1\ta\nA1\tN T1\nA2\tN T1\n")
    assert corpus[0].extra["brat"]["lines"] == ["A2\tN T1"]
    assert corpus.facts["unplaced_attributes"] == 1


def test_a_text_without_annotations_can_be_an_empty_document() -> None:
    source = Source.of_files({"a.txt": b"x", "b.txt": b"y", "b.ann": b""}, "F")
    corpus = carob.read(source, "brat", missing="empty")
    assert [document.text for document in corpus] == ["x", "y"]
    assert corpus.facts["without_ann"] == 1
    assert corpus.origin is not None
    assert corpus.origin.parameters == {"missing": "empty"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"s/a.txt": b""},
            "F/s/a.txt: K604 found no a.ann, expected annotations beside the text; "
            "--read missing=empty reads it as a document without mentions",
        ),
        (
            {"s/a.ann": b""},
            "F/s/a.ann: K604 found no a.txt, expected the text beside its annotations",
        ),
        (
            {"a.txt": b"", "a.ann": b"", "a.txt.gz": b""},
            "F/a.ann: K604 found two files for one text, expected one .txt and one .ann",
        ),
        ({"a": b""}, "F: K002 found a folder without .txt and .ann files, expected some of them"),
    ],
)
def test_a_file_that_is_missing_is_an_error(files: dict[str, bytes], expected: str) -> None:
    with pytest.raises(InputError) as error:
        carob.read(Source.of_files(files, "F"), "brat")
    assert expected == str(error.value)


def test_a_stream_cannot_be_brat() -> None:
    expected = (
        "<stdin>: K604 found a file that is neither .txt nor .ann, "
        "expected a folder of .txt and .ann files, or one of them by its name"
    )
    with pytest.raises(InputError) as error:
        carob.read(Source.of_bytes(b"T1\tPER 0 3\tAnn", "<stdin>"))
    assert expected == str(error.value)


T1 = "T1\tX 0 1\ta\n"


@pytest.mark.parametrize(
    ("ann", "expected"),
    [
        (
            "T1 X 0 1 a",
            "1: K602 found 'T1 X 0 1 a', expected T1, tab, label start end, tab, text",
        ),
        ("T1\tX 0 1", r"1: K602 found 'T1\tX 0 1', expected T1, tab, label start end, tab, text"),
        (
            "T1\tX 0\ta",
            r"1: K602 found 'T1\tX 0\ta', expected T1, tab, label start end, tab, text",
        ),
        (
            "T\tX 0 1\ta",
            r"1: K602 found 'T\tX 0 1\ta', expected T1, tab, label start end, tab, text",
        ),
        (
            "T1\tX \u0660 1\ta",
            "1: K602 found 'T1\\tX \u0660 1\\ta', expected T1, tab, label start end, tab, text",
        ),
        (
            f"{T1}E1\tX",
            r"2: K602 found 'E1\tX', expected E1, tab, label:T1, and perhaps role:id ...",
        ),
        (
            f"{T1}E1\tX:T1 T1",
            r"2: K602 found 'E1\tX:T1 T1', expected E1, tab, label:T1, and perhaps role:id ...",
        ),
        (f"{T1}R1\tX T1", r"2: K602 found 'R1\tX T1', expected R1, tab, label role:id role:id"),
        (f"{T1}R1\tX", r"2: K602 found 'R1\tX', expected R1, tab, label role:id role:id"),
        (
            f"{T1}A1\tX",
            r"2: K602 found 'A1\tX', expected A1, tab, name and id, and perhaps a value",
        ),
        (
            f"{T1}M1\tX",
            r"2: K602 found 'M1\tX', expected M1, tab, name and id, and perhaps a value",
        ),
        (f"{T1}*\tEquiv", r"2: K602 found '*\tEquiv', expected *, tab, Equiv T1 T2 ..."),
        (
            f"{T1}N1\tReference T1",
            r"2: K602 found 'N1\tReference T1', "
            "expected N1, tab, Reference T1 resource:id, tab, text",
        ),
        (
            "\n\nX1\tnothing",
            r"3: K602 found 'X1\tnothing', expected a line that begins with one of T A M E R N * #",
        ),
        (
            f"{T1}T1\tY 0 1\ta",
            "2: K603 found the id 'T1', also on line 1, "
            "expected an id of its own for each annotation",
        ),
        (
            "T1\tX 1 1\ta",
            "1: K605 found T1: span 1..1 is empty or negative; ends are exclusive, so one position "
            "at 1 is 1..2, expected spans that are not empty and do not overlap",
        ),
        (
            "T1\tX 0 2;1 3\ta",
            "1: K605 found T1: fragments 0..2 and 1..3 of one mention share a position, "
            "expected spans that are not empty and do not overlap",
        ),
        (
            "T1\tX 0 12\ta",
            "1: K605 found T1 ending at 12, expected an end within the 11 characters of the text; "
            "offsets count Unicode characters",
        ),
        (
            "T1\tX 0 5\tabcde",
            "1: K606 found T1 with the text 'abcde', expected 'a b c', the text at 0; "
            "offsets count Unicode characters",
        ),
        (
            f"{T1}R1\tX Arg1:T1 Arg2:T9",
            r"2: K607 found 'T9' in 'R1\tX Arg1:T1 Arg2:T9', "
            "expected the id of a line with T or E in this file",
        ),
        (
            f"{T1}E1\tX:T9",
            r"2: K607 found 'T9' in 'E1\tX:T9', expected the id of a line with T in this file",
        ),
        (
            f"{T1}E1\tX:T1\nE2\tX:E1",
            r"3: K607 found 'E1' in 'E2\tX:E1', expected the id of a line with T in this file",
        ),
        (
            f"{T1}*\tEquiv T1 T2",
            r"2: K607 found 'T2' in '*\tEquiv T1 T2', "
            "expected the id of a line with T or E in this file",
        ),
        (
            f"{T1}A1\tX T2",
            r"2: K607 found 'T2' in 'A1\tX T2', "
            "expected the id of a line with T or E or R in this file",
        ),
        (
            f"{T1}A1\tX T1 low\nA2\tX T1 high",
            "3: K608 found 'high' as the 'X' of 'T1', expected 'low', as on a line before",
        ),
    ],
)
def test_wrong_lines_are_named(ann: str, expected: str) -> None:
    assert [f"F/a.ann:{expected}"] == wrong("a b c d e f", ann)


def test_bytes_that_are_no_text_are_named_in_every_line() -> None:
    assert wrong(b"a\n\xff\nb\n\xc3", b"T1\tcaf\xe9", "x".encode("utf-16"), "") == [
        r"F/a.txt:2: K601 found '\\xff', expected UTF-8; convert it, for example with iconv",
        r"F/a.txt:4: K601 found '\\xc3', expected UTF-8; convert it, for example with iconv",
        r"F/a.ann:1: K601 found '\\xe9', expected UTF-8; convert it, for example with iconv",
        "F/b.txt:1: K601 found UTF-16 text, expected UTF-8; convert it, for example with iconv",
    ]


def test_all_problems_of_all_files_come_in_order() -> None:
    found = wrong("a", f"{T1}A1\tX T7\nT2\tX 0 9\ta\n", "a", "T1\tX 0 1\tb\n")
    assert [(line.split(": ")[0], line.split(": ")[1][:4]) for line in found] == [
        ("F/a.ann:2", "K607"),
        ("F/a.ann:3", "K605"),
        ("F/b.ann:1", "K606"),
    ]


def test_who_names_a_line_that_is_wrong_is_not_wrong_too() -> None:
    ann = "T1\tX 0 9\ta\nE1\tX:T1\nE2\tX:T9 Y:E1\nA1\tN E2\nR1\tR a:E2 b:T1\n*\tEquiv T1 T2\nT2\n"
    assert [line.split(": ")[1][:4] for line in wrong("a", ann)] == ["K605", "K607", "K602"]


def test_at_most_a_hundred_problems_are_kept_and_all_counted() -> None:
    with pytest.raises(InputError) as error:
        read("a", "T\n" * 250)
    assert (len(error.value.problems), error.value.total) == (100, 250)


def test_a_parameter_has_two_values() -> None:
    with pytest.raises(UsageError) as error:
        read("", "", missing="emty")
    expected = "missing files cannot be 'emty'; did you mean empty? there are: empty, error"
    assert expected == str(error.value)


def refused(document: dict[str, Any] | Document, place: Path, **more: Any) -> str:
    with pytest.raises(UsageError) as error:
        carob.write(Corpus.of(document), place, "brat", **more)
    return str(error.value).replace(str(place), "F")


M1 = {"id": "T1", "start": 0, "end": 1, "label": "X"}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            {"id": "a", "tokens": ["x"]},
            "brat keeps a text beside its annotations, and there is none in document 'a'",
        ),
        (
            {"id": "../a", "text": ""},
            "brat writes a document to a file of its name, and '../a' is no name for a file",
        ),
        (
            {"id": "a//b", "text": ""},
            "brat writes a document to a file of its name, and 'a//b' is no name for a file",
        ),
        (
            {"id": "a", "text": "x", "mentions": [M1 | {"label": "a b"}]},
            "brat cannot hold the label 'a b' in document 'a'",
        ),
        (
            {"id": "a", "text": "x", "mentions": [M1 | {"attributes": {"a b": "x"}}]},
            "brat cannot hold the attribute 'a b' in document 'a'",
        ),
        (
            {"id": "a", "text": "x", "mentions": [M1 | {"attributes": {"a": "x\ny"}}]},
            r"brat cannot hold the value 'x\ny' in document 'a'",
        ),
        (
            {
                "id": "a", "text": "x", "mentions": [M1],
                "relations": [{"label": "r", "arguments": {"": "T1"}}],
            },
            "brat cannot hold the role '' in document 'a'",
        ),
        (
            {"id": "a", "text": "x", "mentions": [M1], "relations": [{"label": "r"}]},
            "brat cannot hold 'r' in document 'a', a group without members",
        ),
        (
            {"id": "a", "text": "x\ud800"},
            r"brat cannot hold '\ud800' in document 'a': it is no character",
        ),
        (
            {"id": "a", "text": "x", "brat": {"lines": [5]}},
            "the brat part of document 'a' is not one that carob made",
        ),
        (
            {"id": "a", "text": "x", "brat": {"attributes": [[1]]}},
            "the brat part of document 'a' is not one that carob made",
        ),
        (
            {"id": "a", "text": "x", "brat": 5},
            "the brat part of document 'a' is not one that carob made",
        ),
    ],
)  # fmt: skip
def test_what_brat_cannot_hold_is_refused_and_nothing_written(
    document: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    assert expected == refused(document, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    expected = "the folder F is not empty; write to a new one"
    assert expected == refused({"id": "a", "text": ""}, tmp_path)
    expected = "cannot write the folder F: File exists"
    assert expected == refused({"text": ""}, tmp_path / "x")


def test_several_documents_do_not_go_into_one_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        carob.write(Corpus.of({"text": ""}, {"text": ""}), tmp_path / "x.ann")
    expected = f"{tmp_path / 'x.ann'} is one document, and there are 2: give a folder"
    assert expected == str(error.value)
    with pytest.raises(UsageError) as error:
        Brat().write(Corpus.of({"text": ""}), None)  # type: ignore[arg-type]
    assert str(error.value) == "brat writes two files for each document: give it a folder"


def test_members_that_are_gone_are_refused(tmp_path: Path) -> None:
    import numpy as np

    corpus = read(TEXT, ANN).kept(np.array([0, 1]))
    with pytest.raises(UsageError) as error:
        carob.write(corpus, tmp_path / "out", "brat")
    expected = "a member of 'Marry' in document 'a' is no mention that has an id"
    assert expected == str(error.value)


def test_ids_that_brat_does_not_know_are_replaced(tmp_path: Path) -> None:
    document = {
        "text": "a b c",
        "mentions": [
            {"id": "m1", "start": 0, "end": 1, "label": "X", "attributes": {"N": "true"}},
            {"id": "T1", "start": 2, "end": 3, "label": "X"},
            {"start": 4, "end": 5, "label": "X", "attributes": {"N": "no"}},
        ],
        "relations": [
            {"id": "r", "label": "R", "arguments": {"a": "m1", "b": "T1"}},
            {"label": "E", "arguments": {"trigger": "m1", "b": "T1"}},
            {"id": "R1", "label": "R", "arguments": {"trigger": "m1", "b": "T1"}},
        ],
        "clusters": [{"mentions": ["m1", "T1"]}],
    }
    carob.write(Corpus.of(document), tmp_path / "out", "brat")
    assert (tmp_path / "out" / "1.ann").read_text().splitlines() == [
        "T2\tX 0 1\ta", "T1\tX 2 3\tb", "T3\tX 4 5\tc", "R2\tR a:T2 b:T1", "E1\tE:T2 b:T1",
        "R1\tR trigger:T2 b:T1", "*\tEquiv T2 T1", "A1\tN T2", "A2\tN T3 no",
    ]  # fmt: skip


def test_a_role_may_come_twice(tmp_path: Path) -> None:
    corpus = read("a b", "T1\tX 0 1\ta\nT2\tX 2 3\tb\nE1\tX:T1 Theme:T2 Theme:T1\n")
    members = (("trigger", "T1"), ("Theme", "T2"), ("Theme", "T1"))
    assert (Group("X", members, "E1"),) == corpus[0].relations
    assert corpus[0] == again(corpus, tmp_path / "out")[0]


def test_documents_without_ids_are_numbered_in_order(tmp_path: Path) -> None:
    corpus = Corpus.of(*({"text": str(i)} for i in range(11)))
    assert [str(i) for i in range(11)] == [d.text for d in again(corpus, tmp_path / "out")]
    assert (tmp_path / "out" / "01.txt").exists()


ALPHABET = [
    "a",
    "b",
    " ",
    "\t",
    "\r\n",
    "\n",
    "😀",
    "𐍈",
    "e\u0301",
    "\u0301",
    "\u2028",
    "\xa0",
    "<a>",
]


def made(rng: random.Random, row: int) -> dict[str, Any]:
    """A document with everything that brat can hold."""
    text = "".join(rng.choices(ALPHABET, k=rng.randrange(1, 20)))
    mentions = []
    for number in range(rng.randrange(5)):
        cuts = sorted(rng.sample(range(len(text) + 1), min(rng.choice([2, 2, 4]), len(text) + 1)))
        spans = [cuts[i : i + 2] for i in range(0, len(cuts) - 1, 2)]
        attributes = {
            name: rng.choice(["true", "x", "very  high", "😀:;"])
            for name in ("Neg", "Ü-1")
            if rng.random() < 0.3
        }
        mentions.append(
            {"id": f"T{number * 3 + 1}", "fragments": spans, "label": rng.choice(["X", "Y:ö.1"]),
             "attributes": attributes}
        )  # fmt: skip
    ids = [str(mention["id"]) for mention in mentions]
    relations: list[dict[str, Any]] = []
    clusters: list[dict[str, Any]] = []
    for number in range(rng.randrange(4) if ids else 0):
        arguments = {f"Arg{k}": rng.choice(ids) for k in range(rng.randrange(1, 4))}
        event = rng.random() < 0.5
        trigger = {"trigger": rng.choice(ids)} if event else {}
        relations.append({"id": f"{'E' if event else 'R'}{number}", "label": "L",
                          "arguments": trigger | arguments})  # fmt: skip
        clusters.append({"mentions": rng.choices(ids, k=2), "label": rng.choice(["", "Same"])})
    relations.sort(key=lambda relation: relation["id"])
    document = {"id": f"s/{row}", "text": text, "mentions": mentions, "relations": relations}
    notes = {"brat": {"lines": ["#1\tNote T1\t x ", "N1\tRef T1 a:b\tc"]}}
    return document | {"clusters": clusters} | (notes if rng.random() < 0.3 else {})


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    rng = random.Random(1)
    corpus = Corpus.of(*(made(rng, row) for row in range(times(2.5))))
    first = again(corpus, tmp_path / "first")
    by_id = {document.id: document for document in first}
    for document in corpus:
        other = by_id[document.id]
        assert (document.text, document.mentions) == (other.text, other.mentions)
        assert (document.relations, document.clusters) == (other.relations, other.clusters)
        lines = document.extra.get("brat", {}).get("lines", [])
        assert lines == other.extra.get("brat", {}).get("lines", [])
    second = again(first, tmp_path / "second")
    assert list(first) == list(second)
    files = sorted((tmp_path / "first").rglob("*.*"))
    for file in files:
        twin = tmp_path / "second" / file.relative_to(tmp_path / "first")
        assert file.read_bytes() == twin.read_bytes()


def test_it_scores_as_its_jsonl_does(tmp_path: Path) -> None:
    rng = random.Random(2)
    corpus = Corpus.of(*(made(rng, row) for row in range(30)))
    carob.write(corpus, tmp_path / "gold", "brat")
    with (tmp_path / "system.jsonl").open("wb") as out:
        Jsonl().write(corpus, out)
    found = carob.score(tmp_path / "gold", tmp_path / "system.jsonl", "exact.F1")
    assert found.value == 1.0


def test_reading_takes_linear_time() -> None:
    begin = time.perf_counter()
    wide = "".join(f"T{i}\tX 0 200000\t \n" for i in range(5000))
    assert len(read(" " * 200000, wide).mentions) == 5000
    with pytest.raises(InputError):
        read("a" * 200000, wide)
    many = "".join(f"T{i}\tX 0 1\ta\nE{i}\tX:T0 A:E{i - 1}\n" for i in range(20000))
    with pytest.raises(InputError) as error:
        read("a", many)
    assert error.value.total == 1
    assert time.perf_counter() - begin < 10


@pytest.mark.parametrize(
    "head",
    [
        b"T1\tPER 0 3\tAnn\n", b"\xef\xbb\xbf\n#1\tNote T1\tx\n", b"*\tEquiv T1 T2\n",
        b"E1\tX:T1\n", b"R1\tX Arg1:T1 Arg2:T2\n", b"A1\tNegation E1\n",
    ],
)  # fmt: skip
def test_annotations_are_recognised(head: bytes) -> None:
    assert Brat.sniff(head) == 0.95


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"Ann B-PER\nslept O\n", "conll"),
        (b"T1\tB-PER\nT2\tI-PER\n", "conll"),
        (b"T1 O\nwas O\n", "conll"),
        (b'{"id": "T1"}\n', "jsonl"),
        (b"*\tO\n#1\tO\nE1\tO\n", "conll"),
    ],
)
def test_other_formats_are_still_recognised(head: bytes, expected: str) -> None:
    assert expected == sniffed(Source.of_bytes(head))


def test_a_line_of_a_text_is_found_again() -> None:
    corpus = read(TEXT, ANN)
    assert corpus.library is not None
    assert [corpus.library.line(0, place) for place in (0, 32, 33)] == [1, 1, 2]


RETURNS = "Ann\r\nslept.\r\nBo left.\r\n"


def test_offsets_may_leave_out_carriage_returns() -> None:
    ann = "T1\tPER 0 3\tAnn\nT2\tPER 11 13\tBo\n"
    corpus = read(RETURNS, ann)
    assert corpus[0].text == "Ann\nslept.\nBo left.\n"
    assert [(m.start, m.end) for m in corpus[0].mentions] == [(0, 3), (11, 13)]
    assert corpus.facts["without_returns"] == 1
    remarks = carob.score(corpus, corpus, "exact.F1", resamples=0).remarks
    assert "gold: 1 text read without carriage returns, which the offsets leave out" in remarks
    assert carob.Pair.of(corpus, corpus).in_tokens.gold.start.tolist() == [0, 3]


def test_offsets_that_count_carriage_returns_still_do() -> None:
    corpus = read(RETURNS, "T1\tPER 13 15\tBo\n")
    assert (corpus[0].text, corpus.facts["without_returns"]) == (RETURNS, 0)
    (problem, _) = wrong(RETURNS, "T1\tPER 13 15\tBo\nT2\tPER 11 13\tBo\n"), None
    assert problem[0].startswith("F/a.ann:2: K606")


def test_texts_without_mentions_are_read_as_those_beside_them() -> None:
    """A system may find nothing in a text in which gold has mentions."""
    counted, leaves_out = "T1\tPER 13 15\tBo\n", "T1\tPER 11 13\tBo\n"
    corpus = read(RETURNS, "", RETURNS, leaves_out, RETURNS, counted)
    shorter = RETURNS.replace("\r", "")
    assert [document.text for document in corpus] == [shorter, shorter, RETURNS]
    assert corpus.facts["without_returns"] == 2
    assert read(RETURNS, "", RETURNS, counted).facts["without_returns"] == 0


def test_a_lenient_reader_lists_what_it_leaves_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = ANN + "T6\tPER 0 5\tMichelle\nT7\tPER 3\nR3\tOrigin Arg1:T6 Arg2:T1\nA9\tSure T77\n?\n"
    assert len(wrong(TEXT, bad)) == 4
    corpus, good = read(TEXT, bad, lenient=True), read(TEXT, ANN)
    assert corpus[0].mentions == good[0].mentions
    assert corpus[0].relations == good[0].relations
    assert corpus.facts["left_out"] == 5
    assert "left_out: F/a.ann:17: K606" in str(corpus.facts)
    for name, content in (("a.txt", TEXT), ("a.ann", bad)):
        for side in ("gold", "system"):
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / name).write_text(
                content if side == "system" or name == "a.txt" else ANN
            )
    call = ["score", str(tmp_path / "gold"), str(tmp_path / "system"), "-m", "exact.F1"]
    assert main(call) == 1
    assert main([*call, "--lenient"]) == 0
    out = " ".join(capsys.readouterr().out.split())  # the table has the warnings
    assert "(system: 5 lines left out because of errors)" in out
    assert "a.ann:18: K602" in out
    findings = carob.check(tmp_path / "system", options={"lenient": True})
    assert {problem.code for problem in findings.problems if problem.warning} >= {"K610"}


def test_fragments_that_touch_are_one_and_that_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, spans in (("gold", "0 5"), ("system", "0 3;3 5")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("Ann-L slept")
        words = "Ann-L" if name == "gold" else "Ann -L"
        (tmp_path / name / "a.ann").write_text(f"T1\tPER {spans}\t{words}\n")
    gold, system = tmp_path / "gold", tmp_path / "system"
    assert 1 == carob.score(gold, system, "exact.F1").value
    (warning,) = carob.check(system, gold).problems
    expected = "1 mention with fragments that touch, which count and are written as one"
    assert ("K611", expected) == (warning.code, warning.found)
    assert [] == list(carob.check(gold).problems)
    assert 0 == main(["score", str(gold), str(system), "-m", "exact.F1", "--format", "json"])
    assert f"warning: system: {expected}" in capsys.readouterr().err

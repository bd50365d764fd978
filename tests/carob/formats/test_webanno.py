"""WebAnno TSV 3: layers, stacks, several tokens, parts of tokens, escapes, relations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from carob import InputError, Mention, UsageError, read
from carob.corpus.corpus import fact_remarks
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes

NER = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value"
POS = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue"


def file(layers: str, *rows: str, text: str = "Ann Lee left") -> bytes:
    body = "".join(row.replace(" ", "\t") + "\t\n" for row in rows)
    return f"#FORMAT=WebAnno TSV 3.3\n{layers}\n\n\n#Text={text}\n{body}".encode()


def mentions(data: bytes, **options: Any) -> list[tuple[str, int, int]]:
    (document,) = of_bytes(data, "webanno", **options)
    return [(each.label, each.start, each.end) for each in document.mentions]


def found(data: bytes, **options: Any) -> list[tuple[str, int | None, str]]:
    with pytest.raises(InputError) as caught:
        of_bytes(data, "webanno", **options)
    return [(each.code, each.line, each.found) for each in caught.value.problems]


def test_numbers_in_brackets_join_tokens_and_bars_separate_annotations() -> None:
    data = file(NER, "1-1 0-3 Ann Q1[1]|*[2] PER[1]|ORG[2]", "1-2 4-7 Lee Q1[1] PER[1]",
                "1-3 8-12 left * LOC|VERB")  # fmt: skip
    (document,) = of_bytes(data, "webanno")
    # The last token has two values and one identifier: what is missing is none.
    assert (
        Mention("ORG", 0, 3), Mention("PER", 0, 7, (), {"identifier": "Q1"}),
        Mention("LOC", 8, 12), Mention("VERB", 8, 12),
    ) == document.mentions  # fmt: skip
    assert ("Ann", "Lee", "left") == document.tokens and (0,) == document.sentences


def test_parts_of_tokens_may_be_annotated() -> None:
    data = file(NER, "1-1 0-3 Ann _ _", "1-2 4-7 Lee _ _", "1-3 8-12 left _ _",
                "1-3.1 8-10 le * PART", "1-3.2 10-12 ft *[4] PART[4]")  # fmt: skip
    assert [("PART", 8, 10), ("PART", 10, 12)] == mentions(data)
    assert 3 == len(of_bytes(data, "webanno")[0].tokens or ())


def test_escapes_are_taken_away() -> None:
    rows = ("1-1 0-3 A\\_n * a\\|b\\[1\\]", "1-2 4-7 Lee * x\\\\|\\_y")
    assert [("a|b[1]", 0, 3), ("_y", 4, 7), ("x\\", 4, 7)] == mentions(
        file(NER, *rows, text="A\\_n Lee")
    )


def test_layers_of_tags_do_not_count_and_several_others_need_a_choice() -> None:
    one = file(f"{POS}\n{NER}", "1-1 0-3 Ann NNP * PER", "1-2 4-7 Lee NNP _ _")
    assert [("PER", 0, 3)] == mentions(one)
    two = file(f"#T_SP=custom.Mood|mood\n{NER}", "1-1 0-3 Ann calm * PER", "1-2 4-7 Lee _ _ _")
    ((code, line, message),) = found(two)
    assert ("K235", 1) == (code, line)
    assert "the layers 'custom.Mood', 'de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity'" \
        == message  # fmt: skip
    assert [("calm", 0, 3)] == mentions(two, layer="Mood")
    assert [("PER", 0, 3)] == mentions(two, layer="NamedEntity")
    assert found(two, layer="Other")[0][2] == "no layer 'Other'"


def test_the_label_is_the_only_feature_or_the_one_that_is_named() -> None:
    layer = "#T_SP=custom.X|kind|mood"
    data = file(layer, "1-1 0-3 Ann human calm", "1-2 4-7 Lee _ _")
    assert "the features 'kind', 'mood' of the layer 'custom.X'" == found(data)[0][2]
    assert [("human", 0, 3)] == mentions(data, feature="kind")
    assert "no feature 'x' in the layer 'custom.X'" == found(data, feature="x")[0][2]
    bare = file("#T_SP=custom.X|", "1-1 0-3 Ann *", "1-2 4-7 Lee _")
    assert [("X", 0, 3)] == mentions(bare)


def test_relations_go_from_their_source_to_where_they_stand() -> None:
    layers = (
        "#T_SP=custom.X|label\n#T_RL=custom.R|label|BT_custom.X\n#T_RL=custom.S|label|BT_custom.Y"
    )
    data = file(layers, "1-1 0-3 Ann PER[1] _ _ _ _", "1-2 4-7 Lee PER[1] _ _ _ _",
                "1-3 8-12 left GO next|* 1-1[1_0]|1-3 x 1-1")  # fmt: skip
    corpus = of_bytes(data, "webanno")
    first, second = corpus[0].relations
    assert ("next", (("from", "T1"), ("to", "T2"))) == (first.label, first.members)
    assert ("R", (("from", "T2"), ("to", "T2"))) == (second.label, second.members)
    assert 1 == corpus.facts["unlabelled_relations"]
    wrong = file(layers, "1-1 0-3 Ann PER x 1-9 _ _")
    assert "a relation of 1-9[0]" == found(wrong)[0][2]


def test_offsets_count_as_java_does_and_other_units_are_noticed() -> None:
    java = file(NER, "1-1 0-2 😀 _ _", "1-2 3-6 Ann * PER", text="😀 Ann")
    (document,) = of_bytes(java, "webanno")
    assert ("😀 Ann", [("PER", 2, 5)]) == (document.text, mentions(java))
    python = file(NER, "1-1 0-1 😀 _ _", "1-2 2-5 Ann * PER", text="😀 Ann")
    ((code, line, message),) = found(python)
    assert ("K234", 6) == (code, line)
    assert message.startswith("1 of 2 tokens longer or shorter than their places")
    assert [("PER", 2, 5)] == mentions(python, offsets="char")


def test_sentences_stand_at_their_places_and_may_have_several_lines() -> None:
    data = file(NER, "1-1 0-3 Ann _ _", "1-2 4-7 Lee _ _", text="Ann\n#Text=Lee")
    data += b"\n#Text=Bo slept\n2-1\t10-12\tBo\t*\tPER\t\n2-2\t13-18\tslept\t_\t_\t\n"
    (document,) = of_bytes(data, "webanno")
    assert "Ann\nLee   Bo slept" == document.text and (0, 10) == document.sentences
    assert [("PER", 10, 12)] == mentions(data)


def test_without_texts_the_tokens_are_the_text() -> None:
    data = b"#FORMAT=WebAnno TSV 3.2\n#T_SP=a.B|label\n\n1-1\t0-3\tAnn\tX\n2-1\t5-8\tLee\t_\n"
    (document,) = of_bytes(data, "webanno")
    assert ("Ann  Lee", (0, 5)) == (document.text, document.sentences)


@pytest.mark.parametrize(("row", "message"), [
    ("1-1 0-3 Ann", "0 columns of layers"), ("1-1 0-3 Ann * PER x", "3 columns of layers"),
    ("1 0-3 Ann * PER", "'1\\t0-3\\tAnn\\t*\\tPER\\t'"),
    ("1-1 x Ann * PER", "'1-1\\tx\\tAnn\\t*\\tPER\\t'"),
])  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(row: str, message: str) -> None:
    assert [("K243", 6, message)] == found(file(NER, row))


def test_a_file_without_tokens_is_empty() -> None:
    assert "K002" == found(b"#FORMAT=WebAnno TSV 3.3\n" + NER.encode())[0][0]


def test_files_of_a_folder_are_documents_with_ids(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ann.tsv").write_bytes(file(NER, "1-1 0-3 Ann * PER"))
    corpus = read(tmp_path)
    assert ["a.txt/ann", "b.txt/ann"] == [each.id for each in corpus]
    assert "Ann Lee left" == corpus[1].text


def test_a_document_without_the_layer_is_empty_and_counted() -> None:
    """INCEpTION leaves layers without annotations out of the header."""
    without = (file("", "1-1 0-3 Ann"), file(POS, "1-1 0-3 Ann NNP"))
    for data, layer in zip(without, ("", "NamedEntity"), strict=True):
        corpus = of_bytes(data, "webanno", layer=layer)
        assert ("Ann Lee left", ()) == (corpus[0].text, corpus[0].mentions)
        remark = "1 document without a layer of mentions, or the one that layer= names"
        assert [("K236", remark)] == fact_remarks(corpus)
    files = {"a.tsv": file(NER, "1-1 0-3 Ann * PER"), "b.tsv": without[0], "c.tsv": without[1]}
    for options in ({}, {"layer": "NamedEntity"}):
        corpus = read(Source.of_files(files, "folder"), **options)
        mentions_each = [len(each.mentions) for each in corpus]
        assert ([1, 0, 0], 2) == (mentions_each, corpus.facts["unlayered"])


def test_a_layer_that_no_file_has_is_refused() -> None:
    data = file(NER, "1-1 0-3 Ann * PER")
    with pytest.raises(InputError) as caught:
        of_bytes(data, "webanno", layer="Person")
    assert (
        "file:1: K232 found no layer 'Person', expected one of the layers of the file "
        "(NamedEntity): --read layer=NAME" == str(caught.value)
    )
    with pytest.raises(InputError) as caught:
        read(Source.of_files({"a.tsv": data, "b.tsv": data}, "folder"), layer="Person")
    assert (
        "folder: K232 found no layer 'Person' in any file, expected one that some file has; "
        "--read layer=NAME" == str(caught.value)
    )


def test_files_of_a_folder_with_different_layers_need_a_choice() -> None:
    mood = file("#T_SP=custom.Mood|mood", "1-1 0-3 Ann calm")
    files = {"a.tsv": file(NER, "1-1 0-3 Ann * PER"), "b.tsv": mood}
    with pytest.raises(InputError) as caught:
        read(Source.of_files(files, "folder"))
    assert (
        "folder: K235 found the layers 'custom.Mood', 'de.tudarmstadt.ukp.dkpro.core.api.ner.type."
        "NamedEntity' in different files, expected one of them; --read layer=NAME"
        == str(caught.value)
    )
    corpus = read(Source.of_files(files, "folder"), layer="Mood")
    assert [0, 1] == [len(each.mentions) for each in corpus]


def test_options_are_checked() -> None:
    with pytest.raises(UsageError, match="offsets cannot count"):
        read(Source.of_bytes(file(NER, "1-1 0-3 Ann * PER")), "webanno", offsets="words")


def test_one_number_has_one_value_on_all_rows() -> None:
    head = b"#FORMAT=WebAnno TSV 3.3\n#T_SP=x.NamedEntity|value\n\n\n#Text=Ann ran\n"
    file = head + b"1-1\t0-3\tAnn\tPER[1]|LOC\t\n1-2\t4-7\tran\tORG[1]\t\n"
    message = r"file:7: K232 found 'ORG' with the number \[1\], which is 'PER' on line 6, expected"
    with pytest.raises(InputError, match=message):
        of_bytes(file, "webanno")
    (document,) = of_bytes(file.replace(b"ORG", b"PER"), "webanno")
    assert [("LOC", 0, 3), ("PER", 0, 7)] == [(m.label, m.start, m.end) for m in document.mentions]


@pytest.mark.parametrize("place", [b"2-7", b"7-4"])
def test_a_token_at_a_wrong_place_is_told_with_its_line(place: bytes) -> None:
    head = b"#FORMAT=WebAnno TSV 3.3\n#T_SP=x.NamedEntity|value\n\n\n#Text=Ann ran\n"
    file = head + b"1-1\t0-3\tAnn\tPER\t\n1-2\t" + place + b"\tran\t_\t\n"
    with pytest.raises(InputError, match=r"file:7: K232 found 'ran' at .*, expected a place that"):
        of_bytes(file, "webanno")

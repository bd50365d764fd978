"""Files of other tools: those that carob does not read are named, and none is taken for another."""

from __future__ import annotations

import gzip
import json
import pickle
import zipfile
from pathlib import Path

import pytest

from carob import InputError, check, read
from carob.corpus.source import Source

XML = '<?xml version="1.0"?>\n'
FILES = {
    "WebAnno TSV 1 or 2": "#FORMAT=WebAnno TSV 2\n#id=1\n#text=Ann\n1-1\tAnn\tB-PER\n",
    "GATE XML": f'{XML}<GateDocument version="3"></GateDocument>',
    "ACE APF XML": '<!DOCTYPE source_file SYSTEM "apf.dtd">\n<source_file URI="x"></source_file>',
    "ERE XML": f'{XML}<deft_ere kit_id="k"><entities/></deft_ere>',
    "TEI XML": '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><persName>Ann</persName></text></TEI>',
    "NAF": f'{XML}<NAF xml:lang="en"><text/></NAF>',
    "FoLiA": f'{XML}<FoLiA xml:id="d"><text/></FoLiA>',
    "a type system of UIMA": f"{XML}<typeSystemDescription><name>x</name></typeSystemDescription>",
    "HTML": "<!DOCTYPE html>\n<html><body><b>Ann</b></body></html>",
    "XML of <corpus>": f"{XML}<!-- made by hand -->\n<corpus><s>Ann <b>Lee</b></s></corpus>",
    "XML": '<!DOCTYPE x [<!ENTITY a "b">',
    "a table of tokens (CSV)": "Sentence #,Word,POS,Tag\nSentence: 1,Ann,NNP,B-per\n,slept,VBD,O\n",
    "a table of labelled texts (CSV)": "text,label\nAnn slept,calm\n",
    "predictions for DocRED": json.dumps([{"title": "x", "h_idx": 0, "t_idx": 1, "r": "P17"}]),
    "the format of SciERC": json.dumps({"sentences": [["Ann"]], "ner": [[[0, 0, "PER"]]]}),
    "training data of spaCy 2": json.dumps([{"id": 0, "paragraphs": [{"sentences": []}]}]),
    "relations of FewRel": json.dumps({"token": ["a"], "h": {}, "t": {}, "relation": "x"}),
    "TACRED": json.dumps([{"token": ["a"], "subj_start": 0, "obj_start": 0, "relation": "x"}]),
    "the format of NYT": json.dumps({"sentText": "x", "relationMentions": []}),
    "the format of OneIE": json.dumps({"entity_mentions": [], "event_mentions": [], "tokens": []}),
    "SQuAD": json.dumps({"version": "1", "data": [{"paragraphs": [{"context": "x", "qas": []}]}]}),
    "coreference in": json.dumps({"doc_key": "x", "clusters": [], "sentences": [["a"]]}),
    "an answer of": json.dumps({"choices": [{"message": {"content": "{}"}}], "usage": {}}),
    "output of Amazon": json.dumps({"Entities": [{"BeginOffset": 0, "EndOffset": 3}], "File": "x"}),
    "a list of tokens": json.dumps([{"word": "Ann", "tag": "B-PER"}, {"word": "a", "tag": "O"}]),
    "an old export of doccano": json.dumps(
        {"text": "Ann", "annotations": [{"label": 7, "start_offset": 0, "end_offset": 3}]}),
    "tuples of Python": repr([("Ann slept", {"entities": [(0, 3, "PER")]})]),
    "tuples of Python, as": 'DATA = [\n    ("Ann slept", {"entities": [(0, 3, "PER")]}),\n]\n',
    "words with tags after slashes": "Ann/B-PER slept/O ./O\nBo/B-PER sat/O\n",
    "a dataset of Vertex AI": json.dumps({"textContent": "Ann", "textSegmentAnnotations": [
        {"startOffset": 0, "endOffset": 3, "displayName": "PER"}]}),
    "output of Google's": json.dumps({"entities": [{"name": "Ann", "type": "X", "salience": 1}]}),
    "output of Azure's": json.dumps({"documents": [{"id": "1", "entities": []}], "errors": [],
                                     "modelVersion": "1"}),
    "documents in one object": json.dumps({"1": {"tokens": ["Ann"], "ner_tags": ["B-PER"]},
                                           "2": {"tokens": [], "ner_tags": []}}),
    "lists of words": json.dumps({"words": ["Ann", "ran"], "ner": ["B-PER", "O"]}),
    "lists of words and": json.dumps([{"sentence": ["Ann", "ran"], "pos": ["N", "V"],
                                       "iob": ["O", "B-PER"]}]),
    "lists of words and of": json.dumps({"words": ["Ann", "ran"], "ner": [1, 0]}),
    "lists of words and of their tags": json.dumps({"tokens": ["Ann"], "ner": ["U-PER"]}),
    "an answer of a language": json.dumps(
        {"type": "message", "content": [{"type": "text", "text": "{}"}], "usage": {}}),
    "an answer of a language model": json.dumps(
        {"custom_id": "d1", "response": {"body": {"choices": [{"message": {}}], "usage": {}}}}),
    "the format of SpERT": json.dumps(
        [{"tokens": ["Ann", "ran"], "entities": [{"type": "PER", "start": 0, "end": 1}]}]),
    "the format of W2NER": json.dumps(
        [{"sentence": ["Ann", "ran"], "ner": [{"index": [0], "type": "PER"}]}]),
    "concepts of i2b2": 'c="ann lee" 1:0 1:1||t="person"\n',
    "documents in a list in an object": json.dumps(
        {"version": "1", "data": [{"tokens": ["Ann"], "ner_tags": ["B-PER"]}]}),
    "an export of NER Annotator": json.dumps(
        {"classes": ["PER"], "annotations": [["Ann", {"entities": [[0, 3, "PER"]]}], None]}),
    "an export of Label Studio before": json.dumps(
        [{"id": 1, "data": {"text": "Ann"}, "completions": [{"id": 1, "result": []}]}]),
    "a dataset of BigBio": json.dumps(
        {"id": "1", "document_id": "9", "passages": [{"text": ["Ann"], "offsets": [[0, 3]]}],
         "entities": [{"id": "e", "type": "PER", "text": ["Ann"], "offsets": [[0, 3]]}]}),
    "a dataset that a tokenizer": json.dumps({"input_ids": [1, 7, 2], "labels": [-100, 1, -100]}),
    "labels of whole": json.dumps({"text": "Ann slept", "cats": {"CALM": 1.0}}),
    "rows of the dataset viewer": json.dumps(
        {"features": [], "rows": [{"row": {"tokens": ["Ann"], "ner_tags": [1]}}]}),
    "documents in a list": json.dumps(
        {"version": "1", "data": [{"words": ["Ann", "ran"], "ner": ["B-PER", "O"]}]}),
    "examples of GLiNER2": json.dumps(
        {"input": "Ann ran", "output": {"entities": {"person": ["Ann"]}}}),
    "conversations": json.dumps(
        {"messages": [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "I"}]}),
    "conversations with a language": json.dumps(
        {"conversations": [{"from": "human", "value": "Who?"}, {"from": "gpt", "value": "I"}]}),
    "relations of DuIE": json.dumps(
        {"text": "Ann ran", "spo_list": [{"predicate": "x", "subject": "Ann", "object": "ran"}]}),
    "the format of MAVEN": json.dumps(
        {"id": "1", "content": [{"sentence": "A war", "tokens": ["A", "war"]}],
         "events": [{"type": "War", "mention": [{"trigger_word": "war", "offset": [1, 2]}]}]}),
    "labels of whole texts": json.dumps({"id": 1, "text": "Ann slept", "label": ["calm"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_foreign_file_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(FILES[name].encode(), "file.txt"))
    (problem,) = caught.value.problems
    assert "K239" == problem.code and problem.hint
    assert problem.found.startswith(f"what looks like {name}")


@pytest.mark.parametrize(
    "value",
    [
        {"text": "Ann slept", "found": [{"start": 0, "end": 3, "kind": "PER"}]},
        {"text": "Ann slept", "entities": [{"start": 0, "end": 3}]},
        {"examples": [{"content": "Ann slept", "annotations": [{"offset": 4, "length": 5}]}]},
        [{"entity_type": "PERSON", "start": 0, "end": 3, "score": 0.85}],
        {"row": {"data": "Ann"}, "objects": [{"name": "A", "location": {"start": 0, "end": 2}}]},
        [{"content": "Ann slept", "found": [{"beginOffset": 0, "content": "Ann", "endOffset": 3}]}],
        {"text": "Ann slept", "found": [{"label": "PER", "offsets": [0, 3]}]},
        [{"doc": {"body": "Ann slept", "found": [{"start_char": 0, "end_char": 3}]}}],
        {
            "content": "Ann slept",
            "annotation": [{"label": ["A"], "points": [{"start": 0, "end": 2}]}],
        },
    ],
)
def test_mentions_of_an_unknown_tool_are_not_taken_for_slots(value: object) -> None:
    source = Source.of_bytes(json.dumps(value).encode(), "file.json")
    with pytest.raises(
        InputError, match=r"K239 found objects with places in a text, under [\w ]+, "
    ):
        read(source)
    assert read(source, "records")[0].templates


@pytest.mark.parametrize("key", ["spans", "ner", "annotations"])
def test_lists_with_places_are_named(key: str) -> None:
    value = {"text": "Ann slept", key: [[0, 3, "PER"]]}
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(json.dumps(value).encode(), "file.json"))
    assert (
        f"file.json: K239 found objects with places in a text, under {key}, expected a format that "
        "carob reads; write one object per document as jsonl: id, text or tokens, and mentions; or "
        "name the format records if they are slots"
    ) == str(caught.value)


def test_a_format_that_is_read_may_have_keys_of_others_beside() -> None:
    messages = [{"role": "user", "content": "Who?"}]
    value = {"id": "1", "messages": messages, "entities": [{"text": "Ann", "type": "PER"}]}
    corpus = read(Source.of_bytes(json.dumps(value).encode(), "file.json"))
    assert corpus.origin is not None and "entities" == corpus.origin.format


@pytest.mark.parametrize("value", [
    {"talks": [{"start": 9, "end": 10}]}, {"title": "Ann", "talks": [{"start": 9, "end": 10}]},
    {"title": "A long title", "talk": {"start": 1, "end": 2}, "who": ["Ann"]},
    {"talks": [{"title": "x", "start": 9, "end": 10}]}, {"messages": ["a"], "output": "b"},
    {"rows": [{"name": "a", "count": 3}], "content": "b"}, {"start": 9, "end": 10, "title": "x"},
    {"title": "A long title", "talks": [{"start": "1", "end": "2"}]},
])  # fmt: skip
def test_slots_that_look_a_little_like_places_are_slots(value: object) -> None:
    corpus = read(Source.of_bytes(json.dumps(value).encode(), "file.json"))
    assert corpus.origin is not None and "records" == corpus.origin.format


BINARY = {
    "a pickle of Python": pickle.dumps({"a": "\0"}),
    "a PDF": b"%PDF-1.7\n\0",
    "a database of SQLite": b"SQLite format 3\0...",
    "a file of Arrow": b"ARROW1\0\0",
    "data compressed with xz": b"\xfd7zXZ\0\0",
    "a binary file": b"ab\0cd",
}


@pytest.mark.parametrize("name", BINARY)
def test_a_binary_file_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(BINARY[name], "file"))
    assert ("K003", name) == (caught.value.problems[0].code, caught.value.problems[0].found)


def test_a_zip_archive_is_refused_with_advice(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("doc.xmi", "x" * 100)
    with pytest.raises(InputError, match=r"a zip archive.*unpack it"):
        read(tmp_path / "export.zip")


def test_check_never_finds_nothing_wrong_with_them(tmp_path: Path) -> None:
    assert len(FILES) >= 20
    for number, (name, text) in enumerate(FILES.items()):
        for ending in ("txt", "json", "xml", "tsv"):
            file = tmp_path / f"{number}.{ending}"
            file.write_text(text)
            assert 1 == check(file).errors, (name, ending)


SPAN = {"begin": 0, "end": 3}
READ = {
    "csv": "doc,start,end,label,text\n1,0,3,PER,Ann\n",
    "pubtator": "1|t|Ann slept\n1|a|\n1\t0\t3\tAnn\tPER\t7\n",
    "webanno": "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.Span|label\n\n\n#Text=Ann\n1-1\t0-3\tAnn\tPER\t\n",
    "bioc": "<collection><source/><document><id>1</id><passage><offset>0</offset><text>Ann</text>"
    '<annotation id="1"><infon key="type">PER</infon><location offset="0" length="3"/>'
    "</annotation></passage></document></collection>",
    "cas": json.dumps({"%FEATURE_STRUCTURES": [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Ann"},
        {"%ID": 2, "%TYPE": "x.Span", "@sofa": 1, "value": "PER", **SPAN}]}),
    "gliner": json.dumps([[{"start": 0, "end": 3, "label": "PER", "text": "Ann", "score": 1}]]),
    "langextract": json.dumps({"text": "Ann", "extractions": [
        {"extraction_class": "PER", "char_interval": {"start_pos": 0, "end_pos": 3}}]}),
    "entities": json.dumps({"text": "Ann", "entities": [
        {"start": 0, "end": 3, "label": "PER", "text": "Ann"}]}),
    "doccano": json.dumps({"text": "Ann", "label": [[0, 3, "PER"]]}),
    "prodigy": json.dumps({"text": "Ann", "spans": [{"start": 0, "end": 3, "label": "PER"}]}),
    "spacy": json.dumps({"text": "Ann", "ents": [{"start": 0, "end": 3, "label": "PER"}]}),
    "labelstudio": json.dumps([{"data": {"text": "Ann"}, "annotations": [{"result": [
        {"type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}]}]}]),
    "pipeline": json.dumps([{"entity_group": "PER", "start": 0, "end": 3, "word": "Ann"}]),
    "jsonl": json.dumps({"text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}]}),
}  # fmt: skip


@pytest.mark.parametrize("format", READ)
@pytest.mark.parametrize("ending", ["txt", "json", "csv", "conll", "jsonl.gz"])
def test_a_file_is_read_as_what_it_is_whatever_its_name(
    format: str, ending: str, tmp_path: Path
) -> None:
    file = tmp_path / f"file.{ending}"
    data = READ[format].encode()
    file.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    corpus = read(file)
    assert corpus.origin is not None
    assert format == corpus.origin.format
    assert [("PER", 0, 3)] == [(m.label, m.start, m.end) for m in corpus[0].mentions]


DOCUMENT = "<document ><id>1</id><passage><offset>0</offset><text>Ann</text></passage></document>"
XMI = """<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore">
<cas:Sofa xmi:id="1" sofaString="Ann"/></xmi:XMI>"""


@pytest.mark.parametrize("line_break", ["", "\n", " \r\n"])
@pytest.mark.parametrize(("format", "text"), [
    ("bioc", f'<collection xmlns="http://x"><source/>{DOCUMENT}</collection>'),
    ("bioc", f"<collection >{DOCUMENT}</collection>"),
    ("bioc", f"<!DOCTYPE collection SYSTEM 'B'>|<?x?><collection>{DOCUMENT}</collection>"),
    ("cas", f"<!-- by hand -->|<!-- > -->{XMI}"),
    ("cas", f"<!DOCTYPE x [<!ELEMENT x ANY>]>|{XMI}"),
])  # fmt: skip
def test_xml_is_recognised_by_its_root_whatever_precedes_it(
    format: str, text: str, line_break: str
) -> None:
    for declaration in ("", '<?xml version="1.0"?>'):
        whole = declaration + text.replace("|", line_break)
        corpus = read(Source.of_bytes(whole.encode(), "file"))
        assert corpus.origin is not None
        assert (format, "Ann") == (corpus.origin.format, corpus[0].text)


@pytest.mark.parametrize("root", ["<collection/>", "<x:collection xmlns:x='x'/>", "<xmi>", ""])
def test_a_file_that_declares_itself_xml_is_never_columns(root: str) -> None:
    with pytest.raises(InputError, match="file: K239 found what looks like XML"):
        read(Source.of_bytes(b'<?xml version="1.0"?>' + root.encode(), "file"))


@pytest.mark.parametrize("text", [
    "start O\nend O\nlabel O\n", "Ann B-PER\n", "<speaker>Ann</speaker> will start, end, label\n",
    '{"start": "3", "end": "4", "label": "x"}', '{"paragraphs": ["a"], "id": "1"}',
    "Word, text, and label\n<a>x</a>", '{"text": "Ann", "label": ["a", "b"], "mentions": []}',
    "<collection>All</collection> of <speaker>Ann</speaker>",
    '{"names": ["Ann", "Bo"], "sizes": ["S", "M"]}', '{"names": ["Ann"], "blood": ["O"]}',
    '{"names": ["Ann", "Bo"], "amounts": [1, 2]}',
    '{"tokens": ["Ann"], "chunks": ["B-NP"], "mentions": []}',
    '{"tokens": ["Ann"], "chunks": ["B-NP"], "ner_tags": ["O"]}',
])  # fmt: skip
def test_other_files_are_read_as_before(text: str) -> None:
    assert 1 == len(read(Source.of_bytes(text.encode(), "file")))


def test_a_table_whose_columns_are_not_recognised_says_how_to_name_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("nr,b,e,kind\n1,0,3,PER\n")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "a.csv")
    assert (
        f"{tmp_path}/a.csv:1: K241 found no column of start and of end and of label, expected "
        "columns of starts, ends and labels; the columns are 'nr', 'b', 'e', 'kind'; say which is "
        "which: --read start=NAME --read end=NAME --read label=NAME" == str(caught.value)
    )

"""Files of other tools that carob does not read are named, and not taken for something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob import InputError, check, read
from carob.corpus.source import Source

FILES = {
    "PubTator": "123|t|A title\n123|a|An abstract\n123\t0\t1\tA\tGene\t7\n",
    "WebAnno TSV": "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.Span|label\n\n#Text=Ann\n1-1\t0-3\tAnn\tPER\n",
    "BioC XML": '<?xml version="1.0"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n<collection>'
    "<source>PMC</source><document><id>1</id><passage></passage></document></collection>",
    "UIMA CAS XMI": '<?xml version="1.0"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI"></xmi:XMI>',
    "GATE XML": '<?xml version="1.0"?>\n<GateDocument version="3"></GateDocument>',
    "ACE APF XML": '<!DOCTYPE source_file SYSTEM "apf.dtd">\n<source_file URI="x"></source_file>',
    "a table of spans": "doc,start,end,label,text\n1,0,3,PER,Ann\n",
    "DocRED": json.dumps([{"title": "x", "vertexSet": [[]], "sents": [["Ann"]], "labels": []}]),
    "the format of SciERC": json.dumps({"sentences": [["Ann"]], "ner": [[[0, 0, "PER"]]]}),
    "training data of GLiNER": json.dumps([{"tokenized_text": ["Ann"], "ner": [[0, 0, "PER"]]}]),
    "training data of spaCy 2": json.dumps([{"id": 0, "paragraphs": [{"sentences": []}]}]),
    "output of langextract": json.dumps({"extractions": [{"extraction_class": "x"}]}),
    "BioC JSON": json.dumps({"source": "x", "documents": [{"passages": []}]}),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_foreign_file_is_refused_by_its_name(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(FILES[name].encode(), "file.txt"))
    (problem,) = caught.value.problems
    assert "K239" == problem.code and problem.hint
    assert problem.found.startswith(f"what looks like {name}")


def test_check_never_finds_nothing_wrong_with_them(tmp_path: Path) -> None:
    for number, text in enumerate(FILES.values()):
        file = tmp_path / f"{number}.txt"
        file.write_text(text)
        assert 1 == check(file).errors


@pytest.mark.parametrize("text", [
    "start O\nend O\nlabel O\n", "Ann B-PER\n", "<speaker>Ann</speaker> will start, end, label\n",
    '{"start": "3", "end": "4", "label": "x"}', '{"paragraphs": ["a"], "id": "1"}',
])  # fmt: skip
def test_other_files_are_read_as_before(text: str) -> None:
    assert 1 == len(read(Source.of_bytes(text.encode(), "file")))

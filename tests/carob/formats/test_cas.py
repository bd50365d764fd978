"""UIMA CAS: what dkpro-cassis writes, as XMI and as JSON, is read as it reads it."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from carob import InputError, Mention, read
from carob.corpus.corpus import fact_remarks
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes

TEXT = "😀 Ann lives in Rome. 東京!"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"


def made(seed: int = 0) -> Any:
    """A CAS of dkpro-cassis, with random spans."""
    cassis = pytest.importorskip("cassis")
    types = cassis.TypeSystem()
    layers = {name: types.create_type(name) for name in (TOKEN, SENTENCE, "custom.Span")}
    relation = types.create_type("custom.Rel")
    types.create_feature(layers["custom.Span"], "label", "uima.cas.String")
    types.create_feature(layers["custom.Span"], "note", "uima.cas.String")
    types.create_feature(layers["custom.Span"], "size", "uima.cas.Integer")
    types.create_feature(relation, "label", "uima.cas.String")
    for role in ("Governor", "Dependent"):
        types.create_feature(relation, role, layers["custom.Span"].name)
    cas = cassis.Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = TEXT, "text/plain"
    rng = random.Random(seed)
    cas.add(layers[SENTENCE](begin=0, end=len(TEXT)))
    for start, end in ((0, 1), (2, 5), (6, 11)):
        cas.add(layers[TOKEN](begin=start, end=end))
    spans = []
    for number in range(5):
        start = rng.randrange(len(TEXT) - 1)
        end = rng.randrange(start + 1, len(TEXT))
        note = f"n{number} <&>" if number % 2 else None
        label = rng.choice("AB")
        spans.append(
            layers["custom.Span"](begin=start, end=end, label=label, note=note, size=number)
        )
    cas.add_all(spans)
    cas.add(relation(begin=0, end=1, Governor=spans[0], Dependent=spans[1], label="r"))
    return cas


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["xmi", "json"])
def test_it_is_read_as_cassis_reads_it(seed: int, kind: str) -> None:
    cas = made(seed)
    data = (cas.to_xmi() if kind == "xmi" else cas.to_json()).encode()
    corpus = of_bytes(data, "cas")
    (document,) = corpus
    assert TEXT == document.text and (0,) == document.sentences
    assert ((0, 1), (2, 5), (6, 11)) == document.token_spans
    expected = sorted((s.begin, s.end, s.label, s.size, s.note) for s in cas.select("custom.Span"))
    assert expected == sorted(
        (m.start, m.end, m.label, int(m.attributes["size"]), m.attributes.get("note"))
        for m in document.mentions
    )
    (link,) = cas.select("custom.Rel")
    (relation,) = document.relations
    places = {m.id: (m.start, m.end) for m in document.mentions}
    assert "r" == relation.label
    assert [(link.Governor.begin, link.Governor.end), (link.Dependent.begin, link.Dependent.end)] \
        == [places[name] for _, name in relation.members]  # fmt: skip


def test_both_are_recognised() -> None:
    cas = made()
    for data in (cas.to_xmi(), cas.to_json(), cas.to_json(pretty_print=True)):
        corpus = read(Source.of_bytes(data.encode(), "x.json"))
        assert corpus.origin is not None
        assert "cas" == corpus.origin.format


def structure(number: int, kind: str = "a.B", **more: Any) -> dict[str, Any]:
    return {"%ID": number, "%TYPE": kind, "@sofa": 1} | more


def as_json(*rows: Any, text: str | None = "Ann slept") -> bytes:
    sofa = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView", "sofaString": text}
    return json.dumps({"%FEATURE_STRUCTURES": [sofa, *rows]}).encode()


def found(data: bytes, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        of_bytes(data, "cas", **options)
    return [(each.code, each.found) for each in caught.value.problems]


def test_several_layers_need_a_choice() -> None:
    data = as_json(structure(2, begin=0, end=3, value="X"), structure(3, "a.C", begin=4, end=9))
    assert [("K235", "the layers 'a.B', 'a.C'")] == found(data)
    assert (Mention("X", 0, 3),) == of_bytes(data, "cas", layer="B")[0].mentions
    assert (Mention("C", 4, 9),) == of_bytes(data, "cas", layer="a.C")[0].mentions
    assert [("K232", "no layer 'D'")] == found(data, layer="D")


def xmi(*rows: str) -> bytes:
    spaces = 'xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"'
    sofa = '<cas:Sofa xmi:id="1" sofaID="_InitialView" sofaString="Ann slept"/>'
    return f'<xmi:XMI {spaces} xmlns:a="http:///a.ecore">{sofa}{"".join(rows)}</xmi:XMI>'.encode()


def test_annotations_that_the_index_does_not_have_are_left_out_and_counted() -> None:
    """UIMA keeps them in the file and does not find them."""
    rows = [structure(number, begin=0, end=number, value="X") for number in (2, 3)]
    value = json.loads(as_json(*rows, structure(9, TOKEN, begin=0, end=3)))
    view = {"_InitialView": {"%SOFA": 1, "%MEMBERS": [3]}, "other": {"%SOFA": 8, "%MEMBERS": [2]}}
    as_xmi = xmi(
        *(f'<a:B xmi:id="{n}" sofa="1" begin="0" end="{n}" value="X"/>' for n in (2, 3)),
        '<cas:View sofa="1" members="1 3"/>', '<cas:View sofa="8" members="2"/>',
    )  # fmt: skip
    for data in (json.dumps(value | {"%VIEWS": view}).encode(), as_xmi):
        corpus = of_bytes(data, "cas")
        assert (Mention("X", 0, 3),) == corpus[0].mentions
        assert [("K236", "1 annotation outside the index of the view left out")] \
            == fact_remarks(corpus)  # fmt: skip
    assert 2 == len(of_bytes(json.dumps(value).encode(), "cas")[0].mentions)


def test_another_unit_is_read_on_request() -> None:
    data = as_json(structure(2, begin=3, end=6, label="X"), text="😀 Ann")
    assert (Mention("X", 2, 5),) == of_bytes(data, "cas")[0].mentions
    ((code, message),) = found(data, offsets="char")
    assert ("K232", "the annotation 2 at 3..6") == (code, message)
    inside = as_json(structure(2, begin=1, end=3, label="X"), text="😀 Ann")
    assert [("K232", "the annotation 2 at 1..3")] == found(inside)


def test_a_file_without_annotations_is_a_document_without_mentions() -> None:
    tokens = structure(2, TOKEN, begin=0, end=3)
    for data, options in ((as_json(), {}), (as_json(tokens), {"layer": "Span"})):
        corpus = of_bytes(data, "cas", **options)
        assert () == corpus[0].mentions
        remark = "1 document without a layer of mentions, or the one that layer= names"
        assert [("K236", remark)] == fact_remarks(corpus)


def test_a_file_of_a_folder_need_not_have_the_layer() -> None:
    files = {"a.json": as_json(structure(2, begin=0, end=3, value="X")), "b.json": as_json(),
             "c.json": as_json(structure(2, "a.C", begin=0, end=3, value="X"))}  # fmt: skip
    corpus = read(Source.of_files(files, "folder"), layer="B")
    assert ([1, 0, 0], 2) == ([len(each.mentions) for each in corpus], corpus.facts["unlayered"])


@pytest.mark.parametrize(("data", "message"), [
    (as_json(text=None), "0 views with a text"),
    (b'{"%FEATURE_STRUCTURES": 3}', "%FEATURE_STRUCTURES = 3"),
    (as_json(structure(2, begin="x", end=3)), "the annotation 2 at 'x'..3"),
    (as_json(structure(2, begin=0, end=99, label="A")), "the annotation 2 at 0..99"),
    (as_json(structure(2, begin=3, end=3, label="A")), "the annotation 2: "),
    (as_json(structure(2, begin=0, end=3, x="1", y="2")),
     "the features 'x', 'y' of the layer 'a.B'"),
    (b'{"%FEATURE_STRUCTURES": []}', "0 views with a text"),
])  # fmt: skip
def test_what_is_wrong_is_named(data: bytes, message: str) -> None:
    ((code, text),) = found(data)
    assert code in ("K232", "K235") and text.startswith(message)


def test_xmi_that_declares_entities_is_refused() -> None:
    xmi = '<!DOCTYPE x [<!ENTITY a "b">]><xmi:XMI xmlns:xmi="http://www.omg.org/XMI"/>'
    assert [("K244", "a declaration of the entity 'a'")] == found(xmi.encode())

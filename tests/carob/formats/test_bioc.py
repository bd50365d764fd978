"""BioC: passages at their offsets, annotations with infons, relations by id or by concept."""

from __future__ import annotations

import json
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest

from carob import InputError, Mention
from tests.carob.formats._files import of_bytes


def annotation(name: Any, start: int, text: str, label: str = "PER", **infons: Any) -> Any:
    return {
        "id": name, "infons": {"type": label} | infons, "text": text,
        "locations": [{"offset": start, "length": len(text)}],
    }  # fmt: skip


def passage(offset: int, text: str, *annotations: Any, **more: Any) -> Any:
    return {"offset": offset, "text": text, "annotations": list(annotations)} | more


def document(*passages: Any, **more: Any) -> Any:
    return {"id": "1", "passages": list(passages)} | more


def as_json(*documents: Any) -> bytes:
    return json.dumps({"source": "", "documents": documents}).encode()


def as_xml(*documents: Any) -> bytes:
    """The same, an element for each part."""

    def infons(value: Any) -> str:
        found = value.get("infons", {}).items()
        return "".join(f"<infon key={quoteattr(k)}>{escape(v)}</infon>" for k, v in found)

    def attributes(value: Any) -> str:
        return "".join(f" {k}={quoteattr(str(v))}" for k, v in value.items())

    def relations(value: Any) -> str:
        return "".join(
            f'<relation id="{each["id"]}">{infons(each)}'
            + "".join(f"<node{attributes(node)}/>" for node in each.get("nodes", []))
            + "</relation>"
            for each in value.get("relations", [])
        )

    def annotations(value: Any) -> str:
        return "".join(
            f'<annotation id="{a["id"]}">{infons(a)}'
            + "".join(f"<location{attributes(place)}/>" for place in a["locations"])
            + f"<text>{escape(a['text'])}</text></annotation>"
            for a in value.get("annotations", [])
        )

    def part(value: Any) -> str:
        text = f"<offset>{value['offset']}</offset><text>{escape(value['text'])}</text>"
        return f"<passage>{text}{annotations(value)}{relations(value)}</passage>"

    inside = "".join(
        f"<document><id>{each['id']}</id>{''.join(map(part, each['passages']))}"
        f"{annotations(each)}{relations(each)}</document>"
        for each in documents
    )
    return f"<collection><source/>{inside}</collection>".encode()


def found(data: bytes, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        of_bytes(data, "bioc", **options)
    return [(each.code, each.found) for each in caught.value.problems]


RICH = document(
    passage(0, "Ann & Bo <left>", annotation("0", 0, "Ann", concept="P1")),
    passage(20, "Rome, again", annotation("1", 20, "Rome", "LOC", concept="L1")),
    relations=[
        {"id": "R1", "infons": {"type": "in"}, "nodes": [
            {"refid": "0", "role": "who"}, {"refid": "1", "role": ""}]},
        {"id": "R2", "infons": {"relation": "in", "entity1": "P1", "entity2": "L1"}},
        {"id": "R3", "infons": {"type": "of"}, "nodes": [{"refid": "R1", "role": "x"}]},
    ],
)  # fmt: skip


@pytest.mark.parametrize("data", [as_json(RICH), as_xml(RICH), json.dumps(RICH).encode()],
                         ids=["json", "xml", "one document"])  # fmt: skip
def test_xml_and_json_are_the_same(data: bytes) -> None:
    corpus = of_bytes(data, "bioc")
    (one,) = corpus
    assert "Ann & Bo <left>     Rome, again" == one.text
    assert [("PER", 0, 3, "P1"), ("LOC", 20, 24, "L1")] == [
        (m.label, m.start, m.end, m.attributes["concept"]) for m in one.mentions
    ]
    first, second = one.relations
    assert ("in", (("who", "0"), ("Arg2", "1"))) == (first.label, first.members)
    assert ("in", (("entity1", "0"), ("entity2", "1"))) == (second.label, second.members)
    assert 1 == corpus.facts["unlabelled_relations"]


def test_several_locations_are_a_discontinuous_mention() -> None:
    both = annotation("0", 0, "Head") | {"text": "Head pain"}
    both["locations"].append({"offset": "14", "length": "4"})
    (one,) = of_bytes(as_json(document(passage(0, "Head and neck pain", both))), "bioc")
    assert (Mention.of("PER", [(0, 4), (14, 18)], id="0"),) == one.mentions


@pytest.mark.parametrize("quote", ["Head pain", "Head ... pain", "Head...pain", "Headpain"])
def test_the_words_of_a_discontinuous_mention_are_compared(quote: str) -> None:
    text = "😀 Head and neck pain."

    def places(first: int, second: int, words: str) -> bytes:
        both = annotation("0", first, "Head") | {"text": words}
        both["locations"].append({"offset": second, "length": 4})
        return as_xml(document(passage(0, text, both)))

    right = of_bytes(places(2, 16, quote), "bioc")
    assert (1, 0) == (right.facts["quoted"], right.facts.get("misquoted", 0))
    with pytest.raises(InputError) as caught:
        of_bytes(places(3, 17, quote), "bioc")
    assert (
        "file:1: K234 found 1 of 1 mention with other words in the text than the file quotes "
        f"(annotations[0] quotes {quote!r}, the text has 'ead  ain.'), expected offsets that "
        "count characters, with exclusive ends; 1 of 1 fit if offsets count UTF-16 units, as in "
        "JavaScript and Java: --read offsets=utf16 (or offsets=char to take them as they are)"
        == str(caught.value)
    )
    wrong = of_bytes(places(2, 16, "Neck pain"), "bioc")
    assert 1 == wrong.facts["misquoted"]


@pytest.mark.parametrize("form", [as_json, as_xml])
def test_annotations_may_stand_beside_the_passages(form: Any) -> None:
    one = document(
        passage(0, "Ann slept.", annotation("0", 4, "slept", "ACT")), passage(11, "Bo ran."),
        annotations=[annotation("0", 0, "Ann"), annotation("1", 11, "Bo")],
        relations=[{"id": "R", "nodes": [{"refid": "0:0", "role": "a"},
                                         {"refid": "1", "role": "b"}]}],
    )  # fmt: skip
    (found_one,) = of_bytes(form(one), "bioc")
    assert [("PER", 0, 3, "2:0"), ("ACT", 4, 9, "0:0"), ("PER", 11, 13, "1")] == [
        (m.label, m.start, m.end, m.id) for m in found_one.mentions
    ]
    assert (("a", "0:0"), ("b", "1")) == found_one.relations[0].members


def test_ids_that_occur_twice_get_the_number_of_their_passage() -> None:
    parts = [passage(0, "Ann", annotation(0, 0, "Ann")), passage(4, "Bo", annotation(0, 4, "Bo"))]
    (one,) = of_bytes(as_json(document(*parts)), "bioc")
    assert ["0:0", "1:0"] == [mention.id for mention in one.mentions]


def test_an_emoji_before_a_mention_is_one_character_unless_the_user_says_otherwise() -> None:
    text = "😀 Ann and Bo"
    right = document(passage(0, text, annotation("0", 2, "Ann"), annotation("1", 10, "Bo")))
    assert [2, 10] == [m.start for m in of_bytes(as_xml(right), "bioc")[0].mentions]
    java = document(passage(0, text + ".", annotation("0", 3, "Ann"), annotation("1", 11, "Bo")))
    ((code, message),) = found(as_xml(java))
    assert "K234" == code and message.startswith("2 of 2 mentions with other words")
    assert [2, 10] == [m.start for m in of_bytes(as_xml(java), "bioc", offsets="utf16")[0].mentions]


def test_offsets_of_passages_count_in_the_same_unit() -> None:
    title, rest = "é 😀", "Ann"
    for unit, size in (("utf16", 4), ("bytes", 7)):
        second = passage(size + 1, rest, annotation("0", size + 1, "Ann"))
        data = as_json(document(passage(0, title), second))
        (one,) = of_bytes(data, "bioc", offsets=unit)
        assert "é 😀 Ann" == one.text and (4, 7) == (one.mentions[0].start, one.mentions[0].end)


def test_another_infon_may_be_the_label() -> None:
    data = as_json(document(passage(0, "Ann", annotation("0", 0, "Ann", kind="human"))))
    (mention,) = of_bytes(data, "bioc", label="kind")[0].mentions
    assert ("human", {"type": "PER"}) == (mention.label, dict(mention.attributes))
    ((code, message),) = found(data, label="sort")
    assert ("K232", "annotations[0] without the infon 'sort' (it has kind, type)") == (
        code,
        message,
    )


@pytest.mark.parametrize(("value", "message"), [
    (document(passage(0, "Ann", annotation("0", 1, "Ann"))), "annotations[0] at 1..4"),
    (document(passage(0, "Ann slept"), passage(3, "Bo")), "'Bo' at 3, before the end of what"),
    (document(passage(0, "Ann"), passage(10**9, "Bo")), "a part of a text at 1000000000"),
    (document(passage(-1, "Ann")), "offset = -1"), (document(3), "passages[0] = 3"),
    ({"id": "1", "passages": None}, "passages = null"), (7, "a document = 7"),
    (document(passage(0, "Ann", {"infons": {"type": "A"}, "locations": []})),
     "annotations[0]: a mention needs at least one fragment"),
    (document(passage(0, "Ann", {"infons": {"type": "A"}, "locations": [{"offset": 0}]})),
     "annotations[0].length = null"),
])  # fmt: skip
def test_what_is_wrong_is_named(value: Any, message: str) -> None:
    ((code, text),) = found(as_json(value))
    assert "K232" == code and text.startswith(message)


def test_an_id_twice_is_an_error_with_both_places() -> None:
    one = document(passage(0, "Ann"))
    assert [("K233", "the id '1', also on line 1")] == found(as_json(one, one))
    lines = as_xml(one, one).replace(b"<document>", b"\n<document>")
    assert [("K233", "the id '1', also on line 2")] == found(lines)


def test_many_different_infons_are_too_many_attributes() -> None:
    infons = {f"key{number}": "x" for number in range(300)}
    data = as_json(document(passage(0, "Ann", annotation("0", 0, "Ann", **infons))))
    assert [("K009", "300 different names of attributes")] == found(data)

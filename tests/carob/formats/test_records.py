"""Plain JSON objects are read as templates, in every layout; whatever is wrong is one InputError
that names line and place; what records cannot hold is refused in words.
"""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, Document, InputError, UsageError, read
from carob.corpus.document import DEEPEST, Filler, Template
from carob.corpus.source import Source
from carob.evaluate.verify import verify
from carob.formats import _plain, json_text
from carob.formats.records import Records
from tests.carob.formats._files import of_bytes, written
from tests.worlds import times

OBJECT = "a JSON object, one document a line"
LIST = "a list of JSON objects, one document each"
ITEM = "a text, a number, a boolean, an object or null"
FENCED = "take away the lines with ``` around the JSON, or --read repair=json"
GLUED = "put each object on a line of its own, or all of them in a list"


def slots(document: Document) -> Any:
    """The slots of the one template as a plain object again, from its definition."""

    def plain(template: Template) -> dict[str, list[Any]]:
        return {
            slot: [plain(f) if isinstance(f, Template) else f.text for f in fillers]
            for slot, fillers in template.slots.items()
        }

    assert len(document.templates) <= 1
    return plain(document.templates[0]) if document.templates else None


def form(label: str, slots: dict[str, Any], name: str | None = None) -> Template:
    return Template(label, slots, name)


def problems(data: bytes, **parameters: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        of_bytes(data, "records", **parameters)
    assert len(caught.value.problems) == caught.value.total
    return [str(problem).removeprefix("file:").strip() for problem in caught.value.problems]


ONE = (
    b'{"id": "d1", "speaker": ["Ann", "Bo"], "stime": "3:30", "etime": null, "x": [], "y": "", '
    b'"location": {"building": "Hall A", "room": null}, "mixed": ["a", {"b": "c"}, null, " "]}'
)
SLOTS = {
    "speaker": ["Ann", "Bo"], "stime": ["3:30"], "location": [{"building": ["Hall A"]}],
    "mixed": ["a", {"b": ["c"]}],
}  # fmt: skip


def test_values_fill_slots() -> None:
    corpus = of_bytes(ONE, "records")
    (document,) = corpus
    assert ("d1", None, None) == (document.id, document.text, document.unit)
    assert SLOTS == slots(document)
    assert [""] == sorted({template.label for template in document.templates})
    lists: dict[Any, int] = {("list", slot): 1 for slot in ("speaker", "x", "mixed")}
    assert lists | {"empty_texts": 2} == corpus.facts


@pytest.mark.parametrize(
    "data",
    [
        ONE + b"\n" + ONE.replace(b"d1", b"d2"),
        b"\xef\xbb\xbf\r\n\t\n" + ONE + b"\r\n \n" + ONE.replace(b"d1", b"d2") + b"\n\n",
        b"[" + ONE + b"," + ONE.replace(b"d1", b"d2") + b"]",
        b"\xef\xbb\xbf \n[\n" + ONE + b"\n,\n\n" + ONE.replace(b"d1", b"d2") + b"\n]\n",
        json.dumps([json.loads(ONE), json.loads(ONE) | {"id": "d2"}], indent=2).encode(),
    ],
)
def test_objects_are_lines_or_a_list(data: bytes) -> None:
    corpus = read(Source.of_bytes(data, "file"))
    assert corpus.origin is not None
    assert "records" == corpus.origin.format
    assert [("d1", SLOTS), ("d2", SLOTS)] == [(each.id, slots(each)) for each in corpus]


@pytest.mark.parametrize(
    "data",
    [
        ONE,
        json.dumps(json.loads(ONE), indent=4).encode(),
        b"{\n" + ONE[1:],
        ONE.replace(b'], "stime"', b'],\n"stime"') + b"\n\n",
    ],
)
def test_one_object_may_take_several_lines(data: bytes) -> None:
    corpus = read(Source.of_bytes(data, "file"))
    assert [("d1", SLOTS)] == [(each.id, slots(each)) for each in corpus]
    assert [1] == corpus.documents.line.tolist()


def test_lines_and_texts_are_those_of_the_object() -> None:
    texts = ["é", "東京 😀", "", "\ud83d", 'a"b\n']
    objects = [json.dumps({"text": text, "a": "x"}) for text in texts]
    for data in ("\n\n".join(objects), "\ufeff[\n" + ",\n\n".join(objects) + "]"):
        corpus = of_bytes(data.encode(), "records")
        begin = 2 if data[0] == "\ufeff" else 1
        assert [begin + 2 * i for i in range(5)] == corpus.documents.line.tolist()
        assert texts == [document.text for document in corpus]
        assert ("char", [len(text) for text in texts]) == (
            corpus.unit, corpus.documents.length.tolist(),
        )  # fmt: skip
        assert corpus.library is not None
        assert begin + 4 == corpus.library.line(2, 0)


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(b'{"id": %d, "a": ["x%d", ""]}\n' % (i, i % 3) for i in range(50))
    whole = of_bytes(data, "records")
    monkeypatch.setattr(_plain, "BLOCK", 7)
    assert 8 == len(list(Records().read(Source.of_bytes(data))))
    parts = of_bytes(data, "records")
    assert list(whole) == list(parts)
    facts: dict[Any, int] = {"empty_texts": 50, ("list", "a"): 1}
    assert facts == whole.facts == parts.facts


def test_keys_of_a_document_can_be_called_otherwise() -> None:
    line = b'{"id": "a", "text": "b", "type": "talk", "nr": 7, "in": {"type": "x", "id": "c"}}'
    (usual,) = of_bytes(line.replace(b'"nr": 7, ', b""), "records")
    assert ("a", "b") == (usual.id, usual.text)
    assert {"type": ["talk"], "in": [{"type": ["x"], "id": ["c"]}]} == slots(usual)
    (named,) = of_bytes(line, "records", id="nr", text="", label="type")
    assert ("7", None) == (named.id, named.text)
    assert {"id": ["a"], "text": ["b"], "in": [{"id": ["c"]}]} == slots(named)
    (template,) = named.templates
    (inner,) = template.slots["in"]
    assert isinstance(inner, Template)
    assert ("talk", "x") == (template.label, inner.label)
    with pytest.raises(UsageError, match="two are the same"):
        Records(id="text")


@pytest.mark.parametrize("name", ["nr", "a/b", "none", "-", "", "x|y:z", "é %"])
def test_the_signature_tells_the_keys(name: str) -> None:
    reader = Records(id=name, label="kind")
    said, _ = reader.signature_fields({})
    assert not {"/", "|"} & set("".join(said.values())) and "none" not in said.values()
    assert reader == Records(**Records.from_signature(said))


def test_a_result_is_verified_from_its_signature(tmp_path: Path) -> None:
    for name, value in (("gold.json", "a"), ("system.json", "b")):
        (tmp_path / name).write_text(f'{{"n/r": 1, "a": "{value}"}}\n{{"n/r": 2, "a": "a"}}\n')
    gold, system = (read(tmp_path / f"{side}.json", id="n/r") for side in ("gold", "system"))
    found = carob.score(gold, system, "exact.F1", resamples=0)
    stored = tmp_path / "result.json"
    stored.write_text(found.to_json())
    assert "id_key:n%2Fr/n%2Fr" in found.scores[0].signature
    verification = verify(stored)
    compared, different = verification.checked, verification.differences
    assert compared and [] == different


# --- folders ---


def test_a_folder_of_objects_has_file_names_as_ids() -> None:
    files = {
        "a.json": b'{"who": "Ann"}', "b.json": b'{\n"who": null\n}', "c/d.JSON": b"{}",
        "e.json": b'{"id": 9, "who": "Bo"}',
    }  # fmt: skip
    corpus = read(Source.of_files(files, "folder"))
    assert corpus.origin is not None and "records" == corpus.origin.format
    assert ["a", "b", "c/d", "9"] == [document.id for document in corpus]
    assert [{"who": ["Ann"]}, None, None, {"who": ["Bo"]}] == [slots(each) for each in corpus]


def test_files_with_several_objects_need_ids() -> None:
    two = b'{"id": "%b", "who": "Ann"}\n{"id": "%b", "who": "Bo"}\n'
    files = {"a.json": two % (b"1", b"2"), "b.jsonl": two % (b"3", b"4")}
    assert ["1", "2", "3", "4"] == [each.id for each in read(Source.of_files(files, "folder"))]
    with pytest.raises(InputError) as caught:
        read(Source.of_files({**files, "c.json": b'[{"who": "Cy"}]'}, "folder"))
    expected = "folder/c.json: K008 found documents without ids, expected documents with, as in " \
        "folder/a.json"  # fmt: skip
    assert expected == str(caught.value)
    with pytest.raises(InputError) as caught:
        read(Source.of_files({**files, "c.json": b'{"id": 3, "who": "Cy"}'}, "folder"))
    assert "K008 found the id '3', also in folder/b.jsonl" in str(caught.value)


# --- what is wrong ---


def test_every_wrong_value_is_told_with_its_place() -> None:
    data = (
        b'{"a": 15, "b": ["x", 1.5, true, ["y"]], "c": {"d": [{"e": [[]]}]}}\n'
        b'{"id": true, "text": 3, "a": "x", "": "y"}\n\n{"id": [], "a": {"": 1}, "b": [[12e2]]}'
    )
    assert [
        f'1: K212 found b[3] = ["y"], expected {ITEM}',
        f"1: K212 found c.d[0].e[0] = [], expected {ITEM}",
        "2: K212 found id = true, expected a text or a whole number",
        "2: K212 found text = 3, expected a text or null",
        "2: K212 found a key that is empty, expected a name",
        "4: K212 found id = [], expected a text or a whole number",
        "4: K212 found a key that is empty in a, expected a name",
        f"4: K212 found b[0] = [1200.0], expected {ITEM}",
    ] == problems(data)
    assert ["1: K212 found kind = 3, expected a text or null"] == problems(
        b'{"kind": 3}', label="kind"
    )


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'```json\n{"a": "x"}\n```\n', [f"1: K211 found '```json', expected JSON; {FENCED}"]),
        (b'{"a": "x"}\n```\n', [
            f"2: K211 found '```' (Expecting value, column 1), expected {OBJECT}; "
            f"{FENCED}"]),
        (b'{"a": "x"}{"a": "y"}', [
            f"1: K211 found '{{\"a\": \"y\"}}' after an object, expected {OBJECT}; {GLUED}"]),
        (b'{\n"a": "x"\n}\n{\n"a": "y"\n}', [
            "4: K211 found '{\\n\"a\": \"y\"\\n}' after the end, expected nothing more; "
            + GLUED]),
        (b'[{"a": "x"}]\n[]', [
            f"2: K211 found '[]' after the end, expected nothing more; {GLUED}"]),
        (b'{"a": "x"', [
            "1: K211 found '{\"a\": \"x\"' (Expecting ',' delimiter, column 10), "
            f"expected {OBJECT}"]),
        (b'{\n"a": "x",\n"b": ["y"', [
            "3: K211 found 'the end of the file' (Expecting ',' delimiter), expected JSON"]),
        (b'[{"a": "x"},\n{"a": "y"}', [
            "2: K211 found the end of the file, expected a comma or the end of the list"]),
        (b'[{"a": "x"}\n{"a": "y"}]', [
            "2: K211 found '{', expected a comma or the end of the list"]),
        (b'[{"a": "x"},\n3, null, {"a": [[]]}]', [
            f"2: K211 found '3', expected {LIST}", f"2: K211 found 'null', expected {LIST}",
            f"2: K212 found a[0] = [], expected {ITEM}"]),
        (b'[{"a": "x"},\n{"a": "x", "a": "y"}]', [
            "2: K211 found '{\"a\": \"x\", \"a\": \"y\"}]' (the key 'a' occurs twice), "
            "expected JSON"]),
        (b'{"a": "x", "a": "y"}', [
            "1: K211 found '{\"a\": \"x\", \"a\": \"y\"}' (the key 'a' occurs twice), "
            f"expected {OBJECT}"]),
        (b'{"a": NaN}', [
            f"1: K211 found '{{\"a\": NaN}}' (NaN is not a JSON number), expected {OBJECT}"]),
        (b'{"a": "x"}\n{"a": "\xff"}', [r"2: K211 found '\\xff', expected UTF-8"]),
        (b'[{"a": "x"},\n{"a": "\xff"}]', [
            r"2: K211 found '\\xff', expected UTF-8; convert it, for example with iconv"]),
        (b'{"a": "x"}\n"y"\n', [f"2: K211 found '\"y\"', expected {OBJECT}"]),
        (b'{"id": 1}\n{"id": 2}\n{"id": "1"}', [
            "3: K213 found the id '1', also on line 1, expected an id of its own for each "
            "document"]),
        (b'{"id": 1}\n{}', [
            "2: K213 found a document without an id, expected an id in every object, or in none"]),
        (b'{}\n{"id": 1}', [
            "2: K213 found a document with an id, expected an id in every object, or in none"]),
        (b'{"a":' * 9000, [f"1: K211 found brackets nested too deep, expected {OBJECT}"]),
        (b'[{"a":' + b"[" * 9000, [f"1: K211 found brackets nested too deep, expected {LIST}"]),
    ],
)  # fmt: skip
def test_what_is_no_record_is_told(data: bytes, expected: list[str]) -> None:
    assert expected == problems(data)


@pytest.mark.parametrize("data", [b"", b" \n\n", b"[]", b" [ ] \n"])
def test_a_file_without_objects_is_empty(data: bytes) -> None:
    assert "K002 found an empty file, expected at least one document" == problems(data)[0]


def test_objects_stand_in_each_other_up_to_a_depth() -> None:
    def nested(depth: int) -> bytes:
        return b'{"a":' * depth + b'"x"' + b"}" * depth

    (document,) = of_bytes(nested(DEEPEST), "records")
    assert document.templates
    (problem,) = problems(nested(DEEPEST + 1))
    assert problem.startswith("1: K212 found a.a.a.") and problem.endswith(
        f"expected objects nested at most {DEEPEST} deep"
    )


def test_many_fillers_are_read() -> None:
    many = [str(i) for i in range(10_000)]
    (document,) = of_bytes(json.dumps({"a": many}).encode(), "records")
    assert {"a": many} == slots(document)


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "LARGEST", 1000)
    monkeypatch.setattr("carob.formats._text.LARGEST", 1000)
    (found,) = problems(b"{}\n" + b" " * 2000)
    assert found.startswith(
        "2: K005 found a line of more than 1,000 bytes, expected shorter lines;"
    )
    rows = b'{"a":\n"x"}\n' + b" \n" * 1000
    (found,) = problems(rows)
    assert found.startswith(
        "K010 found a text of more than 1,000 bytes, expected smaller documents;"
    )


LONG = """[
  {"id": "1", "a": "x"},
  {
    "id": "2",
    "text":
      7,
    "a": {
      "b": ["x", "é", [
        1]],
      "": "x",
      "c": {"a\\n\\"": [{"d": "x"},
        {"d": [[]]}]}
    }, "b": "x", "kind":
    8
  }
]
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_wrong_value_is_told_with_its_own_line(end: str) -> None:
    told = problems(LONG.replace("\n", end).encode(), label="kind")
    assert [
        "6: K212 found text = 7, expected a text or null",
        f"8: K212 found a.b[2] = [1], expected {ITEM}",
        "10: K212 found a key that is empty in a, expected a name",
        r"12: K212 found a.c.a\n" + f'"[1].d[0] = [], expected {ITEM}',
        "14: K212 found kind = 8, expected a text or null",
    ] == told
    one = LONG.replace("\n", end).split(f"{end}  {{", 2)[2].removesuffix(f"{end}]{end}")
    alone = problems(b"\xef\xbb\xbf{" + one.encode(), label="kind")
    lines = [int(each.split(":")[0]) - 2 for each in told]
    assert [f"{line}:{each.split(':', 1)[1]}" for line, each in zip(lines, told, strict=True)] == (
        alone
    )


def test_the_column_of_a_line_that_breaks_is_that_of_the_line() -> None:
    broken = "{'a': 1}"
    assert [
        f'2: K211 found "{broken}" (Expecting property name enclosed in double quotes, column 4), '
        f"expected {OBJECT}"
    ] == problems(f'{{"a": "x"}}\n  {broken}\n'.encode())


@pytest.mark.slow
def test_many_wrong_values_of_a_long_object_are_told_in_time() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(b'{"a": [\n' + b"[],\n" * 200_000 + b"[]]}", "records")
    assert 200_001 == caught.value.total
    assert list(range(2, 102)) == [problem.line for problem in caught.value.problems]


# --- recognised ---


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (b'{"a": "x"}', 0.8), (b'\xef\xbb\xbf\n {"id": 1, "a', 0.3), (b'{"id": 1, "a": "', 0.8),
        (b'{"tokens": ["a"]}', 0.0), (b'[{"mentions": []}]', 0.0), (b"[ {}", 0.8), (b"[]", 0.2),
        (b"[1]", 0.0), (b"```json\n{", 0.85), (b"```\n[", 0.85), (b"``` O\n", 0.0), (b"a O", 0.0),
        (b"[ O\n", 0.0), (b"", 0.0),
    ],
)  # fmt: skip
def test_a_file_of_records_is_recognised(head: bytes, sure: float) -> None:
    assert sure == Records.sniff(head)


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b'{"who": "Ann"}', "records"), (b'{"who": "Ann", "mentions": []}', "jsonl"),
        (b'{"id": "d1"}', "jsonl"), (b'{"id": "d1"}\n{"id": "d2", "who": "x"}', "records"),
        (b'{"id": "d", "text": "' + b"x" * 99_999 + b'"}', "jsonl"), (b"{}", "jsonl"),
        (b'{"id": "d"}\n{"id": "e", "templates": [{"slots": {"who": ["Ann"]}}]}', "jsonl"),
    ],
)  # fmt: skip
def test_carobs_own_is_told_from_others(data: bytes, format: str) -> None:
    origin = read(Source.of_bytes(data, "file")).origin
    assert origin is not None and format == origin.format


# --- written ---


def random_value(rng: random.Random, depth: int) -> Any:
    kind = rng.random()
    if kind < 0.2 and depth:
        return {
            slot: random_value(rng, depth - 1) for slot in rng.sample("abcd", rng.randint(1, 3))
        }
    if kind < 0.4 and depth:
        several = [random_value(rng, depth - 1) for _ in range(rng.randint(2, 3))]
        return [each[0] if isinstance(each, list) else each for each in several]
    return rng.choice(("Ann", " 3:30 ", "東京😀", "\ud83d", 'a"\\\n', "a\u2028b"))


def test_what_was_written_is_read_back() -> None:
    rng = random.Random(1)
    for _ in range(times(1)):
        given = [
            {"id": f"d{i}"} | rng.choice(({}, {"text": "é x"}))
            | {slot: random_value(rng, 3) for slot in rng.sample("abc", rng.randint(0, 3))}
            for i in range(rng.randint(1, 4))
        ]  # fmt: skip
        corpus = of_bytes(json.dumps(given).encode(), "records")
        data = written(corpus, "records")
        assert given == [json.loads(line) for line in data.splitlines()]
        assert list(corpus) == list(of_bytes(data, "records"))
        through = of_bytes(written(corpus, "jsonl"), "jsonl")
        assert list(corpus) == list(through)
        assert data == written(through, "records")


@pytest.mark.parametrize(
    ("template", "what"),
    [
        (form("t", {"a": "x"}), "types of templates"),
        (form("", {"a": "x"}, "E1"), "ids of templates"),
        (form("", {"a": Filler("Ann", ((0, 3),))}), "places of fillers"),
        (form("", {"a": Filler("x", alternatives=(Filler("y"),))}), "alternatives of fillers"),
        (form("", {"a": Filler("x", optional=True)}), "that fillers are optional"),
        (form("", {"a": Filler("x", confidence=0.5)}), "confidences of fillers"),
        (Template(), "templates without fillers"),
    ],
)
def test_what_records_cannot_hold_is_refused(template: Template, what: str) -> None:
    corpus = Corpus.of(Document("d", "Ann slept", templates=(template,)))
    with pytest.raises(UsageError) as caught:
        written(corpus, "records")
    assert f"records cannot hold {what} (1, the first in document 'd')" == str(caught.value)


def test_more_than_one_template_and_mentions_are_refused() -> None:
    two = Corpus.of(Document("d", templates=(form("", {"a": "x"}), form("", {"b": "y"}))))
    with pytest.raises(
        UsageError, match=r"^records cannot hold templates other than the first of a"
    ):
        written(two, "records")
    both: dict[str, Any] = {"text": "a", "mentions": [{"start": 0, "end": 1, "label": "X"}]}
    with pytest.raises(UsageError, match=r"^records cannot hold places of fillers \(1, the first"):
        written(Corpus.of(both), "records")
    both["templates"] = [{"slots": {"a": ["x"]}}]
    with pytest.raises(UsageError, match=r"^records cannot hold mentions \(1, the first"):
        written(Corpus.of(both), "records")


def test_slots_that_are_called_as_a_key_need_another_key() -> None:
    corpus = Corpus.of(Document("d", templates=(form("t", {"id": "x", "kind": "y"}),)))
    with pytest.raises(UsageError) as caught:
        written(corpus, "records", label="type")
    assert (
        "records has the key 'id' for the id of a document, and a slot has this name; id=NAME "
        "chooses another key" == str(caught.value)
    )
    with pytest.raises(UsageError, match="label=NAME chooses another key"):
        written(corpus, "records", id="nr", label="kind")
    data = written(corpus, "records", id="nr", label="type")
    assert b'{"nr": "d", "type": "t", "id": "x", "kind": "y"}\n' == data
    assert list(corpus) == list(of_bytes(data, "records", id="nr", label="type"))


def test_a_filler_with_a_place_alone_becomes_its_text(tmp_path: Path) -> None:
    place = form("", {"who": Filler(fragments=((0, 3), (8, 10))), "a": Filler(fragments=((3, 4),))})
    corpus = Corpus.of(Document("d", "Ann and Bo", templates=(place,)))
    done = carob.convert(corpus, tmp_path / "out.json", lossy=True)
    assert [("places of fillers", 2), ("fillers without a text", 1)] == [
        (loss.what, loss.count) for loss in done.losses
    ]
    assert "wrote 1 document, 1 filler as records" == str(done).splitlines()[0]
    assert {"id": "d", "text": "Ann and Bo", "who": "Ann Bo"} == json.loads(
        (tmp_path / "out.json").read_text()
    )


def test_reading_needs_no_file_in_memory_twice() -> None:
    """The text of a document is found again from its offset, in a list as in lines."""
    source = Source.of_bytes(b'[ {"text": "\xc3\xa9"},\n {"text": "\xc3\xbc"}]\n')
    corpus = Corpus.joined(Records().read(source))
    library = Records().library(source, corpus.documents)
    assert [("é", None), ("ü", None)] == [library.words(row) for row in range(2)]
    out = io.BytesIO()
    Records().write(Corpus.of({"text": "é", "templates": [{"slots": {"a": ["x"]}}]}), out)
    assert '{"text": "é", "a": "x"}\n' == out.getvalue().decode()

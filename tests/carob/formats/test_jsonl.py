"""jsonl holds everything a corpus holds and gives it back; whatever is wrong is an InputError that
says where; no bytes cause anything else.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from carob import CarobError, Corpus, Document, Group, InputError, Mention, UsageError, read
from carob.corpus.document import Filler, Template
from carob.corpus.source import Source
from carob.evaluate.read import sniffed
from carob.formats import _plain, jsonl
from carob.formats._plain import plain_document
from carob.formats.jsonl import Jsonl
from tests.carob.formats._files import of_bytes, written
from tests.worlds import WORDS, random_mention, times

TEXTS = ("Ann lives in 東京.", "a😀b", "\ud83d", 'tab\tnewline\nquote"\\', "\u2028", "\0é", "")
JSON = (None, True, 1, -2.5, "x", [1, [2]], {"a": {"b": None}}, 10**30)


def random_document(rng: random.Random, number: int, *, ids: bool, chars: bool) -> Document:
    text = tokens = None
    if chars:
        text = rng.choice(TEXTS) * rng.randint(1, 3)
        length = len(text)
    else:
        tokens = tuple(rng.choice((*WORDS, "", "\ud800", "a b")) for _ in range(rng.randint(0, 8)))
        length = len(tokens)
    mentions: list[Mention] = []
    for _ in range(rng.randint(0, 4) if length else 0):
        base = random_mention(rng, length)
        names = rng.sample(("realis", "modality", "😀"), rng.randint(0, 3))
        mentions.append(
            Mention.of(
                base.label,
                base.fragments,
                {name: rng.choice(("x", "y", "")) for name in names},
                rng.choice((None, 0.0, -0.5, 1e-300, rng.random())),
                rng.choice((None, f"T{len(mentions)}")),
            )
        )
    known = [mention.id for mention in mentions if mention.id is not None]
    relations: tuple[Group, ...] = ()
    clusters: tuple[Group, ...] = ()
    if known:
        relations = tuple(
            Group(
                rng.choice(("", "lives-in")),
                tuple((role, rng.choice(known)) for role in rng.sample(("a", "b"), 2)),
                rng.choice((None, "R1")),
            )
            for _ in range(rng.randint(0, 2))
        )
        clusters = tuple(
            Group("", tuple(("", each) for each in known), rng.choice((None, "C1")))
            for _ in range(rng.randint(0, 1))
        )
    templates = tuple(
        Template(
            rng.choice(("", "attack")),
            {
                "who": (
                    Filler("Ann", alternatives=(Filler("Ann Lee"), Filler(fragments=((0, 1),)))),
                    Template(slots={"name": (Filler("Bo", ((0, 1),), confidence=0.5),)}, id="x"),
                    Filler(" Al ", optional=True),
                ),
                "day": (Filler(fragments=((0, 1), (2, 3))),),
            },
            i,
        )
        for i in rng.sample((None, "E1"), rng.randint(0, 2) if length > 2 else 0)
    )
    return Document(
        f"d{number}" if ids else None,
        text,
        tokens,
        tuple(sorted(mentions, key=order)),
        tuple(sorted(rng.sample(range(length), min(length, rng.randint(0, 2))))),
        dict.fromkeys(rng.sample(("genre", "date"), rng.randint(0, 2)), "v"),
        ((0, 1), (1, 2)) if chars and length > 1 and rng.random() < 0.2 else None,
        relations,
        clusters,
        templates,
        extra={key: rng.choice(JSON) for key in rng.sample(("x", "y"), rng.randint(0, 2))},
    )


def order(mention: Mention) -> Any:
    """Document order, from its definition."""
    names = ("modality", "realis", "😀")
    attributes = tuple(
        (name in mention.attributes, mention.attributes.get(name, "")) for name in names
    )
    return mention.fragments, mention.label, attributes, mention.id or ""


@pytest.mark.parametrize("chars", [False, True])
def test_what_was_written_is_read_back(chars: bool) -> None:
    rng = random.Random(chars)
    for number in range(times(1.5)):
        documents = [
            random_document(rng, i, ids=number % 2 == 0, chars=chars)
            for i in range(rng.randint(1, 4))
        ]
        corpus = Corpus.of(*documents)
        assert documents == list(corpus)
        data = written(corpus, "jsonl")
        found = of_bytes(data, "jsonl")
        assert documents == list(found)
        assert data == written(found, "jsonl")
        for name in ("hash", "length"):
            before, after = (getattr(each.documents, name) for each in (corpus, found))
            assert before.tolist() == after.tolist()


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    documents = [random_document(rng, i, ids=True, chars=False) for i in range(50)]
    data = written(Corpus.of(*documents), "jsonl")
    monkeypatch.setattr(_plain, "BLOCK", 7)
    assert 8 == len(list(Jsonl().read(Source.of_bytes(data))))
    found = of_bytes(data, "jsonl")
    assert documents == list(found)
    assert list(range(1, 51)) == found.documents.line.tolist()


def test_documents_are_read_whatever_the_white_space() -> None:
    data = b'\xef\xbb\xbf\n {"id": "a", "tokens": ["x"]} \r\n\n\t\n{"id":"b","tokens":["y"]}'
    found = of_bytes(data, "jsonl")
    assert [("a", ("x",)), ("b", ("y",))] == [(d.id, d.tokens) for d in found]
    assert [2, 5] == found.documents.line.tolist()


def test_positions_count_code_points() -> None:
    line = '{"text": "😀é東", "mentions": [{"start": 0, "end": 3, "label": "X"}]}'
    (document,) = of_bytes(line.encode(), "jsonl")
    assert (3, (Mention("X", 0, 3),)) == (document.length, document.mentions)


def test_spans_without_a_text_have_no_unit_unless_it_is_said() -> None:
    mention = {"start": 5, "end": 9, "label": "X"}
    assert of_bytes(json.dumps({"mentions": [mention]}).encode(), "jsonl").unit is None
    said = of_bytes(json.dumps({"unit": "char", "mentions": [mention]}).encode(), "jsonl")
    assert "char" == said.unit
    assert b'{"unit": "char", "mentions": [{"start": 5, "end": 9, "label": "X"}]}\n' == written(
        said, "jsonl"
    )


def test_touching_fragments_become_one() -> None:
    line = (
        b'{"tokens": ["a", "b", "c"], "mentions": [{"fragments": [[1, 2], [0, 1]], "label": "X"}]}'
    )
    assert (Mention("X", 0, 2),) == of_bytes(line, "jsonl")[0].mentions


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        written(Corpus.of(Document(tokens=("a",), extra={"x": float("nan")})), "jsonl")
    assert str(caught.value).startswith("jsonl cannot hold this document: ")


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (b'{"mentions": []}', 0.95), (b'\xef\xbb\xbf \n{"id": "d", "tokens"  : ["a', 0.8),
        (b'{"id": "d"}\n{"templates": []}', 0.95), (b"{}", 0.4), (b'{"id": "d", "text": "', 0.4),
        (b'{"who": "Ann"}', 0.0), (b'{"who": {"mentions": 1}}', 0.0),
        (b'{"a": "\\"mentions\\":"}', 0.0), (b"[{}]", 0.0), (b"a O", 0.0),
    ],
)  # fmt: skip
def test_a_file_of_objects_is_recognised(head: bytes, sure: float) -> None:
    assert sure == Jsonl.sniff(head)


PARTS = {
    "id": ("d", None, 5),
    "text": ("Ann Lee", None, 3),
    "tokens": (["Ann", "Lee"], None, ["Ann", 1], "Ann"),
    "sentences": ([0, 1], [1, 0], [0, 9], [True], 0, []),
    "mentions": ([], None, [1], "x"),
    "extra": (1,),
    "unit": ("token",),
}
FIELDS: dict[str, tuple[Any, ...]] = {
    "start": (0, 1, -1, 2**31, True, "0", None),
    "end": (1, 2, 7, 8, 0, 2**31, 1.0),
    "label": ("P", "Q", "", 1, None),
    "id": ("T1", "T2", None, 1),
    "confidence": (0.5, 1, None, "x", True, 10**400),
    "attributes": ({"a": "b"},),
    "fragments": ([[0, 1]],),
}


def random_line(rng: random.Random, number: int) -> str:
    """An object that is mostly right."""

    def some(parts: dict[str, tuple[Any, ...]], likely: set[str]) -> dict[str, Any]:
        found = {}
        for key, values in parts.items():
            if rng.random() < (0.97 if key in likely else 0.03):
                found[key] = values[0] if rng.random() < 0.97 else rng.choice(values)
        return found

    record = some(PARTS, {"id", rng.choice(("text", "tokens")), "sentences"})
    if record.get("id") == "d":
        record["id"] = f"d{number}"
    if rng.random() < 0.9:
        likely = {"start", "end", "label"} | ({"confidence"} if rng.random() < 0.5 else set())
        record["mentions"] = [some(FIELDS, likely) for _ in range(rng.randrange(3))]
    return json.dumps(record)


def outcome(line: str) -> Any:
    try:
        corpus = Corpus.joined(Jsonl().read(Source.of_bytes(line.encode())))
    except CarobError as error:
        return str(error)
    rows = corpus.mentions
    return (
        corpus.unit, corpus[0].mentions, corpus.documents.length.tolist(), corpus.documents.id,
        corpus.documents.hash.tolist(), corpus.documents.sentence_start.tolist(), corpus.labels,
        None if rows.place is None else rows.place.tolist(), rows.start.dtype, rows.label.dtype,
        rows.confidence is None, rows.id is None, corpus.extra, corpus.documents.line.tolist(),
    )  # fmt: skip


def test_plain_documents_are_read_as_all_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    lines = [random_line(rng, number) for number in range(times(20))]
    fast = [outcome(line) for line in lines]
    simple = sum(plain_document(json.loads(line)) is not None for line in lines)
    monkeypatch.setattr(jsonl, "plain_document", lambda record: None)
    slow = [outcome(line) for line in lines]
    for line, one, other in zip(lines, fast, slow, strict=True):
        assert other == one, line
    wrong = sum(isinstance(each, str) for each in slow)
    assert simple > times(5) and wrong > times(2.5)
    assert len(lines) - simple - wrong > times(0.5)


def test_plain_and_other_documents_stay_in_order() -> None:
    rng = random.Random(11)
    documents = [random_document(rng, i, ids=True, chars=True) for i in range(60)]
    documents += [Document(f"p{i}", "abc", mentions=(Mention("P", 0, 1),)) for i in range(40)]
    rng.shuffle(documents)
    data = written(Corpus.of(*documents), "jsonl")
    corpus = Corpus.joined(Jsonl().read(Source.of_bytes(data)))
    assert [document.id for document in documents] == list(corpus.documents.id or ())
    assert list(range(1, 101)) == corpus.documents.line.tolist()


def test_the_id_of_a_document_may_be_a_whole_number() -> None:
    found = of_bytes(b'{"id": 7, "text": "a"}\n{"id": "x", "text": "b"}\n', "jsonl")
    assert ("7", "x") == found.documents.id


LISTED: list[dict[str, Any]] = [
    {"id": "1", "text": "Ann Lee é", "mentions": [{"start": 0, "end": 7, "label": "PER"}]},
    {"id": "2", "text": "x", "mentions": [], "templates": [{"slots": {"who": ["Ann"]}}]},
    {"id": "3", "text": "", "mentions": []},
]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_documents_is_read_as_the_same_documents_on_lines(
    indent: int | None, mark: str
) -> None:
    on_lines = read(Source.of_bytes("\n".join(map(json.dumps, LISTED)).encode(), "file"))
    listed = json.dumps(LISTED, indent=indent, ensure_ascii=False)
    in_list = read(Source.of_bytes((mark + listed).encode(), "file"))
    assert in_list.origin is not None and "jsonl" == in_list.origin.format
    assert list(on_lines) == list(in_list)
    assert [each["text"] for each in LISTED] == [document.text for document in in_list]


@pytest.mark.parametrize("value", [
    {"id": "1", "text": "Ann", "mentions": []}, {"unit": "char", "mentions": []},
    {"id": "1", "text": "Ann", "tokens": ["Ann"], "templates": [{"slots": {"who": ["Ann"]}}]},
    {"id": "1", "tokens": ["Ann"]},
])  # fmt: skip
def test_a_list_of_documents_is_no_list_of_records(value: object) -> None:
    assert "jsonl" == sniffed(Source.of_bytes(json.dumps([value]).encode(), "file.json"))


@pytest.mark.parametrize(
    "value", [{"amount": 5, "unit": "kg"}, {"who": "Ann", "relations": ["Bo"]}]
)
def test_a_list_of_records_may_have_slots_that_are_called_as_keys_of_documents(value: Any) -> None:
    assert "records" == sniffed(Source.of_bytes(json.dumps([value]).encode(), "file.json"))


def test_what_is_wrong_in_a_list_of_documents_has_its_line() -> None:
    data = b'[{"mentions": [], "text": "a"},\n{"mentions": 5, "text": "a"},\n7]'
    with pytest.raises(InputError) as caught:
        read(Source.of_bytes(data, "file"))
    assert [("K202", 2), ("K201", 3)] == [(p.code, p.line) for p in caught.value.problems]
    with pytest.raises(InputError, match="K201"):
        read(Source.of_bytes(b'[{"mentions": [], "text": "a"}', "file"), "jsonl")

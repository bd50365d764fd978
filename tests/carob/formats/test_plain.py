"""Templates that are read straight into columns are those that objects make, and whatever is not
plain is left to them: the same tables, the same messages, blocks of a good size.
"""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from carob import Corpus
from carob.corpus.build import of_documents
from carob.corpus.record import WrongError, document_of
from carob.corpus.source import Source
from carob.corpus.tables import Templates
from carob.formats._plain import plain_record, plain_templates
from carob.formats.jsonl import Jsonl
from carob.formats.records import Records
from tests.worlds import times


def _columns(table: Templates) -> list[Any]:
    fillers = table.fillers
    return [
        table.doc.tolist(), [table.label[i] for i in range(len(table))], table.parent.tolist(),
        [table.slot[i] for i in range(len(table))], table.place.tolist(), table.id,
        fillers.template.tolist(), [fillers.slot[i] for i in range(len(fillers))],
        fillers.optional.tolist(), np.nan_to_num(fillers.confidence, nan=-9.0).tolist(),
        fillers.mention.tolist(), fillers.place.tolist(), fillers.realisations.tolist(),
        [fillers.text[i] for i in range(len(fillers.filler))], fillers.fragments.offsets.tolist(),
        fillers.fragments.start.tolist(), fillers.fragments.end.tolist(),
    ]  # fmt: skip


def _filler(rng: random.Random, *, odd: float) -> Any:
    text, start = rng.choice(("Ann", "Bo", " Ann", "3:30")), rng.randrange(5)
    if rng.random() < odd:
        return rng.choice((
            " ", "", 5, None, {}, {"text": ""}, {"start": 3}, {"start": 3, "end": 3},
            {"start": True, "end": 3}, {"start": 2, "end": 99}, {"text": "a", "kind": "b"},
            {"text": "a", "optional": 1}, {"text": "a", "confidence": True}, {"text": None},
            {"text": "a", "confidence": 10**400}, {"start": -1, "end": -1}, {"end": 4},
            {"text": "a", "alternatives": ["b"]}, {"fragments": [[0, 1], [2, 3]]},
            {"slots": {"x": ["y"]}}, {"start": None, "end": None, "text": "a"},
        ))  # fmt: skip
    if rng.random() < 0.5:
        return text
    filler: dict[str, Any] = {"text": text, "start": start, "end": start + rng.randint(1, 4)}
    for gone in rng.choice(((), (), ("text",), ("start", "end"))):
        del filler[gone]
    if rng.random() < 0.3:
        filler["optional"] = rng.random() < 0.5
    if rng.random() < 0.3:
        filler["confidence"] = rng.choice((1, 0.5, None))
    return filler


def _document(rng: random.Random, number: int, odd: float) -> dict[str, Any]:
    templates: list[Any] = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        slots: dict[str, Any] = {
            slot: [_filler(rng, odd=odd) for _ in range(rng.choice((0, 1, 2)))] for slot in "ab"
        }
        if rng.random() < odd / 4:
            slots[rng.choice(("", "c"))] = rng.choice(([], "text", None))
        template: dict[str, Any] = {"label": rng.choice(("t", "u", "")), "slots": slots}
        if rng.random() < 0.2:
            template["id"] = "T1" if rng.random() > odd else 7
        if rng.random() < 0.1:
            del template[rng.choice(("label", "slots"))]
        templates.append(template if rng.random() > odd / 9 else 5)
    return {"id": f"d{number}", "text": "Ann met Bo", "templates": templates}


def test_plain_templates_are_those_that_objects_make() -> None:
    rng = random.Random(2)
    records = [_document(rng, i, 0.0) for i in range(2000)]
    plain = sum(plain_templates(record["templates"], 10) is not None for record in records)
    assert 1000 < plain < 2000
    file = "\n".join(map(json.dumps, records)).encode()
    read = Corpus.joined(Jsonl().read(Source.of_bytes(file)))
    expected = of_documents([document_of(record) for record in records])
    assert len(expected.templates.fillers) > 2000
    assert _columns(expected.templates) == _columns(read.templates)


def test_what_is_wrong_or_not_plain_is_never_taken_for_plain() -> None:
    rng = random.Random(3)
    wrong = plain = 0
    for number in range(times(20)):
        record = _document(rng, number, 0.3)
        found = plain_templates(record["templates"], 10)
        try:
            document = document_of(record)
        except WrongError:
            assert found is None, record
            wrong += 1
            continue
        plain += found is not None
        read = Corpus.joined(Jsonl().read(Source.of_bytes(json.dumps(record).encode())))
        assert _columns(of_documents([document]).templates) == _columns(read.templates), record
    assert min(wrong, plain) > times(2)


def test_records_that_are_plain_are_those_that_objects_make() -> None:
    rng = random.Random(4)
    values: list[Any] = ["Ann", "Bo Lee", "", " ", None, [], ["Ann"], ["Ann", None, "Bo", ""],
                         {"room": "5"}, [{"room": "5"}], {}]  # fmt: skip
    lines, plain = [], 0
    for number in range(2000):
        record: dict[str, Any] = {"id": f"d{number}"}
        record |= {slot: rng.choice(values) for slot in rng.sample("abc", rng.randint(0, 3))}
        plain += plain_record(record, ("id", "text")) is not None
        lines.append(json.dumps(record).encode())
    # The label says that every object is looked at closely; no object has such a key.
    quick = Corpus.joined(Records().read(Source.of_bytes(b"\n".join(lines))))
    slow = Corpus.joined(Records(label="kind").read(Source.of_bytes(b"\n".join(lines))))
    assert 200 < plain < 1800
    assert _columns(slow.templates) == _columns(quick.templates)
    assert slow.facts == quick.facts
    assert slow.documents.id == quick.documents.id


def test_numbers_in_records_are_kept_as_written() -> None:
    lines = b'{"a": "x"}\n{"a": [1.50, true, 12345678901234567890, 1e3]}\n{"a": {"b": -0.0}}\n'
    for data in (lines, b"[" + lines.replace(b"\n", b",").strip(b",") + b"]"):
        corpus = Corpus.joined(Records().read(Source.of_bytes(data)))
        fillers = corpus.templates.fillers
        texts = [fillers.text[row] for row in range(len(fillers))]
        assert ["x", "1.50", "true", "12345678901234567890", "1e3", "-0.0"] == texts
        assert [0, 1, 2, 1, 1, 1] == fillers.kinds.tolist()


def test_documents_of_two_kinds_do_not_make_small_blocks() -> None:
    nested = {"templates": [{"slots": {"a": [{"slots": {"b": ["x"]}}]}}]}
    flat = {"templates": [{"slots": {"a": ["x"]}}]}
    own = b"\n".join(json.dumps(nested if i % 3 == 0 else flat).encode() for i in range(3000))
    assert 2 >= len(list(Jsonl().read(Source.of_bytes(own))))
    plain = b"\n".join(b'{"a": {"b": "x"}}' if i % 3 == 0 else b'{"a": "x"}' for i in range(3000))
    assert 2 >= len(list(Records().read(Source.of_bytes(plain))))

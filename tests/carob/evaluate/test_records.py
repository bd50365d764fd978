"""Records from files and from memory: tasks, schemas, guesses, mistakes, confidences, grounding."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob import (
    CarobError,
    DataError,
    InputError,
    Task,
    UsageError,
    compare,
    errors,
    read,
    score,
    score_records,
    verify,
)
from carob.cli import main
from carob.corpus.document import Span
from carob.evaluate.demo import write as write_demo
from carob.evaluate.draft import draft
from carob.evaluate.json_schema import slots_of_schema
from carob.pair.occurrences import cut
from carob.pair.typed_grounding import ANOTHER_FORM, AS_WRITTEN, INVENTED, _Document
from carob.values.column import canonical
from carob.values.raw import TEXT, Raw
from carob.values.schema import Schema
from carob.values.slot import typed_slot
from tests.worlds import examples, times


@pytest.fixture(scope="module")
def invoices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("invoices")
    write_demo(folder, "invoices", documents=40)
    return folder


def lines(folder: Path, name: str, *rows: Any) -> str:
    file = folder / name
    text = [each if isinstance(each, str) else json.dumps(each) for each in rows]
    file.write_text("\n".join(text) + "\n")
    return str(file)


def test_the_schema_of_the_golden_invoice(data: Path) -> None:
    schema = json.loads((data / "records" / "invoice.schema.json").read_text())
    expected = json.loads((data / "records" / "expected.json").read_text())["schema"]
    assert (expected, []) == slots_of_schema(schema)


def test_a_schema_that_points_to_itself_or_nowhere_ends() -> None:
    node = {"properties": {"next": {"$ref": "#/$defs/Node"}, "far": {"$ref": "http://x/y"}}}
    slots, remarks = slots_of_schema({"$defs": {"Node": node}, **node})
    assert len(slots) < 200
    assert "far: 'http://x/y' is not in this file: string" in remarks
    with pytest.raises(DataError, match="it describes no record"):
        slots_of_schema({"type": "object"})


def test_everything_works_on_invoices(invoices: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, task = str(invoices / "gold.jsonl"), str(invoices / "task.toml")
    careful, sloppy = str(invoices / "careful.jsonl"), str(invoices / "sloppy.jsonl")
    scores = score(gold, [careful, sloppy], task=task, resamples=100)
    by_name = {(each.system, each.recipe): each.value for each in scores.scores}
    assert by_name["careful", "fields.F1"] > by_name["sloppy", "fields.F1"]  # type: ignore[operator]
    saved = invoices / "scores.json"
    saved.write_text(scores.to_json())
    assert not verify(saved).differences
    (first, *_) = compare(gold, [careful, sloppy], "fields.F1", task=task).differences
    assert first.ahead == "careful"
    for command in (
        ["errors", "--task", task, gold, sloppy], ["errors", gold, sloppy, "--format", "json"],
        ["errors", "--task", task, gold, careful, "--by-confidence"],
        ["robust", "--task", task, gold, careful, sloppy], ["check", gold, "--task", task],
        ["convert", gold, str(invoices / "again.jsonl"), "--to", "jsonl"],
    ):  # fmt: skip
        assert 0 == main(command), command
        assert "Traceback" not in capsys.readouterr().err
    again = score(str(invoices / "again.jsonl"), careful, "fields.F1", resamples=0)
    assert again.value == score(gold, careful, "fields.F1", resamples=0).value


def test_answers_that_are_no_json_are_empty_and_counted(tmp_path: Path) -> None:
    gold = lines(tmp_path, "gold.jsonl", {"a": 1}, {"a": 2}, {"a": 3})
    system = lines(tmp_path, "system.jsonl", "Sorry.", {"a": 2}, "[1]")
    scores = score(gold, system, "fields.R", resamples=0)
    assert scores.value == pytest.approx(1 / 3)
    assert scores.systems[0].coverage["unparsed"] == 2
    with pytest.raises(InputError, match="K211"):
        score(system, gold, "fields.R", resamples=0, gold_options={"format": "records"})
    named = lines(tmp_path, "named.jsonl", {"id": "2", "a": 2}, "Sorry.")
    by_id = lines(tmp_path, "by_id.jsonl", {"id": "1", "a": 1}, {"id": "2", "a": 2})
    assert score(by_id, named, "fields.R", resamples=0).value == 0.5


def test_the_first_answer_that_is_no_json_is_named_with_its_reason(tmp_path: Path) -> None:
    gold = lines(tmp_path, "gold.jsonl", {"id": "a", "who": "Ann"}, {"id": "b", "who": "Bo"})
    system = tmp_path / "system.jsonl"
    system.write_text('{"id":"a","who":"Ann","n":NaN}\n{"id":"b","who":"Bo"}\n')
    remarks = score(gold, system, "fields.F1", resamples=0).remarks
    (warning,) = [each for each in remarks if "could not be read" in each]
    assert warning.endswith(
        "1 answer could not be read and counts as empty: line 1, "
        '\'{"id":"a","who":"Ann","n":NaN}\' (NaN is not a JSON number)'
    )
    system.write_text('{"id":"b","who":"Bo"}\nSorry.\n{"id":"a",}\n')
    printed = " ".join(score(gold, system, "fields.F1", resamples=0).remarks)
    assert "2 answers could not be read and count as empty, first line 2: 'Sorry.'" in printed


def test_answers_of_a_system_may_be_one_list(tmp_path: Path) -> None:
    records = [{"id": "a", "who": "Ann"}, {"id": "b", "who": "Bo"}]
    gold = lines(tmp_path, "gold.jsonl", *records)
    system = tmp_path / "system.json"
    for indent in (None, 0, 2):
        system.write_text(json.dumps(records, indent=indent))
        assert 1.0 == score(gold, system, "fields.F1", resamples=0).value
        assert 1.0 == score(system, system, "fields.F1", resamples=0).value
    system.write_text(json.dumps(records)[:-1])
    with pytest.raises(InputError, match="K211"):
        score(gold, system, "fields.F1", resamples=0)


@pytest.mark.parametrize("format", [None, "records"])
def test_prose_around_one_json_is_refused_with_what_to_do(
    format: str | None, tmp_path: Path
) -> None:
    gold = lines(tmp_path, "gold.jsonl", {"id": "a", "who": "Ann"}, {"id": "b", "who": "Bo"})
    system = tmp_path / "system.txt"
    given = {"format": format} if format else {}
    for answer in ('{"id":"a","who":"Ann",}', '{"id":"a","who":"Ann"}'):
        system.write_text(f"Sure! Here it is:\n```json\n{answer}\n```\n")
        with pytest.raises(
            InputError, match=r"K211 found 'Sure! .* before an object.* repair=json"
        ):
            score(gold, system, "fields.F1", resamples=0, system_options=given)
    given = {"format": "records", "repair": "json"}
    assert 0.5 == score(gold, system, "fields.R", resamples=0, system_options=given).value


def test_types_are_guessed_and_said(tmp_path: Path) -> None:
    gold = lines(tmp_path, "gold.jsonl", {"n": 1.50, "ok": True, "who": ["Ann"], "when": "5 May"})
    scores = score(gold, gold, "fields.F1", resamples=0)
    assert scores.systems[0].warnings == (
        "types of slots are guessed from gold (number: n; boolean: ok; all others are strings; "
        "lists: who); carob task init GOLD writes them into a task",
    )


def test_spaces_that_compare_texts_refuse_numbers(tmp_path: Path) -> None:
    gold = lines(tmp_path, "gold.jsonl", {"a": "x"}, {"a": "x", "b": 5})
    with pytest.raises(InputError) as caught:
        score(gold, gold, "templates.F1", resamples=0)
    assert "gold.jsonl:2: K212 found b = 5, expected a text; templates compares texts: " in str(
        caught.value
    )


def test_unknown_keys_are_an_error_unless_the_task_says_otherwise(tmp_path: Path) -> None:
    gold = lines(tmp_path, "gold.jsonl", {"a": 5})
    system = lines(tmp_path, "system.jsonl", {"a": 5, "b": 6})
    text = draft(read(gold))
    for word, expected in (("error", None), ("spurious", 0.5), ("ignore", 1.0)):
        task = tmp_path / f"{word}.toml"
        task.write_text(text.replace('unknown = "error"', f'unknown = "{word}"'))
        if expected is None:
            with pytest.raises(InputError, match="K827"):
                score(gold, system, "fields.P", task=task, resamples=0)
        else:
            assert expected == score(gold, system, "fields.P", task=task, resamples=0).value


def test_a_wrong_type_in_a_task_is_told_with_its_line(tmp_path: Path) -> None:
    gold = lines(tmp_path, "gold.jsonl", {"a": 5, "o": [{"p": 1}]})
    task = tmp_path / "task.toml"
    task.write_text(draft(read(gold)).replace('type = "number"', 'type = "numbr"', 1))
    with pytest.raises(CarobError, match=r"K833 found slots\.a: type = 'numbr', expected a type"):
        Task.read(task)


def test_unknown_keys_of_both_sides_are_named_with_file_and_line(tmp_path: Path) -> None:
    draft_of = lines(tmp_path, "draft.jsonl", {"a": 5})
    gold = lines(tmp_path, "gold.jsonl", {"a": 5}, {"a": 5, "b": 6})
    system = lines(tmp_path, "system.jsonl", {"a": 5, "c": 6}, {"a": 5})
    task = tmp_path / "task.toml"
    origins = [read(path).origin for path in (draft_of, gold)]
    text = draft(read(draft_of)).replace(origins[0].sha256, origins[1].sha256)  # type: ignore[union-attr]
    task.write_text(text.replace("documents = 1 ", "documents = 2 "))
    with pytest.raises(InputError) as caught:
        score(gold, system, "fields.P", task=task, resamples=0)
    assert [
        "gold.jsonl:2: K827 found the slot 'b' in document '2', expected a slot of the task draft; "
        "there are: a",
        "system.jsonl:1: K827 found the slot 'c' in document '1', expected a slot of the task "
        "draft; there are: a",
    ] == [str(each).removeprefix(f"{tmp_path}/") for each in caught.value.problems]


def test_an_unknown_key_that_gold_has_too_is_left_out_and_not_spurious(tmp_path: Path) -> None:
    gold = lines(tmp_path, "gold.jsonl", {"a": 5, "x": 1, "o": {"p": 1}}, {"a": 5})
    system = lines(tmp_path, "system.jsonl", {"a": 5, "x": 2, "y": 3}, {"a": 5, "x": 2})
    for word, precision, count in (("spurious", 0.5, 3), ("ignore", 1.0, 5)):
        task = tmp_path / f"{word}.toml"
        text = draft(read(gold)).replace('unknown = "error"', f'unknown = "{word}"')
        task.write_text(text[: text.index("\n[slots.o]")])
        scores = score(gold, system, "fields.P", task=task, resamples=0)
        assert (precision, count) == (scores.value, scores.systems[0].coverage["unknown"])
        assert 1.0 == score(gold, gold, "fields.P", task=task, resamples=0).value
        assert 0 == main(["check", system, "--against", gold, "--task", str(task)])
    assert (
        "5 values left out under keys that the schema lacks: o, x, y" in scores.systems[0].warnings
    )


SLOTS_OF_LAW = {
    "a": {}, "b": {"type": "id"}, "l": {"fillers": "any"}, "o": {"type": "object"}, "o.a": {},
    "i": {"type": "object", "fillers": "any"}, "i.a": {}, "i.l": {"fillers": "any"},
}  # fmt: skip
TEXT_OF_LAW = st.sampled_from("xyz")
INNER = st.fixed_dictionaries({}, optional={"a": TEXT_OF_LAW, "l": st.lists(TEXT_OF_LAW)})
RECORD = st.fixed_dictionaries({}, optional={
    "a": TEXT_OF_LAW, "b": TEXT_OF_LAW, "l": st.lists(TEXT_OF_LAW), "o": INNER,
    "i": st.lists(INNER, max_size=3),
})  # fmt: skip


@examples(1)
@given(
    records=st.lists(RECORD, min_size=1, max_size=3),
    paths=st.sets(st.sampled_from(sorted(SLOTS_OF_LAW)), min_size=1),
    unknown=st.sampled_from(["spurious", "ignore"]),
)
def test_gold_against_itself_is_1_for_every_schema(
    records: list[Any], paths: set[str], unknown: Any
) -> None:
    slots = {path: typed_slot(SLOTS_OF_LAW[path])[0] for path in paths}
    schema = Schema.of(slots, unknown=unknown)
    scores = score_records(records, records, schema, ["fields.F1", "fields.ERR"], resamples=0)
    assert {1.0, None} >= {scores["fields.F1"].value}
    assert {0.0, None} >= {scores["fields.ERR"].value}


def test_keys_that_the_schema_lacks_are_left_out_alike_in_memory() -> None:
    schema = {"properties": {"who": {"type": "string"}}}
    gold = [{"id": "a", "who": "Ann", "note": "x"}, {"id": "b", "who": "Bo"}]
    scores = score_records(gold, gold, schema, "fields.F1", resamples=0)
    assert 1.0 == scores.value
    assert scores.systems[0].warnings == (
        "2 values left out under keys that the schema lacks: note",
    )
    # Documents pair by id, unless it is a slot or the name of the key is empty.
    assert 1.0 == score_records(gold, gold[::-1], schema, "fields.F1", resamples=0).value
    assert 0.0 == score_records(gold, gold[::-1], schema, "fields.F1", id="", resamples=0).value
    as_slot = {"properties": {**schema["properties"], "id": {"type": "string"}}}
    assert 0.0 == score_records(gold, gold[::-1], as_slot, "fields.F1", resamples=0).value


def test_answers_in_memory_may_be_texts_under_a_key() -> None:
    gold = [{"id": 1, "who": "Ann"}, {"id": 2, "who": "Bo"}]
    system = [{"id": 2, "out": '{"who": "Bo"}'}, {"id": 1, "out": "Sorry."}]
    scores = score_records(gold, system, None, "fields.R", raw="out", resamples=0)
    assert (0.5, 1) == (scores.value, scores.systems[0].coverage["unparsed"])


def test_a_key_of_answers_in_memory_is_one_that_records_have() -> None:
    schema = {"properties": {"who": {"type": "string"}}}
    gold = [{"who": "Ann"}, {"who": "Bo"}]
    system = [{"out": '{"who": "Ann"}'}, {"out": "Sorry."}]
    with pytest.raises(UsageError) as caught:
        score_records(gold, system, schema, raw="outs")
    assert str(caught.value) == (
        "no record has the key 'outs' that raw names; did you mean out? there are: out, who"
    )
    offer = (
        "model: found texts under 'out' that are JSON, expected answers that are objects; "
        "raw='out' reads the answers in them"
    )
    around = [{"out": f"Yes: {each['out']}"} for each in system]
    for answers, first in ((system, ""), (around, "; first take away what stands around the JSON")):
        for chosen in (schema, None):
            with pytest.raises(UsageError) as caught:
                score_records(gold, {"model": answers}, chosen)
            assert offer + first == str(caught.value)
    # A slot may hold JSON, and records without ids need no remark.
    slots = {"properties": {"who": {"type": "string"}, "out": {"type": "string"}}}
    assert 0.0 == score_records(gold, system, slots, "fields.R", resamples=0).value
    scores = score_records(gold, gold, schema, "fields.R", resamples=0)
    assert (1.0, ()) == (scores.value, scores.remarks)


def test_a_slot_whose_type_does_not_fit_the_answers_is_named() -> None:
    gold = [{"total": n, "who": "Ann"} for n in range(10)]
    answers = [{"total": f"{n} EUR" if n < 5 else n, "who": "Ann"} for n in range(10)]
    remark = (
        "total: 5 of 10 answers cannot be read as a number, such as '0 EUR', and are wrong; if the "
        "type is not right, a task or a schema says it"
    )
    scores = score_records(gold, answers, None, "fields.F1", resamples=0)
    assert (0.75, remark) == (scores.value, scores.systems[0].warnings[-1])
    answers[4] = {"total": 4}  # now most can be read
    scores = score_records(gold, answers, None, "fields.F1", resamples=0)
    assert (4, 1) == (
        scores.systems[0].coverage["unreadable"],
        len(scores.systems[0].warnings),
    )


def test_white_space_inside_the_strings_of_an_answer_is_kept() -> None:
    schema = {"properties": {"a": {"type": "string", "x-carob": {"match": "exact"}}}}
    gold = [{"a": "x  y\tz\n"}]
    for answer in (json.dumps(gold[0]), json.dumps(gold[0], indent=2)):
        assert 1.0 == score_records(gold, [answer], schema, "fields.F1", resamples=0).value
    for answer in ("Sorry,\nI cannot.", '{"a": "x\ny"}', "[1]", ""):
        scores = score_records(gold, [answer], schema, "fields.R", resamples=0)
        assert (0.0, 1) == (scores.value, scores.systems[0].coverage["unparsed"])


def test_the_schema_is_part_of_the_signature() -> None:
    gold = [{"n": "5"}]
    kinds = [{"type": "string"}, {"type": "number"}, {"type": "number", "x-carob": {"weight": 2}},
             {"type": "string", "x-carob": {"null": ["n/a", "-", "none"]}}]  # fmt: skip
    signatures = [
        score_records(gold, gold, {"properties": {"n": kind}}, "fields.F1", resamples=0)[
            "fields.F1"
        ].signature
        for kind in [*kinds, *kinds]
    ]
    assert signatures[:4] == signatures[4:]
    assert len(kinds) == len(set(signatures))
    assert all("|schema:sha256=" in each for each in signatures)


@dataclasses.dataclass
class Line:
    name: str
    price: float


@dataclasses.dataclass
class Order:
    no: str
    paid: bool = False
    lines: list[Line] = dataclasses.field(default_factory=list)


def test_records_in_memory_with_dataclasses_and_models() -> None:
    gold = [Order("1", True, [Line("pen", 1.0)])]
    system = [{"no": "1", "paid": "yes", "lines": [{"name": "pen", "price": "1,00"}]}]
    assert 1.0 == score_records(gold, system, Order, "fields.F1", resamples=0).value
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Order", no=(str, ...), paid=(bool, False))
    made = [model(no="1", paid=True)]
    assert 1.0 == score_records(made, [{"no": "1", "paid": "on"}], model, "fields.F1",
                                resamples=0).value  # fmt: skip
    assert 0.0 == score_records(made, [None], model, "fields.R", resamples=0).value
    with pytest.raises(UsageError, match="gold, record 1: found int, expected a dict"):
        score_records([5], [5])


def test_kinds_of_mistakes() -> None:
    from carob.evaluate.records import _corpus

    gold = _corpus(
        [{"a": 1, "b": "x", "c": "y", "t": "one x"}], "gold", {"id": "", "text": "t"}, ""
    )
    system = _corpus([{"a": "many", "b": "z", "d": "w"}], "system", {"id": "", "text": ""}, "")
    found = errors(gold, system, preset="records").counts
    counts = {kind: n for kind, n in found.items() if n}
    assert {"wrong format": 1, "wrong value": 1, "missing": 1, "spurious": 1} == counts


# --- grounding: the slow way reads every stretch of pieces ---

WORDS = ["2:30", " ", "p.m.", "on", " ", "Jan", " ", "2", ",", "2024", "02/01/2024", "€", "5",
         "1.000,50", "kg", "(", ")", "R-7", "\n", ".", "EUR"]  # fmt: skip
SLOTS = [
    typed_slot({"type": kind, **more})[0]
    for kind, more in (("number", {}), ("date", {}), ("time", {}), ("money", {"currency": "EUR"}),
                       ("quantity", {}), ("id", {"match": "norm"}))
]  # fmt: skip
VALUES = ["1000.5", "1", "5", "-5", "2024-01-02", "2024-02-01", "14:30", "02:30", "5 EUR", "EUR 2",
          "5 kg", "5000 g", "r7", "R 7", "2024"]  # fmt: skip


def stretches(text: str) -> list[Span]:
    ends = [0]
    for piece in cut(text):
        ends.append(ends[-1] + len(piece))
    return [(a, b) for i, a in enumerate(ends) for b in ends[i + 1 :]]


def test_grounding_is_that_of_all_stretches() -> None:
    rng = random.Random(3)
    seen = {AS_WRITTEN: 0, ANOTHER_FORM: 0, INVENTED: 0}
    for _ in range(times(2.5)):
        text = "".join(rng.choice(WORDS) for _ in range(rng.randint(1, 9)))
        document = _Document(text)
        for slot in SLOTS:
            read_all = {
                canonical(slot.type, value)
                for start, end in stretches(text)
                if not text[start].isspace() and not text[end - 1].isspace()
                for value in slot.kind.readings(Raw(TEXT, text[start:end]))
            }
            for word in VALUES:
                raw = Raw(TEXT, word)
                value = slot.kind.read(raw)
                state = document.grounding(slot, raw, value)
                seen[state] += 1
                if state != AS_WRITTEN:
                    there = value is not None and canonical(slot.type, value) in read_all
                    assert state == (ANOTHER_FORM if there else INVENTED), (text, slot, word)
    assert all(seen.values())

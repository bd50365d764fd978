"""A slot that may be of several types gets the most specific one that gold can be read as."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
from pathlib import Path
from typing import Any, Literal

import pytest

from carob import score, score_records
from carob.cli import main
from carob.evaluate.json_schema import slots_of_schema
from carob.values.raw import TEXT, Raw, Raws

NUMBER, STRING = {"type": "number"}, {"type": "string"}
DATE, MOMENT = ({"type": "string", "format": each} for each in ("date", "date-time"))
DECIMAL = {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"}
LINE = {"type": "object", "properties": {"a": NUMBER}, "required": ["a"]}


def kind_of(*options: dict[str, Any], gold: list[str] | None = None) -> Any:
    values = None if gold is None else {"v": Raws.of([Raw(TEXT, text) for text in gold])}
    slots, remarks = slots_of_schema({"properties": {"v": {"anyOf": list(options)}}}, values)
    assert len(remarks) <= 1
    return slots["v"]["type"]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ([NUMBER, STRING], "number"), ([STRING, NUMBER], "number"), ([DATE, STRING], "date"),
        ([MOMENT, DATE], "date"), ([{"type": "boolean"}, STRING], "boolean"),
        ([NUMBER, DATE, {"type": "boolean"}, STRING], "number"), ([LINE, STRING], "object"),
        ([{"const": "a"}, STRING], "string"), ([NUMBER, {"type": "integer"}], "number"),
        ([{}, NUMBER], "number"), ([{"enum": ["a"]}, {"const": "b"}], "enum"),
    ],
)  # fmt: skip
def test_without_gold_the_most_likely_type_counts(options: list[Any], kind: str) -> None:
    assert kind == kind_of(*options)
    assert kind == kind_of(*options, {"type": "null"})


@pytest.mark.parametrize(
    ("options", "gold", "kind"),
    [
        ([NUMBER, STRING], ["1.50", "2"], "number"), ([NUMBER, STRING], ["1.50", "n/a"], "string"),
        ([NUMBER, STRING], ["2024"], "number"), ([NUMBER, STRING], ["007"], "string"),
        ([NUMBER, DECIMAL], ["007"], "number"), ([NUMBER, STRING], [], "number"),
        ([DATE, STRING], ["2024-01-02"], "date"), ([DATE, STRING], ["soon"], "string"),
        ([MOMENT, DATE], ["2024-01-02"], "date"),
        ([MOMENT, DATE], ["2024-01-02T15:30Z"], "datetime"),
        ([{"enum": ["a"]}, STRING], ["a", "A"], "enum"),
        ([{"enum": ["a"]}, STRING], ["b"], "string"),
        ([NUMBER, {"type": "boolean"}, STRING], ["yes"], "boolean"),
    ],
)  # fmt: skip
def test_gold_decides_between_types(options: list[Any], gold: list[str], kind: str) -> None:
    assert kind == kind_of(*options, gold=gold)


def test_the_remark_names_the_slots_the_types_and_the_choice() -> None:
    either = {"anyOf": [NUMBER, STRING, {"type": "null"}]}
    schema = {"properties": {"a": either, "b": either, "c": {"type": ["string", "null"]}}}
    slots, remarks = slots_of_schema({**schema, "required": ["a", "b", "c"]})
    assert ["may be number or string and counts as number: a, b"] == remarks
    assert {"type": "number", "fillers": "at most one"} == slots["a"]
    assert {"type": "string", "fillers": "at most one"} == slots["c"]


def test_lists_and_objects_in_unions_keep_their_slots() -> None:
    lists = {"anyOf": [{"type": "array", "items": {"anyOf": [NUMBER, STRING]}}, STRING]}
    other = {"type": "object", "properties": {"a": STRING, "b": DATE}, "required": ["a", "b"]}
    slots, _ = slots_of_schema({"properties": {"l": lists, "o": {"oneOf": [LINE, other]}}})
    assert {
        "l": {"type": "number", "fillers": "any"},
        "o": {"type": "object", "fillers": "at most one"},
        "o.a": {"type": "string", "fillers": "exactly one"},
        "o.b": {"type": "date", "fillers": "at most one"},
    } == slots  # fmt: skip


def test_a_union_that_holds_itself_ends() -> None:
    schema = {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}, NUMBER]}},
              "properties": {"a": {"$ref": "#/$defs/A"}}}  # fmt: skip
    assert {"a": {"type": "number", "fillers": "at most one"}} == slots_of_schema(schema)[0]


class Color(enum.Enum):
    RED, BLUE = "red", "blue"


def test_models_of_pydantic_are_read_as_pydantic_writes_them() -> None:
    pydantic = pytest.importorskip("pydantic")
    line: Any = pydantic.create_model("Line", item=(str, ...), price=(decimal.Decimal, ...))
    model = pydantic.create_model(
        "Order", total=(decimal.Decimal, ...), tax=(decimal.Decimal | None, None),
        due=(datetime.date | None, None), at=(datetime.datetime, ...), color=(Color | None, None),
        size=(Literal["S", "L"], ...), lines=(list[line], []), tags=(set[str] | None, None),
    )  # fmt: skip
    for mode in ("validation", "serialization"):
        slots = slots_of_schema(model.model_json_schema(mode=mode))[0]
        kinds = {path: slot["type"] for path, slot in slots.items()}
        if mode == "validation":
            assert "number" == kinds["total"] == kinds["tax"] == kinds["lines.price"]
        assert ("date", "datetime", "enum", "enum") == tuple(
            kinds[name] for name in ("due", "at", "color", "size")
        )
        assert ("any", "any") == (slots["lines"]["fillers"], slots["tags"]["fillers"])
        assert "at most one" == slots["color"]["fillers"]
    gold = [
        model(total="1000.50", at="2024-01-02T15:30", size="S", lines=[line(item="a", price=2)])
    ]
    answer = [{"total": "1.000,50", "at": "2024-01-02 15:30", "size": "s",
               "lines": [{"item": "A", "price": 2.00}]}]  # fmt: skip
    scores = score_records(gold, answer, model, "fields.F1", resamples=0)
    assert 1.0 == scores.value
    remark = "may be number or string and counts as number: total, tax, lines.price"
    assert (remark,) == scores.systems[0].warnings


def test_the_choice_is_said_and_written_into_the_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, task, schema = (tmp_path / name for name in ("g.jsonl", "t.toml", "s.json"))
    gold.write_text('{"v": "5.00", "w": "n/a"}\n{"v": 6, "w": "7"}\n')
    either = {"anyOf": [NUMBER, STRING]}
    schema.write_text(json.dumps({"properties": {"v": either, "w": either}}))
    assert 0 == main(["task", "init", str(gold), "--schema", str(schema), "-o", str(task)])
    said = capsys.readouterr().err
    for remark in ("may be number or string and counts as number: v",
                   "may be number or string and counts as string: w"):  # fmt: skip
        assert f"warning: {remark}\n" in said
        assert f"# {remark}\n" in task.read_text()
    assert 1.0 == score(gold, gold, "fields.F1", task=task, resamples=0).value


def test_what_task_init_drafts_is_what_is_guessed_without_a_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system = tmp_path / "g.jsonl", tmp_path / "s.jsonl"
    gold.write_text('{"n": 5, "due": "2024-01-02", "sum": "5 €"}\n{"due": "2024-01"}\n')
    system.write_text('{"n": "5.0", "due": "Jan 2, 2024", "sum": "EUR 5.00"}\n{"due": "2024"}\n')
    assert 0 == main(["task", "init", str(gold), "-o", str(tmp_path / "t.toml")])
    remark = "types of slots are guessed from gold (number: n; date: due; money: sum)"
    assert f"warning: {remark}\n" in capsys.readouterr().err
    assert f"# {remark}\n" in (tmp_path / "t.toml").read_text()
    with_task, without = (
        score(gold, system, "fields.F1", resamples=0, task=task)
        for task in (tmp_path / "t.toml", None)
    )
    assert 0.875 == with_task.value == without.value
    assert f"{remark}; carob task init GOLD writes them into a task" in without.systems[0].warnings

"""Records from files and from memory: tasks, schemas, guesses, mistakes, confidences, grounding."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import pytest

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
from carob.values.slot import typed_slot
from tests.worlds import times


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

    gold = _corpus([{"a": 1, "b": "x", "c": "y", "t": "one x"}], "gold", "", "t")
    system = _corpus([{"a": "many", "b": "z", "d": "w"}], "system", "", "")
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

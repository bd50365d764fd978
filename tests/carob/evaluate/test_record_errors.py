"""carob errors on records: kinds are those of the slow way, what two systems differ in is so, and
every count is a sum over the ledger.
"""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, DataError, UsageError, errors
from carob.cli import main
from carob.corpus.source import Source
from carob.counts.tally import Tally
from carob.evaluate.demo import write as write_demo
from carob.evaluate.read import read
from carob.explain.ledger import ledger
from carob.match.fields import Fields, compared
from carob.pair.guessed_types import guessed
from carob.pair.pair import Pair
from carob.pair.typed_grounding import INVENTED, groundings
from carob.recipe import Recipe, spell
from carob.result.errors import RECORD_KINDS, Errors, SlotExample
from carob.values.raw import fold
from tests.worlds import times


def corpus(*records: Any) -> Corpus:
    lines = "\n".join(map(json.dumps, records))
    return read(Source.of_bytes(lines.encode(), "file.jsonl"), "records", unparsed="empty")


def some(counts: Any) -> dict[str, int]:
    return {kind: n for kind, n in counts.items() if n}


TEXT = "Invoice 17 by Ann: 3 pens at 2, 1 desk at 90"
LINES = [{"item": "pens", "price": 2}, {"item": "desk", "price": 90}]
GOLD: dict[str, Any] = {
    "id": "a", "text": TEXT, "number": 17, "seller": "Ann", "buyer": "Bo",
    "lines": LINES,
}  # fmt: skip


def answer(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in (GOLD | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (answer(), {}),
        (answer(number=18), {"wrong value": 1}),
        (answer(number="many"), {"wrong format": 1}),
        (answer(seller=None), {"missing": 1}),
        (answer(seller="Bo", buyer="Ann"), {"wrong field": 2}),
        (answer(seller="bo", buyer=None), {"wrong field": 1, "missing": 1}),
        (answer(lines=[{"item": "pens", "price": 90}, {"item": "desk", "price": 2}]),
         {"swapped": 2}),
        (answer(lines=[*LINES, {"item": "pens"}]), {"spurious": 1}),
        (answer(lines=[*LINES, {"item": "lamp"}]), {"invented": 1}),
        (answer(more="Ann"), {"spurious": 1}),
        (answer(lines="none"), {"wrong format": 1, "missing": 4}),
    ],
)  # fmt: skip
def test_kinds_of_errors(system: dict[str, Any], expected: dict[str, int]) -> None:
    result = errors(corpus(GOLD), corpus(system))
    assert expected == {kind: result.counts[kind] for kind in result.kinds if result.counts[kind]}


def test_a_value_that_was_found_in_its_own_field_is_not_in_the_wrong_one() -> None:
    result = errors(corpus(GOLD), corpus(answer(buyer="Ann")))
    assert {"right": 6, "wrong value": 1} == some(result.counts)


def test_the_matrix_has_the_fields_that_were_exchanged() -> None:
    result = errors(corpus(GOLD), corpus(answer(seller="Bo", buyer="Ann", number=None)))
    assert [("buyer", "seller", 1), ("seller", "buyer", 1)] == result.confusions
    expected = {"buyer": {"seller": 1}, "number": {"_": 1}, "seller": {"buyer": 1}}
    assert expected == result.confusion.to_dict()


def test_examples_have_both_values_and_say_where() -> None:
    wrong = answer(lines=[{"item": "desk", "price": 91}, {"item": "pens", "price": 2}])
    result = errors(corpus(GOLD), corpus(wrong), examples=1)
    (example,) = result.examples["wrong value"]
    assert isinstance(example, SlotExample)
    assert ("a", "lines.price", "lines 2") == (example.document, example.slot, example.note)
    assert (("90",), "91", False) == (example.gold, example.system, example.grounded)
    line = "wrong value  lines.price (lines 2) in a: gold '90', system '91'"
    assert line in str(result)


# --- two systems ---


def both(gold: Corpus, first: Corpus, second: Corpus, **more: Any) -> Errors:
    return errors(gold, first, second, names=["first", "second"], **more)


def test_what_the_second_system_fixed_and_broke() -> None:
    first = answer(number="many", seller="Bo", buyer=None, more="x")
    second = answer(buyer="Cy", lines=[*LINES, {"item": "lamp"}], more="x")
    changes = both(corpus(GOLD), corpus(first), corpus(second), examples=9).changes
    assert changes is not None
    # buyer is wrong in both, and so is `more`.
    assert {"wrong format": 1, "wrong field": 1} == changes.fixed
    assert {"invented": 1} == changes.broken
    shown = [(old.slot, old.gold, old.system, new.system) for old, new in changes.fixed_examples]
    assert [("number", ("17",), "many", "17"), ("seller", ("Ann",), "Bo", "Ann")] == shown


def test_changes_of_one_field_alone() -> None:
    first, second = corpus(answer(number=1, seller="x")), corpus(answer())
    changes = both(corpus(GOLD), first, second, label="seller").changes
    assert changes is not None
    assert ({"wrong value": 1}, {}) == (changes.fixed, changes.broken)


WORDS = ["ann", "Ann", "bo", "cy", "1", "2", 1, 2, 1.0, None, True]


def random_record(rng: random.Random, name: int, *, typed: bool) -> dict[str, Any]:
    def value(key: str) -> Any:
        return rng.choice([1, 2, 3]) if typed and key == "n" else rng.choice(WORDS)

    record: dict[str, Any] = {"id": str(name), "text": "ann bo 1 2"}
    for key in ("a", "b", "n"):
        if rng.random() < 0.8:
            record[key] = value(key)
    items = [{key: value(key) for key in ("c", "n") if rng.random() < 0.8}
             for _ in range(rng.randint(0, 3))]  # fmt: skip
    record["list"] = items
    record["tags"] = [rng.choice("xyz") for _ in range(rng.randint(0, 3))]
    if not typed and rng.random() < 0.1:
        record["new"] = rng.choice(WORDS)
    return record


def worlds(seed: int, size: int) -> tuple[Corpus, Corpus, Corpus]:
    """Gold, whose `n` are numbers, and two systems that are partly right."""
    rng = random.Random(seed)
    gold = [random_record(rng, i, typed=True) for i in range(size)]
    gold[0] |= {"a": "ann", "b": "bo", "list": [{"c": "x", "n": 1}, {"c": "y"}]}
    systems = []
    for _ in range(2):
        made = []
        for record in gold:
            other = random_record(rng, int(record["id"]), typed=False)
            made.append(record | {key: other[key] for key in other if rng.random() < 0.4})
        systems.append(corpus(*made))
    return corpus(*gold), systems[0], systems[1]


def pair_of(gold: Corpus, system: Corpus) -> Pair:
    return Pair.of(gold, system, schema=guessed(gold))


def slow_kinds(pair: Pair) -> Counter[tuple[str, str]]:
    """Field and kind of every value, one after another."""
    parts, _ = compared(pair, 0.5, weights=True)
    records = pair.records
    grounded = groundings(records, records.system, pair.filled.words)
    names = Fields().outcomes

    def text(side: Any, leaf: int) -> str:
        node, code = int(side.leaves.node[leaf]), int(side.leaves.code[side.leaves.offsets[leaf]])
        if node in records.columns:
            return fold(records.columns[node].raws[code].text)
        fillers = side.corpus.templates.fillers
        return fold(fillers.text[int(fillers.realisations[int(side.leaves.filler[leaf])])] or "")

    rows = [row for row in zip(*(column.tolist() for column in parts), strict=True)
            if names[row[2]] != "NON"]  # fmt: skip
    lost = [(doc, text(records.gold, gold), field, gold)
            for doc, field, outcome, gold, _ in rows
            if names[outcome] != "COR" and gold >= 0]  # fmt: skip
    found: Counter[tuple[str, str]] = Counter()
    for doc, field, outcome, gold, system in rows:
        name = names[outcome]
        kind = {"COR": "right", "PAR": "partly right", "MIS": "missing"}.get(name, "")
        if not kind:
            says = text(records.system, system)
            leaves = records.system.leaves
            column = records.columns.get(field)
            code = int(leaves.code[leaves.offsets[system]])
            there = [(row, leaf) for d, t, row, leaf in lost if (d, t) == (doc, says)]
            if field < len(records.schema.nodes) and (column is None or not column.readable[code]):
                kind = "wrong format"
            elif any(row == field and leaf != gold for row, leaf in there):
                kind = "swapped"
            elif any(row != field for row, _ in there):
                kind = "wrong field"
            elif name == "INC":
                kind = "wrong value"
            else:
                kind = "invented" if grounded[system] == INVENTED else "spurious"
        found[records.rows[field], kind] += 1
    return found


def test_kinds_are_those_of_the_slow_way() -> None:
    seen: Counter[str] = Counter()
    for seed in range(times(0.5)):
        gold, system, _ = worlds(seed, 6)
        result = errors(gold, system)
        expected = slow_kinds(pair_of(gold, system))
        found = {(label, kind): n for label, row in result.by_label.items()
                 for kind, n in row.items() if n}  # fmt: skip
        assert dict(expected) == found
        seen.update({kind: n for (_, kind), n in expected.items()})
    assert set(RECORD_KINDS) - {"partly right"} == set(seen)  # each kind was met


def test_fixed_and_broken_explain_the_difference_of_two_systems() -> None:
    for seed in range(times(0.3)):
        gold, first, second = worlds(seed, 6)
        one, other = both(gold, first, second), both(gold, second, first)
        assert one.changes is not None
        assert other.changes is not None
        assert (one.changes.fixed, one.changes.broken) == (
            other.changes.broken, other.changes.fixed
        )  # fmt: skip
        wrong = [sum(each.counts[kind] for kind in each.kinds) for each in (one, other)]
        gone, new = sum(one.changes.fixed.values()), sum(one.changes.broken.values())
        # A value of gold that both have wrong counts for both; so does the same extra value.
        assert wrong[0] - gone == wrong[1] - new
        same = both(gold, first, first).changes
        assert same is not None
        assert ({}, {}) == (same.fixed, same.broken)


def test_a_matrix_counts_every_error_once_or_as_moved() -> None:
    for seed in range(times(0.3)):
        gold, system, _ = worlds(seed, 6)
        result = errors(gold, system)
        none = result.confusion.names[-1]
        by_gold: Counter[str] = Counter()
        for row, _, count in result.confusion.entries:
            by_gold[row] += count
        parts, _ = compared(pair_of(gold, system), 0.5, weights=True)
        names, rows = Fields().outcomes, pair_of(gold, system).records.rows
        lost = Counter(
            rows[field]
            for field, outcome, leaf in zip(parts.row.tolist(), parts.outcome.tolist(),
                                            parts.gold.tolist(), strict=True)
            if names[outcome] not in ("COR", "NON") and leaf >= 0
        )  # fmt: skip
        assert lost == Counter({row: n for row, n in by_gold.items() if row != none})


# --- the ledger ---

SPACES = ("fields.F1", "fields(null=reward,weights=none).F1", "fields.invented-share",
          "record.exact", "record(of=list).exact", "ceaf-ree.F1", "ceaf-rme.F1")  # fmt: skip


@pytest.mark.parametrize("recipe", SPACES)
def test_every_count_is_a_sum_over_the_ledger(recipe: str) -> None:
    space = Recipe.parse(recipe).space
    for seed in range(5):
        gold, system, _ = worlds(seed, 6)
        pair = pair_of(gold, system)
        tally = Tally.of(space, pair)
        sums: Counter[tuple[str, str, str]] = Counter()
        for row in ledger(spell(space), pair, space(pair), None):
            sums[row["document"], row["label"], row["outcome"]] += row["weight"]
            if row["outcome"] not in ("NON", "COR") and "ceaf" not in recipe:
                assert row["gold_text"] is not None or row["system_text"] is not None, row
        for k in range(len(tally.unit)):
            cell = (pair.documents.name(int(tally.unit[k])), tally.labels[tally.label[k]])
            for i, outcome in enumerate(tally.outcomes):
                assert tally.counts[k, i] == pytest.approx(sums.pop((*cell, outcome), 0.0))
        assert not {key: value for key, value in sums.items() if abs(value) > 1e-9}


def test_rows_of_confidences_name_the_answer() -> None:
    def record(value: str, sure: float) -> dict[str, Any]:
        return {"templates": [{"slots": {"a": [{"text": value, "confidence": sure}]}}]}

    gold = Corpus.of(record("1", 1), record("2", 1))
    system = Corpus.of(record("1", 0.5), record("3", 0.25))
    for recipe, texts in (("fields.Brier", ["1", "3"]),
                          ("record.Brier", ['{"a": "1"}', '{"a": "3"}'])):  # fmt: skip
        space = Recipe.parse(recipe).space
        pair = Pair.of(gold, system)
        rows = [row for row in ledger("", pair, space(pair), None)
                if row["outcome"] == "squared_error"]  # fmt: skip
        assert [0.25, 0.0625] == [row["weight"] for row in rows]
        assert texts == [row["system_text"] for row in rows]


@pytest.fixture(scope="module")
def invoices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("invoices")
    write_demo(folder, "invoices", documents=40)
    return folder


def call(folder: Path, *more: str) -> list[str]:
    files = [str(folder / name) for name in ("gold.jsonl", "sloppy.jsonl", "careful.jsonl")]
    return ["errors", "-q", "--task", str(folder / "task.toml"), *files, *more]


def test_the_command_writes_a_ledger_whose_rows_are_the_errors(
    invoices: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ledger.csv"
    assert 0 == main(call(invoices, "--ledger", str(path), "--format", "json"))
    counts = json.loads(capsys.readouterr().out)["counts"]
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"fields", "record"} == {row["space"] for row in rows}
    outcomes = Counter(row["outcome"] for row in rows if row["space"] == "fields")
    assert counts["right"] == outcomes["COR"]
    assert counts["missing"] == outcomes["MIS"]
    wrong = sum(n for kind, n in counts.items() if kind not in ("right", "partly right", "missing"))
    assert wrong == outcomes["INC"] + outcomes["SPU"]
    assert 40 == sum(row["space"] == "record" for row in rows)
    assert all(json.loads(row["gold_text"]) for row in rows if row["space"] == "record")


@pytest.mark.parametrize("form", ["terminal", "json", "markdown", "latex", "html", "csv"])
def test_every_format_has_what_the_second_system_changed(
    invoices: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == main(call(invoices, "--format", form))
    text = capsys.readouterr().out
    if form == "csv":
        assert text.startswith("gold,system,count,signature\n")
    else:
        assert "fixed" in text
        assert "broken" in text


def test_wrong_names_are_refused() -> None:
    gold = corpus(GOLD)
    with pytest.raises(DataError, match="no slot is called 'numbr'; did you mean number"):
        errors(gold, gold, label="numbr")
    with pytest.raises(UsageError, match="no type of error is called 'swaped'; did you mean swap"):
        errors(gold, gold, types=["swaped"])
    with pytest.raises(UsageError, match="errors are those of mentions, templates or records"):
        errors(gold, gold, preset="nugget")


def test_recipes_have_no_gains() -> None:
    result: Errors = errors(corpus(GOLD), corpus(GOLD), recipes=["fields.F1"])
    assert ({}, [], {"fields.F1": 1.0}) == (result.gains, result.order, result.scores)
    remark = "fields.F1: what correcting errors would gain is shown for mentions and fillers only"
    assert (remark,) == result.remarks


def test_recipes_of_records_have_no_gains_where_all_values_are_texts_either() -> None:
    gold, system = corpus({"k": "1", "v": "x"}), corpus({"k": "1", "v": "y"})
    alone: Errors = errors(gold, system, recipes=["fields.F1"])
    assert ({}, {"wrong value": 1}) == (alone.gains, {"wrong value": alone.counts["wrong value"]})
    both: Errors = errors(gold, system, recipes=["oads.F1", "fields.F1"])
    assert {"oads.F1"} == set(both.scores)
    assert any(remark.startswith("fields.F1: what correcting") for remark in both.remarks)

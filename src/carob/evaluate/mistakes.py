"""What is wrong with the values of records: mistakes by field and kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, DataError, nearest
from carob.evaluate.options import ErrorsOptions, Options, table_for
from carob.evaluate.read import Scorable, read
from carob.evaluate.run import Run, prepare, systems_by_name
from carob.evaluate.task import Task
from carob.match.fields import compared, grounded_answers
from carob.pair.pair import Pair
from carob.pair.records import Side
from carob.pair.typed_grounding import INVENTED
from carob.result.mistakes import Mistake, Mistakes
from carob.values.raw import fold

if TYPE_CHECKING:
    from typing import Unpack

OUTCOMES = ("COR", "INC", "PAR", "MIS", "SPU", "NON")


def mistakes(
    gold: Scorable,
    system: Scorable,
    *,
    examples: int = 3,
    label: str | None = None,
    names: Sequence[str | None] | None = None,
    **options: Unpack[ErrorsOptions],
) -> Mistakes:
    """The mistakes of a system in records, by field and kind; `examples` of each kind, of one field
    alone if `label` names it. The other keyword arguments are described in `carob.Options`.

    >>> one = Corpus.of({"templates": [{"slots": {"a": ["x"], "b": ["y"]}}]})
    >>> other = Corpus.of({"templates": [{"slots": {"a": ["y"]}}]})
    >>> result = mistakes(one, other)
    >>> {kind: count for kind, count in result.totals.items() if count}
    {'missing': 1, 'wrong field': 1}
    """
    run, pair = _prepared(gold, system, names, options)
    name = next(iter(run.pairs))
    found = _classified(pair)
    counts: dict[str, Counter[str]] = {}
    shown: list[Mistake] = []
    seen: Counter[str] = Counter()
    for each in found:
        counts.setdefault(each.field, Counter())[each.kind] += 1
        if each.kind != "right" and label in (None, each.field) and seen[each.kind] < examples:
            seen[each.kind] += 1
            shown.append(each)
    if label is not None and label not in counts:
        raise DataError(f"no field is called {label!r}{nearest(label, sorted(counts))}")
    shown.sort(key=lambda each: each.kind)
    return Mistakes(
        name, {field: dict(counts[field]) for field in sorted(counts)}, shown,
        run.system_files(), run.remarks, run.signature(),
    )  # fmt: skip


def are_records(gold: Any, options: Mapping[str, Any]) -> bool:
    """Whether errors are those of typed records: by the table, by the task, or by gold.

    >>> are_records(Corpus.of("[Ann]PER"), {})
    False
    """
    if options.get("preset") is not None:
        return bool(options["preset"] == "records")
    if options.get("task") is not None:
        return any(slot.typed for slot in Task.read(options["task"]).slots.values())
    if gold == "-":
        return False  # standard input can be read only once
    try:
        corpus = gold if isinstance(gold, Corpus) else read(gold, **options.get("gold_options", {}))
    except CarobError:
        return False  # which is reported where gold is read for good
    return table_for(corpus) == "records"


def _prepared(
    gold: Scorable, system: Any, names: Sequence[str | None] | None, options: Any
) -> tuple[Run, Pair]:
    chosen = replace(Options.of(ErrorsOptions, options), resamples=0, preset=None)

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> Sequence[str]:
        return ["fields.F1"]

    run = prepare(gold, systems_by_name([system], names or ()), ["fields.F1"], chosen, defaults)
    return run, next(iter(run.pairs.values()))


def _classified(pair: Pair) -> list[Mistake]:
    """Every value with its kind, in the order of documents."""
    parts, _ = compared(pair, 0.5, weights=True)
    records = pair.records
    grounded = grounded_answers(pair)
    texts = {"gold": _texts(pair, records.gold), "system": _texts(pair, records.system)}
    wrong = parts.outcome != OUTCOMES.index("COR")
    # Values of gold that were not found, by document and text: where are they?
    lost: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for row in np.flatnonzero(wrong & (parts.gold >= 0)).tolist():
        leaf = int(parts.gold[row])
        key = int(parts.pair[row]), fold(texts["gold"][leaf])
        lost.setdefault(key, []).append((int(parts.row[row]), leaf))
    order = np.lexsort((parts.row, parts.pair))
    made = []
    for row in order.tolist():
        outcome = OUTCOMES[int(parts.outcome[row])]
        if outcome == "NON":
            continue
        gold, system = int(parts.gold[row]), int(parts.system[row])
        answer = None if system < 0 else texts["system"][system]
        kind = _kind(pair, outcome, int(parts.pair[row]), int(parts.row[row]), gold, system,
                     answer, lost, grounded)  # fmt: skip
        made.append(Mistake(
            kind, records.documents.name(int(parts.pair[row])), records.rows[int(parts.row[row])],
            None if gold < 0 else texts["gold"][gold], answer,
        ))  # fmt: skip
    return made


def _kind(
    pair: Pair, outcome: str, doc: int, field: int, gold: int, system: int, answer: str | None,
    lost: dict[tuple[int, str], list[tuple[int, int]]], grounded: IntArray,
) -> str:  # fmt: skip
    if outcome in ("COR", "PAR", "MIS"):
        return {"COR": "right", "PAR": "partly right", "MIS": "missing"}[outcome]
    records = pair.records
    column = records.columns.get(field)
    leaves = records.system.leaves
    if column is None:
        if field < len(records.schema.nodes):
            return "wrong format"  # a value in place of an object
    elif not column.readable[int(leaves.code[leaves.offsets[system]])]:
        return "wrong format"
    elsewhere = lost.get((doc, fold(answer or "")), [])
    if any(row == field and leaf != gold for row, leaf in elsewhere):
        return "swapped"
    if any(row != field for row, _ in elsewhere):
        return "wrong field"
    if outcome == "SPU":
        return "invented" if grounded[system] == INVENTED else "spurious"
    return "wrong value"


def _texts(pair: Pair, side: Side) -> list[str]:
    """What each leaf says."""
    records, leaves = pair.records, side.leaves
    fillers = side.corpus.templates.fillers
    texts = []
    for node, code, filler in zip(
        leaves.node.tolist(), leaves.code[leaves.offsets[:-1]].tolist(), leaves.filler.tolist(),
        strict=True,
    ):  # fmt: skip
        if node in records.columns:
            texts.append(records.columns[node].raws[code].text)
        else:
            row = int(fillers.realisations[filler]) if filler >= 0 else -1
            texts.append((fillers.text[row] or "") if row >= 0 else "")
    return texts

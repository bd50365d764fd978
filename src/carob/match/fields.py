"""Fields: the typed values of records, slot by slot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from carob.arrays.columns import constant, used
from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import RecipeError, plain
from carob.counts.events import Events
from carob.counts.judged import Judged
from carob.match._calibration import is_confidence_count, with_confidence
from carob.match._compare_records import COR, NON, UNJUDGED, Comparer, Parts, weighed
from carob.pair.pair import Pair
from carob.pair.records import RecordPair
from carob.pair.typed_grounding import INVENTED, NOT_JUDGED, groundings

MOST_DIGITS = 0.05
"""If more than this share of a slot's texts in gold have digits, they may be no strings."""
GROUNDINGS = ("as_written", "another_form", "invented")
OUTCOMES = ("COR", "INC", "PAR", "MIS", "SPU", "NON")
QUANTITIES: Mapping[str, Mapping[str, float]] = {
    "gold_right": {"COR": 1, "PAR": 0.5},
    "gold_all": {"COR": 1, "INC": 1, "PAR": 1, "MIS": 1},
    "system_right": {"COR": 1, "PAR": 0.5},
    "system_all": {"COR": 1, "INC": 1, "PAR": 1, "SPU": 1},
    "c": {"COR": 1, "PAR": 0.5},
    "s": {"INC": 1, "PAR": 0.5},
    "d": {"MIS": 1},
    "i": {"SPU": 1},
}


@dataclass(frozen=True, slots=True)
class Fields:
    """The values of records are compared slot by slot, each by its type: correct, partly correct,
    incorrect, missing or spurious.

    A task says of which type a slot is and how its values are compared: `1.000,50` is the number
    1000.5, `Jan 2, 2024` the date 2024-01-02. Slots of records and of objects in them are compared
    however different they are. The items of lists are aligned first: one-to-one, so that the sum of
    their similarities is greatest, among pairs whose similarity (of objects, their F1) reaches
    `floor`. Values of lists are correct, partly correct, missing or spurious, never incorrect. What
    is absent on both sides is NON, which counts nothing; with `null=reward` it counts as correct.
    Slots weigh as the task says, with `weights=none` all the same. A row is the path of a slot.
    `1 - ERR` is the aligned score of Khang et al. (2025), "KIEval: Evaluation Metric for Document
    Key Information Extraction".

    One of four fields is right, so precision and recall are a quarter each:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> def record(*values):
    ...     return Corpus.of({"templates": [{"slots": dict(zip("abcd", values))}]})
    >>> gold, system = record(["1"], ["2"], ["3"], ["4"]), record(["1"], ["x"], ["y"], ["z"])
    >>> counts = Tally.of(Fields(), Pair.of(gold, system)).counted()
    >>> counts["COR"], counts["INC"]
    (1.0, 3.0)
    """

    floor: float = 0.5
    null: Literal["ignore", "reward"] = "ignore"
    weights: Literal["task", "none"] = "task"
    more: tuple[str, ...] = field(default=(), init=False, repr=False)

    name: ClassVar[str] = "fields"
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    of_strings: ClassVar[bool] = True
    typed_values: ClassVar[bool] = True
    by_document: ClassVar[bool] = False
    symmetric: ClassVar[bool] = False
    base_outcomes: ClassVar[tuple[str, ...]] = OUTCOMES
    errors: ClassVar[tuple[str, ...]] = ("INC", "MIS", "SPU", "s")
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = QUANTITIES

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= 1:
            raise RecipeError(
                f"fields(floor=…): found {self.floor:g}, expected a number from 0 to 1"
            )

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What may become of a value, and what some measures need beside."""
        return OUTCOMES + self.more

    def with_counts(self, names: tuple[str, ...]) -> Fields | None:
        """The space that also counts these, if it can.

        >>> Fields().with_counts(("judged_answers",)).outcomes[-1]
        'judged_answers'
        """
        if not all(is_confidence_count(name) or name in GROUNDINGS for name in names):
            return None
        made = Fields(self.floor, self.null, self.weights)
        object.__setattr__(made, "more", tuple(dict.fromkeys((*self.more, *names))))
        return made

    def __call__(self, pair: Pair) -> Events:
        """Align lists, then judge every value."""
        parts, weight = compared(pair, self.floor, weights=self.weights == "task")
        outcome = parts.outcome
        if self.null == "reward":
            outcome = np.where(outcome == NON, COR, outcome)
        events = events_of(pair, parts, OUTCOMES, outcome, weight)
        confident = tuple(name for name in self.more if is_confidence_count(name))
        if confident:
            judged = _judged(pair, parts, events)
            events = with_confidence(
                events, confident, judged.doc, judged.label, judged.right, judged.confidence,
                pair.size, np.flatnonzero(parts.system >= 0),
            )  # fmt: skip
        if any(name in GROUNDINGS for name in self.more):
            events = _with_groundings(events, pair, parts)
        return events

    def judged(self, pair: Pair) -> Judged:
        """Whether each value that the system gives is correct, and how sure it is.

        >>> from carob.corpus.corpus import Corpus
        >>> value = {"text": "1", "confidence": 0.5}
        >>> gold = Corpus.of({"templates": [{"slots": {"a": [value]}}]})
        >>> Fields().judged(Pair.of(gold, gold)).confidence
        array([0.5])
        """
        parts, weight = compared(pair, self.floor, weights=self.weights == "task")
        events = events_of(pair, parts, OUTCOMES, parts.outcome, weight)
        return _judged(pair, parts, events)


def _judged(pair: Pair, parts: Parts, events: Events) -> Judged:
    """The values that the system gives. `events` know their rows."""
    answers = np.flatnonzero(parts.system >= 0)
    confidence = pair.records.system.leaves.confidence[parts.system[answers]]
    return Judged(
        parts.pair[answers], events.label[answers], parts.outcome[answers] == COR, confidence,
        events.labels or (), pair.size, "value", int(np.isnan(confidence).sum()),
    )  # fmt: skip


def _with_groundings(events: Events, pair: Pair, parts: Parts) -> Events:
    """Events, and how each answer is grounded in the text."""
    answers = np.flatnonzero(parts.system >= 0)
    state = grounded_answers(pair)[parts.system[answers]]
    answers, state = answers[state > 0], state[state > 0]
    return Events(
        (*events.outcomes, *GROUNDINGS),
        np.append(events.doc, parts.pair[answers]),
        np.append(events.label, events.label[answers]),
        np.append(events.outcome, state - 1 + len(events.outcomes)),
        np.append(events.weight, np.ones(len(answers))),
        np.append(events.gold, events.gold[answers]),
        np.append(events.system, events.system[answers]),
        labels=events.labels,
        items="filler",
    )


def grounded_answers(pair: Pair) -> IntArray:
    """How each answer is grounded; how many are goes to the coverage, and gold's ceiling, too."""
    if "groundings" not in pair.remembered:
        records, words = pair.records, pair.filled.words
        state = groundings(records, records.system, words)
        own = groundings(records, records.gold, words)
        if unsure := _unsure_slots(records):
            for states, side in ((state, records.system), (own, records.gold)):
                states[np.isin(side.leaves.node, unsure)] = NOT_JUDGED
            listed = ", ".join(plain(records.rows[number]) for number in unsure)
            records.remarks += (
                f"invented-share leaves out {listed}: guessed to be strings, and more than "
                f"{MOST_DIGITS:.0%} of their values in gold have digits, which may be written in "
                "another form; a task or a schema says their types",
            )
        counts = np.bincount(state, minlength=4).tolist()
        names = ("not_judged", *GROUNDINGS)
        records.counted |= dict(zip(names, counts, strict=True))
        judged, lost = int((own > 0).sum()), int((own == INVENTED).sum())
        if judged:
            records.remarks += (
                f"of {judged:,} values of gold, {lost:,} ({lost / judged:.1%}) are not in the text "
                "in any form: invented-share cannot be expected to be lower",
            )
        pair.remembered["groundings"] = state
    found: IntArray = pair.remembered["groundings"]
    return found


def _unsure_slots(records: RecordPair) -> list[int]:
    """The slots whose values may be numbers or dates, and were guessed to be strings."""
    if not records.schema.guessed:
        return []
    unsure, leaves = [], records.gold.leaves
    for node in records.schema.nodes:
        if node.slot.type == "string":
            rows = np.flatnonzero(leaves.node == node.number)
            texts = records.columns[node.number].raws.texts(leaves.code[leaves.offsets[rows]])
            if sum(any(map(str.isdigit, text)) for text in texts) > MOST_DIGITS * len(texts):
                unsure.append(node.number)
    return unsure


def compared(pair: Pair, floor: float, *, weights: bool) -> tuple[Parts, FloatArray]:
    """What comparing the records of a pair counts, and the weights of rows; computed once.

    >>> from carob.corpus.corpus import Corpus
    >>> gold = Corpus.of({"templates": [{"slots": {"a": ["1"]}}]})
    >>> compared(Pair.of(gold, gold), 0.5, weights=True)[0].outcome.tolist()
    [0]
    """
    key = ("records", floor, weights)
    if key not in pair.remembered:
        whole, weight = weighed(pair.records, weights=weights)
        comparer = Comparer(pair.records, whole, floor)
        parts = comparer.records()
        open_ = parts.outcome == UNJUDGED
        pair.records.counted["unjudged"] = int(np.count_nonzero(open_))
        if open_.any():
            parts = Parts(*(column[~open_] for column in parts))
        pair.remembered[key] = parts, weight, comparer.partner[:-1]
    parts, weight, _ = pair.remembered[key]
    return parts, weight


def partners(pair: Pair, floor: float, *, weights: bool) -> IntArray:
    """The system template that each gold template was compared with; -1 for none."""
    compared(pair, floor, weights=weights)
    found: IntArray = pair.remembered["records", floor, weights][2]
    return found


class _Values(Events):
    """Events of values. Which fillers they are is looked up only if the rows are needed."""

    def __init__(self, pair: Pair, parts: Parts, *columns: Any, labels: tuple[str, ...]) -> None:
        self.pair, self.parts = pair, parts
        self.outcomes, self.doc, self.label, self.outcome, self.weight = columns
        self.size, self.labels, self.items = None, labels, "filler"

    @cached_property
    def gold(self) -> IntArray:  # type: ignore[override]
        return _fillers(self.pair, "gold", self.parts.gold)

    @cached_property
    def system(self) -> IntArray:  # type: ignore[override]
        return _fillers(self.pair, "system", self.parts.system)


def events_of(
    pair: Pair, parts: Parts, outcomes: tuple[str, ...], outcome: IntArray, weight: FloatArray
) -> Events:
    """Events of values; `weight` is that of each row of the records. Rows of fillers are those of
    `pair.filled`.
    """
    records = pair.records
    rows = used(parts.row, len(records.rows)).tolist()
    leaf = [n for n, node in enumerate(records.schema.nodes) if not node.is_object]
    shown = sorted({*rows, *leaf}, key=lambda row: records.rows[row])
    place = np.full(len(records.rows), -1, np.int32)
    place[shown] = np.arange(len(shown))
    same = constant(weight[0], len(parts.row), float) if (weight == weight[0]).all() else None
    _ = pair.filled  # the coverage counts what it leaves out
    labels = tuple(records.rows[row] for row in shown)
    return _Values(pair, parts, outcomes, parts.pair, place[parts.row], outcome,
                   weight[parts.row] if same is None else same, labels=labels)  # fmt: skip


def _fillers(pair: Pair, side: str, leaf: IntArray) -> IntArray:
    """The row in `pair.filled` of each leaf, -1 for none."""
    table, leaves = getattr(pair.filled, side), getattr(pair.records, side).leaves
    size = int(max(table.row.max(initial=-1), leaves.filler.max(initial=-1))) + 2
    place = np.full(size, -1, np.int64)
    place[table.row] = np.arange(len(table.row))
    rows = np.append(place[leaves.filler], -1)
    found: IntArray = rows[leaf]
    return found

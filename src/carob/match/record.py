"""Record: whether whole records are right, and which answers are sure enough to be accepted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.problems import DataError, RecipeError, nearest, shown
from carob.corpus.tables import UNKNOWN
from carob.counts.events import Events
from carob.counts.judged import Judged
from carob.match._calibration import is_confidence_count, with_confidence
from carob.match._compare_records import COR, NON
from carob.match.fields import compared, partners
from carob.pair.pair import Pair

_OUTCOMES = (
    "accepted_right", "accepted_wrong", "accepted_missing", "accepted_spurious",
    "rejected_right", "rejected_wrong", "rejected_missing", "rejected_spurious",
)  # fmt: skip
_ONE = dict.fromkeys


@dataclass(frozen=True, slots=True)
class Record:
    """A record is right if every value in it is: whole records are counted, not their values.

    Records are aligned as in `fields`, and one is right if everything in it is correct, or absent
    on both sides. Units are gold records, and system records that are aligned with none, which are
    wrong; with `of=items`, the objects of that list. An answer is accepted if its confidence is
    `t` or more: that of the record, else the lowest in it; no answer has the confidence 0. `exact`
    is the share of accepted units that are right, `automation` the share that is accepted: who
    accepts answers above t needs to look at the others only. P, R and F1 are of accepted records.
    El-Yaniv & Wiener (2010), "On the Foundations of Noise-free Selective Classification", call
    `automation` coverage, and 1 - `exact` risk.

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> gold = Corpus.of(
    ...     {"templates": [{"slots": {"a": ["1"], "b": ["2"]}}]},
    ...     {"templates": [{"slots": {"a": ["1"], "b": ["2"]}}]},
    ... )
    >>> system = Corpus.of(
    ...     {"templates": [{"slots": {"a": ["1"], "b": ["2"]}}]},
    ...     {"templates": [{"slots": {"a": ["1"], "b": ["3"]}}]},
    ... )
    >>> counts = Tally.of(Record(), Pair.of(gold, system)).counted()
    >>> counts["accepted_right"], counts["accepted_wrong"]
    (1.0, 1.0)
    """

    of: str = ""
    t: float = 0.0
    more: tuple[str, ...] = field(default=(), init=False, repr=False)

    name: ClassVar[str] = "record"
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    of_strings: ClassVar[bool] = True
    typed_values: ClassVar[bool] = True
    by_document: ClassVar[bool] = False
    symmetric: ClassVar[bool] = False
    support_text: ClassVar[str] = "record"
    base_outcomes: ClassVar[tuple[str, ...]] = _OUTCOMES
    errors: ClassVar[tuple[str, ...]] = _OUTCOMES[1:4] + _OUTCOMES[4:]
    quantities: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "gold_right": {"accepted_right": 1},
        "gold_all": _ONE([each for each in _OUTCOMES if "spurious" not in each], 1),
        "system_right": {"accepted_right": 1},
        "system_all": _ONE(["accepted_right", "accepted_wrong", "accepted_spurious"], 1),
        "accepted": _ONE(_OUTCOMES[:4], 1),
        "units": _ONE(_OUTCOMES, 1),
    }

    def __post_init__(self) -> None:
        if not 0 <= self.t <= 1:
            raise RecipeError(f"record(t=…): found {self.t:g}, expected a number from 0 to 1")

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What may become of a record, and what measures of confidence need."""
        return _OUTCOMES + self.more

    def with_counts(self, names: tuple[str, ...]) -> Record | None:
        """The space that also counts these, if it can.

        >>> Record().with_counts(("judged_answers",)).outcomes[-1]
        'judged_answers'
        """
        if not all(map(is_confidence_count, names)):
            return None
        made = Record(self.of, self.t)
        object.__setattr__(made, "more", tuple(dict.fromkeys((*self.more, *names))))
        return made

    def __call__(self, pair: Pair) -> Events:
        """Align records, and ask of each whether everything in it is right."""
        units = record_units(pair, self.of)
        if self.t > 0 and np.isnan(units.confidence).all():
            raise DataError(
                f"record(t={self.t:g}) accepts by confidence, and no answer has one; jsonl has a "
                'place for it: {"templates": [{"slots": {...}, "confidence": 0.9}]}'
            )
        sure = units.sure
        kind = np.where(units.extra, 3, np.where(units.answered, np.where(units.right, 0, 1), 2))
        name = self.of or "record"
        events = Events(
            _OUTCOMES, units.doc, np.zeros(len(units.doc), np.int64),
            kind + np.where(sure >= self.t, 0, 4), np.ones(len(units.doc)),
            units.gold, units.system, labels=(name,), items="record",
        )  # fmt: skip
        if not self.more:
            return events
        judged = self.judged(pair)
        return with_confidence(
            events, self.more, judged.doc, judged.label, judged.right, judged.confidence, pair.size,
            np.arange(len(events)),
        )  # fmt: skip

    def judged(self, pair: Pair) -> Judged:
        """Whether each record is right, and how sure the system is; what has no answer, or no
        confidence where others have one, has the confidence 0.

        >>> from carob.corpus.corpus import Corpus
        >>> gold = Corpus.of({"templates": [{"slots": {"a": ["1"]}, "confidence": 0.5}]})
        >>> Record().judged(Pair.of(gold, gold)).confidence
        array([0.5])
        """
        units = record_units(pair, self.of)
        none = np.isnan(units.confidence).all()
        sure = np.full(len(units.doc), np.nan) if none else units.sure
        label = np.zeros(len(sure), np.int64)
        name = self.of or "record"
        noun = f"object of {self.of}" if self.of else "record"
        unsure = int(np.sum((units.answered | units.extra) & np.isnan(units.confidence)))
        return Judged(units.doc, label, units.right, sure, (name,), pair.size, noun, unsure)


class Units(NamedTuple):
    """Records: document, whether they are right, answered, or left alone by gold (`extra`), and the
    confidence of the answer (NaN: none).
    """

    doc: IntArray
    right: BoolArray
    answered: BoolArray
    extra: BoolArray
    confidence: FloatArray
    gold: IntArray
    system: IntArray

    @property
    def sure(self) -> FloatArray:
        """The confidence that decides: no answer has 0, and one without a confidence."""
        sure: FloatArray = np.where(self.answered | self.extra, np.nan_to_num(self.confidence), 0.0)
        return sure


def record_units(pair: Pair, of: str = "", floor: float = 0.5) -> Units:
    """The records of a pair, or the objects of a list in them.

    >>> from carob.corpus.corpus import Corpus
    >>> gold = Corpus.of({"templates": [{"slots": {"a": ["1"]}}]})
    >>> record_units(Pair.of(gold, gold)).right
    array([ True])
    """
    parts, _ = compared(pair, floor, weights=True)
    records = pair.records
    partner = partners(pair, floor, weights=True)
    gold, system = records.gold, records.system
    wrong = np.flatnonzero((parts.outcome != COR) & (parts.outcome != NON))
    if of:
        nodes = [records.schema.by_path.get(of, UNKNOWN)]
        if nodes[0] < 0 or not records.schema.nodes[nodes[0]].is_object:
            every = [node.path for node in records.schema.nodes if node.is_object and node.path]
            raise DataError(f"record(of={of}): no list of objects is called {shown(of)}"
                            f"{nearest(of, every) if every else '; there are none'}")  # fmt: skip
    else:
        nodes = list(records.schema.roots.values())
    if records.single and not of:
        size = pair.size
        bad = np.zeros(size, bool)
        bad[parts.pair[wrong]] = True
        first = [np.full(size, UNKNOWN, np.int64) for _ in range(2)]
        for at, side in zip(first, (gold, system), strict=True):
            top = np.flatnonzero((side.parent < 0) & (side.node >= 0) & (side.doc >= 0))
            at[side.doc[top]] = top
        sure = system.record_confidence(system.ancestor(nodes[0]))
        confidence = np.append(sure, np.nan)[first[1]]
        answered = (first[1] >= 0) | ~bad
        return Units(np.arange(size), ~bad, answered, np.zeros(size, bool), confidence,
                     first[0], first[1])  # fmt: skip
    made = []
    for node in nodes:
        above = [side.ancestor(node) for side in (gold, system)]
        ours, theirs = (
            np.flatnonzero((side.node == node) & ~side.swallowed & (side.doc >= 0))
            for side in (gold, system)
        )
        bad_gold, bad_system = (np.zeros(len(side.node) + 1, bool) for side in (gold, system))
        for bad, side, up, leaf in (
            (bad_gold, gold, above[0], parts.gold[wrong]),
            (bad_system, system, above[1], parts.system[wrong]),
        ):
            known = leaf[leaf >= 0]
            bad[up[side.leaves.template[known]]] = True
        its = partner[ours]
        sure = np.append(system.record_confidence(above[1]), np.nan)
        answered = its >= 0
        right = answered & ~bad_gold[ours] & ~bad_system[its]
        left = np.setdiff1d(theirs, its)
        none = np.zeros(len(left), bool)
        made.append(Units(
            np.append(gold.doc[ours], system.doc[left]), np.append(right, none),
            np.append(answered, none), np.append(np.zeros(len(ours), bool), ~none),
            np.append(np.where(answered, sure[its], np.nan), sure[left]),
            np.append(ours, np.full(len(left), UNKNOWN)), np.append(its, left),
        ))  # fmt: skip
    return Units(*(np.concatenate(column) for column in zip(*made, strict=True)))

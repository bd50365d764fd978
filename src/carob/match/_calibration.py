"""What measures of confidence count: how sure answers are, and whether they are right."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.problems import DataError
from carob.counts.events import Events

_BIN = re.compile(r"(answers|right|confidence)_in_(\d+)_of_(\d+)")
_LEVEL = re.compile(r"(right|wrong)_at_(\d+)")
_SUMS = ("judged_answers", "judged_right", "squared_error")
MOST_CELLS = 1 << 27
"""From this many counts on, those of all rows are kept together."""


def is_confidence_count(name: str) -> bool:
    """Whether a count is one of answers with a confidence.

    >>> is_confidence_count("right_at_950"), is_confidence_count("COR")
    (True, False)
    """
    return name in _SUMS or bool(_BIN.fullmatch(name) or _LEVEL.fullmatch(name))


def with_confidence(
    events: Events,
    names: Sequence[str],
    doc: IntArray,
    label: IntArray,
    right: BoolArray,
    confidence: FloatArray,
    units: int,
    row: IntArray,
) -> Events:
    """Events, and what these counts need of answers with a confidence; others are left out. `row`
    is the event that each answer is in.
    """
    known = ~np.isnan(confidence)
    doc, label, right, confidence = doc[known], label[known], right[known], confidence[known]
    row = row[known]
    if np.any((confidence < 0) | (confidence > 1)):
        worst = confidence[(confidence < 0) | (confidence > 1)][0]
        raise DataError(f"found the confidence {worst:g}, expected one from 0 to 1")
    rows: list[tuple[str, IntArray, FloatArray]] = []
    every = np.arange(len(doc))
    level = np.rint(confidence * 1000).astype(np.int64)
    for name in names:
        if name == "judged_answers":
            rows.append((name, every, np.ones(len(every))))
        elif name == "judged_right":
            rows.append((name, every, right.astype(np.float64)))
        elif name == "squared_error":
            rows.append((name, every, (confidence - right) ** 2))
        elif match := _BIN.fullmatch(name):
            number, bins = int(match[2]), int(match[3])
            # Bounds are divided, not multiplied: 0.7 is 7 / 10, but 0.7 * 10 is more than 7.
            edges = np.arange(bins + 1) / bins
            own = np.minimum(np.searchsorted(edges, confidence, side="right") - 1, bins - 1)
            some = np.flatnonzero(own == number)
            weight = {"answers": np.ones(len(some)), "right": right[some].astype(np.float64),
                      "confidence": confidence[some]}[match[1]]  # fmt: skip
            rows.append((name, some, weight))
        elif match := _LEVEL.fullmatch(name):
            some = np.flatnonzero((level == int(match[2])) & (right == (match[1] == "right")))
            if len(some):
                rows.append((name, some, np.ones(len(some))))
    outcomes = (*events.outcomes, *(name for name, _, _ in rows))
    labels = events.labels or ()
    sizes = [len(some) for _, some, _ in rows]
    taken = np.concatenate([every[:0], *(some for _, some, _ in rows)])
    own = np.append(events.label, label[taken])
    if units * max(len(labels), 1) * len(outcomes) > MOST_CELLS:
        own, labels = np.zeros_like(own), ("all",)
    return Events(
        outcomes,
        np.append(events.doc, doc[taken]),
        own,
        np.append(events.outcome, np.repeat(np.arange(len(rows)) + len(events.outcomes), sizes)),
        np.concatenate([events.weight, *(weight for _, _, weight in rows)]),
        np.append(events.gold, events.gold[row[taken]]),
        np.append(events.system, events.system[row[taken]]),
        labels=labels,
        items=events.items,
    )

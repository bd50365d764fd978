"""The confusion matrix: which label of gold became which label of the system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob.arrays.types import FloatArray
from carob.counts.events import Events
from carob.pair.pair import Pair
from carob.result.scores import whole

NONE = "_"
"""What stands for no label in a row or column, unless a label is called so."""


@dataclass(frozen=True)
class Confusion:
    """How often a label of gold (row) became a label of the system (column).

    The last row is what gold does not have, the last column what the system does not.
    """

    labels: tuple[str, ...]
    counts: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The names of rows and columns: the labels, and a sign for none."""
        none = NONE
        while none in self.labels:
            none += NONE
        return (*self.labels, none)

    def to_dict(self) -> dict[str, dict[str, float | int]]:
        """As JSON has it: gold label -> system label -> count."""
        return {
            row: {column: whole(count) for column, count in zip(self.names, counts, strict=True)}
            for row, counts in zip(self.names, self.counts.tolist(), strict=True)
        }


def confusion(pair: Pair, events: Events, right: tuple[str, ...] = ("TP",)) -> Confusion:
    """The errors of `fair` as a matrix of labels; what is right is left out.

    Boundary errors stand on the diagonal, labelling and labelling-boundary errors beside it, what
    was missed in the last column, what was invented in the last row. Ortmann (2022),
    "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans", figure "Confusion
    matrices".

    >>> from carob import Corpus, parse
    >>> gold = Corpus.of("[Ann]PER met [Bo Lee]PER in [Rome]LOC")
    >>> pair = Pair.of(gold, Corpus.of("[Ann]LOC met [Bo]PER Lee in Rome"))
    >>> confusion(pair, parse("fair.F1").space(pair)).to_dict()["PER"]
    {'LOC': 1, 'PER': 1, '_': 0}
    """
    codes = [code for code, name in enumerate(events.outcomes) if name not in right]
    rows = np.flatnonzero(np.isin(events.outcome, codes))
    size = len(pair.labels)
    # Row -1, which stands for no mention, finds the code behind the last label.
    gold, system = (
        np.append(table.label, size)[which[rows]]
        for table, which in ((pair.gold, events.gold), (pair.system, events.system))
    )
    cells = gold.astype(np.int64) * (size + 1) + system
    counts: FloatArray = np.bincount(  # type: ignore[assignment]
        cells, weights=events.weight[rows], minlength=(size + 1) ** 2
    )
    return Confusion(pair.labels, counts.reshape(size + 1, size + 1))

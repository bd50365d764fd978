"""The area under the ROC curve of confidences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.plugin import FloatArray, Quantities, ratio

LEVELS = 1001

FEW = 10
"""Of fewer right or wrong answers, the area has no interval."""


@dataclass(frozen=True, slots=True)
class Auroc:
    """How often an answer that is right has a higher confidence than one that is wrong.

    Of all pairs of a right and a wrong answer, the share in which the right one is surer; equal
    confidences count one half. Confidences are rounded to three decimals, so that the area is a
    function of counts. Answers without a confidence are left out; undefined if all answers are
    right, or all are wrong. Hanley & McNeil (1982), "The Meaning and Use of the Area under a
    Receiver Operating Characteristic (ROC) Curve".

    >>> counts = dict.fromkeys(Auroc().needs, 0)
    >>> Auroc()(Quantities.of(**counts | {"right_at_900": 2, "wrong_at_900": 1})).item()
    0.5
    """

    name: ClassVar[str] = "AUROC"
    needs: ClassVar[tuple[str, ...]] = tuple(
        f"{what}_at_{level}" for what in ("right", "wrong") for level in range(LEVELS)
    )
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    has_no_zero: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = needs
    hint: ClassVar[str] = "; write record.AUROC or fields.AUROC"

    def __call__(self, q: Quantities) -> FloatArray:
        """The area for each element."""
        right, wrong = _answers(q)
        pairs = (right * (np.cumsum(wrong, axis=0) - 0.5 * wrong)).sum(axis=0)
        return ratio(pairs, right.sum(axis=0) * wrong.sum(axis=0))

    def without_interval(self, q: Quantities) -> list[str]:
        """Of a few right or wrong answers, no interval of the area holds."""
        counts = [each.sum(axis=0).reshape(-1).tolist() for each in _answers(q)]
        return [
            "; ".join(
                f"only {count:g} {'answer is' if count == 1 else 'answers are'} {what}: no "
                f"interval of AUROC from fewer than {FEW}"
                for what, count in zip(("right", "wrong"), pair, strict=True)
                if count < FEW
            )
            for pair in zip(*counts, strict=True)
        ]


def _answers(q: Quantities) -> tuple[FloatArray, FloatArray]:
    """How many answers of each level are right, and how many wrong: levels x elements."""
    # Levels without any answer may be left out, and without confidences all of them are.
    none = np.zeros(np.shape(next(iter(q.values()), 0)))
    right, wrong = (
        np.array([q.get(f"{what}_at_{level}", none) for level in range(LEVELS)])
        for what in ("right", "wrong")
    )
    return right, wrong

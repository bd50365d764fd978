"""The Brier score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class Brier:
    """The mean squared difference between the confidence of an answer and whether it is right.

    The sum of (confidence - right)^2, where right is 0 or 1, divided by the number of answers with
    a confidence; undefined without any. Brier (1950), "Verification of Forecasts Expressed in
    Terms of Probability", adds up the differences of all possible outcomes, so that for the two
    outcomes here his score is twice this one.

    >>> Brier()(Quantities.of(squared_error=0.5, judged_answers=2)).item()
    0.25
    """

    name: ClassVar[str] = "Brier"
    needs: ClassVar[tuple[str, ...]] = ("squared_error", "judged_answers", "judged_right")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = ("judged_answers",)
    has_no_zero: ClassVar[bool] = True
    hint: ClassVar[str] = "; write record.Brier or fields.Brier"

    def __call__(self, q: Quantities) -> FloatArray:
        """The score for each element."""
        return ratio(q["squared_error"], q["judged_answers"])

    def most_items(self, q: Quantities) -> FloatArray:
        """If no answer is wrong, or none is right, they are worth no more than their number."""
        right, answers = q["judged_right"], q["judged_answers"]
        return np.where((right == 0) | (right == answers), answers, np.inf)

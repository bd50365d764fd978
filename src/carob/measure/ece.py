"""The expected calibration error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.plugin import FloatArray, Quantities, RecipeError, ratio


@dataclass(frozen=True, slots=True)
class Ece:
    """How far the confidence of answers is from how often they are right.

    Answers are put into `bins` of equal width by their confidence (the last includes 1). The error
    is the sum over bins of |number right - sum of confidences|, divided by the number of answers.
    Answers without a confidence are left out; undefined without any. Naeini et al. (2015),
    "Obtaining Well Calibrated Probabilities Using Bayesian Binning".

    Of two answers with the confidence 0.8, one is right:

    >>> Ece(bins=1)(
    ...     Quantities.of(answers_in_0_of_1=2, right_in_0_of_1=1, confidence_in_0_of_1=1.6)
    ... ).round(3).item()
    0.3
    """

    bins: int = 10

    name: ClassVar[str] = "ECE"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    has_no_zero: ClassVar[bool] = True
    hint: ClassVar[str] = "; write record.ECE or fields.ECE"

    def __post_init__(self) -> None:
        if not 1 <= self.bins <= 100:
            raise RecipeError(f"ECE(bins=…): found {self.bins}, expected a number from 1 to 100")

    @property
    def needs(self) -> tuple[str, ...]:
        """Three counts of each bin."""
        return tuple(
            f"{what}_in_{number}_of_{self.bins}"
            for number in range(self.bins)
            for what in ("answers", "right", "confidence")
        )

    @property
    def denominator(self) -> tuple[str, ...]:
        """The answers of every bin."""
        return tuple(f"answers_in_{number}_of_{self.bins}" for number in range(self.bins))

    def __call__(self, q: Quantities) -> FloatArray:
        """The error for each element."""
        bins = range(self.bins)
        apart = sum(
            np.abs(q[f"right_in_{i}_of_{self.bins}"] - q[f"confidence_in_{i}_of_{self.bins}"])
            for i in bins
        )
        answers = sum(q[f"answers_in_{i}_of_{self.bins}"] for i in bins)
        return ratio(np.asarray(apart), np.asarray(answers))

    def by_chance(self, q: Quantities) -> FloatArray:
        """The error that a perfectly calibrated system would show: in each bin the mean size of a
        normal deviation of the number right.
        """
        total, answers = np.asarray(0.0), np.asarray(0.0)
        for name in self.denominator:
            here = q[name]
            mean = np.nan_to_num(ratio(q[name.replace("answers", "confidence", 1)], here))
            total = total + np.sqrt(2 / np.pi * here * np.clip(mean * (1 - mean), 0.0, None))
            answers = answers + here
        return ratio(total, answers)

"""The area under the ROC curve of confidences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.plugin import FloatArray, Quantities, ratio

LEVELS = 1001


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
    hint: ClassVar[str] = "; write record.AUROC or fields.AUROC"

    def __call__(self, q: Quantities) -> FloatArray:
        """The area for each element."""
        # Levels without any answer may be left out, and without confidences all of them are.
        none = np.zeros(np.shape(next(iter(q.values()), 0)))
        right_all = wrong_all = pairs = none
        for level in range(LEVELS):
            right, wrong = q.get(f"right_at_{level}", none), q.get(f"wrong_at_{level}", none)
            pairs = pairs + right * (wrong_all + 0.5 * wrong)
            right_all, wrong_all = right_all + right, wrong_all + wrong
        return ratio(pairs, right_all * wrong_all)

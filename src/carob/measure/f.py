"""The F measure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.plugin import FloatArray, Quantities, RecipeError, ratio


@dataclass(frozen=True, slots=True)
class F:
    """The weighted harmonic mean of precision and recall.

    F = 1 / (alpha/P + (1-alpha)/R), with alpha = 1 / (1 + beta^2): beta says how many times as
    much recall matters as precision. F1, the default, is beta = 1, which is alpha = 0.5. Give
    `beta` or `alpha`. 0 when P and R are both 0; undefined when gold and system are both empty.
    van Rijsbergen (1979), "Information Retrieval", chapter 7; Makhoul et al. (1999),
    "Performance measures for information extraction", equation 5a.

    >>> q = Quantities.of(system_right=5, system_all=7, gold_right=5, gold_all=6)
    >>> F()(q).round(3).item(), F(beta=2)(q).round(3).item()
    (0.769, 0.806)
    """

    beta: float | None = None
    alpha: float | None = None

    name: ClassVar[str] = "F"
    needs: ClassVar[tuple[str, ...]] = ("system_right", "system_all", "gold_right", "gold_all")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        beta, alpha = balance(self.name, self.beta, self.alpha)
        object.__setattr__(self, "beta", beta)
        object.__setattr__(self, "alpha", alpha)

    @property
    def short_name(self) -> str | None:
        """F1 has a name of its own."""
        return "F1" if self.beta is None and self.alpha is None else None

    def _alpha(self) -> float:
        if self.alpha is not None:
            return self.alpha
        # A product of large floats is infinity, and alpha 0; a power raises OverflowError.
        return 0.5 if self.beta is None else 1 / (1 + self.beta * self.beta)

    def __call__(self, q: Quantities) -> FloatArray:
        """F for each element."""
        same = q["system_right"] == q["gold_right"]
        if same.all():
            return self._whole(q)
        precision = q.share("system_right", "system_all")
        recall = q.share("gold_right", "gold_all")
        one_sided = np.isnan(precision) != np.isnan(recall)
        mixed = np.where(one_sided, 0.0, self.of_means(precision, recall))
        return np.where(same, self._whole(q), mixed)

    def _whole(self, q: Quantities) -> FloatArray:
        """Where there is one count for both sides, a single division is the most exact form."""
        alpha = self._alpha()
        return ratio(q["gold_right"], (1 - alpha) * q["gold_all"] + alpha * q["system_all"])

    def of_means(self, precision: FloatArray, recall: FloatArray) -> FloatArray:
        """F of a precision and a recall, also where these are means."""
        alpha = self._alpha()
        mixed = ratio(precision * recall, (1 - alpha) * precision + alpha * recall)
        # 0 / 0 of two known values: both are 0, or the only one that matters is.
        known = ~np.isnan(precision) & ~np.isnan(recall)
        return np.where(np.isnan(mixed) & known, 0.0, mixed)


def balance(
    name: str, beta: float | None, alpha: float | None
) -> tuple[float | None, float | None]:
    """Beta and alpha, both None if they say that precision and recall matter alike.

    >>> balance("F", 1.0, None), balance("F", 2.0, None)
    ((None, None), (2.0, None))
    """
    if beta is not None and alpha is not None:
        raise RecipeError(f"{name} takes beta or alpha, not both")
    if beta is not None and not (beta >= 0 and math.isfinite(beta)):
        raise RecipeError(f"{name}(beta={beta}): beta is 0 or more")
    if alpha is not None and not 0 <= alpha <= 1:
        raise RecipeError(f"{name}(alpha={alpha}): alpha is between 0 and 1")
    return (None, None) if beta == 1 or alpha == 0.5 else (beta, alpha)

"""E, what F leaves to be desired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.measure.f import F, balance
from carob.plugin import FloatArray, Quantities


@dataclass(frozen=True, slots=True)
class E:
    """How much F falls short of 1.

    E = 1 - F; over slots that is (S + (1-alpha) D + alpha I) / ((1-alpha) N + alpha M), in which
    deletions and insertions weigh less than substitutions. `beta` or `alpha` as in F. 1 where F
    counts 0; undefined when gold and system are both empty. Makhoul et al. (1999), "Performance
    measures for information extraction", equation 7; van Rijsbergen (1979), "Information
    Retrieval", chapter 7.

    >>> q = Quantities.of(system_right=5, system_all=7, gold_right=5, gold_all=6)
    >>> E()(q).round(3).item(), E(alpha=0.2)(q).round(3).item()
    (0.231, 0.194)
    """

    beta: float | None = None
    alpha: float | None = None

    name: ClassVar[str] = "E"
    needs: ClassVar[tuple[str, ...]] = F.needs
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    has_no_zero: ClassVar[bool] = True

    def __post_init__(self) -> None:
        beta, alpha = balance(self.name, self.beta, self.alpha)
        object.__setattr__(self, "beta", beta)
        object.__setattr__(self, "alpha", alpha)

    def __call__(self, q: Quantities) -> FloatArray:
        """E for each element."""
        value = 1 - F(self.beta, self.alpha)(q)
        return np.where(np.isnan(value) & (q.items_there() > 0), 1.0, value)

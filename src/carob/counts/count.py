"""Every outcome and quantity is also a measure of its own: exact.tp, fair.LE, slots.gold_all."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from carob.arrays.types import FloatArray
from carob.counts.events import Space
from carob.counts.quantities import Quantities


@dataclass(frozen=True, slots=True)
class Count:
    """The count of an outcome or quantity of the space, as it is.

    >>> Count("tp")(Quantities.of(tp=3)).item()
    3.0
    """

    name: str
    lower_is_better: bool = field(default=False, compare=False, repr=False)

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    @classmethod
    def of(cls, space: Space, name: str) -> Count:
        """A count of this space, which knows whether fewer are better: of errors, and of
        quantities that are sums of nothing else.
        """
        parts = space.quantities.get(name, {name: 1.0})
        return cls(name, name in space.errors or all(outcome in space.errors for outcome in parts))

    @property
    def needs(self) -> tuple[str, ...]:
        """Just itself."""
        return (self.name,)

    @property
    def short_name(self) -> str:
        """A count has no parameters to write."""
        return self.name

    def __call__(self, q: Quantities) -> FloatArray:
        """The count for each element."""
        return q[self.name]

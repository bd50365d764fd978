"""Every outcome and quantity is also a measure of its own: exact.tp, fair.LE, slots.gold_all."""

from __future__ import annotations

from dataclasses import dataclass

from carob.arrays.types import FloatArray
from carob.counts.quantities import Quantities


@dataclass(frozen=True, slots=True)
class Count:
    """The count of an outcome or quantity of the space, as it is.

    >>> Count("tp")(Quantities.of(tp=3)).item()
    3.0
    """

    name: str

    @property
    def needs(self) -> tuple[str, ...]:
        """Just itself."""
        return (self.name,)

    def __call__(self, q: Quantities) -> FloatArray:
        """The count for each element."""
        return q[self.name]

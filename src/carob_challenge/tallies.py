"""Tallies as bytes, to be stored: a board is computed from them without a look at any file."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from carob.arrays.types import IntArray
from carob.counts.tally import Tally
from carob.evaluate.options import Options
from carob.evaluate.run import Plan


@dataclass(frozen=True, eq=False)
class StoredTally:
    """The counts of one run under the official recipe, and the order in which documents are drawn.

    >>> tally = Tally(2, ("A",), ("tp",), {"gold_right": {"tp": 1.0}}, np.array([1]),
    ...     np.array([0]), np.array([[4.0]]))  # fmt: skip
    >>> again = StoredTally.of_bytes(StoredTally(tally, np.arange(2)).to_bytes())
    >>> again.tally.labels, again.tally.counts.tolist(), again.order.tolist()
    (('A',), [[4.0]], [0, 1])
    """

    tally: Tally
    order: IntArray

    def to_bytes(self) -> bytes:
        """As NumPy writes arrays, compressed."""
        own = self.tally
        head = {
            "units": own.units, "labels": own.labels, "outcomes": own.outcomes,
            "factors": own.factors,
        }  # fmt: skip
        out = io.BytesIO()
        arrays: dict[str, Any] = {
            "head": np.frombuffer(json.dumps(head).encode(), np.uint8), "unit": own.unit,
            "label": own.label, "counts": own.counts, "order": self.order,
        }  # fmt: skip
        if own.size is not None:
            arrays["size"] = own.size
        np.savez_compressed(out, **arrays)
        return out.getvalue()

    @classmethod
    def of_bytes(cls, data: bytes) -> StoredTally:
        """What was stored."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            head = json.loads(arrays["head"].tobytes())
            tally = Tally(
                head["units"], tuple(head["labels"]), tuple(head["outcomes"]), head["factors"],
                arrays["unit"], arrays["label"], arrays["counts"],
                arrays.get("size"),
            )  # fmt: skip
            return cls(tally, arrays["order"])

    def plan(self, options: Options) -> Plan:
        """How the scores of these documents are resampled."""
        return Plan.of_units(self.order, options)

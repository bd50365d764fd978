"""The share of answers that are not in the text in any form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class InventedShare:
    """Of the answers that can be judged, the share that the text has in no form.

    invented / (as_written + another_form + invented). An answer is as written if its text occurs,
    and in another form if some stretch of the text has the same value: "2:30 p.m." for 14:30.
    Undefined if no answer can be judged, as without texts. Slots that may be dates or numbers, but
    were guessed to be strings, are left out. Ji et al. (2023), "Survey of
    Hallucination in Natural Language Generation", call such answers extrinsic hallucinations.

    >>> InventedShare()(Quantities.of(as_written=6, another_form=3, invented=1)).item()
    0.1
    """

    name: ClassVar[str] = "invented-share"
    needs: ClassVar[tuple[str, ...]] = ("as_written", "another_form", "invented")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = ("as_written", "another_form", "invented")
    has_no_zero: ClassVar[bool] = True
    hint: ClassVar[str] = "; write fields.invented-share"

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return ratio(q["invented"], q["as_written"] + q["another_form"] + q["invented"])

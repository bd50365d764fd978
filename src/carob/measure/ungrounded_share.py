"""The share of answers that are wrong and not found in the text as written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class UngroundedShare:
    """Of the system's answers, the share that is wrong and not found in the text as written.

    ungrounded-share = ungrounded / system_read. Such an answer may be invented, or worded in
    another way than the text. The other wrong answers, 1 - P - ungrounded-share, were read in the
    text and are in the wrong slot or have wrong boundaries. system_read are the answers that can be
    checked: those with a place, and those of documents with a text. Undefined if there are none.
    The measure is carob's own; that answers are what the text says is the premise of Lavelli et al.
    (2008), "Evaluation of machine learning-based IE algorithms", section 2, where a filler is a
    fragment of the document.

    >>> UngroundedShare()(Quantities.of(ungrounded=2, system_read=8)).item()
    0.25
    """

    name: ClassVar[str] = "ungrounded-share"
    needs: ClassVar[tuple[str, ...]] = ("ungrounded", "system_read")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    denominator: ClassVar[tuple[str, ...]] = ("system_read",)
    has_no_zero: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return ratio(q["ungrounded"], q["system_read"])

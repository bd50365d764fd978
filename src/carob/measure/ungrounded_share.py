"""The share of answers that are made up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class UngroundedShare:
    """Of what the system answered, the share that is wrong and does not even occur in the text.

    ungrounded-share = ungrounded / system_read: how much of the answer a model made up. The rest of
    what is wrong, 1 - P - ungrounded-share, was read in the text and put in the wrong slot, or cut
    wrong. system_read are the answers of which one can tell: those with a place, and those of
    documents whose words somebody has. Undefined without any of them. It is carob's own; that
    answers should be what the text says is the premise of Lavelli et al. (2008), "Evaluation of
    machine learning-based IE algorithms", section 2, where a filler is a fragment of the document.

    >>> UngroundedShare()(Quantities.of(ungrounded=2, system_read=8)).item()
    0.25
    """

    name: ClassVar[str] = "ungrounded-share"
    needs: ClassVar[tuple[str, ...]] = ("ungrounded", "system_read")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = True
    has_no_zero: ClassVar[bool] = True

    def __call__(self, q: Quantities) -> FloatArray:
        """The share for each element."""
        return ratio(q["ungrounded"], q["system_read"])

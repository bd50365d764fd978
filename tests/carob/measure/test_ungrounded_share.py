"""The share of made-up answers is of all answers, and has no value without any."""

from __future__ import annotations

import numpy as np

from carob.counts.quantities import Quantities
from carob.measure.ungrounded_share import UngroundedShare


def test_it_is_the_share_of_all_answers() -> None:
    q = Quantities.of(ungrounded=np.array([0.0, 1, 3]), system_read=np.array([4.0, 4, 3]))
    assert [0, 0.25, 1] == UngroundedShare()(q).tolist()


def test_without_answers_it_has_no_value() -> None:
    assert np.isnan(UngroundedShare()(Quantities.of(ungrounded=0, system_read=0)))

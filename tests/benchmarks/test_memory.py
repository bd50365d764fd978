"""The contenders in memory find the same F1, and the data are the same each time."""

from __future__ import annotations

import pytest

from memory import contenders, sentences


def test_contenders_find_the_same() -> None:
    for package in ("seqeval", "nervaluate"):
        pytest.importorskip(package)
    gold, system = sentences(30)
    for group in contenders().values():
        first, *others = (function(gold, system) for _, function in group)
        assert 0.5 < first < 1.0
        assert others == pytest.approx([first] * len(others))


def test_data_are_the_same_each_time() -> None:
    gold, system = sentences(20)
    assert (gold, system) == sentences(20)
    assert [len(tags) for tags in gold] == [len(tags) for tags in system]
    assert gold != system

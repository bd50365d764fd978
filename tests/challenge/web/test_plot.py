"""Axes have room for every value and round marks; names in a history do not overlap."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from carob_challenge.web import plot

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(numbers, max_size=8))
def test_every_value_is_on_the_axis(values: list[float]) -> None:
    axis = plot.axis(values)
    assert 2 <= len(axis.ticks) <= 8
    for value in values:
        assert axis.left - 0.1 <= axis(value) <= axis.right + 0.1
    assert [axis.left, axis.right] == [axis(axis.ticks[0]), axis(axis.ticks[-1])]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_marks_are_written_with_all_their_digits(values: list[float]) -> None:
    axis = plot.axis(values)
    written = [axis.text(tick) for tick in axis.ticks]
    assert len(set(written)) == len(written)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_names_in_a_history_do_not_overlap(scores: list[float]) -> None:
    start = datetime(2027, 1, 1, tzinfo=UTC)
    series = [(str(i), [(start + timedelta(days=i), each)]) for i, each in enumerate(scores)]
    drawn = plot.history(series)
    assert drawn is not None
    places = sorted(line.label_y for line in drawn.lines)
    assert all(b - a >= 14.9 for a, b in itertools.pairwise(places))
    assert places[-1] < drawn.height


def test_a_line_stays_until_it_jumps() -> None:
    start = datetime(2027, 1, 1, tzinfo=UTC)
    points = [(start, 0.0), (start + timedelta(days=1), 1.0)]
    drawn = plot.history([("a", points)])
    assert drawn is not None
    assert "48,240 580,240 580,12 580,12 580,12" == drawn.lines[0].path

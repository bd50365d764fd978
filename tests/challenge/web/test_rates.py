"""Buckets: as many as fit at once, then as many as time allows; each key has its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob_challenge.web import rates
from carob_challenge.web.rates import Rate, Rates


@given(st.lists(st.floats(0, 30), max_size=60), st.integers(1, 5), st.sampled_from([6, 60, 600]))
def test_never_more_than_the_burst_and_what_time_brings(
    pauses: list[float], burst: int, per_minute: int
) -> None:
    now = [0.0]
    buckets = Rates(Rate(per_minute, burst), clock=lambda: now[0])
    taken = 0
    for pause in pauses:
        now[0] += pause
        taken += buckets.take("a") == 0.0
        assert taken <= burst + now[0] * per_minute / 60 + 1e-6


def test_after_the_wait_there_is_one_again() -> None:
    now = [0.0]
    buckets = Rates(Rate(6, 1), clock=lambda: now[0])
    assert 0.0 == buckets.wait("a") == buckets.take("a")
    wait = buckets.take("a")
    assert wait == buckets.wait("a") == 10.0
    now[0] += wait
    assert 0.0 == buckets.take("a")


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MOST_KEYS", 10)
    buckets = Rates(Rate(6, 1))
    for key in range(100):
        buckets.take(str(key))
    assert 10 == len(buckets._buckets)

"""How often something may be tried: a bucket for each address or team, which fills with time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_KEYS = 100_000
"""Buckets that are kept; the ones not used for longest are dropped. A full bucket is worth nothing,
so that dropping one only matters in an attack from very many addresses."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `burst` at once, and `per_minute` in the long run."""

    per_minute: float
    burst: int


class Rates:
    """Buckets of one rate.

    >>> now = [0.0]
    >>> rates = Rates(Rate(per_minute=60, burst=2), clock=lambda: now[0])
    >>> rates.take("a"), rates.take("a"), rates.take("a"), rates.take("b")
    (0.0, 0.0, 1.0, 0.0)
    >>> now[0] = 1.0
    >>> rates.take("a")
    0.0
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """Take one; 0, or after how many seconds there is one again."""
        with self._lock:
            left, now = self._left(key)
            if left < 1:
                return (1 - left) * 60 / self._rate.per_minute
            self._buckets[key] = (left - 1, now)
            self._buckets.move_to_end(key)
            while len(self._buckets) > MOST_KEYS:
                self._buckets.popitem(last=False)
            return 0.0

    def wait(self, key: str) -> float:
        """After how many seconds one could be taken, without taking it."""
        with self._lock:
            left, _ = self._left(key)
            return max(0.0, (1 - left) * 60 / self._rate.per_minute)

    def _left(self, key: str) -> tuple[float, float]:
        now = self._clock()
        left, then = self._buckets.get(key, (float(self._rate.burst), now))
        return min(self._rate.burst, left + (now - then) * self._rate.per_minute / 60), now

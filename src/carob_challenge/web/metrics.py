"""Numbers for a program that watches, in the format of Prometheus."""

from __future__ import annotations

from typing import Any

from carob.result.result import library
from carob_challenge.jobs import Health

NEAR = ("127.0.0.1", "::1")
"""Who may ask without a login: programs on this machine."""


class Metrics:
    """What one server process has counted since it began."""

    def __init__(self) -> None:
        prometheus: Any = library("prometheus_client", "challenge")
        self._registry = prometheus.CollectorRegistry()
        self._requests = prometheus.Counter(
            "carob_requests", "Requests that were answered", ["method", "status"],
            registry=self._registry,
        )  # fmt: skip
        self._seconds = prometheus.Histogram(
            "carob_request_seconds", "How long answers took", registry=self._registry
        )
        self._jobs = prometheus.Gauge(
            "carob_jobs", "Jobs that are not done", ["state"], registry=self._registry
        )
        self._gauges = {
            name: prometheus.Gauge(f"carob_{name}", text, registry=self._registry)
            for name, text in (
                ("oldest_job_seconds", "For how long the oldest job waits"),
                ("workers", "Workers that live"),
                ("submissions", "Submissions, valid or not"),
            )
        }
        self._write = prometheus.generate_latest

    def answered(self, method: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(method, str(status)).inc()
        self._seconds.observe(seconds)

    def text(self, health: Health, submissions: int) -> str:
        """Everything, as it is now."""
        for state in ("waiting", "running", "failed", "aside"):
            self._jobs.labels(state).set(getattr(health.queue, state))
        values = (health.oldest_seconds, len(health.workers), submissions)
        for gauge, value in zip(self._gauges.values(), values, strict=True):
            gauge.set(value)
        written: bytes = self._write(self._registry)
        return written.decode()

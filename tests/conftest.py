"""What all tests share: how hypothesis searches, and where the real data is."""

from __future__ import annotations

import gc
import linecache
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.browsers import browser

__all__ = ["browser"]

# Tables fit a terminal, and xdist gives its workers the width of one.
os.environ.pop("COLUMNS", None)

# As the command has it. Each worker of xdist has one core, and threads that wait for each other
# there take ten times as long for the products of resampling.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "nightly",
    settings.get_profile("fixed"),
    derandomize=False,
    max_examples=2000,
    print_blob=True,
)
# The same examples in every run, so that a change is judged by the change. `make nightly` asks for
# the other profile, which looks for examples that no run has seen.
settings.load_profile("fixed")

# Thousands of tests and the libraries they import are half a million objects, which the search for
# garbage would visit again and again; nothing of it becomes garbage before the end.
gc.set_threshold(50_000)


def pytest_collection_finish() -> None:
    """Leave what the collection has made out of every later search for garbage."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Forget lines of source: a debugger, which every doctest makes, asks whether each file that
    was ever shown or inspected has changed since.
    """
    if isinstance(item, pytest.DoctestItem):
        linecache.clearcache()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("CAROB_DATA") or beside)
    if not folder.is_dir():
        pytest.skip("the real data is not here; CAROB_DATA says where")
    return folder

"""Dates and moments are read as they are written, also as databases write them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from carob.values.date import Date, DateTime
from carob.values.raw import TEXT, Raw

HOURS = 3600


@pytest.mark.parametrize(
    ("zone", "minutes"),
    [("", None), ("Z", 0), ("+01", 60), ("+01:00", 60), ("+0100", 60), (" -05", -300),
     ("−0530", -330)],
)  # fmt: skip
def test_zones_are_read_with_and_without_minutes(zone: str, minutes: int | None) -> None:
    moment = DateTime().read(Raw(TEXT, f"2024-01-02 16:30:00{zone}"))
    assert ((2024, 1, 2), Fraction(16 * HOURS + 1800), minutes) == moment


@pytest.mark.parametrize(
    "text",
    ["2024-01-02T00:00:00", "2024-01-02 00:00", "2024-01-02T00:00:00.000Z",
     "2024-01-02 00:00:00+01", "Jan 2, 2024 12 am", " 2024-01-02 0:00 "],
)  # fmt: skip
def test_midnight_is_the_day_where_a_date_is_wanted(text: str) -> None:
    assert (2024, 1, 2) == Date().read(Raw(TEXT, text))
    assert (2024, 1) == Date(precision="month").read(Raw(TEXT, text))


@pytest.mark.parametrize(
    "text", ["2024-01-02T00:00:01", "2024-01-02 12:00", "2024-01 00:00", "01/02/2024 00:00"]
)
def test_another_time_or_an_unclear_day_is_no_date(text: str) -> None:
    assert Date().read(Raw(TEXT, text)) is None

"""Dates, times of day, and both together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

from carob.values.raw import NUMBER, TEXT, Raw, fold, trimmed

LONGEST = 200
"""Texts longer than this are no dates."""

Day = tuple[int, ...]
"""A year; a year and a month; or a year, a month and a day."""
Precision = Literal["year", "month", "day"]
PRECISIONS = {"year": 1, "month": 2, "day": 3}

_ENGLISH = (
    ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",),
    ("june", "jun"), ("july", "jul"), ("august", "aug"), ("september", "sep", "sept"),
    ("october", "oct"), ("november", "nov"), ("december", "dec"),
)  # fmt: skip
_ISO = re.compile(r"([0-9]{4})(?:([-/.])([0-9]{1,2})(?:\2([0-9]{1,2}))?)?")
_DIGITS = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_MONTH_YEAR = re.compile(r"([0-9]{1,2})[-/.]([0-9]{4})")
_NUMBERS = re.compile(r"([0-9]{1,2})([-/.]) ?([0-9]{1,2})\2 ?([0-9]{4}|[0-9]{2})")
_WORDED = re.compile(
    r"(?:(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.)?(?:\s+of\s+|[\s-]*))?"
    r"(?P<month>[^\W\d_]+)\.?"
    r"(?:[\s-]*(?P<late>[0-9]{1,2})(?:st|nd|rd|th|\.)?(?=[\s,]))?"
    r"[\s,-]*(?P<year>[0-9]{4}|(?:(?<=[\s,-])|(?<='))[0-9]{2})"
)
_TIME = (
    r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:\.[0-9]{1,9})?))?)?"
    r"(?:\s*(?P<half>[ap])\.?\s?m\.?)?"
)
_CLOCK = re.compile(_TIME, re.I)
_ZONE = r"\s*(?P<zone>Z|UTC|GMT|(?P<sign>[-+−])(?P<zh>[0-9]{2})(?::?(?P<zm>[0-9]{2}))?)?"
_BOTH = re.compile(rf"(?P<date>.*?[0-9a-z])(?:\s*T\s*|,?\s+){_TIME}{_ZONE}", re.I | re.S)


def days_in(year: int, month: int) -> int:
    """How many days a month has.

    >>> days_in(2024, 2), days_in(1900, 2)
    (29, 28)
    """
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return (
        29 if month == 2 and leap else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    )


def ordinal(day: Day) -> int:
    """The number of a day; of a month or a year, that of its first day. Year 0 has one, too.

    >>> ordinal((2024, 3, 1)) - ordinal((2024, 2, 28))
    2
    """
    year, month, date = (*day, 1, 1)[:3]
    year -= month <= 2
    month = (month + 9) % 12
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * month + 2) // 5 + date - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year


def _valid(*parts: int) -> Day | None:
    """The day, if the calendar has it."""
    if len(parts) > 1 and not 1 <= parts[1] <= 12:
        return None
    if len(parts) > 2 and not 1 <= parts[2] <= days_in(parts[0], parts[1]):
        return None
    return parts


@lru_cache(maxsize=64)
def _names(months: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    return {
        fold(name).rstrip("."): number
        for number, several in enumerate(months, 1)
        for name in several
    }


@dataclass(frozen=True)
class Date:
    """Days, months or years; a day whose time is midnight is that day.

    >>> Date().read(Raw(TEXT, "2nd Jan. 2024")), Date().read(Raw(TEXT, "02/01/2024"))
    ((2024, 1, 2), None)
    >>> Date(order="dmy").read(Raw(TEXT, "02/01/2024"))
    (2024, 1, 2)
    """

    order: Literal["dmy", "mdy"] | None = None
    century: int | None = None
    months: tuple[tuple[str, ...], ...] = _ENGLISH
    precision: Precision = "day"

    name: ClassVar[str] = "date"

    @cached_property
    def _month_names(self) -> dict[str, int]:
        return _names(self.months)

    def readings(self, raw: Raw) -> Iterator[Day]:
        """What a value can mean; of day and month as numbers, both orders if none is said."""
        if raw.kind not in (TEXT, NUMBER) or len(raw.text) > LONGEST:
            return
        text = trimmed(raw.text)
        days = list(self.days(text))
        if not days and (match := _BOTH.fullmatch(text)) is not None and _clock(match) == 0:
            days = [day for day in self.days(match["date"]) if len(day) == 3]
        for day in days:
            yield day[: PRECISIONS[self.precision]]

    def read(self, raw: Raw) -> Day | None:
        """The value, None if it cannot be read or has two readings."""
        found = set(self.readings(raw))
        return found.pop() if len(found) == 1 else None

    def days(self, text: str) -> Iterator[Day]:
        """The days that a text can mean."""
        if match := _ISO.fullmatch(text):
            yield from self._some(int(each) for each in match.group(1, 3, 4) if each)
        elif match := _DIGITS.fullmatch(text):
            yield from self._some(map(int, match.groups()))
        elif match := _MONTH_YEAR.fullmatch(text):
            yield from self._some((int(match[2]), int(match[1])))
        elif match := _NUMBERS.fullmatch(text):
            year = self._year(match[4])
            one, other = int(match[1]), int(match[3])
            if year is not None and self.order != "mdy":
                yield from self._some((year, other, one))
            if year is not None and self.order != "dmy":
                yield from self._some((year, one, other))
        elif match := _WORDED.fullmatch(text):
            month = self._month_names.get(fold(match["month"]))
            year = self._year(match["year"])
            day = match["day"] or match["late"]
            if month and year is not None and not (match["day"] and match["late"]):
                yield from self._some((year, month, int(day)) if day else (year, month))

    @staticmethod
    def _some(parts: Sequence[int] | Iterator[int]) -> Iterator[Day]:
        day = _valid(*parts)
        if day is not None:
            yield day

    def _year(self, text: str) -> int | None:
        if len(text) == 4:
            return int(text)
        if self.century is None:
            return None
        first = self.century
        return first + (int(text) - first) % 100


@dataclass(frozen=True, slots=True)
class Time:
    """Times of day, as seconds.

    >>> Time().read(Raw(TEXT, "3:30 pm")) == Time().read(Raw(TEXT, "15:30:00"))
    True
    """

    name: ClassVar[str] = "time"

    def readings(self, raw: Raw) -> Iterator[Fraction]:
        """What a value can mean: there is one reading at most."""
        if raw.kind == TEXT and len(raw.text) <= LONGEST:
            match = _CLOCK.fullmatch(trimmed(raw.text))
            if match is not None and (second := _clock(match)) is not None:
                yield second

    def read(self, raw: Raw) -> Fraction | None:
        """The value, None if it cannot be read."""
        return next(self.readings(raw), None)


def _clock(match: re.Match[str]) -> Fraction | None:
    """The second of the day; an hour alone needs am or pm."""
    hour, minute, half = int(match["hour"]), int(match["minute"] or 0), match["half"]
    second = Fraction(match["second"] or 0)
    if not (half or match["minute"]) or minute > 59 or second >= 60:
        return None
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "pP" else 0)
    return None if hour > 23 else hour * 3600 + minute * 60 + second


Moment = tuple[Day, Fraction | None, int | None]
"""A day, the second of the day (None: the day alone), and the zone in minutes (None: unknown)."""


@dataclass(frozen=True)
class DateTime:
    """A date, and a time of day if there is one, with a zone if there is one.

    >>> DateTime().read(Raw(TEXT, "2024-01-02T15:30Z"))
    ((2024, 1, 2), Fraction(55800, 1), 0)
    """

    order: Literal["dmy", "mdy"] | None = None
    century: int | None = None
    months: tuple[tuple[str, ...], ...] = _ENGLISH
    precision: Precision = "day"
    zone: int | None = None

    name: ClassVar[str] = "datetime"

    @cached_property
    def _date(self) -> Date:
        return Date(self.order, self.century, self.months)

    def readings(self, raw: Raw) -> Iterator[Moment]:
        """What a value can mean."""
        if raw.kind not in (TEXT, NUMBER) or len(raw.text) > LONGEST:
            return
        text = trimmed(raw.text)
        for day in self._date.days(text):
            yield self._moment(day, None, None)
        match = _BOTH.fullmatch(text)
        if match is None or (second := _clock(match)) is None:
            return
        zone = self.zone
        if match["zone"]:
            sign = -1 if match["sign"] in ("-", "−") else 1
            zone = sign * (int(match["zh"] or 0) * 60 + int(match["zm"] or 0))
        for day in self._date.days(match["date"]):
            if len(day) == 3:
                yield self._moment(day, second, zone)

    def _moment(self, day: Day, second: Fraction | None, zone: int | None) -> Moment:
        kept = PRECISIONS[self.precision]
        return (day[:kept], None, None) if self.precision != "day" else (day, second, zone)

    def read(self, raw: Raw) -> Moment | None:
        """The value, None if it cannot be read or has two readings."""
        found = set(self.readings(raw))
        return found.pop() if len(found) == 1 else None


def instant(moment: Moment, *, wall: bool = False) -> Fraction:
    """Seconds since a fixed day; `wall` ignores the zone."""
    day, second, zone = moment
    ahead = 0 if wall or zone is None else zone * 60
    return ordinal(day) * 86400 + (second or Fraction(0)) - ahead

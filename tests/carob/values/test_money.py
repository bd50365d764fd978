"""Amounts are read as people and banks write them; contradictory currencies are unreadable."""

from __future__ import annotations

from fractions import Fraction

import pytest

from carob.values.money import _SHARED, CODES, SYMBOLS, Money
from carob.values.raw import TEXT, Raw


def amount(text: str, **parameters: str) -> tuple[Fraction, str | None] | None:
    return Money(**parameters).read(Raw(TEXT, text))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "number", "currency"),
    [
        ("US$5", 5, "USD"), ("A$ 5", 5, "AUD"), ("CA$5", 5, "CAD"), ("HK$1,000", 1000, "HKD"),
        ("5 US$", 5, "USD"), ("USD 5 US$", 5, "USD"), ("-US$5", -5, "USD"),
        ("EUR 1.000,-", 1000, "EUR"), ("5,- €", 5, "EUR"), ("5,– €", 5, "EUR"),
        ("CHF 5.-", 5, "CHF"), ("1'000.- CHF", 1000, "CHF"), ("5.", 5, None), ("$5.", 5, "USD"),
        ("$5 CAD", 5, "CAD"), ("¥5 CNY", 5, "CNY"), ("5 VED", 5, "VED"), ("ZWG 5", 5, "ZWG"),
    ],
)  # fmt: skip
def test_amounts_are_read_as_they_are_written(text: str, number: int, currency: str) -> None:
    assert (Fraction(number), currency) == amount(text)


@pytest.mark.parametrize(
    "text",
    ["$5 EUR", "€5 USD", "¥5 USD", "US$5 CAD", "USD 5 EUR", "€5 £", "us$5", "5 -", ".-", "EUR -",
     "-", ".", ",", "5,--", "1.000."],
)  # fmt: skip
def test_what_contradicts_itself_or_has_no_digit_is_unreadable(text: str) -> None:
    assert amount(text) is None


def test_a_symbol_of_the_task_is_no_longer_one_of_several_currencies() -> None:
    own = Money(symbols=(("$", "CAD"),))
    assert (Fraction(5), "CAD") == own.read(Raw(TEXT, "$5"))
    assert own.read(Raw(TEXT, "$5 USD")) is None


def test_the_table_of_currencies_is_that_of_iso_4217() -> None:
    pycountry = pytest.importorskip("pycountry")
    # Neither is a currency: one is for tests, the other says that there is none.
    current = {each.alpha_3 for each in pycountry.currencies} - {"XTS", "XXX"}
    assert set() == current - CODES
    assert set(SYMBOLS.values()) | set().union(*_SHARED.values()) <= CODES

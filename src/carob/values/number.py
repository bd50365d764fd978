"""Numbers, read exactly: signs, groups of digits, both decimal signs, exponents, percent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from carob.values.raw import NUMBER, TEXT, Raw, trimmed

LONGEST = 1000
"""Texts longer than this are no numbers: more than 300 digits are refused in any case."""
MOST_DIGITS = 300
SHORT = 30
"""JSON numbers of fewer characters, without an exponent, can be read for sure."""
PLAIN_SIGNS = "-.0123456789"
"""The characters of a JSON number without an exponent."""
LARGEST_EXPONENT = 300

Decimal = Literal[".", ",", "auto"]

_SIGNS = {"-": -1, "−": -1, "+": 1, "": 1}


def _body(decimal: str) -> str:
    """The pattern of digits, groups and decimals under one decimal sign."""
    point, group = re.escape(decimal), re.escape("," if decimal == "." else ".")
    whole = rf"(?:[0-9]{{1,3}}(?P<group>[{group} '])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*|[0-9]+)"
    return (
        rf"(?P<whole>{whole})?(?:{point}(?P<part>[0-9]*))?"
        r"(?:[eE](?P<exponent>[-+−]?[0-9]+))?"
    )


_PATTERNS = {sign: re.compile(_body(sign)) for sign in ".,"}
_PLAIN = re.compile(r"(-?[0-9]+)\.([0-9]+)")
_SHARE = re.compile(r"\s*([%‰])$")
_SIGNED = re.compile(r"([-−+]?)\s*(.*)", re.S)


def signed(text: str) -> tuple[int, str]:
    """The sign of a number, and the text without it; parentheses are a minus.

    >>> signed("(5.00)"), signed("−5")
    ((-1, '5.00'), (-1, '5'))
    """
    if text.startswith("(") and text.endswith(")"):
        return -1, text[1:-1].strip()
    sign, rest = _SIGNED.match(text).groups()  # type: ignore[union-attr] # it matches any text
    return _SIGNS[sign], rest


def unsigned_readings(text: str, decimal: Decimal = "auto") -> Iterator[Fraction]:
    """What the digits of a number can mean, the reading that counts first.

    >>> [str(each) for each in unsigned_readings("1.000")]
    ['1', '1000']
    """
    if len(text) > LONGEST:
        return
    seen = None
    for sign in ".," if decimal == "auto" else decimal:
        match = _PATTERNS[sign].fullmatch(text)
        if match is None or not (match["whole"] or match["part"]):
            continue
        whole = re.sub("[^0-9]", "", match["whole"] or "")
        part, power = match["part"] or "", (match["exponent"] or "0").replace("−", "-")
        digits = power.lstrip("+-").lstrip("0")
        if len(whole) + len(part) > MOST_DIGITS or len(digits) > 4:
            continue
        if abs(int(power)) > LARGEST_EXPONENT:
            continue
        exponent = int(power) - len(part)
        value = Fraction(int(whole + part))
        value = value * 10**exponent if exponent >= 0 else value / 10**-exponent
        if value != seen:
            yield value
        seen = value


def number_readings(
    text: str, decimal: Decimal = "auto", *, percent: bool = False
) -> Iterator[Fraction]:
    """What a text can mean as a number; with `percent`, bare numbers are percent.

    >>> [str(each) for each in number_readings("5 %")], list(number_readings("one"))
    (['1/20'], [])
    """
    if len(text) > LONGEST:
        return
    sign, rest = signed(text)
    factor = Fraction(1, 100) if percent else Fraction(1)
    if share := _SHARE.search(rest):
        rest, factor = rest[: share.start()], Fraction(1, 100 if share[1] == "%" else 1000)
    for value in unsigned_readings(rest, decimal):
        yield sign * value * factor


def number_key(value: Fraction) -> str | Fraction:
    """What is equal where numbers are: the shortest decimal, or the fraction if there is none.

    >>> number_key(Fraction(-5, 4)), number_key(Fraction(100)), number_key(Fraction(1, 3))
    ('-1.25', '100', Fraction(1, 3))
    """
    places, rest = 0, value.denominator
    for factor in (2, 5):
        count = 0
        while rest % factor == 0:
            rest, count = rest // factor, count + 1
        places = max(places, count)
    if rest != 1:
        return value
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    whole = digits if not places else f"{digits[:-places]}.{digits[-places:]}"
    return f"-{whole}" if value < 0 else whole


def plain_number_key(text: str) -> str | None:
    """The same of a JSON number that has neither an exponent nor many digits, without reading it;
    None for any other.

    >>> plain_number_key("-1.250"), plain_number_key("100"), plain_number_key("1e2")
    ('-1.25', '100', None)
    """
    if len(text) >= SHORT or text.strip(PLAIN_SIGNS):
        return None
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    return "0" if text == "-0" else text


@dataclass(frozen=True, slots=True)
class Number:
    """Numbers as exact fractions.

    >>> Number().read(Raw(TEXT, "1.000,50")) == Number().read(Raw(NUMBER, "1000.5"))
    True
    """

    decimal: Decimal = "auto"
    unit: str | None = None

    name: ClassVar[str] = "number"

    def readings(self, raw: Raw) -> Iterator[Fraction]:
        """What a value can mean, the reading that counts first."""
        if raw.kind in (TEXT, NUMBER):
            decimal = "." if raw.kind == NUMBER else self.decimal
            yield from number_readings(trimmed(raw.text), decimal, percent=self.unit == "%")

    def read(self, raw: Raw) -> Fraction | None:
        """The value, None if it cannot be read."""
        point = raw.kind == NUMBER or (
            raw.kind == TEXT and self.decimal != "," and raw.text.isascii()
        )
        if point and self.unit is None and len(raw.text) < SHORT:  # nearly all numbers
            if raw.text.isdigit():
                return Fraction(int(raw.text))
            if plain := _PLAIN.fullmatch(raw.text):
                return Fraction(int(plain[1] + plain[2]), 10 ** len(plain[2]))
        return next(self.readings(raw), None)

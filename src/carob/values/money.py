"""Amounts of money: a number and an ISO code. Currencies are never converted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from carob.values.number import LONGEST, Decimal, signed, unsigned_readings
from carob.values.parts import parts_of
from carob.values.raw import NUMBER, OBJECT, TEXT, Raw, trimmed

_NAMES = (
    "AED AFN ALL AMD ANG AOA ARS ATS AUD AWG AZN BAM BBD BDT BEF BGN BHD BIF BMD BND BOB BOV "
    "BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNH CNY COP COU CRC CUC CUP CVE CYP "
    "CZK DEM DJF DKK DOP DZD EEK EGP ERN ESP ETB EUR FIM FJD FKP FRF GBP GEL GHS GIP GMD GNF "
    "GRD GTQ GYD HKD HNL HRK HTG HUF IDR IEP ILS INR IQD IRR ISK ITL JMD JOD JPY KES KGS KHR "
    "KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LTL LUF LVL LYD MAD MDL MGA MKD MMK MNT MOP "
    "MRU MTL MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NLG NOK NPR NZD OMR PAB PEN PGK PHP PKR "
    "PLN PTE PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SIT SKK SLE SLL SOS SRD SSP "
    "STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED "
    "VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XUA YER "
    "ZAR ZMW ZWG ZWL "
)
CODES = frozenset(_NAMES.split())
"""The codes of ISO 4217, with those that the euro replaced and other former ones."""
SYMBOLS: Mapping[str, str] = {
    "€": "EUR", "£": "GBP", "$": "USD", "¥": "JPY", "₹": "INR",
    "US$": "USD", "A$": "AUD", "CA$": "CAD", "HK$": "HKD",
}  # fmt: skip
_DOLLARS_AND_PESOS = (
    "ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP CVE DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD "
    "SGD SRD TTD TWD USD UYU XCD"
)
_SHARED: Mapping[str, frozenset[str]] = {
    "$": frozenset(_DOLLARS_AND_PESOS.split()),
    "¥": frozenset({"JPY", "CNY", "CNH"}),
}
"""Symbols of several currencies: the code of one of these beside it decides."""

Amount = tuple[Fraction, str | None]
"""A number, and a currency (None: unknown)."""

_CODE = re.compile(r"[A-Za-z]{3}")


@dataclass(frozen=True)
class Money:
    """An amount and its currency.

    >>> Money().read(Raw(TEXT, "1.000,50 €"))
    (Fraction(2001, 2), 'EUR')
    """

    currency: str | None = None
    symbols: tuple[tuple[str, str], ...] = ()
    decimal: Decimal = "auto"

    name: ClassVar[str] = "money"

    @cached_property
    def _known(self) -> Mapping[str, str]:
        return {**SYMBOLS, **{trimmed(symbol): code for symbol, code in self.symbols}}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        marks = "|".join(re.escape(each) for each in sorted(self._known, key=len, reverse=True))
        name = rf"{marks}|[A-Za-z]{{3}}"
        return re.compile(
            rf"(?P<sign>[-−+]?)\s*(?P<before>{name})?\s*(?P<first>{name})?\s*(?P<inner>[-−+]?)\s*"
            rf"(?P<number>[0-9.,][0-9.,' ]*(?:[eE][-+−]?[0-9]+)?)"
            rf"(?P<dash>(?<=[0-9][.,])[-–—])?\s*(?P<after>{name})?\s*(?P<last>{name})?",
        )

    def readings(self, raw: Raw) -> Iterator[Amount]:
        """What a value can mean, the reading that counts first."""
        if raw.kind == OBJECT:
            yield from self._of_object(raw.text)
        elif raw.kind == NUMBER:
            for number in _numbers(raw, "."):
                yield number, self.currency
        elif raw.kind == TEXT and len(raw.text) <= LONGEST:
            yield from self._of_text(trimmed(raw.text))

    def read(self, raw: Raw) -> Amount | None:
        """The value, None if it cannot be read."""
        return next(self.readings(raw), None)

    def _of_text(self, text: str) -> Iterator[Amount]:
        minus = 1
        if text.startswith("(") and text.endswith(")"):
            minus, text = -1, text[1:-1].strip()
        match = self._pattern.fullmatch(text)
        if match is None or (match["sign"] and match["inner"]):
            return
        minus *= -1 if (match["sign"] or match["inner"]) in ("-", "−") else 1
        names = [match[each] for each in ("before", "first", "after", "last") if match[each]]
        if len(names) > 2:
            return
        known, currency = self._currency(names)
        if known:  # "5,-" is "5,0": its comma is a decimal sign, which says what "1.000,-" is
            digits = match["number"].strip() + ("0" if match["dash"] else "")
            for number in unsigned_readings(digits, self.decimal):
                yield minus * number, currency

    def _currency(self, names: list[str]) -> tuple[bool, str | None]:
        """Whether the names of currencies make sense, and which currency they are."""
        codes: dict[str, str] = {}
        for name in names:
            code = self._known.get(name) or name.upper()
            if name not in self._known and code not in CODES:
                return False, None
            codes[name] = code
        if len(set(codes.values())) <= 1:
            return True, next(iter(codes.values()), self.currency)
        own = dict(self.symbols)
        shared = [name for name in codes if name in _SHARED and name not in own]
        plain = {code for name, code in codes.items() if name not in shared}
        if len(plain) != 1:
            return False, None
        (one,) = plain
        return all(one in _SHARED[name] for name in shared), one

    def _of_object(self, text: str) -> Iterator[Amount]:
        parts = parts_of(text, ("amount", "currency"))
        if parts is None or parts[0] is None:
            return
        code = self.currency
        if parts[1] is not None:
            name = trimmed(parts[1].text)
            code = self._known.get(name) or name.upper()
            if name not in self._known and code not in CODES:
                return
        decimal: Decimal = "." if parts[0].kind == NUMBER else self.decimal
        for number in _numbers(parts[0], decimal):
            yield number, code


def _numbers(raw: Raw, decimal: Decimal) -> Iterator[Fraction]:
    sign, rest = signed(trimmed(raw.text))
    for value in unsigned_readings(rest, decimal):
        yield sign * value

"""Quantities: a number and a unit. Known units convert by exact factors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, NamedTuple

from carob.values.number import LONGEST, Decimal, signed, unsigned_readings
from carob.values.parts import parts_of
from carob.values.raw import NUMBER, OBJECT, TEXT, Raw, fold, trimmed

_PREFIXES = {
    "Q": 30, "R": 27, "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2,
    "da": 1, "d": -1, "c": -2, "m": -3, "μ": -6, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18,
    "z": -21, "y": -24, "r": -27, "q": -30,
}  # fmt: skip
_POUND, _INCH, _FOOT = Fraction("0.45359237"), Fraction("0.0254"), Fraction("0.3048")
_GRAVITY = Fraction("9.80665")

# Dimensions are powers of metre, kilogram, second, ampere, kelvin, mole, candela and bit.
_METRIC: dict[str, tuple[Fraction | int | str, str]] = {
    "m": (1, "m"), "g": ("0.001", "kg"), "s": (1, "s"), "A": (1, "A"), "K": (1, "K"),
    "mol": (1, "mol"), "cd": (1, "cd"), "Hz": (1, "s-1"), "N": (1, "kg m s-2"),
    "Pa": (1, "kg m-1 s-2"), "J": (1, "kg m2 s-2"), "W": (1, "kg m2 s-3"), "C": (1, "A s"),
    "V": (1, "kg m2 s-3 A-1"), "F": (1, "kg-1 m-2 s4 A2"), "Ω": (1, "kg m2 s-3 A-2"),
    "S": (1, "kg-1 m-2 s3 A2"), "Wb": (1, "kg m2 s-2 A-1"), "T": (1, "kg s-2 A-1"),
    "H": (1, "kg m2 s-2 A-2"), "lm": (1, "cd"), "lx": (1, "cd m-2"), "Bq": (1, "s-1"),
    "Gy": (1, "m2 s-2"), "Sv": (1, "m2 s-2"), "kat": (1, "mol s-1"), "L": ("0.001", "m3"),
    "l": ("0.001", "m3"), "t": (1000, "kg"), "bar": (100_000, "kg m-1 s-2"),
    "eV": ("1.602176634e-19", "kg m2 s-2"), "cal": ("4.184", "kg m2 s-2"),
    "Wh": (3600, "kg m2 s-2"), "Ah": (3600, "A s"), "bit": (1, "bit"), "b": (1, "bit"),
    "B": (8, "bit"), "byte": (8, "bit"),
}  # fmt: skip
_OTHERS: dict[str, tuple[Fraction | int | str, str]] = {
    "min": (60, "s"), "h": (3600, "s"), "d": (86400, "s"), "day": (86400, "s"),
    "days": (86400, "s"), "week": (604_800, "s"), "weeks": (604_800, "s"), "sec": (1, "s"),
    "hr": (3600, "s"), "in": (_INCH, "m"), "ft": (_FOOT, "m"), "yd": (3 * _FOOT, "m"),
    "mi": (5280 * _FOOT, "m"), "nmi": (1852, "m"), "lb": (_POUND, "kg"), "lbs": (_POUND, "kg"),
    "oz": (_POUND / 16, "kg"), "st": (14 * _POUND, "kg"), "ha": (10_000, "m2"),
    "acre": (43560 * _FOOT**2, "m2"), "gal": (231 * _INCH**3, "m3"),
    "atm": (101_325, "kg m-1 s-2"), "psi": (_POUND * _GRAVITY / _INCH**2, "kg m-1 s-2"),
    "mmHg": ("133.322387415", "kg m-1 s-2"), "mph": (5280 * _FOOT / 3600, "m s-1"),
    "kph": (Fraction(1000, 3600), "m s-1"), "kn": (Fraction(1852, 3600), "m s-1"),
    "rpm": (Fraction(1, 60), "s-1"), "hp": (550 * _FOOT * _POUND * _GRAVITY, "kg m2 s-3"),
    "ohm": (1, "kg m2 s-3 A-2"), "Da": ("1.66053906660e-27", "kg"),
    "u": ("1.66053906660e-27", "kg"),
    "KiB": (8 * 2**10, "bit"), "MiB": (8 * 2**20, "bit"), "GiB": (8 * 2**30, "bit"),
    "TiB": (8 * 2**40, "bit"), "%": ("0.01", ""), "‰": ("0.001", ""), "ppm": ("1e-6", ""),
    "ppb": ("1e-9", ""),
}  # fmt: skip
_DEGREES = {"°C": (Fraction(1), Fraction("273.15")), "°F": (Fraction(5, 9), Fraction("459.67"))}
"""Factor, and what is added before it is applied."""

_FACTOR = re.compile(r"(?P<unit>[^\W\d_]+|[%‰])(?:\^?(?P<power>[-−]?[1-9]))?")
_QUANTITY = re.compile(
    r"(?P<number>[0-9.,][0-9.,']*(?: [0-9]{3}(?![0-9]))*(?:[.,][0-9]+)?(?:[eE][-+−]?[0-9]+)?)"
    r"\s*(?P<unit>.*)",
    re.S,
)
_WORD = re.compile(r"[^\W\d_°%‰].*|[°%‰].*", re.S)


class Unit(NamedTuple):
    """What a unit measures, and how a number of it becomes one of the base unit."""

    dimension: tuple[tuple[str, int], ...]
    factor: Fraction
    shift: Fraction = Fraction(0)

    def base(self, number: Fraction) -> Fraction:
        """The number in base units."""
        return (number + self.shift) * self.factor

    def of_base(self, number: Fraction) -> Fraction:
        """A number of base units in this unit."""
        return number / self.factor - self.shift


def _dimension(text: str) -> dict[str, int]:
    powers = {}
    for word in text.split():
        name, power = re.fullmatch(r"([a-zA-Z]+)(-?\d)?", word).groups()  # type: ignore[union-attr]
        powers[name] = int(power or 1)
    return powers


@lru_cache(maxsize=1 << 12)
def unit_of(text: str) -> Unit | None:
    """A known unit, None if it is another.

    >>> unit_of("km/h").factor, unit_of("boxes")
    (Fraction(5, 18), None)
    """
    if text in _DEGREES:
        factor, shift = _DEGREES[text]
        return Unit((("K", 1),), factor, shift)
    if len(text) > 40:
        return None
    factor, powers = Fraction(1), dict[str, int]()
    for number, side in enumerate(text.split("/")):
        if number > 1:
            return None
        for part in re.split(r"\s*[·⋅*]\s*|\s+", side.strip()):
            match = _FACTOR.fullmatch(part)
            simple = None if match is None else _simple(match["unit"])
            if match is None or simple is None:
                return None
            power = int((match["power"] or "1").replace("−", "-")) * (-1 if number else 1)
            factor *= simple[0] ** power
            for name, own in _dimension(simple[1]).items():
                powers[name] = powers.get(name, 0) + own * power
    return Unit(tuple(sorted((name, power) for name, power in powers.items() if power)), factor)


def _simple(name: str) -> tuple[Fraction, str] | None:
    """Factor and dimension of a unit without powers, with or without a prefix."""
    for table in (_METRIC, _OTHERS):
        if name in table:
            return Fraction(table[name][0]), table[name][1]
    for length in (2, 1):
        power, rest = _PREFIXES.get(name[:length]), name[length:]
        if power is not None and rest in _METRIC:
            factor, dimension = _METRIC[rest]
            return Fraction(factor) * Fraction(10) ** power, dimension
    return None


Amount = tuple[Fraction, str | None]
"""A number, and the unit as it is written (None: unknown)."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its unit.

    >>> Quantity().read(Raw(TEXT, "1,5kg"))
    (Fraction(3, 2), 'kg')
    """

    unit: str | None = None
    decimal: Decimal = "auto"

    name: ClassVar[str] = "quantity"

    def readings(self, raw: Raw) -> Iterator[Amount]:
        """What a value can mean, the reading that counts first."""
        if raw.kind == OBJECT:
            parts = parts_of(raw.text, ("value", "unit"))
            if parts is not None and parts[0] is not None and parts[0].kind in (TEXT, NUMBER):
                unit = self.unit if parts[1] is None else trimmed(parts[1].text)
                decimal: Decimal = "." if parts[0].kind == NUMBER else self.decimal
                sign, rest = signed(trimmed(parts[0].text))
                for number in unsigned_readings(rest, decimal):
                    yield sign * number, unit
        elif raw.kind in (TEXT, NUMBER) and len(raw.text) <= LONGEST:
            sign, rest = signed(trimmed(raw.text))
            match = _QUANTITY.fullmatch(rest)
            if match is None or (match["unit"] and not _WORD.fullmatch(match["unit"])):
                return
            unit = match["unit"].strip() or self.unit
            decimal = "." if raw.kind == NUMBER else self.decimal
            for number in unsigned_readings(match["number"], decimal):
                yield sign * number, unit

    def read(self, raw: Raw) -> Amount | None:
        """The value, None if it cannot be read."""
        return next(self.readings(raw), None)


def canonical(amount: Amount) -> tuple[object, ...]:
    """What is equal for equal quantities.

    >>> canonical((Fraction(1), "kg")) == canonical((Fraction(1000), "g"))
    True
    """
    number, name = amount
    if name is None:
        return ("", number)
    unit = unit_of(name)
    if unit is None:
        return ("?", fold(name), number)
    return (unit.dimension, unit.base(number))

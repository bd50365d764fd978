"""How strictly values are compared: `exact`, `norm`, `tol(...)`, `edit(...)`, `any_of(...)`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

from carob.corpus.problems import UsageError, nearest, shown

_NUMERIC = ("number", "money", "quantity")
_TOLERANCES = {
    "abs": _NUMERIC, "rel": _NUMERIC, "days": ("date", "datetime"), "seconds": ("time", "datetime"),
}  # fmt: skip
_WRITTEN = re.compile(r"\s*([a-z_]+)\s*(?:\((.*)\))?\s*", re.S)
_NUMBER = re.compile(r"\d{1,18}(\.\d{1,18})?([eE][-+]?\d{1,2})?")
NAMES = ("exact", "norm", "tol", "edit", "any_of")


@dataclass(frozen=True, slots=True)
class Match:
    """How the values of one slot are compared.

    >>> str(match_of("any_of(match=tol(abs=0.5))", "number"))
    'any_of(match=tol(abs=0.5))'
    """

    name: str = "norm"
    any_of: bool = False
    abs: Fraction = Fraction(0)
    rel: Fraction = Fraction(0)
    days: Fraction = Fraction(0)
    seconds: Fraction = Fraction(0)
    cor: Fraction = Fraction(1)
    par: Fraction = Fraction(4, 5)
    text: str = field(default="norm", compare=False)

    parameters: ClassVar[dict[str, tuple[str, ...]]] = {
        "tol": tuple(_TOLERANCES), "edit": ("cor", "par"),
    }  # fmt: skip

    def __str__(self) -> str:
        return self.text


def match_of(text: str, kind: str) -> Match:
    """The match that a text stands for, for a slot of a type; one that makes no sense is refused.

    >>> match_of("edit", "id")
    Traceback (most recent call last):
    carob.corpus.problems.UsageError: a match for a slot of the type id: edit compares strings
    """
    written = _WRITTEN.fullmatch(text) if len(text) < 200 else None
    if written is None or written[1] not in NAMES:
        hint = nearest(written[1] if written else text, NAMES)
        raise UsageError(f"a match; none is called {shown(text)}{hint}")
    name, inside = written[1], written[2]
    if name == "any_of":
        inner = match_of("norm", kind)
        if inside is not None:
            key, _, value = inside.partition("=")
            if key.strip() != "match" or value.strip().startswith("any_of"):
                raise UsageError(f"found {shown(text)}, expected any_of or any_of(match=...)")
            inner = match_of(value, kind)
        values = {f: getattr(inner, f) for f in ("name", "abs", "rel", "days", "seconds")}
        return Match(**values, cor=inner.cor, par=inner.par, any_of=True, text=text.strip())
    numbers = _numbers(name, inside, text)
    if name == "edit":
        if kind != "string":
            raise UsageError(f"a match for a slot of the type {kind}: edit compares strings")
        made = replace(Match("edit", text=text.strip()), **numbers)
        if not 0 < made.par <= made.cor <= 1:
            raise UsageError(f"found {shown(text)}, expected 0 < par <= cor <= 1")
        return made
    if name == "tol":
        fitting = [each for each, kinds in _TOLERANCES.items() if kind in kinds]
        if not fitting:
            raise UsageError(
                f"a match for a slot of the type {kind}: tol compares numbers and times"
            )
        for each in numbers:
            if each not in fitting:
                there = " and ".join(fitting)
                raise UsageError(
                    f"tol without {each}, which means nothing for the type {kind}: use {there}"
                )
    return replace(Match(name, text=text.strip()), **numbers)


def _numbers(name: str, inside: str | None, text: str) -> dict[str, Any]:
    """The parameters of a match, exact: 0.1 is a tenth."""
    numbers: dict[str, Fraction] = {}
    known = Match.parameters.get(name, ())
    for part in [] if inside is None else inside.split(","):
        key, _, value = (each.strip() for each in part.partition("="))
        if key not in known or key in numbers or not _NUMBER.fullmatch(value):
            there = ", ".join(f"{each}=NUMBER" for each in known) or "no parameters"
            raise UsageError(f"found {shown(part.strip())} in {shown(text)}, expected {there}")
        numbers[key] = Fraction(value)
    return numbers

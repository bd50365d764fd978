"""The weights of `fair`: what each type of error counts, written as a formula.

formula = part {"," part}
part    = type "=" term {"+" term}
term    = [number ["*"]] ("TP" | "FP" | "FN")
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache

from carob.corpus.problems import RecipeError, nearest, shown

TYPES = ("LE", "BES", "BEL", "BEO", "LBE")
"""The types of errors that a formula weighs."""

TERMS = ("TP", "FP", "FN")
BE = ("BES", "BEL", "BEO")

Weights = tuple[tuple[float, float, float], ...]
"""For each of the types, how much TP, FP and FN it is."""

_HALF = (0.0, 0.5, 0.5)

PRESETS: Mapping[str, Weights] = {
    "default": (_HALF,) * 5,
    "boundary": (_HALF, (0.5, 0.0, 0.5), (0.5, 0.5, 0.0), (0.5, 0.25, 0.25), _HALF),
    "ortmann2021": ((0.0, 1.0, 0.0),) * 5,
    "read2012": ((0.0, 0.0, 1.0),) * 5,
}
"""Weights that have a name."""

_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_WORD = re.compile(r"[^\W\d]\w*")
_SPACE = re.compile(r"\s*")


@cache
def weights_of(text: str) -> Weights:
    """The weights that a preset or a formula stands for; types it does not name stay halves.

    >>> weights_of("LBE = FP + 0.5 FN")[-1]
    (0.0, 1.0, 0.5)
    """
    if text in PRESETS:
        return PRESETS[text]
    if "=" not in text:
        there = nearest(text, list(PRESETS))
        raise RecipeError(f"fair(weights=…): found {shown(text)}{there}, or a formula {_EXAMPLE}")
    return _Formula(text).read()


_EXAMPLE = "like LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"


def spelled(weights: Weights) -> str:
    """The shortest text that stands for these weights: a preset, or a formula.

    >>> spelled(weights_of("BES=.5FN + .5TP, LE = FP,BEL = 0.5FP+0.5 FN"))
    'LE = FP, BES = 0.5 TP + 0.5 FN'
    """
    for name, preset in PRESETS.items():
        if weights == preset:
            return name
    parts = dict(zip(TYPES, weights, strict=True))
    if len({parts[kind] for kind in BE}) == 1:
        parts = {"LE": parts["LE"], "BE": parts["BES"], "LBE": parts["LBE"]}
    return ", ".join(f"{kind} = {_sum(each)}" for kind, each in parts.items() if each != _HALF)


def _sum(weight: tuple[float, ...]) -> str:
    terms = [
        term if number == 1 else f"{_number(number)} {term}"
        for term, number in zip(TERMS, weight, strict=True)
        if number
    ]
    return " + ".join(terms) or "0 FP"


def _number(number: float) -> str:
    return str(int(number)) if number.is_integer() and number < 1e15 else repr(number)


class _Formula:
    """Reads a formula from left to right; says what it expected where."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def fail(self, expected: str, hint: str = "") -> RecipeError:
        rest = self.text[self.at :]
        found = shown(rest) if rest else "the end"
        return RecipeError(
            f"in the weights {shown(self.text, 200)}: found {found}, expected {expected}{hint}"
        )

    def take(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        self.skip()
        return found.group()

    def skip(self) -> None:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at

    def sign(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        self.skip()
        return True

    def read(self) -> Weights:
        self.skip()
        found: dict[str, tuple[float, float, float]] = {}
        while True:
            kinds = self.kinds(found)
            if not self.sign("="):
                raise self.fail("'='")
            weight = self.sum()
            found.update(dict.fromkeys(kinds, weight))
            if self.at == len(self.text):
                return tuple(found.get(kind, _HALF) for kind in TYPES)
            if not self.sign(","):
                raise self.fail("'+', ',' or the end")

    def kinds(self, found: Mapping[str, object]) -> tuple[str, ...]:
        start = self.at
        word = self.take(_WORD)
        if word not in (*TYPES, "BE"):
            self.at = start
            hint = "; TP, FP and FN always count as themselves" if word in TERMS else ""
            raise self.fail("a type of error: LE, BE, BES, BEL, BEO or LBE", hint)
        kinds = BE if word == "BE" else (word,)
        for kind in kinds:
            if kind in found:
                self.at = start
                more = f" ({word} is BES, BEL and BEO)" if word == "BE" else ""
                raise self.fail(f"each type once; {kind} has its weight already{more}")
        return kinds

    def sum(self) -> tuple[float, float, float]:
        weight: dict[str, float] = {}
        while True:
            self.term(weight)
            if not self.sign("+"):
                return weight.get("TP", 0.0), weight.get("FP", 0.0), weight.get("FN", 0.0)

    def term(self, weight: dict[str, float]) -> None:
        start = self.at
        if self.text.startswith("-", start):
            raise self.fail("a number that is 0 or more")
        digits = self.take(_NUMBER)
        number = 1.0 if digits is None else float(digits)
        if not math.isfinite(number):
            self.at = start
            raise self.fail("a smaller number")
        if digits is not None:
            self.sign("*")
        before = self.at
        term = self.take(_WORD)
        if term not in TERMS:
            self.at = before
            number_first = "" if digits is not None else "a number and "
            raise self.fail(f"{number_first}TP, FP or FN")
        if term in weight:
            self.at = start
            raise self.fail(f"each of TP, FP and FN once; {term} has its number already")
        weight[term] = number

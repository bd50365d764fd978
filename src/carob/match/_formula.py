"""The weights of `fair`: what each type of error counts, written as a formula.

formula = part {"," part}
part    = type "=" term {"+" term}
term    = [number ["*"]] ("TP" | "FP" | "FN")
"""

from __future__ import annotations

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

LARGEST = 1_000_000
"""With larger numbers, sums would lose digits."""

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_WORD = r"[^\W\d]\w*"
_EXAMPLE = "like LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"


@cache
def weights_of(text: str) -> Weights:
    """The weights that a preset or a formula stands for; types it does not name stay halves.

    >>> weights_of("LBE = FP + 0.5 FN")[-1]
    (0.0, 1.0, 0.5)
    """
    if text in PRESETS:
        return PRESETS[text]
    if "=" not in text:
        hint = nearest(text, list(PRESETS))
        raise RecipeError(f"fair(weights=…): found {shown(text)}{hint}, or a formula {_EXAMPLE}")
    return _Formula(text).read()


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

    def fail(self, at: int, expected: str) -> RecipeError:
        rest = self.text[at:]
        found = shown(rest) if rest else "the end"
        return RecipeError(
            f"in the weights {shown(self.text, 200)}: found {found}, expected {expected}"
        )

    def take(self, pattern: str) -> str:
        """What stands here if it fits, else nothing; white space after it is skipped."""
        match = re.compile(rf"({pattern})?\s*").match(self.text, self.at)
        assert match is not None, "nothing fits, too"
        self.at = match.end()
        return match[1] or ""

    def read(self) -> Weights:
        self.take("")
        weights: dict[str, tuple[float, float, float]] = {}
        while True:
            kinds = self.kinds(weights)
            if not self.take("="):
                raise self.fail(self.at, "'='")
            weights |= dict.fromkeys(kinds, self.sum())
            if self.at == len(self.text):
                return tuple(weights.get(kind, _HALF) for kind in TYPES)
            if not self.take(","):
                raise self.fail(self.at, "'+', ',' or the end")

    def kinds(self, weights: Mapping[str, object]) -> tuple[str, ...]:
        """The types that one part of the formula is about."""
        start, word = self.at, self.take(_WORD)
        if word not in (*TYPES, "BE"):
            hint = "; TP, FP and FN always count as themselves" if word in TERMS else ""
            raise self.fail(start, f"a type of error: LE, BE, BES, BEL, BEO or LBE{hint}")
        kinds = BE if word == "BE" else (word,)
        for kind in kinds:
            if kind in weights:
                hint = f" ({word} is BES, BEL and BEO)" if word == "BE" else ""
                raise self.fail(start, f"each type once; {kind} has its weight already{hint}")
        return kinds

    def sum(self) -> tuple[float, float, float]:
        """How much TP, FP and FN the terms up to a comma are."""
        weight: dict[str, float] = {}
        while True:
            start = self.at
            if self.text.startswith("-", start):
                raise self.fail(start, "a number that is 0 or more")
            number = self.take(_NUMBER)
            if number and float(number) > LARGEST:
                raise self.fail(start, f"a number up to {LARGEST:,}")
            if number:
                self.take(r"\*")
            at, term = self.at, self.take(_WORD)
            if term not in TERMS:
                raise self.fail(at, f"{'' if number else 'a number and '}TP, FP or FN")
            if term in weight:
                already = f"{term} has its number already"
                raise self.fail(start, f"each of TP, FP and FN once; {already}")
            weight[term] = float(number or 1)
            if not self.take(r"\+"):
                return weight.get("TP", 0.0), weight.get("FP", 0.0), weight.get("FN", 0.0)

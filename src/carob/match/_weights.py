"""Token weights: a file with one number a line, named in a recipe and sealed by its hash."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from carob.arrays.types import FloatArray
from carob.corpus.problems import SHOWN, InputError, Problem, shown
from carob.corpus.source import Source
from carob.match._sealed import sealed, unsealed

_NUMBER = re.compile(rb"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


@dataclass(frozen=True, slots=True)
class Weights:
    """What a file weighs each token of gold with, in the order of the gold file."""

    path: str
    sha256: str
    values: FloatArray = field(repr=False, compare=False)

    @classmethod
    def of(cls, text: str) -> Weights:
        """From a path; one that ends in #sha256=… must have just that content."""
        source, data = unsealed("token_weights", text, "the token weights that were used")
        return cls(source.path, source.sha256, _numbers(source, data))

    @property
    def sealed(self) -> str:
        """The path with the hash, for signatures."""
        return sealed(self.path, self.sha256)

    def for_tokens(self, count: int) -> FloatArray:
        """The weights, if there are just as many as there are tokens."""
        there = len(self.values)
        if there == count:
            return self.values
        at = min(there, count) + 1
        found, expected = "the end of the file", f"the weight of token {at:,}"
        if there > count:
            found, expected = f"the weight of token {at:,}", "the end of the file"
        hint = f"gold has {count:,} tokens in all its documents together"
        raise InputError([Problem("K802", self.path, at, found, expected, hint)])


def _numbers(source: Source, data: bytes) -> FloatArray:
    lines = data.splitlines()
    try:
        values = np.array(list(map(float, lines)), np.float64)
        if b"_" not in data and bool((np.isfinite(values) & (values >= 0)).all()):
            return values
    except ValueError:
        pass
    raise _wrong(source, lines)


def _wrong(source: Source, lines: Sequence[bytes]) -> InputError:
    bad = [
        i for i, line in enumerate(lines)
        if not (_NUMBER.fullmatch(line) and 0 <= float(line) < math.inf)
    ]  # fmt: skip
    expected = "the weight of a token, a number that is 0 or more"
    problems = [Problem("K801", source.name, i + 1, shown(lines[i]), expected) for i in bad[:SHOWN]]
    return InputError(problems, len(bad))

"""Token weights: a file with one number a line, named in a recipe and sealed by its hash."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from karat.nouns._types import FloatArray
from karat.nouns.errors import SHOWN, InputError, Problem, RecipeError, shown
from karat.nouns.source import Source

_SEALED = re.compile(r"(?P<path>.*)#sha256=(?P<seal>[0-9a-f]{8})", re.S)
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
        sealed = _SEALED.fullmatch(text)
        path = sealed["path"] if sealed else text
        if path in ("", "-"):
            raise RecipeError(f"token_weights: found {shown(path)}, expected a file")
        source = Source(path)
        data = b"".join(source.blocks())
        if sealed and not source.sha256.startswith(sealed["seal"]):
            raise source.failure(
                "K903", f"sha256={source.sha256[:8]}",
                f"sha256={sealed['seal']}, the token weights that were used",
            )  # fmt: skip
        return cls(path, source.sha256, _numbers(source, data))

    @property
    def sealed(self) -> str:
        """The path with the hash, for signatures."""
        return f"{self.path}#sha256={self.sha256[:8]}"

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

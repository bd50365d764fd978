"""What other versions of carob compute differently: numbers of theirs that cannot be compared.

Each bullet under "Scores that change" of CHANGELOG.md is here, in its words; a test compares both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from carob._version import __version__
from carob.recipe import Recipe

INTERVALS = frozenset({"low", "high"})
TESTS = frozenset({"p", "p_holm", "significant", "rank_low", "rank_high", "cluster"})
"""What intervals and tests say in JSON."""


@dataclass(frozen=True, slots=True)
class Change:
    """Numbers that differ from a version on: scores of some event spaces, or what has these keys in
    JSON.
    """

    since: str
    words: str
    spaces: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()

    @property
    def reason(self) -> str:
        """Why numbers of an older version are not compared."""
        return f"changed in {self.since}: {self.words}"


CHANGES = (
    Change(
        "0.2.0",
        "`oas`: of several templates that answer a slot without confidence and without a place, "
        "the first in the file counts, as its page says, and no longer the first in the alphabet. "
        "No other score changes.",
        spaces=frozenset({"oas"}),
    ),
    Change(
        "0.2.0",
        "Confidence intervals and p values change: with the same seed, resamples and exchanges are "
        "drawn differently. They move by no more than a different seed would move them.",
        keys=INTERVALS | TESTS | {"detectable"},
    ),
    Change(
        "0.3.0",
        "p values of `compare`, `rank` and `report`: a test stops once 20 exchanges give a "
        "difference as large as the observed one, unless its decision is still open. Such a p "
        "moves by about a fifth of itself; which tests are significant changes by chance alone.",
        keys=TESTS,
    ),
    Change(
        "0.3.0",
        "p values after Holm of `compare` and `report`: each recipe is corrected for its own tests "
        "(pairs, or pairs and labels), and no longer for those of other recipes. They become "
        "smaller where there is more than one recipe, and more differences are significant.",
        keys=TESTS - {"p"},
    ),
)  # fmt: skip
"""The oldest first."""


@dataclass(frozen=True, slots=True)
class Maker:
    """The program that made a result. The first release was called karat.

    >>> Maker("karat", "0.1.0").is_older, Maker("carob", __version__).is_older
    (True, False)
    """

    name: str
    version: Any

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Maker:
        """The maker that a result names."""
        name = "karat" if "karat" in content else "carob"
        return cls(name, content.get(name))

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def is_known(self) -> bool:
        """Whether the version is one."""
        text = self.version if isinstance(self.version, str) else ""
        return re.fullmatch(r"\d{1,4}(\.\d{1,4}){2}", text) is not None

    @property
    def is_older(self) -> bool:
        """Whether this version came later."""
        return self.is_known and _numbers(self.version) < _numbers(__version__)

    @property
    def has_checksum(self) -> bool:
        """Whether its results end with a checksum, which the first release did not write."""
        return str(self) != "karat 0.1.0"

    def changes(self) -> list[Change]:
        """What has changed since."""
        if not self.is_older:
            return []
        return [each for each in CHANGES if _numbers(self.version) < _numbers(each.since)]

    def changed_score(self, recipe: str) -> str | None:
        """Why a score has other numbers now; None if its definition is the same."""
        space = Recipe.parse(recipe).space.name
        return next((each.reason for each in self.changes() if space in each.spaces), None)

    def changed_key(self, key: str) -> str | None:
        """Why a number of intervals or tests is another now, by the last such change."""
        every = reversed(self.changes())
        return next((each.reason for each in every if key in each.keys), None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))

"""JSON for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.result.result import Result


@dataclass(frozen=True, slots=True)
class Json:
    """One object with every digit, as docs/output.md describes it; it always holds all labels.

    >>> from carob import Corpus, score
    >>> Json()(score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1"))[:12]
    '{\\n "carob": '
    """

    by_label: bool = False

    name: ClassVar[str] = "json"
    for_programs: ClassVar[bool] = True

    def __call__(self, result: Result) -> str:
        """The text."""
        return result.to_json() + "\n"

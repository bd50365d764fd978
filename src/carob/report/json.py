"""JSON for machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.result.scores import Scores


@dataclass(frozen=True, slots=True)
class Json:
    """One object with every digit, as docs/output.md describes it; labels are always in it.

    >>> from carob import Corpus, score
    >>> Json()(score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1"))[:12]
    '{\\n "carob": '
    """

    by_label: bool = False

    name: ClassVar[str] = "json"

    def __call__(self, scores: Scores) -> str:
        """The text."""
        return scores.to_json() + "\n"

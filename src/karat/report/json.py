"""JSON for machines."""

from __future__ import annotations

from typing import ClassVar

from karat.nouns._dataclass import dataclass
from karat.nouns.scores import Scores


@dataclass(frozen=True, slots=True)
class Json:
    """One object with every digit, as docs/output.md describes it; labels are always in it.

    >>> from karat import Corpus, score
    >>> Json()(score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1"))[:12]
    '{\\n "karat": '
    """

    by_label: bool = False

    name: ClassVar[str] = "json"

    def __call__(self, scores: Scores) -> str:
        """The text."""
        return scores.to_json() + "\n"

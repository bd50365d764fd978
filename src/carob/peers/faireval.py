"""FairEval: its traditional evaluation, which counts every error twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from carob.pair.readings import Counted, Counting, Files, Step
from carob.peers._counts import Counts
from carob.peers._tags import finished


@dataclass(frozen=True, slots=True)
class FairEval:
    """Reads lists of mentions, which carob finds for it: FairEval itself does not read tags.

    This is its traditional evaluation; its fair one is the event space `fair`. A gold mention is
    found if it is among the answers, and an answer is wrong if it is not in gold. So a mention that
    is given twice is right twice, or an answer more that is neither right nor wrong.

    >>> FairEval().recipes["F1"]
    'exact.F1'
    """

    name: ClassVar[str] = "faireval"
    version: ClassVar[str] = "2022"
    modes: ClassVar[tuple[str, ...]] = ()
    mode: ClassVar[str] = ""
    recipes: ClassVar[Mapping[str, str]] = {"P": "exact.P", "R": "exact.R", "F1": "exact.F1"}

    def steps(self, files: Files, ours: Counting) -> Iterator[Step]:
        """From carob's numbers to FairEval's."""
        reading = files.ours
        answers, gold = set(reading.system), set(reading.gold)
        right = sum(spot in answers for spot in reading.gold)
        wrong = sum(spot not in gold for spot in reading.system)
        credits = reading.credited(
            [float(spot in answers) for spot in reading.gold],
            [float(spot in gold) for spot in reading.system],
        )
        counts = Counts(right, len(reading.gold), right + wrong)
        values = dict(zip(self.recipes, counts.prf(), strict=True))
        empty = not reading.gold and not reading.system
        yield finished(
            reading, Counted(dict.fromkeys(values) if empty else values, credits), "duplicates",
            "a mention counts as found if it is among the answers, however often: copies are not "
            "compared one-to-one",
        )  # fmt: skip
        yield finished(
            reading, Counted(values, credits), "zero rule", "0/0 is 0, not without value"
        )

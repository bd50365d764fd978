"""nervaluate: four ways to count, with lists of tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.arrays.peer_tags import beginnings_without_prefix, nervaluate_mentions
from carob.corpus.problems import UsageError
from carob.pair.readings import (
    Counted,
    Counting,
    Credits,
    Files,
    Reading,
    Spot,
    Step,
    Tagged,
)
from carob.peers._counts import Counts
from carob.peers._greedy import first_come
from carob.peers._tags import (
    finished,
    first_steps,
    line_of_place,
    refuse,
    spots,
    tag_column,
    tags_of,
)

LEAST = 1.0
"""How many hundredths of a gold mention an answer must cover to overlap it."""

MODES = {"strict": "strict", "exact": "exact", "partial": "partial", "ent_type": "type"}
"""Its modes, and what `semeval` calls them."""


@dataclass(frozen=True, slots=True)
class Nervaluate:
    """Reads lists of tags (`loader="list"`), one for each sentence, with B- and I-.

    Each answer in turn takes a gold mention that it overlaps. An answer that comes first may take
    one that a later answer would have right. With `ends=exclusive`, it is given spans
    (`loader="dict"`) whose ends are exclusive, as in Python, although it takes the end for the last
    token: mentions that touch then overlap.

    >>> Nervaluate("partial").recipes["F1"]
    'semeval(mode=partial).F1'
    """

    mode: str = "strict"
    ends: str = "inclusive"

    name: ClassVar[str] = "nervaluate"
    version: ClassVar[str] = "1.2.1"
    modes: ClassVar[tuple[str, ...]] = tuple(MODES)

    def __post_init__(self) -> None:
        if self.ends not in ("inclusive", "exclusive"):
            raise UsageError(f"ends are inclusive or exclusive, not {self.ends!r}")

    @property
    def recipes(self) -> Mapping[str, str]:
        """Its numbers, and carob's recipes for the same."""
        return {name: f"semeval(mode={MODES[self.mode]}).{name}" for name in ("P", "R", "F1")}

    def steps(self, files: Files, ours: Counting) -> Iterator[Step]:
        """From carob's numbers to nervaluate's."""
        sides = tags_of(files, "nervaluate")
        raw = [side.tagged.without_openings() for side in sides]
        for name, each in zip(("gold", "system"), raw, strict=True):
            _require_prefixes(name, each)
        yield from first_steps(files, sides, ours, self.recipes)
        for rule, why, tagged in (
            ("boundaries", "a mention goes on until O, B- or another label, also after E- and S-",
             [side.normal.without_openings() for side in sides]),
            ("prefixes", "the first two characters of a tag are its prefix", raw),
        ):  # fmt: skip
            reading = Reading(*map(plain_spots, tagged))
            yield Step(rule, why, reading, ours(reading, self.recipes))
        empty = not reading.gold and not reading.system
        exact, credits = self._counted(reading.gold, reading.system, reading)
        none = dict.fromkeys(exact)
        yield finished(
            reading, Counted(none if empty else exact, credits), "first come",
            "answers are taken in their order, and each takes the first gold mention that it "
            "overlaps, unless it is equal to another; carob pairs so that most are right",
        )  # fmt: skip
        values = exact
        if self.ends == "exclusive":
            longer = [_longer(spots, tagged) for spots, tagged in zip(reading, raw, strict=True)]
            values, credits = self._counted(longer[0], longer[1], reading)
            yield finished(
                reading, Counted(none if empty else values, credits), "ends",
                "ends are exclusive, and taken for the last token: every mention is one token "
                "longer, and mentions that touch overlap",
            )  # fmt: skip
        yield finished(
            reading, Counted(values, credits), "zero rule", "0/0 is 0, not without value"
        )

    def _counted(
        self, left: Sequence[Spot], right: Sequence[Spot], reading: Reading
    ) -> tuple[dict[str, float], Credits]:
        """The numbers of these mentions, and what each of the reading counts."""
        pairing = first_come(left, right, lambda answer, free: self._choice(answer, free, left))
        gold, system = ([value or 0.0 for value in each] for each in pairing)
        counts = Counts(sum(system), len(left), len(right))
        values = dict(zip(("P", "R", "F1"), counts.prf(), strict=True))
        return values, reading.credited(gold, system)

    def _choice(
        self, answer: Spot, free: Sequence[int], gold: Sequence[Spot]
    ) -> tuple[int, float] | None:
        reached = [at for at in free if _share(answer, gold[at]) >= LEAST]
        same = [at for at in free if gold[at].fragments == answer.fragments]
        alike = [at for at in same if gold[at].label == answer.label]
        if self.mode == "ent_type":
            right = [at for at in reached if gold[at].label == answer.label]
            if right:
                return min(right, key=lambda at: _distance(answer, gold[at])), 1.0
            return (reached[0], 0.0) if reached else None
        equal = alike if self.mode == "strict" else same
        if equal:
            return equal[0], 1.0
        return (reached[0], 0.5 if self.mode == "partial" else 0.0) if reached else None


def _longer(spots: Sequence[Spot], tagged: Tagged) -> list[Spot]:
    """Every mention one token longer, with a place after each sentence for the last of them."""
    place = np.searchsorted(tagged.position, [spot.start for spot in spots])
    shift = tagged.sequence[place] if len(spots) else place
    return [
        spot._replace(fragments=((spot.start + more, spot.end + more + 1),))
        for spot, more in zip(spots, shift.tolist(), strict=True)
    ]


def _share(answer: Spot, gold: Spot) -> float:
    """How much of a gold mention an answer covers, in hundredths."""
    shared = min(answer.end, gold.end) - max(answer.start, gold.start)
    return shared / (gold.end - gold.start) * 100.0


def _distance(answer: Spot, gold: Spot) -> int:
    return abs(answer.start - gold.start) + abs(answer.end - gold.end)


def plain_spots(tagged: Tagged) -> tuple[Spot, ...]:
    """The mentions between tags whose first two characters are a prefix; only B- begins one where
    the label stays the same.
    """
    return spots(tagged, nervaluate_mentions)


def _require_prefixes(side: str, tagged: Tagged) -> None:
    """A mention must begin with B- or I-; what is inside it is not looked at."""
    column = tag_column(tagged)
    wrong = beginnings_without_prefix(column, nervaluate_mentions(column))
    if wrong.size:
        row = int(line_of_place(tagged)[wrong[0]])
        raise refuse("nervaluate", side, tagged, row, "a mention to begin with B- or I-")

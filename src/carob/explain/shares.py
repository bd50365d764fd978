"""What each rule of a tool touches and changes, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.problems import plain
from carob.pair.readings import Counted, Spot, Step
from carob.result.explanation import TINY, Instance, Share
from carob.result.result import whole

LONGEST = 12
"""A longer mention is shown without its middle."""

Credit = tuple[str, Spot, float]


class Change(NamedTuple):
    """A place on one side: the mentions that a rule takes away, and those that it brings, with
    what each counts.
    """

    side: str
    start: int
    before: list[tuple[Spot, float]]
    after: list[tuple[Spot, float]]


@dataclass(eq=False)
class Places:
    """Where positions are: `starts` are the first ones of documents, `words` what stands in a
    document at the place of a mention (None: not known), `line` the file and line of a position on
    one side.
    """

    starts: IntArray
    words: Callable[[int, Spot], Sequence[str] | None]
    line: Callable[[str, int, int], tuple[str, int]]

    def instance(self, change: Change) -> Instance:
        """A change as an example."""
        doc = int(np.searchsorted(self.starts, change.start, side="right")) - 1
        name, line = self.line(change.side, doc, change.start)
        same = {spot for spot, _ in change.before} == {spot for spot, _ in change.after}
        before, after = (
            self._marked(spots, doc, values=same) for spots in (change.before, change.after)
        )
        return Instance(change.side, name, line, before, after)

    def _marked(self, spots: list[tuple[Spot, float]], doc: int, *, values: bool) -> str:
        marked = []
        for spot, value in spots:
            words = self.words(doc, spot)
            if words is None:
                first = int(self.starts[doc])
                words = [f"{spot.start - first}..{spot.end - first}"]
            words = list(words) or ["-DOCSTART-" if spot.end > spot.start else "without a place"]
            if len(words) > LONGEST:
                words = [*words[: LONGEST // 2], "…", *words[-LONGEST // 2 :]]
            text = f"[{plain(' '.join(words))}]{plain(spot.label)}"
            marked.append(f"{text} counts {whole(value)}" if values else text)
        return " ".join(marked) or "no mention"


def share_of(before: Counted, step: Step, examples: int, places: Places) -> Share:
    """What a rule touches and changes, with examples in the order of the file."""
    gone = Counter(before.credits) - Counter(step.counted.credits)
    new = Counter(step.counted.credits) - Counter(before.credits)
    gold, system = (max(_size(gone, side), _size(new, side)) for side in ("gold", "system"))
    changes = {
        name: _change(before.values[name], after) for name, after in step.counted.values.items()
    }
    shown = changed_places(gone, new)[:examples] if examples else []
    return Share(
        step.rule, step.why, gold, system, changes, step.labels,
        tuple(places.instance(change) for change in shown),
    )  # fmt: skip


def _change(before: float | None, after: float | None) -> float:
    """The difference; one to no value is one to 0."""
    change = (after or 0.0) - (before or 0.0)
    return change if abs(change) > TINY else 0.0


def _size(credits: Counter[Credit], side: str) -> int:
    return sum(count for (own, _, _), count in credits.items() if own == side)


def changed_places(gone: Iterable[Credit], new: Iterable[Credit]) -> list[Change]:
    """The places that changed, in the order of the file. Mentions of one side that overlap are one
    place.

    >>> one, two = Spot(((0, 2),), "A"), Spot(((1, 2),), "A")
    >>> len(changed_places([("gold", one, 1.0)], [("gold", two, 1.0), ("system", two, 1.0)]))
    2
    """
    rows = [(side, spot, value, 0) for side, spot, value in gone]
    rows += [(side, spot, value, 1) for side, spot, value in new]
    rows.sort(key=lambda row: (row[0], row[1].start, row[1].end, row[3]))
    made: list[Change] = []
    end = -1
    for side, spot, value, which in rows:
        if not made or made[-1].side != side or spot.start >= end:
            made.append(Change(side, spot.start, [], []))
            end = spot.end
        end = max(end, spot.end)
        (made[-1].after if which else made[-1].before).append((spot, value))
    return sorted(made, key=lambda change: (change.start, change.side))

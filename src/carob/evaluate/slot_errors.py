"""What is wrong with the slots that a system fills: the errors of MUC, and answers made up."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from carob.arrays.join import join, packed, rest
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Words
from carob.corpus.problems import UsageError, nearest
from carob.corpus.tables import UNKNOWN
from carob.evaluate._gains import gains, order, scores_of
from carob.evaluate._ledger import write_ledger
from carob.evaluate.changes import Changes
from carob.evaluate.errors import SLOT_TYPES, Errors
from carob.evaluate.run import Run
from carob.explain.slot_examples import SlotExample, slot_example
from carob.explain.slot_gains import corrected
from carob.explain.slots import KINDS, Judged, confused
from carob.pair.pair import Pair
from carob.recipe import parse
from carob.result.scores import whole

MADE_UP = "ungrounded"
RIGHT = KINDS.index("COR")


class Found:
    """What a system did with the slots of gold."""

    def __init__(self, pair: Pair) -> None:
        space = parse("templates.F1").space
        self.pair, self.judged = pair, Judged.of(space(pair))
        self.made_up: BoolArray = pair.filled.made_up

    def rows(self, kind: str) -> BoolArray:
        """Which of the judged are of a type; what is made up and wrong is of another one, too."""
        here: BoolArray = self.judged.kind != RIGHT
        if kind == MADE_UP:
            here &= np.append(self.made_up, False)[self.judged.system]
        else:
            here = self.judged.kind == KINDS.index(kind)
        return here

    def label(self, *, system: bool = False) -> IntArray:
        """The row that each of the judged counts in."""
        filled, judged = self.pair.filled, self.judged
        theirs = np.append(filled.system.label, UNKNOWN)[judged.system]
        ours = np.append(filled.gold.label, UNKNOWN)[judged.gold]
        return theirs if system else np.where(judged.gold < 0, theirs, ours)

    def counts(self) -> dict[str, IntArray]:
        """The number of each type in each row of slots."""
        size = len(self.pair.filled.labels)
        return {
            kind: np.bincount(
                self.label(system=kind == MADE_UP)[self.rows(kind)], minlength=size
            )
            for kind in (*KINDS, MADE_UP)
        }  # fmt: skip

    def better(self, kinds: Sequence[str]) -> Pair:
        """The pair without the errors of some types."""
        wrong = np.zeros(len(self.judged), bool)
        for kind in kinds:
            wrong |= self.rows(kind)
        return corrected(self.pair, self.judged, wrong)

    def example(self, row: int) -> SlotExample:
        """One of the judged, ready to be looked at."""
        made_up = bool(np.append(self.made_up, False)[self.judged.system[row]])
        return slot_example(self.pair, self.judged, row, grounded=not made_up)

    def examples(self, kind: str, count: int, label: int | None) -> list[SlotExample]:
        """Some of a type, spread evenly over all there are."""
        here = self.rows(kind)
        if label is not None:
            here = here & ((self.label() == label) | (self.label(system=True) == label))
        rows = np.flatnonzero(here)
        return [self.example(row) for row in _some(rows, count).tolist()]

    def of_gold(self) -> IntArray:
        """For each filler of gold which of the judged it is; -1 if it does not count."""
        where = np.full(len(self.pair.filled.gold), UNKNOWN)
        rows = np.flatnonzero(self.judged.gold >= 0)
        where[self.judged.gold[rows]] = rows
        return where


def slot_errors(
    run: Run, words: Callable[[int], Words], examples: int, kinds: Sequence[str],
    label: str | None, ledger_to: str | os.PathLike[str] | None, spaces: Sequence[Any],
) -> Errors:  # fmt: skip
    """The errors of the first system of a run; with a second, also what that fixed and broke."""
    first, *others = (Found(pair) for pair in run.pairs.values())
    pair, recipes = first.pair, run.recipes
    labels = pair.filled.labels
    if label is not None and label not in labels:
        raise UsageError(f"no slot is called {label!r}{nearest(label, labels)}")
    which = None if label is None else labels.index(label)
    counts = first.counts()
    there = [kind for kind in SLOT_TYPES if first.rows(kind).any()]
    now = scores_of(pair, recipes)
    if ledger_to is not None:
        write_ledger(ledger_to, pair, spaces, words)
    return Errors(
        next(iter(run.pairs)),
        {kind: whole(float(count.sum())) for kind, count in counts.items()},
        {
            each: {kind: whole(float(count[i])) for kind, count in counts.items()}
            for i, each in enumerate(labels)
        },
        confused(pair, first.judged),
        gains(first.better, SLOT_TYPES, there, recipes, now),
        now,
        order(first.better, [kind for kind in there if kind != MADE_UP], recipes[0]),
        examples={kind: first.examples(kind, examples, which) for kind in kinds if examples},
        changes=_changes(first, others[0], examples) if others else None,
        systems=run.system_files(),
        remarks=run.remarks,
        signature=run.signature(),
        kinds=SLOT_TYPES[:-1],
    )


def _changes(first: Found, second: Found, count: int) -> Changes:
    """What the second system fixed and broke.

    A filler of gold that only the second has right is fixed, under the type of the error that is
    gone; one that only the first has right is broken, under the type of the new error. An answer
    too many that only the first gives is a fixed SPU, one that only the second gives a broken one.
    """
    before, after = first.of_gold(), second.of_gold()
    counted = np.flatnonzero((before != UNKNOWN) & (after != UNKNOWN))
    old, new = first.judged.kind[before[counted]], second.judged.kind[after[counted]]
    fixed, broken = (old != RIGHT) & (new == RIGHT), (old == RIGHT) & (new != RIGHT)
    told = [_by_kind(old[fixed]), _by_kind(new[broken])]
    left, right = _extra(first, second)
    taken = join(left, right)
    for found, all_of, gone in ((told[0], left, taken[0]), (told[1], right, taken[1])):
        if len(all_of) > len(gone):
            found["SPU"] = len(rest(len(all_of), gone))

    def shown(which: BoolArray) -> list[tuple[SlotExample, SlotExample]]:
        return [
            (first.example(int(before[row])), second.example(int(after[row])))
            for row in _some(counted[which], count).tolist()
        ]

    return Changes(told[0], told[1], shown(fixed), shown(broken))


def _by_kind(kinds: IntArray) -> dict[str, int]:
    counts = np.bincount(kinds, minlength=len(KINDS))
    return {KINDS[k]: int(counts[k]) for k in np.flatnonzero(counts).tolist()}


def _extra(first: Found, second: Found) -> tuple[IntArray, IntArray]:
    """Document, slot and text of the answers too many of two systems, as comparable numbers."""
    seen: dict[str, int] = {}
    columns = []
    for found in (first, second):
        filled = found.pair.filled
        rows = found.judged.system[found.rows("SPU")]
        codes = filled.texts.system[filled.system.realisations[rows]]
        names = [filled.texts.values[code] if code >= 0 else "" for code in codes.tolist()]
        text = np.array([seen.setdefault(name, len(seen)) for name in names], np.int64)
        columns.append([filled.system.doc[rows], filled.system.label[rows], text])
    return packed(columns[0], columns[1])


def _some(rows: IntArray, count: int) -> IntArray:
    if len(rows) <= count:
        return rows
    return rows[np.linspace(0, len(rows) - 1, count).round().astype(np.int64)]


def misplaced(confusion: Mapping[str, Mapping[str, float]]) -> int:
    """How many right strings stand in another slot: all beside the diagonal, of two slots.

    >>> misplaced({"a": {"a": 3, "b": 2, "_": 1}, "b": {"a": 0, "b": 0, "_": 0}, "_": {"a": 5}})
    2
    """
    names = list(confusion)[:-1]
    return int(sum(confusion[a].get(b, 0) for a in names for b in names if a != b))

"""The best assignment in any bipartite graph with weights: exact, for the few odd components.

The Hungarian method, gold rows inserted one by one, each by a shortest path. It leaves a price for
every row and column. An edge is *tight* when its weight is the sum of its two prices, and the best
assignments are just those made of tight edges that use every row and column whose price is not 0.
So all assignments that are as good as this one are known, and the first of them can be chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carob.arrays.types import BoolArray, IntArray

Numbers = np.ndarray[Any, Any]
"""Whole numbers: 64 bits, or Python's own if those are too short."""

NONE = -1


class TooManyStepsError(Exception):
    """The best assignment is not found in the steps that are allowed; `gold` is one of its rows."""

    gold: int = NONE


@dataclass(slots=True, eq=False)
class Work:
    """How many steps are left."""

    left: int

    def step(self, count: int = 1) -> None:
        """Take one, or several."""
        self.left -= count
        if self.left < 0:
            raise TooManyStepsError


def optimum(
    row: IntArray, column: IntArray, weight: Numbers, work: Work,
    *, smallest: bool = True,
) -> BoolArray:  # fmt: skip
    """Which edges the heaviest assignment takes. Edges are sorted, weights are above 0.

    Of several, the one whose sorted list of edges is the smallest; without `smallest`, any of them,
    though always the same one.

    >>> edges = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> optimum(*edges, np.array([2, 3, 3, 4]), Work(100))
    array([ True, False, False,  True])
    """
    row, column = ranks(row), ranks(column)
    first = np.searchsorted(row, np.arange(row[-1] + 2))
    height, width = len(first) - 1, int(column.max()) + 1
    best = _Assignment(
        first, column, weight, weight[:1].repeat(height) * 0, weight[:1].repeat(width) * 0,
        np.full(height, NONE), np.full(width, NONE), work,
    )  # fmt: skip
    for each in range(height):
        best.insert(each)
    if smallest:
        tight = np.asarray(best.row_price[row] + best.column_price[column] == weight, bool)
        _Choice(best, tight).make_smallest()
    taken: BoolArray = best.place[row] == column
    return taken


def ranks(values: IntArray) -> IntArray:
    """The values, at least one, numbered 0, 1, ... in their order, without gaps.

    >>> ranks(np.array([7, 3, 7, 9]))
    array([1, 0, 1, 2], dtype=int32)
    """
    values = values - values.min()
    occurs = np.zeros(int(values.max()) + 1, bool)
    occurs[values] = True
    numbers: IntArray = np.cumsum(occurs, dtype=np.int32)
    return numbers[values] - np.int32(1)


@dataclass(slots=True, eq=False)
class _Assignment:
    """The rows inserted so far, at their places. The edges of row i are first[i]:first[i + 1]."""

    first: IntArray
    column: IntArray
    weight: Numbers
    row_price: Numbers
    column_price: Numbers
    place: IntArray
    owner: IntArray
    work: Work

    def insert(self, row: int) -> None:
        """Find a place for one more row, so that the assignment of all rows so far is best.

        Prices never undercut a weight: row_price + column_price >= weight, with equality where a
        row has its place; a row without a place and a free column cost 0. The distance of a column
        is what the total loses when it is taken away from its owner.
        """
        edges = slice(self.first[row], self.first[row + 1])
        price = (self.weight[edges] - self.column_price[self.column[edges]]).max()
        if price <= 0:
            return
        self.row_price[row] = price
        # How far each column is: `distance` for those still to visit, `bound` for all. Visited
        # columns are out of reach of the one, and cannot come nearer by the other.
        distance = np.full(len(self.owner), price, self.weight.dtype)
        bound = distance.copy()
        taker_of = np.full(len(self.owner), NONE)
        rows, at, columns = [row], [0 * price], []
        # The search ends at a row that can go without a column, or at a free column.
        end, end_row, end_column = price, row, NONE
        here, gone = row, 0 * price
        while True:
            self.work.step()
            edges = slice(self.first[here], self.first[here + 1])
            near = self.column[edges]
            slack = self.column_price[near] - self.weight[edges] + (gone + self.row_price[here])
            better = (slack < bound[near]).nonzero()[0]
            near, slack = near[better], slack[better]
            distance[near], bound[near], taker_of[near] = slack, slack, here
            free = (self.owner[near] == NONE).nonzero()[0]
            if len(free):
                best = int(free[slack[free].argmin()])
                if slack[best] < end:
                    end, end_column = slack[best], int(near[best])
            column = int(distance.argmin())
            gone = distance[column]
            if gone >= end:
                break
            distance[column], bound[column] = price, -1
            here = int(self.owner[column])
            rows.append(here)
            at.append(gone)
            columns.append(column)
            if gone + self.row_price[here] < end:
                end, end_row, end_column = gone + self.row_price[here], here, NONE
        for each, passed in zip(rows, at, strict=True):
            self.row_price[each] -= end - passed
        for each, passed in zip(columns, at[1:], strict=True):
            self.column_price[each] += end - passed
        if end_column == NONE:
            if end_row == row:
                return
            end_column = int(self.place[end_row])
            self.place[end_row] = NONE
        while True:
            taker = int(taker_of[end_column])
            before = int(self.place[taker])
            self.place[taker], self.owner[end_column] = end_column, taker
            if taker == row:
                return
            end_column = before


@dataclass(slots=True, eq=False)
class _Choice:
    """Goes from one best assignment to the smallest: each row in turn takes the first column it
    can, and then keeps it.

    A row that loses its column takes another along a tight edge, or goes without if its price is 0.
    `outside` represents all rows and columns without a partner; leaving or joining it is a step
    from it or to it.
    """

    best: _Assignment
    tight: BoolArray
    near: list[list[int]] = field(default_factory=list)
    outside: int = NONE

    def make_smallest(self) -> None:
        """Change the assignment to the smallest that is as good."""
        best = self.best
        for low, high in zip(best.first[:-1].tolist(), best.first[1:].tolist(), strict=True):
            self.near.append(best.column[low:high][self.tight[low:high]].tolist())
        self.outside = len(best.owner)
        kept: set[int] = set()
        for row, near in enumerate(self.near):
            now = int(best.place[row])
            wanted = [c for c in near if c not in kept and (now == NONE or c < now)]
            if wanted:
                visited = self._improve(row, wanted, kept)
                # Each takes a tenth of the time of a step on the way to the assignment.
                best.work.step(1 + visited // 8)
            kept.add(int(best.place[row]))

    def _improve(self, row: int, wanted: list[int], kept: set[int]) -> int:
        """Let the row take the first wanted column that its owner can give up; how many columns
        were visited to find out.
        """
        best = self.best
        now = int(best.place[row])
        goal = self.outside if now == NONE else now
        came: dict[int, tuple[int, int]] = {}
        for column in wanted:
            if column in came:
                continue
            came[column] = (NONE, row)
            waiting = [column]
            while waiting:
                here = waiting.pop()
                if here == goal:
                    self._move(goal, came)
                    return len(came)
                for after, mover in self._steps(here):
                    if after not in came and after not in kept:
                        came[after] = (here, mover)
                        waiting.append(after)
        return len(came)

    def _steps(self, here: int) -> list[tuple[int, int]]:
        """The columns that the row losing `here` can take, and that row (NONE: the outside)."""
        best = self.best
        if here != self.outside:
            owner = int(best.owner[here])
            if owner == NONE:
                return [(self.outside, NONE)]
            steps = [(column, owner) for column in self.near[owner]]
            if best.row_price[owner] == 0:
                steps.append((self.outside, owner))
            return steps
        steps = [(c, NONE) for c in np.flatnonzero(best.column_price == 0).tolist()]
        for other in np.flatnonzero(best.place == NONE).tolist():
            steps += [(column, other) for column in self.near[other]]
        return steps

    def _move(self, goal: int, came: dict[int, tuple[int, int]]) -> None:
        """Every row on the path to the goal takes the next column."""
        moves = []
        here = goal
        while here != NONE:
            before, mover = came[here]
            moves.append((mover, here))
            here = before
        for mover, column in moves:
            if column == self.outside:
                if mover != NONE:
                    self.best.place[mover] = NONE
                continue
            self.best.owner[column] = mover
            if mover != NONE:
                self.best.place[mover] = column

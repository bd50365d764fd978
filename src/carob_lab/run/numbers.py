"""The numbers of an experiment: means over splits, pooled scores, intervals and tests.

Documents are the units. All counts of a document, from every split that tests on it, are one row of
a table; a resample takes rows, and a trial exchanges the rows of two learners. So the intervals and
tests of `infer` work as they are: only the score is another function of the column sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from carob.arrays.types import FloatArray
from carob.average.label import Label
from carob.counts.tally import Statistic, Table
from carob.evaluate.compare import trials_for
from carob.evaluate.score import cut
from carob.infer.interval import default, intervals
from carob.infer.quantiles import two_sided
from carob.infer.randomization import Randomization
from carob.infer.ranking import holm
from carob.infer.resampling import Sampler, Units
from carob.plugin import Averaged
from carob.recipe import Recipe
from carob.result.result import number_or_none
from carob_lab.report.experiment import Comparison, CurvePoint, Estimate
from carob_lab.run.cells import Finished


@dataclass(frozen=True)
class Row:
    """A row of a table: a recipe, for all slots or for one."""

    recipe: Recipe
    label: str | None = None

    @property
    def scored(self) -> Recipe:
        """The recipe with the average over this label."""
        return (
            self.recipe if self.label is None else replace(self.recipe, average=Label(self.label))
        )


def table_rows(recipes: Sequence[Recipe], slots: Sequence[str], *, labels: bool) -> list[Row]:
    """Every recipe, and if `labels`, also for every slot where it is a micro average."""
    rows = [Row(recipe) for recipe in recipes]
    if labels:
        micro = [recipe for recipe in recipes if recipe.average.name == "micro"]
        rows += [Row(recipe, slot) for recipe in micro for slot in slots]
    return rows


@dataclass(frozen=True)
class Documents:
    """The documents that some split tests on, in the order of their ids: the units."""

    place: Mapping[str, int]

    @classmethod
    def of(cls, cells: Sequence[Finished]) -> Documents:
        """Those of these cells."""
        ids = sorted({each for done in cells for each in done.cell.test})
        return cls({name: place for place, name in enumerate(ids)})

    @property
    def units(self) -> Units:
        """What is resampled."""
        return Units.of(len(self.place))


class Stack:
    """One score in several cells: a table with a row for each document, and for each cell the
    columns that the score is a function of.
    """

    def __init__(
        self, recipe: Recipe, cells: Sequence[Finished], corpus_order: Mapping[str, int],
        documents: Documents, weights: Sequence[float] | None = None,
    ) -> None:  # fmt: skip
        self.recipe, self.cells = recipe, cells
        self.weights = np.ones(len(cells)) if weights is None else np.array(weights, np.float64)
        self._tables = [
            recipe.average.table(recipe.measure, done.tallies[recipe.space], None)
            for done in cells
        ]  # fmt: skip
        self._width = self._tables[0].width
        columns = np.zeros((len(documents.place), len(cells) * self._width))
        for number, (done, table) in enumerate(zip(cells, self._tables, strict=True)):
            # The units of a tally are the test documents in the order of the corpus.
            ids = sorted(done.cell.test, key=corpus_order.__getitem__)
            rows = np.array([documents.place[name] for name in ids], np.int64)
            part = slice(number * self._width, (number + 1) * self._width)
            columns[rows, part] = table.rows(np.arange(table.units))
        self.table = Table.of(columns)

    def cell_values(self, sums: FloatArray) -> FloatArray:
        """The score of each cell: draws x cells."""
        values = self._value(sums.reshape(-1, self._width))
        return values.reshape(len(sums), len(self.cells))

    def values(self, sums: FloatArray) -> FloatArray:
        """The mean over cells, and the score of all counts together: draws x 2."""
        each = self.cell_values(sums)
        there = ~np.isnan(each)
        weight = there @ self.weights
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(there, each, 0.0) @ self.weights / np.where(weight > 0, weight, np.nan)
        pooled = self._value(sums.reshape(len(sums), len(self.cells), -1).sum(axis=1))
        return np.stack([mean, pooled.reshape(len(sums))], axis=1)

    @cached_property
    def statistic(self) -> Statistic:
        """Mean and pooled score, as `infer` takes them."""
        return Statistic(self.table, self.values)

    @cached_property
    def by_cell(self) -> FloatArray:
        """The score of each cell."""
        values: FloatArray = self.cell_values(self.table.sums[None])[0]
        return values

    def by_split(self) -> dict[str, float]:
        """The score of each split, the mean over its seeds, and over its sizes by their weights."""
        found = {}
        for split in dict.fromkeys(done.cell.split for done in self.cells):
            there = [i for i, done in enumerate(self.cells)
                     if done.cell.split == split and not math.isnan(self.by_cell[i])]  # fmt: skip
            weight = math.fsum(self.weights[there])
            total = math.fsum(self.weights[there] * self.by_cell[there])
            found[split] = total / weight if weight else math.nan
        return found

    def _value(self, sums: FloatArray) -> FloatArray:
        recipe, table = self.recipe, self._tables[0]
        averaged: Averaged = recipe.average.value(recipe.measure, table, sums, None)
        return averaged.value


def _mean(values: Sequence[float]) -> float:
    there = [value for value in values if not math.isnan(value)]
    return math.fsum(there) / len(there) if there else math.nan


def estimates(
    stacks: Sequence[Stack], units: Units, resamples: int, seed: int
) -> list[Estimate]:  # fmt: skip
    """Mean and pooled score of each stack, with intervals."""
    if not stacks:
        return []
    method = default(len(units)) if resamples else None
    statistics = [stack.statistic for stack in stacks]
    made: Sequence[Any] = [None] * len(stacks)
    if method is not None and len(units) > 1:
        made = intervals(method, statistics, units, resamples, seed)
    found = []
    for stack, own in zip(stacks, made, strict=True):
        limits = stack.recipe.measure.range
        ends = [(None, None)] * 2 if own is None else [cut(each, limits) for each in own]
        mean, pooled = (number_or_none(value) for value in stack.statistic.point)
        splits = stack.by_split()
        found.append(Estimate(
            mean, _deviation(list(splits.values())), pooled, *ends[0], *ends[1],
            {split: number_or_none(value) for split, value in splits.items()},
        ))  # fmt: skip
    return found


def _deviation(values: Sequence[float]) -> float | None:
    """The standard deviation over splits; None over fewer than two."""
    there = [value for value in values if not math.isnan(value)]
    if len(there) < 2:
        return None
    return float(np.std(there, ddof=1))


def corrected_t(differences: Sequence[float], test_over_train: float) -> float | None:
    """The p of the corrected resampled t test: training sets of different splits overlap.

    t = mean(d) / sqrt((1/J + n_test/n_train) s^2), with J - 1 degrees of freedom. If all
    differences are alike, p is 0, or 1 if they are 0. None for fewer than two splits. Nadeau &
    Bengio (2003), "Inference for the generalization error".

    >>> round(corrected_t([0.02, 0.03, 0.01, 0.04], 1.0), 4)
    0.1817
    """
    count = len(differences)
    if count < 2 or any(map(math.isnan, differences)):
        return None
    mean = math.fsum(differences) / count
    variance = math.fsum((each - mean) ** 2 for each in differences) / (count - 1)
    if variance <= 1e-30:
        return 1.0 if abs(mean) <= 1e-12 else 0.0
    return two_sided(mean / math.sqrt((1 / count + test_over_train) * variance), count - 1)


@dataclass(frozen=True)
class Contender:
    """A learner, or a strategy, that is compared with others: its finished cells."""

    name: str
    cells: Sequence[Finished]
    weights: Sequence[float] | None = None

    @property
    def blocks(self) -> list[Block]:
        """The block of each cell. Of two learners with different seeds, the first seed of one meets
        the first of the other, and so on.
        """
        seeds = sorted({done.cell.seed for done in self.cells})
        return [Block(done.cell.split, seeds.index(done.cell.seed), done.cell.size)
                for done in self.cells]  # fmt: skip

    def only(self, blocks: set[Block]) -> Contender:
        """The cells of these splits, seeds and sizes."""
        kept = [i for i, block in enumerate(self.blocks) if block in blocks]
        weights = None if self.weights is None else [self.weights[i] for i in kept]
        return Contender(self.name, [self.cells[i] for i in kept], weights)


class Block(NamedTuple):
    """What two learners are compared on: a split, the place of a seed among its own, and a size."""

    split: str
    seed: int
    size: str


def compare(
    pairs: Sequence[tuple[Contender, Contender]], rows: Sequence[Row],
    corpus_order: Mapping[str, int], *, resamples: int, trials: int | None, seed: int,
) -> list[Comparison]:  # fmt: skip
    """Compare pairs on every row, each over the splits and seeds that both have; p values are
    corrected over all of them.
    """
    tests = len(pairs) * len(rows)
    trials = trials or trials_for(tests)
    found: list[Comparison] = []
    for a, b in pairs:
        common = set(a.blocks) & set(b.blocks)
        if common:
            found += _compared(a.only(common), b.only(common), rows, corpus_order,
                               resamples, trials, seed)  # fmt: skip
    tested = [i for i, each in enumerate(found) if each.p is not None]
    adjusted = holm([float(found[i].p or 0.0) for i in tested]).tolist()
    for i, p in zip(tested, adjusted, strict=True):
        found[i] = replace(found[i], p_holm=p)
    return found


def _compared(
    a: Contender, b: Contender, rows: Sequence[Row], corpus_order: Mapping[str, int],
    resamples: int, trials: int, seed: int,
) -> list[Comparison]:  # fmt: skip
    documents = Documents.of([*a.cells, *b.cells])
    units = documents.units
    stacks = [
        Stack(row.scored, side.cells, corpus_order, documents, side.weights)
        for row in rows for side in (a, b)
    ]  # fmt: skip
    sampler = Sampler([stack.statistic for stack in stacks], units)
    contrasts = [(2 * i + 1, 2 * i) for i in range(len(rows))]
    made: Sequence[Any] = [None] * len(rows)
    if resamples and len(units) > 1:
        method = default(len(units))
        made = intervals(method, sampler, units, resamples, seed, contrasts)
    verdicts = Randomization(trials).every(sampler, contrasts, np.random.default_rng(seed))
    found = []
    for i, row in enumerate(rows):
        first, second = stacks[2 * i], stacks[2 * i + 1]
        [verdict] = verdicts[i]
        difference = number_or_none(verdict.difference[0])
        widest = row.recipe.measure.range[1] - row.recipe.measure.range[0]
        interval = None if made[i] is None else made[i][0]
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        found.append(Comparison(
            a.name, b.name, str(row.recipe), row.label, difference,
            None if low is None else max(low, -widest),
            None if high is None else min(high, widest),
            number_or_none(verdict.p[0]), None, _corrected(first, second),
            verdict.differing, verdict.exact, len(first.by_split()),
            row.recipe.measure.lower_is_better,
        ))  # fmt: skip
    return found


def _corrected(a: Stack, b: Stack) -> float | None:
    """The corrected t test over splits. Without a value in some split there is none."""
    ours, theirs = a.by_split(), b.by_split()
    ratio = _mean([len(done.cell.test) / max(len(done.cell.train), 1) for done in a.cells])
    return corrected_t([theirs[split] - ours[split] for split in ours], ratio)


def pairs_of(contenders: Sequence[Contender]) -> list[tuple[Contender, Contender]]:
    """Every two of them."""
    return list(combinations(contenders, 2))


def areas(sizes: Sequence[float]) -> list[float]:
    """The weight that each size of a curve has in the area under it, over the logarithm of the
    size: the trapezoid rule. The weights add up to 1, so the area is a mean height.

    >>> [round(weight, 3) for weight in areas([10, 20, 80])]
    [0.167, 0.5, 0.333]
    """
    if len(sizes) < 2:
        return [1.0] * len(sizes)
    logs = [math.log(size) for size in sizes]
    weights = [0.0] * len(sizes)
    for i in range(len(sizes) - 1):
        for end in (i, i + 1):
            weights[end] += (logs[i + 1] - logs[i]) / 2 / (logs[-1] - logs[0])
    return weights


def overtaking(points: Sequence[CurvePoint]) -> list[dict[str, Any]]:
    """Where a learner that is behind at first is ahead at the end: from which size on it stays.

    >>> point = lambda name, size, mean: CurvePoint(name, "", size, size, "F1", mean)
    >>> curve = [point("a", 10, 0.5), point("a", 20, 0.6), point("b", 10, 0.4), point("b", 20, 0.7)]
    >>> overtaking(curve)
    [{'recipe': 'F1', 'learner': 'b', 'overtakes': 'a', 'size': 20}]
    """
    curves: dict[str, dict[str, dict[float, float]]] = {}
    for point in points:
        if point.mean is not None:
            own = curves.setdefault(point.recipe, {}).setdefault(point.learner, {})
            own[point.documents] = point.mean
    found = []
    for recipe, learners in curves.items():
        for one, other in combinations(learners, 2):
            sizes = sorted(learners[one].keys() & learners[other].keys())
            ahead = [learners[one][size] - learners[other][size] for size in sizes]
            if len(sizes) < 2 or ahead[0] * ahead[-1] >= 0:
                continue
            at = len(ahead) - 1
            while at > 0 and ahead[at - 1] * ahead[-1] > 0:
                at -= 1
            last, behind = (one, other) if ahead[-1] > 0 else (other, one)
            size: Any = sizes[at]
            found.append({"recipe": recipe, "learner": last, "overtakes": behind,
                          "size": int(size) if float(size).is_integer() else size})  # fmt: skip
    return found

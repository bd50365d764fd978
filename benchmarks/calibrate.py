"""Do intervals cover the true score, and does the test reject too often? A simulation.

A population of 12,000 documents of uneven length and difficulty, with five labels, one of which has
2 % of the mentions; systems of three qualities, and a twin of the first that is equally good on
every document. A world is n documents, drawn with replacement; the truth is the score of the whole
population. Documents are counted once, by carob's own event spaces; worlds draw their counts. Every
document is also a record with its mentions as values, so that slots and records are scored too.

    python benchmarks/calibrate.py [--worlds 2000] [--drawn 400] [--tests 1000] [--seed 0]

Prints Markdown: for each measure and number of documents, the coverage of 95 % intervals (the
lowest of the systems) and their mean width; then what falls short. Methods that draw have fewer
worlds (`--drawn`). Type I is how often the test rejects at .05 although two systems are equally
good.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.counts.tally import Items, Statistic, Table
from carob.evaluate.options import Options
from carob.evaluate.run import prepare
from carob.evaluate.score import average_statistic, count_events, label_statistic
from carob.infer.effective import Effective
from carob.infer.interval import Bca, JackknifeT, Method, Percentile, intervals
from carob.infer.randomization import Randomization
from carob.infer.resampling import Contrast, Sampler, Units
from carob.recipe import Recipe

SIZES = (10, 30, 100)
LABELS, SHARES = "ABCDE", (0.40, 0.30, 0.20, 0.08, 0.02)
SKILLS = {"fair": (0.8, 6.0), "twin": (0.8, 6.0), "good": (0.965, 12.0), "best": (0.99, 12.0)}
"""The mean skill of each system, and how similar documents are to each other (larger: more)."""

MEASURES = {
    "exact P R F1": ["exact.P", "exact.R", "exact.F1"],
    "exact P R F1 macro": ["exact.P@macro", "exact.R@macro", "exact.F1@macro"],
    "exact F1 weighted": ["exact.F1@weighted"],
    "overlap": ["overlap.P", "overlap.R", "overlap.F1"],
    "ts macro": ["ts.P@macro", "ts.R@macro", "ts.F1@macro"],
    "ts, token micro": ["ts.P", "ts.R", "ts.F1", "token.F1"],
    "fair": ["fair.P", "fair.R", "fair.F1"],
    "nugget": ["nugget.P", "nugget.R", "nugget.F1"],
    "slots SER": ["slots.SER"],
    "slots SER macro": ["slots.SER@macro"],
    "kappa, mcc": ["ts.kappa", "ts.mcc", "ts.kappa@macro"],
    "macro-doc": ["exact.F1@macro-doc", "nugget.F1@macro-doc-pr", "fields.F1@macro-doc"],
    "oas": ["oas.P", "oas.R", "oas.F1"],
    "oaod, oads": ["oaod.F1", "oads.P", "oads.R", "oads.F1"],
    "templates": ["templates.P", "templates.R", "templates.F1", "templates.SER"],
    "ceaf-ree": ["ceaf-ree.P", "ceaf-ree.R", "ceaf-ree.F1"],
    "fields": ["fields.P", "fields.R", "fields.F1", "fields.ERR"],
    "records": ["record.exact", "record(t=0.8).exact", "record(t=0.8).automation"],
    "Brier": ["record.Brier"],
    "ECE": ["record.ECE"],
    "AUROC": ["record.AUROC"],
    "rows: label of 40 %": ["exact.F1 A"],
    "rows: label of 2 %": ["exact.F1 E"],
}  # fmt: skip
"""The recipes of each row of the table; one with a label after it is the row of that label."""


class Population:
    """Gold, and what each system makes of it, as documents that `Corpus.of` takes."""

    def __init__(self, documents: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.sides: dict[str, list[dict[str, Any]]] = {name: [] for name in ("gold", *SKILLS)}
        for _ in range(documents):
            self._add()

    def _add(self) -> None:
        """One more document. The twins have the same skill in it."""
        rng = self.rng
        length = int(min(150, 8 + rng.gamma(1.5, 25)))
        gold, place = [], int(rng.exponential(7))
        while place < length:
            size = int(rng.choice((1, 1, 1, 2, 2, 3)))
            if place + size <= length:
                gold.append((place, place + size, self._label()))
            place += size + 1 + int(rng.exponential(7))
        self._write("gold", length, gold, 1.0)
        skill = 0.0
        for name, (mean, spread) in SKILLS.items():
            if name != "twin":
                skill = float(rng.beta(mean * spread, (1 - mean) * spread))
            self._write(name, length, self._answers(gold, length, skill), skill)

    def _label(self) -> str:
        return str(self.rng.choice(list(LABELS), p=SHARES))

    def _answers(
        self, gold: Sequence[tuple[int, int, str]], length: int, skill: float
    ) -> list[tuple[int, int, str]]:
        """What a system of this skill finds: labels and ends may be wrong, some is spurious."""
        rng, found = self.rng, []
        for start, end, label in gold:
            if rng.random() < skill + 0.1 * (1 - skill):
                found.append((start, end, label))
            else:
                kind = rng.random()
                if kind < 0.3:
                    found.append((start, end, self._label()))
                elif kind < 0.5 and end - start > 1:
                    found.append((start, end - 1, label))
                elif kind < 0.7:
                    found.append((start, min(end + 1, length), label))
                elif kind < 0.75:
                    found.append((start, min(end + 1, length), self._label()))
            if end + 1 < length and rng.random() < 0.25 * (1 - skill):
                found.append((end, end + 1, self._label()))
        return list(dict.fromkeys(found))

    def _write(
        self, side: str, length: int, mentions: Sequence[tuple[int, int, str]], skill: float
    ) -> None:
        """A document with its mentions, and the same as one record. Its confidence is about the
        skill of its system.
        """
        slots: dict[str, list[str]] = {}
        for start, end, label in mentions:
            slots.setdefault(label, []).append(" ".join(f"w{i}" for i in range(start, end)))
        sure = float(np.clip(skill**3 + self.rng.normal(0, 0.1), 0.01, 1.0))
        self.sides[side].append({
            "id": f"d{len(self.sides[side])}",
            "tokens": [f"w{i}" for i in range(length)],
            "mentions": [{"start": s, "end": e, "label": label} for s, e, label in mentions],
            "templates": [{"slots": slots} | ({} if side == "gold" else {"confidence": sure})],
        })  # fmt: skip


@dataclass
class Tallied:
    """The counts of every document, as the statistics of each system under each recipe."""

    statistics: list[Statistic]
    names: list[tuple[str, str, str, int]]
    """Of each statistic the row of the table, the system, the recipe, and which score it is."""
    rows: dict[int, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(cls, population: Population) -> Tallied:
        """Count everything once."""
        gold, *systems = (Corpus.of(*side) for side in population.sides.values())
        texts = {text.split()[0] for group in MEASURES.values() for text in group}
        options = Options(resamples=0)
        run = prepare(gold, dict(zip(SKILLS, systems, strict=True)), sorted(texts), options)
        recipes = {str(recipe): recipe for recipe in run.recipes}
        statistics: list[Statistic] = []
        names = []
        for system, pair in run.pairs.items():
            counts = count_events(pair, [recipe.space for recipe in run.recipes], run.plan)
            for row, group in MEASURES.items():
                for text in group:
                    written, _, label = text.partition(" ")
                    recipe = recipes[str(Recipe.parse(written))]
                    tally = counts[recipe.space][1]
                    make = label_statistic if label else average_statistic
                    what: Any = recipe.measure if label else recipe
                    statistics.append(make(what, tally, None))
                    place = tally.labels.index(label) if label else 0
                    names.append((row, system, text, place))
        made = cls(statistics, names)
        for each in statistics:
            for table in (each.table, *([each.scale.terms.table] if each.scale.terms else [])):
                if id(table) not in made.rows:
                    made.rows[id(table)] = table.rows(np.arange(table.units))
        return made

    def only(self, *, means: bool) -> Tallied:
        """The means over labels, or all other scores."""
        kept = [i for i, each in enumerate(self.statistics)
                if (each.scale.terms is not None) == means]  # fmt: skip
        return Tallied([self.statistics[i] for i in kept], [self.names[i] for i in kept], self.rows)

    def world(self, drawn: IntArray) -> Sampler:
        """The same statistics over these documents."""
        tables: dict[int, Table] = {}

        def moved(statistic: Statistic) -> Statistic:
            key, terms = id(statistic.table), statistic.scale.terms
            if key not in tables:
                tables[key] = Table.of(rows := self.rows[key][drawn])
                tables[key].sums = rows.sum(axis=0)
            scale = statistic.scale._replace(terms=None if terms is None else moved(terms))
            return replace(statistic, table=tables[key], scale=scale)

        return Sampler([moved(each) for each in self.statistics], Units.of(len(drawn)))

    def contrasts(self) -> tuple[list[Contrast], list[tuple[str, str, str, int]]]:
        """Every score, and every difference of a system and the one before it; with their names."""
        each: list[Contrast] = [(i,) for i in range(len(self.statistics))]
        names = list(self.names)
        place = {name[1:3]: i for i, name in enumerate(self.names)}
        systems = list(SKILLS)
        for row, system, text, which in self.names:
            if system != systems[0]:
                before = systems[systems.index(system) - 1]
                each.append((place[system, text], place[before, text]))
                names.append((f"difference: {row}", f"{before}, {system}", text, which))
        return each, names


class Worlds(Sampler):
    """Many worlds as one sampler: each score of each world is a score of its own, world by world.
    Means over labels, whose labels belong together, cannot be made in this way.
    """

    def __init__(self, tallied: Tallied, drawn: IntArray) -> None:
        self.rows = tallied.rows
        self.drawn = drawn  # worlds x units
        self.keys: dict[int, int] = {}
        tables: dict[int, Table] = {}
        made = []
        for each in tallied.statistics:
            key = id(each.table)
            if key not in tables:
                tables[key] = Table(drawn.shape[1], each.table.width, ())
                tables[key].sums = self.rows[key][drawn].sum(axis=1)
                self.keys[id(tables[key])] = key
            one = replace(each, table=tables[key])
            one.point = one.values(tables[key].sums).reshape(-1)
            made.append(one)
        super().__init__(made, Units.of(drawn.shape[1]))

    def by_size(self, contrasts: Sequence[Contrast]) -> list[tuple[Sampler, list[Contrast]]]:
        return [(self, list(contrasts))]

    def left_out(
        self, statistics: Sequence[Statistic]
    ) -> Iterator[tuple[int, dict[int, FloatArray]]]:
        values = {}
        for each in {id(one): one for one in statistics}.values():
            rows = self.rows[self.keys[id(each.table)]][self.drawn]
            left = (each.table.sums[:, None] - rows).transpose(1, 0, 2)  # units x worlds x columns
            scores = each.values(left.reshape(-1, rows.shape[-1]))
            values[id(each)] = scores.reshape(left.shape[0], -1)
        if values:
            yield 0, values

    def units_with(self, items: Sequence[tuple[Table, Items]]) -> tuple[IntArray, FloatArray]:
        each = [own(self.rows[self.keys[id(table)]][self.drawn]) for table, own in items]
        there = np.maximum.reduce([one.reshape(*self.drawn.shape, -1) for one in each])
        return (there > 0).sum(axis=1).reshape(-1), there.max(axis=1).reshape(-1)


Cell = tuple[str, int, str, str, str]
"""The row of a table, documents, method, system and recipe."""


@dataclass
class Coverage:
    """How often intervals held the truth, how often there was one, and their widths."""

    held: int = 0
    made: int = 0
    width: float = 0.0

    @property
    def share(self) -> float:
        """Of the worlds with an interval, those in which it holds the truth."""
        return self.held / self.made if self.made else math.nan

    def short(self, goal: float) -> bool:
        """Whether the share is below a goal by more than two Monte Carlo standard errors."""
        error = math.sqrt(goal * (1 - goal) / max(self.made, 1))
        return self.made > 0 and self.share < goal - 2 * error


def simulate(
    tallied: Tallied, method: Method, sizes: Sequence[int], worlds: Sequence[int], seed: int
) -> dict[Cell, Coverage]:
    """The coverage of one method under every recipe and size, in these worlds; many at a time if
    the method draws nothing.
    """
    found: dict[Cell, Coverage] = {}
    together = 1 if method.draws else TOGETHER
    for part in (tallied.only(means=False), tallied.only(means=True)):
        for size in sizes:
            means = part.statistics[0].scale.terms is not None
            step = 1 if means else max(1, together // size)
            for first in range(0, len(worlds), step):
                _simulate(part, method, size, worlds[first : first + step], seed, found)
    return found


TOGETHER = 2_000
"""About how many units of worlds are worked on at a time."""


def _simulate(
    tallied: Tallied, method: Method, size: int, worlds: Sequence[int], seed: int,
    found: dict[Cell, Coverage],
) -> None:  # fmt: skip
    """Add the coverage in some worlds of one size."""
    contrasts, names = tallied.contrasts()
    points = [each.point for each in tallied.statistics]
    truth = [
        points[c[0]][n[3]] - (points[c[1]][n[3]] if len(c) == 2 else 0.0)
        for c, n in zip(contrasts, names, strict=True)
    ]
    population = tallied.statistics[0].table.units
    drawn = np.array([
        np.random.default_rng([seed, size, world]).integers(0, population, size)
        for world in worlds
    ])  # fmt: skip
    sampler = tallied.world(drawn[0]) if len(worlds) == 1 else Worlds(tallied, drawn)
    made = intervals(method, sampler, sampler.units, 1000, worlds[0], contrasts)
    for row, name, true in zip(made, names, truth, strict=True):
        cell = found.setdefault((name[0], size, method.name, *name[1:3]), Coverage())
        width = len(row) // len(worlds)
        for each in row[name[3] :: width]:
            if each.low is not None and each.high is not None:
                cell.made += 1
                cell.held += each.low - 1e-12 <= true <= each.high + 1e-12
                cell.width += each.high - each.low


def rejected(tallied: Tallied, size: int, tests: int, seed: int) -> float:
    """How often the test rejects at .05 although two systems are equally good."""
    rng = np.random.default_rng([seed, size, 1])
    pair = [i for i, name in enumerate(tallied.names)
            if name[2] == "exact.F1" and name[1] in ("fair", "twin")]  # fmt: skip
    population = tallied.statistics[0].table.units
    count = 0
    for trial in range(tests):
        drawn = rng.integers(0, population, size)
        first, second = (
            replace(each, table=Table.of(tallied.rows[id(each.table)][drawn]))
            for each in (tallied.statistics[i] for i in pair)
        )
        verdict = Randomization()(first, second, Units.of(size), np.random.default_rng(trial))
        count += verdict.p.item() <= 0.05
    return count / tests


def table(found: Mapping[Cell, Coverage], sizes: Sequence[int], methods: Sequence[str]) -> str:
    """Markdown: a row for each measure, the lowest coverage and the mean width for each size. Cells
    in which most worlds have no interval, as of AUROC without wrong answers, are left out.
    """
    heads = [f"{method} {size}" for method in methods for size in sizes]
    lines = [f"| measure | {' | '.join(heads)} |", "|:--|" + "--:|" * len(heads)]
    for row in [*MEASURES, *(f"difference: {name}" for name in MEASURES)]:
        texts = []
        for method in methods:
            every = [c for key, c in found.items() if key[2] == method]
            most = max((cell.made for cell in every), default=0)
            for size in sizes:
                own = [c for key, c in found.items()
                       if key[:3] == (row, size, method) and 2 * c.made > most]  # fmt: skip
                lowest = min((c.share for c in own), default=math.nan)
                width = sum(c.width for c in own) / max(sum(c.made for c in own), 1)
                texts.append(f"{100 * lowest:.1f} ({width:.3f})" if own else "–")
        lines.append(f"| {row} | {' | '.join(texts)} |")
    return "\n".join(lines)


def shortfalls(found: Mapping[Cell, Coverage]) -> list[str]:
    """Every cell that does not reach its goal: 92 % over 10 documents, 93 % over 30 or more."""
    lines = []
    for (_, size, method, system, recipe), cell in found.items():
        goal = 0.92 if size < 30 else 0.93
        if method == Effective.name and cell.short(goal):
            lines.append(f"- {recipe} of {system}, {size} documents: {100 * cell.share:.1f} % of "
                         f"{cell.made:,} worlds")  # fmt: skip
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--worlds", type=int, default=2000, help="for methods without draws")
    parser.add_argument("--drawn", type=int, default=400, help="worlds for methods that draw")
    parser.add_argument("--tests", type=int, default=1000, help="for type I errors")
    parser.add_argument("--documents", type=int, default=12_000, help="of the population")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    tallied = Tallied.of(Population(arguments.documents, rng))
    values = [
        f"{name[1]} {each.point[0]:.3f}"
        for each, name in zip(tallied.statistics, tallied.names, strict=True)
        if name[2] == "exact.F1"
    ]
    print(f"exact F1 of the population: {', '.join(values)}\n")
    methods: list[Method] = [Effective(), JackknifeT(), Percentile(), Bca()]
    found: dict[Cell, Coverage] = {}
    for method in methods:
        worlds = range(arguments.drawn if method.draws else arguments.worlds)
        found |= simulate(tallied, method, SIZES, worlds, arguments.seed)
    print(table(found, SIZES, [Effective.name]))
    print("\nThe other methods:\n")
    print(table(found, SIZES, [each.name for each in methods[1:]]))
    print(f"\nLowest coverage of three systems in per cent, with the mean width; "
          f"{arguments.worlds:,} worlds a cell ({arguments.drawn:,} for percentile and bca); the "
          f"standard error of a coverage of 95 % is "
          f"{100 * math.sqrt(0.0475 / max(arguments.worlds, 1)):.1f} points "
          f"({100 * math.sqrt(0.0475 / max(arguments.drawn, 1)):.1f}).\n")  # fmt: skip
    lines = shortfalls(found)
    print("Short of 92 % (10 documents) or 93 % (30 and more) by more than two standard errors:\n")
    print("\n".join(lines) or "- nothing")
    if arguments.tests:
        rates = [f"{size}: {100 * rejected(tallied, size, arguments.tests, arguments.seed):.1f} %"
                 for size in SIZES]  # fmt: skip
        print(f"\nType I errors of the test of exact.F1 ({arguments.tests:,} tests each): "
              f"{', '.join(rates)}.")  # fmt: skip


if __name__ == "__main__":
    main()

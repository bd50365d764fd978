"""Compare systems: every pair under every recipe, with what chance could have done."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from carob import progress
from carob._version import __version__
from carob.average.label import Label
from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.counts.count import Count
from carob.counts.tally import Statistic, Tally
from carob.evaluate.options import Options, ScoreOptions, compared_table, table_recipes
from carob.evaluate.read import Scorable
from carob.evaluate.run import LABEL_ROWS, Plan, Recipes, Run, prepare, too_few, too_many_labels
from carob.evaluate.score import (
    Counts,
    average_statistic,
    count_events,
    cut,
    label_statistic,
    score_run,
)
from carob.infer.families import Outcome, Question, decide
from carob.infer.interval import JackknifeT, intervals
from carob.infer.quantiles import NORMAL
from carob.infer.randomization import CLOSE, Randomization
from carob.infer.ranking import clusters, kendall, ranges, spearman, swaps
from carob.infer.resampling import Contrast, Sampler
from carob.recipe import Recipe, spell
from carob.result.comparison import Agreement, Comparison, Difference, Rank
from carob.result.interval import Interval
from carob.result.result import number_or_none

if TYPE_CHECKING:
    from typing import Unpack

MOST_TRIALS = 10_000_000
"""More trials would take hours."""

DETECTABLE = NORMAL.inv_cdf(0.975) + NORMAL.inv_cdf(0.80)
"""A difference of this many standard errors is significant in four cases of five."""


def compare(
    gold: Scorable,
    systems: Sequence[Scorable] | Mapping[str, Scorable],
    recipes: Recipes | None = None,
    *,
    trials: int | None = None,
    by_label: bool = False,
    floors: str | float | Sequence[str | float] = (),
    by: str = "value",
    **options: Unpack[ScoreOptions],
) -> Comparison:
    """Compare two or more systems: differences, intervals, p values, rank ranges.

    A difference is b minus a, for systems a before b. p comes from paired approximate
    randomization over `trials` (exact when at most 20 documents differ; a test that is decided
    stops earlier), and is corrected by Holm's method over the tests of the same recipe, or of its
    labels. By default there are 9,999 trials, or as many more as the number of tests needs for a
    corrected p of .005. The interval is that of the paired difference, made as `carob.score` makes
    it. `recipes` are by default the F1 and SER of those that `carob.score` would show; with
    `by_label`, every label is compared too. `floors` are what the last system has to reach, as for
    `carob.Scores.with_floors`, and `by` says what of its scores. The other keyword arguments are
    described in `carob.Options`.

    >>> from carob import Corpus
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke", "[Cy]PER ran")
    >>> worse = Corpus.of("Ann slept", "[Bo]PER woke", "Cy ran")
    >>> compare(gold, {"a": worse, "b": gold}, "exact.R").differences[0].p
    0.5
    """
    chosen = Options.of(ScoreOptions, options)
    check_trials(trials)
    if recipes is None and chosen.official_recipes is not None:
        recipes = without_parts(chosen.official_recipes)

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> list[Recipe]:
        table = chosen.preset or compared_table(gold, systems)
        return without_parts(table_recipes(table, list(gold.mentions.attributes)))

    run = prepare(gold, systems, recipes, chosen, defaults)
    comparison = compare_run(run, chosen, trials, by_label=by_label)
    if not floors:
        return comparison
    name, pair = list(run.pairs.items())[-1]
    last = score_run(replace(run, pairs={name: pair}), chosen)
    gate = last.with_floors(floors, by).gate
    return replace(comparison, gate=gate, floors=gate)


def check_trials(trials: int | None) -> None:
    """Refuse numbers of trials that are too small to say anything, or would take hours."""
    if trials is not None and not 99 <= trials <= MOST_TRIALS:
        raise UsageError(f"trials is from 99 to {MOST_TRIALS:,}, not {trials:,}")


def compare_run(
    run: Run, options: Options, trials: int | None = None, *, by_label: bool = False
) -> Comparison:
    """The comparison of systems that are read and paired."""
    if len(run.pairs) < 2:
        raise too_few(run.set_aside, "compare")
    groups, left_out = _statistics(run, options, labels=by_label)
    tests = max(len(group.scores) for group in groups) * math.comb(len(run.pairs), 2)
    trials = trials or trials_for(tests)
    test = Randomization(trials)
    differences, score_intervals = _differences(run.plan, list(run.pairs), groups, test)
    ranks = _ranks(differences, list(run.pairs), score_intervals)
    return Comparison(
        __version__,
        run.gold,
        run.system_files(),
        tuple(differences),
        tuple(ranks),
        tuple(_agreements(ranks, differences)),
        run.signature(test=f"randomization,{trials},seed={options.seed}"),
        options.seed,
        run.plan.units.kind,
        run.plan.remarks() + run.remarks + left_out,
        trials,
        task=None if run.task is None else run.task.to_dict(),
        set_aside=run.set_aside,
    )


def trials_for(tests: int) -> int:
    """How many trials this many tests need, so that the smallest p after Holm is at most .005.

    >>> trials_for(1), trials_for(666)
    (9999, 133199)
    """
    return min(max(9999, math.ceil(tests / 0.005) - 1), MOST_TRIALS)


def without_parts(recipes: Sequence[Recipe]) -> list[Recipe]:
    """Recipes without P and R: they explain an F1, and to compare by all three would only make
    Holm's correction stricter.
    """
    whole = [recipe for recipe in recipes if spell(recipe.measure) not in ("P", "R")]
    return whole or list(recipes)


def _statistics(
    run: Run, options: Options, *, labels: bool
) -> tuple[list[_Group], tuple[str, ...]]:
    """For each recipe, and for the labels of each space and measure, the statistic of every
    system; and remarks on recipes that are left out.
    """
    counts = {
        name: count_events(pair, [recipe.space for recipe in run.recipes], run.plan)
        for name, pair in progress.steps(run.pairs.items(), "counting in systems")
    }
    tallies = {space: tally for space, (_, tally, _) in counts[next(iter(run.pairs))].items()}
    left_out = {
        recipe: why
        for recipe in run.recipes
        if (why := too_many_labels(recipe, tallies[recipe.space], options.zero)) is not None
    }
    there = dict.fromkeys(recipe for recipe in run.recipes if recipe not in left_out)
    if not there:
        raise UsageError(next(iter(left_out.values())))
    groups = [_Group([(recipe, None, 0)]) for recipe in there]
    rows = {(recipe.space, recipe.measure): recipe for recipe in reversed(there)}
    for recipe in reversed(rows.values()) if labels else ():
        names = tallies[recipe.space].labels
        if len(names) > LABEL_ROWS:
            raise UsageError(f"{len(names):,} labels cannot be compared one by one: more than "
                             f"{LABEL_ROWS:,}")  # fmt: skip
        every = [replace(recipe, average=Label(label)) for label in names]
        groups.append(_Group([
            (one, label, i) for i, (one, label) in enumerate(zip(every, names, strict=True))
            if one not in there
        ]))  # fmt: skip
    groups = [group for group in groups if group.scores]
    answers = _answers(run, counts)
    for group in groups:
        recipe, label, _ = group.scores[0]
        for name in run.pairs:
            _, tally, mentions = counts[name][recipe.space]
            if (why := run.plan.without(recipe, of_mentions=mentions)) is not None:
                raise UsageError(f"{recipe}: {why}; compare it by document")
            statistic = (
                average_statistic(recipe, tally, options.zero)
                if label is None
                else label_statistic(recipe.measure, tally, options.zero)
            )
            group.statistics.append(replace(statistic, answers=answers.get(name, "")))
    return groups, tuple(f"{recipe} is left out: {why}" for recipe, why in left_out.items())


def _answers(run: Run, counts: Mapping[str, Mapping[Any, Counts]]) -> dict[str, str]:
    """A hash of what each system answers, whatever its file looks like, if counts are equal."""
    alike: dict[Any, list[str]] = {}
    for name, own in counts.items():
        columns = [(t.unit, t.label, t.counts) for _, t, _ in own.values()]
        key = tuple(column.tobytes() for each in columns for column in each)
        alike.setdefault(hash(key), []).append(name)
    hashes = {}
    for name in (name for names in alike.values() if len(names) > 1 for name in names):
        mentions = replace(run.pairs[name].system, id=None, confidence=None, place=None)
        # One document stands for all: mentions say in which of gold's they are.
        own_items = replace(
            run.answers[name], unit=None, documents=Corpus.of("").documents, mentions=mentions,
            labels=run.pairs[name].labels, extra={}, renamed={}, form={},
        )  # fmt: skip
        hashes[name] = own_items.sha256
    return hashes


class _Group:
    """Scores that one statistic has, each with recipe, label and place; and that of each system."""

    def __init__(self, scores: list[tuple[Recipe, str | None, int]]) -> None:
        self.scores, self.statistics = scores, list[Statistic]()


ScoreIntervals = Mapping[tuple[str, str | None, str], tuple[float | None, float | None]]
"""The interval of each score, by recipe, label and system."""


def compare_tallies(
    tallies: Mapping[str, Tally], recipe: Recipe, plan: Plan, trials: int | None = None
) -> tuple[list[Difference], list[Rank]]:
    """The differences and ranks of systems whose counts are known, of the same space, labels and
    documents: those that `compare` finds, without a look at any file.

    >>> from carob import Corpus, score
    >>> from carob.evaluate.run import prepare
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke", "[Cy]PER ran")
    >>> worse = Corpus.of("Ann slept", "[Bo]PER woke", "Cy ran")
    >>> options = Options()
    >>> run = prepare(gold, {"a": worse, "b": gold}, "exact.R", options)
    >>> [recipe] = run.recipes
    >>> tallies = {
    ...     name: count_events(pair, [recipe.space], run.plan)[recipe.space][1]
    ...     for name, pair in run.pairs.items()
    ... }
    >>> differences, ranks = compare_tallies(tallies, recipe, run.plan)
    >>> differences[0].p, [(rank.system, rank.rank_low, rank.rank_high) for rank in ranks]
    (0.5, [('a', 1, 2), ('b', 1, 2)])
    """
    systems = list(tallies)
    group = _Group([(recipe, None, 0)])
    zero = plan.options.zero
    group.statistics += [average_statistic(recipe, each, zero) for each in tallies.values()]
    test = Randomization(trials or trials_for(math.comb(len(systems), 2)))
    differences, score_intervals = _differences(plan, systems, [group], test)
    return differences, _ranks(differences, systems, score_intervals)


def _differences(
    plan: Plan, systems: Sequence[str], groups: Sequence[_Group], test: Randomization
) -> tuple[list[Difference], ScoreIntervals]:
    """Every pair under every recipe, p values corrected for each group by itself; and the intervals
    of the scores themselves, where ranks are shown.
    """
    found = []
    pairs = list(combinations(range(len(systems)), 2))
    every = [statistic for group in groups for statistic in group.statistics]
    contrasts = [
        (first + b, first + a) for first in range(0, len(every), len(systems)) for a, b in pairs
    ]
    sampler = Sampler(every, plan.units)
    # Differences and scores in the same resamples, which are drawn once.
    made = _intervals(plan, sampler, [*contrasts, *sampler.each()])
    difference_intervals, score_intervals = made[: len(contrasts)], made[len(contrasts) :]
    families = [
        [Question(contrasts[number * len(pairs) + which], place)
         for _, _, place in group.scores for which in range(len(pairs))]
        for number, group in enumerate(groups)
    ]  # fmt: skip
    outcomes = decide(test, sampler, families, plan.options.seed)
    for number, (group, family) in enumerate(zip(groups, outcomes, strict=True)):
        tests, own = sum(each.p_holm >= 0 for each in family), iter(family)
        for recipe, label, place in group.scores:
            for which, (a, b) in enumerate(pairs):
                interval = difference_intervals[number * len(pairs) + which][place]
                names = systems[a], systems[b]
                found.append(_difference(recipe, label, names, next(own), tests, interval))
    ends = {}
    for number, group in enumerate(groups):
        for recipe, label, place in group.scores:
            for which, system in enumerate(systems):
                interval = score_intervals[number * len(systems) + which][place]
                ends[str(recipe), label, system] = cut(interval, recipe.measure.range)
    return found, ends


def _intervals(plan: Plan, sampler: Sampler, contrasts: Sequence[Contrast]) -> list[list[Interval]]:
    """The intervals of differences and scores; without a method, their standard errors alone."""
    options = plan.options
    made = intervals(
        plan.method or JackknifeT(), sampler, plan.units, options.draws, options.seed, contrasts
    )
    if plan.method is not None:
        return made
    return [[replace(each, low=None, high=None, remarks=()) for each in row] for row in made]


def _difference(
    recipe: Recipe,
    label: str | None,
    names: tuple[str, str],
    outcome: Outcome,
    tests: int,
    interval: Interval,
) -> Difference:
    verdict = outcome.verdict
    dropped, tried = int(verdict.dropped.item()), int(verdict.tried.item())
    remarks = list(interval.remarks)
    if dropped:
        remarks.append(f"{dropped:,} of {tried:,} exchanges have no score: left out")
    p = number_or_none(verdict.p.item())
    tie = abs(verdict.difference.item()) <= CLOSE
    error = interval.error
    widest = recipe.measure.range[1] - recipe.measure.range[0]
    return Difference(
        *names,
        str(recipe),
        label,
        spell(recipe.measure),
        number_or_none(verdict.second.item()),
        number_or_none(verdict.first.item()),
        # A difference that is nothing but rounding is none.
        number_or_none(0.0 if tie else verdict.difference.item()),
        None if interval.low is None else max(interval.low, -widest),
        None if interval.high is None else min(interval.high, widest),
        p,
        number_or_none(outcome.p_holm),
        verdict.smallest,
        None if p is None or error is None else DETECTABLE * error,
        verdict.differing,
        verdict.exact,
        interval.method if interval.low is not None else None,
        recipe.measure.lower_is_better,
        isinstance(recipe.measure, Count),
        tuple(remarks),
        interval.draws,
        spell(recipe.average),
        tests,
        tried,
    )


def _ranks(
    differences: Sequence[Difference], systems: Sequence[str], score_intervals: ScoreIntervals
) -> list[Rank]:
    """The rank ranges of all systems under each recipe (and label)."""
    groups: dict[tuple[str, str | None], list[Difference]] = {}
    for each in differences:
        groups.setdefault((each.recipe, each.label), []).append(each)
    found = []
    for (recipe, label), group in groups.items():
        beats = {(d.ahead, d.b if d.ahead == d.a else d.a) for d in group if d.significant}
        values = {d.a: d.value_a for d in group} | {d.b: d.value_b for d in group}
        scored = [system for system in systems if values[system] is not None]
        there = ranges([[(one, other) in beats for other in scored] for one in scored])
        places = dict(zip(scored, zip(there, clusters(there), strict=True), strict=True))
        for system in systems:
            (low, high), cluster = places.get(system, ((None, None), None))
            ends = score_intervals.get((recipe, label, system), (None, None))
            found.append(Rank(
                recipe, label, system, values[system], low, high, cluster, *ends,
                group[0].lower_is_better, group[0].is_count, group[0].average,
            ))  # fmt: skip
    return found


def _agreements(ranks: Sequence[Rank], differences: Sequence[Difference]) -> list[Agreement]:
    """How far every two recipes order three or more systems alike."""
    sign = {d.recipe: -1.0 if d.lower_is_better else 1.0 for d in differences}
    values: dict[str, dict[str, float]] = {}
    for rank in ranks:
        if rank.label is None:
            goodness = math.nan if rank.value is None else sign[rank.recipe] * rank.value
            values.setdefault(rank.recipe, {})[rank.system] = goodness
    found: list[Agreement] = []
    if len({rank.system for rank in ranks}) < 3:
        return found
    for first, second in combinations(values, 2):
        names = [n for n in values[first] if not math.isnan(values[first][n] + values[second][n])]
        if len(names) < 3:
            continue
        a, b = ([values[recipe][n] for n in names] for recipe in (first, second))
        places = tuple((names[i], names[k]) for i, k in swaps(a, b))
        found.append(Agreement(first, second, spearman(a, b), kendall(a, b), places))
    return found

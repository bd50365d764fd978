"""Scores of one system: count once for each event space, measure, and resample all together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from carob._version import __version__
from carob.counts.count import Count
from carob.counts.pieces import Gathered, pieces
from carob.counts.rows import Statistic
from carob.counts.tally import Tally
from carob.counts.zero_rule import valued
from carob.evaluate.options import Options
from carob.evaluate.sampling import Plan, by_label, overall
from carob.pair.pair import Pair
from carob.plugin import Averaged, hook
from carob.recipe import Recipe, spell
from carob.result import signature
from carob.result.scores import Score, Value

if TYPE_CHECKING:
    from carob.result.interval import Interval


def scored(
    pair: Pair,
    recipes: Sequence[Recipe],
    name: str,
    options: Options,
    said: Mapping[str, str],
    plan: Plan,
) -> list[Score]:
    """Count once for each event space, then measure, then resample all scores together."""
    counts = tallied(pair, [recipe.space for recipe in recipes], plan)
    ranges = _ranges(recipes, counts, options, plan)
    return [_score(r, counts[r.space][0], name, options, said, ranges) for r in recipes]


Counts = tuple[Tally, Tally, bool]
"""The counts by document, by unit of resampling, and whether all events are of mentions."""


def tallied(pair: Pair, spaces: Iterable[Any], plan: Plan) -> dict[Any, Counts]:
    """The counts of each space; piece by piece, if every space allows it."""
    spaces = dict.fromkeys(spaces)
    local = plan.options.resample_by == "document" and all(s.by_document for s in spaces)
    gathered = {space: Gathered(pair.size) for space in spaces}
    mentions = dict.fromkeys(spaces, True)
    for piece in pieces(pair) if local else (pair,):
        if piece is pair:
            return {space: _counted(pair, space, plan) for space in spaces}
        for space in spaces:
            tally, _, of_mentions = _counted(piece, space, plan)
            gathered[space].add(tally)
            mentions[space] &= of_mentions
    whole = {space: parts.done() for space, parts in gathered.items()}
    return {space: (tally, tally, mentions[space]) for space, tally in whole.items()}


def _counted(pair: Pair, space: Any, plan: Plan) -> Counts:
    same = plan.options.resample_by == "document"
    kept = pair.remembered.pop(("events", space), None)
    events = space(pair) if kept is None else kept
    tally = Tally.of(space, pair, events)
    units = tally if same else plan.tally(space, pair, events)
    return tally, units, events.of_mentions


def _ranges(
    recipes: Sequence[Recipe], counts: Mapping[Any, Counts], options: Options,
    plan: Plan,
) -> dict[Any, list[Interval] | str]:  # fmt: skip
    """Under each recipe, and each pair of space and measure (for labels): intervals, or why not."""
    found: dict[Any, list[Interval] | str] = {}
    statistics: dict[Any, Statistic] = {}
    for recipe in recipes if plan.method is not None else ():
        _, tally, mentions = counts[recipe.space]
        rows = (recipe.space, recipe.measure)
        why = plan.without(recipe, of_mentions=mentions)
        if why is not None:
            found[recipe] = why
        else:
            statistics[recipe] = overall(recipe, tally, options.zero)
        if plan.attributable(recipe.measure, of_mentions=mentions):
            statistics[rows] = by_label(recipe.measure, tally, options.zero)
    made = plan.intervals(list(statistics.values()))
    return found | (dict(zip(statistics, made, strict=True)) if made else {})


def _score(
    recipe: Recipe, tally: Tally, name: str, options: Options, said: Mapping[str, str],
    ranges: Mapping[Any, list[Interval] | str],
) -> Score:  # fmt: skip
    averaged: Averaged = recipe.average(recipe.measure, tally, None, options.zero)
    quantities = tally.labels_of(tally.label_sums())
    values = valued(recipe.measure, quantities, options.zero)
    own = ranges.get((recipe.space, recipe.measure))
    rows = {
        label: _value(values[i], quantities["gold_all"][i], own, i)
        for i, label in enumerate(tally.labels)
    }
    one = hook(recipe.average, "label")
    place = None if one is None else tally.labels.index(one)

    def all_of(name: str) -> float:
        return float(quantities[name].sum() if place is None else quantities[name][place])

    return Score(
        name,
        str(recipe),
        recipe.block,
        spell(recipe.measure),
        _value(averaged.value, all_of("gold_all"), ranges.get(recipe), 0),
        signature.compose({"carob": __version__, "recipe": recipe.full} | dict(said)),
        rows,
        {outcome: all_of(outcome) for outcome in tally.outcomes},
        averaged.left_out,
        f"{recipe.average.over} {hook(recipe.average, 'leaves_out')}",
        isinstance(recipe.measure, Count),
        hook(recipe.space, "support_text"),
        recipe.text,
    )


def _value(value: Any, support: Any, ranges: list[Interval] | str | None, place: int) -> Value:
    number = _number(value)
    if not isinstance(ranges, list) or number is None:
        said = (ranges,) if isinstance(ranges, str) else ()
        return Value(number, support=float(support), remarks=said)
    interval = ranges[place]
    if interval.low is None or interval.high is None:
        return Value(number, support=float(support), remarks=interval.remarks)
    low, high = min(interval.low, number), max(interval.high, number)
    return Value(number, low, high, float(support), interval.remarks)


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)

"""Score systems against gold: count once for each event space, measure, and resample together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from carob import progress
from carob._version import __version__
from carob.arrays.types import FloatArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import plain
from carob.counts.count import Count
from carob.counts.quantities import Quantities, valued
from carob.counts.tally import CountTable, Items, Scale, Statistic, Sums, Tally
from carob.evaluate.options import Options, ScoreOptions, table_for, table_recipes
from carob.evaluate.read import Scorable
from carob.evaluate.run import (
    LABEL_ROWS,
    MOST_ROWS,
    Plan,
    Recipes,
    Run,
    Systems,
    prepare,
    slot_counts,
    too_many_labels,
)
from carob.pair.pair import Pair, pieces
from carob.plugin import Averaged, Measure, hook
from carob.recipe import Recipe
from carob.result import signature
from carob.result.result import number_or_none, whole
from carob.result.scores import Score, Scores, Value

if TYPE_CHECKING:
    from typing import Unpack


def score(
    gold: Scorable,
    system: Systems,
    recipes: Recipes | None = None,
    *,
    by_document: bool = False,
    audit: bool = False,
    **options: Unpack[ScoreOptions],
) -> Scores:
    """Score one or several systems against gold.

    Gold and systems are corpora, paths or lists of documents: of tags, as seqeval takes them, of
    mentions `(label, start, end)`, of dicts, or of spaCy's Docs. Several systems come as a list or
    by name. `recipes`
    are texts like "exact.F1@macro"; by default they are those of the task, or a table that fits
    the files (`preset`). Every score gets an interval, unless `resamples` is 0. With
    `by_document`, it also gets the score of each document; with `audit`, the result has checks of
    the evaluation itself, `scores.audit`. The other keyword arguments are described in
    `carob.Options`.

    >>> gold = Corpus.of("[Ann Lee]PER visited [Rome]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee visited [Rome]LOC .")
    >>> score(gold, system, "exact.F1").value
    0.5
    >>> score([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]], "overlap.F1").value
    1.0
    """
    chosen = Options.of(ScoreOptions, options)

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> list[Recipe]:
        every = list(systems)
        table = chosen.preset or table_for(gold, every)
        sure = len(gold) <= MOST_SURE and all(map(has_confidences, every))
        return table_recipes(table, list(gold.mentions.attributes), confident=sure)

    run = prepare(
        gold, system, chosen.official_recipes if recipes is None else recipes, chosen, defaults
    )
    scores = score_run(run, chosen, by_document=by_document)
    if not audit:
        return scores
    from carob.evaluate.self_audit import self_audit  # few runs need it

    return replace(scores, audit=self_audit(run, chosen))


MOST_SURE = 20_000
"""Up to this many documents, the table of records has measures of confidence: their counts are
those of a thousand levels.
"""


def has_confidences(corpus: Corpus) -> bool:
    """Whether templates of a corpus, or their fillers, have confidences.

    >>> has_confidences(Corpus.of({"templates": [{"slots": {"a": ["1"]}, "confidence": 0.5}]}))
    True
    """
    templates = corpus.templates
    return templates.confidence is not None or not np.isnan(templates.fillers.confidence).all()


def score_run(run: Run, options: Options, *, by_document: bool = False) -> Scores:
    """The scores of files that are read and paired."""
    scores: list[Score] = []
    heavy: dict[str, None] = {}
    labels = max(len(pair.labels) for pair in run.pairs.values())
    rows = labels * len(run.recipes) * len(run.pairs)
    pairs: Iterable[tuple[str, Pair]] = run.pairs.items()
    for name, pair in progress.steps(pairs, "systems") if len(run.pairs) > 1 else pairs:
        fields, plan = run.signature_fields[name], run.plans[name]
        counts = count_events(pair, [recipe.space for recipe in run.recipes], plan)
        scores += score_counts(
            counts, run.recipes, name, options, fields, plan,
            by_document=by_document, by_label=rows <= MOST_ROWS,
        )  # fmt: skip
        heavy |= dict.fromkeys(heavy_documents(counts, name, run))
    documents = run.reference.documents if by_document else None
    return Scores(
        __version__, run.gold, run.system_files(), tuple(scores),
        run.plan.remarks() + tuple(heavy) + run.remarks
        + missing_rows(labels, rows, scores, run.plan) + _unread_answers(scores),
        None if run.task is None else run.task.to_dict(), set_aside=run.set_aside,
        documents=() if documents is None else tuple(map(documents.name, range(len(documents)))),
    )  # fmt: skip


def missing_rows(labels: int, rows: int, scores: Sequence[Score], plan: Plan) -> tuple[str, ...]:
    """Why there are no rows of labels, or why these have no intervals, if there are too many."""
    if rows > MOST_ROWS:
        return (
            f"{labels:,} labels would have {rows:,} rows, more than {MOST_ROWS:,}: there are none; "
            "--labels chooses some labels, -m one recipe",
        )
    if plan.method is None or (labels := max(len(each.by_label) for each in scores)) <= LABEL_ROWS:
        return ()
    return (f"{labels:,} labels, more than {LABEL_ROWS:,}: their rows have no intervals",)


HEAVY = 0.2
"""If one document holds more of all items, intervals cannot know how such documents vary."""


def heavy_documents(counts: Mapping[Any, Counts], name: str, run: Run) -> list[str]:
    """A remark for each side of which one document holds most; over a few documents, one must."""
    if run.plan.method is None:
        return []
    from carob.result.interval import TRUSTED  # not needed without intervals

    if len(run.reference) < TRUSTED:
        return []
    remarks = []
    for what, side in (("gold_all", "gold items"), ("system_all", f"items of {plain(name)}")):
        for tally, _, _ in list(counts.values())[:1]:
            items = tally.by_unit()[what]
            share = items.max(initial=0.0) / max(items.sum(), 1e-9)
            if share > HEAVY:
                document = plain(run.reference.documents.name(int(items.argmax())))
                remarks.append(f"document {document} holds {100 * share:.0f} % of the {side}; "
                               "intervals do not know how such documents vary")  # fmt: skip
    return remarks


def _unread_answers(scores: Sequence[Score]) -> tuple[str, ...]:
    """Why a share of answers that are not in the text leaves out some, or has no value."""
    remarks = {}
    for each in scores:
        if each.measure == "ungrounded-share" and each.counts["unread"]:
            count = whole(each.counts["unread"])
            remarks[each.system] = (
                f"{plain(each.system)}: {count:,} answers have no place, and their documents no "
                "text: ungrounded-share leaves them out, since it cannot be checked whether the "
                "text has them"
            )
    return tuple(remarks.values())


if TYPE_CHECKING:
    from carob.result.interval import Interval

Counts = tuple[Tally, Tally, bool]
"""The counts by document, by unit of resampling, and whether all events are of mentions."""


def score_counts(
    counts: Mapping[Any, Counts],
    recipes: Sequence[Recipe],
    name: str,
    options: Options,
    signature_fields: Callable[[], dict[str, str]],
    plan: Plan,
    *,
    by_document: bool = False,
    by_label: bool = True,
) -> list[Score]:
    """Measure what is counted, and resample all scores together."""
    intervals = _intervals(recipes, counts, options, plan)
    scores = [
        _score(
            recipe,
            counts[recipe.space][0],
            name,
            options,
            signature_fields,
            intervals,
            by_label=by_label,
        )
        for recipe in recipes
    ]
    if not by_document:
        return scores
    return [
        replace(made, by_document=document_values(recipe, counts[recipe.space][0], options.zero))
        for recipe, made in zip(recipes, scores, strict=True)
    ]


def document_values(recipe: Recipe, tally: Tally, zero: float | None) -> FloatArray:
    """The score of each document over all its labels, as the average macro-doc has it; if the
    average is one label, that of this label.
    """
    label = hook(recipe.average, "label")
    return valued(recipe.measure, tally.by_unit(label), zero)


def count_events(pair: Pair, spaces: Iterable[Any], plan: Plan) -> dict[Any, Counts]:
    """The counts of each space; in pieces of the pair, if every space allows it."""
    parts = _count_pieces(pair, dict.fromkeys(spaces), plan)
    return {space: own[0] if len(own) == 1 else _concatenated(own) for space, own in parts.items()}


def _count_pieces(pair: Pair, spaces: Iterable[Any], plan: Plan) -> dict[Any, list[Counts]]:
    by_document = plan.options.resample_by == "document"
    parts: dict[Any, list[Counts]] = {space: [] for space in spaces}
    of_slots = [space for space in parts if by_document and space.items == "filler"]
    others = [space for space in parts if space not in of_slots]
    local = by_document and all(space.by_document for space in others)
    for piece in pieces(pair) if local else (pair,):
        for space in others:
            parts[space].append(_count_piece(piece, space, plan))
    if not of_slots:
        return parts
    known = {space: pair.remembered.pop(("counts", space), None) for space in of_slots}
    new = slot_counts([space for space in of_slots if known[space] is None], pair)
    for space in of_slots:
        tally, of_mentions = known[space] or new[space]
        parts[space] = [(tally, tally, of_mentions)]
    return parts


def _concatenated(parts: Sequence[Counts]) -> Counts:
    tally = Tally.concatenate(tally for tally, _, _ in parts)
    return tally, tally, all(of_mentions for _, _, of_mentions in parts)


def _count_piece(pair: Pair, space: Any, plan: Plan) -> Counts:
    events = space(pair)
    tally = Tally.of(space, pair, events)
    by_document = plan.options.resample_by == "document"
    units = tally if by_document else plan.tally(space, pair, events)
    return tally, units, events.of_mentions


def average_statistic(recipe: Recipe, tally: Tally, zero: float | None) -> Statistic:
    """The score of a recipe as a function of sums over units."""
    measure, average = recipe.measure, recipe.average
    table = average.table(measure, tally, zero)

    def value(sums: FloatArray) -> FloatArray:
        averaged: Averaged = average.value(measure, table, sums, zero)
        return averaged.value

    if (items := hook(average, "items")) is not None:
        return Statistic(table, value, scale=Scale(measure.range, items))
    if hook(average, "of_labels"):
        scale = Scale(measure.range, terms=label_statistic(measure, tally, zero))
        return Statistic(table, value, scale=scale)
    if not isinstance(table, CountTable):
        return Statistic(table, value, scale=Scale(measure.range))
    scale = scale_of(measure, table)
    if table.quantities(table.sums)["gold_all"].shape != (1,):  # some other mean over labels
        scale = Scale(measure.range, _of_any_label(scale.items), _of_any_label(scale.either))
        return Statistic(table, value, scale=scale)
    return Statistic(
        table, value, scale=scale._replace(of_label=hook(average, "label") is not None)
    )


def label_statistic(measure: Measure, tally: Tally, zero: float | None) -> Statistic:
    """The scores of all labels as a function of sums over units."""
    table = tally.label_table(measure.needs)

    def value(sums: FloatArray) -> FloatArray:
        return valued(measure, table.quantities(sums), zero)

    scale = scale_of(measure, table)._replace(of_label=True)
    return Statistic(table, value, table.columns_of(len(tally.labels)), scale)


def scale_of(measure: Measure, table: CountTable) -> Scale:
    """What intervals have to know of a measure of the quantities in a table."""
    if isinstance(measure, Count):
        return Scale(measure.range)

    def of(function: Callable[[Quantities], Any] | None) -> Callable[[FloatArray], Any] | None:
        return None if function is None else lambda sums: function(table.quantities(sums))

    denominator, share = hook(measure, "denominator"), hook(measure, "share")
    return Scale(
        measure.range,
        items=of(Quantities.items_there if denominator is None else lambda q: q.sum(denominator)),
        either=of(Quantities.items_there),
        share=of(None if share is None else lambda q: (q[share[0]], q[share[1]])),
        most=of(hook(measure, "most_items")),
        by_chance=of(hook(measure, "by_chance")),
        why_not=of(hook(measure, "without_interval")),
    )


def _of_any_label(items: Items | None) -> Items | None:
    return None if items is None else lambda rows: items(rows).sum(axis=-1, keepdims=True)


def average(recipe: Recipe, tally: Tally, zero: float | None) -> Averaged:
    """The score of a recipe."""
    table = recipe.average.table(recipe.measure, tally, zero)
    averaged: Averaged = recipe.average.value(recipe.measure, table, table.sums, zero)
    return averaged


def _intervals(
    recipes: Sequence[Recipe], counts: Mapping[Any, Counts], options: Options, plan: Plan
) -> dict[Any, list[Interval] | str]:
    """Under each recipe, and each pair of space and measure (for labels): intervals, or why not."""
    intervals: dict[Any, list[Interval] | str] = {}
    statistics: dict[Any, Statistic] = {}
    for recipe in recipes if plan.method is not None else ():
        _, tally, mentions = counts[recipe.space]
        why = plan.without(recipe, of_mentions=mentions)
        why = why or too_many_labels(recipe, tally, options.zero)
        if why is not None:
            intervals[recipe] = why
        else:
            statistics[recipe] = average_statistic(recipe, tally, options.zero)
        few = len(tally.labels) <= LABEL_ROWS
        labels = (recipe.space, recipe.measure)
        if few and plan.attributable(recipe.measure, of_mentions=mentions):
            # The rows of labels are also the terms of a mean over labels.
            terms = statistics[recipe].scale.terms if recipe in statistics else None
            if terms is not None or labels not in statistics:
                statistics[labels] = terms or label_statistic(recipe.measure, tally, options.zero)
    made = plan.intervals(list(statistics.values()))
    return intervals | (dict(zip(statistics, made, strict=True)) if made else {})


def _score(
    recipe: Recipe, tally: Tally, name: str, options: Options,
    signature_fields: Callable[[], dict[str, str]],
    intervals: Mapping[Any, list[Interval] | str], *, by_label: bool,
) -> Score:  # fmt: skip
    averaged = average(recipe, tally, options.zero)
    one = hook(recipe.average, "label")
    place = None if one is None else tally.labels.index(one)
    sums, limits = tally.label_sums(), recipe.measure.range
    outcomes = hook(recipe.space, "base_outcomes") or tally.outcomes
    label_intervals = intervals.get((recipe.space, recipe.measure))
    # Not everyone who wants a score asks for its rows and counts. An interval holds its draws,
    # which a result does not keep.
    rows = partial(
        _label_rows, recipe.measure, tally.labels if by_label else (), sums, options.zero,
        label_intervals,
    )  # fmt: skip
    overall = _value(
        averaged.value, _total(sums, "gold_all", place), intervals.get(recipe), 0, limits
    )
    if (by_chance := hook(recipe.measure, "by_chance")) is not None:
        table = recipe.average.table(recipe.measure, tally, options.zero)
        chance = by_chance(table.quantities(table.sums)) if isinstance(table, CountTable) else []
        if len(chance) == 1:  # a mean over labels shows none
            overall = replace(overall, by_chance=number_or_none(chance[0]))
    return Score(
        name,
        str(recipe),
        recipe.block,
        recipe.names.measure,
        overall,
        partial(_signature, recipe, signature_fields),
        rows if label_intervals is None else rows(),
        partial(_totals, sums, outcomes, place),
        averaged.left_out,
        f"{recipe.average.over} {hook(recipe.average, 'leaves_out')}",
        isinstance(recipe.measure, Count),
        recipe.measure.lower_is_better,
        hook(recipe.space, "support_text"),
        recipe.text,
        recipe.names.average,
        highest=limits[1],
    )  # fmt: skip


def _label_rows(
    measure: Measure, labels: Sequence[str], sums: Sums, zero: float | None,
    intervals: list[Interval] | str | None,
) -> dict[str, Value]:  # fmt: skip
    """The score of each label."""
    quantities = sums.quantities()
    values, support = valued(measure, quantities, zero), quantities["gold_all"]
    return {
        label: _value(values[i], support[i], intervals, i, measure.range)
        for i, label in enumerate(labels)
    }


def _totals(sums: Sums, names: Iterable[str], place: int | None) -> dict[str, float]:
    return {name: _total(sums, name, place) for name in names}


def _total(sums: Sums, name: str, place: int | None) -> float:
    """A quantity of all labels, or of the one at `place`."""
    by_label = sums.quantity(name)
    return float(by_label.sum() if place is None else by_label[place])


def _signature(recipe: Recipe, fields: Callable[[], dict[str, str]]) -> str:
    return signature.compose({"carob": __version__, "recipe": recipe.full} | fields())


def _value(
    value: Any, support: Any, intervals: list[Interval] | str | None, place: int,
    limits: tuple[float, float],
) -> Value:  # fmt: skip
    """A score with its interval, which is cut to the range of the measure."""
    number = number_or_none(value)
    if not isinstance(intervals, list) or number is None:
        remarks = (intervals,) if isinstance(intervals, str) else ()
        return Value(number, support=float(support), remarks=remarks)
    interval = intervals[place]
    ends = cut(interval, limits)
    return Value(number, *ends, float(support), interval.remarks, interval.effective)


def cut(interval: Interval, limits: tuple[float, float]) -> tuple[float | None, float | None]:
    """The ends of an interval, which lie around the score and within the range of the measure.

    >>> from carob.result.interval import Interval
    >>> cut(Interval(0.5, -0.2, 0.8, 0.95, "bca"), (0.0, 1.0))
    (0.0, 0.8)
    """
    number = interval.value
    if number is None or interval.low is None or interval.high is None:
        return None, None
    low = max(min(interval.low, number), min(limits[0], number))
    high = min(max(interval.high, number), max(limits[1], number))
    return low, high

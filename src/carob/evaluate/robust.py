"""Would another scorer rank the systems differently? Rank them under many reasonable choices."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from carob import progress
from carob._version import __version__
from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, DataError, InputError, UsageError, plain, raise_all
from carob.corpus.source import Source
from carob.counts.count import Count
from carob.counts.tally import Tally
from carob.evaluate.compare import without_parts
from carob.evaluate.options import Options, RobustOptions, ranking_table, table_recipes
from carob.evaluate.read import Scorable, corpora
from carob.evaluate.run import (
    Recipes,
    Run,
    parse_recipes,
    prepare,
    set_aside_as,
    systems_by_name,
    too_few,
)
from carob.evaluate.score import average
from carob.recipe import Recipe, spell
from carob.result.result import number_or_none
from carob.result.robustness import Choice, Robustness, joined

if TYPE_CHECKING:
    from typing import Unpack

EVERY = ("micro", "macro", "weighted", "macro-doc")

GRID: Mapping[str, tuple[str, ...]] = {
    "exact.F1": EVERY,
    "boundary.F1": ("micro", "macro-doc"),
    "overlap.F1": EVERY,
    "iou(t=0.5).F1": EVERY,
    "ts.F1": EVERY,
    "token.F1": EVERY,
    "fair.F1": EVERY,
    "semeval(mode=partial).F1": ("micro", "macro-doc"),
    "slots.SER": ("micro", "macro"),
    "mentions.SER": ("micro", "macro"),
}
"""The choices that a reasonable person could make. Spaces that ignore labels are not averaged over
labels, and an error per gold slot is not averaged over documents, many of which have few slots.
"""

SLOT_GRID: Mapping[str, tuple[str, ...]] = {
    "oads.F1": EVERY,
    "oads(match=contains).F1": EVERY,
    "oads(match=overlap).F1": EVERY,
    "oas.F1": EVERY,
    "oas(match=contains).F1": EVERY,
    "oas(match=overlap).F1": EVERY,
    "oaod.F1": EVERY,
    "oaod(match=contains).F1": EVERY,
    "oaod(match=overlap).F1": EVERY,
    "templates.F1": EVERY,
    "templates.SER": ("micro", "macro"),
}
"""The same where slots are filled: ways to count answers, how strictly they match, averages."""

RELATION_GRID: Mapping[str, tuple[str, ...]] = {
    "relations.F1": EVERY,
    "relations(types=ignore).F1": EVERY,
    "relations(symmetric=all).F1": EVERY,
    "relations(span=aligned).F1": EVERY,
    "relations(label=ignore).F1": ("micro", "macro-doc"),
}
"""The same for relations: what must agree, which places do."""

TRIPLE_GRID: Mapping[str, tuple[str, ...]] = {
    "relations(types=ignore).F1": EVERY,
    "relations(symmetric=all,types=ignore).F1": EVERY,
    "relations(label=ignore,types=ignore).F1": ("micro", "macro-doc"),
    "oads.F1": EVERY,
}
"""The same for triples, which say nothing of types: what must agree, and the strings alone."""

EVENT_GRID: Mapping[str, tuple[str, ...]] = {
    "arguments.F1": EVERY,
    "arguments(role=ignore).F1": ("micro", "macro-doc"),
    "arguments(attach=trigger).F1": EVERY,
    "arguments(span=aligned).F1": EVERY,
    "triggers.F1": EVERY,
    "triggers(label=ignore).F1": ("micro", "macro-doc"),
}
"""The same for events."""

RECORD_GRID: Mapping[str, tuple[str, ...]] = {
    "fields.F1": EVERY,
    "fields(floor=0.8).F1": ("micro", "macro-doc"),
    "fields(weights=none).F1": ("micro", "macro-doc"),
    "fields(null=reward).F1": ("micro", "macro-doc"),
    "fields.ERR": ("micro", "macro"),
    "record.F1": ("micro", "macro-doc"),
}
"""The same for records: which items are alike, what weighs how much, values or whole records."""

GRIDS = {
    "events": EVENT_GRID, "mentions": GRID, "records": RECORD_GRID, "relations": RELATION_GRID,
    "templates": SLOT_GRID, "triples": TRIPLE_GRID,
}  # fmt: skip
"""The choices of each table; that of nuggets is a grid of its own."""

REPAIRS = ("conlleval", "discard")


def robust(
    gold: Scorable,
    systems: Sequence[Scorable] | Mapping[str, Scorable],
    recipes: Recipes | None = None,
    *,
    repairs: Sequence[str] = REPAIRS,
    **options: Unpack[RobustOptions],
) -> Robustness:
    """Rank two or more systems under many ways to score them, and say who stays first.

    The choices are event spaces x averages (`GRID`, for slots `SLOT_GRID`, or `recipes`; `preset`
    names the table that a grid is for) x `repairs`, the ways to read invalid tag sequences. The
    first choice is the reference. Files are read again for each repair policy; a corpus is taken
    as it is. If no sequence needs repair, all policies are one choice. A recipe of a grid that
    cannot be counted for these files is left out, with a remark. With a `task`, its official
    recipes come first, and the grid after them. The other keyword arguments are described in
    `carob.Options`.

    >>> gold = Corpus.of("[Ann Lee]PER slept", "[Bo]PER woke")
    >>> result = robust(gold, {"a": gold, "b": Corpus.of("[Ann]PER Lee slept", "[Bo]PER woke")})
    >>> result.winner, len(result.stays), len(result)
    (('a',), 24, 32)
    """
    chosen = Options.of(RobustOptions, options)
    _check(repairs)
    named = systems_by_name(systems)
    if len(named) < 2:
        raise too_few((), "rank")
    return robust_read(gold, named, recipes, list(dict.fromkeys(repairs)), chosen)


def robust_read(
    gold: Scorable | Source,
    systems: Mapping[str, Scorable | Source],
    recipes: Recipes | None,
    repairs: list[str],
    chosen: Options,
    already: tuple[Corpus, Mapping[str, Corpus]] | None = None,
) -> Robustness:
    """The same as `robust`, of files that were `already` read with the first of the repair
    policies; they are read again only for the others.
    """
    runs, remarks = _runs(gold, systems, recipes, repairs, chosen, already)
    choices: list[Choice] = []
    for policy, run in runs.items():
        own, why = _choices(run, chosen, policy, strict=recipes is not None)
        choices += own
        remarks += [each for each in why if each not in remarks]
    if not any(each.order for each in choices):
        raise DataError("no system has a score under any choice: there is nothing to rank")
    kept = [each for each in choices if each.order]
    if len(kept) < len(choices):
        gone = joined([str(each) for each in choices if not each.order])
        remarks.append(f"no system has a score under {gone}: left out")
    first = next(iter(runs.values()))
    return Robustness(
        __version__, first.gold, first.system_files(), tuple(kept),
        tuple(run.signature() for run in runs.values()), tuple(remarks),
    )  # fmt: skip


def grid(
    gold: Corpus | None = None, systems: Iterable[Corpus] = (), preset: str | None = None
) -> list[Recipe]:
    """The default recipes: those of `GRIDS`; for event nuggets, the F1 of the table. `preset` names
    the table; by default it is the one that fits the files.

    >>> len(grid()), str(grid()[1])
    (32, 'exact.F1@macro')
    """
    if preset is None:
        preset = "mentions" if gold is None else ranking_table(gold, systems)
    table = table_recipes(preset, [] if gold is None else list(gold.mentions.attributes))
    if preset == "nugget":
        return [recipe for recipe in table if spell(recipe.measure) == "F1"]
    blocks = GRIDS[preset].items()
    texts = [f"{block}@{average}" for block, averages in blocks for average in averages]
    return [recipe for text in texts for recipe in Recipe.expand(text)]


def _check(repairs: Sequence[str]) -> None:
    if isinstance(repairs, str) or not repairs:
        raise UsageError("repairs is a list of policies, like ['conlleval', 'discard']")
    for each in repairs:
        if each not in (*REPAIRS, "strict"):
            raise UsageError(f"repair is conlleval, discard or strict, not {each!r}")


def _runs(
    gold: Scorable | Source,
    systems: Mapping[str, Scorable | Source],
    recipes: Recipes | None,
    repairs: list[str],
    options: Options,
    already: tuple[Corpus, Mapping[str, Corpus]] | None,
) -> tuple[dict[str | None, Run], list[str]]:
    """A run for each repair policy that can make a difference, and why there are not more."""
    # Sources, since standard input can be read only once.
    ours, *theirs = (
        Source(each) if isinstance(each, (str, os.PathLike)) else each
        for each in (gold, *systems.values())
    )
    inputs = dict(zip(systems, theirs, strict=True))

    def read(
        repair: str, names: Iterable[str], invalid: dict[str, InputError] | None = None
    ) -> tuple[Corpus, dict[str, Corpus]]:
        some = {name: inputs[name] for name in names}
        return corpora(ours, some, options.gold_options, options.system_options, repair, invalid)

    invalid: dict[str, InputError] = {}
    reference, answers = already or read(repairs[0], inputs, invalid)
    if not (options.skip_invalid and answers):
        raise_all(invalid.values())
    if recipes is None:
        official = [] if options.task is None else without_parts(options.task.recipes)
        recipes = [*official, *grid(reference, answers.values(), options.preset)]
    wanted, chosen = parse_recipes(recipes), options.without_reading()
    first = prepare(reference, answers, wanted, chosen)
    unread = [set_aside_as(name, inputs[name], error) for name, error in invalid.items()]
    if len(first.pairs) < 2:
        raise too_few([*unread, *first.set_aside], "rank")
    remarks = [f"set aside: {each}" for each in unread]
    remarks += [*first.gold.warnings, *(first.task.remarks if first.task else ())]
    fixed = {name for name, each in {"gold": ours, **inputs}.items() if isinstance(each, Corpus)}
    varied = [
        each for name, each in {"gold": reference, **answers}.items()
        if name not in fixed and each.origin is not None and "repair" in each.origin.parameters
    ]  # fmt: skip
    needed = any(each.facts.get(what) for each in varied for what in ("repaired", "discarded"))
    if len(fixed) == len(inputs) + 1:
        remarks.append("corpora are read already: the repair policy cannot vary")
    elif not varied:
        remarks.append("no format here has a repair policy")
    elif not needed:
        if len(repairs) > 1:
            remarks.append(f"no tag sequence needs repair: {joined(repairs)} read the same")
    else:
        if fixed and len(repairs) > 1:
            names = joined([plain(name) for name in fixed])
            remarks.append(f"read already, with one repair policy: {names}")
        runs: dict[str | None, Run] = {repairs[0]: first}
        for each in repairs[1:]:
            runs[each] = prepare(*read(each, first.pairs), wanted, chosen)
        return runs, remarks
    return {None: first}, remarks


def _choices(
    run: Run, options: Options, policy: str | None, *, strict: bool
) -> tuple[list[Choice], list[str]]:
    """All recipes under one repair policy. Without `strict`, one that cannot be is left out."""
    remarks: list[str] = []
    scores: dict[Recipe, dict[str, float | None]] = {}
    spaces = dict.fromkeys(recipe.space for recipe in run.recipes)
    for space in progress.steps(spaces, "event spaces"):
        own = [recipe for recipe in run.recipes if recipe.space == space]
        try:
            # One system at a time: counts of many documents take room.
            for name, pair in progress.steps(run.pairs.items(), spell(space)):
                tally = Tally.of(space, pair)
                for recipe in own:
                    value = average(recipe, tally, options.zero).value
                    scores.setdefault(recipe, {})[name] = number_or_none(value)
        except CarobError as error:
            if strict:
                raise
            remarks.append(f"{spell(space)} left out: {error}")
            for recipe in own:
                scores.pop(recipe, None)
    return [
        Choice(
            str(recipe), f"{spell(recipe.space)}.{spell(recipe.measure)}", spell(recipe.average),
            policy, scores[recipe], recipe.measure.lower_is_better,
            isinstance(recipe.measure, Count),
        )
        for recipe in run.recipes if recipe in scores
    ], remarks  # fmt: skip

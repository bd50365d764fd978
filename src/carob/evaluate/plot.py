"""What a chart shows: the result of the verb that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from carob.corpus.problems import InputError, UsageError, raise_all
from carob.evaluate.by_confidence import by_confidence
from carob.evaluate.errors import errors
from carob.evaluate.options import (
    ConfidenceOptions,
    ErrorsOptions,
    Options,
    RobustOptions,
    ScoreOptions,
)
from carob.evaluate.read import Scorable, corpora
from carob.evaluate.robust import robust
from carob.evaluate.run import Recipes, Systems, parse_recipes, set_aside_as, systems_by_name
from carob.evaluate.score import score
from carob.recipe import spell
from carob.report.charts import chart
from carob.result.acceptance import Acceptance
from carob.result.errors import Errors
from carob.result.robustness import Robustness
from carob.result.scores import Scores

if TYPE_CHECKING:
    from typing import Unpack

SYSTEMS = {"confusion": 1, "documents": 2}
"""How many systems a chart shows, if not any number."""


def results_for(
    kind: str,
    gold: Scorable,
    systems: Systems,
    recipes: Recipes | None = None,
    **options: Unpack[ScoreOptions],
) -> Scores | list[Errors] | Robustness | Acceptance:
    """The result that a kind of chart shows, for `carob.report.charts.figure`.

    Options that mean nothing for a kind are ignored, as those of intervals if it has none.

    >>> from carob import Corpus
    >>> [one] = results_for("errors", Corpus.of("[Ann]PER"), Corpus.of("[Ann]LOC"))
    >>> one.counts["LE"]
    1
    """
    draws = chart(kind).DRAWS
    if not {"Scores", "Errors", "Robustness", "Acceptance"} & {*draws}:
        needs = f"{' or '.join(draws)}: plot() of such a result draws it"
        raise UsageError(f"{kind} is a chart of {getattr(chart(kind), 'NEEDS', needs)}")
    Options.of(ScoreOptions, options)  # also the names and values that are ignored are checked
    named = systems_by_name(systems)
    wanted = SYSTEMS.get(kind, len(named))
    if len(named) != wanted:
        what = "one system" if wanted == 1 else "two systems"
        raise UsageError(f"{kind} is a chart of {what}, found {len(named)}")
    if kind == "documents":
        options["resamples"] = 0  # it shows no interval
        return score(gold, named, recipes, by_document=True, **options)
    if "Scores" in draws:
        return score(gold, named, recipes, **options)
    if "Acceptance" in draws:
        spaces = ["record"] if recipes is None else _texts(recipes)
        if len(spaces) > 1:
            raise UsageError(f"{kind} is a chart of one event space, found {', '.join(spaces)}")
        known = _only(options, ConfidenceOptions)
        return by_confidence(gold, named, spaces[0], **cast(Any, known))
    if "Robustness" in draws:
        return robust(gold, named, recipes, **cast(Any, _only(options, RobustOptions)))
    return _errors(gold, named, recipes, _only(options, ErrorsOptions))


def _errors(
    gold: Scorable, systems: Mapping[str, Scorable], recipes: Recipes | None, options: Any
) -> list[Errors]:
    """The errors of each system. The first also says which systems are left out."""
    texts = None if recipes is None else [str(recipe) for recipe in parse_recipes(recipes)]
    ours, theirs = (options.pop(f"{side}_options", None) for side in ("gold", "system"))
    skip_invalid = options.pop("skip_invalid", False)
    invalid: dict[str, InputError] = {}
    reference, answers = corpora(gold, systems, ours, theirs, invalid=invalid)
    made = []
    for name, answer in answers.items():
        try:
            made.append(errors(reference, answer, recipes=texts, names=[name], **options))
        except InputError as error:
            invalid[name] = error
    if invalid and not (skip_invalid and made):
        raise_all(invalid[name] for name in systems if name in invalid)
    left_out = [f"set aside: {set_aside_as(n, systems[n], e)}" for n, e in invalid.items()]
    return [replace(made[0], remarks=(*made[0].remarks, *left_out)), *made[1:]]


def _texts(recipes: Recipes) -> list[str]:
    """The event spaces of recipes."""
    return list(dict.fromkeys(spell(recipe.space) for recipe in parse_recipes(recipes)))


def _only(options: Any, kind: Any) -> dict[str, Any]:
    """The options that a verb has."""
    return {name: value for name, value in options.items() if name in kind.__annotations__}

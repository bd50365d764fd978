"""Report on systems: scores, comparison, errors and robustness from files that are read once."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from carob import progress
from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, UsageError, nearest
from carob.corpus.source import Source
from carob.counts.count import Count
from carob.evaluate.compare import check_trials, compare_run, without_parts
from carob.evaluate.errors import (
    analyse,
    default_recipes,
    errors_of,
    relation_summary,
    summarise,
)
from carob.evaluate.options import Options, ScoreOptions, table_for, table_recipes
from carob.evaluate.read import Scorable
from carob.evaluate.robust import REPAIRS, robust_read
from carob.evaluate.run import Recipes, Run, Systems, parse_recipes, prepare, systems_by_name
from carob.evaluate.score import score_run
from carob.evaluate.self_audit import self_audit
from carob.explain.analysis import ErrorAnalysis
from carob.explain.documents import common_unit, documents, relations_of, words_of
from carob.recipe import Recipe
from carob.result.documents import DocumentErrors
from carob.result.report import Definition, Pairing, Report
from carob.result.robustness import Robustness

if TYPE_CHECKING:
    from typing import Unpack


def report(
    gold: Scorable,
    systems: Systems,
    recipes: Recipes | None = None,
    *,
    baseline: str | None = None,
    trials: int | None = None,
    examples: int = 3,
    browser_documents: int = 5_000,
    browser_megabytes: float = 20.0,
    command: str | None = None,
    **options: Unpack[ScoreOptions],
) -> Report:
    """Everything about some systems, for one page: `report(gold, systems).save("report.html")`.

    The scores are those of `carob.score`, the tests and ranks those of `carob.compare`, the errors
    those of `carob.errors` with this many `examples` of each type, and the choices those of
    `carob.robust`. Two systems are also shown side by side; of more systems, each beside the
    `baseline`, if there is one. The error browser of the page has at most `browser_documents`
    documents, which take at most `browser_megabytes`, those with errors first. `command` is the
    command line that the page says repeats it. The other keyword arguments are described in
    `carob.Options`.

    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    >>> made = report(gold, {"a": gold, "b": Corpus.of("Ann slept", "[Bo]PER woke")})
    >>> made.order, made.pairings[0].changes.broken
    (['a', 'b'], {'FN': 1})
    """
    chosen = Options.of(ScoreOptions, options)
    check_trials(trials)
    if examples < 0:
        raise UsageError("examples must be 0 or more")
    if browser_documents < 0 or not browser_megabytes >= 0:
        raise UsageError("browser_documents and browser_megabytes must be 0 or more")

    # Sources, since standard input can be read only once, and robust reads files again.
    inputs = {name: _source(each) for name, each in systems_by_name(systems).items()}
    if baseline is not None and baseline not in inputs:
        raise UsageError(f"no system is called {baseline!r}{nearest(baseline, list(inputs))}")
    reference = _source(gold)

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> list[Recipe]:
        table = chosen.preset or table_for(gold, systems)
        return table_recipes(table, list(gold.mentions.attributes))

    wanted = chosen.official_recipes if recipes is None else parse_recipes(recipes)
    run = prepare(reference, inputs, wanted, chosen, defaults)
    there = list(run.pairs)
    if baseline is not None and baseline not in there:
        raise DataError(f"the baseline {baseline!r} is left out, because its file is wrong")
    side_by_side = len(there) == 2 or baseline is not None
    scores = score_run(run, chosen, by_document=side_by_side)
    scores = replace(scores, audit=self_audit(run, chosen))
    comparison = robustness = None
    remarks: tuple[str, ...] = ()
    if len(there) > 1:
        compared = replace(run, recipes=without_parts(run.recipes))
        comparison = compare_run(compared, chosen, trials).shown_as(baseline=baseline)
        robustness, remarks = _robustness(reference, inputs, run, chosen)
    error_run, analyses = _analyses(run, chosen, recipes)
    errors = {
        name: summarise(
            error_run, name, own, {kind: own.examples(kind, examples) for kind in own.types}
        )
        for name, own in progress.steps(analyses.items(), "errors of systems")
    }
    assert run.corpora is not None
    if len(run.corpora[0].relations) and not any(each.of_slots for each in errors.values()):
        errors = {
            name: replace(each, relations=relation_summary([analyses[name]], examples))
            for name, each in errors.items()
        }
    first = baseline or there[0]
    return Report(
        scores,
        errors,
        comparison,
        robustness,
        _pairings(analyses, first, examples) if side_by_side else (),
        tuple(_definitions(run.recipes)),
        remarks,
        command,
        {"browser_documents": browser_documents, "browser_megabytes": browser_megabytes},
        _documents(error_run, list(analyses.values()),
                   [(there.index(first), i) for i, name in enumerate(there) if name != first]
                   if side_by_side else []),
    )  # fmt: skip


def _source(readable: Any) -> Any:
    return Source(readable) if isinstance(readable, (str, os.PathLike)) else readable


def _robustness(
    gold: Any, systems: Mapping[str, Any], run: Run, options: Options
) -> tuple[Robustness | None, tuple[str, ...]]:
    """How far the order depends on the recipe, or a remark why that cannot be said."""
    repair = options.gold_options.get("repair") or options.system_options.get("repair")
    repairs = [repair] if repair else list(REPAIRS)
    kept = {name: systems[name] for name in run.pairs}
    try:
        made = robust_read(gold, kept, None, repairs, options, run.corpora)
    except DataError as error:
        return None, (f"no robustness: {error}",)
    return made, ()


def _analyses(
    run: Run, options: Options, recipes: Recipes | None
) -> tuple[Run, dict[str, ErrorAnalysis]]:
    """The errors of every system, as `carob.errors` finds them."""
    assert run.corpora is not None
    reference, answers = run.corpora
    what = errors_of(options, reference, answers.values())

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> Sequence[str]:
        return default_recipes(what)

    alone = replace(options.without_reading(), preset=None)
    error_run = prepare(reference, answers, recipes, alone, defaults)
    return error_run, analyse(error_run, what)


def _documents(
    run: Run, analyses: Sequence[ErrorAnalysis], pairs: Sequence[tuple[int, int]]
) -> Callable[[], Iterable[DocumentErrors]]:
    """What reads all documents with their errors, and the relations that are in them."""
    assert run.corpora is not None
    gold, answers = run.corpora
    systems = [answers[name] for name in run.pairs]

    def read() -> Iterable[DocumentErrors]:
        words = words_of(gold, systems, common_unit(analyses))
        relations = [relations_of(each, gold) for each in (gold, *systems)]
        return documents(analyses, words, relations, pairs)

    return read


def _pairings(
    analyses: Mapping[str, ErrorAnalysis], first: str, examples: int
) -> tuple[Pairing, ...]:
    """What each of the other systems fixed and broke against the first."""
    return tuple(
        Pairing(first, other, analyses[first].changes(own, examples))
        for other, own in analyses.items()
        if other != first
    )


def _definitions(recipes: Sequence[Recipe]) -> Iterable[Definition]:
    """What the parts of the recipes mean, each once, from the docstrings of their classes."""
    for stage, attribute in (("match", "space"), ("measure", "measure"), ("average", "average")):
        parts = {type(part).name: part for part in (getattr(r, attribute) for r in recipes)
                 if not isinstance(part, Count)}  # fmt: skip
        for name, part in parts.items():
            paragraphs = inspect.cleandoc(type(part).__doc__ or "").split("\n\n")
            text = (each for each in paragraphs if not each.lstrip().startswith(">>>"))
            yield Definition(stage, name, tuple(text))

"""Rank all submissions of a shared task: validate each, set the bad ones aside, rank the rest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carob import progress
from carob._version import __version__
from carob.corpus.archive_reader import unzipped
from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, InputError, Problem, UsageError, plain, raise_all
from carob.corpus.source import Source, is_of_editor
from carob.evaluate.compare import compare, without_parts
from carob.evaluate.options import Options, ScoreOptions, ranking_table
from carob.evaluate.read import Scorable, corpora
from carob.evaluate.run import (
    Recipes,
    origin_of,
    parse_recipes,
    prepare,
    set_aside_as,
    systems_by_name,
)
from carob.evaluate.score import score
from carob.evaluate.tables import HEADLINES
from carob.recipe import Recipe
from carob.result.comparison import Comparison, Rank
from carob.result.ranking import Ranking
from carob.result.scores import SetAside

if TYPE_CHECKING:
    from typing import Unpack

Submissions = str | os.PathLike[str] | Sequence[Scorable] | Mapping[str, Scorable]


def rank(
    gold: Scorable,
    submissions: Submissions,
    recipes: Recipes | None = None,
    *,
    trials: int | None = None,
    sort: str = "score",
    **options: Unpack[ScoreOptions],
) -> Ranking:
    """Rank the submissions in a folder (or a list, or by name).

    Every file, zip file or folder in the folder is a submission; hidden ones and gold itself are
    left out, and so are, with a remark, README files, what editors leave, and what is no file.
    Each is read and compared with gold. One with a problem is set aside with its problems. The
    others are ranked by the first of the `recipes`, with intervals, and with rank ranges and
    clusters from the tests that `carob.compare` makes; other recipes are scored beside it. By
    default it is the first official recipe of the task, otherwise exact.F1 (oads.F1 for slots).
    The other keyword arguments are described in `carob.Options`.

    >>> gold = Corpus.of(*["[Ann]PER slept", "[Bo]PER woke"] * 4)
    >>> other = Corpus.of(*["Ann slept", "[Bo]PER woke"] * 4)
    >>> [each.system for each in rank(gold, {"a": other, "b": gold}).ranked]
    ['b', 'a']
    """
    chosen = Options.of(ScoreOptions, options)
    wanted = None if recipes is None else parse_recipes(recipes)
    named, remarks = _named(gold, submissions)
    reference, valid, set_aside = _validated(gold, named, chosen)
    first, *others = wanted or _default(reference, valid.values(), chosen)
    kept: Any = {**options, "gold_options": {}, "system_options": {}}
    if len(valid) > 1:
        comparison = compare(reference, valid, first, trials=trials, **kept)
    else:
        comparison = _alone(reference, valid, first, kept)
    scores = score(reference, valid, others, **kept) if others else None
    comparison = replace(comparison, remarks=(*comparison.remarks, *remarks))
    return Ranking(comparison.shown_as(sort=sort), tuple(set_aside), scores)


def _named(gold: Scorable, submissions: Submissions) -> tuple[dict[str, Scorable], list[str]]:
    """The submissions by name, without gold; and a remark about what is none."""
    if not isinstance(submissions, (str, os.PathLike)):
        return systems_by_name(submissions), []
    folder = Path(submissions)
    if not folder.is_dir():
        raise UsageError(f"found {os.fspath(folder)!r}, expected a folder of submissions")
    own = Path(gold) if isinstance(gold, (str, os.PathLike)) and Path(gold).exists() else None
    there = [
        path for path in sorted(folder.iterdir())
        if not path.name.startswith(".") and not (own and path.exists() and path.samefile(own))
    ]  # fmt: skip
    paths = list(filter(_may_be_submission, there))
    if not paths:
        raise UsageError(f"{os.fspath(folder)!r} holds no submission")
    others = [plain(path.name) for path in there if path not in paths]
    names = ", ".join(others[:5]) + ("" if len(others) <= 5 else f" and {len(others) - 5:,} more")
    return systems_by_name(map(os.fspath, paths)), [f"no submissions: {names}"] * bool(others)


def _may_be_submission(path: Path) -> bool:
    """Whether a file or folder is neither a README, nor left by an editor, nor a pipe or device."""
    readme = path.name.partition(".")[0].casefold() == "readme"
    odd = path.exists() and not (path.is_file() or path.is_dir())
    return not (readme or is_of_editor(path.name) or odd)


def _validated(
    gold: Scorable, submissions: Mapping[str, Scorable], options: Options
) -> tuple[Corpus, dict[str, Corpus], list[SetAside]]:
    """Gold, the submissions that can be scored, and the others with their problems."""
    invalid: dict[str, InputError] = {}
    sources: dict[str, Scorable | Source] = dict(submissions)
    for name, each in submissions.items():
        if isinstance(each, (str, os.PathLike)):
            try:
                sources[name] = unzipped(os.fspath(each)) or each
            except InputError as error:
                invalid[name] = error
                del sources[name]
    if not sources:
        raise_all(invalid.values())
    reference, read = corpora(
        gold, sources, options.gold_options, options.system_options, invalid=invalid
    )
    alone = options.without_reading()
    for name, corpus in progress.steps(read.items(), "submissions"):
        try:
            prepare(reference, {name: corpus}, "exact.F1", alone)
        except InputError as error:
            invalid[name] = error
        except CarobError as error:
            path = origin_of(corpus).path or name
            problem = Problem("K308", path, None, str(error), "documents to compare with gold's")
            invalid[name] = InputError([problem])
    valid = {name: corpus for name, corpus in read.items() if name not in invalid}
    if not valid:
        raise_all(invalid.values())
    set_aside = [
        set_aside_as(name, file, invalid[name])
        for name, file in submissions.items()
        if name in invalid
    ]
    return reference, valid, set_aside


def _default(gold: Corpus, systems: Iterable[Corpus], options: Options) -> list[Recipe]:
    if options.official_recipes is not None:
        return without_parts(options.official_recipes)
    return [Recipe.parse(HEADLINES[options.preset or ranking_table(gold, systems)])]


def _alone(gold: Corpus, system: Mapping[str, Corpus], recipe: Recipe, options: Any) -> Comparison:
    """A ranking of one."""
    scores = score(gold, system, recipe, **options)
    [one] = scores
    place = None if one.value is None else 1
    ranks = (Rank(one.recipe, None, one.system, one.value, place, place, place, one.low, one.high,
                  is_count=one.is_count),)  # fmt: skip
    seed = Options.of(ScoreOptions, options).seed
    return Comparison(
        __version__, scores.gold, scores.systems, (), ranks, (), scores.signature, seed,
        remarks=scores.remarks,
    )  # fmt: skip

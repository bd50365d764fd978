"""What is wrong with a system: kinds of errors, confusions, examples, what fixing would gain."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.corpus.corpus import Corpus, Words
from carob.corpus.problems import UsageError, nearest
from carob.counts.tally import Tally
from carob.evaluate._ledger import write_ledger
from carob.evaluate.options import ErrorsOptions, Options
from carob.evaluate.presets import table_for
from carob.evaluate.read import Readable, corpora
from carob.evaluate.run import prepare
from carob.explain.gains import attack_order, gains
from carob.explain.mentions import BOUNDARY, MentionErrors
from carob.explain.slots import SlotErrors
from carob.pair.pair import Pair
from carob.recipe import Recipe
from carob.result.errors import Errors

if TYPE_CHECKING:
    from typing import Unpack

RECIPES = ("exact.F1", "overlap.F1", "ts.F1@macro", "fair.F1", "slots.SER")
"""The scores whose gains are reported by default, for mentions."""

SLOT_RECIPES = ("templates.F1", "templates.SER", "oas.F1", "oaod.F1", "oads.F1")
"""The same for slots."""


def errors(
    gold: Readable,
    system: Readable,
    other: Readable | None = None,
    *,
    recipes: Iterable[str] | None = None,
    examples: int = 0,
    types: Sequence[str] | None = None,
    label: str | None = None,
    ledger_to: str | os.PathLike[str] | None = None,
    spaces: Iterable[str] | None = None,
    names: Sequence[str] | None = None,
    **options: Unpack[ErrorsOptions],
) -> Errors:
    """What is wrong with a system; with `other`, also what that one fixed and broke.

    Errors are those of `templates` where gold has templates, or where the system has templates and
    no mentions; otherwise those of `fair`. `preset` (`mentions` or `templates`) decides otherwise.
    `examples` of each type come in context, only those of `types` and `label` if these are given.
    `recipes` are the scores whose gains are reported. `ledger_to` writes the events of `spaces`
    (default: those of the recipes) in long form, as csv, jsonl or parquet by the file's ending.
    The other keyword arguments are described in `carob.Options`.

    >>> gold, system = Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]ORG slept")
    >>> errors(gold, system, recipes=["exact.F1"]).confusions
    [('PER', 'ORG', 1)]
    """
    systems = [each for each in (system, other) if each is not None]
    called = dict(zip(names or _names(systems), systems, strict=True))
    chosen = Options.of(ErrorsOptions, options)
    if chosen.preset not in (None, "mentions", "templates"):
        raise UsageError(f"errors are those of mentions or templates, not of {chosen.preset!r}")
    reference, answers = corpora(gold, called, chosen.gold_options, chosen.system_options)
    slots = (chosen.preset or table_for(reference, answers.values())) == "templates"
    kinds = _types(types, slots=slots)

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> Sequence[str]:
        return SLOT_RECIPES if slots else RECIPES

    run = prepare(reference, answers, recipes, chosen.without_reading(), defaults)
    words = _Reader(run.reference)
    space = Recipe.parse("templates.F1" if slots else "fair.F1").space
    analyses = [
        (SlotErrors if slots else MentionErrors)(pair, space(pair), words)
        for pair in run.pairs.values()
    ]
    first, pair = analyses[0], analyses[0].pair
    names_ = first.table.labels
    if label is not None and label not in names_:
        what = "slot" if slots else "label"
        raise UsageError(f"no {what} is called {label!r}{nearest(label, names_)}")
    which = None if label is None else names_.index(label)
    counts = first.counts()
    if ledger_to is not None:
        write_ledger(ledger_to, pair, _spaces(spaces, run.recipes), words)
    scores, official = _scores(pair, run.recipes), run.recipes[0]
    return Errors(
        next(iter(run.pairs)),
        first.kinds[1:],
        {kind: int(count.sum()) for kind, count in counts.items()},
        {
            each: {kind: int(count[i]) for kind, count in counts.items()}
            for i, each in enumerate(names_)
        },
        first.confusion(),
        gains(first, scores, lambda better: _scores(better, run.recipes)),
        scores,
        attack_order(
            first,
            lambda better: _scores(better, [official])[str(official)],
            lower_is_better=official.measure.lower_is_better,
        ),
        items=space.items,
        near=first.near_misses if isinstance(first, MentionErrors) else None,
        unseen=first.unseen if isinstance(first, MentionErrors) else None,
        examples={kind: first.examples(kind, examples, which) for kind in kinds if examples},
        changes=first.changes(analyses[1], examples) if len(analyses) > 1 else None,
        systems=run.system_files(),
        remarks=run.remarks,
        signature=run.signature(),
    )


def _scores(pair: Pair, recipes: Sequence[Recipe]) -> dict[str, float | None]:
    """The score of each recipe, None where it is undefined."""
    tallies: dict[Any, Tally] = {}
    scores: dict[str, float | None] = {}
    for recipe in recipes:
        if recipe.space not in tallies:
            tallies[recipe.space] = Tally.of(recipe.space, pair)
        value = float(recipe.average(recipe.measure, tallies[recipe.space]).value)
        scores[str(recipe)] = None if np.isnan(value) else value
    return scores


def _names(systems: Sequence[Readable]) -> list[str]:
    """What the systems are called by default: as their files."""
    names = [_name(system, i) for i, system in enumerate(systems)]
    return names if len(set(names)) == len(names) else ["first", "second"]


def _name(system: Readable, place: int) -> str:
    path = os.fspath(system) if isinstance(system, (str, os.PathLike)) else ""
    if isinstance(system, Corpus) and system.origin is not None:
        path = system.origin.path
    return Path(path).stem or ("system", "second")[place]


def _types(types: Sequence[str] | None, *, slots: bool) -> tuple[str, ...]:
    """The types of which examples are wanted; BE is all boundary errors."""
    analysis = SlotErrors if slots else MentionErrors
    errors = (*analysis.kinds[1:], *analysis.also)
    if types is None:
        return errors
    groups: dict[str, tuple[str, ...]] = {kind: (kind,) for kind in (*errors, analysis.kinds[0])}
    if not slots:
        groups["BE"] = BOUNDARY
    for kind in types:
        if kind not in groups:
            names = [each for each in groups if each != analysis.kinds[0]]
            raise UsageError(f"no type of error is called {kind!r}{nearest(kind, names)}")
    return tuple(each for kind in types for each in groups[kind])


class _Reader:
    """The words of gold's documents, the last one remembered."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.last: tuple[int, Words] | None = None

    def __call__(self, row: int) -> Words:
        if self.last is None or self.last[0] != row:
            library = self.corpus.library
            self.last = (row, library.words(row) if library else (None, None))
        return self.last[1]


def _spaces(spaces: Iterable[str] | None, recipes: Sequence[Recipe]) -> list[Any]:
    if spaces is not None:
        return [Recipe.parse(f"{text}.gold_all").space for text in spaces]
    return list(dict.fromkeys(recipe.space for recipe in recipes))

"""What is wrong with a system: kinds of errors, confusions, examples, what fixing would gain."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, UsageError, nearest
from carob.counts.count import Count
from carob.counts.events import Events, Space
from carob.counts.tally import Tally
from carob.evaluate.options import ErrorsOptions, Options, table_for
from carob.evaluate.read import Scorable
from carob.evaluate.run import Run, parse_recipes, prepare, systems_by_name
from carob.evaluate.score import average
from carob.explain.analysis import ErrorAnalysis
from carob.explain.gains import attack_order, gains
from carob.explain.ledger import COLUMNS, Wording, ledger, relation_text
from carob.explain.mentions import BOUNDARY, MentionErrors
from carob.explain.slots import SlotErrors
from carob.pair.pair import Pair
from carob.recipe import Recipe, spell
from carob.report.csv import cell
from carob.result.errors import Errors, Example, RelationErrors, SlotExample
from carob.result.result import library, number_or_none
from carob.result.robustness import joined

if TYPE_CHECKING:
    from typing import Unpack

RECIPES = ("exact.F1", "overlap.F1", "ts.F1@macro", "fair.F1", "slots.SER")
"""The scores whose gains are reported by default, for mentions."""

SLOT_RECIPES = ("templates.F1", "templates.SER", "oas.F1", "oaod.F1", "oads.F1")
"""The same for slots."""


def errors(
    gold: Scorable,
    system: Scorable,
    other: Scorable | None = None,
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
    `examples` of each type come in context, only those of `types` and `label` if these are given;
    what `other` fixed and broke is also that of the `label` alone.
    `recipes` are the scores whose gains are reported. `ledger_to` writes the events of `spaces`
    (default: those of the recipes) in long form, as csv, jsonl or parquet by the file's ending.
    The other keyword arguments are described in `carob.Options`.

    >>> gold, system = Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]ORG slept")
    >>> errors(gold, system, recipes=["exact.F1"]).confusions
    [('PER', 'ORG', 1)]
    """
    several = [each for each in (system, other) if each is not None]
    systems = systems_by_name(several, names or ())
    chosen = Options.of(ErrorsOptions, options)
    if chosen.preset not in (None, "mentions", "templates"):
        raise UsageError(f"errors are those of mentions or templates, not of {chosen.preset!r}")

    def of_slots(gold: Corpus, systems: Iterable[Corpus]) -> bool:
        return (chosen.preset or table_for(gold, systems)) == "templates"

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> Sequence[str]:
        return SLOT_RECIPES if of_slots(gold, systems) else RECIPES

    run = prepare(gold, systems, recipes, replace(chosen, resamples=0), defaults)
    assert run.corpora is not None
    read_gold, read_systems = run.corpora
    written = run.recipes
    run = _of_items(run, defaults)
    slots = of_slots(read_gold, read_systems.values())
    kinds = _types(types, slots=slots)
    analyses = analyse(run, slots=slots)
    first = next(iter(analyses.values()))
    labels = first.table.labels
    if label is not None and label not in labels:
        what = "slot" if slots else "label"
        raise DataError(f"no {what} is called {label!r}{nearest(label, labels)}")
    which = None if label is None else labels.index(label)
    if ledger_to is not None:
        _write_ledger(ledger_to, first.pair, _spaces(spaces, written), first.words)
    result = summarise(
        run, next(iter(run.pairs)), first,
        {kind: first.examples(kind, examples, which) for kind in kinds if examples},
    )  # fmt: skip
    if not slots and len(read_gold.relations):
        result = replace(result, relations=_relation_errors(first.pair, examples, first.words))
    if len(analyses) == 1:
        return result
    second = list(analyses.values())[1]
    return replace(result, changes=first.changes(second, examples, which))


def _relation_errors(pair: Pair, examples: int, words: Wording) -> RelationErrors:
    """What became of the relations, with some examples of each kind of error."""
    from carob.match.relations import KINDS, kinds_of_errors  # most files have no relations

    kind, gold, system = kinds_of_errors(pair)
    links = pair.links
    label = np.where(gold >= 0, np.append(links.gold.label, -1)[gold],
                     np.append(links.system.label, -1)[system])  # fmt: skip
    by_label = {
        name: {each: int(np.sum((kind == k) & (label == i))) for k, each in enumerate(KINDS)}
        for i, name in enumerate(links.labels)
    }
    quoted = {}
    for k, each in enumerate(KINDS[1:], 1):
        some = []
        for row in np.flatnonzero(kind == k)[:examples].tolist():
            g, s = int(gold[row]), int(system[row])
            doc = int(links.gold.doc[g] if g >= 0 else links.system.doc[s])
            known = words(doc)
            texts = (relation_text(pair, "gold", g, known), relation_text(pair, "system", s, known))
            some.append((pair.documents.name(doc), *texts))
        quoted[each] = some
    counts = {each: int(np.sum(kind == k)) for k, each in enumerate(KINDS)}
    return RelationErrors(counts, by_label, quoted)


def _of_items(run: Run, defaults: Callable[[Corpus, Iterable[Corpus]], Sequence[str]]) -> Run:
    """The run with recipes that correcting a mention or filler can change. Relations would have to
    be corrected themselves.
    """
    others = [recipe for recipe in run.recipes if recipe.space.items == "relation"]
    if not others:
        return run
    assert run.corpora is not None
    kept = [recipe for recipe in run.recipes if recipe not in others]
    gold, systems = run.corpora
    names = joined([str(recipe) for recipe in others])
    remark = f"{names}: what correcting errors would gain is shown for mentions and fillers only"
    return replace(
        run,
        recipes=kept or parse_recipes(defaults(gold, systems.values())),
        remarks=(*run.remarks, remark),
    )


def analyse(run: Run, *, slots: bool) -> dict[str, ErrorAnalysis]:
    """What became of every mention, or of every filler if `slots`, for each system."""
    words: Wording = lru_cache(1)(run.reference.words)  # a document's events follow each other
    space = Recipe.parse("templates.F1" if slots else "fair.F1").space
    kind = SlotErrors if slots else MentionErrors
    return {name: kind(pair, _events(space, pair), words) for name, pair in run.pairs.items()}


NO_TOKENS = "there is no text to find tokens in: types of errors compare characters"


def _events(space: Space, pair: Pair) -> Events:
    """The events of a pair; without a text to find tokens in, every character is a token."""
    if space.items == "mention" and pair.unit == "char":
        try:
            _ = pair.in_tokens
        except DataError:
            pair = replace(pair, unit="token")
    return space(pair)


def summarise(
    run: Run,
    name: str,
    analysis: ErrorAnalysis,
    examples: Mapping[str, Sequence[Example | SlotExample]],
) -> Errors:
    """The errors of one system: counts, confusions, gains."""
    pair, counts = analysis.pair, analysis.counts()
    scores, official = _scores(pair, run.recipes), run.recipes[0]
    near = analysis.near_misses if isinstance(analysis, MentionErrors) else None
    in_characters = near is None and isinstance(analysis, MentionErrors)
    return Errors(
        name,
        analysis.kinds[1:],
        {kind: int(count.sum()) for kind, count in counts.items()},
        {
            each: {kind: int(count[i]) for kind, count in counts.items()}
            for i, each in enumerate(analysis.table.labels)
        },
        analysis.confusion(),
        gains(analysis, scores, lambda better: _scores(better, run.recipes)),
        scores,
        attack_order(
            analysis,
            lambda better: _scores(better, [official])[str(official)],
            lower_is_better=official.measure.lower_is_better,
        ),
        items="mention" if isinstance(analysis, MentionErrors) else "filler",
        near=near,
        unseen=analysis.unseen if isinstance(analysis, MentionErrors) else None,
        examples=examples,
        systems=run.system_files(),
        remarks=(*run.remarks, NO_TOKENS) if in_characters else run.remarks,
        signature=run.signature(),
        count_recipes=frozenset(str(r) for r in run.recipes if isinstance(r.measure, Count)),
    )


def _scores(pair: Pair, recipes: Sequence[Recipe]) -> dict[str, float | None]:
    """The score of each recipe, None where it is undefined."""
    tallies: dict[Any, Tally] = {}
    scores: dict[str, float | None] = {}
    for recipe in recipes:
        if recipe.space not in tallies:
            tallies[recipe.space] = Tally.of(recipe.space, pair)
        scores[str(recipe)] = number_or_none(average(recipe, tallies[recipe.space], None).value)
    return scores


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


def _spaces(spaces: Iterable[str] | None, recipes: Sequence[Recipe]) -> list[Any]:
    if spaces is not None:
        return [Recipe.parse(f"{text}.gold_all").space for text in spaces]
    return list(dict.fromkeys(recipe.space for recipe in recipes))


def _write_ledger(
    path: str | os.PathLike[str], pair: Pair, spaces: Iterable[Any], words: Wording
) -> None:
    """Write every event of these spaces: as csv, jsonl or parquet, by the file's ending."""
    ending = Path(path).suffix
    if ending not in (".csv", ".jsonl", ".parquet"):
        raise UsageError(f"a ledger is .csv, .jsonl or .parquet, not {ending or 'that'!r}")
    rows = (
        {key: _writable(value) for key, value in row.items()}
        for space in spaces
        for row in ledger(spell(space), pair, space(pair), words)
    )
    try:
        if ending == ".parquet":
            frame = library("polars").DataFrame(list(rows), infer_schema_length=None)
            frame.write_parquet(os.fspath(path))
            return
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            if ending == ".jsonl":
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            else:
                table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                table.writeheader()
                table.writerows({key: cell(text) for key, text in row.items()} for row in rows)
    except OSError as error:
        raise UsageError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from None


def _writable(value: Any) -> Any:
    """Text with lone surrogates escaped: they stand for bytes that are not UTF-8."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "backslashreplace").decode()

"""What is wrong with a system: kinds of errors, confusions, examples, what fixing would gain."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping, Sequence
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
from carob.evaluate.read import Scorable, require_one_system
from carob.evaluate.run import (
    Run,
    for_strings,
    parse_recipes,
    prepare,
    systems_by_name,
    uncounted_groups,
)
from carob.evaluate.score import average
from carob.explain.analysis import CorrectableErrors, ErrorAnalysis
from carob.explain.gains import attack_order, gains
from carob.explain.ledger import COLUMNS, Wording, ledger
from carob.explain.mentions import BOUNDARY, MentionErrors
from carob.explain.records import Judgement, RecordErrors
from carob.explain.relations import Related, relation_errors
from carob.explain.slots import SlotErrors
from carob.pair.pair import Pair
from carob.pair.typed_grounding import groundings
from carob.plugin import hook
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

RECORD_RECIPES = ("fields.F1", "record.exact")
"""The recipes whose events a ledger of records has by default."""

KINDS = ("mentions", "templates", "records")
"""What errors may be of."""


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

    Errors are those of `fields` where slots are typed, by the task or by gold's numbers; those of
    `templates` where gold has other templates, or where the system has strings that
    cannot be located as mentions; otherwise those of `fair`. `preset` (`records`, `templates` or
    `mentions`) decides otherwise.
    `examples` of each type come in context, only those of `types` and `label` if these are given;
    what `other` fixed and broke is also that of these alone.
    `recipes` are the scores whose gains are reported, which records do not have. `ledger_to` writes
    the events of `spaces` (default: those of the recipes) in long form, as csv, jsonl or parquet by
    the file's ending.
    The other keyword arguments are described in `carob.Options`.

    >>> gold, system = Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]ORG slept")
    >>> errors(gold, system, recipes=["exact.F1"]).confusions
    [('PER', 'ORG', 1)]
    """
    several = [each for each in (system, other) if each is not None]
    for each in several:
        require_one_system("errors", gold, each)
    systems = systems_by_name(several, names or ())
    chosen = Options.of(ErrorsOptions, options)
    if chosen.preset not in (None, *KINDS):
        raise UsageError(
            f"errors are those of mentions, templates or records, not of {chosen.preset!r}"
        )

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> Sequence[str]:
        return default_recipes(errors_of(chosen, gold, systems))

    # The values of records are compared by the types of slots, whichever table is asked for.
    preset = None if chosen.preset == "records" else chosen.preset
    run = prepare(gold, systems, recipes, replace(chosen, resamples=0, preset=preset), defaults)
    assert run.corpora is not None
    read_gold, read_systems = run.corpora
    what = errors_of(chosen, read_gold, read_systems.values())
    if recipes is not None and all(hook(recipe.space, "typed_values") for recipe in run.recipes):
        what = "records"
    relations = what == "mentions" and len(read_gold.relations) > 0
    # With recipes, the ledger has their events; without, those of all that is analysed.
    written = list(run.recipes)
    if relations and recipes is None:
        written.append(Recipe.parse("relations.F1"))
    run = _of_items(run, what, given=recipes is not None)
    analyses = analyse(run, what)
    first = next(iter(analyses.values()))
    kinds = _types(types, first)
    labels = first.table.labels
    if label is not None and label not in labels:
        noun = "label" if what == "mentions" else "slot"
        raise DataError(f"no {noun} is called {label!r}{nearest(label, labels)}")
    which = None if label is None else labels.index(label)
    if ledger_to is not None:
        written = for_strings(written, [first.pair], optional=recipes is None)
        _write_ledger(ledger_to, first.pair, _spaces(spaces, written), first.words)
    result = summarise(
        run, next(iter(run.pairs)), first,
        {kind: first.examples(kind, examples, which) for kind in kinds if examples},
    )  # fmt: skip
    if relations:
        uncounted = uncounted_groups(run.recipes, read_gold)
        rest = uncounted_groups([*run.recipes, Recipe.parse("relations.F1")], read_gold)
        kept = (each for each in result.remarks if each not in uncounted)
        summary = relation_summary(list(analyses.values()), examples)
        result = replace(result, relations=summary, remarks=(*kept, *rest))
    if len(analyses) == 1:
        return result
    second = list(analyses.values())[1]
    # What is right is no error that could be fixed.
    wrong = [kind for kind in kinds if types is not None and kind in first.types]
    return replace(result, changes=first.changes(second, examples, which, wrong or None))


def relation_summary(analyses: Sequence[ErrorAnalysis], examples: int) -> RelationErrors:
    """What became of every relation, and what the second system, if there is one, fixed and broke.
    The analyses are those of mentions.
    """
    from carob.match.relations import KINDS, kinds_of_errors  # most files have no relations

    first, *others = (Related(each.pair, *kinds_of_errors(each.pair)) for each in analyses)
    return relation_errors(first, KINDS, examples, analyses[0].words, *others)


def errors_of(options: Options, gold: Corpus, systems: Iterable[Corpus]) -> str:
    """What errors are of: `mentions`, `templates` or `records`.

    >>> errors_of(Options(), Corpus.of({"templates": [{"slots": {"total": [9.5]}}]}), [])
    'records'
    """
    table = options.preset
    if table is None and options.task is not None:
        typed = any(slot.typed for slot in options.task.slots.values())
        table = "records" if typed else None
    table = table or table_for(gold, systems)
    table = "templates" if table == "triples" else table
    return table if table in KINDS else "mentions"


def default_recipes(what: str) -> Sequence[str]:
    """The recipes of errors in mentions, templates or records, if none are given."""
    return {"templates": SLOT_RECIPES, "records": RECORD_RECIPES}.get(what, RECIPES)


def _of_items(run: Run, what: str, *, given: bool) -> Run:
    """The run with recipes that correcting a mention or filler can change. Relations and records
    would have to be corrected themselves; if their recipes were `given`, a remark says so. Records
    keep theirs, which are those of the ledger.
    """
    others = [recipe for recipe in run.recipes
              if what == "records" or recipe.space.items == "relation"
              or hook(recipe.space, "typed_values")]  # fmt: skip
    if not others:
        return run
    kept = [recipe for recipe in run.recipes if recipe not in others]
    names = joined([str(recipe) for recipe in others])
    remark = f"{names}: what correcting errors would gain is shown for mentions and fillers only"
    return replace(
        run,
        recipes=run.recipes if what == "records" else kept or parse_recipes(default_recipes(what)),
        remarks=(*run.remarks, remark) if given else run.remarks,
    )


def analyse(run: Run, what: str) -> dict[str, ErrorAnalysis]:
    """What became of every mention, every filler of templates, or every value of records, for each
    system.
    """
    # A document's events follow each other; those of several systems are shown in turn.
    length = run.reference.documents.length
    small = bool((length >= 0).all()) and int(length.sum()) < SMALL
    words: Wording = lru_cache(HELD if small else 1)(run.reference.words)
    if what == "records":
        return _of_records(run, words)
    space = Recipe.parse("templates.F1" if what == "templates" else "fair.F1").space
    kind = SlotErrors if what == "templates" else MentionErrors
    return {name: kind(pair, _events(space, pair), words) for name, pair in run.pairs.items()}


def _of_records(run: Run, words: Wording) -> dict[str, ErrorAnalysis]:
    """What became of every value of records; all systems have the same rows of slots."""
    from carob.match.fields import Fields, compared  # most files have no records

    judged = {}
    for name, pair in run.pairs.items():
        parts, _ = compared(pair, Fields().floor, weights=True)
        events, records = Fields()(pair), pair.records
        right = [events.outcomes.index(outcome) for outcome in ("COR", "NON")]
        wrong = parts.system[(parts.system >= 0) & ~np.isin(events.outcome, right)]
        found = groundings(records, records.system, pair.filled.words, wrong)
        judged[name] = Judgement(events, parts.gold, parts.system, found)
    labels = sorted({label for each in judged.values() for label in each.events.labels or ()})
    return {
        name: RecordErrors(run.pairs[name], each, words, tuple(labels))
        for name, each in judged.items()
    }


SMALL, HELD = 1 << 20, 256
"""Of a corpus with fewer positions than SMALL, the words of HELD documents are kept."""

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
    gained: dict[str, Any] = {}
    order: list[tuple[str, float]] = []
    if isinstance(analysis, CorrectableErrors):
        gained = gains(analysis, scores, lambda better: _scores(better, run.recipes))
        order = attack_order(
            analysis,
            lambda better: _scores(better, [official])[str(official)],
            lower_is_better=official.measure.lower_is_better,
        )
    return Errors(
        name,
        analysis.kinds[1:],
        {kind: int(count.sum()) for kind, count in counts.items()},
        {
            each: {kind: int(count[i]) for kind, count in counts.items()}
            for i, each in enumerate(analysis.table.labels)
        },
        analysis.confusion(),
        gained,
        scores,
        order,
        items=analysis.item,
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


def _types(types: Sequence[str] | None, analysis: ErrorAnalysis) -> tuple[str, ...]:
    """The types of which examples are wanted; BE is all boundary errors."""
    errors = analysis.types
    if types is None:
        return errors
    groups: dict[str, tuple[str, ...]] = {kind: (kind,) for kind in (*errors, analysis.kinds[0])}
    if isinstance(analysis, MentionErrors):
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

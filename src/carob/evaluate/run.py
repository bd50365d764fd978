"""What every function that scores does first: read, rename labels, apply the task, pair.

A `Run` is the outcome: gold and systems side by side, ready to be counted, with everything that a
result says about how it was made.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from carob import registry
from carob._version import __version__
from carob.corpus.corpus import Corpus, Origin
from carob.corpus.problems import UsageError
from carob.corpus.unscored_keys import told_aside
from carob.evaluate.options import Options
from carob.evaluate.read import Readable, corpora
from carob.evaluate.sampling import Plan
from carob.evaluate.unknown_names import (
    recipes_without_mentions,
    slot_rows,
    unknown_labels,
    unknown_renamings,
)
from carob.pair.pair import Pair
from carob.pair.tokens import Tokens
from carob.recipe import Recipe, spell
from carob.result import signature
from carob.result.scores import File

if TYPE_CHECKING:
    from carob.evaluate.task import Applied

Systems = Readable | Sequence[Readable] | Mapping[str, Readable]
Recipes = str | Recipe | Iterable[str | Recipe]
Defaults = Callable[[Corpus, Iterable[Corpus]], Sequence[str | Recipe]]
"""The recipes to score when none is given, from gold and systems."""


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Files that are read and paired, and what signatures and remarks say about them."""

    gold: File
    files: Mapping[str, File]
    pairs: Mapping[str, Pair]
    signature_fields: Mapping[str, Mapping[str, str]]
    """Of each system, the part of the signature that does not depend on the recipe."""
    recipes: Sequence[Recipe]
    plan: Plan
    reference: Corpus
    remarks: tuple[str, ...] = ()
    task: Applied | None = None

    def system_files(self) -> tuple[File, ...]:
        """The files of the systems. Ask when everything is counted: only then is it known what
        did not fall on tokens, and which types were compared.
        """
        pairs = self.pairs
        return tuple(
            replace(file, coverage=pairs[name].covered, warnings=pairs[name].all_warnings)
            for name, file in self.files.items()
        )

    def signature(self, **more: str) -> str:
        """One line for all systems. Where they differ, it has their values in their order; `more`
        comes before the files.
        """
        every = list(self.signature_fields.values())
        line = {"carob": __version__, "recipe": "+".join(recipe.full for recipe in self.recipes)}
        for key in dict.fromkeys(key for fields in every for key in fields):
            values = [fields.get(key, "none") for fields in every]
            if key == "gold":
                line |= more
            line[key] = values[0] if len(set(values)) == 1 else ",".join(values)
        return signature.compose(line)


def prepare(
    gold: Readable,
    systems: Systems,
    recipes: Recipes | None,
    options: Options,
    defaults: Defaults | None = None,
) -> Run:
    """Read and pair. Without `recipes`, `defaults` says what is scored, as far as it can be."""
    # Before anything is read, so that a mistake in a recipe costs no time.
    wanted = None if recipes is None else parse_recipes(recipes)

    # Read.
    reference, answers = corpora(
        gold, systems_by_name(systems), options.gold_options, options.system_options
    )
    optional = wanted is None
    if wanted is None:
        assert defaults is not None
        wanted = parse_recipes(defaults(reference, answers.values()))
    if options.task is not None:
        # A task names gold by its hash; that of a corpus from memory is taken before any change.
        reference = replace(reference, origin=origin_of(reference))
        answers = {name: replace(each, origin=origin_of(each)) for name, each in answers.items()}

    # Rename labels, apply the task.
    warnings = unknown_renamings(options.map, [reference, *answers.values()])
    reference = reference.mapped(options.map)
    answers = {name: corpus.mapped(options.map) for name, corpus in answers.items()}
    applied = None
    if options.task is not None:
        reference, answers, applied = options.task.applied(reference, answers)

    # Pair.
    every = [reference, *answers.values()]
    tagset = options.labels or tuple(sorted({label for each in every for label in each.labels}))
    slots = slot_rows(every, tagset, options.slots)
    tokens = Tokens(options.tokenizer)
    only_labels = options.labels is not None
    pairs = {
        name: Pair.of(
            reference, answer, tagset, options.extra_docs, only_labels, tokens,
            None if only_labels and options.slots is None else slots,
        )
        for name, answer in answers.items()
    }  # fmt: skip

    # What results say about all this.
    plan = Plan.of(reference.documents, options, reference.mentions, reference.templates)
    fields = {
        name: _signature_fields(reference, answers[name], pair, options, (tagset, slots),
                                several=len(answers) > 1) | plan.said()
              | _file_hashes(reference, answers[name])
        for name, pair in pairs.items()
    }  # fmt: skip
    remarks = told_aside([("gold", reference), *answers.items()])
    if applied is None:
        warnings += unknown_labels(options.labels, every)
    else:
        remarks += applied.remarks
        if not optional or options.preset is not None:
            remarks += applied.task.unofficial(wanted)
    warnings += recipes_without_mentions(wanted, {"gold": reference, **answers})
    if optional:
        wanted, impossible = _countable(wanted, list(pairs.values()))
        remarks += impossible
    return Run(
        replace(_file("gold", reference), warnings=warnings),
        {name: _file(name, answers[name], pair) for name, pair in pairs.items()},
        pairs, fields, wanted, plan, reference, warnings + remarks, applied,
    )  # fmt: skip


def parse_recipes(recipes: Recipes) -> list[Recipe]:
    """Every recipe that is asked for, once."""
    every = [recipes] if isinstance(recipes, (str, Recipe)) else list(recipes)
    parsed = [
        r for each in every for r in ([each] if isinstance(each, Recipe) else Recipe.expand(each))
    ]
    if not parsed:
        raise UsageError("give at least one recipe, for example exact.F1")
    return list(dict.fromkeys(parsed))


def _countable(
    recipes: Sequence[Recipe], pairs: Sequence[Pair]
) -> tuple[list[Recipe], tuple[str, ...]]:
    """Of default recipes, those that can be counted, and remarks why others cannot.

    Documents may lack a length or a text, which some event spaces need. What the spaces of slots
    count here is kept for later.
    """
    all_fit = all(p.unit == "token" and not (p.documents.length < 0).any() for p in pairs)
    spaces = dict.fromkeys(recipe.space for recipe in recipes)
    why: dict[Any, str] = {}
    for space in (each for each in spaces if not all_fit or each.items == "filler"):
        try:
            for pair in pairs:
                events = space(pair)
                if space.items == "filler":
                    pair.remembered["events", space] = events
        except UsageError as error:
            why[space] = str(error)
    kept = [recipe for recipe in recipes if recipe.space not in why]
    if not kept:
        raise UsageError(next(iter(why.values())))
    return kept, tuple(f"{spell(space)} is left out: {text}" for space, text in why.items())


def systems_by_name(systems: Any) -> dict[str, Any]:
    """Systems by name: that of a mapping, otherwise that of their file."""
    if isinstance(systems, Mapping):
        return dict(systems)
    every = [systems] if isinstance(systems, (Corpus, str, os.PathLike)) else list(systems)
    for each in every:
        if not isinstance(each, (Corpus, str, os.PathLike)):
            raise UsageError(f"a corpus or a path is needed, not {type(each).__name__}")
    stems = [_stem_of(each, i) for i, each in enumerate(every)]
    twice = len(set(stems)) < len(stems)
    names = [os.fspath(e) if twice and not isinstance(e, Corpus) else stems[i]
             for i, e in enumerate(every)]  # fmt: skip
    by_name: dict[str, Readable] = {}
    for name, each in zip(names, every, strict=True):
        if name in by_name:
            raise UsageError(f"two systems are called {name!r}; give them names: name=path")
        by_name[name] = each
    if not by_name:
        raise UsageError("give at least one system")
    return by_name


def _stem_of(system: Readable, place: int) -> str:
    if isinstance(system, Corpus):
        path = system.origin.path if system.origin else ""
        return stem(path) if path else ("system" if place == 0 else f"system-{place + 1}")
    return stem(os.fspath(system))


def stem(path: str) -> str:
    """What a system is called by default: its file without folder and ending.

    >>> stem("runs/best.conll.gz"), stem("-")
    ('best', 'stdin')
    """
    last = os.path.basename(os.path.normpath(path)).removesuffix(".gz")  # noqa: PTH119
    return "stdin" if last == "-" else os.path.splitext(last)[0]  # noqa: PTH122


def origin_of(corpus: Corpus) -> Origin:
    """Where a corpus came from; one that was made in memory is hashed as its jsonl."""
    if corpus.origin is not None:
        return corpus.origin
    import hashlib

    out = io.BytesIO()
    registry.load("formats", "jsonl")().write(corpus, out)
    return Origin("", hashlib.sha256(out.getvalue()).hexdigest(), "memory")


def _file(name: str, corpus: Corpus, pair: Pair | None = None) -> File:
    origin = origin_of(corpus)
    return File(
        name, origin.path, origin.sha256, len(corpus), len(corpus.mentions),
        pair.covered if pair else {}, pair.warnings if pair else (),
        len(corpus.templates), len(corpus.templates.fillers),
    )  # fmt: skip


def _signature_fields(
    gold: Corpus,
    system: Corpus,
    pair: Pair,
    options: Options,
    rows: tuple[Sequence[str], Sequence[str]],
    *,
    several: bool,
) -> dict[str, str]:
    """How files were read and what is counted, as a signature says it."""
    ours, theirs = origin_of(gold), origin_of(system)
    fields = {"unit": pair.unit, "format": f"{ours.format}/{theirs.format}"}
    for key in dict.fromkeys([*ours.parameters, *theirs.parameters]):
        sides = [origin.parameters.get(key, "none") for origin in (ours, theirs)]
        once = key in ("repair", "documents") and (sides[0] == sides[1] or "none" in sides)
        fields[key] = next(s for s in sides if s != "none") if once else "/".join(sides)
    # If labels without items count a number, the labels of all systems together matter.
    listed = options.labels is not None or (several and options.zero is not None)
    tagset, slots = rows
    more = options.slots is not None or (listed and options.labels is None)
    fields |= {
        "tokenizer": pair.tokenizer,
        "map": signature.words(f"{old}={new}" for old, new in options.map.items()) or "none",
        "labels": (signature.words(tagset) or "none") if listed else "union",
        **({"slots": signature.words(slots)} if more and slots != tagset else {}),
        "zero": options.zero_division,
        "extra": options.extra_docs,
    }
    return fields if options.task is None else fields | options.task.signature_fields()


def _file_hashes(gold: Corpus, system: Corpus) -> dict[str, str]:
    """The files, which a signature names last."""
    sides = {"gold": origin_of(gold), "system": origin_of(system)}
    return {side: f"sha256={origin.sha256[:8]}" for side, origin in sides.items()}

"""The one module that knows the order: read, pair, count, measure."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from carob import registry, signature
from carob._version import __version__
from carob.corpus.corpus import Corpus, Origin
from carob.corpus.problems import UsageError, plain
from carob.corpus.unscored_keys import told_aside
from carob.evaluate.presets import SLOTS, defaults, table_for
from carob.evaluate.read import Readable, corpora
from carob.evaluate.sampling import Drawing, Plan
from carob.evaluate.scoring import Choices, scored
from carob.evaluate.unknown_names import idle, slot_rows, unmarked, unmentioned
from carob.pair.pair import Pair
from carob.pair.tokens import Tokens
from carob.recipe import Recipe, expand, spell
from carob.result.scores import File, Score, Scores, whole

if TYPE_CHECKING:
    from carob.evaluate.task import Applied, Task


def score(
    gold: Readable,
    system: Readable | Sequence[Readable] | Mapping[str, Readable],
    recipes: str | Recipe | Iterable[str | Recipe] | None = None,
    *,
    preset: str | None = None,
    labels: Sequence[str] | None = None,
    slots: Sequence[str] | None = None,
    map: Mapping[str, str] | None = None,
    zero_division: str = "skip",
    extra_docs: str = "error",
    tokenizer: str = "auto",
    resamples: int = 1000,
    interval: str = "auto",
    seed: int = 0,
    resample_by: str = "document",
    strata: str | None = None,
    gold_options: Mapping[str, Any] | None = None,
    system_options: Mapping[str, Any] | None = None,
    task: str | os.PathLike[str] | Task | None = None,
) -> Scores:
    """Score one or several systems against gold.

    Gold and systems are corpora or paths; several systems come as a list or by name. `recipes`
    are texts like "exact.F1@macro"; without them a table is scored, `preset`: `mentions`,
    `nugget`, the default for tbf, or `templates`, the default where gold has templates, or a
    system templates and no mention. `labels`
    are the labels (and rows of slots) that count, `slots` the rows that slots have at least; with
    both, `labels` are those of mentions. `gold_options` and
    `system_options` go to `read`. Every score gets an interval from `resamples` of the documents
    (0: none; `interval` is auto, bca, percentile or jackknife-t), drawn from `seed`, by document
    or sentence, and within `strata` if an attribute of the documents is named. `tokenizer` cuts
    texts where characters are counted and a recipe needs tokens. `task` is a task definition, or
    the path of one: it says which corpus gold is, which slots there are, what is scored, and which
    part of the documents.

    >>> gold = Corpus.of("[Ann Lee]PER visited [Rome]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee visited [Rome]LOC .")
    >>> score(gold, system, "exact.F1").value
    0.5
    """
    chosen = Choices(tagset_of(labels), dict(map or {}), zero_division,
                     extra_docs, tokenizer, tagset_of(slots))  # fmt: skip
    drawing = Drawing(resamples, interval, seed, resample_by, strata)
    run = prepared(gold, system, recipes, chosen, drawing, gold_options, system_options,
                   preset, task=task)  # fmt: skip
    found: list[Score] = []
    for name, pair in run.pairs.items():
        found += scored(pair, run.recipes, name, chosen, run.said[name], run.plan)
    return Scores(__version__, run.gold, run.counted(), tuple(found),
                  run.plan.remarks() + run.remarks + _unread(found),
                  None if run.task is None else run.task.to_dict())  # fmt: skip


def _unread(scores: Sequence[Score]) -> tuple[str, ...]:
    """Why a share of what is made up leaves out some answers, or has no value."""
    told = {}
    for each in scores:
        if each.measure == "ungrounded-share" and each.counts["unread"]:
            count = whole(each.counts["unread"])
            told[each.system] = (
                f"{plain(each.system)}: {count:,} answers have no place, and "
                "their documents no text: ungrounded-share leaves them out, since nobody can tell "
                "whether they are made up"
            )
    return tuple(told.values())


def tagset_of(labels: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """The labels that were asked for, each once and in order; None for all there are.

    >>> tagset_of(["b", "a", "b"]), tagset_of("PER")
    (('a', 'b'), ('PER',))
    """
    if labels is None:
        return None
    return tuple(sorted({labels} if isinstance(labels, str) else set(labels)))


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Files read and paired, and everything that was said about how."""

    gold: File
    files: Mapping[str, File]
    pairs: Mapping[str, Pair]
    said: Mapping[str, Mapping[str, str]]
    recipes: Sequence[Recipe]
    plan: Plan
    reference: Corpus
    remarks: tuple[str, ...] = ()
    task: Applied | None = None

    def counted(self) -> tuple[File, ...]:
        """The files of the systems, once everything is counted: then it is known what of them
        did not fall on tokens, and which types were compared.
        """
        pairs = self.pairs
        return tuple(
            replace(file, coverage=pairs[name].covered, warnings=pairs[name].told)
            for name, file in self.files.items()
        )


def prepared(
    gold: Readable,
    system: Readable | Sequence[Readable] | Mapping[str, Readable],
    recipes: str | Recipe | Iterable[str | Recipe] | None,
    chosen: Choices,
    drawing: Drawing,
    gold_options: Mapping[str, Any] | None = None,
    system_options: Mapping[str, Any] | None = None,
    preset: str | None = None,
    *,
    optional: bool = False,
    task: str | os.PathLike[str] | Task | None = None,
) -> Run:
    """Read and pair."""
    ruled = tasked(task)
    if ruled is not None:
        chosen = ruled.chosen(chosen)
        recipes = ruled.recipes if recipes is None and preset is None else recipes
    wanted = None if recipes is None else _recipes(recipes)
    reference, answers = corpora(gold, named(system), gold_options, system_options)
    if wanted is None:
        table = preset or table_for(reference, answers.values())
        wanted = defaults(table, list(reference.mentions.attributes))
    applied = None
    if ruled is not None:
        # Of a corpus from memory, what is hashed is the whole.
        reference = replace(reference, origin=origin_of(reference))
        answers = {name: replace(each, origin=origin_of(each)) for name, each in answers.items()}
    asked = idle(chosen.map, [reference, *answers.values()])
    reference = reference.mapped(chosen.map)
    answers = {name: corpus.mapped(chosen.map) for name, corpus in answers.items()}
    if ruled is not None:
        reference, answers, applied = ruled.applied(reference, answers)
    tagset = chosen.labels or tuple(
        sorted({*reference.labels, *(label for each in answers.values() for label in each.labels)})
    )
    slots = slot_rows([reference, *answers.values()], tagset, chosen.slots)
    plan = Plan.of(reference.documents, drawing, reference.mentions, reference.templates)
    files, pairs, said = {}, {}, {}
    tokens = Tokens(chosen.tokenizer)
    for name, answer in answers.items():
        pair = Pair.of(
            reference, answer, tagset, chosen.extra_docs, chosen.labels is not None, tokens,
            None if chosen.labels is not None and chosen.slots is None else slots,
        )  # fmt: skip
        files[name], pairs[name] = _file(name, answer, pair), pair
        told = _said(reference, answer, pair, chosen, (tagset, slots), several=len(answers) > 1)
        ruling = {} if ruled is None else ruled.said()
        said[name] = told | ruling | plan.said() | _hashes(reference, answer)
    remarks = told_aside([("gold", reference), *answers.items()])
    if applied is None:
        asked += unmarked(chosen.labels, [reference, *answers.values()])
    else:
        remarks += applied.remarks + (() if optional else applied.task.unofficial(wanted))
    asked += unmentioned(wanted, {"gold": reference, **answers})
    if recipes is None or optional:
        wanted, impossible = possible(wanted, list(pairs.values()))
        remarks += impossible
    return Run(replace(_file("gold", reference), warnings=asked), files, pairs, said, wanted, plan,
               reference, asked + remarks, applied)  # fmt: skip


def tasked(given: str | os.PathLike[str] | Task | None) -> Task | None:
    """The task definition of a path; a run without one does not load what reads it."""
    if given is None:
        return None
    from carob.evaluate.task import task

    return task(given)


def possible(
    recipes: Sequence[Recipe], pairs: Sequence[Pair]
) -> tuple[list[Recipe], tuple[str, ...]]:
    """Of recipes that nobody asked for by name, those that can be counted, and why others cannot.

    Documents may lack a length or a text, which some event spaces need. What the spaces of slots
    count on the way is kept for later.
    """
    plain_pairs = all(p.unit == "token" and not (p.documents.length < 0).any() for p in pairs)
    spaces = dict.fromkeys(recipe.space for recipe in recipes)
    why: dict[Any, str] = {}
    for space in (each for each in spaces if not plain_pairs or each.name in SLOTS):
        try:
            for pair in pairs:
                events = space(pair)
                if space.name in SLOTS:
                    pair.remembered["events", space] = events
        except UsageError as error:
            why[space] = str(error)
    kept = [recipe for recipe in recipes if recipe.space not in why]
    if not kept:
        raise UsageError(next(iter(why.values())))
    return kept, tuple(f"{spell(space)} is left out: {told}" for space, told in why.items())


def _recipes(recipes: str | Recipe | Iterable[str | Recipe]) -> list[Recipe]:
    every = [recipes] if isinstance(recipes, (str, Recipe)) else list(recipes)
    found = [r for each in every for r in ([each] if isinstance(each, Recipe) else expand(each))]
    if not found:
        raise UsageError("give at least one recipe, for example exact.F1")
    return list(dict.fromkeys(found))


def named(system: Any) -> dict[str, Any]:
    """Systems by name: those of a mapping, else of their files."""
    if isinstance(system, Mapping):
        return dict(system)
    several = [system] if isinstance(system, (Corpus, str, os.PathLike)) else list(system)
    for each in several:
        if not isinstance(each, (Corpus, str, os.PathLike)):
            raise UsageError(f"a corpus or a path is needed, not {type(each).__name__}")
    stems = [_stem(each, i) for i, each in enumerate(several)]
    twice = len(set(stems)) < len(stems)
    names = [os.fspath(e) if twice and not isinstance(e, Corpus) else stems[i]
             for i, e in enumerate(several)]  # fmt: skip
    found: dict[str, Readable] = {}
    for name, each in zip(names, several, strict=True):
        if name in found:
            raise UsageError(f"two systems are called {name!r}; give them names: name=path")
        found[name] = each
    if not found:
        raise UsageError("give at least one system")
    return found


def _stem(system: Readable, place: int) -> str:
    if isinstance(system, Corpus):
        path = system.origin.path if system.origin else ""
        return stem(path) if path else ("system" if place == 0 else f"system-{place + 1}")
    return stem(os.fspath(system))


def stem(path: str) -> str:
    """What a system is called when nobody says: its file without folder and ending.

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


def _said(
    gold: Corpus,
    system: Corpus,
    pair: Pair,
    chosen: Choices,
    rows: tuple[Sequence[str], Sequence[str]],
    *,
    several: bool,
) -> dict[str, str]:
    """The part of the signature that does not depend on the recipe."""
    ours, theirs = origin_of(gold), origin_of(system)
    said = {"unit": pair.unit, "format": f"{ours.format}/{theirs.format}"}
    for key in dict.fromkeys([*ours.parameters, *theirs.parameters]):
        sides = [origin.parameters.get(key, "none") for origin in (ours, theirs)]
        once = key in ("repair", "documents") and (sides[0] == sides[1] or "none" in sides)
        said[key] = next(s for s in sides if s != "none") if once else "/".join(sides)
    # With a number for labels without items, the tagset of all systems together matters.
    listed = chosen.labels is not None or (several and chosen.zero is not None)
    tagset, slots = rows
    more = chosen.slots is not None or (listed and chosen.labels is None)
    return said | {
        "tokenizer": pair.tokenizer,
        "map": signature.words(f"{old}={new}" for old, new in chosen.map.items()) or "none",
        "labels": (signature.words(tagset) or "none") if listed else "union",
        **({"slots": signature.words(slots)} if more and slots != tagset else {}),
        "zero": chosen.zero_division,
        "extra": chosen.extra_docs,
    }


def _hashes(gold: Corpus, system: Corpus) -> dict[str, str]:
    """The files, which a signature names last."""
    sides = {"gold": origin_of(gold), "system": origin_of(system)}
    return {side: f"sha256={origin.sha256[:8]}" for side, origin in sides.items()}

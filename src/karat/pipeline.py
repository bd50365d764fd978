"""The one module that knows the order: read, pair, count, measure."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from karat import registry, signature
from karat._version import __version__
from karat.nouns._tokens import Tokens
from karat.nouns.corpus import Corpus, Origin
from karat.nouns.errors import UsageError, plain
from karat.nouns.pair import Pair
from karat.nouns.scores import File, Score, Scores
from karat.presets import defaults
from karat.reading import Readable, as_corpus
from karat.recipe import Recipe, expand, spell
from karat.sampling import Drawing, Plan
from karat.scoring import Choices, scored


def score(
    gold: Readable,
    system: Readable | Sequence[Readable] | Mapping[str, Readable],
    recipes: str | Recipe | Iterable[str | Recipe] | None = None,
    *,
    preset: str | None = None,
    labels: Sequence[str] | None = None,
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
) -> Scores:
    """Score one or several systems against gold.

    Gold and systems are corpora or paths; several systems come as a list or by name. `recipes`
    are texts like "exact.F1@macro"; without them a table is scored, `preset`: `mentions`, or
    `nugget`, the default for tbf. `gold_options` and
    `system_options` go to `read`. Every score gets an interval from `resamples` of the documents
    (0: none; `interval` is auto, bca, percentile or jackknife-t), drawn from `seed`, by document
    or sentence, and within `strata` if an attribute of the documents is named. `tokenizer` cuts
    texts where characters are counted and a recipe needs tokens.

    >>> gold = Corpus.of("[Ann Lee]PER visited [Rome]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee visited [Rome]LOC .")
    >>> score(gold, system, "exact.F1").value
    0.5
    """
    chosen = Choices(tagset_of(labels), dict(map or {}), zero_division,
                     extra_docs, tokenizer)  # fmt: skip
    drawing = Drawing(resamples, interval, seed, resample_by, strata)
    run = prepared(gold, system, recipes, chosen, drawing, gold_options, system_options,
                   preset)  # fmt: skip
    found: list[Score] = []
    for name, pair in run.pairs.items():
        found += scored(pair, run.recipes, name, chosen, run.said[name], run.plan)
    return Scores(__version__, run.gold, run.counted(), tuple(found),
                  run.plan.remarks() + run.remarks)  # fmt: skip


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
    remarks: tuple[str, ...] = ()

    def counted(self) -> tuple[File, ...]:
        """The files of the systems, once everything is counted: then it is known what of them
        did not fall on tokens.
        """
        return tuple(
            replace(file, coverage=self.pairs[name].covered) for name, file in self.files.items()
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
) -> Run:
    """Read and pair."""
    wanted = None if recipes is None else _recipes(recipes)
    reference = as_corpus(gold, gold_options)
    if wanted is None:
        nuggets = reference.origin is not None and reference.origin.format == "tbf"
        table = preset or ("nugget" if nuggets else "mentions")
        wanted = defaults(table, list(reference.mentions.attributes))
    answers = {name: as_corpus(each, system_options) for name, each in named(system).items()}
    reference = reference.mapped(chosen.map)
    answers = {name: corpus.mapped(chosen.map) for name, corpus in answers.items()}
    tagset = chosen.labels or tuple(
        sorted({*reference.labels, *(label for each in answers.values() for label in each.labels)})
    )
    plan = Plan.of(reference.documents, drawing, reference.mentions)
    files, pairs, said = {}, {}, {}
    tokens = Tokens(chosen.tokenizer)
    for name, answer in answers.items():
        pair = Pair.of(
            reference, answer, tagset, chosen.extra_docs, chosen.labels is not None, tokens
        )
        files[name], pairs[name] = _file(name, answer, pair), pair
        told = _said(reference, answer, pair, chosen, tagset, several=len(answers) > 1)
        said[name] = told | plan.said() | _hashes(reference, answer)
    remarks = _unmarked(chosen.labels, [reference, *answers.values()])
    if recipes is None or optional:
        wanted, impossible = possible(wanted, list(pairs.values()))
        remarks += impossible
    return Run(_file("gold", reference), files, pairs, said, wanted, plan, remarks)


def _unmarked(labels: Sequence[str] | None, corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """Labels that were asked for and that nobody has: a typing error, perhaps."""
    there = {label for corpus in corpora for label in corpus.labels}
    return tuple(
        f"no mention has the label {plain(label)}" for label in labels or () if label not in there
    )


def possible(
    recipes: Sequence[Recipe], pairs: Sequence[Pair]
) -> tuple[list[Recipe], tuple[str, ...]]:
    """Of recipes that nobody asked for by name, those that can be counted, and why others cannot.

    Documents may lack a length or a text, which some event spaces need.
    """
    plain_pairs = all(p.unit == "token" and not (p.documents.length < 0).any() for p in pairs)
    if plain_pairs:
        return list(recipes), ()
    why: dict[Any, str] = {}
    for space in dict.fromkeys(recipe.space for recipe in recipes):
        try:
            for pair in pairs:
                space(pair)
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


def _origin(corpus: Corpus) -> Origin:
    """Where a corpus came from; one that was made in memory is hashed as its jsonl."""
    if corpus.origin is not None:
        return corpus.origin
    import hashlib

    out = io.BytesIO()
    registry.load("formats", "jsonl")().write(corpus, out)
    return Origin("", hashlib.sha256(out.getvalue()).hexdigest(), "memory")


def _file(name: str, corpus: Corpus, pair: Pair | None = None) -> File:
    origin = _origin(corpus)
    return File(
        name, origin.path, origin.sha256, len(corpus), len(corpus.mentions),
        pair.covered if pair else {}, pair.warnings if pair else (),
    )  # fmt: skip


def _said(
    gold: Corpus,
    system: Corpus,
    pair: Pair,
    chosen: Choices,
    tagset: Sequence[str],
    *,
    several: bool,
) -> dict[str, str]:
    """The part of the signature that does not depend on the recipe."""
    ours, theirs = _origin(gold), _origin(system)
    said = {"unit": pair.unit, "format": f"{ours.format}/{theirs.format}"}
    for key in dict.fromkeys([*ours.parameters, *theirs.parameters]):
        sides = [origin.parameters.get(key, "none") for origin in (ours, theirs)]
        once = key in ("repair", "documents") and (sides[0] == sides[1] or "none" in sides)
        said[key] = next(s for s in sides if s != "none") if once else "/".join(sides)
    # With a number for labels without items, the tagset of all systems together matters.
    listed = chosen.labels is not None or (several and chosen.zero is not None)
    return said | {
        "tokenizer": pair.tokenizer,
        "map": signature.words(f"{old}={new}" for old, new in chosen.map.items()) or "none",
        "labels": (signature.words(tagset) or "none") if listed else "union",
        "zero": chosen.zero_division,
        "extra": chosen.extra_docs,
    }


def _hashes(gold: Corpus, system: Corpus) -> dict[str, str]:
    """The files, which a signature names last."""
    sides = {"gold": _origin(gold), "system": _origin(system)}
    return {side: f"sha256={origin.sha256[:8]}" for side, origin in sides.items()}

"""Self-audit: is an evaluation what it seems to be? Checks that need no knowledge of the systems.

Gold against itself is perfect, the order of documents and mentions and the names of labels do not
matter, nothing is given twice, sides and columns are not exchanged, about as much is marked on both
sides, and with the same labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, DataError, many, plain
from carob.corpus.tables import Mentions
from carob.counts.tally import Tally
from carob.evaluate.options import Options
from carob.evaluate.run import Run
from carob.evaluate.score import average
from carob.pair.pair import Pair
from carob.plugin import hook
from carob.recipe import Recipe, spell
from carob.result.self_audit import AuditCheck, SelfAudit

SAME = 1e-9
"""Scores that differ by less are the same: sums in another order differ in the last digits."""

MOST_MARKED, MOST_TIMES = 0.5, 5.0
"""More than this share of tokens marked, or this many times as much as on the other side, is
unusual.
"""

MANY_LABELS = 10
"""If there are this many labels, and most of them occur once, they may be words."""

DOCUMENTS = 20
"""Of this many documents the words are looked at."""

_TAG = re.compile(r"O|[BIESLUMW]-\S+")
_GOLD_NAME = re.compile(r"(?i)(^|[^a-z])(gold|golden|truth|reference)([^a-z]|$)")
_SYSTEM_NAME = re.compile(r"(?i)(^|[^a-z])(preds?|predictions?|predicted|output|system)([^a-z]|$)")


def self_audit(run: Run, options: Options) -> SelfAudit:
    """Every check for files that are read and paired."""
    checks: list[AuditCheck] = []
    first = next(iter(run.pairs.values()))
    recipes = [each for each in run.recipes if each.space.items == "mention"]
    checks.append(_itself(run, first))
    checks.append(_twice(first, "gold"))
    checks += _columns("", run.reference)
    assert run.corpora is not None
    for name, pair in run.pairs.items():
        corpus = run.corpora[1][name]
        seen = _counted(pair)
        checks.append(_unchanged("order", _shuffled(seen), seen, recipes, options, name))
        general = [each for each in recipes if hook(each.average, "label") is None]
        checks.append(_unchanged("names of labels", _renamed(seen), seen, general, options, name))
        checks.append(_twice(pair, "system", name))
        checks.append(_sides(run.corpora[0], corpus, name))
        checks += _columns(name, corpus)
        checks.append(_marked(seen, name))
        checks.append(_labels(pair, name))
    return SelfAudit((*checks, *run.checks))


def _counted(pair: Pair) -> Pair:
    """The pair whose mentions can be moved: in tokens, if there are any."""
    with suppress(DataError):
        pair = pair.in_tokens
    return replace(pair, borders=None, slots=None)


def _scores(pair: Pair, recipes: Sequence[Recipe], options: Options) -> dict[str, float]:
    tallies: dict[object, Tally] = {}
    for recipe in recipes:
        if recipe.space not in tallies:
            tallies[recipe.space] = Tally.of(recipe.space, pair)
    return {
        str(recipe): float(average(recipe, tallies[recipe.space], options.zero).value)
        for recipe in recipes
    }


def _itself(run: Run, pair: Pair) -> AuditCheck:
    """Everything of gold is right if gold is the answer."""
    name = "gold against itself"
    same, spaces = _gold_twice(run, pair), {spell(each.space): each.space for each in run.recipes}
    wrong, counted, why = [], 0, "no recipe counts mentions or fillers"
    for written, space in spaces.items():
        if space.items not in same:
            continue
        try:
            total = Tally.of(space, same[space.items]).total()
        except CarobError as error:
            why = str(error)
            continue
        counted += 1
        for side in ("gold", "system"):
            right, every = float(total[f"{side}_right"]), float(total[f"{side}_all"])
            if abs(right - every) > SAME * max(1.0, every):
                wrong.append(f"{written} finds {right:g} of {every:g} right")
                break
    if wrong:
        return AuditCheck(name, "wrong", f"not perfect: {'; '.join(wrong)}")
    if not counted:
        return AuditCheck(name, "skipped", why)
    return AuditCheck(name, "ok", f"perfect under {many(counted, 'event space')}")


def _gold_twice(run: Run, pair: Pair) -> dict[str, Pair]:
    """Gold as both sides of a pair, for each kind of items that recipes count."""
    spaces = [recipe.space for recipe in run.recipes]
    items, same = {space.items for space in spaces}, {}
    if "mention" in items:
        seen = _counted(pair)
        same["mention"] = replace(seen, system=seen.gold)
    if "filler" in items:
        typed = any(hook(space, "typed_values") for space in spaces)
        schema = pair.records.schema if typed else None
        same["filler"] = Pair.of(run.reference, run.reference, strings=True, schema=schema)
    return same


def _unchanged(
    what: str, other: Pair, pair: Pair, recipes: Sequence[Recipe], options: Options, system: str
) -> AuditCheck:
    """No score changes if something is exchanged that should not matter."""
    if not recipes:
        return AuditCheck(what, "skipped", "no recipe counts mentions of all labels", system)
    try:
        ours, theirs = (_scores(each, recipes, options) for each in (pair, other))
    except CarobError as error:
        return AuditCheck(what, "skipped", str(error), system)
    changed = [
        f"{name} changes by {theirs[name] - value:+.4f}"
        for name, value in ours.items()
        if not np.isclose(theirs[name], value, rtol=0.0, atol=SAME, equal_nan=True)
    ]
    if changed:
        return AuditCheck(what, "wrong", "; ".join(changed), system)
    return AuditCheck(what, "ok", f"{many(len(recipes), 'score')} unchanged", system)


def _shuffled(pair: Pair) -> Pair:
    """Documents, and the mentions of both sides, in another order."""
    rng = np.random.default_rng(0)
    order = rng.permutation(pair.size)
    place = np.empty(pair.size, np.int32)
    place[order] = np.arange(pair.size)
    documents = pair.documents.take(order)
    sides = []
    for table in (pair.gold, pair.system):
        mixed = table.take(rng.permutation(len(table)))
        mixed = replace(mixed, doc=place[mixed.doc], place=None)
        sides.append(Corpus(None, documents, mixed, pair.labels).ordered().mentions)
    return replace(pair, gold=sides[0], system=sides[1], documents=documents)


def _renamed(pair: Pair) -> Pair:
    """Labels with each other's names: the first has that of the last."""
    last = len(pair.labels) - 1
    sides = []
    for table in (pair.gold, pair.system):
        named = replace(table, label=(last - table.label).astype(table.label.dtype))
        sides.append(Corpus(None, pair.documents, named, pair.labels).ordered().mentions)
    return replace(pair, gold=sides[0], system=sides[1])


def _twice(pair: Pair, side: str, system: str = "") -> AuditCheck:
    """How many mentions have the same place and label as another."""
    keys = pair.keys(label=True)[side == "system"]
    extra = len(keys) - len(np.unique(keys))
    if extra:
        return AuditCheck("duplicates", "look", f"{many(extra, 'mention')} given twice", system)
    return AuditCheck("duplicates", "ok", "no mention is given twice", system)


def _sides(gold: Corpus, corpus: Corpus, system: str) -> AuditCheck:
    """Signs that gold and system are exchanged."""
    signs = []
    ours, theirs = (each.origin.path if each.origin else "" for each in (gold, corpus))
    if ours != theirs and _GOLD_NAME.search(_name(theirs)) and not _GOLD_NAME.search(_name(ours)):
        signs.append(f"the system's file is called {plain(_name(theirs))}")
    if ours != theirs and _SYSTEM_NAME.search(_name(ours)):
        signs.append(f"gold's file is called {plain(_name(ours))}")
    if gold.mentions.confidence is not None and corpus.mentions.confidence is None:
        signs.append("gold has confidences and the system has none")
    repaired = [each.facts.get("repaired", 0) + each.facts.get("discarded", 0)
                for each in (gold, corpus)]  # fmt: skip
    if repaired[0] and not repaired[1]:
        signs.append(f"gold has {many(repaired[0], 'invalid sequence')} of tags, the system none")
    if signs:
        text = f"gold and system may be exchanged: {'; '.join(signs)}"
        return AuditCheck("sides", "look", text, system)
    return AuditCheck("sides", "ok", "no sign that gold and system are exchanged", system)


def _name(path: str) -> str:
    return re.split(r"[\\/]", path)[-1]


def _columns(system: str, corpus: Corpus) -> Iterator[AuditCheck]:
    """Signs that the column of tags is that of tokens, or the other way round."""
    table = corpus.mentions
    counts = np.bincount(table.label, minlength=len(corpus.labels)) if len(table) else np.zeros(0)
    used, once = int(np.count_nonzero(counts)), int(np.count_nonzero(counts == 1))
    words = [word for tokens in islice(_tokens(corpus), DOCUMENTS) for word in tokens]
    tags = sum(bool(_TAG.fullmatch(word)) for word in words)
    if used >= MANY_LABELS and 2 * once > used:
        text = f"{once:,} of {used:,} labels occur once: labels may be words of another column"
        yield AuditCheck("columns", "look", text, system)
    elif 2 * tags > len(words) > 0:
        text = f"{tags:,} of the first {len(words):,} tokens look like tags: see --columns token="
        yield AuditCheck("columns", "look", text, system)
    else:
        yield AuditCheck("columns", "ok", "labels look like labels, tokens like words", system)


def _tokens(corpus: Corpus) -> Iterator[tuple[str, ...]]:
    for row in range(len(corpus)):
        tokens = corpus.words(row)[1]
        if tokens:
            yield tokens


def _marked(pair: Pair, system: str) -> AuditCheck:
    """How much of the text is marked on each side."""
    name = "marked text"
    lengths = pair.documents.length.astype(np.int64)
    if (lengths < 0).any() or not lengths.sum():
        return AuditCheck(name, "skipped", "the length of documents is not known", system)
    if not len(pair.gold) and not len(pair.system):
        return AuditCheck(name, "skipped", "neither side has mentions", system)
    shares = [_covered(table, lengths) / int(lengths.sum()) for table in (pair.gold, pair.system)]
    unit = "tokens" if pair.unit == "token" else "characters"
    text = f"{100 * shares[0]:.1f} % of {unit} in gold, {100 * shares[1]:.1f} % in the system"
    low, high = sorted(shares)
    if not low:
        return AuditCheck(name, "look", f"{text}: a side marks nothing", system)
    if high > MOST_MARKED:
        return AuditCheck(name, "look", f"{text}: more than half of a side is marked", system)
    if high > MOST_TIMES * low:
        text += f": one side marks more than {MOST_TIMES:g} times as much"
        return AuditCheck(name, "look", text, system)
    return AuditCheck(name, "ok", text, system)


def _covered(table: Mentions, lengths: IntArray) -> int:
    """How many positions are in any mention."""
    first = np.concatenate([[0], np.cumsum(lengths + 1)])
    pieces = table.pieces()
    row = np.repeat(np.arange(len(table)), np.diff(pieces.offsets))
    change = np.zeros(int(first[-1]) + 1, np.int64)
    np.add.at(change, first[table.doc[row]] + pieces.start, 1)
    np.add.at(change, first[table.doc[row]] + pieces.end, -1)
    return int(np.count_nonzero(np.cumsum(change) > 0))


def _labels(pair: Pair, system: str) -> AuditCheck:
    """Labels that only one side has."""
    counts = [np.bincount(table.label, minlength=len(pair.labels)).tolist()
              for table in (pair.gold, pair.system)]  # fmt: skip
    parts = []
    for side, own, other in (("gold", *counts), ("the system", *reversed(counts))):
        alone = [
            f"{plain(label)} ({own[i]:,})"
            for i, label in enumerate(pair.labels)
            if own[i] and not other[i]
        ]
        if alone:
            more = f" and {len(alone) - 5} more" if len(alone) > 5 else ""
            parts.append(f"only in {side}: {', '.join(alone[:5])}{more}")
    if parts:
        return AuditCheck("labels", "look", "; ".join(parts), system)
    return AuditCheck("labels", "ok", "both sides have the same labels", system)

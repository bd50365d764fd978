"""Checks that always run: signs, cheap to see, that a score does not mean what it seems to. Each
says in one line what to do. They are part of the self-audit, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from carob.arrays.join import join, packed
from carob.corpus.corpus import Corpus, listed_facts
from carob.corpus.problems import many, plain
from carob.corpus.tables import Mentions
from carob.evaluate.trial import Trial
from carob.pair.pair import Pair
from carob.pair.template_types import slot_labels
from carob.recipe import Recipe
from carob.result.self_audit import AuditCheck

SAMPLE = 5_000
"""Of about this many mentions of each side the places are looked at."""

LEAST, MOST_LEFT = 5, 3
"""Places are shifted if so many mentions have gold's place once they are moved, at least half of
them, and this many times as many as before.
"""

_NUMBER = re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?|(label|tag|class)_?[0-9]+", re.IGNORECASE)
_ZERO_OR_SHARE = re.compile(r"0+|.*[^0-9]0|.*\..*")
_PREFIXED = re.compile(r"[BESLUMW]-.+")


def gold_checks(gold: Corpus, recipes: Sequence[Recipe]) -> Iterator[AuditCheck]:
    """The checks of gold."""
    kinds = {recipe.space.items for recipe in recipes}
    if "mention" in kinds:
        yield _anything(gold)
    yield _tags("", gold, gold)


def system_checks(
    gold: Corpus, corpus: Corpus, pair: Pair, system: str, trial: Trial
) -> Iterator[AuditCheck]:
    """The checks of a system beside gold."""
    yield _tags(system, corpus, gold)
    if corpus.origin is not None and corpus.origin.format == "conll" and not len(corpus.mentions):
        yield _column(system, trial)
    yield _places(pair, system, trial)
    if (gold.unit, corpus.unit) == ("char", "token"):
        yield _tokens(pair, system)
    if corpus.origin is not None and corpus.origin.format == "records":
        yield _slots(gold, corpus, system, trial)


def _anything(gold: Corpus) -> AuditCheck:
    """Whether there is anything to find."""
    name = "anything to find"
    if len(gold) and not len(gold.mentions) and not len(gold.templates.fillers):
        text = (
            f"no mention in {many(len(gold), 'document')}, so that every score is 0 or has no "
            "value, whatever a system answers: it may be the wrong file, or the wrong column"
        )
        return AuditCheck(name, "look", text)
    return AuditCheck(name, "ok", "gold has something to find")


def _tags(system: str, corpus: Corpus, gold: Corpus) -> AuditCheck:
    """Whether labels are names, and tags in the scheme that was named for them."""
    labels, text = corpus.labels, ""
    scheme = corpus.origin.parameters.get("scheme", "") if corpus.origin else ""
    prefixed = next(filter(_PREFIXED.fullmatch, labels), "") if scheme == "io" else ""
    # Gold may have numbers for labels; but 0 is O, and no label has a decimal point.
    meant = corpus is gold or all(map(_NUMBER.fullmatch, gold.labels))
    numbers = bool(labels) and all(map(_NUMBER.fullmatch, labels))
    if numbers and (not meant or any(map(_ZERO_OR_SHARE.fullmatch, labels))):
        first = f"{', '.join(map(plain, labels[:3]))}{', …' * (len(labels) > 3)}"
        text = f"the labels {first} are numbers: write the names, which the model has (id2label)"
    elif prefixed:
        text = f"--scheme io makes labels of tags such as {plain(prefixed)}: {_DETECTED}"
    elif fits := listed_facts(corpus.facts, "scheme"):
        wrong = corpus.facts.get("repaired", 0) + corpus.facts.get("discarded", 0)
        text = (
            f"{many(wrong, 'sequence')} of tags, more than half, are not legal in {scheme}, and "
            f"{corpus.facts[fits[0]]:,} in {fits[0].removeprefix('scheme: ')}: {_DETECTED}"
        )
    if text:
        return AuditCheck("tags", "look", text, system)
    return AuditCheck("tags", "ok", "labels are names, and tags are in their scheme", system)


def _column(system: str, trial: Trial) -> AuditCheck:
    """Whether a system without any mention has some in another column of its file."""
    name = "column of tags"
    for column in _OTHER_COLUMNS:
        if trial.reads("system", tag=column):
            text = f"no mention in the column that is read: --read system.columns={column}"
            return AuditCheck(name, "look", f"{text} finds some of gold", system)
    return AuditCheck(name, "ok", "no other column is meant", system)


_OTHER_COLUMNS = (1, -2, -3)
"""Where tags often stand: beside the tokens, and before other columns."""

_DETECTED = "without --scheme it is detected"


def _places(pair: Pair, system: str, trial: Trial) -> AuditCheck:
    """Whether the places of a system, or its starts or ends alone, are all moved by the same."""
    name = "places"
    sides = _sampled(pair.gold, pair.system)
    few = min(map(len, sides))
    now = _at_same_places(sides)
    best, shift = 0, (0, 0)
    if few >= LEAST and 2 * now < few:
        by = _usual_distance(sides)
        for each in ((by, by), (-1, -1), (1, 1), (0, 1), (0, -1), (-1, 0), (1, 0)):
            if (right := _at_same_places(sides, *each)) > best:
                best, shift = right, each
    if best < max(LEAST, MOST_LEFT * now, few / 2):
        return AuditCheck(name, "ok", "places are not moved by a constant", system)
    what, by, remedy = _described(shift, pair.unit)
    for side, key, value in _OPTIONS if what == "ends" else ():
        if trial.reads(side, **{key: value}):
            remedy = f"--read {side}.{key}={value}"
            break
    text = (
        f"{best:,} of {few:,} mentions have gold's place if {what} are moved by {by:+d}, and "
        f"{now:,} as they are: {remedy}"
    )
    return AuditCheck(name, "look", text, system)


_OPTIONS = [
    (side, key, value)
    for side in ("system", "gold")
    for key, value in (("offsets", "inclusive"), ("ends", "inclusive"), ("ends", "exclusive"),
                       ("offsets", "char"))
]  # fmt: skip
"""How the ends of spans can be read, for one side."""


def _described(shift: tuple[int, int], unit: str) -> tuple[str, int, str]:
    """What is moved, by how much, and what to do."""
    start, end = shift
    if start == end:
        text = "text" if unit == "char" else "tokens"
        return "places", start, f"both sides must count the same {text} from 0"
    if start:
        return "starts", start, "the first position is 0, on both sides"
    whose = "the system" if end > 0 else "gold"
    return "ends", end, f"write the ends of {whose} exclusive, one past the last position"


def _sampled(*sides: Mentions) -> list[Mentions]:
    """The mentions of the first documents, at least of one: about SAMPLE of each side."""
    full = [int(table.doc[SAMPLE]) for table in sides if len(table) > SAMPLE]
    if not full:
        return list(sides)
    rows = [int(np.searchsorted(table.doc, max(1, min(full)))) for table in sides]
    return [
        table.take(np.arange(min(count, 4 * SAMPLE)))
        for table, count in zip(sides, rows, strict=True)
    ]


def _at_same_places(sides: Sequence[Mentions], start: int = 0, end: int = 0) -> int:
    """How many mentions have the place of one of gold, if those of the system are moved."""
    gold, system = sides
    base = max(abs(start), abs(end))
    ours = [gold.doc, gold.start + base, gold.end + base]
    theirs = [system.doc, system.start + (base + start), system.end + (base + end)]
    return len(join(*packed(ours, theirs))[0])


def _usual_distance(sides: Sequence[Mentions]) -> int:
    """How far the first mention of gold is most often from the first of the system."""
    gold, system = sides
    ours, first = np.unique(gold.doc, return_index=True)
    theirs, other = np.unique(system.doc, return_index=True)
    _, a, b = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    distances, counts = np.unique(
        gold.start[first[a]].astype(np.int64) - system.start[other[b]], return_counts=True
    )
    return int(distances[np.argmax(counts)]) if len(counts) else 0


def _tokens(pair: Pair, system: str) -> AuditCheck:
    """Whether mentions of gold begin or end inside tokens of the system."""
    name = "tokens"
    if cut := pair.coverage.get("cut_mentions", 0):
        text = (
            f"{many(cut, 'mention')} of gold, of {pair.coverage['gold_mentions']:,}, begin or end "
            "inside a token of the system, which cannot find them exactly: split its tokens there, "
            "or score overlap.PRF"
        )
        return AuditCheck(name, "look", text, system)
    return AuditCheck(name, "ok", "no mention of gold is cut by tokens of the system", system)


def _slots(gold: Corpus, corpus: Corpus, system: str, trial: Trial) -> AuditCheck:
    """Whether entities, with a text and a type, were read as slots that gold does not have."""
    unknown = set(slot_labels(corpus)) - set(slot_labels(gold))
    lists = {slot.rpartition(".")[0] for slot in unknown if slot.endswith(".text")}
    own = sorted(each for each in lists if unknown & {f"{each}.type", f"{each}.label"})
    if own and trial.reads("system", format="entities"):
        text = (
            f"{', '.join(map(plain, own))} holds entities with text and type, and is no slot of "
            "gold: --system-format entities reads them as fillers of the slots that gold has"
        )
        return AuditCheck("slots", "look", text, system)
    return AuditCheck("slots", "ok", "slots are no lists of entities", system)

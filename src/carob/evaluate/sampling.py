"""How the scores of a run are resampled: which units, how often, and which kind of interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from carob import registry
from carob.arrays.types import IntArray
from carob.corpus.problems import UsageError, nearest, shown
from carob.corpus.tables import Documents, Mentions
from carob.counts.events import Events, Space
from carob.counts.tally import Statistic, Tally
from carob.evaluate.options import Options
from carob.pair.pair import Pair
from carob.plugin import Measure
from carob.recipe import Recipe, spell
from carob.result import signature

if TYPE_CHECKING:
    from carob.corpus.tables import Templates
    from carob.infer.interval import Method
    from carob.infer.resampling import Units
    from carob.result.interval import Interval


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """The resampling of a run, which is the same for every system."""

    size: int
    order: IntArray
    strata: IntArray | None
    method: Method | None
    options: Options
    documents: Documents

    @cached_property
    def units(self) -> Units:
        """What is resampled."""
        from carob.infer.resampling import Units  # not needed without intervals

        return Units.of(self.size, self.order, self.strata, self.options.resample_by)

    @classmethod
    def of(
        cls, documents: Documents, options: Options, gold: Mentions | None = None,
        templates: Templates | None = None,
    ) -> Plan:  # fmt: skip
        """The plan for these gold documents; `gold` and `templates` distinguish documents that have
        the same words.
        """
        if options.resample_by == "sentence" and not len(documents.sentence_start):
            raise UsageError("resample_by sentence: gold does not say where sentences start")
        order = np.arange(len(documents))
        if options.resamples:
            order = _order(documents, gold, templates)
        strata = None if options.strata is None else _strata(documents, options.strata)
        size = len(documents)
        if options.resample_by == "sentence":
            doc = np.repeat(np.arange(size), _counts(documents))
            rank = np.empty(size, np.int64)
            rank[order] = np.arange(size)
            order = np.argsort(rank[doc], kind="stable")
            strata = None if strata is None else strata[doc]
            size = len(doc)
        method: Method | None = None
        if options.resamples:
            from carob.infer.interval import default

            auto = options.interval == "auto"
            method = default(size) if auto else registry.load("infer", options.interval)()
        return cls(size, order, strata, method, options, documents)

    def signature_fields(self) -> dict[str, str]:
        """What the signature says about resampling."""
        interval = "none" if self.method is None else self.method.name
        if self.method is not None and self.method.draws:
            interval += f",{self.options.resamples},seed={self.options.seed}"
        fields = {"interval": interval, "by": self.options.resample_by}
        strata = self.options.strata
        return fields if strata is None else fields | {"strata": signature.words([strata])}

    def remarks(self) -> tuple[str, ...]:
        """What holds for every interval of the run."""
        if self.method is None:
            return ()
        from carob.infer.interval import TRUSTED

        remarks = []
        size = self.units.words()
        if len(self.units) < 2:
            return (f"no intervals from {size}: there is nothing to resample",)
        if len(self.units) < TRUSTED:
            remarks.append(f"only {size}: intervals over fewer than {TRUSTED} are not reliable")
        single = int((self.units.sizes == 1).sum())
        if single and self.options.strata is not None:
            one = self.units.words(1)
            remarks.append(f"{single} strata hold {one} each, which every resample repeats")
        return tuple(remarks)

    def without(self, recipe: Recipe, *, of_mentions: bool) -> str | None:
        """Why a recipe has no interval under this plan; None if it has one."""
        if self.options.resample_by == "document":
            return None
        if not self.attributable(recipe.measure, of_mentions=of_mentions):
            what = f"{spell(recipe.space)}.{spell(recipe.measure)}"
            return f"{what} counts more than mentions, no interval from sentences"
        if recipe.average.over == "documents":
            return f"{spell(recipe.average)} is a mean of documents, no interval from sentences"
        return None

    def attributable(self, measure: Measure, *, of_mentions: bool) -> bool:
        """Whether everything that a measure needs belongs to one unit."""
        if self.options.resample_by == "document":
            return True
        return not ({"tn", "total"} & set(measure.needs)) and of_mentions

    def tally(self, space: Space, pair: Pair, events: Events) -> Tally:
        """The counts of a space for each unit of resampling.

        An event belongs to the sentence in which its mention starts: the gold one, if it has one.
        """
        if self.options.resample_by == "document" or not events.of_mentions:
            return Tally.of(space, pair, events)
        if not len(pair.documents.sentence_start):
            raise UsageError("resample_by sentence: gold and system count different positions")
        ours, theirs = (_sentence(pair.documents, side) for side in (pair.gold, pair.system))
        own = np.append(ours, -1)[events.gold]
        unit = np.where(events.gold < 0, np.append(theirs, -1)[events.system], own)
        size = self.size
        # How much of the event space is in one sentence is not known; see `attributable`.
        none = None if events.size is None else np.zeros(size)
        return Tally.of(space, pair, events.moved(unit, none), units=size)

    def intervals(
        self, statistics: Sequence[Statistic], contrasts: Sequence[Any] | None = None
    ) -> list[list[Interval]] | None:
        """The intervals of all scores of every statistic; None without any."""
        if self.method is None or len(self.units) < 2 or not statistics:
            return None
        from carob.infer.interval import intervals

        return intervals(
            self.method, statistics, self.units, self.options.resamples, self.options.seed,
            contrasts,
        )  # fmt: skip


def _order(
    documents: Documents, gold: Mentions | None, templates: Templates | None = None
) -> IntArray:
    """An order that does not depend on that of the file: by id; without ids, by the hash of the
    words, and if these are the same, by the mentions, then by the fillers.
    """
    if documents.id is not None:
        ids = documents.id
        return np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
    order = np.argsort(documents.hash, kind="stable")
    hashes = documents.hash[order]
    if gold is None or not (hashes[1:] == hashes[:-1]).any():
        return order
    size = len(documents)
    place = gold.start.astype(np.float64) + 1
    sums: list[Any] = [
        np.bincount(gold.doc, weights, size)
        for weights in (None, place, place * gold.end, place * (gold.label + 1.0))
    ]
    if templates is not None and len(templates):
        sums += _filled(templates, size)
    return np.lexsort([*sums[::-1], documents.hash])


def _filled(templates: Templates, size: int) -> list[Any]:
    """Numbers that distinguish documents by their fillers, in whatever order these are."""
    fillers = templates.fillers
    doc = templates.doc[fillers.template]
    text, slot = (
        np.array([crc32(value.encode("utf-8", "surrogatepass")) % (1 << 20) for value in values]
                 + [0], np.float64)
        for values in (fillers.text.values, fillers.slot.values)
    )  # fmt: skip
    first = text[fillers.text.codes[fillers.realisations[:-1]]]
    return [
        np.bincount(doc, weights, size)
        for weights in (None, first, first * slot[fillers.slot.codes])
    ]  # fmt: skip


def _strata(documents: Documents, name: str) -> IntArray:
    if name not in documents.attributes:
        known = sorted(documents.attributes)
        hint = nearest(name, known) if known else "; gold documents have none"
        raise UsageError(f"no attribute of documents is called {shown(name)}{hint}")
    return documents.attributes[name].codes


def _counts(documents: Documents) -> IntArray:
    """How many sentences each document has; at least one."""
    return np.maximum(np.diff(documents.sentence_offsets), 1)


def _sentence(documents: Documents, mentions: Mentions) -> IntArray:
    """In which sentence, of all sentences of all documents, each mention starts."""
    doc = np.repeat(np.arange(len(documents)), np.diff(documents.sentence_offsets))
    starts = (doc.astype(np.int64) << 32) + documents.sentence_start
    place = np.searchsorted(
        starts, (mentions.doc.astype(np.int64) << 32) + mentions.start, side="right"
    )
    within = np.maximum(place - documents.sentence_offsets[mentions.doc] - 1, 0)
    first = np.concatenate([[0], np.cumsum(_counts(documents))])
    sentence: IntArray = first[mentions.doc] + within
    return sentence

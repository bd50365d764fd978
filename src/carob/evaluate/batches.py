"""Scores of documents that come batch by batch: what they count is kept, and they are forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from carob._version import __version__
from carob.arrays.types import HashArray
from carob.corpus.corpus import Corpus, fact_remarks
from carob.corpus.problems import UsageError, plain, repeated, shown
from carob.counts.tally import Tally
from carob.evaluate.options import Options
from carob.evaluate.read import Scorable
from carob.evaluate.run import (
    MOST_ROWS,
    Contents,
    Plan,
    counting_fields,
    drawing_order,
    item_counts,
    one_sided,
    origin_of,
    prepare,
    reading_fields,
)
from carob.evaluate.score import count_events, missing_rows, score_counts
from carob.recipe import Recipe, spell
from carob.result.scores import File, Scores

SYSTEM = "system"


@dataclass(eq=False, repr=False)
class BatchSide:
    """What is kept of gold, or of the system, beside the counts: sums, and no text or place."""

    mentions: Counter[str]
    """How many mentions each label has."""
    facts: Counter[Any]
    contents: Contents | None
    """What the order of drawing depends on; None without intervals."""

    @classmethod
    def of(cls, corpus: Corpus, *, drawn: bool) -> BatchSide:
        """What is kept of a corpus."""
        if len(corpus.templates):
            raise UsageError("templates are compared as a whole, not batch by batch: carob.score")
        contents = Contents.of(corpus).by_word() if drawn else None
        counts = Counter(item_counts("mention", corpus, corpus))
        return cls(counts, Counter(corpus.facts), contents)

    @classmethod
    def concatenate(cls, parts: Sequence[BatchSide]) -> BatchSide:
        """The same of all documents."""
        every = [part.contents for part in parts if part.contents is not None]
        return cls(
            _sum([part.mentions for part in parts]),
            _sum([part.facts for part in parts]),
            Contents.concatenate(every) if every else None,
        )

    def remarks(self, name: str) -> tuple[str, ...]:
        """The odd things that reading accepted."""
        corpus = replace(Corpus.of(), facts=self.facts)
        return tuple(f"{plain(name)}: {text}" for _, text in fact_remarks(corpus))


def _sum(counters: Sequence[Counter[Any]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for each in counters:
        total.update(each)
    return total


@dataclass(eq=False, repr=False)
class Batch:
    """The counts of some documents: a tally for each event space, which add up.

    Scores and intervals of batches together are those of all documents at once.

    >>> options = Options(resamples=0)
    >>> recipes = [Recipe.parse("exact.F1@macro")]
    >>> batches = [
    ...     Batch.of([["B-A"]], [["B-A"]], recipes, options),
    ...     Batch.of([["B-B"]], [["O"]], recipes, options),
    ... ]
    >>> Batch.concatenate(batches).scores(recipes, options).value
    0.5
    """

    tallies: Mapping[Any, Tally]
    gold: BatchSide
    system: BatchSide
    coverage: Counter[str]
    ids: tuple[str, ...] | None
    words: HashArray
    fields: Mapping[str, Mapping[str, None]]
    """How documents were read: the values of each field of a signature."""

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(
        cls, gold: Scorable, system: Scorable, recipes: Sequence[Recipe], options: Options
    ) -> Batch:
        """Count some documents."""
        drawn = options.method is not None
        options = replace(options, resamples=0)  # a batch alone has no intervals
        run = prepare(gold, {SYSTEM: system}, recipes, options)
        pair, answer = run.pairs[SYSTEM], run.answers[SYSTEM]
        counts = count_events(pair, [recipe.space for recipe in run.recipes], run.plan)
        fields = reading_fields(
            origin_of(run.reference), origin_of(answer), pair.unit, pair.tokenizer
        )
        return cls(
            {space: tally for space, (tally, _, _) in counts.items()},
            BatchSide.of(run.reference, drawn=drawn),
            BatchSide.of(answer, drawn=drawn),
            Counter(pair.covered),
            pair.documents.id,
            pair.documents.hash,
            {key: {value: None} for key, value in fields.items()},
        )

    @classmethod
    def concatenate(cls, batches: Sequence[Batch]) -> Batch:
        """The counts of all batches, as one."""
        if len(batches) == 1:
            return batches[0]
        ids = None
        if any(batch.ids is not None for batch in batches):
            ids = tuple(name for batch in batches for name in batch.ids or ())
            if len(ids) < sum(map(len, batches)):
                raise UsageError("the documents of some batches have ids, those of others have not")
            if len(set(ids)) < len(ids):
                raise UsageError(f"two documents have the id {shown(repeated(ids))}")
        fields: dict[str, dict[str, None]] = {}
        for key, values in (item for batch in batches for item in batch.fields.items()):
            fields.setdefault(key, {}).update(values)
        return cls(
            {space: _joined([batch.tallies[space] for batch in batches])
             for space in batches[0].tallies},
            BatchSide.concatenate([batch.gold for batch in batches]),
            BatchSide.concatenate([batch.system for batch in batches]),
            _sum([batch.coverage for batch in batches]),
            ids,
            np.concatenate([batch.words for batch in batches]),
            fields,
        )  # fmt: skip

    def scores(self, recipes: Sequence[Recipe], options: Options) -> Scores:
        """The scores of these documents. There are no hashes of them: they are not kept."""
        every = [self.gold.contents, self.system.contents]
        sides = [side for side in every if side is not None]
        order = drawing_order(self.ids, self.words, sides) if sides else np.arange(len(self))
        plan = Plan.of_units(order, options)
        # A copy, so that tables which a tally makes for its scores are not kept.
        tallies = {space: replace(tally) for space, tally in self.tallies.items()}
        counts = {space: (tally, tally, True) for space, tally in tallies.items()}
        labels = max(len(tally.labels) for tally in tallies.values())
        rows = labels * len(recipes)
        scores = score_counts(
            counts, recipes, SYSTEM, options, partial(self._signature_fields, options, plan), plan,
            by_label=rows <= MOST_ROWS,
        )  # fmt: skip
        remarks = plan.remarks() + self.gold.remarks("gold") + self.system.remarks(SYSTEM)
        if options.labels is None:
            remarks += tuple(one_sided(SYSTEM, "mention", self.gold.mentions, self.system.mentions))
        files = [
            File(name, "", "", len(self), side.mentions.total(), coverage)
            for name, side, coverage in (
                ("gold", self.gold, {}), (SYSTEM, self.system, dict(self.coverage)),
            )
        ]  # fmt: skip
        return Scores(
            __version__, files[0], (files[1],), tuple(scores),
            remarks + missing_rows(labels, rows, scores, plan),
        )  # fmt: skip

    def _signature_fields(self, options: Options, plan: Plan) -> dict[str, str]:
        reading = {key: ",".join(values) for key, values in self.fields.items()}
        names = options.labels or ()
        counting = counting_fields(options, names, names, several=False)
        return {
            **reading, **counting, **plan.signature_fields(), "gold": "none", "system": "none",
        }  # fmt: skip


def _joined(tallies: Sequence[Tally]) -> Tally:
    """The tallies of batches, on the labels of all of them."""
    labels = tuple(sorted({label for tally in tallies for label in tally.labels}))
    return Tally.concatenate(tally.onto(labels) for tally in tallies)


def refuse_wholes(recipes: Sequence[Recipe], options: Options) -> None:
    """Refuse what needs all documents at once.

    >>> refuse_wholes([Recipe.parse("surface.F1")], Options())
    Traceback (most recent call last):
    carob.corpus.problems.UsageError: surface counts all documents together, not batch by batch; carob.score can
    """  # noqa: E501 (an error message is one line)
    for recipe in recipes:
        if recipe.space.items != "mention" or not recipe.space.by_document:
            raise UsageError(
                f"{spell(recipe.space)} counts all documents together, not batch by batch; "
                "carob.score can"
            )
    usual = Options()
    for name in ("task", "preset", "slots", "align", "resample_by", "strata", "skip_invalid"):
        if getattr(options, name) != getattr(usual, name):
            raise UsageError(f"{name} needs all documents at once, not batch by batch; carob.score")
    for reading in (options.gold_options, options.system_options):
        repair = reading.get("repair", "conlleval")
        if repair != "conlleval" and reading.get("scheme", "auto") == "auto":
            raise UsageError(
                f"repair={repair} needs the scheme, like scheme='iob2': the tags of one batch may "
                "not show it"
            )

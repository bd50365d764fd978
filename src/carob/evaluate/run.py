"""What every function that scores does first: read, rename labels, apply the task, pair, and plan
how scores are resampled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from carob import registry
from carob._version import __version__
from carob.arrays.columns import stretches
from carob.arrays.join import ranked
from carob.arrays.types import FloatArray, HashArray, IntArray
from carob.corpus.corpus import (
    Corpus,
    Origin,
    fact_remarks,
    same_but_for_case,
    unscored_key_remarks,
)
from carob.corpus.lists import holds_documents, is_list
from carob.corpus.problems import (
    DataError,
    InputError,
    Problem,
    UsageError,
    many,
    nearest,
    plain,
    raise_all,
    shown,
)
from carob.corpus.source import Source
from carob.corpus.tables import Codes, Documents, Mentions, joined_codes
from carob.counts.events import Events, Space
from carob.counts.tally import Statistic, Tally
from carob.evaluate.checks import gold_checks, system_checks
from carob.evaluate.options import Options, only_fillers
from carob.evaluate.read import Scorable, corpora
from carob.evaluate.trial import Trial
from carob.pair.pair import Pair, cut_alike, paired_documents, slot_pieces
from carob.pair.template_types import (
    named,
    row_names,
    slot_labels,
    slots_without_types,
    typed_as,
)
from carob.pair.tokens import Tokens
from carob.plugin import Measure, hook
from carob.recipe import Recipe, spell
from carob.result import signature
from carob.result.scores import File, SetAside
from carob.result.self_audit import AuditCheck

if TYPE_CHECKING:
    from carob.evaluate.task import Applied
    from carob.infer.interval import Method
    from carob.infer.resampling import Units
    from carob.result.interval import Interval


MOST_GUESSES = 10_000
"""Up to this many pairs of labels, one unknown and one unused, may be the same by another name."""

MOST_TRIALS = 20
"""Up to this many new names of labels are tried for each system."""

LABEL_ROWS, AVERAGED = 1_000, 5_000
"""Rows of labels have intervals and tests if there are at most LABEL_ROWS labels, averages over
labels if there are at most AVERAGED."""

MOST_ROWS = 200_000
"""Scores have rows of labels if these are at most this many, for all systems and recipes together:
a million rows take more than a gigabyte.
"""


@dataclass(eq=False, repr=False)
class Plan:
    """The resampling of a run, which is the same for every system."""

    size: int
    order: IntArray
    strata: IntArray | None
    method: Method | None
    options: Options
    blocks: int = 0
    """How many documents are blocks between blank lines, because gold marks no documents."""

    @cached_property
    def units(self) -> Units:
        """What is resampled."""
        from carob.infer.resampling import Units  # not needed without intervals

        return Units.of(self.size, self.order, self.strata, self.options.resample_by)

    @classmethod
    def of(cls, gold: Corpus, options: Options, systems: Sequence[Corpus] = ()) -> Plan:
        """The plan for the documents of gold, as these systems answer them."""
        documents = gold.documents
        if options.resample_by == "sentence" and not len(documents.sentence_start):
            raise DataError("resample_by sentence: gold does not say where sentences start")
        order = np.arange(len(documents))
        if options.method is not None:
            # Without ids, documents are paired by their place; an empty answer has none.
            there = [corpus for corpus in (gold, *systems) if len(corpus)]
            order = drawing_order(documents.id, documents.hash, map(Contents.of, there))
        strata = None if options.strata is None else _strata(documents, options.strata)
        size = len(documents)
        if options.resample_by == "sentence":
            doc = np.repeat(np.arange(size), _counts(documents))
            rank = np.empty(size, np.int64)
            rank[order] = np.arange(size)
            order = np.argsort(rank[doc], kind="stable")
            strata = None if strata is None else strata[doc]
        return replace(cls.of_units(order, options, strata), blocks=gold.facts.get("blocks", 0))

    @classmethod
    def of_units(cls, order: IntArray, options: Options, strata: IntArray | None = None) -> Plan:
        """The plan for units that are drawn in this order."""
        name = options.method
        method = None if name is None else registry.load("infer", name)()
        return cls(len(order), order, strata, method, options)

    def signature_fields(self) -> dict[str, str]:
        """What the signature says about resampling."""
        interval = "none" if self.method is None else self.method.name
        if self.method is not None and self.method.draws:
            interval += f",{self.options.draws},seed={self.options.seed}"
        fields = {"interval": interval, "by": self.options.resample_by}
        strata = self.options.strata
        return fields if strata is None else fields | {"strata": signature.words([strata])}

    def remarks(self) -> tuple[str, ...]:
        """What holds for every interval of the run."""
        if self.method is None:
            return ()
        from carob.result.interval import TRUSTED

        remarks = []
        if self.blocks and self.options.resample_by == "document":
            remarks.append(
                f"each of the {self.blocks:,} blocks between blank lines of gold is a document, "
                "and intervals are too narrow if several blocks are of one text: begin texts with "
                "-DOCSTART-, or try --documents N, N blocks each; --documents block says that "
                "blocks are documents"
            )
        size = self.units.words()
        if len(self.units) < 2:
            return (f"no intervals from {size}: intervals need two",)
        if len(self.units) < TRUSTED:
            remarks.append(f"intervals rest on only {size}")
        single = int((self.units.sizes == 1).sum())
        if single and self.options.strata is not None:
            one = self.units.words(1)
            what = "which every resample repeats" if self.method.draws else "and join the next one"
            remarks.append(f"{single} strata hold {one} each, {what}")
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
            raise DataError("resample_by sentence: gold and system count different positions")
        ours, theirs = (_sentence(pair.documents, side) for side in (pair.gold, pair.system))
        own = np.append(ours, -1)[events.gold]
        unit = np.where(events.gold < 0, np.append(theirs, -1)[events.system], own)
        size = self.size
        # How much of the event space is in one sentence is not known; see `attributable`.
        none = None if events.size is None else np.zeros(size)
        return Tally.of(space, pair, events.moved(unit, none), units=size)

    def intervals(self, statistics: Sequence[Statistic]) -> list[list[Interval]] | None:
        """The intervals of all scores of every statistic; None without any."""
        if self.method is None or not statistics:
            return None
        from carob.infer.interval import intervals

        if len(self.units) < 2:
            return None
        options = self.options
        return intervals(self.method, statistics, self.units, options.draws, options.seed)


def too_many_labels(recipe: Recipe, tally: Tally, zero: float | None) -> str | None:
    """Why an average has no interval and no test: it depends on too many labels."""
    labels = len(tally.labels)
    if labels <= AVERAGED or recipe.average.table(recipe.measure, tally, zero).width < labels:
        return None
    what = f"{spell(recipe.average)} is an average over {labels:,} labels"
    return f"{what}, more than {AVERAGED:,}: no interval and no test"


class PlaceSums(NamedTuple):
    """Places of mentions with their labels, or with their values of an attribute; some of them
    may be added up.
    """

    doc: IntArray
    word: Codes
    place: FloatArray

    def by_word(self) -> PlaceSums:
        """One row for each document and word; rows without a word are left out, they count 0.

        >>> sums = PlaceSums(np.array([0, 0]), Codes.of(["A", "A"]), np.array([1.0, 5.0]))
        >>> sums.by_word().place
        array([6.])
        """
        width = max(len(self.word.values), 1)
        there = np.flatnonzero(self.word.codes >= 0)
        cell = self.doc[there].astype(np.int64) * width + self.word.codes[there]
        cells, row = ranked(cell)
        doc, code = np.divmod(cells, width)
        place = np.bincount(row, self.place[there], len(cells)).astype(np.float64)
        return PlaceSums(doc, Codes(code, self.word.values, self.word.in_order), place)

    def by_document(self, size: int) -> FloatArray:
        """One number for each of `size` documents, which depends on the words and their places."""
        sums = np.bincount(self.doc, (self.word.codes + 1.0) * self.place, size)
        return sums.astype(np.float64, copy=False)  # NumPy makes whole numbers of nothing at all


@dataclass(eq=False, repr=False)
class Contents:
    """For each document of one side some sums over what it holds, which differ if that does."""

    counts: FloatArray
    """How many mentions there are."""
    places: FloatArray
    areas: FloatArray
    """The sums of their places, and of places times ends."""
    words: Mapping[str, PlaceSums]
    """Their labels, under "", and their attributes."""
    fillers: tuple[FloatArray, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus) -> Contents:
        """The sums of a corpus.

        >>> [each.tolist() for each in Contents.of(Corpus.of("[Ann]PER", "no")).sort_keys()]
        [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0]]
        """
        mentions, size = corpus.mentions, len(corpus)
        place = mentions.start.astype(np.float64) + 1
        words = {"": Codes(mentions.label, corpus.labels), **mentions.attributes}
        counts, places, areas = (
            np.bincount(mentions.doc, weights, size).astype(np.float64, copy=False)
            for weights in (None, place, place * mentions.end)
        )
        sums = {name: PlaceSums(mentions.doc, word, place) for name, word in words.items()}
        return cls(counts, places, areas, sums, tuple(_filler_sums(corpus)))

    def sort_keys(self) -> list[FloatArray]:
        """The sums, from the most important to the least."""
        size = len(self.counts)
        words = [self.places + each.by_document(size) for each in self.words.values()]
        return [self.counts, self.places, self.areas, *words, *self.fillers]

    def by_word(self) -> Contents:
        """The same sums, without the mentions that they are of."""
        words = {name: each.by_word() for name, each in self.words.items()}
        return Contents(self.counts, self.places, self.areas, words)

    @classmethod
    def concatenate(cls, parts: Sequence[Contents]) -> Contents:
        """The sums of neighbouring documents, without fillers.

        >>> one = Contents.of(Corpus.of("[Ann]PER"))
        >>> Contents.concatenate([one, one]).places
        array([1., 1.])
        """
        firsts = list(accumulate((len(part.counts) for part in parts), initial=0))
        attributes = {name for part in parts for name in part.words} - {""}
        words = {}
        for name in ("", *sorted(attributes)):
            some = [(part.words[name], first) for part, first in zip(parts, firsts, strict=False)
                    if name in part.words]  # fmt: skip
            words[name] = PlaceSums(
                np.concatenate([each.doc + first for each, first in some]),
                joined_codes([each.word for each, _ in some]),
                np.concatenate([each.place for each, _ in some]),
            )
        counts, places, areas = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("counts", "places", "areas")
        )
        return cls(counts, places, areas, words)


def _filler_sums(corpus: Corpus) -> Iterator[FloatArray]:
    fillers, size = corpus.templates.fillers, len(corpus)
    if not len(fillers):
        return
    doc = corpus.templates.doc[fillers.template]
    text, slot = (
        np.array([crc32(value.encode("utf-8", "surrogatepass")) % (1 << 20) for value in values]
                 + [0], np.float64)
        for values in (fillers.text.values, fillers.slot.values)
    )  # fmt: skip
    first = text[fillers.text.codes[fillers.realisations[:-1]]]
    for weights in (None, first, first * slot[fillers.slot.codes]):
        yield np.bincount(doc, weights, size).astype(np.float64, copy=False)


def drawing_order(
    ids: Sequence[str] | None, words: HashArray, contents: Iterable[Contents]
) -> IntArray:
    """An order that does not depend on that of the file: by id; without ids, by the hash of the
    words, and if these are the same, by what gold and then the systems have in a document.

    >>> drawing_order(["b", "a"], np.zeros(2, np.uint64), []).tolist()
    [1, 0]
    """
    if ids is not None:
        return np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
    order = np.argsort(words, kind="stable")
    if np.all(np.diff(words[order])):
        return order
    keys = [key for side in contents for key in side.sort_keys()]
    return np.lexsort([*keys[::-1], words])


def _strata(documents: Documents, name: str) -> IntArray:
    if name not in documents.attributes:
        known = sorted(documents.attributes)
        hint = nearest(name, known) if known else "; gold documents have none"
        raise DataError(f"no attribute of documents is called {shown(name)}{hint}")
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


Systems = Scorable | Sequence[Scorable] | Mapping[str, Scorable]
Recipes = str | Recipe | Iterable[str | Recipe]
Defaults = Callable[[Corpus, Iterable[Corpus]], Sequence[str | Recipe]]
"""From gold and systems, the recipes to score by default."""


@dataclass(eq=False, repr=False)
class Run:
    """Files that are read and paired, and what signatures and remarks say about them."""

    gold: File
    answers: Mapping[str, Corpus]
    """The systems as they are compared, after labels were renamed."""
    pairs: Mapping[str, Pair]
    signature_fields: Mapping[str, Callable[[], dict[str, str]]]
    """Of each system, the part of the signature that does not depend on the recipe. It has hashes,
    and not everyone who wants a score asks for its signature.
    """
    recipes: Sequence[Recipe]
    plan: Plan
    """How differences of systems are resampled."""
    plans: Mapping[str, Plan]
    """How the scores of each system are resampled, whatever other systems there are."""
    reference: Corpus
    remarks: tuple[str, ...] = ()
    task: Applied | None = None
    set_aside: tuple[SetAside, ...] = ()
    """The systems that are left out because of what is wrong with their files."""
    corpora: tuple[Corpus, Mapping[str, Corpus]] | None = None
    """Gold and the systems as they were read, before labels were renamed."""
    checks: tuple[AuditCheck, ...] = ()
    """The checks that always run."""

    def system_files(self) -> tuple[File, ...]:
        """The files of the systems. Ask when everything is counted: only then is it known what
        did not fall on tokens, and which types were compared.
        """
        return tuple(
            _file(name, self.answers[name], pair.all_warnings, pair.covered)
            for name, pair in self.pairs.items()
        )

    def signature(self, **more: str) -> str:
        """One line for all systems. Where they differ, it has their values in their order; `more`
        comes before the files.
        """
        every = [fields() for fields in self.signature_fields.values()]
        line = {"carob": __version__, "recipe": "+".join(recipe.full for recipe in self.recipes)}
        for key in dict.fromkeys(key for fields in every for key in fields):
            values = [fields.get(key, "none") for fields in every]
            if key == "gold":
                line |= more
            line[key] = values[0] if len(set(values)) == 1 else ",".join(values)
        return signature.compose(line)


def prepare(
    gold: Scorable,
    systems: Systems,
    recipes: Recipes | None,
    options: Options,
    defaults: Defaults | None = None,
    *,
    trial: bool = False,
) -> Run:
    """Read and pair. Without `recipes`, `defaults` says what is scored, as far as it can be. A
    `trial` of a suggestion is not checked, and makes no suggestions.
    """
    # Before anything is read, so that a mistake in a recipe costs no time.
    wanted = None if recipes is None else parse_recipes(recipes)

    if _is_empty_list(gold) and (
        _is_empty_list(systems) or all(map(_is_empty_list, systems_by_name(systems).values()))
    ):
        raise UsageError("all lists are empty: give at least one document of gold and of a system")
    if isinstance(gold, (list, tuple)) and gold and isinstance(gold[0], str):
        raise UsageError(
            f"gold: found {shown(gold[0])} in the place of a document, expected a list of "
            "documents: [tags] for the tags of one"
        )

    # Read. What is wrong with one system does not hide what is wrong with the others.
    inputs, invalid = systems_by_name(systems), dict[str, InputError]()
    reference, answers = corpora(
        gold, inputs, options.gold_options, options.system_options, invalid=invalid
    )
    if not answers:
        raise_all(invalid.values())
    read_gold, read_systems = reference, answers
    optional = wanted is None
    if wanted is None:
        assert defaults is not None
        wanted = parse_recipes(defaults(reference, answers.values()))
    if options.task is not None:
        # A task names gold by its hash, which must be that of the corpus before labels change.
        reference = replace(reference, origin=origin_of(reference))
        answers = {name: replace(each, origin=origin_of(each)) for name, each in answers.items()}

    # Rename labels, apply the task.
    warnings = unknown_renamings(options.map, [reference, *answers.values()])
    reference = reference.mapped(options.map)
    answers = {name: corpus.mapped(options.map) for name, corpus in answers.items()}
    applied = None
    if options.task is not None:
        reference, answers, applied = options.task.apply(reference, answers)

    refuse_numbers(wanted, {"gold": reference, **answers})

    # Locate strings, pair.
    places: tuple[str, ...] = ()
    if any(recipe.space.items != "filler" for recipe in wanted):
        answers, places = _located(reference, answers)
    answers = {name: cut_alike(reference, answer) for name, answer in answers.items()}
    tokens, several = Tokens(options.tokenizer), len(inputs) > 1
    of_strings = [recipe for recipe in wanted if hook(recipe.space, "of_strings")]
    strings = len(of_strings) == len(wanted)
    remarks: tuple[str, ...] = places
    if options.align != "none":
        reference, answers, more = _aligned(reference, answers, invalid)
        remarks += more
    paired = _paired(reference, answers, options, tokens, strings=strings, several=several)
    codes = {each.code for error in paired.invalid.values() for each in error.problems}
    if optional and of_strings and codes and codes <= {"K303", "K305"}:
        # Of default recipes, those that compare strings do not need equal texts.
        error, strings = next(iter(paired.invalid.values())), True
        paired = _paired(reference, answers, options, tokens, strings=True, several=several)
        others = dict.fromkeys(spell(r.space) for r in wanted if r not in of_strings)
        remarks += tuple(f"{space} is left out: {error}" for space in others)
        wanted = of_strings
    invalid |= paired.invalid
    if invalid and not (options.skip_invalid and paired.pairs):
        raise_all(invalid[name] for name in inputs if name in invalid)
    if paired.invalid:  # again, without the labels of those that are left out
        answers = {name: answers[name] for name in paired.pairs}
        paired = _paired(reference, answers, options, tokens, strings=strings, several=several)
    pairs, tagset, slots = paired.pairs, paired.tagset, paired.slots
    wanted = for_strings(wanted, list(pairs.values()), optional=optional)
    every = [reference, *answers.values()]
    set_aside = tuple(
        set_aside_as(name, inputs[name], invalid[name]) for name in inputs if name in invalid
    )

    # What results say about all this.
    plans = {name: Plan.of(reference, options, [answer]) for name, answer in answers.items()}
    plan = plans[next(iter(plans))]
    if len(plans) > 1:
        plan = Plan.of(reference, options, [answers[name] for name in sorted(answers)])
    counting = (
        counting_fields(options, tagset, slots, several=len(answers) > 1) | plan.signature_fields()
    )
    fields = {
        name: partial(
            _signature_fields, origin_of(reference), origin_of(answers[name]), pair.unit,
            pair.tokenizer, counting,
        )
        for name, pair in pairs.items()
    }  # fmt: skip
    warnings = (
        *(f"set aside: {each}" for each in set_aside),
        *empty_answers(answers if len(reference) else {}),
        *warnings,
    )
    remarks += unscored_key_remarks([("gold", reference), *answers.items()])
    trials = {} if trial else {
        name: Trial((gold, inputs[name]), (read_gold, read_systems[name]), wanted, options)
        for name in pairs
    }  # fmt: skip
    warnings += facts_tried("gold", reference, "gold", trials.values())
    for name, answer in answers.items():
        own = [trials[name]] if name in trials else []
        warnings += facts_tried(name, answer, "system", own)
    if applied is None:
        warnings += unknown_labels(options.labels, every)
    else:
        remarks += applied.remarks
        if not optional or options.preset is not None:
            remarks += applied.task.unofficial(wanted)
    warnings += recipes_without_mentions(wanted, {"gold": reference, **answers})
    checks: tuple[AuditCheck, ...] = ()
    if not trial:
        if options.labels is None:
            warnings += labels_of_one_side(wanted, reference, answers, trials)
            warnings += labels_of_other_case({"gold": reference, **answers}, trials)
        checks = tuple(gold_checks(reference, wanted))
        for name, pair in pairs.items():
            checks += tuple(system_checks(reference, answers[name], pair, name, trials[name]))
        warnings += tuple(
            f"{plain(each.system or 'gold')}: {each.text}"
            for each in checks
            if each.verdict == "look"
        )
    remarks += uncounted_groups(wanted, reference)
    if optional:
        wanted, impossible = _countable(wanted, list(pairs.values()), options)
        remarks += impossible
    return Run(
        _file("gold", reference, warnings), {name: answers[name] for name in pairs}, pairs,
        fields, wanted, plan, plans, reference, warnings + remarks, applied, set_aside,
        (read_gold, {name: read_systems[name] for name in pairs}), checks,
    )  # fmt: skip


def _located(
    gold: Corpus, answers: Mapping[str, Corpus]
) -> tuple[dict[str, Corpus], tuple[str, ...]]:
    """The systems, of which those that answer with strings have mentions where these occur, with a
    remark about each. What does not fit gold stays as it is, and pairing says why.
    """
    made, remarks = dict(answers), []
    for name, answer in answers.items():
        if not only_fillers(answer):
            continue
        from carob.pair.string_mentions import can_be_located, located  # most have places

        if not can_be_located(gold, answer):
            continue
        origin = origin_of(answer)
        how = origin.parameters.get("locate", "all")
        try:
            made[name], remark = located(gold, answer, paired_documents(gold, answer), how)
        except (InputError, DataError):
            continue
        origin = replace(origin, parameters={**origin.parameters, "locate": how})
        made[name] = replace(made[name], origin=origin)
        remarks.append(f"{plain(name)}: {remark}")
    return made, tuple(remarks)


def _is_empty_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not value


def _aligned(
    reference: Corpus, answers: Mapping[str, Corpus], invalid: dict[str, InputError]
) -> tuple[Corpus, dict[str, Corpus], tuple[str, ...]]:
    """Gold in characters and systems on its texts, with a remark about each. What is wrong with
    systems goes to `invalid`.
    """
    from carob.pair.align import aligned, in_own_characters, share
    from carob.pair.pair import documents_of_gold

    gold = in_own_characters(replace(reference, origin=origin_of(reference)), "gold")
    found: dict[str, Corpus] = {}
    remarks = []
    for name, answer in answers.items():
        answer = replace(answer, origin=origin_of(answer))
        try:
            found[name] = aligned(gold, answer, documents_of_gold(reference, answer), name)
        except InputError as error:
            invalid[name] = error
            continue
        part = share(found[name])
        remarks.append(f"{plain(name)}: {part:.2%} of the characters are aligned with gold's")
    if not found:
        raise_all(invalid.values())
    return gold, found, tuple(remarks)


class _Paired(NamedTuple):
    """Gold with every system, labels and slots; and what is wrong with systems that do not fit."""

    pairs: dict[str, Pair]
    tagset: tuple[str, ...]
    slots: tuple[str, ...]
    invalid: dict[str, InputError]


def _paired(
    reference: Corpus,
    answers: Mapping[str, Corpus],
    options: Options,
    tokens: Tokens,
    *,
    strings: bool,
    several: bool,
) -> _Paired:
    every = [reference, *answers.values()]
    tagset = options.labels or tuple(sorted({label for each in every for label in each.labels}))
    slots = slot_rows(every, tagset, options.slots)
    relations = None
    bare_slots = slots_without_types(typed_as(reference, each) for each in every) \
        if any(len(each.templates) for each in every) else ()  # fmt: skip
    if any(len(each.relations) for each in every):
        from carob.pair.links import relation_rows  # most files have no relations

        relations = relation_rows(every)
    only_labels = options.labels is not None
    schema = options.schema if options.task is None else options.task.schema(reference)
    paired = _Paired({}, tagset, slots, {})
    for name, answer in answers.items():
        try:
            paired.pairs[name] = Pair.of(
                reference, answer, tagset, options.extra_docs, only_labels, tokens,
                None if only_labels and options.slots is None else slots, options.words, strings,
                relations, bare_slots, schema,
            )  # fmt: skip
        except InputError as error:
            in_memory = not origin_of(answer).path
            paired.invalid[name] = _of_system(error, name) if in_memory else error
        except DataError as error:
            if not several:
                raise
            path, expected = origin_of(answer).path or name, "documents to compare with gold's"
            problem = Problem("K308", path, None, str(error), expected)
            paired.invalid[name] = InputError([problem])
    return paired


def _of_system(error: InputError, name: str) -> InputError:
    """The error with the name of a system that has no file, which pairing does not know."""
    problems = (
        replace(each, file=name) if each.file == "system" else each for each in error.problems
    )
    return InputError(problems, error.total)


def refuse_numbers(recipes: Sequence[Recipe], corpora: Mapping[str, Corpus]) -> None:
    """Refuse numbers and booleans where recipes compare texts.

    >>> refuse_numbers([Recipe.parse("fields.F1")], {})
    """
    spaces = dict.fromkeys(
        spell(recipe.space)
        for recipe in recipes
        if recipe.space.items == "filler" and not hook(recipe.space, "typed_values")
    )
    if not spaces:
        return
    problems = []
    for side, corpus in corpora.items():
        fillers = corpus.templates.fillers
        if fillers.kind is None or not fillers.kind.any():
            continue
        row = int(np.flatnonzero(fillers.kind)[0])
        filler = int(fillers.filler[row])
        doc = int(corpus.templates.doc[fillers.template[filler]])
        text = shown(fillers.text[row] or "", 40)[1:-1]
        found = f"{plain(fillers.slot[filler] or '')} = {text}"
        verb = "compares" if len(spaces) == 1 else "compare"
        hint = f'{", ".join(spaces)} {verb} texts: write "{text}", or score fields.F1'
        line = int(corpus.documents.line[doc])
        problems.append(Problem("K212", corpus.file_name(side, doc), line, found, "a text", hint))
    if problems:
        raise InputError(problems)


def set_aside_as(name: str, system: Any, error: InputError) -> SetAside:
    """A system that is left out, with what is wrong with its file."""
    path = system.path if isinstance(system, Source) else system
    where = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    return SetAside(name, where, tuple(map(str, error.problems)), error.total)


def empty_answers(systems: Mapping[str, Corpus]) -> tuple[str, ...]:
    """A remark for each system that answers nothing at all.

    >>> empty_answers({"a": Corpus.of(), "b": Corpus.of("Ann slept")})
    ('a IS EMPTY: it has no document, so nothing of gold is found',)
    """
    return tuple(
        f"{plain(name)} IS EMPTY: it has no document, so nothing of gold is found"
        for name, corpus in systems.items()
        if not len(corpus)
    )


def parse_recipes(recipes: Recipes) -> list[Recipe]:
    """Recipes from texts, each once."""
    every = [recipes] if isinstance(recipes, (str, Recipe)) else list(recipes)
    parsed = [
        r for each in every for r in ([each] if isinstance(each, Recipe) else Recipe.expand(each))
    ]
    if not parsed:
        raise UsageError("give at least one recipe, for example exact.F1")
    return list(dict.fromkeys(parsed))


def _countable(
    recipes: Sequence[Recipe], pairs: Sequence[Pair], options: Options
) -> tuple[list[Recipe], tuple[str, ...]]:
    """Of default recipes, those that can be counted, and remarks why others cannot.

    Documents may lack a length or a text, which some event spaces need. What the spaces of slots
    count here is kept for later.
    """
    all_fit = all(p.unit == "token" and not (p.documents.length < 0).any() for p in pairs)
    spaces = dict.fromkeys(recipe.space for recipe in recipes)
    of_slots = [space for space in spaces if space.items == "filler"]
    why: dict[Any, str] = {}
    for pair in pairs:
        for space, counts in slot_counts(of_slots, pair, why).items():
            if options.resample_by == "document":
                pair.remembered["counts", space] = counts
    for space in (each for each in spaces if not all_fit and each not in of_slots):
        try:
            for pair in pairs:
                space(pair)
        except UsageError as error:
            why[space] = str(error)
    kept = [recipe for recipe in recipes if recipe.space not in why]
    if not kept:
        raise DataError(next(iter(why.values())))
    return kept, tuple(f"{spell(space)} is left out: {text}" for space, text in why.items())


def for_strings(
    recipes: Sequence[Recipe], pairs: Sequence[Pair], *, optional: bool
) -> list[Recipe]:
    """The recipes, adapted to relations that are stated by strings, as triples are.

    Where arguments have neither places nor a text to find them in, their strings are compared. Of
    default recipes (`optional`) none compares the types of arguments, which strings do not have.
    """
    if all(recipe.space.items != "relation" for recipe in recipes):
        return list(recipes)
    links = [pair.links for pair in pairs]
    wordless = any(each.wordless for each in links)
    typeless = optional and any(each.of_strings for each in links)

    def adapt(recipe: Recipe) -> Recipe:
        space: Any = recipe.space
        if space.items == "relation" and wordless and space.span == "exact":
            space = replace(space, span="text")
        if space.items == "relation" and typeless and hasattr(space, "types"):
            space = replace(space, types="ignore")
        return replace(recipe, space=space)

    return list(dict.fromkeys(map(adapt, recipes)))


def slot_counts(
    spaces: Sequence[Any], pair: Pair, why: dict[Any, str] | None = None
) -> dict[Any, tuple[Tally, bool]]:
    """What spaces of fillers count in each document, and whether all events are of mentions; in
    pieces of the pair if they allow it. Why one cannot count goes to `why`, if that is given.
    """
    parts: dict[Any, list[tuple[Tally, bool]]] = {space: [] for space in spaces}
    local = [space for space in spaces if space.by_document]
    others = [space for space in spaces if not space.by_document]
    works = chain(
        ((piece, local) for piece in (slot_pieces(pair) if local else ())), [(pair, others)]
    )
    for piece, some in works:
        for space in (each for each in some if each in parts):
            try:
                events = space(piece)
            except UsageError as error:
                if why is None:
                    raise
                why[space] = str(error)
                del parts[space]
                continue
            parts[space].append((Tally.of(space, piece, events), events.of_mentions))
        if piece is not pair:
            pair.filled.checks.extend(piece.filled.grounding_checks())
    counts: dict[Any, tuple[Tally, bool]] = {}
    for space in list(parts):  # the pieces of one space are freed before the next are joined
        own = parts.pop(space)
        tally = own[0][0] if len(own) == 1 else Tally.concatenate(tally for tally, _ in own)
        counts[space] = tally, all(of_mentions for _, of_mentions in own)
    return counts


def too_few(set_aside: Sequence[SetAside], what: str) -> UsageError:
    """The error if fewer than two systems are given, or can be used."""
    if not set_aside:
        return UsageError(f"give at least two systems to {what}")
    reasons = "\n".join(f"set aside: {each}" for each in set_aside)
    return DataError(f"fewer than two systems are left to {what}\n{reasons}")


def systems_by_name(systems: Any, names: Sequence[str | None] = ()) -> dict[str, Any]:
    """Systems by name: the key of a mapping, the name from `names`, or the name of the file. If
    two files have the same name, their paths are the names. A list of documents is one system.

    >>> systems_by_name(["a/best.conll", "b/best.conll", "last.conll"], [None, None, "new"])
    {'a/best.conll': 'a/best.conll', 'b/best.conll': 'b/best.conll', 'new': 'last.conll'}
    """
    if isinstance(systems, Mapping) and systems:
        return dict(systems)
    one = isinstance(systems, (str, Corpus)) or not isinstance(systems, Iterable)
    one = one or hasattr(systems, "ents")  # a Doc of spaCy, which is a list of tokens as well
    every = [systems] if one else list(systems)
    files = all(isinstance(each, (Corpus, str, os.PathLike)) for each in every)
    if not files and holds_documents(every):
        every = [systems]
    if not every:
        raise UsageError("give at least one system")
    names = [*names, *[None] * (len(every) - len(names))]
    short = [
        name or _file_name(each, i)
        for i, (each, name) in enumerate(zip(every, names, strict=True), 1)
    ]
    by_name: dict[str, Any] = {}
    for each, name, own in zip(every, short, names, strict=True):
        if own is None and short.count(name) > 1 and isinstance(each, (str, os.PathLike)):
            name = os.fspath(each)
        if name in by_name:
            raise UsageError(f"two systems are called {name!r}; give them names: name=path")
        by_name[name] = each
    return by_name


def _file_name(system: Any, place: int) -> str:
    """The name of a system's file, without folder and ending; of a corpus in memory, its place."""
    if isinstance(system, Corpus):
        path = system.origin.path if system.origin else ""
    elif isinstance(system, (str, os.PathLike)):
        path = os.fspath(system)
    elif is_list(system):
        path = ""
    else:
        raise UsageError(
            f"a corpus or a path is needed, not {type(system).__name__}; "
            "a list of documents will do as well"
        )
    if not path:
        return "system" if place == 1 else f"system-{place}"
    last = os.path.basename(os.path.normpath(path)).removesuffix(".gz")  # noqa: PTH119
    return "stdin" if last == "-" else os.path.splitext(last)[0]  # noqa: PTH122


def origin_of(corpus: Corpus) -> Origin:
    """Where a corpus came from; one that was made in memory has the hash of its columns."""
    return corpus.origin or Origin("", partial(getattr, corpus, "sha256"), "memory")


def _file(
    name: str, corpus: Corpus, warnings: tuple[str, ...], coverage: Mapping[str, int] | None = None
) -> File:
    origin = origin_of(corpus)
    return File(
        name, origin.path, partial(getattr, origin, "sha256"), len(corpus), len(corpus.mentions),
        coverage or {}, warnings,
        len(corpus.templates), len(corpus.templates.fillers),
    )  # fmt: skip


def _signature_fields(
    gold: Origin, system: Origin, unit: str, tokenizer: str, counting: Mapping[str, str]
) -> dict[str, str]:
    """How files were read and counted, and their hashes."""
    hashes = {"gold": f"sha256={gold.sha256[:8]}", "system": f"sha256={system.sha256[:8]}"}
    return reading_fields(gold, system, unit, tokenizer) | dict(counting) | hashes


def reading_fields(gold: Origin, system: Origin, unit: str, tokenizer: str) -> dict[str, str]:
    """How files were read, as a signature says it: for gold and system, apart by a slash.

    >>> reading_fields(Origin("g", ""), Origin("s", ""), "token", "none")
    {'unit': 'token', 'format': 'memory/memory', 'tokenizer': 'none'}
    """
    fields = {"unit": unit, "format": f"{gold.format}/{system.format}"}
    for key in dict.fromkeys([*gold.parameters, *system.parameters]):
        sides = [origin.parameters.get(key, "none") for origin in (gold, system)]
        once = key in ("repair", "documents") and (sides[0] == sides[1] or "none" in sides)
        fields[key] = next(s for s in sides if s != "none") if once else "/".join(sides)
    return {**fields, "tokenizer": tokenizer}


def counting_fields(
    options: Options, labels: Sequence[str], slots: Sequence[str], *, several: bool
) -> dict[str, str]:
    """What was counted, as a signature says it. `several` is whether there are several systems."""
    # If labels without items count a number, the labels of all systems together matter.
    listed = options.labels is not None or (several and options.zero is not None)
    more = options.slots is not None or (listed and options.labels is None)
    fields = {
        "map": signature.words(f"{old}={new}" for old, new in options.map.items()) or "none",
        "labels": (signature.words(labels) or "none") if listed else "union",
        **({"slots": signature.words(slots)} if more and slots != labels else {}),
        "zero": options.zero_division,
        "extra": options.extra_docs,
        **({} if options.words == "count" else {"words": options.words}),
        **({} if options.align == "none" else {"align": options.align}),
        **({} if options.schema is None else {"schema": f"sha256={options.schema.sha256[:8]}"}),
    }
    return fields if options.task is None else fields | options.task.signature_fields()


def slot_rows(
    corpora: Sequence[Corpus], labels: tuple[str, ...], more: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The slots of gold (the first corpus) and systems, and `more`; without any template, the
    labels are slots.

    >>> slot_rows([Corpus.of("[Ann]who")], ("who",))
    ('who',)
    """
    if not any(len(corpus.templates) for corpus in corpora):
        return labels
    every = [slot_labels(typed_as(corpora[0], corpus)) for corpus in corpora]
    return tuple(sorted({*(more or ()), *(slot for slots in every for slot in slots)}))


def unknown_labels(labels: Sequence[str] | None, corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """A remark for each label to be scored that no corpus has.

    >>> unknown_labels(["PERS"], [Corpus.of("[Ann]PER [Oslo]LOC")])
    ('no mention has the label PERS; did you mean PER? there are: LOC, PER',)
    """
    if labels is None:
        return ()
    names = _names(corpora)
    slots = slot_rows(corpora, ())
    what = "no mention or filler counts under" if slots else "no mention has the label"
    return tuple(
        f"{what} {plain(label)}{_hint(label, names)}" for label in labels if label not in names
    )


def unknown_renamings(names: Mapping[str, str], corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """A remark for each label or slot to be renamed that no corpus has.

    >>> unknown_renamings({"PERS": "P"}, [Corpus.of("[Ann]PER")])
    ('PERS=P renames nothing; did you mean PER? there are: PER',)
    """
    there = _names(corpora) if names else []
    return tuple(
        f"{plain(old)}={plain(new)} renames nothing{_hint(old, there)}"
        for old, new in names.items()
        if old not in there
    )


def recipes_without_mentions(
    recipes: Sequence[Recipe], corpora: Mapping[str, Corpus]
) -> tuple[str, ...]:
    """A remark if recipes count mentions, and a corpus has fillers and no mention.

    >>> from carob.recipe import Recipe
    >>> gold = Corpus.of({"templates": [{"slots": {"who": ["Ann"]}}]})
    >>> recipes_without_mentions([Recipe.parse("exact.F1")], {"gold": gold})
    ('exact counts mentions, and gold has only fillers; --preset templates counts fillers',)
    """
    files = [plain(name) for name, corpus in corpora.items() if only_fillers(corpus)]
    if not files:
        return ()
    spaces = dict.fromkeys(spell(each.space) for each in recipes if each.space.items == "mention")
    if not spaces:
        return ()
    count, have = ("counts" if len(spaces) == 1 else "count"), "has" if len(files) == 1 else "have"
    origins = [corpus.origin for corpus in corpora.values() if only_fillers(corpus)]
    triples = all(origin is not None and origin.format == "triples" for origin in origins)
    only = "triples" if triples else "fillers; --preset templates counts fillers"
    return (f"{', '.join(spaces)} {count} mentions, and {', '.join(files)} {have} only {only}",)


def facts_tried(name: str, corpus: Corpus, side: str, trials: Iterable[Trial]) -> tuple[str, ...]:
    """The odd things that a reader accepted; an option that reads them in another way is named if
    it finds more of gold.
    """
    remarks = []
    for _, text in fact_remarks(corpus):
        head, sign, option = text.rpartition(": --read ")
        if sign:
            key, _, value = option.partition("=")
            helps = any(each.reads(side, **{key: value}) for each in trials)
            text = f"{head}{sign}{side}.{option}" if helps else head
        remarks.append(f"{plain(name)}: {text}")
    return tuple(remarks)


def labels_of_one_side(
    recipes: Sequence[Recipe],
    gold: Corpus,
    systems: Mapping[str, Corpus],
    trials: Mapping[str, Trial],
) -> tuple[str, ...]:
    """A remark for each system with labels or slots that gold lacks, or without some that gold has.

    >>> from carob.recipe import Recipe
    >>> gold, system = Corpus.of("[Ann]PER in [Oslo]LOC"), Corpus.of("[Ann]person in [Oslo]LOC")
    >>> recipes = [Recipe.parse("exact.F1")]
    >>> trial = Trial((gold, system), (gold, system), recipes, Options())
    >>> labels_of_one_side(recipes, gold, {"a": system}, {"a": trial})
    ('a: gold has no label person (1 mention); did you mean PER? --map person=PER',)
    """
    remarks: list[str] = []
    for item in dict.fromkeys(each.space.items for each in recipes):
        ours = item_counts(item, gold, gold)
        for name, system in systems.items():
            helps = partial(trials[name].maps, item)
            remarks += one_sided(name, item, ours, item_counts(item, gold, system), helps)
    return tuple(remarks)


def one_sided(
    name: str,
    item: str,
    ours: Mapping[str, int],
    theirs: Mapping[str, int],
    helps: Callable[[Mapping[str, str]], bool] | None = None,
) -> list[str]:
    """Remarks about labels, or slots, that only gold or only a system has; each side says how many
    items its labels have. New names are suggested if they can be tried and help.

    >>> one_sided("a", "mention", {"PER": 2, "LOC": 1}, {"PER": 1})
    ['a: no mention has the label LOC, which gold has 1 time']
    """
    if not ours or not theirs or ours.keys() == theirs.keys():
        return []
    remarks = []
    kind = "slot" if item == "filler" else "label"
    unknown, unused = sorted(theirs.keys() - ours.keys()), sorted(ours.keys() - theirs.keys())
    # Thousands of labels, as in entity linking, are not other spellings of each other.
    few = unknown if len(unknown) * len(unused) <= MOST_GUESSES else []
    meant = {label: near for label in few if (near := _same_meaning(label, unused))}
    if helps is not None:
        meant = {a: b for a, b in [*meant.items()][:MOST_TRIALS] if helps({a: b})}
    if unknown:
        count = sum(theirs[label] for label in unknown)
        text = f"{plain(name)}: gold has no {kind} {_listed(unknown)}"
        text += f" ({count:,} {item}{'s' if count > 1 else ''})"
        if meant:
            maps = " ".join(f"--map {_quoted(a)}={_quoted(b)}" for a, b in meant.items())
            text += f"; did you mean {_listed(list(meant.values()))}?"
            text += f" {maps}" if helps is not None else ""
        remarks.append(text)
    guesses = set(meant.values())
    unused = [label for label in unused if label not in guesses]
    if unused:
        count = sum(ours[label] for label in unused)
        remarks.append(
            f"{plain(name)}: no {item} has the {kind} {_listed(unused)}, "
            f"which gold has {count:,} {'times' if count > 1 else 'time'}"
        )
    return remarks


def labels_of_other_case(
    corpora: Mapping[str, Corpus], trials: Mapping[str, Trial]
) -> tuple[str, ...]:
    """A remark for labels of one corpus that are the same but for case, and new names if they help
    some system.

    >>> labels_of_other_case({"a": Corpus.of("[Ann]PER [Bo]Per")}, {})
    ('a: the labels PER, Per differ in case only, and count as different ones',)
    """
    remarks = []
    for name, corpus in corpora.items():
        for first, *others in same_but_for_case(corpus.labels)[:5]:
            tried = [trials[name]] if name in trials else trials.values()
            names = dict.fromkeys(others, first)
            maps = " ".join(f"--map {_quoted(a)}={_quoted(b)}" for a, b in names.items())
            remarks.append(
                f"{plain(name)}: the labels {_listed([first, *others])} differ in case only, "
                "and count as different ones"
                + (f"; {maps}" if any(each.maps("mention", names) for each in tried) else "")
            )
    return tuple(remarks)


def item_counts(item: str, gold: Corpus, corpus: Corpus) -> dict[str, int]:
    """How many mentions or relations each label has, or how many fillers each slot."""
    if item == "mention":
        names: Sequence[str] = corpus.labels
        codes = corpus.mentions.label
    elif item == "relation":
        names = ["", *corpus.relations.label.values]
        codes = corpus.relations.label.codes + 1
    elif len(corpus.templates):
        corpus = typed_as(gold, corpus)
        slots = named(corpus.templates)[1]
        names, codes = row_names(corpus, slots), slots.codes
    else:
        return {}
    numbers = np.zeros(len(names), np.int64)
    # Some at a time: bincount makes eight bytes of every code, which may be one byte.
    for some in stretches(len(codes)):
        numbers += np.bincount(codes[some], minlength=len(names))
    counts: dict[str, int] = {}
    for name, count in zip(names, numbers.tolist(), strict=True):
        if count:
            counts[name] = counts.get(name, 0) + count
    return counts


def _same_meaning(label: str, others: Sequence[str]) -> str | None:
    """The other label that probably means the same: the same but for case, or longer or shorter."""
    folded = label.casefold()
    for other in others:
        short, long = sorted((folded, other.casefold()), key=len)
        if len(short) > 1 and long.startswith(short):
            return other
    from difflib import get_close_matches  # slow to load, and rarely needed

    close = get_close_matches(folded, [other.casefold() for other in others], 1)
    return next((other for other in others if other.casefold() in close), None)


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(plain(name) for name in names[:most]) + more


def _quoted(name: str) -> str:
    from shlex import quote  # slow to load, and rarely needed

    return quote(plain(name))


def uncounted_groups(recipes: Sequence[Recipe], gold: Corpus) -> tuple[str, ...]:
    """Remarks if gold has relations or clusters that no recipe counts, or if recipes count
    relations and gold has none, nor triples.

    >>> from carob.recipe import Recipe
    >>> uncounted_groups([Recipe.parse("relations.F1")], Corpus.of("[Ann]PER slept"))
    ('relations counts what is between mentions, and gold has no relations',)
    """
    spaces = dict.fromkeys(spell(each.space) for each in recipes if each.space.items == "relation")
    if len(gold.templates) and not len(gold.relations):  # strings state relations, and no events
        spaces = {name: None for name in spaces if not name.startswith("relations")}
    if spaces and not len(gold.relations):
        verb = "counts" if len(spaces) == 1 else "count"
        return (f"{', '.join(spaces)} {verb} what is between mentions, and gold has no relations",)
    counts = {"relation": 0 if spaces else len(gold.relations), "cluster": len(gold.clusters)}
    parts = [many(count, kind) for kind, count in counts.items() if count]
    return (f"gold has {' and '.join(parts)}, which no recipe counts",) if parts else ()


def _names(corpora: Sequence[Corpus]) -> list[str]:
    labels = (label for each in corpora for label in (*each.labels, *each.relations.label.values))
    return sorted({*slot_rows(corpora, ()), *labels})


def _hint(name: str, names: Sequence[str]) -> str:
    """The nearest name (one that differs in the type before the dot, first), and all names."""
    every = sorted(names, key=lambda each: (each.casefold(), each))
    listed = [plain(each) for each in every[:20]] + ["…"] * (len(every) > 20)
    there = f"there are: {', '.join(listed)}" if listed else "there are none"
    if same_slot := [each for each in names if each.endswith(f".{name}")]:
        return f"; did you mean {' or '.join(map(plain, same_slot[:3]))}? {there}"
    guess, sign, _ = nearest(name, names).removeprefix("; ").partition("? there are: ")
    return f"; {guess}? {there}" if sign else f"; {there}"

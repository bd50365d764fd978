"""The options that the public functions share: how files are read, what is counted, what is drawn.

`score`, `compare`, `errors`, `robust` and `power` take them as keyword arguments, and the command
line has an option of the same name for each. They are described once, in `Options`. The tables of
recipes that `preset` can name, of which one is the default, are here too.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict

from carob import registry
from carob.corpus.problems import RecipeError, UsageError, nearest
from carob.evaluate.tables import DEFAULT_FOR
from carob.pair.tokens import TOKENIZERS
from carob.recipe import Recipe, word

if TYPE_CHECKING:
    from carob.corpus.corpus import Corpus
    from carob.evaluate.task import Task
    from carob.values.schema import Schema


class ErrorsOptions(TypedDict, total=False):
    """The options of `carob.errors`. `Options` describes each."""

    gold_options: Mapping[str, Any] | None
    system_options: Mapping[str, Any] | None
    task: str | os.PathLike[str] | Task | None
    preset: str | None
    labels: str | Sequence[str] | None
    slots: str | Sequence[str] | None
    map: Mapping[str, str] | None
    extra_docs: str
    words: str
    align: str
    tokenizer: str
    skip_invalid: bool


class RobustOptions(ErrorsOptions, total=False):
    """The options of `carob.robust`."""

    zero_division: str | float


class ConfidenceOptions(ErrorsOptions, total=False):
    """The options of `carob.by_confidence`."""

    seed: int
    strata: str | None
    resamples: int | None
    interval: str


class PowerOptions(RobustOptions, total=False):
    """The options of `carob.power`."""

    seed: int
    resample_by: str
    strata: str | None


class ScoreOptions(PowerOptions, total=False):
    """The options of `carob.score` and `carob.compare`: all of them."""

    resamples: int | None
    interval: str


@dataclass(frozen=True)
class Options:
    """Everything except the files and the recipes that can change a number.

    >>> Options(resamples=-1)
    Traceback (most recent call last):
    carob.corpus.problems.UsageError: resamples is 0 (no intervals) or from 100 to 10,000,000, not -1
    """  # noqa: E501 (an error message is one line)

    gold_options: Mapping[str, Any] = field(default_factory=dict)
    """How gold is read: arguments of `carob.read`, such as `format` or `scheme`."""
    system_options: Mapping[str, Any] = field(default_factory=dict)
    """How systems are read."""
    task: Task | None = None
    """A task definition, or the path of one: it says which corpus gold is, which slots there are,
    what is scored, and which part of the documents.
    """
    preset: str | None = None
    """The table of recipes to score when no recipe is given: `mentions`, `nugget` (the default for
    the format tbf), `templates` (the default if texts fill slots of gold, or if a system has
    strings that cannot be located as mentions), `records` (if numbers or booleans fill slots of
    gold), `events` or `relations` (the defaults if gold has events, or relations), or `triples`
    (the default if gold is triples, or has relations and templates).
    """
    labels: tuple[str, ...] | None = None
    """The labels, and the slots, that count; None for all."""
    slots: tuple[str, ...] | None = None
    """Slots that have a row even if no file has them. With `slots`, `labels` are those of mentions
    alone.
    """
    map: Mapping[str, str] = field(default_factory=dict)
    """New names of labels: old to new."""
    zero_division: str = "skip"
    """What a label or document without any item counts in a mean: `skip`, `0` or `1`."""
    extra_docs: str = "error"
    """What to do with documents of a system that gold lacks: `error` or `ignore`."""
    words: str = "count"
    """What to do with words of a system that differ from gold's on the same row: `count` them, and
    score if fewer than 5 % differ; `ignore` them, and compare places alone; or `error`.
    """
    align: str = "none"
    """How the two sides are made comparable if their tokens or spaces differ: `characters` aligns
    those characters that are no white space, and compares places in gold's text; `none` does not.
    """
    tokenizer: str = "auto"
    """How texts are split where characters are counted and a recipe needs tokens: `given`, `words`
    or `whitespace`; `auto` takes the given tokens if there are any, and words otherwise.
    """
    resamples: int | None = None
    """How many resamples `bca` and `percentile` intervals are made from (1,000 by default); 0 makes
    no intervals.
    """
    interval: str = "auto"
    """The kind of interval: `effective`, `bca`, `percentile` or `jackknife-t`; `auto` is effective,
    which needs no resamples, or bca if a number of resamples is given.
    """
    seed: int = 0
    """The seed for all random draws."""
    resample_by: str = "document"
    """What is drawn: `document` or `sentence`."""
    strata: str | None = None
    """An attribute of the gold documents, within whose values documents are drawn."""
    schema: Schema | None = None
    """The types of the slots of records, where no task says them."""
    skip_invalid: bool = False
    """Whether systems whose files are wrong are left out, and listed with the reason; otherwise
    they are an error.
    """

    def __post_init__(self) -> None:
        if self.preset is not None:
            check_table(self.preset)
        zero: Any = self.zero_division
        if zero in (0, 1) and not isinstance(zero, bool):
            # Users of scikit-learn and seqeval write numbers.
            object.__setattr__(self, "zero_division", str(int(zero)))
        self._check_choice("zero_division", ("skip", "0", "1"))
        self._check_choice("extra_docs", ("error", "ignore"))
        self._check_choice("words", ("count", "ignore", "error"))
        self._check_choice("align", ("none", "characters"))
        self._check_choice("tokenizer", ("auto", *TOKENIZERS))
        self._check_choice("resample_by", ("document", "sentence"))
        if self.resamples is not None and not (
            self.resamples == 0 or 100 <= self.resamples <= 10_000_000
        ):
            raise UsageError(
                f"resamples is 0 (no intervals) or from 100 to 10,000,000, not {self.resamples:,}"
            )
        if self.seed < 0:
            raise UsageError(f"seed is 0 or more, not {self.seed}")
        if self.interval != "auto" and self.interval not in interval_methods():
            hint = nearest(self.interval, ["auto", *interval_methods()])
            raise UsageError(f"no interval is called {self.interval!r}{hint}")

    def _check_choice(self, name: str, choices: Sequence[str]) -> None:
        if (value := getattr(self, name)) not in choices:
            raise UsageError(f"{name} is {' or '.join(choices)}, not {value!r}")

    @classmethod
    def of(cls, accepted: type, arguments: Mapping[str, Any]) -> Options:
        """The options from the keyword arguments of a function that accepts those of a TypedDict.

        >>> Options.of(ErrorsOptions, {"labels": "PER"}).labels
        ('PER',)
        >>> Options.of(ErrorsOptions, {"lables": "PER"})
        Traceback (most recent call last):
        carob.corpus.problems.UsageError: no option is called 'lables'; did you mean labels? there are: align, extra_docs, gold_options, labels, map, preset, skip_invalid, slots, system_options, task, tokenizer, words
        """  # noqa: E501 (an error message is one line)
        names = accepted.__annotations__
        for name in arguments:
            if name not in names:
                raise UsageError(f"no option is called {name!r}{nearest(name, sorted(names))}")
        values = dict(arguments)
        for name in ("labels", "slots"):
            values[name] = _sorted_names(values.get(name))
        for name in ("gold_options", "system_options", "map"):
            values[name] = dict(values.get(name) or {})
        path = values.pop("task", None)
        options = cls(**values)
        if path is None:
            return options
        from carob.evaluate.task import Task  # a run without a task does not need it

        return Task.read(path).restrict(options)

    def without_reading(self) -> Options:
        """The options for corpora that are read already, and scored without intervals."""
        return replace(self, gold_options={}, system_options={}, resamples=0)

    @property
    def draws(self) -> int:
        """How many resamples are drawn where resamples are needed.

        >>> Options().draws, Options(resamples=500).draws
        (1000, 500)
        """
        return 1000 if self.resamples is None else self.resamples

    @property
    def method(self) -> str | None:
        """The name of the interval; None for no interval.

        >>> Options().method, Options(resamples=500).method, Options(resamples=0).method
        ('effective', 'bca', None)
        """
        if self.resamples == 0:
            return None
        auto = "effective" if self.resamples is None else "bca"
        return auto if self.interval == "auto" else self.interval

    @property
    def zero(self) -> float | None:
        """What a term without any item counts in a mean; None leaves it out."""
        return None if self.zero_division == "skip" else float(self.zero_division)

    @property
    def official_recipes(self) -> Sequence[Recipe] | None:
        """The recipes of the task, unless a table is asked for instead."""
        return None if self.task is None or self.preset is not None else self.task.recipes


def interval_methods() -> list[str]:
    """The names of the intervals there are.

    >>> interval_methods()
    ['bca', 'effective', 'jackknife-t', 'percentile']
    """
    every = registry.names("infer")
    return [name for name in every if hasattr(registry.load("infer", name), "draws")]


def _sorted_names(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    return tuple(sorted({names} if isinstance(names, str) else set(names)))


MENTIONS = (
    "exact.PRF", "overlap.PRF", "ts.PRF@macro", "fair.PRF", "slots.SER",
)  # fmt: skip
"""The table `mentions`."""

TEMPLATES = (
    "oas.PRF", "oaod.PRF", "oads.PRF", "oads.ungrounded-share", "templates.PRF", "templates.SER",
)  # fmt: skip
"""The table `templates`: the three ways to count answers, and templates."""

RELATIONS = ("relations.PRF", "relations(types=ignore).PRF", "exact.PRF")
"""The table `relations`: relations strictly and by their boundaries, and mentions."""

TRIPLES = (*RELATIONS[:2], *TEMPLATES)
"""The table `triples`: relations, and the slots that their arguments fill."""

EVENTS = (
    "triggers(label=ignore).PRF", "triggers.PRF", "arguments(role=ignore).PRF", "arguments.PRF",
    "arguments(attach=trigger).PRF",
)  # fmt: skip
"""The table `events`: triggers and arguments, found and classified."""

RECORDS = (
    "fields.PRF", "fields.ERR", "fields.F1@macro-doc", "record.exact", "fields.invented-share",
)  # fmt: skip
"""The table `records`: values, and whole records."""

CONFIDENT_RECORDS = ("record.ECE", "record.Brier", "record.AUROC")
"""What the table `records` has beside if answers have confidences."""


def table_for(gold: Corpus, systems: Iterable[Corpus] = ()) -> str:
    """Which table fits: `nugget` for tbf, `records` where numbers or booleans fill slots,
    `templates` where texts do, `events` or `relations` if gold has some, `triples` if it has
    triples, or relations and templates, else `mentions`.

    Slots are filled if gold has templates, or if a system has some and no mention, and its strings
    cannot be located as mentions.

    >>> from carob.corpus.corpus import Corpus
    >>> table_for(Corpus.of("[Ann]PER slept"))
    'mentions'
    >>> answer = Corpus.of({"templates": [{"slots": {"who": ["Ann"]}}]})
    >>> table_for(Corpus.of("[Ann]who"), [answer]), table_for(Corpus.of("Ann"), [answer])
    ('mentions', 'templates')
    """
    if gold.origin is not None and gold.origin.format == "tbf":
        return "nugget"
    if len(gold.templates) > 0 and gold.templates.fillers.kind is not None:
        return "records"
    if gold.origin is not None and gold.origin.format == "triples":
        return "triples"
    if not len(gold.relations):
        filled = len(gold.templates) > 0 or any(_fills_slots(gold, each) for each in systems)
        return "templates" if filled else "mentions"
    from carob.pair.links import has_events  # most files have no relations

    if len(gold.templates):
        return "templates" if has_events(gold) else "triples"
    return "events" if has_events(gold) else "relations"


def _fills_slots(gold: Corpus, system: Corpus) -> bool:
    if not only_fillers(system):
        return False
    from carob.pair.string_mentions import can_be_located  # most systems have places

    return not can_be_located(gold, system)


def compared_table(gold: Corpus, systems: Iterable[Corpus] = ()) -> str:
    """The table that systems are compared by: the one that fits, but that of nuggets has too many
    recipes to test them all.

    >>> from carob.corpus.corpus import Corpus
    >>> compared_table(Corpus.of("[Ann]PER slept"))
    'mentions'
    """
    table = table_for(gold, systems)
    return "mentions" if table == "nugget" else table


def ranking_table(gold: Corpus, systems: Iterable[Corpus] = ()) -> str:
    """The table by whose first score systems are ranked: the one that fits, but that of triples if
    a system states relations by strings, which have no types to compare.

    >>> from carob.corpus.corpus import Corpus
    >>> ranking_table(Corpus.of("[Ann]PER slept"))
    'mentions'
    """
    every = list(systems)
    table = table_for(gold, every)
    return "triples" if table == "relations" and any(map(only_fillers, every)) else table


def check_table(name: str) -> None:
    """Refuse a name that no table has."""
    if name not in DEFAULT_FOR:
        raise RecipeError(f"no table is called {name!r}{nearest(name, sorted(DEFAULT_FOR))}")


def only_fillers(corpus: Corpus) -> bool:
    """Whether a corpus has templates, and no mention.

    >>> from carob.corpus.corpus import Corpus
    >>> only_fillers(Corpus.of({"templates": [{"slots": {"who": ["Ann"]}}]}))
    True
    """
    return len(corpus.templates) > 0 and not len(corpus.mentions)


def table_recipes(
    table: str = "mentions", attributes: Sequence[str] = (), *, confident: bool = False
) -> list[Recipe]:
    """The recipes of a table.

    There are seven tables: `mentions`; `nugget` for event nuggets: span only and every
    combination of the label (`type`) and the attributes of mentions, as the paper's Figure 3 has
    them, micro and macro-doc-pr; `templates` for slots; `records`; `relations`; `triples`, which
    are relations and slots; and `events`.

    >>> str(table_recipes()[0])
    'exact.P'
    >>> [str(recipe) for recipe in table_recipes("nugget", ["realis"])][3:7:3]
    ['nugget(attributes=type).P', 'nugget(attributes=realis).P']
    """
    if table == "nugget":
        # A list in a recipe holds plain words only.
        names = ["type", *sorted(name for name in attributes if word(name) == name)]
        if len(names) > 4:
            raise RecipeError(
                f"a table of all combinations of {len(names)} attributes would be too long; "
                "say which with -m, for example nugget(attributes=type).PRF"
            )
        sets = [
            few for size in range(len(names) + 1) for few in itertools.combinations(names, size)
        ]
        spaces = [
            f"nugget(attributes={'+'.join(map(word, few))})" if few else "nugget" for few in sets
        ]
        texts = [f"{space}.PRF@{how}" for how in ("micro", "macro-doc-pr") for space in spaces]
        return [recipe for text in texts for recipe in Recipe.expand(text)]
    tables = {"templates": TEMPLATES, "relations": RELATIONS, "events": EVENTS, "records": RECORDS,
              "triples": TRIPLES}  # fmt: skip
    if confident and table == "records":
        tables["records"] = RECORDS + CONFIDENT_RECORDS
    return [recipe for text in tables.get(table, MENTIONS) for recipe in Recipe.expand(text)]

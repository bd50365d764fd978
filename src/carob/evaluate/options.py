"""The options that the public functions share: how files are read, what is counted, what is drawn.

`score`, `compare`, `errors`, `robust` and `power` take them as keyword arguments, and the command
line has an option of the same name for each. They are described once, in `Options`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict

from carob import registry
from carob.corpus.problems import UsageError, nearest
from carob.evaluate.presets import check_table
from carob.pair.tokens import TOKENIZERS

if TYPE_CHECKING:
    from carob.evaluate.task import Task
    from carob.recipe import Recipe


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
    tokenizer: str


class RobustOptions(ErrorsOptions, total=False):
    """The options of `carob.robust`."""

    zero_division: str


class PowerOptions(RobustOptions, total=False):
    """The options of `carob.power`."""

    seed: int
    resample_by: str
    strata: str | None


class ScoreOptions(PowerOptions, total=False):
    """The options of `carob.score` and `carob.compare`: all of them."""

    resamples: int
    interval: str


@dataclass(frozen=True)
class Options:
    """Everything except the files and the recipes that can change a number.

    >>> Options(resamples=-1)
    Traceback (most recent call last):
    carob.corpus.problems.UsageError: resamples is 0 (no intervals) or at least 100, not -1
    """

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
    the format tbf) or `templates` (the default if gold has templates, or if a system has templates
    and no mention).
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
    tokenizer: str = "auto"
    """How texts are split where characters are counted and a recipe needs tokens: `given`, `words`
    or `whitespace`; `auto` takes the given tokens if there are any, and words otherwise.
    """
    resamples: int = 1000
    """How many resamples an interval is made from; 0 makes no intervals."""
    interval: str = "auto"
    """The kind of interval: `bca`, `percentile` or `jackknife-t`; `auto` is bca for 30 documents
    or more, jackknife-t for fewer.
    """
    seed: int = 0
    """The seed for all random draws."""
    resample_by: str = "document"
    """What is drawn: `document` or `sentence`."""
    strata: str | None = None
    """An attribute of the gold documents, within whose values documents are drawn."""

    def __post_init__(self) -> None:
        if self.preset is not None:
            check_table(self.preset)
        self._check_choice("zero_division", ("skip", "0", "1"))
        self._check_choice("extra_docs", ("error", "ignore"))
        self._check_choice("tokenizer", ("auto", *TOKENIZERS))
        self._check_choice("resample_by", ("document", "sentence"))
        if not (self.resamples == 0 or 100 <= self.resamples <= 10_000_000):
            raise UsageError(f"resamples is 0 (no intervals) or at least 100, not {self.resamples}")
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
        carob.corpus.problems.UsageError: no option is called 'lables'; did you mean labels? there are: extra_docs, gold_options, labels, map, preset, slots, system_options, task, tokenizer
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
    ['bca', 'jackknife-t', 'percentile']
    """
    every = registry.names("infer")
    return [name for name in every if hasattr(registry.load("infer", name), "draws")]


def _sorted_names(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    return tuple(sorted({names} if isinstance(names, str) else set(names)))

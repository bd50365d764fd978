"""Scores: what an evaluation returns. A number travels with its recipe and signature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from carob.corpus.problems import UsageError


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its interval; None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    support: float = 0.0
    remarks: tuple[str, ...] = ()
    """What there is to say about the interval."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Value(0.5, support=2.0).to_dict()
        {'value': 0.5, 'low': None, 'high': None, 'support': 2}
        """
        return {
            "value": self.value, "low": self.low, "high": self.high, "support": whole(self.support),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Score:
    """One system under one recipe.

    `block` is the event space and average, `measure` the measure: a table puts the measures of a
    block side by side. `left_out` counts the terms that a mean had to do without, `left_out_terms`
    says which they are.
    """

    system: str
    recipe: str
    block: str
    measure: str
    overall: Value
    signature: str
    by_label: Mapping[str, Value] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)
    left_out: int = 0
    left_out_terms: str = "labels without any item"
    is_count: bool = False

    @property
    def value(self) -> float | None:
        """The number itself."""
        return self.overall.value

    @property
    def low(self) -> float | None:
        """The lower end of its interval."""
        return self.overall.low

    @property
    def high(self) -> float | None:
        """The upper end of its interval."""
        return self.overall.high

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to say about the intervals, of labels too.

        >>> Score("s", "r", "b", "m", Value(1.0), "", {"PER": Value(1.0, remarks=("so",))}).remarks
        ('PER: so',)
        """
        labels = [f"{name}: {said}" for name, v in self.by_label.items() for said in v.remarks]
        return (*self.overall.remarks, *labels)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "recipe": self.recipe,
            "value": self.overall.value,
            "low": self.overall.low,
            "high": self.overall.high,
            "signature": self.signature,
            "by_label": {label: value.to_dict() for label, value in self.by_label.items()},
            "counts": {name: whole(count) for name, count in self.counts.items()},
            "left_out": self.left_out,
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True, slots=True)
class File:
    """A file that took part: where it is, what is in it, and what became of it."""

    name: str
    path: str
    sha256: str
    documents: int
    mentions: int
    coverage: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    templates: int = 0
    fillers: int = 0


@dataclass(frozen=True)
class Scores:
    """The scores of one or more systems. Prints itself as a table.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]PER slept"), "exact.F1")
    >>> scores.value
    1.0
    """

    version: str
    gold: File
    systems: tuple[File, ...]
    scores: tuple[Score, ...]
    remarks: tuple[str, ...] = ()
    task: Mapping[str, Any] | None = None
    """The task definition, and what it found; None without one."""

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, key: str | tuple[str, str]) -> Score:
        """The score of a recipe, or of (system, recipe).

        >>> from carob import Corpus, score
        >>> score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"))["exact.P"].value
        1.0
        """
        system, recipe = (None, key) if isinstance(key, str) else key
        fits = [s for s in self.scores if s.recipe == recipe and system in (None, s.system)]
        if not fits:
            from carob.recipe import spelled

            recipe = spelled(recipe)
            fits = [s for s in self.scores if s.recipe == recipe and system in (None, s.system)]
        if len(fits) != 1:
            there = ", ".join(dict.fromkeys(score.recipe for score in self.scores))
            raise KeyError(f"{len(fits)} scores fit {key!r}; recipes here: {there}")
        return fits[0]

    @property
    def value(self) -> float | None:
        """The number, where there is just one score."""
        if len(self.scores) != 1:
            raise UsageError(f"there are {len(self.scores)} scores; take one by its recipe")
        return self.scores[0].value

    def __str__(self) -> str:
        return self.to("terminal")

    def to(self, report: str, **parameters: Any) -> str:
        """The scores as text: terminal, json, csv, markdown or latex.

        >>> from carob import Corpus, score
        >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
        >>> scores.to("csv").splitlines()[0]
        'system,recipe,label,value,low,high,support,signature'
        """
        from carob.registry import load

        text: str = load("report", report)(**parameters)(self)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it (see docs/output.md)."""
        ruled = {} if self.task is None else {"task": dict(self.task)}
        return {
            "carob": self.version,
            "remarks": list(self.remarks),
            **ruled,
            "gold": {
                "path": self.gold.path,
                "sha256": self.gold.sha256,
                "documents": self.gold.documents,
                "mentions": self.gold.mentions,
                **(
                    {"templates": self.gold.templates, "fillers": self.gold.fillers}
                    if self.gold.templates
                    else {}
                ),
            },
            "systems": [
                {
                    "name": system.name,
                    "path": system.path,
                    "coverage": dict(system.coverage),
                    "sha256": system.sha256,
                    "scores": [s.to_dict() for s in self.scores if s.system == system.name],
                }
                for system in self.systems
            ],
        }

    def to_json(self) -> str:
        """The dict as JSON text, every digit kept.

        >>> from carob import Corpus, score
        >>> '"exact.F1"' in score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "conll").to_json()
        True
        """
        import json

        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def rows(self) -> list[dict[str, Any]]:
        """Long form: a row for each system, recipe and label, and one without a label for all.

        >>> from carob import Corpus, score
        >>> [
        ...     row["label"]
        ...     for row in score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "conll").rows()
        ... ]
        [None, 'PER']
        """
        found = []
        for score in self.scores:
            for label, value in ((None, score.overall), *score.by_label.items()):
                row = {"system": score.system, "recipe": score.recipe, "label": label}
                found.append(row | value.to_dict() | {"signature": score.signature})
        return found

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame (the extra `carob[pandas]`)."""
        return library("pandas").DataFrame(self.rows())

    def to_polars(self) -> Any:
        """The rows as a polars data frame (the extra `carob[polars]`)."""
        return library("polars").DataFrame(self.rows(), infer_schema_length=None)


def library(name: str) -> Any:
    """A library that is an extra, or a sentence that says how to get it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed; pip install 'carob[{name}]'") from None


def whole(number: float) -> float | int:
    """Whole numbers as such.

    >>> whole(3.0), whole(2.5)
    (3, 2.5)
    """
    return int(number) if float(number).is_integer() else number

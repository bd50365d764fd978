"""Scores: what `carob.score` returns. A number travels with its recipe and signature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from carob.arrays.types import FloatArray
from carob.corpus.corpus import Lazy, WithLazyFields
from carob.corpus.problems import UsageError, plain
from carob.result import signature
from carob.result.result import Part, Result, Rows, whole, with_checksum

if TYPE_CHECKING:
    from carob.result.gate import Gate
    from carob.result.self_audit import SelfAudit


@dataclass(frozen=True, slots=True)
class Value(Part):
    """A number with its interval; None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    support: float = 0.0
    remarks: tuple[str, ...] = ()
    """What there is to say about the interval."""
    effective: float | None = None
    """How many independent items the documents are worth, if the interval is made from that."""
    by_chance: float | None = None
    """What chance alone would show of an error; None if the measure does not say."""

    def to_dict(self) -> dict[str, Any]:
        """As in JSON.

        >>> Value(0.5, support=2.0).to_dict()
        {'value': 0.5, 'low': None, 'high': None, 'support': 2}
        """
        return {
            "value": self.value, "low": self.low, "high": self.high, "support": whole(self.support),
        }  # fmt: skip


@dataclass(frozen=True)
class Score(WithLazyFields, Part):
    """One system under one recipe.

    `block` is the event space and average, `measure` the measure: a table puts the measures of a
    block side by side. `left_out` counts the terms that are left out of a mean, `left_out_terms`
    says what they are. `support_text` says what the support counts, if the space says so.
    """

    system: str
    recipe: str
    block: str
    measure: str
    overall: Value
    signature: Lazy[str] = Lazy()
    by_label: Lazy[Mapping[str, Value]] = Lazy(dict)
    counts: Lazy[Mapping[str, float]] = Lazy(dict)
    left_out: int = 0
    left_out_terms: str = "labels without any item"
    is_count: bool = False
    lower_is_better: bool = False
    support_text: str = ""
    written: str = ""
    """The recipe as the caller wrote it."""
    average: str = "micro"
    by_document: FloatArray | None = field(default=None, repr=False, compare=False)
    """The score of each of the documents that `Scores.documents` names, NaN where it is undefined;
    None unless `by_document` was given. All labels count together, as in the average macro-doc; of
    a recipe for one label, this label alone.
    """
    highest: float = 1.0
    """The upper end of the measure's range."""

    columns: ClassVar[tuple[str, ...]] = (
        "recipe", "value", "low", "high", "effective", "signature", "by_label", "counts",
        "left_out", "remarks",
    )  # fmt: skip

    @property
    def space(self) -> str:
        """The event space, with its parameters."""
        return self.block.removesuffix(f"@{self.average}")

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
    def effective(self) -> float | None:
        """How many independent items the documents are worth; None for means over labels, and for
        intervals that are made in another way.
        """
        return self.overall.effective

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to say about the intervals, also about those of labels.

        >>> Score("s", "r", "b", "m", Value(1.0), "", {"PER": Value(1.0, remarks=("so",))}).remarks
        ('PER: so',)
        """
        of_labels = [f"{name}: {text}" for name, v in self.by_label.items() for text in v.remarks]
        return (*self.overall.remarks, *of_labels)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        counts = {name: whole(count) for name, count in self.counts.items()}
        return Part.to_dict(self) | {"counts": counts}


@dataclass(frozen=True)
class File(WithLazyFields, Part):
    """A file that took part: where it is, what it holds, and how it was used."""

    name: str
    path: str
    sha256: Lazy[str] = Lazy()
    documents: int = 0
    mentions: int = 0
    coverage: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    templates: int = 0
    fillers: int = 0

    columns: ClassVar[tuple[str, ...]] = ("name", "path", "sha256")


@dataclass(frozen=True, slots=True)
class SetAside(Part):
    """A submission that cannot be scored, and why: the first problems, and how many there are.

    >>> print(SetAside("a", "a.conll", ("a.conll: K002 found an empty file",), 3))
    a: a.conll: K002 found an empty file (and 2 more)
    """

    name: str
    path: str
    problems: tuple[str, ...]
    total: int

    def __str__(self) -> str:
        more = f" (and {self.total - 1:,} more)" if self.total > 1 else ""
        return f"{plain(self.name)}: {plain(self.problems[0])}{more}"


def files_to_dict(
    gold: File, systems: tuple[File, ...], set_aside: tuple[SetAside, ...] = ()
) -> dict[str, Any]:
    """The files of a result, as in JSON.

    >>> files_to_dict(File("gold", "g", "12", 1, 1), ())
    {'gold': {'path': 'g', 'sha256': '12'}, 'systems': []}
    """
    return {
        "gold": {"path": gold.path, "sha256": gold.sha256},
        "systems": [each.to_dict() for each in systems],
        **set_aside_to_dict(set_aside),
    }


def set_aside_to_dict(set_aside: tuple[SetAside, ...]) -> dict[str, Any]:
    """The systems that were set aside, as in JSON; nothing if there are none."""
    return {"set_aside": [each.to_dict() for each in set_aside]} if set_aside else {}


@dataclass(frozen=True, repr=False)
class Scores(Result):
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
    gate: Gate | None = None
    """Whether the scores reach their floors; None if no floor was set."""
    set_aside: tuple[SetAside, ...] = ()
    """The systems that were left out because of what is wrong with their files."""
    documents: tuple[str, ...] = ()
    """The ids of the documents that `Score.by_document` is about, or their numbers; JSON has
    neither.
    """

    audit: SelfAudit | None = None
    """Checks of the evaluation itself; None if they were not asked for."""

    def with_floors(self, limits: str | float | Sequence[str | float], by: str = "value") -> Scores:
        """The same scores, checked against floors: see `carob.result.gate.floors`."""
        from carob.result.gate import floors  # few scores have floors

        return replace(self, gate=floors(self, limits, by))

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, key: Any) -> Score:
        """The score of a recipe, or of (system, recipe). A recipe is an object, or text as it
        prints itself or as the caller wrote it.

        >>> from carob import Corpus, score
        >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), ["conll", "exact.P"])
        >>> scores["conll"].value, scores["exact.F1"].value, scores["system", "exact.P"].value
        (1.0, 1.0, 1.0)
        """
        system, recipe = key if isinstance(key, tuple) else (None, key)
        fits = [
            score for score in self.scores
            if str(recipe) in (score.recipe, score.written) and system in (None, score.system)
        ]  # fmt: skip
        if len(fits) != 1:
            recipes = ", ".join(dict.fromkeys(score.recipe for score in self.scores))
            raise KeyError(f"{len(fits)} scores fit {key!r}; recipes here: {recipes}")
        return fits[0]

    @property
    def value(self) -> float | None:
        """The number, where there is just one score."""
        if len(self.scores) != 1:
            raise UsageError(f"there are {len(self.scores)} scores; choose one by its recipe")
        return self.scores[0].value

    @property
    def signature(self) -> str:
        """One line for all scores. Where systems differ, it has their values in their order.

        >>> from carob import Corpus, score
        >>> gold = Corpus.of("[Ann]PER")
        >>> score(gold, {"a": gold, "b": gold}, "exact.PRF").signature.split("|")[1]
        'recipe:exact.PRF@micro'
        """
        columns: dict[str, list[str]] = {}
        for system in self.systems:
            own = [signature.fields(s.signature) for s in self.scores if s.system == system.name]
            recipes = signature.grouped([each["recipe"] for each in own])
            line = own[0] | {"recipe": "+".join(recipes)}
            if len(self.systems) > 1:
                line["system"] += f" ({plain(system.name)})"
            for key, value in line.items():
                columns.setdefault(key, []).append(value)
        return signature.compose({
            key: values[0] if len(set(values)) == 1 and key != "system" else ", ".join(values)
            for key, values in columns.items()
        })  # fmt: skip

    @property
    def recipes(self) -> list[str]:
        """The recipes of all scores."""
        return [score.recipe for score in self.scores]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as in JSON (see docs/output.md)."""
        gold = {
            "path": self.gold.path,
            "sha256": self.gold.sha256,
            "documents": self.gold.documents,
            "mentions": self.gold.mentions,
        }
        if self.gold.templates:
            gold |= {"templates": self.gold.templates, "fillers": self.gold.fillers}
        return with_checksum({
            "carob": self.version,
            "remarks": list(self.remarks),
            **({} if self.task is None else {"task": dict(self.task)}),
            **({} if self.gate is None else {"gate": self.gate.to_dict()}),
            **({} if self.audit is None else {"audit": self.audit.to_dict()}),
            "gold": gold,
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
            **set_aside_to_dict(self.set_aside),
        })  # fmt: skip

    def rows(self) -> Rows:
        """Long form: a row for each system, recipe and label, and one without a label for all.

        >>> from carob import Corpus, score
        >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
        >>> [row["label"] for row in scores.rows()]
        [None, 'PER']
        """
        rows = []
        for score in self.scores:
            for label, value in ((None, score.overall), *score.by_label.items()):
                row = {"system": score.system, "recipe": score.recipe, "label": label}
                rows.append(row | value.to_dict())
        return rows

"""Report: everything that `carob report` shows about some systems, as one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from carob.corpus.problems import UsageError
from carob.result.comparison import Comparison, Difference, Rank, ordered
from carob.result.documents import DocumentErrors
from carob.result.errors import Changes, Errors
from carob.result.result import Part, Result, Rows, json_data
from carob.result.robustness import Robustness
from carob.result.scores import File, Scores


@dataclass(frozen=True, slots=True)
class Definition(Part):
    """What a part of a recipe means: its stage (`match`, `measure` or `average`), its name, and
    the text that describes it, paragraph by paragraph, with its source. In a text, code stands
    between backticks, and the lines of a list begin with a dash.
    """

    stage: str
    name: str
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairing(Part):
    """What b fixed and broke against a. The scores of both by document are with the scores."""

    a: str
    b: str
    changes: Changes

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "a": self.a, "b": self.b, "fixed": dict(self.changes.fixed),
            "broken": dict(self.changes.broken),
        }  # fmt: skip


@dataclass(frozen=True, repr=False)
class Report(Result):
    """Scores, comparison, errors and robustness of the same systems. `save` writes it as one page.

    `comparison` and `robustness` are None for one system. `pairings` has the two systems, or each
    system against the baseline. `command` is the command line that repeats the report.

    >>> from carob import Corpus
    >>> from carob.evaluate.report import report
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    >>> made = report(gold, {"a": gold, "b": Corpus.of("Ann slept", "[Bo]PER woke")})
    >>> made.scores["b", "exact.R"].value, made.errors["b"].counts["FN"]
    (0.5, 1)
    """

    scores: Scores
    errors: Mapping[str, Errors]
    """By system."""
    comparison: Comparison | None = None
    robustness: Robustness | None = None
    pairings: tuple[Pairing, ...] = ()
    definitions: tuple[Definition, ...] = ()
    remarks: tuple[str, ...] = ()
    """What holds for the whole report; those of its parts are with them."""
    command: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """How much the error browser may hold."""
    documents: Callable[[], Iterable[DocumentErrors]] | None = field(default=None, compare=False)
    """Reads all documents with their errors, for the error browser of the page."""

    @property
    def gold(self) -> File:
        """The file of gold."""
        return self.scores.gold

    @property
    def systems(self) -> tuple[File, ...]:
        """The files of the systems."""
        return self.scores.systems

    @property
    def headline(self) -> list[str]:
        """The recipes by which systems are compared; for one system, those by which it would be:
        without P and R, unless there is nothing else.
        """
        if self.comparison is not None:
            return list(dict.fromkeys(each.recipe for each in self.comparison.ranks))
        whole = [each.recipe for each in self.scores if each.measure not in ("P", "R")]
        return list(dict.fromkeys(whole or self.scores.recipes))

    @property
    def order(self) -> list[str]:
        """The names of the systems, the best by the first recipe first."""
        if self.comparison is None:
            return [each.name for each in self.systems]
        first = self.headline[0]
        ranks = [each for each in self.comparison.ranks if each.recipe == first]
        return [each.system for each in ordered(ranks)]

    def rank(self, system: str, recipe: str) -> Rank | None:
        """The rank range of a system under a recipe; None if systems are not compared by it."""
        ranks = self.comparison.ranks if self.comparison is not None else ()
        here = (r for r in ranks if (r.system, r.recipe, r.label) == (system, recipe, None))
        return next(here, None)

    def differences(self, a: str, b: str) -> list[Difference]:
        """Every difference of b minus a."""
        every = self.comparison.differences if self.comparison is not None else ()
        turned = (each if each.a == a else each.turned() for each in every
                  if {each.a, each.b} == {a, b})  # fmt: skip
        return [each for each in turned if each.label is None]

    @property
    def recipes(self) -> list[str]:
        """The recipes of all scores."""
        return self.scores.recipes

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signatures of all parts."""
        parts = [self.scores, self.comparison, *self.errors.values(), self.robustness]
        lines = [line for part in parts if part is not None for line in part.signature_lines]
        return tuple(dict.fromkeys(lines))

    def to_html(self) -> str:
        """The report as one self-contained page; needs the extra `report`."""
        return self.to("html")

    def save(self, path: Any) -> None:
        """Write the page to a file."""
        text = self.to_html()
        try:
            Path(path).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror or error}") from None

    def to_dict(self) -> dict[str, Any]:
        """The parts, each as in its own JSON (see docs/output.md)."""
        return {
            "scores": self.scores.to_dict(),
            "comparison": json_data(self.comparison),
            "errors": {name: each.to_dict() for name, each in self.errors.items()},
            "pairings": json_data(self.pairings),
            "robustness": json_data(self.robustness),
            "remarks": list(self.remarks),
        }

    def rows(self) -> Rows:
        """The rows of the scores."""
        return self.scores.rows()

"""Evaluator: the four modes over all documents at once, and their reports."""

from __future__ import annotations

import csv
import io
from functools import cached_property
from pathlib import Path
from typing import Any

from carob.compat.nervaluate._mentions import GivenMentions
from carob.compat.nervaluate.entities import Entity, EvaluationIndices, EvaluationResult
from carob.compat.nervaluate.loaders import ConllLoader, DataLoader, DictLoader, ListLoader
from carob.compat.nervaluate.strategies import (
    EntityTypeEvaluation,
    EvaluationStrategy,
    ExactEvaluation,
    Pairs,
    PartialEvaluation,
    StrictEvaluation,
)

COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
SCORES = ("precision", "recall", "f1")
SCENARIOS = ("ent_type", "exact", "partial", "strict")
COLORS = {
    "reset": "\033[0m", "bold": "\033[1m", "red": "\033[91m", "green": "\033[92m",
    "yellow": "\033[93m", "blue": "\033[94m", "magenta": "\033[95m", "cyan": "\033[96m",
    "white": "\033[97m",
}  # fmt: skip
COLOR_OF = {"correct": "green", "incorrect": "red", "partial": "yellow", "missed": "magenta",
            "spurious": "blue"}  # fmt: skip


class Evaluator:
    """Compare answers with gold in the four modes of SemEval 2013, as nervaluate does.

    `true` and `pred` are lists of tags, lists of dicts, or texts in two columns; `loader` names
    which (`list`, `dict`, `conll`). Only mentions whose label is in `tags` count.

    >>> gold = [[{"label": "PER", "start": 0, "end": 1}]]
    >>> answer = [[{"label": "PER", "start": 0, "end": 0}]]
    >>> print(Evaluator(gold, answer, ["PER"], "dict").summary_report(mode="entities"))
    Scenario: strict
    <BLANKLINE>
              correct   incorrect     partial      missed    spurious   precision ...
    <BLANKLINE>
       PER          0           1           0           0           0        0.00 ...
    <BLANKLINE>
    """

    def __init__(
        self,
        true: Any,
        pred: Any,
        tags: list[str],
        loader: str = "default",
        min_overlap_percentage: float = 1.0,
    ) -> None:
        self.tags = tags
        self.min_overlap_percentage = min_overlap_percentage
        self.loaders: dict[str, DataLoader] = {
            "conll": ConllLoader(), "list": ListLoader(), "dict": DictLoader(),
        }  # fmt: skip
        reader = self._loader(true, pred, loader)
        if isinstance(reader, ListLoader):
            _require_same_lengths(true, pred)
        self._true, self._pred = reader.columns(true), reader.columns(pred)
        if self._true.documents != self._pred.documents:
            raise ValueError("Number of predicted documents does not equal true")
        self.strategies: dict[str, EvaluationStrategy] = {
            "strict": StrictEvaluation(min_overlap_percentage),
            "partial": PartialEvaluation(min_overlap_percentage),
            "ent_type": EntityTypeEvaluation(min_overlap_percentage),
            "exact": ExactEvaluation(min_overlap_percentage),
        }

    def _loader(self, true: Any, pred: Any, name: str) -> DataLoader:
        if name == "default":
            if isinstance(true, str):
                name = "conll"
            elif isinstance(true, list) and true and isinstance(true[0], list):
                documents = [*true, *pred] if isinstance(pred, list) else true
                first = next((each[0] for each in documents if isinstance(each, list) and each), "")
                name = "dict" if isinstance(first, dict) else "list"
            else:
                raise ValueError("Could not infer loader from input type")
        if name not in self.loaders:
            raise ValueError(f"Unknown loader: {name}")
        return self.loaders[name]

    @cached_property
    def true(self) -> list[list[Entity]]:
        """The mentions of gold, document by document."""
        return self._true.entities()

    @cached_property
    def pred(self) -> list[list[Entity]]:
        """The answers, document by document."""
        return self._pred.entities()

    def evaluate(self) -> dict[str, Any]:
        """Counts, scores and the mentions behind them: of all labels (`overall`) and of each label
        that occurs (`entities`).
        """
        used = sorted((self._true.used_labels() | self._pred.used_labels()) & {*self.tags})
        true, pred = (side.only(used).table for side in (self._true, self._pred))
        pairs = Pairs.of(true, pred, self.min_overlap_percentage)
        own_label = pairs.of_one_label()
        results: dict[str, dict[str, Any]] = {
            "overall": {}, "entities": {tag: {} for tag in used},
            "overall_indices": {}, "entity_indices": {tag: {} for tag in used},
        }  # fmt: skip
        if not self._true.documents:
            return results
        for name, strategy in self.strategies.items():
            matched = strategy.matched(pairs, len(true), len(pred))
            results["overall"][name], results["overall_indices"][name] = strategy.counted(
                matched, true, pred
            )
            matched = strategy.matched(own_label, len(true), len(pred))
            every = strategy.counted_by_label(matched, true, pred, len(used))
            for tag, counted in zip(used, every, strict=True):
                results["entities"][tag][name], results["entity_indices"][tag][name] = counted
        return results

    def results_to_csv(
        self, mode: str = "overall", scenario: str = "strict", file_path: str | None = None
    ) -> str | None:
        """The counts and scores of all modes, or of each label in one mode, as CSV: a text, or
        nothing if a file is written.
        """
        _check_choices(mode, scenario)
        first = "Strategy" if mode == "overall" else "Entity"
        head = [first, *map(str.capitalize, (*COUNTS, *SCORES[:2])), "F1-Score"]
        names = self.strategies if mode == "overall" else None
        out = io.StringIO()
        rows = [
            [name, *(getattr(row, each) for each in (*COUNTS, *SCORES))]
            for name, row in self._rows(mode, scenario, names).items()
        ]
        csv.writer(out).writerows([head, *rows])
        if file_path is None or not file_path:
            return out.getvalue()
        Path(file_path).write_text(out.getvalue(), encoding="utf-8", newline="")
        return None

    def summary_report(
        self, mode: str = "overall", scenario: str = "strict", digits: int = 2
    ) -> str:
        """The same as a table of text."""
        _check_choices(mode, scenario)
        rows = self._rows(mode, scenario, SCENARIOS)
        heads = (*COUNTS, "precision", "recall", "f1-score")
        # nervaluate takes the width of the first head for that of a name.
        width = max(*map(len, ("correct", *rows)), digits)
        lines = [f"{'':>{width}s} " + "".join(f" {head:>11}" for head in heads), ""]
        for name, row in rows.items():
            counts = "".join(f" {getattr(row, each):>11}" for each in COUNTS)
            scores = "".join(f" {getattr(row, each):>11.{digits}f}" for each in SCORES)
            lines.append(f"{name:>{width}s} {counts}{scores}")
        title = scenario if mode == "entities" else "all"
        return f"Scenario: {title}\n\n" + "\n".join(lines) + "\n"

    def _rows(self, mode: str, scenario: str, names: Any) -> dict[str, EvaluationResult]:
        results = self.evaluate()
        if mode == "overall":
            overall = results["overall"]
            return {name: overall[name] for name in names if name in overall}
        return {tag: modes[scenario] for tag, modes in results["entities"].items()}

    def summary_report_indices(
        self, mode: str = "overall", scenario: str = "strict", colors: bool = False
    ) -> str:
        """The mentions behind the counts of a mode: answers, and those of gold that were missed."""
        _check_choices("entities", scenario)
        _check_choices(mode, scenario)
        results = self.evaluate()

        def paint(text: str, color: str) -> str:
            return f"{COLORS[color]}{text}{COLORS['reset']}" if colors else text

        if mode == "overall":
            title = f"{paint('Indices for error schema', 'bold')} '{paint(scenario, 'cyan')}':\n\n"
            parts = [(f"\n{title}", self.tags, results["overall_indices"])]
        else:
            schema = f"{paint('Error Schema', 'bold')}: '{paint(scenario, 'cyan')}'\n\n"
            parts = [
                (f"\n{paint('Entity Type', 'bold')}: {paint(tag, 'cyan')}\n{schema}", [tag], own)
                for tag, own in results["entity_indices"].items()
            ]
        head = paint(f"{'Category':<20} {'Instance':<10} {'Entity':<8} {'Details':<25}", "bold")
        rule = paint("-" * 78, "white")
        report = ""
        for title, tags, indices in parts:
            report += f"{title}{head}\n{rule}\n"
            found = indices.get(scenario, EvaluationIndices())
            sides = [self._listed(side, tags) for side in (self._true, self._pred)]
            for name in COUNTS:
                category = paint(name.capitalize(), COLOR_OF[name])
                mentions = sides[0 if name == "missed" else 1]
                places = getattr(found, f"{name}_indices")
                for doc, place in places or [("-", "-")]:
                    details = _details(mentions[doc][place]) if places else "None"
                    report += f"{category:<20} {doc!s:<10} {place!s:<8} {details:<10}\n"
        return report

    @staticmethod
    def _listed(side: GivenMentions, tags: list[str]) -> list[list[Entity]]:
        return side.only(dict.fromkeys(tags)).entities()


def _details(mention: Entity) -> str:
    return f"Label={mention.label}, Start={mention.start}, End={mention.end}"


def _require_same_lengths(true: Any, pred: Any) -> None:
    if len(true) != len(pred):
        raise ValueError("Number of predicted documents does not equal true")
    if list(map(len, true)) == list(map(len, pred)):
        return
    for i, (ours, theirs) in enumerate(zip(true, pred, strict=True)):
        if len(ours) != len(theirs):
            raise ValueError(
                f"Document {i} has different lengths: true={len(ours)}, pred={len(theirs)}"
            )


def _check_choices(mode: str, scenario: str) -> None:
    if mode not in ("overall", "entities"):
        raise ValueError("Invalid mode: must be one of overall, entities")
    if mode == "entities" and scenario not in SCENARIOS:
        raise ValueError(f"Invalid scenario: must be one of {', '.join(SCENARIOS)}")

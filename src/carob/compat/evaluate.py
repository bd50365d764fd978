"""The metric `seqeval` of Hugging Face's evaluate, which is not imported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from carob.compat.seqeval.metrics import accuracy_score, classification_report
from carob.corpus.problems import UsageError, shown


@dataclass
class Seqeval:
    """`compute` gives precision, recall, F1 and number of each label, and overall scores.

    >>> metric = load("seqeval")
    >>> result = metric.compute(predictions=[["B-PER", "O"]], references=[["B-PER", "O"]])
    >>> float(result["overall_f1"]), int(result["PER"]["number"])
    (1.0, 1)
    """

    predictions: list[list[str]] = field(default_factory=list)
    references: list[list[str]] = field(default_factory=list)

    def add(self, *, prediction: list[str], reference: list[str]) -> None:
        """Keep one sentence for `compute`."""
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Any, references: Any) -> None:
        """Keep some sentences for `compute`."""
        system = _sentences("predictions", predictions)
        self.references += _sentences("references", references)
        self.predictions += system

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Any
    ) -> dict[str, Any]:
        """The scores of these sentences and those that were added, which are then gone. `options`
        are those of `classification_report`; a scheme may be its name.
        """
        if (predictions is None) != (references is None):
            raise UsageError("give both predictions and references, or none of them")
        if predictions is not None:
            self.add_batch(predictions=predictions, references=references)
        system, gold = self.predictions, self.references
        self.predictions, self.references = [], []
        report: Any = classification_report(gold, system, output_dict=True, **options)
        del report["macro avg"], report["weighted avg"]
        overall = report.pop("micro avg")
        scores: dict[str, Any] = {
            label: {
                "precision": row["precision"],
                "recall": row["recall"],
                "f1": row["f1-score"],
                "number": row["support"],
            }
            for label, row in report.items()
        }
        return scores | {
            "overall_precision": overall["precision"],
            "overall_recall": overall["recall"],
            "overall_f1": overall["f1-score"],
            "overall_accuracy": accuracy_score(gold, system),
        }


def _sentences(side: str, tags: Any) -> list[list[str]]:
    """Lists of tags; one list of tags is refused, because a text is a list of letters."""
    sentences = list(tags)
    for row, each in enumerate(sentences):
        if isinstance(each, str):
            raise UsageError(
                f"{side}: found {shown(each)} in the place of sentence {row + 1}, expected a list "
                "of sentences: [tags] for the tags of one"
            )
    return list(map(list, sentences))


def load(name: str) -> Seqeval:
    """The metric of this name, as `evaluate.load` gives it; there is one.

    >>> load("seqeval")
    Seqeval(predictions=[], references=[])
    """
    if name != "seqeval":
        raise UsageError(f"no metric is called {name!r}; there is: seqeval")
    return Seqeval()

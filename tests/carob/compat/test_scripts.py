"""Scripts as users of other tools have them run unchanged but for an import."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

seqeval: Any = pytest.importorskip("seqeval.metrics")

# As in the examples for token classification that come with transformers.
TRAINER = """
import evaluate
import numpy as np

label_list = ["O", "B-PER", "I-PER", "B-LOC"]
metric = evaluate.load("seqeval")

def compute_metrics(p):
    predictions, labels = p
    predictions = np.argmax(predictions, axis=2)
    true_predictions = [
        [label_list[p] for (p, l) in zip(prediction, label) if l != -100]
        for prediction, label in zip(predictions, labels)
    ]
    true_labels = [
        [label_list[l] for (p, l) in zip(prediction, label) if l != -100]
        for prediction, label in zip(predictions, labels)
    ]
    results = metric.compute(predictions=true_predictions, references=true_labels)
    return {
        "precision": results["overall_precision"],
        "recall": results["overall_recall"],
        "f1": results["overall_f1"],
        "accuracy": results["overall_accuracy"],
    }
"""
GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-LOC", "O"]]
SYSTEM = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-PER", "O"]]
LABELS = ["O", "B-PER", "I-PER", "B-LOC"]


class Prediction:
    """What transformers calls EvalPrediction: two arrays, which can be unpacked."""

    def __init__(self, predictions: Any, label_ids: Any) -> None:
        self.predictions, self.label_ids = predictions, label_ids

    def __iter__(self) -> Any:
        return iter((self.predictions, self.label_ids))

    def __getitem__(self, place: int) -> Any:
        return (self.predictions, self.label_ids)[place]


def evaluation() -> Prediction:
    """Logits and padded labels, in transformers' own class where it is installed."""
    numbers = [[[LABELS.index(tag) for tag in tags] + [filler] * (4 - len(tags)) for tags in side]
               for side, filler in ((SYSTEM, 0), (GOLD, -100))]  # fmt: skip
    logits, labels = np.eye(len(LABELS))[np.array(numbers[0])], np.array(numbers[1])
    try:
        from transformers import EvalPrediction
    except ImportError:
        return Prediction(logits, labels)
    made: Prediction = EvalPrediction(predictions=logits, label_ids=labels)
    return made


def test_compute_metrics_of_the_trainer() -> None:
    names: dict[str, Any] = {}
    exec(TRAINER.replace("import evaluate", "from carob.compat import evaluate"), names)
    found = names["compute_metrics"](evaluation())
    assert {
        "precision": seqeval.precision_score(GOLD, SYSTEM),
        "recall": seqeval.recall_score(GOLD, SYSTEM),
        "f1": seqeval.f1_score(GOLD, SYSTEM),
        "accuracy": seqeval.accuracy_score(GOLD, SYSTEM),
    } == found
    from carob.compat.transformers import compute_metrics

    ours = compute_metrics(dict(enumerate(LABELS)))(evaluation())
    assert all(math.isclose(ours[name], found[name]) for name in ("precision", "recall", "f1"))


SCRIPT = """
from seqeval.metrics import classification_report, f1_score, precision_score, recall_score
from seqeval.scheme import IOBES, BILOU
y_true = [["B-X", "E-X", "O", "S-Y"], ["O", "B-X", "I-X", "E-X"]]
y_pred = [["B-X", "E-X", "O", "O"], ["S-X", "B-X", "E-X", "O"]]
for average in ("micro", "macro", "weighted", None):
    print(precision_score(y_true, y_pred, average=average, zero_division=0))
    print(recall_score(y_true, y_pred, average=average), f1_score(y_true, y_pred, average=average))
print(classification_report(y_true, y_pred, mode="strict", scheme=IOBES, digits=4))
print(classification_report(y_true, y_pred, zero_division=1, output_dict=True))
"""


def test_a_script_for_seqeval(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(SCRIPT, {})
    theirs = capsys.readouterr().out
    script = SCRIPT.replace("from seqeval", "from carob.compat.seqeval")
    ours = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert theirs == ours and "weighted avg" in ours

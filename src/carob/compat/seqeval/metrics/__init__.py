"""The functions of seqeval.metrics."""

from carob.compat.seqeval.metrics.sequence_labeling import (
    accuracy_score,
    classification_report,
    f1_score,
    get_entities,
    performance_measure,
    precision_score,
    recall_score,
)

__all__ = [
    "accuracy_score", "classification_report", "f1_score", "get_entities", "performance_measure",
    "precision_score", "recall_score",
]  # fmt: skip

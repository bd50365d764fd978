"""seqeval's interface (version 1.2.2): the same functions, schemes, results and warnings.

>>> from carob.compat import seqeval
>>> float(seqeval.metrics.f1_score([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]]))
1.0
"""

from carob.compat.seqeval import metrics, scheme
from carob.compat.seqeval.metrics import (
    accuracy_score,
    classification_report,
    f1_score,
    get_entities,
    performance_measure,
    precision_score,
    recall_score,
)

__all__ = [
    "accuracy_score", "classification_report", "f1_score", "get_entities", "metrics",
    "performance_measure", "precision_score", "recall_score", "scheme",
]  # fmt: skip

"""nervaluate's interface (version 1.2.1): the same evaluator, loaders, results and reports.

>>> from carob.compat.nervaluate import Evaluator
>>> true, pred = [["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]]
>>> results = Evaluator(true, pred, tags=["PER"], loader="list").evaluate()
>>> results["overall"]["partial"].f1, results["overall"]["strict"].f1
(0.5, 0)
"""

from carob.compat.nervaluate.evaluator import Evaluator
from carob.compat.nervaluate.utils import (
    collect_named_entities,
    conll_to_spans,
    list_to_spans,
    split_list,
)

__all__ = [
    "Evaluator", "collect_named_entities", "conll_to_spans", "list_to_spans", "split_list",
]  # fmt: skip

"""carob measures how good an information-extraction system is, against a gold standard."""

from __future__ import annotations

from carob._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from typing import Any

    from carob.corpus.corpus import Corpus
    from carob.corpus.document import Document, Filler, Group, Mention, Template
    from carob.corpus.problems import (
        CarobError,
        DataError,
        InputError,
        Problem,
        RecipeError,
        UsageError,
    )
    from carob.counts.quantities import Quantities
    from carob.counts.tally import Tally
    from carob.evaluate.by_confidence import by_confidence
    from carob.evaluate.check import Findings, check
    from carob.evaluate.compare import compare
    from carob.evaluate.convert import Converted, convert
    from carob.evaluate.diff import diff
    from carob.evaluate.errors import errors
    from carob.evaluate.explain import explain
    from carob.evaluate.like import like
    from carob.evaluate.options import Options
    from carob.evaluate.power import power
    from carob.evaluate.rank import rank
    from carob.evaluate.read import read, write
    from carob.evaluate.records import score_records
    from carob.evaluate.report import report
    from carob.evaluate.robust import robust
    from carob.evaluate.score import score
    from carob.evaluate.task import Task
    from carob.evaluate.verify import Verification, verify
    from carob.pair.pair import Pair
    from carob.recipe import Recipe
    from carob.result.acceptance import Acceptance
    from carob.result.changes import Changes
    from carob.result.comparison import Comparison, Difference, Rank
    from carob.result.errors import Errors
    from carob.result.explanation import Explanation
    from carob.result.interval import Interval
    from carob.result.power import Power
    from carob.result.ranking import Ranking
    from carob.result.report import Report
    from carob.result.robustness import Robustness
    from carob.result.scores import Score, Scores
    from carob.result.self_audit import AuditCheck, SelfAudit

__all__ = [
    "Acceptance", "AuditCheck", "CarobError", "Changes", "Comparison", "Converted", "Corpus",
    "DataError", "Difference", "Document", "Errors", "Explanation", "Filler", "Findings", "Group",
    "InputError", "Interval", "Mention", "Options", "Pair", "Power", "Problem", "Quantities",
    "Rank", "Ranking", "Recipe", "RecipeError", "Report", "Robustness", "Score", "Scores",
    "SelfAudit", "Tally", "Task", "Template", "UsageError", "Verification", "__version__",
    "by_confidence", "check", "compare", "convert", "diff", "errors", "explain", "like", "power",
    "rank", "read", "report", "robust", "score", "score_records", "verify", "write",
]  # fmt: skip

_NAMES = {
    "corpus.corpus": "Corpus",
    "corpus.document": "Document Filler Group Mention Template",
    "corpus.problems": "CarobError DataError InputError Problem RecipeError UsageError",
    "counts.quantities": "Quantities",
    "counts.tally": "Tally",
    "evaluate.by_confidence": "by_confidence",
    "evaluate.check": "Findings check",
    "evaluate.compare": "compare",
    "evaluate.convert": "Converted convert",
    "evaluate.diff": "diff",
    "evaluate.errors": "errors",
    "evaluate.explain": "explain",
    "evaluate.like": "like",
    "evaluate.options": "Options",
    "evaluate.power": "power",
    "evaluate.rank": "rank",
    "evaluate.read": "read write",
    "evaluate.report": "report",
    "evaluate.robust": "robust",
    "evaluate.records": "score_records",
    "evaluate.score": "score",
    "evaluate.task": "Task",
    "evaluate.verify": "Verification verify",
    "pair.pair": "Pair",
    "recipe": "Recipe",
    "result.acceptance": "Acceptance",
    "result.changes": "Changes",
    "result.comparison": "Comparison Difference Rank",
    "result.errors": "Errors",
    "result.explanation": "Explanation",
    "result.interval": "Interval",
    "result.power": "Power",
    "result.ranking": "Ranking",
    "result.report": "Report",
    "result.robustness": "Robustness",
    "result.scores": "Score Scores",
    "result.self_audit": "AuditCheck SelfAudit",
}
"""The public names of each module, for programs that run; type checkers read the imports above."""

_MODULE = {name: module for module, names in _NAMES.items() for name in names.split()}

_MOVED = {
    "carob_lab": "Audit Plan Trained audit check_plan generate load_model make_plan predict "
    "run_experiment train"
}
"""Names that were here until version 0.2, by the package that has them now."""


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: `carob --help` needs none of them."""
    if name not in _MODULE:
        for package, names in _MOVED.items():
            if name in names.split():
                raise AttributeError(f"carob.{name} is now {package}.{name}")
        raise AttributeError(f"module 'carob' has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"carob.{_MODULE[name]}"), name)
    return found


def __dir__() -> list[str]:
    return __all__

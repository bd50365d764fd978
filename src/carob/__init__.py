"""carob measures how good an information-extraction system is, against a gold standard."""

from __future__ import annotations

from carob._version import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from typing import Any

    from carob.corpus.corpus import Corpus as Corpus
    from carob.corpus.document import Document as Document
    from carob.corpus.document import Filler as Filler
    from carob.corpus.document import Group as Group
    from carob.corpus.document import Mention as Mention
    from carob.corpus.document import Template as Template
    from carob.corpus.problems import CarobError as CarobError
    from carob.corpus.problems import InputError as InputError
    from carob.corpus.problems import Problem as Problem
    from carob.corpus.problems import RecipeError as RecipeError
    from carob.corpus.problems import UsageError as UsageError
    from carob.counts.quantities import Quantities as Quantities
    from carob.counts.tally import Tally as Tally
    from carob.evaluate.check import Findings as Findings
    from carob.evaluate.check import check as check
    from carob.evaluate.compare import compare as compare
    from carob.evaluate.convert import Converted as Converted
    from carob.evaluate.convert import convert as convert
    from carob.evaluate.errors import errors as errors
    from carob.evaluate.options import Options as Options
    from carob.evaluate.power import power as power
    from carob.evaluate.read import read as read
    from carob.evaluate.read import write as write
    from carob.evaluate.robust import robust as robust
    from carob.evaluate.score import score as score
    from carob.evaluate.task import Task as Task
    from carob.evaluate.verify import Verification as Verification
    from carob.evaluate.verify import verify as verify
    from carob.pair.pair import Pair as Pair
    from carob.recipe import Recipe as Recipe
    from carob.result.comparison import Comparison as Comparison
    from carob.result.comparison import Difference as Difference
    from carob.result.comparison import Rank as Rank
    from carob.result.errors import Errors as Errors
    from carob.result.interval import Interval as Interval
    from carob.result.power import Power as Power
    from carob.result.robustness import Robustness as Robustness
    from carob.result.scores import Score as Score
    from carob.result.scores import Scores as Scores

_NAMES = {
    "corpus.corpus": "Corpus",
    "corpus.document": "Document Filler Group Mention Template",
    "corpus.problems": "CarobError InputError Problem RecipeError UsageError",
    "counts.quantities": "Quantities",
    "counts.tally": "Tally",
    "evaluate.check": "Findings check",
    "evaluate.compare": "compare",
    "evaluate.convert": "Converted convert",
    "evaluate.errors": "errors",
    "evaluate.options": "Options",
    "evaluate.power": "power",
    "evaluate.read": "read write",
    "evaluate.robust": "robust",
    "evaluate.score": "score",
    "evaluate.task": "Task",
    "evaluate.verify": "Verification verify",
    "pair.pair": "Pair",
    "recipe": "Recipe",
    "result.comparison": "Comparison Difference Rank",
    "result.errors": "Errors",
    "result.interval": "Interval",
    "result.power": "Power",
    "result.robustness": "Robustness",
    "result.scores": "Score Scores",
}
"""The public names of each module, for programs that run; type checkers read the imports above."""

_MODULE = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*sorted(_MODULE), "__version__"]


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: `carob --help` needs none of them."""
    if name not in _MODULE:
        raise AttributeError(f"module 'carob' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"carob.{_MODULE[name]}"), name)


def __dir__() -> list[str]:
    return __all__

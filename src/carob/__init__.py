"""carob measures how good an information-extraction system is, against a gold standard."""

from __future__ import annotations

from carob._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from typing import Any

    from carob.corpus.corpus import Corpus
    from carob.corpus.document import Document, Group, Mention
    from carob.corpus.problems import CarobError, InputError, RecipeError, UsageError
    from carob.corpus.template import Filler, Template
    from carob.counts.quantities import Quantities
    from carob.counts.tally import Tally
    from carob.evaluate.check import check
    from carob.evaluate.compare import compare
    from carob.evaluate.convert import Converted, convert
    from carob.evaluate.errors import errors
    from carob.evaluate.power import power
    from carob.evaluate.read import read, write
    from carob.evaluate.robust import robust
    from carob.evaluate.score import score
    from carob.evaluate.task import Task
    from carob.pair.pair import Pair
    from carob.recipe import Recipe, parse
    from carob.result.comparison import Comparison
    from carob.result.errors import Errors
    from carob.result.power import Power
    from carob.result.robustness import Robustness
    from carob.result.scores import Score, Scores

__all__ = [
    "CarobError",
    "Comparison",
    "Converted",
    "Corpus",
    "Document",
    "Errors",
    "Filler",
    "Group",
    "InputError",
    "Mention",
    "Pair",
    "Power",
    "Quantities",
    "Recipe",
    "RecipeError",
    "Robustness",
    "Score",
    "Scores",
    "Tally",
    "Task",
    "Template",
    "UsageError",
    "__version__",
    "check",
    "compare",
    "convert",
    "errors",
    "parse",
    "power",
    "read",
    "robust",
    "score",
    "write",
]  # fmt: skip

_HOME = {
    "corpus.corpus": ("Corpus",),
    "corpus.document": ("Document", "Group", "Mention"),
    "corpus.problems": ("CarobError", "InputError", "RecipeError", "UsageError"),
    "corpus.template": ("Filler", "Template"),
    "counts.quantities": ("Quantities",),
    "counts.tally": ("Tally",),
    "evaluate.check": ("check",),
    "evaluate.compare": ("compare",),
    "evaluate.convert": ("Converted", "convert"),
    "evaluate.errors": ("errors",),
    "result.errors": ("Errors",),
    "evaluate.power": ("power",),
    "evaluate.read": ("read", "write"),
    "evaluate.robust": ("robust",),
    "evaluate.score": ("score",),
    "evaluate.task": ("Task",),
    "pair.pair": ("Pair",),
    "recipe": ("Recipe", "parse"),
    "result.comparison": ("Comparison",),
    "result.power": ("Power",),
    "result.robustness": ("Robustness",),
    "result.scores": ("Score", "Scores"),
}
"""Where the public names live."""

_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for: `carob --help` needs none of it."""
    if name not in _MODULE:
        raise AttributeError(f"module 'carob' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"carob.{_MODULE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

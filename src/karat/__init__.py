"""karat measures how good an information-extraction system is, against a gold standard."""

from __future__ import annotations

from karat._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from typing import Any

    from karat.nouns.comparison import Comparison
    from karat.nouns.corpus import Corpus
    from karat.nouns.document import Document, Group, Mention
    from karat.nouns.errors import InputError, KaratError, RecipeError, UsageError
    from karat.nouns.pair import Pair
    from karat.nouns.power import Power
    from karat.nouns.quantities import Quantities
    from karat.nouns.robustness import Robustness
    from karat.nouns.scores import Score, Scores
    from karat.nouns.tally import Tally
    from karat.nouns.template import Filler, Template
    from karat.pipeline import score
    from karat.protocol.check import check
    from karat.protocol.compare import compare
    from karat.protocol.convert import Converted, convert
    from karat.protocol.errors import Errors, errors
    from karat.protocol.power import power
    from karat.protocol.robust import robust
    from karat.protocol.task import Task, task
    from karat.reading import read, write
    from karat.recipe import Recipe, parse

__all__ = [
    "Comparison", "Converted", "Corpus", "Document", "Errors", "Filler", "Group", "InputError",
    "KaratError", "Mention", "Pair", "Power", "Quantities", "Recipe", "RecipeError", "Robustness",
    "Score", "Scores", "Tally", "Task", "Template", "UsageError", "__version__", "check", "compare",
    "convert", "errors", "parse", "power", "read", "robust", "score", "task", "write",
]  # fmt: skip

_HOME = {
    "Comparison": "nouns.comparison", "compare": "protocol.compare",
    "Corpus": "nouns.corpus", "Document": "nouns.document", "Group": "nouns.document",
    "Mention": "nouns.document", "InputError": "nouns.errors", "KaratError": "nouns.errors",
    "RecipeError": "nouns.errors", "UsageError": "nouns.errors", "Pair": "nouns.pair",
    "Score": "nouns.scores", "Scores": "nouns.scores", "Quantities": "nouns.quantities",
    "Tally": "nouns.tally", "read": "reading", "score": "pipeline", "write": "reading",
    "Recipe": "recipe", "check": "protocol.check", "parse": "recipe",
    "Errors": "protocol.errors", "errors": "protocol.errors", "Converted": "protocol.convert",
    "convert": "protocol.convert", "Power": "nouns.power", "power": "protocol.power",
    "Filler": "nouns.template", "Template": "nouns.template",
    "Robustness": "nouns.robustness", "robust": "protocol.robust",
    "Task": "protocol.task", "task": "protocol.task",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for: `karat --help` needs none of it."""
    if name not in _HOME:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"karat.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

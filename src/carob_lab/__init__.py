"""The bench of carob: splits, experiments, learners, generated corpora, audits of tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from typing import Any

    from carob_lab.learn.train import Trained, load_model, predict, train
    from carob_lab.make.audit import audit
    from carob_lab.make.findings import Audit
    from carob_lab.make.generate import generate
    from carob_lab.plan.plan import Plan, check_plan, make_plan
    from carob_lab.run.results import run_experiment

__all__ = [
    "Audit", "Plan", "Trained", "audit", "check_plan", "generate", "load_model", "make_plan",
    "predict", "run_experiment", "train",
]  # fmt: skip

_NAMES = {
    "learn.train": "Trained load_model predict train",
    "make.audit": "audit",
    "make.findings": "Audit",
    "make.generate": "generate",
    "plan.plan": "Plan check_plan make_plan",
    "run.results": "run_experiment",
}
"""The public names of each module, for programs that run; type checkers read the imports above."""

_MODULE = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, as carob does: a command needs few of them."""
    if name not in _MODULE:
        raise AttributeError(f"module 'carob_lab' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"carob_lab.{_MODULE[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__

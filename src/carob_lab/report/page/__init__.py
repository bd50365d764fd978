"""The page of an experiment. Each part has a Python file and a template, as those of a report."""

from __future__ import annotations

from pathlib import Path

from carob.corpus.problems import many
from carob.report.html.page import parts_of, render
from carob.report.html.text import visible
from carob_lab.report.experiment import Experiment

PARTS = ("learners", "differences", "curves", "active", "cost", "failures", "conditions")
"""The parts of the page, in their order."""


def experiment_page(result: Experiment) -> str:
    """The experiment as HTML."""
    names = [visible(name, 40) for name in result.learners]
    few = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    path = str(result.corpus.get("path", "")).rstrip("/").rpartition("/")[2]
    documents = many(int(result.corpus.get("documents", 0)), "document")
    title = f"{few} on {visible(path, 60) or documents}"
    above = Path(__file__).parents[1]
    return render(title, parts_of(result, __name__, PARTS), result.version, folder=above)

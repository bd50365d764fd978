"""Charts: a result as a figure of Matplotlib. One file for each kind of chart.

The files are found by their names. Each has a function `draw`, and says in `DRAWS` of which results
it can make a chart. Matplotlib is imported when a chart is drawn, and only then.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from carob.corpus.problems import UsageError, nearest
from carob.report.charts._svg import svg
from carob.result.result import library

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure", "kinds", "svg"]

FIRST = {
    "Scores": "intervals", "Comparison": "intervals", "Ranking": "intervals", "Errors": "errors",
    "Robustness": "robustness", "Experiment": "curves", "Acceptance": "acceptance",
}  # fmt: skip
"""The kind of chart that a result has if none is named."""


def kinds() -> list[str]:
    """The names of all charts: the files of this folder.

    >>> "intervals" in kinds()
    True
    """
    files = os.listdir(os.path.dirname(__file__))  # noqa: PTH120, PTH208 (pathlib is slow to load)
    return sorted(name[:-3] for name in files if name.endswith(".py") and name[0] != "_")


def check_kind(kind: str) -> None:
    """Refuse a name that no chart has."""
    if kind not in kinds():
        raise UsageError(f"no chart is called {kind!r}{nearest(kind, kinds())}")


def check_look(width: float | str, font: str) -> None:
    """Refuse a width or a font that no chart can have."""
    style = _module("_style")
    style.inches(width)
    style.check_font(font)


def figure(result: Any, kind: str | None = None, **parameters: Any) -> Figure:
    """The chart of a result; `errors` and `gains` also take the errors of several systems.

    `parameters` are those of the `draw` of the kind. All have `width`: inches, or `column` or
    `page` of a paper; and `font`: `sans`, `serif`, or the name of an installed font.

    >>> from carob import Corpus, score
    >>> gold = Corpus.of("[Ann]PER slept", "[Bo]PER woke")
    >>> chart = figure(score(gold, {"a": gold, "b": gold}, "exact.F1"), "intervals")
    >>> [axes.get_title(loc="left") for axes in chart.axes]
    ['exact.F1']
    """
    one = result[0] if isinstance(result, Sequence) and result else result
    what = type(one).__name__
    if kind is None:
        if what not in FIRST:
            raise UsageError(f"there is no chart of {what}")
        kind = FIRST[what]
    check_kind(kind)
    module = _module(kind)
    if what not in module.DRAWS:
        fit = [each for each in kinds() if what in _module(each).DRAWS]
        hint = f"charts of {what}: {', '.join(fit)}" if fit else f"there is no chart of {what}"
        raise UsageError(f"{kind} is a chart of {' or '.join(module.DRAWS)}, not of {what}; {hint}")
    chart: Figure = module.draw(result, **parameters)
    return chart


def _module(kind: str) -> Any:
    library("matplotlib", "report")
    return import_module(f"carob.report.charts.{kind}")

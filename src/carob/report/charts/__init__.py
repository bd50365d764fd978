"""Charts: a result as a figure of Matplotlib. One file for each kind of chart.

The files of this folder are found by their names, modules of other packages as entry points of
`carob.charts`. Each has a function `draw`, and says in `DRAWS` of which results
it can make a chart. Matplotlib is imported when a chart is drawn, and only then.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from carob.corpus.problems import UsageError, nearest
from carob.entry_points import EntryPoint, entry_points
from carob.report.charts._svg import svg
from carob.result.result import library

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figure", "kinds", "svg"]

FIRST = {
    "Scores": "intervals", "Comparison": "intervals", "Ranking": "intervals", "Errors": "errors",
    "Robustness": "robustness", "Acceptance": "acceptance",
}  # fmt: skip
"""The kind of chart that a result has if none is named, and if it has no `charts` of its own."""


def kinds() -> list[str]:
    """The names of all charts.

    >>> "intervals" in kinds()
    True
    """
    return sorted(_kinds())


def _kinds() -> Mapping[str, EntryPoint | None]:
    files = os.listdir(os.path.dirname(__file__))  # noqa: PTH120, PTH208 (pathlib is slow to load)
    own = [name[:-3] for name in files if name.endswith(".py") and name[0] != "_"]
    brought = entry_points("carob.charts", {name: f"{__name__}.{name}" for name in own})
    return {**dict.fromkeys(own), **brought}


def check_kind(kind: str) -> None:
    """Refuse a name that no chart has."""
    if kind not in kinds():
        raise UsageError(f"no chart is called {kind!r}{nearest(kind, kinds())}")


def check_look(width: float | str, font: str) -> None:
    """Refuse a width or a font that no chart can have."""
    library("matplotlib", "report")
    style = import_module(f"{__name__}._style")
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
    own = getattr(one, "charts", ())
    if kind is None:
        kind = own[0] if own else FIRST.get(what)
        if kind is None:
            raise UsageError(f"there is no chart of {what}")
    module = chart(kind)
    if what not in module.DRAWS and kind not in own:
        fit = [each for each in kinds() if what in chart(each).DRAWS or each in own]
        hint = f"charts of {what}: {', '.join(fit)}" if fit else f"there is no chart of {what}"
        raise UsageError(f"{kind} is a chart of {' or '.join(module.DRAWS)}, not of {what}; {hint}")
    drawn: Figure = module.draw(result, **parameters)
    return drawn


def chart(kind: str) -> Any:
    """The module of a kind of chart."""
    check_kind(kind)
    library("matplotlib", "report")
    entry = _kinds()[kind]
    return import_module(f"{__name__}.{kind}") if entry is None else entry.load()

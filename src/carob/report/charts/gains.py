"""gains: by how much scores would change if all errors of one type were corrected."""

from __future__ import annotations

from collections.abc import Sequence

from carob.corpus.problems import UsageError, nearest
from carob.report.charts._panels import Dot, Panel, draw_panels, score_dot
from carob.report.charts._style import Chart, inches, printable, settings
from carob.report.errors import MEANING
from carob.result.errors import Errors

DRAWS = ("Errors",)

MOST = 12
"""More systems than this are not shown."""

WIDE = 5.0
"""From this width on, in inches, the names of types stand beside the bars of several panels."""


def draw(
    result: Errors | Sequence[Errors],
    *,
    recipes: Sequence[str] | None = None,
    percent: bool = False,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A bar for each type of error: what the score would gain if all of them were corrected.

    Of one system there is a panel for each recipe, by default all that were scored; of several
    systems a panel for each, with the first recipe. A score of which less is better has negative
    gains. The types with the largest gains come first. With `percent`, gains are in points, a
    hundredth each.

    >>> from carob import Corpus, errors
    >>> gold, system = Corpus.of("[Ann]PER [Rome]LOC"), Corpus.of("[Ann]LOC Rome")
    >>> chart = draw(errors(gold, system, recipes=["exact.R"]))
    >>> [float(bar.get_width()) for bar in chart.axes[0].containers[0]]
    [0.5, 0.5]
    """
    every = [result] if isinstance(result, Errors) else list(result)
    if every[0].of_records:
        raise UsageError("there are no gains for records: correcting an error may align them anew")
    known = every[0].recipes
    for recipe in recipes or ():
        if recipe not in known:
            raise UsageError(f"no gain here has the recipe {recipe!r}{nearest(recipe, known)}")
    chosen = list(recipes or known)
    kinds = [kind for kind in every[0].gains
             if any(each.counts.get(kind) for each in every)]  # fmt: skip
    kinds.sort(key=lambda kind: -sum(abs(each.gains[kind][chosen[0]] or 0.0) for each in every))
    if len(every) == 1:
        name = printable(every[0].name)
        notes = [f"{name}: what a score would gain if all errors of a type were corrected"]
        panels = [_panel(every[0], kinds, recipe, recipe, percent=percent) for recipe in chosen]
    else:
        notes = [f"what {chosen[0]} would gain if all errors of a type were corrected"]
        panels = [
            _panel(each, kinds, chosen[0], each.name, percent=percent) for each in every[:MOST]
        ]
        if len(every) > MOST:
            notes.append(f"{len(every) - MOST:,} more systems not shown")
    if not kinds:
        notes.append("there are no errors")
    names = [f"{kind} {MEANING.get(kind, '')}".strip() for kind in kinds]
    width = inches(width)
    if len(panels) > 1 and width < WIDE:
        notes.append(", ".join(names))
        names = kinds
    with settings(font):
        return draw_panels(names, panels, width, notes, one_scale=len(every) > 1, bars=True)


def _panel(
    errors: Errors, kinds: Sequence[str], recipe: str, title: str, *, percent: bool
) -> Panel:
    now = score_dot(errors.scores[recipe], percent=percent)
    gains = (errors.gains[kind][recipe] for kind in kinds)
    dots = [_signed(score_dot(gain, percent=percent)) for gain in gains]
    return Panel(title, dots, "" if now.value is None else f"now {now.text}")


def _signed(gain: Dot) -> Dot:
    """With a sign before the number, unless it is 0."""
    if gain.value is None:
        return gain
    digits = gain.text.removeprefix("-")
    sign = "" if float(digits) == 0 else "−" if gain.value < 0 else "+"
    return gain._replace(text=sign + digits)

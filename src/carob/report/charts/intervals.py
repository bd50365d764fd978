"""intervals: the scores of all systems under each recipe, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from carob.corpus.problems import UsageError, many, nearest
from carob.report.charts._panels import Dot, Panel, draw_panels, score_dot
from carob.report.charts._style import Chart, inches, settings
from carob.report.terminal import span
from carob.result.comparison import SORTS, Comparison
from carob.result.ranking import Ranking
from carob.result.result import Result
from carob.result.scores import Scores

DRAWS = ("Scores", "Comparison", "Ranking")

MOST = 40
"""More systems than this are not shown."""


class Entry(NamedTuple):
    """A score of a system, from whatever result."""

    system: str
    recipe: str
    dot: Dot
    lower_is_better: bool
    is_part: bool
    """Whether it explains an F1, as P and R do."""
    is_count: bool = False


def draw(
    result: Scores | Comparison | Ranking | Result,
    *,
    recipes: Sequence[str] | None = None,
    sort: str = "score",
    percent: bool = False,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A panel for each recipe, with a dot and an interval for each system; of one system, a row for
    each recipe.

    Of `recipes`, by default all but precision and recall are shown. The systems stand in the order
    of their scores under the first recipe, by `name`, or as `given`. With `percent`, scores are
    shown as 84.3 instead of 0.843. Beside the score of a comparison or ranking are the ranks that
    the system may have. A result of another package says what is shown: of an experiment, the
    learners, each with its mean over splits.

    >>> from carob import Corpus, score
    >>> gold, system = Corpus.of("[Ann]PER [Bo]PER"), Corpus.of("[Ann]PER Bo")
    >>> chart = draw(score(gold, {"a": system, "b": gold}, "exact.PRF"))
    >>> [tick.get_text() for tick in chart.axes[0].get_yticklabels()]
    ['b', 'a']
    """
    if sort not in SORTS:
        raise UsageError(f"systems are sorted by {', '.join(SORTS)}, not by {sort!r}")
    entries = _entries(result, percent=percent)
    names = list(dict.fromkeys(each.recipe for each in entries))
    for each in recipes or ():
        if each not in names:
            raise UsageError(f"no score here has the recipe {each!r}{nearest(each, names)}")
    if recipes is None:
        whole = dict.fromkeys(each.recipe for each in entries if not each.is_part)
        recipes = list(whole) or names
    cells = {(each.recipe, each.system): each for each in entries}
    systems = in_order([cells[recipes[0], name] for name in _systems(entries)], sort)
    notes: list[str] = []
    if len(systems) > MOST:
        notes = [f"{many(len(systems) - MOST, 'more system')} not shown"]
        systems = systems[:MOST]
    lower = [recipe for recipe in recipes if cells[recipe, systems[0]].lower_is_better]
    if lower:
        notes.append("↓ lower is better")
    titles = [f"{recipe} ↓" if recipe in lower else recipe for recipe in recipes]
    panels = [
        Panel(title, [cells[recipe, name].dot for name in systems])
        for recipe, title in zip(recipes, titles, strict=True)
    ]
    if len(systems) == 1 and not any(each.is_count for each in entries):
        panels = [Panel(systems[0], [panel.dots[0] for panel in panels])]
        systems = titles
    with settings(font):
        return draw_panels(systems, panels, inches(width), notes, one_scale=False)


def in_order(entries: Sequence[Entry], sort: str = "score") -> list[str]:
    """The names of systems in the order of a chart; those without a score come last."""
    if sort == "score":
        entries = sorted(entries, key=lambda each: (each.dot.value is None, _badness(each)))
    names = [each.system for each in entries]
    return sorted(names, key=lambda name: (name.casefold(), name)) if sort == "name" else names


def _badness(entry: Entry) -> float:
    value = entry.dot.value or 0.0
    return value if entry.lower_is_better else -value


def _systems(entries: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(each.system for each in entries))


def _entries(
    result: Scores | Comparison | Ranking | Result, *, percent: bool
) -> list[Entry]:  # fmt: skip
    if isinstance(result, Scores):
        return [
            Entry(
                each.system, each.recipe,
                score_dot(
                    each.value, each.low, each.high, is_count=each.is_count, percent=percent
                ),
                each.lower_is_better, each.measure in ("P", "R"), each.is_count,
            )
            for each in result
        ]  # fmt: skip
    if not isinstance(result, Comparison | Ranking):  # of another package
        return [
            Entry(each["system"], each["recipe"],
                  score_dot(each["value"], each["low"], each["high"], percent=percent),
                  each["lower_is_better"], each["is_part"])
            for each in result.interval_rows()
        ]  # fmt: skip
    comparison = result.comparison if isinstance(result, Ranking) else result
    entries = []
    for each in comparison.ranks:
        if each.label is None:
            dot = score_dot(each.value, each.low, each.high, percent=percent)
            ranked = dot._replace(text=f"{dot.text}  #{span(each.rank_low, each.rank_high)}")
            entries.append(Entry(each.system, each.recipe, ranked, each.lower_is_better, False))
    return entries

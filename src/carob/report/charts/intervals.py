"""intervals: the scores of all systems under each recipe, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from carob.corpus.problems import UsageError, many, nearest
from carob.report.charts._panels import Dot, Panel, draw_panels
from carob.report.charts._style import Chart, inches, settings
from carob.report.terminal import span
from carob.result.comparison import SORTS, Comparison
from carob.result.ranking import Ranking
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


def draw(
    result: Scores | Comparison | Ranking,
    *,
    recipes: Sequence[str] | None = None,
    sort: str = "score",
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A panel for each recipe, with a dot and an interval for each system.

    Of `recipes`, by default all but precision and recall are shown. The systems stand in the order
    of their scores under the first recipe, by `name`, or as `given`. Beside the score of a
    comparison or ranking are the ranks that the system may have.

    >>> from carob import Corpus, score
    >>> gold, system = Corpus.of("[Ann]PER [Bo]PER"), Corpus.of("[Ann]PER Bo")
    >>> chart = draw(score(gold, {"a": system, "b": gold}, "exact.PRF"))
    >>> [tick.get_text() for tick in chart.axes[0].get_yticklabels()]
    ['b', 'a']
    """
    if sort not in SORTS:
        raise UsageError(f"systems are sorted by {', '.join(SORTS)}, not by {sort!r}")
    entries = _entries(result)
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
    panels = [
        Panel(
            f"{recipe} ↓" if recipe in lower else recipe,
            [cells[recipe, name].dot for name in systems],
        )
        for recipe in recipes
    ]
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


def _entries(result: Scores | Comparison | Ranking) -> list[Entry]:
    if isinstance(result, Scores):
        return [
            Entry(
                each.system, each.recipe,
                Dot(each.value, each.low, each.high, score_text(each.value, each.is_count)),
                each.lower_is_better, each.measure in ("P", "R"),
            )
            for each in result
        ]  # fmt: skip
    comparison = result.comparison if isinstance(result, Ranking) else result
    return [
        Entry(
            each.system, each.recipe,
            Dot(each.value, each.low, each.high,
                f"{score_text(each.value)}  #{span(each.rank_low, each.rank_high)}"),
            each.lower_is_better, False,
        )
        for each in comparison.ranks if each.label is None
    ]  # fmt: skip


def score_text(value: float | None, is_count: bool = False) -> str:
    """A score as a chart shows it.

    >>> score_text(0.12345), score_text(1200.0, True), score_text(None)
    ('0.123', '1,200', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if is_count else f"{value:.3f}"

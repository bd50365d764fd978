"""labels: the scores of all systems for each label or slot, with intervals and support."""

from __future__ import annotations

from collections.abc import Sequence

from carob.corpus.problems import UsageError, many, nearest
from carob.report.charts._panels import Dot, Panel, draw_panels, score_dot
from carob.report.charts._style import Chart, inches, printable, settings, without_prefix
from carob.report.charts.intervals import MOST, Entry, in_order
from carob.result.result import whole
from carob.result.scores import Score, Scores

DRAWS = ("Scores",)

MOST_LABELS = 24
"""Of more labels than this, only those with the most gold items are shown."""


def draw(
    result: Scores,
    *,
    recipe: str | None = None,
    labels: Sequence[str] | None = None,
    percent: bool = False,
    width: float | str = "column",
    font: str = "sans",
) -> Chart:
    """A panel for each label, with a dot and an interval for each system, on one scale; of one
    system, a row for each label.

    The `recipe` is by default the first that is neither precision nor recall. Beside the name of a
    label is n, how many items gold has. With `percent`, scores are shown as 84.3 instead of 0.843.

    >>> from carob import Corpus, score
    >>> gold, system = Corpus.of("[Ann]PER [Rome]LOC"), Corpus.of("[Ann]PER Rome")
    >>> scores = score(gold, {"a": system, "b": gold}, "exact.F1")
    >>> [axes.get_title(loc="left") for axes in draw(scores).axes]
    ['LOC', 'PER']
    """
    scores = _of_recipe(result, recipe)
    every = list(dict.fromkeys(label for each in scores for label in each.by_label))
    for label in labels or ():
        if label not in every:
            raise UsageError(f"no label is called {label!r}{nearest(label, every)}")
    # Where answers have several spellings, gold may have more items for one system than another.
    support = {
        label: sorted(each.by_label[label].support for each in scores if label in each.by_label)
        for label in every
    }
    notes = []
    chosen = list(labels or every)
    if len(chosen) > MOST_LABELS:
        most = set(sorted(chosen, key=lambda label: -support[label][-1])[:MOST_LABELS])
        notes.append(f"the {MOST_LABELS} most frequent of {len(chosen):,} labels")
        chosen = [label for label in chosen if label in most]
    entries = [
        Entry(each.system, each.recipe, Dot(each.value), each.lower_is_better, False)
        for each in scores
    ]
    systems = in_order(entries)
    if len(systems) > MOST:
        notes.append(f"{many(len(systems) - MOST, 'more system')} not shown")
        systems = systems[:MOST]
    by_name = {each.system: each for each in scores}
    titles, prefix = without_prefix(chosen)
    panels = [
        Panel(
            title,
            [_dot(by_name[name], label, percent=percent) for name in systems],
            f"n={_span(support[label])}",
        )
        for label, title in zip(chosen, titles, strict=True)
    ]
    if len(systems) == 1 and panels:
        rows = [panel.dots[0] for panel in panels]
        rows = [dot._replace(text=f"{dot.text}  {panel.note}")
                for dot, panel in zip(rows, panels, strict=True)]  # fmt: skip
        panels, systems = [Panel(systems[0], rows)], titles
    lower = ", lower is better" if scores[0].lower_is_better else ""
    slots = f", slots of {printable(prefix[:-1])}" if prefix else ""
    if not panels:
        notes.append("there are no labels")
    notes.insert(0, f"{scores[0].recipe}{lower}{slots}; n: items of gold")
    with settings(font):
        return draw_panels(systems, panels, inches(width), notes, one_scale=True)


def _of_recipe(result: Scores, recipe: str | None) -> list[Score]:
    names = list(dict.fromkeys(each.recipe for each in result))
    if recipe is None:
        whole_scores = [each.recipe for each in result if each.measure not in ("P", "R")]
        recipe = (whole_scores or names)[0]
    if recipe not in names:
        raise UsageError(f"no score here has the recipe {recipe!r}{nearest(recipe, names)}")
    return [each for each in result if each.recipe == recipe]


def _span(support: Sequence[float]) -> str:
    """The least and the largest number, or the number if they are equal."""
    least, most = (f"{whole(end):,}" for end in (support[0], support[-1]))
    return least if least == most else f"{least}–{most}"


def _dot(score: Score, label: str, *, percent: bool) -> Dot:
    value = score.by_label.get(label)
    if value is None:
        return Dot(None)
    return score_dot(value.value, value.low, value.high, is_count=score.is_count, percent=percent)

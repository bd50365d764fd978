"""Score systems against gold: prepare, count and measure, report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from carob._version import __version__
from carob.corpus.corpus import Corpus
from carob.corpus.problems import plain
from carob.evaluate.options import Options, ScoreOptions, table_for, table_recipes
from carob.evaluate.read import Readable
from carob.evaluate.run import Recipes, Systems, prepare
from carob.evaluate.scoring import score_pair
from carob.recipe import Recipe
from carob.result.result import whole
from carob.result.scores import Score, Scores

if TYPE_CHECKING:
    from typing import Unpack


def score(
    gold: Readable,
    system: Systems,
    recipes: Recipes | None = None,
    **options: Unpack[ScoreOptions],
) -> Scores:
    """Score one or several systems against gold.

    Gold and systems are corpora or paths; several systems come as a list or by name. `recipes`
    are texts like "exact.F1@macro"; by default they are those of the task, or a table that fits
    the files (`preset`). Every score gets an interval, unless `resamples` is 0. The keyword
    arguments are described in `carob.Options`.

    >>> gold = Corpus.of("[Ann Lee]PER visited [Rome]LOC .")
    >>> system = Corpus.of("[Ann]PER Lee visited [Rome]LOC .")
    >>> score(gold, system, "exact.F1").value
    0.5
    """
    chosen = Options.of(ScoreOptions, options)

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> list[Recipe]:
        table = chosen.preset or table_for(gold, systems)
        return table_recipes(table, list(gold.mentions.attributes))

    run = prepare(
        gold, system, chosen.official_recipes if recipes is None else recipes, chosen, defaults
    )
    scores: list[Score] = []
    for name, pair in run.pairs.items():
        scores += score_pair(pair, run.recipes, name, chosen, run.signature_fields[name], run.plan)
    return Scores(
        __version__, run.gold, run.system_files(), tuple(scores),
        run.plan.remarks() + run.remarks + _unread_answers(scores),
        None if run.task is None else run.task.to_dict(),
    )  # fmt: skip


def _unread_answers(scores: Sequence[Score]) -> tuple[str, ...]:
    """Why a share of answers that are not in the text leaves out some, or has no value."""
    remarks = {}
    for each in scores:
        if each.measure == "ungrounded-share" and each.counts["unread"]:
            count = whole(each.counts["unread"])
            remarks[each.system] = (
                f"{plain(each.system)}: {count:,} answers have no place, and their documents no "
                "text: ungrounded-share leaves them out, since it cannot be checked whether the "
                "text has them"
            )
    return tuple(remarks.values())

"""A ranking as one table, with the submissions that are set aside below it."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report.comparison import ranking_table
from carob.report.scores import cell
from carob.report.terminal import WIDTH, Section, Table
from carob.result.ranking import Ranking


def sections(ranking: Ranking, *, by_label: bool = False, width: int = WIDTH) -> list[Section]:
    """How many there are, the table, who is set aside and why."""
    comparison = ranking.comparison
    blind = [comparison.blind] if comparison.blind else []
    made = [Section(sentences=[ranking.summary, *blind]), Section(_table(ranking))]
    if ranking.set_aside:
        made.append(Section(sentences=[f"set aside: {each}" for each in ranking.set_aside]))
    remarks = [_note(ranking)] if len(comparison) else []
    return [*made, Section(remarks=[*remarks, *map(plain, comparison.remarks)])]


def _table(ranking: Ranking) -> Table:
    table = ranking_table(ranking.comparison.ranks, ranking.comparison.sort)
    if (scores := ranking.scores) is None:
        return table
    recipes = list(dict.fromkeys(scores.recipes))
    rows = [[*table.rows[0], *map(plain, recipes)]]
    for rank, row in zip(ranking, table.rows[1:], strict=True):
        own = [scores[rank.system, recipe] for recipe in recipes]
        rows.append([*row, *(cell(score.overall, count=score.is_count) for score in own)])
    return Table(rows)


def _note(ranking: Ranking) -> str:
    tested = len(ranking.comparison)
    return (
        "rank: the ranks that a system may have, by what is significant at .05 after Holm's "
        f"correction for all {tested:,} tests; systems of a cluster may be equally good"
    )

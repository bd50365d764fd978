"""A ranking as one table, with the submissions that are set aside below it."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report.comparison import ranking_table
from carob.report.scores import best_places, score_cell
from carob.report.terminal import WIDTH, Section, Style, Table
from carob.result.comparison import correction
from carob.result.ranking import Ranking


def sections(ranking: Ranking, style: Style, *, width: int = WIDTH) -> list[Section]:
    """How many there are, the table, who is set aside and why."""
    comparison = ranking.comparison
    blind = [comparison.blind] if comparison.blind else []
    made = [Section(sentences=[ranking.summary, *blind]), Section(_table(ranking, style))]
    if ranking.set_aside:
        made.append(Section(sentences=[f"set aside: {each}" for each in ranking.set_aside]))
    notes = [_note(ranking)] if len(comparison) else []
    return [*made, Section(notes=notes, remarks=[plain(each) for each in comparison.remarks])]


def _table(ranking: Ranking, style: Style) -> Table:
    table = ranking_table(ranking.comparison.ranks, style, ranking.comparison.sort)
    if (scores := ranking.scores) is None:
        return table
    recipes = list(dict.fromkeys(scores.recipes))
    rows = [list(row) for row in table.rows]
    bold = set(table.bold)
    for recipe in recipes:
        own = [scores[rank.system, recipe] for rank in ranking]
        cells = [score_cell(score.overall, score, style) for score in own]
        places = best_places([score.overall for score in own], cells, own[0])
        bold |= {(place + 1, len(rows[0])) for place in places}
        for row, cell in zip(rows, [plain(recipe), *cells], strict=True):
            row.append(cell)
    return Table(rows, bold=frozenset(bold))


def _note(ranking: Ranking) -> str:
    family = correction(ranking.comparison.differences)
    holm = "" if family is None else f" after Holm's correction for {family}"
    return (
        f"rank: the ranks that a system may have, by what is significant at .05{holm}; systems of "
        "a cluster may be equally good"
    )

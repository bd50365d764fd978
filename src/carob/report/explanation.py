"""An explanation as tables: for each tool its numbers beside carob's, and what each rule adds."""

from __future__ import annotations

from carob.corpus.problems import many, plain
from carob.report.terminal import WIDTH, Section, Style, Table
from carob.result.explanation import Explanation, Share, ToolExplanation

SAME = "·"
"""Stands for no change, so that changes stand out."""


def sections(result: Explanation, style: Style, *, width: int = WIDTH) -> list[Section]:
    """The answer; then for each tool a table, and what its rules say."""
    made = [Section(sentences=[f"{result.answer}."], indent="  ")]
    for each in result:
        made += _tool(each, style)
    if result.remarks:
        made.append(Section(remarks=[plain(each) for each in result.remarks], indent="  "))
    return made


def _tool(tool: ToolExplanation, style: Style) -> list[Section]:
    title = f"{tool.tool} [{tool.version}]"
    if tool.refusal:
        return [Section(sentences=[f"{title} prints no number: {plain(tool.refusal)}."],
                        indent="  ")]  # fmt: skip
    names = [number.name for number in tool.numbers]
    rows: list[list[object]] = [[title, "gold", "system", *names]]
    rows.append(["carob", "", "", *(style.cell(each.ours) for each in tool.numbers)])
    shares = [share for share in tool.shares if share.matters]
    for share in shares:
        changes = [_change(share.changes[name], style) for name in names]
        rows.append([f"+ {share.rule}", _count(share.gold), _count(share.system), *changes])
    left = tool.unexplained
    rows.append(["unexplained", "", "", *(_change(left[name], style) for name in names)])
    rows.append([tool.tool, "", "", *(style.cell(each.theirs) for each in tool.numbers)])
    if tool.printed is not None:
        cells = ["" if name != tool.quoted else style.cell(tool.printed) for name in names]
        rows.append(["printed", "", "", *cells])
    recipes = ", ".join(f"{each.name} is {each.recipe}" for each in tool.numbers)
    idle = [_idle(share) for share in tool.shares if not share.matters]
    notes = [f"in carob: {recipes}", *([f"no difference here: {', '.join(idle)}"] if idle else [])]
    table = Table([[str(cell) for cell in row] for row in rows], left=frozenset({0}))
    return [Section(table, notes=notes), *map(_rule, shares)]


def _rule(share: Share) -> Section:
    """What a rule says, and where it matters."""
    quotes = [f"  {plain(str(each))}" for each in share.examples]
    more = share.gold + share.system - len(quotes)
    if quotes and more > 0:
        quotes.append(f"  … and {more:,} more")
    return Section(sentences=[f"{share.rule}: {share.why}"], quotes=quotes, indent="  ")


def _idle(share: Share) -> str:
    """A rule that makes no difference, although it may touch mentions."""
    touched = share.gold + share.system
    return f"{share.rule} ({many(touched, 'mention')})" if touched else share.rule


def _count(number: int) -> str:
    return f"{number:,}" if number else SAME


def _change(change: float, style: Style) -> str:
    return style.number(change, sign="+") if change else SAME

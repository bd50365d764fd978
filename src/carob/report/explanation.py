"""An explanation as tables: for each tool its numbers beside carob's, and what each rule adds."""

from __future__ import annotations

from dataclasses import replace
from math import log10

from carob.corpus.problems import many, plain
from carob.report.terminal import MOST_DIGITS, WIDTH, Section, Style, Table
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
    finer = _as_printed(tool, style)
    styles = [finer if name == tool.quoted else style for name in names]
    cells = [_change(left[name], own) for name, own in zip(names, styles, strict=True)]
    rows.append(["unexplained", "", "", *cells])
    cells = [own.cell(each.theirs) for each, own in zip(tool.numbers, styles, strict=True)]
    rows.append([tool.tool, "", "", *cells])
    if tool.printed is not None:
        cells = ["" if name != tool.quoted else finer.cell(tool.printed) for name in names]
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
    """A change with as many digits as it takes to see that it is one."""
    text = style.number(change, sign="+") if change else SAME
    while change and not text.strip("+-0.") and style.decimals < MOST_DIGITS:
        style = replace(style, digits=style.decimals + 1)
        text = style.number(change, sign="+")
    return text


def _as_printed(tool: ToolExplanation, style: Style) -> Style:
    """The style with at least as many digits as the number that the caller gave."""
    if not tool.rounding:
        return style
    digits = -round(log10(2 * tool.rounding)) - 2 * style.percent
    return replace(style, digits=min(max(digits, style.decimals), MOST_DIGITS))

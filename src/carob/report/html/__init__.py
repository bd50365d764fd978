"""HTML: the tables of any result on a plain page, and a report as a page of its own.

`page.py` puts the page of a report together from its parts. A part has a Python file, which says
what it shows, and a template of the same name (`summary.py`, `summary.html.j2`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import ClassVar

from carob.report.terminal import INDENT, Section, Style, Table, parts, sections
from carob.result.report import Report
from carob.result.result import Result

_STYLE = """
body { font-family: system-ui, sans-serif; margin: 2rem; max-width: 72rem; }
.carob table { border-collapse: collapse; margin: 1rem 0; }
.carob th { border-bottom: 2px solid currentColor; }
.carob th, .carob td { padding: 0.2rem 0.8rem; text-align: right; white-space: nowrap; }
.carob td { border-bottom: 1px solid #8884; font-variant-numeric: tabular-nums; }
.carob .left { text-align: left; }
.carob .total td { border-top: 2px solid #8888; }
.carob .part { padding-left: 2rem; }
.carob .remark, .carob code { opacity: 0.75; font-size: 0.9em; }
.carob code { overflow-wrap: anywhere; }
"""


@dataclass(frozen=True, slots=True)
class Html(Style):
    """A self-contained page with a table for each section, and the signature at the end; without
    `page`, only what belongs into the body of another page. Reports have pages of their own, and so
    have results with a method `page`.

    >>> from carob import Corpus, score
    >>> scores = score(Corpus.of("[Ann]PER"), Corpus.of("[Ann]PER"), "exact.F1")
    >>> Html()(scores).splitlines()[0]
    '<!doctype html>'
    """

    page: bool = True

    name: ClassVar[str] = "html"

    def __call__(self, result: Result) -> str:
        """The text."""
        if isinstance(result, Report) and self.page:
            from carob.report.html.page import page  # needs libraries that tables do not need

            return page(result)
        if self.page and (page_of_its_own := getattr(result, "page", None)) is not None:
            text: str = page_of_its_own()
            return text
        laid_out = sections(result, self)
        lines = [line for section in laid_out for line in _lines(section)]
        lines += [f"<p><code>{escape(line)}</code></p>" for line in result.signature_lines]
        body = "\n".join(['<div class="carob">', *lines, "</div>"]) + "\n"
        if not self.page:
            return f"<style>{_STYLE.partition('}')[2]}</style>\n{body}"
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>carob: {type(result).__name__.lower()}</title>\n<style>{_STYLE}</style>\n"
            f"</head>\n<body>\n{body}</body>\n</html>\n"
        )


def _lines(section: Section) -> Iterable[str]:
    if section.table is not None:
        yield from _table(section.table)
    for sentence in section.sentences:
        yield f"<p>{escape(sentence)}</p>"
    if section.quotes:
        yield f"<pre>{escape(chr(10).join(section.quotes))}</pre>"
    for remark in (*section.notes, *section.remarks):
        yield f'<p class="remark">{escape(remark)}</p>'


def _table(table: Table) -> Iterable[str]:
    yield "<table>"
    for number in range(len(table.rows)):
        if number < 2:
            yield "<tbody>" if number else "<thead>"
        yield _row(table, number)
        if number == 0:
            yield "</thead>"
    yield "</tbody>\n</table>" if len(table.rows) > 1 else "</table>"


def _row(table: Table, number: int) -> str:
    tag, cells = "td" if number else "th", []
    for i, cell in enumerate(table.rows[number]):
        kinds = ["left"] * (i in table.left) + ["part"] * cell.startswith(INDENT)
        attribute = f' class="{" ".join(kinds)}"' if kinds else ""
        text = escape(cell.removeprefix(INDENT))
        if (number, i) in table.bold:
            best, rest = parts(cell)
            text = f"<b>{escape(best)}</b>{escape(rest)}"
        cells.append(f"<{tag}{attribute}>{text}</{tag}>")
    total = ' class="total"' if number == table.total else ""
    return f"<tr{total}>{''.join(cells)}</tr>"

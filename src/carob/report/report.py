"""A report as tables: those of its scores, comparison, errors and robustness, one after another."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report import terminal
from carob.report.terminal import WIDTH, Section, Style
from carob.result.report import Report


def sections(report: Report, style: Style, *, width: int = WIDTH) -> list[Section]:
    """The sections of all parts; the errors of a system come after its name."""
    made = terminal.sections(report.scores, style, width=width)
    if report.comparison is not None:
        made += terminal.sections(report.comparison, style, width=width)
    for name, errors in report.errors.items():
        made.append(Section(sentences=[f"errors of {plain(name)}"]))
        made += terminal.sections(errors, style, width=width)
    if report.robustness is not None:
        made += terminal.sections(report.robustness, style, width=width)
    return made

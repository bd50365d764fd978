"""A report as tables: those of its scores, comparison, errors and robustness, one after another."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report import terminal
from carob.report.terminal import WIDTH, Section
from carob.result.report import Report


def sections(report: Report, *, by_label: bool = False, width: int = WIDTH) -> list[Section]:
    """The sections of all parts; the errors of a system come after its name."""
    made = terminal.sections(report.scores, by_label=by_label, width=width)
    if report.comparison is not None:
        made += terminal.sections(report.comparison, by_label=by_label, width=width)
    for name, errors in report.errors.items():
        made.append(Section(sentences=[f"errors of {plain(name)}"]))
        made += terminal.sections(errors, by_label=by_label, width=width)
    if report.robustness is not None:
        made += terminal.sections(report.robustness, by_label=by_label, width=width)
    return made

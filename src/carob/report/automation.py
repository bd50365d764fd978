"""Automation as a table: thresholds, how many records each accepts, and how many are wrong."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report.terminal import WIDTH, Section, Style, Table
from carob.result.automation import Automation, Step

MOST = 12
"""How many thresholds a table shows."""
BAR = 20


def sections(automation: Automation, style: Style, *, width: int = WIDTH) -> list[Section]:
    """What to do, some thresholds, and how reliable confidences are."""
    rows = [[f"{plain(automation.name)}: accept from", "accepted", "automation", "wrong", "error"]]
    rows += [_row(step) for step in _some(automation)]
    bins = [["confidence", "answers", "mean", "right", ""]]
    for start, answers, mean, right in automation.reliability:
        bins.append([f"{start:.1f} to {start + 0.1:.1f}", f"{answers:,}", f"{mean:.3f}",
                     f"{right:.3f}", "█" * round(BAR * right)])  # fmt: skip
    laid_out = [
        Section(sentences=[automation.sentence()]),
        Section(Table(rows)),
        Section(
            Table(bins, left=frozenset({0, 4})),
            notes=["right: the share of answers that are; the mean should be as high"],
        ),
    ]
    if automation.remarks:
        laid_out.append(Section(remarks=[plain(each) for each in automation.remarks]))
    return laid_out


def _some(automation: Automation) -> list[Step]:
    """The chosen threshold, and others at about equal distances."""
    steps = list(automation.steps)
    every = max(1, -(-len(steps) // MOST))
    some = steps[::every]
    if automation.chosen is not None and automation.chosen not in some:
        some.append(automation.chosen)
    return sorted(some, key=lambda step: -step.threshold)


def _row(step: Step) -> list[str]:
    def span(low: float | None, high: float | None) -> str:
        return "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"

    return [
        f"{step.threshold:g}", f"{step.accepted:,}",
        f"{step.automation:.3f}{span(step.automation_low, step.automation_high)}",
        f"{step.wrong:,}", f"{step.error:.3f}{span(step.error_low, step.error_high)}",
    ]  # fmt: skip

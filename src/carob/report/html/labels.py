"""Labels: the scores of every label, system by system."""

from __future__ import annotations

from typing import Any

from carob.result.report import Report

TITLE = "Labels"

MOST = 40
"""Of more labels than this, those that gold has most often are shown."""


def part(report: Report) -> dict[str, Any] | None:
    """A table for the first recipe of the headline that has rows for labels."""
    scores = {(each.system, each.recipe): each for each in report.scores}
    recipe = report.headline[0]
    own = [scores[name, recipe] for name in report.order]
    support = {label: value.support for score in own for label, value in score.by_label.items()}
    if not support:
        return None
    labels = sorted(support, key=lambda label: (-support[label], label))
    shown = labels[:MOST]
    return {
        "recipe": recipe,
        "systems": report.order,
        "slots": _of_slots(report),
        "rows": [
            {"label": label, "support": support[label],
             "values": [(score.system, score.by_label[label]) for score in own]}
            for label in shown
        ],
        "rest": len(labels) - len(shown),
    }  # fmt: skip


def _of_slots(report: Report) -> bool:
    return any(each.of_slots for each in report.errors.values())

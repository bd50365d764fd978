"""Errors: how many of which type each system makes, confusions, gains, and first examples."""

from __future__ import annotations

from typing import Any

from carob.report.errors import MEANING
from carob.report.html.links import browse, examples_place, system_number
from carob.result.errors import Errors
from carob.result.report import Report

TITLE = "Errors"

MOST = 10
"""How many confusions are listed."""


def part(report: Report) -> dict[str, Any]:
    """A table of all systems, and for each system its confusions, gains and examples."""
    first = next(iter(report.errors.values()))
    kinds = list(first.counts)
    return {
        "kinds": [(kind, MEANING.get(kind, kind)) for kind in kinds],
        "right": kinds[0],
        "slots": first.of_slots,
        "rows": [
            {"system": name, "counts": [
                (kind, report.errors[name].counts[kind], examples_place(report, name, kind))
                for kind in kinds
            ]}
            for name in report.order
        ],
        "systems": [_system(report, name, report.errors[name]) for name in report.order],
    }  # fmt: skip


def _system(report: Report, name: str, errors: Errors) -> dict[str, Any]:
    """What is wrong with one system."""
    return {
        "name": name,
        "number": system_number(report, name),
        "errors": errors,
        "confusions": [
            (gold, system, count, browse(system=name, gold_label=gold, system_label=system))
            for gold, system, count in errors.confusions[:MOST]
        ],
        "gains": [(kind, gains) for kind, gains in errors.gains.items() if errors.counts[kind]],
        "examples": [
            {"kind": kind, "meaning": MEANING.get(kind, kind), "examples": few,
             "count": errors.counts[kind], "place": examples_place(report, name, kind),
             "more": browse(system=name, type=kind)}
            for kind, few in errors.examples.items() if few
        ],
    }  # fmt: skip

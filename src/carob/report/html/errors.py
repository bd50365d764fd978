"""Errors: how many of which type each system makes, confusions, gains, and first examples."""

from __future__ import annotations

from typing import Any

from carob.corpus.problems import plain
from carob.report.errors import MEANING, RECORD_MEANING, RELATION_MEANING, near_and_unseen
from carob.report.html.charts import COLUMN, WIDTH, chart
from carob.report.html.links import browse, examples_place, has_browser, system_number
from carob.report.scores import space_name
from carob.result.errors import Errors
from carob.result.report import Report

TITLE = "Errors"

FEW = 8
"""The confusions of at most this many labels fit beside a table."""

MOST = 10
"""How many confusions are listed."""


def part(report: Report) -> dict[str, Any]:
    """A chart and a table of all systems, and for each system its confusions and examples."""
    every = [report.errors[name] for name in report.order]
    kinds = list(every[0].counts)
    what = every[0].items
    return {
        "kinds": [(kind, "" if every[0].of_records else _meaning(kind)) for kind in kinds],
        "slots": every[0].of_slots,
        "chart": chart(
            every, "errors",
            by="system",
            title="Errors by type",
            description="A bar for each system, with a part for each type of error. The table "
            "below has the numbers.",
            link=(lambda system, kind: browse(system=system, type=kind))
            if has_browser(report)
            else None,
        ),
        "caption": f"How many errors of each type the systems make, each {what} counted once.",
        "rows": [
            {"system": each.name, "counts": [
                (kind, each.counts[kind],
                 examples_place(report, each.name, kind) if each.examples.get(kind) else None)
                for kind in kinds
            ]}
            for each in every
        ],
        "ways": _ways(report),
        "gains_caption": f"What {next(iter(every[0].scores))} would gain if all errors of a type "
        "were corrected."
        if len(every) > 1
        else "What each score would gain if all errors of a type were corrected.",
        "gains": None
        if every[0].of_records
        else chart(
            every if len(every) > 1 else every[0], "gains",
            title="What correcting errors would gain",
            description="A bar for each type of error. The tables below have the numbers.",
        ),
        "systems": [_system(report, each) for each in every],
        "relations": [(each.name, each.relations) for each in every if each.relations is not None],
        "relation_kinds": RELATION_MEANING,
    }  # fmt: skip


def _system(report: Report, errors: Errors) -> dict[str, Any]:
    """What is wrong with one system."""
    name = errors.name
    what = "slot" if errors.of_slots else "label"
    recipes = list(errors.scores)
    linked = has_browser(report)

    def confused(system: str, gold: str, label: str) -> str:
        return browse(system=system, gold_label=gold, system_label=label)

    steps = ", ".join(f"{kind} ({score:.4f})" for kind, score in errors.order)
    return {
        "name": name,
        "number": system_number(report, name),
        "errors": errors,
        "narrow": len(errors.confusion.names) <= FEW,
        "sentence": _sentence(errors),
        "chart": chart(
            errors, "confusion",
            width=COLUMN if len(errors.confusion.names) <= FEW else WIDTH,
            title=f"Confusions of {what}s: {plain(name)}",
            description=f"Rows are {what}s of gold, columns those of the system.",
            link=confused if linked else None,
        ),
        "caption": f"Which {what} of gold (rows) became which {what} of the system (columns): "
        "errors, and their share of the row.",
        "confusions": [
            (gold, system, count, confused(name, gold, system) if linked else None)
            for gold, system, count in errors.confusions[:MOST]
        ],
        "recipes": recipes,
        "gains": [(kind, gains) for kind, gains in errors.gains.items() if errors.counts[kind]],
        "order": f"Correct them in this order ({recipes[0]} after each step): {steps}."
        if steps else "",
        "examples": [
            {"kind": kind, "meaning": _meaning(kind), "examples": few,
             "count": errors.counts[kind], "place": examples_place(report, name, kind),
             "more": browse(system=name, type=kind) if linked else None}
            for kind, few in errors.examples.items() if few
        ],
    }  # fmt: skip


def _meaning(kind: str) -> str:
    return (MEANING | RECORD_MEANING).get(kind, kind)


def _sentence(errors: Errors) -> str:
    """What else there is to say about the errors of a system."""
    if errors.of_slots:
        moved = sum(count for _, _, count in errors.confusions)
        if errors.of_records:
            return f"{moved:,} right values are in the wrong field."
        return f"{moved:,} correct strings are in the wrong slot."
    return f"{near_and_unseen(errors)}."


def _ways(report: Report) -> dict[str, Any] | None:
    """The ways to count the same answers side by side, if there are several."""
    own = [each for each in report.scores if each.support_text]
    blocks = list(dict.fromkeys(each.block for each in own))
    measures = [m for m in ("P", "R", "F1") if any(each.measure == m for each in own)]
    scores = {(each.system, each.block, each.measure): each for each in own}
    blocks = [b for b in blocks if all((report.order[0], b, m) in scores for m in measures)]
    if len(blocks) < 2 or not measures:
        return None
    texts = [
        f"{space_name(block)} counts {scores[report.order[0], block, measures[0]].support_text}s"
        for block in blocks
    ]
    return {
        "spaces": [block.removesuffix("@micro") for block in blocks],
        "measures": measures,
        "sentence": f"The same answers can be counted in {len(blocks)} ways: {'; '.join(texts)}.",
        "rows": [
            (name, [scores[name, block, measure] for block in blocks for measure in measures])
            for name in report.order
        ],
    }

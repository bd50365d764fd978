"""Methods: what the recipes mean, how the statistics were made, and how to repeat the report."""

from __future__ import annotations

import re
from typing import Any

from carob.corpus.problems import many
from carob.report.html.references import cited
from carob.result import signature
from carob.result.comparison import ALPHA, correction
from carob.result.report import Report

TITLE = "Methods"

STAGES = {"match": "What is counted", "measure": "Measures", "average": "Averages"}

INTERVALS = {
    "effective": (
        "intervals of Clopper & Pearson (1934) at the effective sample size (Korn & Graubard, 1998)"
    ),
    "bca": "bias-corrected and accelerated bootstrap intervals (Efron & Tibshirani, 1993)",
    "percentile": "percentile bootstrap intervals (Efron & Tibshirani, 1993)",
    "jackknife-t": "jackknife intervals with Student's t (Efron & Tibshirani, 1993)",
}


def part(report: Report) -> dict[str, Any]:
    """Definitions, a paragraph for a paper, its references, and the command."""
    text = paragraph(report)
    definitions = " ".join(" ".join(text.split()) for d in report.definitions for text in d.text)
    return {
        "paragraph": text,
        "groups": [
            (title, [{"name": each.name, "blocks": [_block(text) for text in each.text]}
                     for each in report.definitions if each.stage == stage])
            for stage, title in STAGES.items()
        ],
        "references": cited(f"{text} {definitions}"),
        "command": report.command,
    }  # fmt: skip


def _block(text: str) -> dict[str, Any]:
    """A paragraph or a list, with its words in pieces, of which every second one is code."""
    items = re.split(r"^- ", text, flags=re.M)
    if len(items) > 1 and not items[0]:
        return {"items_of_list": [_pieces(each) for each in items[1:]]}
    return {"items_of_list": None, "pieces": _pieces(text)}


def _pieces(text: str) -> list[str]:
    return re.split("`", " ".join(text.split()))


def paragraph(report: Report) -> str:
    """The methods in words, with the numbers of this report."""
    gold = report.gold
    items = many(gold.fillers, "filler") if gold.fillers else many(gold.mentions, "mention")
    sentences = [
        f"We evaluated {many(len(report.systems), 'system')} on {many(gold.documents, 'document')} "
        f"with {items} in gold, using carob {report.scores.version} "
        f"(signature {report.scores.short_signature.rpartition(':')[2]}).",
        f"The scores are {', '.join(signature.grouped(list(dict.fromkeys(report.recipes))))}.",
        *_intervals(report),
        *_tests(report),
    ]
    if any(each.of_records for each in report.errors.values()):
        sentences.append("Errors are of the kinds that carob distinguishes in records.")
    elif any(each.of_slots for each in report.errors.values()):
        sentences.append("Errors are of the types of MUC (Chinchor & Sundheim, 1993).")
    else:
        sentences.append("Errors are of the types of Ortmann (2022).")
    if report.robustness is not None and len(report.robustness) > 1:
        sentences.append(
            f"To see how far the order of the systems depends on the choice of the score, we "
            f"ranked them under {len(report.robustness)} choices."
        )
    return " ".join(sentences)


def _intervals(report: Report) -> list[str]:
    fields = signature.fields(report.scores.signature)
    method, *_ = fields.get("interval", "none").split(",")
    if method not in INTERVALS:
        return []
    by = fields.get("by", "document")
    drawn = ""
    if resamples := re.search(r",(\d+),seed=(\d+)", fields["interval"]):
        drawn = f" from {int(resamples[1]):,} resamples of {by}s (seed {resamples[2]})"
    within = f", drawn within {fields['strata']}" if "strata" in fields else ""
    return [f"Scores come with 95% {INTERVALS[method]}{drawn}{within}."]


def _tests(report: Report) -> list[str]:
    comparison = report.comparison
    if comparison is None:
        return []
    tested = [each for each in comparison.differences if each.p is not None]
    exact = sum(each.exact for each in tested)
    trials = f"{comparison.trials:,} trials"
    if exact == len(tested):
        trials = "all exchanges"
    elif exact:
        trials += f" (all exchanges in {exact} tests)"
    family = correction(tested)
    holm = "" if family is None else f", corrected for {family} by Holm's method (Holm, 1979)"
    return [
        f"Differences were tested by paired randomization over {comparison.unit}s (Noreen, 1989) "
        f"with {trials}{holm}; the level of significance is "
        f"{ALPHA:g}. Rank ranges follow from the differences that are significant."
    ]

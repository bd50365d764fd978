"""Conditions: what must be explicit, what leaked, all settings, and how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carob.corpus.problems import many
from carob_lab.report.experiment import Experiment

TITLE = "Conditions"


def part(result: Experiment) -> dict[str, Any]:
    """Tables of what the numbers depend on."""
    twins = result.leakage.get("test_documents_with_a_twin_in_training", {})
    return {
        "explicit": result.explicit,
        "leakage": _leakage(result.leakage, twins),
        "twins": twins,
        "learners": result.learners,
        "command": result.command,
    }


def _leakage(leakage: Mapping[str, Any], twins: Mapping[str, int]) -> str:
    """Near-duplicates in words."""
    if not leakage.get("looked_for"):
        return "Near-duplicates were not looked for, because texts are not known."
    what = f"near-duplicates (t = {leakage['t']:g})"
    if not leakage["documents"]:
        return f"There are no {what}."
    documents, groups = many(leakage["documents"], "document"), many(leakage["groups"], "group")
    parts = [f"{documents} in {groups} are {what}."]
    if leakage["kept_together"]:
        parts.append("They were kept together: none is on both sides of a split.")
    elif any(twins.values()):
        parts.append(
            "They were not kept together. A test document whose twin was trained on is easy, so "
            'scores may be too high; group = "near-duplicates" in [split] keeps them together.'
        )
    return " ".join(parts)

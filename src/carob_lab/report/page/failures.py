"""Failures: the cells that failed, with the last lines of their logs."""

from __future__ import annotations

from typing import Any

from carob_lab.report.experiment import Experiment

TITLE = "Failures"

MOST = 100
"""More failures than this are not shown."""


def part(result: Experiment) -> dict[str, Any] | None:
    """Each cell with its reason; None if all went well."""
    if not result.failures:
        return None
    return {
        "cells": [(each.cell, each.reason.splitlines()) for each in result.failures[:MOST]],
        "rest": len(result.failures[MOST:]),
    }

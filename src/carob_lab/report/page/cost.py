"""Cost: what training and prediction took, and on which machine."""

from __future__ import annotations

from typing import Any

from carob.corpus.problems import many
from carob_lab.report.experiment import Experiment

TITLE = "Cost"

COLUMNS = {
    "train_wall": "training, s", "train_cpu": "CPU, s", "predict_wall": "prediction, s",
    "predict_cpu": "CPU, s", "documents_per_second": "documents/s", "peak_mib": "memory, MiB",
}  # fmt: skip

MACHINE = "machine"
"""The key under which the costs of learners have the machine."""


def part(result: Experiment) -> dict[str, Any] | None:
    """A row for each learner."""
    if not result.cost:
        return None
    costs = {name: own for name, own in result.cost.items() if name != MACHINE}
    versions = {package: version for own in costs.values()
                for package, version in own.get("versions", {}).items()}  # fmt: skip
    return {
        "columns": list(COLUMNS.values()),
        "rows": [
            (name, result.learners[name],
             [(key, own.get(key), _text(key, own.get(key))) for key in COLUMNS])
            for name, own in costs.items() if name in result.learners
        ],
        "machine": _machine(result.cost.get(MACHINE, {}), versions),
    }  # fmt: skip


def _text(key: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if key in ("documents_per_second", "peak_mib") else f"{value:,.2f}"


def _machine(machine: Any, versions: dict[str, str]) -> str:
    parts = [f"{machine[key]}" for key in ("system", "processor") if machine.get(key)]
    if machine.get("cores"):
        parts.append(many(machine["cores"], "core"))
    if machine.get("python"):
        parts.append(f"Python {machine['python']}")
    parts += [f"{package} {version}" for package, version in sorted(versions.items())]
    return ", ".join(parts)

"""What spaces declare that count right and wrong items of each side by itself."""

from __future__ import annotations

from collections.abc import Mapping

OUTCOMES = ("tp", "tp_system", "fp", "fn")
ERRORS = ("fp", "fn")
QUANTITIES: Mapping[str, Mapping[str, float]] = {
    "gold_right": {"tp": 1},
    "gold_all": {"tp": 1, "fn": 1},
    "system_right": {"tp_system": 1},
    "system_all": {"tp_system": 1, "fp": 1},
}

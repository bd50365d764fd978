"""The categories of MUC, and what they mean for measures: `semeval` and `templates` share them."""

from __future__ import annotations

from collections.abc import Mapping

OUTCOMES = ("COR", "INC", "PAR", "MIS", "COR_system", "INC_system", "PAR_system", "SPU")
ERRORS = ("INC", "MIS", "INC_system", "SPU")
QUANTITIES: Mapping[str, Mapping[str, float]] = {
    "gold_right": {"COR": 1, "PAR": 0.5},
    "gold_all": {"COR": 1, "INC": 1, "PAR": 1, "MIS": 1},
    "system_right": {"COR_system": 1, "PAR_system": 0.5},
    "system_all": {"COR_system": 1, "INC_system": 1, "PAR_system": 1, "SPU": 1},
    "c": {"COR": 1, "PAR": 0.5},
    "s": {"INC": 1, "PAR": 0.5},
    "d": {"MIS": 1},
    "i": {"SPU": 1},
}

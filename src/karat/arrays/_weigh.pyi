from typing import Any

from karat.nouns._types import IntArray

def weigh(lines: Any, weights: Any, units: int, out: IntArray, level: int, /) -> bool: ...

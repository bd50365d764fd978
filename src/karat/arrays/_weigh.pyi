from typing import Any

from karat.nouns._types import ByteArray, IntArray

def weigh(lines: Any, weights: ByteArray, out: IntArray, level: int, /) -> bool: ...
def steps(
    bytes: ByteArray, limits: ByteArray, out: ByteArray, places: IntArray, level: int, /
) -> int: ...

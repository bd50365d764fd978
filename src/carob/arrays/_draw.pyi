from carob.arrays.types import ByteArray, FloatArray, IntArray

def numbers(
    random: ByteArray, limits: ByteArray, out: ByteArray, places: IntArray, sums: IntArray,
    level: int, /,
) -> int: ...  # fmt: skip
def settle(
    numbers: ByteArray, places: IntArray, fractions: FloatArray, known: ByteArray,
    remains: FloatArray, sums: IntArray, /,
) -> None: ...  # fmt: skip
def throw(cells: IntArray, balls: IntArray, weights: ByteArray, /) -> None: ...

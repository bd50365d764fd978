from collections.abc import Sequence

from carob.arrays.types import ByteArray, HashArray, IntArray

def scan(
    bytes: ByteArray,
    size: int,
    width: int,
    token: int,
    tag: int,
    mode: int,
    place: int,
    open: bool,
    keys: HashArray,
    codes: IntArray,
    tagged: IntArray,
    sentences: IntArray,
    docs: IntArray,
    sums: HashArray,
    /,
) -> tuple[int, int, int, int, int, int] | None: ...
def number_tags(
    lists: Sequence[Sequence[str]], numbers: dict[str, int], outside: int, lengths: IntArray, /
) -> bytes | None: ...

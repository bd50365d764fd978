"""The array types that every module uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    IntArray: TypeAlias = NDArray[np.signedinteger[Any]]
    FloatArray: TypeAlias = NDArray[np.float64]
    BoolArray: TypeAlias = NDArray[np.bool_]
    HashArray: TypeAlias = NDArray[np.uint64]
    ByteArray: TypeAlias = NDArray[np.uint8]
else:  # numpy.typing is slow to load
    IntArray = FloatArray = BoolArray = HashArray = ByteArray = np.ndarray

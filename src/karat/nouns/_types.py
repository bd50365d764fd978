"""The array types that every module uses."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.signedinteger[Any]]
FloatArray: TypeAlias = NDArray[np.float64]
SingleArray: TypeAlias = NDArray[np.float32]
BoolArray: TypeAlias = NDArray[np.bool_]
HashArray: TypeAlias = NDArray[np.uint64]
ByteArray: TypeAlias = NDArray[np.uint8]

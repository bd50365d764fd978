"""Paths of values in records: the keys that lead to a value, with dots between them.

A dot that is part of a key has a backslash before it, and so has a backslash, so that the key `v.n`
is not taken for the key `n` of an object `v`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPECIAL = re.compile(r"[.\\]")
_KEY = re.compile(r"(?:^|\.)((?:[^.\\]|\\.?)*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def path_of(keys: Iterable[str]) -> str:
    r"""The path that these keys make.

    >>> path_of(["lines", "price"]), path_of(["v.n"])
    ('lines.price', 'v\\.n')
    """
    return ".".join(_SPECIAL.sub(r"\\\g<0>", key) for key in keys)


def keys_of(path: str) -> list[str]:
    r"""The keys in a path.

    >>> keys_of("lines.price"), keys_of(r"v\.n.a")
    (['lines', 'price'], ['v.n', 'a'])
    """
    if "\\" not in path:
        return path.split(".")
    return [_ESCAPED.sub(r"\1", key) for key in _KEY.findall(path)]

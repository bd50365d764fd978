"""One hash for all that a corpus holds: what its signature says where there is no file to hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.corpus.tables import Codes

if TYPE_CHECKING:
    from carob.corpus.corpus import Corpus

_LEFT_OUT = {"library", "origin", "facts", "line", "offset"}
"""Where the documents came from. Their words are in the column `hash`."""

_NEWER = {
    "corpus.templates.fillers.kind", "corpus.templates.confidence", "corpus.templates.marks",
}  # fmt: skip
"""Columns that came later: where they are absent, a hash is what it was without them."""


def content_sha256(corpus: Corpus) -> str:
    """The SHA-256 of every column of a corpus, with its name; equal corpora have equal hashes,
    however they were made.

    >>> from carob.corpus.corpus import Corpus
    >>> tags, marked = Corpus.from_tags([["B-X"]], [["Ann"]]), Corpus.of("[Ann]X")
    >>> content_sha256(tags) == content_sha256(marked)
    True
    """
    digest = hashlib.sha256()

    def add(name: str, value: Any) -> None:
        data: Any
        if hasattr(value, "__len__") and not len(value):
            data = b""  # also a table without rows
        elif isinstance(value, Codes):
            value = value.sorted()
            add(f"{name}.codes", value.codes)
            add(f"{name}.values", value.values)
            return
        elif is_dataclass(value):
            for each in fields(value):
                if not each.init:
                    continue
                column = getattr(value, each.name)
                if each.name in _LEFT_OUT or (column is None and f"{name}.{each.name}" in _NEWER):
                    continue
                add(f"{name}.{each.name}", column)
            return
        elif isinstance(value, np.ndarray):
            # One type for all integers: narrow columns are as wide as their values need.
            kind = {"i": "<i8", "u": "<u8", "b": "|u1", "f": "<f8"}[value.dtype.kind]
            data = np.ascontiguousarray(value, kind).view(np.uint8)
        elif isinstance(value, Mapping) and any(map(is_dataclass, value.values())):
            for key in sorted(value):
                add(f"{name}.{key}", value[key])
            return
        else:
            data = json.dumps(value, sort_keys=True, default=_refuse).encode()
        # The size separates a value from the next name.
        digest.update(f"{name!r} {len(data)}\n".encode("utf-8", "surrogatepass"))
        digest.update(data)

    # Where a mention stood in a file makes no difference: mentions are in document order.
    add("corpus", replace(corpus, mentions=replace(corpus.mentions, place=None)))
    return digest.hexdigest()


def _refuse(value: Any) -> Any:
    """What JSON has no word for must not be left out of a hash."""
    raise TypeError(f"a corpus cannot hold a {type(value).__name__}")

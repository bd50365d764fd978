"""Features of tokens, as integers in arrays: the token, its shape, its prefixes and suffixes,
whether it opens a line, its layers; and the same of the tokens around it.

A *column* is one such property. A feature is a column, a place in the window and a value. Values
are computed once for each different word of a corpus, not for each token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.tables import Codes
from carob.pair.texts import Texts
from carob_lab.learn.folder import Saved

WINDOW = 4
"""How many tokens on either side are looked at."""

AFFIXES = (1, 2, 3, 4)
"""The lengths of prefixes and suffixes."""

AFFIX_WINDOW = 1
"""Of tokens further away, affixes add nothing on the seminar corpus (83.0 oaod.F1 with the whole
window, 83.3 without, for the CRF) and make training take more than twice as long.
"""

LINE = "line"
_RUNS = re.compile(r"(.)\1+")
_LONG_RUNS = re.compile(r"(.)\1{3,}")


def window_of(column: str) -> int:
    """How many tokens on either side a column is looked at."""
    return AFFIX_WINDOW if column.startswith(("prefix", "suffix")) else WINDOW


def signs(word: str) -> str:
    """A word with X for capitals, x for other letters, d for digits; runs of at most four.

    >>> signs("McDonald"), signs("3:30pm")
    ('XxXxxxx', 'd:ddxx')
    """
    kinds = (
        "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word
    )
    return _LONG_RUNS.sub(r"\1\1\1\1", "".join(kinds))


def shape(word: str) -> str:
    """The signs of a word, each run of them as one.

    >>> shape("McDonald"), shape("3:30pm"), shape("WeH")
    ('XxXx', 'd:dx', 'XxX')
    """
    return _RUNS.sub(r"\1", signs(word))


@lru_cache(maxsize=8)
def _word_columns(words: tuple[str, ...]) -> Mapping[str, Codes]:
    """The columns that depend on the word alone, a row for each different word."""
    lower = [word.lower() for word in words]
    columns = {
        "word": Codes.of(words),
        "lower": Codes.of(lower),
        "shape": Codes.of([shape(word) for word in words]),
        "signs": Codes.of([signs(word) for word in words]),
    }
    for n in AFFIXES:
        # A word that is no longer has no such affix: it would be the word itself.
        columns[f"prefix{n}"] = Codes.of([w[:n] if len(w) > n else None for w in lower])
        columns[f"suffix{n}"] = Codes.of([w[-n:] if len(w) > n else None for w in lower])
    return columns


def columns_of(texts: Texts) -> dict[str, Codes]:
    """The columns of texts, a row for each token."""
    columns = {
        name: column.take(texts.words.codes)
        for name, column in _word_columns(texts.words.values).items()
    }
    columns[LINE] = Codes(texts.opens_line.astype(np.int32) - 1, ("first",))
    return columns | {f"layer:{name}": layer for name, layer in texts.layers.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The features that occur in some texts, numbered: what a model has weights for.

    `values` are those of each column, `windows` how far it is looked at.

    >>> from carob.corpus.corpus import Corpus
    >>> features = Features.of(Texts.of(Corpus.of("a b", "b")))
    >>> features.values["word"], features.windows["word"]
    (('a', 'b'), 4)
    >>> features.rows(Texts.of(Corpus.of("b c"))).shape
    (2, 69)
    """

    values: Mapping[str, tuple[str, ...]]
    windows: Mapping[str, int]

    @classmethod
    def of(cls, texts: Texts) -> Features:
        """The features that occur in texts."""
        values = {}
        for name, column in columns_of(texts).items():
            used = np.unique(column.codes)
            values[name] = tuple(column.values[code] for code in used[used >= 0].tolist())
        values = dict(sorted(values.items()))
        return cls(values, {name: window_of(name) for name in values})

    def __len__(self) -> int:
        # Beside its values, a column has one for places beyond the ends of the document.
        return sum((2 * self.windows[name] + 1) * (len(own) + 1)
                   for name, own in self.values.items())  # fmt: skip

    def rows(self, texts: Texts) -> IntArray:
        """The numbers of the features of each token: tokens x (columns and places). A value that is
        absent or not known has the number len(self), which no feature has.
        """
        size, unknown = len(texts.start), len(self)
        columns = columns_of(texts)
        doc = texts.doc
        first, last = texts.offsets[doc], texts.offsets[doc + 1]
        at = np.arange(size)
        blocks: list[IntArray] = []
        base = 0
        for name, values in self.values.items():
            codes = np.full(size, -1, np.int32)
            if name in columns:
                codes = columns[name].onto(values).codes
            for place in range(-self.windows[name], self.windows[name] + 1):
                there = at + place
                inside = (there >= first) & (there < last)
                code = codes[np.where(inside, there, 0)] if size else codes
                block = np.where(code < 0, unknown, base + code)
                blocks.append(np.where(inside, block, base + len(values)).astype(np.int32))
                base += len(values) + 1
        return np.stack(blocks, axis=1)

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "windows": dict(self.windows),
            "values": {k: list(v) for k, v in self.values.items()},
        }

    @classmethod
    def of_saved(cls, saved: Saved) -> Features:
        """The features of a model that was saved."""
        found = saved.settings.get("features")
        parts = found if isinstance(found, dict) else {}
        windows, values = parts.get("windows"), parts.get("values")
        if not isinstance(windows, dict) or not isinstance(values, dict) or not values:
            raise saved.wrong("other features", "windows and values")
        for name, own in values.items():
            where = f"features of {name[:40]!r}"
            if not isinstance(own, list) or not all(isinstance(value, str) for value in own):
                raise saved.wrong(where, "a list of texts")
            if len(set(own)) < len(own):
                raise saved.wrong(where, "each value once")
            if type(windows.get(name)) is not int or not 0 <= windows[name] <= 100:
                raise saved.wrong(where, "a window from 0 to 100")
        names = sorted(values)
        return cls({n: tuple(values[n]) for n in names}, {n: windows[n] for n in names})

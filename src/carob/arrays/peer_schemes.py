"""The tagging schemes of seqeval, as tables that are looked up for all tokens at once.

What seqeval decides at a token depends on three things: the prefix of the token before, its own
prefix, and whether the two have the same label. A pattern names the three: `BI=` is I after B with
the same label, `BI!` with another label, `BI*` with any. `?` is any prefix.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import numpy as np

from carob.arrays.types import BoolArray

PREFIXES = "IOBESUL."
"""A prefix is its place here; any other one comes last."""

CLASSES = len(PREFIXES) + 1


def prefix_class(prefix: str) -> int:
    """The number of a prefix.

    >>> prefix_class("B"), prefix_class("X")
    (2, 8)
    """
    return PREFIXES.index(prefix) if prefix in PREFIXES else CLASSES - 1


class Token:
    """A tagging scheme of the strict mode. A mention begins at the first token that fits `start`,
    goes on over tokens that fit `inside`, and counts if the token after it fits `end`.
    """

    letters: ClassVar[str] = ""
    start: ClassVar[str] = ""
    inside: ClassVar[str] = ""
    end: ClassVar[str] = ""


class IOB1(Token):
    """I for all tokens, B only where a mention touches one of its label."""

    letters = "IOB"
    start = "OI* II! BI* IB= BB="
    inside = "BI= II="
    end = "II! IO* IB* BO* BI! BB="


class IOE1(Token):
    """I for all tokens, E only where a mention touches the next one of its label."""

    letters = "IOE"
    start = "OI* II! EI* EE="
    inside = "II= IE="
    end = "II! IO* IE! EI= EE="


class IOB2(Token):
    """B for the first token, I for the others."""

    letters = "IOB"
    start = "?B*"
    inside = "BI= II="
    end = "IO* II! IB* BO* BI! BB*"


class IOE2(Token):
    """E for the last token, I for the others."""

    letters = "IOE"
    start = "OI* OE* EI* EE* II! IE!"
    inside = "IE= II="
    end = "E?*"


class IOBES(Token):
    """B, I and E for the first, inner and last tokens, S for a single one."""

    letters = "IOBES"
    start = "?B* ?S*"
    inside = "BI= BE= II= IE="
    end = "S?* E?*"


class BILOU(Token):
    """The same with L for the last token and U for a single one."""

    letters = "IOBUL"
    start = "?B* ?U*"
    inside = "BI= BL= II= IL="
    end = "U?* L?*"


SCHEMES: dict[str, type[Token]] = {
    each.__name__: each for each in (IOB1, IOE1, IOB2, IOE2, IOBES, BILOU)
}


def scheme_of(scheme: Any) -> type[Token]:
    """A scheme from its class, also seqeval's own, or its name.

    >>> scheme_of("IOB2") is IOB2
    True
    """
    name = scheme if isinstance(scheme, str) else getattr(scheme, "__name__", None)
    if name not in SCHEMES:
        raise ValueError(f"no scheme is called {scheme!r}; there are: {', '.join(SCHEMES)}")
    return SCHEMES[name]


@cache
def pattern_tables(name: str) -> tuple[BoolArray, BoolArray, BoolArray]:
    """What fits `start`, `inside` and `end` of a scheme: prefix before x own prefix x same label,
    flat.
    """
    scheme, tables = SCHEMES[name], []
    for patterns in (scheme.start, scheme.inside, scheme.end):
        table = np.zeros((CLASSES, CLASSES, 2), bool)
        for pattern in patterns.split():
            rows, columns = ([] if each == "?" else [prefix_class(each)] for each in pattern[:2])
            same = {"=": [1], "!": [0], "*": [0, 1]}[pattern[2]]
            every = list(range(CLASSES))
            table[np.ix_(rows or every, columns or every, same)] = True
        tables.append(table.ravel())
    return tables[0], tables[1], tables[2]


def detected(letters: set[str]) -> type[Token]:
    """The scheme of these prefixes, if they are enough to tell.

    >>> detected({"B", "I", "O"}) is IOB2
    True
    """
    rest = letters - {"I", "O"}
    if rest == {"B"}:
        return IOB2
    if rest == {"E"}:
        return IOE2
    if rest in ({"B", "E", "S"}, {"B", "E"}) or letters == {"S"}:
        return IOBES
    if rest in ({"B", "L", "U"}, {"B", "L"}) or letters == {"U"}:
        return BILOU
    raise ValueError(f"This scheme is not supported: {{{', '.join(sorted(letters))}}}")

"""The tagging schemes of seqeval's strict mode.

What seqeval decides at a token depends on three things: the prefix of the token before, its own
prefix, and whether the two have the same label. A pattern names the three: `BI=` is I after B with
the same label, `BI!` with another label, `BI*` with any. `?` is any prefix.
"""

from __future__ import annotations

from typing import NamedTuple


class Patterns(NamedTuple):
    """The prefixes of a scheme. A mention begins at the first token that fits `start`, goes on over
    tokens that fit `inside`, and counts if the token after it fits `end`.
    """

    letters: str
    start: str
    inside: str
    end: str


PATTERNS = {
    "IOB1": Patterns("IOB", "OI* II! BI* IB= BB=", "BI= II=", "II! IO* IB* BO* BI! BB="),
    "IOE1": Patterns("IOE", "OI* II! EI* EE=", "II= IE=", "II! IO* IE! EI= EE="),
    "IOB2": Patterns("IOB", "?B*", "BI= II=", "IO* II! IB* BO* BI! BB*"),
    "IOE2": Patterns("IOE", "OI* OE* EI* EE* II! IE!", "IE= II=", "E?*"),
    "IOBES": Patterns("IOBES", "?B* ?S*", "BI= BE= II= IE=", "S?* E?*"),
    "BILOU": Patterns("IOBUL", "?B* ?U*", "BI= BL= II= IL=", "U?* L?*"),
}


def fits(patterns: str, before: str, own: str, *, same: bool) -> bool:
    """Whether two prefixes fit one of the patterns.

    >>> fits("BI= II=", "B", "I", same=True), fits("BI= II=", "B", "I", same=False)
    (True, False)
    """
    return any(
        pattern[0] in ("?", before) and pattern[1] in ("?", own)
        and (pattern[2] == "*" or same == (pattern[2] == "="))
        for pattern in patterns.split()
    )  # fmt: skip


def scheme_of_letters(letters: set[str]) -> str | None:
    """The scheme of these prefixes, if they are enough to tell.

    >>> scheme_of_letters({"B", "I", "O"})
    'IOB2'
    """
    rest = letters - {"I", "O"}
    if rest == {"B"}:
        return "IOB2"
    if rest == {"E"}:
        return "IOE2"
    if rest in ({"B", "E", "S"}, {"B", "E"}) or letters == {"S"}:
        return "IOBES"
    if rest in ({"B", "L", "U"}, {"B", "L"}) or letters == {"U"}:
        return "BILOU"
    return None

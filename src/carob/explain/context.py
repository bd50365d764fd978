"""The words around a mention, with the mention in brackets."""

from __future__ import annotations

from carob.corpus.corpus import Words
from carob.corpus.document import Mention, Span
from carob.result.errors import Pieces

_AROUND = {"token": 6, "char": 40}
"""How many positions are shown on each side."""

_LONGEST = {"token": 24, "char": 160}
"""How many positions of a long stretch are shown."""


def in_context(
    words: Words, unit: str, mention: Mention | None, other: Mention | None = None
) -> str | None:
    """The stretch around both mentions, with the first in brackets; None without words.

    >>> in_context((None, ("Ann", "slept")), "token", Mention("PER", 0, 1))
    '[Ann]PER slept'
    """
    around = pieces(words, unit, mention, other)
    if not around:
        return None
    last = max((place for place, (_, marked) in enumerate(around) if marked), default=-1)
    return "".join(
        f"[{text}]" + (mention.label if mention and place == last else "") if marked else text
        for place, (text, marked) in enumerate(around)
    )


def pieces(
    words: Words, unit: str, mention: Mention | None, other: Mention | None = None
) -> Pieces:
    """The stretch around both mentions in pieces, each with whether it is of the first mention;
    nothing without words.

    >>> pieces((None, ("Ann", "slept")), "token", Mention("PER", 0, 1))
    (('Ann', True), (' ', False), ('slept', False))
    """
    text, tokens = words
    source = text if unit == "char" else tokens
    both = [each for each in (mention, other) if each is not None]
    if source is None or not both:
        return ()
    start = max(0, min(each.start for each in both) - _AROUND[unit])
    end = min(len(source), max(each.end for each in both) + _AROUND[unit])
    made = [("…" if start > 0 else "", False)]
    at = start
    for low, high in mention.fragments if mention else ():
        made.append((_shortened(source, (at, low), unit), False))
        made.append((_shortened(source, (low, high), unit), True))
        at = high
    made.append((_shortened(source, (at, end), unit), False))
    made.append(("…" if end < len(source) else "", False))
    there = [piece for piece in made if piece[0] or piece[1]]
    glue = [(" ", False)] if unit == "token" else []
    return tuple(each for piece in there for each in (*glue, piece))[len(glue) :]


def _glue(unit: str) -> str:
    return "" if unit == "char" else " "


def _shortened(source: str | tuple[str, ...], span: Span, unit: str) -> str:
    """The words of a span, without the middle if it is long."""
    start, end = span
    glue, most = _glue(unit), _LONGEST[unit]
    if end - start <= most:
        return glue.join(source[start:end])
    half = most // 2
    ends = (glue.join(source[start : start + half]), glue.join(source[end - half : end]))
    return f"{glue}…{glue}".join(ends)

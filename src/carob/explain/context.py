"""The words around a mention, with the mention in brackets."""

from __future__ import annotations

from carob.corpus.corpus import Words
from carob.corpus.document import Mention, Span

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
    text, tokens = words
    source = text if unit == "char" else tokens
    both = [each for each in (mention, other) if each is not None]
    if source is None or not both:
        return None
    start = max(0, min(each.start for each in both) - _AROUND[unit])
    end = min(len(source), max(each.end for each in both) + _AROUND[unit])
    pieces = ["…"] if start > 0 else []
    at = start
    for low, high in mention.fragments if mention else ():
        pieces += [
            _shortened(source, (at, low), unit),
            f"[{_shortened(source, (low, high), unit)}]",
        ]
        at = high
    if mention:
        pieces[-1] += mention.label
    pieces.append(_shortened(source, (at, end), unit))
    if end < len(source):
        pieces.append("…")
    return _glue(unit).join(piece for piece in pieces if piece)


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

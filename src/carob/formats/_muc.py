"""Fillers as key files write them: strings, alternatives, cross-references."""

from __future__ import annotations

import re
from collections.abc import Iterator

from carob.corpus.problems import UsageError, shown

_SIGN = re.compile(r'"((?:[^"\\]|\\.)*+)("|\\?\Z)|/', re.S)
_ESCAPE = re.compile(r"\\(.)", re.S)
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_NOTHING = frozenset({"-", "*"})
_WRITTEN = {sign: f"\\{letter}" for letter, sign in _SIGNS.items()}
MOST = 1000
"""How many alternatives a filler may have: cross-references multiply them."""


class FillerError(ValueError):
    """A filler is not as it should be: what was found, and what was expected."""

    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(found)


def forms(value: str) -> tuple[list[str], bool]:
    """The alternatives of a filler, none for `-` and `*`, and whether it is optional.

    >>> forms('? "FMLN" / "FRONT"')
    (['FMLN', 'FRONT'], True)
    >>> forms('CIVILIAN: "PRIESTS" / "JESUITS"')
    (['CIVILIAN: "PRIESTS"', 'CIVILIAN: "JESUITS"'], False)
    """
    found: list[str] = []
    owners: list[str] = []  # what the last cross-reference refers from
    bare: list[str] = []  # what may turn out to be that of the next one
    optional = nothing = False
    for piece in _pieces(value):
        if piece.startswith("?"):
            optional, piece = True, piece[1:].strip()
        if not piece:
            raise FillerError(f"{shown(value)} with an alternative that is empty", "a filler")
        owner, string = _crossed(piece)
        if owner:
            owners, bare = _ungrouped([*bare, owner]), []
        if owners and string:
            found += [f"{each}: {string}" for each in owners if each not in _NOTHING]
            nothing |= not _NOTHING.isdisjoint(owners)
        else:
            owners = []
            bare.append(piece)
        if len(found) + len(bare) > MOST:
            raise FillerError(f"{shown(value)} with more than {MOST:,} alternatives", "fewer")
    found += [_plain(piece) for piece in bare if piece not in _NOTHING]
    nothing |= not _NOTHING.isdisjoint(bare)
    return found, bool(found) and (optional or nothing)


def _ungrouped(owners: list[str]) -> list[str]:
    """`("A" / "B"): "C"` without its parentheses."""
    if owners[0].startswith("(") and owners[-1].endswith(")"):
        owners[0] = owners[0][1:].strip()
        owners[-1] = owners[-1][:-1].strip()
    return owners


def _pieces(value: str) -> Iterator[str]:
    """What stands between slashes; a slash in a string or inside of a word is none."""
    begin = 0
    for sign in _SIGN.finditer(value):
        if sign[1] is not None:
            if sign[2] != '"':
                raise FillerError(shown(value[sign.start() :]), "a closing quote")
            continue
        around = (
            value[max(0, sign.start() - 1) : sign.start()],
            value[sign.end() : sign.end() + 1],
        )
        if all(not each or each.isspace() or each == '"' for each in around):
            yield value[begin : sign.start()].strip()
            begin = sign.end()
    yield value[begin:].strip()


def _crossed(piece: str) -> tuple[str, str]:
    """A cross-reference as its two parts, `X` and `"Y"`; a string alone has no first part."""
    last = None
    for sign in _SIGN.finditer(piece):
        last = sign if sign[1] is not None else None
    if last is None or last.end() < len(piece):
        return "", ""
    before = piece[: last.start()].rstrip()
    if not before:
        return "", last.group()
    return (before[:-1].rstrip(), last.group()) if before.endswith(":") else ("", "")


def _plain(piece: str) -> str:
    """The text of a string without its quotes; anything else as it is."""
    own, string = _crossed(piece)
    if own or not string:
        return piece
    text = _ESCAPE.sub(lambda sign: _SIGNS.get(sign[1], sign.group()), string[1:-1])
    if not text.strip():
        raise FillerError(shown(string), "a text that is not empty, or - for no filler")
    return text


def written(texts: list[str], optional: bool) -> str:
    """A filler as a line of a key file has it; cross-references stay without quotes around them.

    >>> print(written(["THE FRONT", '"X" SAID'], True), written(['CIVILIAN: "PRIESTS"'], False))
    ? "THE FRONT" / "\\"X\\" SAID" CIVILIAN: "PRIESTS"
    """
    if len(texts) > MOST:
        raise UsageError(f"muc cannot hold {len(texts):,} alternatives of a filler, only {MOST:,}")
    mark = "? " if optional else ""
    plain = mark + " / ".join(text if _crossed(text)[0] else _quoted(text) for text in texts)
    try:
        if "\n" not in plain and "\r" not in plain and forms(plain) == (texts, optional):
            return plain
    except FillerError:
        pass
    return mark + " / ".join(map(_quoted, texts))


def _quoted(text: str) -> str:
    return f'"{"".join(_WRITTEN.get(sign, sign) for sign in text)}"'

"""Whether typed answers are in the text: as written, in another form, or not at all.

An answer is *as written* if its folded text occurs in the document, *in another form* if a stretch
of the document, read as the type of the slot, has the same value (`14:30` for "2:30 p.m."), and
*invented* otherwise. A stretch begins and ends where pieces of the text do. If a task leaves the
reading of a stretch open, as with day and month, every reading counts. Booleans, and enums whose
words are not in the text, are not judged, nor are documents without a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Words
from carob.pair.occurrences import Occurrences, cut
from carob.pair.records import RecordPair, Side
from carob.values.column import canonical
from carob.values.money import CODES, SYMBOLS
from carob.values.raw import OBJECT, TEXT, Raw, fold
from carob.values.slot import TypedSlot

NOT_JUDGED, AS_WRITTEN, ANOTHER_FORM, INVENTED = range(4)

_PIECES = {
    "number": 12,
    "date": 10,
    "time": 8,
    "datetime": 18,
    "money": 16,
    "quantity": 14,
    "id": 12,
}
"""Of how many pieces a value of each type can consist, at most."""
_LETTERS = re.compile(r"[^\W\d_]+")
_SIGNS = frozenset("-−+(.€£$¥₹")
_LETTERED = frozenset(cut(symbol)[0] for symbol in SYMBOLS)
"""What symbols such as US$ begin with."""
MOST_PIECES = 200_000
"""Documents of more pieces are not searched for other forms."""


def groundings(
    pair: RecordPair, side: Side, words: Callable[[int], Words], rows: IntArray | None = None
) -> IntArray:
    """What is known of each leaf of a side: NOT_JUDGED, AS_WRITTEN, ANOTHER_FORM or INVENTED. With
    `rows`, only these leaves are judged, which saves time.
    """
    leaves = side.leaves
    found = np.zeros(len(leaves), np.int64)
    known = leaves.node < len(pair.schema.nodes)
    doc = side.doc[leaves.template]
    order = np.flatnonzero(known) if rows is None else rows[known[rows]]
    order = order[np.argsort(doc[order], kind="stable")]
    bounds = np.flatnonzero(np.diff(doc[order])) + 1
    for own in np.split(order, bounds) if len(order) else ():
        text, tokens = words(int(doc[own[0]]))
        text = " ".join(tokens) if text is None and tokens is not None else text
        if text is None:
            continue
        document = _Document(text)
        for row in own.tolist():
            node = pair.schema.nodes[int(leaves.node[row])]
            if node.is_object:
                found[row] = INVENTED
                continue
            column = pair.columns[node.number]
            code = int(leaves.code[leaves.offsets[row]])
            found[row] = document.grounding(node.slot, column.raws[code], column.value(code))
    return found


class _Document:
    """One text, and the values that its stretches have."""

    def __init__(self, text: str) -> None:
        self.where = Occurrences(text)
        self.text = text
        self._pieces: list[str] | None = None
        self._values: dict[Any, set[Any]] = {}
        self._known: dict[tuple[int, Raw], int] = {}

    def grounding(self, slot: TypedSlot, raw: Raw, value: Any) -> int:
        """Where the value of a slot is."""
        key = (id(slot), raw)
        if key not in self._known:
            self._known[key] = self._grounding(slot, raw, value)
        return self._known[key]

    def _grounding(self, slot: TypedSlot, raw: Raw, value: Any) -> int:
        if raw.kind != OBJECT and raw.text.strip() and self.where.has(raw.text):
            return AS_WRITTEN
        if slot.type in ("boolean", "enum"):
            return ANOTHER_FORM if self._has_synonym(slot, value) else NOT_JUDGED
        if value is None or slot.type == "string":
            return INVENTED
        return ANOTHER_FORM if canonical(slot.type, value) in self.values(slot) else INVENTED

    def _has_synonym(self, slot: TypedSlot, value: Any) -> bool:
        if slot.type == "boolean" or value is None:
            return False
        return any(key == value and self.where.has(word) for word, key in slot.kind.words.items())

    def values(self, slot: TypedSlot) -> set[Any]:
        """The canonical values of all stretches that can be read as this type."""
        if slot.kind not in self._values:
            self._values[slot.kind] = self._read(slot)
        return self._values[slot.kind]

    def _read(self, slot: TypedSlot) -> set[Any]:
        if self._pieces is None:
            self._pieces = cut(self.text)
        pieces, values = self._pieces, set[Any]()
        if len(pieces) > MOST_PIECES:
            return values
        most, begins = _PIECES[slot.type], _beginning(slot)
        for start, piece in enumerate(pieces):
            if not begins(piece):
                continue
            stretch = ""
            for end in range(start, min(start + most, len(pieces))):
                stretch += pieces[end]
                if pieces[end].isspace():
                    if "\n\n" in pieces[end]:
                        break
                    continue
                for value in slot.kind.readings(Raw(TEXT, stretch)):
                    values.add(canonical(slot.type, value))
        return values


def _letters(piece: str) -> str:
    """The letters that a piece begins with."""
    found = _LETTERS.match(piece)
    return found[0] if found else ""


def _beginning(slot: TypedSlot) -> Callable[[str], bool]:
    """Whether a value of this type may begin with a piece."""
    kind = slot.type
    if kind in ("date", "datetime"):
        names = {fold(name).rstrip(".") for several in slot.kind.months for name in several}
        return lambda piece: piece[0].isdigit() or fold(_letters(piece)) in names
    if kind == "time":
        return lambda piece: piece[0].isdigit()
    if kind == "money":
        marks = {symbol[0] for symbol, _ in slot.kind.symbols}
        return lambda piece: (
            piece[0].isdigit() or piece[0] in _SIGNS or piece[0] in marks or piece in _LETTERED
            or piece[:3].upper() in CODES
        )  # fmt: skip
    if kind == "id":
        return lambda piece: piece[0].isalnum()
    return lambda piece: piece[0].isdigit() or piece[0] in _SIGNS

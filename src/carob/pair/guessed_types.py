"""The types that the slots of gold seem to have, where no task or schema says them.

A slot has a type if all values that gold has there can be read as it: a reading that fits by chance
is rare, and one that does not fit would make gold an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from carob.arrays.columns import used
from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import plain
from carob.pair.records import slot_keys
from carob.pair.template_types import paths_and_rows, types_of
from carob.values.column import Column
from carob.values.raw import NUMBER, TEXT, Raw, Raws, trimmed
from carob.values.schema import Schema
from carob.values.slot import TypedSlot, typed_slot

GUESSES = ("number", "boolean", "date", "datetime", "time", "money")
"""The types that are guessed, in this order; if none fits, the slot has strings. Only 0 and 1 can
be both numbers and booleans, and are more often numbers.
"""
_ZEROS = re.compile(r"[-−+(]?\s*0[0-9]")
_FOUR_DIGITS = re.compile(r"[0-9]{4}")
_YEAR = re.compile(r"[12][0-9]{3}")


def guessed(gold: Corpus) -> Schema:
    """The schema that gold seems to have: types that all its values can be read as, otherwise
    strings; lists where gold has a JSON list or several values.

    >>> gold = Corpus.of({"templates": [{"slots": {"total": [5], "who": ["Ann", "Bo"]}}]})
    >>> [(node.slot.type, node.slot.fillers) for node in guessed(gold).nodes[1:]]
    [('number', 'at most one'), ('string', 'any')]
    """
    slots = guessed_slots(gold)
    remark = f"{guess_remark(slots)}; carob task init GOLD writes them into a task"
    return Schema.of(slots, types_of(gold) or {""}, remarks=(remark,), guessed=True)


def guess_remark(slots: Mapping[str, TypedSlot]) -> str:
    """Which types were guessed.

    >>> guess_remark({"n": TypedSlot("number"), "who": TypedSlot()})
    'types of slots are guessed from gold (number: n; all others are strings)'
    """
    parts = []
    for kind in GUESSES:
        if paths := [path for path, slot in slots.items() if slot.type == kind]:
            parts.append(f"{kind}: {_listed(paths)}")
    if any(slot.type == "string" for slot in slots.values()):
        parts.append("all others are strings" if parts else "all slots are strings")
    if lists := [path for path, slot in slots.items() if slot.is_list]:
        parts.append(f"lists: {_listed(lists)}")
    return f"types of slots are guessed from gold ({'; '.join(parts)})"


def guessed_slots(gold: Corpus) -> dict[str, TypedSlot]:
    """The slots of a corpus, and their types as far as they show."""
    table, fillers = gold.templates, gold.templates.fillers
    paths, rows = paths_and_rows(table)
    slots: dict[str, TypedSlot] = {}
    inner = table.parent >= 0
    objects = {paths.values[code] for code in used(paths.codes[inner], len(paths.values)).tolist()}
    several = {key[1] for key in gold.facts if isinstance(key, tuple) and key[0] == "list"}
    several |= _repeated(paths.codes[inner], table.parent[inner], paths.values)
    several |= _repeated(rows.codes, fillers.template, rows.values)
    for row, values in values_of_slots(gold).items():
        if row not in objects:
            slots[row] = _slot(guessed_type(values), gold.renamed.get(row, row), row, several)
    for path in objects:
        slots[path] = _slot("object", path, path, several)
    return {gold.renamed.get(path, path): slot for path, slot in slots.items()}


def _slot(kind: str, name: str, path: str, several: set[str]) -> TypedSlot:
    fillers = "any" if name in several or path in several else "at most one"
    return typed_slot({"type": kind, "fillers": fillers})[0]


def values_of_slots(gold: Corpus) -> dict[str, Raws]:
    """The values that gold has in each slot, by the path of the slot.

    >>> gold = Corpus.of({"templates": [{"slots": {"n": [5, 6]}}]})
    >>> {path: [raw.text for raw in raws] for path, raws in values_of_slots(gold).items()}
    {'n': ['5', '6']}
    """
    fillers, rows = gold.templates.fillers, paths_and_rows(gold.templates)[1]
    texts = np.array([*fillers.text.values, ""], object)  # -1: a filler that has only a place
    every = Raws(texts, fillers.text.codes, fillers.kinds)
    row = np.repeat(rows.codes, np.diff(fillers.realisations))
    order = np.argsort(row, kind="stable")
    bounds = np.searchsorted(row[order], np.arange(len(rows.values) + 1))
    return {path: every.take(order[bounds[code] : bounds[code + 1]])
            for code, path in enumerate(rows.values)}  # fmt: skip


def guessed_type(values: Raws) -> str:
    """The first type that all values can be read as. Texts that are all years are no numbers.

    >>> [guessed_type(Raws.of([Raw(TEXT, text)])) for text in ("yes", "1", "007", "2024", "EUR 5")]
    ['boolean', 'number', 'string', 'date', 'money']
    """
    for kind in types_that_read({kind: typed_slot({"type": kind})[0] for kind in GUESSES}, values):
        years = (raw.kind == TEXT and _YEAR.fullmatch(trimmed(raw.text)) for raw in values)
        if kind != "number" or not all(years):
            return kind
    return "string"


def types_that_read(slots: Mapping[str, TypedSlot], values: Raws) -> Iterator[str]:
    """The names of those slots that can read all values; none if there is no value."""
    for name, slot in slots.items() if len(values) else ():
        # Most slots have texts, as the first values show.
        if not all(_reads(slot, raw) for raw in values[:8]):
            continue
        if slot.type == "number" and (values.kinds == NUMBER).all():  # most need not be read
            reads = bool(Column(slot, values).readable.all())
        else:
            reads = all(_reads(slot, raw) for raw in values.different()[0])
        if reads:
            yield name


def _reads(slot: TypedSlot, raw: Raw) -> bool:
    """Whether a value can be read as a type, and looks like it."""
    text = trimmed(raw.text)
    if slot.type in ("number", "money") and _ZEROS.match(text):
        return False  # an identifier
    if slot.type in ("date", "datetime") and _FOUR_DIGITS.fullmatch(text):
        return _YEAR.fullmatch(text) is not None
    return slot.kind.read(raw) is not None


def _repeated(codes: IntArray, whose: IntArray, names: Sequence[str]) -> set[str]:
    """The names that occur more than once in the same template."""
    key = np.sort(slot_keys(whose, codes, len(names) + 1), kind="stable")
    again = used(key[1:][key[1:] == key[:-1]] % (len(names) + 1), len(names) + 1)
    return {names[code] for code in again.tolist()}


def _listed(names: Sequence[str]) -> str:
    first = ", ".join(map(plain, names[:5]))
    return first if len(names) <= 5 else f"{first} and {len(names) - 5:,} more"

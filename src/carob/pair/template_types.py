"""Types of templates: which row a filler counts in, and what gold and system can compare.

A row is TYPE.slot. Language models and taggers name no type, so a side without types takes those of
the other if there is only one way to do it. Remarks report what was done and what could not be
done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from carob.arrays.columns import used
from carob.arrays.join import packed, ranked
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.paths import path_of
from carob.corpus.problems import many, plain
from carob.corpus.tables import UNKNOWN, Codes, Templates, int32

NAME_THEM = (
    'name the type of each: "label" in jsonl, the key that holds it in plain JSON '
    "(--read label=KEY), TYPE.slot as the label of mentions"
)


class Typed(NamedTuple):
    """Gold and system with comparable types, and remarks on how they were made comparable."""

    gold: Corpus
    system: Corpus
    remarks: tuple[str, ...] = ()


def typed(gold: Corpus, system: Corpus) -> Typed:
    """Gold and system with types that can be compared.

    If gold has exactly one type, system templates without a type get it, and so does the template
    that mentions fill. If gold has none, the types of the system are ignored. Nested templates take
    the types that gold has in the same slot. If the label of a mention is the name of a row of the
    other side, such as talk.speaker, the mention counts in that row.

    >>> gold = Corpus.of({"templates": [{"label": "talk", "slots": {"room": ["5"]}}]})
    >>> both = typed(gold, Corpus.of({"templates": [{"slots": {"room": ["5"]}}]}))
    >>> slot_labels(both.system), both.remarks
    (('talk.room',), ('1 template names no type and counts as talk, the only type of gold',))
    """
    if len(gold.templates) and len(system.templates):
        return _of_templates(gold, system)
    if len(gold.templates) and len(system.mentions):
        return _of_mentions(gold, system)
    if len(system.templates) and len(gold.mentions):
        return _of_gold_mentions(gold, system)
    return Typed(gold, system)


def typed_as(gold: Corpus, system: Corpus) -> Corpus:
    """The system with types that can be compared with gold's.

    >>> gold = Corpus.of({"templates": [{"label": "talk", "slots": {"who": ["Ann"]}}]})
    >>> slot_labels(typed_as(gold, Corpus.of("[Ann]who")))
    ('talk.who',)
    """
    return typed(gold, system).system


def slot_labels(corpus: Corpus) -> tuple[str, ...]:
    """The rows that the fillers of a corpus count in, sorted.

    >>> slot_labels(Corpus.of("[Ann]speaker"))
    ('speaker',)
    """
    rows = named(corpus.templates)[1] if len(corpus.templates) else None
    return tuple(sorted(set(row_names(corpus, rows))))


def slots_without_types(corpora: Iterable[Corpus]) -> tuple[str, ...]:
    """The slots of templates of all types, or the labels of mentions that fill slots, sorted.

    >>> slots_without_types([Corpus.of({"templates": [{"label": "t", "slots": {"who": ["Ann"]}}]})])
    ('who',)
    """
    names: set[str] = set()
    for corpus in corpora:
        if len(corpus.templates):
            table, row = corpus.templates, named(corpus.templates)[1]
            if not table.label.values:
                names.update(row_names(corpus, row))
                continue
            top = np.arange(len(table))
            while (inner := table.parent[top] >= 0).any():
                top = np.where(inner, table.parent[top], top)
            kind = table.label.codes[top[table.fillers.template]].astype(np.int64)
            width = len(row.values) + 1
            pairs, _ = ranked((kind + 1) * width + row.codes)
            for pair in pairs.tolist():
                code, name = pair // width - 1, row_names(corpus, row)[pair % width]
                prefix = "" if code < 0 else f"{table.label.values[code]}."
                names.add(name.removeprefix(prefix))
        else:
            kinds, rows = corpus.form, row_names(corpus, None)
            for label, name in zip(corpus.labels, rows, strict=True):
                kind_name = kinds.get(label, ("", label))[0]
                names.add(name.removeprefix(f"{kind_name}." if kind_name else ""))
    return tuple(sorted(names))


def row_names(corpus: Corpus, rows: Codes | None) -> list[str]:
    """The names of the rows of a corpus: its slots, or its labels."""
    if rows is not None:
        return [corpus.renamed.get(row, row) for row in rows.values]
    return [corpus.form.get(label, ("", label))[1] for label in corpus.labels]


def types_of(corpus: Corpus) -> set[str]:
    """The types of the templates at the top, without the missing ones.

    >>> types_of(Corpus.of({"templates": [{"label": "talk"}]}))
    {'talk'}
    """
    table = corpus.templates
    top = table.label.codes[table.parent == UNKNOWN]
    return {table.label.values[code] for code in np.unique(top[top != UNKNOWN]).tolist()}


def loose_labels(corpus: Corpus) -> tuple[str, ...]:
    """The labels of mentions that fill no slot of a template; without templates, all labels.

    >>> loose_labels(Corpus.of("[Ann]PER"))
    ('PER',)
    """
    if not len(corpus.templates):
        return corpus.labels
    codes = np.unique(corpus.mentions.label[~fills_template(corpus)])
    return tuple(corpus.labels[code] for code in codes.tolist())


def fills_template(corpus: Corpus) -> BoolArray:
    """Which mentions are fillers of a template, by their id or by their place.

    >>> fills_template(Corpus.of("[Ann]PER"))
    array([False])
    """
    table, fillers = corpus.mentions, corpus.templates.fillers
    found = np.zeros(len(table) + 1, bool)
    found[fillers.mention] = True
    pieces, offsets = fillers.fragments, fillers.fragments.offsets
    placed = np.flatnonzero(np.diff(offsets) > 0)
    doc = corpus.templates.doc[fillers.template[fillers.filler[placed]]]
    theirs = [doc, pieces.start[offsets[placed]], pieces.end[offsets[placed + 1] - 1]]
    keys, others = packed([table.doc, table.start, table.end], theirs)
    return found[:-1] | np.isin(keys, others)


def _of_templates(gold: Corpus, system: Corpus) -> Typed:
    ours, theirs = gold.templates, system.templates
    if not ours.label.values and not theirs.label.values:
        return Typed(gold, system)
    words = tuple(sorted({*ours.label.values, *theirs.label.values}))
    known, new = ours.label.onto(words).codes, theirs.label.onto(words).codes.copy()
    here, there = (named(_bare(table))[0] for table in (ours, theirs))
    low, high = np.full(len(here.values) + 1, len(words)), np.full(len(here.values) + 1, -2)
    np.minimum.at(low, here.codes, known)
    np.maximum.at(high, here.codes, known)
    place = there.onto(here.values).codes  # -1, the last, is a slot that gold does not have
    only = np.where(low == high, low, -2)[place]
    adopted, dropped = (only >= 0) & (new == UNKNOWN), (only == UNKNOWN) & (new != UNKNOWN)
    top = theirs.parent == UNKNOWN
    remarks = _met(types_of(gold), types_of(system), ours, new[top])
    if adopted.any() or dropped.any():
        if count := int(np.count_nonzero(adopted & top)):
            verb = "names no type and counts as" if count == 1 else "name no type and count as"
            kind = plain(words[int(only[adopted & top][0])])
            remarks.append(f"{many(count, 'template')} {verb} {kind}, the only type of gold")
        gone = [words[code] for code in np.unique(new[dropped & top]).tolist()]
        remarks += [_dropped(gone)] if gone else []
        if inner := int(np.count_nonzero((adopted | dropped) & ~top)):
            verb = "that fills a slot takes" if inner == 1 else "that fill slots take"
            remarks.append(f"{many(inner, 'template')} {verb} the type that gold has there")
        new = np.where(adopted | dropped, only, new)
        table = replace(theirs, label=Codes(int32(new), words))
        system = replace(system, templates=table)
    return Typed(gold, system, tuple(remarks))


def _all_typed(table: Templates) -> bool:
    """Whether every template at the top has a type."""
    return not (table.label.codes[table.parent == UNKNOWN] == UNKNOWN).any()


def _bare(table: Templates) -> Templates:
    """Templates without types: their paths consist of slots only."""
    if not table.label.values:
        return table
    return replace(table, label=Codes(np.full(len(table), UNKNOWN, np.int32), ()))


def _dropped(types: Iterable[str]) -> str:
    return f"gold names no type: what the system names ({_listed(types)}) is left out"


def _met(ours: set[str], theirs: set[str], gold: Templates, top: IntArray) -> list[str]:
    """The remarks if types do not match."""
    untyped = int(np.count_nonzero(top == UNKNOWN))
    remarks = []
    if len(ours) > 1 and untyped and _all_typed(gold):
        names = "names" if untyped == 1 else "name"
        remarks.append(
            f"{many(untyped, 'template')} {names} no type, and gold has {_listed(ours)}: nothing "
            f"in {'it' if untyped == 1 else 'them'} can match; {NAME_THEM}"
        )
    if ours and theirs and not ours & theirs:
        remarks.append(
            f"no type that the system names ({_listed(theirs)}) is one of gold ({_listed(ours)}): "
            "nothing in those templates can match; give them gold's types"
        )
    return remarks


def _of_mentions(gold: Corpus, system: Corpus) -> Typed:
    """Mentions against templates of gold."""
    types, rows = types_of(gold), set(slot_labels(gold))
    whole = _all_typed(gold.templates)
    form = _labelled(system.labels, rows, types)
    open_ = [label for label in system.labels if not form[label][0]]
    remarks = []
    if open_ and whole and len(types) == 1:
        kind = min(types)
        for label in open_:
            row = f"{kind}.{label}"
            form[label] = kind, system.renamed.get(row, row)
        first, row = open_[0], form[open_[0]][1]
        remarks.append(
            f"mentions count as slots of {plain(kind)}, the only type of gold: "
            f"{plain(first)} as {plain(row)}"
        )
    elif open_ and whole:
        remarks.append(
            f"labels of mentions ({_listed(open_)}) name no type, and gold has {_listed(types)}: "
            f"none of them can match; {NAME_THEM}"
        )
    return Typed(gold, replace(system, form=form), tuple(remarks))


def _of_gold_mentions(gold: Corpus, system: Corpus) -> Typed:
    """Templates against mentions of gold."""
    types = types_of(system)
    form = _labelled(gold.labels, set(slot_labels(system)), types)
    if not types or any(kind for kind, _ in form.values()):
        return Typed(replace(gold, form=form), system)
    table = system.templates
    label = np.where(table.parent == UNKNOWN, UNKNOWN, table.label.codes)
    bare = replace(table, label=Codes(int32(label), table.label.values))
    return Typed(gold, replace(system, templates=bare), (_dropped(types),))


def _labelled(labels: Iterable[str], rows: set[str], types: set[str]) -> dict[str, tuple[str, str]]:
    """Type and row of each label; a label that is a row of the other side names its type."""
    form: dict[str, tuple[str, str]] = {}
    for label in labels:
        fits = [kind for kind in types if label in rows and label.startswith(f"{kind}.")]
        form[label] = max(fits, key=len, default=""), label
    return form


def named(table: Templates) -> tuple[Codes, Codes]:
    """The path of every template, and the row of every filler: words joined by dots."""
    if "names" not in table.remembered:
        table.remembered["names"] = _named(table)
    found: tuple[Codes, Codes] = table.remembered["names"]
    return found


def paths_and_rows(table: Templates) -> tuple[Codes, Codes]:
    """The same as `path_of` writes them: with a backslash before a dot that is part of a slot."""
    columns = table.slot, table.fillers.slot
    if not any("." in word or "\\" in word for column in columns for word in column.values):
        return named(table)
    if "paths" not in table.remembered:
        outer, inner = (replace(each, values=tuple(path_of([word]) for word in each.values))
                        for each in columns)  # fmt: skip
        fillers = replace(table.fillers, slot=inner)
        table.remembered["paths"] = _named(replace(table, slot=outer, fillers=fillers))
    found: tuple[Codes, Codes] = table.remembered["paths"]
    return found


def _named(table: Templates) -> tuple[Codes, Codes]:
    names: list[str] = [*table.label.values, ""]
    path = np.full(len(table), UNKNOWN, np.int32)
    top = table.parent == UNKNOWN
    typed = table.label.codes >= 0
    path[top] = np.where(typed[top], table.label.codes[top], len(names) - 1)
    waiting = np.flatnonzero(~top)
    while waiting.size:  # once for each depth: a parent comes before its children
        ready = path[table.parent[waiting]] != UNKNOWN
        now, waiting = waiting[ready], waiting[~ready]
        path[now] = _joined(path[table.parent[now]], table.slot, table.slot.codes[now], names)
    row = _joined(path[table.fillers.template], table.fillers.slot, table.fillers.slot.codes, names)
    return _as_codes(path, names), _as_codes(row, names)


def _joined(path: IntArray, slot: Codes, code: IntArray, names: list[str]) -> IntArray:
    """New names for pairs of a path and a slot, appended to `names`."""
    width = len(slot.values) + 1
    limit = len(names) * width
    pairs, which = ranked(path * (np.int32 if limit < 1 << 31 else np.int64)(width) + code)
    first = len(names)
    for pair in pairs.tolist():
        before, word = names[pair // width], slot.values[pair % width]
        names.append(f"{before}.{word}" if before else word)
    return int32(which + first)


def _as_codes(column: IntArray, names: Sequence[str]) -> Codes:
    words = sorted({names[i] for i in used(column, len(names)).tolist()})
    place = {word: i for i, word in enumerate(words)}
    table = int32([place.get(name, UNKNOWN) for name in names])
    return Codes(table[column], tuple(words))


def implicit(corpus: Corpus) -> tuple[tuple[str, ...], IntArray]:
    """The types of the templates that mentions fill, and the type for each label."""
    kinds = [corpus.form.get(label, ("", label))[0] for label in corpus.labels]
    types = tuple(sorted(set(kinds))) or ("",)
    return types, int32([*(types.index(kind) for kind in kinds), 0])


def _listed(names: Iterable[str]) -> str:
    every = sorted(names)
    first = ", ".join(map(plain, every[:5]))
    return first if len(every) <= 5 else f"{first} and {len(every) - 5:,} more"

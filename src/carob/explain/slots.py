"""Errors in the slots of templates, from the events of `templates`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from carob.arrays.greedy import greedy
from carob.arrays.join import every, packed
from carob.arrays.ranges import place_in_group
from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Words
from carob.corpus.document import Mention
from carob.corpus.tables import UNKNOWN, Fragments, int32, joined_codes
from carob.explain.analysis import CorrectableErrors
from carob.explain.context import in_context, pieces
from carob.pair.filled import Filled, FilledPair, Forms, words_at
from carob.pair.pair import Pair
from carob.result.documents import Item
from carob.result.errors import SlotExample

UNGROUNDED = "ungrounded"

_MOST_PAIRS = 50_000_000
"""Equal strings of more pairs than this are not looked at as confusions of slots."""


class SlotErrors(CorrectableErrors):
    """The types of MUC, Chinchor & Sundheim (1993), and answers that are not in the text.

    >>> from carob import Corpus, Recipe
    >>> pair = Pair.of(Corpus.of("[Ann]who met [Bo]whom"), Corpus.of("[Ann]who [met]whom Bo"))
    >>> analysis = SlotErrors(
    ...     pair, Recipe.parse("templates.F1").space(pair), lambda row: (None, None)
    ... )
    >>> better = analysis.corrected(["INC"]).filled
    >>> [better.texts.values[code] for code in better.texts.system]
    ['ann', 'bo']
    """

    item: ClassVar[Literal["mention", "filler", "value"]] = "filler"
    kinds: ClassVar[tuple[str, ...]] = ("COR", "PAR", "INC", "MIS", "SPU")
    extra: ClassVar[str] = "SPU"
    also: ClassVar[tuple[str, ...]] = (UNGROUNDED,)

    @property
    def ungrounded(self) -> BoolArray:
        """In which rows the system has an answer that is not found in the text."""
        return np.append(self.pair.filled.ungrounded, False)[self.system]

    def of_type(self, kind: str) -> BoolArray:
        """Which rows are of a type; a wrong answer that is ungrounded is also of another type."""
        return (self.kind != 0) & self.ungrounded if kind == UNGROUNDED else super().of_type(kind)

    def counts(self) -> dict[str, IntArray]:
        """How often each type occurs in each slot; ungrounded answers in that of the system."""
        slot = self.labels_of("system")[self.of_type(UNGROUNDED)]
        size = len(self.table.labels)
        return super().counts() | {UNGROUNDED: np.bincount(slot, minlength=size)}

    def confused_items(self) -> tuple[IntArray, IntArray]:
        """Errors, for a matrix of slots: which slot of gold became which slot of the system.

        A filler of gold that was not found, and a wrong answer of the same document that is the
        same string, are one right string in the wrong place: the row is gold's slot, the column
        the system's. Of what is left, two fillers that were compared and differ are on the
        diagonal, others in the last column (missed) or row (one too many).
        """
        filled, texts = self.pair.filled, self.pair.filled.texts
        wrong = self.kind >= self.kinds.index("INC")
        lost, extra = self.gold[wrong], self.system[wrong]
        ours, our_text = _texts(
            filled.gold, texts.gold, lost[lost >= 0], np.arange(len(texts.gold))
        )
        theirs, their_text = _texts(
            filled.system, texts.system, extra[extra >= 0], filled.system.realisations[:-1]
        )
        keys = packed([filled.gold.doc[ours], our_text], [filled.system.doc[theirs], their_text])
        same = every(*keys, _MOST_PAIRS)
        moved = np.empty(0, np.int64), np.empty(0, np.int64)
        if same is not None:
            gold, system = ours[same[0]], theirs[same[1]]
            best = greedy(gold, system)
            moved = gold[best], system[best]
        left = self.kind != 0
        gold, system = self.gold[left].copy(), self.system[left].copy()
        gold[np.isin(gold, moved[0])] = UNKNOWN
        system[np.isin(system, moved[1])] = UNKNOWN
        some = (gold != UNKNOWN) | (system != UNKNOWN)
        return np.append(moved[0], gold[some]), np.append(moved[1], system[some])

    def corrected(self, types: Sequence[str]) -> Pair:
        """A wrong answer in the place of a filler of gold becomes that filler, a missing one is
        added, and one too many is gone.
        """
        wrong = np.any([self.of_type(kind) for kind in types], axis=0)
        return _correct_fillers(self.pair, self.gold, self.system, wrong)

    def example(self, row: int) -> SlotExample:
        """One error with what both sides say and the words around."""
        filled = self.pair.filled
        doc, gold, system = int(self.doc[row]), int(self.gold[row]), int(self.system[row])
        words, places = filled.words(doc), filled.grounded
        ours = self._texts_of(filled.gold, gold, words)
        theirs = self._texts_of(filled.system, system, words)
        label = self.labels_of("gold" if gold >= 0 else "system")[row]
        unit = filled.unit
        our_place = self._mention(filled.gold, places.gold, gold)
        their_place = self._mention(filled.system, places.system, system)
        return SlotExample(
            self.kinds[self.kind[row]],
            filled.documents.name(doc),
            filled.labels[label],
            ours,
            theirs[0] if theirs else None,
            in_context(words, unit, our_place),
            in_context(words, unit, their_place),
            not self.ungrounded[row],
            pieces(words, unit, our_place),
            pieces(words, unit, their_place),
        )

    def _texts_of(self, side: Filled, row: int, words: Words) -> tuple[str, ...]:
        """What a filler and its alternatives say: their texts, or the words at their places."""
        if row < 0:
            return ()
        texts = []
        for each in range(int(side.realisations[row]), int(side.realisations[row + 1])):
            text = side.raw[each]
            if text is None:
                text = words_at(words, side.fragments.of(each), self.pair.filled.unit)
            texts.append("?" if text is None else text)
        return tuple(dict.fromkeys(texts))

    def _mention(self, side: Filled, places: Fragments, row: int) -> Mention | None:
        """A filler that has a place, as what stands there."""
        if row < 0 or not (fragments := places.of(int(side.realisations[row]))):
            return None
        return Mention.of(self.pair.filled.labels[side.label[row]], fragments)

    @property
    def unit(self) -> str:
        """What positions of fillers count."""
        return self.pair.filled.unit

    def gold_rows(self) -> IntArray:
        """The rows of gold's fillers, whatever this system's types made of their slots."""
        return self.pair.filled.gold.row

    def items(self, side: str, rows: IntArray, words: Words, unit: str) -> list[Item]:
        """Fillers with all that they may say, and the places that they have or were found at."""
        filled, notes = self.pair.filled, self._template_notes[side]
        table: Filled = getattr(filled, side)
        places: Fragments = getattr(filled.grounded, side)
        return [
            Item(
                filled.labels[table.label[row]],
                places.of(int(table.realisations[row])) if unit == self.unit else (),
                self._texts_of(table, row, words),
                notes[int(table.template[row])],
            )
            for row in rows.tolist()
        ]

    @cached_property
    def _template_notes(self) -> dict[str, list[str]]:
        """Of each side, which template of its document each is in; nothing if there is only one.
        Templates that fill slots of others belong to those.
        """
        notes = {}
        for side in ("gold", "system"):
            forms: Forms = getattr(self.pair.filled, side).forms
            top = np.arange(len(forms))
            while ((above := forms.parent[top]) != UNKNOWN).any():
                top = np.where(above == UNKNOWN, top, above)
            first = np.flatnonzero(forms.parent == UNKNOWN)
            doc = forms.doc[first]
            number = np.zeros(len(forms), np.int64)
            number[first] = np.where(np.bincount(doc)[doc] > 1, place_in_group(doc) + 1, 0)
            notes[side] = [f"template {n}" if n else "" for n in number[top].tolist()]
        return notes

    def extra_keys(self, other: SlotErrors, label: int | None) -> tuple[IntArray, IntArray]:
        """Document, slot and text of extra answers."""
        codes: dict[str, int] = {}
        columns = []
        for each in (self, other):
            filled = each.pair.filled
            rows = each.extra_rows(label)
            own = filled.texts.system[filled.system.realisations[rows]]
            texts = [filled.texts.values[code] if code >= 0 else "" for code in own.tolist()]
            text = np.array([codes.setdefault(each, len(codes)) for each in texts], np.int64)
            columns.append([filled.system.doc[rows], filled.system.label[rows], text])
        return packed(columns[0], columns[1])


def _texts(
    side: Filled, codes: IntArray, fillers: IntArray, realisations: IntArray
) -> tuple[IntArray, IntArray]:
    """Some fillers with each of their known texts, as far as these are among `realisations`."""
    chosen = np.zeros(len(side), bool)
    chosen[fillers] = True
    owner = side.filler[realisations]
    here = chosen[owner] & (codes[realisations] != UNKNOWN)
    return owner[here], codes[realisations][here].astype(np.int64)


def _correct_fillers(pair: Pair, gold: IntArray, system: IntArray, wrong: BoolArray) -> Pair:
    """The pair as it would be if the errors `wrong` had not been made.

    `gold` and `system` are the fillers of each row that was judged, -1 for none. A missing filler
    goes to the template that gold's template is aligned with, or to a new one.
    """
    filled = pair.filled
    both = (gold >= 0) & (system >= 0)
    aligned = filled.gold.template[gold[both]], filled.system.template[system[both]]
    gold, system = gold[wrong], system[wrong]
    swapped = (gold >= 0) & (system >= 0)
    missing = gold[system < 0]
    forms, home = _templates(filled, aligned, missing)
    size = len(filled.system)
    index = np.arange(size)
    index[system[swapped]] = size + gold[swapped]
    kept = np.ones(size, bool)
    kept[system[gold < 0]] = False
    index = np.concatenate([index[kept], size + missing])
    template = np.concatenate([filled.system.template[kept], home[filled.gold.template[missing]]])
    sure = np.concatenate([filled.system.confidence[kept], np.full(len(missing), np.nan)])
    order = np.argsort(template, kind="stable")
    answers = replace(
        _joined(filled.system, filled.gold).take(index[order]),
        template=int32(template[order]),
        confidence=sure[order],
        optional=np.zeros(len(order), bool),
        forms=forms,
    )
    better = replace(filled, system=answers)
    return replace(pair, slots=lambda: better)


def _templates(
    filled: FilledPair, aligned: tuple[IntArray, IntArray], missing: IntArray
) -> tuple[Forms, IntArray]:
    """The system's templates with those that have to be new, and the one for each of gold's."""
    ours, theirs = filled.gold.forms, filled.system.forms
    home = np.full(len(ours), UNKNOWN, np.int64)
    home[aligned[0]] = aligned[1]
    # Templates that hold aligned templates are aligned, too.
    for row in np.unique(aligned[0]).tolist():
        above, other = int(ours.parent[row]), int(theirs.parent[home[row]])
        while above != UNKNOWN and other != UNKNOWN and home[above] == UNKNOWN:
            home[above] = other
            above, other = int(ours.parent[above]), int(theirs.parent[other])
    new: list[int] = []
    for row in np.unique(filled.gold.template[missing]).tolist():
        chain, at = [], row
        while at != UNKNOWN and home[at] == UNKNOWN:
            chain.append(at)
            at = int(ours.parent[at])
        for each in reversed(chain):
            home[each] = len(theirs) + len(new)
            new.append(each)
    rows = np.array(new, np.int64)
    parents = np.append(home, UNKNOWN)[ours.parent[rows]]
    return Forms(
        np.concatenate([theirs.doc, ours.doc[rows]]),
        np.concatenate([theirs.type, ours.type[rows]]),
        np.concatenate([theirs.path, ours.path[rows]]),
        np.concatenate([theirs.parent, int32(parents)]),
    ), home


def _joined(one: Filled, other: Filled) -> Filled:
    """Two tables end to end; their templates are those of before."""
    both, join = (one, other), np.concatenate
    return Filled(
        join([each.doc for each in both]),
        join([each.label for each in both]),
        join([each.template for each in both]),
        join([each.optional for each in both]),
        join([each.confidence for each in both]),
        _ends([each.realisations for each in both]),
        joined_codes([each.raw for each in both]),
        Fragments(
            _ends([each.fragments.offsets for each in both]),
            join([each.fragments.start for each in both]),
            join([each.fragments.end for each in both]),
        ),
        join([one.row, np.full(len(other), UNKNOWN, np.int32)]),
        one.forms,
    )


def _ends(columns: Sequence[IntArray]) -> IntArray:
    """The offsets of tables that are laid end to end."""
    sizes = [np.diff(column) for column in columns]
    ends: IntArray = np.cumsum(np.concatenate([[0], *sizes]))
    return ends

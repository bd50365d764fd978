"""Two files as other tools are given them: tags as they are in the files, and mentions on one
numbering of positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from carob.arrays.tags import EMPTY, interpret, stacked
from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus, TagLine
from carob.corpus.lists import is_list
from carob.corpus.problems import DataError
from carob.corpus.tables import Fragments, Mentions, int32
from carob.counts.tally import Tally
from carob.evaluate.score import average
from carob.pair.pair import Pair
from carob.pair.readings import Counted, Credits, Files, Reading, Side, Spot, Tagged, numbered
from carob.recipe import Recipe
from carob.result.result import number_or_none

LETTERS = "BIES"
NO_TOKENS = "these files have no tokens"


class Views:
    """How carob and other tools may see a pair of files."""

    def __init__(self, pair: Pair, corpora: Sequence[Corpus], inputs: Sequence[Any]) -> None:
        self.pair, self.corpora = pair, tuple(corpora)
        try:
            self.tokens: Pair | None = pair.in_tokens
            if (self.tokens.documents.length < 0).any():
                self.tokens = None
        except DataError:
            self.tokens = None
        seen = self.tokens or pair
        lengths = seen.documents.length.astype(np.int64)
        for table in (seen.gold, seen.system):
            np.maximum.at(lengths, table.doc, table.end)
        self.lengths = lengths
        # One position more for the line that opens a document.
        self.starts: IntArray = np.concatenate([[0], np.cumsum(lengths + 1)])
        self._kept: tuple[Reading, Mapping[str, str], Counted] | None = None
        self.sides = self._sides(inputs)

    def files(self, recipes: Mapping[str, str]) -> Files:
        """What a tool is given, if carob's numbers are those of these recipes."""
        inside = [self._inside(side) for side in ("gold", "system")]
        table = self.tokens or self.pair
        exact = Reading(
            self._spots(table.gold, inside[0]), self._spots(table.system, inside[1])
        )  # fmt: skip
        snapped = None
        if any(each is not None for each in inside):
            snapped = Reading(self._spots(table.gold), self._spots(table.system))
        return Files(
            exact, self._counted(self.pair, exact, recipes), self.starts[:-1], self.sides, snapped,
            "" if self.sides else NO_TOKENS,
        )  # fmt: skip

    def count(self, reading: Reading, recipes: Mapping[str, str]) -> Counted:
        """The numbers and credits of a reading by carob's recipes."""
        if self._kept is not None and self._kept[:2] == (reading, recipes):
            return self._kept[2]
        pair = self.pair_of(reading)
        labels = pair.labels
        ordered = Reading(
            self._spots(pair.gold, labels=labels), self._spots(pair.system, labels=labels)
        )
        counted = self._counted(pair, ordered, recipes)
        self._kept = reading, recipes, counted
        return counted

    def pair_of(self, reading: Reading) -> Pair:
        """The mentions of a reading as a pair of tokens, or of whatever positions there are."""
        labels = tuple(sorted({spot.label for side in reading for spot in side}))
        number = {label: i for i, label in enumerate(labels)}
        lengths, tables = self.lengths.copy(), []
        documents = (self.tokens or self.pair).documents
        for spots in reading:
            start = np.array([spot.start for spot in spots], np.int64)
            end = np.array([spot.end for spot in spots], np.int64)
            doc = np.searchsorted(self.starts, start, side="right") - 1
            base = self.starts[doc]
            np.maximum.at(lengths, doc, end - base)
            fragments = None
            if any(len(spot.fragments) > 1 for spot in spots):
                fragments = Fragments.of_spans([
                    [(low - first, high - first) for low, high in spot.fragments]
                    for spot, first in zip(spots, base.tolist(), strict=True)
                ])  # fmt: skip
            tables.append(Mentions(
                int32(doc), int32(start - base), int32(end - base),
                int32([number[spot.label] for spot in spots]), fragments,
            ))  # fmt: skip
        documents = replace(documents, length=int32(lengths))
        gold, system = (_ordered(documents, table, labels) for table in tables)
        return Pair(gold, system, labels, documents, "token")

    def _counted(self, pair: Pair, reading: Reading, recipes: Mapping[str, str]) -> Counted:
        parsed = {name: Recipe.parse(text) for name, text in recipes.items()}
        tallies = {recipe.space: None for recipe in parsed.values()}
        values, credits = {}, Credits()
        found: dict[Any, Tally] = {}
        for space in tallies:
            events = space(pair)
            found[space] = Tally.of(space, pair, events)
            if not credits:
                sides = []
                for side in ("gold", "system"):
                    shares = space.quantities[f"{side}_right"]
                    worth = np.array([shares.get(name, 0.0) for name in space.outcomes])
                    rows = getattr(events, side)
                    there = rows >= 0
                    size = len(getattr(pair, side))
                    weights = (worth[events.outcome] * events.weight)[there]
                    sides.append(np.bincount(rows[there], weights, size).tolist())
                credits = reading.credited(*sides)
        for name, recipe in parsed.items():
            values[name] = number_or_none(average(recipe, found[recipe.space], None).value)
        return Counted(values, credits)

    def _inside(self, side: str) -> list[tuple[int, int] | None] | None:
        """Where mentions that do not fit tokens are, in characters; None if all fit."""
        if self.tokens is None or self.tokens is self.pair or self.pair.borders is None:
            return None
        table: Mentions = getattr(self.pair, side)
        moved = self.pair.borders().snapped(table)[1]
        if not moved.any():
            return None
        return [
            (int(table.start[row]), int(table.end[row])) if moved[row] else None
            for row in range(len(table))
        ]

    def _spots(
        self, table: Mentions, inside: Sequence[tuple[int, int] | None] | None = None,
        labels: tuple[str, ...] | None = None,
    ) -> tuple[Spot, ...]:  # fmt: skip
        names = self.pair.labels if labels is None else labels
        first = self.starts[table.doc]
        columns = (first + table.start, first + table.end, table.label)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        made = [Spot(((start, end),), names[label]) for start, end, label in rows]
        for row in table.discontinuous.tolist():
            base = int(first[row])
            parts = tuple((base + low, base + high) for low, high in table.fragments_of(row))
            made[row] = made[row]._replace(fragments=parts)
        for row, span in enumerate(inside or ()):
            if span is not None:
                made[row] = made[row]._replace(inside=span)
        return tuple(made)

    def _sides(self, inputs: Sequence[Any]) -> tuple[Side, Side] | None:
        """The tags of both files, as far as there are tokens."""
        if self.tokens is None:
            return None
        sides = []
        tables = (self.tokens.gold, self.tokens.system)
        for given, corpus, table in zip(inputs, self.corpora, tables, strict=True):
            lines = tag_lines(given, corpus)
            if lines is not None:
                side = self._raw(lines, corpus)
            else:
                side = self._made(table)
            sides.append(side)
        return sides[0], sides[1]

    def _raw(self, documents: list[list[TagLine]], corpus: Corpus) -> Side:
        """The tags of a file. Its lines with tokens are those of gold, one after the other."""
        apart = corpus.origin is None or corpus.origin.format == "memory"
        rows: list[TagLine] = []
        sequences: list[int] = []
        owners: list[int] = []
        sequence, blank = -1, True
        for number, lines in enumerate(documents):
            blank = blank or apart
            for each in lines:
                if each.tag is None:
                    blank = True
                    continue
                sequence += blank
                blank = False
                rows.append(each)
                sequences.append(sequence)
                owners.append(number)
        tags, codes = numbered([row.tag or "" for row in rows])
        opens = np.array([row.opens for row in rows], bool)
        last = max(0, len(self.lengths) - 1)
        # Which of all tokens a line holds says in which document of gold it is.
        token = np.cumsum(~opens) - 1
        doc = np.searchsorted(np.cumsum(self.lengths), token, side="right")
        doc = np.minimum(np.where(opens, np.array(owners, np.int64), doc), last)
        position = np.where(opens, self.starts[doc + 1] - 1 if len(doc) else token, token + doc)
        line = np.array([row.line for row in rows], np.int64)
        tagged = Tagged(tags, codes, np.array(sequences, np.int64), doc, position, line, opens)
        how = corpus.origin.parameters if corpus.origin else {}
        levels = any(len(stacked(tag)) > 1 for tag in tags)
        layers = "+" in how.get("columns", "").partition("+token=")[0] or levels
        scheme = how.get("scheme", "iob2")
        return Side(tagged, _meant(tags, scheme), scheme, layers=layers)

    def _made(self, table: Mentions) -> Side:
        """Tags in IOB2 for mentions: the longest first, and none over another. A mention without
        positions has none.
        """
        total = int(self.lengths.sum())
        doc = np.repeat(np.arange(len(self.lengths)), self.lengths)
        position = np.arange(total) + doc
        tags = ["O"] * int(self.starts[-1])
        spots = self._spots(table)
        for spot in sorted(spots, key=lambda each: (each.start - each.end, each)):
            if (
                len(spot.fragments) == 1
                and spot.end > spot.start
                and tags[spot.start : spot.end].count("O") == (spot.end - spot.start)
            ):
                inside = [f"I-{spot.label}"] * (spot.end - spot.start - 1)
                tags[spot.start : spot.end] = [f"B-{spot.label}", *inside]
        names, codes = numbered([tags[place] for place in position.tolist()])
        documents = (self.tokens or self.pair).documents
        opens = np.zeros(total, bool)
        opens[np.concatenate([[0], np.cumsum(self.lengths)])[:-1][self.lengths > 0]] = True
        first = np.concatenate([[0], np.cumsum(self.lengths)]).tolist()
        for row in range(len(documents) if len(documents.sentence_start) else 0):
            offset = first[row]
            for start in documents.sentences(row):
                if start < self.lengths[row]:
                    opens[offset + start] = True
        sequence = np.cumsum(opens) - 1
        none = np.zeros(total, bool)
        tagged = Tagged(names, codes, sequence, doc, position, doc + 1, none)
        return Side(tagged, names, "iob2", made=True)


def _ordered(documents: Any, table: Mentions, labels: tuple[str, ...]) -> Mentions:
    return Corpus(None, documents, table, labels).ordered().mentions


def _meant(tags: Sequence[str], scheme: str) -> tuple[str, ...]:
    """What carob takes each tag for: O, or B-, I-, E- or S- with a label."""
    plain = [stacked(tag)[0] for tag in tags]
    inside = [tag for tag in plain if tag not in ("O", EMPTY)]
    tagset = interpret(inside, "io" if scheme == "io" else "auto")
    meaning = {
        tag: f"{LETTERS[int(prefix)]}-{tagset.labels[int(label)]}"
        for tag, prefix, label in zip(inside, tagset.prefix, tagset.label, strict=True)
        if label >= 0
    }
    return tuple(meaning.get(tag, "O") for tag in plain)


def tag_lines(given: Any, corpus: Corpus) -> list[list[TagLine]] | None:
    """The tags of each document, as a file or lists have them; None if there are none."""
    return _given_lines(given) or _file_lines(corpus)


def _given_lines(given: Any) -> list[list[TagLine]] | None:
    """The tags of lists, each a document; None if these are something else."""
    if not is_list(given):
        return None
    first = next((items for items in given if len(items)), None)
    if first is None or not is_list(first) or not isinstance(next(iter(first)), str):
        return None
    return [[TagLine(row, str(tag)) for tag in tags] for row, tags in enumerate(given, 1)]


def _file_lines(corpus: Corpus) -> list[list[TagLine]] | None:
    """The tags of a file; None if it has none."""
    documents = []
    for row in range(len(corpus)):
        lines = corpus.tag_lines(row)
        if lines is None:
            return None
        documents.append(lines)
    return documents

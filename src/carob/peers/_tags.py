"""What tools that read tags have in common: how mentions are found between tags, and the first
steps from carob's reading to theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from carob.arrays.peer_tags import MentionColumns, TagColumn
from carob.arrays.tags import decode, illegal
from carob.arrays.types import IntArray
from carob.corpus.problems import many, shown
from carob.pair.readings import (
    Counted,
    Counting,
    Files,
    Reading,
    RefusalError,
    Side,
    Spot,
    Step,
    Tagged,
)

OUTSIDE = "O"


def tag_column(tagged: Tagged) -> TagColumn:
    """The tags as one column, with an O after each sequence.

    >>> tag_column(Tagged.of([["B-A"], ["O", "B-A"]])).codes.tolist()
    [1, 0, 0, 1, 0]
    """
    tags = [OUTSIDE, *(tag for tag in tagged.tags if tag != OUTSIDE)]
    number = {tag: i for i, tag in enumerate(tags)}
    codes = np.array([number[tag] for tag in tagged.tags] + [0])[tagged.codes]
    return TagColumn(np.insert(codes, np.cumsum(tagged.lengths), 0), tags)


def line_of_place(tagged: Tagged) -> IntArray:
    """The row of the line at each place of the column; after a sequence, that of its last line."""
    stops = np.cumsum(tagged.lengths)
    return np.insert(np.arange(len(tagged)), stops, stops - 1)


def spots(tagged: Tagged, read: Callable[[TagColumn], MentionColumns]) -> tuple[Spot, ...]:
    """The mentions that a tool finds. If one ends that has no beginning, as in seqeval, it may have
    begun anywhere before.

    >>> from carob.arrays.peer_tags import nervaluate_mentions
    >>> spots(Tagged.of([["I-X", "I-X", "O", "I-X"]]), nervaluate_mentions)[1].fragments
    ((3, 4),)
    """
    begin, end, label, names = read(tag_column(tagged))
    row = line_of_place(tagged)
    low, high = tagged.position[row[begin]], tagged.position[row[end - 1]] + 1
    low = np.minimum(low, high - 1)
    return tuple(
        Spot(((a, b),), names[i])
        for a, b, i in zip(low.tolist(), high.tolist(), label.tolist(), strict=True)
    )


def carob_spots(side: Side, scheme: str | None = None) -> tuple[Spot, ...]:
    """The mentions that carob finds in these tags; with a `scheme`, without those that are not
    legal in it.
    """
    tagged = side.normal.without_openings()
    tags = [tag.partition("-") for tag in tagged.tags]
    labels = sorted({label for _, sign, label in tags if sign})
    prefix = np.array(["BIES".index(letter) if sign else 0 for letter, sign, _ in tags])
    number = np.array([labels.index(label) if sign else -1 for _, sign, label in tags])
    rows = np.flatnonzero(np.append(number, -1)[tagged.codes] >= 0)
    codes = tagged.codes[rows]
    runs = decode(rows + tagged.sequence[rows], prefix[codes], number[codes])
    keep = np.ones(len(runs.first), bool) if scheme is None else ~illegal(scheme)[runs.kind]
    first, last = rows[runs.first[keep]], rows[runs.last[keep]]
    low, high = tagged.position[first], tagged.position[last] + 1
    names = number[tagged.codes[first]]
    return tuple(
        Spot(((a, b),), labels[code])
        for a, b, code in zip(low.tolist(), high.tolist(), names.tolist(), strict=True)
    )


def tags_of(files: Files, tool: str, *, openings: bool = False) -> tuple[Side, Side]:
    """Both sides, if the tool can read them: as many tags, in sequences of the same lengths."""
    if files.sides is None:
        raise RefusalError(f"{tool} reads a tag for each token: {files.no_tags}")
    gold, system = files.sides
    ours, theirs = (
        side.tagged if openings else side.tagged.without_openings() for side in (gold, system)
    )
    if not np.array_equal(ours.lengths, theirs.lengths):
        sizes = list(zip(ours.lengths.tolist(), theirs.lengths.tolist(), strict=False))
        place = next((i for i, (a, b) in enumerate(sizes) if a != b), len(sizes))
        found = [
            many(int(each.lengths[place]), "line") if place < len(each.lengths) else "nothing"
            for each in (ours, theirs)
        ]
        raise RefusalError(
            f"{tool} compares line by line: sentence {place + 1:,} has {found[0]} in gold and "
            f"{found[1]} in the system"
        )
    return gold, system


def first_steps(
    files: Files, sides: tuple[Side, Side], ours: Counting, recipes: Mapping[str, str]
) -> Iterator[Step]:
    """From carob's reading to the one of its tags by the rule of conlleval: on tokens, with one tag
    for each, and repaired.
    """
    reading = files.ours
    if files.in_tokens is not None:
        reading = files.in_tokens
        yield Step(
            "tokens",
            "tags are for whole tokens: a mention that ends within a token covers all of it",
            reading, ours(reading, recipes),
        )  # fmt: skip
    tagged = Reading(carob_spots(sides[0]), carob_spots(sides[1]))
    if sides[0].made or sides[1].made or sides[0].layers or sides[1].layers:
        layered = Reading(*(
            spots if side.made or side.layers else own
            for side, spots, own in zip(sides, tagged, reading, strict=True)
        ))  # fmt: skip
        nowhere = any(spot.end == spot.start for spots in reading for spot in spots)
        yield Step(
            "one tag a token",
            "a token has one tag: of mentions that overlap or are given twice the longest stays, "
            "of several columns or levels of tags the first; what is between fragments is dropped"
            + (", and so is a mention without a place" if nowhere else ""),
            layered, ours(layered, recipes),
        )  # fmt: skip
    yield Step(
        "repair",
        "an invalid sequence of tags is read as conlleval reads it, although carob was asked to "
        "drop it",
        tagged, ours(tagged, recipes),
    )  # fmt: skip


def accuracy(both: Sequence[Tagged]) -> float:
    """The share of lines with the same tag on both sides.

    >>> accuracy([Tagged.of([["B-A", "O"]]), Tagged.of([["I-A", "O"]])])
    0.5
    """
    names = {tag: number for number, tag in enumerate({*both[0].tags, *both[1].tags})}
    gold, system = (np.array([names[tag] for tag in each.tags] + [-1])[each.codes] for each in both)
    return float(np.mean(gold == system)) if len(gold) else 0.0


def by_tags(files: Files, share: float, ours: Counting) -> tuple[Step, Counting]:
    """The step from carob's accuracy to that of tags, and a way to count that keeps the latter."""

    def count(reading: Reading, recipes: Mapping[str, str]) -> Counted:
        counted = ours(reading, recipes)
        return counted._replace(values={**counted.values, "accuracy": share})

    values = {**files.counted.values, "accuracy": share}
    why = (
        "accuracy is the share of tokens whose tag is right, with prefix and O; carob's is the "
        "share of right decisions, one for each token and label"
    )
    return finished(files.ours, files.counted._replace(values=values), "tags of tokens", why), count


def refuse(tool: str, side: str, tagged: Tagged, row: int, expected: str) -> RefusalError:
    """The refusal of a tag."""
    tag = tagged.tags[int(tagged.codes[row])]
    return RefusalError(
        f"{tool} refuses the tag {shown(tag)} in line {int(tagged.line[row]):,} of {side}: "
        f"it expects {expected}"
    )


def finished(reading: Reading, counted: Counted, rule: str, why: str, *labels: str) -> Step:
    """A step that changes no mention."""
    return Step(rule, why, reading, counted, labels)

"""scikit-learn: a report on the tags of all tokens, as if they were classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.pair.readings import Counted, Counting, Files, Reading, Spot, Step, Tagged
from carob.peers._counts import Counts, averaged, total
from carob.peers._tags import OUTSIDE, accuracy, finished, first_steps, tags_of


@dataclass(frozen=True, slots=True)
class Sklearn:
    """Takes the tags of all tokens as classes, in one list (`classification_report`).

    A token is an event, not a mention, B-PER and I-PER are different classes, and O is one, too.
    The mode `without-O` leaves O out of the means, as `flat_f1_score` of sklearn-crfsuite is often
    called.

    >>> Sklearn("with-O").recipes["macro F1"]
    'exact.F1@macro'
    """

    mode: str = "with-O"

    name: ClassVar[str] = "sklearn"
    version: ClassVar[str] = "1.9"
    modes: ClassVar[tuple[str, ...]] = ("with-O", "without-O")
    recipes: ClassVar[Mapping[str, str]] = {
        "micro P": "exact.P", "micro R": "exact.R", "micro F1": "exact.F1",
        "macro F1": "exact.F1@macro", "weighted F1": "exact.F1@weighted",
    }  # fmt: skip

    def steps(self, files: Files, ours: Counting) -> Iterator[Step]:
        """From carob's numbers to scikit-learn's."""
        sides = tags_of(files, "scikit-learn")
        yield from first_steps(files, sides, ours, self.recipes)
        raw = [side.tagged.without_openings() for side in sides]
        tokens = {name: recipe.replace("exact", "token") for name, recipe in self.recipes.items()}
        normal = [side.normal.without_openings() for side in sides]
        labels = [each.renamed([_label(tag) for tag in each.tags]) for each in normal]
        reading = Reading(*map(token_spots, labels))
        yield Step("tokens", "the events are tokens, not mentions", reading, ours(reading, tokens))
        reading = Reading(*map(token_spots, normal))
        yield Step(
            "prefixes are classes", "a token with B- and one with I- are of different classes",
            reading, ours(reading, tokens),
        )  # fmt: skip
        reading = Reading(*map(token_spots, raw))
        yield Step(
            "letters of prefixes", "tags are compared as they are written", reading,
            ours(reading, tokens),
        )  # fmt: skip
        counts = _classes(raw)
        inside = {tag: each for tag, each in counts.items() if tag != OUTSIDE}
        empty = not any(each.gold or each.system for each in inside.values())
        values = _values(inside)
        credits = ours(reading, tokens).credits
        if self.mode == "with-O":
            yield finished(
                reading,
                Counted({**_values(counts), "micro P": (same := accuracy(raw)), "micro R": same,
                         "micro F1": same}, credits),
                "O is a class", "tokens outside mentions count, too, so that micro is the accuracy",
                OUTSIDE,
            )  # fmt: skip
            return
        yield finished(
            reading, Counted(dict.fromkeys(values, 0.0) if empty else values, credits),
            "zero rule", "0/0 is 0, not without value",
        )  # fmt: skip


def _label(tag: str) -> str:
    return tag.partition("-")[2] if tag != OUTSIDE else OUTSIDE


def token_spots(tagged: Tagged) -> tuple[Spot, ...]:
    """Every token with a tag other than O, as a mention of its own."""
    rows = np.flatnonzero(np.array([tag != OUTSIDE for tag in tagged.tags] + [False])[tagged.codes])
    pairs = zip(tagged.position[rows].tolist(), tagged.codes[rows].tolist(), strict=True)
    return tuple(Spot(((place, place + 1),), tagged.tags[code]) for place, code in pairs)


def _classes(raw: Sequence[Tagged]) -> dict[str, Counts]:
    """Of each class, the tokens that are equal on both sides, in gold, and in the system."""
    names = sorted({tag for each in raw for tag in each.tags})
    number = {name: i for i, name in enumerate(names)}
    gold, system = (np.array([number[tag] for tag in each.tags] + [-1])[each.codes] for each in raw)
    columns = [
        np.bincount(part, minlength=len(names)).tolist()
        for part in (gold[gold == system], gold, system)
    ]
    counts = {name: Counts(*(column[i] for column in columns)) for name, i in number.items()}
    return {name: each for name, each in counts.items() if each.gold or each.system}


def _values(counts: Mapping[str, Counts]) -> dict[str, float | None]:
    precision, recall, f1 = total(counts.values()).prf()
    macro = averaged(counts, lambda _: 1.0)
    weighted = averaged(counts, lambda each: each.gold)
    return {
        "micro P": precision, "micro R": recall, "micro F1": f1,
        "macro F1": None if macro is None else macro[2],
        "weighted F1": 0.0 if weighted is None else weighted[2],
    }  # fmt: skip

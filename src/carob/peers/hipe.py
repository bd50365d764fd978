"""The HIPE scorer: strict and fuzzy, over all mentions and over documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.pair.readings import Counted, Counting, Files, Reading, Spot, Step, Tagged
from carob.peers._counts import NONE, Counts
from carob.peers._greedy import first_come
from carob.peers._tags import finished, first_steps, tags_of
from carob.peers.nervaluate import plain_spots

NO_LABELS = ("_", "-", "O")
NAMES = ("P", "R", "F1")


@dataclass(frozen=True, slots=True)
class Hipe:
    """Reads a column of tags as nervaluate does, the lines of a document joined, in upper case.

    Only labels of gold count. Which these are is read from what follows the last hyphen of its
    tags, so that mentions whose label has a hyphen are left out on both sides. `macro_doc` is the
    mean over the documents that have gold (for recall), answers (for precision), or both (for F1);
    documents are those that carob finds.

    >>> Hipe("fuzzy").recipes["F1"]
    'overlap(pairing=one).F1'
    """

    mode: str = "strict"

    name: ClassVar[str] = "hipe"
    version: ClassVar[str] = "2.0"
    modes: ClassVar[tuple[str, ...]] = ("strict", "fuzzy")

    @property
    def recipes(self) -> Mapping[str, str]:
        """Its numbers, and carob's recipes for the same."""
        space = "exact" if self.mode == "strict" else "overlap(pairing=one)"
        micro = {name: f"{space}.{name}" for name in NAMES}
        return micro | {f"{name} macro_doc": f"{space}.{name}@macro-doc" for name in NAMES}

    def steps(self, files: Files, ours: Counting) -> Iterator[Step]:
        """From carob's numbers to those of the scorer."""
        sides = tags_of(files, "the HIPE scorer")
        yield from first_steps(files, sides, ours, self.recipes)
        raw = [side.tagged.without_openings() for side in sides]

        def step(rule: str, why: str, reading: Reading) -> Step:
            return Step(rule, why, reading, ours(reading, self.recipes))

        def read(tagged: Sequence[Tagged]) -> Reading:
            return Reading(*map(plain_spots, tagged))

        yield step(
            "boundaries", "a mention goes on until O, B- or another label, also after E- and S-",
            read([side.normal.without_openings() for side in sides]),
        )  # fmt: skip
        yield step("prefixes", "the first two characters of a tag are its prefix", read(raw))
        joined = [each.by_document() for each in raw]
        yield step(
            "sentences joined",
            "the sentences of a document are joined: I- at the beginning of a sentence goes on "
            "with a mention at the end of the one before",
            read(joined),
        )  # fmt: skip
        upper = [each.renamed([tag.upper() for tag in each.tags]) for each in joined]
        reading = read(upper)
        yield step("upper case", "tags are put in upper case", reading)
        known = gold_labels(upper[0])
        reading = reading.only(lambda spot: spot.label in known or "-" not in spot.label)
        yield step(
            "hyphens",
            "labels of gold are what follows the last hyphen of its tags: mentions whose label has "
            "a hyphen are left out",
            reading,
        )  # fmt: skip
        reading = reading.only(lambda spot: spot.label in known)
        yield step("labels of gold", "labels that gold lacks do not count", reading)
        ordered, counted = self._counted(files, reading)
        micro = total_of(counted)
        values = dict(zip(NAMES, micro.prf(), strict=True))
        empty = not ordered.gold and not ordered.system
        last = ours(reading, self.recipes)
        credits = ordered.credited(
            *([value for document in counted for value in document[side]] for side in (0, 1))
        )
        yield finished(
            ordered,
            Counted({**last.values, **(dict.fromkeys(values) if empty else values)}, credits),
            "first come",
            "answers are taken in their order: one that equals no gold mention takes the first "
            "that it overlaps, whatever its label; carob pairs so that most are right",
        )  # fmt: skip
        means = self._means(counted)
        yield finished(
            ordered, Counted({**last.values, **(dict.fromkeys(values) if empty else values),
                              **means}, credits),
            "documents of the mean",
            "P is the mean over documents with answers, R over those with gold, F1 over those with "
            "both; carob takes all documents with any of the two",
        )  # fmt: skip
        yield finished(
            ordered, Counted({**values, **means}, credits), "zero rule",
            "0/0 is 0, not without value",
        )  # fmt: skip

    def _counted(
        self, files: Files, reading: Reading
    ) -> tuple[Reading, list[tuple[list[float], list[float]]]]:
        """The mentions document by document, and what each counts."""
        gold: list[Spot] = []
        system: list[Spot] = []
        counted = []
        for left, right in files.documents(reading):
            ours, theirs = (sorted(each) for each in (left, right))
            pairing = first_come(
                ours, theirs,
                lambda answer, free, ours=ours: self._choice(answer, free, ours),  # type: ignore[misc]
            )  # fmt: skip
            gold += ours
            system += theirs
            counted.append((
                [value or 0.0 for value in pairing.gold],
                [value or 0.0 for value in pairing.system],
            ))  # fmt: skip
        return Reading(tuple(gold), tuple(system)), counted

    def _choice(self, answer: Spot, free: Sequence[int], gold: Sequence[Spot]) -> tuple[int, float]:
        for at in free:
            if gold[at] == answer:
                return at, 1.0
        right = gold[free[0]].label == answer.label
        return free[0], float(right and self.mode == "fuzzy")

    def _means(self, counted: Sequence[tuple[list[float], list[float]]]) -> dict[str, float | None]:
        rows = [Counts(sum(system), len(gold), len(system)) for gold, system in counted]
        some: tuple[list[float], ...] = (
            [each.prf()[0] for each in rows if each.system],
            [each.prf()[1] for each in rows if each.gold],
            [each.prf()[2] for each in rows if each.gold and each.system],
        )
        return {
            f"{name} macro_doc": float(np.mean(values)) if values else None
            for name, values in zip(NAMES, some, strict=True)
        }


def total_of(counted: Sequence[tuple[list[float], list[float]]]) -> Counts:
    """All documents together."""
    whole = NONE
    for gold, system in counted:
        whole += Counts(sum(system), len(gold), len(system))
    return whole


def gold_labels(tagged: Tagged) -> set[str]:
    """The labels that count.

    >>> sorted(gold_labels(Tagged.of([["B-LOC", "I-WORK-OF-ART", "O"]])))
    ['ART', 'LOC']
    """
    used = {tagged.tags[code] for code in np.unique(tagged.codes).tolist()}
    return {tag.split("|")[0].split("-")[-1] for tag in used} - set(NO_LABELS)

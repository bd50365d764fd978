"""spaCy: its converter of tags, and its scorer of doc.ents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.arrays.peer_tags import spacy_mentions
from carob.pair.readings import Counted, Counting, Files, Reading, Step
from carob.peers._counts import exact_counts, exact_credits, total
from carob.peers._tags import OUTSIDE, finished, first_steps, refuse, spots, tags_of


@dataclass(frozen=True, slots=True)
class Spacy:
    """Reads tags as `spacy convert` does (`iob_to_biluo`), and scores as `get_ner_prf` does.

    A tag goes on with a mention only if it is I- or L- with the same label; every other one begins
    a mention, so that E- and M- do. If there is no mention at all, spaCy has no scores.

    >>> Spacy().recipes["ents_f"]
    'exact.F1'
    """

    name: ClassVar[str] = "spacy"
    version: ClassVar[str] = "3.8"
    modes: ClassVar[tuple[str, ...]] = ()
    mode: ClassVar[str] = ""
    recipes: ClassVar[Mapping[str, str]] = {
        "ents_p": "exact.P", "ents_r": "exact.R", "ents_f": "exact.F1",
    }  # fmt: skip

    def steps(self, files: Files, ours: Counting) -> Iterator[Step]:
        """From carob's numbers to spaCy's."""
        sides = tags_of(files, "spaCy")
        raw = [side.tagged.without_openings() for side in sides]
        for name, each in zip(("gold", "system"), raw, strict=True):
            short = np.array([tag != OUTSIDE and not tag[2:] for tag in each.tags] + [False])
            wrong = np.flatnonzero(short[each.codes])
            if wrong.size:
                raise refuse("spaCy", name, each, int(wrong[0]), "a prefix and a label")
        yield from first_steps(files, sides, ours, self.recipes)
        for rule, why, tagged in (
            ("boundaries", "only I- and L- go on with a mention: E- begins one, and what follows "
             "S- goes on with it",
             [side.normal.without_openings() for side in sides]),
            ("prefixes", "L- goes on with a mention, M- begins one, and the first two characters "
             "of a tag are its prefix", raw),
        ):  # fmt: skip
            reading = Reading(*(spots(each, spacy_mentions) for each in tagged))
            yield Step(rule, why, reading, ours(reading, self.recipes))
        counts = total(exact_counts(reading).values())
        values = dict(zip(self.recipes, counts.prf(), strict=True))
        empty = not counts.gold and not counts.system
        counted = Counted(dict.fromkeys(values) if empty else values, exact_credits(reading))
        yield finished(reading, counted, "zero rule", "0/0 is 0 if there is any mention")

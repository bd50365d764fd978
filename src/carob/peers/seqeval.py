"""seqeval: lists of tags, by default and in strict mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from carob.arrays.peer_schemes import SCHEMES, Token, detected
from carob.arrays.peer_tags import seqeval_mentions
from carob.arrays.tags import scheme_name
from carob.corpus.problems import UsageError
from carob.pair.readings import (
    Counted,
    Counting,
    Files,
    Reading,
    RefusalError,
    Spot,
    Step,
    Tagged,
)
from carob.peers._counts import averaged, exact_counts, exact_credits, total
from carob.peers._tags import (
    accuracy,
    by_tags,
    carob_spots,
    finished,
    first_steps,
    refuse,
    spots,
    tags_of,
)


@dataclass(frozen=True, slots=True)
class Seqeval:
    """Reads lists of tags, one for each sentence; lines with -DOCSTART- are left out.

    By default it joins what touches and has the same label, unless a tag begins or ends a mention.
    In strict mode what is not legal in the scheme is no mention; the scheme is detected from the
    letters of gold, so that IOB1 is taken for IOB2, unless `scheme` names it.

    >>> Seqeval("strict").recipes["F1"]
    'exact.F1'
    """

    mode: str = "default"
    scheme: str = ""

    name: ClassVar[str] = "seqeval"
    version: ClassVar[str] = "1.2.2"
    modes: ClassVar[tuple[str, ...]] = ("default", "strict")
    recipes: ClassVar[Mapping[str, str]] = {
        "P": "exact.P", "R": "exact.R", "F1": "exact.F1", "macro F1": "exact.F1@macro",
        "weighted F1": "exact.F1@weighted", "accuracy": "token.accuracy",
    }  # fmt: skip

    def __post_init__(self) -> None:
        if self.scheme and self.scheme not in SCHEMES:
            raise UsageError(
                f"no scheme of seqeval is called {self.scheme!r}; there are: {', '.join(SCHEMES)}"
            )
        if self.scheme and self.mode == "default":
            raise UsageError("a scheme is for seqeval(mode=strict)")

    def steps(self, files: Files, ours: Counting) -> Iterator[Step]:
        """From carob's numbers to seqeval's."""
        sides = tags_of(files, "seqeval")
        raw = [side.tagged.without_openings() for side in sides]
        normal = [side.normal.without_openings() for side in sides]
        tokens, count = by_tags(files, accuracy(raw), ours)
        yield tokens

        def step(rule: str, why: str, found: tuple[Spot, ...], other: tuple[Spot, ...]) -> Step:
            reading = Reading(found, other)
            return Step(rule, why, reading, count(reading, self.recipes))

        yield from first_steps(files, sides, count, self.recipes)
        if self.mode == "default":
            yield step(
                "boundaries", "seqeval's rule where mentions touch", *map(seqeval_spots, normal)
            )
            last = step(
                "prefixes",
                "seqeval takes the first letter of every tag for its prefix, does not know L, U, M "
                "and W, and counts _ as a label",
                *map(seqeval_spots, raw),
            )
        else:
            scheme = self.scheme or detected_scheme(raw[0])
            yield step(
                "dropped", "a sequence that is not legal in its scheme is no mention",
                *(carob_spots(side, side.scheme) for side in sides),
            )  # fmt: skip
            yield step(
                "scheme",
                f"both files are read as {scheme}"
                + ("" if self.scheme else ", the scheme that seqeval detects in gold"),
                *(carob_spots(side, scheme_name(scheme)) for side in sides),
            )  # fmt: skip
            for name, each in zip(("gold", "system"), raw, strict=True):
                _require_letters(name, each, SCHEMES[scheme])
            last = step(
                "patterns",
                "seqeval's patterns: within an invalid sequence a mention may begin at its first "
                "legal tag",
                *(seqeval_spots(each, SCHEMES[scheme]) for each in raw),
            )
        yield last
        reading = last.reading.once()
        yield step("duplicates", "mentions are sets: what is given twice counts once", *reading)
        yield finished(reading, _numbers(reading, raw), "zero rule", "0/0 is 0, not without value")


def seqeval_spots(tagged: Tagged, scheme: type[Token] | None = None) -> tuple[Spot, ...]:
    """The mentions of the default mode; with a scheme, those of the strict mode."""
    return spots(tagged, lambda column: seqeval_mentions(column, [0], scheme=scheme))


def detected_scheme(gold: Tagged) -> str:
    """The scheme that seqeval detects."""
    letters = {gold.tags[code][0] for code in np.unique(gold.codes).tolist()}
    try:
        return detected(letters).__name__
    except ValueError:
        names = ", ".join(sorted(letters))
        raise RefusalError(
            f"seqeval detects no scheme in gold: its tags begin with {names}"
        ) from None


def _require_letters(side: str, tagged: Tagged, scheme: type[Token]) -> None:
    legal = np.array([tag[0] in scheme.letters for tag in tagged.tags] + [True])
    wrong = np.flatnonzero(~legal[tagged.codes])
    if wrong.size:
        expected = f"the prefixes of {scheme.__name__}: {' '.join(scheme.letters)}"
        raise refuse("seqeval", side, tagged, int(wrong[0]), expected)


def _numbers(reading: Reading, raw: list[Tagged]) -> Counted:
    counts = exact_counts(reading)
    precision, recall, f1 = total(counts.values()).prf()
    macro = averaged(counts, lambda _: 1.0)
    weighted = averaged(counts, lambda each: each.gold)
    values = {
        "P": precision, "R": recall, "F1": f1,
        "macro F1": None if macro is None else macro[2],
        "weighted F1": 0.0 if weighted is None else weighted[2],
        "accuracy": accuracy(raw),
    }  # fmt: skip
    return Counted(values, exact_credits(reading))

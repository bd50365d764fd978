"""seqeval: lists of tags, by default and in strict mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

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
from carob.peers.seqeval_schemes import PATTERNS, Patterns, fits, scheme_of_letters


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
        if self.scheme and self.scheme not in PATTERNS:
            raise UsageError(
                f"no scheme of seqeval is called {self.scheme!r}; there are: {', '.join(PATTERNS)}"
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
                "boundaries", "seqeval's rule where mentions touch", *map(default_spots, normal)
            )
            last = step(
                "prefixes",
                "seqeval takes the first letter of every tag for its prefix, does not know L, U, M "
                "and W, and counts _ as a label",
                *map(default_spots, raw),
            )
        else:
            scheme = self.scheme or detected_scheme(raw[0])
            patterns = PATTERNS[scheme]
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
                _require_letters(name, each, patterns, scheme)
            last = step(
                "patterns",
                "seqeval's patterns: within an invalid sequence a mention may begin at its first "
                "legal tag",
                *(strict_spots(each, patterns) for each in raw),
            )
        yield last
        reading = last.reading.once()
        yield step("duplicates", "mentions are sets: what is given twice counts once", *reading)
        yield finished(reading, _numbers(reading, raw), "zero rule", "0/0 is 0, not without value")


def default_spots(tagged: Tagged) -> tuple[Spot, ...]:
    """The mentions of the default mode."""

    def starts(before: str, own: str) -> bool:
        return own[0] in "BS" or (before[0] in "ESO" and own[0] in "EI") or (
            own[0] not in "O." and _label(before) != _label(own)
        )  # fmt: skip

    def ends(before: str, own: str) -> bool:
        return before[0] in "ES" or (before[0] in "BI" and own[0] in "BSO") or (
            before[0] not in "O." and _label(before) != _label(own)
        )  # fmt: skip

    return spots(tagged, starts, ends, _label)


def _label(tag: str) -> str:
    return tag[1:].split("-", maxsplit=1)[-1] or "_"


def detected_scheme(gold: Tagged) -> str:
    """The scheme that seqeval detects."""
    used = np.unique(gold.codes).tolist()
    letters = {gold.tags[code][0] for code in used}
    found = scheme_of_letters(letters)
    if found is None:
        names = ", ".join(sorted(letters))
        raise RefusalError(f"seqeval detects no scheme in gold: its tags begin with {names}")
    return found


def _require_letters(side: str, tagged: Tagged, patterns: Patterns, scheme: str) -> None:
    legal = np.array([tag[0] in patterns.letters for tag in tagged.tags] + [True])
    wrong = np.flatnonzero(~legal[tagged.codes])
    if wrong.size:
        expected = f"the prefixes of {scheme}: {' '.join(patterns.letters)}"
        raise refuse("seqeval", side, tagged, int(wrong[0]), expected)


def strict_spots(tagged: Tagged, patterns: Patterns) -> tuple[Spot, ...]:
    """The mentions of the strict mode. A block is a token and those inside after it; the mention of
    a block begins at the first token that may start one, and goes to the end of the block.
    """
    found: list[Spot] = []
    position, at = tagged.position.tolist(), 0
    answers: dict[tuple[str, str], tuple[bool, bool, bool]] = {}

    def asked(before: str, own: str) -> tuple[bool, bool, bool]:
        if (before, own) not in answers:
            same = _strict_label(before) == _strict_label(own)
            answers[before, own] = (
                fits(patterns.start, before[0], own[0], same=same),
                fits(patterns.inside, before[0], own[0], same=same),
                fits(patterns.end, before[0], own[0], same=same),
            )
        return answers[before, own]

    for tags in tagged.lists():
        begin, before = -1, "O"
        for place, own in enumerate([*tags, "O"]):
            start, inside, end = asked(before, own)
            if not inside and begin >= 0:
                if end:
                    span = position[at + begin], position[at + place - 1] + 1
                    found.append(Spot((span,), _strict_label(tags[begin])))
                begin = -1
            if begin < 0 and start:
                begin = place
            before = own
        at += len(tags)
    return tuple(found)


def _strict_label(tag: str) -> str:
    return tag[1:].strip("-") or "_"


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

"""conlleval: the script of the CoNLL shared tasks, and its version for Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from carob.arrays.peer_tags import conlleval_counts, conlleval_mentions
from carob.corpus.problems import UsageError
from carob.pair.readings import Counted, Counting, Files, Reading, Step, Tagged
from carob.peers._counts import Counts, exact_credits
from carob.peers._tags import accuracy, by_tags, finished, first_steps, spots, tags_of


@dataclass(frozen=True, slots=True)
class Conlleval:
    """Reads lines whose last two columns are the tags of gold and system.

    It counts every line that is not blank as a token, also -DOCSTART-. The script in Perl does not
    know S, and not that E ends a mention before B: it joins mentions of one label that touch. The
    package for Python (`script=python`) knows both, and precision without any answer is 1 there.

    >>> Conlleval().recipes["FB1"]
    'exact.F1'
    """

    script: str = "perl"

    name: ClassVar[str] = "conlleval"
    version: ClassVar[str] = "2004-01-26; Python: 0.2"
    modes: ClassVar[tuple[str, ...]] = ()
    mode: ClassVar[str] = ""
    recipes: ClassVar[Mapping[str, str]] = {
        "P": "exact.P", "R": "exact.R", "FB1": "exact.F1", "accuracy": "token.accuracy",
    }  # fmt: skip

    def __post_init__(self) -> None:
        if self.script not in ("perl", "python"):
            raise UsageError(f"the script of conlleval is perl or python, not {self.script!r}")

    def steps(self, files: Files, ours: Counting) -> Iterator[Step]:
        """From carob's numbers to conlleval's."""
        sides = tags_of(files, "conlleval", openings=True)
        raw = [side.tagged for side in sides]
        bare = [each.without_openings() for each in raw]
        perl = self.script == "perl"
        read = partial(conlleval_mentions, version=self.script)
        tokens, count = by_tags(files, accuracy(bare), ours)
        yield tokens

        def step(rule: str, why: str, tagged: list[Tagged]) -> Step:
            reading = Reading(*(spots(each, read) for each in tagged))
            return Step(rule, why, reading, count(reading, self.recipes))

        yield from first_steps(files, sides, count, self.recipes)
        yield step(
            "boundaries",
            "the script joins mentions of one label that touch, unless the second begins with B "
            "after B or I, or E ends the first before E or I"
            if perl else "the rule of conlleval where mentions touch",
            [side.normal.without_openings() for side in sides],
        )  # fmt: skip
        yield step(
            "prefixes",
            "conlleval does not know L, U, M and W, and takes a tag without a hyphen for a prefix",
            bare,
        )
        share = accuracy(raw)
        opened = step("-DOCSTART-", "a line with -DOCSTART- is a token", raw)
        reading, counted = opened.reading, opened.counted
        values = {**counted.values, "accuracy": share}
        yield opened._replace(counted=counted._replace(values=values))
        counts = conlleval_counts(raw[0].lists(), raw[1].lists(), version=self.script).mentions
        found = Counts(*(int(part.sum()) for part in (counts.right, counts.gold, counts.system)))
        right = Counted(_values(found, share, zero=None), exact_credits(reading))
        yield finished(
            reading, right, "beginnings",
            "mentions are counted where they begin; one is right if it begins and ends at the same "
            "lines in both columns, with the same label",
        )  # fmt: skip
        zero = 0.0 if perl else 1.0
        yield finished(
            reading, Counted(_values(found, share, zero), right.credits), "zero rule",
            "0/0 is 0, not without value" if perl else
            "precision without any answer is 1, recall without any gold 0",
        )  # fmt: skip


def _values(counts: Counts, share: float, zero: float | None) -> dict[str, float | None]:
    """P, R and FB1; `zero` is P without any answer, None for carob's rule."""
    if zero is None:
        empty = not counts.gold and not counts.system
        precision, recall, f1 = (None,) * 3 if empty else counts.prf()
    else:
        precision = counts.right / counts.system if counts.system else zero
        recall = counts.right / counts.gold if counts.gold else 0.0
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
    return {"P": precision, "R": recall, "FB1": f1, "accuracy": share}

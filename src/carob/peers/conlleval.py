"""conlleval: the script of the CoNLL shared tasks, and its version for Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from carob.corpus.problems import UsageError
from carob.pair.readings import Counted, Counting, Files, Reading, Spot, Step, Tagged
from carob.peers._counts import Counts, exact_credits
from carob.peers._tags import OUTSIDE, accuracy, by_tags, finished, first_steps, spots, tags_of

PERL_STARTS = frozenset({"BB", "IB", "OB", "OI", "EE", "EI", "OE"})
PERL_ENDS = frozenset({"BB", "BO", "IB", "IO", "EE", "EI", "EO"})


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
        tokens, count = by_tags(files, accuracy(bare), ours)
        yield tokens

        def step(rule: str, why: str, tagged: list[Tagged]) -> Step:
            reading = Reading(*(_spots(each, perl=perl) for each in tagged))
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
        counts = _counts(raw, perl=perl)
        found = Counts(*(sum(part.values()) for part in counts))
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


def _parts(tag: str, *, perl: bool) -> tuple[str, str]:
    """Prefix and label. In Perl a label that is 0 is false, and so none."""
    prefix, sign, label = tag.partition("-")
    return (prefix, "" if perl and label == "0" else label) if sign else (tag, "")


def _starts(before: str, own: str, *, perl: bool) -> bool:
    (old, was), (new, label) = (_parts(tag, perl=perl) for tag in (before, own))
    if perl:
        known = f"{old}{new}" in PERL_STARTS and len(old) == len(new) == 1
    else:
        known = new in ("B", "S") or (old in ("E", "S", OUTSIDE) and new in ("E", "I"))
    return known or (new not in (OUTSIDE, ".") and was != label) or new in ("[", "]")


def _ends(before: str, own: str, *, perl: bool) -> bool:
    (old, was), (new, label) = (_parts(tag, perl=perl) for tag in (before, own))
    if perl:
        known = f"{old}{new}" in PERL_ENDS and len(old) == len(new) == 1
    else:
        known = old in ("E", "S") or (old in ("B", "I") and new in ("B", "S", OUTSIDE))
    return known or (old not in (OUTSIDE, ".") and was != label) or old in ("[", "]")


def _spots(tagged: Tagged, *, perl: bool) -> tuple[Spot, ...]:
    return spots(
        tagged,
        lambda before, own: _starts(before, own, perl=perl),
        lambda before, own: _ends(before, own, perl=perl),
        lambda tag: _parts(tag, perl=perl)[1],
    )


def _counts(raw: list[Tagged], *, perl: bool) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Mentions that are right, in gold, and in the system, by label, line by line."""
    right, gold, system = Counter[str](), Counter[str](), Counter[str]()
    asked: dict[tuple[str, str], tuple[bool, bool]] = {}

    def borders(before: str, own: str) -> tuple[bool, bool]:
        if (before, own) not in asked:
            asked[before, own] = (
                _starts(before, own, perl=perl), _ends(before, own, perl=perl)
            )  # fmt: skip
        return asked[before, own]

    label: Callable[[str], str] = lambda tag: _parts(tag, perl=perl)[1]  # noqa: E731
    for ours, theirs in zip(raw[0].lists(), raw[1].lists(), strict=True):
        inside = False
        columns = zip([OUTSIDE, *ours, OUTSIDE], [OUTSIDE, *theirs, OUTSIDE], strict=True)
        for (was, had), (own, their) in pairwise(columns):
            (starts, ends), (begins, stops) = borders(was, own), borders(had, their)
            if inside:
                if ends and stops and label(was) == label(had):
                    inside = False
                    right[label(was)] += 1
                elif ends != stops or label(own) != label(their):
                    inside = False
            if starts and begins and label(own) == label(their):
                inside = True
            gold[label(own)] += starts
            system[label(their)] += begins
    return right, gold, system

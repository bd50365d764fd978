"""FairEval: how it reads tags, and its traditional evaluation, which counts every error twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from carob.corpus.document import tidy
from carob.pair.readings import Counted, Counting, Files, Reading, Spot, Step, Tagged
from carob.peers._counts import Counts
from carob.peers._tags import finished, tags_of

OUTSIDE = ("O", "_", "")
EXCLUDED = ("NONE", "EMPTY")


@dataclass(frozen=True, slots=True)
class FairEval:
    """Reads a table of spans, or tags in the last of three columns. It is given tags if it can read
    those of both files, otherwise the spans that carob finds in them.

    Of tags it knows B- and I- alone, stacked with `|` or not. I- goes on with what is open at its
    level, whatever its label; if nothing is open, FairEval fails, as it does with IOB1. The label
    is what stands between the first two hyphens: `creative-work` is `creative`.

    This is its traditional evaluation; its fair one is the event space `fair`. A gold mention is
    found if it is among the answers, and an answer is wrong if it is not in gold. So a mention that
    is given twice is right twice, or an answer more that is neither right nor wrong.

    >>> FairEval().recipes["F1"]
    'exact.F1'
    """

    name: ClassVar[str] = "faireval"
    version: ClassVar[str] = "2022"
    modes: ClassVar[tuple[str, ...]] = ()
    mode: ClassVar[str] = ""
    recipes: ClassVar[Mapping[str, str]] = {"P": "exact.P", "R": "exact.R", "F1": "exact.F1"}

    def steps(self, files: Files, ours: Counting) -> Iterator[Step]:
        """From carob's numbers to FairEval's."""

        def step(rule: str, why: str, reading: Reading) -> Step:
            return Step(rule, why, reading, ours(reading, self.recipes))

        if files.in_tokens is not None:
            yield step(
                "tokens",
                "FairEval counts whole tokens: a mention that ends within a token covers all of it",
                files.in_tokens,
            )
        yield step(
            "boundaries",
            "of tags, I- goes on with the mention that is open at its level, whatever its label; "
            "of several columns the first is read",
            read(files, whole_labels=True),
        )
        reading = read(files)
        yield step("hyphens", "the label of a tag ends before its second hyphen", reading)
        reading = counting(reading)
        yield step("excluded labels", "mentions with the label NONE or EMPTY do not count", reading)
        answers, gold = set(reading.system), set(reading.gold)
        credits = reading.credited(
            [float(spot in answers) for spot in reading.gold],
            [float(spot in gold) for spot in reading.system],
        )
        counts = Counter[str]()
        for (_, kind), number in traditional(reading).items():
            counts[kind] += number
        right = counts["TP"]
        prf = Counts(right, right + counts["FN"], right + counts["FP"]).prf()
        values = dict(zip(self.recipes, prf, strict=True))
        empty = not reading.gold and not reading.system
        yield finished(
            reading, Counted(dict.fromkeys(values) if empty else values, credits), "duplicates",
            "a mention counts as found if it is among the answers, however often: copies are not "
            "compared one-to-one",
        )  # fmt: skip
        yield finished(
            reading, Counted(values, credits), "zero rule", "0/0 is 0, not without value"
        )


def read(files: Files, *, whole_labels: bool = False) -> Reading:
    """The mentions that FairEval finds: between tags if it can read those of both files, otherwise
    those of the files. With `whole_labels`, labels of tags do not end at a hyphen.
    """
    if files.sides is None or any(side.made for side in files.sides):
        return spans(files)
    gold, system = (
        mentions_of_tags(side.tagged, whole_labels=whole_labels) for side in files.sides
    )
    if gold is None or system is None:
        return spans(files)
    tags_of(files, "FairEval")  # or it would compare sentences that are not the same
    return Reading(gold, system)


def spans(files: Files) -> Reading:
    """The mentions of the files, in whole tokens."""
    return files.in_tokens or files.ours


def counting(reading: Reading) -> Reading:
    """The mentions that FairEval counts."""
    return reading.only(lambda spot: spot.label not in EXCLUDED)


def mentions_of_tags(tagged: Tagged, *, whole_labels: bool = False) -> tuple[Spot, ...] | None:
    """The mentions between tags, in the order in which FairEval closes them; None if it cannot read
    these tags: one has another prefix than B- and I-, or nothing is open at an I-.

    >>> mentions = mentions_of_tags(Tagged.of([["B-A-1", "I-B"], ["B-A|B-B", "I-A"]]))
    >>> [(each.label, each.start, each.end) for each in mentions]
    [('A', 0, 2), ('B', 3, 4), ('A', 3, 5)]
    >>> mentions_of_tags(Tagged.of([["I-A"]])) is None
    True
    """
    tagged = tagged.without_openings()
    closed: list[tuple[str, list[int]]] = []
    stack: list[tuple[str, list[int]]] = []
    sentence = -1
    places = zip(*(each.tolist() for each in (tagged.codes, tagged.sequence, tagged.position)),
                 strict=True)  # fmt: skip
    for code, sequence, position in places:
        tag = tagged.tags[code]
        if sequence != sentence or tag in OUTSIDE:
            closed += stack
            stack, sentence = [], sequence
        levels = [] if tag in OUTSIDE else tag.split("|")
        while len(stack) > len(levels):
            closed.append(stack.pop())
        for level, part in enumerate(levels):
            if part.startswith("B-"):
                # Those that are open at the first level close in the order in which they began.
                closed += stack if level == 0 else stack[: level - 1 : -1]
                del stack[level:]
                stack.append((part[2:] if whole_labels else part.split("-")[1], [position]))
            elif part.startswith("I-") and level < len(stack):
                stack[level][1].append(position)
            elif part not in OUTSIDE:
                return None
    return tuple(
        Spot(tidy(tuple((place, place + 1) for place in places)), label)
        for label, places in (*closed, *stack)
    )


def traditional(reading: Reading) -> Counter[tuple[str, str]]:
    """How many TP, FP and FN each label has. Copies are not compared one-to-one.

    >>> spot = Spot(((0, 1),), "A")
    >>> traditional(Reading((spot,), (spot, spot)))
    Counter({('A', 'TP'): 1})
    """
    answers, gold = set(reading.system), set(reading.gold)
    counts = Counter((spot.label, "TP" if spot in answers else "FN") for spot in reading.gold)
    counts.update((spot.label, "FP") for spot in reading.system if spot not in gold)
    return counts

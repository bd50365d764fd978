"""The slow twin of `templates`: it tries every alignment, of templates and of fillers.

Documents are the records of jsonl. Texts are words of one letter, so that word i of a document
stands at the characters from 2i to 2i + 1, and folding is nothing but lower case. Only fillers
that are a text alone may end in a comma.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Any

Record = dict[str, Any]
Spans = tuple[tuple[int, int], ...]
Form = tuple[Spans, str]
"""A realisation: its fragments (none: no place) and its text."""


@cache
def injections(n: int, m: int) -> list[tuple[int | None, ...]]:
    """Every way to give each of n a place of its own out of m, or none."""
    if n == 0:
        return [()]
    return [
        (*head, place)
        for head in injections(n - 1, m)
        for place in (None, *range(m))
        if place is None or place not in head
    ]


def form(record: Any, text: str) -> Form:
    if isinstance(record, str):
        return (), record.lower()
    spans = record.get("fragments") or ([[record["start"], record["end"]]] if "start" in record
                                        else [])  # fmt: skip
    places = tuple((a, b) for a, b in spans)
    words = record.get("text") or " ".join(text[a:b] for a, b in places)
    return places, words.lower()


def stripped(text: str, ignored: Sequence[str]) -> str:
    """A text without these words at its beginning; one that has no others stays."""
    words = text.split()
    while words and words[0] in ignored:
        del words[0]
    return " ".join(words) or text


class Filler:
    def __init__(self, record: Any, text: str, gold: bool) -> None:
        others = [] if isinstance(record, str) or not gold else record.get("alternatives", [])
        self.forms = [form(each, text) for each in (record, *others)]
        self.optional = gold and not isinstance(record, str) and record.get("optional", False)

    def content(self, slot: str, mixed: bool, optional: bool) -> Any:
        told = {
            (bool(spans), spans, words) if mixed else (bool(spans), spans, "" if spans else words)
            for spans, words in self.forms
        }
        return (0, slot, tuple(sorted(told)), self.optional and optional)


class Twin:
    """A template: its type, the row it counts in, its fillers and templates by slot."""

    def __init__(
        self, record: Record, text: str, gold: bool, path: str | None = None, inner: str = ""
    ) -> None:
        self.type = record.get("label", "")
        self.path = self.type if path is None else path
        self.inner = inner
        self.fillers: dict[str, list[Filler]] = {}
        self.templates: dict[str, list[Twin]] = {}
        for slot, values in record["slots"].items():
            for value in values:
                if isinstance(value, dict) and "slots" in value:
                    below = Twin(value, text, gold, self.row(slot), f"{inner}.{slot}")
                    self.templates.setdefault(slot, []).append(below)
                else:
                    self.fillers.setdefault(slot, []).append(Filler(value, text, gold))

    def row(self, slot: str) -> str:
        return f"{self.path}.{slot}" if self.path else slot

    def everything(self) -> Iterator[tuple[str, Filler]]:
        for slot, fillers in self.fillers.items():
            for filler in fillers:
                yield self.row(slot), filler
        for templates in self.templates.values():
            for template in templates:
                yield from template.everything()

    def content(self, mixed: bool, optional: bool) -> Any:
        items = [f.content(slot, mixed, optional) for slot, fs in self.fillers.items() for f in fs]
        below = [t.content(mixed, optional) for ts in self.templates.values() for t in ts]
        return (1, self.type, self.inner, tuple(sorted(items) + sorted(below)))


class Judge:
    """Counts one document."""

    def __init__(
        self, gold: Record, system: Record, match: str, k: int, typed: bool,
        align: Sequence[str], ignored: Sequence[str],
    ) -> None:  # fmt: skip
        self.match, self.k, self.typed = match, k, typed
        self.align = align
        text = gold.get("text", "")
        self.gold = [Twin(each, text, True) for each in gold["templates"]]
        self.system = [Twin(each, text, False) for each in system["templates"]]
        for _, filler in (row for t in (*self.gold, *self.system) for row in t.everything()):
            filler.forms = [(spans, stripped(words, ignored)) for spans, words in filler.forms]
        self.counts: Counter[tuple[str, str]] = Counter()
        self.values: dict[tuple[int, int], tuple[int, int, int]] = {}

    @cached_property
    def mixed(self) -> bool:
        fillers = [f for side in (self.gold, self.system) for t in side for _, f in t.everything()]
        return len({bool(spans) for filler in fillers for spans, _ in filler.forms}) > 1

    def fits(self, gold: Form, system: Form, match: str) -> bool:
        if gold[0] and system[0]:
            ours, theirs = ({i // 2 for a, b in form[0] for i in range(a, b, 2)}
                            for form in (gold, system))  # fmt: skip
            if match == "exact":
                return gold[0] == system[0]
            if match == "overlap":
                return bool(ours & theirs)
            return ours <= theirs and len(theirs - ours) <= self.k
        words, others = gold[1].split(), system[1].split()
        if match == "exact":
            return words == others
        if match == "overlap":
            return bool({w.strip(".,") for w in words} & {w.strip(".,") for w in others})
        more = len(others) - len(words)
        return more <= self.k and any(others[i : i + len(words)] == words for i in range(more + 1))

    def grade(self, gold: Filler, system: Filler) -> int:
        """2: right, 1: partly right."""
        pairs = [(g, s) for g in gold.forms for s in system.forms]
        if any(self.fits(g, s, self.match) for g, s in pairs):
            return 2
        return int(any(self.fits(g, s, "overlap") for g, s in pairs))

    def slot(self, gold: Sequence[Filler], system: Sequence[Filler]) -> tuple[int, int, int]:
        """Correct, partly correct, and of these not optional."""
        grades = [[self.grade(g, s) for s in system] for g in gold]
        best = (0, 0, 0)
        for way in injections(len(gold), len(system)):
            pairs = [(i, grades[i][j]) for i, j in enumerate(way) if j is not None]
            found = [(i, grade) for i, grade in pairs if grade]
            cor = sum(grade == 2 for _, grade in found)
            needed = sum(not gold[i].optional for i, _ in found)
            best = max(best, (cor, len(found) - cor, needed))
        return best

    def value(self, gold: Twin, system: Twin) -> tuple[int, int, int]:
        """Correct, partly correct, and of these in key slots."""
        key = id(gold), id(system)
        if key not in self.values:
            cor = par = key_fillers = 0
            for slot in gold.fillers.keys() & system.fillers.keys():
                found = self.slot(gold.fillers[slot], system.fillers[slot])
                cor, par = cor + found[0], par + found[1]
                if f"{gold.inner}.{slot}".removeprefix(".") in self.align:
                    key_fillers += found[0] + found[1]
            for slot in gold.templates.keys() & system.templates.keys():
                for g, s in self.aligned(gold.templates[slot], system.templates[slot]):
                    more = self.value(g, s)
                    cor, par = cor + more[0], par + more[1]
                    key_fillers += more[2]
            self.values[key] = cor, par, key_fillers
        return self.values[key]

    def aligned(self, gold: Sequence[Twin], system: Sequence[Twin]) -> list[tuple[Twin, Twin]]:
        def order(template: Twin) -> Any:
            return template.content(self.mixed, False), template.content(self.mixed, True)

        gold, system = sorted(gold, key=order), sorted(system, key=order)
        ours, theirs = ([order(each)[0] for each in side] for side in (gold, system))
        ranked = []
        for way in injections(len(gold), len(system)):
            cor = par = equal = 0
            for row, place in enumerate(way):
                if place is not None:
                    g, s = gold[row], system[place]
                    more = self.value(g, s)
                    if more[:2] == (0, 0) or (self.typed and g.type != s.type):
                        break
                    if self.align and not g.inner and not more[2]:
                        break
                    cor, par = cor + more[0], par + more[1]
                    equal += ours[row] == theirs[place]
            else:
                smallest = tuple(len(system) if place is None else place for place in way)
                ranked.append(((-cor, -par, -equal, smallest), way))
        best = min(ranked)[1]
        return [(gold[i], system[j]) for i, j in enumerate(best) if j is not None]

    def alone(self, outcome: str, template: Twin) -> None:
        for row, filler in template.everything():
            self.counts[row, outcome] += not filler.optional

    def judge(self, gold: Sequence[Twin], system: Sequence[Twin]) -> None:
        pairs = self.aligned(gold, system)
        for g in gold:
            if all(g is not one for one, _ in pairs):
                self.alone("MIS", g)
        for s in system:
            if all(s is not other for _, other in pairs):
                self.alone("SPU", s)
        for g, s in pairs:
            for slot in g.fillers.keys() | s.fillers.keys():
                ours, theirs = g.fillers.get(slot, []), s.fillers.get(slot, [])
                cor, par, needed = self.slot(ours, theirs)
                left = sum(not filler.optional for filler in ours) - needed
                others = len(theirs) - cor - par
                both = min(left, others)
                for outcome, count in (("COR", cor), ("PAR", par), ("INC", both)):
                    self.counts[g.row(slot), outcome] += count
                    self.counts[s.row(slot), f"{outcome}_system"] += count
                self.counts[g.row(slot), "MIS"] += left - both
                self.counts[s.row(slot), "SPU"] += others - both
            for slot in g.templates.keys() | s.templates.keys():
                self.judge(g.templates.get(slot, []), s.templates.get(slot, []))


def judged(
    gold: Record,
    system: Record,
    match: str = "exact",
    k: int = 1,
    typed: bool = True,
    align: Sequence[str] = (),
    ignored: Sequence[str] = (),
) -> dict[tuple[str, str], int]:
    """Row and outcome -> how many."""
    judge = Judge(gold, system, match, k, typed, align, ignored)
    judge.judge(judge.gold, judge.system)
    return {key: count for key, count in judge.counts.items() if count}

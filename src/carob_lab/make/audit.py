"""Audit a published table: which of its numbers cannot be right, and what does it not state?

A number that is printed with d digits stands for an interval, ends included. P, R and F rise
together, so the values of F that rounding allows lie between those of the two ends. Everything is
computed in fractions: no finding is due to our own rounding.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

from carob._version import __version__
from carob.corpus.problems import UsageError, nearest, plain
from carob.corpus.source import Source
from carob.evaluate.task import Task
from carob.result.signature import compose, words
from carob_lab.make._published import SCORES, Printed, Row, Table, read_table
from carob_lab.make.findings import Audit, Finding

MICRO = frozenset({"micro", "micro-average", "micro average", "micro avg", "micro-avg", "overall",
                   "all", "total", "all slots"})  # fmt: skip
MACRO = frozenset({"macro", "macro-average", "macro average", "macro avg", "macro-avg"})
MEAN = frozenset({"mean", "average", "avg", "avg."})
"""How rows over all slots are called. Which kind of average a mean is, the table does not say."""

CORPORA: Mapping[str, tuple[str, ...]] = {
    "seminars": ("speaker", "location", "stime", "etime"),
    "acquisitions": ("acquired", "purchaser", "seller", "acqabr", "purchabr", "sellerabr", "acqloc",
                     "acqbus", "dlramt", "status"),
    "jobs": ("id", "title", "salary", "company", "recruiter", "state", "city", "country",
             "language", "platform", "application", "area", "req_years_experience",
             "desired_years_experience", "req_degree", "desired_degree", "post_date"),
    "conll2003": ("PER", "LOC", "ORG", "MISC"),
}  # fmt: skip
"""The slots of well-known corpora."""

Bounds = tuple[Fraction, Fraction]


def audit(
    path: str | os.PathLike[str] | Source,
    *,
    slots: Iterable[str] = (),
    corpus: str | None = None,
    task: Task | str | os.PathLike[str] | None = None,
) -> Audit:
    """Look for numbers of a table in CSV that cannot be right, and for what it does not state.

    `slots` are those that every system must have; or those of a well-known `corpus`, or of a
    task. Slots that one system of the table has are expected of all others anyway.

    >>> table = b"system,slot,P,R,F\\nA,stime,79.0,76.0,71.9\\nA,etime,87.0,70.0,77.6\\n"
    >>> [(each.line, each.column) for each in audit(Source.of_bytes(table)) if each.wrong]
    [(2, 'F')]
    """
    expected = list(slots)
    if corpus is not None:
        if corpus not in CORPORA:
            there = nearest(corpus, list(CORPORA))
            raise UsageError(f"no corpus with known slots is called {corpus!r}{there}")
        expected += CORPORA[corpus]
    if task is not None:
        expected += Task.read(task).slots
    source = path if isinstance(path, Source) else Source(path)
    table = read_table(source)
    findings = [
        *(finding for row in table.rows for finding in _about_row(row, table)),
        *_about_averages(table),
        *_about_slots(table, dict.fromkeys(expected)),
        *_about_intervals(table),
    ]
    fields = {"carob": __version__, "table": f"sha256={source.sha256[:8]}"}
    if expected:
        fields["slots"] = words(sorted(set(expected)))
    ordered = sorted(findings, key=lambda each: (not each.line, each.line))
    return Audit(source.name, source.sha256, len(table.rows), tuple(ordered), compose(fields))


def f1(p: Fraction, r: Fraction) -> Fraction:
    """The harmonic mean; 0 if both are.

    >>> f1(Fraction(1), Fraction(1, 2))
    Fraction(2, 3)
    """
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def _bounds(number: Printed, full: int) -> Bounds:
    return number.low, min(number.high, Fraction(full))


def _apart(one: Bounds, other: Bounds) -> bool:
    return one[1] < other[0] or other[1] < one[0]


def _in_words(bounds: Bounds, like: Printed) -> str:
    """What numbers give, with one digit more than is printed."""
    more = Printed(f"0.{'0' * (like.digits + 1)}")
    low, high = (more.like(each) for each in bounds)
    return f"with rounding {low} to {high}"


def _finding(
    row: Row, column: str, kind: str, expected: str, consequence: str, bounds: Bounds | None = None,
    *, wrong: bool = True,
) -> Finding:  # fmt: skip
    number = row[column]
    found = column if number is None else f"{column} {number.text}"
    low, high = (None, None) if bounds is None else map(float, bounds)
    return Finding(row.line, row.system, row.slot, column, kind, found, expected, consequence,
                   low, high, wrong)  # fmt: skip


def _about_row(row: Row, table: Table) -> Iterator[Finding]:
    """What a row says about itself."""
    for column in SCORES:
        number = row[column]
        if number is not None and not 0 <= number.value <= table.full:
            yield _finding(row, column, "range", f"a number from 0 to {table.full}",
                           "no score is outside")  # fmt: skip
            return
    if "F" in row and not ("P" in row and "R" in row):
        lacking = " and ".join(column for column in ("P", "R") if column not in row)
        yield Finding(row.line, row.system, row.slot, "F", "alone", f"F without {lacking}",
                      "P and R beside F", "whether F is right cannot be checked, and many "
                      "different systems have the same F", wrong=False)  # fmt: skip
    if row.slot.casefold() not in MACRO | MEAN:
        yield from _about_f(row, table)
    yield from _about_counts(row, table)
    yield from _about_own_interval(row)


def _about_f(row: Row, table: Table) -> Iterator[Finding]:
    """Does F follow from P and R?"""
    p, r, f = (row[column] for column in SCORES)
    if p is None or r is None or f is None:
        return
    ends = zip(_bounds(p, table.full), _bounds(r, table.full), strict=True)
    low, high = (f1(*end) for end in ends)
    if not _apart(_bounds(f, table.full), (low, high)):
        return
    value = f1(p.value, r.value)
    expected = (
        f"{f.like(value)}, which P {p.text} and R {r.text} give ({_in_words((low, high), f)})"
    )
    # F is concave in P and R together: a mean of F is never above the F of mean P and mean R.
    if f.value < low:
        cause = (
            "F may be a mean over runs, folds or slots, which is never above the F of mean P and R"
        )
    else:
        cause = "no mean of F over runs is above the F of mean P and R: one of the three is wrong"
    yield _finding(row, "F", "F", expected, f"{cause}{_rank(row, value, table)}", (low, high))


def _rank(row: Row, value: Fraction, table: Table) -> str:
    """How the system would rank on this slot if P and R were right."""
    others = [
        number.value
        for other in table.rows
        if other is not row and (other.slot, other.corpus) == (row.slot, row.corpus)
        and (number := other["F"]) is not None
    ]  # fmt: skip
    printed = row["F"]
    assert printed is not None
    before, after = (1 + sum(each > own for each in others) for own in (printed.value, value))
    if before == after:
        return ""
    return f"; if P and R are right, it ranks {after} and not {before} of {len(others) + 1} by F"


def _about_counts(row: Row, table: Table) -> Iterator[Finding]:
    """Do scores follow from counts, or is there any whole number of items that gives them?"""
    tp, fp, fn = (row.counts.get(name) for name in ("tp", "fp", "fn"))
    gold = row.counts.get("support", None if tp is None or fn is None else tp + fn)
    found = row.counts.get("found", None if tp is None or fp is None else tp + fp)
    if tp is not None and fn is not None and gold != tp + fn:
        yield Finding(row.line, row.system, row.slot, "support", "counts", f"support {gold}",
                      f"tp + fn, which is {tp + fn}", "one of the three is wrong")  # fmt: skip
        return
    for column, whole in (("P", found), ("R", gold)):
        number = row[column]
        if number is None or whole is None:
            continue
        low, high = (each / table.full for each in _bounds(number, table.full))
        if tp is not None:
            if whole and not low <= Fraction(tp, whole) <= high:
                expected = f"{number.like(Fraction(tp * table.full, whole))}, which is {tp}/{whole}"
                yield _finding(row, column, "counts", expected, "the score or a count is wrong")
        elif ceil(low * whole) > floor(high * whole):
            near = sorted({floor(low * whole), ceil(high * whole)})
            scores = " or ".join(
                f"{number.like(Fraction(k * table.full, whole))} ({k}/{whole})"
                for k in near if 0 <= k <= whole
            ) if whole else "no score"  # fmt: skip
            yield _finding(row, column, "items", scores,
                           f"no whole number of {whole} items gives it: it may be a mean over "
                           "runs, or the support is that of another part")  # fmt: skip
    p, r = row["P"], row["R"]
    if tp is None and found is None and gold and p is not None and r is not None:
        yield from _about_precision(row, p, r, gold, table)


def _about_precision(
    row: Row, p: Printed, r: Printed, gold: int, table: Table
) -> Iterator[Finding]:
    """Is there a number of right answers for R that, divided by any number of answers, gives P?"""
    low, high = (each / table.full for each in _bounds(r, table.full))
    right = range(ceil(low * gold), floor(high * gold) + 1)
    low, high = (each / table.full for each in _bounds(p, table.full))
    if not right or any(_some_answers(k, low, high) for k in right):
        return
    items = f"{right[0]}" if len(right) == 1 else f"{right[0]} to {right[-1]}"
    yield _finding(row, "P", "items", f"a share of {items} right answers",
                   f"R {r.text} of {gold} items is {items} right answers, and no whole number of "
                   "answers gives this P")  # fmt: skip


def _some_answers(right: int, low: Fraction, high: Fraction) -> bool:
    """Whether right/n is within the bounds for some n."""
    if right == 0:
        return low == 0
    if high == 0:
        return False
    least = max(ceil(right / high), right)
    return low == 0 or least <= right / low


def _about_own_interval(row: Row) -> Iterator[Finding]:
    """Is F inside its interval?"""
    f, low, high = row["F"], row["low"], row["high"]
    if f is None or low is None or high is None:
        return
    if f.high < low.low or f.low > high.high:
        yield _finding(row, "F", "interval", f"a number from {low.text} to {high.text}, its "
                       "interval", "the number or its interval is wrong")  # fmt: skip


def _systems(table: Table) -> Iterator[tuple[list[Row], list[Row]]]:
    """For each system and corpus, its rows for slots and its rows over all slots."""
    by_system: dict[tuple[str, str], list[Row]] = {}
    for row in table.rows:
        by_system.setdefault((row.system, row.corpus), []).append(row)
    over_all = MICRO | MACRO | MEAN
    for rows in by_system.values():
        slots = [row for row in rows if row.slot and row.slot.casefold() not in over_all]
        yield slots, [row for row in rows if row.slot.casefold() in over_all]


def _about_averages(table: Table) -> Iterator[Finding]:
    """Are averages inside the range of their slots, and are they what the slots give?"""
    for slots, averages in _systems(table):
        for average, column in ((row, column) for row in averages for column in SCORES):
            number = average[column]
            own = [each for row in slots if (each := row[column]) is not None]
            if number is None or not own or len(own) < len(slots):
                continue
            bounds = [_bounds(each, table.full) for each in own]
            name = average.slot.casefold()
            given: list[tuple[Bounds, str]] = [(_range(bounds), "the range of the slots")]
            if name in MACRO:
                given = [(_mean(bounds, [1] * len(bounds)), "the mean of the slots")]
                if column == "F" and "P" in average and "R" in average:
                    ends = zip(*(_bounds(each, table.full) for c in ("P", "R")
                                 if (each := average[c]) is not None), strict=True)  # fmt: skip
                    low, high = (f1(*end) for end in ends)
                    given.append(((low, high), "the F of P and R"))
            elif name in MICRO and column == "R":
                weights = [row.counts.get("support", 0) for row in slots]
                if all(weights):
                    given = [(_mean(bounds, weights), "the mean of the slots by support")]
            printed = _bounds(number, table.full)
            if all(_apart(printed, each) for each, _ in given):
                expected = " or ".join(f"{what}, {_in_words(each, number)}" for each, what in given)
                follows = "one of the numbers is wrong, or the average is over other slots"
                yield _finding(average, column, "average", expected, follows, given[0][0])


def _range(bounds: Sequence[Bounds]) -> Bounds:
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _mean(bounds: Sequence[Bounds], weights: Sequence[int]) -> Bounds:
    def mean(side: int) -> Fraction:
        pairs = zip(bounds, weights, strict=True)
        return sum((each[side] * weight for each, weight in pairs), Fraction(0)) / sum(weights)

    return mean(0), mean(1)


def _about_slots(table: Table, expected: Mapping[str, None]) -> Iterator[Finding]:
    """Does every system have all slots?"""
    systems = list(_systems(table))
    fold: Callable[[str], str] = str.casefold
    by_corpus: dict[str, dict[str, str]] = {}
    for slots, averages in systems:
        for row in (*slots, *averages)[:1]:
            known = by_corpus.setdefault(row.corpus, {fold(slot): slot for slot in expected})
            named = CORPORA.get(fold(row.corpus), ())
            known |= {fold(slot): slot for slot in named}
        for row in slots:
            by_corpus[row.corpus].setdefault(fold(row.slot), row.slot)
    for slots, averages in systems:
        if not slots:
            continue
        known = by_corpus[slots[0].corpus]
        lacking = [known[each] for each in known.keys() - {fold(row.slot) for row in slots}]
        if lacking:
            names = ", ".join(map(plain, sorted(lacking)))
            where = (averages or slots)[0]
            yield Finding(where.line, where.system, "", "slot", "slots", f"no row for {names}",
                          "a row for each slot of the corpus", "an average over the others cannot "
                          "be compared", wrong=False)  # fmt: skip


def _about_intervals(table: Table) -> Iterator[Finding]:
    """Does the table say how sure its numbers are?"""
    without = [row for row in table.rows if row.numbers and not row.spread
               and not ("low" in row and "high" in row)]  # fmt: skip
    if not without:
        return
    follows = "whether a difference is more than chance cannot be seen"
    if len(without) == len(table.rows):
        yield Finding(0, "", "", "F", "interval", "no interval or deviation for any score",
                      "one for each", follows, wrong=False)  # fmt: skip
        return
    for row in without:
        yield Finding(row.line, row.system, row.slot, "F", "interval", "no interval or deviation",
                      "one, as other rows have it", follows, wrong=False)  # fmt: skip

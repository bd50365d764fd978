"""Families of tests: each stops once it is decided, and Holm's method corrects them together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from carob import progress
from carob.infer.randomization import Pair, Randomization, Verdict
from carob.infer.ranking import holm
from carob.infer.resampling import Sampler

ALPHA = 0.05
"""The level at which a test has to be decided."""

STOP = 20
"""After this many exchanges with a difference as large as the observed one, a test may stop."""

NEAR = 2.0
"""A stopped test whose corrected p is within this many standard errors of the level is open."""


WIDE = 1024
"""If all tables together have more columns, one family after the other is tested: the sums of many
systems under many recipes would be made for too few trials at a time. Two systems under 30 recipes
with labels have 600 and take a quarter of the time together, 40 systems under five recipes 1,440
and take a third more.
"""


class Question(NamedTuple):
    """What is tested: two statistics of a sampler, and which of their scores."""

    pair: Pair
    place: int


class Outcome(NamedTuple):
    """What came of a test, and its p after Holm's correction, NaN without any p."""

    verdict: Verdict
    p_holm: float

    @property
    def is_open(self) -> bool:
        """Whether the trials that a stopped test left out could decide it otherwise. Its p has the
        standard error p sqrt((1 - p) / STOP).
        """
        if not self.verdict.stopped.item():
            return False
        error = self.p_holm * math.sqrt((1 - self.verdict.p.item()) / STOP)
        return abs(self.p_holm - ALPHA) <= NEAR * error


def decide(
    test: Randomization, sampler: Sampler, families: Sequence[Sequence[Question]], seed: int
) -> list[list[Outcome]]:
    """The outcomes of all tests, each family corrected by itself. All have the same exchanges.

    A test stops after STOP exchanges that are as extreme as the data. Where that leaves it open, it
    goes on to its last trial.

    >>> from carob.counts.tally import Statistic, Table
    >>> from carob.infer.resampling import Units
    >>> rng = np.random.default_rng(0)
    >>> rows = (rng.binomial(9, share, (100, 1)) for share in (0.5, 0.5))
    >>> sampler = Sampler([Statistic(Table.of(r), lambda s: s[:, 0]) for r in rows], Units.of(100))
    >>> [[outcome]] = decide(Randomization(), sampler, [[Question((0, 1), 0)]], seed=0)
    >>> outcome.verdict.tried.item(), round(outcome.p_holm, 3)
    (26, 0.769)
    """
    every = [each for family in families for each in family]
    early, verdicts = replace(test, stop=STOP), dict[Question, Verdict]()
    wide = sum(table.width for table in sampler.tables) > WIDE
    for questions in progress.steps(families, "recipes") if wide else [every]:
        verdicts |= _verdicts(early, sampler, questions, seed)
    while True:
        outcomes = [_corrected([verdicts[each] for each in family]) for family in families]
        flat = (outcome for family in outcomes for outcome in family)
        undecided = [each for each, own in zip(every, flat, strict=True) if own.is_open]
        if not undecided:
            return outcomes
        verdicts |= _verdicts(test, sampler, undecided, seed)


def _verdicts(
    test: Randomization, sampler: Sampler, questions: Sequence[Question], seed: int
) -> dict[Question, Verdict]:
    pairs = list(dict.fromkeys(each.pair for each in questions))
    rows = dict(zip(pairs, test.every(sampler, pairs, np.random.default_rng(seed)), strict=True))
    return {each: rows[each.pair][each.place] for each in questions}


def _corrected(verdicts: Sequence[Verdict]) -> list[Outcome]:
    p = np.array([each.p.item() for each in verdicts])
    p[~np.isnan(p)] = holm(p[~np.isnan(p)].tolist())
    return [Outcome(each, own) for each, own in zip(verdicts, p.tolist(), strict=True)]

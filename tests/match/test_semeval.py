"""semeval sorts aligned pairs as its mode says, for the right label on each side."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import pytest

from carob.corpus.problems import RecipeError
from carob.counts.tally import Tally
from carob.match.semeval import Semeval
from carob.measure.err import Err
from carob.measure.f import F
from carob.measure.ovg import Ovg
from carob.measure.precision import Precision
from carob.measure.recall import Recall
from carob.measure.ser import Ser
from carob.measure.sub import Sub
from carob.measure.und import Und
from carob.pair.pair import Pair
from tests.match._alignment import Counts, added, aligned, corpora, worlds

Mode = Literal["strict", "exact", "partial", "type"]
WORLDS = worlds(seed=3, size=2500)
PAIR = corpora(WORLDS)
OUT_OF_ORDER = corpora(WORLDS, np.random.default_rng(1))
LINKS = [aligned(world, ()) for world in WORLDS]
every_mode = pytest.mark.parametrize("mode", get_args(Mode))


def fast(mode: Mode, pair: Pair) -> Counts:
    tally = Tally.of(Semeval(mode), pair)
    rows, columns = np.nonzero(tally.counts)
    return {
        (int(tally.unit[r]), tally.labels[tally.label[r]], tally.outcomes[c]): tally.counts[r, c]
        for r, c in zip(rows, columns, strict=True)
    }


def judged(mode: Mode, label: bool, extent: bool) -> str:
    right = {"strict": label and extent, "exact": extent, "partial": extent, "type": label}[mode]
    return "COR" if right else "PAR" if mode == "partial" else "INC"


def slow(mode: Mode) -> Counts:
    counts: Counts = {}
    for i, ((gold, system), links) in enumerate(zip(WORLDS, LINKS, strict=True)):
        for g, s in links:
            one, other = gold[g], system[s]
            word = judged(mode, one.label == other.label, one.fragments == other.fragments)
            added(counts, i, one.label, {word: 1})
            added(counts, i, other.label, {f"{word}_system": 1})
        for g in set(range(len(gold))) - {g for g, _ in links}:
            added(counts, i, gold[g].label, {"MIS": 1})
        for s in set(range(len(system))) - {s for _, s in links}:
            added(counts, i, system[s].label, {"SPU": 1})
    return counts


@every_mode
def test_every_count_is_what_the_definition_says(mode: Mode) -> None:
    assert slow(mode) == fast(mode, PAIR)


@every_mode
def test_the_order_of_the_input_is_irrelevant(mode: Mode) -> None:
    assert fast(mode, PAIR) == fast(mode, OUT_OF_ORDER)


@every_mode
def test_gold_against_gold_has_no_errors(mode: Mode) -> None:
    q = Tally.of(Semeval(mode), corpora([(gold, gold) for gold, _ in WORLDS])).total()
    assert q["gold_all"] == q["gold_right"] == q["system_right"] == q["system_all"] > 0
    assert q["s"] == q["d"] == q["i"] == 0


@every_mode
def test_every_label_has_its_mentions(mode: Mode) -> None:
    pair = PAIR
    q = Tally.of(Semeval(mode), pair).by_label()
    assert np.bincount(pair.gold.label).tolist() == q["gold_all"].tolist()
    assert np.bincount(pair.system.label).tolist() == q["system_all"].tolist()
    for word in ("COR", "INC", "PAR"):
        assert q[word].sum() == q[f"{word}_system"].sum()


@every_mode
def test_the_measures_are_those_of_muc(mode: Mode) -> None:
    q = Tally.of(Semeval(mode), PAIR).total()
    cor, inc, par, mis, spu = (float(q[word]) for word in ("COR", "INC", "PAR", "MIS", "SPU"))
    pos, act = cor + inc + par + mis, cor + inc + par + spu
    right, wrong = cor + 0.5 * par, inc + 0.5 * par
    for expected, measure in (
        (right / act, Precision()), (right / pos, Recall()), (2 * right / (pos + act), F()),
        (mis / pos, Und()), (spu / act, Ovg()), (wrong / (cor + inc + par), Sub()),
        ((wrong + mis + spu) / (cor + inc + par + mis + spu), Err()),
        ((wrong + mis + spu) / pos, Ser()),
    ):  # fmt: skip
        assert pytest.approx(expected) == measure(q).item()


def test_exchanging_the_sides_exchanges_missing_and_spurious() -> None:
    one = Tally.of(Semeval(), PAIR).by_unit()
    other = Tally.of(Semeval(), corpora([(system, gold) for gold, system in WORLDS])).by_unit()
    for name, twin in (("COR", "COR"), ("INC", "INC"), ("MIS", "SPU"), ("SPU", "MIS"),
                       ("gold_right", "system_right"), ("gold_all", "system_all")):  # fmt: skip
        assert one[name].tolist() == other[twin].tolist()


def test_a_mode_that_is_none_is_refused() -> None:
    with pytest.raises(RecipeError) as refused:
        Semeval("parcial")  # type: ignore[arg-type]
    assert (
        str(refused.value) == "semeval has no mode 'parcial'; did you mean partial? "
        "there are: exact, partial, strict, type"
    )

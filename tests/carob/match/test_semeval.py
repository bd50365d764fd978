"""semeval sorts aligned pairs as its mode says, for the right label on each side."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import get_args

import numpy as np
import pytest
from hypothesis import settings

from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.corpus.problems import RecipeError
from carob.counts.tally import Tally
from carob.match.semeval import Mode, Semeval
from carob.measure.err import Err
from carob.measure.f import F
from carob.measure.ovg import Ovg
from carob.measure.precision import Precision
from carob.measure.recall import Recall
from carob.measure.ser import Ser
from carob.measure.sub import Sub
from carob.measure.und import Und
from carob.pair.pair import Pair
from tests.carob.match._alignment import (
    Counts,
    Links,
    Small,
    World,
    added,
    aligned,
    corpora,
    worlds,
)
from tests.worlds import random_flat

WORLDS = worlds(seed=3, size=12 * settings().max_examples)
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
    if mode == "ehealth":
        return "COR" if label and extent else "INC" if extent else "PAR"
    right = {
        "strict": label and extent, "exact": extent, "partial": extent, "type": label,
        "fuzzy": label,
    }[mode]  # fmt: skip
    return "COR" if right else "PAR" if mode == "partial" else "INC"


def linked(mode: Mode, world: World) -> Links:
    """The alignment of a document, as the program of HIPE or eHealth-KD goes about it."""
    gold, system = world
    links: Links = []

    def take_in_turn(fits: Callable[[Small, Small], bool]) -> None:
        for s, other in enumerate(system):
            for g, mention in enumerate(gold):
                free = all(g != one and s != two for one, two in links)
                if free and fits(mention, other):
                    links.append((g, s))
                    break

    take_in_turn(lambda g, s: g.label == s.label and g.fragments == s.fragments)
    if mode == "ehealth":
        take_in_turn(lambda g, s: g.fragments == s.fragments)
        take_in_turn(lambda g, s: g.label == s.label and bool(g.positions & s.positions))
    else:
        take_in_turn(lambda g, s: bool(g.positions & s.positions))
    return links


def slow(mode: Mode) -> Counts:
    counts: Counts = {}
    for i, (world, links) in enumerate(zip(WORLDS, LINKS, strict=True)):
        gold, system = world
        if mode in ("fuzzy", "ehealth"):
            links = linked(mode, world)
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
        "there are: ehealth, exact, fuzzy, partial, strict, type"
    )


def test_fuzzy_takes_the_first_free_mention_even_if_a_later_one_has_the_label() -> None:
    # HIPE's program goes from left to right; the alignment of mode=type takes the equal label.
    gold = Corpus.of("[Bank]LOC of [Rome]ORG said")
    system = Corpus.of("[Bank of Rome]ORG said")
    for mode, expected in (("fuzzy", {"INC": 1, "MIS": 1}), ("type", {"COR": 1, "MIS": 1})):
        counts = Tally.of(Semeval(mode), Pair.of(gold, system)).counted()  # type: ignore[arg-type]
        assert expected == {
            word: counts[word] for word in ("COR", "INC", "MIS", "SPU") if counts[word]
        }


def test_ehealth_leaves_overlapping_mentions_with_different_labels_unaligned() -> None:
    gold, system = Corpus.of("[asthma attack]C now"), Corpus.of("[asthma]A attack now")
    counts = Tally.of(Semeval("ehealth"), Pair.of(gold, system)).counted()
    assert {"MIS": 1, "SPU": 1} == {word: n for word, n in counts.items() if n}


def one_pass(gold: Sequence[Mention], system: Sequence[Mention]) -> dict[str, int]:
    """HIPE's loop: an identical gold mention, otherwise the first that overlaps and is free."""
    counts = dict.fromkeys(("COR", "INC", "MIS", "SPU"), 0)
    met: list[Mention] = []
    for s in system:
        overlapping = [g for g in gold if g.start < s.end and s.start < g.end]
        first = next((g for g in gold if g == s), None) or next(
            (g for g in overlapping if g not in met), None
        )
        if first is None:
            counts["SPU"] += 1
            continue
        met.append(first)
        counts["COR" if first.label == s.label else "INC"] += 1
    counts["MIS"] = sum(g not in met for g in gold)
    return counts


def test_fuzzy_counts_tags_as_the_one_pass_of_hipe() -> None:
    rng = random.Random(7)
    flat = [(random_flat(rng, 12), random_flat(rng, 12)) for _ in range(3000)]
    sides = [
        Corpus.of(*(Document(f"d{i}", tokens=("w",) * 12, mentions=pair[side])
                    for i, pair in enumerate(flat)))
        for side in (0, 1)
    ]  # fmt: skip
    q = Tally.of(Semeval("fuzzy"), Pair.of(sides[0], sides[1])).by_unit()
    for i, (gold, system) in enumerate(flat):
        assert one_pass(gold, system) == {word: q[word][i] for word in ("COR", "INC", "MIS", "SPU")}

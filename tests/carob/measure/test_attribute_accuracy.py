"""Attribute accuracy is a mean over all gold mentions, found or not."""

from __future__ import annotations

import math

import carob
from carob.corpus.corpus import Corpus
from carob.counts.quantities import Quantities
from carob.measure.attribute_accuracy import AttributeAccuracy

RECIPE = "nugget(attributes=type,mapping=2015).attribute-accuracy"


def test_it_has_no_value_without_gold() -> None:
    quantities = Quantities.of(attribute_agree=0, gold_all=0)
    assert math.isnan(AttributeAccuracy()(quantities).item())


def test_a_gold_mention_that_nothing_is_mapped_to_counts_nothing() -> None:
    gold = Corpus.of("[a b]X [c d]X [e]Y [f]X")
    system = Corpus.of("[a]X [b]Y [c d]X e f")
    assert carob.score(gold, system, RECIPE).value == (0.5 + 1 + 0 + 0) / 4


def test_it_is_a_matter_of_gold_labels() -> None:
    gold = Corpus.of("[a b]X [c d]X [e]Y")
    system = Corpus.of("[a]X [b]Y [c d]X [e]X")
    found = carob.score(gold, system, RECIPE).scores[0].by_label
    assert {label: row.value for label, row in found.items()} == {"X": 0.75, "Y": 0.0}

"""Attribute accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carob.plugin import FloatArray, Quantities, ratio


@dataclass(frozen=True, slots=True)
class AttributeAccuracy:
    """The share of system mentions mapped to a gold mention that agree on attributes, averaged.

    attribute_agree / gold_all, the mean over all gold mentions; one that nothing is mapped to
    counts 0. The event space names the attributes: `nugget(attributes=type,mapping=2015)`; if there
    are several, a mention must agree on all of them. Undefined when gold marked nothing. Liu,
    Mitamura & Hovy (2015), "Evaluation Algorithms for Event Nugget Detection: A Pilot Study",
    section 2.5, Algorithm 3; the example there has two system mentions, one of which has the
    right type:

    >>> from carob import Corpus, Document, Mention, score
    >>> words = ("He", "carried", "out", "the", "assassination")
    >>> parts = [Mention("Business.MERGE", 1, 2), Mention("Life.Die", 4, 5)]
    >>> gold = Corpus.of(Document("d", None, words, (Mention.of("Life.Die", [(1, 3), (4, 5)]),)))
    >>> system = Corpus.of(Document("d", None, words, tuple(parts)))
    >>> score(gold, system, "nugget(attributes=type,mapping=2015).attribute-accuracy").value
    0.5
    """

    name: ClassVar[str] = "attribute-accuracy"
    hint: ClassVar[str] = "; write nugget(attributes=type,mapping=2015).attribute-accuracy"
    needs: ClassVar[tuple[str, ...]] = ("attribute_agree", "gold_all")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    denominator: ClassVar[tuple[str, ...]] = ("gold_all",)

    def __call__(self, q: Quantities) -> FloatArray:
        """The mean share for each element."""
        return ratio(q["attribute_agree"], q["gold_all"])

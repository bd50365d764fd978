"""Event nuggets: partial credit for how much of a mention is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import RecipeError, nearest
from carob.counts.events import Events
from carob.match._invisible import Invisible
from carob.match._nugget import Scored, agreeing, firsts, mapped, one_to_one, scored
from carob.match.slots import sorted_names
from carob.pair.pair import Pair

_Mapping = Literal["greedy", "2015"]
_Precision = Literal["fixed", "pilot"]
_Order = Literal["document", "file"]


@dataclass(frozen=True, slots=True)
class Nugget:
    """A pair of mentions counts as much as they overlap: its Dice coefficient.

    Dice(g, s) = 2 |g & s| / (|g| + |s|) over the positions of a gold and a system mention; labels
    and other attributes play no part unless named. Pairs are taken one-to-one, the highest Dice
    first, then by system mention, then by gold mention in document order (`order=file`: in the
    order of the files, as in the official scorer). TP is the sum of Dice, P = TP / N_S and
    R = TP / N_G. N_S and N_G count all mentions of system and gold, including those of documents
    in which the other side has none. P is undefined without system mentions, R without gold.

    With `attributes=type+realis`, only pairs that agree on them count; `type` is the label. Values
    are compared by letters and digits, ignoring case. A gold value NOT_ANNOTATED agrees with
    anything, an absent value only with an absent one. `invisible` names a file of positions that do
    not count on either side, one span a line: document, start and end (exclusive), separated by
    tabs; a mention of which nothing is left has Dice 0.

    `mapping=2015` is the mapping of the paper: a gold mention may receive several system mentions,
    and each system mention is used once. TP is the sum of the best Dice of each gold mention; with
    `attributes`, of the best among its mentions that agree (`attribute-accuracy` then says how many
    do). Only here, `precision=pilot` gives the pilot's P = TP / (TP + FP), in which FP are the gold
    mentions that nothing is mapped to. These are misses, which is why the authors dropped the
    formula. It counts under the label of gold, because all of it is about gold mentions.

    Liu, Mitamura & Hovy (2015), "Evaluation Algorithms for Event Nugget Detection: A Pilot Study",
    section 2.2 (Dice), Algorithms 1 and 2 (mapping, TP and FP), 2.4 (both formulas for P),
    Algorithm 4 (attributes). The example is from section 2.5: one gold mention with a gap, which
    the system splits into two.

    >>> from carob import Corpus, Document, Mention, score
    >>> words = ("He", "carried", "out", "the", "assassination")
    >>> parts = [Mention("Life.Die", 1, 2), Mention("Life.Die", 4, 5)]
    >>> gold = Corpus.of(Document("d", None, words, (Mention.of("Life.Die", [(1, 3), (4, 5)]),)))
    >>> system = Corpus.of(Document("d", None, words, tuple(parts)))
    >>> [score(gold, system, f"nugget(mapping=2015).{m}").value for m in ("TP", "P", "R")]
    [0.5, 0.25, 0.5]
    >>> score(gold, system, "nugget(mapping=2015,precision=pilot).P").value
    1.0
    """

    attributes: tuple[str, ...] = ()
    mapping: Literal["greedy", "2015"] = "greedy"
    precision: Literal["fixed", "pilot"] = "fixed"
    invisible: str | None = None
    order: Literal["document", "file"] = "document"
    hidden: Invisible | None = field(init=False, repr=False, default=None)

    name: ClassVar[str] = "nugget"
    items: ClassVar[Literal["mention", "filler"]] = "mention"
    by_document: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for key, choices in (("mapping", _Mapping), ("precision", _Precision), ("order", _Order)):
            value = getattr(self, key)
            if value not in get_args(choices):
                there = nearest(str(value), get_args(choices))
                raise RecipeError(f"nugget({key}=…): found {value}{there}")
        if self.precision == "pilot" and self.mapping != "2015":
            raise RecipeError(
                "nugget(precision=pilot) is the formula of the pilot study and goes with its "
                "mapping: write nugget(mapping=2015,precision=pilot)"
            )
        hidden = Invisible.of(self.invisible) if self.invisible else None
        object.__setattr__(self, "attributes", sorted_names(self.name, self.attributes))
        object.__setattr__(self, "hidden", hidden)
        object.__setattr__(self, "invisible", hidden and hidden.path)

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R."""
        return self.mapping == "greedy" and not self.attributes

    @property
    def signed(self) -> Mapping[str, str]:
        """What a signature says instead of a parameter: the file with its hash."""
        return {} if self.hidden is None else {"invisible": self.hidden.sealed}

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Dice under either label, mentions; in the mapping of 2015 also gold mentions that
        nothing is mapped to, and with attributes the share of what is mapped that agrees.
        """
        found: tuple[str, ...] = ("TP", "TP_system", "N_G", "N_S")
        if self.mapping == "2015":
            found += ("unmapped", "agree") if self.attributes else ("unmapped",)
        return found

    @property
    def errors(self) -> tuple[str, ...]:
        """Only the mapping of 2015 counts misses by themselves."""
        return ("unmapped",) if self.mapping == "2015" else ()

    @property
    def quantities(self) -> Mapping[str, Mapping[str, float]]:
        """Dice and mentions on each side."""
        found: dict[str, Mapping[str, float]] = {
            "gold_right": {"TP": 1},
            "gold_all": {"N_G": 1},
            "system_right": {"TP_system": 1},
            "system_all": {"N_S": 1},
        }
        if self.precision == "pilot":
            found |= {"system_right": {"TP": 1}, "system_all": {"TP": 1, "unmapped": 1}}
        if "agree" in self.outcomes:
            found["attribute_agree"] = {"agree": 1}
        return found

    def __call__(self, pair: Pair) -> Events:
        """Score all pairs, map them, and count."""
        found = scored(pair, self.hidden)
        if self.mapping == "2015":
            return self._events_2015(pair, mapped(pair, found, self.order))
        found = found.take(agreeing(pair, found, self.attributes))
        return self._events(pair, one_to_one(pair, found, self.order), {}, {})

    def _events_2015(self, pair: Pair, found: Scored) -> Events:
        agree = agreeing(pair, found, self.attributes)
        count = np.bincount(found.gold, minlength=len(pair.gold))
        more: dict[str, IntArray | tuple[IntArray, IntArray]] = {
            "unmapped": np.flatnonzero(count == 0)
        }
        weights = {}
        right = found.take(agree)
        if self.attributes:
            more["agree"] = right.gold, right.system
            weights["agree"] = 1 / count[right.gold]
        best = right.take(firsts(right.gold))
        return self._events(pair, best, more, weights)

    def _events(
        self,
        pair: Pair,
        found: Scored,
        more: Mapping[str, IntArray | tuple[IntArray, IntArray]],
        weights: Mapping[str, FloatArray],
    ) -> Events:
        pairs = found.gold, found.system
        return Events.of(
            pair,
            self.outcomes,
            gold={"TP": pairs, "N_G": np.arange(len(pair.gold)), **more},
            system={"TP_system": pairs, "N_S": np.arange(len(pair.system))},
            weights={"TP": found.dice, "TP_system": found.dice, **weights},
        )

"""Event nuggets: partial credit for how much of a mention is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from carob.arrays.components import alone
from carob.arrays.greedy import greedy
from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.problems import DataError, RecipeError, nearest, shown
from carob.corpus.tables import UNKNOWN, Codes, Mentions
from carob.counts.events import Events
from carob.match._recipe_files import Invisible
from carob.match.overlap import sizes
from carob.match.slots import sorted_names
from carob.pair.pair import Pair

LABEL = "type"
"""What `attributes` calls the label."""

ANYTHING = "notannotated"
"""A gold value that every value agrees with, NOT_ANNOTATED, as values are compared."""

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
                hint = nearest(str(value), get_args(choices))
                raise RecipeError(f"nugget({key}=…): found {value}{hint}")
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
        return {} if self.hidden is None else {"invisible": self.hidden.signed}

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Dice under either label, mentions; in the mapping of 2015 also gold mentions that
        nothing is mapped to, and with attributes the share of what is mapped that agrees.
        """
        outcomes: tuple[str, ...] = ("TP", "TP_system", "N_G", "N_S")
        if self.mapping == "2015":
            outcomes += ("unmapped", "agree") if self.attributes else ("unmapped",)
        return outcomes

    @property
    def errors(self) -> tuple[str, ...]:
        """Only the mapping of 2015 counts misses by themselves."""
        return ("unmapped",) if self.mapping == "2015" else ()

    @property
    def quantities(self) -> Mapping[str, Mapping[str, float]]:
        """Dice and mentions on each side."""
        quantities: dict[str, Mapping[str, float]] = {
            "gold_right": {"TP": 1},
            "gold_all": {"N_G": 1},
            "system_right": {"TP_system": 1},
            "system_all": {"N_S": 1},
        }
        if self.precision == "pilot":
            quantities |= {"system_right": {"TP": 1}, "system_all": {"TP": 1, "unmapped": 1}}
        if "agree" in self.outcomes:
            quantities["attribute_agree"] = {"agree": 1}
        return quantities

    def __call__(self, pair: Pair) -> Events:
        """Score all pairs, map them, and count."""
        scored = _scored(pair, self.hidden)
        if self.mapping == "2015":
            return self._events_2015(pair, _mapped(pair, scored, self.order))
        scored = scored.take(_agreeing(pair, scored, self.attributes))
        return self._events(pair, _one_to_one(pair, scored, self.order), {}, {})

    def _events_2015(self, pair: Pair, mapped: Scored) -> Events:
        count = np.bincount(mapped.gold, minlength=len(pair.gold))
        more: dict[str, IntArray | tuple[IntArray, IntArray]] = {
            "unmapped": np.flatnonzero(count == 0)
        }
        weights = {}
        right = mapped.take(_agreeing(pair, mapped, self.attributes))
        if self.attributes:
            more["agree"] = right.gold, right.system
            weights["agree"] = 1 / count[right.gold]
        best = right.take(_firsts(right.gold))
        return self._events(pair, best, more, weights)

    def _events(
        self,
        pair: Pair,
        mapped: Scored,
        more: Mapping[str, IntArray | tuple[IntArray, IntArray]],
        weights: Mapping[str, FloatArray],
    ) -> Events:
        pairs = mapped.gold, mapped.system
        return Events.of(
            pair,
            self.outcomes,
            gold={"TP": pairs, "N_G": np.arange(len(pair.gold)), **more},
            system={"TP_system": pairs, "N_S": np.arange(len(pair.system))},
            weights={"TP": mapped.dice, "TP_system": mapped.dice, **weights},
        )


class Scored(NamedTuple):
    """Pairs of mentions that share positions, and their Dice coefficients."""

    gold: IntArray
    system: IntArray
    dice: FloatArray

    def take(self, rows: IntArray | BoolArray) -> Scored:
        """Some of the pairs."""
        return Scored(self.gold[rows], self.system[rows], self.dice[rows])


def _scored(pair: Pair, invisible: Invisible | None) -> Scored:
    """All pairs with a Dice coefficient above 0: 2 |g & s| / (|g| + |s|).

    A quotient is rounded once, so equal fractions are equal numbers and ties are ties.
    """
    gold, system = pair.gold, pair.system
    if invisible is not None:
        gold, system = invisible.removed_from((gold, system), pair.documents)
    edges = pair.overlaps if invisible is None else pair.overlaps_of(gold, system)
    total = sizes(gold)[edges.gold] + sizes(system)[edges.system]
    return Scored(edges.gold, edges.system, 2 * edges.shared / total)


def _agreeing(pair: Pair, scored: Scored, attributes: Sequence[str]) -> BoolArray:
    """Which pairs agree on all the attributes; `type` is the label.

    Values are compared without case and without what is no letter or digit. Absent on both sides
    agrees, absent on one does not.
    """
    agree = np.ones(len(scored.gold), bool)
    for name in attributes:
        ours, theirs, anything = _folded(pair, name)
        gold = ours[scored.gold]
        agree &= (gold == theirs[scored.system]) | (gold == anything)
    return agree


def _folded(pair: Pair, name: str) -> tuple[IntArray, IntArray, int]:
    """The values of both sides as codes, equal where they agree; and the one for anything."""
    tables = pair.gold, pair.system
    if name == LABEL:
        columns = [Codes(table.label, pair.labels) for table in tables]
    elif not any(name in table.attributes for table in tables):
        names = sorted({LABEL, *pair.gold.attributes, *pair.system.attributes})
        raise DataError(f"no attribute is called {shown(name)}{nearest(name, names)}")
    else:
        columns = [
            table.attributes.get(name, Codes(np.full(len(table), UNKNOWN), ())) for table in tables
        ]
    code = {ANYTHING: 0}
    sides = []
    for column in columns:
        words = ["".join(c for c in value.casefold() if c.isalnum()) for value in column.values]
        numbers = [code.setdefault(word, len(code)) for word in words]
        sides.append(np.array([*numbers, UNKNOWN])[column.codes])
    return sides[0], sides[1], code[ANYTHING]


def _one_to_one(pair: Pair, scored: Scored, order: str) -> Scored:
    """Pairs taken greedily, the highest Dice first, each mention at most once."""
    simple = alone(scored.gold, scored.system)
    crowd = _ranked(pair, scored.take(~simple), order)
    return _joined(scored.take(simple), crowd.take(greedy(crowd.gold, crowd.system)))


def _mapped(pair: Pair, scored: Scored, order: str) -> Scored:
    """Each system mention with the gold mention of the highest Dice; gold may have several.

    Those of one gold mention come in the order in which they were mapped.
    """
    simple = alone(scored.gold, scored.system)
    crowd = _ranked(pair, scored.take(~simple), order)
    return _joined(scored.take(simple), crowd.take(_firsts(crowd.system)))


def _firsts(rows: IntArray) -> IntArray:
    """Where each row stands first, in order.

    >>> _firsts(np.array([5, 3, 5]))
    array([0, 1])
    """
    return np.sort(np.unique(rows, return_index=True)[1])


def _joined(one: Scored, other: Scored) -> Scored:
    return Scored(
        np.concatenate([one.gold, other.gold]),
        np.concatenate([one.system, other.system]),
        np.concatenate([one.dice, other.dice]),
    )


def _ranked(pair: Pair, scored: Scored, order: str) -> Scored:
    """Highest Dice first, then by system mention, then by gold mention."""
    gold, system = scored.gold, scored.system
    if order == "file":
        gold, system = _in_file(pair.gold)[gold], _in_file(pair.system)[system]
    return scored.take(np.lexsort((gold, system, -scored.dice)))


def _in_file(table: Mentions) -> IntArray:
    """Where each mention stood in its file; only mentions of one document are ever compared."""
    return np.arange(len(table)) if table.place is None else table.place

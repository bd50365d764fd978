"""Templates: slot filling as MUC scored it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from carob.corpus.problems import RecipeError, nearest
from carob.counts.events import Events
from carob.match._fillers import EXACT, IDLE, check_match
from carob.match._template_alignment import align_templates
from carob.match.overlap import Contains
from carob.match.semeval import ERRORS, OUTCOMES, QUANTITIES
from carob.pair.pair import Pair

_TYPES = ("same", "ignore")


@dataclass(frozen=True, slots=True)
class Templates:
    """Forms with slots are aligned, then the fillers of each slot: correct, incorrect, partly
    correct, missing or spurious, as in MUC.

    A document's templates of one type (`type=ignore`: of any type) are aligned one-to-one if they
    share a filler that is correct or partly correct: so that most fillers are correct, then most
    are partly correct, then in the order of their contents. In an aligned pair, fillers of one slot
    are aligned one-to-one: correct (COR) if they match, partly correct (PAR, worth a half) if
    they only overlap. What remains on both sides pairs as incorrect (INC), and the rest is missing
    (MIS) or spurious (SPU), as are all fillers of unaligned templates. Alternatives count as one
    filler; an optional filler that is not found does not count. Templates that fill a slot are
    aligned within aligned templates, by the same rule.

    Fillers are compared by their places if both have one, otherwise by their texts, ignoring case
    and extra white space. `match` says how strictly: `exact`, `contains(k=1)` or `overlap` (a word
    or a position in common; punctuation at the ends of words is ignored). With `overlap` nothing is
    partly correct. POS = COR + INC + PAR + MIS, ACT = COR + INC + PAR + SPU, R = (COR + 0.5 PAR) /
    POS, P = (COR + 0.5 PAR) / ACT. A slot counts in the row TYPE.slot; on the system's side
    (COR_system, INC_system, PAR_system, SPU), in the row of the system's template. Without
    templates, mentions fill the slot that their label names.

    Chinchor & Sundheim (1993), "MUC-5 Evaluation Metrics", who align templates for the best F. In
    the example the room is correct, the speaker partly, and the time is wrong:

    >>> from carob.corpus.corpus import Corpus
    >>> from carob.counts.tally import Tally
    >>> talk = {"speaker": ["Dr. Ann Lee"], "room": ["5409"], "time": ["3:30", "15:30"]}
    >>> answer = {"speaker": ["Ann Lee"], "room": ["5409"], "time": ["4:30"], "host": ["Bo"]}
    >>> gold = Corpus.of({"templates": [{"label": "talk", "slots": talk}]})
    >>> system = Corpus.of({"templates": [{"label": "talk", "slots": answer}]})
    >>> counts = Tally.of(Templates(), Pair.of(gold, system)).counted()
    >>> {name: counts[name] for name in ("COR", "INC", "PAR", "MIS", "SPU")}
    {'COR': 1.0, 'INC': 1.0, 'PAR': 1.0, 'MIS': 1.0, 'SPU': 1.0}
    """

    match: Any = EXACT
    type: Literal["same", "ignore"] = "same"

    name: ClassVar[str] = "templates"
    items: ClassVar[Literal["mention", "filler"]] = "filler"
    by_document: ClassVar[bool] = False
    outcomes: ClassVar[tuple[str, ...]] = OUTCOMES
    idle: ClassVar[Mapping[str, tuple[str, ...]]] = IDLE
    errors, quantities = ERRORS, QUANTITIES

    def __post_init__(self) -> None:
        check_match(self.name, self.match)
        if self.type not in _TYPES:
            raise RecipeError(f"templates has no type {self.type!r}{nearest(self.type, _TYPES)}")

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the sides exchanges P and R."""
        return not isinstance(self.match, Contains)

    def __call__(self, pair: Pair) -> Events:
        """Align, then judge every filler."""
        found = align_templates(pair, self.match, typed=self.type == "same")
        return Events.of(
            pair.filled,
            self.outcomes,
            gold={
                "COR": found.right,
                "INC": found.wrong,
                "PAR": found.partial,
                "MIS": found.missing,
            },
            system={
                "COR_system": found.right,
                "INC_system": found.wrong,
                "PAR_system": found.partial,
                "SPU": found.spurious,
            },
        )

"""A scorer of mentions for spaCy, which is imported only where spaCy itself runs.

A config names it as `@scorers = "carob.ner_scorer.v1"`: spaCy finds it where carob is installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from carob.corpus.document import Document, Mention
from carob.evaluate.options import Options, ScoreOptions
from carob.evaluate.score import score
from carob.recipe import Recipe


@dataclass(frozen=True)
class NerScorer:
    """From Examples to scores: what `spacy.ner_scorer.v1` gives, and `scores`, recipes by name.

    As in spaCy, answers are moved onto the tokens of gold, and those on tokens of which gold says
    nothing are left out, as are Examples without gold. A score without a value is None. `options`
    are those of `carob.score`.

    >>> make_ner_scorer({"ents_overlap": "overlap.F1"})
    NerScorer(scores={'ents_overlap': 'overlap.F1'}, options={})
    """

    scores: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # A mistake costs no training.
        self._recipes()
        Options.of(ScoreOptions, self.options)

    def _recipes(self) -> dict[str, Recipe]:
        return {name: Recipe.parse(text) for name, text in self.scores.items()}

    def __call__(self, examples: Iterable[Any], **keywords: Any) -> dict[str, Any]:
        """The scores, under spaCy's names and those of `scores`."""
        known = [example for example in examples if example.y.has_annotation("ENT_IOB")]
        empty = dict.fromkeys(("ents_p", "ents_r", "ents_f", "ents_per_type", *self.scores))
        if not known:
            return empty
        gold = [_document(each.y, [(e.label_, e.start, e.end) for e in each.y.ents])
                for each in known]  # fmt: skip
        system = [_document(each.y, _moved(each)) for each in known]
        recipes = self._recipes()
        found = score(
            gold, system, ["exact.tp", "exact.fp", "exact.fn", *recipes.values()],
            **{"resamples": 0, **self.options},
        )  # fmt: skip
        counts = [found[f"exact.{name}"] for name in ("tp", "fp", "fn")]
        # Labels of answers that were left out have a row, too.
        nothing = {mention.label_: _prf(0, 0, 0) for each in known for mention in each.x.ents}
        by_label = nothing | {
            label: _prf(*(each.by_label[label].value or 0 for each in counts))
            for label in counts[0].by_label
        }
        more = {name: found[recipe].value for name, recipe in recipes.items()}
        totals = [each.value or 0 for each in counts]
        if not sum(totals):
            return empty | more
        overall = {f"ents_{name}": value for name, value in _prf(*totals).items()}
        return {**overall, "ents_per_type": by_label, **more}


def _moved(example: Any) -> list[tuple[str, int, int]]:
    """The answers on the tokens of gold."""
    moved = []
    for mention in example.x.ents:
        places = example.alignment.x2y[mention.start : mention.end]
        if len(places):
            start, end = int(places[0]), int(places[-1]) + 1
            if all(token.ent_iob != 0 for token in example.y[start:end]):
                moved.append((mention.label_, start, end))
    return moved


def _document(doc: Any, mentions: Iterable[tuple[str, int, int]]) -> Document:
    return Document(
        tokens=tuple(token.text for token in doc),
        mentions=tuple(Mention(*each) for each in mentions),
        unit="token",
    )


def _prf(tp: float, fp: float, fn: float) -> dict[str, float]:
    """Precision, recall and F1 as spaCy has them: 0 where nothing is counted."""
    p, r = tp / (tp + fp) if tp + fp else 0.0, tp / (tp + fn) if tp + fn else 0.0
    return {"p": p, "r": r, "f": 2 * (p * r / (p + r)) if p + r else 0.0}


def make_ner_scorer(scores: Mapping[str, str] | None = None) -> NerScorer:
    """The scorer that configs call `carob.ner_scorer.v1`; `scores` are recipes by their names.

    >>> make_ner_scorer()([])["ents_f"] is None
    True
    """
    return NerScorer(dict(scores or {}))

"""Examples are errors of the label that was asked for; what two systems share is not a change."""

from __future__ import annotations

from carob import Corpus, Pair, Recipe, errors
from carob.explain.mentions import MentionErrors
from carob.explain.slots import SlotErrors


def mention_errors(gold: str, system: str) -> MentionErrors:
    pair = Pair.of(Corpus.of(gold), Corpus.of(system), "ABC")
    return MentionErrors(pair, Recipe.parse("fair.F1").space(pair), lambda row: (None, None))


def test_examples_of_a_label_have_it_on_one_side() -> None:
    found = mention_errors("[a]A [b]B [c]C", "[a]B [b]A [c]A")
    places = [
        [each.gold.start for each in found.examples("LE", 9, label) if each.gold]
        for label in (0, 1, 2)
    ]
    assert [[0, 1, 2], [0, 1], [2]] == places


def test_few_examples_are_spread_over_all() -> None:
    found = mention_errors("[a]A [b]A [c]A [d]A [e]A", "a b c d e")
    starts = [each.gold.start for each in found.examples("FN", 3) if each.gold]
    assert [0, 2, 4] == starts
    assert 5 == len(found.examples("FN", 5))


def forms(*slots: dict[str, list[str]]) -> Corpus:
    return Corpus.of(*(
        {"id": str(i), "templates": [{"label": "t", "slots": each}]}
        for i, each in enumerate(slots)
    ))  # fmt: skip


def test_an_extra_answer_is_fixed_only_if_the_other_system_does_not_give_it() -> None:
    gold = forms({"a": ["u"]})
    one, other = forms({"a": ["u"], "b": ["x", "y"]}), forms({"a": ["u"], "b": ["y", "z", "w"]})
    changes = errors(gold, one, other, recipes=["templates.F1"]).changes
    assert changes is not None
    assert {"SPU": 1} == changes.fixed
    assert {"SPU": 2} == changes.broken


def test_a_missing_filler_joins_the_first_template_of_all() -> None:
    pair = Pair.of(forms({"a": ["u"], "b": ["x"]}), forms({"a": ["u"]}))
    found = SlotErrors(pair, Recipe.parse("templates.F1").space(pair), pair.filled.words)
    filled = found.corrected(["MIS"]).filled
    assert [0, 0] == filled.system.template.tolist()
    assert 2 == len(filled.system)

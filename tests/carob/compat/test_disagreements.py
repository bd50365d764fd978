"""Small inputs on which tools disagree: every number of the table in docs/peers.md."""

from __future__ import annotations

from typing import Any

import pytest

import carob
from carob.compat.nervaluate import Evaluator
from carob.compat.seqeval import f1_score
from carob.report.peers.conlleval import Conlleval

seqeval: Any = pytest.importorskip("seqeval.metrics")
schemes: Any = pytest.importorskip("seqeval.scheme")
nervaluate: Any = pytest.importorskip("nervaluate")
conlleval: Any = pytest.importorskip("conlleval")

# Gold and answer; F1 of conlleval in Perl and in Python, of seqeval in its default and its strict
# mode, of nervaluate (strict, partial, ent_type), and of carob, which repairs or discards.
CASES = {
    "I for B": ("IOB2", "B-PER I-PER", "I-PER I-PER", (1, 1), (1, 0), (1, 1, 1), (1, 0)),
    "E for two": (
        "IOBES", "B-X E-X B-X E-X", "B-X I-X I-X E-X", (1, 0), (0, 0), (0, 0.333, 0.667), (0, 0),
    ),
    "split": ("IOB2", "B-X I-X", "B-X B-X", (0, 0), (0, 0), (0, 0.333, 0.667), (0, 0)),
    "joined": ("IOB2", "B-X B-X", "B-X I-X", (0, 0), (0, 0), (0, 0.333, 0.667), (0, 0)),
    "empty": ("IOB2", "O O", "O O", (0, 0), (0, 0), (0, 0, 0), (None, None)),
    "one too many": (
        "IOB2", "B-A O", "B-A B-B", (0.667, 0.667), (0.667, 0.667), (0.667, 0.667, 0.667),
        (0.667, 0.667),
    ),
}  # fmt: skip


def last_number(text: str) -> float:
    """The overall FB1, which conlleval prints in hundredths."""
    return float(text.splitlines()[1].rpartition(" ")[2]) / 100


@pytest.mark.parametrize("name", CASES)
def test_tools_disagree_as_the_table_says(name: str) -> None:
    scheme, gold, answer, in_conlleval, in_seqeval, in_nervaluate, in_carob = CASES[name]
    sides = [gold.split()], [answer.split()]
    lines = [f"w {a} {b}" for a, b in zip(sides[0][0], sides[1][0], strict=True)]
    for version, expected in zip(("perl", "python"), in_conlleval, strict=True):
        tool = Conlleval(script=version)  # type: ignore[arg-type]
        assert expected == pytest.approx(last_number(tool(tool.count(*sides))), abs=1e-3)
    package = conlleval.evaluate([*lines, ""])["overall"]["chunks"]["evals"]["f1"]
    assert in_conlleval[1] == pytest.approx(package, abs=1e-3)
    for function, known in ((seqeval.f1_score, getattr(schemes, scheme)), (f1_score, scheme)):
        found = (
            function(*sides, zero_division=0),
            function(*sides, mode="strict", scheme=known, zero_division=0),
        )
        assert in_seqeval == pytest.approx(found, abs=1e-3)
    tags = sorted({tag[2:] for side in sides for tag in side[0] if tag != "O"})
    for evaluator in (nervaluate.Evaluator, Evaluator):
        overall = evaluator(*sides, tags=tags, loader="list").evaluate()["overall"]
        modes = [overall[mode].f1 for mode in ("strict", "partial", "ent_type")]
        assert list(in_nervaluate) == pytest.approx(modes, abs=1e-3)
    for repair, wanted in zip(("conlleval", "discard"), in_carob, strict=True):
        how = {"scheme": scheme, "repair": repair}
        score = carob.score(
            *sides, "exact.F1", gold_options=how, system_options=how, resamples=0
        ).value
        assert wanted == (None if score is None else pytest.approx(score, abs=1e-3))


def test_carob_can_refuse_a_mention_that_begins_with_i() -> None:
    how = {"scheme": "iob2", "repair": "strict"}
    with pytest.raises(carob.UsageError, match="'I-PER' is not legal in iob2"):
        carob.score(
            [["B-PER", "I-PER"]], [["I-PER", "I-PER"]], "exact.F1",
            gold_options=how, system_options=how,
        )  # fmt: skip


def test_the_same_mentions_in_another_order() -> None:
    gold = [[("X", 0, 4)]]
    answer = [("Y", 0, 2), ("X", 2, 4)]
    found = []
    for order in (answer, answer[::-1]):
        one, other = (
            [[{"label": label, "start": start, "end": end - 1} for label, start, end in side]]
            for side in (gold[0], order)
        )
        row = [
            tool(one, other, tags=["X", "Y"], loader="dict").evaluate()["overall"]["ent_type"].f1
            for tool in (nervaluate.Evaluator, Evaluator)
        ]
        score = carob.score(gold, [order], "semeval(mode=type).F1", resamples=0)
        found.append([*row, score.value])
    # nervaluate's score depends on the order, carob's does not.
    assert [[0, 0, 2 / 3], [2 / 3, 2 / 3, 2 / 3]] == found


def test_a_duplicate_is_wrong_once() -> None:
    mention = {"label": "X", "start": 0, "end": 1}
    for tool in (nervaluate.Evaluator, Evaluator):
        strict = tool([[mention]], [[mention, mention]], tags=["X"], loader="dict").evaluate()
        assert (1, 1) == (
            strict["overall"]["strict"].correct, strict["overall"]["strict"].spurious
        )  # fmt: skip
    twice = carob.score([[("X", 0, 2)]], [[("X", 0, 2)] * 2], ["exact.P", "exact.F1"], resamples=0)
    assert [0.5, 2 / 3] == [each.value for each in twice]


def test_macro_is_over_labels_or_documents() -> None:
    gold, answer = [["B-A", "O"], ["B-A", "B-A"]], [["B-A", "B-B"], ["B-A", "B-A"]]
    assert 0.5 == seqeval.f1_score(gold, answer, average="macro", zero_division=0)
    found = carob.score(gold, answer, ["exact.F1@macro", "exact.F1@macro-doc"], resamples=0)
    assert [0.5, 5 / 6] == pytest.approx([each.value for each in found])


def test_spacy_has_no_value_for_nothing_and_refuses_i_without_b() -> None:
    spacy: Any = pytest.importorskip("spacy")
    scorer: Any = pytest.importorskip("spacy.scorer")
    training: Any = pytest.importorskip("spacy.training")
    vocab = spacy.blank("en").vocab

    def f1(gold: str, answer: str) -> Any:
        sides = [spacy.tokens.Doc(vocab, words=["w"] * 2, ents=tags.split())
                 for tags in (answer, gold)]  # fmt: skip
        return scorer.get_ner_prf([training.Example(*sides)])["ents_f"]

    assert None is f1("O O", "O O")
    assert 0.0 == f1("B-X I-X", "B-X B-X") == f1("B-X B-X", "B-X I-X")
    with pytest.raises(ValueError, match="I without B"):
        f1("B-PER I-PER", "I-PER I-PER")

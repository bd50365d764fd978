"""Adapters give the numbers of carob.score, without the packages that they are for."""

from __future__ import annotations

import math
import subprocess
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from carob import RecipeError, UsageError, score
from carob.compat.evaluate import load
from carob.compat.pytest import assert_score
from carob.compat.sklearn import make_scorer
from carob.compat.spacy import NerScorer, make_ner_scorer
from carob.compat.torchmetrics import MentionScore
from carob.compat.transformers import compute_metrics

GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-LOC", "O"]]
SYSTEM = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-PER", "O"]]
TAGS = {"0": "O", "1": "B-PER", "2": "I-PER", "3": "B-LOC"}
NUMBER = {tag: int(number) for number, tag in TAGS.items()}


def padded(sentences: list[list[str]], filler: int) -> Any:
    return np.array([[NUMBER[t] for t in s] + [filler] * (4 - len(s)) for s in sentences])


def test_compute_metrics_leaves_out_padding() -> None:
    numbers, labels = padded(SYSTEM, 3), padded(GOLD, -100)
    logits = np.eye(len(TAGS))[numbers]
    expected = {
        name: score(GOLD, SYSTEM, recipe).value
        for name, recipe in (("precision", "exact.P"), ("recall", "exact.R"), ("f1", "exact.F1"))
    }
    metrics = compute_metrics(TAGS)
    for predictions in (numbers, logits, (logits, "hidden states"), numbers.tolist()):
        assert expected == metrics((predictions, labels))
        assert expected == metrics(SimpleNamespace(predictions=predictions, label_ids=labels))
    assert expected == compute_metrics(list(TAGS.values()))((numbers, labels))


def test_compute_metrics_takes_logits_of_sentences_of_unequal_length() -> None:
    numbers = [[NUMBER[tag] for tag in tags] for tags in SYSTEM]
    labels = [[NUMBER[tag] for tag in tags] for tags in GOLD]
    arrays = [np.eye(len(TAGS))[each] for each in numbers]
    expected = score(GOLD, SYSTEM, "exact.F1").value
    metrics = compute_metrics(TAGS)
    for predictions in (arrays, [each.tolist() for each in arrays], numbers):
        assert expected == metrics((predictions, labels))["f1"]
    # With one name of labels, transformers may give a tuple.
    assert 1.0 == metrics((np.array([[1, 0]]), (np.array([[1, 0]]),)))["f1"]


@pytest.mark.parametrize(
    ("predictions", "labels", "message"),
    [
        ([[0, 9]], [[0, 1]], "sentence 1, token 2: found the label 9, expected one of the 4 in "
         "id2label"),
        ([[0, 0.5]], [[0, 1]], "sentence 1, token 2: found the label 0.5, expected one of the 4 in "
         "id2label"),
        ([[0]], [[0, 1]], "sentence 1: 1 predictions, but 2 labels"),
        ([[0]], [[0], [1]], "1 sentences are predicted, but 2 have labels"),
        (np.array([0, 1]), [[0], [1]], "sentence 1: found the predictions 0, expected a "
         "list of numbers of tags, or of their logits"),
        ([[0], [1]], [[0], 1], "sentence 2: found the labels 1, expected a list of numbers of "
         "tags"),
        ([[0]], [[[0, 1]]], "sentence 1: found the labels [[0, 1]], expected a list of numbers of "
         "tags"),
        ([[[0.5, 1], [2]]], [[0, 1]], "sentence 1: found the predictions [[0.5, 1], [2]], expected "
         "a list of numbers of tags, or of their logits"),
    ],
)  # fmt: skip
def test_compute_metrics_refuses_what_it_cannot_read(
    predictions: Any, labels: Any, message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        compute_metrics(TAGS)((predictions, labels))
    assert message == str(refused.value)


def test_compute_metrics_without_mentions_gives_nan() -> None:
    assert math.isnan(compute_metrics(TAGS)(([[0]], [[0]]))["f1"])


def test_compute_metrics_takes_a_recipe_or_several_without_names() -> None:
    numbers = ([[1, 0]], [[1, 2]])
    assert {"exact.F1": 0.0} == compute_metrics(TAGS, "exact.F1")(numbers)
    both = compute_metrics(TAGS, ["exact.F1", "overlap.F1"])(numbers)
    assert {"exact.F1": 0.0, "overlap.F1": 1.0} == both


def test_compute_metrics_refuses_labels_without_the_tag_o() -> None:
    for tags in ({0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, ["LABEL_0", "LABEL_1", "LABEL_2"]):
        with pytest.raises(UsageError) as refused:
            compute_metrics(tags)
        message = "id2label has no tag O, but LABEL_0, LABEL_1, LABEL_2: set id2label in the "
        assert message + "model's config" == str(refused.value)


@pytest.mark.parametrize(
    "make",
    [partial(compute_metrics, TAGS), partial(make_scorer, "exact.F1"), MentionScore,
     lambda **options: NerScorer(options=options)],
)  # fmt: skip
def test_a_wrong_option_is_found_before_anything_is_trained(make: Any) -> None:
    with pytest.raises(UsageError, match=r"no option is called 'resample'; did you mean resamples"):
        make(resample=3)
    with pytest.raises(UsageError, match="zero_division is skip or 0 or 1, not 2"):
        make(zero_division=2)
    make(zero_division=0)


@pytest.mark.parametrize("make", [partial(compute_metrics, TAGS), make_ner_scorer])
def test_a_mistake_in_a_recipe_is_found_before_anything_is_trained(make: Any) -> None:
    with pytest.raises(RecipeError, match="no event space is called 'exakt'"):
        make({"f1": "exakt.F1"})
    with pytest.raises(RecipeError, match=r"exact\.PRF stands for 3 recipes"):
        make({"f1": "exact.PRF"})


def test_compute_metrics_may_have_one_recipe_in_several_spellings() -> None:
    metrics = compute_metrics(TAGS, {"a": "exact.F1", "b": "exact.F1@micro", "c": " conll"})
    assert {"a": 1.0, "b": 1.0, "c": 1.0} == metrics(([[1, 0]], [[1, 0]]))


def test_the_metric_of_evaluate_takes_batches() -> None:
    whole = load("seqeval").compute(predictions=SYSTEM, references=GOLD)
    metric = load("seqeval")
    metric.add(prediction=SYSTEM[0], reference=GOLD[0])
    metric.add_batch(predictions=SYSTEM[1:], references=GOLD[1:])
    assert whole == metric.compute()
    assert score(GOLD, SYSTEM, "exact.F1").value == whole["overall_f1"]
    assert 5 / 7 == whole["overall_accuracy"]
    assert {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "number": 2} == whole["LOC"]
    strict = load("seqeval").compute(
        predictions=[["I-PER"]], references=[["B-PER"]], mode="strict", scheme="IOB2",
        zero_division=0,
    )  # fmt: skip
    assert 0.0 == strict["overall_f1"]
    tags = np.array([["B-PER", "O"], ["O", "B-LOC"]])
    assert 1.0 == load("seqeval").compute(predictions=tags, references=tags)["overall_f1"]
    with pytest.raises(UsageError, match="give both"):
        metric.compute(predictions=SYSTEM)
    with pytest.raises(UsageError, match="no metric is called 'rouge'"):
        load("rouge")


def test_the_metric_of_evaluate_refuses_tags_that_are_in_no_sentence() -> None:
    tags, metric = ["B-A", "O"], load("seqeval")
    for predictions, references, side in (
        (tags, tags, "predictions"),
        ([tags], tags, "references"),
    ):
        with pytest.raises(UsageError) as refused:
            metric.compute(predictions=predictions, references=references)
        assert (
            f"{side}: found 'B-A' in the place of sentence 1, "
            "expected a list of sentences: [tags] for the tags of one" == str(refused.value)
        )
    assert ([], []) == (metric.predictions, metric.references)
    with pytest.raises(UsageError, match="references: found 'O' in the place of sentence 2"):
        metric.compute(predictions=[tags, tags], references=[tags, "O"])


def test_a_score_grows_batch_by_batch() -> None:
    metric = MentionScore(["exact.F1", "overlap.F1"], resamples=0)
    with pytest.raises(UsageError, match="call update first"):
        metric.compute()
    for gold, system in zip(GOLD, SYSTEM, strict=True):
        metric.update([system], [gold])
    whole = score(GOLD, SYSTEM, ["exact.F1", "overlap.F1"], resamples=0)
    assert [each.value for each in whole] == [each.value for each in metric.compute()]
    metric.reset()
    metric.update(GOLD, GOLD)
    assert 1.0 == metric.compute()["exact.F1"].value
    with pytest.raises(UsageError, match="1 documents of the system, but 3 of gold"):
        metric.update(GOLD[:1], GOLD)


def test_an_assertion_can_ask_for_the_interval() -> None:
    gold, system = GOLD * 20, SYSTEM * 20
    low = score(gold, system, "exact.F1")["exact.F1"].low
    assert low is not None
    found = assert_score(gold, system, "exact.F1", at_least=low - 1e-9, surely=True)
    assert low == found.low
    with pytest.raises(AssertionError, match=r"exact.F1 is 0\.3333 \[.*\], expected surely at lea"):
        assert_score(gold, system, "exact.F1", at_least=low + 0.01, surely=True)
    assert_score(gold, system, "exact.F1", at_least=0.33, at_most=0.34)
    with pytest.raises(AssertionError, match="is undefined, expected at most 1"):
        assert_score([["O"]], [["O"]], "exact.F1", at_most=1)
    with pytest.raises(AssertionError, match="expected at least nan"):
        assert_score(gold, system, "exact.F1", at_least=math.nan)
    with pytest.raises(UsageError, match="give at_least or at_most"):
        assert_score(gold, system, "exact.F1")
    with pytest.raises(UsageError, match="resamples must not be 0"):
        assert_score(gold, system, "exact.F1", at_least=1, surely=True, resamples=0)
    with pytest.raises(UsageError, match="needs an interval"):
        assert_score(GOLD[:1], SYSTEM[:1], "exact.F1", at_least=0, surely=True)


def test_an_assertion_shows_as_many_digits_as_it_takes() -> None:
    gold, system = [["B-A", "B-A", "B-A"]], [["B-A", "B-A", "O"]]
    with pytest.raises(AssertionError) as error:
        assert_score(gold, system, "exact.R", at_least=0.6667)
    assert "exact.R is 0.66667, expected at least 0.6667" == str(error.value)
    with pytest.raises(AssertionError) as error:
        assert_score(gold, system, "exact.R", at_most=0.6666666666)
    assert "exact.R is 0.6667, expected at most 0.6666666666" == str(error.value)


def test_no_adapter_imports_what_it_is_for() -> None:
    code = (
        "import sys\n"
        "import carob.compat.evaluate, carob.compat.pytest, carob.compat.torchmetrics\n"
        "import carob.compat.transformers\n"
        "names = 'evaluate pytest torchmetrics torch transformers seqeval sklearn scipy pandas'\n"
        "print([name for name in names.split() if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]\n" == done.stdout

"""The same tags through the Python version of conlleval, seqscore, spaCy and scikit-learn: P, R and
F1 overall and by label. Tools that are not installed are skipped.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from carob import Corpus, score
from tests.carob.peers.test_seqeval import Tags, answer, random_tags

Rows = dict[str | None, tuple[float, float, float]]
"""P, R and F1 by label; of all labels under None."""


def both(seed: int) -> tuple[Tags, Tags]:
    """Legal tags of IOB2, and an answer."""
    rng = random.Random(seed)
    gold = random_tags(rng, "BI", 6)
    return legal(gold), legal(answer(rng, gold, "BI"))


def legal(tags: Tags) -> Tags:
    """Every stray inside tag begins a mention."""
    for sentence in tags:
        for place, tag in enumerate(sentence):
            before = sentence[place - 1] if place else "O"
            if tag[0] == "I" and before[1:] != tag[1:]:
                sentence[place] = f"B{tag[1:]}"
    return tags


def ours(gold: Tags, system: Tags, space: str = "exact") -> Rows:
    left, right = (Corpus.from_tags(tags, scheme="iob2") for tags in (gold, system))
    found = list(score(left, right, f"{space}.PRF", resamples=0))
    labels = [None, *found[0].by_label]
    parts = [{None: each.value, **{k: v.value for k, v in each.by_label.items()}} for each in found]
    return {label: tuple(part[label] or 0.0 for part in parts) for label in labels}  # type: ignore[misc]


def conlleval(gold: Tags, system: Tags) -> Rows:
    tool = pytest.importorskip("conlleval")
    pairs = zip(gold, system, strict=True)
    lines = (
        line
        for sentences in pairs
        for line in [*(f"w {a} {b}" for a, b in zip(*sentences, strict=True)), ""]
    )
    found = tool.evaluate(lines)
    slots = {label: each["evals"] for label, each in found["slots"]["chunks"].items()}
    every = {None: found["overall"]["chunks"]["evals"], **slots}
    return {label: (each["prec"], each["rec"], each["f1"]) for label, each in every.items()}


def seqscore(gold: Tags, system: Tags) -> Rows:
    scoring = pytest.importorskip("seqscore.scoring")
    found = scoring.score_label_sequences(system, gold, "BIO", repair=None)[0]
    every = {None: found, **found.type_scores}
    return {label: (each.precision, each.recall, each.f1) for label, each in every.items()}


def spacy(gold: Tags, system: Tags) -> Rows:
    tool = pytest.importorskip("spacy")
    doc, example = tool.tokens.Doc, pytest.importorskip("spacy.training").Example
    vocab = tool.blank("xx").vocab
    left, right = (
        [doc(vocab, words=["w"] * len(each), ents=each) for each in side] for side in (gold, system)
    )
    found = pytest.importorskip("spacy.scorer").get_ner_prf(
        [example(b, a) for a, b in zip(left, right, strict=True)]
    )
    rows: Rows = {label: (row["p"], row["r"], row["f"])
                  for label, row in found["ents_per_type"].items()}  # fmt: skip
    return {None: (found["ents_p"], found["ents_r"], found["ents_f"]), **rows}


@pytest.mark.parametrize("tool", [conlleval, seqscore, spacy])
def test_mentions_have_the_same_scores(tool: Callable[[Tags, Tags], Rows]) -> None:
    for seed in range(20):
        gold, system = both(seed)
        theirs = tool(gold, system)
        mine = ours(gold, system)
        assert len(theirs) > 2
        for label, row in theirs.items():
            assert mine[label] == pytest.approx([each or 0.0 for each in row]), (label, seed)


def test_seqscore_refuses_what_carob_repairs() -> None:
    scoring = pytest.importorskip("seqscore.scoring")
    with pytest.raises(Exception, match="validation errors"):
        scoring.score_label_sequences([["I-X"]], [["I-X"]], "BIO", repair=None)


def test_tokens_have_the_same_scores_in_scikit_learn() -> None:
    metrics: Any = pytest.importorskip("sklearn.metrics")
    for seed in range(20):
        gold, system = both(seed)
        sides = [[tag[2:] for tags in side for tag in tags] for side in (gold, system)]
        labels = sorted({*sides[0], *sides[1]} - {""})
        mine = ours(gold, system, "token")
        theirs = metrics.precision_recall_fscore_support(*sides, labels=labels, zero_division=0)
        for place, label in enumerate(labels):
            assert mine[label] == pytest.approx([each[place] for each in theirs[:3]])
        micro = metrics.precision_recall_fscore_support(
            *sides, labels=labels, average="micro", zero_division=0
        )
        assert mine[None] == pytest.approx(micro[:3])

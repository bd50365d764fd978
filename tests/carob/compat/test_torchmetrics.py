"""Batches give the scores and intervals of all documents at once, however they are cut."""

from __future__ import annotations

import pickle
import tracemalloc
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob import UsageError, score
from carob.compat.torchmetrics import MentionScore
from tests.worlds import examples

RECIPES = (
    "exact.PRF", "exact.F1@macro", "exact.F1@macro-doc", "overlap.F1@macro", "ts.F1@macro",
    "ts.kappa", "fair.F1", "slots.SER", "semeval(mode=partial).F1",
)  # fmt: skip
LABELS = ("LOC", "ORG", "PER")


@st.composite
def tagged(draw: Any, label: Any) -> tuple[list[str], list[str]]:
    size = draw(st.integers(1, 5))
    tags = st.lists(
        st.one_of(st.just("O"), st.builds("{}-{}".format, st.sampled_from("BI"), label)),
        min_size=size, max_size=size,
    )  # fmt: skip
    return draw(tags), draw(tags)


@st.composite
def records(draw: Any, label: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Documents with words, so that some have the same hash, and mentions with an attribute."""
    tokens = draw(st.lists(st.sampled_from("ab"), min_size=2, max_size=3))
    mention = st.builds(
        lambda start, label, value: {"start": start, "end": start + 1, "label": label,
                                     "attributes": {"realis": value}},
        st.integers(0, 1), label, st.sampled_from(["actual", "generic"]),
    )  # fmt: skip
    mentions = st.lists(
        mention, min_size=1, max_size=3, unique_by=lambda m: (m["start"], m["label"])
    )
    return (
        {"tokens": tokens, "mentions": draw(mentions)},
        {"tokens": tokens, "mentions": draw(mentions)},
    )


@st.composite
def batches(draw: Any, document: Any) -> list[list[tuple[Any, Any]]]:
    """Some batches, of which some are empty, and each has labels of its own."""
    made = []
    for _ in range(draw(st.integers(1, 5))):
        labels = draw(st.lists(st.sampled_from(LABELS), min_size=1, unique=True))
        made.append(draw(st.lists(document(st.sampled_from(labels)), max_size=5)))
    return made if any(made) else [[draw(document(st.just("PER")))], []]


def results(scores: Any) -> list[Any]:
    return [
        (each.recipe, each.overall, each.by_label, each.counts, each.left_out) for each in scores
    ]


def check(cut: list[list[tuple[Any, Any]]], recipes: Any, **options: Any) -> None:
    metric, other = MentionScore(recipes, **options), MentionScore(recipes, **options)
    gold: list[Any] = []
    system: list[Any] = []
    for place, batch in enumerate(cut):
        ours, theirs = [a for a, _ in batch], [b for _, b in batch]
        gold, system = gold + ours, system + theirs
        # The last batches are counted in another process.
        (metric if place < 3 else other).update(theirs, ours)
        if place < 3 and gold:
            found, whole = metric.compute(), score(gold, {"system": system}, recipes, **options)
            assert results(found) == results(whole)
    metric.merge_state(pickle.loads(pickle.dumps(other)))
    found, whole = metric.compute(), score(gold, {"system": system}, recipes, **options)
    assert results(found) == results(whole)
    for ours_, theirs_ in ((found.gold, whole.gold), (found.systems[0], whole.systems[0])):
        assert (ours_.documents, ours_.mentions) == (theirs_.documents, theirs_.mentions)
        # How many tags are repaired depends on the scheme, which each batch shows anew.
        assert {**ours_.coverage, "repaired": 0} == {**theirs_.coverage, "repaired": 0}


@examples(0.3)
@given(batches(tagged), st.sampled_from(["auto", "bca", "percentile"]))
def test_batches_of_tags_score_like_all_sentences(cut: Any, interval: str) -> None:
    check(cut, RECIPES, interval=interval, resamples=100)


@examples(0.3)
@given(batches(tagged), st.sampled_from(["skip", "0", "1"]), st.sampled_from([None, ["PER"]]))
def test_batches_score_alike_with_other_options(cut: Any, zero: str, labels: Any) -> None:
    check(cut, RECIPES, zero_division=zero, labels=labels, map={"ORG": "LOC"}, resamples=100)


@examples(0.3)
@given(batches(records), st.booleans())
def test_batches_of_documents_score_like_all_documents(cut: Any, named: bool) -> None:
    if named:
        number = count(100, -1)
        for document, answer in (sides for batch in cut for sides in batch):
            document["id"] = answer["id"] = str(next(number))
    recipes = ("exact.F1", "nugget(attributes=type+realis).F1", "ts.F1@macro")
    check(cut, recipes, interval="percentile", resamples=100)


def test_remarks_and_signature_say_what_is_known_of_all_batches() -> None:
    metric = MentionScore("exact.F1", resamples=0)
    metric.update([["B-person"]], [["B-PER"]])
    metric.update([["I-LOC"], ["B-LOC"]], [["B-LOC"], ["O"]])
    found = metric.compute()
    assert ("system: gold has no label person (1 mention); did you mean PER?") in found.remarks
    signature = found["exact.F1"].signature
    assert "|scheme:iob2/iob2|" in signature and signature.endswith("|gold:none|system:none")
    assert "" == found.gold.sha256
    assert '"value"' in str(found.to_json())


def test_what_is_kept_does_not_grow_with_the_text() -> None:
    def kept(length: int) -> int:
        metric = MentionScore("exact.F1")
        sentence = ["B-PER", *["O"] * length]
        tracemalloc.start()
        for _ in range(20):
            metric.update([list(sentence)] * 10, [list(sentence)] * 10)
        metric.compute()
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    kept(1)  # whatever is loaded once
    assert kept(2000) < 1.5 * kept(2)


def test_an_error_leaves_the_counts_as_they_were() -> None:
    metric = MentionScore("exact.F1", resamples=0)
    metric.update([["B-PER"]], [["B-PER"]])
    with pytest.raises(UsageError, match="system: document 1, tag 2: found None"):
        metric.update([["O", None]], [["O", "O"]])
    assert 1.0 == metric.compute().value


@pytest.mark.parametrize(
    ("recipes", "options", "message"),
    [
        ("surface.F1", {}, "surface counts all documents together"),
        ("oas.F1", {}, "oas counts all documents together"),
        ("exact.F1", {"strata": "genre"}, "strata needs all documents at once"),
        ("exact.F1", {"resample_by": "sentence"}, "resample_by needs all documents at once"),
        ("exact.F1", {"system_options": {"repair": "discard"}}, "repair=discard needs the scheme"),
        ("exact.F1", {"resample": 1}, "no option is called 'resample'"),
    ],
)
def test_what_needs_all_documents_is_refused(recipes: str, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        MentionScore(recipes, **options)


def test_batches_that_do_not_fit_together_are_refused() -> None:
    metric = MentionScore("exact.F1", resamples=0)
    metric.update([{"id": "a", "text": "x"}], [{"id": "a", "text": "x"}])
    metric.update([{"id": "a", "text": "y"}], [{"id": "a", "text": "y"}])
    with pytest.raises(UsageError, match="two documents have the id 'a'"):
        metric.compute()
    metric.reset()
    metric.update([{"id": "a", "text": "x"}], [{"id": "a", "text": "x"}])
    metric.update([["O"]], [["O"]])
    with pytest.raises(UsageError, match="some batches have ids"):
        metric.compute()
    with pytest.raises(UsageError, match="the same recipes and options"):
        metric.merge_state(MentionScore("exact.F1"))
    templates = [{"templates": [{"slots": {"who": ["Ann"]}}]}]
    with pytest.raises(UsageError, match="templates are compared as a whole"):
        metric.update(templates, templates)


def test_a_batch_may_hold_nothing_but_empty_sentences() -> None:
    recipes = ["exact.F1", "overlap.F1@macro-doc", "ts.F1", "token.accuracy@macro"]
    check([[([], [])], [(["B-PER"], ["O"]), ([], [])], []], recipes)


def test_repair_with_a_scheme_counts_batch_by_batch() -> None:
    reading = {"repair": "discard", "scheme": "iob2"}
    metric = MentionScore("exact.R", resamples=0, gold_options=reading, system_options=reading)
    metric.update([["I-PER"]], [["B-PER"]])
    metric.update([["B-PER"]], [["B-PER"]])
    assert 0.5 == metric.compute().value

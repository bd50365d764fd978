"""Lists are scored as the files that say the same."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from carob import (
    CarobError,
    Corpus,
    Recipe,
    Tally,
    UsageError,
    compare,
    errors,
    rank,
    robust,
    score,
    write,
)
from carob.corpus.content import content_sha256
from carob.evaluate.score import average
from carob.plugin import Averaged

GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["B-LOC", "O"]]
SYSTEM = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-PER", "O"]]


class Doc:
    """As spaCy's Doc: its tokens come one after the other, and it has spans."""

    ents = ()

    def __iter__(self) -> Iterator[object]:
        return iter([object()])


DOC = Doc()


def test_scores_are_those_of_the_same_files(tmp_path: Path) -> None:
    words = [[f"w{k}" for k in range(len(tags))] for tags in GOLD]
    for name, tags in (("gold", GOLD), ("system", SYSTEM)):
        write(Corpus.from_tags(tags, words), tmp_path / f"{name}.conll")
    paths = [tmp_path / "gold.conll", tmp_path / "system.conll"]
    files = score(paths[0], paths[1], resamples=0)
    lists = score(GOLD, SYSTEM, resamples=0)
    assert [(s.recipe, s.value, s.by_label) for s in files] == [
        (s.recipe, s.value, s.by_label) for s in lists
    ]


def test_mentions_score_as_tags_do() -> None:
    mentions = [[("PER", 0, 2)], [("LOC", 1, 2)], [("LOC", 0, 1)]]
    assert 1.0 == score(GOLD, mentions, "exact.F1").value
    assert 1.0 == score(mentions, GOLD, "exact.F1").value
    assert 1.0 == score(mentions, mentions[:], "exact.F1").value
    assert 0.0 == score(GOLD, [[], [], []], "exact.F1").value


def test_several_systems_are_a_list_or_have_names() -> None:
    assert ["system", "system-2"] == [s.system for s in score(GOLD, [SYSTEM, GOLD], "exact.F1")]
    named = compare(GOLD, {"a": SYSTEM, "b": GOLD}, "exact.F1").differences[0]
    unnamed = compare(GOLD, [SYSTEM, GOLD], "exact.F1").differences[0]
    assert ("a", "b", 1 / 3, 1.0) == (named.a, named.b, named.value_a, named.value_b)
    assert (named.difference, named.p) == (unnamed.difference, unnamed.p)
    assert [("LOC", "PER", 1)] == errors(GOLD, SYSTEM).confusions
    assert errors(GOLD, SYSTEM, GOLD).changes is not None
    assert [] == errors(GOLD, [[], [], []]).confusions
    assert {"a", "b"} == {each.system for each in rank(GOLD, {"a": SYSTEM, "b": GOLD}, "exact.F1")}


def test_the_signature_says_how_tags_were_read() -> None:
    def signature_of(gold: Any, system: Any, **options: Any) -> str:
        return score(gold, system, "exact.F1", **options)["exact.F1"].signature

    signature = signature_of(GOLD, SYSTEM)
    assert "|format:memory/memory|scheme:iob2/iob2|repair:conlleval|" in signature
    other = signature_of(GOLD, SYSTEM, system_options={"repair": "discard"})
    assert "|repair:conlleval/discard|" in other
    hashes = [part for part in signature.split("|") if "sha256=" in part]
    assert 2 == len(set(hashes))
    assert not set(hashes) & set(signature_of(GOLD[:2], SYSTEM[:2]).split("|"))


def test_options_of_tags_are_used() -> None:
    invalid = [["I-PER", "I-PER", "O"], *GOLD[1:]]
    assert 1.0 == score(GOLD, invalid, "exact.F1").value
    discard = {"repair": "discard", "scheme": "iob2"}
    assert 0.8 == score(GOLD, invalid, "exact.F1", system_options=discard).value
    with pytest.raises(UsageError, match="system: document 1, tag 1: 'I-PER' is not legal in iob2"):
        score(GOLD, invalid, "exact.F1", system_options={"repair": "strict", "scheme": "iob2"})
    with pytest.raises(UsageError, match="the option 'tag' has no use"):
        score(GOLD, SYSTEM, "exact.F1", gold_options={"tag": 2})
    policies = {each.repair for each in robust(GOLD, {"a": invalid, "b": SYSTEM}, "exact.F1")}
    assert {"conlleval", "discard"} == policies


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (GOLD, [["O"], *SYSTEM[1:]], "system:1: K303 found 1 tokens, expected 3, as in gold:1"),
        (GOLD, SYSTEM[:2], "system: K302 found 2 documents, expected 3, as in gold"),
        (GOLD, [[("PER", 0, 9)], [], []], "K306 found a mention that ends at 9 in document '1'"),
        (
            [[("A", 0, 9)]],
            [["B-A"]],
            "system: K306 found 1 position in document '1', expected at "
            "least 9, where a mention of gold ends",
        ),
        (GOLD, [["O", "O", 1], *SYSTEM[1:]], "system: document 1, tag 3: found 1, expected a tag"),
        ([["O", 1]], SYSTEM, "gold: document 1, tag 2: found 1, expected a tag"),
        (GOLD, 5, "a corpus or a path is needed, not int"),
        (5, GOLD, "a corpus or a path is needed, not int"),
        (GOLD, iter(SYSTEM), "needed, not list_iterator; a list of documents will do as well"),
        (GOLD, [], "give at least one system"),
        (GOLD, {}, "give at least one system"),
        (
            GOLD,
            [[("PER", "0", "2")], [], []],
            "system: document 1, mention 1: found ('PER', '0', "
            "'2'), expected (label, start, end), like ('PER', 0, 2)",
        ),
        (
            GOLD,
            [[("PER", 0, 2, "Ann")], [], []],
            "system: document 1, mention 1: found ('PER', 0, "
            "2, 'Ann'), expected (label, start, end), like ('PER', 0, 2)",
        ),
        (DOC, DOC, "a corpus or a path is needed, not Doc; a list of documents will do as well"),
        ([DOC], DOC, "a corpus or a path is needed, not Doc; a list of documents will do as well"),
        (DOC, [DOC], "a corpus or a path is needed, not Doc; a list of documents will do as well"),
        ([], [], "all lists are empty: give at least one document"),
        ([], {"a": [], "b": []}, "all lists are empty: give at least one document"),
        (["B-X", "O", "O"], ["B-X", "O", "O"], "found 'B-X' in the place of a document, expected"),
        ([[("X", 0, 2)]], [[{"start": 0, "end": 2}]], "without a label, expected a label"),
        ([{"start": 0, "end": 2}], [[]], "found a mention, expected a list of mentions"),
    ],
)
def test_errors_name_the_side_the_document_and_the_place(
    gold: Any, system: Any, message: str
) -> None:
    with pytest.raises(CarobError) as caught:
        score(gold, system, "exact.F1")
    assert message in str(caught.value)


@pytest.mark.parametrize("function", [score, compare])
def test_an_error_names_the_system_among_several(function: Any) -> None:
    short, words = GOLD[:2], [["O"], *GOLD[1:]]
    for systems, message in (
        ({"a": GOLD, "b": short}, "b: K302 found 2 documents, expected 3, as in gold"),
        ({"a": words, "b": GOLD}, "a:1: K303 found 1 tokens, expected 3, as in gold:1; document "
         "'1'"),
        ([GOLD, GOLD, [[("PER", 0, 9)], [], []]], "system-3: K306 found a mention that ends at 9 "
         "in document '1', expected an end within the 3 positions that gold has"),
        ([short, GOLD, short], "system: K302 found 2 documents, expected 3, as in gold\n"
         "system-3: K302 found 2 documents, expected 3, as in gold"),
    ):  # fmt: skip
        with pytest.raises(CarobError) as caught:
            function(GOLD, systems, "exact.F1")
        assert message == str(caught.value)


def test_an_error_names_a_system_that_cannot_be_aligned() -> None:
    gold, other = Corpus.of({"text": "Ann slept"}), Corpus.of({"text": "0123456789"})
    with pytest.raises(CarobError, match=r"^b:1: K260 found 0\.0% of the characters aligned"):
        score(gold, {"a": gold, "b": other}, "exact.F1", align="characters")


def test_lists_are_hashed_when_a_signature_is_read_and_only_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hashed: list[Corpus] = []

    def counted(corpus: Corpus) -> str:
        hashed.append(corpus)
        return content_sha256(corpus)

    monkeypatch.setattr("carob.corpus.content.content_sha256", counted)
    scores = score(GOLD, SYSTEM, ["exact.F1", "exact.P"], resamples=0)
    assert 1 / 3 == scores["exact.P"].value
    assert not hashed
    gold, system = scores.gold.sha256, scores.systems[0].sha256
    assert [content_sha256(Corpus.from_tags(each)) for each in (GOLD, SYSTEM)] == [gold, system]
    for each in scores:
        assert each.signature.endswith(f"|gold:sha256={gold[:8]}|system:sha256={system[:8]}")
    assert 2 == len(hashed)


def test_scores_of_equal_lists_are_equal_and_can_be_pickled() -> None:
    one, other = score(GOLD, SYSTEM, "exact.F1"), score(GOLD, SYSTEM, "exact.F1")
    assert one == other != score(GOLD, GOLD, "exact.F1")
    assert pickle.loads(pickle.dumps(score(GOLD, SYSTEM, "exact.F1"))) == one


@pytest.mark.parametrize("resamples", [0, 100])
def test_a_result_keeps_no_tally(resamples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tallies: list[weakref.ref[Tally]] = []

    def noted(recipe: Recipe, tally: Tally, zero: float | None) -> Averaged:
        tallies.append(weakref.ref(tally))
        return average(recipe, tally, zero)

    monkeypatch.setattr("carob.evaluate.score.average", noted)
    scores = score([["B-PER"]] * 6, [["B-PER"]] * 6, "exact.F1", resamples=resamples)
    gc.collect()
    assert [None] == [each() for each in tallies]
    assert {"tp": 6, "fp": 0, "fn": 0} == scores["exact.F1"].counts
    assert 6 == scores["exact.F1"].by_label["PER"].support


@pytest.mark.parametrize("recipe", ["exact.F1", "ts.F1", "ts.mcc", "token.accuracy@macro"])
def test_lists_without_anything_have_no_score(recipe: str) -> None:
    assert score([[], []], [[], []], recipe).value is None


def test_lists_of_tags_in_another_spelling_are_read_with_a_remark() -> None:
    gold = [["B-PER", "I-PER", "O"], ["B-LOC"]]
    for system in (
        [["B_PER", "I_PER", "O"], ["B_LOC"]],
        [["PER-B", "PER-I", "o"], ["LOC-B"]],
    ):
        scores = score(gold, {"s": system}, "exact.F1", resamples=0)
        assert 1.0 == scores.value
        told = "s: 3 tags whose prefix is written in another way than in B-PER, and read like it"
        assert (told,) == scores.remarks

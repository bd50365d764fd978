"""A plan is written, read and checked: it never fits another corpus, and keeps its promises."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, InputError, UsageError, read
from carob_lab.plan.plan import Plan, check_plan, make_plan
from carob_lab.plan.split import Split

TWIN = "the talk by Ann Lee is at noon in room five"


@pytest.fixture
def corpus() -> Corpus:
    words = ["red", "green", "blue", "black", "white", "brown", "grey", "pink", "gold", "teal"]
    texts = [f"{word} " * 3 + f"number {i}" for i, word in enumerate(words)]
    return Corpus.of(*(
        {"id": f"d{i}", "text": text, "mentions": [], "attributes": {"news": "xy"[i % 2]}}
        for i, text in enumerate([*texts, TWIN, f"{TWIN} today"])
    ))  # fmt: skip


def messages(plan: Plan, corpus: Corpus) -> list[str]:
    with pytest.raises(InputError) as caught:
        check_plan(plan, corpus)
    return [str(problem) for problem in caught.value.problems]


def test_a_plan_is_read_as_it_was_written_and_never_rewritten(
    corpus: Corpus, tmp_path: Path
) -> None:
    plan = make_plan(corpus, "holdout(train=0.5,dev=0.1)", 3, "near-duplicates", "news")
    file = tmp_path / "plan.json"
    plan.write(file)
    plan.write(file)
    assert plan == Plan.read(file)
    check_plan(Plan.read(file), corpus)
    before = file.read_bytes()
    with pytest.raises(UsageError, match="exists with another plan, and a plan is never rewritten"):
        make_plan(corpus, "holdout", 4).write(file)
    assert before == file.read_bytes()


def test_ids_of_any_characters_are_read_as_they_were_written(tmp_path: Path) -> None:
    names = ['a"b', "\ud800", "\u2028\n", "Zürich", "\\ud800"]
    plan = make_plan(Corpus.of(*({"id": each, "text": each, "mentions": []} for each in names)))
    plan.write(tmp_path / "plan.json")
    assert plan == Plan.read(tmp_path / "plan.json")


def test_twins_are_looked_for_and_kept_together_only_if_that_was_asked(corpus: Corpus) -> None:
    plans = [make_plan(corpus, "repeated(n=8)", group=rule) for rule in ("none", "near-duplicates")]
    assert [(("d10", "d11"),)] * 2 == [plan.twins for plan in plans]
    apart, together = ([len(plan.twins_in_training(s)) for s in plan.splits] for plan in plans)
    assert set(apart) == {0, 1}
    assert set(together) == {0}


def test_groups_of_an_attribute_are_never_on_both_sides(corpus: Corpus) -> None:
    plan = make_plan(corpus, "kfold(k=2)", group="news")
    assert [{"0", "1"}] * 2 == [
        {str(int(each[1:]) % 2) for part in (split.train, split.test) for each in part[:1]}
        for split in plan.splits
    ]
    with pytest.raises(
        UsageError, match="cannot divide 2 groups into 3 parts without an empty one"
    ):
        make_plan(corpus, "kfold(k=3)", group="news")
    with pytest.raises(UsageError, match="no document has the attribute 'new'; did you mean news"):
        make_plan(corpus, "kfold(k=2)", group="new")
    with pytest.raises(UsageError, match="no document has the attribute 'old'"):
        make_plan(corpus, "kfold(k=2)", stratify="old")


def test_a_plan_of_another_corpus_is_refused(corpus: Corpus) -> None:
    plan = make_plan(corpus, "holdout")
    other = Corpus.of(*(document for document in corpus if document.id != "d3"))
    (message,) = messages(plan, other)
    assert message.startswith(
        f"plan: K844 found a plan of a corpus with sha256 {plan.sha256}, expected"
    )


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        (Split("x", ("d1", "nix"), ("d2",)),
         "K843 found the document 'nix' in the split x, expected a document of the corpus"),
        (Split("x", ("d1", "d1"), ("d2",)),
         "K843 found the document 'd1' twice in train in the split x, expected each document once"),
        (Split("x", ("d1", "d2"), ("d2",)),
         "K843 found the document 'd2' in train and in test in the split x, expected each document "
         "once"),
        (Split("x", ("d10",), ("d2",), ("d11",)),
         "K845 found a group of near-duplicates in several parts in the split x: 'd10' in train "
         "and 'd11' in dev, expected each group in one part"),
    ],
)  # fmt: skip
def test_a_plan_that_breaks_its_promises_is_refused(
    corpus: Corpus, split: Split, expected: str
) -> None:
    plan = replace(make_plan(corpus, "holdout"), splits=(split,), group="near-duplicates")
    assert [f"plan: {expected}"] == messages(plan, corpus)


@pytest.mark.parametrize(
    ("change", "code", "found"),
    [
        ({"plan": 2}, "K842", "plan = '2'"),
        ({"plan": None}, "K842", "plan = 'null'"),
        ({"seed": 1.5}, "K842", "seed = '1.5'"),
        ({"sed": 1}, "K842", "the key 'sed'"),
        ({"corpus": {"sha256": 1}}, "K842", "corpus = "),
        ({"corpus": []}, "K842", "corpus = '[]'"),
        ({"near_duplicates": {"t": 1}}, "K842", "near_duplicates = "),
        ({"splits": []}, "K842", "no splits"),
        ({"splits": [1]}, "K842", "split 1 without a name"),
        ({"splits": [{"name": "a", "train": ["x"], "test": []}]}, "K842", "test of split 1"),
        ({"splits": [{"name": "a", "train": [5], "test": ["x"]}]}, "K842", "train of split 1"),
        ({"splits": [{"name": "a", "train": ["x"], "test": ["y"], "tset": []}]}, "K842", "'tset'"),
        ({"splits": [{"name": "a", "train": ["x"], "test": ["y"]}] * 2}, "K842", "'a' twice"),
        ({"splits": {}}, "K842", "JSON without a list of splits"),
    ],
)
def test_a_wrong_file_is_refused_in_words(
    corpus: Corpus, tmp_path: Path, change: dict[str, Any], code: str, found: str
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(make_plan(corpus, "holdout").to_dict() | change))
    with pytest.raises(InputError) as caught:
        Plan.read(file)
    (problem,) = caught.value.problems
    assert code == problem.code
    assert found in problem.found


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000, b"NaN", b"[]", b'{"a": 1}'])
def test_hostile_files_are_errors_and_no_tracebacks(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"K84[12]"):
        Plan.read(file)


def test_documents_without_ids_are_numbered_and_equal_ids_refused() -> None:
    plan = make_plan(Corpus.of("[Ann]PER slept", "Bo woke"), "holdout")
    assert {"1", "2"} == {*plan.splits[0].train, *plan.splits[0].test}
    with pytest.raises(UsageError, match="without documents"):
        make_plan(Corpus.of(), "holdout")


def test_the_shared_half_of_the_seminars_has_twenty_twins(data: Path) -> None:
    """The whole corpus has 64 in 485 documents; a pair is in the half by chance."""
    corpus = read(data / "seminars", labels="speaker+location+stime+etime")
    plan = make_plan(corpus)
    assert plan.twins is not None
    assert (20, 10) == (sum(map(len, plan.twins)), len(plan.twins))
    assert {(122, 121)} == {(len(split.train), len(split.test)) for split in plan.splits}

"""Intervals in a run: which there are, what the signature and the remarks say, that they verify."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from carob import (
    Corpus,
    Document,
    Mention,
    Pair,
    Recipe,
    Scores,
    Tally,
    UsageError,
    compare,
    score,
)
from carob.evaluate import demo
from carob.evaluate.score import average_statistic
from carob.evaluate.verify import verify


def corpora(size: int, seed: int = 0, *, sentences: bool = False) -> tuple[Corpus, Corpus]:
    rng = np.random.default_rng(seed)
    sides: list[list[Document]] = [[], []]
    for i in range(size):
        gold = [Mention("AB"[s % 2], s, s + 1) for s in range(6) if rng.random() < 0.6]
        answer = [m for m in gold if rng.random() < 0.8]
        answer += [Mention("AB"[s % 2], s, s + 2) for s in range(5) if rng.random() < 0.1]
        for side, mentions in zip(sides, (gold, answer), strict=True):
            side.append(
                Document(
                    f"d{i:03}", tokens=tuple("abcdef"), mentions=tuple(mentions),
                    sentences=(0, 2, 4) if sentences else (),
                    attributes={"genre": "xy"[i % 2]},
                )
            )  # fmt: skip
    return Corpus.of(*sides[0]), Corpus.of(*sides[1])


def said(scores: Scores, field: str) -> str:
    parts = dict(part.split(":", 1) for part in scores.scores[0].signature.split("|"))
    return parts.get(field, "nothing")


def test_every_score_and_every_label_has_an_interval() -> None:
    scores = score(*corpora(40), ["exact.PRF", "exact.F1@macro", "exact.F1@macro-doc",
                                  "exact.F1@macro-doc-pr", "exact.F1@weighted"])  # fmt: skip
    for each in scores:
        for value in (each.overall, *each.by_label.values()):
            assert value.value is not None
            assert value.low is not None
            assert value.high is not None
            assert value.low < value.value < value.high
    assert said(scores, "interval") == "effective"
    assert said(scores, "by") == "document"
    assert scores.remarks == ()


def test_without_resamples_there_are_none_and_the_number_is_the_same() -> None:
    gold, system = corpora(40)
    plain = score(gold, system, "exact.F1", resamples=0)
    assert said(plain, "interval") == "none"
    assert plain.value == score(gold, system, "exact.F1").value
    assert (plain.scores[0].overall.low, plain.scores[0].overall.high) == (None, None)


def test_a_number_of_resamples_asks_for_bca() -> None:
    gold, system = corpora(12)
    assert said(score(gold, system, "exact.F1", resamples=200), "interval") == "bca,200,seed=0"
    by_name = score(gold, system, "exact.F1", interval="percentile")
    assert said(by_name, "interval") == "percentile,1000,seed=0"
    both = score(gold, system, "exact.F1", interval="effective", resamples=200)
    assert said(both, "interval") == "effective"


def test_effective_says_what_the_items_are_worth() -> None:
    """Of means over labels, of counts, and of the methods by name, it says nothing."""
    gold, system = corpora(30)
    recipes = ["exact.F1", "exact.F1@macro", "exact.F1@macro-doc", "slots.SER", "exact.tp"]
    scores = score(gold, system, recipes).to_dict()["systems"][0]["scores"]
    sizes = {each["recipe"]: each["effective"] for each in scores}
    assert [recipe for recipe in recipes if sizes[recipe] is None] == ["exact.F1@macro", "exact.tp"]
    assert 10 < sizes["exact.F1"] < 1000
    assert score(gold, system, "exact.F1", interval="bca").scores[0].effective is None


def test_few_documents_get_a_remark() -> None:
    assert score(*corpora(10), "exact.F1").remarks == ()
    scores = score(*corpora(9), "exact.F1")
    warning = "intervals rest on only 9 documents"
    assert (warning,) == scores.remarks
    for report in ("terminal", "markdown", "latex"):
        assert warning in scores.to(report)
    assert [warning] == scores.to_dict()["remarks"]


def test_one_document_has_no_interval() -> None:
    scores = score(*corpora(1), "exact.F1")
    assert scores.remarks == ("no intervals from 1 document: intervals need two",)
    assert scores.scores[0].overall.low is None


def test_no_documents_have_no_interval() -> None:
    scores = score(Corpus.of(), Corpus.of(), "exact.F1")
    assert scores.remarks == ("no intervals from 0 documents: intervals need two",)


def test_the_seed_decides_and_nothing_else() -> None:
    gold, system = corpora(40)
    one, same, other = (
        score(gold, system, "exact.F1", seed=seed, interval="bca") for seed in (1, 1, 2)
    )
    assert one.to_json() == same.to_json()
    assert one.scores[0].overall.low != other.scores[0].overall.low
    assert said(one, "interval") == "bca,1000,seed=1"


def test_the_order_of_the_file_changes_nothing() -> None:
    gold, system = corpora(40)
    order = np.random.default_rng(0).permutation(40).tolist()
    mixed = [Corpus.of(*(side[i] for i in order)) for side in (gold, system)]
    for recipe in ("exact.F1", "exact.F1@macro", "exact.F1@macro-doc"):
        ours, theirs = (score(g, s, recipe).scores[0] for g, s in ((gold, system), mixed))
        assert ours.overall == theirs.overall
        assert ours.by_label == theirs.by_label


def test_all_agree_is_said_once_for_all_labels() -> None:
    gold, _ = corpora(40)
    scores = score(gold, {"copy": gold}, "exact.PRF", interval="bca")
    text = scores.to("terminal", by_label=True)
    remark = "P, R, F1 of copy, copy A, copy B: all resamples agree, the interval is the point"
    assert f"({remark})" in text.splitlines()


def test_sentences_are_drawn_on_request() -> None:
    gold, system = corpora(12, sentences=True)
    by_document = score(gold, system, ["exact.F1", "exact.F1@macro"])
    by_sentence = score(gold, system, ["exact.F1", "exact.F1@macro"], resample_by="sentence")
    assert (
        said(by_sentence, "by"), said(by_sentence, "interval"),
    ) == ("sentence", "effective")  # fmt: skip
    assert by_sentence.remarks == ()
    for one, other in zip(by_document, by_sentence, strict=True):
        assert (one.value, one.counts) == (other.value, other.counts)
        assert one.overall.low != other.overall.low


def test_a_sentence_is_where_a_mention_starts() -> None:
    """Drawing sentences is drawing documents that are those sentences."""
    gold, system = corpora(20, sentences=True)

    def cut(corpus: Corpus) -> Corpus:
        found = []
        for document in corpus:
            for start in (0, 2, 4):
                own = [m for m in document.mentions if start <= m.start < start + 2]
                moved = [Mention(m.label, m.start - start, m.end - start) for m in own]
                tokens = tuple("abcdef"[start:])
                found.append(
                    Document(f"{document.id}-{start}", tokens=tokens, mentions=tuple(moved))
                )
        return Corpus.of(*found)

    ours = score(gold, system, "exact.F1@macro", resample_by="sentence").scores[0]
    theirs = score(cut(gold), cut(system), "exact.F1@macro").scores[0]
    assert ours.overall == theirs.overall
    assert ours.by_label == theirs.by_label


def test_sentences_that_gold_does_not_have_are_refused() -> None:
    with pytest.raises(UsageError, match="gold does not say where sentences start"):
        score(*corpora(5), "exact.F1", resample_by="sentence")


def test_a_mean_of_documents_has_no_interval_from_sentences() -> None:
    found = score(*corpora(40, sentences=True), "exact.F1@macro-doc", resample_by="sentence")
    one = found.scores[0]
    assert one.overall.low is None
    assert one.overall.remarks == ("macro-doc is a mean of documents, no interval from sentences",)


def test_units_belong_to_the_sentence_of_their_mention() -> None:
    gold, system = corpora(20, sentences=True)
    by_sentence = score(gold, system, ["ts.F1@macro", "ts.kappa"], resample_by="sentence")
    by_document = score(gold, system, ["ts.F1@macro", "ts.kappa"])
    first, second = by_sentence.scores
    assert [s.value for s in by_document] == [s.value for s in by_sentence]
    assert first.overall.low is not None
    assert second.overall.low is None
    said = "ts.kappa counts more than mentions, no interval from sentences"
    assert (said,) == second.overall.remarks


def test_strata_keep_their_sizes() -> None:
    gold, system = corpora(40)
    scores = score(gold, system, "exact.F1", strata="genre")
    assert said(scores, "strata") == "genre"
    assert scores.scores[0].overall.low != score(gold, system, "exact.F1").scores[0].overall.low
    with pytest.raises(UsageError, match="no attribute of documents is called 'gender'; did you"):
        score(gold, system, "exact.F1", strata="gender")


def test_strata_that_explain_everything_leave_no_spread() -> None:
    """Each stratum is one kind of document, so every resample is the same."""
    gold = Corpus.of(*(
        Document(f"d{i}", tokens=("a",), mentions=(Mention("A", 0, 1),),
                 attributes={"kind": "xy"[i % 2]}) for i in range(40)
    ))  # fmt: skip
    system = Corpus.of(*(
        Document(f"d{i}", tokens=("a",), mentions=(Mention("A", 0, 1),) if i % 2 else ())
        for i in range(40)
    ))  # fmt: skip
    for interval in ("bca", "percentile", "jackknife-t"):
        one = score(gold, system, "exact.R", strata="kind", interval=interval).scores[0].overall
        assert (one.value, one.low, one.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"resamples": 5}, "resamples is 0 (no intervals) or from 100 to 10,000,000, not 5"),
        ({"seed": -1}, "seed is 0 or more, not -1"),
        ({"resample_by": "token"}, "resample_by is document or sentence, not 'token'"),
        (
            {"interval": "BCa"},
            "no interval is called 'BCa'; did you mean bca? there are: auto, bca, effective, "
            "jackknife-t, "
            "percentile",
        ),
    ],
)
def test_wrong_choices_are_refused_in_words(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        score(*corpora(3), "exact.F1", **wrong)  # type: ignore[arg-type]
    assert message == str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"interval": "percentile", "resamples": 200, "seed": 7},
        {"interval": "jackknife-t"},
        {"resample_by": "sentence"},
        {"resample_by": "sentence", "resamples": 0},
    ],
)
def test_a_stored_result_verifies(tmp_path: Path, options: dict[str, object]) -> None:
    files = demo.write(tmp_path)
    recipes = ["exact.PRF", "exact.F1@macro", "exact.F1@macro-doc"]
    scores = score(files[2], files[1], recipes, **options)  # type: ignore[arg-type]
    result = tmp_path / "result.json"
    result.write_text(scores.to_json())
    assert verify(result).differences == []


def test_a_stored_interval_that_was_changed_does_not_verify(tmp_path: Path) -> None:
    files = demo.write(tmp_path)
    result = tmp_path / "result.json"
    scores = score(files[2], files[1], "exact.F1")
    low = str(scores.scores[0].overall.low)
    result.write_text(scores.to_json().replace(low, "0.5", 1))
    assert len(verify(result).differences) == 1


def test_strata_verify(tmp_path: Path) -> None:
    from carob import write

    gold, system = corpora(32)
    write(gold, tmp_path / "gold.jsonl")
    write(system, tmp_path / "system.jsonl")
    scores = score(tmp_path / "gold.jsonl", tmp_path / "system.jsonl", "exact.F1", strata="genre")
    result = tmp_path / "result.json"
    result.write_text(scores.to_json())
    assert verify(result).differences == []


def test_the_number_of_threads_changes_no_byte() -> None:
    import os
    import subprocess
    import sys

    program = (
        "import numpy as np\n"
        "from carob.infer.resampling import Units\n"
        "from carob.infer.resampling import Sampler\n"
        "from carob.counts.tally import Statistic, Table\n"
        "rows = np.random.default_rng(0).random((3000, 40))\n"
        "one = Statistic(Table.of(rows), lambda s: s)\n"
        "drawn = Sampler([one], Units.of(3000)).bootstrap(300, np.random.default_rng(1))\n"
        "import hashlib; print(hashlib.sha256(drawn[0].tobytes()).hexdigest())\n"
    )
    found = set()
    for threads in ("1", "2"):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", program], env=environment, check=True,
                              capture_output=True, text=True)  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1


SPACES = ["exact", "fair", "fair(weights=boundary)", "semeval(mode=partial)", "nugget", "slots",
          "ts", "ts(sep=0.3)"]  # fmt: skip


@cache
def sides() -> tuple[Corpus, Corpus]:
    """Gold and a system of forty documents."""
    rng = np.random.default_rng(3)
    gold, system = (
        Corpus.of(*(
            " ".join(f"[w]{'AB'[rng.integers(2)]}" if rng.random() < 0.5 else "w" for _ in range(9))
            for _ in range(40)
        ))
        for _ in range(2)
    )  # fmt: skip
    return gold, system


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "label:A", "macro-doc"])
def test_what_is_resampled_is_what_is_scored(space: str, average: str) -> None:
    """The sums of a table, over all units once each, give the score."""
    gold, system = sides()
    pair = Pair.of(gold, system)
    every = np.ones((1, 40))
    for measure in ("P", "R", "F1"):
        recipe = Recipe.parse(f"{space}.{measure}@{average}")
        statistic = average_statistic(recipe, Tally.of(recipe.space, pair), None)
        drawn = statistic.values(every @ statistic.table.rows(np.arange(40)))[0]
        assert np.allclose(statistic.point, drawn, rtol=1e-14, atol=0)
        assert score(gold, system, str(recipe), resamples=0).value == statistic.point.item()


@pytest.mark.parametrize("several", [False, True])
def test_documents_that_gold_cannot_tell_apart_are_told_apart_by_the_systems(
    several: bool,
) -> None:
    """Equal words and gold, no ids: which documents a system has wrong must not depend on the
    order of the file, nor on what other systems there are.
    """
    rng = np.random.default_rng(4)
    answers = ["[Ann]PER slept", "Ann slept", "[Ann]LOC slept", "Ann [slept]PER"]
    one, other = (rng.choice(answers, 40).tolist() for _ in range(2))
    gold = Corpus.of(*["[Ann]PER slept"] * 40)
    systems = {"one": one, **({"other": other} if several else {})}
    expected = score(gold, {"one": Corpus.of(*one)}, "exact.F1").scores[0].overall
    order = rng.permutation(40).tolist()
    mixed = {name: Corpus.of(*(own[i] for i in order)) for name, own in systems.items()}
    assert expected == score(gold, mixed, "exact.F1").scores[0].overall


def test_differences_do_not_depend_on_the_order_of_the_file() -> None:
    rng = np.random.default_rng(5)
    answers = ["[Ann]PER slept", "Ann slept", "[Ann]LOC slept", "Ann [slept]PER"]
    sides = {name: rng.choice(answers, 40).tolist() for name in ("a", "b")}
    gold, order = Corpus.of(*["[Ann]PER slept"] * 40), rng.permutation(40).tolist()
    plain, mixed = (
        compare(
            gold, {n: Corpus.of(*(own[i] for i in rows)) for n, own in sides.items()}, "exact.F1"
        ).differences[0]
        for rows in (range(40), order)
    )
    assert (plain.low, plain.high, plain.p) == (mixed.low, mixed.high, mixed.p)


def test_a_document_that_holds_much_is_named() -> None:
    many, few = "[Ann]PER " * 30, "[Ann]PER slept"
    gold = Corpus.of(*[many, *[few] * 11])
    system = Corpus.of(*["Ann " * 30, *[few] * 11])
    sentence = "intervals do not know how such documents vary"
    assert score(gold, {"a": system}, "exact.F1").remarks == (
        f"document 1 holds 73 % of the gold items; {sentence}",
    )
    assert score(gold, {"a": gold}, "exact.F1").remarks == (
        f"document 1 holds 73 % of the gold items; {sentence}",
        f"document 1 holds 73 % of the items of a; {sentence}",
    )
    assert score(gold, {"a": gold}, "exact.F1", resamples=0).remarks == ()

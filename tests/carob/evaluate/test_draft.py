"""A drafted task definition loads, fits its gold without complaint, and suggests what was seen."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import carob
from carob import Corpus, UsageError
from carob.evaluate import demo
from carob.evaluate.draft import check_free, draft
from carob.registry import builtin
from tests.carob.evaluate import _tasks as make


def perfect(gold: Path, folder: Path) -> carob.Scores:
    """The scores of gold against itself under its own draft."""
    task = folder / "task.toml"
    task.write_text(draft(carob.read(gold)), "utf-8")
    scores = carob.score(gold, gold, task=task)
    assert [] == [
        each for each in scores.remarks if not each.startswith("intervals rest on only 3 ")
    ]
    return scores


def test_the_example_scores_itself_perfectly(tmp_path: Path) -> None:
    demo.write(tmp_path / "demo")
    scores = perfect(tmp_path / "demo" / "gold.conll", tmp_path)
    assert {"exact.P": 1.0, "exact.R": 1.0, "exact.F1": 1.0} == {
        each.recipe: each.value for each in scores
    }


def test_mentions_score_themselves_perfectly(tmp_path: Path) -> None:
    assert 1.0 == perfect(make.mentions(tmp_path), tmp_path)["exact.F1"].value


def test_templates_score_themselves_perfectly(tmp_path: Path) -> None:
    scores = perfect(make.gold(tmp_path), tmp_path)
    assert {1.0, None} >= {each.value for each in scores}


@pytest.mark.skipif("oas" not in builtin("match"), reason="no slot spaces")
def test_templates_are_scored_in_all_ways_that_can_be(tmp_path: Path) -> None:
    found = tomllib.loads(draft(carob.read(make.gold(tmp_path))))["scoring"]
    assert "exact" == found["match"]
    there = [name for name in ("oas", "oaod", "oads", "templates") if name in builtin("match")]
    assert [f"{name}.PRF" for name in there] == found["recipes"]


def test_a_draft_suggests_the_tightest_limits_that_gold_keeps(tmp_path: Path) -> None:
    values = tomllib.loads(draft(carob.read(make.gold(tmp_path))))
    assert {
        "talk.speaker": {"fillers": "at least one", "realisations": "many"},
        "talk.stime": {"fillers": "at most one", "realisations": "one"},
    } == values["slots"]
    corpus = Corpus.of("[Ann]who", "[Bo]who met [Bo]who")
    assert {"who": {"fillers": "exactly one", "realisations": "one"}} == tomllib.loads(
        draft(corpus)
    )["slots"]


def test_a_draft_says_what_gold_is(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    text = draft(carob.read(gold))
    values = tomllib.loads(text)
    origin = carob.read(gold).origin
    assert origin is not None
    assert {
        "name": "gold", "version": "1", "sha256": origin.sha256, "documents": 3, "format": "conll",
    } == values["corpus"]  # fmt: skip
    assert {"recipes": ["exact.PRF"], "tokenizer": "given"} == values["scoring"]
    assert '\n# [parts]\n# train = ["d1"]\n# test = ["d3"]\n' in text
    assert "[slots.PER]              # in 2 of 3 documents, in 1 more than one\n" in text
    uncommented = text.replace("# [parts]", "[parts]").replace("# train", "train").replace(
        "# test", "test"
    )  # fmt: skip
    assert {"train": ["d1"], "test": ["d3"]} == tomllib.loads(uncommented)["parts"]


@pytest.mark.parametrize("label", ["a.b", 'a"b', "a b\\", "\x7f\x01", "Ä", "[x]", "#", "'"])
def test_labels_of_all_kinds_are_kept(tmp_path: Path, label: str) -> None:
    mention = {"start": 0, "end": 3, "label": label}
    gold = Corpus.of(
        {"id": "\n\x1b", "text": "Ann", "mentions": [mention]}, {"id": "b", "text": ""}
    )
    file = tmp_path / "task.toml"
    file.write_text(draft(gold), "utf-8")
    assert {label} == set(carob.Task.read(file).slots)


def test_fillers_without_texts_are_not_taken_for_one() -> None:
    places = [{"start": 0, "end": 3}, {"start": 4, "end": 7}]
    mentions = [place | {"label": "who"} for place in places]
    values = tomllib.loads(draft(Corpus.of({"mentions": mentions})))
    assert {"who": {"fillers": "at least one", "realisations": "many"}} == values["slots"]


def test_labels_beside_templates_are_legal_too() -> None:
    gold = Corpus.of({
        "text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}],
        "templates": [{"label": "t", "slots": {"who": ["Ann"]}}],
    })  # fmt: skip
    text = draft(gold)
    assert {"PER", "t.who"} == set(tomllib.loads(text)["slots"])
    assert "[slots.PER]              # a label of mentions that fills no slot\n" in text


def test_what_cannot_be_drafted_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^gold has no mention and no filler: there is nothing"):
        draft(Corpus.of("it rained"))
    mention = {"start": 0, "end": 1, "label": "\ud800"}
    with pytest.raises(UsageError) as error:
        draft(Corpus.of({"tokens": ["a"], "mentions": [mention]}))
    assert "TOML cannot hold '\\ud800', which is not Unicode" == str(error.value)


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "task.toml"
    check_free(str(file))
    file.write_text("mine")
    with pytest.raises(UsageError) as error:
        check_free(str(file))
    assert f"{file} exists; give another name with -o, or remove it" == str(error.value)

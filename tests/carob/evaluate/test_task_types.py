"""A task takes untyped answers to typed gold, and checks them; files of a folder are named."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import carob
from carob.cli import main
from carob.corpus.problems import InputError
from carob.evaluate.check import check
from carob.evaluate.draft import draft
from tests.carob.evaluate import _tasks as make


def lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def records(folder: Path) -> Path:
    """Plain JSON for the gold of `_tasks`: one speaker too many, one time missing."""
    return lines(
        folder / "llm.json",
        {"id": "d1", "speaker": "Ann Lee", "stime": "5 pm"},
        {"id": "d2", "speaker": ["Bo", "Bob"], "stime": None},
        {"id": "d3", "speaker": "Cy", "stime": "7"},
    )


def test_untyped_answers_are_accepted_and_their_fillers_counted(tmp_path: Path) -> None:
    gold = make.gold(tmp_path)
    task = make.written(gold, '["oads.F1"]', any="exactly one")
    found = carob.score(gold, {"llm": records(tmp_path)}, task=task, resamples=0)
    assert found.remarks == (
        "gold: talk.speaker: more than one filler in document d1; the task allows exactly one",
        "gold: talk.stime: no filler in document d3; the task allows exactly one",
        "llm: talk.speaker: more than one filler in document d2; the task allows exactly one",
        "llm: talk.stime: no filler in document d2; the task allows exactly one",
    )
    assert found.systems[0].warnings == (
        "3 templates name no type and count as talk, the only type of gold",
    )
    assert 0 == found.systems[0].coverage["ignored"]


def test_mentions_are_slots_of_the_task(tmp_path: Path) -> None:
    gold = make.gold(tmp_path)
    task = make.written(gold, '["oads.F1"]', any="at least one")
    mentions = [{"start": 0, "end": 2, "label": "speaker"}]
    documents = [{"id": f"d{i}", "text": "So.", "mentions": mentions} for i in (1, 2, 3)]
    system = lines(tmp_path / "tagger.jsonl", *documents)
    found = carob.score(gold, system, task=task, resamples=0)
    assert found.remarks == (
        "gold: talk.stime: no filler in document d3; the task allows at least one",
        "tagger: talk.stime: 3 documents without a filler, the first is d1; the task allows "
        "at least one",
    )
    assert found.systems[0].warnings == (
        "mentions count as slots of talk, the only type of gold: speaker as talk.speaker",
    )
    assert 0 == found.systems[0].coverage["ignored"]


@pytest.mark.parametrize("against", [True, False])
def test_check_takes_them_with_gold_and_without(tmp_path: Path, against: bool) -> None:
    gold = make.gold(tmp_path)
    task = make.written(gold, any="at least one")
    system = records(tmp_path)
    found = check(system, gold if against else None, task=task)
    assert [str(each) for each in found.problems if not each.warning] == [
        f"{system}:2: K829 found talk.stime: no filler in document d2, expected at least one, "
        "as the task says"
    ]


def test_a_slot_that_the_task_lacks_is_told_with_its_type(tmp_path: Path) -> None:
    gold = make.gold(tmp_path)
    task = make.written(gold, '["oads.F1"]')
    system = lines(tmp_path / "llm.json", {"id": "d1", "speeker": "Ann"})
    with pytest.raises(InputError) as error:
        carob.score(gold, system, task=task)
    assert str(error.value) == (
        f"{system}:1: K827 found the slot 'talk.speeker' in document 'd1', expected a slot of the "
        "task talks; did you mean talk.speaker? there are: talk.speaker, talk.stime"
    )


def test_where_gold_has_several_types_an_answer_must_name_its_own(tmp_path: Path) -> None:
    gold = lines(tmp_path / "gold.jsonl", {"id": "d1", "text": "a b", "templates": [
        {"label": "talk", "slots": {"name": ["a"]}},
        {"label": "person", "slots": {"name": ["b"]}}]})  # fmt: skip
    task = tmp_path / "task.toml"
    task.write_text(draft(carob.read(gold)))
    system = lines(tmp_path / "llm.json", {"id": "d1", "name": "a"})
    with pytest.raises(InputError) as error:
        carob.score(gold, system, task=task)
    assert str(error.value) == (
        f"{system}:1: K827 found the slot 'name' in document 'd1', expected a slot of the task "
        "gold; did you mean talk.name? there are: person.name, talk.name; name the type of each: "
        '"label" in jsonl, the key that holds it in plain JSON (--read label=KEY), TYPE.slot as '
        "the label of mentions"
    )


def test_what_slots_begin_with_may_be_a_slot(tmp_path: Path) -> None:
    gold = lines(tmp_path / "gold.json", {"id": "d1", "place": {"room": "5", "city": "Oslo"}})
    task = tmp_path / "task.toml"
    task.write_text(draft(carob.read(gold)))
    assert ["place.city", "place.room"] == list(tomllib.loads(task.read_text())["slots"])
    assert "1 file, nothing wrong" == str(check(gold, task=task))


def test_mentions_that_are_fillers_are_not_drafted_twice() -> None:
    linked = {"id": "1", "start": 0, "end": 3, "label": "PER"}
    placed = {"start": 4, "end": 6, "label": "LOC"}
    gold = carob.Corpus.of({"text": "Ann in Oslo", "mentions": [linked, placed], "templates": [
        {"label": "t", "slots": {"who": [{"mention": "1"}], "where": [{"start": 4, "end": 6}]}},
    ]})  # fmt: skip
    assert ["t.where", "t.who"] == list(tomllib.loads(draft(gold))["slots"])


def test_the_file_of_a_document_in_a_folder_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gold, folder = make.gold(tmp_path), tmp_path / "js"
    make.written(gold, any="at least one")
    folder.mkdir()
    for name, time in (("d1", "5"), ("d2", "6"), ("d3", None)):
        lines(folder / f"{name}.json", {"speaker": "Ann", "stime": time})
    assert 1 == main(["check", "js", "--task", "task.toml"])
    assert capsys.readouterr().out == (
        "js/d3.json:1: K829 found talk.stime: no filler in document d3, expected at least one, as "
        "the task says\n1 file, 1 error, 0 warnings\n"
    )
    (folder / "d3.json").rename(folder / "d4.json")
    assert 1 == main(["score", "gold.jsonl", "js"])
    assert capsys.readouterr().err == (
        "carob: js/d4.json:1: K301 found the document 'd4', expected only documents that "
        "gold.jsonl has; --extra-docs ignore leaves it out\n"
    )


def test_check_knows_labels_that_count_in_slots_of_gold(tmp_path: Path) -> None:
    gold = make.gold(tmp_path)
    mentions = [{"start": 0, "end": 2, "label": each}
                for each in ("speaker", "talk.stime", "room")]  # fmt: skip
    system = lines(tmp_path / "tagger.jsonl",
                   {"id": "d1", "text": "So.", "mentions": mentions})  # fmt: skip
    assert [str(each) for each in check(system, gold).problems if each.code == "K314"] == [
        f"{system}:1: K314 found the label room, expected a label or slot of gold: talk.speaker, "
        "talk.stime"
    ]

"""A task definition is read with every mistake told, and applied to gold and systems in full."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import Corpus, InputError, UsageError
from carob.corpus.problems import TaskError
from carob.evaluate._fillers import Slot
from carob.registry import builtin
from tests.carob.evaluate import _tasks as make

slot_spaces = pytest.mark.skipif("oas" not in builtin("match"), reason="no slot spaces")

HEAD = '[corpus]\nname = "x"\nversion = "1"\nsha256 = "{}"\ndocuments = 1\n'.format("0" * 64)
TAIL = '[slots.A]\nfillers = "any"\nrealisations = "one"\n'
FINE = f'{HEAD}[scoring]\nrecipes = ["exact.F1"]\n{TAIL}'


def told(folder: Path, text: str | bytes) -> list[str]:
    """Every problem of a task definition, without the folder."""
    file = folder / "task.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InputError) as error:
        carob.Task.read(file)
    return str(error.value).replace(f"{folder}/", "").splitlines()


def test_a_definition_is_read(tmp_path: Path) -> None:
    gold = make.gold(tmp_path)
    file = make.written(gold, more='[parts]\ntrain = ["d1"]\ntest = ["d2", "d3"]\n')
    task = carob.Task.read(file)
    assert ("talks", "1.0", 3, "test") == (task.name, task.version, task.documents, task.part)
    slot = Slot("any", "one")
    assert {"talk.speaker": slot, "talk.stime": slot} == task.slots
    assert ["exact.F1"] == list(map(str, task.recipes))
    assert {"train": ("d1",), "test": ("d2", "d3")} == task.parts
    assert "train" == carob.Task.read(file, part="train").part
    assert carob.Task.read(file, part="all").part is None
    assert "train" == carob.Task.read(task, part="train").part


def test_without_a_part_called_test_all_documents_are_scored(tmp_path: Path) -> None:
    file = make.written(make.gold(tmp_path), more='[parts]\na = ["d1", "d2", "d3"]\n')
    assert carob.Task.read(file).part is None
    with pytest.raises(UsageError) as error:
        carob.Task.read(file, part="tset")
    assert f"no part of {file} is called 'tset'; there are: a, all" == str(error.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["task.toml: K002 found an empty file, expected a task definition; "
              "carob task init GOLD writes one"]),
        (b"name = \"\xff\"", ["task.toml:1: K821 found the byte 0xff, expected TOML in UTF-8"]),
        ("[corpus]\nname = x\n", ["task.toml:2: K821 found invalid TOML (Invalid value), expected "
         "a task definition; texts are in quotes, tables in brackets"]),
        ("[corpus", ["task.toml: K821 found invalid TOML (Expected ']' at the end of a table "
         "declaration at the end), expected a task definition; texts are in quotes, tables in "
         "brackets"]),
        ("a = " + "[" * 5000, ["task.toml: K821 found invalid TOML (it nests too deep), expected a "
         "task definition; texts are in quotes, tables in brackets"]),
        ("[corpus]\n" + "a." * 600 + "a = 1", ["task.toml:2: K821 found a key of more than 1,000 "
         "characters, expected a shorter one"]),
        ("x = 1", [
            "task.toml:1: K822 found the key 'x', expected a table; there are: corpus, parts, "
            "records, scoring, slots, versions",
            "task.toml: K822 found no table [corpus], expected the tables corpus, scoring, slots",
            "task.toml: K822 found no table [scoring], expected the tables corpus, scoring, slots",
            "task.toml: K822 found no table [slots], expected the tables corpus, scoring, slots",
        ]),
        ("corpus = 1\n[scorings]\n[scoring]\n[slots]\n", [
            "task.toml:1: K823 found corpus = 1, expected a table: [corpus]",
            "task.toml:2: K822 found the key 'scorings', expected a table; did you mean scoring? "
            "there are: corpus, parts, records, scoring, slots, versions",
            "task.toml:3: K822 found [scoring] without recipes, expected recipes = …",
            "task.toml:4: K822 found [slots] without any slot, expected at least one: [slots.NAME]",
        ]),
        ('[corpus]\nname = ""\nversion = 1.0\nsha256 = "abc"\ndocuments = "3"\nfromat = "x"\n'
         f'[scoring]\nrecipes = "exact.F1"\nmatch = "fuzzy"\ntokenizer = "word"\n{TAIL}', [
            "task.toml:2: K823 found name = '', expected a text in quotes",
            "task.toml:3: K823 found version = 1.0, expected a text in quotes",
            "task.toml:4: K823 found sha256 = 'abc', expected 64 hexadecimal digits in quotes, the "
            "SHA-256 of gold",
            "task.toml:5: K823 found documents = '3', expected a whole number of 1 or more",
            "task.toml:6: K822 found the key 'fromat', expected a key of [corpus]; did you mean "
            "format? there are: documents, format, name, note, sha256, source, version",
            "task.toml:8: K823 found recipes = 'exact.F1', expected a list of texts, at least "
            'one, like ["exact.F1"]',
            "task.toml:9: K823 found match = 'fuzzy', expected exact, overlap or contains(k=N)",
            "task.toml:10: K823 found tokenizer = 'word', expected one of given, words, "
            "whitespace, auto",
        ]),
        (f'{HEAD}[scoring]\nrecipes = ["exact.F1"]\n[slots]\nA = "one"\n[slots.B]\nfiller = 1\n'
         '[slots.talk.room]\nfillers = "any"\n[slots.C]\nfillers = "one"\nrealisations = true\n', [
            "task.toml:9: K823 found slots.A = 'one', expected a table: [slots.A]",
            "task.toml:11: K822 found the key 'filler', expected a key of a slot; did you mean "
            "fillers? there are: fillers, realisations",
            "task.toml:10: K822 found [slots.B] without fillers, expected fillers = …",
            "task.toml:10: K822 found [slots.B] without realisations, expected realisations = …",
            "task.toml:12: K822 found the table [slots.talk.room], expected a name without a dot; "
            'a name with a dot needs quotes: [slots."talk.room"]',
            "task.toml:15: K823 found slots.C.fillers = 'one', expected \"exactly one\", \"at most "
            'one", "at least one" or "any"',
            "task.toml:16: K823 found slots.C.realisations = true, expected \"one\" or \"many\"",
        ]),
        (f'{FINE}[parts]\nall = ["a"]\ntrain = ["b",\n  "c",\n  "b"]\ntest = [\n  "d",\n  "c",\n]\n'
         "dev = []\nmore = [1]\n", [
            "task.toml:12: K823 found a part called all, expected another name; all is every "
            "document of gold",
            "task.toml:15: K824 found the document 'b' in train twice, expected each document in "
            "one part, once",
            "task.toml:18: K824 found the document 'c' in train and in test, expected each "
            "document in one part, once",
            "task.toml:20: K824 found the part dev without documents, expected at least one id",
            "task.toml:21: K823 found parts.more = [1], expected a list of ids in quotes, like "
            '["d1", "d2"]',
        ]),
        (FINE.replace('"exact.F1"', '"exact.F1",\n"exakt.F1", "exact.SER"'), [
            "task.toml:8: K825 found the recipe 'exakt.F1', expected a valid recipe; no event "
            "space is called 'exakt'; did you mean exact? there are: ...",
            "task.toml:8: K825 found the recipe 'exact.SER', expected a valid recipe; SER needs "
            "c and s and d and i, which exact does not count; event spaces that do: ...",
        ]),
        (FINE.replace("[slots.A]", 'match = "exact"\n[slots.A]'), [
            "task.toml:8: K825 found match = 'exact', expected a recipe that takes it, of a slot "
            "space such as oas; exact.F1 has no parameter match",
        ]),
    ],
)  # fmt: skip
def test_every_mistake_is_told_with_its_line(
    tmp_path: Path, text: str | bytes, expected: list[str]
) -> None:
    found = told(tmp_path, text)
    assert len(expected) == len(found), found
    for line, actual in zip(expected, found, strict=True):
        start, dots, _ = line.partition("...")
        assert (start, bool(dots)) == (actual[: len(start)], len(actual) > len(start))


def test_a_file_that_is_not_there_or_too_large_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        carob.Task.read(tmp_path / "task.toml")
    assert f"{tmp_path}/task.toml: K001 found no such file, expected a file to read" == str(
        error.value
    )
    large = b"#" * (1 << 23) + b"\n"
    assert ["task.toml: K010 found a file of more than 8 MiB, expected a task definition"] == told(
        tmp_path, large
    )
    with pytest.raises(UsageError, match=r"^a task is a path, not int$"):
        carob.Task.read(3)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_hundred_thousand_wrong_ids_are_told_in_time(tmp_path: Path) -> None:
    ids = ",\n".join(f'"d{i}"' for i in range(100_000))
    lines = told(tmp_path, f"{FINE}[parts]\ntrain = [{ids}]\ntest = [{ids}]\n")
    assert 101 == len(lines)
    assert "and 99,900 more" == lines[-1]


def test_lines_are_found_whatever_stands_around(tmp_path: Path) -> None:
    text = FINE.replace("[slots.A]", "\n  [ slots . 'A' ] # x = 1").replace(
        'fillers = "any"', '\t"fillers"   =   1'
    )
    assert [
        "task.toml:10: K823 found slots.A.fillers = 1, expected \"exactly one\", \"at most one\", "
        '"at least one" or "any"'
    ] == told(tmp_path, text.replace("\n", "\r\n"))  # fmt: skip


def slots_task(folder: Path, recipes: str, match: str) -> carob.Task:
    more = f'match = "{match}"\n[slots."talk.speaker"]'
    text = make.toml(make.gold(folder), recipes).replace('[slots."talk.speaker"]', more)
    (folder / "task.toml").write_text(text)
    return carob.Task.read(folder / "task.toml")


@slot_spaces
@pytest.mark.parametrize(
    ("recipe", "match", "expected"),
    [
        ("oas.F1", "overlap", "oas(match=overlap).F1"),
        ("oads.F1@macro", "contains(k=2)", "oads(match=contains(k=2)).F1@macro"),
        ("oads.F1", "contains", "oads(match=contains).F1"),
        pytest.param(
            "templates(type=ignore).F1",
            "overlap",
            "templates(match=overlap,type=ignore).F1",
            marks=pytest.mark.skipif("templates" not in builtin("match"), reason="no templates"),
        ),
        ("oas(match=overlap).F1", "overlap", "oas(match=overlap).F1"),
        ("oas(match=contains).F1", "contains(k=1)", "oas(match=contains).F1"),
    ],
)
def test_match_fills_what_recipes_leave_open(
    tmp_path: Path, recipe: str, match: str, expected: str
) -> None:
    task = slots_task(tmp_path, f'["{recipe}", "exact.P"]', match)
    assert [carob.Recipe.parse(expected), carob.Recipe.parse("exact.P")] == list(task.recipes)


@slot_spaces
def test_a_recipe_that_contradicts_match_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError) as error:
        slots_task(tmp_path, '["oas.F1", "oas(match=overlap).F1"]', "contains(k=1)")
    assert str(error.value) == (
        f"{tmp_path}/task.toml:7: K825 found oas(match=overlap) in the recipe "
        "'oas(match=overlap).F1', expected match=contains(k=1), as in scoring.match"
    )


def test_official_recipes_are_scored_unless_others_are_asked_for(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, recipes='["exact.PRF", "overlap.F1"]')
    scores = carob.score(gold, gold, task=task, resamples=0)
    assert ["exact.P", "exact.R", "exact.F1", "overlap.F1"] == [each.recipe for each in scores]
    assert () == scores.remarks[1:]
    scores = carob.score(gold, gold, ["exact.F1", "exact.tp"], task=task, resamples=0)
    assert ["exact.F1", "exact.tp"] == [each.recipe for each in scores]
    assert "exact.tp is not an official recipe of the task talks" == scores.remarks[-1]


def test_the_signature_carries_task_and_part(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = carob.Task.read(make.written(gold, more='[parts]\ntest = ["d1", "d2"]\nx = ["d3"]\n'))
    score = carob.score(gold, gold, task=task, resamples=0)["exact.F1"]
    assert f"|labels:LOC+PER|zero:skip|extra:error|task:sha256={task.sha256[:8]}|part:test|" in (
        score.signature
    )
    everything = carob.score(gold, gold, task=carob.Task.read(task, "all"), resamples=0)["exact.F1"]
    assert "|part:all|" in everything.signature


def test_another_gold_is_refused(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = carob.Task.read(make.written(gold))
    text = gold.read_text()
    gold.write_text(text.replace("Ann", "Ada"))
    with pytest.raises(InputError) as error:
        carob.score(gold, gold, task=task)
    assert str(error.value) == (
        f"{gold}: K826 found a file with sha256 {carob.read(gold).origin.sha256}, expected that of "  # type: ignore[union-attr]
        f"the task talks 1.0, sha256 {task.gold}; find the version that the task names, or, if "
        f"gold was changed on purpose, give it a new version in {task.path}"
    )
    gold.write_text(text)
    with pytest.raises(InputError) as error:
        carob.score(gold, gold, task=task, gold_options={"documents": "file"},
                    system_options={"documents": "file"})  # fmt: skip
    assert str(error.value) == (
        f"{gold}: K826 found 1 document, expected the 3 of the task talks 1.0; the file is "
        "right: were the options for reading those of the task?"
    )


def test_gold_in_another_format_is_refused(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, documents='format = "jsonl"\ndocuments')
    with pytest.raises(InputError) as error:
        carob.score(gold, gold, task=task)
    assert str(error.value) == (
        f"{gold}: K826 found gold read as conll, expected the format jsonl of the task talks 1.0; "
        "the file is right: were the options for reading those of the task?"
    )


def test_labels_outside_of_the_task_are_errors_with_their_place(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold)
    system = tmp_path / "system.conll"
    system.write_text(gold.read_text().replace("Cy B-PER", "Cy B-PERS"))
    with pytest.raises(InputError) as error:
        carob.score(gold, system, task=task)
    assert str(error.value) == (
        f"{system}:11: K827 found the slot 'PERS' in document 'd3', expected a slot of the task "
        "talks; did you mean PER? there are: LOC, PER"
    )
    assert 1.0 == carob.score(gold, system, task=task, map={"PERS": "PER"}, resamples=0).value
    with pytest.raises(InputError, match=r"gold\.conll:2: K827 found the slot 'P' in document"):
        carob.score(gold, system, task=task, map={"PER": "P"})


def test_slots_outside_of_the_task_are_errors_with_their_place(tmp_path: Path) -> None:
    gold = make.gold(tmp_path)
    system = tmp_path / "system.jsonl"
    system.write_text(gold.read_text().replace('"speaker": ["Bo"]', '"speeker": ["Bo"]'))
    with pytest.raises(InputError) as error:
        carob.score(gold, system, task=make.written(gold))
    assert str(error.value) == (
        f"{system}:2: K827 found the slot 'talk.speeker' in document 'd2', expected a slot of the "
        "task talks; did you mean talk.speaker? there are: talk.speaker, talk.stime"
    )


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"labels": ["PER"]}, "labels PER contradict the task {}, whose slots are LOC, PER; leave "
                              "them out"),
        ({"tokenizer": "words"}, "the tokenizer words contradicts the task {}, which says given; "
                                 "leave it out"),
    ],
)  # fmt: skip
def test_choices_that_contradict_the_task_are_refused(
    tmp_path: Path, choice: dict[str, Any], expected: str
) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, recipes='["exact.F1"]\ntokenizer = "given"')
    with pytest.raises(UsageError) as error:
        carob.score(gold, gold, task=task, **choice)
    assert expected.format(task) == str(error.value)
    same: dict[str, Any] = {"labels": ["PER", "LOC"], "tokenizer": "given"}
    assert 1.0 == carob.score(gold, gold, task=task, resamples=0, **same).value


def test_the_tokenizer_of_the_task_is_used(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    mention = {"start": 0, "end": 3, "label": "PER"}
    texts = ["Ann-Lee sat", "Ann met", "Ann"]
    gold.write_text(
        "".join(json.dumps({"text": text, "mentions": [mention]}) + "\n" for text in texts)
    )
    text = make.toml(gold, recipes='["ts.F1"]\ntokenizer = "whitespace"')
    task = tmp_path / "task.toml"
    task.write_text(text.replace("talk.speaker", "PER"))
    score = carob.score(gold, gold, task=task, resamples=0)["ts.F1"]
    assert "|tokenizer:whitespace|" in score.signature


def test_a_corpus_from_memory_can_have_a_task(tmp_path: Path) -> None:
    from carob.evaluate.draft import draft

    mention = {"start": 0, "end": 1, "label": "PER"}
    records = [{"id": each, "tokens": [each], "mentions": [mention]} for each in "ab"]
    gold = Corpus.of(*records)
    file = tmp_path / "task.toml"
    file.write_text(draft(gold) + '[parts]\ntest = ["a"]\nrest = ["b"]\n')
    scores = carob.score(gold, gold, task=file, resamples=0)
    assert {"tp": 1, "fp": 0, "fn": 0} == scores["exact.F1"].counts
    whole = carob.score(gold, gold, "exact.F1", resamples=0)
    assert whole.gold.sha256 == scores.gold.sha256
    with pytest.raises(InputError, match=r"^gold: K826 found a file with sha256"):
        carob.score(Corpus.of("[Ann]PER"), gold, task=file)


@slot_spaces
def test_a_preset_takes_the_match_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from carob import recipe

    monkeypatch.setitem(recipe.PRESETS, "OBD", "oas.F1")
    task = slots_task(tmp_path, '["OBD"]', "overlap")
    assert [carob.Recipe.parse("oas(match=overlap).F1")] == list(task.recipes)


@slot_spaces
def test_templates_are_scored_by_the_official_recipes_of_one_part(tmp_path: Path) -> None:
    gold = make.gold(tmp_path)
    system = tmp_path / "system.jsonl"
    system.write_text(gold.read_text().replace("Bo", "Mr. Bo"))
    parts = '[parts]\ntrain = ["d1"]\ntest = ["d2", "d3"]\n'
    file = make.written(gold, recipes='["oas.R", "oads.R"]\nmatch = "overlap"', more=parts)
    scores = carob.score(gold, system, task=file, resamples=0)
    assert {"oas(match=overlap).R": 1.0, "oads(match=overlap).R": 1.0} == {
        each.recipe: each.value for each in scores
    }
    assert [3, 3] == [each.overall.support for each in scores]
    file = make.written(gold, recipes='["oas.R", "oads.R"]\nmatch = "exact"', more=parts)
    strict = carob.score(gold, system, task=file, resamples=0)
    assert [2 / 3, 2 / 3] == [each.value for each in strict]
    slots = carob.score(gold, system, "oas.R", task=file, resamples=0)["oas.R"].by_label
    assert {"talk.speaker": 0.5, "talk.stime": 1.0} == {
        name: row.value for name, row in slots.items()
    }

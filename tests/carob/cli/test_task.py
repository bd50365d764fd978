"""carob task drafts a definition, and --task applies it wherever systems are looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carob.cli import main
from carob.evaluate import demo
from tests.carob.evaluate import _tasks as make

PARTS = '[parts]\ntrain = ["d1"]\ntest = ["d2", "d3"]\n'


def said(capsys: pytest.CaptureFixture[str], *call: object) -> tuple[int, str, str]:
    code = main([str(each) for each in call])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    demo.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_init_score_verify(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "task", "init", "gold.conll") == (
        0, "",
        "wrote task.toml; check it, then: carob score --task task.toml gold.conll SYSTEM...\n",
    )  # fmt: skip
    code, out, _ = said(capsys, "score", "--task", "task.toml", "gold.conll", "gold.conll")
    assert 0 == code
    assert ["exact", "P", "R", "F1", "gold"] == out.splitlines()[0].split()
    assert "gold   1.0000 [0.8766, 1.0000]  1.0000" in out
    assert "|task:sha256=" in out
    call = ["score", "--task", "task.toml", "gold.conll", "hasty.conll", "--format", "json"]
    assert 0 == said(capsys, *call, "-o", "result.json")[0]
    code, out, _ = said(capsys, "verify", "result.json")
    assert (0, "verified: ") == (code, out[:10])


def test_init_does_not_write_over_a_file(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example / "task.toml").write_text("mine")
    assert said(capsys, "task", "init", "gold.conll") == (
        2, "", "carob: task.toml exists; give another name with -o, or remove it\n",
    )  # fmt: skip
    assert "mine" == (example / "task.toml").read_text()
    code, out, err = said(capsys, "task", "init", "gold.conll", "-o", "-")
    assert (0, "# A task definition", "") == (code, out[:19], err)


def test_init_reads_gold_as_it_is_told(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "task", "init", "gold.conll", "-o", "-", "--documents", "file")
    assert 0 == code
    assert "\ndocuments = 1 " in out
    code, _, err = said(capsys, "task", "init", "gold.conll", "-o", "-", "--read", "x=1")
    expected = (
        "the format conll has no parameter 'x'; there are: documents, repair, scheme, tag, token"
    )
    assert (2, f"carob: {expected}\n") == (code, err)


def test_a_wrong_definition_is_told_in_full(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = example / "task.toml"
    file.write_text("[corpus]\nname = 1\n")
    code, out, err = said(capsys, "score", "gold.conll", "hasty.conll", "--task", "task.toml")
    assert (1, "") == (code, out)
    assert err.splitlines() == [
        "carob: task.toml: K822 found no table [scoring], expected the tables corpus, scoring, "
        "slots",
        "task.toml: K822 found no table [slots], expected the tables corpus, scoring, slots",
        "task.toml:2: K823 found name = 1, expected a text in quotes",
        "task.toml:1: K822 found [corpus] without version, expected version = …",
        "task.toml:1: K822 found [corpus] without sha256, expected sha256 = …",
        "task.toml:1: K822 found [corpus] without documents, expected documents = …",
    ]
    code, out, _ = said(capsys, "check", "gold.conll", "--task", "task.toml", "--json")
    assert (1, 6) == (code, json.loads(out)["errors"])


def test_options_that_contradict_are_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, more=PARTS)
    call = ["score", gold, gold, "--resamples", 0]
    assert said(capsys, *call, "--part", "test") == (
        2, "", "carob: --part is a part of a task definition: give --task, too\n",
    )  # fmt: skip
    assert said(capsys, *call, "--task", task, "--part", "dev") == (
        2, "", f"carob: no part of {task} is called 'dev'; there are: all, test, train\n",
    )  # fmt: skip
    assert said(capsys, *call, "--task", task, "--labels", "PER") == (
        2, "",
        f"carob: labels PER contradict the task {task}, whose slots are LOC, PER; leave them out\n",
    )  # fmt: skip
    code, out, _ = said(capsys, *call, "--task", task, "--labels", "LOC,PER", "--part", "train")
    assert (0, True) == (code, "|part:train|" in out)


@pytest.mark.parametrize("command", ["compare", "robust", "errors", "power", "score"])
def test_every_command_takes_a_task(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = make.mentions(tmp_path)
    gold.write_text(
        "\n".join(f"# newdoc id = d{i}\nAnn B-PER\nin O\nOslo B-LOC\n" for i in range(40))
    )
    ids = [json.dumps([f"d{i}" for i in part]) for part in (range(10), range(10, 40))]
    text = make.toml(
        gold, recipes='["overlap.PRF"]', more="[parts]\ntrain = {}\ntest = {}\n".format(*ids)
    )
    task = tmp_path / "task.toml"
    task.write_text(text.replace("documents = 3", "documents = 40"))
    good, bad = tmp_path / "good.conll", tmp_path / "bad.conll"
    good.write_text(gold.read_text())
    blocks = gold.read_text().split("\n\n")
    # Only documents of train are wrong, and some of test.
    bad.write_text("\n\n".join(
        block.replace("B-LOC", "O") if i < 10 or i % 3 == 0 else block
        for i, block in enumerate(blocks)
    ))  # fmt: skip
    code, out, _ = said(capsys, command, gold, good, bad, "--task", task, "--format", "json")
    assert 0 == code
    found = json.loads(out)
    if command == "score":
        assert ["overlap.P", "overlap.R", "overlap.F1"] == [
            each["recipe"] for each in found["systems"][0]["scores"]
        ]
        assert 50 / 60 == found["systems"][1]["scores"][1]["value"]
        assert 30 == found["gold"]["documents"]
    elif command == "compare":
        assert ["overlap.F1"] == [each["recipe"] for each in found["comparisons"]]
        assert "good: 10 documents of other parts than test left out" in found["remarks"]
    elif command == "robust":
        assert "overlap.F1" == found["choices"][0]["recipe"]
        assert "good: 10 documents of other parts than test left out" in found["remarks"]
    elif command == "errors":
        assert {"TP": 60, "FN": 0} == {key: found["counts"][key] for key in ("TP", "FN")}
        assert {"FN": 10} == {kind: n for kind, n in found["broken"].items() if n}
    else:
        assert ("overlap.F1", 30) == (found["recipe"], found["pilot"])
    whole = json.dumps(found)
    assert "|task:sha256=" in whole and "|part:test|" in whole


def test_examples_show_the_words_of_the_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, more=PARTS)
    system = tmp_path / "system.conll"
    system.write_text(gold.read_text().replace("Cy B-PER", "Cy O"))
    _, out, _ = said(capsys, "errors", gold, system, "--task", task, "--examples", 2)
    assert "[Cy]PER slept" in out


def test_check_tells_what_the_task_does_not_allow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = make.gold(tmp_path)
    task = make.written(gold, any="exactly one", more=PARTS)
    system = tmp_path / "system.jsonl"
    text = gold.read_text().replace('["Bo"]', '["Bo", "Bob"]').replace('"5 pm"', '"5", "6"')
    system.write_text(text.replace('"d3"', '"d4"').replace('"speaker": ["Cy"', '"speeker": ["Cy"'))
    code, out, _ = said(capsys, "check", system, "--task", task)
    assert 1 == code
    assert out.replace(f"{tmp_path}/", "").splitlines() == [
        "system.jsonl:3: K824 found the document 'd4', expected a document of a part of "
        "task.toml: train, test",
        "system.jsonl:3: K827 found the slot 'talk.speeker' in document 'd4', expected a slot of "
        "the task talks; did you mean talk.speaker? there are: talk.speaker, talk.stime",
        "system.jsonl:1: K828 found talk.speaker: 2 documents with more than one filler, the first "
        "is d1, expected exactly one, as the task says",
        "system.jsonl:3: K829 found talk.speaker: no filler in document d4, expected "
        "exactly one, as the task says",
        "system.jsonl:1: K828 found talk.stime: more than one filler in document d1, expected "
        "exactly one, as the task says",
        "system.jsonl:3: K829 found talk.stime: no filler in document d4, expected exactly "
        "one, as the task says",
        "1 file, 6 errors, 0 warnings",
    ]


def test_what_gold_does_not_keep_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = make.gold(tmp_path)
    task = make.written(gold, any="at most one")
    system = tmp_path / "system.jsonl"
    system.write_text(gold.read_text().replace(', "Dr. Lee"', ""))
    code, out, _ = said(capsys, "check", system, "--against", gold, "--task", task)
    assert 0 == code
    assert (
        f"warning: {gold}:1: K828 found talk.speaker: more than one filler in document d1, "
        "expected at most one, as the task says\n"
    ) in out
    gold.write_text(gold.read_text().replace("Cy", "Di"))
    code, out, _ = said(capsys, "check", system, "--against", gold, "--task", task)
    assert (1, True) == (code, f"{gold}: K826 found a file with sha256 " in out)


def test_verify_needs_the_task_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, recipes='["exact.PRF", "ts.F1"]', more=PARTS)
    result = tmp_path / "result.json"
    call = ["score", gold, gold, "--task", task, "--part", "train", "--format", "json"]
    assert 0 == said(capsys, *call, "-o", result)[0]
    assert 0 == said(capsys, "verify", result)[0]
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for file in (gold, task, result):
        file.rename(folder / file.name)
    moved = folder / "result.json"
    code, out, _ = said(capsys, "verify", moved)
    assert (0, "verified: ") == (code, out[:10])
    stored = json.loads(moved.read_text())
    (folder / "task.toml").write_text((folder / "task.toml").read_text() + "# changed\n")
    code, _, err = said(capsys, "verify", moved)
    assert 1 == code
    assert err.startswith(f"carob: {folder}/task.toml: K903 found sha256 ")
    assert err.endswith(
        f"…, expected sha256={stored['task']['sha256'][:8]}, the task that was scored by\n"
    )
    del stored["task"]
    moved.write_text(json.dumps(stored))
    assert said(capsys, "verify", moved) == (
        1, "", f"carob: {moved}: K902 found what cannot be recomputed (the result names a task and "
        "has no task of it), expected a result of carob score, compare or errors --by-confidence, "
        "--format json\n",
    )  # fmt: skip


def test_a_run_without_a_task_does_not_load_what_reads_one(example: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys, carob.cli\n"
        "carob.cli.main(['score', 'gold.conll', 'hasty.conll', '--resamples', '0'])\n"
        "sys.exit('tomllib' in sys.modules or 'carob.evaluate.task' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert 0 == done.returncode

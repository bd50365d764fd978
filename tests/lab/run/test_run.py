"""Runs of whole experiments: cells, resuming, failures, leaks, verification."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import carob
import carob_lab
from carob.cli import main
from carob_lab.run.cells import is_done
from carob_lab.run.file import ExperimentFile
from carob_lab.run.results import comparable
from carob_lab.run.run import cells_of, prepare

SPEAKERS = ("Ann Lee", "Bo Ek", "Cy Orr", "Di Fox")
SENTINEL = "only-gold-knows-this"


def documents(count: int = 12) -> list[dict[str, Any]]:
    """Talks; gold has an attribute and a key that no learner may see."""
    rows = []
    for number in range(count):
        who, what = SPEAKERS[number % 4], f"topic {number * 7919 % 97} of {number}"
        text = f"Who: {who}\nWhat: {what} and more on {number * 31 % 53}\nTime: {number % 5 + 1} pm"
        start, time_at = text.index(who), text.index("Time: ") + 6
        rows.append({
            "id": f"talk-{number}", "text": text, "attributes": {"secret": SENTINEL},
            "note": SENTINEL,
            "mentions": [
                {"start": start, "end": start + len(who), "label": "speaker"},
                {"start": time_at, "end": len(text), "label": "stime",
                 "attributes": {"hidden": SENTINEL}},
            ],
        })  # fmt: skip
    return rows


EXPERIMENT = """\
[corpus]
path = "gold.jsonl"
[split]
scheme = "repeated(train=0.5,n=2)"
seed = 3
[[learner]]
type = "rote"
[[learner]]
id = "sure"
type = "rote"
params = { precision = 0.8 }
[stats]
resamples = 100
trials = 99
"""


def write(folder: Path, text: str = EXPERIMENT, count: int = 12) -> Path:
    lines = (json.dumps(each) + "\n" for each in documents(count))
    (folder / "gold.jsonl").write_text("".join(lines), encoding="utf-8")
    path = folder / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return path


def content(folder: Path) -> dict[str, bytes]:
    """All files of a run but for timings; results and the page without costs."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name in (".lock", "timing.json"):
            continue
        data = path.read_bytes()
        if path.name == "results.json":
            data = json.dumps(comparable(json.loads(data))).encode()
        if path.name == "report.html":
            data = re.sub(rb'<section id="cost".*?</section>', b"", data, flags=re.S)
        found[str(path.relative_to(folder))] = data
    return found


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("experiment")
    path = write(folder)
    assert main(["run", str(path), "-o", str(folder / "run"), "--quiet"]) == 0
    return folder


def test_results_have_everything(finished: Path) -> None:
    results = json.loads((finished / "run" / "results.json").read_text())
    own = results["learners"]["rote"]["oaod.F1"]
    assert own["low"] <= own["mean"] <= own["high"]
    assert own["by_label"].keys() == {"speaker", "stime"}
    assert {"oas.P", "oas.R", "oas.F1", "oaod.F1", "oads.F1"} <= results["learners"]["rote"].keys()
    [pair] = {(each["a"], each["b"]) for each in results["comparisons"]}
    assert pair == ("rote", "sure")
    assert {each["label"] for each in results["comparisons"]} == {None, "speaker", "stime"}
    assert results["cost"]["rote"]["train_cpu"] >= 0
    assert results["leakage"]["looked_for"]
    assert results["settings"]["sure"]["seeds"] == [0]
    assert any("99 trials are too few for 9 tests" in each for each in results["remarks"])
    assert results["explicit"]["partition"].startswith("repeated(n=2,train=0.5), seed 3: 2 splits")
    with (finished / "run" / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    wanted = [r for r in rows if (r["learner"], r["recipe"], r["label"]) == ("rote", "oaod.F1", "")]
    assert [float(row["mean"]) for row in wanted] == [own["mean"]]


def test_a_run_has_a_page_unless_a_library_is_missing(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    page = finished / "run" / "report.html"
    text = page.read_text(encoding="utf-8")
    assert "carob run experiment.toml -o DIR" in text
    assert 'data-learner="sure" data-recipe="oads.F1"' in text
    command = ["run", str(finished / "experiment.toml"), "-o", str(finished / "run")]
    with monkeypatch.context() as context:
        context.setitem(sys.modules, "matplotlib", None)
        assert main(command) == 0
        error = capsys.readouterr().err
        assert "no report.html: matplotlib is not installed; in a clone of carob: pip" in error
        assert not page.exists()
    assert main(command) == 0
    assert "manifest.json, report.html" in capsys.readouterr().err
    assert page.exists()


def test_scores_are_those_of_carob_score(finished: Path) -> None:
    """The mean over splits, from the answers, by the public function."""
    plan = carob_lab.Plan.read(finished / "run" / "plan.json")
    gold = {each["id"]: each for each in documents()}
    means = []
    for split in plan.splits:
        [answers] = (finished / "run" / "cells").glob(f"{split.name}_rote_all_*/answers.jsonl")
        corpus = carob.Corpus.of(*(gold[name] for name in sorted(split.test)))
        scores = carob.score(corpus, carob.read(answers), "oaod.F1", resamples=0)
        means.append(scores.value or 0.0)
    results = json.loads((finished / "run" / "results.json").read_text())
    assert results["learners"]["rote"]["oaod.F1"]["mean"] == pytest.approx(sum(means) / 2)


def test_what_is_done_is_not_done_again(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = content(finished / "run")
    times = {path: path.stat().st_mtime_ns for path in finished.glob("run/cells/*/answers.jsonl")}
    assert main(["run", str(finished / "experiment.toml"), "-o", str(finished / "run")]) == 0
    assert content(finished / "run") == before
    assert all(path.stat().st_mtime_ns == when for path, when in times.items())
    assert "oaod" in capsys.readouterr().out


@pytest.mark.slow
def test_other_hash_seeds_and_jobs_give_the_same_bytes(finished: Path) -> None:
    command = [sys.executable, "-m", "carob", "run", str(finished / "experiment.toml"), "--quiet"]
    again = [*command, "-o", str(finished / "again"), "--jobs", "2"]
    subprocess.run(again, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": "7"})
    assert content(finished / "again") == content(finished / "run")


@pytest.mark.slow
def test_killed_at_twenty_moments_it_ends_with_the_same_results(tmp_path: Path) -> None:
    """Each folder is killed four times before it may finish."""
    one = EXPERIMENT.replace('[[learner]]\nid = "sure"\ntype = "rote"\n', "").replace(
        "params = { precision = 0.8 }\n", ""
    )
    command = [sys.executable, "-m", "carob", "run", str(write(tmp_path, one)), "--quiet"]
    # A run without a page is shorter, and so more of it is where it can be hurt.
    (tmp_path / "without" / "jinja2").mkdir(parents=True)
    (tmp_path / "without" / "jinja2" / "__init__.py").write_text("raise ImportError")
    path = os.pathsep.join([str(tmp_path / "without"), *filter(None, sys.path)])
    quiet: dict[str, Any] = {
        "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
        "env": os.environ | {"PYTHONPATH": path},
    }  # fmt: skip
    begun = time.monotonic()
    subprocess.run([*command, "-o", str(tmp_path / "whole")], check=True, **quiet)
    whole = time.monotonic() - begun
    expected, rng = content(tmp_path / "whole"), random.Random(5)
    for number in range(5):
        folder = tmp_path / f"killed-{number}"
        for _ in range(4):
            process = subprocess.Popen([*command, "-o", str(folder)], **quiet)
            time.sleep(rng.uniform(0.2 * whole, whole))
            process.send_signal(signal.SIGKILL)
            process.wait()
        subprocess.run([*command, "-o", str(folder)], check=True, **quiet)
        assert content(folder) == expected


def test_a_cell_sees_no_gold_but_that_of_its_training_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything that processes are given is kept and searched."""
    from carob_lab.run import run as module

    seen: list[dict[str, str]] = []
    real = module.Running.__call__

    def spy(self: Any, folder: Path, work: Path) -> tuple[int, str]:
        seen.append({path.name: path.read_text() for path in work.glob("*.json*")})
        return real(self, folder, work)

    monkeypatch.setattr(module.Running, "__call__", spy)
    path = write(tmp_path, EXPERIMENT.replace("n=2", "n=1"))
    assert main(["run", str(path), "-o", str(tmp_path / "run"), "--quiet"]) == 0
    assert len(seen) == 2
    for files in seen:
        assert SENTINEL not in "".join(files.values())
        assert '"label"' in files["train.jsonl"]
        assert '"label"' not in files["test.jsonl"]


def test_training_sets_of_a_curve_are_nested(tmp_path: Path) -> None:
    path = write(tmp_path, EXPERIMENT + "[curve]\nsizes = [2, 4]\n")
    cells = cells_of(prepare(ExperimentFile.read(path)))
    by_size = {cell.size: cell for cell in cells
               if (cell.split, cell.learner) == ("repeat-01", "rote")}  # fmt: skip
    assert by_size["4"].train[:2] == by_size["2"].train
    assert by_size["all"].train[:4] == by_size["4"].train
    assert by_size["2"].test == by_size["4"].test == by_size["all"].test


def test_a_changed_parameter_or_corpus_is_another_cell(tmp_path: Path) -> None:
    def folders(setup: Any) -> set[Path]:
        return {c.folder(Path(), setup.inputs(setup.entry(c.learner))) for c in cells_of(setup)}

    first = folders(prepare(ExperimentFile.read(write(tmp_path))))
    other = folders(prepare(ExperimentFile.read(write(tmp_path, EXPERIMENT.replace("0.8", "0.7")))))
    assert len(first & other) == 2  # those of the other learner
    longer = folders(prepare(ExperimentFile.read(write(tmp_path, count=13))))
    assert not first & longer


@pytest.mark.slow
def test_a_failing_cell_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from carob_lab.run import run as module

    real = module._give

    def break_one(setup: Any, entry: Any, cell: Any, folder: Path) -> None:
        real(setup, entry, cell, folder)
        if cell.name.startswith("repeat-02_sure"):
            (folder / "train.jsonl").write_text("no JSON\n")

    monkeypatch.setattr(module, "_give", break_one)
    path = write(tmp_path)
    assert main(["run", str(path), "-o", str(tmp_path / "run")]) == 1
    output = capsys.readouterr().out
    assert "1 cell failed" in output
    assert "sure: 1 of 2 cells failed" in output
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert [each["cell"] for each in results["failures"]] == ["repeat-02_sure_all_seed-0"]
    assert {each["splits"] for each in results["comparisons"]} == {1}
    assert main(["run", "--status", str(tmp_path / "run")]) == 0
    assert "failed: repeat-02_sure_all_seed-0" in capsys.readouterr().out
    monkeypatch.setattr(module, "_give", real)
    assert main(["run", str(path), "-o", str(tmp_path / "run"), "--quiet"]) == 0


def test_verify_recomputes_all_numbers(finished: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(finished / "run", finished / "copy")
    manifest = finished / "copy" / "manifest.json"
    made = carob.verify(manifest)
    assert made.checked > 300
    assert not made.differences
    results = json.loads((finished / "copy" / "results.json").read_text())
    results["learners"]["rote"]["oaod.F1"]["mean"] += 1e-9
    (finished / "copy" / "results.json").write_text(json.dumps(results))
    [difference] = carob.verify(manifest).differences
    assert "rote oaod.F1 mean" in difference
    answers = next((finished / "copy").glob("cells/*/answers.jsonl"))
    answers.write_text(answers.read_text().replace("speaker", "stime"))
    assert not is_done(answers.parent)
    with pytest.raises(carob.InputError, match="answers are missing or changed"):
        carob.verify(manifest)


def test_a_draft_runs_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, count=8)
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--init", "gold.jsonl", "-o", "draft.toml", "--quiet"]) == 0
    text = (tmp_path / "draft.toml").read_text().replace("n=10", "n=1")
    (tmp_path / "draft.toml").write_text(text)
    assert main(["run", "draft.toml", "-o", "run", "--quiet"]) == 0
    assert set(json.loads((tmp_path / "run/results.json").read_text())["learners"]) == {
        "rote", "perceptron"
    }  # fmt: skip


def test_a_second_run_in_the_folder_has_to_wait(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from carob_lab.run.run import locked

    with locked(finished / "run"):
        assert main(["run", str(finished / "experiment.toml"), "-o", str(finished / "run")]) == 2
    assert "another run works in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type = "rote"\n[[learner]]\nid', 'type = "crfx"\n[[learner]]\nid', "no learner is call"),
        ("precision = 0.8", "precison = 0.8", "did you mean precision"),
        ("[split]", "[splits]", "did you mean split"),
        ("seed = 3", "seed = -3", "a whole number of 0 or more"),
        ("n=2", "n=0", "expected 1 to 1,000"),
        ('id = "sure"', 'id = "rote"', "two learners called 'rote'"),
        ("gold.jsonl", "silver.jsonl", "silver.jsonl"),
        ("trials = 99", "trials = 9", "trials is from 99"),
        (
            "params = { precision = 0.8 }",
            'tune = { on = "test", grid = { precision = [0.5] } }',
            "parameters that are chosen on test documents make their scores meaningless",
        ),
        ("resamples = 100", 'recipes = ["oaod.G1"]', "no measure of oaod is called 'G1'"),
        ("[stats]", "[curve]\nsizes = [2, 7]\n[stats]", "a curve of size 7"),
        ("[stats]", '[curve]\nsizes = ["all", 2]\n[stats]', "ascending numbers of documents"),
        ("[stats]", "[enrich]\n[stats]", "needs unlabelled documents"),
        ("[stats]", "[active]\n[stats]", "no learner that says how unsure it is"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_clear_error(
    old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in EXPERIMENT
    path = write(tmp_path, EXPERIMENT.replace(old, new, 1))
    assert main(["run", str(path), "-o", str(tmp_path / "run")]) in (1, 2)
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_parameters_are_chosen_on_an_inner_split(tmp_path: Path) -> None:
    tune = "tune = { grid = { precision = [0.99, 0.5] } }"
    text = EXPERIMENT.replace("params = { precision = 0.8 }", tune).replace("n=2", "n=1")
    path = write(tmp_path, text)
    assert main(["run", str(path), "-o", str(tmp_path / "run"), "--quiet"]) == 0
    [facts] = (tmp_path / "run" / "cells").glob("*_sure_*/facts.json")
    assert json.loads(facts.read_text())["learner"] == "rote(precision=0.5)"


def test_a_plan_of_another_corpus_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, EXPERIMENT.replace(
        'scheme = "repeated(train=0.5,n=2)"\nseed = 3', 'file = "plan.json"'
    ), count=12)  # fmt: skip
    assert main(["split", str(tmp_path / "gold.jsonl"), "-o", str(tmp_path / "plan.json")]) == 0
    write(tmp_path, path.read_text(), count=13)
    assert main(["run", str(path), "-o", str(tmp_path / "run")]) == 1
    assert "K844" in capsys.readouterr().err


@pytest.mark.slow
def test_active_learning_picks_without_gold_beside_a_random_control(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from carob_lab.run import run as module

    seen: list[dict[str, str]] = []
    real = module.Running.__call__

    def spy(self: Any, folder: Path, work: Path) -> tuple[int, str]:
        seen.append({path.name: path.read_text() for path in work.glob("*.json*")})
        return real(self, folder, work)

    monkeypatch.setattr(module.Running, "__call__", spy)
    text = EXPERIMENT.replace("n=2", "n=1").replace(
        'id = "sure"\ntype = "rote"\nparams = { precision = 0.8 }',
        'type = "perceptron"\nparams = { epochs = 1 }\n[active]\nstrategies = ["diverse"]\n'
        "start = 2\nstep = 2\nuntil = 5",
    )
    path = write(tmp_path, text)
    assert main(["run", str(path), "-o", str(tmp_path / "run"), "--quiet"]) == 0
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    steps = {(each["strategy"], each["size"]) for each in results["active"]}
    assert steps == {(strategy, size) for strategy in ("random", "diverse") for size in (2, 4, 5)}
    assert {(each["a"], each["b"]) for each in results["active_comparisons"]} == {
        ("perceptron random", "perceptron diverse")
    }
    pools = [files["pool.jsonl"] for files in seen if "pool.jsonl" in files]
    assert len(pools) == 4
    for files in seen:
        assert SENTINEL not in "".join(files.values())
        assert '"label"' not in files.get("pool.jsonl", "")
    trained = {
        facts.parent.name: json.loads(facts.read_text())
        for facts in (tmp_path / "run" / "cells").glob("*_perceptron_*/facts.json")
    }
    for own in trained.values():
        assert len(set(own.get("picked", ()))) == len(own.get("picked", ()))
    assert not carob.verify(tmp_path / "run" / "manifest.json").differences


@pytest.mark.slow
def test_unlabelled_documents_are_given_without_gold(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("repeated(train=0.5,n=2)", "holdout(train=0.5,unlabelled=0.25)")
    text = text.replace("[stats]", '[enrich]\nlearners = ["rote"]\n[stats]')
    path = write(tmp_path, text)
    assert main(["run", str(path), "-o", str(tmp_path / "run"), "--quiet"]) == 0
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert list(results["learners"]) == ["rote", "rote+self-training", "sure"]

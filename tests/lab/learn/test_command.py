"""command runs any program; whatever the program does wrong is one clear error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carob
from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, DataError, InputError, UsageError
from carob.pair.texts import Examples, Texts
from carob.recipe import learner as parse_learner
from carob.recipe import spell
from carob_lab.learn._answers import read_answers
from carob_lab.learn.command import Command
from carob_lab.learn.train import Trained, learner_of, load_model, train

PYTHON = (sys.executable, "-S", "-E", "-c")
"""Without site packages Python starts in half the time."""

CORPUS = Corpus.of(
    {"id": "d1", "text": "by Ann Lee", "mentions": [
        {"start": 3, "end": 10, "label": "who"}, {"start": 0, "end": 2, "label": "other"}]},
    {"id": "d2", "text": "Bo and Bo", "mentions": [{"start": 0, "end": 2, "label": "who"}]},
)  # fmt: skip
TEXTS = Texts.of(CORPUS)

WORDS = """
import json, sys
names = [n for n in open(sys.argv[1] + "/names").read().split("\\n") if n]
with open(sys.argv[3], "w") as out:
    for line in open(sys.argv[2]):
        d = json.loads(line)
        found = [(d["text"].find(n), n) for n in names if n in d["text"]]
        d["mentions"] = [{"label": "who", "start": a, "end": a + len(n), "text": n,
                          "confidence": 0.5} for a, n in found]
        out.write(json.dumps(d) + "\\n")
"""
LEARN = """
import json, sys
train, task, model, seed, more = sys.argv[1:]
assert json.load(open(task)) == {"slots": ["who"], "unit": "char"} and seed == "7"
documents = list(map(json.loads, open(train)))
names = {d["text"][m["start"]:m["end"]] for d in documents for m in d["mentions"]}
names |= {d["text"] for d in map(json.loads, open(more))}
open(model + "/names", "w").write("\\n".join(sorted(names)))
"""
TRAIN = (*PYTHON, LEARN, "{train}", "{task}", "{model}", "{seed}", "{unlabelled}")
PREDICT = (*PYTHON, WORDS, "{model}", "{input}", "{output}")


def shown(corpus: Corpus) -> list[list[tuple[str, int, int, float | None]]]:
    return [[(m.label, m.start, m.end, m.confidence) for m in d.mentions] for d in corpus]


def test_a_program_learns_and_answers_and_its_model_can_be_saved(tmp_path: Path) -> None:
    model = train(Command(TRAIN, PREDICT), CORPUS, ["who"], seed=7,
                  unlabelled=Corpus.of({"text": "and"}))  # fmt: skip
    expected = [[("who", 3, 10, 0.5)], [("who", 0, 2, 0.5), ("who", 3, 6, 0.5)]]
    assert expected == shown(model.answers(CORPUS))
    model.save(tmp_path / "m")
    with pytest.raises(UsageError, match=r"runs a program: command.*--programs"):
        load_model(tmp_path / "m")
    again = load_model(tmp_path / "m", programs=True)
    assert expected == shown(again.answers(CORPUS))
    assert model.describe() == again.describe()
    again.save(tmp_path / "m")  # onto itself
    again.save(tmp_path / "n")
    assert b"Ann Lee\nBo\nand" == (tmp_path / "n" / "program" / "names").read_bytes()
    home = model.model.folder  # type: ignore[attr-defined]
    assert home.exists()
    del model
    assert not home.exists()


def test_the_program_within_self_training_runs_only_if_allowed(tmp_path: Path) -> None:
    learner = learner_of("self-training", {"learner": spell(Command(TRAIN, PREDICT), full=True)})
    model = train(learner, CORPUS, ["who"], seed=7, unlabelled=CORPUS)
    model.save(tmp_path / "m")
    with pytest.raises(UsageError, match="runs a program"):
        load_model(tmp_path / "m")
    loaded = load_model(tmp_path / "m", programs=True)
    assert shown(model.answers(CORPUS)) == shown(loaded.answers(CORPUS))


def test_predict_is_given_nothing_that_is_marked(tmp_path: Path) -> None:
    copy = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[3]); open(sys.argv[2], 'w')"
    kept = tmp_path / "seen"
    learner = Command(predict=(*PYTHON, copy, "{input}", "{output}", str(kept)))
    marked: dict[str, Any] = {
        "id": "d", "text": "a b", "attributes": {"key": "SENTINEL"}, "note": "SENTINEL",
        "layers": {"pos": ["X", None]},
        "mentions": [{"start": 0, "end": 1, "label": "SENTINEL", "id": "SENTINEL"}],
        "templates": [{"label": "SENTINEL", "slots": {"SENTINEL": ["SENTINEL"]}}],
    }  # fmt: skip
    answers = train(learner, Corpus.of(marked)).answers(Corpus.of(marked))
    assert "SENTINEL" not in kept.read_text()
    assert {"id": "d", "text": "a b", "mentions": [], "layers": {"pos": ["X", None]}} == json.loads(
        kept.read_text()
    )
    assert 1 == answers.facts["unanswered"]


def answers_of(folder: Path, *lines: str | dict[str, Any], texts: Texts = TEXTS) -> Corpus:
    path = folder / "answers.jsonl"
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
    return read_answers(path, texts, ("who",))


def test_texts_without_a_place_are_located_and_counted(tmp_path: Path) -> None:
    answers = answers_of(
        tmp_path,
        {"id": "d2", "templates": [{"slots": {"who": ["Bo", {"text": "bo", "confidence": 0.5}]}}]},
    )
    assert [[], [("who", 0, 2, None), ("who", 7, 9, 0.5)]] == [
        sorted(own) for own in shown(answers)
    ]
    assert {"grounded": 2, "ungrounded": 0, "unanswered": 1} == answers.facts
    assert 0 == len(answers.templates)


def test_texts_that_do_not_occur_count_as_wrong(tmp_path: Path) -> None:
    said = [{"label": "who", "text": name} for name in ("Ann Lee", "Cy")]
    answers = answers_of(tmp_path, {"id": "d1", "mentions": said}, {"id": "d2", "mentions": []})
    assert {"grounded": 1, "ungrounded": 1, "unanswered": 0} == answers.facts
    assert [("who", 3, 10, None)] == shown(answers)[0]
    # Gold has Ann Lee and Bo; of two answers one is right. Only the first counts for oas.
    marked = [replace(each, mentions=each.mentions[-1:]) for each in CORPUS]
    gold = Corpus.of(*marked)
    for count, precision in (("oas", 1.0), ("oaod", 0.5), ("oads", 0.5)):
        recipes = [f"{count}.P", f"{count}.R"]
        scores = carob.score(gold, answers, recipes, resamples=0)
        assert [precision, 0.5] == [score.value for score in scores], count


def test_tokens_are_counted_where_there_is_no_text(tmp_path: Path) -> None:
    texts = Texts.of(Corpus.of({"id": "d", "tokens": ["by", "Ann", "Lee"], "mentions": []}))
    place = {"label": "who", "start": 1, "end": 3, "text": "Ann Lee"}
    answers = answers_of(tmp_path, {"id": "d", "mentions": [place, {"label": "who", "text": "by"}]},
                         texts=texts)  # fmt: skip
    assert [[("who", 0, 1, None), ("who", 1, 3, None)]] == shown(answers)


def mention(**parts: Any) -> dict[str, Any]:
    return {"id": "d1", "mentions": [{"label": "who", "text": "by"}, {"label": "who", **parts}]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("garbage", "found 'garbage' (Expecting value: line 1 column 1 (char 0)), expected a JSON "
                    "object, one document a line"),
        ("[1]", "found '[1]', expected a JSON object, one document a line"),
        ('{"id": NaN}', "found '{\"id\": NaN}' (NaN is not a JSON number), expected a JSON object, "
                        "one document a line"),
        ({"mentions": []}, "found no id, expected the id of a document of {input}"),
        ({"id": "d9"}, "found id = 'd9', expected the id of a document of {input}"),
        ({"id": "d2"}, "found the id 'd2' again, expected it once; line 1 has it"),
        ({"id": "d1", "who": "Ann"}, "found the key 'who', expected id, mentions or templates (a "
                                     "slot is the label of a mention)"),
        ({"id": "d1", "text": "?"}, "found another text than that of 'd1', expected the same, or "
                                    "none"),
        ({"id": "d1", "mentions": 3}, "found mentions = '3', expected a list"),
        ({"id": "d1", "mentions": ["x"]}, "found mentions[0] = \"'x'\", expected an object with a "
                                          "label, and a place or a text"),
        ({"id": "d1", "mentions": [{"label": "whom", "text": "by"}]},
         "found mentions[0] with the slot 'whom', expected a slot; did you "
         "mean who? there are: who"),
        (mention(start=3, end=11), "found mentions[1] ending at 11, expected an end within the 10 "
                                   "characters"),
        (mention(start=3, end=6, text="Bo"), "found mentions[1] with the text 'Bo', expected the "
                                             "text at its place, 'Ann'"),
        (mention(start=-1, end=6), "found mentions[1].start = -1, expected a position from 0 to "
                                   "2147483647"),
        (mention(start=3), "found mentions[1] with a start or an end alone, expected both, or "
                           "neither"),
        (mention(confidence="x", text="by"),
         "found mentions[1].confidence = 'x', expected a number"),
        (mention(), "found mentions[1] = {}, expected a text, a place or a mention"),
        ({"id": "d1", "templates": [{"slots": {"who": [{"mention": "m"}]}}]},
         "found templates[0].slots.who that is no text and has no place, expected a text, a place "
         "or both"),
        ({"id": "d1", "templates": {}}, "found templates = {}, expected a list"),
    ],
)  # fmt: skip
def test_wrong_answers_are_named_with_their_line(
    tmp_path: Path, line: str | dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as error:
        answers_of(tmp_path, {"id": "d2", "mentions": []}, line)
    assert f"answers.jsonl:2: K912 {message}" == str(error.value)


def test_all_wrong_answers_are_counted(tmp_path: Path) -> None:
    bad = {"id": "d1", "mentions": [{"label": "x", "text": "by"}, {"label": "y", "text": "by"}]}
    with pytest.raises(InputError, match=r"answers\.jsonl:2: .*\(and 2 more like it\)"):
        answers_of(tmp_path, "", bad, "?")


def test_two_documents_with_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two documents have the id 'd1'"):
        answers_of(tmp_path, texts=Texts.joined([TEXTS, TEXTS]))


def running(code: str, **limits: Any) -> Callable[[], Any]:
    learner = Command(predict=(*PYTHON, code, "{input}", "{output}", "{model}"), **limits)
    model: Trained = train(learner, CORPUS)
    return lambda: model.answers(CORPUS)


FOREVER = "import sys, time\nprint('begun', flush=True)\n"


@pytest.mark.parametrize(
    ("code", "limits", "message"),
    [
        ("import sys; print('a\\x1b[2J\\nboom'); sys.exit(3)", {},
         r"command: predict failed with exit code 3: .*\n  a\\x1b\[2J\n  boom$"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", {},
         "command: predict was ended by the signal SIGSEGV: "),
        (f"{FOREVER}time.sleep(60)", {"time_limit": 0.3},
         r"command: predict took more than 0\.3 seconds \(time_limit\) and was ended: .*\n"
         "  begun$"),
        ("while True: print('x' * 1000)", {"output_limit": 100_000},
         r"command: predict printed more than 100,000 bytes \(output_limit\) and was ended: "),
        (f"{FOREVER}f = open(sys.argv[2], 'w')\nwhile True: f.write('x' * 1000); f.flush()",
         {"output_limit": 100_000},
         r"command: predict wrote more than 100,000 bytes \(output_limit\) and was ended: "),
        ("pass", {}, r"command: predict wrote no file with answers to \{output\}$"),
        ("import sys; open(sys.argv[2], 'wb').write(bytes(range(256)))", {},
         r"answers\.jsonl:1: K912 found "),
    ],
)  # fmt: skip
def test_what_a_program_does_wrong_is_one_error(
    code: str, limits: dict[str, Any], message: str
) -> None:
    begin = time.monotonic()
    with pytest.raises(CarobError, match=message):
        running(code, **limits)()
    assert time.monotonic() - begin < 20


@pytest.mark.slow
def test_programs_that_a_program_started_are_ended_with_it(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)"
    )
    with pytest.raises(DataError, match="took more than 1 second "):
        running(code, time_limit=1)()
    assert_ends(int((tmp_path / "pid").read_text()))


def assert_ends(process: int) -> None:
    for _ in range(200):  # the system collects it in its own time
        state = Path(f"/proc/{process}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    os.kill(process, 9)
    raise AssertionError("it still ran")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_program_ends_if_carob_is_killed(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    sleeps = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    code = (
        "import sys; from pathlib import Path\n"
        "from carob_lab.learn._program import run_program\n"
        "run_program([sys.executable, '-c', sys.argv[1]], 'train', time_limit=60,"
        " output_limit=1000, folder=Path(sys.argv[2]))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, sleeps, str(tmp_path)])
    while not pid.exists() or not pid.read_text():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert_ends(int(pid.read_text()))


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with pytest.raises(DataError, match=r"command: train: cannot run .*missing: no such program"):
        train(Command((missing, "{train}"), PREDICT), CORPUS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("command", "command: predict is missing"),
        ('command(predict="x"+"{input}")', r"predict has no \{output\} among its arguments"),
        ('command(train="x",predict="x"+"{input}"+"{output}")', r"train has no \{train\}"),
        ('command(predict="x"+"{input}"+"{output}"+"{modle}")', r"did you mean \{model\}\?"),
        ("command(time_limit=0)", "found time_limit=0.0, expected a number above 0"),
        ("command(output_limit=-1)", "found output_limit=-1, expected a number above 0"),
        ('command(predict="")', "predict names no program"),
    ],
)
def test_a_command_that_cannot_work_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_learner(text).fit(Examples.of(CORPUS), ("who",), 0)


def test_parameters_may_come_as_lists() -> None:
    learner = learner_of("command", {"predict": ["awk", "{print}", "{input}", "{output}"]})
    assert isinstance(learner, Command)
    assert ("awk", "{print}", "{input}", "{output}") == learner.predict
    assert learner == parse_learner(spell(learner, full=True))
    with pytest.raises(UsageError, match="expected a list of texts"):
        learner_of("command", {"predict": [1]})


@pytest.mark.parametrize("what", ["link", "missing", "file"])
def test_a_folder_that_is_no_model_is_refused(tmp_path: Path, what: str) -> None:
    model = train(Command(predict=PREDICT), CORPUS)
    model.save(tmp_path)
    own = tmp_path / "program"
    own.rmdir()
    if what == "link":
        own.symlink_to("/")
    if what == "file":
        own.write_text("")
    with pytest.raises(InputError, match="K911 found no such folder, expected the folder of the"):
        load_model(tmp_path, programs=True)


def test_a_model_with_links_or_too_many_bytes_is_not_copied(tmp_path: Path) -> None:
    model = Command(predict=PREDICT, output_limit=10).fit(Examples.of(CORPUS), ("who",), 0)
    (model.folder / "link").symlink_to("/")
    with pytest.raises(DataError, match="has a link, 'link'"):
        model.save(tmp_path)
    (model.folder / "large").write_bytes(np.zeros(20, np.uint8).tobytes())
    with pytest.raises(DataError, match=r"more than 10 bytes \(output_limit\)"):
        model.save(tmp_path)

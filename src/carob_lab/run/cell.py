"""One cell of an experiment, in a process of its own: train, answer, pick, and say what it cost.

The process finds what it may see in a folder: training documents with what is marked in them, and
texts without. Gold of test documents and of documents that may be picked is not there.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, DataError
from carob.evaluate.options import Options
from carob.evaluate.read import read
from carob.evaluate.run import prepare
from carob.evaluate.score import score_run
from carob.formats.jsonl import Jsonl
from carob.pair.texts import LAYERS, Examples, Texts
from carob.recipe import spell
from carob_lab.learn.train import Trained, learner_of, train
from carob_lab.plan.split import place

JOB, REPORT, ANSWERS = "job.json", "report.json", "answers.jsonl"
TRAIN, TEST, UNLABELLED, POOL = "train.jsonl", "test.jsonl", "unlabelled.jsonl", "pool.jsonl"

SEEN = ("token_spans", LAYERS)
"""Of what a file says about a document beside its text, this is what a learner may see."""

T = TypeVar("T")


def write_documents(corpus: Corpus, rows: IntArray, path: Path, *, marked: bool) -> None:
    """Write some documents for a learner: ids, words and layers, and, if `marked`, mentions."""
    part = corpus.only(rows)
    mentions = part.mentions if marked else part.mentions.take(np.arange(0))
    ids = tuple(corpus.documents.name(row) for row in rows.tolist())
    bare = Corpus(
        part.unit,
        replace(part.documents, id=ids, attributes={}),
        replace(mentions, attributes={}, id=None),
        part.labels if marked else (),
        extra={
            row: {key: own[key] for key in SEEN if key in own} for row, own in part.extra.items()
        },
        library=part.library,
    )
    with path.open("wb") as file:
        Jsonl().write(bare, file)


def work(folder: Path) -> None:
    """Do what the job of a folder says, and leave answers and report there."""
    job = json.loads((folder / JOB).read_text(encoding="utf-8"))
    examples = Examples.of(_read(folder / TRAIN), job["tokenizer"])
    if (folder / UNLABELLED).exists():
        more = Texts.of(_read(folder / UNLABELLED), job["tokenizer"])
        examples = replace(examples, unlabelled=more)
    test = Texts.of(_read(folder / TEST), job["tokenizer"])
    slots = [slot for slot in job["slots"] if slot in examples.gold.labels]
    if not slots:
        raise DataError("nothing is marked in the training documents: there is nothing to learn")
    clock = _Clock()
    chosen = job["tune"] and tuned(job, examples, slots)
    learner = learner_of(job["learner"], chosen or {})
    model = clock.time("train", lambda: train(learner, examples, slots, seed=job["seed"]))
    answers = clock.time("predict", lambda: model.answers(test))
    report: dict[str, Any] = {
        "learner": spell(learner, full=True), "model": _facts(model), "remarks": model.remarks,
        "facts": {str(key): int(value) for key, value in answers.facts.items()},
        "timing": clock.seconds | {"documents": len(test)},
    }  # fmt: skip
    if job["pick"]:
        report["picked"] = _picked(job, model, examples, folder)
    with (folder / ANSWERS).open("wb") as file:
        Jsonl().write(answers, file)
    report["timing"]["peak_mib"] = _peak_mib()
    (folder / REPORT).write_text(json.dumps(report, ensure_ascii=False), encoding="utf-8")


def _read(path: Path) -> Corpus:
    return read(path, "jsonl")


def _facts(model: Trained) -> dict[str, Any]:
    """What a model says of itself; timings have a place of their own."""
    return {key: value for key, value in model.describe().items() if key not in ("seed", "slots")}


def tuned(job: Mapping[str, Any], examples: Examples, slots: Sequence[str]) -> dict[str, Any]:
    """The best parameters of the grid on an inner split of the training documents.

    Ties go to the first of the grid.
    """
    tune = job["tune"]
    ids = examples.gold.documents.id or ()
    order = sorted(range(len(ids)), key=lambda row: place(job["seed"], "inner", ids[row]))
    size = min(max(1, round(tune["train"] * len(ids))), len(ids) - 1)
    if size < 1:
        raise DataError("a single training document cannot be divided to choose parameters on it")
    inner, held_out = (np.sort(np.array(some)) for some in (order[:size], order[size:]))
    part, gold = examples.only(inner), examples.only(held_out)
    known = [slot for slot in slots if slot in part.slots]
    options = Options(labels=tuple(sorted(slots)), slots=tuple(sorted(slots)), resamples=0)
    best, highest = tune["grid"][0], -1.0
    for parameters in tune["grid"]:
        learner = learner_of(job["learner"], parameters)
        answers = train(learner, part, known, seed=job["seed"]).answers(gold.texts)
        run = prepare(gold.gold, {"answers": answers}, tune["recipe"], options)
        value = score_run(run, options).value or 0.0
        if value > highest:
            best, highest = parameters, value
    return dict(best)


def _picked(
    job: Mapping[str, Any], model: Trained, examples: Examples, folder: Path
) -> list[str]:  # fmt: skip
    """The ids of the documents to label next, from texts alone."""
    from carob_lab.learn.select import pick  # only active learning needs it

    pool = Texts.of(_read(folder / POOL), job["tokenizer"])
    rows = pick(
        job["pick"]["strategy"], model.model, examples.texts, pool, job["pick"]["count"],
        np.random.default_rng([job["seed"], len(examples)]),
    )  # fmt: skip
    return [pool.corpus.documents.name(row) for row in np.asarray(rows).tolist()]


class _Clock:
    """Measures wall time and CPU time, that of child processes included."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(self, what: str, call: Callable[[], T]) -> T:
        """Call, and remember what it took."""
        wall, cpu = time.perf_counter(), _cpu()
        result = call()
        self.seconds[f"{what}_wall"] = time.perf_counter() - wall
        self.seconds[f"{what}_cpu"] = _cpu() - cpu
        return result


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak_mib() -> float:
    """The most memory that the process, or one of its children, had."""
    try:
        import resource
    except ImportError:  # not on this system
        return 0.0
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return max(resource.getrusage(kind).ru_maxrss for kind in kinds) / unit


def _end_with_parent() -> None:
    """Whoever started this process holds its standard input open: if it dies, so does this."""

    def wait() -> None:
        while os.read(0, 1):  # not sys.stdin, whose lock would be held when Python ends
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main(folder: str) -> int:
    """Work in a folder; an error is one line if it is the user's, and a traceback if it is ours."""
    _end_with_parent()
    try:
        work(Path(folder))
    except CarobError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

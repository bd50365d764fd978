"""Run an experiment: every cell in a process of its own, what is done is not done again."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import IO, Any

import numpy as np

from carob._version import __version__
from carob.corpus.corpus import Corpus
from carob.corpus.problems import DataError, InputError, Problem, UsageError, plain
from carob.evaluate.options import Options
from carob.evaluate.read import read
from carob.evaluate.run import origin_of, parse_recipes
from carob.evaluate.task import Task
from carob.pair.texts import Examples
from carob.plugin import hook
from carob.progress import watched
from carob.recipe import Recipe
from carob.registry import plugins
from carob_lab.learn.train import learner_of
from carob_lab.plan.plan import Plan, check_plan, document_ids, make_plan
from carob_lab.plan.split import Split
from carob_lab.report.experiment import Failure
from carob_lab.run import cell as worker
from carob_lab.run.cells import Cell, Finished, fail, finish, finished, is_done, rows_of
from carob_lab.run.file import ALL, COUNTS, Entry, ExperimentFile

CELLS, PLAN, LOCK, WORK = "cells", "plan.json", ".lock", ".work"

TAIL = 20
"""How many lines of a log are shown of a cell that failed."""


@dataclass(frozen=True)
class Setup:
    """An experiment with everything that its file names: corpus, plan, slots, recipes."""

    experiment: ExperimentFile
    corpus: Corpus
    plan: Plan
    slots: tuple[str, ...]
    recipes: tuple[Recipe, ...]
    options: Options
    task: Task | None = None
    unlabelled: Corpus | None = None
    entries: tuple[Entry, ...] = ()
    """The learners, and those that are also given unlabelled documents."""

    def inputs(self, entry: Entry) -> dict[str, Any]:
        """What the answers of a learner depend on, beside documents and seeds."""
        tuning = entry.tuning
        return {
            "corpus": self.plan.sha256, "reading": dict(self.experiment.reading),
            "tokenizer": self.options.tokenizer, "slots": self.slots, "learner": entry.text,
            "tune": tuning and {"grid": [dict(each) for each in tuning.grid],
                                "train": tuning.train, "recipe": tuning.recipe},
            "unlabelled": self.unlabelled and origin_of(self.unlabelled).sha256,
            "versions": versions(entry), "files": program_files(entry, self.experiment.folder),
        }  # fmt: skip

    def entry(self, name: str) -> Entry:
        """The learner of this name."""
        return next(each for each in self.entries if each.id == name)


def prepare(experiment: ExperimentFile) -> Setup:
    """Read the corpus and divide it, or check the plan that divides it."""
    corpus = read(experiment.path(experiment.corpus), **experiment.reading)
    origin = origin_of(corpus)
    if experiment.corpus_sha256 not in (None, origin.sha256):
        found = f"a corpus with sha256 {origin.sha256}"
        expected = f"that of the experiment, {experiment.corpus_sha256}"
        file = corpus.file_name("the corpus")
        raise InputError([Problem("K864", file, None, found, expected)])
    document_ids(corpus)
    task = None if experiment.task is None else Task.read(experiment.path(experiment.task))
    slots, recipes, tokenizer = _scoring(experiment, corpus, task)
    if experiment.plan is None:
        plan = make_plan(corpus, experiment.scheme, experiment.seed, experiment.group,
                         experiment.stratify, task=task)  # fmt: skip
    else:
        plan = Plan.read(experiment.path(experiment.plan))
        check_plan(plan, corpus)
    more = experiment.enrich.file if experiment.enrich is not None else None
    unlabelled = None if more is None else read(experiment.path(more))
    options = Options(labels=slots, slots=slots, tokenizer=tokenizer, resamples=0)
    setup = Setup(experiment, corpus, plan, slots, recipes, options, task, unlabelled)
    setup = replace(setup, entries=_entries(experiment, setup))
    smallest = min(len(split.train) for split in plan.splits)
    for size in experiment.sizes:
        if size > smallest:
            raise DataError(f"a curve of size {size:,} needs as many training documents, and a "
                            f"split has only {smallest:,}")  # fmt: skip
    return setup


def _scoring(
    experiment: ExperimentFile, corpus: Corpus, task: Task | None
) -> tuple[tuple[str, ...], tuple[Recipe, ...], str]:
    """Slots, recipes (the three counts of answers always), and tokenizer."""
    tokenizer, recipes = experiment.tokenizer, list(parse_recipes(COUNTS))
    if task is None:
        slots = Examples.of(corpus, tokenizer).slots
        if not slots:
            raise DataError("nothing is marked in the corpus, so there is nothing to learn")
    else:
        task.check_gold(replace(corpus, origin=origin_of(corpus)))
        if problems := task.unknown_slots(corpus, "corpus"):
            raise InputError(problems)
        slots = tuple(sorted(task.slots))
        recipes = [*task.recipes, *recipes]
        if task.tokenizer not in ("auto", tokenizer) and tokenizer != "auto":
            raise UsageError(f"the tokenizer {tokenizer} contradicts the task, which says "
                             f"{task.tokenizer}; leave it out")  # fmt: skip
        tokenizer = task.tokenizer if tokenizer == "auto" else tokenizer
    return slots, tuple(dict.fromkeys([*recipes, *experiment.stats.recipes])), tokenizer


def _entries(experiment: ExperimentFile, setup: Setup) -> tuple[Entry, ...]:
    """The learners, and below each of them its enriched form."""
    entries: list[Entry] = []
    enrich = experiment.enrich
    from_splits = enrich is not None and setup.unlabelled is None
    if from_splits and not all(split.unlabelled for split in setup.plan.splits):
        raise DataError("[enrich] needs unlabelled documents: splits that have some, as "
                        "repeated(train=0.4,unlabelled=0.2), or file = …")  # fmt: skip
    for entry in experiment.learners:
        entries.append(entry)
        if enrich is None or (enrich.learners and entry.id not in enrich.learners):
            continue
        for method in enrich.methods:
            made = learner_of(f"{method}(learner={entry.text})")
            entries.append(replace(entry, id=f"{entry.id}+{method}", learner=made))
    return tuple(entries)


def versions(entry: Entry) -> dict[str, str]:
    """The versions of what a learner is made of: carob, NumPy, and the packages of its extra."""
    found = {"carob": __version__, "numpy": metadata.version("numpy")}
    name = entry.learner.name
    source = metadata.distribution(plugins("learn")[name].package)
    found.setdefault(source.name, source.version)
    inner = getattr(entry.learner, "learner", entry.learner)
    extra = hook(inner, "extra")
    for requirement in metadata.requires("carob") or () if extra else ():
        package, _, condition = requirement.partition(";")
        if f'extra == "{extra}"' in condition.replace("'", '"'):
            bare = "".join(sign if sign.isalnum() or sign in "-_." else " " for sign in package)
            with suppress(metadata.PackageNotFoundError):
                found[bare.split()[0]] = metadata.version(bare.split()[0])
    return found


def program_files(entry: Entry, folder: Path) -> dict[str, str]:
    """The hashes of files that the command line of a program names: a changed one is another
    learner.
    """
    hashes = {}
    for name in ("train", "predict"):
        words = getattr(entry.learner, name, ())
        for word in words if isinstance(words, tuple) else ():
            path = folder / str(word)
            with suppress(OSError, ValueError):
                if path.is_file():
                    hashes[str(word)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return hashes


def cells_of(setup: Setup) -> list[Cell]:
    """All cells but those that active learning adds one after the other."""
    cells = []
    for split in setup.plan.splits:
        for entry in setup.entries:
            for seed in entry.seeds:
                sizes: list[int | str] = [ALL, *setup.experiment.sizes]
                cells += [_cell(split, entry, seed, size) for size in sizes]
    active = setup.experiment.active
    if active is not None:
        cells += [
            _first_step(setup, split, entry, seed, strategy)
            for split in setup.plan.splits for entry in active_entries(setup)
            for seed in entry.seeds for strategy in active.strategies
        ]  # fmt: skip
    return cells


def _cell(split: Split, entry: Entry, seed: int, size: int | str) -> Cell:
    """A cell of the table or of a curve: training sets are the first documents of one order."""
    train = split.train if size == ALL else split.train[: int(size)]
    unlabelled = split.unlabelled if hasattr(entry.learner, "learner") else ()
    return Cell(split.name, entry.id, seed, str(size), train, split.test, unlabelled)


def active_entries(setup: Setup) -> list[Entry]:
    """The learners that take part in active learning."""
    active = setup.experiment.active
    assert active is not None
    return [
        entry for entry in setup.experiment.learners
        if entry.id in active.learners
        or (not active.learners and hook(entry.learner, "knows_uncertainty"))
    ]  # fmt: skip


def _first_step(setup: Setup, split: Split, entry: Entry, seed: int, strategy: str) -> Cell:
    active = setup.experiment.active
    assert active is not None
    until = min(active.until, len(split.train))
    start = min(active.start, until)
    return _step(setup, split, entry.id, seed, strategy, split.train[:start])


def _step(
    setup: Setup, split: Split, learner: str, seed: int, strategy: str, labelled: tuple[str, ...]
) -> Cell:
    """One step of active learning: train on what is labelled, then pick from the rest."""
    active = setup.experiment.active
    assert active is not None
    pick = min(active.step, min(active.until, len(split.train)) - len(labelled))
    chosen = set(labelled)
    pool = tuple(name for name in split.train if name not in chosen) if pick > 0 else ()
    return Cell(split.name, learner, seed, str(len(labelled)), labelled, split.test, (), strategy,
                max(pick, 0), pool)  # fmt: skip


def next_step(setup: Setup, done: Cell, picked: Sequence[str]) -> Cell | None:
    """The step of active learning after this one; None after the last."""
    if not done.strategy or not done.pick:
        return None
    split = next(each for each in setup.plan.splits if each.name == done.split)
    labelled = (*done.train, *picked)
    return _step(setup, split, done.learner, done.seed, done.strategy, labelled)


@dataclass
class Outcome:
    """What a run gave: finished cells, and those that failed."""

    finished: list[Finished] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def ended(self) -> int:
        """How many cells have ended."""
        return len(self.finished) + len(self.failures)


class Running:
    """The processes of a run, so that an interrupted run leaves none behind."""

    def __init__(self) -> None:
        self._processes: set[subprocess.Popen[bytes]] = set()
        self.stopped = False

    def __call__(self, folder: Path, work: Path) -> tuple[int, str]:
        """Run a cell; its exit code and its log."""
        environment = os.environ | {
            f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP")
        }
        command = [sys.executable, "-P", "-m", "carob_lab.run.cell", str(work)]
        with (work / "log.txt").open("wb") as log:
            if self.stopped:
                return 1, "stopped"
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT,
                cwd=folder, env=environment | {"PYTHONPATH": _python_path()},
            )  # fmt: skip
            self._processes.add(process)
            try:
                process.wait()
            finally:
                if process.stdin is not None:
                    process.stdin.close()
                self._processes.discard(process)
        text = (work / "log.txt").read_text(encoding="utf-8", errors="backslashreplace")
        return process.returncode, text

    def stop(self) -> None:
        """End all processes."""
        self.stopped = True
        for process in list(self._processes):
            with suppress(OSError):
                process.kill()


def _python_path() -> str:
    """The folders that this process imports from: the cell must see the same carob."""
    return os.pathsep.join(path for path in sys.path if path)


def run_cells(setup: Setup, folder: Path, jobs: int = 1) -> Outcome:
    """Run all cells that are not done yet, `jobs` at a time."""
    work = folder / WORK
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    running, outcome = Running(), Outcome()
    total = len(cells_of(setup)) + _later_steps(setup)
    pool = ThreadPoolExecutor(jobs)
    try:
        with watched("cells", total, lambda: outcome.ended):
            _run_waiting(setup, folder, jobs, pool, running, outcome)
    except BaseException:
        running.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(work, ignore_errors=True)
    outcome.failures.sort(key=lambda failure: failure.cell)
    return outcome


def _run_waiting(
    setup: Setup, folder: Path, jobs: int, pool: ThreadPoolExecutor, running: Running,
    outcome: Outcome,
) -> None:  # fmt: skip
    waiting, futures = cells_of(setup), dict[Future[str | None], tuple[Cell, Path]]()
    while waiting or futures:
        while waiting and len(futures) < jobs:
            cell = waiting.pop(0)
            own = cell.folder(folder / CELLS, setup.inputs(setup.entry(cell.learner)))
            if is_done(own):
                waiting[:0] = _count_in(setup, cell, own, outcome)
            else:
                future = pool.submit(_run_one, setup, cell, own, folder / WORK, running)
                futures[future] = cell, own
        for future in wait(futures, return_when=FIRST_COMPLETED).done:
            cell, own = futures.pop(future)
            if (reason := future.result()) is None:
                waiting[:0] = _count_in(setup, cell, own, outcome)
            else:
                outcome.failures.append(Failure(cell.name, reason))


def _count_in(setup: Setup, cell: Cell, folder: Path, outcome: Outcome) -> list[Cell]:
    """Count a cell that is done; what follows it in active learning."""
    done = finished(cell, folder, setup.corpus, setup.recipes, setup.options)
    outcome.finished.append(done)
    following = next_step(setup, cell, done.facts.get("picked", ()))
    return [] if following is None else [following]


def _later_steps(setup: Setup) -> int:
    """How many steps active learning adds to the first ones."""
    active = setup.experiment.active
    if active is None:
        return 0
    steps = 0
    for split in setup.plan.splits:
        until = min(active.until, len(split.train))
        rest = until - min(active.start, until)
        seeds = sum(len(entry.seeds) for entry in active_entries(setup))
        steps += -(-rest // active.step) * seeds * len(active.strategies)
    return steps


def _run_one(setup: Setup, cell: Cell, folder: Path, work: Path, running: Running) -> str | None:
    """Run one cell in a process; the reason if it failed."""
    entry = setup.entry(cell.learner)
    with tempfile.TemporaryDirectory(dir=work, ignore_cleanup_errors=True) as name:
        place = Path(name)
        _give(setup, entry, cell, place)
        code, log = running(setup.experiment.folder, place.resolve())
        if running.stopped:
            return "stopped"
        try:
            report = json.loads((place / worker.REPORT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            report = None
        if code != 0 or report is None:
            log = log.replace(str(place.resolve()), ".") or f"ended with exit code {code}\n"
            fail(folder, log)
            return "\n".join(log.rstrip("\n").splitlines()[-TAIL:])
        finish(folder, place, report, log.replace(str(place.resolve()), "."))
    return None


def _give(setup: Setup, entry: Entry, cell: Cell, folder: Path) -> None:
    """Write what the process of a cell may see: gold of training documents, and texts."""
    corpus = setup.corpus

    def write(name: str, ids: Sequence[str], *, marked: bool = False) -> None:
        rows = np.sort(rows_of(corpus, ids))
        worker.write_documents(corpus, rows, folder / name, marked=marked)

    write(worker.TRAIN, cell.train, marked=True)
    write(worker.TEST, cell.test)
    if cell.unlabelled:
        write(worker.UNLABELLED, cell.unlabelled)
    elif setup.unlabelled is not None and hasattr(entry.learner, "learner"):
        every = np.arange(len(setup.unlabelled))
        worker.write_documents(setup.unlabelled, every, folder / worker.UNLABELLED, marked=False)
    if cell.pick:
        write(worker.POOL, cell.pool)
    job = {
        "learner": entry.text, "slots": setup.slots, "seed": cell.seed,
        "tokenizer": setup.options.tokenizer, "tune": setup.inputs(entry)["tune"],
        "pick": {"strategy": cell.strategy, "count": cell.pick} if cell.pick else None,
    }  # fmt: skip
    (folder / worker.JOB).write_text(json.dumps(job), encoding="utf-8")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder of a run, and see that no other run works in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK).open("a") as file:
            if not _lock(file):
                raise UsageError(f"another run works in {plain(str(folder))}; wait for it")
            yield
    except OSError as error:
        raise UsageError(f"cannot write {plain(str(folder))}: {error.strerror or error}") from None


def _lock(file: IO[str]) -> bool:
    try:
        import fcntl
    except ImportError:  # not on this system: two runs may then disturb each other
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

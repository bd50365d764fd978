"""Recompute an experiment from its answers."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from carob.corpus.problems import InputError, Problem, plain
from carob.evaluate.verify import Verification
from carob_lab.report.experiment import Failure, summary
from carob_lab.run.cell import ANSWERS
from carob_lab.run.cells import FACTS, LOG, TIMING, Cell, Finished, count, is_done
from carob_lab.run.file import ExperimentFile
from carob_lab.run.results import COPY, MANIFEST, RESULTS, comparable, results
from carob_lab.run.run import CELLS, Outcome, Setup, cells_of, next_step, prepare


def verify(path: str | os.PathLike[str]) -> Verification | None:
    """Recompute all numbers of an experiment from the answers beside its manifest; None if the file
    is no manifest. `carob.verify` calls it for every file.
    """
    manifest = _manifest(Path(os.fspath(path)))
    return None if manifest is None else _verify_experiment(Path(os.fspath(path)), manifest)


def _manifest(path: Path) -> dict[str, Any] | None:
    """The manifest of an experiment, if the file is one."""
    try:
        if path.name != MANIFEST or not path.is_file():
            return None
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and "manifest" in content else None


def _verify_experiment(path: Path, manifest: dict[str, Any]) -> Verification:
    folder = path.parent
    try:
        stored = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
        cells = {each["name"]: (each["folder"], each["answers"]) for each in manifest["cells"]}
        failed = [str(name) for name in manifest["failures"]]
        home, digest = str(manifest["experiment"]["folder"]), manifest["experiment"]["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _wrong(path, f"what cannot be recomputed ({type(error).__name__}: {error})") from None
    experiment = ExperimentFile.read(folder / COPY, folder / home)
    if hashlib.sha256(experiment.text.encode()).hexdigest() != digest:
        raise _wrong(folder / COPY, "another experiment file than that of the manifest")
    setup = prepare(experiment)
    outcome = _stored_outcome(setup, folder, cells)
    reasons = {each["cell"]: each["reason"] for each in stored.get("failures", ())}
    outcome.failures += [Failure(name, reasons.get(name, "")) for name in failed]
    verification = Verification()
    made = json.loads(json.dumps(comparable(results(setup, outcome).to_dict())))
    _compare("results", comparable(stored), made, verification)
    return verification


def _wrong(path: Path, found: str) -> InputError:
    expected = "the folder of an experiment, as carob run left it"
    return InputError([Problem("K903", plain(str(path)), None, found, expected)])


def _stored_outcome(setup: Setup, folder: Path, cells: dict[str, tuple[str, str]]) -> Outcome:
    """The cells of a finished run, counted again from their answers."""
    outcome, waiting = Outcome(), cells_of(setup)
    while waiting:
        cell = waiting.pop(0)
        if cell.name not in cells:
            continue  # it failed
        name, digest = cells[cell.name]
        own = folder / CELLS / Path(name).name
        if not is_done(own):
            raise _wrong(own, "a cell whose answers are missing or changed")
        if hashlib.sha256((own / ANSWERS).read_bytes()).hexdigest() != digest:
            raise _wrong(own / ANSWERS, "other answers than those of the manifest")
        timing, facts = (
            json.loads((own / file).read_text(encoding="utf-8")) for file in (TIMING, FACTS)
        )
        tallies = count(own, cell, setup.corpus, setup.recipes, setup.options)
        outcome.finished.append(Finished(cell, own, tallies, timing, facts))
        following = next_step(setup, cell, facts.get("picked", ()))
        waiting += [following] if following is not None else []
    return outcome


def _compare(where: str, old: Any, new: Any, verification: Verification) -> None:
    """Every number, also in lists, whose items are named by what they are about."""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (before, after) in enumerate(zip(old, new, strict=True), 1):
            _compare(f"{where} {number}", before, after, verification)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            _compare(f"{where} {key}", old.get(key), new.get(key), verification)
    else:
        verification.compare(where, old, new)


def status(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """How far a run is: cells that are done, that failed, and all there are, by learner."""
    place = Path(os.fspath(folder))
    manifest = _manifest(place / MANIFEST)
    if manifest is None:
        raise _wrong(place, "no manifest")
    experiment = ExperimentFile.read(place / COPY, place / str(manifest["experiment"]["folder"]))
    setup = prepare(experiment)
    learners = {entry.id: {"done": 0, "failed": 0, "waiting": 0} for entry in setup.entries}
    failures = []
    waiting: list[Cell] = cells_of(setup)
    while waiting:
        cell = waiting.pop(0)
        own = cell.folder(place / CELLS, setup.inputs(setup.entry(cell.learner)))
        if is_done(own):
            learners[cell.learner]["done"] += 1
            facts = json.loads((own / FACTS).read_text(encoding="utf-8"))
            following = next_step(setup, cell, facts.get("picked", ()))
            waiting += [following] if following is not None else []
        elif (own / LOG).exists():
            learners[cell.learner]["failed"] += 1
            log = (own / LOG).read_text(encoding="utf-8", errors="backslashreplace")
            failures.append({"cell": cell.name, "reason": summary(log)})
        else:
            learners[cell.learner]["waiting"] += 1
    return {"learners": learners, "failures": failures}

"""From the cells of an experiment to its results: tables, comparisons, curves, costs, files."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from carob._version import __version__
from carob.corpus.problems import UsageError, many, plain
from carob.evaluate.compare import without_parts
from carob.evaluate.run import origin_of
from carob.pair.texts import LAYERS
from carob.plugin import hook
from carob.result.comparison import ALPHA
from carob.result.result import library
from carob_lab.plan.plan import NONE, document_ids
from carob_lab.report.experiment import (
    RANDOM,
    Comparison,
    CurvePoint,
    Experiment,
    LearnerResult,
)
from carob_lab.run.cell import ANSWERS
from carob_lab.run.cells import Finished, write_atomically
from carob_lab.run.file import ALL, ExperimentFile
from carob_lab.run.numbers import (
    Contender,
    Documents,
    Row,
    Stack,
    areas,
    compare,
    estimates,
    overtaking,
    pairs_of,
    table_rows,
)
from carob_lab.run.run import (
    PLAN,
    Outcome,
    Setup,
    active_entries,
    locked,
    prepare,
    program_files,
    run_cells,
    versions,
)

RESULTS, TABLE, MANIFEST = "results.json", "results.csv", "manifest.json"
PAGE = "report.html"
COPY = "experiment.toml"
"""A copy of the experiment file, beside its results."""


def run_experiment(
    path: str | os.PathLike[str], folder: str | os.PathLike[str], *, jobs: int = 1
) -> Experiment:
    """Run an experiment file, and write results into a folder.

    What an earlier run has done is not done again. `jobs` cells run at a time. A cell that fails
    is among `failures` of the result, and does not stop the others.
    """
    experiment = ExperimentFile.read(path)
    place = Path(folder)
    with locked(place):
        setup = prepare(experiment)
        write_atomically(place / COPY, experiment.text)
        write_atomically(place / PLAN, setup.plan.to_json())
        write_atomically(place / MANIFEST, _json(manifest(setup, Outcome(), place)))
        outcome = run_cells(setup, place, jobs)
        command = f"carob run {shlex.quote(Path(path).name)} -o DIR"
        result = replace(results(setup, outcome), command=command)
        write_results(setup, outcome, result, place)
    return result


def results(setup: Setup, outcome: Outcome) -> Experiment:
    """All numbers, from the cells that are done."""
    numbers = _Numbers(setup, outcome)
    learners = numbers.learners()
    comparisons = numbers.comparisons()
    curve = numbers.curve()
    return Experiment(
        __version__,
        _corpus(setup),
        learners,
        comparisons,
        curve,
        numbers.curve_areas(curve),
        tuple(overtaking(curve)),
        *numbers.active(),
        numbers.cost(),
        _leakage(setup),
        explicit(setup),
        tuple(outcome.failures),
        _remarks(setup, learners, comparisons),
    )


class _Numbers:
    """The numbers of finished cells, in an order that does not depend on which ended first."""

    def __init__(self, setup: Setup, outcome: Outcome) -> None:
        self.setup, self.stats = setup, setup.experiment.stats
        # Whatever the order in which cells end, numbers are made in the same order.
        splits = {split.name: place for place, split in enumerate(setup.plan.splits)}
        self.finished = sorted(
            outcome.finished,
            key=lambda done: (splits[done.cell.split], done.cell.seed, done.cell.name),
        )
        self.order = {name: row for row, name in enumerate(document_ids(setup.corpus))}
        self.rows = table_rows(setup.recipes, setup.slots, labels=True)

    def cells(self, learner: str, size: str = ALL, strategy: str = "") -> list[Finished]:
        """The finished cells of a learner."""
        return [
            done for done in self.finished
            if (done.cell.learner, done.cell.size, done.cell.strategy) == (learner, size, strategy)
        ]  # fmt: skip

    def tests(self) -> list[Row]:
        """What is compared: the recipes without P and R, and slot by slot if that is wanted."""
        whole = without_parts(self.setup.recipes)
        return table_rows(whole, self.setup.slots, labels=self.stats.by_label)

    def learners(self) -> dict[str, LearnerResult]:
        """The table: each learner under every recipe, all slots and each."""
        found = {}
        for entry in self.setup.entries:
            cells = self.cells(entry.id)
            made = dict(zip(self.rows, self.estimated(cells, self.rows), strict=False))
            scores = {str(row.recipe): own for row, own in made.items() if row.label is None}
            labels: dict[str, dict[str, Any]] = {}
            for row, own in made.items():
                if row.label is not None:
                    labels.setdefault(str(row.recipe), {})[row.label] = own
            found[entry.id] = LearnerResult(
                entry.text, scores, labels, len(cells),
                len(self.setup.plan.splits) * len(entry.seeds), entry.external,
                bool(hook(entry.learner, "own_features")), entry.seeds,
            )  # fmt: skip
        return found

    def estimated(self, cells: Sequence[Finished], rows: Sequence[Row]) -> list[Any]:
        """An estimate for each row; none without cells."""
        if not cells:
            return []
        documents = Documents.of(cells)
        stacks = [Stack(row.scored, cells, self.order, documents) for row in rows]
        return estimates(stacks, documents.units, self.stats.resamples, self.stats.seed)

    def comparisons(self) -> tuple[Any, ...]:
        """Every two learners, in the order of the file."""
        contenders = [Contender(entry.id, self.cells(entry.id)) for entry in self.setup.entries]
        return self.compared(pairs_of(contenders), self.tests())

    def compared(
        self, pairs: Sequence[tuple[Contender, Contender]], rows: Sequence[Row]
    ) -> tuple[Any, ...]:
        """The comparisons of some pairs, as one family of tests."""
        return tuple(compare(
            pairs, rows, self.order, resamples=self.stats.resamples, trials=self.stats.trials,
            seed=self.stats.seed,
        ))  # fmt: skip

    def curve(self) -> tuple[CurvePoint, ...]:
        """The learning curve of each learner, the whole training set last."""
        sizes = self.setup.experiment.sizes
        if not sizes:
            return ()
        return tuple(
            point for entry in self.setup.entries for size in (*map(str, sizes), ALL)
            for point in self.points(entry.id, "", size)
        )  # fmt: skip

    def points(self, learner: str, strategy: str, size: str) -> list[CurvePoint]:
        """The points of a curve at one size, one for each recipe."""
        cells = self.cells(learner, size, strategy)
        whole = [row for row in self.rows if row.label is None]
        documents = sum(len(done.cell.train) for done in cells) / max(len(cells), 1)
        return [
            CurvePoint(learner, strategy, size if size == ALL else int(size), documents,
                       str(row.recipe), own.mean, own.sd, own.low, own.high, own.splits)
            for row, own in zip(whole, self.estimated(cells, whole), strict=False)
        ]  # fmt: skip

    def curve_areas(self, curve: Sequence[CurvePoint]) -> tuple[dict[str, Any], ...]:
        """The area under each curve over the logarithm of the size, as a mean height."""
        found = []
        for entry in self.setup.entries:
            for recipe in map(str, self.setup.recipes):
                own = [p for p in curve if (p.learner, p.recipe) == (entry.id, recipe)]
                if len(own) < 2 or any(point.mean is None for point in own):
                    continue
                weights = areas([point.documents for point in own])
                area = math.fsum(w * (p.mean or 0.0) for w, p in zip(weights, own, strict=True))
                found.append({"learner": entry.id, "recipe": recipe, "area": area})
        return tuple(found)

    def active(self) -> tuple[tuple[CurvePoint, ...], tuple[Any, ...]]:
        """The curves of active learning, and each strategy against the random control: the mean
        height of the curve over the logarithm of the size.
        """
        active = self.setup.experiment.active
        if active is None:
            return (), ()
        points: list[CurvePoint] = []
        pairs = []
        for entry in active_entries(self.setup):
            contenders = {}
            for strategy in active.strategies:
                sizes = sorted({
                    int(done.cell.size) for done in self.finished
                    if (done.cell.learner, done.cell.strategy) == (entry.id, strategy)
                })  # fmt: skip
                for size in sizes:
                    points += self.points(entry.id, strategy, str(size))
                contenders[strategy] = self._area_contender(entry.id, strategy, sizes)
            pairs += [(contenders[RANDOM], other) for name, other in contenders.items()
                      if name != RANDOM]  # fmt: skip
        whole = [Row(recipe) for recipe in without_parts(self.setup.recipes)]
        return tuple(points), self.compared(pairs, whole) if pairs else ()

    def _area_contender(self, learner: str, strategy: str, sizes: Sequence[int]) -> Contender:
        weight = dict(zip(sizes, areas(sizes), strict=True))
        cells = [
            done for size in sizes for done in self.cells(learner, str(size), strategy)
        ]  # fmt: skip
        cells.sort(key=lambda done: (done.cell.split, done.cell.seed, int(done.cell.size)))
        return Contender(f"{learner} {strategy}", cells,
                         [weight[int(done.cell.size)] for done in cells])  # fmt: skip

    def cost(self) -> dict[str, dict[str, Any]]:
        """What training and prediction cost, as means over cells; memory as the largest."""
        found = {}
        for entry in self.setup.entries:
            timings = [done.timing for done in self.cells(entry.id)]
            if not timings:
                continue
            names = ("train_wall", "train_cpu", "predict_wall", "predict_cpu")
            own: dict[str, Any] = {
                name: math.fsum(timing[name] for timing in timings) / len(timings)
                for name in names
            }  # fmt: skip
            answered = math.fsum(timing["documents"] for timing in timings)
            seconds = math.fsum(timing["predict_wall"] for timing in timings)
            own["documents_per_second"] = answered / seconds if seconds else None
            own["peak_mib"] = max(timing["peak_mib"] for timing in timings)
            own["threads"] = 1
            own["versions"] = versions(entry)
            found[entry.id] = own
        if found:
            found["machine"] = machine()
        return found


def machine() -> dict[str, Any]:
    """The machine and the versions, without names of users or hosts."""
    return {
        "system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count(),
        "python": platform.python_version(),
    }  # fmt: skip


def _corpus(setup: Setup) -> dict[str, Any]:
    return {
        "path": setup.experiment.corpus, "sha256": setup.plan.sha256,
        "documents": len(setup.corpus), "mentions": len(setup.corpus.mentions),
        "slots": list(setup.slots), "format": origin_of(setup.corpus).format,
    }  # fmt: skip


def _leakage(setup: Setup) -> dict[str, Any]:
    """Near-duplicates, and how many test documents of each split have one in training."""
    plan = setup.plan
    if plan.twins is None:
        return {"looked_for": False}
    return {
        "looked_for": True, "t": plan.t, "kept_together": plan.group.startswith("near-duplicates"),
        "groups": len(plan.twins), "documents": sum(map(len, plan.twins)),
        "test_documents_with_a_twin_in_training": {
            split.name: len(plan.twins_in_training(split)) for split in plan.splits
        },
    }  # fmt: skip


def _from_to(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def explicit(setup: Setup) -> dict[str, str]:
    """What Lavelli et al. (2008), section 5, want to be explicit, filled in for this experiment."""
    plan, task, experiment = setup.plan, setup.task, setup.experiment
    origin = origin_of(setup.corpus)
    twins = _leakage(setup)
    together = f", groups by {plan.group}" if plan.group != NONE else ""
    strata = f", strata by {plan.stratify}" if plan.stratify != NONE else ""
    per_split = [(len(split.train), len(split.test)) for split in plan.splits]
    sizes = sorted({f"{train}/{test}" for train, test in per_split})
    layers = sorted({str(name) for own in setup.corpus.extra.values()
                     for name in own.get(LAYERS) or ()})  # fmt: skip
    duplicates = "not looked for: texts are not known"
    if twins["looked_for"]:
        counts = twins["test_documents_with_a_twin_in_training"].values()
        duplicates = (
            f"{twins['documents']} of {len(setup.corpus)} documents; test documents with a twin in "
            f"training: {_from_to(min(counts), max(counts))} of a split"
        )
    return {
        "corpus": f"{experiment.corpus}, {many(len(setup.corpus), 'document')}"
        if task is None else f"{task.name}, version {task.version}",
        "corpus sha256": plan.sha256,
        "format": origin.format,
        "partition": f"{plan.scheme}, seed {plan.seed}{together}{strata}: "
        f"{many(len(plan.splits), 'split')}, documents to train on and to test on: "
        f"{', '.join(sizes)}",
        "near-duplicates": duplicates,
        "slots": ", ".join(map(plain, setup.slots)),
        "fillers of a slot": "; ".join(f"{plain(name)}: {slot.fillers}, {slot.realisations} "
                                       "realisation(s)" for name, slot in task.slots.items())
        if task is not None else "not stated: the experiment has no task definition",
        "matching": "; ".join(dict.fromkeys(recipe.full for recipe in setup.recipes)),
        "counting": "one answer per slot (oas), per occurrence in the document (oaod) and per "
        "different string (oads), side by side",
        "tokenizer": setup.options.tokenizer,
        "features": "all learners see the same tokens"
        + (f" and the layers {', '.join(map(plain, layers))}" if layers else ", and no layers")
        + ", except those that are marked",
        "learning curve": f"fixed test sets, nested training sets of "
        f"{', '.join(map(str, experiment.sizes))}, all documents"
        if experiment.sizes else "none: all training documents",
        "external data": "; ".join(f"{entry.id}: {', '.join(entry.external)}"
                                   for entry in experiment.learners if entry.external) or "none",
        "significance": "paired approximate randomization over documents, corrected by Holm's "
        "method, and the corrected resampled t test over splits; a learner is called better if "
        f"both p are at most {ALPHA:g}",
        "intervals": "95 %, over test documents, given these training sets; "
        f"{many(experiment.stats.resamples, 'resample')}, seed {experiment.stats.seed}",
        "averages": "micro over slots; mean of splits with standard deviation, and pooled counts",
        "scorer": f"carob {__version__}",
    }  # fmt: skip


def _remarks(
    setup: Setup, learners: Mapping[str, LearnerResult], comparisons: Sequence[Comparison]
) -> tuple[str, ...]:  # fmt: skip
    remarks = [
        "intervals say how a result varies with the test documents, given these training sets",
        "mean is the mean of the scores of splits, pooled the score of all counts together",
    ]
    for name, own in learners.items():
        if not own.cells:
            remarks.append(f"{plain(name)}: all cells failed, so it has no numbers")
        elif own.cells < own.wanted:
            remarks.append(f"{plain(name)}: {own.wanted - own.cells} of {own.wanted} cells failed; "
                           "its numbers are over the others, and comparisons over the splits that "
                           "both learners have")  # fmt: skip
    compared = {(each.a, each.b) for each in comparisons}
    there = [name for name, own in learners.items() if own.cells]
    remarks += [f"{plain(a)} and {plain(b)} have no split in common, so they are not compared"
                for a, b in combinations(there, 2) if (a, b) not in compared]  # fmt: skip
    tests = len(comparisons)
    trials = setup.experiment.stats.trials
    if trials is not None and tests / (1 + trials) > ALPHA:
        remarks.append(f"{trials:,} trials are too few for {tests:,} tests: no difference can be "
                       "significant unless documents are so few that the test is exact; leave "
                       "trials out, or give more")  # fmt: skip
    marked = [name for name, own in learners.items() if own.own_features]
    if marked:
        remarks.append(f"with features of their own: {', '.join(map(plain, marked))}")
    if not setup.experiment.plan and setup.plan.twins and setup.plan.group == NONE:
        remarks.append("near-duplicates were not kept together; group = \"near-duplicates\" in "
                       "[split] does it")  # fmt: skip
    return tuple(remarks)


def manifest(setup: Setup, outcome: Outcome, folder: Path) -> dict[str, Any]:
    """What the results were made from: settings, hashes, versions and seeds; no absolute paths."""
    experiment = setup.experiment
    return {
        "carob": __version__,
        "manifest": 1,
        "experiment": {
            "path": COPY, "sha256": hashlib.sha256(experiment.text.encode()).hexdigest(),
            "folder": os.path.relpath(experiment.folder, folder),
        },
        "corpus": {
            "path": experiment.corpus, "sha256": setup.plan.sha256,
            "reading": dict(experiment.reading),
        },
        "task": setup.task and {"path": experiment.task, "sha256": setup.task.sha256},
        "plan": {
            "path": PLAN, "scheme": setup.plan.scheme, "seed": setup.plan.seed,
            "group": setup.plan.group, "stratify": setup.plan.stratify,
            "sha256": hashlib.sha256(setup.plan.to_json().encode("utf-8", "surrogatepass"))
            .hexdigest(),
        },
        "tokenizer": setup.options.tokenizer,
        "slots": list(setup.slots),
        "recipes": [recipe.full for recipe in setup.recipes],
        "statistics": {
            "resamples": experiment.stats.resamples, "trials": experiment.stats.trials,
            "seed": experiment.stats.seed, "by_label": experiment.stats.by_label,
        },
        "learners": [
            {"id": entry.id, "learner": entry.text, "seeds": list(entry.seeds),
             "external": list(entry.external), "versions": versions(entry),
             "files": program_files(entry, experiment.folder)}
            for entry in setup.entries
        ],
        "cells": [
            {"name": done.cell.name, "folder": done.folder.name,
             "answers": hashlib.sha256((done.folder / ANSWERS).read_bytes()).hexdigest()}
            for done in sorted(outcome.finished, key=lambda done: done.folder.name)
        ],
        "failures": [failure.cell for failure in outcome.failures],
    }  # fmt: skip


def write_results(setup: Setup, outcome: Outcome, result: Experiment, folder: Path) -> None:
    """Write results.json, results.csv, manifest.json, and report.html if its libraries exist."""
    write_atomically(folder / RESULTS, _json(result.to_dict()))
    write_atomically(folder / TABLE, result.to("csv"))
    content = manifest(setup, outcome, folder)
    stable = _json(comparable(result.to_dict()))
    content["results"] = hashlib.sha256(stable.encode()).hexdigest()
    write_atomically(folder / MANIFEST, _json(content))
    if missing_for_page() is None:
        write_atomically(folder / PAGE, result.to("html"))
    else:
        (folder / PAGE).unlink(missing_ok=True)  # it would be of earlier results


def missing_for_page() -> str | None:
    """Why there is no report.html: a library that is not installed, and how to get it."""
    try:
        for name in ("jinja2", "matplotlib"):
            library(name, "report")
    except UsageError as error:
        return str(error)
    return None


def comparable(content: Mapping[str, Any]) -> dict[str, Any]:
    """Results without what differs from run to run: costs."""
    return {key: value for key, value in content.items() if key != "cost"}


def _json(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n"

"""Cells: the pieces of work of an experiment, and the folders that hold what they gave."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError
from carob.counts.tally import Tally
from carob.evaluate.options import Options
from carob.evaluate.read import read
from carob.evaluate.run import prepare
from carob.evaluate.score import count_events
from carob.recipe import Recipe, spell
from carob_lab.run.cell import ANSWERS

COUNTS, TIMING, LOG, FACTS, DONE = "counts.npz", "timing.json", "log.txt", "facts.json", "done"


@dataclass(frozen=True)
class Cell:
    """One piece of work: train on some documents of a split, and answer for its test documents.

    `strategy` and `pick` belong to active learning: how many documents to pick next, and how.
    """

    split: str
    learner: str
    seed: int
    size: str
    """How many training documents: a number, or `all`."""
    train: tuple[str, ...]
    test: tuple[str, ...] = field(repr=False)
    unlabelled: tuple[str, ...] = field(default=(), repr=False)
    strategy: str = ""
    pick: int = 0
    pool: tuple[str, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The cell in words, which is also the beginning of its folder's name."""
        parts = (self.split, self.learner, self.strategy, self.size, f"seed-{self.seed}")
        return "_".join(part for part in parts if part)

    def key(self, inputs: Mapping[str, Any]) -> str:
        """A hash of everything that the answers depend on."""
        own = [self.train, self.test, self.unlabelled, self.seed, self.strategy, self.pick,
               self.pool]  # fmt: skip
        text = json.dumps([own, inputs], sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def folder(self, cells: Path, inputs: Mapping[str, Any]) -> Path:
        """Where its results are."""
        name = re.sub(r"[^\w.+-]", "_", self.name, flags=re.ASCII)[:100]
        return cells / f"{name}-{self.key(inputs)[:12]}"


@dataclass(frozen=True)
class Finished:
    """What a cell gave: its answers are in the folder, its counts are tallies by space."""

    cell: Cell
    folder: Path
    tallies: Mapping[Any, Tally]
    timing: Mapping[str, float]
    facts: Mapping[str, Any]


def is_done(folder: Path) -> bool:
    """Whether a cell is finished, and its answers are those that it was finished with."""
    try:
        stored = (folder / DONE).read_text(encoding="ascii")
        return stored == hashlib.sha256((folder / ANSWERS).read_bytes()).hexdigest() + "\n"
    except (OSError, ValueError):
        return False


def finish(folder: Path, work: Path, report: Mapping[str, Any], log: str) -> None:
    """Move what a process left into the folder of its cell. `done` comes last, in one step: a run
    that is killed before it starts the cell again.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    answers = (work / ANSWERS).read_bytes()
    (folder / ANSWERS).write_bytes(answers)
    facts = {key: value for key, value in report.items() if key != "timing"}
    _write_json(folder / FACTS, facts)
    _write_json(folder / TIMING, report["timing"])
    (folder / LOG).write_text(log, encoding="utf-8", errors="backslashreplace")
    write_atomically(folder / DONE, hashlib.sha256(answers).hexdigest() + "\n")


def fail(folder: Path, log: str) -> None:
    """Keep the log of a cell that failed; it is tried again by the next run."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / LOG).write_text(log, encoding="utf-8", errors="backslashreplace")


def write_atomically(path: Path, text: str) -> None:
    """Write a file in one step: whoever looks sees the old one, or all of the new one."""
    part = path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=True, sort_keys=True) + "\n",
                    encoding="utf-8")  # fmt: skip


def finished(
    cell: Cell, folder: Path, gold: Corpus, recipes: Sequence[Recipe], options: Options
) -> Finished:
    """The results of a cell that is done; counts are taken from their file, if it fits."""
    timing, facts = (
        json.loads((folder / name).read_text(encoding="utf-8")) for name in (TIMING, FACTS)
    )
    tallies = stored_counts(folder, len(cell.test), recipes, options)
    if tallies is None:
        tallies = count(folder, cell, gold, recipes, options)
        write_counts(folder, tallies, options)
    return Finished(cell, folder, tallies, timing, facts)


def count(
    folder: Path, cell: Cell, gold: Corpus, recipes: Sequence[Recipe], options: Options
) -> dict[Any, Tally]:
    """Count the answers of a cell in every space."""
    rows = np.sort(rows_of(gold, cell.test))
    answers = read(folder / ANSWERS, "jsonl")
    run = prepare(with_ids(gold, rows), {"answers": answers}, recipes, options)
    spaces = dict.fromkeys(recipe.space for recipe in recipes)
    counts = count_events(run.pairs["answers"], spaces, run.plan)
    return {space: counts[space][0] for space in spaces}


def with_ids(gold: Corpus, rows: Any) -> Corpus:
    """Some documents of gold, with the ids that cells know them by."""
    part = gold.only(rows)
    ids = tuple(gold.documents.name(row) for row in rows.tolist())
    return replace(part, documents=replace(part.documents, id=ids), origin=None)


def rows_of(corpus: Corpus, ids: Sequence[str]) -> Any:
    """The rows of documents with these ids."""
    row = {corpus.documents.name(each): each for each in range(len(corpus))}
    return np.array([row[each] for each in ids], np.int64)


def write_counts(folder: Path, tallies: Mapping[Any, Tally], options: Options) -> None:
    """Write the counts of all spaces: units are the test documents in the order of the corpus."""
    arrays: dict[str, Any] = {"labels": np.array(options.slots or (), "U")}
    for space, tally in tallies.items():
        name = spell(space, full=True)
        for part in ("unit", "label", "counts", "size"):
            if (array := getattr(tally, part)) is not None:
                arrays[f"{name}/{part}"] = array
    path = folder / COUNTS
    part_path = path.with_name(".counts.part.npz")
    with part_path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    part_path.replace(path)


def stored_counts(
    folder: Path, units: int, recipes: Sequence[Recipe], options: Options
) -> dict[Any, Tally] | None:
    """The counts that were written; None if there are none for these recipes and slots."""
    try:
        with np.load(folder / COUNTS, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        labels = tuple(arrays["labels"].tolist())
        if labels != options.slots:
            return None
        tallies = {}
        for space in dict.fromkeys(recipe.space for recipe in recipes):
            name = spell(space, full=True)
            unit, label, counts = (arrays[f"{name}/{part}"] for part in ("unit", "label", "counts"))
            tallies[space] = Tally(
                units, labels, space.outcomes, space.quantities, unit, label, counts,
                arrays.get(f"{name}/size"),
            )  # fmt: skip
    except (OSError, ValueError, KeyError, EOFError, CarobError):
        return None
    return tallies

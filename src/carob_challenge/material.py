"""The files of a phase: public inputs, hidden gold, the task."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from carob.corpus.corpus import Corpus
from carob.corpus.source import Source
from carob.evaluate.compare import without_parts
from carob.evaluate.read import read_inputs
from carob.evaluate.task import Task
from carob.recipe import Recipe
from carob_challenge.config import Config


@dataclass(frozen=True)
class Material:
    """The files of a phase, and what is scored. Nothing here opens gold."""

    inputs: Path
    gold: Path
    task_file: Path
    part: str

    @cached_property
    def task(self) -> Task:
        """The task, restricted to the documents that the phase scores."""
        return Task.read(self.task_file, self.part)

    @cached_property
    def public(self) -> Corpus:
        """The inputs, as participants have them."""
        return read_inputs(Source(self.inputs))

    @property
    def official(self) -> Recipe:
        """The measure that ranks: the first official recipe that is not a part of another."""
        return without_parts(self.task.recipes)[0]


def materials(config: Config) -> dict[str, Material]:
    """The files of each phase; phases with the same files share what is read."""
    made: dict[tuple[str, str, str, str], Material] = {}
    by_phase = {}
    for phase in config.phases.values():
        key = phase.inputs, phase.gold, phase.task, phase.part
        if key not in made:
            inputs, gold, task = (config.folder / each for each in key[:3])
            made[key] = Material(inputs, gold, task, phase.part)
        by_phase[phase.name] = made[key]
    return by_phase

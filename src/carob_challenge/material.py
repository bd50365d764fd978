"""The files of a phase: public inputs, hidden gold, the task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from carob.corpus.corpus import Corpus
from carob.corpus.source import Source
from carob.evaluate.compare import without_parts
from carob.evaluate.read import read_inputs
from carob.evaluate.run import parse_recipes
from carob.evaluate.task import Task
from carob.recipe import Recipe, spell
from carob_challenge.config import Config

Made = TypeVar("Made")
Stamp = tuple[tuple[int, int, int], ...]

_PARTS = [Recipe.parse(f"exact.{name}").measure for name in ("P", "R")]


def _stamp(path: Path) -> Stamp:
    """What changes when a file changes, or a file in a folder."""
    every = [path, *sorted(path.rglob("*"))] if path.is_dir() else [path]
    stats = [each.stat() for each in every if each.exists()]
    return tuple((each.st_mtime_ns, each.st_size, each.st_ino) for each in stats)


@dataclass(frozen=True)
class Material:
    """The files of a phase, and what is scored. Nothing here opens gold. A file that has changed
    is read again.
    """

    inputs: Path
    gold: Path
    task_file: Path
    part: str
    empty: bool = False
    """Whether a file without any answer is valid."""
    final: str = ""
    """The part whose scores are the results, if it is another one."""
    _last: dict[Path, tuple[Stamp, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def task(self) -> Task:
        """The task, restricted to the documents that the phase scores."""
        return self._read(self.task_file, lambda: Task.read(self.task_file, self.part))

    def of_results(self) -> Material:
        """What the results are scored with, from the reveal on. A file with answers in the other
        part alone was valid.
        """
        return replace(self, part=self.final, final="", empty=True) if self.final else self

    @property
    def public(self) -> Corpus:
        """The inputs, as participants have them."""
        return self._read(self.inputs, lambda: read_inputs(Source(self.inputs)))

    def _read(self, path: Path, make: Callable[[], Made]) -> Made:
        now = _stamp(path)
        before = self._last.get(path)
        if before is not None and before[0] == now:
            made: Made = before[1]
            return made
        made = make()
        self._last[path] = now, made
        return made

    @property
    def official(self) -> Recipe:
        """The measure that ranks: the first official recipe that is not a part of another."""
        return without_parts(self.task.recipes)[0]

    @property
    def recipes(self) -> list[Recipe]:
        """Everything that is scored and shown: the official recipes of the task, and P and R if an
        F ranks.
        """
        recipes = list(parse_recipes(self.task.recipes))
        if spell(self.official.measure).startswith("F"):
            for part in _PARTS:
                recipe = replace(self.official, measure=part)
                recipes += [] if recipe in recipes else [recipe]
        return recipes


def materials(config: Config) -> dict[str, Material]:
    """The files of each phase; phases with the same files share what is read."""
    made: dict[tuple[str, str, str, str, bool, str], Material] = {}
    by_phase = {}
    for phase in config.phases.values():
        key = phase.inputs, phase.gold, phase.task, phase.part, phase.empty, phase.final
        if key not in made:
            inputs, gold, task = (config.folder / each for each in key[:3])
            made[key] = Material(inputs, gold, task, *key[3:])
        by_phase[phase.name] = made[key]
    return by_phase

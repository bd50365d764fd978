"""A suggestion is tried on the files before it is printed: it must find more of gold."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError
from carob.corpus.source import Source
from carob.counts.tally import Tally
from carob.evaluate.options import Options
from carob.evaluate.read import read, suited
from carob.recipe import Recipe

LEAST = 1e-9
"""Sums that differ by less are the same."""

Files = tuple[Corpus, Corpus]


@dataclass(eq=False)
class Trial:
    """Gold and one system, where they came from and as they were read. Each suggestion counts them
    once more, as the first recipe does for which it may matter.

    >>> files = Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]person slept")
    >>> trial = Trial(files, files, [Recipe.parse("exact.F1")], Options())
    >>> trial.maps("mention", {"person": "PER"}), trial.maps("mention", {"person": "LOC"})
    (True, False)
    """

    inputs: tuple[Any, Any]
    files: Files
    recipes: Sequence[Recipe]
    options: Options
    known: dict[Recipe, float] = field(default_factory=dict)
    """How much of gold is found as it is."""

    def maps(self, item: str, names: Mapping[str, str]) -> bool:
        """Whether new names of labels find more mentions, fillers or relations of gold."""
        recipe = next((each for each in self.recipes if each.space.items == item), None)
        return recipe is not None and self._helps(recipe, self.files, names)

    def reads(self, side: str, **parameters: Any) -> bool:
        """Whether more of gold is found if one side is read with other parameters."""
        place = ("gold", "system").index(side)
        path, files = self.inputs[place], list(self.files)
        # What is not a file on disk, such as standard input, can be read only once.
        if not isinstance(path, (str, os.PathLike)) or not os.path.isfile(path):  # noqa: PTH113
            return False
        own = self.options.gold_options if side == "gold" else self.options.system_options
        try:
            source = Source(path)
            files[place] = read(source, **suited(source, {**own, **parameters}))
        except CarobError:
            return False
        return self._helps(self.recipes[0], (files[0], files[1]), {})

    def _helps(self, recipe: Recipe, files: Files, names: Mapping[str, str]) -> bool:
        if recipe not in self.known:
            self.known[recipe] = self._right(recipe, self.files, {})
        return self._right(recipe, files, names) > self.known[recipe] + LEAST

    def _right(self, recipe: Recipe, files: Files, names: Mapping[str, str]) -> float:
        """How much of gold is found; less than nothing if it cannot be counted."""
        from carob.evaluate.run import prepare  # which needs this module

        plain = self.options.without_reading()
        options = replace(plain, map={**plain.map, **names})
        try:
            run = prepare(files[0], {"system": files[1]}, [recipe], options, trial=True)
            return float(Tally.of(recipe.space, run.pairs["system"]).total()["gold_right"])
        except CarobError:
            return -1.0

"""The official recipes of a task definition, and how strictly they judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields

from carob.corpus.problems import RecipeError, shown
from carob.evaluate._task_file import Text
from carob.recipe import PRESETS, Recipe, spell


def official(file: Text, texts: Sequence[str], match: str | None) -> tuple[Recipe, ...]:
    """The official recipes, in which `match` is how strictly slot spaces judge."""
    path = ("scoring", "recipes")
    found: list[Recipe] = []
    taken = False
    for text in texts:
        line = file.line_of(path, text)
        try:
            recipes = Recipe.expand(text)
            space = recipes[0].space
            if match is not None and "match" in {each.name for each in fields(space)}:
                taken = True
                whole = PRESETS.get(text.strip(), text)
                filled_in = Recipe.expand(_with_match(whole, match))
                if not _says_match(whole):
                    recipes = filled_in
                elif space != filled_in[0].space:
                    file.wrong("K825", path, f"{spell(space)} in the recipe {shown(text)}",
                               f"match={match}, as in scoring.match", line=line)  # fmt: skip
        except RecipeError as error:
            file.wrong("K825", path, f"the recipe {shown(text)}", "a valid recipe", str(error),
                       line)  # fmt: skip
            continue
        found += recipes
    if match is not None and not taken and not file.problems:
        file.wrong("K825", ("scoring", "match"), f"match = {shown(match)}",
                   "a recipe that takes it, of a slot space such as oas",
                   f"{texts[0]} has no parameter match")  # fmt: skip
    return tuple(dict.fromkeys(found))


_MATCH = re.compile(r"([(,])match=\w+(\([^()]*\))?")


def _says_match(text: str) -> bool:
    return _MATCH.search(text.partition("@")[0]) is not None


def _with_match(text: str, match: str) -> str:
    """A recipe with this match, whatever it said before.

    >>> _with_match("oas.F1", "exact"), _with_match("templates(type=ignore).F1@macro", "overlap")
    ('oas(match=exact).F1', 'templates(match=overlap,type=ignore).F1@macro')
    >>> _with_match("oas(match=contains(k=2)).F1", "exact")
    'oas(match=exact).F1'
    """
    if _says_match(text):
        return _MATCH.sub(rf"\1match={match}", text, count=1)
    name, sign, rest = text.strip().partition(".")
    space, bracket, parameters = name.partition("(")
    if bracket:
        return f"{space}(match={match},{parameters}{sign}{rest}"
    return f"{space}(match={match}){sign}{rest}"

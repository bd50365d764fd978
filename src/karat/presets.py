"""What is scored when nobody says what: tables of recipes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from karat import registry
from karat.nouns.errors import RecipeError, nearest
from karat.recipe import Recipe, expand, word

DEFAULTS = (
    "exact.PRF", "overlap.PRF", "ts.PRF@macro", "fair.PRF", "slots.SER",
)  # fmt: skip
"""What is scored when nobody says what."""


def defaults(table: str = "mentions", attributes: Sequence[str] = ()) -> list[Recipe]:
    """The recipes for when nobody says what to score.

    There are two tables: `mentions`, and `nugget` for event nuggets: span only and every
    combination of the label (`type`) and the attributes of mentions, as the paper's Figure 3 has
    them, micro and macro-doc-pr.

    >>> str(defaults()[0])
    'exact.P'
    >>> [str(recipe) for recipe in defaults("nugget", ["realis"])][3:7:3]
    ['nugget(attributes=type).P', 'nugget(attributes=realis).P']
    """
    if table == "nugget":
        # What is no word cannot stand in a list of a recipe.
        names = ["type", *sorted(name for name in attributes if word(name) == name)]
        if len(names) > 4:
            raise RecipeError(
                f"a table of all combinations of {len(names)} attributes would be too long; "
                "say which with -m, for example nugget(attributes=type).PRF"
            )
        sets = [
            few for size in range(len(names) + 1) for few in itertools.combinations(names, size)
        ]
        spaces = [
            f"nugget(attributes={'+'.join(map(word, few))})" if few else "nugget" for few in sets
        ]
        texts = [f"{space}.PRF@{how}" for how in ("micro", "macro-doc-pr") for space in spaces]
        return [recipe for text in texts for recipe in expand(text)]
    if table != "mentions":
        raise RecipeError(f"no table is called {table!r}{nearest(table, ['mentions', 'nugget'])}")
    there = [text for text in DEFAULTS if text.split(".")[0] in registry.builtin("match")]
    return [recipe for text in there for recipe in expand(text)]

"""Tables of recipes: what is scored by default."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from carob.corpus.problems import RecipeError, nearest
from carob.recipe import Recipe, word

if TYPE_CHECKING:
    from carob.corpus.corpus import Corpus

MENTIONS = (
    "exact.PRF", "overlap.PRF", "ts.PRF@macro", "fair.PRF", "slots.SER",
)  # fmt: skip
"""The table `mentions`."""

TEMPLATES = (
    "oas.PRF", "oaod.PRF", "oads.PRF", "oads.ungrounded-share", "templates.PRF", "templates.SER",
)  # fmt: skip
"""The table `templates`: the three ways to count answers, and templates."""

TABLES = ("mentions", "nugget", "templates")


def table_for(gold: Corpus, systems: Iterable[Corpus] = ()) -> str:
    """Which table fits: `nugget` for tbf, `templates` where slots are filled, else `mentions`.

    Slots are filled if gold has templates, or if a system has some and no mention.

    >>> from carob.corpus.corpus import Corpus
    >>> table_for(Corpus.of("[Ann]PER slept"))
    'mentions'
    >>> table_for(Corpus.of("[Ann]who"), [Corpus.of({"templates": [{"slots": {"who": ["Ann"]}}]})])
    'templates'
    """
    if gold.origin is not None and gold.origin.format == "tbf":
        return "nugget"
    filled = len(gold.templates) > 0 or any(only_fillers(each) for each in systems)
    return "templates" if filled else "mentions"


def check_table(name: str) -> None:
    """Refuse a name that no table has."""
    if name not in TABLES:
        raise RecipeError(f"no table is called {name!r}{nearest(name, TABLES)}")


def only_fillers(corpus: Corpus) -> bool:
    """Whether a corpus has templates, and no mention.

    >>> from carob.corpus.corpus import Corpus
    >>> only_fillers(Corpus.of({"templates": [{"slots": {"who": ["Ann"]}}]}))
    True
    """
    return len(corpus.templates) > 0 and not len(corpus.mentions)


def table_recipes(table: str = "mentions", attributes: Sequence[str] = ()) -> list[Recipe]:
    """The recipes of a table.

    There are three tables: `mentions`; `nugget` for event nuggets: span only and every
    combination of the label (`type`) and the attributes of mentions, as the paper's Figure 3 has
    them, micro and macro-doc-pr; and `templates` for slots.

    >>> str(table_recipes()[0])
    'exact.P'
    >>> [str(recipe) for recipe in table_recipes("nugget", ["realis"])][3:7:3]
    ['nugget(attributes=type).P', 'nugget(attributes=realis).P']
    """
    if table == "nugget":
        # A list in a recipe holds plain words only.
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
        return [recipe for text in texts for recipe in Recipe.expand(text)]
    texts = list(TEMPLATES if table == "templates" else MENTIONS)
    return [recipe for text in texts for recipe in Recipe.expand(text)]

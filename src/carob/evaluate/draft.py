"""A first task definition for a gold file, to be edited: what gold has, as a suggestion."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.problems import CarobError, DataError, UsageError, plain, shown
from carob.evaluate._fillers import Counts, Observed
from carob.evaluate.diff import diff
from carob.evaluate.options import check_table, table_for
from carob.evaluate.read import Readable, read
from carob.evaluate.run import origin_of
from carob.pair.guessed_types import guess_remark, guessed_slots, values_of_slots
from carob.pair.pair import Pair
from carob.pair.template_types import loose_labels, slot_labels
from carob.recipe import Recipe

_RECIPES = {
    "events": ("triggers.PRF", "arguments.PRF"),
    "mentions": ("exact.PRF",),
    "nugget": ("nugget.PRF",),
    "relations": ("relations.PRF", "exact.PRF"),
    "templates": ("oas.PRF", "oaod.PRF", "oads.PRF", "templates.PRF"),
    "records": ("fields.PRF", "record.exact"),
    "triples": ("relations(types=ignore).PRF", "oads.PRF"),
}

_HEAD = """\
# A task definition: what is evaluated, and how. It was drafted from {file};
# check everything, and change what is wrong. Then:
#
#   carob score --task task.toml GOLD SYSTEM...
#
# Signatures carry the hash of this file: a change, even of a comment, is another task.

[corpus]
name = {name}            # what the corpus is called
version = {version}            # a new one for every change of gold
sha256 = {sha256}
documents = {documents}            # how many gold has
format = {format}            # how gold is read
# source = ""            # where the corpus is available
# note = ""              # anything else, such as how the parts were drawn

[scoring]
# The official recipes: what is scored without -m (see carob measures).
recipes = {recipes}
"""

_MATCH = """\
# How strictly a filler must match, for the recipes that do not say it:
# "exact", "overlap", or "contains(k=1)", with at most k words too many.
match = "exact"
"""

_TOKENS = """\
# How to cut texts into tokens, if positions are characters and a recipe needs tokens:
# "given" (gold's own tokens), "words" or "whitespace".
tokenizer = {tokenizer}

# The slots: TYPE.slot of templates, and labels of mentions. No others are allowed.
# fillers        how many a slot may have: "exactly one", "at most one",
#                "at least one" or "any"
# realisations   whether one filler may come in several different strings: then "many"
#                (so that more than one string is no violation), else "one"
"""

_TYPED = """\
# What becomes of slots that are not below: "error", "spurious" or "ignore".
unknown = "error"

# The slots, with the path that leads to them. docs/records.md says what each key changes.
# type      "string", "number", "date", "time", "datetime", "money", "quantity", "boolean",
#           "enum", "id" or "object"
# fillers   "at most one" (if left out), "exactly one"; lists: "any", "at least one"
# match     how strictly values are compared: "norm" (if left out), "exact", "tol(abs=0.01)" ...
"""

_PARTS = """\

# The partition, by ids of documents. "test" is scored unless --part names another.
# [parts]
# train = [{first}]
# test = [{last}]
"""


_VERSION = """\

[[versions]]             # an earlier version: {changes}
version = {version}
sha256 = {sha256}
documents = {documents}
# note = ""              # why it was changed
"""


class Draft(NamedTuple):
    """The text of a task definition, and remarks on the types of its slots, which it has too."""

    text: str
    remarks: Sequence[str] = ()


def draft(gold: Readable, *arguments: Any, **reading: Any) -> str:
    """The text of a task definition for gold; the arguments are those of `draft_with_remarks`.

    >>> print(draft(Corpus.of("[Ann]PER met [Bo]PER", "[Cy]PER slept")).rpartition("\\n\\n")[2])
    [slots.PER]              # in 2 of 2 documents, in 1 more than one
    fillers = "at least one"
    realisations = "many"
    """
    return draft_with_remarks(gold, *arguments, **reading).text


def draft_with_remarks(
    gold: Readable,
    preset: str | None = None,
    versions: Sequence[Readable] = (),
    schema: Mapping[str, Any] | None = None,
    **reading: Any,
) -> Draft:
    """A task definition for gold. `preset` says what its recipes count, `versions` are earlier
    versions of gold, the oldest first. If numbers or booleans fill slots, these get types; a JSON
    Schema, such as `model_json_schema()` of Pydantic gives, says them itself. The other keyword
    arguments are those of `carob.read`.

    >>> record = {"templates": [{"slots": {"sum": [5], "due": ["2024-01-02"]}}]}
    >>> draft_with_remarks(Corpus.of(record)).remarks
    ['types of slots are guessed from gold (number: sum; date: due)']
    """
    if not isinstance(gold, Corpus):
        gold = read(gold, **reading)
    history = _history([*versions, gold], reading)
    # Mentions that are fillers of templates are in the slots that they fill.
    names = sorted({*loose_labels(gold), *slot_labels(gold)})
    if not names:
        raise DataError("gold has no mention and no filler: there is nothing to define")
    origin = origin_of(gold)
    file = Path(origin.path).name
    typed: dict[str, dict[str, Any]] | None = None
    remarks: list[str] = []
    if schema is not None or (preset or table_for(gold)) == "records":
        from carob.evaluate.json_schema import slots_of_schema  # only records need it

        if schema is None:
            slots = guessed_slots(gold)
            remarks = [guess_remark(slots)]
            typed = {path: {"type": slots[path].type, "fillers": slots[path].fillers}
                     for path in sorted(slots)}  # fmt: skip
        else:
            typed, remarks = slots_of_schema(schema, values_of_slots(gold))
        preset = preset or "records"
    recipes, impossible = _recipes(gold, preset)
    text = _HEAD.format(
        file=plain(file) or "memory", name=quoted(Path(file.removesuffix(".gz")).stem or "corpus"),
        sha256=quoted(origin.sha256), documents=len(gold), format=quoted(origin.format),
        version=quoted(str(len(versions) + 1)), recipes=f"[{', '.join(map(quoted, recipes))}]",
    )  # fmt: skip
    text += "".join(f"# {line}\n" for line in impossible)
    if typed is not None:
        text += _TYPED + "".join(f"# {plain(remark)}\n" for remark in remarks)
        text += "".join(_typed_slot(name, keys) for name, keys in typed.items())
    else:
        spaces = [recipe.space for each in recipes for recipe in Recipe.expand(each)]
        if any(space.items == "filler" for space in spaces):
            text += _MATCH
        text += _TOKENS.format(tokenizer=quoted(_tokenizer(gold)))
        observed = Observed(gold)
        unit = "template" if len(gold.templates) else "document"
        text += "".join(_slot(name, observed.counts(name), unit) for name in names)
    if gold.documents.id is not None and len(gold) > 1:
        first, last = gold.documents.id[0], gold.documents.id[-1]
        text += _PARTS.format(first=_comment(first), last=_comment(last))
    return Draft(_columns(text + history), remarks)


def _history(versions: Sequence[Readable], reading: Mapping[str, Any]) -> str:
    """A table for each version but the last, with what has changed since as a comment."""
    corpora = [each if isinstance(each, Corpus) else read(each, **reading) for each in versions]
    text = ""
    for number, (old, new) in enumerate(pairwise(corpora), 1):
        changes = diff(old, new)
        if changes.equal:
            old_name, new_name = (
                plain(side.path or "a corpus") for side in (changes.old, changes.new)
            )
            raise DataError(f"{old_name} and {new_name} do not differ: they are one version")
        text += _VERSION.format(
            changes=f"since then {changes.summary}", version=quoted(str(number)),
            sha256=quoted(changes.old.sha256), documents=len(old),
        )  # fmt: skip
    return text


def _slot(name: str, counts: Counts, unit: str) -> str:
    """A slot with the tightest limits that gold keeps, and what gold has as a comment."""
    size, filled, more = len(counts.doc), int(np.sum(counts.most > 0)), int(np.sum(counts.most > 1))
    fillers = "at most one" if filled < size else "exactly one"
    if more:
        fillers = "any" if filled < size else "at least one"
    if not size:
        fillers, seen = "any", "a label of mentions that fills no slot"
    else:
        many = f", in {more:,} more than one" if more else ""
        seen = f"in {filled:,} of {size:,} {unit}s{many}"
    realisations = "many" if more or not size else "one"
    return (
        f"\n[slots.{_key(name)}]            # {seen}\n"
        f'fillers = "{fillers}"\nrealisations = "{realisations}"\n'
    )


def _typed_slot(name: str, keys: Mapping[str, Any]) -> str:
    """A slot with a type."""
    lines = "".join(f"{key} = {_toml(value)}\n" for key, value in keys.items())
    return f"\n[slots.{_key(name)}]\n{lines}"


def _toml(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(key)} = {_toml(each)}' for key, each in value.items())}}}"
    return quoted(str(value))


def _recipes(gold: Corpus, preset: str | None) -> tuple[list[str], list[str]]:
    """Recipes for this kind of gold that can be counted; why others cannot."""
    table = preset or table_for(gold)
    check_table(table)
    possible, impossible = [], []
    pair = Pair.of(gold, gold)
    for text in _RECIPES[table]:
        try:
            Recipe.expand(text)[0].space(pair)
        except CarobError as error:
            impossible.append(f"{text} is left out: {plain(str(error))}")
        else:
            possible.append(text)
    return possible or [*_RECIPES["mentions"]], impossible


def _tokenizer(gold: Corpus) -> str:
    if gold.unit == "token":
        return "given"
    return "words" if not len(gold) or gold.words(0)[1] is None else "given"


def quoted(text: str) -> str:
    """A text as TOML has it.

    >>> quoted('a "b"\\x7f')
    '"a \\\\"b\\\\"\\\\u007f"'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"TOML cannot hold {shown(text)}, which is not Unicode") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else quoted(text)


def _comment(text: str) -> str:
    return plain(quoted(text))


def _columns(text: str) -> str:
    """Comments after values in one column, where they fit."""

    def line(match: re.Match[str]) -> str:
        return f"{match[1]:<24} # {match[2]}"

    return re.sub(r"^([^\s#].*?) {12}# (.*)$", line, text, flags=re.M)


def check_free(output: str) -> None:
    """Refuse to write over an existing file: it may have been edited."""
    if output != "-" and Path(output).exists():
        raise UsageError(f"{output} exists; give another name with -o, or remove it")

"""A task definition as a file: read and checked. Every problem is reported with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from carob.corpus.paths import keys_of, path_of
from carob.corpus.problems import RecipeError, TaskError, nearest, plain, shown
from carob.corpus.source import Source
from carob.evaluate.toml_file import TomlFile, dotted, in_words, read_toml
from carob.pair.tokens import TOKENIZERS
from carob.recipe import Recipe, spell
from carob.values.slot import all_keys, typed_slot

TABLES = ("corpus", "scoring", "slots", "parts", "versions", "records")
KEYS: Mapping[str, Mapping[str, str]] = {
    "corpus": {
        "name": "text", "version": "text", "sha256": "hash", "documents": "count",
        "format": "text", "source": "text", "note": "text",
    },
    "scoring": {
        "recipes": "texts", "match": "match", "tokenizer": "tokenizer", "unknown": "unknown",
    },
    "records": {"key": "names", "floor": "share"},
}  # fmt: skip
"""The keys of a table, and the kind of value of each."""
VERSION_KEYS = {"version": "text", "sha256": "hash", "documents": "count", "note": "text"}
"""The same for an earlier version of the corpus."""
SLOT_KEYS = {
    "fillers": ("exactly one", "at most one", "at least one", "any"),
    "realisations": ("one", "many"),
}
"""The keys of a slot, and their values."""
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "corpus": ("name", "version", "sha256", "documents"), "scoring": ("recipes",), "records": (),
}  # fmt: skip
_TOKENIZERS = (*TOKENIZERS, "auto")

_KINDS: Mapping[str, tuple[Callable[[Any], object], str]] = {
    "text": (lambda value: _fits(r"(?s).*\S.*", value), "a text in quotes"),
    "hash": (
        lambda value: _fits(r"[0-9a-f]{64}", value),
        "64 hexadecimal digits in quotes, the SHA-256 of gold",
    ),
    "count": (lambda value: type(value) is int and value > 0, "a whole number of 1 or more"),
    "texts": (
        lambda value: _are_texts(value) and value,
        'a list of texts, at least one, like ["exact.F1"]',
    ),
    "match": (
        lambda value: _fits(r"exact|overlap|contains(\(k=\d{1,9}\))?", value),
        "exact, overlap or contains(k=N)",
    ),
    "unknown": (
        lambda value: value in ("error", "spurious", "ignore"),
        '"error", "spurious" or "ignore"',
    ),
    "names": (lambda value: _are_texts(value) and value, 'a list of slots, like ["number"]'),
    "share": (
        lambda value: type(value) in (int, float) and 0 <= value <= 1,
        "a number from 0 to 1",
    ),
    "tokenizer": (lambda value: value in _TOKENIZERS, f"one of {', '.join(_TOKENIZERS)}"),
}
"""Kinds of values: whether a value is of this kind, and what is expected."""

_SAYS_MATCH = re.compile(r"^[^@]*[(,]match=")


def _fits(pattern: str, value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def load(source: Source) -> tuple[TomlFile, dict[str, Any], tuple[Recipe, ...]]:
    """A task file, its values, which are all of the right kind, and the official recipes."""
    file, values = read_toml(source, "a task definition", "carob task init GOLD writes one")
    _check_tables(file, values)
    for table in KEYS:
        if isinstance(values.get(table), dict):
            _check_keys(file, table, values[table])
    if isinstance(slots := values.get("slots"), dict):
        _check_slots(file, slots)
        _check_tree(file, slots)
    if isinstance(parts := values.get("parts"), dict):
        _check_parts(file, parts)
    if file.problems:
        raise TaskError(file.problems)
    scoring = values["scoring"]
    recipes = _official_recipes(file, scoring["recipes"], scoring.get("match"))
    if file.problems:
        raise TaskError(file.problems)
    return file, values, recipes


def _check_tables(file: TomlFile, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if key not in TABLES:
            file.wrong("K822", (key,), f"the key {shown(key)}", f"a table{nearest(key, TABLES)}")
        elif key == "versions":
            _check_versions(file, value, values.get("corpus"))
        elif not isinstance(value, dict):
            file.wrong("K823", (key,), f"{key} = {in_words(value)}", f"a table: [{key}]")
    needed = TABLES[:3]
    for key in needed:
        if key not in values:
            file.wrong("K822", (), f"no table [{key}]", f"the tables {', '.join(needed)}")


def _check_versions(file: TomlFile, versions: Any, corpus: Any) -> None:
    """Earlier versions: a list of tables with a name and a hash, each different."""
    path = ("versions",)
    if not isinstance(versions, list) or not all(isinstance(each, dict) for each in versions):
        file.wrong("K823", path, f"versions = {in_words(versions)}", "tables: [[versions]]")
        return
    own = corpus if isinstance(corpus, dict) else {}
    seen = {(key, own.get(key)) for key in ("version", "sha256") if isinstance(own.get(key), str)}
    for number, values in enumerate(versions, 1):
        where = f"[[versions]] number {number}"
        for key, value in values.items():
            if key not in VERSION_KEYS:
                expected = f"a key of [[versions]]{nearest(key, list(VERSION_KEYS))}"
                file.wrong("K822", path, f"the key {shown(key)} in {where}", expected)
                continue
            is_right, expected = _KINDS[VERSION_KEYS[key]]
            if not is_right(value):
                file.wrong("K823", path, f"{key} = {in_words(value)} in {where}", expected)
            elif key in ("version", "sha256"):
                if (key, value) in seen:
                    file.wrong("K823", path, f"{key} = {in_words(value)} in {where}, again",
                               "one that no other version has")  # fmt: skip
                seen.add((key, value))
        for key in ("version", "sha256"):
            if key not in values:
                file.wrong("K822", path, f"{where} without {key}", f"{key} = …")


def _check_keys(file: TomlFile, table: str, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if key not in KEYS[table]:
            expected = f"a key of [{table}]{nearest(key, list(KEYS[table]))}"
            file.wrong("K822", (table, key), f"the key {shown(key)}", expected)
            continue
        is_right, expected = _KINDS[KEYS[table][key]]
        if not is_right(value):
            file.wrong("K823", (table, key), f"{key} = {in_words(value)}", expected)
    for key in _NEEDED[table]:
        if key not in values:
            file.wrong("K822", (table,), f"[{table}] without {key}", f"{key} = …")


def _check_slots(file: TomlFile, slots: Mapping[str, Any]) -> None:
    if not slots:
        file.wrong("K822", ("slots",), "[slots] without any slot", "at least one: [slots.NAME]")
    for slot, values in slots.items():
        path = ("slots", slot)
        if not isinstance(values, dict):
            expected = f"a table: [{dotted(path)}]"
            file.wrong("K823", path, f"{dotted(path)} = {in_words(values)}", expected)
            continue
        if not slot:
            file.wrong("K823", path, "a slot without a name", "a name for each slot")
        if "type" in values or any(key in _TYPED for key in values):
            _check_typed(file, path, values)
            continue
        for key, value in values.items():
            own = (*path, key)
            if key not in SLOT_KEYS and isinstance(value, dict):
                hint = f"a name with a dot needs quotes: [{dotted(('slots', f'{slot}.{key}'))}]"
                file.wrong("K822", own, f"the table [{dotted(own)}]", "a name without a dot", hint)
            elif key not in SLOT_KEYS:
                expected = f"a key of a slot{nearest(key, list(SLOT_KEYS))}"
                file.wrong("K822", own, f"the key {shown(key)}", expected)
            elif value not in SLOT_KEYS[key]:
                *others, last = (f'"{choice}"' for choice in SLOT_KEYS[key])
                expected = f"{', '.join(others)} or {last}"
                file.wrong("K823", own, f"{dotted(own)} = {in_words(value)}", expected)
        for key in SLOT_KEYS:
            if key not in values and not any(isinstance(each, dict) for each in values.values()):
                file.wrong("K822", path, f"[{dotted(path)}] without {key}", f"{key} = …")


_TYPED = frozenset(all_keys()) - frozenset(SLOT_KEYS)


def _check_typed(file: TomlFile, path: tuple[str, ...], values: Mapping[str, Any]) -> None:
    """A slot with a type."""
    for wrong in typed_slot(values)[1]:
        code = "K822" if wrong.found.startswith("the key") else "K833"
        file.wrong(code, (*path, wrong.key), f"{dotted(path)}: {wrong.found}", wrong.expected)
    if values.get("realisations", "one") not in SLOT_KEYS["realisations"]:
        found = f"{dotted((*path, 'realisations'))} = {in_words(values['realisations'])}"
        file.wrong("K823", (*path, "realisations"), found, '"one" or "many"')


def _check_tree(file: TomlFile, slots: Mapping[str, Any]) -> None:
    """Slots in slots: the outer one is an object; keys are slots of the objects."""
    for name, values in slots.items():
        if not isinstance(values, dict):
            continue
        outer = path_of(keys_of(name)[:-1])
        above = slots.get(outer)
        if isinstance(above, dict) and "type" in above and above["type"] != "object":
            file.wrong("K833", ("slots", outer, "type"), f"{dotted(('slots', outer))} of the type "
                       f"{in_words(above['type'])}, with the slot {shown(name)} in it",
                       'type = "object"')  # fmt: skip
        keys = values.get("key")
        for key in keys if isinstance(keys, list) and _are_texts(keys) else ():
            if f"{name}.{key}" not in slots:
                inside = [each[len(name) + 1 :] for each in slots if each.startswith(f"{name}.")]
                hint = nearest(key, inside) if inside else ""
                expected = f"a slot of {plain(name)}{hint}"
                file.wrong("K833", ("slots", name, "key"), f"the key {shown(key)}", expected)


def _check_parts(file: TomlFile, parts: Mapping[str, Any]) -> None:
    part_of: dict[str, str] = {}
    for part, ids in parts.items():
        path = ("parts", part)
        if part == "all" or not part:
            found = f"a part called {part}" if part else "a part without a name"
            file.wrong("K823", path, found, "another name", "all is every document of gold")
        if not _are_texts(ids):
            found = f"{dotted(path)} = {in_words(ids)}"
            file.wrong("K823", path, found, 'a list of ids in quotes, like ["d1", "d2"]')
            continue
        if not ids:
            file.wrong("K824", path, f"the part {part} without documents", "at least one id")
        for each in ids:
            if (before := part_of.get(each)) is not None:
                where = f"{part} twice" if before == part else f"{before} and in {part}"
                line = file.line_of(path, each, skip=int(before == part))
                file.wrong("K824", path, f"the document {shown(each)} in {where}",
                           "each document in one part, once", line=line)  # fmt: skip
            part_of.setdefault(each, part)


def _official_recipes(
    file: TomlFile, texts: Sequence[str], match: str | None
) -> tuple[Recipe, ...]:
    """The official recipes; `match` says how strictly those of slots judge that do not say it."""
    path = ("scoring", "recipes")
    official: list[Recipe] = []
    match_used = False
    for text in texts:
        line = file.line_of(path, text)
        try:
            recipes = Recipe.expand(text)
        except RecipeError as error:
            file.wrong("K825", path, f"the recipe {shown(text)}", "a valid recipe", str(error),
                       line)  # fmt: skip
            continue
        space = recipes[0].space
        if match is not None and hasattr(space, "match"):
            match_used = True
            judged = replace(space, match=Recipe.parse(f"oas(match={match}).F1").space.match)
            if _SAYS_MATCH.search(text) is None:
                recipes = [replace(recipe, space=judged) for recipe in recipes]
            elif space != judged:
                file.wrong("K825", path, f"{spell(space)} in the recipe {shown(text)}",
                           f"match={match}, as in scoring.match", line=line)  # fmt: skip
        official += recipes
    if match is not None and not match_used and not file.problems:
        file.wrong("K825", ("scoring", "match"), f"match = {shown(match)}",
                   "a recipe that takes it, of a slot space such as oas",
                   f"{texts[0]} has no parameter match")  # fmt: skip
    return tuple(dict.fromkeys(official))

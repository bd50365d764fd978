"""Slots from a JSON Schema, such as Pydantic's `model_json_schema()` gives: a schema is data, and
nothing in it is run or imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from carob.corpus.paths import keys_of, path_of
from carob.corpus.problems import DataError, plain, shown
from carob.corpus.source import Source
from carob.pair.guessed_types import types_that_read
from carob.values.raw import Raws
from carob.values.slot import all_keys, typed_slot

DEEPEST = 32
MOST = 10_000
"""How deep slots may stand in each other, and how many there may be."""
_FORMATS = {"date": "date", "time": "time", "date-time": "datetime"}
_TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
_JSON_TYPES = (*_TYPES, "object", "array", "null")
_COMBINED = ("$ref", "anyOf", "oneOf", "allOf")


_MOST_SPECIFIC = ("object", "enum", "boolean", "number", "date", "datetime", "time", "string")
"""Of the types of a union, the first counts that all values of gold can be read as."""
_MOST_LIKELY = ("number", "date", "datetime", "time", "boolean", "object", "string", "enum")
"""Without gold, the first of these counts."""


def slots_of_schema(
    schema: Mapping[str, Any], gold: Mapping[str, Raws] | None = None
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The keys of each slot, by path, and remarks on what could not be seen. Where a slot may be of
    several types, the values of `gold` decide, by path.

    >>> slots_of_schema({"properties": {"total": {"type": "number"}}, "required": ["total"]})
    ({'total': {'type': 'number', 'fillers': 'exactly one'}}, [])
    """
    reader = _Reader(schema, gold or {})
    reader.add([schema], "", 0)
    if not reader.slots:
        raise DataError("the schema has no properties: it describes no record")
    unions = [
        f"may be {' or '.join(kinds)} and counts as {kind}: {', '.join(map(plain, paths))}"
        for (kinds, kind), paths in reader.unions.items()
    ]
    return reader.slots, reader.remarks + unions


def read_schema(path: str) -> Mapping[str, Any]:
    """The JSON Schema in a file."""
    source = Source(path)
    try:
        value = json.loads(b"".join(source.blocks()).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{plain(path)}: found {error}, expected a JSON Schema") from None
    if not isinstance(value, dict):
        raise DataError(f"{plain(path)}: found {type(value).__name__}, expected a JSON Schema")
    return value


class _Reader:
    """Goes through a schema, and collects slots."""

    def __init__(self, schema: Mapping[str, Any], gold: Mapping[str, Raws]) -> None:
        self.whole, self.gold = schema, gold
        self.slots: dict[str, dict[str, Any]] = {}
        self.remarks: list[str] = []
        self.unions: dict[tuple[tuple[str, ...], str], list[str]] = {}
        """The slots of each choice among several types, and what was chosen."""

    def add(self, objects: Sequence[Mapping[str, Any]], path: str, depth: int) -> None:
        """The slots of an object, which may be described in several ways."""
        properties: dict[Any, Any] = {}
        needed: list[set[Any]] = []
        for each in objects:
            own, required = each.get("properties"), each.get("required")
            properties |= own if isinstance(own, dict) else {}
            names = required if isinstance(required, list) else []
            needed.append({name for name in names if isinstance(name, str)})
        for name, value in properties.items():
            if not isinstance(name, str) or not name:
                inside = f" in {plain(path)}" if path else ""
                self.remarks.append(f"a key without a name{inside} is left out")
                continue
            here = path_of([*(keys_of(path) if path else ()), name])
            if depth >= DEEPEST or len(self.slots) >= MOST:
                self.remarks.append(
                    f"{plain(here)} is left out: the schema is too deep or too long"
                )
                continue
            required = all(name in names for names in needed)
            self._slot(value, here, required=required, depth=depth)

    def _slot(self, value: Any, path: str, *, required: bool, depth: int) -> None:
        options, nullable = self._options(value, path)
        fillers = "exactly one" if required and not nullable else "at most one"
        extra: dict[str, Any] = {}
        inner = options
        if lists := [each for each in options if each.get("type") == "array"]:
            some = all(isinstance(n := each.get("minItems"), int) and n > 0 for each in options)
            fillers = "at least one" if some else "any"
            inner = [each for each in options if each not in lists]
            for each in lists:
                inner += self._options(each.get("items", {}), path)[0]
            options = inner + lists  # what a list says goes before what its items say
        for each in options:
            extra |= each["x-carob"] if isinstance(each.get("x-carob"), dict) else {}
        keys = {**self._type(inner, path, told="type" in extra), "fillers": fillers}
        for key in list(extra):
            if key not in all_keys():
                self.remarks.append(f"{plain(path)}: x-carob has the unknown key {shown(key)}")
                del extra[key]
        keys |= extra
        if "type" in extra and extra["type"] != "enum" and "values" not in extra:
            keys.pop("values", None)
        self.slots[path] = keys
        if keys["type"] == "object":
            self.add([each for each in inner if _kind(each) == "object"] or inner, path, depth + 1)

    def _options(self, value: Any, path: str) -> tuple[list[dict[str, Any]], bool]:
        """The schemas, without references, that a slot may have, and whether it may be null."""
        waiting: list[tuple[Any, dict[str, Any]]] = [(value, {})]
        options: list[dict[str, Any]] = []
        nullable, known = False, set[str]()
        while waiting:
            value, outer = waiting.pop(0)
            if not isinstance(value, dict):
                continue
            merged = {k: v for k, v in value.items() if k not in _COMBINED} | outer
            several = next((value[k] for k in _COMBINED if isinstance(value.get(k), list)), None)
            if isinstance(reference := value.get("$ref"), str):
                if reference not in known:
                    waiting.append((self._target(reference, path), merged))
                known.add(reference)  # a schema may point to itself
            elif several is not None:
                waiting += [(each, merged) for each in several]
            elif isinstance(kinds := merged.get("type"), list):
                waiting += [(merged | {"type": each}, {}) for each in kinds if each in _JSON_TYPES]
            elif merged.get("type") == "null" or merged.get("const", "") is None:
                nullable = True
            else:
                nullable |= isinstance(merged.get("enum"), list) and None in merged["enum"]
                options.append(merged)
        return options or [{}], nullable

    def _target(self, reference: str, path: str) -> Any:
        """What a reference within the schema points to."""
        at: Any = self.whole
        if not reference.startswith("#/"):
            self.remarks.append(f"{plain(path)}: {shown(reference)} is not in this file: string")
            return {"type": "string"}
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            at = at.get(key) if isinstance(at, dict) else None
        if not isinstance(at, dict):
            self.remarks.append(f"{plain(path)}: {shown(reference)} points nowhere: string")
            return {"type": "string"}
        return at

    def _type(
        self, options: Sequence[Mapping[str, Any]], path: str, *, told: bool
    ) -> dict[str, Any]:
        """The type of a slot, with the values of an enum."""
        kinds = dict.fromkeys(kind for kind in map(_kind, options) if kind)
        words = [word for each in options if _kind(each) == "enum" for word in _words(each)]
        if len(kinds) > 1 and not told:
            chosen = self._chosen({kind: _keys(kind, words) for kind in kinds}, options, path)
            self.unions.setdefault((tuple(kinds), chosen), []).append(path)
            return _keys(chosen, words)
        if not kinds and not told:
            self.remarks.append(f"{plain(path)}: its type cannot be told: string")
        return _keys(next(iter(kinds), "string"), words)

    def _chosen(
        self, types: Mapping[str, dict[str, Any]], options: Sequence[Mapping[str, Any]], path: str
    ) -> str:
        """Of several types the most specific one that all values of gold can be read as."""
        strings = [str(each.get("pattern", "")) for each in options if _kind(each) == "string"]
        if types.keys() == {"number", "string"} and all(map(_of_digits, strings)):
            return "number"
        likely = next(kind for kind in _MOST_LIKELY if kind in types)
        if path not in self.gold:
            within = any(each.startswith(f"{path}.") for each in self.gold)
            return "object" if within and "object" in types else likely
        slots = {kind: typed_slot(types[kind])[0] for kind in _MOST_SPECIFIC
                 if kind in types and kind != "object"}  # fmt: skip
        return next(types_that_read(slots, self.gold[path]), likely)


def _kind(value: Mapping[str, Any]) -> str | None:
    """The type that a schema without references describes; None if it does not say."""
    kind = value.get("type")
    if (isinstance(value.get("enum"), list) and value["enum"]) or "const" in value:
        return "enum"
    if kind == "object" or isinstance(value.get("properties"), dict):
        return "object"
    if kind == "string" and value.get("format") in _FORMATS:
        return _FORMATS[value["format"]]
    return _TYPES.get(kind) if isinstance(kind, str) else None


def _keys(kind: str, words: list[str]) -> dict[str, Any]:
    return {"type": kind, "values": words} if kind == "enum" else {"type": kind}


def _words(value: Mapping[str, Any]) -> list[str]:
    """The values of an enum as texts."""
    every = value["enum"] if isinstance(value.get("enum"), list) else [value["const"]]
    return [word if isinstance(word, str) else json.dumps(word) for word in every
            if word is not None]  # fmt: skip


def _of_digits(pattern: str) -> bool:
    """Whether a pattern matches nothing but digits and signs, such as that of Pydantic's Decimal.

    >>> _of_digits(r"^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$"), _of_digits("^[A-Z]+$"), _of_digits("")
    (True, False, False)
    """
    rest = re.sub(r"\[[^\]A-Za-z]*\]|\\[d.]", "", pattern)
    return re.search(r"\\d|0-9", pattern) is not None and not re.search(r"[A-Za-z.\\]", rest)

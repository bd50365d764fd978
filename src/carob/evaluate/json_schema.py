"""Slots from a JSON Schema, such as Pydantic's `model_json_schema()` gives: a schema is data, and
nothing in it is run or imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from carob.corpus.paths import keys_of, path_of
from carob.corpus.problems import DataError, plain, shown
from carob.corpus.source import Source
from carob.values.slot import all_keys

DEEPEST = 32
MOST = 10_000
"""How deep slots may stand in each other, and how many there may be."""
_FORMATS = {"date": "date", "time": "time", "date-time": "datetime"}
_TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def slots_of_schema(schema: Mapping[str, Any]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The keys of each slot, by path, and remarks on what could not be seen.

    >>> slots_of_schema({"properties": {"total": {"type": "number"}}, "required": ["total"]})
    ({'total': {'type': 'number', 'fillers': 'exactly one'}}, [])
    """
    reader = _Reader(schema)
    reader.add(schema, "", 0)
    if not reader.slots:
        raise DataError("the schema has no properties: it describes no record")
    return reader.slots, reader.remarks


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

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.whole = schema
        self.slots: dict[str, dict[str, Any]] = {}
        self.remarks: list[str] = []

    def add(self, schema: Mapping[str, Any], path: str, depth: int) -> None:
        """The slots of an object."""
        properties = schema.get("properties")
        needed = schema.get("required")
        for name, value in properties.items() if isinstance(properties, dict) else ():
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
            required = isinstance(needed, list) and name in needed
            self._slot(value, here, required=required, depth=depth)

    def _slot(self, value: Any, path: str, *, required: bool, depth: int) -> None:
        own, nullable = self._resolved(value, path)
        several = own.get("type") == "array"
        fillers = "exactly one" if required and not nullable else "at most one"
        extra = dict(own.get("x-carob") or {}) if isinstance(own.get("x-carob"), dict) else {}
        inner = own
        if several:
            least = own.get("minItems")
            fillers = "at least one" if isinstance(least, int) and least > 0 else "any"
            inner, _ = self._resolved(own.get("items", {}), path)
            if isinstance(inner.get("x-carob"), dict):
                extra = {**inner["x-carob"], **extra}
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
            self.add(inner, path, depth + 1)

    def _resolved(self, value: Any, path: str) -> tuple[dict[str, Any], bool]:
        """A schema without references and without null, and whether null is allowed."""
        nullable = False
        merged: dict[str, Any] = {}
        for _ in range(DEEPEST):
            if not isinstance(value, dict):
                return merged, nullable
            rest = {k: v for k, v in value.items() if k not in ("$ref", "anyOf", "oneOf", "allOf")}
            merged = {**rest, **merged}
            if isinstance(value.get("$ref"), str):
                value = self._target(value["$ref"], path)
                continue
            options = next((value[k] for k in ("anyOf", "oneOf", "allOf")
                            if isinstance(value.get(k), list)), None)  # fmt: skip
            if options is None:
                break
            real = [each for each in options if each != {"type": "null"}]
            nullable |= len(real) < len(options)
            if len(real) != 1:
                if "x-carob" not in merged:
                    self.remarks.append(f"{plain(path)} may be of several types: string")
                return {**merged, "type": "string"}, nullable
            value = real[0]
        kinds = merged.get("type")
        if isinstance(kinds, list):
            real = [each for each in kinds if each != "null"]
            nullable |= len(real) < len(kinds)
            merged["type"] = real[0] if len(real) == 1 else "string"
        return merged, nullable

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

    def _type(self, value: Mapping[str, Any], path: str, *, told: bool) -> dict[str, Any]:
        """The type of a slot, with the values of an enum."""
        words = value.get("enum")
        if isinstance(words, list) and words:
            return {"type": "enum", "values": [_word(each) for each in words if each is not None]}
        if "const" in value:
            return {"type": "enum", "values": [_word(value["const"])]}
        kind = value.get("type")
        if kind == "object" or isinstance(value.get("properties"), dict):
            return {"type": "object"}
        if kind == "string" and value.get("format") in _FORMATS:
            return {"type": _FORMATS[value["format"]]}
        if kind in _TYPES:
            return {"type": _TYPES[kind]}
        if not told:
            self.remarks.append(f"{plain(path)}: its type cannot be told: string")
        return {"type": "string"}


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

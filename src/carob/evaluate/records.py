"""Score records in memory: dicts, Pydantic models or dataclasses, with their schema."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from carob.corpus.corpus import Corpus
from carob.corpus.document import Number
from carob.corpus.problems import DataError, UsageError, nearest, plain
from carob.corpus.source import Source
from carob.evaluate.json_schema import slots_of_schema
from carob.evaluate.options import Options, ScoreOptions, table_recipes
from carob.evaluate.read import read
from carob.evaluate.run import Recipes, prepare
from carob.evaluate.score import MOST_SURE, has_confidences, score_run
from carob.formats.json_text import AS_WRITTEN, encoded, keys_of_answers
from carob.pair.guessed_types import values_of_slots
from carob.recipe import Recipe
from carob.result.scores import Scores
from carob.values.schema import Schema
from carob.values.slot import TypedSlot, typed_slot

if TYPE_CHECKING:
    from typing import Unpack


def score_records(
    gold: Sequence[Any],
    system: Sequence[Any] | Mapping[str, Sequence[Any]],
    schema: Any = None,
    recipes: Recipes | None = None,
    *,
    id: str | None = None,
    text: str | None = None,
    raw: str = "",
    **options: Unpack[ScoreOptions],
) -> Scores:
    """Score lists of records, one for each document, paired by the key `id` or by their order.

    A record is a dict, a Pydantic model or a dataclass; an answer that is None or a text that is no
    JSON object is no answer. Several systems come by name. `schema` is a Pydantic model, a
    dataclass or a JSON Schema, in which `x-carob` may say how a slot is compared; without it, types
    are guessed from gold. Keys that the schema lacks are left out on both sides, with a remark. As
    in files, `id` and `text` are the keys of a document's id and text, and by default have these
    names, unless the schema has slots of these names; an empty name is no key. `raw` is the key of
    texts that are answers in JSON. The other keyword arguments are those of `carob.score`.

    >>> gold = [{"total": 1000.5, "due": "2024-01-02"}]
    >>> answers = [{"total": "1.000,50", "due": "Jan 2, 2024"}]
    >>> score_records(gold, answers, recipes="fields.F1", resamples=0).value
    1.0
    >>> model = {"properties": {"total": {"type": "number"}, "due": {"type": "string"}}}
    >>> score_records(gold, answers, model, "fields.F1", resamples=0).value
    0.5
    """
    systems = dict(system) if isinstance(system, Mapping) else {"system": system}
    slots = {} if schema is None else schema_of(schema).by_path
    keys = {name: "" if key is None else key for name, key in (("id", id), ("text", text))
            if key is not None or name in slots}  # fmt: skip
    reference = _corpus(gold, "gold", keys, raw)
    typed = None if schema is None else schema_of(schema, reference)
    answers = {name: _corpus(each, name, keys, raw) for name, each in systems.items()}
    _check_raw(gold, systems, raw, slots)
    chosen = dataclasses.replace(Options.of(ScoreOptions, options), schema=typed)

    def defaults(gold: Corpus, systems: Iterable[Corpus]) -> list[Recipe]:
        sure = len(gold) <= MOST_SURE and all(map(has_confidences, systems))
        return table_recipes(chosen.preset or "records", confident=sure)

    run = prepare(
        reference,
        answers,
        chosen.official_recipes if recipes is None else recipes,
        chosen,
        defaults,
    )
    scores = score_run(run, chosen)
    # No command prints what is said of files, so it stands under the table.
    said = (f"{plain(each.name)}: {text}" for each in scores.systems for text in each.warnings)
    return dataclasses.replace(scores, remarks=(*scores.remarks, *said))


def schema_of(schema: Any, gold: Corpus | None = None) -> Schema:
    """The slots of a Pydantic model, a dataclass or a JSON Schema. Where a slot may be of several
    types, the values of gold decide.

    >>> @dataclasses.dataclass
    ... class Talk:
    ...     speaker: str
    ...     seats: int | None = None
    >>> [(node.path, node.slot.type) for node in schema_of(Talk).nodes[1:]]
    [('seats', 'number'), ('speaker', 'string')]
    """
    if isinstance(schema, Schema):
        return schema
    if hasattr(schema, "model_json_schema"):
        schema = schema.model_json_schema()
    elif dataclasses.is_dataclass(schema):
        schema = _of_dataclass(schema if isinstance(schema, type) else type(schema), 0)
    if not isinstance(schema, Mapping):
        raise UsageError(
            "a schema is a Pydantic model, a dataclass or a JSON Schema, "
            f"not {type(schema).__name__}"
        )
    keys, remarks = slots_of_schema(schema, values_of_slots(gold) if gold is not None else None)
    slots: dict[str, TypedSlot] = {}
    for path, each in keys.items():
        slots[path], wrong = typed_slot(each)
        if wrong:
            raise DataError(
                f"the slot {plain(path)}: found {wrong[0].found}, expected {wrong[0].expected}"
            )
    return Schema.of(slots, unknown="ignore", remarks=tuple(remarks))


_PLAIN: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"},
    bool: {"type": "boolean"}, decimal.Decimal: {"type": "number"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
    datetime.datetime: {"type": "string", "format": "date-time"},
}  # fmt: skip


def _of_dataclass(cls: Any, depth: int) -> dict[str, Any]:
    """The JSON Schema of a dataclass; metadata of a field may hold "x-carob"."""
    if depth > 32:
        return {"type": "string"}
    hints = typing.get_type_hints(cls)
    properties, needed = {}, []
    for field in dataclasses.fields(cls):
        properties[field.name] = _of_hint(hints[field.name], depth)
        if "x-carob" in field.metadata:
            properties[field.name]["x-carob"] = field.metadata["x-carob"]
        if field.default is field.default_factory is dataclasses.MISSING:
            needed.append(field.name)
    return {"type": "object", "properties": properties, "required": needed}


def _of_hint(hint: Any, depth: int) -> dict[str, Any]:
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        options = [
            {"type": "null"} if each is type(None) else _of_hint(each, depth) for each in arguments
        ]
        return {"anyOf": options}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (list, tuple, set, frozenset, Sequence):
        inner = _of_hint(arguments[0], depth) if arguments else {"type": "string"}
        return {"type": "array", "items": inner}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [member.value for member in hint]}
    if dataclasses.is_dataclass(hint):
        return _of_dataclass(hint, depth + 1)
    return {"type": "object"} if hint is dict or origin is dict else {}


def _corpus(records: Sequence[Any], name: str, keys: Mapping[str, str], raw: str) -> Corpus:
    if isinstance(records, Corpus):
        return records
    if isinstance(records, (str, bytes, Mapping)) or not isinstance(records, Iterable):
        raise UsageError(
            f"{plain(name)}: found {type(records).__name__}, expected a list of records"
        )
    lines = []
    answers = False
    for number, record in enumerate(records, 1):
        if hasattr(record, "model_dump"):
            record = record.model_dump(mode="json")
        elif dataclasses.is_dataclass(record) and not isinstance(record, type):
            record = dataclasses.asdict(record)
        if isinstance(record, str):
            lines.append(encoded(_parsed(record)))
            continue
        if record is not None and not isinstance(record, Mapping):
            raise UsageError(
                f"{plain(name)}, record {number}: found {type(record).__name__}, expected a dict, "
                "a Pydantic model, a dataclass, or None for no answer"
            )
        answers = answers or (record is not None and raw in record)
        try:
            lines.append(encoded(_as_json(record, 0)))
        except ValueError as error:
            raise UsageError(f"{plain(name)}, record {number}: {error}") from None
    how = {} if name == "gold" else {"unparsed": "empty"}
    how |= {"raw": raw} if answers else {}
    source = Source.of_bytes(b"\n".join(lines), f"{name}.jsonl")
    return read(source, "records", **keys, **how)


def _check_raw(
    gold: Sequence[Any], systems: Mapping[str, Sequence[Any]], raw: str, slots: Mapping[str, Any]
) -> None:
    """Refuse a key of answers that no record has, and answers in texts without their key."""
    sides = {name: [each for each in side if isinstance(each, Mapping)]
             for name, side in {"gold": gold, **systems}.items()
             if not isinstance(side, Corpus)}  # fmt: skip
    there = {str(key) for records in sides.values() for record in records for key in record}
    if raw and there and raw not in there:
        raise UsageError(f"no record has the key {raw!r} that raw names{nearest(raw, list(there))}")
    known = {*slots, raw, *(str(key) for record in sides.pop("gold", ()) for key in record)}
    for name, records in sides.items():
        texts = (json.dumps(record, default=str).encode() for record in records)
        keys, damaged = keys_of_answers(Source.of_bytes(b"\n".join(islice(texts, 50))))
        if offered := [key for key in keys if key not in known]:
            key = repr(offered[0]) if len(offered) == 1 else "KEY"
            first = "; first take away what stands around the JSON" if damaged else ""
            raise UsageError(
                f"{plain(name)}: found texts under {' and '.join(map(repr, offered))} that are "
                f"JSON, expected answers that are objects; raw={key} reads the answers in "
                f"them{first}"
            )


def _parsed(text: str) -> Any:
    """The object that a text is; a text that is none is itself, and no answer."""
    try:
        value = AS_WRITTEN.decode(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _as_json(value: Any, depth: int) -> Any:
    """A value as JSON can hold it."""
    if depth > 1000:
        raise ValueError("found a record nested too deep")
    if isinstance(value, Mapping):
        return {str(key): _as_json(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_as_json(each, depth + 1) for each in value]
    if isinstance(value, enum.Enum):
        return _as_json(value.value, depth + 1)
    if isinstance(value, decimal.Decimal):
        return Number(str(value)) if value.is_finite() else None
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if (
        isinstance(value, float) and value != value
    ):  # NaN, which is how tables say that a cell is empty
        return None
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if hasattr(value, "item"):  # numbers of NumPy
        return _as_json(value.item(), depth + 1)
    raise ValueError(f"found {type(value).__name__}, expected what JSON can hold")

"""A document as a JSON object, karat's own: what `jsonl` holds a line of.

Whatever is wrong with an object is raised as a WrongError, which says where inside it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from karat.nouns.document import Document, Group, Mention, Span, tidy
from karat.nouns.errors import UsageError, repeated, shown

KEYS = (
    "id", "unit", "text", "tokens", "token_spans", "sentences", "attributes", "mentions",
    "relations", "clusters", "templates",
)  # fmt: skip
_MENTION_KEYS = {"id", "label", "start", "end", "fragments", "attributes", "confidence"}


class WrongError(UsageError):
    """An object is not a document: what was found where, and what was expected."""

    def __init__(self, found: str, expected: str, more: tuple[WrongError, ...] = ()) -> None:
        self.found, self.expected, self.more = found, expected, more
        super().__init__(f"found {found}, expected {expected}")


def _is(value: Any, kind: type | tuple[type, ...], where: str, expected: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise WrongError(f"{where} = {_short(value)}", expected)
    return value


def _short(value: Any) -> str:
    return shown(repr(value), 40)[1:-1]


def _key(name: str) -> str:
    """A name from a file as part of a place."""
    return shown(name, 40)[1:-1]


def _words(value: Any, where: str) -> dict[str, str]:
    _is(value, dict, where, "an object of names and texts")
    for name, word in value.items():
        if type(word) is not str:
            _is(word, str, f"{where}.{_key(name)}", "a text")
    return dict(value)


def _number(value: Any, where: str) -> int:
    whole: int = _is(value, int, where, "a whole number")
    if not 0 <= whole < 2**31:
        raise WrongError(f"{where} = {_short(whole)}", "a position from 0 to 2147483647")
    return whole


def _spans(value: Any, where: str) -> tuple[Span, ...]:
    _is(value, list, where, "a list of [start, end]")
    for i, span in enumerate(value):
        _is(span, list, f"{where}[{i}]", "[start, end]")
        if len(span) != 2:
            raise WrongError(f"{where}[{i}] with {len(span)} numbers", "[start, end]")
    return tuple((_number(a, f"{where}[{i}]"), _number(b, f"{where}[{i}]"))
                 for i, (a, b) in enumerate(value))  # fmt: skip


def _mention(value: Any, where: str, length: int) -> Mention:
    _is(value, dict, where, "an object with start, end and label")
    unknown = sorted(set(value) - _MENTION_KEYS)
    if unknown:
        raise WrongError(
            f"{where}.{_key(unknown[0])}", f"one of {', '.join(sorted(_MENTION_KEYS))}"
        )
    if "label" not in value:
        raise WrongError(f"{where} without a label", "a label")
    label = _is(value["label"], str, f"{where}.label", "a text")
    if not label:
        raise WrongError(f"{where}.label = ''", "a label that is not empty")
    if "fragments" in value:
        if "start" in value or "end" in value:
            raise WrongError(f"{where} with fragments and start or end", "the one or the other")
        fragments = _spans(value["fragments"], f"{where}.fragments")
    elif "start" in value and "end" in value:
        start, end = (_number(value[key], f"{where}.{key}") for key in ("start", "end"))
        fragments = ((start, end),)
    else:
        raise WrongError(f"{where} without a place", "start and end, or fragments")
    try:
        fragments = tidy(fragments)
    except UsageError as error:
        raise WrongError(
            f"{where}: {error}", "spans that are not empty and do not overlap"
        ) from None
    if 0 <= length < fragments[-1][1]:
        raise WrongError(
            f"{where} ending at {fragments[-1][1]}", f"an end within the {length} positions"
        )
    confidence = value.get("confidence")
    if confidence is not None:
        _is(confidence, (int, float), f"{where}.confidence", "a number")
        if not -sys.float_info.max <= confidence <= sys.float_info.max:
            raise WrongError(f"{where}.confidence = {_short(confidence)}", "a finite number")
    return Mention.of(
        label,
        fragments,
        _words(value.get("attributes", {}), f"{where}.attributes"),
        None if confidence is None else float(confidence),
        _id(value, where),
    )


def _id(value: Mapping[str, Any], where: str) -> str | None:
    name: str | None = value.get("id")
    return name if name is None else _is(name, str, f"{where}.id", "a text")


def _known(value: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(value) - set(keys))
    if unknown:
        raise WrongError(f"{where}.{_key(unknown[0])}", f"one of {', '.join(keys)}")


def _linked(value: Any, where: str) -> Group:
    _is(value, dict, where, "an object with label and arguments")
    _known(value, ("arguments", "id", "label"), where)
    label = _is(value.get("label", ""), str, f"{where}.label", "a text")
    given = value.get("arguments", {})
    _is(given, dict, f"{where}.arguments", "an object of roles and ids of mentions")
    members: list[tuple[str, str]] = []
    for role, ids in given.items():
        place = f"{where}.arguments.{_key(role)}"
        for each in ids if isinstance(ids, list) else [ids]:
            _is(each, str, place, "the id of a mention, or a list of them")
            members.append((role, each))
    return Group(label, tuple(members), _id(value, where))


def _cluster(value: Any, where: str) -> Group:
    _is(value, dict, where, "an object with mentions")
    _known(value, ("id", "label", "mentions"), where)
    members = _is(value.get("mentions", []), list, f"{where}.mentions", "a list of mention ids")
    for i, member in enumerate(members):
        _is(member, str, f"{where}.mentions[{i}]", "the id of a mention")
    label = _is(value.get("label", ""), str, f"{where}.label", "a text")
    return Group(label, tuple(("", member) for member in members), _id(value, where))


def _template(value: Any, where: str) -> Group:
    _is(value, dict, where, "an object with label and slots")
    _known(value, ("id", "label", "slots"), where)
    slots = _is(value.get("slots", {}), dict, f"{where}.slots", "an object of slots")
    members = []
    for slot, fillers in slots.items():
        place = f"{where}.slots.{_key(slot)}"
        _is(fillers, list, place, "a list of fillers")
        for i, filler in enumerate(fillers):
            _is(filler, (str, dict), f"{place}[{i}]", "a text or an object")
            members.append((slot, filler))
    label = _is(value.get("label", ""), str, f"{where}.label", "a text")
    return Group(label, tuple(members), _id(value, where))


def document_of(record: Mapping[str, Any]) -> Document:
    """The document that a JSON object describes.

    >>> document_of({"tokens": ["Ann"], "mentions": [{"start": 0, "end": 1, "label": "PER"}]}).unit
    'token'
    """
    text, tokens = record.get("text"), record.get("tokens")
    if text is not None:
        _is(text, str, "text", "a text")
    if tokens is not None:
        for i, token in enumerate(_is(tokens, list, "tokens", "a list of texts")):
            _is(token, str, f"tokens[{i}]", "a text")
    unit = record.get("unit")
    if unit not in (None, "token", "char"):
        raise WrongError(f"unit = {shown(str(unit))}", "token or char")
    name = record.get("id")
    if name is not None:
        _is(name, str, "id", "a text")
    spans = record.get("token_spans")
    bare = Document(
        name, text, None if tokens is None else tuple(tokens), unit=unit,
        token_spans=None if spans is None else _spans(spans, "token_spans"),
    )  # fmt: skip
    length = bare.length

    _fit(bare)
    wrong: list[WrongError] = []

    def each(key: str, build: Any, *rest: int) -> tuple[Any, ...]:
        found = []
        for i, item in enumerate(_is(record.get(key, []), list, key, "a list")):
            try:
                found.append(build(item, f"{key}[{i}]", *rest))
            except WrongError as error:
                wrong.append(error)
        return tuple(found)

    mentions = each("mentions", _mention, length)
    ids = [mention.id for mention in mentions if mention.id is not None]
    if len(set(ids)) < len(ids):
        twice = repeated(ids)
        raise WrongError(f"two mentions with the id {shown(twice)}", "an id of its own for each")
    document = Document(
        bare.id,
        bare.text,
        bare.tokens,
        mentions,
        _sentences(each("sentences", _number), length),
        _words(record.get("attributes", {}), "attributes"),
        bare.token_spans,
        each("relations", _linked),
        each("clusters", _cluster),
        each("templates", _template),
        bare.unit,
        {key: value for key, value in record.items() if key not in KEYS},
    )
    if wrong:
        raise WrongError(wrong[0].found, wrong[0].expected, tuple(wrong[1:]))
    return document


def _fit(document: Document) -> None:
    """Places of tokens: as many as there are tokens, in order, within the text."""
    spans = document.token_spans
    if spans is None:
        return
    if document.tokens is not None and len(document.tokens) != len(spans):
        raise WrongError(
            f"{len(spans)} token_spans", f"one for each of the {len(document.tokens)} tokens"
        )
    before, end = 0, 2**31 if document.text is None else len(document.text)
    for i, (start, stop) in enumerate(spans):
        if not before <= start < stop <= end:
            raise WrongError(
                f"token_spans[{i}] = [{start}, {stop}]", "tokens in order, within the text"
            )
        before = stop


def _sentences(starts: tuple[int, ...], length: int) -> tuple[int, ...]:
    if list(starts) != sorted(set(starts)) or (starts and 0 <= length < starts[-1]):
        raise WrongError("sentences that do not grow", "starts in order, within the document")
    return starts


def record_of(document: Document) -> dict[str, Any]:
    """The JSON object of a document; what is empty is left out.

    >>> record_of(Document("d", text="Ann", mentions=(Mention("PER", 0, 3),)))
    {'id': 'd', 'text': 'Ann', 'mentions': [{'start': 0, 'end': 3, 'label': 'PER'}]}
    """
    usual = "char" if document.text is not None else "token" if document.tokens else None
    record: dict[str, Any] = {
        "id": document.id,
        "unit": document.unit if document.unit != usual else None,
        "text": document.text,
        "tokens": None if document.tokens is None else list(document.tokens),
        "token_spans": None
        if document.token_spans is None
        else [list(span) for span in document.token_spans],
        "sentences": list(document.sentences) or None,
        "attributes": dict(document.attributes) or None,
    }
    record = {key: value for key, value in record.items() if value is not None}
    record["mentions"] = [_mention_record(mention) for mention in document.mentions]
    if document.relations:
        record["relations"] = [
            _named(g, {"label": g.label, "arguments": _arguments(g)}) for g in document.relations
        ]
    if document.clusters:
        record["clusters"] = [
            _named(g, {"label": g.label or None, "mentions": [m for _, m in g.members]})
            for g in document.clusters
        ]
    if document.templates:
        record["templates"] = [
            _named(g, {"label": g.label, "slots": _slots(g)}) for g in document.templates
        ]
    return record | dict(document.extra)


def _named(group: Group, rest: dict[str, Any]) -> dict[str, Any]:
    named = {"id": group.id} | rest
    return {key: value for key, value in named.items() if value is not None}


def _arguments(group: Group) -> dict[str, Any]:
    """Role to the id of its mention, or to a list where a role has several."""
    found: dict[str, Any] = {}
    for role, member in group.members:
        if role in found:
            before = found[role]
            found[role] = [*(before if isinstance(before, list) else [before]), member]
        else:
            found[role] = member
    return found


def _slots(group: Group) -> dict[str, list[Any]]:
    slots: dict[str, list[Any]] = {}
    for role, filler in group.members:
        slots.setdefault(role, []).append(filler)
    return slots


def _mention_record(mention: Mention) -> dict[str, Any]:
    record: dict[str, Any] = {} if mention.id is None else {"id": mention.id}
    if len(mention.fragments) == 1:
        record |= {"start": mention.start, "end": mention.end}
    else:
        record["fragments"] = [list(span) for span in mention.fragments]
    record["label"] = mention.label
    if mention.attributes:
        record["attributes"] = dict(mention.attributes)
    if mention.confidence is not None:
        record["confidence"] = mention.confidence
    return record

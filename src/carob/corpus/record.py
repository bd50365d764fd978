"""A document as a JSON object, carob's own: what `jsonl` holds a line of.

A mention is `{"start": ..., "end": ..., "label": ...}`, or has `fragments` in place of start and
end. A template is `{"label": ..., "slots": {SLOT: [FILLER, ...]}}`, with a confidence, and with
`unannotated` slots. A filler is a text, a number or a boolean, or an object with one of these as
text, a place (start and end, or fragments), the id of a mention, alternatives, optional,
confidence; an object with slots is a template of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from carob.corpus.document import (
    DEEPEST,
    Document,
    Filler,
    Group,
    Mention,
    Number,
    Span,
    Template,
    filler_of,
    require_head_within,
    tidy,
)
from carob.corpus.problems import UsageError, repeated, shown

KEYS = (
    "id", "unit", "text", "tokens", "token_spans", "sentences", "attributes", "mentions",
    "relations", "clusters", "templates",
)  # fmt: skip
_MENTION_KEYS = ("attributes", "confidence", "end", "fragments", "head", "id", "label", "start")
_PLACE_KEYS = ("text", "start", "end", "fragments")
_FILLER_KEYS = (*_PLACE_KEYS, "mention", "alternatives", "optional", "confidence")


class WrongError(UsageError):
    """An object is not a document: what was found where in it, and what was expected."""

    def __init__(self, found: str, expected: str, more: tuple[WrongError, ...] = ()) -> None:
        self.found, self.expected, self.more = found, expected, more
        super().__init__(f"found {found}, expected {expected}")


def document_of(record: Mapping[str, Any]) -> Document:
    """The document that a JSON object describes.

    >>> document_of({"tokens": ["Ann"], "mentions": [{"start": 0, "end": 1, "label": "PER"}]}).unit
    'token'
    """
    text, tokens = record.get("text"), record.get("tokens")
    if text is not None:
        _require(text, str, "text", "a text")
    if tokens is not None:
        for i, token in enumerate(_require(tokens, list, "tokens", "a list of texts")):
            _require(token, str, f"tokens[{i}]", "a text")
    unit = record.get("unit")
    if unit not in (None, "token", "char"):
        raise WrongError(f"unit = {shown(str(unit))}", "token or char")
    places = record.get("token_spans")
    bare = Document(
        _id(record, ""), text, None if tokens is None else tuple(tokens), unit=unit,
        token_spans=None if places is None else _spans(places, "token_spans"),
    )  # fmt: skip
    _check_token_spans(bare)
    length = bare.length
    wrong: list[WrongError] = []

    def each(key: str, build: Any, *rest: int) -> tuple[Any, ...]:
        objects = []
        for i, item in enumerate(_require(record.get(key, []), list, key, "a list")):
            try:
                objects.append(build(item, f"{key}[{i}]", *rest))
            except WrongError as error:
                wrong.append(error)
        return tuple(objects)

    mentions = each("mentions", _mention, length)
    ids = [mention.id for mention in mentions if mention.id is not None]
    if len(set(ids)) < len(ids):
        twice = shown(repeated(ids))
        raise WrongError(f"two mentions with the id {twice}", "an id of its own for each")
    sentences = each("sentences", _position)
    if list(sentences) != sorted(set(sentences)) or (sentences and 0 <= length < sentences[-1]):
        raise WrongError("sentences that do not grow", "starts in order, within the document")
    document = replace(
        bare,
        mentions=mentions,
        sentences=sentences,
        attributes=_texts(record.get("attributes", {}), "attributes"),
        relations=each("relations", _relation),
        clusters=each("clusters", _cluster),
        templates=each("templates", _template, length),
        extra={key: _as_numbers(value) for key, value in record.items() if key not in KEYS},
    )
    if wrong:
        raise WrongError(wrong[0].found, wrong[0].expected, tuple(wrong[1:]))
    return document


def _check_token_spans(document: Document) -> None:
    """Places of tokens: as many as there are tokens, in order, within the text."""
    places = document.token_spans
    if places is None:
        return
    if document.tokens is not None and len(document.tokens) != len(places):
        raise WrongError(
            f"{len(places)} token_spans", f"one for each of the {len(document.tokens)} tokens"
        )
    before, end = 0, 2**31 if document.text is None else len(document.text)
    for i, (start, stop) in enumerate(places):
        if not before <= start < stop <= end:
            raise WrongError(
                f"token_spans[{i}] = [{start}, {stop}]", "tokens in order, within the text"
            )
        before = stop


def _mention(value: Any, where: str, length: int) -> Mention:
    _require(value, dict, where, "an object with start, end and label")
    _require_keys(value, _MENTION_KEYS, where)
    if "label" not in value:
        raise WrongError(f"{where} without a label", "a label")
    if not (label := _label(value, where)):
        raise WrongError(f"{where}.label = ''", "a label that is not empty")
    fragments = _fragments(value, where, length)
    if not fragments:
        raise WrongError(f"{where} without a place", "start and end, or fragments")
    attributes = _texts(value.get("attributes", {}), f"{where}.attributes")
    return Mention.of(
        label, fragments, attributes, _confidence(value, where), _id(value, where),
        _head(value, where, fragments),
    )  # fmt: skip


def _head(value: Mapping[str, Any], where: str, fragments: tuple[Span, ...]) -> Span | None:
    """The span of the head word of a mention, which lies within it."""
    if value.get("head") is None:
        return None
    (head,) = _spans([value["head"]], f"{where}.head")
    try:
        require_head_within(head, fragments)
    except UsageError as error:
        raise WrongError(f"{where}.head: {error}", "[start, end] within one fragment") from None
    return head


def _relation(value: Any, where: str) -> Group:
    _require(value, dict, where, "an object with label and arguments")
    _require_keys(value, ("arguments", "id", "label"), where)
    label, arguments = _label(value, where), value.get("arguments", {})
    _require(arguments, dict, f"{where}.arguments", "an object of roles and ids of mentions")
    members: list[tuple[str, str]] = []
    for role, ids in arguments.items():
        place = f"{where}.arguments.{key(role)}"
        for member in ids if isinstance(ids, list) else [ids]:
            _require(member, str, place, "the id of a mention, or a list of them")
            members.append((role, member))
    return Group(label, tuple(members), _id(value, where))


def _cluster(value: Any, where: str) -> Group:
    _require(value, dict, where, "an object with mentions")
    _require_keys(value, ("id", "label", "mentions"), where)
    members = value.get("mentions", [])
    _require(members, list, f"{where}.mentions", "a list of mention ids")
    for i, member in enumerate(members):
        _require(member, str, f"{where}.mentions[{i}]", "the id of a mention")
    return Group(_label(value, where), tuple(("", member) for member in members), _id(value, where))


def _template(value: Any, where: str, length: int, depth: int = 1) -> Template:
    _require(value, dict, where, "an object with label and slots")
    _require_keys(value, ("confidence", "id", "label", "slots", "unannotated"), where)
    if depth > DEEPEST:
        raise WrongError(where, f"templates that stand in each other at most {DEEPEST} deep")
    slots: dict[str, tuple[Filler | Template, ...]] = {}
    by_slot = _require(value.get("slots", {}), dict, f"{where}.slots", "an object of slots")
    for slot, fillers in by_slot.items():
        place = f"{where}.slots.{key(slot)}"
        if not slot:
            raise WrongError(f"{where}.slots with a name that is empty", "a name for each slot")
        _require(fillers, list, place, "a list of fillers")
        slots[slot] = tuple(
            _filler(filler, f"{place}[{i}]", length, depth) for i, filler in enumerate(fillers)
        )
    open_ = _require(value.get("unannotated", []), list, f"{where}.unannotated", "a list of slots")
    for i, slot in enumerate(open_):
        _require(slot, str, f"{where}.unannotated[{i}]", "the name of a slot")
        if slots.get(slot):
            raise WrongError(f"{where}.unannotated[{i}] = {short(slot)}, which is filled",
                             "a slot without fillers")  # fmt: skip
    return Template(_label(value, where), slots, _id(value, where), _confidence(value, where),
                    tuple(open_))  # fmt: skip


def _filler(value: Any, where: str, length: int, depth: int) -> Filler | Template:
    if not isinstance(value, dict):
        return _value(value, where)
    if "slots" in value:
        return _template(value, where, length, depth + 1)
    text, fragments, kind = _text_and_place(value, where, length, _FILLER_KEYS)
    mention = value.get("mention")
    if mention is not None:
        _require(mention, str, f"{where}.mention", "the id of a mention")
        if fragments:
            raise WrongError(f"{where} with a mention and a place", "the one or the other")
    elif text is None and not fragments:
        raise WrongError(f"{where} = {short(value)}", "a text, a place or a mention")
    others = _require(value.get("alternatives", []), list, f"{where}.alternatives", "a list")
    optional = value.get("optional", False)
    if not isinstance(optional, bool):
        raise WrongError(f"{where}.optional = {short(optional)}", "true or false")
    return Filler(
        text,
        fragments,
        tuple(_alternative(o, f"{where}.alternatives[{i}]", length) for i, o in enumerate(others)),
        optional,
        _confidence(value, where),
        mention,
        kind,
    )


def _alternative(value: Any, where: str, length: int) -> Filler:
    if not isinstance(value, dict):
        return _value(value, where)
    text, fragments, kind = _text_and_place(value, where, length, _PLACE_KEYS)
    if text is None and not fragments:
        raise WrongError(f"{where} = {short(value)}", "a text or a place")
    return Filler(text, fragments, kind=kind)


def _text_and_place(
    value: Mapping[str, Any], where: str, length: int, keys: tuple[str, ...]
) -> tuple[str | None, tuple[Span, ...], str]:
    _require_keys(value, keys, where)
    if ("start" in value) != ("end" in value):
        raise WrongError(f"{where} with a start or an end alone", "both, or neither")
    fragments = _fragments(value, where, length)
    if value.get("text") is None:
        return None, fragments, "text"
    filler = _value(value["text"], f"{where}.text", "a text, a number or a boolean")
    return filler.text, fragments, filler.kind


def _value(
    value: Any, where: str, expected: str = "a text, a number, a boolean or an object"
) -> Filler:
    """A filler of a text, a number or a boolean."""
    found = filler_of(value)
    if found is None:
        raise WrongError(f"{where} = {short(value)}", expected)
    if not found[0].strip():
        raise WrongError(f"{where} = {short(value)}", "a text that is not empty")
    return Filler(found[0], kind=found[1])


def _require(value: Any, kind: type | tuple[type, ...], where: str, expected: str) -> Any:
    """The value, which must be of that kind."""
    if not isinstance(value, kind) or isinstance(value, (bool, Number)):
        raise WrongError(f"{where} = {short(value)}", expected)
    return value


def _require_keys(value: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(value) - set(keys))
    if unknown:
        raise WrongError(f"{where}.{key(unknown[0])}", f"one of {', '.join(keys)}")


def _as_numbers(value: Any) -> Any:
    """A value of JSON with numbers in place of numbers as they are written."""
    if isinstance(value, Number):
        return float(value)
    if isinstance(value, dict):
        return {key: _as_numbers(each) for key, each in value.items()}
    return [_as_numbers(each) for each in value] if isinstance(value, list) else value


def short(value: Any) -> str:
    """A value for a message, as JSON has it; a text is quoted as in all messages.

    >>> short(None), short([True, "a"]), short("a")
    ('null', '[true, "a"]', "'a'")
    """
    import json  # only where something is wrong

    try:
        value = _as_numbers(value)
        text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):  # a number of thousands of digits
        text = type(value).__name__
    except TypeError:  # of a document in memory, which may hold anything
        text = repr(value)
    return shown(text, 40)[1:-1]


def key(name: str) -> str:
    """A key from a file, as part of a place in a message."""
    return shown(name, 40)[1:-1]


def _id(value: Mapping[str, Any], where: str) -> str | None:
    """The id of a mention or template; that of a document may also be a whole number."""
    name = value.get("id")
    if not where and type(name) is int:
        return str(name)
    place, expected = (f"{where}.id", "a text") if where else ("id", "a text or a whole number")
    return None if name is None else _require(name, str, place, expected)


def _label(value: Mapping[str, Any], where: str) -> str:
    label: str = _require(value.get("label", ""), str, f"{where}.label", "a text")
    return label


def _texts(value: Any, where: str) -> dict[str, str]:
    """An object of names and texts."""
    _require(value, dict, where, "an object of names and texts")
    for name, text in value.items():
        _require(text, str, f"{where}.{key(name)}", "a text")
    return dict(value)


def _position(value: Any, where: str) -> int:
    number: int = _require(value, int, where, "a whole number")
    if not 0 <= number < 2**31:
        raise WrongError(f"{where} = {short(number)}", "a position from 0 to 2147483647")
    return number


def _spans(value: Any, where: str) -> tuple[Span, ...]:
    """A list of [start, end]."""
    spans = []
    for i, span in enumerate(_require(value, list, where, "a list of [start, end]")):
        place = f"{where}[{i}]"
        _require(span, list, place, "[start, end]")
        if len(span) != 2:
            raise WrongError(f"{place} with {len(span)} numbers", "[start, end]")
        spans.append((_position(span[0], place), _position(span[1], place)))
    return tuple(spans)


def _fragments(value: Mapping[str, Any], where: str, length: int) -> tuple[Span, ...]:
    """The place that an object names: start and end, or fragments; empty if it names none."""
    if "fragments" in value:
        if "start" in value or "end" in value:
            raise WrongError(f"{where} with fragments and start or end", "the one or the other")
        fragments = _spans(value["fragments"], f"{where}.fragments")
    elif "start" in value and "end" in value:
        start, end = (_position(value[side], f"{where}.{side}") for side in ("start", "end"))
        fragments = ((start, end),)
    else:
        return ()
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
    return fragments


def _confidence(value: Mapping[str, Any], where: str) -> float | None:
    number = value.get("confidence")
    if number is None:
        return None
    if isinstance(number, Number):
        number = float(number)
    _require(number, (int, float), f"{where}.confidence", "a number")
    # math.isfinite would fail on an integer that no float can hold.
    if not -sys.float_info.max <= number <= sys.float_info.max:
        raise WrongError(f"{where}.confidence = {short(number)}", "a finite number")
    return float(number)


def record_of(document: Document) -> dict[str, Any]:
    """The JSON object of a document; what is empty is left out.

    >>> record_of(Document("d", text="Ann", mentions=(Mention("PER", 0, 3),)))
    {'id': 'd', 'text': 'Ann', 'mentions': [{'start': 0, 'end': 3, 'label': 'PER'}]}
    """
    usual = "char" if document.text is not None else "token" if document.tokens else None
    record = _without_none(
        id=document.id,
        unit=document.unit if document.unit != usual else None,
        text=document.text,
        tokens=None if document.tokens is None else list(document.tokens),
        token_spans=None if document.token_spans is None else _lists(document.token_spans),
        sentences=list(document.sentences) or None,
        attributes=dict(document.attributes) or None,
    )
    record["mentions"] = [
        _without_none(id=mention.id)
        | _place_record(mention.fragments)
        | {"label": mention.label}
        | _without_none(
            attributes=dict(mention.attributes) or None,
            confidence=mention.confidence,
            head=None if mention.head is None else list(mention.head),
        )
        for mention in document.mentions
    ]
    relations = [
        _without_none(id=group.id, label=group.label, arguments=_arguments(group))
        for group in document.relations
    ]
    clusters = [
        _without_none(id=g.id, label=g.label or None, mentions=[member for _, member in g.members])
        for g in document.clusters
    ]
    templates = [_template_record(template) for template in document.templates]
    groups = {"relations": relations, "clusters": clusters, "templates": templates}
    return record | {name: rows for name, rows in groups.items() if rows} | dict(document.extra)


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _lists(spans: Iterable[Span]) -> list[list[int]]:
    return [list(span) for span in spans]


def _place_record(fragments: tuple[Span, ...]) -> dict[str, Any]:
    if len(fragments) == 1:
        return {"start": fragments[0][0], "end": fragments[0][1]}
    return {"fragments": _lists(fragments)} if fragments else {}


def _arguments(group: Group) -> dict[str, Any]:
    """Role to the id of its mention, or to a list if a role has several."""
    members: dict[str, list[str | None]] = {}
    for role, member in group.members:
        members.setdefault(role, []).append(member)
    return {role: ids if len(ids) > 1 else ids[0] for role, ids in members.items()}


def _template_record(template: Template) -> dict[str, Any]:
    slots: dict[str, list[Any]] = {slot: [] for slot in template.slots}
    for slot, filler in template:
        record = _template_record if isinstance(filler, Template) else _filler_record
        slots[slot].append(record(filler))  # type: ignore[arg-type]
    return _without_none(
        id=template.id, label=template.label or None, slots=slots, confidence=template.confidence,
        unannotated=list(template.unannotated) or None,
    )  # fmt: skip


def _filler_record(filler: Filler) -> Any:
    record = (
        _without_none(text=filler_value(filler))
        | _place_record(filler.fragments)
        | _without_none(
            mention=filler.mention,
            alternatives=[_filler_record(other) for other in filler.alternatives] or None,
            optional=filler.optional or None,
            confidence=filler.confidence,
        )
    )
    return filler_value(filler) if list(record) == ["text"] else record


def filler_value(filler: Filler) -> Any:
    """The text of a filler as JSON has it; a number is one as it is written, for writers.

    >>> filler_value(Filler("true", kind="boolean")), filler_value(Filler("5", kind="number"))
    (True, '5')
    """
    if filler.text is None or filler.kind == "text":
        return filler.text
    return filler.text == "true" if filler.kind == "boolean" else Number(filler.text)

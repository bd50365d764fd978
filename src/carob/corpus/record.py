"""A document as a JSON object, carob's own: what `jsonl` holds a line of.

Whatever is wrong with an object is raised as a WrongError, which says where inside it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from carob.corpus.document import DEEPEST, Document, Filler, Group, Mention, Span, Template, tidy
from carob.corpus.problems import UsageError, repeated, shown

KEYS = (
    "id", "unit", "text", "tokens", "token_spans", "sentences", "attributes", "mentions",
    "relations", "clusters", "templates",
)  # fmt: skip
_MENTION_KEYS = {"id", "label", "start", "end", "fragments", "attributes", "confidence"}


def _mention(value: Any, where: str, length: int) -> Mention:
    checked(value, dict, where, "an object with start, end and label")
    unknown = sorted(set(value) - _MENTION_KEYS)
    if unknown:
        raise WrongError(f"{where}.{key(unknown[0])}", f"one of {', '.join(sorted(_MENTION_KEYS))}")
    if "label" not in value:
        raise WrongError(f"{where} without a label", "a label")
    label = checked(value["label"], str, f"{where}.label", "a text")
    if not label:
        raise WrongError(f"{where}.label = ''", "a label that is not empty")
    fragments = fragments_of(value, where, length)
    if fragments is None:
        raise WrongError(f"{where} without a place", "start and end, or fragments")
    return Mention.of(
        label,
        fragments,
        words(value.get("attributes", {}), f"{where}.attributes"),
        confidence_of(value, where),
        id_of(value, where),
    )


def _linked(value: Any, where: str) -> Group:
    checked(value, dict, where, "an object with label and arguments")
    known(value, ("arguments", "id", "label"), where)
    label = checked(value.get("label", ""), str, f"{where}.label", "a text")
    given = value.get("arguments", {})
    checked(given, dict, f"{where}.arguments", "an object of roles and ids of mentions")
    members: list[tuple[str, str]] = []
    for role, ids in given.items():
        place = f"{where}.arguments.{key(role)}"
        for each in ids if isinstance(ids, list) else [ids]:
            checked(each, str, place, "the id of a mention, or a list of them")
            members.append((role, each))
    return Group(label, tuple(members), id_of(value, where))


def _cluster(value: Any, where: str) -> Group:
    checked(value, dict, where, "an object with mentions")
    known(value, ("id", "label", "mentions"), where)
    members = checked(value.get("mentions", []), list, f"{where}.mentions", "a list of mention ids")
    for i, member in enumerate(members):
        checked(member, str, f"{where}.mentions[{i}]", "the id of a mention")
    label = checked(value.get("label", ""), str, f"{where}.label", "a text")
    return Group(label, tuple(("", member) for member in members), id_of(value, where))


def document_of(record: Mapping[str, Any]) -> Document:
    """The document that a JSON object describes.

    >>> document_of({"tokens": ["Ann"], "mentions": [{"start": 0, "end": 1, "label": "PER"}]}).unit
    'token'
    """
    text, tokens = record.get("text"), record.get("tokens")
    if text is not None:
        checked(text, str, "text", "a text")
    if tokens is not None:
        for i, token in enumerate(checked(tokens, list, "tokens", "a list of texts")):
            checked(token, str, f"tokens[{i}]", "a text")
    unit = record.get("unit")
    if unit not in (None, "token", "char"):
        raise WrongError(f"unit = {shown(str(unit))}", "token or char")
    name = record.get("id")
    if name is not None:
        checked(name, str, "id", "a text")
    places = record.get("token_spans")
    bare = Document(
        name, text, None if tokens is None else tuple(tokens), unit=unit,
        token_spans=None if places is None else spans(places, "token_spans"),
    )  # fmt: skip
    length = bare.length

    _fit(bare)
    wrong: list[WrongError] = []

    def each(key: str, build: Any, *rest: int) -> tuple[Any, ...]:
        found = []
        for i, item in enumerate(checked(record.get(key, []), list, key, "a list")):
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
        _sentences(each("sentences", number), length),
        words(record.get("attributes", {}), "attributes"),
        bare.token_spans,
        each("relations", _linked),
        each("clusters", _cluster),
        each("templates", template_of, length),
        bare.unit,
        {key: value for key, value in record.items() if key not in KEYS},
    )
    if wrong:
        raise WrongError(wrong[0].found, wrong[0].expected, tuple(wrong[1:]))
    return document


def _fit(document: Document) -> None:
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
        record["templates"] = [template_record(template) for template in document.templates]
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


_FORM = ("text", "start", "end", "fragments")
_FILLER = (*_FORM, "mention", "alternatives", "optional", "confidence")


def template_of(value: Any, where: str, length: int, depth: int = 1) -> Template:
    """The template that a JSON object describes; `length` is that of its document.

    >>> template_of({"label": "talk", "slots": {"room": ["5"]}}, "templates[0]", -1)
    Template('talk', room=Filler(text='5'))
    """
    checked(value, dict, where, "an object with label and slots")
    known(value, ("id", "label", "slots"), where)
    if depth > DEEPEST:
        raise WrongError(where, f"templates that stand in each other at most {DEEPEST} deep")
    given = checked(value.get("slots", {}), dict, f"{where}.slots", "an object of slots")
    slots: dict[str, tuple[Filler | Template, ...]] = {}
    for slot, fillers in given.items():
        place = f"{where}.slots.{key(slot)}"
        if not slot:
            raise WrongError(f"{where}.slots with a name that is empty", "a name for each slot")
        checked(fillers, list, place, "a list of fillers")
        slots[slot] = tuple(
            _filler(filler, f"{place}[{i}]", length, depth) for i, filler in enumerate(fillers)
        )
    label = checked(value.get("label", ""), str, f"{where}.label", "a text")
    return Template(label, slots, id_of(value, where))


def _filler(value: Any, where: str, length: int, depth: int) -> Filler | Template:
    checked(value, (str, dict), where, "a text or an object")
    if isinstance(value, str):
        return Filler(_text(value, where))
    if "slots" in value:
        return template_of(value, where, length, depth + 1)
    known(value, _FILLER, where)
    text, fragments = _form(value, where, length)
    mention = value.get("mention")
    if mention is not None:
        checked(mention, str, f"{where}.mention", "the id of a mention")
        if fragments:
            raise WrongError(f"{where} with a mention and a place", "the one or the other")
    elif text is None and not fragments:
        raise WrongError(f"{where} = {short(value)}", "a text, a place or a mention")
    others = checked(value.get("alternatives", []), list, f"{where}.alternatives", "a list")
    optional = value.get("optional", False)
    if not isinstance(optional, bool):
        raise WrongError(f"{where}.optional = {short(optional)}", "true or false")
    return Filler(
        text,
        fragments,
        tuple(_other(o, f"{where}.alternatives[{i}]", length) for i, o in enumerate(others)),
        optional,
        confidence_of(value, where),
        mention,
    )


def _other(value: Any, where: str, length: int) -> Filler:
    checked(value, (str, dict), where, "a text or an object")
    if isinstance(value, str):
        return Filler(_text(value, where))
    known(value, _FORM, where)
    text, fragments = _form(value, where, length)
    if text is None and not fragments:
        raise WrongError(f"{where} = {short(value)}", "a text or a place")
    return Filler(text, fragments)


def _form(
    value: Mapping[str, Any], where: str, length: int
) -> tuple[str | None, tuple[tuple[int, int], ...]]:
    text = value.get("text")
    if ("start" in value) != ("end" in value):
        raise WrongError(f"{where} with a start or an end alone", "both, or neither")
    fragments = fragments_of(value, where, length)
    return None if text is None else _text(text, f"{where}.text"), fragments or ()


def _text(value: Any, where: str) -> str:
    text: str = checked(value, str, where, "a text")
    if not text.strip():
        raise WrongError(f"{where} = {short(text)}", "a text that is not empty")
    return text


def template_record(template: Template) -> dict[str, Any]:
    """The JSON object of a template; what is empty is left out.

    >>> template_record(Template("talk", {"room": "5"}))
    {'label': 'talk', 'slots': {'room': ['5']}}
    """
    slots: dict[str, list[Any]] = {}
    for slot, filler in template:
        whole = isinstance(filler, Template)
        slots.setdefault(slot, []).append(
            template_record(filler) if whole else _filler_record(filler)  # type: ignore[arg-type]
        )
    named = {"id": template.id, "label": template.label or None, "slots": slots}
    return {name: value for name, value in named.items() if value is not None}


def _filler_record(filler: Filler) -> Any:
    record: dict[str, Any] = {} if filler.text is None else {"text": filler.text}
    if len(filler.fragments) == 1:
        record |= {"start": filler.fragments[0][0], "end": filler.fragments[0][1]}
    elif filler.fragments:
        record["fragments"] = [list(span) for span in filler.fragments]
    if filler.mention is not None:
        record["mention"] = filler.mention
    if filler.alternatives:
        record["alternatives"] = [_filler_record(other) for other in filler.alternatives]
    if filler.optional:
        record["optional"] = True
    if filler.confidence is not None:
        record["confidence"] = filler.confidence
    return filler.text if list(record) == ["text"] else record


class WrongError(UsageError):
    """An object is not a document: what was found where, and what was expected."""

    def __init__(self, found: str, expected: str, more: tuple[WrongError, ...] = ()) -> None:
        self.found, self.expected, self.more = found, expected, more
        super().__init__(f"found {found}, expected {expected}")


def checked(value: Any, kind: type | tuple[type, ...], where: str, expected: str) -> Any:
    """The value, if it is of that kind."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise WrongError(f"{where} = {short(value)}", expected)
    return value


def short(value: Any) -> str:
    """A value for a message."""
    return shown(repr(value), 40)[1:-1]


def key(name: str) -> str:
    """A name from a file as part of a place."""
    return shown(name, 40)[1:-1]


def words(value: Any, where: str) -> dict[str, str]:
    """An object of names and texts."""
    checked(value, dict, where, "an object of names and texts")
    for name, word in value.items():
        if type(word) is not str:
            checked(word, str, f"{where}.{key(name)}", "a text")
    return dict(value)


def number(value: Any, where: str) -> int:
    """A position."""
    whole: int = checked(value, int, where, "a whole number")
    if not 0 <= whole < 2**31:
        raise WrongError(f"{where} = {short(whole)}", "a position from 0 to 2147483647")
    return whole


def spans(value: Any, where: str) -> tuple[Span, ...]:
    """A list of [start, end]."""
    checked(value, list, where, "a list of [start, end]")
    for i, span in enumerate(value):
        checked(span, list, f"{where}[{i}]", "[start, end]")
        if len(span) != 2:
            raise WrongError(f"{where}[{i}] with {len(span)} numbers", "[start, end]")
    return tuple((number(a, f"{where}[{i}]"), number(b, f"{where}[{i}]"))
                 for i, (a, b) in enumerate(value))  # fmt: skip


def id_of(value: Mapping[str, Any], where: str) -> str | None:
    """The id of an object, if it has any."""
    name: str | None = value.get("id")
    return name if name is None else checked(name, str, f"{where}.id", "a text")


def known(value: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    """No key but these."""
    unknown = sorted(set(value) - set(keys))
    if unknown:
        raise WrongError(f"{where}.{key(unknown[0])}", f"one of {', '.join(keys)}")


def fragments_of(value: Mapping[str, Any], where: str, length: int) -> tuple[Span, ...] | None:
    """The place that an object names: start and end, or fragments; None if it names none."""
    if "fragments" in value:
        if "start" in value or "end" in value:
            raise WrongError(f"{where} with fragments and start or end", "the one or the other")
        fragments = spans(value["fragments"], f"{where}.fragments")
    elif "start" in value and "end" in value:
        start, end = (number(value[side], f"{where}.{side}") for side in ("start", "end"))
        fragments = ((start, end),)
    else:
        return None
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


def confidence_of(value: Mapping[str, Any], where: str) -> float | None:
    """The confidence that an object names, if any."""
    found = value.get("confidence")
    if found is None:
        return None
    checked(found, (int, float), f"{where}.confidence", "a number")
    # math.isfinite would fail on an integer that no float can hold.
    if not -sys.float_info.max <= found <= sys.float_info.max:
        raise WrongError(f"{where}.confidence = {short(found)}", "a finite number")
    return float(found)

"""A document as a JSON object, carob's own: what `jsonl` holds a line of.

Whatever is wrong with an object is raised as a WrongError, which says where inside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carob.corpus._record_templates import template_of, template_record
from carob.corpus.document import Document, Group, Mention
from carob.corpus.json_checks import (
    WrongError,
    checked,
    confidence_of,
    fragments_of,
    id_of,
    key,
    known,
    number,
    spans,
    words,
)
from carob.corpus.problems import repeated, shown

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

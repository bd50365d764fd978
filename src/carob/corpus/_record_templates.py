"""Templates as JSON objects, carob's own: `{"label": ..., "slots": {SLOT: [FILLER, ...]}}`.

A filler is a text, or an object with a text, a place (start and end, or fragments), the id of a
mention, alternatives, optional, confidence; an object with slots is a template of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carob.corpus.json_checks import (
    WrongError,
    checked,
    confidence_of,
    fragments_of,
    id_of,
    key,
    known,
    short,
)
from carob.corpus.template import DEEPEST, Filler, Template

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

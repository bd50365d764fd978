"""Gold: every occurrence a mention and a filler, with what else would be right."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from carob.seminars._forms import of_clock
from carob.seminars._page import Mark, Page
from carob.seminars._truth import Record, Seminar

SLOTS = (
    "series", "topic", "speaker", "affiliation", "host", "date", "stime", "etime",
    "location.building", "location.room",
)  # fmt: skip
"""The slots; building and room are slots of a template that fills `location`."""

_THE = re.compile(r"\bthe\s\Z", re.I)
_TO = re.compile(r"\s?(?:-|to|until)\s?")
_HALF = re.compile(r"\s?[ap]\.?m\.?\Z", re.I)


def gold(record: Record, page: Page) -> dict[str, Any]:
    """The document with all its mentions, and a template for each seminar."""
    marks = [mark for mark in page.marks if mark.slot]
    ids = {mark: f"T{i + 1}" for i, mark in enumerate(marks)}
    mentions = [
        {"id": ids[mark], "start": mark.start, "end": mark.end, "label": mark.slot}
        for mark in marks
    ]
    templates = []
    for i, seminar in enumerate(record.seminars):
        fillers = [
            (mark.slot, _filler(page, mark, ids[mark], seminar))
            for mark in marks
            if mark.seminar == i
        ]
        if seminar.end is not None and seminar.implied:
            fillers.append(("etime", _implied(seminar.end)))
        templates.append(template(fillers))
    return {"id": record.id, "text": page.text, "mentions": mentions, "templates": templates}


def template(fillers: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A template of slots and their fillers, in the order of SLOTS; `location` is nested.

    >>> template([("location.room", "12"), ("topic", "Moss")])["slots"]
    {'topic': ['Moss'], 'location': [{'slots': {'room': ['12']}}]}
    """
    slots: dict[str, list[Any]] = {}
    nested: dict[str, list[Any]] = {}
    for slot, filler in sorted(fillers, key=lambda each: SLOTS.index(each[0])):
        name, _, inner = slot.partition(".")
        if inner:
            slots.setdefault(name, [{"slots": nested}])
            nested.setdefault(inner, []).append(filler)
        else:
            slots.setdefault(name, []).append(filler)
    return {"label": "seminar", "slots": slots}


def _filler(page: Page, mark: Mark, mention: str, seminar: Seminar) -> dict[str, Any]:
    text = page.text[mark.start : mark.end]
    filler: dict[str, Any] = {"text": text, "mention": mention}
    if other := [*_names(page, mark), *_shared_half(page, mark, seminar)]:
        filler["alternatives"] = other
    if mark.slot == "topic" and mark.form == "short":
        filler["optional"] = True  # a title that was cut short: nobody has to find it
    return filler


def _placed(page: Page, start: int, end: int) -> dict[str, Any]:
    return {"text": page.text[start:end], "start": start, "end": end}


def _names(page: Page, mark: Mark) -> list[dict[str, Any]]:
    """With or without its article, its degree: boundaries that reasonable people draw."""
    text = page.text[mark.start : mark.end]
    if mark.kind == "building" and (
        found := _THE.search(page.text, max(mark.start - 5, 0), mark.start)
    ):
        return [_placed(page, found.start(), mark.end)]
    if mark.kind == "person" and mark.form == "full" and "," in text:
        return [_placed(page, mark.start, mark.start + text.index(","))]
    return []


def _shared_half(page: Page, mark: Mark, seminar: Seminar) -> list[dict[str, Any]]:
    """The start in "3 to 4:30 pm" is "3", or, in two pieces, "3 pm"."""
    if mark.slot != "stime" or mark.form not in ("hour", "bare"):
        return []
    after = next((m for m in page.marks if m.start >= mark.end), None)
    if after is None or after.slot != "etime" or seminar.end is None:
        return []
    half = _HALF.search(page.text, after.start, after.end)
    same = (seminar.start < 720) == (seminar.end < 720)
    if half is None or not same or not _TO.fullmatch(page.text, mark.end, after.start):
        return []
    begin = half.start() + len(half[0]) - len(half[0].lstrip())
    text = f"{page.text[mark.start : mark.end]} {page.text[begin : after.end]}"
    return [{"text": text, "fragments": [[mark.start, mark.end], [begin, after.end]]}]


def _implied(end: int) -> dict[str, Any]:
    """An end that the text does not have: it can be worked out, but nobody has to."""
    first, *other = dict.fromkeys(of_clock(end).values())
    return {"text": first, "alternatives": other, "optional": True}

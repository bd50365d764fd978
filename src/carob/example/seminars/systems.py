"""Three imaginary systems that make different errors by chance."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from carob.example.seminars.announcements import DATA, Announcement, Mark, document

_KEYWORD = re.compile(r"\w+: ")
_WORD = re.compile(r"\S+")
_LOOKALIKES = {fact: other for other, fact in DATA["mistaken"].items()}


def careful(rng: Random, page: Announcement) -> dict[str, Any]:
    """A pattern matcher: it trusts keywords such as "Time:" and misses much of the prose."""
    answers = []
    for mark in page.marks:
        line = page.text[: mark.start].rpartition("\n")[2]
        keyword = mark.slot and _KEYWORD.match(line)
        if rng.random() < (0.95 if keyword else 0.2 if mark.slot else 0.03):
            confidence = rng.uniform(0.8, 0.99) if keyword else rng.uniform(0.4, 0.8)
            answers.append((_answer(rng, page, mark), {"confidence": round(confidence, 2)}))
    return document(page, answers)


def eager(rng: Random, page: Announcement) -> dict[str, Any]:
    """A tagger: it marks every occurrence and more, confuses slots, and is sure of everything."""
    answers = []
    for mark in page.marks:
        if rng.random() < (0.95 if mark.slot else 0.6):
            answer = _answer(rng, page, mark)
            if rng.random() < 0.1:
                answer = answer._replace(slot=DATA["confused"].get(answer.slot, answer.slot))
            answers.append((answer, {"confidence": 1.0}))
    return document(page, answers)


def _answer(rng: Random, page: Announcement, mark: Mark) -> Mark:
    """The mark with a slot, and sometimes with a word too few or a word too many."""
    fact = DATA["mistaken"].get(mark.fact, mark.fact)
    mark = mark._replace(slot=DATA["slots"][fact])
    if rng.random() < 0.93:
        return mark
    words = list(_WORD.finditer(page.text, mark.start, mark.end))
    if len(words) > 1:
        return mark._replace(start=words[1].start())
    after = _WORD.search(page.text, mark.end)
    return mark._replace(end=after.end()) if after else mark


def llm(rng: Random, page: Announcement) -> dict[str, Any]:
    """A language model that fills in a form: one tidy string per slot, no places, some invented.

    If there are two talks, it answers on the first.
    """
    stated = {mark.fact for mark in page.marks if mark.seminar == 0}

    def answer(fact: str, *forms: str) -> str | None:
        if fact not in stated and rng.random() < 0.9:
            return None
        if fact in _LOOKALIKES and rng.random() < 0.06:
            fact = _LOOKALIKES[fact]
        return _untidy(rng, page.facts[0][fact][rng.choice(forms)])

    person = rng.choice(("name", "name", "titled"))
    time = rng.choice(("ampm", "ampm", "day"))
    speakers = [answer("speaker", person), answer("second", person) if "second" in stated else None]
    return {
        "id": page.id,
        "speaker": [each for each in speakers if each],
        "topic": answer("topic", "full", "full", "full", "full", "loose"),
        "host": answer("host", person),
        "stime": answer("stime", time),
        "etime": answer("etime", time),
        "location": {
            "building": answer("building", "full"),
            "room": answer("room", "full", "number"),
        },
    }


def _untidy(rng: Random, text: str) -> str:
    """The same words, sometimes in other case or with other spaces."""
    others = (text.lower(), text.upper(), text.replace(" ", "  ") + " ")
    return rng.choice(others) if rng.random() < 0.12 else text

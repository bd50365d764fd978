"""A slow and obvious twin of the three ways to count answers, on plain JSON objects.

Written from the definitions alone; it shares no code with carob. A document is a dict as jsonl
has it (templates, and mentions they refer to) or a plain object with a slot a key; the result is
right answers, answers and gold answers, of a slot or of all.

What the definitions leave open: a gold filler that is optional counts only where it is found, and
one without a place is no occurrence.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Place = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Counted:
    """Of so many answers and so many in gold, so many are right."""

    right_system: int
    system: int
    right_gold: int
    gold: int

    def __add__(self, other: Counted) -> Counted:
        return Counted(
            self.right_system + other.right_system, self.system + other.system,
            self.right_gold + other.right_gold, self.gold + other.gold,
        )  # fmt: skip

    @property
    def precision(self) -> float:
        return self.right_system / self.system

    @property
    def recall(self) -> float:
        return self.right_gold / self.gold


NOTHING = Counted(0, 0, 0, 0)


@dataclass(frozen=True)
class Filler:
    """The strings and the places that are right, its own first."""

    texts: tuple[str, ...]
    places: tuple[Place, ...]
    optional: bool
    confidence: float | None


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def fillers(document: Json) -> dict[str, list[Filler]]:
    """The fillers of each slot; a slot of a nested template is called outer.inner."""
    mentions = {each["id"]: each for each in document.get("mentions", []) if "id" in each}
    found: dict[str, list[Filler]] = {}
    if "templates" in document:
        filled = [each["slots"] for each in document["templates"]]
    else:
        filled = [{key: value for key, value in document.items() if key != "id"}]
    for slots in filled:
        for slot, value in _flat(slots):
            found.setdefault(slot, []).append(_filler(value, mentions))
    return found


def _flat(slots: Json, before: str = "") -> Iterator[tuple[str, Any]]:
    for slot, given in slots.items():
        for value in given if isinstance(given, list) else [given]:
            if isinstance(value, dict) and "text" not in value and "mention" not in value:
                yield from _flat(value.get("slots", value), f"{before}{slot}.")
            elif value is not None:
                yield before + slot, value


def _filler(value: Any, mentions: dict[str, Json]) -> Filler:
    given = value if isinstance(value, dict) else {"text": value}
    ways = [{**mentions.get(given.get("mention", ""), {}), **given}]
    ways += [each if isinstance(each, dict) else {"text": each}
             for each in given.get("alternatives", [])]  # fmt: skip
    places = []
    for way in ways:
        if "fragments" in way:
            places.append(tuple((start, end) for start, end in way["fragments"]))
        elif "start" in way:
            places.append(((way["start"], way["end"]),))
    texts = tuple(folded(way["text"]) for way in ways)
    return Filler(texts, tuple(places), given.get("optional", False), given.get("confidence"))


def _most(allowed: Sequence[Sequence[int]]) -> list[int | None]:
    """For each on the left its partner on the right: as many pairs as there can be."""
    taken: dict[int, int] = {}

    def place(left: int, seen: set[int]) -> bool:
        for right in allowed[left]:
            if right not in seen:
                seen.add(right)
                if right not in taken or place(taken[right], seen):
                    taken[right] = left
                    return True
        return False

    for left in range(len(allowed)):
        place(left, set())
    partner = {left: right for right, left in taken.items()}
    return [partner.get(left) for left in range(len(allowed))]


def _paired(gold: Sequence[tuple[frozenset[Any], bool]], system: Sequence[Any]) -> Counted:
    # Those that must be found come first: who has a partner once may get another, but keeps one.
    order = sorted(gold, key=lambda each: each[1])
    partner = _most([[i for i, s in enumerate(system) if s in right] for right, _ in order])
    right = sum(each is not None for each in partner)
    needed = sum(not optional or each is not None
                 for (_, optional), each in zip(order, partner, strict=True))  # fmt: skip
    return Counted(right, len(system), right, needed)


def oas(gold: list[Filler], system: list[Filler]) -> Counted:
    """One answer per slot: the best one is right if any gold filler is like it."""
    right = False
    if system:
        sure = [-1e9 if each.confidence is None else each.confidence for each in system]
        best = system[sure.index(max(sure))]
        right = any(best.texts[0] in each.texts for each in gold)
    counts = right or any(not each.optional for each in gold)
    return Counted(int(right), int(bool(system)), int(right), int(counts))


def oaod(gold: list[Filler], system: list[Filler]) -> Counted:
    """One answer per occurrence in the document: places, one to one."""
    there = [(frozenset(each.places), each.optional) for each in gold if each.places]
    return _paired(there, [each.places[0] for each in system if each.places])


def oads(gold: list[Filler], system: list[Filler]) -> Counted:
    """One answer per different string: strings, each once, one to one."""
    right: dict[str, set[str]] = {}
    needed: dict[str, bool] = {}
    for each in gold:
        right.setdefault(each.texts[0], set()).update(each.texts)
        needed[each.texts[0]] = needed.get(each.texts[0], False) or not each.optional
    there = [(frozenset(texts), not needed[name]) for name, texts in right.items()]
    return _paired(there, sorted({each.texts[0] for each in system}))


WAYS = {"oas": oas, "oaod": oaod, "oads": oads}


def counted(way: str, gold: list[Json], system: list[Json]) -> dict[str, Counted]:
    """The counts of each slot over all documents; documents pair by id."""
    answers = {document["id"]: fillers(document) for document in system}
    total: dict[str, Counted] = {}
    for document in gold:
        wanted, given = fillers(document), answers.get(document["id"], {})
        for slot in wanted.keys() | given.keys():
            here = WAYS[way](wanted.get(slot, []), given.get(slot, []))
            total[slot] = total.get(slot, NOTHING) + here
    return total


def together(counts: dict[str, Counted]) -> Counted:
    return sum(counts.values(), NOTHING)

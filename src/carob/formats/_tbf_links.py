"""The links of event nuggets: coreference becomes clusters, the others relations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carob.arrays.types import IntArray
from carob.corpus.problems import shown
from carob.corpus.tables import UNKNOWN, Codes, Groups, int32
from carob.formats._pieces import Problems

COREFERENCE = "Coreference"


@dataclass(slots=True)
class Opened:
    """A document and the lines between its beginning and its end."""

    id: str
    at: int
    end: int = -1
    links: list[tuple[int, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


def linked(
    documents: list[Opened],
    bounds: list[int],
    ids: list[str],
    kept: IntArray,
    line: int,
    problems: Problems,
) -> tuple[Groups, Groups]:
    """Clusters and relations of a block. Members are rows among those `kept`; a link to a mention
    that was not kept says nothing, since something was said of the mention.
    """
    moved = np.full(len(ids), UNKNOWN, np.int64)
    moved[kept] = np.arange(len(kept))
    place = moved.tolist()
    found: tuple[list[Any], list[Any]] = ([], [])
    for number, document in enumerate(documents):
        if not document.links:
            continue
        low, high = bounds[number], bounds[number + 1]
        rows = dict(zip(ids[low:high], range(low, high), strict=True))
        for at, text in document.links:
            parts = text[1:].strip().split("\t")
            parts[0] = parts[0].strip()
            if len(parts) != 3 or not parts[0]:
                expected = "@Relation, id and mention ids, apart by tabs"
                problems.add("K511", at + line, shown(text), expected)
                continue
            members = [name.strip() for name in parts[2].split(",")]
            told = _members(parts[0], members, rows)
            if told is not None:
                problems.add("K512", at + line, f"{told[0]} in {shown(text)}", told[1])
                continue
            targets = [place[rows[name]] for name in members]
            if UNKNOWN not in targets:
                found[parts[0] != COREFERENCE].append((number, parts[0], parts[1], targets))
    return _table(found[0], cluster=True), _table(found[1], cluster=False)


def _members(name: str, members: list[str], rows: dict[str, int]) -> tuple[str, str] | None:
    """What is wrong with the members of a relation, and what was expected."""
    missing = [member for member in members if member not in rows]
    if missing:
        return f"the mention id {shown(missing[0])}", "ids of mentions of this document"
    if len(set(members)) < len(members):
        return "a mention more than once", "each mention once"
    if name != COREFERENCE and len(members) != 2:
        return f"{len(members)} mention{'s' * (len(members) > 1)}", "two mentions, from and to"
    return None


def _table(rows: list[Any], *, cluster: bool) -> Groups:
    if not rows:
        return Groups.none()
    members = [member for *_, each in rows for member in each]
    roles = [None] * len(members) if cluster else ["from", "to"] * len(rows)
    return Groups(
        int32([row[0] for row in rows]),
        Codes.of([None if cluster else row[1] for row in rows]),
        np.cumsum([0] + [len(row[3]) for row in rows]),
        Codes.of(roles),
        int32(members),
        tuple(row[2] for row in rows),
    )

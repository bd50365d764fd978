"""Generated corpora: texts with fillers whose truth is known, as many as needed.

No classic corpus may be shipped. These have what makes one hard: varied phrases and layouts, names
that were never seen before, names, times and places that are no fillers, announcements that are
posted again, and if asked for errors of annotators and a drift in time. Words and phrases are in a
TOML file for each kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from carob.corpus.problems import UsageError, nearest
from carob.example.generator.noise import with_noise
from carob.example.generator.pages import Kind, joined, page, repost

__all__ = ["KINDS", "Knobs", "documents"]

KINDS = ("calls", "seminars")
MOST = 1_000_000
"""The largest number of a document."""


@dataclass(frozen=True, slots=True)
class Knobs:
    """How a corpus is generated; shares are from 0 to 1.

    families: how many layouts of the file are used, None for all. reposts: share of documents that
    are an earlier one, posted again with small changes. noise: share of mentions that annotators
    miss, confuse or mark without reason. boundary_noise: share of mentions with a word too many or
    too few. drift: how much layouts and phrases depend on the date.

    >>> Knobs(reposts=0.1).noise
    0.0
    """

    families: int | None = None
    reposts: float = 0.07
    noise: float = 0.0
    boundary_noise: float = 0.0
    drift: float = 0.0

    def __post_init__(self) -> None:
        for name in ("reposts", "noise", "boundary_noise", "drift"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {value:g}")


def documents(
    kind: str, count: int, seed: int = 0, knobs: Knobs | None = None, *, start: int = 0,
    labelled: bool = True,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Documents as in carob's jsonl, from number `start` + 1 on.

    Every document is a function of kind, seed, number and knobs: a longer corpus begins with the
    shorter one. Texts do not depend on noise.

    >>> [each["id"] for each in documents("seminars", 2)]
    ['seminar-00001', 'seminar-00002']
    """
    if kind not in KINDS:
        raise UsageError(f"no kind of corpus is called {kind!r}{nearest(kind, KINDS)}")
    if count < 1 or start < 0 or start + count > MOST:
        raise UsageError(f"cannot generate {count} documents; expected 1 to {MOST:,}")
    knobs = knobs or Knobs()
    data = Kind.load(kind)
    if knobs.families is not None and not 1 <= knobs.families <= len(data.families):
        raise UsageError(f"families is 1 to {len(data.families)} for {kind}, not {knobs.families}")
    return (_document(data, number, seed, knobs, labelled=labelled)
            for number in range(start + 1, start + count + 1))  # fmt: skip


def _document(
    data: Kind, number: int, seed: int, knobs: Knobs, *, labelled: bool
) -> dict[str, Any]:
    original = _original(data, number, seed, knobs)
    made = page(data, _rng(data, original, seed, "text"), knobs.families, knobs.drift)
    date, lines = made.date, made.lines
    if original != number:
        date, lines = repost(data, _rng(data, number, seed, "repost"), made)
    text, marks = joined(lines)
    mentions = with_noise(
        _rng(data, number, seed, "noise"), text, marks, data.confused, knobs.noise,
        knobs.boundary_noise,
    )  # fmt: skip
    spans = [{"start": start, "end": end, "label": label} for start, end, label in mentions]
    attributes = {"group": data.name(original), "family": made.family, "date": date.isoformat()}
    return {
        "id": data.name(number), "text": text, "attributes": attributes,
        "mentions": spans if labelled else [],
    }  # fmt: skip


def _rng(data: Kind, number: int, seed: int, what: str) -> Random:
    return Random(f"{data.id} {number} of seed {seed}: {what}")


def _original(data: Kind, number: int, seed: int, knobs: Knobs) -> int:
    """The number of the document that this one is, or that it repeats."""
    while number > 1:
        rng = _rng(data, number, seed, "original")
        if rng.random() >= knobs.reposts:
            break
        number = rng.randrange(1, number)
    return number

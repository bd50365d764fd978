"""Errors that annotators make: what they miss, confuse, mark without reason, or cut wrongly."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

from carob.example.generator.pages import Mark

Span = tuple[int, int, str]

_WORD = re.compile(r"\S+")


def with_noise(
    rng: Random, text: str, marks: Sequence[Mark], confused: Mapping[str, str], noise: float,
    boundary_noise: float,
) -> list[Span]:  # fmt: skip
    """The mentions of gold. The same draws are made for any noise: more noise adds errors to those
    that less noise has.

    >>> with_noise(Random(0), "at 3 pm", [Mark(3, 7, "stime", True)], {}, 0, 0)
    [(3, 7, 'stime')]
    """
    spans: list[Span] = []
    for mark in marks:
        error, kind, cut, side = (rng.random() for _ in range(4))
        label = mark.name
        if mark.is_filler:
            if error < noise:
                if kind < 0.5 or label not in confused:
                    continue
                label = confused[label]
        elif error >= noise / 2 or label not in confused:
            continue
        else:
            label = confused[label]
        start, end = mark.start, mark.end
        if cut < boundary_noise:
            start, end = _shifted(text, start, end, side)
        spans.append((start, end, label))
    return _apart(spans)


def _shifted(text: str, start: int, end: int, side: float) -> tuple[int, int]:
    """One word less at either end, or one more; one more if there is only one."""
    words = list(_WORD.finditer(text, start, end))
    choice = int(4 * side)
    if choice == 0 and len(words) > 1:
        return words[1].start(), end
    if choice == 1 and len(words) > 1:
        return start, words[-2].end()
    if choice in (0, 2):
        before = list(_WORD.finditer(text, max(0, start - 40), start))
        return (before[-1].start() if before else start), end
    after = _WORD.search(text, end)
    return start, after.end() if after else end


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Without mentions that reach into the one before: an annotator marks no word twice."""
    kept: list[Span] = []
    for start, end, label in sorted(spans):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, label))
    return kept

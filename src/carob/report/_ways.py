"""The ways to count the answers of slots, which are shown together, and why they differ."""

from __future__ import annotations

from collections.abc import Sequence

from carob.result.scores import Score, whole

COUNTED = {
    "oas": "fills {} slot",
    "oaod": "at {} place",
    "oads": "with {} different string",
}
"""What gold has, as each of them counts it."""

_NUMBERS = {2: "two", 3: "three"}


def way(title: str) -> str:
    """The event space of a block, without its parameters and average.

    >>> way("oads(match=overlap)@macro")
    'oads'
    """
    return title.partition("@")[0].partition("(")[0]


def grouped(titles: Sequence[str]) -> list[list[str]]:
    """Titles of blocks: those that differ in nothing but the way to count stand together.

    >>> grouped(["oas@micro", "templates@micro", "oads@micro", "oads@macro"])
    [['oas@micro', 'oads@micro'], ['templates@micro'], ['oads@macro']]
    """
    found: dict[str, list[str]] = {}
    for title in titles:
        name = way(title)
        key = title[len(name) :] if name in COUNTED else f"{name} {title}"
        found.setdefault(key, []).append(title)
    return list(found.values())


def why(scores: Sequence[Score]) -> tuple[str, ...]:
    """A line that says what each way to count has found in gold.

    What is optional counts only where it is found, so gold may have more for one system than for
    another.
    """
    support: dict[str, list[float]] = {}
    for score in scores:
        support.setdefault(way(score.block), []).append(score.overall.support)
    names = [name for name in COUNTED if name in support]
    if len(names) < 2:
        return ()
    told = []
    for name in names:
        least, most = (f"{whole(end(support[name])):,}" for end in (min, max))
        said = COUNTED[name].format(least if least == most else f"{least} to {most}")
        told.append(said if most == "1" else f"{said}s")
    if "oas" not in names:
        told[0] = f"has fillers {told[0]}"
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"{listed} count the same answers in {_NUMBERS[len(names)]} ways: gold {', '.join(told)}",
    )

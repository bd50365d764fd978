"""From tags to dicts with `label`, `start` and `end`, which is the last token."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any


def split_list(token: Sequence[str], split_chars: Sequence[str] | None = None) -> list[list[str]]:
    """The parts of a list between certain items, by default empty texts.

    >>> split_list(["a", "b", "", "c"])
    [['a', 'b'], ['c']]
    """
    borders = [""] if split_chars is None else split_chars
    cuts = [i for i, each in enumerate(token) if each in borders]
    parts = [list(token[a + 1 : b]) for a, b in pairwise([-1, *cuts])]
    rest = list(token[(cuts[-1] if cuts else -1) + 1 :])
    return [*parts, rest] if rest else parts


def conll_to_spans(doc: str) -> list[list[dict[str, Any]]]:
    """The mentions of a text with a token, a tab and a tag on each line.

    >>> conll_to_spans("Ann\\tB-PER\\n\\nslept\\tO")
    [[{'label': 'PER', 'start': 0, 'end': 0}], []]
    """
    parts = split_list(doc.split("\n"))
    return list_to_spans([[line.split("\t")[1] for line in part] for part in parts])


def list_to_spans(doc: Sequence[Sequence[str]]) -> list[list[dict[str, Any]]]:
    """The mentions of lists of tags.

    >>> list_to_spans([["B-PER", "I-PER"], ["O"]])
    [[{'label': 'PER', 'start': 0, 'end': 1}], []]
    """
    return [collect_named_entities(tags) for tags in doc]


def collect_named_entities(tokens: Sequence[str]) -> list[dict[str, Any]]:
    """The mentions of one list of tags, which begin at B and where the label changes.

    >>> collect_named_entities(["B-PER", "B-PER", "O"])
    [{'label': 'PER', 'start': 0, 'end': 0}, {'label': 'PER', 'start': 1, 'end': 1}]
    """
    mentions: list[dict[str, Any]] = []
    before = "O"
    for place, tag in enumerate(tokens):
        if tag != "O":
            if before == "O" or tag[:1] == "B" or tag[2:] != before[2:]:
                mentions.append({"label": tag[2:], "start": place, "end": place})
            mentions[-1]["end"] = place
        before = tag
    return mentions

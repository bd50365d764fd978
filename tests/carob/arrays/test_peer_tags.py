"""How conlleval reads tags, beside a twin that goes from token to token as its program does."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from carob.arrays.peer_tags import TagCounts, TagReader, conlleval_counts, read_tags
from tests.worlds import times

TAGS = ["O", "O", "B-X", "I-X", "E-X", "S-X", "I-Y", "B-Y", "B", "I", ".", ".-X", "[-X", "]", "PER",
        "U-X", "O-X", "B-X-Y", "B-0"]  # fmt: skip


def parts(tag: str, version: str) -> tuple[str, str]:
    prefix, dash, label = tag.partition("-")
    return prefix, "" if not dash or (version == "perl" and label == "0") else label


def starts(version: str, before: tuple[str, str], own: tuple[str, str]) -> bool:
    pair = before[0], own[0]
    if version == "perl":
        listed = pair in {("B", "B"), ("I", "B"), ("O", "B"), ("O", "I"), ("E", "E"), ("E", "I"),
                          ("O", "E")}  # fmt: skip
    else:
        listed = own[0] in ("B", "S") or (before[0] in ("E", "S", "O") and own[0] in ("E", "I"))
    return listed or own[0] in ("[", "]") or (own[0] not in ("O", ".") and before[1] != own[1])


def ends(version: str, before: tuple[str, str], own: tuple[str, str]) -> bool:
    pair = before[0], own[0]
    if version == "perl":
        listed = pair in {("B", "B"), ("B", "O"), ("I", "B"), ("I", "O"), ("E", "E"), ("E", "I"),
                          ("E", "O")}  # fmt: skip
    else:
        listed = before[0] in ("E", "S") or (before[0] in ("B", "I") and own[0] in ("B", "S", "O"))
    return listed or before[0] in ("[", "]") or (
        before[0] not in ("O", ".") and before[1] != own[1]
    )  # fmt: skip


def twin(gold: Any, system: Any, version: str) -> tuple[Any, ...]:
    """The counts, token by token, with a sentence break after each sentence."""
    found: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
    last = (("O", ""), ("O", ""))
    tokens = right = 0
    inside = False
    for one, other in zip(gold, system, strict=True):
        for both in [*zip(one, other, strict=True), None]:
            now = (("O", ""), ("O", ""))
            if both is not None:
                now = parts(both[0], version), parts(both[1], version)
                tokens += 1
                right += now[0] == now[1]
            closed = [ends(version, *pair) for pair in zip(last, now, strict=True)]
            opened = [starts(version, *pair) for pair in zip(last, now, strict=True)]
            if inside:
                if all(closed) and last[0][1] == last[1][1]:
                    inside = False
                    found[1][last[0][1]] += 1
                elif closed[0] != closed[1] or now[0][1] != now[1][1]:
                    inside = False
            if all(opened) and now[0][1] == now[1][1]:
                inside = True
            for side, counter in ((0, found[2]), (1, found[0])):
                if opened[side]:
                    counter[now[side][1]] += 1
            last = now
    if inside:
        found[1][last[0][1]] += 1
    return found, tokens, right


def flat(counts: TagCounts) -> tuple[Any, ...]:
    columns = []
    for column in (counts.mentions.system, counts.mentions.right, counts.mentions.gold):
        rows = zip(counts.mentions.labels, column.tolist(), strict=True)
        columns.append(Counter({label: number for label, number in rows if number}))
    return tuple(columns), counts.tokens, counts.right_tokens


@pytest.mark.parametrize("version", ["perl", "python"])
def test_counts_are_those_of_a_walk_from_token_to_token(version: str) -> None:
    rng = random.Random(19)
    for _ in range(times(15)):
        known = rng.choice((8, len(TAGS)))
        gold = [[rng.choice(TAGS[:known]) for _ in range(rng.randint(0, 6))]
                for _ in range(rng.randint(1, 3))]  # fmt: skip
        system = [[t if rng.random() < 0.5 else rng.choice(TAGS[:known]) for t in s] for s in gold]
        found = flat(conlleval_counts(gold, system, version=version))
        assert twin(gold, system, version) == found, (gold, system)


def test_raw_tags_are_labels_of_one_token_each() -> None:
    counts = conlleval_counts([["PER", "PER", "O"]], [["PER", "LOC", "O"]], raw=True)
    assert ["LOC", "PER"] == counts.mentions.labels
    assert [0, 2] == counts.mentions.gold.tolist() and [1, 1] == counts.mentions.system.tolist()


def test_more_tags_than_a_byte_can_number() -> None:
    tags = [f"B-{number}" for number in range(1000)]
    column = read_tags([tags, tags[::-1]])
    assert [*range(1, 1001), 0, *range(1000, 0, -1), 0] == column.codes.tolist()
    assert ["O", *tags] == column.tags
    reader = TagReader()
    small, large = reader.codes([["O", "B-A"]]), reader.codes([tags])
    assert np.uint8 == small.dtype and np.int32 == large.dtype
    assert [0, 1, 0] == small.tolist() and 2 == int(large[0])

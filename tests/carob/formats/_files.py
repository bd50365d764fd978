"""What the tests of formats share: reading bytes as a file, and a slow conll reader."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from carob import Corpus, InputError, read, registry
from carob.corpus.source import Source


def of_bytes(data: bytes, format: str = "conll", **parameters: Any) -> Corpus:
    return read(Source.of_bytes(data, "file"), format, **parameters)


def speaks(error: InputError) -> None:
    """An error has problems, and shows what a file holds in a way that is safe to print."""
    assert 0 < len(error.problems) <= error.total
    assert str(error).isprintable()


def written(corpus: Corpus, format: str, **parameters: Any) -> bytes:
    out = io.BytesIO()
    registry.load("formats", format)(**parameters).write(corpus, out)
    return out.getvalue()


@dataclass
class Slow:
    """A document as the slow reader sees it: tokens, tags, sentence starts, first line."""

    tokens: list[bytes]
    tags: list[str]
    sentences: list[int]
    line: int

    def of_sentence(self) -> list[tuple[int, list[str]]]:
        bounds = [*self.sentences, len(self.tags)]
        return [(a, self.tags[a:b]) for a, b in pairwise(bounds)]


def slow_conll(data: bytes, tag: int = -1, token: int = 0, documents: str = "auto") -> list[Slow]:
    """The definition, a line at a time; only for files without problems."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    rows = [[f for f in re.split(rb"[ \t]+", re.sub(rb"\r\Z", b"", line)) if f] for line in lines]
    marked = any(row and row[0] == b"-DOCSTART-" for row in rows)
    found: list[Slow] = []
    if documents == "file":
        found.append(Slow([], [], [], 1))
    blank = True
    for number, row in enumerate(rows, 1):
        if not row:
            blank = True
        elif row[0] == b"-DOCSTART-":
            blank = True
            if documents != "file":
                found.append(Slow([], [], [], number))
        else:
            if blank and documents != "file" and not marked:
                found.append(Slow([], [], [], number))
            if blank:
                found[-1].sentences.append(len(found[-1].tokens))
            found[-1].tokens.append(row[token])
            found[-1].tags.append(row[tag].decode())
            blank = False
    return found


def slow_mentions(tags: Sequence[str], scheme: str, repair: str) -> list[tuple[int, int, str]]:
    """The CoNLL rule, a sentence at a time; `discard` drops what the scheme does not allow."""
    found = []
    start = None
    for place in range(len(tags) + 1):
        before = tags[place - 1] if place else "O"
        tag = tags[place] if place < len(tags) else "O"
        same = before != "O" and tag != "O" and before[2:] == tag[2:]
        cut = not same or tag[0] in "BSUW" or before[0] in "ESULW"
        if start is not None and cut:
            if repair != "discard" or legal(tags, start, place, scheme):
                found.append((start, place, before[2:]))
            start = None
        if tag != "O" and cut:
            start = place
    return found


def legal(tags: Sequence[str], start: int, end: int, scheme: str) -> bool:
    label = tags[start][2:]
    before = start > 0 and tags[start - 1][1:] == f"-{label}"
    behind = end < len(tags) and tags[end][1:] == f"-{label}"
    first, last = tags[start][0], tags[end - 1][0]
    return {
        "io": True,
        "iob1": first == ("B" if before else "I"),
        "iob2": first == "B",
        "ioe1": last == ("E" if behind else "I"),
        "ioe2": last == "E",
    }.get(scheme, first in "BSUW" and last in "ELSUW")


def random_file(
    rng: random.Random, letters: str, *, marked: bool | None = None, most: int = 12
) -> bytes:
    """A conll file without problems but with all the white space there can be."""
    marked = rng.random() < 0.5 if marked is None else marked
    newline = rng.choice(("\n", "\n", "\r\n"))
    odd = rng.random() < 0.5
    words = ("Ann", "é", "東京", "\xa0", "O", "B-X", "-DOCSTART-x", "#", "longer-than-8-bytes")

    def blank(*usual: str) -> str:
        return rng.choice((*usual, " ", "\t", "  ", " \t ")) if odd else usual[0]

    lines = ["-DOCSTART- -X- O"[: rng.choice((16, 10))]] if marked else []
    for _ in range(rng.randint(1, most)):
        kind = rng.random()
        if kind < 0.3:
            lines.append(blank("") if odd else "")
        elif kind < 0.4 and marked:
            lines.append("-DOCSTART- O")
        else:
            tag = "O"
            if rng.random() < 0.7:
                tag = f"{rng.choice(letters)}-{rng.choice(('X', 'Y', 'long-label'))}"
            line = rng.choice(words) + blank(" ") + tag
            if odd and rng.random() < 0.3:
                line = blank("") + line + blank("")
            lines.append(line)
    if all(line.split()[:1] in ([], ["-DOCSTART-"]) for line in lines):
        lines.append("x O")
    text = newline.join(lines) + rng.choice(("", newline, newline * 2))
    return rng.choice((b"", b"", b"\xef\xbb\xbf")) + text.encode()

"""Read a column of tags in bulk: from chunks of lines to blocks of whole documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from karat.arrays.hashing import hash_sequences, hash_stretches
from karat.arrays.join import rest
from karat.arrays.tags import KINDS, Tagset, decode, illegal, interpret
from karat.formats._lines import Chunk, chunks
from karat.nouns._types import HashArray, IntArray
from karat.nouns.corpus import Corpus
from karat.nouns.errors import SHOWN, InputError, Problem, shown
from karat.nouns.source import Source
from karat.nouns.tables import Documents, Mentions, int32

REPAIRS = ("conlleval", "discard", "strict")
BLOCK = 1 << 20
"""About how many tokens a block has, if its documents allow it."""

_DOCSTART = b"\n-DOCSTART-"
_LETTER_O = ord("O")


class _Pending:
    """Columns that grow chunk by chunk and are cut into blocks of whole documents."""

    def __init__(self) -> None:
        self.columns: dict[str, list[IntArray]] = {}

    def add(self, **columns: IntArray) -> None:
        for name, column in columns.items():
            self.columns.setdefault(name, []).append(column)

    def __getitem__(self, name: str) -> IntArray:
        parts = self.columns.get(name, [])
        joined = np.concatenate(parts) if parts else np.empty(0, np.int64)
        self.columns[name] = [joined]
        return joined


class TagReader:
    """One pass over one file."""

    def __init__(self, source: Source, tag: int, token: int, documents: str) -> None:
        self.source, self.tag, self.token = source, tag, token
        self.mode = "file" if documents == "file" else ""
        self.lines = self.tokens = 0
        self.width = self.width_line = 0
        self.sentence_open = False
        self.pending = _Pending()
        self.hashes: list[HashArray] = []
        self.doc_first = 0
        self.facts: Counter[Any] = Counter()
        self.problems: list[Problem] = []
        self.wrong = 0
        self.tags: list[str] = []
        self.tag_line: list[int] = []
        self.keys: HashArray = np.empty(0, np.uint64)
        self.codes: IntArray = np.empty(0, np.int64)

    def blocks(self, scheme: str, repair: str) -> Iterator[Corpus]:
        """Whole documents, about a million tokens at a time; every problem is raised at the end."""
        emitted = 0
        for chunk in chunks(self.source):
            self._take(chunk)
            if self.tokens - emitted >= BLOCK:
                block = self._emit(scheme, repair, final=False)
                if block is not None:
                    emitted = self.tokens
                    yield block
        if self.mode == "" or (self.mode == "file" and not self.tokens):
            raise self.source.failure("K002", "an empty file", "at least one document")
        yield self._emit(scheme, repair, final=True) or Corpus.of()
        self._bad_tags(scheme)
        if self.problems:
            ordered = sorted(self.problems, key=lambda p: (p.line or 0, p.code))
            raise InputError(ordered[:SHOWN], self.wrong)

    def _problem(self, code: str, line: int, found: str, expected: str, hint: str = "") -> None:
        self.wrong += 1
        if len(self.problems) < SHOWN:
            self.problems.append(Problem(code, self.source.name, line, found, expected, hint))

    def _take(self, chunk: Chunk) -> None:
        filled = np.flatnonzero(chunk.fields)
        marks = _docstarts(chunk)
        if marks.size:
            chunk.fields[marks] = 0
            filled = np.flatnonzero(chunk.fields)
        if not self.mode and (filled.size or marks.size):
            opened = marks.size and (not filled.size or marks[0] < filled[0])
            self.mode = "marked" if opened else "blank"
        if self.mode == "blank" and marks.size:
            self._problem(
                "K106", self.lines + int(marks[0]) + 1, "-DOCSTART- after the first tokens",
                "-DOCSTART- on the first line, or nowhere",
                "begin the file with a -DOCSTART- line",
            )  # fmt: skip
        widths = chunk.fields.take(filled)
        odd = self._odd(chunk, filled, widths)
        starts = self._boundaries(chunk, filled, marks)
        self._hash(chunk, filled, widths, starts)
        self._tags(chunk, filled, widths, odd)
        self.lines += len(chunk)
        self.tokens += len(filled)

    def _boundaries(self, chunk: Chunk, filled: IntArray, marks: IntArray) -> IntArray:
        """Where sentences and documents begin; returns the token at which each document does."""
        fresh = np.ones(len(filled), bool)
        fresh[1:] = np.diff(filled) > 1
        if len(filled):
            fresh[0] = not (self.sentence_open and filled[0] == 0)
        if len(chunk):
            self.sentence_open = bool(len(filled)) and filled[-1] == len(chunk) - 1
        sentences = np.flatnonzero(fresh)
        if self.mode == "marked":
            at, lines = np.searchsorted(filled, marks), marks
        elif self.mode == "file":
            none = self.lines or self.tokens or not len(chunk)
            at = lines = np.empty(0, np.int64) if none else np.zeros(1, np.int64)
        else:
            at, lines = sentences, filled[sentences]
        self.pending.add(
            sentence=sentences + self.tokens,
            doc=at + self.tokens,
            doc_line=lines + self.lines + 1,
            doc_offset=chunk.offset[lines],
        )
        return at

    def _hash(self, chunk: Chunk, filled: IntArray, widths: IntArray, at: IntArray) -> None:
        """The hash of each document's tokens; a file of tags alone has none."""
        bounds = np.concatenate([[0], at, [len(filled)]])
        firsts = np.concatenate([[self.doc_first - self.tokens], at])
        if self.width == 1 or self.problems:
            sums = np.zeros(len(at) + 1, np.uint64)
        else:
            start, end = chunk.column(self.token, filled, widths)
            values = hash_stretches(chunk.buffer, start, end)
            place = np.arange(len(filled)) - np.repeat(firsts, np.diff(bounds))
            sums = hash_sequences(values, place, bounds)
        if self.hashes:
            self.hashes[-1][-1:] += sums[:1]
        if len(at):
            self.hashes.append(sums[1:])
            self.doc_first = int(at[-1]) + self.tokens

    def _odd(self, chunk: Chunk, filled: IntArray, widths: IntArray) -> IntArray:
        """The token lines that have not as many columns as the first one: each is a problem."""
        if not self.width and len(filled):
            self.width, self.width_line = int(widths[0]), self.lines + int(filled[0]) + 1
            for number in {self.tag, self.token} if self.width > 1 else {self.tag}:
                if not -self.width <= number < self.width:
                    raise InputError([Problem(
                        "K103", self.source.name, self.width_line, _columns_in(self.width),
                        f"a column {number}", "choose with --columns; 0 is the first, -1 the last",
                    )])  # fmt: skip
        odd = np.flatnonzero(widths != self.width)
        self.wrong += max(0, len(odd) - SHOWN)
        for row in odd[:SHOWN].tolist():
            line = int(filled[row])
            self._problem(
                "K101", self.lines + line + 1,
                f"{_columns_in(int(widths[row]))} in {shown(chunk.text(line))}",
                f"{self.width}, as in line {self.width_line}",
            )  # fmt: skip
        return odd

    def _tags(self, chunk: Chunk, filled: IntArray, widths: IntArray, odd: IntArray) -> None:
        """Tokens whose tag is not O: their place, line and the code of their tag."""
        good = rest(len(filled), odd) if len(odd) else None
        if good is None:
            start, end = chunk.column(self.tag, filled, widths)
        else:
            start, end = chunk.column(self.tag, filled[good], widths[good])
        tagged = np.flatnonzero((end - start != 1) | (chunk.buffer.take(start) != _LETTER_O))
        start, end = start[tagged], end[tagged]
        rows = tagged if good is None else good[tagged]
        keys = hash_stretches(chunk.buffer, start, end)
        place = np.minimum(np.searchsorted(self.keys, keys), max(0, len(self.keys) - 1))
        new = self.keys[place] != keys if len(self.keys) else np.ones(len(keys), bool)
        if new.any():
            self._learn(chunk, keys, start, end, np.flatnonzero(new), filled[rows])
            place = np.searchsorted(self.keys, keys)
        self.pending.add(
            token=rows + self.tokens, line=filled[rows] + self.lines + 1, code=self.codes[place]
        )

    def _learn(
        self, chunk: Chunk, keys: HashArray, start: IntArray, end: IntArray, new: IntArray,
        lines: IntArray,
    ) -> None:  # fmt: skip
        found, first = np.unique(keys[new], return_index=True)
        for row in new[np.sort(first)].tolist():
            raw = chunk.buffer[int(start[row]) : int(end[row])].tobytes()
            line = self.lines + int(lines[row]) + 1
            try:
                tag = raw.decode("utf-8")
            except UnicodeDecodeError:
                tag = raw.decode("utf-8", "backslashreplace")
                self._problem("K102", line, f"the tag {shown(tag)}", "a tag in UTF-8")
            self.tags.append(tag)
            self.tag_line.append(line)
        order = np.argsort(new[first], kind="stable")
        numbers = np.empty(len(found), np.int64)
        numbers[order] = np.arange(len(self.tags) - len(found), len(self.tags))
        keys = np.concatenate([self.keys, found])
        order = np.argsort(keys)
        self.keys, self.codes = keys[order], np.concatenate([self.codes, numbers])[order]

    def _tagset(self, scheme: str) -> Tagset:
        return interpret(self.tags, scheme)

    def _bad_tags(self, scheme: str) -> None:
        tagset = self._tagset(scheme)
        for code, expected in tagset.bad.items():
            self._problem("K104", self.tag_line[code], shown(self.tags[code]), expected)
        if self.width == 1 and self.tags and not tagset.letters and not tagset.bad:
            self._problem(
                "K107", self.tag_line[0], f"one column with {shown(self.tags[0])}",
                "a token and a tag, or a tag like B-PER alone",
            )  # fmt: skip

    def _emit(self, scheme: str, repair: str, *, final: bool) -> Corpus | None:
        """The documents that are complete, as a block; the last one stays unless it is the end."""
        docs, pending = self.pending["doc"], self.pending
        cut = len(docs) if final else len(docs) - 1
        if cut <= 0:
            return None
        stop = self.tokens if final else int(docs[cut])
        first = np.append(docs[:cut], stop)
        low = int(first[0])
        sentence, token = pending["sentence"], pending["token"]
        sentences = int(np.searchsorted(sentence, stop))
        tagged = int(np.searchsorted(token, stop))
        line, code = pending["line"][:tagged], pending["code"][:tagged]
        tagset = self._tagset(scheme)
        prefix = tagset.prefix[code]
        good = tagset.label[code] >= 0
        if not good.all():
            token_here, line, code, prefix = (
                token[:tagged][good],
                line[good],
                code[good],
                prefix[good],
            )
        else:
            token_here = token[:tagged]
        runs = decode(line, prefix, tagset.label[code])
        start, end = token_here[runs.first], token_here[runs.last] + 1
        label = tagset.label[code[runs.first]]
        if repair != "conlleval" and scheme != "none":
            bad = illegal(scheme)[runs.kind]
            if repair == "strict":
                self._strict(scheme, np.flatnonzero(bad), runs.first, line, code)
            start, end, label = start[~bad], end[~bad], label[~bad]
        doc = np.searchsorted(first, start, side="right") - 1
        inside = np.searchsorted(first, sentence[:sentences], side="right") - 1
        lengths = np.diff(first)
        hashes = np.concatenate(self.hashes) if self.hashes else np.empty(0, np.uint64)
        facts: Counter[Any] = Counter()
        for kind in np.flatnonzero(counts := np.bincount(runs.kind, minlength=KINDS)).tolist():
            facts["kind", kind] = int(counts[kind])
        for letter in tagset.letters:
            facts["letter", letter] = 1
        self.facts.update(facts)
        block = Corpus(
            "token",
            Documents(
                int32(lengths),
                hashes[:cut],
                np.searchsorted(inside, np.arange(cut + 1)),
                int32(sentence[:sentences] - first[inside]),
                pending["doc_line"][:cut],
                pending["doc_offset"][:cut],
            ),
            Mentions(int32(doc), int32(start - first[doc]), int32(end - first[doc]), int32(label)),
            tagset.labels,
            facts=facts,
        )
        assert low >= 0
        for name, cut_at in (("doc", cut), ("doc_line", cut), ("doc_offset", cut),
                             ("sentence", sentences), ("token", tagged), ("line", tagged),
                             ("code", tagged)):  # fmt: skip
            pending.columns[name] = [pending[name][cut_at:].copy()]
        self.hashes = [hashes[cut:].copy()] if cut < len(hashes) else []
        return block

    def _strict(
        self, scheme: str, bad: IntArray, first: IntArray, line: IntArray, code: IntArray
    ) -> None:
        self.wrong += max(0, len(bad) - SHOWN)
        for row in first[bad[:SHOWN]].tolist():
            self._problem(
                "K108", int(line[row]), f"a mention that begins with {shown(self.tags[code[row]])}",
                f"one that {scheme} allows", "--repair conlleval reads it all the same",
            )  # fmt: skip


def _docstarts(chunk: Chunk) -> IntArray:
    """The lines that open a document."""
    data, found = chunk.buffer.tobytes(), []
    at = data.find(_DOCSTART)
    while at >= 0:
        found.append(at)
        at = data.find(_DOCSTART, at + 1)
    if not found:
        return np.empty(0, np.int64)
    marks = np.searchsorted(chunk.at[chunk.breaks], np.array(found))
    _, end = chunk.column(0, marks, chunk.fields[marks])
    whole: IntArray = marks[end - np.array(found) == len(_DOCSTART)]
    return whole


def _columns_in(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"

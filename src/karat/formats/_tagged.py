"""Read columns of tags in bulk: from chunks of lines to blocks of whole documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from karat.arrays.hashing import hash_sequences, hash_stretches, words_at
from karat.arrays.join import rest
from karat.arrays.tags import KINDS, Runs, Tagset, decode, illegal, interpret
from karat.formats._comments import comments, newdoc_id, width_of
from karat.formats._lines import Chunk, chunks
from karat.formats._vocabulary import Vocabulary
from karat.nouns._types import HashArray, IntArray
from karat.nouns.corpus import Corpus
from karat.nouns.errors import SHOWN, InputError, Problem, shown
from karat.nouns.source import Source
from karat.nouns.tables import Documents, Mentions, int32

REPAIRS = ("conlleval", "discard", "strict")
BLOCK = 1 << 20
"""About how many tokens a block has, if its documents allow it."""

_DOCSTART = b"-DOCSTART-"
_HEAD, _TAIL = (int.from_bytes(part, "little") for part in (_DOCSTART[:8], _DOCSTART[-8:]))
_OPENS = ("-DOCSTART-", "# newdoc")
_LETTER_O, _HASH, _HYPHEN = ord("O"), ord("#"), ord("-")


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
    """One pass over one file; `layers` are the columns that hold tags."""

    def __init__(self, source: Source, layers: tuple[int, ...], token: int, documents: str) -> None:
        self.source, self.layers, self.token = source, layers, token
        self.mode = "file" if documents == "file" else ""
        self.lines = self.tokens = self.documents = self.emitted = 0
        self.width = self.width_line = 0
        self.sentence_open = False
        self.pending = _Pending()
        self.hashes: list[HashArray] = []
        self.doc_first = 0
        self.facts: Counter[Any] = Counter()
        self.problems: list[Problem] = []
        self.told: set[int] = set()
        self.wrong = 0
        self.vocabulary = Vocabulary(self._unreadable)
        self.real: IntArray | None = None
        self.commented = False
        self.ids: dict[int, str] = {}
        self.id_line: dict[str, int] = {}

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

    def _unreadable(self, line: int, tag: str) -> None:
        self._problem("K102", line, f"the tag {shown(tag)}", "a tag in UTF-8")

    def _line(self, row: int) -> int:
        """The number of a line, comments counted."""
        return self.lines + (row if self.real is None else int(self.real[row])) + 1

    def _lines(self, rows: IntArray) -> IntArray:
        return (rows if self.real is None else self.real[rows]) + (self.lines + 1)

    def _take(self, chunk: Chunk) -> None:
        size = len(chunk)
        marks = _docstarts(chunk)
        names: dict[int, bytes | None] = {}
        if marks.size:
            chunk.fields[marks] = 0
        self.real = None
        if chunk.beginning(_HASH).size:
            chunk, marks, names = self._uncommented(chunk, marks)
        filled = np.flatnonzero(chunk.fields)
        if not self.mode and (filled.size or marks.size):
            opened = marks.size and (not filled.size or marks[0] < filled[0])
            self.mode = "marked" if opened else "blank"
        if self.mode == "blank":
            self._late(marks, names)
        elif self.mode == "marked":
            self._name(marks, names)
        widths = chunk.fields.take(filled)
        odd = self._odd(chunk, filled, widths)
        starts = self._boundaries(chunk, filled, marks)
        self._hash(chunk, filled, widths, starts)
        self._tags(chunk, filled, widths, odd)
        self.lines += size
        self.tokens += len(filled)

    def _late(self, marks: IntArray, names: Mapping[int, bytes | None]) -> None:
        self.wrong += max(0, len(marks) - SHOWN)
        for row in marks[:SHOWN].tolist():
            mark = _OPENS[row in names]
            self._problem(
                "K106", self._line(row), f"{mark} after the first tokens",
                f"{mark} on the first line, or nowhere", f"begin the file with a {mark} line",
            )  # fmt: skip

    def _uncommented(
        self, chunk: Chunk, marks: IntArray
    ) -> tuple[Chunk, IntArray, dict[int, bytes | None]]:
        """The chunk without comments; those that open a document stay, as blank lines."""
        filled = np.flatnonzero(chunk.fields)
        if not filled.size:
            return chunk, marks, {}
        found, opening = comments(chunk, self.width or self._first_width(chunk, int(filled[0])))
        if not found.size:
            return chunk, marks, {}
        self.commented = True
        texts = [chunk.text(line) for line in opening.tolist()]
        chunk.fields[opening] = 0
        chunk, self.real = chunk.without(np.setdiff1d(found, opening))
        marks = np.searchsorted(self.real, np.union1d(marks, opening))
        rows = np.searchsorted(self.real, opening).tolist()
        return chunk, marks, dict(zip(rows, map(newdoc_id, texts), strict=True))

    def _first_width(self, chunk: Chunk, row: int) -> int:
        """How many columns token lines have: a file may begin with comments."""
        plain = chunk.first[row] != _HASH
        return int(chunk.fields[row]) if plain else width_of(self.source)

    def _name(self, marks: IntArray, names: Mapping[int, bytes | None]) -> None:
        """The ids of the documents that begin here: all documents have one, or none."""
        if not names and not self.ids:
            self.documents += len(marks)
            return
        for place, row in enumerate(marks.tolist(), self.documents):
            raw, line = names.get(row), self._line(row)
            if (raw is None) != (0 not in self.ids) and place:
                found = "a document without an id" if raw is None else "a document with an id"
                self._problem("K109", line, found, "an id for every document, or for none")
            if raw is None:
                continue
            try:
                name = raw.decode("utf-8")
            except UnicodeDecodeError:
                name = raw.decode("utf-8", "backslashreplace")
                self._problem("K109", line, f"the id {shown(name)}", "an id in UTF-8")
            before = self.id_line.setdefault(name, line)
            if before != line:
                found = f"the id {shown(name)}, also on line {before}"
                self._problem("K109", line, found, "an id of its own for each document")
            self.ids[place] = name
        self.documents += len(marks)

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
            none = self.documents or not len(chunk)
            at = lines = np.empty(0, np.int64) if none else np.zeros(1, np.int64)
            self.documents += len(at)
        else:
            at, lines = sentences, filled[sentences]
        self.pending.add(
            sentence=sentences + self.tokens,
            doc=at + self.tokens,
            doc_line=self._lines(lines),
            doc_offset=chunk.offset(lines),
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
            self.width, self.width_line = int(widths[0]), self._line(int(filled[0]))
            for number in sorted({*self.layers, self.token} if self.width > 1 else self.layers):
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
                "K101", self._line(line),
                f"{_columns_in(int(widths[row]))} in {shown(chunk.text(line))}",
                f"{self.width}, as in line {self.width_line}",
            )  # fmt: skip
        return odd

    def _tags(self, chunk: Chunk, filled: IntArray, widths: IntArray, odd: IntArray) -> None:
        """Tokens whose tag is not O, layer by layer: their place, line and the code of the tag."""
        good = rest(len(filled), odd) if len(odd) else None
        lines, wide = (filled, widths) if good is None else (filled[good], widths[good])
        for layer, column in enumerate(self.layers):
            start, end = chunk.column(column, lines, wide)
            tagged = np.flatnonzero((end - start != 1) | (chunk.buffer.take(start) != _LETTER_O))
            rows = tagged if good is None else good[tagged]
            line = self._lines(filled[rows])
            code = self.vocabulary.codes(chunk, start[tagged], end[tagged], line)
            self.pending.add(**{f"token{layer}": rows + self.tokens, f"line{layer}": line,
                                f"code{layer}": code})  # fmt: skip

    def _tagset(self, scheme: str) -> Tagset:
        return interpret(self.vocabulary.tags, scheme)

    def _bad(self, tagset: Tagset, line: IntArray, code: IntArray) -> None:
        """Tags that mean nothing, each on its line."""
        self.told.update(np.unique(code).tolist())
        self.wrong += max(0, len(line) - SHOWN)
        for number, which in zip(line[:SHOWN].tolist(), code[:SHOWN].tolist(), strict=True):
            found = shown(self.vocabulary.tags[which])
            self._problem("K104", number, found, tagset.bad[which])

    def _bad_tags(self, scheme: str) -> None:
        tagset = self._tagset(scheme)
        tags, lines = self.vocabulary.tags, self.vocabulary.lines
        for code, expected in tagset.bad.items():
            if code not in self.told:
                self._problem("K104", lines[code], shown(tags[code]), expected)
        if self.width == 1 and tags and not tagset.letters and not tagset.bad:
            self._problem(
                "K107", lines[0], f"one column with {shown(tags[0])}",
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
        sentence = pending["sentence"]
        sentences = int(np.searchsorted(sentence, stop))
        cuts = {"doc": cut, "doc_line": cut, "doc_offset": cut, "sentence": sentences}
        tagset = self._tagset(scheme)
        found, facts = [], Counter[Any]()
        for layer in range(len(self.layers)):
            names = [f"{name}{layer}" for name in ("token", "line", "code")]
            size = int(np.searchsorted(pending[names[0]], stop))
            cuts |= dict.fromkeys(names, size)
            token, line, code = (pending[name][:size] for name in names)
            for rows, level in self.vocabulary.levels(code):
                part = (token, line) if rows is None else (token[rows], line[rows])
                found.append(self._decoded(*part, level, tagset, scheme, repair, facts))
        start, end, label = (np.concatenate(columns) for columns in zip(*found, strict=True)) \
            if len(found) > 1 else found[0]  # fmt: skip
        for letter in tagset.letters:
            facts["letter", letter] = 1
        self.facts.update(facts)
        doc = np.searchsorted(first, start, side="right") - 1
        inside = np.searchsorted(first, sentence[:sentences], side="right") - 1
        hashes = np.concatenate(self.hashes) if self.hashes else np.empty(0, np.uint64)
        block = Corpus(
            "token",
            Documents(
                int32(np.diff(first)),
                hashes[:cut],
                np.searchsorted(inside, np.arange(cut + 1)),
                int32(sentence[:sentences] - first[inside]),
                pending["doc_line"][:cut],
                pending["doc_offset"][:cut],
                self._ids(cut),
            ),
            Mentions(int32(doc), int32(start - first[doc]), int32(end - first[doc]), int32(label)),
            tagset.labels,
            facts=facts,
        )
        for name, cut_at in cuts.items():
            pending.columns[name] = [pending[name][cut_at:].copy()]
        self.hashes = [hashes[cut:].copy()] if cut < len(hashes) else []
        return block.ordered() if len(found) > 1 else block

    def _ids(self, count: int) -> tuple[str, ...] | None:
        """The ids of the next documents that leave."""
        first, self.emitted = self.emitted, self.emitted + count
        if 0 not in self.ids:
            return None
        return tuple(self.ids.get(row, "") for row in range(first, self.emitted))

    def _decoded(
        self, token: IntArray, line: IntArray, code: IntArray, tagset: Tagset, scheme: str,
        repair: str, facts: Counter[Any],
    ) -> tuple[IntArray, IntArray, IntArray]:  # fmt: skip
        """Start, end and label of the mentions of one layer."""
        good = tagset.label[code] >= 0
        if not good.all():
            self._bad(tagset, line[~good], code[~good])
            token, line, code = token[good], line[good], code[good]
        place = line
        if self.commented:
            # Comments stand between the lines of a sentence: count tokens and sentence breaks.
            place = token + np.searchsorted(self.pending["sentence"], token, side="right")
        runs = decode(place, tagset.prefix[code], tagset.label[code])
        for kind in np.flatnonzero(counts := np.bincount(runs.kind, minlength=KINDS)).tolist():
            facts["kind", kind] += int(counts[kind])
        start, end = token[runs.first], token[runs.last] + 1
        label = tagset.label[code[runs.first]]
        if repair != "conlleval" and scheme != "none":
            bad = illegal(scheme)[runs.kind]
            if repair == "strict":
                self._strict(scheme, np.flatnonzero(bad), runs, line, code)
            start, end, label = start[~bad], end[~bad], label[~bad]
        return start, end, label

    def _strict(
        self, scheme: str, bad: IntArray, runs: Runs, line: IntArray, code: IntArray
    ) -> None:
        self.wrong += max(0, len(bad) - SHOWN)
        for row in runs.first[bad[:SHOWN]].tolist():
            tag = self.vocabulary.tags[code[row]]
            self._problem(
                "K108", int(line[row]), f"a mention that begins with {shown(tag)}",
                f"one that {scheme} allows", "--repair conlleval reads it all the same",
            )  # fmt: skip


def _docstarts(chunk: Chunk) -> IntArray:
    """The lines that open a document."""
    lines = chunk.beginning(_HYPHEN)
    if not lines.size:
        return lines
    start, end = chunk.column(0, lines, chunk.fields[lines])
    long = np.flatnonzero(end - start == len(_DOCSTART))
    head, tail = (words_at(chunk.buffer, start[long] + skip) for skip in (0, len(_DOCSTART) - 8))
    return lines[long[(head == _HEAD) & (tail == _TAIL)]]


def _columns_in(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"

"""From lines to columns: tokens with tags, sentences, documents, and what is wrong with lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from carob.arrays.hashing import hash_sequences, hash_stretches, words_at
from carob.arrays.join import rest
from carob.arrays.scan import CODE, LINE, START, Scanned, Scanner
from carob.arrays.types import HashArray, IntArray
from carob.corpus.problems import SHOWN, InputError, Problem, shown
from carob.corpus.source import Source
from carob.formats._comments import comments, newdoc_id, width_of
from carob.formats._lines import Chunk, Piece
from carob.formats._vocabulary import Vocabulary

_DOCSTART = b"-DOCSTART-"
_HEAD, _TAIL = (int.from_bytes(part, "little") for part in (_DOCSTART[:8], _DOCSTART[-8:]))
_OPENS = ("-DOCSTART-", "# newdoc")
_LETTER_O, _HASH, _HYPHEN = ord("O"), ord("#"), ord("-")


class Pending:
    """Columns that grow chunk by chunk and are cut into blocks of whole documents: `sentence`,
    where sentences begin; `doc`, token, line and offset of documents; `layer0` and so on, token,
    line and code of tags.
    """

    def __init__(self) -> None:
        self.columns: dict[str, list[IntArray]] = {}

    def add(self, **columns: IntArray) -> None:
        for name, column in columns.items():
            self.columns.setdefault(name, []).append(column)

    def __getitem__(self, name: str) -> IntArray:
        parts = self.columns.get(name, [])
        if len(parts) == 1:
            return parts[0]
        joined = np.concatenate(parts, axis=-1)
        self.columns[name] = [joined]
        return joined

    def drop(self, **counts: int) -> None:
        """Forget the first rows; the memory of what was there is free again."""
        for name, count in counts.items():
            self.columns[name] = [self[name][..., count:].copy()]


class RowReader:
    """Token lines as columns, chunk by chunk; `layers` are the columns that hold tags."""

    def __init__(self, source: Source, layers: tuple[int, ...], token: int, documents: str) -> None:
        self.source, self.layers, self.token = source, layers, token
        self.mode = "file" if documents == "file" else ""
        self.lines = self.tokens = self.documents = self.emitted = 0
        self.width = self.width_line = 0
        self.sentence_open = False
        self.pending = Pending()
        self.hashes: list[HashArray] = []
        self.doc_first = 0
        self.facts: Counter[Any] = Counter()
        self.problems: list[Problem] = []
        self.told: set[int] = set()
        self.wrong = 0
        self.vocabulary = Vocabulary(self._unreadable)
        self.scanner: Scanner | None = None
        self.real: IntArray | None = None
        self.commented = False
        self.ids: dict[int, str] = {}
        self.id_line: dict[str, int] = {}

    def take(self, piece: Piece) -> None:
        """The lines of a piece: at once if they are plain, else with everything that can be."""
        scanner = self._plainly()
        if scanner is not None:
            place = self.tokens - self.doc_first
            found = scanner(piece.buffer, piece.size, place, open=self.sentence_open)
            if found is not None:
                self._take_plain(piece, found, scanner)
                return
        self._take(piece.chunk())

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

    def _plainly(self) -> Scanner | None:
        """What reads plain lines, once the first lines have said what the columns are."""
        one_layer = len(self.layers) == 1 and self.width > 1
        if not one_layer or self.ids or self.problems:
            return None
        if self.scanner is None:
            self.scanner = Scanner(self.width, self.token, self.layers[0], self.mode)
            self.scanner.know(*self.vocabulary.known)
        return self.scanner

    def _take_plain(self, piece: Piece, found: Scanned, scanner: Scanner) -> None:
        """The same as `_take`, for lines in which there is nothing to be told."""
        self.real = None
        self.sentence_open = found.open
        tagged = found.tagged[:START].astype(np.int64)
        tagged += [[self.tokens], [self.lines + 1], [0]]
        new = np.flatnonzero(tagged[CODE] < 0)
        if new.size:
            start, end = found.tagged[START:, new].astype(np.int64)
            code = self.vocabulary.codes(piece.buffer, start, end, tagged[LINE, new])
            tagged[CODE, new] = code
            scanner.know(*self.vocabulary.known)
        docs = found.docs.astype(np.int64)
        docs += [[self.tokens], [self.lines + 1], [piece.base]]
        sentence = found.sentences + np.int64(self.tokens)
        self.pending.add(sentence=sentence, doc=docs, layer0=tagged)
        self._add_hashes(found.sums.copy(), found.docs[0])
        if self.mode == "marked":
            self.documents += docs.shape[1]
        self.lines += found.lines
        self.tokens += found.rows

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
        doc = np.array([at + self.tokens, self._lines(lines), chunk.offset(lines)])
        self.pending.add(sentence=sentences + self.tokens, doc=doc)
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
        self._add_hashes(sums, at)

    def _add_hashes(self, sums: HashArray, at: IntArray) -> None:
        """The first sum goes on with the last document, the others are documents of their own."""
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
            code = self.vocabulary.codes(chunk.buffer, start[tagged], end[tagged], line)
            self.pending.add(**{f"layer{layer}": np.array([rows + self.tokens, line, code])})


def _docstarts(chunk: Chunk) -> IntArray:
    """The lines that open a document."""
    lines = chunk.beginning(_HYPHEN)
    if not lines.size:
        return lines
    start, end = chunk.column(0, lines, chunk.fields[lines])
    long = np.flatnonzero(end - start == len(_DOCSTART))
    head, tail = (words_at(chunk.buffer, start[long] + skip) for skip in (0, len(_DOCSTART) - 8))
    whole: IntArray = lines[long[(head == _HEAD) & (tail == _TAIL)]]
    return whole


def _columns_in(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"

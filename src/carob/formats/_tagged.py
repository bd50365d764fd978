"""Read columns of tags in bulk: from chunks of lines to blocks of whole documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from carob.arrays.columns import label_codes
from carob.arrays.tags import KINDS, Runs, Tagset, decode, illegal, interpret
from carob.arrays.types import IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import SHOWN, InputError, shown
from carob.corpus.tables import Documents, Mentions, int32
from carob.formats._lines import pieces
from carob.formats._rows import RowReader

REPAIRS = ("conlleval", "discard", "strict")
BLOCK = 1 << 17
"""About how many tokens a block has, if its documents allow it."""


class TagReader(RowReader):
    """One pass over one file; `layers` are the columns that hold tags."""

    _meant: Tagset | None = None

    def blocks(self, scheme: str, repair: str) -> Iterator[Corpus]:
        """Whole documents, some at a time; every problem is raised at the end."""
        emitted = 0
        for piece in pieces(self.source, lambda: self.lines):
            self.take(piece)
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

    def _tagset(self, scheme: str) -> Tagset:
        """What the tags so far mean, worked out again when there are new ones."""
        if self._meant is None or len(self._meant.prefix) < len(self.vocabulary.tags):
            self._meant = interpret(self.vocabulary.tags, scheme)
        return self._meant

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
        docs, sentence = self.pending["doc"], self.pending["sentence"]
        cut = docs.shape[1] if final else docs.shape[1] - 1
        if cut <= 0:
            return None
        stop = self.tokens if final else int(docs[0, cut])
        first = np.append(docs[0, :cut], stop)
        sentence = sentence[: np.searchsorted(sentence, stop)]
        cuts = {"doc": cut, "sentence": len(sentence)}
        tagset = self._tagset(scheme)
        found, facts = [], Counter[Any]()
        for layer in range(len(self.layers)):
            tagged = self.pending[name := f"layer{layer}"]
            cuts[name] = int(np.searchsorted(tagged[0], stop))
            token, line, code = tagged[:, : cuts[name]]
            for rows, level in self.vocabulary.levels(code):
                part = (token, line) if rows is None else (token[rows], line[rows])
                found.append(self._decoded(*part, level, tagset, scheme, repair, facts))
        start, end, label = (np.concatenate(columns) for columns in zip(*found, strict=True)) \
            if len(found) > 1 else found[0]  # fmt: skip
        for letter in tagset.letters:
            facts["letter", letter] = 1
        self.facts.update(facts)
        if len(found) == 1:
            mentions = np.diff(np.searchsorted(start, first))
            doc, begin = np.repeat(np.arange(cut), mentions), np.repeat(first[:-1], mentions)
        else:
            doc = np.searchsorted(first, start, side="right") - 1
            begin = first[doc]
        offsets = np.searchsorted(sentence, first)
        within = sentence - np.repeat(first[:-1], np.diff(offsets))
        hashes = np.concatenate(self.hashes) if self.hashes else np.empty(0, np.uint64)
        block = Corpus(
            "token",
            Documents(
                int32(np.diff(first)),
                hashes[:cut],
                offsets,
                int32(within),
                docs[1, :cut],
                docs[2, :cut],
                self._ids(cut),
            ),
            Mentions(
                int32(doc), int32(start - begin), int32(end - begin),
                label_codes(label, len(tagset.labels)),
            ),
            tagset.labels,
            facts=facts,
        )  # fmt: skip
        self.pending.drop(**cuts)
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
        if tagset.bad and not (good := tagset.label[code] >= 0).all():
            self._bad(tagset, line[~good], code[~good])
            token, line, code = token[good], line[good], code[good]
        place = line
        if self.commented:
            # Comments stand between the lines of a sentence: count tokens and sentence breaks.
            place = token + np.searchsorted(self.pending["sentence"], token, side="right")
        labels = tagset.label.take(code)
        runs = decode(place, tagset.prefix.take(code), labels)
        for kind in np.flatnonzero(counts := np.bincount(runs.kind, minlength=KINDS)).tolist():
            facts["kind", kind] += int(counts[kind])
        start, end = token.take(runs.first), token.take(runs.last) + 1
        label = labels.take(runs.first)
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

"""rote: a dictionary of fillers. What every other learner has to beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.pair.texts import Examples, Spans, Texts
from carob_lab.learn.folder import read_folder, write_folder

Entry = tuple[str, ...]
"""A filler: its words."""


@dataclass(frozen=True, slots=True)
class Rote:
    """A dictionary of the fillers that were seen, with their precision.

    Each filler of the training documents is looked up in their texts. Of n occurrences, k are
    marked; it is kept if (k + 1) / (n + 2), its precision with Laplace's correction, is at least
    `precision`. That is also the confidence of its answers. Where entries of one slot overlap, the
    first and longest is the answer. Each slot has its own dictionary, so slots may overlap.

    The baseline of Freitag (1998), "Machine Learning for Information Extraction in Informal
    Domains", section 3.2.

    >>> from carob.corpus.corpus import Corpus
    >>> examples = Examples.of(Corpus.of("by [Ann Lee]who", "with [Ann Lee]who , Bo", "[Bo]who Bo"))
    >>> model = Rote().fit(examples, ("who",), 0)
    >>> model.answers(Texts.of(Corpus.of("Ann Lee met Bo")))[0].mentions
    (Mention('who', 0, 2, confidence=0.75),)
    """

    name: ClassVar[str] = "rote"
    precision: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.precision <= 1:
            raise UsageError(f"rote: found precision={self.precision}, expected one from 0 to 1")

    def fit(self, examples: Examples, slots: tuple[str, ...], seed: int) -> RoteModel:
        """Count how often each filler occurs, and how often it is marked."""
        spans, texts = examples.spans(slots), examples.texts
        words = _document_words(texts)
        marked: list[Counter[Entry]] = [Counter() for _ in slots]
        for doc, first, last, slot in _rows(spans):
            marked[slot][tuple(words[doc][first:last])] += 1
        entries: list[dict[Entry, float]] = []
        for counts in marked:
            index = _Index(counts)
            seen = Counter(entry for own in words for _, entry in index.occurrences(own))
            precision = {e: (k + 1) / (max(seen[e], k) + 2) for e, k in sorted(counts.items())}
            entries.append({e: p for e, p in precision.items() if p >= self.precision})
        return RoteModel(slots, tuple(entries))

    def load(self, folder: Path) -> RoteModel:
        """A model that was saved."""
        saved = read_folder(folder)
        slots, every = saved.slots(), saved.settings.get("entries")
        if not isinstance(every, list) or len(every) != len(slots):
            raise saved.wrong("other entries", "a list of entries for each slot")
        entries: list[dict[Entry, float]] = []
        for own in every:
            pairs: list[Any] = own if isinstance(own, list) else [own]
            for pair in pairs:
                if not _is_entry(pair):
                    expected = 'pairs like [["Ann", "Lee"], 0.75]'
                    raise saved.wrong(f"the entry {str(pair)[:60]!r}", expected)
            entries.append({tuple(words): float(precision) for words, precision in pairs})
        return RoteModel(slots, tuple(entries))


def _is_entry(pair: Any) -> bool:
    if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], list) and pair[0]):
        return False
    sure = pair[1]
    texts = all(isinstance(word, str) for word in pair[0])
    return texts and isinstance(sure, (int, float)) and 0 <= sure <= 1


@dataclass(frozen=True, slots=True, eq=False)
class RoteModel:
    """The entries of each slot, with their precision."""

    slots: tuple[str, ...]
    entries: tuple[Mapping[Entry, float], ...]

    def answers(self, texts: Texts) -> Corpus:
        """Every occurrence of an entry; of those that overlap, the first and longest."""
        rows: list[tuple[int, int, int, int]] = []
        confidence: list[float] = []
        words = _document_words(texts)
        for slot, entries in enumerate(self.entries):
            index = _Index(entries)
            for doc, own in enumerate(words):
                free = 0
                for first, entry in index.occurrences(own):
                    if first >= free:
                        free = first + len(entry)
                        rows.append((doc, first, free, slot))
                        confidence.append(entries[entry])
        columns = np.array(rows, np.int64).reshape(-1, 4).T
        return texts.answers(self.slots, Spans(*columns), np.array(confidence))

    def describe(self) -> Mapping[str, Any]:
        """The number of entries."""
        return {"entries": sum(map(len, self.entries))}

    def save(self, folder: Path) -> None:
        """Write the entries."""
        entries = [[[list(e), p] for e, p in sorted(own.items())] for own in self.entries]
        write_folder(folder, {"slots": list(self.slots), "entries": entries})


def _document_words(texts: Texts) -> list[list[str]]:
    words = [texts.words.values[code] for code in texts.words.codes.tolist()]
    return [words[low:high] for low, high in zip(texts.offsets, texts.offsets[1:], strict=False)]


def _rows(spans: Spans) -> Iterator[tuple[int, int, int, int]]:
    columns = (spans.doc, spans.first, spans.last, spans.slot)
    return zip(*(column.tolist() for column in columns), strict=True)


class _Index:
    """Finds entries in words; of each first word it knows how long the entries are."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = frozenset(entries)
        lengths: dict[str, set[int]] = {}
        for entry in self._entries:
            lengths.setdefault(entry[0], set()).add(len(entry))
        self._lengths = {word: sorted(own, reverse=True) for word, own in lengths.items()}

    def occurrences(self, words: list[str]) -> Iterator[tuple[int, Entry]]:
        """Where entries occur: from left to right, at each place the longest first."""
        for first, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                entry = tuple(words[first : first + length])
                if len(entry) == length and entry in self._entries:
                    yield first, entry

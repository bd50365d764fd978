"""What a corpus has and a format cannot hold: detected, counted, and left out on request.

A format lists what it holds, as words: `overlaps`, `crossing` (mentions of one label that cross),
`discontinuous`, `across sentences`, `attributes`, `confidence`, `heads`, `ids`, `relations`,
`clusters`, `templates`, `group ids`, `document ids`, `document attributes`, `text`, `tokens`,
`sentences`, `extra`, `units:char`, `units:token`. A word with a colon holds a part:
`attributes:realis` is that attribute and no other, `ids:T` are ids that begin with T,
`relations:pairs` go from one mention to another, `relations:roles` have no role twice,
`clusters:bare` have no label, `mentions:none` are no mentions at all, which then become fillers.
`templates:` with `types`, `ids`, `several`, `nested`, `empty`, `alternatives` or `optional` are
templates that have no more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from carob.arrays.types import BoolArray, IntArray
from carob.corpus.corpus import Corpus, Library, Words
from carob.corpus.document import Filler, Template
from carob.corpus.problems import DataError, shown
from carob.corpus.tables import UNKNOWN, Codes, Groups, Templates

EVERYTHING = frozenset({
    "overlaps", "crossing", "discontinuous", "across sentences", "attributes", "confidence",
    "heads", "ids", "relations", "clusters", "templates", "group ids", "document ids",
    "document attributes", "text", "tokens", "sentences", "extra", "units:char", "units:token",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that has no place in a format: what, how often, and where first.

    >>> print(Loss("discontinuous mentions", 2, "d1"))
    discontinuous mentions (2, the first in document 'd1')
    """

    what: str
    count: int
    where: str

    def __str__(self) -> str:
        return f"{self.what} ({self.count:,}, the first in document {shown(self.where)})"


def refused(name: str, losses: Iterable[Loss], hint: str = "") -> None:
    """Raise an error if there are losses."""
    if what := " and ".join(map(str, losses)):
        raise DataError(f"{name} cannot hold {what}{hint}")


def fitted(corpus: Corpus, holds: frozenset[str]) -> tuple[Corpus, list[Loss]]:
    """The corpus without what a format cannot hold, and what that was."""
    losses: list[Loss] = []
    if "mentions:none" in holds and len(corpus.mentions):
        corpus = _without_mentions(corpus, holds, losses)
    for word, what, find in _MENTIONS:
        if word not in holds:
            rows = find(corpus)
            if rows.size:
                losses.append(_loss(what, len(rows), corpus, int(corpus.mentions.doc[rows[0]])))
                keep = np.ones(len(corpus.mentions), bool)
                keep[rows] = False
                corpus = corpus.kept(np.flatnonzero(keep))
    for step in (_groups, _columns, _documents, _words):
        corpus = step(corpus, holds, losses)
    return corpus, losses


def _without_mentions(corpus: Corpus, holds: frozenset[str], losses: list[Loss]) -> Corpus:
    """Mentions fill the slots that their labels name, unless there are templates already."""
    if len(corpus.templates):
        losses.append(_loss("mentions", len(corpus.mentions), corpus, int(corpus.mentions.doc[0])))
    else:
        corpus = _columns(corpus, holds, losses)
        corpus = replace(corpus, templates=templates_of_mentions(corpus))
    return replace(corpus.kept(np.empty(0, np.int64)), labels=())


def _loss(what: str, count: int, corpus: Corpus, doc: int) -> Loss:
    return Loss(what, count, corpus.documents.name(doc))


def _allowed(holds: frozenset[str], word: str) -> set[str] | None:
    """The parts that a format holds; None if it holds everything."""
    if word in holds:
        return None
    return {each.partition(":")[2] for each in holds if each.startswith(f"{word}:")}


def _other(words: set[str]) -> str:
    return f" other than {', '.join(sorted(words))}" if words else ""


def _across_sentences(corpus: Corpus) -> IntArray:
    """The mentions that go on after the end of their sentence."""
    table, documents = corpus.mentions, corpus.documents
    doc = np.repeat(np.arange(len(documents)), np.diff(documents.sentence_offsets))
    width = 1 + max(int(table.end.max(initial=0)), int(documents.sentence_start.max(initial=0)))
    breaks = np.sort(doc * np.int64(width) + documents.sentence_start)
    base = table.doc.astype(np.int64) * width
    ends = np.searchsorted(breaks, base + table.end)
    return np.flatnonzero(ends > np.searchsorted(breaks, base + table.start, side="right"))


def _clashing(corpus: Corpus, clashes: Callable[[int, list[int]], bool]) -> IntArray:
    """The mentions that clash with an earlier one that stays; of one start, the longest stays."""
    table, dropped = corpus.mentions, []
    kept: list[int] = []
    before = -1
    for row in np.lexsort((-table.end, table.start, table.doc)).tolist():
        if table.doc[row] != before:
            kept, before = [], int(table.doc[row])
        kept = [each for each in kept if table.end[each] > table.start[row]]
        if clashes(row, kept):
            dropped.append(row)
        else:
            kept.append(row)
    return np.array(sorted(dropped), np.int64)


def _overlapping(corpus: Corpus) -> IntArray:
    table = corpus.mentions
    same = table.doc[1:] == table.doc[:-1]
    if not np.any(same & (table.start[1:] < table.end[:-1])):
        return np.empty(0, np.int64)
    return _clashing(corpus, lambda _, kept: bool(kept))


def _crossing(corpus: Corpus) -> IntArray:
    table = corpus.mentions

    def crosses(row: int, kept: list[int]) -> bool:
        return any(
            table.label[row] == table.label[each]
            and table.start[each] < table.start[row]
            and table.end[each] < table.end[row]
            for each in kept
        )

    return _clashing(corpus, crosses)


_MENTIONS: tuple[tuple[str, str, Callable[[Corpus], IntArray]], ...] = (
    ("discontinuous", "discontinuous mentions", lambda corpus: corpus.mentions.discontinuous),
    ("across sentences", "mentions across sentences", _across_sentences),
    ("overlaps", "overlapping mentions", _overlapping),
    ("crossing", "mentions of one label that cross", _crossing),
)


def _groups(corpus: Corpus, holds: frozenset[str], losses: list[Loss]) -> Corpus:
    for name in ("relations", "clusters"):
        groups: Groups = getattr(corpus, name)
        parts = _allowed(holds, name)
        if not len(groups) or parts is None:
            continue
        bad = np.ones(len(groups), bool)
        what = name
        if parts & {"pairs", "roles"}:
            bad = np.array(
                [_is_irregular(groups, i, pairs="pairs" in parts) for i in range(len(groups))]
            )
            what = "relations other than from one mention to another" if "pairs" in parts \
                else "relations that have a role twice"  # fmt: skip
        elif "bare" in parts:
            bad = groups.label.codes != UNKNOWN
            what = "labels of clusters"
        if not bad.any():
            continue
        losses.append(_loss(what, int(bad.sum()), corpus, int(groups.doc[np.flatnonzero(bad)[0]])))
        if "bare" in parts:
            none = Codes(np.full(len(groups), UNKNOWN, np.int32), ())
            corpus = replace(corpus, clusters=replace(groups, label=none))
        else:
            corpus = replace(corpus, **{name: groups.take(np.flatnonzero(~bad))})  # type: ignore[arg-type]
    parts = _allowed(holds, "templates")
    if len(corpus.templates) and parts is not None:
        if parts:
            kept, lost = fitted_templates(corpus, parts)
        else:
            kept = Templates.none()
            lost = {"templates": (len(corpus.templates), int(corpus.templates.doc[0]))}
        losses += [_loss(what, count, corpus, doc) for what, (count, doc) in lost.items()]
        corpus = replace(corpus, templates=kept)
    return _group_ids(corpus, holds, losses)


def _is_irregular(groups: Groups, row: int, *, pairs: bool) -> bool:
    part = range(int(groups.offsets[row]), int(groups.offsets[row + 1]))
    roles = [groups.role[k] for k in part]
    if not pairs:
        return len(set(roles)) < len(roles)
    whole = all(groups.mention[k] != UNKNOWN for k in part)
    return sorted(map(str, roles)) != ["from", "to"] or not whole or groups.label[row] is None


def _group_ids(corpus: Corpus, holds: frozenset[str], losses: list[Loss]) -> Corpus:
    letters = _allowed(holds, "group ids")
    if letters is None:
        return corpus
    for name in ("relations", "clusters"):
        groups: Groups = getattr(corpus, name)
        fine = letters if name == "relations" else set()
        lost = [i for i, each in enumerate(groups.id) if each is not None and each[:1] not in fine]
        if lost:
            losses.append(_loss(f"ids of {name}", len(lost), corpus, int(groups.doc[lost[0]])))
            ids = tuple(None if i in set(lost) else each for i, each in enumerate(groups.id))
            corpus = replace(corpus, **{name: replace(groups, id=ids)})  # type: ignore[arg-type]
    return corpus


def _columns(corpus: Corpus, holds: frozenset[str], losses: list[Loss]) -> Corpus:
    table = corpus.mentions

    def lose(what: str, present: BoolArray) -> None:
        rows = np.flatnonzero(present)
        if rows.size:
            losses.append(_loss(what, len(rows), corpus, int(table.doc[rows[0]])))

    names = _allowed(holds, "attributes")
    if names is not None and set(table.attributes) - names:
        dropped = [column for name, column in table.attributes.items() if name not in names]
        lose(f"attributes of mentions{_other(names)}", _any_known(dropped))
        kept = {name: column for name, column in table.attributes.items() if name in names}
        table = replace(table, attributes=kept)
    if "confidence" not in holds and table.confidence is not None:
        lose("confidences", ~np.isnan(table.confidence))
        table = replace(table, confidence=None)
    if "heads" not in holds and table.head is not None:
        lose("heads of mentions", table.head[:, 0] != UNKNOWN)
        table = replace(table, head=None)
    letters = _allowed(holds, "ids")
    if letters is not None and table.id is not None:
        others = np.array([each is not None and each[:1] not in letters for each in table.id], bool)
        lose(f"ids of mentions{_other({f'{letter}…' for letter in letters})}", others)
        if not letters:
            table = replace(table, id=None)
    return replace(corpus, mentions=table)


def _any_known(columns: Iterable[Codes]) -> BoolArray:
    """The rows that have a value in one of these columns."""
    known: BoolArray = np.any([column.codes != UNKNOWN for column in columns], axis=0)
    return known


def _documents(corpus: Corpus, holds: frozenset[str], losses: list[Loss]) -> Corpus:
    documents = corpus.documents
    if "document ids" not in holds and documents.id is not None and len(corpus):
        losses.append(_loss("ids of documents", len(documents), corpus, 0))
        documents = replace(documents, id=None)
    names = _allowed(holds, "document attributes")
    if names is not None and set(documents.attributes) - names:
        dropped = [column for name, column in documents.attributes.items() if name not in names]
        rows = np.flatnonzero(_any_known(dropped))
        if rows.size:
            what = f"attributes of documents{_other(names)}"
            losses.append(_loss(what, len(rows), corpus, int(rows[0])))
        kept = {name: column for name, column in documents.attributes.items() if name in names}
        documents = replace(documents, attributes=kept)
    several = np.flatnonzero(np.diff(documents.sentence_offsets) > 1)
    if "sentences" not in holds and len(documents.sentence_start):
        if several.size:
            count = int((np.diff(documents.sentence_offsets)[several] - 1).sum())
            losses.append(_loss("sentence breaks", count, corpus, int(several[0])))
        nothing = np.zeros(len(documents) + 1, np.int64)
        documents = replace(
            documents, sentence_offsets=nothing, sentence_start=np.empty(0, np.int32)
        )
    return _extra(replace(corpus, documents=documents), holds, losses)


def _extra(corpus: Corpus, holds: frozenset[str], losses: list[Loss]) -> Corpus:
    parts = _allowed(holds, "extra")
    spans = "tokens" in holds
    if parts is None and spans:
        return corpus
    extra: dict[int, dict[str, Any]] = {}
    lost: dict[str, list[int]] = {"token_spans": [], "": []}
    for row, fields in corpus.extra.items():
        for key, value in fields.items():
            if spans if key == "token_spans" else parts is None or key in parts:
                extra.setdefault(row, {})[key] = value
            else:
                lost["token_spans" if key == "token_spans" else ""].append(row)
    if lost[""]:
        rows = sorted(set(lost[""]))
        losses.append(_loss("further fields of documents", len(rows), corpus, rows[0]))
    return replace(corpus, extra=extra)


def _words(corpus: Corpus, holds: frozenset[str], losses: list[Loss]) -> Corpus:
    if corpus.library is None or {"text", "tokens"} <= holds:
        return corpus
    having: dict[str, list[int]] = {"text": [], "tokens": []}
    for row in range(len(corpus)):
        for (word, rows), value in zip(having.items(), corpus.library.words(row), strict=True):
            if word not in holds and value:
                rows.append(row)
    for word, what in (("text", "texts"), ("tokens", "tokens")):
        if having[word]:
            losses.append(_loss(what, len(having[word]), corpus, having[word][0]))
    return replace(
        corpus, library=PartialLibrary(corpus.library, "text" in holds, "tokens" in holds)
    )


@dataclass(frozen=True, slots=True)
class PartialLibrary:
    """A library of texts alone, or of tokens alone."""

    library: Library
    text: bool
    tokens: bool

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        text, tokens = self.library.words(row)
        return text if self.text else None, tokens if self.tokens else None

    def line(self, row: int, place: int) -> int:
        """The line of the file that has this position of a document."""
        return self.library.line(row, place)


Lost = dict[str, tuple[int, int]]
"""What is lost, how often, and the first document where it is."""


def fitted_templates(corpus: Corpus, parts: set[str]) -> tuple[Templates, Lost]:
    """The templates without what a format has no place for.

    `parts` lists what it has a place for: `types`, `ids`, `several` templates in a document,
    `nested` ones, `alternatives`, `optional`. Places, mentions and confidences always go; a
    filler that has a place and no text gets the text at that place.

    >>> corpus = Corpus.of({"templates": [{"label": "talk", "slots": {"room": ["5"]}}]})
    >>> fitted_templates(corpus, set())[1]
    {'types of templates': (1, 0)}
    """
    fit = _Fit(corpus, parts)
    documents = [fit.document(row) for row in range(len(corpus))]
    return Templates.of(documents), fit.lost


def templates_of_mentions(corpus: Corpus) -> Templates:
    """One template for each document with mentions: a mention fills the slot of its label.

    >>> templates_of_mentions(Corpus.of("[Ann]who slept")).of_document(0, None)
    (Template('', who=Filler(fragments=((0, 1),))),)
    """
    slots: list[dict[str, list[Filler]]] = [{} for _ in range(len(corpus))]
    table = corpus.mentions
    for row, (doc, label) in enumerate(zip(table.doc.tolist(), table.label.tolist(), strict=True)):
        filler = Filler(fragments=table.fragments_of(row))
        slots[doc].setdefault(corpus.labels[label], []).append(filler)
    documents = [
        [Template("", {slot: tuple(fillers) for slot, fillers in each.items()})] if each else []
        for each in slots
    ]
    return Templates.of(documents)


class _Fit:
    """Leaves out of templates what a format has no place for, and counts it."""

    def __init__(self, corpus: Corpus, parts: set[str]) -> None:
        self.corpus, self.parts = corpus, parts
        self.lost: Lost = {}
        self.row = 0
        self.words: Words | None = None

    def lose(self, what: str, count: int = 1) -> None:
        before, first = self.lost.get(what, (0, self.row))
        self.lost[what] = before + count, first

    def document(self, row: int) -> list[Template]:
        self.row, self.words = row, None
        templates = [self.template(each) for each in self.corpus.templates.of_document(row, None)]
        kept = [each for each in templates if each is not None]
        if len(kept) > 1 and "several" not in self.parts:
            self.lose("templates other than the first of a document", len(kept) - 1)
            del kept[1:]
        return kept

    def template(self, original: Template) -> Template | None:
        slots: dict[str, tuple[Filler | Template, ...]] = {}
        for slot, fillers in original.slots.items():
            kept = [self.nested(f) if isinstance(f, Template) else self.filler(f) for f in fillers]
            slots[slot] = tuple(filler for filler in kept if filler is not None)
        label, name = original.label, original.id
        if label and "types" not in self.parts:
            self.lose("types of templates")
            label = ""
        if name is not None and "ids" not in self.parts:
            self.lose("ids of templates")
            name = None
        if not any(slots.values()) and not label and "empty" not in self.parts:
            self.lose("templates without fillers")
            return None
        return Template(label, slots, name)

    def nested(self, original: Template) -> Template | None:
        if "nested" not in self.parts:
            self.lose("templates in templates")
            return None
        return self.template(original)

    def filler(self, original: Filler) -> Filler | None:
        forms = [self.form(each) for each in (original, *original.alternatives)]
        kept = [each for each in forms if each is not None]
        if not kept:
            self.lose("fillers without a text")
            return None
        if original.confidence is not None:
            self.lose("confidences of fillers")
        optional = original.optional
        if optional and "optional" not in self.parts:
            self.lose("that fillers are optional")
            optional = False
        if len(kept) > 1 and "alternatives" not in self.parts:
            self.lose("alternatives of fillers", len(kept) - 1)
            del kept[1:]
        return Filler(kept[0], (), tuple(Filler(other) for other in kept[1:]), optional)

    def form(self, original: Filler) -> str | None:
        """The text of a filler or of an alternative."""
        if not original.fragments:
            return original.text
        self.lose("places of fillers")
        if original.text is not None:
            return original.text
        if self.words is None:
            library = self.corpus.library
            self.words = library.words(self.row) if library else (None, None)
        from carob.pair.filled import words_at  # most files are read, and not written

        text = words_at(self.words, original.fragments, self.corpus.unit or "char")
        return text if text and text.strip() else None

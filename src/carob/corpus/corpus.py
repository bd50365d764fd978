"""Corpus: documents and what is marked in them, as columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from carob.arrays.columns import label_codes, stretches
from carob.arrays.join import packed
from carob.arrays.types import IntArray
from carob.corpus._grow import grown
from carob.corpus.document import Document, Group, Mention
from carob.corpus.library import Library, Memory, Shelves, Words
from carob.corpus.problems import UsageError
from carob.corpus.tables import UNKNOWN, Documents, Groups, Mentions, between, int32
from carob.corpus.templates import Templates

__all__ = ["Corpus", "Library", "Memory", "Origin", "Shelves", "Words"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a corpus came from, and how it was read: what a signature says of a file."""

    path: str
    sha256: str
    format: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents with their mentions, in document order.

    `unit` says whether positions are tokens or characters (None: not known, as in a system file
    that holds spans and no text). `facts` are additive counts that a reader took on its way.
    `renamed` are new names for the rows of slots; `form` gives labels of mentions the type of the
    template that they fill, and their row there.

    >>> corpus = Corpus.of("[Ann Lee]PER visited [Rome]LOC .", "It rained .")
    >>> len(corpus), corpus.labels, corpus.mentions.start
    (2, ('LOC', 'PER'), array([0, 3], dtype=int32))
    """

    unit: str | None
    documents: Documents
    mentions: Mentions
    labels: tuple[str, ...]
    relations: Groups = field(default_factory=Groups.none)
    clusters: Groups = field(default_factory=Groups.none)
    templates: Templates = field(default_factory=Templates.none)
    facts: Mapping[Any, int] = field(default_factory=dict)
    extra: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    library: Library | None = None
    origin: Origin | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        where = f" from {self.origin.path}" if self.origin else ""
        forms, fillers = len(self.templates), len(self.templates.fillers)
        slots = f", {forms:,} templates with {fillers:,} fillers" if forms else ""
        return (
            f"<Corpus{where}: {len(self):,} documents, {len(self.mentions):,} mentions, "
            f"labels {', '.join(self.labels) or 'none'}{slots}>"
        )

    @classmethod
    def of(cls, *documents: str | Document | Mapping[str, Any]) -> Corpus:
        """A corpus for a notebook: marked text, Document objects, or dicts as in carob's jsonl.

        >>> Corpus.of(
        ...     {"id": "d1", "text": "Ann", "mentions": [{"start": 0, "end": 3, "label": "PER"}]}
        ... )[0].mentions
        (Mention('PER', 0, 3),)
        """
        from carob.corpus.build import of_documents

        return of_documents(documents)

    @classmethod
    def from_tags(
        cls,
        sentences: Sequence[Sequence[str]],
        tokens: Sequence[Sequence[str]] | None = None,
        scheme: str = "auto",
        repair: str = "conlleval",
    ) -> Corpus:
        """A corpus from lists of tags, one list a document, as seqeval takes them.

        >>> Corpus.from_tags([["B-PER", "I-PER", "O", "B-LOC"]])[0].mentions
        (Mention('PER', 0, 2), Mention('LOC', 3, 4))
        """
        from carob.corpus.build import of_tags

        return of_tags(sentences, tokens, scheme, repair)

    def __getitem__(self, row: int) -> Document:
        """One document, as a friendly object.

        >>> Corpus.of("[Ann]PER slept")[0].tokens
        ('Ann', 'slept')
        """
        if not -len(self) <= row < len(self):
            raise IndexError(f"document {row} of {len(self)}")
        row %= len(self)
        low, high = between(self.mentions.doc, row)
        text, tokens = self.library.words(row) if self.library else (None, None)
        rest = dict(self.extra.get(row, {}))
        spans = rest.pop("token_spans", None)
        return Document(
            id=None if self.documents.id is None else self.documents.id[row],
            text=text,
            tokens=tokens,
            mentions=tuple(self.mention(i) for i in range(low, high)),
            sentences=self.documents.sentences(row),
            attributes=_words_of(self.documents.attributes, row),
            token_spans=spans,
            relations=self._groups(self.relations, row),
            clusters=self._groups(self.clusters, row),
            templates=self.templates.of_document(row, self.mentions.id),
            unit=self.unit,
            extra=rest,
        )

    def mention(self, row: int) -> Mention:
        """One mention, as a friendly object.

        >>> Corpus.of("[Ann]PER slept").mention(0)
        Mention('PER', 0, 1)
        """
        table = self.mentions
        confidence = None if table.confidence is None else float(table.confidence[row])
        return Mention.of(
            self.labels[table.label[row]],
            table.fragments_of(row),
            _words_of(table.attributes, row),
            None if confidence is None or np.isnan(confidence) else confidence,
            None if table.id is None else table.id[row],
        )

    def _groups(self, groups: Groups, row: int) -> tuple[Group, ...]:
        found = []
        ids = self.mentions.id
        for i in np.flatnonzero(groups.doc == row).tolist():
            members = []
            for k in range(int(groups.offsets[i]), int(groups.offsets[i + 1])):
                target = int(groups.mention[k])
                member = None if target == UNKNOWN or ids is None else ids[target]
                members.append((groups.role[k] or "", member))
            found.append(Group(groups.label[i] or "", tuple(members), groups.id[i]))
        return tuple(found)

    def relabelled(self, labels: tuple[str, ...]) -> Corpus:
        """The same corpus on another vocabulary of labels, which must hold all of its own.

        >>> Corpus.of("[Ann]PER").relabelled(("LOC", "PER")).mentions.label
        array([1], dtype=int8)
        """
        if labels == self.labels:
            return self
        place = {label: i for i, label in enumerate(labels)}
        table = label_codes([place[label] for label in self.labels] + [UNKNOWN], len(labels))
        mentions = replace(self.mentions, label=table[self.mentions.label])
        return replace(self, labels=labels, mentions=mentions).ordered()

    def mapped(self, names: Mapping[str, str]) -> Corpus:
        """Labels, and the rows of slots, renamed; several may become one.

        >>> Corpus.of("[Ann]PER").mapped({"PER": "person"}).labels
        ('person',)
        """
        new = [names.get(label, label) for label in self.labels]
        labels = tuple(sorted(set(new)))
        dotted = len(self.templates) > 0 or any("." in old for old in names)
        slots = dict(names) if dotted else {}
        if labels == self.labels and new == list(labels) and not slots:
            return self
        table = label_codes([labels.index(label) for label in new] + [UNKNOWN], len(labels))
        mentions = replace(self.mentions, label=table[self.mentions.label])
        return replace(self, labels=labels, mentions=mentions, renamed=slots).ordered()

    def kept(self, rows: IntArray) -> Corpus:
        """Only the mentions `rows`; groups keep their members, which then point nowhere if gone.

        >>> len(Corpus.of("[Ann]PER [Bo]PER").kept(np.array([1])).mentions)
        1
        """
        table = np.full(len(self.mentions) + 1, UNKNOWN, np.int32)
        table[rows] = np.arange(len(rows))
        return self._with_mentions(self.mentions.take(rows), table)

    def _with_mentions(self, mentions: Mentions, moved: IntArray) -> Corpus:
        def move(groups: Groups) -> Groups:
            return replace(groups, mention=moved[groups.mention]) if len(groups) else groups

        return replace(
            self,
            mentions=mentions,
            relations=move(self.relations),
            clusters=move(self.clusters),
            templates=self.templates.linked_to(moved),
        )

    def ordered(self) -> Corpus:
        """Mentions in document order: fragments, label, attributes (by name, absent first), id.

        Where they stood before is remembered, as their place in the file.

        >>> Corpus.of("[[Ann]B]A").mentions.label
        array([0, 1], dtype=int8)
        """
        table = self.mentions
        if len(table) < 2:
            return self
        keys: list[IntArray] = [table.doc, table.start, table.first_end]
        if (many := table.discontinuous).size:
            keys.append(_tail_rank(table, many))
        keys.append(table.label)
        keys += [table.attributes[name].codes for name in sorted(table.attributes)]
        if table.id is not None:
            rank = {name: i for i, name in enumerate(sorted({i or "" for i in table.id}))}
            keys.append(int32([rank[i or ""] for i in table.id]))
        if _is_sorted(keys):
            return self
        # One packed number sorts many times faster than several columns do.
        columns = [key - min(int(key.min()), 0) for key in keys]
        order = np.argsort(packed(columns, [key[:0] for key in columns])[0], kind="stable")
        moved = np.full(len(table) + 1, UNKNOWN, np.int32)
        moved[order] = np.arange(len(table))
        taken = table.take(order)
        if table.place is None:
            taken = replace(taken, place=int32(order))
        return self._with_mentions(taken, moved)

    @classmethod
    def joined(cls, blocks: Iterable[Corpus], share: Callable[[], float] = lambda: 1.0) -> Corpus:
        """Blocks of whole documents end to end; their facts add up. `share` says how large a part
        of them has come.

        >>> len(Corpus.joined([Corpus.of("[Ann]PER"), Corpus.of("[Rome]LOC")]))
        2
        """
        parts = list(grown(blocks, share))
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return cls.of()
        units = {part.unit for part in parts if part.unit is not None}
        if len(units) > 1:
            raise UsageError("some documents count tokens, others characters")
        labels = tuple(sorted({label for part in parts for label in part.labels}))
        parts = [part.relabelled(labels) for part in parts]
        docs = np.cumsum([0] + [len(part) for part in parts]).tolist()
        rows = np.cumsum([0] + [len(part.mentions) for part in parts]).tolist()
        facts: Counter[Any] = Counter()
        extra: dict[int, Mapping[str, Any]] = {}
        for part, doc in zip(parts, docs, strict=False):
            facts.update(part.facts)
            extra.update({doc + row: rest for row, rest in part.extra.items()})

        def groups(name: str) -> Groups:
            tables: list[Groups] = [getattr(part, name) for part in parts]
            return Groups.joined(
                [
                    replace(
                        table,
                        doc=table.doc + np.int32(doc),
                        mention=np.where(table.mention < 0, UNKNOWN, table.mention + row),
                    )
                    for table, doc, row in zip(tables, docs, rows, strict=False)
                ]
            )

        mentions = [
            replace(part.mentions, doc=part.mentions.doc + np.int32(doc))
            for part, doc in zip(parts, docs, strict=False)
        ]
        return cls(
            units.pop() if units else None,
            Documents.joined([part.documents for part in parts]),
            Mentions.joined(mentions),
            labels,
            groups("relations"),
            groups("clusters"),
            _joined_templates([part.templates for part in parts], docs, rows),
            dict(facts),
            extra,
            None
            if all(part.library is None for part in parts)
            else Shelves(tuple(part.library for part in parts), tuple(docs[:-1])),
        )


def _joined_templates(
    tables: Sequence[Templates], docs: Sequence[int], rows: Sequence[int]
) -> Templates:
    if not any(len(table) for table in tables):
        return Templates.none()
    moved = []
    for table, doc, row in zip(tables, docs, rows, strict=False):
        mention = table.fillers.mention
        linked = np.where(mention < 0, UNKNOWN, mention + row).astype(np.int32)
        fillers = replace(table.fillers, mention=linked)
        moved.append(replace(table, doc=table.doc + np.int32(doc), fillers=fillers))
    return Templates.joined(moved)


def _words_of(attributes: Mapping[str, Any], row: int) -> dict[str, str]:
    found = {name: column[row] for name, column in attributes.items()}
    return {name: value for name, value in found.items() if value is not None}


def _tail_rank(table: Mentions, many: IntArray) -> IntArray:
    tails = {int(row): table.fragments_of(int(row))[1:] for row in many}
    rank = {tail: i + 1 for i, tail in enumerate(sorted(set(tails.values())))}
    ranks = np.zeros(len(table), np.int32)
    ranks[many] = [rank[tails[int(row)]] for row in many]
    return ranks


def _is_sorted(keys: Sequence[IntArray]) -> bool:
    return all(
        _is_sorted_there([key[rows.start : rows.stop + 1] for key in keys])
        for rows in stretches(len(keys[0]))
    )


def _is_sorted_there(keys: Sequence[IntArray]) -> bool:
    undecided = np.ones(len(keys[0]) - 1, bool)
    for key in keys:
        if np.any(undecided & (key[1:] < key[:-1])):
            return False
        undecided &= key[1:] == key[:-1]
        if not undecided.any():
            return True
    return True

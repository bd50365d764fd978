"""Corpus: documents and what is marked in them, as columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, overload

import numpy as np

from carob.arrays.columns import label_codes, stretches
from carob.arrays.join import packed
from carob.arrays.types import IntArray
from carob.corpus.document import Document, Group, Mention
from carob.corpus.problems import UsageError, many, plain
from carob.corpus.tables import UNKNOWN, Documents, Groups, Mentions, Templates, between, int32

FORMAT_KEYS = frozenset({"token_spans", "brat", "tbf", "unparsed"})
"""Keys of documents in which carob's own formats keep what a corpus has no column for."""

SLOTS_HINT = "if they are slots, read the file as records"

_SHOWN_KEYS = 5

Words = tuple[str | None, tuple[str, ...] | None]
"""The text and the tokens of a document, each None when unknown."""


class TagLine(NamedTuple):
    """A line of a file with its tag as it is there; None if the line is blank. `opens` is whether
    it opens a document and holds no token, as -DOCSTART- does.
    """

    line: int
    tag: str | None
    opens: bool = False


class Library(Protocol):
    """Where the words of a corpus are: they stay on disk until a message or example needs them."""

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        ...

    def line(self, row: int, place: int) -> int:
        """The line of the file on which a position of a document stands."""
        ...


class Memory(NamedTuple):
    """The library of documents that were built by hand."""

    all: tuple[Words, ...]

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        return self.all[row]

    def line(self, row: int, place: int) -> int:
        """There are no lines: the number of the document."""
        return row + 1


class Shelves(NamedTuple):
    """Libraries of blocks that were joined; `names` are their files, if each has its own."""

    parts: tuple[Library | None, ...]
    first: tuple[int, ...]
    names: tuple[str, ...] = ()

    def _shelf(self, row: int) -> int:
        return int(np.searchsorted(self.first, row, side="right")) - 1

    def file(self, row: int) -> str:
        """The file of a document; empty if it is that of the corpus."""
        return self.names[self._shelf(row)] if self.names else ""

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        shelf = self._shelf(row)
        part = self.parts[shelf]
        return part.words(row - self.first[shelf]) if part else (None, None)

    def line(self, row: int, place: int) -> int:
        """The line of the file on which a position of a document stands."""
        shelf = self._shelf(row)
        part = self.parts[shelf]
        return part.line(row - self.first[shelf], place) if part else row + 1

    def tag_lines(self, row: int) -> list[TagLine] | None:
        """The lines of a document with their tags; None if its file has none."""
        shelf = self._shelf(row)
        return _tag_lines_in(self.parts[shelf], row - self.first[shelf])


class Selection(NamedTuple):
    """The library of some documents of another: row i is its row `rows[i]`."""

    library: Library
    rows: IntArray

    def words(self, row: int) -> Words:
        """Text and tokens of a document."""
        return self.library.words(int(self.rows[row]))

    def line(self, row: int, place: int) -> int:
        """The line of the file on which a position of a document stands."""
        return self.library.line(int(self.rows[row]), place)

    def file(self, row: int) -> str:
        """The file of a document; empty if it is that of the corpus."""
        return _file_in(self.library, int(self.rows[row]))

    def tag_lines(self, row: int) -> list[TagLine] | None:
        """The lines of a document with their tags; None if its file has none."""
        return _tag_lines_in(self.library, int(self.rows[row]))


def _tag_lines_in(library: Library | None, row: int) -> list[TagLine] | None:
    """The lines of a document with their tags. Only libraries of files with tags know them."""
    lines = getattr(library, "tag_lines", None)
    return lines(row) if lines else None


def _file_in(library: Library | None, row: int) -> str:
    """The file of a document. Only libraries of folders know it."""
    file = getattr(library, "file", None)
    return str(file(row)) if file else ""


T = TypeVar("T")


class Lazy(Generic[T]):
    """A field of a dataclass that holds a value, or a function that makes it when it is first read.
    A function as default makes it where no value is given.

    >>> @dataclass(frozen=True)
    ... class File:
    ...     sha256: Lazy[str] = Lazy()
    ...     notes: Lazy[list[str]] = Lazy(list)
    >>> File(lambda: "12").sha256, File("34").notes, File(lambda: "56") == File("56")
    ('12', [], True)
    """

    def __init__(self, default: Callable[[], T] | None = None) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = f"_{name}"

    @overload
    def __get__(self, instance: None, owner: type) -> Lazy[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:  # a dataclass asks for the default
            if self._default is None:
                raise AttributeError(self._key)
            return self._default
        values = instance.__dict__
        value = values[self._key]
        if callable(value):
            value = values[self._key] = value()
        return value

    def __set__(self, instance: object, value: T | Callable[[], T]) -> None:
        instance.__dict__[self._key] = value


class WithLazyFields:
    """A dataclass with lazy fields. They are made before it is pickled, and pickled as values."""

    def __getstate__(self) -> dict[str, Any]:
        for each in fields(self):  # type: ignore[arg-type]
            getattr(self, each.name)
        return self.__dict__


@dataclass(frozen=True)
class Origin(WithLazyFields):
    """Where a corpus came from, and how it was read: what a signature says of a file."""

    path: str
    sha256: Lazy[str] = Lazy()
    format: str = "memory"
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
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
        where = f" from {self.origin.path}" if self.origin and self.origin.path else ""
        forms, fillers = len(self.templates), len(self.templates.fillers)
        slots = f", {forms:,} templates with {fillers:,} fillers" if forms else ""
        return (
            f"<Corpus{where}: {len(self):,} documents, {len(self.mentions):,} mentions, "
            f"labels {', '.join(self.labels) or 'none'}{slots}>"
        )

    @cached_property
    def sha256(self) -> str:
        """The hash of all that is in the columns, for a corpus that was not read from a file."""
        from carob.corpus.content import content_sha256

        return content_sha256(self)

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
        from carob.corpus.build import of_tags, require_lists

        require_lists(sentences, tokens)
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
        text, tokens = self.words(row)
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

    def words(self, row: int) -> Words:
        """Text and tokens of a document, each None when unknown."""
        return self.library.words(row) if self.library else (None, None)

    def tag_lines(self, row: int) -> list[TagLine] | None:
        """The lines of a document with their tags as the file has them, read again from there;
        None if it has none.

        >>> Corpus.of("[Ann]PER slept").tag_lines(0) is None
        True
        """
        return _tag_lines_in(self.library, row)

    def line(self, row: int, place: int) -> int:
        """The line of the file on which a position of a document stands."""
        if self.library is None:
            return int(self.documents.line[row])
        return self.library.line(row, place)

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
            table.head_of(row),
        )

    def _groups(self, groups: Groups, row: int) -> tuple[Group, ...]:
        objects = []
        ids = self.mentions.id
        for i in np.flatnonzero(groups.doc == row).tolist():
            members = []
            for k in range(int(groups.offsets[i]), int(groups.offsets[i + 1])):
                target = int(groups.mention[k])
                member = None if target == UNKNOWN or ids is None else ids[target]
                members.append((groups.role[k] or "", member))
            objects.append(Group(groups.label[i] or "", tuple(members), groups.id[i]))
        return tuple(objects)

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
        """Labels of mentions and relations, and the rows of slots, renamed; several may become one.

        >>> Corpus.of("[Ann]PER").mapped({"PER": "person"}).labels
        ('person',)
        """
        new = [names.get(label, label) for label in self.labels]
        labels = tuple(sorted(set(new)))
        dotted = len(self.templates) > 0 or any("." in old for old in names)
        slots = dict(names) if dotted else {}
        relations = self.relations
        if not names.keys().isdisjoint(relations.label.values):
            relations = replace(relations, label=relations.label.renamed(names))
        if new == list(self.labels) and not slots and relations is self.relations:
            return self
        table = label_codes([labels.index(label) for label in new] + [UNKNOWN], len(labels))
        mentions = replace(self.mentions, label=table[self.mentions.label])
        return replace(
            self, labels=labels, mentions=mentions, relations=relations, renamed=slots
        ).ordered()

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

    def only(self, docs: IntArray) -> Corpus:
        """The documents `docs` alone (in ascending order), with all that is marked in them.

        Origin and facts stay those of the whole file.

        >>> Corpus.of("[Ann]PER slept", "[Bo]PER woke").only(np.array([1]))[0].mentions
        (Mention('PER', 0, 1),)
        """
        if len(docs) == len(self):
            return self
        place = np.full(len(self), UNKNOWN, np.int32)
        place[docs] = np.arange(len(docs))
        kept = self.kept(np.flatnonzero(place[self.mentions.doc] != UNKNOWN))

        def moved(groups: Groups) -> Groups:
            taken = groups.take(np.flatnonzero(place[groups.doc] != UNKNOWN))
            return replace(taken, doc=place[taken.doc])

        return replace(
            kept,
            documents=self.documents.take(docs),
            mentions=replace(kept.mentions, doc=place[kept.mentions.doc]),
            relations=moved(kept.relations),
            clusters=moved(kept.clusters),
            templates=kept.templates.take(docs),
            extra={int(place[row]): rest for row, rest in self.extra.items() if place[row] >= 0},
            library=None if self.library is None else Selection(self.library, int32(docs)),
        )

    def file_name(self, side: str, row: int | None = None) -> str:
        """The name of this corpus in messages: its file, in a folder the file of the document
        `row`; `side` if it has none.
        """
        name = "" if row is None else _file_in(self.library, row)
        return name or (self.origin.path if self.origin else "") or side

    @classmethod
    def joined(cls, blocks: Iterable[Corpus], share: Callable[[], float] = lambda: 1.0) -> Corpus:
        """Blocks of whole documents end to end; their facts add up. `share` says which share of
        all documents has come, so that room for all is made at once.

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
        shelves = tuple(part.library for part in parts)
        return cls(
            units.pop() if units else None,
            Documents.joined([part.documents for part in parts]),
            Mentions.joined([part.mentions for part in parts], docs),
            labels,
            Groups.joined([part.relations for part in parts], docs, rows),
            Groups.joined([part.clusters for part in parts], docs, rows),
            Templates.joined([part.templates for part in parts], docs, rows),
            dict(facts),
            extra,
            Shelves(shelves, tuple(docs[:-1])) if any(shelves) else None,
        )


_DOCUMENT_COLUMNS = ("length", "hash", "sentence_start", "line", "offset")
_MENTION_COLUMNS = ("start", "end", "label")


class _Growth:
    """Neighbouring plain blocks as one block, whose columns grow as they come.

    A large file is read in many blocks. To keep them all and to join them at the end would need
    twice the memory.
    """

    def __init__(self, first: Corpus, share: float) -> None:
        self._first, self._blocks, self._docs, self._sentences = first, 0, 0, 0
        self._columns: dict[str, np.ndarray[Any, Any]] = {}
        self._sizes: Counter[str] = Counter()
        self._facts: Counter[Any] = Counter()
        self.add(first, share)

    def fits(self, block: Corpus) -> bool:
        """Whether the columns can go on with this block."""
        first = self._first
        return block.unit == first.unit and block.labels == first.labels and _is_plain(block)

    def add(self, block: Corpus, share: float) -> None:
        """Go on with this block; then this share of the whole is there."""
        documents, mentions = block.documents, block.mentions
        offsets = documents.sentence_offsets[1 if self._blocks else 0 :]
        self._extend("sentence_offsets", offsets + self._sentences, share)
        self._extend("doc", mentions.doc + np.int32(self._docs), share)
        for name in _DOCUMENT_COLUMNS:
            self._extend(name, getattr(documents, name), share)
        for name in _MENTION_COLUMNS:
            self._extend(name, getattr(mentions, name), share)
        self._blocks += 1
        self._docs += len(documents)
        self._sentences += len(documents.sentence_start)
        self._facts.update(block.facts)

    def _extend(self, name: str, part: np.ndarray[Any, Any], share: float) -> None:
        old, size = self._sizes[name], self._sizes[name] + len(part)
        column = self._columns.get(name)
        if column is None or size > len(column):
            # Room for the whole column, and a little more. It takes no memory until it is written.
            room = np.empty(int(size / min(max(share, 1 / 256), 1) * 17 / 16), part.dtype)
            if column is not None:
                room[:old] = column[:old]
            column = self._columns[name] = room
        column[old:size] = part
        self._sizes[name] = size

    def whole(self) -> Corpus:
        """All blocks as one."""
        if self._blocks == 1:
            return self._first
        columns: dict[str, Any] = self._columns
        for name, size in self._sizes.items():
            columns[name].resize(size, refcheck=False)  # there is no view of it yet
        documents = {name: columns[name] for name in ("sentence_offsets", *_DOCUMENT_COLUMNS)}
        mentions = {name: columns[name] for name in ("doc", *_MENTION_COLUMNS)}
        return replace(
            self._first,
            documents=replace(self._first.documents, **documents),
            mentions=replace(self._first.mentions, **mentions),
            facts=dict(self._facts),
        )


def _is_plain(block: Corpus) -> bool:
    """Whether a block has flat mentions and nothing else."""
    table, documents = block.mentions, block.documents
    absent = (table.fragments, table.confidence, table.id, table.place, documents.id, block.library)
    empty = (table.attributes, documents.attributes, block.extra,
             block.relations, block.clusters, block.templates)  # fmt: skip
    return all(each is None for each in absent) and not any(len(each) for each in empty)


def grown(blocks: Iterable[Corpus], share: Callable[[], float] = lambda: 1.0) -> Iterator[Corpus]:
    """The same documents in fewer blocks: neighbouring plain blocks with equal labels are one.

    >>> [len(block) for block in grown([Corpus.of("[Ann]A"), Corpus.of("[Rome]A")])]
    [1, 1]
    """
    growth: _Growth | None = None
    for block in blocks:
        if growth is not None and growth.fits(block):
            growth.add(block, share())
            continue
        if growth is not None:
            yield growth.whole()
        growth = _Growth(block, share()) if _is_plain(block) else None
        if growth is None:
            yield block
    if growth is not None:
        yield growth.whole()


def unscored_keys(corpus: Corpus) -> tuple[list[int], str]:
    """The documents with keys that carob does not know, and those keys for a message. They are
    kept and written again, but not scored.

    >>> unscored_keys(Corpus.of({"mentions": [], "speaker": "Ann"}, {"mentions": [], "tbf": {}}))
    ([0], 'speaker')
    """
    rows: list[int] = []
    names: dict[str, None] = {}
    for row in sorted(corpus.extra):
        if unknown := corpus.extra[row].keys() - FORMAT_KEYS:
            rows.append(row)
            names.update(dict.fromkeys(sorted(unknown)))
    first = ", ".join(map(plain, list(names)[:_SHOWN_KEYS]))
    more = len(names) - _SHOWN_KEYS
    return rows, f"{first} and {more:,} more" if more > 0 else first


def unscored_key_remarks(corpora: Iterable[tuple[str, Corpus]]) -> tuple[str, ...]:
    """A remark for each corpus, by its name, that has such keys.

    >>> print(*unscored_key_remarks([("gold", Corpus.of({"mentions": [], "who": "Ann"}))]))
    gold: 1 document with keys that jsonl does not know: who; if they are slots, read the file as \
records
    """
    remarks = []
    for name, corpus in corpora:
        rows, keys = unscored_keys(corpus) if corpus.extra else ([], "")
        if rows:
            count = "1 document" if len(rows) == 1 else f"{len(rows):,} documents"
            lead = f"{plain(name)}: " if name else ""
            unknown = f"{count} with keys that jsonl does not know: {keys}"
            remarks.append(f"{lead}{unknown}; {SLOTS_HINT}")
    return tuple(remarks)


LEFT_OUT = "left_out"
"""The fact that counts what a lenient reader left out; after it and a colon, each thing."""

UNPARSED = "unparsed"
"""The fact that counts answers that could not be read; after it and a colon, the first of them."""

LAYER = "layer"
"""The fact that names, after it and a colon, the layer that holds the mentions of a document."""

_CUT = "beginning or ending inside a word, as hardly any would if"

FACT_PROBLEMS = {
    "without_returns": (
        "K609",
        "text",
        "read without carriage returns, which the offsets leave out",
    ),
    "touching_fragments": (
        "K611",
        "mention",
        "with fragments that touch, which count and are written as one",
    ),
    LEFT_OUT: ("K610", "line", "left out because of errors"),
    "respelled": (
        "K111",
        "tag",
        "whose prefix is written in another way than in B-PER, and read like it",
    ),
    "stray_quotes": ("K226", "quote", "ignored for lack of a partner"),
    "idle_marks": ("K226", "message", "with templates and also TEMPLATE *, which is ignored"),
    "misquoted": ("K234", "mention", "with other words in the text than the file quotes, of "
                  "{quoted:,} that it quotes"),
    "mismeasured": ("K234", "mention", "longer or shorter than the words that the file quotes, of "
                    "{measured:,} with words"),
    "cut_utf16": ("K234", "mention", f"{_CUT} offsets counted UTF-16 units: --read offsets=utf16"),
    "cut_bytes": ("K234", "mention", f"{_CUT} offsets counted bytes: --read offsets=bytes"),
    "cut_inclusive": (
        "K234",
        "mention",
        f"{_CUT} ends were inclusive: --read offsets=inclusive",
    ),
    "unknown_id_key": ("K237", "document", "without an id: no record has the key that id= names"),
    "editor_files": ("K012", "backup file", "of an editor left out"),
    "mended": ("K214", "damaged answer", "mended"),
    UNPARSED: ("K215", "answer", "could not be read and {counts} as empty{first}"),
    "rejected": ("K236", "rejected record", "left out"),
    "skipped": ("K236", "skipped record", "left out"),
    "cancelled": ("K236", "cancelled annotation", "left out"),
    "other_annotators": ("K236", "record", "of other annotators left out"),
    "span_groups": (
        "K236",
        "document",
        "with groups of spans, which are not read; --read spans=NAME reads one of them",
    ),
    "unlabelled": ("K236", "region", "without a label left out"),
    "unindexed": ("K236", "annotation", "outside the index of the view left out"),
    "other_texts": ("K236", "region", "of other texts left out"),
    "text_classes": ("K236", "task", "without spans left out, with a label of the whole text"),
    "ungrouped": ("K236", "document", "without the group of spans that spans= names"),
    "unlayered": ("K236", "document", "without a layer of mentions, or the one that layer= names"),
    "unread_relations": ("K236", "relation", "left out, as entities have no ids"),
    "unread_places": ("K236", "place", "of entities not read: their keys are not start and end"),
    "unread_evidence": ("K236", "relation", "with evidence, which is not read"),
    "padding": ("K236", "token", "with the number -100 left out"),
    "unlabelled_relations": ("K236", "relation", "of words that are no mentions left out"),
    "unplaced": ("K236", "extraction", "without a place in the text left out"),
}  # fmt: skip
"""What readers count and users must know: a code, what is counted, and what was done."""


def fact_remarks(corpus: Corpus) -> list[tuple[str, str]]:
    """Code and sentence for each odd thing that a reader accepted, and what was left out.

    >>> from dataclasses import replace
    >>> fact_remarks(replace(Corpus.of(), facts={"stray_quotes": 2}))
    [('K226', '2 quotes ignored for lack of a partner')]
    """
    if not any(corpus.facts.values()):
        return []
    words = {**corpus.facts, **_unparsed_words(corpus.facts)}
    remarks = [
        (code, f"{many(corpus.facts[fact], what)} {odd.format_map(words)}")
        for fact, (code, what, odd) in FACT_PROBLEMS.items()
        if corpus.facts.get(fact)
    ]
    code, lead = FACT_PROBLEMS[LEFT_OUT][0], f"{LEFT_OUT}: "
    listed = listed_facts(corpus.facts, LEFT_OUT)
    return remarks + [(code, f"left out: {key.removeprefix(lead)}") for key in listed[:_LISTED]]


def listed_facts(facts: Iterable[Any], name: str) -> list[str]:
    """The facts that name the things which the fact of this name counts.

    >>> listed_facts({"left_out": 1, "left_out: a.ann:1": 1}, "left_out")
    ['left_out: a.ann:1']
    """
    return [key for key in facts if isinstance(key, str) and key.startswith(f"{name}: ")]


def _unparsed_words(facts: Mapping[Any, int]) -> dict[str, str]:
    """The verb of the remark on answers that could not be read, and the first of them."""
    several = facts.get(UNPARSED, 0) > 1
    first = "".join(listed_facts(facts, UNPARSED)[:1]).removeprefix(f"{UNPARSED}: ")
    first = first if several else first.replace(": ", ", ", 1)
    lead = ", first " if several else ": "
    return {"counts": "count" if several else "counts", "first": f"{lead}{first}" if first else ""}


_LISTED = 20
"""How many things that were left out are listed."""


def same_but_for_case(labels: Iterable[str]) -> list[list[str]]:
    """Labels that differ in case only, together.

    >>> same_but_for_case(["LOC", "PER", "Per"])
    [['PER', 'Per']]
    """
    every = list(labels)
    if len({label.casefold() for label in every}) == len(every):
        return []
    by_fold: dict[str, list[str]] = {}
    for label in every:
        by_fold.setdefault(label.casefold(), []).append(label)
    return [names for names in by_fold.values() if len(names) > 1]


def _words_of(attributes: Mapping[str, Any], row: int) -> dict[str, str]:
    words = {name: column[row] for name, column in attributes.items()}
    return {name: word for name, word in words.items() if word is not None}


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

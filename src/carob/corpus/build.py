"""From friendly objects to columns."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from carob.arrays.columns import label_codes
from carob.arrays.hashing import hash_lists
from carob.arrays.tags import (
    KINDS,
    OUTSIDE,
    SCHEMES,
    Tagged,
    decode,
    illegal,
    interpret,
    plain_tagged,
    recognise,
    scheme_name,
    tag_numbers,
    tagged,
)
from carob.arrays.types import HashArray, IntArray
from carob.corpus.corpus import Corpus, Memory, Origin
from carob.corpus.document import Document, Group, Mention, Span, bracketed
from carob.corpus.problems import UsageError, nearest, plain, repeated, shown
from carob.corpus.tables import (
    UNKNOWN,
    Codes,
    Documents,
    Fragments,
    Groups,
    Mentions,
    Templates,
    int32,
)


class _Worded(Protocol):
    """What has a text or tokens."""

    @property
    def text(self) -> str | None: ...
    @property
    def tokens(self) -> Sequence[str] | None: ...
    @property
    def unit(self) -> str | None: ...


def document_hashes(documents: Sequence[_Worded]) -> HashArray:
    """What tells documents apart: the hash of the text, or of the tokens; 0 if unknown."""
    return word_hashes(
        [d.text if d.unit == "char" else None for d in documents],
        [None if d.unit == "char" else d.tokens for d in documents],
    )


def word_hashes(texts: Sequence[str | None], tokens: Sequence[Sequence[str] | None]) -> HashArray:
    """The hash of the text of each document, or of its tokens if it has no text; 0 for neither.

    >>> word_hashes([None, None], [["Ann"], None]).tolist() == [int(hash_lists([["Ann"]])[0]), 0]
    True
    """
    if all(each.count(None) == len(each) for each in (texts, tokens)):  # as records have it
        return np.zeros(len(texts), np.uint64)
    hashes = hash_lists([
        () if text is not None else words or ()
        for text, words in zip(texts, tokens, strict=True)
    ])  # fmt: skip
    rows = [row for row, text in enumerate(texts) if text is not None]
    hashes[rows] = text_hashes([text for text in texts if text is not None])
    return hashes


def text_hashes(texts: Sequence[str]) -> HashArray:
    """The hash of each text, which is never 0.

    >>> one, other, same = text_hashes(["Ann", "", "Ann"])
    >>> bool(one == same), bool(one == other)
    (True, False)
    """
    # Our own hash takes eight bytes a step: seconds for a megabyte of text.
    coded = (text.encode("utf-8", "surrogatepass") for text in texts)
    digests = b"".join([hashlib.blake2b(each, digest_size=8).digest() for each in coded])
    hashes: HashArray = np.maximum(np.frombuffer(digests, "<u8"), np.uint64(1))
    return hashes


def _as_document(document: str | Document | Mapping[str, Any], number: int) -> Document:
    if isinstance(document, Document):
        return document
    try:
        if isinstance(document, str):
            return bracketed(document)
        if isinstance(document, Mapping):
            return _of_mapping(document)
    except UsageError as error:
        name = document.get("id") if isinstance(document, Mapping) else None
        which = shown(name) if isinstance(name, str) else str(number)
        raise UsageError(f"document {which}: {error}") from None
    raise UsageError(
        f"document {number}: a document is marked text, a Document or a dict, "
        f"not {type(document).__name__}"
    )


def _of_mapping(record: Mapping[str, Any]) -> Document:
    from carob.corpus.corpus import FORMAT_KEYS
    from carob.corpus.record import KEYS, document_of

    strange = [key for key in record if key not in {*KEYS, *FORMAT_KEYS}]
    if strange and record.keys() <= {*strange, "id", "text", "attributes"}:
        slot = plain(str(strange[0]))
        raise UsageError(
            f"found the key {slot} and none of those that hold something, like mentions or "
            f"templates; if {slot} is a slot, it stands in a template: "
            f'{{"templates": [{{"slots": {{"{slot}": [...]}}}}]}}'
        )
    return document_of(record)


def of_documents(
    documents: Iterable[str | Document | Mapping[str, Any]],
    lines: Sequence[int] | None = None,
    offsets: Sequence[int] | None = None,
) -> Corpus:
    """The corpus that holds these documents."""
    docs = [_as_document(document, number) for number, document in enumerate(documents, 1)]
    units = {doc.unit for doc in docs if doc.unit is not None}
    if len(units) > 1:
        raise UsageError("some documents count tokens, others characters; a corpus has one unit")
    unit = units.pop() if units else None
    ids = _ids(docs)
    mentions, labels = _mentions(docs)
    corpus = Corpus(
        unit,
        Documents(
            int32([doc.length for doc in docs]),
            document_hashes(docs),
            np.cumsum([0] + [len(doc.sentences) for doc in docs]),
            int32([start for doc in docs for start in doc.sentences]),
            np.array(lines or range(1, len(docs) + 1), np.int64),
            np.array(offsets or [0] * len(docs), np.int64),
            ids,
            _attributes([doc.attributes for doc in docs]),
        ),
        mentions,
        labels,
        _groups(docs, "relations"),
        _groups(docs, "clusters"),
        _templates(docs),
        extra={i: extra for i, doc in enumerate(docs) if (extra := _extra(doc))},
        library=Memory(tuple((doc.text, doc.tokens) for doc in docs)),
    )
    return corpus.ordered()


def _extra(doc: Document) -> dict[str, Any]:
    extra = dict(doc.extra)
    if doc.token_spans is not None:
        extra["token_spans"] = doc.token_spans
    return extra


def _ids(docs: Sequence[Document]) -> tuple[str, ...] | None:
    if all(doc.id is None for doc in docs):
        return None
    ids = tuple(doc.id for doc in docs if doc.id is not None)
    if len(ids) < len(docs):
        row = next(row for row, doc in enumerate(docs) if doc.id is None)
        raise UsageError(f"document {row + 1} has no id, but others have")
    if len(set(ids)) < len(ids):
        raise UsageError(f"two documents have the id {shown(repeated(ids))}")
    return ids


def _attributes(rows: Sequence[Mapping[str, str]]) -> dict[str, Codes]:
    names = sorted({name for row in rows for name in row})
    return {name: Codes.of([row.get(name) for row in rows]) for name in names}


def _mentions(docs: Sequence[Document]) -> tuple[Mentions, tuple[str, ...]]:
    every = [mention for doc in docs for mention in doc.mentions]
    label = Codes.of([mention.label for mention in every])
    fragments = None
    if any(len(mention.fragments) > 1 for mention in every):
        fragments = Fragments.of_spans([mention.fragments for mention in every])
    confidence = None
    if any(mention.confidence is not None for mention in every):
        confidence = np.array(
            [np.nan if m.confidence is None else m.confidence for m in every], np.float64
        )
    ids = None
    if any(mention.id is not None for mention in every):
        ids = tuple(mention.id for mention in every)
    table = Mentions(
        np.repeat(np.arange(len(docs), dtype=np.int32), [len(doc.mentions) for doc in docs]),
        int32([mention.start for mention in every]),
        int32([mention.end for mention in every]),
        label_codes(label.codes, len(label.values)),
        fragments,
        _attributes([mention.attributes for mention in every]),
        confidence,
        ids,
        head=_heads(every),
    )
    return table, label.values


def _heads(mentions: Sequence[Mention]) -> IntArray | None:
    if all(mention.head is None for mention in mentions):
        return None
    nowhere = (UNKNOWN, UNKNOWN)
    return np.array([m.head or nowhere for m in mentions], np.int32)


def _groups(docs: Sequence[Document], name: str) -> Groups:
    rows: list[tuple[int, Group]] = [
        (i, g) for i, doc in enumerate(docs) for g in getattr(doc, name)
    ]
    if not rows:
        return Groups.none()
    mentions = _mention_rows(docs)
    target = []
    for i, group in rows:
        for _, member in group.members:
            if member is None or member not in mentions[i]:
                raise UsageError(
                    f"{name[:-1]} {shown(group.label or group.id or '')} of document "
                    f"{shown(docs[i].id or str(i + 1))} names the mention {shown(str(member))}, "
                    "which is not there"
                )
            target.append(mentions[i][member][0])
    return Groups(
        int32([i for i, _ in rows]),
        Codes.of([group.label or None for _, group in rows]),
        np.cumsum([0] + [len(group.members) for _, group in rows]),
        Codes.of([role or None for _, group in rows for role in group.roles]),
        int32(target),
        tuple(group.id for _, group in rows),
    )


def _templates(docs: Sequence[Document]) -> Templates:
    if not any(doc.templates for doc in docs):
        return Templates.none()
    names = [str(i + 1) if doc.id is None else shown(doc.id) for i, doc in enumerate(docs)]
    return Templates.of([doc.templates for doc in docs], _mention_rows(docs), names)


def _mention_rows(docs: Sequence[Document]) -> list[dict[str, tuple[int, tuple[Span, ...]]]]:
    first = np.cumsum([0] + [len(doc.mentions) for doc in docs]).tolist()
    return [
        {m.id: (row, m.fragments) for row, m in enumerate(doc.mentions, start) if m.id is not None}
        for start, doc in zip(first, docs, strict=False)
    ]


def of_tags(
    sentences: Sequence[Sequence[str]],
    tokens: Sequence[Sequence[str]] | None,
    scheme: str,
    repair: str,
    columns: TagColumns | None = None,
    *,
    with_origin: bool = False,
) -> Corpus:
    """The corpus that these lists of tags describe, one list a document. That they are lists, with
    one tag for each token, is for the caller to check: `require_lists`. `columns` are what
    `plain_columns` has found in the lists. `with_origin`, signatures say how the tags were read.
    """
    scheme = scheme_name(scheme)
    for what, value, choices in (
        ("scheme", scheme, ("auto", *SCHEMES)),
        ("repair", repair, ("conlleval", "discard", "strict")),
    ):
        if value not in choices:
            raise UsageError(f"no {what} is called {value!r}{nearest(value, choices)}")
    words = None if tokens is None else [tuple(each) for each in tokens]
    (doc, within, code, place, lengths), tags = columns or _tag_columns(sentences)

    def where(token: int) -> str:
        return f"document {int(doc[token]) + 1}, tag {int(within[token]) + 1}"

    tagset = interpret(tags, scheme)
    if tagset.bad:
        token = min(int(np.argmax(code == bad)) for bad in tagset.bad)
        bad = int(code[token])
        raise UsageError(f"{where(token)}: found {shown(tags[bad])}, expected {tagset.bad[bad]}")
    label = tagset.label.take(code)
    if len(label) and label.min() < 0:  # o, where it means O
        inside = label >= 0
        doc, within, code, place, label = (e[inside] for e in (doc, within, code, place, label))
    respelled = int(np.isin(code, tagset.respelled).sum()) if tagset.respelled else 0
    runs = decode(place, tagset.prefix.take(code), label)
    counts = np.bincount(runs.kind, minlength=KINDS)
    known_scheme = recognise(tagset.letters, counts) if scheme == "auto" else scheme
    if known_scheme is None:
        raise UsageError(
            f"the prefixes {' '.join(sorted(tagset.letters))} belong to no one scheme; "
            f"schemes: {', '.join(SCHEMES)}"
        )
    wrong = illegal(known_scheme).take(runs.kind)
    illegal_runs = int(np.count_nonzero(wrong))
    if repair == "strict" and illegal_runs:
        token = int(runs.first[np.flatnonzero(wrong)[0]])
        raise UsageError(
            f"{where(token)}: {shown(tags[int(code[token])])} is not legal in {known_scheme}"
        )
    first, last = runs.first, runs.last
    if repair == "discard":
        first, last = first[~wrong], last[~wrong]
    size = len(lengths)
    corpus = partial(
        Corpus,
        "token",
        Documents(
            int32(lengths),
            np.zeros(size, np.uint64) if words is None else hash_lists(words),
            np.zeros(size + 1, np.int64),
            int32([]),
            np.arange(1, size + 1),
            np.zeros(size, np.int64),
        ),
        Mentions(
            doc.take(first),
            int32(within.take(first)),
            int32(within.take(last) + 1),
            label_codes(label.take(first), len(tagset.labels)),
        ),
        tagset.labels,
        facts={"repaired": illegal_runs if repair == "conlleval" else 0,
               "discarded": illegal_runs if repair == "discard" else 0,
               **({"respelled": respelled} if respelled else {})},
        library=None if words is None else Memory(tuple((None, each) for each in words)),
    )  # fmt: skip
    if not with_origin:
        return corpus()
    # An origin that held its own corpus would not be freed until Python looks for circles.
    how = {"scheme": known_scheme, "repair": repair}
    return corpus(origin=Origin("", lambda: corpus().sha256, "memory", how))


def require_lists(
    sentences: Sequence[Sequence[str]], words: Sequence[Sequence[str]] | None = None
) -> None:
    """Refuse what is no list of lists, or does not have one tag for each token.

    >>> require_lists([["B-PER"]], [["Ann"]])
    """
    if words is not None and len(words) != len(sentences):
        raise UsageError(f"{len(sentences)} lists of tags, but {len(words)} lists of tokens")
    kinds = set(map(type, sentences))
    unlike = [kind for kind in kinds if issubclass(kind, str) or not hasattr(kind, "__len__")]
    for i, tags in enumerate(sentences if unlike or words is not None else ()):
        if type(tags) in unlike or (words is not None and len(words[i]) != len(tags)):
            raise UsageError(f"document {i + 1} needs one list of tags, one tag for each token")


class TagColumns(NamedTuple):
    """The tokens of lists of tags that have one other than O, and what the numbers of tags mean."""

    tokens: Tagged
    tags: tuple[str, ...]


def plain_columns(sentences: Sequence[Any]) -> TagColumns | None:
    """The columns of lists of tags, if it is quickly seen that they are nothing else.

    >>> plain_columns([{"text": "Ann"}]) is None
    True
    """
    numbers = _tag_numbers()
    found = plain_tagged(sentences, numbers, len(OUTSIDE))
    return None if found is None else TagColumns(found, tuple(numbers))


def _tag_columns(sentences: Sequence[Sequence[str]]) -> TagColumns:
    numbers = _tag_numbers()
    try:
        found = tagged(sentences, numbers, len(OUTSIDE))
        strange = {tag for tag in numbers if not isinstance(tag, str)}
    except TypeError:  # a list or dict has no place in a dict
        strange = {None}  # type: ignore[arg-type]
    for i, tags in enumerate(sentences if strange else ()):
        for k, tag in enumerate(tags):
            if not isinstance(tag, str):
                raise UsageError(
                    f"document {i + 1}, tag {k + 1}: found {plain(repr(tag)[:60])}, "
                    "expected a tag like O or B-PER"
                )
    return TagColumns(found, tuple(numbers))


def _tag_numbers() -> defaultdict[str, int]:
    """Numbers of tags, of which the lowest are those that mean nothing."""
    numbers = tag_numbers()
    for tag in OUTSIDE:
        _ = numbers[tag]
    return numbers

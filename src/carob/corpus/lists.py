"""From lists in memory to a corpus: tags, mentions, dicts or spaCy's documents, as they come."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, TypeGuard

import numpy as np

from carob.arrays.columns import label_codes
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Mention
from carob.corpus.problems import UsageError, plain
from carob.corpus.tables import Codes, Documents, Mentions, int32

DOCUMENTS = "lists of tags, lists of mentions (label, start, end), dicts, Documents or spaCy's Docs"


TAG_KEYS = ("ner_tags", "tags", "labels")
"""Under which keys rows of datasets have the tags of their tokens."""


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list, or an array or column that can be one.

    >>> is_list([]), is_list(np.array(["O"])), is_list("O")
    (True, True, False)
    """
    if isinstance(value, (list, tuple)):
        return True
    # Words and numbers of NumPy have the method too.
    return hasattr(value, "tolist") and hasattr(value, "__len__") and not isinstance(value, str)


def holds_documents(value: Any) -> bool:
    """Whether a list holds documents; otherwise it is a list of systems, or none at all.

    >>> holds_documents([["B-PER", "O"]]), holds_documents([[["B-PER", "O"]], [["O", "O"]]])
    (True, False)
    >>> holds_documents([[("PER", 0, 1)], []]), holds_documents(["a.conll", "b.conll"])
    (True, False)
    """
    if not is_list(value) or not len(value):
        return False
    for document in value:
        if isinstance(document, (str, os.PathLike, Corpus)):
            return False
        if not is_list(document):
            return _is_document(document) or isinstance(document, Mapping)
        for item in document:
            return not _is_document(item)  # then the list is a system
    return True


def _is_document(item: Any) -> bool:
    """Whether an item is a document, and neither a tag nor a mention."""
    if is_list(item):
        return not _is_mention(item)
    if isinstance(item, Mapping):
        return "label" not in item and not {"start", "end"} <= item.keys()
    return isinstance(item, Document) or hasattr(item, "ents") or is_example(item)


def _is_mention(item: Any) -> bool:
    """Whether a list or tuple was written as a mention, perhaps not as it should be: a label and
    two places, which may be texts, and perhaps the words.
    """
    if len(item) not in (3, 4) or not isinstance(item[0], str):
        return False
    start, end = item[1:3]
    if isinstance(start, str) and isinstance(end, str):
        return start.isdecimal() and end.isdecimal() and int(start) < int(end)
    return not isinstance(start, str) and (not isinstance(end, str) or end.isdecimal())


def is_example(item: Any) -> bool:
    """Whether an item is an Example of spaCy, which holds gold and an answer.

    >>> is_example(["B-PER"])
    False
    """
    return hasattr(item, "reference") and hasattr(item, "predicted")


def of_lists(
    documents: Any, scheme: str = "auto", repair: str = "conlleval", *, gold: bool = False
) -> Corpus:
    """The corpus that lists describe, one item for each document: a list of tags, a list of
    mentions `(label, start, end)` or dicts with these keys, a dict as in carob's jsonl, a Document,
    a Doc of spaCy, or an Example of spaCy, which holds `gold` and an answer. Ends are exclusive.
    `scheme` and `repair` are for tags.

    >>> of_lists([[("PER", 0, 2)], []])[0].mentions
    (Mention('PER', 0, 2),)
    >>> of_lists([["B-PER", "O"], ["O"]]).documents.length
    array([2, 1], dtype=int32)
    """
    from carob.corpus.build import of_documents, of_tags, plain_columns  # files need it not

    every = _as_list(documents)
    columns = plain_columns(every)
    if columns is None and set(map(type, every)) != {list}:
        every = [_as_list(_of_example(each, gold=gold)) for each in every]
        are_lists = [type(each) is list for each in every]
        if len(set(are_lists)) > 1:
            row = are_lists.index(not are_lists[0])
            raise UsageError(
                f"document {row + 1}: found {type(every[row]).__name__}, expected "
                f"{type(every[0]).__name__} like document 1: all documents are of one kind"
            )
        if not all(are_lists):
            return of_documents([_of_one(each, i + 1) for i, each in enumerate(every)])
    first = next((items[0] for items in every if items), None)
    if not isinstance(first, str):
        return _of_mentions(every)
    for row, items in enumerate(every if columns is None else ()):
        if _is_mention(items):
            raise _bare_mention(row + 1)
    return of_tags(every, None, scheme, repair, columns, with_origin=True)


def _of_example(document: Any, *, gold: bool) -> Any:
    """One side of an Example of spaCy; any other document as it is."""
    if not is_example(document):
        return document
    return document.reference if gold else document.predicted


def _as_list(value: Any) -> Any:
    if type(value) is list:
        return value
    if isinstance(value, (list, tuple)):
        return list(value)
    return value.tolist() if hasattr(value, "tolist") else value


def _of_one(document: Any, number: int) -> Document | Mapping[str, Any]:
    """A document that is one object."""
    if isinstance(document, Document):
        return document
    if isinstance(document, Mapping):
        if {"start", "end"} <= document.keys():
            raise _bare_mention(number)
        if "tokens" in document and "mentions" not in document:
            _refuse_tags(document, number)
        return document
    if hasattr(document, "ents"):
        tokens = list(document)
        return Document(
            text=document.text,
            tokens=tuple(token.text for token in tokens),
            token_spans=tuple((token.idx, token.idx + len(token.text)) for token in tokens),
            mentions=tuple(
                Mention(span.label_, span.start_char, span.end_char) for span in document.ents
            ),
        )
    raise UsageError(
        f"document {number}: found {type(document).__name__}, expected one of: {DOCUMENTS}"
    )


def _refuse_tags(document: Mapping[str, Any], number: int) -> None:
    """Refuse a row of a dataset: a tag for each token, and no mentions."""
    for key in TAG_KEYS:
        tokens, tags = document["tokens"], document.get(key)
        if is_list(tokens) and is_list(tags) and len(tokens) == len(tags):
            raise UsageError(
                f"document {number}: found tokens with {key}, expected tokens with mentions; "
                f"give the tags themselves, as texts: [row[{key!r}] for row in rows]"
            )


def _bare_mention(number: int) -> UsageError:
    return UsageError(
        f"document {number}: found a mention, expected a list of mentions for each document"
    )


def _of_mentions(documents: Sequence[Sequence[Any]]) -> Corpus:
    """Lists of mentions. How long the documents are is not known, nor what positions count."""
    doc: list[int] = []
    labels: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for row, mentions in enumerate(documents):
        for place, mention in enumerate(mentions):
            if isinstance(mention, Mention) or (
                isinstance(mention, Mapping) and mention.keys() != {"label", "start", "end"}
            ):
                # It may have attributes, fragments or a confidence, which documents can hold.
                from carob.corpus.build import of_documents

                return of_documents([_with_mentions(each, i) for i, each in enumerate(documents)])
            label, start, end = _checked(mention, row, place)
            doc.append(row)
            labels.append(label)
            starts.append(start)
            ends.append(end)
    column, size = Codes.of(labels), len(documents)
    return Corpus(
        None,
        Documents(
            np.full(size, -1, np.int32),
            np.zeros(size, np.uint64),
            np.zeros(size + 1, np.int64),
            int32([]),
            np.arange(1, size + 1),
            np.zeros(size, np.int64),
        ),
        Mentions(
            int32(doc), int32(starts), int32(ends), label_codes(column.codes, len(column.values))
        ),
        column.values,
    ).ordered()


def _with_mentions(mentions: Sequence[Any], row: int) -> Document | Mapping[str, Any]:
    if mentions and isinstance(mentions[0], Mention):
        if not all(isinstance(each, Mention) for each in mentions):
            raise UsageError(f"document {row + 1}: some mentions are of another kind")
        return Document(mentions=tuple(mentions))
    records = [
        each if isinstance(each, Mapping)
        else dict(zip(("label", "start", "end"), _checked(each, row, place), strict=True))
        for place, each in enumerate(mentions)
    ]  # fmt: skip
    return {"mentions": records}


def _checked(mention: Any, row: int, place: int) -> tuple[str, int, int]:
    """Label, start and end of a mention."""
    where = f"document {row + 1}, mention {place + 1}"
    try:
        if isinstance(mention, Mapping):
            mention = mention["label"], mention["start"], mention["end"]
        label, start, end = mention
        if not isinstance(label, str) or isinstance(start, bool) or isinstance(end, bool):
            raise TypeError
        start, end = index(start), index(end)
    except (TypeError, ValueError, KeyError):
        raise UsageError(
            f"{where}: found {plain(repr(mention)[:60])}, "
            "expected (label, start, end), like ('PER', 0, 2)"
        ) from None
    if not label or label != label.strip():
        raise UsageError(f"{where}: found the label {label!r}, expected a name")
    if not 0 <= start < end < 1 << 31:
        raise UsageError(
            f"{where}: the span {start}..{end} is empty, negative or too large; ends are "
            f"exclusive, so one position at {start} is {start}..{start + 1}"
        )
    return label, start, end

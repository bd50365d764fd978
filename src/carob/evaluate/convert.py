"""From one format to another: what the target cannot hold is refused, or left out and counted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from carob.corpus.corpus import Corpus, Library, Memory, Words, unscored_key_remarks
from carob.corpus.problems import DataError, many, shown
from carob.corpus.tables import Fragments, int32
from carob.evaluate.read import format_of_name, read, write, writer_of
from carob.formats.capabilities import Loss, fitted, refused
from carob.pair.tokens import Borders, Tokens, moved_to
from carob.plugin import hook
from carob.result.result import Rows, Tabular


@dataclass(frozen=True, repr=False)
class Converted(Tabular):
    """What was written, and what became of the rest.

    >>> print(Converted("conll", 1, 3, (Loss("confidences", 2, "d1"),), ()))
    wrote 1 document, 3 mentions as conll
    left out: confidences (2, the first in document 'd1')
    """

    format: str
    documents: int
    mentions: int
    losses: tuple[Loss, ...]
    remarks: tuple[str, ...]
    fillers: int = 0

    row_columns: ClassVar[tuple[str, ...]] = ("what", "count", "where")

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return Tabular.to_dict(self) | {"losses": self.rows()}

    def rows(self) -> Rows:
        """A row for each kind of thing that was left out."""
        return [
            {"what": loss.what, "count": loss.count, "where": loss.where} for loss in self.losses
        ]

    def __str__(self) -> str:
        counts = [many(self.documents, "document")]
        if self.mentions or not self.fillers:
            counts.append(many(self.mentions, "mention"))
        if self.fillers:
            counts.append(many(self.fillers, "filler"))
        lines = [f"wrote {', '.join(counts)} as {self.format}", *self.remarks]
        return "\n".join([*lines, *(f"left out: {loss}" for loss in self.losses)])


def convert(
    source: Corpus | str | os.PathLike[str],
    out: str | os.PathLike[str],
    format: str | None = None,
    *,
    lossy: bool = False,
    tokenizer: str = "auto",
    options: Mapping[str, Any] | None = None,
    write_options: Mapping[str, Any] | None = None,
) -> Converted:
    """Write a corpus or a file in another format, by default the one that `out` ends in.

    What the target cannot hold is refused; with `lossy` it is left out and counted. Characters
    become tokens by the `tokenizer`, tokens become text with single spaces between them.
    `options` go to `read`, `write_options` to the format that is written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.conll"
    ...     _ = file.write_text("Ann B-PER\\nslept O\\n")
    ...     print(convert(file, Path(folder) / "a.spans", lossy=True))
    ...     (Path(folder) / "a.spans").read_text()
    wrote 1 document, 1 mention as spans
    left out: tokens (1, the first in document '1')
    'PER\\t0\\t0\\t0\\n\\n'
    """
    corpus = source if isinstance(source, Corpus) else read(source, **(options or {}))
    name = format or format_of_name(out, "--to")
    writer = writer_of(name, write_options or {})
    holds: frozenset[str] = hook(writer, "held") or writer.holds
    if _alone(writer, corpus, out):
        holds -= {"document ids"}
    remarks: list[str] = []
    losses: list[Loss] = []
    corpus = _in_unit(corpus, name, holds, tokenizer, remarks, losses)
    corpus, lost = fitted(corpus, holds)
    losses += lost
    remarks += unscored_key_remarks([("", corpus)])
    if not lossy:
        refused(name, losses, "; --lossy leaves it out")
    needs = hook(writer, "needs")
    for row in range(len(corpus) if "text" in needs else 0):
        if corpus.words(row)[0] is None:
            raise _wordless(name, corpus, row)
    if "document ids" in needs and corpus.documents.id is None:
        ids = tuple(str(row + 1) for row in range(len(corpus)))
        corpus = replace(corpus, documents=replace(corpus.documents, id=ids))
        remarks.append("documents have no ids and were numbered")
    remarks += hook(writer, "write_remarks")(corpus)
    write(corpus, out, name, **(write_options or {}))
    return Converted(
        name, len(corpus), len(corpus.mentions), tuple(losses), tuple(remarks),
        len(corpus.templates.fillers),
    )  # fmt: skip


def _wordless(name: str, corpus: Corpus, row: int) -> DataError:
    where = shown(corpus.documents.name(row))
    return DataError(f"{name} needs a text, and document {where} has no words")


def _alone(writer: Any, corpus: Corpus, out: str | os.PathLike[str]) -> bool:
    """Is this one document in a file of its own, where a folder would keep its id in a name?"""
    if not hasattr(writer, "write_folder") or Path(out).is_dir() or len(corpus) != 1:
        return False
    return Path(out).suffix == ".ann" or not hook(writer, "folders")


def _in_unit(
    corpus: Corpus, name: str, holds: frozenset[str], tokenizer: str, remarks: list[str],
    losses: list[Loss],
) -> Corpus:  # fmt: skip
    """The corpus in a unit that the format counts in."""
    if corpus.unit is None or f"units:{corpus.unit}" in holds:
        return corpus
    if corpus.unit == "token":
        remarks.append("the texts are tokens with single spaces between them")
        return _joined(corpus, name)
    tokens = Tokens(tokenizer)
    how = tokens.method(corpus)
    borders = tokens.borders(corpus, corpus, np.arange(len(corpus)))
    mentions, moved = borders.snapped(corpus.mentions)
    if moved.any():
        where = corpus.documents.name(int(corpus.mentions.doc[moved][0]))
        what = "borders of mentions that are not those of tokens"
        losses.append(Loss(what, int(moved.sum()), where))
    remarks.append(f"the texts were cut into tokens ({how}); white space is not kept")
    library: Library | None = corpus.library
    if "tokens" in holds:
        library = Memory(tuple(_tokens(corpus, borders, row) for row in range(len(corpus))))
    extra = {row: {k: v for k, v in fields.items() if k != "token_spans"}
             for row, fields in corpus.extra.items()}  # fmt: skip
    return replace(
        corpus, unit="token", mentions=mentions, documents=borders.documents(corpus.documents),
        extra={row: fields for row, fields in extra.items() if fields},
        library=library,
    ).ordered()  # fmt: skip


def _tokens(corpus: Corpus, borders: Borders, row: int) -> Words:
    """The tokens that the text of a document was cut into."""
    text = corpus.words(row)[0]
    if text is None:
        return None, None
    part = slice(int(borders.offsets[row]), int(borders.offsets[row + 1]))
    spans = zip(borders.start[part].tolist(), borders.end[part].tolist(), strict=True)
    return None, tuple(text[start:end] for start, end in spans)


def _joined(corpus: Corpus, name: str) -> Corpus:
    """Tokens become characters of a text."""
    spans, words = [], []
    for row in range(len(corpus)):
        tokens = corpus.words(row)[1]
        if tokens is None:
            raise _wordless(name, corpus, row)
        words.append(tokens)
        ends = accumulate(1 + len(token) for token in tokens)
        spans.append(tuple((at - 1 - len(t), at - 1) for t, at in zip(tokens, ends, strict=True)))
    places = Fragments.of_spans(spans)
    doc = np.repeat(np.arange(len(corpus)), np.diff(corpus.documents.sentence_offsets))
    starts = np.append(places.start, places.end[-1:])
    documents = replace(
        corpus.documents,
        length=int32([own[-1][1] if own else 0 for own in spans]),
        sentence_start=starts[places.offsets[doc] + corpus.documents.sentence_start],
    )
    library = Memory(tuple((" ".join(tokens), None) for tokens in words))
    return replace(moved_to(corpus, places), documents=documents, library=library)

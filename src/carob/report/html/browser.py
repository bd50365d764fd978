"""The error browser: documents with what gold and every system marked, to look at in a browser.

The data is an index with one row for each error, and chunks of whole documents: JSON, compressed,
in base64, so that nothing in it can be taken for markup. browser.js unpacks a chunk when one of its
documents is first needed.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from carob.report.errors import MEANING
from carob.report.html.links import has_browser
from carob.report.html.text import visible
from carob.result.documents import MOVED, DocumentErrors, Event, Item
from carob.result.errors import Errors
from carob.result.report import Report
from carob.result.result import library

TITLE = "Error browser"

DOCUMENTS, MEGABYTES = 5_000, 20.0
"""How many documents there are in a page, and how large they may be there, unless more is asked
for."""

CHUNK = 200_000
"""About how many characters of JSON are compressed together."""

COUNTED, CONFUSED, ALSO = 1, 2, 4
"""What the flags of an error mean: it is in the counts of types, in the matrix of labels, and it
has the first of the further types (the next bit stands for the second)."""

ROW = 12
"""At most about how many bytes of the index a row takes, compressed."""

COLUMNS = ("document", "system", "type", "gold", "answer", "flags", "event", "right_in")
"""The columns of the index. `gold` and `answer` are labels; `event` is the error's place among the
events of its document and system; `right_in` are systems that have right what is wrong here."""

Row = tuple[int, int, int, int, int, int, int, tuple[int, ...]]

GROUPS = {"BE": ("BES", "BEL", "BEO")}
"""Types that stand for several."""


def part(report: Report) -> dict[str, Any] | None:
    """The data of the browser, and what the page says about it."""
    if report.documents is None or not has_browser(report):
        return None
    most = int(report.settings.get("browser_documents", DOCUMENTS))
    megabytes = float(report.settings.get("browser_megabytes", MEGABYTES))
    packed = pack(report.documents(), report.errors, most, megabytes)
    markup = library("markupsafe", "report").Markup  # base64 needs no escapes
    return {
        "index": markup(packed.index),
        "chunks": [markup(chunk) for chunk in packed.chunks],
        "documents": packed.documents,
        "all_documents": report.gold.documents,
        "size": f"{packed.size / 1e6:.1f} MB"
        if packed.size >= 1e5
        else f"{packed.size / 1e3:.0f} kB",
        "most": most,
        "megabytes": megabytes,
    }


@dataclass(frozen=True, slots=True)
class Packed:
    """The data in base64, and how many documents are in it."""

    index: str
    chunks: tuple[str, ...]
    documents: int

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.index) + sum(map(len, self.chunks))


def pack(
    documents: Iterable[DocumentErrors],
    errors: Mapping[str, Errors],
    most: int = DOCUMENTS,
    megabytes: float = MEGABYTES,
) -> Packed:
    """The first documents, as many as these limits allow, with the errors of each system."""
    index = _Index(errors)
    chunks: list[str] = []
    first: list[int] = []
    batch: list[str] = []
    names: list[str] = []
    rows: list[Row] = []
    size = end = count = 0

    def close() -> bool:
        """Make a chunk of the batch, if there is room for it."""
        nonlocal size, end
        chunk = packed(f"[{','.join(batch)}]")
        if size + len(chunk) + ROW * len(rows) > megabytes * 1e6:
            return False
        chunks.append(chunk)
        first.append(end)
        size, end = size + len(chunk), count
        batch.clear()
        return True

    for document in islice(documents, most):
        batch.append(json.dumps(index.document(document), separators=(",", ":")))
        names.append(visible(document.name))
        rows += index.rows(document, count)
        count += 1
        if sum(map(len, batch)) > CHUNK and not close():
            break
    else:
        if batch:
            close()
    rows = [row for row in rows if row[0] < end]
    columns = dict(
        zip(COLUMNS, zip(*rows, strict=True) if rows else [()] * len(COLUMNS), strict=True)
    )
    content = {"documents": names[:end], "first": first} | columns | index.names()
    return Packed(packed(json.dumps(content, separators=(",", ":"))), tuple(chunks), end)


def packed(text: str) -> str:
    """Text compressed, in base64. JSON has only ASCII: other characters are escaped.

    >>> zlib.decompress(base64.b64decode(packed("[1]")), wbits=31)
    b'[1]'
    """
    gzip = zlib.compressobj(6, wbits=31)
    return base64.b64encode(gzip.compress(text.encode("ascii")) + gzip.flush()).decode()


class _Index:
    """The codes of labels and types, and documents in them."""

    def __init__(self, errors: Mapping[str, Errors]) -> None:
        self._systems, own = list(errors), next(iter(errors.values()))
        self._right, *others = own.counts
        self._also = [kind for kind in others if kind not in own.kinds]
        self._types = [self._right, *own.kinds, *([MOVED] if own.of_slots else [])]
        self._type = {kind: i for i, kind in enumerate(self._types)}
        self._slots, self._none = own.of_slots, own.confusion.names[-1]
        self._moved = f"right {'value' if own.of_records else 'string'} in the wrong slot"
        self._label: dict[str, int] = {}

    def names(self) -> dict[str, Any]:
        """What the codes stand for."""
        return {
            "systems": [visible(name) for name in self._systems],
            "labels": [visible(label) for label in self._label],
            "none": self._none,
            "types": self._types,
            "right": 0,
            "also": self._also,
            "groups": {
                name: types for name, types in GROUPS.items() if set(types) <= set(self._types)
            },
            "meaning": {**MEANING, MOVED: self._moved, "BE": "wrong boundary"},
            "slots": self._slots,
        }

    def document(self, document: DocumentErrors) -> dict[str, Any]:
        """A document as the browser reads it. What is empty is left out."""
        sides = (document.gold, *document.systems)
        known = document.tokens if document.text is None else document.text
        content = {
            "name": visible(document.name),
            "text": document.text,
            "tokens": document.tokens,
            "length": document.length if known is None else None,
            "sentences": document.sentences or None if document.tokens else None,
            "sides": [[self._item(item) for item in items] for items in sides],
            "events": [
                [
                    (self._type[event.type], event.gold, event.system, self._flags(event))
                    for event in events
                ]
                for events in document.events
            ],
            "relations": [
                [
                    (visible(label), [(visible(role), visible(text)) for role, text in members])
                    for label, members in relations
                ]
                for relations in document.relations
            ]
            if any(document.relations)
            else None,
        }
        return {key: value for key, value in content.items() if value is not None}

    def _item(self, item: Item) -> list[Any]:
        label = self._label.setdefault(item.label, len(self._label))
        content = [label, [place for span in item.fragments for place in span]]
        if item.texts or item.note:
            content += [[visible(text) for text in item.texts], visible(item.note)]
        return content

    def _flags(self, event: Event) -> int:
        also = sum(ALSO << self._also.index(kind) for kind in event.also)
        return COUNTED * event.counted + CONFUSED * event.confused + also

    def rows(self, document: DocumentErrors, number: int) -> Iterator[Row]:
        """The rows of the index for one document."""
        for system, events in enumerate(document.events):
            items = document.systems[system]
            for place, event in enumerate(events):
                flags = self._flags(event)
                if not flags & (COUNTED | CONFUSED):
                    continue
                gold = -1 if event.gold < 0 else self._label[document.gold[event.gold].label]
                answer = -1 if event.system < 0 else self._label[items[event.system].label]
                kind = self._type[event.type]
                yield number, system, kind, gold, answer, flags, place, event.right_in

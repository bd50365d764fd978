"""What the JSON dialects of other tools share: ids, offsets, the words that they quote, counts.

A dialect turns each of its records into an object of carob's own form (`carob.corpus.record`),
which has all the rules. What is the same for all of them is here: offsets that count something
other than characters, and the check that the text has the quoted words at the place of a mention.
Offsets are never moved unless the user asks for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import Any

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus, Words, fact_remarks
from carob.corpus.document import Document, Span
from carob.corpus.problems import Problems, UsageError, many, nearest, shown
from carob.corpus.record import WrongError, document_of, short
from carob.corpus.source import Source
from carob.corpus.tables import ATTRIBUTES, Documents, too_many_attributes
from carob.formats import json_text
from carob.formats._answers import Answers, unparsed_facts
from carob.formats._objects import is_object, items
from carob.formats._plain import Blocks, plain_document
from carob.formats._text import FileWords, bytes_of
from carob.formats.capabilities import fitted, refused

UNITS = {
    "char": "characters",
    "utf16": "UTF-16 units, as in JavaScript and Java",
    "bytes": "bytes of UTF-8, as in Go",
    "inclusive": "characters and ends are inclusive",
}
"""What offsets may count, and how messages say it."""
COUNTED = (
    "rejected", "unread_relations", "span_groups", "skipped", "cancelled", "other_annotators",
    "quoted", "misquoted", "unlabelled_relations", "unplaced", "mended", "unparsed",
    "cut_utf16", "cut_bytes", "cut_inclusive", "ungrouped", "unlabelled", "unread_places",
    "unindexed", "unlayered",
    "measured", "mismeasured", "text_classes", "other_texts",
)  # fmt: skip
"""What readers of dialects count for the user."""

_FARTHEST = 1000
"""How many positions may lie between the parts of a text, and a hundred more for each that it has:
a small file is not to make a large text.
"""

_MENTION = re.compile(r"^mentions\[(\d+)\]")
_OWN_LINE = re.compile(r"line (\d+)(?:, |\.|: | )")


class ChoiceError(WrongError):
    """A record has several answers, and the user must choose."""


@dataclass(slots=True)
class Entry:
    """A record in carob's own form, with offsets as they stand in the file.

    `places` are what messages call its mentions, `quotes` the words that the file has for them. The
    place of a mention that has a line of its own is `line 3`: that is where its problems are.
    `kind` says what a record lists, where all records of a file must list the same.
    """

    record: dict[str, Any]
    places: list[str] = field(default_factory=list)
    quotes: list[str | None] = field(default_factory=list)
    kind: str = ""

    def add(self, place: str, mention: Mapping[str, Any], quote: Any = None) -> None:
        """A mention; what is None is left out."""
        known = {key: value for key, value in mention.items() if value is not None}
        self.record.setdefault("mentions", []).append(known)
        self.places.append(place)
        self.quotes.append(quote if isinstance(quote, str) else None)


def read_records(
    source: Source,
    entry_of: Callable[[Any, Counter[str]], Entry | None],
    offsets: str,
    *,
    is_record: Callable[[Any], bool] = is_object,
    record: str = "object",
    same_words: Callable[[str, str], bool] = str.__eq__,
    answers: Answers | None = None,
    advice: str = "",
    one_kind: str = "",
) -> Iterator[Corpus]:
    """Blocks of documents. `entry_of` makes an entry of a record, or counts that it is left out.

    With `answers`, the records are those of a language model: one that cannot be read is empty.
    `advice` is what to do about JSON that is damaged, `one_kind` about entries of several kinds.
    """
    problems = Problems(source.name)
    if answers is not None:
        facts: Counter[str] = Counter()
        given = (
            (item.line, item.offset, partial(_entry_of_answer, answers, entry_of, item.value))
            for item in answers.items(source, problems, facts)
        )
        yield from read_entries(
            source, problems, given, offsets, same_words=same_words, one_kind=one_kind
        )  # fmt: skip
        yield replace(Corpus.of(), facts=facts)
        return
    found = (
        (item.line, item.offset, partial(entry_of, item.value))
        for item in items(source, problems, "K231", is_record, record, advice=advice)
    )
    yield from read_entries(
        source, problems, found, offsets, same_words=same_words, one_kind=one_kind
    )  # fmt: skip


def _entry_of_answer(
    answers: Answers,
    entry_of: Callable[[Any, Counter[str]], Entry | None],
    value: dict[str, Any],
    facts: Counter[str],
) -> Entry | None:
    """The entry of an answer; of one that could not be read, only its id and text are known."""
    if answers.is_answer(value):
        return entry_of(value, facts)
    text = value.get(answers.text)
    return Entry({"id": name_of(value, answers.id)} | ({} if text is None else {"text": text}))


Making = Callable[[Counter[str]], Entry | None]
"""Makes the entry of a record, or counts that it is left out."""


def read_entries(
    source: Source,
    problems: Problems,
    records: Iterable[tuple[int, int, Making]],
    offsets: str,
    *,
    same_words: Callable[[str, str], bool] = str.__eq__,
    keep_words: bool = False,
    one_kind: str = "",
) -> Iterator[Corpus]:
    """Blocks of documents, from the line, the offset and the entry of each record of a file.

    With `keep_words` the texts stay in memory; otherwise the format finds them again.
    """
    blocks = Blocks(problems, "K233", "in every record, or in none")
    places = _Places(offsets, same_words)
    kept: list[tuple[Document, int, int]] = []
    attributes: set[str] = set()
    kinds: dict[str, int] = {}
    left_out = False
    for line, offset, entry_of in records:
        try:
            entry = entry_of(blocks.facts)
            if entry is None:
                left_out = True
                continue
            if entry.kind:
                kinds.setdefault(entry.kind, line)
            places.move(entry, line)
            take_plain = blocks.take_plain and not keep_words
            plain = plain_document(entry.record) if take_plain else None
            document = plain or _document(entry)
        except WrongError as error:
            code = "K235" if isinstance(error, ChoiceError) else "K232"
            for each in (error, *error.more):
                hint = each.hint if isinstance(each, _OffsetError) else ""
                problems.add(code, *_line_of(each.found, line), each.expected, hint)
            continue
        except RecursionError:
            problems.add("K231", line, json_text.TOO_DEEP, json_text.OBJECT)
            continue
        if isinstance(document, Document):
            attributes.update(*(mention.attributes for mention in document.mentions))
            if len(attributes) > ATTRIBUTES:
                problems.add("K009", line, *too_many_attributes(attributes))
                break
        if not blocks.accepts(document.id, line) or problems.total:
            continue
        if keep_words and isinstance(document, Document):
            kept.append((document, line, offset))
        else:
            yield from blocks.add(document, line, offset)
    places.check(problems)
    if len(kinds) > 1:
        (kind, first), (other, line) = list(kinds.items())[:2]
        found = f"{other}, and {kind} on line {first}"
        problems.add("K232", line, found, "one of the two in the whole file", one_kind)
    problems.check()
    if not blocks.ids:
        found = "a file whose records are all left out" if left_out else "an empty file"
        counts = fact_remarks(replace(Corpus.of(), facts=blocks.facts))
        hint = "; ".join(text for _, text in counts)
        raise source.failure("K002", found, "at least one document", hint)
    blocks.facts.update(places.facts())
    if kept:
        documents, lines, starts = zip(*kept, strict=True)
        yield replace(of_documents(documents, lines, starts), facts=blocks.facts)
    yield from blocks.rest()


def _document(entry: Entry) -> Document:
    """The document of an entry; messages name its mentions as the file does."""
    try:
        return document_of(entry.record)
    except WrongError as error:
        each = [WrongError(_in_file(e.found, entry), e.expected) for e in (error, *error.more)]
        raise WrongError(each[0].found, each[0].expected, tuple(each[1:])) from None


def _line_of(found: str, line: int) -> tuple[int, str]:
    """The line of a problem and what was found, which may begin with a line of its own.

    >>> _line_of("line 3.start = -1", 2), _line_of("line 3 at 5..9", 2), _line_of("a text", 2)
    ((3, 'start = -1'), (3, 'a mention at 5..9'), (2, 'a text'))
    """
    match = _OWN_LINE.match(found)
    if match is None:
        return line, found
    rest = found[match.end() :]
    return int(match[1]), f"a mention {rest}" if rest.startswith("at ") else rest


def _in_file(found: str, entry: Entry) -> str:
    return _MENTION.sub(lambda match: entry.places[int(match[1])], found)


def library(
    source: Source,
    documents: Documents,
    words_of: Callable[[Any], Words],
    answers: Answers | None = None,
) -> FileWords:
    """The texts and tokens, which stay in the file; `words_of` finds them in a record."""
    if answers is not None:
        return answers.library(source, documents)

    def read(row: int) -> Words:
        raw = bytes_of(source, documents, row).decode("utf-8").lstrip(" \t\r\n")
        return words_of(json_text.DECODER.raw_decode(raw)[0])

    return FileWords(read, documents)


def signature_fields(
    offsets: str, facts: Mapping[Any, int]
) -> tuple[dict[str, str], dict[str, int]]:
    """What offsets counted, and what was counted."""
    counts = {name: facts[name] for name in COUNTED if facts.get(name)} | unparsed_facts(facts)
    return {"offsets": "char" if offsets == "auto" else offsets}, counts


def check_offsets(offsets: str) -> None:
    """Refuse a unit that does not exist."""
    if offsets not in ("auto", *UNITS):
        units = ("auto", *UNITS)
        raise UsageError(f"offsets cannot count {offsets!r}{nearest(offsets, units)}")


def check_roles(roles: str) -> None:
    """Refuse what does not name the two roles of a relation."""
    names = roles.split("+")
    if len(names) != 2 or len(set(names)) != 2 or not all(names):
        found = shown(roles)
        raise UsageError(f"roles: found {found}, expected two roles, for example Arg1+Arg2")


def answers_in(
    reader: Any,
    has_list: Callable[[Any], bool],
    text: str = "text",
    wrap: Callable[[Any], Any] = lambda value: value,
) -> Answers | None:
    """How a reader with the parameters `id`, `raw` and `repair` reads the answers of language
    models; None if its file has plain objects. `has_list` says whether an object is an answer,
    `wrap` makes an object of a bare list.
    """
    mend = reader.repair == "json"
    if not mend and not reader.raw:
        return None
    codes = "K231", "K232"
    return Answers(reader.id, text, reader.raw, mend, has_list, wrap, codes, whole_items=True)


def has_bare_lists(head: bytes, wrap: Callable[[Any], Any]) -> bool:
    """Whether a file has nothing but lists that `wrap` takes for answers."""
    lists = [value for value in json_text.samples(head) if isinstance(value, list)]
    return bool(lists) and all(wrap(each) is not each for each in lists)


def list_in_object(value: Any, key: str, is_item: Callable[[Mapping[str, Any]], bool]) -> Any:
    """A bare list, as language models return it, as an object with the list under a key, if all
    of it are items; any other value as it is.

    >>> list_in_object([{"text": "Ann", "type": "PER"}], "entities", lambda item: "text" in item)
    {'entities': [{'text': 'Ann', 'type': 'PER'}]}
    >>> list_in_object([{"entities": []}], "entities", lambda item: "text" in item)
    [{'entities': []}]
    """
    if isinstance(value, list) and all(isinstance(each, dict) and is_item(each) for each in value):
        return {key: value}
    return value


# --- parts of records ---


def name_of(value: Mapping[str, Any], key: str) -> str | None:
    """The id that a record has under a key: a text, or a number, which is the same as a text."""
    name = value.get(key) if key else None
    if name is None or isinstance(name, str):
        return name
    if isinstance(name, bool) or not isinstance(name, int):
        raise WrongError(f"{_key(key)} = {short(name)}", "a text or a whole number")
    return _digits(name, key)


def _digits(number: int, key: str) -> str:
    try:
        return str(number)
    except ValueError:  # thousands of digits
        raise WrongError(f"{_key(key)} with thousands of digits", "an id") from None


def list_at(value: Mapping[str, Any], key: str, place: str = "") -> list[Any]:
    """The list under a key."""
    found = value.get(key)
    if not isinstance(found, list):
        raise WrongError(f"{place}{_key(key)} = {short(found)}", "a list")
    return found


def object_in(value: Any, place: str, expected: str) -> dict[str, Any]:
    """The value, which must be an object."""
    if not isinstance(value, dict):
        raise WrongError(f"{place} = {short(value)}", expected)
    return value


def group_of(groups: Mapping[str, Any], wanted: str, known: set[str], facts: Counter[str]) -> Any:
    """The group of spans with a name; a document without it is counted. The names of all groups
    are added to `known`.

    >>> facts, known = Counter(), set()
    >>> group_of({"a": []}, "sc", known, facts), facts["ungrouped"], known
    ([], 1, {'a'})
    """
    known.update(groups)
    facts["ungrouped"] += wanted not in groups
    return groups.get(wanted, [])


def require_group(source: Source, wanted: str, known: Iterable[str]) -> None:
    """Refuse a file in which no document has the wanted group. The other files of a folder may
    have it: there, a warning counts the documents.
    """
    if wanted and wanted not in known and source.inside is None:
        names = ", ".join(shown(name) for name in sorted(known)[:20])
        there = f"one of the groups that are there: {names}" if names else "one, and there are none"
        raise source.failure("K232", f"no group of spans {shown(wanted)}", there)


def _key(name: str) -> str:
    return shown(name, 40)[1:-1]


def text_of(value: Any, key: str = "text") -> Words:
    """The text of a record that has no tokens."""
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else None, None


def written_documents(corpus: Corpus, format: str, holds: frozenset[str]) -> Iterator[Document]:
    """The documents of a corpus that a dialect can hold; each has a text."""
    refused(format, fitted(corpus, holds)[1])
    for document in corpus:
        if document.text is None:
            name = "" if document.id is None else f" {shown(document.id)}"
            raise UsageError(f"{format} needs a text, and document{name} has none")
        yield document


def id_record(name: str | None) -> dict[str, Any]:
    """The id as part of a record: nothing if there is none.

    >>> id_record("7"), id_record("d1"), id_record(None)
    ({'id': 7}, {'id': 'd1'}, {})
    """
    return {} if name is None else {"id": number_or_text(name)}


def number_or_text(name: str) -> int | str:
    """An id as tools write it that number things: as a number, if it is read as the same id."""
    return int(name) if re.fullmatch(r"0|[1-9][0-9]{0,14}", name) else name


# --- offsets ---


def size_in(text: str, unit: str) -> int:
    """How long a text is, in a unit.

    >>> size_in("😀", "utf16"), size_in("😀", "bytes"), size_in("😀", "auto")
    (2, 4, 1)
    """
    if unit == "utf16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass")) if unit == "bytes" else len(text)


def span_in(text: str, start: int, end: int, unit: str) -> Span:
    """A place in characters as a place in a unit.

    >>> span_in("😀 Ann", 2, 5, "utf16"), span_in("😀 Ann", 2, 5, "inclusive")
    ((3, 6), (2, 4))
    """
    if unit == "inclusive":
        return start, end - 1
    before = size_in(text[:start], unit)
    return before, before + size_in(text[start:end], unit)


def assembled(pieces: Iterable[tuple[int, str]], unit: str) -> str:
    """A text of pieces, each at its offset, with spaces between them.

    >>> assembled([(0, "Ann"), (4, "slept")], "char")
    'Ann slept'
    """
    ordered = sorted(pieces, key=lambda piece: piece[0])
    most = _FARTHEST + 100 * sum(len(text) for _, text in ordered)
    parts: list[str] = []
    length = 0
    for offset, text in ordered:
        if offset < length:
            raise WrongError(
                f"{shown(text)} at {offset}, before the end of what precedes it ({length})",
                "parts of a text that do not overlap",
            )
        if offset > most:
            raise WrongError(f"a part of a text at {offset}", "parts that follow each other")
        parts += [" " * (offset - length), text]
        length = offset + size_in(text, unit)
    return "".join(parts)


class _OffsetError(WrongError):
    """A place that is outside the text, or empty, though it would not be in another unit."""

    def __init__(self, found: str, expected: str, hint: str) -> None:
        super().__init__(found, expected)
        self.hint = hint


@dataclass(slots=True)
class _Quotes:
    """How many mentions quote their words, and how many of them fit if offsets count each unit."""

    count: int = 0
    fits: Counter[str] = field(default_factory=Counter)
    first: tuple[int, str] | None = None
    """Line and description of the first mention that does not fit."""

    def best(self) -> str:
        """The unit that fits most of them."""
        return max(UNITS, key=lambda unit: self.fits[unit])


class _Places:
    """Moves mentions from the unit of the file to characters, and compares quoted words."""

    def __init__(self, offsets: str, same_words: Callable[[str, str], bool]) -> None:
        self.automatic = offsets == "auto"
        self.unit = "char" if self.automatic else offsets
        self.same_words = same_words
        self.quotes = _Quotes()
        self.lengths = _Quotes()
        """Of the words that are quoted where there is no text."""
        self.unquoted = 0
        self.cut: Counter[str] = Counter()
        """How many mentions without quoted words cut a word, if offsets count each unit: of those
        in texts in which some do."""

    def move(self, entry: Entry, line: int) -> None:
        """Move the mentions and tokens of an entry to characters."""
        text = entry.record.get("text")
        mentions = entry.record.setdefault("mentions", [])
        if not isinstance(text, str):
            if entry.record.get("unit") == "char":
                self._compare_lengths(entry, line)
            if self.unit == "inclusive":
                for each in mentions:
                    if type(each.get("end")) is int:
                        each["end"] += 1
            elif self.unit != "char" and mentions:
                raise WrongError("offsets without a text", "a text in which they can be counted")
            return
        borders = _Borders(text)
        if self.automatic:
            self._count_cut(borders, mentions, entry.quotes)
        for place, (mention, quote) in enumerate(zip(mentions, entry.quotes, strict=True)):
            spans = mention.get("fragments") or [(mention.get("start"), mention.get("end"))]
            if not all(type(s) is int and type(e) is int and s >= 0 for s, e in spans):
                continue  # document_of has a message for it
            if quote is not None:
                self._compare(borders, spans, quote, entry.places[place], line)
            moved = borders.all_in_characters(spans, self.unit)
            if moved is None or max(end for _, end in moved) > len(text):
                raise self._outside(entry.places[place], spans, borders)
            if self.automatic and any(start == end for start, end in moved):
                raise _OffsetError(
                    f"{entry.places[place]}: span {spans[0][0]}..{spans[-1][1]} is empty",
                    "spans that are not empty; ends are exclusive",
                    "if ends are inclusive: --read offsets=inclusive",
                )
            if "fragments" in mention:
                mention["fragments"] = [list(span) for span in moved]
            else:
                mention["start"], mention["end"] = moved[0]
        if self.unit != "char":
            self._move_words(entry.record, borders)

    def _move_words(self, record: dict[str, Any], borders: _Borders) -> None:
        """Move tokens and sentences."""
        sides = [side for span in record.get("token_spans", ()) for side in span]
        if not all(type(side) is int for side in (*sides, *record.get("sentences", ()))):
            return  # document_of has a message for it
        inside = WrongError("tokens or sentences that begin or end inside a character",
                            f"offsets that count {UNITS[self.unit]}")  # fmt: skip
        if spans := record.get("token_spans"):
            moved = [borders.in_characters(start, end, self.unit) for start, end in spans]
            if None in moved:
                raise inside
            record["token_spans"] = [list(span) for span in moved if span is not None]
        if (starts := record.get("sentences")) and self.unit != "inclusive":
            begins = [borders.in_characters(start, start, self.unit) for start in starts]
            if None in begins:
                raise inside
            record["sentences"] = [span[0] for span in begins if span is not None]

    def _compare(
        self, borders: _Borders, spans: Sequence[Span], quote: str, place: str, line: int
    ) -> None:
        self.quotes.count += 1
        for unit in UNITS:
            moved = borders.all_in_characters(spans, unit)
            here = " ".join(borders.text[start:end] for start, end in moved or ())
            if moved is not None and self.same_words(quote, here):
                self.quotes.fits[unit] += 1
            elif unit == self.unit and self.quotes.first is None:
                first = f"{place} quotes {shown(quote)}, the text has {shown(here)}"
                self.quotes.first = line, first

    def _compare_lengths(self, entry: Entry, line: int) -> None:
        """Compare mentions with the lengths of their words, as there is no text to look into."""
        rows = zip(entry.record["mentions"], entry.quotes, entry.places, strict=True)
        for mention, quote, place in rows:
            start, end = mention.get("start"), mention.get("end")
            if not quote or not type(start) is type(end) is int:
                continue
            self.lengths.count += 1
            sizes = {unit: size_in(quote, unit) - (unit == "inclusive") for unit in UNITS}
            self.lengths.fits.update(unit for unit, size in sizes.items() if size == end - start)
            if sizes[self.unit] != end - start and self.lengths.first is None:
                own = _OWN_LINE.match(f"{place}: ")
                first = f"{place} has {shown(quote)} at {start}..{end}"
                self.lengths.first = int(own[1]) if own else line, first

    def _count_cut(
        self, borders: _Borders, mentions: Sequence[Any], quotes: Sequence[str | None]
    ) -> None:
        """Count the mentions of a text that cut words, where nothing else shows their unit."""
        spans = [
            (mention.get("start"), mention.get("end"))
            for mention, quote in zip(mentions, quotes, strict=True)
            if quote is None and type(mention.get("start")) is type(mention.get("end")) is int
        ]
        self.unquoted += len(spans)
        text = borders.text
        if any(_cuts(text, start, end) for start, end in spans):
            for unit in UNITS:
                self.cut[unit] += borders.cut(spans, unit)

    def _outside(self, place: str, spans: Sequence[Span], borders: _Borders) -> _OffsetError:
        hints = [
            f"if offsets count {UNITS[unit]}: --read offsets={unit}"
            for unit in UNITS
            if unit != self.unit
            and (moved := borders.all_in_characters(spans, unit)) is not None
            and max(end for _, end in moved) <= len(borders.text)
        ]
        expected = f"a place within the {len(borders.text)} characters of the text"
        if self.unit in ("utf16", "bytes"):
            expected += f", in {UNITS[self.unit]}"
        found = f"{place} at {short(spans[0][0])}..{short(spans[-1][1])}"
        return _OffsetError(found, expected, "; ".join(hints))

    def check(self, problems: Problems) -> None:
        """Another unit that fits better is a problem, unless the user has chosen this one. Where
        there is no text, it must fit most: tools may write white space in another way.
        """
        if not self.automatic:
            return
        for quotes, wrong in (
            (self.quotes, "with other words in the text than the file quotes"),
            (self.lengths, "longer or shorter than the words that the file quotes"),
        ):
            best, count, fits = quotes.best(), quotes.count, quotes.fits
            is_better = fits[best] > fits["char"]
            if quotes is self.lengths:
                is_better = is_better and 2 * fits[best] > count
            if quotes.first is None or not is_better:
                continue
            line, first = quotes.first
            lacks = quotes is self.lengths and best != "inclusive"
            text = "add the texts of the documents and " if lacks else ""
            problems.add(
                "K234", line,
                f"{count - fits['char']:,} of {many(count, 'mention')} {wrong} ({first})",
                "offsets that count characters, with exclusive ends",
                f"{fits[best]:,} of {count:,} fit if offsets count {UNITS[best]}: "
                f"{text}--read offsets={best} (or offsets=char to take them as they are)",
            )  # fmt: skip

    def facts(self) -> dict[str, int]:
        """How many mentions quote their words, and how many of them are wrong."""
        quotes, lengths = self.quotes, self.lengths
        facts = {"quoted": quotes.count, "misquoted": quotes.count - quotes.fits[self.unit]}
        if wrong := lengths.count - lengths.fits[self.unit]:
            facts |= {"measured": lengths.count, "mismeasured": wrong}
        cut = self.cut["char"]
        best = min(UNITS, key=lambda unit: self.cut[unit])
        # Inclusive ends cut nearly all mentions, other units those after some characters.
        enough = max(2, self.unquoted / 2 if best == "inclusive" else 0)
        if cut >= enough and 4 * self.cut[best] <= cut:
            facts[f"cut_{best}"] = cut
        return facts


def _cuts(text: str, start: int, end: int) -> bool:
    """Whether a place begins or ends inside a word of letters that have cases, or with white space,
    or is no place in the text.
    """
    if not 0 <= start < end <= len(text):
        return True
    first, last = text[start], text[end - 1]
    if first.isspace() or last.isspace():
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    return (before.isalpha() and _have_cases(before + first)) or (
        after.isalpha() and _have_cases(last + after)
    )


def _have_cases(letters: str) -> bool:
    return all(letter.islower() or letter.isupper() for letter in letters)


class _Borders:
    """Where the characters of a text begin, counted in another unit."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._known: dict[str, dict[int, int] | None] = {}

    def in_characters(self, start: int, end: int, unit: str) -> tuple[int, int] | None:
        """A place in characters; None if it would begin or end inside a character.

        >>> _Borders("😀 Ann").in_characters(3, 6, "utf16")
        (2, 5)
        """
        if unit == "inclusive":
            return start, end + 1
        table = self._table(unit)
        if table is None:
            return start, end
        return (table[start], table[end]) if start in table and end in table else None

    def cut(self, spans: Iterable[tuple[int, int]], unit: str) -> int:
        """How many places cut words, or are no places in the text."""
        moved = (self.in_characters(start, end, unit) for start, end in spans)
        return sum(span is None or _cuts(self.text, *span) for span in moved)

    def all_in_characters(self, spans: Sequence[Span], unit: str) -> list[Span] | None:
        """Several places in characters; None if one of them cannot be."""
        moved = [span for s, e in spans if (span := self.in_characters(s, e, unit)) is not None]
        return moved if len(moved) == len(spans) else None

    def _table(self, unit: str) -> dict[int, int] | None:
        """Offset -> character; None if they are the same."""
        if unit == "char" or self.text.isascii():
            return None
        if unit not in self._known:
            if unit == "utf16":
                sizes = [2 if sign > "\uffff" else 1 for sign in self.text]
            else:
                sizes = [len(sign.encode("utf-8", "surrogatepass")) for sign in self.text]
            offsets = accumulate(sizes, initial=0)
            self._known[unit] = {offset: place for place, offset in enumerate(offsets)}
        return self._known[unit]

"""The answers of a program: carob's jsonl, checked line by line against the documents.

A line is `{"id": ..., "mentions": [...]}`. A mention has a label, which is the slot, and a place, a
text, or both; the text must then be the one at that place. `templates` are read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Filler, Mention, Span, Template
from carob.corpus.problems import DataError, Problems, nearest, repeated, shown
from carob.corpus.record import KEYS, WrongError, document_of, record_of
from carob.pair.filled import filled, words_at
from carob.pair.texts import LAYERS, Texts

CODE = "K912"
LONGEST = 1 << 26
"""The most bytes that a line may have."""

_MENTION_KEYS = {"attributes", "id", "label"}
_FIRST = re.compile(r"^templates\[0\]\.slots\..*?\[0\]")


class Answer(NamedTuple):
    """A filler, and the slot that it fills."""

    slot: str
    filler: Filler


def write_texts(texts: Texts, path: Path, gold: Corpus | None = None) -> None:
    """Write documents for a program, one a line; `gold` adds what is marked in them.

    Only ASCII is written, so that programs in every language read the same text.
    """
    documents = texts.corpus if gold is None else gold
    with path.open("w", encoding="ascii") as file:
        for row in range(len(texts)):
            record = record_of(documents[row])
            low, high = texts.offsets[row], texts.offsets[row + 1]
            layers = {
                name: [layer[place] for place in range(low, high)]
                for name, layer in texts.layers.items()
            }
            record |= {LAYERS: layers} if layers else {}
            file.write(json.dumps(record) + "\n")


def read_answers(path: Path, texts: Texts, slots: Sequence[str]) -> Corpus:
    """The documents with the answers of a file.

    `facts` count the answers without a place that were located by their text (`grounded`), those
    that were not (`ungrounded`), and documents that the file leaves out (`unanswered`). Answers
    that were not located stay as fillers of templates, so that they count as wrong.
    """
    reader = _Reader(texts, tuple(slots), Problems(path.name))
    with path.open("rb") as file:
        for number, raw in enumerate(iter(lambda: file.readline(LONGEST + 1), b""), 1):
            if len(raw) > LONGEST:
                expected = f"at most {LONGEST:,} bytes a line"
                reader.problems.add(CODE, number, shown(raw), expected)
                break
            if raw.strip():
                reader.line(number, raw)
    reader.problems.check()
    return _corpus(texts, [reader.answers.get(row, []) for row in range(len(texts))],
                   unanswered=len(texts) - len(reader.answers))  # fmt: skip


class _Reader:
    """Checks each line by itself and against those before it."""

    def __init__(self, texts: Texts, slots: tuple[str, ...], problems: Problems) -> None:
        names = [texts.corpus.documents.name(row) for row in range(len(texts))]
        self.row = {name: row for row, name in enumerate(names)}
        if len(self.row) < len(names):
            twice = shown(repeated(names))
            raise DataError(
                f"two documents have the id {twice}: a program could not tell them apart"
            )
        self.texts, self.slots, self.problems = texts, slots, problems
        self.answers: dict[int, list[Answer]] = {}
        self.seen: dict[int, int] = {}

    def line(self, number: int, raw: bytes) -> None:
        try:
            row, answers = self._answers(number, raw)
        except WrongError as error:
            for each in (error, *error.more):
                self.problems.add(CODE, number, each.found, each.expected)
        else:
            self.answers[row] = answers

    def _answers(self, number: int, raw: bytes) -> tuple[int, list[Answer]]:
        record = _decoded(raw)
        name = record.get("id")
        if not isinstance(name, str) or name not in self.row:
            found = f"id = {shown(name)}" if isinstance(name, str) else "no id"
            raise WrongError(found, "the id of a document of {input}")
        row = self.row[name]
        before = self.seen.setdefault(row, number)
        if before != number:
            raise WrongError(f"the id {shown(name)} again", f"it once; line {before} has it")
        strange = sorted(record.keys() - {*KEYS, LAYERS})
        if strange:
            hint = " (a slot is the label of a mention)" if strange[0] in self.slots else ""
            raise WrongError(f"the key {shown(strange[0])}", f"id, mentions or templates{hint}")
        document = self.texts.corpus[row]
        for key, own in (("text", document.text), ("tokens", document.tokens)):
            given = record.get(key)
            if given is not None and given != (list(own) if isinstance(own, tuple) else own):
                raise WrongError(f"another {key} than that of {shown(name)}", "the same, or none")
        answers, wrong = [], []
        for where, answer in _parts(record, document.unit or "char"):
            try:
                answers.append(self._checked(where, answer, document))
            except WrongError as error:
                wrong.append(error)
        if wrong:
            raise WrongError(wrong[0].found, wrong[0].expected, tuple(wrong[1:]))
        return row, answers

    def _checked(self, where: str, answer: Answer | WrongError, document: Document) -> Answer:
        if isinstance(answer, WrongError):
            raise answer
        slot, filler = answer
        if slot not in self.slots:
            raise WrongError(
                f"{where} with the slot {shown(slot)}", f"a slot{nearest(slot, self.slots)}"
            )
        if not filler.fragments:
            return answer
        end = filler.fragments[-1][1]
        if end > document.length:
            what = "characters" if document.unit == "char" else "tokens"
            raise WrongError(
                f"{where} ending at {end}", f"an end within the {document.length} {what}"
            )
        if filler.text is not None:
            words = document.text, document.tokens
            there = words_at(words, filler.fragments, document.unit or "char")
            if there != filler.text:
                raise WrongError(
                    f"{where} with the text {shown(filler.text)}",
                    f"the text at its place, {shown(there or '')}",
                )
        return answer


def _decoded(raw: bytes) -> dict[str, Any]:
    expected = "a JSON object, one document a line"

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not a JSON number")

    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise WrongError(f"{shown(raw.strip())} ({error})", expected) from None
    if not isinstance(value, dict):
        raise WrongError(shown(raw.strip()), expected)
    return value


def _parts(record: Mapping[str, Any], unit: str) -> Iterator[tuple[str, Answer | WrongError]]:
    """The answers of a line with their places in it, or what is wrong with each."""
    mentions, templates = record.get("mentions", []), record.get("templates", [])
    if not isinstance(mentions, list):
        yield "mentions", WrongError(f"mentions = {shown(repr(mentions))}", "a list")
        return
    for i, mention in enumerate(mentions):
        where = f"mentions[{i}]"
        label = mention.get("label") if isinstance(mention, dict) else None
        if not isinstance(label, str) or not label:
            expected = "an object with a label, and a place or a text"
            yield where, WrongError(f"{where} = {shown(repr(mention))}", expected)
            continue
        # But for its label, a mention is written as a filler is.
        filler = {key: mention[key] for key in mention if key not in _MENTION_KEYS}
        try:
            document = document_of({"unit": unit, "templates": [{"slots": {label: [filler]}}]})
        except WrongError as error:
            yield where, WrongError(_FIRST.sub(where, error.found), error.expected)
            continue
        yield where, _answer(where, next(iter(document.templates[0])))
    try:
        forms = document_of({"unit": unit, "templates": templates}).templates
    except WrongError as error:
        yield "templates", error
        return
    for i, template in enumerate(forms):
        for part in template:
            where = f"templates[{i}].slots.{part[0]}"
            yield where, _answer(where, part)


def _answer(where: str, part: tuple[str, Filler | Template]) -> Answer | WrongError:
    slot, filler = part
    if isinstance(filler, Template) or filler.mention is not None:
        return WrongError(f"{where} that is no text and has no place", "a text, a place or both")
    return Answer(slot, Filler(filler.text, filler.fragments, confidence=filler.confidence))


@dataclass(frozen=True, slots=True)
class _Located:
    """An answer, and where it is; nowhere, if its text was not found."""

    answer: Answer
    places: tuple[Span, ...]


def _corpus(texts: Texts, answers: Sequence[list[Answer]], **facts: int) -> Corpus:
    located = _located(texts, answers)
    searched = [each for own in located for each in own if not each.answer.filler.fragments]
    lost = sum(not each.places for each in searched)
    documents = []
    for row, own in enumerate(located):
        mentions = tuple(
            Mention.of(each.answer.slot, each.places, confidence=each.answer.filler.confidence)
            for each in own if each.places
        )  # fmt: skip
        slots: dict[str, tuple[Filler, ...]] = {}
        for each in own if lost else ():
            filler = replace(each.answer.filler, fragments=each.places)
            slots[each.answer.slot] = (*slots.get(each.answer.slot, ()), filler)
        templates = (Template("", slots),) if slots else ()
        documents.append(replace(texts.corpus[row], mentions=mentions, templates=templates))
    counts = facts | {"grounded": len(searched) - lost, "ungrounded": lost}
    return replace(of_documents(documents).ordered(), facts=counts)


def _located(texts: Texts, answers: Sequence[list[Answer]]) -> list[list[_Located]]:
    """The answers of each document, by slot, those without a place located by their text."""
    ordered = [sorted(own, key=lambda answer: answer.slot) for own in answers]
    if all(answer.filler.fragments for own in ordered for answer in own):
        return [[_Located(each, each.filler.fragments) for each in own] for own in ordered]
    documents = []
    for row, own in enumerate(ordered):
        slots: dict[str, list[Filler]] = {}
        for answer in own:
            slots.setdefault(answer.slot, []).append(answer.filler)
        forms = (
            (Template("", {slot: tuple(each) for slot, each in slots.items()}),) if slots else ()
        )
        documents.append(replace(texts.corpus[row], templates=forms))
    pair = filled(texts.corpus, of_documents(documents), np.arange(len(texts)))
    places = iter(range(len(pair.system)))
    return [
        [_Located(each, pair.grounded.system.of(next(places))) for each in own] for own in ordered
    ]

"""huggingface: rows of token classification datasets, with tokens and tags."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, ClassVar

import numpy as np

from carob.arrays.tags import EMPTY, interpret
from carob.corpus.build import of_tags, require_lists
from carob.corpus.corpus import Corpus
from carob.corpus.problems import Problems, UsageError, shown
from carob.corpus.record import WrongError, short
from carob.corpus.source import Source
from carob.formats import _dialect, json_text
from carob.formats._dialect import ChoiceError
from carob.formats._objects import items
from carob.formats._text import signed, unsigned
from carob.formats.capabilities import fitted, refused

_TAGS = ("ner_tags", "labels", "tags")
_DIGITS = re.compile(r"-?[0-9]{1,9}")
_PADDING = -100
"""The id that training code leaves out: special tokens, and all but the first piece of a word."""


@dataclass(frozen=True, slots=True)
class Huggingface:
    """One JSON object a document, with `tokens` and one tag for each of them.

    The tags are `ner_tags`, `labels` or `tags`; `tags` names another key. They are texts such as
    B-PER, or numbers, for which `names` lists the tags (`O+B-PER+I-PER`), or `labels_file` names a
    file with the list: one tag a line, a JSON list, or a model's config.json, which has `id2label`.
    A token with the number -100 is left out, as in training, and counted. `scheme` and `repair`
    are those of conll. `id` names the key of the ids of documents.

    >>> line = b'{"tokens": ["Ann", "slept"], "ner_tags": ["B-PER", "O"]}'
    >>> Corpus.joined(Huggingface().read(Source.of_bytes(line)))[0].mentions
    (Mention('PER', 0, 1),)
    """

    tags: str = ""
    names: tuple[str, ...] = ()
    labels_file: str = ""
    id: str = "id"
    scheme: str = "auto"
    repair: str = "conlleval"

    name: ClassVar[str] = "huggingface"
    extensions: ClassVar[tuple[str, ...]] = (".hf",)
    signs: ClassVar[str] = '"ner_tags" "labels" "tags"'
    write_parameters: ClassVar[tuple[str, ...]] = ("tags", "names", "labels_file")
    holds: ClassVar[frozenset[str]] = frozenset({
        "tokens", "document ids", "across sentences", "units:token",
    })  # fmt: skip

    def __post_init__(self) -> None:
        names: Any = self.names
        if isinstance(names, str):
            names = names.split("+") if names else ()
        if self.labels_file:
            if names:
                raise UsageError("names and labels_file both list the tags; use one of them")
            names = _names_in(self.labels_file)
        if len(names) == 1 and "," in names[0]:
            wanted = "+".join(part.strip() for part in names[0].split(","))
            raise UsageError(
                f"names has one tag, {shown(names[0])}; write + between tags: {wanted}"
            )
        if any("+" in name for name in names):
            raise UsageError("a tag in names cannot have a +")
        object.__setattr__(self, "names", tuple(names))

    @staticmethod
    def sniff(head: bytes) -> float:
        """How sure are we, from 0 to 1?

        >>> line = b'{"tokens": ["Ann"], "ner_tags": [1]}'
        >>> Huggingface.sniff(line), Huggingface.sniff(b'{"tokens": ["Ann"], "mentions": []}')
        (0.97, 0.0)
        """
        return 0.97 if any(_likely(value) for value in json_text.samples(head)) else 0.0

    def read(self, source: Source) -> Iterator[Corpus]:
        """All documents in one block: the scheme of the tags shows in all of them together."""
        rows = _Rows(self)
        problems = Problems(source.name)
        for item in items(source, problems, "K231"):
            try:
                rows.add(item.value, item.line, item.offset)
            except WrongError as error:
                code = "K235" if isinstance(error, ChoiceError) else "K232"
                problems.add(code, item.line, error.found, error.expected)
        rows.check_ids(problems)
        problems.check()
        if not rows.lines:
            raise source.failure("K002", "an empty file", "at least one document")
        yield rows.corpus(source)

    def signature_fields(self, facts: Mapping[Any, int]) -> tuple[dict[str, str], dict[str, int]]:
        """How the tags were read, and what was repaired or left out."""
        how = {
            "tags_key": signed(self.tags), "names": signed("+".join(self.names)),
            "id_key": signed(self.id), "scheme": self.scheme, "repair": self.repair,
        }  # fmt: skip
        return how, {
            key: facts[key]
            for key in ("repaired", "discarded", "respelled", "padding")
            if key in facts
        }

    @staticmethod
    def from_signature(fields: Mapping[str, str]) -> dict[str, Any]:
        """The parameters again, with the list of tags in place of the file that had it.

        >>> fields = {"tags_key": "-", "names": "O+B-A", "id_key": "id"}
        >>> Huggingface.from_signature(fields | {"scheme": "auto", "repair": "strict"})["names"]
        ('O', 'B-A')
        """
        names = unsigned(fields["names"])
        return {
            "tags": unsigned(fields["tags_key"]), "names": tuple(names.split("+")) if names else (),
            "id": unsigned(fields["id_key"]), "scheme": fields["scheme"],
            "repair": fields["repair"],
        }  # fmt: skip

    def write(self, corpus: Corpus, out: BinaryIO) -> None:
        """Write tags in IOB2, as texts, or as numbers if `names` lists the tags.

        >>> import io
        >>> out = io.BytesIO()
        >>> Huggingface().write(Corpus.of("[Ann]PER slept"), out)
        >>> out.getvalue()
        b'{"tokens": ["Ann", "slept"], "ner_tags": ["B-PER", "O"]}\\n'
        """
        refused(self.name, fitted(corpus, self.holds)[1])
        numbers = {name: number for number, name in enumerate(self.names)}
        for document in corpus:
            if document.tokens is None:
                raise UsageError("huggingface needs tokens, and these documents have none")
            tags = ["O"] * len(document.tokens)
            for each in document.mentions:
                tags[each.start : each.end] = [f"I-{each.label}"] * (each.end - each.start)
                tags[each.start] = f"B-{each.label}"
            if numbers and (strange := [tag for tag in tags if tag not in numbers]):
                raise UsageError(f"the tag {shown(strange[0])} is not in names")
            row: dict[str, Any] = {} if document.id is None else {"id": document.id}
            row["tokens"] = list(document.tokens)
            row[self.tags or "ner_tags"] = [numbers[tag] for tag in tags] if numbers else tags
            out.write(json_text.encoded_object(row))


def _names_in(path: str) -> list[str]:
    """The tags that a file lists, in the order of their numbers."""
    from pathlib import Path  # slow to load

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read labels_file {path}: {error}") from None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = [line.strip() for line in text.split("\n") if line.strip()]
    if isinstance(value, dict):
        value = value.get("id2label", value)
        if isinstance(value, dict):
            numbers = [str(number) for number in range(len(value))]
            value = [value.get(number) for number in numbers]
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise UsageError(
            f"labels_file {path} has no list of tags: one tag a line, a JSON list, or id2label"
        )
    return value


def _likely(value: Any) -> bool:
    if not isinstance(value, dict) or "mentions" in value or "templates" in value:
        return False
    tokens = value.get("tokens")
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        return False
    if isinstance(value.get("ner_tags"), list):
        return True
    return any(isinstance(value.get(key), list) and len(value[key]) == len(tokens) for key in _TAGS)


class _Rows:
    """The rows of a dataset: tokens and tags."""

    def __init__(self, format: Huggingface) -> None:
        self.format = format
        self.tokens: list[list[str]] = []
        self.tags: list[list[str]] = []
        self.ids: list[str | None] = []
        self.lines: list[int] = []
        self.offsets: list[int] = []
        self.padding = 0
        self.expected: dict[str, str] = {}
        """For each tag what should stand there instead, if anything."""

    def add(self, row: Mapping[str, Any], line: int, offset: int) -> None:
        """A row, if nothing is wrong with it."""
        name = _dialect.name_of(row, self.format.id)
        tokens, key = _dialect.list_at(row, "tokens"), self._key(row)
        tags = _dialect.list_at(row, key)
        if len(tags) != len(tokens):
            raise WrongError(f"{len(tags)} {key}", f"one for each of the {len(tokens)} tokens")
        kept: list[tuple[str, str]] = []
        for number, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
            if not isinstance(token, str):
                raise WrongError(f"tokens[{number}] = {short(token)}", "a text")
            if isinstance(tag, str) and _DIGITS.fullmatch(tag):
                tag = int(tag)
            if tag == _PADDING and not isinstance(tag, bool):
                self.padding += 1
            else:
                kept.append((token, self._tag(tag, f"{key}[{number}]")))
        self.tokens.append([token for token, _ in kept])
        self.tags.append([tag for _, tag in kept])
        self.ids.append(name)
        self.lines.append(line)
        self.offsets.append(offset)

    def _key(self, row: Mapping[str, Any]) -> str:
        if self.format.tags:
            return self.format.tags
        keys = [key for key in _TAGS if key in row]
        if len(keys) > 1:
            raise ChoiceError(f"{' and '.join(keys)}", "one of them: --read tags=KEY")
        if not keys:
            raise WrongError("none of ner_tags, labels and tags", "one of them, or --read tags=KEY")
        return keys[0]

    def _tag(self, tag: Any, place: str) -> str:
        names = self.format.names
        if isinstance(tag, str):
            if tag not in self.expected:
                wrong = {} if tag in ("O", EMPTY) else interpret([tag], self.format.scheme).bad
                self.expected[tag] = wrong.get(0, "")
            if self.expected[tag]:
                raise WrongError(f"{place} = {short(tag)}", self.expected[tag])
            return tag
        if isinstance(tag, bool) or not isinstance(tag, int):
            raise WrongError(f"{place} = {short(tag)}", "a tag or its number")
        if not names:
            raise WrongError(
                f"{place} = {short(tag)}, a number",
                "the list of tags: --read names=O+B-PER+I-PER or --read labels_file=FILE",
            )
        if not 0 <= tag < len(names):
            expected = f"a number below {len(names)}, as names has {len(names)} tags, or -100"
            raise WrongError(f"{place} = {short(tag)}", expected)
        return self._tag(names[tag], place)

    def check_ids(self, problems: Problems) -> None:
        """Each document has an id of its own, or none has one."""
        seen: dict[str | None, int] = {}
        for name, line in zip(self.ids, self.lines, strict=True):
            if name is not None and name in seen:
                found = f"the id {shown(name)}, also on line {seen[name]}"
                problems.add("K233", line, found, "an id of its own for each document")
            elif seen and (None in seen) != (name is None):
                found = f"a document with{'out' if name is None else ''} an id"
                problems.add("K233", line, found, "an id in every record, or in none")
            seen.setdefault(name, line)

    def corpus(self, source: Source) -> Corpus:
        """The documents."""
        try:
            corpus = self._decoded(self.tags, self.tokens)
        except UsageError as error:
            problems = Problems(source.name)
            for tags, line in zip(self.tags, self.lines, strict=True):
                try:
                    self._decoded([tags], None)
                except UsageError as one:
                    found = str(one).removeprefix("document 1, ")
                    problems.add("K108", line, found, "tags of one scheme")
            problems.check()
            raise source.failure("K105", str(error), "tags of one scheme") from None
        documents = replace(
            corpus.documents,
            line=np.array(self.lines, np.int64),
            offset=np.array(self.offsets, np.int64),
            id=None if None in self.ids else tuple(str(name) for name in self.ids),
        )
        facts = {**corpus.facts, "padding": self.padding}
        return replace(corpus, documents=documents, facts=facts)

    def _decoded(self, tags: list[list[str]], tokens: list[list[str]] | None) -> Corpus:
        require_lists(tags, tokens)
        corpus = of_tags(tags, tokens, self.format.scheme, self.format.repair)
        return corpus

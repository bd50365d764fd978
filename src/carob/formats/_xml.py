"""XML from strangers, read as a stream: no entities, no other files, bounded depth and size.

The parser is expat, which the standard library has. A document type may be named, as BioC does it,
but nothing in it is read: a declaration of an entity is refused, and so is a reference to one that
is not declared, because text would be missing without a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.parsers import expat

from carob.corpus.problems import Problems, shown
from carob.corpus.source import LARGEST, Source
from carob.formats._text import BOM, CONVERT, DIVIDE

DEEPEST = 100
"""How deep elements may stand in each other."""
_BLOCK = 1 << 16

# Possessive: what a file leaves open must not be tried again from each of its characters.
_PROLOGUE = re.compile(
    rb"(?is)(?:\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\])?+[^>]*+>)*+"
)
_ROOT = re.compile(rb"<((?:[\w.-]+:)?[\w.-]+)[\s/>]")
_PART_OF_BIOC = re.compile(rb"<(?:source|document)[\s/>]")


def root_of(head: bytes) -> str:
    """The name of the root of an XML file, after what may precede it; empty if there is none.

    >>> root_of(b'<?xml version="1.0"?><!-- x --><!DOCTYPE a [<!ENTITY b "c">]><a b="c">')
    'a'
    >>> root_of(b"Ann B-PER")
    ''
    """
    prologue = _PROLOGUE.match(head.removeprefix(BOM))
    assert prologue is not None, "it may be empty"
    root = _ROOT.match(prologue.string, prologue.end())
    return root[1].decode() if root else ""


def is_bioc(head: bytes) -> bool:
    """Whether a file is a collection of BioC.

    >>> is_bioc(b'<collection xmlns="x"><document >'), is_bioc(b"<collection>All</collection>")
    (True, False)
    """
    return root_of(head) == "collection" and _PART_OF_BIOC.search(head) is not None


def is_xmi(head: bytes) -> bool:
    """Whether a file is a CAS in XMI.

    >>> is_xmi(b"<!-- x --><xmi:XMI version='2'>"), is_xmi(b"<xmi>")
    (True, False)
    """
    return root_of(head) == "xmi:XMI"


class Element:
    """An element with what is in it. `name` is `namespace name` where there is a namespace."""

    __slots__ = ("attributes", "children", "line", "name", "parts")

    def __init__(self, name: str, attributes: dict[str, str], line: int) -> None:
        self.name, self.attributes, self.line = name, attributes, line
        self.children: list[Element] = []
        self.parts: list[str] = []

    @property
    def text(self) -> str:
        """The text directly in this element."""
        return "".join(self.parts)

    def all(self, name: str) -> list[Element]:
        """The elements of this name directly in it."""
        return [each for each in self.children if each.name == name]

    def text_of(self, name: str) -> str | None:
        """The text of the first element of this name directly in it."""
        return next((each.text for each in self.children if each.name == name), None)


class _RefusedError(Exception):
    """What the file has is not read: what was found, what was expected, a hint."""

    def __init__(self, found: str, expected: str, hint: str = "") -> None:
        super().__init__(found)
        self.found, self.expected, self.hint = found, expected, hint


def elements(
    source: Source,
    problems: Problems,
    wanted: Callable[[str, int], bool],
    root: str,
    *,
    namespaces: bool = False,
    one_document: bool = False,
) -> Iterator[Element]:
    """Each element that is wanted, by its name and depth, complete; the root has depth 0. Other
    elements are not kept. What is wrong is a problem, and ends the file. If the file is one
    document, its size is bounded; otherwise that of each element is.

    >>> source = Source.of_bytes(b"<a><b>x</b><b>y</b></a>")
    >>> [each.text for each in elements(source, Problems(), lambda name, _: name == "b", "a")]
    ['x', 'y']
    """
    reader = _Reader(wanted, root, namespaces=namespaces)
    size = unfinished = 0
    waiting: list[bytes] = []
    try:
        for number, block in enumerate(source.blocks(_BLOCK)):
            if number == 0 and block[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise source.failure("K004", "UTF-16 text", "UTF-8", CONVERT)
            size += len(block)
            if one_document and size > LARGEST:
                raise _RefusedError(f"more than {LARGEST:,} bytes", "smaller documents", DIVIDE)
            waiting.append(block)
            # The parser looks at a tag that is not complete from its beginning, each time: if it
            # is long, as much again must come first.
            more = len(waiting) * _BLOCK
            if more < unfinished and unfinished + more <= LARGEST:
                continue
            reader.parser.Parse(b"".join(waiting), False)
            waiting.clear()
            yield from reader.taken()
            unfinished = size - reader.parser.CurrentByteIndex
            if unfinished > LARGEST:
                raise _RefusedError(f"a tag of more than {LARGEST:,} bytes", "XML", DIVIDE)
        reader.parser.Parse(b"".join(waiting), True)
        yield from reader.taken()
    except expat.ExpatError as error:
        line = getattr(error, "lineno", None)
        problems.add("K244", line, f"XML that breaks off or is damaged ({error})", "XML")
    except _RefusedError as error:
        line = reader.parser.CurrentLineNumber
        problems.add("K244", line, error.found, error.expected, error.hint)
    except (UnicodeError, ValueError) as error:
        line = reader.parser.CurrentLineNumber
        problems.add("K244", line, f"what no XML has ({error})", "XML in UTF-8")


class _Reader:
    """Collects the elements that are wanted."""

    def __init__(self, wanted: Callable[[str, int], bool], root: str, *, namespaces: bool) -> None:
        self.wanted, self.root = wanted, root
        self.open: list[Element] = []
        self.done: list[Element] = []
        self.depth = 0
        self.size = 0
        parser: Any = expat.ParserCreate(namespace_separator=" " if namespaces else None)
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.data
        parser.EntityDeclHandler = self.refuse_entity
        parser.SkippedEntityHandler = self.refuse_skipped
        parser.ExternalEntityRefHandler = self.refuse_external
        parser.XmlDeclHandler = self.declaration
        self.parser = parser

    def taken(self) -> list[Element]:
        done, self.done = self.done, []
        return done

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.depth == 0 and name != self.root:
            raise _RefusedError(f"XML of <{shown(name)[1:-1]}>", f"<{self.root}>")
        if self.depth >= DEEPEST:
            raise _RefusedError("elements nested too deep", f"at most {DEEPEST} in each other")
        if self.open or self.wanted(name, self.depth):
            element = Element(name, attributes, self.parser.CurrentLineNumber)
            self._grow(len(name) + sum(len(k) + len(v) for k, v in attributes.items()) + 64)
            if self.open:
                self.open[-1].children.append(element)
            self.open.append(element)
        self.depth += 1

    def end(self, name: str) -> None:
        self.depth -= 1
        if self.open:
            element = self.open.pop()
            if not self.open:
                self.done.append(element)
                self.size = 0

    def data(self, text: str) -> None:
        if self.open:
            self._grow(len(text))
            self.open[-1].parts.append(text)

    def _grow(self, size: int) -> None:
        self.size += size
        if self.size > LARGEST:
            found = f"an element of more than {LARGEST:,} bytes"
            raise _RefusedError(found, "smaller documents", DIVIDE)

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
            raise _RefusedError(f"the encoding {shown(encoding)}", "UTF-8", CONVERT)

    def refuse_entity(self, name: str, *_: Any) -> None:
        raise _RefusedError(
            f"a declaration of the entity {shown(name)}", "XML without declarations of entities",
            "entities can expand without bounds, or read other files",
        )  # fmt: skip

    def refuse_skipped(self, name: str, *_: Any) -> None:
        raise _RefusedError(
            f"the entity {shown(name)}, which is not declared", "characters, or numbers of them"
        )

    def refuse_external(self, *_: Any) -> int:
        raise _RefusedError("a reference to another file", "XML in one file")

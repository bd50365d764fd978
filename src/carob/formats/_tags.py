"""Text with tags in it: taken apart, and put together."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html.entities import html5

from carob.corpus.document import Document, Mention
from carob.corpus.problems import UsageError, shown

NAME = re.compile(r"[A-Za-z][\w.-]*")
_ATTRIBUTE = re.compile(r'([A-Za-z_][\w.:-]*)="([^"<>\r\n]*)"')
# Nothing inside a tag is a "<", so that looking for the next tag never goes over a place twice.
TAG = re.compile(
    r"<(?:/(?P<closed>[A-Za-z][\w.-]*+)"
    r"|(?P<opened>[A-Za-z][\w.-]*+)"
    r'(?P<attributes>(?:[ \t]++[A-Za-z_][\w.:-]*+="[^"<>\r\n]*+")*+))>'
)
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]*));")

Wrong = Callable[[int, str, str, str, str], None]
"""Takes a problem: where in the file, its code, what was found, what was expected, a hint."""


def unescaped(text: str) -> str:
    """Text with its entities as the characters they stand for; unknown ones stay.

    >>> unescaped("&lt;b&gt; &amp;amp; &#x41; &nothing;")
    '<b> &amp; A &nothing;'
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    decimal, hexadecimal, name = entity.groups()
    if name is not None:
        return html5.get(f"{name};", entity.group())
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    whole = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if whole else entity.group()


def escaped(text: str) -> str:
    """Text in which nothing is a tag or an entity.

    >>> escaped('<b> & "x"')
    '&lt;b&gt; &amp; &quot;x&quot;'
    """
    signs = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))
    for sign, entity in signs:
        text = text.replace(sign, entity)
    return text


@dataclass(frozen=True, slots=True)
class Tags:
    """Which tags count, and whether entities are decoded."""

    labels: frozenset[str]
    decode: bool

    def find(self, text: str) -> list[re.Match[str]]:
        """The tags of a text; where only some labels count, other tags are text."""
        found = TAG.finditer(text)
        if not self.labels:
            return list(found)
        return [tag for tag in found if (tag["closed"] or tag["opened"]) in self.labels]

    def apart(self, marked: str, wrong: Wrong) -> tuple[str, list[Mention]]:
        """The text without its tags, and what they mark.

        A closing tag closes the nearest open one of its name.
        """
        pieces: list[str] = []
        mentions: list[Mention] = []
        opened: dict[str, list[tuple[int, int, dict[str, str]]]] = {}
        at = size = 0
        hint = "other names in angle brackets are text when labels=A+B says which are tags"
        for tag in self.find(marked):
            piece = marked[at : tag.start()]
            piece = unescaped(piece) if self.decode else piece
            pieces.append(piece)
            size += len(piece)
            at = tag.end()
            if tag["opened"] is not None:
                attributes = self._attributes(tag, wrong)
                opened.setdefault(tag["opened"], []).append((size, tag.start(), attributes))
                continue
            label = tag["closed"]
            stack = opened.get(label)
            if not stack:
                wrong(tag.start(), "K702", shown(tag.group()), f"<{label}> before it", hint)
                continue
            start, _, attributes = stack.pop()
            if start == size:
                found = f"nothing between <{label}> and </{label}>"
                wrong(tag.start(), "K704", found, "at least one character", "")
                continue
            mentions.append(Mention(label, start, size, (), attributes))
        never = [(place, label) for label, stack in opened.items() for _, place, _ in stack]
        for place, label in sorted(never):
            wrong(place, "K703", f"<{label}>", f"</{label}> after it", hint)
        rest = marked[at:]
        pieces.append(unescaped(rest) if self.decode else rest)
        return "".join(pieces), mentions

    def _attributes(self, tag: re.Match[str], wrong: Wrong) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, value in _ATTRIBUTE.findall(tag["attributes"]):
            if name in found:
                twice = f"the attribute {shown(name)} twice in one tag"
                wrong(tag.start(), "K705", twice, "each attribute once", "")
            found[name] = unescaped(value) if self.decode else value
        return found

    def together(self, document: Document) -> str:
        """The text with its tags; what could not be read again as it is, is refused."""
        where = f"in document {shown(document.id or '')}"
        text = document.text
        if text is None:
            raise UsageError(f"inline writes tags into a text, and there is none {where}")
        mentions = document.mentions
        tags = [self._tags(mention, where) for mention in mentions]
        # At one place: close what was opened last, then open what closes last.
        opens = sorted(range(len(mentions)), key=lambda i: (mentions[i].start, -mentions[i].end))
        rank = {row: place for place, row in enumerate(opens)}
        edges = [(mentions[row].start, 1, rank[row], row) for row in opens]
        edges += [(mentions[row].end, 0, -rank[row], row) for row in opens]
        opened: dict[str, list[int]] = {}
        pieces: list[str] = []
        places: list[int] = []
        at = size = 0
        for place, is_open, _, row in sorted(edges):
            piece = escaped(text[at:place]) if self.decode else text[at:place]
            tag = tags[row][0] if is_open else tags[row][1]
            stack = opened.setdefault(mentions[row].label, [])
            if is_open:
                stack.append(row)
            elif stack.pop() != row:
                label = shown(mentions[row].label)
                raise UsageError(f"inline cannot hold two mentions {label} that cross {where}")
            places.append(size + len(piece))
            size += len(piece) + len(tag)
            pieces += [piece, tag]
            at = place
        pieces.append(escaped(text[at:]) if self.decode else text[at:])
        marked = "".join(pieces)
        found = self.find(marked)
        ours = set(places)
        for tag_found in found:
            if tag_found.start() not in ours:
                raise UsageError(
                    f"inline cannot hold the text {shown(tag_found.group())} {where}: "
                    "it looks like a tag; entities=decode escapes it"
                )
        assert len(found) == len(places)
        return marked

    def _tags(self, mention: Mention, where: str) -> tuple[str, str]:
        label = mention.label
        if len(mention.fragments) > 1:
            raise UsageError(f"inline cannot hold discontinuous mentions, as {where}")
        if not NAME.fullmatch(label) or (self.labels and label not in self.labels):
            raise UsageError(f"inline cannot hold the label {shown(label)} {where}")
        attributes = ""
        for name, value in mention.attributes.items():
            held = f'{name}="{escaped(value) if self.decode else value}"'
            if not _ATTRIBUTE.fullmatch(held):
                raise UsageError(
                    f"inline cannot hold the attribute {shown(name)} = {shown(value)} {where}"
                )
            attributes += f" {held}"
        return f"<{label}{attributes}>", f"</{label}>"

"""Values from a list: true or false, and the keys of an enum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from carob.values.raw import OBJECT, Raw, fold

_TRUE, _FALSE = ("true", "yes", "y", "1", "on"), ("false", "no", "n", "0", "off")

Synonyms = tuple[tuple[str, tuple[str, ...]], ...]
"""Keys, each with other words for it."""


@dataclass(frozen=True)
class Boolean:
    """True or false, in these words or others.

    >>> Boolean().read(Raw(0, "Yes")), Boolean((("true", ("ja",)),)).read(Raw(0, "ja"))
    (True, True)
    """

    values: Synonyms = ()

    name: ClassVar[str] = "boolean"

    @cached_property
    def _words(self) -> Mapping[str, bool]:
        words = {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}
        for key, others in self.values:
            words |= {fold(word): key == "true" for word in others}
        return words

    def readings(self, raw: Raw) -> Iterator[bool]:
        """What a value can mean: there is one reading at most."""
        value = None if raw.kind == OBJECT else self._words.get(fold(raw.text))
        if value is not None:
            yield value

    def read(self, raw: Raw) -> bool | None:
        """The value, None if it cannot be read."""
        return next(self.readings(raw), None)


@dataclass(frozen=True)
class Enum:
    """One of some keys, in these words or others; keys may have parents.

    >>> Enum((("open", ("unpaid",)), ("closed", ()))).read(Raw(0, "Unpaid"))
    'open'
    """

    values: Synonyms = ()
    parents: tuple[tuple[str, str], ...] = ()

    name: ClassVar[str] = "enum"

    @cached_property
    def words(self) -> Mapping[str, str]:
        """The key of each folded word. A key goes before the synonyms of others."""
        words = {fold(word): key for key, others in self.values for word in others}
        return words | {fold(key): key for key, _ in self.values}

    def readings(self, raw: Raw) -> Iterator[str]:
        """What a value can mean: there is one reading at most."""
        value = None if raw.kind == OBJECT else self.words.get(fold(raw.text))
        if value is not None:
            yield value

    def read(self, raw: Raw) -> str | None:
        """The key, None if it cannot be read."""
        return next(self.readings(raw), None)

    def ancestors(self, key: str) -> frozenset[str]:
        """The parents of a key, and theirs; a circle ends where it began.

        >>> sorted(Enum((), (("flu", "infection"), ("infection", "disease"))).ancestors("flu"))
        ['disease', 'infection']
        """
        parents, found = dict(self.parents), set[str]()
        while (parent := parents.get(key)) is not None and parent not in found:
            found.add(parent)
            key = parent
        return frozenset(found)

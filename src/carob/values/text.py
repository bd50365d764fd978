"""Texts: those that are compared without case, and identifiers, which are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from carob.values.raw import OBJECT, Raw, fold, trimmed


@dataclass(frozen=True, slots=True)
class String:
    """A text, without case and extra white space.

    >>> String().read(Raw(0, "Acme  Ltd."))
    'acme ltd.'
    """

    name: ClassVar[str] = "string"

    def readings(self, raw: Raw) -> Iterator[str]:
        """What a value can mean: itself."""
        if raw.kind != OBJECT:
            yield fold(raw.text)

    def read(self, raw: Raw) -> str | None:
        """The value; None for an object."""
        return None if raw.kind == OBJECT else fold(raw.text)


@dataclass(frozen=True, slots=True)
class Id:
    """An identifier: its letters and digits, without case. Leading zeros count.

    >>> Id().read(Raw(0, "INV-10231"))
    'inv10231'
    """

    name: ClassVar[str] = "id"

    def readings(self, raw: Raw) -> Iterator[str]:
        """What a value can mean: itself."""
        if raw.kind != OBJECT:
            text = trimmed(raw.text)
            # One of signs alone would be equal to all others of signs alone.
            yield "".join(c for c in text.casefold() if c.isalnum()) or text

    def read(self, raw: Raw) -> str | None:
        """The value; None for an object."""
        return next(self.readings(raw), None)

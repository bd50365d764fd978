"""The signature: one line that identifies an evaluation completely.

Fields are `key:value`, apart by `|`; a value that holds `|` or a quote is a JSON string.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from carob.corpus.problems import UsageError, shown


def _json() -> Any:
    import json  # few signatures hold what has to be quoted

    return json


def compose(fields: Mapping[str, str]) -> str:
    """The line.

    >>> compose({"carob": "0.1.0", "labels": "a|b"})
    'carob:0.1.0|labels:"a|b"'
    """
    return "|".join(f"{key}:{_quoted(value)}" for key, value in fields.items())


def _quoted(value: str) -> str:
    plain = value.isprintable() and "|" not in value and not value.startswith('"')
    return value if plain else _json().dumps(value)


def fields(line: str) -> dict[str, str]:
    """What a line says.

    >>> fields('carob:0.1.0|labels:"a|b"')
    {'carob': '0.1.0', 'labels': 'a|b'}
    """
    found: dict[str, str] = {}
    at = 0
    while at < len(line):
        colon = line.find(":", at)
        if colon < 0:
            raise UsageError(f"found {shown(line[at:])} in a signature, expected key:value")
        key, at = line[at:colon], colon + 1
        if line.startswith('"', at):
            try:
                value, at = _json().JSONDecoder().raw_decode(line, at)
            except ValueError:
                raise UsageError(f"found {shown(line[at:])}, expected a JSON string") from None
        else:
            end = line.find("|", at)
            end = len(line) if end < 0 else end
            value, at = line[at:end], end
        if not isinstance(value, str) or key in found or line[at : at + 1] not in ("", "|"):
            raise UsageError(f"found {shown(line)}, expected a signature")
        found[key] = value
        at += 1
    return found


def words(items: Iterable[str]) -> str:
    """Names as one value: plain words as they are, others quoted.

    >>> words(["PER", "a+b"])
    'PER+"a+b"'
    """
    return "+".join(_item(item) for item in items)


def _item(item: str) -> str:
    simple = item and all(c.isalnum() or c in "-_." for c in item)
    return item if simple else _json().dumps(item)


def unwords(value: str) -> list[str]:
    """The names again.

    >>> unwords('PER+"a+b"')
    ['PER', 'a+b']
    """
    found: list[str] = []
    at = 0
    while at < len(value):
        if value[at] == '"':
            try:
                item, at = _json().JSONDecoder().raw_decode(value, at)
            except ValueError:
                raise UsageError(f"found {shown(value[at:])}, expected a JSON string") from None
        else:
            end = value.find("+", at)
            end = len(value) if end < 0 else end
            item, at = value[at:end], end
        if value[at : at + 1] not in ("", "+"):
            raise UsageError(f"found {shown(value)}, expected names separated by +")
        found.append(item)
        at += 1
    return found

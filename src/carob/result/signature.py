"""The signature: one line that identifies an evaluation completely.

Fields are `key:value`, separated by `|`; a value that contains `|` or a quote is a JSON string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from carob.corpus.problems import UsageError, shown

_STRING = r'"(?:[^"\\]|\\.)*"'
_FIELD = re.compile(rf'([^:]*):({_STRING}|(?!")[^|]*)(?:\||$)')
_NAME = re.compile(rf'({_STRING}|(?!")[^+]*)(?:\+|$)')


def compose(fields: Mapping[str, str]) -> str:
    """The line.

    >>> compose({"carob": "0.1.0", "labels": "a|b"})
    'carob:0.1.0|labels:"a|b"'
    """
    return "|".join(
        f"{key}:{value if _is_plain(value) else _quoted(value)}" for key, value in fields.items()
    )


def _is_plain(value: str) -> bool:
    return value.isprintable() and "|" not in value and not value.startswith('"')


def fields(line: str) -> dict[str, str]:
    """The fields of a line.

    >>> fields('carob:0.1.0|labels:"a|b"')
    {'carob': '0.1.0', 'labels': 'a|b'}
    """
    values: dict[str, str] = {}
    at = 0
    while at < len(line):
        field = _FIELD.match(line, at)
        if field is None or field[1] in values:
            raise UsageError(f"found {shown(line[at:])} in a signature, expected key:value")
        values[field[1]] = _unquoted(field[2])
        at = field.end()
    return values


def words(names: Iterable[str]) -> str:
    """Names as one value: plain words as they are, others quoted.

    >>> words(["PER", "a+b"])
    'PER+"a+b"'
    """
    return "+".join(
        name if name and all(c.isalnum() or c in "-_." for c in name) else _quoted(name)
        for name in names
    )


def unwords(value: str) -> list[str]:
    """The names again.

    >>> unwords('PER+"a+b"')
    ['PER', 'a+b']
    """
    names: list[str] = []
    at = 0
    while at < len(value):
        name = _NAME.match(value, at)
        if name is None:
            raise UsageError(f"found {shown(value)}, expected names separated by +")
        names.append(_unquoted(name[1]))
        at = name.end()
    return names


def _quoted(text: str) -> str:
    import json  # slow to load, and few signatures need it

    return json.dumps(text)


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    import json

    try:
        return str(json.loads(text))
    except ValueError:
        raise UsageError(f"found {shown(text)}, expected a JSON string") from None

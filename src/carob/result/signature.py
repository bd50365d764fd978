"""The signature: one line that identifies an evaluation completely.

Fields are `key:value`, separated by `|`; a value that contains `|` or a quote is a JSON string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from carob.corpus.problems import UsageError, shown

_STRING = r'"(?:[^"\\]|\\.)*"'
_FIELD = re.compile(rf'([^:]*):({_STRING}|(?!")[^|]*)(?:\||$)')
_NAME = re.compile(rf'({_STRING}|(?!")[^+]*)(?:\+|$)')

_FACTS = frozenset({"carob", "recipe", "unit", "format", "scheme", "power", "gold", "system"})
"""Fields that say what the files are, or that the short form has in another way."""

_USUAL = {
    "columns": "-1", "repair": "conlleval", "documents": "auto", "tokenizer": "given|words",
    "map": "none", "labels": "union", "zero": "skip", "extra": "error", "by": "document",
    "interval": "effective", "test": r"randomization,\d+,seed=0",
    "missing": "error", "tags": "all", "entities": "keep", "tokens": "number",
    "id_key": "id", "text_key": "text", "label_key": "-", "label_slot": "-",
    "thresholds": r"0\.01\+0\.02\+0\.05(,1000,seed=0)?",
}  # fmt: skip
"""Patterns of the values that fields have if no option is given."""

_MOST = 80
"""How long the recipes of a short signature may be."""


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


def short(lines: Sequence[str], recipes: Iterable[str], hidden: Iterable[str] = ()) -> str:
    """A line for people: the recipes, what differs from the defaults, and the first digits of the
    SHA-256 of the full lines. Fields that mean nothing for a kind of result are `hidden`.

    >>> short(["carob:0.3.0|recipe:exact.F1@micro|labels:PER|zero:skip"], ["exact.F1"])
    'carob:0.3.0|exact.F1|labels:PER|id:abec4d4f'
    """
    names = grouped(list(dict.fromkeys(recipes)))
    count = len(names)
    while len(names) > 1 and len("+".join(names)) > _MOST:
        names.pop()
    if len(names) < count:
        names.append(f"{count - len(names)} more")
    unusual: dict[str, dict[str, None]] = {}
    every = [fields(line) for line in lines]
    for key, value in (item for line in every for item in line.items()):
        if key not in {*_FACTS, *hidden} and not _is_usual(key, value):
            unusual.setdefault(key, {})[value] = None
    digits = sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()
    more = compose({key: ",".join(values) for key, values in unusual.items()})
    parts = (f"carob:{every[0].get('carob', '')}", "+".join(names), more, f"id:{digits[:8]}")
    return "|".join(part for part in parts if part)


def _is_usual(key: str, value: str) -> bool:
    usual = _USUAL.get(key, "none")
    parts = [value] if key in ("interval", "test", "thresholds") else re.split(", ?|/", value)
    none = key != "interval"
    return all((none and part == "none") or re.fullmatch(usual, part) for part in parts)


def grouped(recipes: Sequence[str]) -> list[str]:
    """Recipes, with PRF for precision, recall and F1 that follow each other.

    >>> grouped(["exact.P", "exact.R", "exact.F1", "ts.F1@macro"])
    ['exact.PRF', 'ts.F1@macro']
    """
    names: list[str] = []
    rest = list(recipes)
    while rest:
        space, dot, tail = rest[0].rpartition(".P")
        three = [f"{space}.{measure}{tail}" for measure in ("P", "R", "F1")]
        if dot and tail[:1] in ("", "@") and rest[:3] == three:
            names.append(f"{space}.PRF{tail}")
            rest = rest[3:]
        else:
            names.append(rest.pop(0))
    return names

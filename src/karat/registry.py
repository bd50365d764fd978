"""Finds components by name: in the folders of the stages, and among installed plugins.

A component is a class with a `name`. Built-in ones are found by reading the source files, so that
only those that are used get imported; plugins announce theirs as entry points of the groups
`karat.formats`, `karat.match`, `karat.measure`, `karat.average`, `karat.infer` and `karat.report`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from karat.nouns.errors import KaratError, UsageError, nearest

STAGES: Mapping[str, str] = {
    "formats": "format",
    "match": "event space",
    "measure": "measure",
    "average": "average",
    "infer": "statistic",
    "report": "report",
}
"""The stages that have components, and what one of them is called in messages."""

_CLASS = re.compile(r"^class (\w+).*?(?=^class |\Z)", re.M | re.S)
_NAME = re.compile(r'^    name: ClassVar(?:\[str\])? = "([^"]+)"', re.M)


@cache
def builtin(stage: str) -> Mapping[str, tuple[str, str]]:
    """Name -> (module, class) of the components in a stage's folder; nothing is imported.

    >>> builtin("measure")["P"]
    ('karat.measure.precision', 'Precision')
    """
    found = {}
    folder = os.path.join(os.path.dirname(__file__), stage)  # noqa: PTH118, PTH120
    for file in sorted(os.listdir(folder)):  # noqa: PTH208 (pathlib is slow to load)
        if file.startswith("_") or not file.endswith(".py"):
            continue
        with open(os.path.join(folder, file), encoding="utf-8") as source:  # noqa: PTH118, PTH123
            parts = _CLASS.finditer(source.read())
        for part in parts:
            name = _NAME.search(part.group())
            if name:
                found[name[1]] = (f"karat.{stage}.{file.removesuffix('.py')}", part[1])
    return found


@cache
def plugins(stage: str) -> Mapping[str, Any]:
    """Name -> entry point of the components that other packages bring.

    >>> plugins("match")
    {}
    """
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=f"karat.{stage}")}


def names(stage: str) -> list[str]:
    """Everything a stage has, built in or not.

    >>> "micro" in names("average")
    True
    """
    return sorted({*builtin(stage), *plugins(stage)}, key=str.casefold)


def load(stage: str, name: str) -> type[Any]:
    """The class of a component.

    >>> load("average", "micro").__name__
    'Micro'
    """
    if name in builtin(stage):
        module, attribute = builtin(stage)[name]
        found: type[Any] = getattr(import_module(module), attribute)
        return found
    if name in plugins(stage):
        try:
            found = plugins(stage)[name].load()
        except Exception as error:
            raise KaratError(f"the plugin {plugins(stage)[name].value} failed: {error}") from error
        return found
    raise UsageError(f"no {STAGES[stage]} is called {name!r}{nearest(name, names(stage))}")

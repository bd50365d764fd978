"""Finds components by name: in the folders of the stages, and among installed plugins.

A component is a class with a `name`. Built-in ones are found by reading the source files, so that
only those that are used get imported; plugins announce theirs as entry points of the groups
`carob.formats`, `carob.match`, `carob.measure`, `carob.average`, `carob.infer`, `carob.report`,
`carob.learn` and `carob.peers`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from carob.corpus.problems import CarobError, UsageError, nearest
from carob.entry_points import EntryPoint, entry_points

STAGES: Mapping[str, str] = {
    "formats": "format",
    "match": "event space",
    "measure": "measure",
    "average": "average",
    "infer": "statistic",
    "report": "report",
    "learn": "learner",
    "peers": "tool",
}
"""The stages that have components, and what one of them is called in messages."""

_NAME = re.compile(rb'    name: ClassVar(?:\[str\])? = "([^"]+)"')
_SIGNS = re.compile(rb"    signs: ClassVar\[str\] = (['\"])([^\r\n]*)\1")
_CLASS = re.compile(rb"class (\w+)")


def builtin(stage: str) -> Mapping[str, tuple[str, str]]:
    """Name -> (module, class) of the components in a stage's folder; nothing is imported.

    >>> builtin("measure")["P"]
    ('carob.measure.precision', 'Precision')
    """
    return _declared(stage)[0]


def signs(stage: str) -> Mapping[str, str]:
    """Name -> what the component declares as `signs`, for those that do; nothing is imported.

    >>> signs("formats")["webanno"]
    '#FORMAT=WebAnno'
    """
    return _declared(stage)[1]


@cache
def _declared(stage: str) -> tuple[Mapping[str, tuple[str, str]], Mapping[str, str]]:
    """What the files of a stage's folder say about their components."""
    components: dict[str, tuple[str, str]] = {}
    declared: dict[str, str] = {}
    folder = os.path.join(os.path.dirname(__file__), stage)  # noqa: PTH118, PTH120
    if not os.path.isdir(folder):  # noqa: PTH112 (pathlib is slow to load)
        return {}, {}  # other packages bring all of them
    for file in sorted(os.listdir(folder)):  # noqa: PTH208
        path = f"{folder}/{file}"
        if file.startswith("_"):
            continue
        if not file.endswith(".py"):
            path += "/__init__.py"  # a component that is a folder
            if not os.path.exists(path):  # noqa: PTH110
                continue
        with open(path, "rb") as source:  # noqa: PTH123
            text = source.read()
        module, seen, name = f"carob.{stage}.{file.removesuffix('.py')}", -1, ""
        for at in _lines(text, b"    name: ClassVar", b"    signs: ClassVar"):
            begin = text.rfind(b"\nclass ", 0, at) + 1
            if (found := _NAME.match(text, at)) and begin > max(seen, 0):
                seen, name = begin, found[1].decode()
                of_class = _CLASS.match(text, begin)
                assert of_class is not None, "a class has a name"
                components[name] = module, of_class[1].decode()
            elif name and (found := _SIGNS.match(text, at)):
                declared[name] = found[2].decode()
    return components, declared


def _lines(source: bytes, *begins: bytes) -> list[int]:
    """Where the lines are that begin with one of `begins`. A regular expression would take ten
    milliseconds to look at every line, at each start, and decoding the source some more.
    """
    places = []
    for begin in begins:
        at = source.find(b"\n" + begin)
        while at >= 0:
            places.append(at + 1)
            at = source.find(b"\n" + begin, at + 1)
    return sorted(places)


@cache
def plugins(stage: str) -> Mapping[str, EntryPoint]:
    """Name -> entry point of the components that other packages bring. Each has a name of its own,
    because a name in a published score must have one meaning.

    >>> plugins("match")
    {}
    """
    own = {name: ".".join(place) for name, place in builtin(stage).items()}
    return entry_points(f"carob.{stage}", own)


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
    brought = plugins(stage)  # refuses a plugin that is called as a built-in component
    if name in builtin(stage):
        module, class_name = builtin(stage)[name]
        component: type[Any] = getattr(import_module(module), class_name)
        return component
    if name in brought:
        return _load_plugin(stage, name)
    raise UsageError(f"no {STAGES[stage]} is called {name!r}{nearest(name, names(stage))}")


def _load_plugin(stage: str, name: str) -> type[Any]:
    """The class that an entry point names, checked against the contract of its stage."""
    from carob.plugin import missing_attributes, required

    entry = plugins(stage)[name]
    component: type[Any] = entry.load()
    kind = STAGES[stage]
    article = "an" if kind[0] in "aeiou" else "a"
    if lacking := missing_attributes(stage, component):
        raise CarobError(
            f"the plugin {entry.value} is {article} {kind} without {' and '.join(lacking)}; "
            f"{article} {kind} declares {', '.join(required(stage))}"
        )
    if component.name != name:
        raise CarobError(
            f"the plugin {entry.value} is called {component.name!r}, and {name!r} by its entry "
            "point; give both the same name"
        )
    return component

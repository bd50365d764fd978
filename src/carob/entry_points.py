"""What other packages bring: their entry points, in groups such as `carob.commands`.

pip writes the entry points of a package into a file beside it. importlib.metadata reads them too,
and takes 40 ms to load, which every command would pay for; a group is read when it is needed.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from collections.abc import Iterator, Mapping
    from typing import Any


class EntryPoint:
    """A name, what it stands for (`module` or `module:object`), and the package that says so."""

    __slots__ = ("name", "package", "value")

    def __init__(self, name: str, value: str, package: str) -> None:
        self.name, self.value, self.package = name, value, package

    def load(self) -> Any:
        """What it stands for; the package is named if that cannot be imported.

        >>> EntryPoint("six", "carob.entry_points:nothing", "other").load()
        Traceback (most recent call last):
        carob.corpus.problems.CarobError: the plugin carob.entry_points:nothing failed: module \
'carob.entry_points' has no attribute 'nothing'
        """
        module, _, path = self.value.partition(":")
        try:
            made: Any = import_module(module.strip())
            for name in path.split(".") if path else ():
                made = getattr(made, name.strip())
        except Exception as error:
            raise _failure(f"the plugin {self.value} failed: {error}") from error
        return made


def entry_points(group: str, builtin: Mapping[str, str] | None = None) -> Mapping[str, EntryPoint]:
    """Name -> entry point of a group, from all installed packages. Each has a name of its own, and
    none that is `builtin`, because a name has one meaning.

    >>> entry_points("carob.nothing")
    {}
    """
    entries: dict[str, EntryPoint] = {}
    for entry in _of_group(group):
        other = (builtin or {}).get(entry.name, "")
        if entry.name in entries and entries[entry.name].value != entry.value:
            other = f"the plugin {entries[entry.name].value}"
        if other:
            raise _failure(
                f"the plugin {entry.value} is called {entry.name!r}, as is {other}; give it "
                "another name, or uninstall it"
            )
        entries[entry.name] = entry
    return entries


def _failure(text: str) -> Exception:
    from carob.corpus.problems import CarobError  # help and version do without it

    return CarobError(text)


def _of_group(group: str) -> Iterator[EntryPoint]:
    files = _files()
    if files is None:
        from importlib import metadata

        for each in metadata.entry_points(group=group):
            yield EntryPoint(each.name, each.value, each.dist.name if each.dist else "")
        return
    for package, text in files:
        inside = False
        for line in map(str.strip, text.splitlines()):
            if line.startswith("["):
                inside = line == f"[{group}]"
            elif inside and "=" in line and line[0] != "#":
                name, _, value = line.partition("=")
                yield EntryPoint(name.strip(), value.partition("[")[0].strip(), package)


@cache
def _files() -> tuple[tuple[str, str], ...] | None:
    """The packages that have entry points for carob, each with its file; None if there may be some
    in a zip file on the path, where only importlib.metadata finds them.
    """
    files: dict[str, str | None] = {}
    for folder in sys.path:
        if os.path.isfile(folder):  # noqa: PTH113 (pathlib is slow to load)
            return None
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                package = name.rpartition(".")[0].partition("-")[0].lower().replace(".", "_")
                # Of a package that is there twice, the first on the path is imported.
                files.setdefault(package, _announcement(f"{folder or '.'}/{name}"))
    return tuple((package, text) for package, text in files.items() if text is not None)


def _announcement(folder: str) -> str | None:
    """The entry points of a package, if any is for carob."""
    try:
        with open(f"{folder}/entry_points.txt", "rb") as file:  # noqa: PTH123
            content = file.read()
    except OSError:
        return None
    return content.decode("utf-8", "replace") if b"[carob." in content else None

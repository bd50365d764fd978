"""The files of a folder, and the file that belongs to another."""

from __future__ import annotations

import os

from carob.corpus.problems import InputError, Problem

_PAIRED = {".ann": ".txt", ".txt": ".ann"}


def walked(folder: str) -> tuple[list[str], int]:
    """The names of all files in a folder and the folders in it, sorted, and how many were hidden.

    Links are followed; one that leads back to a folder around it is refused.
    """
    names: list[str] = []
    hidden = 0
    pending: list[tuple[str, frozenset[str]]] = [("", frozenset([os.path.realpath(folder)]))]
    while pending:
        prefix, around = pending.pop()
        here = os.path.join(folder, prefix) if prefix else folder  # noqa: PTH118
        try:
            with os.scandir(here) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            raise _unreadable(here, error.strerror or str(error)) from None
        for entry in entries:
            name = prefix + entry.name
            try:
                is_folder, is_file = entry.is_dir(), entry.is_file()
            except OSError as error:
                raise _unreadable(entry.path, error.strerror or str(error)) from None
            if entry.name.startswith("."):
                hidden += 1
            elif is_folder:
                real = os.path.realpath(entry.path)
                if real in around:
                    raise _unreadable(entry.path, "a link to a folder around it")
                pending.append((f"{name}/", around | {real}))
            elif is_file:
                names.append(name)
            else:
                raise _unreadable(entry.path, "neither a file nor a folder")
    return sorted(names), hidden


def _unreadable(path: str, found: str) -> InputError:
    return InputError(
        [Problem("K001", os.path.normpath(path), None, found, "files and folders to read")]
    )


def ending(name: str) -> tuple[str, str]:
    """A file name without its last ending, and the ending in small letters; gz does not count.

    >>> ending("a/x.TXT.gz"), ending("x")
    (('a/x', '.txt'), ('x', ''))
    """
    bare = name.removesuffix(".gz")
    folder, slash, last = bare.rpartition("/")
    stem, dot, tail = last.rpartition(".")
    if not dot or not stem:
        return bare, ""
    return f"{folder}{slash}{stem}", f".{tail.lower()}"


def beside(path: str) -> str | None:
    """The file that makes a pair with x.ann or x.txt: x.txt or x.ann in the same folder."""
    folder, last = os.path.split(os.path.normpath(path))
    stem, tail = ending(last)
    if tail not in _PAIRED:
        return None
    for name in (stem + _PAIRED[tail], f"{stem}{_PAIRED[tail]}.gz"):
        other = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isfile(other) and os.path.isfile(path):  # noqa: PTH113 (pathlib loads slowly)
            return other
    return None

"""Corpora in folders: many files read as one corpus, one corpus written as many files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from carob.corpus.corpus import LAYER, Corpus, Shelves, listed_facts
from carob.corpus.problems import InputError, Problems, UsageError, shown
from carob.corpus.source import Source
from carob.corpus.tables import ATTRIBUTES, too_many_attributes
from carob.plugin import hook

Read = tuple[Corpus, dict[str, str], dict[str, int]]


def read_files(reader: Any, source: Source) -> Read:
    """Read every file of a folder with a reader of single files, and join the documents.

    Files come in the order of their names. What the reader detects differently for different
    files, such as a tag scheme, is reported as `auto`.
    """
    problems = Problems()
    parts: list[tuple[Source, Corpus]] = []
    settings: dict[str, set[str]] = {}
    facts: Counter[str] = Counter()
    layers: set[str] = set()
    for file in source.files.values():
        try:
            part = Corpus.joined(reader.read(file))
        except InputError as error:
            problems.extend(error.problems, error.total)
            continue
        setting, counts = hook(reader, "signature_fields")(part.facts)
        facts.update(counts)
        layers.update(listed_facts(part.facts, LAYER))
        for key, value in setting.items():
            settings.setdefault(key, set()).add(value)
        if (library := hook(reader, "library")) is not None:
            part = replace(part, library=library(file, part.documents))
        parts.append((file, replace(part, facts={})))
    problems.check()
    if not parts:
        raise source.failure("K002", "an empty folder", "at least one document")
    _check_together(parts, problems)
    problems.check()
    if len(layers) > 1:
        names = ", ".join(shown(each.removeprefix(f"{LAYER}: ")) for each in sorted(layers)[:6])
        raise source.failure("K235", f"the layers {names} in different files", "one of them",
                             "--read layer=NAME")  # fmt: skip
    _require_somewhere(reader, source, facts, sum(len(part) for _, part in parts))
    facts["hidden_files"], facts["editor_files"] = source.hidden, source.of_editors
    how = {key: values.pop() if len(values) == 1 else "auto" for key, values in settings.items()}
    corpus = Corpus.joined([part for _, part in parts])
    first = np.cumsum([0, *(len(part) for _, part in parts[:-1])]).tolist()
    shelves = Shelves(tuple(part.library for _, part in parts), tuple(first),
                      tuple(file.name for file, _ in parts))  # fmt: skip
    return replace(corpus, library=shelves), how, dict(facts)


_NAMED = {"ungrouped": ("group of spans", "spans"), "unlayered": ("layer", "layer")}
"""Facts that count documents without a thing that a parameter names."""


def _require_somewhere(reader: Any, source: Source, facts: Counter[str], documents: int) -> None:
    """Refuse a name of a group or layer that no file has."""
    for fact, (what, parameter) in _NAMED.items():
        name = getattr(reader, parameter, "")
        if name and facts[fact] == documents:
            raise source.failure("K232", f"no {what} {shown(name)} in any file",
                                 "one that some file has", f"--read {parameter}=NAME")  # fmt: skip


def _check_together(parts: Iterable[tuple[Source, Corpus]], problems: Problems) -> None:
    """Check that all files have one unit, and that all documents have ids of their own or none."""
    owner: dict[str, Source] = {}
    named: dict[bool, Source] = {}
    units: dict[str, Source] = {}
    attributes: set[str] = set()
    for file, part in parts:
        attributes |= {*part.mentions.attributes, *part.documents.attributes}
        if len(attributes) > ATTRIBUTES:
            problems.add("K009", None, *too_many_attributes(attributes), file=file.name)
            return
        wrong: list[tuple[int | None, str, str]] = []
        if part.unit is not None and units.setdefault(part.unit, file) is file and len(units) > 1:
            other, first = next(iter(units.items()))
            wrong.append((None, f"documents that count {part.unit}s",
                          f"{other}s, as in {first.name}"))  # fmt: skip
        ids = part.documents.id
        if named.setdefault(ids is not None, file) is file and len(named) > 1:
            first = next(iter(named.values()))
            have, lack = ("with", "without") if ids is not None else ("without", "with")
            wrong.append((None, f"documents {have} ids", f"documents {lack}, as in {first.name}"))
        for row, name in enumerate(ids or ()):
            if name in owner:
                found = f"the id {shown(name)}, also in {owner[name].name}"
                line = int(part.documents.line[row])
                wrong.append((line, found, "an id of its own for each document"))
            owner.setdefault(name, file)
        for line_or_none, found, expected in wrong:
            problems.add("K008", line_or_none, found, expected, file=file.name)


def file_names(corpus: Corpus, format: str) -> list[str]:
    """A file name, without its ending, for each document: its id, or its number."""
    ids = corpus.documents.id
    if ids is None:
        width = len(str(len(corpus)))
        return [str(row + 1).zfill(width) for row in range(len(corpus))]
    for name in ids:
        if any(part.startswith(".") or not part for part in name.split("/")) or any(
            sign in name for sign in "\0\\"
        ):
            raise UsageError(
                f"{format} writes a document to a file of its name, "
                f"and {shown(name)} is no name for a file"
            )
    return list(ids)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files to a folder that is new or empty."""
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"the folder {folder} is not empty; write to a new one")
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as out:
                out.write(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write the folder {folder}: {reason}") from None

"""From parsed arguments to calls of the library; what is wrong with them is said in words."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from carob.corpus.problems import UsageError, shown
from carob.corpus.source import Source
from carob.evaluate.read import suited


def choices(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `_options.add_choices` as keyword arguments of carob.score."""
    mapping = {}
    for each in arguments.map:
        old, sign, new = each.partition("=")
        if "," in new and "=" in new.partition(",")[2]:
            parts = " --map ".join(part.strip() for part in each.split(","))
            raise UsageError(f"found --map {shown(each)}, expected one OLD=NEW: --map {parts}")
        if not (old and sign and new):
            raise UsageError(f"found --map {shown(each)}, expected OLD=NEW")
        if old in mapping:
            raise UsageError(f"--map names {shown(old)} twice")
        mapping[old] = new
    labels = None
    if arguments.labels is not None:
        labels = [label.strip() for label in arguments.labels.split(",")]
        if not all(labels):
            raise UsageError(f"found --labels {shown(arguments.labels)}, expected A,B,C")
    return {
        "labels": labels,
        "map": mapping,
        "zero_division": arguments.zero_division,
        "extra_docs": arguments.extra_docs,
        "tokenizer": arguments.tokenizer,
        "task": task(arguments),
    }


def task(arguments: argparse.Namespace) -> Any:
    """The task definition of `_options.add_task`; None without one."""
    if arguments.task is None:
        if arguments.part is not None:
            raise UsageError("--part is a part of a task definition: give --task, too")
        return None
    from carob.evaluate.task import Task

    return Task.read(arguments.task, arguments.part)


def statistics(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `_options.add_statistics` as keyword arguments of carob.score."""
    names = ("resamples", "interval", "seed", "resample_by", "strata")
    return {name: getattr(arguments, name) for name in names}


def pairs(option: str, given: Iterable[str]) -> dict[str, str]:
    """The parts of an option that takes KEY=VALUE.

    >>> pairs("--write", ["scheme=iobes"])
    {'scheme': 'iobes'}
    """
    found = {}
    for each in given:
        key, sign, value = each.partition("=")
        if not (key and sign):
            raise UsageError(f"found {option} {shown(each)}, expected KEY=VALUE")
        found[key] = value
    return found


def columns(spec: str | None) -> dict[str, int | tuple[int, ...]]:
    """The parts of --columns: gold, system and token; several layers of tags are I+J.

    >>> columns("gold=-2,system=-1"), columns("1+2")
    ({'gold': -2, 'system': -1}, {'gold': (1, 2), 'system': (1, 2)})
    """
    found: dict[str, int | tuple[int, ...]] = {}
    for part in spec.split(",") if spec else ():
        name, number = part.split("=", 1) if "=" in part else ("", part)
        if name not in ("", "gold", "system", "token", "tag"):
            raise UsageError(f"found --columns {shown(part)}, expected gold=I, system=I or token=I")
        try:
            layers = tuple(int(each) for each in number.split("+"))
        except ValueError:
            raise UsageError(
                f"found --columns {shown(part)}, expected a whole number, or several: 1+2"
            ) from None
        value = layers if len(layers) > 1 else layers[0]
        found |= {"gold": value, "system": value} if name in ("", "tag") else {name: value}
    token = found.get("token", 0)
    if not isinstance(token, int):
        raise UsageError("tokens stand in one column")
    if token < 0:
        raise UsageError("the token column counts from the left: 0, 1, 2 ...")
    return found


def asked(arguments: argparse.Namespace, side: str) -> dict[str, Any]:
    """The options of `_options.add_reading` for one side, those that were given."""
    column = columns(arguments.columns)
    every = {
        "format": getattr(arguments, f"{side}_format"),
        "scheme": arguments.scheme,
        "repair": arguments.repair,
        "documents": arguments.documents,
        "tag": column.get(side),
        "token": column.get("token"),
    }
    more = pairs("--read", arguments.read)
    return {key: value for key, value in every.items() if value is not None} | more


def reading(
    arguments: argparse.Namespace,
    side: str,
    paths: Iterable[str],
    sources: dict[str, Source] | None = None,
) -> dict[str, dict[str, Any]]:
    """For each path its source and the keyword arguments of carob.read.

    An option that is not a format's (a scheme for jsonl) is not passed to it. `sources` are those
    that are open already: standard input can be read only once.
    """
    wanted = asked(arguments, side)
    sources = {} if sources is None else sources
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        source = sources[path] = sources.get(path) or Source(path)
        found[path] = {"source": source} | suited(source, wanted)
    return found


def unused(arguments: argparse.Namespace, taken: Iterable[Mapping[str, Any]]) -> None:
    """Refuse an option of reading that no file's format knows."""
    used = {key for options in taken for key in options}
    options = {"scheme": "scheme", "repair": "repair", "documents": "documents", "columns": "tag"}
    for option, key in options.items():
        given = getattr(arguments, option) is not None
        if given and key not in used and not (option == "columns" and "token" in used):
            formats = sorted({str(each["format"]) for each in taken})
            raise UsageError(f"--{option} means nothing for the format {' or '.join(formats)}")
    for key in pairs("--read", arguments.read):
        if key not in used:
            formats = sorted({str(each["format"]) for each in taken})
            raise UsageError(f"--read {key}= means nothing for the format {' or '.join(formats)}")


def named(text: str) -> tuple[str | None, str]:
    """Name and path of a system: name=path, or a path alone.

    >>> named("best=out.conll"), named("out.conll")
    (('best', 'out.conll'), (None, 'out.conll'))
    """
    name, sign, path = text.partition("=")
    if not sign or not name or os.path.exists(text):  # noqa: PTH110
        return None, text
    if not path:
        raise UsageError(f"found {shown(text)}, expected name=path")
    return name, path


def csv_text(rows: list[dict[str, Any]]) -> str:
    """Rows with the same keys as CSV."""
    import csv

    out = io.StringIO()
    table = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()


def deliver(text: str, output: str | None) -> None:
    """Data to stdout, or to the file that was asked for."""
    if output is None or output == "-":
        sys.stdout.write(text)
        return
    try:
        with open(output, "w", -1, "utf-8", "backslashreplace", "\n") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}") from None

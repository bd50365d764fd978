"""Options that several commands have, and how they reach the library."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from karat.nouns.errors import UsageError, shown

FORMATS = ("terminal", "json", "csv", "markdown", "latex")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read."""
    group = parser.add_argument_group("reading")
    group.add_argument("--gold-format", metavar="NAME", help="format of gold (else found out)")
    group.add_argument("--system-format", metavar="NAME", help="format of systems (else found out)")
    group.add_argument(
        "--scheme", metavar="NAME",
        help="tag scheme: iob1, iob2, ioe1, ioe2, iobes, bilou, bmes, bmewo, io (else found out)",
    )  # fmt: skip
    group.add_argument(
        "--repair", choices=("conlleval", "discard", "strict"),
        help="invalid tag sequences: read them as conlleval does (default), drop them, or fail",
    )  # fmt: skip
    group.add_argument(
        "--columns", metavar="SPEC",
        help="column of the tag (default -1, the last), or gold=I,system=I,token=I",
    )  # fmt: skip
    group.add_argument(
        "--documents", choices=("auto", "file"),
        help="auto: -DOCSTART- or a blank line opens a document; file: the file is one",
    )  # fmt: skip


def add_choices(parser: argparse.ArgumentParser) -> None:
    """What is counted."""
    group = parser.add_argument_group("counting")
    group.add_argument("--labels", metavar="A,B", help="score only these labels")
    group.add_argument(
        "--map", metavar="OLD=NEW", action="append", default=[], help="rename a label (repeatable)"
    )
    group.add_argument(
        "--zero-division", choices=("skip", "0", "1"), default="skip",
        help="what a label or document without any item counts in a mean (default: left out)",
    )  # fmt: skip
    group.add_argument(
        "--extra-docs", choices=("error", "ignore"), default="error",
        help="system documents that gold lacks",
    )  # fmt: skip


def add_statistics(parser: argparse.ArgumentParser) -> None:
    """How intervals are made."""
    group = parser.add_argument_group("statistics")
    group.add_argument(
        "--resamples", metavar="N", type=int, default=1000,
        help="resamples for intervals (default: 1000; 0: no intervals)",
    )  # fmt: skip
    group.add_argument(
        "--interval", choices=("auto", "bca", "percentile", "jackknife-t"), default="auto",
        help="auto: bca from 30 documents on, jackknife-t below",
    )  # fmt: skip
    group.add_argument("--seed", metavar="N", type=int, default=0, help="of all draws (default: 0)")
    group.add_argument(
        "--resample-by", choices=("document", "sentence"), default="document",
        help="what is drawn (default: document)",
    )  # fmt: skip
    group.add_argument(
        "--strata", metavar="NAME", help="draw within groups: an attribute of gold documents"
    )


def statistics(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_statistics` as keyword arguments of karat.score."""
    names = ("resamples", "interval", "seed", "resample_by", "strata")
    return {name: getattr(arguments, name) for name in names}


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str] = FORMATS) -> None:
    """Where and how results go."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", metavar="NAME", default="terminal",
        help=f"{', '.join(formats)} (default: terminal)",
    )  # fmt: skip
    group.add_argument("-o", "--output", metavar="FILE", help="write there instead of stdout")


def choices(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_choices` as keyword arguments of karat.score."""
    mapping = {}
    for each in arguments.map:
        old, sign, new = each.partition("=")
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
    }


def columns(spec: str | None) -> dict[str, int]:
    """The parts of --columns: gold, system and token.

    >>> columns("gold=-2,system=-1"), columns("3")
    ({'gold': -2, 'system': -1}, {'gold': 3, 'system': 3})
    """
    found: dict[str, int] = {}
    for part in spec.split(",") if spec else ():
        name, number = part.split("=", 1) if "=" in part else ("", part)
        if name not in ("", "gold", "system", "token", "tag"):
            raise UsageError(f"found --columns {shown(part)}, expected gold=I, system=I or token=I")
        try:
            value = int(number)
        except ValueError:
            raise UsageError(f"found --columns {shown(part)}, expected a whole number") from None
        found |= {"gold": value, "system": value} if name in ("", "tag") else {name: value}
    if found.get("token", 0) < 0:
        raise UsageError("the token column counts from the left: 0, 1, 2 ...")
    return found


def reading(
    arguments: argparse.Namespace, side: str, paths: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """For each path, the keyword arguments of karat.read; an option that no file takes is refused.

    An option that is not a format's (a scheme for jsonl) is not passed to it.
    """
    from dataclasses import fields

    from karat.nouns.source import Source
    from karat.pipeline import sniffed
    from karat.registry import load

    column = columns(arguments.columns)
    asked: Mapping[str, Any] = {
        "scheme": arguments.scheme,
        "repair": arguments.repair,
        "documents": arguments.documents,
        "tag": column.get(side),
        "token": column.get("token"),
    }
    asked = {key: value for key, value in asked.items() if value is not None}
    given = getattr(arguments, f"{side}_format")
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        source = Source(path)
        name = given or sniffed(source)
        known = {each.name for each in fields(load("formats", name))}
        found[path] = {"source": source, "format": name} | {
            key: value for key, value in asked.items() if key in known
        }
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


def named(text: str) -> tuple[str | None, str]:
    """Name and path of a system: name=path, or a path alone.

    >>> named("best=out.conll"), named("out.conll")
    (('best', 'out.conll'), (None, 'out.conll'))
    """
    name, sign, path = text.partition("=")
    if not sign or not name or Path(text).exists():
        return None, text
    if not path:
        raise UsageError(f"found {shown(text)}, expected name=path")
    return name, path


def deliver(text: str, output: str | None) -> None:
    """Data to stdout, or to the file that was asked for."""
    import sys

    if output is None or output == "-":
        sys.stdout.write(text)
        return
    try:
        Path(output).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}") from None

"""Options that several commands have. Nothing heavy is imported: `--help` must be instant."""

from __future__ import annotations

import argparse

FORMATS = ("terminal", "json", "csv", "markdown", "latex")


def add_preset(parser: argparse.ArgumentParser, what: str, tables: str = "") -> None:
    """A table of recipes to choose by name."""
    every = tables or (
        "mentions (default), nugget (default for tbf), or templates (default where gold has "
        "templates, or a system has templates and no mentions)"
    )
    parser.add_argument("--preset", metavar="NAME", help=f"{what}: {every}")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read."""
    group = parser.add_argument_group("reading")
    group.add_argument("--gold-format", metavar="NAME", help="format of gold (detected by default)")
    group.add_argument(
        "--system-format", metavar="NAME", help="format of systems (detected by default)"
    )
    add_conll(group)


def add_conll(group: argparse._ActionsContainer) -> None:
    """How conll files are read."""
    group.add_argument(
        "--scheme", metavar="NAME",
        help="tag scheme: iob1, iob2, ioe1, ioe2, iobes, bilou, bmes, bmewo, io (detected by "
        "default)",
    )  # fmt: skip
    group.add_argument(
        "--repair", choices=("conlleval", "discard", "strict"),
        help="invalid tag sequences: read them as conlleval does (default), drop them, or fail",
    )  # fmt: skip
    group.add_argument(
        "--columns", metavar="SPEC",
        help="column of the tag (default -1, the last), layers I+J, or gold=I,system=I,token=I",
    )  # fmt: skip
    group.add_argument(
        "--documents", choices=("auto", "file"),
        help="auto: -DOCSTART-, # newdoc or a blank line begins one; file: the file is one",
    )  # fmt: skip
    group.add_argument(
        "--read", metavar="KEY=VALUE", action="append", default=[],
        help="another parameter of the format, such as entities=decode (repeatable)",
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
        help="value of a label or document without any item in a mean (default: left out)",
    )  # fmt: skip
    group.add_argument(
        "--extra-docs", choices=("error", "ignore"), default="error",
        help="system documents that gold lacks",
    )  # fmt: skip
    add_tokenizer(group)
    add_task(group)
    group.add_argument(
        "--part", metavar="NAME",
        help="the part of the task's documents (default: test if there is one, otherwise all)",
    )  # fmt: skip


def add_task(group: argparse._ActionsContainer) -> None:
    """What is evaluated."""
    group.add_argument(
        "--task", metavar="FILE",
        help="a task definition: corpus, slots, recipes and documents (see carob task)",
    )  # fmt: skip


def add_tokenizer(group: argparse._ActionsContainer) -> None:
    """How texts are cut."""
    group.add_argument(
        "--tokenizer", choices=("auto", "given", "words", "whitespace"), default="auto",
        help="how to cut texts into tokens, if positions are characters and a recipe needs tokens "
        "(default: the given tokens if available, otherwise words)",
    )  # fmt: skip


def add_statistics(parser: argparse.ArgumentParser) -> None:
    """How intervals are computed."""
    group = parser.add_argument_group("statistics")
    group.add_argument(
        "--resamples", metavar="N", type=int, default=1000,
        help="number of resamples for intervals (default: 1000; 0: no intervals)",
    )  # fmt: skip
    group.add_argument(
        "--interval", choices=("auto", "bca", "percentile", "jackknife-t"), default="auto",
        help="auto: bca from 30 documents on, jackknife-t below",
    )  # fmt: skip
    add_units(group)


def add_units(group: argparse._ActionsContainer) -> None:
    """What is resampled."""
    group.add_argument(
        "--seed", metavar="N", type=int, default=0, help="seed for all random draws (default: 0)"
    )
    group.add_argument(
        "--resample-by", choices=("document", "sentence"), default="document",
        help="what is resampled (default: document)",
    )  # fmt: skip
    group.add_argument(
        "--strata",
        metavar="NAME",
        help="resample within groups of documents that share this attribute in gold",
    )


def add_output(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    """Where and how results go."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", metavar="NAME", default="terminal",
        help=f"{', '.join(formats)} (default: terminal)",
    )  # fmt: skip
    group.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of stdout")

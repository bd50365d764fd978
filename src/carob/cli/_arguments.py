"""Arguments that several commands have: their declaration, and what they mean.

`add_...` declares arguments, `parse_...` turns them into arguments of the public functions. Nothing
heavy is imported before arguments are parsed, since `--help` must be instant.
"""

from __future__ import annotations

import argparse
import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from carob.corpus.problems import UsageError
    from carob.recipe import Recipe

FORMATS = ("terminal", "json", "csv", "markdown", "latex", "html")

ENDINGS = {
    ".json": "json", ".csv": "csv", ".md": "markdown", ".markdown": "markdown", ".tex": "latex",
    ".html": "html", ".htm": "html",
}  # fmt: skip
"""The reports that are chosen by the ending of the file."""

INPUTS = ("gold", "systems", "system", "other", "input", "files", "against", "task", "result")
"""The arguments that are files to read."""

STYLE = {"percent": False, "digits": None, "intervals": True, "layout": None}
"""Parameters of reports that arguments hold as they are, and their defaults."""

SIMPLE = ("preset", "zero_division", "extra_docs", "words", "align", "tokenizer", "resamples",
          "interval", "seed", "resample_by", "strata", "skip_invalid")  # fmt: skip
"""Options of the public functions that arguments hold as they are."""


def add_files(parser: argparse.ArgumentParser, systems: str | int, more: str = "") -> None:
    """Gold and systems; `systems` is how many, as argparse has it."""
    parser.add_argument("gold", metavar="GOLD", help="the gold file; - is standard input")
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs=systems, help=f"a system's file, or name=path{more}"
    )


def add_skip_invalid(parser: argparse.ArgumentParser) -> None:
    """What to do with systems whose files are wrong."""
    parser.add_argument(
        "--skip-invalid", action="store_true",
        help="leave out systems whose files are wrong, and list them with the reason",
    )  # fmt: skip


def add_recipes(parser: argparse.ArgumentParser, text: str) -> None:
    """-m, which can be given several times."""
    parser.add_argument("-m", "--measure", metavar="RECIPE", action="append", help=text)


def add_preset(
    parser: argparse.ArgumentParser,
    what: str,
    tables: Sequence[str] = (),
    *,
    headlines: bool = False,
) -> None:
    """The table of recipes that is used instead of -m: one of all, or of `tables`. With
    `headlines`, it stands for one score.
    """
    from carob.evaluate.tables import DEFAULT_FOR, HEADLINES

    every = {name: f"{name} ({DEFAULT_FOR[name]})" for name in tables or DEFAULT_FOR}
    if headlines:
        every = {name: f"{name} is {HEADLINES[name]}" for name in HEADLINES}
    parser.add_argument("--preset", metavar="NAME", help=f"{what}: {', '.join(every.values())}")


def add_reading(
    parser: argparse.ArgumentParser, sides: Iterable[str] = ("gold", "system"),
    *, tag_scheme: bool = True,
) -> None:  # fmt: skip
    """How files are read."""
    group = parser.add_argument_group("reading")
    for side in sides:
        files = "gold" if side == "gold" else "systems"
        group.add_argument(
            f"--{side}-format", metavar="NAME", help=f"format of {files} (detected by default)"
        )
    add_conll(group, tag_scheme=tag_scheme)


def add_conll(group: argparse._ActionsContainer, *, tag_scheme: bool = True) -> None:
    """How conll files are read, and any other parameter of a format. A command that has schemes of
    its own takes that of the tags as --read scheme=NAME.
    """
    if tag_scheme:
        group.add_argument(
            "--scheme", metavar="NAME",
            help="tag scheme: iob1, iob2 (also bio, iob), ioe1, ioe2, iobes (bioes), "
            "bilou (biluo), bmes, bmewo, io (detected by default)",
        )  # fmt: skip
    else:
        group.set_defaults(scheme=None)
    group.add_argument(
        "--repair", choices=("conlleval", "discard", "strict"),
        help="invalid tag sequences: read them as conlleval does (default), drop them, or fail",
    )  # fmt: skip
    group.add_argument(
        "--columns", metavar="SPEC",
        help="column of the tag (default -1, the last), a number or a name in the first line; "
        "layers I+J, or gold=I,system=I,token=I",
    )  # fmt: skip
    group.add_argument(
        "--documents", metavar="WHAT",
        help="auto: -DOCSTART-, # newdoc or, without these, a blank line begins one; block: a "
        "blank line always does; N: N such blocks are one; file: the file is one",
    )  # fmt: skip
    group.add_argument(
        "--lenient", action="store_true",
        help="brat: leave out lines that are wrong, with a list of them, instead of failing",
    )  # fmt: skip
    group.add_argument(
        "--read", metavar="KEY=VALUE", action="append", default=[],
        help="another parameter of the format, such as entities=decode; of one side alone: "
        "gold.KEY=VALUE or system.KEY=VALUE (repeatable)",
    )  # fmt: skip


def add_counting(parser: argparse.ArgumentParser, *, zero_division: bool = True) -> None:
    """What is counted."""
    group = parser.add_argument_group("counting")
    group.add_argument("--labels", metavar="A,B", help="score only these labels")
    group.add_argument(
        "--map", metavar="OLD=NEW", action="append", default=[], help="rename a label (repeatable)"
    )
    if zero_division:
        group.add_argument(
            "--zero-division", choices=("skip", "0", "1"), default="skip",
            help="value of a label or document without any item in a mean (default: left out)",
        )  # fmt: skip
    add_pairing(group)
    group.add_argument(
        "--align", choices=("none", "characters"), default="none",
        help="if tokens or spaces differ from gold's: align the characters, and compare places in "
        "gold's text (default: none, they must be the same)",
    )  # fmt: skip
    add_tokenizer(group)
    add_task(group)
    group.add_argument(
        "--part", metavar="NAME",
        help="the part of the task's documents (default: test if there is one, otherwise all)",
    )  # fmt: skip


def add_pairing(group: argparse._ActionsContainer) -> None:
    """How documents of gold and system are paired."""
    group.add_argument(
        "--extra-docs", choices=("error", "ignore"), default="error",
        help="what to do with system documents that gold lacks (default: error)",
    )  # fmt: skip
    group.add_argument(
        "--words", choices=("count", "ignore", "error"), default="count",
        help="words that differ from gold's on the same row: count them, and fail from 5 %% on "
        "(default); ignore them and compare places; or fail",
    )  # fmt: skip


def add_task(group: argparse._ActionsContainer) -> None:
    """What is evaluated."""
    group.add_argument(
        "--task", metavar="FILE",
        help="a task definition: corpus, slots, recipes and documents (see carob task)",
    )  # fmt: skip


def add_tokenizer(group: argparse._ActionsContainer) -> None:
    """How texts are split into tokens."""
    group.add_argument(
        "--tokenizer", choices=("auto", "given", "words", "whitespace"), default="auto",
        help="how to cut texts into tokens, if positions are characters and a recipe needs tokens "
        "(default: the given tokens if available, otherwise words)",
    )  # fmt: skip


def add_statistics(parser: argparse.ArgumentParser, *, intervals: bool = True) -> None:
    """How intervals are computed, and what is resampled."""
    group = parser.add_argument_group("statistics")
    if intervals:
        group.add_argument(
            "--resamples", metavar="N", type=int,
            help="0: no intervals; more: bca intervals, from this many resamples (default: 1000 "
            "where resamples are asked for, as by --interval bca)",
        )  # fmt: skip
        group.add_argument(
            "--interval", default="auto",
            choices=("auto", "effective", "jackknife-t", "bca", "percentile"),
            help="auto: effective, which needs no resamples, or bca if --resamples gives a number",
        )  # fmt: skip
    group.add_argument(
        "--seed", metavar="N", type=int, default=0, help="seed for all random draws (default: 0)"
    )
    group.add_argument(
        "--resample-by", choices=("document", "sentence"), default="document",
        help="what is resampled (default: document)",
    )  # fmt: skip
    group.add_argument(
        "--strata", metavar="NAME",
        help="resample within groups of documents that share this attribute in gold",
    )  # fmt: skip


def add_trials(parser: argparse.ArgumentParser) -> None:
    """How often the randomization test exchanges two systems."""
    parser.add_argument(
        "--trials", metavar="N", type=int,
        help="trials of the randomization test (default: 9999, or as many as the number of tests "
        "needs)",
    )  # fmt: skip


def add_floors(parser: argparse.ArgumentParser, whose: str = "") -> None:
    """Floors that scores have to reach."""
    parser.add_argument(
        "--fail-under", metavar="[LABEL=]FLOOR", action="append", default=[],
        help=f"a release gate: exit 3 if a score {whose}by -m, or that of this label, is below "
        "FLOOR, written 0.85, 85pt or 85%%; 4 if there is no score (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--by", choices=("value", "low"), default="value",
        help="what --fail-under looks at: the score, or the lower end of its interval",
    )  # fmt: skip


def add_sort(parser: argparse.ArgumentParser) -> None:
    """In which order ranked systems stand."""
    parser.add_argument(
        "--sort", choices=("score", "name", "given"), default="score",
        help="the order of ranked systems: the best first (default), by name, or as given",
    )  # fmt: skip


def add_output(
    parser: argparse.ArgumentParser, more: str = "", *, layouts: tuple[str, ...] = (),
    intervals: bool = False, scores: bool = True,
) -> None:  # fmt: skip
    """Where and how results are written; `intervals` is whether tables may have them, `scores`
    whether there are scores in tables at all.
    """
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", metavar="NAME",
        help=f"{', '.join(FORMATS)} (default: by the ending of FILE, otherwise terminal{more})",
    )  # fmt: skip
    group.add_argument(
        "-o", "--output", metavar="FILE",
        help="write to FILE instead of stdout: .json, .csv, .md, .tex or .html, or text",
    )  # fmt: skip
    group.add_argument(
        "--signature", action="store_true",
        help="print the signature in full under the tables, instead of its short form",
    )  # fmt: skip
    if scores:
        group.add_argument(
            "--percent", action="store_true", help="show scores in tables as 84.3 instead of 0.8430"
        )
        group.add_argument(
            "--digits", metavar="N", type=int,
            help="decimals of scores in tables (default: 4, or 1 with --percent)",
        )  # fmt: skip
    if intervals:
        group.add_argument(
            "--no-intervals", action="store_false", dest="intervals",
            help="leave intervals out of tables",
        )  # fmt: skip
    if layouts:
        group.add_argument(
            "--layout", choices=layouts,
            help=f"what tables show. {'; '.join(_LAYOUTS[name] for name in layouts)} "
            f"(default: {layouts[0]})",
        )  # fmt: skip


_LAYOUTS = {
    "pairs": "pairs: the difference of every two systems",
    "systems": "systems: systems x scores",
    "labels": "labels: labels and averages x systems",
}


def for_programs(arguments: argparse.Namespace) -> bool:
    """Whether programs read the report."""
    from carob.plugin import hook
    from carob.registry import load

    return bool(hook(load("report", arguments.format), "for_programs"))


def parse_style(arguments: argparse.Namespace) -> dict[str, Any]:
    """What tables show, as far as it differs from the defaults: the report of a plugin may know
    nothing of it.
    """
    style = {
        name: getattr(arguments, name)
        for name, default in STYLE.items()
        if getattr(arguments, name, default) != default
    }
    if style:
        from carob.corpus.problems import UsageError
        from carob.result.result import load_report

        for name in ("percent", "digits"):
            if name in style and arguments.format in ("csv", "json"):
                raise UsageError(f"{arguments.format} has every digit: --{name} is for tables")

        load_report(arguments.format, style)
    return style


def check_output(arguments: argparse.Namespace) -> None:
    """Choose the report by the ending of the file, and refuse to write over an input."""
    targets = [getattr(arguments, name, None) for name in ("output", "ledger")]
    if getattr(arguments, "format", "") is None:
        ending = os.path.splitext(targets[0] or "")[1]  # noqa: PTH122 (pathlib is slow to load)
        arguments.format = ENDINGS.get(ending.lower(), "terminal")
    every = [getattr(arguments, name, None) for name in INPUTS]
    inputs = [text for each in every for text in (each if isinstance(each, list) else [each])]
    for target in targets:
        for text in inputs if target not in (None, "-") else ():
            if text and _same_file(target, text):
                from carob.corpus.problems import UsageError, shown

                raise UsageError(f"{shown(str(target))} is an input and would be overwritten")


def _same_file(target: Any, text: str) -> bool:
    """Whether a file that would be written is one that is read."""
    for path in (text, text.partition("=")[2]):
        try:
            if path and os.path.samefile(target, path):  # noqa: PTH121
                return True
        except OSError:  # one of the two does not exist
            continue
    return False


def _usage_error(option: str, value: str, expected: str) -> UsageError:
    from carob.corpus.problems import UsageError, shown

    return UsageError(f"found {option}{shown(value)}, expected {expected}")


def parse_recipes(arguments: argparse.Namespace) -> list[Recipe] | None:
    """The recipes of -m; None for the default."""
    from carob.recipe import Recipe

    check_preset(arguments)
    if not arguments.measure:
        return None
    return [recipe for text in arguments.measure for recipe in Recipe.expand(text)]


def check_preset(arguments: argparse.Namespace) -> None:
    """Refuse recipes and a table of recipes together."""
    from carob.corpus.problems import UsageError

    if arguments.measure and arguments.preset is not None:
        raise UsageError("give --preset or -m, not both")


def parse_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The keyword arguments of carob.score and others: see carob.Options."""
    from carob.registry import load

    if hasattr(arguments, "format"):
        load("report", arguments.format)  # a mistake in the name of a report costs no time
        parse_style(arguments)
    options = {name: getattr(arguments, name) for name in SIMPLE if hasattr(arguments, name)}
    return options | {
        "gold_options": parse_reading(arguments, "gold"),
        "system_options": parse_reading(arguments, "system"),
        "labels": _parse_labels(arguments.labels),
        "map": _parse_map(arguments.map),
        "task": _parse_task(arguments.task, arguments.part),
    }


def _parse_labels(text: str | None) -> list[str] | None:
    labels = None if text is None else [label.strip() for label in text.split(",")]
    if labels is not None and not all(labels):
        raise _usage_error("--labels ", text or "", "A,B,C")
    return labels


def _parse_map(texts: Iterable[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for text in texts:
        old, sign, new = text.partition("=")
        if "," in new and "=" in new.partition(",")[2]:
            parts = " --map ".join(part.strip() for part in text.split(","))
            raise _usage_error("--map ", text, f"one OLD=NEW: --map {parts}")
        if not (old and sign and new):
            raise _usage_error("--map ", text, "OLD=NEW")
        if old in names:
            from carob.corpus.problems import UsageError, shown

            raise UsageError(f"--map names {shown(old)} twice")
        names[old] = new
    return names


def _parse_task(path: str | None, part: str | None) -> Any:
    from carob.corpus.problems import UsageError

    if path is None:
        if part is not None:
            raise UsageError("--part is a part of a task definition: give --task, too")
        return None
    from carob.evaluate.task import Task

    return Task.read(path, part)


def parse_reading(arguments: argparse.Namespace, side: str) -> dict[str, Any]:
    """The arguments of carob.read for gold or systems, without those that have no value."""
    columns = parse_columns(arguments.columns)
    every = {
        "format": getattr(arguments, f"{side}_format"),
        "scheme": arguments.scheme,
        "repair": arguments.repair,
        "documents": arguments.documents,
        "lenient": arguments.lenient or None,
        "tag": columns.get(side),
        "token": columns.get("token"),
    }
    sides = ("gold", "system") if hasattr(arguments, "system_format") else ()
    more: dict[str, Any] = parse_sides(parse_pairs("--read", arguments.read), sides)[side]
    if "columns" in more:
        columns = parse_columns(more.pop("columns"))
        more |= {key: columns[name] for key, name in (("tag", side), ("token", "token"))
                 if name in columns}  # fmt: skip
    return {key: value for key, value in every.items() if value is not None} | more


def parse_sides(pairs: Mapping[str, str], sides: Sequence[str]) -> dict[str, dict[str, str]]:
    """The values for each side. One whose key begins with `gold.` or `system.` is for that side
    alone, and counts more than one for both.

    >>> parse_sides({"system.id": "nr", "id": "doc", "text": "body"}, ["gold", "system"])["system"]
    {'id': 'nr', 'text': 'body'}
    """
    from carob.corpus.problems import UsageError

    by_side: dict[str, dict[str, str]] = {}
    for side in sides or ("gold", "system"):
        both = {key: value for key, value in pairs.items() if "." not in key}
        own = {key.removeprefix(f"{side}."): value for key, value in pairs.items()
               if key.startswith(f"{side}.")}  # fmt: skip
        by_side[side] = both | own
    for key in pairs:
        name = key.partition(".")[0]
        if "." in key and name not in sides:
            expected = " or ".join(f"{side}.KEY=VALUE" for side in sides)
            only = "this command reads one side: KEY=VALUE" if not sides else f"expected {expected}"
            raise UsageError(f"--read {key}: found the side {name!r}; {only}")
    return by_side


def parse_columns(spec: str | None) -> dict[str, Any]:
    """The parts of --columns: gold, system and token; several layers of tags are I+J. A column is
    a number, or its name in the first line.

    >>> parse_columns("gold=-2,system=-1"), parse_columns("1+NE")
    ({'gold': -2, 'system': -1}, {'gold': (1, 'NE'), 'system': (1, 'NE')})
    """
    from carob.corpus.problems import UsageError

    columns: dict[str, Any] = {}
    for part in spec.split(",") if spec else ():
        name, number = part.split("=", 1) if "=" in part else ("", part)
        if name not in ("", "gold", "system", "token", "tag"):
            raise _usage_error("--columns ", part, "gold=I, system=I or token=I")
        texts = number.split("+")
        layers = tuple(int(n) if n.removeprefix("-").isdecimal() else n for n in texts)
        if "" in layers:
            raise _usage_error("--columns ", part, "a number or name, or several: 1+2")
        value = layers if len(layers) > 1 else layers[0]
        columns |= {"gold": value, "system": value} if name in ("", "tag") else {name: value}
    token = columns.get("token", 0)
    if isinstance(token, tuple):
        raise UsageError("tokens are in one column")
    if isinstance(token, int) and token < 0:
        raise UsageError("the token column counts from the left: 0, 1, 2 ...")
    return columns


def parse_pairs(option: str, texts: Iterable[str]) -> dict[str, str]:
    """The values of an option that takes KEY=VALUE.

    >>> parse_pairs("--write", ["scheme=iobes"])
    {'scheme': 'iobes'}
    """
    pairs = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not (key and sign):
            raise _usage_error(f"{option} ", text, "KEY=VALUE")
        pairs[key] = value
    return pairs


def parse_systems(arguments: argparse.Namespace) -> dict[str, str]:
    """The paths of all systems by their names. Without any, gold holds the system too."""
    from carob.corpus.problems import UsageError
    from carob.evaluate.run import systems_by_name

    named = [_parse_name(text) for text in arguments.systems]
    if [arguments.gold, *(path for _, path in named)].count("-") > 1:
        raise UsageError("only one file can be standard input")
    if not named:
        columns = parse_columns(arguments.columns)
        if columns.get("gold") == columns.get("system"):
            raise UsageError(
                "give gold and at least one system; for one file with both, "
                "say which columns: --columns gold=-2,system=-1"
            )
        named = [_parse_name(arguments.gold)]
    return systems_by_name([path for _, path in named], [name for name, _ in named])


def _parse_name(text: str) -> tuple[str | None, str]:
    """Name and path of a system: name=path, or a path alone.

    >>> _parse_name("best=out.conll"), _parse_name("out.conll")
    (('best', 'out.conll'), (None, 'out.conll'))
    """
    name, sign, path = text.partition("=")
    if not sign or not name or os.path.exists(text):  # noqa: PTH110
        return None, text
    if not path:
        raise _usage_error("", text, "name=path")
    return name, path

"""The command line: finds the command, runs it, and prints results and errors.

A command is a module with SUMMARY, `configure(parser)` and `run(arguments) -> exit code`: a file of
this folder, or of another package that names it as an entry point of `carob.commands`. Nothing here
computes, and nothing heavy is imported before a command runs: help must be instant.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from contextlib import nullcontext, suppress
from functools import cache
from importlib import import_module

from carob._version import __version__
from carob.entry_points import entry_points

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, NoReturn

    from carob.entry_points import EntryPoint
    from carob.result.scores import File

HARD = "\u00a0"
"""A space at which no line breaks."""

OK, WRONG_INPUT, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


@cache
def commands() -> Mapping[str, EntryPoint | None]:
    """All commands by name, with the entry points of those that other packages bring.

    >>> "score" in commands()
    True
    """
    own = _own_commands()
    brought = entry_points("carob.commands", {name: f"carob.cli.{name}" for name in own})
    return dict(sorted({**dict.fromkeys(own), **brought}.items()))


@cache
def _own_commands() -> list[str]:
    files = os.listdir(os.path.dirname(__file__))  # noqa: PTH120, PTH208 (pathlib is slow to load)
    return [name[:-3] for name in files if name.endswith(".py") and name[0] != "_"]


def _is_command(name: str) -> bool:
    return name in _own_commands() or name in commands()  # to look for the others takes longer


def _module(name: str) -> Any:
    entry = None if name in _own_commands() else commands()[name]
    return import_module(f"carob.cli.{name}") if entry is None else entry.load()


def _formatter(prog: str) -> argparse.HelpFormatter:
    """As wide as argparse makes it, without the modules that argparse loads for that."""
    variable = os.environ.get("COLUMNS", "")
    columns = int(variable) if variable.isdecimal() else 0
    if not columns and sys.__stdout__ is not None:
        with suppress(ValueError, OSError):
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns
    return argparse.HelpFormatter(prog, width=(columns or 80) - 2)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, with the nearest name for one that is wrong."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit."""
        wrong = re.match(r"unrecognized arguments: (-\S*)", message)
        choice = re.match(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message)
        if wrong:
            option = wrong[1].partition("=")[0]
            known = {name for each in self._every() for name in each._option_string_actions}
            message = f"no option is called {option}{_nearest(option, known)}"
        elif choice:
            what = "command" if choice[1] == "COMMAND" else f"value of {choice[1]}"
            names = choice[3].replace("'", "")
            guess = _nearest(choice[2], names.split(", ")) or ";"
            message = f"no {what} is called {choice[2]!r}{guess} there are: {names}"
        self.exit(WRONG_USAGE, f"carob: {message} ({self.prog} --help says more)\n")

    def _every(self) -> Iterable[argparse.ArgumentParser]:
        """This parser and those of its commands."""
        below = (action.choices for action in self._actions if action.dest == "command")
        return [self, *(each for choices in below for each in dict(choices or {}).values())]


def _nearest(name: str, names: Iterable[str]) -> str:
    import difflib  # slow to load, and needed only where something is wrong

    near = difflib.get_close_matches(name, sorted(names), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands, or of one (which then costs one import).

    >>> parser("demo").prog
    'carob'
    """
    top = _Parser(
        prog="carob",
        formatter_class=_formatter,
        description="Measure how good an information-extraction system is, against gold.",
        epilog="carob COMMAND --help says more. Start with: carob demo",
    )
    top.add_argument("--version", action="version", version=f"carob {__version__}")
    below = top.add_subparsers(dest="command", metavar="COMMAND")
    if only == "--version":
        return top
    for name in [only] if only and _is_command(only) else commands():
        module = _module(name)
        command = below.add_parser(
            name, help=module.SUMMARY, description=module.SUMMARY, formatter_class=_formatter
        )
        command.add_argument(
            "-q", "--quiet", action="store_true",
            help="print no remarks, warnings or progress, only errors and the result",
        )  # fmt: skip
        if only not in ("-h", "--help"):  # which lists the commands, without their options
            module.configure(command)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a user's mistake is one line on stderr, never a traceback.

    Without `arguments`, those of the process: then it is ours, and set up for speed. A program
    that calls this with arguments keeps its settings.
    """
    if arguments is None:
        arguments = sys.argv[1:]
        _set_up_process()
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has closed it, as `head` does.
        _discard_output()
        return OK
    except OSError as error:
        _discard_output()
        return _print_error(f"cannot write: {error.strerror or error}", WRONG_INPUT)
    except Exception as error:
        from carob.corpus.problems import CarobError, DataError, UsageError

        if not isinstance(error, CarobError):
            raise
        wrong_usage = isinstance(error, UsageError) and not isinstance(error, DataError)
        return _print_error(error, WRONG_USAGE if wrong_usage else WRONG_INPUT)


def _run(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in ("-q", "--quiet"):  # as well before the command as after it
        arguments = [*arguments[1:2], *arguments[:1], *arguments[2:]] if arguments[1:] else []
    try:
        every = parser(arguments[0] if arguments else None)
        chosen = every.parse_args(arguments)
    except SystemExit:  # after help
        sys.stdout.flush()
        raise
    if chosen.command is None:
        every.print_help()
        return OK
    global _quiet
    _quiet = chosen.quiet
    chosen.command_line = list(arguments)
    commands()  # refuses a plugin that is called as one of ours
    import_module("carob.cli._arguments").check_output(chosen)
    with _progress_bar():
        code: int = _module(chosen.command).run(chosen)
    sys.stdout.flush()
    return code


def _progress_bar() -> Any:
    """What shows the progress of long work: a bar if a person looks at stderr."""
    with suppress(AttributeError, ValueError):
        plain = _quiet or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
        if not plain and sys.stderr.isatty():
            from carob.cli._bar import Bar

            return Bar()
    return nullcontext()


def _discard_output() -> None:
    """What is still to be written to standard output goes nowhere."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _set_up_process() -> None:
    _open_closed_streams()
    # NumPy starts faster with one thread than with many.
    for library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    # Files become many small objects, and hardly any that refer to each other in a circle.
    gc.set_threshold(100_000, 50, 100)
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show is shown as an escape.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _open_closed_streams() -> None:
    """Streams that were closed before we began: errors and remarks go nowhere, and to write a
    result to standard output is an error.

    Their numbers are taken first. Otherwise the next file to be opened would get one of them, and
    libraries would write into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number < 2 else os.O_WRONLY)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        # Opened for reading only, so that writing fails.
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115


def _print_error(error: object, code: int) -> int:
    print(f"carob: {error}", file=sys.stderr)
    return code


def print_result(
    result: Any, arguments: argparse.Namespace, warnings: Iterable[str] = (), **parameters: object
) -> None:
    """Coverage and warnings to stderr, the report to stdout or to the file that --output names."""
    text = report_text(result, arguments, **parameters)
    gold = getattr(result, "gold", None)
    first = [] if gold is None else unshown(gold.warnings, text, arguments)
    print_coverage(result.systems, first)
    print_warnings(unshown(warnings, text, arguments))
    write_output(text, arguments.output)


def unshown(warnings: Iterable[str], text: str, arguments: argparse.Namespace) -> Sequence[str]:
    """The warnings that a table on standard output does not show: once is enough."""
    if arguments.format != "terminal" or arguments.output not in (None, "-"):
        return list(warnings)
    from carob.corpus.problems import plain

    words = " ".join(text.split())  # the table may break the line
    return [each for each in warnings if " ".join(plain(each).split()) not in words]


def report_text(result: Any, arguments: argparse.Namespace, **parameters: object) -> str:
    """The report that the arguments ask for."""
    from carob.cli._arguments import parse_style

    parameters |= parse_style(arguments)
    if arguments.format == "terminal":
        # A file keeps everything that is needed to recompute it, has no colours and any width.
        to_file = arguments.output not in (None, "-")
        parameters |= {"signature": True} if to_file or arguments.signature else {}
        parameters |= {"color": False, "width": 10_000} if to_file else {}
    text: str = result.to(arguments.format, **parameters)
    return text


def write_output(text: str, path: str | None) -> None:
    """Write text to stdout, or to a file."""
    if path is None or path == "-":
        sys.stdout.write(text)
        return
    try:
        with open(path, "w", -1, "utf-8", "backslashreplace", "\n") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        from carob.corpus.problems import UsageError

        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


_quiet = False
"""Whether the command that runs was called with --quiet."""


def print_remark(text: object) -> None:
    """Print what is not part of a result on stderr, unless --quiet silences it."""
    if not _quiet:
        print(text, file=sys.stderr)


def _print_sentence(text: str) -> None:
    """Print a remark in lines that fit the terminal, and do not break at hard spaces."""
    from textwrap import wrap

    from carob.report.terminal import INDENT, terminal_width

    limit, lines = terminal_width(sys.stderr), [text]
    if limit is not None:
        lines = wrap(
            text, limit, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
        )
    print_remark("\n".join(lines).replace(HARD, " "))


def print_warnings(warnings: Iterable[str]) -> None:
    """Print each on its line on stderr."""
    for warning in warnings:
        _print_sentence(f"warning: {warning}")


def print_coverage(systems: Sequence[File], warnings: Iterable[str] = ()) -> None:
    """Print how much of each system was compared, after what is wrong with gold or the options."""
    from carob.corpus.problems import many, plain

    print_warnings(warnings)
    for system in systems:
        counts = dict(system.coverage)
        there = [kind for kind in ("fillers", "mentions", "relations")
                 if counts.get(f"gold_{kind}", 0) or counts.get(f"system_{kind}", 0)]  # fmt: skip
        kinds = there or ["mentions"]
        sides = (f"{counts[f'gold_{kind}']:,} gold and {counts[f'system_{kind}']:,} system {kind}"
                 for kind in kinds)  # fmt: skip
        more = [key for key in ("ungrounded", "empty", "duplicates") if key in counts]
        keys = ("repaired", "discarded", "unaligned", "ignored", *more)
        _print_sentence(
            f"{plain(system.name)}: {many(counts['documents'], 'document')}, {', '.join(sides)}; "
            + ", ".join(f"{counts[key]:,}{HARD}{key}" for key in keys)
        )
        print_warnings(f"{plain(system.name)}: {warning}" for warning in system.warnings)

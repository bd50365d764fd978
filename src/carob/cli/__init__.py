"""The command line: one file a command. Nothing here computes, and nothing is imported early.

A command is a module with SUMMARY, `configure(parser)` and `run(arguments) -> exit code`.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
from contextlib import suppress
from importlib import import_module

from carob._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from collections.abc import Sequence
    from types import ModuleType

OK, WRONG_INPUT, WRONG_USAGE = 0, 1, 2


def commands() -> list[str]:
    """The names of all commands: the files of this folder.

    >>> "score" in commands()
    True
    """
    files = os.listdir(os.path.dirname(__file__))  # noqa: PTH120, PTH208 (pathlib is slow to load)
    return sorted(name[:-3] for name in files if name.endswith(".py") and name[0] != "_")


def _module(name: str) -> ModuleType:
    return import_module(f"carob.cli.{name}")


def _formatter(prog: str) -> argparse.HelpFormatter:
    """As wide as argparse makes it, without what argparse loads to find that out."""
    given = os.environ.get("COLUMNS", "")
    columns = int(given) if given.isdecimal() else 0
    if not columns and sys.__stdout__ is not None:
        with suppress(ValueError, OSError):
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns
    return argparse.HelpFormatter(prog, width=(columns or 80) - 2)


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands, or of one (which then costs one import).

    >>> parser("demo").prog
    'carob'
    """
    top = argparse.ArgumentParser(
        prog="carob",
        formatter_class=_formatter,
        description="Measure how good an information-extraction system is, against gold.",
        epilog="carob COMMAND --help says more. Start with: carob demo",
    )
    top.add_argument("--version", action="version", version=f"carob {__version__}")
    below = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    known = [] if only == "--version" else commands()
    for name in known if only is None or only not in known else [only]:
        module = _module(name)
        command = below.add_parser(
            name, help=module.SUMMARY, description=module.SUMMARY, formatter_class=_formatter
        )
        module.configure(command)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a user's mistake is one line on stderr, never a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # One thread is faster to start than many.
    for library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    # Files become many small objects, and hardly any that refer to each other in a circle.
    gc.set_threshold(100_000, 50, 100)
    # At its end Python looks for circles once more, through all that was ever loaded.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show is shown as an escape.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    chosen = parser(given[0] if given else None).parse_args(given)
    from carob.corpus.problems import CarobError, UsageError

    try:
        code: int = _module(chosen.command).run(chosen)
        sys.stdout.flush()
    except UsageError as error:
        return _say(error, WRONG_USAGE)
    except CarobError as error:
        return _say(error, WRONG_INPUT)
    except BrokenPipeError:
        # Whoever read our output has had enough, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _say(UsageError(f"cannot write: {error.strerror or error}"), WRONG_INPUT)
    return code


def _say(error: Exception, code: int) -> int:
    print(f"carob: {error}", file=sys.stderr)
    return code

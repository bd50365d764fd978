"""carob score: systems against gold."""

from __future__ import annotations

import argparse
import sys

from carob.cli import _options as options

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from collections.abc import Sequence
    from typing import Any

    from carob.corpus.corpus import Corpus
    from carob.recipe import Recipe
    from carob.result.scores import File, Scores

SUMMARY = "score systems against gold: a table of systems and measures"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("gold", metavar="GOLD", help="the gold file; - is standard input")
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="*", help="a system's file, or name=path"
    )
    parser.add_argument(
        "-m", "--measure", metavar="RECIPE", action="append",
        help="what to score, such as exact.F1 or exact.PRF@macro (repeatable; see carob measures)",
    )  # fmt: skip
    options.add_preset(parser, "a table of recipes instead of -m")
    parser.add_argument("--by-label", action="store_true", help="also show a row for each label")
    options.add_reading(parser)
    options.add_choices(parser)
    options.add_statistics(parser)
    options.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, report."""
    from carob.cli import _given as given
    from carob.registry import load

    report = load("report", arguments.format)(by_label=arguments.by_label)
    scores = evaluate(arguments)
    remarks(scores.systems, scores.gold)
    if arguments.format in ("json", "csv"):
        for remark in scores.remarks:
            if remark not in scores.gold.warnings:
                print(f"warning: {remark}", file=sys.stderr)
    given.deliver(report(scores), arguments.output)
    return 0


def evaluate(arguments: argparse.Namespace) -> Scores:
    """The call of carob.score that the arguments ask for."""
    from carob.cli import _given as given
    from carob.evaluate.score import score

    wanted = recipes(arguments)
    chosen = given.choices(arguments) | given.statistics(arguments)
    gold, systems = corpora(arguments)
    return score(gold, systems, wanted, preset=arguments.preset, **chosen)


def recipes(arguments: argparse.Namespace) -> list[Recipe] | None:
    """What -m asks for; None for the defaults."""
    from carob.corpus.problems import UsageError
    from carob.recipe import expand

    if arguments.measure and arguments.preset is not None:
        raise UsageError("give --preset or -m, not both")
    if not arguments.measure:
        return None
    return [recipe for text in arguments.measure for recipe in expand(text)]


def corpora(arguments: argparse.Namespace) -> tuple[Corpus, dict[str, Corpus]]:
    """Gold and systems, read as the arguments say."""
    from carob.cli import _given as given
    from carob.evaluate.read import read_all

    systems = files(arguments)
    sources: dict[str, Any] = {}
    ours = given.reading(arguments, "gold", [arguments.gold], sources)
    theirs = given.reading(arguments, "system", systems.values(), sources)
    given.unused(arguments, [*ours.values(), *theirs.values()])

    every = [dict(ours[arguments.gold]), *(dict(theirs[path]) for path in systems.values())]
    gold, *answers = read_all([(how.pop("source"), how) for how in every])
    return gold, dict(zip(systems, answers, strict=True))


def files(arguments: argparse.Namespace) -> dict[str, str]:
    """The paths of all systems by their names."""
    from carob.cli import _given as given
    from carob.corpus.problems import UsageError

    paths = list(arguments.systems)
    column = given.columns(arguments.columns)
    if not paths:
        if column.get("gold") == column.get("system"):
            raise UsageError(
                "give gold and at least one system; for one file with both, "
                "say which columns: --columns gold=-2,system=-1"
            )
        paths = [arguments.gold]
    systems: dict[str, str] = {}
    for name, path in map(given.named, paths):
        said = name
        name = said or stem(path)
        if name in systems and said is None:
            name = path
        if name in systems:
            raise UsageError(f"two systems are called {name}; give them names: name=path")
        systems[name] = path
    if arguments.systems and [arguments.gold, *systems.values()].count("-") > 1:
        raise UsageError("only one file can be standard input")
    return systems


def stem(path: str) -> str:
    """The default name of a system."""
    from carob.evaluate.run import stem as named

    return named(path)


def remarks(systems: Sequence[File], gold: File | None = None) -> None:
    """Print the coverage line of every system, and the warnings, to stderr."""
    from carob.corpus.problems import plain

    for warning in () if gold is None else gold.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for system in systems:
        said = dict(system.coverage)
        kinds = [kind for kind in ("fillers", "mentions") if said.get(f"gold_{kind}", 0)
                 or said.get(f"system_{kind}", 0)] or ["mentions"]  # fmt: skip
        sides = (f"{said[f'gold_{kind}']:,} gold and {said[f'system_{kind}']:,} system {kind}"
                 for kind in kinds)  # fmt: skip
        line = (
            f"{plain(system.name)}: {said['documents']:,} documents, {', '.join(sides)}; "
            f"{said['repaired']:,} repaired, {said['discarded']:,} discarded, "
            f"{said['unaligned']:,} unaligned, {said['ignored']:,} ignored"
            + "".join(f", {said[key]:,} {key}" for key in ("ungrounded", "empty") if key in said)
        )
        print(line, file=sys.stderr)
        for warning in system.warnings:
            print(f"warning: {plain(system.name)}: {warning}", file=sys.stderr)

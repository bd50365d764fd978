"""carob measures: list components, or explain one."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from typing import Any

SUMMARY = "list or explain event spaces, measures, averages and formats, with their sources"

_STAGES = ("match", "measure", "average", "infer", "formats", "report", "peers")


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="explain this one")


def run(arguments: argparse.Namespace) -> int:
    """List everything, or explain one."""
    print(_listed() if arguments.name is None else _explained(arguments.name))
    return 0


def _first_sentence(text: str) -> str:
    line = " ".join(text.split())
    return line.split(". ")[0].rstrip(".") + "."


def _listed() -> str:
    from carob.recipe import PRESETS, SHORT
    from carob.registry import STAGES, load, names

    lines = ["A recipe is SPACE.MEASURE@AVERAGE, for example exact.F1@macro (default: @micro).", ""]
    for stage in _STAGES:
        lines.append(f"{STAGES[stage]}s:")
        for name in names(stage):
            doc = load(stage, name).__doc__ or ""
            lines.append(f"  {name:<14} {_first_sentence(doc)}")
        if stage == "measure":
            lines += [f"  {k:<14} Short for {', '.join(v)}." for k, v in SHORT.items()]
            lines.append("  Every outcome and quantity of a space is also a measure: exact.tp")
        lines.append("")
    lines.append("presets:")
    lines += [f"  {name:<14} {recipe}" for name, recipe in PRESETS.items()]
    lines += ["", "carob measures NAME explains one."]
    return "\n".join(lines)


def _counts(space: Any) -> set[str]:
    made = space()
    return {*made.outcomes, *made.quantities}


def _facts(stage: str, cls: Any) -> list[str]:
    """Parameters with their defaults, outcomes, and what a measure needs."""
    import dataclasses

    from carob.recipe import parameter_name

    parameters = []
    for field in dataclasses.fields(cls):
        if field.init and field.name not in ("name", "by_label"):
            default = (
                "" if field.default in (None, dataclasses.MISSING, ()) else f"={field.default}"
            )
            parameters.append(f"{parameter_name(field)}{default}")
    facts = [f"parameters: {', '.join(parameters)}"] if parameters else []
    if stage == "match":
        facts.append(f"outcomes: {', '.join(cls().outcomes)}")
    if isinstance(needs := getattr(cls, "needs", None), tuple) and needs:
        facts.append(f"needs: {', '.join(needs)}")
    return facts


def _explained(name: str) -> str:
    import inspect

    from carob.corpus.problems import UsageError, nearest
    from carob.recipe import PRESETS, SHORT
    from carob.registry import STAGES, load, names

    parts = []
    for stage in _STAGES:
        wanted = "F" if stage == "measure" and name == "F1" else name
        if wanted not in names(stage):
            continue
        cls = load(stage, wanted)
        parts.append(f"{wanted} ({STAGES[stage]})\n\n{inspect.cleandoc(cls.__doc__ or '')}")
        parts += _facts(stage, cls)
    counted = [each for each in names("match") if name in _counts(load("match", each))]
    if counted and not parts:
        parts.append(f"{name} (count)\n\nAn outcome or quantity of {', '.join(counted)}; "
                     f"carob measures {counted[0]} says what it counts.")  # fmt: skip
    if name in PRESETS:
        parts.append(f"{name} (preset)\n\nShort for {PRESETS[name]}.")
    if name in SHORT:
        parts.append(f"{name} (measure)\n\nShort for {', '.join(SHORT[name])}.")
    if not parts:
        every = [each for stage in _STAGES for each in names(stage)] + ["F1", *SHORT, *PRESETS]
        raise UsageError(f"nothing is called {name!r}{nearest(name, sorted(set(every)))}")
    return "\n\n".join(parts)

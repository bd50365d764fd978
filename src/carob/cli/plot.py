"""carob plot: a chart as a file, for a paper."""

from __future__ import annotations

import argparse
import os

from carob.cli import _arguments, print_coverage, print_warnings

TYPE_CHECKING = False
if TYPE_CHECKING:  # as typing has it, without the time that typing takes
    from typing import Any

SUMMARY = "write a chart of scores, errors or ranks for a paper: .svg, .pdf or .png"

ENDINGS = (".svg", ".pdf", ".png")

KINDS = """KIND is one of
  intervals   the scores of all systems under each recipe, with intervals
  labels      the same for each label or slot, with the number of gold items
  errors      how many errors of each type every system makes; of one system, for each label
  confusion   which labels one system takes for which
  gains       what scores would gain if all errors of one type were corrected
  robustness  the ranks of the systems under many recipes: does the winner stay?
  documents   the scores of two systems in each document
  acceptance  of records that are accepted by their confidence, how many are wrong
  reliability how often records are right, over how sure the system is"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments."""
    parser.add_argument("kind", metavar="KIND", help="the kind of chart: see below")
    _arguments.add_files(parser, "*")
    _arguments.add_recipes(
        parser, "what the chart shows (repeatable; labels and documents show the first)"
    )
    _arguments.add_preset(parser, "a table of recipes instead of -m")
    parser.add_argument(
        "--label", metavar="LABEL", action="append",
        help="only this label or slot: labels, errors, confusion (repeatable, but not for errors)",
    )  # fmt: skip
    _arguments.add_skip_invalid(parser)
    _arguments.add_reading(parser)
    _arguments.add_counting(parser)
    _arguments.add_statistics(parser)
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", "--output", metavar="FILE", required=True,
        help="the file, whose ending says what is written: .svg, .pdf or .png",
    )  # fmt: skip
    group.add_argument(
        "--percent", action="store_true",
        help="show scores as 84.3 instead of 0.843: intervals, labels, gains, documents",
    )  # fmt: skip
    group.add_argument(
        "--width", metavar="WIDTH", default="column",
        help="column (3.25 inches, default), page (6.75), or a number of inches",
    )  # fmt: skip
    group.add_argument(
        "--font", metavar="NAME", default="sans",
        help="sans (default), serif (like Times), or the name of an installed font",
    )  # fmt: skip
    group.add_argument(
        "--dpi", metavar="N", type=int, default=300, help="dots per inch of a .png (default: 300)"
    )
    parser.epilog = KINDS
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, draw, write."""
    from carob.corpus.problems import UsageError, shown
    from carob.evaluate.plot import results_for
    from carob.report.charts import figure
    from carob.result.result import library

    ending = os.path.splitext(arguments.output)[1].lower()  # noqa: PTH122 (pathlib is slow to load)
    if ending not in ENDINGS:
        raise UsageError(
            f"found -o {shown(arguments.output)}, expected a file that ends in "
            f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        )
    if not 30 <= arguments.dpi <= 2400:
        raise UsageError(f"--dpi is from 30 to 2400, not {arguments.dpi}")
    library("matplotlib", "report")  # that it is missing costs no time
    parameters = _parameters(arguments)
    recipes = _arguments.parse_recipes(arguments)
    result = results_for(
        arguments.kind, arguments.gold, _arguments.parse_systems(arguments), recipes,
        **_arguments.parse_options(arguments),
    )  # fmt: skip
    chart: Any = figure(result, arguments.kind, **parameters)
    content = chart.content(ending[1:], arguments.dpi)
    parts = result if isinstance(result, list) else [result]
    remarks = dict.fromkeys(remark for part in parts for remark in part.remarks)
    for part in parts:
        gold = getattr(part, "gold", None)
        print_coverage(part.systems, () if gold is None else gold.warnings)
        remarks = {each: None for each in remarks if gold is None or each not in gold.warnings}
    print_warnings(remarks)
    if ending != ".svg":
        print_warnings(chart.missing_signs())
    try:
        with open(arguments.output, "wb") as file:  # noqa: PTH123
            file.write(content)
    except OSError as error:
        raise UsageError(f"cannot write {arguments.output}: {error.strerror or error}") from None
    return 0


def _parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments that say how a chart looks."""
    from carob.corpus.problems import UsageError
    from carob.report.charts import check_kind, check_look

    check_kind(arguments.kind)
    check_look(arguments.width, arguments.font)
    common = {"width": arguments.width, "font": arguments.font}
    if arguments.kind in ("intervals", "labels", "gains", "documents"):
        common["percent"] = arguments.percent
    elif arguments.percent:
        raise UsageError(f"{arguments.kind} shows no scores: it has no --percent")
    if not arguments.label:
        return common
    if arguments.kind in ("labels", "confusion"):
        return common | {"labels": arguments.label}
    if arguments.kind != "errors":
        raise UsageError(
            f"--label is for labels, errors and confusion, not for {arguments.kind}; a recipe for "
            "one label is, for example, exact.F1@label:PER"
        )
    if len(arguments.label) > 1:
        raise UsageError("errors shows those of one --label, or of all")
    return common | {"label": arguments.label[0]}

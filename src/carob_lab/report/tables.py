"""An experiment as tables: learners under every recipe, their differences, curves and costs."""

from __future__ import annotations

from collections.abc import Sequence

from carob.corpus.problems import many, plain
from carob.report.terminal import INDENT, WIDTH, Section, Style, Table, best, number
from carob.result.comparison import ALPHA
from carob_lab.report.experiment import Comparison, CurvePoint, Experiment

MODELS = (
    "better models: the difference holds for these trained models, and could come from the "
    "training sets or seeds"
)
ONE_SPLIT = (
    "there is only one split, so only the trained models are compared: which learner is better "
    "needs several splits"
)


def sections(result: Experiment, style: Style, *, width: int = WIDTH) -> list[Section]:
    """The table of learners, what differs, curves, costs, failures and remarks."""
    laid_out = [*_scores(result, style)]
    if result.comparisons:
        laid_out.append(_differences(result.comparisons, style, by_label=style.by_label))
    laid_out += _curves(result, result.curve, style)
    laid_out += _curves(result, result.active, style)
    if result.active_comparisons:
        laid_out.append(_differences(result.active_comparisons, style, by_label=False))
    if result.cost:
        laid_out.append(_costs(result))
    if result.failures:
        laid_out.append(Section(
            sentences=[f"{many(len(result.failures), 'cell')} failed:"],
            quotes=[f"{plain(each.cell)}: {plain(each.summary)}"
                    for each in result.failures if each.reason],
        ))  # fmt: skip
    twins = result.leakage.get("test_documents_with_a_twin_in_training", {}).values()
    notes = list(map(plain, result.remarks))
    if twins and max(twins):
        low, high = min(twins), max(twins)
        count = f"{high}" if low == high else f"{low} to {high}"
        notes.append(f"{count} test documents of a split have a near-duplicate among its training "
                     "documents")  # fmt: skip
    laid_out.append(Section(remarks=notes, indent=""))
    return laid_out


def _scores(result: Experiment, style: Style) -> list[Section]:
    """For each event space a table with P, R and F: the mean of splits, and the pooled F."""
    blocks: dict[str, list[str]] = {}
    for recipe in result.recipes:
        space, _, measure = recipe.rpartition(".")
        average = measure.partition("@")[2]
        blocks.setdefault(f"{space}@{average}" if average else space, []).append(recipe)
    laid_out = []
    for block, recipes in blocks.items():
        last = recipes[-1]
        head = [block, *(recipe.rpartition(".")[2] for recipe in recipes), "sd", "pooled"]
        rows = [head]
        values: list[float | None] = []
        lines: list[int] = []
        for name, own in result.learners.items():
            if last not in own.scores:
                continue
            whole = own.scores[last]
            lines.append(len(rows))
            values.append(whole.mean)
            star = "+" if own.own_features else ""
            rows.append([plain(name) + star, *(
                style.cell(score.mean, *((score.low, score.high) if recipe == last else ()))
                for recipe in recipes for score in (own.scores[recipe],)
            ), style.cell(whole.sd), style.cell(whole.pooled)])  # fmt: skip
            for label in own.by_label.get(last, {}) if style.by_label else ():
                each = {recipe: own.by_label[recipe][label] for recipe in recipes}
                rows.append([INDENT + plain(label), *(
                    style.cell(score.mean, *((score.low, score.high) if recipe == last else ()))
                    for recipe, score in each.items()
                ), style.cell(each[last].sd), style.cell(each[last].pooled)])  # fmt: skip
        column = len(recipes)
        top = best(values, [rows[line][column] for line in lines], lower=False)
        bold = frozenset((lines[i], column) for i in top)
        laid_out.append(Section(Table(rows, bold=bold)))
    return laid_out


def _differences(comparisons: Sequence[Comparison], style: Style, *, by_label: bool) -> Section:
    rows = [["b - a", "recipe", "difference", "p", "p (Holm)", "p (t)", ""]]
    comparisons = [each for each in comparisons if by_label or each.label is None]
    for each in comparisons:
        what = each.recipe if each.label is None else f"{each.recipe} {each.label}"
        rows.append([
            f"{plain(each.b)} - {plain(each.a)}", plain(what),
            style.cell(each.difference, each.low, each.high, sign="+"),
            number(each.p, ".4f"), number(each.p_holm, ".4f"), number(each.p_corrected_t, ".4f"),
            _verdict(each),
        ])  # fmt: skip
    notes = [
        "p is of paired randomization over documents, Holm's correction is over all pairs, recipes "
        "and slots; p (t) is of the corrected resampled t test over splits; better needs "
        f"p (Holm) and p (t) of at most {ALPHA:g}",
        *caveats(comparisons),
    ]
    return Section(Table(rows, left=frozenset({0, 1, 6})), notes=notes)


def _verdict(each: Comparison) -> str:
    if each.better is not None:
        return f"{plain(each.better)} is better"
    if each.better_models is not None:
        return f"{plain(each.better_models)}: better models"
    return "no difference shown"


def caveats(comparisons: Sequence[Comparison]) -> list[str]:
    """What the differences of trained models do not say, if there are any."""
    found = []
    if any(each.better is None and each.better_models is not None for each in comparisons):
        found.append(MODELS)
    if {each.splits for each in comparisons} == {1}:
        found.append(ONE_SPLIT)
    return found


def _curves(result: Experiment, points: Sequence[CurvePoint], style: Style) -> list[Section]:
    """A table for each recipe that compares learners: sizes down, learners across."""
    laid_out = []
    names = list(dict.fromkeys((p.learner, p.strategy) for p in points))
    for recipe in result.headline if points else ():
        cells = {(p.learner, p.strategy, str(p.size)): p for p in points if p.recipe == recipe}
        sizes = list(dict.fromkeys(str(p.size) for p in points))
        sizes.sort(key=lambda size: (size == "all", int(size) if size != "all" else 0))
        rows = [[f"{recipe}, documents", *(f"{plain(a)} {b}".strip() for a, b in names)]]
        for size in sizes:
            own = [cells.get((*name, size)) for name in names]
            rows.append([size, *("-" if p is None else style.cell(p.mean, p.low, p.high)
                                 for p in own)])  # fmt: skip
        sentences = [
            f"From {each['size']} documents on, the mean of {plain(each['learner'])} is above that "
            f"of {plain(each['overtakes'])}."
            for each in result.overtaking if each["recipe"] == recipe and not points[0].strategy
        ]  # fmt: skip
        laid_out.append(Section(Table(rows), sentences=sentences))
    return laid_out


def _costs(result: Experiment) -> Section:
    rows = [["cost of a cell", "train s", "CPU s", "predict s", "CPU s", "documents/s", "MiB"]]
    for name, cost in result.cost.items():
        if name != "machine":
            keys = ("train_wall", "train_cpu", "predict_wall", "predict_cpu")
            rows.append([plain(name), *(number(cost[key], ".2f") for key in keys),
                         number(cost["documents_per_second"], ",.0f"),
                         number(cost["peak_mib"], ",.0f")])  # fmt: skip
    return Section(Table(rows))

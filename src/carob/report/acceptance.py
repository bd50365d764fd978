"""Which answers can be accepted, as sentences and tables: thresholds, and bins of confidences."""

from __future__ import annotations

from carob.corpus.problems import plain
from carob.report.terminal import WIDTH, Section, Style, Table
from carob.result.acceptance import Acceptance, Accepted, Bin, Curve
from carob.result.result import points, with_interval

ROWS = 10
"""A table has about so many thresholds; JSON, CSV and the chart have all."""


def sections(result: Acceptance, style: Style, *, width: int = WIDTH) -> list[Section]:
    """For each system the answers, a table of thresholds, and one of bins."""
    made = []
    for curve in result:
        made += [
            Section(sentences=_answers(result, curve, style)),
            Section(_thresholds(result, curve, style)),
            Section(_bins(curve, style), sentences=[_calibration(curve, style)]),
        ]
    if result.remarks:
        made.append(Section(remarks=[plain(remark) for remark in result.remarks]))
    return made


def _answers(result: Acceptance, curve: Curve, style: Style) -> list[str]:
    digits = style.decimals if style.percent or style.digits is not None else 1
    what = plain(result.nouns() if result.label is None else f"values of {result.label}")
    head = f"{plain(curve.system)}: {curve.answers:,} {what}, {curve.right:,} of them right"
    return [head, *result.sentences(curve, digits)]


def _share(value: float | None, low: float | None, high: float | None, style: Style) -> str:
    """A share in per cent, with its interval."""
    digits = style.decimals if style.percent or style.digits is not None else 1
    if not style.intervals:
        low = high = None
    return with_interval(value, low, high, lambda each: points(each, digits))


def shown_points(curve: Curve, most: int) -> list[Accepted]:
    """About `most` points that accept ever more by equal steps, and those of wanted error rates."""
    wanted = {each.threshold for each in curve.wanted}
    kept, next_step = [], 1
    for point in curve.points:
        reached = point.automation >= next_step / most - 1e-9
        if reached or point.threshold in wanted:
            kept.append(point)
        while point.automation >= next_step / most - 1e-9:
            next_step += 1
    return kept


def _thresholds(result: Acceptance, curve: Curve, style: Style) -> Table:
    rows = [["accept from", result.nouns(), "need nobody (%)", "wrong", "error rate (%)"]]
    for each in shown_points(curve, ROWS):
        rows.append([
            f"{each.threshold:g}", f"{each.accepted:,}",
            _share(each.automation, each.automation_low, each.automation_high, style),
            f"{each.wrong:,}", _share(each.error_rate, each.error_low, each.error_high, style),
        ])  # fmt: skip
    return Table(rows)


def _bins(curve: Curve, style: Style) -> Table:
    rows = [["confidence", "answers", "mean (%)", "right (%)"]]
    rows += [
        [
            f"{each.low:g}-{each.high:g}", f"{each.answers:,}",
            _share(each.confidence, None, None, style),
            _share(each.share, each.share_low, each.share_high, style),
        ]
        for each in curve.bins
        if each.answers
    ]  # fmt: skip
    return Table(rows)


def _calibration(curve: Curve, style: Style) -> str:
    """Whether confidences are too high or too low, in one sentence."""
    sure, right, count = _sums(curve.bins)
    text = f"ECE {style.number(curve.ece or 0.0)}"
    if not count:
        return text
    digits = style.decimals if style.percent or style.digits is not None else 1
    return (
        f"{text}; the mean confidence is {points(sure / count, digits)} %, and "
        f"{points(right / count, digits)} % are right"
    )


def _sums(bins: tuple[Bin, ...]) -> tuple[float, int, int]:
    sure = sum((each.confidence or 0.0) * each.answers for each in bins)
    return sure, sum(each.right for each in bins), sum(each.answers for each in bins)

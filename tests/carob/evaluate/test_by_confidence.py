"""Which answers can be accepted: the same numbers as scores with a threshold have."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from carob import (
    Acceptance,
    Corpus,
    DataError,
    InputError,
    RecipeError,
    UsageError,
    by_confidence,
    read,
    score,
    verify,
)
from carob.cli import main
from carob.evaluate import demo
from carob.evaluate.plot import results_for
from carob.result.result import with_checksum


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("invoices")
    return {path.name: str(path) for path in demo.write(folder, "invoices", documents=80)}


@pytest.fixture(scope="module")
def made(files: dict[str, str]) -> Acceptance:
    return by_confidence(files["gold.jsonl"], files["careful.jsonl"], task=files["task.toml"])


def records(*answers: tuple[str, float | None]) -> Corpus:
    return Corpus.of(*(
        {"id": str(i), "templates": [{"slots": {"a": [value]}} | (
            {} if sure is None else {"confidence": sure})]}
        for i, (value, sure) in enumerate(answers)
    ))  # fmt: skip


GOLD = records(*[("x", None)] * 4)
SYSTEM = records(("x", 0.9), ("x", 0.8), ("y", 0.6), ("x", 0.3))


def test_points_are_scores_with_a_threshold(files: dict[str, str], made: Acceptance) -> None:
    """Also their intervals, where something is wrong and something right."""
    points = [each for each in made["careful"].points if 0 < each.error_rate < 1][::4]
    assert len(points) > 3
    recipes = [f"record(t={point.threshold!r}).{measure}"
               for point in points for measure in ("automation", "exact")]  # fmt: skip
    scores = score(files["gold.jsonl"], files["careful.jsonl"], recipes, task=files["task.toml"])
    for point in points:
        share, exact = (
            scores["careful", f"record(t={point.threshold!r}).{measure}"]
            for measure in ("automation", "exact")
        )
        assert share.value == point.automation
        assert (share.low, share.high) == (point.automation_low, point.automation_high)
        assert exact.value == pytest.approx(1 - point.error_rate)
        assert point.error_low is not None and point.error_high is not None
        assert exact.low == pytest.approx(1 - point.error_high)
        assert exact.high == pytest.approx(1 - point.error_low)


@pytest.mark.parametrize("space", ["record", "fields", "record(of=lines)"])
def test_bins_make_up_the_calibration_error(files: dict[str, str], space: str) -> None:
    gold, system, task = (files[name] for name in ("gold.jsonl", "careful.jsonl", "task.toml"))
    own = by_confidence(gold, system, space, bins=7, task=task, resamples=0)["careful"]
    value = score(gold, system, f"{space}.ECE(bins=7)", task=task, resamples=0).value
    assert own.ece == pytest.approx(value)


def test_the_threshold_is_the_lowest_that_keeps_to_the_error_rate(made: Acceptance) -> None:
    curve = made["careful"]
    for wanted in curve.wanted:
        assert wanted.point in curve.points
        assert wanted.point is not None and wanted.point.error_rate <= wanted.error_rate
        assert wanted.low is not None and wanted.low <= wanted.point.threshold
        assert wanted.high is None or wanted.high >= wanted.point.threshold
        for point in curve.points:
            if point.threshold < wanted.point.threshold:
                assert point.error_rate > wanted.error_rate


def test_by_hand() -> None:
    curve = by_confidence(GOLD, SYSTEM, error_rates=[0.1, 0.25])["system"]
    assert [(each.threshold, each.accepted, each.wrong) for each in curve.points] == [
        (0.9, 1, 0), (0.8, 2, 0), (0.6, 3, 1), (0.0, 4, 1)
    ]  # fmt: skip
    assert (0.8, 0.0) == (curve.at(0.1).threshold, curve.at(0.25).threshold)
    # Of one answer that is accepted, and right.
    assert curve.points[0].error_low == 0.0
    assert curve.points[0].error_high == pytest.approx(0.975)


def test_golden_confidences(data: Path, tmp_path: Path) -> None:
    folder = data / "records"
    [case] = json.loads((folder / "confidence.json").read_text("utf-8"))["cases"]
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["confidence"]["five"]
    for side in ("gold", "system"):
        (tmp_path / f"{side}.jsonl").write_text("\n".join(case[side]) + "\n", "utf-8")
    for space in ("record", "fields"):
        result = by_confidence(tmp_path / "gold.jsonl", tmp_path / "system.jsonl", space)
        assert expected[space]["ECE"] == pytest.approx(result["system"].ece)
    points = by_confidence(tmp_path / "gold.jsonl", tmp_path / "system.jsonl")["system"].points
    for threshold in (0, 0.8, 0.9):
        own = expected[f"record(t={threshold})"]
        point = next(each for each in points if each.threshold == threshold)
        assert own["automation"] == pytest.approx(point.automation)
        assert own["exact"] == pytest.approx(1 - point.error_rate)


def test_no_threshold_may_be_high_enough() -> None:
    result = by_confidence(GOLD, records(("y", 0.9), *[("x", 0.1)] * 3), error_rates=[0.1])
    assert result["system"].at(0.1).point is None
    assert "no threshold is high enough" in str(result)
    with pytest.raises(UsageError, match=r"no threshold for the error rate 0\.2; there are: 0\.1"):
        result["system"].at(0.2)


def test_nothing_wrong_is_no_proof() -> None:
    """Resamples of thirty right answers are all right; thirty answers are few all the same."""
    gold = records(*[("x", None)] * 30)
    point = by_confidence(gold, records(*[("x", 0.9)] * 30))["system"].points[0]
    assert point.error_rate == point.error_low == 0
    assert point.error_high == pytest.approx(1 - 0.025 ** (1 / 30))


def test_the_order_of_documents_does_not_matter(files: dict[str, str]) -> None:
    sides = [read(files[name]) for name in ("gold.jsonl", "careful.jsonl")]
    turned = [Corpus.of(*reversed(list(corpus)))
              for corpus in sides]  # fmt: skip
    first, second = (
        by_confidence(gold, {"system": system}, resamples=200)["system"]
        for gold, system in (sides, turned)
    )
    assert first.points == second.points
    assert first.wanted == second.wanted


def test_values_of_one_slot(files: dict[str, str]) -> None:
    result = by_confidence(
        files["gold.jsonl"], files["careful.jsonl"], "fields", label="total",
        task=files["task.toml"], resamples=0,
    )  # fmt: skip
    assert result["careful"].answers == 80
    assert "|label:total|" in result.signature
    with pytest.raises(DataError, match="no slot is called 'totl'; did you mean total"):
        by_confidence(files["gold.jsonl"], files["careful.jsonl"], "fields", label="totl",
                      task=files["task.toml"], resamples=0)  # fmt: skip


def test_answers_without_a_confidence_are_told_and_refused() -> None:
    some = records(("x", 0.9), ("x", None), ("y", None), ("x", 0.3))
    result = by_confidence(GOLD, some)
    assert [0.9, 0.3, 0.0] == [each.threshold for each in result["system"].points]
    assert "system: 2 of 4 answers have no confidence and count as 0" in result.remarks
    with pytest.raises(DataError, match="system: no answer has a confidence"):
        by_confidence(GOLD, GOLD)
    with pytest.raises(DataError, match=r"found the confidence 1\.5, expected one from 0 to 1"):
        by_confidence(GOLD, records(*[("x", 1.5)] * 4))


def test_mistakes_in_arguments_are_refused() -> None:
    with pytest.raises(RecipeError, match="'exact' does not judge answers"):
        by_confidence(GOLD, SYSTEM, "exact")
    with pytest.raises(UsageError, match="from 0 to less than 1"):
        by_confidence(GOLD, SYSTEM, error_rates=[1])
    with pytest.raises(UsageError, match="bins are from 1 to 100"):
        by_confidence(GOLD, SYSTEM, bins=0)


def test_the_command_line(
    files: dict[str, str], made: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = ["errors", files["gold.jsonl"], files["careful.jsonl"], "--task", files["task.toml"]]
    assert 0 == main([*start, "--by-confidence", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["curves"] == json.loads(made.to_json())["curves"]
    assert 0 == main([*start, "--by-confidence", "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [float(row["threshold"]) for row in rows] == [
        each.threshold for each in made["careful"].points
    ]
    assert 0 == main([*start, "--by-confidence", "--error-rate", "0.2", "-m", "fields"])
    assert "at most 20 % wrong: accept all answers" in capsys.readouterr().out
    for wrong, text in (
        (["--error-rate", "0.1"], "--error-rate is for --by-confidence"),
        (["--by-confidence", "--type", "COR"], "--type is not for --by-confidence"),
        (["--by-confidence", "-m", "fields", "-m", "record"], "has one -m"),
    ):
        assert 0 != main([*start, *wrong])
        assert text in capsys.readouterr().err


def test_charts_show_the_numbers(files: dict[str, str], made: Acceptance, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    curve: Any = made["careful"]
    axes: Any = made.plot().axes[0]
    assert axes.lines[0].get_xydata().tolist() == [
        [100 * each.automation, 100 * each.error_rate] for each in curve.points
    ]
    wanted = {(100 * each.point.automation, 100 * each.point.error_rate)
              for each in curve.wanted if each.point is not None}  # fmt: skip
    assert wanted == set(map(tuple, axes.lines[1].get_xydata().tolist()))
    both: Any = made.plot("reliability").axes
    panel, bars = both
    assert panel.lines[1].get_xydata().tolist() == [
        [100 * each.confidence, 100 * each.share] for each in curve.bins if each.answers
    ]
    assert [bar.get_height() for bar in bars.patches] == [each.answers for each in curve.bins]
    two: Any = results_for(
        "acceptance", GOLD, {"a": SYSTEM, "b": SYSTEM}, "record.ECE", resamples=0
    )
    assert len(two.plot().axes[0].lines) == 4
    with pytest.raises(UsageError, match="one event space"):
        results_for("acceptance", GOLD, SYSTEM, ["fields.ECE", "record.ECE"])
    out = tmp_path / "chart.svg"
    start = ["plot", "reliability", files["gold.jsonl"], files["careful.jsonl"]]
    assert 0 == main([*start, "--task", files["task.toml"], "-o", str(out)])
    assert out.read_text().startswith("<?xml")


# --- stored results are recomputed ---


def store(files: dict[str, str], folder: Path, *options: str, task: bool = True) -> Path:
    path = folder / "result.json"
    call = ["errors", "-q", files["gold.jsonl"], files["careful.jsonl"], "--by-confidence"]
    how = ["--task", files["task.toml"]] if task else []
    assert 0 == main([*call, *how, *options, "-o", str(path)])
    return path


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--resamples", "0"],
        ["--resamples", "200", "--seed", "7", "--error-rate", "0.123456789", "--error-rate", "0"],
        ["-m", "fields(floor=0.4)", "--label", "total"],
        ["-m", "record(of=lines)"],
    ],
    ids=" ".join,
)
def test_what_is_stored_is_verified(
    files: dict[str, str], tmp_path: Path, options: list[str]
) -> None:
    for task in (True, False):
        verification = verify(store(files, tmp_path, *options, task=task))
        assert [] == verification.differences
        assert 100 < verification.checked


def test_two_systems_and_few_documents_are_verified(tmp_path: Path) -> None:
    """Intervals of shares need no draws; those of thresholds are drawn nevertheless."""
    for name, corpus in (("gold", [("x", 1.0)] * 8),
                         ("a", [("xy"[i % 3 == 0], i / 10) for i in range(8)]),
                         ("b", [("xy"[i % 4 == 0], 1 - i / 10) for i in range(8)])):  # fmt: skip
        lines = [{"id": str(i), "templates": [{"slots": {"a, b": [value]}, "confidence": sure}]}
                 for i, (value, sure) in enumerate(corpus)]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    call = ["errors", "-q", *(str(tmp_path / f"{name}.jsonl") for name in ("gold", "a", "b"))]
    result = tmp_path / "result.json"
    more = ["--by-confidence", "--seed", "3", "-o", str(result)]
    assert 0 == main([*call, *more])
    assert "|interval:effective|" in json.loads(result.read_text())["signature"]
    assert [] == verify(result).differences


def numbers(node: Any) -> list[tuple[Any, Any]]:
    """Every number of the curves, and what holds it."""
    found = []
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, (dict, list)):
            found += numbers(value)
        elif isinstance(value, (int, float)):
            found.append((node, key))
    return found


@pytest.mark.slow
def test_any_number_that_is_tampered_with_is_found(tmp_path: Path) -> None:
    # Few documents, because the result is recomputed for every number.
    few = demo.write(tmp_path / "few", "invoices", documents=15)
    result = store({path.name: str(path) for path in few}, tmp_path, "--resamples", "100")
    original = result.read_text()
    places = len(numbers(json.loads(original)["curves"]))
    assert places > 100
    for i in range(0, places, 5):
        content = json.loads(original)
        node, key = numbers(content["curves"])[i]
        node[key] += 1
        result.write_text(json.dumps(with_checksum(content)))
        assert verify(result).differences
    content = json.loads(original)
    del content["curves"][0]["points"][-1]
    result.write_text(json.dumps(with_checksum(content)))
    assert any(each.startswith("number of careful points: stored") for each in
               verify(result).differences)  # fmt: skip
    result.write_text(original.replace('"answer"', '"answers_"', 1))
    assert 1 == main(["verify", str(result)])


def test_what_is_no_result_is_refused(files: dict[str, str], tmp_path: Path) -> None:
    result = store(files, tmp_path, "--resamples", "0")
    original = result.read_text()
    for old, new, message in (
        ("|thresholds:0.01+0.02+0.05", "|thresholds:few",
         r"K902 found what cannot be recomputed \(found thresholds:few, expected thresholds:RATE"),
        ('"points": [', '"points": [5, ', "K902 found JSON without what a result has"),
        ("|thresholds:0.01+0.02+0.05", "", "found thresholds:None"),
    ):  # fmt: skip
        assert old in original
        result.write_text(original.replace(old, new, 1))
        with pytest.raises(InputError, match=message):
            verify(result)

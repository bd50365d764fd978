"""On real corpora carob prints what was published."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from carob import read, score

CONLL = ("chieu", "curran", "demeulder", "florian", "hammerton", "klein", "munro", "whitelaw")
WNUT = {"arcada": 39.98, "sjtu_adapt": 40.42, "spinningbytes": 40.78, "uh_ritual": 41.86}


@pytest.mark.parametrize("system", CONLL)
def test_conll2003_is_as_the_shared_task_printed_it(data: Path, system: str) -> None:
    folder = data / "conll2003-dev"
    with (folder / "official.tsv").open(encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file, delimiter="\t") if row["system"] == system)
    scores = score(folder / "gold.conll", folder / "systems" / f"{system}.conll", "exact.PRF")
    counts = scores["exact.F1"].counts
    assert {
        "gold": int(row["gold"]),
        "found": int(row["found"]),
        "correct": int(row["correct"]),
    } == {
        "gold": counts["tp"] + counts["fn"],
        "found": counts["tp"] + counts["fp"],
        "correct": counts["tp"],
    }
    for measure in ("P", "R", "F1"):
        assert row[measure] == f"{100 * (scores[f'exact.{measure}'].value or 0):.2f}"
    for label in ("LOC", "MISC", "ORG", "PER"):
        value = scores["exact.F1"].by_label[label].value or 0
        assert row[f"F1-{label}"] == f"{100 * value:.2f}"


@pytest.mark.parametrize("system", WNUT)
def test_wnut17_is_as_published(data: Path, system: str) -> None:
    folder = data / "wnut17"
    scores = score(folder / "gold.conll", folder / "systems" / f"{system}.conll", "exact.F1")
    assert f"{WNUT[system]:.2f}" == f"{100 * (scores.value or 0):.2f}"


@pytest.mark.parametrize(
    ("system", "published"),
    [("arcada", 37.77), ("sjtu_adapt", 37.62), ("spinningbytes", 39.33), ("uh_ritual", 40.24)],
)
def test_wnut17_surface_forms_are_as_published(data: Path, system: str, published: float) -> None:
    folder = data / "wnut17"
    scores = score(folder / "gold.conll", folder / "systems" / f"{system}.conll", "surface.F1")
    assert f"{published:.2f}" == f"{100 * (scores.value or 0):.2f}"


def test_the_schemes_and_documents_of_conll2003_are_found(data: Path) -> None:
    gold = read(data / "conll2003-dev" / "gold.conll")
    assert gold.origin is not None
    assert ("iob1", 216, 5942) == (
        gold.origin.parameters["scheme"], len(gold), len(gold.mentions),
    )  # fmt: skip
    assert ("LOC", "MISC", "ORG", "PER") == gold.labels
    assert 0 == gold.facts["repaired"]

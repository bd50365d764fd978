"""A user's own measure and format work without a fork: entry points are all it takes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = '''
from dataclasses import dataclass
from typing import ClassVar
from carob.plugin import Document, Mention, of_documents, ratio

@dataclass(frozen=True, slots=True)
class Jaccard:
    """Of all that gold or system marked, the share both did. Jaccard (1901)."""
    name: ClassVar[str] = "jaccard"
    needs: ClassVar[tuple[str, ...]] = ("gold_right", "gold_all", "system_all")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    lower_is_better: ClassVar[bool] = False
    def __call__(self, q):
        return ratio(q["gold_right"], q["gold_all"] + q["system_all"] - q["gold_right"])

@dataclass(frozen=True, slots=True)
class Semicolons:
    """A line is a document: label;start;end;label;start;end."""
    name: ClassVar[str] = "semicolons"
    extensions: ClassVar[tuple[str, ...]] = (".semi",)
    holds: ClassVar[frozenset[str]] = frozenset({"character spans"})
    @staticmethod
    def sniff(head):
        return 0.8 if head.startswith(b"%semicolons") else 0.0
    def read(self, source):
        docs = []
        for line in b"".join(source.blocks()).decode().splitlines()[1:]:
            parts = line.split(";")
            rows = zip(parts[::3], parts[1::3], parts[2::3])
            docs.append(Document(unit="char", mentions=tuple(
                Mention(label, int(a), int(b)) for label, a, b in rows)))
        yield of_documents(docs)
    def signature_fields(self, facts):
        return {}, {}
    def library(self, source, documents):
        return None
'''
ENTRY_POINTS = """
[carob.measure]
jaccard = carob_tiny:Jaccard

[carob.formats]
semicolons = carob_tiny:Semicolons
"""


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """An environment in which the plugin is installed, as pip would lay it out."""
    site = tmp_path / "site"
    info = site / "carob_tiny-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "carob_tiny.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: carob-tiny\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    }


def carob(call: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "carob", *call],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip


def test_a_plugin_brings_a_measure_and_a_format(installed: dict[str, str], tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.semi", tmp_path / "system.semi"
    gold.write_text("%semicolons\nPER;0;3;LOC;5;9\n")
    system.write_text("%semicolons\nPER;0;3;LOC;6;9\n")
    result = tmp_path / "result.json"
    done = carob(
        ["score", str(gold), str(system), "-m", "exact.jaccard", "--format", "json",
         "-o", str(result)],
        installed,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    score = json.loads(result.read_text())["systems"][0]["scores"][0]
    assert (score["recipe"], score["value"]) == ("exact.jaccard", 1 / 3)
    assert "|format:semicolons/semicolons|" in score["signature"]
    assert carob(["verify", str(result)], installed).returncode == 0
    told = carob(["measures", "jaccard"], installed).stdout
    assert "Of all that gold or system marked" in told


def test_the_ending_of_a_plugin_is_known(installed: dict[str, str], tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    done = carob(["convert", str(gold), str(tmp_path / "gold.semi")], installed)
    assert (2, "carob: the format semicolons can only be read\n") == (done.returncode, done.stderr)


@pytest.mark.parametrize(
    ("entries", "both"),
    [
        ("[carob.measure]\nP = carob_tiny:Jaccard\n",
         {"the plugin carob_tiny:Jaccard", "carob.measure.precision.Precision"}),
        ("[carob.measure]\njaccard = carob_tiny:Jaccard\n",
         {"the plugin carob_tiny:Jaccard", "the plugin other:Jaccard"}),
    ],
)  # fmt: skip
def test_a_name_has_one_meaning(
    installed: dict[str, str], tmp_path: Path, entries: str, both: set[str]
) -> None:
    (tmp_path / "site" / "carob_tiny-1.0.dist-info" / "entry_points.txt").write_text(entries)
    if "jaccard" in entries:
        info = tmp_path / "site" / "another-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: another\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[carob.measure]\njaccard = other:Jaccard\n")
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    done = carob(["score", str(gold), str(gold), "-m", "exact.P"], installed)
    assert 1 == done.returncode
    words = re.fullmatch(
        r"carob: (.*) is called '\w+', as is (.*); give it another name, or uninstall it\n",
        done.stderr,
    )
    assert words is not None and both == set(words.groups())  # packages come in any order


def test_without_the_plugin_its_names_mean_nothing(tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    done = carob(["score", str(gold), str(gold), "-m", "exact.jaccard"], dict(os.environ))
    assert done.returncode == 2
    assert done.stderr.startswith("carob: no measure of exact is called 'jaccard'; there are: ")


def test_a_plugin_that_breaks_is_named(tmp_path: Path, installed: dict[str, str]) -> None:
    (tmp_path / "site" / "carob_tiny.py").write_text("raise RuntimeError('out of order')")
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    done = carob(["score", str(gold), str(gold), "-m", "exact.jaccard"], installed)
    assert (
        done.returncode,
        done.stderr,
    ) == (1, "carob: the plugin carob_tiny:Jaccard failed: out of order\n")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "    range: ClassVar[tuple[float, float]] = (0.0, 1.0)\n",
            "",
            "is a measure without range; "
            "a measure declares name, needs, range, lower_is_better, __call__",
        ),
        (
            'name: ClassVar[str] = "jaccard"',
            'name: ClassVar[str] = "jac"',
            "is called 'jac', and 'jaccard' by its entry point; give both the same name",
        ),
    ],
)
def test_a_plugin_that_breaks_its_contract_is_refused_in_words(
    tmp_path: Path, installed: dict[str, str], before: str, after: str, message: str
) -> None:
    assert before in MODULE
    (tmp_path / "site" / "carob_tiny.py").write_text(MODULE.replace(before, after))
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    done = carob(["score", str(gold), str(gold), "-m", "exact.jaccard"], installed)
    assert (
        done.returncode,
        done.stderr,
    ) == (1, f"carob: the plugin carob_tiny:Jaccard {message}\n")

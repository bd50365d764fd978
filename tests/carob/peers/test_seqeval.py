"""The same tags through seqeval. Where carob differs on purpose, the difference is asserted.

docs/peers.md says the same:
- Default mode finds the same mentions in IOB1, IOB2, IOE1, IOE2, IO and IOBES. It does not know the
  letters L, U, M and W: two touching U- mentions are one to it, and `E-X M-X` two that overlap.
- Strict mode drops what `--repair discard` drops in IOB2, IOE2, IOBES and BILOU. In IOB1 it reads
  `B-X I-X` as a mention of the second token alone, in IOE1 it drops both mentions of `E-X E-X`.
- Tags without a prefix lose their first letter in seqeval (`PER` becomes `ER`); to carob they are
  whole labels.
- seqeval's zero_division changes the precision of a label that has gold and no answer; carob's
  only a label that has neither. Where there is nothing at all, seqeval's macro average is NaN and
  carob's has no value; where gold is empty, seqeval's weighted average is 0 and carob's has no
  value.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from carob import Corpus, score

pytest.importorskip("seqeval")

from seqeval.metrics import sequence_labeling as default_mode
from seqeval.metrics import v1 as strict_mode
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES, IOE1, IOE2, Entities

from tests.worlds import times

Tags = list[list[str]]
SCHEMES = {"iob1": "BI", "iob2": "BI", "io": "I", "ioe1": "IE", "ioe2": "IE", "iobes": "BIES"}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """seqeval warns of every 0/0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def random_tags(rng: random.Random, letters: str, count: int) -> Tags:
    return [
        [
            "O" if rng.random() < 0.4 else f"{rng.choice(letters)}-{rng.choice('XYZ')}"
            for _ in range(rng.randint(1, 8))
        ]
        for _ in range(count)
    ]


def answer(rng: random.Random, gold: Tags, letters: str) -> Tags:
    return [
        [tag if rng.random() < 0.7 else random_tags(rng, letters, 1)[0][0] for tag in tags]
        for tags in gold
    ]


def ours(gold: Tags, system: Tags, average: str, **options: Any) -> list[float | None]:
    left, right = (Corpus.from_tags(tags, **options) for tags in (gold, system))
    found = score(left, right, [f"exact.{m}@{average}" for m in ("P", "R", "F1")])
    return [each.value for each in found]


def spans(tags: Tags, **options: Any) -> list[list[tuple[int, int, str]]]:
    corpus = Corpus.from_tags(tags, **options)
    return [[(m.start, m.end, m.label) for m in document.mentions] for document in corpus]


def default_spans(tags: list[str]) -> list[tuple[int, int, str]]:
    return [(start, last + 1, label) for label, start, last in get_entities(tags)]


def strict_spans(tags: list[str], scheme: Any) -> list[tuple[int, int, str]]:
    return sorted((e.start, e.end, e.tag) for e in Entities([tags], scheme).entities[0])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_default_mode_finds_the_same_mentions(scheme: str) -> None:
    tags = random_tags(random.Random(scheme), SCHEMES[scheme], times(12))
    assert [default_spans(sentence) for sentence in tags] == spans(tags, scheme=scheme)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
@pytest.mark.parametrize("scheme", ["iob2", "iobes"])
def test_default_mode_gives_the_same_scores(scheme: str, average: str) -> None:
    rng = random.Random(scheme)
    for _ in range(times(0.5)):
        whole = ["B-X" if scheme == "iob2" else "S-X"]
        gold = [*random_tags(rng, SCHEMES[scheme], rng.randint(1, 6)), whole]
        system = answer(rng, gold, SCHEMES[scheme])
        theirs = default_mode.precision_recall_fscore_support(
            gold, system, average=average, zero_division=0
        )
        assert list(theirs[:3]) == pytest.approx(ours(gold, system, average, scheme=scheme))


STRICT = [
    ("iob2", IOB2, "BI"),
    ("ioe2", IOE2, "IE"),
    ("iobes", IOBES, "BIES"),
    ("bilou", BILOU, "BILU"),
]


@pytest.mark.parametrize(("name", "scheme", "letters"), STRICT)
def test_strict_mode_drops_what_discard_drops(name: str, scheme: Any, letters: str) -> None:
    tags = random_tags(random.Random(name), letters, 1000)
    expected = [strict_spans(sentence, scheme) for sentence in tags]
    assert expected == spans(tags, scheme=name, repair="discard")


@pytest.mark.parametrize(("name", "scheme", "letters"), STRICT)
def test_strict_mode_gives_the_same_scores(name: str, scheme: Any, letters: str) -> None:
    rng = random.Random(name)
    whole = {"iob2": ["B-X"], "ioe2": ["E-X"], "iobes": ["S-X"], "bilou": ["U-X"]}[name]
    for _ in range(times(0.3)):
        gold = [*random_tags(rng, letters, rng.randint(1, 6)), whole]
        system = answer(rng, gold, letters)
        for average in ("micro", "macro", "weighted"):
            theirs = strict_mode.precision_recall_fscore_support(
                gold, system, average=average, scheme=scheme, zero_division=0
            )
            mine = ours(gold, system, average, scheme=name, repair="discard")
            assert list(theirs[:3]) == pytest.approx(mine)


def test_default_mode_does_not_know_bilou_and_bmes() -> None:
    assert [(0, 2, "X")] == default_spans(["U-X", "U-X"])
    assert [[(0, 1, "X"), (1, 2, "X")]] == spans([["U-X", "U-X"]])
    assert [(0, 1, "X"), (0, 2, "X")] == default_spans(["E-X", "M-X"])
    assert [[(0, 1, "X"), (1, 2, "X")]] == spans([["E-X", "M-X"]])


def test_strict_mode_reads_iob1_and_ioe1_otherwise() -> None:
    assert [(1, 2, "X")] == strict_spans(["B-X", "I-X"], IOB1)
    assert [[]] == spans([["B-X", "I-X"]], scheme="iob1", repair="discard")
    assert [] == strict_spans(["E-X", "E-X"], IOE1)
    assert [[(0, 1, "X")]] == spans([["E-X", "E-X"]], scheme="ioe1", repair="discard")


def test_bare_labels_lose_their_first_letter_in_seqeval() -> None:
    assert [(0, 2, "ER"), (3, 4, "OC")] == default_spans(["PER", "PER", "O", "LOC"])
    assert [[(0, 2, "PER"), (3, 4, "LOC")]] == spans([["PER", "PER", "O", "LOC"]])


def test_zero_division_means_less_in_carob() -> None:
    gold, system = [["B-X", "O"]], [["O", "O"]]
    theirs = default_mode.precision_recall_fscore_support(
        gold, system, average="macro", zero_division=1
    )
    assert (1.0, 0.0, 0.0) == theirs[:3]
    left, right = Corpus.from_tags(gold), Corpus.from_tags(system)
    found = score(left, right, "exact.PRF@macro", zero_division="1")
    assert [0.0, 0.0, 0.0] == [each.value for each in found]


def test_where_there_is_nothing_to_average_carob_has_no_value() -> None:
    nothing, invented = [["O"]], [["B-X"]]
    macro = default_mode.precision_recall_fscore_support(nothing, nothing, average="macro")
    assert math.isnan(macro[2])
    assert [None] * 3 == ours(nothing, nothing, "macro")
    weighted = default_mode.precision_recall_fscore_support(nothing, invented, average="weighted")
    assert 0.0 == weighted[2]
    assert [None] * 3 == ours(nothing, invented, "weighted")

"""surface counts every different string with its label once, over the whole corpus."""

from __future__ import annotations

import math

import pytest
from hypothesis import settings

from carob import Corpus, Document, Mention, Pair, Tally, UsageError, score
from carob.match.surface import Surface
from tests.worlds import LABELS, Documents, random_pairs

Key = tuple[tuple[str, ...], str]


def mentions(docs: Documents) -> list[tuple[int, Mention, Key]]:
    """Every mention with its document and its string."""
    rows = []
    for i, doc in enumerate(docs):
        for mention in doc.mentions:
            words = [doc.tokens[k] for a, b in mention.fragments for k in range(a, b)]  # type: ignore[index]
            rows.append((i, mention, (tuple(words), mention.label)))
    return rows


def slow(gold: Documents, system: Documents) -> dict[str, tuple[int, int, int]]:
    """For each label the different strings that are right, those of the system, those of gold."""
    ours, theirs = mentions(gold), mentions(system)
    right = {
        key for i, mention, key in ours
        if any(i == j and mention.fragments == other.fragments and mention.label == other.label
               for j, other, _ in theirs)
    }  # fmt: skip
    every = [right, {key for _, _, key in theirs}, {key for _, _, key in ours}]
    return {
        label: tuple(sum(key[1] == label for key in keys) for keys in every)  # type: ignore[misc]
        for label in LABELS
    }


def test_every_count_is_what_the_definition_says() -> None:
    for seed in range(5 * settings().max_examples):
        gold, system = random_pairs(seed, seed % 5 + 1)
        pair = Pair.of(Corpus.of(*gold), Corpus.of(*system), LABELS)
        q = Tally.of(Surface(), pair).by_label()
        names = ("gold_right", "system_right", "system_all", "gold_all")
        for i, (right, answered, there) in enumerate(slow(gold, system).values()):
            actual = [float(q[name][i]) for name in names]
            assert [right, right, answered, there] == pytest.approx(actual, abs=1e-9)


def test_a_string_counts_in_equal_parts_at_its_mentions() -> None:
    gold = Corpus.of("[Ann]PER met [Ann]PER", "[Ann]PER", "[Bo]PER and [Bo]PER")
    system = Corpus.of("[Ann]PER met Ann", "[Ann]PER", "Bo and Bo")
    q = Tally.of(Surface(), Pair.of(gold, system)).by_unit()
    assert [0.5, 0.5, 0] == q["tp"].tolist()
    assert [0, 0, 1] == q["fn"].tolist()


def test_a_form_of_seven_mentions_is_one() -> None:
    text = " ".join(["[Ann]PER"] * 7)
    counts = Tally.of(Surface(), Pair.of(Corpus.of(text), Corpus.of(text))).counted()
    assert math.isclose(counts["tp"], 1)


def test_case_and_labels_make_strings_different_and_white_space_does_not() -> None:
    ends = ((0, 8, "A"), (9, 18, "A"), (19, 27, "A"), (28, 36, "B"))
    doc = Document(
        "d", text="New York New\n\nYork NEW YORK New York",
        mentions=tuple(Mention(label, start, end) for start, end, label in ends),
    )  # fmt: skip
    corpus = Corpus.of(doc)
    assert {"tp": 3.0, "fp": 0.0, "fn": 0.0} == dict(
        Tally.of(Surface(), Pair.of(corpus, corpus)).counted()
    )


def test_a_document_without_words_is_refused() -> None:
    corpus = Corpus.of(Document("d1", unit="token", mentions=(Mention("A", 0, 1),)))
    with pytest.raises(UsageError) as refused:
        score(corpus, corpus, "surface.F1")
    assert (
        str(refused.value) == "surface compares texts, and document 'd1' has mentions and no text "
        "to read them in"
    )

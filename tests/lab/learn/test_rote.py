"""rote keeps fillers that are marked often enough where they occur."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.pair.texts import Examples, Texts
from carob_lab.learn.rote import Rote


def test_precision_has_laplaces_correction() -> None:
    # Bo occurs three times and is marked once: (1 + 1) / (3 + 2) < 0.5.
    corpus = Corpus.of("[Ann]who met [Bo]who", "Bo and Bo and [Cy]who")
    model = Rote().fit(Examples.of(corpus), ("who",), 0)
    assert {("Ann",): 2 / 3, ("Cy",): 2 / 3} == model.entries[0]
    assert ("Bo",) in Rote(precision=0.4).fit(Examples.of(corpus), ("who",), 0).entries[0]


def test_the_first_and_longest_entry_answers_and_slots_may_overlap() -> None:
    corpus = Corpus.of("[New York]LOC", "[York]LOC [York]LOC", "[[New York]LOC Times]ORG")
    model = Rote().fit(Examples.of(corpus), ("LOC", "ORG"), 0)
    answers = model.answers(Texts.of(Corpus.of("New York Times of York")))
    assert [("LOC", 0, 2), ("ORG", 0, 3), ("LOC", 4, 5)] == [
        (mention.label, mention.start, mention.end) for mention in answers[0].mentions
    ]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "[a]x", "[b]x", "[a b]x", "[b a]x"])),
                min_size=1, max_size=4))  # fmt: skip
def test_precision_is_that_of_a_count_by_hand(pieces: list[list[str]]) -> None:
    corpus = Corpus.of(*(" ".join(own) for own in pieces))
    marked: list[tuple[str, ...]] = []
    texts = [document.tokens or () for document in corpus]
    for document, words in zip(corpus, texts, strict=True):
        marked += [words[m.start : m.end] for m in document.mentions]
    if not marked:
        return
    model = Rote().fit(Examples.of(corpus), ("x",), 0)
    for entry in set(marked):
        n = sum(own[i : i + len(entry)] == entry for own in texts for i in range(len(own)))
        share = Fraction(marked.count(entry) + 1, n + 2)
        assert (float(share) if share >= Fraction(1, 2) else None) == model.entries[0].get(entry)


def test_a_precision_beyond_one_is_refused() -> None:
    with pytest.raises(UsageError, match="expected one from 0 to 1"):
        Rote(precision=2)

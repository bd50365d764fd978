"""Lists of tags, as seqeval takes them, become a corpus by the CoNLL rule."""

from __future__ import annotations

import random
from typing import Any

import pytest

from carob import Corpus, Mention, UsageError
from carob.arrays.tags import SCHEMES
from tests.carob.formats._files import slow_mentions
from tests.worlds import times


@pytest.mark.parametrize("repair", ["conlleval", "discard"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_tags_are_decoded_as_the_slow_twin_does(scheme: str, repair: str) -> None:
    rng = random.Random(scheme)
    sentences = [
        [
            "O" if rng.random() < 0.3 else f"{rng.choice(SCHEMES[scheme])}-{rng.choice('XY')}"
            for _ in range(rng.randint(0, 8))
        ]
        for _ in range(times(6))
    ]
    found = Corpus.from_tags(sentences, scheme=scheme, repair=repair)
    expected = [
        tuple(Mention(label, a, b) for a, b, label in slow_mentions(tags, scheme, repair))
        for tags in sentences
    ]
    assert expected == [document.mentions for document in found]
    assert [len(tags) for tags in sentences] == found.documents.length.tolist()
    every = sum(len(slow_mentions(tags, scheme, "conlleval")) for tags in sentences)
    legal = sum(len(slow_mentions(tags, scheme, "discard")) for tags in sentences)
    assert every - legal == sum(found.facts.values())


def test_tokens_are_kept() -> None:
    corpus = Corpus.from_tags([["B-X", "O"], ["O"]], [["Ann", "slept"], ["!"]])
    assert [("Ann", "slept"), ("!",)] == [document.tokens for document in corpus]
    assert Corpus.of("[Ann]X slept", "!").documents.hash.tolist() == corpus.documents.hash.tolist()


def test_lists_may_be_tuples_and_empty() -> None:
    assert [(), (Mention("X", 0, 1),)] == [
        document.mentions for document in Corpus.from_tags(((), ("X",)))
    ]
    assert 0 == len(Corpus.from_tags([]))


@pytest.mark.parametrize(
    ("sentences", "parameters", "message"),
    [
        ([["B-X"]], {"tokens": []}, "1 lists of tags, but 0 lists of tokens"),
        (
            [["O"], ["B-X"]],
            {"tokens": [["a"], ["a", "b"]]},
            "document 2 needs one list of tags, one tag for each token",
        ),
        (["B-X", "O"], {}, "document 1 needs one list of tags, one tag for each token"),
        (
            [["B-X", "PER"]],
            {},
            "document 1, tag 2: "
            "found 'PER', expected O or a tag with a prefix and a label, like B-PER or I-PER",
        ),
        (
            [["O"], ["B-X", None]],
            {},
            "document 2, tag 2: found None, expected a tag like O or B-PER",
        ),
        (
            [["B-X", "U-X", "W-X"]],
            {},
            "the prefixes B U W belong to no one scheme; "
            "schemes: io, iob1, iob2, ioe1, ioe2, iobes, bilou, bmes, bmewo",
        ),
        (
            [["O"], ["B-X", "O", "I-X"]],
            {"repair": "strict"},
            "document 2, tag 3: 'I-X' is not legal in iob2",
        ),
        (
            [["B-X"]],
            {"scheme": "BIOX"},
            "no scheme is called 'BIOX'; did you mean io? there are: "
            "auto, bilou, bmes, bmewo, io, iob1, iob2, iobes, ioe1, ioe2",
        ),
        (
            [["B-X"]],
            {"repair": "drop"},
            "no repair is called 'drop'; there are: conlleval, discard, strict",
        ),
    ],
)
def test_tags_that_cannot_be_read_are_refused(
    sentences: Any, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        Corpus.from_tags(sentences, **parameters)
    assert message == str(caught.value)

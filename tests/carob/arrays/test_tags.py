"""Tags are decoded by the CoNLL rule under every scheme; legality and detection follow the
definitions of the schemes; what is encoded decodes to itself.
"""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from carob.arrays.tags import (
    KINDS,
    LETTERS,
    SCHEMES,
    decode,
    encode,
    illegal,
    interpret,
    recognise,
)
from carob.arrays.types import IntArray

Found = tuple[int, int, str]
"""First and last place of a mention, and its label."""

WANTED = "O or a tag with a prefix and a label, like B-PER or I-PER"
KNOWN = "a known prefix (B I E S, L U, M W), or --scheme io if these are whole labels"


def slow_mentions(tags: list[str]) -> list[Found]:
    """The CoNLL rule, a token at a time: every pair of neighbours is asked whether a mention
    ends between them and whether one begins.
    """
    found: list[Found] = []
    start: int | None = None
    for place in range(len(tags) + 1):
        tag = tags[place] if place < len(tags) else "O"
        before = tags[place - 1] if place else "O"
        if start is not None and ends_between(before, tag):
            found.append((start, place - 1, before[2:]))
            start = None
        if starts_between(before, tag):
            start = place
    return found


def ends_between(before: str, after: str) -> bool:
    if before == "O":
        return False
    if after == "O" or before[0] in "ELSUW":
        return True
    return after[0] in "BSUW" or before[2:] != after[2:]


def starts_between(before: str, after: str) -> bool:
    if after == "O":
        return False
    if before == "O" or after[0] in "BSUW":
        return True
    return before[0] in "ELSUW" or before[2:] != after[2:]


def slow_legal(scheme: str, tags: list[str], mention: Found) -> bool:
    """Is this mention written as the scheme says? From the definitions of the schemes."""
    first, last, label = mention
    begin, end = tags[first][0], tags[last][0]
    before = first > 0 and tags[first - 1] != "O" and tags[first - 1][2:] == label
    behind = last + 1 < len(tags) and tags[last + 1] != "O" and tags[last + 1][2:] == label
    if scheme == "iob1":  # B- only to tell a mention from one of its label that it touches
        return begin == ("B" if before else "I")
    if scheme == "iob2":  # B- begins every mention
        return begin == "B"
    if scheme == "ioe1":
        return end == ("E" if behind else "I")
    if scheme == "ioe2":
        return end == "E"
    if scheme == "io":
        return True
    return begin in "BSUW" and end in "ELSUW"


def random_tags(rng: random.Random, letters: str, labels: str = "XY") -> list[str]:
    return [
        "O" if rng.random() < 0.3 else f"{rng.choice(letters)}-{rng.choice(labels)}"
        for _ in range(rng.randint(0, 8))
    ]


def columns(sentences: list[list[str]]) -> tuple[IntArray, IntArray, IntArray]:
    """Place, prefix and label of all tags but O; a place is left free between sentences."""
    rows, at = [], 0
    for tags in sentences:
        for tag in tags:
            if tag != "O":
                rows.append((at, LETTERS[tag[0]], "XY".index(tag[2:])))
            at += 1
        at += 1
    table = np.array(rows, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


ALPHABETS = [*sorted(set(SCHEMES.values())), "".join(LETTERS)]


@pytest.mark.parametrize("letters", ALPHABETS)
def test_mentions_are_those_of_the_conll_rule(letters: str) -> None:
    rng = random.Random(letters)
    sentences = [random_tags(rng, letters) for _ in range(2000)]
    expected, at = [], 0
    for tags in sentences:
        expected += [(at + a, at + b, "XY".index(c)) for a, b, c in slow_mentions(tags)]
        at += len(tags) + 1
    place, prefix, label = columns(sentences)
    runs = decode(place, prefix, label)
    actual = zip(
        place[runs.first].tolist(), place[runs.last].tolist(), label[runs.first].tolist(),
        strict=True,
    )  # fmt: skip
    assert expected == list(actual)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_legality_follows_the_definition_of_the_scheme(scheme: str) -> None:
    rng = random.Random(scheme)
    sentences = [random_tags(rng, SCHEMES[scheme]) for _ in range(2000)]
    expected = [
        not slow_legal(scheme, tags, found) for tags in sentences for found in slow_mentions(tags)
    ]
    assert expected == illegal(scheme)[decode(*columns(sentences)).kind].tolist()
    assert any(expected) == (scheme != "io")
    assert not all(expected)


def test_no_tags_decode_to_no_mentions() -> None:
    nothing = np.empty(0, np.int64)
    runs = decode(nothing, nothing, nothing)
    assert [] == runs.first.tolist() == runs.last.tolist() == runs.kind.tolist()


def slow_scheme(sentences: list[list[str]]) -> str | None:
    """By the prefixes of the whole file; IOB1 and IOE1 by how they use theirs."""
    letters = {tag[0] for tags in sentences for tag in tags if tag != "O"}
    if letters <= {"I"}:
        return "io"
    for scheme in ("iob1", "ioe1"):
        if letters <= set(SCHEMES[scheme]):
            marker = "B" if scheme == "iob1" else "E"
            marked = [
                slow_legal(scheme, tags, found)
                for tags in sentences
                for found in slow_mentions(tags)
                if tags[found[0] if marker == "B" else found[1]][0] == marker
            ]
            return scheme if all(marked) else scheme.replace("1", "2")
    for scheme in ("iobes", "bilou", "bmes", "bmewo"):
        if letters <= set(SCHEMES[scheme]):
            return scheme
    return None


def test_the_scheme_is_recognised_from_the_whole_file() -> None:
    rng = random.Random(5)
    seen = set()
    for number in range(4000):
        letters = ALPHABETS[number % len(ALPHABETS)]
        sentences = [random_tags(rng, letters, "X") for _ in range(rng.randint(1, 2))]
        kinds = np.bincount(decode(*columns(sentences)).kind, minlength=KINDS)
        found = recognise({t[0] for tags in sentences for t in tags if t != "O"}, kinds)
        assert slow_scheme(sentences) == found
        seen.add(found)
    assert {*SCHEMES, None} == seen


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_encoded_is_legal_and_decodes_to_itself(scheme: str) -> None:
    rng = random.Random(scheme)
    for _ in range(500):
        mentions, at = [], 0
        for _ in range(rng.randint(0, 4)):
            at += rng.choice((0, 0, 1))
            size = rng.randint(1, 3)
            mentions.append((at, at + size - 1, rng.choice("XY")))
            at += size
        touch = [a[1] + 1 == b[0] and a[2] == b[2] for a, b in itertools.pairwise(mentions)]
        if scheme == "io" and any(touch):
            continue
        letters = encode(
            scheme,
            np.array([b - a + 1 for a, b, _ in mentions], np.int64),
            np.array([False, *touch][: len(mentions)], bool),
            np.array([*touch, False][: len(mentions)], bool),
        )
        tags = ["O"] * at
        spread = [(place, label) for a, b, label in mentions for place in range(a, b + 1)]
        for letter, (place, label) in zip(letters, spread, strict=True):
            tags[place] = f"{letter}-{label}"
        assert mentions == slow_mentions(tags)
        assert all(slow_legal(scheme, tags, mention) for mention in mentions)


def test_tags_are_taken_apart_into_prefix_and_label() -> None:
    tagset = interpret(["B-PER", "I-PER", "E-a-b", "S-LOC"])
    assert ["PER", "PER", "a-b", "LOC"] == [tagset.labels[i] for i in tagset.label]
    assert [0, 1, 2, 3] == tagset.prefix.tolist()
    assert frozenset("BIES") == tagset.letters
    assert {} == tagset.bad


@pytest.mark.parametrize(
    ("tags", "scheme", "bad"),
    [
        (["B-PER", "PER"], "auto", {1: WANTED}),
        (["B-PER", "B"], "auto", {1: WANTED}),
        (["B-PER", "I-"], "auto", {1: WANTED}),
        (["B-PER", "X-PER"], "auto", {1: KNOWN}),
        (["B-PER", "-PER"], "auto", {1: WANTED}),
        (["B-PER", "b-PER"], "auto", {}),
        (["B-PER", "e-mail"], "auto", {1: WANTED}),
        (["b-per", "i-per", "FOO"], "auto", {2: WANTED}),
        (["PER-B", "I-PER"], "auto", {0: WANTED}),
        (["B"], "auto", {0: WANTED}),
        (["PER", "B"], "auto", {1: WANTED}),
        (["PER", "X-PER"], "auto", {1: KNOWN}),
        (["PER", "X-"], "auto", {1: WANTED}),
        (["PER", ""], "auto", {1: WANTED}),
        (["PER", "LOC"], "auto", {}),
        (["PER", "X-PER", "B-PER"], "io", {}),
        (["I-PER"], "io", {}),
        (["B-PER", "E-PER"], "iob2", {1: "a prefix of iob2: B I"}),
        (["PER"], "iob2", {0: WANTED}),
        (["U-PER"], "iobes", {0: "a prefix of iobes: B E I S"}),
    ],
)
def test_tags_that_mean_nothing_say_what_was_expected(
    tags: list[str], scheme: str, bad: dict[int, str]
) -> None:
    assert bad == interpret(tags, scheme).bad


def test_a_file_without_prefixes_is_io_with_bare_labels() -> None:
    assert ("LOC", "PER") == interpret(["PER", "LOC"]).labels
    assert ("B-PER", "PER") == interpret(["PER", "B-PER"], "io").labels
    assert ("PER",) == interpret(["I-PER"], "io").labels


@pytest.mark.parametrize(
    ("tags", "prefixes", "labels"),
    [
        (["b-per", "i-per", "o"], "BIO", ["per", "per", ""]),
        (["B_PER", "I-PER", "O"], "BIO", ["PER", "PER", ""]),
        (["PER-B", "PER_i", "LOC-B"], "BIB", ["PER", "PER", "LOC"]),
        (["s_per", "b_per", "i_per", "e_per"], "SBIE", ["per"] * 4),
        (["B-PER", "o"], "BO", ["PER", ""]),
        # One letter is enough if it is B or I, and every tag has it.
        (["B_PER", "B_LOC"], "BB", ["PER", "LOC"]),
        (["B:PER", "I:PER"], "BI", ["PER", "PER"]),
        (["PER/B", "PER/I", "O"], "BI", ["PER", "PER", ""]),
        (["PER-I"], "I", ["PER"]),
        # What does not show that it is a prefix is a part of the label.
        (["S_time", "E_time"], "II", ["S_time", "E_time"]),
        (["hepatitis-B", "DISEASE"], "II", ["hepatitis-B", "DISEASE"]),
        (["B_cell", "T_cell"], "II", ["B_cell", "T_cell"]),
    ],
)
def test_prefixes_are_recognised_in_other_spellings(
    tags: list[str], prefixes: str, labels: list[str]
) -> None:
    tagset = interpret(tags)
    names = [tagset.labels[i] if i >= 0 else "" for i in tagset.label]
    assert (labels, {}) == (names, tagset.bad)
    letters = [LETTERS[each] for each in prefixes if each != "O"]
    assert letters == [p for p, name in zip(tagset.prefix.tolist(), names, strict=True) if name]


@pytest.mark.parametrize("spelling", ["{letter}_{label}", "{label}-{letter}", "{label}_{letter}"])
@pytest.mark.parametrize("scheme", sorted(set(SCHEMES) - {"io"}))
@pytest.mark.parametrize("small", [False, True])
def test_a_tag_means_the_same_in_every_spelling(spelling: str, scheme: str, small: bool) -> None:
    usual = [f"{letter}-{label}" for label in ("PER", "LOC") for letter in SCHEMES[scheme]]
    other = [
        spelling.format(letter=tag[0].lower() if small else tag[0], label=tag[2:]) for tag in usual
    ]
    ours, theirs = interpret(usual), interpret(other)
    assert tuple(range(len(other))) == theirs.respelled
    assert () == ours.respelled
    assert np.array_equal(ours.prefix, theirs.prefix)
    assert np.array_equal(ours.label, theirs.label)
    assert ours[2:5] == theirs[2:5]


def test_labels_are_whole_if_the_scheme_is_given_as_io() -> None:
    assert ("b-per", "i-per") == interpret(["b-per", "i-per"], "io").labels

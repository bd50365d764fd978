"""A generated corpus has the figures that it was calibrated to."""

from __future__ import annotations

import re
from collections import Counter
from math import sqrt
from typing import Any

import pytest

from carob.example.generator import KINDS, Knobs, documents
from carob.example.generator.pages import Kind

FIGURES = {
    "speaker": (0.84, 1.85),
    "location": (0.96, 1.39),
    "stime": (1.0, 2.0),
    "etime": (0.47, 1.9),
}
"""Of the corpus of 485 announcements: share of documents with the slot, mentions in those."""


@pytest.fixture(scope="module")
def seminars() -> list[dict[str, Any]]:
    return list(documents("seminars", 500, 3))


def text_of(document: dict[str, Any], mention: dict[str, Any]) -> str:
    return str(document["text"][mention["start"] : mention["end"]])


@pytest.mark.parametrize("slot", FIGURES)
def test_slots_are_as_frequent_as_in_the_real_corpus(
    seminars: list[dict[str, Any]], slot: str
) -> None:
    counts = [sum(each["label"] == slot for each in doc["mentions"]) for doc in seminars]
    present = [count for count in counts if count]
    share, mean = FIGURES[slot]
    assert abs(len(present) / len(counts) - share) <= 4 * sqrt(share * (1 - share) / len(counts))
    own = sum(present) / len(present)
    variance = sum((count - own) ** 2 for count in present) / len(present)
    assert abs(own - mean) <= 4 * sqrt(variance / len(present)) + 0.005


def test_documents_are_as_long_as_in_the_real_corpus(seminars: list[dict[str, Any]]) -> None:
    lengths = [len(re.findall(r"\w+|[^\w\s]", doc["text"])) for doc in seminars]
    mean = sum(lengths) / len(lengths)
    deviation = sqrt(sum((each - mean) ** 2 for each in lengths) / len(lengths))
    assert abs(mean - 340) <= 4 * deviation / sqrt(len(lengths))


@pytest.mark.parametrize("kind", KINDS)
def test_a_longer_corpus_begins_with_the_shorter_one(kind: str) -> None:
    assert list(documents(kind, 5, 1)) == list(documents(kind, 9, 1))[:5]
    assert list(documents(kind, 4, 1, start=5)) == list(documents(kind, 9, 1))[5:]
    assert list(documents(kind, 5, 1)) != list(documents(kind, 5, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_mentions_are_words_of_the_text_that_do_not_overlap(kind: str) -> None:
    for knobs in (Knobs(), Knobs(noise=0.5, boundary_noise=0.5)):
        for document in documents(kind, 60, 4, knobs):
            assert "{" not in document["text"]
            end = 0
            for mention in document["mentions"]:
                text = text_of(document, mention)
                assert text.strip() == text != ""
                assert end <= mention["start"]
                end = mention["end"]


def test_calls_have_the_eleven_slots_of_pascal() -> None:
    labels = {each["label"] for doc in documents("calls", 60) for each in doc["mentions"]}
    assert set(Kind.load("calls").slots) == labels
    assert 11 == len(labels)


def test_every_form_of_a_filler_in_a_document_is_of_one_person(
    seminars: list[dict[str, Any]],
) -> None:
    for document in seminars[:100]:
        names = [text_of(document, each).upper().replace("\n", " ").split(",")[0].split(" ")[-1]
                 for each in document["mentions"] if each["label"] == "speaker"]  # fmt: skip
        assert len(set(names)) <= 1, names


def test_most_names_were_never_seen_before(seminars: list[dict[str, Any]]) -> None:
    halves = [
        {text_of(doc, each) for doc in half for each in doc["mentions"]
         if each["label"] == "speaker"}
        for half in (seminars[:250], seminars[250:])
    ]  # fmt: skip
    assert len(halves[1] & halves[0]) < 0.2 * len(halves[1])


def test_names_times_and_places_occur_that_are_no_fillers(seminars: list[dict[str, Any]]) -> None:
    for pattern in (r"\b\d{1,2}:\d\d", r"(?:Dr|Prof)\. [A-Z]"):
        marked = missed = 0
        for document in seminars[:200]:
            spans = [(each["start"], each["end"]) for each in document["mentions"]]
            for match in re.finditer(pattern, document["text"]):
                inside = any(start <= match.start() < end for start, end in spans)
                marked, missed = marked + inside, missed + (not inside)
        assert missed > 0.2 * marked


def families_by_year(drift: float) -> list[Counter[str]]:
    counts: list[Counter[str]] = [Counter(), Counter()]
    for document in documents("seminars", 240, 7, Knobs(drift=drift, reposts=0)):
        late = document["attributes"]["date"] >= "1995"
        counts[late][document["attributes"]["family"]] += 1
    return counts


def test_layouts_depend_on_the_date_if_there_is_drift() -> None:
    distances = [
        sum(abs(early[name] / early.total() - late[name] / late.total()) for name in early | late)
        for early, late in map(families_by_year, (0.0, 0.5, 1.0))
    ]
    assert distances[0] < 0.4 < distances[1] < distances[2]


def test_families_can_be_limited() -> None:
    every = {doc["attributes"]["family"] for doc in documents("seminars", 80)}
    two = {doc["attributes"]["family"] for doc in documents("seminars", 80, 0, Knobs(families=2))}
    assert (6, {"fields", "form"}) == (len(every), two)

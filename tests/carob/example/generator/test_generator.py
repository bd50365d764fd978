"""A generated corpus is a function of its seed, and has the figures that it was calibrated to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from carob import UsageError, diff, read
from carob.cli import main
from carob.corpus.corpus import Corpus
from carob.example.generator import KINDS, Knobs, documents
from carob.example.generator.pages import Kind
from carob_lab import generate
from carob_lab.plan.near_duplicates import NearDuplicates

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
def test_the_same_seed_gives_the_same_bytes_whatever_the_hash_seed(kind: str) -> None:
    code = f"from carob.cli import main; main(['generate', '{kind}', '--documents', '20'])"
    outputs = [
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed},
                       capture_output=True, check=True).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert outputs[0] == outputs[1]
    assert 20 == outputs[0].count(b"\n")


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


def test_reposts_are_the_near_duplicates_and_their_group_is_an_attribute() -> None:
    corpus = generate("seminars", 400, 5, reposts=0.2)
    groups: dict[str | None, list[int]] = {}
    for row in range(len(corpus)):
        groups.setdefault(corpus.documents.attributes["group"][row], []).append(row)
    several = [rows for rows in groups.values() if len(rows) > 1]
    assert sorted(several) == sorted(NearDuplicates()(corpus))
    assert abs(len(corpus) - len(groups) - 80) <= 4 * sqrt(400 * 0.2 * 0.8)
    texts = {corpus.words(row)[0] for row in range(400)}
    assert len(texts) > 395  # hardly any is a mere copy


def mentions(corpus: Corpus) -> Counter[Any]:
    return Counter((doc.id, each) for doc in corpus for each in map(repr, doc.mentions))


@pytest.mark.parametrize("knob", ["noise", "boundary_noise"])
def test_more_noise_keeps_the_texts_and_the_errors_of_less_noise(knob: str) -> None:
    knobs: list[dict[str, Any]] = [{knob: x} for x in (0.0, 0.1, 0.2, 0.4)]
    clean, *noisy = (generate("seminars", 80, 6, **each) for each in knobs)
    right = [mentions(clean) & mentions(each) for each in noisy]
    assert right[0] > right[1] > right[2]
    shares = [each.total() / len(clean.mentions) for each in right]
    assert all(abs(share - 1 + x) < 0.06 for share, x in zip(shares, (0.1, 0.2, 0.4), strict=True))
    assert not any(diff(clean, each).texts for each in noisy)
    if knob == "boundary_noise":
        assert set(diff(clean, noisy[0]).counts) >= {"moved"}
        assert diff(clean, noisy[0]).counts["relabelled"] == 0


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "seminar"}, "no kind of corpus is called 'seminar'; did you mean seminars?"),
        ({"count": 0}, "cannot generate 0 documents; expected 1 to 1,000,000"),
        ({"noise": 1.5}, "noise is a share from 0 to 1, not 1.5"),
        ({"drift": float("nan")}, "drift is a share from 0 to 1, not nan"),
        ({"families": 7}, "families is 1 to 6 for seminars, not 7"),
    ],
)
def test_wrong_knobs_are_refused_in_words(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        generate(**arguments)
    assert str(caught.value).startswith(message)


def test_the_command_writes_a_corpus_and_a_pool_without_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "talks.jsonl"
    assert (
        main(["generate", "seminars", "-o", str(file), "--documents", "4", "--unlabelled", "3"])
        == 0
    )
    assert f"wrote 4 documents to {file}\n" in capsys.readouterr().err
    corpus, pool = read(file), read(tmp_path / "talks.unlabelled.jsonl")
    assert (4, 3, 0) == (len(corpus), len(pool), len(pool.mentions))
    assert ("seminar-00005", "seminar-00006", "seminar-00007") == pool.documents.id
    assert main(["generate", "seminars", "--unlabelled", "3"]) == 2
    assert "documents without mentions are a second file: give -o" in capsys.readouterr().err
    assert main(["generate", "seminars", "-o", str(tmp_path / "no" / "x.jsonl")]) == 2
    assert "cannot write to" in capsys.readouterr().err

"""A generated corpus is a function of its seed; the knobs do what they say."""

from __future__ import annotations

import os
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
from carob.example.generator import KINDS
from carob_lab import generate
from carob_lab.plan.near_duplicates import NearDuplicates


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

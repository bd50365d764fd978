"""Large files are read at the same time, to the same corpora and the same errors as one by one."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, UsageError
from carob.corpus.source import Source
from carob.evaluate import read as reading
from carob.evaluate.read import corpora, read, read_all
from carob.formats.conll import Conll

FILES = 5


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Some files whose sentences and tags differ."""
    rng, found = np.random.default_rng(0), []
    for number in range(FILES):
        tags = rng.choice(["O", "B-PER", "I-PER", "B-LOC"], 5000)
        lines = [f"word{i % 50} {tag}\n" + "\n" * (i % 9 == 0) for i, tag in enumerate(tags)]
        found.append(tmp_path / f"{number}.conll")
        found[-1].write_text("".join(lines))
    return found


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """All files are large, there are four processors; a number for each thread."""
    asked: list[int] = []

    class Watched(threading.Thread):
        def start(self) -> None:
            asked.append(len(asked) + 1)
            super().start()

    monkeypatch.setattr(threading, "Thread", Watched)
    monkeypatch.setattr(reading, "LARGE", 1)
    monkeypatch.setattr(reading, "_processors", lambda: 4)
    monkeypatch.setattr(Conll, "compiled", True)
    return asked


def told(corpus: Corpus) -> list[Any]:
    documents, mentions = corpus.documents, corpus.mentions
    columns = (documents.hash, documents.length, mentions.doc, mentions.start, mentions.end)
    return [column.tolist() for column in columns] + [corpus.labels, corpus.facts, corpus.origin]


def given(*paths: Path, **options: Any) -> list[tuple[Source, Mapping[str, Any]]]:
    return [(Source(path), options) for path in paths]


def test_files_read_at_the_same_time_are_the_same_corpora(
    paths: list[Path], threads: list[int]
) -> None:
    corpora = [each for each in read_all(given(*paths)) if isinstance(each, Corpus)]
    assert threads
    assert [told(read(path)) for path in paths] == [told(corpus) for corpus in corpora]


def test_every_file_has_its_own_error(paths: list[Path], threads: list[int]) -> None:
    for number in (1, 3):
        paths[number].write_text("Ann B-PER\nslept\n")
    results = read_all(given(*paths, format="conll"))
    assert threads
    errors = {i: str(each) for i, each in enumerate(results) if isinstance(each, InputError)}
    assert [1, 3] == list(errors)
    assert all(f"{number}.conll:2" in errors[number] for number in errors)


def test_gold_and_systems_come_in_their_places(paths: list[Path], threads: list[int]) -> None:
    there = Corpus.of("[Ann]PER slept")
    gold, systems = corpora(paths[0], {"a": paths[1], "there": there, "b": str(paths[2])})
    assert threads
    assert told(read(paths[0])) == told(gold)
    assert ["a", "there", "b"] == list(systems)
    assert systems["there"] is there
    assert told(read(paths[2])) == told(systems["b"])
    with pytest.raises(UsageError, match="a corpus or a path is needed, not int"):
        corpora(paths[0], {"a": 3})  # type: ignore[dict-item]


@pytest.mark.parametrize("why", ["small", "one processor", "one file twice", "jsonl", "alone"])
def test_where_it_does_not_pay_files_are_read_one_by_one(
    why: str, paths: list[Path], threads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = given(*paths[:2])
    if why == "small":
        monkeypatch.setattr(reading, "LARGE", 1 << 26)
    elif why == "one processor":
        monkeypatch.setattr(reading, "_processors", lambda: 1)
    elif why == "one file twice":
        files = [files[0], files[0]]
    elif why == "jsonl":
        jsonl = paths[0].with_suffix(".jsonl")
        jsonl.write_text('{"tokens": ["Ann"], "mentions": []}\n')
        files = [files[0], (Source(jsonl), {})]
    else:
        files = files[:1]
    assert len(files) == len(read_all(files))
    assert [] == threads

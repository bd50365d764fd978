"""Whoever watches sees what begins and ends, whatever happens; and no number depends on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from carob import (
    Corpus,
    check,
    compare,
    errors,
    power,
    progress,
    rank,
    read,
    report,
    robust,
    score,
)
from carob.cli import main
from carob.progress import Task, steps, watched
from tests.results import corpora


class Watcher:
    """Notes what begins and ends."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.open: list[Task] = []

    def begin(self, task: Task) -> None:
        self.notes.append(f"+{task.what}")
        self.open.append(task)

    def end(self, task: Task) -> None:
        assert 0 <= task.done() <= task.total
        self.notes.append(f"-{task.what}")
        self.open.remove(task)


@pytest.fixture
def watcher(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watcher]:
    made = Watcher()
    monkeypatch.setattr(progress, "observer", made)
    yield made
    assert [] == made.open


def test_tasks_are_parts_of_others(watcher: Watcher) -> None:
    for _ in steps("ab", "outer"):
        for _ in steps([3, 4], "inner", 7, float):
            pass
        assert ["outer"] == [task.what for task in watcher.open]
    assert ["+outer", "+inner", "-inner", "+inner", "-inner", "-outer"] == watcher.notes


def test_done_is_how_much_is_done(watcher: Watcher) -> None:
    seen = []
    for _ in steps([3, 4], "some", 7, float):
        seen.append(watcher.open[-1].done())
    assert [0, 3] == seen


def test_what_is_broken_off_ends(watcher: Watcher) -> None:
    for _ in steps("ab", "letters"):
        break
    with pytest.raises(KeyboardInterrupt), watched("work", 1, lambda: 0.0):
        raise KeyboardInterrupt
    assert ["+letters", "-letters", "+work", "-work"] == watcher.notes


def test_results_are_the_same_if_watched(watcher: Watcher, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, systems = corpora()
    a, b, _ = systems.values()

    def results() -> list[object]:
        return [
            score(gold, systems, "exact.F1").to_dict(),
            compare(gold, systems, "exact.F1", trials=999).to_dict(),
            robust(gold, systems).to_dict(),
            errors(gold, a, b).to_dict(),
            rank(gold, systems).to_dict(),
            power(gold, [a, b], "exact.F1", simulations=100, trials=99).to_dict(),
            report(gold, systems, "exact.F1").to_dict(),
        ]

    with_watcher = results()
    names = {note[1:] for note in watcher.notes}
    assert names >= {
        "systems", "counting in systems", "event spaces", "gains", "order of attack",
        "submissions", "errors of systems",
    }  # fmt: skip
    assert any(name.startswith("studies of ") for name in names)
    monkeypatch.setattr(progress, "observer", None)
    assert results() == with_watcher
    monkeypatch.setattr(progress, "observer", watcher)


def test_resamples_are_watched(watcher: Watcher) -> None:
    gold, other = (Corpus.of(*[text] * 40) for text in ("[Ann]PER slept", "Ann slept"))
    score(gold, gold, "exact.F1", interval="bca")
    assert ["+resamples", "-resamples"] == watcher.notes
    compare(gold, [gold, other], "exact.R", trials=999)
    assert ["+trials", "-trials"] == watcher.notes[-2:]
    assert 1 == watcher.notes.count("+resamples")


def test_reading_is_watched_in_files_and_folders(
    watcher: Watcher, tmp_path: pytest.TempPathFactory
) -> None:
    folder = tmp_path / "corpus"  # type: ignore[operator]
    folder.mkdir()
    for name in ("a.conll", "b.conll"):
        (folder / name).write_text("Ann B-PER\nslept O\n\n")
    read(folder)
    read(folder / "a.conll")
    check([folder / "a.conll"])
    assert [f"+reading {folder}", f"-reading {folder}"] == watcher.notes[:2]
    assert f"+reading {folder / 'a.conll'}" in watcher.notes
    assert "+files" in watcher.notes


def test_nobody_watches_by_default() -> None:
    assert progress.observer is None
    assert 0 == main(["measures", "-q"])
    assert progress.observer is None

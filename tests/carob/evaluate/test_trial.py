"""A trial counts the same files once more with a suggestion, and says whether it finds more of
gold; what cannot be read or counted again does not help.
"""

from __future__ import annotations

from pathlib import Path

import carob
from carob import Corpus, Options, Recipe
from carob.evaluate.trial import Trial

GOLD, SYSTEM = Corpus.of("[Ann]PER met [Bo]PER"), Corpus.of("[Ann]person met [Bo]human")
EXACT, BOUNDARY = Recipe.parse("exact.F1"), Recipe.parse("boundary.F1")


def trial(*recipes: Recipe, **options: dict[str, str]) -> Trial:
    return Trial((GOLD, SYSTEM), (GOLD, SYSTEM), recipes or (EXACT,), Options(**options))  # type: ignore[arg-type]


def test_new_names_help_if_more_of_gold_is_found() -> None:
    assert trial().maps("mention", {"person": "PER"})
    assert not trial().maps("mention", {"person": "LOC"})
    assert not trial().maps("mention", {})
    assert not trial().maps("relation", {"person": "PER"})  # no recipe counts relations


def test_new_names_come_after_those_that_are_given() -> None:
    given = trial(map={"person": "PER"})
    assert given.maps("mention", {"human": "PER"})
    assert not given.maps("mention", {"person": "PER"})


def test_names_do_not_help_where_labels_do_not_count() -> None:
    assert not trial(BOUNDARY, EXACT).maps("mention", {"person": "PER"})


def test_a_file_is_read_again_with_other_parameters(tmp_path: Path) -> None:
    file = tmp_path / "system.conll"
    file.write_text("Ann B-PER O\nmet O O\nBo B-PER O\n")
    gold = tmp_path / "gold.conll"
    gold.write_text("Ann B-PER\nmet O\nBo B-PER\n")
    files = carob.read(gold), carob.read(file)
    own = Trial((str(gold), str(file)), files, [EXACT], Options())
    assert own.reads("system", tag=1)
    assert not own.reads("system", tag=2)
    assert not own.reads("system", tag=7)  # which cannot be read
    assert not own.reads("system", offsets="inclusive")  # which the format does not have
    assert not own.reads("gold", tag=0, token=1, scheme="io")


def test_what_is_not_a_file_is_not_read_again() -> None:
    assert not trial().reads("system", tag=1)
    pipe = Trial(("-", "-"), (GOLD, SYSTEM), [EXACT], Options())
    assert not pipe.reads("gold", tag=1)

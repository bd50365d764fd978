"""What another version computes differently is known, and is what the changelog says."""

from __future__ import annotations

from pathlib import Path

import pytest

from carob._version import __version__
from carob.evaluate.versions import CHANGES, Maker
from carob.registry import names

CHANGELOG = Path(__file__).parents[3] / "CHANGELOG.md"


def bullets() -> list[tuple[str, str]]:
    """The version and the words of each bullet under "Scores that change" since version 0.1.0."""
    found = []
    for part in CHANGELOG.read_text(encoding="utf-8").split("\n## ")[1:]:
        version = part.partition("\n")[0].partition(",")[0]
        own = part.partition("\n### Scores that change\n")[2].partition("\n### ")[0]
        for bullet in f"\n{own}".split("\n- ")[1:]:
            found.append((version, " ".join(bullet.split())))
    return [each for each in found if each[0] != "0.1.0"]


def test_scores_that_change_are_those_of_the_changelog() -> None:
    """A new bullet needs a `Change` with its words, so that `carob verify` knows of it."""
    assert sorted(bullets()) == sorted((each.since, each.words) for each in CHANGES)


def test_every_change_says_what_it_changes() -> None:
    spaces = set(names("match"))
    for each in CHANGES:
        assert each.spaces or each.keys, each
        assert each.spaces <= spaces


def test_the_versions_before_this_one_are_older() -> None:
    assert Maker.of({"karat": "0.1.0"}).is_older
    assert Maker.of({"carob": "0.2.0"}).is_older
    assert not Maker.of({"carob": __version__}).is_older
    assert not Maker.of({"carob": "99.0.0"}).is_older
    assert [] == Maker.of({"carob": __version__}).changes()


@pytest.mark.parametrize("version", [None, 3, "x", "1", "0.2", "0.2.0b", "0.2.0.0", ""])
def test_what_is_no_version_is_known_as_none(version: object) -> None:
    maker = Maker.of({"carob": version})
    assert (False, False, []) == (maker.is_known, maker.is_older, maker.changes())


def test_a_score_whose_definition_changed_is_named_with_the_line_of_the_changelog() -> None:
    first, second = Maker("karat", "0.1.0"), Maker("carob", "0.2.0")
    reason = first.changed_score("oas.F1")
    assert reason is not None
    assert reason.startswith("changed in 0.2.0: `oas`: of several templates that answer a slot ")
    assert (None, None) == (first.changed_score("exact.F1"), second.changed_score("oas.F1"))
    assert first.changed_key("low") is not None
    assert first.changed_key("value") is None


def test_all_changes_that_may_be_the_reason_are_named() -> None:
    guessed = Maker("carob", "0.2.0", {"format": "records/records"})
    reason = guessed.changed_score("fields.F1")
    assert reason is not None
    lead, *bullets = reason.split("\n- ")
    assert "changed in 0.3.0, by one or more of these changes:" == lead
    assert any(each.startswith("`fields` and `record` without a task") for each in bullets)
    assert not any("JSON Schema" in each for each in bullets)
    by_task = Maker("carob", "0.2.0", {"task": "sha256=1f2e3d4c"}).changed_score("fields.F1")
    assert by_task is not None
    assert "JSON Schema" in by_task
    assert "without a task" not in by_task

"""The example of a task definition in the documentation is one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import carob
from carob.evaluate._fillers import Slot
from carob.registry import builtin

PAGE = Path(__file__).parent.parent.parent / "docs" / "task.md"


def example() -> str:
    found = re.search(r"^```toml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None
    return found[1]


@pytest.mark.skipif("oads" not in builtin("match"), reason="no slot spaces")
def test_the_example_loads(tmp_path: Path) -> None:
    file = tmp_path / "task.toml"
    file.write_text(example(), "utf-8")
    task = carob.Task.read(file)
    assert ("Seminar announcements", "test", "exact") == (task.name, task.part, task.match)
    assert 10 == len(task.recipes)
    assert Slot("any", "one") == task.slots["place.room"]


def test_the_example_has_every_key_there_is() -> None:
    from carob.evaluate._task_file import KEYS, SLOT_KEYS, TABLES

    values = tomllib.loads(example())
    assert set(TABLES) == set(values)
    for table, keys in KEYS.items():
        assert set(keys) == set(values[table])
    assert set(SLOT_KEYS) == set(values["slots"]["stime"])

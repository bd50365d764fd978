"""Entry points are those that importlib.metadata finds, without the time that it takes to load."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from carob import CarobError, entry_points
from carob.entry_points import EntryPoint

GROUP = "carob.test-group"


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The path, of which nothing is remembered before and after."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    entry_points._files.cache_clear()
    yield sys.path
    entry_points._files.cache_clear()


def package(folder: Path, name: str, *lines: str, ending: str = "dist-info") -> str:
    """A folder with an installed package, to be put on the path."""
    info = folder / f"{name}.{ending}"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.partition('-')[0]}\n")
    (info / "entry_points.txt").write_text("\n".join(lines))
    return str(folder)


def found(group: str = GROUP) -> dict[str, str]:
    return {name: entry.value for name, entry in entry_points.entry_points(group).items()}


@pytest.mark.parametrize(
    "group", ["commands", "learn", "charts", "verify", "check", "demo", "measure"]
)
def test_what_is_installed_is_what_importlib_finds(group: str) -> None:
    theirs = metadata.entry_points(group=f"carob.{group}")
    assert {each.name: each.value for each in theirs} == found(f"carob.{group}")


def test_a_group_ends_at_the_next_and_remarks_are_left_out(tmp_path: Path, path: list[str]) -> None:
    path.append(package(
        tmp_path, "other-1.0", "[carob.other]", "x = other:X", "", f"[{GROUP}]", "# b = other:B",
        " c=other:C ", "d = other:D [extra]", "e.f = other", "", "[console_scripts]", "g = other:G",
    ))  # fmt: skip
    assert {"c": "other:C", "d": "other:D", "e.f": "other"} == found()
    theirs = metadata.entry_points(group=GROUP)
    assert {"c", "d", "e.f"} == {each.name for each in theirs}


def test_of_a_package_that_is_there_twice_the_first_counts(tmp_path: Path, path: list[str]) -> None:
    path += [
        package(tmp_path / "one", "Some.Name-1.0", f"[{GROUP}]", "a = one:A"),
        package(tmp_path / "two", "some_name", f"[{GROUP}]", "b = two:B", ending="egg-info"),
    ]
    assert {"a": "one:A"} == found()


def test_packages_in_a_zip_file_are_found_too(tmp_path: Path, path: list[str]) -> None:
    package(tmp_path / "site", "other-1.0", f"[{GROUP}]", "a = other:A")
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as file:
        for each in sorted((tmp_path / "site").rglob("*")):
            file.write(each, each.relative_to(tmp_path / "site"))
    path.append(str(tmp_path / "site.zip"))
    assert {"a": "other:A"} == found()
    assert "other" == entry_points.entry_points(GROUP)["a"].package


def test_a_name_has_one_meaning(tmp_path: Path, path: list[str]) -> None:
    path.append(package(tmp_path / "one", "one-1.0", f"[{GROUP}]", "a = one:A"))
    with pytest.raises(CarobError) as caught:
        entry_points.entry_points(GROUP, {"a": "carob.a"})
    assert (
        "the plugin one:A is called 'a', as is carob.a; give it another name, or uninstall it"
    ) == str(caught.value)
    path.append(package(tmp_path / "two", "two-1.0", f"[{GROUP}]", "a = two:A"))
    entry_points._files.cache_clear()
    with pytest.raises(CarobError, match="two:A is called 'a', as is the plugin one:A"):
        found()


def test_what_an_entry_point_stands_for_is_imported() -> None:
    assert entry_points is EntryPoint("x", "carob.entry_points", "carob").load()
    load = EntryPoint("x", "carob.entry_points:EntryPoint.load", "carob").load()
    assert EntryPoint.load is load

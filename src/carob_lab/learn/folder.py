"""A model as a folder: JSON for words and settings, an npz file for arrays. Nothing in it runs.

A model may come from a stranger. So arrays are read without pickle, every value is asked for with
its kind, and whatever is wrong with the files becomes one error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.corpus.problems import InputError, Problem, UsageError, shown

SETTINGS = "model.json"
ARRAYS = "arrays.npz"
LARGEST = 1 << 32
"""The most bytes that the arrays of a model may take."""


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """What a model wrote: settings by name, arrays by name. Each is asked for with its kind."""

    folder: Path
    settings: Mapping[str, Any]
    arrays: Mapping[str, Any] = field(default_factory=dict)

    def wrong(self, found: str, expected: str, file: str = SETTINGS) -> InputError:
        """The error that something in the folder is not what a model of this kind has."""
        return InputError([Problem("K911", str(self.folder / file), None, found, expected)])

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.settings.get(name)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.wrong(f"{name} = {shown(repr(value))}", "a list of texts")
        return tuple(value)

    def number(self, name: str) -> float:
        """A finite number."""
        value = self.settings.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300:
            raise self.wrong(f"{name} = {shown(repr(value))}", "a number")
        return value

    def slots(self) -> tuple[str, ...]:
        """The slots of the model: at least one, each once."""
        slots = self.texts("slots")
        if not slots or len(set(slots)) < len(slots) or not all(slots):
            raise self.wrong(f"slots = {shown(repr(list(slots)))}", "different slots, one or more")
        return slots

    def floats(self, name: str, shape: Sequence[int | None]) -> FloatArray:
        """An array of finite numbers; a None in `shape` is any length."""
        array = self._array(name, shape, "f")
        if not np.isfinite(array).all():
            raise self.wrong(f"{name} with infinite values", "finite numbers", ARRAYS)
        return np.asarray(array, np.float64)

    def integers(self, name: str, shape: Sequence[int | None], low: int, high: int) -> IntArray:
        """An array of whole numbers from `low` up to, but not including, `high`."""
        array = self._array(name, shape, "iu")
        if array.size and not low <= int(array.min()) <= int(array.max()) < high:
            raise self.wrong(f"{name} with other values", f"numbers in {low}..{high - 1}", ARRAYS)
        return np.asarray(array, np.int64)

    def _array(self, name: str, shape: Sequence[int | None], kinds: str) -> Any:
        array = self.arrays.get(name)
        if array is None:
            raise self.wrong(f"no array {name}", "all arrays of this kind of model", ARRAYS)
        fits = len(array.shape) == len(shape) and all(
            wanted in (None, size) for size, wanted in zip(array.shape, shape, strict=True)
        )
        if not fits or array.dtype.kind not in kinds:
            found = f"{name}: {array.dtype} of shape {array.shape}"
            wanted = " x ".join("any" if size is None else str(size) for size in shape)
            what = "numbers" if kinds == "f" else "whole numbers"
            raise self.wrong(found, f"{what} of shape {wanted}", ARRAYS)
        return array


def write_folder(
    folder: Path, settings: Mapping[str, Any], arrays: Mapping[str, Any] | None = None
) -> None:
    """Write the parts of a model; equal models give equal bytes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     write_folder(Path(name), {"slots": ["speaker"]}, {"w": np.zeros(2)})
    ...     saved = read_folder(Path(name))
    ...     saved.slots(), saved.floats("w", [2]).tolist()
    (('speaker',), [0.0, 0.0])
    """
    text = json.dumps(settings, ensure_ascii=False, indent=1, sort_keys=True)
    try:
        (folder / SETTINGS).write_text(text + "\n", encoding="utf-8", errors="surrogatepass")
        if arrays is not None:
            with (folder / ARRAYS).open("wb") as file:
                np.savez(file, allow_pickle=False, **dict(sorted(arrays.items())))
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from None


def read_folder(folder: Path) -> Saved:
    """The parts of a model, checked as far as that goes without knowing its kind."""
    saved = Saved(folder, read_json(folder / SETTINGS))
    path = folder / ARRAYS
    if not path.exists():
        return saved
    try:
        return Saved(folder, saved.settings, _arrays(path))
    # What can be wrong with a zip file of arrays is raised as any of these, and more.
    except Exception as error:
        what = f"{type(error).__name__}: {error}"[:200]
        raise saved.wrong(f"a file that cannot be read ({what})", "arrays", ARRAYS) from None


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object, or one error."""
    folder = Saved(path.parent, {})
    expected = "a JSON object, as carob train writes it"
    try:
        value = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
    except FileNotFoundError:
        raise folder.wrong("no such file", "the folder of a model", path.name) from None
    except OSError as error:
        raise folder.wrong(f"{error.strerror or error}", expected, path.name) from None
    except (ValueError, RecursionError) as error:
        raise folder.wrong(f"no JSON ({error})", expected, path.name) from None
    if not isinstance(value, dict):
        raise folder.wrong(f"a {type(value).__name__}", expected, path.name)
    return value


def _arrays(path: Path) -> dict[str, Any]:
    import zipfile  # slow to load

    with zipfile.ZipFile(path) as file:
        size = sum(each.file_size for each in file.infolist())
    if size > LARGEST:
        raise ValueError(f"{size:,} bytes of arrays, at most {LARGEST:,} are read")
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}

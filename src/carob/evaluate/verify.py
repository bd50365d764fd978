"""Recompute a stored result from its signatures and files: the proof that a signature is complete.

Nothing but the signature says how: the recipe, how files are read, which labels count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from carob._version import __version__
from carob.corpus.problems import InputError, Problem, UsageError, shown
from carob.corpus.source import Source
from carob.evaluate.read import read
from carob.evaluate.score import score
from carob.registry import load
from carob.result import signature

_SCORED = ("value", "low", "high", "left_out")
_SAID = ("recipe", "format", "map", "labels", "zero", "extra", "tokenizer", "interval", "by",
         "gold", "system")  # fmt: skip


def verified(path: str | os.PathLike[str]) -> tuple[int, list[str]]:
    """How many numbers were compared, and a sentence for each that differs.

    >>> import tempfile
    >>> from carob.evaluate import demo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = demo.written(Path(folder))
    ...     result = Path(folder) / "result.json"
    ...     _ = result.write_text(score(files[2], files[1], "exact.F1").to_json())
    ...     verified(result)
    (34, [])
    """
    stored = _loaded(path)
    folder = Path(path).parent
    checked, differences = 0, []
    if stored.get("carob") != __version__:
        differences.append(f"made by carob {stored.get('carob')}, this is {__version__}")
    for system in stored["systems"]:
        groups: dict[str, list[Mapping[str, Any]]] = {}
        for each in system["scores"]:
            said = signature.fields(each["signature"])
            if said.get("carob") != __version__:
                differences.append(
                    f"{system['name']} {each['recipe']}: made by carob {said.get('carob')}, "
                    f"this is {__version__}"
                )
            said.pop("recipe", None)
            groups.setdefault(signature.compose(said), []).append(each)
        for line, scores in groups.items():
            said = signature.fields(line)
            ruled = _task(stored, said, folder)
            count, found = _group(stored["gold"], system, said, scores, folder, ruled)
            checked += count
            differences += found
    return checked, differences


def _loaded(path: str | os.PathLike[str]) -> Any:
    source = Source(path)
    try:
        stored = json.loads(b"".join(source.blocks()))
    except (ValueError, RecursionError) as error:
        raise source.failure("K901", f"no JSON ({error})", "a result of carob score") from None
    try:
        for system in stored["systems"]:
            for each in system["scores"]:
                signature.fields(each["signature"])
                each["recipe"], each["value"], each["by_label"], each["counts"]
                missing = [key for key in _SAID if key not in signature.fields(each["signature"])]
                if missing:
                    raise KeyError(f"{missing[0]} in a signature")
            system["name"], system["path"], system["sha256"], system["coverage"]
            if not system["scores"]:
                raise KeyError("scores")
        if not stored["systems"]:
            raise KeyError("systems")
        stored["gold"]["path"], stored["gold"]["sha256"]
    except (TypeError, KeyError, AttributeError) as error:
        what = error.args[0] if isinstance(error, KeyError) else "what a result has"
        found = f"JSON without {what}"
        raise source.failure("K902", found, "a result of carob score --format json") from None
    return stored


def _group(
    gold: Mapping[str, Any],
    system: Mapping[str, Any],
    said: Mapping[str, str],
    scores: list[Mapping[str, Any]],
    folder: Path,
    ruled: Any = None,
) -> tuple[int, list[str]]:
    """All scores of a system that differ in nothing but the recipe."""
    ours, theirs = (
        read(_file(each, said[side], side, folder), **_reading(said, place))
        for place, (side, each) in enumerate((("gold", gold), ("system", system)))
    )
    labels = None if said["labels"] == "union" else signature.unwords(said["labels"])
    if "slots" in said and said["labels"] == "none":  # fillers, and no mention at all
        labels = []
    pairs = [] if said["map"] == "none" else signature.unwords(said["map"])
    again = score(
        ours,
        {"system": theirs},
        [signature.fields(each["signature"])["recipe"] for each in scores],
        labels=labels,
        slots=signature.unwords(said["slots"]) if "slots" in said else None,
        map=dict(pair.split("=", 1) for pair in pairs),
        zero_division=said["zero"],
        extra_docs=said["extra"],
        **_drawing(said),
        tokenizer="auto" if said["tokenizer"] == "none" else said["tokenizer"],
        task=ruled,
    ).to_dict()
    where = str(system["name"])
    made = again["systems"][0]
    count, found = _compared(f"{where} coverage", system["coverage"], made["coverage"])
    for side in ("documents", "mentions", "templates", "fillers"):
        if side not in gold and side not in again["gold"]:
            continue
        more = _compared(f"gold {side}", gold.get(side), again["gold"].get(side))
        count, found = count + more[0], found + more[1]
    for old, new in zip(scores, made["scores"], strict=True):
        for key in (*_SCORED, "counts", "by_label"):
            more = _compared(f"{where} {old['recipe']} {key}", old.get(key), new[key])
            count, found = count + more[0], found + more[1]
        if old["recipe"] != new["recipe"]:
            found.append(f"{where} recipe: {old['recipe']}, by the signature {new['recipe']}")
        if old["signature"] != new["signature"]:
            found.append(f"{where} {old['recipe']} signature: {old['signature']}, recomputed "
                         f"{new['signature']}")  # fmt: skip
    return count, found


def _file(stored: Mapping[str, Any], said: str, side: str, folder: Path) -> Source:
    """The file of a result: where it was, or where it is beside the result."""
    path = str(stored["path"])
    if path in ("", "-"):
        what = "standard input" if path else "memory"
        raise UsageError(f"{side} came from {what}, so its numbers cannot be recomputed")
    place = Path(path)
    if not place.exists() and (folder / path).exists():
        place = folder / path
    elif not place.exists() and (folder / place.name).exists():
        place = folder / place.name
    source = Source(place)
    if source.sha256 != stored["sha256"] or said != f"sha256={source.sha256[:8]}":
        kind = "task that was scored by" if side == "the task" else "file that was scored"
        raise InputError([Problem("K903", source.name, None, f"sha256 {source.sha256[:8]}…",
                                  f"{said}, the {kind}")])  # fmt: skip
    return source


def _task(stored: Mapping[str, Any], said: Mapping[str, str], folder: Path) -> Any:
    """The task definition that a signature names; None if it names none."""
    if "task" not in said:
        return None
    try:
        file = {"path": stored["task"]["path"], "sha256": stored["task"]["sha256"]}
        part = said["part"]
    except (TypeError, KeyError) as error:
        raise UsageError(f"the result names a task and has no {error.args[0]} of it") from None
    from carob.evaluate.task import Task

    return Task.read(_file(file, said["task"], "the task", folder).path, part)


def _reading(said: Mapping[str, str], place: int) -> dict[str, Any]:
    """The arguments of carob.read for one side, from the signature alone."""
    sides = {key: value.split("/") for key, value in said.items()}
    own = {key: parts[place] if len(parts) == 2 else parts[0] for key, parts in sides.items()}
    own = {key: value for key, value in own.items() if value != "none"}
    told = getattr(load("formats", own["format"]), "told", None)
    return {"format": own["format"]} | (told(own) if told else {})


def _drawing(said: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of carob.score that say how intervals were made, from the signature alone."""
    name, *parts = said["interval"].split(",")
    found: dict[str, Any] = {"resample_by": said["by"]}
    if "strata" in said:
        found["strata"] = signature.unwords(said["strata"])[0]
    if name == "none":
        return found | {"resamples": 0}
    found["interval"] = name
    if not parts:
        return found
    resamples, _, seed = ",".join(parts).partition(",seed=")
    if not (resamples.isdecimal() and seed.isdecimal()):
        raise UsageError(f"found interval:{said['interval']}, expected interval:NAME,N,seed=N")
    return found | {"resamples": int(resamples), "seed": int(seed)}


def _compared(where: str, old: Any, new: Any) -> tuple[int, list[str]]:
    """Every number on both sides, however deep; they must be the same to the last digit."""
    if isinstance(old, dict) and isinstance(new, dict):
        count = 0
        found: list[str] = []
        for key in dict.fromkeys([*old, *new]):
            more = _compared(f"{where} {key}", old.get(key), new.get(key))
            count, found = count + more[0], found + more[1]
        return count, found
    if old == new and type(old) is type(new):
        return 1, []
    return 1, [f"{where}: stored {shown(repr(old))[1:-1]}, recomputed {new!r}"]

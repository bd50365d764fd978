"""Recompute a stored result from its signatures and files: the proof that a signature is complete.

Nothing but the signature says how: the recipe, how files are read, which labels count.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from carob._version import __version__
from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, Problem, UsageError, many, plain, shown
from carob.corpus.source import Source
from carob.entry_points import entry_points
from carob.evaluate.by_confidence import by_confidence
from carob.evaluate.compare import compare
from carob.evaluate.options import ConfidenceOptions
from carob.evaluate.read import read, read_system
from carob.evaluate.run import parse_recipes
from carob.evaluate.score import score
from carob.plugin import hook
from carob.recipe import spell
from carob.registry import load
from carob.result import signature
from carob.result.result import Rows, Tabular, checksum, json_data

OLD = ("karat", "0.1.0")
"""The name and version of the first release. Its scores are the same, its random draws are not."""

DRAWN = frozenset({
    "low", "high", "p", "p_holm", "significant", "detectable", "rank_low", "rank_high", "cluster",
})  # fmt: skip
"""What depends on random draws."""

_KEYS = ("recipe", "format", "map", "labels", "zero", "extra", "tokenizer", "interval", "by",
         "gold", "system")  # fmt: skip
"""What every signature has."""


_EXPECTED = "a result of carob score, compare or errors --by-confidence, --format json"


@dataclass(repr=False)
class Verification(Tabular):
    """How many numbers were recomputed, and a sentence for each that differs.

    >>> print(Verification(3))
    verified: 3 numbers recomputed, all equal
    """

    checked: int = 0
    differences: list[str] = field(default_factory=list)
    not_compared: int = 0
    """Intervals and p values of an older version, which drew differently."""

    row_columns: ClassVar[tuple[str, ...]] = ("difference",)

    def compare(self, where: str, old: Any, new: Any, *, draws: bool = True) -> None:
        """Every number on both sides, however deep: they must be the same to the last digit.
        Without `draws`, what depends on random draws is left out.
        """
        if isinstance(old, dict) and isinstance(new, dict):
            for key in dict.fromkeys([*old, *new]):
                if key in DRAWN and not draws:
                    self.not_compared += 1
                else:
                    self.compare(f"{where} {key}", old.get(key), new.get(key), draws=draws)
            return
        self.checked += 1
        if old != new or type(old) is not type(new):
            stored = shown(repr(old))[1:-1]
            self.differences.append(f"{where}: stored {stored}, recomputed {new!r}")

    def rows(self) -> Rows:
        """A row for each difference."""
        return [{"difference": each} for each in self.differences]

    def __str__(self) -> str:
        lines = list(self.differences)
        if lines:
            lines.append(
                f"not verified: {many(len(lines), 'difference')}, "
                f"{self.checked:,} numbers recomputed"
            )
        else:
            lines.append(f"verified: {self.checked:,} numbers recomputed, all equal")
        if self.not_compared:
            lines.append(
                f"not compared: {self.not_compared:,} intervals, p values and ranks, made by "
                f"{' '.join(OLD)}, which drew differently"
            )
        return "\n".join(lines)


def verify(path: str | os.PathLike[str]) -> Verification:
    """Recompute a result of `carob score`, `carob compare` or `carob errors --by-confidence` that
    was stored as JSON; or a file of another kind, which an installed package knows: of carob_lab,
    all numbers of an experiment from the answers beside its manifest.

    >>> import tempfile
    >>> from carob.evaluate import demo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = demo.write(Path(folder))
    ...     result = Path(folder) / "result.json"
    ...     _ = result.write_text(score(files[2], files[1], "exact.F1").to_json())
    ...     verify(result).differences
    []
    """
    for kind in entry_points("carob.verify").values():
        brought: Verification | None = kind.load()(path)
        if brought is not None:
            return brought
    stored = _Stored.of(path)
    verification = Verification()
    if stored.made_by not in (OLD, ("carob", __version__)):
        verification.differences.append(
            f"made by {' '.join(map(str, stored.made_by))}, this is carob {__version__}"
        )
    try:
        if "comparisons" in stored.content:
            _verify_comparison(stored, verification)
        elif "curves" in stored.content:
            _verify_acceptance(stored, verification)
        else:
            _verify_scores(stored, verification)
    except UsageError as error:  # whatever was asked, the result asked it
        raise stored.failure(f"what cannot be recomputed ({error})") from None
    same = stored.content.get("checksum") == checksum(stored.content)
    if not same and stored.made_by != OLD and not verification.differences:
        verification.differences.append(
            "the numbers are right, but the result is not as it was written: its checksum differs"
        )
    return verification


@dataclass(frozen=True)
class _Stored:
    """A stored result, whose shape is checked, and the folder it is in."""

    content: Mapping[str, Any]
    source: Source

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> _Stored:
        source = _file_or_folder(Source(path))
        try:
            content = json.loads(source.content())
        except (ValueError, RecursionError) as error:
            raise source.failure("K901", f"no JSON ({error})", _EXPECTED) from None
        stored = cls(content, source)
        try:
            _check_shape(content)
        except UsageError as error:
            raise stored.failure(f"a signature that is none ({error})") from None
        except (TypeError, KeyError, AttributeError) as error:
            what = error.args[0] if isinstance(error, KeyError) else "what a result has"
            raise stored.failure(f"JSON without {what}") from None
        return stored

    def failure(self, found: str) -> InputError:
        """The error that this is no result."""
        return self.source.failure("K902", found, _EXPECTED)

    @property
    def folder(self) -> Path:
        """Where the result is."""
        return Path(self.source.path).parent

    @property
    def made_by(self) -> tuple[str, Any]:
        """The name and version of the program that made the result."""
        name = OLD[0] if OLD[0] in self.content else "carob"
        return name, self.content.get(name)

    @property
    def same_draws(self) -> bool:
        """Whether this version draws as the one that made the result."""
        return self.made_by[0] != OLD[0]

    def compare_signatures(self, where: str, old: str, new: str, into: Verification) -> None:
        """Whole lines; the new one must begin with the name and version that made the result."""
        expected = "{}:{}|".format(*self.made_by) + new.partition("|")[2]
        if old != expected:
            into.differences.append(f"{where} signature: {old}, recomputed {expected}")

    def read(self, fields: Mapping[str, str], side: str, file: Mapping[str, Any]) -> Corpus:
        """A file of the result, read as the signature says."""
        source = _source(file, fields[side], side, self.folder)
        if side == "system":
            return read_system(source, _reading(fields, 1))
        return read(source, **_reading(fields, 0))

    def options(self, fields: Mapping[str, str]) -> dict[str, Any]:
        """The options of the run, from the signature alone."""
        labels = None if fields["labels"] == "union" else signature.unwords(fields["labels"])
        if "slots" in fields and fields["labels"] == "none":  # fillers, and no mention at all
            labels = []
        pairs = [] if fields["map"] == "none" else signature.unwords(fields["map"])
        if not all("=" in pair for pair in pairs):
            raise UsageError(f"found map:{fields['map']}, expected map:OLD=NEW")
        return {
            "labels": labels,
            "slots": signature.unwords(fields["slots"]) if "slots" in fields else None,
            "map": dict(pair.split("=", 1) for pair in pairs),
            "zero_division": fields["zero"],
            "extra_docs": fields["extra"],
            "words": fields.get("words", "count"),
            "align": fields.get("align", "none"),
            "tokenizer": "auto" if fields["tokenizer"] == "none" else fields["tokenizer"],
            "task": self._task(fields),
            **_drawing(fields),
        }

    def _task(self, fields: Mapping[str, str]) -> Any:
        """The task definition that a signature names; None if it names none."""
        if "task" not in fields:
            return None
        try:
            file = {key: self.content["task"][key] for key in ("path", "sha256")}
            part = fields["part"]
        except (TypeError, KeyError) as error:
            raise UsageError(f"the result names a task and has no {error.args[0]} of it") from None
        from carob.evaluate.task import Task

        return Task.read(_source(file, fields["task"], "the task", self.folder).path, part)


def _check_shape(content: Any) -> None:
    """Raise a KeyError or TypeError if this is no result, a UsageError if a signature is none."""
    if not content["systems"]:
        raise KeyError("systems")
    whole = "comparisons" in content or "curves" in content
    lines = [content["signature"]] if whole else []
    for system in content["systems"]:
        _check_texts(system, "name", "path", "sha256")
        if not whole:
            system["coverage"].keys()
            if not system["scores"]:
                raise KeyError("scores")
            for each in system["scores"]:
                _check_texts(each, "recipe", "signature")
                each["value"], each["by_label"].keys(), each["counts"].keys()
                lines.append(each["signature"])
    if len({system["name"] for system in content["systems"]}) < len(content["systems"]):
        raise KeyError("different names of systems")
    for each in content.get("comparisons", ()):
        _check_texts(each, "a", "b", "recipe")
        each["label"], each["difference"]
    for part in ("ranks", "agreement"):
        for each in content.get(part, ()):
            each.keys()
    for curve in content.get("curves", ()):
        _check_texts(curve, "system")
        for each in (row for part in _CURVE for row in curve[part]):
            each.keys()
    for line in lines:
        fields = signature.fields(line)
        missing = [key for key in _KEYS if key not in fields]
        if missing:
            raise KeyError(f"{missing[0]} in a signature")
    _check_texts(content["gold"], "path", "sha256")
    if "gate" in content:
        _check_conditions(content["gate"]["conditions"], "comparisons" in content)


def _check_texts(node: Any, *keys: str) -> None:
    for key in keys:
        if not isinstance(node[key], str):
            raise KeyError(f"a text as {key}")


def _check_conditions(conditions: Any, compared: bool) -> None:
    """The conditions of a gate: a margin where systems were compared, otherwise floors."""
    if compared:
        if type(conditions["margin"]) not in (int, float):
            raise KeyError("a number as margin")
        return
    _check_texts(conditions, "by")
    if not all(isinstance(floor, str) for floor in conditions["floors"]):
        raise KeyError("texts as floors")


def _verify_scores(stored: _Stored, verification: Verification) -> None:
    gold = stored.content["gold"]
    results = []
    for system in stored.content["systems"]:
        name, scores = system["name"], system["scores"]
        lines = [signature.fields(each["signature"]) for each in scores]
        fields = lines[0]  # all scores of a system differ in nothing but the recipe
        recipes = [line["recipe"] for line in lines]
        if len({str(recipe) for recipe in parse_recipes(recipes)}) < len(recipes):
            raise UsageError(f"the same recipe twice in the signatures of {plain(name)}")
        result = score(
            stored.read(fields, "gold", gold),
            {name: stored.read(fields, "system", system)},
            recipes,
            **stored.options(fields),
        )
        results.append(result)
        again = result.to_dict()
        made = again["systems"][0]
        verification.compare(f"{name} coverage", system["coverage"], made["coverage"])
        for key in ("documents", "mentions", "templates", "fillers"):
            if key in gold or key in again["gold"]:
                verification.compare(f"gold {key}", gold.get(key), again["gold"].get(key))
        for old, new in zip(scores, made["scores"], strict=True):
            where = f"{name} {old['recipe']}"
            keys = ("value", "low", "high", "left_out", "counts", "by_label")
            both = ({key: each.get(key) for key in keys} for each in (old, new))
            verification.compare(where, *both, draws=stored.same_draws)
            if old["recipe"] != new["recipe"]:
                verification.differences.append(
                    f"{name} recipe: {old['recipe']}, by the signature {new['recipe']}"
                )
            stored.compare_signatures(where, old["signature"], new["signature"], verification)
    if "gate" in stored.content:
        together = replace(
            results[0],
            systems=tuple(system for result in results for system in result.systems),
            scores=tuple(each for result in results for each in result),
        )
        conditions = stored.content["gate"]["conditions"]
        gate = together.with_floors(conditions["floors"], conditions["by"]).gate
        verification.compare("gate", stored.content["gate"], json_data(gate))


def _verify_comparison(stored: _Stored, verification: Verification) -> None:
    content = stored.content
    fields = signature.fields(content["signature"])
    systems = content["systems"]
    each_fields = [_fields_of_system(fields, i, len(systems)) for i in range(len(systems))]
    test = re.fullmatch(r"randomization,(\d+),seed=(\d+)", fields.get("test", ""))
    if test is None:
        raise UsageError(f"found test:{fields.get('test')}, expected test:randomization,N,seed=N")
    comparison = compare(
        stored.read(each_fields[0], "gold", content["gold"]),
        {
            each["name"]: stored.read(own, "system", each)
            for each, own in zip(systems, each_fields, strict=True)
        },
        list(dict.fromkeys(e["recipe"] for e in content["comparisons"] if e["label"] is None)),
        trials=int(test[1]),
        by_label=any(each["label"] is not None for each in content["comparisons"]),
        **stored.options(each_fields[0]) | {"seed": int(test[2])},
    )
    if "gate" in content:
        comparison = comparison.with_gate(content["gate"]["conditions"]["margin"])
        verification.compare("gate", content["gate"], json_data(comparison.gate))
    again = comparison.to_dict()
    for key in ("seed", "tested"):
        verification.compare(key, content.get(key), again[key])
    for part, keys in (
        ("comparisons", ("a", "b", "recipe", "label")),
        ("ranks", ("recipe", "label", "system")),
        ("agreement", ("first", "second")),
    ):
        olds, news = content.get(part, []), again[part]
        verification.compare(f"number of {part}", len(olds), len(news))
        for old, new in zip(olds, news, strict=False):
            where = " ".join(str(old[key]) for key in keys if old.get(key) is not None)
            both = ({k: v for k, v in each.items() if k != "remarks"} for each in (old, new))
            verification.compare(f"{part} {where}", *both, draws=stored.same_draws)
    stored.compare_signatures("the", content["signature"], again["signature"], verification)


_CURVE = ("points", "wanted", "bins")
"""The tables of a curve."""


def _verify_acceptance(stored: _Stored, verification: Verification) -> None:
    content = stored.content
    fields = signature.fields(content["signature"])
    systems = content["systems"]
    each_fields = [_fields_of_system(fields, i, len(systems)) for i in range(len(systems))]
    (recipe,) = parse_recipes([fields["recipe"]])
    rates, drawn = _thresholds(fields)
    options = stored.options(each_fields[0]) | drawn
    result = by_confidence(
        stored.read(each_fields[0], "gold", content["gold"]),
        {
            each["name"]: stored.read(own, "system", each)
            for each, own in zip(systems, each_fields, strict=True)
        },
        spell(recipe.space),
        error_rates=rates,
        label=next(iter(signature.unwords(fields["label"])), "") if "label" in fields else None,
        bins=getattr(recipe.measure, "bins", 10),
        **{key: value for key, value in options.items()
           if key in ConfidenceOptions.__annotations__},
    )  # fmt: skip
    again = result.to_dict()
    for key in ("space", "label"):
        verification.compare(key, content.get(key), again[key])
    verification.compare("number of curves", len(content["curves"]), len(again["curves"]))
    for old, new in zip(content["curves"], again["curves"], strict=False):
        name = old["system"]
        both = ({k: v for k, v in each.items() if k not in _CURVE} for each in (old, new))
        verification.compare(name, *both)
        for part in _CURVE:
            where = f"{name} {part}"
            verification.compare(f"number of {where}", len(old[part]), len(new[part]))
            for i, (row, made) in enumerate(zip(old[part], new[part], strict=False), 1):
                verification.compare(f"{where} {i}", row, made)
    stored.compare_signatures("the", content["signature"], again["signature"], verification)


def _thresholds(fields: Mapping[str, str]) -> tuple[list[float], dict[str, int]]:
    """The error rates, and how the intervals of thresholds were drawn."""
    found = re.fullmatch(r"(none|[^,]+)(?:,(\d+),seed=(\d+))?", fields.get("thresholds", ""))
    try:
        if found is None:
            raise ValueError
        rates = [] if found[1] == "none" else [float(rate) for rate in found[1].split("+")]
    except ValueError:
        text = fields.get("thresholds")
        raise UsageError(f"found thresholds:{text}, expected thresholds:RATE+...") from None
    return rates, {} if found[2] is None else {"resamples": int(found[2]), "seed": int(found[3])}


def _fields_of_system(fields: Mapping[str, str], place: int, count: int) -> dict[str, str]:
    """The fields of one of several systems, whose values stand in their order where they differ."""
    same = ("recipe", "map", "labels", "slots", "interval", "strata", "test", "label", "thresholds")
    several = {
        key: value.split(",")
        for key, value in fields.items()
        if key not in same and value.count(",") == count - 1
    }
    return {key: several[key][place] if key in several else fields[key] for key in fields}


def _source(stored: Mapping[str, Any], field: str, side: str, folder: Path) -> Source:
    """A file of a result: at its path, or next to the result."""
    path = str(stored["path"])
    if path in ("", "-"):
        what = "standard input" if path else "memory"
        raise UsageError(f"{side} came from {what}")
    places: Sequence[Path] = (Path(path), folder / path, folder / Path(path).name)
    # Path.exists raises an error if a name is too long.
    there = (place for place in places if os.path.exists(place))  # noqa: PTH110
    source = _file_or_folder(Source(next(there, places[0])))
    if source.sha256 != stored["sha256"] or field != f"sha256={source.sha256[:8]}":
        kind = "task that was scored by" if side == "the task" else "file that was scored"
        raise InputError([Problem("K903", source.name, None, f"sha256 {source.sha256[:8]}…",
                                  f"{field}, the {kind}")])  # fmt: skip
    return source


def _file_or_folder(source: Source) -> Source:
    """Refuse a device or a pipe, which may have no end."""
    with suppress(OSError, ValueError):
        mode = os.stat(source.path).st_mode  # noqa: PTH116 (Path cannot hold a zero byte)
        if source.path != "-" and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise source.failure("K001", "a device or a pipe", "a file that can be read")
    return source


def _reading(fields: Mapping[str, str], place: int) -> dict[str, Any]:
    """The arguments of carob.read for gold (0) or the system (1), from the signature alone."""
    sides = {key: value.split("/") for key, value in fields.items()}
    own = {key: parts[place] if len(parts) == 2 else parts[0] for key, parts in sides.items()}
    own = {key: value for key, value in own.items() if value != "none"}
    if "format" not in own:
        raise UsageError("a format is missing in a signature")
    parameters = hook(load("formats", own["format"]), "from_signature")
    try:
        return {"format": own["format"]} | (parameters(own) if parameters else {})
    except (KeyError, ValueError) as error:
        raise UsageError(f"{own['format']} lacks or has a wrong field: {error}") from None


def _drawing(fields: Mapping[str, str]) -> dict[str, Any]:
    """The options of statistics, from the signature alone."""
    name, *parts = fields["interval"].split(",")
    options: dict[str, Any] = {"resample_by": fields["by"]}
    if "strata" in fields:
        options["strata"] = next(iter(signature.unwords(fields["strata"])), "")
    if name == "none":
        return options | {"resamples": 0}
    options["interval"] = name
    if not parts:
        return options
    resamples, _, seed = ",".join(parts).partition(",seed=")
    if not (resamples.isdecimal() and seed.isdecimal()):
        raise UsageError(f"found interval:{fields['interval']}, expected interval:NAME,N,seed=N")
    return options | {"resamples": int(resamples), "seed": int(seed)}

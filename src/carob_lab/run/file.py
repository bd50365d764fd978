"""The experiment file: which corpus, splits, learners and statistics, in TOML."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from carob.corpus.problems import CarobError, RecipeError, TaskError, nearest, shown
from carob.corpus.source import Source
from carob.evaluate.compare import check_trials
from carob.evaluate.options import Options
from carob.evaluate.toml_file import TomlFile, in_words, read_toml
from carob.pair.tokens import TOKENIZERS
from carob.plugin import Learner, hook
from carob.recipe import Recipe, spell
from carob_lab.learn.train import learner_of
from carob_lab.plan.plan import NONE, parse_group
from carob_lab.plan.split import parse_scheme
from carob_lab.report.experiment import RANDOM

ALL = "all"
"""The size of a training set that has all documents."""

COUNTS = ("oas.PRF", "oaod.PRF", "oads.PRF")
"""What every experiment scores: the three ways to count answers."""

STRATEGIES = (RANDOM, "uncertainty", "sequence", "diverse")
"""How active learning picks documents."""

METHODS = ("self-training",)
"""How unlabelled documents are used."""

_TABLES = (
    "corpus", "task", "preprocess", "split", "learner", "curve", "active", "enrich", "stats",
)  # fmt: skip
_ID = re.compile(r"[\w.+-]{1,60}", re.ASCII)
_OWN_KEYS = ("id", "type", "params", "seeds", "external", "tune")


@dataclass(frozen=True)
class Tuning:
    """Which parameters are tried, on an inner split of the training documents."""

    grid: tuple[Mapping[str, Any], ...]
    train: float = 0.8
    recipe: str = "oaod.F1"


@dataclass(frozen=True)
class Entry:
    """A learner of an experiment, under the name that tables show."""

    id: str
    learner: Learner
    seeds: tuple[int, ...] = (0,)
    external: tuple[str, ...] = ()
    """Data from elsewhere that it uses, by name."""
    tuning: Tuning | None = None

    @property
    def text(self) -> str:
        """The learner with all of its parameters."""
        return spell(self.learner, full=True)


@dataclass(frozen=True)
class Active:
    """Active learning: how many documents to begin with, to add each time, and to end with."""

    strategies: tuple[str, ...]
    start: int = 10
    step: int = 10
    until: int = 50
    learners: tuple[str, ...] = ()
    """The ids of the learners; empty for all that say how unsure they are."""


@dataclass(frozen=True)
class Enrichment:
    """Which learners are also given unlabelled documents: those of the splits, or of a file."""

    methods: tuple[str, ...] = METHODS
    learners: tuple[str, ...] = ()
    file: str | None = None


@dataclass(frozen=True)
class Statistics:
    """How the numbers of an experiment are made."""

    recipes: tuple[Recipe, ...] = ()
    resamples: int = 1000
    trials: int | None = None
    seed: int = 0
    by_label: bool = True
    """Whether learners are tested against each other slot by slot, too."""


@dataclass(frozen=True)
class ExperimentFile:
    """Everything that an experiment file says. Paths in it are relative to the file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     path = Path(name) / "experiment.toml"
    ...     _ = path.write_text('[corpus]\\npath = "gold.jsonl"\\n[[learner]]\\ntype = "rote"\\n')
    ...     ExperimentFile.read(path).learners[0].text
    'rote(precision=0.5)'
    """

    folder: Path
    """What its paths are relative to: the folder of the file."""
    text: str
    """The file itself."""
    corpus: str
    learners: tuple[Entry, ...]
    corpus_sha256: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    task: str | None = None
    tokenizer: str = "auto"
    scheme: str = "repeated(train=0.5,n=10)"
    seed: int = 0
    group: str = NONE
    stratify: str = NONE
    plan: str | None = None
    """The file of a plan that exists already."""
    sizes: tuple[int, ...] = ()
    """The sizes of training sets before `all`; empty without a curve."""
    active: Active | None = None
    enrich: Enrichment | None = None
    stats: Statistics = Statistics()

    @classmethod
    def read(cls, path: str | os.PathLike[str], folder: Path | None = None) -> ExperimentFile:
        """Read and check a file. All that is wrong with it is said at once. `folder` is what paths
        are relative to, if the file is a copy from elsewhere.
        """
        source = Source(path)
        file, values = read_toml(source, "an experiment file", "carob run --init CORPUS writes one")
        own = Path(os.fspath(path)).parent if folder is None else folder
        made = _Reader(file, values).experiment(own)
        if file.problems or made is None:
            raise TaskError(file.problems)
        return made

    def path(self, name: str) -> Path:
        """The path of a file that the experiment names."""
        return self.folder / name


class _Reader:
    """Takes values out of the tables of a file; what is wrong becomes a problem of the file."""

    def __init__(self, file: TomlFile, values: Mapping[str, Any]) -> None:
        self.file, self.values = file, values

    def experiment(self, folder: Path) -> ExperimentFile | None:
        """The experiment; None if something is wrong."""
        for name, value in self.values.items():
            if name not in _TABLES:
                self.wrong("K861", (name,), f"the table {shown(name)}", f"a table of an "
                           f"experiment{nearest(name, _TABLES)}")  # fmt: skip
            elif not isinstance(value, list if name == "learner" else dict):
                how = "[[learner]]" if name == "learner" else f"[{name}]"
                self.wrong("K862", (name,), f"{name} = {in_words(value)}", f"a table: {how}")
        if self.file.problems:
            return None
        learners = self.learners()
        names = [entry.id for entry in learners]
        corpus = self.table("corpus", path=TEXT, sha256=SHA256, read=TABLE)
        if "path" not in corpus and not self.file.problems:
            self.wrong("K861", ("corpus",), "no corpus", 'path = "…" in [corpus]')
        task = self.table("task", file=TEXT)
        preprocess = self.table("preprocess", tokenizer=_choice("auto", *TOKENIZERS))
        split = self.table(
            "split", scheme=TEXT, seed=COUNT, group=TEXT, stratify=TEXT, file=TEXT
        )  # fmt: skip
        self.check_split(split)
        curve = self.table("curve", sizes=SIZES)
        active = self.table(
            "active", strategies=_choices(*STRATEGIES), start=POSITIVE, step=POSITIVE,
            until=POSITIVE, learners=_choices(*names),
        )  # fmt: skip
        self.check_active(active, learners)
        enrich = self.table(
            "enrich", methods=_choices(*METHODS), learners=_choices(*names), file=TEXT
        )
        stats = self.table(
            "stats", recipes=TEXTS, resamples=COUNT, trials=POSITIVE, seed=COUNT, by_label=FLAG
        )
        statistics = self.statistics(stats)
        if self.file.problems:
            return None
        wanted = active.pop("strategies", ())
        return ExperimentFile(
            folder, self.file.text, corpus["path"], tuple(learners), corpus.get("sha256"),
            corpus.get("read", {}), task.get("file"), preprocess.get("tokenizer", "auto"),
            split.get("scheme", ExperimentFile.scheme), split.get("seed", 0),
            split.get("group", NONE), split.get("stratify", NONE), split.get("file"),
            tuple(each for each in curve.get("sizes", ()) if each != ALL),
            # Without the control, nobody could say whether a strategy helps.
            None if "active" not in self.values
            else Active(tuple(dict.fromkeys((RANDOM, *wanted))), **_tuples(active)),
            None if "enrich" not in self.values else Enrichment(**_tuples(enrich)),
            statistics,
        )  # fmt: skip

    def wrong(self, code: str, path: tuple[str, ...], found: str, expected: str) -> None:
        """Add a problem."""
        self.file.wrong(code, path, found, expected)

    def table(self, name: str, **kinds: Kind) -> dict[str, Any]:
        """The values of a table, of the right kinds."""
        return self.checked(self.values.get(name, {}), (name,), f"[{name}]", kinds)

    def checked(
        self, values: Mapping[str, Any], path: tuple[str, ...], where: str,
        kinds: Mapping[str, Kind],
    ) -> dict[str, Any]:  # fmt: skip
        """The values of a table that are of the right kinds; the others are problems."""
        made = {}
        for key, value in values.items():
            if key not in kinds:
                expected = f"a key of {where}{nearest(key, list(kinds))}"
                self.wrong("K861", (*path, key), f"the key {shown(key)}", expected)
            elif not kinds[key][0](value):
                self.wrong("K862", (*path, key), f"{key} = {in_words(value)}", kinds[key][1])
            else:
                made[key] = value
        return made

    def learners(self) -> list[Entry]:
        """The learners, each with an id of its own."""
        entries: list[Entry] = []
        tables = self.values.get("learner", [])
        if not tables:
            self.wrong("K861", (), "no learner", "[[learner]] with a type, such as perceptron")
        for number, table in enumerate(tables, 1):
            if not isinstance(table, dict):
                self.wrong("K862", ("learner",), in_words(table), "a table: [[learner]]")
                continue
            if (entry := self.learner(table, number)) is None:
                continue
            if entry.id in [each.id for each in entries]:
                self.wrong("K862", ("learner",), f"two learners called {shown(entry.id)}",
                           "an id for each")  # fmt: skip
            entries.append(entry)
        return entries

    def learner(self, table: Mapping[str, Any], number: int) -> Entry | None:
        """One learner. What is no key of every learner is a parameter, as argv of a program is."""
        kinds = {"id": ID, "type": TEXT, "params": TABLE, "seeds": SEEDS, "external": TEXTS,
                 "tune": TABLE}  # fmt: skip
        own = {key: value for key, value in table.items() if key in _OWN_KEYS}
        checked = self.checked(own, ("learner",), "[[learner]]", kinds)
        name = checked.get("type")
        if name is None:
            if "type" not in table:
                self.wrong("K861", ("learner",), f"learner {number} without a type",
                           'type = "…"; carob learners lists them')  # fmt: skip
            return None
        parameters = {key: value for key, value in table.items() if key not in _OWN_KEYS}
        parameters |= checked.get("params", {})
        try:
            learner = learner_of(name, _parameters(parameters))
            tuning = self.tuning(checked["tune"], learner) if "tune" in checked else None
        except CarobError as error:
            self.wrong("K862", ("learner",), f"the learner {shown(name)}", f"another one: {error}")
            return None
        return Entry(
            checked.get("id", learner.name), learner, tuple(checked.get("seeds", (0,))),
            tuple(checked.get("external", ())), tuning,
        )  # fmt: skip

    def tuning(self, table: Mapping[str, Any], learner: Learner) -> Tuning | None:
        """What is tried on an inner split. Anything outside of training documents is refused."""
        kinds = {"on": TEXT, "grid": TABLE, "recipe": TEXT}
        checked = self.checked(table, ("learner",), "tune", kinds)
        inner = re.fullmatch(r"inner(?:\(train=(0?\.\d+)\))?", checked.get("on", "inner"))
        if inner is None:
            self.wrong(
                "K863", ("learner",), f"tune on {shown(checked['on'])}",
                "inner(train=0.8), a part of the training documents: parameters that are chosen "
                "on test documents make their scores meaningless",
            )  # fmt: skip
            return None
        grid = checked.get("grid", {})
        if not grid or not all(isinstance(each, list) and each for each in grid.values()):
            self.wrong("K862", ("learner",), f"grid = {in_words(grid)}",
                       "a list of values for each parameter: { c2 = [0.01, 0.1, 1] }")  # fmt: skip
            return None
        tried: list[dict[str, Any]] = [{}]
        for key, some in grid.items():
            tried = [{**before, key: value} for before in tried for value in some]
        for parameters in tried[:100]:
            learner_of(learner, _parameters(parameters))
        if len(tried) > 100:
            self.wrong("K862", ("learner",), f"a grid of {len(tried):,} combinations",
                       "at most 100")  # fmt: skip
        recipe = checked.get("recipe", Tuning.recipe)
        Recipe.parse(recipe)
        return Tuning(tuple(tried), float(inner[1] or 0.8), recipe)

    def check_active(self, active: Mapping[str, Any], learners: Sequence[Entry]) -> None:
        """Can the learners pick documents? Some cannot say how unsure they are."""
        able = [entry.id for entry in learners if hook(entry.learner, "knows_uncertainty")]
        for name in active.get("learners", ()):
            if name not in able:
                self.wrong("K862", ("active", "learners"), f"the learner {shown(name)}",
                           "one that says how unsure it is, such as perceptron")  # fmt: skip
        if "active" in self.values and not able and learners:
            self.wrong("K862", ("active",), "no learner that says how unsure it is",
                       "one that does, such as perceptron")  # fmt: skip

    def check_split(self, split: Mapping[str, Any]) -> None:
        """Are scheme and groups known? A plan that exists already has both."""
        if "file" in split:
            for key in ("seed", "group", "stratify"):
                if key in split:
                    self.wrong("K862", ("split", key), f"{key} beside a plan",
                               "file alone: the plan has it")  # fmt: skip
            if split.get("scheme", "file") != "file":
                self.wrong("K862", ("split", "scheme"), f"scheme = {in_words(split['scheme'])} "
                           "beside a plan", 'scheme = "file", or no scheme')  # fmt: skip
            return
        for key, parse in (("scheme", parse_scheme), ("group", parse_group)):
            try:
                if key in split:
                    parse(split[key])
            except CarobError as error:
                found = f"{key} = {in_words(split[key])}"
                self.wrong("K862", ("split", key), found, f"a valid {key}: {error}")

    def statistics(self, table: Mapping[str, Any]) -> Statistics:
        """How numbers are made; the three counts of answers are always among the recipes."""
        recipes: list[Recipe] = []
        for text in table.get("recipes", ()):
            try:
                recipes += Recipe.expand(text)
            except RecipeError as error:
                self.wrong("K862", ("stats", "recipes"), shown(text), f"a recipe: {error}")
        values = {key: value for key, value in table.items() if key != "recipes"}
        made = Statistics(tuple(recipes), **values)
        for key, check in (
            ("resamples", lambda: Options(resamples=made.resamples)),
            ("trials", lambda: check_trials(made.trials)),
        ):
            try:
                check()
            except CarobError as error:
                self.wrong("K862", ("stats", key), in_words(table[key]), str(error))
        return made


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value
            for key, value in values.items()}  # fmt: skip


def _parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for `learner_of`: numbers and flags as their text, which it converts."""
    return {
        key: str(value).lower() if isinstance(value, (bool, int, float)) else value
        for key, value in values.items()
    }


Kind = tuple[Callable[[Any], object], str]
"""Whether a value is of this kind, and what is expected."""


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 31


def _list_of(right: Callable[[Any], object]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(right, value))


def _choice(*names: str) -> Kind:
    return (lambda value: value in names), f"one of {', '.join(names)}"


def _choices(*names: str) -> Kind:
    return (
        lambda value: _list_of(lambda each: each in names)(value) and len(value) > 0,
        f"a list of some of {', '.join(names)}",
    )


def _are_sizes(value: Any) -> bool:
    """Ascending whole numbers, and `all` at the end, if it is there."""
    if not isinstance(value, list) or not value:
        return False
    numbers: Sequence[Any] = value[:-1] if value[-1] == ALL else value
    return all(_is_count(each) and each > 0 for each in numbers) and list(numbers) == sorted(
        set(numbers)
    )


TEXT: Kind = (lambda value: isinstance(value, str) and value.strip(), "a text in quotes")
TEXTS: Kind = (_list_of(lambda each: isinstance(each, str)), "a list of texts")
TABLE: Kind = (lambda value: isinstance(value, dict), "a table: { key = value }")
FLAG: Kind = (lambda value: isinstance(value, bool), "true or false")
COUNT: Kind = (_is_count, "a whole number of 0 or more")
POSITIVE: Kind = (lambda value: _is_count(value) and value > 0, "a whole number of 1 or more")
SEEDS: Kind = (
    lambda value: _list_of(_is_count)(value) and 0 < len(value) == len(set(value)),
    "a list of different whole numbers, like [0, 1, 2]",
)
SIZES: Kind = (_are_sizes, 'ascending numbers of documents, like [10, 20, 50, "all"]')
SHA256: Kind = (
    lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value),
    "64 hexadecimal digits in quotes",
)
ID: Kind = (
    lambda value: isinstance(value, str) and _ID.fullmatch(value),
    "a short name of letters, digits and . _ + -",
)

"""A plan: the splits of a corpus, with the procedure that made them, in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from carob.corpus.corpus import Corpus
from carob.corpus.problems import (
    InputError,
    Problem,
    Problems,
    UsageError,
    many,
    nearest,
    plain,
    repeated,
    shown,
)
from carob.corpus.source import Source
from carob.evaluate.run import origin_of
from carob.evaluate.task import Task
from carob.recipe import parse_component, spell
from carob_lab.plan.near_duplicates import NearDuplicates
from carob_lab.plan.split import PARTS, Pool, Split, attribute, parse_scheme

NONE = "none"
"""The rule for groups, or the attribute of strata, if there is none."""

VERSION = 1
"""Of the file; a new one if its meaning changes."""

_KEYS: Mapping[str, tuple[type[Any], str]] = {
    "plan": (int, f"{VERSION}, the version of the file"),
    "corpus": (dict, "an object with sha256 and documents"),
    "scheme": (str, "a text"),
    "seed": (int, "a whole number"),
    "group": (str, "a text"),
    "stratify": (str, "a text"),
    "near_duplicates": (dict, "an object with t and groups"),
    "splits": (list, "a list of splits"),
}
"""The keys of a plan, and the kind of value of each."""

_NEEDED = ("plan", "corpus", "splits")


@dataclass(frozen=True)
class Plan:
    """Splits of one corpus. Each list of ids is in the order in which a learning curve takes them.

    `twins` are the groups of near-duplicates that were found, with their Jaccard index `t`, whether
    they are kept together or not; None if they were not looked for.

    >>> plan = make_plan(Corpus.of("[Ann]PER slept", "Bo woke", "Cy ate"), "kfold(k=3)")
    >>> [len(split.train) for split in plan.splits], plan.scheme
    ([2, 2, 2], 'kfold(k=3)')
    """

    sha256: str
    """Of the corpus, as in a signature."""
    documents: int
    splits: tuple[Split, ...]
    scheme: str = "file"
    seed: int = 0
    group: str = NONE
    stratify: str = NONE
    t: float = 0.5
    twins: tuple[tuple[str, ...], ...] | None = None
    path: str = field(default="plan", compare=False, repr=False)

    def twins_in_training(self, split: Split) -> list[str]:
        """The test documents that have a near-duplicate among the training documents.

        >>> corpus = Corpus.of("a b c d e", "A B C D E", "f g", "h i")
        >>> plan = make_plan(corpus, "kfold(k=4)")
        >>> [plan.twins_in_training(split) for split in plan.splits]
        [['2'], [], [], ['1']]
        """
        train, test = set(split.train), set(split.test)
        return [
            each
            for group in self.twins or ()
            if not train.isdisjoint(group)
            for each in group
            if each in test
        ]

    def to_dict(self) -> dict[str, Any]:
        """As the file has it."""
        twins = {} if self.twins is None else {
            "near_duplicates": {"t": self.t, "groups": [list(group) for group in self.twins]}
        }  # fmt: skip
        return {
            "plan": VERSION,
            "corpus": {"sha256": self.sha256, "documents": self.documents},
            "scheme": self.scheme,
            "seed": self.seed,
            "group": self.group,
            "stratify": self.stratify,
            **twins,
            "splits": [
                {"name": split.name} | {
                    part: list(ids) for part, ids in split.parts.items()
                    if ids or part in PARTS[:2]
                }
                for split in self.splits
            ],
        }  # fmt: skip

    def to_json(self) -> str:
        """The text of the file."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file. A plan is never rewritten: another one of this name is an error."""
        target, text = Path(path), self.to_json().encode("utf-8", "backslashreplace")
        try:
            if target.exists() and target.read_bytes() != text:
                raise UsageError(
                    f"{plain(str(target))} exists with another plan, and a plan is never "
                    "rewritten; give another name, or delete it"
                )
            target.write_bytes(text)
        except OSError as error:
            raise UsageError(f"cannot write {plain(str(target))}: {error.strerror}") from None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan. Whether it is one of a corpus is another question: see `check_plan`.

        >>> import tempfile
        >>> plan = make_plan(Corpus.of("[Ann]PER slept", "Bo woke"), "holdout")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     plan.write(f"{folder}/plan.json")
        ...     Plan.read(f"{folder}/plan.json") == plan
        True
        """
        source = Source(path)
        problems = Problems(source.name)
        values = _values(source, problems)
        problems.check()
        found = values.get("near_duplicates")
        splits = [
            Split(split["name"], *(tuple(split.get(part, ())) for part in PARTS))
            for split in values["splits"]
        ]
        return cls(
            values["corpus"]["sha256"], values["corpus"]["documents"], tuple(splits),
            values.get("scheme", "file"), values.get("seed", 0), values.get("group", NONE),
            values.get("stratify", NONE), 0.5 if found is None else float(found["t"]),
            None if found is None else tuple(tuple(group) for group in found["groups"]),
            source.name,
        )  # fmt: skip

    def summary(self) -> str:
        """What a person wants to know: sizes, groups, and twins on both sides."""
        parts = [
            f"{_range([len(split.parts[part]) for split in self.splits])} {what}"
            for part, what in zip(PARTS, _PURPOSES, strict=True)
            if any(split.parts[part] for split in self.splits)
        ]
        lines = [
            f"{many(self.documents, 'document')}, {self.scheme}, seed {self.seed}: "
            f"{many(len(self.splits), 'split')}",
            f"documents of a split: {', '.join(parts)}",
        ]
        if self.group != NONE:
            lines.append(f"kept together: documents of the same group by {plain(self.group)}")
        if self.stratify != NONE:
            lines.append(f"divided one by one: the strata of {plain(self.stratify)}")
        return "\n".join([*lines, *self._twins_in_words()]) + "\n"

    def _twins_in_words(self) -> list[str]:
        if self.twins is None:
            return ["near-duplicates: not looked for, the texts are not known"]
        lead = f"near-duplicates (t={self.t:g})"
        if not self.twins:
            return [f"{lead}: none"]
        count = sum(map(len, self.twins))
        counts = [len(self.twins_in_training(split)) for split in self.splits]
        tests = [len(split.test) for split in self.splits]
        lines = [
            f"{lead}: {count:,} of {many(self.documents, 'document')}, in "
            f"{many(len(self.twins), 'group')}; of the {_range(tests)} test documents of a split, "
            f"{_range(counts)} have a twin in training"
        ]
        if any(counts):
            lines.append(f"to keep them together: --group {NearDuplicates.name}")
        return lines


_PURPOSES = ("to train on", "to test on", "for development", "without labels")


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def make_plan(
    corpus: Corpus,
    scheme: str = "repeated(train=0.5,n=10)",
    seed: int = 0,
    group: str = NONE,
    stratify: str = NONE,
    *,
    task: Task | str | os.PathLike[str] | None = None,
) -> Plan:
    """Divide the documents of a corpus.

    `group` is an attribute of documents or `near-duplicates(t=0.5)`: documents of one group are
    never on both sides. `stratify` is an attribute; each stratum is divided by itself. `task` has
    the parts of the scheme `parts`, and the blind test set of `pascal`.

    >>> make_plan(Corpus.of("Ann slept", "Bo woke", "Cy ate", "Di ran"), "holdout").splits[0].test
    ('4', '1')
    """
    if type(seed) is not int:
        raise UsageError(f"a seed is a whole number, not {seed!r}")
    division = parse_scheme(scheme)
    rule = parse_group(group)
    ids = document_ids(corpus)
    if not ids:
        raise UsageError("a corpus without documents cannot be divided")
    columns = _attributes(corpus, ids)
    parts = {} if task is None else _parts(Task.read(task), corpus)
    strata = None
    if stratify != NONE:
        words = attribute(columns, stratify)
        strata = {each: words[each] or "" for each in ids}
    together, twins = _groups(corpus, ids, rule, columns)
    pool = Pool(ids, seed, together, strata, columns, parts)
    plan = Plan(
        origin_of(corpus).sha256, len(ids), tuple(division(pool)), spell(division, full=True), seed,
        group if isinstance(rule, str) else spell(rule, full=True), stratify,
        rule.t if isinstance(rule, NearDuplicates) else NearDuplicates().t, twins,
    )  # fmt: skip
    problems = Problems("the plan")
    _check_splits(plan, set(ids), together, problems)
    problems.check()
    return plan


def check_plan(plan: Plan, corpus: Corpus) -> None:
    """Refuse a plan that is not one of this corpus, or that does not keep what it promises.

    >>> corpus = Corpus.of("Ann slept", "Bo woke")
    >>> check_plan(make_plan(corpus, "holdout"), corpus)
    >>> check_plan(make_plan(corpus, "holdout"), Corpus.of("Ann slept", "Bo ate"))
    Traceback (most recent call last):
    ...
    carob.corpus.problems.InputError: plan: K844 found ...
    """
    problems = Problems(plan.path)
    sha256 = origin_of(corpus).sha256
    if plan.sha256 != sha256:
        problems.add("K844", None, f"a plan of a corpus with sha256 {plan.sha256}",
                     f"that of {plain(corpus.file_name('the corpus'))}, {sha256}",
                     "find the version that was divided, or make a new plan")  # fmt: skip
        problems.check()
    ids = document_ids(corpus)
    if plan.documents != len(ids):
        problems.add("K844", None, f"a plan of {many(plan.documents, 'document')}",
                     f"one of {len(ids):,}", "is the corpus read as it was?")  # fmt: skip
    rule = parse_group(plan.group)
    together, _ = _groups(corpus, ids, rule, _attributes(corpus, ids))
    _check_splits(plan, set(ids), together, problems)
    problems.check()


def parse_group(text: str) -> NearDuplicates | str:
    """A rule for groups: near-duplicates, or an attribute of documents; `none` is no groups.

    >>> parse_group("near-duplicates(t=0.7)"), parse_group("newsgroup")
    (NearDuplicates(t=0.7), 'newsgroup')
    """
    if not text.strip().startswith(NearDuplicates.name):
        return text
    rule: NearDuplicates = parse_component(text, "group", {NearDuplicates.name: NearDuplicates})
    return rule


def document_ids(corpus: Corpus) -> tuple[str, ...]:
    """The ids of all documents; their numbers in the file if they have none.

    >>> document_ids(Corpus.of("Ann slept", "Bo woke"))
    ('1', '2')
    """
    ids = tuple(corpus.documents.name(row) for row in range(len(corpus)))
    if len(set(ids)) < len(ids):
        twice = f"the document {shown(repeated(ids))} twice"
        file = corpus.file_name("the corpus")
        raise InputError([Problem("K843", file, None, twice, "a different id for each document")])
    return ids


def _attributes(corpus: Corpus, ids: Sequence[str]) -> dict[str, dict[str, str | None]]:
    return {
        name: {each: column[row] for row, each in enumerate(ids)}
        for name, column in corpus.documents.attributes.items()
    }


def _parts(task: Task, corpus: Corpus) -> Mapping[str, Sequence[str]]:
    if corpus.origin is not None:
        task.check_gold(corpus)
    return task.parts


def _groups(
    corpus: Corpus, ids: Sequence[str], rule: NearDuplicates | str,
    columns: Mapping[str, Mapping[str, str | None]],
) -> tuple[list[list[str]], tuple[tuple[str, ...], ...] | None]:  # fmt: skip
    """What stays together, a list for each group; and the groups of near-duplicates."""
    finder = rule if isinstance(rule, NearDuplicates) else NearDuplicates()
    known = any(words is not None for words in corpus.words(0)) if len(corpus) else False
    found = [[ids[row] for row in group] for group in finder(corpus)] if known else []
    twins = tuple(sorted(tuple(sorted(group)) for group in found)) if known else None
    if isinstance(rule, NearDuplicates):
        grouped = [each for group in found for each in group]
        return [*found, *([each] for each in sorted(set(ids) - set(grouped)))], twins
    if rule == NONE:
        return [[each] for each in ids], twins
    words = attribute(columns, rule)
    by_word: dict[tuple[str, str], list[str]] = {}
    for each in ids:  # a document without the attribute is a group by itself
        word = words[each]
        by_word.setdefault(("", each) if word is None else ("word", word), []).append(each)
    return list(by_word.values()), twins


def _check_splits(
    plan: Plan, ids: set[str], groups: Iterable[Sequence[str]], problems: Problems
) -> None:
    """Are all ids known, is each in one list of a split, and is no group on both sides?"""
    for split in plan.splits:
        part_of: dict[str, str] = {}
        where = f"in the split {plain(split.name)}"
        for part, each in ((part, each) for part, some in split.parts.items() for each in some):
            if each not in ids:
                problems.add("K843", None, f"the document {shown(each)} {where}",
                             "a document of the corpus")  # fmt: skip
            if (before := part_of.get(each)) is not None:
                both = f"twice in {part}" if before == part else f"in {before} and in {part}"
                problems.add("K843", None, f"the document {shown(each)} {both} {where}",
                             "each document once")  # fmt: skip
            part_of.setdefault(each, part)
        if plan.group == NONE:
            continue
        for group in groups:
            first: dict[str, str] = {}
            for each in group:
                if each in part_of:
                    first.setdefault(part_of[each], each)
            if len(first) > 1:
                places = " and ".join(f"{shown(each)} in {part}" for part, each in first.items())
                problems.add("K845", None, f"a group of {plain(plan.group)} in several parts "
                             f"{where}: {places}", "each group in one part")  # fmt: skip


def _values(source: Source, problems: Problems) -> dict[str, Any]:
    """The values of a plan's file, checked as far as that is possible without the corpus."""
    try:
        values = json.loads(b"".join(source.blocks()).decode("utf-8-sig"))
    except RecursionError:
        raise source.failure("K841", "JSON that is nested too deeply", "a plan") from None
    except ValueError as error:
        line = getattr(error, "lineno", None)
        found = f"no JSON in UTF-8 ({error})"
        raise InputError([Problem("K841", source.name, line, found, "a plan")]) from None
    if not isinstance(values, dict) or not isinstance(values.get("splits"), list):
        raise source.failure("K842", "JSON without a list of splits", "a plan",
                             "carob split makes one")  # fmt: skip
    for key, value in values.items():
        kind, expected = _KEYS.get(key, (None, ""))
        if kind is None:
            problems.add("K842", None, f"the key {shown(key)}",
                         f"one of a plan{nearest(key, list(_KEYS))}")  # fmt: skip
        elif type(value) is not kind or (key == "plan" and value != VERSION):
            problems.add("K842", None, f"{key} = {shown(json.dumps(value))}", expected)
    for key in _NEEDED:
        if key not in values:
            problems.add("K842", None, f"no key {key}", f"{key}: {_KEYS[key][1]}")
    _check_objects(values, problems)
    return values


def _check_objects(values: Mapping[str, Any], problems: Problems) -> None:
    """The corpus, the near-duplicates and the splits of a plan's file."""
    corpus = values.get("corpus")
    if isinstance(corpus, dict) and not (
        isinstance(corpus.get("sha256"), str) and type(corpus.get("documents")) is int
    ):
        problems.add("K842", None, f"corpus = {shown(json.dumps(corpus))}", _KEYS["corpus"][1])
    found = values.get("near_duplicates")
    if isinstance(found, dict):
        groups = found.get("groups")
        good = isinstance(groups, list) and all(_are_ids(group) for group in groups)
        if not good or type(found.get("t")) not in (int, float):
            problems.add("K842", None, f"near_duplicates = {shown(json.dumps(found))}",
                         "t, a number, and groups, lists of ids")  # fmt: skip
    if not values["splits"]:
        problems.add("K842", None, "no splits", "at least one")
    names: set[str] = set()
    for number, split in enumerate(values["splits"], 1):
        where = f"split {number}"
        if not isinstance(split, dict) or not isinstance(split.get("name"), str):
            problems.add(
                "K842", None, f"{where} without a name", "an object with name, train, test"
            )
            continue
        if split["name"] in names:
            problems.add("K842", None, f"the split {shown(split['name'])} twice", "different names")
        names.add(split["name"])
        for key in split.keys() - {"name", *PARTS}:
            problems.add("K842", None, f"the key {shown(key)} in {where}",
                         f"a list of documents{nearest(key, PARTS)}")  # fmt: skip
        for part in PARTS:
            needed = part in ("train", "test")
            ids = split.get(part, None if needed else [])
            if not _are_ids(ids) or (needed and not ids):
                expected = "a list of ids, at least one" if needed else "a list of ids"
                problems.add("K842", None, f"{part} of {where} = {shown(json.dumps(ids))}",
                             expected)  # fmt: skip


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)

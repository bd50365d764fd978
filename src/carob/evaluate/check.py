"""Everything that is wrong with files, in one pass: a submission can be corrected at once."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from carob import progress
from carob.corpus.archive_reader import unzipped
from carob.corpus.corpus import (
    SLOTS_HINT,
    Corpus,
    fact_remarks,
    same_but_for_case,
    unscored_keys,
)
from carob.corpus.problems import (
    SHOWN,
    InputError,
    Problem,
    UsageError,
    at_most,
    many,
    plain,
    shown,
)
from carob.corpus.source import Source
from carob.evaluate.hypotheses import explanation
from carob.evaluate.read import (
    advised_for,
    is_empty,
    read,
    read_system,
    refuse_answers_in_texts,
    suited,
)
from carob.evaluate.task import Task, line_of_mention
from carob.pair.pair import Pair
from carob.pair.template_types import row_names, slot_labels, typed_as
from carob.registry import load
from carob.result.result import Part, Rows, Tabular
from carob.values.raw import fold

SHORT = {"token": 10, "char": 50}
"""Documents with fewer positions may have the same words by chance."""
_TWICE = "a duplicate is right at most as often as gold has it"


@dataclass(frozen=True)
class FileFindings(Part):
    """How much is wrong with one file, and the first of it: an error, if there is one."""

    file: str
    errors: int = 0
    warnings: int = 0
    first: str = ""

    def __str__(self) -> str:
        parts = [many(self.errors, "error")] * bool(self.errors)
        parts += [many(self.warnings, "warning")] * bool(self.warnings)
        return f"{', '.join(parts)}: {self.first}" if parts else "fine"


@dataclass(frozen=True, repr=False)
class Findings(Tabular):
    """What was found: the first problems of each kind in full, all of them counted by code and by
    file.

    >>> print(Findings(("dev.conll",), (), {}))
    1 file, nothing wrong
    >>> Findings(("dev.conll",), (), {}).to_dict()
    {'files': ['dev.conll'], 'errors': 0, 'warnings': 0, 'counts': {}, 'problems': [], 'by_file': []}
    """  # noqa: E501 (a dict is one line)

    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    counts: Mapping[str, int]
    by_file: tuple[FileFindings, ...] = ()
    against: str = ""
    """The gold file, if there is one."""

    columns: ClassVar[tuple[str, ...]] = (
        "files", "errors", "warnings", "counts", "problems", "by_file",
    )  # fmt: skip
    row_columns: ClassVar[tuple[str, ...]] = (
        "severity", "code", "file", "line", "found", "expected", "hint",
    )  # fmt: skip

    def rows(self) -> Rows:
        """A row for each problem that is kept."""
        return [each.to_dict() for each in self.problems]

    @property
    def errors(self) -> int:
        """How many errors there are; warnings do not count."""
        return sum(count for key, count in self.counts.items() if key.startswith("error"))

    @property
    def warnings(self) -> int:
        """How many warnings there are."""
        return sum(count for key, count in self.counts.items() if key.startswith("warning"))

    def __str__(self) -> str:
        if len(self.files) > 1:
            return self._by_file()
        lines = [str(each) for each in self.problems if not each.warning][:SHOWN]
        lines += [f"warning: {each}" for each in self.problems if each.warning][:SHOWN]
        files = many(len(self.files), "file")
        if not lines:
            return f"{files}, nothing wrong"
        if hidden := self.errors + self.warnings - len(lines):
            lines.append(f"and {hidden:,} more")
        lines.append(f"{files}, {many(self.errors, 'error')}, {many(self.warnings, 'warning')}")
        return "\n".join(lines)

    def _by_file(self) -> str:
        """A line for each file: details of many files would hide each other."""
        width = max(len(plain(each.file)) for each in self.by_file)
        lines = [f"{plain(each.file):<{width}}  {each}" for each in self.by_file]
        bad = [each for each in self.by_file if each.errors]
        total = f"{many(len(self.files), 'file')}, {len(bad):,} with errors"
        if odd := bad or [each for each in self.by_file if each.warnings]:
            gold = ["--against", self.against] if self.against else []
            command = shlex.join(map(plain, ["carob", "check", odd[0].file, *gold]))
            total += f"; to see all that is wrong with one: {command}"
        return "\n".join([*lines, total])


def _without_name(problem: Problem, file: str) -> str:
    """A problem as the line of its file has it, which names the file already."""
    if problem.file != file:
        return str(problem)
    return str(problem).replace(f"{plain(file)}:", "line " if problem.line else "", 1).strip()


class _FullError(Exception):
    """There are more problems than are looked for."""


class _Collector:
    """Collects problems: the first ones in full, all of them counted. Ends after so many."""

    def __init__(self, most: int | None = None) -> None:
        self.problems: list[Problem] = []
        self.counts: dict[str, int] = {}
        self.most = most
        self.by_file: dict[str, FileFindings] = {}
        self.file = ""
        """The file that is looked at."""

    def add(self, problems: Sequence[Problem], total: int | None = None, *, warning: bool) -> None:
        """Add problems; there are `total` of them, of which the first may be given."""
        kind = "warning" if warning else "error"
        self.problems += [replace(problem, warning=warning) for problem in problems[:SHOWN]]
        for problem in problems:
            key = f"{kind} {problem.code}"
            self.counts[key] = self.counts.get(key, 0) + 1
        if total is not None and total > len(problems):
            self.counts[f"{kind} {problems[-1].code}"] += total - len(problems)
        self._add_to_file(problems, max(total or 0, len(problems)), warning=warning)
        if self.is_full:
            raise _FullError

    def _add_to_file(self, problems: Sequence[Problem], count: int, *, warning: bool) -> None:
        own = self.by_file.get(self.file)
        if own is None or not count:
            return
        first = _without_name(problems[0], self.file) if not own.first else own.first
        if warning:
            own = replace(own, warnings=own.warnings + count, first=first)
        else:  # which goes before warnings
            first = first if own.errors else _without_name(problems[0], self.file)
            own = replace(own, errors=own.errors + count, first=first)
        self.by_file[self.file] = own

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return sum(count for key, count in self.counts.items() if key.startswith("error"))

    @property
    def other_words(self) -> int:
        """How many words, few of a file, differ from gold's."""
        return self.counts.get("warning K303", 0)

    def copy(self) -> _Collector:
        """What was collected so far."""
        other = _Collector(self.most)
        other.problems, other.counts = [*self.problems], {**self.counts}
        other.by_file, other.file = {**self.by_file}, self.file
        return other

    def open(self, file: str) -> None:
        """What is added from now on is about this file."""
        self.file = file
        self.by_file.setdefault(file, FileFindings(file))

    @property
    def is_full(self) -> bool:
        """Whether no more problems are looked for."""
        return self.most is not None and sum(self.counts.values()) >= self.most

    def warn(
        self, code: str, file: str, line: int | None, found: str, expected: str, hint: str = ""
    ) -> None:
        """Add a warning."""
        self.add([Problem(code, file, line, found, expected, hint)], warning=True)

    @contextmanager
    def collect(self, *, warning: bool = False) -> Iterator[None]:
        """Add the problems of an error that is raised here."""
        try:
            yield
        except InputError as error:
            self.add(error.problems, error.total, warning=warning)


def check(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    against: str | os.PathLike[str] | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    gold_options: Mapping[str, Any] | None = None,
    task: str | os.PathLike[str] | Task | None = None,
) -> Findings:
    """Look for everything that is wrong with files, by themselves, against gold and for a task.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dev.conll"
    ...     _ = file.write_text("Ann B-PER\\nslept I-LOC\\n")
    ...     [(p.line, p.code, p.warning) for p in check(file).problems]
    [(2, 'K108', True)]
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    every = _Collector()
    gold = definition = None
    if task is not None:
        every.open(task.path if isinstance(task, Task) else os.fspath(task))
        with every.collect():
            definition = Task.read(task)
    if against is not None:
        every.open(os.fspath(against))
        gold = _read(against, gold_options or {}, every)
        if gold is not None and definition is not None:
            with every.collect():
                definition.check_gold(gold)
            _check_slots(definition, gold, every, warning=True)
    inputs = {file for file, own in every.by_file.items() if not own.first}
    for path in progress.steps(several, "files"):
        every.open(os.fspath(path))
        try:
            source = unzipped(os.fspath(path)) or path
        except InputError as error:
            every.add(error.problems, error.total, warning=False)
            continue
        before = every.copy()
        corpus = _read(source, options or {}, every, gold)
        if corpus is not None and gold is not None:
            _check_against(gold, corpus, every)
        wrong = every.errors > before.errors
        if gold is not None and (wrong or every.other_words > before.other_words):
            cause = explanation(gold, _as_source(source), options or {}, corpus)
            if cause is not None:  # instead of all its consequences
                every = before
                every.add([cause], warning=not wrong)
                continue
        if corpus is not None and definition is not None:
            every.add(*definition.without_part(corpus, _path(corpus)), warning=False)
            _check_slots(definition, corpus, every, gold, warning=False)
    files = tuple(os.fspath(path) for path in several)
    shown_files = {*files, *every.by_file} - (inputs - {*files})  # gold that is fine needs no line
    by_file = tuple(own for file, own in every.by_file.items() if file in shown_files)
    gold_file = "" if against is None else os.fspath(against)
    return Findings(files, tuple(every.problems), every.counts, by_file, gold_file)


def check_answer(
    source: Source, inputs: Corpus, task: Task, most: int | None = None
) -> tuple[Findings, Corpus | None]:
    """Look for everything that is wrong with an answer to the public inputs of a task, without
    gold; and the answer itself, if it can be read. No finding can depend on gold, so all may be
    shown to whoever sent the answer. After `most` problems no more are looked for, and there is no
    answer.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from carob.evaluate.draft import draft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "task.toml"
    ...     _ = file.write_text(draft(Corpus.of("[Ann]PER slept")))
    ...     task = Task.read(file)
    >>> inputs = read(Source.of_bytes(b"Ann O\\nslept O\\n", "inputs.conll"))
    >>> answer = Source.of_bytes(b"Ann B-LOC\\nslept O\\n", "answer.conll")
    >>> [(p.line, p.code, p.warning) for p in check_answer(answer, inputs, task)[0].problems]
    [(1, 'K827', False), (1, 'K829', False)]
    """
    every, corpus = _Collector(most), None
    if inputs.origin is not None:  # in messages: the file that everybody has, not where it is here
        name = Path(inputs.origin.path).name
        inputs = replace(inputs, origin=replace(inputs.origin, path=name))
    with suppress(_FullError):
        with at_most(most):
            corpus = _read(source, {}, every, inputs, "the inputs")
        if corpus is not None:
            scored, corpus = task.only_part(inputs, corpus)
            _check_documents(scored, corpus, every, "the inputs")
            _check_slots(task, corpus, every, warning=False)
    corpus = None if every.is_full else corpus
    return Findings((source.name,), tuple(every.problems), every.counts), corpus


def _as_source(path: str | os.PathLike[str] | Source) -> Source:
    return path if isinstance(path, Source) else Source(path)


def _path(corpus: Corpus) -> str:
    return corpus.origin.path if corpus.origin else "gold"


def _read(
    path: str | os.PathLike[str] | Source,
    options: Mapping[str, Any],
    every: _Collector,
    gold: Corpus | None = None,
    side: str = "gold",
) -> Corpus | None:
    """The corpus, if it can be read at all, after a check of the file by itself. An empty file is
    an answer to gold (or to another side), without anything in it.
    """
    try:
        source = _as_source(path)
        if gold is not None and gold.origin is not None and is_empty(source):
            nothing = "nothing of gold" if side == "gold" else f"nothing in {side}"
            found, expected = "an empty file", f"an answer; this one finds {nothing}"
            every.warn("K002", source.name, None, found, expected)
            return read_system(source, suited(source, {"format": gold.origin.format, **options}))
        own = suited(source, options)
        if own["format"] == "records" and not {"format", "raw"} & {*options}:
            refuse_answers_in_texts(source)
        corpus = read(source, **own)
    except InputError as error:
        error = error if gold is None else advised_for("system", error)
        every.add(error.problems, error.total, warning=False)
        return None
    assert corpus.origin is not None
    parameters = {each.name for each in fields(load("formats", corpus.origin.format))}
    if corpus.facts.get("repaired") and corpus.library and {"repair", "scheme"} <= parameters:
        # What was repaired, with its lines: read again, strictly.
        with every.collect(warning=True):
            read(source, **own | {"repair": "strict", "scheme": corpus.origin.parameters["scheme"]})
    _check_alone(corpus, every)
    return corpus


def _check_alone(corpus: Corpus, every: _Collector) -> None:
    """Warn of what is legal and hardly meant: something that is there twice, nothing at all."""
    assert corpus.origin is not None
    path, fillers = corpus.origin.path, len(corpus.templates.fillers)
    if not len(corpus.mentions) and not fillers:
        found = f"no {_items(corpus.origin.format)} at all"
        every.warn("K311", path, None, found, "at least one in the file")
    rows, names = unscored_keys(corpus)
    if rows:
        found = f"keys that jsonl does not know in {many(len(rows), 'document')}: {names}"
        expected = "keys that count; these are kept, nothing more"
        every.warn("K315", path, int(corpus.documents.line[rows[0]]), found, expected, SLOTS_HINT)
    for code, text in fact_remarks(corpus):
        every.warn(code, path, None, text, "a file without")
    for alike in same_but_for_case(corpus.labels):
        found = f"the labels {', '.join(map(plain, alike))}"
        every.warn("K317", path, None, found, "one of them; they differ in case only")
    _check_documents_twice(corpus, path, every)
    if len(corpus.mentions):
        _check_mentions_twice(corpus, path, every)
    if fillers:
        _check_fillers_twice(corpus, path, every)
        _check_places_of_fillers(corpus, path, every)


def _items(format: str) -> str:
    """What a file of this format may hold to be scored.

    >>> _items("conll"), _items("muc"), _items("jsonl")
    ('mention', 'filler', 'mention and no filler')
    """
    holds = load("formats", format).holds
    if not any(each.partition(":")[0] == "templates" for each in holds):
        return "mention"
    return "filler" if "mentions:none" in holds else "mention and no filler"


def _check_places_of_fillers(corpus: Corpus, path: str, every: _Collector) -> None:
    """Warn of fillers whose text is not the text at their place: places may be shifted."""
    fillers, fragments = corpus.templates.fillers, corpus.templates.fillers.fragments
    filler = fillers.filler
    doc = corpus.templates.doc[fillers.template[filler]]
    placed = np.flatnonzero((np.diff(fragments.offsets) > 0) & (fillers.text.codes >= 0))
    problems: list[Problem] = []
    total, row, words = 0, -1, None
    for form in placed.tolist():
        if doc[form] != row:
            row = int(doc[form])
            text, tokens = corpus.words(row)
            words = text if corpus.unit == "char" else tokens
        if words is None:
            continue
        spans = fragments.of(form)
        parts = [words[start:end] for start, end in spans]
        here = " ".join(p if isinstance(p, str) else " ".join(p) for p in parts)
        own = fillers.text[form] or ""
        if "".join(fold(own).split()) == "".join(fold(here).split()):
            continue
        total += 1
        if len(problems) < SHOWN:
            slot = plain(fillers.slot[int(filler[form])] or "")
            found = f"the filler {shown(own)} of the slot {slot} at {spans[0][0]}..{spans[-1][1]}"
            expected = f"{shown(here)}, which stands there"
            line = int(corpus.documents.line[row])
            problems.append(Problem("K316", path, line, found, expected))
    every.add(problems, total, warning=True)


def _check_fillers_twice(corpus: Corpus, path: str, every: _Collector) -> None:
    """Warn of fillers of one slot of one template that have the same text and the same place."""
    fillers = corpus.templates.fillers
    seen = set()
    problems: list[Problem] = []
    columns = fillers.template, fillers.slot.codes, fillers.realisations[:-1]
    for template, slot, form in zip(*(column.tolist() for column in columns), strict=True):
        filler = template, slot, fillers.text[form], fillers.fragments.of(form)
        if filler in seen:
            doc = int(corpus.templates.doc[template])
            text = shown(fillers.text[form] or "without a text")
            found = f"the filler {text} of the slot {plain(fillers.slot.values[slot])} again"
            file, line = corpus.file_name(path, doc), int(corpus.documents.line[doc])
            problems.append(Problem("K312", file, line, found, "each filler once", _TWICE))
        seen.add(filler)
    every.add(problems, warning=True)


def _check_documents_twice(corpus: Corpus, path: str, every: _Collector) -> None:
    """Warn of documents with the same words; short ones, such as sentences, may well be equal."""
    table, least = corpus.documents, SHORT[corpus.unit or "token"]
    rows = np.flatnonzero((table.hash != 0) & (table.length >= least))
    _, first, group = np.unique(table.hash[rows], return_index=True, return_inverse=True)
    again = np.flatnonzero(first[group] != np.arange(len(rows)))
    varied = {
        int(one): _is_varied(corpus, int(rows[one])) for one in np.unique(first[group[again]])
    }
    again = again[[varied[one] for one in first[group[again]].tolist()]]
    if len(again):
        row, other = int(rows[again[0]]), int(rows[first[group[again[0]]]])
        found = f"document {shown(table.name(row))} with the words of {shown(table.name(other))}"
        found += f", and {len(again) - 1:,} more such documents" if len(again) > 1 else ""
        file, line = corpus.file_name(path, row), int(table.line[row])
        every.warn("K330", file, line, found, "each document once", "equal documents count twice")


def _is_varied(corpus: Corpus, row: int) -> bool:
    """Whether a document has several different words: some corpora come without their words."""
    text, tokens = corpus.words(row)
    return len(set(tokens or (text or "").split())) > 3


def _check_mentions_twice(corpus: Corpus, path: str, every: _Collector) -> None:
    """Warn of mentions with the same label and place."""
    table = corpus.mentions
    pair = Pair(table, table, corpus.labels, corpus.documents, corpus.unit or "token")
    key, _ = pair.keys(label=True)
    order = np.argsort(key, kind="stable")
    twice = np.sort(order[1:][key[order][1:] == key[order][:-1]])
    problems = []
    for row in twice[:SHOWN].tolist():
        found = (
            f"the mention {plain(corpus.labels[table.label[row]])} "
            f"{int(table.start[row])}..{int(table.end[row])} again"
        )
        file, line = corpus.file_name(path, int(table.doc[row])), line_of_mention(corpus, row)
        problems.append(Problem("K312", file, line, found, "each mention once", _TWICE))
    every.add(problems, len(twice), warning=True)


def _check_slots(
    task: Task, corpus: Corpus, every: _Collector, gold: Corpus | None = None, *, warning: bool
) -> None:
    """Are the slots of a file those of the task, with as many fillers as it allows? `warning` is
    whether a wrong number of fillers is only a warning.
    """
    path = _path(corpus)
    if task.unknown == "error":
        every.add(task.unknown_slots(corpus, path, gold), warning=False)
    for each in task.violations(corpus, gold=gold):
        code, allowed = "K829" if each.empty else "K828", f"{each.fillers}, as the task says"
        problem = Problem(code, each.path or path, each.line, each.sentence, allowed)
        every.add([problem], warning=warning)


def _check_documents(
    gold: Corpus, system: Corpus, every: _Collector, side: str = "gold"
) -> Pair | None:
    """Are documents, words and sentences those of gold (or of another side)? None if not."""
    path = _path(system)
    try:
        pair = Pair.of(gold, system)
    except InputError as error:
        problems = error.problems
        if side != "gold":  # who answers has no option that leaves documents out
            problems = tuple(replace(p, hint="") if p.code == "K301" else p for p in problems)
        every.add(problems, error.total, warning=False)
        return None
    except UsageError as error:
        expected = f"documents that can be compared with {plain(_path(gold))}"
        every.add([Problem("K308", path, None, str(error), expected)], warning=False)
        return None
    if pair.coverage.get("different_words"):
        with every.collect(warning=True):  # few enough to be scored
            Pair.of(gold, system, words="error")
    if missing := pair.coverage["missing_documents"]:
        found = f"no answer for {many(missing, 'document')}"
        every.warn("K313", path, None, found, f"all documents of {side}; those count as empty")
    return pair


def _check_against(gold: Corpus, system: Corpus, every: _Collector) -> None:
    """Are documents, words and sentences those of gold, and are the labels known there?"""
    path = _path(system)
    pair = _check_documents(gold, system, every)
    if pair is None:
        return
    if len(system.templates):
        _check_slots_of_gold(gold, system, pair, every)
        return
    known = {*gold.labels, *slot_labels(gold)}
    expected = f"a label {'or slot ' if len(gold.templates) else ''}of gold: {_names(known)}"
    rows = zip(system.labels, row_names(typed_as(gold, system), None), strict=True)
    for label in [label for label, row in rows if label not in known and row not in known]:
        row = int(np.flatnonzero(system.mentions.label == system.labels.index(label))[0])
        file = system.file_name(path, int(system.mentions.doc[row]))
        found = f"the label {plain(label)}"
        every.warn("K314", file, line_of_mention(system, row), found, expected)


def _check_slots_of_gold(gold: Corpus, system: Corpus, pair: Pair, every: _Collector) -> None:
    """Warn of slots that gold does not have, with the line of the first filler of each."""
    side, table = pair.filled.system, system.templates
    known = slot_labels(gold)
    for code, label in enumerate(pair.filled.labels):
        rows = np.flatnonzero(side.label == code)
        if label not in known and rows.size:
            doc = int(table.doc[table.fillers.template[side.row[rows[0]]]])
            file, line = system.file_name(_path(system), doc), int(system.documents.line[doc])
            found, expected = f"the slot {plain(label)}", f"a slot of gold: {_names(known)}"
            every.warn("K314", file, line, found, expected)


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(plain, sorted(names))) or "none"

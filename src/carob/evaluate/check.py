"""Everything that is wrong with files, in one pass: what a submission is told before scoring."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from carob.corpus.corpus import SLOTS_HINT, Corpus, unscored_keys
from carob.corpus.problems import SHOWN, InputError, Problem, UsageError, plain, shown
from carob.corpus.source import Source
from carob.evaluate.read import read, suited
from carob.pair.filled import fold
from carob.pair.pair import Pair
from carob.pair.template_types import row_names, slot_labels, typed_as
from carob.registry import load

if TYPE_CHECKING:
    from carob.evaluate.task import Task


@dataclass(frozen=True)
class Findings:
    """What was found: the first problems of each kind in full, all of them counted by code.

    >>> print(Findings(("dev.conll",), (), {}))
    1 file, nothing wrong
    """

    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    counts: Mapping[str, int]

    @property
    def errors(self) -> int:
        """How many errors there are; warnings do not count."""
        return sum(count for key, count in self.counts.items() if key.startswith("error"))

    @property
    def warnings(self) -> int:
        """How many warnings there are."""
        return sum(count for key, count in self.counts.items() if key.startswith("warning"))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it.

        >>> Findings(("dev.conll",), (), {}).to_dict()
        {'files': ['dev.conll'], 'errors': 0, 'warnings': 0, 'counts': {}, 'problems': []}
        """
        return {
            "files": list(self.files),
            "errors": self.errors,
            "warnings": self.warnings,
            "counts": dict(self.counts),
            "problems": [problem.to_dict() for problem in self.problems],
        }

    def to_json(self) -> str:
        """The dict as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def __str__(self) -> str:
        lines = [_told(p) for p in self.problems if not p.warning][:SHOWN]
        lines += [_told(p) for p in self.problems if p.warning][:SHOWN]
        hidden = self.errors + self.warnings - len(lines)
        if hidden:
            lines.append(f"and {hidden:,} more")
        what = "1 file" if len(self.files) == 1 else f"{len(self.files)} files"
        if not lines:
            return f"{what}, nothing wrong"
        return "\n".join([*lines, f"{what}, {_many(self.errors, 'error')}, "
                          f"{_many(self.warnings, 'warning')}"])  # fmt: skip


def _told(problem: Problem) -> str:
    return f"{'warning: ' if problem.warning else ''}{problem}"


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


_NOTHING = {
    "records": "no filler at all", "muc": "no filler at all",
    "jsonl": "no mention and no filler at all",
}  # fmt: skip
"""What a file lacks that could have fillers."""


class _Pile:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.counts: dict[str, int] = {}

    def add(self, problems: Sequence[Problem], total: int | None = None, *, warning: bool) -> None:
        kind = "warning" if warning else "error"
        self.problems += [replace(problem, warning=warning) for problem in problems[:SHOWN]]
        for problem in problems:
            key = f"{kind} {problem.code}"
            self.counts[key] = self.counts.get(key, 0) + 1
        unseen = (len(problems) if total is None else total) - len(problems)
        if unseen > 0:
            key = f"{kind} {problems[-1].code}"
            self.counts[key] += unseen


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
    pile = _Pile()
    gold, ruled = None, _tasked(task, pile)
    if against is not None:
        gold = _looked_at(against, gold_options or {}, pile)
        if gold is not None and ruled is not None:
            _of_task(ruled, gold, pile, gold=True)
    for path in several:
        corpus = _looked_at(path, options or {}, pile)
        if corpus is not None and gold is not None:
            _against(gold, corpus, pile)
        if corpus is not None and ruled is not None:
            _of_task(ruled, corpus, pile, gold=False, against=gold)
    named = [os.fspath(path) for path in several]
    return Findings(tuple(named), tuple(pile.problems), pile.counts)


def _looked_at(
    path: str | os.PathLike[str], options: Mapping[str, Any], pile: _Pile
) -> Corpus | None:
    """The corpus, if it can be read at all; its problems go on the pile."""
    try:
        source = Source(path)
        taken = suited(source, options)
        corpus = read(source, **taken)
    except InputError as error:
        pile.add(error.problems, error.total, warning=False)
        return None
    assert corpus.origin is not None
    if corpus.facts.get("repaired") and corpus.library is not None:
        _illegal(source, corpus, taken, pile)
    _odd(corpus, pile)
    return corpus


def _illegal(source: Source, corpus: Corpus, taken: Mapping[str, Any], pile: _Pile) -> None:
    """What was repaired on reading, with its lines: read again, strictly."""
    assert corpus.origin is not None
    known = {each.name for each in fields(load("formats", corpus.origin.format))}
    if not {"repair", "scheme"} <= known:
        return
    strict = {"repair": "strict", "scheme": corpus.origin.parameters["scheme"]}
    try:
        read(source, **(dict(taken) | strict))
    except InputError as error:
        pile.add(error.problems, error.total, warning=True)


def _odd(corpus: Corpus, pile: _Pile) -> None:
    """What is legal and hardly meant: something that is there twice, nothing at all."""
    assert corpus.origin is not None
    table, name = corpus.mentions, corpus.origin.path
    fillers = len(corpus.templates.fillers)
    if not len(table) and not fillers:
        found = _NOTHING.get(corpus.origin.format, "no mention at all")
        expected = "at least one in the file"
        pile.add([Problem("K311", name, None, found, expected)], warning=True)
    rows, names = unscored_keys(corpus)
    if rows:
        line, many = int(corpus.documents.line[rows[0]]), _many(len(rows), "document")
        found = f"keys that jsonl does not know in {many}: {names}"
        expected = "keys that count; these are kept, nothing more"
        pile.add([Problem("K315", name, line, found, expected, SLOTS_HINT)], warning=True)
    if len(table):
        _mentions_twice(corpus, name, pile)
    if fillers:
        _fillers_twice(corpus, name, pile)
        _fillers_elsewhere(corpus, name, pile)


def _fillers_elsewhere(corpus: Corpus, name: str, pile: _Pile) -> None:
    """Fillers whose text is not what stands at their place: places may be shifted."""
    fillers, fragments = corpus.templates.fillers, corpus.templates.fillers.fragments
    filler = fillers.filler
    doc = corpus.templates.doc[fillers.template[filler]]
    there = np.flatnonzero((np.diff(fragments.offsets) > 0) & (fillers.text.codes >= 0))
    problems: list[Problem] = []
    total, row, words = 0, -1, None
    for form in there.tolist():
        if doc[form] != row:
            row = int(doc[form])
            text, tokens = corpus.library.words(row) if corpus.library else (None, None)
            words = text if corpus.unit == "char" else tokens
        if words is None:
            continue
        parts = [words[start:end] for start, end in fragments.of(form)]
        here = " ".join(p if isinstance(p, str) else " ".join(p) for p in parts)
        own = fillers.text[form] or ""
        if "".join(fold(own).split()) != "".join(fold(here).split()):
            total += 1
            if len(problems) < SHOWN:
                slot = plain(fillers.slot[int(filler[form])] or "")
                start, end = fragments.of(form)[0][0], fragments.of(form)[-1][1]
                found = f"the filler {shown(own)} of the slot {slot} at {start}..{end}"
                expected = f"{shown(here)}, which stands there"
                line = int(corpus.documents.line[row])
                problems.append(Problem("K316", name, line, found, expected))
    if problems:
        pile.add(problems, total, warning=True)


def _fillers_twice(corpus: Corpus, name: str, pile: _Pile) -> None:
    """Fillers of one slot of one template that are the same text at the same place."""
    fillers = corpus.templates.fillers
    first, offsets = fillers.realisations[:-1], fillers.fragments.offsets
    bounds = [np.append(column, -1) for column in (fillers.fragments.start, fillers.fragments.end)]
    placed = offsets[first] < offsets[first + 1]
    place = [np.where(placed, bounds[0][offsets[first]], -1),
             np.where(placed, bounds[1][offsets[first + 1] - 1], -1)]  # fmt: skip
    columns = [fillers.template, fillers.slot.codes, fillers.text.codes[first], *place]
    order = np.lexsort(columns[::-1])
    same = np.logical_and.reduce([c[order][1:] == c[order][:-1] for c in columns])
    twice = np.sort(order[1:][same])
    problems = [
        Problem(
            "K312", corpus.file_name(name, int(corpus.templates.doc[fillers.template[row]])),
            int(corpus.documents.line[corpus.templates.doc[fillers.template[row]]]),
            f"the filler {shown(fillers.text[int(first[row])] or 'without a text')} of the slot "
            f"{plain(fillers.slot[row] or '')} again",
            "each filler once", "a duplicate is right at most as often as gold has it",
        )
        for row in twice[:SHOWN].tolist()
    ]  # fmt: skip
    if problems:
        pile.add(problems, len(twice), warning=True)


def _mentions_twice(corpus: Corpus, name: str, pile: _Pile) -> None:
    table = corpus.mentions
    pair = Pair(table, table, corpus.labels, corpus.documents, corpus.unit or "token")
    key, _ = pair.keys(label=True)
    order = np.argsort(key, kind="stable")
    twice = np.sort(order[1:][key[order][1:] == key[order][:-1]])
    problems = [
        Problem(
            "K312", corpus.file_name(name, int(table.doc[row])), _line(corpus, row),
            f"the mention {plain(corpus.labels[table.label[row]])} "
            f"{int(table.start[row])}..{int(table.end[row])} again",
            "each mention once", "a duplicate is right at most as often as gold has it",
        )
        for row in twice[:SHOWN].tolist()
    ]  # fmt: skip
    if problems:
        pile.add(problems, len(twice), warning=True)


def _line(corpus: Corpus, row: int) -> int:
    doc = int(corpus.mentions.doc[row])
    if corpus.library is None:
        return int(corpus.documents.line[doc])
    return corpus.library.line(doc, int(corpus.mentions.start[row]))


def _path(corpus: Corpus) -> str:
    return corpus.origin.path if corpus.origin else "gold"


def _tasked(task: str | os.PathLike[str] | Task | None, pile: _Pile) -> Task | None:
    """The task definition, if it can be read; its problems go on the pile."""
    if task is None:
        return None
    from carob.evaluate.task import Task

    try:
        return Task.read(task)
    except InputError as error:
        pile.add(error.problems, error.total, warning=False)
        return None


def _of_task(
    task: Task, corpus: Corpus, pile: _Pile, *, gold: bool, against: Corpus | None = None
) -> None:
    """Is this the gold of the task; are its slots those of the task, and rightly filled?"""
    assert corpus.origin is not None
    try:
        if gold:
            task.check_gold(corpus)
    except InputError as error:
        pile.add(error.problems, error.total, warning=False)
    if not gold:
        homeless, total = task.homeless(corpus, corpus.origin.path)
        pile.add(homeless, total, warning=False)
    pile.add(task.strange(corpus, corpus.origin.path, against), warning=False)
    for each in task.violations(corpus, gold=against):
        code, allowed = "K829" if each.empty else "K828", f"{each.fillers}, as the task says"
        problem = Problem(code, each.path or corpus.origin.path, each.line, each.told, allowed)
        pile.add([problem], warning=gold)


def _against(gold: Corpus, system: Corpus, pile: _Pile) -> None:
    """Do the documents, their words and sentences agree, and are the labels those of gold?"""
    assert system.origin is not None
    name = system.origin.path
    try:
        pair = Pair.of(gold, system)
    except InputError as error:
        pile.add(error.problems, error.total, warning=False)
        return
    except UsageError as error:
        expected = f"documents that can be compared with {plain(_path(gold))}"
        pile.add([Problem("K308", name, None, str(error), expected)], warning=False)
        return
    if missing := pair.coverage["missing_documents"]:
        found = f"no answer for {_many(missing, 'document')}"
        expected = "all documents of gold; those count as empty"
        pile.add([Problem("K313", name, None, found, expected)], warning=True)
    known = {*gold.labels, *slot_labels(gold)}
    rows = zip(system.labels, row_names(typed_as(gold, system), None), strict=True)
    strange = [label for label, row in rows if label not in known and row not in known]
    for label in strange if not len(system.templates) else ():
        row = int(np.flatnonzero(system.mentions.label == system.labels.index(label))[0])
        found, there = f"the label {plain(label)}", ", ".join(map(plain, sorted(known)))
        expected = f"a label {'or slot ' if len(gold.templates) else ''}of gold: {there or 'none'}"
        file = system.file_name(name, int(system.mentions.doc[row]))
        pile.add([Problem("K314", file, _line(system, row), found, expected)], warning=True)
    if len(system.templates):
        _strange_slots(gold, system, pair, pile)


def _strange_slots(gold: Corpus, system: Corpus, pair: Pair, pile: _Pile) -> None:
    """Slots of the system that gold does not have, with the line of the first filler of each."""
    assert system.origin is not None
    side, table = pair.filled.system, system.templates
    known = slot_labels(gold)
    there = ", ".join(map(plain, known)) or "none"
    for code, label in enumerate(pair.filled.labels):
        rows = np.flatnonzero(side.label == code)
        if label not in known and rows.size:
            doc = int(table.doc[table.fillers.template[side.row[rows[0]]]])
            line = int(system.documents.line[doc])
            found, expected = f"the slot {plain(label)}", f"a slot of gold: {there}"
            file = system.file_name(system.origin.path, doc)
            pile.add([Problem("K314", file, line, found, expected)], warning=True)

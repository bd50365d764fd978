"""Is an answer valid? Only the public inputs and the task are read, never gold, so that no message
can depend on gold. The server, `carob check --challenge` and `carob challenge score` all ask here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carob.corpus.archive_reader import open_upload
from carob.corpus.corpus import Corpus
from carob.corpus.problems import InputError, Problem
from carob.corpus.source import Source
from carob.evaluate.check import Findings, check_answer
from carob.evaluate.run import parse_recipes, refuse_numbers
from carob_challenge.config import Limits
from carob_challenge.material import Material

MOST = 1000
"""After how many problems a file is not looked at any further."""

QUOTED = 200
"""How many characters of a line are quoted."""

_QUOTE = re.compile(r"'((?:[^'\\]|\\.)+)'|\"((?:[^\"\\]|\\.)+)\"")


@dataclass(frozen=True)
class Verdict:
    """What validation says: every problem, and the answer itself if it could be read."""

    findings: Findings
    source: Source | None
    corpus: Corpus | None

    @property
    def valid(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return self.findings.errors == 0

    @property
    def complete(self) -> bool:
        """Whether all problems were looked for."""
        return sum(self.findings.counts.values()) < MOST

    def to_dict(self) -> dict[str, Any]:
        """As it is stored and shown: each problem with its line quoted, and the column at which
        what was found stands in it, as far as that is known.
        """
        lines: dict[str, list[str]] = {}
        return {
            "valid": self.valid, "errors": self.findings.errors,
            "warnings": self.findings.warnings, "complete": self.complete,
            "problems": [_with_quote(each, self.source, lines) for each in self.findings.problems],
        }  # fmt: skip


def validate(path: Path, name: str, material: Material, limits: Limits) -> Verdict:
    """Validate an uploaded file, under the name that it had."""
    try:
        source = open_upload(path, name, limits)
    except InputError as error:
        return Verdict(_as_findings(name, error), None, None)
    verdict = _checked(source, name, material)
    if not (verdict.valid and material.final):
        return verdict
    # Both parts must be right; a file needs answers in one of them.
    other = _checked(source, name, material.of_results())
    findings = _joined(verdict.findings, other.findings)
    answers = [each.corpus for each in (verdict, other) if each.corpus is not None]
    if not material.empty and not findings.errors and not any(map(_has_answers, answers)):
        findings = _joined(findings, _as_findings(name, _no_answer(name)))
    return Verdict(findings, source, verdict.corpus)


def _checked(source: Source, name: str, material: Material) -> Verdict:
    task = material.task
    findings, corpus = check_answer(source, material.public, task, MOST)
    if corpus is not None and not findings.errors:
        corpus = task.typed(corpus)
        try:
            if not (material.empty or material.final or _has_answers(corpus)):
                raise _no_answer(name)
            refuse_numbers(parse_recipes(task.recipes), {name: corpus})
        except InputError as error:
            return Verdict(_joined(findings, _as_findings(name, error)), source, None)
    return Verdict(findings, source, corpus)


def _no_answer(name: str) -> InputError:
    return InputError([Problem("K935", name, None, "no answer at all", _ONE_ANSWER)])


def answer_of(path: Path, name: str, material: Material, limits: Limits) -> Corpus:
    """A valid answer as it is scored: what validation has read, so that both have one set of
    rules.
    """
    verdict = validate(path, name, material, limits)
    if verdict.corpus is None or not verdict.valid:  # the task has changed since
        raise InputError([each for each in verdict.findings.problems if not each.warning])
    return verdict.corpus


_ONE_ANSWER = "at least one: this challenge takes no empty files"


def _has_answers(corpus: Corpus) -> bool:
    return bool(len(corpus.mentions) or len(corpus.templates.fillers))


def _joined(first: Findings, second: Findings) -> Findings:
    """The problems of both; what both have is one."""
    more = [each for each in second.problems if each not in first.problems]
    counts = {**first.counts}
    for each in more:
        key = f"{'warning' if each.warning else 'error'} {each.code}"
        counts[key] = counts.get(key, 0) + 1
    return Findings(first.files, (*first.problems, *more), counts)


def _as_findings(name: str, error: InputError) -> Findings:
    counts: dict[str, int] = {}
    for each in error.problems:
        counts[f"error {each.code}"] = counts.get(f"error {each.code}", 0) + 1
    return Findings((name,), error.problems, counts)


def failed(name: str, found: str, expected: str) -> Mapping[str, Any]:
    """The verdict on a file whose validation did not end, as `to_dict` gives it."""
    problem = Problem("K934", name, None, found, expected)
    return Verdict(_as_findings(name, InputError([problem])), None, None).to_dict()


def _with_quote(
    problem: Problem, source: Source | None, lines: dict[str, list[str]]
) -> dict[str, Any]:
    quote = column = None
    if source is not None and problem.line is not None:
        every = lines.setdefault(problem.file, _lines(source, problem.file))
        if 1 <= problem.line <= len(every):
            line = every[problem.line - 1]
            column, quote = _column(problem.found, line), line[:QUOTED]
    return problem.to_dict() | {"column": column, "quote": quote, "message": str(problem)}


def _lines(source: Source, name: str) -> list[str]:
    files = source.files.values() if source.is_folder else [source]
    for file in files:
        if file.name == name:
            return file.content(1 << 31).decode("utf-8", "replace").split("\n")
    return []


def _column(found: str, line: str) -> int | None:
    """The column of what was found, if a message quotes it as it stands there.

    >>> _column("the tag 'PER' twice", "Ann\\tPER")
    5
    """
    for match in _QUOTE.finditer(found):
        text = (match[1] or match[2]).removesuffix("…")
        if text and (place := line.find(text)) >= 0:
            return place + 1
    return None

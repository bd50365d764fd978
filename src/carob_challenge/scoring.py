"""What a child process does: validate an answer, score it against gold, write its report.

Only the functions here open gold, and only in a child.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from carob.corpus.corpus import Corpus
from carob.evaluate.errors import analyse, errors_of
from carob.evaluate.options import Options, ScoreOptions
from carob.evaluate.report import report
from carob.evaluate.run import prepare
from carob.evaluate.score import count_events, score_run
from carob.explain.analysis import ErrorAnalysis
from carob.result.scores import Score, Value
from carob_challenge.config import Limits
from carob_challenge.material import Material
from carob_challenge.tallies import StoredTally
from carob_challenge.validate import answer_of, validate

Done = tuple[Mapping[str, Any], tuple[bytes, ...]]

SKETCH = 256
"""How many hashes of what was answered are kept, to see which answers are nearly the same."""


def arguments(
    material: Material, limits: Limits, file: Path, name: str, **more: Any
) -> dict[str, Any]:
    """What a child needs to know, as JSON has it."""
    return {
        "inputs": str(material.inputs), "gold": str(material.gold),
        "task": str(material.task_file), "part": material.part, "empty": material.empty,
        "final": material.final,
        "file": str(file), "name": name,
        "unpacked_bytes": limits.unpacked_bytes, "archive_entries": limits.archive_entries, **more,
    }  # fmt: skip


def _read(
    inputs: str,
    gold: str,
    task: str,
    part: str,
    empty: bool,
    final: str,
    unpacked_bytes: int,
    archive_entries: int,
) -> tuple[Material, Limits]:
    material = Material(Path(inputs), Path(gold), Path(task), part, empty, final)
    return material, Limits(unpacked_bytes=unpacked_bytes, archive_entries=archive_entries)


def validated(file: str, name: str, **common: Any) -> Done:
    """Validate an answer. Gold is not opened; that its path is not even known says so."""
    material, limits = _read(**{**common, "gold": ""})
    return validate(Path(file), name, material, limits).to_dict(), ()


def scored(file: str, name: str, **common: Any) -> Done:
    """Score an answer that is valid: the official scores, the tally and a sketch of the answer."""
    material, limits = _read(**common)
    answer = answer_of(Path(file), name, material, limits)
    # Messages of this call may depend on gold: they are for organisers alone.
    options = Options.of(ScoreOptions, {"task": material.task})
    systems: Any = {"system": answer}
    run = prepare(str(material.gold), systems, material.recipes, options)
    scores = score_run(run, options)
    official = material.official
    plan = run.plans["system"]
    _, tally, _ = count_events(run.pairs["system"], [official.space], plan)[official.space]
    own = next(each for each in scores if each.recipe == str(official))
    assert run.corpora is not None
    what = errors_of(options, run.corpora[0], run.corpora[1].values())
    content = {
        "official": _score(own), "scores": [_score(each) for each in scores],
        "signature": own.signature, "coverage": dict(scores.systems[0].coverage),
        "remarks": list(scores.remarks), "lower_is_better": own.lower_is_better,
        "errors": _errors(analyse(run, what)["system"]),
    }  # fmt: skip
    answers = material.task.only_part(run.corpora[0], run.corpora[1]["system"])[1]
    return content, (StoredTally(tally, plan.order).to_bytes(), sketch(answers))


def _errors(analysis: ErrorAnalysis) -> dict[str, dict[str, int]]:
    """How often each kind of error occurs, by label."""
    return {
        kind: dict(zip(analysis.table.labels, counts.tolist(), strict=True))
        for kind, counts in analysis.counts().items()
    }


def _score(score: Score) -> dict[str, Any]:
    return {
        "recipe": score.recipe, **_value(score.overall),
        "counts": dict(score.counts),
        "by_label": {label: _value(value) for label, value in score.by_label.items()},
    }  # fmt: skip


def _value(value: Value) -> dict[str, Any]:
    return {
        "value": value.value, "low": value.low, "high": value.high, "support": value.support,
    }  # fmt: skip


def reported(file: str, name: str, team: str, output: str, **common: Any) -> Done:
    """Write the report of an answer, a page with errors and examples."""
    material, limits = _read(**common)
    systems: Any = {team: answer_of(Path(file), name, material, limits)}
    made = report(str(material.gold), systems, task=material.task)
    temporary = Path(f"{output}.new")
    made.save(temporary)
    temporary.replace(output)
    return {}, ()


def sketch(corpus: Corpus) -> bytes:
    """The smallest hashes of all mentions and fillers: the share that two sketches have in common
    estimates how much of two answers is the same.

    >>> same, other = Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]LOC slept")
    >>> sketch(same) == sketch(same), sketch(same) == sketch(other), len(sketch(same))
    (True, False, 8)
    """
    digests = {
        hashlib.blake2b(repr(item).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for item in _items(corpus)
    }
    return b"".join(sorted(digests)[:SKETCH])


def _items(corpus: Corpus) -> Iterator[tuple[Any, ...]]:
    documents, mentions = corpus.documents, corpus.mentions
    columns = (mentions.doc, mentions.start, mentions.end, mentions.label)
    for doc, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
        yield documents.name(doc), start, end, corpus.labels[label]
    fillers = corpus.templates.fillers
    doc_of = corpus.templates.doc[fillers.template] if len(fillers) else np.empty(0, np.int64)
    for number, doc in enumerate(doc_of.tolist()):
        form = int(fillers.realisations[number])
        yield documents.name(doc), fillers.slot[number], fillers.text[form]


def likeness(first: bytes, second: bytes) -> float | None:
    """How much of two answers is the same, estimated from their sketches; None if one is empty.

    >>> same = sketch(Corpus.of("[Ann]PER slept"))
    >>> likeness(same, same), likeness(same, b"")
    (1.0, None)
    """
    ours, theirs = ({each[i : i + 8] for i in range(0, len(each), 8)} for each in (first, second))
    if not ours or not theirs:
        return None
    smallest = sorted(ours | theirs)[:SKETCH]
    return sum(each in ours and each in theirs for each in smallest) / len(smallest)

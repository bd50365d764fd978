"""Generate a corpus: texts with fillers whose truth is known, as many as needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from carob.corpus.build import of_documents
from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.example.generator import Knobs, documents

__all__ = ["Knobs", "generate", "write_generated"]


def generate(
    kind: str = "seminars",
    count: int = 485,
    seed: int = 0,
    *,
    start: int = 0,
    labelled: bool = True,
    families: int | None = None,
    reposts: float = 0.07,
    noise: float = 0.0,
    boundary_noise: float = 0.0,
    drift: float = 0.0,
) -> Corpus:
    """A generated corpus, `seminars` or `calls`; the knobs are those of `carob generate`.

    Documents are numbered from `start` + 1 on. Without labels they have no mentions: a pool that
    follows a corpus of 485 documents has `start=485`.

    >>> generate("seminars", 20).labels
    ('etime', 'location', 'speaker', 'stime')
    """
    knobs = Knobs(families, reposts, noise, boundary_noise, drift)
    return of_documents(documents(kind, count, seed, knobs, start=start, labelled=labelled))


def write_generated(
    output: str, kind: str, count: int, seed: int, knobs: Knobs, unlabelled: int = 0
) -> dict[str, int]:
    """Write a corpus as jsonl, `-` is stdout; and documents without mentions beside it. Returns
    the files with their numbers of documents.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write_generated(f"{folder}/talks.jsonl", "seminars", 2, 0, Knobs(), 3)
    ...     [(Path(file).name, number) for file, number in files.items()]
    [('talks.jsonl', 2), ('talks.unlabelled.jsonl', 3)]
    """
    if unlabelled < 0:
        raise UsageError(f"cannot generate {unlabelled} documents without mentions")
    labelled = documents(kind, count, seed, knobs)
    if output == "-":
        if unlabelled:
            raise UsageError("documents without mentions are a second file: give -o")
        sys.stdout.writelines(_lines(labelled))
        return {}
    target = Path(output)
    parts = {target: (labelled, count)}
    if unlabelled:
        pool = documents(kind, unlabelled, seed, knobs, start=count, labelled=False)
        parts[target.with_suffix(f".unlabelled{target.suffix}")] = pool, unlabelled
    try:
        for path, (some, _) in parts.items():
            with path.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(_lines(some))
    except OSError as error:
        raise UsageError(f"cannot write to {output}: {error.strerror or error}") from None
    return {str(path): number for path, (_, number) in parts.items()}


def _lines(some: Iterable[Mapping[str, object]]) -> Iterator[str]:
    return (json.dumps(each, ensure_ascii=False) + "\n" for each in some)

"""The other tools, as their users call them: `python _peers.py NAME GOLD SYSTEM`.

Each prints one JSON object: what it found, and the CPU seconds of its parts.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

Found = dict[str, float]


def read_tags(path: str) -> list[list[str]]:
    """The last column of a CoNLL file, sentence by sentence."""
    sentences: list[list[str]] = []
    sentence: list[str] = []
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            columns = line.split()
            if columns and columns[0] != "-DOCSTART-":
                sentence.append(columns[-1])
            elif sentence:
                sentences.append(sentence)
                sentence = []
    if sentence:
        sentences.append(sentence)
    return sentences


def with_seqeval(call: Callable[[Any, list[list[str]], list[list[str]]], float]) -> Any:
    """A contender that imports seqeval, reads both files and times the call by itself."""

    def contend(gold_path: str, system_path: str) -> Found:
        metrics = import_module("seqeval.metrics")
        begun = time.process_time()
        gold, system = read_tags(gold_path), read_tags(system_path)
        read = time.process_time()
        f1 = call(metrics, gold, system)
        return {"f1": f1, "read_cpu": read - begun, "call_cpu": time.process_time() - read}

    return contend


def report(metrics: Any, gold: list[list[str]], system: list[list[str]]) -> float:
    """The micro F1 that `classification_report` prints, with its four decimals."""
    text: str = metrics.classification_report(gold, system, digits=4)
    row = next(line for line in text.splitlines() if line.strip().startswith("micro avg"))
    return float(row.split()[-2])


def f1(metrics: Any, gold: list[list[str]], system: list[list[str]]) -> float:
    """The micro F1 of `f1_score`, unrounded."""
    return float(metrics.f1_score(gold, system))


def polars(gold_path: str, system_path: str) -> Found:
    """Only parses the two files into columns and counts the rows; computes no score."""
    pl = import_module("polars")
    rows = 0
    for path in (gold_path, system_path):
        frame = pl.read_csv(
            path,
            separator=" ",
            has_header=False,
            quote_char=None,
            schema={"token": pl.String, "tag": pl.String},
        )
        rows += frame.height
    return {"rows": float(rows)}


CONTENDERS = {"report": with_seqeval(report), "f1": with_seqeval(f1), "polars": polars}


if __name__ == "__main__":
    name, *paths = sys.argv[1:]
    print(json.dumps(CONTENDERS[name](*paths)))

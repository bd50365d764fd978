"""Other tools, called as their users call them: `python _peers.py NAME GOLD SYSTEM`.

Each function reads the two files in plain Python (unless the tool has a reader) and scores every
label. The script prints one JSON object: recipes of carob, and the scores that must equal them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

Scores = dict[str, float]
Tags = list[list[str]]

SEMEVAL = {
    "strict": "semeval.F1",
    "exact": "semeval(mode=exact).F1",
    "partial": "semeval(mode=partial).F1",
    "ent_type": "semeval(mode=type).F1",
}
"""The four ways to match of nervaluate, as recipes of carob."""


def lines(path: str) -> Iterator[list[str]]:
    """The columns of every line of a CoNLL file; an empty list ends a sentence or document."""
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            columns = line.split()
            yield [] if columns and columns[0] == "-DOCSTART-" else columns


def read_tags(path: str) -> Tags:
    """The last column of a CoNLL file, sentence by sentence."""
    sentences: Tags = []
    sentence: list[str] = []
    for columns in chain(lines(path), [[]]):
        if columns:
            sentence.append(columns[-1])
        elif sentence:
            sentences.append(sentence)
            sentence = []
    return sentences


def documents(path: str) -> Iterator[tuple[list[str], list[str]]]:
    """Tokens and tags of every document of a CoNLL file."""
    words: list[str] = []
    tags: list[str] = []
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            columns = line.split()
            if columns and columns[0] == "-DOCSTART-":
                if words:
                    yield words, tags
                words, tags = [], []
            elif columns:
                words.append(columns[0])
                tags.append(columns[-1])
    yield words, tags


def records(path: str) -> Iterator[dict[str, Any]]:
    """The documents of a jsonl file."""
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


# --- scoring ---


def seqeval_report(gold: str, system: str) -> Scores:
    """P, R and F1 of every label and the averages, as a text with four decimals."""
    metrics = import_module("seqeval.metrics")
    return scores_in_report(
        metrics.classification_report(read_tags(gold), read_tags(system), digits=4)
    )


def seqeval_f1(gold: str, system: str) -> Scores:
    """Only the F1 of all labels, with all digits."""
    metrics = import_module("seqeval.metrics")
    return {"exact.F1": float(metrics.f1_score(read_tags(gold), read_tags(system)))}


def strict_report(gold: str, system: str) -> Scores:
    """The report in strict mode, which interprets tags by their scheme."""
    metrics, scheme = import_module("seqeval.metrics"), import_module("seqeval.scheme").IOB2
    tags = read_tags(gold), read_tags(system)
    return scores_in_report(
        metrics.classification_report(*tags, digits=4, mode="strict", scheme=scheme)
    )


def strict_f1(gold: str, system: str) -> Scores:
    """The F1 of all labels in strict mode."""
    metrics, scheme = import_module("seqeval.metrics"), import_module("seqeval.scheme").IOB2
    tags = read_tags(gold), read_tags(system)
    return {"exact.F1": float(metrics.f1_score(*tags, mode="strict", scheme=scheme))}


def scores_in_report(text: str) -> Scores:
    """The micro F1 of a report."""
    row = next(line for line in text.splitlines() if line.strip().startswith("micro avg"))
    return {"exact.F1": float(row.split()[-2])}


def nervaluate(gold: str, system: str) -> Scores:
    """Four ways to match, for all labels and each; from tags, or from the spans of a jsonl file."""
    tool = import_module("nervaluate")
    sides: list[list[list[Any]]]
    if gold.endswith(".jsonl"):
        sides = [
            [with_last_tokens(r["mentions"]) for r in records(path)] for path in (gold, system)
        ]
        labels = {mention["label"] for side in sides for each in side for mention in each}
        loader = "dict"
    else:
        sides = [[*read_tags(path)] for path in (gold, system)]
        labels = {tag[2:] for side in sides for each in side for tag in each if tag != "O"}
        loader = "list"
    overall = tool.Evaluator(*sides, tags=sorted(labels), loader=loader).evaluate()["overall"]
    return {recipe: float(overall[name].f1) for name, recipe in SEMEVAL.items()}


def with_last_tokens(mentions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Spans as nervaluate expects them: the end is the last token, not the one after it."""
    return [{**mention, "end": mention["end"] - 1} for mention in mentions]


def conlleval(gold: str, system: str) -> Scores:
    """conlleval expects one file with both tags, so the two files are joined line by line."""
    tool = import_module("conlleval")
    with Path(gold).open(encoding="utf-8") as ours, Path(system).open(encoding="utf-8") as theirs:
        both = (
            f"{line.rstrip()} {other.split()[-1]}" if len(line) > 1 else ""
            for line, other in zip(ours, theirs, strict=True)
        )
        counts = tool.evaluate(both)
    return {"exact.F1": float(counts["overall"]["chunks"]["evals"]["f1"])}


def spacy(gold: str, system: str) -> Scores:
    """Documents of both sides with their mentions, then the scorer of spaCy's `ner`."""
    blank = import_module("spacy").blank("xx").vocab
    tokens = import_module("spacy.tokens")
    example = import_module("spacy.training").Example

    def docs(path: str) -> Iterator[Any]:
        if not path.endswith(".jsonl"):
            for words, tags in documents(path):
                yield tokens.Doc(blank, words=words, ents=tags)
            return
        for record in records(path):
            doc = tokens.Doc(blank, words=record["tokens"])
            mentions = record["mentions"]
            doc.ents = [tokens.Span(doc, m["start"], m["end"], m["label"]) for m in mentions]
            yield doc

    pairs = (example(theirs, ours) for ours, theirs in zip(docs(gold), docs(system), strict=True))
    scores = import_module("spacy.scorer").get_ner_prf(pairs)
    return {"exact.F1": float(scores["ents_f"])}


def sklearn(gold: str, system: str) -> Scores:
    """P, R and F1 of every label and the averages, where each token is an item."""
    metrics = import_module("sklearn.metrics")
    sides = [[c[-1][2:] for c in lines(path) if c] for path in (gold, system)]
    labels = sorted({*sides[0], *sides[1]} - {""})
    report = metrics.classification_report(*sides, labels=labels, output_dict=True)
    return {"token.F1": float(report["micro avg"]["f1-score"])}


# --- parsing only ---


def polars(gold: str, system: str) -> Scores:
    """Parse the two files into columns and count the rows; compute no score."""
    pl = import_module("polars")
    rows = 0
    for path in (gold, system):
        if path.endswith(".jsonl"):
            rows += pl.read_ndjson(path).height
            continue
        columns = {"token": pl.String, "tag": pl.String}
        options = {"separator": " ", "has_header": False, "quote_char": None}
        rows += pl.read_csv(path, schema=columns, **options).height
    return {"rows": float(rows)}


def parse(gold: str, system: str) -> Scores:
    """`json.loads` of every line; compute no score."""
    return {"rows": float(sum(1 for path in (gold, system) for _ in records(path)))}


CONTENDERS = {
    function.__name__: function
    for function in (
        *(seqeval_report, seqeval_f1, strict_report, strict_f1),
        *(nervaluate, conlleval, spacy, sklearn, polars, parse),
    )
}


if __name__ == "__main__":
    name, *paths = sys.argv[1:]
    print(json.dumps(CONTENDERS[name](*paths)))

"""The same corpus in the formats of many tools gives the same scores, to the last digit."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import carob
from carob import Corpus, Document, Mention, convert, read
from tests.worlds import WORDS

RECIPES = ("exact.PRF", "exact.F1@macro", "exact.F1@macro-doc")
WRITTEN = (
    "jsonl",
    "doccano",
    "prodigy",
    "labelstudio",
    "spacy",
    "huggingface",
    "conll",
    "conllu",
    "inline",
    "brat",
)


def corpus(seed: int) -> Corpus:
    """Texts with emoji, and mentions of whole words; all seeds have the same texts."""
    words, marks = random.Random("words"), random.Random(seed)
    documents = []
    for number in range(30):
        tokens = ["😀", *words.choices(WORDS, k=9)]
        text, mentions, at = " ".join(tokens), [], 0
        for token in tokens:
            if at and marks.random() < 0.4:
                mentions.append(Mention(marks.choice("ABC"), at, at + len(token)))
            at += len(token) + 1
        documents.append(Document(f"d{number:02}", text=text, mentions=tuple(mentions)))
    return Corpus.of(*documents)


def as_pipeline(documents: Corpus, path: Path) -> Path:
    entities = [
        [{"entity_group": m.label, "start": m.start, "end": m.end, "word": "?"} for m in d.mentions]
        for d in documents
    ]
    path.write_text("\n".join(json.dumps(each) for each in entities))
    return path


def values(gold: object, system: object) -> list[float | None]:
    scores = carob.score(gold, system, list(RECIPES), resamples=0)  # type: ignore[arg-type]
    return [each.value for each in scores.scores]


@pytest.fixture(scope="module")
def sides() -> tuple[Corpus, Corpus]:
    return corpus(1), corpus(2)


def test_the_same_corpus_in_many_dialects_gives_the_same_scores(
    sides: tuple[Corpus, Corpus], tmp_path: Path
) -> None:
    expected = values(*sides)
    assert 5 == len(expected) and None not in expected and 0 < (expected[2] or 0) < 1
    files: dict[str, list[Path]] = {}
    for format in WRITTEN:
        files[format] = [tmp_path / f"{format}-{side}" for side in ("gold", "system")]
        for documents, path in zip(sides, files[format], strict=True):
            convert(documents, path, format, lossy=True, tokenizer="whitespace")
            assert len(documents.mentions) == len(read(path).mentions)
        assert expected == values(*files[format]), format
    pipeline = [as_pipeline(each, tmp_path / f"p-{at}") for at, each in enumerate(sides)]
    assert expected == values(*pipeline)
    # Each system is also compared with a gold of another tool.
    assert expected == values(files["doccano"][0], files["prodigy"][1])
    assert expected == values(files["spacy"][0], pipeline[1])
    assert expected == values(files["huggingface"][0], files["doccano"][1])

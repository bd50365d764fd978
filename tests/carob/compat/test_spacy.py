"""The scorer beside spaCy's own, in a pipeline that a config describes, and Examples in score."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.compat.spacy import make_ner_scorer

spacy: Any = pytest.importorskip("spacy")
scorer: Any = pytest.importorskip("spacy.scorer")
tokens: Any = pytest.importorskip("spacy.tokens")
training: Any = pytest.importorskip("spacy.training")

LABELS = ["A", "B", "PER-X"]
VOCAB: Any = spacy.blank("en").vocab


def random_doc(rng: random.Random, words: list[str], spaces: list[bool], share: float) -> Any:
    doc = tokens.Doc(VOCAB, words=words, spaces=spaces)
    spans, at = [], 0
    while at < len(words):
        size = rng.choice((1, 1, 2, 3))
        if rng.random() < share and at + size <= len(words):
            spans.append(tokens.Span(doc, at, at + size, label=rng.choice(LABELS)))
            at += size
        else:
            at += 1
    missing = [doc[i : i + 1] for i in range(len(words)) if rng.random() < 0.05
               and not any(s.start <= i < s.end for s in spans)]  # fmt: skip
    doc.set_ents(spans, missing=missing)
    return doc


def random_example(rng: random.Random) -> Any:
    """Gold and an answer over the same text; in half of the cases cut into other tokens."""
    text = [rng.choice(["Ann", "Lee", "slept", "in", "Rome"]) for _ in range(rng.randint(1, 7))]
    gold = random_doc(rng, text, [True] * len(text), 0.5)
    if rng.random() < 0.2:
        gold = tokens.Doc(VOCAB, words=text)  # says nothing about mentions
    if rng.random() < 0.5:
        answer = random_doc(rng, text, [True] * len(text), 0.5)
        if rng.random() < 0.5 and gold.has_annotation("ENT_IOB"):
            answer.set_ents([tokens.Span(answer, e.start, e.end, e.label_) for e in gold.ents])
    else:
        parts = [[word[:2], word[2:]] if len(word) > 2 and rng.random() < 0.4 else [word]
                 for word in text]  # fmt: skip
        words = [piece for each in parts for piece in each]
        spaces = [i == len(each) - 1 for each in parts for i in range(len(each))]
        answer = random_doc(rng, words, spaces, 0.4)
    return training.Example(answer, gold)


def compare(seed: int, cases: int) -> None:
    rng = random.Random(seed)
    ours, some = make_ner_scorer(), 0
    for _ in range(cases):
        examples = [random_example(rng) for _ in range(rng.randint(0, 3))]
        expected = scorer.get_ner_prf(examples)
        found = ours(examples)
        assert expected == found, [(e.x.ents, e.y.ents) for e in examples]
        some += expected["ents_f"] is not None and 0 < expected["ents_f"] < 1
    assert some > cases / 20


def test_scores_are_those_of_spacy() -> None:
    compare(19, 150)


@pytest.mark.slow
def test_scores_are_those_of_spacy_on_ten_thousand_random_inputs() -> None:
    compare(20, 10_000)


CONFIG = """
[nlp]
lang = "en"
pipeline = ["entity_ruler"]

[components]

[components.entity_ruler]
factory = "entity_ruler"

[components.entity_ruler.scorer]
@scorers = "spacy.ner_scorer.v1"
"""
NAME = '@scorers = "spacy.ner_scorer.v1"'
OURS = '@scorers = "carob.ner_scorer.v1"'
MORE = OURS + '\nscores = {"ents_overlap": "overlap.F1", "ents_macro": "exact.F1@macro"}'


def pipeline(config: str) -> Any:
    nlp = spacy.util.load_model_from_config(spacy.util.load_config_from_str(config), auto_fill=True)
    patterns = [{"label": "PER", "pattern": "Ann"}, {"label": "LOC", "pattern": "Rome"}]
    nlp.get_pipe("entity_ruler").add_patterns(patterns)
    return nlp


def test_a_config_runs_with_the_name_of_the_scorer_replaced(tmp_path: Path) -> None:
    texts = {"Ann Lee slept": [(0, 7, "PER")], "in Rome and Ann": [(3, 7, "LOC"), (12, 15, "PER")]}
    results = []
    for config in (CONFIG, CONFIG.replace(NAME, OURS), CONFIG.replace(NAME, MORE)):
        nlp = pipeline(config)
        examples = [training.Example.from_dict(nlp.make_doc(text), {"entities": spans})
                    for text, spans in texts.items()]  # fmt: skip
        results.append({k: v for k, v in nlp.evaluate(examples).items() if k.startswith("ents_")})
    assert results[0] == results[1] and results[0]["ents_f"] == 2 / 3
    assert results[2] == results[0] | {"ents_overlap": 1.0, "ents_macro": 0.75}
    # The scorer is a part of the pipeline that is stored.
    pipeline(CONFIG.replace(NAME, OURS)).to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    assert loaded.evaluate(examples)["ents_f"] == 2 / 3


def test_examples_are_both_sides() -> None:
    rng = random.Random(21)
    examples = [random_example(rng) for _ in range(50)]
    examples = [each for each in examples if each.y.has_annotation("ENT_IOB")]
    gold, system = [each.reference for each in examples], [each.predicted for each in examples]
    expected = carob.score(gold, system, "exact.F1", resamples=0).value
    assert expected == carob.score(examples, examples, "exact.F1", resamples=0).value
    assert expected == carob.score(gold, examples, "exact.F1", resamples=0).value
    several = carob.score(examples, {"a": examples, "b": gold}, "exact.F1", resamples=0)
    assert [expected, 1.0] == [each.value for each in several]


def test_spacy_is_not_imported() -> None:
    code = "import sys, carob.compat.spacy, carob.compat.sklearn\n"
    code += "print([n for n in ('spacy', 'sklearn', 'thinc', 'scipy') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]\n" == done.stdout

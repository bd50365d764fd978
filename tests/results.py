"""One small result of every kind, with names that mean something in LaTeX and Markdown."""

from __future__ import annotations

from functools import cache

from carob import (
    Corpus,
    Document,
    Mention,
    by_confidence,
    compare,
    errors,
    explain,
    power,
    rank,
    robust,
    score,
)
from carob.result.result import Result

NAMES = ("a_b & c%", "x|y #1", "$p{q}~^")
LABEL = "L_1 & 5% | #"
KINDS = ("scores", "comparison", "ranking", "robustness", "power", "explanation", "errors",
         "acceptance")  # fmt: skip


def corpora() -> tuple[Corpus, dict[str, Corpus]]:
    tokens = tuple("abcd")
    gold = [Document(f"d{i}", None, tokens, (Mention(LABEL, 0, 2),)) for i in range(6)]
    first = [Document(f"d{i}", None, tokens, (Mention(LABEL, 0, 1),)) for i in range(6)]
    other = [Document(f"d{i}", None, tokens, (Mention("B", 0, 2),)) for i in range(6)]
    systems = (gold[:4] + first[4:], first, other)
    return Corpus.of(*gold), {
        name: Corpus.of(*documents) for name, documents in zip(NAMES, systems, strict=True)
    }


def records(*values: str) -> Corpus:
    return Corpus.of(*(
        {"templates": [{"slots": {LABEL: [value]}, "confidence": 0.9 - 0.1 * i}]}
        for i, value in enumerate(values)
    ))  # fmt: skip


@cache
def result(kind: str) -> Result:
    gold, systems = corpora()
    if kind == "scores":
        return score(gold, systems, ["exact.PRF", "slots.SER"], resamples=0)
    if kind == "comparison":
        return compare(gold, systems, ["exact.F1", "overlap.F1"], resamples=0, by_label=True)
    if kind == "ranking":
        return rank(gold, systems | {"bad": Corpus.of("a b")}, ["exact.F1", "overlap.F1"])
    if kind == "robustness":
        return robust(gold, systems, ["exact.F1", "overlap.F1"])
    a, b, _ = systems.values()
    if kind == "power":
        return power(gold, {NAMES[0]: a, NAMES[1]: b}, "exact.F1", simulations=100, trials=99)
    if kind == "explanation":
        return explain(gold, b, ["sklearn(mode=with-O)", "nervaluate(mode=partial)=0.9"])
    if kind == "acceptance":
        return by_confidence(records("x", "x", "x"), {NAMES[0]: records("x", "y", "x")})
    return errors(gold, a, b, names=NAMES[:2])

"""The functions of seqeval, which count all tokens at once."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import chain, compress
from operator import ne, not_
from typing import Any

import numpy as np

from carob.arrays.peer_schemes import PREFIXES, Token, detected, scheme_of
from carob.arrays.peer_tags import (
    LabelCounts,
    TagColumn,
    TagReader,
    read_tags,
    seqeval_counts,
    seqeval_ends,
    seqeval_mentions,
    seqeval_starts,
    split_seqeval,
)
from carob.arrays.types import FloatArray, IntArray
from carob.report.peers.seqeval import report

Sentences = list[list[str]]
Average = Any
"""A number, or with `average=None` an array with one for each label, as in seqeval."""


class UndefinedMetricWarning(UserWarning):
    """A score is 0/0. If scikit-learn is loaded, its own warning of this name is used instead."""


CHUNK = 2048
"""How many sentences are read at a time: few enough that the cache of the processor holds them, and
they come from memory once.
"""


def _read(y_true: Sentences, y_pred: Sentences) -> tuple[TagColumn, int]:
    """All tags: first of sentences that both sides have, and the number of their places; then of
    gold and the answer where they differ.
    """
    reader = TagReader()
    equal: list[IntArray] = []
    ours: list[IntArray] = []
    theirs: list[IntArray] = []
    for start in range(0, max(len(y_true), 1), CHUNK):
        gold, system = y_true[start : start + CHUNK], y_pred[start : start + CHUNK]
        _check_sentences(gold, system, start)
        different = list(map(ne, gold, system))
        if start == 0:
            different[0] = True  # only there, nothing comes before the first tag
        try:
            equal.append(reader.codes(list(compress(gold, map(not_, different)))))
            ours.append(reader.codes(list(compress(gold, different))))
            theirs.append(reader.codes(list(compress(system, different))))
        except TypeError:  # a list or dict, which has no number
            raise _wrong_tag([*y_true, *y_pred]) from None
    _require_tags(reader.tags, [*y_true, *y_pred])
    column = TagColumn(np.concatenate([*equal, *ours, *theirs]), reader.tags)
    return column, sum(map(len, equal))


def _read_one(sentences: Sentences) -> TagColumn:
    """All tags of one side, or of two, one after the other."""
    try:
        column = read_tags(sentences)
    except TypeError:
        raise _wrong_tag(sentences) from None
    _require_tags(column.tags, sentences)
    return column


def _require_tags(tags: Sequence[str], sentences: Sentences) -> None:
    if not all(isinstance(tag, str) and tag for tag in tags):
        raise _wrong_tag(sentences)


def _wrong_tag(sentences: Sentences) -> ValueError:
    """The error for the first tag that is no text, or empty."""
    number, place, tag = next(
        (number, place, tag)
        for number, sentence in enumerate(sentences, 1)
        for place, tag in enumerate(sentence, 1)
        if not isinstance(tag, str) or not tag
    )
    return ValueError(
        f"sentence {number}, tag {place}: found {tag!r}, expected a tag like O or B-PER"
    )


def _counts(
    y_true: Sentences, y_pred: Sentences, suffix: bool, scheme: type[Token] | None
) -> LabelCounts:
    column, equal = _read(y_true, y_pred)
    if scheme is not None:
        _require_prefixes([*y_true, *y_pred], column.tags, suffix, scheme)
    elif _warn_of_strange_tags(column.tags, suffix):
        # After such a tag, what seqeval finds may depend on the sentences before.
        column, equal = _read_one([*y_true, *y_pred]), 0
    return seqeval_counts(column, equal=equal, suffix=suffix, scheme=scheme)


def _warn_of_strange_tags(tags: Sequence[str], suffix: bool) -> bool:
    """Warn of tags that seqeval does not know; whether there are any."""
    strange = False
    for tag in tags:
        if tag in ("O", "B", "I", "E", "S"):
            continue
        known = (
            tag.endswith(("-B", "-I", "-E", "-S"))
            if suffix
            else tag.startswith(("B-", "I-", "E-", "S-"))
        )
        if not known:
            strange = True
            warnings.warn(f"{tag} seems not to be NE tag.", stacklevel=4)
    return strange


def _require_prefixes(
    sentences: Sequence[list[str]], tags: list[str], suffix: bool, scheme: type[Token]
) -> None:
    """Refuse tags that the scheme does not have: in the first sentence with one, those whose prefix
    no scheme has, and then others.
    """
    prefixes, _ = split_seqeval(tags, suffix=suffix, strict=True)
    bad = {
        tag: prefix
        for tag, prefix in zip(tags, prefixes, strict=True)
        if prefix not in scheme.letters
    }
    for number, sentence in enumerate(sentences if bad else (), 1):
        found = [tag for tag in sentence if tag in bad]
        if not found:
            continue
        for tag in found:
            if bad[tag] not in PREFIXES[:-1]:
                raise KeyError(bad[tag], f"the prefix of {tag!r} in sentence {number}")
        allowed = "|".join(scheme.letters)
        raise ValueError(
            f"Invalid token is found: {found[0]}. Allowed prefixes are: {allowed}. "
            f"Sentence {number}."
        )


def _check(y_true: Any, y_pred: Any, sample_weight: Any) -> None:
    if sample_weight is not None:
        raise ValueError("sample_weight has no use: seqeval ignores it for all its averages")
    if len(y_true) != len(y_pred):
        _check_sentences(y_true, y_true, 0)
        raise ValueError(
            "Found input variables with inconsistent numbers of samples:\n"
            f"{len(y_true)} and {len(y_pred)} sentences"
        )


def _check_sentences(gold: Any, system: Any, start: int) -> None:
    """Refuse what is no list, and lists of different length; `start` sentences came before."""
    if {*map(type, gold), *map(type, system)} != {list}:
        raise TypeError("Found input variables without list of list.")
    ours, theirs = list(map(len, gold)), list(map(len, system))
    if ours != theirs:
        row = next(i for i, size in enumerate(ours) if size != theirs[i])
        raise ValueError(
            "Found input variables with inconsistent numbers of samples:\n"
            f"sentence {start + row + 1} has {ours[row]} and {theirs[row]} tags"
        )


def _divided(
    right: IntArray, every: IntArray, metric: str, modifier: str, warn_for: Sequence[str], zero: Any
) -> FloatArray:
    """The quotients; where nothing is counted, what `zero_division` says."""
    nothing = every == 0
    if not nothing.any():
        return right / every
    result = right / np.where(nothing, 1, every)
    result[nothing] = _value_of_zero(zero)
    if zero == "warn" and metric in warn_for:
        several = "f-score" in warn_for
        lead = f"{metric.title()} and F-score are" if several else f"{metric.title()} is"
        _warn(lead, modifier, len(result))
    return result


def _value_of_zero(zero_division: Any) -> float:
    return 0.0 if zero_division in ("warn", 0) else 1.0


def _warn(lead: str, modifier: str, size: int) -> None:
    where = "due to" if size == 1 else "in labels with"
    loaded = sys.modules.get("sklearn.exceptions")
    warnings.warn(
        f"{lead} ill-defined and being set to 0.0 {where} no {modifier} samples. "
        "Use `zero_division` parameter to control this behavior.",
        getattr(loaded, "UndefinedMetricWarning", UndefinedMetricWarning),
        stacklevel=5,
    )


def _scores(
    counts: LabelCounts,
    average: str | None,
    warn_for: Sequence[str],
    zero_division: Any,
    beta: float = 1.0,
) -> tuple[Average, Average, Average, Any]:
    system, right, gold = counts.system, counts.right, counts.gold
    if average == "micro":
        system, right, gold = (np.array([each.sum()]) for each in (system, right, gold))
    precision = _divided(right, system, "precision", "predicted", warn_for, zero_division)
    recall = _divided(right, gold, "recall", "true", warn_for, zero_division)
    nothing = zero_division == "warn" and warn_for == ("f-score",) and ((gold + system) == 0).any()
    if nothing:
        _warn("F-score is", "true nor predicted", len(gold))
    if np.isposinf(beta):
        f_score = recall
    else:
        divisor = beta**2 * precision + recall
        divisor[divisor == 0.0] = 1
        f_score = (1 + beta**2) * precision * recall / divisor
    if average is None:
        return precision, recall, f_score, gold
    support = sum(gold)
    if average != "weighted":
        return precision.mean(), recall.mean(), f_score.mean(), support
    if support == 0:
        zero = _value_of_zero(zero_division)
        no_answer = zero if system.sum() == 0 else 0.0
        return no_answer, zero, no_answer, support
    p, r, f = (np.average(each, weights=gold) for each in (precision, recall, f_score))
    return p, r, f, support


def precision_recall_fscore_support(
    y_true: Sentences,
    y_pred: Sentences,
    *,
    average: str | None = None,
    warn_for: Sequence[str] = ("precision", "recall", "f-score"),
    beta: float = 1.0,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    suffix: bool = False,
    mode: str | None = None,
    scheme: Any = None,
) -> tuple[Average, Average, Average, Any]:
    """Precision, recall, F-score and support: of each label, or micro, macro or weighted averages.

    >>> y_true = [["B-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    >>> y_pred = [["O", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    >>> precision_recall_fscore_support(y_true, y_pred)
    (array([0., 1.]), array([0., 1.]), array([0., 1.]), array([1, 1]))
    """
    if beta < 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    if average not in (averages := (None, "micro", "macro", "weighted")):
        raise ValueError(f"average has to be one of {averages}")
    _check(y_true, y_pred, sample_weight)
    # As in seqeval, the scores are strict only if a scheme is given.
    strict = scheme_of(scheme) if mode == "strict" and scheme else None
    counts = _counts(y_true, y_pred, suffix, strict)
    return _scores(counts, average, tuple(warn_for), zero_division, beta)


def f1_score(
    y_true: Sentences,
    y_pred: Sentences,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Average:
    """The F1 score, as seqeval's function of this name computes it.

    >>> y_true = [["O", "B-MISC", "I-MISC", "B-MISC", "O", "O"], ["B-PER", "I-PER", "O"]]
    >>> y_pred = [["O", "B-MISC", "I-MISC", "B-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    >>> float(f1_score(y_true, y_pred, average="macro"))
    0.75
    """
    return precision_recall_fscore_support(
        y_true, y_pred, average=average, warn_for=("f-score",), sample_weight=sample_weight,
        zero_division=zero_division, suffix=suffix, mode=mode, scheme=scheme,
    )[2]  # fmt: skip


def precision_score(
    y_true: Sentences,
    y_pred: Sentences,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Average:
    """The precision, as seqeval's function of this name computes it.

    >>> float(precision_score([["B-PER", "O"]], [["B-PER", "B-LOC"]]))
    0.5
    """
    return precision_recall_fscore_support(
        y_true, y_pred, average=average, warn_for=("precision",), sample_weight=sample_weight,
        zero_division=zero_division, suffix=suffix, mode=mode, scheme=scheme,
    )[0]  # fmt: skip


def recall_score(
    y_true: Sentences,
    y_pred: Sentences,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Average:
    """The recall, as seqeval's function of this name computes it.

    >>> float(recall_score([["B-PER", "B-LOC"]], [["B-PER", "O"]]))
    0.5
    """
    return precision_recall_fscore_support(
        y_true, y_pred, average=average, warn_for=("recall",), sample_weight=sample_weight,
        zero_division=zero_division, suffix=suffix, mode=mode, scheme=scheme,
    )[1]  # fmt: skip


def classification_report(
    y_true: Sentences,
    y_pred: Sentences,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> str | dict[str, dict[str, Any]]:
    """Precision, recall, F1 and support of each label and three averages, as text or as a dict.

    >>> print(
    ...     classification_report(
    ...         [["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]], zero_division=0
    ...     )
    ... )
                  precision    recall  f1-score   support
    <BLANKLINE>
             LOC       0.00      0.00      0.00         1
             PER       1.00      1.00      1.00         1
    <BLANKLINE>
       micro avg       1.00      0.50      0.67         2
       macro avg       0.50      0.50      0.50         2
    weighted avg       0.50      0.50      0.50         2
    <BLANKLINE>
    """
    _check(y_true, y_pred, sample_weight)
    strict = None
    if mode == "strict":
        if scheme is None:
            _check_sentences(y_true, y_pred, 0)
            strict = auto_detect(y_true, suffix)
        else:
            strict = scheme_of(scheme)
    counts = _counts(y_true, y_pred, suffix, strict)
    warn_for = ("precision", "recall", "f-score")
    columns = _scores(counts, None, warn_for, zero_division)
    rows = dict(zip(counts.labels, zip(*columns, strict=True), strict=True))
    averages = {
        f"{average} avg": _scores(counts, average, warn_for, zero_division)
        for average in ("micro", "macro", "weighted")
    }
    if output_dict:
        names = ("precision", "recall", "f1-score", "support")
        every = [*rows.items(), *averages.items()]
        return {name: dict(zip(names, row, strict=True)) for name, row in every}
    return report(rows, averages, digits)


def auto_detect(sequences: Sentences, suffix: bool = False, delimiter: str = "-") -> type[Token]:
    """The scheme of tags, by their prefixes: IOB2, IOE2, IOBES or BILOU. As in seqeval, the
    `delimiter` makes no difference.

    >>> auto_detect([["B-PER", "I-PER", "O"]]).__name__
    'IOB2'
    """
    sentences = list(sequences)
    try:
        tags = list(dict.fromkeys(chain.from_iterable(sentences)))
    except TypeError:  # a list or dict, which has no number
        raise _wrong_tag(sentences) from None
    _require_tags(tags, sentences)
    letters = set()
    for tag in tags:
        letter = tag[-1] if suffix else tag[0]
        if letter not in PREFIXES[:-1]:
            raise ValueError(f"This scheme is not supported: {tag}")
        letters.add(letter)
    return detected(letters)


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Whether a mention starts at a tag, by the prefixes and labels of the tag before and its own.

    >>> start_of_chunk("O", "I", "_", "PER")
    True
    """
    return seqeval_starts(prev_tag, tag, prev_type == type_)


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Whether a mention ends between the tag before and a tag.

    >>> end_of_chunk("I", "I", "PER", "PER")
    False
    """
    return seqeval_ends(prev_tag, tag, prev_type == type_)


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:
    """The mentions of a list of tags, or of sentences end to end: label, first and last token.

    In a list of sentences, each one is followed by a place that belongs to none.

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    sentences = list(seq) if any(isinstance(each, list) for each in seq) else [list(seq)]
    column = _read_one(sentences)
    _warn_of_strange_tags(column.tags, suffix)
    begin, end, label, names = seqeval_mentions(column, [0], suffix=suffix, scheme=None)
    rows = zip(label.tolist(), begin.tolist(), (end - 1).tolist(), strict=True)
    return [(names[number], first, last) for number, first, last in rows]


def _tag_pairs(gold: list[list[Any]], system: list[list[Any]]) -> Counter[tuple[Any, Any]]:
    try:
        return Counter(zip(chain.from_iterable(gold), chain.from_iterable(system), strict=False))
    except TypeError:  # a list or dict, which has no number
        raise _wrong_tag([*gold, *system]) from None


def _nested(tags: Any) -> list[list[Any]]:
    """The sentences of a list, tuple or array of them; one list of tags is one sentence."""
    rows = [each.tolist() if isinstance(each, np.ndarray) else each for each in tags]
    are_sentences = {isinstance(each, (list, tuple)) for each in rows}
    if len(are_sentences) > 1:
        raise TypeError("Found input variables without list of list.")
    return [list(each) for each in rows] if True in are_sentences else [rows]


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The share of gold tags that the system has as well.

    >>> accuracy_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.5
    """
    sentences = _nested(y_true)
    pairs = _tag_pairs(sentences, _nested(y_pred))
    right = sum(number for (gold, system), number in pairs.items() if gold == system)
    return right / sum(map(len, sentences))


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """The numbers of tags that are right, wrong, missing, and O on both sides.

    >>> performance_measure([["B-PER", "O", "B-ORG"]], [["B-PER", "O", "O"]])
    {'TP': 1, 'FP': 0, 'FN': 1, 'TN': 1}
    """
    counts = {"TP": 0, "FP": 0, "FN": 0, "TN": 0}
    for (gold, system), number in _tag_pairs(_nested(y_true), _nested(y_pred)).items():
        if gold == system:
            counts["TN" if gold == "O" else "TP"] += number
        elif system != "O":
            counts["FP"] += number
        else:
            counts["FN"] += number
    return counts

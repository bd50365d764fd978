"""The functions of seqeval, which count all tokens at once.

Both sides stand in one column of numbers, gold first. Each sentence is followed by an O. A mention
is known by the place after its last token: at most one mention ends there on each side, so that
two mentions are equal if they end at the same place, begin at the same place and have one label.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, count, repeat
from typing import Any, NamedTuple

import numpy as np

from carob.arrays.types import FloatArray, IntArray
from carob.compat.seqeval.scheme import (
    CLASSES,
    PREFIXES,
    Token,
    default_tables,
    detected,
    pattern_tables,
    prefix_class,
    scheme_of,
)

Sentences = list[list[str]]
Average = Any
"""A number, or with `average=None` an array with one for each label, as in seqeval."""


class UndefinedMetricWarning(UserWarning):
    """A score is 0/0. If scikit-learn is loaded, its own warning of this name is used instead."""


class _Tags(NamedTuple):
    """Sentences as columns: the number of each tag, and what each number means."""

    codes: IntArray
    tags: list[str]
    prefix: list[str]
    labels: list[str]


class _Mentions(NamedTuple):
    """Mentions, in the order of their ends: first place, place after the last, number of label."""

    begin: IntArray
    end: IntArray
    label: IntArray
    labels: list[str]


class _Counts(NamedTuple):
    """Numbers of mentions for each label that a mention has, in the order of labels."""

    labels: list[str]
    system: IntArray
    right: IntArray
    gold: IntArray


def _read(sentences: Sequence[list[str]], suffix: bool, strict: bool) -> _Tags:
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    # The only loop over tokens: three calls that are written in C.
    with_ends = chain.from_iterable(zip(sentences, repeat(("O",)), strict=False))
    try:
        codes = np.fromiter(map(numbers.__getitem__, chain.from_iterable(with_ends)), np.int32)
        wrong = not all(isinstance(tag, str) and tag for tag in numbers)
    except TypeError:  # a list or dict, which has no number
        wrong = True
    if wrong:
        _refuse_tag(sentences)
    tags = list(numbers)
    if suffix:
        prefix, rest = [tag[-1] for tag in tags], [tag[:-1] for tag in tags]
    else:
        prefix, rest = [tag[0] for tag in tags], [tag[1:] for tag in tags]
    if strict:
        labels = [each.strip("-") or "_" for each in rest]
    elif suffix:
        labels = [each.rsplit("-", maxsplit=1)[0] or "_" for each in rest]
    else:
        labels = [each.split("-", maxsplit=1)[-1] or "_" for each in rest]
    return _Tags(codes, tags, prefix, labels)


def _refuse_tag(sentences: Sequence[list[str]]) -> None:
    for number, sentence in enumerate(sentences, 1):
        for place, tag in enumerate(sentence, 1):
            if not isinstance(tag, str) or not tag:
                raise ValueError(
                    f"sentence {number}, tag {place}: found {tag!r}, expected a tag like O or B-PER"
                )


def _pairs(read: _Tags, first: list[int]) -> tuple[IntArray, IntArray, list[str]]:
    """For each place the number of its label, and one for its prefix, the one before, and whether
    the two have the same label, as the tables of a scheme have them. Before each of the places
    `first` is an O that has no label.
    """
    names = sorted(set(read.labels))
    number = {name: i for i, name in enumerate(names)}
    label = np.array([number[name] for name in read.labels], np.int32)[read.codes]
    kind = np.array([2 * prefix_class(each) for each in read.prefix], np.int32)[read.codes]
    pair = kind.copy()
    pair[1:] += CLASSES * kind[:-1]
    pair[1:] += label[1:] == label[:-1]
    pair[first] = kind[first] + 2 * CLASSES * PREFIXES.index("O")
    return label, pair, names


def _default_mentions(read: _Tags, first: list[int]) -> _Mentions:
    label, pair, names = _pairs(read, first)
    starts, ends = default_tables()
    end = np.flatnonzero(ends[pair])
    start = np.flatnonzero(starts[pair])
    # With unknown prefixes a mention may end that did not start: seqeval takes the last start, or
    # the first place of the side.
    begin = np.append(start, 0)[np.searchsorted(start, end) - 1]
    begin = np.where(end > first[-1], np.maximum(begin, first[-1]), begin)
    return _Mentions(begin, end, label[end - 1], names)


def _strict_mentions(read: _Tags, first: list[int], scheme: type[Token]) -> _Mentions:
    """A block is a token and those inside after it. The mention of a block begins at the first
    token that may start one, and goes to the end of the block.
    """
    label, pair, names = _pairs(read, first)
    starts, insides, ends = pattern_tables(scheme.__name__)
    inside = insides[pair]
    start = np.flatnonzero(starts[pair])
    block = np.cumsum(~inside)[start]
    opens = np.ones(len(start), bool)
    opens[1:] = block[1:] != block[:-1]
    begin = start[opens]
    after = np.append(np.flatnonzero(~inside), len(pair))[block[opens]]
    keep = np.append(ends[pair], False)[after]
    return _Mentions(begin[keep], after[keep], label[begin[keep]], names)


def _counts(
    y_true: Sentences, y_pred: Sentences, suffix: bool, scheme: type[Token] | None
) -> _Counts:
    every = [*y_true, *y_pred]
    read = _read(every, suffix, strict=scheme is not None)
    half = len(read.codes) // 2
    if scheme is None:
        _warn_of_strange_tags(read.tags, suffix)
        mentions = _default_mentions(read, [0, half])
    else:
        _require_prefixes(every, read, scheme)
        mentions = _strict_mentions(read, [0, half], scheme)
    middle = int(np.searchsorted(mentions.end, half, side="right"))
    size = len(mentions.labels)
    label = mentions.label
    # For each place, which gold mention ends there; the system's places follow those of gold.
    ending = np.full(half + 1, -1, np.int64)
    ending[mentions.end[:middle]] = np.arange(middle)
    match = ending[mentions.end[middle:] - half]
    right = (match >= 0) & (mentions.begin[match] == mentions.begin[middle:] - half)
    right &= label[match] == label[middle:]
    gold = np.bincount(label[:middle], minlength=size)
    system = np.bincount(label[middle:], minlength=size)
    both = np.bincount(label[middle:][right], minlength=size)
    there = np.flatnonzero(gold + system)
    return _Counts(
        [mentions.labels[i] for i in there.tolist()], system[there], both[there], gold[there]
    )


def _warn_of_strange_tags(tags: Sequence[str], suffix: bool) -> None:
    for tag in tags:
        if tag in ("O", "B", "I", "E", "S"):
            continue
        known = (
            tag.endswith(("-B", "-I", "-E", "-S"))
            if suffix
            else tag.startswith(("B-", "I-", "E-", "S-"))
        )
        if not known:
            warnings.warn(f"{tag} seems not to be NE tag.", stacklevel=4)


def _require_prefixes(sentences: Sequence[list[str]], read: _Tags, scheme: type[Token]) -> None:
    """Refuse tags that the scheme does not have: in the first sentence with one, those whose prefix
    no scheme has, and then others.
    """
    bad = {
        tag: prefix
        for tag, prefix in zip(read.tags, read.prefix, strict=True)
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
    if {*map(type, y_true), *map(type, y_pred)} != {list}:
        raise TypeError("Found input variables without list of list.")
    if len(y_true) != len(y_pred):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples:\n"
            f"{len(y_true)} and {len(y_pred)} sentences"
        )
    ours, theirs = list(map(len, y_true)), list(map(len, y_pred))
    if ours != theirs:
        row = next(i for i, size in enumerate(ours) if size != theirs[i])
        raise ValueError(
            "Found input variables with inconsistent numbers of samples:\n"
            f"sentence {row + 1} has {ours[row]} and {theirs[row]} tags"
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
    counts: _Counts,
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
        strict = _detected_scheme(y_true, suffix) if scheme is None else scheme_of(scheme)
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
    width = max(*map(len, counts.labels), len("weighted avg"), digits, 0)
    head = f"{'':>{width}s}  {'precision':>9} {'recall':>9} {'f1-score':>9} {'support':>9}\n"
    blocks = [
        "\n".join(
            f"{name:>{width}s}  {p:>9.{digits}f} {r:>9.{digits}f} {f:>9.{digits}f} {support:>9}"
            for name, (p, r, f, support) in block.items()
        )
        for block in (rows, averages)
    ]
    return "\n".join([head, *(f"{block}\n" for block in blocks)])


def _detected_scheme(sentences: Sentences, suffix: bool) -> type[Token]:
    letters = set()
    for tag in dict.fromkeys(chain.from_iterable(sentences)):
        letter = tag[-1] if suffix else tag[0]
        if letter not in PREFIXES[:-1]:
            raise ValueError(f"This scheme is not supported: {tag}")
        letters.add(letter)
    return detected(letters)


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:
    """The mentions of a list of tags, or of sentences end to end: label, first and last token.

    In a list of sentences, each one is followed by a place that belongs to none.

    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    sentences = list(seq) if any(isinstance(each, list) for each in seq) else [list(seq)]
    read = _read(sentences, suffix, strict=False)
    _warn_of_strange_tags(read.tags, suffix)
    begin, end, label, names = _default_mentions(read, [0])
    rows = zip(label.tolist(), begin.tolist(), (end - 1).tolist(), strict=True)
    return [(names[number], first, last) for number, first, last in rows]


def _tag_pairs(y_true: Any, y_pred: Any) -> Counter[tuple[Any, Any]]:
    if any(isinstance(each, list) for each in y_true):
        y_true, y_pred = chain.from_iterable(y_true), chain.from_iterable(y_pred)
    return Counter(zip(y_true, y_pred, strict=False))


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The share of gold tags that the system has as well.

    >>> accuracy_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.5
    """
    nested = any(isinstance(each, list) for each in y_true)
    size = sum(map(len, y_true)) if nested else len(y_true)
    pairs = _tag_pairs(y_true, y_pred)
    return sum(number for (gold, system), number in pairs.items() if gold == system) / size


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """The numbers of tags that are right, wrong, missing, and O on both sides.

    >>> performance_measure([["B-PER", "O", "B-ORG"]], [["B-PER", "O", "O"]])
    {'TP': 1, 'FP': 0, 'FN': 1, 'TN': 1}
    """
    counts = {"TP": 0, "FP": 0, "FN": 0, "TN": 0}
    for (gold, system), number in _tag_pairs(y_true, y_pred).items():
        if gold == system:
            counts["TN" if gold == "O" else "TP"] += number
        elif system != "O":
            counts["FP"] += number
        else:
            counts["FN"] += number
    return counts

"""A linear chain of tags: the model that perceptron, crf and maxent share.

Each token has a tag. A sequence of tags scores the sum of the weights of its features (feature x
tag) and of its transitions (tag x tag); forbidden transitions weigh minus infinity. The three
learners differ in how they find the weights. This file has what they have in common: tags of
mentions and back, the best sequence (Viterbi), and probabilities (forward and backward), many
documents at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from carob.arrays.types import BoolArray, FloatArray, IntArray
from carob.corpus.corpus import Corpus
from carob.corpus.problems import UsageError
from carob.pair.texts import Examples, Spans, Texts
from carob_lab.learn._features import Features
from carob_lab.learn.folder import Saved, read_folder, write_folder

OUTSIDE = 0
SCHEMES: Mapping[str, str] = {"bio": "BI", "bies": "BIES"}
"""The tags of a slot: begin and inside; or also end, and single for a mention of one token."""


@dataclass(frozen=True, slots=True)
class Tags:
    """The tags of some slots: 0 is outside, then those of each slot, in the order of the scheme.

    >>> tags = Tags(1, "bio")
    >>> len(tags), tags.start_allowed.tolist()
    (3, [True, True, False])
    >>> tags.allowed.astype(int).tolist()
    [[1, 1, 0], [1, 1, 1], [1, 1, 1]]
    """

    slots: int
    scheme: str

    def __len__(self) -> int:
        return 1 + self.slots * self.letters

    @property
    def letters(self) -> int:
        """How many tags a slot has."""
        return len(SCHEMES[self.scheme])

    @property
    def _parts(self) -> tuple[IntArray, IntArray]:
        """The slot and the letter of each tag; -1 for outside."""
        number = np.arange(len(self)) - 1
        outside = number < 0
        return (
            np.where(outside, -1, number // self.letters),
            np.where(outside, -1, number % self.letters),
        )

    @property
    def allowed(self) -> BoolArray:
        """Which tag may follow which: tag x next tag."""
        slot, letter = self._parts
        same = slot[:, None] == slot[None, :]
        allowed: BoolArray
        if self.scheme == "bio":
            allowed = (letter[None, :] != 1) | (same & (letter[:, None] >= 0))
            return allowed
        # After B and I the same mention goes on (I or E); after others a new one may begin.
        open_before = (letter == 0) | (letter == 1)
        goes_on = (letter == 1) | (letter == 2)
        inside = open_before[:, None] & goes_on[None, :] & same
        allowed = inside | (~open_before[:, None] & ~goes_on[None, :])
        return allowed

    @property
    def start_allowed(self) -> BoolArray:
        """Which tags a document may begin with."""
        return np.asarray(self.allowed[OUTSIDE])

    @property
    def end_allowed(self) -> BoolArray:
        """Which tags a document may end with."""
        return np.asarray(self.allowed[:, OUTSIDE])

    def of(self, spans: Spans, texts: Texts) -> tuple[IntArray, int]:
        """The tag of each token, and how many mentions have none.

        A token has one tag. Of mentions that overlap, the longest is kept, of equally long ones the
        first.
        """
        tags = np.zeros(len(texts.start), np.int64)
        left_out = 0
        order = np.lexsort((spans.slot, spans.first, spans.doc, spans.first - spans.last))
        for row in order.tolist():
            base = int(texts.offsets[spans.doc[row]])
            first, last = base + int(spans.first[row]), base + int(spans.last[row])
            if tags[first:last].any():
                left_out += 1
                continue
            tag = 1 + int(spans.slot[row]) * self.letters
            tags[first:last] = tag + 1
            tags[first] = tag
            if self.scheme == "bies":
                tags[last - 1] = tag + 3 if last - first == 1 else tag + 2
        return tags, left_out

    def spans(self, tags: IntArray, texts: Texts) -> Spans:
        """The mentions that legal tags stand for.

        >>> texts = Texts.of(Corpus.of("a b c", "d"))
        >>> spans = Tags(1, "bio").spans(np.array([1, 2, 1, 1]), texts)
        >>> spans.doc.tolist(), spans.first.tolist(), spans.last.tolist()
        ([0, 0, 1], [0, 2, 0], [2, 3, 1])
        """
        slot, letter = self._parts
        begins = np.flatnonzero((letter[tags] == 0) | (letter[tags] == 3))
        goes_on = (letter[tags] == 1) | (letter[tags] == 2)
        # The first token at or after each place that does not go on.
        stop = np.where(goes_on, len(tags), np.arange(len(tags)))
        stop = np.minimum.accumulate(stop[::-1])[::-1] if len(tags) else stop
        doc = texts.doc[begins]
        ends = np.append(stop, len(tags))[begins + 1]
        ends = np.minimum(ends, texts.offsets[doc + 1])
        base = texts.offsets[doc]
        return Spans(doc, begins - base, ends - base, slot[tags[begins]])


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Documents side by side: their tokens in a table, documents x places, the shorter ones filled
    up; `row` is the token of each place, `inside` whether there is one.
    """

    row: IntArray
    inside: BoolArray

    @classmethod
    def all_of(cls, offsets: IntArray, size: int = 64) -> list[tuple[IntArray, Batch]]:
        """Documents of similar length together, with their numbers; empty ones in none."""
        lengths = np.diff(offsets)
        order = np.argsort(lengths, kind="stable")
        order = order[lengths[order] > 0]
        batches = []
        for at in range(0, len(order), size):
            docs = order[at : at + size]
            place = np.arange(int(lengths[docs].max()))
            inside = place < lengths[docs][:, None]
            row = np.where(inside, offsets[docs][:, None] + place, 0)
            batches.append((docs, cls(row, inside)))
        return batches


def best_tags(
    scores: FloatArray, moves: FloatArray, tags: Tags, offsets: IntArray
) -> tuple[IntArray, FloatArray]:
    """The best legal sequence of each document, and its score: Viterbi's algorithm.

    `scores` are tokens x tags, `moves` tag x next tag.
    """
    moves = np.where(tags.allowed, moves, -np.inf)
    best = np.zeros(len(scores), np.int64)
    totals = np.zeros(len(offsets) - 1)
    start = np.where(tags.start_allowed, 0.0, -np.inf)
    final = np.where(tags.end_allowed, 0.0, -np.inf)
    for docs, batch in Batch.all_of(offsets):
        length = batch.row.shape[1]
        every = np.arange(len(docs))
        current = start + scores[batch.row[:, 0]]
        came = np.zeros((length, len(docs), len(tags)), np.int16)
        for place in range(1, length):
            through = current[:, :, None] + moves
            came[place] = through.argmax(1)
            new = through.max(1) + scores[batch.row[:, place]]
            # A document that has ended keeps its scores, and its tags below stay where they are.
            ended = ~batch.inside[:, place]
            came[place][ended] = np.arange(len(tags))
            current = np.where(ended[:, None], current, new)
        current = current + final
        tag = current.argmax(1)
        totals[docs] = current.max(1)
        for place in range(length - 1, -1, -1):
            here = batch.inside[:, place]
            best[batch.row[here, place]] = tag[here]
            tag = came[place][every, tag]
    return best, totals


def _log_sum(values: FloatArray, axis: int) -> FloatArray:
    top = values.max(axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total: FloatArray = np.log(np.exp(values - top).sum(axis)) + top.squeeze(axis)
    return total


def forward_backward(
    scores: FloatArray, moves: FloatArray, tags: Tags, offsets: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Logarithms of the forward and backward sums (tokens x tags), and of the sum over all legal
    sequences of each document.
    """
    moves = np.where(tags.allowed, moves, -np.inf)
    forward = np.zeros(scores.shape)
    backward = np.zeros(scores.shape)
    totals = np.zeros(len(offsets) - 1)
    start = np.where(tags.start_allowed, 0.0, -np.inf)
    final = np.where(tags.end_allowed, 0.0, -np.inf)
    for docs, batch in Batch.all_of(offsets):
        length = batch.row.shape[1]
        current = start + scores[batch.row[:, 0]]
        forward[batch.row[:, 0]] = current
        for place in range(1, length):
            here = batch.inside[:, place]
            new = _log_sum(current[:, :, None] + moves, 1) + scores[batch.row[:, place]]
            current = np.where(here[:, None], new, current)
            forward[batch.row[here, place]] = new[here]
        totals[docs] = _log_sum(current + final, 1)
        current = np.broadcast_to(final, current.shape)
        for place in range(length - 1, -1, -1):
            here = batch.inside[:, place]
            backward[batch.row[here, place]] = current[here]
            new = _log_sum(moves + (scores[batch.row[:, place]] + current)[:, None, :], 2)
            current = np.where(here[:, None], new, current)
    return forward, backward, totals


def span_confidence(
    scores: FloatArray, moves: FloatArray, tags: Tags, texts: Texts, spans: Spans, best: IntArray
) -> FloatArray:
    """The probability of each mention: the share of all sequences, weighed by exp(score), that have
    exactly this mention.
    """
    forward, backward, totals = forward_backward(scores, moves, tags, texts.offsets)
    legal = np.where(tags.allowed, moves, -np.inf)
    confidence = np.zeros(len(spans))
    for row in range(len(spans)):
        doc = int(spans.doc[row])
        base, end = int(texts.offsets[doc]), int(texts.offsets[doc + 1])
        first, last = base + int(spans.first[row]), base + int(spans.last[row])
        own = best[first:last]
        inner = np.arange(first + 1, last)
        total = (
            forward[first, own[0]] + scores[inner, own[1:]].sum() + moves[own[:-1], own[1:]].sum()
        )
        if last < end:
            after = legal[own[-1]] + scores[last] + backward[last]
            if tags.scheme == "bio":  # inside would make the mention longer
                after[1 + int(spans.slot[row]) * tags.letters + 1] = -np.inf
            total += _log_sum(after, 0)
        confidence[row] = np.exp(min(0.0, total - totals[doc]))
    return confidence


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The weights of a chain for some slots: features x tags, and tag x next tag.

    With `independent`, tags have no transitions: each token is classified by itself, and scores are
    logarithms of probabilities.
    """

    slots: tuple[int, ...]
    tags: Tags
    weights: FloatArray
    moves: FloatArray
    independent: bool = False

    def scores(self, rows: IntArray) -> FloatArray:
        """The score of each token and tag, from the features of the tokens."""
        scores = token_scores(self.weights, rows)
        if self.independent:
            scores -= _log_sum(scores, 1)[:, None]
        return scores


def token_scores(weights: FloatArray, rows: IntArray) -> FloatArray:
    """Sums of the weights of features, a block of tokens at a time. The last row of weights is of
    features that are not known, and zero.
    """
    scores = np.zeros((len(rows), weights.shape[1]))
    for at in range(0, len(rows), 1024):
        scores[at : at + 1024] = weights[rows[at : at + 1024]].sum(1)
    return scores


Fit = Callable[[IntArray, IntArray, Tags, Texts, int], tuple[FloatArray, FloatArray]]
"""From features of tokens, their tags, the kind of tags, the texts and the number of features to
weights (one row more than there are features) and transitions.
"""


def fit_chains(
    learner: Any, examples: Examples, slots: tuple[str, ...], scheme: str, fit: Fit
) -> TaggingModel:
    """A chain for all slots, or one for each if the learner says `per_slot`."""
    features = Features.of(examples.texts)
    rows = features.rows(examples.texts)
    spans = examples.spans(slots)
    groups = [(slot,) for slot in range(len(slots))] if learner.per_slot else [
        tuple(range(len(slots)))
    ]  # fmt: skip
    chains, left_out = [], 0
    for group in groups:
        tags = Tags(len(group), scheme)
        place = np.full(len(slots), -1)
        place[list(group)] = np.arange(len(group))
        own = spans.take(np.flatnonzero(place[spans.slot] >= 0))
        own = Spans(own.doc, own.first, own.last, place[own.slot])
        wanted, lost = tags.of(own, examples.texts)
        left_out += lost
        weights, moves = fit(rows, wanted, tags, examples.texts, len(features))
        chains.append(Chain(group, tags, weights, moves, learner.name == "maxent"))
    return TaggingModel(slots, features, tuple(chains), left_out)


@dataclass(frozen=True, slots=True, eq=False)
class TaggingModel:
    """One chain for all slots, or one for each; `left_out` mentions were not learned from, because
    they overlap longer ones.
    """

    slots: tuple[str, ...]
    features: Features
    chains: tuple[Chain, ...]
    left_out: int = 0

    def answers(self, texts: Texts) -> Corpus:
        """The mentions of the best sequence of tags, each with its probability."""
        rows = self.features.rows(texts)
        parts: list[Spans] = []
        confidence: list[FloatArray] = []
        for chain in self.chains:
            scores = chain.scores(rows)
            best, _ = best_tags(scores, chain.moves, chain.tags, texts.offsets)
            spans = chain.tags.spans(best, texts)
            confidence.append(span_confidence(scores, chain.moves, chain.tags, texts, spans, best))
            slot = np.array(chain.slots)[spans.slot]
            parts.append(Spans(spans.doc, spans.first, spans.last, slot))
        columns = (np.concatenate([getattr(part, name) for part in parts])
                   for name in ("doc", "first", "last", "slot"))  # fmt: skip
        return texts.answers(self.slots, Spans(*columns), np.concatenate(confidence))

    def uncertainty(self, texts: Texts) -> tuple[FloatArray, FloatArray]:
        """Of each document: the mean entropy of the tags of its tokens, and minus the logarithm of
        the probability of its best sequence, divided by its length (Settles & Craven 2008, "An
        Analysis of Active Learning Strategies for Sequence Labeling Tasks", equations 3 and 4).
        With a chain for each slot, the sums over them.
        """
        rows, lengths = self.features.rows(texts), np.maximum(np.diff(texts.offsets), 1)
        token, sequence = np.zeros(len(texts)), np.zeros(len(texts))
        for chain in self.chains:
            scores = chain.scores(rows)
            _, top = best_tags(scores, chain.moves, chain.tags, texts.offsets)
            forward, backward, totals = forward_backward(
                scores, chain.moves, chain.tags, texts.offsets
            )
            chance = np.exp(np.minimum(forward + backward - totals[texts.doc][:, None], 0.0))
            entropy = -(chance * np.log(np.maximum(chance, 1e-300))).sum(1)
            token += np.bincount(texts.doc, entropy, len(texts)) / lengths
            sequence += np.maximum(totals - top, 0.0) / lengths
        return token, sequence

    def describe(self) -> Mapping[str, Any]:
        """Numbers of features and weights, and of mentions that were left out."""
        used = sum(int(np.count_nonzero(chain.weights)) for chain in self.chains)
        return {"features": len(self.features), "weights": used, "left_out": self.left_out}

    def save(self, folder: Path) -> None:
        """Write features, and the weights that are not zero."""
        settings = {
            "slots": list(self.slots), "features": self.features.to_dict(),
            "left_out": self.left_out, "chains": [
                {"slots": list(each.slots), "scheme": each.tags.scheme,
                 "independent": each.independent}
                for each in self.chains
            ],
        }  # fmt: skip
        arrays: dict[str, Any] = {}
        for number, chain in enumerate(self.chains):
            where = np.flatnonzero(chain.weights)
            arrays[f"where{number}"] = where
            arrays[f"weights{number}"] = chain.weights.ravel()[where]
            arrays[f"moves{number}"] = chain.moves
        write_folder(folder, settings, arrays)


def load_chains(folder: Path) -> TaggingModel:
    """A model that was saved."""
    saved = read_folder(folder)
    slots, features = saved.slots(), Features.of_saved(saved)
    every = saved.settings.get("chains")
    if not isinstance(every, list) or not every:
        raise saved.wrong("no chains", "a list of chains")
    chains = tuple(
        _chain(saved, number, each, slots, features) for number, each in enumerate(every)
    )
    return TaggingModel(slots, features, chains, int(saved.number("left_out")))


def _chain(
    saved: Saved, number: int, settings: Any, slots: Sequence[str], features: Features
) -> Chain:
    expected = f"slots, scheme and independent of {len(slots)} slots"
    if not isinstance(settings, dict) or settings.get("scheme") not in SCHEMES:
        raise saved.wrong(f"chains[{number}]", expected)
    own, alone = settings.get("slots"), settings.get("independent")
    if not isinstance(own, list) or not own or not isinstance(alone, bool):
        raise saved.wrong(f"chains[{number}]", expected)
    if not all(type(each) is int and 0 <= each < len(slots) for each in own):
        raise saved.wrong(f"chains[{number}]", expected)
    tags = Tags(len(own), settings["scheme"])
    size = (len(features) + 1) * len(tags)
    if size * 8 > 1 << 33:
        raise saved.wrong(f"{len(features):,} features", "fewer")
    where = saved.integers(f"where{number}", [None], 0, len(features) * len(tags))
    weights = np.zeros(size)
    weights[where] = saved.floats(f"weights{number}", [len(where)])
    moves = saved.floats(f"moves{number}", [len(tags), len(tags)])
    return Chain(tuple(own), tags, weights.reshape(-1, len(tags)), moves, bool(alone))


def refuse_negative(name: str, **values: float) -> None:
    """Refuse parameters below zero."""
    for key, value in values.items():
        if not value >= 0:
            raise UsageError(f"{name}: found {key}={value}, expected 0 or more")

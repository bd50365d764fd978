"""A confusion matrix holds every error of fair once, under the labels of both sides."""

from __future__ import annotations

from carob.corpus.corpus import Corpus
from carob.explain.mentions import MentionErrors
from carob.match.fair import Fair
from carob.pair.pair import Pair


def analysed(pair: Pair, space: Fair) -> MentionErrors:
    return MentionErrors(pair, space(pair), lambda row: (None, None))


def test_errors_stand_where_their_labels_meet() -> None:
    gold = Corpus.of("[a]A [b c]A [d e]B [f]A g [h]B")
    system = Corpus.of("[a]A [b]A c [d]A e f [g]B [h]A")
    pair = Pair.of(gold, system)
    expected = {
        "A": {"A": 1, "_": 1},
        "B": {"A": 2},
        "_": {"B": 1},
    }
    assert expected == analysed(pair, Fair()).confusion().to_dict()
    assert expected == analysed(pair, Fair(focus="system")).confusion().to_dict()


def test_a_label_may_be_called_like_none() -> None:
    gold = Corpus.of({"tokens": ["a"], "mentions": [{"start": 0, "end": 1, "label": "_"}]})
    pair = Pair.of(gold, Corpus.of("a"))
    expected = {"_": {"__": 1}}
    assert expected == analysed(pair, Fair()).confusion().to_dict()


def test_no_mentions_make_an_empty_matrix() -> None:
    pair = Pair.of(Corpus.of("a"), Corpus.of("a"))
    assert analysed(pair, Fair()).confusion().to_dict() == {}

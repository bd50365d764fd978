"""Lists in memory become a corpus, or an error that names the document and the place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from carob import Corpus, Document, Mention, UsageError
from carob.corpus.lists import holds_documents, of_lists

ANN = (Mention("PER", 0, 2),)


class Doc(list[Any]):
    """What of_lists needs of a Doc of spaCy: tokens with places, and spans."""

    def __init__(self, words: list[str], *spans: tuple[str, int, int]) -> None:
        self.text, place = " ".join(words), 0
        for word in words:
            self.append(SimpleNamespace(text=word, idx=place))
            place += len(word) + 1
        self.ents = [
            SimpleNamespace(label_=label, start_char=start, end_char=end)
            for label, start, end in spans
        ]


class SpacyDoc:
    """The same; it is no list, as that of spaCy is none."""

    def __init__(self, *arguments: Any) -> None:
        self.doc = Doc(*arguments)
        self.text, self.ents = self.doc.text, self.doc.ents

    def __iter__(self) -> Any:
        return iter(self.doc)


class Own(list[Any]):
    """A list of a class of its own."""


@pytest.mark.parametrize(
    "documents",
    [
        [["B-PER", "I-PER", "O"], []],
        Own([Own(["B-PER", "I-PER", "O"]), []]),
        (("B-PER", "I-PER", "O"), ()),
        [np.array(["B-PER", "I-PER"]), np.array(["O"])],
        [[("PER", 0, 2)], []],
        [[["PER", 0, 2]], []],
        [[("PER", np.int64(0), np.int32(2))], ()],
        [[{"label": "PER", "start": 0, "end": 2}], []],
        [[{"label": "PER", "start": 0, "end": 2, "confidence": None}], []],
        [[Mention("PER", 0, 2)], []],
        [{"mentions": [{"label": "PER", "start": 0, "end": 2}]}, {"mentions": []}],
        [Document(mentions=ANN), Document()],
    ],
    ids=str,
)
def test_every_kind_of_list_gives_the_same_mentions(documents: Any) -> None:
    corpus = of_lists(documents)
    found = [[(m.label, m.start, m.end) for m in document.mentions] for document in corpus]
    assert [[("PER", 0, 2)], []] == found
    assert holds_documents(documents)
    assert not holds_documents([documents, documents])


def test_mentions_may_be_in_any_order() -> None:
    mentions = [("B", 3, 4), ("A", 0, 2), ("A", 0, 1)]
    one, other = of_lists([mentions]), of_lists([mentions[::-1]])
    assert one[0].mentions == other[0].mentions
    assert one.sha256 == other.sha256


def test_what_a_dict_says_beyond_its_place_is_kept() -> None:
    corpus = of_lists([[{"label": "A", "start": 0, "end": 1, "confidence": 0.5}, ("B", 2, 3)]])
    assert (0.5, None) == tuple(mention.confidence for mention in corpus[0].mentions)


def test_a_doc_of_spacy_is_text_with_tokens() -> None:
    corpus = of_lists([SpacyDoc(["Ann", "Lee", "slept"], ("PER", 0, 7)), SpacyDoc(["No"])])
    assert "char" == corpus.unit
    assert (Mention("PER", 0, 7),) == corpus[0].mentions
    assert ("Ann", "Lee", "slept") == corpus[0].tokens
    assert "Ann Lee slept" == corpus[0].text
    assert holds_documents([SpacyDoc(["No"])])
    assert not holds_documents([[SpacyDoc(["No"])]])


@pytest.mark.parametrize(
    "tags", [("B-A", "O"), ("A", "0", "0"), ("3", "2", "1"), ("B-A", "O", "O"), ("O", "1", "A")]
)
def test_tuples_of_tags_are_documents_and_not_mentions(tags: tuple[str, ...]) -> None:
    assert len(tags) == of_lists([tags]).documents.length[0]
    assert holds_documents([tags])
    assert not holds_documents([[tags]])


@pytest.mark.parametrize("mention", [("A", "0", "2"), ("A", 0, "2"), ("A", 0, 2, "x"), ("A", 2, 2)])
def test_a_mention_that_is_not_written_as_it_should_be_is_no_document(mention: Any) -> None:
    assert holds_documents([[mention]])


def test_topics_of_a_document_with_tokens_are_not_taken_for_tags() -> None:
    document = {"tokens": ["Ann", "ran"], "labels": ["sports"]}
    assert [2] == of_lists([document]).documents.length.tolist()


def test_lists_without_anything_fit_any_gold() -> None:
    corpus = of_lists([[], []])
    assert (None, [-1, -1]) == (corpus.unit, corpus.documents.length.tolist())
    assert 0 == len(of_lists([]))


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([["O"], ["O", 3]], "document 2, tag 2: found 3, expected a tag like O or B-PER"),
        ([["O"], ["O", ["x"]]], "document 2, tag 2: found ['x'], expected a tag"),
        ([["O"], None], "document 2: found NoneType, expected list like document 1"),
        ([[("A", 0, 1)], [(0, 1, "A")]], "document 2, mention 1: found (0, 1, 'A'), expected (lab"),
        ([[("A", 0, 1), "O"]], "document 1, mention 2: found 'O', expected (label, start, end)"),
        ([[("A", 0, True)]], "document 1, mention 1: found ('A', 0, True), expected"),
        ([[("A", 0.5, 1)]], "document 1, mention 1: found ('A', 0.5, 1), expected"),
        ([[("A", 2, 2)]], "document 1, mention 1: the span 2..2 is empty, negative or too large"),
        ([[("A", -1, 2)]], "document 1, mention 1: the span -1..2 is empty"),
        ([[("A", 0, 1 << 40)]], "document 1, mention 1: the span 0..1099511627776 is empty"),
        ([[("", 0, 1)]], "document 1, mention 1: found the label '', expected a name"),
        ([[{"label": "A", "start": 0}]], "mentions[0] without a place"),
        ([[{"label": "A", "start": 0, "end": 1, "lable": 2}]], "lable"),
        ([{"label": "A", "start": 0, "end": 1}], "document 1: found a mention, expected a list of"),
        ([("A", 0, 1)], "document 1: found a mention, expected a list of mentions for each docume"),
        ([("B-A", "O"), ("A", "0", "2")], "document 2: found a mention, expected a list of ment"),
        ([["O", None, "O"]], "document 1, tag 2: found None, expected a tag like O or B-PER"),
        ([[("A", "0", "2")]], "document 1, mention 1: found ('A', '0', '2'), expected (label, st"),
        ([[("A", 0, 2, "Ann")]], "document 1, mention 1: found ('A', 0, 2, 'Ann'), expected (lab"),
        (
            [{"tokens": ["Ann", "ran"], "ner_tags": ["B-A", "O"]}],
            "document 1: found tokens with "
            "ner_tags, expected tokens with mentions; give the tags themselves, as texts: "
            "[row['ner_tags'] for row in rows]",
        ),
        ([{"tokens": ["Ann"], "labels": np.array([1])}], "document 1: found tokens with labels, "),
        (["O", "O"], "document 1: found str, expected one of: lists of tags"),
        ([3], "document 1: found int, expected one of: lists of tags"),
    ],
)
def test_errors_name_the_document_and_the_place(documents: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        of_lists(documents)
    assert message in str(caught.value)


def test_a_hash_is_that_of_the_content() -> None:
    marked = Corpus.of("[Ann Lee]PER slept", "No .")
    words = [["Ann", "Lee", "slept"], ["No", "."]]
    tags = Corpus.from_tags([["B-PER", "I-PER", "O"], ["O", "O"]], words)
    assert marked.sha256 == tags.sha256


def test_a_hash_changes_with_whatever_changes() -> None:
    mention: dict[str, Any] = {"label": "A", "start": 0, "end": 1}
    document: dict[str, Any] = {"id": "d", "text": "Ann Lee", "mentions": [mention]}
    variants = [
        document,
        document | {"id": "e"},
        document | {"text": "Ann Lea"},
        document | {"mentions": []},
        document | {"attributes": {"part": "dev"}},
        document | {"sentences": [0, 4]},
        document | {"token_spans": [[0, 3], [4, 7]]},
        document | {"templates": [{"slots": {"who": ["Ann"]}}]},
        document | {"templates": [{"slots": {"who": ["Lee"]}}]},
        *(
            document | {"mentions": [mention | change]}
            for change in (
                {"label": "B"},
                {"end": 2},
                {"confidence": 0.5},
                {"id": "T1"},
                {"attributes": {"role": "x"}},
            )
        ),
        document | {"mentions": [{"label": "A", "fragments": [[0, 1], [2, 3]]}]},
        document | {"mentions": [{"label": "A", "start": 0, "end": 3}]},
    ]
    hashes = [Corpus.of(each).sha256 for each in variants]
    assert len(hashes) == len(set(hashes))
    assert Corpus.of(document).sha256 == hashes[0]

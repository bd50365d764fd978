"""A corpus can be made from marked text, objects, dicts and tags; its mentions stand in document
order whatever the order of the input; joining, mapping and keeping lose nothing else.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from carob import Corpus, Document, Group, Mention, UsageError
from carob.corpus.document import Filler, Template
from tests.worlds import Documents, documents, random_pairs


def test_marked_text_becomes_tokens_and_mentions() -> None:
    corpus = Corpus.of("[Ann Lee]PER visited [[New York]LOC Times]ORG .", "", "It rained")
    assert ("LOC", "ORG", "PER") == corpus.labels
    assert (Mention("PER", 0, 2), Mention("LOC", 3, 5), Mention("ORG", 3, 6)) == corpus[0].mentions
    assert [("Ann", "Lee", "visited", "New", "York", "Times", "."), (), ("It", "rained")] == [
        document.tokens for document in corpus
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("An[n]PER", "'[' inside a word at 2 of 'An[n]PER'"),
        ("[Ann] slept", "']' at 4 of '[Ann] slept': a mention is written [words]LABEL"),
        ("Ann]PER", "']PER' at 3 of 'Ann]PER': a mention is written [words]LABEL"),
        ("[Ann]PER, Bo", "',' touches a mention in '[Ann]PER, Bo'; put a space between"),
        ("[Ann slept", "a '[' is never closed in '[Ann slept'"),
        (
            "[]PER",
            "span 0..0 is empty or negative; ends are exclusive, so one position at 0 is 0..1",
        ),
    ],
)
def test_marked_text_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Corpus.of("[Ann]PER slept", text)
    assert f"document 2: {message}" == str(caught.value)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ((3,), "document 1: a document is marked text, a Document or a dict, not int"),
        (
            (Document(text="a"), Document(tokens=("a",))),
            "some documents count tokens, others characters; a corpus has one unit",
        ),
        ((Document("a"), Document()), "document 2 has no id, but others have"),
        ((Document("a"), Document("a")), "two documents have the id 'a'"),
        (({"id": 3.5},), "document 1: found id = 3.5, expected a text or a whole number"),
        (
            ({"id": "a"}, {"id": "b", "text": "x", "mentions": [{"start": 0, "end": 1}]}),
            "document 'b': found mentions[0] without a label, expected a label",
        ),
        (
            ({"mentions": []}, {"id": "d", "text": "Ann", "speaker": "Ann"}),
            "document 'd': found the key speaker and none of those that hold something, like "
            "mentions or templates; if speaker is a slot, it stands in a template: "
            '{"templates": [{"slots": {"speaker": [...]}}]}',
        ),
        (
            (Document("d", relations=(Group("r", (("x", "T9"),)),)),),
            "relation 'r' of document 'd' names the mention 'T9', which is not there",
        ),
        (
            (Document(clusters=(Group("", (("", "T9"),), "C1"),)),),
            "cluster 'C1' of document '1' names the mention 'T9', which is not there",
        ),
    ],
)
def test_documents_that_do_not_fit_are_refused(given_: tuple[Any, ...], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Corpus.of(*given_)
    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Mention("X", 7, 7),
            "span 7..7 is empty or negative; ends are exclusive, so one position at 7 is 7..8",
        ),
        (
            lambda: Mention("X", -1, 2),
            "span -1..2 is empty or negative; ends are exclusive, so one position at -1 is -1..0",
        ),
        (
            lambda: Mention.of("X", [(0, 2), (1, 3)]),
            "fragments 0..2 and 1..3 of one mention share a position",
        ),
        (lambda: Mention.of("X", []), "a mention needs at least one fragment"),
        (lambda: Document(unit="byte"), "a document's unit is token or char, not 'byte'"),
    ],
)
def test_objects_that_make_no_sense_are_refused(make: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert message == str(caught.value)


def test_fragments_are_sorted_and_touching_ones_merged() -> None:
    mention = Mention.of("X", [(4, 6), (0, 1), (1, 2)])
    assert (((0, 2), (4, 6)), 0, 6) == (mention.fragments, mention.start, mention.end)
    assert Mention("X", 0, 2) == Mention.of("X", [(1, 2), (0, 1)])


@given(documents)
def test_objects_come_out_as_they_went_in(docs: Documents) -> None:
    ordered = [
        replace(doc, mentions=tuple(sorted(doc.mentions, key=lambda m: (m.fragments, m.label))))
        for doc in docs
    ]
    assert ordered == list(Corpus.of(*docs))


def random_decorated(seed: int) -> Documents:
    """Mentions with attributes and ids, so that ties are broken late."""
    rng = random.Random(seed)
    found = []
    for document in random_pairs(seed, 200)[0]:
        marked = []
        for mention in document.mentions * 2:
            names = rng.sample(("a", "b"), rng.randint(0, 2))
            attributes = {name: rng.choice("xy") for name in names}
            name = rng.choice((None, "T1", "T10", "T2"))
            marked.append(Mention.of(mention.label, mention.fragments, attributes, None, name))
        found.append(replace(document, mentions=tuple(marked)))
    return found


def test_document_order_is_fragments_label_attributes_id() -> None:
    def key(mention: Mention) -> Any:
        words = [(n in mention.attributes, mention.attributes.get(n, "")) for n in ("a", "b")]
        return mention.fragments, mention.label, words, mention.id or ""

    docs = random_decorated(1)
    rng = random.Random(2)
    expected = [sorted(doc.mentions, key=key) for doc in docs]
    for _ in range(3):
        shuffled = [
            replace(doc, mentions=tuple(rng.sample(doc.mentions, len(doc.mentions))))
            for doc in docs
        ]
        assert expected == [list(doc.mentions) for doc in Corpus.of(*shuffled)]


INNER = Template("u", {"b": (Filler("B", ((1, 2),), (Filler("b"),), True),)})


def linked(number: int) -> Document:
    return Document(
        f"d{number}",
        tokens=("a", "b", "c"),
        mentions=(
            Mention("B", 1, 2, id="T2"),
            Mention("A", 0, 1, id="T1", confidence=0.5),
            Mention.of("A", [(0, 1), (2, 3)], {"k": str(number)}, id="T3"),
        ),
        relations=(Group("r", (("x", "T2"), ("y", "T1")), "R"),),
        clusters=(Group("", (("", "T3"), ("", "T2"))),),
        templates=(
            Template(
                "t",
                {"slot": (Filler(mention="T1"), Template("u", {"b": (Filler("B"),)}), Filler("a"))},
            ),
        ),
        attributes={"genre": "news"},
        sentences=(0, 2),
        extra={"n": number},
    )


def test_groups_follow_their_mentions_into_document_order() -> None:
    document = Corpus.of(linked(1))[0]
    assert ["T1", "T3", "T2"] == [mention.id for mention in document.mentions]
    same = linked(1)
    assert (same.relations, same.clusters, same.templates) == (
        document.relations, document.clusters, document.templates,
    )  # fmt: skip


def test_joined_blocks_are_the_corpus_of_all_their_documents() -> None:
    docs = [linked(1), linked(2), Document("e", tokens=()), linked(3)]
    whole = Corpus.of(*docs)
    joined = Corpus.joined([Corpus.of(docs[0]), Corpus.of(*docs[1:3]), Corpus.of(docs[3])])
    assert list(whole) == list(joined)
    assert whole.labels == joined.labels
    assert whole.documents.hash.tolist() == joined.documents.hash.tolist()


@pytest.mark.parametrize("cut", [0, 1, 70, 199, 200])
def test_joining_random_blocks_loses_nothing(cut: int) -> None:
    docs = random_pairs(7, 200)[0]
    joined = Corpus.joined([Corpus.of(*docs[:cut]), Corpus.of(*docs[cut:])])
    assert list(Corpus.of(*docs)) == list(joined)


def test_joining_nothing_is_the_empty_corpus_and_facts_add_up() -> None:
    assert 0 == len(Corpus.joined([]))
    parts = [replace(Corpus.of("a"), facts={"x": 1}), replace(Corpus.of("b"), facts={"x": 2})]
    assert {"x": 3} == Corpus.joined(parts).facts
    with pytest.raises(UsageError) as caught:
        Corpus.joined([Corpus.of("a"), Corpus.of(Document(text="a"))])
    assert "some documents count tokens, others characters" == str(caught.value)
    with pytest.raises(UsageError) as caught:
        Corpus.joined([Corpus.of("a"), Corpus.of(Document("x", tokens=("b",)))])
    assert "some documents have no id, but others have" == str(caught.value)


def test_mapping_renames_labels_and_keeps_document_order() -> None:
    names = {"A": "Z", "B": "C"}
    for docs in (random_pairs(8, 200)[0], [linked(1)]):
        renamed = [
            replace(
                doc,
                mentions=tuple(replace(m, label=names.get(m.label, m.label)) for m in doc.mentions),
            )
            for doc in docs
        ]
        mapped = Corpus.of(*docs).mapped(names)
        assert list(Corpus.of(*renamed)) == list(mapped)
        assert Corpus.of(*renamed).labels == mapped.labels
    unchanged = Corpus.of("[Ann]PER")
    assert unchanged.mapped({"LOC": "X"}) is unchanged


def test_kept_mentions_are_the_only_ones() -> None:
    corpus = Corpus.of(*random_pairs(9, 200)[0])
    rows = np.flatnonzero(np.random.default_rng(1).random(len(corpus.mentions)) < 0.5)
    kept = corpus.kept(rows)
    assert [corpus.mention(row) for row in rows.tolist()] == [
        mention for document in kept for mention in document.mentions
    ]
    groups = Corpus.of(linked(1)).kept(np.array([0, 2]))[0]
    assert (("x", "T2"), ("y", "T1")) == groups.relations[0].members
    assert (("", None), ("", "T2")) == groups.clusters[0].members


def test_documents_are_found_from_either_end() -> None:
    corpus = Corpus.of("a", "b")
    assert (("b",), ("a",)) == (corpus[-1].tokens, corpus[-2].tokens)
    with pytest.raises(IndexError, match="document 2 of 2"):
        corpus[2]


def test_a_corpus_says_what_it_is() -> None:
    assert "<Corpus: 1 documents, 1 mentions, labels PER>" == repr(Corpus.of("[Ann]PER"))
    assert "<Corpus: 0 documents, 0 mentions, labels none>" == repr(Corpus.of())
    slots = {"who": ["Ann", "Bo"], "at": [{"slots": {"room": ["5"]}}]}
    assert "<Corpus: 1 documents, 0 mentions, labels none, 2 templates with 3 fillers>" == repr(
        Corpus.of({"templates": [{"slots": slots}]})
    )
    assert "Mention.of('X', [(0, 1), (2, 3)], confidence=0.5, id='T')" == repr(
        Mention.of("X", [(0, 1), (2, 3)], confidence=0.5, id="T")
    )

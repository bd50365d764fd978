"""Gold and system documents pair by id, or by place; where they disagree the message says where;
nothing is dropped without being counted.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given

from carob import Corpus, Document, InputError, Mention, Pair, UsageError
from tests.carob.formats._files import of_bytes
from tests.worlds import Documents, named_pairs

NOTHING_LOST = {
    "missing_documents": 0,
    "extra_documents": 0,
    "repaired": 0,
    "discarded": 0,
    "unaligned": 0,
    "ignored": 0,
}


def rows(pair: Pair, side: str) -> list[tuple[int, Any, str]]:
    table = getattr(pair, side)
    return [
        (int(table.doc[i]), table.fragments_of(i), pair.labels[table.label[i]])
        for i in range(len(table))
    ]


def expected_rows(docs: Documents, order: list[str | None]) -> list[tuple[int, Any, str]]:
    return sorted(
        (order.index(doc.id), mention.fragments, mention.label)
        for doc in docs
        for mention in doc.mentions
    )


@given(named_pairs)
def test_documents_pair_by_id_in_any_order(pair: tuple[Documents, Documents]) -> None:
    gold, system = pair
    shuffled = random.Random(len(gold)).sample(system, len(system))
    found = Pair.of(Corpus.of(*gold), Corpus.of(*shuffled))
    order = [doc.id for doc in gold]
    assert expected_rows(gold, order) == rows(found, "gold")
    assert expected_rows(system, order) == rows(found, "system")
    assert () == found.warnings
    sizes = {
        "documents": len(gold),
        "gold_mentions": sum(len(doc.mentions) for doc in gold),
        "system_mentions": sum(len(doc.mentions) for doc in system),
    }
    assert sizes | NOTHING_LOST == found.coverage


def test_documents_without_ids_pair_by_place() -> None:
    gold = Corpus.of("[a]X b", "c [d]Y")
    system = Corpus.of(
        Document("one", tokens=("a", "b")),
        Document("two", tokens=("c", "d"), mentions=(Mention("X", 0, 1),)),
    )
    found = Pair.of(gold, system)
    assert [(0, ((0, 1),), "X"), (1, ((1, 2),), "Y")] == rows(found, "gold")
    assert [(1, ((0, 1),), "X")] == rows(found, "system")


def test_a_gold_document_without_an_answer_counts_as_empty_and_is_told() -> None:
    gold = Corpus.of(
        *(Document(name, tokens=("a",), mentions=(Mention("X", 0, 1),)) for name in "abc")
    )
    found = Pair.of(gold, Corpus.of(Document("b", tokens=("a",))))
    assert ("2 gold documents have no answer and count as empty, the first is a",) == found.warnings
    assert (3, 2, 3) == (found.size, found.coverage["missing_documents"], len(found.gold))


def test_a_system_document_that_gold_lacks_is_an_error_or_ignored() -> None:
    gold = Corpus.of(Document("a", tokens=("x",)))
    system = Corpus.of(
        *(Document(name, tokens=("x",), mentions=(Mention("X", 0, 1),)) for name in "zya")
    )
    with pytest.raises(InputError) as caught:
        Pair.of(gold, system)
    assert [
        f"system:{line}: K301 found the document {name!r}, expected only documents that gold has; "
        "--extra-docs ignore leaves it out"
        for line, name in ((1, "z"), (2, "y"))
    ] == [str(problem) for problem in caught.value.problems]
    found = Pair.of(gold, system, extra="ignore")
    assert ("2 system documents are not in gold and are ignored, the first is z",) == found.warnings
    assert (2, 2, 1) == (
        found.coverage["extra_documents"], found.coverage["ignored"], len(found.system),
    )  # fmt: skip


def test_labels_outside_of_the_tagset_are_removed_and_counted() -> None:
    gold, system = Corpus.of("[a]X [b]Y [c]Z"), Corpus.of("[a]Y [b]W c")
    found = Pair.of(gold, system, ["Y", "V", "Y"], only=True)
    assert ("V", "Y") == found.labels
    assert [(0, ((1, 2),), "Y")] == rows(found, "gold")
    assert [(0, ((0, 1),), "Y")] == rows(found, "system")
    assert (3, 3, 2) == tuple(
        found.coverage[name] for name in ("ignored", "gold_mentions", "system_mentions")
    )


def test_the_tagset_is_that_of_both_sides() -> None:
    assert ("X", "Y") == Pair.of(Corpus.of("[a]Y"), Corpus.of("[a]X")).labels
    assert ("X", "Y", "Z") == Pair.of(Corpus.of("[a]Y"), Corpus.of("[a]X"), ["Z", "Y", "X"]).labels


def test_repairs_of_both_sides_are_counted() -> None:
    pair = Pair.of(of_bytes(b"a I-X\nb B-X\n\nc B-X\n"), of_bytes(b"a B-X\nb O\n\nc I-X\n"))
    assert 2 == pair.coverage["repaired"]


def disagreement(gold: Corpus, system: Corpus) -> str:
    with pytest.raises(InputError) as caught:
        Pair.of(gold, system)
    assert 1 == caught.value.total
    return str(caught.value)


def named(name: str, data: bytes) -> Corpus:
    from carob import read
    from carob.corpus.source import Source

    return read(Source.of_bytes(data, name), "conll")


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (
            b"a O\nb O\n\nc O\n",
            b"a O\nB O\n\nc O\n",
            "s:2: K303 found the token 'B', expected the token 'b', as in g:2; "
            "token 2 of document '1'; 1 of 3 words differ, --words ignore compares places alone",
        ),
        (
            b"a O\n\nb O\nc O\n",
            b"a O\n\nb O\n",
            "s:3: K303 found the end of the document, expected the token 'c', as in g:4; "
            "token 2 of document '2'",
        ),
        (
            b"a O\nb O\n",
            b"a O\nb O\nc O\n",
            "s:3: K303 found the token 'c', expected the end of the document, as in g:2; "
            "token 3 of document '1'",
        ),
        (
            b"a O\n\nb O\n\nc O\n",
            b"a O\n\nb O\n",
            "s: K302 found 2 documents, expected 3, as in g",
        ),
        (
            b"a O\n",
            b"a O\n\nb O\n",
            "s:3: K302 found 2 documents, expected 1, as in g",
        ),
        (
            b"a O\n",
            b"x O\n\nb O\n",
            "s:1: K303 found the token 'x', expected the token 'a', as in g:1; "
            "token 1 of document '1'",
        ),
        (
            b"-DOCSTART- O\n\na O\nb O\n\nc O\n",
            b"-DOCSTART- O\n\na O\n\nb O\nc O\n",
            "s:5: K304 found sentence 2 of document '1' at token 2, expected at token 3, as in g:4",
        ),
        (
            b"-DOCSTART- O\n\na O\n\nb O\n",
            b"-DOCSTART- O\n\na O\nb O\n",
            "s:4: K304 found sentence 2 of document '1' nowhere, expected at token 2, as in g:5",
        ),
        (
            b"a O\nb O\n",
            b"O\nB-X\nO\n",
            "s:1: K303 found 3 tokens, expected 2, as in g:1; document '1'",
        ),
    ],
)
def test_files_that_disagree_say_where(gold: bytes, system: bytes, message: str) -> None:
    assert message == disagreement(named("g", gold), named("s", system))


def test_texts_that_disagree_say_where() -> None:
    gold, system = Corpus.of(Document("d", text="Ann")), Corpus.of(Document("d", text="Anm"))
    assert (
        "system:1: K303 found the character 'm', expected the character 'n', as in gold:1; "
        "character 3 of document 'd'"
    ) == disagreement(gold, system)


def test_what_one_side_does_not_know_cannot_disagree() -> None:
    gold = Corpus.of(Document("d", text="Ann slept", sentences=(0, 4)))
    spans = Corpus.of({"id": "d", "mentions": [{"start": 0, "end": 3, "label": "X"}]})
    assert ("char", 1) == (Pair.of(gold, spans).unit, len(Pair.of(gold, spans).system))


def test_tokens_are_found_in_the_text_of_the_other_side() -> None:
    text = Document(
        "d",
        text="Ann  Lee, of\nRome",
        mentions=(Mention("P", 0, 8), Mention.of("L", [(0, 3), (13, 17)])),
    )
    tokens = Document(
        "d",
        tokens=("Ann", "Lee", ",", "of", "Rome"),
        mentions=(Mention("P", 0, 2), Mention.of("L", [(0, 1), (4, 5)])),
    )
    for gold, system in ((text, tokens), (tokens, text)):
        pair = Pair.of(Corpus.of(gold), Corpus.of(system))
        assert "char" == pair.unit
        assert 17 == pair.documents.length[0]
        assert [(0, ((0, 3), (13, 17)), "L"), (0, ((0, 8),), "P")] == rows(pair, "gold")
        assert rows(pair, "gold") == rows(pair, "system")


def test_tokens_are_found_for_every_document_by_id() -> None:
    texts = [Document(name, text=f"{name} x {name}") for name in "abc"]
    tokens = [
        Document(name, tokens=(name, "x", name), mentions=(Mention("X", 2, 3),)) for name in "cb"
    ]
    pair = Pair.of(Corpus.of(*texts), Corpus.of(*tokens))
    assert [(1, ((4, 5),), "X"), (2, ((4, 5),), "X")] == rows(pair, "system")
    assert 1 == pair.coverage["missing_documents"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ("Ann", "Lea"),
            "K305 found the token 'Lea', expected the text ' Lee slept' at character 3",
        ),
        (
            ("Ann", "slept"),
            "K305 found the token 'slept', expected the text ' Lee slept' at character 3",
        ),
        (
            ("Ann", "Ann"),
            "K305 found the token 'Ann', expected the text ' Lee slept' at character 3",
        ),
    ],
)
def test_tokens_that_are_not_in_the_text_are_told(words: tuple[str, ...], problem: str) -> None:
    text = Corpus.of(Document("d", text="Ann Lee slept"))
    tokens = Corpus.of(Document("d", tokens=words))
    assert f"system:1: {problem}" == disagreement(text, tokens)
    assert f"gold:1: {problem}" == disagreement(tokens, text)


def test_characters_need_a_text_to_meet_tokens() -> None:
    spans = Corpus.of({"id": "d", "unit": "char", "mentions": []})
    with pytest.raises(UsageError) as caught:
        Pair.of(Corpus.of(Document("d", tokens=("Ann",))), spans)
    assert (
        "one side counts tokens, the other characters, and document 'd' lacks the tokens or the "
        "text that could align the two; oas, oads and templates compare strings and do not need it"
    ) == str(caught.value)


def test_keys_are_equal_where_place_and_label_are() -> None:
    gold = Corpus.of(
        Document(
            tokens=("a",) * 5, mentions=(Mention.of("X", [(0, 1), (3, 4)]), Mention("X", 0, 1))
        )
    )
    system = Corpus.of(
        Document(
            tokens=("a",) * 5, mentions=(Mention.of("X", [(0, 1), (2, 4)]), Mention("Y", 0, 1))
        )
    )
    pair = Pair.of(gold, system)
    for label, shared in ((True, 0), (False, 1)):
        ours, theirs = pair.keys(label=label)
        assert shared == len(set(ours.tolist()) & set(theirs.tolist()))


def slot(*fillers: Any, id: str = "d") -> dict[str, Any]:
    return {"id": id, "unit": "char", "templates": [{"slots": {"s": list(fillers)}}]}


@pytest.mark.parametrize(
    ("fillers", "count"),
    [
        (["x", {"start": 0, "end": 4}], 1),
        ([{"text": "x", "alternatives": [{"start": 2, "end": 4}]}], 1),
        ([{"fragments": [[0, 1], [3, 4]]}, {"start": 0, "end": 3}, {"start": 3, "end": 4}], 2),
        ([{"slots": {"t": [{"start": 0, "end": 4}]}}], 1),
    ],
)
def test_a_filler_behind_the_end_of_gold_is_told(fillers: list[Any], count: int) -> None:
    gold = Corpus.of({"id": "c", "text": "longer"}, {"id": "d", "text": "Ann"})
    with pytest.raises(InputError) as caught:
        Pair.of(gold, Corpus.of(slot("y", id="c"), slot(*fillers)))
    assert (
        "system: K306 found a filler that ends at 4 in document 'd', expected an end within the 3 "
        "positions that gold has" == str(caught.value.problems[0])
    )
    assert count == caught.value.total


def test_an_end_of_gold_behind_the_end_of_a_document_of_the_system_is_refused() -> None:
    gold = Corpus.of(
        {"id": "d", **slot({"start": 0, "end": 4}, "x")},
        {"id": "e", "mentions": [{"start": 0, "end": 3, "label": "A"}]},
        {"id": "f", "mentions": [{"start": 0, "end": 9, "label": "A"}]},
    )
    fitting = {"id": "d", "text": "four"}, {"id": "e", "text": "Ann"}
    Pair.of(gold, Corpus.of(*fitting))
    for texts, message in (
        ({"d": "Ann", "e": "Ann"}, "system: K306 found 3 positions in document 'd', expected at "
         "least 4, where a filler of gold ends"),
        ({"f": "Ann", "e": "An"}, "system: K306 found 2 positions in document 'e', expected at "
         "least 3, where a mention of gold ends (and 1 more like it)"),
    ):  # fmt: skip
        system = Corpus.of(*({"id": name, "text": text} for name, text in texts.items()))
        with pytest.raises(InputError) as caught:
            Pair.of(gold, system)
        assert message == str(caught.value)


def test_fillers_inside_of_gold_or_of_documents_it_lacks_are_fine() -> None:
    gold = Corpus.of({"id": "d", "text": "Ann"})
    system = Corpus.of(slot({"start": 0, "end": 9}, id="e"), slot("x", {"start": 0, "end": 3}))
    found = Pair.of(gold, system, extra="ignore")
    assert (0, 3) == (found.coverage["gold_fillers"], found.coverage["system_fillers"])
    unknown = Corpus.of({"id": "d"})
    assert 1 == Pair.of(unknown, Corpus.of(slot({"start": 0, "end": 9}))).size


def test_documents_without_ids_are_paired_by_their_words() -> None:
    texts = [f"[Ann{number}]PER slept" for number in range(9)]
    gold = Corpus.of(*texts)
    rng = random.Random(3)
    for _ in range(20):
        rng.shuffle(texts)
        pair = Pair.of(gold, Corpus.of(*texts))
        assert (9, 9) == (len(pair.identical[0]), len(pair.identical[1]))
        assert any("paired by their words" in each for each in pair.warnings)
    assert not Pair.of(gold, gold).warnings


@pytest.mark.parametrize("system", [
    ["[b]X", "[a]X", "[z]X"], ["[a]X", "[a]X", "[b]X"], ["[c]X", "[b]X"],
])  # fmt: skip
def test_other_documents_are_not_paired_by_their_words(system: list[str]) -> None:
    with pytest.raises(InputError):
        Pair.of(Corpus.of("[a]X", "[b]X", "[c]X"), Corpus.of(*system))

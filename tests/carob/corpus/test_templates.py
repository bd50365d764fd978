"""Templates survive their columns: what was put in comes out, in blocks and in parts."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from carob import Corpus, Document, Mention, UsageError
from carob.corpus.document import DEEPEST, Filler, Template, linked_mentions
from carob.corpus.tables import Templates
from carob.pair.filled import words_at
from carob.pair.pair import Pair
from carob.pair.template_types import slot_labels
from carob.values.raw import fold


def random_filler(rng: random.Random, mentions: int) -> Filler:
    text = rng.choice(("Ann", "ann", " Bo  Lee", None))
    span = ((rng.randrange(3), rng.randint(3, 5)),) if rng.random() < 0.4 else ()
    name = None
    if not span and mentions and rng.random() < 0.3:
        name = f"T{rng.randrange(mentions)}"
    if text is None and not span and name is None:
        text = "x"
    others = tuple(
        rng.choice((Filler("B"), Filler(fragments=((0, 1), (2, 3))), Filler("C", ((1, 2),))))
        for _ in range(rng.choice((0, 0, 0, 1, 2)))
    )
    confidence = rng.choice((None, None, 0.5))
    return Filler(text, span, others, rng.random() < 0.2, confidence, name)


def random_template(rng: random.Random, mentions: int, depth: int = 0) -> Template:
    slots: dict[str, tuple[Filler | Template, ...]] = {}
    for slot in rng.sample(("a", "b", "c.d"), rng.randint(0, 3)):
        slots[slot] = tuple(
            random_template(rng, mentions, depth + 1)
            if depth < 3 and rng.random() < 0.25
            else random_filler(rng, mentions)
            for _ in range(rng.randint(1, 3))
        )
    return Template(rng.choice(("", "t", "u")), slots, rng.choice((None, "E1")))


def random_documents(seed: int, count: int) -> list[Document]:
    rng = random.Random(seed)
    found = []
    for number in range(count):
        mentions = tuple(
            Mention("P", start := rng.randrange(5), rng.randint(start + 1, 6), id=f"T{i}")
            for i in range(rng.randrange(4))
        )
        templates = tuple(random_template(rng, len(mentions)) for _ in range(rng.randrange(4)))
        found.append(Document(f"d{number}", "abc de", mentions=mentions, templates=templates))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_what_was_put_in_comes_out(seed: int) -> None:
    documents = random_documents(seed, 100)
    corpus = Corpus.of(*documents)
    assert [doc.templates for doc in documents] == [doc.templates for doc in corpus]


@pytest.mark.parametrize("seed", range(5))
def test_blocks_that_are_joined_are_the_whole(seed: int) -> None:
    documents = random_documents(seed, 60)
    rng = random.Random(seed)
    cuts = sorted(rng.sample(range(61), 4))
    parts = [documents[a:b] for a, b in zip([0, *cuts], [*cuts, 60], strict=True)]
    joined = Corpus.joined([Corpus.of(*part) for part in parts])
    assert [doc.templates for doc in documents] == [doc.templates for doc in joined]


def test_some_documents_keep_their_templates() -> None:
    documents = random_documents(7, 50)
    corpus = Corpus.of(*documents)
    chosen = [40, 3, 3, 17, 49, 0]
    taken = corpus.templates.take(np.array(chosen))
    ids = corpus.mentions.id
    for row, doc in enumerate(chosen):
        assert documents[doc].templates == taken.of_document(row, ids)
    assert 0 == len(corpus.templates.take(np.array([], np.int64)))


def test_a_filler_whose_mention_is_left_out_keeps_its_place() -> None:
    template = Template("t", {"who": (Filler(mention="T1"), Filler(mention="T2"))})
    mentions = (Mention("P", 0, 1, id="T1"), Mention("P", 1, 3, id="T2"))
    corpus = Corpus.of(Document("d", "abc", mentions=mentions, templates=(template,)))
    kept = corpus.kept(np.array([1]))[0].templates[0]
    assert (Filler(fragments=((0, 1),)), Filler(mention="T2")) == kept.slots["who"]


def walked(template: Template, path: str) -> Iterator[tuple[str, Filler]]:
    """The rows of all fillers, from the definition."""
    for slot, filler in template:
        row = f"{path}.{slot}" if path else slot
        if isinstance(filler, Template):
            yield from walked(filler, row)
        else:
            yield row, filler


@pytest.mark.parametrize("seed", range(5))
def test_every_filler_counts_in_the_row_of_its_path(seed: int) -> None:
    documents = random_documents(seed, 80)
    corpus = Corpus.of(*documents)
    filled = Pair.of(corpus, corpus).filled
    expected = sorted(
        (i, row, _texts(filler, doc))
        for i, doc in enumerate(documents)
        for template in doc.templates
        for row, filler in walked(template, template.label)
    )
    side, texts = filled.gold, filled.texts
    actual = sorted(
        (
            int(side.doc[k]),
            filled.labels[side.label[k]],
            tuple(
                texts.values[texts.gold[i]]
                for i in range(side.realisations[k], side.realisations[k + 1])
            ),
        )
        for k in range(len(side))
    )
    assert expected == actual
    rows = {row for _, row, _ in expected}
    assert tuple(sorted(rows)) == slot_labels(corpus) == filled.labels


def _texts(filler: Filler, doc: Document) -> tuple[str, ...]:
    mentions = {mention.id: mention.fragments for mention in doc.mentions}

    def folded(text: str | None, fragments: tuple[tuple[int, int], ...]) -> str:
        assert doc.text is not None
        if text is None:
            text = " ".join(doc.text[start:end] for start, end in fragments)
        return " ".join(text.lower().split())

    places = filler.fragments or mentions.get(filler.mention, ())
    others = [folded(other.text, other.fragments) for other in filler.alternatives]
    return (folded(filler.text, places), *others)


def test_mentions_are_fillers_of_one_template_a_document() -> None:
    gold = Corpus.of("[Ann Lee]who met [Bo]who in [Rome]where", "it rained")
    filled = Pair.of(gold, gold).filled
    assert ("where", "who") == filled.labels
    assert ("ann lee", "bo", "rome") == filled.texts.values
    assert [0, 0, 0] == filled.gold.template.tolist()
    assert 2 == len(filled.gold.forms)


def test_labels_and_names_are_those_of_rows() -> None:
    gold = Corpus.of({"templates": [{"label": "t", "slots": {"a": ["x"], "b": ["y"]}}]})
    assert ("t.a", "who") == slot_labels(gold.mapped({"t.b": "who"}))
    filled = Pair.of(gold, gold, ("t.a",), only=True).filled
    assert (("t.a",), 1, 1, 2) == (
        filled.labels, len(filled.gold), len(filled.system), filled.ignored,
    )  # fmt: skip
    more = Pair.of(gold, gold, slots=("t.a", "t.b", "t.c")).filled
    assert ("t.a", "t.b", "t.c") == more.labels


def test_a_system_lacks_documents_and_has_its_own_order() -> None:
    def document(name: str, text: str) -> dict[str, object]:
        return {"id": name, "templates": [{"slots": {"a": [text]}}]}

    gold = Corpus.of(document("d1", "x"), document("d2", "y"), document("d3", "z"))
    system = Corpus.of(document("d3", "Z"), document("d1", "X"))
    filled = Pair.of(gold, system).filled
    assert [2, 0] == filled.system.doc.tolist()
    assert ["z", "x"] == [filled.texts.values[i] for i in filled.texts.system.tolist()]


def test_texts_fold_case_white_space_and_unicode() -> None:
    assert "strasse 2\u2044" == fold("  STRASSE\n\u00b2\u2044 ")
    assert fold("\u01f0") == fold("J\u030c")
    assert words_at((None, None), [(0, 1)], "char") is None
    assert words_at(("Ann", None), [(0, 1)], "token") is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "a filler needs a text, a place or a mention"),
        ({"text": " "}, "a filler with the text ' ' fills nothing"),
        ({"fragments": ((0, 1),), "mention": "T1"},
         "a filler has a place of its own or is a mention, not both"),
        ({"text": "a", "alternatives": (Filler("b", optional=True),)},
         "an alternative is a text or a place and nothing more"),
        ({"text": "a", "alternatives": (Filler(mention="T1"),)},
         "an alternative is a text or a place, not a mention"),
    ],
)  # fmt: skip
def test_a_filler_that_is_none_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Filler(**arguments)  # type: ignore[arg-type]
    assert message == str(caught.value)


def test_templates_say_what_they_cannot_hold() -> None:
    with pytest.raises(UsageError) as caught:
        Template("t", {"a": (b"5",)})  # type: ignore[dict-item]
    assert "slot 'a': found bytes, expected a text, a Filler or a Template" == str(caught.value)
    with pytest.raises(UsageError) as caught:
        Corpus.of(Document("d", "abc", templates=(Template("t", {"a": (Filler(mention="T9"),)}),)))
    assert "document 'd': a filler names the mention 'T9', which is not there" == str(caught.value)
    deep = Template()
    for _ in range(DEEPEST):
        deep = Template("", {"a": (deep,)})
    with pytest.raises(UsageError) as caught:
        Templates.of([[deep]])
    assert "document 1: templates stand in each other more than 32 deep" == str(caught.value)
    assert [] == list(linked_mentions(deep))

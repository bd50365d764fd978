"""Documents with their errors: every count of an analysis can be found again in them."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from carob.corpus.corpus import Corpus
from carob.corpus.document import Document, Filler, Template
from carob.explain.analysis import ErrorAnalysis
from carob.explain.documents import common_unit, documents, relations_of, words_of
from carob.explain.mentions import MentionErrors
from carob.explain.slots import SlotErrors
from carob.match.fair import Fair
from carob.match.templates import Templates
from carob.pair.pair import Pair
from carob.result.documents import MOVED, DocumentErrors, Relation
from tests.worlds import corpora, random_pairs


def mention_errors(gold: Corpus, system: Corpus) -> MentionErrors:
    pair = Pair.of(gold, system, sorted({*gold.labels, *system.labels}))
    return MentionErrors(pair, Fair()(pair), gold.words)


def slot_errors(gold: Corpus, system: Corpus) -> SlotErrors:
    pair = Pair.of(gold, system)
    return SlotErrors(pair, Templates()(pair), gold.words)


def random_forms(seed: int) -> tuple[Corpus, Corpus]:
    """Templates with few words for their slots, so that strings stand in wrong slots, too."""
    draw = random.Random(seed)

    def form() -> dict[str, Any]:
        slots = {slot: draw.choices("abcx", k=draw.randrange(3)) for slot in ("p", "q", "r")}
        return {"label": "t", "slots": {slot: values for slot, values in slots.items() if values}}

    sides = [
        [{"text": "a b c", "templates": [form() for _ in range(draw.randrange(3))]} for _ in "12"]
        for _ in range(2)
    ]
    return Corpus.of(*sides[0]), Corpus.of(*sides[1])


def found_again(analysis: ErrorAnalysis, every: list[DocumentErrors], system: int = 0) -> None:
    labels = analysis.table.labels
    none = analysis.confusion().names[-1]
    counts: Counter[tuple[str, str]] = Counter()
    cells: Counter[tuple[str, str]] = Counter()
    for document in every:
        for event in document.events[system]:
            gold = document.gold[event.gold].label if event.gold >= 0 else none
            answer = document.systems[system][event.system].label if event.system >= 0 else none
            if event.counted:
                counts[event.type, answer if event.gold < 0 else gold] += 1
            for kind in event.also:
                counts[kind, answer] += 1
            if event.confused:
                cells[gold, answer] += 1
    expected = {
        (kind, labels[i]): int(count)
        for kind, column in analysis.counts().items()
        for i, count in enumerate(column)
        if count and kind != analysis.kinds[0]
    }
    assert expected == counts
    assert {(gold, answer): n for gold, answer, n in analysis.confusion().entries} == cells


def test_mentions_errors_and_confusions_are_those_of_the_analysis() -> None:
    for seed in range(16):
        gold, system = corpora(random_pairs(seed, 30))
        analysis = mention_errors(gold, system)
        every = list(documents([analysis], gold.words))
        found_again(analysis, every)
        assert len(gold) == len(every)
        assert len(gold.mentions) == sum(len(document.gold) for document in every)
        assert len(system.mentions) == sum(len(document.systems[0]) for document in every)


def test_slots_errors_and_confusions_are_those_of_the_analysis() -> None:
    moved = 0
    for seed in range(60):
        gold, system = random_forms(seed)
        if not (len(gold.templates) and len(system.templates)):
            continue
        analysis = slot_errors(gold, system)
        every = list(documents([analysis], gold.words))
        found_again(analysis, every)
        types = [event.type for document in every for event in document.events[0]]
        moved += types.count(MOVED)
    assert moved > 10


def test_systems_share_the_items_of_gold() -> None:
    gold = Corpus.of("[Ann]PER met [Bo]PER")
    systems = [Corpus.of("Ann met [Bo]PER"), Corpus.of("[Ann]LOC met Bo")]
    (document,) = documents([mention_errors(gold, system) for system in systems], gold.words)
    assert 2 == len(document.gold)
    assert [[("FN", 0)], [("FN", 1), ("LE", 0)]] == [
        sorted((event.type, event.gold) for event in events if event.counted)
        for events in document.events
    ]


def test_documents_with_errors_come_first_each_in_order() -> None:
    gold = Corpus.of("[a]A", "b", "[c]A", "d")
    system = Corpus.of("[a]A", "[b]A", "c", "d")
    names = [each.name for each in documents([mention_errors(gold, system)], gold.words)]
    assert ["2", "3", "1", "4"] == names


def test_words_are_tokens_or_text_and_may_be_unknown() -> None:
    gold = Corpus.of({"text": "Ann slept", "mentions": [{"start": 0, "end": 3, "label": "P"}]})
    (document,) = documents([mention_errors(gold, gold)], gold.words)
    assert ("Ann slept", None, 9) == (document.text, document.tokens, document.length)
    (document,) = documents([mention_errors(gold, gold)], lambda row: (None, None))
    assert (None, None, 9) == (document.text, document.tokens, document.length)
    tokens = Corpus.of("[Ann]P slept")
    (document,) = documents([mention_errors(tokens, tokens)], tokens.words)
    assert (None, ("Ann", "slept"), 2) == (document.text, document.tokens, document.length)


def test_characters_are_moved_to_tokens_if_a_system_has_tokens() -> None:
    gold = Corpus.of("[Ann Lee]PER slept")
    text = {"text": "Ann Lee slept", "mentions": [{"start": 4, "end": 7, "label": "PER"}]}
    system = Corpus.of(text)
    both = [mention_errors(gold, each) for each in (gold, system)]
    words = words_of(gold, [gold, system], common_unit(both))
    (document,) = documents(both, words)
    assert ("Ann", "Lee", "slept") == document.tokens
    assert [((0, 2),), ((1, 2),)] == [items[0].fragments for items in document.systems]
    alone = both[1:]
    (document,) = documents(alone, words_of(gold, [system], common_unit(alone)))
    assert ("Ann Lee slept", None) == (document.text, document.tokens)
    assert [((0, 7),), ((4, 7),)] == [document.gold[0].fragments, document.systems[0][0].fragments]


def test_a_filler_has_its_texts_its_place_and_its_template() -> None:
    bo = Filler("Bo", alternatives=(Filler("Bob"),))
    today, ann = Filler("today"), Filler("Ann")
    forms = Template(slots={"when": (today,), "who": (bo,)}), Template(slots={"who": (ann,)})
    gold = Corpus.of(Document(text="Ann met Bo today", templates=forms))
    answer = {"templates": [{"slots": {"when": ["today"], "who": ["Eve"]}}]}
    (document,) = documents([slot_errors(gold, Corpus.of(answer))], gold.words)
    assert [
        ("when", ((11, 16),), ("today",), "template 1"),
        ("who", ((8, 10),), ("Bo", "Bob"), "template 1"),
        ("who", ((0, 3),), ("Ann",), "template 2"),
    ] == document.gold
    assert ("who", (), ("Eve",), "") == document.systems[0][1]
    assert [("COR", ()), ("INC", ("ungrounded",)), ("MIS", ())] == [
        (event.type, event.also) for event in document.events[0]
    ]


def test_attributes_of_mentions_are_their_note() -> None:
    mention = {"start": 0, "end": 3, "label": "P", "attributes": {"realis": "actual"}}
    gold = Corpus.of({"text": "Ann", "mentions": [mention]})
    (document,) = documents([mention_errors(gold, gold)], gold.words)
    assert "realis=actual" == document.gold[0].note


def test_relations_are_placed_in_the_documents_of_gold() -> None:
    def document(name: str) -> dict[str, Any]:
        return {
            "id": name,
            "text": "Ann met Bo",
            "mentions": [
                {"id": "T1", "start": 0, "end": 3, "label": "P"},
                {"id": "T2", "start": 8, "end": 10, "label": "P"},
            ],
            "relations": [{"label": "met", "arguments": {"who": "T1", "whom": "T2"}}],
        }

    gold, system = Corpus.of(document("a"), document("b")), Corpus.of(document("b"))
    assert {1: (Relation("met", (("who", "Ann"), ("whom", "Bo"))),)} == relations_of(system, gold)

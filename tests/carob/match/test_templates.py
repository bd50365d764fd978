"""templates aligns forms, and in aligned forms fillers, as well as any alignment could; the order
of what a file gives, and how many documents it has, change nothing.
"""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from carob import Corpus, Pair, Recipe, RecipeError, Tally, UsageError, score
from carob.match.exact import Boundary, Exact
from carob.match.overlap import Contains, Overlap
from carob.match.templates import Templates
from tests.carob.match._template_twin import Record, judged

LETTERS = "abc"
MATCHES = {"exact": Exact(), "overlap": Overlap(), "contains": Contains(1)}
OUTCOMES = ("COR", "INC", "PAR", "MIS", "SPU")


def realised(rng: random.Random, words: int, kind: str) -> Any:
    """A text, a place, or both; texts are short and places are few, so that much is equal."""
    text = " ".join(rng.choice(LETTERS) for _ in range(rng.choice((1, 1, 1, 2, 3))))
    if kind == "text" or (kind == "both" and rng.random() < 0.5):
        text = rng.choice((text, text, text, text.upper(), f"{text},"))
        return text if rng.random() < 0.9 else {"text": text}
    start = rng.randrange(words)
    end = rng.randint(start + 1, min(words, start + 3))
    place: Record = {"start": 2 * start, "end": 2 * end - 1}
    if end - start == 3 and rng.random() < 0.5:
        place = {"fragments": [[2 * start, 2 * start + 1], [2 * end - 2, 2 * end - 1]]}
    if kind == "both" and rng.random() < 0.3:
        place["text"] = text
    return place


def filler(rng: random.Random, words: int, kind: str, plain: bool) -> Any:
    own = realised(rng, words, kind)
    if plain or rng.random() < 0.7:
        return own
    record = dict(own) if isinstance(own, dict) else {"text": own}
    if rng.random() < 0.6:
        record["alternatives"] = [realised(rng, words, kind) for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.6:
        record["optional"] = True
    return record


def form(rng: random.Random, words: int, kind: str, plain: bool, depth: int = 0) -> Record:
    slots: dict[str, list[Any]] = {}
    for slot in rng.sample("xyz", rng.choice((1, 1, 2, 2, 3))):
        slots[slot] = [filler(rng, words, kind, plain) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        if depth < 2 and rng.random() < 0.2:
            several = rng.choice((1, 2, 2, 3)) if depth == 0 else rng.choice((1, 1, 2))
            slots[slot] += [form(rng, words, kind, plain, depth + 1) for _ in range(several)]
    types = ("A", "A", "A", "B", "") if depth == 0 else ("", "", "P")
    return {"label": rng.choice(types), "slots": slots}


def edited(rng: random.Random, template: Record, words: int, kind: str, plain: bool) -> Record:
    """The same with some fillers changed, gone or new."""
    slots: dict[str, list[Any]] = {}
    for slot, values in template["slots"].items():
        kept = [value for value in values if rng.random() < 0.85]
        slots[slot] = [
            edited(rng, value, words, kind, plain)
            if isinstance(value, dict) and "slots" in value
            else value if rng.random() < 0.6 else filler(rng, words, kind, plain)
            for value in kept
        ]  # fmt: skip
    if rng.random() < 0.3:
        slots.setdefault(rng.choice("xyz"), []).append(filler(rng, words, kind, plain))
    return {**template, "slots": slots}


def worlds(seed: int, size: int) -> tuple[list[Record], list[Record]]:
    """Documents with up to four templates a side; the system's are like gold's, and others."""
    rng = random.Random(seed)
    gold, system = [], []
    for i in range(size):
        words, kind = rng.randint(2, 5), rng.choice(("text", "place", "both", "text"))
        plain = rng.random() < 0.4
        text = " ".join(rng.choice(LETTERS) for _ in range(words))
        ours = [form(rng, words, kind, plain) for _ in range(rng.choice((0, 1, 1, 2, 3, 4)))]
        ours += [rng.choice(ours) for _ in range(rng.choice((0, 0, 0, 1))) if ours]
        theirs = [form(rng, words, kind, plain) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        theirs += [
            edited(rng, each, words, kind, plain) if rng.random() < 0.8 else each for each in ours
        ]
        gold.append({"id": f"d{i}", "text": text, "templates": ours[:4]})
        system.append({"id": f"d{i}", "text": text, "templates": theirs[-4:]})
    return gold, system


TIMES = settings().max_examples / 100
"""How many more worlds than usual: more than one only where hypothesis explores more."""

GOLD, SYSTEM = worlds(seed=7, size=round(400 * TIMES))
FEW = round(60 * TIMES)


def shuffled(rng: random.Random, value: Any) -> Any:
    """Lists of templates, fillers and alternatives, and slots, in another order."""
    if isinstance(value, dict):
        keys = rng.sample(list(value), len(value))
        kept = ("fragments",)
        return {key: value[key] if key in kept else shuffled(rng, value[key]) for key in keys}
    if isinstance(value, list):
        return [shuffled(rng, each) for each in rng.sample(value, len(value))]
    return value


def counts(space: Templates, gold: list[Record], system: list[Record]) -> list[dict[Any, int]]:
    """For each document, (row, outcome) -> how many."""
    tally = Tally.of(space, Pair.of(Corpus.of(*gold), Corpus.of(*system)))
    found: list[dict[Any, int]] = [{} for _ in gold]
    for row, column in zip(*np.nonzero(tally.counts), strict=True):
        key = tally.labels[tally.label[row]], tally.outcomes[column]
        found[tally.unit[row]][key] = int(tally.counts[row, column])
    return found


def total(space: Templates, gold: list[Record], system: list[Record]) -> dict[str, float]:
    counted = Tally.of(space, Pair.of(Corpus.of(*gold), Corpus.of(*system))).counted()
    return {name: counted[name] for name in OUTCOMES}


def one(*templates: Record) -> list[Record]:
    return [{"id": "d", "templates": list(templates)}]


def talk(label: str = "talk", **slots: Any) -> Record:
    return {"label": label, "slots": slots}


every_space = pytest.mark.parametrize("match", MATCHES)
every_type = pytest.mark.parametrize("kind", ["same", "ignore"])


@every_type
@every_space
def test_no_alignment_is_better(match: str, kind: Any) -> None:
    size = len(GOLD) if (match, kind) == ("exact", "same") else FEW
    found = counts(Templates(MATCHES[match], kind), GOLD[:size], SYSTEM[:size])
    for gold, system, actual in zip(GOLD, SYSTEM, found, strict=False):
        assert judged(gold, system, match, 1, kind == "same") == actual, (gold, system)


MORE_GOLD, MORE_SYSTEM = worlds(seed=11, size=round(250 * TIMES))
options = pytest.mark.parametrize(
    ("align", "premodifiers"),
    [(("x",), "count"), (("x", "y"), "ignore"), (("x.y", "z"), "count"), ((), "ignore")],
)


@options
@pytest.mark.parametrize(
    ("match", "kind"), [("exact", "same"), ("exact", "ignore"), ("contains", "same")]
)
def test_no_alignment_is_better_with_key_slots_or_without_premodifiers(
    match: str, kind: Any, align: tuple[str, ...], premodifiers: Any
) -> None:
    size = len(MORE_GOLD) if (match, kind) == ("exact", "same") else FEW
    space = Templates(MATCHES[match], kind, align, premodifiers)
    found = counts(space, MORE_GOLD[:size], MORE_SYSTEM[:size])
    for gold, system, actual in zip(MORE_GOLD, MORE_SYSTEM, found, strict=False):
        # The worlds' texts are made of the letters a, b and c: one of them is an article.
        ignored = ("a",) if premodifiers == "ignore" else ()
        expected = judged(gold, system, match, 1, kind == "same", align, ignored)
        assert expected == actual, (gold, system)


@options
def test_their_order_is_irrelevant_with_key_slots_or_without_premodifiers(
    align: tuple[str, ...], premodifiers: Any
) -> None:
    rng, space = random.Random(5), Templates(align=align, premodifiers=premodifiers)
    ours, theirs = GOLD[: 2 * FEW], SYSTEM[: 2 * FEW]
    gold, system = ([shuffled(rng, each) for each in side] for side in (ours, theirs))
    assert counts(space, ours, theirs) == counts(space, gold, rng.sample(system, len(system)))


@options
def test_sides_exchange_with_key_slots_or_without_premodifiers(
    align: tuple[str, ...], premodifiers: Any
) -> None:
    # Alternatives and what is optional are gold's, so that only plain documents can be exchanged.
    plain = [i for i, each in enumerate(GOLD) if "alternatives" not in str(each)
             and "optional" not in str(each) and "alternatives" not in str(SYSTEM[i])
             and "optional" not in str(SYSTEM[i])]  # fmt: skip
    gold, system = ([side[i] for i in plain] for side in (GOLD, SYSTEM))
    space = Templates(align=align, premodifiers=premodifiers)
    there, back = total(space, gold, system), total(space, system, gold)
    assert there["COR"] == back["COR"] > 0
    assert there["PAR"] == back["PAR"]


def test_templates_without_a_key_slot_in_common_stay_apart() -> None:
    gold = one(talk(perp=["FMLN"], target=["a bridge"], date=["May"]))
    system = one(talk(perp=["police"], target=["a bank"], date=["May"]))
    assert 1 == total(Templates(), gold, system)["COR"]
    # The targets share a word, so they are partly correct, and that is enough.
    assert 1 == total(Templates(align=("perp", "target")), gold, system)["PAR"]
    assert {"COR": 0, "INC": 0, "PAR": 0, "MIS": 3, "SPU": 3} == total(
        Templates(align=("perp",)), gold, system
    )


def test_equal_templates_are_not_aligned_first_if_key_slots_forbid_what_remains() -> None:
    both = talk(key=["a", "b"], more=["c", "d", "e", "f"])
    gold = one(both, talk(key=["b"], more=["c", "d", "e", "f"]))
    system = one(both, talk(key=["a"], more=["c", "d", "e", "f"]))
    # Across, each pair shares one key and four others; the second with the second has no key.
    assert 10 == total(Templates(align=("key",)), gold, system)["COR"]
    assert 10 == total(Templates(), gold, system)["COR"]


def test_a_key_slot_that_no_template_has_is_an_error() -> None:
    with pytest.raises(UsageError) as refused:
        total(Templates(align=("prep",)), one(talk(perp=["a"])), one(talk(perp=["a"])))
    assert str(refused.value) == (
        "templates(align=…): no slot is called 'prep'; did you mean perp? there are: perp"
    )


def test_articles_and_numbers_that_precede_a_text_can_be_ignored() -> None:
    for ours, theirs, right in (
        ("the guerrillas", "Guerrillas", True), ("All of the guerrillas", "two guerrillas", True),
        ("armed guerrillas", "guerrillas", False), ("guerrillas, the", "guerrillas,", False),
        ("the", "the", True), ("three", "3", False), ("the", "a", False),
    ):  # fmt: skip
        space = Templates(premodifiers="ignore")
        assert right == total(space, one(talk(who=[ours])), one(talk(who=[theirs])))["COR"]


def test_a_premodifier_is_no_word_in_common_if_it_is_ignored() -> None:
    gold, system = one(talk(who=["the bridge"])), one(talk(who=["the bank"]))
    assert 1 == total(Templates(), gold, system)["PAR"]
    assert 0 == total(Templates(premodifiers="ignore"), gold, system)["PAR"]


def test_only_known_words_say_what_happens_to_premodifiers() -> None:
    with pytest.raises(RecipeError) as refused:
        Templates(premodifiers="drop")  # type: ignore[arg-type]
    assert str(refused.value) == ("templates(premodifiers=…): found drop, expected count or ignore")
    with pytest.raises(RecipeError) as refused:
        Recipe.parse("templates(align=a+a).F1")
    assert str(refused.value) == "templates(align=a+a): a name occurs twice"


def test_a_recipe_names_key_slots_in_any_order() -> None:
    recipe = Recipe.parse('templates(align=target+"perp: id",premodifiers=ignore).F1')
    assert Templates(align=("perp: id", "target"), premodifiers="ignore") == recipe.space
    assert recipe == Recipe.parse(str(recipe))


@every_type
@every_space
def test_the_order_of_everything_is_irrelevant(match: str, kind: Any) -> None:
    rng, space = random.Random(3), Templates(MATCHES[match], kind)
    order = rng.sample(range(len(GOLD)), FEW)
    gold, system = ([shuffled(rng, side[i]) for i in order] for side in (GOLD, SYSTEM))
    before = counts(space, [GOLD[i] for i in order], [SYSTEM[i] for i in order])
    assert before == counts(space, gold, rng.sample(system, len(system)))


def test_a_document_counts_the_same_alone_and_among_others() -> None:
    together = counts(Templates(), GOLD[:FEW], SYSTEM[:FEW])
    for gold, system, found in zip(GOLD, SYSTEM, together, strict=False):
        alone = counts(Templates(), [gold, *TYPED], [system, *TYPED])[0]
        assert found == alone


TYPED = [{"id": "typed", "text": "a b c d e", "templates": [talk("A"), talk("B")]}]
"""Templates of two types, so that those without one are not taken for the one type there is."""


@every_type
@every_space
def test_gold_against_itself_has_no_errors(match: str, kind: Any) -> None:
    found = counts(Templates(MATCHES[match], kind), GOLD[:FEW], GOLD[:FEW])
    assert {"COR", "COR_system"} == {outcome for each in found for _, outcome in each}


@every_type
@every_space
def test_every_filler_counts_once(match: str, kind: Any) -> None:
    """POS is all of gold but for optional fillers that were not found; ACT is all of the system."""
    pair = Pair.of(Corpus.of(*GOLD[:FEW]), Corpus.of(*SYSTEM[:FEW]))
    events = Templates(MATCHES[match], kind)(pair)
    assert "filler" == events.items
    ours = np.sort(events.gold[events.outcome < 4])
    theirs = np.sort(events.system[events.outcome >= 4])
    assert np.arange(len(pair.filled.system)).tolist() == theirs.tolist()
    assert len(ours) == len(set(ours.tolist()))
    left = np.setdiff1d(np.arange(len(pair.filled.gold)), ours)
    assert pair.filled.gold.optional[left].all()


def test_with_overlap_nothing_is_partly_right() -> None:
    found = counts(Templates(Overlap()), GOLD[:FEW], SYSTEM[:FEW])
    assert not {"PAR", "PAR_system"} & {outcome for each in found for _, outcome in each}


def test_the_worlds_have_all_there_is() -> None:
    seen = total(Templates(), GOLD, SYSTEM)
    assert min(seen.values()) > 200 * TIMES, seen


def test_a_talk_as_muc_would_score_it() -> None:
    """One slot is right, one in part, one wrong with one filler missing, one spurious."""
    gold = one(talk(speaker=["Dr. Ann Lee"], room=["5409"], time=["3:30", "15:30"]))
    system = one(talk(speaker=["Ann Lee"], room=["5409"], time=["4:30"], host=["Bo"]))
    assert dict(zip(OUTCOMES, (1, 1, 1, 1, 1), strict=True)) == total(Templates(), gold, system)
    recipes = ["P", "R", "F1", "UND", "OVG", "SUB", "ERR", "SER"]
    found = score(Corpus.of(*gold), Corpus.of(*system), [f"templates.{name}" for name in recipes])
    expected = [1.5 / 4, 1.5 / 4, 1.5 / 4, 1 / 4, 1 / 4, 1.5 / 3, 3.5 / 5, 3.5 / 4]
    assert expected == pytest.approx([each.value for each in found])


def test_templates_align_for_most_correct_fillers_then_most_partly_correct() -> None:
    gold = one(talk(x=["a"], y=["b c"]), talk(x=["a"], y=["d e"]))
    system = one(talk(x=["a"], y=["d"]), talk(x=["a"], y=["b"]))
    assert {"COR": 2, "INC": 0, "PAR": 2, "MIS": 0, "SPU": 0} == total(Templates(), gold, system)


def test_a_template_that_shares_nothing_is_missing_or_spurious_as_a_whole() -> None:
    gold, system = one(talk(x=["a"], y=["b"])), one(talk(x=["c"], y=["d"]))
    assert {"COR": 0, "INC": 0, "PAR": 0, "MIS": 2, "SPU": 2} == total(Templates(), gold, system)


def test_types_must_agree_unless_they_are_ignored() -> None:
    gold, system = one(talk("A", x=["a", "b"])), one(talk("B", x=["a", "c"]), talk("A", y=["d"]))
    assert 0 == total(Templates(), gold, system)["COR"]
    found = counts(Templates(type="ignore"), gold, system)[0]
    assert {("A.x", "COR"): 1, ("A.x", "INC"): 1, ("B.x", "COR_system"): 1,
            ("B.x", "INC_system"): 1, ("A.y", "SPU"): 1} == found  # fmt: skip


def test_not_finding_an_optional_filler_costs_nothing_and_finding_it_is_right() -> None:
    maybe = {"text": "b", "optional": True}
    gold = one(talk(x=["a", maybe]))
    assert {"COR": 1, "INC": 0, "PAR": 0, "MIS": 0, "SPU": 0} == total(
        Templates(), gold, one(talk(x=["a"]))
    )
    assert {"COR": 2, "INC": 0, "PAR": 0, "MIS": 0, "SPU": 0} == total(
        Templates(), gold, one(talk(x=["b", "a"]))
    )
    # What is left of the system is not held against a filler that need not be there.
    assert {"COR": 1, "INC": 0, "PAR": 0, "MIS": 0, "SPU": 1} == total(
        Templates(), gold, one(talk(x=["a", "c"]))
    )


def test_of_two_that_may_match_the_one_that_is_needed_does() -> None:
    gold = one(talk(x=[{"text": "a", "optional": True}, {"text": "c", "alternatives": ["a"]}]))
    assert {"COR": 1, "INC": 0, "PAR": 0, "MIS": 0, "SPU": 0} == total(
        Templates(), gold, one(talk(x=["a"]))
    )


def test_a_nested_template_is_aligned_within_its_parents_only() -> None:
    def inner(value: str) -> Record:
        return {"slots": {"y": [value]}}

    gold = one(talk(x=["a"], z=[inner("p"), inner("q")]), talk(x=["b"], z=[inner("r")]))
    system = one(talk(x=["b"], z=[inner("q")]), talk(x=["a"], z=[inner("q"), inner("r")]))
    found = counts(Templates(), gold, system)[0]
    assert {("talk.x", "COR"): 2, ("talk.x", "COR_system"): 2, ("talk.z.y", "COR"): 1,
            ("talk.z.y", "COR_system"): 1, ("talk.z.y", "MIS"): 2,
            ("talk.z.y", "SPU"): 2} == found  # fmt: skip


def test_what_stands_in_templates_decides_how_they_align() -> None:
    def outer(value: str, *deep: str) -> Record:
        return talk(x=[value], z=[{"slots": {"y": list(deep)}}])

    gold = one(outer("a", "p", "q"), outer("a", "r", "s"))
    system = one(outer("a", "r", "s"), outer("a", "q", "p"))
    assert {"COR": 6, "INC": 0, "PAR": 0, "MIS": 0, "SPU": 0} == total(Templates(), gold, system)


def test_mentions_fill_the_slot_that_their_label_names() -> None:
    gold, system = (
        Corpus.of("[Ann Lee]who met [Bo]who in [Rome]where"),
        Corpus.of("[Ann]who Lee met [Bo]who in [Rome]who"),
    )
    tally = Tally.of(Templates(), Pair.of(gold, system))
    assert ("where", "who") == tally.labels
    counted = tally.counted()
    expected = {"COR": 1.0, "INC": 0.0, "PAR": 1.0, "MIS": 1.0, "SPU": 1.0}
    assert expected == {name: counted[name] for name in OUTCOMES}


def test_places_are_compared_where_both_have_one_else_texts() -> None:
    def document(value: Any) -> list[Record]:
        return [{"id": "d", "text": "Bo met Bo", "templates": [talk(x=[value])]}]

    first, last = {"start": 0, "end": 2}, {"start": 7, "end": 9}
    for one_, other, right in ((first, first, 1), (first, last, 0), (first, "BO", 1),
                               ("bo", last, 1), ("bo", " Bo ", 1)):  # fmt: skip
        assert right == total(Templates(), document(one_), document(other))["COR"]
    both = {**first, "alternatives": [last]}
    assert 1 == total(Templates(), document(both), document(last))["COR"]
    # A system that names several has said the first.
    assert 0 == total(Templates(), document(last), document(both))["COR"]


def test_a_place_and_a_text_cannot_be_compared_without_words() -> None:
    gold, system = one(talk(x=["a"])), one(talk(x=[{"start": 0, "end": 1}]))
    with pytest.raises(UsageError) as caught:
        total(Templates(), gold, system)
    expected = (
        "templates: document 'd' has a filler with only a place, one with only a text, and no "
        "text of its own to compare them in"
    )
    assert expected == str(caught.value)
    # Nothing has to be compared here: the slots differ.
    assert 1 == total(Templates(), gold, one(talk(y=[{"start": 0, "end": 1}])))["SPU"]


def test_templates_without_fillers_count_nothing() -> None:
    assert [{}] == counts(Templates(), one(talk(), talk(x=[talk(y=[])])), one(talk()))


def test_recipes_know_it() -> None:
    assert (
        Templates(Contains(2), "ignore")
        == Recipe.parse("templates(match=contains(k=2),type=ignore).F1").space
    )
    assert (
        "templates(match=exact,premodifiers=count,type=same).F1@micro"
        == Recipe.parse("templates.F1").full
    )
    with pytest.raises(RecipeError, match="expected exact, overlap or contains"):
        Templates(Boundary())
    with pytest.raises(RecipeError, match="templates has no type 'sane'; did you mean same"):
        Templates(type="sane")  # type: ignore[arg-type]


def noisy(rng: random.Random, template: Record) -> Record:
    slots = dict(template["slots"])
    slots[rng.choice(sorted(slots))] = ["other"]
    return {**template, "slots": slots}


@pytest.mark.slow
def test_large_slots_and_many_templates_take_seconds() -> None:
    rng = random.Random(5)
    items = [f"item {i}" for i in range(10_000)]
    forms = [talk(name=[f"n{i}"], city=[f"c{rng.randrange(99)}"]) for i in range(5_000)]
    began = time.perf_counter()
    assert 10_000 == total(Templates(), one(talk(x=items)), one(talk(x=items[::-1])))["COR"]
    same = [talk(x=["a"])] * 10_000
    assert 10_000 == total(Templates(), one(*same), one(*same))["COR"]
    answers = [*forms[:4_000], *(noisy(rng, form) for form in forms[4_000:])]
    assert 9_000 == total(Templates(), one(*forms), one(*answers))["COR"]
    assert 9_000 == total(Templates(), one(talk(z=forms)), one(talk(z=answers)))["COR"]
    assert time.perf_counter() - began < 60


def test_too_many_pairs_are_refused_by_the_name_of_the_document() -> None:
    gold = [*one(talk(x=["a"])), {"id": "big", "templates": [talk(x=["a"])] * 5_000}]
    crowd = [talk(x=["a"], y=["b"])] * 5_000
    system = [*one(talk(x=["a"])), {"id": "big", "templates": crowd}]
    with pytest.raises(UsageError) as caught:
        total(Templates(), gold, system)
    expected = (
        "templates: more than 4,000,000 pairs of fillers may match, most of them in the slot "
        "'talk.x' of document 'big': it has too many fillers"
    )
    assert expected == str(caught.value)
    places = [{"start": 0, "end": n + 1} for n in range(5_000)]
    with pytest.raises(UsageError, match=r"slot 'talk.x' of document 'd': it has too many"):
        total(Templates(), one(talk(x=places)), one(talk(x=places[::-1], y=["a"])))


def test_equal_templates_are_not_aligned_where_others_share_more() -> None:
    """By its place Bo is found twice, by its text once: equal templates would leave one alone."""

    def document(*values: Any) -> list[Record]:
        return [{"id": "d", "text": "Bo met Al", "templates": [talk(x=[v]) for v in values]}]

    here = {"start": 0, "end": 2}
    gold, system = document(here, "bo"), document(here, {**here, "text": "he"})
    assert 2 == total(Templates(), gold, system)["COR"]


def test_of_equal_templates_the_one_with_fewer_optional_fillers_chooses_first() -> None:
    """Both have as much right with either answer, and the first answer is the first's."""
    maybe = {"text": "d", "optional": True}
    gold = [talk(x=["b"], y=[maybe]), talk(x=["b"], y=["d"])]
    system = one(talk(x=["b"], y=["d"]), talk(x=["a", "b"]))
    expected = {"COR": 3, "INC": 0, "PAR": 0, "MIS": 1, "SPU": 1}
    assert expected == total(Templates(), one(*gold), system)
    assert expected == total(Templates(), one(*gold[::-1]), system)

"""relations, triggers and arguments count what their definition says: items by their keys, equal
keys of a document once.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob import (
    Corpus,
    DataError,
    Document,
    Mention,
    Pair,
    Recipe,
    RecipeError,
    Tally,
    compare,
    errors,
    rank,
    read,
    robust,
    score,
)
from carob.cli import main
from carob.corpus.document import Group
from carob.evaluate.draft import draft
from carob.match.relations import KINDS, Relations, kinds_of_errors
from carob.plugin import Source
from tests.carob.match._alignment import Small, aligned
from tests.worlds import random_answer, random_mention, times

QUANTITIES = ("gold_right", "gold_all", "system_right", "system_all")


def counts(recipe: str, pair: Pair) -> list[float]:
    total = Tally.of(Recipe.parse(f"{recipe}.P").space, pair).total()
    return [float(total[name]) for name in QUANTITIES]


def rows(recipe: str, pair: Pair) -> dict[str, list[float]]:
    tally = Tally.of(Recipe.parse(f"{recipe}.P").space, pair)
    table = tally.by_label()
    return {
        label: [float(table[name][i]) for name in QUANTITIES]
        for i, label in enumerate(tally.labels)
    }


def test_the_golden_cases(data: Path) -> None:
    folder = data / "records"
    expected = json.loads((folder / "expected.json").read_text())["relations"]
    cases = json.loads((folder / "relations.json").read_text())["cases"]
    assert set(expected) == {case["name"] for case in cases}
    for case in cases:
        pair = Pair.of(Corpus.of(case["gold"]), Corpus.of(case["system"]))
        for recipe, values in expected[case["name"]].items():
            if recipe.startswith("rows of "):
                assert values == rows(recipe.removeprefix("rows of "), pair), (case["name"], recipe)
            else:
                assert values == counts(recipe, pair), (case["name"], recipe)


# A slow and obvious twin


def random_links(
    rng: random.Random, mentions: list[Mention], labels: tuple[str, ...]
) -> tuple[Group, ...]:
    groups = []
    for _ in range(rng.randint(0, 4) if mentions else 0):
        roles = rng.choice((("a", "b"), ("a", "a"), ("a",), ("a", "b", "b")))
        members = [(role, rng.choice(mentions).id) for role in roles]
        if rng.random() < 0.4:
            members.append(("trigger", rng.choice(mentions).id))
        groups.append(Group(rng.choice(labels), tuple(members)))
    if groups and rng.random() < 0.3:
        twice = rng.choice(groups)
        groups.append(Group(twice.label, twice.members[::-1]))
    return tuple(groups)


def world(rng: random.Random) -> tuple[Document, Document]:
    length = rng.randint(1, 6)
    tokens = tuple("abcdef"[:length])
    marked = [random_mention(rng, length, "XY") for _ in range(rng.randint(0, 4))]
    answer = random_answer(rng, marked, length, "XY")

    def headed(mention: Mention) -> Mention:
        start, end = rng.choice(mention.fragments)
        at = rng.randrange(start, end)
        return replace(mention, head=(at, at + 1)) if rng.random() < 0.5 else mention

    sides = []
    for found in (marked, list(answer)):
        named = [replace(headed(m), id=str(i)) for i, m in enumerate(found)]
        links = random_links(rng, named, ("K", "L"))
        sides.append(Document(tokens=tokens, mentions=tuple(named), relations=links))
    gold = sides[0]
    if len(gold.mentions) > 1:
        some = rng.sample(gold.mentions, 2)
        cluster = Group("", tuple(("", mention.id) for mention in some))
        gold = replace(gold, clusters=(cluster,))
    return gold, sides[1]


def in_order(mentions: tuple[Mention, ...]) -> list[Mention]:
    return sorted(mentions, key=lambda m: (m.fragments, m.label, m.id or ""))


def positions(mention: Mention) -> set[int]:
    return {at for start, end in mention.fragments for at in range(start, end)}


def small(mention: Mention) -> Small:
    return Small(mention.fragments, mention.label, ())


def moved(gold: list[Mention], system: list[Mention], span: str, typed: bool) -> dict[str, Any]:
    """The place of each system mention, by its id; ("lost", own place) if it fits nothing."""
    places: dict[str, Any] = {}
    if span == "exact":
        return {s.id or "": s.fragments for s in system}
    if span == "head":
        for s in system:
            heads = [
                (len(positions(g)), i, g.head)
                for i, g in enumerate(gold)
                if g.head is not None and positions(s) <= positions(g)
                and set(range(*g.head)) <= positions(s)
            ]  # fmt: skip
            own = (s.head,) if s.head is not None else None
            places[s.id or ""] = own or ((min(heads)[2],) if heads else s.fragments)
        return places
    places = {s.id or "": ("lost", s.fragments) for s in system}
    if span == "aligned":
        for label in ("X", "Y") if typed else ("XY",):
            ours = [g for g in gold if g.label in label]
            theirs = [s for s in system if s.label in label]
            for i, k in aligned(([*map(small, ours)], [*map(small, theirs)]), ()):
                places[theirs[k].id or ""] = ours[i].fragments
        return places
    left, waiting = list(gold), list(system)
    for same_label in (True, False):
        for s in list(waiting):
            for g in left:
                if g.fragments == s.fragments and (g.label == s.label or not same_label):
                    if same_label or not typed:
                        places[s.id or ""] = g.fragments
                    left.remove(g)
                    waiting.remove(s)
                    break
    for s in waiting:
        for g in left:
            if positions(g) & positions(s) and (not typed or g.label == s.label):
                places[s.id or ""] = g.fragments
                left.remove(g)
                break
    return places


class Twin:
    """Items of both sides by their keys, one document at a time, in plain Python."""

    def __init__(self, recipe: str) -> None:
        self.space = Recipe.parse(f"{recipe}.P").space
        self.name = self.space.name

    def keys(self, gold: Document, system: Document) -> list[list[tuple[Any, Any, str]]]:
        """For each side, each stated item: its key, the key with clusters, its row."""
        space = self.space
        typed = self.name == "relations" and space.types == "match"
        ours, theirs = in_order(gold.mentions), in_order(system.mentions)
        head = space.span == "head"
        place: list[dict[str, Any]] = [
            {g.id or "": (g.head,) if head and g.head else g.fragments for g in ours},
            moved(ours, theirs, space.span, typed),
        ]
        label = [{m.id or "": m.label for m in side} for side in (ours, theirs)]
        together: dict[Any, int] = {}
        for number, group in enumerate(gold.clusters if getattr(space, "coref", "") == "gold"
                                       else ()):  # fmt: skip
            for _, member in group.members:
                own = place[0][member or ""], label[0][member or ""] if typed else ""
                together.setdefault(own, number)
        found = []
        for side, document in enumerate((gold, system)):
            items: list[tuple[Any, Any, str]] = []

            def code(member: str | None, side: int = side) -> Any:
                return place[side][member or ""], label[side][member or ""] * typed

            def same(own: Any) -> Any:
                return own

            def joint(own: Any) -> Any:
                return ("cluster", together[own]) if own in together else own

            def is_lost(own: Any) -> bool:
                return bool(own[0][0] == "lost")

            for group in document.relations:
                triggers = [code(m) for role, m in group.members if role == "trigger"]
                others = [(role, code(m)) for role, m in group.members if role != "trigger"]
                if self.name == "relations" and not triggers:
                    plain = group.label in space.symmetric_ or "all" in space.symmetric_
                    lists = [
                        tuple(sorted(((("" if plain else role), change(own))
                                      for role, own in others), key=repr))
                        for change in (same, joint)
                    ]  # fmt: skip
                    named = group.label * (space.label == "match")
                    lost = any(is_lost(own) for _, own in others)
                    one, other = ((named, each) for each in lists)
                    items.append((one, None if lost else other, group.label))
                elif self.name == "triggers":
                    named = group.label * (space.label == "match")
                    for own in triggers:
                        key = own, named
                        items.append((key, None if is_lost(own) else key, group.label))
                elif self.name == "arguments" and triggers:
                    for role, own in others:
                        more: list[Hashable] = [role * (space.role == "match")]
                        if space.attach != "none":
                            more.append(group.label)
                        if space.attach == "trigger":
                            more.append(tuple(sorted(triggers, key=repr)))
                        lost = is_lost(own) or (
                            space.attach == "trigger" and any(map(is_lost, triggers))
                        )
                        key, last = ((each, *more) for each in (own, joint(own)))
                        items.append((key, None if lost else last, f"{group.label}.{role}"))
            found.append(items)
        return found

    def rows(self, gold: Document, system: Document) -> dict[str, list[int]]:
        table: dict[str, list[int]] = {}
        sides = []
        for items in self.keys(gold, system):
            once: dict[Any, tuple[Any, str]] = {}
            for key, joint, row in items:
                if key not in once or row < once[key][1]:
                    once[key] = joint, row
            sides.append(list(once.values()))
        common = Counter(j for j, _ in sides[0] if j is not None) & Counter(
            j for j, _ in sides[1] if j is not None
        )
        for side, different in enumerate(sides):
            left = Counter(common)
            # Of equal joint keys, those whose keys come first are right: any choice has the same
            # total, and rows are compared only where keys are joint keys.
            for joint, row in different:
                own = table.setdefault(row, [0, 0, 0, 0])
                own[2 * side + 1] += 1
                if joint is not None and left[joint]:
                    left[joint] -= 1
                    own[2 * side] += 1
        return table


RECIPES = [
    "relations", "relations(types=ignore)", "relations(label=ignore)", "relations(symmetric=K)",
    "relations(symmetric=all,types=ignore)", "relations(span=head)",
    "relations(span=head,types=ignore)", "relations(span=aligned)",
    "relations(span=aligned,types=ignore)", "relations(span=first)",
    "relations(span=first,types=ignore)", "relations(coref=gold)",
    "relations(coref=gold,types=ignore)", "relations(coref=gold,span=aligned,label=ignore)",
    "triggers", "triggers(label=ignore)", "triggers(span=head)", "triggers(span=aligned)",
    "triggers(span=first)", "arguments", "arguments(role=ignore)", "arguments(attach=trigger)",
    "arguments(attach=none)", "arguments(attach=trigger,role=ignore,span=aligned)",
    "arguments(span=first)", "arguments(span=head)", "arguments(coref=gold)",
    "arguments(attach=trigger,coref=gold)",
]  # fmt: skip


@cache
def worlds() -> tuple[list[tuple[Document, Document]], Pair]:
    rng = random.Random(7)
    found = [world(rng) for _ in range(times(5))]
    return found, Pair.of(
        Corpus.of(*(gold for gold, _ in found)), Corpus.of(*(s for _, s in found))
    )


@pytest.mark.parametrize("recipe", RECIPES)
def test_it_counts_what_a_slow_and_obvious_version_counts(recipe: str) -> None:
    twin, (documents, pair) = Twin(recipe), worlds()
    tally = Tally.of(twin.space, pair)
    by_unit = tally.by_unit()
    expected: dict[str, list[int]] = {}
    for number, both in enumerate(documents):
        own = twin.rows(*both)
        for row, numbers in own.items():
            total = expected.setdefault(row, [0, 0, 0, 0])
            expected[row] = [a + b for a, b in zip(total, numbers, strict=True)]
        sums = [sum(column) for column in zip(*own.values(), strict=True)] or [0, 0, 0, 0]
        assert sums == [by_unit[name][number] for name in QUANTITIES], both
    assert any(row[0] for row in expected.values())
    if "coref" not in recipe:
        found = {row: numbers for row, numbers in rows(recipe, pair).items() if any(numbers)}
        assert expected == found


# What else must hold

ANN, OSLO = Mention("PER", 0, 1, id="a"), Mention("LOC", 2, 3, id="o")


def between(*labels: str, **arguments: str) -> Corpus:
    members = tuple(arguments.items()) or (("who", "a"), ("where", "o"))
    groups = tuple(Group(label, members) for label in labels)
    return Corpus.of(
        Document("d", tokens=("Ann", "in", "Oslo"), mentions=(ANN, OSLO), relations=groups)
    )


def test_a_relation_stated_twice_is_one_and_is_counted_in_the_coverage() -> None:
    result = score(between("BORN"), between("BORN", "BORN"), "relations.PRF", resamples=0)
    assert [1.0, 1.0, 1.0] == [each.value for each in result.scores]
    assert 1 == result.systems[0].coverage["duplicates"]


@pytest.mark.parametrize("span", ["aligned", "first"])
def test_a_wrong_item_stated_three_times_is_one(span: str) -> None:
    bo = Mention("PER", 1, 2, id="b")
    for trigger, recipe in ((False, "relations"), (True, "triggers"), (True, "arguments")):
        roles = ("trigger" if trigger else "who", "b"), ("where", "o")
        wrong = Document(
            "d", tokens=("Ann", "in", "Oslo"), mentions=(ANN, bo, OSLO),
            relations=(Group("BORN", roles),) * 3,
        )  # fmt: skip
        recipe = f"{recipe}(attach=trigger,span={span})" if recipe == "arguments" else (
            f"{recipe}(span={span})"
        )  # fmt: skip
        gold = replace(wrong, mentions=(ANN, OSLO), relations=())
        pair = Pair.of(Corpus.of(gold), Corpus.of(wrong))
        assert [0, 0, 0, 1] == counts(recipe, pair)
        assert [2] == list(pair.links.duplicates.values())


def test_relations_that_lack_a_mention_are_not_known_to_be_the_same() -> None:
    gold = between("BORN", "BORN")
    lost = np.where(gold.relations.mention == 1, -1, gold.relations.mention)
    gold = replace(gold, relations=replace(gold.relations, mention=lost))
    assert [0, 2, 0, 2] == counts("relations", Pair.of(gold, gold))


def stated(*triples: tuple[str, str, str], text: str | None = None) -> Corpus:
    rows = [dict(zip(("head", "type", "tail"), each, strict=True)) for each in triples]
    line = {"id": "d", "triples": rows} | ({"text": text} if text else {})
    return read(Source.of_bytes(json.dumps(line).encode(), "file.jsonl"), "triples")


def test_a_triple_with_strings_that_are_not_in_the_text_is_one_however_often_it_is_stated() -> None:
    text = "Ann was born in Oslo"
    gold = stated(("Ann", "BORN", "Oslo"), text=text)
    wrong = [("Ann", "BORN", "Rome"), ("Ann", "BORN", "rome"), ("Ann", "BORN", "Paris")]
    pair = Pair.of(gold, stated(*wrong))
    assert [0, 1, 0, 2] == counts("relations", pair)
    assert 3 == pair.covered["ungrounded"]
    nowhere = stated(("Cy", "BORN", "Oslo"), text=text)
    assert [0, 1, 0, 1] == counts("relations", Pair.of(nowhere, nowhere))


EXCHANGED = [("Ann", "BORN", "Oslo"), ("Bo", "BORN", "Rome"), ("Cy", "WORK", "Acme")]


def test_triples_whose_tails_are_exchanged_are_wrong_in_the_first_row_of_the_table() -> None:
    heads, labels, tails = zip(*EXCHANGED, strict=True)
    gold = stated(*EXCHANGED)
    system = stated(*zip(heads, labels, (tails[1], tails[0], "Rome"), strict=True))
    result = score(gold, system, resamples=0)
    assert "relations(span=text,types=ignore).P" == result.scores[0].recipe
    assert 0 == result.scores[0].value
    assert (
        "relations(coref=none,label=match,span=text,types=ignore).P" in result.scores[0].signature
    )
    assert 1 == score(gold, gold, resamples=0).scores[0].value
    assert not [each for each in result.remarks if "no relations" in each]
    for text in (None, "Ann, Bo and Cy were in Oslo, Rome, Acme"):
        sides = stated(*EXCHANGED, text=text), stated(*EXCHANGED[:2])
        one = score(*sides, "relations.F1", resamples=0)
        assert pytest.approx(0.8) == one.value
        assert ("relations.F1" if text else "relations(span=text).F1") == one.scores[0].recipe


def test_a_side_of_triples_says_nothing_of_types() -> None:
    text = {"id": "d", "text": "Ann in Oslo"}
    mentions = [{"id": "a", "start": 0, "end": 3, "label": "PER"},
                {"id": "o", "start": 7, "end": 11, "label": "LOC"}]  # fmt: skip
    relations = [{"label": "BORN", "arguments": {"from": "a", "to": "o"}}]
    gold = Corpus.of(text | {"mentions": mentions, "relations": relations})
    result = score(gold, stated(("Ann", "BORN", "Oslo")), resamples=0)
    assert ("relations(types=ignore).P", 1.0) == (result.scores[0].recipe, result.scores[0].value)
    assert "relations.P" not in {each.recipe for each in result.scores}


def test_places_may_be_compared_as_strings() -> None:
    def corpus(at: int) -> Corpus:
        group = Group("BORN", (("who", "a"), ("where", "o")))
        oslo = Mention("LOC", at, at + 1, id="o")
        tokens = ("Ann", "in", "Oslo", "(", "OSLO", ")")
        return Corpus.of(Document("d", tokens=tokens, mentions=(ANN, oslo), relations=(group,)))

    pair = Pair.of(corpus(2), corpus(4))
    assert [0, 1, 0, 1] == counts("relations", pair)
    assert [1, 1, 1, 1] == counts("relations(span=text)", pair)
    assert [0, 1, 0, 1] == counts("relations(span=text)", Pair.of(corpus(2), corpus(3)))


def test_strings_that_cannot_be_found_are_refused_where_places_are_asked_for() -> None:
    gold = stated(*EXCHANGED)
    with pytest.raises(DataError) as caught:
        counts("relations(span=aligned)", Pair.of(gold, gold))
    assert str(caught.value) == (
        "document 'd' has no text to find 'Ann' in, an argument of a relation that has no place; "
        "span=text compares arguments as strings"
    )


def test_two_events_on_one_trigger_are_both_compared() -> None:
    gold, system = between("Trade", "Move", trigger="a"), between("Move", trigger="a")
    assert [1, 2, 1, 1] == counts("triggers", Pair.of(gold, system))


def test_a_relation_without_a_label_has_a_row() -> None:
    assert {"": [1, 1, 1, 1]} == rows("relations", Pair.of(between(""), between("")))


def test_labels_of_relations_can_be_renamed() -> None:
    renamed = score(between("BORN"), between("BORN-IN"), "relations.F1", map={"BORN-IN": "BORN"})
    assert 1.0 == renamed.value
    assert not [each for each in renamed.remarks if "renames nothing" in each]
    twice = score(
        between("BORN"), between("A", "B"), "relations.F1", map={"A": "BORN", "B": "BORN"}
    )
    assert 1.0 == twice.value  # stated twice is one


def test_labels_that_only_one_side_has_are_reported() -> None:
    result = score(between("BORN"), between("BORN-IN"), "relations.F1", resamples=0)
    text = "gold has no label BORN-IN (1 relation); did you mean BORN? --map BORN-IN=BORN"
    assert f"system: {text}" in result.remarks


def test_gold_without_relations_is_reported() -> None:
    plain = Corpus.of("[Ann]PER slept")
    result = score(plain, plain, ["triggers.F1", "relations.F1"], resamples=0)
    told = "triggers, relations count what is between mentions, and gold has no relations"
    assert told in result.remarks


def test_the_table_is_the_one_that_fits_gold() -> None:
    relations = score(between("BORN"), between("BORN"), resamples=0)
    assert ["relations@micro", "relations(types=ignore)@micro", "exact@micro"] == list(
        dict.fromkeys(each.block for each in relations.scores)
    )
    events = score(between("E", trigger="a"), between("E", trigger="a"), resamples=0)
    assert "triggers(label=ignore)@micro" == events.scores[0].block


def test_every_relation_is_of_one_kind_of_error() -> None:
    tokens = ("Ann", "Lee", "in", "Oslo", "met", "Bo")
    people = (
        Mention("PER", 0, 2, id="a"),
        Mention("LOC", 3, 4, id="o"),
        Mention("PER", 5, 6, id="b"),
    )
    wrong = (
        Mention("PER", 0, 1, id="a"),
        Mention("ORG", 3, 4, id="o"),
        Mention("PER", 5, 6, id="b"),
    )

    def corpus(mentions: tuple[Mention, ...], *groups: tuple[str, str, str]) -> Corpus:
        links = tuple(Group(label, (("from", a), ("to", b))) for label, a, b in groups)
        return Corpus.of(Document("1", tokens=tokens, mentions=mentions, relations=links))

    def kinds(gold: Corpus, system: Corpus) -> dict[str, int]:
        found = errors(gold, system).relations
        assert found is not None
        return {kind: count for kind, count in found.counts.items() if count}

    gold = corpus(people, ("MET", "a", "b"), ("LIVES", "b", "o"))
    assert {"TP": 2} == kinds(gold, gold)
    assert {"TE": 1, "BE": 1} == kinds(gold, corpus(wrong, ("MET", "a", "b"), ("LIVES", "b", "o")))
    assert {"LE": 1, "FN": 1} == kinds(gold, corpus(people, ("SAW", "a", "b")))
    assert {"TP": 1, "DE": 1} == kinds(gold, corpus(people, ("MET", "b", "a"), ("LIVES", "b", "o")))
    assert {"FP": 1, "FN": 2} == kinds(gold, corpus(people, ("LIVES", "o", "o")))
    result = errors(gold, corpus(people, ("SAW", "a", "b")), examples=1)
    assert result.relations is not None
    assert [("1", "MET(from=Ann Lee/PER, to=Bo/PER)", "SAW(from=Ann Lee/PER, to=Bo/PER)")] == (
        result.relations.examples["LE"]
    )
    assert {"LE": 1, "FN": 1} == {
        kind: count for kind, count in result.to_dict()["relations"]["counts"].items() if count
    }
    assert "LE (wrong label) in document 1\n  gold    MET(from=Ann Lee/PER" in str(result)


def test_what_a_second_system_fixed_and_broke_of_relations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"id": "1", "tokens": ["Ann", "met", "Bo", "in", "Oslo"]}
    places = {"a": 0, "b": 2, "o": 4}
    mentions = [{"id": k, "start": i, "end": i + 1, "label": "X"} for k, i in places.items()]

    def file(name: str, *links: str) -> str:
        relations = [{"label": link[0], "arguments": {"from": link[1], "to": link[2]}}
                     for link in links]  # fmt: skip
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(words | {"mentions": mentions, "relations": relations}) + "\n")
        return str(path)

    gold = file("gold", "Mab", "Lbo", "Lao")
    # Both state Zob, which gold lacks; only the first Koa, only the second Kob.
    first = file("first", "Sab", "Lbo", "Zob", "Koa")
    second = file("second", "Mab", "Zob", "Kob", "Lao")
    found = errors(gold, first, second, examples=5).relations
    assert found is not None
    assert found.changes is not None
    assert {"TP": 1, "LE": 1, "FP": 2, "FN": 1} == {k: n for k, n in found.counts.items() if n}
    assert {"LE": 1, "FP": 1, "FN": 1} == found.changes.fixed
    assert {"FP": 1, "FN": 1} == found.changes.broken
    back = errors(gold, second, first).relations
    assert back is not None
    assert back.changes is not None
    assert (found.changes.broken, found.changes.fixed) == (back.changes.fixed, back.changes.broken)

    assert 0 == main(["errors", "-q", gold, first, second, "--format", "json"])
    content = json.loads(capsys.readouterr().out)["relations"]
    assert (found.changes.fixed, found.changes.broken) == (content["fixed"], content["broken"])
    ledger = tmp_path / "ledger.jsonl"
    assert 0 == main(["errors", "-q", gold, first, second, "--ledger", str(ledger)])
    text = capsys.readouterr().out
    assert "relations, second against first  LE  FP  FN  all\n" in text
    assert "fixed in document 1\n  gold    M(from=Ann/X, to=Bo/X)\n  first   S(from" in text
    rows = [json.loads(line) for line in ledger.read_text().splitlines()]
    outcomes = Counter(row["outcome"] for row in rows if row["space"] == "relations")
    tally = Tally.of(Relations(), Pair.of(read(gold), read(first)))
    assert {k: n for k, n in tally.counted().items() if n} == dict(outcomes)


def test_correcting_mentions_promises_nothing_for_relations() -> None:
    gold, system = between("BORN"), between("DIED")
    result = errors(gold, system, recipes=["relations.F1", "exact.F1"])
    assert ["exact.F1"] == result.recipes
    remark = (
        "relations.F1: what correcting errors would gain is shown for mentions and fillers only"
    )
    assert remark in result.remarks
    assert "exact.F1" in errors(gold, system, recipes=["relations.F1"]).recipes


def test_every_command_has_defaults_for_relations_and_events() -> None:
    for extra, headline in (({}, "relations.F1"), ({"trigger": "a"}, "arguments.F1")):
        gold = between("BORN", **(extra and extra | {"where": "o"}))
        systems = {"a": gold, "b": between("DIED", **(extra and extra | {"where": "o"}))}
        compared = compare(gold, systems, resamples=0, trials=99)
        assert headline in {each.recipe for each in compared.differences}
        assert headline in {each.recipe for each in robust(gold, systems).choices}
        assert headline.removesuffix("F1") + "PRF" in draft(gold)


def test_parameters_that_mean_nothing_are_refused() -> None:
    with pytest.raises(
        RecipeError, match=r"^relations\(span=…\): found near; there are: aligned, "
    ):
        Recipe.parse("relations(span=near).F1")
    with pytest.raises(RecipeError, match=r"^relations\(symmetric=A\+A\): a name occurs twice$"):
        Recipe.parse("relations(symmetric=A+A).F1")
    text = "relations(span=head,symmetric=B+A).F1"
    assert "relations(span=head,symmetric=A+B).F1" == str(Recipe.parse(text))


def test_documents_of_the_system_in_another_order_and_a_missing_one() -> None:
    one, two = between("BORN")[0], replace(between("DIED")[0], id="e")
    pair = Pair.of(Corpus.of(one, two), Corpus.of(two, one))
    assert [2, 2, 2, 2] == counts("relations", pair)
    assert [1, 2, 1, 1] == counts("relations", Pair.of(Corpus.of(one, two), Corpus.of(two)))


def test_every_command_has_defaults_for_triples() -> None:
    gold = stated(*EXCHANGED)
    systems = {"a": gold, "b": stated(EXCHANGED[0], ("Bo", "BORN", "Paris"))}
    headline = "relations(span=text,types=ignore).F1"
    assert headline in {each.recipe for each in compare(gold, systems, trials=99).differences}
    result = robust(gold, systems)
    assert (headline, ("a",)) == (result.choices[0].recipe, result.winner)
    assert "relations(types=ignore).PRF" in draft(gold)
    assert headline in {each.recipe for each in rank(gold, systems).ranked}
    kind, _, _ = kinds_of_errors(Pair.of(gold, systems["b"]))
    assert {"TP": 1, "FP": 1, "FN": 2} == Counter(KINDS[each] for each in kind.tolist())


def test_errors_of_triples_are_not_those_of_types() -> None:
    text = "Ann works at Acme"
    mentions = [{"id": "a", "start": 0, "end": 3, "label": "PER"},
                {"id": "b", "start": 13, "end": 17, "label": "ORG"}]  # fmt: skip
    works = {"label": "WORK", "arguments": {"from": "a", "to": "b"}}
    document = {"id": "d", "text": text, "unit": "char", "mentions": mentions}
    gold = Corpus.of(document | {"relations": [works]})
    for triple, outcome in ((("Ann", "WORK", "Acme"), "TP"), (("Acme", "WORK", "Ann"), "DE"),
                            (("Ann", "MET", "Acme"), "LE")):  # fmt: skip
        pair = Pair.of(gold, stated(triple))
        assert [outcome] == [KINDS[each] for each in kinds_of_errors(pair)[0].tolist()]
    result = score(gold, stated(("Ann", "WORK", "Acme")), ["exact.F1"], resamples=0)
    assert "exact counts mentions, and file has only triples" in result.remarks
    said = errors(gold, stated(("Ann", "WORK", "Acme"))).remarks
    assert not [remark for remark in said if "no recipe counts" in remark]

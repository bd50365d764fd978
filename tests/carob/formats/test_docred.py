"""DocRED: sentences, entities and relations are read as its page says; errors have a place."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from carob import InputError, UsageError, read, registry, score
from carob.cli import main
from carob.plugin import Source


def mention(sentence: int, start: int, end: int, label: str = "PER") -> dict[str, Any]:
    return {"name": "?", "sent_id": sentence, "pos": [start, end], "type": label}


def document(**changes: Any) -> dict[str, Any]:
    return {
        "title": "d",
        "sents": [["Ann", "met", "Bo"], [], ["She", "left", "him"]],
        "vertexSet": [[mention(0, 0, 1), mention(2, 0, 1)], [mention(0, 2, 3), mention(2, 2, 3)]],
        "labels": [{"h": 0, "t": 1, "r": "P26", "evidence": [0, 2]}],
    } | changes


def source(*documents: Any, lines: bool = False) -> Source:
    text = "\n".join(map(json.dumps, documents)) if lines else json.dumps(list(documents))
    return Source.of_bytes(text.encode(), "file.json")


@pytest.mark.parametrize("lines", [False, True])
def test_sentences_entities_and_relations(lines: bool) -> None:
    corpus = read(source(document(), document(title="e", labels=[]), lines=lines))
    assert corpus.origin is not None
    assert "docred" == corpus.origin.format
    first = corpus[0]
    assert ("Ann", "met", "Bo", "She", "left", "him") == first.tokens
    assert (0, 3) == first.sentences  # the empty sentence has no token to begin with
    places = {m.id: (m.start, m.end) for m in first.mentions}
    assert {"0_0": (0, 1), "0_1": (3, 4), "1_0": (2, 3), "1_1": (5, 6)} == places
    assert [[("", "0_0"), ("", "0_1")], [("", "1_0"), ("", "1_1")]] == [
        list(cluster.members) for cluster in first.clusters
    ]
    (relation,) = first.relations
    assert ("P26", (("from", "0_0"), ("to", "1_0"))) == (relation.label, relation.members)
    assert ("e", ()) == (corpus[1].id, corpus[1].relations)


def test_other_shapes_of_labels_give_the_same() -> None:
    columns = {"head": [0], "tail": [1], "relation_id": ["P26"], "relation_text": ["spouse"],
               "evidence": [[0]]}  # fmt: skip
    same = read(source(document())), read(source(document(labels=columns)))
    assert same[0][0].relations == same[1][0].relations
    bare = document()
    del bare["labels"]
    assert () == read(source(bare))[0].relations


def test_roles_and_ids_have_options() -> None:
    corpus = read(source(document(nr=7)), "docred", roles="head+tail", id="nr")
    assert ("7", ["head", "tail"]) == (
        corpus[0].id, [role for role, _ in corpus[0].relations[0].members]
    )  # fmt: skip
    with pytest.raises(UsageError, match="expected two roles"):
        read(source(document()), "docred", roles="head")


def test_any_mention_of_an_entity_stands_for_it() -> None:
    """The system lists the mentions of its entities in another order."""
    other = document(vertexSet=[list(reversed(each)) for each in document()["vertexSet"]])
    gold, system = read(source(document())), read(source(other))
    strict, by_entity = (
        score(gold, system, recipe, resamples=0).value
        for recipe in ("relations.F1", "relations(coref=gold).F1")
    )
    assert (0.0, 1.0) == (strict, by_entity)


def slow_facts(value: dict[str, Any]) -> set[Any]:
    """The facts of a document as the paper counts them: title, head, tail and relation."""
    return {(each["h"], each["t"], each["r"]) for each in value["labels"]}


def test_facts_are_those_of_the_slow_way() -> None:
    every = [{"h": h, "t": t, "r": r} for h, t, r in product((0, 1), (0, 1), ("P1", "P2"))]
    for mask in range(0, 256, 7):
        gold = document(labels=[each for i, each in enumerate(every) if mask >> i & 1])
        system = document(labels=every[1:6])
        both = slow_facts(gold) & slow_facts(system)
        total = len(slow_facts(gold)) + len(slow_facts(system))
        found = score(read(source(gold)), read(source(system)),
                      "relations(coref=gold,types=ignore).F1", resamples=0)  # fmt: skip
        assert found.value == pytest.approx(2 * len(both) / total)


def test_evidence_is_counted_in_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "dev.json"
    file.write_bytes(source(document()).content())
    assert 0 == main(["check", str(file)])
    output = capsys.readouterr().out
    assert "K236 found 1 relation with evidence, which is not read" in output


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sents": ["Ann met"]}, r"sents\[0\] = 'Ann met', expected a list of tokens"),
        ({"sents": [["Ann", 5]]}, r"sents\[0\]\[1\] = 5, expected a text"),
        ({"vertexSet": [5]}, r"vertexSet\[0\] = 5, expected a list of mentions"),
        ({"vertexSet": [["Ann"]]}, r"vertexSet\[0\]\[0\] = 'Ann', expected an object with sent"),
        ({"vertexSet": [[mention(3, 0, 1)]]},
         r"vertexSet\[0\]\[0\].sent_id = 3, expected one of the 3 sentences, from 0 on"),
        ({"vertexSet": [[mention(True, 0, 1)]]}, r"sent_id = true, expected one of"),
        ({"vertexSet": [[mention(0, 2, 4)]]},
         r"pos = \[2, 4\], expected a place within the 3 tokens of sentence 0; the second is excl"),
        ({"vertexSet": [[mention(0, 1, 1)]]}, r"pos = \[1, 1\], expected a place within"),
        ({"vertexSet": [[mention(0, -1, 1)]]}, r"pos = \[-1, 1\], expected a place within"),
        ({"vertexSet": [[mention(1, 0, 1)]]}, r"within the 0 tokens of sentence 1"),
        ({"vertexSet": [[mention(0, 0, 1) | {"pos": [0]}]]}, r"pos = \[0\], expected \[first"),
        ({"vertexSet": [[mention(0, 0, 1) | {"type": 5}]], "labels": []},
         r"vertexSet\[0\]\[0\].label = 5"),
        ({"labels": [{"h": 2, "t": 0, "r": "P1"}]},
         r"labels\[0\].h = 2, expected one of the 2 entities of vertexSet"),
        ({"labels": [{"h": 0, "t": -1, "r": "P1"}]}, r"labels\[0\].t = -1, expected one of the 2"),
        ({"labels": [{"h": 0, "t": 1, "r": ""}]}, r"labels\[0\].r = '', expected a text"),
        ({"labels": [5]}, r"labels\[0\] = 5, expected an object with h, t and r"),
        ({"labels": {"head": [0], "tail": [1]}}, r"labels.relation_id = null, expected a list"),
        ({"labels": {"head": [0], "tail": [1], "relation_id": []}}, "lists differ in length"),
        ({"vertexSet": [[], [mention(0, 0, 1)]]}, r"labels\[0\].h = 0, an entity without mentions"),
    ],
)  # fmt: skip
def test_what_is_wrong_has_a_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"K232 found .*{message}"):
        read(source(document(**changes)), "docred")


@pytest.mark.parametrize(
    "other",
    [
        {"sents": ["Ann slept"], "vertexSet": []},
        {"sents": [["Ann"]], "vertexSet": {}},
        {"vertexSet": [], "text": "Ann", "mentions": []},
        {"tokens": ["sents", "vertexSet"], "mentions": []},
        {"text": '"sents": [["Ann"]], "vertexSet": []', "mentions": []},
    ],
)
def test_what_only_looks_like_it_is_not_taken_for_it(other: Any) -> None:
    docred = registry.load("formats", "docred")
    assert 0.0 == docred.sniff(json.dumps(other).encode())
    assert 0.98 == docred.sniff(json.dumps([document()]).encode())

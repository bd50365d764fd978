"""A task chooses documents by its parts, and tells where slots are too full or empty."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import carob
from carob import Corpus, InputError
from carob.corpus.document import Filler, Template
from carob.evaluate._fillers import Observed, Slot, violations
from carob.values.raw import fold
from tests.carob.evaluate import _tasks as make
from tests.worlds import times

PARTS = '[parts]\ntrain = ["d1"]\ntest = ["d2", "d3"]\n'


def test_a_part_restricts_gold_and_systems(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = carob.Task.read(make.written(gold, recipes='["exact.tp"]', more=PARTS))
    scores = carob.score(gold, {"a": gold}, task=task, resamples=0)
    assert (2.0, 2, 2) == (scores.value, scores.gold.documents, scores.gold.mentions)
    assert "a: 1 document of other parts than test left out" in scores.remarks
    train = carob.score(gold, {"a": gold}, task=carob.Task.read(task, "train"), resamples=0)
    assert (2.0, 1) == (train.value, train.gold.documents)
    assert "a: 2 documents of other parts than train left out" in train.remarks
    everything = carob.score(gold, gold, task=carob.Task.read(task, "all"), resamples=0)
    assert (4.0, 3) == (everything.value, everything.gold.documents)


def test_a_system_may_answer_one_part_only(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, recipes='["exact.tp"]', more=PARTS)
    system = tmp_path / "system.conll"
    system.write_text(gold.read_text().partition("# newdoc id = d2\n")[2])
    system.write_text("# newdoc id = d2\n" + system.read_text())
    scores = carob.score(gold, system, task=task, resamples=0)
    assert (2.0, 0) == (scores.value, scores.systems[0].coverage["missing_documents"])


@pytest.mark.parametrize("documents", [[1, 2], [0, 1, 2]])
def test_a_system_without_ids_has_the_documents_of_gold_or_of_the_part(
    tmp_path: Path, documents: Sequence[int]
) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, recipes='["exact.tp"]', more=PARTS)
    blocks = gold.read_text().split("\n\n")
    text = "\n\n".join("\n".join(blocks[i].split("\n")[1:]) for i in documents)
    system = tmp_path / "system.conll"
    system.write_text(text)
    assert 2.0 == carob.score(gold, system, task=task, resamples=0).value


def test_a_document_that_gold_lacks_is_still_an_error(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, more=PARTS)
    system = tmp_path / "system.conll"
    system.write_text(gold.read_text().replace("id = d3", "id = d4"))
    with pytest.raises(InputError, match="K301 found the document 'd4'"):
        carob.score(gold, system, task=task)
    ignored = carob.score(gold, system, task=task, extra_docs="ignore", resamples=0)
    assert 1 == ignored.systems[0].coverage["missing_documents"]


def test_ids_that_gold_lacks_are_told_with_their_lines(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    parts = '[parts]\ntrain = [\n  "d1",\n  "d7",\n]\ntest = ["d2", "d3", "d8"]\n'
    task = make.written(gold, more=parts)
    with pytest.raises(InputError) as error:
        carob.score(gold, gold, task=task)
    assert str(error.value) == (
        f"{task}:17: K824 found the document 'd7' in train, expected a document of {gold}\n"
        f"{task}:19: K824 found the document 'd8' in test, expected a document of {gold}"
    )


def test_documents_of_no_part_are_told(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    task = make.written(gold, more='[parts]\ntest = ["d2"]\nmore = ["d1"]\n')
    with pytest.raises(InputError) as error:
        carob.score(gold, gold, task=task)
    assert str(error.value) == (
        f"{gold}:10: K824 found the document 'd3', expected a document of a part of {task}: "
        "test, more"
    )


def test_parts_need_ids(tmp_path: Path) -> None:
    gold = make.mentions(tmp_path)
    gold.write_text("\n".join(line for line in gold.read_text().split("\n") if line[:1] != "#"))
    task = make.written(gold, more=PARTS)
    with pytest.raises(InputError) as error:
        carob.score(gold, gold, task=task)
    assert str(error.value) == (
        f"{gold}: K824 found documents without ids, expected ids, because {task} has parts"
    )


def test_slots_that_are_too_full_or_empty_are_reported(tmp_path: Path) -> None:
    gold = make.gold(tmp_path)
    task = make.written(gold, recipes='["exact.tp"]', any="exactly one")
    system = tmp_path / "system.jsonl"
    system.write_text(gold.read_text().replace('["Bo"]', '["Bo", "Bob"]'))
    scores = carob.score(gold, {"mine": system}, task=task, resamples=0)
    assert scores.remarks[-4:] == (
        "gold: talk.speaker: more than one filler in document d1; the task allows exactly one",
        "gold: talk.stime: no filler in document d3; the task allows exactly one",
        "mine: talk.speaker: 2 documents with more than one filler, the first is d1; the task "
        "allows exactly one",
        "mine: talk.stime: no filler in document d3; the task allows exactly one",
    )
    stored = json.loads(scores.to_json())["task"]
    assert ("talks", "1.0", "all", 4) == (
        stored["name"], stored["version"], stored["part"], len(stored["violations"]),
    )  # fmt: skip
    assert {
        "file": "mine", "slot": "talk.speaker", "allowed": "exactly one", "found": "more than one",
        "documents": 2, "first": "d1",
    } == stored["violations"][2]  # fmt: skip


def talks(*slots: object, label: str = "talk") -> Corpus:
    """One document for each template."""
    return Corpus.of(*({"templates": [{"label": label, "slots": each}]} for each in slots))


@pytest.mark.parametrize(
    ("fillers", "realisations", "expected"),
    [
        ("any", "one", []), ("any", "many", []),
        ("at most one", "one", [("1", False)]), ("at most one", "many", []),
        ("exactly one", "one", [("1", False), ("3", True)]),
        ("exactly one", "many", [("3", True)]), ("at least one", "one", [("3", True)]),
    ],
)  # fmt: skip
def test_what_can_be_seen_depends_on_realisations(
    fillers: str, realisations: str, expected: list[tuple[str, bool]]
) -> None:
    corpus = talks({"who": ["Ann", "Bo"]}, {"who": ["Cy", " CY "]}, {"when": ["5"]})
    found = violations(corpus, {"talk.who": Slot(fillers, realisations)}, "gold")
    assert expected == [(each.first, each.empty) for each in found]


def test_alternatives_are_one_filler_and_optional_ones_do_not_crowd() -> None:
    limits = {"talk.who": Slot("exactly one", "one")}
    either = {"text": "Ann", "alternatives": [{"text": "Dr. Lee"}]}
    optional = {"text": "Bo", "optional": True}
    assert () == violations(talks({"who": [either]}), limits, "gold")
    assert () == violations(talks({"who": ["Ann", optional]}), limits, "gold")
    assert () == violations(talks({"who": [optional]}), limits, "gold")
    assert 1 == len(violations(talks({"who": ["Ann", either, "Bo"]}), limits, "gold"))


def test_a_template_counts_by_itself_and_one_that_is_not_there_lacks_nothing() -> None:
    limits = {"talk.who": Slot("exactly one", "one")}
    two = [{"label": "talk", "slots": {"who": [name]}} for name in ("Ann", "Bo")]
    other = {"label": "party", "slots": {"host": ["Cy"]}}
    assert () == violations(Corpus.of({"templates": two}, {"templates": [other]}), limits, "gold")


def test_a_nested_template_fills_the_slot_it_stands_in() -> None:
    room = {"slots": {"number": ["5"]}}
    corpus = talks(
        {"place": [room]}, {"place": [room, room]}, {"who": ["Ann"]}, {"place": [{"slots": {}}]}
    )
    limits = {"talk.place": Slot("exactly one", "one"), "talk.place.number": Slot("exactly one", "one")}  # fmt: skip  # noqa: E501
    assert [("talk.place", 1, "2", False), ("talk.place", 1, "3", True),
            ("talk.place.number", 1, "4", True)] == [
        (each.slot, each.documents, each.first, each.empty)
        for each in violations(corpus, limits, "gold")
    ]  # fmt: skip


def test_mentions_are_one_template_a_document_also_with_dots_in_labels() -> None:
    corpus = Corpus.of("[Ann]a.b met [Bo]a.b", "it rained", "[Cy]a.b met [CY]a.b")
    found = violations(corpus, {"a.b": Slot("exactly one", "one")}, "gold")
    assert [("1", False), ("2", True)] == [(each.first, each.empty) for each in found]


def test_fillers_whose_text_nobody_knows_are_no_violation() -> None:
    places = [{"start": 0, "end": 3}, {"start": 4, "end": 7}]
    corpus = talks({"who": places})
    assert () == violations(corpus, {"talk.who": Slot("exactly one", "one")}, "gold")
    counts = Observed(corpus).counts("talk.who")
    assert ([1], [2]) == (counts.least.tolist(), counts.most.tolist())


def walk(template: Template, path: str) -> list[tuple[str, Template]]:
    """A template and those that stand in it, with their paths."""
    found = [(path, template)]
    for slot, inner in template:
        if isinstance(inner, Template):
            found += walk(inner, f"{path}.{slot}" if path else slot)
    return found


def slowly(
    documents: Sequence[carob.Document], slot: str, limit: Slot
) -> list[tuple[str, int, str, bool]]:
    """The first documents of violations, by looking at one template after another."""
    full, empty = [], []
    before, _, word = slot.rpartition(".")
    for number, document in enumerate(documents, 1):
        for top in document.templates:
            for path, template in walk(top, top.label):
                if path != before:
                    continue
                fillers = [each for name, each in template if name == word]
                strings = {fold(each.text or "") for each in fillers
                           if isinstance(each, Filler) and not each.optional}  # fmt: skip
                inner = sum(isinstance(each, Template) for each in fillers)
                if len(strings) + inner > 1:
                    full.append(number)
                if not fillers:
                    empty.append(number)
    found = []
    if limit.fillers in ("exactly one", "at most one") and limit.realisations == "one" and full:
        found.append((slot, len(set(full)), str(full[0]), False))
    if limit.fillers in ("exactly one", "at least one") and empty:
        found.append((slot, len(set(empty)), str(empty[0]), True))
    return found


def test_counts_are_those_of_a_slow_look_at_every_template() -> None:
    rng = np.random.default_rng(11)

    def made(depth: int) -> Template:
        slots: dict[str, tuple[Filler | Template, ...]] = {}
        for slot in ("a", "b"):
            fillers: list[Filler | Template] = []
            for _ in range(rng.integers(0, 4)):
                if depth < 2 and rng.random() < 0.3:
                    fillers.append(made(depth + 1))
                else:
                    text = str(rng.choice(["x", "X", "y", " x"]))
                    fillers.append(Filler(text, optional=bool(rng.random() < 0.3)))
            if fillers:
                slots[slot] = tuple(fillers)
        return Template(str(rng.choice(["", "t"])) if depth == 0 else "", slots)

    seen = 0
    names = ("a", "t.a", "t.b.a", "t.b", "a.b")
    for _ in range(times(1)):
        # One template at least: without any, documents would count as templates.
        counts = [1, *rng.integers(0, 3, 5)]
        documents = [carob.Document(templates=tuple(made(0) for _ in range(n))) for n in counts]
        corpus = Corpus.of(*documents)
        for fillers in ("any", "at most one", "at least one", "exactly one"):
            for realisations in ("one", "many"):
                limit = Slot(fillers, realisations)
                found = [
                    (each.slot, each.documents, each.first, each.empty)
                    for each in violations(corpus, dict.fromkeys(names, limit), "gold")
                ]
                expected = [
                    each for name in sorted(names) for each in slowly(documents, name, limit)
                ]
                assert expected == found
                seen += len(found)
    assert seen > times(3.2)

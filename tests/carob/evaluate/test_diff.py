"""A diff explains every change: applied to the old mentions, it gives the new ones."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from carob import Changes, Corpus, DataError, InputError, Task, diff
from carob.corpus.problems import TaskError
from carob.evaluate.draft import draft
from tests.worlds import times

SHA = "0" * 64


def document(
    text: str, *mentions: tuple[int, int, str], name: str = "d", **more: Any
) -> dict[str, Any]:
    spans = [{"start": start, "end": end, "label": label} for start, end, label in mentions]
    return {"id": name, "text": text, "mentions": spans, **more}


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (each.kind, each.old_label, each.old_text, each.new_label, each.new_text)
        for each in diff(Corpus.of(old), Corpus.of(new))
    ]


def test_mentions_are_added_removed_moved_and_relabelled() -> None:
    text = "Ann Lee met Bo in Rome and Bo left"
    old = document(text, (0, 7, "PER"), (12, 14, "PER"), (18, 22, "PER"))
    new = document(text, (0, 3, "PER"), (18, 22, "LOC"), (27, 29, "PER"), (30, 34, "ACT"))
    assert [
        ("moved", "PER", "Ann Lee", "PER", "Ann"),
        ("relabelled", "PER", "Rome", "LOC", "Rome"),
        ("moved", "PER", "Bo", "PER", "Bo"),
        ("added", None, None, "ACT", "left"),
    ] == changes(old, new)
    assert ["removed"] * 3 == [each[0] for each in changes(old, document(text))]


def test_a_mention_that_goes_with_its_text_has_not_changed() -> None:
    old = document("The talk is by Ann Lee at 3 pm.", (15, 22, "speaker"), (26, 30, "time"))
    new = document("NEW: The talk is by Ann Lee, at 3 pm.", (20, 27, "speaker"), (32, 36, "time"))
    result = diff(Corpus.of(old), Corpus.of(new))
    assert (("d",), ()) == (result.texts, result.mentions)
    shorter = document(
        "NEW: The talk is by Ann Lee, at 3 pm.", (20, 23, "speaker"), (32, 36, "time")
    )
    assert [("moved", "speaker", "Ann Lee", "speaker", "Ann")] == changes(old, shorter)


def test_tokens_are_compared_as_characters_are() -> None:
    old, new = Corpus.of("so [Ann Lee]PER met [Bo]PER"), Corpus.of("[Ann Lee]PER then met [Bo]LOC")
    assert ["relabelled"] == [each.kind for each in diff(old, new)]
    with pytest.raises(DataError, match="one version counts tokens, the other characters"):
        diff(old, Corpus.of(document("Ann", (0, 3, "PER"), name="1")))


def test_documents_are_added_removed_and_renamed() -> None:
    old = Corpus.of(document("one two", name="a"), document("three", (0, 5, "N"), name="b"),
                    document("same", name="c"))  # fmt: skip
    new = Corpus.of(document("same", name="c"), document("three", (0, 5, "N"), name="B"),
                    document("four", (0, 4, "N"), name="e"))  # fmt: skip
    result = diff(old, new)
    assert (("e",), ("a",), (("b", "B"),)) == (result.added, result.removed, result.renamed)
    assert [("added", "e")] == [(each.kind, each.document) for each in result]
    assert {"N": {"old": 1, "new": 2, "added": 1, "removed": 0, "moved": 0, "relabelled": 0,
                  "attributes": 0}} == result.labels  # fmt: skip


def test_other_layers_are_not_forgotten() -> None:
    old = document("Ann", attributes={"year": "1"}, templates=[{"slots": {"who": ["Ann"]}}])
    new = document("Ann", attributes={"year": "2"}, templates=[{"slots": {"who": ["Bo"]}}])
    others = diff(Corpus.of(old), Corpus.of(new)).others
    assert {"attributes": ("d",), "templates": ("d",), "relations": (), "clusters": ()} == others


def test_equal_versions_have_no_changes() -> None:
    corpus = Corpus.of(document("Ann", (0, 3, "PER"), (0, 3, "PER")))
    result = diff(corpus, corpus)
    assert result.equal
    assert "1 document, nothing differs" == result.summary


def apply(old: Counter[Any], result: Changes) -> Counter[Any]:
    """Old mentions with all changes, as label and place."""
    new = Counter(old)
    for each in result:
        if each.old_label is not None:
            new[each.old_label, each.old_place] -= 1
        if each.new_label is not None:
            new[each.new_label, each.new_place] += 1
    assert min(new.values(), default=0) >= 0
    return +new


def test_changes_lead_from_old_to_new_and_as_few_as_the_slow_version_says() -> None:
    """On the same text. The slow version: what is in both is never a change."""
    for seed in range(times(5)):
        rng = random.Random(seed)

        def mentions(rng: random.Random = rng) -> list[tuple[int, int, str]]:
            starts = [rng.randrange(8) for _ in range(rng.randrange(6))]
            return [(start, start + rng.randrange(1, 4), rng.choice("AB")) for start in starts]

        one, two = mentions(), mentions()
        text = "".join(rng.choice("xy") for _ in range(12))
        result = diff(Corpus.of(document(text, *one)), Corpus.of(document(text, *two)))
        old, new = (Counter((label, ((a, b),)) for a, b, label in each) for each in (one, two))
        assert new == apply(old, result)
        places = [Counter(place for _, place in side.elements()) for side in (old, new)]
        same = (old & new).total()
        counts = result.counts
        assert counts["relabelled"] == (places[0] & places[1]).total() - same
        left = len(one) - same - counts["relabelled"] - counts["moved"]
        assert left == counts["removed"]
        assert len(two) - len(one) == counts["added"] - counts["removed"]
        labels = {each.old_label for each in result if each.kind == "removed"}
        for each in result:  # nothing that overlaps and has the same label is left over
            if each.kind == "added" and each.new_label in labels:
                assert each.new_place is not None
                ((start, end),) = each.new_place
                assert not any(
                    other.kind == "removed" and other.old_label == each.new_label
                    and other.old_place is not None
                    and max(start, other.old_place[0][0]) < min(end, other.old_place[0][1])
                    for other in result
                )  # fmt: skip


def test_random_texts_lead_from_old_to_new() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        words = [rng.choice("abc") for _ in range(10)]
        changed = [word for word in words if rng.random() < 0.8]
        changed.insert(rng.randrange(len(changed) + 1), "new")
        docs = []
        for each in (words, changed):
            marks = sorted({rng.randrange(len(each)) for _ in range(3)})
            docs.append(
                document(
                    " ".join(each),
                    *((2 * i, 2 * i + 1, "A") for i in marks if 2 * i + 1 <= len(" ".join(each))),
                )
            )
        one, two = (Corpus.of(each) for each in docs)
        result = diff(one, two)
        assert (
            len(two.mentions) - len(one.mentions)
            == result.counts["added"] - result.counts["removed"]
        )


def test_a_task_names_the_versions(tmp_path: Path) -> None:
    old, new = (Corpus.of(document("Ann Lee", (0, end, "PER"))) for end in (3, 7))
    file = tmp_path / "task.toml"
    file.write_text(draft(new, versions=[old]))
    result = diff(old, new, task=file)
    assert ("1", "2") == (result.old.name, result.new.name)
    assert "since then 0 documents added" in file.read_text()
    with pytest.raises(InputError, match=r"K830 found a file with sha256 .*states: 2, 1"):
        diff(old, Corpus.of(document("Ann Li", (0, 3, "PER"))), task=file)
    with pytest.raises(DataError, match="do not differ: they are one version"):
        draft(new, versions=[new])


def test_gold_that_is_an_earlier_version_is_refused_by_its_name(tmp_path: Path) -> None:
    import carob

    old, new = (document("Ann Lee", (0, end, "PER")) for end in (3, 7))
    for name, each in (("old", old), ("new", new)):
        carob.write(Corpus.of(each), tmp_path / f"{name}.jsonl")
    file = tmp_path / "task.toml"
    file.write_text(draft(tmp_path / "new.jsonl", versions=[tmp_path / "old.jsonl"]))
    with pytest.raises(
        InputError, match=r"K826 found version 1, sha256 .* it is an earlier version"
    ):
        carob.score(tmp_path / "old.jsonl", tmp_path / "new.jsonl", task=file)


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        (
            "[versions]\nversion = '1'",
            "K823 found versions = a table, expected tables: [[versions]]",
        ),
        ("[[versions]]\nversion = '1'", "K822 found [[versions]] number 1 without sha256"),
        (f"[[versions]]\nversion = '1'\nsha256 = '{SHA}'\nold = 1", "K822 found the key 'old' in"),
        (f"[[versions]]\nversion = 1\nsha256 = '{SHA}'", "K823 found version = 1 in [[versions]]"),
        (f"[[versions]]\nversion = '2'\nsha256 = '{SHA}'\n" * 2, "number 2, again"),
    ],
)
def test_a_wrong_history_is_refused_in_words(tmp_path: Path, versions: str, message: str) -> None:
    file = tmp_path / "task.toml"
    file.write_text(draft(Corpus.of("[Ann]PER slept")) + versions)
    with pytest.raises(TaskError) as caught:
        Task.read(file)
    assert message in str(caught.value)


def test_many_mentions_take_no_long_time() -> None:
    text = "word " * 2000
    places = [(5 * i, 5 * i + 4) for i in range(2000)]
    old = Corpus.of(document(text, *((a, b, "A") for a, b in places)))
    new = Corpus.of(document(f"so {text}", *((a + 3, b + 3, "B") for a, b in places)))
    assert {"relabelled": 2000} == Counter(each.kind for each in diff(old, new))

"""Label Studio's tasks: one annotation counts, the others are chosen from or counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from carob import InputError, Mention, convert, read
from carob.corpus.corpus import fact_remarks
from carob.corpus.source import Source
from carob.formats.labelstudio import Labelstudio
from tests.carob.formats._files import of_bytes, written

TEXT = "😀 Ann in Rome today"


def region(
    start: int, end: int, quote: str = "Ann", label: str = "PER", **more: Any
) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": quote, "labels": [label]}
    return {"type": "labels", "from_name": "label", "to_name": "text", "value": value} | more


def task(*result: Any, **more: Any) -> dict[str, Any]:
    return {"id": 1, "data": {"text": TEXT}, "annotations": [{"result": list(result)} | more]}


def of(*tasks: Any, **options: Any) -> Any:
    return of_bytes(json.dumps(tasks).encode(), "labelstudio", **options)


def test_both_exports_are_recognised() -> None:
    minimal = {"id": 1, "text": TEXT, "label": [region(2, 5)["value"]], "annotator": 3}
    for value in (
        [task(region(2, 5))],
        [minimal],
        minimal,
        [minimal | {"label": [], "annotation_id": 1}],
    ):
        corpus = read(Source.of_bytes(json.dumps(value, indent=1).encode(), "export.json"))
        assert corpus.origin is not None and "labelstudio" == corpus.origin.format
        assert "1" == corpus[0].id
    assert (Mention("PER", 2, 5),) == of(task(region(2, 5)))[0].mentions == of(minimal)[0].mentions


def test_units_of_the_browser_are_detected_and_read_on_request() -> None:
    first = task(region(3, 6))
    with pytest.raises(InputError, match=r"K234 found 1 of 1 mention .*--read offsets=utf16"):
        of(first)
    corpus = of(first, offsets="utf16")
    assert (Mention("PER", 2, 5),) == corpus[0].mentions
    assert list(corpus) == list(of_bytes(written(corpus, "labelstudio"), "labelstudio"))


def test_units_of_the_browser_are_written_on_request(tmp_path: Path) -> None:
    corpus = of(task(region(2, 5)))
    for unit, span in {"utf16": (3, 6), "inclusive": (2, 4), "auto": (2, 5)}.items():
        data = written(corpus, "labelstudio", offsets=unit)
        value = json.loads(data)[0]["annotations"][0]["result"][0]["value"]
        assert span == (value["start"], value["end"])
        assert list(corpus) == list(of_bytes(data, "labelstudio", offsets=unit))
    remark = (
        "offsets count characters, and texts have some that are two in Label Studio: "
        "--write offsets=utf16"
    )
    assert (remark,) == convert(corpus, tmp_path / "a.labelstudio").remarks
    chosen = {"offsets": "utf16"}
    assert () == convert(corpus, tmp_path / "a.labelstudio", write_options=chosen).remarks


def test_of_several_annotations_one_must_be_chosen_and_cancelled_ones_are_counted() -> None:
    by_ann = {"completed_by": {"id": 3, "email": "ann@example.org"}, "result": [region(2, 5)]}
    by_bo = {"completed_by": 4, "result": []}
    cancelled = {"completed_by": 5, "result": [region(0, 1, "😀")], "was_cancelled": True}
    both = task() | {"annotations": [by_ann, cancelled, by_bo]}
    with pytest.raises(
        InputError, match=r"K235 found 2 annotations of one task, by 'ann@example.org'"
    ):
        of(both)
    for name, count in (("3", 1), ("ann@example.org", 1), ("4", 0)):
        corpus = of(both, annotator=name)
        assert (count, 1) == (len(corpus.mentions), corpus.facts["cancelled"])
    only = task() | {"id": 2, "annotations": [cancelled]}
    assert {"cancelled": 1, "skipped": 1, "quoted": 1} == of(task(region(2, 5)), only).facts
    assert (
        1
        == of(both, both | {"id": 2, "annotations": [by_bo]}, annotator="3").facts[
            "other_annotators"
        ]
    )
    minimal = [{"id": 1, "text": "A", "annotation_id": n, "annotator": n} for n in (1, 2)]
    with pytest.raises(InputError, match="K235 found task '1' annotated by '1' and '2'"):
        of(*minimal)


def test_predictions_are_read_on_request_with_their_scores() -> None:
    prediction = {"model_version": "m1", "result": [region(2, 5, score=0.5)]}
    (document,) = of(task() | {"predictions": [prediction]}, model="m1")
    assert (Mention("PER", 2, 5, confidence=0.5),) == document.mentions


def test_relations_and_regions_with_several_labels() -> None:
    two = region(2, 5, id="x")
    two["value"]["labels"] = ["PER", "HERO"]
    relation = {
        "type": "relation",
        "from_id": "x",
        "to_id": "y",
        "direction": "left",
        "labels": ["in"],
    }
    other = {"type": "choices", "value": {"choices": ["good"]}}
    corpus = of(task(two, region(9, 13, "Rome", "LOC", id="y"), relation, other))
    assert {("x", "PER"), ("x:2", "HERO"), ("y", "LOC")} == {
        (m.id, m.label) for m in corpus[0].mentions
    }
    assert [("in", (("from", "y"), ("to", "x")))] == [
        (g.label, g.members) for g in corpus[0].relations
    ]


@pytest.mark.parametrize(("value", "message"), [
    (task() | {"data": {"body": "x"}}, "a task without the text 'text', expected a text in data"),
    (task() | {"annotations": 3}, "annotations = 3, expected a list"),
    (task(7), r"result\[0\] = 7, expected an object"),
    (task(region(2, 99)), r"result\[0\] at 2..99, expected a place within"),
    (task({"type": "labels", "value": {"start": 2, "end": 5, "labels": "PER"}}),
     r"result\[0\].labels = 'PER', expected a list"),
    (task(region(2, 5, label="")), r"result\[0\].label = ''"),
    (task({"type": "relation", "from_id": "a", "to_id": "b"}), "the ids of two regions of the"),
])  # fmt: skip
def test_what_is_wrong_is_named_as_the_file_has_it(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of(value)


def test_of_several_texts_one_must_be_chosen() -> None:
    ann, rome = region(2, 5, id="x"), region(0, 4, "Rome", "LOC", id="y") | {"to_name": "title"}
    relation = {"type": "relation", "from_id": "x", "to_id": "y", "labels": ["in"]}
    both = task(ann, rome, relation) | {"data": {"text": TEXT, "title": "Rome news"}}
    with pytest.raises(InputError) as caught:
        of(both)
    assert (
        ":1: K235 found regions of the texts 'text' and 'title', expected one of them: "
        "--read to_name=NAME, and --read text=KEY for its key in data"
    ) in str(caught.value)
    corpus = of(both, to_name="text")
    assert (Mention("PER", 2, 5, id="x"),) == corpus[0].mentions
    assert [
        ("K236", "1 region of other texts left out"),
        ("K236", "1 relation of words that are no mentions left out"),
    ] == fact_remarks(corpus)
    assert (Mention("LOC", 0, 4, id="y"),) == of(both, to_name="title", text="title")[0].mentions
    chosen = Labelstudio(to_name="title", offsets="char")
    assert chosen == Labelstudio(**Labelstudio.from_signature(chosen.signature_fields({})[0]))


def test_regions_without_labels_are_counted() -> None:
    value = {"start": 0, "end": 3, "text": "Ann", "labels": []}
    result = [{"type": "labels", "value": value}]
    full = [{"data": {"text": "Ann"}, "annotations": [{"result": result}]}]
    (remark,) = fact_remarks(of_bytes(json.dumps(full).encode(), "labelstudio"))
    assert ("K236", "1 region without a label left out") == remark
    small = [{"id": 1, "text": "Ann", "label": [value], "annotation_id": 1}]
    assert 1 == of_bytes(json.dumps(small).encode(), "labelstudio").facts["unlabelled"]


def test_a_region_without_a_label_does_not_hide_the_others() -> None:
    bare = {"start": 6, "end": 8, "text": "in"}
    small = {"id": 1, "text": TEXT, "label": [region(2, 5)["value"], bare], "annotation_id": 1}
    for value in (small, task(region(2, 5), {"type": "labels", "value": bare})):
        corpus = of(value)
        assert (Mention("PER", 2, 5),) == corpus[0].mentions
        assert [("K236", "1 region without a label left out")] == fact_remarks(corpus)
    assert 1 == of(small | {"label": [bare]}).facts["unlabelled"]


def test_if_nothing_is_read_the_names_to_choose_from_are_listed() -> None:
    guess = {"model_version": "m1", "result": []}
    guessed = [{"data": {"text": "Ann"}, "annotations": [], "predictions": [guess]}]
    with pytest.raises(InputError, match=r"1 skipped record left out; --read model=NAME reads one "
                       r"of: 'm1'$"):  # fmt: skip
        of_bytes(json.dumps(guessed).encode(), "labelstudio")
    with pytest.raises(InputError, match=r"left out; --read model=NAME reads one of: 'm1'$"):
        of_bytes(json.dumps(guessed).encode(), "labelstudio", model="m2")
    by = [
        {"completed_by": {"id": 7, "email": "a@b"}, "result": []},
        {"completed_by": 8, "result": []},
    ]
    full = json.dumps([{"data": {"text": "Ann"}, "annotations": by}]).encode()
    with pytest.raises(InputError, match=r"1 record of other annotators left out; --read annotator="
                       r"NAME reads one of: '8', 'a@b'$"):  # fmt: skip
        of_bytes(full, "labelstudio", annotator="c")
    small = [{"id": 1, "text": "Ann", "annotator": "bo", "annotation_id": 1}]
    with pytest.raises(InputError, match="annotator=NAME reads one of: 'bo'"):
        of_bytes(json.dumps(small).encode(), "labelstudio", annotator="c")

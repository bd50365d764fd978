"""Rows of Hugging Face datasets: tokens, and tags as texts or numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, InputError, Mention, UsageError, check, read
from carob.corpus.source import Source
from tests.carob.formats._files import of_bytes, written

ROW = {"id": "0", "tokens": ["Ann", "Lee", "slept"], "ner_tags": ["B-PER", "I-PER", "O"]}
NUMBERS = ROW | {"ner_tags": [1, 2, 0]}
NAMES = ["O", "B-PER", "I-PER"]


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize("key", ["ner_tags", "labels", "tags"])
def test_it_is_recognised_by_its_keys(key: str) -> None:
    row = {"tokens": ROW["tokens"], key: ROW["ner_tags"], "pos_tags": ["A", "B", "C"]}
    for data in (lines(row), json.dumps([row], indent=2).encode()):
        corpus = read(Source.of_bytes(data, "file.jsonl"))
        assert corpus.origin is not None and "huggingface" == corpus.origin.format
        assert (Mention("PER", 0, 2),) == corpus[0].mentions


def test_tags_of_another_number_are_recognised_too() -> None:
    with pytest.raises(InputError, match="K232 found 1 ner_tags, expected one for each of the 3"):
        read(Source.of_bytes(lines(ROW | {"ner_tags": ["O"]}), "file.jsonl"))


@pytest.mark.parametrize("content", [
    "O\nB-PER\nI-PER\n", json.dumps(NAMES), json.dumps(dict(enumerate(NAMES))),
    json.dumps({"id2label": dict(enumerate(NAMES)), "model_type": "bert"}),
])  # fmt: skip
def test_numbers_need_a_list_of_tags(content: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ner_tags\[0\] = 1, a number, .*--read names="):
        of_bytes(lines(NUMBERS), "huggingface")
    file = tmp_path / "names"
    file.write_text(content)
    for options in ({"labels_file": str(file)}, {"names": "+".join(NAMES)}):
        corpus = of_bytes(lines(NUMBERS), "huggingface", **options)
        assert (Mention("PER", 0, 2),) == corpus[0].mentions
        assert corpus.origin is not None and "O+B-PER+I-PER" == corpus.origin.parameters["names"]
        assert NUMBERS == json.loads(written(corpus, "huggingface", **options))


def test_a_line_of_labels_file_is_one_tag_whatever_stands_in_it(tmp_path: Path) -> None:
    file = tmp_path / "names"
    file.write_bytes("\ufeffO\r\nB-job title\r\nI-job title\r\nB-PER\r\n".encode())
    row = {"tokens": ["Ann", "slept", "Bo"], "ner_tags": [1, 0, 3]}
    corpus = of_bytes(lines(row), "huggingface", labels_file=str(file))
    assert (Mention("job title", 0, 1), Mention("PER", 2, 3)) == corpus[0].mentions


def test_tokens_with_the_number_for_padding_are_left_out_and_counted() -> None:
    row = {"tokens": ["[CLS]", "Ann", "##a", "slept", "[SEP]"], "labels": [-100, 1, -100, 0, -100]}
    corpus = of_bytes(lines(row), "huggingface", names=NAMES)
    assert ("Ann", "slept") == corpus[0].tokens
    assert 3 == corpus.facts["padding"]


def test_digits_are_numbers_also_as_texts() -> None:
    row = {"tokens": ["Ann", "Lee", "##e", "slept"], "ner_tags": ["1", "2", "-100", "0"]}
    with pytest.raises(InputError) as caught:
        of_bytes(lines(row), "huggingface")
    assert (
        "K232 found ner_tags[0] = 1, a number, expected the list of tags: "
        "--read names=O+B-PER+I-PER or --read labels_file=FILE"
    ) in str(caught.value)
    corpus = of_bytes(lines(row), "huggingface", names=NAMES)
    assert (Mention("PER", 0, 2),) == corpus[0].mentions
    with pytest.raises(UsageError) as refused:
        of_bytes(lines(row), "huggingface", names="O, B-PER,I-PER")
    wanted = "names has one tag, 'O, B-PER,I-PER'; write + between tags: O+B-PER+I-PER"
    assert wanted == str(refused.value)


def test_invalid_sequences_are_repaired_or_reported_with_their_lines(tmp_path: Path) -> None:
    invalid = {"id": "1", "tokens": ["a", "b"], "ner_tags": ["O", "I-LOC"]}
    data = lines(ROW, invalid)
    assert 1 == of_bytes(data, "huggingface").facts["repaired"]
    assert 1 == len(of_bytes(data, "huggingface", repair="discard").mentions)
    with pytest.raises(InputError, match="file:2: K108 found tag 2: 'I-LOC' is not legal in"):
        of_bytes(data, "huggingface", repair="strict", scheme="iob2")
    file = tmp_path / "rows.jsonl"
    file.write_bytes(data)
    assert check(file).warnings > 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROW | {"ner_tags": ["O"]}, "K232 found 1 ner_tags, expected one for each of the 3 tokens"),
        (ROW | {"ner_tags": ["Q-X", "O", "O"]}, r"ner_tags\[0\] = 'Q-X', expected a known p"),
        (ROW | {"ner_tags": [True, "O", "O"]}, r"ner_tags\[0\] = true, expected a tag or its numb"),
        (ROW | {"ner_tags": [1.0, "O", "O"]}, r"ner_tags\[0\] = 1.0, expected a tag or its number"),
        (ROW | {"labels": []}, "K235 found ner_tags and labels, expected one of them"),
        ({"tokens": []}, "none of ner_tags, labels and tags"),
        ({"text": "Ann", "ner_tags": []}, "tokens = null, expected a list"),
        (ROW | {"tokens": ["a", 3, "b"]}, r"tokens\[1\] = 3, expected a text"),
    ],
)
def test_what_is_wrong_is_named_as_the_file_has_it(row: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of_bytes(lines(row), "huggingface")


def test_numbers_outside_of_the_list_ids_and_tags_that_have_no_number() -> None:
    with pytest.raises(InputError, match="expected a number below 3, as names has 3 tags"):
        of_bytes(lines(ROW | {"ner_tags": [3, 0, 0]}), "huggingface", names=NAMES)
    with pytest.raises(InputError, match="file:2: K233 found the id '0', also on line 1"):
        of_bytes(lines(ROW, ROW), "huggingface")
    with pytest.raises(UsageError, match="the tag 'B-LOC' is not in names"):
        written(Corpus.of("[Rome]LOC"), "huggingface", names=NAMES)
    with pytest.raises(UsageError, match="cannot read labels_file"):
        of_bytes(lines(ROW), "huggingface", labels_file="/nowhere/at/all")

"""A column without tags is not taken for one with tags: plain text, bare tokens, numbers, and files
whose tags stand in another column are refused with what to do. Documents to answer may have none.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import carob
from carob import InputError
from carob.cli import main
from carob.corpus.source import Source
from carob.evaluate.read import read_inputs
from carob.formats import _tagged
from tests.carob.formats._files import of_bytes

NO_TAGS = "expected tags like B-PER or I-PER, or O in at least one line of 20"
TEXT = "plain text has no tags; --scheme io if all tokens have labels"
NUMBERS = "write the names of tags, which the model has (id2label)"
OTHER = "expected the tags in the column that is read"

PROBLEMS = [
    (
        b"Bo went to Rome",
        f"'Rome' in column 3, which is read, and no O in 1 line, {NO_TAGS}; {TEXT}",
    ),
    (
        b"Bo went to Rome\nAnn came from Oslo\n",
        f"'Rome' in column 3, which is read, and no O in 2 lines, {NO_TAGS}; {TEXT}",
    ),
    (
        b"Ann 1\nslept 0\n",
        f"'1' in column 1, which is read, and no O in 2 lines, {NO_TAGS}; {NUMBERS}",
    ),
    (
        b"Ann 0.93\nslept 1e-5\n",
        f"'0.93' in column 1, which is read, and no O in 2 lines, {NO_TAGS}; {NUMBERS}",
    ),
    (
        b"Ann LABEL_1\nslept LABEL_0\n",
        f"'LABEL_1' in column 1, which is read, and no O in 2 lines, {NO_TAGS}; {NUMBERS}",
    ),
    (
        b"Ann B-PER NNP\nslept O VBD\n",
        f"'NNP' in column 2, which is read, and 'B-PER' in column 1, {OTHER}; --columns 1 reads "
        "them; --scheme io reads column 2 as whole labels",
    ),
    (b"Bo saw I\n", f"'I' in column 2, which is read, and no O in 1 line, {NO_TAGS}; {TEXT}"),
    (
        b"Ann B-PER S\nslept O V\n",
        f"'S' in column 2, which is read, and 'B-PER' in column 1, {OTHER}; --columns 1 reads "
        "them; --scheme io reads column 2 as whole labels",
    ),
    (
        b"# newdoc\nAnn b_per NNP\nslept o O",
        f"'NNP' in column 2, which is read, and 'b_per' in column 1, {OTHER}; --columns 1 reads "
        "them; --scheme io reads column 2 as whole labels",
    ),
    (
        b"Ann B-NP B-PER _\nslept O O _\n",
        f"'_' in column 3, which is read, and 'B-NP' in column 1, 'B-PER' in column 2, {OTHER}; "
        "--columns 1 or --columns 2 reads them",
    ),
    (
        b"B-PER Ann\nO slept\n",
        f"'Ann' in column 1, which is read, and 'B-PER' in column 0, {OTHER}; --columns 0,token=1 "
        "reads them; --scheme io reads column 1 as whole labels",
    ),
]


@pytest.mark.parametrize(("data", "found"), PROBLEMS)
def test_a_column_without_tags_is_refused(data: bytes, found: str) -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(data)
    problem = caught.value.problems[0]
    assert f"file:{problem.line}: K110 found {found}" == str(caught.value)


def test_the_name_of_a_column_is_in_the_message() -> None:
    data = b"token tag ner_pos\nAnn B-PER NNP\nslept O VBD\n"
    with pytest.raises(InputError) as caught:
        of_bytes(data)
    assert str(caught.value).startswith(
        "file:2: K110 found 'NNP' in column ner_pos, which is read, and 'B-PER' in column tag, "
        f"{OTHER}; --columns tag reads them"
    )


@pytest.mark.parametrize(
    ("data", "parameters", "labels"),
    [
        (b"Ann PER\nslept O\n", {}, ("PER",)),
        (b"Ann PER\nslept PER\n", {"scheme": "io"}, ("PER",)),
        (b"Ann B-PER NNP\nslept O VBD\n", {"scheme": "io"}, ("NNP", "VBD")),
        (b"Ann B-PER NNP\nslept O VBD\n", {"tag": 1}, ("PER",)),
        # A system that finds no name, beside a column of chunks.
        (b"Ann B-NP O\nslept O O\n", {}, ()),
        (b"Ann _\nslept _\n", {}, ()),
        (b"Ann I-PER\nslept I-PER\n", {}, ("PER",)),
    ],
)
def test_tags_without_prefixes_are_read_where_they_are_meant(
    data: bytes, parameters: dict[str, str], labels: tuple[str, ...]
) -> None:
    assert labels == of_bytes(data, **parameters).labels


@pytest.mark.parametrize(("outside", "right"), [(5, True), (4, False)])
def test_one_line_of_twenty_without_a_label_is_enough(outside: int, right: bool) -> None:
    data = b"a PER\n" * (100 - outside) + b"b O\n" * outside
    if right:
        assert 1 == len(of_bytes(data).mentions)
        return
    with pytest.raises(InputError) as caught:
        of_bytes(data)
    assert "hardly an O in 100 lines" in str(caught.value)


def test_the_option_that_is_named_reads_the_tags(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for data, _ in PROBLEMS:
        file = tmp_path / "gold.conll"
        file.write_bytes(data)
        assert 1 == main(["score", str(file), str(file), "-m", "exact.F1"])
        message = capsys.readouterr().err
        if "--columns" not in message:
            continue
        columns = message.partition("--columns ")[2].partition(" ")[0]
        assert 0 == main(["score", str(file), str(file), "-m", "exact.F1", "--columns", columns])
        assert "1.0000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("late", "wrong"), [(b"x B_a\n", True), (b"x B-b\n", True), (b"x S_b\n", False)]
)
def test_tags_that_later_ones_show_to_be_prefixes_are_named(
    late: bytes, wrong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first block is read before the last tag is seen.
    monkeypatch.setattr(_tagged, "BLOCK", 1)
    monkeypatch.setattr(_tagged, "_FIRST", 64)
    data = b"x S_a\ny O\n\n" * 20 + b"z O\n\n" * 40 + late
    if not wrong:
        assert ("S_a", "S_b") == of_bytes(data).labels
        return
    with pytest.raises(InputError) as caught:
        of_bytes(data)
    assert "K104 found 'S_a'" in str(caught.value)


def test_other_spellings_are_read_and_counted() -> None:
    corpus = of_bytes(b"Ann b-per\nLee i-per\nslept o\nBo B-per\n")
    assert [(0, 2), (3, 4)] == [(each.start, each.end) for each in corpus[0].mentions]
    assert 2 == corpus.facts["respelled"]
    assert "respelled" not in of_bytes(b"Ann B-per\n").facts


def test_a_file_in_another_spelling_scores_as_the_usual_one(tmp_path: Path) -> None:
    rng = random.Random(1)
    lines = [
        f"w{row} {rng.choice(['O', 'O', 'B-PER', 'I-PER', 'B-LOC'])}" if rng.random() < 0.9 else ""
        for row in range(300)
    ]
    usual = "\n".join(lines) + "\n"
    gold = tmp_path / "gold.conll"
    gold.write_text(usual)
    for spelling in (usual.replace("-", "_"), usual.replace("B-", "b-").replace("I-", "i-")):
        system = tmp_path / "system.conll"
        system.write_text(spelling)
        scores = carob.score(gold, system, "exact.F1", resamples=0)
        assert 1.0 == scores.value
        remark = "whose prefix is written in another way than in B-PER, and read like it"
        assert [True] == [remark in each for each in scores.remarks if "prefix" in each]


def test_bare_tokens_are_documents_to_answer(tmp_path: Path) -> None:
    for word in (b"I", b"E-mail", b"o", b"X-ray", b"B_12"):
        (words,) = read_inputs(Source.of_bytes(b"Ann\nwrote\n%s\n" % word))
        assert ("Ann", "wrote", word.decode()) == words.tokens
    inputs = read_inputs(Source.of_bytes(b"Ann\nslept\n\nBo\n"))
    assert [("Ann", "slept"), ("Bo",)] == [each.tokens for each in inputs]
    answer = of_bytes(b"Ann B-PER\nslept O\n\nBo O\n")
    assert inputs.documents.hash.tolist() == answer.documents.hash.tolist()
    assert inputs.origin is not None and "none" == inputs.origin.parameters["columns"]
    for other in (b"Bo went to Rome\n", b"Ann B-\n", b"B-PER\nI-PER\nPER\n"):
        with pytest.raises(InputError):
            read_inputs(Source.of_bytes(other))
    assert answer.labels == read_inputs(Source.of_bytes(b"Ann B-PER\n")).labels


def test_columns_of_documents_to_answer_are_read_without_tags() -> None:
    corpus = of_bytes(b"-DOCSTART-\nAnn NNP\nslept VBD\n", tag="none")
    assert (("Ann", "slept"), ()) == (corpus[0].tokens, corpus[0].mentions)
    assert corpus.origin is not None and "none" == corpus.origin.parameters["columns"]

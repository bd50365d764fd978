"""Nested mentions come in layers: in several columns, or stacked with `|` in one. Every layer is
decoded by itself, and the mentions of all of them are the document's.
"""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from carob import Corpus, InputError, Mention, UsageError, score
from carob.arrays.tags import stacked
from carob.cli import main
from carob.evaluate.verify import verify
from carob.formats import _tagged
from carob.formats.conll import Conll
from tests.carob.formats._files import legal, of_bytes, slow_mentions
from tests.worlds import times

Rows = list[list[str] | None]


def random_rows(rng: random.Random, columns: int, letters: str, most: int = 14) -> Rows:
    """Lines of a token and its tags; None is a blank line."""
    rows: Rows = []
    for _ in range(rng.randint(1, most)):
        if rng.random() < 0.2:
            rows.append(None)
            continue
        tags = [
            "O" if rng.random() < 0.4 else f"{rng.choice(letters)}-{rng.choice('XY')}"
            for _ in range(columns)
        ]
        rows.append([rng.choice(("Ann", "東京", "a|b", "O")), *tags])
    return [*rows, ["x"] + ["O"] * columns]


def as_bytes(rows: Rows) -> bytes:
    return "".join("\n" if row is None else "\t".join(row) + "\n" for row in rows).encode()


def sentences(rows: Rows) -> list[list[list[str]]]:
    found: list[list[list[str]]] = [[]]
    for row in rows:
        if row is None:
            found.append([])
        else:
            found[-1].append(row)
    return [each for each in found if each]


def slow(rows: Rows, layers: tuple[int, ...], scheme: str, repair: str) -> list[list[Any]]:
    """For each sentence, the mentions of all its layers, sorted."""
    found = []
    for sentence in sentences(rows):
        mentions = []
        for layer in layers:
            tags = [row[layer] for row in sentence]
            mentions += slow_mentions(tags, scheme, repair)
        found.append(sorted(mentions))
    return found


def seen(corpus: Corpus) -> list[list[Any]]:
    return [[(m.start, m.end, m.label) for m in document.mentions] for document in corpus]


@pytest.mark.parametrize("scheme", ["iob2", "iobes", "iob1"])
@pytest.mark.parametrize("repair", ["conlleval", "discard"])
def test_columns_are_decoded_one_by_one(
    scheme: str, repair: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(scheme + repair)
    letters = "BIES" if scheme == "iobes" else "BI"
    files = [random_rows(rng, 3, letters) for _ in range(times(0.25))]
    for size, block in ((1 << 19, 1 << 20), (64, 5)):
        monkeypatch.setattr(_tagged, "SIZE", size)
        monkeypatch.setattr(_tagged, "BLOCK", block)
        for rows in files:
            for layers in ((1, 2, 3), (3, 1)):
                corpus = of_bytes(as_bytes(rows), tag=layers, scheme=scheme, repair=repair)
                assert slow(rows, layers, scheme, repair) == seen(corpus)
                every = of_bytes(as_bytes(rows), tag=layers, scheme=scheme)
                wrong = sum(
                    not legal([row[layer] for row in sentence], a, b, scheme)
                    for sentence in sentences(rows)
                    for layer in layers
                    for a, b, _ in slow_mentions([row[layer] for row in sentence], scheme, "")
                )
                assert wrong == every.facts["repaired"]


def test_the_scheme_is_that_of_all_layers_together() -> None:
    corpus = of_bytes(b"a B-X O\nb I-X S-Y\nc E-X O\n", tag=(1, 2))
    assert corpus.origin is not None
    assert "iobes" == corpus.origin.parameters["scheme"]
    assert [[(0, 3, "X"), (1, 2, "Y")]] == seen(corpus)


def test_the_same_mention_in_two_layers_is_there_twice() -> None:
    assert [[(0, 1, "X"), (0, 1, "X")]] == seen(of_bytes(b"a B-X B-X\n", tag=(1, 2)))


def test_stacked_tags_are_layers_outer_to_inner() -> None:
    data = b"the B-NP\ncat I-NP\non I-NP|B-PP\nmats I-NP|I-PP|B-NP\nsat O\nO|O O|B-X\n"
    expected = [[(0, 4, "NP"), (2, 4, "PP"), (3, 4, "NP"), (5, 6, "X")]]
    assert expected == seen(of_bytes(data))


def test_stacks_of_any_depth_are_read_as_columns_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    for size, block in ((1 << 19, 1 << 20), (64, 5)):
        monkeypatch.setattr(_tagged, "SIZE", size)
        monkeypatch.setattr(_tagged, "BLOCK", block)
        for _ in range(times(1)):
            rows = random_rows(rng, 3, "BI")
            piled: Rows = []
            for row in rows:
                tags = [] if row is None else row[1:]
                while len(tags) > 1 and tags[-1] == "O" and rng.random() < 0.7:
                    tags.pop()
                piled.append(None if row is None else [row[0], "|".join(tags)])
            corpus = of_bytes(as_bytes(piled), scheme="iob2")
            assert slow(rows, (1, 2, 3), "iob2", "conlleval") == seen(corpus)


@pytest.mark.parametrize(
    ("tag", "parts"),
    [
        ("B-NP|B-PP", ("B-NP", "B-PP")),
        ("O|B-PP", ("O", "B-PP")),
        ("B-NP|O|E-X-Y", ("B-NP", "O", "E-X-Y")),
        ("B-NP|PP", ("B-NP|PP",)),
        ("B-NP|B-", ("B-NP|B-",)),
        ("B-NP|", ("B-NP|",)),
        ("B-NP|X-PP", ("B-NP|X-PP",)),
        ("NP|PP", ("NP|PP",)),
        ("O", ("O",)),
    ],
)
def test_a_bar_separates_only_what_looks_like_tags(tag: str, parts: tuple[str, ...]) -> None:
    assert parts == stacked(tag)
    if tag not in ("O", "O|B-PP"):
        labels = {part[2:] if part[1:2] == "-" else part for part in parts} - {"O"}
        data = f"a {tag}\nb O\n".encode()
        assert labels == set(of_bytes(data).labels)


def test_a_wrong_tag_in_a_stack_is_told_alone() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(b"a B-X\nb B-X|S-Y\n", scheme="iob2")
    assert "file:2: K104 found 'S-Y', expected a prefix of iob2: B I" == str(caught.value)


def test_layers_say_how_they_were_read() -> None:
    for layers, token in (((1, 2), 0), ((-2, -1), 3), ((5,), 0)):
        reader = Conll(tag=layers, token=token)
        said, _ = reader.signature_fields({})
        again = Conll(**Conll.from_signature(said))
        assert (reader.layers, reader.token) == (again.layers, again.token)
    assert "1+2+token=3" == Conll(tag=(1, 2), token=3).signature_fields({})[0]["columns"]


@pytest.mark.parametrize("tag", [(), (1, 1)])
def test_layers_are_different_columns(tag: tuple[int, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        Conll(tag=tag)
    assert f"tag is a column or several different ones, not {tag!r}" == str(caught.value)


def test_a_layer_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError) as caught:
        of_bytes(b"a B-X O\n", tag=(1, 3))
    expected = (
        "file:1: K103 found 3 columns, expected a column 3; "
        "choose with --columns; 0 is the first, -1 the last"
    )
    assert expected == str(caught.value)


NESTED = "New B-ORG B-LOC B-ORG O\nYork I-ORG I-LOC I-ORG O\nTimes I-ORG O I-ORG B-LOC\n"


def test_layers_of_gold_and_system_in_one_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "both.conll"
    file.write_text(NESTED)
    call = ["score", str(file), "--columns", "gold=1+2,system=3+4", "-m", "exact.PRF"]
    assert 0 == main([*call, "--format", "json", "-o", str(tmp_path / "result.json")])
    verification = verify(tmp_path / "result.json")
    checked, differences = verification.checked, verification.differences
    assert checked > 5
    assert [] == differences
    assert "|columns:1+2/3+4|" in (tmp_path / "result.json").read_text().replace('\\"', '"')
    same = score(
        str(file), str(file), "exact.F1",
        gold_options={"tag": (1, 2)}, system_options={"tag": (3, 4)},
    )  # fmt: skip
    assert 0.5 == same.value
    assert (Mention("LOC", 0, 2), Mention("ORG", 0, 3)) == of_bytes(
        NESTED.encode(), tag=(1, 2)
    )[0].mentions  # fmt: skip
    capsys.readouterr()


def test_standard_input_with_gold_and_system_is_read_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NESTED.encode())))
    call = ["score", "-", "--columns", "gold=1+2,system=3+4", "-m", "exact.F1", "--format", "csv"]
    assert 0 == main(call)
    out, err = capsys.readouterr()
    assert "2 gold and 2 system mentions" in err
    assert "0.5" in out


def test_standard_input_cannot_be_two_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["score", "-", "-"])
    assert "carob: only one file can be standard input\n" == capsys.readouterr().err


@pytest.mark.parametrize("spec", ["1+", "+"])
def test_layers_are_numbers_or_names(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["score", "a", "b", "--columns", spec])
    expected = f"carob: found --columns '{spec}', expected a number or name, or several: 1+2\n"
    assert expected == capsys.readouterr().err


def test_a_first_column_may_count_the_tokens() -> None:
    raw = b"# source\n1\tAnn\tB-PER\tO\n2\tLee\tI-PER\tB-LOC\n\n1\tBo\tB-PER\tO\n"
    corpus = of_bytes(raw, tag=(2, 3), token=1)
    assert [("Ann", "Lee"), ("Bo",)] == [document.tokens for document in corpus]
    assert [[(0, 2, "PER"), (1, 2, "LOC")], [(0, 1, "PER")]] == seen(corpus)

"""A file of token weights is read with care, sealed in the signature, and asked for again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from carob import Corpus, Document, InputError, Mention, Pair, Recipe, Tally, score
from carob.cli import main
from carob.evaluate.verify import verify
from carob.match.units import Token

TEXT = "Ann B-PER\nLee I-PER\nslept O\n"
ANSWER = "Ann B-PER\nLee O\nslept O\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.conll").write_text(TEXT)
    (tmp_path / "system.conll").write_text(ANSWER)
    (tmp_path / "w.txt").write_text("1\n2.5\n0\n")
    return tmp_path


def test_last_names_may_weigh_more_than_first_names(place: Path) -> None:
    found = score("gold.conll", "system.conll", ['token(token_weights="w.txt").R',
                                                 'ts(sep=0.5,token_weights="w.txt").R',
                                                 'ts(token_weights="w.txt").total'])  # fmt: skip
    assert [each.value for each in found] == [1 / 3.5, 1 / 4, 5.5]


def test_weights_are_in_the_signature_with_their_hash(place: Path) -> None:
    recipe = Recipe.parse('ts(token_weights="w.txt").F1')
    assert str(recipe) == 'ts(token_weights="w.txt").F1'
    seal = hashlib.sha256(b"1\n2.5\n0\n").hexdigest()[:8]
    expected = f'ts(instances=set,sep=1,token_weights="w.txt#sha256={seal}").F1@micro'
    assert expected == recipe.full
    assert recipe == Recipe.parse(recipe.full) == Recipe.parse(str(recipe))
    before = Recipe.parse(str(recipe))
    (place / "w.txt").write_text("1\n2\n3\n")
    assert before != Recipe.parse(str(recipe))
    with pytest.raises(InputError) as raised:
        Recipe.parse(expected)
    now = hashlib.sha256(b"1\n2\n3\n").hexdigest()[:8]
    message = (
        f"w.txt: K903 found sha256={now}, expected sha256={seal}, the token weights that were used"
    )
    assert message == str(raised.value)


def test_a_result_with_weights_can_be_verified_until_they_change(place: Path) -> None:
    call = ["score", "gold.conll", "system.conll", "-m", 'ts(token_weights="w.txt").PRF@macro']
    assert main([*call, "-m", "token.kappa", "--format", "json", "-o", "result.json"]) == 0
    verification = verify("result.json")
    checked, differences = verification.checked, verification.differences
    assert differences == []
    assert checked > 10
    (place / "w.txt").write_text("1\n2.5\n1\n")
    with pytest.raises(InputError, match=r"w\.txt: K903 found sha256="):
        verify("result.json")


@pytest.mark.parametrize(("content", "message"), [
    ("1\n2\n", "w.txt:3: K802 found the end of the file, expected the weight of token 3; "
     "gold has 3 tokens in all its documents together"),
    ("1\n2\n3\n4\n", "w.txt:4: K802 found the weight of token 4, expected the end of the file; "
     "gold has 3 tokens in all its documents together"),
    ("1\n\n3\n", "w.txt:2: K801 found '', expected the weight of a token, "
     "a number from 0 to 1,000,000"),
    ("1\n-2\nnan\n", "w.txt:2: K801 found '-2', expected the weight of a token, "
     "a number from 0 to 1,000,000 (and 1 more like it)"),
    ("1\n2\n1e999\n", "w.txt:3: K801 found '1e999', expected the weight of a token, "
     "a number from 0 to 1,000,000"),
    ("1\n2\n1e308\n", "w.txt:3: K801 found '1e308', expected the weight of a token, "
     "a number from 0 to 1,000,000"),
    ("1_0\n2\n3\n", "w.txt:1: K801 found '1_0', expected the weight of a token, "
     "a number from 0 to 1,000,000"),
    ("1\n2\nx\x1b[2J\n", "w.txt:3: K801 found 'x\\x1b[2J', expected the weight of a token, "
     "a number from 0 to 1,000,000"),
])  # fmt: skip
def test_a_wrong_file_of_weights_is_said_with_its_line(
    place: Path, content: str, message: str
) -> None:
    (place / "w.txt").write_text(content)
    with pytest.raises(InputError) as raised:
        score("gold.conll", "system.conll", 'ts(token_weights="w.txt").F1')
    assert message == str(raised.value)


def test_weights_that_are_not_there_are_said_so(place: Path) -> None:
    with pytest.raises(InputError, match=r"w2\.txt: K001 found no such file"):
        Recipe.parse('ts(token_weights="w2.txt").F1')


def test_weights_with_windows_line_ends_are_the_same_numbers(place: Path) -> None:
    (place / "w.txt").write_bytes(b"1\r\n2.5\r\n0")
    expected = 1 / 3.5
    assert expected == score("gold.conll", "system.conll", 'token(token_weights="w.txt").R').value


def test_rounding_makes_no_true_negatives(tmp_path: Path) -> None:
    n = 1001
    file = tmp_path / "w.txt"
    file.write_text("0.1\n" * n)
    gold = Corpus.of(Document(tokens=("x",) * n, mentions=(Mention("X", 0, n),)))
    halves = (Mention("X", 0, 333), Mention("X", 333, 700), Mention("X", 700, n))
    system = Corpus.of(Document(tokens=("x",) * n, mentions=halves))
    space = Token(token_weights=str(file))
    assert Tally.of(space, Pair.of(gold, system)).total()["tn"] == 0.0
    assert score(gold, system, f'token(token_weights="{file}").specificity').value is None

"""Mentions in characters become mentions in tokens: row for row, every token that they touch, and
the ones that did not fall on token borders are counted.
"""

from __future__ import annotations

import gc
import json
import random
import weakref
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob import CarobError, Corpus, Document, InputError, Mention, Pair, score
from carob.cli import main
from carob.evaluate.verify import verify
from carob.pair.tokens import Tokens

WORDS = ("Ann", "Lee", "Rome", "x", "東京", "\U0001d49c", "don't", "e\u0301")


def random_document(rng: random.Random, name: str, *, given: bool) -> Document:
    text, spans = "", []
    for _ in range(rng.randint(0, 6)):
        text += " " * rng.randint(0 if given else 1, 2)
        word = rng.choice(WORDS)
        spans.append((len(text), len(text) + len(word)))
        text += word
    text += " " * rng.randint(0, 2)
    return Document(name, text, token_spans=tuple(spans) if given and spans else None)


def random_mentions(rng: random.Random, length: int) -> tuple[Mention, ...]:
    found = []
    for _ in range(rng.randint(0, 4) if length else 0):
        borders = sorted(rng.sample(range(length + 1), min(length + 1, 2 * rng.randint(1, 3))))
        borders = borders[: len(borders) // 2 * 2]
        spans = list(zip(borders[::2], borders[1::2], strict=True))
        found.append(Mention.of(rng.choice("AB"), spans))
    return tuple(found)


def slow(fragments: Any, tokens: list[tuple[int, int]]) -> tuple[set[int], bool]:
    """The tokens of a mention, and whether its borders were theirs."""
    taken: set[int] = set()
    aligned = True
    for start, end in fragments:
        mine = [i for i, (a, b) in enumerate(tokens) if a < end and start < b]
        taken.update(mine)
        aligned &= bool(mine) and (tokens[mine[0]][0], tokens[mine[-1]][1]) == (start, end)
    if not taken:
        after = [i for i, (a, _) in enumerate(tokens) if a >= fragments[0][1]]
        taken = {after[0] if after else len(tokens) - 1}
    return taken, aligned


def positions(table: Any, row: int) -> set[int]:
    return {place for a, b in table.fragments_of(row) for place in range(a, b)}


@pytest.mark.parametrize("how", ["given", "whitespace"])
def test_mentions_take_every_token_that_they_touch(how: str) -> None:
    rng = random.Random(how)
    documents = [random_document(rng, f"d{i}", given=how == "given") for i in range(1200)]
    sides = []
    for _ in range(2):
        marked = []
        for each in documents:
            mentions = random_mentions(rng, len(each.text or ""))
            marked.append(
                Document(each.id, each.text, None, mentions, token_spans=each.token_spans)
            )
        sides.append(Corpus.of(*marked))
    pair = Pair.of(sides[0], sides[1], tokenizer=how)
    moved = pair.in_tokens
    assert moved is pair.in_tokens
    odd = 0
    for before, after in ((pair.gold, moved.gold), (pair.system, moved.system)):
        assert len(before) == len(after)
        assert before.doc.tolist() == after.doc.tolist()
        assert before.label.tolist() == after.label.tolist()
        for row in range(len(before)):
            document = documents[int(before.doc[row])]
            tokens = _tokens(document)
            taken, aligned = slow(before.fragments_of(row), tokens)
            assert taken == positions(after, row)
            fragments = after.fragments_of(row)
            assert all(a[1] < b[0] for a, b in pairwise(fragments))
            assert (fragments[0][0], fragments[-1][1]) == (after.start[row], after.end[row])
            odd += not aligned
    assert odd == moved.coverage["unaligned"] == pair.covered["unaligned"]
    assert odd > 100
    assert [len(_tokens(d)) for d in documents] == moved.documents.length.tolist()
    assert ("char", "token") == (pair.unit, moved.unit)


def _tokens(document: Document) -> list[tuple[int, int]]:
    text = document.text or ""
    if document.token_spans is not None:
        return list(document.token_spans)
    found, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        found.append((at, at + len(word)))
        at += len(word)
    return found or ([(0, len(text))] if text else [])


def corpus(text: str, *spans: tuple[int, int], **more: Any) -> Corpus:
    mentions = tuple(Mention("A", a, b) for a, b in spans)
    return Corpus.of(Document("d", text, mentions=mentions, **more))


def in_tokens(gold: Corpus, system: Corpus | None = None, tokenizer: str = "auto") -> Pair:
    return Pair.of(gold, system or gold, tokenizer=tokenizer).in_tokens


def test_white_space_takes_the_token_that_follows_or_the_last() -> None:
    pair = in_tokens(corpus("a  b ", (0, 1), (1, 2), (4, 5)))
    assert [0, 1, 1] == pair.gold.start.tolist()
    assert [1, 2, 2] == pair.gold.end.tolist()
    assert 4 == pair.coverage["unaligned"]


def test_a_text_of_white_space_is_one_token() -> None:
    pair = in_tokens(corpus("  ", (0, 1), (0, 2)))
    assert [1] == pair.documents.length.tolist()
    assert ([0, 0], [1, 1]) == (pair.gold.start.tolist(), pair.gold.end.tolist())
    assert 2 == pair.coverage["unaligned"]


def test_fragments_in_one_token_become_one() -> None:
    gold = Corpus.of(
        Document("d", "unbelievable x", mentions=(Mention.of("A", [(0, 2), (8, 12)]),))
    )
    pair = in_tokens(gold)
    assert ((0, 1),) == pair.gold.fragments_of(0)
    assert pair.gold.fragments is None


def test_given_tokens_come_before_words() -> None:
    text = "Ann's"
    for gold in (
        corpus(text, (0, 3), tokens=("Ann", "'s")),
        corpus(text, (0, 3), token_spans=((0, 3), (3, 5))),
    ):
        pair = Pair.of(gold, gold)
        assert ("given", [2]) == (pair.tokenizer, pair.in_tokens.documents.length.tolist())
    assert [3] == in_tokens(corpus(text), tokenizer="words").documents.length.tolist()
    assert [1] == in_tokens(corpus(text), tokenizer="whitespace").documents.length.tolist()
    assert "words" == Pair.of(corpus(text), corpus(text)).tokenizer


def test_a_document_without_given_tokens_is_cut_into_words() -> None:
    gold = Corpus.of(Document("a", "x-y z", token_spans=((0, 3), (4, 5))), Document("b", "x-y z"))
    assert [2, 4] == in_tokens(gold).documents.length.tolist()


def test_tokens_on_one_side_are_given_to_both() -> None:
    chars = corpus("Ann's x", (0, 3), (3, 5))
    tokens = Corpus.of(Document("d", tokens=("Ann", "'s", "x"), mentions=(Mention("A", 1, 2),)))
    for gold, system, how in ((chars, tokens, "words"), (tokens, chars, "given")):
        pair = Pair.of(gold, system)
        assert how == pair.tokenizer
        if how == "words":
            continue
        assert [3] == pair.in_tokens.documents.length.tolist()
        assert 0 == pair.in_tokens.coverage["unaligned"]
        assert 1 == score(gold, system, "exact.tp").value


def test_a_document_that_the_other_side_lacks_keeps_its_mentions() -> None:
    chars = corpus("Ann", (0, 3))
    tokens = Corpus.of(
        Document("d", tokens=("Ann",), mentions=(Mention("A", 0, 1),)),
        Document("e", tokens=("Bo", "x"), mentions=(Mention("A", 0, 2),)),
    )
    pair = Pair.of(tokens, chars)
    assert 2 == len(pair.gold)
    assert [1, 2] == pair.in_tokens.documents.length.tolist()
    assert [1, 2] == (pair.in_tokens.gold.end - pair.in_tokens.gold.start).tolist()
    assert 1 == Pair.of(chars, tokens, extra="ignore").coverage["ignored"]


def test_the_text_may_be_the_system_s() -> None:
    gold = Corpus.of(Document("d", unit="char", mentions=(Mention("A", 0, 3),)))
    pair = in_tokens(gold, corpus("Ann Lee", (4, 7)))
    assert ([0], [1]) == (pair.gold.start.tolist(), pair.system.start.tolist())


def test_sentences_are_counted_in_tokens() -> None:
    pair = in_tokens(corpus("Ann slept. Bo  ate.", sentences=(0, 11, 15)))
    assert (0, 3, 4) == pair.documents.sentences(0)


def test_a_corpus_is_cut_once_for_all_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens("words")
    gold, system = corpus("Ann Lee", (0, 3)), corpus("Ann Lee", (4, 7))
    first = Pair.of(gold, system, tokenizer=tokens).in_tokens
    monkeypatch.setattr("carob.pair.tokens.cut", None)
    second = Pair.of(gold, gold, tokenizer=tokens).in_tokens
    assert np.array_equal(first.gold.start, second.gold.start)


@pytest.mark.parametrize(
    ("gold", "tokenizer", "message"),
    [
        (
            Corpus.of(Document("d", unit="char", mentions=(Mention("A", 0, 3),))),
            "auto",
            "this event space counts tokens, these corpora count characters, and document 'd' has "
            "no text to find tokens in",
        ),
        (
            corpus("Ann"),
            "given",
            "these documents have no tokens of their own; say --tokenizer words or whitespace",
        ),
        (
            corpus("Ann", token_spans=((0, 2), (1, 3))),
            "auto",
            "gold:1: K307 found the token 1..3, "
            "expected tokens that follow one another and cover the text",
        ),
        (
            corpus("Ann"),
            "word",
            "no tokenizer is called 'word'; did you mean words? "
            "there are: given, whitespace, words",
        ),
    ],
)
def test_what_cannot_be_is_said(gold: Corpus, tokenizer: str, message: str) -> None:
    with pytest.raises(CarobError) as caught:
        _ = in_tokens(gold, tokenizer=tokenizer)
    assert message == str(caught.value)


def test_given_tokens_that_are_not_in_the_text_are_told() -> None:
    with pytest.raises(InputError) as caught:
        in_tokens(corpus("Ann Lee", tokens=("Ann", "Leo")))
    expected = "gold:1: K305 found the token 'Leo', expected the text ' Lee' at character 3"
    assert expected == str(caught.value)


def test_zero_width_spaces_may_stand_between_tokens() -> None:
    gold = corpus("Ann\u200b \u200bLee\u200b", (0, 3))
    system = Corpus.of(Document("d", tokens=("Ann", "Lee"), mentions=(Mention("A", 0, 1),)))
    assert 1 == score(gold, system, "exact.F1", resamples=0).value
    given = corpus("Ann\u200bLee", tokens=("Ann", "Lee"))
    assert [2] == in_tokens(given).documents.length.tolist()


def test_a_mention_behind_the_end_of_its_document_is_told() -> None:
    gold = corpus("Ann", (0, 3))
    system = Corpus.of(Document("d", unit="char", mentions=(Mention("A", 0, 4),)))
    with pytest.raises(InputError) as caught:
        Pair.of(gold, system)
    expected = (
        "system: K306 found a mention that ends at 4 in document 'd', "
        "expected an end within the 3 positions that gold has"
    )
    assert expected == str(caught.value)


def test_the_signature_says_the_tokenizer_and_verify_uses_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, start in (("gold", 0), ("system", 1)):
        record = {
            "id": "d",
            "text": "a-b c d e",
            "mentions": [{"start": start, "end": 5, "label": "X"}],
        }
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record))
    files = [str(tmp_path / "gold.jsonl"), str(tmp_path / "system.jsonl")]
    values = {}
    for how in ("auto", "words", "whitespace"):
        result = tmp_path / f"{how}.json"
        call = ["score", *files, "-m", "constrained(k1=0,k2=1).F1", "-m", "exact.F1"]
        more = ["--tokenizer", how, "--format", "json", "-o", str(result)]
        assert 0 == main(call + more)
        told = json.loads(result.read_text())["systems"][0]
        said = "words" if how == "auto" else how
        assert all(f"|tokenizer:{said}|" in each["signature"] for each in told["scores"])
        values[how] = (told["scores"][0]["value"], told["coverage"]["unaligned"])
        assert [] == verify(result).differences
    assert {"auto": (1.0, 0), "words": (1.0, 0), "whitespace": (1.0, 1)} == values
    assert "1 unaligned" in capsys.readouterr().err


def test_tokens_need_no_tokenizer() -> None:
    found = score(Corpus.of("[Ann]A x"), Corpus.of("[Ann]A x"), "exact.F1").to_dict()
    assert "|tokenizer:none|" in found["systems"][0]["scores"][0]["signature"]


def test_comparisons_and_errors_use_the_tokenizer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, start in (("gold", 0), ("a", 1), ("b", 2)):
        mention = {"start": start, "end": 5, "label": "X"}
        record = {"id": "d", "text": "a-b c d e", "mentions": [mention]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record))
    gold, a, b = (str(tmp_path / f"{name}.jsonl") for name in ("gold", "a", "b"))
    for how, moved in (("whitespace", "1 unaligned"), ("words", "0 unaligned")):
        assert 0 == main(["compare", gold, a, b, "-m", "ts.F1", "--tokenizer", how])
        assert moved in capsys.readouterr().err
        assert 0 == main(["errors", gold, a, b, "-m", "ts.F1", "--tokenizer", how])
        capsys.readouterr()


def test_a_pair_of_tokens_is_freed_at_once() -> None:
    """Large pairs are counted in pieces; if a piece kept itself, all of them would stay."""
    made = Pair.of(Corpus.of("[Ann]PER slept"), Corpus.of("[Ann]PER slept"))
    assert made.in_tokens is made
    there = weakref.ref(made)
    gc.disable()
    try:
        del made
        assert there() is None
    finally:
        gc.enable()
